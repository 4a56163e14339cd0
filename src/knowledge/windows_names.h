#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudald {

// What of Windows 11 for x64 is known by name alone (data/windows.json). Names are in lower case.

/// A file of System32 in a fresh installation.
bool is_in_system32(const std::string& name);
/// Taken from System32 whatever else lies on the way.
bool is_known_dll(const std::string& name);
/// Whether a name is an API set of the schema, which stands for another DLL and never is a file.
bool is_api_set(std::string_view name);
/// Whether Windows 7 has it: all others are newer. Its redistributables bring files by the names of newer ones.
bool is_api_set_of_windows_7(std::string_view name);
/// Whether it is spelled like one, of this Windows or of another: "api-ms-win-...", "ext-ms-...".
/// Source: Microsoft's "Windows API sets", API set names.
bool looks_like_api_set(std::string_view name);
/// The DLL that an API set stands for, for this importer; nullopt if no DLL of a desktop has it.
std::optional<std::string> api_set_host(std::string_view name, const std::string& importer);
/// Whether an API set of the C runtime or of the core of Windows stands for a DLL, as for ucrtbase.dll; in lower case.
bool is_host_of_api_sets(const std::string& name);
/// A DLL that python.org's folder holds beside python.exe of 3.`minor`.
bool is_beside_python(const std::string& name, int minor);

/// What brings a DLL into System32 that a fresh Windows lacks, and most machines with CUDA have.
struct LaterPackage {
  std::string title, command;
  std::string source;
  bool likely = true;  ///< nothing repeats the proof that it brings this DLL
};
std::optional<LaterPackage> added_later(const std::string& name);

/// What brings a DLL that most machines lack: an older redistributable, Visual Studio, a feature of Windows.
struct DllInstaller {
  std::string says;  ///< "it comes with the Visual C++ 2013 redistributable"
  struct Way {
    std::string title, command;
    std::string machine;  ///< "i386", of a command for that alone; else empty
  };
  std::vector<Way> ways;
  std::string lacks;  ///< why the DLL may lack a function that a file imports; may be empty
  std::string source;
  bool beside = false;        ///< it is no part of Windows: a copy beside a program or in a package is as good
  bool with_program = false;  ///< it comes with the program that needs it, and only who makes that can add it
};
std::optional<DllInstaller> installer_of(const std::string& name);

/// A DLL that has the functions of a program for its modules.
struct ProgramDll {
  std::string program;  ///< "PHP"
  std::string release;  ///< "7", as its name has it
  std::string build;    ///< "with thread safety (TS)"; may be empty
  std::string source;
};
std::optional<ProgramDll> program_dll(const std::string& name);

/// What takes the place of a command of winget on a Windows of a build that has no winget; nullopt if that has it, or
/// if nothing is known to.
struct WithoutWinget {
  std::string command, source;
};
std::optional<WithoutWinget> without_winget(const std::string& command, int build);

/// The first build of Windows whose DLL has a function that older releases lack; names of DLLs in lower case.
struct SinceWindows {
  int build = 0;
  std::string release;  ///< "Windows 10 version 1607"
  std::string source;
};
std::optional<SinceWindows> since_windows(const std::string& dll, const std::string& function);
/// The same of a function alone, whichever DLL has it.
std::optional<SinceWindows> since_windows(const std::string& function);
/// The same of a DLL that older releases lack.
std::optional<SinceWindows> dll_since_windows(const std::string& dll);

/// The assembly whose DLL alone has a function, which Windows gives to a program whose manifest names it.
struct FunctionOfAssembly {
  std::string dll;                       ///< "comctl32.dll"
  std::string assembly, version, token;  ///< "Microsoft.Windows.Common-Controls", "6.0.0.0", the key of who signed it
  std::string source;
};
std::optional<FunctionOfAssembly> assembly_with(const std::string& function);

/// Directories, with one * for a name, in which what installs a DLL keeps it outside of PATH.
std::vector<std::string> directories_of(const std::string& name);

/// What Windows has a DLL in System32 for that others bring in versions of their own.
struct OwnCopy {
  std::string says, source;
};
std::optional<OwnCopy> own_copy(const std::string& name);

/// A system on Windows whose packages are only ever upgraded together.
struct RollingPackages {
  std::string name;                   ///< "MSYS2"
  std::vector<std::string> prefixes;  ///< names of directories in which it installs: "mingw64"
  std::string mark;                   ///< a directory beside these: "var/lib/pacman/local"
  std::string command, source;
  std::string install;                        ///< of a package of Python, with {prefix} and {name}
  std::map<std::string, std::string> called;  ///< what packages call a prefix: "ucrt-x86_64" for ucrt64
  std::string search;                         ///< finds and installs the package of a file, with {path}
};
const std::vector<RollingPackages>& rolling_packages();

/// Whether a fresh Windows has a side-by-side assembly of this name and version.
bool is_assembly_of_windows(const std::string& name, std::string_view version);
/// The command that installs an assembly; empty if none is known.
std::string assembly_installer(const std::string& name);
std::string assemblies_source();

/// Which releases a DLL of CUDA serves by its name: "every CUDA 12.x"; nullopt if that is not known. The name is in
/// lower case.
std::optional<std::string> releases_of(const std::string& name);
std::string releases_source(const std::string& name);

/// Where the names of System32 come from, for the evidence.
std::string windows_names_source();
/// The same for all that is known by name, with what of it no test repeats.
std::string windows_tables_source();

}  // namespace cudald
