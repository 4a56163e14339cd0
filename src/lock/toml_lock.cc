#include "lock/toml_lock.h"

namespace cudald {

std::uint64_t size_at(const std::vector<TomlKey>& keys) {
  const auto text = text_at(keys, "size");
  constexpr std::size_t most_digits = 18;
  if (text.empty() || text.size() > most_digits || text.find_first_not_of("0123456789") != std::string::npos) return 0;
  return std::stoull(text);
}

Result<std::vector<LockedPackage>> read_packages(const std::vector<TomlKey>& keys, std::string_view name,
                                                 Result<LockedPackage> (*read_package)(const TomlKey&)) {
  std::vector<LockedPackage> packages;
  const auto* entries = find_key(keys, name);
  if (entries == nullptr) return packages;
  if (entries->tables.size() > most_locked_packages)
    return lock_error(ErrorCode::limit, entries->line, "more packages than any lock has");
  for (const auto& entry : entries->tables) {
    auto package = read_package(entry);
    if (!package) return package.error();
    packages.push_back(std::move(*package));
  }
  return packages;
}

}  // namespace cudald
