#include "check/fixes/patchelf_fix.h"

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/path.h"
#include "base/relative_path.h"
#include "base/shell_word.h"
#include "check/findings/system_packages.h"

namespace cudald {

bool is_system_path(const std::string& path) {
  return path.starts_with("/usr/lib") || path.starts_with("/lib") || path.starts_with("/usr/bin");
}

bool is_of_package(const std::string& path, const SystemPackages& system) {
  return is_system_path(path) || path.starts_with("/usr/sbin/") || path.starts_with("/sbin/") ||
         system.owns_in_opt(path);
}

bool has_record(const Object& file, const PackageTree& packages) {
  if (const auto* given = packages.package_of(file.path)) return given->archive.ends_with(".whl");
  const auto is_below = [&](std::string_view folder) { return file.path.find(folder) != std::string::npos; };
  return file.package && (is_below("/site-packages/") || is_below("/dist-packages/"));
}

std::string patchelf_command(const FileEdit& edit, bool is_rpath) {
  const auto options = [&]() -> std::string {
    switch (edit.kind) {
      case FileEdit::Kind::add_directory:
        return (is_rpath ? "--force-rpath --add-rpath " : "--add-rpath ") + shell_word(edit.value);
      case FileEdit::Kind::set_directories:
        if (edit.value.empty()) return "--remove-rpath";
        return (is_rpath ? "--force-rpath --set-rpath " : "--set-rpath ") + shell_word(edit.value);
      case FileEdit::Kind::rename_needed:
        return fmt::format("--replace-needed {} {}", shell_word(edit.old), shell_word(edit.value));
      case FileEdit::Kind::add_needed: return "--add-needed " + shell_word(edit.value);
      case FileEdit::Kind::clear_executable_stack: return "--clear-execstack";
    }
    return "";
  };
  return fmt::format("patchelf {} {}", options(), shell_word(edit.path));
}

std::string patchelf_commands(const std::vector<FileEdit>& edits, const Object& file, const PackageTree& packages) {
  const bool is_rpath = file.image && file.image->elf.heeds_rpath();
  std::string commands;
  for (auto edit : edits) {
    if (packages.package_of(edit.path) != nullptr) {
      const auto shown = packages.shown(edit.path);
      const auto member = shown.find("!/");
      edit.path = member == std::string::npos ? shown : shown.substr(member + 2);
    }
    commands += (commands.empty() ? "" : "\n") + patchelf_command(edit, is_rpath);
  }
  return commands;
}

Fix patchelf_fix(std::string title, std::vector<FileEdit> edits, const Object& file, const PackageTree& packages) {
  const bool packed = packages.package_of(file.path) != nullptr;
  Fix fix{packed ? "maintainer fix: " + title : std::move(title), patchelf_commands(edits, file, packages),
          has_record(file, packages) ? "its hash in the package's RECORD no longer matches" : ""};
  fix.edits = std::move(edits);
  return fix;
}

namespace {

/// What installs patchelf; empty if that is not known. Red Hat has it in EPEL alone, which its rebuilds have a package
/// for. Sources: the packages of this name in Debian, Fedora, openSUSE, Arch Linux and Alpine; Fedora, EPEL, Getting
/// started, "CentOS Stream", "RHEL-compatible distributions".
std::string installation_of_patchelf(const SystemPackages& system) {
  if (system.is("amzn")) return "";
  const auto install = system.install("patchelf");
  if (!system.is("rhel") && !system.is("centos")) return install;
  return system.is("centos") ? system.install("epel-release") + " && " + install : "";
}

}  // namespace

void add_patchelf_itself(Report& report, ImageStore& images) {
  std::vector<Fix*> users;
  for (auto& finding : report.findings)
    for (auto& fix : finding.fixes)
      if ((fix.command.starts_with("patchelf ") || fix.command.starts_with("sudo patchelf ")) &&
          !fix.title.starts_with("maintainer fix"))
        users.push_back(&fix);
  if (users.empty()) return;
  for (const auto* place : {"/usr/bin/patchelf", "/usr/local/bin/patchelf", "/bin/patchelf"})
    if (is_file(images.files(), place)) return;
  const SystemPackages system(images);
  const auto install = installation_of_patchelf(system);
  if (install.empty()) return;
  for (auto* fix : users)
    if (system.is_container())
      fix->command.insert(0, install + "\n");
    else if (fix->side_effect.empty())
      fix->side_effect = "needs: " + install;
}

FileEdit added_directory(const Object& file, const std::string& folder) {
  return {file.path, FileEdit::Kind::add_directory,
          "$ORIGIN" + relative_path(std::string(parent_path(file.path)), folder)};
}

}  // namespace cudald
