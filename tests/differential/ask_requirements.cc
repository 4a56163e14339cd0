// Answers questions about versions, specifiers, requirements and markers, one a line, for requirements.py. The words of
// a question stand between tabs:
//
//     version TEXT                             its parts, or "none"
//     compare VERSION VERSION                  "<", "=" or ">"
//     allows SPECIFIERS VERSION                "yes" or "no"
//     requirement LINE                         name, extras, specifiers, marker; or "none"
//     holds MARKER PYTHON MACHINE EXTRA,...    "yes" or "no"

#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "base/path.h"
#include "package/requirement.h"
#include "package/version.h"

namespace {

using cudald::DistributionVersion;

std::string parts_of(const DistributionVersion& version) {
  std::string text = std::to_string(version.epoch) + "!";
  for (const auto number : version.release) text += std::to_string(number) + ".";
  const auto kind = static_cast<std::size_t>(version.pre_kind);
  if (kind >= 1 && kind <= 3) text += " " + std::string{"abr"[kind - 1]} + std::to_string(version.pre);
  if (version.post != 0) text += " post" + std::to_string(version.post - 1);
  if (version.dev != UINT64_MAX) text += " dev" + std::to_string(version.dev);
  if (!version.local.empty()) text += " +";
  for (const auto& [number, word] : version.local) text += (number > 0 ? std::to_string(number - 1) : word) + ".";
  return text;
}

std::string compared(const std::string& left, const std::string& right) {
  const auto a = cudald::parse_version(left), b = cudald::parse_version(right);
  if (!a || !b) return "none";
  return *a < *b ? "<" : *a == *b ? "=" : ">";
}

std::string described(const std::string& line) {
  const auto requirement = cudald::parse_requirement(line);
  if (!requirement) return "none";
  std::string text = requirement->name + "\t";
  for (const auto& extra : requirement->extras) text += extra + ",";
  return text + "\t" + requirement->specifiers + "\t" + requirement->marker;
}

std::string answer(const std::vector<std::string>& words) {
  const auto is = [&](std::string_view verb, std::size_t count) { return words[0] == verb && words.size() == count; };
  if (is("version", 2)) {
    const auto version = cudald::parse_version(words[1]);
    return version ? parts_of(*version) : "none";
  }
  if (is("compare", 3)) return compared(words[1], words[2]);
  if (is("allows", 3)) return cudald::allows(words[1], words[2]) ? "yes" : "no";
  if (is("requirement", 2)) return described(words[1]);
  if (is("holds", 5)) {
    std::set<std::string> extras;
    for (const auto extra : cudald::split(words[4], ","))
      if (!extra.empty()) extras.emplace(extra);
    return cudald::holds(words[1], cudald::linux_marker_values(words[2], words[3]), extras) ? "yes" : "no";
  }
  return "no such question";
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::vector<std::string> words;
    for (const auto word : cudald::split(line, "\t")) words.emplace_back(word);
    std::cout << answer(words) << '\n';
  }
}
