#include "scan/totals.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/path.h"
#include "package/wheel_texts.h"

namespace cudald {

constexpr std::size_t most_examples = 5;

std::string package_of(const std::string& target) {
  const std::string name(file_name(target));
  if (const auto wheel = parse_wheel_file_name(name)) return normal_distribution_name(wheel->distribution);
  // NAME-VERSION-BUILD.conda, where only NAME may have dashes of its own.
  if (name.ends_with(".conda") || name.ends_with(".tar.bz2")) {
    // Without two dashes that is nowhere, or at the start.
    const auto version = name.rfind('-', name.rfind('-') - 1);
    if (version != std::string::npos && version != 0) return name.substr(0, version);
  }
  return name;
}

void Totals::add(const RecordHead& head, const std::optional<Report>& report, std::string message) {
  ++targets;
  bytes += head.item.bytes;
  const auto name = package_of(head.item.target);
  auto& package = packages[name];
  ++package.targets;
  package.bytes += head.item.bytes;
  if (!report) {
    not_judged.push_back({head.item.target, head.outcome, std::move(message)});
    ++package.verdicts[Verdict::unknown];
    return;
  }
  ++verdicts[report->verdict];
  ++package.verdicts[report->verdict];
  std::set<std::string_view> here;
  for (const auto& finding : report->findings) {
    auto& kind = kinds[finding.code];
    kind.level = std::min(kind.level, finding.level);
    kind.name = finding.name;
    ++kind.findings;
    package.codes.insert(finding.code);
    if (!here.insert(finding.code).second) continue;
    ++kind.targets;
    kind.packages.insert(name);
    if (kind.examples.size() < most_examples)
      kind.examples.push_back(fmt::format("{}: {}", file_name(head.item.target), finding.message));
  }
}

void Totals::add(const Finding& finding) {
  auto& kind = kinds[finding.code];
  kind.level = std::min(kind.level, finding.level);
  kind.name = finding.name;
  ++kind.findings;
  if (kind.examples.size() < most_examples) kind.examples.push_back(finding.message);
}

Verdict worst_of(const std::map<Verdict, std::size_t>& verdicts) {
  auto worst = Verdict::loads;
  for (const auto& [verdict, count] : verdicts)
    if (rank_of(verdict) < rank_of(worst)) worst = verdict;
  return worst;
}

}  // namespace cudald
