#include <algorithm>
#include <cctype>

#include "base/path.h"
#include "python/interpreter.h"

namespace cudald::python {
namespace {

constexpr std::uint64_t max_cython_module = std::uint64_t{64} << 20;

bool is_dotted_name(std::string_view text) {
  bool start = true;
  for (const char c : text) {
    if (c == '.') {
      if (start) return false;
      start = true;
    } else {
      if (!(std::isalpha(static_cast<unsigned char>(c)) || c == '_' || (!start && std::isdigit(static_cast<unsigned char>(c)))))
        return false;
      start = false;
    }
  }
  return !start;
}

/// Texts of the file that stand alone between two zero bytes and read like a module's full name, in the file's order.
std::vector<std::string> dotted_names(std::string_view bytes) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < bytes.size();) {
    auto end = bytes.find('\0', begin);
    if (end == std::string_view::npos) break;
    const auto text = bytes.substr(begin, end - begin);
    if (text.size() > 2 && text.size() < 200 && is_dotted_name(text) &&
        std::find(names.begin(), names.end(), text) == names.end())
      names.emplace_back(text);
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
  if (!answer.loaded) throw PythonError{"ImportError", answer.error};
}

/// A Cython module imports, when it is loaded, the modules whose types and functions it was compiled against, and then
/// runs its own import statements. The former stand in it as texts; the latter are read from the .pyx file, if the
/// package brings it along.
void Interpreter::import_for_extension(Module& module) {
  if (finder_.in_standard_library(module.path)) return;
  const auto status = files_.status(module.path);
  if (!status || status->size > max_cython_module) return;
  const auto bytes = read_file(files_, module.path, max_cython_module);
  if (!bytes || bytes->find(std::string_view("cython_runtime\0", 15)) == std::string::npos) return;
  const auto names = dotted_names(*bytes);

  const auto folder = std::string(parent_path(module.path));
  const auto stem = std::string(file_name(module.path)).substr(0, file_name(module.path).find('.'));
  Frame frame;
  frame.module = &module;
  std::vector<std::string> order;
  auto text = read_file(files_, folder + "/" + stem + ".pyx", std::uint64_t{8} << 20);
  if (text) frame.source = Source::parse(folder + "/" + stem + ".pyx", std::move(*text));

  const Handler handler(*this, {});
  for (const auto& name : names) {
    // A name inside the module itself, or one that no file bears, is something else.
    if (name == module.name || name.starts_with(module.name + ".") || name.find('.') == std::string::npos) continue;
    const auto top = name.substr(0, name.find('.'));
    if (finder_.is_standard(top)) continue;
    if (top != module.name.substr(0, module.name.find('.')) && find_loaded(top) == nullptr &&
        finder_.find(top, environment_.path, true).kind == ModulePlace::Kind::absent)
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
    run(frame, frame.source->statements());
  } catch (const PythonError&) {
  }
}

}  // namespace cudald::python
