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
  for (const std::string none : {"",
                                 "x",
                                 "1.0.x",
                                 "1..0",
                                 "1.0+",
                                 "1.0+a..b",
                                 "1!",
                                 "99999999999999999999",
                                 "1.9999999999999999999",
                                 "9999999999999999999",
                                 "1.0+a*b",
                                 "1.0+*",
                                 "v",
                                 "vv1",
                                 "1.0 x",
                                 "1!x",
                                 "1.0rc1x",
                                 "1.0-",
                                 "1.0-post1-1",
                                 "1.0.dev1.post1",
                                 "x!1",
                                 "1.0."}) {
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
  CHECK_FALSE(is_pinned("2.5.1", "no version"));
  CHECK(is_pinned("2.5.1-1", "2.5.1.post1"));
}

struct AllowedRow {
  std::string specifiers, version;
  bool allowed;
};

TEST_CASE("specifiers allow what pip would install") {
  const AllowedRow rows[] = {
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

TEST_CASE("each sign of a specifier at its edge, and what keeps candidates and later releases out") {
  const AllowedRow rows[] = {
      {"<3", "3", false},
      {"<3", "2.9", true},
      {"<3", "2.9rc1", true},
      {"<3rc2", "3rc1", true},
      {"<3rc2", "3rc2", false},
      {"<3", "3.dev1", false},
      {"<3.post1", "3.dev1", false},
      {"<3.0.1", "3rc1", true},
      {">1.7", "1.7", false},
      {">1.7", "1.7+local", false},
      {">1.7", "1.8.post1", true},
      {">1.7.post1", "1.7.post2", true},
      {">1.7.post1", "1.7.post1", false},
      {">3", "3.0.1.post1", true},
      {"<=1.7", "1.7", true},
      {"<=1.7", "1.7+local", true},
      {"<=1.7", "1.7.1", false},
      {">=1.7", "1.7", true},
      {">=1.7", "1.7rc1", false},
      {"~=1.4.5", "1.4.5", true},
      {"~=1.4.5", "1.4.4", false},
      {"~=v1.2", "1.9", true},
      {"~=1.2rc1", "1.9", true},
      {"!=1.0", "1.0", false},
      {"!=1.0", "1.0+local", false},
      {"!=1.0", "1.1", true},
      {"!=1.0+a", "1.0+b", true},
      {"!=1.0+a", "1.0+a", false},
      {"==1.0.*", "1.0rc1", true},
      {"==1.0.*", "1", true},
      {"!=1.0.post1.*", "2.0", false},
      {"!=1.0+a.*", "2.0", false},
      {"==1.0.*", "1.1", false},
      {">=x", "1.0", false},
      {"<1.0+a", "0.9", false},
      {"=== 1.0-odd ", "1.0", false},
      {"=== 1.0 ,", "1.0", true},
      {",,>=1,", "1.0", true},
      {">=1,<1", "1.0", false},
      {"<1,>=1", "1.0", false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.specifiers);
    CAPTURE(row.version);
    CHECK(allows(row.specifiers, row.version) == row.allowed);
  }
}

TEST_CASE("a version's parts") {
  const auto whole = parse_version("2!1.20.0rc3.post4.dev5+ab.6");
  REQUIRE(whole);
  CHECK(whole->epoch == 2);
  CHECK(whole->release == std::vector<std::uint64_t>{1, 20});
  CHECK(whole->pre_kind == 3);
  CHECK(whole->pre == 3);
  CHECK(whole->post == 5);
  CHECK(whole->dev == 5);
  CHECK(whole->local == std::vector<std::pair<std::uint64_t, std::string>>{{0, "ab"}, {7, ""}});
  const auto bare = parse_version("0.0");
  REQUIRE(bare);
  CHECK(bare->epoch == 0);
  CHECK(bare->release == std::vector<std::uint64_t>{0});
  CHECK(bare->pre_kind == 4);
  CHECK(bare->pre == 0);
  CHECK(bare->post == 0);
  CHECK(bare->dev == UINT64_MAX);
  CHECK(bare->local.empty());
  const std::string digits(18, '9');
  CHECK(parse_version(digits)->release == std::vector<std::uint64_t>{999'999'999'999'999'999});
  CHECK(parse_version("1." + digits)->release == std::vector<std::uint64_t>{1, 999'999'999'999'999'999});
  using Local = std::vector<std::pair<std::uint64_t, std::string>>;
  CHECK(parse_version("1+" + digits)->local == Local{{1'000'000'000'000'000'000, ""}});
  CHECK(parse_version("1+9" + digits)->local == Local{{0, "9" + digits}});
  CHECK(parse_version("1+0_a1-b")->local == Local{{1, ""}, {0, "a1"}, {0, "b"}});
}

TEST_CASE("what comes before a release and after it, by each of its words") {
  struct Row {
    std::string version;
    int pre_kind;
    std::uint64_t pre, post, dev;
    bool early;
  };
  constexpr auto none = UINT64_MAX;
  for (const auto& row : {Row{"1", 4, 0, 0, none, false},
                          {"1alpha7", 1, 7, 0, none, true},
                          {"1a7", 1, 7, 0, none, true},
                          {"1.beta.7", 2, 7, 0, none, true},
                          {"1_b_7", 2, 7, 0, none, true},
                          {"1-rc-7", 3, 7, 0, none, true},
                          {"1c7", 3, 7, 0, none, true},
                          {"1pre7", 3, 7, 0, none, true},
                          {"1preview7", 3, 7, 0, none, true},
                          {"1a", 1, 0, 0, none, true},
                          {"1post6", 4, 0, 7, none, false},
                          {"1.rev-6", 4, 0, 7, none, false},
                          {"1_r_6", 4, 0, 7, none, false},
                          {"1-6", 4, 0, 7, none, false},
                          {"1post", 4, 0, 1, none, false},
                          {"1.dev8", 0, 0, 0, 8, true},
                          {"1dev", 0, 0, 0, 0, true},
                          {"1a2.dev8", 1, 2, 0, 8, true},
                          {"1.post6.dev8", 4, 0, 7, 8, true}}) {
    CAPTURE(row.version);
    const auto version = parse_version(row.version);
    REQUIRE(version);
    CHECK(version->pre_kind == row.pre_kind);
    CHECK(version->pre == row.pre);
    CHECK(version->post == row.post);
    CHECK(version->dev == row.dev);
    CHECK(version->is_prerelease() == row.early);
    CHECK(version->release == std::vector<std::uint64_t>{1});
  }
}

TEST_CASE("a specifier can be read alone, blanks around it, and without its local version a version is the index's") {
  for (const auto* text : {">=1.2", " == 1.2.* ", "===any thing", "~=1.2", "!=1+a", "<1", ">1", "<=1"})
    CHECK_MESSAGE(is_specifier(text), text);
  for (const auto* text : {"", "1.2", "=1.2", "~=1", ">=", ">=1,<2", "<=1.*", "!1"})
    CHECK_MESSAGE(!is_specifier(text), text);
  CHECK(without_local("2.9.1+cu128") == "2.9.1");
  CHECK(without_local("2.9.1") == "2.9.1");
}

TEST_CASE("the parts of a release are counted as far as it goes, and not what is numbered behind it") {
  const AllowedRow rows[] = {
      {"~=1.4rc.1", "1.9", true},     {"~=1.4rc.1", "2.0", false},   {"~=1.4.post.2", "1.9", true},
      {"~=1.4.dev.2", "1.9", true},   {"~=1.4.0", "1.4.9", true},    {"~=1.4.0", "1.5", false},
      {"~=1.4.0.0", "1.4.0.5", true}, {"~=1.4.0.0", "1.4.1", false}, {"~=0!1.4", "1.9", true},
      {"==1.0.0.*", "1", true},       {"==1.0.0.*", "1.0.1", false}, {"==10.2.*", "10.2.3", true},
      {"==10.2.*", "10.20", false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.specifiers);
    CAPTURE(row.version);
    CHECK(allows(row.specifiers, row.version) == row.allowed);
  }
}

TEST_CASE("two requirements exclude each other where no version meets both") {
  struct Row {
    const char *one, *other;
    bool exclude;
  };
  for (const auto& row : {
           Row{">=1.25", "<1.25", true},
           Row{">1.25", "<=1.25", true},
           Row{">=1.25", "<=1.25", false},
           Row{">=1.22,<1.25", ">=1.25", true},
           Row{">=1.22,<1.27", ">=1.25,<3", false},
           Row{"==1.4.*", "==1.5.2", true},
           Row{"==1.4.*", "==1.4.2", false},
           Row{"~=1.4.2", ">=1.5", true},
           Row{"~=1.4", ">=1.5", false},
           Row{"<2", "!=1.5", false},
           Row{"<1", "<0.5", false},
           Row{">1,!=1.5", ">=2", false},
           Row{">=2.0rc1", "<2.0", true},
           Row{">=2.0rc1", "<2.0.1", false},
           Row{"", ">=1", false},
           Row{"no specifier", ">=1", false},
           Row{"===1.0", ">=2", false},
       }) {
    CAPTURE(row.one);
    CAPTURE(row.other);
    CHECK(exclude_each_other(row.one, row.other) == row.exclude);
    CHECK(exclude_each_other(row.other, row.one) == row.exclude);
  }
}

}  // namespace
}  // namespace cudald

TEST_CASE("specifiers of both allow what both allow, and say it once") {
  CHECK(cudald::specifiers_of_both("<1.5", "<1.3") == "<1.3");
  CHECK(cudald::specifiers_of_both("<1.3", "<1.5") == "<1.3");
  CHECK(cudald::specifiers_of_both("<3", ">=1,<2") == ">=1,<2");
  CHECK(cudald::specifiers_of_both(">=1", ">=1.2, !=1.4") == ">=1.2,!=1.4");
  CHECK(cudald::specifiers_of_both("==1.26.4", "<2") == "==1.26.4,<2");
  CHECK(cudald::specifiers_of_both("", "<2") == "<2");
  CHECK(cudald::specifiers_of_both("<2", "") == "<2");
}
