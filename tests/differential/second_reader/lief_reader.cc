// LIEF's reading of a file. Compiles with LIEF 0.12 and with LIEF 1.0, which hands out names as std::string_view, the
// exports of a PE file as a pointer and not as a reference, and enumerations of its own for each class.

#include <algorithm>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <type_traits>

#include <LIEF/ELF.hpp>
#include <LIEF/PE.hpp>
#include <LIEF/logging.hpp>

#include "facts.h"

namespace second_reader {
namespace {

// <elf.h> cannot be included beside LIEF: its macros have the names of LIEF's enumerators.
enum : std::uint64_t {
  tag_needed = 1,
  tag_soname = 14,
  tag_rpath = 15,
  tag_runpath = 29,
  tag_flags_1 = 0x6ffffffb,
};
constexpr std::uint64_t segment_load = 1, segment_dynamic = 2, segment_tls = 7, segment_stack = 0x6474e551;
constexpr std::uint64_t executable = 1, writable = 2;
constexpr std::uint64_t version_flag_base = 1, version_flag_weak = 2;

template <typename Number>
std::uint64_t number(Number value) {
  return static_cast<std::uint64_t>(value);
}

template <typename Number>
std::string decimal(Number value) {
  return std::to_string(number(value));
}

/// The text that an entry of the dynamic table names, in whichever class LIEF puts it.
template <typename Entry>
const Entry* entry_as(const LIEF::ELF::DynamicEntry& entry) {
  return dynamic_cast<const Entry*>(&entry);
}

void take_dynamic_entries(const LIEF::ELF::Binary& binary, Facts& facts) {
  for (const auto& entry : binary.dynamic_entries()) {
    switch (number(entry.tag())) {
      case tag_needed:
        if (const auto* needed = entry_as<LIEF::ELF::DynamicEntryLibrary>(entry))
          facts["needed"].push_back(std::string(needed->name()));
        break;
      case tag_soname:
        if (const auto* own = entry_as<LIEF::ELF::DynamicSharedObject>(entry))
          facts["soname"] = {std::string(own->name())};
        break;
      case tag_rpath:
        if (const auto* path = entry_as<LIEF::ELF::DynamicEntryRpath>(entry))
          facts["rpath"] = {std::string(path->rpath())};
        break;
      case tag_runpath:
        if (const auto* path = entry_as<LIEF::ELF::DynamicEntryRunPath>(entry))
          facts["runpath"] = {std::string(path->runpath())};
        break;
      case tag_flags_1: facts["flags_1"] = {decimal(entry.value() & 0xffffffff)}; break;
      default: break;
    }
  }
}

void take_segments(const LIEF::ELF::Binary& binary, Facts& facts) {
  for (const auto& segment : binary.segments()) {
    const auto flags = number(segment.flags());
    switch (number(segment.type())) {
      case segment_load:
        facts["load segments"].push_back(decimal(segment.file_offset()) + "+" + decimal(segment.physical_size()) +
                                         " at " + decimal(segment.virtual_address()) + "+" +
                                         decimal(segment.virtual_size()) + " by " + decimal(segment.alignment()) +
                                         ((flags & writable) != 0 ? " writable" : ""));
        break;
      case segment_dynamic: facts["dynamic segment"] = {"there"}; break;
      case segment_tls: facts["thread-local bytes"] = {decimal(segment.virtual_size())}; break;
      case segment_stack: facts["stack"] = {(flags & executable) != 0 ? "executable" : "not executable"}; break;
      default: break;
    }
  }
}

void take_versions(const LIEF::ELF::Binary& binary, Facts& facts) {
  for (const auto& requirement : binary.symbols_version_requirement())
    for (const auto& version : requirement.auxiliary_symbols())
      facts["version needs"].push_back(std::string(version.name()) + " of " + std::string(requirement.name()) + " as " +
                                       decimal(version.other()) + " hash " + decimal(version.hash()) +
                                       ((number(version.flags()) & version_flag_weak) != 0 ? " weak" : ""));
  for (const auto& definition : binary.symbols_version_definition()) {
    std::string name;
    for (const auto& version : definition.symbols_aux()) {
      name = std::string(version.name());
      break;
    }
    facts["version definitions"].push_back(name + " as " + decimal(number(definition.ndx()) & 0x7fff) + " hash " +
                                           decimal(definition.hash()) +
                                           ((number(definition.flags()) & version_flag_base) != 0 ? " base" : ""));
  }
}

/// The names of versions by their number. LIEF 0.12 gives a symbol the last name of its version, which is the parent's
/// where there is one; the first is the version's own (System V ABI, Symbol Versioning).
std::map<std::uint64_t, std::string> version_names(const LIEF::ELF::Binary& binary) {
  std::map<std::uint64_t, std::string> names;
  for (const auto& requirement : binary.symbols_version_requirement())
    for (const auto& version : requirement.auxiliary_symbols())
      names[number(version.other()) & 0x7fff] = std::string(version.name());
  for (const auto& definition : binary.symbols_version_definition())
    for (const auto& version : definition.symbols_aux()) {
      if ((number(definition.flags()) & version_flag_base) == 0)
        names[number(definition.ndx()) & 0x7fff] = std::string(version.name());
      break;
    }
  return names;
}

void take_symbols(const LIEF::ELF::Binary& binary, Facts& facts) {
  const auto versions = version_names(binary);
  for (const auto& symbol : binary.dynamic_symbols()) {
    std::string name(symbol.name());
    if (name.empty() || number(symbol.binding()) == 0) continue;  // local ones bind nothing
    if (symbol.has_version())
      if (const auto version = versions.find(number(symbol.symbol_version()->value()) & 0x7fff);
          version != versions.end()) {
        if (version->second == name) continue;  // a version is a symbol as well
        if (!version->second.empty()) name += "@" + version->second;
      }
    facts[symbol.shndx() != 0 ? "exported symbols" : "imported symbols"].push_back(name);
  }
}

std::optional<Facts> facts_of_elf(const std::string& path) {
  const auto binary = LIEF::ELF::Parser::parse(path);
  if (!binary) return std::nullopt;
  Facts facts;
  const auto& header = binary->header();
  facts["format"] = {number(header.identity_class()) == 2 ? "elf64" : "elf32"};
  facts["byte order"] = {number(header.identity_data()) == 2 ? "big" : "little"};
  facts["machine"] = {decimal(header.machine_type())};
  facts["OS ABI"] = {decimal(header.identity_os_abi())};
  facts["header flags"] = {decimal(header.processor_flag())};
  if (binary->has_interpreter()) facts["interpreter"] = {std::string(binary->interpreter())};
  take_dynamic_entries(*binary, facts);
  take_segments(*binary, facts);
  take_versions(*binary, facts);
  take_symbols(*binary, facts);
  return facts;
}

/// The exports come as a reference or as a pointer.
const LIEF::PE::Export* pointer_to(const LIEF::PE::Export& exports) { return &exports; }
[[maybe_unused]] const LIEF::PE::Export* pointer_to(const LIEF::PE::Export* exports) { return exports; }

template <typename Entry>
std::string name_or_ordinal(const Entry& entry) {
  return entry.is_ordinal() ? "#" + decimal(entry.ordinal()) : std::string(entry.name());
}

std::optional<Facts> facts_of_pe(const std::string& path) {
  const auto binary = LIEF::PE::Parser::parse(path);
  if (!binary) return std::nullopt;
  Facts facts;
  facts["format"] = {number(binary->type()) == 0x20b ? "pe32+" : "pe32"};
  facts["machine"] = {decimal(binary->header().machine())};
  facts["image base"] = {decimal(binary->optional_header().imagebase())};
  facts["subsystem"] = {decimal(binary->optional_header().subsystem())};
  for (const auto& section : binary->sections())
    facts["sections"].push_back(decimal(section.pointerto_raw_data()) + "+" + decimal(section.sizeof_raw_data()) +
                                " at " + decimal(section.virtual_address()) + "+" + decimal(section.virtual_size()));
  for (const auto& dll : binary->imports()) {
    const std::string name(dll.name());
    facts["imports"].push_back(name);
    for (const auto& entry : dll.entries()) facts["imported functions"].push_back(name + " " + name_or_ordinal(entry));
  }
  for (const auto& dll : binary->delay_imports()) {
    const std::string name(dll.name());
    facts["delay imports"].push_back(name);
    for (const auto& entry : dll.entries())
      facts["delay-imported functions"].push_back(name + " " + name_or_ordinal(entry));
  }
  if (binary->has_exports()) {
    const auto* exports = pointer_to(binary->get_export());
    facts["soname"] = {std::string(exports->name())};
    for (const auto& entry : exports->entries()) {
      const auto ordinal = "#" + decimal(entry.ordinal());
      const auto to = entry.forward_information();
      // LIEF 0.12 puts where it leads in the place of its name.
      if (entry.is_forwarded())
        facts["forwarded functions"].push_back(ordinal + " to " + to.library + "." + to.function);
      else
        facts["exported functions"].push_back(std::string(entry.name()) + " " + ordinal);
    }
  }
  return facts;
}

}  // namespace

std::optional<Facts> read_with_lief(const std::string& path) {
  LIEF::logging::disable();
  try {
    auto facts = LIEF::ELF::is_elf(path) ? facts_of_elf(path) : facts_of_pe(path);
    if (facts)
      for (const auto* unordered :
           {"exported symbols", "imported symbols", "exported functions", "forwarded functions"})
        if (const auto list = facts->find(unordered); list != facts->end())
          std::sort(list->second.begin(), list->second.end());
    return facts;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace second_reader
