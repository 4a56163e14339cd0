// From where apt takes packages: in a company that is a mirror of its own, and for Arm another host than for x86.
// Source: sources.list(5), ONE-LINE-STYLE FORMAT and DEB822-STYLE FORMAT; Ubuntu, ports.ubuntu.com.

#include "check/findings/apt_sources.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "base/path.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_list_text = 1 << 16;
constexpr std::size_t most_lists = 100;

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : std::string(text) + " ") {
    if (c != ' ' && c != '\t' && c != '\r') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  return words;
}

/// Adds a source for each address that can be shown.
void add_sources(const std::vector<std::string>& addresses, const std::vector<std::string>& suites,
                 const std::vector<std::string>& components, std::vector<AptSource>& sources) {
  for (auto address : addresses) {
    const bool http = address.starts_with("http://") || address.starts_with("https://");
    if (!http || address.find('@') != std::string::npos) continue;
    while (address.ends_with('/')) address.pop_back();
    sources.push_back({std::move(address), suites, components});
  }
}

/// "deb [arch=amd64] http://... bookworm main"
void read_line(std::string_view line, std::vector<AptSource>& sources) {
  auto words = words_in(line.substr(0, line.find('#')));
  if (words.empty() || words.front() != "deb") return;
  words.erase(words.begin());
  if (!words.empty() && words.front().starts_with('[')) {
    const auto end = std::find_if(words.begin(), words.end(), [](const std::string& w) { return w.ends_with(']'); });
    words.erase(words.begin(), end == words.end() ? end : end + 1);
  }
  if (words.size() < 3) return;
  add_sources({words[0]}, {words[1]}, {words.begin() + 2, words.end()}, sources);
}

/// Fields of one paragraph, their names in small letters.
using Paragraph = std::map<std::string, std::vector<std::string>>;

void add_paragraph(Paragraph& fields, std::vector<AptSource>& sources) {
  const auto& types = fields["types"];
  const auto& enabled = fields["enabled"];
  const bool off = !enabled.empty() && enabled.front() == "no";
  if (!off && std::find(types.begin(), types.end(), "deb") != types.end())
    add_sources(fields["uris"], fields["suites"], fields["components"], sources);
  fields.clear();
}

void read_paragraphs(const std::string& text, std::vector<AptSource>& sources) {
  Paragraph fields;
  std::string last;
  for (const auto line : split(text, "\n")) {
    if (line.starts_with('#')) continue;
    if (words_in(line).empty()) {
      add_paragraph(fields, sources);
      continue;
    }
    const auto colon = line.find(':');
    const bool continued = line.front() == ' ' || line.front() == '\t';
    if (!continued && colon == std::string_view::npos) continue;
    if (!continued) {
      last = line.substr(0, colon);
      std::transform(last.begin(), last.end(), last.begin(), [](unsigned char c) { return std::tolower(c); });
    }
    auto& values = fields[last];
    for (auto& word : words_in(continued ? line : line.substr(colon + 1))) values.push_back(std::move(word));
  }
  add_paragraph(fields, sources);
}

}  // namespace

std::vector<AptSource> apt_sources(const FileSystem& files) {
  const std::string folder = "/etc/apt/sources.list.d";
  std::vector<std::string> lists{"/etc/apt/sources.list"};
  if (auto names = files.list(folder)) {
    std::sort(names->begin(), names->end());
    for (const auto& name : *names)
      if (lists.size() < most_lists) lists.push_back(folder + "/" + name);
  }
  std::vector<AptSource> sources;
  for (const auto& list : lists) {
    const bool paragraphs = list.ends_with(".sources");
    if (!paragraphs && !list.ends_with(".list")) continue;
    const auto text = read_file(files, list, most_list_text);
    if (text && paragraphs) read_paragraphs(*text, sources);
    for (const auto line : text && !paragraphs ? split(*text, "\n") : std::vector<std::string_view>())
      read_line(line, sources);
  }
  return sources;
}

}  // namespace cudald
