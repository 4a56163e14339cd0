#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pyimport/values/heap.h"

namespace cudald::python {

/// A regular expression of `re` for texts of ASCII characters, without flags.
class Pattern {
 public:
  /// Nullopt for what is not supported (flags, a look behind, references to groups), and for what Python refuses.
  static std::optional<Pattern> parse(std::string_view text, Heap&);

  enum class Place { begin, anywhere, whole };  ///< match(), search(), fullmatch()
  using Group = std::optional<std::pair<std::size_t, std::size_t>>;
  /// The whole match and each group, as begin and end; empty if there is no match.
  using Groups = std::vector<Group>;
  /// Nullopt if that takes too many steps.
  std::optional<Groups> match(std::string_view text, std::size_t from, Place, Heap&) const;

  std::size_t groups() const { return groups_; }
  const std::vector<std::pair<std::string, std::size_t>>& names() const { return names_; }

 private:
  friend class PatternParser;
  struct Step {
    enum class Kind : std::uint8_t { set, split, jump, save, at_begin, at_end, at_last_line, at_word, ahead, match };
    Kind kind = Kind::match;
    int first = 0, second = 0;  ///< steps from here; of `save`, `first` is the place in a list of begins and ends; of
                                ///< `ahead`, steps to behind what is looked for, and whether it must not be there
    std::bitset<128> set = {};
  };
  using Steps = std::vector<Step>;
  using Saved = std::vector<std::size_t>;  ///< where groups begin and end
  bool holds(const Step&, std::string_view text, std::size_t at) const;
  /// From a step and a place on, to the next step that ends a match; empty if there is none, nullopt as match().
  std::optional<Saved> run(std::size_t step, std::size_t at, Saved saved, std::string_view text, Place,
                           std::size_t& turns, Heap&) const;

  Steps steps_;
  std::size_t groups_ = 0;
  std::vector<std::pair<std::string, std::size_t>> names_;
};

}  // namespace cudald::python
