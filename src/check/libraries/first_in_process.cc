// A runtime that ends the process unless it is the first library of it: AddressSanitizer's, as it has to answer for
// malloc before others do. Opened later, or behind a preload, it prints "ASan runtime does not come first in initial
// library list" and exits.
// Source: LLVM compiler-rt, lib/asan/asan_linux.cpp, AsanCheckDynamicRTPrereqs, FindFirstDSOCallback and
// IsDynamicRTName; GCC has a copy of it in libsanitizer.
#include <algorithm>

#include <fmt/format.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "check/findings/checks.h"
#include "process/library_kind.h"

namespace cudald {
namespace {

/// verify_asan_link_order=0 among the options switches the test off.
bool is_tested(const Environment& environment) {
  constexpr std::string_view name = "verify_asan_link_order=";
  const auto options = environment.variable("ASAN_OPTIONS").value_or("");
  const auto at = options.rfind(name);
  const auto value = at == std::string::npos ? std::string() : options.substr(at + name.size(), 1);
  return value != "0" && value != "f" && value != "n";
}

}  // namespace

void check_first_in_process(const Case& given) {
  auto& report = given.report;
  const auto& objects = report.resolution.objects;
  const auto is_library = [](const Object& object) { return !object.main_program && !object.unmapped; };
  const auto first = std::find_if(objects.begin(), objects.end(), is_library);
  const auto runtime = std::find_if(objects.begin(), objects.end(), [&](const Object& object) {
    return is_library(object) && !object.known_by_name && has_to_be_first(object.path);
  });
  // A library by itself is opened by no program that is known.
  if (runtime == objects.end() || runtime == first || !is_tested(report.query.environment) || objects.empty() ||
      !objects.front().main_program)
    return;
  auto finding = make_finding("CUD125");
  finding.level = std::max(finding.level, level_of_failure(report, report.resolution.targets[runtime->target]));
  finding.object = static_cast<ObjectId>(runtime - objects.begin());
  finding.subject = short_name(*runtime);
  const bool opened = report.resolution.targets[runtime->target].kind != TargetKind::start;
  finding.message = fmt::format(
      "{}, the runtime of AddressSanitizer, ends the process: it has to be the first library, and {} comes "
      "before it",
      short_name(*runtime), short_name(*first));
  finding.consequence =
      "It prints \"ASan runtime does not come first in initial library list\", and the process exits.";
  finding.evidence.push_back({opened ? "it comes into the process by a dlopen" : "it is not the first that is loaded",
                              runtime->path, Basis::rule, "LLVM compiler-rt, lib/asan/asan_linux.cpp"});
  finding.fixes.push_back({"load it first",
                           fmt::format("export LD_PRELOAD={}${{LD_PRELOAD:+:$LD_PRELOAD}}", shell_word(runtime->path)),
                           "every program that this shell starts then runs with it"});
  finding.fixes.push_back({"or take a build without -fsanitize=address", "", ""});
  report.findings.push_back(std::move(finding));
}

}  // namespace cudald
