// How help is laid out; that it is whole, tests of the program see.

#include "cli/help.h"

#include <string>

#include <doctest/doctest.h>

#include "cli/option_table.h"
#include "common/example_report.h"

namespace cudald {
namespace {

std::string help(std::optional<Command> command, bool in_full, std::size_t width, bool colour = false) {
  auto style = plain_style();
  style.width = width;
  style.colour = colour;
  return written([&](std::ostream& out) { write_help(command, in_full, style, out); });
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// How the help of a command that prints text ends, in 60 columns.
const std::string rest_of_output_and_help =
    R"(  --ascii                 no lines and marks outside ASCII;
                          automatic if the locale is not
                          UTF-8
  --width N               columns of the text (default: the
                          terminal's, else 100)
  --no-pager              never through a pager; on a
                          terminal, long text goes through
                          $PAGER or less

Help
  -h, --help              -h: options in one line each;
                          --help: all that is to be said of
                          them
  -V, --version           the version of cudald

Exit status: 0 nothing found, 1 findings, 2 wrong usage, 3
something could not be read, 4 a bug in cudald.
)";

TEST_CASE("the help of a command has its usage, its options and where more is") {
  CHECK(help(Command::cache, false, 60) == R"(Usage cudald cache [OPTION...] show|clear

Prints what is kept of wheels, imports and libraries, and
taking it away.

Output
  --color WHEN            use colours (default: auto): auto,
                          always, never
)" + rest_of_output_and_help +
                                               R"(More: cudald help cache
)");
  CHECK(help(Command::cache, true, 60) == R"(Usage cudald cache [OPTION...] show|clear

The bytes that an answer needed of a wheel are kept below
$XDG_CACHE_HOME/cudald, at most 4 GB, the newest: the same
question is answered without unpacking the wheel again, and
with --online without reading it from its server. A wheel on
this machine is the same as long as it is the same file,
unchanged; one on a server by the SHA-256 and address that
the lock states. Of an import of Python it is kept what its
code asked of the loader: while each file and folder that
the code looked at is unchanged, the code is not followed
again. Of libraries of 4 MiB and more the names of libraries
among their constants are kept, while they are unchanged. No
verdicts are kept.

Output
  --color WHEN            use colours (default: auto): auto,
                          always, never. It goes before
                          NO_COLOR, and that before
                          CLICOLOR_FORCE and FORCE_COLOR;
                          auto means on a terminal.
)" + rest_of_output_and_help);
}

TEST_CASE("the help of all has the commands, and of each option what it takes") {
  const auto text = help(std::nullopt, false, 100);
  CHECK(text.starts_with("cudald " CUDALD_VERSION
                         ": what happens when a program or library is loaded, without running it\n\n"
                         "Usage cudald [COMMAND] [OPTION...] TARGET...\n\nCommands\n"
                         "  explain TARGET...       why it loads, or does not (also: cudald TARGET...)\n"));
  // A term that is too long has a line of its own.
  CHECK(has(text, "\n  merge STATE             what one or many runs of scan have come to, as one answer\n"));
  CHECK(has(text, "\n  scan LIST|FOLDER|FILE...\n                          many packages, each judged as check does:"));
  CHECK(has(text, "\n  --write-baseline FILE   write the findings of this run"));
  CHECK(has(text, "\n  --add-dll-directory DIR\n                          as if Python called "));
  CHECK(has(text, "\n\nOutput\n"));
  CHECK(has(text, ": auto, always, never\n"));
  CHECK(text.ends_with("More: cudald help COMMAND, man cudald\n"));
  CHECK_FALSE(has(help(std::nullopt, true, 100), "More: "));
}

TEST_CASE("meanings are wrapped beside their terms, and have room where the terminal is narrow") {
  const auto narrow = help(Command::merge, false, 40);
  for (std::size_t at = 0; at < narrow.size();) {
    const auto end = narrow.find('\n', at);
    const auto line = narrow.substr(at, end - at);
    CAPTURE(line);
    CHECK((line.size() <= 46 || line.starts_with("Usage")));
    at = end + 1;
  }
  const auto beside = [](std::size_t width) {
    const auto text = help(Command::cache, false, width);
    const auto at = text.find("--ascii") + 24;
    return text.substr(at, text.find('\n', at) - at);
  };
  // Of 46 columns 20 are left beside the terms, and no fewer of a narrower terminal.
  CHECK(beside(47) == "no lines and marks");
  CHECK(beside(46) == "no lines and marks");
  CHECK(beside(40) == "no lines and marks");
  CHECK(beside(52) == "no lines and marks outside");
}

TEST_CASE("titles, terms and usage are painted") {
  const auto text = help(std::nullopt, false, 100, true);
  CHECK(has(text, "\x1b[36mCommands\x1b[0m"));
  CHECK(has(text, "\x1b[36mUsage\x1b[0m"));
  CHECK(has(text, "\x1b[36mOutput\x1b[0m"));
  CHECK(has(text, "  \x1b[1mexplain TARGET...\x1b[0m  "));
}

TEST_CASE("the man page has commands, options and findings, and nothing in it commands roff") {
  const auto page = written([](std::ostream& out) { write_man_page(out); });
  CHECK_FALSE(has(page, "%OPTIONS%"));
  CHECK_FALSE(has(page, "%VERSION%"));
  CHECK(has(page, "\n.TP\n\\fBcudald cache\\fR \\fIshow|clear\\fR\n"));
  CHECK(
      has(page,
          "\n.SS World\n.TP\n\\fB\\-\\-sysroot\\fR \\fITREE\\fR\nlook at the folder or image TREE as if it were /.\n"));
  CHECK(has(page, "\n\\fB\\-f\\fR, \\fB\\-\\-format\\fR \\fIFORMAT\\fR\n"));
  CHECK(has(page, ": auto, always, never."));
  CHECK(has(page, "\n(For merge.)\n") == false);
  CHECK(has(page, "\n(For explain, check, probe, tree, why, scan.)\n"));
  CHECK(has(page, "\ndiff compares symbols only if it is told all; a description of env \\-\\-save has them"));
  std::size_t limited = 0, told = 0;
  for (const auto& option : option_table()) limited += option.applies_to(Command::help) ? 0 : 1;
  for (auto at = page.find("\n(For "); at != std::string::npos; at = page.find("\n(For ", at + 1)) ++told;
  CHECK(told == limited);
  for (const auto& rule : finding_catalogue()) CHECK(has(page, "\n.B " + std::string(rule.code) + " "));
}

}  // namespace
}  // namespace cudald
