#include "loader/windows/python_on_windows.h"

#include <cstdlib>

#include <cudald/image.h>

#include "base/windows_path.h"

namespace cudald {
namespace {

constexpr std::string_view digits = "0123456789";

/// "38" of "python38.dll"; nothing but digits stands between the word and the first dot.
std::string_view version_in_name(std::string_view name) {
  constexpr std::string_view word = "python";
  if (!name.starts_with(word)) return {};
  const auto rest = name.substr(word.size(), name.find('.') - word.size());
  return rest.find_first_not_of(digits) == std::string_view::npos ? rest : std::string_view();
}

}  // namespace

std::vector<std::string> dlls_of_python(int minor) {
  constexpr int first_with_vcruntime = 5;
  std::vector<std::string> names{"python3" + std::to_string(minor) + ".dll"};
  if (minor >= first_with_vcruntime) names.emplace_back("vcruntime140.dll");
  return names;
}

int python_minor_of_dll(std::string_view name) {
  constexpr std::size_t longest = 3;
  const auto text = folded(windows_file_name(name));
  const auto version = version_in_name(text);
  if (!text.ends_with(".dll") || !version.starts_with('3') || version.size() < 2 || version.size() > longest) return 0;
  return std::atoi(std::string(version.substr(1)).c_str());
}

std::string other_python_of(const Image& image, int minor) {
  if (!image.pe || minor == 0) return {};
  for (const auto& import : image.pe->imports) {
    if (import.delayed || import.name == "python3.dll" || version_in_name(import.name).empty()) continue;
    const bool own = folded(import.name) == "python3" + std::to_string(minor) + ".dll";
    return own ? std::string() : import.name;
  }
  return {};
}

bool is_stable_python_dll(std::string_view name) { return folded(name) == "python3.dll"; }

}  // namespace cudald
