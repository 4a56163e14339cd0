// What a pasted message about a name or a submodule proves amid packages: which release of the one that is installed
// has it, or that another source of the module was imported. Source: data/changed-names.json; CPython
// Python/ceval.c, import_from, which names the source of the module behind the error.
#include "check/packages/message_names.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/shell_word.h"
#include "base/version_order.h"
#include "check/fixes/installer.h"
#include "knowledge/named_modules.h"
#include "package/dist_info.h"
#include "package/requirement.h"
#include "package/version.h"

namespace cudald {
namespace {

/// The package that was asked for, if it is another one than the distribution whose name is lacking.
std::optional<PackageName> asker_of_name(const Report& report, Store& store, const std::string& distribution) {
  for (const auto& import : report.resolution.imports)
    for (const auto& package : import.packages) {
      if (package.folder.empty() || package.name != import.module.substr(0, import.module.find('.'))) continue;
      const auto* found = store.installed.package_of(package.folder + "__init__.py");
      if (found == nullptr || normal_distribution_name(found->name) == distribution) return std::nullopt;
      return *found;
    }
  return std::nullopt;
}

}  // namespace

Object place_of_packages(const Report& report) {
  Object place;
  const auto is_known = [&] { return place.path.find("-packages/") != std::string::npos; };
  for (const auto& import : report.resolution.imports)
    for (const auto& package : import.packages)
      if (!is_known()) place.path = package.folder + "x";
  // Of directories without code no file was read.
  for (const auto& import : report.resolution.imports)
    if (!is_known()) place.path = place_in_packages(import);
  return place;
}

bool tell_changed_name(const Report& report, const MessageReading& message, Store& store, Finding& finding) {
  const auto known = changed_name_of(message);
  if (!known) return false;
  const auto& files = store.images.files();
  const auto place = place_of_packages(report);
  const Installer installer(report, place, files);
  const auto there =
      installer.site().empty() ? std::nullopt : installed_metadata(files, installer.site(), known->distribution);
  if (!there || allows(known->releases, there->version) ||
      (!known->again.empty() && allows(">=" + known->again, there->version)))
    return false;
  const auto change = told_of_change(*known, message);
  finding.message = fmt::format("{}, and {} {} is installed", change, there->name, there->version);
  finding.evidence.push_back({change, "", Basis::table, known->source});
  const auto asker = asker_of_name(report, store, known->distribution);
  if (asker) finding.fixes.push_back(installer.newest_of(*asker, {there->name, there->version}));
  add_release_with_name(*known, known->distribution, python_release(report), installer, finding);
  return true;
}

bool tell_other_source(Store& store, const MessageReading& message, Finding& finding) {
  const auto file = source_in_message(message);
  const auto& files = store.images.files();
  if (file.empty() || file.find("-packages/") != std::string::npos || !is_file(files, file)) return false;
  auto completed = message;
  complete_by_names(completed);
  if (completed.command == message.command) return false;
  finding.message = completed.means;
  finding.evidence.push_back({"the message names it, and it is not what is imported here", file, Basis::proven, ""});
  finding.consequence = "The import of the installed package works, where Python is started elsewhere.";
  finding.fixes.push_back({completed.fix, completed.command, ""});
  return true;
}

}  // namespace cudald
