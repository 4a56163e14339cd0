#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cudald {

/// What the machine that cudald runs on says of its Windows.
struct ThisWindows {
  std::string directory;             ///< "C:\Windows"
  std::string build;                 ///< "10.0.22631.4169"
  std::vector<std::string> drives;   ///< "C:"
  std::set<std::string> known_dlls;  ///< in lower case
  bool safe_search = true;           ///< SafeDllSearchMode
  /// Where Python is installed, the newest first: "3.12" and "C:\Python312".
  std::vector<std::pair<std::string, std::string>> pythons;
};

/// Read once; nullptr on Linux.
const ThisWindows* this_windows();

}  // namespace cudald
