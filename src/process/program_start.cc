#include "process/program_start.h"

#include <cudald/image.h>

#include "binary/constants/read_only_data.h"
#include "binary/elf/symbol_table.h"

namespace cudald {
namespace {

bool defines_symbols(const File& file, const std::shared_ptr<const Image>& image) {
  bool any = false;
  SymbolTable::read(file, image, 0, 0)->visit_all([&](std::string_view, std::uint16_t, bool defined) {
    any |= defined;
  });
  return any;
}

}  // namespace

InterpreterKind interpreter_kind(const OpenedFile& interpreter, const Image& program, ImageStore& images) {
  if (interpreter.error) return InterpreterKind::absent;
  const auto& image = *interpreter.image;
  if (image.source != ImageSource::file) return InterpreterKind::loader;
  if (!image.is_elf() || image.machine != program.machine) return InterpreterKind::other_file;
  if (image.soname) return InterpreterKind::loader;
  const auto file = images.files().open(interpreter.real_path);
  constexpr std::uint64_t most_bytes = 16 << 20;
  const bool is_loader = !file || defines_symbols(**file, interpreter.image) ||
                         find_constant_part(**file, image, "NIX_LD", most_bytes).has_value();
  return is_loader ? InterpreterKind::loader : InterpreterKind::stub;
}

std::string refusal_of_kernel(const OpenedFile& program, const OpenedFile& interpreter, const std::string& path) {
  const bool no_exec = program.no_exec || (!interpreter.error && interpreter.no_exec);
  return no_exec ? path + ": Permission denied" : "";
}

}  // namespace cudald
