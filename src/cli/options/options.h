#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cudald/environment.h>
#include <cudald/finding.h>
#include <cudald/message.h>
#include <cudald/query.h>
#include <cudald/result.h>

#include "cli/options/formats.h"
#include "cli/options/settings.h"
#include "scan/shards.h"

namespace cudald {

class Knowledge;         // cudald/knowledge.h
struct LinuxHostFile;    // cudald/linux_host_file.h
struct WindowsHostFile;  // cudald/windows_host_file.h

enum class Command {
  explain,
  check,
  probe,
  repair,
  tree,
  why,
  show,
  env,
  diff,
  scan,
  merge,
  provides,
  rule,
  config,
  cache,
  schema,
  completion,
  help
};

/// One more form in which the answers are written, to a file of its own: -o FORMAT=FILE.
struct DocumentWish {
  OutputFormat format = OutputFormat::json;
  std::string path;
};

enum class ProgressWish { automatic, plain, never };
enum class SandboxWish { automatic, required, off };
enum class ColourWish { automatic, always, never };

/// The machine in question, and whether it is this one.
struct WorldOptions {
  std::string sysroot = "/";
  std::optional<std::string> prefix;
  std::string python;  ///< "3.11"; empty: as the files tell
  std::optional<LibcVersion> libc;
  std::optional<std::uint16_t> machine;  ///< none: the first target's
  std::optional<bool> windows;           ///< stated together with `machine`
  std::optional<int> cpu_level;          ///< 1 to 4; none: the processor of this machine
  bool secure = false;
  std::string user;  ///< who starts the program; empty: who asks
  std::vector<GpuArchitecture> gpus;
  bool machine_gpus = true;
  std::string driver;                  ///< "535.104.05"; empty: not stated
  std::string host;                    ///< a file that `env --save` wrote; empty: none
  std::optional<WorldKind> kind;       ///< none: by the targets
  std::vector<std::string> knowledge;  ///< files, laid over the tables built in one after the other
};

/// The environment of the process in question.
struct ProcessOptions {
  std::vector<std::pair<std::string, std::string>> variables;
  bool clear_environment = false;
  std::optional<std::string> cwd;
  std::vector<std::string> preload;
  std::vector<std::string> dll_path, dll_directories;  ///< of a process of Windows
  std::optional<std::uint32_t> default_dll_directories;
};

/// The packages that count as installed, and where others may be fetched.
struct PackageOptions {
  std::vector<std::string> given;  ///< --with
  std::vector<std::string> extras;
  std::vector<std::string> wheels;  ///< folders in which wheels of a lock may be at hand
  std::vector<std::string> groups;  ///< of a lock
  bool online = false, no_cache = false, verify_hashes = false;
};

/// What is asked, and how far the answer goes.
struct QuestionOptions {
  std::optional<std::string> message;  ///< --error, as it was pasted; "-": standard input
  std::string library;                 ///< -l, and the last word of `why`
  std::vector<DlopenRequest> dlopens;
  SymbolCheck symbols = SymbolCheck::all;
  bool symbols_asked = false;  ///< for diff, which leaves them out otherwise
  bool bindings = false;
  bool gpu_code = false;
  std::optional<ConstantScope> constants;  ///< none: as the command needs it
  bool separately = false;  ///< each target in a process of its own; of check unless it is told `together`
  bool together = false;
  std::optional<std::size_t> depth;
  std::string invert;
  bool all_chains = false;
  bool verify = false;  ///< explain, then probe
};

/// Which findings count, and when the exit status says so.
struct JudgementOptions {
  std::optional<Level> fail_on = Level::error;        ///< none: never
  std::vector<std::string> select, ignore;            ///< codes, beginnings of codes, or names
  std::vector<std::pair<std::string, Level>> levels;  ///< by code or beginning of codes; the last one counts
  std::string baseline, write_baseline;
  std::vector<Suppression> suppressions;
  Policy policy;
  bool allow_incomplete = false;
  bool require_gpu = false;
  bool strict = false;
};

/// How the answer is written, and where.
struct OutputOptions {
  OutputFormat format = OutputFormat::text;
  std::string path;  ///< empty: standard output
  std::vector<DocumentWish> documents;
  std::string save, print;  ///< of env
  std::string destination;  ///< of repair: the new file, or a directory
  std::string wheel_dir;    ///< of repair: the directory for new wheels
  bool dry_run = false;
  ColourWish colour = ColourWish::automatic;
  bool ascii = false;
  std::optional<std::size_t> width;
  int verbosity = 0;
  bool pager = true;
  ProgressWish progress = ProgressWish::automatic;
};

/// How cudald itself runs.
struct RunOptions {
  std::optional<std::size_t> jobs;  ///< none: as many as there are processors
  std::vector<std::string> config;
  bool isolated = false;
  SandboxWish sandbox = SandboxWish::automatic;
  InflateLimits limits;
  std::optional<std::chrono::milliseconds> timeout;  ///< of each process that probe or scan starts
};

/// Of scan and merge.
struct ScanOptions {
  std::string state;                  ///< the folder in which a scan keeps what it has
  std::optional<Shard> shard;         ///< none: as the launcher tells
  std::optional<std::size_t> shards;  ///< how many there are, where the launcher does not tell
  bool dynamic = false, retry = false, relist = false;
  std::uint64_t max_memory = std::uint64_t{4} << 30;  ///< of each process that scan starts
  bool one_of_many = false;         ///< a target of a scan: what is told of a run as a whole is left out
  std::vector<std::string> stated;  ///< "driver=535": each option on which the answer depends, as it was given
};

/// What is asked about cudald itself.
struct HelpOptions {
  bool short_help = false, long_help = false, version = false;
  std::string page;            ///< --explain CODE
  std::string likely_command;  ///< the command that the first target looks like, mistyped
};

/// What words of the command line lead to: read by cli/settings, once, before the question is asked.
struct ResolvedOptions {
  std::shared_ptr<const Knowledge> table;               ///< what `knowledge` names; none: the table built in
  std::shared_ptr<const WindowsHostFile> windows_host;  ///< what `host` says, if it is one with Windows
  std::shared_ptr<const LinuxHostFile> linux_host;      ///< the same of one with Linux, if its libraries are told
  std::optional<MessageReading> reading;                ///< what the message says
};

/// What the user asked for, in plain values; nothing of the host is in it but for what is `resolved`.
struct Options {
  Command command = Command::explain;
  bool command_given = false;
  std::string about;                   ///< the command line and the day, for the head of a page
  std::vector<std::string> arguments;  ///< targets, files, codes, a shell, as the command takes them
  WorldOptions world;
  ProcessOptions process;
  PackageOptions packages;
  QuestionOptions question;
  JudgementOptions judgement;
  OutputOptions output;
  RunOptions run;
  ScanOptions scan;
  HelpOptions help;
  ResolvedOptions resolved;
};

/// Takes the command line (without the program's name) apart. Error{usage} with one line that says
/// what to do.
/// What the settings state counts where no option says otherwise.
Result<Options> parse_options(const std::vector<std::string>& words, const Settings& = {});
/// Only what says which settings are to be read.
SettingSources setting_sources(const std::vector<std::string>& words);

}  // namespace cudald
