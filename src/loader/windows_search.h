#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/resolution.h>

#include "machine/windows_host.h"

namespace cudald {

/// The flags of LoadLibraryEx; LoadLibrary and the start of a program have none.
struct WindowsLoadFlags {
  bool altered_search_path = false;  ///< LOAD_WITH_ALTERED_SEARCH_PATH
  // LOAD_LIBRARY_SEARCH_*; with any of them only what they name is searched.
  bool dll_load_folder = false;
  bool application_folder = false;
  bool user_folders = false;
  bool system = false;

  /// Of the number that LoadLibraryEx is given.
  static WindowsLoadFlags of(std::uint32_t number);
  bool limited() const { return dll_load_folder || application_folder || user_folders || system; }
  /// LOAD_LIBRARY_SEARCH_DEFAULT_DIRS.
  static WindowsLoadFlags default_folders() { return {false, false, true, true, true}; }
};

/// One call that loads, and with it the whole tree of imports of what it loads.
struct WindowsLoad {
  WindowsLoadFlags flags;
  std::string folder;  ///< of the file that was asked for by its full path; else empty
};

struct WindowsFolder {
  std::string path;
  SearchRule rule = SearchRule::path;
};

struct WindowsSearch {
  std::vector<WindowsFolder> folders;
  std::vector<SkippedRule> skipped;  ///< `before` counts folders
};

/// The folders in which a bare name is looked for.
/// Source: Microsoft's "Dynamic-link library search order" and LoadLibraryExW.
WindowsSearch windows_folders(const WindowsHost&, const WindowsLoad&);

/// The name that is looked for: ".dll" is added to one without extension, and a dot at its end is taken off.
/// Source: Microsoft's LoadLibraryExW, "lpLibFileName".
std::string windows_module_name(std::string_view asked);

/// How CPython loads an extension module. Source: CPython Python/dynload_win.c, _PyImport_FindSharedFuncptrWindows.
/// conda's builds before 3.10 do as 3.7 did; conda-forge/python-feedstock, Add-CondaEcosystemModifyDllSearchPath.patch.
WindowsLoadFlags python_load_flags(int python_minor, bool conda = false);
/// How ctypes.CDLL loads if it is not told otherwise. Source: CPython Lib/ctypes/__init__.py, CDLL.__init__, and 3.7's
/// Modules/_ctypes/callproc.c, load_library.
WindowsLoadFlags ctypes_load_flags(int python_minor, const std::string& name);

}  // namespace cudald
