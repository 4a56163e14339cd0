#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "pyimport/sources/source_store.h"
#include "pyimport/syntax/syntax_tree.h"

namespace cudald::python {

/// A Python source file, or the Cython source of a module, and its tree, as one question reads it.
class Source {
 public:
  /// The tree, and the text where it is kept, are charged to the budget, bodies of functions when they are asked for.
  /// Where that, or the number of tokens that a source may have, does not allow for more, the rest is left out, and
  /// `complete` says so. Without a store, nothing is shared.
  static std::shared_ptr<const Source> parse(std::string path, std::string text, Budget&, SourceStore* store = nullptr);
  /// The same of what was read from these texts, which outlive the source.
  static std::shared_ptr<const Source> parse(SourceIdentity, SourceTexts&, Budget&, SourceStore* store = nullptr);

  const std::string& path() const { return identity_.path; }
  std::uint64_t size() const { return identity_.size(); }
  /// Empty if it can be read no more: see was_lost().
  SourceText text() const;
  Node block() const { return whole_ == nullptr ? Node() : Node(whole_->tree, whole_->block); }
  /// The statements of a function, which are parsed when they are asked for the first time.
  Node body(const Node& function) const;
  bool complete() const { return complete_; }
  /// The first line outside of functions that the parser does not understand; 0 if there is none.
  std::uint32_t malformed() const { return whole_ == nullptr ? 0 : whole_->malformed; }
  /// Whether the file was another one, or none, when its text was needed again.
  bool was_lost() const { return lost_; }
  /// Whether it is of Cython, whose parameters have types, and whose classes are compiled.
  bool is_cython() const { return path().ends_with(".pyx") || path().ends_with(".pxi"); }
  /// A line of the text without the blanks around it.
  std::string line(std::uint32_t number) const;
  /// Whether this word occurs as a name; a cheap question asked before dearer ones.
  bool mentions(std::string_view word) const { return first_mention(*text(), {&word, 1}).has_value(); }
  /// The same of a name that is no attribute of another, behind a dot.
  bool mentions_alone(std::string_view word) const;
  std::optional<std::uint32_t> first_trick() const { return parsed_->first_trick(reader()); }
  bool may_bind_unseen() const { return parsed_->may_bind_unseen(reader()); }
  bool may_rebind() const { return parsed_->may_rebind(reader()); }
  bool may_load_libraries() const { return parsed_->may_load_libraries(reader()); }

 private:
  Source(SourceIdentity, SourceTexts*, Budget&, SourceStore*);
  ParsedSource::Reader reader() const {
    return [this] { return text(); };
  }

  SourceIdentity identity_;
  SourceTexts* texts_;  ///< nullptr: the text is kept
  Budget& budget_;
  std::shared_ptr<ParsedSource> parsed_;
  ParsedSource::PartRef whole_;
  mutable std::map<Node::Id, ParsedSource::PartRef> bodies_;  ///< of functions that were read
  mutable bool complete_ = true, lost_ = false;
};

}  // namespace cudald::python
