#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "unit/python/import_world.h"

namespace cudald {

/// tests/python/true_expressions.txt, which tests/python/true_expressions.py holds against Python itself.
std::string_view embedded_true_expressions();

namespace {

struct Case {
  std::string error;  ///< which exception its last line raises; empty: that line is true
  std::string code;
};

struct Cases {
  std::vector<std::pair<std::string, std::string>> files;
  std::vector<Case> cases;
};

/// What begins after each of these marks, up to the next one.
std::vector<std::string> parts_after(const std::string& text, const std::string& mark) {
  std::vector<std::string> parts;
  for (auto at = text.find(mark); at != std::string::npos;) {
    const auto begin = at + mark.size();
    at = text.find(mark, begin);
    parts.push_back(text.substr(begin, at == std::string::npos ? at : at - begin));
  }
  return parts;
}

Cases read_cases() {
  Cases read;
  for (const auto& part : parts_after(std::string(embedded_true_expressions()), "\n== ")) {
    const auto end = part.find('\n');
    const auto head = part.substr(0, end);
    const auto content = end == std::string::npos ? "" : part.substr(end + 1);
    const std::string caught = "caught ";
    if (head != "cases" && !head.starts_with(caught)) {
      read.files.emplace_back(head, content.empty() ? "" : content + "\n");
      continue;
    }
    const auto error = head == "cases" ? "" : head.substr(caught.size());
    for (const auto& code : parts_after("\n\n" + content, "\n\n"))
      if (code.find_first_not_of('\n') != std::string::npos)
        read.cases.push_back({error, code.substr(code.find_first_not_of('\n'))});
  }
  return read;
}

/// The module that loads a.so if the case is as Python has it, b.so if it is not, and both if nothing is known.
std::string module_of(Case one) {
  while (one.code.ends_with('\n')) one.code.pop_back();
  const auto last = one.code.rfind('\n') + 1;  // the whole code, if that is one line
  const std::string before =
      "import os, sys, json, glob, ctypes, pathlib, importlib, importlib.util, importlib.machinery\n"
      "import importlib.metadata, platform\nimport p, p.q\nfrom p import q\nhere = os.path.dirname(__file__)\n";
  if (!one.error.empty())
    return before + "try:\n  " + one.code + "\nexcept " + one.error + ":\n  import a\nelse:\n  import b\n";
  return before + one.code.substr(0, last) + "if " + one.code.substr(last) + ":\n  import a\nelse:\n  import b\n";
}

}  // namespace

TEST_CASE("what Python finds true is true here, and exceptions go to their handlers") {
  const auto read = read_cases();
  CHECK(read.cases.size() > 150);
  for (const auto& one : read.cases) {
    CAPTURE(one.code);
    ImportWorld world;
    world.rules = R"({"standard_library": {"names": ["sys", "os", "ctypes", "importlib", "glob", "json", "pathlib",
                      "platform", "contextlib"]}, "rules": [], "libraries": {"rows": {}}})";
    for (const auto& [path, text] : read.files) world.add(path, text);
    world.add("a.so");
    world.add("b.so");
    world.add("m.py", module_of(one));
    CHECK(world.import("m") == "a.so");
  }
}

TEST_CASE("an attribute of which the name or the value is not known is none that is set") {
  for (const std::string arguments : {"", "K", "K, what()", "K, what(), 1", "K, 'x', what()", "what(), 'x', 1"}) {
    CAPTURE(arguments);
    ImportWorld world;
    world.add("a.so");
    world.add("m.py", "class K: pass\nsetattr(" + arguments + ")\nimport a\n");
    CHECK(world.import("m") == "a.so");
  }
}

}  // namespace cudald
