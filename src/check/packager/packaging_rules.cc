#include <elf.h>

#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/cuda_library.h>
#include <cudald/gpu_code.h>
#include <cudald/image.h>
#include <cudald/policy.h>

#include "audit/policy.h"
#include "base/extension_suffix.h"
#include "base/path.h"
#include "base/version_order.h"
#include "base/wildcard.h"
#include "binary/elf/symbol_table.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "knowledge/stable_abi.h"
#include "package/dist_info.h"
#include "package/site_packages.h"
#include "package/wheel_tags.h"

namespace cudald {
namespace {

/// What a rule sees: the case, and the objects that belong to what was asked about.
struct Wish {
  const Case& given;
  const Policy& policy;
  std::vector<ObjectId> own;

  const Object& object(ObjectId id) const { return given.report.resolution.objects[id]; }
  bool is_own(ObjectId id) const { return std::find(own.begin(), own.end(), id) != own.end(); }
};

/// The package that a target is; nullptr if it is none.
const Package* package_of(const Case& given, const Target& target) {
  const auto path = absolute_path(target.given, package_folder(given.report.query));
  for (const auto& package : given.store.packages.packages())
    if (package.archive == path) return &package;
  return nullptr;
}

/// The files of the targets: those of a package, of the packages that an import is about, and targets themselves.
std::vector<ObjectId> own_objects(const Case& given) {
  const auto& resolution = given.report.resolution;
  std::set<const Package*> packages;
  std::vector<std::string> folders;
  for (const auto* target : own_targets(given.report))
    if (const auto* package = package_of(given, *target)) packages.insert(package);
  if (packages.empty())
    for (const auto& import : resolution.imports)
      for (const auto& package : import.packages)
        if (package.name == import.module.substr(0, import.module.find('.')) && !package.folder.empty())
          folders.push_back(package.folder);
  std::vector<ObjectId> own;
  for (ObjectId id = 0; id < resolution.objects.size(); ++id) {
    const auto& object = resolution.objects[id];
    if (object.known_by_name || !object.image) continue;
    const auto* package = given.store.packages.package_of(object.path);
    const bool in_folder = std::any_of(folders.begin(), folders.end(),
                                       [&](const std::string& folder) { return object.path.starts_with(folder); });
    const bool is_target = std::any_of(resolution.targets.begin(), resolution.targets.end(),
                                       [&](const Target& each) { return each.object == id && !each.part_of; });
    if ((package != nullptr && packages.contains(package)) || in_folder || is_target) own.push_back(id);
  }
  return own;
}

Finding& add(const Wish& wish, std::string_view code, std::optional<ObjectId> object, std::string subject,
             std::string message) {
  auto finding = make_finding(code);
  finding.object = object;
  finding.subject = std::move(subject);
  finding.message = std::move(message);
  auto& findings = wish.given.report.findings;
  return findings.emplace_back(std::move(finding));
}

Evidence proven(std::string text, const Object& object) { return {std::move(text), object.path, Basis::proven, ""}; }

/// Files that need a newer version node with this prefix than is allowed: one finding for each.
void compare_versions(const Wish& wish, std::string_view code, std::string_view prefix, const std::string& most,
                      std::string_view library) {
  if (most.empty()) return;
  const auto limit = std::string(prefix) + most;
  for (const auto id : wish.own) {
    std::string newest;
    for (const auto& need : wish.object(id).image->elf.version_needs)
      for (const auto& version : need.versions) {
        const bool digits = version.name.size() > prefix.size() && version.name[prefix.size()] >= '0' &&
                            version.name[prefix.size()] <= '9';
        if (!version.weak && digits && version.name.starts_with(prefix) && version_less(newest, version.name))
          newest = version.name;
      }
    if (newest.empty() || !version_less(limit, newest)) continue;
    auto& finding = add(wish, code, id, newest,
                        fmt::format("{} needs {}, and no newer {} than {} is allowed", short_name(wish.object(id)),
                                    newest, library, limit));
    finding.evidence.push_back(proven(fmt::format("its version needs name {}", newest), wish.object(id)));
    finding.fixes.push_back({fmt::format("build it in an image that has {} {} or older", library, most), "", ""});
  }
}

void check_glibc(const Wish& wish) { compare_versions(wish, "CUD701", "GLIBC_", wish.policy.max_glibc, "glibc"); }

void check_glibcxx(const Wish& wish) {
  compare_versions(wish, "CUD702", "GLIBCXX_", wish.policy.max_glibcxx, "libstdc++");
}

void check_outside(const Wish& wish) {
  if (!wish.policy.allowed_libraries) return;
  std::set<std::string> told;
  for (const auto id : wish.own)
    for (const auto& edge : wish.object(id).edges) {
      const bool from_file = edge.kind == EdgeKind::needed || edge.kind == EdgeKind::import;
      if (!from_file || (edge.object && wish.is_own(*edge.object))) continue;
      if (matches_any(edge.name, *wish.policy.allowed_libraries) || !told.insert(edge.name).second) continue;
      add(wish, "CUD703", id, edge.name,
          fmt::format("{} needs {}, which is not one of the libraries that may come from outside",
                      short_name(wish.object(id)), edge.name))
          .evidence.push_back(proven("it is in its list of needed libraries", wish.object(id)));
    }
}

void check_rpaths(const Wish& wish) {
  for (const auto id : wish.own) {
    const auto& elf = wish.object(id).image->elf;
    const bool by_runpath = elf.runpath.has_value();
    const auto& list = by_runpath ? elf.runpath : elf.rpath;
    if (!list) continue;
    for (const auto element : split(*list, ":")) {
      const bool absolute = wish.policy.forbid_absolute_rpath && element.starts_with('/');
      if (!absolute && !matches_any(element, wish.policy.forbidden_rpath)) continue;
      auto& finding = add(wish, "CUD704", id, std::string(element),
                          fmt::format("the {} of {} names {}, which is forbidden",
                                      by_runpath ? "DT_RUNPATH" : "DT_RPATH", short_name(wish.object(id)), element));
      finding.evidence.push_back(proven(fmt::format("it is \"{}\"", *list), wish.object(id)));
      finding.fixes.push_back({"name directories relative to the file: $ORIGIN", "", ""});
      break;
    }
  }
}

void check_gpus(const Wish& wish) {
  if (!wish.policy.reads_gpu_code()) return;
  bool any_code = false;
  for (const auto id : wish.own) {
    const auto code = wish.object(id).gpu;
    if (!code || code->empty()) continue;
    any_code = true;
    for (const auto gpu : wish.policy.required_gpus) {
      const bool runs = std::any_of(code->sass.begin(), code->sass.end(),
                                    [&](const auto& e) { return sass_runs_on(e.first, gpu); }) ||
                        std::any_of(code->ptx.begin(), code->ptx.end(),
                                    [&](const auto& e) { return ptx_compiles_for(e.first, gpu); });
      if (!runs)
        add(wish, "CUD705", id, to_string(gpu),
            fmt::format("{} has no code that runs on {}, which is required", short_name(wish.object(id)),
                        to_string(gpu)));
    }
    for (const auto gpu : wish.policy.forbidden_gpus)
      if (code->sass.contains(gpu) || code->ptx.contains(gpu))
        add(wish, "CUD706", id, to_string(gpu),
            fmt::format("{} has code for {}, which is forbidden", short_name(wish.object(id)), to_string(gpu)));
  }
  if (!any_code && !wish.policy.required_gpus.empty())
    add(wish, "CUD705", std::nullopt, to_string(wish.policy.required_gpus.front()),
        fmt::format("nothing here has code for GPUs, and code for {} is required",
                    to_string(wish.policy.required_gpus.front())));
}

void check_driver_floor(const Wish& wish) {
  if (wish.policy.max_driver.empty()) return;
  const auto& report = wish.given.report;
  std::set<std::string> releases;
  for (const auto id : all_runtimes(report.resolution)) releases.insert(wish.object(id).cuda->version);
  releases.insert(cuda_of(report.resolution.world));
  for (const auto& release : releases) {
    const auto need = release.empty() ? std::nullopt : knowledge_of(report).least_driver(release, platform_of(report));
    if (!need || !version_less(wish.policy.max_driver, need->version)) continue;
    add(wish, "CUD707", std::nullopt, need->version,
        fmt::format("CUDA {} needs driver {} or newer, and no newer one than {} may be needed", release, need->version,
                    wish.policy.max_driver));
  }
}

void check_bundled(const Wish& wish) {
  if (!wish.policy.forbid_bundled_cuda) return;
  for (const auto id : wish.own) {
    const auto& object = wish.object(id);
    if (!object.cuda) continue;
    add(wish, "CUD502", id, std::string(product_name(object.cuda->kind)),
        fmt::format("{} {} {}{}{}", short_name(object), object.cuda->is_static ? "holds a linked-in" : "is NVIDIA's",
                    product_name(object.cuda->kind), object.cuda->version.empty() ? "" : " ", object.cuda->version));
  }
}

void check_stack(const Wish& wish) {
  if (!wish.policy.forbid_executable_stack) return;
  for (const auto id : wish.own) {
    const auto& image = *wish.object(id).image;
    // Without a word the stack of x86 is executable (glibc, DEFAULT_STACK_PERMS).
    const bool usual = image.machine == EM_X86_64 || image.machine == EM_386;
    if (!is_elf(image) || !image.elf.executable_stack.value_or(usual)) continue;
    auto& finding = add(wish, "CUD708", id, short_name(wish.object(id)),
                        fmt::format("{} makes the stack executable", short_name(wish.object(id))));
    finding.evidence.push_back(proven(image.elf.executable_stack ? "its PT_GNU_STACK has the flag for execution"
                                                                 : "it has no PT_GNU_STACK, which means the same",
                                      wish.object(id)));
    finding.consequence = "From glibc 2.41 on a dlopen of it fails: cannot enable executable stack.";
  }
}

void check_text_relocations(const Wish& wish) {
  if (!wish.policy.forbid_text_relocations) return;
  for (const auto id : wish.own)
    if (wish.object(id).image->elf.text_relocations)
      add(wish, "CUD709", id, short_name(wish.object(id)),
          fmt::format("{} has text relocations: its code is written to when it is loaded", short_name(wish.object(id))))
          .evidence.push_back(proven("DT_TEXTREL or DF_TEXTREL is set", wish.object(id)));
}

/// The tags of the wheel that a file is of, or was installed from; none if they are not known.
PackageTags tags_of_file(const Wish& wish, const Object& object) {
  if (const auto* package = wish.given.store.packages.package_of(object.path)) return tags_of(*package);
  const auto site = site_packages_of(object.path);
  if (site.empty() || !object.package) return {};
  Package installed;
  installed.tags = installed_wheel_tags(wish.given.store.images.files(), site, object.package->name);
  return tags_of(installed);
}

/// "3.8", the oldest Python that tags with abi3, or abi3t, claim; empty if they claim none.
std::string oldest_python(const PackageTags& tags) {
  std::string oldest;
  for (const auto& tag : tags.python)
    if (tag.starts_with("cp3") && tag.size() > 3) {
      const auto version = "3." + tag.substr(3);
      if (oldest.empty() || version_less(version, oldest)) oldest = version;
    }
  return oldest;
}

/// Whether a file of that name claims the stable ABI where the tag of its wheel does.
bool claims_as_tagged(std::string_view path) {
  return path.ends_with(".so") && path.find(".cpython-") == std::string_view::npos &&
         path.find(".so.") == std::string_view::npos;
}

bool is_stable(const PackageTags& tags) {
  return !tags.abi.empty() && std::all_of(tags.abi.begin(), tags.abi.end(), is_stable_abi_tag);
}

void check_abi3(const Wish& wish) {
  if (!wish.policy.check_abi3) return;
  for (const auto id : wish.own) {
    const auto& object = wish.object(id);
    // A module claims it by its own name, as Python knows it, or by that tag, which is read where it counts.
    const bool by_name = has_stable_abi_suffix(object.path);
    if (!is_elf(*object.image) || (!by_name && !claims_as_tagged(object.path))) continue;
    const auto tags = tags_of_file(wish, object);
    if (!by_name && !is_stable(tags)) continue;
    const auto python = oldest_python(tags);
    // Of what is installed without a record of its tags nobody knows for which Python it was made.
    const bool promises = !tags.python.empty() || site_packages_of(object.path).empty();
    std::set<std::string> unstable, later;
    wish.given.store.symbols.get(object)->visit_all([&](std::string_view name, std::uint16_t, bool defined) {
      if (defined) return;
      const auto answer = abi_standing(name, python);
      if (answer.standing == AbiStanding::private_) unstable.emplace(name);
      if (answer.standing == AbiStanding::later && promises) later.insert(fmt::format("{} ({})", name, answer.since));
    });
    if (unstable.empty() && later.empty()) continue;
    const auto& first = unstable.empty() ? *later.begin() : *unstable.begin();
    const auto others = unstable.size() + later.size() - 1;
    auto& finding = add(wish, "CUD510", id, first,
                        fmt::format("{} claims the stable ABI{}, and uses {}{}, which {} {}", short_name(object),
                                    python.empty() ? "" : " of Python " + python, first,
                                    others == 0 ? "" : fmt::format(" and {} more", others), others == 0 ? "is" : "are",
                                    unstable.empty() ? "only in that of later releases" : "no part of it"));
    if (!unstable.empty())
      finding.evidence.push_back(proven(fmt::format("no part of it: {}", fmt::join(unstable, ", ")), object));
    if (!later.empty())
      finding.evidence.push_back(
          proven(fmt::format("only from a later release on: {}", fmt::join(later, ", ")), object));
    finding.evidence.push_back({"what is part of it, and since when", "", Basis::table, stable_abi_source()});
    finding.consequence = "Its import fails in a Python that does not have these functions.";
  }
}

}  // namespace

void check_packaging_rules(const Case& given) {
  const Wish wish{given, given.report.query.policy, own_objects(given)};
  for (const auto rule : {check_glibc, check_glibcxx, check_outside, check_rpaths, check_gpus, check_driver_floor,
                          check_bundled, check_stack, check_text_relocations, check_abi3})
    rule(wish);
}

}  // namespace cudald
