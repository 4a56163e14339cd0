// Stands in for LIEF 1.0's <LIEF/ELF.hpp>: declarations of what lief_reader.cc uses, with the types of LIEF's
// documentation (https://lief.re/doc/stable/formats/elf/cpp.html). Only compiled for its syntax, never linked.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace LIEF::ELF {

enum class ARCH { NONE = 0 };

class DynamicEntry {
 public:
  enum class TAG : std::uint64_t { NEEDED = 1 };
  virtual ~DynamicEntry();
  TAG tag() const;
  std::uint64_t value() const;
};

class DynamicEntryLibrary : public DynamicEntry {
 public:
  std::string_view name() const;
};

class DynamicSharedObject : public DynamicEntry {
 public:
  std::string_view name() const;
};

class DynamicEntryRpath : public DynamicEntry {
 public:
  std::string_view rpath() const;
};

class DynamicEntryRunPath : public DynamicEntry {
 public:
  std::string_view runpath() const;
};

class Header {
 public:
  enum class CLASS { NONE = 0 };
  enum class ELF_DATA { NONE = 0 };
  enum class OS_ABI { SYSTEMV = 0 };
  CLASS identity_class() const;
  ELF_DATA identity_data() const;
  OS_ABI identity_os_abi() const;
  ARCH machine_type() const;
  std::uint32_t processor_flag() const;
};

class Segment {
 public:
  enum class TYPE : std::uint64_t { LOAD = 1 };
  enum class FLAGS { NONE = 0 };
  TYPE type() const;
  FLAGS flags() const;
  std::uint64_t file_offset() const;
  std::uint64_t physical_size() const;
  std::uint64_t virtual_address() const;
  std::uint64_t virtual_size() const;
  std::uint64_t alignment() const;
};

class SymbolVersionAux {
 public:
  std::string_view name() const;
};

class SymbolVersionAuxRequirement : public SymbolVersionAux {
 public:
  std::uint32_t hash() const;
  std::uint16_t flags() const;
  std::uint16_t other() const;
};

class SymbolVersionRequirement {
 public:
  std::string_view name() const;
  const std::vector<SymbolVersionAuxRequirement>& auxiliary_symbols() const;
};

class SymbolVersionDefinition {
 public:
  std::uint16_t flags() const;
  std::uint16_t ndx() const;
  std::uint32_t hash() const;
  const std::vector<SymbolVersionAux>& symbols_aux() const;
};

class SymbolVersion {
 public:
  std::uint16_t value() const;
};

class Symbol {
 public:
  enum class BINDING { LOCAL = 0 };
  virtual ~Symbol();
  std::string_view name() const;
  BINDING binding() const;
  std::uint16_t shndx() const;
  bool has_version() const;
  const SymbolVersion* symbol_version() const;
};

class Binary {
 public:
  const Header& header() const;
  bool has_interpreter() const;
  std::string_view interpreter() const;
  const std::vector<DynamicEntry>& dynamic_entries() const;
  const std::vector<Segment>& segments() const;
  const std::vector<Symbol>& dynamic_symbols() const;
  const std::vector<SymbolVersionRequirement>& symbols_version_requirement() const;
  const std::vector<SymbolVersionDefinition>& symbols_version_definition() const;
};

struct ParserConfig {
  static ParserConfig all();
};

class Parser {
 public:
  static std::unique_ptr<Binary> parse(const std::string& file, const ParserConfig& conf = ParserConfig::all());
};

bool is_elf(const std::string& file);

}  // namespace LIEF::ELF
