// Two packages that install the same file: the one that is installed last has it in the end. Where the other one is the
// build for CUDA, its GPU code is out of use, whatever libraries of CUDA are there.
// Source: PEP 427, PEP 376 (RECORD); the builds of data/cuda.json.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "check/fixes/installer.h"
#include "knowledge/knowledge.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

using Claim = InstalledPackages::Claim;

/// A file that two packages list, of which the size tells whose it is.
struct Replacement {
  ObjectId object = 0;
  Claim lost, owner;
};

class ReplacedPackages {
 public:
  explicit ReplacedPackages(const Case& given) : report_(given.report), store_(given.store) {}

  void run() {
    const auto& objects = report_.resolution.objects;
    for (ObjectId id = 0; id < objects.size(); ++id) {
      const auto& object = objects[id];
      if (!object.package || !object.image || object.image->source != ImageSource::file) continue;
      const auto replacement = replaced(id, store_.installed.claims_on(object.path));
      if (replacement) return tell(*replacement);
    }
  }

 private:
  /// The build for CUDA, if another package has put its own file there.
  std::optional<Replacement> replaced(ObjectId id, const std::vector<Claim>& claims) const {
    const auto size = report_.resolution.objects[id].image->file_size;
    const auto owner =
        std::find_if(claims.begin(), claims.end(), [&](const Claim& claim) { return claim.size == size; });
    if (owner == claims.end()) return std::nullopt;
    for (const auto& claim : claims)
      if (claim.size && claim.size != size && is_for_cuda(claim) && !is_for_cuda(*owner))
        return Replacement{id, claim, *owner};
    return std::nullopt;
  }

  bool is_for_cuda(const Claim& claim) const {
    const auto build = knowledge_of(report_).framework(normal_distribution_name(claim.package.name),
                                                       claim.package.version, platform_of(report_));
    return build && !build->cuda.empty();
  }

  void tell(const Replacement& found) {
    const auto& [object, lost, owner] = found;
    forget_libraries_of(lost.package.name);
    auto finding = make_finding("CUD316");
    if (report_.query.require_gpu) finding.level = Level::error;
    finding.object = object;
    finding.subject = lost.package.name;
    const auto& path = report_.resolution.objects[object].path;
    finding.message = fmt::format("files of {} {} were replaced by those of {} {}, which has no GPU code",
                                  lost.package.name, lost.package.version, owner.package.name, owner.package.version);
    finding.evidence.push_back(
        {fmt::format("both list {}; its size is that of {}", file_name(path), owner.package.name), path, Basis::proven,
         ""});
    finding.consequence = "It works on the CPU. Libraries of CUDA, installed besides, change nothing.";
    const Installer installer(report_, report_.resolution.objects[object], store_.images.files());
    const auto uninstall = uninstall_with(installer);
    finding.fixes.push_back({fmt::format("keep {} alone", lost.package.name),
                             uninstall + shell_word(owner.package.name) + " " + shell_word(lost.package.name) + "\n" +
                                 installer.install() + shell_word(lost.package.name + "==" + lost.package.version),
                             "both are removed first: otherwise pip takes the files of the one for installed"});
    report_.findings.insert(report_.findings.begin(), std::move(finding));
  }

  static std::string uninstall_with(const Installer& installer) {
    auto command = installer.install();
    const std::string_view word = "install ";
    command.replace(command.rfind(word), word.size(), "uninstall ");
    return command.starts_with("uv ") ? command : command + "-y ";
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
