#include "knowledge/stable_abi.h"

#include <map>

#include <fmt/format.h>

#include "base/json.h"
#include "base/path.h"
#include "base/version_order.h"
#include "embedded.h"

namespace cudald {
namespace {

struct StableAbiTable {
  std::map<std::string, std::string, std::less<>> added;  ///< symbol to release
  std::string source;
};

const StableAbiTable& stable_abi_table() {
  static const StableAbiTable built = [] {
    const auto json = parse_table(embedded_stable_abi());
    StableAbiTable result;
    result.source = fmt::format("{}, {}", json.at("source").get<std::string>(), json.at("checked").get<std::string>());
    for (const auto& [release, names] : json.at("added").items())
      for (const auto name : split(names.get_ref<const std::string&>(), " ")) result.added.emplace(name, release);
    return result;
  }();
  return built;
}

/// "PyList_New", "Py_True", "_PyObject_GC_New": names that are CPython's own. Others make theirs of "Py" and what they
/// are called: PyInit_numpy is the module's, and it defines it.
bool is_of_python(std::string_view symbol) {
  if (symbol.starts_with("_")) symbol.remove_prefix(1);
  return symbol.starts_with("Py") && symbol.size() > 2 && (symbol[2] == '_' || (symbol[2] >= 'A' && symbol[2] <= 'Z'));
}

}  // namespace

AbiAnswer abi_standing(std::string_view symbol, std::string_view python) {
  const auto& added = stable_abi_table().added;
  if (const auto known = added.find(symbol); known != added.end()) {
    const bool later = version_less(python.empty() ? "3.2" : python, known->second);
    return {later ? AbiStanding::later : AbiStanding::stable, known->second};
  }
  return {is_of_python(symbol) ? AbiStanding::private_ : AbiStanding::no_python, ""};
}

std::string stable_abi_source() { return stable_abi_table().source; }

}  // namespace cudald
