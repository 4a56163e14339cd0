#include "loader/windows/windows_errors.h"

#include <algorithm>

namespace cudald {

using namespace windows_error_number;

std::string windows_error_text(int error) {
  switch (error) {
    case 2: return "The system cannot find the file specified.";
    case 3: return "The system cannot find the path specified.";
    case 87: return "The parameter is incorrect.";
    case module_not_found: return "The specified module could not be found.";
    case procedure_not_found: return "The specified procedure could not be found.";
    case invalid_ordinal: return "The operating system cannot run %1.";
    case bad_exe_format: return "%1 is not a valid Win32 application.";
    case side_by_side:
      return "The application has failed to start because its side-by-side configuration is incorrect. Please see the "
             "application "
             "event log or use the command-line sxstrace.exe tool for more detail.";
    default: return "Error " + std::to_string(error) + ".";
  }
}

std::string windows_error(int error, WindowsCaller caller, const std::string& name, int python_minor) {
  const auto text = windows_error_text(error);
  switch (caller) {
    case WindowsCaller::python_import:
      return "ImportError: DLL load failed" + (python_minor >= 8 ? " while importing " + name : "") + ": " + text;
    case WindowsCaller::ctypes:
      if (error == module_not_found && python_minor >= 8)
        return "FileNotFoundError: Could not find module '" + name +
               "' (or one of its dependencies). Try using the full path with constructor syntax.";
      return "OSError: [WinError " + std::to_string(error) + "] " + text.substr(0, text.size() - 1);
    case WindowsCaller::program: break;
  }
  return "LoadLibrary of " + name + " fails with error " + std::to_string(error) + ": " + text;
}

std::string windows_start_error(int error, const std::string& name) {
  switch (error) {
    case module_not_found: return "The code execution cannot proceed because " + name + " was not found. (0xc0000135)";
    case side_by_side: return windows_error_text(error);
    case procedure_not_found: return "The procedure entry point " + name + " could not be located. (0xc0000139)";
    case invalid_ordinal:
      return "The ordinal " + name.substr(name.find('#') + 1) + " could not be located. (0xc0000138)";
    default: return "The application was unable to start correctly (0xc000007b).";
  }
}

int windows_search_error(const Search& search) {
  const bool absent = std::all_of(search.probes.begin(), search.probes.end(),
                                  [](const Probe& probe) { return probe.result == ProbeResult::absent; });
  return absent ? module_not_found : bad_exe_format;
}

WindowsFailure first_windows_failure(const Resolution& resolution, ObjectId first_new) {
  for (const auto& objection : resolution.objections)
    if (objection.object >= first_new) return {side_by_side, objection.message};
  for (auto id = first_new; id < resolution.objects.size(); ++id)
    for (const auto& edge : resolution.objects[id].edges)
      if (edge.hard && !edge.object) return {windows_search_error(edge.search), edge.name};
  return {};
}

}  // namespace cudald
