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

TEST_CASE("a label stands before what it labels, alone where it is too long; a note at the edge where there is room") {
  const auto labelled = [](const std::string& label, const std::string& body, const std::string& note) {
    TextStyle style;
    style.width = 40;
    std::ostringstream out;
    TextWriter(style, out).labelled(label, body, 0, note);
    return out.str();
  };
  const std::string column(14, ' ');
  CHECK(labelled("Label", "body", "") == "Label         body\n");
  CHECK(labelled("Label", "body", "note") == "Label         body" + std::string(18, ' ') + "note\n");
  CHECK(labelled("thirteen char", "body", "") == "thirteen char body\n");
  CHECK(labelled("fourteen chars", "body", "") == "fourteen chars\n" + column + "body\n");
  const std::string twenty(20, 'x');
  CHECK(labelled("", twenty, "note") == column + twenty + "  note\n");
  CHECK(labelled("", twenty + "x", "note") == column + twenty + "x\n" + column + "note\n");
  CHECK(labelled("a", twenty + " " + twenty, "note") ==
        "a" + column.substr(1) + twenty + "  note\n" + column + twenty + "\n");
  CHECK(labelled("Label", "", "") == "Label\n");
}

TEST_CASE("a paragraph is set in from the left, its empty lines are empty, and its lines never narrower than twenty") {
  const auto paragraph = [](const std::string& text, std::size_t width, std::size_t indent) {
    TextStyle style;
    style.width = width;
    std::ostringstream out;
    TextWriter(style, out).paragraph(text, indent, Tone::plain);
    return out.str();
  };
  CHECK(paragraph("one two\n\nthree", 80, 2) == "  one two\n\n  three\n");
  const std::string nine(9, 'a'), ten(10, 'b'), more(11, 'c');
  CHECK(paragraph(nine + " " + ten, 22, 2) == "  " + nine + " " + ten + "\n");
  CHECK(paragraph(nine + " " + more, 22, 2) == "  " + nine + "\n  " + more + "\n");
  CHECK(paragraph(nine + " " + ten, 5, 6) == "      " + nine + " " + ten + "\n");
}

}  // namespace
}  // namespace cudald
