#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cudald/environment.h>
#include <cudald/file_system.h>
#include <cudald/finding.h>
#include <cudald/gpu_code.h>
#include <cudald/library_texts.h>
#include <cudald/limits.h>
#include <cudald/message.h>
#include <cudald/pe_symbols.h>
#include <cudald/probe.h>
#include <cudald/resolution.h>
#include <cudald/symbols.h>

namespace cudald {

/// A dlopen call that the user wants simulated after the start.
struct DlopenRequest {
  std::string name;
  std::string caller;  ///< soname, file name or path of a loaded object; empty: the main program
  bool global = false, now = false, deepbind = false;
  bool optional = false;                               ///< a failure is no failure of the whole
  std::string asked_at;                                ///< as Edge::asked_at
  bool later = false, unreached = false, gpu = false;  ///< as in Target
  std::string without;
  HowKnown known = {};
};

struct WindowsHostFile;  // env/windows_host_file.h

enum class SymbolCheck { none, all };

/// In which files of a process names of libraries are looked for among the constants.
enum class ConstantScope { none, files, all };  ///< files: not in members of archives that would be decompressed again

/// One question: what happens in one process.
struct Query {
  std::vector<std::string> targets;  ///< in process order; the first is the main program
  std::vector<DlopenRequest> dlopens;
  std::vector<std::string> packages;  ///< wheels and conda packages that are installed virtually beside the targets, or
                                      ///< folders of wheels, of which those are taken that the others require
  Environment environment;
  std::string sysroot = "/";
  std::optional<std::string> prefix;  ///< a venv or conda environment in which names are looked up; without it,
                                      ///< modules are looked up in the active one
  std::string python;                 ///< "3.11": the version of Python, where files do not tell
  std::optional<bool> windows;        ///< stated: the loader is that of Windows, or is not; else the files tell
  std::shared_ptr<const WindowsHostFile> windows_host;  ///< the described machine of a process of Windows; may be none
  SymbolCheck symbols = SymbolCheck::all;
  bool gpu_code = false;              ///< read which GPUs the objects carry code for
  std::vector<GpuArchitecture> gpus;  ///< those of the machine, for which there should be code; implies gpu_code
  ConstantScope constants = ConstantScope::none;
  bool require_gpu = false;  ///< a GPU that is not used is an error
  bool keep_bindings = false;
  InflateLimits limits;
};

/// The answer to a Query, with everything the writers need.
struct Report {
  Query query;
  Resolution resolution;
  std::optional<SymbolReport> symbols;
  std::vector<Finding> findings;  ///< worst first
  Verdict verdict = Verdict::unknown;
  std::string headline;                   ///< one sentence after the verdict
  std::optional<MessageReading> message;  ///< that the user pasted
  std::optional<ProbeReport> probe;       ///< none if nothing was to be loaded for real
};

class Store;
struct WheelReport;  // cudald/wheel.h
struct CudaStack;    // cudald/cuda_stack.h

/// Keeps what was read of a tree, so that many questions about one tree share it.
class Session {
 public:
  /// `files` must outlive the session.
  explicit Session(const FileSystem& files);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Simulates, binds symbols, judges. Never fails: what cannot be read is part of the answer.
  Report explain(const Query&);
  /// What one file says of itself; nullptr and `error` if it cannot be read. Lives as long as the session.
  const Image* image(const std::string& absolute_path, Error& error);
  /// The functions that a PE file imports and exports; none for other files. Read anew at each call.
  PeSymbols pe_symbols(const std::string& absolute_path);
  /// The dynamic symbols of an ELF file, "cudaMalloc@libcudart.so.12": those it defines, and those it wants. Read anew
  /// at each call.
  struct SymbolNames {
    std::vector<std::string> exported, imported;
  };
  SymbolNames elf_symbols(const std::string& absolute_path);
  /// The GPU code of a file that `image` has read; nullptr if it has none.
  std::shared_ptr<const GpuCode> gpu_code(const std::string& absolute_path);
  /// What a file that `image` has read opens by what is known of its soname, and may open by names among its constants.
  LibraryTexts library_texts(const std::string& absolute_path);
  /// What a file of CUDA is by its bytes; nullptr if it is none. With `linked`, also a CUDA runtime linked into it.
  std::shared_ptr<const CudaLibrary> cuda_library(const std::string& absolute_path, bool linked);
  /// What a wheel holds, needs from outside, and which platform tag that allows.
  Result<WheelReport> wheel(const std::string& absolute_path);

 private:
  const FileSystem& files_;
  std::unique_ptr<Store> state_;
};

/// Writes one JSON document (schema cudald/report 1.0) and a newline; `compact` puts it on one line.
void write_json(const Report&, bool compact, std::ostream&);

/// How text is written for people.
struct TextStyle {
  bool colour = false;
  bool ascii = false;  ///< no marks or box lines outside ASCII
  std::size_t width = 100;
  int verbosity = 0;       ///< -1 quiet (the verdict line), 0 usual, 1 every probe, 2 also rules passed over
  std::string library;     ///< tell only this library's story; empty: all
  std::size_t depth = 64;  ///< of trees
};

/// The story: verdict, cause, evidence, consequence, fixes.
void write_explanation(const Report&, const TextStyle&, std::ostream&);
/// What a message says that was pasted without a target.
void write_message(const MessageReading&, const TextStyle&, std::ostream&);
void write_message_json(const MessageReading&, bool compact, std::ostream&);
/// The findings alone, one line each, and how many there are.
void write_findings(const Report&, const TextStyle&, std::ostream&);
/// What is loaded from where, each file once. With `invert`, who needs that library. False if `invert` names nothing.
bool write_tree(const Report&, const TextStyle&, const std::string& invert, std::ostream&);
/// The shortest chain from the program to a library, or with `all` every chain. False if it is not loaded.
bool write_why(const Report&, const TextStyle&, const std::string& library, bool all, std::ostream&);
/// The file's own words.
void write_image(const std::string& path, const Image&, const PeSymbols&, const TextStyle&, std::ostream&,
                 const GpuCode* = nullptr, const CudaLibrary* = nullptr, const LibraryTexts* = nullptr);
void write_image_json(const std::string& path, const Image&, const PeSymbols&, bool compact, std::ostream&,
                      const GpuCode* = nullptr, const CudaLibrary* = nullptr, const LibraryTexts* = nullptr);
/// The CUDA stack of a machine on one page, and its description for --host elsewhere (schema cudald/host 1.0).
void write_env(const CudaStack&, const TextStyle&, std::ostream&);
void write_env_json(const CudaStack&, bool compact, std::ostream&);
void write_host(const CudaStack&, std::ostream&);
/// Which packages carry files of these names. False if one is in no package that is known.
bool write_provides(const std::vector<std::string>& names, const TextStyle&, std::ostream&);
bool write_provides_json(const std::vector<std::string>& names, bool compact, std::ostream&);
/// One finding's page, or with nullptr the list of all.
void write_rule(const FindingRule*, const TextStyle&, std::ostream&);

/// Text from a file made fit for a terminal: control, bidirectional and invalid UTF-8 become visible escapes.
std::string escaped(std::string_view text);

}  // namespace cudald
