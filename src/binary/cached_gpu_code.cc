#include "binary/cached_gpu_code.h"

namespace cudald {

void fields(Is<GpuArchitecture> auto& architecture, auto&& take) {
  auto& [number, suffix] = architecture;
  take(number, suffix);
}
void fields(Is<Defect> auto& defect, auto&& take) {
  auto& [message, offset, limit, fatal] = defect;
  take(message, offset, limit, fatal);
}
void fields(Is<GpuCodeReading> auto& reading, auto&& take) {
  auto& [sass, ptx, registered, entries, defects] = reading.code;
  take(sass, ptx, registered, entries, defects, reading.cost);
}

GpuCodeReading KeptGpuCode::read(const File& file, const Image& image) {
  return readings_.read(file, [&image](const File& given) { return read_gpu_code_at_cost(given, image); });
}

}  // namespace cudald
