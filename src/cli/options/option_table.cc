#include "cli/options/option_table.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/writers.h>

#include "base/path.h"
#include "base/similar_word.h"
#include "cli/options/option_values.h"

namespace cudald {
namespace {

using Complaint = std::optional<std::string>;
using Value = const std::string&;

constexpr CommandSet on_explain = set_of(Command::explain), on_check = set_of(Command::check),
                     on_probe = set_of(Command::probe), on_repair = set_of(Command::repair),
                     on_tree = set_of(Command::tree), on_why = set_of(Command::why), on_show = set_of(Command::show),
                     on_env = set_of(Command::env), on_diff = set_of(Command::diff),
                     on_provides = set_of(Command::provides), on_rule = set_of(Command::rule),
                     on_config = set_of(Command::config), on_scan = set_of(Command::scan),
                     on_merge = set_of(Command::merge);
constexpr CommandSet judging = on_explain | on_check | on_probe, simulating = judging | on_tree | on_why,
                     reading = simulating | on_show,
                     writing = reading | on_repair | on_env | on_diff | on_provides | on_rule | on_config | on_merge,
                     everywhere = ~CommandSet{0};

constexpr std::array commands = {
    CommandRule{
        Command::explain, "explain", "TARGET...", "why a target loads or fails (default command)",
        "Prints the verdict and, for each problem, the cause and the fix; -v adds the evidence: who needs what, where "
        "it was searched, what happens at run time. The first target is the main program, or a library that is started "
        "as `ld.so LIBRARY` would start it; further targets are loaded into the same process by dlopen, in order. A "
        "directory means what is in it, with a process for each program; a lock file or the directory of a virtual "
        "environment is judged as by check."},
    CommandRule{
        Command::check, "check", "TARGET...", "one line per finding, for scripts and CI",
        "Simulates like explain and prints one line for each finding. Each target is judged in its own "
        "process; --together loads all into one, in order. A directory means the packages, libraries and programs "
        "in it. "
        "A lock file (pylock.toml, uv.lock, requirements with pinned versions, a pip report, an explicit conda "
        "list, a conda-lock file; - reads standard input) means everything it installs: each top-level package "
        "is judged alone, then all in one process. Nothing is resolved: an unpinned requirement is an error. "
        "The directory of a virtual environment means the packages installed there. The exit status is 1 if "
        "there is a finding at or above --fail-on."},
    CommandRule{Command::probe, "probe", "TARGET...", "load the target for real and compare with the simulation",
                "The only command that runs code of the targets: in a separate process, with the environment and "
                "directory in question, under a time limit. Libraries are opened, modules are imported by their "
                "Python; for a program the loader lists what it maps, and main is not run. What is mapped is compared "
                "with the prediction (CUD602). The CUDA runtime, cuDNN and cuBLAS are asked for versions and devices, "
                "and run a small computation on each GPU; without a GPU, the report says what was not run (CUD601)."},
    CommandRule{
        Command::repair, "repair", "FILE... -o NEW|DIR, WHEEL... -w DIR",
        "write a copy that loads: fixes that change the file",
        "Applies those fixes of explain that change a program or library: its search path (DT_RUNPATH), the "
        "names of needed libraries (DT_NEEDED), the executable stack. Elements of the search path that are "
        "empty, relative or of a build machine are removed. The new file is judged before it is written, as if "
        "it were in the place of FILE: it is written only if its verdict is not worse and there is no new error "
        "or warning. FILE itself is never changed. Bytes that are loaded do not move; what cannot be edited "
        "safely is refused. Of a wheel, the search paths of its libraries, Requires-Dist and the platform tag are "
        "changed, so that it finds the libraries of CUDA in NVIDIA's packages; no library is added, and other "
        "members keep their bytes. The exit status is 0 if all is written, 1 if a result would not be as good as its "
        "file or no fix changes it, 3 if a file cannot be read or edited."},
    CommandRule{Command::tree, "tree", "TARGET...", "what is loaded from where, each file once",
                "Shows each file where it is loaded, with the rule that found it. (*) marks a file that is already "
                "loaded. With --invert, shows who needs a library."},
    CommandRule{Command::why, "why", "TARGET... LIBRARY", "the chain of requests that leads to a library",
                "Shows how the library, the last argument, gets into the process of the targets before it. The exit "
                "status is 1 if nothing needs it."},
    CommandRule{Command::show, "show", "FILE...", "headers of a file; contents and platform tag of a wheel",
                "Shows what the loader reads from the files, without a simulation: needed libraries, soname, search "
                "paths, versions, notes, GPU code; imports and exports of PE files. Of a wheel: its libraries and "
                "dependencies, which libraries and versions must come from outside, and the platform tag "
                "(manylinux_2_28_x86_64) that fits; -v lists every need of every file."},
    CommandRule{Command::env, "env", "", "CUDA driver, toolkits, libraries and frameworks found here",
                "Shows on one page the NVIDIA driver, the CUDA toolkits, each copy of the CUDA runtime, cuDNN and the "
                "other libraries that a loader or an environment can find, identified by content, the frameworks with "
                "the CUDA they were built for, and anything unusual."},
    CommandRule{Command::diff, "diff", "A B", "what changed for the loader: files, wheels, saved hosts",
                "Compares what the loader reads: needed libraries, search paths, versions, symbols of DLLs, platform "
                "tags, identity of CUDA libraries, GPU code. For wheels, their libraries by name. The exit status is 1 "
                "if something differs."},
    CommandRule{Command::scan, "scan", "LIST|DIR|FILE...", "check many packages: parallel, distributed, resumable",
                "Judges each target as check does, in a separate process with limits on time and memory, and stores "
                "the results in the directory --state. Targets come from a text file with one per line, a directory, a "
                "mirror with simple/, or an index page as JSON. Finished work is kept: the same command continues "
                "where it stopped. Under Slurm, GNU parallel, Kubernetes, AWS Batch and others each process takes its "
                "own part. The exit status is 0 when the whole part is judged, whatever the findings are, and 3 if "
                "some targets could not be judged because they crashed or exceeded a limit. See docs/scan.md."},
    CommandRule{Command::merge, "merge", "STATE", "combine the results of scan into one answer",
                "Verifies that each target of the list is there exactly once, and writes the records in target order "
                "(`-o ndjson=FILE`, compressed if its name ends in .zst or .gz), SARIF within the limits of GitHub, or "
                "a page by finding and package (`-o html=FILE`). The output does not depend on the number of runs. The "
                "exit status is 3 if targets are missing; they are listed."},
    CommandRule{Command::provides, "provides", "NAME...", "which packages provide a file of that name",
                "Lists the pip, conda and apt packages and CUDA releases that provide libcudart.so.11.0, cudnn64_8.dll "
                "and the like, where the file lands, whether a loader searches there, and the required driver. Given a "
                "package name, also with a version (NAME==1.2), lists the libraries it provides; --online asks the "
                "index about a package that the tables do not know and reads the directory of its wheel. Libraries "
                "named after a package are looked for in it. The exit status is 1 if no package is known to provide a "
                "library, or nothing is known about a package."},
    CommandRule{Command::rule, "rule", "[CODE...]", "what a finding means, with example and remedy",
                "Prints the pages of findings, by code (CUD101) or name (library-not-found); "
                "without a code, the list of all."},
    CommandRule{Command::config, "config", "show|init", "show the effective configuration, or print a template",
                "show: each key that a file or variable sets, with its origin. init: prints a cudald.toml with every "
                "key, its meaning, commented out."},
    CommandRule{Command::cache, "cache", "show|clear", "show or clear the cache of wheels, imports, libraries",
                "The bytes of a wheel that an answer needed are cached below $XDG_CACHE_HOME/cudald, at most 4 GB, "
                "newest first: the same question is answered without unpacking the wheel again, and with --online "
                "without reading it from its server. A local wheel is recognised while its file is unchanged; a remote "
                "one by the SHA-256 and address in the lock. For a Python import the requests of its code to the "
                "loader are cached: while every file and directory that the code looked at is unchanged, the code is "
                "not followed again. For libraries of 4 MiB and more the library names among their constants are "
                "cached while they are unchanged. Verdicts are never cached."},
    CommandRule{
        Command::schema, "schema", "NAME", "print the JSON Schema of an output document",
        "Prints the JSON Schema of what -f json writes: report by explain, check, probe and tree; wheel and "
        "image by show; the others by the commands of that name; requesters by tree --invert, rules by rule, "
        "message by explain --error, host by env --save, baseline by --write-baseline, deployment by check of a lock, "
        "scan-record and scan-list by scan and merge."},
    CommandRule{Command::completion, "completion", "bash|zsh|fish|powershell", "print a completion script for a shell",
                "Prints a script that completes commands, options and values; the man page says where to put it."},
    CommandRule{Command::help, "help", "[COMMAND]", "help on a command",
                "Prints the full help of a command, or of all."},
};

constexpr std::array rows = {
    // World
    OptionRule{
        .name = "sysroot",
        .argument = "TREE",
        .category = Category::world,
        .commands = reading | on_env,
        .summary = "use the directory or image TREE as the root (/)",
        .details =
            "Symbolic links with an absolute target stay inside the tree, as in a container. Targets and all other "
            "paths are paths inside it. The environment is then empty, except for --env. A copy of a Windows drive C: "
            "is the machine on which DLLs are searched. An image is a tar, compressed or not: of a root file system, "
            "of `docker save`, or an OCI layout; the variables and working directory of its config apply.",
        .apply = [](Options& o, Value v) { return set_text(o.world.sysroot, v); },
    },
    OptionRule{
        .name = "prefix",
        .argument = "DIR",
        .category = Category::world,
        .commands = simulating | on_env | on_scan | on_repair,
        .summary = "a venv or conda environment, or a site-packages directory, to look up names in",
        .details =
            "A module name is imported as the Python there would: cudald --prefix .venv torch. The name of an "
            "installed package means its modules: cudald scikit-learn. Without --prefix, modules are looked up in the "
            "active environment: VIRTUAL_ENV, CONDA_PREFIX, or python3 on PATH, also behind a pyenv shim; the answer "
            "names that Python. py:NAME is always a module, as 'import NAME' is. DIR may be a copy of a Python for "
            "Windows (python.org, conda, MSYS2 or a virtual environment), whose imports are then followed by the "
            "rules of Windows.",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_text(o.world.prefix.emplace(), v); },
    },
    OptionRule{
        .name = "python",
        .argument = "VERSION",
        .category = Category::world,
        .commands = simulating | on_scan | on_provides | on_repair,
        .summary = "the Python version for which wheels are chosen and modules are looked up, such as 3.11",
        .details = "Default: that of the prefix; for wheels, that of their tags; for a lock file, the newest Python "
                   "that its wheels support.",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_python(o.world.python, v); },
    },
    OptionRule{
        .name = "libc",
        .argument = "VERSION",
        .category = Category::world,
        .commands = simulating | on_scan | on_repair,
        .summary = "the C library whose loader is simulated, such as glibc-2.31 or musl-1.2",
        .details = "By default it is read from the tree.",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_libc(o.world.libc, v); },
    },
    OptionRule{
        .name = "platform",
        .argument = "PLATFORM",
        .category = Category::world,
        .commands = simulating | on_scan | on_provides,
        .summary = "the machine to simulate; `host` is the one that the first target is built for",
        .values = "host|linux-x86_64|linux-i386|linux-aarch64|linux-arm|linux-ppc64|linux-s390|"
                  "linux-riscv|windows-x86_64|windows-i386|windows-aarch64",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_platform(o, v); },
    },
    OptionRule{
        .name = "cpu",
        .argument = "LEVEL",
        .category = Category::world,
        .commands = simulating | on_scan | on_repair,
        .summary = "processor level, for glibc-hwcaps directories and ISA notes",
        .values = "host|x86-64-v1|x86-64-v2|x86-64-v3|x86-64-v4",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_cpu(o.world.cpu_level, v); },
    },
    OptionRule{
        .name = "gpu",
        .argument = "GPU",
        .category = Category::world,
        .commands = judging | on_env | on_scan | on_repair,
        .summary = "a GPU of the machine, such as sm_90 or 9.0; libraries need code for it; repeatable",
        .details = "Libraries without code for it are findings (CUD307). Without this option, and unless another "
                   "machine is described, the GPUs of this machine count; none: no GPU counts.",
        .in_files = InFiles::list,
        .apply = [](Options& o, Value v) { return add_gpus(o, v); },
    },
    OptionRule{
        .name = "driver",
        .argument = "VERSION",
        .category = Category::world,
        .commands = simulating | on_env | on_scan | on_repair,
        .summary = "the NVIDIA driver version of the machine, such as 535.104, or a branch, 535",
        .details = "A branch means its newest driver. A driver that is too old is a finding (CUD301), and so is a "
                   "missing driver if none is given (CUD310). If the tree has no libcuda.so.1, the driver's libraries "
                   "are assumed present with all functions: this is how a machine with a GPU is judged on one without.",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_driver(o.world.driver, v); },
    },
    OptionRule{
        .name = "host",
        .argument = "here|tag|FILE",
        .category = Category::world,
        .commands = simulating | on_scan,
        .summary = "which machine to judge for: this one, any that fits the platform tag, or a described one",
        .details = "here: this machine, or the tree of --sysroot. tag: what the package's platform tag guarantees, the "
                   "package's dependencies, a driver and a neutral Python, and nothing of this machine; the default if "
                   "all targets are packages and neither --prefix nor --sysroot nor a directory of this machine is "
                   "given. FILE: the machine described by `cudald env --save` or tools/capture-windows-host.ps1; its "
                   "driver, GPUs and processor count unless an option says otherwise. For a described Linux, loaders "
                   "find what the description lists, and nothing of this machine: neither its libraries and "
                   "ld.so.cache nor its variables and Python. Targets and packages are read here, or in the tree of "
                   "--sysroot, and are assumed to be at the same path there; other files beside them are not. For a "
                   "described Windows, the names of its DLLs, known DLLs, PATH, the CUDA variables and Python count.",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_text(o.world.host, v); },
    },
    OptionRule{
        .name = "knowledge",
        .argument = "FILE",
        .category = Category::world,
        .commands = reading | on_provides | on_env | on_scan | on_repair,
        .summary = "newer CUDA data, added to the built-in tables; repeatable",
        .details = "Rows of a table in data/: drivers, names of libraries, GPUs and frameworks by release "
                   "(cudald/cuda, docs/knowledge-schema.json), or of one of those in docs/knowledge-tables.md, as "
                   "`schema` says. A row replaces the built-in one for the same release, name or project. A row "
                   "without a test in `proof` is shown as likely.",
        .in_files = InFiles::list,
        .apply = [](Options& o, Value v) { return add_text(o.world.knowledge, v); },
    },
    OptionRule{
        .name = "secure",
        .category = Category::world,
        .commands = simulating | on_scan,
        .summary = "as for a set-user-ID program: ignore LD_LIBRARY_PATH and the like",
        .apply = [](Options& o, Value) { return set(o.world.secure); },
    },
    OptionRule{
        .name = "user",
        .argument = "NAME",
        .category = Category::world,
        .commands = simulating | on_scan,
        .summary = "who starts the program: a name of /etc/passwd, or UID[:GID]",
        .details = "A program with a set-user-ID or set-group-ID bit, or with file capabilities, is a secure process "
                   "for some users: LD_LIBRARY_PATH and $ORIGIN are not trusted there. Default: the user who asks.",
        .apply = [](Options& o, Value v) { return set_text(o.world.user, v); },
    },
    // Environment
    OptionRule{
        .name = "env",
        .argument = "NAME=VALUE",
        .category = Category::environment,
        .commands = simulating | on_env | on_scan | on_repair,
        .summary = "set a variable for the simulated process; repeatable",
        .details = "By default the variables of the calling process count, such as LD_LIBRARY_PATH and LD_PRELOAD; a "
                   "Windows process has only those set here, and the usual ones. {site} is the site-packages directory "
                   "in which packages are installed virtually, or that of --prefix.",
        .apply = [](Options& o, Value v) { return add_variable(o, v); },
    },
    OptionRule{
        .name = "clear-env",
        .category = Category::environment,
        .commands = simulating | on_env | on_scan | on_repair,
        .summary = "start from an empty environment",
        .apply = [](Options& o, Value) { return set(o.process.clear_environment); },
    },
    OptionRule{
        .name = "cwd",
        .argument = "DIR",
        .category = Category::environment,
        .commands = simulating | on_scan | on_repair,
        .summary = "the current directory of the simulated process",
        .apply = [](Options& o, Value v) { return set_text(o.process.cwd.emplace(), v); },
    },
    OptionRule{
        .name = "dll-path",
        .argument = "DIR",
        .category = Category::environment,
        .commands = simulating | on_scan,
        .summary = "a directory of the PATH of a Windows process; repeatable, in order",
        .details = "A local directory, or one as Windows writes it: C:\\CUDA\\bin. Without --sysroot, the file system "
                   "is drive Z:. {site} as for --env.",
        .apply = [](Options& o, Value v) { return add_text(o.process.dll_path, v); },
    },
    OptionRule{
        .name = "add-dll-directory",
        .argument = "DIR",
        .category = Category::environment,
        .commands = simulating | on_scan,
        .summary = "as if Python called os.add_dll_directory(DIR) before all imports; repeatable",
        .apply = [](Options& o, Value v) { return add_text(o.process.dll_directories, v); },
    },
    OptionRule{
        .name = "default-dll-directories",
        .argument = "FLAGS",
        .category = Category::environment,
        .commands = simulating | on_scan,
        .summary = "as if the process called SetDefaultDllDirectories(FLAGS) before all loads, such as 0x1000",
        .details = "The sum of the LOAD_LIBRARY_SEARCH flags: 0x200 the program's directory, 0x400 added directories, "
                   "0x800 System32, 0x1000 all three. Loads without such flags of their own then search nothing else.",
        .apply = [](Options& o, Value v) { return set_search_flags(o.process.default_dll_directories, v); },
    },
    OptionRule{
        .name = "with",
        .argument = "PACKAGE",
        .category = Category::world,
        .commands = simulating | on_scan | on_repair,
        .summary = "install a wheel or conda package virtually, or the needed wheels of a directory; repeatable",
        .details = "Nothing is extracted: members are read as streams when needed. From a directory, only wheels that "
                   "the targets depend on (Requires-Dist) are taken, the newest version that fits.",
        .in_files = InFiles::list,
        .apply = [](Options& o, Value v) { return add_text(o.packages.given, v); },
    },
    OptionRule{
        .name = "extras",
        .argument = "NAME[,NAME]",
        .category = Category::world,
        .commands = simulating | on_scan,
        .summary = "extras of the targets, as in `pip install 'NAME[EXTRA]'`; repeatable",
        .details =
            "With --host tag, their dependencies count as installed. For a lock file: the extras of its project.",
        .in_files = InFiles::list,
        .apply = [](Options& o, Value v) { return add_extras(o.packages.extras, v); },
    },
    OptionRule{
        .name = "groups",
        .argument = "NAME[,NAME]",
        .category = Category::world,
        .commands = on_check,
        .summary = "dependency groups of a lock file to install as well, such as `dev`; repeatable",
        .in_files = InFiles::list,
        .apply = [](Options& o, Value v) { return add_extras(o.packages.groups, v); },
    },
    OptionRule{
        .name = "wheels",
        .argument = "DIR",
        .category = Category::world,
        .commands = on_check,
        .summary = "a directory with wheels that a lock file names; repeatable",
        .details = "Wheels are chosen by name, version and best tag for the machine and --python, and opened. For "
                   "wheels that are not there, built-in tables are used.",
        .in_files = InFiles::list,
        .apply = [](Options& o, Value v) { return add_text(o.packages.wheels, v); },
    },
    OptionRule{
        .name = "online",
        .category = Category::world,
        .commands = on_explain | on_check | on_scan | on_provides,
        .summary = "read missing wheels from their servers; explain: try fixes; provides: ask the index",
        .details =
            "Without it, no server is contacted. For an import that fails, explain tries each fix that installs "
            "packages "
            "with the wheels that pip would take, and shows first what makes the import work. Only the needed bytes of "
            "a wheel are read, by HTTP range requests. If "
            "the lock names no address, the indexes configured for pip or uv are used, in that program's way: "
            "UV_DEFAULT_INDEX, UV_INDEX, PIP_INDEX_URL, PIP_EXTRA_INDEX_URL, uv.toml, pyproject.toml, pip.conf, and "
            "--index-url in a requirements file, with certificates, proxy, netrc and the logins of named indexes "
            "(UV_INDEX_NAME_PASSWORD). A keyring is used if PIP_KEYRING_PROVIDER, UV_KEYRING_PROVIDER or "
            "keyring-provider in these files is `subprocess`: the program `keyring` on PATH is run as pip or uv run "
            "it, for at most a minute. An index may answer in JSON or HTML. A login is sent only to its own server, "
            "and neither shown nor stored. What was read is cached; see `cudald cache`.",
        .apply = [](Options& o, Value) { return set(o.packages.online); },
    },
    OptionRule{
        .name = "no-cache",
        .category = Category::world,
        .commands = reading | on_scan | on_provides,
        .summary = "neither use nor fill the cache of wheels, imports and libraries",
        .details = "The answer is the same, and takes as long as the first one. See `cudald cache`.",
        .apply = [](Options& o, Value) { return set(o.packages.no_cache); },
    },
    OptionRule{
        .name = "verify-hashes",
        .category = Category::world,
        .commands = on_check,
        .summary = "read each wheel of a lock file completely, and reject one whose SHA-256 differs",
        .apply = [](Options& o, Value) { return set(o.packages.verify_hashes); },
    },
    OptionRule{
        .name = "preload",
        .argument = "FILE",
        .category = Category::environment,
        .commands = simulating | on_scan | on_repair,
        .summary = "preload a library, before those of LD_PRELOAD; repeatable",
        .apply = [](Options& o, Value v) { return add_text(o.process.preload, v); },
    },
    // Question
    OptionRule{
        .name = "lib",
        .letter = 'l',
        .argument = "NAME",
        .category = Category::question,
        .commands = on_explain,
        .summary = "report on this library only, even if it was found",
        .apply = [](Options& o, Value v) { return set_text(o.question.library, v); },
    },
    OptionRule{
        .name = "error",
        .argument = "TEXT",
        .category = Category::question,
        .commands = on_explain,
        .summary = "explain a pasted error message, here and in general; - reads standard input",
        .details = "The report is about the library that the message names. A file that it names by its path is asked, "
                   "or opened "
                   "by the program that is the target. Without both only the message is explained.",
        .apply =
            [](Options& o, Value v) {
              o.question.message = v;
              return Complaint();
            },
    },
    OptionRule{
        .name = "dlopen",
        .argument = "NAME",
        .category = Category::question,
        .commands = simulating | on_scan | on_repair,
        .summary = "after the start, call dlopen(NAME); repeatable",
        .details = "Written NAME[@CALLER][,global][,now][,deepbind]. CALLER is the soname, file name or path of a "
                   "loaded file; by default the main program calls.",
        .apply = [](Options& o, Value v) { return add_dlopen(o.question.dlopens, v); },
    },
    OptionRule{
        .name = "symbols",
        .argument = "SCOPE",
        .category = Category::question,
        .commands = judging | on_diff | on_env | on_scan,
        .summary = "which symbols are bound",
        .details = "diff compares symbols only with `all`; env --save stores them only with `all`.",
        .values = "none|all",
        .in_files = InFiles::one,
        .apply =
            [](Options& o, Value v) {
              o.question.symbols = v == "none" ? SymbolCheck::none : SymbolCheck::all;
              o.question.symbols_asked = v == "all";
              return Complaint();
            },
    },
    OptionRule{
        .name = "constants",
        .argument = "SCOPE",
        .category = Category::question,
        .commands = simulating | on_scan,
        .summary = "where to look for library names among the constants of files that call dlopen or LoadLibrary",
        .details = "files: everywhere except in archive members that would have to be decompressed again; all: there "
                   "too. Such names are likely requests: they are searched for, and never count as needed. Default: "
                   "files for explain, check and why, but not with -q; all with --error; none for tree and probe.",
        .values = "none|files|all",
        .in_files = InFiles::one,
        .apply =
            [](Options& o, Value v) {
              o.question.constants = v == "none"    ? ConstantScope::none
                                     : v == "files" ? ConstantScope::files
                                                    : ConstantScope::all;
              return Complaint();
            },
    },
    OptionRule{
        .name = "bindings",
        .category = Category::question,
        .commands = on_explain,
        .summary = "with -f json: which file answers each symbol reference",
        .apply = [](Options& o, Value) { return set(o.question.bindings); },
    },
    OptionRule{
        .name = "gpu-code",
        .category = Category::question,
        .commands = judging | on_scan,
        .summary = "with -f json: for which GPUs each file contains code; implied by --gpu",
        .details = "This reads each of the thousands of pieces of code in a CUDA library.",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value) { return set(o.question.gpu_code); },
    },
    OptionRule{
        .name = "verify",
        .category = Category::question,
        .commands = on_explain,
        .summary = "explain, then probe: also load the targets for real",
        .apply = [](Options& o, Value) { return set(o.question.verify); },
    },
    OptionRule{
        .name = "separately",
        .category = Category::question,
        .commands = judging | on_tree,
        .summary = "judge each target in its own process",
        .apply = [](Options& o, Value) { return set(o.question.separately); },
    },
    OptionRule{
        .name = "together",
        .category = Category::question,
        .commands = on_check,
        .summary = "load all targets into one process, in order; by default check judges each alone",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value) { return set(o.question.together); },
    },
    OptionRule{
        .name = "jobs",
        .letter = 'j',
        .argument = "N",
        .category = Category::question,
        .commands = judging | on_scan,
        .summary = "number of threads: for files, and with --separately for processes (default: one per processor)",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_number(o.run.jobs, v, 1, 1024); },
    },
    OptionRule{
        .name = "depth",
        .argument = "N",
        .category = Category::question,
        .commands = on_tree,
        .summary = "how many levels are shown",
        .apply = [](Options& o, Value v) { return set_number(o.question.depth, v, 1, 10000); },
    },
    OptionRule{
        .name = "invert",
        .argument = "LIBRARY",
        .category = Category::question,
        .commands = on_tree,
        .summary = "who needs LIBRARY, directly and indirectly",
        .apply = [](Options& o, Value v) { return set_text(o.question.invert, v); },
    },
    OptionRule{
        .name = "all",
        .category = Category::question,
        .commands = on_why,
        .summary = "every chain, not only the shortest",
        .apply = [](Options& o, Value) { return set(o.question.all_chains); },
    },
    // Judgement
    OptionRule{
        .name = "fail-on",
        .argument = "LEVEL",
        .category = Category::judgement,
        .commands = judging | on_tree,
        .summary = "exit status 1 for findings at this level and above (default: error)",
        .values = "error|warning|note|never",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_level(o.judgement.fail_on, v); },
    },
    OptionRule{
        .name = "require-gpu",
        .category = Category::judgement,
        .commands = judging | on_scan,
        .summary = "fail if software runs but cannot use the GPU",
        .details = "So does a file without code for a GPU given by --gpu. docs/gpu-verdicts.md shows six frameworks on "
                   "five machines.",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value) { return set(o.judgement.require_gpu); },
    },
    OptionRule{
        .name = "select",
        .argument = "CODES",
        .category = Category::judgement,
        .commands = judging | on_scan,
        .summary = "report only these findings",
        .details = "Codes, names or prefixes of codes, separated by commas: CUD101,CUD2,shadowed. The verdict does not "
                   "change.",
        .in_files = InFiles::list,
        .apply = [](Options& o, Value v) { return add_codes(o.judgement.select, v); },
    },
    OptionRule{
        .name = "ignore",
        .argument = "CODES",
        .category = Category::judgement,
        .commands = judging | on_scan,
        .summary = "do not report these findings",
        .in_files = InFiles::list,
        .apply = [](Options& o, Value v) { return add_codes(o.judgement.ignore, v); },
    },
    OptionRule{
        .name = "level",
        .argument = "CODE=LEVEL",
        .category = Category::judgement,
        .commands = judging | on_scan,
        .summary = "report a finding at another level: CUD108=error; repeatable",
        .details = "CODE is a code, a name or a prefix of codes; LEVEL is error, warning or note. The verdict, which "
                   "is about loading, does not change.",
        .in_files = InFiles::list,
        .apply = [](Options& o, Value v) { return add_level(o.judgement.levels, v); },
    },
    OptionRule{
        .name = "baseline",
        .argument = "FILE",
        .category = Category::judgement,
        .commands = judging | on_scan,
        .summary = "do not report the findings listed in this file",
        .details = "--write-baseline writes it. Findings are matched by code, path inside the package and subject, so "
                   "moves and upgrades do not invalidate it.",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_text(o.judgement.baseline, v); },
    },
    OptionRule{
        .name = "write-baseline",
        .argument = "FILE",
        .category = Category::judgement,
        .commands = judging,
        .summary = "write the findings of this run to a file for --baseline, and do not count them",
        .apply = [](Options& o, Value v) { return set_text(o.judgement.write_baseline, v); },
    },
    OptionRule{
        .name = "allow-incomplete",
        .category = Category::judgement,
        .commands = reading,
        .summary = "no exit status 3 if something could not be read",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value) { return set(o.judgement.allow_incomplete); },
    },
    OptionRule{
        .name = "strict",
        .category = Category::judgement,
        .commands = judging,
        .summary = "exit status 3 if an import requests something that is decided at run time",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value) { return set(o.judgement.strict); },
    },
    // Output
    OptionRule{
        .name = "format",
        .letter = 'f',
        .argument = "FORMAT",
        .category = Category::output,
        .commands = simulating | on_show | on_provides | on_env | on_diff | on_rule | on_config | on_merge | on_repair,
        .summary = "output format (default: text)",
        .details = "json is one document for one target and an array for several; ndjson one document per line, each "
                   "as soon as it is done. The others are one document for all targets: sarif 2.1.0 for code scanning, "
                   "junit for test reports, github for workflow annotations, markdown for a pull request comment, html "
                   "a self-contained page, dot and mermaid the graph of who loads what, cyclonedx 1.6 the components.",
        .values = format_names,
        .takes = [](Command command, std::string_view v) { return has_format(command, v); },
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_format(o.output.format, v); },
    },
    OptionRule{
        .name = "save",
        .argument = "FILE",
        .category = Category::output,
        .commands = on_env,
        .summary = "also write a description of this machine, for --host elsewhere",
        .details = "It lists the libraries that the loaders of this machine, or of the tree of --sysroot, can find, "
                   "with what they need and define, and the processor, driver and GPUs. With `--symbols all` also the "
                   "symbols of these libraries, as hashes; without them, all functions are assumed present. A name "
                   "that ends in .gz makes it compressed. Python environments are not described.",
        .apply = [](Options& o, Value v) { return set_text(o.output.save, v); },
    },
    OptionRule{
        .name = "print",
        .argument = "WHAT",
        .category = Category::output,
        .commands = on_env,
        .summary = "print only the directories with CUDA libraries, for LD_LIBRARY_PATH or PATH",
        .values = "ld-library-path|dll-path",
        .apply = [](Options& o, Value v) { return set_text(o.output.print, v); },
    },
    OptionRule{
        .name = "output",
        .letter = 'o',
        .argument = "[FORMAT=]FILE",
        .category = Category::output,
        .commands = writing,
        .summary = "write to FILE, which is replaced only when the output is complete",
        .details =
            "- is standard output. With FORMAT=, as in `-o sarif=cudald.sarif -o html=cudald.html`, the answers are "
            "also written to that file in that format; repeatable; the output of -f still goes to standard output. Of "
            "`repair` FILE is the new file, or a directory for new files.",
        .apply = [](Options& o, Value v) { return add_output(o, v); },
    },
    OptionRule{
        .name = "wheel-dir",
        .letter = 'w',
        .argument = "DIR",
        .category = Category::output,
        .commands = on_repair,
        .summary = "write repaired wheels into DIR, which is made if it is missing",
        .apply = [](Options& o, Value v) { return set_text(o.output.wheel_dir, v); },
    },
    OptionRule{
        .name = "dry-run",
        .category = Category::output,
        .commands = on_repair,
        .summary = "show what would change, and write nothing",
        .apply = [](Options& o, Value) { return set(o.output.dry_run); },
    },
    OptionRule{
        .name = "color",
        .argument = "WHEN",
        .category = Category::output,
        .commands = everywhere,
        .summary = "use colours (default: auto)",
        .details = "It takes precedence over NO_COLOR, and that over CLICOLOR_FORCE and FORCE_COLOR; auto means on a "
                   "terminal.",
        .values = "auto|always|never",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_colour(o.output.colour, v); },
    },
    OptionRule{
        .name = "ascii",
        .category = Category::output,
        .commands = everywhere,
        .summary = "ASCII only; automatic if the locale is not UTF-8",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value) { return set(o.output.ascii); },
    },
    OptionRule{
        .name = "width",
        .argument = "N",
        .category = Category::output,
        .commands = everywhere,
        .summary = "columns of the text (default: the terminal's, else 100)",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_number(o.output.width, v, 40, 1000); },
    },
    OptionRule{
        .name = "quiet",
        .letter = 'q',
        .category = Category::output,
        .commands = judging | on_show | on_diff | on_scan | on_merge | on_repair,
        .summary = "only the line with the verdict",
        .in_files = InFiles::one,
        .apply =
            [](Options& o, Value) {
              o.output.verbosity = -1;
              return Complaint();
            },
    },
    OptionRule{
        .name = "verbose",
        .letter = 'v',
        .category = Category::output,
        .commands = judging | on_show | on_diff | on_repair,
        .summary = "all evidence, searches and alternatives; for PE files each function; -vv: also a trace of the "
                   "whole process",
        .in_files = InFiles::one,
        .apply =
            [](Options& o, Value) {
              o.output.verbosity = std::max(o.output.verbosity, 0) + 1;
              return Complaint();
            },
    },
    OptionRule{
        .name = "no-pager",
        .category = Category::output,
        .commands = everywhere,
        .summary = "no pager; on a terminal, long text goes through $PAGER or less",
        .in_files = InFiles::one,
        .apply =
            [](Options& o, Value) {
              o.output.pager = false;
              return Complaint();
            },
    },
    // Limits
    OptionRule{
        .name = "max-member",
        .argument = "SIZE",
        .category = Category::limits,
        .commands = simulating | on_scan,
        .summary = "largest archive member that is read (default: 8GiB)",
        .details = "Bytes, or a number with KiB, MiB, GiB or TiB. A larger member is a finding, CUD902.",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_size(o.run.limits.member, v); },
    },
    OptionRule{
        .name = "max-total",
        .argument = "SIZE",
        .category = Category::limits,
        .commands = simulating | on_scan,
        .summary = "most bytes read of all archive members together (default: 64GiB)",
        .details = "For conda packages and images, the size of their decompressed streams. Exceeding it is a finding, "
                   "CUD902; an image is then not opened.",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_size(o.run.limits.total, v); },
    },
    OptionRule{
        .name = "max-ratio",
        .argument = "N",
        .category = Category::limits,
        .commands = simulating | on_scan,
        .summary = "members that inflate to more than N times their size are not read (default: 2000)",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_number(o.run.limits.ratio, v, 1, 1000000); },
    },
    OptionRule{
        .name = "timeout",
        .argument = "TIME",
        .category = Category::limits,
        .commands = on_explain | on_probe | on_scan,
        .summary = "kill a process that probe or scan starts after this time (default: 60s; scan: 10min)",
        .details = "Seconds, or a number with s or min.",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_time(o.run.timeout.emplace(), v); },
    },
    OptionRule{
        .name = "sandbox",
        .argument = "WHEN",
        .category = Category::limits,
        .commands = reading | on_repair | on_env | on_diff | on_scan | on_merge | on_provides,
        .summary = "drop the rights that the question does not need, before targets are read",
        .details =
            "With Landlock and seccomp, cudald then writes only where -o, -w, --state and the like say and into its "
            "cache, starts no program, opens no socket without --online, and for packages, locks, images and scans "
            "reads no other user's home that the command line does not name. auto does what the kernel can, require "
            "is an error where it cannot, off is for debugging. probe and --verify have no sandbox, as they run the "
            "target.",
        .values = "auto|require|off",
        .apply = [](Options& o, Value v) { return set_sandbox(o.run.sandbox, v); },
    },
    OptionRule{
        .name = "progress",
        .argument = "WAY",
        .category = Category::output,
        .commands = simulating | on_scan,
        .summary = "on standard error: a line on a terminal, a plain line for each answer, or nothing",
        .values = "auto|plain|never",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_progress(o.output.progress, v); },
    },
    // Scan
    OptionRule{
        .name = "state",
        .argument = "DIR",
        .category = Category::scan,
        .commands = on_scan,
        .summary = "the directory for the list and results of a scan; workers share it",
        .details = "It may be on a network file system: nothing is locked, and files appear complete. The first worker "
                   "determines the targets.",
        .apply = [](Options& o, Value v) { return set_text(o.scan.state, v); },
    },
    OptionRule{
        .name = "shard",
        .argument = "I/N",
        .category = Category::scan,
        .commands = on_scan,
        .summary = "judge the I-th of N parts of about equal size, such as 2/7",
        .details = "By default the variables of the launcher count: array jobs of Slurm, GNU parallel, Kubernetes, AWS "
                   "Batch, Google Cloud Batch, LSF, PBS, Grid Engine, Nomad or GitLab; without these there is one "
                   "part. The same list and N give the same parts.",
        .apply = [](Options& o, Value v) { return set_shard(o, v); },
    },
    OptionRule{
        .name = "shards",
        .argument = "N",
        .category = Category::scan,
        .commands = on_scan,
        .summary = "the number of parts, if the launcher tells only which one this is",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_number(o.scan.shards, v, 1, 1000000); },
    },
    OptionRule{
        .name = "dynamic",
        .category = Category::scan,
        .commands = on_scan,
        .summary = "take work while there is some left, instead of a fixed part; for machines of uneven speed",
        .details = "Any number of workers may come and go. The work of a dead worker is reassigned: at once on the "
                   "same machine, otherwise after ten minutes without a sign of life.",
        .apply = [](Options& o, Value) { return set(o.scan.dynamic); },
    },
    OptionRule{
        .name = "retry",
        .category = Category::scan,
        .commands = on_scan,
        .summary = "judge again what crashed or exceeded a limit in an earlier run",
        .apply = [](Options& o, Value) { return set(o.scan.retry); },
    },
    OptionRule{
        .name = "relist",
        .category = Category::scan,
        .commands = on_scan,
        .summary = "search for targets again; finished, unchanged work is kept",
        .apply = [](Options& o, Value) { return set(o.scan.relist); },
    },
    OptionRule{
        .name = "max-memory",
        .argument = "SIZE",
        .category = Category::scan,
        .commands = on_scan,
        .summary = "memory limit of the process of one target (default: 4GiB)",
        .details = "Bytes, or a number with KiB, MiB, GiB or TiB. -j of them run at a time.",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_size(o.scan.max_memory, v); },
    },
    // Configuration
    OptionRule{
        .name = "config",
        .argument = "FILE|KEY=VALUE",
        .category = Category::configuration,
        .commands = reading | on_env | on_diff | on_provides | on_config | on_scan | on_merge | on_repair,
        .summary = "read this file instead of the usual ones, or set one key; repeatable",
        .details =
            "By default the nearest cudald.toml and pyproject.toml (table [tool.cudald]) are read, from the current "
            "directory upwards, then config.toml in $XDG_CONFIG_HOME/cudald. An option takes precedence over a "
            "variable CUDALD_NAME, and that over files. `cudald config show` prints the origin of each value.",
        .apply = [](Options& o, Value v) { return add_text(o.run.config, v); },
    },
    OptionRule{
        .name = "isolated",
        .category = Category::configuration,
        .commands = reading | on_env | on_diff | on_provides | on_config | on_scan | on_merge | on_repair,
        .summary = "read no configuration and no CUDALD_ variables",
        .apply = [](Options& o, Value) { return set(o.run.isolated); },
    },
    // Help
    OptionRule{
        .name = "explain",
        .argument = "CODE",
        .category = Category::help,
        .commands = on_explain,
        .summary = "the page of a finding, as cudald rule CODE",
        .apply = [](Options& o, Value v) { return set_text(o.help.page, v); },
    },
    OptionRule{
        .name = "help",
        .letter = 'h',
        .category = Category::help,
        .commands = everywhere,
        .summary = "-h: one screen; --help: full help",
        .apply = [](Options& o, Value) { return set(o.help.short_help); },
    },
    OptionRule{
        .name = "version",
        .letter = 'V',
        .category = Category::help,
        .commands = everywhere,
        .summary = "print the version",
        .apply = [](Options& o, Value) { return set(o.help.version); },
    },
};

}  // namespace

std::span<const CommandRule> command_table() { return commands; }

const CommandRule& rule_of(Command command) {
  return *std::find_if(commands.begin(), commands.end(),
                       [command](const CommandRule& each) { return each.command == command; });
}

const CommandRule* find_command(std::string_view name) {
  const auto* const found =
      std::find_if(commands.begin(), commands.end(), [name](const CommandRule& each) { return each.name == name; });
  return found == commands.end() ? nullptr : found;
}

std::span<const OptionRule> option_table() { return rows; }

const OptionRule* find_option(std::string_view name) {
  const auto* const found =
      std::find_if(rows.begin(), rows.end(), [name](const OptionRule& each) { return each.name == name; });
  return found == rows.end() ? nullptr : found;
}

std::vector<std::string_view> allowed_values(const OptionRule& option) {
  return option.values.empty() ? std::vector<std::string_view>() : split(option.values, "|");
}

std::vector<std::string_view> allowed_values(const OptionRule& option, Command command) {
  auto values = allowed_values(option);
  if (option.takes != nullptr) std::erase_if(values, [&](auto value) { return !option.takes(command, value); });
  return values;
}

std::optional<std::string> apply_setting(const OptionRule& option, Options& options, const std::string& value) {
  const auto known = allowed_values(option);
  if (!known.empty() && std::find(known.begin(), known.end(), value) == known.end())
    return fmt::format("`{}` is one of {}, not `{}`{}", option.name, fmt::join(known, ", "), escaped(value),
                       did_you_mean(value, known));
  if (!option.applies_to(options.command)) return std::nullopt;
  if (option.takes != nullptr && !option.takes(options.command, value)) return std::nullopt;
  if (!option.takes_value()) {
    if (value != "true" && value != "false") return fmt::format("`{}` is true or false", option.name);
    return value == "true" ? option.apply(options, "") : std::nullopt;
  }
  const auto complaint = option.apply(options, value);
  return complaint ? std::optional(fmt::format("`{}`: {}", option.name, *complaint)) : std::nullopt;
}

std::vector<const OptionRule*> options_by_category() {
  std::vector<const OptionRule*> rows;
  for (const OptionRule& option : option_table()) rows.push_back(&option);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const OptionRule* a, const OptionRule* b) { return a->category < b->category; });
  return rows;
}

std::string_view title_of(Category category) {
  switch (category) {
    case Category::world: return "Machine and packages";
    case Category::environment: return "Environment";
    case Category::question: return "Question";
    case Category::judgement: return "Judgement";
    case Category::output: return "Output";
    case Category::limits: return "Limits";
    case Category::scan: return "Scan";
    case Category::configuration: return "Configuration";
    case Category::help: return "Help";
  }
  return "";
}

std::string usage_of(const OptionRule& option) {
  std::string usage = option.letter == '\0' ? "" : std::string("-") + option.letter + ", ";
  usage += "--" + std::string(option.name);
  if (option.takes_value()) usage += " " + std::string(option.argument);
  return usage;
}

}  // namespace cudald
