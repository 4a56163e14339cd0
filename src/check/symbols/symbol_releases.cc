#include <elf.h>

#include <map>
#include <optional>

#include <fmt/format.h>

#include <cudald/cuda_library.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "base/version_order.h"
#include "binary/elf/symbol_table.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "check/findings/other_abi.h"
#include "check/fixes/install_commands.h"
#include "check/fixes/installer.h"
#include "check/fixes/symbol_definers.h"
#include "knowledge/first_seen.h"
#include "knowledge/providers.h"
#include "loader/loader.h"

namespace cudald {
namespace {

/// A library of CUDA whose other releases have what an object lacks.
struct MissingRelease {
  std::string library;      ///< soname
  std::string function;     ///< the one that asks for the newest release
  std::string first, last;  ///< as FunctionHistory
  std::string source;
};

/// What the functions that objects lack say of the release that each was linked against.
std::map<ObjectId, MissingRelease> lacks_of(const Report& report) {
  std::map<ObjectId, MissingRelease> lacks;
  for (const auto& missing : report.symbols->missing) {
    const auto history = missing.version_file.empty()
                             ? std::nullopt
                             : history_of(missing.version_file, missing.name, knowledge_of(report));
    if (!history) continue;
    auto& lack = lacks[missing.object];
    if (!lack.library.empty() && (missing.version_file != lack.library || !version_less(lack.first, history->first)))
      continue;
    lack = {missing.version_file, missing.name, history->first, history->last, history->source};
  }
  return lacks;
}

std::optional<ObjectId> answer_of(const Report& report, ObjectId object, const std::string& library) {
  for (const auto& edge : report.resolution.objects[object].edges)
    if (edge.name == library) return edge.object;
  return std::nullopt;
}

/// A newer release under the same name: what pip has, where the file comes from there.
void add_fix(const Report& report, const Object& found, const MissingRelease& lack, const std::string& cuda_major,
             const FileSystem& files, Finding& finding) {
  for (const auto& provider : providers_of(lack.library, cuda_major, knowledge_of(report))) {
    if (!lack.first.empty() && version_less(provider.version, lack.first)) continue;
    if (!lack.last.empty() && version_less(lack.last, provider.version)) continue;
    const auto place = "-packages/" + provider.folder + "/";
    const auto at = found.path.find(place);
    // What newer releases lack again is in the one that was seen.
    const auto releases = lack.last.empty() ? ">=" + lack.first : "==" + provider.version;
    auto command = Installer(report, found, files).install() + shell_word(provider.requirement == provider.distribution
                                                                              ? provider.distribution + releases
                                                                              : provider.requirement);
    if (at == std::string::npos) command += "\n" + export_search_path({"$site/" + provider.folder});
    finding.fixes.push_back(
        {fmt::format("{} {} has it, under the same name", provider.distribution, provider.version), std::move(command),
         at == std::string::npos ? fmt::format("for this shell; it then comes before {}", parent_path(found.path))
                                 : ""});
  }
}

void tell(const Report& report, const MissingRelease& lack, Store& state, Finding& finding) {
  const auto answer = answer_of(report, *finding.object, lack.library);
  if (!answer) return;
  const auto& found = report.resolution.objects[*answer];
  const auto is = most_telling(found.path, state);
  const auto what = is ? fmt::format("{} {}", product_name(is->kind), is->version) : "another release";
  const auto since = lack.first.empty() ? fmt::format("{} was last seen in {}", lack.function, lack.last)
                                        : fmt::format("{} is first seen in {}", lack.function, lack.first);
  const auto clause = finding.message.find(", which nothing");
  finding.message =
      fmt::format("{}, and {} here is {}: {}", finding.message.substr(0, clause), lack.library, what, since);
  finding.evidence.push_back(
      {fmt::format("{} is {}{}", lack.library, what,
                   is && !is->built_for_cuda.empty() ? ", built for CUDA " + is->built_for_cuda : ""),
       found.path, Basis::proven, ""});
  finding.evidence.push_back({since + " of the releases of " + lack.library, "", Basis::table, lack.source});
  const auto runtimes = cuda_objects(report.resolution, CudaKind::cudart);
  const auto major = is && !is->built_for_cuda.empty() ? is->built_for_cuda.substr(0, is->built_for_cuda.find('.'))
                     : runtimes.size() == 1 ? std::to_string(report.resolution.objects[runtimes.front()].cuda->major)
                                            : "";
  add_fix(report, found, lack, major, state.images.files(), finding);
  finding.does_not_help.push_back(
      fmt::format("a symlink or another copy of the same release: {} is not in it", lack.function));
}

/// Whether a request found a library in LD_LIBRARY_PATH that comes before one that has what is missing. Then that is
/// told.
bool tell_shadowing(const Case& given, const MissingSymbol& missing, const Edge& edge, Finding& finding) {
  if (!edge.object || edge.rule != SearchRule::ld_library_path) return false;
  const auto other = next_in_search(given, missing.object, edge);
  if (other.empty() || !defines(given.store.images.open(other), missing, given.store)) return false;
  const auto& taken = given.report.resolution.objects[*edge.object].path;
  finding.evidence.push_back(
      {fmt::format("{} comes from LD_LIBRARY_PATH and lacks it", edge.name), taken, Basis::proven, ""});
  finding.evidence.push_back(
      {fmt::format("{} has it, and comes later in the search", other), other, Basis::proven, ""});
  std::vector<Fix> fixes{{"without LD_LIBRARY_PATH the library that has it is found", "unset LD_LIBRARY_PATH",
                          "for all libraries and programs of this shell"}};
  if (is_in_appimage(taken))
    fixes = {{"its start script sets LD_LIBRARY_PATH anew: load the library that has it first",
              fmt::format("export LD_PRELOAD={}${{LD_PRELOAD:+:$LD_PRELOAD}}", shell_word(other)),
              "for all programs of this shell"},
             {fmt::format("or unpack the AppImage (--appimage-extract), remove {} from it, and start its AppRun; "
                          "maintainer fix: leave that out",
                          file_name(taken)),
              "", ""}};
  finding.fixes.insert(finding.fixes.begin(), fixes.begin(), fixes.end());
  return true;
}

/// A symbol without a version may be meant to come from any library that the object needs.
void tell_variable(const Case& given, Finding& finding) {
  constexpr int most_compared = 16;
  if (given.loader == nullptr) return;
  const auto& report = given.report;
  int compared = 0;
  for (const auto& missing : report.symbols->missing) {
    if (missing.object != *finding.object || ++compared > most_compared) continue;
    for (const auto& edge : report.resolution.objects[missing.object].edges)
      if ((missing.version_file.empty() || edge.name == missing.version_file) &&
          tell_shadowing(given, missing, edge, finding))
        return;
  }
}

}  // namespace

void check_symbol_releases(const Case& given) {
  auto& report = given.report;
  auto& state = given.store;
  if (!report.symbols) return;
  const auto lacks = lacks_of(report);
  for (auto& finding : report.findings) {
    if (finding.code != "CUD201" || !finding.object) continue;
    if (const auto lack = lacks.find(*finding.object); lack != lacks.end()) tell(report, lack->second, state, finding);
    tell_variable(given, finding);
  }
}

}  // namespace cudald
