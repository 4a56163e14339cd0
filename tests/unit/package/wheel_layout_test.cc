#include "package/wheel_layout.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace cudald {
namespace {

std::vector<ZipMember> members_of(const std::vector<std::string_view>& names) {
  std::vector<ZipMember> members;
  for (const auto name : names) {
    ZipMember member;
    member.name = name;
    member.size = 10;
    member.folder = name.ends_with('/');
    members.push_back(member);
  }
  return members;
}

std::string words(const std::vector<WheelProblem>& problems) {
  std::string text;
  for (const auto& problem : problems) text += std::string(to_string(problem.kind)) + ": " + problem.message + "\n";
  return text;
}

std::size_t count(const std::vector<WheelProblem>& problems, WheelProblemKind kind) {
  return static_cast<std::size_t>(
      std::count_if(problems.begin(), problems.end(), [kind](const WheelProblem& p) { return p.kind == kind; }));
}

TEST_CASE("installers put each member where the format says") {
  struct Row {
    std::string_view member, path;  // an empty path: nowhere
  };
  const std::vector<Row> rows = {
      {"torch/lib/libtorch.so", "site-packages/torch/lib/libtorch.so"},
      {"top.py", "site-packages/top.py"},
      {"torch-2.9.1.dist-info/RECORD", "site-packages/torch-2.9.1.dist-info/RECORD"},
      {"torch-2.9.1.data/purelib/a/b.so", "site-packages/a/b.so"},
      {"torch-2.9.1.data/platlib/a/b.so", "site-packages/a/b.so"},
      {"torch-2.9.1.data/scripts/torchrun", "bin/torchrun"},
      {"torch-2.9.1.data/headers/torch.h", "include/torch/torch.h"},
      {"torch-2.9.1.data/data/lib/libx.so", "lib/libx.so"},
      {"torch-2.9.1.data/data/x", "x"},
      {"cupy/.data/lib/libx.so", "site-packages/cupy/.data/lib/libx.so"},
      {"a//b/./c.so", "site-packages/a/b/c.so"},
      {"./a.so", "site-packages/a.so"},
      {"torch-2.9.1.data//./scripts/x", "bin/x"},
      {"other-1.0.data/purelib/x", "site-packages/other-1.0.data/purelib/x"},
      {"Torch-2.9.1.data/purelib/x", "site-packages/Torch-2.9.1.data/purelib/x"},
      {"torch-2.9.1xdata/purelib/x", "site-packages/torch-2.9.1xdata/purelib/x"},
      {"torch-2.9.1.datas/purelib/x", "site-packages/torch-2.9.1.datas/purelib/x"},
      {"torch-2.9.1.data/data/lib/site-packages/x", "lib/site-packages/x"},
      {"a..b/..c", "site-packages/a..b/..c"},
      {"", ""},
      {"./", ""},
      {".", ""},
      {"a/", ""},
      {"torch-2.9.1.data", ""},
      {"torch-2.9.1.data/x", ""},
      {"torch-2.9.1.data/purelib", ""},
      {"torch-2.9.1.data/purelib/", ""},
      {"torch-2.9.1.data/Scripts/x", ""},
      {"torch-2.9.1.data/scripts/../../x", ""},
      {"../x", ""},
      {"a/../../x", ""},
      {"/etc/passwd", ""},
      {"C:x", ""},
      {"a\\b", ""},
      {"a\nb", ""},
  };
  CHECK_FALSE(installed_path(std::string(256, 'n'), "torch-2.9.1").has_value());
  for (const auto& row : rows) {
    CAPTURE(row.member);
    CHECK(installed_path(row.member, "torch-2.9.1").value_or("") == row.path);
  }
}

TEST_CASE("the folders are those of the environment") {
  const InstallFolders windows{"Lib/site-packages", "Scripts", "Include", "share"};
  CHECK(installed_path("a.pyd", "a-1", windows) == "Lib/site-packages/a.pyd");
  CHECK(installed_path("a-1.data/scripts/a.exe", "a-1", windows) == "Scripts/a.exe");
  CHECK(installed_path("a-1.data/headers/a.h", "a-1", windows) == "Include/a/a.h");
  CHECK(installed_path("a-1.data/data/a", "a-1", windows) == "share/a");
  // Packages for Windows put DLLs beside their modules so.
  InstallFolders folders;
  CHECK(installed_path("a-1.data/data/Lib/site-packages/a.dll", "a-1", folders) == "Lib/site-packages/a.dll");
  folders.site_packages_in_data = "lib/site-packages";
  CHECK(installed_path("a-1.data/data/Lib/site-packages/a/b.dll", "a-1", folders) == "site-packages/a/b.dll");
  CHECK(installed_path("a-1.data/data/Lib/site-packages2/b.dll", "a-1", folders) == "Lib/site-packages2/b.dll");
}

TEST_CASE("the .dist-info folder gives the prefix") {
  const auto file_name = parse_wheel_file_name("b_x-1-py3-none-any.whl");
  struct Row {
    std::vector<std::string_view> names;
    std::string prefix;
    std::string problem;
  };
  const std::vector<Row> rows = {
      {{"b/x.py", "b_x-1.dist-info/RECORD"}, "b_x-1", ""},
      {{"a-1.dist-info/RECORD", "B.X-1.dist-info/RECORD", "c-1.dist-info/"}, "B.X-1", "several-dist-info"},
      {{"c-1.dist-info/RECORD", "a-1.dist-info/RECORD"}, "a-1", "several-dist-info"},
      {{"a-1.dist-info/RECORD", "x", "a-1.dist-info/METADATA"}, "a-1", ""},
      {{"x/b_x-1.dist-info/RECORD", "b.dist-info"}, "", "no-dist-info"},
      {{}, "", "no-dist-info"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.prefix);
    std::vector<WheelProblem> problems;
    CHECK(find_dist_info(members_of(row.names), &*file_name, problems).value_or("") == row.prefix);
    CHECK(words(problems).substr(0, row.problem.size()) == row.problem);
    CHECK(problems.size() == (row.problem.empty() ? 0 : 1));
  }
  std::vector<WheelProblem> problems;
  CHECK(find_dist_info(members_of({"z-1.dist-info/x"}), nullptr, problems) == "z-1");
  CHECK(problems.empty());
  CHECK(find_dist_info(members_of({"z-1.dist-info/x", "b_x-1.dist-info/x", "c-1.dist-info/x"}), nullptr, problems) ==
        "b_x-1");
  CHECK_FALSE(find_dist_info(members_of({"x.py"}), nullptr, problems));
  CHECK(
      words(problems) ==
      "several-dist-info: has 3 .dist-info directories, among them `b_x-1.dist-info` and `c-1.dist-info`: pip refuses "
      "it\nno-dist-info: has no .dist-info directory: not a wheel\n");
  for (const auto& problem : problems) CHECK_FALSE(problem.member);
}

TEST_CASE("the layout has one file for each place, the one that pip writes last") {
  const auto members = members_of({"p-1.data/scripts/tool", "p-1.data/platlib/m.so", "m.so", "p-1.data/data/bin/tool",
                                   "twice", "p/", "../evil", "q-1.data/purelib/y", "p-1.data/odd/x", "twice"});
  const auto layout = lay_out_wheel(members, "p-1");
  std::string files;
  for (const auto& file : layout.files) files += file.path + "=" + std::to_string(file.member) + " ";
  CHECK(files == "bin/tool=0 site-packages/m.so=1 site-packages/q-1.data/purelib/y=7 site-packages/twice=9 ");
  CAPTURE(words(layout.problems));
  CHECK(words(layout.problems) ==
        "foreign-data-folder: is in `q-1.data`, which is not the wheel's own .data directory: pip accepts it, "
        "other installers do not\n"
        "unknown-data-scheme: is in none of the parts of .data that an installer knows: pip refuses the wheel\n"
        "same-place: is installed in the same place as `p-1.data/scripts/tool`, which replaces it\n"
        "same-place: is installed in the same place as `p-1.data/platlib/m.so`, which replaces it\n");
  std::vector<std::size_t> told;
  for (const auto& problem : layout.problems) told.push_back(problem.member.value_or(99));
  CHECK(told == std::vector<std::size_t>{7, 8, 3, 2});
}

TEST_CASE("a file whose name ends with .data is a folder for pip") {
  CHECK(count(lay_out_wheel(members_of({"my.data"}), "p-1").problems, WheelProblemKind::foreign_data_folder) == 1);
  CHECK(
      lay_out_wheel(members_of({"my/x.data", "my.data.py", "other.data/", "other.data/../x"}), "p-1").problems.empty());
}

TEST_CASE("file name, folder, METADATA and WHEEL must agree") {
  const auto name = parse_wheel_file_name("Foo_Bar-1.0-py3-none-any.whl");
  const WheelSettings settings{"1.0", {}};
  const auto problems = [&](std::string_view prefix, const WheelMetadata& metadata, const WheelSettings& wheel) {
    return words(check_wheel_identity(&*name, prefix, &metadata, &wheel));
  };
  CHECK(problems("foo_bar-1.0", {"foo-bar", "1.0.0", "", {}}, settings).empty());
  CHECK(problems("foo-1.0", {"foo-bar", "1.0", "", {}}, settings).find("`foo` 1.0 by its .dist-info directory") !=
        std::string::npos);
  CHECK(problems("foo_bar", {"foo-bar", "1.0", "", {}}, settings).find("name-differs") == 0);
  CHECK(problems("foo_bar-1.0", {"foo-bar", "1.1", "", {}}, settings).find("`foo-bar` 1.1 by its METADATA") !=
        std::string::npos);
  CHECK(problems("foo_bar-1.0", {"foo-bar", "1.0", "", {}}, {"2.0", {}}).find("wheel-version: ") == 0);
  CHECK(problems("foo_bar-1.0", {"foo-bar", "1.0", "", {}}, {"one", {}}).find("wheel-version: ") == 0);
  CHECK(problems("foo_bar-1.0", {"foo-bar", "1.0", "", {}}, {"1.9", {}}).empty());
  CHECK(problems("foo_bar-1.0", {"foo-bar", "1.0", "", {}}, {"", {}}).find("without a Wheel-Version") !=
        std::string::npos);
  CHECK(check_wheel_identity(nullptr, "x-1", nullptr, nullptr).empty());
  const WheelMetadata metadata{"foo-bar", "1.0", "", {}};
  CHECK(problems("foo_bar-1.1", {"fo-bar", "1.0", "", {}}, {"", {}}) ==
        "name-differs: is `Foo_Bar` 1.0 by its file name, `foo_bar` 1.1 by its .dist-info directory\n"
        "name-differs: is `Foo_Bar` 1.0 by its file name, `fo-bar` 1.0 by its METADATA\n"
        "wheel-version: has a WHEEL file without a Wheel-Version\n");
  CHECK(problems("foo_bar", metadata, {"0.9", {}}) ==
        "name-differs: is `Foo_Bar` 1.0 by its file name, `foo_bar`  by its .dist-info directory\n"
        "wheel-version: has the Wheel-Version `0.9`; installers know 1\n");
  for (const auto* wrong : {"2.0", "10", "x1", "-1", "99999999999"})
    CHECK(problems("foo_bar-1.0", metadata, {wrong, {}}) ==
          "wheel-version: has the Wheel-Version `" + std::string(wrong) + "`; installers know 1\n");
  CHECK(words(check_wheel_identity(&*name, "foo_bar-1.0", nullptr, nullptr)) == "");
  CHECK(words(check_wheel_identity(nullptr, "x-1", &metadata, &settings)) == "");
}

TEST_CASE("RECORD is held against the members") {
  const auto members = members_of({"a.so", "b.so", "d/", "p-1.dist-info/RECORD", "p-1.dist-info/RECORD.jws"});
  const std::string rest = "p-1.dist-info/RECORD,,\n";
  struct Row {
    std::string text;
    std::optional<WheelProblemKind> problem;
  };
  const std::vector<Row> rows = {
      {"a.so,sha256=x,10\nb.so,sha256=y,10\n", std::nullopt},
      {"a.so,sha384=x,\nb.so,sha256=y,10\n", std::nullopt},
      {"a.so,sha256=x,10\n", WheelProblemKind::record_lacks_member},
      {"a.so,sha256=x,10\nb.so,sha256=y,10\nc.so,sha256=y,10\n", WheelProblemKind::record_lists_missing},
      {"a.so,sha256=x,10\nb.so,sha256=y,11\n", WheelProblemKind::record_size},
      {"a.so,,\nb.so,sha256=y,10\n", WheelProblemKind::record_hash},
      {"a.so,md5=x,10\nb.so,sha256=y,10\n", WheelProblemKind::record_hash},
      {"a.so,sha256=x,10\nb.so,sha256=y,10\na.so,sha256=z,10\n", WheelProblemKind::record_twice},
      {"a.so,sha256=x,10\nb.so,sha256=y,10\nc.so;sha256=y\n", WheelProblemKind::record_broken},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const auto text = row.text + rest;
    const auto problems = check_record(parse_record(text), members, "p-1");
    CAPTURE(words(problems));
    CHECK(problems.size() == (row.problem ? 1 : 0));
    if (row.problem) CHECK(count(problems, *row.problem) == 1);
  }
}

TEST_CASE(
    "of RECORD what stands in it decides: its own rows, sizes that are not there, and members that are not read") {
  auto members = members_of({"a.so", "p-1.dist-info/RECORD", "p-1.dist-info/RECORD.p7s"});
  const auto check = [&](const std::string& text) { return words(check_record(parse_record(text), members, "p-1")); };
  CHECK(check("a.so,sha256=x,10\n").empty());  // RECORD itself and its signatures need no row
  CHECK(check("a.so,sha256=x,\np-1.dist-info/RECORD,,\np-1.dist-info/RECORD.p7s,,\n").empty());
  CHECK(check("a.so,sha1=x,10\n").find("hash by sha1") != std::string::npos);
  CHECK(check("a.so,sha512=x,10\n").empty());
  CHECK(check("a.so,sha256=x,12\n") == "record-size: has 12 bytes by RECORD, and 10 in the archive\n");
  members[0].usable = false;
  CHECK(check("a.so,sha256=x,12\n").empty());
  members[0].usable = true;
  CHECK(check("a.so,md5=x,10\n") == "record-hash: has a hash by md5 in RECORD; sha256 is the least that is allowed\n");
  CHECK(check("a.so,,10\n") == "record-hash: has no hash in RECORD\n");
  CHECK(check("a.so,sha256=x,10\nx\ny\n") == "record-broken: has 2 rows in RECORD that are not path, hash and size\n");
  CHECK(check("") == "record-lacks-member: is not listed in RECORD\n");
  CHECK(check_record(parse_record(""), members, "p-1").at(0).member == 0);
  CHECK(check_record(parse_record("a.so,,12\n"), members, "p-1").at(1).member == 0);
  CHECK(check("a.so,,12\n") ==
        "record-size: has 12 bytes by RECORD, and 10 in the archive\nrecord-hash: has no hash in RECORD\n");
  CHECK(check("a.so,sha256=x,10\na.so,sha256=x,10\na.so,sha256=x,10\n") ==
        "record-twice: lists `a.so` twice in RECORD\nrecord-twice: lists `a.so` twice in RECORD\n");
  CHECK(check("b.so,sha256=x,1\nb.so,sha256=x,1\na.so,sha256=x,10\n") ==
        "record-lists-missing: lists `b.so` in RECORD, and does not hold it\nrecord-twice: lists `b.so` twice in "
        "RECORD\n");
  auto cut = parse_record("a.so,sha256=x,10\n");
  cut.complete = false;
  cut.rows.clear();
  CHECK(words(check_record(cut, members, "p-1")) == "record-broken: has a RECORD of more than 100000 rows\n");
  CHECK(check_record(cut, members, "p-1").size() == 1);
}

TEST_CASE("of very many problems of a kind a few are told") {
  std::vector<std::string> names;
  for (int i = 0; i < 500; ++i) names.push_back("q-1.data/purelib/" + std::to_string(i));
  names.emplace_back("p-1.data/odd/x");
  const auto layout = lay_out_wheel(members_of({names.begin(), names.end()}), "p-1");
  CHECK(count(layout.problems, WheelProblemKind::foreign_data_folder) == ZipProblems::most_kept_of_a_kind);
  CHECK(count(layout.problems, WheelProblemKind::unknown_data_scheme) == 1);
  CHECK(layout.files.size() == 500);
}

TEST_CASE("every kind of problem has a name of its own") {
  using Kind = WheelProblemKind;
  const std::pair<Kind, std::string_view> names[] = {{Kind::no_dist_info, "no-dist-info"},
                                                     {Kind::several_dist_info, "several-dist-info"},
                                                     {Kind::name_differs, "name-differs"},
                                                     {Kind::wheel_version, "wheel-version"},
                                                     {Kind::foreign_data_folder, "foreign-data-folder"},
                                                     {Kind::unknown_data_scheme, "unknown-data-scheme"},
                                                     {Kind::same_place, "same-place"},
                                                     {Kind::record_broken, "record-broken"},
                                                     {Kind::record_lacks_member, "record-lacks-member"},
                                                     {Kind::record_lists_missing, "record-lists-missing"},
                                                     {Kind::record_twice, "record-twice"},
                                                     {Kind::record_size, "record-size"},
                                                     {Kind::record_hash, "record-hash"}};
  CHECK(std::size(names) == wheel_problem_kinds);
  for (const auto& name : names) CHECK(to_string(name.first) == name.second);
}

}  // namespace
}  // namespace cudald
