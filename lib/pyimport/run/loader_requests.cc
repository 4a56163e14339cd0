#include <algorithm>

#include "base/json.h"
#include "base/path.h"
#include "base/version_order.h"
#include "base/windows_path.h"
#include "pyimport/environment/environment_files.h"
#include "pyimport/run/interpreter.h"

namespace cudald::python {
namespace {

constexpr int max_rule_depth = 8;
constexpr std::uint64_t max_json = 1 << 20;
constexpr std::uint64_t work_of_step = 1000;  ///< of a rule

/// The string at a place in the text of a JSON file, "/nccl/filenames/0"; empty if there is none.
std::string text_in_json(std::string_view text, const std::string& pointer) {
  const auto json = parse_json(text);
  if (json.is_discarded()) return {};
  const nlohmann::json::json_pointer place(pointer);
  if (!json.contains(place) || !json.at(place).is_string()) return {};
  return json.at(place).get<std::string>();
}

/// The failure of a load as the exception that a library makes of it: "KIND: text", the failure's own if that is empty.
PythonError as_raised(PythonError failure, const std::string& raises) {
  constexpr std::string_view place = "{error}";
  const auto colon = raises.find(": ");
  if (colon == std::string::npos) return failure;
  auto text = raises.substr(colon + 2);
  if (const auto at = text.find(place); at != std::string::npos) text.replace(at, place.size(), failure.message);
  failure.kind = raises.substr(0, colon);
  failure.message = std::move(text);
  return failure;
}

/// The file whose code runs.
const std::string& source_of(const Frame& frame) {
  return frame.source == nullptr ? frame.module->path : frame.source->path();
}

}  // namespace

LoadAnswer LoaderRequests::request(LoadStep step) {
  heap_.work(work_of_request);
  heap_.keep(size_of_request + 16 * step.path.size());
  ++count_;
  python_.tracker.note_requested(step);
  return loader_.load ? loader_.load(step) : LoadAnswer{true, {}};
}

LoadStep LoaderRequests::library_step(const Frame& frame, const std::string& path, const std::string& basis) const {
  LoadStep step;
  step.kind = LoadStep::Kind::library;
  step.path = path;
  step.required = !python_.handlers.caught("OSError");
  step.module = frame.module->name;
  step.source = source_of(frame);
  step.line = frame.source == nullptr ? 0 : frame.line;
  step.basis = basis;
  return step;
}

void LoaderRequests::open_library(const Frame& frame, const std::string& path, bool global, const std::string& basis,
                                  std::optional<std::uint32_t> flags) {
  auto step = library_step(frame, path, basis);
  step.global = global;
  step.flags = flags;
  const auto answer = request(std::move(step));
  if (answer.loaded) return;
  last_error_ = answer.code;
  throw failed_load(answer, "OSError");
}

PythonError failed_load(const LoadAnswer& answer, std::string_view kind) {
  PythonError error{answer.kind.empty() ? std::string(kind) : answer.kind, answer.error};
  if (answer.request) error.causes = {*answer.request};
  return error;
}

/// ctypes.CDLL(name): OSError with the loader's own words if it fails.
Value LoaderRequests::load_library(Frame& frame, const Value& name, bool global, std::optional<std::uint32_t> flags) {
  const auto* path = name.get<std::string>();
  if (name.unknown() || name.is_named()) return python_.tracker.unfollowed(frame, Unfollowed::Kind::library);
  const bool is_program = name.get<None>() != nullptr && environment_.windows == nullptr;
  if (is_program && !name.doubtful) return Thing(ThingKind::library, "");
  if (path == nullptr || path->empty()) return Unknown{};
  if (!follows(frame)) return python_.tracker.unfollowed(frame, Unfollowed::Kind::condition);
  open_library(frame, *path, global, "source", flags);
  const bool kernel32 = environment_.windows != nullptr && folded(windows_file_name(*path)).starts_with("kernel32");
  return kernel32 ? Value(Named{"dll kernel32"}) : Value(Thing(ThingKind::library, *path));
}

/// What a library has by a name, which ctypes looks up when it is asked for. Source: CPython 3.11
/// Lib/ctypes/__init__.py, CDLL.__getattr__; Modules/_ctypes/_ctypes.c, PyCFuncPtr_FromDll.
Value LoaderRequests::function_of_library(const Frame& frame, const std::string& path, std::string_view name) {
  constexpr std::string_view of_class[] = {"_name", "_handle", "_FuncPtr", "_func_flags_", "_func_restype_"};
  const bool is_symbol =
      !name.starts_with("__") && std::find(std::begin(of_class), std::end(of_class), name) == std::end(of_class);
  if (!is_symbol || frame.maybe || !loader_.symbol_error) return Unknown{};
  if (names_given_to_libraries_.contains(std::string(name))) return Unknown{};
  heap_.work(work_of_request);
  const auto error = loader_.symbol_error(path, std::string(name));
  if (error && !error->empty()) {
    PythonError lacks{"AttributeError", *error};
    if (python_.handlers.caught_for_all(lacks)) throw lacks;
    python_.doubt.raise_if_certain(frame, std::move(lacks));
  }
  return error && error->empty() ? Value(Named{"function of a library"}) : Value();
}

Value LoaderRequests::run_rule(Frame& frame, const Rule& rule, const Arguments& arguments) {
  if (rule_depth_ >= max_rule_depth) return Unknown{};
  ++rule_depth_;
  for (const auto& soft : rule.soft) {
    std::string name;
    for (const auto& one : soft.names) {
      name = expand(frame, rule, arguments, one);
      heap_.work(work_of_request);
      if (soft.names.size() == 1 || (loader_.finds && loader_.finds(name))) break;
    }
    if (name.starts_with('/') && !finder_.has_file(name)) continue;
    heap_.keep(sizeof(SoftLibrary) + 2 * frame.module->path.size() + soft.note.size());
    python_.tracker.result().soft_libraries.push_back(
        {std::move(name), frame.module->path, 0, frame.module->name, "rule", soft.note, soft.gpu, soft.global});
  }
  {
    const AtEnd leave([this] { --rule_depth_; });
    run_steps(frame, rule, arguments, rule.steps);
  }
  if (rule.returns.empty()) return Unknown{};
  return expand(frame, rule, arguments, rule.returns);
}

void LoaderRequests::run_steps(Frame& frame, const Rule& rule, const Arguments& arguments,
                               const std::vector<RuleStep>& steps) {
  for (const auto& step : steps) {
    if (!step.if_source.empty()) {
      const auto text = python_.host.read_text(frame.module->path, max_json);
      if (!text || text->find(step.if_source) == std::string::npos) continue;
    }
    heap_.work(work_of_step);
    if (!step.if_mapped.empty() && !(loader_.mapped && loader_.mapped(step.if_mapped))) continue;
    if (!step.if_value.empty() && expand(frame, rule, arguments, step.if_value).empty()) continue;
    if (step.if_at_least.size() == 2 &&
        version_less(expand(frame, rule, arguments, step.if_at_least[0]), step.if_at_least[1]))
      continue;
    std::optional<PythonError> failure;
    try {
      const bool mild = !step.required || !step.on_failure.empty();
      const Handler handler(python_,
                            mild ? std::vector<std::string>() : std::vector<std::string>{"no exception at all"});
      run_step(frame, rule, arguments, step);
    } catch (const PythonError& error) {
      failure = error;
    }
    if (!failure) {
      run_steps(frame, rule, arguments, step.then);
      continue;
    }
    if (!step.on_failure.empty()) {
      run_steps(frame, rule, arguments, step.on_failure);
    } else if (step.required) {
      throw as_raised(std::move(*failure), step.raises);
    } else if (!step.import.empty() && failure->unexplained) {
      // Code raised it of its own accord, if it was followed rightly: what comes after that is left open.
      python_.tracker.unfollowed(frame, Unfollowed::Kind::condition);
    }
  }
}

void LoaderRequests::run_step(Frame& frame, const Rule& rule, const Arguments& arguments, const RuleStep& step) {
  if (!step.import.empty()) {
    python_.importer.import_module(step.import, &frame);
  } else if (!step.library.empty()) {
    const auto key = expand(frame, rule, arguments, step.library);
    std::vector<std::size_t> failures;
    if (!load_from_table(frame, key, 0, failures))
      throw PythonError{"DynamicLibNotFoundError", "Failure finding \"" + key + "\"", "", std::move(failures)};
  } else if (!step.load.empty()) {
    load_by_rule(frame, rule, arguments, step);
  } else if (const auto colon = step.raises.find(": "); colon != std::string::npos) {
    python_.doubt.raise_if_certain(frame, {step.raises.substr(0, colon), step.raises.substr(colon + 2)});
  }
}

void LoaderRequests::load_by_rule(Frame& frame, const Rule& rule, const Arguments& arguments, const RuleStep& wanted) {
  std::vector<std::string> patterns;
  for (const auto& text : wanted.load) patterns.push_back(expand(frame, rule, arguments, text));
  if (patterns.size() == 1 && patterns[0].empty()) return;
  const auto paths = hits(patterns, wanted.all, wanted.as_module);
  if (paths.empty() && wanted.required && !wanted.all)
    throw PythonError{"ValueError", std::string(file_name(patterns.back())) + " not found in the system path"};
  for (const auto& path : paths) {
    open_library(frame, path.starts_with('/') ? python_.host.spelled(path) : path, wanted.global, "rule");
    if (!wanted.as_module) continue;
    auto& module = python_.sys_modules.make_module(frame.module->name + " of " + std::string(file_name(path)));
    module.path = path;
    python_.extension_modules.import_for_extension(module);
  }
}

/// What the alternatives of a rule lead to: an absolute path and a bare name stand for themselves, the rest is a glob
/// below each folder of sys.path, and each folder is asked for all of them before the next one. The first, or all. Of
/// the modules that one alternative leads to, that one whose suffix this Python asks for first.
std::vector<std::string> LoaderRequests::hits(const std::vector<std::string>& patterns, bool all, bool as_module) {
  const auto& suffixes = environment_.extension_suffixes;
  const auto rank = [&](const std::string& path) {
    const auto name = file_name(path);
    const auto dot = std::min(name.find('.'), name.size());
    return std::find(suffixes.begin(), suffixes.end(), name.substr(dot)) - suffixes.begin();
  };
  for (const auto& pattern : patterns)
    if (pattern.find('/') == std::string::npos || (pattern.starts_with('/') && pattern.find('*') == std::string::npos))
      return {pattern};
  std::vector<std::string> found;
  for (const auto& folder : environment_.path)
    for (const auto& pattern : patterns) {
      std::vector<std::string> paths;
      for (const auto& hit : python_.host.glob(python_.host.spelled(absolute_path(pattern, folder))))
        paths.push_back(python_.host.place_of(*hit.get<std::string>()).value_or(""));
      const auto earlier = [&](const auto& one, const auto& other) { return rank(one) < rank(other); };
      if (as_module) std::stable_sort(paths.begin(), paths.end(), earlier);
      for (const auto& path : paths) {
        if (std::find(found.begin(), found.end(), path) == found.end()) found.push_back(path);
        if (!all) return found;
      }
    }
  return found;
}

/// {package}: the folder of the module's file; {file} and {here}: the source that calls, and its folder; {0}: the first
/// argument; other names: the rule's `values`, with ".major" for the part before the first dot.
std::string LoaderRequests::expand(Frame& frame, const Rule& rule, const Arguments& arguments, std::string text) {
  for (auto open = text.find('{'); open != std::string::npos; open = text.find('{', open)) {
    const auto close = text.find('}', open);
    if (close == std::string::npos) break;
    auto name = text.substr(open + 1, close - open - 1);
    const bool major = name.ends_with(".major");
    if (major) name.resize(name.size() - 6);
    std::string value;
    if (name == "package") {
      value = parent_path(frame.module->path);
    } else if ((name == "file" || name == "here") && !rule.values.contains(name)) {
      value = source_of(frame);
      if (name == "here") value = parent_path(value);
    } else if (name == "0") {
      if (!arguments.empty())
        if (const auto* given = arguments[0].value.get<std::string>()) value = *given;
    } else if (const auto at = rule.values.find(name); at != rule.values.end() && at->second.starts_with("json:")) {
      const auto place = expand(frame, rule, arguments, at->second.substr(5));
      const auto json = python_.host.read_text(place.substr(0, place.find('#')), max_json);
      heap_.work(json ? json->size() : 0);
      if (json) value = text_in_json(*json, place.substr(place.find('#') + 1));
    } else if (at != rule.values.end()) {
      const auto dot = at->second.rfind('.');
      auto& module = python_.importer.import_module(at->second.substr(0, dot), &frame);
      if (const auto bound = python_.bindings.module_attribute(frame, module, at->second.substr(dot + 1)))
        if (const auto* literal = bound->get<std::string>()) value = *literal;
    }
    if (value.size() > max_length) value.clear();
    if (major) value = value.substr(0, value.find('.'));
    text.replace(open, close + 1 - open, value);
    open += value.size();
  }
  return text;
}

/// As cuda.pathfinder's load_nvidia_dynamic_lib: site-packages, what is already loaded, what it needs, the loader's own
/// search.
bool LoaderRequests::load_from_table(Frame& frame, const std::string& key, int depth,
                                     std::vector<std::size_t>& failures) {
  const auto row = rules_.libraries.find(key);
  if (row == rules_.libraries.end() || depth > max_rule_depth) return false;
  std::string found;
  const bool has_site = std::any_of(environment_.path.begin(), environment_.path.end(), is_site_folder);
  for (const auto& folder : row->second->folders)
    for (const auto& site : environment_.path)
      for (const auto& name : row->second->names)
        if (const auto path = site + "/" + folder + "/" + name;
            found.empty() && (is_site_folder(site) || !has_site) && finder_.has_file(path))
          found = path;
  const auto ask = [&](const std::string& name, bool only_if_loaded) {
    auto step = library_step(frame, name, "rule");
    step.global = !only_if_loaded;
    step.only_if_loaded = only_if_loaded;
    step.required = false;
    const auto answer = request(std::move(step));
    if (!answer.loaded && answer.request) failures.push_back(*answer.request);
    return answer.loaded;
  };
  const bool there = std::any_of(row->second->names.begin(), row->second->names.end(),
                                 [&](const auto& name) { return ask(name, true); });
  for (const auto& need : row->second->needs) load_from_table(frame, need, depth + 1, failures);
  if (there) return true;
  const auto names = found.empty() ? row->second->names : std::vector<std::string>{found};
  return std::any_of(names.begin(), names.end(), [&](const auto& name) { return ask(name, false); });
}

}  // namespace cudald::python
