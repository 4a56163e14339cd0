#include "package/wheel_tags.h"

#include <algorithm>
#include <charconv>

#include "base/path.h"

namespace cudald {
namespace {

// Source: PEP 425; packaging.tags, compatible_tags and cpython_tags.
bool fits_python(const WheelFileName& name, std::string_view python_version) {
  const auto minor = minor_version(python_version);
  const auto is = [](const std::vector<std::string>& tags, std::string_view wanted) {
    return std::find(tags.begin(), tags.end(), wanted) != tags.end();
  };
  // "cp313t" and "abi3t" are ABIs of a Python without the global lock, which is not the usual one.
  const bool free_threaded = std::all_of(name.abi_tags.begin(), name.abi_tags.end(), [](const std::string& abi) {
    return (abi.starts_with("cp3") && abi.ends_with('t')) || abi == "abi3t";
  });
  if (free_threaded && !name.abi_tags.empty()) return false;
  return std::any_of(name.python_tags.begin(), name.python_tags.end(), [&](const std::string& tag) {
    if (tag == "py3") return true;
    if (tag.starts_with("cp3")) {
      if (minor < 0 || minor_version(tag) == minor) return true;
      return is(name.abi_tags, "abi3") && minor_version(tag) <= minor;
    }
    return tag.starts_with("py3") && (minor < 0 || minor_version(tag) <= minor);
  });
}

/// The C library that "manylinux_2_28_x86_64" or "musllinux_1_2_x86_64" is made for; nullopt if the tag names none.
/// Source: PEP 600, "Legacy manylinux tags"; PEP 656.
std::optional<LibcVersion> libc_of_tag(std::string_view tag) {
  constexpr std::pair<std::string_view, int> old_names[] = {
      {"manylinux1_", 5}, {"manylinux2010_", 12}, {"manylinux2014_", 17}};
  for (const auto& [name, minor] : old_names)
    if (tag.starts_with(name)) return LibcVersion{LibcKind::glibc, 2, minor};
  const bool musl = tag.starts_with("musllinux_");
  if (!musl && !tag.starts_with("manylinux_")) return std::nullopt;
  const auto parts = split(tag, "_");
  constexpr std::size_t least_parts = 4;
  if (parts.size() < least_parts) return std::nullopt;
  LibcVersion version{musl ? LibcKind::musl : LibcKind::glibc, -1, -1};
  std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), version.major);
  std::from_chars(parts[2].data(), parts[2].data() + parts[2].size(), version.minor);
  if (version.major < 0 || version.minor < 0) return std::nullopt;
  return version;
}

/// Whether it is made for a C library that is not newer.
bool fits_libc(std::string_view tag, const WheelEnvironment& environment) {
  const auto made_for = libc_of_tag(tag);
  if (!made_for) return false;
  if (environment.musl)
    return made_for->kind == LibcKind::musl && made_for->major == environment.musl->major &&
           made_for->minor <= environment.musl->minor;
  if (made_for->kind != LibcKind::glibc) return false;
  return !environment.glibc || environment.glibc->at_least(made_for->major, made_for->minor);
}

bool fits_machine(const WheelFileName& name, const WheelEnvironment& environment) {
  return std::any_of(name.platform_tags.begin(), name.platform_tags.end(), [&](const std::string& tag) {
    if (tag == "any" || tag == environment.windows_tag) return true;
    if (!environment.windows_tag.empty()) return false;
    if (!tag.ends_with("_" + environment.machine)) return false;
    if (tag.starts_with("linux")) return true;
    return fits_libc(tag, environment);
  });
}

}  // namespace

int minor_version(std::string_view text) {
  int minor = -1;
  const auto at = text.find('3');
  if (at == std::string_view::npos) return -1;
  const auto digits = text.substr(at + 1).starts_with('.') ? text.substr(at + 2) : text.substr(at + 1);
  std::from_chars(digits.data(), digits.data() + digits.size(), minor);
  return minor;
}

bool is_stable_abi_tag(std::string_view tag) { return tag == "abi3" || tag == "abi3t"; }

bool fits(const WheelFileName& name, const WheelEnvironment& environment) {
  // Installers of today know no variants and leave them.
  return name.variant.empty() && fits_python(name, environment.python_version) && fits_machine(name, environment);
}

WheelPreference preference_of(const WheelFileName& name, const WheelEnvironment& environment) {
  constexpr int thousand = 1000;
  WheelPreference best;
  const bool made_for_one = std::any_of(name.abi_tags.begin(), name.abi_tags.end(), [](const std::string& abi) {
    return abi != "none" && !is_stable_abi_tag(abi);
  });
  const bool stable = std::any_of(name.abi_tags.begin(), name.abi_tags.end(), is_stable_abi_tag);
  best.python = made_for_one ? 2 : stable ? 1 : 0;
  for (const auto& tag : name.platform_tags) {
    if (!fits_machine({name.distribution, name.version, "", {}, {}, {tag}}, environment)) continue;
    if (tag == "any") continue;
    const auto libc = libc_of_tag(tag);
    best.platform = std::max(best.platform, libc ? libc->major * thousand + libc->minor : 1);
  }
  return best;
}

std::optional<WheelRank> rank_of(const WheelFileName& name, const std::vector<std::string>& specifiers,
                                 const WheelEnvironment& environment) {
  const auto version = parse_version(name.version);
  const auto allowed = [&](const std::string& specifier) { return allows(specifier, name.version); };
  if (!version || !fits(name, environment) || !std::all_of(specifiers.begin(), specifiers.end(), allowed))
    return std::nullopt;
  return WheelRank(!version->is_prerelease(), *version, preference_of(name, environment));
}

}  // namespace cudald
