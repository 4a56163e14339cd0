#include "cache/cached_text.h"

#include <span>

#include "cache/cached_archive.h"
#include "cache/cached_tree.h"

namespace cudald {

std::optional<std::string> kept_text(const std::string& folder, const std::string& key, std::uint64_t most_bytes) {
  const auto entry = KeptArchive::open(kept_path(folder, key), key);
  const auto size = entry->size();
  if (!size || *size > most_bytes) return std::nullopt;
  std::string text(*size, '\0');
  if (!entry->copy(0, 0, std::as_writable_bytes(std::span(text)))) return std::nullopt;
  return text;
}

bool keep_text(const std::string& folder, const std::string& key, const std::string& text) {
  const auto entry = KeptArchive::make(kept_path(folder, key), key);
  entry->set_size(text.size());
  entry->add(0, 0, std::as_bytes(std::span(text)));
  return entry->save();
}

}  // namespace cudald
