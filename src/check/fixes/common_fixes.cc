#include "check/fixes/common_fixes.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/path.h"
#include "check/fixes/install_commands.h"

namespace cudald {
namespace {

/// "onnxruntime-gpu", "cuda" and "==1.23.2" of onnxruntime-gpu[cuda]==1.23.2.
struct WordWithExtra {
  std::string name, extras, version;

  explicit WordWithExtra(const std::string& word) {
    const auto open = word.find('['), close = word.find(']');
    if (open == std::string::npos || close == std::string::npos) return;
    name = word.substr(0, open);
    extras = word.substr(open + 1, close - open - 1);
    version = word.substr(close + 1);
  }
};

/// Of two releases of one package, "cudatoolkit=11.1" and "cudatoolkit=11.8", the older: only it has what asks for it.
/// Extras of one package become one word.
void add_requirement(std::set<std::string>& words, const std::string& word) {
  const auto name = word.substr(0, word.find('=') + 1);
  const WordWithExtra own(word);
  for (const auto& other : words) {
    const WordWithExtra known(other);
    if (!own.name.empty() && own.name == known.name && own.version == known.version) {
      const auto extras = known.extras + "," + own.extras;
      if (("," + known.extras + ",").find("," + own.extras + ",") != std::string::npos) return;
      words.erase(other);
      words.insert(own.name + "[" + extras + "]" + own.version);
      return;
    }
    if (name.ends_with('=') && !name.ends_with("==") && other.starts_with(name) && own.name.empty()) {
      const auto older = std::min(word, other);
      words.erase(other);
      words.insert(older);
      return;
    }
  }
  words.insert(word);
}

/// One command for everything that these objects miss, put before what helps against the first miss alone.
void add_fix_for(const std::vector<ObjectId>& requesters, const Report& report, const FixesOfRequesters& known,
                 const FileSystem& files, Finding& first) {
  std::map<std::string, std::set<std::string>> installs;
  std::vector<std::string> folders;
  std::set<std::string> provided, left, afterwards;
  for (const auto requester : requesters)
    for (const auto& [name, remedy] : known.at(requester).remedies) {
      provided.insert(name);
      if (!remedy.requirement.empty())
        for (const auto word : split(remedy.requirement, " "))
          add_requirement(installs[remedy.install], std::string(word));
      if (!remedy.folder.empty() && std::find(folders.begin(), folders.end(), remedy.folder) == folders.end())
        folders.push_back(remedy.folder);
      if (!remedy.then.empty()) afterwards.insert(remedy.then);
    }
  for (const auto& finding : report.findings)
    if (finding.object && finding.edge && finding.level == first.level && !provided.contains(finding.subject) &&
        std::find(requesters.begin(), requesters.end(), *finding.object) != requesters.end())
      left.insert(finding.subject);
  std::vector<std::string> lines;
  for (const auto& [install, words] : installs) lines.push_back(install + fmt::format("{}", fmt::join(words, " ")));
  if (!folders.empty()) {
    const Installer installer(report, report.resolution.objects[requesters.front()], files);
    lines.push_back(export_search_path(folders, installer.python()));
  }
  lines.insert(lines.end(), afterwards.begin(), afterwards.end());
  const auto command = fmt::format("{}", fmt::join(lines, "\n"));
  const auto same =
      std::find_if(first.fixes.begin(), first.fixes.end(), [&](const Fix& fix) { return fix.command == command; });
  const auto build = same != first.fixes.end() && same->other_build ? *same : Fix{};
  const auto own_title = same != first.fixes.end() && lines.size() == afterwards.size() ? same->title : std::string();
  // One package may bring them all: then that is said once.
  std::erase_if(first.fixes, [&](const Fix& fix) { return fix.command == command; });
  const auto title = left.empty()
                         ? fmt::format("provides all {} missing libraries", provided.size())
                         : fmt::format("provides {} of the {} missing libraries; nothing is known to provide {}",
                                       provided.size(), provided.size() + left.size(), fmt::join(left, ", "));
  Fix fix{title, command,
          folders.empty() ? "" : "for this shell; every program started from it then prefers these libraries"};
  if (!own_title.empty()) fix.title = own_title;
  fix.serves.assign(provided.begin(), provided.end());
  if (build.other_build) fix.title = build.title, fix.other_build = true, fix.reason = build.reason;
  const bool other_build = !first.fixes.empty() && first.fixes.front().other_build;
  first.fixes.insert(first.fixes.begin() + (other_build ? 1 : 0), fix);
}

}  // namespace

void add_common_fixes(Report& report, const FixesOfRequesters& known, const FileSystem& files) {
  // By the level of what fails: what is an error comes first, and is mended as a whole.
  for (const auto level : {Level::error, Level::warning, Level::note}) {
    std::vector<ObjectId> requesters;
    Finding* first = nullptr;
    std::size_t missing = 0;
    for (auto& finding : report.findings) {
      if (finding.level != level || !finding.object || !finding.edge || !known.contains(*finding.object)) continue;
      if (!known.at(*finding.object).remedies.contains(finding.subject)) continue;
      if (first == nullptr) first = &finding;
      ++missing;
      if (std::find(requesters.begin(), requesters.end(), *finding.object) == requesters.end())
        requesters.push_back(*finding.object);
    }
    if (missing > 1) add_fix_for(requesters, report, known, files, *first);
  }
}

}  // namespace cudald
