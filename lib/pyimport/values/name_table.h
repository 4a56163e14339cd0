#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cudald::python {

/// A number that hangs on the text, and on the process: nobody can write names of which many have the same.
std::uint32_t hash_of_name(std::string_view);

/// A name that is looked for. Its hash is made once, however many tables are asked.
class NameKey {
 public:
  template <typename Text>
    requires std::convertible_to<const Text&, std::string_view>
  NameKey(const Text& text) : text_(text) {}

  std::string_view text() const { return text_; }
  std::uint32_t hash() const {
    if (!hashed_) hash_ = hash_of_name(text_), hashed_ = true;
    return hash_;
  }

 private:
  std::string_view text_;
  mutable std::uint32_t hash_ = 0;
  mutable bool hashed_ = false;
};

/// What names are bound to. Few are compared one by one, many are found by their hash. They stand in the order in which
/// they were bound, but that the last one takes the place of one that is erased. What is added or erased moves them: no
/// reference to one lasts until then.
template <typename T>
class NameTable {
 public:
  using Entry = std::pair<std::string, T>;

  Entry* begin() { return entries_.data(); }
  Entry* end() { return entries_.data() + entries_.size(); }
  const Entry* begin() const { return entries_.data(); }
  const Entry* end() const { return entries_.data() + entries_.size(); }
  std::size_t size() const { return entries_.size(); }

  const Entry* find(const NameKey& name) const {
    if (slots_.empty()) return std::find_if(begin(), end(), [&](const Entry& one) { return one.first == name.text(); });
    const auto& slot = slots_[slot_of(name)];
    return slot.entry == none ? end() : begin() + slot.entry;
  }
  Entry* find(const NameKey& name) { return const_cast<Entry*>(std::as_const(*this).find(name)); }
  bool contains(const NameKey& name) const { return find(name) != end(); }

  T& operator[](const NameKey& name) { return emplace(name, T()).first->second; }
  /// Binds a name that is not bound yet; says whether it was not.
  std::pair<Entry*, bool> emplace(const NameKey& name, T value) {
    if (const auto known = find(name); known != end()) return {known, false};
    if (entries_.size() >= few && 3 * slots_.size() < 4 * (entries_.size() + 1)) make_slots(2 * entries_.size());
    if (!slots_.empty()) slots_[slot_of(name)] = {name.hash(), static_cast<std::uint32_t>(entries_.size())};
    // Half as much again, not twice: many tables of many names are kept.
    if (entries_.size() == entries_.capacity()) entries_.reserve(entries_.size() + entries_.size() / 2 + 1);
    entries_.emplace_back(name.text(), std::move(value));
    return {&entries_.back(), true};
  }
  void insert_or_assign(const NameKey& name, T value) {
    if (const auto known = find(name); known != end())
      known->second = std::move(value);
    else
      emplace(name, std::move(value));
  }
  void erase(const NameKey& name) {
    const auto gone = find(name);
    if (gone == end()) return;
    if (!slots_.empty()) {
      const auto slot = slot_of(name), moved = slot_of(entries_.back().first);
      slots_[moved].entry = static_cast<std::uint32_t>(gone - begin());
      empty_slot(slot);
    }
    if (gone != &entries_.back()) *gone = std::move(entries_.back());
    entries_.pop_back();
  }
  void reserve(std::size_t count) { entries_.reserve(count); }

 private:
  static constexpr std::size_t few = 8;
  static constexpr std::uint32_t none = UINT32_MAX;
  struct Slot {
    std::uint32_t hash = 0, entry = none;
  };

  std::size_t next(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }
  /// Where the name is, or would be.
  std::size_t slot_of(const NameKey& name) const {
    auto at = name.hash() & (slots_.size() - 1);
    for (; slots_[at].entry != none; at = next(at))
      if (slots_[at].hash == name.hash() && entries_[slots_[at].entry].first == name.text()) break;
    return at;
  }
  /// Makes a power of two of them, at least as many as are wanted.
  void make_slots(std::size_t wanted) {
    const auto before = std::move(slots_);
    std::size_t count = 2 * few;
    while (count < wanted) count *= 2;
    slots_.assign(count, {});
    const auto add = [this](Slot slot) {
      auto at = slot.hash & (slots_.size() - 1);
      while (slots_[at].entry != none) at = next(at);
      slots_[at] = slot;
    };
    for (const auto& slot : before)
      if (slot.entry != none) add(slot);
    for (std::uint32_t i = 0; before.empty() && i < entries_.size(); ++i) add({NameKey(entries_[i].first).hash(), i});
  }
  /// What stands behind it, and would be looked for there, moves up.
  void empty_slot(std::size_t gone) {
    for (auto at = next(gone); slots_[at].entry != none; at = next(at)) {
      const auto distance = [&](std::size_t from) { return (at - from) & (slots_.size() - 1); };
      if (distance(slots_[at].hash) < distance(gone)) continue;
      slots_[gone] = slots_[at];
      gone = at;
    }
    slots_[gone] = {};
  }

  std::vector<Entry> entries_;
  std::vector<Slot> slots_;  ///< of none while there are few names
};

}  // namespace cudald::python
