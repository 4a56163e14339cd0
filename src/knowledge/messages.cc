#include <cudald/message.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "base/path.h"
#include "base/replace_all.h"
#include "base/shell_word.h"
#include "base/windows_path.h"
#include "embedded.h"
#include "knowledge/framework_builds.h"
#include "knowledge/knowledge.h"
#include "knowledge/known_packages.h"
#include "knowledge/windows_names.h"

namespace cudald {
namespace {

constexpr std::size_t most_text = 1 << 20, longest_line = 4096;

bool ends_word(char c) {
  return c == ' ' || c == '\t' || c == '\'' || c == '"' || c == '`' || c == '(' || c == ')' || c == ',';
}

/// The parts of a template: "version `", "{version}", "' not found".
std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto open = text.front() == '{' ? text.find('}') + 1 : text.find('{');
    parts.emplace_back(text.substr(0, open));
    text.remove_prefix(std::min(open, text.size()));
  }
  return parts;
}

/// The longest part that is not a name in braces.
std::string fixed_part(const std::vector<std::string>& parts) {
  std::string longest;
  for (const auto& part : parts)
    if (part.front() != '{' && part.size() > longest.size()) longest = part;
  return longest;
}

using Values = std::map<std::string, std::string, std::less<>>;

/// Where a path of Windows that begins there ends, C:\Program Files\x.dll: its directories may have spaces. 0 where
/// none begins, or none with one of these extensions.
std::size_t end_of_windows_path(std::string_view line, std::size_t at) {
  const auto rest = line.substr(at);
  if (rest.empty() || std::isalpha(static_cast<unsigned char>(rest[0])) == 0 || !rest.substr(1).starts_with(":\\"))
    return 0;
  constexpr std::string_view extensions[] = {".dll", ".DLL", ".exe", ".EXE"};
  auto first = std::string_view::npos;
  for (const auto extension : extensions) first = std::min(first, rest.find(extension));
  return first == std::string_view::npos ? 0 : at + first + extensions[0].size();
}

/// What stands for the names of a template in a line, whose first text begins at `start`; nullopt if it does not fit.
std::optional<Values> match_at(const std::vector<std::string>& parts, std::string_view line, std::size_t start) {
  const bool leads = parts.front().front() == '{';
  const auto& anchor = parts[leads ? 1 : 0];
  Values values;
  if (leads) {
    auto begin = start;
    while (begin > 0 && !ends_word(line[begin - 1])) --begin;
    values[parts[0]] = line.substr(begin, start - begin);
  }
  auto at = start + anchor.size();
  for (std::size_t i = leads ? 2 : 1; i < parts.size(); ++i) {
    if (parts[i].front() != '{') {
      at += parts[i].size();  // found as what ends the value before it
      continue;
    }
    auto end = at;
    if (i + 1 < parts.size()) {
      end = line.find(parts[i + 1], at);
      if (end == std::string_view::npos) return std::nullopt;
    } else {
      end = std::max(end, end_of_windows_path(line, at));
      while (end < line.size() && !ends_word(line[end])) ++end;
    }
    values[parts[i]] = line.substr(at, end - at);
    at = end;
  }
  for (const auto& [name, value] : values)
    if (value.empty()) return std::nullopt;
  return values;
}

/// The same wherever it fits first.
std::optional<Values> match(const std::vector<std::string>& parts, std::string_view line) {
  const auto& anchor = parts[parts.front().front() == '{' ? 1 : 0];
  constexpr int most_places = 64;
  auto start = line.find(anchor);
  for (int i = 0; i < most_places && start != std::string_view::npos; ++i, start = line.find(anchor, start + 1))
    if (auto values = match_at(parts, line, start)) return values;
  return std::nullopt;
}

MessageKind kind_of(const nlohmann::json& row) {
  const auto& word = row.at("kind").get_ref<const std::string&>();
  for (const auto kind : {MessageKind::soft, MessageKind::gpu})
    if (word == to_string(kind)) return kind;
  return MessageKind::hard;
}

MessageEffect effect_of(const nlohmann::json& row, MessageKind kind) {
  const auto word = row.value("effect", kind == MessageKind::hard ? "risk" : "cpu-only");
  return word == "nothing" ? MessageEffect::nothing : word == "risk" ? MessageEffect::risk : MessageEffect::cpu_only;
}

/// Only if what the message names begins as the row says.
bool fits(const nlohmann::json& row, const MessageReading& reading) {
  return !row.contains("library") || reading.library.starts_with(row.at("library").get_ref<const std::string&>());
}

/// "11.4" of 11040, as the CUDA driver counts releases. Source: CUDA Driver API, cuDriverGetVersion.
std::string cuda_release(const std::string& number) {
  constexpr int most_digits = 6;
  if (number.empty() || number.size() > most_digits || number.find_first_not_of("0123456789") != std::string::npos)
    return number;
  const auto value = std::stoi(number);
  return fmt::format("{}.{}", value / 1000, value % 1000 / 10);
}

UnfitFor unfit_for(const nlohmann::json& row) {
  const auto word = row.value("unfit_for", "");
  return word == "gpu" ? UnfitFor::gpu : word == "driver" ? UnfitFor::driver : UnfitFor::nothing;
}

/// A fix of a row, with what the message says in the place of the names.
std::string filled_in(std::string text, const Values& values, bool for_shell) {
  for (const auto& [name, value] : values) replace_all(text, name, for_shell ? shell_word(value) : value);
  return text;
}

/// The module below the site-packages of a path: "flash_attn_2_cuda" of
/// /v/lib/python3.10/site-packages/flash_attn_2_cuda.cpython-310-x86_64-linux-gnu.so. Empty if a line has no such path.
std::string module_in_path(std::string_view line) {
  constexpr std::string_view folder = "-packages";
  for (auto at = line.find(folder); at != line.npos; at = line.find(folder, at + 1)) {
    const auto rest = line.substr(at + folder.size());
    if (rest.size() < 2 || (rest[0] != '/' && rest[0] != '\\')) continue;
    const auto name = rest.substr(1, rest.find_first_of("/\\.:'\" ", 1) - 1);
    if (!name.empty()) return std::string(name);
  }
  return "";
}

/// What installs a module, as far as that is known; else what is called like it.
std::string distribution_for(const std::string& module) {
  if (auto compiled = distribution_compiled_as(module); !compiled.empty()) return compiled;
  const auto known = distribution_of_module(module);
  return known.empty() ? module.substr(0, module.find('.')) : known;
}

/// Where the index has another project under the name that a command installs, the command fetches the right one from
/// elsewhere.
void install_from_elsewhere(MessageReading& reading) {
  const auto installs = " install " + shell_word(reading.distribution);
  const auto other = other_project_of(normal_distribution_name(reading.distribution));
  if (!other || !reading.command.ends_with(installs)) return;
  reading.command.replace(reading.command.size() - installs.size(), installs.size(), " install " + other->install);
  reading.fix =
      fmt::format("install {}: {} of the package index is {}", other->wanted, reading.distribution, other->is);
}

/// "/a/liba.so:libb.so.2: cannot open": some print the two without a blank between them.
std::string last_named(std::string text) {
  constexpr std::string_view between = ".so:";
  if (const auto at = text.rfind(between); at != std::string::npos) text.erase(0, at + between.size());
  return text;
}

/// What helps where the message says with which release the program was built: the first way whose bound is newer.
void add_way_by_release(const nlohmann::json& row, MessageReading& reading) {
  if (reading.built_with.empty() || !row.contains("by_release")) return;
  for (const auto& way : row.at("by_release")) {
    if (!allows("<" + way.at("before").get<std::string>(), reading.built_with)) continue;
    reading.fix = way.at("fix");
    reading.command = way.value("command", "");
    return;
  }
}

/// Whether a name has what stands behind it in its sentence: a point, or the blank before one of another script.
bool ends_sentence(std::string_view name) {
  return !name.empty() && std::string_view(".! ").find(name.back()) != std::string_view::npos;
}

MessageReading reading_of(const nlohmann::json& row, std::string_view line, Values values) {
  const auto value = [&](std::string_view name) {
    const auto found = values.find(name);
    return found == values.end() ? std::string() : found->second;
  };
  // "failed to open libnvrtc-builtins.so.12.8.": the sentence ends there.
  for (const auto* name : {"{library}", "{built_with}"})
    if (const auto found = values.find(name); found != values.end())
      while (ends_sentence(found->second)) found->second.pop_back();
  const auto unfit = unfit_for(row);
  if (const auto number = values.find("{number}"); unfit == UnfitFor::driver && number != values.end())
    number->second = cuda_release(number->second);
  for (const auto& module : {value("{module}"), module_in_path(line)})
    if (!module.empty()) values.emplace("{distribution}", distribution_for(module));
  if (const auto built_with = value("{built_with}"); !built_with.empty())
    values.emplace("{series}", built_with.substr(0, built_with.find('.', built_with.find('.') + 1)));
  MessageReading reading;
  reading.text = std::string(line);
  reading.library = row.contains("about") ? row.at("about").get<std::string>() : value("{library}");
  reading.library = last_named(std::move(reading.library));
  reading.symbol = value("{symbol}");
  reading.version = value("{version}");
  reading.module = value("{module}");
  reading.distribution = value("{distribution}");
  reading.extension_of = row.value("extension_of", "");
  reading.built_with = value("{built_with}");
  reading.unfit_for = unfit;
  if (unfit != UnfitFor::nothing) reading.number = row.value("number", value("{number}"));
  reading.kind = kind_of(row);
  reading.who = row.at("who");
  reading.means = filled_in(row.at("means"), values, false);
  reading.source = fmt::format("{}, {}", row.at("source").get_ref<const std::string&>(),
                               row.at("checked").get_ref<const std::string&>());
  reading.effect = effect_of(row, reading.kind);
  reading.fix = filled_in(row.value("fix", ""), values, false);
  reading.command = filled_in(row.value("command", ""), values, true);
  // The message may name nothing of which that could be known.
  if (reading.command.find("{distribution}") != std::string::npos) reading.command.clear();
  install_from_elsewhere(reading);
  add_way_by_release(row, reading);
  reading.opens = row.value("opens", false);
  reading.plugin = filled_in(row.value("plugin", ""), values, false);
  reading.about_search = row.value("about_search", false);
  reading.native_binding = row.value("native_binding", false);
  reading.dotnet = row.value("of_dotnet", false);
  reading.found_fix = row.value("found_fix", "");
  reading.found_command = row.value("found_command", "");
  reading.speakers = row.value("speakers", std::vector<std::string>());
  reading.cuda = row.value("cuda", "");
  reading.needs_newer_driver = row.value("needs_newer_driver", false);
  reading.unconfigured = row.value("unconfigured", "");
  reading.findings = row.value("findings", std::vector<std::string>());
  return reading;
}

/// What the table of Windows knows of a function or DLL that the message names.
void complete(MessageReading& reading) {
  const auto dll = folded(reading.library);
  if (!dll.ends_with(".dll") && !dll.ends_with(".exe")) return;
  auto since = since_windows(dll, reading.symbol);
  // From Windows 8 on the box names the file that imports the function.
  if (!since && !is_in_system32(dll)) since = since_windows(reading.symbol);
  if (since) {
    reading.means =
        fmt::format("{} is there from {} on: the Windows that printed this is older", reading.symbol, since->release);
    reading.fix =
        fmt::format("use {} or later, or a release of the program that still is for the older one", since->release);
    reading.command.clear();
    reading.source += "; " + since->source;
  } else if (const auto assembly = assembly_with(reading.symbol)) {
    reading.means = fmt::format(
        "only the {} of {} {} has {}, and Windows gives that one to a program whose manifest names the assembly",
        assembly->dll, assembly->assembly, assembly->version, reading.symbol);
    reading.fix = fmt::format(
        "give the program a manifest that names {} {}; who does not build it takes another release of the program",
        assembly->assembly, assembly->version);
    reading.command.clear();
    reading.source += "; " + assembly->source;
  } else if (const auto part = dll_since_windows(dll); part && reading.symbol.empty()) {
    reading.means += fmt::format(
        "; {} is a part of Windows from {} on: the one that printed this is older, or an image that leaves it out",
        reading.library, part->release);
    reading.fix = fmt::format(
        "use {} or later, or a release of the program that still is for the older one; in a container the image "
        "mcr.microsoft.com/windows/server instead of servercore",
        part->release);
    reading.command.clear();
    reading.source += "; " + part->source;
  } else if (reading.symbol.empty() && is_in_system32(dll) && !added_later(dll) && !installer_of(dll)) {
    reading.means += fmt::format(
        "; {} is a part of Windows: the one that printed this lacks it, as Server Core, Nano "
        "Server and older releases do",
        reading.library);
    reading.fix =
        "let Windows restore its own files, in a console of an administrator; in a container use the image "
        "mcr.microsoft.com/windows/server instead of servercore";
    reading.command = "DISM /Online /Cleanup-Image /RestoreHealth\nsfc /scannow";
  }
}

/// "Could not load libcusolver.so.11; dlerror: libnvJitLink.so.12: cannot open shared object file": what was to be
/// loaded is there, and needs what is missing. Source: glibc elf/dl-load.c, _dl_signal_error: the name that the loader
/// looked for stands first.
void name_what_is_missing(std::string_view line, MessageReading& reading) {
  static const auto of_loader = parts_of("{library}: cannot open shared object file");
  const auto values = reading.library.empty() ? std::nullopt : match(of_loader, line);
  if (!values) return;
  const auto missing = last_named(values->find("{library}")->second);
  if (file_name(missing) == file_name(reading.library) || reading.dotnet) return;
  reading.needed_by = file_name(reading.library);
  reading.library = missing;
  // Words that only help where the file itself is missing.
  if (!reading.command.empty() || reading.fix.empty()) return;
  reading.means = fmt::format("{} needs {}, which is in no directory that is searched", reading.needed_by,
                              file_name(reading.library));
  reading.fix.clear();
}

/// Whether some line says of a library that is none of the names which .NET tries for this one that it is missing: what
/// it needs. Source: .NET, Native library loading, "Library name variations"; glibc elf/dl-load.c; musl ldso/dynlink.c.
bool names_another(const std::vector<std::string_view>& lines, const std::string& library) {
  constexpr std::string_view of_glibc = ": cannot open shared object file", of_musl = "Error loading shared library ";
  const auto is_own = [&](std::string_view word) {
    const auto name = file_name(word);
    return name == library || name == library + ".so" || name == "lib" + library || name == "lib" + library + ".so";
  };
  for (const auto line : lines) {
    for (auto at = line.find(of_glibc); at != line.npos; at = line.find(of_glibc, at + 1)) {
      const auto before = line.find_last_of(" '(", at);
      const auto begin = before == line.npos ? 0 : before + 1;
      if (!is_own(line.substr(begin, at - begin))) return true;
    }
    for (auto at = line.find(of_musl); at != line.npos; at = line.find(of_musl, at + 1)) {
      const auto begin = at + of_musl.size();
      if (!is_own(line.substr(begin, std::min(line.find(':', begin), line.size()) - begin))) return true;
    }
  }
  return false;
}

/// The environment of conda in which a path of a text lies, /home/u/miniconda3/envs/a; empty if none does.
std::string conda_prefix_in(std::string_view text) {
  for (auto end = text.find("/lib/"); end != text.npos; end = text.find("/lib/", end + 1)) {
    const auto before = text.find_last_of(" '\"`(\n", end);
    const auto begin = before == text.npos ? 0 : before + 1;
    const auto prefix = text.substr(begin, end - begin);
    const auto has = [&](std::string_view word) { return prefix.find(word) != prefix.npos; };
    if (prefix.starts_with('/') && (has("conda") || has("mamba") || has("miniforge") || has("/envs/")))
      return std::string(prefix);
  }
  return "";
}

/// What the environment of conda needs that the paths of the message lead into.
void add_way_of_conda(const nlohmann::json& row, MessageReading& reading) {
  if (reading.conda_prefix.empty() || !row.contains("conda_command")) return;
  reading.fix = row.value("conda_fix", reading.fix);
  reading.command = filled_in(row.at("conda_command"), {{"{prefix}", reading.conda_prefix}}, true);
}

/// What a row says, in each language in which its message is known.
std::vector<std::string> texts_of(const nlohmann::json& row) {
  auto texts = row.value("also", std::vector<std::string>());
  texts.insert(texts.begin(), row.at("text").get<std::string>());
  return texts;
}

/// Whether what a row is about stands in the text as well, in any of its lines: whose code it is, as a traceback says.
bool has_beside(const nlohmann::json& row, std::string_view pasted) {
  return !row.contains("beside") || pasted.find(row.at("beside").get_ref<const std::string&>()) != pasted.npos;
}

/// The message of a row in some of the lines.
std::optional<MessageReading> read_by(const nlohmann::json& row, const std::string& text,
                                      const std::vector<std::string_view>& lines) {
  const auto parts = parts_of(text);
  // Who tries several places prints each: "/app/libx.so: cannot open", and "liby.so.1: cannot open" of what libx
  // needs.
  std::optional<MessageReading> of_path;
  for (const auto line : lines) {
    if (line.size() > longest_line) continue;
    const auto values = match(parts, line);
    if (!values) continue;
    auto reading = reading_of(row, line, *values);
    reading.fixed_text = fixed_part(parts);
    // "failed to open libnvrtc-builtins.so.12.8.": the sentence ends there.
    for (auto* name : {&reading.library, &reading.built_with})
      while (ends_sentence(*name)) name->pop_back();
    if (!fits(row, reading) || (row.value("of_dotnet", false) && names_another(lines, reading.library))) continue;
    name_what_is_missing(line, reading);
    // "ImportError: libX.so.1: cannot open": the name is the last word before the colon.
    const auto slash = reading.library.find_last_of("/\\");
    const bool named_alone = slash == std::string::npos || lines.size() == 1;
    if (slash != std::string::npos) reading.library.erase(0, slash + 1);
    // Windows looks for the name with ".dll" behind it, where it has no dot. Source: Microsoft, LoadLibrary.
    if (reading.opens && reading.library.find('.') == std::string::npos) reading.library += ".dll";
    complete(reading);
    if (named_alone) return reading;
    if (!of_path) of_path = std::move(reading);
  }
  return of_path;
}

}  // namespace

std::optional<MessageReading> read_message(std::string_view pasted, const Knowledge& knowledge) {
  static const auto built_in = parse_table(embedded_messages());
  const auto* newer = knowledge.newer_table("messages");
  const auto& table = newer != nullptr ? *newer : built_in;
  auto lines = split(pasted.substr(0, most_text), "\n");
  // PHP tries a module's name once more with ".so" behind it, which says nothing of why the file itself was refused.
  // Source: php-src ext/standard/dl.c, php_load_extension.
  constexpr std::string_view second_try = ".so.so";
  const auto is_second = [&](std::string_view line) {
    const auto at = line.find(second_try);
    return at != line.npos && line.find("undefined symbol") == line.npos && line.find("tried:") == line.npos;
  };
  if (!std::all_of(lines.begin(), lines.end(), is_second)) std::erase_if(lines, is_second);
  for (const auto& row : table.at("rows")) {
    if (!has_beside(row, pasted.substr(0, most_text))) continue;
    for (const auto& text : texts_of(row))
      if (auto reading = read_by(row, text, lines)) {
        reading->conda_prefix = conda_prefix_in(pasted.substr(0, most_text));
        add_way_of_conda(row, *reading);
        return reading;
      }
  }
  return std::nullopt;
}

}  // namespace cudald
