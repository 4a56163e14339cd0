// Every finding that cudald can make. Codes are stable for ever and never reused. In the longer
// texts, indented lines are shown as they are, and the others as running text.

#include <algorithm>
#include <array>
#include <cctype>

#include <cudald/finding.h>

namespace cudald {
namespace {

constexpr std::array catalogue = {
    FindingRule{"CUD101", "library-not-found", Level::error,
                "A library that is needed is in no folder that the loader searches.",
                R"~(A name without a slash is looked for, in this order, in: the DT_RPATH of the
requester and of those who loaded it (only if the requester has no DT_RUNPATH), LD_LIBRARY_PATH,
the DT_RUNPATH of the requester, /etc/ld.so.cache, and the system folders. If nothing fits, a
start ends before main() with "cannot open shared object file: No such file or directory", and a
dlopen returns NULL with the same words in dlerror().
On Windows the folders depend on the call (CUD111), and the message, error 126, names the file that
was asked for, not the import of it that is missing.
Source: ld.so(8); glibc elf/dl-load.c, _dl_map_object. musl: ldso/dynlink.c, load_library.)~",
                R"~(  $ cudald explain ./train
  FAILS  train does not load: libcudart.so.12 is in no folder that the loader searches)~",
                R"~(Install the package that carries exactly this file name, or make the folder known:
an entry in the DT_RUNPATH of the file that asks (patchelf --add-rpath), or LD_LIBRARY_PATH for
one shell. A folder below site-packages is not searched just because a package was installed
into it. The table "searched, in this order" shows every place that was looked at.)~"},
    FindingRule{"CUD102", "other-abi-only", Level::error,
                "Only another major version of the library is there; it is no substitute.",
                R"~(The number after ".so." is part of the name that the loader compares. CUDA, cuDNN
and most other libraries change it when functions or structures change. Their symbols also carry
versions, so that even a symbolic link under the wanted name fails with "version `libcudnn.so.8'
not found".
Source: glibc elf/dl-version.c, match_symbol; the System V ABI on DT_SONAME.)~",
                R"~(  libcudart.so.11.0 is wanted, and only libcudart.so.12 is installed.)~",
                R"~(Install the version that was asked for, beside the other one if need be: two
versions with different names do not disturb one another. Or take a build of the program for the
version that is there. A symbolic link does not help.)~"},
    FindingRule{"CUD103", "wrong-machine", Level::error,
                "A file of the right name was found, but for another processor or word size.",
                R"~(glibc passes over a file for another machine without a word and goes on searching;
in the end it says "No such file or directory", although the file is there. A file of the other
word size is remembered: "wrong ELF class: ELFCLASS32". musl does not go on: it stops with "Exec
format error".
Windows passes over it as well, and in the end gives error 193, "%1 is not a valid Win32 application".
Source: glibc elf/dl-load.c, open_verify; musl ldso/dynlink.c, load_library.)~",
                R"~(  /opt/cuda/lib64/libcudart.so.12 is for aarch64, the program for x86_64.)~",
                R"~(Install the build for this machine, and put its folder before the other one or
remove the other file.)~"},
    FindingRule{"CUD104", "found-by-environment-only", Level::note,
                "A library is found only because LD_LIBRARY_PATH is set as it is now.",
                R"~(LD_LIBRARY_PATH belongs to one shell or service, not to the file. Where it is not
set (cron, systemd, sudo, an IDE, a set-user-ID program, for which the loader ignores it) the
same start can fail or find another copy.
Source: ld.so(8), LD_LIBRARY_PATH and "Secure-execution mode".)~",
                R"~(  $ LD_LIBRARY_PATH=/opt/cuda/lib64 ./train      works
  $ sudo ./train                                 libcudart.so.12: cannot open shared object file)~",
                R"~(Give the file a DT_RUNPATH that leads to the folder (patchelf --add-rpath
'$ORIGIN/...'), or enter the folder in /etc/ld.so.conf.d and run ldconfig.)~"},
    FindingRule{"CUD106", "runpath-hides-prefix", Level::error,
                "The library is in the environment, but a DT_RUNPATH switches off the DT_RPATH that leads "
                "there.",
                R"~(If the object that asks has a DT_RUNPATH, glibc uses neither its own DT_RPATH nor
those of the program and of the other objects that loaded it. Programs of conda find their
libraries by a DT_RPATH of $ORIGIN/../lib; for a library with a DT_RUNPATH of its own that help
is gone.
Source: ld.so(8), "using the directories specified in the DT_RPATH"; glibc elf/dl-load.c,
_dl_map_object.)~",
                R"~(  python has DT_RPATH $ORIGIN/../lib, where libcudart.so.11.0 lies;
  libonnxruntime_providers_cuda.so has DT_RUNPATH /usr/local/cuda-11.8/lib:
  for it, the DT_RPATH is not searched.)~",
                R"~(Add the folder to the DT_RUNPATH of the file that asks (patchelf --add-rpath), or
set LD_LIBRARY_PATH for this environment. Installing the library again changes nothing: it is
there.)~"},
    FindingRule{"CUD107", "current-directory-in-search-path", Level::note,
                "A search path holds an empty or relative element: the current directory is searched.",
                R"~(An empty element of DT_RPATH, DT_RUNPATH or LD_LIBRARY_PATH (a colon at the start or
end, or two in a row) means the current directory of the process, and a relative element is
below it. Whoever can write to a folder from which the program is started can plant a library
there.
Source: ld.so(8), LD_LIBRARY_PATH; glibc elf/dl-load.c, fillin_rpath.)~",
                R"~(  DT_RUNPATH "/usr/local/cuda-11.8/lib:" ends with a colon.
  export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:/opt/lib
    has an empty first element if the variable was not set.)~",
                R"~(Remove the empty element: patchelf --set-rpath with the other elements only, or
  export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}/opt/lib)~"},
    FindingRule{"CUD108", "build-path-in-runpath", Level::note,
                "A DT_RPATH or DT_RUNPATH names a folder of the machine on which the file was built.",
                R"~(The linker writes the paths it is given (-rpath) into the file as they are. A path
of the build machine finds nothing elsewhere; and if somebody else can create that folder, what
lies in it is loaded.
Source: ld.so(8), DT_RUNPATH.)~",
                R"~(  DT_RUNPATH /home/builder/work/_skbuild/lib:$ORIGIN)~",
                R"~(Install with the build path removed: CMake's install step does it with
CMAKE_INSTALL_RPATH, otherwise
  patchelf --set-rpath '$ORIGIN' FILE)~"},
    FindingRule{"CUD109", "shadowed", Level::note,
                "Another file of the same name lies later in the search, and is not the one that loads.",
                R"~(The loader takes the first fitting file in its order of search and never compares it
with later ones. Which copy wins can change with LD_LIBRARY_PATH, with the folder of the
program, and with the order in which libraries are loaded.
Source: glibc elf/dl-load.c, _dl_map_object and open_path.)~",
                R"~(  libcudnn.so.9 loads from /opt/cuda/lib64 (LD_LIBRARY_PATH);
  site-packages/nvidia/cudnn/lib holds another one.)~",
                R"~(If the wrong copy wins, remove it from the search: unset LD_LIBRARY_PATH, or put the
wanted folder first.)~"},
    FindingRule{"CUD110", "needs-load-order", Level::note,
                "A library is found only because another object loaded it before.",
                R"~(The first thing the loader does with a name is to compare it with the names and the
DT_SONAME of what is loaded already. A match ends the search, from whatever folder that object
came. Loaded alone, or in another order, the same file would search for the library and may find
another one, or none.
Source: glibc elf/dl-load.c, _dl_map_object, the loop over the loaded objects.)~",
                R"~(  import torch, then import my_extension     works: torch brought libcudart.so.12 in
  import my_extension                        libcudart.so.12: cannot open shared object file)~",
                R"~(Give the object that asks a DT_RUNPATH to the folder of the library, or keep the
order of loading and say so in its documentation.)~"},
    FindingRule{"CUD111", "not-on-dll-search-path", Level::error,
                "A DLL is there, in a folder that this kind of load does not search.",
                R"~(Windows has no search path in the file that asks. LoadLibrary and the imports of a
program search the folder of the program, System32, the Windows folder, the current folder and
PATH. Python 3.8 and later import extension modules with LOAD_LIBRARY_SEARCH_DEFAULT_DIRS and
LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR: then only the folder of the module, that of python.exe, those
given to os.add_dll_directory, and System32 count. PATH does not, and for a plain LoadLibrary
os.add_dll_directory does not.
Source: Microsoft's "Dynamic-link library search order"; CPython Python/dynload_win.c.)~",
                R"~(  cudart64_12.dll lies in site-packages\nvidia\cuda_runtime\bin; nobody searches there.)~",
                R"~(Before the import: os.add_dll_directory(r"FOLDER"). For what is loaded with
LoadLibrary by its name:
  set "PATH=FOLDER;%PATH%")~"},
    FindingRule{"CUD112", "broken-candidate", Level::error,
                "A file of the right name comes first in the search, and the loader refuses it and stops.",
                R"~(A missing file lets the search go on; a file that is there and is no usable library
does not. glibc stops at the first one that is too short, has no ELF header, contradicts itself,
is a folder, or asks for a newer processor, and the whole start or dlopen fails, even if a good
copy lies in the next folder.
Source: glibc elf/dl-load.c, open_verify and _dl_map_object_from_fd.)~",
                R"~(  libcublas.so.12 is a Git LFS pointer of 134 bytes: "invalid ELF header"
  libc.so is a linker script: "invalid ELF header"
  libcudart.so.12 is empty after an interrupted copy: "file too short")~",
                R"~(Replace the file (git lfs pull, reinstall the package), or move it away so that the
search goes on. A good copy in a later folder does not help as long as the broken one comes
first.)~"},
    FindingRule{"CUD113", "cycle", Level::note, "Libraries need one another in a circle.",
                R"~(The loader copes with a circle: each object is mapped once. But no order of
initialisation suits all: the constructors of one of them run before those of a library that it
needs.
Source: glibc elf/dl-sort-maps.c, _dl_sort_maps.)~",
                R"~(  liba.so needs libb.so, libb.so needs liba.so)~",
                R"~(Nothing, as long as no constructor uses the other library. Otherwise move the common
part into a third library.)~"},
    FindingRule{"CUD114", "import-fails", Level::error,
                "An import fails in Python itself, before or after the loader's part.",
                R"~(`import NAME` is followed as Python would: modules are looked for in the folders of
sys.path, and what their code imports or opens at import time is asked for in that order. A module
that is nowhere ends the import with ModuleNotFoundError, unless a handler around it goes on.
Source: the Python language reference, "The import system"; PEP 420; site.py on .pth files.)~",
                R"~(  $ cudald --prefix .venv spacy
  FAILS  `import spacy` fails: the module click is not installed)~",
                R"~(Install the package that carries the module into the same environment. If the code
does import it under a condition that cannot be seen in the files, ignore this finding and say so
in a report: it is a limit of the model.)~"},
    FindingRule{"CUD115", "not-part-of-windows", Level::warning,
                "A DLL comes from an installer that most machines, but not all, have run.",
                R"~(A fresh Windows holds neither the run-time libraries of Visual C++ (msvcp140.dll,
vcomp140.dll, vcruntime140.dll) nor NVIDIA's driver (nvcuda.dll). Most machines on which such
software is used have them in System32, so that they are taken to be there, and what they import is
followed. python.org's Python brings vcruntime140.dll along, but not msvcp140.dll. What is loaded at
start or by an import, or by a module that the import does not come to, is a warning; what somebody
may load, a note.
Source: the names in System32 of a fresh Windows 11 (data/windows.json).)~",
                R"~(  _C.pyd needs msvcp140.dll, which Windows does not bring.)~",
                R"~(Install the redistributable or the driver, or ship the DLL with the package, as
delvewheel does for wheels.)~"},
    FindingRule{"CUD116", "side-by-side-assembly-missing", Level::error,
                "The manifest inside a file asks for a side-by-side assembly that is not there.",
                R"~(A program's manifest (resource 1) and a DLL's (resource 2) may name assemblies, such as the
runtime of Visual C++ 2008. Windows looks for them in its store, WinSxS, and beside the program or the
DLL, before it looks at any import. If one is missing, the load fails with error 14001, "The application
has failed to start because its side-by-side configuration is incorrect."
Source: Microsoft's "Assembly Searching Sequence" and "System Error Codes".)~",
                R"~(  a module built for Python 2.7 asks for Microsoft.VC90.CRT 9.0.21022.8.)~",
                R"~(Install the redistributable that brings the assembly, or take a build of the file with a
newer compiler, which needs none.)~"},
    FindingRule{
        "CUD117", "only-the-message-tells", Level::warning,
        "A pasted message proves a failure that the files do not show.",
        R"~(A message of --error was printed by a program that ran. Where it names a library that nothing in this
process asks for, or that is found here, the files alone would give a better answer than what really happened.
So the message counts: the library is opened when it is needed, under a name that is put together at run time,
or the program ran in another environment (another LD_LIBRARY_PATH, user, container or Python).
Source: the message; data/messages.json.)~",
        R"~(  $ cudald --error "Could not load library libcudnn_ops_infer.so.8" ./train
  RISK  train loads, but the message proves that something opens libcudnn_ops_infer.so.8 and
  does not find it; no file here names it)~",
        R"~(Install the library that the message names, or run cudald in the environment in which it was printed:
--prefix, --env LD_LIBRARY_PATH=..., --sysroot.)~"},
    FindingRule{"CUD118", "static-tls-too-large", Level::note,
                "A library can be linked with a program, but a dlopen of it finds no room for its thread-local data.",
                R"~(Thread-local data of the initial-exec model lies in a block that is made when the process
starts, for what is there then. glibc keeps 1,664 bytes besides for all that is opened later; musl
keeps none. A library that wants more cannot be opened: import and dlopen fail, whatever the rest of
it is like. A library that is judged alone is taken to be there at the start.
Source: glibc elf/dl-tls.c, _dl_tls_static_surplus_init; musl ldso/dynlink.c, do_relocs.)~",
                R"~(  Debian's libjemalloc.so.2 has 2,632 bytes of it
  $ python3 -c 'import ctypes; ctypes.CDLL("libjemalloc.so.2")'
  OSError: libjemalloc.so.2: cannot allocate memory in static TLS block)~",
                R"~(Load it at the start: export LD_PRELOAD=/path/of/library.so. With glibc 2.32 and later:
export GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16384. Who builds the library leaves out
-ftls-model=initial-exec.)~"},
    FindingRule{"CUD201", "symbol-missing", Level::error,
                "A function or variable that is used is defined by no loaded object.",
                R"~(A symbol is looked up in the objects of the scope: the program and its libraries in
breadth-first order, then, for what dlopen brought in, its own libraries. Data, and every symbol
under BIND_NOW, is bound at once: the start fails with "symbol lookup error: FILE: undefined
symbol: NAME". A function that is bound lazily fails only when it is first called. An undefined
weak symbol is no fault. A plugin may expect symbols from the program that loads it.
On Windows a function is imported from one DLL, by name or number, and all are bound at once: a
miss fails the load with error 127, "The specified procedure could not be found".
Source: glibc elf/dl-lookup.c, _dl_lookup_symbol_x; elf/dl-reloc.c.)~",
                R"~(  extension.so: undefined symbol: _ZN3c105ErrorC2ENS_14SourceLocationESs
    it was compiled with _GLIBCXX_USE_CXX11_ABI=0, and libc10.so of torch 2.9.1 with 1)~",
                R"~(Take builds that belong together: rebuild or reinstall the object that asks against
the libraries that are there. Of a function of C++ the libraries of the process are searched for what
is like it: the same function for the other std::string, or the name with other parameters, which is
that of another release.)~"},
    FindingRule{"CUD202", "version-missing", Level::error,
                "A library was found, but it lacks a version that is asked for.",
                R"~(A file can record, for each library, which versions of its symbols it was linked
with (verneed). Before anything runs, the loader compares them with the versions that the
library defines (verdef): "version `GLIBC_2.38' not found (required by FILE)". A version marked
weak may be missing. If the library defines no versions at all, glibc only warns: "no version
information available". A record of a format that it does not know (vd_version is not 1) stops it at once.
Source: glibc elf/dl-version.c, _dl_check_map_versions and match_symbol.)~",
                R"~(  libfoo.so wants GLIBC_2.38, and the libc.so.6 here ends with GLIBC_2.36)~",
                R"~(Use a library that is new enough, or a build of the file for the older one. A
version of GLIBC_ means that the file was built on a newer system than this one.)~"},
    FindingRule{"CUD203", "forwarder-unresolved", Level::error,
                "A DLL says that another one has a function, and that one is missing or lacks it.",
                R"~(An export of a DLL can be a text, "OTHER.function", instead of code. When the
function is imported, OTHER is loaded by the same rules. If it is not found, or does not have the
function, the load fails with error 127, "The specified procedure could not be found".
Source: Microsoft's "PE Format", "Export Address Table".)~",
                R"~(  cudnn64_9.dll forwards cudnnCreate to cudnn_graph64_9.dll, which is missing.)~",
                R"~(Install the DLL that is named, in a folder that the load searches.)~"},
    FindingRule{"CUD204", "symbol-from-other-library", Level::note,
                "A symbol is answered by another library than the one whose version was asked for.",
                R"~(A reference with a version names the library that should define it, but the lookup
takes the first object of the scope that defines the symbol in that version, or in none. An
object without versions that stands earlier in the scope (a preloaded library, an allocator, the
program itself) answers for it.
Source: glibc elf/dl-lookup.c, check_match and do_lookup_x.)~",
                R"~(  malloc, version GLIBC_2.2.5 of libc.so.6, is answered by libjemalloc.so.2)~",
                R"~(Often intended, as with LD_PRELOAD. If not, remove the object from the process or
from before the library.)~"},
    FindingRule{"CUD301",
                "driver-too-old",
                Level::warning,
                "The driver is older than the CUDA runtime that is loaded.",
                R"~(Each release of CUDA brings a driver and runs on newer ones. Since CUDA 11, releases of one major
version also run on that major's oldest driver (450.80.02 for 11, 525.60.13 for 12, 580 for 13),
but for code that is there only as PTX of a newer release; then this is a note. Judged is the driver
that --driver or a saved host names.
Source: NVIDIA's CUDA Toolkit release notes and "CUDA Compatibility"; data/cuda.json.)~",
                R"~(  $ cudald --driver 470.82 torch
  CPU ONLY  torch cannot use the GPU here: driver 470.82 is too old for CUDA 12.8: 525.60.13 or
  newer is needed)~",
                R"~(Install a newer driver, or a build for an older CUDA. A newer toolkit does not help.)~",
                {.verdict = VerdictEffect::cpu_only, .about_driver = true}},
    FindingRule{"CUD302", "mixed-cuda-majors", Level::note,
                "A library comes from another major version of CUDA than the rest.",
                R"~(Most libraries of CUDA carry the major version in their name, so that they cannot be mixed up.
Some do not: several majors call cuRAND, cuSOLVER or cuSPARSE the same (cudald provides libcurand.so.10
lists those of a name). From which major such a file comes is read from its bytes.
Source: the version that the library states; data/cuda.json.)~",
                R"~(  libtensorflow_framework.so.2 wants CUDA 11, and libcurand.so.10 is found in CUDA 13)~",
                R"~(Install the library of the CUDA that the rest is of, in a folder that the loader searches
first.)~"},
    FindingRule{"CUD303",
                "two-cuda-runtimes",
                Level::note,
                "Two CUDA runtimes are loaded into one process.",
                R"~(Two libcudart of different releases can live in one process: each library calls the one that it
was linked with, as its references carry a version (libcudart.so.10.2, libcudart.so.11.0). They
share the driver and each GPU's primary context, so that memory and streams can be passed on, but
not kernels, textures, managed variables and the last error. It is a warning if references of one
runtime's users end in the other: without versions, or with the same ones in both, the first
definition in the scope wins. A runtime that was linked into a library counts as well, unless all are
of one package; its references never leave that file.
Source: glibc elf/dl-lookup.c, do_lookup_x; CUDA Driver API, "Primary Context Management".)~",
                R"~(  torch 1.10.2 brings libcudart-80664282.so.10.2, cupy-cuda111 needs libcudart.so.11.0)~",
                R"~(Builds for one CUDA leave one runtime. Otherwise nothing is to be done, as long as each library
launches its own kernels and the driver is new enough for both.)~",
                {.told_in_full = true}},
    FindingRule{"CUD304", "cudnn-older-than-built-for", Level::warning,
                "cuDNN is older than the one that the program was built with.",
                R"~(A newer cuDNN of the same major version serves programs that were built with an older one, not
the other way round: functions and operations may be missing. What a file of cuDNN really is, is
read from its bytes, not from its name.
Source: cudnnGetVersion of the file; what the releases of frameworks were built with, data/cuda.json.)~",
                R"~(  torch 2.9.1 is built with cuDNN 9.10.2, and libcudnn.so.9 is 9.1.0)~",
                R"~(Install the release that it was built with, or a newer one of the same major version.)~"},
    FindingRule{"CUD305", "cudnn-cuda-mismatch", Level::warning,
                "cuDNN is built for another major version of CUDA than the process has.",
                R"~(NVIDIA makes each release of cuDNN for several majors of CUDA; the files have the same names. A
cuDNN for CUDA 12 asks for libcublas.so.12 and libnvrtc.so.12 when it needs them, which a process
with CUDA 11 does not have.
Source: cudnnGetCudartVersion of the file.)~",
                R"~(  nvidia-cudnn-cu12 was installed beside onnxruntime-gpu for CUDA 11)~",
                R"~(Install the package of cuDNN whose suffix is the CUDA of the rest (nvidia-cudnn-cu12 for
CUDA 12).)~"},
    FindingRule{"CUD306", "mixed-cudnn-parts", Level::warning, "Parts of two releases of cuDNN meet in one process.",
                R"~(cuDNN is several libraries: a front one, and parts that it opens when they are needed. All must be
of one release. If two copies lie in the search, the front may come from one and a part, found by
LD_LIBRARY_PATH or already loaded, from the other; each part checks that and refuses.
Source: cudnnGetVersion of each part; where the loader finds them.)~",
                R"~(  libcudnn_ops_infer.so.8 is 8.5.0 and libcudnn_cnn_infer.so.8 is 8.9.6)~",
                R"~(Keep one copy: install cuDNN again as a whole, or take the other folder out of the search.)~"},
    FindingRule{
        "CUD307", "no-kernel-for-gpu", Level::warning, "A library carries no code that runs on the GPU.",
        R"~(GPU code lies in fatbins inside the library, compiled for architectures that its builder chose. Machine code
(SASS) of sm_86 runs on GPUs of compute capability 8.6 and 8.9: the same major version and no older minor one; that of
sm_90a on 9.0 alone, that of sm_100f on its family. PTX is compiled by the driver for the GPU that is there, if that is
not older; then this is a note, as it takes time. CUDA_FORCE_PTX_JIT=1 leaves out machine code, CUDA_DISABLE_PTX_JIT=1
leaves out PTX. Judged are the GPUs that --gpu names, or those of this machine, and the fatbins that the CUDA runtime
registers.
Source: the CUDA Programming Guide, "Compute Capabilities" and "CUDA Environment Variables"; the fatbins as cuobjdump
lists them.)~",
        R"~(  $ cudald --gpu sm_50 libtorch_cuda.so
  RISK  libtorch_cuda.so loads, but libtorch_cuda.so has no code for sm_50: it carries
        sm_70, sm_75, sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100, sm_100a, sm_120, sm_120a
        and no PTX)~",
        R"~(Take a build for that GPU; PyTorch's releases differ in the GPUs that they are built for. A newer driver
does not help. cudald show FILE lists what a library carries.)~"},
    FindingRule{"CUD308", "extension-built-for-other-cuda", Level::warning,
                "An extension is built for another CUDA than the framework that it extends.",
                R"~(An extension that links both a framework's CUDA library (libc10_cuda.so) and another CUDA runtime
than that library has been compiled with another toolkit. Both runtimes load and keep apart (CUD303),
but the extension hands memory and streams of one to the other, and several packages compare the two
at import and refuse.
Source: the DT_NEEDED of the extension and of the library that it needs.)~",
                R"~(  torch is built for CUDA 10.2, and _version_cuda.so of torch_sparse needs libcudart.so.11.0)~",
                R"~(Take the build of the extension for this framework and this CUDA; if there is none, build it on
the machine, with the toolkit of the framework's version.)~"},
    FindingRule{
        "CUD309",
        "driver-stub",
        Level::warning,
        "What is found as NVIDIA's driver is the toolkit's stub.",
        R"~(The toolkit has a libcuda.so in a folder called stubs, for linking on machines without a driver. All
its functions fail. In the search at run time, by LD_LIBRARY_PATH or a link called libcuda.so.1, it
takes the driver's place. It is known by its code, not by its folder.
Source: cuda.h, CUDA_ERROR_STUB_LIBRARY; the code of cuInit and cuDriverGetVersion.)~",
        R"~(  LD_LIBRARY_PATH names /usr/local/cuda/lib64/stubs, where somebody made a link libcuda.so.1)~",
        R"~(Take the folder out of the search; the driver's own library comes with the driver, in a container from
the host.)~",
        {.verdict = VerdictEffect::cpu_only, .about_driver = true}},
    FindingRule{
        "CUD310",
        "no-driver",
        Level::warning,
        "Software for GPUs is judged where there is no NVIDIA driver.",
        R"~(The CUDA runtime opens libcuda.so.1, the driver's library, when the GPU is first used. It comes with
NVIDIA's driver and with nothing else; in a container it is mounted from the host. Here the search that the
runtime would make finds none, so that no GPU is used. The world of a package's tag and described machines
that do not mention the driver are taken to have one; --driver VERSION states one.
Source: the runtime's own search; CUDA C++ Programming Guide.)~",
        R"~(  $ cudald torch
  CPU ONLY  torch cannot use the GPU: no NVIDIA driver here (libcuda.so.1 is in no folder that the
  loader searches))~",
        R"~(Install NVIDIA's driver, start the container with the host's GPUs, or state the driver of the machine that
the software is meant for: --driver 550.54.)~",
        {.verdict = VerdictEffect::cpu_only, .about_driver = true, .lacks_driver = true}},
    FindingRule{"CUD311",
                "gpu-lost-by-message",
                Level::warning,
                "A pasted message proves that the GPU is not used, which the files do not show.",
                R"~(A message of --error was printed by a program that ran, and says that the GPU was not used: the
driver and its kernel module do not belong together, no device was there, or a library was not found. The
files alone do not show it.
Source: the message; data/messages.json.)~",
                R"~(  $ cudald --error "Failed to initialize NVML: Driver/library version mismatch" torch
  CPU ONLY  torch cannot use the GPU here: the message proves what the files cannot show: ...)~",
                R"~(What helps depends on the message; the finding says it.)~",
                {.verdict = VerdictEffect::cpu_only, .about_driver = true}},
    FindingRule{
        "CUD312", "locked-cuda-majors", Level::warning, "Packages of one lock are built for different majors of CUDA.",
        R"~(A resolver compares versions of distributions. That torch is built for CUDA 12 and a CuPy for CUDA 11
stands in none of them, so that both are locked together. In one process each has a runtime of its own (CUD303); what
both majors call by one name, as cuDNN and NCCL, is there once, and is of the wrong major for one of them.
Source: what releases were built for, data/cuda.json; of packages at hand, the runtime in their files.)~",
        R"~(  torch 2.9.1 is for CUDA 12, cupy-cuda11x 13.6.0 is for CUDA 11)~",
        R"~(Take builds for one major of CUDA: cupy-cuda12x beside a torch for CUDA 12.)~"},
    FindingRule{"CUD313", "library-carried-twice", Level::note,
                "Packages of one lock carry a library of the same name in different folders.",
                R"~(A process has one library of a name: the one that is loaded first serves all who ask for that name
afterwards, whatever package they are of. As long as the copies are of one release nothing is seen of it but the bytes
that they take; else the order of imports decides.
Source: the directories of the wheels; data/providers.json for those that are not at hand.)~",
                R"~(  libcudart.so.12 lies in nvidia-cuda-runtime-cu12 12.8.90, mytool 1.0)~",
                R"~(Nothing, as long as both are of one release. Else take a build that uses the common package.)~"},
    FindingRule{
        "CUD314",
        "driver-of-two-releases",
        Level::warning,
        "The driver's library and its module in the kernel are of two releases.",
        R"~(libcuda.so.1 works with the kernel module of its own release alone. The two differ after an update of the
driver until the machine is restarted, and in a container that has a libcuda.so.1 of its own, which hides the one that
is mounted from the host. The kernel's release is that of /proc/driver/nvidia/version; a newer library of a package
cuda-compat is no such case (CUD301).
Source: CUDA Runtime API, cudaErrorSystemDriverMismatch; NVML API Reference, NVML_ERROR_LIB_RM_VERSION_MISMATCH.)~",
        R"~(  libcuda.so.1 is of driver 550.54.14, and the kernel's module of 535.104.05)~",
        R"~(Restart the machine after an update; in a container take the libcuda.so.1 away that its image brings.)~",
        {.verdict = VerdictEffect::cpu_only, .about_driver = true}},
    FindingRule{
        "CUD315",
        "gpus-hidden",
        Level::warning,
        "CUDA_VISIBLE_DEVICES lets a process see no GPU.",
        R"~(The variable lists the GPUs that a process may use, by number or by UUID. Those before the first entry that
names none are seen, so that an empty value and -1 hide all of them. Job schedulers, notebooks and tests set it, and it
is inherited.
Source: CUDA Programming Guide, "CUDA Environment Variables"; asked on a GPU by tools/gpu-check.)~",
        R"~(  $ CUDA_VISIBLE_DEVICES=-1 cudald torch
  CPU ONLY  torch cannot use the GPU here: CUDA_VISIBLE_DEVICES is "-1", which begins with no GPU:
  none is seen)~",
        R"~(Take the variable away, or give it the number of a GPU: nvidia-smi -L lists them.)~",
        {.verdict = VerdictEffect::cpu_only, .about_driver = true}},
    FindingRule{
        "CUD401", "optional-library-missing", Level::note,
        "A library of CUDA that code may open by a constant name is not there.",
        R"~(A file that calls dlopen or LoadLibrary, and holds the name of a library as a text of its own in its
read-only data, most likely opens it when it needs it: libcudart opens libcuda.so.1, the driver. The
name is searched for as that file would do it, with its RUNPATH and all else. Told is what belongs to
CUDA: one note for the driver, and one for each file; all such names are in JSON (may_open), and
cudald show FILE lists them. If another name of the same library is found, nothing is missing.
Source: dlopen(3); the constants of the file.)~",
        R"~(  libcudart.so.12 may open libcuda.so.1 later, and would not find it)~",
        R"~(On a machine without a GPU: nothing. Otherwise install NVIDIA's driver, or the package that carries the
library.)~"},
    FindingRule{"CUD403",
                "not-a-cuda-package",
                Level::warning,
                "What was imported asks for no CUDA library: the message about one is somebody else's.",
                R"~(Packages use the GPU in different ways. Some have CUDA libraries in the DT_NEEDED of their
extension modules, others open them at run time, and some ask for none at all and use the GPU
through another package, as spaCy does through CuPy. A warning about a missing libcudart then comes
from a package that is imported along the way, and costs what was asked about nothing but the GPU
that it would not have used anyway.
Source: the DT_NEEDED and the known dlopen calls of every object that the import maps; the modules
that the import looks for and does not find.)~",
                R"~(  $ cudald --prefix .venv spacy
  CPU ONLY  spacy 3.5.4 asks for no CUDA library; what is missing, libcudart.so.11.0 and 7 more,
  is asked for by tensorflow. spacy would use the GPU through cupy, which is not installed)~",
                R"~(Install the package through which the GPU is used (pip install "spacy[cuda11x]"), and ask
for the GPU in so many words (spacy.require_gpu()), so that its absence is an error. If the GPU is
not wanted, nothing is to be done.)~",
                {.verdict = VerdictEffect::cpu_only, .speaks_for_all = true}},
    FindingRule{
        "CUD501", "requirement-undeclared", Level::error,
        "A package needs a library that its tag does not promise and that none of its requirements brings.",
        R"~(Whoever installs the package alone gets what the package holds, what its requirements bring, and what its
platform tag promises of the machine; NVIDIA's driver is taken to be there. A library that is none of these may lie on
the machine of whoever built the package, and on few others. What a requirement brings that is not at hand is known
from a table, or taken to be possible (a note); --with gives it. Told in the world of a tag (--host tag).
Source: PEP 513 and 600 for what is promised; data/providers.json for what packages bring.)~",
        R"~(  _ext.so needs libcudart.so.12, and the wheel requires nothing)~",
        R"~(For its publisher: put the library into the package, or require what brings it and search its folder. For
its user: install what brings it beside the package.)~"},
    FindingRule{
        "CUD502", "bundled-cuda", Level::error, "A package carries a library of CUDA, which its packager forbids.",
        R"~(A copy of a CUDA library in a wheel makes it large, is a second one beside the copy that other
packages bring, and gets no updates. Told only where `forbid-bundled-cuda` is set in the configuration; what a file is
is known by its bytes, whatever it is called.
Source: a rule of the packager's (cudald.toml).)~",
        R"~(  mytool/lib/libx-3fd2.so.12 is NVIDIA's CUDA runtime 12.8)~",
        R"~(Require the package that brings it (nvidia-cuda-runtime-cu12), and exclude it where libraries are taken
in: auditwheel repair --exclude libcudart.so.12.)~"},
    FindingRule{
        "CUD503",
        "tag-too-low",
        Level::warning,
        "A wheel's platform tag promises more than its libraries keep.",
        R"~(manylinux_2_17_x86_64 says: this works wherever glibc is 2.17 or newer, with no other libraries than those
that the tag lists. pip goes by the tag alone. A library that asks for a newer version of a symbol is then refused by
the loader; one that needs a library from outside loads only where that is installed (a note; none is made for what a
package that the wheel requires brings). Versions marked weak do not count, as the loader forgives them.
Source: PEP 513, 571, 599, 600 and 656; the lists are in data/manylinux.json.)~",
        R"~(  x-1.0-cp311-cp311-manylinux_2_17_x86_64.whl needs GLIBC_2.34 of libc.so.6)~",
        R"~(Claim what it fits (cudald show x.whl says what): python3 -m wheel tags --remove --platform-tag TAG x.whl.
Or build it in the image of that tag, and take libraries in with auditwheel repair.)~",
        {.verdict = VerdictEffect::of_tag, .place = FindingPlace::last_of_its_level}},
    FindingRule{
        "CUD505", "record-mismatch", Level::note, "A wheel's RECORD does not list what the wheel holds.",
        R"~(RECORD names every file of a wheel with its hash and size. Uninstallers remove what it lists, auditors
compare it, and the package index refuses wheels in which it is wrong; pip installs them all the same.
Source: the binary distribution format (PEP 376, PEP 427).)~",
        R"~(  patchelf was run on a library of the wheel, and RECORD still has the old hash and size)~",
        R"~(Pack the wheel again with a tool that writes RECORD: python -m wheel pack FOLDER.)~"},
    FindingRule{
        "CUD506", "installers-disagree", Level::warning, "Two readers of this archive can see different files.",
        R"~(A zip archive says many things twice: in the directory at its end and in a header before each member, by
name and by number. Where the two differ, or a name stands there twice, one installer takes the one and another the
other; what was audited is then not what is installed.
Source: PKWARE APPNOTE 4.3; the upload check of the package index.)~",
        R"~(  two members named torch/__init__.py, of different content)~",
        R"~(Do not install it. Build the archive again with one tool.)~"},
    FindingRule{
        "CUD507", "unsafe-member", Level::warning, "A member of this archive could be extracted outside its folder.",
        R"~(An absolute name, a name with "..", a symbolic link, a device or an encrypted member: an extractor that
trusts the archive writes outside its folder, or cannot be audited. cudald reads no such member.
Source: PKWARE APPNOTE.TXT, 4.4.17.)~",
        R"~(  ../../home/user/.bashrc)~", R"~(Do not install it, and tell whoever published it.)~"},
    FindingRule{"CUD508", "variant-claim-wrong", Level::warning,
                "A wheel variant claims a CUDA or a GPU that its files do not keep to.",
                R"~(A variant wheel says in variant.json for which CUDA and which GPUs it is made, and installers that
know variants choose by that. Held against it are the runtime of CUDA that its libraries need or have linked in, and the
code for GPUs that they carry: a claim of 90_real wants machine code for sm_90, 90_virtual its PTX.
Source: PEP 817 (draft), and the properties of NVIDIA's provider; the files of the wheel.)~",
                R"~(  the variant of torch claims machine code for sm_120, and none of its files has any)~",
                R"~(Claim what the files hold, or build for what is claimed.)~"},
    FindingRule{"CUD509", "sbom-incomplete", Level::note,
                "The SBOM in a package does not name a library of CUDA that the package carries.",
                R"~(A package may hold SBOMs, in *.dist-info/sboms/, which say what of others is in it; tools that look
for libraries with known faults go by them. The libraries of CUDA that the package carries are known by their bytes,
whatever they are called; each should stand there, with its version. Read are CycloneDX and SPDX in JSON.
Source: PEP 770; the files of the package.)~",
                R"~(  the SBOM of mytool does not name CUDA runtime 12.8, which mytool carries)~",
                R"~(Name it in the SBOM; cudald check -f cyclonedx writes components with their versions.)~"},
    FindingRule{"CUD510", "abi3-broken", Level::warning,
                "An extension module claims CPython's stable ABI, and uses functions that are no part of it.",
                R"~(A module that is tagged abi3 is installed into every later Python. What is no part of the stable
ABI may be gone there, or work otherwise; what came into it with a later release than the tag claims is missing in
the older ones. `abi3 = false` in the table [policy] of the configuration turns this off.
Source: CPython's Misc/stable_abi.toml; PEP 384, PEP 652.)~",
                R"~(  fast.abi3.so claims the stable ABI of Python 3.8, and uses PyType_GetName (3.11))~",
                R"~(Compile with Py_LIMITED_API set to the oldest Python that the tag claims; then such functions are no
longer declared. Or tag the wheel for one Python.)~"},
    FindingRule{"CUD511", "files-replaced", Level::warning, "Two packages of one lock install the same files.",
                R"~(pip and uv unpack wheels one after the other into one folder. Where two have a file of the same
path, the one that is installed last is there in the end, and both count as installed. So nvidia-cudnn-cu11 replaces
the cuDNN of nvidia-cudnn-cu12, and onnxruntime the library of onnxruntime-gpu, which then knows no GPU.
Source: the directories of the wheels; data/providers.json for those that are not at hand.)~",
                R"~(  nvidia-cudnn-cu11 9.10.2.21 and nvidia-cudnn-cu12 9.10.2.21 both install
  nvidia/cudnn/lib/libcudnn.so.9)~",
                R"~(Keep one of the two and lock again. Where a third package requires the wrong one, its maker can be
asked to require neither, or an override of the resolver leaves it out (uv: override-dependencies).)~"},
    FindingRule{
        "CUD512", "lock-incomplete", Level::warning, "A package requires another one that the lock does not have.",
        R"~(A lock is installed as it is, without resolving. If it was edited by hand, made for another platform
or Python, or made with --no-deps, something is missing that a package requires, and its import fails.
Source: Requires-Dist in the METADATA of the wheel, with its markers for the machine and Python in question.)~",
        R"~(  torch 2.9.1 requires sympy>=1.13.3, which the lock does not have)~",
        R"~(Lock again. For another platform: uv lock makes one file for all, pip lock one for where it runs.)~"},
    FindingRule{
        "CUD513", "no-wheel-fits", Level::error,
        "The lock names no wheel of a package that fits the machine and Python in question.",
        R"~(Of the wheels that a lock names, an installer takes those whose tags fit. If none does and there is a
source, it builds that, which needs compilers and, for CUDA, a toolkit: a warning. If there is none, the installation
fails before anything is loaded.
Source: PEP 425, PEP 600, PEP 656; the names of the files in the lock.)~",
        R"~(  the lock names no wheel of tensorflow 2.6.0 for Python 3.12 on linux-x86_64)~",
        R"~(State the Python or platform that is meant (--python, --platform), or lock for it.)~"},
    FindingRule{"CUD601", "probe-not-run", Level::note,
                "Something could not be tried on this machine; it is neither confirmed nor refuted.",
                R"~(`cudald probe` loads for real, and computes on a GPU. What this machine cannot do is not done: files
for another system or processor, files in archives, a kernel without a GPU. The verdict stays that of the
simulation.
Source: a rule of cudald; the words after "says" are those of the CUDA runtime.)~",
                R"~(  kernel not run: no NVIDIA driver on this machine)~",
                R"~(Probe on the machine in question. For a kernel it needs an NVIDIA GPU, its driver, and a cudald that
was built with nvcc.)~"},
    FindingRule{
        "CUD602",
        "simulation-differs",
        Level::error,
        "The real loader did something else than cudald predicted.",
        R"~(Each file that is mapped is compared with the prediction, in both directions and in order, as are
success and the loader's own words. A difference means a bug of cudald, a file that changed in between,
or code that took part: a constructor that calls dlopen is not followed by a simulation. Of an import, another
order of the same files is a note.
Source: a rule of cudald.)~",
        R"~(  libfoo.so is mapped, and was not predicted)~",
        R"~(Ask again; if the difference stays, look whether a library opens others when it is loaded (LD_DEBUG=files
tells). If none does, please report it: it is the most serious fault that cudald can have.)~",
        {.verdict = VerdictEffect::risk, .place = FindingPlace::first}},
    FindingRule{
        "CUD603", "load-failed", Level::error, "The process in which the target was loaded did not survive it.",
        R"~(Code of a library runs while it is loaded: its constructors, and those of what it needs. They crashed, ended
the process, or came to no end within the time limit. The files may be right and in place all the same.
Source: a rule of cudald; signal(7).)~",
        R"~(  the process is ended by SIGSEGV while loading /opt/x/libx.so)~",
        R"~(Load it under a debugger: gdb --args ld.so /opt/x/libx.so. If it only takes long, give it more time
(--timeout 5min).)~"},
    FindingRule{
        "CUD604",
        "kernel-failed",
        Level::error,
        "A CUDA library loads, but does not do its work on this machine.",
        R"~(A kernel, a matrix product or a convolution was started through the library that was loaded, and ended with
an error or a wrong result; or the driver is too old for the runtime. The words are those of the library.
Source: a rule of cudald; the CUDA Runtime API on cudaError.)~",
        R"~(  kernel on device 0 of libcudart.so.12 fails: cudaErrorNoKernelImageForDevice (209))~",
        R"~(Look at the driver first: nvidia-smi; a newer one serves older runtimes. If other programs work, compare
their runtime with this one (cudald tree).)~",
        {.verdict = VerdictEffect::risk}},
    FindingRule{"CUD701", "glibc-too-new", Level::error, "A file needs a newer glibc than the packager allows.",
                R"~(The version nodes that a file needs of glibc (GLIBC_2.34) say on which systems it loads. Told only
where `max-glibc` is set in the table [policy] of the configuration.
Source: a rule of the packager's (cudald.toml).)~",
                R"~(  fast.so needs GLIBC_2.34, and no newer glibc than GLIBC_2.28 is allowed)~",
                R"~(Build it in an older image, as that of the manylinux tag that is wanted.)~"},
    FindingRule{"CUD702", "libstdcxx-too-new", Level::error, "A file needs a newer libstdc++ than the packager allows.",
                R"~(The same as CUD701 for GLIBCXX version nodes: a newer g++ makes files need a newer libstdc++.6. Told
only where `max-glibcxx` is set in the table [policy] of the configuration.
Source: a rule of the packager's (cudald.toml).)~",
                R"~(  fast.so needs GLIBCXX_3.4.32, and no newer libstdc++ than GLIBCXX_3.4.25 is allowed)~",
                R"~(Build it with an older g++, or link libstdc++ statically: -static-libstdc++.)~"},
    FindingRule{"CUD703", "library-not-allowed", Level::error,
                "A file needs a library from outside that the packager does not allow.",
                R"~(Told only where `allowed-libraries` is set in the table [policy] of the configuration: a list of
names, with * for any characters, that may come from outside the package.
Source: a rule of the packager's (cudald.toml).)~",
                R"~(  fast.so needs libssl.so.3, which is none of the libraries that may come from outside)~",
                R"~(Take the library into the package (auditwheel repair), link it statically, or allow it.)~"},
    FindingRule{"CUD704", "forbidden-rpath", Level::error, "A search path in a file is forbidden by the packager.",
                R"~(A folder that is named by an absolute path is that of the machine that built the file; wherever else
it is, whoever may write there decides what is loaded. Told only where `forbid-absolute-rpath` or
`forbidden-rpath` is set in the table [policy] of the configuration.
Source: a rule of the packager's (cudald.toml).)~",
                R"~(  the DT_RUNPATH of fast.so names /usr/local/cuda-12.8/lib64, which is forbidden)~",
                R"~(Name folders by where the file itself lies: patchelf --set-rpath '$ORIGIN/../lib' FILE.)~"},
    FindingRule{"CUD705", "required-gpu-missing", Level::error,
                "A library has no code for a GPU that the packager requires.",
                R"~(Told only where `required-gpus` is set in the table [policy] of the configuration. Machine code of
the same major architecture and no newer minor one counts, and so does PTX of an older one, which
the driver compiles.
Source: a rule of the packager's (cudald.toml).)~",
                R"~(  libkernels.so has no code that runs on sm_70, which is required)~",
                R"~(Compile for it as well: -gencode arch=compute_70,code=sm_70.)~"},
    FindingRule{"CUD706", "forbidden-gpu-present", Level::error,
                "A library has code for a GPU that the packager forbids.",
                R"~(Code for GPUs that are no longer served makes packages larger. Told only where `forbidden-gpus` is
set in the table [policy] of the configuration.
Source: a rule of the packager's (cudald.toml).)~",
                R"~(  libkernels.so has code for sm_35, which is forbidden)~",
                R"~(Leave it out: the list of CMAKE_CUDA_ARCHITECTURES or -gencode.)~"},
    FindingRule{"CUD707", "driver-floor-too-high", Level::error,
                "What is loaded needs a newer driver than the packager allows.",
                R"~(Each release of CUDA needs a driver that is not older than its own first one. Told only where `max-
driver` is set in the table [policy] of the configuration.
Source: a rule of the packager's (cudald.toml).)~",
                R"~(  CUDA 13.0 needs driver 580.65.06 or newer, and no newer one than 535.104 may be needed)~",
                R"~(Build for, or require, an older major release of CUDA.)~"},
    FindingRule{
        "CUD708", "executable-stack", Level::error, "A file makes the stack executable, which the packager forbids.",
        R"~(The flag usually comes from one file of assembler that says nothing of the stack. Told only where
`forbid-executable-stack` is set in the table [policy] of the configuration. From glibc 2.41 on a
dlopen of such a file fails.
Source: a rule of the packager's (cudald.toml).)~",
        R"~(  fast.so makes the stack executable)~",
        R"~(Add .section .note.GNU-stack,"",@progbits to the assembler file, or link with -Wl,-z,noexecstack.)~"},
    FindingRule{"CUD709", "text-relocations", Level::error, "A file has text relocations, which the packager forbids.",
                R"~(The loader has to write into the code of such a file: its pages are then shared by no two processes,
and hardened systems refuse it. Told only where `forbid-text-relocations` is set in the table
[policy] of the configuration.
Source: a rule of the packager's (cudald.toml).)~",
                R"~(  fast.so has text relocations: its code is written to when it is loaded)~",
                R"~(Compile all of it with -fPIC.)~"},
    FindingRule{"CUD901", "malformed", Level::warning, "A file contradicts its own format.",
                R"~(A table runs past the end of the file, a name lies outside the string table, a count
is larger than the bytes that hold it. What is healthy in the file is still used; what the
loader does with the rest is not defined. A member of an archive whose bytes do not inflate to the size and checksum
that the archive gives is not used at all, as installers refuse it.
Source: the System V ABI, chapters 4 and 5; elf(5); PKWARE APPNOTE 4.4.7 to 4.4.9.)~",
                R"~(  libx.so: an entry of the dynamic table names a string outside DT_STRTAB)~",
                R"~(Fetch or build the file again; compare its size and checksum with the original. A
strip or patchelf that was interrupted, or a download cut short, is the usual cause.)~"},
    FindingRule{"CUD902",
                "limit-reached",
                Level::warning,
                "A limit of cudald was reached, so nothing is claimed beyond it.",
                R"~(Hostile or broken files can ask for unbounded work. Where cudald stops early it says
so, and the verdict is UNKNOWN: nothing is guessed from half of the data.
Source: a rule of cudald.)~",
                R"~(  libx.so: more than 100,000 entries in the dynamic table)~",
                R"~(If the file is honest and really that large, raise the limit that the finding names (--max-member,
--max-total, --max-ratio); where it names none, please report it: the limit is too low.)~",
                {.verdict = VerdictEffect::unknown}},
    FindingRule{"CUD903", "suppression-unused", Level::note,
                "An entry of the configuration that suppresses a finding is not used, or has expired.",
                R"~(What is suppressed with a reason should go again when the reason does. An entry that suppressed
nothing in this run is a note. One whose day has passed is a warning, and suppresses nothing.
Source: a rule of cudald.)~",
                R"~(  cudald.toml: the entry for CUD302 and libcurand* has expired on 2027-01-01)~",
                R"~(Take the entry out, or give it a new day.)~"},
    FindingRule{"CUD904", "unreadable", Level::error, "Something that the answer depends on cannot be read.",
                R"~(Of what was asked about: no such file, no permission, a directory or a pipe in its place, or an error
of the disk. Only regular files are ever opened. Of all else that was read for the answer: an error that a loader does
not go on with, such as an input/output error, too many open files, or a file that became shorter. The verdict is
UNKNOWN and the exit status 3: no claim is made, and the report has no other finding.
Source: a rule of cudald.)~",
                R"~(  $ cudald explain libx.so
  cudald: libx.so: No such file or directory)~",
                R"~(Check the path and its permissions; with --sysroot, paths are those inside the
tree.)~"},
    FindingRule{
        "CUD905", "not-at-hand", Level::note, "Packages of a lock were not read, as their wheels are not at hand.",
        R"~(A lock names what is installed. What a wheel loads can only be told from its bytes: those of --wheels
and of paths in the lock are opened. Of the others it counts what is known of them by tables (declared), and what is
known of none is taken to bring what others need. If a top-level package is among them, the verdict is UNKNOWN.
Source: a rule of cudald.)~",
        R"~(  25 of 27 packages are not at hand and were not read)~",
        R"~(Download the wheels, and name their folder: pip download --no-deps -d wheels -r requirements.txt;
cudald check --wheels wheels requirements.txt.)~"},
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
