#include "lock/toml_lock.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

void read_needs(const std::vector<TomlKey>& entries, const std::string& extra, const std::string& group,
                LockedPackage& package) {
  for (const auto& entry : entries) {
    LockedNeed need;
    need.name = normal_distribution_name(text_at(entry.keys, "name"));
    need.version = text_at(entry.keys, "version");
    need.marker = text_at(entry.keys, "marker");
    if (const auto* extras = find_key(entry.keys, "extra")) need.extras = extras->values;
    need.for_extra = extra;
    need.for_group = group;
    package.needs.push_back(std::move(need));
  }
}

/// Source: uv's crate uv-resolver, lock/mod.rs, PackageWire.
Result<LockedPackage> read_uv_package(const TomlKey& entry) {
  LockedPackage package;
  package.line = entry.line;
  package.needs_known = true;
  package.name = normal_distribution_name(text_at(entry.keys, "name"));
  package.version = text_at(entry.keys, "version");
  if (package.name.empty()) return lock_error(ErrorCode::malformed, entry.line, "a package without a name");
  const auto* source = find_key(entry.keys, "source");
  for (const auto* kind : {"virtual", "editable", "directory", "git"})
    if (source != nullptr && find_key(source->keys, kind) != nullptr) {
      package.from_source = true;
      package.is_root = std::string_view(kind) != "git" && std::string_view(kind) != "directory";
    }
  if (const auto* wheels = find_key(entry.keys, "wheels"))
    for (const auto& wheel : wheels->tables) {
      LockedFile file;
      file.url = text_at(wheel.keys, "url");
      file.path = text_at(wheel.keys, "path");
      file.name = text_at(wheel.keys, "filename");
      if (file.name.empty()) file.name = file_of_url(file.url.empty() ? file.path : file.url);
      file.sha256 = sha256_of(text_at(wheel.keys, "hash"));
      file.size = size_at(wheel.keys);
      package.wheels.push_back(std::move(file));
    }
  package.from_source |= find_key(entry.keys, "sdist") != nullptr;
  if (const auto* needs = find_key(entry.keys, "dependencies")) read_needs(needs->tables, "", "", package);
  if (const auto* extras = find_key(entry.keys, "optional-dependencies"))
    for (const auto& extra : extras->keys) read_needs(extra.tables, extra.name, "", package);
  if (const auto* groups = find_key(entry.keys, "dev-dependencies"))
    for (const auto& group : groups->keys) read_needs(group.tables, "", group.name, package);
  return package;
}

}  // namespace

Result<LockFile> read_uv_lock(std::string_view text) {
  const auto keys = read_toml(text, "");
  if (!keys) return keys.error();
  if (const auto version = text_at(*keys, "version"); version != "1")
    return lock_error(ErrorCode::malformed, 0,
                      version.empty() ? "it has no version" : fmt::format("version {} is not known; 1 is", version));
  LockFile lock;
  lock.kind = LockKind::uv_lock;
  lock.is_graph = true;
  lock.requires_python = text_at(*keys, "requires-python");
  auto packages = read_packages(*keys, "package", read_uv_package);
  if (!packages) return packages.error();
  lock.packages = std::move(*packages);
  return lock;
}

}  // namespace cudald
