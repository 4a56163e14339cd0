// Whether a name is missing from a module that binds names in ways which are not followed: by globals(), setattr(),
// exec(), `import *` of what is not known. Whatever code binds a name, the name is a text somewhere, or is put together
// of texts. So one that is in no file of the package, in no other loaded module and in no built-in one is missing.
// Measured with four environments (28,064 imported modules, 553,392 names): 1,161 names are in no text of their package
// as they are. Each is put together of texts (sqlalchemy.sql.annotation, matplotlib.cm, mlflow.data.sources), copied
// from a module that is built in (gevent.os), packed by Cython (pysam), begun by an escape (protobuf) or made private.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/find_bytes.h"
#include "base/path.h"
#include "pyimport/run/interpreter.h"
#include "pyimport/syntax/scanner.h"

namespace cudald::python {
namespace {

constexpr std::size_t least_letters = 6;  // shorter ones are texts by chance, or made by counting
constexpr std::size_t least_in_texts = 4;
constexpr std::size_t most_files = 20'000;
constexpr std::uint64_t most_bytes_of_package = std::uint64_t{256} << 20;
constexpr int most_folders_deep = 20;
constexpr std::uint64_t size_of_asked = 96;  ///< bytes of a name in a set, beside its text
constexpr std::size_t longest_part = 100;    ///< of a text that is put together with others
/// Bytes of texts that one import looks at for this, tokens counted as many; then no other name is found to be missing.
constexpr std::uint64_t most_effort = std::uint64_t{1} << 30, effort_of_tokens = 16;
constexpr CostLimits limits_of_tokens{.kept = std::uint64_t{64} << 20, .steps = 20'000'000};

/// What of a name is in each text that has it. Behind the escape of a byte, protoc writes letters that are digits of
/// base 16 as escapes, too: "\x0c\x41uthResponse".
std::string_view part_in_texts(std::string_view name) {
  return name.substr(std::min(name.size(), name.find_first_not_of("0123456789abcdefABCDEF")));
}

/// Whether code binds names of the module that calls it: `f_globals[name] = value`.
bool binds_by_frames(std::string_view text) {
  constexpr std::string_view names = "f_globals";
  for (auto at = find_bytes(text, names); at != std::string_view::npos; at = find_bytes(text, names, at + 1)) {
    if (binds_into(text.substr(at + names.size(), text.find('\n', at) - at - names.size()))) return true;
  }
  return false;
}

/// The folder or file of the package at the top that a module belongs to.
std::string root_of(const Module& module) {
  std::string root = module.path;
  if (module.package) root = parent_path(root);
  for (auto dots = std::count(module.name.begin(), module.name.end(), '.'); dots > 0; --dots) root = parent_path(root);
  return root;
}

bool lies_below(std::string_view path, std::string_view root) {
  return path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/');
}

/// Whether a name begins or ends with a word of a text literal that has a place for another beside it: `"Is%s"`,
/// `f"{kind}Error"`; where it is `joined` to others, as in `name + "_r"`, at its ends as well.
bool is_part_of(std::string_view name, std::string_view literal, bool joined) {
  const std::string_view places = joined ? "'\"{}%" : "{}%";
  const auto is_place = [&](std::size_t at) { return places.find(literal[at]) != std::string::npos; };
  for (std::size_t at = 0; at < literal.size();) {
    if (literal[at] == '%') at += 2;  // "%sError" has the word Error
    if (at >= literal.size() || !is_name_part(literal[at])) {
      ++at;
      continue;
    }
    const auto begin = at;
    while (at < literal.size() && is_name_part(literal[at])) ++at;
    const auto word = literal.substr(begin, at - begin);
    const bool has_place = (begin > 0 && is_place(begin - 1)) || (begin > 1 && literal[begin - 2] == '%') ||
                           (at < literal.size() && is_place(at));
    if (has_place && (word.size() > 1 || word == "_") && (name.starts_with(word) || name.ends_with(word))) return true;
  }
  return false;
}

}  // namespace

bool binds_into(std::string_view line) {
  const auto close = line.find("] =");
  const bool is_bound =
      line.starts_with('[') && close != std::string_view::npos && !line.substr(close).starts_with("] ==");
  return is_bound || line.starts_with(".update(") || line.starts_with(".setdefault(");
}

bool AbsentNames::is_made_private(std::string_view name) {
  return name.starts_with('_') && !name.starts_with("__") && name.find("__", 1) != std::string_view::npos;
}

/// The tokens of a source, for a look; nullopt if there are too many.
std::optional<std::vector<Token>> AbsentNames::tokens_of(std::string_view text) {
  heap_.look_at(2 * text.size());
  text_effort_ += effort_of_tokens * text.size();
  Budget budget(limits_of_tokens);
  bool complete = true;
  auto tokens = scan(text, {0, text.size()}, budget, complete);
  return complete ? std::optional(std::move(tokens)) : std::nullopt;
}

/// Whether code of a source may put the name together of a text and something else.
bool AbsentNames::may_put_together(const Source& source, std::string_view name) {
  const auto kept = source.text();
  const std::string_view text = *kept;
  const auto found = tokens_of(text);
  if (!found) return true;
  const auto& tokens = *found;
  const auto joins = [&](std::size_t i) {
    if (i >= tokens.size()) return false;
    return tokens[i].word == Word::plus || tokens[i].word == Word::augmented || tokens[i].word == Word::dot;
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != TokenKind::string || tokens[i].size > longest_part) continue;
    const bool joined = joins(i + 1) || (i > 0 && joins(i - 1));
    if (is_part_of(name, text.substr(tokens[i].begin, tokens[i].size), joined)) return true;
  }
  return false;
}

/// Whether the source that asks for the name may have bound it before: by an assignment, or as a text.
bool AbsentNames::may_set(const Source& source, std::string_view name) {
  const auto kept = source.text();
  const std::string_view text = *kept;
  const auto found = tokens_of(text);
  if (!found) return true;
  const auto& tokens = *found;
  const auto text_of = [&](const Token& token) { return text.substr(token.begin, token.size); };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind == TokenKind::string && holds_bytes(text_of(tokens[i]), name)) return true;
    const bool is_set =
        i + 1 < tokens.size() && (tokens[i + 1].word == Word::equals || tokens[i + 1].word == Word::becomes);
    if (is_set && text_of(tokens[i]) == name) return true;
  }
  return false;
}

/// Whether the code of a compiled module may have the name of its own; what it copies of other modules is text there.
bool AbsentNames::may_name(const Module& module, std::string_view name) {
  const auto maker = python_.compiled_files.maker_of(module);
  if (maker == CompiledBy::cython)
    return python_.compiled_files.may_hold(module, python_.compiled_files.strings_of_cython(module), name);
  if (maker == CompiledBy::rust) return python_.compiled_files.holds_text(module, name);
  if (maker != CompiledBy::c) return python_.compiled_files.may_bind_in_code(module, name);
  return finder_.may_copy(module.path, name).value_or(true) || finder_.may_compose(module.path, name).value_or(true);
}

/// Whether a file below a folder, or its name, has the name; true if not all of them can be read.
bool AbsentNames::stands_below(const std::string& folder, const std::string& name, PackageCost& cost, int depth) {
  const auto entries = files_.list(folder);
  if (!entries || depth > most_folders_deep) return true;
  heap_.work(entries->size());
  const std::string part(part_in_texts(name));
  return std::any_of(entries->begin(), entries->end(), [&](const std::string& entry) {
    if (entry == "__pycache__") return false;
    if (entry.substr(0, entry.find('.')) == name || ++cost.files > most_files) return true;
    const auto path = folder + "/" + entry;
    const auto status = files_.status(path);
    if (!status) return true;
    if (status->kind == FileKind::folder) return stands_below(path, name, cost, depth + 1);
    if (status->kind != FileKind::regular) return false;
    cost.bytes += status->size;
    return cost.bytes > most_bytes_of_package || finder_.holds(path, part).value_or(true);
  });
}

/// Whether the text of a loaded source has it.
bool AbsentNames::stands_in_source(const Source& source, std::string_view part) {
  const auto text = source.text();
  heap_.look_at(text->size());
  text_effort_ += text->size();
  return text->size() != source.size() || holds_bytes(*text, part);
}

/// Whether this is true of the text of a loaded source of a package.
bool AbsentNames::is_true_of_package(const std::string& root, const std::function<bool(std::string_view)>& is_true) {
  heap_.work(python_.sys_modules.modules().size());
  return std::any_of(python_.sys_modules.modules().begin(), python_.sys_modules.modules().end(),
                     [&](const auto& entry) {
                       const Module& other = *entry.second;
                       if (other.source == nullptr || !lies_below(other.path, root)) return false;
                       const auto text = other.source->text();
                       heap_.look_at(text->size());
                       text_effort_ += text->size();
                       return text->size() != other.source->size() || is_true(*text);
                     });
}

/// Whether functions of its package may bind names of the modules that call them, as they know their frames.
bool AbsentNames::may_be_bound_by_frames(const Module& module) {
  return is_true_of_package(root_of(module), binds_by_frames);
}

/// Whether a loaded module of the package has the name, or puts it together.
bool AbsentNames::stands_in_package(const std::string& root, std::string_view name) {
  // What is cheap comes first: most names that are asked for are there.
  const auto part = part_in_texts(name);
  if (is_true_of_package(root, [&](std::string_view text) { return holds_bytes(text, part); })) return true;
  heap_.work(python_.sys_modules.modules().size());
  return std::any_of(
      python_.sys_modules.modules().begin(), python_.sys_modules.modules().end(), [&](const auto& entry) {
        const Module& one = *entry.second;
        if (!lies_below(one.path, root)) return false;
        return one.source != nullptr ? may_put_together(*one.source, name) : one.opaque && may_name(one, name);
      });
}

/// Whether a loaded module of another package, whose names code may copy, has the name.
bool AbsentNames::stands_in_others(const Frame& frame, const Module& module, const std::string& name) {
  const auto root = root_of(module);
  heap_.work(python_.sys_modules.modules().size());
  return std::any_of(
      python_.sys_modules.modules().begin(), python_.sys_modules.modules().end(), [&](const auto& entry) {
        const Module& other = *entry.second;
        if (lies_below(other.path, root)) return false;
        if (other.source != nullptr)
          return other.source == frame.source ? may_set(*other.source, name) : stands_in_source(*other.source, name);
        if (!other.opaque) return false;  // a namespace, or one that was made: its names are known
        if (module.taken_from.contains(other.name)) return may_name(other, name);
        if (!other.path.empty()) return finder_.holds(other.path, name).value_or(true);
        if (other.name == "__main__") return false;  // the program, which is a module of its own here
        const auto top = std::string_view(other.name).substr(0, other.name.find('.'));
        const auto* maker = python_.sys_modules.find_loaded(top);
        // What code has made, as six.moves, has names of its texts, which are asked as well.
        const bool is_made = maker != nullptr && maker->source != nullptr && top.size() < other.name.size() &&
                             !environment_.may_have_parts_elsewhere(top);
        return !is_made && !finder_.is_standard(top);
      });
}

/// Whether a name is long enough to be in no text by chance, and is in each that has it.
bool AbsentNames::is_distinctive(std::string_view name) {
  return name.size() >= least_letters && part_in_texts(name).size() >= least_in_texts && !is_made_private(name);
}

/// Whether any text that is known could bind a name in a module.
bool AbsentNames::stands_somewhere(const Frame& frame, const Module& module, const std::string& name) {
  const auto asked = module.name + "." + name;
  if (text_effort_ > most_effort || names_in_texts_.contains(asked)) return true;
  const auto stands_in = [&](const std::string& file) { return finder_.holds(file, name).value_or(true); };
  const auto root = root_of(module);
  const auto& own = finder_.interpreter_files();
  PackageCost cost;
  const bool stands = stands_in_package(root, name) || stands_in_others(frame, module, name) ||
                      (finder_.has_folder(root) && stands_below(root, name, cost, 0)) ||
                      std::any_of(own.begin(), own.end(), stands_in);
  if (!stands) return false;
  heap_.keep(size_of_asked + asked.size());
  names_in_texts_.insert(asked);
  return true;
}

/// Whether a module without a file is in no text that could make it, and is none that has another name as well.
bool AbsentNames::is_module_nowhere(const std::string& name, const Frame* from) {
  const auto last = name.substr(name.rfind('.') + 1);
  const auto* parent = python_.sys_modules.find_loaded(std::string_view(name).substr(0, name.find('.')));
  if (from == nullptr || parent == nullptr || parent->source == nullptr) return false;
  if (!is_distinctive(last) || finder_.interpreter_files().empty()) return false;
  // Finders of a package make what they like.
  if (is_true_of_package(root_of(*parent), [](std::string_view text) { return holds_bytes(text, "meta_path"); }))
    return false;
  heap_.work(python_.sys_modules.modules().size());
  const bool has_other_name = std::any_of(python_.sys_modules.modules().begin(), python_.sys_modules.modules().end(),
                                          [&](const auto& entry) { return entry.first.ends_with("." + last); });
  return !has_other_name && !stands_somewhere(*from, *parent, last);
}

/// Whether the __getattr__ of an object that stands in the place of a module ends with an AttributeError for a name
/// that is in no text: `if name in self.parts: ... else: raise AttributeError(...)`.
bool AbsentNames::refuses_name(const ObjectRef& stand_in, Module& module, const std::string& name) {
  const auto asks = python_.bindings.member(*stand_in, "__getattr__");
  const auto* held = asks ? asks->get<std::shared_ptr<const Function>>() : nullptr;
  if (held == nullptr || python_.bindings.member(*stand_in, "__getattribute__") || !asked_name_.empty()) return false;
  const auto function = *held;
  const Value self = stand_in;
  Frame frame;
  frame.module = &module;
  frame.source = module.source;
  const Handler handler(python_, {"AttributeError"}, Reach::this_module);
  asked_name_ = name;
  const AtEnd leave([&] { asked_name_.clear(); });
  try {
    python_.calls.call_function(frame, function, {{"", name}}, &self);
  } catch (const PythonError& error) {
    if (!catches({"AttributeError"}, error) || error.doubtful || error.assumed) return false;
    python_.bindings.note_refused(error, module.name + "." + name);
    return true;
  }
  return false;
}

bool AbsentNames::is_in_no_other(const Frame& frame, const std::string& name) {
  if (!is_distinctive(name) || frame.source == nullptr || text_effort_ > most_effort) return false;
  const auto& modules = python_.sys_modules.modules();
  heap_.work(modules.size());
  return std::none_of(modules.begin(), modules.end(), [&](const auto& entry) {
    const Module& other = *entry.second;
    if (other.source != nullptr) return other.source != frame.source && stands_in_source(*other.source, name);
    return other.opaque && !other.path.empty() && finder_.holds(other.path, name).value_or(true);
  });
}

/// Whether a name of which asking the module has given nothing that is known is in no text that could bind it there.
bool AbsentNames::is_nowhere(const Frame& frame, const Module& module, std::string_view name,
                             const std::optional<Value>& value) {
  if (!is_distinctive(name) || frame.maybe || python_.import_statements.is_found(module, value)) return false;
  const auto stand_in = python_.sys_modules.object_in_place_of(module.name);
  const bool stands_in = stand_in != nullptr;
  if (!module.complete || (module.opaque && !stands_in) || module.takes_unseen || module.source == nullptr)
    return false;
  if (module.names.contains(name)) return false;
  const bool may_be_made = !stands_in && module.names.contains("__getattr__");
  if (may_be_made && !python_.bindings.was_refused(module.name + "." + std::string(name))) return false;
  if (finder_.in_standard_library(module.path) || finder_.interpreter_files().empty()) return false;
  if (environment_.may_have_parts_elsewhere(module.name.substr(0, module.name.find('.')))) return false;
  // Something else may have taken the place of the module, or code has given it a function that makes its names.
  if (!stands_in && holds_bytes(*module.source->text(), "modules[")) return false;
  const auto may_give_names = [](std::string_view text) {
    return holds_bytes(text, "'__getattr__'") || holds_bytes(text, "\"__getattr__\"");
  };
  if (stands_somewhere(frame, module, std::string(name)) || is_true_of_package(root_of(module), may_give_names))
    return false;
  return !stands_in || refuses_name(stand_in, *python_.sys_modules.find_loaded(module.name), std::string(name));
}

}  // namespace cudald::python
