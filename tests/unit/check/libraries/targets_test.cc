#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

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
  > name the loader of this system | patchelf --set-interpreter /lib64/ld-linux-x86-64.so.2 /opt/app/bin/app
)");
  CHECK(outcome(report) == "/lib/ld-none.so.1: No such file or directory\n");
}

TEST_CASE("a target that cannot be read is told by why it cannot") {
  for (const auto& [code, finding] : {std::pair(ErrorCode::malformed, "CUD901"), std::pair(ErrorCode::limit, "CUD902"),
                                      std::pair(ErrorCode::absent, "CUD904")}) {
    auto report = made_report({});
    report.resolution.targets[0].given = "x.so";
    report.resolution.targets[0].unreadable = Error{code, "the reason"};
    CHECK(made_findings(check_targets, report) == std::string(finding) + R"( | error | x.so
  x.so: the reason
  = Nothing is claimed about it.
)");
    report.resolution.targets[0].unreadable.reset();
    report.findings.clear();
    CHECK(made_findings(check_targets, report) == "");
  }
}

TEST_CASE("a program's interpreter has to be there, but for the usual ones in the world of a tag") {
  const auto told = [](const std::string& interpreter, WorldKind world = WorldKind::here,
                       std::uint16_t machine = EM_X86_64, const std::string& error = "") {
    Image image;
    image.format = Format::elf64;
    image.machine = machine;
    image.elf.header.has_magic = true;
    image.elf.interpreter = interpreter;
    auto report = made_report({made_object("/bin/app", image)});
    report.resolution.world.kind = world;
    report.resolution.targets[0].error = error;
    const auto text = made_findings(check_interpreter, report);
    CHECK(report.resolution.targets[0].error ==
          (!error.empty() || text.empty() ? error : interpreter + ": No such file or directory"));
    return text;
  };
  const std::string glibc = "/lib64/ld-linux-x86-64.so.2", musl = "/lib/ld-musl-x86_64.so.1";
  CHECK(told(glibc) == R"(CUD101 | error | /bin/app | /lib64/ld-linux-x86-64.so.2
  its program interpreter /lib64/ld-linux-x86-64.so.2 is not here: this root has no C library at all
  - PT_INTERP names /lib64/ld-linux-x86-64.so.2 | /lib64/ld-linux-x86-64.so.2 | proven
  = The kernel refuses to start it: "No such file or directory", although the program is there.
  > take an image with glibc: FROM debian:stable-slim, or gcr.io/distroless/base-debian12 )"
                       R"((with libstdc++: gcr.io/distroless/cc-debian12)
  > or build a static program: CGO_ENABLED=0 go build; cargo build --target x86_64-unknown-linux-musl; gcc -static
)");
  CHECK(told(musl) == R"(CUD101 | error | /bin/app | /lib/ld-musl-x86_64.so.1
  its program interpreter /lib/ld-musl-x86_64.so.1 is not here
  - PT_INTERP names /lib/ld-musl-x86_64.so.1 | /lib/ld-musl-x86_64.so.1 | proven
  = The kernel refuses to start it: "No such file or directory", although the program is there.
  > take a build for this system, or a system with the C library that it was built for
)");
  CHECK(told(glibc, WorldKind::here, EM_X86_64, "an error before it") == told(glibc));
  CHECK(told(glibc, WorldKind::tag) == "");
  CHECK(told(musl, WorldKind::tag) == "");
  CHECK(told("/opt/ld.so", WorldKind::tag) != "");
  CHECK(told("/lib/ld-musl-aarch64.so.1", WorldKind::tag) != "");
  CHECK(told(glibc, WorldKind::tag, 9999) != "");
}

}  // namespace
}  // namespace cudald
