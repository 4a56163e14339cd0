// Of a function of C that nothing defines, which library should have it: C has no namespaces, but the functions of a
// library mostly begin alike, as H5Fopen and H5Pset_fapl_ros3.
#include <string_view>

#include <fmt/format.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "check/findings/checks.h"
#include "check/findings/lacking_library.h"
#include "check/findings/system_packages.h"
#include "check/fixes/build_again.h"
#include "check/fixes/driver_fixes.h"
#include "check/fixes/host_of_module.h"
#include "check/fixes/installer.h"
#include "check/fixes/lua_module.h"
#include "check/fixes/package_releases.h"
#include "check/fixes/patchelf_fix.h"
#include "check/fixes/symbol_definers.h"
#include "check/fixes/system_copy.h"
#include "check/fixes/whereabouts.h"
#include "knowledge/linux_names.h"
#include "package/version.h"

namespace cudald {
namespace {

void add_fixes(const Case& given, const Object& asker, const Object& library, Finding& finding) {
  if (library.image->source == ImageSource::driver || file_name(library.path).starts_with("libcuda.so")) {
    finding.fixes.push_back({"install a newer driver of NVIDIA: this one does not have that function yet", "", ""});
    return;
  }
  if (const auto own = is_system_path(library.path) ? system_copy_of(given, asker) : ""; !own.empty()) {
    finding.evidence.push_back({fmt::format("{} has all that is used of {}, and goes with this {}", own,
                                            short_name(asker), short_name(library)),
                                own, Basis::proven, ""});
    finding.fixes.push_back({fmt::format("let the {} of the system load in its place", short_name(asker)),
                             fmt::format("export LD_PRELOAD={}${{LD_PRELOAD:+:$LD_PRELOAD}}", shell_word(own)),
                             "for all programs of this shell"});
  }
  const Installer installer(given.report, asker, given.store.images.files());
  if (library.package)
    finding.fixes.push_back(
        {fmt::format("use a newer {}, or another build of it", library.package->name),
         installer.site().empty() ? "" : installer.install() + "--upgrade " + shell_word(library.package->name), ""});
  if (!asker.package || installer.site().empty()) {
    // Of two files of the system one is of an earlier release: an upgrade stopped half-way, or took only some packages.
    const SystemPackages system(given.store.images);
    const bool of_system = is_of_package(asker.path, system) && is_of_package(library.path, system);
    if (const auto package = system.in_release_of(asker.path, library.path); !package.empty()) {
      finding.fixes.push_back({fmt::format("install {}, which is of the release of {}; this {} is of another", package,
                                           short_name(asker), file_name(library.path)),
                               system.install(package), ""});
      return;
    }
    if (of_system)
      finding.fixes.push_back({fmt::format("bring the packages of {} and {} to releases that go together",
                                           short_name(asker), file_name(library.path)),
                               system.upgrade_of(asker.path, library.path), ""});
    else
      finding.fixes.push_back(
          {fmt::format("use a newer {}, or another build that has it", file_name(library.path)), "", ""});
    return;
  }
  const auto& name = asker.package->name;
  finding.fixes.push_back({fmt::format("install {} again, in a build that contains its own {} or was made for this one",
                                       name, file_name(library.path)),
                           installer.install_again() + shell_word(name + "==" + without_local(asker.package->version)),
                           ""});
}

/// The name by which the asker got a library that is another release: "libicuuc.so.69", a link to libicuuc.so.70.1.
/// Empty if it asks for the library by its own name.
std::string other_name_of(const Object& asker, ObjectId library, const Object& loaded) {
  const auto& soname = loaded.image->soname;
  for (const auto& edge : asker.edges)
    if (edge.object == library && soname && edge.name != *soname && edge.name.find('/') == std::string::npos &&
        unversioned_name(edge.name) == unversioned_name(*soname))
      return edge.name;
  return "";
}

/// A link to another release was made for a library that is gone.
void tell_link(const Object& asker, const std::string& name, const Object& library, Finding& finding) {
  finding.message += fmt::format("; {} is a link to it, and another release: {}", name, *library.image->soname);
  finding.evidence.push_back({fmt::format("its soname is {}, not {}", *library.image->soname, name), library.path,
                              Basis::proven, "ld(1), -soname: another number is another ABI"});
  finding.fixes.push_back(
      {fmt::format("build or install {} again: it was made with another release of the library", short_name(asker)), "",
       ""});
  finding.does_not_help.push_back(
      fmt::format("the link {}: remove it, so that the real library can be installed", name));
}

/// Which program, or library of the program, a plug-in was made for: not the release of it that opens it.
void tell_host(const Case& given, const Object& asker, const LackingLibrary& lacking, Finding& finding) {
  const auto& host = given.report.resolution.objects[lacking.object];
  const auto name = short_name(asker), hosts = short_name(host);
  finding.message += fmt::format(
      ": {}, whose functions it uses, has {} and not this one: {} is made for another build "
      "or release of it",
      hosts, lacking.example, name);
  finding.evidence.push_back(
      {fmt::format("{} has functions that {} uses", host.path, name), host.path, Basis::proven, ""});
  for (const auto& other : in_other_installations(host.path, given.store.images)) {
    MissingSymbol missing;
    missing.name = finding.subject;
    if (!defines(given.store.images.open(other), missing, given.store)) continue;
    finding.message += ", such as " + other;
    finding.evidence.push_back({other + " has it", other, Basis::proven, ""});
    break;
  }
  const SystemPackages system(given.store.images);
  const auto& program = given.report.resolution.objects.front().path;
  for (auto& fix : other_lua(asker.path, host.path, program, given.store.images))
    finding.fixes.push_back(std::move(fix));
  if (auto again = build_again(asker.path, given.store))
    finding.fixes.push_back(*std::move(again));
  else if (const auto command = is_of_package(asker.path, system) ? system.again(asker.path) : ""; !command.empty())
    finding.fixes.push_back(
        {fmt::format("install the package of {} again, in the build for this {}", name, hosts), command, ""});
  finding.fixes.push_back({fmt::format("build {} with the headers of this {}, or install the build of it for that "
                                       "release; else use the {} that it was made for",
                                       name, hosts, hosts),
                           "", ""});
}

void tell_lacking_library(const Case& given, Finding& finding) {
  const auto& objects = given.report.resolution.objects;
  const auto& asker = objects[*finding.object];
  const auto best = lacking_library(given, asker, finding.subject);
  if (!best) {
    if (const auto host = lacking_host(given, asker, finding.subject)) tell_host(given, asker, *host, finding);
    return;
  }
  const auto& library = objects[best->object];
  finding.message += fmt::format(": {} has {}, and not this one", short_name(library), best->example);
  finding.evidence.push_back({fmt::format("{} needs {} and finds it here", short_name(asker), short_name(library)),
                              library.path, Basis::proven, ""});
  if (const auto real = given.store.images.files().real_path(library.path); real && *real != library.path)
    finding.evidence.push_back({"it is " + *real, "", Basis::proven, ""});
  if (const auto name = other_name_of(asker, best->object, library); !name.empty() && !asker.package)
    return tell_link(asker, name, library, finding);
  add_fixes(given, asker, library, finding);
}

/// A C++ library that a file was compiled for and is not linked with.
struct CxxLibrary {
  std::string name, called, link;
};

/// std::__1 is the namespace of libc++, std alone that of libstdc++. Sources: libc++, Design Docs, "ABI Guarantees";
/// Itanium C++ ABI, "Compression", St for std; libstdc++, config/abi/pre/gnu.ver.
std::optional<CxxLibrary> cxx_library_of(std::string_view symbol) {
  constexpr std::string_view beginnings[] = {
      "_ZNSt", "_ZNKSt", "_ZSt", "_ZTVSt", "_ZTISt", "_ZTSSt", "_ZTVN10__cxxabiv1", "__gxx_personality_v0"};
  if (symbol.find("St3__1") != std::string_view::npos)
    return CxxLibrary{"libc++.so.1", "libc++, the C++ library of Clang", "clang++ -stdlib=libc++"};
  if (std::any_of(std::begin(beginnings), std::end(beginnings), [&](auto each) { return symbol.starts_with(each); }))
    return CxxLibrary{"libstdc++.so.6", "libstdc++, the C++ library of GCC", "g++, or with -lstdc++"};
  return std::nullopt;
}

/// What makes a file depend on a library, installed first where the system has a package of it.
Fix dependence_on(const Case& given, const Object& object, const std::string& library) {
  const SystemPackages system(given.store.images);
  const auto known = system_fix(library, system, knowledge_of(given.report));
  const auto install = known ? *known : system.provider_of(library, true, false);
  auto link = patchelf_fix(fmt::format("make {} depend on {}, and install that", short_name(object), library),
                           {{object.path, FileEdit::Kind::add_needed, library}}, object, given.store.packages);
  if (!install.command.empty() && !install.only_searches) link.command = install.command + "\n" + link.command;
  return link;
}

/// A function of a library of C that nothing in the process is linked with, and that lies in no directory near it.
void tell_c_library(const Case& given, Finding& finding) {
  const auto known = c_library_with(finding.subject);
  const auto& report = given.report;
  const auto& object = report.resolution.objects[*finding.object];
  const auto& missing = report.symbols->missing;
  const bool versioned = std::any_of(missing.begin(), missing.end(), [&](const MissingSymbol& each) {
    return each.object == *finding.object && each.name == finding.subject && !each.version.empty();
  });
  if (!known || versioned || object.package) return;
  const auto library = SystemPackages(given.store.images).takes_debian_packages() ? known->library : known->other;
  if (std::any_of(report.resolution.objects.begin(), report.resolution.objects.end(), [&](const Object& each) {
        return unversioned_name(std::string(file_name(each.load_name))) == unversioned_name(library);
      }))
    return;
  finding.message +=
      fmt::format(": it is of {}, with which neither {} nor what loads it was linked", known->who, short_name(object));
  finding.evidence.push_back({"whose function that is", "", Basis::table, known->source});
  finding.fixes.push_back(dependence_on(given, object, library));
  finding.fixes.push_back({fmt::format("or build {} here, linked with {}", short_name(object), known->link), "", ""});
}

/// The library is there and lacks the name. glibc would have stopped at a version of the library before; musl knows no
/// versions. Source: github.com/openwrt/packages issues 20340 and 16773.
void tell_older_cxx_library(const Case& given, const Object& asker, const Object& loaded, Finding& finding) {
  const auto name = short_name(asker), library = short_name(loaded);
  if (loaded.known_by_name || !loaded.image) return;
  finding.message += fmt::format(": {} does not have it, so {} was built with a newer one", library, name);
  finding.evidence.push_back({library + " is here", loaded.path, Basis::proven, ""});
  const SystemPackages system(given.store.images);
  const auto upgrade = is_of_package(asker.path, system) ? system.upgrade_of(asker.path, loaded.path) : "";
  finding.fixes.push_back({fmt::format("bring {} and {} to releases that go together; or take a build of {} for this "
                                       "release of the system",
                                       name, library, name),
                           upgrade, ""});
}

}  // namespace

void check_cxx_libraries(const Case& given) {
  if (!given.report.symbols || !given.report.query.fixes) return;
  const auto& objects = given.report.resolution.objects;
  for (auto& finding : given.report.findings) {
    if (finding.code != "CUD201" || !finding.object || !finding.fixes.empty()) continue;
    const auto library = cxx_library_of(finding.subject);
    if (!library) {
      tell_c_library(given, finding);
      continue;
    }
    const auto loaded = std::find_if(objects.begin(), objects.end(), [&](const Object& object) {
      return file_name(object.load_name) == library->name;
    });
    const auto& object = objects[*finding.object];
    if (loaded != objects.end()) {
      tell_older_cxx_library(given, object, *loaded, finding);
      continue;
    }
    finding.message += fmt::format(": it is of {}, with which it was not linked", library->called);
    finding.evidence.push_back({"it names no library that has the symbol", "", Basis::proven, ""});
    finding.fixes.push_back(dependence_on(given, object, library->name));
    finding.fixes.push_back({fmt::format("or link {} with {}", short_name(object), library->link), "", ""});
  }
}

void check_lacking_libraries(const Case& given) {
  if (!given.report.symbols) return;
  for (auto& finding : given.report.findings)
    if (finding.code == "CUD201" && finding.object && finding.fixes.empty() && !finding.subject.starts_with("_Z"))
      tell_lacking_library(given, finding);
}

}  // namespace cudald
