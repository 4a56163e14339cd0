#include "repair/repair_files.h"

#include <doctest/doctest.h>

#include "common/world.h"
#include "repair/repaired_target.h"

namespace cudald {
namespace {

std::vector<RepairedFile> repaired(TestWorld& world, const std::vector<std::string>& given) {
  return repair_files(given, world.query, world.files, world.knowledge);
}

std::string changes(const RepairedFile& file) {
  std::string text;
  for (const auto& each : described(file).changes) text += each.what + ": " + each.before + " > " + each.after + "\n";
  return text;
}

/// A program whose two libraries are in a directory that it does not search; one needs a third one.
TestWorld broken_world() {
  TestWorld world;
  world.add("/opt/bin/app", program({.runpath = "/build/of/app/lib:", .needed = {"liba.so.1", "libb.so.1"}}));
  world.add("/opt/lib/liba.so.1", {.soname = "liba.so.1"});
  world.add("/opt/lib/libb.so.1", {.soname = "libb.so.1", .needed = {"libc-part.so.1"}});
  world.add("/opt/lib/libc-part.so.1", {.soname = "libc-part.so.1"});
  return world;
}

TEST_CASE("a search path is completed and cleaned, and the result is judged") {
  auto world = broken_world();
  world.add("/opt/lib/libb.so.1", {.soname = "libb.so.1"});
  const auto files = repaired(world, {"/opt/bin/app"});
  REQUIRE(files.size() == 1);
  CHECK_FALSE(files[0].error);
  CHECK(files[0].refusal == "");
  CHECK(files[0].before.verdict == Verdict::fails);
  CHECK(files[0].after.verdict == Verdict::loads);
  CHECK(changes(files[0]) == "RUNPATH: /build/of/app/lib: > $ORIGIN/../lib\n");
}

TEST_CASE("several files are repaired together; a file that is not named is not changed, and is reported") {
  auto world = broken_world();
  const auto alone = repaired(world, {"/opt/bin/app"});
  CHECK(alone[0].after.verdict == Verdict::fails);
  CHECK(alone[0].refusal.starts_with("a new finding, CUD101 of /opt/lib/libb.so.1: "));
  REQUIRE(alone[0].elsewhere.size() == 1);
  CHECK(alone[0].elsewhere[0].starts_with("/opt/lib/libb.so.1: libc-part.so.1"));

  const auto both = repaired(world, {"/opt/bin/app", "/opt/lib/libb.so.1"});
  REQUIRE(both.size() == 2);
  for (const auto& file : both) {
    CHECK(file.after.verdict == Verdict::loads);
    CHECK(file.refusal == "");
    CHECK(file.elsewhere.empty());
  }
  CHECK(changes(both[1]) == "RUNPATH:  > $ORIGIN\n");
}

TEST_CASE("a file that loads is left as it is; one that no fix changes is no result") {
  TestWorld world;
  world.add("/opt/app", program({}));
  world.add("/opt/bad", program({.needed = {"libnone.so.1"}}));
  const auto fine = repaired(world, {"/opt/app"});
  CHECK(fine[0].edits.empty());
  CHECK(fine[0].refusal == "");
  const auto bad = repaired(world, {"/opt/bad"});
  CHECK(bad[0].edits.empty());
  CHECK(bad[0].refusal == "no fix of cudald explain changes this file");
}

TEST_CASE("a library that cannot be read is an error, whatever is judged without it") {
  auto world = broken_world();
  world.files.add_file("/opt/lib/libc-part.so.1", "x", {.broken_disk = true});
  for (const auto& given : {"/opt/bin/app", "/opt/lib/libb.so.1"}) {
    const auto files = repaired(world, {given});
    REQUIRE(files[0].error);
    CHECK(files[0].error->message.ends_with(" cannot be read: Input/output error; nothing is claimed"));
  }
}

TEST_CASE("an executable stack that the loader refuses is cleared, in the library that has it") {
  TestWorld world;
  world.files.add_file("/lib64/ld-linux-x86-64.so.2", glibc_loader("2.41"));
  auto app = program({});
  app.executable_stack = false;
  world.add("/opt/app", app);
  world.add("/opt/libx.so", {.soname = "libx.so", .executable_stack = true});
  world.query.dlopens = {{.name = "/opt/libx.so"}};
  const auto files = repaired(world, {"/opt/app", "/opt/libx.so"});
  CHECK(files[0].before.verdict == Verdict::fails);
  CHECK(files[0].after.verdict == Verdict::loads);
  CHECK(files[0].edits.empty());
  CHECK(files[0].refusal == "");
  CHECK(changes(files[1]) == "stack: executable > not executable\n");
}

TEST_CASE("a file that is not ELF, or is absent, is an error, and nothing else is asked") {
  auto world = broken_world();
  world.files.add_file("/opt/text", "text");
  const auto files = repaired(world, {"/opt/bin/app", "/opt/text", "/opt/none"});
  CHECK(files[0].edits.empty());
  CHECK(files[1].error->message == "not an ELF file");
  CHECK(files[2].error->code == ErrorCode::absent);
}

TEST_CASE("a file that cannot be edited safely is an error") {
  auto world = broken_world();
  auto spec = program({.needed = {"liba.so.1"}});
  // Nothing is free in its dynamic table, and a further segment behind it has more zeros than may be written.
  spec.segments.push_back({.type = PT_LOAD, .address = 0x9000000, .memory_size = 1 << 30, .alignment = 0x1000});
  world.add("/opt/bin/app", spec);
  const auto files = repaired(world, {"/opt/bin/app"});
  REQUIRE(files[0].error);
  CHECK(files[0].error->message.starts_with("there is no room for longer tables"));
}

}  // namespace
}  // namespace cudald
