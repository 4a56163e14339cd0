// Edits of the dynamic section of a program or shared library, as the loader reads it. A text that fits where the old
// one is replaces it, if nothing else refers to these bytes; one that the table of strings has already is used; else
// the table is copied to where there is room, and the old one stays as it is. Section headers follow, for the tools
// that read them.
// Source: System V ABI, chapters 4 and 5; the real loader judges the results (tests/differential/edited_files.py).
#include "rewrite/edit_elf.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/budget.h"
#include "binary/bytes/file_window.h"
#include "rewrite/elf_growth.h"
#include "rewrite/elf_parts.h"
#include "rewrite/elf_patches.h"
#include "rewrite/verify_edit.h"

namespace cudald {
namespace {

constexpr std::uint64_t unplaced = UINT64_MAX;  ///< a string that is about to get a new place
constexpr std::size_t longest_text = 1 << 16;
constexpr std::size_t spare_entries = 4;  ///< of a dynamic table that moves, for later edits

class ElfEditor {
 public:
  ElfEditor(const File& file, ElfParts parts, const std::string& path)
      : file_(file),
        path_(path),
        parts_(std::move(parts)),
        old_strings_(parts_.strings),
        patches_(parts_.layout, parts_.order) {}

  Result<EditedElf> edit(const ElfEdits& edits, std::uint64_t largest_bss) {
    if (!read_headers()) return fault("the program headers cannot be read");
    for (const auto& [from, to] : edits.renamed)
      if (!rename(from, to)) return fault(fmt::format("it does not need {} (DT_NEEDED)", from));
    for (const auto& name : edits.added) add_need(name);
    if (edits.search_path) set_search_path(*edits.search_path);
    if (edits.soname) set_string(DT_SONAME, *edits.soname);
    if (edits.clear_executable_stack && !clear_executable_stack())
      return fault("it has no PT_GNU_STACK header whose flag could be cleared: link it again with -z noexecstack");
    return write(largest_bss);
  }

 private:
  Error fault(std::string message) const { return {ErrorCode::malformed, std::move(message), path_}; }

  bool read_headers() {
    FileWindow window(file_, parts_.order);
    const auto size = parts_.segments.size() * parts_.layout.program_header_size();
    const auto bytes = window.bytes(parts_.program_headers_at, size);
    headers_.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return bytes.size() == size;
  }

  bool has_string(const DynamicEntry& entry, std::uint64_t tag, const std::string& text) const {
    return entry.tag == tag && parts_.string_at(entry.value) == text;
  }

  /// Whether something refers to bytes [begin, end) of the strings, beside what is about to get a new place.
  bool is_used(std::uint64_t begin, std::uint64_t end) {
    const auto is_in = [&](std::uint64_t string) { return string >= begin && string < end; };
    return std::any_of(parts_.dynamic.begin(), parts_.dynamic.end(),
                       [&](const auto& each) { return names_string(each.tag) && is_in(each.value); }) ||
           std::any_of(parts_.version_strings.begin(), parts_.version_strings.end(),
                       [&](const auto& each) { return is_in(each.string) && !replaced_.contains(each.at); }) ||
           symbols_use(file_, parts_, begin, end);
  }

  /// The offset of a string that says `text`; `old` is that of the string that is given up for it.
  std::uint64_t place(const std::string& text, std::uint64_t old) {
    auto& strings = parts_.strings;
    const std::string ended = text + '\0';
    if (const auto found = strings.find(ended); found != std::string::npos) return found;
    if (old < strings.size()) {
      const auto size = parts_.string_at(old).size();
      const bool is_whole = old > 0 && strings[old - 1] == '\0';
      if (text.size() <= size && is_whole && !is_used(old, old + size)) {
        strings.replace(old, size, text + std::string(size - text.size(), '\0'));
        return old;
      }
    }
    grown_ = true;
    strings += ended;
    return strings.size() - ended.size();
  }

  bool rename(const std::string& from, const std::string& to) {
    std::uint64_t old = unplaced;
    for (auto& entry : parts_.dynamic)
      if (has_string(entry, DT_NEEDED, from)) old = std::exchange(entry.value, unplaced);
    if (old == unplaced) return false;
    std::vector<VersionString*> files;
    for (auto& each : parts_.version_strings)
      if (each.is_needed_file && parts_.string_at(each.string) == from) {
        files.push_back(&each);
        replaced_.insert(each.at);
      }
    const auto string = place(to, old);
    for (auto& entry : parts_.dynamic)
      if (entry.tag == DT_NEEDED && entry.value == unplaced) entry.value = string;
    for (auto* each : files) {
      each->string = static_cast<std::uint32_t>(string);
      replaced_.erase(each->at);
      patches_.put32(each->at, string);
    }
    return true;
  }

  void add_need(const std::string& name) {
    auto& dynamic = parts_.dynamic;
    auto behind = dynamic.begin();
    for (auto entry = dynamic.begin(); entry != dynamic.end(); ++entry) {
      if (has_string(*entry, DT_NEEDED, name)) return;
      if (entry->tag == DT_NEEDED) behind = entry + 1;
    }
    const auto number = behind - dynamic.begin();
    const auto string = place(name, unplaced);
    dynamic.insert(dynamic.begin() + number, {DT_NEEDED, string});
  }

  /// Of several entries with one tag the last one counts; all get the text.
  void set_string(std::uint64_t tag, const std::string& text) {
    std::uint64_t old = unplaced;
    for (auto& entry : parts_.dynamic)
      if (entry.tag == tag) old = std::exchange(entry.value, unplaced);
    const bool is_new = old == unplaced;
    const auto string = place(text, old);
    for (auto& entry : parts_.dynamic)
      if (entry.tag == tag) entry.value = string;
    if (is_new) parts_.dynamic.push_back({tag, string});
  }

  void set_search_path(const std::string& text) {
    const bool is_rpath = parts_.value(DT_RPATH) && !parts_.value(DT_RUNPATH);
    if (!text.empty()) return set_string(is_rpath ? DT_RPATH : DT_RUNPATH, text);
    std::erase_if(parts_.dynamic, [](const auto& each) { return each.tag == DT_RPATH || each.tag == DT_RUNPATH; });
  }

  bool clear_executable_stack() {
    for (std::size_t i = 0; i < parts_.segments.size(); ++i) {
      if (parts_.segments[i].type != PT_GNU_STACK) continue;
      const auto at = i * parts_.layout.program_header_size() + ElfFields{parts_.layout.is_64}.segment_flags();
      headers_.replace(at, 4, number_bytes(parts_.segments[i].flags & ~std::uint32_t{PF_X}, 4, parts_.order));
      return true;
    }
    return false;
  }

  std::string dynamic_bytes(std::size_t room) const {
    std::string bytes;
    const auto word = parts_.layout.word();
    for (const auto& entry : parts_.dynamic)
      bytes += number_bytes(entry.tag, word, parts_.order) + number_bytes(entry.value, word, parts_.order);
    bytes.resize(room * parts_.layout.dynamic_size());
    return bytes;
  }

  void set_value(std::uint64_t tag, std::uint64_t value) {
    for (auto& entry : parts_.dynamic)
      if (entry.tag == tag) entry.value = value;
  }

  /// The section headers of a table that moves.
  void move_section(std::uint32_t type, std::uint64_t old, std::uint64_t address, std::uint64_t offset,
                    std::uint64_t size) {
    const ElfFields fields{parts_.layout.is_64};
    for (std::size_t i = 0; i < parts_.sections.size(); ++i) {
      const auto& section = parts_.sections[i];
      if (section.type != type || !section.is_mapped() || section.address != old) continue;
      const auto at = parts_.section_headers_at + i * fields.section_header_size();
      patches_.put_word(at + fields.section_address(), address);
      patches_.put_word(at + fields.section_offset(), offset);
      patches_.put_word(at + fields.section_size(), size);
    }
  }

  /// What changed in the strings, where they are.
  void patch_strings() {
    const auto& strings = parts_.strings;
    const auto first = std::mismatch(strings.begin(), strings.end(), old_strings_.begin()).first;
    if (first == strings.end()) return;
    const auto last = std::mismatch(strings.rbegin(), strings.rend(), old_strings_.rbegin()).first.base();
    patches_.put(parts_.strings_at + static_cast<std::uint64_t>(first - strings.begin()), std::string(first, last));
  }

  /// The tables that move, one behind the other, as they begin at the given place.
  std::string moved_tables(std::uint64_t address, std::uint64_t offset, bool moves_dynamic) {
    std::string tables;
    if (grown_) {
      tables = parts_.strings;
      set_value(DT_STRTAB, address);
      set_value(DT_STRSZ, tables.size());
      move_section(SHT_STRTAB, parts_.strings_address, address, offset, tables.size());
    }
    if (!moves_dynamic) return tables;
    tables.resize((tables.size() + 15) / 16 * 16);
    address += tables.size();
    offset += tables.size();
    const auto bytes = dynamic_bytes(parts_.dynamic.size() + 1 + spare_entries);
    const auto& old = parts_.segments[parts_.dynamic_segment];
    move_section(SHT_DYNAMIC, old.address, address, offset, bytes.size());
    const ElfFields fields{parts_.layout.is_64};
    const auto header = parts_.dynamic_segment * parts_.layout.program_header_size(), word = parts_.layout.word();
    for (const auto& [field, value] : {std::pair(fields.segment_offset(), offset),
                                       {fields.segment_address(), address},
                                       {fields.segment_physical(), address},
                                       {fields.segment_file_size(), std::uint64_t{bytes.size()}},
                                       {fields.segment_memory_size(), std::uint64_t{bytes.size()}}})
      headers_.replace(header + field, word, number_bytes(value, word, parts_.order));
    return tables + bytes;
  }

  Result<EditedElf> write(std::uint64_t largest_bss) {
    EditedElf edited;
    const bool moves_dynamic = parts_.dynamic.size() + 1 > parts_.dynamic_room;
    if (!grown_) patch_strings();
    if (!grown_ && !moves_dynamic) {
      patches_.put(parts_.dynamic_at, dynamic_bytes(parts_.dynamic_room));
      patches_.put(parts_.program_headers_at, headers_);
      patches_.append(0, parts_.file_size, edited.pieces);
    } else {
      const bool written_to = (parts_.segments[parts_.dynamic_segment].flags & PF_W) != 0;
      const auto growth = find_growth(parts_, moves_dynamic && written_to, largest_bss, path_);
      if (!growth) return growth.error();
      const auto front = room_for_headers(parts_, *growth);
      const auto tables = moved_tables(growth->address + front, growth->offset + front, moves_dynamic);
      if (!moves_dynamic) patches_.put(parts_.dynamic_at, dynamic_bytes(parts_.dynamic_room));
      edited.room = growth->room;
      edited.pieces = grown_file(parts_, *growth, headers_, tables, patches_);
    }
    if (patches_.overlap()) return fault("its tables overlap one another");
    for (const auto& piece : edited.pieces) edited.growth += piece.size;
    edited.growth -= parts_.file_size;
    return edited;
  }

  const File& file_;
  const std::string& path_;
  ElfParts parts_;
  std::string old_strings_, headers_;  ///< of the file; the program headers with what is changed in them
  ElfPatches patches_;
  std::set<std::uint64_t> replaced_;  ///< fields whose string is about to get a new place
  bool grown_ = false;                ///< the strings no longer fit where they are
};

std::optional<std::string> unusable_text(const ElfEdits& edits) {
  std::vector<std::string> texts = edits.added;
  for (const auto& [from, to] : edits.renamed) texts.push_back(to);
  if (edits.soname) texts.push_back(*edits.soname);
  if (std::find(texts.begin(), texts.end(), "") != texts.end()) return "the name of a library cannot be empty";
  texts.push_back(edits.search_path.value_or(""));
  for (const auto& text : texts)
    if (text.size() > longest_text || text.find('\0') != std::string::npos)
      return "a new text is too long or holds a 0";
  return std::nullopt;
}

}  // namespace

Result<EditedElf> edit_elf(std::shared_ptr<const File> file, const std::string& path, const ElfEdits& edits,
                           std::uint64_t largest_bss) {
  if (auto fault = unusable_text(edits)) return Error{ErrorCode::usage, std::move(*fault), path};
  auto parts = read_elf_parts(*file, path);
  if (!parts) return parts.error();
  auto edited = ElfEditor(*file, std::move(*parts), path).edit(edits, largest_bss);
  if (!edited) return edited;
  if (auto fault = fault_of_edit(file, edits, *edited)) return Error{ErrorCode::malformed, std::move(*fault), path};
  return edited;
}

}  // namespace cudald
