#include "report/text.h"

#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("wrapping breaks at blanks and never inside a word") {
  CHECK(wrapped("one two three", 7) == std::vector<std::string>{"one two", "three"});
  CHECK(wrapped("/a/very/long/path is kept", 6) == std::vector<std::string>{"/a/very/long/path", "is", "kept"});
  CHECK(wrapped("a\nb", 10) == std::vector<std::string>{"a", "b"});
  CHECK(wrapped("", 10) == std::vector<std::string>{""});
  CHECK(wrapped("two  blanks", 20) == std::vector<std::string>{"two  blanks"});
}

TEST_CASE("a code leads to its page where there are pages, and is plain text elsewhere") {
  TextStyle style;
  std::ostringstream out;
  CHECK(TextWriter(style, out).linked("CUD101", "error[CUD101]") == "error[CUD101]");
  style.pages = "https://docs.example";
  CHECK(TextWriter(style, out).linked("CUD101", "error[CUD101]") ==
        "\x1b]8;;https://docs.example/findings/CUD101/\x1b\\error[CUD101]\x1b]8;;\x1b\\");
}

}  // namespace
}  // namespace cudald
