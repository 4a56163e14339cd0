#include "report/json/json_text.h"

#include <sstream>
#include <string>
#include <utility>

#include <doctest/doctest.h>

namespace cudald {
namespace {

std::string document_text(const Json& document, bool compact) {
  std::ostringstream out;
  write_document(document, compact, out);
  return out.str();
}

TEST_CASE("what is not ASCII is escaped, and so is what a terminal would obey") {
  CHECK(document_text(json_text("a\x7f\x1b\"\u00e9\u202e\U0001f600"), true) ==
        "\"a\\u007f\\u001b\\\"\\u00e9\\u202e\\ud83d\\ude00\"\n");
  CHECK(document_text(json_text("\xff"), true) == "\"\\\\xff\"\n");
}

TEST_CASE("a character is one wherever the blocks end in which a long text is written") {
  for (std::size_t before = 16380; before < 16390; ++before) {
    CAPTURE(before);
    const std::string plain((std::size_t{2} << 20) + before, 'x');  // smaller documents are not written in blocks
    CHECK(document_text(json_text(plain + "\u20ac" + plain), true) == "\"" + plain + "\\u20ac" + plain + "\"\n");
  }
}

TEST_CASE("fields keep their order, in one line or indented by two") {
  const Json document = JsonObject(2).add("z", 1).add("a", json_texts({"x"})).take();
  CHECK(document_text(document, true) == "{\"z\":1,\"a\":[\"x\"]}\n");
  CHECK(document_text(document, false) == "{\n  \"z\": 1,\n  \"a\": [\n    \"x\"\n  ]\n}\n");
  // A large document is written by another way.
  const std::string large(std::size_t{3} << 20, 'y');
  const auto both = Json::array({document, "\u00e9", large});
  CHECK(document_text(both, true) == "[{\"z\":1,\"a\":[\"x\"]},\"\\u00e9\",\"" + large + "\"]\n");
  CHECK(document_text(both, false) ==
        "[\n  {\n    \"z\": 1,\n    \"a\": [\n      \"x\"\n    ]\n  },\n  \"\\u00e9\",\n  \"" + large + "\"\n]\n");
}

TEST_CASE("the first and the last character of each length in UTF-8 are escaped by their number") {
  const std::pair<const char*, const char*> rows[] = {
      {"\xc2\x80", "\\u0080"},
      {"\xdf\xbf", "\\u07ff"},
      {"\xe0\xa0\x80", "\\u0800"},
      {"\xef\xbf\xbd", "\\ufffd"},
      {"\xf0\x90\x80\x80", "\\ud800\\udc00"},
      {"\xf4\x8f\xbf\xbd", "\\udbff\\udffd"},
  };
  for (const auto& [character, escape] : rows) {
    const auto& seen_escape = escape;
    CAPTURE(seen_escape);
    CHECK(document_text(json_text(std::string("a") + character + "b"), true) == std::string("\"a") + escape + "b\"\n");
  }
}

TEST_CASE("in a large document characters are escaped as in a small one") {
  const std::string large(std::size_t{3} << 20, 'y');
  CHECK(document_text(json_text("a\x7f~\u00e9\u20ac\U0001f600z" + large), true) ==
        "\"a\\u007f~\\u00e9\\u20ac\\ud83d\\ude00z" + large + "\"\n");
  CHECK(document_text(json_text("\xf0\x90\x80\x80\xef\xbf\xbd\xe0\xa0\x80\xdf\xbf\xc2\x80\xf4\x8f\xbf\xbd" + large),
                      true) == "\"\\ud800\\udc00\\ufffd\\u0800\\u07ff\\u0080\\udbff\\udffd" + large + "\"\n");
}

}  // namespace
}  // namespace cudald
