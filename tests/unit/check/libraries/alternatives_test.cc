// Libraries of which code needs one.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

TEST_CASE("of libraries of which one is enough, the one that lacks least comes first") {
  TestWorld world;
  const std::string site = "/venv/lib/python3.11/site-packages/";
  world.query.prefix = "/venv";
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file(site + "pkg/__init__.py", R"(import ctypes, os
here = os.path.dirname(__file__)
def load():
    for name in ("libfirst.so", "libsecond.so"):
        try:
            return ctypes.CDLL(os.path.join(here, name))
        except OSError:
            pass
    raise ImportError("no library")
load()
)");
  world.add(site + "pkg/libfirst.so", {.needed = {"libtwo.so.1", "libthree.so.1"}});
  world.add(site + "pkg/libsecond.so", {.needed = {"libone.so.1"}});
  const auto report = world.explain({"py:pkg"});
  REQUIRE(report.verdict == Verdict::fails);
  REQUIRE(report.findings.size() >= 2);
  CHECK(report.findings[0].subject == "libone.so.1");
  CHECK(says(report.findings[0], "its code tries 2 libraries, and one is enough: libsecond.so lacks nothing else"));
}

}  // namespace
}  // namespace cudald
