// A module that was compiled for Python 2, and lies where Python 3 finds it: mostly by a PYTHONPATH that another
// program has set, as ROS does. Such modules begin with init..., and call what Python 3 has under other names or no
// more. Source: Python 2.7, Extending and Embedding, "The Module's Method Table and Initialization Function"; PEP 3121.
#include <fmt/format.h>

#include "base/path.h"
#include "binary/elf/symbol_table.h"
#include "check/findings/checks.h"

namespace cudald {
namespace {

std::string module_of(const Object& object) {
  const auto name = file_name(object.path);
  return std::string(name.substr(0, name.find('.')));
}

bool is_of_python_2(const Object& object, Store& store) {
  if (object.known_by_name || !object.image || !object.path.ends_with(".so")) return false;
  const auto module = module_of(object);
  const auto older = "init" + module, newer = "PyInit_" + module;
  bool has_older = false, has_newer = false;
  store.symbols.get(object)->visit_all([&](std::string_view symbol, std::uint16_t, bool defined) {
    has_older |= defined && symbol == older;
    has_newer |= defined && symbol == newer;
  });
  return has_older && !has_newer;
}

}  // namespace

void check_python_2(const Case& given) {
  if (!given.report.symbols) return;
  const auto& objects = given.report.resolution.objects;
  for (auto& finding : given.report.findings) {
    if (finding.code != "CUD201" || !finding.object || !finding.fixes.empty()) continue;
    const auto& object = objects[*finding.object];
    if (!is_of_python_2(object, given.store)) continue;
    const auto module = module_of(object);
    finding.message += ": it is a module of Python 2";
    finding.evidence.insert(
        finding.evidence.begin(),
        {fmt::format("it defines init{}, by which Python 2 enters a module, and no PyInit_{}", module, module),
         object.path, Basis::proven, "PEP 3121"});
    finding.fixes.push_back({fmt::format("a build of {} for Python 3", module), "", ""});
  }
}

}  // namespace cudald
