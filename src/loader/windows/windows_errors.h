#pragma once

#include <string>

#include <cudald/resolution.h>

namespace cudald {

/// Error numbers of the system by which a load fails. Source: Microsoft's "System Error Codes".
namespace windows_error_number {
inline constexpr int module_not_found = 126, procedure_not_found = 127, invalid_ordinal = 182, bad_exe_format = 193,
                     side_by_side = 14001;
/// No error of the system: it loads the module, and Python takes it back.
inline constexpr int refused_by_python = -1;
}  // namespace windows_error_number

/// Who calls, which decides what a user reads of an error.
enum class WindowsCaller { program, python_import, ctypes };

/// The text of the system for an error number, with its full stop. Source: Microsoft's "System Error Codes".
std::string windows_error_text(int error);
/// The line that the caller prints if a load fails; `name` is the module's or what was asked for.
/// Source: CPython as above, and Python/errors.c, PyErr_SetExcFromWindowsErrWithFilenameObjects.
std::string windows_error(int error, WindowsCaller, const std::string& name, int python_minor);

/// What the user sees if a program does not start; `name` is what is missing.
/// Source: Microsoft's "NTSTATUS Values"; message boxes of Windows 10.
std::string windows_start_error(int error, const std::string& name);

/// The error of a search that gave no module: 126 if nothing was there, 193 if what was there could not be used.
int windows_search_error(const Search&);

/// Why a load or a start fails.
struct WindowsFailure {
  int code = 0;        ///< of the system; 0: it does not fail
  std::string detail;  ///< what it is about
};

/// The first of what fails among the objects from `first_new` on: an assembly that is missing, or else an import that
/// found nothing usable.
WindowsFailure first_windows_failure(const Resolution&, ObjectId first_new);

}  // namespace cudald
