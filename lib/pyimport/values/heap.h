#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "pyimport/values/dict_items.h"
#include "pyimport/values/value.h"

namespace cudald::python {

/// The question's limits were met: the code is followed no further.
struct Exhausted {};

/// Where the lists, dictionaries, objects and scopes of an import live. What they hold is charged to the budget. They
/// may hold one another in chains of any length, and in rings: they are destroyed one after the other, at the latest
/// with the heap.
class Heap {
 public:
  explicit Heap(Budget& budget) : budget_(budget) { ends_.next = ends_.previous = &ends_; }
  ~Heap();
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  /// Notes turns of loops over tokens, names, items or entries. Throws Exhausted.
  void work(std::uint64_t steps) {
    if (!budget_.step(steps)) throw Exhausted();
  }
  /// The same for so many bytes that are read or compared.
  void look_at(std::uint64_t bytes) {
    if (bytes >= 64) work(bytes / 64);
  }
  /// Notes bytes that are copied and kept. Throws Exhausted.
  void keep(std::uint64_t bytes) {
    const auto again = std::min(bytes, given_back_);
    given_back_ -= again;
    if (!budget_.keep(bytes - again)) throw Exhausted();
  }
  /// Notes that a call or a comprehension has ended: unless something holds on to its names, what was kept for them is
  /// free again, and serves for what is kept next.
  void give_back(const std::shared_ptr<Scope>& scope) {
    if (scope.use_count() == 1) given_back_ += sizeof(Node<Scope>) + scope->kept;
  }
  /// Notes bytes that are given back before it is asked for any others in this way: the most of them count. Throws
  /// Exhausted.
  void keep_for_now(std::uint64_t bytes) {
    if (bytes <= for_now_) return;
    keep(bytes - for_now_);
    for_now_ = bytes;
  }
  /// Notes that a copy of the value gets a name or a place in a list. Throws Exhausted.
  void keep(const Value& value) { keep(size_of(value)); }

  Value list(ListItems items);
  /// Of items of which none is there twice.
  Value set(ListItems items);
  /// A list's items, to go through while they may change.
  ListItems copy(const List&);
  DictItems copy(const Dict&);
  Dict dict() { return {make<DictItems>()}; }
  template <typename T>
  std::shared_ptr<T> make(T value = {}) {
    keep(sizeof(Node<T>));
    auto* node = new Node<T>(std::move(value), *this);
    return {&node->value, [node](T*) { node->heap.discard(node); }};
  }

  static std::size_t size_of(const Value& value) {
    constexpr std::size_t own_room = 16, of_allocation = 24;
    const auto* text = value.get<std::string>();
    if (text == nullptr || text->size() < own_room) return sizeof(Value);
    // Allocators round large blocks up by as much as a quarter, and keep account of them.
    const auto rounding = text->size() < Value::long_text ? 0 : text->size() / 3;
    return sizeof(Value) + text->size() + of_allocation + rounding;
  }
  /// Of a name in a table with a value that takes nothing elsewhere.
  static std::size_t size_of_entry(std::string_view name) {
    constexpr std::size_t own_room = 16, of_allocation = 16, of_growth = 32;
    return sizeof(Names::Entry) + of_growth + (name.size() < own_room ? 0 : name.size() + of_allocation);
  }
  static std::size_t size_of(const std::vector<Value>& items);
  static std::size_t size_of(const DictItems& items);

 private:
  struct Links {
    Links *previous = nullptr, *next = nullptr;
  };
  struct AnyNode : Links {
    explicit AnyNode(Heap& of) : heap(of) {
      previous = heap.ends_.previous, next = &heap.ends_;
      previous->next = next->previous = this;
    }
    virtual ~AnyNode() { previous->next = next, next->previous = previous; }
    AnyNode(const AnyNode&) = delete;
    AnyNode& operator=(const AnyNode&) = delete;
    virtual void empty() = 0;
    Heap& heap;
  };
  template <typename T>
  struct Node : AnyNode {
    Node(T&& held, Heap& of) : AnyNode(of), value(std::move(held)) {}
    void empty() override { value = T(); }
    T value;
  };

  void discard(AnyNode*);

  Budget& budget_;
  std::uint64_t given_back_ = 0;
  std::uint64_t for_now_ = 0;
  Links ends_;  ///< of the ring of all nodes
  std::vector<AnyNode*> discarded_;
  bool discarding_ = false;
};

}  // namespace cudald::python
