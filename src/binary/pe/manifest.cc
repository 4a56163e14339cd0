#include "binary/pe/manifest.h"

#include <algorithm>
#include <map>

#include "binary/pe/manifest_fault.h"

namespace cudald {
namespace {

constexpr std::size_t most_assemblies = 256, most_files = 1024;

/// ASCII out of UTF-16, all else as '?': identities are ASCII.
std::string narrowed_text(std::string_view wide, bool big_endian) {
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
    read_attributes();
  }

  /// Of an attribute; empty if there is none.
  std::string value(std::string_view key) const {
    const auto place = attributes_.find(key);
    return place == attributes_.end() ? std::string() : std::string(place->second);
  }

  bool closing, empty;
  std::string_view name;

 private:
  void read_attributes() {
    for (;;) {
      const auto key = word();
      skip_blanks();
      if (key.empty() || !rest_.starts_with('=')) return;
      rest_.remove_prefix(1);
      skip_blanks();
      const auto quote = rest_.substr(0, 1);
      if (quote != "\"" && quote != "'") return;
      const auto end = rest_.find(quote, 1);
      if (end == std::string_view::npos) return;
      attributes_[local_name(key)] = rest_.substr(1, end - 1);
      rest_.remove_prefix(end + 1);
    }
  }

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
  std::map<std::string_view, std::string_view> attributes_;
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

Manifest parse_manifest(std::string_view text) {
  std::string converted;
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    converted = narrowed_text(text.substr(2), text.starts_with("\xfe\xff"));
    text = converted;
  }
  Manifest found;
  // Of a longer text the end may be cut off.
  constexpr std::size_t most_checked = std::size_t{1} << 20;
  if (text.size() < most_checked) found.fault = manifest_fault(text);
  bool optional = false, in_dependency = false, in_dependent = false;
  while (!text.empty() && found.dependencies.size() < most_assemblies && found.files.size() < most_files) {
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
      optional = tag.value("optional") == "yes";
    } else if (tag.name == "dependentAssembly") {
      in_dependent = !tag.closing && !tag.empty;
    } else if (tag.name == "assemblyIdentity" && !tag.closing && in_dependency && in_dependent) {
      found.dependencies.push_back({tag.value("name"), tag.value("version"), tag.value("type"),
                                    tag.value("processorArchitecture"), tag.value("language"),
                                    tag.value("publicKeyToken"), optional});
    } else if (tag.name == "assemblyIdentity" && !tag.closing && !in_dependency && found.version.empty()) {
      found.version = tag.value("version");
    } else if (tag.name == "file" && !tag.closing && !in_dependency) {
      if (auto name = tag.value("name"); !name.empty()) found.files.push_back(std::move(name));
    }
  }
  return found;
}

}  // namespace cudald
