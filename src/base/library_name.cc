#include "base/library_name.h"

#include <algorithm>

#include "base/ascii.h"

namespace cudald {
namespace {

bool ends_with_folded(std::string_view name, std::string_view ending) {
  if (name.size() < ending.size()) return false;
  const auto end = name.substr(name.size() - ending.size());
  return std::equal(end.begin(), end.end(), ending.begin(),
                    [](char c, char wanted) { return (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) == wanted; });
}

}  // namespace

bool is_elf_library_name(std::string_view name) {
  constexpr std::string_view mark = ".so";
  if (ends_with_folded(name, mark)) return true;
  // Each part of a version begins with a digit.
  auto at = name.find(".so.");
  if (at == std::string_view::npos) return false;
  for (at += mark.size(); at != std::string_view::npos; at = name.find('.', at + 1))
    if (at + 1 == name.size() || !is_digit(name[at + 1])) return false;
  return true;
}

bool is_dll_name(std::string_view name) { return ends_with_folded(name, ".dll") || ends_with_folded(name, ".pyd"); }

bool is_exe_name(std::string_view name) { return ends_with_folded(name, ".exe"); }

bool is_library_name(std::string_view name) {
  return is_elf_library_name(name) || is_dll_name(name) || is_exe_name(name);
}

}  // namespace cudald
