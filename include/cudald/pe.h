#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cudald {

/// A section of a PE file. Addresses are relative to the image base (RVA).
struct PeSection {
  std::string name;  ///< up to 8 bytes; ".nv_fatb" holds GPU code
  std::uint32_t address = 0, memory_size = 0, offset = 0, file_size = 0, flags = 0;
};

/// A DLL named in the import directory or, `delayed`, in the delay-import directory. Windows passes over an import of
/// no function at all, and so does this list.
struct ImportedDll {
  std::string name;
  bool delayed = false;
  std::uint32_t names_at = 0;       ///< RVA of the table of its functions (the INT; the IAT where there is none)
  bool absolute_addresses = false;  ///< delay imports of Visual C++ 6: addresses hold the image base
};

/// An assembly that a manifest names (assemblyIdentity).
struct Assembly {
  std::string name, version, type, architecture, language, public_key_token;
  bool optional = false;
};

/// One manifest among the resources, or a file; 1 serves a program's process, 2 the imports of a DLL.
struct Manifest {
  std::uint32_t id = 0;
  std::vector<Assembly> dependencies;
  std::vector<std::string> files = {};  ///< of an assembly's manifest: the files that belong to it
  std::string version = {};             ///< that an assembly's manifest gives to itself
  std::string fault = {};               ///< why Windows refuses it: "line 4: <assembly> is not closed"
};

/// What a PE file says of itself; names as in Microsoft's "PE Format".
struct PeFacts {
  std::uint16_t machine = 0;  ///< IMAGE_FILE_MACHINE_*
  std::uint16_t characteristics = 0, dll_characteristics = 0, subsystem = 0;
  std::uint16_t dependent_load_flags = 0;  ///< of the load configuration: with which its imports are searched for
  std::uint8_t linker_major = 0, linker_minor = 0;  ///< 14.44 of Visual Studio 2022 17.14
  std::uint32_t timestamp = 0;
  std::uint64_t image_base = 0;
  std::uint32_t image_size = 0, headers_size = 0, section_alignment = 0, file_alignment = 0;
  std::vector<PeSection> sections;
  std::vector<ImportedDll> imports;  ///< the imports, then the delay imports, in the file's order
  std::vector<Manifest> manifests;
  std::optional<std::string> file_version, product_version;  ///< "6.14.11.12080", from the version resource
  bool managed = false;                                      ///< has a CLR header: .NET code
  std::uint32_t exports_at = 0, exports_size = 0;            ///< the export directory; read when symbols are asked for
  std::uint32_t export_names = 0;                            ///< how many names it says to hold
};

/// Flags in PeFacts::characteristics.
inline constexpr std::uint16_t pe_executable_image = 0x0002;
inline constexpr std::uint16_t pe_dll = 0x2000;

}  // namespace cudald
