#include "probe/records.h"

#include <charconv>

#include "base/path.h"

namespace cudald {
namespace {

constexpr std::size_t most_items = 100000;

std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const auto* const digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() && std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
      plain += static_cast<char>(value);
      i += 2;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  for (const auto part : split(line, "\t")) fields.push_back(unescaped(part));
  return fields;
}

std::uint64_t number_of(const std::string& text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void add_file(const std::vector<std::string>& fields, std::vector<MappedFile>& files) {
  if (fields[1].empty() || files.size() == most_items) return;
  files.push_back({fields[4], {number_of(fields[1]), number_of(fields[2])}});
}

void take(const std::vector<std::string>& fields, Records& records) {
  const auto& kind = fields.front();
  const auto is = [&](std::string_view name, std::size_t count) { return kind == name && fields.size() == count; };
  if (is("step", 2)) records.step = fields[1];
  if (is("opened", 2)) records.targets.push_back({fields[1], true, ""});
  if (is("refused", 3)) records.targets.push_back({fields[1], false, fields[2]});
  if (is("object", 5)) add_file(fields, records.mapped);
  if (is("late", 5)) add_file(fields, records.later);
  if (is("mapped", 1)) records.mapped_all = true;
  if (is("done", 1)) records.done = true;
  if (is("check", 5) && records.checks.size() < most_items) {
    const auto result = fields[3] == "ok"       ? CheckResult::ok
                        : fields[3] == "failed" ? CheckResult::failed
                                                : CheckResult::not_run;
    records.checks.push_back({fields[1], fields[2], result, fields[4]});
  }
}

}  // namespace

Records read_records(std::string_view text) {
  Records records;
  while (!text.empty()) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) break;  // cut off by the end of the process
    take(fields_of(text.substr(0, end)), records);
    text.remove_prefix(end + 1);
  }
  return records;
}

std::vector<std::string> read_list(std::string_view text) {
  std::vector<std::string> paths;
  bool names_itself_first = false;
  for (const auto line : split(text, "\n")) {
    const auto address = line.rfind(" (0x");
    if (!line.starts_with('\t') || address == std::string_view::npos) continue;
    auto name = line.substr(1, address - 1);
    const auto arrow = name.find(" => ");
    if (arrow != std::string_view::npos) name.remove_prefix(arrow + 4);
    if (name.find('/') == std::string_view::npos || paths.size() == most_items) continue;
    if (paths.empty()) names_itself_first = arrow == std::string_view::npos;
    if (names_itself_first && !paths.empty() && paths.front() == name) {
      paths.erase(paths.begin());
      names_itself_first = false;
    }
    paths.emplace_back(name);
  }
  return paths;
}

std::string read_refusal(std::string_view complaints) {
  constexpr std::string_view words_of_glibc = "error while loading shared libraries: ";
  if (const auto start = complaints.find(words_of_glibc); start != std::string_view::npos)
    complaints.remove_prefix(start + words_of_glibc.size());
  else if (complaints.starts_with("Error loading shared library ") || complaints.starts_with("Error relocating "))
    complaints = complaints.substr(0, complaints.find('\n'));
  return std::string(complaints.substr(0, complaints.find_last_not_of('\n') + 1));
}

}  // namespace cudald
