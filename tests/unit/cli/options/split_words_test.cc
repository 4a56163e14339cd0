#include "cli/options/split_words.h"

#include <doctest/doctest.h>

#include "cli/options/option_table.h"

namespace cudald {
namespace {

using Line = std::vector<std::string>;

/// "format=json quiet ./app": options by their names, and arguments; or what is wrong.
std::string said(const Line& words) {
  const auto split = split_words(words);
  if (!split) return split.error().message;
  std::string text;
  for (const auto& word : *split) {
    if (!text.empty()) text += " ";
    if (word.option != nullptr) text += word.option->name;
    if (word.option != nullptr && word.option->takes_value()) text += "=";
    text += word.value;
  }
  return text;
}

TEST_CASE("options are told from arguments, with their values") {
  CHECK(said({"--format", "json", "./app"}) == "format=json ./app");
  CHECK(said({"--format=json", "./app"}) == "format=json ./app");
  CHECK(said({"--format=a=b"}) == "format=a=b");
  CHECK(said({"-f", "json"}) == "format=json");
  CHECK(said({"-fjson"}) == "format=json");
  CHECK(said({"-f=json"}) == "format==json");
  CHECK(said({"-qv", "./app"}) == "quiet verbose ./app");
  CHECK(said({"-qfjson"}) == "quiet format=json");
  CHECK(said({"-qf", "json"}) == "quiet format=json");
  CHECK(said({"./app", "-q", "-", ""}) == "./app quiet - ");
  CHECK(said({"-q", "--", "-v", "--", "--none"}) == "quiet -v -- --none");
  CHECK(said({"--", "--=x"}) == "--=x");
  CHECK(said({}).empty());
  CHECK_FALSE(split_words({"-h"})->front().is_long);
  CHECK(split_words({"--help"})->front().is_long);
}

TEST_CASE("what stands behind an option is its value, unless it is a letter of another one") {
  CHECK(said({"--format", "--quiet"}) == "format=--quiet");
  CHECK(said({"--format", "-Z"}) == "format=-Z");
  CHECK(said({"--format", "--"}) == "format=--");
  CHECK(said({"--format", "-q"}) == "`--format` needs a value");
  CHECK(said({"--format", "--quiet="}) == "`--format` needs a value");
}

TEST_CASE("words that are no options are told as they were typed") {
  CHECK(said({"--format"}) == "`--format` needs a value");
  CHECK(said({"-f"}) == "`--format` needs a value");
  CHECK(said({"--format="}) == "`--format` needs a value");
  CHECK(said({"--quiet=yes"}) == "`--quiet` takes no value");
  CHECK(said({"--quit"}) == "unknown option `--quit`; did you mean `--quiet`?");
  CHECK(said({"--quie"}) == "unknown option `--quie`; did you mean `--quiet`?");
  CHECK(said({"-Z"}) == "unknown option `-Z`");
  CHECK(said({"-qZ"}) == "unknown option `-qZ`");
  // These ended cudald with a signal.
  CHECK(said({"--argument", "x"}) == "unknown option `--argument`");
  CHECK(said({"--=x"}) == "unknown option `--`");
}

}  // namespace
}  // namespace cudald
