#include <algorithm>
#include <cctype>

#include "base/path.h"
#include "base/trimmed.h"
#include "lock/lock_file.h"
#include "lock/readers.h"
#include "package/requirement.h"

namespace cudald {
namespace {

/// The first line that is neither empty nor a comment.
std::string_view first_line(std::string_view text) {
  for (const auto line : split(text, "\n")) {
    const auto begin = line.find_first_not_of(" \t\r");
    if (begin != std::string_view::npos && line[begin] != '#') return line.substr(begin);
  }
  return "";
}

bool has_line_starting(std::string_view text, std::string_view beginning) {
  return text.starts_with(beginning) || text.find("\n" + std::string(beginning)) != std::string_view::npos;
}

/// "==2.9.1", ">=1,<2": a comparison and a version each.
bool are_specifiers(std::string_view text) {
  for (const auto part : split(text, ",")) {
    const auto version = std::min(part.find_first_not_of("=<>!~"), part.size());
    const auto sign = part.substr(0, version);
    const bool compares = sign == "==" || sign == "===" || sign == "!=" || sign == "~=" || sign == ">" || sign == "<" ||
                          sign == ">=" || sign == "<=";
    const auto digits = part.substr(version).starts_with('v') ? version + 1 : version;
    if (!compares || digits == part.size() || std::isdigit(static_cast<unsigned char>(part[digits])) == 0) return false;
  }
  return true;
}

bool is_marker(std::string_view text) {
  for (const std::string_view name : {"python", "platform", "extra", "implementation_", "os_name"})
    if (text.find(name) != std::string_view::npos) return true;
  return false;
}

/// A line without its comment, the backslash that continues it, and options as --hash.
std::string_view requirement_in(std::string_view line) {
  line = trimmed(line.substr(0, std::min(line.find(" #"), line.find("\t#"))), all_blanks);
  if (line.starts_with('#')) return "";
  if (line.ends_with('\\')) line.remove_suffix(1);
  return trimmed(line.substr(0, line.find(" --")), all_blanks);
}

}  // namespace

RequirementLines requirement_lines(std::string_view text) {
  auto found = RequirementLines::none;
  for (const auto part : split(text, "\n")) {
    const auto line = requirement_in(part);
    if (line.empty()) continue;
    const bool is_option = line.size() > 1 && line.front() == '-' &&
                           (line[1] == '-' || std::isalpha(static_cast<unsigned char>(line[1])) != 0);
    if (is_option || line.find(" @ ") != std::string_view::npos) {
      found = RequirementLines::requirements;
      continue;
    }
    const auto requirement = parse_requirement(line);
    if (!requirement) return RequirementLines::none;
    const bool has_specifiers = !requirement->specifiers.empty(), has_marker = !requirement->marker.empty();
    if (has_specifiers && !are_specifiers(requirement->specifiers)) return RequirementLines::none;
    if (line.find(';') != std::string_view::npos && !is_marker(requirement->marker)) return RequirementLines::none;
    if (has_specifiers || has_marker || !requirement->extras.empty())
      found = RequirementLines::requirements;
    else if (found == RequirementLines::none)
      found = RequirementLines::names;
  }
  return found;
}

std::string_view name_of(LockKind kind) {
  switch (kind) {
    case LockKind::pylock: return "pylock.toml";
    case LockKind::uv_lock: return "uv.lock";
    case LockKind::requirements: return "requirements file";
    case LockKind::pip_report: return "pip report";
    case LockKind::conda_explicit: return "explicit conda list";
    case LockKind::conda_lock: return "conda-lock file";
  }
  return "";
}

bool has_too_many_lines(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) > most_lock_lines;
}

std::string file_of_url(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  std::string name(file_name(url));
  // The only character of names of wheels that URLs write otherwise.
  for (auto at = name.find("%2B"); at != std::string::npos; at = name.find("%2B")) name.replace(at, 3, "+");
  for (auto at = name.find("%2b"); at != std::string::npos; at = name.find("%2b")) name.replace(at, 3, "+");
  return name;
}

std::string sha256_of(std::string_view hash) {
  constexpr std::string_view algorithm = "sha256:";
  constexpr std::size_t digits = 64;
  if (hash.starts_with(algorithm)) hash.remove_prefix(algorithm.size());
  if (hash.size() != digits) return "";
  std::string folded(hash);
  for (auto& c : folded) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return folded.find_first_not_of("0123456789abcdef") == std::string::npos ? folded : "";
}

bool recognise_lock(std::string_view name, std::string_view text, LockKind& kind) {
  const auto is = [&kind](LockKind found) {
    kind = found;
    return true;
  };
  if (has_line_starting(text, "@EXPLICIT")) return is(LockKind::conda_explicit);
  const auto first = first_line(text);
  const auto quoted = text.substr(0, 4096);
  if (first.starts_with("{") && quoted.find("\"pip_version\"") != std::string_view::npos)
    return is(LockKind::pip_report);
  if (has_line_starting(text, "lock-version")) return is(LockKind::pylock);
  if (name == "uv.lock" || (has_line_starting(text, "[[package]]") && has_line_starting(text, "version = ")))
    return is(LockKind::uv_lock);
  if (has_line_starting(text, "package:") && has_line_starting(text, "version:")) return is(LockKind::conda_lock);
  if (name == "pylock.toml" || (name.starts_with("pylock.") && name.ends_with(".toml"))) return is(LockKind::pylock);
  const bool by_name =
      name.find("require") != std::string_view::npos || name.find("constrain") != std::string_view::npos;
  if (by_name || requirement_lines(text) == RequirementLines::requirements) return is(LockKind::requirements);
  return false;
}

Result<LockFile> read_lock(LockKind kind, std::string_view text, const ReadNamed& read_named) {
  if (text.size() > most_lock_bytes) return lock_error(ErrorCode::limit, 0, "larger than any lock file is");
  switch (kind) {
    case LockKind::pylock: return read_pylock(text);
    case LockKind::uv_lock: return read_uv_lock(text);
    case LockKind::requirements: return read_requirements(text, read_named);
    case LockKind::pip_report: return read_pip_report(text);
    case LockKind::conda_explicit: return read_conda_list(text);
    case LockKind::conda_lock: return read_conda_lock(text);
  }
  return lock_error(ErrorCode::malformed, 0, "no lock file");
}

}  // namespace cudald
