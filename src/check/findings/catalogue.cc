// Every finding that cudald can make. Codes are stable for ever and never reused. In the longer
// texts, indented lines are shown as they are, and the others as running text.

#include <algorithm>
#include <array>
#include <cctype>

#include <cudald/finding.h>

namespace cudald {
namespace {

constexpr std::array catalogue = {
    FindingRule{"CUD101",
                "library-not-found",
                Level::error,
                "A needed library is not found in any directory that the loader searches.",
                R"~(A name without a slash is searched for, in this order, in: the DT_RPATH of the file that needs it
and of the files that loaded that one (only if the file has no DT_RUNPATH), LD_LIBRARY_PATH, the
DT_RUNPATH of the file, /etc/ld.so.cache, and the system directories. If nothing fits, the program
ends before main() with "cannot open shared object file: No such file or directory", and a dlopen
returns NULL with the same message in dlerror(). On Windows the directories depend on the call
(CUD111), and the message, error 126, names the requested file, not the import of it that is
missing.
Source: ld.so(8); glibc elf/dl-load.c, _dl_map_object. musl: ldso/dynlink.c, load_library.)~",
                R"~(  $ cudald explain ./train
  FAILS  train does not load: libcudart.so.12 is not found in any directory the loader searches)~",
                R"~(Install a package that provides exactly this file name, or add its directory to the search:
DT_RUNPATH of the file that needs it (patchelf --add-rpath), or LD_LIBRARY_PATH for one shell. A
directory below site-packages is not searched just because a package was installed there. cudald
explain -v shows every place that was searched.)~",
                {.lacks_library = true}},
    FindingRule{"CUD102",
                "other-abi-only",
                Level::error,
                "Only another major version of the library is installed; it cannot replace the needed one.",
                R"~(The number after ".so." is part of the name that the loader compares. CUDA, cuDNN and most other
libraries change it when functions or structures change. Their symbols also have versions, so that
even a symbolic link with the needed name fails with "version `libcudnn.so.8' not found".
Source: glibc elf/dl-version.c, match_symbol; the System V ABI on DT_SONAME.)~",
                R"~(  libcudart.so.11.0 is needed, and only libcudart.so.12 is installed.)~",
                R"~(Install the needed version, beside the other one if necessary: two versions with different names do
not disturb each other. Or use a build of the program for the installed version. A symbolic link
does not help.)~",
                {.lacks_library = true}},
    FindingRule{"CUD103",
                "wrong-machine",
                Level::error,
                "A file of the right name was found, but for another processor or word size.",
                R"~(glibc silently skips a file for another machine and continues the search; in the end it prints "No
such file or directory", although a file exists. A file of the other word size is remembered: "wrong
ELF class: ELFCLASS32". musl stops with "Exec format error". Windows skips the file as well, and
ends with error 193, "%1 is not a valid Win32 application".
Source: glibc elf/dl-load.c, open_verify; musl ldso/dynlink.c, load_library.)~",
                R"~(  /opt/cuda/lib64/libcudart.so.12 is for aarch64, the program for x86_64.)~",
                R"~(Install the build for this machine, and put its directory before the other one or remove the other
file.)~",
                {.lacks_library = true}},
    FindingRule{"CUD104", "found-by-environment-only", Level::note,
                "A library is found only because LD_LIBRARY_PATH is set as it is now.",
                R"~(LD_LIBRARY_PATH belongs to one shell or service, not to the file. If it is not set (cron, systemd,
sudo, an IDE, a set-user-ID program, for which the loader ignores it), the same program can fail or
find another copy.
Source: ld.so(8), LD_LIBRARY_PATH and "Secure-execution mode".)~",
                R"~(  $ LD_LIBRARY_PATH=/opt/cuda/lib64 ./train      works
  $ sudo ./train                                 libcudart.so.12: cannot open shared object file)~",
                R"~(Add the directory to the DT_RUNPATH of the file (patchelf --add-rpath '$ORIGIN/...'), or to
/etc/ld.so.conf.d and run ldconfig.)~"},
    FindingRule{"CUD106",
                "runpath-hides-prefix",
                Level::error,
                "The library is in the environment, but a DT_RUNPATH disables the DT_RPATH that leads to it.",
                R"~(If the file that needs the library has a DT_RUNPATH, glibc uses neither its DT_RPATH nor those of
the program and of the other files that loaded it. Programs from conda find their libraries by a
DT_RPATH of $ORIGIN/../lib; a library with its own DT_RUNPATH does not.
Source: ld.so(8), "using the directories specified in the DT_RPATH"; glibc elf/dl-load.c,
_dl_map_object.)~",
                R"~(  python has DT_RPATH $ORIGIN/../lib, which contains libcudart.so.11.0;
  libonnxruntime_providers_cuda.so has DT_RUNPATH /usr/local/cuda-11.8/lib:
  for it, the DT_RPATH is not searched.)~",
                R"~(Add the directory to the DT_RUNPATH of the file that needs the library (patchelf --add-rpath), or
set LD_LIBRARY_PATH for this environment. Installing the library again does not help: it is there.)~",
                {.lacks_library = true}},
    FindingRule{"CUD107", "current-directory-in-search-path", Level::note,
                "A search path has an empty or relative element: the current directory is searched.",
                R"~(An empty element of DT_RPATH, DT_RUNPATH or LD_LIBRARY_PATH (a colon at the start or end, or two in
a row) means the current directory of the process, and a relative element is below it. Anyone who
can write to a directory from which the program is started can plant a library there.
Source: ld.so(8), LD_LIBRARY_PATH; glibc elf/dl-load.c, fillin_rpath.)~",
                R"~(  DT_RUNPATH "/usr/local/cuda-11.8/lib:" ends with a colon.
  export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:/opt/lib
    has an empty first element if the variable was not set.)~",
                R"~(Remove the empty element: patchelf --set-rpath with the other elements only, or
  export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}/opt/lib)~"},
    FindingRule{"CUD108", "build-path-in-runpath", Level::note,
                "A DT_RPATH or DT_RUNPATH names a directory of the build machine.",
                R"~(The linker writes the given paths (-rpath) into the file unchanged. A path of the build machine
finds nothing elsewhere; and anyone who can create that directory decides what is loaded.
Source: ld.so(8), DT_RUNPATH.)~",
                R"~(  DT_RUNPATH /home/builder/work/_skbuild/lib:$ORIGIN)~",
                R"~(Install with the build path removed: CMake's install step does it with CMAKE_INSTALL_RPATH,
otherwise
  patchelf --set-rpath '$ORIGIN' FILE)~"},
    FindingRule{"CUD109", "shadowed", Level::note,
                "Another file of the same name comes later in the search and is not loaded.",
                R"~(The loader takes the first fitting file in its order of search and never compares it with later
ones. Which copy is loaded can change with LD_LIBRARY_PATH, with the directory of the program, and
with the order in which libraries are loaded.
Source: glibc elf/dl-load.c, _dl_map_object and open_path.)~",
                R"~(  libcudnn.so.9 loads from /opt/cuda/lib64 (LD_LIBRARY_PATH);
  site-packages/nvidia/cudnn/lib contains another one.)~",
                R"~(If the wrong copy is loaded, remove it from the search: unset LD_LIBRARY_PATH, or put the right
directory first.)~"},
    FindingRule{"CUD110", "needs-load-order", Level::note,
                "A library is found only because another file loaded it before.",
                R"~(First the loader compares a name with the names and the DT_SONAME of the libraries that are already
loaded. A match ends the search, whatever directory that library is in. Loaded alone, or in another
order, the same file would search for the library and may find another one, or none.
Source: glibc elf/dl-load.c, _dl_map_object, the loop over the loaded objects.)~",
                R"~(  import torch, then import my_extension     works: torch loaded libcudart.so.12
  import my_extension                        libcudart.so.12: cannot open shared object file)~",
                R"~(Add the directory of the library to the DT_RUNPATH of the file that needs it, or keep the order of
loading and document it.)~"},
    FindingRule{"CUD111",
                "not-on-dll-search-path",
                Level::error,
                "A DLL exists, but not in a directory that this kind of load searches.",
                R"~(A Windows file has no search path of its own. LoadLibrary and the imports of a program search the
directory of the program, System32, the Windows directory, the current directory and PATH. Python
3.8 and later import extension modules with LOAD_LIBRARY_SEARCH_DEFAULT_DIRS and
LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR: then only the directory of the module, that of python.exe, those
given to os.add_dll_directory, and System32 are searched. PATH is not, and a plain LoadLibrary does
not use os.add_dll_directory.
Source: Microsoft's "Dynamic-link library search order"; CPython Python/dynload_win.c.)~",
                R"~(  cudart64_12.dll is in site-packages\nvidia\cuda_runtime\bin, which is not searched.)~",
                R"~(Before the import: os.add_dll_directory(r"DIR"). For a LoadLibrary by name:
  set "PATH=DIR;%PATH%")~",
                {.lacks_library = true}},
    FindingRule{"CUD112",
                "broken-candidate",
                Level::error,
                "A file of the right name comes first in the search, but the loader rejects it and stops.",
                R"~(After a missing file the search continues; after an unusable file it does not. glibc stops at the
first file that is too short, has no ELF header, contradicts itself, is a directory, or needs a
newer processor, and the whole start or dlopen fails, even if the next directory has a good copy.
Source: glibc elf/dl-load.c, open_verify and _dl_map_object_from_fd.)~",
                R"~(  libcublas.so.12 is a Git LFS pointer of 134 bytes: "invalid ELF header"
  libc.so is a linker script: "invalid ELF header"
  libcudart.so.12 is empty after an interrupted copy: "file too short")~",
                R"~(Replace the file (git lfs pull, reinstall the package), or move it away so that the search
continues. A good copy in a later directory does not help as long as the broken one comes first.)~",
                {.lacks_library = true}},
    FindingRule{"CUD113", "cycle", Level::note, "Libraries need each other in a cycle.",
                R"~(The loader handles a cycle: each file is mapped once. But no order of initialisation suits all: the
constructors of one of them run before those of a library that it needs.
Source: glibc elf/dl-sort-maps.c, _dl_sort_maps.)~",
                R"~(  liba.so needs libb.so, libb.so needs liba.so)~",
                R"~(Nothing, as long as no constructor uses the other library. Otherwise move the common part into a
third library.)~"},
    FindingRule{"CUD114", "import-fails", Level::error, "An import fails in Python itself, before or after the loader.",
                R"~(`import NAME` is followed as in Python: modules are searched for in the directories of sys.path, and
what their code imports or opens at import time is requested in that order. A module that is not
found ends the import with ModuleNotFoundError, unless a handler catches it.
Source: the Python language reference, "The import system"; PEP 420; site.py on .pth files.)~",
                R"~(  $ cudald --prefix .venv spacy
  FAILS  `import spacy` fails: the module click is not installed)~",
                R"~(Install the package that provides the module into the same environment. If the code imports it under
a condition that the files do not show, ignore this finding and please report it: it is a limit of
the model.)~"},
    FindingRule{"CUD115", "not-part-of-windows", Level::warning,
                "A DLL comes from an installer that most machines, but not all, have run.",
                R"~(A fresh Windows contains neither the Visual C++ runtime (msvcp140.dll, vcomp140.dll,
vcruntime140.dll) nor NVIDIA's driver (nvcuda.dll). Most machines with such software have them in
System32, so they are assumed present, and their imports are followed. Python from python.org
includes vcruntime140.dll, but not msvcp140.dll. A DLL that is loaded at start, by an import, or by
a module that the import does not reach, is a warning; one that may be loaded later, a note.
Source: the names in System32 of a fresh Windows 11 (data/windows.json).)~",
                R"~(  _C.pyd needs msvcp140.dll, which is not part of Windows.)~",
                R"~(Install the redistributable or the driver, or ship the DLL with the package, as delvewheel does for
wheels.)~"},
    FindingRule{"CUD116", "side-by-side-assembly-missing", Level::error,
                "The manifest inside a file needs a side-by-side assembly that is not found.",
                R"~(The manifest of a program (resource 1) or DLL (resource 2) may name assemblies, such as the runtime
of Visual C++ 2008. Windows searches for them in its store, WinSxS, and in the directory of the
program or DLL, before any import. If one is missing, the load fails with error 14001, "The
application has failed to start because its side-by-side configuration is incorrect."
Source: Microsoft's "Assembly Searching Sequence" and "System Error Codes".)~",
                R"~(  a module built for Python 2.7 needs Microsoft.VC90.CRT 9.0.21022.8.)~",
                R"~(Install the redistributable that provides the assembly, or use a build of the file with a newer
compiler, which needs none.)~"},
    FindingRule{"CUD117", "only-the-message-tells", Level::warning,
                "A pasted message proves a failure that the files do not show.",
                R"~(The message of --error was printed by a program that ran. If it names a library that nothing in this
process needs, or that is found here, the files alone would suggest a better result than the real
one. So the message counts: the library is opened on demand under a name composed at run time, or
the program ran in another environment (LD_LIBRARY_PATH, user, container, Python).
Source: the message; data/messages.json.)~",
                R"~(  $ cudald --error "Could not load library libcudnn_ops_infer.so.8" ./train
  RISK  train loads, but the message proves that something opens libcudnn_ops_infer.so.8 and
  does not find it; no file here names it)~",
                R"~(Install the library that the message names, or run cudald in the environment in which it was
printed: --prefix, --env LD_LIBRARY_PATH=..., --sysroot.)~"},
    FindingRule{"CUD118", "static-tls-too-large", Level::note,
                "A library can be linked with a program, but a dlopen of it finds no room for its thread-local data.",
                R"~(Thread-local data of the initial-exec model is in a block that is allocated when the process starts.
glibc reserves 1,664 bytes for what is opened later; musl reserves none. A library that needs more
cannot be opened: import and dlopen fail. A library judged alone is assumed to be loaded at the
start.
Source: glibc elf/dl-tls.c, _dl_tls_static_surplus_init; musl ldso/dynlink.c, do_relocs.)~",
                R"~(  Debian's libjemalloc.so.2 has 2,632 bytes of such data
  $ python3 -c 'import ctypes; ctypes.CDLL("libjemalloc.so.2")'
  OSError: libjemalloc.so.2: cannot allocate memory in static TLS block)~",
                R"~(Load it at the start: export LD_PRELOAD=/path/of/library.so. With glibc 2.32 and later: export
GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16384. To fix the library, build it without
-ftls-model=initial-exec.)~"},
    FindingRule{
        "CUD119", "secure-mode", Level::error,
        "A library is where the program expects it, but the loader does not look there in secure mode.",
        R"~(A program with a set-user-ID or set-group-ID bit, or with file capabilities (setcap), runs with rights
that the user does not have. The loader then ignores LD_LIBRARY_PATH, does not trust $ORIGIN in the RUNPATH of
the program, and refuses a needed name that holds $ORIGIN: "DST not allowed in SUID/SGID programs". For
root such a program is usually an ordinary one: the answer depends on who starts it (--user).
Source: ld.so(8), "Secure-execution mode"; Linux security/commoncap.c; glibc elf/dl-load.c.)~",
        R"~(  $ sudo setcap cap_net_raw+ep bin/agent
  $ bin/agent
  error while loading shared libraries: libagent.so: cannot open shared object file)~",
        R"~(Name the directory in /etc/ld.so.conf.d and run ldconfig, or give the program a RUNPATH that is an
absolute path. Where only a service needs the rights, let systemd give them (AmbientCapabilities=) and take
them from the file: setcap -r.)~"},
    FindingRule{
        "CUD120", "damaged-file", Level::error,
        "A file was damaged by a tool that rewrote it: the loader crashes on it.",
        R"~(patchelf, strip, objcopy and other tools move parts of a file. If they do not move all that refers to
them, the loader reads or writes addresses that are not mapped, and the process ends with SIGSEGV before
main, without a message. Signs: the dynamic section or one of its tables is at an address that no LOAD segment
covers; relocations write outside of the file's memory; a .bss section reaches past the memory of its segment.
Source: the System V ABI, chapter 5; glibc elf/get-dynamic-info.h and elf/dynamic-link.h.)~",
        R"~(  libz.so.1: DT_STRTAB is 0x3e8000, which no LOAD segment covers
  $ ./train
  Segmentation fault)~",
        R"~(Install or build the file again and leave out the tool that damaged it, or use another release
of it. Run strip before patchelf, not after it.)~"},
    FindingRule{"CUD121", "runtime-older-than-compiler", Level::warning,
                "A DLL uses std::mutex as its newer compiler lays it out, and an older msvcp140.dll is loaded.",
                R"~(Since Visual Studio 2022 17.10 (toolset 14.40) the constructor of std::mutex runs no code of
msvcp140.dll, and that DLL sets the mutex up when it is first locked. An older msvcp140.dll expects a mutex
that is set up: it reads a null pointer. The process ends with an access violation, or the load fails with
error 1114. Windows has one msvcp140.dll in a process, the first that is loaded: often a copy that another
package or conda's Python brings.
Read from the files: the linker's version, the functions that are imported (_Mtx_lock without
_Mtx_init_in_situ), and the version of the msvcp140.dll that answers.
Source: github.com/microsoft/STL, Changelog, VS 2022 17.10; Microsoft, "C++ binary compatibility between
Visual Studio versions": the redistributable must be at least as new as the newest toolset used.)~",
                R"~(  torch_python.dll is linked with 14.44; the msvcp140.dll that PyQt5 brings is 14.26.)~",
                R"~(Install the newest redistributable, and see that its DLL is loaded first: import the package with
the newer compiler first, update the package that brings the old copy, or move that copy away.)~"},
    FindingRule{"CUD122", "copy-of-windows-answers", Level::warning,
                "Windows' own copy of a DLL is loaded instead of the one that a package is built for.",
                R"~(System32 holds a few DLLs that others publish as well, in versions of their own: onnxruntime.dll
is there for Windows ML. A load that finds no copy in the directories before it takes that of System32,
which may be much older. The load succeeds; the first call fails.
Source: the names in data/windows.json, and the order of the search, Microsoft's "Dynamic-link library
search order".)~",
                R"~(  _sherpa_onnx.pyd imports onnxruntime.dll, and no copy is next to it:
  The given version [17] is not supported, only version 1 to 10 is supported in this build)~",
                R"~(Put the DLL beside the module, or add the directory of the right copy before the import:
os.add_dll_directory.)~"},
    FindingRule{"CUD123", "not-a-loader", Level::error,
                "The file that a program names as its dynamic loader is not one.",
                R"~(The kernel starts the file of PT_INTERP and leaves everything else to it. On NixOS
/lib64/ld-linux-x86-64.so.2 is a small program that only prints advice (stub-ld); after a wrong copy it may be a
file for another machine. No library is searched for.
Source: Linux fs/binfmt_elf.c; nixpkgs, nixos/modules/config/stub-ld.nix.)~",
                R"~(  $ ./nrfutil
  NixOS cannot run dynamically linked executables intended for generic linux environments)~",
                R"~(On NixOS enable nix-ld, or patch the program: patchelf --set-interpreter LOADER --set-rpath
DIRECTORY PROGRAM. Elsewhere install the C library's loader again.)~"},
    FindingRule{"CUD124",
                "newer-glibc-refuses",
                Level::warning,
                "A file of a package loads with the glibc that its tag names, and not with newer ones.",
                R"~(A platform tag names the oldest glibc of the machines that a wheel is for; they may have any newer
one. Since glibc 2.41 a dlopen of a file that needs an executable stack is refused, unless the program needs one
itself. A file says so by PT_GNU_STACK with the flag for execution, or on x86 and Arm by having no PT_GNU_STACK.
Source: glibc 2.41, NEWS; elf/dl-load.c, _dl_map_object_from_fd.)~",
                R"~(  ImportError: libx.so: cannot enable executable stack as shared object requires)~",
                R"~(Link with -Wl,-z,noexecstack, or clear the flag: patchelf --clear-execstack FILE.)~",
                {.verdict = VerdictEffect::of_tag}},
    FindingRule{
        "CUD125", "runtime-not-first", Level::error,
        "A runtime that has to be the first library of its process comes behind another one.",
        R"~(The runtime of AddressSanitizer (libasan.so, libclang_rt.asan) provides malloc and similar functions, and
ends the process if another library was loaded before it. That happens when a module built with -fsanitize=address is
opened by a program built without it, or when LD_PRELOAD names another library. ASAN_OPTIONS=verify_asan_link_order=0
disables this test.
Source: LLVM compiler-rt, lib/asan/asan_linux.cpp, AsanCheckDynamicRTPrereqs.)~",
        R"~(  ASan runtime does not come first in initial library list)~",
        R"~(Load it first, LD_PRELOAD=$(gcc -print-file-name=libasan.so), or take a build without the sanitizer.)~"},
    FindingRule{
        "CUD126", "not-executable", Level::warning, "No execute permission bit of a program is set.",
        R"~(The kernel starts only files with an execute permission bit. Archives without such bits (zip), downloads
and copies from Windows lose it. What the program loads is judged all the same.
Source: execve(2), EACCES.)~",
        R"~(  bash: ./tool: Permission denied)~", R"~(chmod +x FILE.)~"},
    FindingRule{"CUD201", "symbol-missing", Level::error,
                "A function or variable is used, but no loaded file defines it.",
                R"~(A symbol is searched for in the files of the scope: the program and its libraries in breadth-first
order, then, for a dlopen, the opened library and its own libraries. Data, and every symbol under
BIND_NOW, is bound at once: the start fails with "symbol lookup error: FILE: undefined symbol:
NAME". A lazily bound function fails only when it is first called. An undefined weak symbol is not
an error. A plugin may expect symbols from the program that loads it. On Windows a function is
imported from one DLL, by name or number, and all are bound at once: a missing one fails the load
with error 127, "The specified procedure could not be found".
Source: glibc elf/dl-lookup.c, _dl_lookup_symbol_x; elf/dl-reloc.c.)~",
                R"~(  extension.so: undefined symbol: _ZN3c105ErrorC2ENS_14SourceLocationESs
    it was compiled with _GLIBCXX_USE_CXX11_ABI=0, and libc10.so of torch 2.9.1 with 1)~",
                R"~(Use builds that fit together: rebuild or reinstall the file that needs the symbol for the installed
libraries. For a C++ function, cudald looks for similar ones in the process: the same function for
the other std::string, or the name with other parameters, which belongs to another release.)~"},
    FindingRule{"CUD202", "version-missing", Level::error, "A library was found, but it lacks a needed symbol version.",
                R"~(A file can record, for each library, which versions of its symbols it was linked with (verneed).
Before anything runs, the loader compares them with the versions that the library defines (verdef):
"version `GLIBC_2.38' not found (required by FILE)". A version marked weak may be missing. If the
library defines no versions at all, glibc only warns: "no version information available". A record
of an unknown format (vd_version is not 1) stops it at once.
Source: glibc elf/dl-version.c, _dl_check_map_versions and match_symbol.)~",
                R"~(  libfoo.so needs GLIBC_2.38, and the newest version of the libc.so.6 here is GLIBC_2.36)~",
                R"~(Use a library that is new enough, or a build of the file for the older one. A GLIBC_ version means
that the file was built on a newer system than this one.)~"},
    FindingRule{"CUD203", "forwarder-unresolved", Level::error,
                "A DLL forwards a function to another DLL that is missing or lacks it.",
                R"~(An export of a DLL can be a text, "OTHER.function", instead of code. When the function is imported,
OTHER is loaded by the same rules. If it is not found, or does not have the function, the load fails
with error 127, "The specified procedure could not be found".
Source: Microsoft's "PE Format", "Export Address Table".)~",
                R"~(  cudnn64_9.dll forwards cudnnCreate to cudnn_graph64_9.dll, which is missing.)~",
                R"~(Install that DLL in a directory that the load searches.)~"},
    FindingRule{"CUD204", "symbol-from-other-library", Level::note,
                "A symbol is bound to another library than the one whose version is requested.",
                R"~(A reference with a version names the library that should define it, but the lookup takes the first
file of the scope that defines the symbol in that version, or in none. A file without versions that
comes earlier in the scope (a preloaded library, an allocator, the program itself) provides it
instead.
Source: glibc elf/dl-lookup.c, check_match and do_lookup_x.)~",
                R"~(  malloc, version GLIBC_2.2.5 of libc.so.6, is bound to libjemalloc.so.2)~",
                R"~(Often intended, as with LD_PRELOAD. If not, remove the file from the process or from before the
library.)~"},
    FindingRule{"CUD205", "other-build-answers", Level::note,
                "Another build of a library answers for the one that a file depends on.",
                R"~(A symbol is looked up in the global scope first: the program, its libraries, and what was
opened with RTLD_GLOBAL. If a copy of a library is there, it answers also for files that have a copy of their
own, as wheels do. Where the two builds differ, in release or in how they were configured, a file that calls
both gives one what the other has made. Whether that crashes depends on how the builds differ.
Source: glibc elf/dl-lookup.c, _dl_lookup_symbol_x; LD_DEBUG=bindings shows the same.)~",
                R"~(  import gribapi, psycopg2      libldap of eckitlib answers for that of psycopg2: SIGSEGV)~",
                R"~(Use one build for both: install the packages from source, or from one distribution. Or open
the first one without RTLD_GLOBAL.)~"},
    FindingRule{"CUD206", "copied-data-differs", Level::warning,
                "A program has a copy of a library's variable that is smaller than the variable now is.",
                R"~(A program that is linked without -fPIE takes a library's variable into its own data, with the size
that it had then (a copy relocation). If a later release of the library makes the variable larger, the library
writes behind the end of the copy. The loader warns and continues.
Source: glibc sysdeps/x86_64/dl-machine.h, R_X86_64_COPY.)~",
                R"~(  fdfs_trackerd: Symbol `g_log_context' has different size in shared object, consider re-linking)~",
                R"~(Link the program again with the library that is installed, or install the release that it was
linked with.)~"},
    FindingRule{
        "CUD207", "module-for-other-release", Level::error,
        "A module is made for another release of the program that opens it.",
        R"~(Perl and PHP write into each compiled module which release it is for, and compare that with their own
when they have opened it: structures in memory differ from release to release. The loader itself has
nothing against such a module. Both texts are read from the files.
Source: perl util.c, Perl_xs_handshake; php-src ext/standard/dl.c; data/linux-names.json.)~",
        R"~(  SSLeay.so is made for Perl v5.26.0, and perl is Perl v5.36.0)~",
        R"~(Compile the module again with the program that is installed, or install its package for that release.)~"},
    FindingRule{"CUD301",
                "driver-too-old",
                Level::warning,
                "The driver is older than the CUDA runtime that is loaded.",
                R"~(Each CUDA release ships with a driver and runs on newer ones. Since CUDA 11, releases of one major
version also run on that major's oldest driver (450.80.02 for 11, 525.60.13 for 12, 580 for 13),
except for code that exists only as PTX of a newer release; then this is a note. The driver is the
one of --driver, of a saved host, or of this machine.
Source: NVIDIA's CUDA Toolkit release notes and "CUDA Compatibility"; data/cuda.json.)~",
                R"~(  $ cudald --driver 470.82 torch
  CPU ONLY  torch cannot use the GPU here: driver 470.82 is too old for CUDA 12.8: 525.60.13 or
  newer is needed)~",
                R"~(Install a newer driver, or a build for an older CUDA. A newer toolkit does not help.)~",
                {.verdict = VerdictEffect::cpu_only, .about_driver = true}},
    FindingRule{
        "CUD302", "mixed-cuda-majors", Level::note, "A library comes from another major version of CUDA than the rest.",
        R"~(Most CUDA libraries have the major version in their name, so that they cannot be mixed up. Some do
not: several majors use the same name for cuRAND, cuSOLVER or cuSPARSE (cudald provides
libcurand.so.10 lists them). The major of such a file is read from its content.
Source: the version that the library states; data/cuda.json.)~",
        R"~(  libtensorflow_framework.so.2 needs CUDA 11, and libcurand.so.10 is found in CUDA 13)~",
        R"~(Install the library of the same CUDA as the others, in a directory that the loader searches first.)~"},
    FindingRule{"CUD303",
                "two-cuda-runtimes",
                Level::note,
                "Two CUDA runtimes are loaded into one process.",
                R"~(Two libcudart of different releases can be in one process: each library calls the one it was linked
with, as its references have a version (libcudart.so.10.2, libcudart.so.11.0). They share the driver
and each GPU's primary context, so memory and streams can be passed on, but not kernels, textures,
managed variables and the last error. It is a warning if references to one runtime are bound to the
other: without versions, or with the same ones in both, the first definition in the scope wins. A
runtime linked statically into a library counts as well, unless all belong to one package; its
references never leave that file.
Source: glibc elf/dl-lookup.c, do_lookup_x; CUDA Driver API, "Primary Context Management".)~",
                R"~(  torch 1.10.2 contains libcudart-80664282.so.10.2, cupy-cuda111 needs libcudart.so.11.0)~",
                R"~(Builds for the same CUDA need only one runtime. Otherwise nothing has to be done, as long as each
library launches its own kernels and the driver is new enough for both.)~",
                {.told_in_full = true}},
    FindingRule{"CUD304", "cudnn-older-than-built-for", Level::warning,
                "cuDNN is older than the one that the program was built with.",
                R"~(A newer cuDNN of the same major version works for programs built with an older one, but not the
other way round: functions and operations may be missing. The release of a cuDNN file is read from
its content, not from its name.
Source: cudnnGetVersion of the file; what the releases of frameworks were built with,
data/cuda.json.)~",
                R"~(  torch 2.9.1 is built with cuDNN 9.10.2, and libcudnn.so.9 is 9.1.0)~",
                R"~(Install the release that it was built with, or a newer one of the same major version.)~"},
    FindingRule{"CUD305", "cudnn-cuda-mismatch", Level::warning,
                "cuDNN is built for another major version of CUDA than the process has.",
                R"~(NVIDIA builds each cuDNN release for several CUDA majors; the files have the same names. A cuDNN for
CUDA 12 opens libcublas.so.12 and libnvrtc.so.12 on demand, which a process with CUDA 11 does not
have.
Source: cudnnGetCudartVersion of the file.)~",
                R"~(  nvidia-cudnn-cu12 was installed together with onnxruntime-gpu for CUDA 11)~",
                R"~(Install the cuDNN package whose suffix matches the CUDA of the other libraries (nvidia-cudnn-cu12
for CUDA 12).)~"},
    FindingRule{"CUD306", "mixed-cudnn-parts", Level::warning, "Parts of two cuDNN releases are in one process.",
                R"~(cuDNN consists of several libraries: a front one, and parts that it opens on demand. All must be of
one release. If the search contains two copies, the front may come from one and a part, found by
LD_LIBRARY_PATH or already loaded, from the other; each part checks this and refuses.
Source: cudnnGetVersion of each part; where the loader finds them.)~",
                R"~(  libcudnn_ops_infer.so.8 is 8.5.0 and libcudnn_cnn_infer.so.8 is 8.9.6)~",
                R"~(Keep one copy: reinstall cuDNN as a whole, or remove the other directory from the search.)~"},
    FindingRule{"CUD307", "no-kernel-for-gpu", Level::warning, "A library contains no code that runs on the GPU.",
                R"~(GPU code is in fatbins inside the library, compiled for the architectures that its builder chose.
Machine code (SASS) of sm_86 runs on GPUs of compute capability 8.6 and 8.9: the same major version
and no older minor one; that of sm_90a on 9.0 only, that of sm_100f on its family. PTX is compiled
by the driver for a GPU that is not older; then this is a note, as it takes time.
CUDA_FORCE_PTX_JIT=1 disables machine code, CUDA_DISABLE_PTX_JIT=1 disables PTX. The GPUs are those
of --gpu, or of this machine; only fatbins that the CUDA runtime registers count.
Source: the CUDA Programming Guide, "Compute Capabilities" and "CUDA Environment Variables"; the
fatbins as cuobjdump lists them.)~",
                R"~(  $ cudald --gpu sm_50 libtorch_cuda.so
  RISK  libtorch_cuda.so loads, but has no code for sm_50: it contains
        sm_70, sm_75, sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100, sm_100a, sm_120, sm_120a
        and no PTX)~",
                R"~(Use a build for that GPU; PyTorch releases differ in the GPUs that they support. A newer driver does
not help. cudald show FILE lists the architectures of a library.)~"},
    FindingRule{"CUD308", "extension-built-for-other-cuda", Level::warning,
                "An extension is built for another CUDA than its framework.",
                R"~(An extension that links both a framework's CUDA library (libc10_cuda.so) and another CUDA runtime
than that library was compiled with another toolkit. Both runtimes load separately (CUD303), but the
extension passes memory and streams of one to the other, and several packages compare the two at
import and refuse.
Source: the DT_NEEDED of the extension and of the library that it needs.)~",
                R"~(  torch is built for CUDA 10.2, and _version_cuda.so of torch_sparse needs libcudart.so.11.0)~",
                R"~(Use the build of the extension for this framework and this CUDA; if there is none, build it with the
toolkit of the framework's version.)~"},
    FindingRule{"CUD309",
                "driver-stub",
                Level::warning,
                "The library found as NVIDIA's driver is the toolkit's stub.",
                R"~(The toolkit has a libcuda.so in a directory called stubs, for linking on machines without a driver.
All its functions fail. If LD_LIBRARY_PATH or a link called libcuda.so.1 puts it into the search at
run time, it is loaded instead of the driver. It is recognised by its code, not by its directory.
Source: cuda.h, CUDA_ERROR_STUB_LIBRARY; the code of cuInit and cuDriverGetVersion.)~",
                R"~(  LD_LIBRARY_PATH names /usr/local/cuda/lib64/stubs, which contains a link libcuda.so.1)~",
                R"~(Remove the directory from the search; the driver's own library is installed with the driver, in a
container from the host.)~",
                {.verdict = VerdictEffect::cpu_only, .about_driver = true}},
    FindingRule{"CUD310",
                "no-driver",
                Level::warning,
                "No NVIDIA driver found; GPU code falls back to the CPU or fails.",
                R"~(The CUDA runtime opens libcuda.so.1, the driver's library, when the GPU is first used. Only NVIDIA's
driver provides it; in a container it is mounted from the host. The search that the runtime would
make finds none, so no GPU is used. With --host tag, and on described machines that do not mention
the driver, one is assumed present; --driver VERSION states one.
Source: the runtime's own search; CUDA C++ Programming Guide.)~",
                R"~(  $ cudald torch
  CPU ONLY  torch cannot use the GPU: no NVIDIA driver here (libcuda.so.1 is not found in any
  directory the loader searches))~",
                R"~(Install NVIDIA's driver, start the container with the host's GPUs, or state the driver of the target
machine: --driver 550.54.)~",
                {.verdict = VerdictEffect::cpu_only, .about_driver = true, .lacks_driver = true}},
    FindingRule{"CUD311",
                "gpu-lost-by-message",
                Level::warning,
                "A pasted message proves that the GPU is not used, which the files do not show.",
                R"~(The message of --error was printed by a program that ran, and says that the GPU was not used: driver
and kernel module do not match, no device was found, or a library was not found. The files alone do
not show it.
Source: the message; data/messages.json.)~",
                R"~(  $ cudald --error "Failed to initialize NVML: Driver/library version mismatch" torch
  CPU ONLY  torch cannot use the GPU here: the message proves what the files cannot show: ...)~",
                R"~(The fix depends on the message; the finding shows it.)~",
                {.verdict = VerdictEffect::cpu_only, .about_driver = true}},
    FindingRule{"CUD312", "locked-cuda-majors", Level::warning,
                "Packages of one lock file are built for different CUDA majors.",
                R"~(A resolver compares versions of distributions. These do not say that torch is built for CUDA 12 and
CuPy for CUDA 11, so both are locked together. In one process each has its own runtime (CUD303);
libraries with the same name in both majors, such as cuDNN and NCCL, are loaded once, with the wrong
major for one of them.
Source: what releases were built for, data/cuda.json; for local packages, the runtime in their
files.)~",
                R"~(  torch 2.9.1 is for CUDA 12, cupy-cuda11x 13.6.0 is for CUDA 11)~",
                R"~(Use builds for one CUDA major: cupy-cuda12x with a torch for CUDA 12.)~"},
    FindingRule{"CUD313", "library-carried-twice", Level::note,
                "Packages of one lock file contain a library of the same name in different directories.",
                R"~(A process has one library of a name: the first one loaded is used for all later requests for that
name, whatever the package. If the copies are of one release, they only cost space; otherwise the
order of imports decides.
Source: the directories of the wheels; data/providers.json for wheels that are not available
locally.)~",
                R"~(  libcudart.so.12 is in nvidia-cuda-runtime-cu12 12.8.90, mytool 1.0)~",
                R"~(Nothing, as long as both are of one release. Otherwise use a build that depends on the common
package.)~"},
    FindingRule{"CUD314",
                "driver-of-two-releases",
                Level::warning,
                "The driver library and the kernel module are of two releases.",
                R"~(libcuda.so.1 works only with the kernel module of its own release. They differ after a driver update
until the machine is restarted, and in a container with its own libcuda.so.1, which hides the one
mounted from the host. The kernel's release is that of /proc/driver/nvidia/version; a newer library
of a cuda-compat package is CUD301 instead.
Source: CUDA Runtime API, cudaErrorSystemDriverMismatch; NVML API Reference,
NVML_ERROR_LIB_RM_VERSION_MISMATCH.)~",
                R"~(  libcuda.so.1 is of driver 550.54.14, and the kernel module of 535.104.05)~",
                R"~(Restart the machine after an update; in a container remove the libcuda.so.1 of its image.)~",
                {.verdict = VerdictEffect::cpu_only, .about_driver = true}},
    FindingRule{"CUD315",
                "gpus-hidden",
                Level::warning,
                "CUDA_VISIBLE_DEVICES hides all GPUs from the process.",
                R"~(The variable lists the GPUs that a process may use, by number or UUID. GPUs before the first invalid
entry are visible, so an empty value and -1 hide all of them. Job schedulers, notebooks and tests
set it, and it is inherited.
Source: CUDA Programming Guide, "CUDA Environment Variables"; verified on a GPU by tools/gpu-check.)~",
                R"~(  $ CUDA_VISIBLE_DEVICES=-1 cudald torch
  CPU ONLY  torch cannot use the GPU here: CUDA_VISIBLE_DEVICES is "-1", which begins with no GPU:
  none is seen)~",
                R"~(Unset the variable, or set it to the number of a GPU: nvidia-smi -L lists them.)~",
                {.verdict = VerdictEffect::cpu_only, .about_driver = true}},
    FindingRule{
        "CUD316",
        "gpu-build-replaced",
        Level::warning,
        "Another package has replaced files of the build for CUDA that is installed.",
        R"~(If two packages install the same files, the one installed last overwrites those of the other, and both count
as installed. If that is the build for the CPU (onnxruntime after onnxruntime-gpu), no GPU is used, and installing CUDA
libraries changes nothing. The size in RECORD shows to which package a file belongs.
Source: PEP 427, PEP 376; the builds of data/cuda.json.)~",
        R"~(  files of onnxruntime-gpu 1.23.2 were replaced by those of onnxruntime 1.23.2)~",
        R"~(Uninstall both, and install the build for CUDA alone. Where a third package requires the build for the CPU,
an override of the installer leaves it out.)~",
        {.verdict = VerdictEffect::cpu_only, .speaks_for_all = true}},
    FindingRule{"CUD401", "optional-library-missing", Level::note,
                "A CUDA library that code may open by a constant name is not found.",
                R"~(A file that calls dlopen or LoadLibrary and contains a library name as a separate text in its
read-only data most likely opens it on demand: libcudart opens libcuda.so.1, the driver. The name is
searched for as that file would, with its RUNPATH. Only CUDA libraries are reported: one note for
the driver, and one for each file; all such names are in JSON (may_open), and cudald show FILE lists
them. If another name of the same library is found, nothing is missing.
Source: dlopen(3); the constants of the file.)~",
                R"~(  libcudart.so.12 may open libcuda.so.1 later, and would not find it)~",
                R"~(On a machine without a GPU: nothing. Otherwise install NVIDIA's driver, or a package that provides
the library.)~"},
    FindingRule{"CUD403",
                "not-a-cuda-package",
                Level::warning,
                "The CUDA warning comes from another package; this one uses no CUDA library.",
                R"~(Packages use the GPU in different ways. Some have CUDA libraries in the DT_NEEDED of their extension
modules, others open them at run time, and some use none themselves and reach the GPU through
another package, as spaCy does through CuPy. A warning about a missing libcudart then comes from a
package that is imported along the way, and the target loses nothing but a GPU that it would not
have used.
Source: the DT_NEEDED and the known dlopen calls of every file that the import maps; the modules
that the import tries and does not find.)~",
                R"~(  $ cudald --prefix .venv spacy
  CPU ONLY  spacy 3.5.4 uses no CUDA library; the missing libraries, libcudart.so.11.0 and 7
  more, are needed by tensorflow. spacy would use the GPU through cupy, which is not installed)~",
                R"~(Install the package through which the GPU is used (pip install "spacy[cuda11x]"), and request the
GPU explicitly (spacy.require_gpu()), so that its absence is an error. If you do not need the GPU,
do nothing.)~",
                {.verdict = VerdictEffect::cpu_only, .speaks_for_all = true}},
    FindingRule{"CUD404", "delay-import-missing", Level::note, "A DLL that a file imports with delay is not found.",
                R"~(What a file imports with delay (/DELAYLOAD) is loaded by LoadLibrary when a function of it is first
called: by the rules of a call without flags, wherever the file itself lies and however it was
loaded. A DLL that is loaded by then answers by its name. If nothing is found, that call raises the
exception 0xC06D007E; 0xC06D007F if the DLL lacks the function. Nothing fails before, and many
programs ask first whether the DLL is there. API sets are not reported: that one may be absent is
why it is imported so.
Source: Microsoft's "Linker support for delay-loaded DLLs" and "Exceptions (C/C++)".)~",
                R"~(  Exception code: 0xc06d007e
  Faulting module name: KERNELBASE.dll)~",
                R"~(If the function is used, put the directory of the DLL into PATH, or load the DLL by its full path
before. Else nothing.)~"},
    FindingRule{"CUD501",
                "requirement-undeclared",
                Level::error,
                "A package needs a library that neither its platform tag nor its declared dependencies provide.",
                R"~(A user who installs only this package gets its files, its dependencies and what the platform tag
guarantees; NVIDIA's driver is assumed present. This library is not one of these: it may be on the
machine that built the package, and on few others. What a dependency provides that is not available
locally is known from a table, or considered possible (a note); --with names its wheel. Reported only
with --host tag.
Source: PEP 513 and 600 for platform tags; data/providers.json for what packages provide.)~",
                R"~(  _ext.so needs libcudart.so.12, and the wheel declares no dependency)~",
                R"~(Maintainer: put the library into the package, or depend on a package that provides it and add its
directory to the RUNPATH. User: also install a package that provides it.)~",
                {.lacks_library = true}},
    FindingRule{"CUD502", "bundled-cuda", Level::error,
                "A package contains a CUDA library, which its packager forbids.",
                R"~(A copy of a CUDA library in a wheel makes it large, duplicates the copy of other packages, and gets
no updates. A file is identified by its content, whatever its name. Reported only if
`forbid-bundled-cuda` is set in the configuration.
Source: a rule of the packager (cudald.toml).)~",
                R"~(  mytool/lib/libx-3fd2.so.12 is NVIDIA's CUDA runtime 12.8)~",
                R"~(Depend on the package that provides it (nvidia-cuda-runtime-cu12), and exclude it from the wheel:
auditwheel repair --exclude libcudart.so.12.)~"},
    FindingRule{"CUD503",
                "tag-too-low",
                Level::warning,
                "A wheel needs more than its platform tag guarantees.",
                R"~(manylinux_2_17_x86_64 means: works wherever glibc is 2.17 or newer, with no other libraries than
those that the tag lists; `any` means: on every machine and system. pip relies on the tag alone. A
library that needs a newer symbol version is then rejected by the loader; one that needs a library
from outside loads only where that is installed (a note; none if a declared dependency provides it).
Versions marked weak do not count, as the loader ignores them.
Source: PEP 513, 571, 599, 600 and 656; the lists are in data/manylinux.json.)~",
                R"~(  x-1.0-cp311-cp311-manylinux_2_17_x86_64.whl needs GLIBC_2.34 of libc.so.6)~",
                R"~(Claim the tag that fits (cudald show x.whl prints it): python3 -m wheel tags --remove --platform-tag
TAG x.whl. Or build it in the image of that tag, and include libraries with auditwheel repair.)~",
                {.verdict = VerdictEffect::of_tag, .place = FindingPlace::last_of_its_level}},
    FindingRule{"CUD505", "record-mismatch", Level::note, "The RECORD of a wheel does not match its files.",
                R"~(RECORD lists every file of a wheel with its hash and size. Uninstallers remove what it lists,
auditors compare it, and the package index rejects wheels in which it is wrong; pip installs them
anyway.
Source: the binary distribution format (PEP 376, PEP 427).)~",
                R"~(  patchelf was run on a library of the wheel, and RECORD still has the old hash and size)~",
                R"~(Pack the wheel again with a tool that writes RECORD: python -m wheel pack DIR.)~"},
    FindingRule{"CUD506", "installers-disagree", Level::warning, "Two readers of this archive can see different files.",
                R"~(A zip archive states many things twice: in the directory at its end and in a header before each
member, by name and by number. If the two differ, or a name appears twice, installers may choose
differently; then the audited files are not the installed ones.
Source: PKWARE APPNOTE 4.3; the upload check of the package index.)~",
                R"~(  two members named torch/__init__.py, with different content)~",
                R"~(Do not install it. Build the archive again with one tool.)~"},
    FindingRule{"CUD507", "unsafe-member", Level::warning,
                "A member of this archive could be extracted outside its directory.",
                R"~(An absolute name, a name with "..", a symbolic link, a device or an encrypted member: an extractor
that trusts the archive writes outside its directory, or the member cannot be audited. cudald reads
no such member.
Source: PKWARE APPNOTE.TXT, 4.4.17.)~",
                R"~(  ../../home/user/.bashrc)~", R"~(Do not install it, and inform its publisher.)~"},
    FindingRule{"CUD508", "variant-claim-wrong", Level::warning,
                "A wheel variant claims a CUDA version or GPU that its files do not support.",
                R"~(A variant wheel states in variant.json for which CUDA and GPUs it is built, and installers that
support variants choose by that. It is compared with the CUDA runtime that its libraries need or
link statically, and with the GPU code in them: a claim of 90_real needs machine code for sm_90,
90_virtual its PTX.
Source: PEP 817 (draft), and the properties of NVIDIA's provider; the files of the wheel.)~",
                R"~(  the variant of torch claims machine code for sm_120, and none of its files has any)~",
                R"~(Claim what the files contain, or build for the claim.)~"},
    FindingRule{"CUD509", "sbom-incomplete", Level::note,
                "The SBOM in a package does not name a CUDA library that the package contains.",
                R"~(A package may contain SBOMs, in *.dist-info/sboms/, which list components of others; tools that look
for libraries with known vulnerabilities use them. CUDA libraries in the package are identified by
content; each should be listed with its version. CycloneDX and SPDX in JSON are read.
Source: PEP 770; the files of the package.)~",
                R"~(  the SBOM of mytool does not name CUDA runtime 12.8, which mytool contains)~",
                R"~(Add it to the SBOM; cudald check -f cyclonedx writes components with their versions.)~"},
    FindingRule{"CUD510", "abi3-broken", Level::warning,
                "An extension module claims CPython's stable ABI, but uses functions outside of it.",
                R"~(A module tagged abi3 is installed into every later Python. Functions outside the stable ABI may be
gone or work differently there; functions that were added to it after the claimed version are
missing in older ones. `abi3 = false` in the table [policy] of the configuration turns this off.
Source: CPython's Misc/stable_abi.toml; PEP 384, PEP 652.)~",
                R"~(  fast.abi3.so claims the stable ABI of Python 3.8, and uses PyType_GetName (3.11))~",
                R"~(Compile with Py_LIMITED_API set to the oldest Python that the tag claims; then such functions are
not declared. Or tag the wheel for one Python.)~"},
    FindingRule{"CUD511", "files-replaced", Level::warning, "Two packages install the same files.",
                R"~(pip and uv unpack wheels one after the other into one directory. If two contain a file of the same
path, the last one wins, and both count as installed. So nvidia-cudnn-cu11 replaces the cuDNN of
nvidia-cudnn-cu12, and onnxruntime the library of onnxruntime-gpu, which then supports no GPU. In an
environment this is a warning if sources of the replaced package are still there, beside compiled
modules of the other one; else a note. Files with the same hash do not count. It is a warning, too, if
each has the same compiled module under another suffix: Python takes cv2.cpython-38-x86_64-linux-gnu.so
before cv2.abi3.so, also where the sources beside them are those of the other package. And it is one if
no package lists a compiled module that is loaded, and one lists a source of the same name beside it: an
earlier release was not removed whole, and Python takes the compiled module.
Source: the directories of the wheels; data/providers.json for wheels that are not available
locally; in an environment the size and the hash in RECORD (PEP 376).)~",
                R"~(  nvidia-cudnn-cu11 9.10.2.21 and nvidia-cudnn-cu12 9.10.2.21 both install
  nvidia/cudnn/lib/libcudnn.so.9)~",
                R"~(Keep one of the two and lock again. If a third package depends on the wrong one, ask its maintainer
to drop that dependency, or override it in the resolver (uv: override-dependencies).)~"},
    FindingRule{"CUD512", "lock-incomplete", Level::warning,
                "A package depends on another one that the lock file does not have.",
                R"~(A lock file is installed as it is, without resolving. If it was edited by hand, made for another
platform or Python, or made with --no-deps, a dependency may be missing, and the import fails.
Source: Requires-Dist in the METADATA of the wheel, with its markers for the machine and Python in
question.)~",
                R"~(  torch 2.9.1 requires sympy>=1.13.3, which the lock does not have)~",
                R"~(Lock again. For another platform: uv lock makes one file for all, pip lock one for the platform on
which it runs.)~"},
    FindingRule{"CUD513", "no-wheel-fits", Level::error,
                "The lock file names no wheel of a package that fits the machine and Python.",
                R"~(From the wheels that a lock file names, an installer takes those whose tags fit. If none does and
there is a source archive, it builds that, which needs compilers and, for CUDA, a toolkit: a
warning. If there is none, the installation fails.
Source: PEP 425, PEP 600, PEP 656; the names of the files in the lock.)~",
                R"~(  the lock names no wheel of tensorflow 2.6.0 for Python 3.12 on linux-x86_64)~",
                R"~(State the intended Python or platform (--python, --platform), or lock for it.)~"},
    FindingRule{"CUD514", "built-for-other-numpy", Level::error,
                "A compiled module was built for another release of NumPy than the installed one.",
                R"~(NumPy 2 changed the structures that compiled modules share with it. A module that was built
with NumPy 1 is refused by NumPy 2, in one of two places: code of Cython checks the size of the types that it imports
(ValueError: numpy.dtype size changed, may indicate binary incompatibility), and import_array() asks for the older
interface (NumPy prints "A module that was compiled using NumPy 1.x cannot be run in NumPy 2"; ImportError:
numpy.core.multiarray failed to import). A module built with NumPy 2 names the oldest NumPy that it works with. Which
interface a module was built for is read from its bytes. For a wheel alone, the NumPy that an installer would choose
counts: the newest one that Requires-Dist and the Python version allow.
Source: numpy/_core/include/numpy/__multiarray_api.h; Cython/Utility/ImportExport.c, __Pyx_ImportType; the NumPy 2.0
migration guide.)~",
                R"~(  pandas 1.5.3 requires numpy>=1.23.2, an installer chooses 2.4.6, and pandas._libs.interval
  was built for 1.x)~",
                R"~(Install the NumPy that the module was built for, or a release of its package that was built for
this one. Publishers: state the upper bound (numpy<2), or build with NumPy 2, which serves both.)~"},
    FindingRule{
        "CUD515", "requirement-unmet", Level::warning,
        "A package is installed in a release that another installed package does not allow.",
        R"~(An installer chooses releases that suit all packages of one command; a later command may replace them. The
installed release is compared with the range in each Requires-Dist. Many packages work although a range is not met, so
this is a note if the import works. If the import fails, this is often the cause, above all for compiled code and for a
package that allows only one release.
Source: the core metadata specifications, Requires-Dist; PEP 440, PEP 508.)~",
        R"~(  numba 0.60.0 requires numpy<2.1,>=1.22, and numpy 2.3.5 is installed)~",
        R"~(Install a release that the range allows, or another release of the package that states it.)~"},
    FindingRule{
        "CUD516", "files-missing", Level::warning, "Files that a package has installed are missing.",
        R"~(RECORD lists each file that an installer has written. A listed library or module that is not there was
deleted, or replaced and then removed with another package. Whatever loads it fails.
Source: PEP 376, PEP 427.)~",
        R"~(  soundfile 0.13.1 is not complete: _soundfile_data/libsndfile_x86_64.so is missing)~",
        R"~(Install the files of the package again: pip install --force-reinstall --no-deps NAME==VERSION.)~"},
    FindingRule{"CUD601", "probe-not-run", Level::note,
                "Something could not be tried on this machine; it is neither confirmed nor refuted.",
                R"~(`cudald probe` loads for real and computes on a GPU. What this machine cannot do is skipped: files
for another system or processor, files in archives, a kernel without a GPU. The verdict remains that
of the simulation.
Source: a rule of cudald; the words after "says" are those of the CUDA runtime.)~",
                R"~(  kernel not run: no NVIDIA driver on this machine)~",
                R"~(Probe on the target machine. For a kernel it needs an NVIDIA GPU, its driver, and a cudald that was
built with nvcc.)~"},
    FindingRule{"CUD602",
                "simulation-differs",
                Level::error,
                "The real load differs from cudald's prediction.",
                R"~(Each mapped file is compared with the prediction, in both directions and in order, and so are
success and the loader's message. A difference means a bug of cudald, a file that changed in
between, or code that took part: a constructor that calls dlopen is not followed by a simulation.
For an import, a different order of the same files is a note.
Source: a rule of cudald.)~",
                R"~(  libfoo.so is mapped, but was not predicted)~",
                R"~(Repeat it; if the difference remains, check whether a library opens others when it is loaded
(LD_DEBUG=files shows it). If none does, please report it: it is the most serious kind of bug in
cudald.)~",
                {.verdict = VerdictEffect::risk, .place = FindingPlace::first}},
    FindingRule{"CUD603", "load-failed", Level::error, "The process crashed or hung while loading the target.",
                R"~(Code of a library runs while it is loaded: its constructors, and those of its dependencies. They
crashed, ended the process, or exceeded the time limit. The files may be correct nevertheless.
Source: a rule of cudald; signal(7).)~",
                R"~(  the process is ended by SIGSEGV while loading /opt/x/libx.so)~",
                R"~(Load it under a debugger: gdb --args ld.so /opt/x/libx.so. If it only takes long, increase the limit
(--timeout 5min).)~"},
    FindingRule{"CUD604",
                "kernel-failed",
                Level::error,
                "A CUDA library loads, but does not work on this machine.",
                R"~(A kernel, a matrix product or a convolution was started through the loaded library, and ended with
an error or a wrong result; or the driver is too old for the runtime. The message is that of the
library.
Source: a rule of cudald; the CUDA Runtime API on cudaError.)~",
                R"~(  kernel on device 0 of libcudart.so.12 fails: cudaErrorNoKernelImageForDevice (209))~",
                R"~(Check the driver first: nvidia-smi; a newer one supports older runtimes. If other programs work,
compare their runtime with this one (cudald tree).)~",
                {.verdict = VerdictEffect::risk}},
    FindingRule{"CUD701", "glibc-too-new", Level::error, "A file needs a newer glibc than the packager allows.",
                R"~(The glibc version nodes that a file needs (GLIBC_2.34) determine on which systems it loads. Reported
only if `max-glibc` is set in the table [policy] of the configuration.
Source: a rule of the packager (cudald.toml).)~",
                R"~(  fast.so needs GLIBC_2.34, and no newer glibc than GLIBC_2.28 is allowed)~",
                R"~(Build it in an older image, such as that of the intended manylinux tag.)~"},
    FindingRule{"CUD702", "libstdcxx-too-new", Level::error, "A file needs a newer libstdc++ than the packager allows.",
                R"~(Like CUD701 for GLIBCXX version nodes: files built with a newer g++ need a newer libstdc++.6.
Reported only if `max-glibcxx` is set in the table [policy] of the configuration.
Source: a rule of the packager (cudald.toml).)~",
                R"~(  fast.so needs GLIBCXX_3.4.32, and no newer libstdc++ than GLIBCXX_3.4.25 is allowed)~",
                R"~(Build it with an older g++, or link libstdc++ statically: -static-libstdc++.)~"},
    FindingRule{"CUD703", "library-not-allowed", Level::error,
                "A file needs a library from outside that the packager does not allow.",
                R"~(Reported only if `allowed-libraries` is set in the table [policy] of the configuration: a list of
names, with * for any characters, that may come from outside the package.
Source: a rule of the packager (cudald.toml).)~",
                R"~(  fast.so needs libssl.so.3, which is not one of the libraries that may come from outside)~",
                R"~(Include the library in the package (auditwheel repair), link it statically, or allow it.)~"},
    FindingRule{"CUD704", "forbidden-rpath", Level::error, "A search path in a file is forbidden by the packager.",
                R"~(A directory with an absolute path is that of the build machine; where it exists elsewhere, anyone
who can write there decides what is loaded. Reported only if `forbid-absolute-rpath` or
`forbidden-rpath` is set in the table [policy] of the configuration.
Source: a rule of the packager (cudald.toml).)~",
                R"~(  the DT_RUNPATH of fast.so names /usr/local/cuda-12.8/lib64, which is forbidden)~",
                R"~(Name directories relative to the file: patchelf --set-rpath '$ORIGIN/../lib' FILE.)~"},
    FindingRule{"CUD705", "required-gpu-missing", Level::error,
                "A library has no code for a GPU that the packager requires.",
                R"~(Reported only if `required-gpus` is set in the table [policy] of the configuration. Machine code of
the same major architecture and no newer minor one counts, and so does PTX of an older one, which
the driver compiles.
Source: a rule of the packager (cudald.toml).)~",
                R"~(  libkernels.so has no code that runs on sm_70, which is required)~",
                R"~(Compile for it as well: -gencode arch=compute_70,code=sm_70.)~"},
    FindingRule{"CUD706", "forbidden-gpu-present", Level::error,
                "A library has code for a GPU that the packager forbids.",
                R"~(Code for unsupported GPUs makes packages larger. Reported only if `forbidden-gpus`
is set in the table [policy] of the configuration.
Source: a rule of the packager (cudald.toml).)~",
                R"~(  libkernels.so has code for sm_35, which is forbidden)~",
                R"~(Remove it from CMAKE_CUDA_ARCHITECTURES or -gencode.)~"},
    FindingRule{"CUD707", "driver-floor-too-high", Level::error,
                "The loaded libraries need a newer driver than the packager allows.",
                R"~(Each CUDA release needs a driver that is not older than its own first one. Reported only if
`max-driver` is set in the table [policy] of the configuration.
Source: a rule of the packager (cudald.toml).)~",
                R"~(  CUDA 13.0 needs driver 580.65.06 or newer, and no newer one than 535.104 may be needed)~",
                R"~(Build for, or depend on, an older major release of CUDA.)~"},
    FindingRule{
        "CUD708", "executable-stack", Level::error, "A file makes the stack executable, which the packager forbids.",
        R"~(The flag usually comes from one assembler file without a stack note. From glibc 2.41 on a dlopen of
such a file fails. Reported only if `forbid-executable-stack` is set in the table [policy] of the
configuration.
Source: a rule of the packager (cudald.toml).)~",
        R"~(  fast.so makes the stack executable)~",
        R"~(Add .section .note.GNU-stack,"",@progbits to the assembler file, or link with -Wl,-z,noexecstack.)~"},
    FindingRule{"CUD709", "text-relocations", Level::error, "A file has text relocations, which the packager forbids.",
                R"~(The loader must write into the code of such a file: its pages cannot be shared between processes,
and hardened systems reject it. Reported only if `forbid-text-relocations` is set in the table
[policy] of the configuration.
Source: a rule of the packager (cudald.toml).)~",
                R"~(  fast.so has text relocations: its code is modified when it is loaded)~",
                R"~(Compile all of it with -fPIC.)~"},
    FindingRule{"CUD901", "malformed", Level::warning, "A file contradicts its own format.",
                R"~(A table runs past the end of the file, a name is outside the string table, a count is larger than
the bytes that hold it. The valid parts of the file are still used; what the loader does with the
rest is undefined. An archive member whose bytes do not inflate to the stated size and checksum is
not used at all, as installers reject it.
Source: the System V ABI, chapters 4 and 5; elf(5); PKWARE APPNOTE 4.4.7 to 4.4.9.)~",
                R"~(  libx.so: an entry of the dynamic table names a string outside DT_STRTAB)~",
                R"~(Fetch or build the file again; compare its size and checksum with the original. Usual causes are an
interrupted strip or patchelf, or an incomplete download.)~"},
    FindingRule{"CUD902",
                "limit-reached",
                Level::warning,
                "A limit of cudald was reached, so nothing is claimed beyond it.",
                R"~(Hostile or broken files can require unbounded work. If cudald stops early, it says so, and the
verdict is UNKNOWN: nothing is guessed from part of the data.
Source: a rule of cudald.)~",
                R"~(  libx.so: more than 100,000 entries in the dynamic table)~",
                R"~(If the file is legitimate and really that large, raise the limit that the finding names
(--max-member, --max-total, --max-ratio); if it names none, please report it: the limit is too low.)~",
                {.verdict = VerdictEffect::unknown}},
    FindingRule{"CUD903", "suppression-unused", Level::note,
                "An ignore entry of the configuration is unused or expired.",
                R"~(An entry that ignored nothing in this run is a note. An expired entry is a warning, and no longer
ignores anything.
Source: a rule of cudald.)~",
                R"~(  cudald.toml: the entry for CUD302 and libcurand* has expired on 2027-01-01)~",
                R"~(Remove the entry, or give it a new date.)~"},
    FindingRule{
        "CUD904", "unreadable", Level::error, "A target, or a file that the answer depends on, cannot be read.",
        R"~(For a target: no such file, no permission, a directory or pipe instead of a file, or a disk error. Only
regular files are opened. For any other file that was read for the answer: an error after which a loader does not
continue, such as an input/output error, too many open files, or a file that became shorter. The verdict is UNKNOWN
and the exit status 3: no claim is made, and the report has no other finding.
Source: a rule of cudald.)~",
        R"~(  $ cudald explain libx.so
  cudald: libx.so: No such file or directory)~",
        R"~(Check the path and its permissions; with --sysroot, paths are those inside the tree.)~"},
    FindingRule{
        "CUD905", "not-at-hand", Level::note,
        "Packages of a lock file were not read, as their wheels are not available locally.",
        R"~(What a wheel loads is known only from its bytes: wheels in --wheels and at paths in the lock are
opened. For others the built-in tables are used (declared); packages in no table are assumed to
provide what others need. If a top-level package is among them, the verdict is UNKNOWN.
Source: a rule of cudald.)~",
        R"~(  25 of 27 packages are not available locally and were not read)~",
        R"~(cudald check --online requirements.txt reads the needed bytes from the servers. Without network access,
download the wheels elsewhere and name their directory: pip download --no-deps -d wheels -r
requirements.txt; cudald check --wheels wheels requirements.txt.)~"},
};

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

std::span<const FindingRule> finding_catalogue() { return catalogue; }

FindingTraits traits_of(const Finding& finding) {
  const auto* const rule = find_rule(finding.code);
  return rule == nullptr ? FindingTraits{} : rule->traits;
}

const FindingRule* find_rule(std::string_view code_or_name) {
  const auto* const rule = std::find_if(catalogue.begin(), catalogue.end(), [code_or_name](const FindingRule& each) {
    return equal_ignoring_case(each.code, code_or_name) || equal_ignoring_case(each.name, code_or_name);
  });
  return rule == catalogue.end() ? nullptr : rule;
}

}  // namespace cudald
