#include "pyimport/run/handlers.h"

#include <algorithm>

#include "pyimport/run/builtin_names.h"
#include "pyimport/run/interpreter.h"

namespace cudald::python {

std::vector<std::string> handled_kinds(const Node& exceptions) {
  std::vector<std::string> kinds;
  const auto take = [&](const Node& one) {
    auto name = dotted_text(one);
    kinds.push_back(name.empty() ? "an expression" : std::move(name));
  };
  if (!exceptions.there()) return kinds;
  if (!exceptions.is(NodeKind::tuple)) take(exceptions);
  for (std::size_t i = 0; exceptions.is(NodeKind::tuple) && i < exceptions.size(); ++i) take(exceptions[i]);
  return kinds;
}

bool catches(const std::vector<std::string>& kinds, std::string_view kind) {
  return kinds.empty() ||
         std::any_of(kinds.begin(), kinds.end(), [&](const auto& one) { return is_kind_of(kind, one); });
}

bool catches(const std::vector<std::string>& kinds, const PythonError& error) {
  return catches(kinds, error.kind) ||
         std::any_of(error.bases.begin(), error.bases.end(), [&](const auto& base) { return catches(kinds, base); });
}

Handler::Handler(Interpreter& python, std::vector<std::string> kinds, Reach reach) : handlers_(python.handlers) {
  handlers_.handlers_.push_back(
      {std::move(kinds), python.importer.depth(), false, python.doubt.possible_raises(), reach});
}

Handler::Handler(Interpreter& python) : handlers_(python.handlers) {
  handlers_.handlers_.push_back(
      {{}, python.importer.depth(), true, python.doubt.possible_raises(), Reach::this_module});
}

void Handlers::begin(const PythonError& error) {
  handled_.push_back({error, python_.calls.depth(), python_.importer.depth()});
}

bool Handlers::may_be_left() const {
  const auto depth = python_.importer.depth();
  const auto possible_raises = python_.doubt.possible_raises();
  return std::any_of(handlers_.begin(), handlers_.end(), [&](const Catcher& one) {
    return one.import_depth == depth && (one.unsure || one.possible_raises != possible_raises);
  });
}

bool Handlers::caught(std::string_view kind) const {
  return std::any_of(handlers_.begin(), handlers_.end(), [&](const auto& one) { return catches(one.kinds, kind); });
}

bool Handlers::caught_for_all(std::string_view kind) const {
  return std::any_of(handlers_.begin(), handlers_.end(), [&](const Catcher& one) {
    return catches(one.kinds, kind) && (one.reach == Reach::all || one.import_depth == python_.importer.depth());
  });
}

bool Handlers::caught_for_all(const PythonError& error) const {
  return caught_for_all(error.kind) ||
         std::any_of(error.bases.begin(), error.bases.end(), [&](const auto& base) { return caught_for_all(base); });
}

}  // namespace cudald::python
