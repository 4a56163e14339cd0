#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/elf_builder.h"

namespace cudald {

/// An extension module for x86-64 whose few instructions are written here: PyInit_made is the first function.
class CodeFile {
 public:
  static constexpr std::uint64_t base = 0x400000, stubs = base + 0x800, texts = base + 0xc00, table = base + 0x1400,
                                 slots = base + 0x1800, variables = base + 0x1c00, relocations = base + 0x1e00,
                                 end = base + 0x2400,
                                 unwritten = end + 0x100;  ///< memory of which the file has no bytes
  static constexpr std::uint8_t rdi = 7, rsi = 6, rbx = 3, rax = 0;

  /// The functions of other files that it calls.
  explicit CodeFile(std::vector<std::string> imported) : imported_(std::move(imported)) {}

  /// A function begins here. Returns its address.
  std::uint64_t function() {
    code_.resize((code_.size() + 15) / 16 * 16, '\xcc');
    starts_.push_back(here());
    return here();
  }
  std::uint64_t here() const { return base + code_.size(); }
  std::uint64_t text(const std::string& text) {
    texts_ += text + '\0';
    return texts + texts_.size() - text.size() - 1;
  }
  CodeFile& address(std::uint8_t reg, std::uint64_t place) {
    return with_place({'\x48', '\x8d', register_of(reg)}, place);
  }
  CodeFile& load(std::uint8_t reg, std::uint64_t place) {
    return with_place({'\x48', '\x8b', register_of(reg)}, place);
  }
  CodeFile& copy(std::uint8_t into, std::uint8_t from) {
    code_ += {'\x48', '\x89', static_cast<char>(0xc0 | from << 3 | into)};
    return *this;
  }
  /// To a place on the stack.
  CodeFile& store(std::uint32_t place, std::uint8_t reg) {
    code_ += {'\x48', '\x89', static_cast<char>(0x84 | reg << 3), '\x24'};
    append(code_, place);
    return *this;
  }
  /// Other instructions, as they are.
  CodeFile& raw(const std::string& instructions) {
    code_ += instructions;
    return *this;
  }
  /// The loader writes this address there, and these eight bytes stand behind it.
  CodeFile& pointer(std::uint64_t place, std::uint64_t address, std::uint64_t behind = 0) {
    pointers_.push_back({place, address, behind});
    return *this;
  }
  CodeFile& call(std::uint64_t function) { return with_place({'\xe8'}, function); }
  CodeFile& call(const std::string& name) { return call(stubs + 8 * number(name)); }
  /// The stubs lie in a segment of their own, behind that of the functions.
  CodeFile& stubs_apart() {
    stubs_apart_ = true;
    return *this;
  }
  /// Its first function has this name, and it needs a library beside it.
  CodeFile& exports(const std::string& name) {
    exported_ = name;
    return *this;
  }
  CodeFile& needs(const std::string& library) {
    needed_.push_back(library);
    return *this;
  }
  CodeFile& call_by_slot(const std::string& name) { return with_place({'\xff', '\x15'}, slots + 8 * number(name)); }

  std::string bytes() {
    constexpr std::uint64_t offset = 0x4000;
    ElfSpec spec;
    for (const auto& name : imported_) spec.uses.push_back({name, ElfUse::call});
    spec.defines = {{.name = exported_, .value = base}};
    for (const auto& library : needed_) spec.needed.emplace_back(library);
    if (!needed_.empty()) spec.runpath = "$ORIGIN";
    spec.segments = {{PT_LOAD, PF_R | PF_X, offset, base, end - base, end - base, 0x1000},
                     {PT_GNU_EH_FRAME, PF_R, offset + (table - base), table, 0x400, 0x400, 4}};
    if (stubs_apart_) {
      auto& functions = spec.segments.front();
      auto rest = functions;
      functions.file_size = functions.memory_size = stubs - base;
      rest.offset += stubs - base, rest.address = stubs;
      rest.file_size = rest.memory_size = end - stubs;
      spec.segments.insert(spec.segments.begin() + 1, rest);
    }
    if (!pointers_.empty())
      spec.dynamic = {
          {DT_RELA, relocations}, {DT_RELASZ, pointers_.size() * sizeof(Elf64_Rela)}, {DT_RELAENT, sizeof(Elf64_Rela)}};
    auto built = build_elf(spec);
    for (std::size_t i = 0; i < imported_.size(); ++i)
      poke(built.bytes, built.at.at("plt relocations") + i * sizeof(Elf64_Rela), slots + 8 * i);
    built.bytes.resize(offset);
    std::string all = code_;
    all.resize(stubs - base, '\xcc');
    for (std::size_t i = 0; i < imported_.size(); ++i) {
      all += "\xff\x25";
      append(all, static_cast<std::uint32_t>(slots + 8 * i - (base + all.size() + 4)));
      all += "\xcc\xcc";
    }
    all.resize(texts - base, '\xcc');
    all += texts_;
    all.resize(table - base, '\0');
    append(all, std::uint32_t{0x3b031b01});
    append(all, std::uint32_t{0});
    append(all, static_cast<std::uint32_t>(starts_.size() + 1));
    starts_.push_back(stubs);
    for (const auto start : starts_) {
      append(all, static_cast<std::uint32_t>(start - table));
      append(all, std::uint32_t{0});
    }
    all.resize(end - base, '\0');
    for (std::size_t i = 0; i < pointers_.size(); ++i) {
      const auto& [place, address, behind] = pointers_[i];
      const auto at = relocations - base + i * sizeof(Elf64_Rela);
      poke(all, at, place);
      poke(all, at + 8, std::uint64_t{R_X86_64_RELATIVE});
      poke(all, at + 16, address);
      poke(all, place - base + 8, behind);
    }
    return built.bytes + all;
  }

 private:
  static char register_of(std::uint8_t reg) { return static_cast<char>(0x05 | reg << 3); }
  std::uint64_t number(const std::string& name) const {
    std::uint64_t i = 0;
    while (imported_.at(i) != name) ++i;
    return i;
  }
  CodeFile& with_place(const std::string& instruction, std::uint64_t place) {
    code_ += instruction;
    append(code_, static_cast<std::uint32_t>(place - (here() + 4)));
    return *this;
  }

  struct Pointer {
    std::uint64_t place, address, behind;
  };

  std::vector<std::string> imported_;
  std::vector<Pointer> pointers_;
  std::vector<std::uint64_t> starts_;
  std::string code_, texts_, exported_ = "PyInit_made";
  std::vector<std::string> needed_;
  bool stubs_apart_ = false;
};

}  // namespace cudald
