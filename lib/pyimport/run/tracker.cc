#include "pyimport/run/tracker.h"

#include <algorithm>

#include "pyimport/run/interpreter.h"
#include "pyimport/syntax/scanner.h"
#include "pyimport/syntax/string_literal.h"

namespace cudald::python {
namespace {

constexpr std::size_t max_soft_libraries = 2000;
constexpr std::uint64_t size_of_lost_name = 96;  ///< bytes of one in a set, beside its text

}  // namespace

void Tracker::note(std::string sentence) {
  heap_.keep(sizeof(sentence) + sentence.size());
  result_.notes.push_back(std::move(sentence));
}

void Tracker::note_absent(const Frame& frame, const std::string& path) {
  const auto name = path.substr(path.rfind('/') + 1);
  const bool is_library = name.ends_with(".so") || name.ends_with(".so*") || name.find(".so.") != std::string::npos;
  if (!is_library || frame.source == nullptr || finder_.in_standard_library(frame.source->path())) return;
  note_sought(absent_libraries_, frame, path);
}

/// The first few of each package: one that asks for many leaves room for the others.
void Tracker::note_sought(std::vector<Sought>& known, const Frame& frame, const std::string& what) {
  constexpr std::size_t most = 300, most_of_one = 3;
  if (known.size() >= most) return;
  const auto package = frame.module->name.substr(0, frame.module->name.find('.'));
  std::size_t of_it = 0;
  for (const auto& one : known) {
    if (one.what == what) return;
    of_it += one.package == package ? 1 : 0;
  }
  if (of_it < most_of_one) known.push_back({package, what});
}

std::vector<std::string> Tracker::sought_by(const std::vector<Sought>& known, std::string_view at, bool of_all) {
  constexpr std::size_t most = 3;
  const auto path = at.substr(0, at.rfind(':'));
  std::vector<std::string> own, all;
  for (const auto& one : known) {
    // A module that fails is no longer among those that were imported: its path tells its package.
    const bool is_own =
        path.find("/" + one.package + "/") != std::string_view::npos || path.ends_with("/" + one.package + ".py");
    if (is_own) own.push_back(one.what);
    if (of_all && all.size() < most) all.push_back(one.what);
  }
  return own.empty() ? all : own;
}

/// Once for a source: code that is nested like that is so in many places.
void Tracker::note_depth(const Frame& frame) {
  const auto& path = frame.source == nullptr ? frame.module->path : frame.source->path();
  frame.module->doubtful = true;
  if (too_deep_.insert(path).second)
    note(path + ":" + std::to_string(frame.line) + " is nested too deeply to be followed");
}

/// Once for a source, of which a part was left out: the module's own, or that of a function that was called.
void Tracker::note_left_out(const Source& source) {
  if ((source.complete() && !source.was_lost()) || !left_out_of_.insert(source.path()).second) return;
  note_unread(source.path() +
              (source.was_lost() ? " was changed while it was read" : " is too long to be followed to its end"));
}

void Tracker::note_unread(const std::string& sentence) {
  heap_.keep(sizeof(sentence) + sentence.size());
  result_.followed = false;
  result_.notes.insert(result_.notes.begin(), sentence);
}

void Tracker::tell_lost_sources() {
  for (const auto* module : python_.importer.in_order())
    if (module->source != nullptr && module->source->was_lost()) note_left_out(*module->source);
}

void Tracker::note_missing(const std::string& name, const Frame* from) {
  MissingModule missing{name, {}, 0, !python_.handlers.caught("ModuleNotFoundError")};
  if (from != nullptr && from->source != nullptr) missing.source = from->source->path(), missing.line = from->line;
  const bool told = std::any_of(result_.missing.begin(), result_.missing.end(), [&](const MissingModule& other) {
    return other.name == missing.name && other.source == missing.source && other.line == missing.line;
  });
  heap_.work(result_.missing.size());
  if (told) return;
  heap_.keep(2 * sizeof(missing) + 2 * missing.name.size() + missing.source.size());
  result_.missing.push_back(std::move(missing));
}

Value Tracker::unfollowed(const Frame& frame, Unfollowed::Kind kind) {
  constexpr std::size_t most = 200, longest = 160;
  python_.doubt.note_possible_raise();
  if (frame.source == nullptr || finder_.in_standard_library(frame.source->path())) return Unknown{};
  auto& all = result_.unfollowed;
  heap_.work(all.size());
  const auto told = std::find_if(all.begin(), all.end(), [&](const Unfollowed& one) {
    return one.line == frame.line && one.source == frame.source->path();
  });
  if (told != all.end()) told->certain = told->certain || follows(frame);
  if (told != all.end() || all.size() >= most) return Unknown{};
  auto code = frame.source->line(frame.line);
  heap_.look_at(frame.source->size());
  if (code.size() > longest) code = code.substr(0, longest - 3) + "...";
  heap_.keep(sizeof(Unfollowed) + code.size() + frame.source->path().size());
  all.push_back({kind, frame.source->path(), frame.line, frame.module->name, std::move(code), follows(frame)});
  return Unknown{};
}

/// An import that is not made: it is told if nothing else imports the module.
void Tracker::leave_out(const Frame& frame, const std::string& module) {
  constexpr std::size_t most = 2000;
  python_.doubt.note_possible_raise();
  if (left_out_.size() >= most || module.empty() || frame.source == nullptr ||
      python_.sys_modules.find_loaded(module) != nullptr || finder_.in_standard_library(frame.source->path()))
    return;
  const auto& path = frame.source->path();
  heap_.work(left_out_.size());
  for (const auto& [name, one] : left_out_)
    if (one.line == frame.line && name == module && one.source == path) return;
  auto code = frame.source->line(frame.line);
  heap_.look_at(frame.source->size());
  heap_.keep(sizeof(left_out_[0]) + module.size() + code.size() + path.size());
  left_out_.emplace_back(
      module, Unfollowed{Unfollowed::Kind::condition, path, frame.line, frame.module->name, std::move(code), false});
}

/// Of `from a import b, c`: a, or what of it is a module.
void Tracker::leave_out_names(const Frame& frame, const Node& statement, const std::string& name) {
  const auto* module = name.empty() ? nullptr : python_.sys_modules.find_loaded(name);
  if (module == nullptr) return leave_out(frame, name);
  for (std::size_t i = 1; module->package && i < statement.size(); ++i)
    if (!module->names.contains(statement[i][0].text()))
      leave_out(frame, name + "." + std::string(statement[i][0].text()));
}

void Tracker::collect_left_out() {
  constexpr std::size_t most = 200;
  for (auto& [name, one] : left_out_) {
    heap_.work(result_.unfollowed.size());
    const auto is_same = [&one = one](const Unfollowed& other) {
      return other.line == one.line && other.source == one.source;
    };
    const auto& known = result_.unfollowed;
    const bool told = std::any_of(known.begin(), known.end(), is_same);
    if (told || result_.unfollowed.size() >= most || python_.sys_modules.find_loaded(name) != nullptr ||
        !python_.extension_modules.has_module(name))
      continue;
    result_.unfollowed.push_back(std::move(one));
  }
}

/// What a module's own attempt to import would have bound, had the load not failed which its handler catches: who asks
/// for such a name later fails since that load did.
void Tracker::note_lost_names(const Frame& frame, const Node& attempt, const PythonError& raised) {
  constexpr std::size_t most = 100;
  const bool of_import = catches({"ImportError"}, raised) && result_.caught.size() < most;
  if (raised.causes.empty() && !of_import) return;
  if (frame.in_function || frame.module == nullptr || lost_names_.size() >= most) return;
  heap_.work(1 + attempt.size());
  LostNames lost;
  for (const auto statement : attempt) {
    if (!statement.is(NodeKind::from_import)) continue;
    heap_.keep(size_of_lost_name * statement.size());
    for (std::size_t i = 1; i < statement.size(); ++i)
      lost.names.emplace(statement[i][1].there() ? statement[i][1].text() : statement[i][0].text());
  }
  if (lost.names.empty()) return;
  if (of_import)
    result_.caught.push_back({frame.module->name,
                              {lost.names.begin(), lost.names.end()},
                              raised.kind + ": " + raised.message,
                              raised.lacked ? std::optional(*raised.lacked) : std::nullopt,
                              raised.module});
  lost.causes = raised.causes;
  if (!raised.causes.empty()) lost_names_.emplace(frame.module->name, std::move(lost));
}

std::vector<std::size_t> Tracker::loads_that_lost(const Module& module, std::string_view name) const {
  const auto [first, last] = lost_names_.equal_range(module.name);
  for (auto at = first; at != last; ++at)
    if (at->second.names.contains("*") || at->second.names.contains(name)) return at->second.causes;
  return {};
}

/// Names that sources give to ctypes and its like, and that were not loaded from there.
void Tracker::collect_soft_libraries() {
  constexpr std::string_view callers[] = {"CDLL", "WinDLL", "PyDLL", "LoadLibrary", "find_library", "dlopen"};
  for (const auto* module : python_.importer.in_order()) {
    if (module->source == nullptr || finder_.in_standard_library(module->path)) continue;
    heap_.look_at(std::size(callers) * module->source->size());
    if (!module->source->may_load_libraries()) continue;
    const auto kept = module->source->text();
    const std::string_view text = *kept;
    bool complete = true;
    const auto tokens = scan(text, {0, text.size()}, cost_, complete);
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
      if (tokens[i].kind != TokenKind::name || tokens[i + 2].kind != TokenKind::string ||
          tokens[i + 1].word != Word::open_round)
        continue;
      const auto word = text.substr(tokens[i].begin, tokens[i].size);
      if (std::find(std::begin(callers), std::end(callers), word) == std::end(callers)) continue;
      if (requested_at_.contains({module->path, tokens[i].line})) continue;
      if (!note_soft_library(*module, word == "find_library", text.substr(tokens[i + 2].begin, tokens[i + 2].size),
                             tokens[i].line))
        return;
    }
  }
}

/// False if there are too many.
bool Tracker::note_soft_library(const Module& module, bool by_short_name, std::string_view written,
                                std::uint32_t line) {
  const auto literal = open_literal(written);
  auto name = unescaped(literal.inside, literal.raw);
  const bool bare = environment_.windows == nullptr && by_short_name && name.find('.') == std::string::npos;
  const std::string_view suffix = environment_.windows != nullptr ? ".dll" : ".so";
  if (literal.formatted || name.empty() || (!bare && name.find(suffix) == std::string::npos)) return true;
  if (bare) name = "lib" + name + ".so";
  if (result_.soft_libraries.size() >= max_soft_libraries || name.size() > max_length) {
    result_.followed = false;
    return false;
  }
  result_.soft_libraries.push_back({name, module.path, line, module.name, "source", "", false, false});
  return true;
}

void Tracker::note_requested(const LoadStep& step) {
  if (step.line > 0) requested_at_.emplace(step.source, step.line);
}

}  // namespace cudald::python
