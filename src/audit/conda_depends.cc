#include "audit/conda_depends.h"

#include <algorithm>
#include <charconv>

#include "base/path.h"
#include "knowledge/conda_packages.h"
#include "package/conda_package.h"

namespace cudald {
namespace {

/// The first number of a version constraint: 12 of ">=12.8,<13"; nullopt if it names none.
std::optional<int> first_number(std::string_view version) {
  const auto at = version.find_first_of("0123456789");
  int number = 0;
  if (at == std::string_view::npos ||
      std::from_chars(version.data() + at, version.data() + version.size(), number).ec != std::errc())
    return std::nullopt;
  return number;
}

bool is_at_hand(const PackageTree& tree, const std::string& name) {
  return std::any_of(tree.packages().begin(), tree.packages().end(),
                     [&](const Package& package) { return package.name == name; });
}

}  // namespace

std::optional<CondaDepend> parse_conda_depend(std::string_view line) {
  std::vector<std::string_view> words = split(line, " \t");
  std::erase(words, "");
  if (words.empty()) return std::nullopt;
  CondaDepend depend;
  const auto sign = words.front().find_first_of("=<>!~");
  depend.name = words.front().substr(0, sign);
  if (sign != std::string_view::npos) depend.version = words.front().substr(sign);
  if (words.size() > 1) depend.version = words[1];
  return depend.name.empty() ? std::nullopt : std::optional(depend);
}

bool are_of_conda(const PackageTree& tree) {
  return !tree.packages().empty() && is_conda_package_name(tree.packages().front().archive);
}

std::vector<RequiredPackage> conda_requirements(const PackageTree& tree) {
  std::vector<RequiredPackage> found;
  for (const auto& package : tree.packages())
    for (const auto& line : package.depends) {
      const auto depend = parse_conda_depend(line);
      if (!depend || depend->name.starts_with("__")) continue;
      const bool known =
          std::any_of(found.begin(), found.end(), [&](const RequiredPackage& one) { return one.name == depend->name; });
      if (!known)
        found.push_back(
            {depend->name, depend->version, package.name, is_at_hand(tree, depend->name), {}, {}, false, ""});
    }
  return found;
}

LibcVersion conda_glibc(const PackageTree& tree) {
  LibcVersion version{LibcKind::glibc, 2, 17};
  for (const auto& package : tree.packages())
    for (const auto& line : package.depends) {
      const auto depend = parse_conda_depend(line);
      const auto dot = depend ? depend->version.find("2.") : std::string::npos;
      if (!depend || depend->name != "__glibc" || dot == std::string::npos) continue;
      int minor = 0;
      const auto* end = depend->version.data() + depend->version.size();
      if (std::from_chars(depend->version.data() + dot + 2, end, minor).ec == std::errc())
        version.minor = std::max(version.minor, minor);
    }
  return version;
}

// Source: glibc, shlib-versions.
std::vector<std::string> libraries_of_glibc() {
  return {"libanl.so.1", "libc.so.6",       "libcrypt.so.1",  "libdl.so.2", "libm.so.6",   "libmvec.so.1",
          "libnsl.so.1", "libpthread.so.0", "libresolv.so.2", "librt.so.1", "libutil.so.1"};
}

std::optional<CondaContents> brought_by_conda(const RequiredPackage& required, const std::vector<RequiredPackage>& all,
                                              const Knowledge& knowledge) {
  std::optional<int> cuda = first_number(required.specifiers);
  for (const auto& other : all)
    if (other.name == "cuda-version") cuda = first_number(other.specifiers);
  auto contents = libraries_of_conda(required.name, cuda, knowledge);
  if (contents.libraries.empty()) return std::nullopt;
  return contents;
}

}  // namespace cudald
