#include "base/demangler.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>

#include "base/ascii.h"

namespace cudald {
namespace {

constexpr std::size_t longest_mangled = 4096;  // the demangler's time and stack grow with the name
constexpr double longest_readable = 1 << 20;

/// Whether a reference to an earlier part, S_, S0_, T_ or the like, may begin there. What only looks like one, within
/// an identifier, counts as well.
bool may_be_reference(const std::string& name, std::size_t at) {
  if (name[at] != 'S' && name[at] != 'T') return false;
  auto end = at + 1;
  while (end < name.size() && (is_digit(name[end]) || (name[end] >= 'A' && name[end] <= 'Z'))) ++end;
  return end < name.size() && name[end] == '_';
}

/// How long the readable name can be at most. Of n references in one part each may stand for a part of the level below,
/// which multiplies its length by n; k of them in all come to at most e^(k/e) times the length, with e in each part.
/// Source: Itanium C++ ABI, "Mangling": <substitution>, <template-param>.
double most_readable(const std::string& name) {
  constexpr double by_reference = 1.445;  // e^(1/e)
  double length = static_cast<double>(name.size());
  for (std::size_t at = 0; at < name.size() && length <= longest_readable; ++at)
    if (may_be_reference(name, at)) length *= by_reference;
  return length;
}

}  // namespace

std::string Demangler::operator()(const std::string& mangled) {
  if (!mangled.starts_with("_Z") || mangled.size() > longest_mangled || left_ < mangled.size()) return "";
  left_ -= mangled.size();
  if (most_readable(mangled) > longest_readable) return "";
  int status = 0;
  char* text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 && text != nullptr ? text : "";
  std::free(text);
  left_ -= std::min<std::uint64_t>(left_, result.size());
  return result;
}

}  // namespace cudald
