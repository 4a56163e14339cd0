#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/cuda_library.h>
#include <cudald/gpu_code.h>
#include <cudald/image.h>

#include "base/path.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "package/variant_claims.h"

namespace cudald {
namespace {

constexpr auto draft = "PEP 817 (draft), variant properties; properties of NVIDIA's provider";
constexpr std::uint64_t most_claims = 1 << 20;

/// What the files of a package show of what variants claim.
struct Shown {
  std::set<int> sass, ptx;  ///< "90" of sm_90
  std::set<int> majors;     ///< of CUDA, whose runtime is needed or linked in
  std::string example;      ///< who needs the newest major
};

std::optional<int> number_of(std::string_view text) {
  int value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc() ? std::optional(value) : std::nullopt;
}

/// The variant.json that each package has put into its .dist-info.
std::map<const Package*, std::string> variant_texts(const PackageTree& tree) {
  const std::string site(PackageTree::site_packages);
  std::map<const Package*, std::string> texts;
  const auto names = tree.list(site);
  if (!names) return texts;
  for (const auto& name : *names) {
    const auto path = site + "/" + name + "/variant.json";
    const auto* package = name.ends_with(".dist-info") ? tree.package_of(path) : nullptr;
    if (package == nullptr || texts.contains(package)) continue;
    if (auto text = read_file(tree, path, most_claims)) texts.emplace(package, std::move(*text));
  }
  return texts;
}

class VariantCheck {
 public:
  explicit VariantCheck(const Case& given) : report_(given.report), store_(given.store) {}

  void run() {
    if (store_.packages.packages().empty()) return;
    const auto texts = variant_texts(store_.packages);
    for (const auto& package : store_.packages.packages()) {
      const auto text = texts.find(&package);
      if (text == texts.end() || text->second.empty() || package.archive.empty()) continue;
      const auto claims = read_variant_claims(text->second);
      if (!claims) {
        tell(package, "variant.json",
             fmt::format("variant.json of {} cannot be read: {}", package.name, claims.error().message), "");
        continue;
      }
      const auto shown = look_at(package);
      for (const auto& claim : *claims)
        if (claim.space == "nvidia") hold(package, claim, shown);
    }
  }

 private:
  Shown look_at(const Package& package) {
    Shown shown;
    for (const auto& path : package.libraries) {
      const auto& opened = store_.images.open(path);
      if (opened.error) continue;
      if (opened.image->has_gpu_code)
        if (const auto code = store_.images.gpu_code(path)) {
          for (const auto& [architecture, count] : code->sass) shown.sass.insert(static_cast<int>(architecture.number));
          for (const auto& [architecture, count] : code->ptx) shown.ptx.insert(static_cast<int>(architecture.number));
        }
      const auto add = [&](int major) {
        if (shown.majors.empty() || major > *shown.majors.rbegin()) shown.example = file_name(path);
        shown.majors.insert(major);
      };
      for (const auto& needed : opened.image->elf.needed)
        if (needed.name.find("cudart") != std::string::npos)
          for (const auto major : cuda_majors_of(needed.name, knowledge_of(report_))) add(major);
      const auto cuda = opened.image->has_gpu_code ? store_.cuda_library(path, true) : nullptr;
      const auto major = cuda && cuda->is_static ? number_of(cuda->version) : std::nullopt;
      if (major) add(*major);
    }
    return shown;
  }

  void hold(const Package& package, const VariantClaim& claim, const Shown& shown) {
    if (claim.feature == "sm_arch") hold_gpu(package, claim, shown);
    const auto bound = number_of(claim.value);
    if (!bound || shown.majors.empty()) return;
    const auto newest = *shown.majors.rbegin();
    if (claim.feature == "cuda_version_lower_bound" && newest > *bound)
      tell(package, claim.value,
           fmt::format("the variant of {} claims to run from CUDA {} on, and {} needs the runtime of CUDA {}",
                       package.name, claim.value, shown.example, newest),
           fmt::format("An installer takes it on a machine whose driver is for CUDA {}, where no GPU is then used.",
                       claim.value));
    // Below "12" there is no 12.x; below "12.9" there may be.
    const bool whole = claim.value.find('.') == std::string::npos || claim.value.ends_with(".0");
    if (claim.feature == "cuda_version_upper_bound" && (newest > *bound || (whole && newest == *bound)))
      tell(package, claim.value,
           fmt::format("the variant of {} claims to be for CUDA below {}, and {} needs the runtime of CUDA {}",
                       package.name, claim.value, shown.example, newest),
           "An installer takes it only where it cannot use the GPU.");
  }

  void hold_gpu(const Package& package, const VariantClaim& claim, const Shown& shown) {
    const auto digits = claim.value.starts_with("sm_") ? claim.value.substr(3) : claim.value;
    const auto gpu = number_of(digits);
    if (!gpu) return;
    const bool virtual_only = claim.value.ends_with("_virtual");
    if ((virtual_only ? shown.ptx : shown.sass).contains(*gpu)) return;
    tell(package, claim.value,
         fmt::format("the variant of {} claims {} for sm_{}, and none of its files has any", package.name,
                     virtual_only ? "PTX" : "machine code", *gpu),
         "An installer takes it on a machine with that GPU, where its kernels cannot be started.");
  }

  void tell(const Package& package, const std::string& subject, std::string message, std::string consequence) {
    auto finding = make_finding("CUD508");
    finding.subject = subject;
    finding.message = std::move(message);
    finding.consequence = std::move(consequence);
    finding.evidence.push_back({"variant.json in its .dist-info says so", package.archive, Basis::proven, ""});
    finding.evidence.push_back({"what a variant claims decides where it is installed", "", Basis::rule, draft});
    finding.fixes.push_back({"claim what the files hold, or build for what is claimed", "", ""});
    report_.findings.push_back(std::move(finding));
  }

  Report& report_;
  Store& store_;
};

}  // namespace

void check_variants(const Case& given) { VariantCheck(given).run(); }

}  // namespace cudald
