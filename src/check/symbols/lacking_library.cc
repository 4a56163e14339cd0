// Of a function of C that nothing defines, which library should have it: C has no namespaces, but the functions of a
// library mostly begin alike, as H5Fopen and H5Pset_fapl_ros3.
#include <string_view>

#include <fmt/format.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "check/findings/checks.h"
#include "check/findings/lacking_library.h"
#include "check/findings/system_packages.h"
#include "check/fixes/driver_fixes.h"
#include "check/fixes/installer.h"
#include "check/fixes/patchelf_fix.h"
#include "package/version.h"

namespace cudald {
namespace {

void add_fixes(const Case& given, const Object& asker, const Object& library, Finding& finding) {
  if (library.image->source == ImageSource::driver || file_name(library.path).starts_with("libcuda.so")) {
    finding.fixes.push_back({"install a newer driver of NVIDIA: this one does not have that function yet", "", ""});
    return;
  }
  const Installer installer(given.report, asker, given.store.images.files());
  if (library.package)
    finding.fixes.push_back(
        {fmt::format("use a newer {}, or another build of it", library.package->name),
         installer.site().empty() ? "" : installer.install() + "--upgrade " + shell_word(library.package->name), ""});
  if (!asker.package || installer.site().empty()) {
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

void tell_lacking_library(const Case& given, Finding& finding) {
  const auto& objects = given.report.resolution.objects;
  const auto& asker = objects[*finding.object];
  const auto best = lacking_library(given, asker, finding.subject);
  if (!best) return;
  const auto& library = objects[best->object];
  finding.message += fmt::format(": {} has {}, and not this one", short_name(library), best->example);
  finding.evidence.push_back({fmt::format("{} needs {} and finds it here", short_name(asker), short_name(library)),
                              library.path, Basis::proven, ""});
  if (const auto real = given.store.images.files().real_path(library.path); real && *real != library.path)
    finding.evidence.push_back({"it is " + *real, "", Basis::proven, ""});
  add_fixes(given, asker, library, finding);
}

/// A name of std::__1, the namespace of the C++ library of Clang. Source: libc++, Design Docs, "ABI Guarantees".
bool is_of_libcxx(std::string_view name) { return name.find("St3__1") != std::string_view::npos; }

}  // namespace

void check_clang_library(const Case& given) {
  if (!given.report.symbols || !given.report.query.fixes) return;
  const std::string library = "libc++.so.1";
  for (auto& finding : given.report.findings) {
    if (finding.code != "CUD201" || !finding.object || !finding.fixes.empty() || !is_of_libcxx(finding.subject))
      continue;
    const auto& object = given.report.resolution.objects[*finding.object];
    finding.message += ": std::__1 is of libc++, the C++ library of Clang, with which it was not linked";
    finding.evidence.push_back({"it was compiled with -stdlib=libc++, and names no library that has std::__1", "",
                                Basis::rule, "libc++, Design Docs, ABI Guarantees"});
    auto install = SystemPackages(given.store.images).provider_of(library, true, false);
    auto link = patchelf_fix(fmt::format("make {} depend on {}, and install that", short_name(object), library),
                             {{object.path, FileEdit::Kind::add_needed, library}}, object, given.store.packages);
    if (!install.command.empty() && !install.only_searches) link.command = install.command + "\n" + link.command;
    finding.fixes.push_back(std::move(link));
    finding.fixes.push_back(
        {fmt::format("or link {} with clang++ -stdlib=libc++, which names the library", short_name(object)), "", ""});
  }
}

void check_lacking_libraries(const Case& given) {
  if (!given.report.symbols) return;
  for (auto& finding : given.report.findings)
    if (finding.code == "CUD201" && finding.object && finding.fixes.empty() && !finding.subject.starts_with("_Z"))
      tell_lacking_library(given, finding);
}

}  // namespace cudald
