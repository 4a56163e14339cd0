#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/elf_builder.h"

namespace cudald {

/// A library with functions of this code.
struct LibrarySpec {
  std::string soname, version_node;
  std::vector<std::pair<std::string, std::string>> functions;
  std::uint16_t machine = EM_X86_64;
  ElfHash hash = ElfHash::gnu;
};

inline std::string library(const LibrarySpec& spec) {
  ElfSpec file;
  file.machine = spec.machine;
  file.hash = spec.hash;
  if (!spec.soname.empty()) file.soname = spec.soname;
  if (!spec.version_node.empty()) file.defines_versions = {spec.version_node};
  // The code stands in a note: its place is known once the file is built.
  constexpr std::size_t room = 1024;
  std::string code;
  for (const auto& [name, bytes] : spec.functions) {
    file.defines.push_back({name, spec.version_node});
    code += bytes + std::string(room - bytes.size(), '\0');
  }
  file.notes = {{"code", 1, code}};
  const auto place = build_elf(file).at.at("notes") + 12 + 8;
  for (std::size_t i = 0; i < file.defines.size(); ++i) file.defines[i].value = file.base_address + place + i * room;
  return elf(file);
}

/// `mov eax, number; ret`
inline std::string answer(std::uint32_t number) {
  std::string code = "\xb8";
  append(code, number);
  return code + '\xc3';
}

/// `mov dword [rdi], number; xor eax, eax; ret`
inline std::string store(std::uint32_t number, char base = '\x07') {
  std::string code = std::string("\xc7") + base;
  append(code, number);
  return code + "\x31\xc0\xc3";
}

}  // namespace cudald
