// The functions of the module operator that compare: checks of versions choose one of them by its sign.
// Source: CPython 3.11 Doc/library/operator.rst.
#include <functional>

#include "pyimport/known/known_functions.h"

namespace cudald::python {
namespace {

template <typename Holds>
Value ordered(const KnownCall& call, const Holds& holds) {
  const auto *left = call.argument(0), *right = call.argument(1);
  if (left == nullptr || right == nullptr) return Unknown{};
  const auto order = compare(call.python.heap, *left, *right);
  return order ? Value(holds(*order, 0)) : Value();
}
Value less(const KnownCall& call) { return ordered(call, std::less<>()); }
Value at_most(const KnownCall& call) { return ordered(call, std::less_equal<>()); }
Value greater(const KnownCall& call) { return ordered(call, std::greater<>()); }
Value at_least(const KnownCall& call) { return ordered(call, std::greater_equal<>()); }

Value same(const KnownCall& call, bool wanted) {
  const auto *left = call.argument(0), *right = call.argument(1);
  const auto alike = left == nullptr || right == nullptr ? std::nullopt : equal(call.python.heap, *left, *right);
  return alike ? Value(*alike == wanted) : Value();
}
Value equals(const KnownCall& call) { return same(call, true); }
Value differs(const KnownCall& call) { return same(call, false); }

constexpr KnownFunction operator_rows[] = {{"operator.lt", less},    {"operator.le", at_most},
                                           {"operator.gt", greater}, {"operator.ge", at_least},
                                           {"operator.eq", equals},  {"operator.ne", differs}};

}  // namespace

std::span<const KnownFunction> known_operators() { return operator_rows; }

}  // namespace cudald::python
