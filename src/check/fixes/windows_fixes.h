#pragma once

#include <map>
#include <string>
#include <vector>

#include <cudald/report.h>

#include "check/findings/near_dlls.h"

namespace cudald {

struct DllInstaller;  // knowledge/windows_names.h
struct Provider;      // knowledge/providers.h

/// The words of commands between double quotes, as cmd.exe takes them: between single ones < and > would redirect.
void quote_for_windows(Report&);

/// A command that installs something for x64, for the machine of the process.
std::string command_for_machine(std::string command, std::string_view machine);

/// Where a DLL that is missing, or that lacks functions, is to be put.
struct PlaceOfDll {
  std::string beside;  ///< in words: "the program"
  std::string folder;  ///< as Windows spells it
};

/// What data/windows.json says brings a DLL of that name, for the machine of the process.
std::vector<Fix> ways_to_bring(const DllInstaller&, const std::string& dll, const PlaceOfDll&,
                               std::string_view machine);

/// What helps against a DLL that is not found, in commands for a console of Windows.
class WindowsFixes {
 public:
  explicit WindowsFixes(const Case&);
  /// `site_packages` is how Windows spells the folder that stands for the one of whoever installs wheels; commands ask
  /// Python where that is.
  WindowsFixes(Report& report, std::string site_packages, const FileSystem& files)
      : report_(report), site_packages_(std::move(site_packages)), files_(files) {}

  /// For a finding about one search, which names its object. `unusable` is the file that was refused, or nullptr.
  void add_fixes(const Edge&, const Probe* unusable, const std::vector<NearDll>&, Finding&);
  /// Where one object misses several DLLs: to the first of these findings, what helps against all of them.
  void add_common_fixes();

 private:
  struct Remedy {
    std::string requirement;  ///< what pip installs; empty: it is there
    std::string folder;       ///< to be added to the search; empty: it is searched
    bool limited{};           ///< by os.add_dll_directory, not by PATH
  };

  void tell_shared_command();
  void add_copy_fix(const Edge&, const NearDll&, Finding&);
  void add_folder_fix(const Edge&, const std::string& folder, Finding&);
  void add_fitting_copy(const Probe& unusable, const NearDll& fitting, const Edge&, Finding&);
  bool add_host_program_fix(const Edge&, Finding&);
  void add_api_set_fix(const Edge&, Finding&);
  void add_pip_fixes(const Edge&, Finding&);
  /// A directory in which a DLL is found that the finding's object needs: its own, if that is searched.
  std::string folder_for(const Edge&, const Finding&) const;
  /// What the author of the package has to change.
  void add_recipe(const Provider&, bool searched, Finding&) const;
  std::string cuda_major() const;
  bool is_python_process() const;
  /// "C:\\venv\\Scripts\\python.exe -m pip install " of the Python that the finding's object is of.
  std::string pip_install(ObjectId) const;
  void add_other_file(const Probe& unusable, const std::vector<NearDll>&, const Edge&, Finding&);
  void add_right_machine(const Probe& unusable, const Edge&, Finding&) const;
  bool is_in_site(const std::string& folder) const;
  /// For a console: they come first in PATH.
  std::string set_path(std::vector<std::string> folders) const;
  /// Python that adds them to what its imports search.
  std::string add_dll_directories(const std::vector<std::string>& folders) const;

  Report& report_;
  std::string site_packages_;
  const FileSystem& files_;
  std::map<ObjectId, std::map<std::string, Remedy>> remedies_;  ///< by requester and name of the DLL
};

}  // namespace cudald
