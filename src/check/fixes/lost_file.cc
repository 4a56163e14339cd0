#include "check/fixes/lost_file.h"

#include <algorithm>

#include "base/path.h"
#include "base/shell_word.h"
#include "check/fixes/install_commands.h"

namespace cudald {
bool add_lost_file(const MissingLibrary& missing) {
  const auto& installer = missing.installer();
  if (installer.site().empty() || missing.edge.name.find('/') != std::string::npos) return false;
  const auto damaged = missing.store.installed.package_that_lost(installer.site(), missing.edge.name);
  if (!damaged) return false;
  const auto& path = damaged->gone.front();
  const auto folder = std::string(parent_path(path));
  const bool searched = missing.is_tried([&](const Probe& probe) { return missing.place_of(probe) == path; });
  installer.add_reinstallation(*damaged, missing.finding);
  if (!searched)
    missing.finding.fixes.back().command += "\n" + export_search_path({shell_folder(folder)}, installer.python());
  missing.remedies[missing.edge.name] = {installer.install_again(), shell_word(damaged->name + "==" + damaged->version),
                                         searched ? "" : shell_folder(folder)};
  return true;
}

void add_lost_file_at(const MissingLibrary& missing, const std::string& path) {
  // What is given as an archive is as its author made it: the same release again is no better.
  if (missing.packages.package_of(path) != nullptr) {
    missing.offer(
        {"take another release or build of the package, and report this one to its maintainer; "
         "installing the same one again changes nothing",
         "", ""});
    return;
  }
  const auto* package = missing.store.installed.package_of(path);
  const auto& installer = missing.installer();
  if (package == nullptr || path.find("-packages/") == std::string::npos) return;
  missing.finding.fixes.insert(missing.finding.fixes.begin(), installer.reinstall(package->name, package->version));
  missing.remedies[missing.finding.subject] = {installer.install_again(),
                                               shell_word(package->name + "==" + package->version), ""};
}

}  // namespace cudald
