#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>

#include "base/path.h"
#include "python/interpreter.h"

namespace cudald::python {
namespace {

constexpr std::uint64_t max_cython_module = std::uint64_t{64} << 20;
constexpr std::uint64_t max_pyx = std::uint64_t{8} << 20;
constexpr int max_includes = 200;

bool is_dotted_name(std::string_view text) {
  bool start = true;
  for (const char c : text) {
    if (c == '.') {
      if (start) return false;
      start = true;
    } else {
      if (!(std::isalpha(static_cast<unsigned char>(c)) || c == '_' ||
            (!start && std::isdigit(static_cast<unsigned char>(c)))))
        return false;
      start = false;
    }
  }
  return !start;
}

/// Texts of the file that stand alone between two zero bytes and read like a module's full name, in the file's order.
std::vector<std::string> dotted_names(std::string_view bytes, Heap& heap) {
  std::vector<std::string> names;
  std::set<std::string_view> known;
  for (std::size_t begin = 0; begin < bytes.size();) {
    auto end = bytes.find('\0', begin);
    if (end == std::string_view::npos) break;
    const auto text = bytes.substr(begin, end - begin);
    if (text.size() > 2 && text.size() < 200 && is_dotted_name(text) && known.insert(text).second) {
      heap.keep(2 * sizeof(std::string) + 2 * text.size());
      names.emplace_back(text);
    }
    begin = end + 1;
  }
  return names;
}

}  // namespace

void Interpreter::load_extension(Module& module, const Frame* from) {
  LoadStep step;
  step.path = module.path;
  step.required = !caught("ImportError");
  step.module = module.name;
  if (from != nullptr && from->source != nullptr) step.source = from->source->path, step.line = from->line;
  step.basis = "source";
  const auto answer = request(std::move(step));
  if (!answer.loaded) throw failed_load(answer, "ImportError");
}

/// A Cython module imports, when it is loaded, the modules whose types and functions it was compiled against, and then
/// runs its own import statements. The former stand in it as texts; the latter are read from the .pyx file, if the
/// package brings it along.
void Interpreter::import_for_extension(Module& module) {
  if (finder_.in_standard_library(module.path)) return;
  const auto status = files_.status(module.path);
  if (!status || status->size > max_cython_module) return;
  const auto bytes = read_text(module.path, max_cython_module);
  constexpr std::string_view mark("cython_runtime\0", 15);
  if (!bytes || memmem(bytes->data(), bytes->size(), mark.data(), mark.size()) == nullptr) return;
  Frame frame;
  frame.module = &module;
  frame.source = source_beside(module);

  const auto names = dotted_names(*bytes, heap_);
  const std::set<std::string_view> known_names(names.begin(), names.end());
  std::vector<std::string> order;
  if (frame.source != nullptr)
    for (const auto statement : frame.source->block())
      if (statement.is(NodeKind::cimport))
        for (auto& name : cimported_names(statement, module))
          if (known_names.contains(name)) order.push_back(std::move(name));
  order.insert(order.end(), names.begin(), names.end());

  const Handler handler(*this, {});
  for (const auto& name : order) {
    // A name inside the module itself, one that no file bears, or a text of its code is something else.
    if (name == module.name || name.starts_with(module.name + ".") || name.find('.') == std::string::npos) continue;
    const auto top = name.substr(0, name.find('.'));
    if (finder_.is_standard(top)) continue;
    if (top != module.name.substr(0, module.name.find('.')) && find_loaded(top) == nullptr &&
        finder_.find(top, search_path(), true).kind == ModulePlace::Kind::absent)
      continue;
    if (frame.source != nullptr) heap_.look_at(8 * frame.source->text().size());
    if (frame.source != nullptr &&
        (frame.source->mentions('"' + name + '"') || frame.source->mentions('\'' + name + '\'')))
      continue;
    const auto known = result_.missing.size();
    try {
      import_module(name, nullptr);
    } catch (const PythonError&) {
      result_.missing.resize(std::min(known, result_.missing.size()));
    }
  }
  if (frame.source == nullptr) return;
  try {
    run(frame, frame.source->block());
  } catch (const PythonError&) {
  }
}

/// What the module was compiled from, if the package brings it along: Cython's own sources, or Python's that Cython or
/// mypyc compiled.
std::shared_ptr<const Source> Interpreter::source_beside(const Module& module) {
  const auto stem = std::string(file_name(module.path)).substr(0, file_name(module.path).find('.'));
  for (const auto* suffix : {".pyx", ".py"}) {
    const auto path = std::string(parent_path(module.path)) + "/" + stem + suffix;
    if (!finder_.has_file(path)) continue;
    if (auto text = read_text(path, max_pyx)) return keep_source(Source::parse(path, std::move(*text), cost_));
  }
  return nullptr;
}

/// Cython's `include "part.pxi"`, whose statements stand for it.
void Interpreter::run_include(Frame& frame, const Node& statement) {
  const auto name = evaluate(*this, frame, statement[0]);
  const auto* part = name.get<std::string>();
  if (part == nullptr || frame.source == nullptr || import_depth_ >= max_includes) return;
  const auto path = absolute_path(*part, parent_path(frame.source->path));
  auto text = finder_.has_file(path) ? read_text(path, max_pyx) : Result<std::string>(Error{});
  if (!text) return;
  Frame inner = frame;
  inner.source = keep_source(Source::parse(path, std::move(*text), cost_));
  ++import_depth_;
  try {
    run(inner, inner.source->block());
  } catch (...) {
    --import_depth_;
    throw;
  }
  --import_depth_;
}

/// The modules that `from a.b cimport c, d` may mean: a.b, a.b.c and a.b.d.
std::vector<std::string> Interpreter::cimported_names(const Node& statement, const Module& module) {
  std::vector<std::string> result;
  if (statement.word() != Word::from) {
    for (const auto imported : statement) result.push_back(plain_dotted_name(imported[0]));
    return result;
  }
  const auto written = statement[0].there() ? plain_dotted_name(statement[0]) : std::string();
  const auto from = absolute_name(module, statement.level(), written);
  if (!from.empty()) result.push_back(from);
  for (std::size_t i = 1; i < statement.size(); ++i) result.push_back(from + "." + std::string(statement[i][0].text()));
  return result;
}

}  // namespace cudald::python
