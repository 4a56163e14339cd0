// Some names on the Python package index are those of another project than the one that users have in mind: apex is
// none of NVIDIA's. No release of it helps.
// Source: data/requirements.json, other_projects.
#include "check/packages/other_project.h"

#include <fmt/format.h>

#include "base/shell_word.h"
#include "check/packages/lacked_names.h"
#include "knowledge/known_packages.h"
#include "package/wheel_texts.h"

namespace cudald {

bool tell_other_project(const Report& report, const Import& import, Store& store, Finding& finding) {
  std::vector<std::string> files{file_of(import.raised_at)};
  if (import.lacked) files.insert(files.end(), {file_of(import.lacked->asked_at), import.lacked->file});
  for (const auto& missing : import.missing)
    if (missing.required) files.push_back(file_of(missing.asked_at));
  for (const auto& file : files) {
    const auto* owner = file.empty() ? nullptr : store.installed.package_of(file);
    const auto other = owner == nullptr ? std::nullopt : other_project_of(normal_distribution_name(owner->name));
    if (!other) continue;
    const auto installer = installer_for(report, import, import.module, file, store.images.files());
    finding.evidence.push_back({fmt::format("{} {} is {}, which is another project than {}", owner->name,
                                            owner->version, other->is, other->wanted),
                                file, Basis::table, other->source});
    finding.fixes.insert(
        finding.fixes.begin(),
        {fmt::format("if {} is what you need: uninstall this one, and install that", other->wanted),
         installer.uninstall() + shell_word(owner->name) + "\n" + installer.install() + other->install, ""});
    return true;
  }
  return false;
}

}  // namespace cudald
