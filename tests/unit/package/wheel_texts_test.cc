#include "package/wheel_texts.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "fs/zip_directory.h"

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

TEST_CASE("of RECORD only the lines that hold a word") {
  const std::string text = "a/x.so,,\nb/y.so,sha256=q,1\r\n\"c,/x.so\",,2\nd/x.so.1,,";
  std::vector<std::string_view> paths;
  const auto record = parse_record(text, "x.so");
  for (const auto& row : record.rows) paths.push_back(row.path);
  CHECK(paths == std::vector<std::string_view>{"a/x.so", "c,/x.so", "d/x.so.1"});
  CHECK(parse_record(text, "z.so").rows.empty());
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

}  // namespace
}  // namespace cudald
