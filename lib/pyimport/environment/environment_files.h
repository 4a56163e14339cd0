#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "pyimport/run_import.h"

namespace cudald {

/// "3.11" out of "python3.11", "3.11.7" or "3.11t"; empty if there is none.
std::string version_in(std::string_view text);
/// 11 for "3.11".
int minor_of(std::string_view version);
/// 7 for "3.11.7" and "3.11.7.final.0"; 0 if it says none.
int micro_of(std::string_view text);
/// `home`, `version` and so on of pyvenv.cfg, their names in lower case. Of one that stands there twice the first
/// counts, but for include-system-site-packages. Source: CPython 3.11 Modules/getpath.py; Lib/site.py, venv.
std::map<std::string, std::string> read_settings(const FileSystem& files, const std::string& path);
/// Whether a virtual environment with these settings has the packages of its base: unless it says otherwise.
/// Python's version as pyvenv.cfg says it.
void take_version(const std::map<std::string, std::string>& settings, PythonEnvironment&);
bool has_system_site(const std::map<std::string, std::string>& settings);

/// What a variable is set to; empty if it is not.
std::string variable_of(const PythonEnvironment&, const std::string& name);

/// Whether packages are installed into a folder of sys.path.
bool is_site_folder(std::string_view path);

/// Puts the folders of sys.path together, each once. More of them, and longer .pth files, than anybody has are a note.
class PathBuilder {
 public:
  PathBuilder(const FileSystem& files, PythonEnvironment& environment) : files_(files), environment_(environment) {}

  void add(const std::string& folder);
  /// A folder whose .pth files count, as site.addsitedir does, and since Python 3.15 its .start files.
  /// Source: CPython 3.11 and 3.15 Lib/site.py.
  void add_site(const std::string& folder);

 private:
  const FileSystem& files_;
  PythonEnvironment& environment_;
  std::vector<std::string> lines_of(const std::string& folder, const std::string& name);
  void read_pth(const std::string& folder, const std::string& name, bool runs_imports);
  void read_start(const std::string& folder, const std::string& name);
  void refuse(const std::string& what);

  std::set<std::string> seen_;
  std::uint64_t bytes_ = 0, lines_ = 0;  ///< of .pth files
  std::ptrdiff_t entry_points_ = 0;      ///< of .start files: the last ones of what runs at start-up
  bool full_ = false;
};

}  // namespace cudald
