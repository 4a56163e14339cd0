#include "image/function_code.h"

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "common/code_file.h"
#include "common/memory_file_system.h"
#include "image/readers.h"

using namespace cudald;

namespace {

std::optional<FunctionCode> read(const std::string& bytes, Budget& budget) {
  MemoryFileSystem files;
  files.add_file("/file", bytes);
  const auto file = files.open("/file");
  const auto image = read_image(**file, budget);
  return image ? FunctionCode::of(MappedBytes(bytes), **image, budget) : std::nullopt;
}

}  // namespace

TEST_CASE("functions are found by the table for unwinding, and calls by their stubs and slots") {
  CodeFile file({"puts", "PyImport_ImportModule"});
  const auto text = file.text("datetime");
  const auto first = file.function();
  file.address(CodeFile::rdi, text).call("PyImport_ImportModule").call_by_slot("puts");
  const auto second = file.function();
  file.copy(CodeFile::rdi, CodeFile::rbx).load(CodeFile::rsi, CodeFile::variables).call(first);
  const auto bytes = file.bytes();
  Budget budget;
  const auto code = read(bytes, budget);
  REQUIRE(code);
  CHECK(code->exported("PyInit_") == first);
  CHECK_FALSE(code->exported("PyInit_other"));
  CHECK(code->function_at(first + 3) == first);
  CHECK(code->begins_function(second));
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
  const auto others = code->steps(second);
  REQUIRE(others.size() == 3);
  CHECK(others[0].kind == Kind::copy);
  CHECK(others[0].from == CodeFile::rbx);
  CHECK(others[1].kind == Kind::load);
  CHECK(others[1].place == CodeFile::variables);
  CHECK(others[2].kind == Kind::call);
  CHECK(others[2].place == first);
}

TEST_CASE("other machines, a table that is none, and a budget that is spent") {
  CodeFile file({"puts"});
  file.function();
  file.call("puts");
  auto bytes = file.bytes();
  Budget budget;
  CHECK(read(bytes, budget));
  auto other = bytes;
  poke(other, offsetof(Elf64_Ehdr, e_machine), std::uint16_t{EM_AARCH64});
  CHECK_FALSE(read(other, budget));
  Budget small({.steps = 40});
  CHECK_FALSE(read(bytes, small));
  poke(bytes, bytes.size() - (CodeFile::end - CodeFile::table) + 8, ~std::uint32_t{0});
  CHECK_FALSE(read(bytes, budget));
}

TEST_CASE("who calls a function of another file: by its stub, or through its slot, but not the stub itself") {
  CodeFile file({"puts", "dlopen"});
  const auto first = file.function();
  file.call("dlopen");
  const auto second = file.function();
  file.call("puts");
  const auto third = file.function();
  file.call_by_slot("dlopen");
  const auto bytes = file.bytes();
  Budget budget;
  const auto code = read(bytes, budget);
  REQUIRE(code);
  CHECK(code->callers({"dlopen"}) == std::vector<std::uint64_t>{first, third});
  CHECK(code->callers({"dlopen", "puts"}) == std::vector<std::uint64_t>{first, second, third});
  CHECK(code->callers({"printf"}).empty());
  CHECK(code->steps(second).at(0).at == second);
}

TEST_CASE("bytes within an instruction are no call, and those behind a prefix are one") {
  CodeFile file({"puts"});
  const auto first = file.function();
  const auto second = CodeFile::base + 0x40;
  // movabs rax, n: the last five bytes of n are those of a call.
  file.raw("\x48\xb8\x01\x02\x03").call(second).raw("\x67").call(second);
  while (file.here() <= second - 16) file.copy(0, 0);
  CHECK(file.function() == second);
  file.copy(CodeFile::rdi, CodeFile::rbx);
  const auto bytes = file.bytes();
  Budget budget;
  const auto code = read(bytes, budget);
  REQUIRE(code);
  std::vector<std::uint64_t> calls;
  for (const auto& step : code->steps(first))
    if (step.kind == CodeStep::Kind::call) calls.push_back(step.at - first);
  CHECK(calls == std::vector<std::uint64_t>{11});
}
