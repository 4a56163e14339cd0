#include "session/required_wheels.h"

#include <doctest/doctest.h>

#include "common/wheel_file.h"
#include "common/world.h"

namespace cudald {
namespace {

using Wheels = std::vector<std::pair<std::string, std::string>>;  ///< file name, METADATA's further lines

/// The report on a wheel that requires others, of which these lie in a folder. Each brings lib<distribution>.so.
Report with_pool(const std::string& metadata, const Wheels& wheels) {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-linux_x86_64.whl";
  world.files.add_file(path, wheel_file({{"pkg/__init__.py", "from . import _C\n"},
                                         {"pkg/_C.so", elf({.runpath = "$ORIGIN/../libs", .needed = {"libdep.so"}})}},
                                        metadata));
  world.files.add_folder("/wheels");
  for (const auto& [name, lines] : wheels)
    world.files.add_file("/wheels/" + name,
                         wheel_file({{"libs/lib" + name.substr(0, name.find('-')) + ".so", elf({})}}, lines));
  world.query.packages = {"/wheels"};
  return world.explain({path});
}

/// Which file answers the need of pkg/_C.so; "missing" if none does.
std::string answer(const Report& report) {
  for (const auto& object : report.resolution.objects)
    for (const auto& edge : object.edges)
      if (edge.name == "libdep.so") return edge.object ? report.resolution.objects[*edge.object].path : "missing";
  return "not asked";
}

std::string notes(const Report& report) { return lines(report.resolution.notes); }

TEST_CASE("a wheel that is required is taken, of several the newest that is allowed") {
  const Wheels wheels = {{"dep-1.2-py3-none-any.whl", ""}, {"dep-1.10-py3-none-any.whl", ""}};
  CHECK(answer(with_pool("", wheels)) == "missing");
  CHECK(answer(with_pool("Requires-Dist: dep\n", wheels)) == "dep-1.10-py3-none-any.whl!/libs/libdep.so");
  CHECK(answer(with_pool("Requires-Dist: dep (<1.5)\n", wheels)) == "dep-1.2-py3-none-any.whl!/libs/libdep.so");
}

TEST_CASE("what no wheel fits, and what is nowhere, is noted") {
  const Wheels wheels = {{"dep-1.2-py3-none-any.whl", ""}};
  CHECK(notes(with_pool("Requires-Dist: dep (>2)\n", wheels))
            .find("requires dep >2, which no wheel in the directory fits") != std::string::npos);
  CHECK(notes(with_pool("Requires-Dist: absent\n", wheels))
            .find("required, and neither among the wheels nor installed: absent") != std::string::npos);
  CHECK(notes(with_pool("Requires-Dist: dep\n", wheels)) == "");
}

TEST_CASE("a marker and an extra decide whether a requirement counts") {
  const Wheels wheels = {{"dep-1.2-py3-none-any.whl", ""}};
  CHECK(answer(with_pool("Requires-Dist: dep; sys_platform == 'linux'\n", wheels)) != "missing");
  CHECK(answer(with_pool("Requires-Dist: dep; sys_platform == 'win32'\n", wheels)) == "missing");
  CHECK(answer(with_pool("Requires-Dist: dep; extra == 'gpu'\n", wheels)) == "missing");
}

TEST_CASE("what a required wheel requires is taken as well, with the extras that were asked for") {
  const Wheels wheels = {{"mid-1.0-py3-none-any.whl", "Requires-Dist: dep\n"}, {"dep-1.2-py3-none-any.whl", ""}};
  CHECK(answer(with_pool("Requires-Dist: mid\n", wheels)) == "dep-1.2-py3-none-any.whl!/libs/libdep.so");
  const Wheels extra = {{"mid-1.0-py3-none-any.whl", "Requires-Dist: dep; extra == 'gpu'\n"},
                        {"dep-1.2-py3-none-any.whl", ""}};
  CHECK(answer(with_pool("Requires-Dist: mid\n", extra)) == "missing");
  CHECK(answer(with_pool("Requires-Dist: mid[gpu]\n", extra)) == "dep-1.2-py3-none-any.whl!/libs/libdep.so");
}

TEST_CASE("a module that is asked for by its name is taken from a folder of wheels") {
  TestWorld world;
  world.files.add_file("/wheels/dep-1.2-py3-none-any.whl",
                       wheel_file({{"dep/__init__.py", "from . import part\n"}, {"dep/part.so", elf({})}}, "", "dep"));
  world.query.packages = {"/wheels"};
  for (const auto* target : {"dep", "py:dep", "dep.part"}) {
    CAPTURE(target);
    const auto report = world.explain({target});
    CHECK(outcome(report) == "loads\nloads\nloads\n");
    CHECK(objects(report).find("dep/part.so") != std::string::npos);
  }
  CHECK(world.explain({"other"}).verdict != Verdict::loads);
}

/// What is installed beside pkg, which requires `metadata`; then the notes and the faults.
struct Pool {
  MemoryFileSystem files;
  Query query;
  PythonEnvironment python;
  bool windows = false;
  std::string beside;  ///< METADATA's further lines of a wheel that is installed as well; empty: there is none

  Pool() { python.version = "3.11"; }
  void add(const std::string& name, const std::string& metadata = "") {
    files.add_file("/wheels/" + name + ".whl", wheel_file({}, metadata, name.substr(0, name.find('-'))));
  }
  std::string installed(const std::string& metadata, const std::vector<std::string>& modules = {}) {
    files.add_file("/pkg-1.0-py3-none-any.whl", wheel_file({{"pkg/__init__.py", ""}}, metadata));
    PackageTree tree(files);
    REQUIRE(tree.install("/pkg-1.0-py3-none-any.whl"));
    if (!beside.empty()) {
      files.add_file("/beside-1.0-py3-none-any.whl", wheel_file({}, beside, "beside"));
      REQUIRE(tree.install("/beside-1.0-py3-none-any.whl"));
    }
    const auto given = tree.packages().size();
    WheelPool pool(tree);
    pool.add_folder("/wheels");
    const auto taken = install_required_wheels(pool, modules, query, python, windows, tree);
    std::string text;
    for (std::size_t i = given; i < tree.packages().size(); ++i)
      text += tree.packages()[i].archive.substr(sizeof("/wheels/") - 1) + "\n";
    for (const auto& note : taken.notes) text += note + "\n";
    for (const auto& [path, error] : taken.faults) text += path + ": " + error.message + "\n";
    return text;
  }
};

TEST_CASE("wheels are for the C library that is stated, or that of the tree") {
  Pool pool;
  pool.add("dep-1-cp311-cp311-manylinux2014_x86_64");
  pool.add("dep-2-cp311-cp311-musllinux_1_1_x86_64");
  pool.add("dep-3-cp311-cp311-musllinux_1_2_x86_64");
  pool.add("dep-4-cp311-cp311-musllinux_1_2_aarch64");
  pool.add("dep-5-cp311-cp311-musllinux_1_3_x86_64");
  const auto chosen = [&] { return pool.installed("Requires-Dist: dep\n").substr(0, 5); };
  CHECK(chosen() == "dep-1");
  pool.query.environment.libc = LibcVersion{LibcKind::musl, 1, 1};
  CHECK(chosen() == "dep-2");
  pool.query.environment.libc.reset();
  pool.files.add_file("/lib/ld-musl-x86_64.so.1", "");
  CHECK(chosen() == "dep-3");
  pool.query.environment.libc = LibcVersion{LibcKind::glibc, 2, 36};
  CHECK(chosen() == "dep-1");
  pool.query.environment.libc.reset();
  pool.files.add_file("/lib64/ld-linux-x86-64.so.2", "");
  CHECK(chosen() == "dep-1");
  pool.files.add_file("/lib/ld-musl-aarch64.so.1", "");
  pool.query.environment.machine = EM_AARCH64;
  CHECK(chosen() == "dep-4");
}

TEST_CASE("on Windows the machine decides about tags and markers") {
  struct Row {
    std::optional<std::uint16_t> machine;
    const char *dep, *marker;
  };
  for (const auto& row : {Row{std::nullopt, "win_amd64", "AMD64"}, Row{EM_X86_64, "win_amd64", "AMD64"},
                          Row{EM_386, "win32", "x86"}, Row{EM_AARCH64, "win_arm64", "ARM64"}}) {
    Pool pool;
    pool.windows = true;
    pool.query.environment.machine = row.machine;
    std::string metadata = "Requires-Dist: dep\nRequires-Dist: linux; os_name == 'posix'\n";
    for (const auto* tag : {"win_amd64", "win32", "win_arm64", "linux_x86_64"})
      pool.add(std::string("dep-1-cp311-cp311-") + tag);
    for (const std::string machine : {"AMD64", "x86", "ARM64"}) {
      pool.add(machine + "-1-py3-none-any");
      metadata += "Requires-Dist: " + machine + "; platform_machine == '" + machine + "'\n";
    }
    CHECK(pool.installed(metadata) ==
          std::string("dep-1-cp311-cp311-") + row.dep + ".whl\n" + row.marker + "-1-py3-none-any.whl\n");
  }
}

TEST_CASE("without a Python the newest counts that the wheels are for") {
  Pool pool;
  pool.python.version = "";
  pool.add("dep-1-cp310-cp310-any");
  pool.add("dep-2-cp39-cp39-any");
  CHECK(pool.installed("Requires-Dist: dep\n") == "dep-1-cp310-cp310-any.whl\n");
}

TEST_CASE("what is installed, cannot be read, or is required otherwise, is not taken") {
  Pool pool;
  pool.python.path = {"/none", "/site"};
  pool.files.add_folder("/site/There_One-1.0.dist-info");
  pool.files.add_folder("/site/egg-1.0.egg-info");
  pool.files.add_folder("/site/plain-1.0");
  pool.files.add_file("/wheels/broken-1-py3-none-any.whl", "<!DOCTYPE html>");
  pool.add("egg-1-cp38-cp38-any");
  CHECK(pool.installed("Requires-Dist: there.one\nRequires-Dist: egg\nRequires-Dist: plain\nRequires-Dist: @\n"
                       "Requires-Dist: broken\nRequires-Dist: absent>1\nRequires-Dist: pkg\n") ==
        "broken-1-py3-none-any.whl\nrequired, and neither among the wheels nor installed: absent, plain\n"
        "/wheels/broken-1-py3-none-any.whl: is not a zip archive\n");
  pool.python.path.clear();
  CHECK(pool.installed("Requires-Dist: egg>0\n") == "pkg requires egg >0, which no wheel in the directory fits\n");
}

TEST_CASE("extras that are asked for later are followed, each once, and the first choice of a version stays") {
  Pool pool;
  pool.add("mid-1-py3-none-any", "Requires-Dist: a; extra == 'x'\nRequires-Dist: b; extra == 'y'\n");
  pool.add("mid-2-py3-none-any", "Requires-Dist: c\n");
  pool.add("last-1-py3-none-any", "Requires-Dist: mid[x,y]>1\nRequires-Dist: mid[x]\n");
  for (const auto* name : {"a", "b", "c"}) pool.add(std::string(name) + "-1-py3-none-any");
  CHECK(pool.installed("Requires-Dist: mid<2\nRequires-Dist: last\n") ==
        "mid-1-py3-none-any.whl\nlast-1-py3-none-any.whl\na-1-py3-none-any.whl\nb-1-py3-none-any.whl\n");
  CHECK(pool.installed("", {"mid", "none"}) == "mid-2-py3-none-any.whl\nc-1-py3-none-any.whl\n");
}

TEST_CASE("of a wheel that was given itself, too, extras count once something asks for them") {
  Pool pool;
  for (const auto* name : {"a", "b"}) pool.add(std::string(name) + "-1-py3-none-any");
  pool.beside = "Requires-Dist: a; extra == 'x'\nRequires-Dist: b\n";
  CHECK(pool.installed("Requires-Dist: beside\n") == "b-1-py3-none-any.whl\n");
  CHECK(pool.installed("Requires-Dist: beside[x]\n") == "b-1-py3-none-any.whl\na-1-py3-none-any.whl\n");
}

TEST_CASE("what choosing may cost is limited, and that it ended is told") {
  Pool pool;
  std::string metadata;
  for (const std::string name : {"a", "b", "c", "d"}) {
    for (int i = 0; i < 1000; ++i)
      pool.files.add_file("/wheels/" + name + "-" + std::to_string(i) + "-py3-none-any.whl", "");
    metadata += "Requires-Dist: " + name + ">=" + std::string(16'000, '9') + "\n";
  }
  pool.add("late-1-py3-none-any");
  const auto told = pool.installed(metadata + "Requires-Dist: late\n");
  CHECK(told.ends_with(
      "pkg: what it requires was not followed to its end: more than 2000000 steps would be needed for it\n"));
  CHECK(told.find("late-1") == std::string::npos);
  CHECK(told.find("pkg requires c >=999") != std::string::npos);
  CHECK(told.find("pkg requires d >=999") == std::string::npos);
}

}  // namespace
}  // namespace cudald
