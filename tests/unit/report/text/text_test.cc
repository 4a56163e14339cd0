#include "report/text/text.h"

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

TEST_CASE("blanks at which a line breaks are gone, those at its start stay") {
  CHECK(wrapped("aaaa  bbbb", 4) == std::vector<std::string>{"aaaa", "bbbb"});
  CHECK(wrapped("  aa", 4) == std::vector<std::string>{"  aa"});
  CHECK(wrapped("aa   ", 10) == std::vector<std::string>{"aa"});
  CHECK(wrapped("a\n\nb", 4) == std::vector<std::string>{"a", "", "b"});
  CHECK(wrapped("aa bb", 5) == std::vector<std::string>{"aa bb"});
  CHECK(wrapped("aa bb", 4) == std::vector<std::string>{"aa", "bb"});
  // What counts is the room that a text takes, not its bytes.
  CHECK(wrapped("\xc3\xa9\xc3\xa9 \xc3\xa9\xc3\xa9", 5) ==
        std::vector<std::string>{"\xc3\xa9\xc3\xa9 \xc3\xa9\xc3\xa9"});
}

TEST_CASE("each tone has its colour, where there are colours and something to paint") {
  TextStyle style;
  std::ostringstream out;
  style.colour = true;
  const auto painted = [&](Tone tone, std::string_view text = "x") {
    return TextWriter(style, out).painted(tone, text);
  };
  for (const auto& [tone, code] :
       {std::pair(Tone::strong, "1"), std::pair(Tone::faint, "2"), std::pair(Tone::label, "36"),
        std::pair(Tone::good, "1;32"), std::pair(Tone::caution, "1;33"), std::pair(Tone::bad, "1;31"),
        std::pair(Tone::info, "1;36")})
    CHECK(painted(tone) == std::string("\x1b[") + code + "mx\x1b[0m");
  CHECK(painted(Tone::plain) == "x");
  CHECK(painted(Tone::bad, "") == "");
  style.colour = false;
  CHECK(painted(Tone::bad) == "x");
}

TEST_CASE("a paragraph is plain unless a tone is given, its blanks at the left always are") {
  TextStyle style;
  style.colour = true;
  std::ostringstream out;
  TextWriter text(style, out);
  text.paragraph("one");
  text.paragraph("two", 2, Tone::bad);
  CHECK(out.str() == "one\n  \x1b[1;31mtwo\x1b[0m\n");
}

TEST_CASE("each verdict and each level has its tone") {
  CHECK(tone_of(Verdict::loads) == Tone::good);
  CHECK(tone_of(Verdict::cpu_only) == Tone::caution);
  CHECK(tone_of(Verdict::risk) == Tone::caution);
  CHECK(tone_of(Verdict::fails) == Tone::bad);
  CHECK(tone_of(Verdict::unknown) == Tone::bad);
  CHECK(tone_of(Level::error) == Tone::bad);
  CHECK(tone_of(Level::warning) == Tone::caution);
  CHECK(tone_of(Level::note) == Tone::info);
}

TEST_CASE("the body of a label has twenty columns at least, on a narrow terminal too") {
  const auto labelled = [](const std::string& body, std::size_t width, std::size_t indent) {
    TextStyle style;
    style.width = width;
    std::ostringstream out;
    TextWriter(style, out).labelled("L", body, indent);
    return out.str();
  };
  const std::string nine(9, 'a'), ten(10, 'b'), column(14, ' ');
  for (const std::size_t width : {std::size_t{0}, std::size_t{14}, std::size_t{30}, std::size_t{34}}) {
    CAPTURE(width);
    CHECK(labelled(nine + " " + ten, width, 0) == "L" + column.substr(1) + nine + " " + ten + "\n");
    CHECK(labelled(ten + " " + ten, width, 0) == "L" + column.substr(1) + ten + "\n" + column + ten + "\n");
  }
  CHECK(labelled(ten + " " + ten, 35, 2) == "  L" + column.substr(3) + ten + " " + ten + "\n");
}

}  // namespace
}  // namespace cudald
