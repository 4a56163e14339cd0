#include "cli/options/ignored_by.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/json.h"
#include "base/path.h"
#include "check/findings/checks.h"
#include "report/json/json_text.h"

namespace cudald {
namespace {

constexpr std::string_view beginning = "ignored ", until_mark = " until=", used_beginning = R"({"ignored_by":)";

/// Whether codes that an option names, "select=CUD1,CUD2", are stated, and whether one of them is CUD903's.
struct Named {
  bool any = false, ours = false;
};

Named named_by(std::string_view option, const std::vector<std::string>& options) {
  Named named;
  for (const auto& each : options) {
    if (!each.starts_with(option)) continue;
    named.any = true;
    for (const auto code : split(std::string_view(each).substr(option.size()), ","))
      named.ours |= !code.empty() && (std::string_view("CUD903").starts_with(code) || code == "suppression-unused");
  }
  return named;
}

}  // namespace

std::string stated(const Suppression& entry) {
  auto text = std::string(beginning) + entry.code;
  if (!entry.object.empty()) text += " object=" + entry.object;
  if (!entry.subject.empty()) text += " subject=" + entry.subject;
  if (!entry.until.empty()) text += std::string(until_mark) + entry.until;
  return text;
}

std::string used_line(const std::vector<std::string>& used) {
  return JsonObject(1).add("ignored_by", json_texts(used)).take().dump(-1, ' ', true) + "\n";
}

std::vector<std::string> take_used_line(std::string& output) {
  const auto before = output.size() < 2 ? std::string::npos : output.rfind('\n', output.size() - 2);
  if (before == std::string::npos || !std::string_view(output).substr(before + 1).starts_with(used_beginning))
    return {};
  const auto json = parse_json(std::string_view(output).substr(before + 1));
  output.resize(before + 1);
  std::vector<std::string> used;
  if (json.is_object())
    for (const auto& each : json["ignored_by"])
      if (each.is_string()) used.push_back(each.get<std::string>());
  return used;
}

std::vector<Finding> unused_suppressions(const std::vector<std::string>& options, const std::set<std::string>& used,
                                         const std::string& today) {
  const auto selected = named_by("select=", options);
  if ((selected.any && !selected.ours) || named_by("ignore=", options).ours) return {};
  std::vector<Finding> findings;
  for (const auto& entry : options) {
    if (!entry.starts_with(beginning)) continue;
    const auto until = entry.rfind(until_mark);
    const auto day = until == std::string::npos ? std::string() : entry.substr(until + until_mark.size());
    const bool expired = !day.empty() && day < today;
    if (used.contains(entry) && !expired) continue;
    auto finding = make_finding("CUD903");
    if (expired) finding.level = Level::warning;
    const auto about = entry.substr(beginning.size(), until == std::string::npos ? until : until - beginning.size());
    finding.subject = about.substr(0, about.find(' '));
    finding.message = expired ? fmt::format("the entry that ignores {} has expired on {}", about, day)
                              : fmt::format("the entry that ignores {} ignored nothing in this scan", about);
    finding.fixes.push_back({expired ? "take it out, or give it a new day" : "take it out", "", ""});
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace cudald
