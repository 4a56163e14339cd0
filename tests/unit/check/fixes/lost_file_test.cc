// Files of packages that are gone or unusable.

#include <doctest/doctest.h>

#include "check/fixes/lost_file.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/fixes/fix_text.h"

namespace cudald {
namespace {

TEST_CASE("a file that RECORD lists and that is gone is installed again, in the release that is there") {
  TestWorld world;
  world.query.prefix = "/venv";
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file(packages_folder + "two-2.0.dist-info/METADATA", "Name: two\nVersion: 2.0\n");
  world.files.add_file(packages_folder + "two-2.0.dist-info/RECORD", "two/libcudart.so.12,,\n");
  world.add(packages_folder + "pkg/_C.so", {.runpath = "$ORIGIN/../two", .needed = {"libcudart.so.12"}});
  const auto again = "/venv/bin/python -m pip install --force-reinstall --no-deps two==2.0\n";
  CHECK(commands(world.explain({packages_folder + "pkg/_C.so"}).findings[0]) == again);
  // So is one that is there and of no use.
  world.files.add_file(packages_folder + "two/libcudart.so.12", "");
  CHECK(commands(world.explain({packages_folder + "pkg/_C.so"}).findings[0]).starts_with(again));
}

/// An environment with a package that has lost this file.
TestWorld with_lost_file(const std::string& file) {
  TestWorld world;
  world.query.prefix = "/venv";
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file(packages_folder + "two-2.0.dist-info/METADATA", "Name: two\nVersion: 2.0\n");
  world.files.add_file(packages_folder + "two-2.0.dist-info/RECORD", file + ",,\n");
  return world;
}

TEST_CASE("a file that is gone from where nobody looks comes back, and its folder is made known") {
  auto world = with_lost_file("two/libx.so.1");
  world.add(packages_folder + "pkg/_C.so", {.needed = {"libx.so.1"}});
  CHECK(in_full(world.explain({packages_folder + "pkg/_C.so"})) ==
        R"(CUD101 | error | /venv/lib/python3.11/site-packages/pkg/_C.so | libx.so.1
  libx.so.1 is not found in any directory the loader searches
  - two 2.0 lists /venv/lib/python3.11/site-packages/two/libx.so.1 in its RECORD, and the file is missing | )"
        R"(/venv/lib/python3.11/site-packages/two/libx.so.1 | proven
  = Loading it fails: libx.so.1: cannot open shared object file: No such file or directory
  > install the files of two 2.0 again | /venv/bin/python -m pip install --force-reinstall --no-deps two==2.0
export LD_LIBRARY_PATH=/venv/lib/python3.11/site-packages/two${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
)");
  // A copy that lies elsewhere is not what the package is to get.
  const auto alone = fixes_of(world.explain({packages_folder + "pkg/_C.so"}));
  world.add("/usr/local/cuda/lib64/libx.so.1", {});
  CHECK(fixes_of(world.explain({packages_folder + "pkg/_C.so"})) == alone);
  // By a path it is no matter of packages, and outside of site-packages nobody's.
  world.add(packages_folder + "pkg/_C.so", {.needed = {"/opt/libx.so.1"}});
  CHECK(fixes_of(world.explain({packages_folder + "pkg/_C.so"})).find("two==2.0") == std::string::npos);
  world.add("/opt/app", program({.needed = {"libx.so.1"}}));
  CHECK(fixes_of(world.explain({"/opt/app"})).find("two==2.0") == std::string::npos);
}

TEST_CASE("an unusable file of conda is not one for pip to install again") {
  TestWorld world;
  world.files.add_file("/conda/conda-meta/two-2.0-0.json",
                       R"({"name": "two", "version": "2.0", "files": ["lib/libx.so.1"]})");
  world.files.add_file("/conda/lib/libx.so.1", "");
  world.add("/conda/bin/app", program({.runpath = "/conda/lib", .needed = {"libx.so.1"}}));
  const auto text = fixes_of(world.explain({"/conda/bin/app"}));
  CHECK(text.find("two==2.0") == std::string::npos);
  CHECK(text.find("replace /conda/lib/libx.so.1 with a usable libx.so.1") != std::string::npos);
}

TEST_CASE("a file for another machine that the search passes over is installed again by the package that has it") {
  auto world = with_lost_file("two/libx.so.1");
  world.add(packages_folder + "two/libx.so.1", {.is_64 = false, .machine = EM_386});
  world.add(packages_folder + "pkg/_C.so", {.runpath = "$ORIGIN/../two", .needed = {"libx.so.1"}});
  const auto report = world.explain({packages_folder + "pkg/_C.so"});
  CHECK(commands(report.findings.at(0)).starts_with("/venv/bin/python -m pip install --force-reinstall --no-deps two"));
  world.add(packages_folder + "pkg/_C.so", {.needed = {"libx.so.1"}});
  CHECK(commands(world.explain({packages_folder + "pkg/_C.so"}).findings.at(0)).find("two==2.0") == std::string::npos);
}

}  // namespace
}  // namespace cudald
