#include "cli/options/options.h"
#include "cli/options/ignored_by.h"

#include <algorithm>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/writers.h>

#include "base/similar_word.h"
#include "base/usage_error.h"
#include "base/windows_path.h"
#include "cli/options/option_table.h"
#include "cli/options/schemas.h"
#include "cli/options/split_words.h"
#include "os/typed_path.h"

namespace cudald {
namespace {

class Parser {
 public:
  explicit Parser(const Settings& settings) : settings_(settings) {}

  Result<Options> parse(const std::vector<Word>& words) {
    for (const Word& word : words)
      if (word.option == nullptr) options_.arguments.push_back(word.value);
    detect_command();
    apply_settings(words);
    for (const Word& word : words)
      if (word.option != nullptr)
        if (auto complaint = apply(word)) return usage_error(std::move(*complaint));
    if (auto complaint = check_arguments()) return usage_error(std::move(*complaint));
    return std::move(options_);
  }

 private:
  void detect_command() {
    auto& arguments = options_.arguments;
    if (arguments.empty()) return;
    const std::string& first = arguments.front();
    if (const CommandRule* rule = find_command(first)) {
      options_.command = rule->command;
      options_.command_given = true;
      arguments.erase(arguments.begin());
    } else if (first.find_first_of("/.") == std::string::npos) {
      std::vector<std::string_view> names;
      for (const CommandRule& rule_in_table : command_table()) names.push_back(rule_in_table.name);
      options_.help.likely_command = similar_word(first, names);
    }
  }

  void apply_settings(const std::vector<Word>& words) {
    std::set<std::string_view> stated;
    for (const Word& word : words)
      if (word.option != nullptr) stated.insert(word.option->name);
    for (const auto& [key, setting] : settings_.keys) {
      const auto* rule = find_option(key);
      if (rule == nullptr) options_.scan.stated.push_back(fmt::format("{}={}", key, fmt::join(setting.values, ",")));
      if (rule == nullptr || stated.contains(key)) continue;
      // They were found to be right when they were read.
      for (const auto& value : setting.values) {
        (void)apply_setting(*rule, options_, value);
        note_stated(*rule, value);
      }
    }
    options_.judgement.suppressions = settings_.suppressions;
    for (const auto& each : options_.judgement.suppressions) options_.scan.stated.push_back(cudald::stated(each));
    options_.judgement.policy = settings_.policy();
  }

  std::optional<std::string> apply(const Word& word) {
    const OptionRule& rule = *word.option;
    if (!rule.applies_to(options_.command)) return inapplicable(rule);
    const std::string& value = word.value;
    const std::vector<std::string_view> allowed = allowed_values(rule, options_.command);
    if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), value) == allowed.end())
      return fmt::format("`--{}` is one of {}, not {}{}", rule.name, fmt::join(allowed, ", "), backquoted(value),
                         did_you_mean(value, allowed));
    if (auto complaint = rule.apply(options_, value))
      return complaint->find(backquoted(value)) == std::string::npos
                 ? fmt::format("--{} {}: {}", rule.name, escaped(value), *complaint)
                 : fmt::format("--{}: {}", rule.name, *complaint);
    note_stated(rule, value);
    if (options_.help.short_help && rule.name == "help") options_.help.long_help |= word.is_long;
    return std::nullopt;
  }

  /// Whatever changes an answer is noted: answers of different questions must not be mixed in one scan.
  void note_stated(const OptionRule& rule, const std::string& value) {
    constexpr Category about_answers[] = {Category::world, Category::environment, Category::question,
                                          Category::judgement, Category::limits};
    constexpr std::string_view about_cost[] = {"jobs", "timeout", "no-cache", "sandbox"};
    const bool counts =
        rule.applies_to(options_.command) &&
        std::find(std::begin(about_answers), std::end(about_answers), rule.category) != std::end(about_answers) &&
        std::find(std::begin(about_cost), std::end(about_cost), rule.name) == std::end(about_cost);
    if (counts)
      options_.scan.stated.push_back(rule.takes_value() ? fmt::format("{}={}", rule.name, value)
                                                        : std::string(rule.name));
  }

  std::optional<std::string> inapplicable(const OptionRule& rule) const {
    std::string commands;
    for (const CommandRule& command : command_table())
      if (rule.applies_to(command.command))
        commands += fmt::format("{}`{}`", commands.empty() ? "" : ", ", command.name);
    return fmt::format("`--{}` is not an option of `{}`, but of {}", rule.name, rule_of(options_.command).name,
                       commands);
  }

  std::optional<std::string> check_arguments() {
    if (options_.help.short_help || options_.help.version) return std::nullopt;
    auto& arguments = options_.arguments;
    if (!options_.help.page.empty()) {
      if (!arguments.empty()) return "`--explain CODE` takes no target; for a file, `cudald explain FILE`";
      options_.command = Command::rule;
      arguments = {std::move(options_.help.page)};
    }
    const CommandRule& rule = rule_of(options_.command);
    const auto usage = [&rule](std::string_view complaint) {
      return fmt::format("{}: cudald {} {}", complaint, rule.name, rule.arguments);
    };
    if (std::find(arguments.begin(), arguments.end(), "") != arguments.end()) return usage("an empty argument");
    switch (options_.command) {
      case Command::explain:
        if (arguments.empty() && options_.question.message) break;
        [[fallthrough]];
      case Command::check:
      case Command::probe:
      case Command::tree:
        if (arguments.empty()) return usage("a target is missing");
        break;
      case Command::scan: return check_scan(usage("a list, directory or file is missing"));
      case Command::merge:
        if (arguments.size() != 1) return usage("expected the directory of one scan");
        break;
      case Command::repair: return check_repair(usage("a file is missing"));
      case Command::show:
        if (arguments.empty()) return usage("a file is missing");
        break;
      case Command::why:
        if (arguments.size() < 2) return usage(arguments.empty() ? "a target is missing" : "a library is missing");
        options_.question.library = std::move(arguments.back());
        arguments.pop_back();
        break;
      case Command::env:
        if (!arguments.empty()) return "`env` takes no target; use --prefix or --sysroot";
        break;
      case Command::diff:
        if (arguments.size() != 2) return usage("expected two inputs to compare");
        break;
      case Command::provides:
        if (arguments.empty()) return usage("the name of a library is missing");
        break;
      case Command::rule: return check_codes();
      case Command::config: return check_word({"show", "init"}, usage("`show` or `init` is missing"));
      case Command::cache: return check_word({"show", "clear"}, usage("`show` or `clear` is missing"));
      case Command::schema: return check_word(schema_names(), usage("a schema is missing"));
      case Command::completion: return check_word({"bash", "zsh", "fish", "powershell"}, usage("a shell is missing"));
      case Command::help: return check_topic();
    }
    if (options_.command == Command::check) options_.question.separately = !options_.question.together;
    if (auto complaint = one_form_only()) return complaint;
    if (options_.question.bindings && !rule_of(options_.output.format).holds_bindings)
      return "`--bindings` needs `-f json` or `-f ndjson`: text does not show them";
    return std::nullopt;
  }

  std::optional<std::string> check_scan(std::string missing) const {
    if (options_.scan.state.empty()) return "`scan` keeps what it has in a directory; name it with `--state DIR`";
    // Once there is a list, it is what counts.
    if (options_.arguments.empty() && options_.scan.relist) return missing;
    if (options_.scan.dynamic && (options_.scan.shard || options_.scan.shards))
      return "`--dynamic` takes what is left; `--shard` and `--shards` do not go with it";
    if (options_.scan.shard && options_.scan.shards)
      return "`--shard I/N` says how many there are; leave out `--shards`";
    return std::nullopt;
  }

  std::optional<std::string> check_repair(std::string missing) {
    if (options_.arguments.empty()) return missing;
    if (!options_.output.documents.empty()) return "`repair` reports to standard output, in the format of -f";
    const auto wheels = std::count_if(options_.arguments.begin(), options_.arguments.end(),
                                      [](const auto& name) { return name.ends_with(".whl"); });
    if (wheels != 0) {
      if (static_cast<std::size_t>(wheels) != options_.arguments.size()) return "repair wheels and files separately";
      if (!options_.output.path.empty()) return "a wheel may get another name; name a directory for wheels with -w DIR";
      if (options_.output.wheel_dir.empty()) return "`repair` writes new wheels; name a directory for them with -w DIR";
      return std::nullopt;
    }
    if (!options_.output.wheel_dir.empty()) return "-w is for wheels; name the new file, or a directory, with -o";
    if (options_.output.path.empty()) return "`repair` writes a new file; name it, or a directory, with -o";
    options_.output.destination = std::move(options_.output.path);
    options_.output.path.clear();
    return std::nullopt;
  }

  /// Commands that simulate nothing write what they find once: FORMAT=FILE says in which format and where to.
  std::optional<std::string> one_form_only() {
    constexpr auto simulating = set_of(Command::explain) | set_of(Command::check) | set_of(Command::probe) |
                                set_of(Command::tree) | set_of(Command::why) | set_of(Command::merge);
    if (options_.output.documents.empty() || (simulating & set_of(options_.command)) != 0) return std::nullopt;
    if (options_.output.documents.size() > 1 || !options_.output.path.empty())
      return fmt::format("`{}` writes one file; -o is given more than once", rule_of(options_.command).name);
    options_.output.format = options_.output.documents.front().format;
    options_.output.path = std::move(options_.output.documents.front().path);
    options_.output.documents.clear();
    return std::nullopt;
  }

  std::optional<std::string> check_codes() const {
    for (const std::string& code : options_.arguments) {
      if (find_rule(code) != nullptr) continue;
      std::vector<std::string_view> known;
      for (const FindingRule& rule : finding_catalogue()) known.insert(known.end(), {rule.code, rule.name});
      const std::string hint = did_you_mean(code, known);
      return fmt::format("no finding is called {}{}", backquoted(code),
                         hint.empty() ? "; `cudald rule` lists them" : hint);
    }
    return std::nullopt;
  }

  std::optional<std::string> check_word(const std::vector<std::string_view>& known, std::string missing) const {
    if (options_.arguments.empty()) return missing;
    if (options_.arguments.size() > 1)
      return fmt::format("one word is enough; {} is one more", backquoted(options_.arguments[1]));
    const std::string& word = options_.arguments.front();
    if (std::find(known.begin(), known.end(), word) != known.end()) return std::nullopt;
    return fmt::format("{} is not one of {}{}", backquoted(word), fmt::join(known, ", "), did_you_mean(word, known));
  }

  std::optional<std::string> check_topic() const {
    if (options_.arguments.empty()) return std::nullopt;
    std::vector<std::string_view> topics{"man"};
    for (const CommandRule& rule : command_table()) topics.push_back(rule.name);
    return check_word(topics, "");
  }

  const Settings& settings_;
  Options options_;
};

/// A copy of a drive C: is the root of its tree: "C:\\app\\x.exe" is /app/x.exe there.
std::string path_on_drive_c(const std::string& typed) {
  if (!is_full_windows_path(typed) || (typed.front() != 'C' && typed.front() != 'c')) return typed;
  auto path = typed.substr(2);
  std::replace(path.begin(), path.end(), '\\', '/');
  return path;
}

/// Paths as the system writes them become paths of the tree. Those inside of --sysroot are such already.
void take_typed_paths(std::vector<Word>& words) {
  const bool in_tree = std::any_of(words.begin(), words.end(), [](const Word& word) {
    return word.option != nullptr && word.option->name == "sysroot";
  });
  for (Word& word : words) {
    const bool is_target = word.option == nullptr, is_path = is_target || word.option->names_path();
    const bool is_inside = in_tree && (is_target || word.option->argument == "DIR");
    if (is_path && !is_inside) word.value = tree_path_of_typed(word.value);
    if (is_inside && (is_target || word.option->name == "prefix")) word.value = path_on_drive_c(word.value);
  }
}

}  // namespace

Result<Options> parse_options(const std::vector<std::string>& words, const Settings& settings) {
  auto split = split_words(words);
  if (!split) return split.error();
  take_typed_paths(*split);
  return Parser(settings).parse(*split);
}

SettingSources setting_sources(const std::vector<std::string>& words) {
  SettingSources sources;
  const auto split = split_words(words);
  if (!split) return sources;
  for (const Word& word : *split) {
    if (word.option == nullptr) continue;
    if (word.option->name == "config") sources.config.push_back(tree_path_of_typed(word.value));
    sources.isolated |= word.option->name == "isolated";
  }
  return sources;
}

}  // namespace cudald
