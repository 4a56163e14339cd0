#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <cudald/writers.h>

#include "common/example_report.h"

namespace cudald {
namespace {

TEST_CASE("codes are well formed, sorted and unique") {
  const auto catalogue = finding_catalogue();
  REQUIRE_FALSE(catalogue.empty());
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < catalogue.size(); ++i) {
    const std::string_view code = catalogue[i].code;
    CAPTURE(code);
    CHECK(code.size() == 6);
    CHECK(code.starts_with("CUD"));
    CHECK(std::all_of(code.begin() + 3, code.end(), [](unsigned char c) { return std::isdigit(c) != 0; }));
    if (i > 0) CHECK(catalogue[i - 1].code < code);
    CHECK(names.insert(catalogue[i].name).second);
  }
}

TEST_CASE("each finding has a page") {
  for (const FindingRule& rule : finding_catalogue()) {
    CAPTURE(rule.code);
    CHECK(std::all_of(rule.name.begin(), rule.name.end(),
                      [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }));
    CHECK(rule.summary.ends_with('.'));
    CHECK(rule.summary.find('\n') == std::string_view::npos);
    CHECK(rule.explanation.find("Source: ") != std::string_view::npos);
    CHECK(rule.explanation.size() > 100);
    CHECK(rule.example.starts_with("  "));
    CHECK_FALSE(rule.remedy.empty());
    const std::string page = written([&](std::ostream& out) { write_rule(&rule, plain_style(), out); });
    CHECK(page.starts_with(std::string(to_string(rule.level)) + "[" + std::string(rule.code) + "] " +
                           std::string(rule.name)));
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      CHECK(line.size() <= 100);  // examples keep their lines
    }
  }
}

/// Every rule: code, name, level, and what is unusual about how it takes part in the verdict and in what is told.
constexpr std::string_view all_rules = R"(CUD101 library-not-found error lacks_library
CUD102 other-abi-only error lacks_library
CUD103 wrong-machine error lacks_library
CUD104 found-by-environment-only note
CUD106 runpath-hides-prefix error lacks_library
CUD107 current-directory-in-search-path note
CUD108 build-path-in-runpath note
CUD109 shadowed note
CUD110 needs-load-order note
CUD111 not-on-dll-search-path error lacks_library
CUD112 broken-candidate error lacks_library
CUD113 cycle note
CUD114 import-fails error
CUD115 not-part-of-windows warning
CUD116 side-by-side-assembly-missing error
CUD117 only-the-message-tells warning
CUD118 static-tls-too-large note
CUD119 secure-mode error
CUD120 damaged-file error
CUD121 runtime-older-than-compiler warning
CUD122 copy-of-windows-answers warning
CUD123 not-a-loader error
CUD124 newer-glibc-refuses warning of_tag
CUD125 runtime-not-first error
CUD126 not-executable warning
CUD201 symbol-missing error
CUD202 version-missing error
CUD203 forwarder-unresolved error
CUD204 symbol-from-other-library note
CUD205 other-build-answers note
CUD206 copied-data-differs warning
CUD207 module-for-other-release error
CUD301 driver-too-old warning cpu_only about_driver
CUD302 mixed-cuda-majors note
CUD303 two-cuda-runtimes note told_in_full
CUD304 cudnn-older-than-built-for warning
CUD305 cudnn-cuda-mismatch warning
CUD306 mixed-cudnn-parts warning
CUD307 no-kernel-for-gpu warning
CUD308 extension-built-for-other-cuda warning
CUD309 driver-stub warning cpu_only about_driver
CUD310 no-driver warning cpu_only about_driver lacks_driver
CUD311 gpu-lost-by-message warning cpu_only about_driver
CUD312 locked-cuda-majors warning
CUD313 library-carried-twice note
CUD314 driver-of-two-releases warning cpu_only about_driver
CUD315 gpus-hidden warning cpu_only about_driver
CUD316 gpu-build-replaced warning cpu_only speaks_for_all
CUD401 optional-library-missing note
CUD403 not-a-cuda-package warning cpu_only speaks_for_all
CUD404 delay-import-missing note
CUD501 requirement-undeclared error lacks_library
CUD502 bundled-cuda error
CUD503 tag-too-low warning of_tag last_of_its_level
CUD505 record-mismatch note
CUD506 installers-disagree warning
CUD507 unsafe-member warning
CUD508 variant-claim-wrong warning
CUD509 sbom-incomplete note
CUD510 abi3-broken warning
CUD511 files-replaced warning
CUD512 lock-incomplete warning
CUD513 no-wheel-fits error
CUD514 built-for-other-numpy error
CUD515 requirement-unmet warning
CUD516 files-missing warning
CUD601 probe-not-run note
CUD602 simulation-differs error risk first
CUD603 load-failed error
CUD604 kernel-failed error risk
CUD701 glibc-too-new error
CUD702 libstdcxx-too-new error
CUD703 library-not-allowed error
CUD704 forbidden-rpath error
CUD705 required-gpu-missing error
CUD706 forbidden-gpu-present error
CUD707 driver-floor-too-high error
CUD708 executable-stack error
CUD709 text-relocations error
CUD901 malformed warning
CUD902 limit-reached warning unknown
CUD903 suppression-unused note
CUD904 unreadable error
CUD905 not-at-hand note
)";

std::string rules_as_they_are() {
  constexpr std::string_view effects[] = {"", " cpu_only", " risk", " unknown", " of_tag"};
  constexpr std::string_view places[] = {" first", "", " last_of_its_level"};
  std::string text;
  for (const FindingRule& rule : finding_catalogue()) {
    text += std::string(rule.code) + " " + std::string(rule.name) + " " + std::string(to_string(rule.level));
    text += effects[static_cast<std::size_t>(rule.traits.verdict)];
    text += places[static_cast<std::size_t>(rule.traits.place)];
    if (rule.traits.about_driver) text += " about_driver";
    if (rule.traits.lacks_driver) text += " lacks_driver";
    if (rule.traits.told_in_full) text += " told_in_full";
    if (rule.traits.lacks_library) text += " lacks_library";
    if (rule.traits.speaks_for_all) text += " speaks_for_all";
    text += "\n";
  }
  return text;
}

TEST_CASE("codes, names, levels and traits of the findings are what users and their scripts count on") {
  CHECK(rules_as_they_are() == all_rules);
  for (const FindingRule& rule : finding_catalogue()) {
    CAPTURE(rule.code);
    CHECK_FALSE(rule.remedy.starts_with("  "));
    Finding finding;
    finding.code = rule.code;
    CHECK(traits_of(finding).verdict == rule.traits.verdict);
    CHECK(find_rule(rule.name) == &rule);
  }
}

TEST_CASE("a rule is found by code and by name, in any case") {
  REQUIRE(find_rule("CUD101") != nullptr);
  CHECK(find_rule("CUD101")->name == "library-not-found");
  CHECK(find_rule("cud101") == find_rule("CUD101"));
  CHECK(find_rule("Library-Not-Found") == find_rule("CUD101"));
  CHECK(find_rule("CUD1") == nullptr);
  CHECK(find_rule("CUD1011") == nullptr);
  CHECK(find_rule("") == nullptr);
}

TEST_CASE("the list names all in one line each") {
  const std::string list = written([](std::ostream& out) { write_rule(nullptr, plain_style(), out); });
  CHECK(static_cast<std::size_t>(std::count(list.begin(), list.end(), '\n')) == finding_catalogue().size());
  for (const FindingRule& rule : finding_catalogue()) CHECK(list.find(rule.code) != std::string::npos);
}

TEST_CASE("what no rule of the catalogue makes has the usual traits") {
  Finding finding;
  finding.code = "none";
  const auto traits = traits_of(finding);
  CHECK(traits.verdict == VerdictEffect::by_level);
  CHECK(traits.place == FindingPlace::by_level);
  CHECK_FALSE(traits.about_driver);
  CHECK_FALSE(traits.lacks_driver);
  CHECK_FALSE(traits.told_in_full);
  CHECK_FALSE(traits.speaks_for_all);
}

}  // namespace
}  // namespace cudald
