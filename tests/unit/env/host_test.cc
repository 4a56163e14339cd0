#include <cudald/environment.h>

#include <unistd.h>

#include <climits>
#include <cstdlib>

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("a C library is stated by name and version") {
  struct Row {
    std::string text;
    LibcVersion version;
  };
  const Row rows[] = {
      {"glibc-2.36", {LibcKind::glibc, 2, 36}}, {"glibc-2.5", {LibcKind::glibc, 2, 5}},
      {"glibc-3.0", {LibcKind::glibc, 3, 0}},   {"glibc", {LibcKind::glibc, 2, 36}},
      {"musl-1.2", {LibcKind::musl, 1, 2}},     {"musl-1.1", {LibcKind::musl, 1, 1}},
      {"musl", {LibcKind::musl, 1, 2}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const auto version = parse_libc(row.text);
    REQUIRE(version);
    CHECK(*version == row.version);
  }
}

TEST_CASE("anything else is no C library") {
  for (const std::string text :
       {"", "bionic-1", "2.36", "glibc2.36", "glibc-", "glibc-2", "glibc-2.", "glibc-x.y", "glibc-2,36", "glibc 2.36",
        "GLIBC-2.36", "glibc-.36", "musl-", "muslin-1.2", "glibc-99999999999.1"}) {
    CAPTURE(text);
    const auto version = parse_libc(text);
    REQUIRE_FALSE(version);
    CHECK(version.error().code == ErrorCode::usage);
    CHECK_FALSE(version.error().message.empty());
  }
}

TEST_CASE("versions compare by major, then by minor number") {
  const LibcVersion version{LibcKind::glibc, 2, 36};
  CHECK(version.at_least(2, 36));
  CHECK(version.at_least(2, 9));
  CHECK(version.at_least(1, 99));
  CHECK_FALSE(version.at_least(2, 37));
  CHECK_FALSE(version.at_least(3, 0));
}

TEST_CASE("a stated processor is neutral: its level and nothing of this machine") {
  for (int level = 1; level <= 4; ++level) {
    const auto cpu = x86_64_cpu(level);
    CHECK(cpu.x86_64_level == level);
    CHECK(cpu.platform == "x86_64");
    CHECK(cpu.hwcap_names == std::vector<std::string>{"x86_64"});
  }
}

TEST_CASE("the environment of this process is taken as it is") {
  REQUIRE(::setenv("CUDALD_UNIT_TEST", "a=b", 1) == 0);
  REQUIRE(::setenv("CUDALD_UNIT_TEST_EMPTY", "", 1) == 0);
  const auto environment = host_environment();
  CHECK(environment.variable("CUDALD_UNIT_TEST") == "a=b");
  CHECK(environment.variable("CUDALD_UNIT_TEST_EMPTY") == "");
  CHECK_FALSE(environment.variable("CUDALD_UNIT_TEST_NONE").has_value());
  char folder[PATH_MAX];
  REQUIRE(::getcwd(folder, sizeof folder) != nullptr);
  CHECK(environment.cwd == folder);
  CHECK_FALSE(environment.secure);
  CHECK(environment.cpu == host_cpu());
}

}  // namespace
}  // namespace cudald
