// The text files of a wheel that a repair changes; what is not concerned keeps its bytes. Source: Python packaging user
// guide, "Core metadata" and "Binary distribution format"; RECORD as in "Recording installed projects".
#include "repair/wheel_files.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/replace_all.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

/// The lines of a text, each with its end.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

std::string_view content_of(std::string_view line) {
  const auto end = line.find_last_not_of("\r\n");
  return line.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

std::string_view end_of(std::string_view line) { return line.substr(content_of(line).size()); }

bool has_field(std::string_view line, std::string_view field) {
  const auto same = [](char a, char b) { return (a | 0x20) == (b | 0x20); };
  return line.size() >= field.size() && std::equal(field.begin(), field.end(), line.begin(), same);
}

/// "cp311-cp311-linux_x86_64" for another platform.
std::string tag_for(std::string_view tag, std::string_view platform) {
  return fmt::format("{}-{}", tag.substr(0, tag.rfind('-')), platform);
}

}  // namespace

std::string with_requirements(std::string_view metadata, const std::vector<std::string>& requirements) {
  const auto lines = lines_of(metadata);
  const auto is_blank = [](std::string_view line) { return content_of(line).empty(); };
  const auto headers_end = static_cast<std::size_t>(std::find_if(lines.begin(), lines.end(), is_blank) - lines.begin());
  // Behind the last line of its kind, and what continues it.
  auto place = headers_end;
  for (std::size_t i = 0; i < headers_end; ++i)
    if (has_field(lines[i], "Requires-Dist:")) place = i + 1;
  while (place < headers_end && (lines[place][0] == ' ' || lines[place][0] == '\t')) ++place;

  const std::string_view end = lines.empty() || end_of(lines[0]).empty() ? "\n" : end_of(lines[0]);
  std::string made;
  for (std::size_t i = 0; i <= lines.size(); ++i) {
    if (i == place) {
      if (!made.empty() && made.back() != '\n') made += end;
      for (const auto& requirement : requirements) made += fmt::format("Requires-Dist: {}{}", requirement, end);
    }
    if (i < lines.size()) made += lines[i];
  }
  return made;
}

std::string with_platform(std::string_view wheel, std::string_view platform) {
  std::string made;
  std::set<std::string> tags;
  for (const auto line : lines_of(wheel)) {
    constexpr std::string_view field = "Tag: ";
    if (!has_field(line, field)) {
      made += line;
      continue;
    }
    auto tag = tag_for(content_of(line).substr(field.size()), platform);
    if (tags.insert(tag).second) made += fmt::format("{}{}{}", field, tag, end_of(line));
  }
  return made;
}

std::string renamed_for_platform(std::string_view file_name, std::string_view platform) {
  const auto stem = file_name.substr(0, file_name.size() - std::string_view(".whl").size());
  return tag_for(stem, platform) + ".whl";
}

std::string with_digests(std::string sbom, const std::map<std::string, std::string>& digests) {
  for (const auto& [before, after] : digests) replace_all(sbom, before, after);
  return sbom;
}

std::string with_members(std::string_view record, const std::map<std::string, RecordedMember, std::less<>>& members) {
  std::string made;
  for (const auto line : lines_of(record)) {
    const auto parsed = parse_record(line);
    const auto member = parsed.rows.size() == 1 ? members.find(parsed.rows[0].path) : members.end();
    if (member == members.end()) {
      made += line;
      continue;
    }
    if (member->second.is_gone) continue;
    // The path stays as it is written, possibly in quotes; what follows it has none.
    const auto content = content_of(line);
    const auto path = content.substr(0, content.rfind(',', content.rfind(',') - 1));
    made +=
        fmt::format("{},sha256={},{}{}", path, record_digest(member->second.sha256), member->second.size, end_of(line));
  }
  return made;
}

}  // namespace cudald
