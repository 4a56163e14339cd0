#include <doctest/doctest.h>

#include <cudald/session.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

TEST_CASE("a file in the loader's place that is not a loader ends everything, and no library is missed") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"none.so"}}));
  world.files.add_file("/lib64/ld-linux-x86-64.so.2", elf({}));
  const auto report = world.explain({"/bin/app"});
  CHECK(report.verdict == Verdict::fails);
  CHECK(findings(report) == "CUD123 error app: /lib64/ld-linux-x86-64.so.2\n");
  CHECK(outcome(report) == "/lib64/ld-linux-x86-64.so.2: not a dynamic loader\n");
  // musl's own loader has no soname where nobody gave it one, but functions.
  world.files.add_file("/lib64/ld-linux-x86-64.so.2", elf({.defines = {{.name = "dlopen"}}}));
  CHECK(findings(world.explain({"/bin/app"})) == "CUD101 error app: none.so\n");
}

TEST_CASE("on NixOS the loader of its glibc is offered") {
  TestWorld world;
  world.add("/bin/app", program({}));
  world.files.add_file("/nix/store/aaaa-stub-ld/bin/stub-ld", elf({}));
  world.files.add_file("/nix/store/bbbb-glibc-2.40/lib/ld-linux-x86-64.so.2", glibc_loader("2.40"));
  world.files.add_folder("/lib64");
  MemoryFileSystem& files = world.files;
  files.add_symlink("/lib64/ld-linux-x86-64.so.2", "/nix/store/aaaa-stub-ld/bin/stub-ld");
  const auto report = world.explain({"/bin/app"});
  REQUIRE(report.findings.size() == 1);
  CHECK(commands(report.findings.front()) ==
        "programs.nix-ld.enable = true;\n"
        "patchelf --set-interpreter /nix/store/bbbb-glibc-2.40/lib/ld-linux-x86-64.so.2 --set-rpath "
        "/nix/store/bbbb-glibc-2.40/lib /bin/app\n");
}

TEST_CASE("a file for another machine in the loader's place is refused by the kernel") {
  TestWorld world;
  world.add("/bin/app", program({}));
  for (const auto& bytes : {elf({.machine = EM_AARCH64, .soname = "ld.so"}), std::string("#!/bin/sh\n")}) {
    world.files.add_file("/lib64/ld-linux-x86-64.so.2", bytes);
    const auto report = world.explain({"/bin/app"});
    CHECK(findings(report) == "CUD123 error app: /lib64/ld-linux-x86-64.so.2\n");
    CHECK(outcome(report) == "/bin/app: Accessing a corrupted shared library\n");
  }
}

TEST_CASE("what installs a missing loader is a command of the system that is asked about") {
  struct Row {
    std::string interpreter, os_release, command;
  };
  const Row rows[] = {
      {"/lib64/ld-linux-x86-64.so.2", "ID=alpine\n", "apk add gcompat\n\n"},
      {"/lib/ld-musl-x86_64.so.1", "ID=ubuntu\nID_LIKE=debian\n", "sudo apt install musl\n"},
      {"/lib/ld-musl-x86_64.so.1", "ID=fedora\n", "\n"},
      {"/nix/store/x-glibc/lib/ld-linux-x86-64.so.2", "ID=debian\n",
       "patchelf --set-interpreter /lib64/ld-linux-x86-64.so.2 /bin/app\n"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.interpreter);
    MemoryFileSystem files;
    Query query;
    query.environment.cpu = x86_64_cpu(1);
    files.add_file("/etc/os-release", row.os_release);
    auto app = program({});
    app.interpreter = row.interpreter;
    if (row.interpreter.starts_with("/nix")) files.add_file("/lib64/ld-linux-x86-64.so.2", glibc_loader());
    files.add_file("/bin/app", elf(app));
    query.targets = {"/bin/app"};
    const auto report = Session(files, built_in_knowledge()).explain(query);
    REQUIRE_FALSE(report.findings.empty());
    CHECK(report.findings.front().subject == row.interpreter);
    CHECK(commands(report.findings.front()) == row.command);
  }
}

TEST_CASE("a program without an execute bit is said to be none that starts, where its loader has one") {
  const auto verdict = [](bool program_bit, bool loader_bit, bool library = false) {
    TestWorld world;
    auto app = program({});
    if (library) app.soname = "libapp.so.1";
    world.files.add_file("/lib64/ld-linux-x86-64.so.2", glibc_loader(), {.executable = loader_bit});
    world.files.add_file("/bin/app", elf(app), {.executable = program_bit});
    const auto report = world.explain({"/bin/app"});
    if (!report.findings.empty()) CHECK(commands(report.findings[0]) == "chmod +x /bin/app\n");
    return report.verdict;
  };
  CHECK(verdict(false, true) == Verdict::risk);
  CHECK(verdict(true, true) == Verdict::loads);
  CHECK(verdict(false, false) == Verdict::loads);
  CHECK(verdict(false, true, true) == Verdict::loads);
}

TEST_CASE("a relative interpreter begins at the current directory, and beside the program another one is offered") {
  TestWorld world;
  auto app = program({});
  app.interpreter = "./ld.so";
  world.add("/opt/app", app);
  auto report = world.explain({"/opt/app"});
  CHECK(report.findings.at(0).message.ends_with("it is a relative path, which begins at the current directory"));
  world.files.add_file("/opt/ld.so", glibc_loader());
  report = world.explain({"/opt/app"});
  CHECK(report.findings.at(0).fixes.at(0).command == "patchelf --set-interpreter /opt/ld.so /opt/app");
}

TEST_CASE("into a jail that has the C library of a program the loader is copied") {
  MemoryFileSystem files;
  Query query;
  query.environment.cpu = x86_64_cpu(1);
  files.add_file("/lib/libc.so.6", elf({.soname = "libc.so.6"}));
  files.add_file("/bin/app", elf(program({.needed = {"libc.so.6"}})));
  query.targets = {"/bin/app"};
  query.sysroot = "/srv/jail";
  const auto report = Session(files, built_in_knowledge()).explain(query);
  REQUIRE_FALSE(report.findings.empty());
  CHECK(commands(report.findings.front()) == "cp --parents /lib64/ld-linux-x86-64.so.2 /srv/jail\n");
}

}  // namespace
}  // namespace cudald
