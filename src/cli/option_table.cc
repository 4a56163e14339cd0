#include "cli/option_table.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/writers.h>

#include "base/path.h"
#include "base/similar_word.h"
#include "cli/option_values.h"
#include "cli/views.h"

namespace cudald {
namespace {

using Complaint = std::optional<std::string>;
using Value = const std::string&;

constexpr CommandSet on_explain = set_of(Command::explain), on_check = set_of(Command::check),
                     on_probe = set_of(Command::probe), on_tree = set_of(Command::tree), on_why = set_of(Command::why),
                     on_show = set_of(Command::show), on_env = set_of(Command::env), on_diff = set_of(Command::diff),
                     on_provides = set_of(Command::provides), on_rule = set_of(Command::rule),
                     on_config = set_of(Command::config), on_scan = set_of(Command::scan),
                     on_merge = set_of(Command::merge);
constexpr CommandSet judging = on_explain | on_check | on_probe, simulating = judging | on_tree | on_why,
                     reading = simulating | on_show,
                     writing = reading | on_env | on_diff | on_provides | on_rule | on_config | on_merge,
                     everywhere = ~CommandSet{0};

constexpr std::array commands = {
    CommandRule{Command::explain, "explain", "TARGET...", "why it loads, or does not (also: cudald TARGET...)",
                "Tells the whole story: the verdict, who asks for what, where it was looked for "
                "and why each place was no, what happens at run time, and what helps. The first "
                "target is the main program, or a library that is started as `ld.so LIBRARY` "
                "would; further targets are loaded into the same process by dlopen, in order."},
    CommandRule{
        Command::check, "check", "TARGET...", "findings only, one a line; for scripts and CI",
        "Simulates like explain and prints one line for each finding. Each target is judged by itself, in a "
        "process of its own; with --together all are loaded into one, in order. A folder stands for the packages "
        "and libraries in it. A lock (pylock.toml, uv.lock, requirements with pinned versions, a report of pip, an "
        "explicit list of conda, a file of conda-lock; - reads it from standard input) stands for all that it "
        "installs: "
        "each top-level package is judged alone, and all in one process. Nothing is resolved: what is not pinned is an "
        "error. The folder of a virtual environment stands for what is installed there, judged in the same way. The "
        "exit status is 1 if there is a finding at or above --fail-on."},
    CommandRule{Command::probe, "probe", "TARGET...",
                "load it for real, compare with the simulation, run a CUDA kernel",
                "The only command that runs code of the targets: in a process of their own, with the "
                "environment and folder in question, under a time limit. Libraries are opened, modules are "
                "imported by their Python; of a program the loader lists what it maps, and main is not run. "
                "What is mapped is compared with the prediction (CUD602). The CUDA runtime, cuDNN and cuBLAS "
                "among it are asked for versions and devices, and run a small computation on each GPU; where "
                "there is none, the report says what was not run (CUD601)."},
    CommandRule{Command::tree, "tree", "TARGET...", "what is loaded from where, each file once",
                "Shows each file where it was loaded, with the rule that found it. (*) marks what "
                "was loaded before. With --invert, who needs a library."},
    CommandRule{Command::why, "why", "TARGET... LIBRARY", "the shortest chain from the target to a library",
                "Shows how the library, the last word, comes into the process of the targets "
                "before it. The exit status is 1 if nothing asks for it."},
    CommandRule{
        Command::show, "show", "FILE...",
        "the file's own words: needed, soname, rpath, versions, notes, GPU code; imports and exports of PE files",
        "Shows what the loader reads out of the files, without a simulation. Of a wheel: what "
        "it holds and requires, which libraries and versions have to come from outside, and "
        "the platform tag (manylinux_2_28_x86_64) that this allows; -v with every need of "
        "every file."},
    CommandRule{
        Command::env, "env", "",
        "the CUDA stack of this machine, tree or prefix: driver, toolkits, libraries, frameworks",
        "Shows on one page which NVIDIA driver is here, which CUDA toolkits, each copy of the runtime, cuDNN and "
        "the other libraries that a loader or an environment may come upon, known by its bytes, the frameworks "
        "with what they were built for, and what is odd about it."},
    CommandRule{
        Command::diff, "diff", "A B", "two files, wheels or saved hosts: what changed for the loader",
        "Compares what the loader reads: needed libraries, search paths, versions, symbols of DLLs, platform tags, "
        "what CUDA libraries are, GPU code. Of wheels, the libraries in them, by name. The exit status is 1 if "
        "something differs."},
    CommandRule{
        Command::scan, "scan", "LIST|FOLDER|FILE...",
        "many packages, each judged as check does: by all processors, on many machines, resumable",
        "Judges each target as check would, in a process of its own with limits of time and memory, and keeps what "
        "comes out in the folder --state. Targets are those of a text with one a line, of a folder, of a mirror with "
        "simple/, or of an index page as JSON. What is done stays done: the same command again goes on where it "
        "stopped, however that was. Under Slurm, GNU parallel, Kubernetes, AWS Batch and others it takes the part "
        "that is its own. The exit status is 0 when all of its part is judged, whatever the findings are, and 3 if "
        "some could not be judged: they have crashed, taken too long or too much memory, which is what is kept of "
        "them. See docs/scan.md."},
    CommandRule{Command::merge, "merge", "STATE", "what one or many runs of scan have come to, as one answer",
                "Proves that each target of the list is there exactly once, and writes the records in the order of "
                "their targets (`-o ndjson=FILE`, compressed if its name ends in .zst or .gz), SARIF within the limits "
                "of GitHub, or a page by finding and package (`-o html=FILE`). However many runs there were, the "
                "outputs are the same. The exit status is 3 if targets are missing; they are named."},
    CommandRule{
        Command::provides, "provides", "NAME...", "which packages carry a file of exactly that name",
        "Names the pip and apt packages and the CUDA releases that carry libcudart.so.11.0, cudnn64_8.dll and the "
        "like, where it lands, whether a loader looks there, and the driver that it implies. Of the name of a package, "
        "also with its version (NAME==1.2), it tells which libraries that carries; with --online the index is asked "
        "about a package that the tables do not know, and the directory of its wheel is read. Libraries that are "
        "named beside it are looked for in it. The exit status is 1 if no package is known that has a library, or "
        "nothing is known of a package."},
    CommandRule{Command::rule, "rule", "[CODE...]", "what a finding means, example, what helps",
                "Prints the pages of findings, by code (CUD101) or name (library-not-found); "
                "without a code, the list of all."},
    CommandRule{
        Command::config, "config", "show|init", "what is configured, and where; or a file to begin with",
        "show: each key that a file or variable sets, with the place. init: prints a cudald.toml in which every "
        "key stands with its meaning, commented out."},
    CommandRule{
        Command::cache, "cache", "show|clear", "what is kept of wheels, imports and libraries, and taking it away",
        "The bytes that an answer needed of a wheel are kept below $XDG_CACHE_HOME/cudald, at most 4 GB, the newest: "
        "the same question is answered without unpacking the wheel again, and with --online without reading it from "
        "its server. A wheel on this machine is the same as long as it is the same file, unchanged; one on a server "
        "by the SHA-256 and address that the lock states. Of an import of Python it is kept what its code asked of the "
        "loader: while each file and folder that the code looked at is unchanged, the code is not followed again. Of "
        "libraries of 4 MiB and more the names of libraries among their constants are kept, while they are unchanged. "
        "No verdicts are kept."},
    CommandRule{
        Command::schema, "schema", "NAME", "the JSON Schema of a document that is written",
        "Prints the JSON Schema of what -f json writes: report by explain, check, probe and tree; wheel and "
        "image by show; the others by the commands of that name; requesters by tree --invert, rules by rule, "
        "message by explain --error, host by env --save, baseline by --write-baseline, deployment by check of a lock, "
        "scan-record and scan-list by scan and merge."},
    CommandRule{Command::completion, "completion", "bash|zsh|fish|powershell", "a completion script for a shell",
                "Prints a script that completes commands, options and values; see the man page for "
                "where to put it."},
    CommandRule{Command::help, "help", "[COMMAND]", "this help, or that of a command",
                "Prints the long help of a command, or of all."},
};

constexpr std::array rows = {
    // World
    OptionRule{
        .name = "sysroot",
        .argument = "TREE",
        .category = Category::world,
        .commands = reading | on_env,
        .summary = "look at the folder or image TREE as if it were /",
        .details = "Symbolic links with an absolute target stay inside the tree, as in a "
                   "container. Targets and all other paths are those inside. The environment is "
                   "then empty, but for --env. A copy of a Windows drive C: is the machine on which DLLs are "
                   "looked for. An image is a tar, compressed or not: of a root file "
                   "system, as `docker save` writes it, or an OCI layout; the variables and folder "
                   "of its config apply.",
        .apply = [](Options& o, Value v) { return set_text(o.sysroot, v); },
    },
    OptionRule{
        .name = "prefix",
        .argument = "DIR",
        .category = Category::world,
        .commands = simulating | on_env | on_scan,
        .summary = "a venv or conda environment, or a site-packages folder, in which names are looked up",
        .details =
            "A name of a module is then imported as its Python would: cudald --prefix .venv torch. The name of an "
            "installed package means its modules: cudald scikit-learn. "
            "Without it, modules are looked up in the active environment: VIRTUAL_ENV, CONDA_PREFIX, "
            "or python3 on PATH, also behind a shim of pyenv. Which Python it was stands in the answer. py:NAME is "
            "always a module. DIR may be a copy of a Python for Windows: python.org's, "
            "conda's or a virtual environment, whose imports are then followed as Windows would.",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_text(o.prefix.emplace(), v); },
    },
    OptionRule{
        .name = "python",
        .argument = "VERSION",
        .category = Category::world,
        .commands = simulating | on_scan | on_provides,
        .summary = "the version of Python for which wheels are chosen and modules are looked up: 3.11",
        .details = "By default it is that of the prefix, else that of the wheels' own tags.",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_python(o.python, v); },
    },
    OptionRule{
        .name = "libc",
        .argument = "VERSION",
        .category = Category::world,
        .commands = simulating | on_scan,
        .summary = "the C library whose loader is simulated: glibc-2.31, musl-1.2",
        .details = "By default it is read out of the tree.",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_libc(o.libc, v); },
    },
    OptionRule{
        .name = "platform",
        .argument = "PLATFORM",
        .category = Category::world,
        .commands = simulating | on_scan | on_provides,
        .summary = "the machine to simulate; host: the one that the first target is made for",
        .values = "host|linux-x86_64|linux-i386|linux-aarch64|linux-arm|linux-ppc64|linux-s390|"
                  "linux-riscv|windows-x86_64|windows-i386",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_platform(o, v); },
    },
    OptionRule{
        .name = "cpu",
        .argument = "LEVEL",
        .category = Category::world,
        .commands = simulating | on_scan,
        .summary = "the processor's level, for glibc-hwcaps folders and ISA notes",
        .values = "host|x86-64-v1|x86-64-v2|x86-64-v3|x86-64-v4",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_cpu(o.cpu_level, v); },
    },
    OptionRule{
        .name = "gpu",
        .argument = "GPU",
        .category = Category::world,
        .commands = judging | on_env | on_scan,
        .summary = "a GPU of the machine, such as sm_90, for which the libraries should carry code; repeatable",
        .details = "Also as a compute capability, 9.0. Libraries without code for it are findings (CUD307). Where none "
                   "is stated, and nothing of another machine, those of this one count; none: no GPU counts.",
        .in_files = InFiles::list,
        .apply = [](Options& o, Value v) { return add_gpus(o, v); },
    },
    OptionRule{
        .name = "driver",
        .argument = "VERSION",
        .category = Category::world,
        .commands = simulating | on_env | on_scan,
        .summary = "the version of NVIDIA's driver on the machine, such as 535.104, or its branch, 535",
        .details =
            "A branch counts as its newest driver. What a driver is too old for is a finding (CUD301), and so is that "
            "none is there where nothing is stated "
            "(CUD310). Where the tree has no libcuda.so.1, that and the driver's "
            "other libraries are taken to be there, with every function: so a machine with a GPU is judged on one "
            "without.",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_driver(o.driver, v); },
    },
    OptionRule{
        .name = "host",
        .argument = "here|tag|FILE",
        .category = Category::world,
        .commands = simulating | on_scan,
        .summary = "where the answer is to hold: on this machine, wherever a package may be installed, or on the "
                   "machine that a file describes",
        .details =
            "here: this machine, or the tree of --sysroot. tag: what the package's platform tag promises, what the "
            "package requires, a driver and a neutral Python, and nothing of this machine; it is the default where all "
            "targets are packages and neither --prefix nor --sysroot nor a folder of this machine is named. FILE: the "
            "machine that `cudald env "
            "--save` or tools/capture-windows-host.ps1 has described; its driver, GPUs and processor count where no "
            "option says otherwise. On one with Linux, what loaders find is what the description says, and nothing of "
            "this machine: neither its libraries and ld.so.cache nor its variables and Python. Targets and packages "
            "are read here, or in the tree of --sysroot, and are taken to lie there at the same path; of the files "
            "beside them only those are there that are targets or packages as well. Of one with Windows the names of "
            "its DLLs, known DLLs, PATH, the variables of CUDA, and Python count.",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_text(o.host, v); },
    },
    OptionRule{
        .name = "knowledge",
        .argument = "FILE",
        .category = Category::world,
        .commands = reading | on_provides | on_env | on_scan,
        .summary = "newer rows of what is known of CUDA, over those built in; repeatable",
        .details =
            "Rows of a table in data/: drivers, names of libraries, GPUs and frameworks by release (cudald/cuda, "
            "docs/knowledge-schema.json), or of one of those in docs/knowledge-tables.md, as `schema` says. A row "
            "takes the place of the one that is built in for the same release, name or project. What names no "
            "test in `proof` that repeats it is told as likely.",
        .in_files = InFiles::list,
        .apply = [](Options& o, Value v) { return add_text(o.knowledge, v); },
    },
    OptionRule{
        .name = "secure",
        .category = Category::world,
        .commands = simulating | on_scan,
        .summary = "as for a set-user-ID program: LD_LIBRARY_PATH and its like are ignored",
        .apply = [](Options& o, Value) { return set(o.secure); },
    },
    // Environment
    OptionRule{
        .name = "env",
        .argument = "NAME=VALUE",
        .category = Category::environment,
        .commands = simulating | on_env | on_scan,
        .summary = "set a variable for the simulated process; repeatable",
        .details = "Without it the variables of the calling process count, such as LD_LIBRARY_PATH "
                   "and LD_PRELOAD; a process of Windows has only those set here, and the usual ones. {site} is the "
                   "site-packages folder in which packages are installed virtually, or that of --prefix.",
        .apply = [](Options& o, Value v) { return add_variable(o, v); },
    },
    OptionRule{
        .name = "clear-env",
        .category = Category::environment,
        .commands = simulating | on_env | on_scan,
        .summary = "start from an empty environment",
        .apply = [](Options& o, Value) { return set(o.clear_environment); },
    },
    OptionRule{
        .name = "cwd",
        .argument = "DIR",
        .category = Category::environment,
        .commands = simulating | on_scan,
        .summary = "the current directory of the simulated process",
        .apply = [](Options& o, Value v) { return set_text(o.cwd.emplace(), v); },
    },
    OptionRule{
        .name = "dll-path",
        .argument = "DIR",
        .category = Category::environment,
        .commands = simulating | on_scan,
        .summary = "a folder of the PATH that a process of Windows has; repeatable, in order",
        .details = "A folder here, or one as Windows writes it: C:\\CUDA\\bin. Without --sysroot, the file system is "
                   "drive Z:. {site} as for --env.",
        .apply = [](Options& o, Value v) { return add_text(o.dll_path, v); },
    },
    OptionRule{
        .name = "add-dll-directory",
        .argument = "DIR",
        .category = Category::environment,
        .commands = simulating | on_scan,
        .summary = "as if Python called os.add_dll_directory(DIR) before all imports; repeatable",
        .apply = [](Options& o, Value v) { return add_text(o.dll_directories, v); },
    },
    OptionRule{
        .name = "default-dll-directories",
        .argument = "FLAGS",
        .category = Category::environment,
        .commands = simulating | on_scan,
        .summary = "as if the process called SetDefaultDllDirectories(FLAGS) before all loads, such as 0x1000",
        .details = "The sum of the LOAD_LIBRARY_SEARCH flags: 0x200 the program's folder, 0x400 added folders, 0x800 "
                   "System32, 0x1000 all three. Loads without such flags of their own then search nothing else.",
        .apply = [](Options& o, Value v) { return set_search_flags(o.default_dll_directories, v); },
    },
    OptionRule{
        .name = "with",
        .argument = "PACKAGE",
        .category = Category::world,
        .commands = simulating | on_scan,
        .summary = "install a wheel or conda package virtually beside the targets, or what they require from a folder "
                   "of wheels; repeatable",
        .details = "Nothing is extracted: members are read as streams where they are needed. Of a folder, those wheels "
                   "are taken that the targets require (Requires-Dist), the newest version that fits.",
        .in_files = InFiles::list,
        .apply = [](Options& o, Value v) { return add_text(o.packages, v); },
    },
    OptionRule{
        .name = "extras",
        .argument = "NAME[,NAME]",
        .category = Category::world,
        .commands = simulating | on_scan,
        .summary = "extras of the packages that are asked about, as in `pip install 'NAME[EXTRA]'`; repeatable",
        .details = "What they require may be counted on in the world of a tag. Of a lock: the extras of its project.",
        .in_files = InFiles::list,
        .apply = [](Options& o, Value v) { return add_extras(o.extras, v); },
    },
    OptionRule{
        .name = "groups",
        .argument = "NAME[,NAME]",
        .category = Category::world,
        .commands = on_check,
        .summary = "dependency groups of a lock that are installed as well, as `dev`; repeatable",
        .in_files = InFiles::list,
        .apply = [](Options& o, Value v) { return add_extras(o.groups, v); },
    },
    OptionRule{
        .name = "wheels",
        .argument = "DIR",
        .category = Category::world,
        .commands = on_check,
        .summary = "a folder in which wheels that a lock names may be at hand; repeatable",
        .details =
            "They are chosen by name, version and the best tag for the machine and --python, and opened. Of what "
            "is not at hand counts what is known by tables.",
        .in_files = InFiles::list,
        .apply = [](Options& o, Value v) { return add_text(o.wheels, v); },
    },
    OptionRule{
        .name = "online",
        .category = Category::world,
        .commands = on_check | on_scan | on_provides,
        .summary =
            "read the wheels of a lock or scan that are not at hand where they lie, by ranges of HTTP; provides: "
            "ask the index",
        .details = "Nothing is contacted without it. Of a wheel its directory is read, and what of its members is "
                   "needed. Where the lock names no address, the indexes are asked that pip or uv are told to use, in "
                   "the way of that program: UV_DEFAULT_INDEX, UV_INDEX, PIP_INDEX_URL, PIP_EXTRA_INDEX_URL, uv.toml, "
                   "pyproject.toml, pip.conf, and --index-url in a file of requirements, with certificates, proxy, "
                   "netrc and the logins of named indexes (UV_INDEX_NAME_PASSWORD). A keyring is asked where "
                   "PIP_KEYRING_PROVIDER, UV_KEYRING_PROVIDER or keyring-provider in these files is `subprocess`: the "
                   "program `keyring` of PATH is run as pip or uv run it, for at most a minute; else, and with `auto`, "
                   "none is. An index may answer in JSON or in HTML. A login is told to its server alone, and "
                   "neither shown nor kept. What was read is kept; see `cudald cache`.",
        .apply = [](Options& o, Value) { return set(o.online); },
    },
    OptionRule{
        .name = "no-cache",
        .category = Category::world,
        .commands = reading | on_scan | on_provides,
        .summary = "neither use nor keep what was read of wheels and large libraries, and which imports were followed",
        .details = "The answer is the same with it, and takes as long as the first one. See `cudald cache`.",
        .apply = [](Options& o, Value) { return set(o.no_cache); },
    },
    OptionRule{
        .name = "verify-hashes",
        .category = Category::world,
        .commands = on_check,
        .summary = "read every wheel of a lock whole, and refuse one whose SHA-256 is not that of the lock",
        .apply = [](Options& o, Value) { return set(o.verify_hashes); },
    },
    OptionRule{
        .name = "preload",
        .argument = "FILE",
        .category = Category::environment,
        .commands = simulating | on_scan,
        .summary = "preload a library, before those of LD_PRELOAD; repeatable",
        .apply = [](Options& o, Value v) { return add_text(o.preload, v); },
    },
    // Question
    OptionRule{
        .name = "lib",
        .letter = 'l',
        .argument = "NAME",
        .category = Category::question,
        .commands = on_explain,
        .summary = "tell only this library's story, also if it was found",
        .apply = [](Options& o, Value v) { return set_text(o.library, v); },
    },
    OptionRule{
        .name = "error",
        .argument = "TEXT",
        .category = Category::question,
        .commands = on_explain,
        .summary =
            "begin with a message, as it was printed: who says it, what it means, and what it means here; - reads it",
        .details =
            "The library that it names is the one whose story is told. Without a target only the message is explained.",
        .apply =
            [](Options& o, Value v) {
              o.message = v;
              return Complaint();
            },
    },
    OptionRule{
        .name = "dlopen",
        .argument = "NAME",
        .category = Category::question,
        .commands = simulating | on_scan,
        .summary = "after the start, call dlopen(NAME); repeatable",
        .details = "Written NAME[@CALLER][,global][,now][,deepbind]. CALLER is the soname, file "
                   "name or path of a loaded object; by default the main program calls.",
        .apply = [](Options& o, Value v) { return add_dlopen(o.dlopens, v); },
    },
    OptionRule{
        .name = "symbols",
        .argument = "SCOPE",
        .category = Category::question,
        .commands = judging | on_diff | on_env | on_scan,
        .summary = "which symbols are bound",
        .details = "diff compares symbols only if it is told all; a description of env --save has them only then.",
        .values = "none|all",
        .in_files = InFiles::one,
        .apply =
            [](Options& o, Value v) {
              o.symbols = v == "none" ? SymbolCheck::none : SymbolCheck::all;
              o.symbols_asked = v == "all";
              return Complaint();
            },
    },
    OptionRule{
        .name = "constants",
        .argument = "SCOPE",
        .category = Category::question,
        .commands = simulating | on_scan,
        .summary =
            "where names of libraries are looked for among the constants of files that call dlopen or LoadLibrary",
        .details =
            "files: in all but members of archives that would have to be decompressed once more; all: in those too. "
            "Such names are likely requests: they are searched for as their file would, and never count as needed. "
            "Default: files for explain, check and why, but not with -q; all with --error; none for tree and probe.",
        .values = "none|files|all",
        .in_files = InFiles::one,
        .apply =
            [](Options& o, Value v) {
              o.constants = v == "none"    ? ConstantScope::none
                            : v == "files" ? ConstantScope::files
                                           : ConstantScope::all;
              return Complaint();
            },
    },
    OptionRule{
        .name = "bindings",
        .category = Category::question,
        .commands = on_explain,
        .summary = "with -f json: which object answers each symbol reference",
        .apply = [](Options& o, Value) { return set(o.bindings); },
    },
    OptionRule{
        .name = "gpu-code",
        .category = Category::question,
        .commands = judging | on_scan,
        .summary = "with -f json: for which GPUs each object carries code; --gpu implies it",
        .details = "It means a look at each of the thousands of pieces of code in a CUDA library, which lie far apart.",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value) { return set(o.gpu_code); },
    },
    OptionRule{
        .name = "verify",
        .category = Category::question,
        .commands = on_explain,
        .summary = "explain, then probe, in one report: the targets are loaded for real",
        .apply = [](Options& o, Value) { return set(o.verify); },
    },
    OptionRule{
        .name = "separately",
        .category = Category::question,
        .commands = judging | on_tree,
        .summary = "each target in a process of its own",
        .apply = [](Options& o, Value) { return set(o.separately); },
    },
    OptionRule{
        .name = "together",
        .category = Category::question,
        .commands = on_check,
        .summary = "all targets in one process, in order; else check judges each by itself",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value) { return set(o.together); },
    },
    OptionRule{
        .name = "jobs",
        .letter = 'j',
        .argument = "N",
        .category = Category::question,
        .commands = judging | on_scan,
        .summary = "how many threads work at a time: on files, and with --separately on processes (default: one for "
                   "each processor)",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_number(o.jobs, v, 1, 1024); },
    },
    OptionRule{
        .name = "depth",
        .argument = "N",
        .category = Category::question,
        .commands = on_tree,
        .summary = "how many levels are shown",
        .apply = [](Options& o, Value v) { return set_number(o.depth, v, 1, 10000); },
    },
    OptionRule{
        .name = "invert",
        .argument = "LIBRARY",
        .category = Category::question,
        .commands = on_tree,
        .summary = "who needs LIBRARY, directly and indirectly",
        .apply = [](Options& o, Value v) { return set_text(o.invert, v); },
    },
    OptionRule{
        .name = "all",
        .category = Category::question,
        .commands = on_why,
        .summary = "every chain, not only the shortest",
        .apply = [](Options& o, Value) { return set(o.all_chains); },
    },
    // Judgement
    OptionRule{
        .name = "fail-on",
        .argument = "LEVEL",
        .category = Category::judgement,
        .commands = judging | on_tree,
        .summary = "findings of which level make the exit status 1 (default: error)",
        .values = "error|warning|note|never",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_level(o.fail_on, v); },
    },
    OptionRule{
        .name = "require-gpu",
        .category = Category::judgement,
        .commands = judging | on_scan,
        .summary = "software that runs, but cannot use the GPU, fails",
        .details =
            "So does a file without code for a GPU that --gpu names. docs/gpu-verdicts.md shows six frameworks on five "
            "machines.",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value) { return set(o.require_gpu); },
    },
    OptionRule{
        .name = "select",
        .argument = "CODES",
        .category = Category::judgement,
        .commands = judging | on_scan,
        .summary = "report only these findings",
        .details = "Codes, names or beginnings of codes, with commas between: "
                   "CUD101,CUD2,shadowed. The verdict stays.",
        .in_files = InFiles::list,
        .apply = [](Options& o, Value v) { return add_codes(o.select, v); },
    },
    OptionRule{
        .name = "ignore",
        .argument = "CODES",
        .category = Category::judgement,
        .commands = judging | on_scan,
        .summary = "do not report these findings",
        .in_files = InFiles::list,
        .apply = [](Options& o, Value v) { return add_codes(o.ignore, v); },
    },
    OptionRule{
        .name = "level",
        .argument = "CODE=LEVEL",
        .category = Category::judgement,
        .commands = judging | on_scan,
        .summary = "report a finding at another level: CUD108=error; repeatable",
        .details = "CODE is a code, a name or the beginning of codes; LEVEL is error, warning or note. The verdict, "
                   "which is about loading, stays.",
        .in_files = InFiles::list,
        .apply = [](Options& o, Value v) { return add_level(o.levels, v); },
    },
    OptionRule{
        .name = "baseline",
        .argument = "FILE",
        .category = Category::judgement,
        .commands = judging | on_scan,
        .summary = "do not report findings that this file lists",
        .details = "--write-baseline writes it. A finding is known again by its code, the file within its package and "
                   "what is concerned, wherever the files lie and whatever their version is.",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_text(o.baseline, v); },
    },
    OptionRule{
        .name = "write-baseline",
        .argument = "FILE",
        .category = Category::judgement,
        .commands = judging,
        .summary = "write the findings of this run to a file for --baseline; they do not count then",
        .apply = [](Options& o, Value v) { return set_text(o.write_baseline, v); },
    },
    OptionRule{
        .name = "allow-incomplete",
        .category = Category::judgement,
        .commands = reading,
        .summary = "no exit status 3 if something could not be read",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value) { return set(o.allow_incomplete); },
    },
    OptionRule{
        .name = "strict",
        .category = Category::judgement,
        .commands = judging,
        .summary = "exit status 3 if an import asks for something that is decided at run time",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value) { return set(o.strict); },
    },
    // Output
    OptionRule{
        .name = "format",
        .letter = 'f',
        .argument = "FORMAT",
        .category = Category::output,
        .commands = simulating | on_show | on_provides | on_env | on_diff | on_rule | on_config | on_merge,
        .summary = "how the answer is written (default: text)",
        .details =
            "json is one document; ndjson one document a line, each as soon as it is done. The others are one document "
            "of all answers: sarif 2.1.0 for code scanning, junit for test reports, github for annotations of a "
            "workflow, markdown for a comment on a pull request, html a page that needs no other file, dot and mermaid "
            "the graph of who loads what, cyclonedx 1.6 the components.",
        .values = "text|json|ndjson|sarif|junit|github|markdown|html|dot|mermaid|cyclonedx",
        .takes = [](Command command, std::string_view v) { return has_format(command, v); },
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_format(o.format, v); },
    },
    OptionRule{
        .name = "save",
        .argument = "FILE",
        .category = Category::output,
        .commands = on_env,
        .summary = "also write a description of this machine, for --host elsewhere",
        .details = "It says which libraries the loaders of this machine, or of the tree of --sysroot, can find, with "
                   "what they need and define, and the processor, driver and GPUs. With `--symbols all` also the "
                   "symbols of these libraries, by hashes; without, they are taken to have every function. A name that "
                   "ends in .gz makes it compressed. Python environments are not described.",
        .apply = [](Options& o, Value v) { return set_text(o.save, v); },
    },
    OptionRule{
        .name = "print",
        .argument = "WHAT",
        .category = Category::output,
        .commands = on_env,
        .summary = "print only the folders with CUDA libraries, as LD_LIBRARY_PATH or PATH wants them",
        .values = "ld-library-path|dll-path",
        .apply = [](Options& o, Value v) { return set_text(o.print, v); },
    },
    OptionRule{
        .name = "output",
        .letter = 'o',
        .argument = "[FORMAT=]FILE",
        .category = Category::output,
        .commands = writing,
        .summary = "write to FILE; it is replaced when all is written, never left half done",
        .details = "- is standard output. With FORMAT=, as in `-o sarif=cudald.sarif -o html=cudald.html`, the same "
                   "answers are written to that file as well, in that format, and repeatable; what -f says still goes "
                   "to standard output.",
        .apply = [](Options& o, Value v) { return add_output(o, v); },
    },
    OptionRule{
        .name = "color",
        .argument = "WHEN",
        .category = Category::output,
        .commands = everywhere,
        .summary = "use colours (default: auto)",
        .details = "It goes before NO_COLOR, and that before CLICOLOR_FORCE and FORCE_COLOR; auto "
                   "means on a terminal.",
        .values = "auto|always|never",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_colour(o.colour, v); },
    },
    OptionRule{
        .name = "ascii",
        .category = Category::output,
        .commands = everywhere,
        .summary = "no lines and marks outside ASCII; automatic if the locale is not UTF-8",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value) { return set(o.ascii); },
    },
    OptionRule{
        .name = "width",
        .argument = "N",
        .category = Category::output,
        .commands = everywhere,
        .summary = "columns of the text (default: the terminal's, else 100)",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_number(o.width, v, 40, 1000); },
    },
    OptionRule{
        .name = "quiet",
        .letter = 'q',
        .category = Category::output,
        .commands = judging | on_show | on_diff | on_scan | on_merge,
        .summary = "only the line with the verdict",
        .in_files = InFiles::one,
        .apply =
            [](Options& o, Value) {
              o.verbosity = -1;
              return Complaint();
            },
    },
    OptionRule{
        .name = "verbose",
        .letter = 'v',
        .category = Category::output,
        .commands = judging | on_show | on_diff,
        .summary =
            "every probe of every search, and every finding in full; of PE files each function and section; -vv: also "
            "a trace of the whole process",
        .in_files = InFiles::one,
        .apply =
            [](Options& o, Value) {
              o.verbosity = std::max(o.verbosity, 0) + 1;
              return Complaint();
            },
    },
    OptionRule{
        .name = "no-pager",
        .category = Category::output,
        .commands = everywhere,
        .summary = "never through a pager; on a terminal, long text goes through $PAGER or less",
        .in_files = InFiles::one,
        .apply =
            [](Options& o, Value) {
              o.pager = false;
              return Complaint();
            },
    },
    // Limits
    OptionRule{
        .name = "max-member",
        .argument = "SIZE",
        .category = Category::limits,
        .commands = simulating | on_scan,
        .summary = "members of archives are read up to this size (default: 8GiB)",
        .details = "Bytes, or with KiB, MiB, GiB or TiB behind the number. What is larger is a finding, CUD902.",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_size(o.limits.member, v); },
    },
    OptionRule{
        .name = "max-total",
        .argument = "SIZE",
        .category = Category::limits,
        .commands = simulating | on_scan,
        .summary = "members of all archives together are read up to this size (default: 64GiB)",
        .details = "Of conda packages and images, this is what their streams inflate to. What goes beyond is a "
                   "finding, CUD902; an image is then not opened.",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_size(o.limits.total, v); },
    },
    OptionRule{
        .name = "max-ratio",
        .argument = "N",
        .category = Category::limits,
        .commands = simulating | on_scan,
        .summary = "members that inflate to more than N times their bytes are not read (default: 2000)",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_number(o.limits.ratio, v, 1, 1000000); },
    },
    OptionRule{
        .name = "timeout",
        .argument = "TIME",
        .category = Category::limits,
        .commands = on_explain | on_probe | on_scan,
        .summary = "a process that probe or scan starts is killed after this time (default: 60s; of scan 10min)",
        .details = "Seconds, or with s or min behind the number.",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_time(o.timeout.emplace(), v); },
    },
    OptionRule{
        .name = "progress",
        .argument = "WAY",
        .category = Category::output,
        .commands = simulating | on_scan,
        .summary = "on standard error: a line on a terminal, a plain line for each answer, or nothing",
        .values = "auto|plain|never",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_progress(o.progress, v); },
    },
    // Scan
    OptionRule{
        .name = "state",
        .argument = "DIR",
        .category = Category::scan,
        .commands = on_scan,
        .summary = "the folder in which the scan keeps its list and what is done; workers share it",
        .details = "It may lie on a network file system: nothing is locked, and files appear as a whole. Which "
                   "targets there are is settled by the worker that comes first.",
        .apply = [](Options& o, Value v) { return set_text(o.state, v); },
    },
    OptionRule{
        .name = "shard",
        .argument = "I/N",
        .category = Category::scan,
        .commands = on_scan,
        .summary = "judge the I-th of N parts of about the same bytes, such as 2/7",
        .details = "Without it the variables of the launcher count, those of array jobs of Slurm, GNU parallel, "
                   "Kubernetes, AWS Batch, Google Cloud Batch, LSF, PBS, Grid Engine, Nomad or GitLab; without "
                   "these, all is one part. The same list and N give the same parts.",
        .apply = [](Options& o, Value v) { return set_shard(o, v); },
    },
    OptionRule{
        .name = "shards",
        .argument = "N",
        .category = Category::scan,
        .commands = on_scan,
        .summary = "how many parts there are, where the launcher tells only which one this is",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_number(o.shards, v, 1, 1000000); },
    },
    OptionRule{
        .name = "dynamic",
        .category = Category::scan,
        .commands = on_scan,
        .summary = "take work whenever there is some left, instead of a fixed part; for machines of uneven speed",
        .details = "Any number of workers may come and go. What a worker had that is gone is taken over: at once on "
                   "the same machine, else when ten minutes have passed without a sign of life.",
        .apply = [](Options& o, Value) { return set(o.dynamic); },
    },
    OptionRule{
        .name = "retry",
        .category = Category::scan,
        .commands = on_scan,
        .summary = "judge once more what crashed or met a limit in an earlier run",
        .apply = [](Options& o, Value) { return set(o.retry); },
    },
    OptionRule{
        .name = "relist",
        .category = Category::scan,
        .commands = on_scan,
        .summary = "look for targets anew; what is done and has not changed stays done",
        .apply = [](Options& o, Value) { return set(o.relist); },
    },
    OptionRule{
        .name = "max-memory",
        .argument = "SIZE",
        .category = Category::scan,
        .commands = on_scan,
        .summary = "how much memory the process of one target may take (default: 4GiB)",
        .details = "Bytes, or with KiB, MiB, GiB or TiB behind the number. -j of them run at a time.",
        .in_files = InFiles::one,
        .apply = [](Options& o, Value v) { return set_size(o.max_memory, v); },
    },
    // Configuration
    OptionRule{
        .name = "config",
        .argument = "FILE|KEY=VALUE",
        .category = Category::configuration,
        .commands = reading | on_env | on_diff | on_provides | on_config | on_scan | on_merge,
        .summary = "read this file instead of those that are found, or set one key; repeatable",
        .details =
            "Else the nearest cudald.toml and pyproject.toml (its table [tool.cudald]) count, looked for from the "
            "current folder upwards, then config.toml in $XDG_CONFIG_HOME/cudald. An option goes before a variable "
            "CUDALD_NAME, that before files. `cudald config show` says where each value comes from.",
        .apply = [](Options& o, Value v) { return add_text(o.config, v); },
    },
    OptionRule{
        .name = "isolated",
        .category = Category::configuration,
        .commands = reading | on_env | on_diff | on_provides | on_config | on_scan | on_merge,
        .summary = "read no configuration and no CUDALD_ variables",
        .apply = [](Options& o, Value) { return set(o.isolated); },
    },
    // Help
    OptionRule{
        .name = "explain",
        .argument = "CODE",
        .category = Category::help,
        .commands = on_explain,
        .summary = "the page of a finding, as cudald rule CODE",
        .apply = [](Options& o, Value v) { return set_text(o.page, v); },
    },
    OptionRule{
        .name = "help",
        .letter = 'h',
        .category = Category::help,
        .commands = everywhere,
        .summary = "-h: options in one line each; --help: all that is to be said of them",
        .apply = [](Options& o, Value) { return set(o.help); },
    },
    OptionRule{
        .name = "version",
        .letter = 'V',
        .category = Category::help,
        .commands = everywhere,
        .summary = "the version of cudald",
        .apply = [](Options& o, Value) { return set(o.version); },
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

std::string_view title_of(Category category) {
  switch (category) {
    case Category::world: return "World";
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
