#include "cli/output/terminal.h"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <cudald/environment.h>

#include "cli/options/options.h"
#include "unit/tree/scratch_folder.h"

namespace cudald {
namespace {

using Variables = std::map<std::string, std::string>;

Terminal terminal_with(Variables variables) {
  Terminal terminal;
  terminal.output_is_terminal = terminal.errors_are_terminal = terminal.utf8 = true;
  terminal.variables = std::move(variables);
  return terminal;
}

TEST_CASE("the style has what the options say, and marks outside ASCII only where the terminal shows them") {
  Options options;
  auto terminal = terminal_with({});
  const TextStyle usual = make_style(options, terminal);
  CHECK_FALSE(usual.ascii);
  CHECK(usual.colour);
  CHECK(usual.width == 100);
  CHECK(usual.depth == 64);
  CHECK(usual.verbosity == 0);
  CHECK(usual.library.empty());
  options.output.verbosity = 2;
  options.question.library = "libx.so";
  options.question.depth = 3;
  const TextStyle stated = make_style(options, terminal);
  CHECK(stated.verbosity == 2);
  CHECK(stated.library == "libx.so");
  CHECK(stated.depth == 3);
  options.output.ascii = true;
  CHECK(make_style(options, terminal).ascii);
  options.output.ascii = terminal.utf8 = false;
  CHECK(make_style(options, terminal).ascii);
}

TEST_CASE("progress is a line on a terminal that can go back in it, or plain where that is asked for") {
  Options options;
  auto terminal = terminal_with({});
  CHECK(progress_style(options, terminal) == Progress::Style::line);
  terminal.output_is_terminal = false;  // it is told beside the answer
  CHECK(progress_style(options, terminal) == Progress::Style::line);
  options.output.verbosity = 1;
  CHECK(progress_style(options, terminal) == Progress::Style::line);
  options.output.verbosity = -1;
  CHECK(progress_style(options, terminal) == Progress::Style::none);
  options.output.verbosity = 0;
  options.output.progress = ProgressWish::never;
  CHECK(progress_style(options, terminal) == Progress::Style::none);
  options.output.progress = ProgressWish::automatic;
  terminal.variables["TERM"] = "dumb";
  CHECK(progress_style(options, terminal) == Progress::Style::none);
  terminal = terminal_with({{"TERM", "xterm"}});
  terminal.errors_are_terminal = false;
  CHECK(progress_style(options, terminal) == Progress::Style::none);
  options.output.progress = ProgressWish::plain;
  CHECK(progress_style(options, terminal) == Progress::Style::plain);
}

TEST_CASE("the pager is the one that is named, else less, if it is a program on PATH or named by its path") {
  const ScratchFolder folder;
  for (const std::string name : {"a/less", "b/more"}) {
    folder.add_file(name, "");
    std::filesystem::permissions(folder / name, std::filesystem::perms(0755));
  }
  folder.add_file("b/text", "");  // no program, for root neither
  Options options;
  auto terminal = terminal_with({{"PATH", ":" + (folder / "none") + ":" + (folder / "b")}});
  const auto pager = [&](const std::string& stated) {
    terminal.variables["PAGER"] = stated;
    return pager_command(options, terminal);
  };
  CHECK(pager_command(options, terminal).empty());
  terminal.variables["PATH"] += ":" + (folder / "a");
  CHECK(pager_command(options, terminal) == "less");
  CHECK(pager("more -s") == "more -s");
  CHECK(pager("text").empty());
  CHECK(pager(folder / "b/more -s") == folder / "b/more -s");
  CHECK(pager(folder / "b/text").empty());
  CHECK(pager(folder / "b/none").empty());
  CHECK(pager(folder.path().substr(1) + "/b/more").empty());
  // A folder of PATH without a name is not the root.
  CHECK(pager("bin/sh").empty());
  options.output.verbosity = -1;
  CHECK(pager("more").empty());
  options.output.verbosity = 0;
  CHECK(pager("more") == "more");
  terminal.variables["TERM"] = "dumb";
  CHECK(pager("more").empty());
  terminal.variables["TERM"] = "xterm";
  CHECK(pager("more") == "more");
}

/// Sets a variable of this process, nothing to take it away, and puts it back.
class ChangedVariable {
 public:
  ChangedVariable(std::string name, const char* value) : name_(std::move(name)) {
    if (const char* before = ::getenv(name_.c_str()); before != nullptr) before_ = before;
    set(value);
  }
  ChangedVariable(const ChangedVariable&) = delete;
  ChangedVariable& operator=(const ChangedVariable&) = delete;
  ~ChangedVariable() { set(before_ ? before_->c_str() : nullptr); }

 private:
  void set(const char* value) const {
    if (value == nullptr)
      ::unsetenv(name_.c_str());
    else
      ::setenv(name_.c_str(), value, 1);
  }

  std::string name_;
  std::optional<std::string> before_;
};

TEST_CASE("whether a terminal shows UTF-8 is what the first variable of the locale that is set says") {
  const auto shows = [](const char* all, const char* type, const char* language) {
    const ChangedVariable first("LC_ALL", all), second("LC_CTYPE", type), third("LANG", language);
    const auto terminal = host_terminal();
    CHECK(terminal.variables == host_environment().variables);
    return terminal.utf8;
  };
  for (const auto* locale : {"en_US.UTF-8", "C.utf8", "de_DE.utf-8@euro", "x.UTF8"}) {
    CAPTURE(locale);
    CHECK(shows(locale, "C", "C"));
    CHECK(shows(nullptr, locale, "C"));
    CHECK(shows("", "", locale));
  }
  for (const auto* locale : {"C", "POSIX", "de_DE.ISO-8859-1", "UTF-8", "de_DE@utf8", "en_US.UTF-16", ""}) {
    CAPTURE(locale);
    CHECK_FALSE(shows(nullptr, nullptr, locale));
  }
  CHECK_FALSE(shows("C", "en_US.UTF-8", "en_US.UTF-8"));
  CHECK_FALSE(shows(nullptr, "C", "en_US.UTF-8"));
  CHECK_FALSE(shows(nullptr, nullptr, nullptr));
}

TEST_CASE("codes lead to their pages, where these are published, on terminals that are known to show links") {
  Options options;
  const auto links = [&](const Variables& variables) {
    return !make_style(options, terminal_with(variables)).pages.empty();
  };
  const bool published = links({{"FORCE_HYPERLINK", "1"}});
  CHECK_FALSE(links({}));
  for (const auto* name : {"WT_SESSION", "KITTY_WINDOW_ID", "KONSOLE_VERSION", "DOMTERM", "WEZTERM_PANE"}) {
    CAPTURE(name);
    CHECK(links({{name, "1"}}) == published);
    CHECK_FALSE(links({{name, ""}}));
    CHECK_FALSE(links({{name, "1"}, {"TERM", "dumb"}}));
    CHECK_FALSE(links({{name, "1"}, {"FORCE_HYPERLINK", "0"}}));
  }
  for (const auto* program : {"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby", "rio", "zed"})
    CHECK(links({{"TERM_PROGRAM", program}}) == published);
  CHECK_FALSE(links({{"TERM_PROGRAM", "Apple_Terminal"}}));
  for (const auto* version : {"5000", "5001", "7600", "10000"}) CHECK(links({{"VTE_VERSION", version}}) == published);
  for (const auto* version : {"", "4999", "999", "0"}) CHECK_FALSE(links({{"VTE_VERSION", version}}));
  CHECK(links({{"FORCE_HYPERLINK", "1"}, {"TERM", "dumb"}}) == published);
  CHECK_FALSE(links({{"FORCE_HYPERLINK", ""}}));
  options.output.path = "file";
  CHECK_FALSE(links({{"KITTY_WINDOW_ID", "1"}}));
  CHECK(links({{"FORCE_HYPERLINK", "1"}}) == published);
  options.output.path.clear();
  auto terminal = terminal_with({{"KITTY_WINDOW_ID", "1"}});
  terminal.output_is_terminal = false;
  CHECK(make_style(options, terminal).pages.empty());
}

}  // namespace
}  // namespace cudald
