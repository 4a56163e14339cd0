// What a package raises of its own accord says in its words what it wants: "Please install mmcv>=2.0.0rc4, <2.2.0".
#include "check/packages/raised_errors.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/find_bytes.h"
#include "base/path.h"
#include "base/replace_all.h"
#include "base/shell_word.h"
#include "base/version_order.h"
#include "base/windows_path.h"
#include "check/findings/system_packages.h"
#include "check/fixes/build_fixes.h"
#include "check/packages/asked_releases.h"
#include "check/packages/guarded_names.h"
#include "check/packages/lacked_names.h"
#include "check/packages/refused_sources.h"
#include "knowledge/knowledge.h"
#include "knowledge/known_packages.h"
#include "knowledge/providers.h"
#include "package/dist_info.h"
#include "package/requirement.h"
#include "package/version.h"
#include "pyimport/bytecode.h"
#include "pyimport/run_import.h"

namespace cudald {
namespace {

constexpr std::string_view signs = "<>=!~";
constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

bool is_part(char c, std::string_view more) {
  return letters.find(c) != std::string_view::npos || more.find(c) != std::string_view::npos;
}

struct AskedFor {
  std::string name, specifiers;
  std::size_t end = 0;
};

/// "NAME>=1,<2" as a text has it, where its first sign of comparison lies at `at`; nullopt if it is none.
std::optional<AskedFor> asked_for(std::string_view text, std::size_t at) {
  auto end = at;
  while (end > 0 && text[end - 1] == ' ') --end;
  auto begin = end;
  while (begin > 0 && is_part(text[begin - 1], "-_.")) --begin;
  AskedFor asked{std::string(text.substr(begin, end - begin)), "", at};
  while (asked.end < text.size()) {
    const auto sign = text.find_first_not_of(signs, asked.end);
    if (sign == asked.end || sign == std::string_view::npos) break;
    const auto from = text.find_first_not_of(' ', sign);
    if (from == std::string_view::npos) break;
    auto to = from;
    while (to < text.size() && is_part(text[to], ".+*")) ++to;
    auto version = text.substr(from, to - from);
    while (version.ends_with('.')) version.remove_suffix(1);
    const auto one = std::string(text.substr(asked.end, sign - asked.end)) + std::string(version);
    if (version.empty() || !is_specifier(one)) break;
    asked.specifiers += (asked.specifiers.empty() ? "" : ",") + one;
    asked.end = from + version.size();
    const auto next = text.find_first_not_of(", ", asked.end);
    if (next == std::string_view::npos || signs.find(text[next]) == std::string_view::npos) break;
    asked.end = next;
  }
  if (asked.specifiers.empty() || !is_distribution_name(asked.name)) return std::nullopt;
  return asked;
}

/// The first release that the words ask for of a distribution which is installed in another one.
void add_release(const Installer& installer, const std::string& error, const FileSystem& files, Finding& finding) {
  for (auto at = error.find_first_of(signs); at != std::string::npos; at = error.find_first_of(signs, at)) {
    const auto asked = asked_for(error, at);
    if (!asked) {
      at = error.find_first_not_of(signs, at);
      continue;
    }
    at = asked->end;
    const auto installed = installed_metadata(files, installer.site(), asked->name);
    if (!installed || allows(asked->specifiers, installed->version)) continue;
    finding.evidence.push_back(
        {fmt::format("{} {} is installed", installed->name, installed->version), "", Basis::proven, ""});
    finding.fixes.push_back({fmt::format("use the {} that it asks for", installed->name),
                             installer.install() + shell_word(installed->name + asked->specifiers), ""});
    return;
  }
}

/// The same in plain words, of an installed distribution that the error names: "needs NumPy 2.0 or less. Got
/// NumPy 2.3". Of the package that raises it they tell no bound, but what it does with another one.
void add_release_in_words(const Installer& installer, const PackageName* raiser, const std::string& error,
                          const FileSystem& files, Finding& finding) {
  // No distribution is looked for where the words ask for no release at all.
  if (!finding.fixes.empty() || !releases_in_words(error, "")) return;
  std::size_t end = 0;
  for (auto begin = error.find_first_of(letters); begin != std::string::npos;
       begin = error.find_first_of(letters, end)) {
    end = begin;
    while (end < error.size() && is_part(error[end], "-_.")) ++end;
    auto name = error.substr(begin, end - begin);
    while (name.ends_with('.')) name.pop_back();
    if (name.size() < 2 || !is_distribution_name(name)) continue;
    if (raiser != nullptr && normal_distribution_name(raiser->name) == normal_distribution_name(name)) continue;
    const auto installed = installed_metadata(files, installer.site(), name);
    const auto asked = installed ? releases_in_words(error, installed->version) : std::nullopt;
    if (!asked) continue;
    finding.evidence.push_back(
        {fmt::format("{} {} is installed", installed->name, installed->version), "", Basis::proven, ""});
    finding.fixes.push_back({fmt::format("use the {} that it asks for", installed->name),
                             installer.install() + shell_word(installed->name + *asked), ""});
    return;
  }
}

/// The directory of the project that a file is of, by the files that say how it is built; empty if none is found.
std::string project_of(const std::string& file, const std::string& name, const FileSystem& files) {
  constexpr int deepest = 4;
  constexpr std::uint64_t most_text = 1 << 20;
  auto folder = std::string(parent_path(file));
  for (int i = 0; i < deepest && folder.size() > 1; ++i, folder = parent_path(folder))
    for (const auto* plan : {"/pyproject.toml", "/setup.cfg", "/setup.py"})
      if (const auto text = read_file(files, folder + plan, most_text); text && text->find(name) != std::string::npos)
        return folder;
  return "";
}

/// Code that asks for its own metadata, in a copy of its project that is not installed.
void add_project(const Import& import, const std::string& error, const Installer& installer, const FileSystem& files,
                 Finding& finding) {
  constexpr std::string_view mark = "No package metadata was found for ";
  const auto at = error.find(mark);
  const auto file = file_of(import.raised_at);
  if (at == std::string::npos || file.empty() || file.find("-packages/") != std::string::npos) return;
  const auto project = project_of(file, error.substr(at + mark.size()), files);
  if (project.empty()) return;
  finding.evidence.push_back(
      {"the code runs from a copy of its project, which is not installed: only an installation "
       "writes metadata",
       project, Basis::proven, ""});
  finding.fixes.push_back({"install the project", installer.install() + "-e " + shell_word(project), ""});
}

/// A package that misses CUDA, beside one that is the build without it, by its release: torch 2.4.1+cpu.
void add_build_for_gpu(const Report& report, const Installer& installer, const std::string& error,
                       const FileSystem& files, Finding& finding) {
  constexpr std::string_view end = "+cpu.dist-info";
  if (!finding.fixes.empty() || folded(error).find("cuda") == std::string::npos) return;
  const auto names = files.list(installer.site());
  for (const auto& entry : names ? *names : std::vector<std::string>()) {
    const auto dash = entry.find('-');
    if (!entry.ends_with(end) || dash == std::string::npos) continue;
    const auto name = entry.substr(0, dash), release = entry.substr(dash + 1, entry.size() - dash - 1 - end.size());
    finding.evidence.push_back({fmt::format("{} {}+cpu is installed, the build without CUDA", name, release),
                                installer.site() + "/" + entry, Basis::proven, ""});
    const bool windows = report.resolution.windows;
    finding.fixes.push_back(
        {fmt::format("install the {} for CUDA{}", name, windows ? ", from the index of its builds" : ""),
         windows ? "" : installer.install() + "--force-reinstall " + shell_word(name + "==" + release), ""});
    return;
  }
}

/// A type that is written as a later Python takes it: list[int], int | str.
void add_python_of_types(const Import& import, const std::string& error, const Installer& installer, Store& store,
                         Finding& finding) {
  const bool of_index = error == "TypeError: 'type' object is not subscriptable";
  if (!of_index && !error.starts_with("TypeError: unsupported operand type(s) for |")) return;
  const int first = of_index ? 9 : 10;
  finding.evidence.push_back({fmt::format("{} is of Python 3.{}; this is Python {}",
                                          of_index ? "list[int]" : "X | Y of types", first, import.python_version),
                              "", Basis::table, of_index ? "PEP 585" : "PEP 604"});
  finding.fixes.push_back({fmt::format("use Python 3.{} or newer", first), "", ""});
  const auto file = file_of(import.raised_at);
  if (const auto* owner = file.empty() ? nullptr : store.installed.package_of(file))
    finding.fixes.push_back(release_for_python(*owner, import.python_version, true, owner->name, installer));
}

/// Code that does not know this Python: a dataclass whose default has no hash, or a pattern with flags behind its
/// start, both of which Python takes up to 3.10, or a table by release of Python.
void add_release_for_this_python(const Import& import, const std::string& error, const Installer& installer,
                                 const PackageName* raiser, Finding& finding) {
  const bool of_default =
      error.starts_with("ValueError: mutable default <class ") && error.find("<class 'list'>") == std::string::npos &&
      error.find("<class 'dict'>") == std::string::npos && error.find("<class 'set'>") == std::string::npos;
  auto key = import.python_version;
  if (const auto dot = key.find('.'); dot != std::string::npos) key.replace(dot, 1, ", ");
  const bool of_table = error == "KeyError: (" + key + ")";
  const bool of_pattern = error.find("rror: global flags not at the start of the expression") != std::string::npos;
  if (!finding.fixes.empty() || !(of_default || of_pattern || of_table)) return;
  if (of_pattern)
    finding.evidence.push_back({"since Python 3.11 flags of a whole pattern, (?i), stand at its start", "",
                                Basis::table, "CPython 3.11 Doc/whatsnew, re"});
  else if (of_default)
    finding.evidence.push_back({"since Python 3.11 a dataclass refuses a default that has no hash", "", Basis::table,
                                "CPython 3.11 Doc/whatsnew, dataclasses"});
  else
    finding.evidence.push_back(
        {fmt::format("its table has no row for Python {}", import.python_version), "", Basis::proven, ""});
  if (raiser != nullptr)
    finding.fixes.push_back(release_for_python(*raiser, import.python_version, false, raiser->name, installer));
  const std::string older = of_table ? "an older Python" : "Python 3.10";
  finding.fixes.push_back({(finding.fixes.empty() ? "use " : "or use ") + older, "", ""});
}

/// "x[y]>=1.2,<2", and nothing else that pip takes: no address, and no option.
bool is_plain_requirement(const std::string& word) {
  const auto requirement = parse_requirement(word);
  if (!requirement || !requirement->marker.empty() ||
      !is_distribution_name(word.substr(0, word.find_first_of("[<>=!~"))))
    return false;
  const auto parts = split(requirement->specifiers, ",");
  return requirement->specifiers.empty() ||
         std::all_of(parts.begin(), parts.end(), [](std::string_view part) { return is_specifier(part); });
}

/// The words of "pip install ..." in the error's own text, as far as they are what pip takes; the text goes on.
std::vector<std::string> advised_words(std::string_view advice) {
  constexpr std::array options{"-U", "--upgrade", "--force-reinstall", "--no-cache-dir"};
  constexpr std::array sentence{"or",  "and",  "to", "in",    "then",   "with",
                                "for", "from", "if", "first", "before", "again"};
  const auto is_one_of = [](const auto& all, const std::string& word) {
    return std::find(all.begin(), all.end(), word) != all.end();
  };
  std::vector<std::string> words;
  for (const auto part : split(advice, " ")) {
    std::string word(part);
    std::erase_if(word, [](char c) { return c == '"' || c == '\'' || c == '(' || c == ')'; });
    const auto end = word.find_last_not_of(".,;:!");
    const bool last = end + 1 != word.size();
    word.resize(end + 1);
    if (!is_one_of(options, word) && (!is_plain_requirement(word) || is_one_of(sentence, word))) break;
    words.push_back(std::move(word));
    if (last) break;
  }
  const bool installs = std::any_of(words.begin(), words.end(), [](const auto& word) { return word[0] != '-'; });
  return installs ? words : std::vector<std::string>();
}

void add_advice(const Import& import, const Installer& installer, Finding& finding) {
  const auto words = advised_words(import.advice);
  if (words.empty() || !finding.fixes.empty()) return;
  auto command = installer.install();
  for (const auto& word : words) command += (&word == &words.front() ? "" : " ") + shell_word(word);
  finding.fixes.push_back({"as its own message says", std::move(command), ""});
}

/// Entry points that are declared in no .dist-info: that of the package itself may have been deleted.
void add_entry_points(const Import& import, const std::string& note, const Installer& installer, Store& store,
                      Finding& finding) {
  if (!note.starts_with(looked_for_entry_points)) return;
  finding.evidence.push_back({note, "", Basis::proven, ""});
  const auto file = file_of(import.raised_at);
  const auto& site = installer.site();
  if (!finding.fixes.empty() || site.empty() || !file.starts_with(site + "/")) return;
  if (store.installed.package_of(file) != nullptr) {
    finding.fixes.push_back({"install a package that declares them", "", ""});
    return;
  }
  auto module = file.substr(site.size() + 1);
  module = module.substr(0, module.find('/'));
  const auto known = distribution_of_module(module);
  finding.evidence.push_back(
      {fmt::format("no .dist-info in {} lists {}", site, file.substr(site.size() + 1)), file, Basis::proven, ""});
  finding.fixes.push_back(
      {fmt::format("install the package of {} again, with its .dist-info: that declares them", module),
       known.empty() ? "" : installer.install_again() + shell_word(known), ""});
}

/// Whether a shell can set a variable of that name.
bool is_identifier(std::string_view name) {
  const auto is_inner = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::all_of(name.begin(), name.end(), is_inner);
}

/// A variable of the environment that code reads without asking whether it is set.
void add_variable(const Report& report, const std::string& note, Finding& finding) {
  if (!note.starts_with(needs_variable) || !note.ends_with(not_set)) return;
  const auto name = note.substr(needs_variable.size(), note.size() - needs_variable.size() - not_set.size());
  finding.evidence.push_back({note, "", Basis::proven, ""});
  if (!is_identifier(name)) return;
  finding.fixes.push_back(
      {fmt::format("set {} to the value that the package's documentation asks for", name),
       report.resolution.windows ? fmt::format("set \"{}=VALUE\"", name) : fmt::format("export {}=VALUE", name), ""});
}

/// Bytecode without its source, of another Python.
void add_python_of_bytecode(const Import& import, const std::string& error, Store& store, Finding& finding) {
  constexpr std::uint64_t longest = 64 << 20;
  if (!error.starts_with("ImportError: bad magic number")) return;
  const auto bytes = read_file(store.images.files(), import.raised_at, longest);
  const auto python = bytes ? python_of_bytecode(*bytes) : "";
  if (python.empty()) return;
  finding.evidence.push_back(
      {fmt::format("it is bytecode of Python {}, without its source; this is Python {}", python, import.python_version),
       import.raised_at, Basis::proven, ""});
  const auto* owner = store.installed.package_of(import.raised_at);
  finding.fixes.push_back(
      {fmt::format("use Python {}, or a {} that has its sources", python, owner == nullptr ? "copy" : owner->name), "",
       ""});
}

/// A library that ctypes has opened, and that lacks a function: it is of another release than the code.
void add_release_of_library(const Report& report, const Import& import, const std::string& error,
                            const Installer& installer, Store& store, Finding& finding) {
  constexpr std::string_view begins = "AttributeError: ", mark = ": undefined symbol: ";
  const auto at = error.find(mark);
  if (!error.starts_with(begins) || at == std::string::npos) return;
  const auto library = error.substr(begins.size(), at - begins.size());
  const auto code = file_of(import.raised_at);
  const auto* owner = store.installed.package_of(library);
  const auto& objects = report.resolution.objects;
  if (!objects.empty() && objects.front().main_program && objects.front().path == library) {
    finding.evidence.push_back(
        {"no library was opened: without a name ctypes looks the function up in the program "
         "itself",
         library, Basis::rule, "dlopen(3), a null filename"});
    return;
  }
  finding.evidence.push_back({"ctypes looks the function up in it", library, Basis::proven, ""});
  finding.fixes.push_back({fmt::format("use a newer {}, which has the function: one of the same release as {}",
                                       file_name(library), file_name(code)),
                           owner == nullptr ? "" : installer.install() + "--upgrade " + shell_word(owner->name), ""});
}

/// A file that code looked for, in the words of the import's note; empty if the note says something else.
std::string absent_file(std::string_view note) {
  if (!note.starts_with(looked_for) || !note.ends_with(not_there)) return "";
  note.remove_prefix(looked_for.size());
  return std::string(note.substr(0, note.size() - not_there.size()));
}

/// Where two names differ: from the first byte on, without what they have in common at their ends. A digit that both
/// have may belong to a number that differs.
std::pair<std::string_view, std::string_view> difference(std::string_view one, std::string_view other) {
  constexpr std::string_view of_numbers = "0123456789.";
  auto begin =
      static_cast<std::size_t>(std::mismatch(one.begin(), one.end(), other.begin(), other.end()).first - one.begin());
  while (begin > 0 && of_numbers.find(one[begin - 1]) != std::string_view::npos) --begin;
  one.remove_prefix(begin), other.remove_prefix(begin);
  while (!one.empty() && !other.empty() && one.back() == other.back() &&
         (of_numbers.find(one.back()) == std::string_view::npos || one.find_first_of(of_numbers) == std::string::npos))
    one.remove_suffix(1), other.remove_suffix(1);
  if (one.ends_with('.') && other.ends_with('.')) one.remove_suffix(1), other.remove_suffix(1);
  return {one, other};
}

bool is_release(std::string_view text) {
  return text.find('.') != std::string_view::npos && !text.starts_with('.') && !text.ends_with('.') &&
         text.find_first_not_of("0123456789.") == std::string_view::npos;
}

/// The distribution that is installed in that release; empty if it is none, or more than one.
std::string installed_in(const FileSystem& files, const std::string& site, std::string_view release) {
  const auto names = files.list(site);
  std::string found;
  constexpr std::string_view end = ".dist-info";
  for (const auto& entry : names ? *names : std::vector<std::string>()) {
    const auto dash = entry.find('-');
    if (!entry.ends_with(end) || dash == std::string::npos) continue;
    const auto version = std::string_view(entry).substr(dash + 1, entry.size() - end.size() - dash - 1);
    if (version.substr(0, version.find('+')) != release) continue;
    if (!found.empty()) return "";
    found = entry.substr(0, dash);
  }
  return found;
}

/// What has a library of the system; without its version, as a linker calls it, the table tells more than a search.
void add_package_of_system(const Report& report, const std::string& library, Store& store, Finding& finding) {
  const SystemPackages system(store.images);
  const auto packages = system.takes_debian_packages()
                            ? system.of_this_release(system_packages_of(library, knowledge_of(report)))
                            : std::vector<SystemPackage>();
  for (const auto& package : packages) {
    auto installation = system.installation_of(package);
    // Several releases of a system may have it in the same package.
    const auto is_same = [&](const Fix& fix) { return fix.command == installation.command; };
    if (std::none_of(finding.fixes.begin(), finding.fixes.end(), is_same))
      finding.fixes.push_back(std::move(installation));
  }
  if (packages.empty()) finding.fixes.push_back(system.provider_of(library, true, true));
}

/// A file that is not there, where others lie that are called like it but for a release: libx_2.4.0.so beside the
/// libx_2.4.1.so that is needed. The release may be that of another package.
void add_files_beside(const Installer& installer, const std::string& path, Store& store, Finding& finding) {
  constexpr std::size_t most_shown = 4;
  const auto& files = store.images.files();
  const auto wanted = file_name(path);
  const auto names = files.list(std::string(parent_path(path)));
  std::vector<std::string> releases, shown;
  std::string_view own;
  for (const auto& name : names ? *names : std::vector<std::string>()) {
    const auto [here, there] = difference(wanted, name);
    const auto digits = [](std::string_view text) {
      return text.find_first_of("0123456789") != std::string_view::npos;
    };
    if (!digits(here) || !digits(there) || here.size() + 3 > wanted.size()) continue;
    shown.push_back(name);
    if (!is_release(here) || !is_release(there)) continue;
    own = here;
    releases.emplace_back(there);
  }
  if (shown.empty()) return;
  std::sort(shown.rbegin(), shown.rend());
  shown.resize(std::min(shown.size(), most_shown));
  finding.evidence.push_back(
      {fmt::format("beside it are {}", fmt::join(shown, ", ")), std::string(parent_path(path)), Basis::proven, ""});
  std::sort(releases.begin(), releases.end(), [](const auto& a, const auto& b) { return version_less(a, b); });
  const auto other = releases.empty() ? "" : installed_in(files, installer.site(), own);
  if (!other.empty())
    finding.fixes.push_back({fmt::format("use the {} that there is a file for", other),
                             installer.install() + shell_word(other + "==" + releases.back()), ""});
  if (const auto* owner = store.installed.package_of(std::string(parent_path(path)) + "/" + shown.front()))
    finding.fixes.push_back({fmt::format("use a newer {}, which may have the file", owner->name),
                             installer.install() + "--upgrade " + shell_word(owner->name),
                             fmt::format("if there is one after {}", owner->version)});
}

/// A part for CUDA that is not there, beside the same part for the CPU: the package was compiled without CUDA, and
/// looks for the other part where there is a GPU.
void add_build_with_part(const Report& report, const Installer& installer, const std::string& path, Store& store,
                         Finding& finding) {
  auto other = path;
  replace_all(other, "_cuda.", "_cpu.");
  if (other == path || !is_file(store.images.files(), other)) return;
  finding.evidence.push_back(
      {fmt::format("beside it is {}: the build is for the CPU alone", file_name(other)), other, Basis::proven, ""});
  const auto* owner = store.installed.package_of(other);
  const auto framework = framework_with_builds(report);
  if (owner == nullptr || !framework) return;
  finding.fixes.push_back(made_for_framework(*owner, framework->name, framework->version, framework->cuda, installer));
}

/// Modules that the code has tried one after the other, and that its error names: any of them would do.
void add_modules_in_turn(const Import& import, const std::string& error, const Installer& installer, Finding& finding) {
  const auto code = file_of(import.raised_at);
  std::vector<std::string> tried;
  const auto ends_word = [](char c) { return !is_part(c, "_"); };
  for (const auto& missing : import.missing) {
    const auto top = missing.name.substr(0, missing.name.find('.'));
    if (code.empty() || file_of(missing.asked_at) != code || !has_word(error, top, ends_word)) continue;
    if (std::find(tried.begin(), tried.end(), top) == tried.end()) tried.push_back(top);
  }
  if (tried.empty()) return;
  finding.evidence.push_back(
      {fmt::format("tried before, and not installed: {}", fmt::join(tried, ", ")), code, Basis::proven, ""});
  const auto known = distribution_of_module(tried.front());
  finding.fixes.push_back({tried.size() == 1 ? "install it" : "install one of them",
                           installer.install() + shell_word(known.empty() ? tried.front() : known),
                           known.empty() ? "if the package is called like the module, which is not always so" : ""});
}

}  // namespace

void tell_raised_error(const Report& report, const Import& import, const std::string& error, Store& store,
                       Finding& finding) {
  if (!import.raised_at.empty()) finding.evidence.push_back({"raised at " + import.raised_at, "", Basis::proven, ""});
  const auto& files = store.images.files();
  const auto installer = installer_for(report, import, import.module, import.raised_at, files);
  if (!installer.site().empty()) add_release(installer, error, files, finding);
  const auto code = file_of(import.raised_at);
  const auto* found = code.empty() ? nullptr : store.installed.package_of(code);
  const auto raiser = found == nullptr ? std::nullopt : std::optional(*found);  // the next question may move it
  if (!installer.site().empty()) add_release_in_words(installer, raiser ? &*raiser : nullptr, error, files, finding);
  tell_guarded_name(import, error, installer, store, finding);
  add_release_for_this_python(import, error, installer, raiser ? &*raiser : nullptr, finding);
  add_project(import, error, installer, files, finding);
  add_python_of_types(import, error, installer, store, finding);
  tell_refused_source(import, error, installer, store, finding);
  add_release_of_library(report, import, error, installer, store, finding);
  add_python_of_bytecode(import, error, store, finding);
  add_advice(import, installer, finding);
  if (!installer.site().empty()) add_build_for_gpu(report, installer, error, files, finding);
  for (const auto& note : import.notes) {
    add_entry_points(import, note, installer, store, finding);
    add_variable(report, note, finding);
    const auto file = absent_file(note);
    if (file.empty()) continue;
    finding.evidence.push_back({note, "", Basis::proven, ""});
    // A path is a file of the package's own; a bare name one of the system.
    if (file.find('/') != std::string::npos) {
      add_files_beside(installer, file, store, finding);
      add_build_with_part(report, installer, file, store, finding);
    } else if (finding.fixes.empty()) {
      add_package_of_system(report, file, store, finding);
    }
  }
  if (finding.fixes.empty()) add_modules_in_turn(import, error, installer, finding);
}

}  // namespace cudald
