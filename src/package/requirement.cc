#include "package/requirement.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/ascii.h"
#include "base/path.h"
#include "package/version.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

constexpr int max_depth = 50;
constexpr std::string_view marker_names[] = {"os_name",
                                             "sys_platform",
                                             "platform_machine",
                                             "platform_python_implementation",
                                             "platform_release",
                                             "platform_system",
                                             "platform_version",
                                             "python_version",
                                             "python_full_version",
                                             "implementation_name",
                                             "implementation_version",
                                             "extra",
                                             "extras",
                                             "dependency_groups"};

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
}

std::string without_spaces(std::string_view text) {
  std::string result(text);
  std::erase_if(result, is_space);
  return result;
}

std::vector<std::string> words_of(std::string_view marker) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < marker.size();) {
    const char c = marker[i];
    auto end = i + 1;
    if (is_space(c)) {
      i = end;
      continue;
    }
    if (c == '"' || c == '\'') {
      end = std::min(marker.find(c, i + 1), marker.size() - 1) + 1;
    } else if (is_name_character(c)) {
      while (end < marker.size() && is_name_character(marker[end])) ++end;
    } else if (std::string_view("<>=!~").find(c) != std::string_view::npos) {
      while (end < marker.size() && std::string_view("<>=!~").find(marker[end]) != std::string_view::npos) ++end;
    }
    words.emplace_back(marker.substr(i, end - i));
    i = end;
  }
  return words;
}

class MarkerReader {
 public:
  MarkerReader(std::string_view marker, const MarkerValues& values, const std::string& extra)
      : words_(words_of(marker)), values_(values), extra_(extra) {}

  bool run() {
    const bool result = either();
    return readable_ && at_ == words_.size() ? result : true;
  }

 private:
  bool take(std::string_view word) {
    if (at_ >= words_.size() || words_[at_] != word) return false;
    ++at_;
    return true;
  }

  bool either() {
    bool result = both();
    while (readable_ && take("or")) result = both() || result;
    return result;
  }

  bool both() {
    bool result = one();
    while (readable_ && take("and")) result = one() && result;
    return result;
  }

  bool one() {
    if (take("(")) {
      if (++depth_ > max_depth) return readable_ = false;
      const bool result = either();
      --depth_;
      readable_ &= take(")");
      return result;
    }
    if (at_ + 2 >= words_.size()) return readable_ = false;
    const auto left = words_[at_++];
    auto sign = words_[at_++];
    if (sign == "not") sign = words_[at_++] == "in" ? "not in" : "";
    if (at_ >= words_.size()) return readable_ = false;
    const auto right = words_[at_++];
    return compare(left, sign, right);
  }

  /// Source: dependency specifiers, "Environment markers", and the library packaging (markers.py), which pip asks.
  bool compare(const std::string& left, const std::string& sign, const std::string& right) {
    if (is_literal(left) == is_literal(right)) return readable_ = false;
    const auto name = current_name(is_literal(left) ? right : left);
    if (std::find(std::begin(marker_names), std::end(marker_names), name) == std::end(marker_names))
      return readable_ = false;
    const auto a = value(left, name), b = value(right, name);
    // Sets of names, each between line feeds.
    if (name == "extras" || name == "dependency_groups") {
      if (!is_literal(left)) return readable_ = false;
      const bool among = b.find("\n" + normal_distribution_name(a) + "\n") != std::string::npos;
      return sign == "not in" ? !among : among;
    }
    // Only these are versions, whatever the others look like.
    const bool versions = name == "python_version" || name == "python_full_version" ||
                          name == "implementation_version" || name == "platform_release";
    if (versions && is_specifier(sign + b)) return allows(sign + b, a);
    if (sign == "in") return b.find(a) != std::string::npos;
    if (sign == "not in") return b.find(a) == std::string::npos;
    if (sign == "!=") return a != b;
    if (sign == "==" || sign == "<=" || sign == ">=") return a == b;
    // Texts have no order.
    if (sign != "<" && sign != ">") readable_ = false;
    return false;
  }

  static bool is_literal(const std::string& word) {
    return word.size() > 1 && (word.front() == '"' || word.front() == '\'') && word.back() == word.front();
  }

  /// "os.name" and the like are the names of old, which still count.
  static std::string current_name(std::string name) {
    if (name == "python_implementation") return "platform_python_implementation";
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
  }

  std::string value(const std::string& word, const std::string& name) const {
    std::string text;
    if (is_literal(word))
      text = word.substr(1, word.size() - 2);
    else if (name == "extra")
      text = extra_;
    else if (const auto known = values_.find(name); known != values_.end())
      text = known->second;
    return name == "extra" ? normal_distribution_name(text) : text;
  }

  std::vector<std::string> words_;
  const MarkerValues& values_;
  const std::string& extra_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool readable_ = true;
};

MarkerValues cpython_marker_values(const char* os, const char* platform, const char* system,
                                   const std::string& python_version, const std::string& machine) {
  MarkerValues values = {{"os_name", os},
                         {"sys_platform", platform},
                         {"platform_system", system},
                         {"platform_machine", machine},
                         {"implementation_name", "cpython"},
                         {"platform_python_implementation", "CPython"}};
  if (!python_version.empty()) {
    values["python_version"] = python_version;
    values["python_full_version"] = values["implementation_version"] = python_version + ".0";
  }
  return values;
}

}  // namespace

std::optional<Requirement> parse_requirement(std::string_view line) {
  if (line.size() > most_requirement_bytes) return std::nullopt;
  Requirement requirement;
  const auto semicolon = std::min(line.find(';'), line.size());
  auto head = line.substr(0, semicolon);
  if (semicolon < line.size()) requirement.marker = line.substr(semicolon + 1);
  std::size_t i = 0;
  while (i < head.size() && is_space(head[i])) ++i;
  const auto begin = i;
  while (i < head.size() && is_name_character(head[i])) ++i;
  if (i == begin) return std::nullopt;
  requirement.name = normal_distribution_name(head.substr(begin, i - begin));
  while (i < head.size() && is_space(head[i])) ++i;
  if (i < head.size() && head[i] == '[') {
    const auto close = head.find(']', i);
    if (close == std::string_view::npos) return std::nullopt;
    for (const auto extra : split(head.substr(i + 1, close - i - 1), ","))
      if (auto name = without_spaces(extra); !name.empty()) requirement.extras.insert(std::move(name));
    i = close + 1;
  }
  auto specifiers = without_spaces(head.substr(i));
  if (specifiers.starts_with('@')) return std::nullopt;
  if (specifiers.starts_with('(') && specifiers.ends_with(')'))
    specifiers = specifiers.substr(1, specifiers.size() - 2);
  requirement.specifiers = std::move(specifiers);
  return requirement;
}

MarkerValues linux_marker_values(const std::string& python_version, const std::string& machine) {
  return cpython_marker_values("posix", "linux", "Linux", python_version, machine);
}

MarkerValues windows_marker_values(const std::string& python_version, const std::string& machine) {
  return cpython_marker_values("nt", "win32", "Windows", python_version, machine);
}

bool holds(std::string_view marker, const MarkerValues& values, const std::set<std::string>& extras) {
  if (marker.size() > most_requirement_bytes || marker.find_first_not_of(" \t") == std::string_view::npos) return true;
  const auto holds_for = [&](const std::string& extra) { return MarkerReader(marker, values, extra).run(); };
  // As pip asks: one extra at a time, and none only where none was asked for.
  return extras.empty() ? holds_for("") : std::any_of(extras.begin(), extras.end(), holds_for);
}

}  // namespace cudald
