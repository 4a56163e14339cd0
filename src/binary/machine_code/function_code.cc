#include "binary/machine_code/function_code.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>

#include <cudald/image.h>

#include "base/byte_places.h"
#include "binary/elf/elf_layout.h"
#include "binary/machine_code/instruction_length.h"

namespace cudald {
namespace {

constexpr ElfLayout layout{true};
constexpr std::uint64_t longest_operand_text = 512;
constexpr std::uint64_t longest_instruction = 16;
constexpr std::uint64_t most_code = std::uint64_t{1} << 20;  ///< of one function
constexpr std::uint64_t bytes_for_a_step = 4;
constexpr std::uint64_t size_of_row = 8, size_of_slot = 96;

/// What may stand before a call: bnd, notrack, what linkers fill up relaxed calls with.
bool is_prefix(unsigned byte) {
  return byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3 || byte == 0x3e || (byte & 0xf0U) == 0x40;
}

/// By the first byte: call, jump, Jcc, what goes through a slot, and what has REX.W and maybe REX.R.
bool may_be_step(unsigned byte) {
  return byte == 0xe8 || byte == 0xe9 || byte == 0x0f || byte == 0xff || (byte & ~5U) == 0x48;
}

std::int64_t signed_number(std::uint32_t value) { return static_cast<std::int32_t>(value); }

/// Where the distance leads that stands in the code at an address.
std::uint64_t target_at(const char* code, std::uint64_t address) {
  const ByteReader bytes(std::as_bytes(std::span(code, 4)), ByteOrder::little);
  return address + 4 + static_cast<std::uint64_t>(signed_number(bytes.unchecked<std::uint32_t>(0)));
}

/// Puts what is sorted already, or the other way round, from `middle` on among the others.
template <typename Pairs>
void merge(Pairs& pairs, std::ptrdiff_t middle) {
  const auto sort = [](auto begin, auto end) {
    if (!std::is_sorted(begin, end)) std::sort(begin, end);
  };
  std::reverse(pairs.begin() + middle, pairs.end());
  sort(pairs.begin(), pairs.begin() + middle);
  sort(pairs.begin() + middle, pairs.end());
  std::inplace_merge(pairs.begin(), pairs.begin() + middle, pairs.end());
}

}  // namespace

std::optional<FunctionCode> FunctionCode::of(const MappedBytes& bytes, const Image& image, Budget& budget) {
  if (!image.is_elf() || image.format != Format::elf64 || image.machine != EM_X86_64 ||
      image.byte_order != ByteOrder::little)
    return std::nullopt;
  FunctionCode code(bytes, image, budget);
  if (!code.read_segments() || !code.read_relocations()) return std::nullopt;
  return code;
}

bool FunctionCode::read_segments() {
  const auto table = bytes_.number<std::uint64_t>(offsetof(Elf64_Ehdr, e_phoff)).value_or(0);
  const auto count = bytes_.number<std::uint16_t>(offsetof(Elf64_Ehdr, e_phnum)).value_or(0);
  if (!bytes_.holds(table, count * layout.program_header_size())) return false;
  const ByteReader headers(bytes_.bytes(table, count * layout.program_header_size()), ByteOrder::little);
  std::optional<ProgramHeader> frames;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto header = program_header_at(layout, headers, i * layout.program_header_size());
    if (header.type == PT_GNU_EH_FRAME) frames = header;
    if (header.type == PT_LOAD && bytes_.holds(header.offset, header.file_size))
      segments_.push_back({header.address, header.file_size, header.offset, (header.flags & PF_X) != 0});
  }
  return frames && read_functions(frames->offset, frames->address);
}

/// The table for binary search, in which linkers write the distances from its own beginning.
/// Format: Linux Standard Base Core 5.0, 10.6.2, "The .eh_frame_hdr section".
bool FunctionCode::read_functions(std::uint64_t table, std::uint64_t address) {
  constexpr std::uint32_t usual_encodings = 0x3b031b01;
  constexpr std::uint64_t rows_at = 12;
  const auto count = bytes_.number<std::uint32_t>(table + 8);
  if (bytes_.number<std::uint32_t>(table) != usual_encodings || !count ||
      !bytes_.holds(table + rows_at, *count * size_of_row) || !budget_->keep(*count * size_of_row) ||
      !budget_->step(*count))
    return false;
  const ByteReader rows(bytes_.bytes(table + rows_at, *count * size_of_row), ByteOrder::little);
  functions_.reserve(*count);
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto distance = rows.unchecked<std::uint32_t>(i * size_of_row);
    functions_.push_back(address + static_cast<std::uint64_t>(signed_number(distance)));
  }
  if (!std::is_sorted(functions_.begin(), functions_.end())) std::sort(functions_.begin(), functions_.end());
  return !functions_.empty();
}

bool FunctionCode::read_relocations() {
  const auto& tables = image_->elf.tables;
  const auto relocation = [&](std::uint64_t at) {
    return ByteReader(bytes_.bytes(at, sizeof(Elf64_Rela)), ByteOrder::little);
  };
  if (!tables.relocations_have_addends || !tables.plt_relocations_have_addends) return false;
  for (const auto& table : {tables.relocations, tables.plt_relocations}) {
    const auto count = table.size / sizeof(Elf64_Rela);
    if (!table.present || !bytes_.holds(table.offset, count * sizeof(Elf64_Rela))) continue;
    if (!budget_->step(count)) return false;
    for (std::uint64_t i = 0; i < count; ++i) add_relocation(relocation(table.offset + i * sizeof(Elf64_Rela)));
  }
  // The image leaves out the relative ones at the beginning, which need no symbol.
  const auto others = static_cast<std::ptrdiff_t>(pointers_.size());
  auto at = tables.relocations.present ? tables.relocations.offset : 0;
  while (at >= sizeof(Elf64_Rela) && bytes_.holds(at - sizeof(Elf64_Rela), sizeof(Elf64_Rela))) {
    at -= sizeof(Elf64_Rela);
    const auto row = relocation(at);
    if (ELF64_R_TYPE(row.unchecked<std::uint64_t>(8)) != R_X86_64_RELATIVE || !budget_->step()) break;
    add_relocation(row);
  }
  merge(pointers_, others);
  sort_slots();
  return !budget_->exhausted();
}

/// Of several that are written to one place the last counts, one of this file besides one of another.
void FunctionCode::sort_slots() {
  const auto by_place = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::is_sorted(slots_.begin(), slots_.end(), by_place)) std::stable_sort(slots_.begin(), slots_.end(), by_place);
  std::size_t kept = 0;
  for (const auto& [place, slot] : slots_) {
    if (kept == 0 || slots_[kept - 1].first != place) {
      slots_[kept++] = {place, slot};
      continue;
    }
    auto& same = slots_[kept - 1].second;
    if (slot.function != 0)
      same.function = slot.function;
    else
      same.name = slot.name;
  }
  slots_.resize(kept);
}

void FunctionCode::add_relocation(const ByteReader& row) {
  const auto place = row.unchecked<std::uint64_t>(0), info = row.unchecked<std::uint64_t>(8),
             addend = row.unchecked<std::uint64_t>(16);
  const auto type = ELF64_R_TYPE(info);
  if (type == R_X86_64_RELATIVE) {
    if (budget_->keep(sizeof(pointers_[0]))) pointers_.emplace_back(place, addend);
    return;
  }
  if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64) return;
  const auto& tables = image_->elf.tables;
  const auto entry = tables.symbols.offset + ELF64_R_SYM(info) * layout.symbol_size();
  if (!bytes_.holds(entry, layout.symbol_size()) || !budget_->keep(size_of_slot)) return;
  const auto symbol = symbol_at(layout, {bytes_.bytes(entry, layout.symbol_size()), ByteOrder::little}, 0);
  if (symbol.section != SHN_UNDEF) {
    const auto function = symbol.value + (type == R_X86_64_64 ? addend : 0);
    slots_.emplace_back(place, Slot{{}, function});
    pointers_.emplace_back(place, function);
  } else if (const auto name = bytes_.string(tables.strings.offset + symbol.name)) {
    slots_.emplace_back(place, Slot{*name});
  }
}

const FunctionCode::Segment* FunctionCode::segment_of(std::uint64_t address) const {
  for (const auto& segment : segments_)
    if (address >= segment.address && address - segment.address < segment.size) return &segment;
  return nullptr;
}

std::optional<std::uint64_t> FunctionCode::offset_of(std::uint64_t address) const {
  const auto* segment = segment_of(address);
  return segment == nullptr ? std::nullopt : std::optional(segment->offset + (address - segment->address));
}

std::optional<std::uint64_t> FunctionCode::exported(std::string_view prefix) const {
  const auto& tables = image_->elf.tables;
  auto end = tables.symbols.offset + tables.symbols.size;
  // The size of the table is not told; the names stand behind it.
  if (tables.strings.offset > tables.symbols.offset) end = std::min(end, tables.strings.offset);
  for (auto at = tables.symbols.offset; at < end && bytes_.holds(at, layout.symbol_size());
       at += layout.symbol_size()) {
    if (!budget_->step()) return std::nullopt;
    const auto symbol = symbol_at(layout, {bytes_.bytes(at, layout.symbol_size()), ByteOrder::little}, 0);
    if (symbol.section == SHN_UNDEF || symbol.type() != STT_FUNC) continue;
    const auto name = bytes_.bytes(tables.strings.offset + symbol.name, prefix.size());
    if (std::equal(name.begin(), name.end(), prefix.begin(), prefix.end(),
                   [](std::byte a, char b) { return static_cast<char>(a) == b; }))
      return symbol.value;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> FunctionCode::function_at(std::uint64_t address) const {
  const auto next = std::upper_bound(functions_.begin(), functions_.end(), address);
  const auto* segment = segment_of(address);
  if (next == functions_.begin() || segment == nullptr || !segment->code) return std::nullopt;
  return *(next - 1);
}

FunctionCode::Body FunctionCode::body(std::uint64_t function) const {
  const auto* segment = segment_of(function);
  if (segment == nullptr || !segment->code) return {};
  const auto next = std::upper_bound(functions_.begin(), functions_.end(), function);
  auto size = segment->size - (function - segment->address);
  if (next != functions_.end()) size = std::min(size, *next - function);
  size = std::min(size, most_code);
  const auto begin = segment->offset + (function - segment->address);
  return {bytes_.bytes(begin, std::min(size + longest_instruction, bytes_.size() - begin)), size};
}

std::vector<CodeStep> FunctionCode::steps(std::uint64_t function) const {
  std::vector<CodeStep> result;
  const auto [bytes, size] = body(function);
  if (bytes.empty() || !budget_->step(1 + size / bytes_for_a_step)) return result;
  for (std::uint64_t i = 0; i < size;) {
    const auto length = std::max<std::uint64_t>(instruction_length(bytes.subspan(i, size - i)), 1);
    for (auto at = i; at < i + length; ++at) {
      const auto first = std::to_integer<unsigned>(bytes[at]);
      if (may_be_step(first))
        if (auto step = step_at({bytes.subspan(at), ByteOrder::little}, function + at, function)) {
          step->at = function + at;
          result.push_back(*step);
          break;
        }
      if (!is_prefix(first)) break;
    }
    i += length;
  }
  return result;
}

std::vector<std::uint64_t> FunctionCode::callers(const std::set<std::string_view>& names) const {
  std::set<std::uint64_t> slots, functions;
  for (const auto& [place, slot] : slots_)
    if (names.contains(slot.name)) slots.insert(place);
  if (slots.empty()) return {};
  std::set<std::uint64_t> stubs;
  const auto find_stubs = [&](std::string_view block, std::uint64_t begin) {
    for_each_pair_of(block, '\xff', '\x15', '\x25', [&](std::size_t i) {
      const auto address = begin + i;
      if (!slots.contains(target_at(block.data() + i + 2, address + 2))) return;
      if (block[i + 1] == '\x15') {
        if (const auto function = function_at(address)) functions.insert(*function);
        return;
      }
      for (const auto before : std::array<std::uint64_t, 4>{0, 1, 4, 5})  // bnd, endbr64
        if (slot_of_stub(address - before)) stubs.insert(address - before);
    });
  };
  const auto find_calls = [&](std::string_view block, std::uint64_t begin) {
    if (stubs.empty()) return;
    const auto first = *stubs.begin(), last = *stubs.rbegin();
    for_each_place_of(block, '\xe8', '\xe9', [&](std::size_t i) {
      const auto target = target_at(block.data() + i + 1, begin + i + 1);
      if (target < first || target > last || !stubs.contains(target)) return;
      if (const auto function = function_at(begin + i)) functions.insert(*function);
    });
  };
  // Most linkers put stubs before the code; where they do not, what came before them is looked through once more.
  bool is_first = true, again = false;
  each_block([&](std::string_view block, std::uint64_t begin) {
    const auto before = stubs.size();
    find_stubs(block, begin);
    again = again || (stubs.size() != before && !is_first);
    is_first = false;
    find_calls(block, begin);
  });
  if (again) each_block(find_calls);
  return {functions.begin(), functions.end()};
}

/// The code, and where each part of it lies; seven bytes stand behind each.
template <typename Take>
void FunctionCode::each_block(const Take& take) const {
  constexpr std::uint64_t longest = 8;
  for (const auto& segment : segments_) {
    if (!segment.code || segment.size < longest || !budget_->step(segment.size / bytes_for_a_step)) continue;
    bytes_.for_each_block(segment.offset, segment.size, [&](std::string_view block, std::uint64_t offset) {
      take(block.substr(0, block.size() - std::min<std::uint64_t>(block.size(), longest)),
           segment.address + (offset - segment.offset));
    });
  }
}

/// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, LEA, MOV, CALL, JMP, Jcc.
std::optional<CodeStep> FunctionCode::step_at(const ByteReader& code, std::uint64_t address,
                                              std::uint64_t function) const {
  using Kind = CodeStep::Kind;
  constexpr std::uint8_t wide = 0x48, wide_and_high = 0x4c, of_place = 0x05, of_registers = 0xc0, to_rdi = 7,
                         from_rax = 0;
  const auto byte = [&](std::uint64_t i) { return code.number<std::uint8_t>(i).value_or(0); };
  const auto target = [&](std::uint64_t i) {
    return address + i + 4 + static_cast<std::uint64_t>(signed_number(code.number<std::uint32_t>(i).value_or(0)));
  };
  const auto first = byte(0), second = byte(1);
  if (first == 0xe8 || first == 0xe9) return call_of(target(1), function, Kind::call);
  if (first == 0x0f && second >= 0x80 && second <= 0x8f) return call_of(target(2), function, Kind::branch);
  if (first == 0xff && (second == 0x15 || second == 0x25)) return call_through(target(2));
  if ((first & ~5U) != wide || (second != 0x8d && second != 0x8b && second != 0x89)) return std::nullopt;
  const auto operands = byte(2);
  const auto middle = static_cast<std::uint8_t>((operands >> 3 & 7) | ((first & 4U) << 1));
  const auto last = static_cast<std::uint8_t>((operands & 7) | ((first & 1U) << 3));
  // Of copies those into the first argument, and of a result.
  const auto copied = [](std::uint8_t into, std::uint8_t from) {
    return into == to_rdi || from == from_rax ? std::optional(CodeStep{Kind::copy, into, from}) : std::nullopt;
  };
  if (second == 0x89) return operands >= of_registers ? copied(last, middle) : std::nullopt;
  if (second == 0x8b && operands >= of_registers) return copied(middle, last);
  if ((operands & 0xc7) != of_place || (first != wide && first != wide_and_high)) return std::nullopt;
  return CodeStep{second == 0x8d ? Kind::address : Kind::load, middle, 0, target(3)};
}

/// Of a call or jump out of a function: to another one, or to the stub of one of another file.
std::optional<CodeStep> FunctionCode::call_of(std::uint64_t target, std::uint64_t function, CodeStep::Kind kind) const {
  const auto callee = function_at(target);
  if (!callee || *callee == function) return std::nullopt;
  const auto slot = slot_of_stub(target);
  if (auto stub = slot ? call_through(*slot) : std::nullopt) return stub;
  return CodeStep{kind, 0, 0, *callee};
}

/// The slot that a stub jumps through.
std::optional<std::uint64_t> FunctionCode::slot_of_stub(std::uint64_t address) const {
  constexpr std::uint32_t endbr64 = 0xfa1e0ff3;
  const auto offset = offset_of(address);
  if (!offset) return std::nullopt;
  auto at = *offset;
  if (bytes_.number<std::uint32_t>(at) == endbr64) at += 4, address += 4;
  if (bytes_.number<std::uint8_t>(at) == 0xf2) at += 1, address += 1;
  if (bytes_.number<std::uint16_t>(at) != 0x25ff) return std::nullopt;
  const auto distance = bytes_.number<std::uint32_t>(at + 2).value_or(0);
  return address + 6 + static_cast<std::uint64_t>(signed_number(distance));
}

std::optional<CodeStep> FunctionCode::call_through(std::uint64_t slot) const {
  const auto found = std::lower_bound(slots_.begin(), slots_.end(), slot,
                                      [](const auto& one, std::uint64_t place) { return one.first < place; });
  if (found == slots_.end() || found->first != slot) return std::nullopt;
  const auto& [name, function] = found->second;
  if (!name.empty()) return CodeStep{CodeStep::Kind::imported, 0, 0, 0, name};
  const auto callee = function_at(function);
  return callee ? std::optional(CodeStep{CodeStep::Kind::call, 0, 0, *callee}) : std::nullopt;
}

std::optional<std::string_view> FunctionCode::text_at(std::uint64_t address) const {
  const auto at = offset_of(address);
  const auto text = at ? bytes_.string(*at) : std::nullopt;
  return text && text->size() <= longest_operand_text ? text : std::nullopt;
}

std::optional<std::uint32_t> FunctionCode::number_at(std::uint64_t address) const {
  const auto at = offset_of(address);
  return at ? bytes_.number<std::uint32_t>(*at) : std::nullopt;
}

std::optional<std::uint64_t> FunctionCode::pointer_at(std::uint64_t address) const {
  const auto found = std::lower_bound(pointers_.begin(), pointers_.end(), std::pair(address, std::uint64_t{0}));
  if (found != pointers_.end() && found->first == address) return found->second;
  if (!image_->elf.tables.relr.present) return std::nullopt;
  const auto at = offset_of(address);
  const auto written = at ? bytes_.number<std::uint64_t>(*at) : std::nullopt;
  return written && *written != 0 ? written : std::nullopt;
}

}  // namespace cudald
