// Our own reading of a file, through the library's headers alone.

#include <elf.h>

#include <algorithm>

#include <cudald/cudald.h>

#include "facts.h"

namespace second_reader {
namespace {

using cudald::Image;

void take_segments(const cudald::ElfFacts& elf, Facts& facts) {
  const auto decimal = [](std::uint64_t value) { return std::to_string(value); };
  for (const auto& segment : elf.load_segments)
    facts["load segments"].push_back(decimal(segment.offset) + "+" + decimal(segment.file_size) + " at " +
                                     decimal(segment.address) + "+" + decimal(segment.memory_size) + " by " +
                                     decimal(segment.alignment) + (segment.writable ? " writable" : ""));
  if (elf.has_dynamic_segment) facts["dynamic segment"] = {"there"};
  if (elf.tls_size != 0) facts["thread-local bytes"] = {decimal(elf.tls_size)};
  if (elf.executable_stack) facts["stack"] = {*elf.executable_stack ? "executable" : "not executable"};
}

void take_versions(const cudald::ElfFacts& elf, Facts& facts) {
  for (const auto& need : elf.version_needs)
    for (const auto& version : need.versions)
      facts["version needs"].push_back(version.name + " of " + need.file + " as " +
                                       std::to_string(version.index | (version.hidden ? 0x8000 : 0)) + " hash " +
                                       std::to_string(version.hash) + (version.weak ? " weak" : ""));
  for (const auto& definition : elf.version_definitions)
    facts["version definitions"].push_back(definition.name + " as " + std::to_string(definition.index) + " hash " +
                                           std::to_string(definition.hash) + (definition.base ? " base" : ""));
}

Facts facts_of_elf(const Image& image) {
  Facts facts;
  const auto& elf = image.elf;
  facts["format"] = {std::string(image.format_name())};
  facts["byte order"] = {image.byte_order == cudald::ByteOrder::big ? "big" : "little"};
  facts["machine"] = {std::to_string(image.machine)};
  facts["OS ABI"] = {std::to_string(elf.header.os_abi)};
  facts["header flags"] = {std::to_string(elf.header.flags)};
  if (elf.interpreter) facts["interpreter"] = {*elf.interpreter};
  for (const auto& needed : elf.needed)
    if (needed.tag == cudald::NeededTag::needed) facts["needed"].push_back(needed.name);
  if (image.soname) facts["soname"] = {*image.soname};
  if (elf.rpath) facts["rpath"] = {*elf.rpath};
  if (elf.runpath) facts["runpath"] = {*elf.runpath};
  if (elf.flags_1 != 0) facts["flags_1"] = {std::to_string(elf.flags_1)};
  take_segments(elf, facts);
  take_versions(elf, facts);
  return facts;
}

std::string name_of(const std::string& name, std::uint32_t ordinal) {
  return name.empty() ? "#" + std::to_string(ordinal) : name;
}

Facts facts_of_pe(const Image& image, const cudald::PeSymbols& symbols) {
  Facts facts;
  const auto& pe = *image.pe;
  facts["format"] = {std::string(image.format_name())};
  facts["machine"] = {std::to_string(pe.machine)};
  facts["image base"] = {std::to_string(pe.image_base)};
  facts["subsystem"] = {std::to_string(pe.subsystem)};
  for (const auto& section : pe.sections)
    facts["sections"].push_back(std::to_string(section.offset) + "+" + std::to_string(section.file_size) + " at " +
                                std::to_string(section.address) + "+" + std::to_string(section.memory_size));
  for (std::size_t i = 0; i < pe.imports.size(); ++i) {
    const auto& dll = pe.imports[i];
    facts[dll.delayed ? "delay imports" : "imports"].push_back(dll.name);
    for (const auto& function : symbols.imports[i])
      facts[dll.delayed ? "delay-imported functions" : "imported functions"].push_back(
          dll.name + " " + name_of(function.name, function.ordinal));
  }
  if (image.soname) facts["soname"] = {*image.soname};
  for (const auto& function : symbols.exports) {
    const auto ordinal = "#" + std::to_string(function.ordinal);
    if (function.forwarder.empty())
      facts["exported functions"].push_back(function.name + " " + ordinal);
    else
      facts["forwarded functions"].push_back(ordinal + " to " + function.forwarder);
  }
  return facts;
}

}  // namespace

std::optional<Facts> read_with_cudald(const std::string& path, std::vector<std::string>& faults) {
  const auto files = cudald::make_disk_file_system("/");
  cudald::Session session(*files);
  const auto image = session.image(path);
  const auto functions = session.pe_symbols(path);
  auto names = session.elf_symbols(path);
  if (!image || !functions || !names || (!(*image)->is_elf() && !(*image)->is_pe())) return std::nullopt;
  // Loaders refuse such a file, each in its own words, so it is no defect of the Image.
  const auto& header = (*image)->elf.header;
  if (is_elf(**image) && (!header.program_header_size_ok || !header.program_headers_readable))
    faults.push_back("its program headers cannot be read");
  for (const auto* defects : {&(*image)->defects, &functions->defects})
    for (const auto& defect : *defects) faults.push_back(defect.message);
  auto facts = (*image)->is_elf() ? facts_of_elf(**image) : facts_of_pe(**image, *functions);
  if (!names->exported.empty()) facts["exported symbols"] = std::move(names->exported);
  if (!names->imported.empty()) facts["imported symbols"] = std::move(names->imported);
  for (const auto* unordered : {"exported symbols", "imported symbols", "exported functions", "forwarded functions"})
    if (const auto list = facts.find(unordered); list != facts.end())
      std::sort(list->second.begin(), list->second.end());
  return facts;
}

}  // namespace second_reader
