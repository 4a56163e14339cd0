// Compiled files of npm's packages are made where their makers release, and a newer release is often made on a newer
// system. Sources: npm install, ranges of versions; napi-rs, Cross Compilation; github.com/Brooooooklyn/keyring-node
// issue 93, in which 1.1.9 asks for a newer glibc than 1.1.8.

#include "check/fixes/npm_release.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/shell_word.h"
#include "package/npm_package.h"

namespace cudald {
namespace {

/// Where the name of the platform begins, "-linux-x64-gnu"; npos if there is none.
std::size_t platform_in(const std::string& name) {
  for (const auto* system : {"-linux-x64", "-linux-arm", "-linux-ppc64", "-linux-riscv64", "-linux-s390x"})
    if (const auto at = name.rfind(system); at != std::string::npos && at != 0) return at;
  return std::string::npos;
}

}  // namespace

std::optional<Fix> earlier_release_of_npm(const std::string& path, const FileSystem& files) {
  constexpr std::uint64_t most_description = 1 << 20;
  const auto package = path.ends_with(".node") ? npm_package_of(path) : std::nullopt;
  if (!package) return std::nullopt;
  const auto description = read_file(files, package->folder + "/package.json", most_description);
  const auto version = description ? text_at(parse_json(*description), "version") : std::string();
  const auto& name = package->name;
  // A name that is nothing but scope and platform, "@rollup/rollup-linux-x64-gnu", does not say who needs it.
  const auto platform = platform_in(name);
  const auto stem = name.substr(0, std::min(platform, name.size()));
  if (version.empty() || stem.ends_with("/binding")) return std::nullopt;
  const auto folder = path.substr(0, path.find("/node_modules/"));
  const bool packed = folder.ends_with(".asar.unpacked");
  const auto install = fmt::format("npm install {}{}", packed ? "" : "--prefix " + shell_word(folder) + " ",
                                   shell_word(fmt::format("{}@<{}", stem, version)));
  return Fix{fmt::format("install a release of {} before {}, which may be built for an older system", stem, version),
             install, packed ? "in the project from which the program is packed" : ""};
}

}  // namespace cudald
