#include "common/fatbin_file.h"

#include <elf.h>

namespace cudald {
namespace {

void pad(std::string& bytes) { bytes.resize((bytes.size() + 7) / 8 * 8); }

}  // namespace

std::string fatbin(const std::vector<FatbinEntry>& entries) {
  std::string all;
  for (const auto& entry : entries) {
    std::string header;
    append(header, entry.kind);
    append(header, std::uint16_t{0x101});
    append(header, entry.header_size);
    append(header, entry.code_size);
    header.resize(28);
    append(header, entry.number);
    header.resize(40);
    const std::uint64_t letter = entry.suffix == 'a' ? 0x100000 : entry.suffix == 'f' ? 0x200000 : 0;
    append(header, letter | 0x11);
    header.resize(entry.header_size + entry.code_size);
    all += header;
  }
  std::string container;
  append(container, std::uint32_t{0xba55ed50});
  append(container, std::uint16_t{1});
  append(container, std::uint16_t{16});
  append(container, std::uint64_t{all.size()});
  return container + all;
}

std::string with_sections(std::string elf, const Sections& sections) {
  std::string names(1, '\0');
  std::vector<Elf64_Shdr> headers(1);
  const auto add = [&](const std::string& name, std::uint32_t type, const std::string& bytes) {
    pad(elf);
    Elf64_Shdr header = {};
    header.sh_name = static_cast<std::uint32_t>(names.size());
    header.sh_type = type;
    if (name == ".text") header.sh_flags = SHF_EXECINSTR;
    header.sh_offset = elf.size();
    header.sh_size = bytes.size();
    headers.push_back(header);
    names += name + '\0';
    elf += bytes;
  };
  for (const auto& [name, bytes] : sections) add(name, SHT_PROGBITS, bytes);
  add(".shstrtab", SHT_STRTAB, names + ".shstrtab" + '\0');
  pad(elf);
  poke(elf, 40, std::uint64_t{elf.size()});
  poke(elf, 58, static_cast<std::uint16_t>(sizeof(Elf64_Shdr)));
  poke(elf, 60, static_cast<std::uint16_t>(headers.size()));
  poke(elf, 62, static_cast<std::uint16_t>(headers.size() - 1));
  elf.append(reinterpret_cast<const char*>(headers.data()), headers.size() * sizeof(Elf64_Shdr));
  return elf;
}

std::string gpu_library(const ElfSpec& spec, const std::vector<FatbinEntry>& entries) {
  return with_sections(elf(spec), {{".nv_fatbin", fatbin(entries)}, {".nvFatBinSegment", std::string(24, '\0')}});
}

}  // namespace cudald
