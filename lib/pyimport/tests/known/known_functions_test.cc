#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "pyimport/tests/answers.h"

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

TEST_CASE("variables, modules and names that are asked for by methods") {
  AnswerWorld world;
  world.python.variables = {{"HOME", "/root"}};
  world.add("p/__init__.py", "x = 1\n");
  world.add("q.py", "x = 2\ny = 3\n");
  world.add("text.txt", "one\ntwo");
  check_answers(
      world,
      std::vector<std::string_view>{
          "os.environ.get('HOME') == '/root' and os.environ.get('NO') is None and os.getenv('NO', 'x') == 'x'",
          "os.environ.get('NO', default='x') == 'x' and os.environ.get('HOME', 'x') == '/root'",
          "os.environ.pop('HOME') == '/root' and 'HOME' not in os.environ and os.environ.pop('HOME', 5) == 5",
          "os.environ.setdefault('N', 'x') == 'x' and os.environ['N'] == 'x'",
          "os.environ.update({'N': 'x', 5: 'y'})\nos.environ['N'] == 'x'",
          "os.environ.update() is None and os.environ.update(5) is None",
          "import p\nsys.modules.get('p').x == 1 and sys.modules['p'].x == 1",
          "sys.modules.get('absent') is None and sys.modules.get('absent', 5) == 5",
          "sys.modules.get('absent') is not object and sys.modules.pop('absent', None) is None",
          "import p\nsys.modules.pop('p').x == 1 and 'p' not in sys.modules",
          "import p\nif what(): sys.modules.pop('p')\n'p' in sys.modules",
          "x = 1\nglobals().get('x') == 1",
          "globals().update({'x': 5, 6: 7})\nx == 5",
          "import q\nx = y = 0\nglobals().update(q.__dict__)\nx == 2 and y == 3",
          "x = 1\nglobals().update(globals()) is None and x == 1",
          "x = 1\nif what(): globals().update({'x': 2})\nx == 1",
          "import os, pathlib\nos.path.expanduser('~/') == '/root/' and os.path.expanduser('~') == '/root'",
          "import os, pathlib\nos.path.expanduser('a~') == 'a~' and pathlib.Path('~/a').expanduser() == '/root/a'",
          "open('/s/text.txt').readlines() == ['one\\n', 'two'] and open('/s/text.txt').read() == 'one\\ntwo'",
      },
      "true");
  check_answers(world,
                std::vector<std::string_view>{
                    "os.environ.get() is None",
                    "os.environ.setdefault('N') is None",
                    "os.environ.setdefault(what(), 'x') == 'x'",
                    "os.environ.setdefault('N', what()) == 'x'",
                    "os.environ.pop(what()) == 'x'",
                    "os.environ.items() == []",
                    "import os\nos.path.expanduser('~other/a') == '~other/a'",
                    "import os\nos.path.expandvars('$HOME/a') == '$HOME/a'",
                    "os.environ['HOME'] = what()\nos.environ.get('HOME') == '/root'",
                    "os.environ['HOME'] = what()\nos.environ.setdefault('HOME', 'x') == '/root'",
                    "if what(): os.environ['HOME'] = 'x'\nos.environ.get('HOME') == '/root'",
                    "if what(): os.environ.pop('HOME')\nos.environ.get('HOME') == '/root'",
                    "sys.modules.pop('absent') is None",
                    "sys.modules.get(what()) is None",
                    "sys.modules.items() == []",
                    "globals().get('unheard_of') == 1",
                    "globals().get(what()) == 1",
                    "globals().items() == []",
                    "globals().update() is None",
                    "open('/proc/self/maps').readlines() == []",
                    "open('/s/text.txt').readline() == 'one\\n'",
                    "K = 5\nK.unheard_of() == 1",
                },
                "open");
}

}  // namespace cudald
