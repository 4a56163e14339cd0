// Two packages that install the same file with different contents: the one that is installed last has it in the end,
// and both count as installed. Where the other one is the build for CUDA, its GPU code is out of use, whatever
// libraries of CUDA are there. Where code of the other one is left beside it, parts of two builds meet. So they do
// where each has the same extension module under another suffix: Python takes the one whose suffix comes first. And so
// they do where an extension module of an earlier release was left, which no package lists, beside a source that the
// release in its place has of that name: Python takes the extension first. Source: PEP 427, PEP 376 (RECORD); CPython
// 3.11 Python/dynload_shlib.c, _PyImport_DynLoadFiletab, Lib/importlib/_bootstrap_external.py,
// _get_supported_file_loaders; github.com/numpy/numpy issue 12736; the builds of data/cuda.json.
#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/path.h"
#include "base/sha256.h"
#include "base/shell_word.h"
#include "base/version_order.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "check/fixes/installer.h"
#include "knowledge/gpu_use.h"
#include "knowledge/knowledge.h"
#include "package/dist_info.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

using Claim = InstalledPackages::Claim;

/// A file that two packages list, with the one whose it is.
struct Replacement {
  ObjectId object = 0;
  Claim lost, owner;
  bool of_cuda = false;  ///< only what is lost has code for GPUs
};

std::string called(const PackageName& package) { return package.name + " " + package.version; }

class ReplacedPackages {
 public:
  explicit ReplacedPackages(const Case& given) : report_(given.report), store_(given.store) {}

  void run() {
    std::optional<Replacement> first, hidden;
    const auto& objects = report_.resolution.objects;
    std::vector<ObjectId> left;
    for (ObjectId id = 0; id < objects.size(); ++id) {
      const auto& object = objects[id];
      if (is_left_over(object)) left.push_back(id);
      if (!object.package || !object.image || object.image->source != ImageSource::file) continue;
      const auto found = replaced(id, store_.installed.claims_on(object.path));
      if (found && found->of_cuda) return tell_lost_gpu(*found);
      if (found && !first) first = found;
      if (!found && !hidden) hidden = hides(id);
    }
    if (first) tell_mixture(*first);
    if (hidden && !first) tell_hidden(*hidden);
    if (!left.empty() && !hidden && !first) tell_left_over(left);
  }

 private:
  /// Who has put the file there: the one that states its size, and its hash where that does not tell.
  std::optional<Claim> owner_of(ObjectId id, std::vector<Claim> claims) const {
    constexpr std::uint64_t most_hashed = std::uint64_t{64} << 20;
    const auto& object = report_.resolution.objects[id];
    std::erase_if(claims, [&](const Claim& claim) { return claim.size != object.image->file_size; });
    const auto differs = [&](const Claim& claim) { return claim.hash != claims.front().hash; };
    if (std::any_of(claims.begin(), claims.end(), differs)) {
      const auto text = read_file(store_.images.files(), object.path, most_hashed);
      const auto hash = text ? record_digest(sha256(*text)) : "";
      std::erase_if(claims, [&](const Claim& claim) { return claim.hash != hash; });
    }
    return claims.empty() ? std::nullopt : std::optional(claims.front());
  }

  /// Another package that lists the file with other contents; the build for CUDA before others.
  std::optional<Replacement> replaced(ObjectId id, const std::vector<Claim>& claims) const {
    const auto owner = claims.size() < 2 ? std::nullopt : owner_of(id, claims);
    std::optional<Replacement> found;
    for (const auto& claim : owner ? claims : std::vector<Claim>()) {
      const bool other_hash = !claim.hash.empty() && !owner->hash.empty() && claim.hash != owner->hash;
      if (!claim.size || (claim.size == owner->size && !other_hash)) continue;
      // Another release of the same package that left its .dist-info behind.
      if (normal_distribution_name(claim.package.name) == normal_distribution_name(owner->package.name)) continue;
      const bool of_cuda = is_for_cuda(claim) && !is_for_cuda(*owner);
      if (of_cuda || !found) found = Replacement{id, claim, *owner, of_cuda};
    }
    return found;
  }

  /// The same extension module of another package that Python does not take, as this one's suffix comes before it.
  std::optional<Replacement> hides(ObjectId id) const {
    const auto& path = report_.resolution.objects[id].path;
    const auto name = file_name(path);
    const auto stem = path.substr(0, path.size() - name.size() + name.find('.'));
    const auto suffixes = name.ends_with(".pyd") ? std::vector{".pyd"} : std::vector{".abi3.so", ".so"};
    if (name.find('.') == name.rfind('.') || !is_of_this_python(name)) return std::nullopt;
    const auto own = store_.installed.claims_on(path);
    for (const auto* suffix : suffixes) {
      const auto later = stem + suffix;
      if (own.empty() || later.size() >= path.size() || !store_.images.files().status(later)) continue;
      const auto others = store_.installed.claims_on(later);
      const auto is_own = [&](const Claim& claim) {
        return std::any_of(own.begin(), own.end(), [&](const Claim& one) {
          return normal_distribution_name(one.package.name) == normal_distribution_name(claim.package.name);
        });
      };
      if (!others.empty() && std::none_of(others.begin(), others.end(), is_own))
        return Replacement{id, others.front(), own.front(), false};
    }
    return std::nullopt;
  }

  /// Whether a file has a suffix of extension modules that is not the last one, `.so` or `.pyd`.
  static bool is_of_this_python(std::string_view name) {
    const auto suffix = name.substr(std::min(name.find('.'), name.size()));
    return suffix.starts_with(".cpython-") || suffix.starts_with(".cp3") || suffix.starts_with(".abi3.");
  }

  /// "a/b.py" of the extension module a/b.cpython-311-x86_64-linux-gnu.so.
  static std::string source_beside(const std::string& path) {
    const auto name = file_name(path);
    return path.substr(0, path.size() - name.size() + name.find('.')) + ".py";
  }

  /// Whether no package lists an extension module, and one lists the source of the same name beside it.
  bool is_left_over(const Object& object) const {
    const auto& path = object.path;
    if (object.package || !object.image || object.image->source != ImageSource::file ||
        path.find("-packages/") == std::string::npos || !is_of_this_python(file_name(path)))
      return false;
    const auto source = source_beside(path);
    return is_file(store_.images.files(), source) && store_.installed.package_of(source) != nullptr;
  }

  bool is_for_cuda(const Claim& claim) const {
    const auto build = knowledge_of(report_).framework(normal_distribution_name(claim.package.name),
                                                       claim.package.version, platform_of(report_));
    return (build && !build->cuda.empty()) || has_library_for_cuda(claim.package.name);
  }

  /// Whether a library of that package which the import may open is linked with libraries of CUDA.
  bool has_library_for_cuda(const std::string& package) const {
    const auto& objects = report_.resolution.objects;
    return std::any_of(objects.begin(), objects.end(), [&](const Object& object) {
      return object.package && object.package->name == package && object.image &&
             std::any_of(object.image->elf.needed.begin(), object.image->elf.needed.end(),
                         [](const auto& needed) { return is_cuda_library_name(needed.name); });
    });
  }

  void tell_lost_gpu(const Replacement& found) {
    const auto& [object, lost, owner, of_cuda] = found;
    forget_libraries_of(lost.package.name);
    auto finding = begun("CUD316", found);
    if (report_.query.require_gpu) finding.level = Level::error;
    finding.message = fmt::format("files of {} were replaced by those of {}, which has no GPU code",
                                  called(lost.package), called(owner.package));
    finding.consequence = "It works on the CPU. Installing CUDA libraries changes nothing.";
    finding.fixes.push_back(keep(lost.package, found));
    report_.findings.insert(report_.findings.begin(), std::move(finding));
  }

  /// A note where all that is used is of one package: the other one is not there, whatever lists of packages say.
  void tell_mixture(const Replacement& found) {
    const auto& [object, lost, owner, of_cuda] = found;
    auto finding = begun("CUD511", found);
    const auto left = left_of(found);
    finding.message =
        fmt::format("files of {} were replaced by those of {}", called(lost.package), called(owner.package));
    finding.consequence = left.empty() ? fmt::format("What is used is {}.", called(owner.package))
                                       : fmt::format("Code of {} runs with compiled modules of {}.",
                                                     called(lost.package), called(owner.package));
    if (left.empty())
      finding.level = Level::note;
    else
      finding.evidence.push_back(
          {fmt::format("{} lists this file, and {} does not", lost.package.name, owner.package.name), left,
           Basis::proven, ""});
    const bool newer = version_less(owner.package.version, lost.package.version);
    const auto &first = newer ? lost : owner, &second = newer ? owner : lost;
    finding.fixes = {keep(first.package, found), keep(second.package, found)};
    finding.fixes.back().title = "or " + finding.fixes.back().title;
    explain_failures(finding);
    if (is_for_cuda(lost) && is_for_cuda(owner)) explain_lacks(found, finding);
    report_.findings.push_back(std::move(finding));
  }

  /// What runs is code of one package, its sources being the last that were installed, with a module of the other one.
  void tell_hidden(const Replacement& found) {
    const auto left = left_of(found);
    if (left.empty()) return;
    auto finding = make_finding("CUD511");
    finding.object = found.object;
    finding.subject = found.lost.package.name;
    const auto& path = report_.resolution.objects[found.object].path;
    finding.message = fmt::format("{} of {} comes before the same module of {}", file_name(path),
                                  called(found.owner.package), called(found.lost.package));
    finding.evidence.push_back({"Python takes the suffix first that names its own release", path, Basis::proven, ""});
    finding.evidence.push_back(
        {fmt::format("{} has this file, and {} does not", found.lost.package.name, found.owner.package.name), left,
         Basis::proven, ""});
    finding.consequence = fmt::format("Code of {} runs with compiled modules of {}.", called(found.lost.package),
                                      called(found.owner.package));
    const bool newer = version_less(found.owner.package.version, found.lost.package.version);
    const auto &first = newer ? found.lost : found.owner, &second = newer ? found.owner : found.lost;
    finding.fixes = {keep(first.package, found), keep(second.package, found)};
    finding.fixes.back().title = "or " + finding.fixes.back().title;
    explain_failures(finding);
    report_.findings.push_back(std::move(finding));
  }

  void tell_left_over(const std::vector<ObjectId>& left) {
    constexpr std::size_t most_shown = 4;
    const auto& objects = report_.resolution.objects;
    const auto& path = objects[left.front()].path;
    const auto source = source_beside(path);
    const auto owner = *store_.installed.package_of(source);
    auto finding = make_finding("CUD511");
    finding.object = left.front();
    finding.subject = owner.name;
    finding.message = fmt::format("{} is of no installed package, and comes before {} of {}", file_name(path),
                                  file_name(source), called(owner));
    finding.evidence.push_back(
        {"no RECORD lists it: an earlier release was not removed whole", path, Basis::proven, ""});
    finding.evidence.push_back(
        {fmt::format("{} lists this file; Python takes a compiled module before a source", called(owner)), source,
         Basis::proven, ""});
    finding.consequence = fmt::format("Code of {} runs with a compiled module of another release.", called(owner));
    std::string command = "rm";
    for (const auto id : left) command += " " + shell_word(objects[id].path);
    finding.fixes.push_back({fmt::format("remove {}", left.size() == 1 ? "it" : "these, all of which hide a source"),
                             left.size() > most_shown ? "" : command, ""});
    const Installer installer(report_, objects[left.front()], store_.images.files());
    finding.fixes.push_back({fmt::format("or uninstall {}, look at what is left in {}, and install it again",
                                         owner.name, directory_of(source, installer.site())),
                             "", "an uninstallation removes only what RECORD lists"});
    explain_failures(finding);
    report_.findings.push_back(std::move(finding));
  }

  /// The top directory below site-packages that a file lies in; the file itself where it lies in none.
  static std::string directory_of(const std::string& path, const std::string& site) {
    return path.substr(0, path.find('/', site.size() + 1));
  }

  /// An import that fails amid files of two packages fails by them, more often than not.
  void explain_failures(const Finding& cause) {
    const bool fails = std::any_of(report_.resolution.imports.begin(), report_.resolution.imports.end(),
                                   [](const Import& import) { return import.failed; });
    if (!fails || cause.level == Level::note) return;
    for (auto& finding : report_.findings) {
      if (finding.level != Level::error) continue;
      finding.evidence.push_back({cause.message, cause.evidence.front().path, Basis::proven, ""});
      finding.fixes.insert(finding.fixes.begin(), cause.fixes.begin(), cause.fixes.end());
      return;
    }
  }

  /// Of two builds for different releases of CUDA, the one whose files are there lacks a library of its own release,
  /// which the other one does not ask for.
  void explain_lacks(const Replacement& found, const Finding& cause) {
    for (auto& finding : report_.findings) {
      const bool lacks = finding.code == "CUD101" || finding.code == "CUD102";
      if (finding.level != Level::error || !lacks || !finding.object) continue;
      const auto& asker = report_.resolution.objects[*finding.object].package;
      if (!asker || (asker->name != found.owner.package.name && asker->name != found.lost.package.name)) continue;
      finding.message += "; " + cause.message;
      finding.evidence.push_back({cause.message, cause.evidence.front().path, Basis::proven, ""});
      auto fix = keep(found.lost.package, found);
      fix.other_build = true;
      fix.reason = cause.message;
      finding.fixes.insert(finding.fixes.begin(), std::move(fix));
      return;
    }
  }

  Finding begun(std::string_view code, const Replacement& found) const {
    auto finding = make_finding(code);
    finding.object = found.object;
    finding.subject = found.lost.package.name;
    const auto& path = report_.resolution.objects[found.object].path;
    finding.evidence.push_back(
        {fmt::format("both list {}; its {} is that of {}", file_name(path),
                     found.lost.size == found.owner.size ? "hash" : "size", found.owner.package.name),
         path, Basis::proven, ""});
    return finding;
  }

  /// The first source or library that is there by the package that was replaced, alone, beside the file; empty: none.
  std::string left_of(const Replacement& found) const {
    const auto& files = store_.images.files();
    const auto& path = report_.resolution.objects[found.object].path;
    const auto site = Installer(report_, report_.resolution.objects[found.object], files).site();
    if (site.empty()) return "";
    const auto top = path.substr(site.size() + 1, path.find('/', site.size() + 1) - site.size());
    const auto own = files_of_distribution(files, site, found.owner.package.name);
    for (const auto& file : files_of_distribution(files, site, found.lost.package.name))
      if (file.starts_with(top) && top.ends_with('/') && file.ends_with(".py") && !own.contains(file) &&
          files.status(site + "/" + file))
        return site + "/" + file;
    return "";
  }

  Fix keep(const PackageName& kept, const Replacement& found) const {
    const Installer installer(report_, report_.resolution.objects[found.object], store_.images.files());
    const auto &lost = found.lost.package.name, &owner = found.owner.package.name;
    return {fmt::format("keep {} alone", kept.name),
            installer.uninstall() + shell_word(owner) + " " + shell_word(lost) + "\n" + installer.install() +
                shell_word(kept.name + "==" + kept.version),
            "remove both first: otherwise pip considers the files installed already"};
  }

  /// The build that is there never opens the libraries of the other one.
  void forget_libraries_of(const std::string& package) {
    std::erase_if(report_.findings, [&](const Finding& finding) {
      if (!finding.object || finding.code.substr(0, 4) != "CUD1") return false;
      const auto& object = report_.resolution.objects[*finding.object];
      return object.package && object.package->name == package;
    });
  }

  Report& report_;
  Store& store_;
};

}  // namespace

void check_replaced_packages(const Case& given) { ReplacedPackages(given).run(); }

}  // namespace cudald
