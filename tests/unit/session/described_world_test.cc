#include "session/described_world.h"

#include <sstream>

#include <doctest/doctest.h>

#include <cudald/cuda_stack.h>
#include <cudald/image.h>
#include <cudald/linux_host_file.h>
#include <cudald/session.h>
#include <cudald/writers.h>

#include "common/built_in.h"
#include "common/wheel_file.h"
#include "common/world.h"

namespace cudald {
namespace {

/// The description of a world, written and read again.
std::shared_ptr<const LinuxHostFile> described(const TestWorld& world, bool with_symbols) {
  std::ostringstream text;
  write_host(CudaStack(), describe_linux_host(world.files, world.query.environment, with_symbols, built_in()), text);
  auto host = read_linux_host(text.str());
  REQUIRE(host);
  host->name = "host.json";
  return std::make_shared<LinuxHostFile>(std::move(*host));
}

/// What becomes of a program on the described machine, of which only the program is at hand.
Report elsewhere(const TestWorld& world, const std::string& path, const ElfSpec& spec, bool with_symbols = true) {
  TestWorld other;
  other.files = {};
  other.add(path, spec);
  other.query.linux_host = described(world, with_symbols);
  return other.explain({path});
}

TEST_CASE("on a described machine a program finds what it finds there") {
  TestWorld world;
  const auto app = program({.needed = {"liba.so", "libgone.so"}, .uses = {{"f"}, {"g"}}});
  world.add("/opt/app", app);
  world.add("/usr/lib/liba.so.1", {.soname = "liba.so", .runpath = "$ORIGIN/private", .needed = {"libb.so"}});
  world.files.add_symlink("/usr/lib/liba.so", "liba.so.1");
  world.add("/usr/lib/private/libb.so", {.soname = "libb.so", .defines = {{"f"}}});
  world.add("/lib/libb.so", {.is_64 = false, .machine = EM_386});
  const auto there = world.explain({"/opt/app"});
  const auto here = elsewhere(world, "/opt/app", app);
  CHECK(objects(here) == objects(there));
  CHECK(requests(here, "/opt/app") == requests(there, "/opt/app"));
  CHECK(probes(here, "/usr/lib/liba.so.1", "libb.so") == probes(there, "/usr/lib/liba.so.1", "libb.so"));
  CHECK(outcome(here) == outcome(there));
  REQUIRE(here.findings.size() == there.findings.size());
  for (std::size_t i = 0; i < here.findings.size(); ++i) CHECK(here.findings[i].message == there.findings[i].message);
  CHECK(here.resolution.world.kind == WorldKind::described);
  CHECK(here.resolution.world.name == "host.json");
}

TEST_CASE("without symbols a described library has every function, with them those that it has") {
  TestWorld world;
  world.add("/lib/liba.so", {.soname = "liba.so", .defines_versions = {"A_1"}, .defines = {{"f", "A_1"}}});
  const auto app = program({.needed = {"liba.so"}, .uses = {{"f"}, {"none"}}});
  CHECK(outcome(elsewhere(world, "/bin/app", app, true)).find("undefined symbol: none") != std::string::npos);
  CHECK(outcome(elsewhere(world, "/bin/app", app, false)) == "loads\n");
  const auto newer = program({.needed = {"liba.so"}, .needs_versions = {{"liba.so", {{"A_2"}}}}});
  CHECK(outcome(elsewhere(world, "/bin/app", newer, false)).find("version `A_2' not found") != std::string::npos);
}

TEST_CASE("nothing of the machine that asks plays a part") {
  TestWorld world;
  TestWorld other;
  const auto app = program({.runpath = "$ORIGIN", .needed = {"liba.so"}});
  other.add("/bin/app", app);
  other.add("/bin/liba.so", {.soname = "liba.so"});
  other.add("/lib/liba.so", {.soname = "liba.so"});
  other.set("LD_LIBRARY_PATH", "/lib");
  other.files.add_file("/etc/ld.so.preload", "/lib/liba.so");
  other.query.linux_host = described(world, false);
  CHECK(objects(other.explain({"/bin/app"})) == "/bin/app\n");
  // A target is there for another target.
  CHECK(objects(other.explain({"/bin/app", "/bin/liba.so"})).find("/bin/liba.so\n") != std::string::npos);
}

TEST_CASE("variables of the described machine count, and those that are stated before them") {
  TestWorld world;
  world.add("/opt/lib/liba.so", {.soname = "liba.so"});
  world.set("LD_LIBRARY_PATH", "/opt/lib");
  LinuxHostFile host = *described(world, false);
  host.variables = {{"LD_LIBRARY_PATH", "/opt/lib"}};
  TestWorld other;
  other.add("/bin/app", program({.needed = {"liba.so"}}));
  other.query.linux_host = std::make_shared<LinuxHostFile>(host);
  CHECK(outcome(other.explain({"/bin/app"})) == "loads\n");
  other.query.environment.stated["LD_LIBRARY_PATH"] = "/nowhere";
  CHECK(outcome(other.explain({"/bin/app"})) != "loads\n");
}

TEST_CASE("of fixes for a described machine those that set a variable are tried") {
  // Two copies of libs.so there: the first that is searched lacks a version, and so does what that needs beside it.
  TestWorld world;
  world.add("/env/lib/libs.so", {.soname = "libs.so", .defines_versions = {"V1"}});
  world.add("/usr/lib/libs.so", {.soname = "libs.so", .defines_versions = {"V1", "V2"}});
  world.add("/env/lib/libown.so", {.soname = "libown.so"});
  world.set("LD_LIBRARY_PATH", "/env/lib");
  const auto spec = program({.needed = {"libs.so", "libown.so"}, .needs_versions = {{"libs.so", {{"V2"}}}}});
  TestWorld other;
  other.add("/bin/app", spec);
  other.query.linux_host = described(world, false);
  other.query.environment.stated["LD_LIBRARY_PATH"] = "/env/lib";
  const auto report = other.explain({"/bin/app"});
  REQUIRE(!report.findings.empty());
  std::string commands;
  for (const auto& fix : report.findings.at(0).fixes)
    if (!fix.command.empty()) commands += fix.command + "\n";
  CHECK(commands == "export LD_PRELOAD=/usr/lib/libs.so${LD_PRELOAD:+:$LD_PRELOAD}\n");  // and no unset
}

TEST_CASE("a file that is only described cannot be asked about by its path") {
  TestWorld world;
  world.add("/usr/lib/liba.so", {.soname = "liba.so"});
  TestWorld other;
  other.query.linux_host = described(world, false);
  const auto report = other.explain({"/usr/lib/liba.so"});
  REQUIRE(report.resolution.targets.size() == 1);
  REQUIRE(report.resolution.targets[0].unreadable);
  CHECK(report.resolution.targets[0].unreadable->message ==
        "is on the machine that host.json describes, not on this machine: the target must be a local file; a "
        "library that the loader finds there can be named without a path");
  // By its name the loader there finds it.
  CHECK(objects(other.explain({"liba.so"})).starts_with("/usr/lib/liba.so\n"));
}

TEST_CASE("what a described machine says of itself counts, unless something else was stated") {
  LinuxHostFile host;
  host.cpu = x86_64_cpu(3);
  host.tells_driver = true;
  host.variables = {{"A", "described"}, {"B", "described"}};
  Query query;
  query.linux_host = std::make_shared<LinuxHostFile>(host);
  query.environment.variables = {{"C", "here"}};
  query.environment.stated = {{"B", "stated"}};
  query.environment.any_driver = false;
  auto as_described = query;
  enter_described_environment(as_described);
  CHECK(as_described.environment.cpu.x86_64_level == 3);
  CHECK_FALSE(as_described.environment.any_driver);
  CHECK(as_described.windows == false);
  CHECK(as_described.environment.variable("A") == "described");
  CHECK(as_described.environment.variable("B") == "stated");
  CHECK_FALSE(as_described.environment.variable("C"));
  auto stated = query;
  host.tells_driver = false;
  stated.linux_host = std::make_shared<LinuxHostFile>(host);
  stated.environment.cpu_stated = true;
  stated.environment.cpu = x86_64_cpu(1);
  stated.windows = true;
  enter_described_environment(stated);
  CHECK(stated.environment.cpu.x86_64_level == 1);
  CHECK(stated.environment.any_driver);
  CHECK(stated.windows == true);
}

TEST_CASE("a folder of wheels lies here, whatever machine is described") {
  const TestWorld world;
  TestWorld other;
  const std::string wheel = "/w/pkg-1.0-py3-none-any.whl";
  other.files.add_file(wheel, wheel_file({{"pkg/__init__.py", "import dep\n"}}, "Requires-Dist: dep\n"));
  other.files.add_file("/pool/dep-1.0-py3-none-any.whl", wheel_file({{"dep/__init__.py", ""}}));
  other.query.python = "3.11";
  other.query.linux_host = described(world, false);
  const auto packages = [&] {
    std::string text;
    const auto report = other.explain({wheel});
    for (const auto& import : report.resolution.imports)
      for (const auto& package : import.packages) text += package.name + " ";
    return text;
  };
  CHECK(packages().find("dep ") == std::string::npos);
  other.query.packages = {"/pool"};
  CHECK(packages() == "pkg dep ");
}

}  // namespace
}  // namespace cudald
