#include "pyimport/compiled/cython_table.h"

#include <functional>
#include <string>

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "binary/bytes/readers.h"
#include "common/code_file.h"
#include "common/memory_file_system.h"

using namespace cudald;
using namespace cudald::python;

namespace {

constexpr std::uint8_t result = CodeFile::rax;

/// What the first function of the file leads to; its texts stand in `bytes`. The limits are those of the look at it.
StringTable table_of_file(const std::string& bytes, const CostLimits& limits = {}) {
  Budget budget, own(limits);
  MemoryFileSystem files;
  files.add_file("/file", bytes);
  const auto opened = files.open("/file");
  const auto image = read_image(**opened, budget);
  const auto code = FunctionCode::of(MappedBytes(bytes), **image, budget);
  REQUIRE(code);
  return cython_table(*code, CodeFile::base, code->steps(CodeFile::base), own);
}

std::string lengths_of_file(CodeFile& file, const CostLimits& limits = {}) {
  Budget budget, own(limits);
  MemoryFileSystem files;
  const auto bytes = file.bytes();
  files.add_file("/file", bytes);
  const auto opened = files.open("/file");
  const auto image = read_image(**opened, budget);
  const auto code = FunctionCode::of(MappedBytes(bytes), **image, own);
  if (!code) return "none";
  return cython_lengths(*code, CodeFile::base, code->steps(CodeFile::base), own);
}

/// Code that writes a number in each of the ways that compilers have, at places that are four apart but for two.
std::string code_of_lengths() {
  using namespace std::string_literals;
  return "\x8b\x44\x24\x18\x66\x25\x00\x80\x83\xc8\x2e\x66\x89\x44\x24\x18"s      // and ax, or eax, mov ax
         "\x8a\x44\x24\x1c\x83\xe0\x80\x83\xc8\x11\x88\x44\x24\x1c"s              // and eax, or eax, mov al
         "\xc6\x44\x24\x20\x08\xc7\x44\x24\x24\x0c\x01\x00\x00"s                  // mov byte, mov double word
         "\x66\xc7\x44\x24\x28\x07\x00"s                                          // mov word
         "\xb8\x09\x00\x00\x00\x89\x44\x24\x2c"s                                  // mov eax, mov double word
         "\x80\x64\x24\x30\x80\x80\x4c\x24\x30\x0d"s                              // and, or at the place itself
         "\x31\xc0\x66\x0d\x34\x12\x66\x89\x44\x24\x34"s                          // xor, or ax
         "\x8b\x4c\x24\x38\x81\xc9\x45\x01\x00\x00\x89\x4c\x24\x38"s              // or ecx
         "\x41\xb9\x0b\x00\x00\x00\x44\x89\xc9\x41\x89\xc8\x44\x89\x44\x24\x3c"s  // r9 to ecx to r8
         "\xc6\x84\x24\x80\x00\x00\x00\x05\xc6\x45\xf0\x06"s;                     // far away, and behind rbp
}

std::string four_bytes(const std::vector<std::uint32_t>& values) {
  std::string bytes;
  for (const auto value : values)
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

const StringTable wanted_table{{-2, "A text."}, {-1, "json"}, {0, "__main__"}, {1, "__name__"}};

}  // namespace

TEST_CASE("strings of Cython 3.1 stand in an array, whose rows may be short or long") {
  for (const std::uint64_t row : {16U, 24U}) {
    CodeFile file({});
    file.function();
    auto place = CodeFile::variables;
    for (const std::string text : {"A text.", "json", "__main__", "__name__"}) {
      file.pointer(place, file.text(text), text.size() + 1);
      place += row;
    }
    file.address(CodeFile::rdi, CodeFile::variables);
    const auto bytes = file.bytes();
    CHECK(table_of_file(bytes) == wanted_table);
  }
}

TEST_CASE("strings of Cython 3.0 are written to the stack by code, in rows, in whatever order") {
  CodeFile file({"PyUnicode_InternFromString"});
  file.function();
  const auto first = file.text("A text."), second = file.text("json");
  file.address(result, CodeFile::unwritten).store(0, result).address(result, first).store(8, result);
  // Two strings that are spelled alike share a text, and what is between two rows is not their texts.
  file.address(CodeFile::rbx, second).store(48, CodeFile::rbx).store(40, result);
  // movq xmm0, rbx (a variable); movq xmm1, rax; punpcklqdq xmm0, xmm1; movups [rsp+80], xmm0
  file.address(CodeFile::rbx, CodeFile::unwritten + 16).address(result, file.text("__main__"));
  file.raw({'\x66', '\x48', '\x0f', '\x6e', '\xc3'}).raw({'\x66', '\x48', '\x0f', '\x6e', '\xc8'});
  file.raw({'\x66', '\x0f', '\x6c', '\xc1'}).raw({'\x0f', '\x11', '\x44', '\x24', '\x50'});
  file.address(result, file.text("__name__")).store(128, result).call("PyUnicode_InternFromString");
  const auto bytes = file.bytes();
  CHECK(table_of_file(bytes) == wanted_table);
}

namespace {

std::function<void(CodeFile&, std::uint64_t)> with_offset(std::int64_t distance) {
  return [distance](CodeFile& file, std::uint64_t text) {
    file.address(result, text + static_cast<std::uint64_t>(distance));
  };
}

struct Way {
  std::string name;
  std::function<void(CodeFile&, std::uint64_t)> write;
  std::string raw;
  bool found = true;
};

/// Whether a table of four strings is found, the place of whose last one these instructions write.
bool is_table_found(const std::function<void(CodeFile&, std::uint64_t)>& write, const std::string& raw) {
  CodeFile file({"PyUnicode_InternFromString"});
  file.function();
  file.address(result, CodeFile::unwritten).store(0, result).address(result, file.text("A text.")).store(8, result);
  file.address(result, file.text("json")).store(48, result).address(result, file.text("__main__")).store(88, result);
  write(file, file.text("__name__"));
  file.raw(raw).call("PyUnicode_InternFromString");
  return table_of_file(file.bytes()) == wanted_table;
}

}  // namespace

TEST_CASE("addresses come to the stack by many instructions") {
  using namespace std::string_literals;
  const std::string store_xmm0_128 = "\x0f\x11\x84\x24\x80\0\0\0"s;  // movups [rsp+128], xmm0
  const std::string store_rax = "\x48\x89\x84\x24\x80\0\0\0"s, store_rbx = "\x48\x89\x9c\x24\x80\0\0\0"s;
  for (const auto& [name, write, raw, found] : {
           Way{"mov", with_offset(0), store_rax},
           Way{"add, a byte", with_offset(-8), "\x48\x83\xc0\x08"s + store_rax},
           Way{"add, a byte below zero", with_offset(8), "\x48\x83\xc0\xf8"s + store_rax},
           Way{"add, four bytes", with_offset(-0x100), "\x48\x81\xc0\0\1\0\0"s + store_rax},
           Way{"sub", with_offset(8), "\x48\x83\xe8\x08"s + store_rax, false},
           Way{"lea from a register, a byte", with_offset(-16), "\x48\x8d\x58\x10"s + store_rbx},
           Way{"lea from a register, four bytes", with_offset(-0x100), "\x48\x8d\x98\0\1\0\0"s + store_rbx},
           Way{"lea from a register alone", with_offset(0), "\x48\x8d\x18"s + store_rbx, false},
           Way{"lea with an index", with_offset(0), "\x48\x8d\x5c\x08\0"s + store_rbx, false},
           Way{"between registers", with_offset(0), "\x48\x89\xc3"s + store_rbx},
           Way{"to and from r9", with_offset(0), "\x49\x89\xc1\x4c\x89\xcb"s + store_rbx},
           Way{"behind rbp", with_offset(0), "\x48\x89\x85\x80\0\0\0"s},
           Way{"behind rbx", with_offset(0), "\x48\x89\x83\x80\0\0\0"s, false},
           Way{"of 32 bits", with_offset(0), "\x89\x84\x24\x80\0\0\0"s, false},
           Way{"movq and movups", with_offset(0), "\x66\x48\x0f\x6e\xc0"s + store_xmm0_128},
           Way{"movdqa between", with_offset(0), "\x66\x48\x0f\x6e\xc8\x66\x0f\x6f\xc1"s + store_xmm0_128},
           Way{"movaps", with_offset(0), "\x66\x48\x0f\x6e\xc0\x0f\x29\x84\x24\x80\0\0\0"s},
           Way{"movdqu", with_offset(0), "\x66\x48\x0f\x6e\xc0\xf3\x0f\x7f\x84\x24\x80\0\0\0"s},
           Way{"movd of MMX", with_offset(0), "\x66\x48\x0f\x6e\xc0\x0f\x7f\x84\x24\x80\0\0\0"s, false},
           Way{"the high half", with_offset(0),
               "\x66\x48\x0f\x6e\xc8\x66\x0f\x6c\xc1\x0f\x11\x44\x24\x78"s},  // punpcklqdq, movups [rsp+120]
           Way{"xmm9", with_offset(0), "\x66\x4c\x0f\x6e\xc8\x44\x0f\x11\x8c\x24\x80\0\0\0"s},
       }) {
    CHECK(name + (is_table_found(write, raw) ? " found" : "") == name + (found ? " found" : ""));
  }
}

TEST_CASE("instructions that bring no address to the stack do not, and others between them do not matter") {
  using namespace std::string_literals;
  const std::string store_rax = "\x48\x89\x84\x24\x80\0\0\0"s, store_rbx = "\x48\x89\x9c\x24\x80\0\0\0"s;
  const std::string store_xmm0_128 = "\x0f\x11\x84\x24\x80\0\0\0"s;  // movups [rsp+128], xmm0
  for (const auto& [name, write, raw, found] : {
           Way{"behind r13", with_offset(0), "\x49\x89\x85\x80\0\0\0"s, false},
           Way{"to a place of the code", with_offset(0), "\x48\x89\x05\x80\0\0\0"s, false},
           Way{"behind rsp and an index", with_offset(0), "\x48\x89\x84\x0c\x80\0\0\0"s, false},
           Way{"past what does not matter", with_offset(0), "\x48\x85\xc0"s + store_rax},
           Way{"past an addition to memory", with_offset(0), "\x48\x83\x00\x08"s + store_rax},
           Way{"lea from a register that is not known", with_offset(0), "\x48\x8d\x59\x10"s + store_rbx, false},
           Way{"lea of a register", with_offset(0), "\x48\x8d\xd8"s + store_rbx, false},
           Way{"movd of 32 bits", with_offset(0), "\x66\x0f\x6e\xc0"s + store_xmm0_128, false},
           Way{"movq from memory", with_offset(0), "\x66\x48\x0f\x6e\x00"s + store_xmm0_128, false},
           Way{"movq back", with_offset(0), "\x66\x48\x0f\x6e\xc0\x66\x48\x0f\x7e\xc3"s + store_rbx, false},
           Way{"movdqa from memory", with_offset(0), "\x66\x48\x0f\x6e\xc8\x66\x0f\x6f\x01"s + store_xmm0_128, false},
           Way{"movaps from the stack", with_offset(0), "\x66\x48\x0f\x6e\xc0\x0f\x28\x84\x24\x80\0\0\0"s, false},
           Way{"past movups between vectors", with_offset(0), "\x66\x48\x0f\x6e\xc0\x0f\x11\xc1"s + store_xmm0_128},
           Way{"past movq between vectors", with_offset(0), "\x66\x48\x0f\x6e\xc0\xf3\x0f\x7e\xc8"s + store_xmm0_128},
           Way{"past movlhps", with_offset(0), "\x66\x48\x0f\x6e\xc0\x0f\x16\xc8"s + store_xmm0_128},
           Way{"the high half of memory", with_offset(0), "\x66\x48\x0f\x6e\xc8\x66\x0f\x6c\x01\x0f\x11\x44\x24\x78"s,
               false},
       }) {
    CHECK(name + (is_table_found(write, raw) ? " found" : "") == name + (found ? " found" : ""));
  }
}

TEST_CASE("addresses that lie in memory come to the stack by way of vectors") {
  using namespace std::string_literals;
  const auto relative = [](const CodeFile& file, std::size_t instruction, std::uint64_t place) {
    std::string bytes;
    const auto far = static_cast<std::uint32_t>(place - (file.here() + instruction + 4));
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>(far >> (8 * i));
    return bytes;
  };
  CodeFile file({"PyUnicode_InternFromString"});
  file.function();
  const auto name = file.text("__name__"), main = file.text("__main__");
  file.pointer(CodeFile::variables, main).pointer(CodeFile::variables + 16, name);
  file.address(result, CodeFile::unwritten).store(0, result).address(result, file.text("A text.")).store(8, result);
  file.address(result, file.text("json")).store(48, result);
  file.raw("\xf3\x0f\x7e\x05"s + relative(file, 4, CodeFile::variables));   // movq xmm0, [variables]
  file.raw("\x0f\x11\x44\x24\x58"s);                                        // movups [rsp+88], xmm0
  file.raw("\x0f\x16\x05"s + relative(file, 3, CodeFile::variables + 16));  // movhps xmm0, [variables+16]
  file.raw("\x0f\x11\x44\x24\x78"s).call("PyUnicode_InternFromString");     // movups [rsp+120], xmm0
  CHECK(table_of_file(file.bytes()) == wanted_table);
}

TEST_CASE("what is no table of a module is none") {
  CodeFile other({"PyUnicode_InternFromString"});
  other.function();
  other.address(result, other.text("__main__")).store(8, result).call("PyUnicode_InternFromString");
  CHECK(table_of_file(other.bytes()).empty());
  CodeFile plain({"puts"});
  plain.function();
  plain.address(result, plain.text("__main__"))
      .store(8, result)
      .address(result, plain.text("__name__"))
      .store(48, result);
  plain.call("puts");
  CHECK(table_of_file(plain.bytes()).empty());
}

TEST_CASE("a place on the stack may be written with a byte, or without a number") {
  using namespace std::string_literals;
  CodeFile file({"PyUnicode_InternFromString"});
  file.function();
  file.address(result, file.text("A text.")).raw("\x48\x89\x04\x24"s);       // mov [rsp], rax
  file.address(result, file.text("json")).raw("\x48\x89\x44\x24\x28"s);      // mov [rsp+40], rax
  file.address(result, file.text("__main__")).raw("\x48\x89\x44\x24\x50"s);  // mov [rsp+80], rax
  file.address(result, file.text("__name__")).raw("\x48\x89\x44\x24\x78"s);  // mov [rsp+120], rax
  file.address(result, CodeFile::unwritten).store(160, result);              // of which the file has no bytes
  file.call("PyUnicode_InternFromString");
  CHECK(table_of_file(file.bytes()) == wanted_table);
}

TEST_CASE("the function that has the module's dictionary is not the one that makes the strings") {
  for (const bool has_dictionary : {false, true}) {
    CodeFile file({"PyUnicode_InternFromString", "PyModule_GetDict"});
    file.function();
    std::uint32_t place = 0;
    for (const auto* text : {"A text.", "json", "__main__", "__name__"}) {
      file.address(result, file.text(text)).store(place, result);
      place += 40;
    }
    if (has_dictionary) file.call("PyModule_GetDict");
    file.call("PyUnicode_InternFromString");
    CHECK(table_of_file(file.bytes()) == (has_dictionary ? StringTable() : wanted_table));
  }
}

TEST_CASE("an array of strings ends at what is no text, and is none if a string has no size") {
  struct Row {
    std::uint64_t size_of_json;
    bool ends;
    StringTable wanted;
  };
  for (const auto& [size_of_json, ends, wanted] : {
           Row{5, false, wanted_table},
           Row{0x80005, false, wanted_table},
           Row{0, false, {}},
           Row{0x50000, false, {}},
           Row{5, true, {}},
       }) {
    CodeFile file({});
    file.function();
    auto place = CodeFile::variables;
    for (const std::string text : {"A text.", "json", "__main__", "__name__"}) {
      const bool is_end = ends && text == "__name__";
      file.pointer(place, is_end ? 0 : file.text(text), text == "json" ? size_of_json : text.size() + 1);
      place += 16;
    }
    file.address(CodeFile::rdi, CodeFile::variables);
    CHECK(table_of_file(file.bytes()) == wanted);
  }
}

TEST_CASE("an array that costs more than the budget is none") {
  CodeFile file({});
  file.function();
  auto place = CodeFile::variables;
  for (const std::string text : {"A text.", "json", "__main__", "__name__"}) {
    file.pointer(place, file.text(text), text.size() + 1);
    place += 16;
  }
  file.address(CodeFile::rdi, CodeFile::variables);
  const auto bytes = file.bytes();
  const auto table = [&](const CostLimits& limits) { return table_of_file(bytes, limits); };
  CHECK(table({}) == wanted_table);
  CHECK(table({.steps = 3}).empty());
  CHECK(table({.kept = 3 * 64}).empty());
  CHECK(table({.kept = 4 * 64}) == wanted_table);
}

TEST_CASE("what a function writes to its stack is followed as far as the budget goes") {
  CodeFile file({"PyUnicode_InternFromString"});
  file.function();
  std::uint32_t place = 0;
  for (const auto* text : {"A text.", "json", "__main__", "__name__"}) {
    file.address(result, file.text(text)).store(place, result);
    place += 40;
  }
  file.call("PyUnicode_InternFromString");
  const auto bytes = file.bytes();
  const auto table = [&](const CostLimits& limits) { return table_of_file(bytes, limits); };
  CHECK(table({}) == wanted_table);
  CHECK(table({.kept = 4 * 64}) == wanted_table);
  CHECK(table({.kept = 3 * 64}).empty());
  CHECK(table({.steps = 20}).empty());
}

TEST_CASE("how long strings of Cython 3.2 are, as code writes it on its stack in all ways") {
  CodeFile file({"PyUnicode_InternInPlace"});
  file.function();
  file.raw(code_of_lengths()).call("PyUnicode_InternInPlace");
  CHECK(lengths_of_file(file) == four_bytes({~0U, 46, 17, 8, 268, 7, 9, 13, 0x1234, 0x145, 11, ~0U, 5, ~0U, 6}));
  CodeFile other({"PyUnicode_Intern"});
  other.function();
  other.raw(code_of_lengths()).call("PyUnicode_Intern");
  CHECK(lengths_of_file(other).empty());
}

TEST_CASE("what is written elsewhere than on the stack, or eight bytes at once, is no length") {
  using namespace std::string_literals;
  CodeFile file({"PyUnicode_InternInPlace"});
  file.function();
  file.raw("\xc6\x43\x18\x05\xc6\x44\x04\x18\x05\xc6\x05\x18\x00\x00\x00\x05"s);  // rbx, rsp+rax, rip
  file.raw("\xc6\x84\x24\x00\x00\x00\x01\x05\xc6\x84\x24\x00\x00\x00\xff\x05"s);  // 16 MiB away
  file.raw("\xc6\x45\x00\x05\x48\xc7\x44\x24\x40\x07\x00\x00\x00"s);
  file.call("PyUnicode_InternInPlace");
  CHECK(lengths_of_file(file) == four_bytes({~0U, 5}));
}

TEST_CASE("lengths on the stack are looked for as far as the budget allows") {
  CodeFile file({"PyUnicode_InternInPlace"});
  file.function();
  file.raw(code_of_lengths()).call("PyUnicode_InternInPlace");
  CHECK(lengths_of_file(file, {.kept = 500}).size() < 40);
  CHECK(lengths_of_file(file, {.steps = 200}).size() < 40);
}
