#include "cli/settings/file_words.h"

#include <utility>

namespace cudald {

Result<FileWords> read_file_words(Session& session, const std::string& path) {
  const auto image = session.image(path);
  if (!image) return image.error();
  auto symbols = session.pe_symbols(path);
  if (!symbols) return symbols.error();
  const auto gpu = session.gpu_code(path);
  if (!gpu) return gpu.error();
  auto cuda = session.cuda_library(path);
  if (cuda && *cuda == nullptr) cuda = session.linked_runtime(path);
  if (!cuda) return cuda.error();
  return FileWords{*image, std::move(*symbols), *gpu, *cuda};
}

}  // namespace cudald
