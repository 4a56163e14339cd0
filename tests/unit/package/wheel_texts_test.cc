#include "package/wheel_texts.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "archive/zip_directory.h"

namespace cudald {
namespace {

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

  const auto variant = parse_wheel_file_name("torch-2.9.0-1b-cp313-cp313-manylinux_2_28_x86_64-cu128.whl");
  REQUIRE(variant.has_value());
  CHECK(variant->variant == "cu128");
  CHECK(variant->build == "1b");
  CHECK(variant->platform_tags == std::vector<std::string>{"manylinux_2_28_x86_64"});
  CHECK(parse_wheel_file_name("x-1-py3-none-any-cu128.whl")->variant == "cu128");

  for (const auto* wrong :
       {"", ".whl", "x.whl", "x-1-py3-none.whl", "x-1-py3-none-any.zip", "x-1-b-c-py3-none-any.whl",
        "x--py3-none-any.whl", "-----.whl", "x-1-1-py3-none-any-v-w.whl", "x-1-a-b-c-py3-none-any.whl"}) {
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
  CHECK(metadata.complete);
  CHECK(parse_wheel_metadata("Name: x\r\n\r\nVersion: 1\r\n").version.empty());
  CHECK(parse_wheel_metadata("Name: x\n \nVersion: 1").version == "1");
  CHECK(parse_wheel_metadata("Requires-Dist: a;\n\tb\n").requires_dist == std::vector<std::string>{"a;\tb"});
  CHECK(parse_wheel_metadata("NAME : x\nVersion:1\nVersion:2").name == "x");
  CHECK(parse_wheel_metadata("NAME : x\nVersion:1\nVersion:2").version == "1");
  CHECK(parse_wheel_metadata("Names: x\nNam: y\n: z").name.empty());
}

TEST_CASE("WHEEL gives the version of the format and the tags") {
  const auto settings = parse_wheel_settings(
      "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: TRUE\nTag: py3-none-any\nTag: py2-none-any\n");
  CHECK(settings.wheel_version == "1.0");
  CHECK(settings.tags == std::vector<std::string>{"py3-none-any", "py2-none-any"});
  CHECK(settings.complete);
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

TEST_CASE("of RECORD only the lines that hold a word") {
  const std::string text = "a/x.so,,\nb/y.so,sha256=q,1\r\n\"c,/x.so\",,2\nd/x.so.1,,";
  std::vector<std::string_view> paths;
  const auto record = parse_record(text, "x.so");
  for (const auto& row : record.rows) paths.push_back(row.path);
  CHECK(paths == std::vector<std::string_view>{"a/x.so", "c,/x.so", "d/x.so.1"});
  CHECK(parse_record(text, "z.so").rows.empty());
  const auto second = parse_record(text, "y.so");
  REQUIRE(second.rows.size() == 1);
  CHECK(second.rows[0].path == "b/y.so");
  CHECK(second.rows[0].algorithm == "sha256");
  CHECK(second.rows[0].hash == "q");
  CHECK(second.rows[0].size == 1);
}

TEST_CASE("names and versions are compared in their normal form") {
  CHECK(normal_distribution_name("Nvidia_Cublas.-CU12") == "nvidia-cublas-cu12");
  CHECK(normal_distribution_name("._-a") == "-a");
  const std::pair<std::string_view, std::string_view> forms[] = {{"V1.0.0", "1"},
                                                                 {"v1.20", "1.20"},
                                                                 {"2.1.0+CU121", "2.1+cu.121"},
                                                                 {"1.0rc1", "1.rc.1"},
                                                                 {"1.0.post1.0", "1.post.1.0"},
                                                                 {"0.0", "0"},
                                                                 {"1+0", "1+0"},
                                                                 {"vv1", "v.1"},
                                                                 {"1_-.2", "1.2"},
                                                                 {"", ""}};
  for (const auto& [version, form] : forms) CHECK(normal_version(version) == form);
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

TEST_CASE("a file name's parts stand in their order, and a build begins with a digit") {
  const auto name = parse_wheel_file_name("x_y-1.0-0a-cp39.py3-abi3.none-any.linux_x86_64-v");
  CHECK_FALSE(name);
  const auto whole = parse_wheel_file_name("x_y-1.0-0a-cp39.py3-abi3.none-any.linux_x86_64-v.whl");
  REQUIRE(whole);
  CHECK(whole->distribution == "x_y");
  CHECK(whole->version == "1.0");
  CHECK(whole->build == "0a");
  CHECK(whole->python_tags == std::vector<std::string>{"cp39", "py3"});
  CHECK(whole->abi_tags == std::vector<std::string>{"abi3", "none"});
  CHECK(whole->platform_tags == std::vector<std::string>{"any", "linux_x86_64"});
  CHECK(whole->variant == "v");
  struct Row {
    const char *name, *build, *python, *variant;
  };
  for (const auto& row :
       {Row{"x-1-9-py3-none-any.whl", "9", "py3", ""}, Row{"x-1-0-py3-none-any.whl", "0", "py3", ""},
        Row{"x-1-/py3-none-any-v.whl", "", "/py3", "v"}, Row{"x-1-:py3-none-any-v.whl", "", ":py3", "v"},
        Row{"x-1-py3-none-any.whl", "", "py3", ""}}) {
    CAPTURE(row.name);
    const auto parsed = parse_wheel_file_name(row.name);
    REQUIRE(parsed);
    CHECK(parsed->build == row.build);
    CHECK(parsed->python_tags == std::vector<std::string>{row.python});
    CHECK(parsed->platform_tags == std::vector<std::string>{"any"});
    CHECK(parsed->variant == row.variant);
  }
}

TEST_CASE("of METADATA and WHEEL as many lines are read as are allowed, and as long ones") {
  const std::string longest(most_requirement_bytes, 'r');
  const auto fits = parse_wheel_metadata("Requires-Dist: " + longest + "\nRequires-Dist: b");
  CHECK(fits.complete);
  CHECK(fits.requires_dist == std::vector<std::string>{longest, "b"});
  const auto too_long = parse_wheel_metadata("Requires-Dist: " + longest + "r\nRequires-Dist: b");
  CHECK_FALSE(too_long.complete);
  CHECK(too_long.requires_dist == std::vector<std::string>{"b"});
  std::string requirements, tags;
  for (std::size_t i = 0; i < most_requirements; ++i) requirements += "Requires-Dist: a\n";
  CHECK(parse_wheel_metadata(requirements).complete);
  CHECK_FALSE(parse_wheel_metadata(requirements + "Requires-Dist: a").complete);
  for (std::size_t i = 0; i < most_wheel_tags; ++i) tags += "Tag: a\n";
  CHECK(parse_wheel_settings(tags).complete);
  CHECK_FALSE(parse_wheel_settings(tags + "Tag: b").complete);
  CHECK(parse_wheel_settings(tags + "Tag: b").tags == std::vector<std::string>(most_wheel_tags, "a"));
  const std::string tag(255, 't');
  CHECK(parse_wheel_settings("Tag: " + tag).complete);
  const auto cut = parse_wheel_settings("Tag: " + tag + "t\nTag: b");
  CHECK_FALSE(cut.complete);
  CHECK(cut.tags == std::vector<std::string>{tag, "b"});
}

TEST_CASE("what a row of RECORD comes to") {
  struct Row {
    std::string text, path, algorithm, hash, size;  // without a path: broken
  };
  for (const auto& row :
       {Row{"p,a=h,7", "p", "a", "h", "7"}, Row{"p,a=h,0\n", "p", "a", "h", "0"}, Row{"p,,", "p", "", "", "none"},
        Row{"p,a,", "p", "a", "", "none"}, Row{"p,=h,", "p", "", "h", "none"},
        Row{"\"p\",\"a=h\",\"7\"\r\n", "p", "a", "h", "7"}, Row{"\"a\"b,,", "\"a\"b", "", "", "none"},
        Row{"a\"b\",,", "a\"b\"", "", "", "none"}, Row{"\"a\"b\"c\",,", "a\"b\"c", "", "", "none"},
        Row{"\"a\"\"\",,", "a\"", "", "", "none"}, Row{"a,b,\"", "", "", "", ""}, Row{"a,b,\"1\"\"", "", "", "", ""},
        Row{"a,b,7x", "", "", "", ""}, Row{"a,b,-7", "", "", "", ""}, Row{"a,b", "", "", "", ""},
        Row{"a,b,7,", "", "", "", ""}, Row{"a,b,7,,,,,", "", "", "", ""},
        Row{"a,b,18446744073709551616", "", "", "", ""},
        Row{"a,,18446744073709551615", "a", "", "", "18446744073709551615"}}) {
    CAPTURE(row.text);
    const auto record = parse_record(row.text);
    CHECK(record.broken_rows == (row.path.empty() ? 1 : 0));
    REQUIRE(record.rows.size() == (row.path.empty() ? 0 : 1));
    if (row.path.empty()) continue;
    CHECK(record.rows[0].path == row.path);
    CHECK(record.rows[0].algorithm == row.algorithm);
    CHECK(record.rows[0].hash == row.hash);
    CHECK((record.rows[0].size ? std::to_string(*record.rows[0].size) : "none") == row.size);
  }
}

TEST_CASE("100,000 rows of RECORD are read, broken ones among them, and empty ones are none") {
  std::string text = "broken\n";
  for (std::size_t i = 1; i < most_zip_members; ++i) text += ",,\n";
  const auto whole = parse_record(text + "\n\r\n");
  CHECK(whole.complete);
  CHECK(whole.broken_rows == 1);
  CHECK(whole.rows.size() == most_zip_members - 1);
  const auto more = parse_record(text + "broken\n");
  CHECK_FALSE(more.complete);
  CHECK(more.broken_rows == 1);
  CHECK(more.rows.size() == most_zip_members - 1);
}

}  // namespace
}  // namespace cudald
