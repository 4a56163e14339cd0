#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "python/syntax_tree.h"

namespace cudald::python {

/// A Python source file, or the Cython source of a module, and its tree.
class Source {
 public:
  /// The text and its tree are charged to the budget, bodies of functions when they are asked for. Where that, or the
  /// number of tokens that a source may have, does not allow for more, the rest is left out, and `complete` says so.
  static std::shared_ptr<const Source> parse(std::string path, std::string text, Budget&);

  const std::string path;
  std::string_view text() const { return text_; }
  Node block() const { return {tree_, block_}; }
  /// The statements of a function, which are parsed when they are asked for the first time.
  Node body(const Node& function) const;
  bool complete() const { return complete_; }
  /// A line of the text without the blanks around it.
  std::string line(std::uint32_t number) const;
  /// Whether this word occurs as a name; a cheap question asked before dearer ones.
  bool mentions(std::string_view word) const { return first_mention({&word, 1}).has_value(); }
  /// The line of the first of these words; none of them begins another, so that one place has one word.
  std::optional<std::uint32_t> first_mention(std::span<const std::string_view> words) const;

 private:
  Source(std::string path, std::string text, Budget&);

  std::string text_;
  Budget& budget_;
  mutable SyntaxTree tree_;
  mutable std::map<std::uint32_t, std::uint32_t> bodies_;  ///< blocks of functions that were read
  std::uint32_t block_ = 0;
  mutable bool complete_ = true;
};

}  // namespace cudald::python
