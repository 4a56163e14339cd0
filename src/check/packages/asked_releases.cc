// What an error that a package raises says of releases in plain words: "supports pandas up to 2.0.3, found 2.2.3".
#include "check/packages/asked_releases.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/windows_path.h"
#include "package/version.h"

namespace cudald {
namespace {

constexpr std::string_view digits = "0123456789";

struct SpokenVersion {
  std::size_t begin = 0, end = 0;
  std::string text;
};

/// All that look like a release, with a dot, from the left.
std::vector<SpokenVersion> versions_in(std::string_view text) {
  std::vector<SpokenVersion> all;
  for (auto at = text.find_first_of(digits); at != std::string_view::npos; at = text.find_first_of(digits, at)) {
    auto end = std::min(text.find_first_not_of("0123456789.", at), text.size());
    const auto next = end;
    while (text[end - 1] == '.') --end;
    const auto one = text.substr(at, end - at);
    if (one.find('.') != std::string_view::npos && parse_version(one)) all.push_back({at, end, std::string(one)});
    at = std::max(next, at + 1);
  }
  return all;
}

/// Whether a text names that release, or the series that it is of: "2.3" for 2.3.5.
bool names(const std::string& text, const std::string& installed) {
  const auto own = without_local(installed);
  return own == text || own.starts_with(text + ".");
}

bool has_any(std::string_view text, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](auto word) { return text.find(word) != std::string_view::npos; });
}

bool begins_with_any(std::string_view text, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](auto word) { return text.starts_with(word); });
}

/// "<2.1" for "2.0 or less", which 2.0.2 is as well; "<=2.0.3" for "2.0.3 or less".
std::string at_most(const std::string& version) {
  const auto parsed = parse_version(version);
  const auto dot = version.find('.');
  if (version.find('.', dot + 1) != std::string::npos || !parsed) return "<=" + version;
  const auto minor = parsed->release.size() > 1 ? parsed->release[1] : 0;
  return "<" + version.substr(0, dot + 1) + std::to_string(minor + 1);
}

/// What the words around a version ask for; empty if they ask for nothing.
std::string asked_around(std::string_view error, const SpokenVersion& version) {
  constexpr std::size_t reach = 32;
  constexpr std::array<std::string_view, 6> below{"less than ",  "below ",      "before ",
                                                  "older than ", "lower than ", "< "};
  constexpr std::array<std::string_view, 4> most{"up to ", "at most ", "maximum ", "<="};
  constexpr std::array<std::string_view, 6> or_less{" or less",  " or older",   " or lower",
                                                    " or below", " or earlier", " and older"};
  constexpr std::array<std::string_view, 8> least{
      "at least ", "minimum ", "newer than ", ">=", "require", "need", "upgrade to ", "expected "};
  constexpr std::array<std::string_view, 8> or_more{" or newer", " or later",  " or greater", " or higher",
                                                    " or above", " and later", " and newer",  "+"};
  const auto from = version.begin - std::min(version.begin, reach);
  auto before = error.substr(from, version.begin - from);
  // Words about another version, or of another sentence, say nothing of this one.
  for (const std::string_view end : {". ", ";"})
    if (const auto other = before.rfind(end); other != std::string_view::npos) before.remove_prefix(other + end.size());
  const auto after = error.substr(version.end, reach);
  if (begins_with_any(after, or_less)) return at_most(version.text);
  if (begins_with_any(after, or_more)) return ">=" + version.text;
  if (has_any(before, below)) return "<" + version.text;
  if (has_any(before, most)) return at_most(version.text);
  return has_any(before, least) ? ">=" + version.text : "";
}

}  // namespace

std::optional<std::string> releases_in_words(std::string_view error, const std::string& installed) {
  const auto text = folded(error);
  for (const auto& version : versions_in(text)) {
    if (names(version.text, installed)) continue;
    auto asked = asked_around(text, version);
    if (!asked.empty() && !allows(asked, installed)) return asked;
  }
  return std::nullopt;
}

std::optional<RemovedIn> removed_in(std::string_view error) {
  constexpr std::string_view mark = "removed in ";
  const auto text = folded(error);
  const auto at = text.find(mark);
  if (at == std::string::npos) return std::nullopt;
  auto rest = std::string_view(text).substr(at + mark.size());
  if (rest.starts_with("the ")) rest.remove_prefix(4);
  const auto space = rest.find(' ');
  if (space == std::string_view::npos || space == 0) return std::nullopt;
  const std::string name(rest.substr(0, space));
  rest.remove_prefix(space + 1);
  if (rest.starts_with("version ")) rest.remove_prefix(8);
  if (rest.starts_with('v')) rest.remove_prefix(1);
  const auto versions = versions_in(rest.substr(0, rest.find(' ')));
  if (versions.empty() || versions.front().begin != 0) return std::nullopt;
  return RemovedIn{name, versions.front().text};
}

}  // namespace cudald
