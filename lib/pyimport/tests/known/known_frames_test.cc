#include "pyimport/tests/answers.h"

using namespace cudald;

namespace {

/// What ends `from p import y`, where p runs this code and another module, h, this one.
std::string end_by(const std::string& helper, const std::string& code) {
  ImportWorld world;
  world.rules = R"({"standard_library": {"names": ["sys", "inspect"]}, "rules": [], "libraries": {"rows": {}}})";
  return end_of_modules({{"h.py", helper}, {"p.py", code}, {"m.py", "from p import y\n"}}, std::move(world));
}

const std::string lacks_y = "ImportError: cannot import name 'y' from 'p' (/s/p.py)";

}  // namespace

TEST_CASE("names that a function binds in the module of its caller are followed") {
  const std::string puts = "import sys\ndef put(name):\n  sys._getframe(1).f_globals[name] = 1\n";
  CHECK(end_by(puts, "import h\nh.put('y')\n").empty());
  CHECK(end_by(puts, "import h\nh.put('z')\n") == lacks_y);
  CHECK(end_by(puts, "import h\nh.put(input())\n").empty());
  CHECK(end_by(puts, "import h\ny = 1\ndef f(): h.put('z')\nf()\n").empty());
}

TEST_CASE("where it is not known which frame code gets, each module that runs may have more names") {
  const std::string asks = "import inspect, sys\ndef put():\n  frame = ";
  const std::string binds = "\n  frame.f_globals[input()] = 1\n";
  for (const std::string frame :
       {"inspect.currentframe().f_back", "sys._getframe(int(input()))", "inspect.stack()[1].frame"})
    CHECK(end_by(asks + frame + binds, "import h\nh.put()\n").empty());
  // Its own module is another one.
  CHECK(end_by(asks + "sys._getframe()" + binds, "import h\nh.put()\n") == lacks_y);
  // Nobody reaches for names.
  CHECK(end_by(asks + "sys._getframe(int(input()))\n  frame.f_lineno\n", "import h\nh.put()\n") == lacks_y);
}
