#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cudald/file_system.h>
#include <cudald/library_texts.h>
#include <cudald/pe_symbols.h>
#include <cudald/result.h>

namespace cudald {

struct CudaLibrary;  // cuda_library.h
struct GpuCode;      // gpu_code.h
struct Image;        // image.h
struct Query;        // query.h
struct Report;       // report.h
class SessionState;
struct WheelReport;  // wheel.h

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
  std::unique_ptr<SessionState> state_;
};

}  // namespace cudald
