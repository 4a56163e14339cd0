#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "package/wheel_layout.h"

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
}

TEST_CASE("a wheel's file name is taken apart") {
  const auto name =
      parse_wheel_file_name("ctranslate2-4.8.5-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl");
  REQUIRE(name.has_value());
  CHECK(name->distribution == "ctranslate2");
  CHECK(name->version == "4.8.5");
  CHECK(name->build.empty());
  CHECK(name->python_tags == std::vector<std::string>{"cp311"});
  CHECK(name->abi_tags == std::vector<std::string>{"cp311"});
  CHECK(name->platform_tags == std::vector<std::string>{"manylinux_2_27_x86_64", "manylinux_2_28_x86_64"});

  const auto built = parse_wheel_file_name("x-1.0+cu121-1abc-py2.py3-none-any.whl");
  REQUIRE(built.has_value());
  CHECK(built->version == "1.0+cu121");
  CHECK(built->build == "1abc");
  CHECK(built->python_tags == std::vector<std::string>{"py2", "py3"});

  for (const auto* wrong : {"", ".whl", "x.whl", "x-1-py3-none.whl", "x-1-py3-none-any.zip", "x-1-b-c-py3-none-any.whl",
                            "x--py3-none-any.whl", "-----.whl"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_wheel_file_name(wrong).has_value());
  }
}

TEST_CASE("METADATA gives name, version and what is required, and nothing of the description") {
  const auto metadata = parse_wheel_metadata(
      "Metadata-Version: 2.1\r\nname: torch\r\nVersion:  2.9.1 \r\nName: not-torch\nRequires-Python: >=3.10\n"
      "no colon here\nRequires-Dist: numpy\n"
      "Requires-Dist: nvidia-cublas-cu12==12.8.4.1;\n  platform_system == 'Linux'\n"
      "\nRequires-Dist: from the description\nName: x\n");
  CHECK(metadata.name == "torch");
  CHECK(metadata.version == "2.9.1");
  CHECK(metadata.requires_python == ">=3.10");
  REQUIRE(metadata.requires_dist.size() == 2);
  CHECK(metadata.requires_dist[0] == "numpy");
  CHECK(metadata.requires_dist[1] == "nvidia-cublas-cu12==12.8.4.1;  platform_system == 'Linux'");
  CHECK(parse_wheel_metadata("").name.empty());
  CHECK(parse_wheel_metadata("Name: " + std::string(1000, 'n')).name == std::string(255, 'n'));
  CHECK(parse_wheel_metadata(" continued: nothing\nName: x").name == "x");
}

TEST_CASE("WHEEL gives the version of the format, the kind of the root and the tags") {
  const auto settings = parse_wheel_settings(
      "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: TRUE\nTag: py3-none-any\nTag: py2-none-any\n");
  CHECK(settings.wheel_version == "1.0");
  CHECK(settings.root_is_purelib);
  CHECK(settings.tags == std::vector<std::string>{"py3-none-any", "py2-none-any"});
  CHECK_FALSE(parse_wheel_settings("Root-Is-Purelib: false").root_is_purelib);
}

TEST_CASE("RECORD is a table of comma-separated values") {
  const std::string text =
      "a.py,sha256=abc,10\r\n\"with, comma.so\",sha256=x,11\n\"a \"\"quoted\"\" one\",sha256=y=,12\n\n"
      "\"two\nlines\",,\nx-1.dist-info/RECORD,,\nbroken\nb.py,sha256=z,ten\ntoo,many,1,columns,here\nlast,md5=q,3";
  const auto record = parse_record(text);
  CHECK(record.complete);
  CHECK(record.broken_rows == 3);
  REQUIRE(record.rows.size() == 6);
  CHECK(record.rows[0].path == "a.py");
  CHECK(record.rows[0].algorithm == "sha256");
  CHECK(record.rows[0].hash == "abc");
  CHECK(record.rows[0].size == 10);
  CHECK(record.rows[1].path == "with, comma.so");
  CHECK(record.rows[2].path == "a \"quoted\" one");
  CHECK(record.rows[2].hash == "y=");
  CHECK(record.rows[3].path == "two\nlines");
  CHECK(record.rows[4].path == "x-1.dist-info/RECORD");
  CHECK(record.rows[4].hash.empty());
  CHECK_FALSE(record.rows[4].size.has_value());
  CHECK(record.rows[5].algorithm == "md5");
}

TEST_CASE("RECORD of any bytes is read without harm") {
  for (const auto* text : {"\"", "\"\"", ",", ",,", ",,,", "\n\n", "\"\n\n,,", "a,\"b,1", "a,b,99999999999999999999999",
                           "\r", "a,,\r", ",,-1", "\"\"\"\",,\n"}) {
    CAPTURE(text);
    const auto record = parse_record(text);
    CHECK(record.rows.size() + record.broken_rows <= 2);
  }
  std::string rows;
  for (std::size_t i = 0; i < most_zip_members + 5; ++i) rows += ",,\n";
  const auto record = parse_record(rows);
  CHECK(record.rows.size() == most_zip_members);
  CHECK_FALSE(record.complete);
}

TEST_CASE("names and versions are compared in their normal form") {
  CHECK(normal_distribution_name("Nvidia_Cublas.-CU12") == "nvidia-cublas-cu12");
  CHECK(normal_version("1.0") == normal_version("v1.0.0"));
  CHECK(normal_version("1.0") == normal_version("1"));
  CHECK(normal_version("2.1.0+cu121") == normal_version("2.1+CU121"));
  CHECK(normal_version("1.0rc1") == normal_version("1-0.RC.1"));
  CHECK(normal_version("2.1+cu12.1") == normal_version("2.1+cu12_1"));
  CHECK(normal_version("0") == normal_version("0.0"));
  const std::vector<std::pair<std::string_view, std::string_view>> different = {
      {"1.0", "10"},     {"1", "1.0.1"},  {"2.1", "2.1+cu121"}, {"2.1+cu121", "2.1+cu118"},
      {"1.0rc1", "1.0"}, {"1.10", "1.1"}, {"1+0", "1+"},        {"", "0"}};
  for (const auto& pair : different) {
    CAPTURE(pair.first);
    CAPTURE(pair.second);
    CHECK(normal_version(pair.first) != normal_version(pair.second));
  }
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
}

TEST_CASE("the layout has one file for each place, the one that pip writes last") {
  const auto members = members_of({"p-1.data/scripts/tool", "p-1.data/platlib/m.so", "m.so", "p-1.data/data/bin/tool",
                                   "twice", "p/", "../evil", "q-1.data/purelib/y", "p-1.data/odd/x", "twice"});
  const auto layout = lay_out_wheel(members, "p-1");
  std::string files;
  for (const auto& file : layout.files) files += file.path + "=" + std::to_string(file.member) + " ";
  CHECK(files == "bin/tool=0 site-packages/m.so=1 site-packages/q-1.data/purelib/y=7 site-packages/twice=9 ");
  CAPTURE(words(layout.problems));
  CHECK(count(layout.problems, WheelProblemKind::same_place) == 2);
  CHECK(count(layout.problems, WheelProblemKind::foreign_data_folder) == 1);
  CHECK(count(layout.problems, WheelProblemKind::unknown_data_scheme) == 1);
  CHECK(layout.problems.size() == 4);
}

TEST_CASE("a file whose name ends with .data is a folder for pip") {
  CHECK(count(lay_out_wheel(members_of({"my.data"}), "p-1").problems, WheelProblemKind::foreign_data_folder) == 1);
  CHECK(lay_out_wheel(members_of({"my/x.data", "my.data.py", "other.data/"}), "p-1").problems.empty());
}

TEST_CASE("file name, folder, METADATA and WHEEL must agree") {
  const auto name = parse_wheel_file_name("Foo_Bar-1.0-py3-none-any.whl");
  const WheelSettings settings{"1.0", true, {}};
  const auto problems = [&](std::string_view prefix, const WheelMetadata& metadata, const WheelSettings& wheel) {
    return words(check_wheel_identity(&*name, prefix, &metadata, &wheel));
  };
  CHECK(problems("foo_bar-1.0", {"foo-bar", "1.0.0", "", {}}, settings).empty());
  CHECK(problems("foo-1.0", {"foo-bar", "1.0", "", {}}, settings).find("`foo` 1.0 by its .dist-info folder") !=
        std::string::npos);
  CHECK(problems("foo_bar", {"foo-bar", "1.0", "", {}}, settings).find("name-differs") == 0);
  CHECK(problems("foo_bar-1.0", {"foo-bar", "1.1", "", {}}, settings).find("`foo-bar` 1.1 by its METADATA") !=
        std::string::npos);
  CHECK(problems("foo_bar-1.0", {"foo-bar", "1.0", "", {}}, {"2.0", true, {}}).find("wheel-version: ") == 0);
  CHECK(problems("foo_bar-1.0", {"foo-bar", "1.0", "", {}}, {"one", true, {}}).find("wheel-version: ") == 0);
  CHECK(problems("foo_bar-1.0", {"foo-bar", "1.0", "", {}}, {"1.9", true, {}}).empty());
  CHECK(problems("foo_bar-1.0", {"foo-bar", "1.0", "", {}}, {"", true, {}}).find("without a Wheel-Version") !=
        std::string::npos);
  CHECK(check_wheel_identity(nullptr, "x-1", nullptr, nullptr).empty());
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

TEST_CASE("every kind of problem has a name of its own") {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < wheel_problem_kinds; ++i) names.push_back(to_string(static_cast<WheelProblemKind>(i)));
  std::sort(names.begin(), names.end());
  CHECK(std::unique(names.begin(), names.end()) == names.end());
  CHECK_FALSE(names.front().empty());
  CHECK(to_string(WheelProblemKind::record_hash) == "record-hash");
  CHECK(to_string(WheelProblemKind::same_place) == "same-place");
}

}  // namespace
}  // namespace cudald
