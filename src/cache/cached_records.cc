#include "cache/cached_records.h"

#include <utility>

#include <fmt/format.h>

#include "cache/cached_text.h"
#include "os/build_id.h"

namespace cudald {
namespace {

constexpr std::uint64_t longest_record = std::uint64_t{64} << 20;

}  // namespace

KeptRecords::KeptRecords(std::string folder, std::string_view kind) : folder_(std::move(folder)) {
  if (folder_.empty()) return;
  const auto program = own_build_id();
  if (program.empty()) folder_.clear();
  beginning_ = fmt::format("{}\n{}\n", kind, program);
}

std::string KeptRecords::full_key(std::string_view key) const { return beginning_ + std::string(key); }

std::optional<std::string> KeptRecords::find(std::string_view key) const {
  if (folder_.empty()) return std::nullopt;
  return kept_text(folder_, full_key(key), longest_record);
}

void KeptRecords::keep(std::string_view key, const std::string& text) {
  if (folder_.empty() || text.size() > longest_record) return;
  if (keep_text(folder_, full_key(key), text)) has_kept_ = true;
}

}  // namespace cudald
