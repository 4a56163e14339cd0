#include "process/library_kind.h"

#include <cudald/image.h>

#include "base/extension_suffix.h"
#include "base/path.h"

namespace cudald {

bool wants_musl(const Image& image) {
  if (image.elf.interpreter) return file_name(*image.elf.interpreter).starts_with("ld-musl");
  for (const auto& needed : image.elf.needed)
    if (needed.name == "libc.so" || needed.name.starts_with("libc.musl-")) return true;
  return false;
}

bool is_extension_module(std::string_view path) {
  const auto name = file_name(path);
  return has_python_suffix(name) || (name.ends_with(".so") && !name.starts_with("lib"));
}

std::string interpreter_of(const Image& image, const Abi& abi, bool musl) {
  if (image.elf.interpreter) return *image.elf.interpreter;
  return musl ? "/lib/ld-musl-" + std::string(abi.musl_name) + ".so.1" : std::string(abi.interpreter);
}

bool has_to_be_first(std::string_view path) {
  const auto name = file_name(path);
  return name.starts_with("libasan.so") || name.starts_with("libclang_rt.asan");
}

}  // namespace cudald
