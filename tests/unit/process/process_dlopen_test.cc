#include <doctest/doctest.h>

#include "base/path.h"
#include "common/built_in.h"
#include "common/fatbin_file.h"
#include "common/wheel_file.h"
#include "common/world.h"
#include "knowledge/knowledge.h"
#include "process/process.h"
#include "unit/process/direct_start.h"
#include "unit/session/python_world.h"

namespace cudald {
namespace {

constexpr const char* no_such_file = ": cannot open shared object file: No such file or directory\n";

/// A program with a DT_RPATH and a library with a DT_RUNPATH, neither of which finds the other's plugins.
TestWorld with_plugins() {
  TestWorld world;
  world.add("/bin/app", program({.rpath = "/program", .needed = {"libhost.so"}}));
  world.add("/program/libhost.so", {.soname = "libhost.so.1", .runpath = "/host"});
  return world;
}

TEST_CASE("a dlopen searches with the paths of the object that calls") {
  auto world = with_plugins();
  world.add("/program/liba.so", {});
  world.add("/host/libb.so", {});
  world.query.dlopens = {{.name = "liba.so"},
                         {.name = "libb.so"},
                         {.name = "liba.so", .caller = "libhost.so.1"},
                         {.name = "libb.so", .caller = "libhost.so.1"}};
  const auto report = world.explain({"/bin/app"});
  CHECK(outcome(report) == std::string("loads\nloads\nlibb.so") + no_such_file + "loads\nloads\n");
  CHECK(requests(report, "/program/libhost.so") == "liba.so: reused by name\nlibb.so: loaded by runpath\n");
}

TEST_CASE("the caller is meant by its soname, its file name or its path") {
  for (const std::string caller : {"libhost.so.1", "libhost.so", "/program/libhost.so"}) {
    CAPTURE(caller);
    auto world = with_plugins();
    world.add("/host/libb.so", {});
    world.query.dlopens = {{.name = "libb.so", .caller = caller}};
    CHECK(outcome(world.explain({"/bin/app"})) == "loads\nloads\n");
  }
  // Also by the name by which it was asked for, where that is a link.
  for (const std::string caller : {"/program/link.so", "link.so", "./again.so", "again.so"}) {
    CAPTURE(caller);
    auto world = with_plugins();
    world.add("/bin/app", program({.rpath = "/program", .needed = {"link.so", "./again.so"}}));
    world.files.add_symlink("/program/link.so", "/opt/real.so.1");
    world.files.add_symlink("/again.so", "/opt/real.so.1");
    world.add("/opt/real.so.1", {.runpath = "/host"});
    world.add("/host/libb.so", {});
    world.query.dlopens = {{.name = "libb.so", .caller = caller}};
    CHECK((outcome(world.explain({"/bin/app"})) == "loads\nloads\n") == (caller != "again.so"));
  }
  auto world = with_plugins();
  world.query.dlopens = {{.name = "libb.so", .caller = "libnone.so"}};
  const auto report = world.explain({"/bin/app"});
  CHECK(outcome(report).find("unreadable: nothing of the name libnone.so is loaded") != std::string::npos);
  CHECK(report.verdict == Verdict::unknown);
}

TEST_CASE("further targets are opened by the program, in order") {
  auto world = with_plugins();
  world.add("/opt/liba.so", {.soname = "libcommon.so", .needed = {"libc.so"}});
  world.add("/program/libc.so", {});
  world.add("/opt/libb.so", {.needed = {"libcommon.so"}});
  const auto report = world.explain({"/bin/app", "/opt/liba.so", "/opt/libb.so"});
  CHECK(objects(report) == "/bin/app\n/program/libhost.so\n/opt/liba.so\n/program/libc.so\n/opt/libb.so\n");
  CHECK(requests(report, "/opt/libb.so") == "libcommon.so: reused by soname\n");
  // In the other order the second one finds nothing.
  CHECK(outcome(world.explain({"/bin/app", "/opt/libb.so", "/opt/liba.so"})) ==
        std::string("loads\nlibcommon.so") + no_such_file + "loads\n");
}

TEST_CASE("what a plugin needs is searched with the plugin's paths, then the program's DT_RPATH") {
  auto world = with_plugins();
  world.add("/host/plugin.so", {.rpath = "/plugin", .needed = {"liba.so", "libb.so", "libc.so"}});
  world.add("/plugin/liba.so", {});
  world.add("/program/libb.so", {});
  world.add("/host/libc.so", {});
  world.query.dlopens = {{.name = "plugin.so", .caller = "libhost.so"}};
  const auto report = world.explain({"/bin/app"});
  CHECK(probes(report, "/host/plugin.so", "libc.so") ==
        "/plugin/libc.so · rpath · absent\n"
        "/program/libc.so · rpath · absent\n"
        "/lib/libc.so · default · absent\n"
        "/usr/lib/libc.so · default · absent\n");
  CHECK(requests(report, "/host/plugin.so") ==
        std::string("liba.so: loaded by rpath\nlibb.so: loaded by rpath\nlibc.so: missing, libc.so") + no_such_file);
}

TEST_CASE("a dlopen that fails leaves nothing behind") {
  auto world = with_plugins();
  world.add("/program/bad.so", {.needed = {"liba.so", "none.so"}});
  world.add("/program/liba.so", {.soname = "liba.so.1"});
  world.add("/program/good.so", {.needed = {"liba.so", "liba.so.1"}});
  world.add("/program/last.so", {.needed = {"liba.so.1"}});
  world.query.dlopens = {{.name = "bad.so"}, {.name = "last.so"}, {.name = "good.so"}};
  const auto report = world.explain({"/bin/app"});
  CHECK(outcome(report) == std::string("loads\nnone.so") + no_such_file + "liba.so.1" + no_such_file + "loads\n");
  CHECK(objects(report) ==
        "/bin/app\n/program/libhost.so\n"
        "/program/bad.so (gone)\n/program/liba.so (gone)\n"
        "/program/last.so (gone)\n"
        "/program/good.so\n/program/liba.so\n");
  CHECK(requests(report, "/program/good.so") == "liba.so: loaded by rpath\nliba.so.1: reused by soname\n");
}

TEST_CASE("to open again what is loaded maps nothing, and lists it with all it needs") {
  auto world = with_plugins();
  world.add("/program/plugin.so", {.needed = {"liba.so", "libb.so"}});
  world.add("/program/liba.so", {.needed = {"libc.so"}});
  world.add("/program/libb.so", {});
  world.add("/program/libc.so", {});
  world.query.dlopens = {{.name = "liba.so"}, {.name = "plugin.so"}, {.name = "liba.so"}};
  const auto report = world.explain({"/bin/app"});
  const auto list = [&](std::size_t target) {
    std::string text;
    for (const auto id : report.resolution.targets[target].search_list)
      text += report.resolution.objects[id].path + "\n";
    return text;
  };
  CHECK(list(1) == "/program/liba.so\n/program/libc.so\n");
  CHECK(list(2) == "/program/plugin.so\n/program/liba.so\n/program/libb.so\n/program/libc.so\n");
  CHECK(list(3) == list(1));
  CHECK(report.resolution.objects.size() == 6);
}

TEST_CASE("a dlopen may name a path, a token, or a file that forbids it") {
  auto world = with_plugins();
  world.query.environment.cwd = "/host";
  world.add("/host/libb.so", {});
  world.add("/program/libc.so", {});
  world.add("/program/closed.so", {.flags_1 = df_1_noopen});
  world.query.dlopens = {{.name = "./libb.so"},
                         {.name = "$ORIGIN/libc.so", .caller = "libhost.so"},
                         {.name = "closed.so"},
                         {.name = "/program/../program/libc.so"},
                         {.name = "/none.so"}};
  const auto report = world.explain({"/bin/app"});
  CHECK(outcome(report) ==
        std::string("loads\nloads\nloads\nclosed.so: shared object cannot be dlopen()ed\nloads\n/none.so") +
            no_such_file);
  CHECK(requests(report, "/program/libhost.so") == "$ORIGIN/libc.so: loaded by path\n");
}

TEST_CASE("a dlopen that fails repeats the caller's words; of a needed name it tells what its tokens stand for") {
  auto world = with_plugins();
  world.add("/host/bad.so", {.needed = {"$ORIGIN/none.so"}});
  world.query.dlopens = {{.name = "${ORIGIN}/none.so", .caller = "libhost.so"},
                         {.name = "/host/bad.so", .caller = "libhost.so"}};
  CHECK(outcome(world.explain({"/bin/app"})) ==
        std::string("loads\n${ORIGIN}/none.so") + no_such_file + "/host/none.so" + no_such_file);
}

TEST_CASE("a library that a file says it may open is tried, and not loaded") {
  TestWorld world;
  world.add("/bin/app",
            program({.runpath = "/opt",
                     .needed = {"liba.so"},
                     .dlopen_notes = {R"([{"soname":["libz.so.2","libz.so.1"]}])",
                                      R"([{"soname":["none.so.2","none.so.1"]},{"soname":["liba.so"]}])"}}));
  world.add("/opt/liba.so", {.needed = {"libz.so.1"}});
  world.add("/opt/libz.so.1", {.needed = {"libdeep.so"}});
  world.add("/opt/libdeep.so", {});
  const auto report = world.explain({"/bin/app"});
  CHECK(requests(report, "/bin/app") == std::string("liba.so: loaded by runpath\n"
                                                    "libz.so.1: would load by runpath\n"
                                                    "none.so.2: missing, none.so.2") +
                                            no_such_file + "liba.so: reused by name\n");
  CHECK(objects(report) == "/bin/app\n/opt/liba.so\n");
  CHECK(requests(report, "/opt/liba.so") == std::string("libz.so.1: missing, libz.so.1") + no_such_file);
}

TEST_CASE("what is opened only on use is not there for a request now, but for the next use") {
  TestWorld world;
  world.add("/bin/app", program({.runpath = "/opt"}));
  world.add("/opt/libuse.so", {.soname = "libuse.so", .runpath = "/opt", .needed = {"libdeep.so"}});
  world.add("/opt/libdeep.so", {.soname = "libdeep.so"});
  world.add("/opt/libnow.so", {.runpath = "/opt", .needed = {"libuse.so"}});
  const auto call = [](const std::string& name, bool later) {
    DlopenRequest request;
    request.name = name;
    request.traits.when = later ? RequestTime::later : RequestTime::now;
    return request;
  };
  world.query.dlopens = {call("libuse.so", true), call("/opt/libuse.so", true), call("libnow.so", false)};
  const auto report = world.explain({"/bin/app"});
  CHECK(objects(report) ==
        "/bin/app\n/opt/libuse.so (gone)\n/opt/libdeep.so (gone)\n/opt/libnow.so\n/opt/libuse.so\n/opt/libdeep.so\n");
  CHECK(requests(report, "/bin/app") ==
        "libuse.so: would load by runpath\n/opt/libuse.so: reused by file\nlibnow.so: loaded by runpath\n");
  CHECK(requests(report, "/opt/libnow.so") == "libuse.so: loaded by runpath\n");
  CHECK(outcome(report) == "loads\nloads\nloads\nloads\n");
}

TEST_CASE("what code names for a later use is searched as its dlopen would be, and not loaded") {
  TestWorld world;
  world.add("/lib/libthere.so", {.soname = "libthere.so"});
  const std::string wheel = "/dist/pkg-1.0-cp311-cp311-linux_x86_64.whl";
  world.files.add_file(wheel, wheel_file({{"pkg/__init__.py",
                                           "import ctypes\nfrom . import a\ndef f():\n  ctypes.CDLL('libthere.so')\n"
                                           "def g():\n  ctypes.CDLL('libnone.so')\n"},
                                          {"pkg/a.abi3.so", elf({})}}));
  const auto report = world.explain({wheel});
  std::string soft;
  for (const auto& object : report.resolution.objects)
    for (const auto& edge : object.edges)
      if (!edge.asked_at.empty() && edge.name.starts_with("lib"))
        soft += edge.name + (edge.status == EdgeStatus::not_loaded ? " there " : " not there ") +
                std::string(file_name(edge.asked_at)) + "\n";
  CHECK(soft == "libthere.so there __init__.py:4\nlibnone.so not there __init__.py:6\n");
  CHECK(objects(report).find("libthere.so") == std::string::npos);
}

TEST_CASE("an import ends by what its interpreter lacks, before anything else") {
  auto world = world_with_python();
  world.files.add_file("/venv/bin/python3.11", elf(program({.needed = {"libnone.so"}})), {.executable = true});
  world.files.add_file(python_packages + "pkg.py", "import absent\n");
  const auto report = world.explain({"py:pkg"});
  const auto error = std::string("libnone.so") + no_such_file;
  CHECK(report.resolution.targets.at(0).error + "\n" == error);
  CHECK(report.resolution.targets.at(1).error + "\n" == error);
}

TEST_CASE("musl does not know its program by its file, and maps it once more") {
  TestWorld world;
  world.query.environment.libc = LibcVersion{LibcKind::musl, 1, 2};
  world.add("/bin/app", program({}));
  world.query.dlopens = {{.name = "/bin/app"}};
  CHECK(objects(world.explain({"/bin/app"})) == "/bin/app\n/bin/app\n");
}

TEST_CASE("a process can be asked what it has loaded and what it would find, and maps nothing for it") {
  DirectStart direct;
  for (const auto* name : {"liba.so", "libb.so"}) direct.world.add(std::string("/lib/") + name, {.soname = name});
  auto& process = direct.host();
  const auto number = process.dlopen("shown", {.name = "liba.so"}, 0);
  const auto& resolution = process.resolution();
  CHECK(resolution.targets.at(number).given == "shown");
  const auto mapped = resolution.objects.size();
  CHECK(process.has_loaded("liba.so", 0));
  CHECK(process.finds("liba.so", 0));
  CHECK_FALSE(process.has_loaded("libb.so", 0));
  CHECK(process.finds("libb.so", 0));
  CHECK_FALSE(process.finds("libnone.so", 0));
  CHECK(resolution.objects.size() == mapped);
  const auto requests_before = resolution.objects.at(0).edges.size();
  process.note_soft_dlopen("libb.so", 0, "/a.py:7");
  REQUIRE(resolution.objects.at(0).edges.size() == requests_before + 1);
  const auto& edge = resolution.objects[0].edges.back();
  CHECK(edge.status == EdgeStatus::not_loaded);
  CHECK(edge.asked_at == "/a.py:7");
  CHECK_FALSE(edge.object);
  CHECK_FALSE(edge.hard);
  CHECK(process.find("/lib/liba.so") == process.find("liba.so"));
  CHECK(process.find("liba.so").has_value());
  CHECK_FALSE(process.find("libb.so"));
  CHECK(process.has_mapped("/lib/liba.so"));
}

/// What a table knows of liba.so.1 and libplain.so.
std::shared_ptr<const Knowledge> with_known_requests() {
  const auto newer = lay_over(built_in(), R"({"schema": "cudald/known-dlopens", "checked": "2030-01-02",
    "source": "notes", "rows": [
      {"libraries": ["liba.so.1"], "values": {}, "without": "nothing", "asks": [
        {"name": "libheld.so", "at": "load", "gpu": false, "held": true, "pieces": ["one", "two"]},
        {"name": "libplain.so", "at": "load", "gpu": false},
        {"name": "libuse.so", "at": "use", "gpu": true}]},
      {"libraries": ["libplain.so"], "values": {}, "without": "nothing", "asks": [
        {"name": "libdeep.so", "at": "load", "gpu": false}]}]})");
  if (!newer) FAIL(newer.error().message);
  return *newer;
}

TestWorld with_known_library(const std::string& constants) {
  TestWorld world;
  world.knowledge = with_known_requests();
  world.add("/bin/app", program({.needed = {"liba.so.1"}}));
  world.add("/bin/plain", program({}));
  world.files.add_file("/lib/liba.so.1", with_sections(elf({.soname = "liba.so.1"}), {{".rodata", constants}}));
  for (const std::string name : {"libheld.so", "libplain.so", "libuse.so", "libdeep.so"})
    world.add("/lib/" + name, {.soname = name});
  return world;
}

TEST_CASE("what a library is known to open is opened for it: at once, or on use as soon as that is a use itself") {
  const std::string both("\0one\0two\0", 9), one("\0one\0", 5);
  auto world = with_known_library(both);
  auto report = world.explain({"/bin/app"});
  CHECK(requests(report, "/lib/liba.so.1") ==
        "libheld.so: loaded by default\nlibplain.so: loaded by default\nlibuse.so: would load by default\n");
  CHECK(requests(report, "/lib/libplain.so") == "libdeep.so: loaded by default\n");
  std::string told;
  for (const auto& target : report.resolution.targets)
    told += target.given + (target.part_of ? " of " + std::to_string(*target.part_of) : "") +
            (is_later(target) ? " later\n" : "\n");
  CHECK(told == "/bin/app\nlibheld.so of 0\nlibplain.so of 0\nlibdeep.so of 2\nlibuse.so of 0 later\n");
  // Only releases that hold all pieces of a name open it.
  auto older = with_known_library(one);
  CHECK(requests(older.explain({"/bin/app"}), "/lib/liba.so.1") ==
        "libplain.so: loaded by default\nlibuse.so: would load by default\n");
  auto on_use = with_known_library(one);
  DlopenRequest later;
  later.name = "liba.so.1";
  later.traits.when = RequestTime::later;
  on_use.query.dlopens = {later};
  report = on_use.explain({"/bin/plain"});
  CHECK(requests(report, "/lib/liba.so.1") == "libplain.so: would load by default\nlibuse.so: would load by default\n");
  for (std::size_t i = 1; i < report.resolution.targets.size(); ++i) CHECK(is_later(report.resolution.targets[i]));
  CHECK(report.resolution.targets.at(2).part_of == 1);
  // What does not load opens nothing.
  auto broken = with_known_library(both);
  broken.add("/lib/liba.so.1", {.soname = "liba.so.1", .needed = {"libnone.so"}});
  CHECK(broken.explain({"/bin/app"}).resolution.targets.size() == 1);
}

TEST_CASE("what a library is known to open belongs to the whole in which it is loaded") {
  DirectStart direct(with_known_library(""));
  auto& process = direct.host();
  process.begin("whole", TargetKind::package, false);
  process.dlopen("liba.so.1", {.name = "liba.so.1"}, 0);
  const auto& targets = process.resolution().targets;
  REQUIRE(targets.size() == 6);
  CHECK_FALSE(targets[0].part_of);
  for (std::size_t i = 2; i < targets.size(); ++i) CHECK(targets[i].part_of == 1);
}

}  // namespace
}  // namespace cudald
