// What an error says of releases in plain words.

#include "check/packages/asked_releases.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("the releases that words ask for, where they exclude the one that is installed") {
  const auto asked = [](const char* error, const char* installed) {
    return releases_in_words(error, installed).value_or("none");
  };
  CHECK(asked("cudfx supports pandas up to 2.0.3, found 2.2.3", "2.2.3") == "<=2.0.3");
  CHECK(asked("Numba needs NumPy 2.0 or less. Got NumPy 2.3.", "2.3.1") == "<2.1");
  CHECK(asked("jaxlib is version 0.4.35, but this version of jax requires version >= 0.5.0.", "0.4.35") == ">=0.5.0");
  CHECK(asked("peft requires torch 2.3 or newer, found 2.1.0+cu121", "2.1.0+cu121") == ">=2.3");
  CHECK(asked("a version of pandas before 2.0 is needed; this is 2.2.3", "2.2.3") == "<2.0");
  CHECK(asked("torch 2.1.0 is too old, at least 2.3 is needed", "2.1.0") == ">=2.3");
  // What the installed release fulfils is not the cause, and a number alone asks for nothing.
  CHECK(asked("requires numpy 1.20 or newer", "2.2.3") == "none");
  CHECK(asked("built with 1.20.1, running 2.2.3", "2.2.3") == "none");
  CHECK(asked("no version in it", "1.0") == "none");
  CHECK(asked("up to 2.99999999999999999999 or 2.9999999999", "3.1") == "<2.10000000000");
  CHECK(asked("fails at least twice. See 3.4.5", "1.0") == "none");
}

TEST_CASE("the release in which an error says that a name was removed") {
  const auto said = [](const char* error) {
    const auto found = removed_in(error);
    return found ? found->name + " " + found->release : "none";
  };
  CHECK(said("AttributeError: jax.core.Shape was removed in JAX v0.5.") == "jax 0.5");
  CHECK(said("`np.float_` was removed in the NumPy 2.0 release. Use `np.float64` instead.") == "numpy 2.0");
  CHECK(said("x was removed in pkg version 3.1") == "pkg 3.1");
  CHECK(said("x was removed in an earlier release") == "none");
  CHECK(said("x was removed in") == "none");
  CHECK(said("nothing") == "none");
}

}  // namespace
}  // namespace cudald
