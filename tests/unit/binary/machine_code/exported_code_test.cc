#include "binary/machine_code/exported_code.h"

#include <map>

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "common/elf_builder.h"
#include "common/memory_file_system.h"
#include "common/pe_builder.h"

using namespace cudald;
using namespace std::string_literals;

namespace {

constexpr std::uint64_t code_at_offset = 0x4000, code_base = 0x400000, function_at = code_base + 0x400;

/// An open file and what it says of itself, which a test may change.
class OpenedFileOf {
 public:
  explicit OpenedFileOf(std::string bytes) {
    files_.add_file("/file", std::move(bytes));
    file_ = std::move(*files_.open("/file"));
    const auto read = read_image(*file_);
    REQUIRE(read);
    image = **read;
  }

  ExportedCode code() const { return {*file_, image}; }
  bool has(std::string_view name) const { return code().has(name); }

  Image image;

 private:
  MemoryFileSystem files_;
  std::unique_ptr<File> file_;
};

/// "1 [2]": 1 into a register, 2 to memory.
std::string constants_of(const std::vector<CodeConstant>& constants) {
  std::string text;
  for (const auto& [value, stored] : constants) {
    if (!text.empty()) text += ' ';
    text += stored ? "[" + std::to_string(value) + "]" : std::to_string(value);
  }
  return text;
}

std::string word_of(std::uint64_t value) {
  std::string bytes;
  append(bytes, static_cast<std::uint32_t>(value));
  return bytes;
}

/// mov eax, value
std::string mov_of(std::uint32_t value) { return "\xb8" + word_of(value); }

/// A call from one address to another.
std::string call_of(std::uint64_t from, std::uint64_t to) { return "\xe8" + word_of(to - from - 5); }

/// A library with the function `f` at `function_at`; and what else stands in its code, by addresses.
struct CodeSpec {
  std::map<std::uint64_t, std::string> at;
  std::uint64_t size = 0;  ///< of the function; 0: not told
  std::uint16_t machine = EM_X86_64;
  std::uint64_t length = 0x4000;
};

OpenedFileOf library_of(const CodeSpec& code) {
  ElfSpec spec;
  spec.machine = code.machine;
  spec.defines = {{.name = "f", .value = function_at}};
  spec.segments = {{PT_LOAD, PF_R | PF_X, code_at_offset, code_base, code.length, code.length, 0x1000}};
  auto built = build_elf(spec);
  poke(built.bytes, built.at.at("symbols") + sizeof(Elf64_Sym) + 16, code.size);
  built.bytes.resize(code_at_offset + code.length);
  for (const auto& [address, bytes] : code.at)
    built.bytes.replace(code_at_offset + (address - code_base), bytes.size(), bytes);
  return OpenedFileOf(built.bytes);
}

std::string numbers_in(const std::string& code, std::uint64_t size = 0, std::uint16_t machine = EM_X86_64) {
  return constants_of(library_of({{{function_at, code}}, size, machine}).code().constants("f"));
}

std::string numbers_of_callees(const CodeSpec& code) {
  return constants_of(library_of(code).code().constants_of_callees("f"));
}

/// movz or movk: `into` a register, its `part`th 16 bits.
std::string move_of(bool keep, unsigned into, unsigned value, unsigned part = 0, bool wide = false) {
  return word_of((keep ? 0x72800000U : 0x52800000U) | (wide ? 1U << 31 : 0U) | part << 21 | value << 5 | into);
}

std::string branch_of(bool link, std::uint64_t from, std::uint64_t to) {
  return word_of((link ? 0x94000000U : 0x14000000U) | ((to - from) / 4 & 0x3ffffff));
}

}  // namespace

TEST_CASE("numbers in code for x86-64: those put into registers, and those written to memory") {
  struct Row {
    std::string code, expected;
  };
  const auto n = word_of(42);
  for (const auto& row : std::vector<Row>{{"\xb8" + n, "42"},
                                          {"\xbf" + n, "42"},
                                          {"\xb7" + n, ""},
                                          {"\xc0" + n, ""},
                                          {"\xc7\x07" + n, "[42]"},
                                          {"\xc7\x05" + word_of(0x10) + n, "[42]"},
                                          {"\xc7\x04\x24" + n, "[42]"},
                                          {"\xc7\x45\xf8" + n, "[42]"},
                                          {"\xc7\x44\x24\x08" + n, "[42]"},
                                          {"\xc7\x86" + word_of(0x10) + n, "[42]"},
                                          {"\xc7\x84\x24" + word_of(0x10) + n, "[42]"},
                                          {"\xc7\xc2" + n, ""},  // a register
                                          {"\xc7\x0f" + n, ""},  // another of the group
                                          {"\xc6\x07" + n, ""},
                                          {mov_of(1) + "\xc7\x07" + word_of(2) + mov_of(3), "1 [2] 3"}}) {
    const auto &code = row.code, &expected = row.expected;
    CAPTURE(expected);
    CAPTURE(code.size());
    CHECK(numbers_in(code, code.size()) == expected);
    // The last byte of the number lies behind the function.
    const auto cut = numbers_in(code, code.size() - 1);
    CHECK(cut == (expected.size() > 4 ? "1 [2]" : ""));
  }
  CHECK(numbers_in("\xc7", 1).empty());
}

TEST_CASE("a function ends where its symbol says, or before padding, or after so much") {
  CHECK(numbers_in(mov_of(1) + "\xcc\xcc" + mov_of(2), 12) == "1 2");
  CHECK(numbers_in(mov_of(1) + "\xcc\xcc" + mov_of(2)) == "1");
  CHECK(numbers_in(mov_of(1) + "\xcc" + mov_of(2)) == "1 2");
  CHECK(numbers_in("\xcc" + mov_of(1)) == "1");
  CHECK(numbers_in("\xcc\xcc" + mov_of(1)).empty());
  CHECK(numbers_in(mov_of(1) + "\xc3" + mov_of(2)) == "1 2");  // other ways out may come first
  CHECK(numbers_in(std::string(768 - 5, '\0') + mov_of(1)) == "1");
  CHECK(numbers_in(std::string(768 - 4, '\0') + mov_of(1)).empty());
  CHECK(numbers_in(std::string(8192 - 5, '\0') + mov_of(1), 9000) == "1");
  CHECK(numbers_in(std::string(8192 - 4, '\0') + mov_of(1), 9000).empty());
}

TEST_CASE("code is what the segment holds of it in the file") {
  const auto of = [](std::uint64_t length) {
    return constants_of(
        library_of({{{function_at, mov_of(1).substr(0, length - 0x400)}}, 5, EM_X86_64, length}).code().constants("f"));
  };
  CHECK(of(0x405) == "1");
  CHECK(of(0x404).empty());
  auto made = library_of({{{function_at, mov_of(1)}}, 5});
  auto& segments = made.image.elf.load_segments;
  REQUIRE(segments.size() == 2);
  CHECK(constants_of(made.code().constants("f")) == "1");
  segments[1].address = function_at + 1;
  CHECK(made.code().constants("f").empty());
  segments[1].address = function_at;
  segments[1].offset = code_at_offset + 0x400;
  CHECK(constants_of(made.code().constants("f")) == "1");
  segments.clear();
  CHECK(made.has("f"));
  CHECK(made.code().constants("f").empty());
}

TEST_CASE("of the functions that a function calls or jumps to, the beginnings are read, up to the first return") {
  const auto callee = function_at + 0x1000;
  const auto of = [&](const std::string& code, std::uint64_t at = function_at + 0x1000) {
    return numbers_of_callees({{{function_at, call_of(function_at, at)}, {at, code}}, 5});
  };
  CHECK(of(mov_of(7)) == "7");
  CHECK(of(mov_of(7) + "\xc3" + mov_of(8)) == "7");
  CHECK(of(mov_of(7) + "\xcc\xcc" + mov_of(8)) == "7 8");
  CHECK(of(std::string(96 - 5, '\0') + mov_of(7)) == "7");
  CHECK(of(std::string(96 - 4, '\0') + mov_of(7)).empty());
  CHECK(of(mov_of(7), function_at - 0x100) == "7");
  CHECK(of(mov_of(7), function_at + 5) == "7");
  CHECK(numbers_of_callees({{{function_at, mov_of(1) + call_of(function_at + 5, function_at)}}, 10}).empty());
  CHECK(numbers_of_callees({{{function_at, call_of(function_at, function_at + 5) + mov_of(1)}}, 10}).empty());
  CHECK(numbers_of_callees({{{function_at, "\xe9" + word_of(0x1000 - 5)}, {callee, mov_of(7)}}, 5}) == "7");
  CHECK(numbers_of_callees({{{function_at, "\xea" + word_of(0x1000 - 5)}, {callee, mov_of(7)}}, 5}).empty());
  CHECK(numbers_of_callees({{{function_at, call_of(function_at, callee)}, {callee, mov_of(7)}}, 4}).empty());
  auto made = library_of({{{function_at, mov_of(1)}}, 5});
  CHECK(made.code().constants_of_callees("g").empty());
  CHECK(made.code().constants("g").empty());
}

TEST_CASE("at most 64 functions are followed, in the order of the calls") {
  CodeSpec code{{}, 0};
  std::string calls;
  for (std::uint64_t i = 0; i < 65; ++i) {
    const auto at = function_at + 0x1000 + 8 * i;
    calls += call_of(function_at + calls.size(), at);
    code.at[at] = mov_of(static_cast<std::uint32_t>(100 + i)) + "\xc3";
  }
  code.at[function_at] = calls;
  code.size = calls.size();
  const auto found = library_of(code).code().constants_of_callees("f");
  REQUIRE(found.size() == 64);
  CHECK(found.front().value == 100);
  CHECK(found.back().value == 163);
}

TEST_CASE("numbers in code for AArch64 are put together of two parts") {
  const auto of = [](const std::string& code) { return numbers_in(code, code.size(), EM_AARCH64); };
  CHECK(of(move_of(false, 0, 42)) == "42");
  CHECK(of(move_of(false, 1, 42)) == "[42]");
  CHECK(of(move_of(false, 0, 42, 0, true)) == "42");
  CHECK(of(move_of(false, 0, 3, 1)) == "196608");
  CHECK(of(move_of(false, 0, 3, 2)).empty());
  CHECK(of(move_of(false, 0, 0x2b67) + move_of(true, 0, 1, 1)) == std::to_string(0x12b67));
  CHECK(of(move_of(false, 0, 5, 1) + move_of(true, 0, 7, 1) + move_of(true, 0, 2)) == std::to_string(0x70002));
  CHECK(of(move_of(false, 0, 1) + move_of(false, 2, 2) + move_of(true, 0, 3, 1, true)) ==
        std::to_string(0x30001) + " [2]");
  CHECK(of(move_of(false, 0, 1) + move_of(true, 0, 3, 2)) == "1");
  CHECK(of(move_of(true, 0, 3)).empty());
  CHECK(of(move_of(false, 0, 1) + word_of(0xd65f03c0) + move_of(false, 0, 2)) == "1 2");
  CHECK(numbers_in(move_of(false, 0, 1) + move_of(false, 0, 2), 7, EM_AARCH64) == "1");
  CHECK(numbers_in(mov_of(42), 5, EM_AARCH64).empty());
  CHECK(numbers_in(mov_of(42), 5, EM_PPC64).empty());
}

TEST_CASE("calls and jumps of AArch64 lead on and back") {
  for (const bool link : {true, false})
    for (const auto at : {function_at + 0x1000, function_at - 0x100}) {
      CodeSpec code{{{function_at, branch_of(link, function_at, at)},
                     {at, move_of(false, 0, 7) + word_of(0xd65f03c0) + move_of(false, 0, 8)}},
                    4,
                    EM_AARCH64};
      CAPTURE(link);
      CAPTURE(at);
      CHECK(numbers_of_callees(code) == "7");
      code.at[function_at] = std::string(4, '\0') + branch_of(link, function_at + 4, at);
      code.size = 8;
      CHECK(numbers_of_callees(code) == "7");
    }
  CHECK(numbers_of_callees({{{function_at, branch_of(true, function_at, function_at + 4) + move_of(false, 0, 7)},
                             {code_base, move_of(false, 0, 9)}},
                            8,
                            EM_AARCH64})
            .empty());
}

TEST_CASE("an exported variable is read in the order of the file, in both classes, by either hash table") {
  for (const auto hash : {ElfHash::gnu, ElfHash::sysv, ElfHash::both}) {
    ElfSpec spec;
    spec.hash = hash;
    // "ab" and "bA" have one hash; the variables are the first bytes of the file.
    spec.defines = {
        {.name = "ab", .value = 0x10000}, {.name = "bA", .value = 0x10001}, {.name = "c", .value = 0x10002}};
    spec.uses = {{"imported"}};
    CHECK(OpenedFileOf(elf(spec)).code().variable("ab") == 0x464c457f);
    CHECK(OpenedFileOf(elf(spec)).code().variable("bA") == 0x02464c45);
    CHECK(OpenedFileOf(elf(spec)).code().variable("c") == 0x0102464c);
    CHECK_FALSE(OpenedFileOf(elf(spec)).code().variable("d"));
    CHECK_FALSE(OpenedFileOf(elf(spec)).has("imported"));
    spec.defines.erase(spec.defines.begin());
    CHECK_FALSE(OpenedFileOf(elf(spec)).has("ab"));
    CHECK(OpenedFileOf(elf(spec)).has("bA"));
    spec.byte_order = ByteOrder::big, spec.machine = EM_S390;
    CHECK(OpenedFileOf(elf(spec)).code().variable("bA") == 0x454c4602);
    spec.byte_order = ByteOrder::little, spec.machine = EM_386, spec.is_64 = false;
    CHECK(OpenedFileOf(elf(spec)).code().variable("c") == 0x0101464c);
  }
  ElfSpec spec;
  spec.defines = {{.name = "f", .value = 0x10000}};
  spec.hash = ElfHash::none;
  CHECK_FALSE(OpenedFileOf(elf(spec)).has("f"));
  spec.hash = ElfHash::gnu;
  CHECK(OpenedFileOf(elf(spec)).has("f"));
  spec.defines[0].binding = STB_WEAK;
  CHECK(OpenedFileOf(elf(spec)).has("f"));
  spec.defines[0].binding = STB_LOCAL;
  CHECK_FALSE(OpenedFileOf(elf(spec)).has("f"));
  CHECK_FALSE(OpenedFileOf("no library").has("f"));
  CHECK_FALSE(OpenedFileOf(elf({})).has("f"));
}

namespace {

/// A file with the symbol `f` at an index, and a hash table in whose only bucket it is met after `step` others.
OpenedFileOf chained(bool gnu, std::uint64_t step) {
  constexpr std::uint64_t hash_at = 0x1000, symbols_at = 0x10000, strings_at = 0x40000;
  std::string bytes = elf({});
  bytes.resize(strings_at + 3);
  bytes.replace(strings_at, 3, "\0f\0"s);
  const auto symbol = symbols_at + (1 + step) * sizeof(Elf64_Sym);
  poke(bytes, symbol, std::uint32_t{1});
  bytes[symbol + 4] = STB_GLOBAL << 4;
  poke(bytes, symbol + 6, std::uint16_t{1});
  poke(bytes, hash_at, std::uint32_t{1});
  if (gnu) {
    poke(bytes, hash_at + 4, std::uint32_t{1});
    poke(bytes, hash_at + 8, std::uint32_t{1});
    poke(bytes, hash_at + 24, std::uint32_t{1});
    poke(bytes, hash_at + 28 + 4 * step, gnu_hash("f") & ~1U);
  } else {
    poke(bytes, hash_at + 8, std::uint32_t{1});
    for (std::uint64_t i = 1; i <= step; ++i) poke(bytes, hash_at + 12 + 4 * i, static_cast<std::uint32_t>(i + 1));
  }
  OpenedFileOf opened(std::move(bytes));
  auto& tables = opened.image.elf.tables;
  (gnu ? tables.gnu_hash : tables.sysv_hash) = {
      .offset = hash_at, .size = gnu ? 28 + 4 * (step + 1) : 12 + 4 * (step + 2), .present = true};
  tables.symbols = {.offset = symbols_at, .size = (step + 2) * sizeof(Elf64_Sym), .present = true};
  tables.strings = {.offset = strings_at, .size = 3, .present = true};
  return opened;
}

}  // namespace

TEST_CASE("a chain of symbols is followed for so many steps") {
  for (const bool gnu : {true, false}) {
    CAPTURE(gnu);
    CHECK(chained(gnu, 0).has("f"));
    CHECK(chained(gnu, 4095).has("f"));
    CHECK_FALSE(chained(gnu, 4096).has("f"));
    CHECK_FALSE(chained(gnu, 1).has("g"));
  }
}

TEST_CASE("a symbol counts as far as its tables reach") {
  for (const bool gnu : {true, false}) {
    CAPTURE(gnu);
    auto made = chained(gnu, 2);
    auto& tables = made.image.elf.tables;
    CHECK(made.has("f"));
    tables.symbols.size -= 1;
    CHECK_FALSE(made.has("f"));
    tables.symbols.size += 1;
    tables.strings.size -= 1;  // the name has no end
    CHECK_FALSE(made.has("f"));
    tables.strings.size += 1;
    tables.symbols.present = false;
    CHECK_FALSE(made.has("f"));
    tables.symbols = {
        .offset = tables.strings.offset, .size = 4 * sizeof(Elf64_Sym), .present = true};  // beyond the file
    CHECK_FALSE(made.has("f"));
  }
  auto made = chained(true, 2);
  made.image.elf.tables.gnu_hash.size -= 4;
  CHECK_FALSE(made.has("f"));
}

TEST_CASE("hash tables that say nothing have no symbol") {
  for (const bool gnu : {true, false}) {
    auto made = chained(gnu, 0);
    auto& table = gnu ? made.image.elf.tables.gnu_hash : made.image.elf.tables.sysv_hash;
    const auto end = made.image.file_size;
    for (const std::uint64_t there : {0U, 2U, 6U, 10U, 14U, 20U, 26U}) {
      CAPTURE(gnu);
      CAPTURE(there);
      table = {.offset = end - there, .size = 1000, .present = true};
      CHECK_FALSE(made.has("f"));
    }
    table = {.offset = 0x2000, .size = 1000, .present = true};  // no buckets
    CHECK_FALSE(made.has("f"));
  }
  // The bucket leads before the symbols that are hashed, though an entry of the hash stands before the chain.
  ElfSpec spec;
  spec.defines = {{.name = "f", .value = 0x10000}};
  auto built = build_elf(spec);
  poke(built.bytes, built.at.at("gnu hash") + 4, std::uint32_t{2});
  CHECK_FALSE(OpenedFileOf(built.bytes).has("f"));
  poke(built.bytes, built.at.at("gnu hash") + 4, std::uint32_t{1});
  CHECK(OpenedFileOf(built.bytes).has("f"));
  poke(built.bytes, built.at.at("gnu hash") + 8, std::uint32_t{0x7fffffff});  // the buckets lie beyond the file
  CHECK_FALSE(OpenedFileOf(built.bytes).has("f"));
  spec.hash = ElfHash::sysv;
  for (const std::uint64_t entry : {0U, 8U}) {  // the buckets, or the entry of one, lead beyond the file
    built = build_elf(spec);
    poke(built.bytes, built.at.at("sysv hash") + entry, std::uint32_t{0x7fffffff});
    CHECK_FALSE(OpenedFileOf(built.bytes).has("f"));
  }
}

namespace {

/// A DLL with these exports, whose code is `mov eax, N` with the place in the list; in the order of names.
BuiltPe dll_of(const std::vector<std::string>& names) {
  PeSpec spec;
  // Not in the order of the names, so that a place among the names is none among the addresses.
  const auto count = static_cast<std::uint32_t>(names.size());
  for (std::uint32_t i = 0; i < count; ++i) spec.exports.push_back({names[i], count - i, ""});
  for (std::uint32_t i = 0; i < count; ++i) spec.constants += mov_of(i + 1) + "\xcc\xcc\xcc";
  auto built = build_pe(spec);
  for (std::uint32_t i = 0; i < count; ++i)
    poke(built.bytes, built.at.at("export addresses") + 4 * (count - 1 - i),
         BuiltPe::address(built.at.at("constants")) + 8 * i);
  return built;
}

}  // namespace

TEST_CASE("a DLL's functions are found among the sorted names") {
  const std::vector<std::string> names{"alpha", "beta", "delta", "gamma", "omega"};
  for (std::size_t count = 1; count <= names.size(); ++count) {
    const OpenedFileOf made(dll_of({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count)}).bytes);
    for (std::size_t i = 0; i < names.size(); ++i) {
      CAPTURE(count);
      CAPTURE(i);
      CHECK(constants_of(made.code().constants(names[i])) == (i < count ? std::to_string(i + 1) : ""));
    }
    for (const auto* other : {"aaa", "b", "beta2", "zeta"}) CHECK_FALSE(made.has(other));
  }
  const std::string longest(1 << 14, 'a');
  CHECK(OpenedFileOf(dll_of({longest}).bytes).has(longest));
  CHECK_FALSE(OpenedFileOf(dll_of({longest + "a"}).bytes).has(longest + "a"));
}

TEST_CASE("an export directory that leads nowhere has no function") {
  const auto built = dll_of({"alpha", "beta"});
  const auto alpha = [](const std::string& bytes) { return OpenedFileOf(bytes).has("alpha"); };
  CHECK(alpha(built.bytes));
  const auto directory = built.at.at("exports");
  for (const std::uint64_t entry : {directory + 28, directory + 32, directory + 36, built.at.at("export names")}) {
    auto bytes = built.bytes;
    poke(bytes, entry, std::uint32_t{0x7fff0000});
    CAPTURE(entry);
    CHECK_FALSE(alpha(bytes));
  }
  auto bytes = built.bytes;
  poke(bytes, built.at.at("export ordinals"), std::uint16_t{0xffff});
  CHECK_FALSE(alpha(bytes));
  CHECK(OpenedFileOf(bytes).has("beta"));

  OpenedFileOf none(built.bytes);
  none.image.pe->exports_at = 0;
  CHECK_FALSE(none.has("alpha"));
  const auto& section = none.image.pe->sections.at(0);
  for (const std::uint32_t there : {30U, 34U, 38U}) {
    none.image.pe->exports_at = section.address + 0x1000 - there;  // the directory does not end
    CHECK_FALSE(none.has("alpha"));
  }
}
