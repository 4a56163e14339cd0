#include "cli/commands/targets.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/path.h"
#include "base/trimmed.h"
#include "base/usage_error.h"
#include "cli/output/query.h"
#include "session/target_python.h"

namespace cudald {
namespace {

constexpr std::size_t most_typed = std::size_t{64} << 20;

std::string read_input(std::istream& input) {
  std::string text(most_typed + 1, '\0');
  input.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(input.gcount()));
  return text;
}

/// Standard input alone may be a lock.
std::optional<Typed> typed_lock(const Options& options, const std::string& text, const std::string& cwd) {
  LockTarget lock{"-", cwd, text};
  if (options.arguments.size() != 1 || !recognise_lock("", text, lock.kind)) return std::nullopt;
  return Typed{"-", std::move(lock)};
}

/// "py:a.b" for each of "a.b, c as d": what stands behind `import`. Empty if it is anything else.
std::vector<std::string> imported_modules(std::string_view names) {
  std::vector<std::string> modules;
  for (const auto part : split(names, ",")) {
    const auto name = trimmed(part);
    const auto module = name.substr(0, name.find(' '));
    const bool is_renamed = module.size() == name.size() || trimmed(name.substr(module.size())).starts_with("as ");
    if (!is_renamed || !is_module_name(module)) return {};
    modules.push_back("py:" + std::string(module));
  }
  return modules;
}

/// The words as they were typed, but that `import a, b` stands for its modules: what users have in their code.
std::vector<std::string> without_import_statements(const std::vector<std::string>& words) {
  constexpr std::string_view statement = "import ";
  if (words.size() > 1 && words.front() == "import")
    for (const std::string_view between : {" ", ","})
      if (auto modules = imported_modules(fmt::format("{}", fmt::join(words.begin() + 1, words.end(), between)));
          !modules.empty())
        return modules;
  std::vector<std::string> targets;
  for (const auto& word : words) {
    auto modules = word.starts_with(statement) ? imported_modules(std::string_view(word).substr(statement.size()))
                                               : std::vector<std::string>();
    if (modules.empty()) modules.push_back(word);
    targets.insert(targets.end(), modules.begin(), modules.end());
  }
  return targets;
}

/// Whether a lock or environment is asked about as a whole.
bool judges_wholes(const Options& options) {
  return options.command == Command::check || options.command == Command::explain;
}

}  // namespace

Result<std::vector<Typed>> read_targets(const Options& options, const Host& host) {
  std::vector<Typed> targets;
  const auto files = make_disk_file_system();
  const auto add = [&](const std::string& word) {
    // What is named in the tree of --sysroot is classified there.
    const bool here = options.world.sysroot == "/";
    targets.push_back({word, here ? classify(word, *files, host.environment.cwd) : FileTarget{}});
  };
  for (const auto& word : without_import_statements(options.arguments)) {
    if (word != "-") {
      add(word);
      continue;
    }
    const auto text = read_input(host.input);
    if (auto lock = judges_wholes(options) ? typed_lock(options, text, host.environment.cwd) : std::nullopt)
      return std::vector<Typed>{std::move(*lock)};
    for (const auto line : split(text, "\n"))
      if (!line.empty()) add(std::string(line));
  }
  if (targets.empty()) return usage_error("standard input names no target");
  return targets;
}

std::vector<Typed> classify_in(const FileSystem& files, const std::string& cwd, std::vector<Typed> targets) {
  for (auto& typed : targets) typed.target = classify(typed.given, files, cwd);
  return targets;
}

Result<const Typed*> whole_target(const std::vector<Typed>& targets, const Options& options, const Host& host) {
  if (!judges_wholes(options)) return nullptr;
  if (options.world.sysroot != "/") {
    const auto here = make_disk_file_system();
    for (const auto& typed : targets)
      if (std::holds_alternative<LockTarget>(typed.target) || lock_target(typed.given, *here, host.environment.cwd))
        return usage_error("a lock is judged for a machine that --host describes, not in the tree of --sysroot");
    return nullptr;
  }
  const Typed* lock = nullptr;
  for (const auto& typed : targets) {
    if (!std::holds_alternative<LockTarget>(typed.target)) continue;
    if (lock != nullptr)
      return usage_error(fmt::format("{} is a lock as well; one is judged at a time", escaped(typed.given)));
    lock = &typed;
  }
  if (lock != nullptr && targets.size() > 1)
    return usage_error(
        fmt::format("{} is a lock, and stands for all that it installs: name it alone", escaped(lock->given)));
  if (lock != nullptr) return lock;
  const bool environment = targets.size() == 1 && std::holds_alternative<EnvironmentTarget>(targets.front().target);
  return environment && !options.world.prefix ? &targets.front() : nullptr;
}

OpenedTargets open_directories(const std::vector<Typed>& targets, const FileSystem& files) {
  OpenedTargets opened;
  for (const auto& typed : targets) {
    auto directory = std::get_if<DirectoryTarget>(&typed.target);
    DirectoryTarget of_environment;
    if (const auto* environment = std::get_if<EnvironmentTarget>(&typed.target)) {
      of_environment = open_directory(typed.given, environment->prefix, files);
      directory = &of_environment;
    }
    // One that holds none stays, so that it is refused like any other target that cannot be judged.
    if (directory == nullptr || directory->entries.empty()) {
      opened.names.push_back(typed.given);
      opened.together.push_back(typed.given);
      continue;
    }
    for (const auto& entry : directory->entries) {
      opened.names.push_back(entry.given);
      (entry.is_program ? opened.programs : opened.together).push_back(entry.given);
    }
  }
  return opened;
}

std::vector<Query> questions_about(const OpenedTargets& targets, const Options& options, const Environment& host) {
  if (options.question.separately) return make_queries(options, targets.names, host);
  std::vector<Query> queries;
  if (!targets.together.empty()) queries = make_queries(options, targets.together, host);
  for (const auto& program : targets.programs) {
    auto own = make_queries(options, {program}, host);
    queries.insert(queries.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
  }
  return queries;
}

}  // namespace cudald
