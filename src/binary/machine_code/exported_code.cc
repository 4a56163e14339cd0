#include "binary/machine_code/exported_code.h"

#include <algorithm>
#include <array>

#include <cudald/image.h>

#include "binary/elf/elf_layout.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_export_code = 8192;  // of one function
constexpr std::uint64_t code_of_callee = 96;
constexpr std::uint64_t code_of_unknown_size = 768;
constexpr std::size_t most_callees = 64;
constexpr std::size_t longest_export = 1 << 14;  // C++ names are long
constexpr int most_chain_steps = 4096;

/// x86-64: `mov [...], imm32` (C7 /0), `mov r32, imm32` (B8+r), `call` and `jmp` (E8, E9). Each place is tried, as
/// instructions are not told apart: the reader of the numbers must know what to expect.
class X86Scan {
 public:
  explicit X86Scan(const std::vector<std::byte>& code) : bytes_(code, ByteOrder::little) {}

  static constexpr std::byte ret{0xc3}, padding{0xcc};

  std::optional<CodeConstant> constant(std::uint64_t at) const {
    const auto opcode = bytes_.unchecked<std::uint8_t>(at);
    if (opcode == 0xc7) {
      const auto length = operand_length(at + 1);
      const auto value = length ? bytes_.number<std::uint32_t>(at + 1 + *length) : std::nullopt;
      if (value) return CodeConstant{*value, true};
    }
    if (opcode >= 0xb8 && opcode <= 0xbf)
      if (const auto value = bytes_.number<std::uint32_t>(at + 1)) return CodeConstant{*value, false};
    return std::nullopt;
  }

  /// Where a call leads to, from the address of the instruction.
  std::optional<std::int64_t> call(std::uint64_t at) const {
    const auto opcode = bytes_.unchecked<std::uint8_t>(at);
    if (opcode != 0xe8 && opcode != 0xe9) return std::nullopt;
    const auto distance = bytes_.number<std::uint32_t>(at + 1);
    return distance ? std::optional<std::int64_t>(static_cast<std::int32_t>(*distance) + std::int64_t{5})
                    : std::nullopt;
  }

 private:
  /// Bytes of ModRM, SIB and displacement; nullopt for a register or another instruction of the group.
  std::optional<std::uint64_t> operand_length(std::uint64_t at) const {
    const auto modrm = bytes_.number<std::uint8_t>(at);
    if (!modrm || (*modrm >> 3 & 7) != 0 || *modrm >> 6 == 3) return std::nullopt;
    const int mode = *modrm >> 6, base = *modrm & 7;
    const std::uint64_t sib = base == 4 ? 1 : 0;
    if (mode == 1) return 1 + sib + 1;
    if (mode == 2 || base == 5) return 1 + sib + 4;
    return 1 + sib;
  }

  ByteReader bytes_;
};

std::int64_t signed_bits(std::uint32_t value, int bits) {
  const auto sign = std::int64_t{1} << (bits - 1);
  return ((static_cast<std::int64_t>(value) & (2 * sign - 1)) ^ sign) - sign;
}

}  // namespace

ExportedCode::ExportedCode(const File& file, const Image& image) : image_(image), window_(file, image.byte_order) {
  if (image.is_pe()) memory_.emplace(file, *image.pe);
}

std::vector<CodeConstant> ExportedCode::constants(std::string_view name) {
  const auto function = find(name);
  return function ? scan(*function, false).constants : std::vector<CodeConstant>();
}

std::vector<CodeConstant> ExportedCode::constants_of_callees(std::string_view name) {
  std::vector<CodeConstant> all;
  const auto function = find(name);
  if (!function) return all;
  for (const auto callee : scan(*function, false).callees) {
    const auto found = scan({callee, code_of_callee}, true).constants;
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

std::optional<std::uint32_t> ExportedCode::variable(std::string_view name) {
  const auto place = find(name);
  if (!place) return std::nullopt;
  const auto bytes = code(place->address, sizeof(std::uint32_t));
  return ByteReader(bytes, image_.byte_order).number<std::uint32_t>(0);
}

std::optional<ExportedCode::Function> ExportedCode::find(std::string_view name) {
  if (memory_) return find_by_name(name);
  if (!image_.is_elf() || !image_.elf.tables.symbols.present) return std::nullopt;
  return image_.elf.tables.gnu_hash.present ? find_by_gnu_hash(name) : find_by_sysv_hash(name);
}

// Format: glibc elf/dl-lookup.c, do_lookup_x.
std::optional<ExportedCode::Function> ExportedCode::find_by_gnu_hash(std::string_view name) {
  const auto at = image_.elf.tables.gnu_hash.offset, end = at + image_.elf.tables.gnu_hash.size;
  const auto buckets = window_.number<std::uint32_t>(at), first = window_.number<std::uint32_t>(at + 4);
  const auto blooms = window_.number<std::uint32_t>(at + 8);
  if (!buckets || !first || !blooms || *buckets == 0) return std::nullopt;
  const std::uint64_t word = image_.format == Format::elf64 ? 8 : 4;
  const auto buckets_at = at + 16 + word * *blooms, chain_at = buckets_at + std::uint64_t{4} * *buckets;
  const auto hash = gnu_hash(name);
  const auto start = window_.number<std::uint32_t>(buckets_at + std::uint64_t{4} * (hash % *buckets));
  if (!start || *start < *first) return std::nullopt;
  for (std::uint64_t index = *start, step = 0; step < most_chain_steps; ++index, ++step) {
    const auto place = chain_at + 4 * (index - *first);
    const auto entry = place < end ? window_.number<std::uint32_t>(place) : std::nullopt;
    if (!entry) return std::nullopt;
    if (((*entry ^ hash) >> 1) == 0)
      if (const auto found = symbol(index, name)) return found;
    if ((*entry & 1) != 0) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<ExportedCode::Function> ExportedCode::find_by_sysv_hash(std::string_view name) {
  if (!image_.elf.tables.sysv_hash.present) return std::nullopt;
  const std::uint64_t at = image_.elf.tables.sysv_hash.offset;
  const std::uint64_t word = ElfLayout{image_.format == Format::elf64}.sysv_hash_word(image_.machine);
  const auto number = [&](std::uint64_t which) {
    if (word == 4) return window_.number<std::uint32_t>(at + which * word);
    const auto wide = window_.number<std::uint64_t>(at + which * word);
    return wide && *wide <= UINT32_MAX ? std::optional(static_cast<std::uint32_t>(*wide)) : std::nullopt;
  };
  const auto buckets = number(0);
  if (!buckets || *buckets == 0) return std::nullopt;
  auto index = number(2 + sysv_hash(name) % *buckets);
  for (int step = 0; index && *index != 0 && step < most_chain_steps; ++step) {
    if (const auto found = symbol(*index, name)) return found;
    index = number(std::uint64_t{2} + *buckets + *index);
  }
  return std::nullopt;
}

std::optional<ExportedCode::Function> ExportedCode::symbol(std::uint64_t index, std::string_view name) {
  const ElfLayout layout{image_.format == Format::elf64};
  const auto at = index * layout.symbol_size();
  if (at + layout.symbol_size() > image_.elf.tables.symbols.size) return std::nullopt;
  const auto bytes = window_.bytes(image_.elf.tables.symbols.offset + at, layout.symbol_size());
  if (bytes.size() != layout.symbol_size()) return std::nullopt;
  const auto entry = symbol_at(layout, ByteReader(bytes, image_.byte_order), 0);
  // As much of it as the name could be: a chain may lead to many long ones.
  const auto text = window_.string(image_.elf.tables.strings.offset + entry.name,
                                   image_.elf.tables.strings.offset + image_.elf.tables.strings.size, name.size());
  if (!text || *text != name || entry.section == SHN_UNDEF || entry.binding() == STB_LOCAL) return std::nullopt;
  return Function{entry.value, entry.size};
}

// The names in an export directory are sorted (Microsoft, "PE Format": Export Name Pointer Table).
std::optional<ExportedCode::Function> ExportedCode::find_by_name(std::string_view name) {
  const auto& pe = *image_.pe;
  if (pe.exports_at == 0) return std::nullopt;
  const std::uint64_t at = pe.exports_at;
  const auto addresses = memory_->number<std::uint32_t>(at + 28), names = memory_->number<std::uint32_t>(at + 32),
             indexes = memory_->number<std::uint32_t>(at + 36);
  if (!addresses || !names || !indexes) return std::nullopt;
  std::uint64_t low = 0, high = pe.export_names;
  while (low < high) {
    const auto middle = low + (high - low) / 2;
    const auto place = memory_->number<std::uint32_t>(*names + 4 * middle);
    const auto text = place ? memory_->string(*place, longest_export) : std::nullopt;
    if (!text) return std::nullopt;
    if (*text < name) {
      low = middle + 1;
    } else if (*text > name) {
      high = middle;
    } else {
      const auto index = memory_->number<std::uint16_t>(*indexes + 2 * middle);
      const auto address =
          index ? memory_->number<std::uint32_t>(*addresses + std::uint64_t{4} * *index) : std::nullopt;
      if (!address) return std::nullopt;
      return Function{*address, 0};
    }
  }
  return std::nullopt;
}

std::vector<std::byte> ExportedCode::code(std::uint64_t address, std::uint64_t length) {
  if (memory_) return memory_->bytes(address, length);
  for (const auto& segment : image_.elf.load_segments) {
    if (address < segment.address || address - segment.address >= segment.file_size) continue;
    const auto inside = address - segment.address;
    return window_.bytes(segment.offset + inside, std::min(length, segment.file_size - inside));
  }
  return {};
}

ExportedCode::Scan ExportedCode::scan(const Function& function, bool to_first_return) {
  Scan result;
  const auto bytes =
      code(function.address, function.size == 0 ? code_of_unknown_size : std::min(function.size, most_export_code));
  const auto add_callee = [&](std::uint64_t at, std::int64_t distance) {
    const auto callee = function.address + at + static_cast<std::uint64_t>(distance);
    const bool inside = callee >= function.address && callee - function.address < bytes.size();
    if (!inside && result.callees.size() < most_callees) result.callees.push_back(callee);
  };

  if (image_.machine == EM_X86_64) {
    const X86Scan x86(bytes);
    for (std::uint64_t at = 0; at < bytes.size(); ++at) {
      if (to_first_return && bytes[at] == X86Scan::ret) break;
      // Behind a function whose size is not told comes padding.
      if (function.size == 0 && at != 0 && bytes[at] == X86Scan::padding && bytes[at - 1] == X86Scan::padding) break;
      if (const auto found = x86.constant(at)) result.constants.push_back(*found);
      if (const auto distance = x86.call(at)) add_callee(at, *distance);
    }
  } else if (image_.machine == EM_AARCH64) {
    // Arm ARM C6.2: MOVZ and MOVK put a number together, 16 bits at a time; B and BL.
    const ByteReader words(bytes, ByteOrder::little);
    std::array<std::optional<std::size_t>, 32> made_in;
    for (std::uint64_t at = 0; words.holds(at, 4); at += 4) {
      const auto word = words.unchecked<std::uint32_t>(at);
      if (to_first_return && word == 0xd65f03c0) break;
      const auto target = word & 31, shift = 16 * (word >> 21 & 3), part = word >> 5 & 0xffff;
      if ((word & 0x7f800000) == 0x52800000 && shift < 32) {
        made_in[target] = result.constants.size();
        result.constants.push_back({part << shift, target != 0});
      } else if ((word & 0x7f800000) == 0x72800000 && shift < 32 && made_in[target]) {
        auto& value = result.constants[*made_in[target]].value;
        value = (value & ~(0xffffU << shift)) | part << shift;
      } else if ((word & 0x7c000000) == 0x14000000) {
        add_callee(at, 4 * signed_bits(word, 26));
      }
    }
  }
  return result;
}

}  // namespace cudald
