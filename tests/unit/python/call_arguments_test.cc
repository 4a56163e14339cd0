#include "python/call_arguments.h"

#include <doctest/doctest.h>

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

TEST_CASE("the functions that import what they are given") {
  CHECK(imports_module("PyImport_ImportModuleLevelObject"));
  CHECK_FALSE(imports_module("PyImport_AddModule"));
}
