#include "pyimport/values/dict_items.h"

#include <algorithm>

#include "pyimport/values/heap.h"
#include "pyimport/values/operators.h"

namespace cudald::python {
namespace {

constexpr std::size_t few = 8;  // are compared one by one

/// Of other keys than texts and numbers only `equal` knows what they are equal to.
bool has_hash(const Value& key) { return key.get<std::string>() != nullptr || number_of(key); }

std::uint32_t hash_of(const Value& key) {
  if (const auto* text = key.get<std::string>()) return hash_of_name(*text);
  const auto number = number_of(key).value_or(0);
  return hash_of_name({reinterpret_cast<const char*>(&number), sizeof(number)});
}

/// Of keys that have a hash.
bool same(Heap& heap, const Value& a, const Value& b) {
  const auto *s = a.get<std::string>(), *t = b.get<std::string>();
  if (s == nullptr || t == nullptr) return s == t && number_of(a) == number_of(b);
  if (s->size() != t->size()) return false;
  heap.look_at(s->size());
  return *s == *t;
}

}  // namespace

/// The slot that the key has or would get.
std::size_t DictItems::slot_of(Heap& heap, const Value& key, std::uint32_t hash) const {
  const auto& slots = index_->slots;
  auto slot = hash & (slots.size() - 1);
  for (; slots[slot].at != none; slot = (slot + 1) & (slots.size() - 1))
    if (slots[slot].hash == hash && same(heap, pairs_[slots[slot].at].key, key)) break;
  return slot;
}

/// Of a key that is a text or a number.
const DictItems::Pair* DictItems::find_hashed(Heap& heap, const Value& key) const {
  if (index_) {
    const auto at = index_->slots[slot_of(heap, key, hash_of(key))].at;
    return at == none ? nullptr : &pairs_[at];
  }
  heap.work(pairs_.size());
  const auto at = std::find_if(begin(), end(), [&](const Pair& one) { return same(heap, one.key, key); });
  return at == end() ? nullptr : at;
}

DictItems::Found DictItems::find(Heap& heap, const Value& key) const {
  heap.work(2);
  const bool hashed = has_hash(key);
  const auto* pair = hashed ? find_hashed(heap, key) : nullptr;
  std::optional<bool> is_there = false;
  const auto compare = [&](const Pair& one) {
    const auto is = hashed && has_hash(one.key) ? std::optional(false) : equal(heap, one.key, key);
    if (is == true) pair = &one;
    if (!is) is_there = std::nullopt;
  };
  if (hashed && index_)
    for (std::size_t i = 0; pair == nullptr && i < index_->others.size(); ++i) compare(pairs_[index_->others[i]]);
  else
    for (std::size_t i = 0; pair == nullptr && i < pairs_.size(); ++i) compare(pairs_[i]);
  if (pair == nullptr) return {nullptr, is_there};
  return {pair, pair->may_lack ? std::nullopt : std::optional(true)};
}

void DictItems::put(Heap& heap, const Value& key, const Value& value, bool maybe) {
  // Code that computes keys mostly does so for each of many items: some will be there, though the loop is in doubt.
  if (key.unknown()) return doubt_more(heap, false);
  const auto known = find(heap, key);
  if (known.pair == nullptr) return pairs_.size() < max_length ? add(heap, key, value, maybe) : doubt_more(heap, false);
  auto& pair = pairs_[static_cast<std::size_t>(known.pair - begin())];
  if (maybe && equal(heap, pair.value, value) != true) {
    pair.value = Unknown{};
  } else if (!maybe) {
    const auto *text = value.get<std::string>(), *before = pair.value.get<std::string>();
    if (text == nullptr || text != before) heap.keep(Heap::size_of(value) - sizeof(value));
    pair.value = value;
    set_doubt(pair, false);
  }
}

/// One pair stands for all whose keys are not known.
void DictItems::doubt_more(Heap& heap, bool may_lack) {
  heap.work(pairs_.size());
  const auto known = std::find_if(pairs_.begin(), pairs_.end(), [](const Pair& one) { return one.key.unknown(); });
  if (known == pairs_.end())
    add(heap, Unknown{}, Unknown{}, may_lack);
  else
    set_doubt(*known, known->may_lack && may_lack);
}

void DictItems::set_doubt(Pair& pair, bool may_lack) {
  if (pair.may_lack && !may_lack) ++sure_;
  if (!pair.may_lack && may_lack) --sure_;
  pair.may_lack = may_lack;
}

void DictItems::put_all(Heap& heap, const DictItems& others, bool maybe) {
  if (&others == this) return;
  for (const auto& [key, value, may_lack] : others) put(heap, key, value, maybe || may_lack);
}

void DictItems::add(Heap& heap, const Value& key, const Value& value, bool may_lack) {
  heap.keep(size_beside + Heap::size_of(key) + Heap::size_of(value));
  // Half as much again, not twice: many are kept.
  if (pairs_.size() == pairs_.capacity()) pairs_.reserve(pairs_.size() + pairs_.size() / 2 + 1);
  pairs_.push_back({key, value, may_lack});
  if (!may_lack) ++sure_;
  if (!index_ && pairs_.size() <= few) return;
  if (index_ && 4 * pairs_.size() <= 3 * index_->slots.size())
    note_place(heap, pairs_.size() - 1);
  else
    index_anew(heap);
}

void DictItems::note_place(Heap& heap, std::size_t at) {
  const auto& key = pairs_[at].key;
  if (!has_hash(key)) return index_->others.push_back(static_cast<std::uint32_t>(at));
  const auto hash = hash_of(key);
  index_->slots[slot_of(heap, key, hash)] = {hash, static_cast<std::uint32_t>(at)};
}

void DictItems::index_anew(Heap& heap) {
  heap.work(pairs_.size());
  std::size_t size = 2 * few;
  while (size < 2 * pairs_.size()) size *= 2;
  index_ = std::make_unique<Index>();
  index_->slots.resize(size);
  for (std::size_t at = 0; at < pairs_.size(); ++at) note_place(heap, at);
}

void DictItems::remove(Heap& heap, const Value& key, bool maybe) {
  const auto known = find(heap, key);
  if (!maybe && known.pair != nullptr) {
    if (!known.pair->may_lack) --sure_;
    pairs_.erase(pairs_.begin() + (known.pair - begin()));
    if (index_) index_anew(heap);
    return;
  }
  if (known.is_there == false) return;
  for (auto& pair : pairs_) set_doubt(pair, pair.may_lack || equal(heap, pair.key, key) != false);
}

void DictItems::clear(Heap& heap, bool maybe) {
  heap.work(pairs_.size());
  if (!maybe) *this = DictItems();
  for (auto& pair : pairs_) set_doubt(pair, true);
}

ListDoubt DictItems::doubt() const {
  auto doubt = ListDoubt::none;
  for (const auto& [key, value, may_lack] : pairs_)
    if (key.unknown())
      doubt = doubt | ListDoubt::may_hold_more;
    else if (may_lack)
      doubt = doubt | ListDoubt::may_lack;
  return doubt;
}

}  // namespace cudald::python
