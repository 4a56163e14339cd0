#include "loader/search_path.h"

#include <doctest/doctest.h>

#include "common/world.h"

namespace cudald {
namespace {

LibcVersion glibc(int minor) { return {LibcKind::glibc, 2, minor}; }

TEST_CASE("glibc-hwcaps folders came with 2.33, the legacy ones went with 2.37") {
  struct Row {
    int minor, level;
    std::string folders;
  };
  // The legacy ones as `LD_DEBUG=libs` of 2.31 and 2.36 shows them: AT_PLATFORM and the hwcap share a name.
  const std::string legacy = "tls/x86_64/x86_64/\ntls/x86_64/\ntls/\nx86_64/x86_64/\nx86_64/\n";
  const std::string v3 = "glibc-hwcaps/x86-64-v3/\nglibc-hwcaps/x86-64-v2/\n";
  const std::string v3_and_legacy = v3 + legacy;
  const Row rows[] = {
      {17, 3, legacy},
      {31, 3, legacy},
      {32, 4, legacy},
      {33, 3, v3_and_legacy},
      {36, 3, v3_and_legacy},
      {36, 1, legacy},
      {37, 3, v3},
      {37, 1, ""},
      {41, 4, "glibc-hwcaps/x86-64-v4/\nglibc-hwcaps/x86-64-v3/\nglibc-hwcaps/x86-64-v2/\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.minor);
    CAPTURE(row.level);
    CHECK(lines(hwcaps_subfolders(glibc(row.minor), x86_64_cpu(row.level))) == row.folders);
  }
}

TEST_CASE("legacy folders hold every combination of tls, platform and capabilities, the fullest first") {
  auto cpu = x86_64_cpu(3);
  cpu.platform = "haswell";
  cpu.hwcap_names = {"x86_64", "avx512_1"};
  CHECK(lines(hwcaps_subfolders(glibc(31), cpu)) ==
        "tls/haswell/avx512_1/x86_64/\n"
        "tls/haswell/avx512_1/\n"
        "tls/haswell/x86_64/\n"
        "tls/haswell/\n"
        "tls/avx512_1/x86_64/\n"
        "tls/avx512_1/\n"
        "tls/x86_64/\n"
        "tls/\n"
        "haswell/avx512_1/x86_64/\n"
        "haswell/avx512_1/\n"
        "haswell/x86_64/\n"
        "haswell/\n"
        "avx512_1/x86_64/\n"
        "avx512_1/\n"
        "x86_64/\n");
}

TEST_CASE("the names that the cache knows are those of the glibc-hwcaps folders") {
  CHECK(lines(glibc_hwcaps_names(glibc(36), x86_64_cpu(3))) == "x86-64-v3\nx86-64-v2\n");
  CHECK(lines(glibc_hwcaps_names(glibc(32), x86_64_cpu(3))) == "");
  CHECK(lines(glibc_hwcaps_names(glibc(36), x86_64_cpu(1))) == "");
}

const TokenValues values = {"/opt/app", "lib64", "haswell"};

TEST_CASE("tokens are replaced wherever they stand, in braces or without") {
  struct Row {
    std::string text, expanded;
    bool has_tokens;
  };
  const Row rows[] = {
      {"$ORIGIN", "/opt/app", true},
      {"${ORIGIN}/../lib", "/opt/app/../lib", true},
      {"/usr/$LIB/$PLATFORM/x", "/usr/lib64/haswell/x", true},
      {"$ORIGIN$ORIGIN", "/opt/app/opt/app", true},
      {"a$LIB", "alib64", true},
      {"$LIB.d", "lib64.d", true},
      {"${LIB}rary", "lib64rary", true},
      {"$LIBRARY", "$LIBRARY", false},
      {"$LIB_x", "$LIB_x", false},
      {"$LIB2", "$LIB2", false},
      {"${LIB", "${LIB", false},
      {"${LIBx}", "${LIBx}", false},
      {"${}", "${}", false},
      {"$", "$", false},
      {"$$LIB", "$lib64", true},
      {"$origin", "$origin", false},
      {"$OTHER/x", "$OTHER/x", false},
      {"", "", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(expand_tokens(row.text, values) == row.expanded);
    CHECK(has_tokens(row.text) == row.has_tokens);
  }
}

TEST_CASE("an element whose token has no value is dropped") {
  CHECK(expand_tokens("/a/$PLATFORM", {"/opt", "lib", ""}) == "");
  CHECK(lines(folders_of("/a:/b/$PLATFORM:/c", ":", {"/opt", "lib", ""})) == "/a/\n/c/\n");
}

TEST_CASE("text that grows without end is cut off") {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "$ORIGIN";
  CHECK(expand_tokens(text, {std::string(4000, 'x'), "lib", ""}) == "");
}

TEST_CASE("a list is split into folders; an empty element is the current one") {
  struct Row {
    std::string list, folders;
  };
  const Row rows[] = {
      {"/a:/b", "/a/\n/b/\n"},
      {":/a", "\n/a/\n"},
      {"/a:", "/a/\n\n"},
      {"/a::/b", "/a/\n\n/b/\n"},
      {":", "\n"},
      {"/a//:/a/:/a", "/a/\n"},
      {"/:///", "/\n"},
      {".:lib", "./\nlib/\n"},
      {"/a;/b", "/a;/b/\n"},
      {"$ORIGIN/../lib:$ORIGIN", "/opt/app/../lib/\n/opt/app/\n"},
      {"/a/../a:/a", "/a/../a/\n/a/\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.list);
    CHECK(lines(folders_of(row.list, ":", values)) == row.folders);
  }
  CHECK(lines(folders_of("/a;/b:/c;", ":;", values)) == "/a/\n/b/\n/c/\n\n");
}

TEST_CASE("a processor without a platform name has folders for the rest alone") {
  auto cpu = x86_64_cpu(1);
  cpu.platform = "";
  CHECK(lines(hwcaps_subfolders(glibc(36), cpu)) == "tls/x86_64/\ntls/\nx86_64/\n");
}

TEST_CASE("text that tokens make longer than a megabyte is as if a token had no value") {
  const std::string longest(1 << 20, 'x');
  CHECK(expand_tokens("$ORIGIN", {longest, "lib", ""}) == longest);
  CHECK(expand_tokens("$LIB", {"/opt", longest, ""}) == longest);
  CHECK(expand_tokens("$ORIGIN", {longest + "x", "lib", ""}) == "");
  CHECK(expand_tokens("a$ORIGIN", {longest, "lib", ""}) == "");
}

TEST_CASE("each token has a value of its own, and only the one that is there must have one") {
  CHECK(expand_tokens("$ORIGIN", {"", "lib", "cpu"}) == "");
  CHECK(expand_tokens("$LIB", {"/opt", "", "cpu"}) == "");
  CHECK(expand_tokens("$PLATFORM", {"", "", "cpu"}) == "cpu");
  CHECK(expand_tokens("$LIB", {"", "lib", ""}) == "lib");
  CHECK(expand_tokens("${PLATFORM", {"/opt", "lib", "cpu"}) == "${PLATFORM");
}

}  // namespace
}  // namespace cudald
