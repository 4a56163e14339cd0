#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <cudald/pe_symbols.h>

namespace cudald {

struct PeImportSpec {
  std::string dll;
  std::vector<ImportedFunction> functions = {};
  bool delayed = false;
  bool empty = false;  ///< with no entry in its table of addresses, so that Windows passes over it
};

struct PeResourceSpec {
  std::uint32_t type = 0, id = 1;
  std::string bytes;
};

/// What a tiny PE file shall say. The default is an empty DLL for x86-64.
struct PeSpec {
  bool wide = true;  ///< PE32+
  std::uint16_t machine = 0x8664;
  std::uint16_t characteristics = 0x2022, dll_characteristics = 0x160, subsystem = 2;
  std::uint64_t image_base = 0x180000000;
  std::optional<std::string> name = {};  ///< in the export directory
  std::vector<PeImportSpec> imports = {};
  bool absolute_delay_addresses = false;  ///< as Visual C++ 6 wrote them
  std::uint32_t ordinal_base = 1;
  std::vector<ExportedFunction> exports = {};
  std::vector<PeResourceSpec> resources = {};
  bool clr_header = false;
  std::optional<std::uint16_t> dependent_load_flags = {};  ///< in a load configuration
  std::string constants = {};                              ///< bytes at the end of the section
  std::uint32_t more_memory = 0;  ///< bytes by which the section is larger in memory than in the file
};

/// The finished file, and the offset at which each part of it lies: "optional header", "directories", "sections",
/// "imports", "delay imports", "exports", "export addresses", "export names", "export ordinals", "resources", "data of
/// resource 0" and so on. All tables lie in one section.
struct BuiltPe {
  std::string bytes;
  std::map<std::string, std::uint64_t> at;

  /// The address (RVA) of an offset in the section.
  static std::uint32_t address(std::uint64_t offset) { return static_cast<std::uint32_t>(offset - 0x400 + 0x1000); }
};

BuiltPe build_pe(const PeSpec&);
/// Only its bytes.
std::string pe(const PeSpec&);

/// A VS_VERSIONINFO with this file version and product version.
std::string version_resource(std::uint64_t file_version, std::uint64_t product_version);

}  // namespace cudald
