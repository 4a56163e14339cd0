#include "binary/constants/library_texts.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include <cudald/image.h>
#include <cudald/pe_symbols.h>

#include "base/ascii.h"
#include "base/find_bytes.h"
#include "base/path.h"
#include "base/windows_path.h"
#include "binary/bytes/file_window.h"
#include "binary/constants/read_only_data.h"
#include "binary/elf/elf_layout.h"

namespace cudald {
namespace {

constexpr std::size_t most_texts = 256;
constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;

// Who has a function of its own that opens libraries (g_module_open, at::DynamicLibrary) is left out: what calls it was
// found to import dlopen as well, or to hand it no constant.
constexpr std::array<std::string_view, 2> elf_functions = {"dlopen", "dlmopen"};
// Not GetModuleHandle: it loads nothing, and every program has it.
constexpr std::array<std::string_view, 5> pe_functions = {"LoadLibraryExW", "LoadLibraryExA", "LoadLibraryW",
                                                          "LoadLibraryA", "LoadPackagedLibrary"};

bool is_name_character(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '+' || c == '.'; }

bool is_name(std::string_view text) {
  return !text.empty() && (is_letter(text[0]) || is_digit(text[0]) || text[0] == '_') &&
         std::all_of(text.begin(), text.end(), is_name_character) && text.find("..") == std::string_view::npos;
}

/// "" or ".1", ".12.0": what may follow ".so".
bool is_version(std::string_view text) {
  return text.empty() || (text[0] == '.' && is_digit(text.back()) && text.find("..") == std::string_view::npos &&
                          std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '.'; }));
}

/// A folder as a program would name it whole. "/hotspot/" is what comes behind another folder.
bool is_folder(std::string_view text) {
  constexpr std::array<std::string_view, 10> tops = {"$ORIGIN/", "/lib/", "/lib32/", "/lib64/", "/libx32/",
                                                     "/usr/",    "/opt/", "/etc/",   "/var/",   "/run/"};
  const auto top = std::find_if(tops.begin(), tops.end(), [&](std::string_view one) { return text.starts_with(one); });
  return top != tops.end() && std::all_of(text.begin() + static_cast<std::ptrdiff_t>(top->size()), text.end(),
                                          [](char c) { return c == '/' || is_name_character(c); });
}

bool is_elf_library(std::string_view text) {
  const auto name = file_name(text);
  const auto folder = text.substr(0, text.size() - name.size());
  if (!folder.empty() && !is_folder(folder)) return false;
  constexpr std::string_view beginning = "lib";
  if (!name.starts_with(beginning)) return false;
  const auto ending = name.rfind(".so");
  return ending != std::string_view::npos && is_name(name.substr(beginning.size(), ending - beginning.size())) &&
         is_version(name.substr(ending + 3));
}

/// The symbols that may be undefined. How many there are is written nowhere: they end where another table begins, and
/// the GNU hash table says where those that a linker hashes begin, which the file defines. With none of these it
/// says 1.
FileRange undefined_symbols(const Image& image, std::uint64_t symbol_size, FileWindow& window) {
  auto end = image.elf.tables.symbols.offset + image.elf.tables.symbols.size;
  for (const auto* table :
       {&image.elf.tables.strings, &image.elf.tables.symbol_versions, &image.elf.tables.gnu_hash,
        &image.elf.tables.sysv_hash, &image.elf.tables.relocations, &image.elf.tables.plt_relocations,
        &image.elf.tables.relr, &image.elf.tables.implicit_relocations})
    if (table->present && table->offset > image.elf.tables.symbols.offset) end = std::min(end, table->offset);
  const auto first_hashed = image.elf.tables.gnu_hash.present
                                ? window.number<std::uint32_t>(image.elf.tables.gnu_hash.offset + 4).value_or(0)
                                : 0;
  if (first_hashed > 1) end = std::min(end, image.elf.tables.symbols.offset + first_hashed * symbol_size);
  return {image.elf.tables.symbols.offset, end - image.elf.tables.symbols.offset};
}

/// Where the names of the undefined symbols begin in the table of strings.
std::vector<std::uint32_t> undefined_names(const File& file, const Image& image) {
  constexpr std::size_t most_names = std::size_t{1} << 23;
  const ElfLayout layout{image.format == Format::elf64};
  const auto size = layout.symbol_size();
  FileWindow window(file, image.byte_order);
  const auto undefined = undefined_symbols(image, size, window);
  std::vector<std::uint32_t> names;
  for_blocks(file, {undefined}, file.status().size, most_bytes, size, [&](const FileBlock& block) {
    const ByteReader symbols({reinterpret_cast<const std::byte*>(block.bytes.data()), block.bytes.size()},
                             image.byte_order);
    // An entry may lie across two blocks.
    const auto into = (block.offset - undefined.offset) % size;
    for (auto at = into == 0 ? 0 : size - into; symbols.holds(at, size); at += size)
      if (const auto symbol = symbol_at(layout, symbols, at); symbol.section == SHN_UNDEF) names.push_back(symbol.name);
    return names.size() > most_names;
  });
  return names;
}

/// In the order in which blocks of a size meet them: if one block has all, it only matters where that begins.
void sort_for_blocks(std::vector<std::uint32_t>& names, std::size_t block_size) {
  if (names.empty()) return;
  const auto [first, last] = std::minmax_element(names.begin(), names.end());
  if (*last - *first <= block_size) {
    std::iter_swap(names.begin(), first);
    return;
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

/// Whether a whole name stands there.
bool is_name_at(std::string_view texts, std::size_t at, std::string_view name) {
  return at + name.size() < texts.size() && texts[at + name.size()] == '\0' && texts.substr(at).starts_with(name);
}

/// Which of the functions is among these names: of a large table of strings only the parts that they lie in are read.
std::string elf_loading_function(const File& file, const Image& image) {
  if (!image.elf.tables.symbols.present || !image.elf.tables.strings.present) return "";
  constexpr std::size_t longest = elf_functions.back().size() + 1;
  const auto table = image.elf.tables.strings.offset;
  const auto end = std::min(image.elf.tables.declared_strings_size, image.elf.tables.strings.size);
  auto names = undefined_names(file, image);
  std::erase_if(names, [end](std::uint32_t name) { return name >= end; });
  std::array<char, 1 << 14> block;
  sort_for_blocks(names, block.size() - longest);
  std::string found;
  for (std::size_t i = 0; i < names.size();) {
    const std::uint64_t begin = names[i], wanted = std::min<std::uint64_t>(block.size(), end - begin);
    const auto got = file.read(table + begin, std::as_writable_bytes(std::span(block).first(wanted)));
    if (!got || *got != wanted) return found;
    const std::string_view texts(block.data(), wanted);
    const auto whole_up_to = begin + wanted == end ? end : begin + wanted - longest;
    for (; i < names.size() && names[i] <= whole_up_to; ++i)
      for (const auto function : elf_functions)
        if (is_name_at(texts, names[i] - begin, function) && (found.empty() || function == elf_functions.front()))
          found = function;
    if (found == elf_functions.front()) return found;
  }
  return found;
}

std::string pe_loading_function(const File& file, const Image& image) {
  const auto symbols = read_pe_symbols(file, image);
  for (const auto name : pe_functions)
    for (const auto& functions : symbols.imports)
      if (std::any_of(functions.begin(), functions.end(),
                      [&](const ImportedFunction& one) { return one.name == name; }))
        return std::string(name);
  return "";
}

/// Names that the loader meets in the file's headers.
std::set<std::string> own_names(const Image& image) {
  std::set<std::string> names;
  if (image.soname) names.insert(image.is_pe() ? folded(*image.soname) : *image.soname);
  for (const auto& needed : image.elf.needed) names.insert(needed.name);
  for (const auto& note : image.elf.dlopen_notes) names.insert(note.sonames.begin(), note.sonames.end());
  if (image.pe)
    for (const auto& dll : image.pe->imports) names.insert(folded(dll.name));
  return names;
}

}  // namespace

bool is_library_text(std::string_view text, bool of_windows) {
  if (!of_windows) return is_elf_library(text);
  constexpr std::string_view ending = ".dll";
  const auto name = folded(text);
  // API sets are parts of Windows under names that stand for them.
  return name.size() > ending.size() && name.ends_with(ending) && is_name(name) && !name.starts_with("api-ms-") &&
         !name.starts_with("ext-ms-");
}

std::string loading_function(const File& file, const Image& image) {
  return image.is_elf() ? elf_loading_function(file, image) : image.is_pe() ? pe_loading_function(file, image) : "";
}

LibraryTexts read_library_texts(const File& file, const Image& image) {
  LibraryTexts found;
  found.function = loading_function(file, image);
  if (found.function.empty()) return found;
  auto known = own_names(image);
  found.complete = visit_constant_texts(file, image, image.is_pe() ? ".dll" : ".so", most_bytes,
                                        [&](std::string_view text, std::uint64_t offset) {
                                          if (!is_library_text(text, image.is_pe()) ||
                                              !known.insert(image.is_pe() ? folded(text) : std::string(text)).second)
                                            return true;
                                          if (found.texts.size() == most_texts) return false;
                                          found.texts.push_back({std::string(text), offset});
                                          return true;
                                        });
  return found;
}

}  // namespace cudald
