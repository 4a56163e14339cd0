// CUD122: System32 answers for a DLL that others bring in versions of their own. Which DLLs those are is in
// data/windows.json.

#include <algorithm>

#include <fmt/format.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "base/windows_path.h"
#include "check/findings/near_dlls.h"
#include "knowledge/windows_names.h"
#include "machine/windows_host.h"

namespace cudald {
namespace {

/// The copies of other packages, and how their directories are searched before System32.
void add_copies(const Case& given, const std::string& name, Finding& finding) {
  for (const auto& copy : near_dlls(given, name)) {
    if (!copy.exact) continue;
    finding.evidence.push_back(
        {fmt::format("{} has one as well, and nothing loads it before", copy.folder), copy.path, Basis::proven, ""});
    finding.fixes.push_back(
        {"in Python, before the import", "import os; os.add_dll_directory(r" + windows_word(copy.folder) + ")", ""});
  }
}

}  // namespace

void check_windows_copies(const Case& given) {
  auto& report = given.report;
  const auto* host = given.windows;
  const auto& objects = report.resolution.objects;
  for (ObjectId id = 0; host != nullptr && id < objects.size(); ++id)
    for (const auto& edge : objects[id].edges) {
      if (!edge.hard || !edge.object || objects[id].known_by_name) continue;
      const auto& dll = objects[*edge.object];
      const auto name = folded(windows_file_name(dll.load_name));
      const auto own = own_copy(name);
      if (!own || folded(windows_folder(dll.load_name)) != folded(host->system())) continue;
      auto finding = make_finding("CUD122");
      finding.level = std::max(Level::warning, level_of_failure(report, report.resolution.targets[objects[id].target]));
      finding.object = id;
      finding.subject = short_name(dll);
      finding.message = fmt::format("{} needs {}, and Windows' own copy is loaded: {}", short_name(objects[id]),
                                    edge.name, dll.load_name);
      finding.consequence = "It loads, and fails when it is used, if it needs a newer version.";
      finding.evidence.push_back({own->says, "", Basis::table, own->source});
      add_copies(given, edge.name, finding);
      finding.fixes.push_back(
          {fmt::format("put the {} that {} is built for into the same directory", edge.name, short_name(objects[id])),
           "", ""});
      report.findings.push_back(std::move(finding));
      return;
    }
}

}  // namespace cudald
