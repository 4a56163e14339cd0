#include "binary/machine_code/function_code.h"

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "binary/bytes/readers.h"
#include "common/code_file.h"
#include "common/memory_file_system.h"

using namespace cudald;

namespace {

/// The functions of a file, with all that they refer to.
class ReadCode {
 public:
  ReadCode(const std::string& file, Budget& budget) : ReadCode(file, budget, [](Image&) {}) {}
  /// As if the image said something else.
  template <typename Alter>
  ReadCode(const std::string& file, Budget& budget, const Alter& alter) : bytes_(file) {
    MemoryFileSystem files;
    files.add_file("/file", bytes_);
    Budget enough;
    const auto image = read_image(**files.open("/file"), enough);
    REQUIRE(image);
    image_ = **image;
    alter(image_);
    code_ = FunctionCode::of(MappedBytes(bytes_), image_, budget);
  }
  ReadCode(const ReadCode&) = delete;
  ReadCode& operator=(const ReadCode&) = delete;

  bool is_read() const { return code_.has_value(); }
  const FunctionCode* operator->() const { return &*code_; }

 private:
  std::string bytes_;
  Image image_;
  std::optional<FunctionCode> code_;
};

}  // namespace

TEST_CASE("functions are found by the table for unwinding, and calls by their stubs and slots") {
  CodeFile file({"puts", "PyImport_ImportModule"});
  const auto text = file.text("datetime");
  const auto first = file.function();
  file.address(CodeFile::rdi, text).call("PyImport_ImportModule").call_by_slot("puts");
  const auto second_at = file.function();
  file.copy(CodeFile::rdi, CodeFile::rbx).load(CodeFile::rsi, CodeFile::variables).call(first);
  const auto bytes = file.bytes();
  Budget budget;
  const ReadCode code(bytes, budget);
  REQUIRE(code.is_read());
  CHECK(code->exported("PyInit_") == first);
  CHECK_FALSE(code->exported("PyInit_other"));
  CHECK(code->function_at(first + 3) == first);
  CHECK(code->begins_function(second_at));
  CHECK_FALSE(code->function_at(CodeFile::base - 1));
  CHECK(code->text_at(text) == "datetime");
  using Kind = CodeStep::Kind;
  const auto steps = code->steps(first);
  REQUIRE(steps.size() == 3);
  CHECK(steps[0].kind == Kind::address);
  CHECK(steps[0].into == CodeFile::rdi);
  CHECK(steps[0].place == text);
  CHECK(steps[1].kind == Kind::imported);
  CHECK(steps[1].name == "PyImport_ImportModule");
  CHECK(steps[2].name == "puts");
  const auto others = code->steps(second_at);
  REQUIRE(others.size() == 3);
  CHECK(others[0].kind == Kind::copy);
  CHECK(others[0].from == CodeFile::rbx);
  CHECK(others[1].kind == Kind::load);
  CHECK(others[1].place == CodeFile::variables);
  CHECK(others[2].kind == Kind::call);
  CHECK(others[2].place == first);
}

namespace {

constexpr std::uint64_t at_in_file = 0x4000, second_at = CodeFile::base + 0x40;

std::string distance_of(std::uint64_t value) {
  std::string bytes;
  append(bytes, static_cast<std::uint32_t>(value));
  return bytes;
}

/// What the first function of a file does that begins with these instructions and, if it is not 0, the distance to a
/// place; another begins at `second_at`. "call 64 at 0": places are counted from the first one.
std::string steps_of(const std::string& instructions, std::uint64_t place = 0) {
  CodeFile file({"puts", "dlopen"});
  const auto first = file.function();
  file.raw(instructions);
  if (place != 0) file.raw(distance_of(place - (file.here() + 4)));
  while (file.here() <= second_at - 16) file.raw("\xcc");
  REQUIRE(file.function() == second_at);
  file.raw("\xc3");
  Budget budget;
  const ReadCode code(file.bytes(), budget);
  REQUIRE(code.is_read());
  std::string text;
  for (const auto& step : code->steps(first)) {
    constexpr const char* kinds[] = {"address", "load", "copy", "call", "branch", "imported"};
    if (!text.empty()) text += ", ";
    text += kinds[static_cast<int>(step.kind)] + std::string(step.name.empty() ? "" : " ") + std::string(step.name);
    if (step.into != 0 || step.from != 0) text += " " + std::to_string(step.into) + "<" + std::to_string(step.from);
    if (step.place != 0) text += " " + std::to_string(static_cast<std::int64_t>(step.place - first));
    text += " at " + std::to_string(step.at - first);
  }
  return text;
}

}  // namespace

TEST_CASE("the instructions that are steps, and those beside them that are none") {
  using namespace std::string_literals;
  struct Row {
    std::string code;
    std::uint64_t place;
    std::string expected;
  };
  const auto puts = CodeFile::stubs, dlopen = CodeFile::stubs + 8, slot = CodeFile::slots + 8;
  for (const auto& row : std::vector<Row>{
           {"\xe8", second_at, "call 64 at 0"},
           {"\xe9", second_at, "call 64 at 0"},
           {"\xe8", second_at + 5, "call 64 at 0"},
           {"\xe8", CodeFile::base, ""},  // within itself
           {"\xe8", CodeFile::base + 0x30, ""},
           {"\xe8", CodeFile::base - 16, ""},
           {"\xe8", CodeFile::unwritten, ""},
           {"\xe8", puts, "imported puts at 0"},
           {"\xe9", dlopen, "imported dlopen at 0"},
           {"\x0f\x80", second_at, "branch 64 at 0"},
           {"\x0f\x8f", second_at, "branch 64 at 0"},
           {"\x0f\x84", dlopen, "imported dlopen at 0"},
           {"\x0f\x84", CodeFile::base + 1, ""},
           {"\x0f\x7f\x05", second_at, ""},
           {"\x0f\x90\x05", second_at, ""},
           {"\xff\x15", slot, "imported dlopen at 0"},
           {"\xff\x25", slot, "imported dlopen at 0"},
           {"\xff\x35", slot, ""},  // push
           {"\xff\x15", slot + 8, ""},
           {"\x48\x8d\x3d", second_at, "address 7<0 64 at 0"},
           {"\x4c\x8d\x3d", second_at, "address 15<0 64 at 0"},
           {"\x48\x8d\x35", CodeFile::base - 3, "address 6<0 -3 at 0"},
           {"\x48\x8b\x3d", second_at, "load 7<0 64 at 0"},
           {"\x4c\x8b\x05", second_at, "load 8<0 64 at 0"},
           {"\x49\x8d\x3d", second_at, ""},
           {"\x4d\x8b\x3d", second_at, ""},
           {"\x48\x89\x3d", second_at, ""},
           {"\x48\x8c\x3d", second_at, ""},
           {"\x48\x8d\xb8", second_at, ""},  // [rax+n]
           {"\x48\x8d\x7c\x24\x10", 0, ""},
           {"\x48\x8b\x38", 0, ""},
       }) {
    CAPTURE(row.code);
    CAPTURE(row.place);
    CHECK(steps_of(row.code, row.place) == row.expected);
  }
}

TEST_CASE("copies into the first argument and of a result, in each encoding") {
  struct Row {
    const char* code;
    const char* expected;
  };
  for (const auto& row : std::vector<Row>{{"\x48\x89\xc7", "copy 7<0 at 0"},  // rdi, rax
                                          {"\x48\x89\xf7", "copy 7<6 at 0"},  // rdi, rsi
                                          {"\x48\x89\xc3", "copy 3<0 at 0"},  // rbx, rax
                                          {"\x48\x89\xde", ""},               // rsi, rbx
                                          {"\x48\x89\xf8", ""},               // rax, rdi
                                          {"\x48\x8b\xfb", "copy 7<3 at 0"},  // rdi, rbx
                                          {"\x48\x8b\xd8", "copy 3<0 at 0"},  // rbx, rax
                                          {"\x48\x8b\xf3", ""},               // rsi, rbx
                                          {"\x49\x89\xc0", "copy 8<0 at 0"},  // r8, rax
                                          {"\x4c\x89\xc7", "copy 7<8 at 0"},  // rdi, r8
                                          {"\x49\x8b\xf8", "copy 7<8 at 0"},  // rdi, r8
                                          {"\x4c\x8b\xc0", "copy 8<0 at 0"},  // r8, rax
                                          {"\x4d\x89\xc7", ""},               // r15, r8
                                          {"\x48\x89\x07", ""},               // [rdi], rax
                                          {"\x4a\x89\xc7", ""},               // with REX.X
                                          {"\x89\xc7", ""}}) {
    CAPTURE(row.expected);
    CHECK(steps_of(row.code) == row.expected);
  }
}

TEST_CASE("a call behind a prefix that compilers and linkers write stands where its own code begins") {
  using namespace std::string_literals;
  for (const auto& prefix : {"\x66"s, "\x67"s, "\xf2"s, "\xf3"s, "\x3e"s, "\x40"s, "\x48"s, "\x4f"s}) {
    CAPTURE(std::to_integer<unsigned>(static_cast<std::byte>(prefix[0])));
    CHECK(steps_of(prefix + "\xe8", second_at) == "call 64 at 1");
  }
  CHECK(steps_of("\x66\x48\xe8", second_at) == "call 64 at 2");
  for (const auto& prefix : {"\x26"s, "\x2e"s, "\xf0"s}) CHECK(steps_of(prefix + "\xe8", second_at).empty());
}

namespace {

/// A file whose second_at slot the loader fills in another way: that type, symbol and addend stand in its relocation.
std::string other_slot(std::uint32_t type, std::uint64_t symbol, std::uint64_t addend) {
  CodeFile file({"puts", "dlopen"});
  file.function();
  file.call_by_slot("dlopen");
  while (file.here() <= second_at - 16) file.raw("\xcc");
  file.function();
  auto bytes = file.bytes();
  // The place stands in the relocation.
  std::string place;
  append(place, CodeFile::slots + 8);
  const auto at = bytes.find(place);
  REQUIRE(at < at_in_file);
  poke(bytes, at + 8, symbol << 32 | type);
  poke(bytes, at + 16, addend);
  return bytes;
}

}  // namespace

TEST_CASE("slots are filled with functions of other files and with the file's own") {
  constexpr std::uint64_t puts = 1, dlopen = 2, own = 3, first = CodeFile::base;
  struct Row {
    std::uint32_t type;
    std::uint64_t symbol, addend;
    std::string name;
    std::optional<std::uint64_t> pointer;
  };
  const std::vector<Row> rows{{R_X86_64_JUMP_SLOT, dlopen, 0, "dlopen", {}},
                              {R_X86_64_GLOB_DAT, dlopen, 0, "dlopen", {}},
                              {R_X86_64_64, puts, 0, "puts", {}},
                              {R_X86_64_COPY, dlopen, 0, "-", {}},
                              {R_X86_64_JUMP_SLOT, own, 0x40, "", first},
                              {R_X86_64_GLOB_DAT, own, 0x40, "", first},
                              {R_X86_64_64, own, 0x40, "", second_at},
                              {R_X86_64_JUMP_SLOT, 1 << 20, 0, "-", {}},
                              {R_X86_64_RELATIVE, 0, second_at, "-", second_at}};
  for (const auto& row : rows) {
    CAPTURE(row.type);
    CAPTURE(row.symbol);
    const auto bytes = other_slot(row.type, row.symbol, row.addend);
    Budget budget;
    const ReadCode code(bytes, budget);
    REQUIRE(code.is_read());
    CHECK(code->pointer_at(CodeFile::slots + 8) == row.pointer);
    const auto steps = code->steps(first);
    REQUIRE(steps.size() == (row.name == "-" ? 0 : 1));
    if (row.name == "-") continue;
    CHECK(steps[0].name == row.name);
    CHECK(steps[0].kind == (row.name.empty() ? CodeStep::Kind::call : CodeStep::Kind::imported));
    CHECK(steps[0].place == row.pointer.value_or(0));
  }
}

namespace {

/// A relocation for a slot, as `other_slot` takes it.
struct SlotFilling {
  std::uint32_t type;
  std::uint64_t symbol, addend = 0;
};

/// A file whose second slot is called, and filled twice.
std::string filled_twice(const SlotFilling& first, const SlotFilling& last) {
  auto bytes = other_slot(last.type, last.symbol, last.addend);
  std::string place;
  append(place, CodeFile::slots + 8);
  const auto at = bytes.find(place) - sizeof(Elf64_Rela);
  REQUIRE(at < at_in_file);
  poke(bytes, at, CodeFile::slots + 8);
  poke(bytes, at + 8, first.symbol << 32 | first.type);
  poke(bytes, at + 16, first.addend);
  return bytes;
}

}  // namespace

TEST_CASE("of several functions that are written to one slot the last counts unless it is the file's own") {
  const SlotFilling puts{R_X86_64_JUMP_SLOT, 1}, dlopen{R_X86_64_JUMP_SLOT, 2}, own{R_X86_64_JUMP_SLOT, 3},
      second{R_X86_64_64, 3, 0x40};
  struct Row {
    SlotFilling first, last;
    std::string name;
    std::uint64_t function;
  };
  for (const auto& row : std::vector<Row>{{puts, dlopen, "dlopen", 0},
                                          {dlopen, puts, "puts", 0},
                                          {own, second, "", second_at},
                                          {second, own, "", CodeFile::base},
                                          {own, puts, "puts", 0},
                                          {puts, own, "puts", 0}}) {
    CAPTURE(row.name);
    CAPTURE(row.function);
    Budget budget;
    const ReadCode code(filled_twice(row.first, row.last), budget);
    REQUIRE(code.is_read());
    const auto steps = code->steps(CodeFile::base);
    REQUIRE(steps.size() == 1);
    CHECK(steps[0].name == row.name);
    CHECK(steps[0].place == row.function);
  }
}

TEST_CASE("slots are found in whatever order they are filled") {
  auto bytes = other_slot(R_X86_64_JUMP_SLOT, 2, 0);
  std::string place;
  append(place, CodeFile::slots + 8);
  const auto at = bytes.find(place);
  poke(bytes, at, CodeFile::slots);
  poke(bytes, at - sizeof(Elf64_Rela), CodeFile::slots + 8);
  Budget budget;
  const ReadCode code(bytes, budget);
  REQUIRE(code.is_read());
  const auto steps = code->steps(CodeFile::base);
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].name == "puts");
}

TEST_CASE("an instruction that reaches behind its function is one step") {
  CodeFile file({"puts"});
  const auto first = file.function();
  while (file.here() < second_at - 2) file.raw("\xcc");
  file.raw("\x66\xe8");
  REQUIRE(file.function() == second_at);
  file.raw(distance_of(second_at - (file.here() + 4)));
  Budget budget;
  const ReadCode code(file.bytes(), budget);
  REQUIRE(code.is_read());
  const auto steps = code->steps(first);
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].kind == CodeStep::Kind::call);
  CHECK(steps[0].at == second_at - 1);
  CHECK(steps[0].place == second_at);
}

TEST_CASE("functions are told apart even if the table for unwinding is not sorted") {
  CodeFile file({"puts"});
  const auto first = file.function();
  file.raw("\xc3");
  const auto second = file.function();
  file.raw("\xc3");
  auto bytes = file.bytes();
  const auto row = at_in_file + (CodeFile::table - CodeFile::base) + 12;
  poke(bytes, row, static_cast<std::uint32_t>(second - CodeFile::table));
  poke(bytes, row + 8, static_cast<std::uint32_t>(first - CodeFile::table));
  Budget budget;
  const ReadCode code(bytes, budget);
  REQUIRE(code.is_read());
  CHECK(code->function_at(first) == first);
  CHECK(code->function_at(second - 1) == first);
  CHECK(code->function_at(second) == second);
  CHECK(code->body(first).size == second - first);
}

TEST_CASE("a slot filled with what is no function is no call") {
  const auto bytes = other_slot(R_X86_64_64, 3, CodeFile::unwritten - CodeFile::base);
  Budget budget;
  const ReadCode code(bytes, budget);
  CHECK(code->steps(CodeFile::base).empty());
  CHECK(code->pointer_at(CodeFile::slots + 8) == CodeFile::unwritten);
}

namespace {

/// A file with a stub of each kind, at 0x40, 0x60 and 0x80, and a function that calls one of them at a distance.
std::string stubbed(std::uint64_t called) {
  using namespace std::string_literals;
  CodeFile file({"puts", "dlopen"});
  file.function();
  file.call(CodeFile::base + called);
  auto stub = second_at;
  for (const auto& before : {"\xf3\x0f\x1e\xfa"s, "\xf2"s, "\xf3\x0f\x1e\xfa\xf2"s, "\xf3"s}) {
    while (file.here() < stub) file.raw("\xcc");
    REQUIRE(file.function() == stub);
    file.raw(before + "\xff\x25");
    file.raw(distance_of(CodeFile::slots + 8 - (file.here() + 4)));
    stub += 0x20;
  }
  return file.bytes();
}

}  // namespace

TEST_CASE("stubs may begin with what marks the target of a jump, or with bnd, and nothing else") {
  for (const auto& row : std::vector<std::pair<std::uint64_t, std::string>>{{0x40, "dlopen"},
                                                                            {0x44, "dlopen"},
                                                                            {0x60, "dlopen"},
                                                                            {0x61, "dlopen"},
                                                                            {0x80, "dlopen"},
                                                                            {0x84, "dlopen"},
                                                                            {0x85, "dlopen"},
                                                                            {0x41, ""},
                                                                            {0xa0, ""}}) {
    const auto called = row.first;
    const auto& name = row.second;
    CAPTURE(called);
    const auto bytes = stubbed(called);
    Budget budget;
    const ReadCode code(bytes, budget);
    REQUIRE(code.is_read());
    const auto steps = code->steps(CodeFile::base);
    REQUIRE(steps.size() == 1);
    CHECK(steps[0].name == name);
    CHECK(steps[0].place == (name.empty() ? CodeFile::base + called / 0x20 * 0x20 : 0));
    const std::vector<std::uint64_t> itself{CodeFile::base}, none;
    CHECK(code->callers({"dlopen"}) == (name.empty() ? none : itself));
    CHECK(code->callers({"puts"}).empty());
  }
}

TEST_CASE("functions lie in code that the file holds") {
  CodeFile file({"puts"});
  const auto first = file.function();
  file.call("puts");
  const auto bytes = file.bytes();
  Budget budget;
  const ReadCode code(bytes, budget);
  REQUIRE(code.is_read());
  CHECK(code->function_at(first) == first);
  CHECK(code->function_at(CodeFile::stubs - 1) == first);
  CHECK(code->function_at(CodeFile::stubs) == CodeFile::stubs);
  CHECK(code->function_at(CodeFile::end - 1) == CodeFile::stubs);
  CHECK_FALSE(code->function_at(CodeFile::end));
  CHECK_FALSE(code->begins_function(first + 1));
  CHECK_FALSE(code->begins_function(0));
  CHECK(code->body(first).size == CodeFile::stubs - first);
  CHECK(code->body(first).bytes.size() == CodeFile::stubs - first + 16);
  CHECK(code->body(CodeFile::stubs).size == CodeFile::end - CodeFile::stubs);
  CHECK(code->body(CodeFile::stubs).bytes.size() == CodeFile::end - CodeFile::stubs);
  CHECK(code->body(CodeFile::end).bytes.empty());
  CHECK(code->steps(CodeFile::end).empty());
  auto data = bytes;
  const auto header = data.find(std::string("\x01\0\0\0\x05\0\0\0", 8));  // PT_LOAD, read and execute
  REQUIRE(header < at_in_file);
  poke(data, header + 4, std::uint32_t{PF_R | PF_W});
  const ReadCode no_code(data, budget);
  REQUIRE(no_code.is_read());
  CHECK_FALSE(no_code->function_at(first));
  CHECK(no_code->body(first).bytes.empty());
  CHECK(no_code->steps(first).empty());
  CHECK(no_code->callers({"puts"}).empty());
  CHECK(no_code->exported("PyInit_") == first);
}

TEST_CASE("texts, numbers and pointers at addresses") {
  CodeFile file({"puts"});
  file.function();
  const auto longest = file.text(std::string(512, 'a')), longer = file.text(std::string(513, 'b'));
  const auto variable = CodeFile::variables;
  file.pointer(variable, longest, 0x1122334455667788).pointer(variable + 0x20, longer);
  const auto bytes = file.bytes();
  Budget budget;
  const ReadCode code(bytes, budget);
  REQUIRE(code.is_read());
  CHECK(code->text_at(longest) == std::string(512, 'a'));
  CHECK_FALSE(code->text_at(longer));
  CHECK(code->text_at(longer + 1) == std::string(512, 'b'));
  CHECK_FALSE(code->text_at(CodeFile::unwritten));
  CHECK(code->number_at(variable + 8) == 0x55667788);
  CHECK_FALSE(code->number_at(CodeFile::unwritten));
  CHECK(code->pointer_at(variable) == longest);
  CHECK(code->pointer_at(variable + 0x20) == longer);
  CHECK_FALSE(code->pointer_at(variable + 1));
  CHECK_FALSE(code->pointer_at(variable + 8));
  CHECK_FALSE(code->pointer_at(CodeFile::unwritten));
  // Packed relocations tell no addends: those stand in the places.
  const ReadCode packed(bytes, budget, [](Image& image) { image.elf.tables.relr.present = true; });
  REQUIRE(packed.is_read());
  CHECK(packed->pointer_at(variable) == longest);
  CHECK(packed->pointer_at(variable + 8) == 0x1122334455667788);
  CHECK_FALSE(packed->pointer_at(variable + 16));
  CHECK_FALSE(packed->pointer_at(CodeFile::unwritten));
}

TEST_CASE("pointers are found in whatever order the relocations stand, with those that the image leaves out") {
  CodeFile file({"puts"});
  file.function();
  const auto at = CodeFile::variables;
  file.pointer(at + 0x40, 5).pointer(at, 1).pointer(at + 0x20, 3);
  const auto bytes = file.bytes();
  for (const std::uint64_t left_out : {0U, 1U, 2U, 3U}) {
    CAPTURE(left_out);
    Budget budget;
    const ReadCode code(bytes, budget, [&](Image& image) {
      const auto size = left_out * sizeof(Elf64_Rela);
      image.elf.tables.relocations = {.offset = at_in_file + (CodeFile::relocations - CodeFile::base) + size,
                                      .size = 3 * sizeof(Elf64_Rela) - size,
                                      .present = true};
    });
    REQUIRE(code.is_read());
    CHECK(code->pointer_at(at) == 1);
    CHECK(code->pointer_at(at + 0x20) == 3);
    CHECK(code->pointer_at(at + 0x40) == 5);
    CHECK_FALSE(code->pointer_at(at + 0x10));
  }
}

TEST_CASE("of files of other kinds no functions are told") {
  CodeFile file({"puts"});
  file.function();
  file.call("puts");
  const auto bytes = file.bytes();
  const auto is_read = [&](const auto& alter) {
    Budget budget;
    return ReadCode(bytes, budget, alter).is_read();
  };
  CHECK(is_read([](Image&) {}));
  CHECK_FALSE(is_read([](Image& image) { image.format = Format::pe32_plus; }));
  CHECK_FALSE(is_read([](Image& image) { image.format = Format::elf32; }));
  CHECK_FALSE(is_read([](Image& image) { image.machine = EM_AARCH64; }));
  CHECK_FALSE(is_read([](Image& image) { image.byte_order = ByteOrder::big; }));
  CHECK_FALSE(is_read([](Image& image) { image.elf.tables.relocations_have_addends = false; }));
  CHECK_FALSE(is_read([](Image& image) { image.elf.tables.plt_relocations_have_addends = false; }));
  // Tables that lie outside are passed over, and names, and symbols.
  CHECK(is_read([](Image& image) { image.elf.tables.strings.offset = image.file_size; }));
  CHECK(is_read([](Image& image) { image.elf.tables.symbols.offset = image.file_size - 20; }));
  CHECK(is_read([](Image& image) { image.elf.tables.plt_relocations.offset = image.file_size; }));
}

TEST_CASE("a table for unwinding that is missing, cut, or written in another way") {
  CodeFile file({"puts"});
  file.function();
  const auto bytes = file.bytes();
  const auto poked = [&](std::uint64_t at, std::uint32_t value) {
    auto other = bytes;
    poke(other, at, value);
    Budget budget;
    return ReadCode(other, budget).is_read();
  };
  const auto table = at_in_file + (CodeFile::table - CodeFile::base);
  const auto rows = (bytes.size() - table - 12) / 8;
  CHECK(poked(table, 0x3b031b01));
  CHECK_FALSE(poked(table, 0x3b031b02));
  CHECK_FALSE(poked(table + 8, 0));
  CHECK(poked(table + 8, static_cast<std::uint32_t>(rows)));
  CHECK_FALSE(poked(table + 8, static_cast<std::uint32_t>(rows + 1)));
  CHECK_FALSE(poked(table + 8, ~std::uint32_t{0}));
  std::string type;
  append(type, std::uint32_t{PT_GNU_EH_FRAME});
  const auto header = bytes.find(type);
  REQUIRE(header < at_in_file);
  CHECK_FALSE(poked(header, PT_NOTE));
  CHECK_FALSE(poked(header + 8, static_cast<std::uint32_t>(bytes.size() - 4)));  // the count lies outside
  CHECK_FALSE(poked(offsetof(Elf64_Ehdr, e_phoff), static_cast<std::uint32_t>(bytes.size() - 56)));
}

TEST_CASE("functions are read for a price, and not by half") {
  CodeFile file({"puts", "dlopen"});
  file.function();
  file.call("dlopen");
  file.pointer(CodeFile::variables, 1);
  const auto bytes = file.bytes();
  Budget budget;
  const ReadCode code(bytes, budget);
  REQUIRE(code.is_read());
  // Two rows of the table; two slots and a pointer.
  CHECK(budget.cost() == Cost{0, 2 * 8 + 2 * 96 + 16, 2 + 3});
  for (std::uint64_t steps = 0; steps < budget.cost().steps; ++steps) {
    Budget small({.steps = steps});
    CHECK_FALSE(ReadCode(bytes, small).is_read());
  }
  for (const std::uint64_t kept : {15U, 16U, 111U, 112U, 207U, 208U, 223U}) {
    Budget small({.kept = kept});
    CHECK_FALSE(ReadCode(bytes, small).is_read());
  }
  Budget enough({.kept = 224, .steps = 5});
  const ReadCode poor(bytes, enough);
  REQUIRE(poor.is_read());
  CHECK(poor->steps(CodeFile::base).empty());
  CHECK_FALSE(poor->exported("PyInit_"));
  CHECK(poor->callers({"dlopen"}).empty());
  const auto before = budget.cost().steps;
  CHECK(code->steps(CodeFile::base).size() == 1);
  CHECK(budget.cost().steps - before == 1 + (CodeFile::stubs - CodeFile::base) / 4);
}

TEST_CASE("what is exported is a function that the file defines, by the beginning of its name") {
  CodeFile file({"PyInit_elsewhere"});
  const auto first = file.function();
  const auto bytes = file.bytes();
  const auto at = [&](std::string_view prefix) {
    Budget budget;
    return ReadCode(bytes, budget)->exported(prefix);
  };
  CHECK(at("PyInit_made") == first);
  CHECK(at("PyInit_") == first);
  CHECK(at("PyInit_made2") == std::nullopt);
  CHECK(at("PyInit_e") == std::nullopt);
  auto other = bytes;
  std::string symbol;
  symbol += STB_GLOBAL << 4 | STT_FUNC;
  symbol += std::string("\0\1\0", 3);
  append(symbol, first);
  const auto place = other.find(symbol);
  REQUIRE(place < at_in_file);
  other[place] = STB_GLOBAL << 4 | STT_OBJECT;
  Budget budget;
  CHECK_FALSE(ReadCode(other, budget)->exported("PyInit_"));
}

TEST_CASE("who calls a function of another file: by its stub, or through its slot, but not the stub itself") {
  CodeFile file({"puts", "dlopen"});
  const auto first = file.function();
  file.call("dlopen");
  const auto second_at = file.function();
  file.call("puts");
  const auto third = file.function();
  file.call_by_slot("dlopen");
  const auto bytes = file.bytes();
  Budget budget;
  const ReadCode code(bytes, budget);
  REQUIRE(code.is_read());
  CHECK(code->callers({"dlopen"}) == std::vector<std::uint64_t>{first, third});
  CHECK(code->callers({"dlopen", "puts"}) == std::vector<std::uint64_t>{first, second_at, third});
  CHECK(code->callers({"printf"}).empty());
  CHECK(code->steps(second_at).at(0).at == second_at);
}

TEST_CASE("who calls a function by a stub is known wherever the stubs lie") {
  CodeFile file({"puts", "dlopen"});
  const auto first = file.function();
  file.call("dlopen");
  file.function();
  file.call("puts");
  const auto bytes = file.stubs_apart().bytes();
  Budget budget;
  const ReadCode code(bytes, budget);
  REQUIRE(code.is_read());
  CHECK(code->callers({"dlopen"}) == std::vector<std::uint64_t>{first});
}

TEST_CASE("bytes within an instruction are no call, and those behind a prefix are one") {
  CodeFile file({"puts"});
  const auto first = file.function();
  const auto second_at = CodeFile::base + 0x40;
  // movabs rax, n: the last five bytes of n are those of a call.
  file.raw("\x48\xb8\x01\x02\x03").call(second_at).raw("\x67").call(second_at);
  while (file.here() <= second_at - 16) file.copy(0, 0);
  CHECK(file.function() == second_at);
  file.copy(CodeFile::rdi, CodeFile::rbx);
  const auto bytes = file.bytes();
  Budget budget;
  const ReadCode code(bytes, budget);
  REQUIRE(code.is_read());
  std::vector<std::uint64_t> calls;
  for (const auto& step : code->steps(first))
    if (step.kind == CodeStep::Kind::call) calls.push_back(step.at - first);
  CHECK(calls == std::vector<std::uint64_t>{11});
}

TEST_CASE("exported functions are looked for up to the names, or the end of the table or the file") {
  CodeFile file({"puts"});
  const auto first = file.function();
  const auto bytes = file.bytes();
  const auto at = [&](const auto& alter) {
    Budget budget;
    return ReadCode(bytes, budget, alter)->exported("PyInit_");
  };
  // The null symbol, `puts`, and it.
  constexpr auto whole = 3 * sizeof(Elf64_Sym);
  CHECK(at([](Image& image) { image.elf.tables.symbols.size = whole; }) == first);
  CHECK(at([](Image& image) { image.elf.tables.symbols.size = 2 * sizeof(Elf64_Sym); }) == std::nullopt);
  CHECK(at([](Image& image) { image.elf.tables.strings.offset = image.elf.tables.symbols.offset + 48; }) ==
        std::nullopt);
  CHECK(at([](Image& image) {
          image.elf.tables.symbols = {.offset = image.file_size - 10, .size = 1000, .present = true};
        }) == std::nullopt);
}

TEST_CASE("a call that leads between two stubs is a call of neither") {
  CodeFile file({"puts", "dlopen", "dlsym"});
  file.function();
  file.call(CodeFile::stubs + 8);
  while (file.here() <= second_at - 16) file.raw("\xcc");
  file.function();
  file.call("dlsym");
  const auto bytes = file.bytes();
  Budget budget;
  const ReadCode code(bytes, budget);
  REQUIRE(code.is_read());
  CHECK(code->callers({"puts", "dlsym"}) == std::vector<std::uint64_t>{second_at});
  CHECK(code->callers({"dlopen"}) == std::vector<std::uint64_t>{CodeFile::base});
}

TEST_CASE("of a function a mebibyte of code is looked at, with what its last instruction may have behind it") {
  constexpr std::uint64_t most = 1 << 20;
  CodeFile file({"puts"});
  file.function();
  file.call("puts");
  auto bytes = file.bytes();
  const auto header = bytes.find(std::string("\x01\0\0\0\x05\0\0\0", 8));  // PT_LOAD, read and execute
  REQUIRE(header < at_in_file);
  for (const auto& [size, longest] :
       {std::pair(most - 1, most - 1), {most, most}, {most + 1, most}, {most + 9, most}}) {
    const auto whole = CodeFile::stubs - CodeFile::base + size;
    auto larger = bytes;
    larger.resize(at_in_file + whole + 20, '\xcc');
    poke(larger, header + 32, whole);
    Budget budget;
    const ReadCode code(larger, budget);
    REQUIRE(code.is_read());
    CHECK(code->body(CodeFile::stubs).size == longest);
    CHECK(code->body(CodeFile::stubs).bytes.size() == std::min(longest + 16, size + 20));
  }
}

TEST_CASE("what looking for exported functions and for callers costs") {
  CodeFile file({"puts", "dlopen"});
  file.function();
  file.call("dlopen");
  const auto bytes = file.bytes();
  Budget budget;
  const ReadCode code(bytes, budget);
  REQUIRE(code.is_read());
  const auto steps = [&](const auto& ask) {
    const auto before = budget.cost().steps;
    ask();
    return budget.cost().steps - before;
  };
  // The null symbol, two that are called, and its own.
  CHECK(steps([&] { CHECK(code->exported("PyInit_")); }) == 4);
  // Once for the stubs and the calls of them; not at all where nothing has a stub.
  const auto whole = (CodeFile::end - CodeFile::base) / 4;
  CHECK(steps([&] { CHECK(code->callers({"dlopen"}).size() == 1); }) == whole);
  CHECK(steps([&] { CHECK(code->callers({"none"}).empty()); }) == 0);
}
