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
            .find("requires dep >2, which no wheel in the folder fits") != std::string::npos);
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

}  // namespace
}  // namespace cudald
