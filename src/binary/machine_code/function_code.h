#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/byte_reader.h"
#include "binary/constants/mapped_bytes.h"

namespace cudald {

struct Image;  // cudald/image.h

/// What an instruction of x86-64 says that needs no knowledge of those around it.
struct CodeStep {
  enum class Kind : std::uint8_t {
    address,   ///< `lea register, [rip+x]`: of `place`
    load,      ///< `mov register, [rip+x]`: what stands at `place`
    copy,      ///< `mov register, register`, into rdi or out of rax
    call,      ///< to the function at `place`; or a jump there, by which a function ends
    branch,    ///< a conditional jump into the function at `place`
    imported,  ///< a call of a function of another file: `name`
  };
  Kind kind = Kind::call;
  std::uint8_t into = 0, from = 0;  ///< registers by their numbers; 7 is rdi
  std::uint64_t place = 0;
  std::string_view name = {};
  std::uint64_t at = 0;  ///< where it stands
};

/// The functions of an ELF file for x86-64, as its table for unwinding (.eh_frame_hdr) divides the code, and what they
/// do. Where data stand among the code, a step may be one that does not exist; but calls that seem to lead outside the
/// code are left out.
class FunctionCode {
 public:
  /// nullopt for other files, and for those without that table.
  static std::optional<FunctionCode> of(const MappedBytes&, const Image&, Budget&);

  /// Where an exported function whose name begins like this is.
  std::optional<std::uint64_t> exported(std::string_view prefix) const;
  /// Where the function begins that holds an address.
  std::optional<std::uint64_t> function_at(std::uint64_t address) const;
  bool begins_function(std::uint64_t address) const { return function_at(address) == address; }
  /// The bytes of the function that begins there, up to 1 MiB, and those behind it that its last instruction may have.
  struct Body {
    std::span<const std::byte> bytes;
    std::uint64_t size = 0;  ///< of the function alone
  };
  Body body(std::uint64_t function) const;
  /// What the function does that begins there; nothing once the budget is spent.
  std::vector<CodeStep> steps(std::uint64_t function) const;
  /// The functions that call one of these of another file, in order; jumps are those of stubs.
  std::vector<std::uint64_t> callers(const std::set<std::string_view>& names) const;
  /// The text at an address, up to its zero.
  std::optional<std::string_view> text_at(std::uint64_t address) const;
  std::optional<std::uint32_t> number_at(std::uint64_t address) const;
  /// An address that the loader writes there.
  std::optional<std::uint64_t> pointer_at(std::uint64_t address) const;

 private:
  struct Segment {
    std::uint64_t address{}, size{}, offset{};
    bool code{};
  };
  struct Slot {
    std::string_view name;       ///< of the function, if it is another file's
    std::uint64_t function = 0;  ///< of this file
  };

  FunctionCode(const MappedBytes& bytes, const Image& image, Budget& budget)
      : bytes_(bytes), image_(&image), budget_(&budget) {}
  bool read_segments();
  bool read_functions(std::uint64_t table, std::uint64_t address);
  bool read_relocations();
  void add_relocation(const ByteReader& row);
  void sort_slots();
  const Segment* segment_of(std::uint64_t address) const;
  std::optional<std::uint64_t> offset_of(std::uint64_t address) const;
  std::optional<CodeStep> step_at(const ByteReader& code, std::uint64_t address, std::uint64_t function) const;
  std::optional<CodeStep> call_of(std::uint64_t target, std::uint64_t function, CodeStep::Kind) const;
  std::optional<CodeStep> call_through(std::uint64_t slot) const;
  std::optional<std::uint64_t> slot_of_stub(std::uint64_t address) const;
  template <typename Take>
  void each_block(const Take&) const;

  MappedBytes bytes_;
  const Image* image_;
  Budget* budget_;
  std::vector<Segment> segments_;
  std::vector<std::uint64_t> functions_;                           ///< where they begin, sorted
  std::vector<std::pair<std::uint64_t, Slot>> slots_;              ///< by which functions are called, sorted
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pointers_;  ///< sorted
};

}  // namespace cudald
