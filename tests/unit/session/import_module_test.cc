#include <doctest/doctest.h>

#include "common/wheel_file.h"
#include "common/world.h"

namespace cudald {
namespace {

/// The judgement of pkg, a wheel with these members.
Report judged(std::vector<std::pair<std::string, std::string>> members) {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-linux_x86_64.whl";
  world.files.add_file(path, wheel_file(std::move(members)));
  return world.explain({path});
}

std::string needs(const std::string& library) { return elf({.needed = {library}}); }

TEST_CASE("an extension module that the import does not come to is a risk, one that it needs a failure") {
  const auto unreached =
      judged({{"pkg/__init__.py", "from . import a\n"}, {"pkg/a.so", elf({})}, {"pkg/sub/b.so", needs("libgpu.so")}});
  CHECK(unreached.verdict == Verdict::risk);
  REQUIRE(unreached.findings.size() == 1);
  CHECK(unreached.findings[0].level == Level::warning);
  CHECK(unreached.findings[0].consequence.starts_with(
      "`import pkg` does not come to pkg.sub.b; whoever imports that module gets ImportError."));

  const auto reached = judged({{"pkg/__init__.py", "from .sub import b\n"}, {"pkg/sub/b.so", needs("libgpu.so")}});
  CHECK(reached.verdict == Verdict::fails);

  const auto top_level = judged({{"b.abi3.so", needs("libgpu.so")}, {"pkg.libs/libgpu.so.1", elf({})}});
  CHECK(top_level.verdict == Verdict::fails);
}

TEST_CASE("of an import that fails, only what led to it is an error") {
  const auto report =
      judged({{"pkg/__init__.py",
               "import ctypes\n"
               "try:\n  ctypes.CDLL('libfast.so')\nexcept OSError:\n  pass\n"
               "try:\n  from . import a\nexcept ImportError as e:\n  raise ImportError('pkg is broken') from e\n"},
              {"pkg/a.so", needs("libgpu.so")}});
  CHECK(report.verdict == Verdict::fails);
  REQUIRE(report.findings.size() == 2);
  CHECK(report.findings[0].subject == "libgpu.so");
  CHECK(report.findings[0].consequence ==
        "`import pkg` raises ImportError: pkg is broken; the loader's own words before it: "
        "libgpu.so: cannot open shared object file: No such file or directory");
  CHECK(report.findings[1].subject == "libfast.so");
  CHECK(report.findings[1].level == Level::note);

  // What code concludes from a failure is not followed, so any one may be the reason.
  const auto own =
      judged({{"pkg/__init__.py",
               "import ctypes\nfast = True\n"
               "try:\n  ctypes.CDLL('libfast.so')\nexcept OSError:\n  fast = False\n"
               "try:\n  if not fast:\n    raise RuntimeError('nothing works')\nexcept RuntimeError:\n  raise\n"},
              {"pkg/a.so", elf({})}});
  CHECK(own.verdict == Verdict::fails);
  REQUIRE(own.findings.size() == 1);
  CHECK(own.findings[0].subject == "libfast.so");
  CHECK(own.findings[0].consequence.starts_with("`import pkg` raises RuntimeError: nothing works; "));
}

}  // namespace
}  // namespace cudald
