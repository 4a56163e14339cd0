#include "base/similar_word.h"

#include <algorithm>

namespace cudald {

// Optimal string alignment: Levenshtein's distance with swaps of neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row.back();
}

std::string_view similar_word(std::string_view word, const std::vector<std::string_view>& known) {
  constexpr std::size_t longest = 64;  // nobody mistypes a word into a longer one
  if (word.empty() || word.size() > longest) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(word.size() / 4, 1) + 1;
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    const bool abbreviation = word.size() >= 3 && candidate.starts_with(word);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    } else if (abbreviation && best.empty()) {
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view similar) {
  return similar.empty() ? "" : "; did you mean `" + std::string(similar) + "`?";
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known) {
  return did_you_mean(similar_word(word, known));
}

}  // namespace cudald
