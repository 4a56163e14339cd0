#include "index/index_page.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

constexpr std::string_view page = R"({"meta": {"api-version": "1.1"}, "files": [
  {"filename": "x-1.0-py3-none-any.whl", "url": "../../files/x-1.0-py3-none-any.whl", "size": 7,
   "core-metadata": {"sha256": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"},
   "hashes": {"sha256": "abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789"}},
  {"filename": "x-1.0.tar.gz", "url": "/x-1.0.tar.gz", "hashes": {}},
  {"filename": "x-1-py2-none-any.whl", "url": "/y/x-1-py2-none-any.whl", "hashes": {},
   "core-metadata": false, "dist-info-metadata": true},
  {"filename": "x-2.0-py3-none-any.whl", "url": "https://other.example/x-2.0-py3-none-any.whl", "hashes": {},
   "dist-info-metadata": true}]})";

TEST_CASE("the wheels of a project, with whole addresses") {
  const auto files = read_index_page(page, "https://index.example/simple/x/");
  REQUIRE(files);
  REQUIRE(files->size() == 3);
  CHECK((*files)[0].url == "https://index.example/files/x-1.0-py3-none-any.whl");
  CHECK((*files)[0].size == 7);
  CHECK((*files)[0].sha256.starts_with("abcdef"));
  CHECK((*files)[1].url == "https://index.example/y/x-1-py2-none-any.whl");
  CHECK((*files)[2].url == "https://other.example/x-2.0-py3-none-any.whl");
  CHECK((*files)[0].has_metadata);
  CHECK((*files)[0].metadata_sha256.starts_with("0123"));
  CHECK_FALSE((*files)[1].has_metadata);
  CHECK((*files)[2].has_metadata);
  CHECK((*files)[2].metadata_sha256.empty());
  LockedPackage package;
  package.version = "1.0.0";
  take_wheels(*files, package);
  CHECK(package.wheels.size() == 2);
  package.wheels.clear();
  package.hashes = {"abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789"};
  take_wheels(*files, package);
  CHECK(package.wheels.size() == 1);
}

TEST_CASE("wheels of local versions are added to those of a pin without one") {
  const auto files = read_index_page(R"({"files": [{"filename": "x-1.0-py3-none-any.whl", "url": "a", "hashes": {}},
    {"filename": "x-1.0+cu128-py3-none-any.whl", "url": "b", "hashes": {}},
    {"filename": "x-1.0.1-py3-none-any.whl", "url": "c", "hashes": {}}]})",
                                     "https://index.example/simple/x/");
  REQUIRE(files);
  LockedPackage package;
  package.version = "1.0";
  take_wheels(*files, package);
  REQUIRE(package.wheels.size() == 2);
  CHECK(package.wheels[1].name == "x-1.0+cu128-py3-none-any.whl");
  package.wheels.clear();
  package.version = "1.0+cu128";
  take_wheels(*files, package);
  CHECK(package.wheels.size() == 1);
}

TEST_CASE("a page in another form is a fault") {
  CHECK_FALSE(read_index_page(R"({"files": )", "https://index.example/"));
  CHECK_FALSE(read_index_page("[]", "https://index.example/"));
  CHECK_FALSE(read_index_page(R"({"files": 1})", "https://index.example/"));
}

TEST_CASE("a page of JSON in another form, or of more files than any index has, is told by its error") {
  const auto error = [](const std::string& text) {
    const auto files = read_index_page(text, "https://index.example/");
    if (files) return std::to_string(files->size());
    return (files.error().code == ErrorCode::limit ? "limit: " : "malformed: ") + files.error().message;
  };
  CHECK(error(R"({"files": 1})") == "malformed: the index does not answer in the form of PEP 691");
  CHECK(error(R"({"name": "x"})") == "malformed: the index does not answer in the form of PEP 691");
  CHECK(error(" \r\n[]") == "malformed: the index does not answer in the form of PEP 691");
  std::string files = R"({"files": [{"filename": "x-1-py3-none-any.whl"})";
  for (std::size_t i = 1; i < 100'000; ++i) files += ",{}";
  CHECK(error(files + "]}") == "1");
  CHECK(error(files + ",{}]}") == "limit: the index names too many files");
}

TEST_CASE("a size that is no number of bytes is none, and files whose names are none of wheels belong to no package") {
  const auto files = read_index_page(R"({"files": [{"filename": "x-1.0-py3-none-any.whl", "size": -7},
    {"filename": "x-1.0-py3-none-any.whl", "size": "7", "data-dist-info-metadata": true},
    {"filename": "odd.whl", "size": 8, "core-metadata": "yes"}]})",
                                     "https://index.example/simple/x/");
  REQUIRE(files);
  REQUIRE(files->size() == 3);
  CHECK((*files)[0].size == 0);
  CHECK((*files)[0].sha256.empty());
  CHECK_FALSE((*files)[0].has_metadata);
  CHECK((*files)[1].size == 0);
  CHECK((*files)[1].has_metadata);
  CHECK((*files)[2].size == 8);
  CHECK_FALSE((*files)[2].has_metadata);
  LockedPackage package;
  package.version = "1.0";
  take_wheels(*files, package);
  CHECK(package.wheels.size() == 2);
}

TEST_CASE("faults of a page of JSON have their kind") {
  for (const auto* text : {R"({"files": )", "[]", R"({"files": 1})"}) {
    CAPTURE(text);
    CHECK(read_index_page(text, "https://index.example/").error().code == ErrorCode::malformed);
  }
}

}  // namespace
}  // namespace cudald
