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

TEST_CASE("only two digits after a per cent sign are a byte of a path") {
  const auto target = [](const std::string& path) {
    const auto items = read_index_links("<a href='" + path + "-1-py3-none-any.whl'>", "/m");
    return items.size() == 1 ? items[0].target : "none";
  };
  const std::string end = "-1-py3-none-any.whl";
  CHECK(target("a%2bb") == "/m/a+b" + end);
  CHECK(target("a%4Ab") == "/m/aJb" + end);
  CHECK(target("a%fF") == "/m/a\xff" + end);
  CHECK(target("a%g0") == "/m/a%g0" + end);
  CHECK(target("a%0g") == "/m/a%0g" + end);
  CHECK(target("a%%41") == "/m/a%A" + end);
  const auto cut = [](const std::string& address) {
    return read_index_links("<a href='" + address + "'>", "/m").size();
  };
  CHECK(cut("a-1-py3-none-any.wh%6c") == 1);
  CHECK(cut("a-1-py3-none-any.whl%") == 0);
  CHECK(cut("a-1-py3-none-any.whl%2") == 0);
}

TEST_CASE("another hash than SHA-256 is none, and addresses of what is no package are passed over") {
  CHECK(read_index_links(
            "<a href='a-1-py3-none-any.whl#md5=ff'><a href='https://h.example/b-1-py3-none-any.whl?x=1#sha256=aa'>"
            "<a href='https://h.example/b-1.tar.gz'><a href='https://h.example/b.txt?x=c-1-py3-none-any.whl'>",
            "/m") ==
        Items{{"/m/a-1-py3-none-any.whl", 0, ""}, {"https://h.example/b-1-py3-none-any.whl?x=1", 0, "aa"}});
  CHECK(read_index_links("href=", "/m").empty());
  CHECK(read_index_links("<a href='a-1-py3-none-any.whl'", "/m").size() == 1);
  CHECK(read_index_links("", "/m").empty());
}

TEST_CASE("a page of JSON that is none gives way to the next, and sizes that are stated stay") {
  MemoryFileSystem files;
  files.add_file("/m/a/index.v1_json", "broken");
  files.add_file("/m/a/index.json",
                 R"({"files": [{"filename": "a-1-py3-none-any.whl", "url": "a-1-py3-none-any.whl", "size": 7},
                               {"filename": "c-1-py3-none-any.whl",
                                "url": "https://h.example/c-1-py3-none-any.whl"}]})");
  files.add_file("/m/a/a-1-py3-none-any.whl", "12345");
  files.add_file("/m/b/index.json", "[]");
  files.add_file("/m/b/index.v1_html", "<a href='b-1-py3-none-any.whl'>");
  files.add_file("/m/b/index.html", "<a href='no-1-py3-none-any.whl'>");
  files.add_file("/m/notes.txt", "");
  const Items of_a = {{"/m/a/a-1-py3-none-any.whl", 7, ""}, {"https://h.example/c-1-py3-none-any.whl", 0, ""}},
              of_b = {{"/m/b/b-1-py3-none-any.whl", 0, ""}};
  auto both = of_a;
  both.insert(both.end(), of_b.begin(), of_b.end());
  CHECK(read_mirror(files, "/m") == both);
  MemoryFileSystem broken;
  broken.add_file("/m/a/index.json", "broken");
  CHECK_FALSE(read_mirror(broken, "/m"));
}

}  // namespace
}  // namespace cudald
