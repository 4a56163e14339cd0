// Elements of search paths that do not mean what their author meant: "~/lib", which a shell replaces and quotes keep
// from it, and "../lib", which begins at the current directory where $ORIGIN, the file's own, was lost on its way
// through make and shells. Source: POSIX Shell Command Language, 2.6.1 Tilde Expansion; ld.so(8), Dynamic string
// tokens.
#include "check/fixes/meant_directories.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/image.h>

#include "base/ascii.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "base/trimmed.h"
#include "base/version_order.h"
#include "check/fixes/patchelf_fix.h"

namespace cudald {
namespace {

bool is_place_of(const std::vector<Whereabouts>& found, const std::string& folder) {
  return std::any_of(found.begin(), found.end(), [&](const Whereabouts& where) {
    return where.exact_name && where.fits && parent_path(where.path) == folder;
  });
}

/// What stands behind $ORIGIN in an element that has lost it, or parts of it: "/../lib" of "../lib", of "RIGIN/../lib",
/// as make leaves it of $ORIGIN, and of "\\$ORIGIN/../lib"; empty if the element is as it should be.
std::string behind_origin(std::string_view element) {
  constexpr std::string_view rest = "RIGIN";
  if (element.empty() || element.starts_with('/') || element.starts_with("$ORIGIN") ||
      element.starts_with("${ORIGIN}") || element.starts_with("$LIB") || element.starts_with("$PLATFORM"))
    return "";
  if (const auto at = element.find(rest); at != std::string_view::npos) {
    element = element.substr(at + rest.size());
    if (element.starts_with('}')) element.remove_prefix(1);
  }
  return element.empty() || element.starts_with('/') ? std::string(element) : "/" + std::string(element);
}

void tell_lost_origin(const Object& requester, const std::vector<Whereabouts>& found, const PackageTree& packages,
                      Finding& finding) {
  const auto& elf = requester.image->elf;
  const auto& list = elf.runpath ? elf.runpath : elf.rpath;
  if (!list || found.empty() || is_system_path(requester.path)) return;
  const auto* tag = elf.runpath ? "DT_RUNPATH" : "DT_RPATH";
  const std::string origin(parent_path(requester.path));
  std::vector<std::string> elements;
  std::string faulty;
  for (const auto element : split(*list, ":")) {
    const auto rest = behind_origin(element);
    const bool is_meant = !rest.empty() && is_place_of(found, normal_path(origin + rest));
    if (is_meant && faulty.empty()) faulty = element;
    // What else is left of such a list names no directory of anybody's.
    if (is_meant || element.starts_with('/') || element.starts_with('$'))
      elements.push_back(is_meant ? "$ORIGIN" + rest : std::string(element));
  }
  if (faulty.empty()) return;
  finding.message +=
      fmt::format("; \"{}\" in its {} has lost $ORIGIN, and begins at the current directory", faulty, tag);
  finding.evidence.push_back(
      {fmt::format("{} is \"{}\"", tag, *list), requester.path, Basis::proven, "ld.so(8), Dynamic string tokens"});
  finding.fixes.push_back(
      patchelf_fix("search the directory as it was meant, beginning at the file",
                   {{requester.path, FileEdit::Kind::set_directories, fmt::format("{}", fmt::join(elements, ":"))}},
                   requester, packages));
}

/// "$HOME/lib" as a shell would have replaced it; the loader knows other names, $ORIGIN, $LIB and $PLATFORM.
template <typename Add>
void add_replaced_variable(std::string_view part, const Environment& environment, const Add& add) {
  constexpr std::string_view of_names = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
  if (!part.starts_with('$')) return;
  const bool braces = part.starts_with("${");
  const auto begin = braces ? 2U : 1U;
  const auto end = std::min(part.find_first_not_of(of_names, begin), part.size());
  const std::string name(part.substr(begin, end - begin));
  const auto value = environment.variable(name);
  if (!value || value->empty()) return;
  add(*value + std::string(part.substr(std::min<std::size_t>(end + (braces ? 1 : 0), part.size()))),
      fmt::format("names it with ${}, which no shell has replaced", name));
}

}  // namespace

std::vector<MeantDirectory> meant_by_elements(const Environment& environment) {
  std::vector<MeantDirectory> meant;
  const auto list = environment.variable("LD_LIBRARY_PATH"), home = environment.variable("HOME");
  if (!list) return meant;
  const auto add = [&](std::string_view folder, std::string why) {
    if (!folder.empty())
      meant.push_back({normal_path(absolute_path(std::string(folder), environment.cwd)), std::move(why)});
  };
  for (const auto part : split(*list, ":;")) {
    if (home && (part == "~" || part.starts_with("~/")))
      add(*home + std::string(part.substr(1)), "names it with ~, which no shell has replaced: it was in quotes");
    add_replaced_variable(part, environment, add);
    if (const auto inner = trimmed(part, all_blanks); inner.size() < part.size())
      add(inner, "has a blank beside it, which the loader takes as a part of the name");
    if (const auto begin = part.find_first_not_of("\"'<="), end = part.find_last_not_of("\"'>");
        begin != std::string_view::npos && end > begin && end - begin + 1 < part.size())
      add(part.substr(begin, end - begin + 1),
          fmt::format("has {} beside it, which the loader takes as a part of the name",
                      begin > 0 ? part[begin - 1] : part[end + 1]));
    for (const auto* separator : {",", " "})
      if (const auto parts = split(part, separator); parts.size() > 1)
        for (const auto each : parts)
          add(trimmed(each), fmt::format("separates directories by {}: only : and ; do that",
                                         *separator == ',' ? "commas" : "blanks"));
  }
  return meant;
}

namespace {

/// "gcc-" and "" of gcc-7.1.0, with its numbers left out: what two releases have in common.
std::string release_left_out(std::string_view name) {
  std::string rest;
  for (const char c : name)
    if (!is_digit(c) && c != '.') rest += c;
  return rest;
}

bool has_any_digit(std::string_view name) { return std::any_of(name.begin(), name.end(), is_digit); }

/// The newest directory of another release for a path that does not exist; empty if there is none.
std::string other_release_of(const std::string& path, ImageStore& images) {
  constexpr std::size_t most_beside = 500;
  std::string above(parent_path(path)), rest;
  std::string missing(file_name(path));
  while (above.size() > 1 && !images.folder_exists(above)) {
    rest = "/" + missing + rest;
    missing = file_name(above);
    above = parent_path(above);
  }
  const auto& entries = images.list(above);
  if (above.size() < 2 || !has_any_digit(missing) || entries.size() > most_beside) return "";
  std::string newest;
  for (const auto& entry : entries)
    if (has_any_digit(entry) && release_left_out(entry) == release_left_out(missing) &&
        images.folder_exists(above + "/" + entry + rest) && (newest.empty() || version_less(newest, entry)))
      newest = entry;
  return newest.empty() ? "" : above + "/" + newest + rest;
}

}  // namespace

std::vector<RenumberedElement> renumbered_elements(const Environment& environment, ImageStore& images) {
  std::vector<RenumberedElement> found;
  const auto list = environment.variable("LD_LIBRARY_PATH").value_or("");
  for (const auto part : split(list, ":;")) {
    const auto path = normal_path(std::string(part));
    if (!part.starts_with('/') || images.folder_exists(path)) continue;
    if (auto folder = other_release_of(path, images); !folder.empty()) found.push_back({std::string(part), folder});
  }
  return found;
}

std::string export_renumbered(const Environment& environment, const RenumberedElement& gone) {
  std::string list;
  const auto old = environment.variable("LD_LIBRARY_PATH").value_or("");
  for (const auto part : split(old, ":;"))
    list += (list.empty() ? "" : ":") + (part == gone.element ? gone.folder : std::string(part));
  return "export LD_LIBRARY_PATH=" + shell_word(list);
}

void tell_meant_directory(const Report& report, const Object& requester, const std::vector<Whereabouts>& found,
                          const PackageTree& packages, Finding& finding) {
  for (const auto& [folder, why] : meant_by_elements(report.query.environment))
    if (is_place_of(found, folder)) {
      finding.message += "; LD_LIBRARY_PATH " + why;
      break;
    }
  if (report.query.fixes) tell_lost_origin(requester, found, packages, finding);
}

}  // namespace cudald
