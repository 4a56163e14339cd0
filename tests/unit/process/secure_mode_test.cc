#include <doctest/doctest.h>

#include "common/memory_file_system.h"
#include "common/world.h"
#include "process/secure_mode.h"
#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

/// The bytes of security.capability: revision 2, as setcap writes them.
std::string capability_bytes(std::uint32_t permitted, bool effective) {
  std::string bytes;
  append<std::uint32_t>(bytes, 0x02000000U | (effective ? 1U : 0U));
  for (const std::uint32_t word : {permitted, 0U, 0U, 0U}) append(bytes, word);
  return bytes;
}

constexpr std::uint32_t net_raw = 1U << 13;

/// Why a file with these traits makes a secure process for a user.
std::string why(FileTraits traits, UserId user) {
  MemoryFileSystem files;
  files.add_file("/bin/app", elf(program({})), std::move(traits));
  ImageStore store(files);
  return why_secure(store.open("/bin/app"), user);
}

TEST_CASE("capabilities of a file are read as setcap writes them") {
  CHECK(setcap_text(read_file_capabilities(capability_bytes(net_raw, true))) == "cap_net_raw+ep");
  CHECK(setcap_text(read_file_capabilities(capability_bytes(net_raw | 1U, false))) == "cap_chown,cap_net_raw+p");
  for (const auto& bytes : {std::string(), std::string("short"), std::string(20, '\xff')})
    CHECK_FALSE(read_file_capabilities(bytes).any());
}

TEST_CASE("a program is a secure process where its file gives rights that the user lacks") {
  const UserId root{0, 0}, user{1000, 1000};
  CHECK(why({}, user) == "");
  CHECK(why({.set_user_id = true}, user).starts_with("it has the set-user-ID bit of user 0"));
  CHECK(why({.set_user_id = true}, root) == "");
  CHECK(why({.set_user_id = true, .owner = 1000}, user) == "");
  CHECK(why({.set_group_id = true}, user).starts_with("it has the set-group-ID bit of group 0"));
  CHECK(why({.set_group_id = true, .group = 1000}, user) == "");
  const auto bytes = capability_bytes(net_raw, true);
  CHECK(why({.capabilities = bytes}, user).starts_with("it has file capabilities (cap_net_raw+ep)"));
  CHECK(why({.capabilities = bytes}, root) == "");
  CHECK(why({.set_user_id = true, .no_set_id = true, .capabilities = bytes}, user) == "");
}

TEST_CASE("--user is a number, or a name in the tree's /etc/passwd") {
  MemoryFileSystem files;
  files.add_file("/etc/passwd", "root:x:0:0::/root:/bin/sh\nnobody:x:65534:65533:none:/:/bin/false\n");
  Environment environment;
  environment.user = {7, 8};
  const auto of = [&](const std::string& name) {
    environment.user_name = name;
    return user_of(environment, files);
  };
  CHECK(*of("") == UserId{7, 8});
  CHECK(*of("nobody") == UserId{65534, 65533});
  CHECK(*of("1000") == UserId{1000, 1000});
  CHECK(*of("1000:100") == UserId{1000, 100});
  CHECK(of("somebody").error().code == ErrorCode::usage);
}

TEST_CASE("in secure mode neither $ORIGIN nor LD_LIBRARY_PATH leads to a library, and it is said why") {
  for (const bool by_variable : {false, true}) {
    TestWorld world;
    auto app = program({.needed = {"liba.so"}});
    if (by_variable)
      world.set("LD_LIBRARY_PATH", "/opt/lib");
    else
      app.runpath = "$ORIGIN/../lib";
    world.files.add_file("/opt/bin/app", elf(app), {.capabilities = capability_bytes(net_raw, true)});
    world.add("/opt/lib/liba.so", {.soname = "liba.so"});
    CHECK(outcome(world.explain({"/opt/bin/app"})) == "loads\n");
    world.query.environment.user = {1000, 1000};
    const auto report = world.explain({"/opt/bin/app"});
    CHECK(outcome(report) == "liba.so: cannot open shared object file: No such file or directory\n");
    CHECK(findings(report) == "CUD119 error app: liba.so\n");
    CHECK(says(report.findings.front(), "file capabilities (cap_net_raw+ep)"));
    CHECK(commands(report.findings.front()).starts_with("echo /opt/lib | sudo tee /etc/ld.so.conf.d/app.conf"));
  }
}

TEST_CASE("a needed name with $ORIGIN is refused in secure mode") {
  TestWorld world;
  world.files.add_file("/opt/bin/app", elf(program({.needed = {"$ORIGIN/../lib/liba.so"}})), {.set_user_id = true});
  world.add("/opt/lib/liba.so", {});
  world.query.environment.user = {1000, 1000};
  const auto report = world.explain({"/opt/bin/app"});
  CHECK(findings(report) == "CUD119 error app: $ORIGIN/../lib/liba.so\n");
  CHECK(outcome(report) == "$ORIGIN/../lib/liba.so: DST not allowed in SUID/SGID programs\n");
  CHECK(commands(report.findings.front()).find("--replace-needed '$ORIGIN/../lib/liba.so' /opt/lib/liba.so") !=
        std::string::npos);
}

}  // namespace
}  // namespace cudald
