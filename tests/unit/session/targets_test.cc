#include <cerrno>

#include <doctest/doctest.h>

#include "common/pe_builder.h"
#include "common/world.h"

namespace cudald {
namespace {

/// The path of the first object that a target leads to, or the reason why there is none.
std::string found(World& world, const std::string& target) {
  const auto report = world.explain({target});
  if (report.resolution.objects.empty()) return outcome(report);
  return report.resolution.objects.front().path + "\n";
}

TEST_CASE("a target with a slash is a path; one without is looked for") {
  World world;
  world.query.environment.cwd = "/here";
  world.set("PATH", "/usr/bin::/bin");
  for (const std::string path : {"/here/app", "/here/sub/app", "/bin/app", "/bin/tool", "/here/libx.so"})
    world.files.add_file(path, elf(program({})), {.executable = true});
  world.files.add_file("/usr/bin/tool", "no program", {.executable = false});
  world.add("/lib/liby.so", {});
  world.add("/usr/bin/libz.so", {});
  struct Row {
    std::string target, path;
  };
  const Row rows[] = {
      {"/bin/app", "/bin/app\n"},    {"./app", "/here/app\n"}, {"sub/app", "/here/sub/app\n"},
      {"app", "/here/app\n"},        {"tool", "/bin/tool\n"},  {"libx.so", "/here/libx.so\n"},
      {"liby.so", "/lib/liby.so\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.target);
    CHECK(found(world, row.target) == row.path);
  }
  // Libraries are no programs: PATH is not asked for them.
  CHECK(found(world, "libz.so").starts_with("unreadable: no such file here"));
  CHECK(found(world, "none").starts_with("unreadable: no such file here"));
  CHECK(found(world, "./none") == "unreadable: No such file or directory\n");
}

TEST_CASE("a bare library name is found as a loader would find it, the word size included") {
  World world;
  world.set("LD_LIBRARY_PATH", "/env32:/env");
  world.add("/env32/libx.so", {.is_64 = false, .machine = EM_386});
  world.add("/env/libx.so", {});
  CHECK(found(world, "libx.so") == "/env/libx.so\n");
}

TEST_CASE("names are looked for in an environment where wheels put libraries and modules") {
  World world;
  world.query.prefix = "/venv";
  const std::string packages = "/venv/lib/python3.11/site-packages/";
  const std::string places[] = {
      "_fast.cpython-311-x86_64-linux-gnu.so",
      "_abi.abi3.so",
      "_plain.so",
      "libtop.so",
      "torch/libtorch.so",
      "torch/lib/libc10.so",
      "numpy.libs/libopenblas.so.0",
      "nvidia/cudnn/lib/libcudnn.so.9",
  };
  for (const auto& place : places) world.add(packages + place, {});
  world.add(packages + "_fastest.so", {});
  struct Row {
    std::string target, place;
  };
  const Row libraries[] = {
      {"libtop.so", places[3]},        {"libtorch.so", places[4]},   {"libc10.so", places[5]},
      {"libopenblas.so.0", places[6]}, {"libcudnn.so.9", places[7]},
  };
  for (const Row& row : libraries) {
    CAPTURE(row.target);
    CHECK(found(world, row.target) == packages + row.place + "\n");
  }
  // Modules are imported: into a neutral process, as no interpreter is there.
  const Row modules[] = {{"_fast", places[0]}, {"_abi", places[1]}, {"_plain", places[2]}, {"py:_fast", places[0]}};
  for (const Row& row : modules) {
    CAPTURE(row.target);
    const auto report = world.explain({row.target});
    const auto& resolution = report.resolution;
    CHECK(resolution.objects.back().path == packages + row.place);
    REQUIRE(resolution.imports.size() == 1);
    const auto& target = resolution.targets[resolution.imports.front().target];
    CHECK(target.given == row.target);
    CHECK(target.kind == TargetKind::import);
    CHECK(target.error == "");
    CHECK(resolution.targets.back().part_of == resolution.imports.front().target);
  }
  world.files.add_file("/venv/bin/tool", elf(program({})), {.executable = true});
  CHECK(found(world, "tool") == "/venv/bin/tool\n");
  CHECK(found(world, "_fas").find("nor is it in /venv") != std::string::npos);
}

TEST_CASE("a Python that is not there brings libm along") {
  World world;
  world.query.prefix = "/venv";
  const std::string packages = "/venv/lib/python3.11/site-packages/";
  world.add("/lib/libm.so.6", {.soname = "libm.so.6", .defines = {{"pow"}}});
  world.add(packages + "_links.so", {.needed = {"libm.so.6"}, .uses = {{"pow"}}});
  world.add(packages + "_leaves.so", {.uses = {{"pow"}, {"no_function"}}});
  const auto report = world.explain({"py:_links", "py:_leaves"});
  REQUIRE(report.symbols);
  REQUIRE(report.symbols->missing.size() == 1);
  CHECK(report.symbols->missing[0].name == "no_function");
}

TEST_CASE("a file that cannot be the start of a process is refused with a reason") {
  struct Row {
    std::string name, bytes, reason;
  };
  const auto cut = elf({}).substr(0, 60);
  auto cut_headers = elf({});
  poke(cut_headers, 32, std::uint64_t{1} << 40);
  const Row rows[] = {
      {"empty", "", "empty"},
      {"text", "#!/bin/sh\nexit 0\n", "not an ELF file"},
      {"a program for DOS", "MZ", "a program for DOS"},
      {"cut short", cut, "cut short"},
      {"an object file", elf({.type = ET_REL}), "an object file (.o)"},
      {"a core file", elf({.type = ET_CORE}), "neither a program nor a shared library"},
      {"program headers outside", cut_headers, "program headers"},
      {"no segments", elf({.dynamic_segment = false, .load_segment = false}), "program headers"},
      {"debug information", elf({.segments = {{.type = PT_DYNAMIC}}, .dynamic_segment = false}), "no dynamic section"},
      {"a GPU's program", elf({.machine = EM_CUDA}), "made for cuda"},
      {"big-endian x86", elf({.byte_order = ByteOrder::big}), "whose loader is not simulated"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    World world;
    world.files.add_file("/bin/x", row.bytes);
    const auto report = world.explain({"/bin/x"});
    CHECK(report.resolution.objects.empty());
    REQUIRE(report.resolution.targets.size() == 1);
    REQUIRE(report.resolution.targets[0].unreadable);
    CHECK(report.resolution.targets[0].unreadable->message.find(row.reason) != std::string::npos);
    CHECK(report.verdict == Verdict::unknown);
  }
}

TEST_CASE("a machine that was asked for must be the target's") {
  World world;
  world.add("/bin/app", program({}));
  world.query.environment.machine = EM_AARCH64;
  CHECK(outcome(world.explain({"/bin/app"})) ==
        "unreadable: made for x86_64, not for the aarch64 that was asked for\n");
  world.query.environment.machine = EM_X86_64;
  CHECK(outcome(world.explain({"/bin/app"})) == "loads\n");
}

TEST_CASE("several targets are one process: the first starts, the others are opened") {
  World world;
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
  World world;
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
  World world;
  world.query.dlopens = {{"liba.so", "", false, false, false}};
  const auto report = world.explain({});
  CHECK(report.resolution.objects.empty());
  CHECK(report.findings.empty());
}

TEST_CASE("the C library is told by the program's interpreter, or by what a library needs") {
  struct Row {
    std::string name;
    ElfSpec spec;
    LibcKind kind;
  };
  auto for_musl = program({});
  for_musl.interpreter = "/lib/ld-musl-x86_64.so.1";
  const Row rows[] = {
      {"a program for glibc", program({}), LibcKind::glibc},
      {"a program for musl", for_musl, LibcKind::musl},
      {"a library for glibc", {.needed = {"libc.so.6"}}, LibcKind::glibc},
      {"a library for musl", {.needed = {"libc.so"}}, LibcKind::musl},
      {"a library for Alpine", {.needed = {"libc.musl-x86_64.so.1"}}, LibcKind::musl},
      {"a library that does not say", {}, LibcKind::glibc},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    World world;
    world.add("/x", row.spec);
    CHECK(world.explain({"/x"}).resolution.libc.kind == row.kind);
    world.query.environment.libc = LibcVersion{LibcKind::musl, 1, 2};
    CHECK(world.explain({"/x"}).resolution.libc.kind == LibcKind::musl);
  }
}

TEST_CASE("a session reads each file once, for many questions") {
  World world;
  world.add("/bin/app", program({.needed = {"liba.so"}, .uses = {{"f"}}}));
  world.add("/bin/other", program({.needed = {"liba.so"}}));
  world.add("/lib/liba.so", {.soname = "liba.so", .defines = {{"f"}}});
  Session session(world.files);
  world.query.targets = {"/bin/app"};
  const auto first = session.explain(world.query);
  world.files.take_log();
  const auto again = session.explain(world.query);
  CHECK(objects(again) == objects(first));
  CHECK(world.files.take_log().empty());
  world.query.targets = {"/bin/other"};
  session.explain(world.query);
  std::string opened;
  for (const auto& line : world.files.take_log())
    if (line.starts_with("open")) opened += line + "\n";
  CHECK(opened == "open /bin/other\n");
}

TEST_CASE("a session shows one file's own words, or why it cannot") {
  World world;
  world.add("/lib/liba.so", {.soname = "liba.so.1"});
  Session session(world.files);
  Error error;
  const auto* image = session.image("/lib/liba.so", error);
  REQUIRE(image != nullptr);
  CHECK(image->soname == "liba.so.1");
  CHECK(session.image("/lib/none.so", error) == nullptr);
  CHECK(error.system_error == ENOENT);
}

}  // namespace
}  // namespace cudald
