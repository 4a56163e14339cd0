#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "pyimport/tests/import_world.h"

namespace cudald {

/// A world whose standard library has the modules that most code asks.
struct AnswerWorld : ImportWorld {
  AnswerWorld() {
    rules = R"({"standard_library": {"names": ["sys", "os", "ctypes", "importlib", "glob", "json", "pathlib", "io",
                "pkgutil", "platform", "contextlib", "typing", "posixpath", "ntpath", "genericpath"]},
                "rules": [], "libraries": {"rows": {}}})";
    add("a.so");
    add("b.so");
  }
  /// Whether the last line of this code, a condition, holds: "true", "false", "open" if that is not known; otherwise
  /// what is loaded, and what ends the import.
  std::string operator()(std::string_view asked) {
    const auto last = asked.rfind('\n') + 1;
    const std::string given(asked);
    add("m.py",
        "import ctypes, glob, importlib, importlib.machinery, importlib.metadata, importlib.util, json, os, pathlib, "
        "platform, sys\n" +
            given.substr(0, last) + "if " + given.substr(last) + ":\n  import a\nelse:\n  import b\n");
    loads.clear();
    const auto loaded = import("m");
    if (loaded.ends_with("a.so optional, b.so optional")) return "open";
    if (loaded.ends_with("a.so")) return "true";
    if (loaded.ends_with("b.so")) return "false";
    return loaded + "|" + result.error;
  }
};

/// What is loaded by this code as a module.
inline std::string loads_by(std::string_view code, AnswerWorld world = {}) {
  world.add("m.py", std::string(code));
  return world.import("m");
}

/// What ends the import of m where these modules are; empty if nothing does.
inline std::string end_of_modules(const std::vector<std::pair<std::string, std::string>>& files,
                                  ImportWorld world = {}) {
  for (const auto& [path, text] : files) world.add(path, text);
  world.import("m");
  return world.result.error;
}

/// Whether the last line holds, of each code, in a world of its own that has the files of `world`.
template <typename Codes>
void check_answers(const AnswerWorld& world, const Codes& codes, std::string_view answer) {
  for (const std::string_view code : codes) {
    auto own = world;
    const auto head = std::string(code) + "\nis ";
    CHECK(head + own(code) == head + std::string(answer));
  }
}

}  // namespace cudald
