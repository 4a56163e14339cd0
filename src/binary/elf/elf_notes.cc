#include "binary/elf/elf_notes.h"

#include "base/json.h"

#include <elf.h>

#include <utility>

#include <cudald/image.h>

namespace cudald {
namespace {

constexpr std::uint64_t most_note_bytes = 1 << 20;  // of one segment
constexpr std::uint64_t most_notes = 4 << 20;       // of all of them
// systemd's libraries, which name the most, have a dozen in some kilobytes.
constexpr std::uint64_t most_json_bytes = 256 << 10;
constexpr std::size_t most_sonames = 1024;
// ELF Package Metadata, dlopen notes (https://uapi-group.org/specifications/specs/elf_dlopen_metadata/).
constexpr std::uint32_t note_type_dlopen = 0x407c0c0a;
constexpr std::uint32_t property_x86_isa_needed = 0xc0008002;  // GNU_PROPERTY_X86_ISA_1_NEEDED

std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

void read_abi_tag(const ByteReader& bytes, std::uint64_t at, std::uint64_t size, Image& image) {
  if (size < 16 || image.elf.abi_note) return;
  image.elf.abi_note = AbiNote{bytes.unchecked<std::uint32_t>(at), bytes.unchecked<std::uint32_t>(at + 4),
                               bytes.unchecked<std::uint32_t>(at + 8), bytes.unchecked<std::uint32_t>(at + 12)};
}

void read_build_id(const ByteReader& bytes, std::uint64_t at, std::uint64_t size, Image& image) {
  if (image.elf.build_id || size > 64) return;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (std::uint64_t i = 0; i < size; ++i) {
    const auto byte = bytes.unchecked<std::uint8_t>(at + i);
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  image.elf.build_id = text;
}

// glibc elf/dl-load.c, _dl_process_pt_gnu_property: types ascend, and each is padded to the word.
void read_properties(const ByteReader& bytes, const ElfLayout& layout, std::uint64_t at, std::uint64_t size,
                     Image& image) {
  if (size < 8 || size % layout.word() != 0) return;
  const auto end = at + size;
  std::uint32_t last_type = 0;
  while (end - at >= 8) {
    const auto type = bytes.unchecked<std::uint32_t>(at);
    const auto length = bytes.unchecked<std::uint32_t>(at + 4);
    at += 8;
    if (type < last_type || length > end - at) return;
    last_type = type;
    if (type == property_x86_isa_needed && length == 4) image.elf.x86_isa_needed = bytes.unchecked<std::uint32_t>(at);
    const auto padded = align_up(length, layout.word());
    if (padded > end - at) return;
    at += padded;
  }
}

}  // namespace

/// Once: the first defect is enough.
void NoteReader::tell_limit(const char* message) {
  if (!std::exchange(told_, true)) image_.defects.push_back({message, std::nullopt, true});
}

void NoteReader::read_dlopen_note(const ByteReader& bytes, std::uint64_t at, std::uint64_t size) {
  if ((json_bytes_ += size) > most_json_bytes) return tell_limit("the .note.dlopen entries are longer than is read");
  const auto text = bytes.bytes(at, size);
  const auto* begin = reinterpret_cast<const char*>(text.data());
  std::string_view json(begin, text.size());
  json = json.substr(0, json.find('\0'));
  const auto parsed = parse_json(json);
  if (!parsed.is_array()) {
    constexpr std::size_t most_told = 100;
    if (++bad_notes_ > most_told) return;
    image_.defects.push_back({"a .note.dlopen entry is not the JSON it should be", std::nullopt, false});
    return;
  }
  const auto text_of = [](const nlohmann::json& entry, const char* key) {
    const auto found = entry.find(key);
    return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  for (const auto& entry : parsed) {
    if (!entry.is_object()) continue;
    DlopenNote note;
    const auto sonames = entry.find("soname");
    if (sonames != entry.end() && sonames->is_array())
      for (const auto& soname : *sonames)
        if (soname.is_string() && ++sonames_ <= most_sonames) note.sonames.push_back(soname.get<std::string>());
    if (sonames_ > most_sonames) tell_limit("the .note.dlopen entries name more libraries than are looked for");
    if (note.sonames.empty()) continue;
    note.feature = text_of(entry, "feature");
    note.description = text_of(entry, "description");
    for (const auto priority : {DlopenPriority::required, DlopenPriority::suggested})
      if (text_of(entry, "priority") == to_string(priority)) note.priority = priority;
    image_.elf.dlopen_notes.push_back(std::move(note));
  }
}

void NoteReader::read(const ProgramHeader& segment) {
  const auto alignment = segment.alignment == 8 ? 8U : 4U;
  const auto table = window_.bytes(segment.offset, std::min(segment.file_size, most_note_bytes));
  if ((bytes_ += table.size()) > most_notes) return tell_limit("the notes are longer than is read");
  const ByteReader bytes(table, image_.byte_order);
  std::uint64_t at = 0;
  while (bytes.holds(at, sizeof(Elf64_Nhdr))) {
    const auto name_size = bytes.unchecked<std::uint32_t>(at);
    const auto description_size = bytes.unchecked<std::uint32_t>(at + 4);
    const auto type = bytes.unchecked<std::uint32_t>(at + 8);
    const auto name_at = at + sizeof(Elf64_Nhdr);
    const auto description_at = align_up(name_at + name_size, alignment);
    // Tools that move notes often leave such an end behind; no loader minds.
    if (!bytes.holds(description_at, description_size)) return;
    const auto owner = bytes.string(name_at).value_or("");
    if (owner == "GNU" && type == NT_GNU_ABI_TAG) read_abi_tag(bytes, description_at, description_size, image_);
    if (owner == "GNU" && type == NT_GNU_BUILD_ID) read_build_id(bytes, description_at, description_size, image_);
    if (owner == "GNU" && type == NT_GNU_PROPERTY_TYPE_0 && alignment == layout_.word())
      read_properties(bytes, layout_, description_at, description_size, image_);
    if (owner == "FDO" && type == note_type_dlopen) read_dlopen_note(bytes, description_at, description_size);
    at = align_up(description_at + description_size, alignment);
  }
}

}  // namespace cudald
