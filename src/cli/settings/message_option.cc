// --error: what a pasted message makes of the question. A file or module that it is about becomes the target, a library
// that it names the one that the answer is about; where there is neither, all that can be said is what helps against
// such a message.
#include "cli/settings/message_option.h"

#include <algorithm>
#include <istream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <cudald/message.h>

#include "base/ascii.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "base/windows_path.h"
#include "check/findings/system_packages.h"
#include "cli/output/query.h"
#include "knowledge/linux_names.h"
#include "knowledge/unset_variable.h"
#include "session/built_program.h"
#include "session/dotnet_library.h"
#include "session/file_of_message.h"
#include "session/find_speaker.h"
#include "session/library_in_prefix.h"
#include "session/message_help.h"
#include "session/native_binding.h"

namespace cudald {
namespace {

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

/// Whether a path has nothing that a shell or sed reads as more.
bool is_plain(const std::string& path) {
  return std::all_of(path.begin(), path.end(), [](char c) {
    return is_letter(c) || is_digit(c) || std::string_view("/._-").find(c) != std::string_view::npos;
  });
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
  if (misplaced->settings.empty() || !is_plain(misplaced->named) || !is_plain(misplaced->path)) return;
  reading.fix = fmt::format("{} is not there, and {} is: {} names the former, and should name the latter",
                            misplaced->named, misplaced->path, misplaced->settings);
  ImageStore images(*files);
  reading.command = SystemPackages(images).as_root(
      fmt::format("sed -i 's|{}|{}|' {}", misplaced->named, misplaced->path, shell_word(misplaced->settings)));
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

/// Whether the text is the name of a file in which the message may be.
bool names_file(const std::string& text, const Host& host) {
  constexpr std::size_t longest = 4096;
  return text.size() < longest && text.find('\n') == std::string::npos &&
         is_file(*make_disk_file_system(""), absolute_path(text, host.environment.cwd));
}

}  // namespace

void read_message_option(Options& options, const Host& host) {
  if (!options.question.message) return;
  std::string text = *options.question.message;
  if (text == "-") {
    constexpr std::size_t most = 1 << 20;
    text.assign(most, '\0');
    host.input.read(text.data(), static_cast<std::streamsize>(most));
    text.resize(static_cast<std::size_t>(host.input.gcount()));
  }
  options.resolved.reading = read_message(text, *options.resolved.table);
  if (!options.resolved.reading) options.resolved.reading = read_unset_variable(text, *options.resolved.table);
  if (options.resolved.reading && options.question.library.empty())
    options.question.library = options.resolved.reading->library;
  options.question.message = std::move(text);
}

std::optional<Error> apply_message_option(Options& options, const Host& host) {
  if (!options.question.message) return std::nullopt;
  name_speaker(options, host);
  if (!options.resolved.reading) {
    if (!options.arguments.empty()) return std::nullopt;
    if (const auto& file = *options.question.message; names_file(file, host))
      return Error{ErrorCode::usage, fmt::format("{0} is a file, and --error takes the message itself: "
                                                 "cudald explain --error - < {0}",
                                                 shell_word(file))};
    return Error{ErrorCode::usage,
                 "cudald does not recognise this message; name the program or module that printed it as well"};
  }
  auto& reading = *options.resolved.reading;
  if (!add_built_program(reading, options, host)) add_other_path(reading, options, host);
  if (options.arguments.empty() && !add_place(reading, options, host))
    add_help(reading, *make_disk_file_system(options.world.sysroot), *options.resolved.table);
  return std::nullopt;
}

}  // namespace cudald
