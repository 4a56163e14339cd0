#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>

#include <cudald/finding.h>
#include <cudald/report.h>

#include "store/store.h"

namespace cudald {

class Loader;        // loader/loader.h
class NearFiles;     // check/findings/near_dlls.cc
struct Request;      // loader/loader.h
struct WindowsHost;  // machine/windows_host.h

/// What a check is given: the report that it reads and adds findings to, what was read of the tree, and the rules of
/// the machine, as far as it came to them.
struct Case {
  Report& report;
  Store& store;
  const Loader* loader = nullptr;         ///< of the process, on Linux; nullptr if none was started
  const WindowsHost* windows = nullptr;   ///< the machine, on Windows; nullptr if no process was started
  const Report* fresh_windows = nullptr;  ///< the same question on a Windows on which nothing was installed, where that
                                          ///< had to be asked
  /// What own_choice has found, by name, kind and requester: several checks ask for the driver's library.
  mutable std::map<std::tuple<std::string, EdgeKind, ObjectId>, const OpenedFile*> own_choices = {};
  /// The files among which near_dlls looks for each name.
  mutable std::shared_ptr<NearFiles> near_files = {};
};

/// Whether DLLs that a fresh Windows lacks are loaded by none but requests that may fail: what then becomes of the
/// others is seen where they do fail.
bool asks_for_fresh_windows(const Case&);

/// Makes a finding with the name and level that the catalogue gives to its code.
Finding make_finding(std::string_view code);

/// The release of CUDA whose runtime a requirement brings: "12.8"; empty if none says.
std::string cuda_of(const World&);

/// Runs every check on a resolved and bound report; fills findings (worst first), verdict and headline.
void judge(const Case&);

// The checks, one file each. Each adds its findings to the report.
void check_packages(const Case&);         ///< CUD505, 506, 507, 901, 902: what is wrong with the wheels
void check_requirements(const Case&);     ///< CUD501: what a package needs and may not count on
void check_programs(const Case&);         ///< CUD101, 112, 501: a program of a package that does not start
void check_variants(const Case&);         ///< CUD508: a wheel variant whose claims its files do not keep
void check_sboms(const Case&);            ///< CUD509: an SBOM that does not name what the package carries of CUDA
void check_policy(const Case&);           ///< CUD503: a platform tag that promises more than the wheel fits
void check_packaging_rules(const Case&);  ///< CUD502, 510, 701 to 709: what the packager's own rules say
void check_interpreter(const Case&);      ///< CUD101, 123, 126: the loader that a program names
void check_targets(const Case&);          ///< CUD904: a target that cannot be read or loaded at all
/// CUD904, and no other finding: what the system refused while the answer was made.
void tell_refusals(Report&, const std::vector<Error>&);
void check_imports(const Case&);            ///< CUD114, 902: an import that fails in Python itself
void check_refused_modules(const Case&);    ///< CUD514 of modules that no import reaches
void check_untold_imports(const Case&);     ///< CUD114: one that fails, and no finding says so
void check_libraries(const Case&);          ///< CUD101, 102, 103, 106, 112: a name that finds no usable file
void check_windows(const Case&);            ///< CUD101, 102, 103, 111, 112, 116 for PE files
void check_windows_copies(const Case&);     ///< CUD122: System32 answers for a DLL of others
void check_delay_imports(const Case&);      ///< CUD404: a DLL of a delay import that is missing
void check_windows_runtime(const Case&);    ///< CUD121: a C++ runtime that is older than a compiler
void check_windows_functions(const Case&);  ///< CUD201, 203 for PE files
void check_added_later(const Case&);        ///< CUD115: a DLL that a fresh Windows does not have
void check_versions(const Case&);           ///< CUD202
void check_symbols(const Case&);            ///< CUD201
void check_symbol_releases(const Case&);    ///< CUD201 of CUDA: which release has the function
void check_python_2(const Case&);           ///< CUD201: whether the file is a module of Python 2
void check_hidden_modules(const Case&);     ///< whether a file that fails hides another module of that name
void check_other_copies(const Case&);       ///< CUD201: which copy of a library that is loaded has the symbol
void check_known_symbols(const Case&);      ///< CUD201: what the table of messages says of the symbol
void check_bound_at_start(const Case&);     ///< CUD201 of what only LD_BIND_NOW has looked up
void check_cxx_libraries(const Case&);      ///< CUD201 of std: the C++ library of GCC or Clang, which nothing loads
void check_other_builds(const Case&);       ///< CUD201 of C++: which library has the function for other builds
void check_newer_glibc(const Case&);        ///< CUD124: a newer glibc than the tag's refuses a file
void check_copied_data(const Case&);        ///< CUD206: a copied variable has another size in its library
void check_host_release(const Case&);       ///< CUD207: a module made for another release of what opens it
void check_lacking_libraries(const Case&);  ///< CUD201 of C: which library should have the function
void check_interposition(const Case&);      ///< CUD205: another build of a library answers for its own
void check_symbol_definers(const Case&);    ///< CUD201: which library that nothing loads has the symbol
void check_search_paths(const Case&);       ///< CUD107, 108
void check_first_in_process(const Case&);   ///< CUD125: a runtime that has to be the first library
void check_static_tls(const Case&);         ///< CUD118: a library that a dlopen would refuse
void check_alternatives(const Case&);
void check_cycles(const Case&);         ///< CUD113
void check_renamed(const Case&);        ///< CUD101 of a library that has another name now
void check_shadowed(const Case&);       ///< CUD109
void check_luck(const Case&);           ///< CUD104, 110: found, but not by the requester's own means
void check_constants(const Case&);      ///< CUD401: what files may open by names among their constants
void check_components(const Case&);     ///< CUD403: it is not what was imported that asks for CUDA
void check_runtimes(const Case&);       ///< CUD302, 303, 308: several CUDA runtimes, or majors, in one process
void check_cudnn(const Case&);          ///< CUD304, 305, 306: which cuDNN it is
void check_driver(const Case&);         ///< CUD301: the driver that was stated
void check_driver_stub(const Case&);    ///< CUD309: what is found as the driver is the toolkit's stub
void check_no_driver(const Case&);      ///< CUD310: software for GPUs where there is no driver
void check_hidden_gpus(const Case&);    ///< CUD315: CUDA_VISIBLE_DEVICES names none
void check_two_drivers(const Case&);    ///< CUD314: the driver's library and its kernel module are not of one release
void check_gpu_code(const Case&);       ///< CUD307: no code for a GPU that the machine has
void check_altered_files(const Case&);  ///< what helps against findings about files that were altered
void check_replaced_packages(const Case&);  ///< CUD316: a build for CUDA whose files another package has replaced
void check_environment(const Case&);        ///< CUD516, and requirements that are not met where an import fails
void check_message(const Case&);            ///< CUD117, CUD311: what a pasted message proves, and the files do not show
void check_files(const Case&);              ///< CUD901, 902: what is wrong with the files themselves

/// The release of the driver's module in the running kernel, by /proc/driver/nvidia/version; empty if none is there.
std::string kernel_driver(const FileSystem&);
/// Whether a libcuda.so.1 lies where packages of cuda-compat put it: /usr/local/cuda-12.9/compat, PREFIX/cuda-compat of
/// conda.
bool is_of_compat(const std::string& path);
/// The release of the driver that is judged: as stated, else that of its library that a loader finds; of a package
/// cuda-compat, that of the package. Empty: it is not known.
std::string driver_release(const Case&);
/// The libcuda.so.1 that who calls the driver would find; nullptr if there is none.
const OpenedFile* driver_library_found(const Case&);
/// Who calls the driver: what holds a CUDA runtime, loaded now or on use, and what needs the driver and misses it.
std::vector<ObjectId> callers_of_driver(const Report&);
/// The file that a requester's own search would take, were nothing loaded; nullptr if it finds none.
const OpenedFile* own_choice(const Case&, const Request&);
/// Of what LD_LIBRARY_PATH answers: the first other file that the loader would take without it; empty if there is none.
std::string next_in_search(const Case&, ObjectId requester, const Edge&);

/// How bad it is if a request fails.
Level level_of_failure(const Report&, const Target& request);

/// What the user named, without the requests that make up another target.
std::vector<const Target*> own_targets(const Report&);
/// The target that the user named, of which the request that brought an object in is a part.
const Target& whole_target(const Report&, ObjectId);

/// The import of a target that fails, or else its first; nullptr if it has none.
const Import* import_of(const Report&, const Target& whole);

/// What Python prints when an import fails: "`import torch` raises ImportError: ..."; empty if it is no import.
std::string raised(const Report&, const Target& whole);

/// How an object is called in a sentence: its file name.
std::string short_name(const Object&);

}  // namespace cudald
