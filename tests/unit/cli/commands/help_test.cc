// How help is laid out; that it is whole, tests of the program see.

#include "cli/commands/help.h"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "cli/options/option_table.h"
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

TEST_CASE("the help of a command has its usage, its options and where more is") {
  const auto brief = help(Command::cache, false, 60);
  CHECK(brief.starts_with(R"(Usage cudald cache [OPTION...] show|clear

Show or clear the cache of wheels, imports, libraries.

Output
  --color WHEN            use colours (default: auto): auto,
                          always, never
)"));
  CHECK(brief.ends_with("More: cudald help cache\n"));
  const auto whole = help(Command::cache, true, 60);
  CHECK(has(whole, "The bytes of a wheel that an answer needed are cached below\n$XDG_CACHE_HOME/cudald,"));
  CHECK(has(whole, "It takes precedence"));
  CHECK_FALSE(has(whole, "More: "));
}

TEST_CASE("the short help has examples, commands and the options that are used most, on one screen") {
  const auto text = help(std::nullopt, false, 80);
  CHECK(text.starts_with("cudald " CUDALD_VERSION " predicts how a program or library loads, without running it\n\n"
                         "Usage cudald [COMMAND] [OPTION...] TARGET...\n\nExamples\n  cudald ./train "));
  CHECK(has(text, "\nCommands\n  explain     why a target loads or fails (default command)\n"));
  CHECK(has(text, "\n  --prefix DIR            a venv or conda environment"));
  CHECK_FALSE(has(text, "--write-baseline"));
  CHECK(text.ends_with("More: cudald --help, cudald help COMMAND, man cudald\n"));
  CHECK(std::count(text.begin(), text.end(), '\n') <= 40);
}

TEST_CASE("the full help has each group of options once, and of each option what it takes") {
  const auto text = help(std::nullopt, true, 100);
  // A term that is too long has a line of its own.
  CHECK(has(text, "\n  scan LIST|DIR|FILE...   check many packages"));
  CHECK(has(text, "\n  --write-baseline FILE   write the findings of this run"));
  CHECK(has(text, "\n  --add-dll-directory DIR\n                          as if Python called "));
  for (const std::string title : {"\nMachine and packages\n", "\nEnvironment\n", "\nOutput\n"}) {
    const auto at = text.find(title);
    CHECK(at != std::string::npos);
    CHECK(text.find(title, at + 1) == std::string::npos);
  }
  CHECK(has(text, ": auto, always, never"));
  CHECK_FALSE(has(text, "More: "));
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
  CHECK(beside(47) == "ASCII only; automatic");
  CHECK(beside(46) == "ASCII only;");
  CHECK(beside(40) == "ASCII only;");
  CHECK(beside(52) == "ASCII only; automatic if");
}

TEST_CASE("titles, terms and usage are painted") {
  const auto text = help(std::nullopt, true, 100, true);
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
  CHECK(has(page,
            "\n.SS Machine and packages\n.TP\n\\fB\\-\\-sysroot\\fR \\fITREE\\fR\nuse the directory or image TREE as "
            "the root (/).\n"));
  CHECK(has(page, "\n\\fB\\-f\\fR, \\fB\\-\\-format\\fR \\fIFORMAT\\fR\n"));
  CHECK(has(page, ": auto, always, never."));
  CHECK(has(page, "\n(For merge.)\n") == false);
  CHECK(has(page, "\n(For explain, check, probe, tree, why, scan.)\n"));
  CHECK(has(page, "\ndiff compares symbols only with `all`; env \\-\\-save stores them only with `all`."));
  std::size_t limited = 0, told = 0;
  for (const auto& option : option_table()) limited += option.applies_to(Command::help) ? 0 : 1;
  for (auto at = page.find("\n(For "); at != std::string::npos; at = page.find("\n(For ", at + 1)) ++told;
  CHECK(told == limited);
  for (const auto& rule : finding_catalogue()) CHECK(has(page, "\n.B " + std::string(rule.code) + " "));
}

}  // namespace
}  // namespace cudald
