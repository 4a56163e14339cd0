#include <algorithm>
#include <map>

#include "base/ascii.h"
#include "base/path.h"
#include "base/trimmed.h"
#include "lock/readers.h"
#include "package/requirement.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

constexpr std::size_t most_files = 100, deepest_file = 20, most_indexes = 20;
constexpr auto how_to_pin =
    "`uv pip compile requirements.in -o requirements.txt` or `pip-compile` writes a file in which all are";

/// A line as pip sees it: those that end in a backslash are one.
struct Line {
  std::size_t number = 0;
  std::string text;     ///< without its comment
  std::string comment;  ///< its own, and those of the indented lines of comment below it, each from its #
};

/// Source: pip, _internal/req/req_file.py: join_lines, ignore_comments.
std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  bool joined = false;
  std::size_t number = 0;
  for (auto part : split(text, "\n")) {
    ++number;
    if (part.ends_with('\r')) part.remove_suffix(1);
    auto hash = part.find('#');
    while (hash != std::string_view::npos && hash > 0 && !is_space(part[hash - 1])) hash = part.find('#', hash + 1);
    const bool is_comment = hash != std::string_view::npos && trimmed(part.substr(0, hash), all_blanks).empty();
    if (is_comment) {
      if (hash > 0 && !lines.empty()) lines.back().comment += " " + std::string(part.substr(hash));
      joined = false;
      continue;
    }
    if (!joined) lines.push_back({number, "", ""});
    if (hash != std::string_view::npos) lines.back().comment += std::string(part.substr(hash));
    auto words = trimmed(part.substr(0, hash), all_blanks);
    joined = words.ends_with('\\') && hash == std::string_view::npos;
    if (joined) words.remove_suffix(1);
    lines.back().text += std::string(words) + " ";
  }
  return lines;
}

/// "torch" of the version that `==2.9.1` names; empty if none is named.
std::string pinned_to(std::string_view specifiers) {
  if (!specifiers.starts_with("==") || specifiers.find_first_of(",*") != std::string_view::npos) return "";
  return std::string(specifiers.substr(specifiers.starts_with("===") ? 3 : 2));
}

/// The Python that the tool that wrote the file was told to lock for: "3.11"; empty if no comment at its top says so.
/// pip-compile writes "with Python 3.11", uv its command line.
std::string python_of(std::string_view text) {
  for (const auto line : split(text.substr(0, text.find("\n\n")), "\n")) {
    if (!line.starts_with('#')) break;
    for (const std::string_view words : {"with Python ", "--python-version ", "--python-version="}) {
      const auto at = line.find(words);
      if (at == std::string_view::npos) continue;
      const auto rest = line.substr(at + words.size());
      const auto end = std::min(rest.find_first_not_of("0123456789."), rest.size());
      const auto parts = split(rest.substr(0, end), ".");
      if (parts.size() > 1 && parts[0] == "3" && !parts[1].empty()) return "3." + std::string(parts[1]);
    }
  }
  return "";
}

class RequirementsReader {
 public:
  explicit RequirementsReader(const ReadNamed& read_named) : read_named_(read_named) {
    lock_.kind = LockKind::requirements;
  }

  Result<LockFile> run(std::string_view text) {
    lock_.python = python_of(text);
    if (auto error = read(text, "", false, 0)) return std::move(*error);
    for (auto& [index, line] : open_) {
      auto& package = lock_.packages[index];
      if (const auto pin = constraints_.find(package.name); pin != constraints_.end())
        package.version = pin->second;
      else
        return std::move(line);
    }
    add_needs();
    return std::move(lock_);
  }

 private:
  using Fault = std::optional<Error>;

  Fault read(std::string_view text, const std::string& folder, bool constraints, std::size_t depth) {
    if (has_too_many_lines(text)) return lock_error(ErrorCode::limit, 0, "more lines than any such file has");
    for (const auto& line : lines_of(text)) {
      const auto words = trimmed(line.text, all_blanks);
      if (words.empty()) continue;
      is_named_ = depth > 0;
      auto fault = words.starts_with('-') ? read_option(line, words, folder, constraints, depth)
                                          : read_pin(line, words, constraints);
      if (fault) return fault;
    }
    return std::nullopt;
  }

  /// The value of an option of a line, written "-r FILE", "-rFILE", "--requirement FILE" or "--requirement=FILE".
  static std::optional<std::string> value_of(std::string_view words, std::string_view letter, std::string_view name) {
    const auto is = [&](std::string_view option) { return !option.empty() && words.starts_with(option); };
    std::string_view rest;
    if (is(name))
      rest = words.substr(name.size());
    else if (is(letter) && !words.starts_with("--"))
      rest = words.substr(letter.size());
    else
      return std::nullopt;
    rest = trimmed(rest, all_blanks);
    if (rest.starts_with('=')) rest = trimmed(rest.substr(1), all_blanks);
    return std::string(rest);
  }

  Fault read_option(const Line& line, std::string_view words, const std::string& folder, bool constraints,
                    std::size_t depth) {
    if (value_of(words, "-e", "--editable"))
      return lock_error(ErrorCode::usage, line.number, "an editable install is not pinned; " + std::string(how_to_pin));
    if (const auto place = value_of(words, "-f", "--find-links")) {
      if (place->find("://") == std::string::npos) lock_.find_links.push_back(below(folder, *place));
      return std::nullopt;
    }
    read_indexes(words);
    auto named = value_of(words, "-r", "--requirement");
    const bool of_constraints = !named;
    if (!named) named = value_of(words, "-c", "--constraint");
    if (!named) return std::nullopt;  // of hashes, of certificates: nothing that is installed
    if (++files_ > most_files || depth == deepest_file)
      return lock_error(ErrorCode::limit, line.number, "names more files than any such file does");
    const auto path = below(folder, *named);
    const auto text = read_named_ ? read_named_(path) : lock_error(ErrorCode::absent, 0, "not read");
    if (!text) return lock_error(ErrorCode::usage, line.number, fmt::format("{}: {}", path, text.error().message));
    auto fault = read(*text, std::string(parent_path(path)), constraints || of_constraints, depth + 1);
    if (fault) fault->message = fmt::format("{}: {}", path, fault->message);
    return fault;
  }

  /// Source: pip, _internal/req/req_file.py, handle_option_line.
  void read_indexes(std::string_view words) {
    auto& indexes = lock_.indexes;
    std::vector<std::string_view> parts;
    for (const auto part : split(words, " \t")) {
      const auto equals = part.starts_with("--") ? part.find('=') : std::string_view::npos;
      if (!part.empty()) parts.push_back(part.substr(0, equals));
      if (equals != std::string_view::npos) parts.push_back(part.substr(equals + 1));
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool extra = parts[i] == "--extra-index-url";
      const bool only = parts[i] == "-i" || parts[i] == "--index-url";
      if (parts[i] == "--no-index" || only) indexes = {{}, true};
      if ((only || extra) && i + 1 < parts.size() && indexes.urls.size() < most_indexes)
        indexes.urls.emplace_back(parts[++i]);
    }
  }

  static std::string below(const std::string& folder, const std::string& path) {
    return folder.empty() || path.starts_with('/') ? path : folder + "/" + path;
  }

  Fault read_pin(const Line& line, std::string_view words, bool constraint) {
    LockedPackage package;
    package.line = line.number;
    auto head = words;
    if (const auto options = words.find(" --"); options != std::string_view::npos) {
      head = trimmed(words.substr(0, options), all_blanks);
      read_hashes(words.substr(options), package);
    }
    if (auto fault = read_requirement(head, line, package)) return fault;
    if (constraint) {
      if (!package.version.empty()) constraints_[package.name] = package.version;
      return std::nullopt;
    }
    if (lock_.packages.size() == most_locked_packages)
      return lock_error(ErrorCode::limit, line.number, "more packages than any such file has");
    if (package.version.empty() && !package.from_source)
      open_.emplace_back(lock_.packages.size(),
                         lock_error(ErrorCode::usage, line.number,
                                    fmt::format("{} is not pinned to one version; {}", shown(head), how_to_pin)));
    read_via(line.comment, package);
    lock_.packages.push_back(std::move(package));
    return std::nullopt;
  }

  static void read_hashes(std::string_view options, LockedPackage& package) {
    for (const auto word : split(options, " \t")) {
      constexpr std::string_view option = "--hash=";
      if (!word.starts_with(option)) continue;
      if (auto hash = sha256_of(word.substr(option.size())); !hash.empty()) package.hashes.push_back(std::move(hash));
    }
  }

  /// A part of a line in a message. A file that another one names may be any file of this machine: its text is not for
  /// a report.
  std::string shown(std::string_view part, std::string_view quotes = "") const {
    return is_named_ ? "a requirement" : fmt::format("{}{}{}", quotes, part, quotes);
  }

  Fault read_requirement(std::string_view head, const Line& line, LockedPackage& package) const {
    const auto at = head.find('@');
    const auto bracket = head.find_first_of("[;=<>~!");
    const bool by_name = at != std::string_view::npos && (at < bracket || head.find("] @") != std::string_view::npos);
    const bool is_place = head.find("://") != std::string_view::npos || head.starts_with('.') || head.starts_with('/');
    if (by_name || is_place) {
      auto place = by_name ? trimmed(head.substr(at + 1), all_blanks) : head;
      if (const auto marker = place.find(" ;"); marker != std::string_view::npos) {
        package.marker = trimmed(place.substr(marker + 2), all_blanks);
        place = trimmed(place.substr(0, marker), all_blanks);
      }
      if (by_name)
        package.name = normal_distribution_name(trimmed(head.substr(0, std::min(at, head.find('['))), all_blanks));
      return take_place(place, line, package);
    }
    const auto requirement = parse_requirement(head);
    if (!requirement || requirement->name.empty())
      return lock_error(ErrorCode::malformed, line.number,
                        is_named_ ? "not a requirement" : fmt::format("`{}` is not a requirement", head));
    package.name = requirement->name;
    package.marker = requirement->marker;
    package.version = pinned_to(requirement->specifiers);
    return std::nullopt;
  }

  /// A wheel by its address or path is pinned by that.
  Fault take_place(std::string_view place, const Line& line, LockedPackage& package) const {
    LockedFile file;
    file.name = file_of_url(place);
    const auto named = parse_wheel_file_name(file.name);
    if (named) {
      package.version = named->version;
      if (package.name.empty()) package.name = normal_distribution_name(named->distribution);
      if (const auto hash = place.find("#sha256="); hash != std::string_view::npos)
        file.sha256 = sha256_of(place.substr(hash + sizeof("#sha256=") - 1));
      place = place.substr(0, place.find('#'));
      (place.find("://") == std::string_view::npos ? file.path : file.url) = place;
      package.wheels.push_back(std::move(file));
      return std::nullopt;
    }
    if (package.name.empty())
      return lock_error(ErrorCode::usage, line.number,
                        fmt::format("{} names neither a package nor a wheel; {}", shown(place, "`"), how_to_pin));
    package.from_source = true;
    return std::nullopt;
  }

  /// Who requires it, by the comments of pip-compile and uv: "via torch", "via -r requirements.in".
  void read_via(std::string_view comment, const LockedPackage& package) {
    const auto at = comment.find("via");
    if (at == std::string_view::npos) return;
    std::string_view before;
    for (const auto word : split(comment.substr(at + 3), " ,\t#")) {
      if (word.empty()) continue;
      if (++needs_ > most_locked_needs) return;
      const bool is_file =
          word.starts_with('-') || before.starts_with('-') || word.find('(') != std::string_view::npos ||
          word.find_first_of("/)") != std::string_view::npos || word.ends_with(".toml") || word.ends_with(".in");
      if (!is_file) via_[normal_distribution_name(word)].push_back(package.name);
      before = word;
    }
    has_via_ = true;
  }

  void add_needs() {
    for (auto& package : lock_.packages) {
      package.needs_known = has_via_;
      for (const auto& name : via_[package.name]) {
        LockedNeed need;
        need.name = name;
        package.needs.push_back(std::move(need));
      }
    }
  }

  const ReadNamed& read_named_;
  LockFile lock_;
  std::map<std::string, std::string> constraints_;
  std::vector<std::pair<std::size_t, Error>> open_;  ///< packages that only a constraint can pin
  std::map<std::string, std::vector<std::string>> via_;
  bool has_via_ = false;
  bool is_named_ = false;  ///< the file that is read, by another one
  std::size_t files_ = 0, needs_ = 0;
};

}  // namespace

Result<LockFile> read_requirements(std::string_view text, const ReadNamed& read_named) {
  return RequirementsReader(read_named).run(text);
}

}  // namespace cudald
