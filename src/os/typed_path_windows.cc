#include "os/typed_path.h"

#include <windows.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "os/wide_text_windows.h"

namespace cudald {
namespace {

constexpr std::string_view server = "/UNC/";

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

bool is_slash(char c) { return c == '/' || c == '\\'; }

/// Whether a path may begin behind this character.
bool is_outside_of_path(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) == 0 && std::string_view("_-.~:/\\)").find(c) == std::string::npos;
}

/// How many bytes of the beginning of a path at the front of `text` are written, and how many taken; nullopt if it
/// may be one, but the text ends too soon.
struct Cut {
  std::string_view written;
  std::size_t taken = 0;
};

std::optional<Cut> cut_at_front(std::string_view text, bool at_end) {
  if (text.starts_with(server)) return Cut{"//", server.size()};
  if (text.size() >= 3 && is_letter(text[1]) && text[2] == ':') return Cut{"", 1};
  const bool may_be = server.starts_with(text) || text.size() == 1 || (text.size() == 2 && is_letter(text[1]));
  if (may_be && !at_end) return std::nullopt;
  return Cut{"/", 1};
}

}  // namespace

std::string tree_path_of_typed(const std::string& typed) {
  const bool has_drive = typed.size() > 1 && is_letter(typed[0]) && typed[1] == ':';
  const bool is_tree_path = typed.size() > 2 && typed[0] == '/' && is_letter(typed[1]) && typed[2] == ':';
  if (is_tree_path || typed.empty()) return typed;
  if (!has_drive && !is_slash(typed.front())) {
    auto path = typed;
    std::replace(path.begin(), path.end(), '\\', '/');
    return path;
  }
  const auto given = wide(typed);
  std::wstring full(GetFullPathNameW(given.c_str(), 0, nullptr, nullptr), L'\0');
  full.resize(GetFullPathNameW(given.c_str(), static_cast<DWORD>(full.size()), full.data(), nullptr));
  auto path = tree_path_of(full);
  // "C:\a\" says that it is a directory.
  if (is_slash(typed.back()) && !path.ends_with('/')) path += '/';
  return path;
}

std::string TypedPaths::next(std::string_view text) {
  kept_ += text;
  std::string out;
  std::string_view left = kept_;
  while (!left.empty()) {
    if (left.front() != '/' || !is_outside_of_path(before_)) {
      before_ = left.front();
      out += before_;
      left.remove_prefix(1);
      continue;
    }
    const auto cut = cut_at_front(left, false);
    if (!cut) break;
    out += cut->written;
    before_ = '/';
    left.remove_prefix(cut->taken);
  }
  kept_ = std::string(left);
  return out;
}

std::string TypedPaths::rest() {
  if (!kept_.empty()) before_ = kept_.back();
  return std::exchange(kept_, "");
}

}  // namespace cudald
