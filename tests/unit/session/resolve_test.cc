#include <doctest/doctest.h>

#include "common/wheel_file.h"
#include "common/world.h"

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

}  // namespace
}  // namespace cudald
