// Parts of the standard library that not every Python has; tests/field/cuda/pyenv-1933-built-without-ctypes has one.

#include <doctest/doctest.h>

#include "knowledge/python_rules.h"

namespace cudald {
namespace {

TEST_CASE("the table says with which library a module is built, and which package of a system has it") {
  const auto ffi = python::optional_module("_ctypes");
  REQUIRE(ffi.has_value());
  CHECK(ffi->library == "libffi");
  CHECK(ffi->debian == "libffi-dev");
  CHECK(ffi->fedora == "libffi-devel");
  CHECK(ffi->own_debian.empty());
  const auto tk = python::optional_module("tkinter");
  REQUIRE(tk.has_value());
  CHECK(tk->own_debian == "python3-tk");
  CHECK(tk->own_fedora == "python3-tkinter");
  CHECK_FALSE(python::optional_module("json").has_value());
}

}  // namespace
}  // namespace cudald
