#include "pyimport/syntax/source_coding.h"

#include <algorithm>

#include "pyimport/syntax/scanner.h"

namespace cudald::python {

std::string source_coding(std::string_view text) {
  constexpr std::string_view mark = "coding";
  constexpr int lines_looked_at = 2;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  for (int i = 0; i < lines_looked_at; ++i) {
    const auto end = std::min(text.find_first_of("\r\n"), text.size());
    const auto line = text.substr(0, end);
    const auto sign = line.find_first_not_of(" \t\f");
    if (sign != std::string_view::npos && line[sign] != '#') return "";
    for (auto at = line.find(mark); at < line.size(); at = line.find(mark, at + 1)) {
      const auto behind = line.substr(at + mark.size());
      if (!behind.starts_with(':') && !behind.starts_with('=')) continue;
      std::string name;
      for (const char c : behind.substr(std::min(behind.find_first_not_of(" \t", 1), behind.size()))) {
        const bool is_part = static_cast<signed char>(c) >= 0 && (is_name_part(c) || c == '-' || c == '.');
        if (!is_part) break;
        name += c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
      }
      if (!name.empty()) return name;
    }
    text.remove_prefix(end);
    text.remove_prefix(text.starts_with("\r\n") ? 2 : text.empty() ? 0 : 1);
  }
  return "";
}

bool is_utf8(std::string_view coding) {
  return coding.empty() || coding == "utf-8" || coding == "utf8" || coding.starts_with("utf-8-") || coding == "ascii" ||
         coding == "us-ascii";
}

}  // namespace cudald::python
