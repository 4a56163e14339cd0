// A symbol is missing, and the process does have a definition: in a file of another dlopen without RTLD_GLOBAL, in a
// file that is opened later, or in another version; or the symbol is one of glibc's, and the process is one of musl; or
// it is one of musl's, and this musl is older.
// Sources: dlopen(3), RTLD_LOCAL; glibc elf/dl-lookup.c, _dl_lookup_symbol_x and check_match; WHATSNEW of musl.

#include "check/fixes/other_definition.h"

#include <algorithm>

#include <fmt/format.h>

#include <cudald/image.h>

#include "audit/glibc_functions.h"
#include "base/path.h"
#include "check/findings/checks.h"
#include "check/findings/system_packages.h"
#include "check/fixes/build_again.h"
#include "check/fixes/patchelf_fix.h"

namespace cudald {
namespace {

/// The symbol that speaks for all: the first of which something is known.
const MissingSymbol& telling(const std::vector<const MissingSymbol*>& symbols) {
  const auto found = std::find_if(symbols.begin(), symbols.end(),
                                  [](const MissingSymbol* symbol) { return symbol->other.has_value(); });
  return found == symbols.end() ? *symbols.front() : **found;
}

const MissingSymbol* glibc_only(const Report& report, const std::vector<const MissingSymbol*>& symbols) {
  if (report.resolution.libc.kind != LibcKind::musl) return nullptr;
  const auto found = std::find_if(symbols.begin(), symbols.end(),
                                  [](const MissingSymbol* symbol) { return is_glibc_only(symbol->name); });
  return found == symbols.end() ? nullptr : *found;
}

/// The first of the symbols that came to musl with a release: the musl of the process is an earlier one.
const MissingSymbol* newer_in_musl(const Report& report, const std::vector<const MissingSymbol*>& symbols) {
  if (report.resolution.libc.kind != LibcKind::musl) return nullptr;
  const auto found = std::find_if(symbols.begin(), symbols.end(), [](const MissingSymbol* symbol) {
    return musl_release_of(symbol->name).has_value();
  });
  return found == symbols.end() ? nullptr : *found;
}

bool is_opened_later(const Report& report, const MissingSymbol& missing) {
  const auto& objects = report.resolution.objects;
  return objects[missing.other->object].target > objects[missing.object].target;
}

/// The request that brought the definition in: "./libmylib.so".
const Target& request_of(const Report& report, ObjectId id) {
  return report.resolution.targets[report.resolution.objects[id].target];
}

/// What the finding's file must name to get the definition into its search: soname, or the name that answered.
std::string needed_name(const Object& definer) {
  return definer.image->soname.value_or(std::string(file_name(definer.path)));
}

void add_scope_fixes(const Report& report, const MissingSymbol& missing, const PackageTree& packages,
                     Finding& finding) {
  const auto& object = report.resolution.objects[missing.object];
  const auto& definer = report.resolution.objects[missing.other->object];
  const auto name = needed_name(definer);
  if (packages.package_of(object.path) == nullptr)
    finding.fixes.push_back(
        patchelf_fix(fmt::format("make {} depend on {}: its own search then reaches it", short_name(object), name),
                     {{object.path, FileEdit::Kind::add_needed, name}}, object, packages));
  const auto& request = request_of(report, missing.other->object);
  const bool by_python = request.traits.asked_at.find(".py") != std::string::npos;
  finding.fixes.push_back(
      {by_python ? fmt::format("or open {} with mode=ctypes.RTLD_GLOBAL", file_name(request.given))
                 : fmt::format("or let the program open {} with RTLD_GLOBAL first", file_name(request.given)),
       "", "its symbols then count for everything that is opened later"});
  finding.fixes.push_back({fmt::format("maintainer fix: link {} with {}", short_name(object), name), "", ""});
}

/// An add-on of Node that was compiled elsewhere, and whose package has its source; node-gyp needs the tools for that.
/// Source: node-gyp, README, Installation; docker-library, node, Alpine.
void add_compiled_add_on(const std::string& path, Store& store, Finding& finding) {
  auto again = path.ends_with(".node") ? build_again(path, store) : std::nullopt;
  if (!again) return;
  const SystemPackages system(store.images);
  const auto tools = system.is("alpine") ? system.install("python3 make g++") : std::string();
  if (!tools.empty()) again->command.insert(0, tools + " && ");
  finding.fixes.push_back(*std::move(again));
}

void add_glibc_fixes(const Report& report, const MissingSymbol& missing, Store& store, Finding& finding) {
  auto& images = store.images;
  const auto name = short_name(report.resolution.objects[missing.object]);
  finding.evidence.push_back(
      {fmt::format("glibc defines {}, musl does not", missing.name), "", Basis::table, glibc_functions_source()});
  for (const auto& object : report.resolution.objects)
    if (file_name(object.path).starts_with("libgcompat.so"))
      finding.evidence.push_back(
          {"gcompat, which takes the place of glibc, is loaded and does not have it", object.path, Basis::proven, ""});
  add_compiled_add_on(report.resolution.objects[missing.object].path, store, finding);
  finding.fixes.push_back(
      {fmt::format("a build of {} for musl: rebuild it on Alpine, or install its musllinux build", name), "", ""});
  if (const auto package = alpine_package_of(missing.name)) {
    const SystemPackages system(images);
    finding.fixes.push_back({fmt::format("{} of Alpine {} provides {}: rebuild {} with -l{}", package->library,
                                         package->until.empty() ? "Linux" : "up to " + package->until, missing.name,
                                         name, package->library.substr(3)),
                             system.is_known() ? system.install(package->name) : "apk add " + package->name, ""});
  }
  finding.fixes.push_back({"or run it on an image with glibc, such as one of Debian", "", ""});
}

void add_newer_musl(const Report& report, const MissingSymbol& missing, ImageStore& images, Finding& finding) {
  const auto release = *musl_release_of(missing.name);
  const auto name = short_name(report.resolution.objects[missing.object]);
  finding.evidence.push_back(
      {fmt::format("musl has {} from {} on; Alpine has that from {} on", missing.name, release.musl, release.alpine),
       "", Basis::table, release.source});
  const SystemPackages system(images);
  const auto& archive = system.archive();
  Fix upgrade{fmt::format("run it on Alpine {} or later, as alpine:{}", release.alpine, release.alpine), "", ""};
  if (archive && archive->id == "alpine") {
    const auto number = archive->release.substr(0, archive->release.find('.', archive->release.find('.') + 1));
    upgrade.title += fmt::format("; this is {}. On an installed system, upgrade all packages", archive->release);
    upgrade.command =
        fmt::format("sed -i 's|/v{}/|/v{}/|' /etc/apk/repositories && apk update && apk upgrade --available", number,
                    release.alpine);
  }
  finding.fixes.push_back(std::move(upgrade));
  finding.fixes.push_back(
      {fmt::format("or a build of {} that was made with this musl, or an older one", name), "", ""});
}

/// The file was damaged by a tool, and nothing is found in it.
void tell_obstacle(const Report& report, const OtherDefinition& other, Finding& finding) {
  const auto& definer = report.resolution.objects[other.object];
  const bool no_names = other.obstacle == OtherDefinition::Obstacle::no_names;
  finding.evidence.push_back(
      {fmt::format("{} of {} {}: the loader finds none of its symbols", no_names ? "DT_STRTAB" : "the hash table",
                   definer.path, no_names ? "holds zeros where names belong" : "has no buckets"),
       definer.path, Basis::proven, ""});
  finding.fixes.push_back(
      {fmt::format("install or build {} again, without the tool that removed {} from it (strip, objcopy "
                   "--remove-section)",
                   short_name(definer), no_names ? ".dynstr" : ".gnu.hash or .hash"),
       "", ""});
}

}  // namespace

std::string who_defines(const Report& report, const std::vector<const MissingSymbol*>& symbols) {
  const auto& missing = telling(symbols);
  const bool one = symbols.size() == 1;
  const auto which = [&](const MissingSymbol& symbol) {
    return one ? std::string("which") : "among them " + symbol.name + ", which";
  };
  if (missing.other) {
    const auto definer = short_name(report.resolution.objects[missing.other->object]);
    if (missing.other->obstacle == OtherDefinition::Obstacle::no_names)
      return which(missing) + " nothing defines; the symbols of " + definer + " have lost their names";
    const auto beginning = which(missing) + " " + definer + " defines";
    if (missing.other->obstacle == OtherDefinition::Obstacle::no_hash_table)
      return beginning + ", but the hash table of that file is empty";
    if (missing.other->in_scope)
      return beginning + (missing.other->version.empty() ? " only without a version"
                                                         : " only in version " + missing.other->version);
    return beginning + (is_opened_later(report, missing) ? ", but that is opened later"
                                                         : ", but in a local scope: it was opened without RTLD_GLOBAL");
  }
  if (const auto* of_glibc = glibc_only(report, symbols))
    return (one ? "" : "among them " + of_glibc->name + ", ") +
           std::string("a function of glibc that musl does not have");
  if (const auto* newer = newer_in_musl(report, symbols))
    return (one ? "which" : "among them " + newer->name + ", which") +
           fmt::format(" musl has from {} on: the musl here is older", musl_release_of(newer->name)->musl);
  return "which nothing in the process defines";
}

void add_other_definition(const Report& report, const std::vector<const MissingSymbol*>& symbols, Store& store,
                          Finding& finding) {
  const auto& missing = telling(symbols);
  if (missing.other) {
    const auto& definer = report.resolution.objects[missing.other->object];
    if (missing.other->obstacle != OtherDefinition::Obstacle::none)
      return tell_obstacle(report, *missing.other, finding);
    if (missing.other->in_scope) {
      finding.evidence.push_back(
          {fmt::format("{} defines {}{}", definer.path, missing.name,
                       missing.other->version.empty() ? " without a version" : " in version " + missing.other->version),
           definer.path, Basis::proven, ""});
      return;
    }
    const auto& request = request_of(report, missing.other->object);
    finding.evidence.push_back({fmt::format("{} defines {}; the dlopen of {} loaded it, with RTLD_LOCAL", definer.path,
                                            missing.name, request.given),
                                definer.path, Basis::proven, ""});
    finding.evidence.push_back(
        {"symbols of a local scope count only for what the same dlopen loads, and for files that "
         "depend on it",
         "", Basis::rule, "dlopen(3), RTLD_LOCAL"});
    add_scope_fixes(report, missing, store.packages, finding);
  } else if (const auto* of_glibc = glibc_only(report, symbols)) {
    add_glibc_fixes(report, *of_glibc, store, finding);
  } else if (const auto* newer = newer_in_musl(report, symbols)) {
    add_newer_musl(report, *newer, store.images, finding);
  }
}

}  // namespace cudald
