#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>

#include "base/trimmed.h"
#include "base/utf8.h"
#include "index/index_page.h"
#include "lock/readers.h"
#include "net/address.h"

namespace cudald {
namespace {

constexpr auto blanks = " \t\r\n\f";

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

/// "&amp;" and the few others that addresses and hashes have, and numbers.
std::string without_references(std::string_view text) {
  constexpr std::pair<std::string_view, char> names[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  std::string plain;
  while (!text.empty()) {
    const auto begin = std::min(text.find('&'), text.size());
    plain += text.substr(0, begin);
    text.remove_prefix(begin);
    const auto end = text.find(';');
    if (text.empty() || end == std::string_view::npos) break;
    auto name = text.substr(1, end - 1);
    const auto* known =
        std::find_if(std::begin(names), std::end(names), [&](auto& each) { return each.first == name; });
    unsigned value = known == std::end(names) ? 0 : static_cast<unsigned char>(known->second);
    if (value == 0 && name.starts_with('#')) {
      name.remove_prefix(1);
      const bool hexadecimal = name.starts_with('x') || name.starts_with('X');
      if (hexadecimal) name.remove_prefix(1);
      std::from_chars(name.data(), name.data() + name.size(), value, hexadecimal ? 16 : 10);
    }
    // No address of a wheel has others.
    const bool is_ascii = value > 0 && value < 0x80;
    plain += is_ascii ? static_cast<char>(value) : '&';
    text.remove_prefix(is_ascii ? end + 1 : 1);
  }
  return plain + std::string(text);
}

/// Goes over the tags of a page. Source: the HTML standard, 13.2.5 (Tokenization), as far as index pages use it.
class Tags {
 public:
  explicit Tags(std::string_view text) : rest_(text) {}

  std::string name;                               ///< in lower case
  std::map<std::string, std::string> attributes;  ///< by names in lower case

  /// Steps to the next tag that begins an element; false at the end.
  bool next() {
    for (;;) {
      const auto begin = rest_.find('<');
      if (begin == std::string_view::npos) return false;
      rest_.remove_prefix(begin + 1);
      if (rest_.starts_with("!--")) {
        const auto end = rest_.find("-->");
        if (end == std::string_view::npos) return false;
        rest_.remove_prefix(end);
        continue;
      }
      if (rest_.empty() || std::isalpha(static_cast<unsigned char>(rest_.front())) == 0) continue;
      name = lower(take_until(" \t\r\n\f/>"));
      attributes.clear();
      take_attributes();
      return true;
    }
  }

 private:
  std::string_view take_until(const char* ends) {
    const auto word = rest_.substr(0, rest_.find_first_of(ends));
    rest_.remove_prefix(word.size());
    return word;
  }

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks), rest_.size())); }

  void take_attributes() {
    for (;;) {
      while (!rest_.empty() && std::strchr(" \t\r\n\f/", rest_.front()) != nullptr) rest_.remove_prefix(1);
      if (rest_.empty() || rest_.front() == '>') return;
      auto key = lower(take_until(" \t\r\n\f/>="));
      skip_blanks();
      std::string value;
      if (rest_.starts_with('=')) {
        rest_.remove_prefix(1);
        skip_blanks();
        value = without_references(take_value());
      }
      attributes.try_emplace(std::move(key), std::move(value));
    }
  }

  std::string_view take_value() {
    const bool quoted = rest_.starts_with('"') || rest_.starts_with('\'');
    if (!quoted) return take_until(" \t\r\n\f>");
    const auto mark = rest_.front();
    rest_.remove_prefix(1);
    const auto value = rest_.substr(0, rest_.find(mark));
    rest_.remove_prefix(std::min(value.size() + 1, rest_.size()));
    return value;
  }

  std::string_view rest_;
};

/// "sha256=0123..." as in a fragment or in data-core-metadata.
std::string sha256_in(std::string_view text) {
  constexpr std::string_view key = "sha256=";
  const auto begin = text.find(key);
  if (begin == std::string_view::npos) return "";
  return sha256_of(text.substr(begin + key.size(), text.find('&', begin) - begin - key.size()));
}

}  // namespace

Result<std::vector<LockedFile>> read_index_html(std::string_view html, std::string_view page_url) {
  std::vector<LockedFile> wheels;
  std::string base(page_url);
  bool is_html = false;
  for (Tags tags(html); tags.next();) {
    const auto& given = tags.attributes;
    const auto href = given.find("href");
    is_html |= tags.name == "html" || tags.name == "a" || tags.name == "body";
    if (href == given.end()) continue;
    if (tags.name == "base") base = whole_address(trimmed(href->second, blanks), page_url);
    if (tags.name != "a") continue;
    auto url = whole_address(trimmed(href->second, blanks), base);
    const auto mark = std::min(url.find('#'), url.size());
    LockedFile file;
    file.sha256 = sha256_in(std::string_view(url).substr(mark));
    url.resize(mark);
    file.name = without_escapes(file_of_url(url));
    file.url = std::move(url);
    if (!file.name.ends_with(".whl")) continue;
    for (const auto* key : {"data-core-metadata", "data-dist-info-metadata"})
      if (const auto told = given.find(key); told != given.end() && told->second != "false") {
        file.has_metadata = true;
        file.metadata_sha256 = sha256_in(told->second);
        break;
      }
    if (const auto python = given.find("data-requires-python"); python != given.end())
      file.requires_python = python->second;
    file.yanked = given.contains("data-yanked");
    if (wheels.size() == most_index_files) return lock_error(ErrorCode::limit, 0, "the index names too many files");
    wheels.push_back(std::move(file));
  }
  if (!is_html) return lock_error(ErrorCode::malformed, 0, "the index answers neither in JSON nor in HTML");
  return wheels;
}

}  // namespace cudald
