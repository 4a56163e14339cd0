#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace cudald {

/// Where `part` first stands in `bytes`, from `begin` on; npos if nowhere. Takes linear time on anything, and a
/// fraction of what string_view::find takes where the first byte of `part` is frequent.
std::size_t find_bytes(std::string_view bytes, std::string_view part, std::size_t begin = 0);

inline bool holds_bytes(std::string_view bytes, std::string_view part) {
  return find_bytes(bytes, part) != std::string_view::npos;
}

/// Whether a text has a word between characters that `ends` a word, or at an end of the text.
template <typename Ends>
bool has_word(std::string_view text, std::string_view word, const Ends& ends) {
  const auto ends_at = [&](std::size_t at) { return at >= text.size() || ends(text[at]); };
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if (ends_at(at - 1) && ends_at(at + word.size())) return true;
  return false;
}

/// Whether a line of a text is this one.
bool has_line(std::string_view text, std::string_view line);

/// Where a part stands, and which of them.
struct FoundPart {
  std::size_t at = 0, part = 0;  ///< the number of the part in the list
};

/// The first place at which any of `parts` stands, none of which is empty; of several at one place the first of the
/// list. For a few parts that are rare: their bytes are looked at once, however many parts there are.
std::optional<FoundPart> find_any_bytes(std::string_view bytes, std::span<const std::string_view> parts,
                                        std::size_t begin = 0);

}  // namespace cudald
