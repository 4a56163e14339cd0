#include "report/text/search_table.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/writers.h>

#include "base/path.h"
#include "base/utf8.h"
#include "base/windows_path.h"

namespace cudald {
namespace {

std::string with_detail(std::string_view words, const std::string& detail) {
  return detail.empty() ? std::string(words) : fmt::format("{}: {}", words, escaped(detail));
}

std::string folder_of(const Probe& probe) {
  if (probe.rule == SearchRule::path || probe.rule == SearchRule::cache) return escaped(probe.path);
  if (is_full_windows_path(probe.path)) return escaped(windows_folder(probe.path));
  const std::string_view folder = parent_path(probe.path);
  return folder.empty() || folder == "." ? "current directory" : escaped(folder);
}

std::string rule_label(const Resolution& resolution, ObjectId requester, SearchRule rule,
                       const std::optional<ObjectId>& of) {
  std::string label(spoken(rule));
  if (of && *of != requester) label += fmt::format(" of {}", escaped(file_name(resolution.objects[*of].path)));
  return label;
}

/// A loader below a prefix has a cache of its own.
std::string rule_label(const Resolution& resolution, ObjectId requester, const SkippedRule& skipped) {
  return skipped.rule == SearchRule::cache && !skipped.value.empty()
             ? escaped(skipped.value)
             : rule_label(resolution, requester, skipped.rule, skipped.of);
}

bool is_plain_miss(const Probe& probe) {
  return probe.result == ProbeResult::absent && !probe.ends_search && !probe.ends_list;
}

Tone tone_of(const Probe& probe) {
  if (probe.result == ProbeResult::found) return Tone::good;
  if (probe.result == ProbeResult::absent) return Tone::plain;
  return probe.ends_search ? Tone::bad : Tone::caution;
}

/// Probes that one rule made one after another.
struct TriedGroup {
  SearchRule rule{};
  std::optional<ObjectId> of;
  std::vector<const Probe*> probes;
};

/// Whether a probe lies in a subfolder that the loader derives by itself from `folder` (with a
/// slash at its end). Source: glibc elf/dl-hwcaps.c, _dl_important_hwcaps.
bool in_derived_subfolder(const Probe& probe, const std::string& folder) {
  constexpr std::array<std::string_view, 6> names = {"glibc-hwcaps", "tls",      "x86_64",
                                                     "haswell",      "xeon_phi", "avx512_1"};
  if (!probe.path.starts_with(folder)) return false;
  const std::string_view rest = std::string_view(probe.path).substr(folder.size());
  const std::size_t slash = rest.find('/');
  return slash != std::string_view::npos && std::find(names.begin(), names.end(), rest.substr(0, slash)) != names.end();
}

/// Leaves out misses in derived subfolders of a folder that misses as well; returns how many stand
/// behind each probe that is left.
std::vector<std::size_t> fold_subfolders(TriedGroup& group) {
  std::vector<const Probe*> kept;
  std::vector<std::size_t> below;
  for (std::size_t i = 0; i < group.probes.size(); ++i) {
    const Probe& probe = *group.probes[i];
    std::size_t count = 0;
    // The loader tries subfolders before their folder: they are the last ones kept so far.
    const std::string folder = probe.path.substr(0, probe.path.size() - file_name(probe.path).size());
    while (is_plain_miss(probe) && !kept.empty() && is_plain_miss(*kept.back()) &&
           in_derived_subfolder(*kept.back(), folder)) {
      count += 1 + below.back();
      kept.pop_back();
      below.pop_back();
    }
    kept.push_back(&probe);
    below.push_back(count);
  }
  group.probes = std::move(kept);
  return below;
}

class RowMaker {
 public:
  RowMaker(const Resolution& resolution, ObjectId requester, bool every_probe)
      : resolution_(resolution), requester_(requester), every_probe_(every_probe) {}

  void add_skipped(const SkippedRule& skipped) {
    add_rule(rule_label(resolution_, requester_, skipped),
             skipped.rule == SearchRule::cache ? "" : escaped(skipped.value), escaped(skipped.reason), Tone::plain);
  }

  void add_group(TriedGroup group) {
    rule_ = rule_label(resolution_, requester_, group.rule, group.of);
    if (every_probe_) {
      for (const Probe* probe : group.probes) add_probe(*probe, escaped(probe->path));
      return;
    }
    const std::vector<std::size_t> below = fold_subfolders(group);
    for (std::size_t i = 0; i < group.probes.size();) {
      const std::size_t alike = plain_misses_from(group, i);
      // Nobody has chosen the system folders: their names say little.
      const std::size_t most_listed = group.rule == SearchRule::default_folder ? 1 : 4;
      if (alike > most_listed) {
        const std::string first = folder_of(*group.probes[i]), last = folder_of(*group.probes[i + alike - 1]);
        add(fmt::format("{} ... {}", first, last), fmt::format("{} directories, not there", alike), Tone::plain);
        i += alike;
        continue;
      }
      std::string place = folder_of(*group.probes[i]);
      if (below[i] > 0) place += fmt::format("  and {} below it", counted(below[i], "directory"));
      add_probe(*group.probes[i], std::move(place));
      ++i;
    }
  }

  std::vector<SearchRow> take() { return std::move(rows_); }

 private:
  static std::size_t plain_misses_from(const TriedGroup& group, std::size_t start) {
    std::size_t end = start;
    while (end < group.probes.size() && is_plain_miss(*group.probes[end]) &&
           result_words(*group.probes[end]) == result_words(*group.probes[start]))
      ++end;
    return end - start;
  }

  void add_probe(const Probe& probe, std::string place) {
    std::string words = result_words(probe);
    if (probe.ends_search) words += "; the loader gives up here";
    if (probe.ends_list) words += "; the rest of this list is passed over";
    add(std::move(place), std::move(words), tone_of(probe));
  }

  void add(std::string place, std::string result, Tone tone) {
    if (rule_.empty()) {
      rows_.push_back({0, "", std::move(place), std::move(result), tone});
    } else {
      add_rule(std::exchange(rule_, ""), std::move(place), std::move(result), tone);
    }
  }

  void add_rule(std::string rule, std::string place, std::string result, Tone tone) {
    rows_.push_back({++count_, std::move(rule), std::move(place), std::move(result), tone});
  }

  const Resolution& resolution_;
  ObjectId requester_;
  bool every_probe_;
  std::vector<SearchRow> rows_;
  std::string rule_;  ///< of the group being told, until its first row is out
  std::size_t count_ = 0;
};

}  // namespace

std::string_view spoken(SearchRule rule) {
  switch (rule) {
    case SearchRule::path: return "path as given";
    case SearchRule::already_loaded: return "already loaded";
    case SearchRule::rpath: return "DT_RPATH";
    case SearchRule::ld_library_path: return "LD_LIBRARY_PATH";
    case SearchRule::runpath: return "DT_RUNPATH";
    case SearchRule::cache: return "/etc/ld.so.cache";
    case SearchRule::default_folder: return "system directories";
    case SearchRule::preload: return "preload";
    case SearchRule::manifest: return "manifest";
    case SearchRule::loaded_module: return "already loaded";
    case SearchRule::known_dll: return "known DLL";
    case SearchRule::api_set: return "API set";
    case SearchRule::application_folder: return "application directory";
    case SearchRule::dll_load_folder: return "directory of the loaded file";
    case SearchRule::user_folder: return "added DLL directory";
    case SearchRule::system_folder: return "system directory";
    case SearchRule::system16_folder: return "16-bit system directory";
    case SearchRule::windows_folder: return "Windows directory";
    case SearchRule::current_folder: return "current directory";
    case SearchRule::path_variable: return "PATH";
  }
  return "";
}

std::string bracketed(SearchRule rule) {
  switch (rule) {
    case SearchRule::path: return "[path]";
    case SearchRule::already_loaded: return "[already loaded]";
    case SearchRule::rpath: return "[rpath]";
    case SearchRule::ld_library_path: return "[LD_LIBRARY_PATH]";
    case SearchRule::runpath: return "[runpath]";
    case SearchRule::cache: return "[ld.so.cache]";
    case SearchRule::default_folder: return "[system directory]";
    case SearchRule::preload: return "[preload]";
    default: return fmt::format("[{}]", spoken(rule));
  }
  return "";
}

std::string result_words(const Probe& probe) {
  const bool nothing_to_add = probe.detail == std::strerror(ENOENT);
  switch (probe.result) {
    case ProbeResult::found: return "found";
    case ProbeResult::absent: return probe.detail.empty() || nothing_to_add ? "not there" : escaped(probe.detail);
    case ProbeResult::wrong_class: return with_detail("32 and 64 bit do not mix", probe.detail);
    case ProbeResult::wrong_machine: return with_detail("for another machine", probe.detail);
    case ProbeResult::not_elf: return with_detail("not an ELF file", probe.detail);
    case ProbeResult::not_pe: return with_detail("not a PE file", probe.detail);
    case ProbeResult::unreadable: return with_detail("cannot be read", probe.detail);
    case ProbeResult::abi_too_new: return with_detail("needs a newer kernel", probe.detail);
    case ProbeResult::isa_too_new: return with_detail("needs a newer processor", probe.detail);
    case ProbeResult::malformed: return with_detail("refused", probe.detail);
    case ProbeResult::refused: return with_detail("not opened", probe.detail);
  }
  return "";
}

std::vector<SearchRow> search_rows(const Resolution& resolution, ObjectId requester, const Edge& edge,
                                   bool every_probe) {
  const auto& probes = edge.search.probes;
  const auto& skipped = edge.search.skipped;
  RowMaker rows(resolution, requester, every_probe);
  std::size_t next_skipped = 0;
  const auto add_skipped_before = [&](std::size_t probe) {
    for (; next_skipped < skipped.size() && skipped[next_skipped].before <= probe; ++next_skipped)
      rows.add_skipped(skipped[next_skipped]);
  };
  for (std::size_t i = 0; i < probes.size();) {
    add_skipped_before(i);
    const std::size_t stop =
        next_skipped < skipped.size() ? std::min(skipped[next_skipped].before, probes.size()) : probes.size();
    TriedGroup group{probes[i].rule, probes[i].of, {}};
    for (; i < stop && probes[i].rule == group.rule && probes[i].of == group.of; ++i)
      group.probes.push_back(&probes[i]);
    rows.add_group(std::move(group));
  }
  add_skipped_before(static_cast<std::size_t>(-1));
  return rows.take();
}

std::string searched_words(const Resolution& resolution, ObjectId requester, const Edge& edge) {
  std::vector<std::string> words;
  const auto add = [&](std::string text) {
    if (std::find(words.begin(), words.end(), text) == words.end()) words.push_back(std::move(text));
  };
  const auto& probes = edge.search.probes;
  const auto& skipped = edge.search.skipped;
  std::size_t next_skipped = 0;
  const auto add_skipped_before = [&](std::size_t probe) {
    for (; next_skipped < skipped.size() && skipped[next_skipped].before <= probe; ++next_skipped)
      add(fmt::format("{} ({})", rule_label(resolution, requester, skipped[next_skipped]),
                      escaped(skipped[next_skipped].reason)));
  };
  for (std::size_t i = 0; i < probes.size();) {
    add_skipped_before(i);
    TriedGroup group{probes[i].rule, probes[i].of, {}};
    for (; i < probes.size() && probes[i].rule == group.rule && probes[i].of == group.of; ++i)
      group.probes.push_back(&probes[i]);
    fold_subfolders(group);
    const std::size_t count = group.probes.size();
    const std::string label = rule_label(resolution, requester, group.rule, group.of);
    if (group.rule == SearchRule::already_loaded || group.rule == SearchRule::cache) {
      add(label);
    } else if (group.rule == SearchRule::default_folder) {
      add(fmt::format("{} system director{}", count, count == 1 ? "y" : "ies"));
    } else if (count == 1) {
      const bool absent = is_plain_miss(*group.probes.front()) && !group.probes.front()->detail.empty();
      add(label + " " + folder_of(*group.probes.front()) +
          (absent ? " (" + result_words(*group.probes.front()) + ")" : ""));
    } else {
      add(fmt::format("{} ({} directories)", label, count));
    }
  }
  add_skipped_before(static_cast<std::size_t>(-1));
  return fmt::format("{}", fmt::join(words, ", "));
}

void write_search_table(const std::vector<SearchRow>& rows, TextWriter& text) {
  constexpr std::string_view title = "searched, in this order", gap = "   ";
  constexpr std::size_t number_width = 4, longest_inline_rule = 24, indent_below_rule = 6;

  // First the left column of each line, then the place where the right one starts.
  struct Line {
    std::string left, result;
    Tone tone;
  };
  std::vector<Line> lines;
  std::size_t place_column = 0;
  for (const SearchRow& row : rows) {
    if (row.number == 0) {
      lines.push_back({std::string(place_column, ' ') + row.place, row.result, row.tone});
      continue;
    }
    std::string left = fmt::format("{:>3} {}", row.number, row.rule);
    const std::size_t rule_width = display_width(row.rule);
    place_column = number_width + rule_width + 2;
    if (!row.place.empty() && rule_width > longest_inline_rule) {
      place_column = indent_below_rule;
      lines.push_back({std::move(left), "", Tone::plain});
      left = std::string(place_column, ' ') + row.place;
    } else if (!row.place.empty()) {
      left += "  " + row.place;
    }
    lines.push_back({std::move(left), row.result, row.tone});
  }

  const std::size_t widest_left = text.width() * 3 / 5;
  std::size_t column = title.size();
  for (const Line& line : lines)
    if (const std::size_t width = display_width(line.left); width <= widest_left) column = std::max(column, width);
  column += gap.size();

  text.line(text.painted(Tone::label, title) + std::string(column - title.size(), ' ') +
            text.painted(Tone::label, "result"));
  const std::size_t room = std::max(text.width(), column + 20) - column;
  for (const Line& line : lines) {
    std::string left = line.left;
    if (line.result.empty() || display_width(left) + gap.size() > column) {
      text.line(left);
      left.clear();
    }
    if (line.result.empty()) continue;
    for (const std::string& part : wrapped(line.result, room)) {
      text.line(left + std::string(column - display_width(left), ' ') + text.painted(line.tone, part));
      left.clear();
    }
  }
}

}  // namespace cudald
