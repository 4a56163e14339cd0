#include "report/json/image_facts.h"

#include <array>

#include <fmt/format.h>

#include <cudald/cuda_library.h>
#include <cudald/image.h>

namespace cudald {

std::string_view file_type_name(FileType type) {
  switch (type) {
    case FileType::none: return "none";
    case FileType::relocatable: return "relocatable";
    case FileType::executable: return "executable";
    case FileType::shared: return "shared";
    case FileType::core: return "core";
    case FileType::other: break;
  }
  return "other";
}

std::string pe_machine_name(const Image& image) {
  return image.machine != 0 ? machine_name(image.machine) : fmt::format("machine {:#x}", image.pe->machine);
}

namespace {

// IMAGE_FILE_* and IMAGE_DLLCHARACTERISTICS_*, as far as they change what a loader does.
std::vector<std::string> pe_flag_names(const PeFacts& pe) {
  struct Flag {
    std::uint16_t bit;
    const char* name;
  };
  constexpr std::array file_flags = {Flag{0x0001, "RELOCS_STRIPPED"}, Flag{0x0020, "LARGE_ADDRESS_AWARE"}};
  constexpr std::array dll_flags = {
      Flag{0x0020, "HIGH_ENTROPY_VA"}, Flag{0x0040, "DYNAMIC_BASE"},          Flag{0x0080, "FORCE_INTEGRITY"},
      Flag{0x0100, "NX_COMPAT"},       Flag{0x0200, "NO_ISOLATION"},          Flag{0x0400, "NO_SEH"},
      Flag{0x0800, "NO_BIND"},         Flag{0x1000, "APPCONTAINER"},          Flag{0x2000, "WDM_DRIVER"},
      Flag{0x4000, "GUARD_CF"},        Flag{0x8000, "TERMINAL_SERVER_AWARE"},
  };
  std::vector<std::string> names;
  for (const auto& flag : file_flags)
    if ((pe.characteristics & flag.bit) != 0) names.emplace_back(flag.name);
  for (const auto& flag : dll_flags)
    if ((pe.dll_characteristics & flag.bit) != 0) names.emplace_back(flag.name);
  return names;
}

}  // namespace

std::vector<std::string> flag_names(const Image& image) {
  if (image.is_pe()) return pe_flag_names(*image.pe);
  std::vector<std::string> names;
  const auto add_if = [&names](bool set, const char* name) {
    if (set) names.emplace_back(name);
  };
  add_if(image.elf.symbolic, "SYMBOLIC");
  add_if(image.elf.bind_now, "BIND_NOW");
  add_if(image.elf.static_tls, "STATIC_TLS");
  add_if(image.elf.text_relocations, "TEXTREL");
  add_if((image.elf.flags_1 & df_1_nodeflib) != 0, "NODEFLIB");
  add_if((image.elf.flags_1 & df_1_noopen) != 0, "NOOPEN");
  add_if((image.elf.flags_1 & df_1_pie) != 0, "PIE");
  add_if(image.elf.executable_stack.value_or(false), "EXECSTACK");
  return names;
}

// GNU_PROPERTY_X86_ISA_1_BASELINE and its followers, x86-64 psABI.
std::vector<std::string> isa_names(const Image& image) {
  constexpr std::array levels = {"x86-64-baseline", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
  std::vector<std::string> names;
  for (std::size_t bit = 0; bit < levels.size(); ++bit)
    if ((image.elf.x86_isa_needed.value_or(0) >> bit & 1) != 0) names.emplace_back(levels[bit]);
  return names;
}

Json cuda_json(const CudaLibrary* library) {
  if (library == nullptr) return nullptr;
  return JsonObject(8)
      .add("kind", to_string(library->kind))
      .add("part", json_text_or_null(library->part))
      .add("version", json_text_or_null(library->version))
      .add("release", json_text_or_null(library->release))
      .add("built_for_cuda", json_text_or_null(library->built_for_cuda))
      .add("stub", library->stub)
      .add("static", library->is_static)
      .add("evidence", json_texts(library->evidence))
      .take();
}

std::string cuda_words(const CudaLibrary& library) {
  std::string words(product_name(library.kind));
  if (!library.version.empty()) words += " " + library.version;
  if (!library.release.empty()) words += " (" + library.release + ")";
  if (!library.part.empty()) words += ", part " + library.part;
  if (library.stub) words += ", the toolkit's stub";
  if (library.is_static) words += ", linked into it";
  if (!library.built_for_cuda.empty()) words += ", built for CUDA " + library.built_for_cuda;
  return words;
}

Json gpu_json(const GpuCode* code) {
  if (code == nullptr || code->empty()) return nullptr;
  const auto counts = [](const GpuEntries& entries) {
    JsonObject fields(entries.size());
    for (const auto& [architecture, count] : entries) fields.add(to_string(architecture).c_str(), count);
    return std::move(fields).take();
  };
  return JsonObject(2).add("sass", counts(code->sass)).add("ptx", counts(code->ptx)).take();
}

}  // namespace cudald
