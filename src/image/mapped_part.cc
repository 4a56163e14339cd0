#include "image/mapped_part.h"

#include <elf.h>
#include <algorithm>

#include "base/byte_reader.h"

namespace cudald {

std::string_view mapped_part(std::string_view bytes) {
  const ByteReader reader(std::as_bytes(std::span(bytes)), ByteOrder::little);
  if (!bytes.starts_with(ELFMAG) || reader.number<std::uint8_t>(EI_CLASS) != ELFCLASS64 ||
      reader.number<std::uint8_t>(EI_DATA) != ELFDATA2LSB)
    return bytes;
  const auto table = reader.number<std::uint64_t>(offsetof(Elf64_Ehdr, e_phoff)).value_or(0);
  const auto count = reader.number<std::uint16_t>(offsetof(Elf64_Ehdr, e_phnum)).value_or(0);
  std::uint64_t end = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto at = table + i * sizeof(Elf64_Phdr);
    if (at < table || reader.number<std::uint32_t>(at) != PT_LOAD) continue;
    const auto begin = reader.number<std::uint64_t>(at + offsetof(Elf64_Phdr, p_offset)).value_or(0);
    const auto size = reader.number<std::uint64_t>(at + offsetof(Elf64_Phdr, p_filesz)).value_or(0);
    if (reader.holds(begin, size)) end = std::max(end, begin + size);
  }
  return end == 0 ? bytes : bytes.substr(0, end);
}

}  // namespace cudald
