#include "lock/toml_lock.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

LockedFile read_file_entry(const std::vector<TomlKey>& keys) {
  LockedFile file;
  file.url = text_at(keys, "url");
  file.path = text_at(keys, "path");
  file.name = text_at(keys, "name");
  if (file.name.empty()) file.name = file_of_url(file.url.empty() ? file.path : file.url);
  file.size = size_at(keys);
  if (const auto* hashes = find_key(keys, "hashes")) file.sha256 = sha256_of(text_at(hashes->keys, "sha256"));
  return file;
}

/// Source: PEP 751, "packages".
Result<LockedPackage> read_package(const TomlKey& entry) {
  LockedPackage package;
  package.line = entry.line;
  package.name = normal_distribution_name(text_at(entry.keys, "name"));
  package.version = text_at(entry.keys, "version");
  package.marker = text_at(entry.keys, "marker");
  if (package.name.empty()) return lock_error(ErrorCode::malformed, entry.line, "a package without a name");
  if (const auto* wheels = find_key(entry.keys, "wheels"))
    for (const auto& wheel : wheels->tables) package.wheels.push_back(read_file_entry(wheel.keys));
  for (const auto* source : {"vcs", "directory", "sdist"})
    package.from_source |= find_key(entry.keys, source) != nullptr;
  if (const auto* archive = find_key(entry.keys, "archive")) {
    auto file = read_file_entry(archive->keys);
    if (file.name.ends_with(".whl"))
      package.wheels.push_back(std::move(file));
    else
      package.from_source = true;
  }
  if (package.version.empty())
    for (const auto& wheel : package.wheels)
      if (const auto named = parse_wheel_file_name(wheel.name)) package.version = named->version;
  if (package.version.empty() && !package.from_source)
    return lock_error(ErrorCode::usage, entry.line,
                      fmt::format("{} is not pinned to one version; `uv export --format pylock.toml` or `pip lock` "
                                  "writes a file in which all are",
                                  package.name));
  if (const auto* needs = find_key(entry.keys, "dependencies")) {
    package.needs_known = true;
    for (const auto& need : needs->tables)
      package.needs.push_back({.name = normal_distribution_name(text_at(need.keys, "name")),
                               .version = text_at(need.keys, "version"),
                               .marker = {},
                               .extras = {},
                               .for_extra = {},
                               .for_group = {}});
  }
  return package;
}

}  // namespace

Result<LockFile> read_pylock(std::string_view text) {
  const auto keys = read_toml(text, "");
  if (!keys) return keys.error();
  const auto version = text_at(*keys, "lock-version");
  if (!version.starts_with("1."))
    return lock_error(
        ErrorCode::malformed, 0,
        version.empty() ? "it has no lock-version" : fmt::format("lock-version {} is not known; 1.0 is", version));
  LockFile lock;
  lock.kind = LockKind::pylock;
  lock.requires_python = text_at(*keys, "requires-python");
  if (const auto* groups = find_key(*keys, "default-groups")) lock.default_groups = groups->values;
  auto packages = read_packages(*keys, "packages", read_package);
  if (!packages) return packages.error();
  lock.packages = std::move(*packages);
  return lock;
}

}  // namespace cudald
