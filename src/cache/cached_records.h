#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cudald {

/// Texts that this very program has made, kept from run to run below a folder of this machine's disk: another build of
/// it finds none of them. May be asked by several threads.
class KeptRecords {
 public:
  /// `kind` tells these from others. Nothing is kept if `folder` is empty, or if the program cannot be told from
  /// another build of it.
  KeptRecords(std::string folder, std::string_view kind);

  explicit operator bool() const { return !folder_.empty(); }
  std::optional<std::string> find(std::string_view key) const;
  /// In the place of what was there. Nothing if it is longer than 64 MiB.
  void keep(std::string_view key, const std::string& text);
  /// Whether anything was.
  bool has_kept() const { return has_kept_; }

 private:
  std::string full_key(std::string_view key) const;

  std::string folder_, beginning_;
  std::atomic<bool> has_kept_ = false;
};

}  // namespace cudald
