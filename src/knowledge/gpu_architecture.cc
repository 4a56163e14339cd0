#include <charconv>

#include <cudald/gpu_architecture.h>
#include <cudald/gpu_code.h>

namespace cudald {

std::string to_string(GpuArchitecture architecture) {
  auto name = "sm_" + std::to_string(architecture.number);
  if (architecture.suffix != 0) name += architecture.suffix;
  return name;
}

std::optional<GpuArchitecture> parse_gpu(std::string_view text) {
  std::string digits;
  if (text.starts_with("sm_")) {
    digits = text.substr(3);
  } else if (const auto dot = text.find('.'); dot != std::string_view::npos && text.size() - dot == 2) {
    digits = std::string(text.substr(0, dot)) + text.back();
  }
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < 10 || number > 999) return std::nullopt;
  return GpuArchitecture{number, 0};
}

bool sass_runs_on(GpuArchitecture code, GpuArchitecture gpu) {
  // CUDA 12's sm_101 has the major version of sm_100 and is no member of its family; CUDA 13 calls it sm_110.
  constexpr std::uint32_t apart = 101;
  const bool same_family = (code.number == apart) == (gpu.number == apart);
  if (code.suffix == 'a') return code.number == gpu.number;
  if (code.suffix == 'f' && !same_family) return false;
  return code.major() == gpu.major() && code.number <= gpu.number;
}

bool ptx_compiles_for(GpuArchitecture code, GpuArchitecture gpu) {
  return code.suffix == 0 ? code.number <= gpu.number : sass_runs_on(code, gpu);
}

}  // namespace cudald
