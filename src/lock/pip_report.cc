#include "base/bounded_json.h"
#include "base/json.h"
#include "lock/readers.h"
#include "package/requirement.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

using nlohmann::json;

const json& part_of(const json& object, const char* key) {
  static const json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(key);
  return found == object.end() ? nothing : *found;
}

LockedFile read_download(const json& info) {
  LockedFile file;
  file.url = text_at(info, "url");
  file.name = file_of_url(file.url);
  const auto& archive = part_of(info, "archive_info");
  file.sha256 = sha256_of(text_at(part_of(archive, "hashes"), "sha256"));
  if (const auto hash = text_at(archive, "hash"); file.sha256.empty() && hash.starts_with("sha256="))
    file.sha256 = sha256_of(hash.substr(sizeof("sha256=") - 1));
  return file;
}

Result<LockedPackage> read_entry(const json& entry) {
  LockedPackage package;
  const auto& metadata = part_of(entry, "metadata");
  package.name = normal_distribution_name(text_at(metadata, "name"));
  package.version = text_at(metadata, "version");
  if (package.name.empty() || package.version.empty())
    return lock_error(ErrorCode::malformed, 0, "an entry of `install` without a name or version");
  const auto& requested = part_of(entry, "requested");
  package.requested = requested.is_boolean() && requested.get<bool>();
  auto file = read_download(part_of(entry, "download_info"));
  if (file.name.ends_with(".whl"))
    package.wheels.push_back(std::move(file));
  else
    package.from_source = true;
  package.needs_known = true;
  const auto& lines = part_of(metadata, "requires_dist");
  if (lines.is_array() && lines.size() <= most_requirements)
    for (const auto& line : lines) {
      const auto need = line.is_string() ? parse_requirement(line.get<std::string>()) : std::nullopt;
      if (need)
        package.needs.push_back({need->name, "", need->marker, {need->extras.begin(), need->extras.end()}, "", ""});
    }
  return package;
}

}  // namespace

// Source: pip's documentation, "Installation Report", version 1.
Result<LockFile> read_pip_report(std::string_view text) {
  Budget budget(CostLimits{.kept = std::uint64_t{256} << 20});
  const auto report = parse_json(text, budget);
  if (!report) return report.error();
  const auto& entries = part_of(*report, "install");
  if (text_at(*report, "version") != "1" || !entries.is_array())
    return lock_error(ErrorCode::malformed, 0, "no report of pip in version 1, which `pip install --report` writes");
  if (entries.size() > most_locked_packages)
    return lock_error(ErrorCode::limit, 0, "more packages than any report has");
  LockFile lock;
  lock.kind = LockKind::pip_report;
  lock.python = text_at(part_of(*report, "environment"), "python_version");
  for (const auto& entry : entries) {
    auto package = read_entry(entry);
    if (!package) return package.error();
    lock.packages.push_back(std::move(*package));
  }
  return lock;
}

}  // namespace cudald
