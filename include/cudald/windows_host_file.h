#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/result.h>

namespace cudald {

/// A machine with Windows as tools/capture-windows-host.ps1 describes it (schema cudald/host 1.0).
struct WindowsHostFile {
  std::string windows = "C:\\Windows";
  std::string build;                                     ///< "10.0.22631"
  std::map<std::string, std::set<std::string>> folders;  ///< folder -> DLLs in it; both in lower case
  std::set<std::string> known_dlls;                      ///< in lower case
  std::vector<std::string> path;
  std::map<std::string, std::string> variables;  ///< CUDA_PATH and its like
  std::string python_folder;                     ///< empty: no Python was found
  int python_minor = 0;
  bool conda = false;

  bool has(const std::string& lower_folder, const std::string& lower_name) const;
  /// Whether it is known what a folder holds.
  bool knows(const std::string& lower_folder) const { return folders.contains(lower_folder); }
};

/// Error{usage}, with what is wrong, for a text that is no such description.
Result<WindowsHostFile> read_windows_host(std::string_view json);

}  // namespace cudald
