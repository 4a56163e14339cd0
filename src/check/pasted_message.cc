#include <algorithm>

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/path.h"
#include "base/windows_path.h"
#include "check/checks.h"
#include "check/cuda_objects.h"
#include "cuda/providers.h"
#include "image/read_only_data.h"

namespace cudald {
namespace {

/// Whether a finding of the files tells of what the message names, or, if it names no library, of what it proves.
bool explains(const Finding& finding, const MessageReading& message) {
  if (finding.level == Level::note) return false;
  if (!message.library.empty())
    return folded(finding.subject) == folded(message.library) ||
           finding.message.find(message.library) != std::string::npos;
  if (!message.symbol.empty()) return finding.subject == message.symbol;
  const auto effect = traits_of(finding).verdict;
  return message.effect == MessageEffect::cpu_only
             ? effect == VerdictEffect::cpu_only || finding.code.starts_with("CUD1")
             : effect != VerdictEffect::cpu_only;
}

/// Where the library that the message names is found by this process; empty if it is not.
std::string found_at(const Report& report, const std::string& library) {
  for (const auto& object : report.resolution.objects)
    for (const auto* edges : {&object.edges, &object.may_open})
      for (const auto& edge : *edges) {
        if (edge.name != library && file_name(edge.name) != library) continue;
        if (edge.object) return report.resolution.objects[*edge.object].path;
        if (edge.status == EdgeStatus::not_loaded && !edge.search.probes.empty()) return edge.search.probes.back().path;
      }
  return "";
}

bool is_asked_for(const Report& report, const std::string& library) {
  const auto asks = [&](const Edge& edge) { return edge.name == library || file_name(edge.name) == library; };
  return std::any_of(report.resolution.objects.begin(), report.resolution.objects.end(), [&](const Object& object) {
    return std::any_of(object.edges.begin(), object.edges.end(), asks) ||
           std::any_of(object.may_open.begin(), object.may_open.end(), asks);
  });
}

std::string message_of(const Report& report, const MessageReading& message) {
  const auto& library = message.library;
  if (library.empty()) return fmt::format("the message proves what the files cannot show: {}", message.means);
  if (const auto path = found_at(report, library); !path.empty())
    return fmt::format(
        "the message proves that {} was not usable; here it is found at {}, so that the message comes "
        "from another environment, or a library that it needs was missing",
        library, path);
  if (is_asked_for(report, library))
    return fmt::format("{} is missing, as the message says: no folder that is searched for it has it", library);
  return fmt::format("the message proves that something opens {} and does not find it; no file here names it", library);
}

/// Which file holds the text of the message: what printed it.
void add_speaker(const Report& report, const MessageReading& message, Store& store, Finding& finding) {
  constexpr std::size_t least_telling = 12;
  constexpr std::uint64_t most_of_file = std::uint64_t{64} << 20, most = std::uint64_t{512} << 20;
  if (message.fixed_text.size() < least_telling) return;
  std::uint64_t looked_at = 0;
  for (const auto& object : report.resolution.objects) {
    if (!object.image || object.image->source != ImageSource::file || looked_at > most) continue;
    const auto file = store.packages.open(object.path);
    if (!file) continue;
    looked_at += std::min(object.image->file_size, most_of_file);
    const auto place = find_constant_part(**file, *object.image, message.fixed_text, most_of_file);
    if (!place) continue;
    finding.evidence.push_back(
        {fmt::format("its text \"{}\" stands at offset {:#x} of {}", message.fixed_text, *place, short_name(object)),
         object.path, Basis::proven, ""});
    return;
  }
}

void add_fixes(const Report& report, const MessageReading& message, Finding& finding) {
  if (!message.fix.empty()) finding.fixes.push_back({message.fix, message.command, ""});
  if (report.resolution.windows || message.library.empty() || !found_at(report, message.library).empty()) return;
  for (const auto& provider : providers_of(message.library)) {
    finding.fixes.push_back({fmt::format("{} carries exactly this file", provider.distribution),
                             "pip install " + provider.requirement,
                             fmt::format("it lands in site-packages/{}: if the message stays, that folder has to be "
                                         "named in LD_LIBRARY_PATH",
                                         provider.folder)});
    finding.evidence.push_back(
        {fmt::format("{} {} carries {}", provider.distribution, provider.version, message.library), "", Basis::table,
         providers_source()});
  }
}

}  // namespace

void check_message(const Case& given) {
  auto& report = given.report;
  if (!report.message || report.message->effect == MessageEffect::nothing) return;
  const auto& message = *report.message;
  const auto explained = std::find_if(report.findings.begin(), report.findings.end(),
                                      [&](const Finding& finding) { return explains(finding, message); });
  if (explained != report.findings.end()) return add_speaker(report, message, given.store, *explained);
  auto finding = make_finding(message.effect == MessageEffect::cpu_only ? "CUD311" : "CUD117");
  if (report.query.require_gpu && message.effect == MessageEffect::cpu_only) finding.level = Level::error;
  finding.subject = message.library;
  finding.message = message_of(report, message);
  finding.evidence.push_back({"printed: " + message.text, "", Basis::proven, ""});
  finding.evidence.push_back({message.who, "", Basis::table, message.source});
  add_speaker(report, message, given.store, finding);
  finding.consequence = message.means + ".";
  add_fixes(report, message, finding);
  report.findings.push_back(std::move(finding));
}

}  // namespace cudald
