#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/budget.h"
#include "pyimport/sources/source_texts.h"
#include "pyimport/syntax/syntax_tree.h"

namespace cudald::python {

/// The trees that were made of a source, for all that read the same. Whoever asks brings the text, which is taken where
/// a tree is not there yet. For many threads: whoever wants a tree that another one makes waits.
class ParsedSource {
 public:
  /// Gives the text, or one of another size where it can be read no more.
  using Reader = std::function<SourceText()>;

  /// Adds to `kept` the bytes that it keeps.
  ParsedSource(const SourceIdentity&, std::shared_ptr<std::atomic<std::uint64_t>> kept);
  ParsedSource(const ParsedSource&) = delete;
  ParsedSource& operator=(const ParsedSource&) = delete;

  /// The tree of some statements, and what making it costs.
  struct Part {
    Part(const SyntaxTree& made, bool source_is_kept) : tree(made, source_is_kept) {}
    SyntaxTree tree;
    std::uint32_t block = 0;
    bool complete = true;
    std::uint32_t malformed = 0;  ///< the first line that was not understood
    Cost cost;
  };
  using PartRef = std::shared_ptr<const Part>;

  const SourceIdentity& identity() const { return identity_; }
  /// All of it but bodies of functions. The budget pays as if the tree were made for it; where it does not allow for
  /// all, the rest is left out.
  PartRef whole(const Reader&, Budget&);
  /// The same of the body of a function, an `unread_body`.
  PartRef body(const Node& unread, const Reader&, Budget&);
  /// The line where it first names what binds names of a module unseen: setattr and its like.
  std::optional<std::uint32_t> first_trick(const Reader&);
  /// Whether it may bind names of the module other than by statements, and by items of globals() or setattr, which are
  /// followed.
  bool may_bind_unseen(const Reader&);
  /// Whether functions of it may bind names of the module when they are called.
  bool may_rebind(const Reader&);
  /// Whether functions that load libraries by their names may be named in it.
  bool may_load_libraries(const Reader&);

 private:
  template <typename Parse>
  PartRef made_once(PartRef& known, const Reader&, Budget&, const Parse&) const;

  const SourceIdentity identity_;
  const std::shared_ptr<std::atomic<std::uint64_t>> kept_;
  std::mutex mutex_;
  PartRef whole_;
  std::map<Node::Id, PartRef> bodies_;
  std::once_flag trick_sought_, unseen_sought_, rebinding_sought_, signs_sought_;
  std::optional<std::uint32_t> trick_;
  bool may_bind_unseen_ = false, may_rebind_ = false;
  bool has_sign_of_loading_ = false;
};

/// Sources that were parsed. As much is kept as the imports of one question may keep; then it begins anew. For many
/// threads.
class SourceStore {
 public:
  std::shared_ptr<ParsedSource> source(const SourceIdentity&);
  /// All of them. Gives the bytes that they took.
  std::uint64_t forget();

 private:
  void begin_anew();

  std::mutex mutex_;
  std::unordered_multimap<std::size_t, std::shared_ptr<ParsedSource>> sources_;
  std::shared_ptr<std::atomic<std::uint64_t>> kept_ = std::make_shared<std::atomic<std::uint64_t>>(0);
};

/// The line of the first of these words that occurs as a name; none of them begins another, so that one place has one
/// word.
std::optional<std::uint32_t> first_mention(std::string_view text, std::span<const std::string_view> words);
/// Whether a word that can bind names of a module unseen ("setattr", "globals", "__dict__", "f_globals") binds none
/// where it stands: it is about an instance or its class, or reads an item of the dictionary.
bool binds_no_name(std::string_view text, std::size_t at, std::string_view word);
/// Whether code may bind names of the modules that call it, by the names of their frames.
bool may_bind_for_callers(std::string_view text);

}  // namespace cudald::python
