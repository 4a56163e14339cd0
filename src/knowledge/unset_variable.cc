// Code asks for a variable of the environment that is not set: os.environ[NAME] is a KeyError, and os.environ.get(NAME)
// is None, of which an error says nothing but its type; the line of code above the error, which Python prints, has the
// name. Constants of code are called like the variable that they take: CUDA_HOME of torch.utils.cpp_extension.
// Sources: CPython 3.11 Lib/os.py, _Environ.__getitem__, and Modules/posixmodule.c, PyOS_FSPath; pytorch issue 28365,
// apex pull request 1633, OSEDiff issue 20, OpenNRE issue 377, bitsandbytes issue 560 on github.com.
#include "knowledge/unset_variable.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/path.h"
#include "base/trimmed.h"

namespace cudald {
namespace {

constexpr std::size_t most_of_traceback = 1 << 20, longest_variable = 100;

bool is_part_of_name(char letter) { return is_letter(letter) || is_digit(letter) || letter == '_'; }

/// "CUDA_HOME" at the beginning of a text; empty if no name in capitals stands there.
std::string_view capitals(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (is_upper(text[end]) || is_digit(text[end]) || text[end] == '_')) ++end;
  const auto name = text.substr(0, end);
  const bool goes_on = end < text.size() && is_part_of_name(text[end]);
  return goes_on || name.empty() || !is_upper(name.front()) || name.size() > longest_variable ? std::string_view()
                                                                                              : name;
}

/// The text behind this part that stands in quotes there; empty if none does.
std::string_view quoted_behind(std::string_view line, std::string_view part) {
  const auto at = line.find(part);
  if (at == std::string_view::npos) return {};
  auto rest = line.substr(at + part.size());
  rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(" ")));
  if (rest.empty() || (rest.front() != '\'' && rest.front() != '"')) return {};
  const auto end = rest.find(rest.front(), 1);
  const auto name = rest.substr(1, end == std::string_view::npos ? 0 : end - 1);
  return std::all_of(name.begin(), name.end(), is_part_of_name) ? name : std::string_view();
}

/// The variable that a line of code asks for.
std::string_view asked_in(std::string_view code) {
  for (const auto* ask : {"environ.get(", "getenv(", "environ["})
    if (const auto name = quoted_behind(code, ask); !name.empty()) return name;
  return {};
}

/// A constant of the code that is called like a variable for a directory.
std::string_view directory_in(std::string_view code) {
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (at > 0 && is_part_of_name(code[at - 1])) continue;
    const auto name = capitals(code.substr(at));
    for (const auto* end : {"_HOME", "_PATH", "_ROOT"})
      if (name.ends_with(end)) return name;
  }
  return {};
}

/// Whether an error says that a value is None which has to be a path, a text or a number.
bool is_of_none(std::string_view error) {
  return (error.starts_with("TypeError: ") || error.starts_with("AttributeError: ")) &&
         error.find("NoneType") != std::string_view::npos;
}

/// The last line that may be of a variable, without blanks around it; empty if there is none.
std::string_view error_in(std::string_view traceback) {
  const auto lines = split(traceback.substr(0, most_of_traceback), "\n");
  const auto last = std::find_if(lines.rbegin(), lines.rend(), [](std::string_view line) {
    return trimmed(line).starts_with("KeyError: ") || is_of_none(trimmed(line));
  });
  return last == lines.rend() ? std::string_view() : trimmed(*last);
}

/// Whether the error is what os.environ raises: its own line of code stands above it.
bool is_of_environ(const std::vector<std::string_view>& lines) {
  return std::any_of(lines.begin(), lines.end(), [](std::string_view line) {
    return trimmed(line) == "raise KeyError(key) from None" || line.find("environ[") != std::string_view::npos;
  });
}

}  // namespace

std::string unset_variable(std::string_view traceback) {
  const auto error = error_in(traceback);
  if (error.empty()) return "";
  const auto begin = static_cast<std::size_t>(error.data() - traceback.data());
  const auto lines = split(traceback.substr(0, begin), "\n");
  if (error.starts_with("KeyError: ")) {
    const auto name = quoted_behind(error, "KeyError:");
    // Alone, it may be the key of anything; variables are mostly written in capitals, of two words or more.
    const bool reads_so = capitals(name) == name && name.find('_') != std::string_view::npos;
    return reads_so || is_of_environ(lines) ? std::string(name) : "";
  }
  for (auto line = lines.rbegin(); line != lines.rend(); ++line)
    if (const auto name = asked_in(*line); !name.empty()) return std::string(name);
  for (auto line = lines.rbegin(); line != lines.rend(); ++line)
    if (const auto name = directory_in(*line); !name.empty()) return std::string(name);
  return "";
}

std::optional<MessageReading> read_unset_variable(std::string_view traceback, const Knowledge& knowledge) {
  const auto name = unset_variable(traceback);
  if (name.empty()) return std::nullopt;
  const bool windows = traceback.find(":\\") != std::string_view::npos;
  auto known = read_message(fmt::format("KeyError: '{}'", name), knowledge);
  MessageReading reading = known ? *std::move(known) : MessageReading();
  reading.text = error_in(traceback);
  if (reading.means.empty()) {
    reading.who = "Python code that asks the environment for a variable";
    reading.means = fmt::format("{} is not set, as far as the lines above the message show", name);
    reading.fix = "set it to what the documentation of the code says";
    reading.source = "CPython 3.11 Lib/os.py, _Environ.__getitem__";
    reading.findings = {"CUD114"};
  }
  if (windows || reading.command.empty())
    reading.command = fmt::format("{} {}=VALUE", windows ? "set" : "export", name);
  return reading;
}

}  // namespace cudald
