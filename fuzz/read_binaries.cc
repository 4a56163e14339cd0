// ELF and PE files: what is read of them, and how ELF files are edited.

#include <elf.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <cudald/file_system.h>
#include <cudald/image.h>

#include "archive/zip_directory.h"
#include "base/budget.h"
#include "binary/bytes/file_window.h"
#include "binary/constants/mapped_bytes.h"
#include "binary/constants/read_only_data.h"
#include "binary/elf/symbol_table.h"
#include "binary/elf/unexported_symbols.h"
#include "binary/image_store.h"
#include "binary/machine_code/exported_code.h"
#include "binary/machine_code/function_code.h"
#include "common/memory_file_system.h"
#include "common/read_library.h"
#include "rewrite/edit_elf.h"
#include "rewrite/edit_zip.h"
#include "rewrite/new_file.h"
#include "rewrite/new_member.h"
#include "rewrite/scratch_store.h"
#include "targets.h"

namespace cudald {
namespace {

/// Names by which code is looked for that answers a question for a version, and code that opens other libraries.
constexpr std::array<std::string_view, 4> asked_functions = {"f", "cudaRuntimeGetVersion", "cudnnGetVersion", "main"};
constexpr std::uint64_t code_steps = 2'000'000;

void read_code(const File& file, const Image& image) {
  ExportedCode code(file, image);
  for (const auto name : asked_functions) {
    (void)code.constants(name);
    (void)code.constants_of_callees(name);
    (void)code.variable(name);
  }
  (void)numbers_answered(file, image, image.file_size);
  (void)read_only_text(file, image, "NCCL version ", image.file_size);
  FileWindow window(file, image.byte_order);
  (void)has_symbol_in_full_table(window, image, "f");
}

void read_functions(const File& file, const Image& image) {
  const MappedBytes bytes(file, &image);
  Budget budget({.kept = std::uint64_t{64} << 20, .steps = code_steps, .depth = 200});
  const auto functions = FunctionCode::of(bytes, image, budget);
  if (!functions) return;
  for (const auto& prefix : {"PyInit_", "f", "main"})
    if (const auto function = functions->exported(prefix))
      for (const auto& step : functions->steps(*function)) {
        (void)functions->text_at(step.place);
        (void)functions->number_at(step.place);
        (void)functions->pointer_at(step.place);
      }
  for (const auto caller : functions->callers({"dlopen", "PyImport_ImportModule"})) (void)functions->steps(caller);
}

/// The symbols of a described machine are found as those of its files.
void describe_symbols(const File& file, std::shared_ptr<const Image> image) {
  const auto table = SymbolTable::read(file, image, R_X86_64_JUMP_SLOT, R_X86_64_COPY);
  const auto described = SymbolTable::of(table->describe(), std::move(image));
  (void)described->describe();
}

}  // namespace

void read_library(ImageStore& images, const std::string& path) {
  const auto file = read_library_tables(images, path);
  if (file == nullptr) return;
  const auto& image = images.open(path).image;
  read_code(*file, *image);
  if (!is_elf(*image)) return;
  read_functions(*file, *image);
  describe_symbols(*file, image);
}

void fuzz_library(const std::string& bytes) {
  MemoryFileSystem files;
  files.add_file("/libx.so", bytes);
  ImageStore images(files);
  read_library(images, "/libx.so");
}

namespace {

constexpr std::uint64_t most_bss = 1 << 20;
constexpr std::uint16_t deflated = 8;

/// As a member of a repaired wheel, whose bytes and checksum are those of the file.
void compress(std::shared_ptr<const File> file) {
  const auto scratch = ScratchStore::make();
  if (!scratch) return;
  const auto size = file->status().size;
  const auto member = make_new_member(std::move(file), deflated, *scratch);
  require(!member || member->size == size);
}

void replace_first_member(const File& file, const ZipDirectory& directory, bool removed) {
  const auto scratch = ScratchStore::make();
  if (!scratch) return;
  auto member = make_new_member("text", deflated, *scratch);
  if (!member) return;
  ZipEdits edits;
  edits[0] = removed ? std::nullopt : std::optional<NewMember>(std::move(*member));
  (void)edit_zip(file, directory, edits);
}

}  // namespace

/// The first two bytes say what is to be edited.
void fuzz_rewrite(const std::string& bytes) {
  if (bytes.size() < 2) return;
  MemoryFileSystem files;
  files.add_file("/x", bytes.substr(2));
  auto opened = files.open("/x");
  if (!opened) return;
  const std::shared_ptr<const File> file = std::move(*opened);
  const auto choice = static_cast<unsigned char>(bytes[0]), length = static_cast<unsigned char>(bytes[1]);
  ElfEdits edits;
  if (choice & 1) edits.search_path = std::string(length, 'a');
  if (choice & 2) edits.renamed = {{"libc.so.6", std::string(length, 'b')}};
  if (choice & 4) edits.added = {"libadded.so"};
  if (choice & 8) edits.soname = "libnew.so";
  edits.clear_executable_stack = (choice & 16) != 0;
  if (const auto edited = edit_elf(file, "/x", edits, most_bss); edited)
    compress(std::make_shared<NewFile>(file, edited->pieces));
  const auto directory = read_zip_directory(*file);
  if (directory && !directory->members().empty()) replace_first_member(*file, *directory, (choice & 32) != 0);
}

}  // namespace cudald
