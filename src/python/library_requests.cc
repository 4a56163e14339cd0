#include "python/library_requests.h"

#include <algorithm>
#include <set>
#include <vector>

#include <cudald/image.h>

#include "python/call_arguments.h"

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

/// Names of what is asked for, each once, and whether there are others.
class RequestList {
 public:
  void add(std::string_view name) {
    constexpr std::size_t most = 20;
    if (names_.size() < most && std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
  }
  void add_computed() { computed_ = true; }
  void add_code() { code_ = true; }

  std::string take() const {
    std::string list;
    const auto join = [&](std::string_view text) { list.append(list.empty() ? "" : ", ").append(text); };
    for (const auto name : names_) join(name);
    if (computed_) join("(its code computes a name)");
    if (code_) join("(it runs Python code of its own)");
    return list;
  }

 private:
  std::vector<std::string_view> names_;
  bool computed_ = false, code_ = false;
};

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
                                                Budget& budget,
                                                const std::function<bool(std::string_view)>& is_imported) {
  const auto code = FunctionCode::of(bytes, image, budget);
  if (!code) return std::nullopt;
  RequestList libraries, modules;
  for (const auto function : code->callers(names_of(kinds))) {
    const auto steps = code->steps(function);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].kind != StepKind::imported) continue;
      const auto text = text_argument(*code, steps, i, rdi);
      if (kinds.libraries && opening().contains(steps[i].name)) {
        if (text && is_name_of_library(*text)) libraries.add(*text);
        if (!text && !asks_for_program(*code, steps[i].at)) libraries.add_computed();
      } else if (kinds.modules && importing().contains(steps[i].name)) {
        if (!text) modules.add_computed();
        if (text && !is_imported(*text)) modules.add(*text);
      } else if (kinds.modules && running().contains(steps[i].name)) {
        modules.add_code();
      }
    }
  }
  if (budget.exhausted()) return std::nullopt;
  return LibraryRequests{libraries.take(), modules.take()};
}

}  // namespace cudald::python
