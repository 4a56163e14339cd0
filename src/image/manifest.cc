#include "image/manifest.h"

#include <algorithm>
#include <map>

namespace cudald {
namespace {

constexpr std::size_t most_assemblies = 256;

/// ASCII out of UTF-16, all else as '?': identities are ASCII.
std::string narrowed(std::string_view wide, bool big_endian) {
  std::string text;
  for (std::size_t i = 0; i + 1 < wide.size(); i += 2) {
    const char high = wide[i + (big_endian ? 0 : 1)], low = wide[i + (big_endian ? 1 : 0)];
    text += high == '\0' && (low & 0x80) == 0 ? low : '?';
  }
  return text;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// "asmv1:assemblyIdentity" without its namespace.
std::string_view local_name(std::string_view name) { return name.substr(name.rfind(':') + 1); }

/// One tag between < and >: its name, then name="value" or name='value'.
class Tag {
 public:
  explicit Tag(std::string_view text) : closing(text.starts_with('/')), empty(text.ends_with('/')), rest_(text) {
    if (closing) rest_.remove_prefix(1);
    name = local_name(word());
  }

  std::map<std::string_view, std::string_view> attributes() {
    std::map<std::string_view, std::string_view> found;
    for (;;) {
      const auto key = word();
      skip_blanks();
      if (key.empty() || !rest_.starts_with('=')) return found;
      rest_.remove_prefix(1);
      skip_blanks();
      const auto quote = rest_.substr(0, 1);
      if (quote != "\"" && quote != "'") return found;
      const auto end = rest_.find(quote, 1);
      if (end == std::string_view::npos) return found;
      found[local_name(key)] = rest_.substr(1, end - 1);
      rest_.remove_prefix(end + 1);
    }
  }

  bool closing, empty;
  std::string_view name;

 private:
  void skip_blanks() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
  }

  std::string_view word() {
    skip_blanks();
    const auto end = std::min(rest_.find_first_of(" \t\r\n=/"), rest_.size());
    const auto found = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return found;
  }

  std::string_view rest_;
};

/// The text up to `end`, which is taken out of `text` as well; all of it if there is no end.
std::string_view take_until(std::string_view& text, std::string_view end) {
  const auto at = text.find(end);
  const auto taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + end.size());
  return taken;
}

/// The end of a tag; a > inside quotes is none.
std::string_view take_tag(std::string_view& text) {
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quote == '\0' && text[i] == '>') {
      const auto tag = text.substr(0, i);
      text.remove_prefix(i + 1);
      return tag;
    }
    if (quote == '\0' && (text[i] == '"' || text[i] == '\''))
      quote = text[i];
    else if (text[i] == quote)
      quote = '\0';
  }
  text = {};
  return {};
}

}  // namespace

std::vector<Assembly> parse_manifest(std::string_view text) {
  std::string converted;
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    converted = narrowed(text.substr(2), text.starts_with("\xfe\xff"));
    text = converted;
  }
  std::vector<Assembly> found;
  bool optional = false, in_dependency = false, in_dependent = false;
  while (!text.empty() && found.size() < most_assemblies) {
    take_until(text, "<");
    if (text.starts_with("!--")) {
      take_until(text, "-->");
      continue;
    }
    if (text.starts_with("![CDATA[")) {
      take_until(text, "]]>");
      continue;
    }
    Tag tag(take_tag(text));
    if (tag.name == "dependency") {
      in_dependency = !tag.closing && !tag.empty;
      const auto attributes = tag.attributes();
      const auto value = attributes.find("optional");
      optional = value != attributes.end() && value->second == "yes";
    } else if (tag.name == "dependentAssembly") {
      in_dependent = !tag.closing && !tag.empty;
    } else if (tag.name == "assemblyIdentity" && !tag.closing && in_dependency && in_dependent) {
      const auto attributes = tag.attributes();
      const auto value = [&attributes](std::string_view key) {
        const auto place = attributes.find(key);
        return place == attributes.end() ? std::string() : std::string(place->second);
      };
      found.push_back({value("name"), value("version"), value("type"), value("processorArchitecture"),
                       value("language"), value("publicKeyToken"), optional});
    }
  }
  return found;
}

}  // namespace cudald
