#include "pyimport/compiled/call_arguments.h"

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "binary/bytes/readers.h"
#include "common/code_file.h"
#include "common/memory_file_system.h"

using namespace cudald;
using namespace cudald::python;

namespace {

using StepKind = CodeStep::Kind;
using CodeSteps = std::vector<CodeStep>;

constexpr std::uint8_t of_result = 0, kept_register = 3;
constexpr std::uint64_t place_of_text = 0x100;

const CodeStep call_of_other{.kind = StepKind::imported, .name = "puts"};

}  // namespace

TEST_CASE("an argument is what was last brought into its register") {
  const CodeStep address{.kind = StepKind::address, .into = rdi, .place = place_of_text};
  CHECK(address_argument({address, call_of_other}, 1, rdi) == place_of_text);
  CHECK_FALSE(address_argument({address, call_of_other}, 1, rsi));
  CHECK_FALSE(address_argument({address, call_of_other, call_of_other}, 2, rdi));
  const CodeStep load{.kind = StepKind::load, .into = rdi, .place = 0x200};
  const CodeSteps loaded{address, load, call_of_other};
  CHECK(source_of_argument(loaded, 2, rdi) == &loaded[1]);
  CHECK_FALSE(address_argument(loaded, 2, rdi));
}

TEST_CASE("it is followed through registers that calls keep, and through the text that is made of it") {
  const CodeStep kept{.kind = StepKind::address, .into = kept_register, .place = place_of_text};
  const CodeStep copy{.kind = StepKind::copy, .into = rdi, .from = kept_register};
  CHECK(address_argument({kept, call_of_other, copy, call_of_other}, 3, rdi) == place_of_text);
  const CodeStep given{.kind = StepKind::address, .into = rdi, .place = place_of_text};
  const CodeStep made{.kind = StepKind::imported, .name = "PyUnicode_FromString"};
  const CodeStep result{.kind = StepKind::copy, .into = rdi, .from = of_result};
  CHECK(address_argument({given, made, result, call_of_other}, 3, rdi) == place_of_text);
  CHECK_FALSE(address_argument({given, call_of_other, result, call_of_other}, 3, rdi));
}

TEST_CASE("a call leaves what it found in the registers that it must keep, and in no other") {
  for (std::uint8_t reg = 0; reg < 16; ++reg) {
    CAPTURE(int{reg});
    const CodeStep address{.kind = StepKind::address, .into = reg, .place = place_of_text};
    const bool kept = reg == 3 || reg == 5 || reg == 12 || reg == 13 || reg == 14 || reg == 15;
    for (const auto kind : {StepKind::imported, StepKind::call}) {
      const CodeSteps steps{address, {.kind = kind, .name = "puts"}};
      CHECK(source_of_argument(steps, 2, reg) == (kept ? &steps[0] : nullptr));
      CHECK(source_of_argument(steps, 1, reg) == &steps[0]);
      CHECK(source_of_argument(steps, 0, reg) == nullptr);
    }
  }
}

TEST_CASE("only Python's own functions that make texts give back what they were given, and only as their result") {
  const auto argument = [](StepKind kind, std::string_view name, std::uint8_t from) {
    const CodeStep given{.kind = StepKind::address, .into = rdi, .place = place_of_text};
    const CodeStep copy{.kind = StepKind::copy, .into = rsi, .from = from};
    return address_argument({given, {.kind = kind, .name = name}, copy}, 3, rsi);
  };
  CHECK(argument(StepKind::imported, "PyUnicode_FromString", of_result) == place_of_text);
  CHECK(argument(StepKind::imported, "PyUnicode_InternFromString", of_result) == place_of_text);
  CHECK_FALSE(argument(StepKind::imported, "PyUnicode_FromFormat", of_result));
  CHECK_FALSE(argument(StepKind::call, "PyUnicode_FromString", of_result));
  CHECK_FALSE(argument(StepKind::imported, "PyUnicode_FromString", rdi));
  // Of another register's value the call makes no text.
  CHECK_FALSE(argument(StepKind::imported, "PyUnicode_FromString", kept_register));
  const CodeStep kept{.kind = StepKind::address, .into = kept_register, .place = place_of_text};
  CHECK(address_argument({kept, {.kind = StepKind::imported, .name = "PyUnicode_FromString"}}, 2, kept_register) ==
        place_of_text);
}

TEST_CASE("a branch, or what is brought into another register, does not matter") {
  const CodeStep address{.kind = StepKind::address, .into = rdi, .place = place_of_text};
  const CodeStep branch{.kind = StepKind::branch, .into = rdi, .from = rsi, .place = 0x300};
  const CodeStep other{.kind = StepKind::address, .into = rsi, .place = 0x400};
  CHECK(address_argument({address, branch, other}, 3, rdi) == place_of_text);
  CHECK(address_argument({address, branch, other}, 3, rsi) == 0x400U);
}

TEST_CASE("the text that an address leads to is the argument; what leads to none is not") {
  CodeFile file({"puts"});
  const auto json = file.text("json");
  file.function();
  file.address(CodeFile::rdi, json).load(CodeFile::rsi, json).call("puts");
  const auto bytes = file.bytes();
  Budget budget;
  MemoryFileSystem files;
  files.add_file("/file", bytes);
  const auto opened = files.open("/file");
  const auto image = read_image(**opened, budget);
  REQUIRE(image);
  const auto code = FunctionCode::of(MappedBytes(bytes), **image, budget);
  REQUIRE(code);
  const auto steps = code->steps(CodeFile::base);
  CHECK(text_argument(*code, steps, steps.size() - 1, rdi) == "json");
  CHECK_FALSE(text_argument(*code, steps, steps.size() - 1, rsi));
  CHECK_FALSE(text_argument(*code, steps, steps.size() - 1, rdx));
}

TEST_CASE("the functions that import what they are given") {
  for (const auto* name : {"PyImport_ImportModule", "PyImport_ImportModuleNoBlock", "PyImport_Import",
                           "PyImport_ImportModuleLevel", "PyImport_ImportModuleLevelObject"})
    CHECK_MESSAGE(imports_module(name), name);
  for (const auto* name : {"PyImport_AddModule", "PyImport_ImportModuleAttr", "PyImport", "PyImport_GetModule", ""})
    CHECK_FALSE_MESSAGE(imports_module(name), name);
}
