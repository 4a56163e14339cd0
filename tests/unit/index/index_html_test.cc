#include <doctest/doctest.h>

#include "index/index_page.h"

namespace cudald {
namespace {

const std::string html_hash(64, 'a'), other_html_hash(64, 'b');

std::vector<LockedFile> read_html(const std::string& html, std::string_view url = "https://index.example/simple/x/") {
  const auto files = read_index_page(html, url);
  REQUIRE(files);
  return *files;
}

TEST_CASE("a page of links names the wheels of a project") {
  const auto files = read_html(
      "<!DOCTYPE html><html><head><title>Links &lt;for&gt; x</title></head>\n<body><h1>x</h1>\n"
      "<!-- <a href=\"gone-1-py3-none-any.whl\">gone</a> -->\n"
      "<a href=\"../../files/x-1.0-py3-none-any.whl#sha256=" +
      html_hash + "\" data-core-metadata=\"sha256=" + other_html_hash +
      "\">x-1.0-py3-none-any.whl</a><br/>\n"
      "<A\n  data-requires-python='&gt;=3.8' HREF = '/y/x-1.0%2Bcu128-py3-none-any.whl?a=1&amp;b=2' "
      "data-dist-info-metadata=true >x</A>\n"
      "<a href=x-2.0-py3-none-any.whl data-core-metadata=false>x</a><a href=\"x-1.0.tar.gz\">x</a><a name=top></a>\n");
  REQUIRE(files.size() == 3);
  CHECK(files[0].name == "x-1.0-py3-none-any.whl");
  CHECK(files[0].url == "https://index.example/files/x-1.0-py3-none-any.whl");
  CHECK(files[0].sha256 == html_hash);
  CHECK(files[0].has_metadata);
  CHECK(files[0].metadata_sha256 == other_html_hash);
  CHECK(files[1].name == "x-1.0+cu128-py3-none-any.whl");
  CHECK(files[1].url == "https://index.example/y/x-1.0%2Bcu128-py3-none-any.whl?a=1&b=2");
  CHECK(files[1].sha256.empty());
  CHECK(files[1].has_metadata);
  CHECK(files[1].metadata_sha256.empty());
  CHECK(files[2].url == "https://index.example/simple/x/x-2.0-py3-none-any.whl");
  CHECK_FALSE(files[2].has_metadata);
}

TEST_CASE("for which Python a wheel is, and that it was taken back") {
  const auto files = read_html(
      "<a data-requires-python='&gt;=3.8,&lt;4' href=x-1-py3-none-any.whl>x</a>"
      "<a data-yanked='' href=x-2-py3-none-any.whl>x</a>");
  REQUIRE(files.size() == 2);
  CHECK(files[0].requires_python == ">=3.8,<4");
  CHECK_FALSE(files[0].yanked);
  CHECK(files[1].yanked);
  const auto in_json = read_index_page(R"({"files": [
    {"filename": "x-1-py3-none-any.whl", "url": "/x", "requires-python": ">=3.8",
     "upload-time": "2021-02-01T12:30:00.000000Z", "yanked": false},
    {"filename": "x-2-py3-none-any.whl", "url": "/x", "requires-python": null, "yanked": "broken"},
    {"filename": "x-3-py3-none-any.whl", "url": "/x", "yanked": true}]})",
                                       "https://index.example/simple/x/");
  REQUIRE(in_json);
  CHECK((*in_json)[0].requires_python == ">=3.8");
  CHECK((*in_json)[0].uploaded == "2021-02-01T12:30:00.000000Z");
  CHECK_FALSE((*in_json)[0].yanked);
  CHECK((*in_json)[1].requires_python.empty());
  CHECK((*in_json)[1].yanked);
  CHECK((*in_json)[2].yanked);
}

TEST_CASE("links may be relative to another address than that of the page") {
  const auto files = read_html("<html><base href=\"https://cdn.example/whl/\"><a href=\"x-1-py3-none-any.whl\">x</a>");
  REQUIRE(files.size() == 1);
  CHECK(files[0].url == "https://cdn.example/whl/x-1-py3-none-any.whl");
}

TEST_CASE("pages without links, cut off, and of something else") {
  CHECK(read_html("<html></html>").empty());
  CHECK(read_html("<html><a href=\"x-1-py3-none-any.whl").size() == 1);
  CHECK(read_html("<html><a href").empty());
  CHECK(read_html("<html><a = = href=>").empty());
  CHECK(read_html("<html><!-- <a href=x-1-py3-none-any.whl>").empty());
  CHECK(read_html("<html><a href='x&#45;1&#x2d;py3-none-any.whl&#xffffff;&none;&'>").empty());
  CHECK(read_html("<html><a href='x&#45;1&#x2d;py3-none-any.whl'>")[0].name == "x-1-py3-none-any.whl");
  CHECK_FALSE(read_index_page("no page at all", "https://index.example/"));
  CHECK_FALSE(read_index_page("", "https://index.example/"));
}

TEST_CASE("a page of more links than any index has is refused") {
  std::string page = "<html>";
  for (std::size_t i = 0; i < 100'000; ++i) page += "<a href=x.whl>";
  CHECK(read_html(page).size() == 100'000);
  page += "<a href=x.whl>";
  const auto files = read_index_page(page, "https://index.example/");
  REQUIRE_FALSE(files);
  CHECK(files.error().code == ErrorCode::limit);
  CHECK(files.error().message == "the index names too many files");
}

TEST_CASE("what a link's address and attributes may look like, row by row") {
  struct Row {
    std::string link, name;
  };
  const std::string wheel = "x-1-py3-none-any.whl";
  for (const Row& row : {
           Row{"<a href='x&amp;1-py3-none-any.whl'>", "x&1-py3-none-any.whl"},
           Row{"<a href='x&#49;-1-py3-none-any.whl'>", "x1-1-py3-none-any.whl"},
           Row{"<a href='x&#128;-1-py3-none-any.whl'>", "none"},  // the mark begins a fragment
           Row{"<a href='x&0;1-py3-none-any.whl'>", "x&0;1-py3-none-any.whl"},
           Row{"<a href='x&49;1-py3-none-any.whl'>", "x&49;1-py3-none-any.whl"},
           Row{"<a title='1' href='" + wheel + "'>", wheel},
           Row{"<a title='' href='" + wheel + "'>", wheel},
           Row{"<a title='href=y' href='" + wheel + "'>", wheel},
           Row{"<a title='1'href='" + wheel + "'>", wheel},
           Row{"<a = href='" + wheel + "'>", "none"},  // a value without a name
           Row{"<a href='" + wheel + "' href='y-1-py3-none-any.whl'>", wheel},
           Row{"<link href='" + wheel + "'>", "none"},
           Row{"<a/href=" + wheel + ">", wheel},
           Row{"<1a href=" + wheel + ">", "none"},
           Row{"<</a><a href=" + wheel + ">", wheel},
           Row{"<!-->--><a href=" + wheel + ">", wheel},
       }) {
    CAPTURE(row.link);
    const auto files = read_html("<html>" + row.link);
    REQUIRE(files.size() <= 1);
    CHECK((files.empty() ? "none" : files[0].name) == row.name);
  }
}

TEST_CASE("that a wheel's METADATA lies beside it is said by the newer attribute before the older one") {
  const auto files = read_html("<a href=x-1-py3-none-any.whl data-core-metadata='sha256=" + html_hash +
                               "' data-dist-info-metadata='sha256=" + other_html_hash + "'>");
  REQUIRE(files.size() == 1);
  CHECK(files[0].metadata_sha256 == html_hash);
}

TEST_CASE("a page is known for one by any of three elements, and another text is malformed") {
  for (const auto* page : {"<html>", "<body>", "<a name=x>"})
    CHECK_MESSAGE(read_index_page(page, "https://index.example/"), page);
  for (const auto* page : {"<b>", "text", "<!-- <html> -->"}) {
    const auto files = read_index_page(page, "https://index.example/");
    REQUIRE_FALSE(files);
    CHECK(files.error().code == ErrorCode::malformed);
    CHECK(files.error().message == "the index answers neither in JSON nor in HTML");
  }
}

TEST_CASE("a mark at the very end begins no element, and numbers of characters are decimal or not") {
  CHECK(read_html("<html><a href='x-1-py3-none-any.whl'><").size() == 1);
  CHECK(read_html("<html>< a href='x-1-py3-none-any.whl'>").empty());
  CHECK(read_html("<html><a href='x&#X2D;1-py3-none-any.whl'>").at(0).name == "x-1-py3-none-any.whl");
  CHECK(read_html("<html><a href='x&#45;1-py3-none-any.whl'>").at(0).name == "x-1-py3-none-any.whl");
  for (const auto& [reference, character] : {std::pair("lt", '<'), std::pair("gt", '>'), std::pair("quot", '"'),
                                             std::pair("apos", '\''), std::pair("amp", '&')})
    CHECK(read_html("<html><a href=\"x&" + std::string(reference) + ";-1-py3-none-any.whl\">").at(0).name ==
          std::string("x") + character + "-1-py3-none-any.whl");
}

TEST_CASE("a character that an address names by its number is one of ASCII, the last one as well") {
  const auto name = [](const std::string& reference) {
    const auto files = read_html("<html><a href='x" + reference + "-1-py3-none-any.whl'>");
    return files.empty() ? "none" : files[0].name;
  };
  CHECK(name("&#126;") == "x~-1-py3-none-any.whl");
  CHECK(name("&#127;") == "x\x7f-1-py3-none-any.whl");
  CHECK(name("&#x7e;") == "x~-1-py3-none-any.whl");
  CHECK(name("&#1;").size() == name("&#127;").size());
}

TEST_CASE("a hash ends where the next word of the fragment begins, and one in METADATA's attribute may stand alone") {
  const auto files = read_html("<a href='x-1-py3-none-any.whl#egg=x&amp;sha256=" + html_hash +
                               "&amp;y=1' data-core-metadata='sha256=" + other_html_hash + "&x'>");
  REQUIRE(files.size() == 1);
  CHECK(files[0].sha256 == html_hash);
  CHECK(files[0].metadata_sha256 == other_html_hash);
  CHECK(files[0].url == "https://index.example/simple/x/x-1-py3-none-any.whl");
  CHECK(read_html("<a href='x-1-py3-none-any.whl#md5=" + html_hash + "'>").at(0).sha256.empty());
  const auto older = read_html("<a href=x-1-py3-none-any.whl data-core-metadata=false data-dist-info-metadata=true>");
  REQUIRE(older.size() == 1);
  CHECK(older[0].has_metadata);
}

}  // namespace
}  // namespace cudald
