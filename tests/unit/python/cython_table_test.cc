#include "python/cython_table.h"

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "common/code_file.h"
#include "common/memory_file_system.h"
#include "image/readers.h"

using namespace cudald;
using namespace cudald::python;

namespace {

constexpr std::uint8_t result = CodeFile::rax;

/// What the first function of the file leads to; its texts stand in `bytes`.
StringTable table_of_file(const std::string& bytes) {
  Budget budget;
  MemoryFileSystem files;
  files.add_file("/file", bytes);
  const auto opened = files.open("/file");
  const auto image = read_image(**opened, budget);
  const auto code = FunctionCode::of(bytes, **image, budget);
  REQUIRE(code);
  return cython_table(*code, CodeFile::base, code->steps(CodeFile::base), budget);
}

const StringTable wanted_table{{-2, "A text."}, {-1, "json"}, {0, "__main__"}, {1, "__name__"}};

}  // namespace

TEST_CASE("strings of Cython 3.1 stand in an array, whose rows may be short or long") {
  for (const std::uint64_t row : {16, 24}) {
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
