#include <doctest/doctest.h>

#include "common/wheel_file.h"
#include "common/world.h"
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

}  // namespace
}  // namespace cudald
