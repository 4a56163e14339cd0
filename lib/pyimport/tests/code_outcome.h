#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "pyimport/tests/import_world.h"

namespace cudald {

/// What a module comes to that runs this code: "yes" or "no" by its last line, an expression, "unknown" if that is not
/// known, else the error that ends it, or what is loaded. Nobody knows what() is.
inline std::string outcome(std::string_view code, const std::function<void(ImportWorld&)>& prepare = {}) {
  ImportWorld world;
  world.rules = R"({"standard_library": {"names": ["sys", "os", "importlib", "ctypes", "json"]},
                    "rules": [], "libraries": {"rows": {}}})";
  world.add("a.so");
  world.add("b.so");
  if (prepare) prepare(world);
  const auto last = code.rfind('\n') + 1;
  world.add("m.py", "import ctypes, importlib, json, os, sys\nclass K:\n  size = 1\n" +
                        std::string(code.substr(0, last)) + "if " + std::string(code.substr(last)) +
                        ":\n  import a\nelse:\n  import b\n");
  const auto loads = world.import("m");
  if (!world.result.error.empty()) return world.result.error;
  if (loads == "a.so") return "yes";
  if (loads == "b.so") return "no";
  return loads == "a.so optional, b.so optional" ? "unknown" : loads;
}

struct Outcome {
  std::string code, outcome;
};

template <std::size_t count>
void check_outcomes(const Outcome (&rows)[count], const std::function<void(ImportWorld&)>& prepare = {}) {
  for (const auto& [code, wanted] : rows) {
    const auto head = std::string(code) + "\nis ";
    CHECK(head + outcome(code, prepare) == head + wanted);
  }
}

}  // namespace cudald
