#include <algorithm>

#include <doctest/doctest.h>

#include "common/pe_builder.h"
#include "common/wheel_file.h"
#include "common/world.h"
#include "session/platform.h"
#include "session/shared_readings.h"

namespace cudald {
namespace {

TEST_CASE("the first target tells whether the process is one of Windows") {
  TestWorld world;
  world.add("/bin/app", program({}));
  world.files.add_file("/d/a.dll", pe({.name = "a.dll"}));
  world.files.add_file("/w/pkg-1.0-cp311-cp311-win_amd64.whl", wheel_file({{"pkg/_C.pyd", pe({})}}));
  world.files.add_file("/l/pkg-1.0-cp311-cp311-linux_x86_64.whl", wheel_file({{"pkg/_C.so", elf({})}}));
  const auto on_windows = [&](std::vector<std::string> targets) {
    return world.explain(std::move(targets)).resolution.windows;
  };
  CHECK(on_windows({"/d/a.dll"}));
  CHECK(on_windows({"/w/pkg-1.0-cp311-cp311-win_amd64.whl"}));
  CHECK(on_windows({"/d/a.dll", "/bin/app"}));
  CHECK_FALSE(on_windows({"/bin/app"}));
  CHECK_FALSE(on_windows({"/bin/app", "/d/a.dll"}));
  CHECK_FALSE(on_windows({"/l/pkg-1.0-cp311-cp311-linux_x86_64.whl"}));
}

TEST_CASE("a target is looked for once, and one that is marked as a module not at all") {
  TestWorld world;
  world.set("PATH", "/bin:/usr/bin");
  world.query.prefix = "/venv";
  world.files.add_file("/venv/lib/python3.11/os.py", "");
  const auto asked = [&](const std::string& target, const std::string& path) {
    world.files.take_log();
    world.explain({target});
    const auto log = world.files.take_log();
    return std::count(log.begin(), log.end(), "status " + path);
  };
  CHECK(asked("none", "/usr/bin/none") == 1);
  CHECK(asked("py:none", "/usr/bin/py:none") == 0);
}

TEST_CASE("a target is looked for again where packages were installed in the meantime") {
  TestWorld world;
  world.add("/app", program({}));
  Query query;
  query.targets = {"libx.so"};
  query.prefix = std::string(PackageTree::prefix);
  ThreadLimit threads(1);
  SharedReadings shared;
  SessionState session(world.files, threads, built_in_knowledge(), shared);
  RunState run(query, session);
  CHECK_FALSE(run.find("libx.so"));
  world.files.add_file("/x-1.0-py3-none-any.whl", wheel_file({{"libx.so", elf({})}}, "", "x"));
  REQUIRE(session.store.packages.install("/x-1.0-py3-none-any.whl"));
  CHECK(run.find("libx.so") == std::string(PackageTree::site_packages) + "/libx.so");
  CHECK_FALSE(run.find("liby.so"));
}

TEST_CASE("what is stated counts for more than the files") {
  TestWorld world;
  world.add("/bin/app", program({}));
  world.files.add_file("/d/a.dll", pe({.name = "a.dll"}));
  world.query.windows = false;
  CHECK_FALSE(world.explain({"/d/a.dll"}).resolution.windows);
  world.query.windows = true;
  CHECK(objects(world.explain({"/bin/app"})) == "");  // no process of Windows loads it
}

TEST_CASE("a target that cannot be tried is kept with its reason, and the process begins with the next") {
  TestWorld world;
  world.add("/bin/app", program({}));
  const auto report = world.explain({"/bin/none", "/bin/app"});
  CHECK(objects(report) == "/bin/app\n");
  CHECK(report.verdict == Verdict::unknown);
  CHECK(outcome(report).find("No such file or directory") != std::string::npos);
}

TEST_CASE("of a package with names of both systems the first file that can be read tells") {
  const auto on_windows = [](const std::vector<std::pair<std::string, std::string>>& members) {
    TestWorld world;
    world.files.add_file("/w/pkg-1.0-py3-none-any.whl", wheel_file(members));
    return world.explain({"/w/pkg-1.0-py3-none-any.whl"}).resolution.windows;
  };
  CHECK(on_windows({{"pkg/a.so", pe({})}, {"pkg/b.dll", "text"}}));
  CHECK(on_windows({{"pkg/a.dll", "text"}, {"pkg/b.so", pe({})}}));
  CHECK_FALSE(on_windows({{"pkg/a.so", elf({})}, {"pkg/b.dll", pe({})}}));
  CHECK_FALSE(on_windows({{"pkg/a.so", pe({})}}));
  CHECK_FALSE(on_windows({{"pkg/a.dll", "text"}, {"pkg/b.exe", "text"}}));
  CHECK(on_windows({{"pkg/a.exe", pe({})}}));
}

TEST_CASE("a bare name of a DLL is one of Windows where folders of DLLs are stated") {
  TestWorld world;
  CHECK_FALSE(world.explain({"none.dll"}).resolution.windows);
  world.query.environment.dll_path = {"/d"};
  CHECK(world.explain({"none.DLL"}).resolution.windows);
  CHECK_FALSE(world.explain({"none.dl"}).resolution.windows);
  CHECK_FALSE(world.explain({"/d/none.dll"}).resolution.windows);
}

TEST_CASE("folders that hold no wheels bring nothing, and wheels that cannot be read are told") {
  TestWorld world;
  world.files.add_folder("/empty");
  world.add("/bin/app", program({}));
  world.query.packages = {"/empty"};
  CHECK(outcome(world.explain({"/bin/app"})) == "loads\n");
  world.files.add_file("/wheels/dep-1.0-py3-none-any.whl", "<!DOCTYPE html>");
  world.query.packages = {"/wheels"};
  const auto report = world.explain({"dep"});
  std::string told;
  for (const auto& target : report.resolution.targets)
    if (target.unreadable) told += target.given + ": " + target.unreadable->message + "\n";
  CHECK(told.starts_with("/wheels/dep-1.0-py3-none-any.whl: is not a zip archive\n"));
}

TEST_CASE("a module belongs to Windows where a package for Windows is installed, and no environment is named") {
  TestWorld world;
  const std::string windows = "/w/pkg-1.0-cp311-cp311-win_amd64.whl", other = "/l/other-1.0-py3-none-any.whl";
  world.files.add_file(windows, wheel_file({{"pkg/__init__.py", ""}, {"pkg/_C.pyd", pe({})}}));
  world.files.add_file(other, wheel_file({{"other/__init__.py", ""}, {"other/_C.so", elf({})}}, "", "other"));
  world.query.world = WorldKind::here;
  const auto on_windows = [&](const std::vector<std::string>& packages, const std::string& target) {
    world.query.packages = packages;
    return world.explain({target}).resolution.windows;
  };
  CHECK(on_windows({windows}, "py:pkg"));
  CHECK(on_windows({windows}, "pkg"));
  CHECK(on_windows({other, windows}, "py:pkg.part"));
  CHECK_FALSE(on_windows({other}, "py:other"));
  CHECK_FALSE(on_windows({windows}, "./pkg"));
  CHECK_FALSE(on_windows({windows}, "libx.so"));
  world.query.prefix = "/venv";
  world.files.add_file("/venv/lib/python3.11/os.py", "");
  CHECK_FALSE(on_windows({windows}, "py:pkg"));
}

TEST_CASE("a DLL in the current folder is one of Windows by its bytes") {
  TestWorld world;
  world.query.environment.cwd = "/here";
  world.files.add_file("/here/a.dll", pe({}));
  world.files.add_file("/here/b.dll", elf({}));
  CHECK(world.explain({"a.dll"}).resolution.windows);
  CHECK(world.explain({"./a.dll"}).resolution.windows);
  CHECK_FALSE(world.explain({"b.dll"}).resolution.windows);
}

}  // namespace
}  // namespace cudald
