#include "pyimport/run/followed_import.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/pack.h"

namespace cudald {

// A field that is forgotten here does not compile.
void fields(Is<LoadStep> auto& step, auto&& take) {
  auto& [kind, path, flags, global, only_if_loaded, required, module, source, line, basis] = step;
  take(kind, path, flags, global, only_if_loaded, required, module, source, line, basis);
}
void fields(Is<LoadAnswer> auto& answer, auto&& take) {
  auto& [loaded, error, kind, code, request] = answer;
  take(loaded, error, kind, code, request);
}
void fields(Is<ImportedModule> auto& module, auto&& take) {
  auto& [name, path, opaque, source, line] = module;
  take(name, path, opaque, source, line);
}
void fields(Is<MissingModule> auto& missing, auto&& take) {
  auto& [name, source, line, required] = missing;
  take(name, source, line, required);
}
void fields(Is<SoftLibrary> auto& soft, auto&& take) {
  auto& [name, source, line, module, basis, note, gpu, global] = soft;
  take(name, source, line, module, basis, note, gpu, global);
}
void fields(Is<Unfollowed> auto& one, auto&& take) {
  auto& [kind, source, line, module, code, certain] = one;
  take(kind, source, line, module, code, certain);
}
void fields(Is<LackedName> auto& lacked, auto&& take) {
  auto& [name, module, file, source, line, similar] = lacked;
  take(name, module, file, source, line, similar);
}
void fields(Is<CaughtImport> auto& caught, auto&& take) {
  auto& [module, names, error, lacked, missing] = caught;
  take(module, names, error, lacked, missing);
}
void fields(Is<RefusedModule> auto& refused, auto&& take) {
  auto& [module, path, package, spoken, version, absent, border, bounds, kind, message, printed] = refused;
  take(module, path, package, spoken, version, absent, border, bounds, kind, message, printed);
}
void fields(Is<ImportResult> auto& result, auto&& take) {
  auto& [imported, followed, error, causes, lacked, caught, refused, raised_at, advice, warned, unexplained, modules,
         missing, soft, unfollowed, notes, looked_at] = result;
  take(imported, followed, error, causes, lacked, caught, refused, raised_at, advice, warned, unexplained, modules,
       missing, soft, unfollowed, notes, looked_at);
}
void fields(Is<LookedAt> auto& looked_at, auto&& take) {
  auto& [variables, cwd] = looked_at;
  take(variables, cwd);
}
void fields(Is<PythonEnvironment::Release> auto& release, auto&& take) {
  auto& [version, certain] = release;
  take(version, certain);
}
void fields(Is<PythonEnvironment::StartUpLine> auto& line, auto&& take) {
  auto& [file, code, later] = line;
  take(file, code, later);
}

namespace python {

void fields(Is<Exchange> auto& exchange, auto&& take) {
  auto& [kind, step, text, symbol, answer, yes] = exchange;
  take(kind, step, text, symbol, answer, yes);
}
void fields(Is<FollowedImport> auto& followed, auto&& take) {
  auto& [files, variables, cwd, exchanges, result, cost] = followed;
  take(files, variables, cwd, exchanges, result, cost);
}

namespace {

std::optional<std::string> value_in(const PythonEnvironment& python, const std::string& variable) {
  const auto at = python.variables.find(variable);
  if (at == python.variables.end()) return std::nullopt;
  return python.shows(variable) ? at->second : std::string();  // of others code sees that they are set
}

}  // namespace

void Exchange::ask(const PythonLoader& loader) {
  if (kind == Kind::load) {
    answer = loader.load(step);
  } else if (kind == Kind::symbol) {
    const auto error = loader.symbol_error(text, symbol);
    yes = error.has_value();
    answer = {false, error.value_or("")};
  } else {
    yes = kind == Kind::mapped ? loader.mapped(text) : loader.finds(text);
  }
}

bool Exchange::asks_the_same(const Exchange& other) const {
  return kind == other.kind && text == other.text && symbol == other.symbol && step.kind == other.step.kind &&
         step.path == other.step.path;
}

bool Exchange::says_the_same(const Exchange& other) const {
  const auto& more = other.answer;
  return yes == other.yes && answer.loaded == more.loaded && answer.error == more.error && answer.kind == more.kind &&
         answer.code == more.code && answer.request.has_value() == more.request.has_value();
}

bool FollowedImport::holds(const PythonEnvironment& python, const FileSystem& tree) const {
  return (!cwd || *cwd == python.cwd) &&
         std::all_of(variables.begin(), variables.end(),
                     [&](const auto& variable) { return value_in(python, variable.first) == variable.second; }) &&
         files.holds(tree);
}

std::uint64_t FollowedImport::size() const {
  std::uint64_t bytes = exchanges.size() * sizeof(Exchange);
  for (const auto& module : result.modules)
    bytes += sizeof(module) + module.name.size() + module.path.size() + module.source.size();
  for (const auto& soft : result.soft_libraries) bytes += sizeof(soft) + soft.name.size() + soft.note.size();
  for (const auto& missing : result.missing) bytes += sizeof(missing) + missing.name.size();
  for (const auto& one : result.unfollowed) bytes += sizeof(one) + one.source.size() + one.code.size();
  for (const auto& note : result.notes) bytes += sizeof(note) + note.size();
  for (const auto& one : files.statuses) bytes += sizeof(one) + one.path.size();
  return bytes;
}

std::string FollowedImport::packed() const {
  PackWriter writer;
  writer(*this);
  return writer.bytes();
}

std::optional<FollowedImport> FollowedImport::unpacked(std::string_view bytes) {
  std::optional<FollowedImport> followed(std::in_place);
  PackReader reader(bytes);
  reader(*followed);
  if (!reader.at_end()) followed.reset();
  return followed;
}

std::optional<ImportResult> ProcessAnswers::repeat(const FollowedImport& followed) {
  std::map<std::size_t, std::size_t> numbers;
  for (std::size_t i = 0; i < followed.exchanges.size(); ++i) {
    const auto& before = followed.exchanges[i];
    if (i == all_.size()) all_.emplace_back(before).ask(loader_);
    const auto& now = all_[i];
    if (!now.asks_the_same(before) || !now.says_the_same(before)) return std::nullopt;
    if (now.answer.request) numbers[*before.answer.request] = *now.answer.request;
  }
  auto result = followed.result;
  for (auto* requests : {&result.causes, &result.warned})
    for (auto& request : *requests)
      if (const auto number = numbers.find(request); number != numbers.end()) request = number->second;
  return result;
}

PythonLoader ProcessAnswers::recording() {
  PythonLoader recording;
  recording.releases_with = loader_.releases_with;  // a table, which answers the same at any time
  if (loader_.load)
    recording.load = [this](const LoadStep& step) { return next({.kind = Exchange::Kind::load, .step = step}).answer; };
  if (loader_.mapped)
    recording.mapped = [this](const std::string& text) {
      return next({.kind = Exchange::Kind::mapped, .text = text}).yes;
    };
  if (loader_.finds)
    recording.finds = [this](const std::string& text) {
      return next({.kind = Exchange::Kind::finds, .text = text}).yes;
    };
  if (loader_.symbol_error)
    recording.symbol_error = [this](const std::string& library, const std::string& symbol) {
      const auto& said = next({.kind = Exchange::Kind::symbol, .text = library, .symbol = symbol});
      return said.yes ? std::optional(said.answer.error) : std::nullopt;
    };
  return recording;
}

const Exchange& ProcessAnswers::next(Exchange question) {
  if (at_ == all_.size()) {
    question.ask(loader_);
    all_.push_back(std::move(question));
  }
  return all_[at_++];
}

FollowedImport note_followed(const PythonEnvironment& python, TreeSaid files, std::vector<Exchange> exchanges,
                             const ImportResult& result, const Cost& cost) {
  FollowedImport followed{std::move(files), {}, {}, std::move(exchanges), result, cost};
  for (const auto& variable : result.looked_at.variables)
    followed.variables.emplace(variable, value_in(python, variable));
  if (result.looked_at.cwd) followed.cwd = python.cwd;
  return followed;
}

std::string packed(const PythonEnvironment& python) {
  const auto& [interpreter, version, micro, prefix, base_prefix, path, suffixes, variables, stated, cwd, machine,
               narrow, lost_home, complete, elsewhere, assumed, gpus, releases, start_up, notes, windows] = python;
  PackWriter writer;
  writer(interpreter, version, micro, prefix, base_prefix, path, suffixes, stated, machine, narrow, lost_home, complete,
         elsewhere, assumed, gpus, releases, start_up, notes, windows != nullptr);
  return writer.bytes();
}

}  // namespace python
}  // namespace cudald
