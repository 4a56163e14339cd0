#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cudald/file_system.h>
#include <cudald/knowledge.h>
#include <cudald/result.h>
#include <cudald/thread_limit.h>

namespace cudald {

struct CudaLibrary;   // cuda_library.h
struct GpuCode;       // gpu_code.h
struct Image;         // image.h
struct LibraryTexts;  // library_texts.h
struct PeSymbols;     // pe_symbols.h
struct Query;         // query.h
struct Report;        // report.h
class SessionState;
struct SharedReadings;
class WheelIndex;
struct WheelReport;  // wheel.h

/// What sessions about one tree share, on as many threads as there are: packages that many questions install, and
/// Python code that many imports follow. It is kept as long as one of them lives, within bounds on memory. `for_later`:
/// false for one question that no others follow. Imports that were followed, and the names of libraries in large
/// files, are also kept for later runs of the same program, in files below `folder`, where one is named: they hold as
/// long as all files are as they were.
std::shared_ptr<SharedReadings> make_shared_readings(bool for_later = true, std::string folder = "");

/// The dynamic symbols of an ELF file, "cudaMalloc@libcudart.so.12", in the order of its table.
struct SymbolNames {
  std::vector<std::string> exported;  ///< those that it defines
  std::vector<std::string> imported;  ///< those that it wants
};

/// Keeps what was read of a tree, so that many questions about one tree share it. What was read is kept as it was: of a
/// tree that changes, ask a new session.
///
/// Lifetimes: the tree of files must outlive the session. Whatever a function gives back is a value or is shared: it
/// may outlive both, and it never changes.
///
/// Threads: one session is for one thread at a time. Different sessions over one tree may be asked in parallel (a
/// FileSystem of this library may be read by many threads). A question may use threads of its own for reading ahead;
/// they are gone when it is answered.
///
/// Errors: paths are absolute, inside the tree. An Error says that the file is not there or cannot be read; what is
/// wrong inside a file that can be read is among the defects of the answer. Nothing is printed, and nothing is thrown
/// but std::bad_alloc, and std::runtime_error where libisal.so.2, which this library is installed with, is gone.
class Session {
 public:
  /// `files` must outlive the session, and so must `threads`, which says how many threads may read files ahead; without
  /// it, as many as there are processors. Without a table of knowledge, the one that is built in. What is `shared` is
  /// so with sessions about the same tree, and with later questions; without it, Python code is read for each question.
  explicit Session(const FileSystem& files, std::shared_ptr<const Knowledge> knowledge = built_in_knowledge(),
                   ThreadLimit* threads = nullptr, std::shared_ptr<SharedReadings> shared = nullptr);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Simulates, binds symbols, judges. Always answers: what cannot be read is part of it (Target::unreadable), and
  /// nothing is claimed where the system refused something that the answer was read from.
  Report explain(const Query&);

  /// From now on, where an import fails, commands that install packages are tried with the wheels of this index, which
  /// must outlive the session.
  void try_installs_from(WheelIndex&);

  /// What one file says of itself.
  Result<std::shared_ptr<const Image>> image(const std::string& path);
  /// The functions that a PE file imports and exports; none for other files. Read anew at each call.
  Result<PeSymbols> pe_symbols(const std::string& path);
  /// The dynamic symbols of an ELF file; none for other files. Read anew at each call.
  Result<SymbolNames> elf_symbols(const std::string& path);
  /// The GPU code of a file; nullptr if it has none, and there is nothing to say of it.
  Result<std::shared_ptr<const GpuCode>> gpu_code(const std::string& path);
  /// What a file opens by what is known of its soname, and may open by names among its constants.
  Result<LibraryTexts> library_texts(const std::string& path);
  /// What a file is by its bytes, if it is a library of CUDA itself; nullptr: it is none.
  Result<std::shared_ptr<const CudaLibrary>> cuda_library(const std::string& path);
  /// The CUDA runtime that was linked into a file which is something else; nullptr: there is none.
  Result<std::shared_ptr<const CudaLibrary>> linked_runtime(const std::string& path);
  /// What a wheel holds, needs from outside, and which platform tag that allows.
  Result<WheelReport> wheel(const std::string& path);

 private:
  Report explain_unless_refused(const Query&);

  const FileSystem& files_;
  std::shared_ptr<const Knowledge> knowledge_;
  std::unique_ptr<ThreadLimit> own_threads_;  ///< if none were given
  ThreadLimit& threads_;
  std::shared_ptr<SharedReadings> shared_;
  std::unique_ptr<SessionState> state_;
  WheelIndex* index_ = nullptr;
};

}  // namespace cudald
