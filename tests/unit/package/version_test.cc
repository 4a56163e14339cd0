#include <string>

#include <doctest/doctest.h>

#include "package/version.h"

namespace cudald {
namespace {

TEST_CASE("versions are ordered as PEP 440 orders them") {
  const std::string ascending[] = {"1.dev0",
                                   "1.0.dev456",
                                   "1.0a1",
                                   "1.0a2.dev456",
                                   "1.0a12.dev456",
                                   "1.0a12",
                                   "1.0b1.dev456",
                                   "1.0b2",
                                   "1.0b2.post345.dev456",
                                   "1.0b2.post345",
                                   "1.0rc1.dev456",
                                   "1.0rc1",
                                   "1.0",
                                   "1.0+abc.5",
                                   "1.0+abc.7",
                                   "1.0+5",
                                   "1.0.post456.dev34",
                                   "1.0.post456",
                                   "1.0.15",
                                   "1.1.dev1",
                                   "2.0",
                                   "10.0",
                                   "1!0.1"};
  for (std::size_t i = 0; i + 1 < std::size(ascending); ++i) {
    CAPTURE(ascending[i]);
    CAPTURE(ascending[i + 1]);
    const auto a = parse_version(ascending[i]), b = parse_version(ascending[i + 1]);
    REQUIRE(a);
    REQUIRE(b);
    CHECK(*a < *b);
  }
}

TEST_CASE("one version has several spellings") {
  const std::string same[][2] = {{"1.0", "1"},
                                 {"1.0.0", "1.0"},
                                 {"v1.1", "1.1"},
                                 {"1.1RC1", "1.1rc1"},
                                 {"1.1-alpha.1", "1.1a1"},
                                 {"1.2preview", "1.2rc0"},
                                 {"1.0-1", "1.0.post1"},
                                 {"1.0r4", "1.0.post4"},
                                 {"2.1+CU121", "2.1+cu121"},
                                 {" 1.0 ", "1.0"},
                                 {"0!1.0", "1.0"},
                                 {"1.0rc.", "1.0rc0"},
                                 {"1.0a_.post1", "1.0a0.post1"},
                                 {"1.0.dev-", "1.0.dev0"}};
  for (const auto& pair : same) {
    CAPTURE(pair[0]);
    CHECK(parse_version(pair[0]) == parse_version(pair[1]));
  }
  for (const std::string none : {"", "x", "1.0.x", "1..0", "1.0+", "1.0+a..b", "1!", "99999999999999999999"}) {
    CAPTURE(none);
    CHECK_FALSE(parse_version(none));
  }
}

TEST_CASE("a pin leaves the local version open unless it names one") {
  CHECK(is_pinned("2.5.1+cu121", "2.5.1"));
  CHECK(is_pinned("2.5.1", "2.5.1"));
  CHECK(is_pinned("2.5.1.0", "2.5.1"));
  CHECK(is_pinned("2.5.1+CU121", "2.5.1+cu121"));
  CHECK_FALSE(is_pinned("2.5.1+cu121", "2.5.1+cu118"));
  CHECK_FALSE(is_pinned("2.5.1", "2.5.1+cu118"));
  CHECK_FALSE(is_pinned("2.5.10", "2.5.1"));
  CHECK_FALSE(is_pinned("2.5.1.post1", "2.5.1"));
  CHECK(is_pinned("no version", "no version"));
  CHECK_FALSE(is_pinned("no version", "2.5.1"));
}

TEST_CASE("specifiers allow what pip would install") {
  struct Row {
    std::string specifiers, version;
    bool allowed;
  };
  const Row rows[] = {
      {"", "1.0", true},
      {"==12.8.4.1", "12.8.4.1", true},
      {"==12.8.4.1", "12.8.4", false},
      {"==1.1.*", "1.1.5", true},
      {"==1.1.*", "1.10", false},
      {"==1.1.*", "1!1.1", false},
      {"!=1.1.*", "1!1.1", true},
      {"~=1.1", "1!1.2", false},
      {"!=1.1.*", "1.1.post1", false},
      {"==2.9.1", "2.9.1+cu128", true},
      {"==2.9.1+cu128", "2.9.1", false},
      {">=1.21.6,<2.7", "2.3.5", true},
      {">=1.21.6, < 2.7", "2.7", false},
      {"~=2.2", "2.9", true},
      {"~=2.2", "3.0", false},
      {"~=1.4.5", "1.4.9", true},
      {"~=1.4.5", "1.5.0", false},
      {"~=2.0.4.dev0", "2.0.18", true},
      {"~=2.0.4.dev0", "2.1", false},
      {"~=51.1.0.post1", "51.1.1", true},
      {"~=1!2.3", "1!2.4", true},
      {"~=1", "1.5", false},
      {"~=1.4.*", "1.4", false},
      {">=1.*", "1.5", false},
      {"!=1.0rc1.*", "2.0", false},
      {">=2.9+cu128", "2.9+cu128", false},
      {"<3", "3.0rc1", false},
      {">1.7", "1.7.post2", false},
      {">1.7", "1.7.1", true},
      {"===1.0-odd", "1.0-odd", false},
      {"===1.0", "1.0", true},
      {">=1", "no version", false},
      {"1.0", "1.0", false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.specifiers);
    CAPTURE(row.version);
    CHECK(allows(row.specifiers, row.version) == row.allowed);
  }
}

}  // namespace
}  // namespace cudald
