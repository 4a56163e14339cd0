#include <doctest/doctest.h>

#include "common/world.h"

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
  world.add("/lib/ld-musl-x86_64.so.1", {});
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

}  // namespace
}  // namespace cudald
