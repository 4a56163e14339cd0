#include "knowledge/stable_abi.h"

#include <string_view>

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("a symbol is stable from the release on that brought it into the ABI") {
  CHECK(abi_standing("PyList_New", "").standing == AbiStanding::stable);
  CHECK(abi_standing("PyList_New", "3.8").standing == AbiStanding::stable);
  const auto later = abi_standing("PyType_GetName", "3.8");
  CHECK(later.standing == AbiStanding::later);
  CHECK(later.since == "3.11");
  CHECK(abi_standing("PyType_GetName", "3.11").standing == AbiStanding::stable);
  CHECK(abi_standing("PyBaseObject_Type", "3.4").standing == AbiStanding::stable);
}

TEST_CASE("what is Python's and not in the ABI is told from what is not Python's") {
  CHECK(abi_standing("_PyObject_CallMethodIdOneArg", "3.8").standing == AbiStanding::private_);
  for (const auto* name :
       {"PyUnicode_AsUnicode", "Py_Private", "_Py_Private", "PyAnything", "PyZipped", "Py_", "PyA", "_PyZ"}) {
    CAPTURE(name);
    CHECK(abi_standing(name, "3.8").standing == AbiStanding::private_);
  }
  for (const auto* name : {"malloc", "Pyramid", "python_main", "_ZN4PyImE", "Py", "Py3d", "Py[", "Py@", "__Py_X", ""}) {
    CAPTURE(name);
    CHECK(abi_standing(name, "3.8").standing == AbiStanding::no_python);
  }
}

TEST_CASE("the source of the table is told with the day on which it was checked") {
  const auto source = stable_abi_source();
  const std::string_view beginning = "abi3info ", of = "Misc/stable_abi.toml, 20";
  CHECK(source.starts_with(beginning));
  CHECK(source.find(of) + of.size() + 8 == source.size());
}

}  // namespace
}  // namespace cudald
