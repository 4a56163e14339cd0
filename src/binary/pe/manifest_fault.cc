#include "binary/pe/manifest_fault.h"

#include <algorithm>
#include <vector>

#include <cstdlib>

#include "base/path.h"

namespace cudald {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::size_t deepest = 256;

/// Whether a version of an assembly is four numbers of 16 bits.
bool is_assembly_version(std::string_view text) {
  constexpr int largest = 65535;
  const auto parts = split(text, ".");
  if (parts.size() != 4) return false;
  return std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
    return !part.empty() && part.size() <= 5 && part.find_first_not_of("0123456789") == std::string_view::npos &&
           std::atoi(std::string(part).c_str()) <= largest;
  });
}

/// Reads the tags of a manifest one after another until something is wrong.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::string fault() {
    if (text_.find("<?xml") != std::string_view::npos && !text_.starts_with("<?xml")) {
      at_ = text_.find("<?xml");
      if (text_.substr(0, at_).find_first_not_of(blanks) == std::string_view::npos)
        return told("something stands before the XML declaration");
    }
    at_ = 0;
    while (fault_.empty() && (at_ = text_.find('<', at_)) != std::string_view::npos) read_next();
    if (fault_.empty() && !open_.empty()) {
      at_ = text_.size();
      told("<" + std::string(open_.back()) + "> is not closed");
    }
    return fault_;
  }

 private:
  void read_next() {
    const auto rest = text_.substr(at_);
    if (rest.starts_with("<!--")) return pass("-->", "a comment");
    if (rest.starts_with("<![CDATA[")) return pass("]]>", "a CDATA section");
    if (rest.starts_with("<?")) return pass("?>", "a declaration");
    if (rest.starts_with("<!")) return pass(">", "a declaration");
    ++at_;
    if (rest.starts_with("</")) return close();
    open();
  }

  void pass(std::string_view end, const char* what) {
    const auto found = text_.find(end, at_);
    if (found == std::string_view::npos)
      told(std::string(what) + " is not closed");
    else
      at_ = found + end.size();
  }

  void close() {
    ++at_;
    const auto name = word();
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != '>')
      told("</" + std::string(name) + " is not closed with >");
    else if (open_.empty() || open_.back() != name)
      told("</" + std::string(name) + "> closes " +
           (open_.empty() ? "nothing" : "<" + std::string(open_.back()) + ">"));
    else
      open_.pop_back();
  }

  void open() {
    const auto name = word();
    for (;;) {
      skip_blanks();
      if (at_ >= text_.size()) return void(told("<" + std::string(name) + " is not closed with >"));
      if (text_[at_] == '>') break;
      if (text_.substr(at_).starts_with("/>")) {
        at_ += 2;
        return;
      }
      if (!read_attribute(name)) return;
    }
    ++at_;
    open_.push_back(name);
    if (open_.size() > deepest) told("elements lie too deep in each other");
    // Source: Windows, the event of SideBySide; github.com/ConEmu/ConEmu issue 2205.
    if (name.substr(name.find(':') + 1) == "requestedPrivileges" && ++privileges_ == 2)
      told("a second <requestedPrivileges>, of which a manifest may have one");
  }

  bool read_attribute(std::string_view element) {
    const auto key = word();
    skip_blanks();
    if (key.empty() || at_ >= text_.size() || text_[at_] != '=')
      return told("<" + std::string(element) + "> has something beside attributes").empty();
    ++at_;
    skip_blanks();
    const auto quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '"' && quote != '\'') return told("the value of " + std::string(key) + " is not in quotes").empty();
    const auto end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return told("the value of " + std::string(key) + " has no end").empty();
    const auto value = text_.substr(at_ + 1, end - at_ - 1);
    if (key == "version" && element.ends_with("assemblyIdentity") && !is_assembly_version(value))
      return told("the version \"" + std::string(value) + "\" of an assembly is not four numbers").empty();
    at_ = end + 1;
    return true;
  }

  void skip_blanks() { at_ = std::min(text_.find_first_not_of(blanks, at_), text_.size()); }

  std::string_view word() {
    const auto begin = at_;
    at_ = std::min(text_.find_first_of(" \t\r\n=/><\"'", at_), text_.size());
    return text_.substr(begin, at_ - begin);
  }

  /// Notes the first fault, with the line that it is in.
  const std::string& told(const std::string& what) {
    const auto before = text_.substr(0, std::min(at_, text_.size()));
    fault_ = "line " + std::to_string(1 + std::count(before.begin(), before.end(), '\n')) + ": " + what;
    return fault_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string_view> open_;
  int privileges_ = 0;  ///< elements requestedPrivileges
  std::string fault_;
};

}  // namespace

std::string manifest_fault(std::string_view text) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  return Reader(text).fault();
}

}  // namespace cudald
