#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <cudald/request.h>
#include <cudald/result.h>
#include <cudald/world.h>

#include "package/package_tree.h"
#include "pyimport/run_import.h"
#include "session/session_state.h"

namespace cudald {

struct Query;  // cudald/query.h

/// The Python in which modules of the query are looked up: the query's prefix, else with wheels a neutral one, else the
/// active one. Wheels come before what is installed. Error if there is none.
Result<PythonEnvironment> find_target_python(const Query&, const PackageTree&);

/// Puts the directory of the packages that are asked about alone first in sys.path, with what their .pth files add, as
/// site.py does. Source: Lib/site.py.
void put_packages_first(const PackageTree&, PythonEnvironment&);

/// What a world says of the Python in it: its version, and the modules of packages that are required and not at hand.
void enter_world(const World&, PythonEnvironment&);

/// What earlier steps of a fix bring is there, and nothing is known of it.
void assume_there(const AssumedNames&, PythonEnvironment&);

/// The only "3.11" among tags like cp311-cp311-win_amd64 and cp311-none-win_amd64; empty for abi3 and pure Python.
std::string version_of_tags(const std::vector<std::string>& tags);

/// What a target asks for, without the mark of a module: "torch" for "py:torch".
std::string without_mark(const std::string& given);

/// "torch" and "torch.cuda", but not "libc10.so" or "7z".
bool is_module_name(std::string_view text);

/// Whether the first part of a module's name is found in the folders of sys.path.
bool has_module(const std::string& name, const PythonEnvironment&, const FileSystem&);

/// The modules that a name means: the one that is called so, else those of the installed distribution that is called
/// so ("scikit-learn", "onnxruntime-gpu"); empty if it is neither.
std::vector<std::string> modules_called(const std::string& given, const PythonEnvironment&, const FileSystem&);

/// What py:NAME asks for: a name that a module can have is one, as `import` takes it; another one means the modules of
/// the distribution that is called so, and itself if none is.
std::vector<std::string> modules_or_name(const std::string& given, const PythonEnvironment&, const FileSystem&);

/// The installed module or distribution that is called nearly so: "numpy" for "nunpy"; empty if none is.
std::string near_name(const std::string& given, const PythonEnvironment&, const FileSystem&);

/// The modules by which a package with shared libraries is imported: those of its top folder that hold some of them,
/// the one that is called like the package first.
std::vector<std::string> imported_names(const Package&, const PythonEnvironment&, const FileSystem&);

/// "pkg.sub.fast" of a compiled module's file in a directory of sys.path.
std::string module_name(const std::string& path, const PythonEnvironment&);

/// The request that would load an extension module of a package of which `imported` was imported without coming to it;
/// `works`: that import itself does not fail.
DlopenRequest load_of_unreached(const std::string& module_path, const std::string& imported, bool works,
                                const PythonEnvironment&);

}  // namespace cudald
