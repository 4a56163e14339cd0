// What an edit has to know of an ELF file. It is stricter than the reader of binary/elf/, which judges files as loaders
// do: what contradicts itself here is not edited.
// Source: System V ABI, chapters 4 and 5; "Symbol Versioning" of the LSB.
#include "rewrite/elf_parts.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/budget.h"
#include "binary/bytes/file_window.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_strings = std::uint64_t{128} << 20;  // the longest that was seen has 30 MB

class PartsReader {
 public:
  PartsReader(const File& file, const std::string& path) : file_(file), path_(path) {}

  Result<ElfParts> read() {
    for (const auto step : {&PartsReader::read_header, &PartsReader::read_segments, &PartsReader::read_sections,
                            &PartsReader::read_dynamic, &PartsReader::read_strings, &PartsReader::read_versions})
      if (const auto* fault = (this->*step)()) return Error{ErrorCode::malformed, fault, path_};
    if (budget_.exhausted()) {
      auto error = budget_.error();
      error.path = path_;
      return error;
    }
    return std::move(parts_);
  }

 private:
  using Fault = const char*;
  static constexpr Fault none = nullptr;

  FileWindow window() { return FileWindow(file_, parts_.order, &budget_); }

  std::uint64_t word(FileWindow& window, std::uint64_t at) const {
    return parts_.layout.is_64 ? window.number<std::uint64_t>(at).value_or(0)
                               : window.number<std::uint32_t>(at).value_or(0);
  }

  bool is_in_file(std::uint64_t offset, std::uint64_t size) const {
    return offset <= parts_.file_size && size <= parts_.file_size - offset;
  }

  Fault read_header() {
    parts_.file_size = file_.status().size;
    FileWindow first(file_, ByteOrder::little, &budget_);
    if (first.number<std::uint32_t>(0) != 0x464c457f) return "not an ELF file";
    const auto file_class = first.number<std::uint8_t>(EI_CLASS), data = first.number<std::uint8_t>(EI_DATA);
    if ((file_class != ELFCLASS32 && file_class != ELFCLASS64) || (data != ELFDATA2LSB && data != ELFDATA2MSB))
      return "an ELF file of unknown class or byte order";
    parts_.layout.is_64 = file_class == ELFCLASS64;
    parts_.order = data == ELFDATA2LSB ? ByteOrder::little : ByteOrder::big;
    if (!is_in_file(0, parts_.layout.header_size())) return "the ELF header is cut short";
    auto window = this->window();
    parts_.type = *window.number<std::uint16_t>(16);
    parts_.machine = *window.number<std::uint16_t>(18);
    if (parts_.type != ET_EXEC && parts_.type != ET_DYN) return "neither a program nor a shared library";
    // DT_MIPS_RLD_MAP_REL counts from its own entry: the table cannot be moved without more knowledge.
    if (parts_.machine == EM_MIPS) return "files for MIPS cannot be edited";
    return none;
  }

  Fault read_segments() {
    const auto& layout = parts_.layout;
    auto window = this->window();
    parts_.program_headers_at = word(window, 24 + layout.word());
    const auto tail = 24 + 3 * layout.word();
    const auto size = layout.program_header_size();
    const std::size_t count = window.number<std::uint16_t>(tail + 8).value_or(0);
    if (window.number<std::uint16_t>(tail + 6) != size || count == 0 || count > most_segments)
      return "the number or size of its program headers is unusual";
    if (!is_in_file(parts_.program_headers_at, count * size)) return "the program headers run past the end of the file";
    const auto bytes = window.bytes(parts_.program_headers_at, count * size);
    if (bytes.size() != count * size) return "the program headers cannot be read";
    for (std::size_t i = 0; i < count; ++i)
      parts_.segments.push_back(program_header_at(layout, ByteReader(bytes, parts_.order), i * size));
    return check_segments();
  }

  Fault check_segments() {
    const ProgramHeader* before = nullptr;
    bool has_dynamic = false;
    for (std::size_t i = 0; i < parts_.segments.size(); ++i) {
      const auto& segment = parts_.segments[i];
      if (segment.type == PT_DYNAMIC && std::exchange(has_dynamic, true)) return "it has two dynamic segments";
      if (segment.type == PT_DYNAMIC) parts_.dynamic_segment = i;
      if (segment.type != PT_LOAD) continue;
      const auto most = parts_.layout.is_64 ? std::uint64_t{1} << 62 : std::uint64_t{1} << 32;
      if (segment.address >= most || segment.memory_size >= most - segment.address ||
          segment.file_size > segment.memory_size || !is_in_file(segment.offset, segment.file_size))
        return "a load segment is damaged";
      if (segment.alignment > 1 && (segment.alignment & (segment.alignment - 1)) != 0)
        return "the alignment of a load segment is not a power of two";
      if (before != nullptr && segment.address < before->address + before->memory_size)
        return "its load segments overlap or are not in the order of their addresses";
      before = &segment;
      parts_.last_load = i;
    }
    if (before == nullptr) return "it has no load segment";
    return has_dynamic ? none : "it has no dynamic section: it is linked statically";
  }

  Fault read_sections() {
    const auto& layout = parts_.layout;
    auto window = this->window();
    parts_.section_headers_at = word(window, 24 + 2 * layout.word());
    if (parts_.section_headers_at == 0) return none;
    const auto tail = 24 + 3 * layout.word();
    const auto size = layout.is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
    std::uint64_t count = window.number<std::uint16_t>(tail + 12).value_or(0);
    if (count == 0) return none;
    if (window.number<std::uint16_t>(tail + 10) != size) return "the size of its section headers is unusual";
    if (!is_in_file(parts_.section_headers_at, count * size)) return "the section headers run past the end of the file";
    const std::size_t word_size = layout.word();
    for (auto at = parts_.section_headers_at; count-- > 0; at += size) {
      SectionHeader section;
      section.type = window.number<std::uint32_t>(at + 4).value_or(0);
      section.flags = word(window, at + 8);
      section.address = word(window, at + 8 + word_size);
      section.offset = word(window, at + 8 + 2 * word_size);
      section.size = word(window, at + 8 + 3 * word_size);
      section.alignment = word(window, at + 16 + 4 * word_size);
      if (section.has_bytes() && !is_in_file(section.offset, section.size))
        return "a section runs past the end of the file";
      parts_.sections.push_back(section);
    }
    return none;
  }

  Fault read_dynamic() {
    const auto& segment = parts_.segments[parts_.dynamic_segment];
    const auto at = parts_.offset_of(segment.address, segment.file_size);
    if (!at || *at != segment.offset || segment.file_size == 0) return "the dynamic section is in no load segment";
    parts_.dynamic_at = *at;
    const auto size = parts_.layout.dynamic_size();
    auto window = this->window();
    const auto entry = [&](std::size_t number) {
      const auto place = *at + number * size;
      return DynamicEntry{word(window, place), word(window, place + parts_.layout.word())};
    };
    const auto room = segment.file_size / size;
    std::size_t count = 0;
    for (; count < room && budget_.keep(size); ++count) {
      const auto each = entry(count);
      if (each.tag == DT_NULL) break;
      parts_.dynamic.push_back(each);
    }
    if (count == room) return "the dynamic section has no DT_NULL at its end";
    parts_.dynamic_room = count + 1;
    for (; parts_.dynamic_room < room; ++parts_.dynamic_room)
      if (const auto each = entry(parts_.dynamic_room); each.tag != DT_NULL || each.value != 0) break;
    return none;
  }

  Fault read_strings() {
    const auto address = parts_.value(DT_STRTAB), size = parts_.value(DT_STRSZ);
    if (!address || !size || *size == 0 || *size > most_strings) return "it has no table of strings (DT_STRTAB)";
    const auto at = parts_.offset_of(*address, *size);
    if (!at) return "its table of strings (DT_STRTAB) is in no load segment";
    parts_.strings_at = *at;
    parts_.strings_address = *address;
    if (!budget_.keep(*size)) return none;
    parts_.strings.resize(*size);
    const auto got = file_.read(*at, std::as_writable_bytes(std::span(parts_.strings)));
    if (!got || *got != *size) return "its table of strings (DT_STRTAB) cannot be read";
    if (parts_.strings.back() != '\0') return "its table of strings (DT_STRTAB) has no end";
    for (const auto& entry : parts_.dynamic)
      if (names_string(entry.tag) && entry.value >= *size)
        return "the dynamic section names a string outside DT_STRTAB";
    return none;
  }

  /// The strings of a chain of records, which are as long as their first fields: `string_at` is the field of a record.
  Fault read_chain(FileWindow& window, std::uint64_t at, std::uint64_t string_at, std::uint64_t next_at, bool is_file,
                   const std::function<Fault(std::uint64_t)>& visit) {
    for (;;) {
      const auto next = window.number<std::uint32_t>(at + next_at);
      if (!next || !budget_.keep(sizeof(VersionString))) return "a table of versions is damaged";
      if (string_at != no_string) {
        const auto string = window.number<std::uint32_t>(at + string_at).value_or(0);
        if (string >= parts_.strings.size()) return "a version names a string outside DT_STRTAB";
        parts_.version_strings.push_back({at + string_at, string, is_file});
      }
      if (visit)
        if (const auto* fault = visit(at)) return fault;
      if (*next == 0) return none;
      at += *next;
    }
  }

  Fault read_versions() {
    auto window = this->window();
    if (const auto needs = parts_.value(DT_VERNEED)) {
      const auto at = parts_.offset_of(*needs, 16);
      if (!at) return "its table of needed versions is in no load segment";
      const auto* fault = read_chain(window, *at, 4, 12, true, [&](std::uint64_t record) {
        const auto first = record + window.number<std::uint32_t>(record + 8).value_or(0);
        return read_chain(window, first, 8, 12, false, {});
      });
      if (fault != none) return fault;
    }
    const auto definitions = parts_.value(DT_VERDEF);
    if (!definitions) return none;
    const auto at = parts_.offset_of(*definitions, 20);
    if (!at) return "its table of defined versions is in no load segment";
    return read_chain(window, *at, no_string, 16, false, [&](std::uint64_t record) {
      const auto first = record + window.number<std::uint32_t>(record + 12).value_or(0);
      return read_chain(window, first, 0, 4, false, {});
    });
  }

  static constexpr std::uint64_t no_string = UINT64_MAX;

  const File& file_;
  const std::string& path_;
  ElfParts parts_;
  Budget budget_{limits_of_one_file};
};

}  // namespace

bool names_string(std::uint64_t tag) {
  return tag == DT_NEEDED || tag == DT_SONAME || tag == DT_RPATH || tag == DT_RUNPATH || tag == DT_FILTER ||
         tag == DT_AUXILIARY || tag == DT_AUDIT || tag == DT_DEPAUDIT || tag == DT_CONFIG;
}

bool ElfParts::has_segment(std::uint32_t segment_type) const {
  return std::any_of(segments.begin(), segments.end(),
                     [&](const ProgramHeader& each) { return each.type == segment_type; });
}

std::optional<std::uint64_t> ElfParts::value(std::uint64_t tag) const {
  for (auto entry = dynamic.rbegin(); entry != dynamic.rend(); ++entry)
    if (entry->tag == tag) return entry->value;
  return std::nullopt;
}

std::optional<std::uint64_t> ElfParts::offset_of(std::uint64_t address, std::uint64_t size) const {
  for (const auto& segment : segments)
    if (segment.type == PT_LOAD && address >= segment.address && address - segment.address <= segment.file_size &&
        size <= segment.file_size - (address - segment.address))
      return segment.offset + (address - segment.address);
  return std::nullopt;
}

std::string ElfParts::string_at(std::uint64_t offset) const {
  return offset < strings.size() ? std::string(strings.c_str() + offset) : "";
}

Result<ElfParts> read_elf_parts(const File& file, const std::string& path) { return PartsReader(file, path).read(); }

}  // namespace cudald
