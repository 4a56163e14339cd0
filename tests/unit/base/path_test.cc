#include "base/path.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("a path is split into folder and name at its last slash") {
  struct Row {
    std::string path, parent, name;
  };
  const Row rows[] = {
      {"/a/b", "/a", "b"}, {"/a", "/", "a"},  {"a", "", "a"}, {"a/b", "a", "b"}, {"/", "/", ""},
      {"/a/", "/a", ""},   {"//a", "/", "a"}, {"", "", ""},   {"./a", ".", "a"}, {"/a//b", "/a/", "b"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.path);
    CHECK(parent_path(row.path) == row.parent);
    CHECK(file_name(row.path) == row.name);
  }
}

TEST_CASE("a relative path is below the folder, an absolute one stays") {
  CHECK(absolute_path("lib.so", "/here") == "/here/lib.so");
  CHECK(absolute_path("./lib.so", "/here/") == "/here/./lib.so");
  CHECK(absolute_path("lib.so", "/") == "/lib.so");
  CHECK(absolute_path("/lib.so", "/here") == "/lib.so");
  CHECK(absolute_path("../lib.so", "/here") == "/here/../lib.so");
  CHECK(absolute_path("", "/here") == "/here/");
}

TEST_CASE("a list keeps its empty elements, wherever they are") {
  using Parts = std::vector<std::string_view>;
  CHECK(split("", ":") == Parts{""});
  CHECK(split(":", ":") == Parts{"", ""});
  CHECK(split("a:", ":") == Parts{"a", ""});
  CHECK(split(":a::b", ":") == Parts{"", "a", "", "b"});
  CHECK(split("a:b;c", ":;") == Parts{"a", "b", "c"});
  CHECK(split("a:b;c", ":") == Parts{"a", "b;c"});
}

TEST_CASE("dots are taken out of a path by its text") {
  struct Row {
    std::string path, normal;
  };
  const Row rows[] = {
      {"/a/./b", "/a/b"},   {"/a/../b", "/b"},
      {"/../../a", "/a"},   {"//a///b/", "/a/b"},
      {"/", "/"},           {"", "/"},
      {"/..", "/"},         {"/a/b/../..", "/"},
      {"/a/...", "/a/..."}, {"/.hidden/..b", "/.hidden/..b"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.path);
    CHECK(normal_path(row.path) == row.normal);
  }
}

}  // namespace
}  // namespace cudald
