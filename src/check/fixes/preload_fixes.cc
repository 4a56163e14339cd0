// A preload that the loader cannot use is ignored, and the program starts without it: LD_PRELOAD or /etc/ld.so.preload
// has to be corrected. Source: glibc elf/rtld.c, do_preload, which writes "object '%s' from %s cannot be preloaded
// (%s): ignored.".

#include "check/fixes/preload_fixes.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/image.h>

#include "base/find_bytes.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "base/similar_word.h"
#include "base/trimmed.h"

namespace cudald {
namespace {

constexpr std::string_view separators = " :";

/// With those of --preload, which come first.
std::vector<std::string> named_in_variable(const Report& report) {
  auto names = report.query.environment.preload;
  const auto variable = report.query.environment.variable("LD_PRELOAD").value_or("");
  for (const auto name : split(variable, separators))
    if (!name.empty()) names.emplace_back(name);
  return names;
}

/// Without a list of all names, as each of thousands may be asked about.
bool has_name(std::string_view list, std::string_view name) {
  return has_word(list, name, [](char c) { return separators.find(c) != std::string_view::npos; });
}

/// The libraries that a directory holds.
std::vector<std::string> libraries_in(const std::string& folder, ImageStore& images) {
  std::vector<std::string> names;
  for (const auto& name : images.list(folder))
    if (name.ends_with(".so") || name.find(".so.") != std::string::npos) names.push_back(name);
  return names;
}

bool is_usable(const std::string& path, const Report& report, ImageStore& images) {
  const auto& opened = images.open(path);
  return !opened.error && opened.image->machine == report.resolution.machine &&
         opened.image->format == report.resolution.objects.front().image->format &&
         opened.image->type == FileType::shared && opened.image->elf.has_dynamic_segment;
}

/// The libraries of a name that has commas or semicolons, which separate none, where all of them are usable.
std::vector<std::string> separated(const Report& report, const std::string& name, ImageStore& images) {
  const auto parts = split(name, ",;");
  std::vector<std::string> paths(parts.begin(), parts.end());
  const bool usable = std::all_of(paths.begin(), paths.end(), [&](const std::string& each) {
    return is_usable(normal_path(absolute_path(each, report.query.environment.cwd)), report, images);
  });
  return usable && paths.size() > 1 ? paths : std::vector<std::string>();
}

/// A path as a shell would have made it of one in quotes: without the quotation marks, ~ and $HOME replaced; empty if
/// nothing is to be replaced.
std::string as_of_shell(const Report& report, std::string_view name) {
  const auto home = report.query.environment.variable("HOME").value_or("");
  auto path = std::string(trimmed(name, " \t\r\n\"'"));
  for (const std::string_view beginning : {"~/", "$HOME/", "${HOME}/"})
    if (path.starts_with(beginning) && !home.empty()) path = home + "/" + path.substr(beginning.size());
  return path == name ? "" : path;
}

/// What is most likely meant: the path without what stands before it, the one library of a directory, a name that is
/// like it in the same directory, or a fitting library of that name elsewhere; empty if nothing is.
std::string meant(const Report& report, const std::string& name, const std::vector<Whereabouts>& found,
                  ImageStore& images) {
  const auto& cwd = report.query.environment.cwd;
  if (const auto parts = separated(report, name, images); !parts.empty())
    return fmt::format("{}", fmt::join(parts, ":"));
  if (const auto other = as_of_shell(report, name); !other.empty())
    if (const auto there = normal_path(absolute_path(other, cwd)); is_usable(there, report, images)) return there;
  const auto path = normal_path(absolute_path(name, cwd));
  const auto slash = name.find('/');
  if (slash != std::string::npos && slash > 0 && is_usable(normal_path(name.substr(slash)), report, images))
    return normal_path(name.substr(slash));
  if (images.folder_exists(path)) {
    std::string only;
    for (const auto& library : libraries_in(path, images))
      if (is_usable(path + "/" + library, report, images)) {
        if (!only.empty()) return "";
        only = path + "/" + library;
      }
    return only;
  }
  for (const auto& where : found)
    if (where.exact_name && where.fits && where.path != path) return where.path;
  if (slash == std::string::npos) return "";
  const std::string folder(parent_path(path));
  const auto names = libraries_in(folder, images);
  const std::vector<std::string_view> words(names.begin(), names.end());
  const auto similar = similar_word(file_name(path), words);
  if (similar.empty() || similar == file_name(path)) return "";
  const auto other = folder + "/" + std::string(similar);
  return is_usable(other, report, images) ? other : "";
}

const Probe* refusal_of(const Edge& edge) {
  for (const auto& probe : edge.search.probes)
    if (probe.result != ProbeResult::absent && probe.result != ProbeResult::found) return &probe;
  return nullptr;
}

std::string list_with(const std::vector<std::string>& names, const std::string& name, const std::string& instead) {
  std::vector<std::string> rest;
  for (const auto& each : names) {
    const auto& kept = each == name ? instead : each;
    if (!kept.empty()) rest.push_back(kept);
  }
  return fmt::format("{}", fmt::join(rest, ":"));
}

}  // namespace

std::string source_of_preload(const Report& report, const std::string& name) {
  const auto& stated = report.query.environment.preload;
  const auto variable = report.query.environment.variable("LD_PRELOAD").value_or("");
  const bool named = std::find(stated.begin(), stated.end(), name) != stated.end() || has_name(variable, name);
  return named ? "LD_PRELOAD" : "/etc/ld.so.preload";
}

std::string preload_sentence(const Report& report, const Edge& edge, ImageStore& images) {
  const auto source = source_of_preload(report, edge.name);
  const auto* refusal = refusal_of(edge);
  const auto path = absolute_path(edge.name, report.query.environment.cwd);
  const bool by_path = edge.name.find('/') != std::string::npos;
  std::string why;
  if (!separated(report, edge.name, images).empty())
    why = "which is taken as one name (only blanks and colons separate libraries)";
  else if (const auto other = as_of_shell(report, edge.name);
           !other.empty() && is_usable(normal_path(absolute_path(other, report.query.environment.cwd)), report, images))
    why = "which is taken as it is: no shell has replaced ~ or $HOME or taken the quotation marks away";
  else if (by_path && images.folder_exists(path))
    why = "which is a directory";
  else if (refusal != nullptr && refusal->result == ProbeResult::wrong_class)
    why = "which is a library for the other word size (32 and 64 bit do not mix)";
  else if (refusal != nullptr)
    why = "which cannot be loaded: " + refusal->detail;
  else
    why = by_path ? "which does not exist" : "which is not found in any directory the loader searches";
  return fmt::format("{} names {}, {}: it is ignored", source, edge.name, why);
}

std::string preload_consequence(const Report& report, const Edge& edge) {
  // The message of the error itself, without the name before it and the text of errno behind it.
  auto reason = edge.error;
  if (const auto at = reason.find(": "); reason.starts_with(edge.name) && at != std::string::npos) {
    reason.erase(0, edge.name.size() + 2);
    // "wrong ELF class: ELFCLASS32" has no errno behind it.
    if (const auto end = reason.rfind(": "); end != std::string::npos && reason.find("ELFCLASS") == std::string::npos)
      reason.erase(end);
  }
  return fmt::format(
      "The loader says \"object '{}' from {} cannot be preloaded ({}): ignored.\" and starts without it.", edge.name,
      source_of_preload(report, edge.name), reason);
}

void add_preload_fixes(const Report& report, const Edge& edge, const std::vector<Whereabouts>& found,
                       ImageStore& images, Finding& finding) {
  const auto instead = meant(report, edge.name, found, images);
  if (source_of_preload(report, edge.name) != "LD_PRELOAD") {
    finding.fixes.push_back({fmt::format("correct the line {} in /etc/ld.so.preload, or remove it", edge.name),
                             "sudoedit /etc/ld.so.preload", "the file counts for every program on the system"});
    return;
  }
  constexpr std::size_t longest_shown = 4096;
  if (report.query.environment.variable("LD_PRELOAD").value_or("").size() > longest_shown) {
    finding.fixes.push_back({fmt::format("remove {} from LD_PRELOAD", edge.name), "", ""});
    return;
  }
  const auto names = named_in_variable(report);
  if (!instead.empty())
    finding.fixes.push_back({"correct LD_PRELOAD: this file is there and fits",
                             "export LD_PRELOAD=" + shell_word(list_with(names, edge.name, instead)), ""});
  const auto rest = list_with(names, edge.name, "");
  finding.fixes.push_back({rest.empty() ? "or start it without the variable" : "or leave the name out",
                           rest.empty() ? "unset LD_PRELOAD" : "export LD_PRELOAD=" + shell_word(rest), ""});
  if (finding.fixes.size() == 1)
    finding.fixes.front().title = rest.empty() ? "set LD_PRELOAD to the path of a library for this program, or unset it"
                                               : "set LD_PRELOAD without this name";
}

std::optional<Fix> without_preload(const Report& report, ObjectId object) {
  for (const auto& each : report.resolution.objects)
    for (const auto& edge : each.edges) {
      if (edge.kind != EdgeKind::preload || edge.object != object) continue;
      if (source_of_preload(report, edge.name) != "LD_PRELOAD")
        return Fix{fmt::format("take {} out of /etc/ld.so.preload until it has what it needs", edge.name),
                   "sudoedit /etc/ld.so.preload", "the file counts for every program on the system"};
      const auto rest = list_with(named_in_variable(report), edge.name, "");
      return Fix{fmt::format("start it without {}, which only LD_PRELOAD adds to the process", edge.name),
                 rest.empty() ? "unset LD_PRELOAD" : "export LD_PRELOAD=" + shell_word(rest),
                 "for all programs of this shell, none of which starts before"};
    }
  return std::nullopt;
}

}  // namespace cudald
