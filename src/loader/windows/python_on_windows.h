#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cudald {

struct Image;

// What CPython for Windows makes of its own DLLs, beside the search that LoadLibraryEx does.
// Source: CPython Python/dynload_win.c; PCbuild/python.vcxproj, whose program imports these DLLs.

/// What python.exe of 3.`minor` imports: they are loaded in every process of Python.
std::vector<std::string> dlls_of_python(int minor);

/// 8 for "python38.dll", in any case; 0 for other names, "python3.dll" among them.
int python_minor_of_dll(std::string_view name);

/// The DLL of another Python that a module imports, for which CPython refuses the module once it is loaded: the first
/// "pythonNN.dll" among its imports, compared without case; empty if there is none, or it is that of 3.`minor`.
/// Source: Python/dynload_win.c, GetPythonImport.
std::string other_python_of(const Image&, int minor);

/// Whether a name is "python3.dll", which CPython loads from beside pythonNN.dll before its first module, so that it is
/// there whatever the search. Source: Python/dynload_win.c and PC/getpathp.c, _Py_CheckPython3.
bool is_stable_python_dll(std::string_view name);

}  // namespace cudald
