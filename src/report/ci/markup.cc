#include "report/ci/markup.h"

#include <fmt/format.h>

#include <cudald/writers.h>

#include "base/utf8.h"

namespace cudald {
namespace {

/// Puts `replace(character)` for each character; it gives an empty text for one that stays.
template <typename Replace>
std::string replaced(std::string_view text, Replace replace) {
  const auto plain = escaped(text);
  std::string result;
  result.reserve(plain.size());
  for (std::string_view rest = plain; !rest.empty();) {
    const auto [length, code] = first_character(rest);
    const std::string other = replace(code);
    result += other.empty() ? std::string(rest.substr(0, length)) : other;
    rest.remove_prefix(length);
  }
  return result;
}

bool is_word(char32_t c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_plain_in_uri(char32_t c) { return is_word(c) || c == '-' || c == '.' || c == '_' || c == '~' || c == '/'; }

}  // namespace

// Extensible Markup Language 1.0, 2.2 and 2.4: U+FFFE and U+FFFF are no characters of a document.
std::string xml_text(std::string_view text) {
  return replaced(text, [](char32_t c) -> std::string {
    switch (c) {
      case '&': return "&amp;";
      case '<': return "&lt;";
      case '>': return "&gt;";
      case '"': return "&quot;";
      case '\'': return "&#39;";
      case 0xfffe: return "\\ufffe";
      case 0xffff: return "\\uffff";
      default: return "";
    }
  });
}

// CommonMark 0.31, 2.5: what is written by its number is no markup; in HTML that stands in Markdown it is the same.
// Names of people, numbers of issues and addresses are made links of after that, unless a comment stands in them.
std::string markdown_text(std::string_view text) {
  auto result = replaced(text, [](char32_t c) -> std::string {
    switch (c) {
      case '@': return "@<!-- -->";
      case '#': return "&#35;<!-- -->";
      case ':': return ":<!-- -->";
      default: break;
    }
    constexpr std::string_view marks = "\\`*_[]|~$<>&";
    const bool is_mark = c < 0x80 && marks.find(static_cast<char>(c)) != std::string_view::npos;
    return is_mark ? fmt::format("&#{};", static_cast<std::uint32_t>(c)) : "";
  });
  constexpr std::string_view address = "www.", broken = "www<!-- -->.";
  for (auto at = result.find(address); at != std::string::npos; at = result.find(address, at + broken.size()))
    result.replace(at, address.size(), broken);
  return result;
}

// The DOT language: in a quoted string only \" is an escape, but labels know more of them (escString).
std::string dot_text(std::string_view text) {
  return replaced(text, [](char32_t c) -> std::string { return c == '"' ? "\\\"" : c == '\\' ? "\\\\" : ""; });
}

// Mermaid, "Entity codes to escape characters": the number of a character between # and ;.
std::string mermaid_text(std::string_view text) {
  return replaced(text, [](char32_t c) -> std::string {
    constexpr std::string_view plain = " ./+-_,=()";
    const bool stays = is_word(c) || c > 0x7f || plain.find(static_cast<char>(c)) != std::string_view::npos;
    return stays ? "" : fmt::format("#{};", static_cast<std::uint32_t>(c));
  });
}

// GitHub, "Workflow commands": actions/toolkit, core/src/command.ts, escapeData and escapeProperty.
std::string workflow_text(std::string_view text) {
  return replaced(text, [](char32_t c) -> std::string { return c == '%' ? "%25" : ""; });
}

std::string workflow_property(std::string_view text) {
  return replaced(text, [](char32_t c) -> std::string {
    return c == '%' ? "%25" : c == ':' ? "%3A" : c == ',' ? "%2C" : "";
  });
}

// RFC 3986, 3.3. What is no valid UTF-8 is a byte of a path like any other.
std::string uri_of_path(std::string_view path) {
  std::string result = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte < 0x80 && is_plain_in_uri(byte) ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return result;
}

}  // namespace cudald
