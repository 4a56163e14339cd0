#include "scan/index_page.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

using Items = std::vector<WorkItem>;

TEST_CASE("a page of JSON tells names, sizes and hashes of packages") {
  const std::string hash(64, 'f');
  const auto items = read_index_json(
      R"({"meta": {"api-version": "1.1"}, "name": "a", "files": [
        {"filename": "a-1-py3-none-any.whl", "url": "../../files/a-1-py3-none-any.whl", "size": 5,
         "hashes": {"sha256": ")" +
          hash + R"("}},
        {"filename": "a-1.tar.gz", "url": "../../files/a-1.tar.gz", "hashes": {}},
        {"filename": "a-2-py3-none-any.whl", "url": "https://example.org/x/a-2-py3-none-any.whl", "hashes": {}},
        {"filename": "x.whl", "url": null}]})",
      "/m/simple/a");
  REQUIRE(items);
  CHECK(*items ==
        Items{{"/m/files/a-1-py3-none-any.whl", 5, hash}, {"https://example.org/x/a-2-py3-none-any.whl", 0, ""}});
  for (const auto* text : {"{}", "[]", "x", R"({"files": 7})"}) CHECK_FALSE(read_index_json(text, "/m"));
}

TEST_CASE("a page of links does as well") {
  const auto items = read_index_links(
      "<a href=\"../../files/a%2B-1-py3-none-any.whl#sha256=ff\" data-x=\"1\">a</a><a "
      "href='b-1-py3-none-any.whl?x=1&amp;y'><a href='p&amp;q&amp;r/c-1-py3-none-any.whl'>"
      "<a href=x><a href=\"a-1.tar.gz\"><a href=\"unended.whl",
      "/m/simple/a");
  CHECK(items == Items{{"/m/files/a+-1-py3-none-any.whl", 0, "ff"},
                       {"/m/simple/a/b-1-py3-none-any.whl", 0, ""},
                       {"/m/simple/a/p&q&r/c-1-py3-none-any.whl", 0, ""}});
}

TEST_CASE("a mirror is a folder of projects, each with a page") {
  MemoryFileSystem files;
  files.add_file(
      "/m/simple/a/index.v1_json",
      R"({"files": [{"filename": "a-1-py3-none-any.whl", "url": "../../files/a-1-py3-none-any.whl", "hashes": {}}]})");
  files.add_file("/m/simple/a/index.html", "<a href=\"other-1-py3-none-any.whl\">");
  files.add_file("/m/simple/b/index.html", "<a href=\"../../files/b-1-py3-none-any.whl#sha256=aa\">");
  files.add_file("/m/files/a-1-py3-none-any.whl", "12345");
  const Items expected{{"/m/files/a-1-py3-none-any.whl", 5, ""}, {"/m/files/b-1-py3-none-any.whl", 0, "aa"}};
  CHECK(read_mirror(files, "/m") == expected);
  CHECK(read_mirror(files, "/m/simple") == expected);
  CHECK_FALSE(read_mirror(files, "/m/files"));
  CHECK_FALSE(read_mirror(files, "/none"));
}

}  // namespace
}  // namespace cudald
