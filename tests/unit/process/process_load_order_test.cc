#include <memory>
#include <optional>

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "base/parallel.h"
#include "common/built_in.h"
#include "common/world.h"
#include "loader/loader.h"
#include "machine/abi.h"
#include "process/library_kind.h"
#include "process/process.h"
#include "unit/process/direct_start.h"

namespace cudald {
namespace {

/// A library in /lib, where every search ends.
void add_library(TestWorld& world, const std::string& name, std::vector<ElfNeeded> needed = {}) {
  world.add("/lib/" + name, {.soname = name, .needed = std::move(needed)});
}

void add_program(TestWorld& world, std::vector<ElfNeeded> needed) {
  world.add("/bin/app", program({.needed = std::move(needed)}));
}

TEST_CASE("needs are loaded breadth first, in the order of the files") {
  TestWorld world;
  add_program(world, {"liba.so", "libb.so"});
  add_library(world, "liba.so", {"libd.so", "libc.so"});
  add_library(world, "libb.so", {"libe.so"});
  for (const std::string name : {"libc.so", "libd.so", "libe.so"}) add_library(world, name);
  CHECK(objects(world.explain({"/bin/app"})) ==
        "/bin/app\n/lib/liba.so\n/lib/libb.so\n/lib/libd.so\n/lib/libc.so\n/lib/libe.so\n");
}

TEST_CASE("a diamond, a circle and a need of oneself load each file once") {
  TestWorld world;
  add_program(world, {"liba.so", "libb.so", "liba.so"});
  add_library(world, "liba.so", {"libc.so", "liba.so"});
  add_library(world, "libb.so", {"libc.so"});
  add_library(world, "libc.so", {"liba.so"});
  const auto report = world.explain({"/bin/app"});
  CHECK(objects(report) == "/bin/app\n/lib/liba.so\n/lib/libb.so\n/lib/libc.so\n");
  CHECK(requests(report, "/bin/app") ==
        "liba.so: loaded by default\nlibb.so: loaded by default\nliba.so: reused by name\n");
  CHECK(requests(report, "/lib/liba.so") == "libc.so: loaded by default\nliba.so: reused by name\n");
  CHECK(requests(report, "/lib/libc.so") == "liba.so: reused by name\n");
}

TEST_CASE("a soname answers later requests, the name of the file does not") {
  TestWorld world;
  world.add("/bin/app", program({.runpath = "/opt", .needed = {"./opt/libx-123.so", "libx.so.1", "libx-123.so"}}));
  world.add("/opt/libx-123.so", {.soname = "libx.so.1"});
  world.add("/opt/libx.so.1", {.soname = "libx.so.1"});
  const auto report = world.explain({"/bin/app"});
  CHECK(requests(report, "/bin/app") ==
        "./opt/libx-123.so: loaded by path\n"
        "libx.so.1: reused by soname\n"
        "libx-123.so: reused by file\n");  // looked for, and found to be the same file
  CHECK(objects(report) == "/bin/app\n/opt/libx-123.so\n");
}

TEST_CASE("one file under several names is one object, which learns the names; a copy is another") {
  TestWorld world;
  world.add("/bin/app",
            program({.runpath = "/opt", .needed = {"liba.so", "link.so", "hard.so", "copy.so", "hard.so"}}));
  world.add("/opt/liba.so", {});
  world.files.add_symlink("/opt/link.so", "liba.so");
  world.files.add_hard_link("/opt/hard.so", "/opt/liba.so");
  world.add("/opt/copy.so", {});
  const auto report = world.explain({"/bin/app"});
  CHECK(requests(report, "/bin/app") ==
        "liba.so: loaded by runpath\n"
        "link.so: reused by file\n"
        "hard.so: reused by file\n"
        "copy.so: loaded by runpath\n"
        "hard.so: reused by name\n");
  CHECK(objects(report) == "/bin/app\n/opt/liba.so\n/opt/copy.so\n");
}

TEST_CASE("ld.so itself is listed where it is first needed, if at all") {
  TestWorld world;
  add_program(world, {"liba.so", "libb.so"});
  add_library(world, "liba.so", {"ld-linux-x86-64.so.2"});
  add_library(world, "libb.so");
  const auto report = world.explain({"/bin/app"});
  CHECK(objects(report) == "/bin/app\n/lib/liba.so\n/lib/libb.so\n/lib64/ld-linux-x86-64.so.2\n");
  CHECK(requests(report, "/lib/liba.so") == "ld-linux-x86-64.so.2: reused by soname\n");
  add_library(world, "liba.so");
  CHECK(objects(world.explain({"/bin/app"})) == "/bin/app\n/lib/liba.so\n/lib/libb.so\n");
}

TEST_CASE("preloads come after the program and before what it needs") {
  TestWorld world;
  add_program(world, {"liba.so", "libp.so"});
  add_library(world, "liba.so");
  add_library(world, "libp.so", {"libq.so"});
  add_library(world, "libq.so");
  add_library(world, "first.so");
  world.set("LD_PRELOAD", "libp.so");
  world.query.environment.preload = {"first.so", "libp.so"};
  const auto report = world.explain({"/bin/app"});
  CHECK(objects(report) == "/bin/app\n/lib/first.so\n/lib/libp.so\n/lib/liba.so\n/lib/libq.so\n");
  CHECK(requests(report, "/bin/app") ==
        "first.so: loaded by default\n"
        "libp.so: loaded by default\n"
        "libp.so: reused by name\n"
        "liba.so: loaded by default\n"
        "libp.so: reused by name\n");
}

TEST_CASE("a preload that cannot be loaded is ignored; one that misses a need ends the start") {
  TestWorld world;
  add_program(world, {"liba.so"});
  add_library(world, "liba.so");
  world.files.add_file("/lib/text.so", std::string(100, 'x'));
  world.set("LD_PRELOAD", "none.so:text.so");
  const auto report = world.explain({"/bin/app"});
  CHECK(outcome(report) == "loads\n");
  CHECK(objects(report) == "/bin/app\n/lib/liba.so\n");
  add_library(world, "needy.so", {"none.so"});
  world.set("LD_PRELOAD", "needy.so");
  CHECK(outcome(world.explain({"/bin/app"})) == "none.so: cannot open shared object file: No such file or directory\n");
}

TEST_CASE("what a filter names is loaded before the object that names it") {
  TestWorld world;
  add_program(world, {"liba.so", "libfilter.so", "libb.so"});
  add_library(world, "liba.so");
  add_library(world, "libb.so");
  add_library(world, "libfilter.so", {{NeededTag::filter, "libfiltee.so"}, "libx.so"});
  add_library(world, "libfiltee.so", {"liby.so"});
  add_library(world, "libx.so");
  add_library(world, "liby.so");
  CHECK(objects(world.explain({"/bin/app"})) ==
        "/bin/app\n/lib/liba.so\n/lib/libfiltee.so\n/lib/libfilter.so\n/lib/libb.so\n/lib/libx.so\n/lib/liby.so\n");
}

TEST_CASE("an auxiliary filtee may be missing, a filtee may not") {
  TestWorld world;
  add_program(world, {"libfilter.so"});
  add_library(world, "libfilter.so", {{NeededTag::auxiliary, "none.so"}});
  CHECK(outcome(world.explain({"/bin/app"})) == "loads\n");
  add_library(world, "libfilter.so", {{NeededTag::filter, "none.so"}});
  CHECK(outcome(world.explain({"/bin/app"})) == "none.so: cannot open shared object file: No such file or directory\n");
}

TEST_CASE("all misses are told, and the first in load order is the one that the user sees") {
  TestWorld world;
  add_program(world, {"liba.so", "none1.so", "libb.so"});
  add_library(world, "liba.so", {"none2.so"});
  add_library(world, "libb.so", {"none1.so", "none3.so"});
  const auto report = world.explain({"/bin/app"});
  CHECK(outcome(report) == "none1.so: cannot open shared object file: No such file or directory\n");
  const std::string text = ": cannot open shared object file: No such file or directory\n";
  CHECK(requests(report, "/lib/liba.so") == "none2.so: missing, none2.so" + text);
  CHECK(requests(report, "/lib/libb.so") ==
        "none1.so: missing, none1.so" + text + "none3.so: missing, none3.so" + text);
}

TEST_CASE("no loader knows the program by its file: glibc refuses it, musl maps it again") {
  TestWorld world;
  world.add("/bin/app", program({.soname = "app.so", .needed = {"libself.so"}}));
  world.files.add_symlink("/lib/libself.so", "/bin/app");
  CHECK(outcome(world.explain({"/bin/app"})) ==
        "libself.so: cannot dynamically load position-independent executable\n");

  auto for_musl = program({.needed = {"libself.so"}});
  for_musl.interpreter = "/lib/ld-musl-x86_64.so.1";
  world.add("/bin/app", for_musl);
  world.add("/lib/ld-musl-x86_64.so.1", {.defines = {{"dlopen"}}});
  const auto report = world.explain({"/bin/app"});
  CHECK(objects(report) == "/bin/app\n/bin/app\n");
  CHECK(outcome(report) == "loads\n");
}

TEST_CASE("a library can be started as ld.so would, and answers to its soname") {
  TestWorld world;
  add_library(world, "liba.so", {"libb.so"});
  add_library(world, "libb.so", {"liba.so"});
  const auto report = world.explain({"/lib/liba.so"});
  CHECK(objects(report) == "/lib/liba.so\n/lib/libb.so\n");
  CHECK(requests(report, "/lib/libb.so") == "liba.so: reused by soname\n");
  CHECK(outcome(report) == "loads\n");
}

TEST_CASE("a static program loads nothing, whatever is preloaded") {
  TestWorld world;
  world.add("/bin/app", {.type = ET_EXEC, .dynamic_segment = false});
  add_library(world, "libp.so");
  world.set("LD_PRELOAD", "libp.so");
  CHECK(objects(world.explain({"/bin/app"})) == "/bin/app\n");
}

TEST_CASE("a root without its loader is still judged, and the loader answers to its name") {
  TestWorld world;
  world.files = MemoryFileSystem();
  add_program(world, {"liba.so"});
  world.add("/lib64/liba.so", {.needed = {"ld-linux-x86-64.so.2"}});
  const auto report = world.explain({"/bin/app"});
  CHECK(objects(report) == "/bin/app\n/lib64/liba.so\n/lib64/ld-linux-x86-64.so.2\n");
  CHECK(requests(report, "/lib64/liba.so") == "ld-linux-x86-64.so.2: reused by soname\n");
}

TEST_CASE("a long chain and a wide fan come to their end") {
  TestWorld world;
  add_program(world, {"lib0.so"});
  for (int i = 0; i < 500; ++i)
    add_library(world, "lib" + std::to_string(i) + ".so", {"lib" + std::to_string(i + 1) + ".so"});
  add_library(world, "lib500.so");
  CHECK(world.explain({"/bin/app"}).resolution.objects.size() == 502);
}

TEST_CASE("what a filter names stands before it, once, wherever it was met before") {
  struct Row {
    std::vector<ElfNeeded> program, library;
    std::string order;
  };
  const ElfNeeded auxiliary{NeededTag::auxiliary, "libx.so"}, filter{NeededTag::filter, "libx.so"};
  for (const auto& row :
       {Row{{"liba.so"}, {auxiliary}, "libx.so liba.so "}, Row{{"liba.so"}, {filter}, "libx.so liba.so "},
        Row{{"libx.so", "liba.so"}, {auxiliary}, "libx.so liba.so "},
        Row{{"liba.so", "libx.so"}, {auxiliary}, "libx.so liba.so "},
        Row{{"liba.so", "libx.so"}, {"libx.so"}, "liba.so libx.so "},
        Row{{"liba.so", "libb.so"}, {auxiliary, auxiliary}, "libx.so liba.so libb.so "}}) {
    TestWorld world;
    world.add("/bin/app", program({.needed = row.program}));
    world.add("/lib/liba.so", {.soname = "liba.so", .needed = row.library});
    for (const auto* name : {"libb.so", "libx.so"}) world.add(std::string("/lib/") + name, {.soname = name});
    const auto report = world.explain({"/bin/app"});
    std::string order;
    for (const auto id : report.resolution.targets.front().search_list)
      if (id != 0) order += report.resolution.objects[id].path.substr(5) + " ";
    CHECK(order == row.order);
  }
}

TEST_CASE("what a filter names stands before it as well where both were mapped earlier") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"liba.so"}}));
  world.add("/lib/liba.so", {.soname = "liba.so", .needed = {{NeededTag::auxiliary, "libx.so"}, "libb.so"}});
  for (const auto* name : {"libb.so", "libx.so"}) world.add(std::string("/lib/") + name, {.soname = name});
  world.query.dlopens = {{.name = "liba.so"}};
  const auto report = world.explain({"/bin/app"});
  std::string order;
  for (const auto id : report.resolution.targets.at(1).search_list)
    order += report.resolution.objects[id].path.substr(5) + " ";
  CHECK(order == "libx.so liba.so libb.so ");
}

TEST_CASE("a start writes down the program and its loader") {
  DirectStart direct;
  direct.world.add("/real/bin/app", program({}));
  direct.world.files.add_symlink("/bin/app", "/real/bin/app");
  auto& process = direct.process();
  process.start("the app", "/bin/app", direct.interpreter);
  const auto& made = process.resolution();
  CHECK(made.machine == EM_X86_64);
  CHECK(made.libc == LibcVersion{LibcKind::glibc, 2, 37});
  CHECK_FALSE(made.windows);
  REQUIRE(made.targets.size() == 1);
  CHECK(made.targets[0].given == "the app");
  CHECK(made.targets[0].kind == TargetKind::start);
  CHECK(made.targets[0].object == 0);
  CHECK(made.targets[0].search_list == SearchList{0});
  REQUIRE(made.objects.size() == 2);
  const auto& app = made.objects[0];
  CHECK(app.path == "/real/bin/app");
  CHECK(app.load_name == "/bin/app");
  CHECK(app.origin == "/real/bin");
  CHECK(app.names == std::vector<std::string>{""});
  CHECK(app.main_program);
  CHECK_FALSE(app.dynamic_loader);
  CHECK(app.id == FileId{});  // glibc does not know it
  const auto& loader = made.objects[1];
  CHECK(loader.path == direct.interpreter);
  CHECK(loader.load_name == direct.interpreter);
  CHECK(loader.names == std::vector<std::string>{direct.interpreter});
  CHECK(loader.origin == "/lib64");
  CHECK(loader.dynamic_loader);
  CHECK_FALSE(loader.main_program);
  CHECK_FALSE(loader.known_by_name);
  CHECK(loader.image->soname == "ld-linux-x86-64.so.2");
  CHECK(loader.id == direct.world.files.status(direct.interpreter)->id);
  CHECK(process.take().objects.size() == 1);  // as nothing needs it
}

TEST_CASE("a library that is started keeps the name that it was given") {
  DirectStart direct;
  direct.world.add("/lib/real.so", {.soname = "liba.so"});
  direct.world.files.add_symlink("/opt/liba.so", "/lib/real.so");
  auto& process = direct.process();
  process.start("liba", "/opt/liba.so", direct.interpreter);
  const auto& library = process.resolution().objects.at(0);
  CHECK(library.path == "/lib/real.so");
  CHECK(library.origin == "/opt");
  CHECK(library.names == std::vector<std::string>{"", "/opt/liba.so"});
}

TEST_CASE("a neutral program needs nothing, and its loader need not be there") {
  DirectStart direct(false);
  direct.world.add("/lib/libp.so", {});
  direct.world.query.environment.preload = {"/lib/libp.so", "/lib/./libp.so", "/lib/none.so"};
  auto& process = direct.process();
  process.start_host("host", EM_X86_64, Format::elf64, direct.interpreter);
  const auto& made = process.resolution();
  CHECK(made.machine == EM_X86_64);
  CHECK(made.targets.at(0).given == "host");
  CHECK(made.targets[0].kind == TargetKind::start);
  CHECK(made.targets[0].object == 0);
  CHECK(made.targets[0].search_list == SearchList{0, 2});
  CHECK(made.targets[0].error == "");
  REQUIRE(made.objects.size() == 3);
  const auto& host = made.objects[0];
  CHECK(host.path == "(the program that imports it)");
  CHECK(host.load_name == "(the program that imports it)");
  CHECK(host.names == std::vector<std::string>{""});
  CHECK(host.main_program);
  CHECK_FALSE(host.known_by_name);
  CHECK(host.image->machine == EM_X86_64);
  CHECK(host.image->format == Format::elf64);
  CHECK(host.image->type == FileType::executable);
  CHECK(host.image->elf.has_dynamic_segment);
  REQUIRE(host.edges.size() == 3);
  for (const auto& edge : host.edges) {
    CHECK(edge.kind == EdgeKind::preload);
    CHECK_FALSE(edge.hard);
  }
  CHECK(host.edges[1].matched == MatchedBy::file);
  CHECK(host.edges[1].object == 2);
  CHECK(made.objects[2].loader == 0);
  CHECK(made.objects[2].load_name == "/lib/libp.so");
  CHECK(made.objects[2].names == std::vector<std::string>{"/lib/libp.so", "/lib/./libp.so"});
  const auto& loader = made.objects[1];
  CHECK(loader.path == direct.interpreter);
  CHECK(loader.known_by_name);
  CHECK(loader.image->source == ImageSource::promise);
  CHECK(loader.image->soname == "ld-linux-x86-64.so.2");
  CHECK(loader.image->machine == EM_X86_64);
  CHECK(loader.image->format == Format::elf64);
}

TEST_CASE("what was found is written down with the names that it answers to from then on") {
  TestWorld world;
  world.add("/bin/app", program({.runpath = "/opt", .needed = {"liba.so", "none.so"}}));
  world.add("/real/liba.so.1", {});
  world.files.add_symlink("/opt/liba.so", "/real/liba.so.1");
  world.files.add_symlink("/opt/none.so", "/real/none.so");
  world.files.add_folder("/usr/lib");
  const auto report = world.explain({"/bin/app"});
  const auto& made = report.resolution;
  REQUIRE(made.objects.size() == 2);
  CHECK(made.objects[1].load_name == "/opt/liba.so");
  CHECK(made.objects[1].origin == "/opt");
  CHECK(made.objects[1].names == std::vector<std::string>{"/opt/liba.so", "liba.so"});
  CHECK(made.objects[1].loader == 0);
  CHECK(made.objects[1].target == 0);
  CHECK(made.objects[1].id == world.files.status("/real/liba.so.1")->id);
  CHECK_FALSE(made.objects[1].known_by_name);
  const auto& found = made.objects[0].edges.at(0);
  CHECK(found.rule == SearchRule::runpath);
  CHECK(found.search.probes.at(0).of == 0);
  CHECK(found.error == "");
  // A link that leads nowhere is told where it stands, and only there.
  const auto& probes = made.objects[0].edges.at(1).search.probes;
  REQUIRE(probes.size() == 3);
  CHECK(probes[0].path == "/opt/none.so");
  CHECK(probes[0].detail == "a symbolic link that leads to no file");
  CHECK(probes[1].path == "/lib/none.so");
  CHECK(probes[1].detail == "no such directory");
  CHECK(probes[2].path == "/usr/lib/none.so");
  CHECK(probes[2].detail == "");
}

TEST_CASE("a driver that is stated, or taken to be there, stands in for its libraries where the search gave nothing") {
  for (const std::string version : {"", "580.65.06"}) {
    CAPTURE(version);
    TestWorld world;
    world.query.environment.driver = version;
    world.query.environment.any_driver = version.empty();
    world.add("/bin/app", program({.needed = {"libcuda.so.1", "libother.so"}}));
    world.query.dlopens = {{.name = "libnvidia-ml.so.1"}};
    const auto report = world.explain({"/bin/app"});
    const auto& made = report.resolution;
    REQUIRE(made.objects.size() == 3);
    const auto& driver = made.objects[1];
    const std::string path = version.empty() ? "(driver)/libcuda.so.1" : "(driver 580.65.06)/libcuda.so.1";
    CHECK(driver.path == path);
    CHECK(driver.load_name == path);
    CHECK(driver.names == std::vector<std::string>{path, "libcuda.so.1"});
    CHECK(driver.known_by_name);
    CHECK(driver.image->source == ImageSource::driver);
    CHECK(driver.loader == 0);
    CHECK_FALSE(made.objects[2].loader);
    const auto& edge = made.objects[0].edges.at(0);
    CHECK(edge.status == EdgeStatus::loaded);
    CHECK(edge.rule == SearchRule::default_folder);
    CHECK(edge.object == 1);
    REQUIRE(edge.search.probes.size() == 3);
    const auto& probe = edge.search.probes.back();
    CHECK(probe.path == path);
    CHECK(probe.rule == SearchRule::default_folder);
    CHECK_FALSE(probe.of);
    CHECK(probe.result == ProbeResult::found);
    CHECK(probe.detail == (version.empty() ? "a driver is assumed present" : "the driver was stated with --driver"));
    CHECK_FALSE(probe.ends_search);
    CHECK_FALSE(probe.ends_list);
    CHECK(probe.system_error == 0);
    CHECK(made.objects[0].edges.at(1).status == EdgeStatus::missing);
  }
  TestWorld without;
  without.query.environment.any_driver = false;
  without.add("/bin/app", program({.needed = {"libcuda.so.1"}}));
  CHECK(requests(without.explain({"/bin/app"}), "/bin/app").starts_with("libcuda.so.1: missing"));
}

TEST_CASE("what the loader objects to ends the start with its first objection, and all are noted") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"liba.so", "libb.so"}}));
  for (const auto* name : {"liba.so", "libb.so"})
    world.add(std::string("/lib/") + name, {.soname = name, .x86_isa_needed = 4});
  const auto report = world.explain({"/bin/app"});
  const std::string why = ": CPU ISA level is lower than required";
  CHECK(outcome(report) == "/lib/liba.so" + why + "\n");
  REQUIRE(report.resolution.objections.size() == 2);
  CHECK(report.resolution.objections[0].object == 1);
  CHECK(report.resolution.objections[0].message == "/lib/liba.so" + why);
  CHECK(report.resolution.objections[1].object == 2);
  CHECK(report.resolution.objections[1].message == "/lib/libb.so" + why);
  // A library that is missing comes before.
  world.add("/bin/app", program({.needed = {"liba.so", "libnone.so"}}));
  CHECK(outcome(world.explain({"/bin/app"})).starts_with("libnone.so: "));
}

TEST_CASE("objects are numbered in load order, and so is what points to them") {
  TestWorld world;
  world.add("/bin/app", program({.rpath = "/opt", .needed = {"ld-linux-x86-64.so.2", "libf.so", "liba.so"}}));
  world.add("/opt/libf.so", {.soname = "libf.so", .needed = {{NeededTag::auxiliary, "libx.so"}, "libz.so"}});
  world.add("/opt/libx.so", {.soname = "libx.so", .x86_isa_needed = 4});
  world.add("/opt/liba.so",
            {.soname = "liba.so", .rpath = "/none", .needed = {"libx.so"}, .needs_versions = {{"libx.so", {{"V1"}}}}});
  world.add("/opt/libz.so", {.soname = "libz.so", .runpath = "/none", .needed = {"libnone.so"}});
  world.query.dlopens = {{.name = "libz.so", .caller = "liba.so"}};
  const auto report = world.explain({"/bin/app"});
  const auto& made = report.resolution;
  CHECK(objects(report) ==
        "/bin/app\n/lib64/ld-linux-x86-64.so.2\n/opt/libx.so\n/opt/libf.so\n/opt/liba.so\n/opt/libz.so\n");
  CHECK(made.objects[2].loader == 3);
  CHECK(made.objects[5].loader == 3);
  CHECK(made.objects[0].edges[0].object == 1);
  CHECK(made.objects[0].edges[1].object == 3);
  CHECK(made.objects[3].edges[0].object == 2);
  CHECK(made.objects[3].edges[0].search.probes.back().of == 0);
  CHECK(made.objects[5].edges[0].search.skipped.at(0).of == 0);
  REQUIRE(made.objections.size() == 1);
  CHECK(made.objections[0].object == 2);
  REQUIRE(made.version_problems.size() == 1);
  CHECK(made.version_problems[0].object == 4);
  CHECK(made.version_problems[0].provider == 2);
  REQUIRE(made.targets.size() == 2);
  CHECK(made.targets[0].object == 0);
  CHECK(made.targets[0].search_list == SearchList{0, 1, 2, 3, 4, 5});
  CHECK(made.targets[1].object == 5);
  CHECK(made.targets[1].caller == 4);
  CHECK(made.targets[1].search_list == SearchList{5});
}

TEST_CASE("a library is musl's by its interpreter or by what it needs, and names tell extension modules") {
  Image image;
  CHECK_FALSE(wants_musl(image));
  image.elf.needed = {{NeededTag::needed, "libc.so.6"}};
  CHECK_FALSE(wants_musl(image));
  const auto& abi = *find_abi(EM_X86_64, Format::elf64, ByteOrder::little);
  CHECK(interpreter_of(image, abi, false) == "/lib64/ld-linux-x86-64.so.2");
  CHECK(interpreter_of(image, abi, true) == "/lib/ld-musl-x86_64.so.1");
  for (const std::string name : {"libc.so", "libc.musl-x86_64.so.1"}) {
    image.elf.needed = {{NeededTag::needed, "liba.so"}, {NeededTag::needed, name}};
    CHECK(wants_musl(image));
  }
  image.elf.interpreter = "/lib64/ld-linux-x86-64.so.2";
  CHECK_FALSE(wants_musl(image));
  CHECK(interpreter_of(image, abi, true) == "/lib64/ld-linux-x86-64.so.2");
  image.elf.interpreter = "/lib/ld-musl-aarch64.so.1";
  image.elf.needed.clear();
  CHECK(wants_musl(image));
  for (const auto* path : {"/x/a.cpython-311-x86_64-linux-gnu.so", "/x/liba.cpython-311.so", "/x/lib.abi3.so", "/a.so",
                           "/x/lib.abi3t.so", "/x/lib.abi3-x86_64-linux-gnu.so"})
    CHECK(is_extension_module(path));
  for (const auto* path : {"/x/liba.so", "/x/a.so.1", "/x.cpython-/liba.so", "/x/a.abi3"})
    CHECK_FALSE(is_extension_module(path));
}

}  // namespace
}  // namespace cudald
