#include "cli/run.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include <cudald/writers.h>

#include "base/path.h"
#include "base/refusals.h"
#include "base/shell_word.h"
#include "cli/commands/completion.h"
#include "cli/commands/config.h"
#include "cli/commands/diff.h"
#include "cli/commands/env.h"
#include "cli/commands/help.h"
#include "cli/commands/merge.h"
#include "cli/commands/provides.h"
#include "cli/commands/repair.h"
#include "cli/commands/scan.h"
#include "cli/commands/simulate.h"
#include "cli/options/exit_status.h"
#include "cli/options/option_table.h"
#include "cli/options/schemas.h"
#include "cli/output/output.h"
#include "cli/output/views.h"
#include "cli/settings/cache.h"
#include "cli/settings/host_option.h"
#include "cli/settings/knowledge_option.h"
#include "cli/settings/message_option.h"
#include "cli/settings/sandbox.h"
#include "cli/settings/today.h"
#include "tree/own_folder.h"

namespace cudald {
namespace {

constexpr std::string_view version_line = "cudald " CUDALD_VERSION "\n";

int usage_fault(const Host& host, const Error& error, const std::vector<std::string>& words) {
  const auto command =
      std::find_if(words.begin(), words.end(), [](const std::string& word) { return find_command(word) != nullptr; });
  // Names of options and files are escaped where they are known to be such; what a parser quotes is not.
  host.complaints << fmt::format("cudald: {}\nTry `cudald {} --help`.\n", escaped(error.message),
                                 command == words.end() ? "explain" : *command);
  return exit_usage;
}

void write_pages(const Options& options, const TextStyle& style, std::ostream& out) {
  if (options.output.format != OutputFormat::text) {
    std::vector<const FindingRule*> rules;
    for (const std::string& code : options.arguments) rules.push_back(find_rule(code));
    if (rules.empty())
      for (const FindingRule& rule : finding_catalogue()) rules.push_back(&rule);
    write_rules_json(rules, options.output.format == OutputFormat::ndjson, out);
    return;
  }
  if (options.arguments.empty()) write_rule(nullptr, style, out);
  bool first = true;
  for (const std::string& code : options.arguments) {
    if (!std::exchange(first, false)) out << '\n';
    write_rule(find_rule(code), style, out);
  }
}

int tell_cache(const std::string& word, const Host& host, std::ostream& out) {
  const auto folder = cache_folder(host.environment);
  if (folder.empty()) {
    host.complaints << "cudald: nothing is cached here: there is no directory for a cache\n";
    return exit_fine;
  }
  if (const auto why = distrust_of(folder); !why.empty()) {
    host.complaints << fmt::format("cudald: {} is not used: {}\n", escaped(folder), escaped(why));
    return exit_incomplete;
  }
  if (word == "clear" && !clear_cache(folder)) {
    host.complaints << "cudald: not all of " << escaped(folder) << " could be removed\n";
    return exit_incomplete;
  }
  const auto size = cache_size(folder);
  out << fmt::format("{}: {} files, {:.1f} MB\n", escaped(folder), size.files, static_cast<double>(size.bytes) / 1e6);
  return exit_fine;
}

/// Whether the answer is about files; the rest is help, pages and scripts.
bool needs_files(const Options& options) {
  if (options.help.version || options.help.short_help) return false;
  switch (options.command) {
    case Command::explain:
    case Command::check:
    case Command::probe:
    case Command::repair:
    case Command::tree:
    case Command::why:
    case Command::show:
    case Command::env:
    case Command::diff:
    case Command::scan:
    case Command::merge: return true;
    case Command::provides:
    case Command::rule:
    case Command::config:
    case Command::cache:
    case Command::schema:
    case Command::completion:
    case Command::help: break;
  }
  return false;
}

void write_topic(const std::vector<std::string>& arguments, const TextStyle& style, std::ostream& out) {
  if (arguments.empty()) {
    write_help(std::nullopt, true, style, out);
  } else if (arguments.front() == "man") {
    write_man_page(out);
  } else {
    write_help(find_command(arguments.front())->command, true, style, out);
  }
}

void write_words(const Options& options, const TextStyle& style, std::ostream& out) {
  if (options.help.version) {
    out << version_line;
    if (options.output.verbosity > 0) write_table_days(*options.resolved.table, out);
  } else if (options.help.short_help) {
    const bool whole = options.command == Command::explain && !options.command_given;
    write_help(whole ? std::nullopt : std::optional(options.command), options.help.long_help, style, out);
  } else if (options.command == Command::rule) {
    write_pages(options, style, out);
  } else if (options.command == Command::schema) {
    out << *schema_of(options.arguments.front());
  } else if (options.command == Command::completion) {
    write_completion(options.arguments.front(), out);
  } else {
    write_topic(options.arguments, style, out);
  }
}

/// Help is given whatever the configuration is like.
bool asks_for_words(const std::vector<std::string>& words) {
  const auto options = parse_options(words);
  if (!options || needs_files(*options)) return false;
  return options->help.short_help || options->help.version ||
         (options->command != Command::provides && options->command != Command::config);
}

/// The options, with what files and variables set, and what they name read.
Result<Options> take_options(const std::vector<std::string>& words, const Host& host, Settings& settings) {
  auto sources = setting_sources(words);
  sources.cwd = host.environment.cwd;
  sources.variables = host.environment.variables;
  auto read = read_settings(sources, *make_disk_file_system());
  if (!read && !asks_for_words(words)) return read.error();
  if (read) settings = std::move(*read);
  auto options = parse_options(words, settings);
  if (!options) return options;
  options->world.sysroot = normal_path(absolute_path(options->world.sysroot, host.environment.cwd));
  options->about = today_of(host.environment) + "  cudald";
  for (const std::string& word : words) options->about += " " + shell_word(word);
  // What is told of the program alone comes without the tables, which take most of the time of a start.
  if (options->help.short_help || (options->help.version && options->output.verbosity < 1)) return options;
  if (auto fault = take_knowledge(*options, host)) return std::move(*fault);
  read_message_option(*options, host);
  if (auto fault = take_host(*options, host)) return std::move(*fault);
  if (auto fault = apply_message_option(*options, host)) return std::move(*fault);
  if (needs_files(*options)) tell_old_tables(*options, host);
  return options;
}

/// Does what the options say; the exit status. Error{usage} if nothing was done.
Result<int> answer(const Options& options, const Settings& settings, const Host& host, Output& out) {
  const TextStyle style = make_style(options, host.terminal);
  // A program, so it is started before the sandbox forbids that.
  out.page_through(pager_command(options, host.terminal));
  const bool words_only = options.help.short_help || options.help.version;
  if (!words_only && (needs_files(options) || options.command == Command::provides))
    if (auto error = enter_sandbox(options, host)) return std::move(*error);
  if (options.question.message && options.arguments.empty()) {
    write_view(options.output.format, *options.resolved.reading, style, out.stream());
  } else if (needs_files(options)) {
    return options.command == Command::show     ? show(options, style, host, out)
           : options.command == Command::env    ? env(options, style, host, out)
           : options.command == Command::diff   ? diff(options, style, host, out)
           : options.command == Command::scan   ? scan(options, style, host, out)
           : options.command == Command::merge  ? merge(options, style, host, out)
           : options.command == Command::repair ? repair(options, style, host, out)
                                                : simulate(options, style, host, out);
  } else if (options.command == Command::provides && !words_only) {
    return provides(options, style, host, out);
  } else if (options.command == Command::cache && !words_only) {
    return tell_cache(options.arguments.front(), host, out.stream());
  } else if (options.command == Command::config && !words_only) {
    write_config(options, settings, out.stream());
  } else {
    write_words(options, style, out.stream());
  }
  return exit_fine;
}

/// Lets `write` write to a file or to standard output, and tells where that fails; the exit status.
int with_output(const std::string& path, std::ostream& complaints, const std::function<int(Output&)>& write) {
  const auto complain = [&complaints](const Error& error) {
    complaints << fmt::format("cudald: cannot write {}: {}\n", escaped(error.path), error.message);
  };
  const auto output = Output::open(path);
  if (!output) {
    complain(output.error());
    return exit_usage;
  }
  Output& out = **output;
  const int status = write(out);
  if (const auto error = out.finish()) {
    complain(*error);
    return std::max(status, exit_incomplete);
  }
  return status;
}

/// What no answer has told of: a file of settings, a folder of targets, a table. The exit status.
int tell_untold_refusals(int status, const Options& options, std::ostream& complaints) {
  constexpr std::size_t most_told = 5;
  const auto refused = untold_refusals();
  for (std::size_t i = 0; i < std::min(most_told, refused.size()); ++i)
    complaints << fmt::format("cudald: {}\n", escaped(text_of_refusal(refused[i])));
  if (refused.size() > most_told)
    complaints << fmt::format("cudald: {} more files cannot be read\n", refused.size() - most_told);
  return refused.empty() || options.judgement.allow_incomplete ? status : std::max(status, exit_incomplete);
}

}  // namespace

int tell_version(std::ostream& complaints) {
  return with_output("", complaints, [](Output& out) {
    out.stream() << version_line;
    return exit_fine;
  });
}

int run(const std::vector<std::string>& words, const Host& host) {
  if (words.empty()) {
    write_help(std::nullopt, false, make_style({}, host.terminal), host.complaints);
    return exit_usage;
  }
  Settings settings;
  const Refusals refusals;
  const auto options = take_options(words, host, settings);
  if (!options) return usage_fault(host, options.error(), words);
  // A question that is only half known is not asked.
  if (refusals.any()) return tell_untold_refusals(exit_incomplete, *options, host.complaints);
  return with_output(options->output.path, host.complaints, [&](Output& out) {
    const auto status = answer(*options, settings, host, out);
    if (status) return tell_untold_refusals(*status, *options, host.complaints);
    out.discard();
    return usage_fault(host, status.error(), words);
  });
}

}  // namespace cudald
