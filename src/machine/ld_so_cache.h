#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/environment.h>
#include <cudald/result.h>

namespace cudald {

/// /etc/ld.so.cache as ldconfig wrote it, in any of its three formats.
/// Source: glibc sysdeps/generic/dl-cache.h, elf/dl-cache.c.
class LdSoCache {
 public:
  /// What the asking loader can use.
  struct Wanted {
    std::uint32_t flags = 0;           ///< of its ABI
    std::uint32_t unmarked_flags = 0;  ///< of entries that do not say which ABI, where it takes those as well
    std::vector<std::string> hwcaps;   ///< glibc-hwcaps folders, best first
    int x86_64_level = 0;
    std::uint64_t legacy_hwcap = 0;  ///< bits of folders before glibc 2.37
    bool legacy_folders = true;
  };

  /// Takes the file's bytes. Error{malformed} if no format fits; the loader then acts as if there were none.
  /// Error{limit} if its names are longer, or one of them is there more often, than ldconfig writes them.
  static Result<LdSoCache> parse(std::string bytes);

  /// The path that the loader would take for `name`, before it looks whether it exists.
  std::optional<std::string> find(std::string_view name, const Wanted&) const;

  struct Entry {
    std::uint32_t flags = 0;
    std::string_view key, value;
    std::uint64_t hwcap = 0;
  };
  std::size_t size() const { return count_; }
  /// Nullopt if the entry points outside the file.
  std::optional<Entry> entry(std::size_t index) const;
  /// Folders below glibc-hwcaps, which entries name by their number in their hwcap.
  std::vector<std::string_view> hwcap_names() const;

  /// A cache of these entries, in this order.
  static std::string bytes_of(const std::vector<Entry>&, const std::vector<std::string_view>& hwcap_names);

 private:
  static constexpr std::size_t longest_name = 4096;      // PATH_MAX
  static constexpr std::size_t most_hwcap_names = 1024;  // there are a dozen

  std::optional<Error> beyond_limits() const;
  std::optional<std::string_view> string_at(std::uint32_t offset) const;

  std::string bytes_;
  std::size_t entries_at_ = 0, entry_size_ = 0, count_ = 0;
  std::size_t strings_at_ = 0;  ///< what string offsets count from
  std::size_t extension_at_ = 0;
};

/// Compares names as the cache is sorted: runs of digits count as numbers (glibc _dl_cache_libcmp).
int compare_cache_names(std::string_view, std::string_view);

}  // namespace cudald
