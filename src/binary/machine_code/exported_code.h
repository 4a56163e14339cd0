#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <cudald/file_system.h>

#include "binary/bytes/file_window.h"
#include "binary/pe/pe_memory.h"

namespace cudald {

struct Image;  // cudald/image.h

/// A number in a function's code.
struct CodeConstant {
  std::uint32_t value{};
  bool stored{};  ///< written to memory; else put into a register
};

/// The functions that a file exports, found one at a time through its hash table or sorted names, and numbers in their
/// code: what a library answers to the question for its version. x86-64 and AArch64.
class ExportedCode {
 public:
  ExportedCode(const File&, const Image&);

  bool has(std::string_view name) { return find(name).has_value(); }
  /// The numbers in the code of a function, in order; none if there is no such function.
  std::vector<CodeConstant> constants(std::string_view name);
  /// Those of the short functions that it calls directly.
  std::vector<CodeConstant> constants_of_callees(std::string_view name);
  /// The first four bytes of an exported variable.
  std::optional<std::uint32_t> variable(std::string_view name);

 private:
  struct Function {
    std::uint64_t address{}, size{};  ///< size 0: not told
  };
  struct Scan {
    std::vector<CodeConstant> constants;
    std::vector<std::uint64_t> callees;
  };

  std::optional<Function> find(std::string_view name);
  std::optional<Function> find_by_gnu_hash(std::string_view name);
  std::optional<Function> find_by_sysv_hash(std::string_view name);
  std::optional<Function> find_by_name(std::string_view name);
  std::optional<Function> symbol(std::uint64_t index, std::string_view name);
  std::vector<std::byte> code(std::uint64_t address, std::uint64_t length);
  Scan scan(const Function&, bool to_first_return);

  const Image& image_;
  FileWindow window_;
  std::optional<PeMemory> memory_;
};

}  // namespace cudald
