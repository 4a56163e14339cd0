#include "python/cython_table.h"

#include <algorithm>
#include <array>
#include <optional>

namespace cudald::python {
namespace {

using StepKind = CodeStep::Kind;
using Address = std::optional<std::uint64_t>;

constexpr std::size_t most_strings = 20'000;
constexpr std::uint64_t size_of_table_row = 64;

/// Counted from "__main__"; none if it is not the table of a module, which has "__name__" as well.
StringTable counted_from_main(const StringTable& strings) {
  const auto place_of = [&](std::string_view wanted) {
    return std::find_if(strings.begin(), strings.end(), [&](const auto& row) { return row.second == wanted; });
  };
  const auto main = place_of("__main__");
  StringTable counted;
  if (main == strings.end() || place_of("__name__") == strings.end()) return counted;
  for (const auto& [index, text] : strings) counted.emplace(index - main->first, text);
  return counted;
}

/// The array that begins here: for each string a text, its size with the zero behind it and a few bits, in as many
/// bytes as they take. Source: Cython 3.1, Cython/Compiler/Code.py, generate_pystring_constants.
StringTable array_at(const FunctionCode& code, std::uint64_t place, Budget& budget) {
  constexpr std::uint64_t size_at = 8, short_row = 16, long_row = 24;
  constexpr std::uint32_t some_size = 0xffff;
  StringTable strings;
  if (!code.pointer_at(place)) return strings;
  const auto row = code.pointer_at(place + short_row).value_or(0) != 0 ? short_row : long_row;
  for (std::int64_t i = 0; strings.size() < most_strings && budget.step(); ++i, place += row) {
    const auto text = code.pointer_at(place);
    if (!text || *text == 0) break;
    if ((code.number_at(place + size_at).value_or(0) & some_size) == 0 || !budget.keep(size_of_table_row)) return {};
    strings.emplace(i, code.text_at(*text).value_or(""));
  }
  return strings;
}

/// What code without conditions writes to its stack, as far as it is addresses. Instructions are looked for where the
/// one before ends, else from byte to byte.
/// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, LEA, ADD, MOV, MOVQ, PUNPCKLQDQ,
/// MOVHPS, MOVUPS, MOVAPS.
class StackWriter {
 public:
  StackWriter(const FunctionCode& code, Budget& budget) : code_(code), budget_(budget) {}

  /// Place on the stack -> address.
  std::map<std::int32_t, std::uint64_t> run(std::uint64_t function) {
    const auto [bytes, size] = code_.body(function);
    bytes_ = ByteReader(bytes, ByteOrder::little);
    begin_ = at_ = function;
    while (at_ - begin_ < size && budget_.step(4)) at_ += std::max(1U, take());
    return std::move(stack_);
  }

 private:
  struct Vector {
    Address low, high;
  };
  static constexpr std::uint8_t of_code = 5, rbp = 5, with_index = 4, plain_rsp = 0x24, registers_only = 3;

  std::uint8_t byte(std::uint32_t i) const { return bytes_.number<std::uint8_t>(at_ - begin_ + i).value_or(0); }
  std::int32_t number(std::uint32_t i) const {
    return static_cast<std::int32_t>(bytes_.number<std::uint32_t>(at_ - begin_ + i).value_or(0));
  }

  /// The size of the instruction that begins here; 0 if it is none of those that matter.
  std::uint32_t take() {
    prefix_ = byte(0) == 0x66 || byte(0) == 0xf3 ? byte(0) : 0;
    std::uint32_t next = prefix_ != 0 ? 1 : 0;
    rex_ = (byte(next) & 0xf0) == 0x40 ? byte(next++) : 0;
    const bool wide = (rex_ & 8) != 0;
    if (byte(next) == 0x0f) return take_vector(byte(next + 1), next + 2, wide);
    if (!wide || prefix_ != 0) return 0;
    operand_ = next + 1;
    switch (byte(next)) {
      case 0x8d: return take_address();
      case 0x89: return take_move();
      case 0x83: return add(static_cast<std::int8_t>(byte(operand_ + 1)), 2);
      case 0x81: return add(number(operand_ + 1), 5);
      default: return 0;
    }
  }

  std::uint8_t mode() const { return byte(operand_) >> 6; }
  std::uint8_t first() const { return static_cast<std::uint8_t>((byte(operand_) >> 3 & 7) | ((rex_ & 4) << 1)); }
  std::uint8_t last() const { return static_cast<std::uint8_t>((byte(operand_) & 7) | ((rex_ & 1) << 3)); }
  bool is_of_code() const { return mode() == 0 && (byte(operand_) & 7) == of_code; }
  std::uint64_t place_in_code() const {
    return at_ + operand_ + 5 + static_cast<std::uint64_t>(static_cast<std::int64_t>(number(operand_ + 1)));
  }
  /// The distance that stands at `i`, and the size of the instruction.
  std::pair<std::int32_t, std::uint32_t> distance(std::uint32_t i) const {
    if (mode() == 0) return {0, i};
    return mode() == 1 ? std::pair(std::int32_t{static_cast<std::int8_t>(byte(i))}, i + 1)
                       : std::pair(number(i), i + 4);
  }
  /// How many bytes say that the place is one behind rsp or rbp, which is the same for the whole array; 0 if it is not.
  std::uint32_t stack_size() const {
    if (mode() == registers_only) return 0;
    if ((byte(operand_) & 7) == with_index && byte(operand_ + 1) == plain_rsp) return 2;
    return mode() != 0 && last() == rbp ? 1 : 0;
  }

  std::uint32_t take_address() {
    if (is_of_code()) return registers_.at(first()) = place_in_code(), operand_ + 5;
    if (mode() == registers_only || mode() == 0 || (byte(operand_) & 7) == with_index) return 0;
    const auto [far, size] = distance(operand_ + 1);
    registers_.at(first()) = moved(registers_.at(last()), far);
    return size;
  }

  std::uint32_t take_move() {
    if (mode() == registers_only) return registers_.at(last()) = registers_.at(first()), operand_ + 1;
    if (stack_size() == 0) return 0;
    const auto [place, size] = distance(operand_ + stack_size());
    write(place, registers_.at(first()));
    return size;
  }

  std::uint32_t add(std::int32_t number, std::uint32_t size) {
    if (mode() != registers_only || (byte(operand_) >> 3 & 7) != 0) return 0;
    registers_.at(last()) = moved(registers_.at(last()), number);
    return operand_ + size;
  }

  std::uint32_t take_vector(std::uint8_t operation, std::uint32_t operand, bool wide) {
    operand_ = operand;
    auto& vector = vectors_.at(first());
    const bool two = mode() == registers_only;
    if (prefix_ == 0x66 && wide && operation == 0x6e && two)
      return vector = {registers_.at(last()), std::nullopt}, operand_ + 1;
    if (prefix_ == 0x66 && operation == 0x6c && two) return vector.high = vectors_.at(last()).low, operand_ + 1;
    if (operation == 0x6f && two) return vector = vectors_.at(last()), operand_ + 1;
    if (prefix_ == 0xf3 && operation == 0x7e && is_of_code())
      return vector = {code_.pointer_at(place_in_code()), std::nullopt}, operand_ + 5;
    if (prefix_ == 0 && operation == 0x16 && is_of_code())
      return vector.high = code_.pointer_at(place_in_code()), operand_ + 5;
    const bool writes = operation == 0x11 || operation == 0x29 || (operation == 0x7f && prefix_ != 0);
    if (!writes || stack_size() == 0) return 0;
    const auto [place, size] = distance(operand_ + stack_size());
    write(place, vector.low);
    write(place + 8, vector.high);
    return size;
  }

  static Address moved(Address address, std::int32_t by) {
    return address ? Address(*address + static_cast<std::uint64_t>(std::int64_t{by})) : address;
  }

  void write(std::int32_t place, Address address) {
    if (address && stack_.size() < 2 * most_strings && budget_.keep(size_of_table_row)) stack_[place] = *address;
  }

  const FunctionCode& code_;
  Budget& budget_;
  ByteReader bytes_{{}, ByteOrder::little};  ///< of the function
  std::uint64_t begin_ = 0, at_ = 0;
  std::uint8_t prefix_ = 0, rex_ = 0;
  std::uint32_t operand_ = 0;  ///< where its ModR/M byte stands
  std::array<Address, 16> registers_;
  std::array<Vector, 16> vectors_;
  std::map<std::int32_t, std::uint64_t> stack_;
};

/// The array that the function makes on its stack and gives to the one that makes strings of it: a variable, a text and
/// three numbers for each. Source: Cython 3.0, Cython/Compiler/Code.py, generate_pystring_constants.
StringTable array_on_stack(const FunctionCode& code, std::uint64_t function, Budget& budget) {
  constexpr std::int32_t size_of_row = 40;
  const auto stack = StackWriter(code, budget).run(function);
  std::array<std::size_t, size_of_row> texts{};
  const auto row_place = [](std::int32_t place) {
    return static_cast<std::size_t>((place % size_of_row + size_of_row) % size_of_row);
  };
  for (const auto& [place, address] : stack)
    if (code.number_at(address)) ++texts.at(row_place(place));
  const auto in_row = static_cast<std::size_t>(std::max_element(texts.begin(), texts.end()) - texts.begin());
  StringTable strings;
  for (const auto& [place, address] : stack)
    if (row_place(place) == in_row && code.number_at(address))
      strings.emplace((place - static_cast<std::int32_t>(in_row)) / size_of_row, code.text_at(address).value_or(""));
  return strings;
}

bool makes_strings(const std::vector<CodeStep>& steps) {
  const auto calls = [&](std::string_view name) {
    return std::any_of(steps.begin(), steps.end(),
                       [&](const auto& step) { return step.kind == StepKind::imported && step.name == name; });
  };
  return calls("PyUnicode_InternFromString") && !calls("PyModule_GetDict");
}

}  // namespace

StringTable cython_table(const FunctionCode& code, std::uint64_t function, const std::vector<CodeStep>& steps,
                         Budget& budget) {
  if (makes_strings(steps))
    if (auto strings = counted_from_main(array_on_stack(code, function, budget)); !strings.empty()) return strings;
  for (const auto& step : steps)
    if (step.kind == StepKind::address)
      if (auto strings = counted_from_main(array_at(code, step.place, budget)); !strings.empty()) return strings;
  return {};
}

}  // namespace cudald::python
