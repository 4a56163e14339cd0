#include "cli/commands/provides.h"

#include <algorithm>

#include <fmt/format.h>

#include <cudald/writers.h>

#include "base/path.h"
#include "cli/commands/lock_target.h"
#include "cli/options/exit_status.h"
#include "cli/output/views.h"
#include "cli/settings/online.h"
#include "knowledge/providers.h"
#include "lock/wheel_choice.h"
#include "package/package_tree.h"
#include "package/version.h"

namespace cudald {
namespace {

/// What was typed: "torch" or "torch==2.9.1".
struct WantedPackage {
  std::string name, version;
};

/// A package's name, in distinction to that of a library; nullopt if it is none.
std::optional<WantedPackage> wanted_package(const std::string& word) {
  for (const std::string_view part : {".so", ".dll", ".DLL", ".pyd", "/"})
    if (word.find(part) != std::string::npos) return std::nullopt;
  const auto equal = word.find("==");
  const auto name = word.substr(0, equal);
  constexpr auto allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  if (name.empty() || name.find_first_not_of(allowed) != std::string::npos) return std::nullopt;
  return WantedPackage{normal_distribution_name(name), equal == std::string::npos ? "" : word.substr(equal + 2)};
}

/// What the tables say of a package, by its newest release; nullopt if it is in none.
std::optional<ProvidedPackage> known_package(const WantedPackage& wanted, bool windows, const Knowledge& knowledge) {
  ProvidedPackage package{wanted.name, "", "", {}, {}, "", ""};
  for (const auto& [library, provider] : libraries_of(wanted.name, windows, knowledge))
    if (wanted.version.empty() ||
        (allows(">=" + provider.oldest, wanted.version) && allows("<=" + provider.version, wanted.version))) {
      package.libraries.push_back({library, provider.folder});
      package.source = provider.source;
    }
  const auto same = [](const PlacedLibrary& a, const PlacedLibrary& b) {
    return a.name == b.name && a.folder == b.folder;
  };
  auto& libraries = package.libraries;
  libraries.erase(std::unique(libraries.begin(), libraries.end(), same), libraries.end());
  if (libraries.empty()) return std::nullopt;
  return package;
}

/// Below site-packages, where it is.
PlacedLibrary placed(const std::string& path) {
  const auto site = std::string(PackageTree::site_packages) + "/";
  const std::string below = path.starts_with(site) ? path.substr(site.size()) : path;
  return {std::string(file_name(below)), std::string(parent_path(below))};
}

/// What the index has of a package. Error{usage} if it cannot be asked.
Result<ProvidedPackage> ask_index(const WantedPackage& wanted, const WheelEnvironment& environment, Online& online) {
  ProvidedPackage package;
  package.name = wanted.name;
  const auto wheels = online.wheels_of(wanted.name);
  if (!wheels && wheels.error().code == ErrorCode::usage) return wheels.error();
  if (!wheels) {
    package.error = wheels.error().code == ErrorCode::absent ? "the index has no wheels of a package of that name"
                                                             : "the index: " + wheels.error().message;
    return package;
  }
  const auto pin = wanted.version.empty() ? std::vector<std::string>() : std::vector{"==" + wanted.version};
  const auto* wheel = choose_wheel(*wheels, pin, environment);
  if (wheel == nullptr) {
    package.error = fmt::format("the index has no wheel of {}that fits this platform and Python",
                                wanted.version.empty() ? "it " : "version " + wanted.version + " ");
    return package;
  }
  package.version = parse_wheel_file_name(wheel->name)->version;
  package.file = wheel->name;
  PackageTree tree(online.tree());
  if (const auto number = tree.install(online.reach(*wheel))) {
    const auto& read = tree.packages()[*number];
    for (const auto& path : read.libraries) package.libraries.push_back(placed(path));
    package.requires_dist = read.requires_dist;
    package.source = "its wheel on the index";
    return package;
  } else {
    package.error = fmt::format("{}: {}", wheel->name, number.error().message);
  }
  // What it requires is known all the same.
  if (const auto metadata = wheel->has_metadata ? online.metadata(*wheel) : Result<std::string>(Error{}))
    package.requires_dist = parse_wheel_metadata(*metadata).requires_dist;
  return package;
}

}  // namespace

Result<int> provides(const Options& options, const TextStyle& style, const Host& host, Output& output) {
  ProvidesQuestion question;
  question.knowledge = options.resolved.table;
  const auto disk = make_disk_file_system();
  const auto online = Online::open(options, host, *disk);
  if (!online) return online.error();
  bool all_asked = true;
  for (const auto& word : options.arguments) {
    const auto wanted = wanted_package(word);
    auto known =
        wanted ? known_package(*wanted, options.world.windows.value_or(false), *options.resolved.table) : std::nullopt;
    if (!known && wanted && options.packages.online) {
      auto asked = ask_index(*wanted, wheels_for(options), **online);
      if (!asked) return asked.error();
      all_asked &= asked->error.empty() || asked->error.starts_with("the index has no");
      known = std::move(*asked);
    }
    if (known)
      question.packages.push_back(std::move(*known));
    else
      question.names.push_back(word);
  }
  (*online)->keep();
  const bool all_known = write_view(options.output.format, question, style, output.stream());
  return !all_asked ? exit_incomplete : all_known ? exit_fine : exit_findings;
}

}  // namespace cudald
