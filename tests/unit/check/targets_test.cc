#include <doctest/doctest.h>

#include "unit/check/finding_text.h"

namespace cudald {
namespace {

TEST_CASE("a target that cannot be read is the verdict unknown, whatever else there is") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"none.so"}}));
  world.files.add_file("/bin/secret", elf(program({})), {.readable = false});
  world.files.add_special("/bin/pipe");
  world.files.add_file("/bin/text", "#!/bin/sh\n");
  struct Row {
    std::string target, finding;
  };
  const Row rows[] = {
      {"/bin/none", "CUD904 error /bin/none\n"}, {"/bin/secret", "CUD904 error /bin/secret\n"},
      {"/bin", "CUD904 error /bin\n"},           {"/bin/pipe", "CUD904 error /bin/pipe\n"},
      {"/bin/text", "CUD901 error /bin/text\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.target);
    const auto report = world.explain({row.target});
    CHECK(findings(report) == row.finding);
    CHECK(report.verdict == Verdict::unknown);
    CHECK(report.headline.starts_with(row.target + ": "));
    CHECK(report.resolution.objects.empty());
  }
}

TEST_CASE("a program whose interpreter is not there does not start") {
  TestWorld world;
  auto app = program({});
  app.interpreter = "/lib/ld-none.so.1";
  world.add("/opt/app/bin/app", app);
  const auto report = world.explain({"/opt/app/bin/app"});
  CHECK(findings(report) == "CUD101 error app: /lib/ld-none.so.1\n");
  CHECK(in_full(report) ==
        R"(CUD101 | error | /opt/app/bin/app | /lib/ld-none.so.1
  its program interpreter /lib/ld-none.so.1 is not here
  - PT_INTERP names /lib/ld-none.so.1 | /lib/ld-none.so.1 | proven
  = The kernel refuses to start it: "No such file or directory", although the program is there.
)");
  CHECK(outcome(report) == "/lib/ld-none.so.1: No such file or directory\n");
}

}  // namespace
}  // namespace cudald
