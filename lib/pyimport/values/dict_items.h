#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "pyimport/values/value.h"

namespace cudald::python {

class Heap;

/// The pairs of a dictionary in their order, each key once as far as that is known. What code has done that may as well
/// not have run, or with keys that are not known, leaves a doubt. All that takes a Heap throws Exhausted.
class DictItems {
 public:
  DictItems() = default;
  DictItems(const DictItems& other)
      : doubtful(other.doubtful),
        holds_doubtful(other.holds_doubtful),
        pairs_(other.pairs_),
        sure_(other.sure_),
        index_(other.copied_index()) {}
  DictItems& operator=(const DictItems& other) { return *this = DictItems(other); }
  DictItems(DictItems&&) = default;
  DictItems& operator=(DictItems&&) = default;

  bool doubtful = false, holds_doubtful = false;  ///< as those of ListItems; a doubtful key makes it doubtful

  struct Pair {
    Value key, value;
    bool may_lack = false;  ///< it was put in or taken out where that is not sure
  };
  static constexpr std::size_t size_beside = 24;  ///< bytes of a pair beside its key and value
  struct Found {
    const Pair* pair = nullptr;    ///< whose key surely is the one that is looked for
    std::optional<bool> is_there;  ///< nothing if it may be
  };

  const Pair* begin() const { return pairs_.data(); }
  const Pair* end() const { return pairs_.data() + pairs_.size(); }
  std::size_t size() const { return pairs_.size(); }

  Found find(Heap&, const Value& key) const;
  /// As `dict[key] = value`; `maybe` where that may as well not have run. What is kept is charged.
  void put(Heap&, const Value& key, const Value& value, bool maybe);
  void put_all(Heap&, const DictItems&, bool maybe);
  /// More keys than these may be there.
  void doubt_more(Heap&, bool may_lack = true);
  /// As `del dict[key]`, if it is there.
  void remove(Heap&, const Value& key, bool maybe);
  void clear(Heap&, bool maybe);

  /// Of a list of the keys, or of the values.
  ListDoubt doubt() const;
  /// Whether there is any pair; nothing if that cannot be known.
  std::optional<bool> has_any() const {
    return pairs_.empty() ? std::optional(false) : sure_ == 0 ? std::nullopt : std::optional(true);
  }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  struct Slot {
    std::uint32_t hash = 0, at = none;
  };
  struct Index {
    std::vector<Slot> slots;            ///< of texts and numbers, by their hash
    std::vector<std::uint32_t> others;  ///< places of keys that are neither
  };

  std::unique_ptr<Index> copied_index() const { return index_ ? std::make_unique<Index>(*index_) : nullptr; }
  const Pair* find_hashed(Heap&, const Value& key) const;
  std::size_t slot_of(Heap&, const Value& key, std::uint32_t hash) const;
  void add(Heap&, const Value& key, const Value& value, bool may_lack);
  void set_doubt(Pair&, bool may_lack);
  void note_place(Heap&, std::size_t at);
  void index_anew(Heap&);

  std::vector<Pair> pairs_;
  std::size_t sure_ = 0;          ///< how many of them are there for sure
  std::unique_ptr<Index> index_;  ///< none while they are few
};

}  // namespace cudald::python
