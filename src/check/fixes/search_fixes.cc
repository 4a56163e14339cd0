#include "check/fixes/search_fixes.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "check/findings/system_packages.h"
#include "check/fixes/install_commands.h"
#include "check/fixes/patchelf_fix.h"
#include "check/fixes/wheel_recipe.h"
#include "machine/ld_so_conf.h"

namespace cudald {
namespace {

/// "/etc/ld-musl-x86_64.path" of /lib/ld-musl-x86_64.so.1; empty without a loader of musl.
std::string musl_path_file(const MissingLibrary& missing) {
  for (const auto& object : missing.report.resolution.objects) {
    if (!object.dynamic_loader) continue;
    const auto& loader = object.load_name;
    constexpr std::string_view end = ".so.1";
    const auto name = file_name(loader);
    if (!name.starts_with("ld-musl-") || !name.ends_with(end)) return "";
    std::string prefix(parent_path(parent_path(loader)));
    if (prefix == "/") prefix.clear();
    return fmt::format("{}/etc/{}.path", prefix, name.substr(0, name.size() - end.size()));
  }
  return "";
}

/// A file that is no link is in the cache by its soname alone, whatever it is called: libcuda.so of WSL, which is a
/// copy of libcuda.so.1. A link in a directory of the system, which is searched without the cache, has the other name.
std::optional<Fix> link_to_uncached(const MissingLibrary& missing, const std::string& path) {
  const auto& opened = missing.images.open(path);
  const auto real = missing.images.files().real_path(path);
  const bool is_link = real && file_name(*real) != file_name(path);
  if (is_link || !opened.image || !opened.image->soname || *opened.image->soname == missing.edge.name)
    return std::nullopt;
  const auto& probes = missing.edge.search.probes;
  const auto place = std::find_if(probes.begin(), probes.end(), [&](const Probe& probe) {
    return probe.rule == SearchRule::default_folder &&
           missing.images.folder_exists(std::string(parent_path(probe.path)));
  });
  if (place == probes.end() || missing.images.folder_exists("/sysroot/ostree")) return std::nullopt;
  return Fix{
      fmt::format("give it the name {} in a directory that the loader searches", missing.edge.name),
      SystemPackages(missing.images).as_root(fmt::format("ln -s {} {}", shell_word(path), shell_word(place->path))),
      ""};
}

/// Where `make install` puts libraries: Debian's list has /usr/local/lib and that of Fedora and many others does not,
/// and of /usr/lib64 it is the other way round. The cache has a library by its soname. Sources: GNU Coding Standards,
/// "Directory Variables"; ldconfig(8); ld.so(8), "FILES"; github.com/oracle/bpftune issue 11.
std::string add_to_conf(const MissingLibrary& missing, const std::string& path, const std::string& name) {
  constexpr std::uint64_t most_text = 1 << 16;
  const std::string folder(parent_path(path)), list = "/etc/ld.so.conf";
  const auto& opened = missing.images.open(path);
  constexpr std::string_view usual[] = {"/usr/local/lib", "/usr/local/lib64", "/usr/lib64"};
  if (std::find(std::begin(usual), std::end(usual), folder) == std::end(usual) || !opened.image) return "";
  if (const auto& soname = opened.image->soname; soname && *soname != name) return "";
  const auto text = read_file(missing.images.files(), list, most_text);
  const bool includes = text && text->find("ld.so.conf.d/*.conf") != std::string::npos;
  auto called = folder.substr(1);
  std::replace(called.begin(), called.end(), '/', '-');
  const auto file = includes ? "/etc/ld.so.conf.d/" + called + ".conf" : list;
  const SystemPackages system(missing.images);
  missing.finding.evidence.push_back({fmt::format("{} does not name {}", list, folder), list, Basis::proven, ""});
  missing.offer(
      {"name the directory to the loader, for all programs",
       fmt::format("echo {} | {} && {}", folder, system.as_root("tee -a " + file), system.as_root("ldconfig")),
       fmt::format("every program then finds what else is in {} as well", folder)});
  return missing.finding.fixes.back().command;
}

/// Makes a directory of the system part of each search; returns the command of root's that does: ldconfig was not run
/// since, or no list names the directory.
std::string add_system_search(const MissingLibrary& missing, const std::string& path) {
  if (missing.report.resolution.world.kind == WorldKind::tag) return "";
  const SystemPackages system(missing.images);
  const std::string folder(parent_path(path));
  if (missing.report.resolution.libc.kind == LibcKind::musl) {
    const auto list = musl_path_file(missing);
    if (list.empty() || !is_file(missing.images.files(), list)) return "";
    missing.finding.evidence.push_back({fmt::format("{} replaces the directories that musl searches by default, "
                                                    "/lib:/usr/local/lib:/usr/lib, and does not name {}",
                                                    list, folder),
                                        list, Basis::rule, "musl ldso/dynlink.c, load_library"});
    missing.offer({"name the directory there", system.as_root(fmt::format("echo {} >> {}", shell_word(folder), list)),
                   "a library that every program is to load goes into LD_PRELOAD"});
    return "";
  }
  const auto folders = read_ld_so_conf(missing.images.files());
  if (std::find(folders.begin(), folders.end(), folder) == folders.end())
    return add_to_conf(missing, path, missing.edge.name);
  if (auto link = link_to_uncached(missing, path)) {
    missing.finding.message +=
        fmt::format("; ldconfig enters it as {}, its soname", *missing.images.open(path).image->soname);
    missing.finding.evidence.push_back({fmt::format("{} is a file, not a link: ldconfig enters it by its soname, {}",
                                                    path, *missing.images.open(path).image->soname),
                                        path, Basis::rule, "glibc elf/ldconfig.c, search_dir"});
    missing.finding.does_not_help.push_back("ldconfig: it enters the file by its soname again");
    missing.offer(*std::move(link));
    return missing.finding.fixes.back().command;
  }
  missing.finding.evidence.push_back(
      {fmt::format("/etc/ld.so.conf names {}; /etc/ld.so.cache was written before the file was "
                   "there",
                   folder),
       "/etc/ld.so.conf", Basis::proven, ""});
  missing.offer({"write the loader's cache again", system.as_root("ldconfig"), ""});
  return missing.finding.fixes.back().command;
}

/// A loader that has a cache and directories of its own, as those of Gentoo Prefix, Nix and EESSI, finds nothing of the
/// system, and the system's libraries belong to its own C library.
bool add_own_prefix(const MissingLibrary& missing, const std::string& folder) {
  if (!is_system_path(folder + "/x")) return false;
  const auto& skipped = missing.edge.search.skipped;
  const auto own = std::find_if(skipped.begin(), skipped.end(), [](const SkippedRule& each) {
    return each.rule == SearchRule::cache && !each.value.empty();
  });
  const auto& objects = missing.report.resolution.objects;
  const auto loader =
      std::find_if(objects.begin(), objects.end(), [](const Object& object) { return object.dynamic_loader; });
  if (own == skipped.end() || loader == objects.end()) return false;
  missing.finding.message +=
      fmt::format("; {} has its own cache, {}, and not that of the system", loader->path, own->value);
  missing.finding.evidence.push_back(
      {fmt::format("{} names {}", loader->path, own->value), loader->path, Basis::proven, ""});
  missing.offer(
      {fmt::format("install {} where that loader looks, with what installed it and the program", missing.edge.name), "",
       ""});
  missing.finding.does_not_help.push_back("ldconfig: it writes /etc/ld.so.cache, which this loader does not read");
  missing.finding.does_not_help.push_back(fmt::format(
      "LD_LIBRARY_PATH={}: it has the C library of the system as well, which does not work with this loader", folder));
  return true;
}

}  // namespace

std::string add_path_fixes(const MissingLibrary& missing, const std::string& path) {
  const std::string folder(parent_path(path));
  if (add_own_prefix(missing, folder)) return "";
  auto for_all = add_system_search(missing, path);
  missing.offer({"for this shell only", export_search_path({shell_folder(folder)}, missing.installer().python()),
                 "every program started from it then prefers the libraries in that directory"});
  const std::string prefix(parent_path(folder));
  if (missing.images.folder_exists(prefix + "/conda-meta"))
    missing.offer(
        {"for this conda environment only, from its next activation on",
         fmt::format("conda env config vars set -p {} LD_LIBRARY_PATH={}", shell_word(prefix), shell_word(folder)),
         "every program in it then prefers the libraries in that directory"});
  // A file in an archive cannot be edited here, only by who makes the package.
  const auto site = std::string(PackageTree::site_packages) + "/";
  if (missing.packages.package_of(missing.requester.path) != nullptr) {
    if (!folder.starts_with(site)) return for_all;
    const auto edit = searched_directory(missing.requester, folder.substr(site.size()));
    if (!edit) return for_all;
    missing.offer(patchelf_fix("search its directory", {*edit}, missing.requester, missing.packages));
    missing.finding.fixes.back().side_effect = "it holds only where both packages are in one site-packages";
    return for_all;
  }
  // The program that imports has no path.
  if (!missing.requester.path.starts_with('/') || is_system_path(missing.requester.path)) return for_all;
  missing.offer(patchelf_fix("for this file only", {added_directory(missing.requester, folder)}, missing.requester,
                             missing.packages));
  return for_all;
}

}  // namespace cudald
