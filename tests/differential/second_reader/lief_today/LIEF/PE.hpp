// Stands in for LIEF 1.0's <LIEF/PE.hpp>, as ELF.hpp beside it (https://lief.re/doc/stable/formats/pe/cpp.html).

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace LIEF::PE {

enum class PE_TYPE : std::uint16_t { PE32 = 0x10b };

class Header {
 public:
  enum class MACHINE_TYPES { UNKNOWN = 0 };
  MACHINE_TYPES machine() const;
};

class OptionalHeader {
 public:
  enum class SUBSYSTEM { UNKNOWN = 0 };
  std::uint64_t imagebase() const;
  SUBSYSTEM subsystem() const;
};

class Section {
 public:
  std::uint32_t pointerto_raw_data() const;
  std::uint32_t sizeof_raw_data() const;
  std::uint64_t virtual_address() const;
  std::uint32_t virtual_size() const;
};

class ImportEntry {
 public:
  std::string_view name() const;
  bool is_ordinal() const;
  std::uint16_t ordinal() const;
};

class DelayImportEntry : public ImportEntry {};

class Import {
 public:
  std::string_view name() const;
  const std::vector<ImportEntry>& entries() const;
};

class DelayImport {
 public:
  std::string_view name() const;
  const std::vector<DelayImportEntry>& entries() const;
};

class ExportEntry {
 public:
  struct forward_information_t {
    std::string library;
    std::string function;
  };
  std::string_view name() const;
  std::uint16_t ordinal() const;
  bool is_forwarded() const;
  forward_information_t forward_information() const;
};

class Export {
 public:
  std::string_view name() const;
  const std::vector<ExportEntry>& entries() const;
};

class Binary {
 public:
  PE_TYPE type() const;
  const Header& header() const;
  const OptionalHeader& optional_header() const;
  const std::vector<Section>& sections() const;
  const std::vector<Import>& imports() const;
  const std::vector<DelayImport>& delay_imports() const;
  bool has_exports() const;
  const Export* get_export() const;
};

struct ParserConfig {
  static const ParserConfig& default_conf();
};

class Parser {
 public:
  static std::unique_ptr<Binary> parse(const std::string& file,
                                       const ParserConfig& conf = ParserConfig::default_conf());
};

}  // namespace LIEF::PE
