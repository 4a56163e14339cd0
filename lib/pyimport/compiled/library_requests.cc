#include "pyimport/compiled/library_requests.h"

#include <algorithm>
#include <set>
#include <vector>

#include <cudald/image.h>

#include "pyimport/compiled/call_arguments.h"

namespace cudald::python {
namespace {

using StepKind = CodeStep::Kind;

using FunctionNames = std::set<std::string_view>;

const FunctionNames& opening() {
  static const FunctionNames names{"dlopen", "dlmopen"};
  return names;
}
const FunctionNames& importing() {
  static const FunctionNames names{"PyImport_ImportModule", "PyImport_ImportModuleNoBlock", "PyImport_Import",
                                   "PyImport_ImportModuleLevel", "PyImport_ImportModuleLevelObject"};
  return names;
}
/// What runs code that stands in the file, or wherever.
const FunctionNames& running() {
  static const FunctionNames names{"PyEval_EvalCode", "PyImport_ExecCodeModule", "PyRun_StringFlags",
                                   "PyRun_SimpleStringFlags"};
  return names;
}

constexpr std::size_t most_kept = 100, most_listed = 20;

void add(std::string_view name, std::vector<std::string>& names) {
  if (names.size() < most_kept && std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
}

void join(std::string_view text, std::string& list) { list.append(list.empty() ? "" : ", ").append(text); }

std::string listed(const std::vector<std::string>& names, bool computed,
                   const std::function<bool(std::string_view)>& is_left_out) {
  std::string list;
  std::size_t count = 0;
  for (const auto& name : names)
    if (!is_left_out(name) && ++count <= most_listed) join(name, list);
  if (computed) join("(its code computes a name)", list);
  return list;
}

/// `dlopen(NULL)`, which asks for the program itself: `xor edi, edi` shortly before the call.
bool asks_for_program(const FunctionCode& code, std::uint64_t call) {
  constexpr std::uint64_t near = 14;
  for (auto at = call - near; at < call - 1; ++at) {
    const auto two = code.number_at(at).value_or(0) & 0xffff;
    if (two == 0xff31 || two == 0xff33) return true;
  }
  return false;
}

bool is_name_of_library(std::string_view name) { return name.find(".so") != std::string_view::npos; }

/// Names of functions that matter.
FunctionNames names_of(RequestKinds kinds) {
  FunctionNames names;
  if (kinds.libraries) names = opening();
  if (kinds.modules) {
    names.insert(importing().begin(), importing().end());
    names.insert(running().begin(), running().end());
  }
  return names;
}

}  // namespace

RequestKinds may_request(std::string_view names_of_symbols) {
  RequestKinds kinds{false, false};
  for (std::size_t begin = 0; begin < names_of_symbols.size();) {
    const auto end = std::min(names_of_symbols.find('\0', begin), names_of_symbols.size());
    const auto name = names_of_symbols.substr(begin, end - begin);
    if (name.starts_with("dl")) kinds.libraries |= opening().contains(name);
    if (name.starts_with("Py")) kinds.modules |= importing().contains(name) || running().contains(name);
    begin = end + 1;
  }
  return kinds;
}

std::optional<LibraryRequests> library_requests(const MappedBytes& bytes, const Image& image, RequestKinds kinds,
                                                Budget& budget) {
  const auto code = FunctionCode::of(bytes, image, budget);
  if (!code) return std::nullopt;
  LibraryRequests requests;
  for (const auto function : code->callers(names_of(kinds))) {
    const auto steps = code->steps(function);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].kind != StepKind::imported) continue;
      const auto text = text_argument(*code, steps, i, rdi);
      if (kinds.libraries && opening().contains(steps[i].name)) {
        if (text && is_name_of_library(*text)) add(*text, requests.libraries);
        if (!text && !asks_for_program(*code, steps[i].at)) requests.opens_computed = true;
      } else if (kinds.modules && importing().contains(steps[i].name)) {
        if (!text) requests.imports_computed = true;
        if (text) add(*text, requests.modules);
      } else if (kinds.modules && running().contains(steps[i].name)) {
        requests.runs_code = true;
      }
    }
  }
  if (budget.exhausted()) return std::nullopt;
  return requests;
}

std::string LibraryRequests::listed_libraries() const {
  return listed(libraries, opens_computed, [](std::string_view) { return false; });
}

std::string LibraryRequests::listed_modules(const std::function<bool(std::string_view)>& is_imported) const {
  auto list = listed(modules, imports_computed, is_imported);
  if (runs_code) join("(it runs Python code of its own)", list);
  return list;
}

}  // namespace cudald::python
