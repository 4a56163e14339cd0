#include "package/wheel_texts.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "archive/zip_directory.h"
#include "base/ascii.h"
#include "base/find_bytes.h"
#include "base/path.h"
#include "base/trimmed.h"

namespace cudald {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
bool is_separator(char c) { return c == '-' || c == '_' || c == '.'; }

bool same_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

std::vector<std::string> strings(const std::vector<std::string_view>& views) { return {views.begin(), views.end()}; }

/// Gives `field(name, value)` for each "Name: value" of the block in front of the first empty line. Lines that begin
/// with a blank belong to the value before them. Source: RFC 822, as Python's email.parser takes it.
template <typename Field>
void each_field(std::string_view text, Field field) {
  std::string name, value;
  const auto finish = [&] {
    if (!name.empty()) field(name, trimmed(value, " \t\r\n"));
    name.clear();
  };
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    // A line of blanks belongs to the value before it, as a licence's empty lines do.
    if (line.empty() || line == "\r") break;
    if (line.front() == ' ' || line.front() == '\t') {
      value += line;
      continue;
    }
    finish();
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    name = trimmed(line.substr(0, colon), " \t\r\n");
    value = line.substr(colon + 1);
  }
  finish();
}

constexpr std::size_t most_tag_bytes = 255;  // of a file name

/// No file name holds more; a longer value is cut.
void set_once(std::string& field, std::string_view value) {
  constexpr std::size_t most = 255;
  if (field.empty()) field = value.substr(0, most);
}

/// Takes one row off the front of `text`: the columns as written, quotes included.
std::vector<std::string_view> take_row(std::string_view& text) {
  constexpr std::size_t most_columns = 4;  // one more than there should be is enough to know
  std::vector<std::string_view> columns;
  bool quoted = false;
  std::size_t begin = 0, at = 0;
  for (; at < text.size() && (quoted || text[at] != '\n'); ++at) {
    if (text[at] == '"') quoted = !quoted;
    if (text[at] != ',' || quoted) continue;
    if (columns.size() < most_columns) columns.push_back(text.substr(begin, at - begin));
    begin = at + 1;
  }
  auto last = text.substr(begin, at - begin);
  if (last.ends_with('\r')) last.remove_suffix(1);
  columns.push_back(last);
  text.remove_prefix(std::min(at + 1, text.size()));
  return columns;
}

std::string_view unquoted(std::string_view column, Record& record) {
  if (column.size() < 2 || column.front() != '"' || column.back() != '"') return column;
  column = column.substr(1, column.size() - 2);
  if (column.find('"') == std::string_view::npos) return column;
  auto& text = record.unescaped.emplace_back();
  for (std::size_t i = 0; i < column.size(); ++i) {
    text += column[i];
    if (column[i] == '"' && i + 1 < column.size() && column[i + 1] == '"') ++i;
  }
  return text;
}

/// False if the column is neither a number nor empty.
bool read_size(std::string_view column, std::optional<std::uint64_t>& size) {
  if (column.empty()) return true;
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(column.data(), column.data() + column.size(), value);
  if (fault != std::errc() || end != column.data() + column.size()) return false;
  size = value;
  return true;
}

}  // namespace

std::optional<WheelFileName> parse_wheel_file_name(std::string_view file_name) {
  constexpr std::string_view suffix = ".whl";
  if (!file_name.ends_with(suffix)) return std::nullopt;
  file_name.remove_suffix(suffix.size());
  auto parts = split(file_name, "-");
  constexpr std::size_t least = 5, most = 7;
  if (parts.size() < least || parts.size() > most) return std::nullopt;
  if (std::any_of(parts.begin(), parts.end(), [](std::string_view part) { return part.empty(); })) return std::nullopt;
  WheelFileName name;
  // A build begins with a digit; what is behind the platform is the label of a variant.
  const bool has_build = parts.size() > least && parts[2].front() >= '0' && parts[2].front() <= '9';
  if (parts.size() == least + (has_build ? 2 : 1)) {
    name.variant = parts.back();
    parts.pop_back();
  }
  if (parts.size() != least + (has_build ? 1 : 0)) return std::nullopt;
  name.distribution = parts[0];
  name.version = parts[1];
  if (has_build) name.build = parts[2];
  name.python_tags = strings(split(parts[parts.size() - 3], "."));
  name.abi_tags = strings(split(parts[parts.size() - 2], "."));
  name.platform_tags = strings(split(parts[parts.size() - 1], "."));
  return name;
}

WheelMetadata parse_wheel_metadata(std::string_view text) {
  WheelMetadata metadata;
  each_field(text, [&](std::string_view name, std::string_view value) {
    if (same_ignoring_case(name, "Name")) set_once(metadata.name, value);
    if (same_ignoring_case(name, "Version")) set_once(metadata.version, value);
    if (same_ignoring_case(name, "Requires-Python")) set_once(metadata.requires_python, value);
    if (!same_ignoring_case(name, "Requires-Dist")) return;
    const bool fits = metadata.requires_dist.size() < most_requirements && value.size() <= most_requirement_bytes;
    if (fits) metadata.requires_dist.emplace_back(value);
    metadata.complete &= fits;
  });
  return metadata;
}

WheelSettings parse_wheel_settings(std::string_view text) {
  WheelSettings settings;
  each_field(text, [&](std::string_view name, std::string_view value) {
    if (same_ignoring_case(name, "Wheel-Version")) set_once(settings.wheel_version, value);
    if (!same_ignoring_case(name, "Tag")) return;
    const bool fits = settings.tags.size() < most_wheel_tags;
    if (fits) settings.tags.emplace_back(value.substr(0, most_tag_bytes));
    settings.complete &= fits && value.size() <= most_tag_bytes;
  });
  return settings;
}

Record parse_record(std::string_view text, std::string_view part) {
  Record record;
  while (!text.empty()) {
    if (!part.empty()) {
      const auto at = find_bytes(text, part);
      if (at == std::string_view::npos) break;
      const auto before = text.substr(0, at).rfind('\n');
      if (before != std::string_view::npos) text.remove_prefix(before + 1);
    }
    const auto columns = take_row(text);
    if (columns.size() == 1 && columns[0].empty()) continue;
    if (record.rows.size() + record.broken_rows == most_zip_members) {
      record.complete = false;
      break;
    }
    RecordRow row;
    if (columns.size() != 3 || !read_size(unquoted(columns[2], record), row.size)) {
      ++record.broken_rows;
      continue;
    }
    row.path = unquoted(columns[0], record);
    const auto hash = unquoted(columns[1], record);
    const auto equals = hash.find('=');
    row.algorithm = hash.substr(0, equals);
    if (equals != std::string_view::npos) row.hash = hash.substr(equals + 1);
    record.rows.push_back(row);
  }
  return record;
}

std::string record_digest(std::string_view hexadecimal) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string text;
  unsigned bits = 0, count = 0;  // of bits that are not written yet
  for (const char digit : hexadecimal) {
    bits = bits << 4U | static_cast<unsigned>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    count += 4;
    if (count < 6) continue;
    count -= 6;
    text += alphabet[bits >> count & 0x3f];
    bits &= (1U << count) - 1;
  }
  if (count != 0) text += alphabet[bits << (6 - count) & 0x3f];
  return text;
}

std::string normal_distribution_name(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (!is_separator(c))
      result += lower(c);
    else if (!result.ends_with('-'))
      result += '-';
  }
  return result;
}

std::string normal_version(std::string_view version) {
  if (version.starts_with('v') || version.starts_with('V')) version.remove_prefix(1);
  std::vector<std::string> parts;  // of digits, of letters, and "+"
  for (const char c : version) {
    if (is_separator(c)) {
      parts.emplace_back();
      continue;
    }
    const bool goes_on = !parts.empty() && !parts.back().empty() && c != '+' && parts.back() != "+" &&
                         is_digit(parts.back().back()) == is_digit(c);
    if (!goes_on) parts.emplace_back();
    parts.back() += lower(c);
  }
  std::erase(parts, "");
  const auto release_end =
      std::find_if(parts.begin(), parts.end(), [](const std::string& part) { return !is_digit(part.front()); });
  auto zeros = release_end;
  while (zeros - parts.begin() > 1 && *std::prev(zeros) == "0") --zeros;
  parts.erase(zeros, release_end);
  std::string result;
  for (const auto& part : parts) (result += result.empty() || part == "+" || result.back() == '+' ? "" : ".") += part;
  return result;
}

}  // namespace cudald
