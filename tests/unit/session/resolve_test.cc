#include <cerrno>

#include <doctest/doctest.h>

#include "common/fatbin_file.h"
#include "common/wheel_file.h"
#include "common/world.h"
#include "knowledge/knowledge.h"
#include "unit/session/python_world.h"

namespace cudald {
namespace {

TEST_CASE("several targets are one process: the first starts, the others are opened") {
  TestWorld world;
  world.add("/bin/app", program({}));
  world.add("/opt/liba.so", {.soname = "liba.so"});
  world.add("/opt/libb.so", {.needed = {"liba.so"}});
  const auto report = world.explain({"/bin/app", "/opt/liba.so", "/opt/libb.so"});
  CHECK(outcome(report) == "loads\nloads\nloads\n");
  CHECK(objects(report) == "/bin/app\n/opt/liba.so\n/opt/libb.so\n");
  CHECK(report.resolution.targets[0].kind == TargetKind::start);
  CHECK(report.resolution.targets[1].kind == TargetKind::dlopen);
  CHECK(report.resolution.targets[2].given == "/opt/libb.so");
}

TEST_CASE("targets that cannot be read do not keep the others from being judged") {
  TestWorld world;
  world.files.add_file("/bin/text", "text");
  world.add("/bin/app", program({}));
  world.add("/opt/liba.so", {});
  const auto report = world.explain({"/bin/text", "/bin/app", "/opt/liba.so"});
  CHECK(objects(report) == "/bin/app\n/opt/liba.so\n");
  CHECK(report.verdict == Verdict::unknown);
  std::string unreadable;
  for (const auto& target : report.resolution.targets)
    if (target.unreadable) unreadable += target.given + "\n";
  CHECK(unreadable == "/bin/text\n");

  const auto later = world.explain({"/bin/app", "/bin/none", "/opt/liba.so"});
  CHECK(outcome(later) == "loads\n/bin/none: cannot open shared object file: No such file or directory\nloads\n");
}

TEST_CASE("nothing asked is nothing answered") {
  TestWorld world;
  world.query.dlopens = {{.name = "liba.so"}};
  const auto report = world.explain({});
  CHECK(report.resolution.objects.empty());
  CHECK(report.findings.empty());
}

TEST_CASE("a member that a package does not have is told as that, and the others are judged") {
  TestWorld world;
  const std::string wheel = "/w/pkg-1.0-py3-none-any.whl";
  world.files.add_file(wheel, wheel_file({{"pkg/liba.so", elf({})}}));
  CHECK(outcome(world.explain({wheel + "!/pkg/liba.so", wheel + "!/pkg/libb.so"})) ==
        "loads\nunreadable: the package has no library or program of that name\n");
}

TEST_CASE("beside another target each program of a package has a process of its own") {
  TestWorld world;
  world.add("/bin/app", program({}));
  const std::string scripts = "pkg-1.0.data/scripts/", wheel = "/w/pkg-1.0-py3-none-linux_x86_64.whl";
  world.files.add_file(wheel, wheel_file({{scripts + "a", elf(program({.needed = {"libnone.so"}}))},
                                          {scripts + "b", elf(program({}))}}));
  const auto beside = world.explain({"/bin/app", wheel});
  REQUIRE(beside.resolution.failed_programs.size() == 1);
  CHECK(beside.resolution.failed_programs[0].library == "libnone.so");
  CHECK(objects(beside) == "/bin/app\n");
  // Alone the first one is the process, whose failure is its own.
  const auto alone = world.explain({wheel});
  CHECK(alone.resolution.failed_programs.empty());
  CHECK(outcome(alone).starts_with("libnone.so: cannot open shared object file"));
}

TEST_CASE("of a package of libraries alone those are doubted that lack what others bring, not their own") {
  const auto doubted = [](const std::vector<std::pair<std::string, std::string>>& members) {
    TestWorld world;
    const std::string wheel = "/w/pkg-1.0-py3-none-linux_x86_64.whl";
    world.files.add_file(wheel, wheel_file(members));
    std::string text;
    const auto report = world.explain({wheel});
    for (const auto& target : report.resolution.targets)
      if (target.traits.when == RequestTime::unreached) text += target.given.substr(target.given.rfind('/') + 1) + " ";
    return text;
  };
  const auto plain = elf({}), plugin = elf({.needed = {"libgone.so.1"}}), broken = elf({.needed = {"libown.so"}});
  CHECK(doubted({{"pkg/liba.so", plain}, {"pkg/libb.so", plugin}}) == "libb.so ");
  CHECK(doubted({{"pkg/libb.so", plugin}}) == "");
  CHECK(doubted({{"pkg/liba.so", broken}, {"pkg/own/libown.so", plain}}) == "");
  CHECK(doubted({{"pkg/liba.so", broken}, {"pkg/libb.so", plugin}, {"pkg/own/libown.so", plain}}) == "libb.so ");
}

TEST_CASE("of a distribution's modules those behind one that fails are not imported") {
  auto world = world_with_python();
  world.files.add_file(python_packages + "both-1.dist-info/RECORD", "first/__init__.py,,\nsecond/__init__.py,,\n");
  for (const auto* name : {"first", "second"}) world.files.add_file(python_packages + name + "/__init__.py", "");
  const auto imported = [&] {
    std::string text;
    const auto report = world.explain({"both"});
    for (const auto& import : report.resolution.imports) text += import.module + (import.failed ? " fails " : " ");
    return text;
  };
  CHECK(imported() == "first second ");
  world.files.add_file(python_packages + "first/__init__.py", "import absent_module\n");
  CHECK(imported() == "first fails ");
}

/// Each request as "1 a.so optional later in 1: ...", the last part what is lost without it.
std::string requests_of(const Report& report) {
  std::string text;
  for (const auto& target : report.resolution.targets) {
    const auto slash = target.given.rfind('/');
    text += slash == std::string::npos ? target.given : target.given.substr(slash + 1);
    const auto& traits = target.traits;
    text += traits.optional ? " optional" : "";
    text += traits.when == RequestTime::later ? " later" : traits.when == RequestTime::unreached ? " unreached" : "";
    text += traits.bind_now ? " now" : "";
    text += target.part_of ? " in " + std::to_string(*target.part_of) : "";
    text += traits.without.empty() ? "\n" : ": " + traits.without.substr(0, traits.without.find(';')) + "\n";
  }
  return text;
}

TEST_CASE("of a package its import is followed, then the modules it does not come to, then libraries nobody loads") {
  TestWorld world;
  const std::string wheel = "/w/pkg-1.0-cp311-cp311-linux_x86_64.whl";
  world.files.add_file(wheel, wheel_file({{"pkg/__init__.py", "from . import a\n"},
                                          {"pkg/a.abi3.so", elf({.runpath = "$ORIGIN", .needed = {"libused.so"}})},
                                          {"pkg/b.abi3.so", elf({})},
                                          {"pkg/libused.so", elf({})},
                                          {"pkg/libz.so", elf({})}}));
  CHECK(requests_of(world.explain({wheel})) ==
        "(a neutral Python) in 1\n"
        "pkg-1.0-cp311-cp311-linux_x86_64.whl\n"
        "a.abi3.so now in 1\n"
        "b.abi3.so unreached now in 1: `import pkg` works\n"
        "libz.so optional unreached now in 1\n");
}

TEST_CASE("of a package of libraries alone each is what it is for, whether somebody loads one or not") {
  const auto requested = [](const std::vector<std::pair<std::string, std::string>>& members) {
    TestWorld world;
    const std::string wheel = "/w/pkg-1.0-py3-none-linux_x86_64.whl";
    world.files.add_file(wheel, wheel_file(members));
    return requests_of(world.explain({wheel}));
  };
  const std::string head = "(a neutral Python) in 1\npkg-1.0-py3-none-linux_x86_64.whl\n";
  CHECK(requested({{"other/liba.so", elf({})}, {"other/libb.so", elf({})}}) ==
        head + "liba.so now in 1\nlibb.so now in 1\n");
  // An import that loads none of them changes nothing; one that loads some leaves the others to nobody.
  CHECK(requested({{"pkg/__init__.py", ""}, {"pkg/liba.so", elf({})}}) == head + "liba.so unreached now in 1\n");
  CHECK(requested({{"pkg/__init__.py",
                    "import ctypes, os\nctypes.CDLL(os.path.join(os.path.dirname(__file__), 'liba.so'))\n"},
                   {"pkg/liba.so", elf({})},
                   {"pkg/libb.so", elf({})}}) == head + "liba.so now in 1\nlibb.so optional unreached now in 1\n");
}

TEST_CASE("a package that cannot be installed is named as it was given, and its members are not told again") {
  TestWorld world;
  world.query.environment.cwd = "/here";
  world.add("/bin/app", program({}));
  world.files.add_file("/here/w/bad-1.0-py3-none-any.whl", "<!DOCTYPE html>");
  const std::string bad = "w/bad-1.0-py3-none-any.whl";
  const auto report = world.explain({"/bin/app", bad + "!/bad/liba.so", bad});
  std::string told;
  for (const auto& target : report.resolution.targets)
    if (target.unreadable) told += target.given + ": " + target.unreadable->path + "\n";
  CHECK(told == bad + ": " + bad + "\n");
  CHECK(objects(report) == "/bin/app\n");
}

TEST_CASE("a member that a package lacks is an absent file") {
  TestWorld world;
  const std::string wheel = "/w/pkg-1.0-py3-none-any.whl";
  world.files.add_file(wheel, wheel_file({{"pkg/liba.so", elf({})}}));
  const auto report = world.explain({wheel + "!/pkg/libb.so"});
  REQUIRE(report.resolution.targets.size() == 1);
  CHECK(report.resolution.targets[0].given == wheel + "!/pkg/libb.so");
  const auto& error = *report.resolution.targets[0].unreadable;
  CHECK(error.code == ErrorCode::absent);
  CHECK(error.path == wheel + "!/pkg/libb.so");
  CHECK(error.system_error == ENOENT);
}

TEST_CASE("the calls that a query names are made after its targets, if there is a process") {
  TestWorld world;
  world.add("/bin/app", program({}));
  world.add("/lib/liba.so", {});
  world.add("/lib/libb.so", {});
  world.query.dlopens = {{.name = "libb.so"}, {.name = "liba.so"}};
  CHECK(objects(world.explain({"/bin/app", "/lib/liba.so"})) == "/bin/app\n/lib/liba.so\n/lib/libb.so\n");
  CHECK(world.explain({"/bin/none"}).resolution.targets.size() == 1);
}

TEST_CASE("of several programs of a package the first is the process, and its start is part of the package") {
  TestWorld world;
  const std::string scripts = "pkg-1.0.data/scripts/", wheel = "/w/pkg-1.0-py3-none-linux_x86_64.whl";
  world.files.add_file(wheel, wheel_file({{scripts + "a", elf(program({}))}, {scripts + "b", elf(program({}))}}));
  const auto alone = world.explain({wheel});
  REQUIRE(alone.resolution.targets.size() == 2);
  CHECK(alone.resolution.targets[0].part_of == 1);
  CHECK(alone.resolution.targets[1].given == wheel);
  CHECK(alone.resolution.targets[1].kind == TargetKind::package);
  CHECK(alone.resolution.failed_programs.empty());
  world.add("/bin/app", program({}));
  const auto beside = world.explain({"/bin/app", wheel});
  CHECK_FALSE(beside.resolution.targets.at(0).part_of);
  CHECK(beside.resolution.targets.at(1).kind == TargetKind::package);
  CHECK(beside.resolution.failed_programs.empty());
}

TEST_CASE("a library that another one is known to open on use is not asked for once more, by whatever name that does") {
  for (const std::string name : {"libuse.so", "{folder}/libuse.so"}) {
    CAPTURE(name);
    const auto newer = lay_over(*built_in_knowledge(), R"({"schema": "cudald/known-dlopens", "checked": "2030-01-02",
      "source": "notes", "rows": [{"libraries": ["pkg/liba.so"], "values": {}, "without": "nothing",
                                   "asks": [{"name": ")" + name +
                                                           R"(", "at": "use", "gpu": true}]}]})");
    REQUIRE(newer);
    TestWorld world;
    world.knowledge = *newer;
    const std::string wheel = "/w/pkg-1.0-cp311-cp311-linux_x86_64.whl";
    world.files.add_file(wheel, wheel_file({{"pkg/__init__.py", "from . import a\n"},
                                            {"pkg/a.abi3.so", elf({.runpath = "$ORIGIN", .needed = {"liba.so"}})},
                                            {"pkg/liba.so", elf({.soname = "liba.so", .runpath = "$ORIGIN"})},
                                            {"pkg/libuse.so", elf({})},
                                            {"pkg/libz.so", elf({})}}));
    std::string told;
    for (const auto& target : world.explain({wheel}).resolution.targets)
      if (target.kind == TargetKind::dlopen)
        told += target.given.substr(target.given.rfind('/') + 1) + (is_later(target) ? " later\n" : "\n");
    CHECK(told == "a.abi3.so\nlibuse.so later\nlibz.so\n");
  }
}

TEST_CASE("an AppImage opens the library that its constants name, and does not run without it") {
  TestWorld world;
  auto bytes = with_sections(elf(program({.needed = {"libc.so.6"}, .uses = {{"dlopen", ElfUse::call}}})),
                             {{".rodata", std::string("\0libfuse.so.2\0", 14)}});
  world.files.add_file("/opt/plain", bytes);
  bytes.replace(8, 2, "AI");
  world.add("/lib/libc.so.6", {.soname = "libc.so.6", .defines = {{"dlopen"}}});
  world.files.add_file("/opt/a.AppImage", bytes);
  const auto report = world.explain({"/opt/a.AppImage"});
  CHECK(report.resolution.targets.size() == 2);
  CHECK(report.verdict == Verdict::fails);
  CHECK(world.explain({"/opt/plain"}).verdict == Verdict::loads);
}

}  // namespace
}  // namespace cudald
