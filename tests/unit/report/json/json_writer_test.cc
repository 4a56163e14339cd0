#include "report/json/json_writer.h"

#include <sstream>
#include <string>

#include <doctest/doctest.h>

namespace cudald {
namespace {

template <typename Write>
std::string text_of(bool compact, Write write) {
  std::ostringstream out;
  JsonWriter writer(out, compact);
  write(writer);
  writer.finish();
  return out.str();
}

void write_example(JsonWriter& out) {
  out.begin_object();
  out.field("text", "a\"\\\n\t\x01")
      .field("number", std::size_t{18446744073709551615U})
      .field("flag", true)
      .field("none", nullptr)
      .field("missing", std::optional<std::string>())
      .field("there", std::optional<std::size_t>(0))
      .text_or_null("empty", "")
      .texts("texts", {"x", ""})
      .texts("no texts", {});
  out.key("nothing").begin_object();
  out.end_object();
  out.field("tree", Json{{"a", {1, -2, 1.5, nullptr, false}}, {"b", Json::object()}, {"c", Json::array()}});
  out.end_object();
}

TEST_CASE("a document is written as its tree is dumped, in one line and indented") {
  for (const bool compact : {true, false}) {
    const auto text = text_of(compact, write_example);
    CHECK(Json::parse(text).dump(compact ? -1 : 2, ' ', true) + "\n" == text);
    CHECK(Json::parse(text)["text"] == "a\"\\\n\t\x01");
    CHECK(Json::parse(text)["missing"] == nullptr);
  }
}

TEST_CASE("bytes that are no UTF-8 become texts, and what is not ASCII is escaped") {
  CHECK(text_of(true, [](JsonWriter& out) { out.value("a\xff\u00e9\xc3"); }) == "\"a\\\\xff\\u00e9\\\\xc3\"\n");
  CHECK(text_of(true, [](JsonWriter& out) { out.value("\x7f\U0001f600"); }) == "\"\\u007f\\ud83d\\ude00\"\n");
}

TEST_CASE("no value is a command in the log of a build") {
  for (const auto* before : {"", "0123456789abcdef"}) {
    std::ostringstream out;
    JsonWriter writer(out, true);
    writer.value(std::string_view(std::string(before) + "##vso[a]"));
    writer.finish();
    CHECK(out.str() == "\"" + std::string(before) + "\\u0023\\u0023vso[a]\"\n");
  }
}

TEST_CASE("a long document is the same wherever its parts are handed on") {
  for (std::size_t size = 12'250; size < 12'310; ++size) {
    const std::string text(size, 'x');
    CHECK((text_of(true, [&](JsonWriter& out) {
             out.begin_array();
             for (int i = 0; i < 3; ++i) out.value(text);
             out.end_array();
           }) == "[\"" + text + "\",\"" + text + "\",\"" + text + "\"]\n"));
  }
}

TEST_CASE("an empty text is written where there is no room left for another one") {
  // With the bounds of arrays checked, as some systems compile all programs, it ended the program.
  for (std::size_t size = (1 << 14) - 8; size <= 1 << 14; ++size) {
    const std::string text(size, 'x');
    CHECK((text_of(true, [&](JsonWriter& out) {
             out.begin_array();
             out.value(text);
             for (int i = 0; i < 2; ++i) out.value("");
             out.end_array();
           }) == "[\"" + text + "\",\"\",\"\"]\n"));
  }
}

}  // namespace
}  // namespace cudald
