#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/path.h"
#include "common/world.h"

namespace cudald {

/// "CUD101 error app: libx.so.1", a line for each finding: code, level, whom it concerns, subject.
inline std::string findings(const Report& report) {
  std::string text;
  for (const auto& finding : report.findings) {
    text += std::string(finding.code) + " " + std::string(to_string(finding.level)) + " ";
    if (finding.object) text += std::string(file_name(report.resolution.objects[*finding.object].path)) + ": ";
    text += finding.subject + "\n";
  }
  return text;
}

/// Everything that one finding says, to look for a phrase in it.
inline std::string all_words(const Finding& finding) {
  std::string text = finding.message + "\n" + finding.consequence + "\n";
  for (const auto& evidence : finding.evidence) text += evidence.text + "\n" + evidence.source + "\n";
  for (const auto& fix : finding.fixes) text += fix.title + "\n" + fix.command + "\n" + fix.side_effect + "\n";
  for (const auto& useless : finding.does_not_help) text += "not: " + useless + "\n";
  return text;
}

/// Every finding, or those of a code, with all that it says: the message; - what shows it, where, and how that is known
/// (which table is left out, as its name has a day); = what happens; > what helps, how, and what else that does; ! what
/// does not help.
inline std::string in_full(const Report& report, std::string_view code = "") {
  std::string text;
  const auto add = [&text](std::string_view mark, std::initializer_list<std::string_view> parts) {
    text += mark;
    std::string_view separator;
    for (const auto part : parts) {
      if (part.empty()) continue;
      (text += separator) += part;
      separator = " | ";
    }
    text += "\n";
  };
  for (const auto& finding : report.findings) {
    if (!code.empty() && finding.code != code) continue;
    const auto concerned = finding.object ? report.resolution.objects[*finding.object].path : "";
    add("", {finding.code, to_string(finding.level), concerned, finding.subject});
    add("  ", {finding.message});
    for (const auto& each : finding.evidence)
      add("  - ", {each.text, each.path, to_string(each.basis), each.basis == Basis::table ? "" : each.source});
    if (!finding.consequence.empty()) add("  = ", {finding.consequence});
    for (const auto& fix : finding.fixes) add("  > ", {fix.title, fix.command, fix.side_effect});
    for (const auto& vain : finding.does_not_help) add("  ! ", {vain});
  }
  return text;
}

/// Whether a phrase stands somewhere in it.
inline bool says(const Finding& finding, const std::string& phrase) {
  return all_words(finding).find(phrase) != std::string::npos;
}

/// What its fixes have to be typed, a line each.
inline std::string commands(const Finding& finding) {
  std::string text;
  for (const auto& fix : finding.fixes) text += fix.command + "\n";
  return text;
}

/// What CUD303 says of any two runtimes in one process, by in_full(): what they share,
inline const std::string two_runtimes_share =
    R"(  - shared: the driver and the primary context of each GPU, so memory and streams of one can be used by the )"
    R"(other | rule | CUDA Driver API, Primary Context Management
  - not shared: kernels, textures and managed variables belong to the runtime that registered them; each has its own )"
    R"(last error | rule | CUDA C++ Programming Guide, Interoperability between Runtime and Driver APIs
  - driver 525.60.13 or newer serves both | table
)";
/// what there is to do,
inline const std::string one_runtime_is_left =
    R"(  > use builds for one CUDA, so that only one runtime is loaded: an extension built for the CUDA of its )"
    R"(framework, or newer builds of both
  ! installing both toolkits, or changing LD_LIBRARY_PATH: neither changes what the code was built for
)";
/// and all from the first to the last if they do not meet.
inline const std::string two_runtimes_kept_apart =
    two_runtimes_share +
    R"(  = Both work side by side, as long as each library launches its own kernels. cudaGetLastError of one does not )"
    R"(report the errors of the other.
)" + one_runtime_is_left;

}  // namespace cudald
