// Of a library that is missing: one in the directories that were searched has another name, and all functions that are
// needed of the missing one. Projects rename their libraries, and an upgrade then breaks what was built before, as
// QuaZip 1.0, whose libquazip5.so.1 became libquazip1-qt5.so.1.0 (github.com/ckb-next/ckb-next issue 648). Or the next
// number of the missing one, which only lacks functions, has them (data/linux-names.json, `successors`).
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/ascii.h"
#include "base/library_name.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "check/findings/checks.h"
#include "check/findings/system_packages.h"
#include "check/fixes/build_again.h"
#include "check/fixes/patchelf_fix.h"
#include "check/fixes/symbol_definers.h"
#include "knowledge/linux_names.h"
#include "machine/abi.h"

namespace cudald {
namespace {

constexpr std::size_t least_symbols = 2, most_symbols = 256, most_files = 32;

/// "libquazip" of libquazip5.so.1 and of libquazip1-qt5.so.1.0.
std::string_view letters_before_number(std::string_view library) {
  return library.substr(0, library.find_first_of("0123456789-_."));
}

/// "libpython" of libpython3.10.so.1.0 and of libpython3.11.so.1.0: of names that differ in their numbers alone, one is
/// of another release.
std::string without_numbers(std::string_view library) {
  std::string name(library.substr(0, library.find(".so")));
  std::erase_if(name, [](char c) { return is_digit(c) || c == '.'; });
  return name;
}

/// What an object lacks and no other library should have; empty where two of its libraries are missing, and which of
/// them has what is not known.
std::vector<const MissingSymbol*> needed_of_missing(const Report& report, ObjectId id) {
  std::vector<const MissingSymbol*> symbols;
  const auto& edges = report.resolution.objects[id].edges;
  const auto lacks = [](const Edge& edge) { return edge.hard && !edge.object; };
  if (std::count_if(edges.begin(), edges.end(), lacks) != 1) return symbols;
  for (const auto& missing : report.symbols->missing)
    if (missing.object == id && missing.of_files) symbols.push_back(&missing);
  if (symbols.size() > most_symbols) symbols.clear();
  return symbols;
}

/// The directories that were searched, each once.
std::set<std::string> searched(const Edge& edge, ImageStore& images) {
  std::set<std::string> folders;
  for (const auto& probe : edge.search.probes)
    if (const auto real = images.files().real_path(std::string(parent_path(probe.path)))) folders.insert(*real);
  return folders;
}

bool defines_all(const OpenedFile& file, const std::vector<const MissingSymbol*>& symbols, Store& store) {
  return std::all_of(symbols.begin(), symbols.end(), [&](const MissingSymbol* missing) {
    MissingSymbol unversioned = *missing;
    unversioned.version.clear();
    return defines(file, unversioned, store);
  });
}

/// The library that has it all; empty if none has.
std::string renamed_library(const Case& given, const Object& asker, const Edge& edge,
                            const std::vector<const MissingSymbol*>& symbols) {
  constexpr std::size_t least_beginning = 6;  // "libqua"
  const auto beginning = letters_before_number(edge.name);
  if (beginning.size() < least_beginning) return "";
  std::size_t opened = 0;
  for (const auto& folder : searched(edge, given.store.images))
    for (const auto& entry : given.store.images.list(folder)) {
      if (letters_before_number(entry) != beginning || !is_library_name(entry) ||
          without_numbers(entry) == without_numbers(edge.name) || ++opened > most_files)
        continue;
      const auto& file = given.store.images.open((folder == "/" ? "" : folder) + "/" + entry);
      if (!file.error && file.image->machine == asker.image->machine && file.image->format == asker.image->format &&
          file.image->type == FileType::shared && defines_all(file, symbols, given.store))
        return file.real_path;
    }
  return "";
}

void tell_newer_name(const Case& given, const Object& asker, const std::string& library, std::size_t count,
                     Finding& finding) {
  const auto& image = *given.store.images.open(library).image;
  const auto name = image.soname.value_or(std::string(file_name(library)));
  finding.message += fmt::format("; {} has all {} functions that {} needs of it, and may be it under a newer name",
                                 name, count, short_name(asker));
  finding.evidence.push_back({library + " defines what is missing", library, Basis::proven, ""});
  Fix fix{fmt::format("build or install {} again, in a build for {}", short_name(asker), name), "", ""};
  if (auto again = build_again(asker.path, given.store)) fix = *std::move(again);
  std::erase_if(finding.fixes, [](const Fix& each) { return each.only_searches; });
  finding.fixes.insert(finding.fixes.begin(), std::move(fix));
  finding.does_not_help.push_back(
      fmt::format("a link {}, for long: the two differ in more than the name", finding.subject));
}

/// The file that a library's next number is, among what was searched and the directories of the system.
std::string file_of(const Case& given, const std::string& soname, const Edge& edge) {
  auto folders = searched(edge, given.store.images);
  for (const auto each : usual_library_folders) folders.insert(std::string(each));
  for (const auto& folder : folders)
    if (const auto path = folder + "/" + soname; is_file(given.store.images.files(), path)) return path;
  return "";
}

/// Of a library whose next number is installed and has all that is used: a link is as good as a build for that. Not
/// where /usr cannot be written to.
void tell_successor(const Case& given, const Object& asker, const Edge& edge,
                    const std::vector<const MissingSymbol*>& symbols, Finding& finding) {
  constexpr std::string_view other_abi = "which has a different ABI";
  auto& images = given.store.images;
  const auto next = successor_of(edge.name);
  const auto path = next ? file_of(given, next->soname, edge) : "";
  if (path.empty() || images.folder_exists("/sysroot/ostree")) return;
  const auto& file = images.open(path);
  if (file.error || file.image->machine != asker.image->machine || file.image->format != asker.image->format ||
      !defines_all(file, symbols, given.store))
    return;
  const auto text = fmt::format("{}, and has all that {} uses", next->says, short_name(asker));
  if (const auto at = finding.message.find(other_abi); at != std::string::npos)
    finding.message.replace(at, other_abi.size(), text);
  finding.evidence.push_back(
      {fmt::format("{} takes the place of {}, {}", next->soname, edge.name, text), path, Basis::table, next->source});
  const std::string folder(parent_path(path));
  const SystemPackages system(images);
  auto command = fmt::format("ln -s {} {}", shell_word(next->soname), shell_word(folder + "/" + edge.name));
  if (is_system_path(path)) command = system.as_root(command);
  if (!searched(edge, images).contains(folder)) command += "\n" + export_search_path({shell_word(folder)});
  finding.fixes.insert(finding.fixes.begin(), {fmt::format("give {} the name of the older one", next->soname),
                                               std::move(command), "until there is a build for it"});
}

}  // namespace

void check_renamed(const Case& given) {
  auto& report = given.report;
  if (!report.symbols || !report.query.fixes) return;
  for (auto& finding : report.findings) {
    if ((finding.code != "CUD101" && finding.code != "CUD102") || !finding.object || !finding.edge ||
        finding.level != Level::error)
      continue;
    const auto& asker = report.resolution.objects[*finding.object];
    const auto& edge = asker.edges[*finding.edge];
    const auto symbols = needed_of_missing(report, *finding.object);
    if (!edge.hard || symbols.empty() || !asker.image->is_elf()) continue;
    if (finding.code == "CUD102") {
      tell_successor(given, asker, edge, symbols, finding);
      continue;
    }
    if (symbols.size() < least_symbols) continue;
    if (const auto library = renamed_library(given, asker, edge, symbols); !library.empty())
      tell_newer_name(given, asker, library, symbols.size(), finding);
  }
}

}  // namespace cudald
