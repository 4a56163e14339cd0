#include "pyimport/values/heap.h"

namespace cudald::python {

Heap::~Heap() {
  discarding_ = true;  // what hangs on a node is not deleted while the ring is walked
  for (auto* at = ends_.next; at != &ends_; at = at->next) static_cast<AnyNode*>(at)->empty();
  while (!discarded_.empty()) {
    auto* node = discarded_.back();
    discarded_.pop_back();
    delete node;
  }
}

/// What a node holds is discarded with it, and comes here while it is deleted: it waits for its turn.
void Heap::discard(AnyNode* node) {
  discarded_.push_back(node);
  if (discarding_) return;
  discarding_ = true;
  while (!discarded_.empty()) {
    auto* next = discarded_.back();
    discarded_.pop_back();
    delete next;
  }
  discarding_ = false;
}

Value Heap::list(ListItems items) {
  keep(size_of(items));
  return List{make(std::move(items))};
}

Value Heap::set(ListItems items) {
  keep(size_of(items));
  return List{make(std::move(items)), true};
}

ListItems Heap::copy(const List& list) {
  keep(size_of(*list.items));
  return *list.items;
}

std::size_t Heap::size_of(const std::vector<Value>& items) {
  std::size_t size = 0;
  for (const auto& item : items) size += size_of(item);
  return size;
}

DictItems Heap::copy(const Dict& dict) {
  keep(size_of(*dict.items));
  return *dict.items;
}

std::size_t Heap::size_of(const DictItems& items) {
  std::size_t size = 0;
  for (const auto& [key, value, may_lack] : items) size += DictItems::size_beside + size_of(key) + size_of(value);
  return size;
}

}  // namespace cudald::python
