#include "pyimport/compiled/cython_table.h"

#include <algorithm>
#include <array>
#include <optional>

#include "binary/machine_code/instruction_length.h"

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

bool calls(const std::vector<CodeStep>& steps, std::string_view name) {
  return std::any_of(steps.begin(), steps.end(),
                     [&](const auto& step) { return step.kind == StepKind::imported && step.name == name; });
}

bool makes_strings(const std::vector<CodeStep>& steps) {
  return calls(steps, "PyUnicode_InternFromString") && !calls(steps, "PyModule_GetDict");
}

/// The numbers that code without conditions writes to its stack. As the lengths are fields of some bits, compilers read
/// what stands there, keep its other bits, which count as zero here, and put those of the length among them.
/// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, AND, MOV, OR, XOR.
class NumberWriter {
 public:
  explicit NumberWriter(Budget& budget) : budget_(budget) {}

  /// Place on the stack -> byte.
  std::map<std::int32_t, std::uint8_t> run(const FunctionCode::Body& body) {
    for (std::uint64_t at = 0; at < body.size && budget_.step(4);) {
      const auto rest = body.bytes.subspan(at, body.size - at);
      const auto length = std::max<std::size_t>(instruction_length(rest), 1);
      bytes_ = ByteReader(rest.first(length), ByteOrder::little);
      take();
      at += length;
    }
    return std::move(stack_);
  }

 private:
  static constexpr std::uint8_t rax = 0, rsp = 4, rbp = 5, plain_rsp = 0x24, registers_only = 3, to_or = 1, to_and = 4;
  static constexpr std::int32_t farthest = 1 << 24, behind_rbp = 4 * farthest;

  std::uint8_t byte(std::size_t i) const { return bytes_.number<std::uint8_t>(i).value_or(0); }

  void take() {
    std::size_t next = 0;
    const bool is_short = byte(next) == 0x66;
    if (is_short) ++next;
    rex_ = (byte(next) & 0xf0) == 0x40 ? byte(next++) : 0;
    const auto operation = byte(next++);
    operand_ = next;
    const bool of_byte = (operation & 1) == 0;
    width_ = of_byte ? 1 : is_short ? 2 : (rex_ & 8) != 0 ? 8 : 4;
    if (operation >= 0xb8 && operation <= 0xbf) {
      width_ = is_short ? 2 : 4;
      registers_.at((operation & 7U) | (rex_ & 1U) << 3) = last_number(width_);
      return;
    }
    switch (operation) {
      case 0x0c:
      case 0x0d: registers_.at(rax) |= last_number(width_); break;
      case 0x24:
      case 0x25: registers_.at(rax) &= last_number(width_); break;
      case 0x31:
      case 0x33: registers_.at(is_register() && first() == last() ? first() : 0) = 0; break;
      case 0x8a:
      case 0x8b: registers_.at(first()) = is_register() ? registers_.at(last()) : 0; break;
      case 0x88:
      case 0x89: set(registers_.at(first())); break;
      case 0x80:
      case 0x81: change(last_number(width_)); break;
      case 0x83: change(static_cast<std::uint32_t>(static_cast<std::int8_t>(last_number(1)))); break;
      case 0xc6:
      case 0xc7: set(last_number(width_)); break;
      default: break;
    }
  }

  std::uint8_t mode() const { return byte(operand_) >> 6; }
  bool is_register() const { return mode() == registers_only; }
  std::uint8_t first() const { return static_cast<std::uint8_t>((byte(operand_) >> 3 & 7) | ((rex_ & 4) << 1)); }
  std::uint8_t last() const { return static_cast<std::uint8_t>((byte(operand_) & 7) | ((rex_ & 1) << 3)); }

  /// What the instruction ends with.
  std::uint32_t last_number(std::size_t size) const {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(size, 4); ++i)
      number |= std::uint32_t{byte(bytes_.size() - std::min<std::size_t>(size, 4) + i)} << (8 * i);
    return number;
  }

  /// Where on the stack the operand is.
  std::optional<std::int32_t> place() const {
    const bool of_rsp = last() == rsp && byte(operand_ + 1) == plain_rsp;
    if (is_register() || (!of_rsp && (last() != rbp || mode() == 0))) return std::nullopt;
    const auto at = operand_ + (of_rsp ? 2 : 1);
    const auto far = mode() == 0   ? 0
                     : mode() == 1 ? std::int32_t{static_cast<std::int8_t>(byte(at))}
                                   : static_cast<std::int32_t>(bytes_.number<std::uint32_t>(at).value_or(0));
    if (far >= farthest || far <= -farthest) return std::nullopt;
    return of_rsp ? far : far + behind_rbp;
  }

  void set(std::uint32_t number) {
    if (is_register()) {
      registers_.at(last()) = number;
      return;
    }
    const auto begin = place();
    for (std::size_t i = 0; begin && width_ <= 4 && i < width_ && stack_.size() < 8 * most_strings; ++i)
      if (budget_.keep(size_of_table_row))
        stack_[*begin + static_cast<std::int32_t>(i)] = static_cast<std::uint8_t>(number >> (8 * i));
  }

  void change(std::uint32_t by) {
    const auto kind = byte(operand_) >> 3 & 7;
    if (kind != to_or && kind != to_and) return;
    const auto begin = place();
    std::uint32_t old = is_register() ? registers_.at(last()) : 0;
    for (std::size_t i = 0; begin && i < std::min<std::size_t>(width_, 4); ++i)
      if (const auto known = stack_.find(*begin + static_cast<std::int32_t>(i)); known != stack_.end())
        old |= std::uint32_t{known->second} << (8 * i);
    set(kind == to_or ? old | by : old & by);
  }

  Budget& budget_;
  ByteReader bytes_{{}, ByteOrder::little};  ///< of an instruction
  std::uint8_t rex_ = 0;
  std::size_t operand_ = 0;  ///< where its ModR/M byte stands
  std::size_t width_ = 0;    ///< of what it writes
  std::array<std::uint32_t, 16> registers_{};
  std::map<std::int32_t, std::uint8_t> stack_;
};

}  // namespace

std::string cython_lengths(const FunctionCode& code, std::uint64_t function, const std::vector<CodeStep>& steps,
                           Budget& budget) {
  constexpr std::int32_t size_of_row = 4;
  std::string lengths;
  if (!calls(steps, "PyUnicode_InternInPlace")) return lengths;
  const auto stack = NumberWriter(budget).run(code.body(function));
  std::array<std::size_t, size_of_row> written{};
  const auto row_place = [](std::int32_t place) { return static_cast<std::size_t>(place & (size_of_row - 1)); };
  for (const auto& [place, byte] : stack) ++written.at(row_place(place));
  const auto begin = static_cast<std::size_t>(std::max_element(written.begin(), written.end()) - written.begin());
  std::optional<std::int32_t> next;
  for (const auto& [place, byte] : stack) {
    if (row_place(place) != begin) continue;
    if (next != place) lengths += "\xff\xff\xff\xff";
    for (std::int32_t i = 0; i < size_of_row; ++i) {
      const auto known = stack.find(place + i);
      lengths += known == stack.end() ? '\0' : static_cast<char>(known->second);
    }
    next = place + size_of_row;
  }
  if (!budget.keep(lengths.size())) lengths.clear();
  return lengths;
}

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
