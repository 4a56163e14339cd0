#include "cli/run.h"

#include <algorithm>
#include <functional>
#include <istream>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include <cudald/message.h>
#include <cudald/writers.h>

#include "base/path.h"
#include "base/refusals.h"
#include "base/shell_word.h"
#include "base/windows_path.h"
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
#include "cli/output/query.h"
#include "cli/output/views.h"
#include "cli/settings/cache.h"
#include "cli/settings/host_option.h"
#include "cli/settings/knowledge_option.h"
#include "cli/settings/sandbox.h"
#include "cli/settings/today.h"
#include "knowledge/linux_names.h"
#include "session/built_program.h"
#include "session/dotnet_library.h"
#include "session/file_of_message.h"
#include "session/find_speaker.h"
#include "session/library_in_prefix.h"
#include "session/message_help.h"
#include "session/native_binding.h"
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

/// Reads the message of --error, and makes the library that it names the one that is told of.
void read_pasted_message(Options& options, const Host& host) {
  if (!options.question.message) return;
  std::string text = *options.question.message;
  if (text == "-") {
    constexpr std::size_t most = 1 << 20;
    text.assign(most, '\0');
    host.input.read(text.data(), static_cast<std::streamsize>(most));
    text.resize(static_cast<std::size_t>(host.input.gcount()));
  }
  options.resolved.reading = read_message(text, *options.resolved.table);
  if (options.resolved.reading && options.question.library.empty())
    options.question.library = options.resolved.reading->library;
  options.question.message = std::move(text);
}

/// The question without its targets.
Query query_without_targets(Options options, const Host& host) {
  options.question.separately = false;
  return make_queries(options, {}, host.environment).front();
}

/// "C:\\app\\x.dll" of /app/x.dll in a copy of that drive.
std::string on_drive_c(std::string path) {
  std::replace(path.begin(), path.end(), '/', '\\');
  return "C:" + path;
}

/// Which plug-in it is where the message does not name it, "platforms/q": the usual one of the system. Source: Qt,
/// Qt Platform Abstraction, windows and xcb.
void add_usual_plugin(MessageReading& reading, const std::string& program) {
  if (reading.plugin.ends_with("/q")) reading.plugin += folded(program).ends_with(".exe") ? "windows" : "xcb";
}

/// Of a program for Windows: that it does not look for a plug-in where that is, or has none. Source: Qt, Deploying
/// Plugins, "The Plugin Directory"; QGuiApplication, the platform plug-in is in platforms, and the variable names
/// another such directory.
void add_place_of_plugin(MessageReading& reading, const std::string& plugin, const std::string& program) {
  if (!folded(program).ends_with(".exe")) return;
  const auto kind = std::string(parent_path(reading.plugin)), name = std::string(file_name(reading.plugin)) + ".dll";
  const auto own = std::string(parent_path(program)) + "/" + kind;
  if (plugin.empty()) {
    reading.means = fmt::format("{} is not below the directory of {}", name, file_name(program));
    reading.fix =
        "put the plug-ins of Qt and what they need beside the program, with the windeployqt of the Qt that "
        "it was built with";
    reading.command = "windeployqt " + windows_word(on_drive_c(program));
  } else if (const auto folder = std::string(parent_path(plugin)); folder != own) {
    reading.means = fmt::format("{} is in {}, and Qt looks in {} beside the program and where a qt.conf says", name,
                                on_drive_c(folder), kind);
    // Below the program it was put with it, and may be copied; a Qt elsewhere has more than this one.
    const bool is_own = folder.starts_with(std::string(parent_path(program)) + "/");
    const auto there = on_drive_c(folder);
    reading.fix = is_own ? "put it beside the program" : "name that directory, or copy it beside the program";
    reading.command = is_own ? fmt::format("xcopy /e /i {} {}", windows_word(there), windows_word(on_drive_c(own)))
                             : fmt::format("set \"QT_QPA_PLATFORM_PLUGIN_PATH={}\"", there);
  }
}

/// Without a target, and with a prefix that has the library which the message misses: where it is, and what leads
/// there; false if that is not so.
bool add_place(MessageReading& reading, const Options& options, const Host& host) {
  if (!options.world.prefix || reading.library.empty()) return false;
  const auto query = query_without_targets(options, host);
  const auto path = library_in_prefix(reading.library, *query.prefix, *make_disk_file_system(options.world.sysroot));
  if (path.empty()) return false;
  std::string folder(parent_path(path));
  if (folded(path).ends_with(".dll")) {
    folder = on_drive_c(folder);
    reading.command = fmt::format("set \"PATH={};%PATH%\"", folder);
  } else {
    reading.command =
        fmt::format("export LD_LIBRARY_PATH={}${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}", shell_word(folder));
  }
  reading.fix =
      fmt::format("{} is in {}, which is not searched for it: let the search begin there", reading.library, folder);
  return true;
}

/// Of a message about the parts of a program that PyInstaller has made: the program itself.
bool add_built_program(MessageReading& reading, const Options& options, const Host& host) {
  const auto files = make_disk_file_system(options.world.sysroot);
  const auto built = built_program(*options.question.message, *files, host.environment.cwd);
  if (reading.kind != MessageKind::hard || !built) return false;
  reading.other_path = built->windows ? on_drive_c(built->program) : built->program;
  reading.means = fmt::format("{} has the parts of which PyInstaller made the program",
                              built->windows ? on_drive_c(built->parts) : built->parts);
  reading.fix = "start the program that was made, in dist, where all that it needs lies with it";
  reading.command = built->windows ? windows_word(reading.other_path) : shell_word(reading.other_path);
  return true;
}

/// Where a library lies that the message names by another path.
void add_other_path(MessageReading& reading, const Options& options, const Host& host) {
  const auto files = make_disk_file_system(options.world.sysroot);
  const auto misplaced = misplaced_file(*options.question.message, *files, host.environment.cwd);
  if (reading.kind != MessageKind::hard || !misplaced || file_name(misplaced->named) != reading.library) return;
  reading.named_path = misplaced->named;
  reading.other_path = misplaced->path;
  reading.fix = fmt::format("{} is not there, and {} is: correct the path where it is named, or let a link lead there",
                            misplaced->named, misplaced->path);
  const std::string folder(parent_path(misplaced->named));
  reading.command = fmt::format("ln -s {} {}", shell_word(misplaced->path), shell_word(misplaced->named));
  if (!files->status(folder)) reading.command = fmt::format("mkdir -p {} && {}", shell_word(folder), reading.command);
}

/// The compiled file of the package of npm that a message is about. Where there is none, the reading gets what the
/// directories show, and the result is empty.
std::string add_native_binding(MessageReading& reading, const Options& options, const Host& host,
                               const FileSystem& files) {
  const auto binding = native_binding(*options.question.message, files, host.environment.cwd);
  if (binding.package.empty() || !binding.file.empty()) return binding.file;
  const auto package = binding.package + (binding.version.empty() ? "" : " " + binding.version);
  if (binding.wanted.empty()) {
    reading.means = fmt::format("{} has no compiled file for {}", package, binding.platform);
    reading.fix = "use a release of it that has one, or a system for which it has one";
    reading.command.clear();
    return "";
  }
  reading.means = fmt::format("{} needs {}, which is not installed", package, binding.wanted);
  if (!binding.installed.empty())
    reading.means +=
        fmt::format(": {} is, so node_modules or its lock file comes from another platform", binding.installed);
  reading.fix = "install all packages again on this system, without the lock file, which leaves out other platforms";
  reading.command = binding.command;
  return "";
}

/// Whether the one target is a program that is there: it may open libraries.
bool is_program_alone(const Options& options, const Query& query, const FileSystem& files) {
  if (options.arguments.size() != 1 || (options.command != Command::explain && options.command != Command::check))
    return false;
  const auto& given = options.arguments.front();
  const auto name = file_name(given);
  return given.find('/') != std::string::npos && name.find(".so") == std::string_view::npos &&
         !name.ends_with(".whl") && is_file(files, absolute_path(given, query.environment.cwd));
}

/// The DLL that .NET finds for a program by the name in a message, "miniaudio", where Windows does not.
std::string library_of_dotnet(std::string library, const std::string& program, const FileSystem& files) {
  if (library.empty() || !folded(program).ends_with(".exe")) return "";
  if (!folded(library).ends_with(".dll")) library += ".dll";
  ImageStore images(files);
  const auto& opened = images.open(program);
  return opened.error ? "" : dotnet_library(library, program, machine_name(opened.image->machine), files);
}

/// Where no target is named: the file that the message names, opened by the program that opens such files if that is
/// there, or who of the Python that is meant prints such a message.
/// Where a program is named, it opens the library that the message names.
void name_speaker(Options& options, const Host& host) {
  if (!options.question.message || options.help.short_help || options.help.version || options.resolved.windows_host)
    return;
  const auto query = query_without_targets(options, host);
  const auto files = make_disk_file_system(options.world.sysroot);
  auto found = file_of_message(*options.question.message, *files, host.environment.cwd);
  if (options.resolved.reading && !options.resolved.reading->plugin.empty() && !may_be_opened(found, *files)) {
    const auto program = is_program_alone(options, query, *files)
                             ? absolute_path(options.arguments.front(), query.environment.cwd)
                             : std::string();
    add_usual_plugin(*options.resolved.reading, program);
    found = plugin_in_prefix(options.resolved.reading->plugin, query.prefix.value_or(""), program, *files,
                             query.environment.dll_path);
    add_place_of_plugin(*options.resolved.reading, found, program);
  }
  if (options.resolved.reading && options.resolved.reading->native_binding)
    found = add_native_binding(*options.resolved.reading, options, host, *files);
  if (found.empty() && !options.resolved.reading && is_program_alone(options, query, *files))
    found =
        dll_beside(*options.question.message, absolute_path(options.arguments.front(), query.environment.cwd), *files);
  if (found.empty() && options.resolved.reading && is_program_alone(options, query, *files))
    found = library_of_dotnet(options.resolved.reading->library,
                              absolute_path(options.arguments.front(), query.environment.cwd), *files);
  auto speaker = found;
  if (options.arguments.empty()) {
    if (found.empty() && options.resolved.reading) speaker = find_speaker(*options.resolved.reading, query, *files);
    if (speaker.empty()) return;
    auto programs = speaker == found ? openers_of(found) : std::vector<std::string>();
    if (auto said = program_of_message(*options.question.message, *files); speaker == found && !said.empty())
      programs.insert(programs.begin(), std::move(said));
    const auto program =
        std::find_if(programs.begin(), programs.end(), [&](const std::string& path) { return is_file(*files, path); });
    if (program != programs.end() && options.question.dlopens.empty()) {
      options.question.dlopens.push_back({found});
      speaker = *program;
    }
    options.arguments.push_back(std::move(speaker));
  } else {
    if (found.empty() || !options.question.dlopens.empty() || !may_be_opened(found, *files) ||
        !is_program_alone(options, query, *files))
      return;
    if (absolute_path(options.arguments.front(), query.environment.cwd) == found) return;
    options.question.dlopens.push_back({found});
  }
  // The answer shows what the file needs, not only who asks for the file.
  if (options.resolved.reading && options.question.library == file_name(found)) options.question.library.clear();
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
  read_pasted_message(*options, host);
  if (auto fault = take_host(*options, host)) return std::move(*fault);
  name_speaker(*options, host);
  if (options->resolved.reading) {
    if (!add_built_program(*options->resolved.reading, *options, host))
      add_other_path(*options->resolved.reading, *options, host);
  }
  if (options->question.message && !options->resolved.reading && options->arguments.empty())
    return Error{ErrorCode::usage,
                 "cudald does not recognise this message; name the program or module that printed it as well"};
  if (options->resolved.reading && options->arguments.empty()) {
    auto& reading = *options->resolved.reading;
    if (!add_place(reading, *options, host))
      add_help(reading, *make_disk_file_system(options->world.sysroot), *options->resolved.table);
  }
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
