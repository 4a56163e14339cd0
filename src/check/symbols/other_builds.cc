#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/budget.h"
#include "base/demangler.h"
#include "base/listed.h"
#include "base/replace_all.h"
#include "base/shell_word.h"
#include "binary/elf/symbol_table.h"
#include "check/findings/checks.h"
#include "check/findings/system_packages.h"
#include "check/fixes/build_again.h"
#include "check/fixes/build_fixes.h"
#include "check/fixes/install_commands.h"
#include "check/fixes/installer.h"
#include "check/fixes/patchelf_fix.h"
#include "knowledge/frameworks.h"
#include "package/dist_info.h"
#include "package/version.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

constexpr std::size_t most_compared = 64;  ///< of the functions that an object lacks
constexpr std::size_t most_told = 3;       ///< libraries

/// A function of C++ that is missing, and by what others are known that are called like it.
struct Wanted {
  const MissingSymbol* symbol = nullptr;
  std::string beginning;  ///< mangled, up to where arguments of templates, or the function's own, may begin
  std::string readable;
};

/// What a library has in place of functions that are missing.
struct Substitutes {
  std::set<std::string_view> other_text;  ///< the names that are missing, of those there are for the other std::string
  std::vector<std::string> changed;       ///< functions of the same names with other parameters
  std::size_t of_namespace = 0;           ///< functions of the same namespace
};

/// "_ZN3c105Error" of _ZN3c105ErrorC2ENS_14SourceLocationESs, with how many names it holds. Source: Itanium C++ ABI,
/// "Mangling": <nested-name>, <source-name>.
std::pair<std::string_view, int> beginning_of(std::string_view mangled, int most_names) {
  if (!mangled.starts_with("_Z")) return {"", 0};
  std::size_t at = mangled.starts_with("_ZN") ? 3 : 2;
  while (at > 2 && at < mangled.size() && std::string_view("rVKRO").find(mangled[at]) != std::string_view::npos) ++at;
  int names = 0;
  while (names < most_names && at < mangled.size() && is_digit(mangled[at])) {
    std::size_t length = 0, digit = at;
    for (; digit < mangled.size() && is_digit(mangled[digit]) && length < mangled.size(); ++digit)
      length = 10 * length + static_cast<std::size_t>(mangled[digit] - '0');
    if (length == 0 || length > mangled.size() - digit) break;
    at = digit + length;
    ++names;
    if (!mangled.starts_with("_ZN")) break;
  }
  return {mangled.substr(0, at), names};
}

/// The same for both kinds of std::string. Source: GCC, libstdc++ manual, "Dual ABI".
std::string without_text_kind(std::string readable) {
  replace_all(readable, "[abi:cxx11]", "");
  replace_all(readable, "std::__cxx11::", "std::");
  replace_all(readable, "std::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string");
  return readable;
}

bool is_of_new_text(std::string_view mangled) { return mangled.find("cxx11") != std::string_view::npos; }

/// "c10::Error::Error" of "c10::Error::Error(c10::SourceLocation, std::string)".
std::string_view function_name(std::string_view readable) {
  constexpr std::string_view sign = "operator";
  int depth = 0;
  for (std::size_t at = 0; at < readable.size(); ++at) {
    // No brackets of a template: operator<, operator-> and the like.
    if (readable.substr(at).starts_with(sign))
      at = std::min(readable.find_first_not_of("<>-=", at + sign.size()), readable.size() - 1);
    if (readable[at] == '<') ++depth;
    if (readable[at] == '>') --depth;
    if (readable[at] == '(' && depth == 0 && at > 0 && !readable.substr(at).starts_with("(anonymous")) {
      if (readable.substr(0, at).ends_with("operator")) continue;
      return readable.substr(0, at);
    }
  }
  return readable;
}

/// What may be spent on comparing what is missing with what libraries have.
class Comparisons {
 public:
  /// The names of the libraries, and comparisons of names, in eights.
  bool affords(std::uint64_t steps) { return budget_.step(steps); }
  std::string readable(const std::string& mangled) { return demangler_(mangled); }

 private:
  Budget budget_{CostLimits{.steps = 40'000'000}};
  Demangler demangler_;
};

void compare(const Wanted& wanted, std::string_view other, Comparisons& comparisons, Substitutes& found) {
  constexpr std::uint64_t comparison = 500;
  constexpr std::size_t longest = 8192;  // names that are written out for people, and compared as texts
  if (other == wanted.symbol->name || wanted.readable.size() > longest || !comparisons.affords(comparison)) return;
  const auto readable = comparisons.readable(std::string(other));
  if (readable.empty() || readable.size() > longest || readable == wanted.readable ||
      !comparisons.affords(readable.size() + wanted.readable.size()))
    return;
  const auto same = without_text_kind(wanted.readable), candidate = without_text_kind(readable);
  if (same == candidate && is_of_new_text(other) != is_of_new_text(wanted.symbol->name))
    found.other_text.insert(wanted.symbol->name);
  else if (function_name(same) == function_name(candidate) && found.changed.size() < most_compared)
    found.changed.push_back(readable);
}

Substitutes substitutes_in(const SymbolTable& table, const std::vector<Wanted>& all, Comparisons& comparisons) {
  Substitutes found;
  const auto top = beginning_of(all.front().symbol->name, 1).first;
  table.visit_all([&](std::string_view name, std::uint16_t, bool defined) {
    if (!defined || !name.starts_with("_Z") || !comparisons.affords(1 + all.size() / 8)) return;
    found.of_namespace += name.starts_with(top) ? 1 : 0;
    for (const auto& wanted : all)
      if (name.starts_with(wanted.beginning)) compare(wanted, name, comparisons, found);
  });
  return found;
}

std::vector<Wanted> wanted_by(const Report& report, ObjectId object, Comparisons& comparisons) {
  std::vector<Wanted> all;
  if (!comparisons.affords(report.symbols->missing.size())) return all;
  for (const auto& missing : report.symbols->missing) {
    const auto [beginning, names] = beginning_of(missing.name, 16);
    if (missing.object != object || names == 0 || all.size() >= most_compared) continue;
    all.push_back({&missing, std::string(beginning), comparisons.readable(missing.name)});
  }
  return all;
}

std::string with_package(const Object& object) {
  return short_name(object) +
         (object.package ? fmt::format(" of {} {}", object.package->name, object.package->version) : "");
}

/// "2.4" of "2.8.3+cu12torch2.4cxx11abiTRUE" and of "2.1.2+pt24cu121", as extensions say in their local version which
/// release of a framework they were compiled against; empty if it says none.
std::string stated_release(std::string_view version, const FrameworkPackage& framework) {
  const auto local = version.substr(std::min(version.find('+'), version.size()));
  for (const auto& mark : framework.marks) {
    const auto at = local.find(mark);
    if (at == std::string_view::npos) continue;
    const auto rest = local.substr(at + mark.size());
    std::string release(rest.substr(0, std::min(rest.find_first_not_of("0123456789."), rest.size())));
    if (release.size() > 1 && release.find('.') == std::string::npos) release.insert(1, ".");
    return release;
  }
  return "";
}

void add_stated_release(const Object& object, const Object& other, const Installer& installer, Finding& finding) {
  const auto* framework = other.package ? framework_of_distribution(other.package->name) : nullptr;
  if (!object.package || framework == nullptr || installer.site().empty()) return;
  const auto stated = stated_release(object.package->version, *framework);
  if (stated.empty() || (other.package->version + ".").starts_with(stated + ".")) return;
  const auto& name = other.package->name;
  finding.evidence.push_back({fmt::format("{} {} says that it was compiled against {} {}", object.package->name,
                                          object.package->version, name, stated),
                              "", Basis::proven, ""});
  finding.fixes.push_back({fmt::format("the {} that {} says it is made for", name, object.package->name),
                           installer.install() + shell_word(name + "==" + stated + ".*"), ""});
}

/// The setting of the compiler that gives an object the kind of std::string that another library has.
Fix compiled_with_other_text(const Object& object, const Object& other, bool own_is_new) {
  return {fmt::format("compile {} with the kind of std::string that {} has: -D_GLIBCXX_USE_CXX11_ABI={}",
                      short_name(object), with_package(other), own_is_new ? 0 : 1),
          "", fmt::format("or {} with -D_GLIBCXX_USE_CXX11_ABI={}", short_name(other), own_is_new ? 1 : 0)};
}

/// Whether a package came compiled from an index, where each release has its own build.
bool is_from_index(const PackageName& package, const Installer& installer, const FileSystem& files) {
  const auto tags = installed_wheel_tags(files, installer.site(), package.name);
  return std::any_of(tags.begin(), tags.end(),
                     [](const std::string& tag) { return tag.find("-manylinux") != std::string::npos; });
}

/// What belongs to an object anew: it, compiled against what is there.
Fix compiled_again(const Case& given, const Object& object, const Object& other, const Installer& installer) {
  const auto& report = given.report;
  const auto against = other.package ? other.package->name + " " + other.package->version : short_name(other);
  if (!object.package || installer.site().empty()) {
    if (auto again = build_again(object.path, given.store)) return *std::move(again);
    // Of two files of the system one is of an earlier release: an upgrade stopped half-way, or took only some packages.
    const SystemPackages system(given.store.images);
    const bool of_system = is_of_package(object.path, system) && is_of_package(other.path, system);
    if (auto upgrade = of_system ? system.upgrade_of(object.path, other.path) : ""; !upgrade.empty())
      return {fmt::format("bring the packages of {} and {} to releases that go together", short_name(object), against),
              std::move(upgrade), ""};
    return {fmt::format("a build of {} that was compiled against {}{}", short_name(object), against,
                        object.path.ends_with(".node") ? ": npm rebuild, or electron-rebuild for Electron" : ""),
            "", ""};
  }
  if (other.package) {
    const auto framework = framework_with_builds(report);
    const bool same = framework && normal_distribution_name(other.package->name) == framework->name;
    return made_for_framework(*object.package, other.package->name, other.package->version, same ? framework->cuda : "",
                              installer);
  }
  const auto& name = object.package->name;
  const auto release = name + "==" + without_local(object.package->version);
  return {fmt::format("{} compiled from its source against the {} that is installed", name, against),
          fmt::format("{}--no-build-isolation --no-binary {} {}", installer.install_again(), shell_word(name),
                      shell_word(release)),
          "if its source is in the index; with GPU code it takes nvcc, and long"};
}

/// Two packages of conda: its solver chooses builds that fit.
bool add_conda_update(const Case& given, const Object& object, const Object& other, Finding& finding) {
  auto& installed = given.store.installed;
  if (!object.package || !other.package || !installed.is_of_conda(object.path) || !installed.is_of_conda(other.path))
    return false;
  const auto &own = object.package->name, &its = other.package->name;
  finding.fixes.push_back(
      {fmt::format("use newer builds of {} and {}, which go together", own, its),
       fmt::format("conda update -p {} {} {}", shell_word(conda_prefix_around(object.path, given.store.images)),
                   shell_word(own), shell_word(its)),
       fmt::format("if there is one after {} {} or {} {}", own, object.package->version, its, other.package->version)});
  return true;
}

/// Two packages of an index, of which one is no framework that others are compiled against: their releases fit.
void add_fitting_build(const Case& given, const Object& object, const Object& other, const Installer& installer,
                       Finding& finding) {
  if (add_conda_update(given, object, other, finding)) return;
  const bool released = object.package && other.package && !installer.site().empty() &&
                        framework_of_distribution(other.package->name) == nullptr &&
                        is_from_index(*object.package, installer, given.store.images.files());
  if (released) finding.fixes.push_back(installer.newest_of(*object.package, *other.package));
  finding.fixes.push_back(compiled_again(given, object, other, installer));
}

/// A library of the process that has something in place of what is missing.
struct OtherBuild {
  ObjectId object{};
  Substitutes found;
};

void tell_other_text(const Report& report, const std::vector<Wanted>& all, const std::vector<OtherBuild>& libraries,
                     Finding& finding) {
  const auto& object = report.resolution.objects[*finding.object];
  const auto of_new = [](const Wanted& wanted) { return is_of_new_text(wanted.symbol->name); };
  const int own = std::any_of(all.begin(), all.end(), of_new) ? 1 : 0;
  for (const auto& [id, found] : libraries) {
    if (found.other_text.empty()) continue;
    const auto& library = report.resolution.objects[id];
    if (finding.message.find("_GLIBCXX") == std::string::npos)
      finding.message += fmt::format(": it was compiled with _GLIBCXX_USE_CXX11_ABI={}, and {} with {}", own,
                                     with_package(library), 1 - own);
    finding.evidence.push_back({fmt::format("{} has {} for the other kind of std::string", with_package(library),
                                            found.other_text.size() == 1 && all.size() == 1
                                                ? "that function"
                                                : fmt::format("{} of these", found.other_text.size())),
                                library.path, Basis::proven, ""});
  }
  finding.does_not_help.push_back(
      fmt::format("another copy of the same build of {}: the two kinds of std::string never fit", short_name(object)));
}

void tell_changed(const Report& report, const std::vector<OtherBuild>& libraries, Finding& finding) {
  const auto& first = libraries.front();
  finding.message +=
      fmt::format(": {} has {}", with_package(report.resolution.objects[first.object]),
                  first.found.changed.empty() ? "nothing of that name" : "the name with other parameters");
  for (const auto& [id, found] : libraries) {
    const auto& library = report.resolution.objects[id];
    for (std::size_t i = 0; i < std::min(most_told, found.changed.size()); ++i)
      finding.evidence.push_back(
          {fmt::format("{} has {}", short_name(library), found.changed[i]), library.path, Basis::proven, ""});
    if (found.changed.empty())
      finding.evidence.push_back({fmt::format("{} defines {} of that namespace, and not this one", short_name(library),
                                              counted(found.of_namespace, "symbol")),
                                  library.path, Basis::proven, ""});
  }
}

/// The libraries of the process that have most of what is asked for: of the first kind of substitute that any has.
std::vector<OtherBuild> best_of(std::vector<OtherBuild> libraries) {
  const auto rank = [](const OtherBuild& one) {
    return std::tuple(one.found.other_text.size(), one.found.changed.size(), one.found.of_namespace);
  };
  std::stable_sort(libraries.begin(), libraries.end(),
                   [&](const OtherBuild& a, const OtherBuild& b) { return rank(a) > rank(b); });
  if (libraries.empty()) return libraries;
  const auto& best = libraries.front().found;
  const bool by_text = !best.other_text.empty(), by_name = !best.changed.empty();
  const auto fits = [&](const OtherBuild& one) {
    return by_text ? !one.found.other_text.empty() : by_name && !one.found.changed.empty();
  };
  std::size_t count = 1;
  while (count < std::min(most_told, libraries.size()) && fits(libraries[count])) ++count;
  libraries.resize(count);
  return libraries;
}

bool is_needed_by(const Object& object, ObjectId other) {
  return std::any_of(object.edges.begin(), object.edges.end(),
                     [&](const Edge& edge) { return edge.hard && edge.object == other; });
}

void tell_other_build(const Case& given, Comparisons& comparisons, Finding& finding) {
  const auto& report = given.report;
  const auto& objects = report.resolution.objects;
  const auto all = wanted_by(report, *finding.object, comparisons);
  if (all.empty()) return;
  const auto& own = objects[*finding.object].package;
  std::vector<OtherBuild> libraries;
  for (ObjectId id = 0; id < objects.size(); ++id) {
    const auto& package = objects[id].package;
    if (!comparisons.affords(1)) break;
    // What is of one package was built at once: something else is wrong.
    if (id == *finding.object || !objects[id].image || (own && package && own->name == package->name)) continue;
    auto found = substitutes_in(*given.store.symbols.get(objects[id]), all, comparisons);
    // What a program is to define may be of a namespace of its libraries; of packages Python is the program.
    const bool counts = all.front().symbol->of_files || (own && package);
    if (!counts || !is_needed_by(objects[*finding.object], id)) found.of_namespace = 0;
    if (!found.other_text.empty() || !found.changed.empty() || found.of_namespace > 0)
      libraries.push_back({id, std::move(found)});
  }
  libraries = best_of(std::move(libraries));
  if (libraries.empty()) return;
  auto symbols = std::exchange(finding.evidence, {});
  if (!libraries.front().found.other_text.empty())
    tell_other_text(report, all, libraries, finding);
  else
    tell_changed(report, libraries, finding);
  // The symbols themselves are now examples of what is told of them all.
  symbols.resize(std::min(symbols.size(), most_told));
  finding.evidence.insert(finding.evidence.end(), symbols.begin(), symbols.end());
  const auto &object = objects[*finding.object], &other = objects[libraries.front().object];
  const Installer installer(report, object, given.store.images.files());
  add_stated_release(object, other, installer, finding);
  if (!libraries.front().found.other_text.empty() && !object.package)
    finding.fixes.push_back(compiled_with_other_text(object, other, is_of_new_text(all.front().symbol->name)));
  else
    add_fitting_build(given, object, other, installer, finding);
}

}  // namespace

void check_other_builds(const Case& given) {
  if (!given.report.symbols) return;
  Comparisons comparisons;
  for (auto& finding : given.report.findings)
    if (finding.code == "CUD201" && finding.object && finding.fixes.empty())
      tell_other_build(given, comparisons, finding);
}

}  // namespace cudald
