// A program of Windows comes with its DLLs beside it, in one archive. Started from inside the archive, or moved out of
// its directory, it finds none of them. Sources: Microsoft, Dynamic-link library search order, "Standard search order
// for unpackaged apps"; github.com/AIRLegend/aitrack issue 146; github.com/GreycLab/gmic-community issue 42.

#include "check/fixes/program_parts.h"

#include <algorithm>
#include <string_view>

#include "base/path.h"
#include "base/windows_path.h"

namespace cudald {
namespace {

constexpr std::string_view ending = ".dll", digits = "0123456789";

/// "opencv_core" of "opencv_core2411.dll"; empty unless two digits or more stand at the end of the name.
std::string without_number(const std::string& name) {
  if (!name.ends_with(ending)) return "";
  const auto stem = name.substr(0, name.size() - ending.size());
  const auto last = stem.find_last_not_of(digits);
  return last == std::string::npos || stem.size() - last < 3 ? "" : stem.substr(0, last + 1);
}

}  // namespace

std::string other_release_beside(const std::string& dll, const Object& requester, ImageStore& images) {
  const auto name = folded(dll), stem = without_number(name);
  if (stem.empty()) return "";
  for (const auto& entry : images.list(std::string(parent_path(requester.path))))
    if (const auto other = folded(entry); other != name && without_number(other) == stem) return entry;
  return "";
}

bool lies_alone(const Object& program, ImageStore& images) {
  constexpr std::string_view of_builds[] = {"/debug/", "/release/", "/build/", "/out/", "/target/", "/x64/", "-build"};
  const auto path = folded(program.path);
  if (!path.ends_with(".exe") || path.starts_with("/windows/") ||
      std::any_of(std::begin(of_builds), std::end(of_builds),
                  [&](auto part) { return path.find(part) != std::string::npos; }))
    return false;
  const auto& entries = images.list(std::string(parent_path(program.path)));
  return !entries.empty() && std::none_of(entries.begin(), entries.end(),
                                          [](const std::string& entry) { return folded(entry).ends_with(ending); });
}

}  // namespace cudald
