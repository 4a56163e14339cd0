#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <cudald/environment.h>

namespace cudald {

struct ThisWindows;  // os/this_windows.h
struct WindowsHostFile;

/// Where a folder of Windows lies in the tree.
struct WindowsMount {
  std::string path;    ///< "C:\Python311\Lib\site-packages", "Z:"
  std::string folder;  ///< in the tree; "/" for its root
};

/// The machine and the process as far as the search for DLLs asks. A plain value.
struct WindowsHost {
  std::string windows = "C:\\Windows";
  std::string application;  ///< the folder of the program
  std::string current;
  std::vector<std::string> path;                     ///< the folders of PATH
  std::vector<std::string> user_folders;             ///< AddDllDirectory, os.add_dll_directory
  std::optional<std::string> dll_directory;          ///< SetDllDirectory
  std::optional<std::uint32_t> default_directories;  ///< SetDefaultDllDirectories: its flags
  bool fresh = false;                ///< nothing was installed on it, not even the redistributable of Visual C++
  bool safe_search = true;           ///< SafeDllSearchMode
  bool wide = true;                  ///< a 64-bit process on 64-bit Windows; else a 32-bit one
  bool arm = false;                  ///< on a processor of ARM, and built for it
  int python_minor = 0;              ///< 3.N in `application`; 0: no Python
  bool conda = false;                ///< that Python is conda's
  bool python_has_files = false;     ///< it lies in the tree: what it lacks is not there
  bool has_files = false;            ///< Windows itself lies in the tree: what it lacks is not there
  bool partial = false;              ///< of that the tree has a part alone: what API sets stand for may be there
  std::string build;                 ///< "10.0.22631"; empty: unknown
  std::set<std::string> known_dlls;  ///< in lower case; empty: those of the tables
  std::shared_ptr<const WindowsHostFile> described;  ///< what its folders hold, by name; may be none
  std::vector<WindowsMount> mounts;                  ///< the first whose path fits counts

  /// System32, or SysWOW64 for a 32-bit process, which sees that one under the name of the other.
  std::string system() const { return windows + (wide ? "\\System32" : "\\SysWOW64"); }
};

/// A fresh Windows 11 for x64 of which the tree shows drive Z:, or drive C: if it holds a copy of Windows.
WindowsHost neutral_windows(const Environment&, bool copy_of_windows);
/// The machine that cudald runs on, all of whose drives the tree shows. Only for Windows.
WindowsHost windows_here(const Environment&, const ThisWindows&);
/// The variables that every process of Windows has, for a user called "user", with those that were stated and PATH. The
/// names are in upper case.
std::map<std::string, std::string> windows_variables(const WindowsHost&,
                                                     const std::map<std::string, std::string>& stated);
/// 22631 of "10.0.22631", of the machine or of what describes it; 0 if it is not known.
int build_number(const WindowsHost&);
/// What PROCESSOR_ARCHITECTURE and platform.machine() say: AMD64, ARM64 or x86.
std::string processor_architecture(const WindowsHost&);
/// python.org's folder for 3.`minor`, as its installer names it for all users.
std::string python_folder(int minor);

}  // namespace cudald
