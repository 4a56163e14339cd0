#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/elf_builder.h"
#include "common/fatbin_file.h"

namespace cudald {

/// A library with functions of this code.
struct LibrarySpec {
  std::string soname, version_node;
  std::vector<std::pair<std::string, std::string>> functions;
  std::uint16_t machine = EM_X86_64;
  ElfHash hash = ElfHash::gnu;
  ElfSpec rest = {};  ///< what else the file says
};

inline std::string library(const LibrarySpec& spec) {
  ElfSpec file = spec.rest;
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

// Stand-ins for libraries of CUDA: their own functions say which release they are, as those of the real ones do.

/// A runtime, "libcudart.so.12" of 12040.
inline std::string cuda_runtime(const std::string& soname, std::uint32_t release) {
  return library({soname, soname, {{"cudaRuntimeGetVersion", store(release)}, {"cudaGetDeviceCount", ""}}});
}

/// A library with kernels and a runtime linked in.
inline std::string with_linked_runtime(std::uint32_t release, const ElfSpec& rest = {},
                                       const std::vector<FatbinEntry>& code = {{}}) {
  LibrarySpec spec{"",
                   "",
                   {{"table", "CUDA driver version is insufficient for CUDA runtime version"},
                    {"version", "\x48\x85\xff\x74\x0b" + store(release)}}};
  spec.rest = rest;
  return with_sections(library(spec), {{".nv_fatbin", fatbin(code)}, {".nvFatBinSegment", std::string(24, '\0')}});
}

/// A part of cuDNN, "libcudnn_graph.so.9" of 91002 for 12090.
inline std::string cudnn_part(const std::string& soname, std::uint32_t release, std::uint32_t built_for = 0) {
  LibrarySpec spec{soname, soname, {{"cudnnGetVersion", answer(release)}}};
  if (built_for != 0) spec.functions.push_back({"cudnnGetCudartVersion", answer(built_for)});
  return library(spec);
}

/// The driver's library as its package has it.
inline std::string cuda_driver(const std::string& version) {
  return with_sections(library({"libcuda.so.1", "", {{"cuInit", answer(0)}, {"cuDriverGetVersion", answer(0)}}}),
                       {{".rodata", '\0' + ("nvidia-application-profiles-" + version + "-rc") + '\0'}});
}

/// The driver's library as the toolkit has it, for linking alone.
inline std::string driver_stub() {
  return library({"libcuda.so.1", "", {{"cuInit", answer(34)}, {"cuDriverGetVersion", answer(34)}}});
}

}  // namespace cudald
