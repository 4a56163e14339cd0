#include "python/call_arguments.h"

#include <doctest/doctest.h>

using namespace cudald;
using namespace cudald::python;

namespace {

using Kind = CodeStep::Kind;
using Steps = std::vector<CodeStep>;

constexpr std::uint8_t rax = 0, rbx = 3;
constexpr std::uint64_t text = 0x100;

const CodeStep call{.kind = Kind::imported, .name = "puts"};

}  // namespace

TEST_CASE("an argument is what was last brought into its register") {
  const CodeStep address{.kind = Kind::address, .into = rdi, .place = text};
  CHECK(address_argument({address, call}, 1, rdi) == text);
  CHECK_FALSE(address_argument({address, call}, 1, rsi));
  CHECK_FALSE(address_argument({address, call, call}, 2, rdi));
  const CodeStep load{.kind = Kind::load, .into = rdi, .place = 0x200};
  const Steps loaded{address, load, call};
  CHECK(source_of_argument(loaded, 2, rdi) == &loaded[1]);
  CHECK_FALSE(address_argument(loaded, 2, rdi));
}

TEST_CASE("it is followed through registers that calls keep, and through the text that is made of it") {
  const CodeStep kept{.kind = Kind::address, .into = rbx, .place = text};
  const CodeStep copy{.kind = Kind::copy, .into = rdi, .from = rbx};
  CHECK(address_argument({kept, call, copy, call}, 3, rdi) == text);
  const CodeStep given{.kind = Kind::address, .into = rdi, .place = text};
  const CodeStep made{.kind = Kind::imported, .name = "PyUnicode_FromString"};
  const CodeStep result{.kind = Kind::copy, .into = rdi, .from = rax};
  CHECK(address_argument({given, made, result, call}, 3, rdi) == text);
  CHECK_FALSE(address_argument({given, call, result, call}, 3, rdi));
}

TEST_CASE("the functions that import what they are given") {
  CHECK(imports_module("PyImport_ImportModuleLevelObject"));
  CHECK_FALSE(imports_module("PyImport_AddModule"));
}
