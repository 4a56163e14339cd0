#include "audit/windows_wheel.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include <cudald/image.h>

#include "audit/requirements.h"
#include "base/path.h"
#include "base/windows_path.h"
#include "knowledge/windows_names.h"

namespace cudald {
namespace {

/// Of a wheel for several Pythons; each has what the newest has.
constexpr int newest_python = 14;

/// The machine of "win_amd64", in the words of machine_name; empty for any other tag.
std::string machine_of_tag(const std::string& tag) {
  return tag == "win_amd64" ? "x86_64" : tag == "win32" ? "i386" : tag == "win_arm64" ? "aarch64" : "";
}

/// As Python's markers call it.
std::string marker_machine(const std::string& machine) {
  return machine == "aarch64" ? "ARM64" : machine == "i386" ? "x86" : "AMD64";
}

class WindowsWheel {
 public:
  WindowsWheel(const Package& package, const PackageTree& tree, ImageStore& images, const std::string& python,
               const Knowledge& knowledge, WheelReport& report)
      : package_(package), tree_(tree), images_(images), python_(python), knowledge_(knowledge), report_(report) {
    for (const auto& tag : report.platform_tags)
      if (machine_.empty()) machine_ = machine_of_tag(tag);
    if (machine_.empty()) machine_ = machine_of_tag(report.windows_tag);
  }

  void run() {
    auto paths = package_.libraries;
    paths.insert(paths.end(), package_.programs.begin(), package_.programs.end());
    for (const auto& path : paths) own_.insert(folded(file_name(path)));
    for (const auto& path : paths) add_imports(path);
    bringers_ =
        bringers_of(package_, tree_, windows_marker_values(python_, marker_machine(machine_)), true, knowledge_);
    for (auto& [name, library] : found_) {
      library.standing = standing_of(name);
      if (library.standing == Standing::declared) library.packages = bringers_.by_library[name];
      report_.external.push_back(std::move(library));
    }
  }

 private:
  void add_imports(const std::string& path) {
    const auto& opened = images_.open(path);
    if (opened.error || !opened.image->is_pe() || machine_name(opened.image->machine) != machine_) return;
    auto member = tree_.shown(path);
    const auto archive = std::string(file_name(package_.archive)) + "!/";
    if (member.starts_with(archive)) member.erase(0, archive.size());
    programs_only_ = programs_only_ && (opened.image->pe->characteristics & pe_dll) == 0;
    for (const auto& import : opened.image->pe->imports) {
      const auto key = folded(import.name);
      if (own_.contains(key)) continue;
      auto& library = found_[key];
      if (library.name.empty()) library.name = import.name;
      auto& members = library.members;
      if (members.empty() || members.back() != member) members.push_back(member);
    }
  }

  Standing standing_of(const std::string& name) const {
    // A program begins in the folder Scripts, where Python's copies do not lie.
    if (is_of_windows(name) || (!programs_only_ && is_of_python(name))) return Standing::promised;
    // Of a module for another Python than the one that the wheel names.
    if (name.starts_with("python3") && name.ends_with(".dll")) return Standing::python;
    if (bringers_.by_library.contains(name)) return Standing::declared;
    if (const auto later = added_later(name)) return later->command.empty() ? Standing::driver : Standing::added_later;
    return bringers_.complete || looks_like_api_set(name) ? Standing::undeclared : Standing::possible;
  }

  static bool is_of_windows(const std::string& name) {
    return is_in_system32(name) || is_known_dll(name) || (is_api_set(name) && api_set_host(name, ""));
  }

  bool is_of_python(const std::string& name) const {
    int minor = newest_python;
    if (const auto dot = python_.find('.'); dot != std::string::npos)
      std::from_chars(python_.data() + dot + 1, python_.data() + python_.size(), minor);
    // A wheel for several Pythons has modules for each.
    const bool of_some = name.starts_with("python3") && name.ends_with(".dll") && python_.empty();
    return of_some || is_beside_python(name, minor);
  }

  const Package& package_;
  const PackageTree& tree_;
  ImageStore& images_;
  const std::string& python_;
  const Knowledge& knowledge_;
  WheelReport& report_;
  std::string machine_;
  std::set<std::string> own_;  ///< names in lower case, as all keys below
  std::map<std::string, ExternalLibrary> found_;
  Bringers bringers_;
  bool programs_only_ = true;
};

}  // namespace

void add_windows_libraries(const Package& package, const PackageTree& tree, ImageStore& images,
                           const std::string& python_version, const Knowledge& knowledge, WheelReport& report) {
  WindowsWheel(package, tree, images, python_version, knowledge, report).run();
}

}  // namespace cudald
