#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <cudald/wheel.h>
#include <cudald/writers.h>

#include "base/extension_suffix.h"
#include "base/path.h"
#include "base/version_order.h"
#include "report/json/image_facts.h"
#include "report/text/text.h"

namespace cudald {
namespace {

std::string escaped_list(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const auto& word : words) {
    if (!text.empty()) text += separator;
    text += escaped(word);
  }
  return text;
}

/// The first few, and how many more there are.
std::string first_few(const std::vector<std::string>& words, std::size_t most) {
  const auto shown = std::min(words.size(), most);
  auto text = escaped_list({words.begin(), words.begin() + static_cast<std::ptrdiff_t>(shown)}, ", ");
  if (words.size() > shown) text += fmt::format(" and {} more", words.size() - shown);
  return text;
}

class WheelText {
 public:
  WheelText(const WheelReport& wheel, TextWriter& text) : wheel_(wheel), text_(text) {}

  void tell() {
    text_.line(text_.painted(Tone::strong, escaped(file_name(wheel_.path))));
    tell_verdict();
    if (text_.style().verbosity < 0) return;
    tell_metadata();
    tell_files();
    tell_external();
    tell_obstacles();
    if (wheel_.problems != 0)
      fact("problems", fmt::format("{} in the archive or its RECORD; `cudald check` tells them", wheel_.problems));
    if (verbose()) tell_needs();
  }

 private:
  bool verbose() const { return text_.style().verbosity > 0; }

  void fact(std::string_view label, std::string_view value, std::string_view note = {}) {
    text_.labelled(label == label_ ? "" : label, value, 2, note);
    label_ = label;
  }

  void verdict(Tone tone, std::string_view word, std::string_view sentence) {
    text_.paragraph(fmt::format("{}  {}", text_.painted(tone, word), sentence));
  }

  void tell_verdict() {
    if (!wheel_.complete) return verdict(Tone::bad, "UNKNOWN", "it could not be judged in full");
    if (is_for_windows() && wheel_.is_for_other_machine())
      return verdict(Tone::bad, "WRONG MACHINE",
                     fmt::format("it claims {}, and its modules are made for {}", escaped(wheel_.platform_tags.front()),
                                 wheel_.windows_module_tags.front()));
    if (is_for_windows()) return tell_windows();
    if (wheel_.files.empty())
      return verdict(Tone::good, "PURE", "it holds no library, so nothing ties it to a platform");
    if (wheel_.is_for_other_machine())
      return verdict(Tone::bad, "WRONG MACHINE",
                     fmt::format("it claims {}, and its libraries are made for {}",
                                 escaped(wheel_.platform_tags.front()), wheel_.machine));
    if (!wheel_.fit) return verdict(Tone::bad, "UNKNOWN", "no platform tag is known for the machine of its libraries");
    const auto& fit = *wheel_.fit;
    const auto tag = wheel_.fitting_tag();
    if (fit.fits == fit.tags.size()) return tell_that_none_fits();
    if (!fit.claimed) return verdict(Tone::good, "FITS", tag);
    const auto claimed = escaped(fit.claimed_tag);
    if (fit.fits == *fit.claimed) return verdict(Tone::good, "FITS", tag + ", as it claims");
    if (fit.fits < *fit.claimed)
      return verdict(Tone::good, "FITS", fmt::format("{}, which is older than it claims ({})", tag, claimed));
    if (std::none_of(fit.obstacles.begin(), fit.obstacles.end(),
                     [&](const PolicyObstacle& obstacle) { return obstacle.since > *fit.claimed; }))
      return verdict(Tone::good, "FITS",
                     fmt::format("{}; it claims {}, and {}", tag, claimed, fit.unproven[*fit.claimed]));
    verdict(Tone::caution, "TAG TOO LOW", fmt::format("it claims {}, and fits {}", claimed, tag));
  }

  bool is_for_windows() const { return wheel_.files.empty() && !wheel_.windows_files.empty(); }

  void tell_windows() {
    std::size_t lacking = 0;
    for (const auto& library : wheel_.external)
      lacking += library.standing == Standing::added_later || library.standing == Standing::undeclared ? 1 : 0;
    verdict(lacking == 0 ? Tone::good : Tone::caution, "WINDOWS",
            fmt::format("{}: {}; {}", wheel_.windows_tag, counted(wheel_.windows_files.size(), "PE file"),
                        lacking == 0
                            ? std::string("needs nothing that a fresh Windows with Python lacks")
                            : fmt::format("needs {} that a fresh Windows with Python lacks", counted(lacking, "DLL"))));
  }

  void tell_that_none_fits() {
    const auto& fit = *wheel_.fit;
    std::string sentence = fit.claimed ? fmt::format("it claims {}", escaped(fit.claimed_tag)) : wheel_.fitting_tag();
    if (fit.fits_but_for_libraries < fit.tags.size()) {
      std::size_t libraries = 0, required = 0;
      for (const auto& obstacle : fit.obstacles)
        if (obstacle.kind == ObstacleKind::library && obstacle.since == fit.tags.size()) {
          ++libraries;
          required += is_required(obstacle.library);
        }
      sentence += fmt::format("; but for {} that no tag allows it fits {}",
                              libraries == 1 ? "a library" : fmt::format("{} libraries", libraries),
                              fit.tags[fit.fits_but_for_libraries]);
      if (required != 0) sentence += fmt::format("; its dependencies provide {} of them", required);
    }
    verdict(Tone::caution, "NO TAG", sentence);
  }

  bool is_required(const std::string& library) const {
    return std::any_of(wheel_.external.begin(), wheel_.external.end(),
                       [&](const ExternalLibrary& each) { return each.name == library && !each.packages.empty(); });
  }

  void tell_metadata() {
    fact("package", escaped(wheel_.name) + " " + escaped(wheel_.version));
    std::string python;
    if (!wheel_.python_tags.empty())
      python = escaped_list(wheel_.python_tags, ".") + "-" + escaped_list(wheel_.abi_tags, ".");
    if (!wheel_.requires_python.empty()) python += (python.empty() ? "" : ", ") + escaped(wheel_.requires_python);
    if (!python.empty()) fact("python", python);
    if (!wheel_.platform_tags.empty()) fact("claims", escaped_list(wheel_.platform_tags, " "));
    constexpr std::size_t most_told = 12;
    std::size_t shown = 0, left_out = 0, extras = 0;
    for (const auto& requirement : wheel_.requires_dist) {
      const bool extra = requirement.find("extra ==") != std::string::npos;
      if (!verbose() && (extra || shown == most_told)) {
        ++left_out;
        extras += extra ? 1 : 0;
        continue;
      }
      ++shown;
      fact("requires", escaped(requirement));
    }
    if (left_out == 0) return;
    const auto which = left_out == extras ? " for extras" : extras == 0 ? "" : ", mostly for extras";
    fact("requires", shown == 0 ? fmt::format("nothing; {} for extras (-v)", left_out)
                                : fmt::format("and {} more{} (-v)", left_out, which));
  }

  void tell_files() {
    if (!wheel_.unread.empty()) fact("unread", first_few(wheel_.unread, verbose() ? wheel_.unread.size() : 3));
    if (wheel_.files.empty()) return;
    std::map<std::string, std::size_t> modules;
    std::size_t judged = 0;
    std::map<std::string, std::vector<std::string>> aside, instructions;
    for (const auto& file : wheel_.files) {
      if (!file.set_aside.empty()) {
        aside[file.set_aside].push_back(file.member);
        continue;
      }
      ++judged;
      if (file.extension_module) ++modules[module_abi(file.member)];
      for (const auto& name : isa_names(*file.image)) instructions[name].push_back(file.member);
    }
    auto text = fmt::format("{} for {}", counted(judged, "file"),
                            wheel_.machine.empty() ? "a machine without platform tags" : wheel_.machine);
    const auto* separator = ": ";
    for (const auto& [abi, count] : modules) {
      text += separator + counted(count, "extension module") + (abi.empty() ? "" : " for " + escaped(abi));
      separator = ", ";
    }
    fact("libraries", text);
    for (const auto& [why, members] : aside)
      fact("set aside", fmt::format("{}: {}", first_few(members, verbose() ? members.size() : 3), why));
    for (const auto& [name, members] : instructions)
      if (name != "x86-64-baseline")
        fact("processor", fmt::format("{} for {}", name, first_few(members, verbose() ? members.size() : 3)));
  }

  /// "cpython-311" of "_C.cpython-311-x86_64-linux-gnu.so", "abi3" of "_C.abi3.so".
  static std::string module_abi(const std::string& member) {
    const auto parts = split(file_name(member), ".");
    if (parts.size() < 3) return "";
    const std::string tag(parts[parts.size() - 2]);
    const auto first = tag.find('-');
    return tag.substr(0, tag.starts_with("cpython-")     ? tag.find('-', first + 1)
                         : has_stable_abi_suffix(member) ? first
                                                         : std::string::npos);
  }

  /// Those of Windows and Python in one line; they are many.
  void tell_promised() {
    std::vector<std::string> names;
    std::size_t api_sets = 0;
    for (const auto& library : wheel_.external) {
      if (library.standing != Standing::promised) continue;
      if (library.name.starts_with("api-ms-"))
        ++api_sets;
      else
        names.push_back(library.name);
    }
    constexpr std::size_t most_told = 8;
    auto text = first_few(names, most_told);
    if (api_sets != 0) text += (text.empty() ? "" : "; ") + counted(api_sets, "API set");
    if (!text.empty()) fact("promised", text);
  }

  void tell_external() {
    const bool many = is_for_windows() && !verbose();
    if (many) tell_promised();
    std::vector<std::string> weak_versions;
    for (const auto& library : wheel_.external) {
      if (library.is_loader && !verbose()) continue;
      if (many && library.standing == Standing::promised) continue;
      std::map<std::string, std::string> newest, newest_weak;  // by prefix
      std::string versions;
      auto all = library.versions;
      std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return version_less(a.name, b.name); });
      for (const auto& version : all) {
        const auto name = escaped(version.name) + (version.weak ? " (weak)" : "");
        if (verbose()) versions += " " + name;
        (version.weak ? newest_weak : newest)[version.name.substr(0, version.name.find('_'))] = escaped(version.name);
      }
      if (!verbose())
        for (const auto& [prefix, name] : newest) versions += " " + name;
      std::string note = counted(library.members.size(), "file");
      note += standing_of(library);
      fact("external", escaped(library.name) + (versions.empty() ? "" : ":" + versions), note);
      for (const auto& [prefix, weak] : newest_weak)
        if (version_less(newest[prefix], weak)) weak_versions.push_back(weak + " of " + escaped(library.name));
    }
    if (!weak_versions.empty())
      fact("weak", escaped_list(weak_versions, ", ") + ": the loader forgives its absence; auditwheel counts it");
  }

  /// Who brings it, where the tag does not.
  static std::string standing_of(const ExternalLibrary& library) {
    switch (library.standing) {
      case Standing::declared: return ", by " + escaped_list(library.packages, ", ");
      case Standing::driver: return ", of NVIDIA's driver";
      case Standing::added_later: return ", of the Visual C++ redistributable";
      case Standing::python: return ", of Python, if that has it";
      case Standing::possible: return ", by nothing that is known";
      case Standing::undeclared: return ", undeclared";
      default: return "";
    }
  }

  std::string obstacle_text(const PolicyObstacle& obstacle) const {
    std::string what = escaped(obstacle.library);
    if (obstacle.kind == ObstacleKind::instructions) what = obstacle.name + " instructions";
    if (obstacle.kind == ObstacleKind::version || obstacle.kind == ObstacleKind::symbol)
      what = fmt::format("{} of {}", escaped(obstacle.name), escaped(obstacle.library));
    return fmt::format("{} ({})", what, first_few(obstacle.members, verbose() ? obstacle.members.size() : 1));
  }

  /// What stands against each tag, a line for each tag that lifts something.
  void tell_obstacles() {
    if (!wheel_.fit) return;
    const auto& fit = *wheel_.fit;
    for (auto group = fit.obstacles.begin(); group != fit.obstacles.end();) {
      const auto end = std::find_if(group, fit.obstacles.end(),
                                    [&](const PolicyObstacle& each) { return each.since != group->since; });
      std::vector<std::string> texts;
      for (auto each = group; each != end; ++each) texts.push_back(obstacle_text(*each));
      const auto shown = verbose() ? texts.size() : std::min<std::size_t>(texts.size(), 2);
      std::string line =
          group->since == fit.tags.size() ? "in no tag: " : "not before " + fit.tags[group->since] + ": ";
      for (std::size_t i = 0; i < shown; ++i) line += (i == 0 ? "" : ", ") + texts[i];
      if (shown < texts.size()) line += fmt::format(" and {} more", texts.size() - shown);
      fact("allowed", line);
      group = end;
    }
    for (std::size_t tag = 0; verbose() && tag < std::min(fit.fits, fit.tags.size()); ++tag)
      if (!fit.unproven[tag].empty()) fact("unproven", fit.tags[tag] + ": " + fit.unproven[tag]);
  }

  void tell_needs() {
    for (const auto& file : wheel_.files) {
      text_.line("  " + escaped(file.member));
      for (const auto& need : file.needs) {
        const std::string_view outside = need.is_loader ? "the loader" : "from outside";
        text_.labelled("", escaped(need.name), 2, need.inside.empty() ? outside : escaped(need.inside));
      }
    }
  }

  const WheelReport& wheel_;
  TextWriter& text_;
  std::string_view label_;
};

}  // namespace

void write_wheel(const WheelReport& wheel, const TextStyle& style, std::ostream& out) {
  TextWriter text(style, out);
  WheelText(wheel, text).tell();
}

}  // namespace cudald
