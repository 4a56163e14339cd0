// CUD121: a DLL whose compiler is newer than the C++ runtime that the process has. The rule is Microsoft's, and only
// the breach that is known to crash is told: std::mutex since toolset 14.40 (github.com/microsoft/STL, Changelog).

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include <cudald/image.h>
#include <cudald/pe_symbols.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "base/windows_path.h"
#include "binary/bytes/readers.h"
#include "check/findings/checks.h"
#include "check/fixes/windows_fixes.h"
#include "knowledge/windows_names.h"
#include "machine/windows_host.h"
#include "machine/windows_tree.h"

namespace cudald {
namespace {

constexpr int toolset = 14, first_with_constant_mutex = 40;
constexpr std::string_view runtime = "msvcp140.dll";

/// 29 of "14.29.30133.0"; nullopt of any other toolset.
std::optional<int> minor_of_runtime(const Image* image) {
  if (image == nullptr || !image->pe || !image->pe->file_version) return std::nullopt;
  const auto parts = split(*image->pe->file_version, ".");
  int minor = 0;
  if (parts.size() < 2 || parts[0] != std::to_string(toolset)) return std::nullopt;
  const auto read = std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), minor);
  return read.ec == std::errc() ? std::optional(minor) : std::nullopt;
}

/// Whether a file locks mutexes that none of its code sets up.
bool uses_constant_mutexes(const Object& object, ImageStore& images) {
  const auto file = images.files().open(object.path);
  if (!file) return false;
  Budget budget(limits_of_one_file);
  const auto symbols = read_pe_symbols(**file, *object.image, budget);
  if (!images.budget().add(budget)) return false;
  bool locks = false, sets_up = false;
  for (const auto& functions : symbols.imports)
    for (const auto& function : functions) {
      locks |= function.name == "_Mtx_lock";
      sets_up |= function.name == "_Mtx_init_in_situ";
    }
  return locks && !sets_up;
}

/// What there is of the runtime in the directory of Windows.
enum class Installed { unknown, answers, older, newer };

Installed installed_runtime(const Case& given, const Object& answering) {
  const auto* host = given.windows;
  if (host == nullptr || !host->has_files) return Installed::unknown;
  if (folded(windows_folder(answering.load_name)) == folded(host->system())) return Installed::answers;
  auto& images = given.store.images;
  const auto own = WindowsTree(images, *host).find(windows_join(host->system(), std::string(runtime)));
  const auto minor = own ? minor_of_runtime(images.open(*own).image.get()) : std::nullopt;
  return minor && *minor >= first_with_constant_mutex ? Installed::newer : Installed::older;
}

void add_fixes(const Case& given, const Object& object, const Object& dll, const std::string& linker,
               Finding& finding) {
  const auto installed = installed_runtime(given, dll);
  Fix move{"move the older copy out of the way, so that the one of Windows answers",
           fmt::format("ren {} {}", windows_word(dll.load_name),
                       windows_word(fmt::format("{}.off", windows_file_name(dll.load_name)))),
           ""};
  const auto later = added_later(std::string(runtime));
  if (later) {
    const auto command = command_for_machine(later->command, machine_name(given.report.resolution.machine));
    if (installed == Installed::answers) finding.fixes.push_back({"update the runtime of Windows", command, ""});
    if (installed == Installed::older) move.command = command + "\n" + move.command;
    if (installed != Installed::answers) finding.fixes.push_back(std::move(move));
    if (installed == Installed::unknown)
      finding.fixes.push_back({fmt::format("if the one of Windows is older than {} as well", linker), command, ""});
  }
  if (installed == Installed::answers && later) return;
  finding.fixes.push_back(
      {fmt::format("or import the package of {} before the one that brings the older copy", short_name(object)), "",
       ""});
}

void tell(const Case& given, ObjectId user, const Edge& edge) {
  auto& report = given.report;
  const auto& object = report.resolution.objects[user];
  const auto& dll = report.resolution.objects[*edge.object];
  const auto linker = fmt::format("{}.{}", object.image->pe->linker_major, object.image->pe->linker_minor);
  auto finding = make_finding("CUD121");
  finding.level = std::max(Level::warning, level_of_failure(report, report.resolution.targets[object.target]));
  finding.object = user;
  finding.subject = short_name(dll);
  finding.message =
      fmt::format("{} is built with Visual C++ {}, and the {} that is loaded, {}, is {}: std::mutex crashes",
                  short_name(object), linker, short_name(dll), dll.load_name, *dll.image->pe->file_version);
  finding.consequence = "Access violation in msvcp140.dll, or error 1114 if start-up code locks a mutex.";
  finding.evidence.push_back(
      {fmt::format("{} is linked with {}, and imports _Mtx_lock without _Mtx_init_in_situ", short_name(object), linker),
       object.path, Basis::proven, ""});
  finding.evidence.push_back(
      {fmt::format("the {} that answers is {}", short_name(dll), dll.load_name), dll.path, Basis::proven, ""});
  finding.evidence.push_back({"an older runtime expects a mutex that is set up", "", Basis::rule,
                              "github.com/microsoft/STL, Changelog, VS 2022 17.10"});
  add_fixes(given, object, dll, linker, finding);
  report.findings.push_back(std::move(finding));
}

}  // namespace

void check_windows_runtime(const Case& given) {
  auto& report = given.report;
  const auto& objects = report.resolution.objects;
  for (ObjectId id = 0; id < objects.size(); ++id) {
    const auto* facts = objects[id].image && objects[id].image->pe ? &*objects[id].image->pe : nullptr;
    if (facts == nullptr || facts->linker_major != toolset || facts->linker_minor < first_with_constant_mutex) continue;
    for (const auto& edge : objects[id].edges) {
      if (!edge.object || edge.kind != EdgeKind::import || folded(edge.name) != runtime) continue;
      const auto minor = minor_of_runtime(objects[*edge.object].image.get());
      if (minor && *minor < first_with_constant_mutex && uses_constant_mutexes(objects[id], given.store.images)) {
        tell(given, id, edge);
        return;  // one runtime answers all of them
      }
    }
  }
}

}  // namespace cudald
