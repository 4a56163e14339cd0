#pragma once

#include <sys/types.h>

#include <array>
#include <memory>
#include <optional>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

#include <cudald/result.h>

#include "os/typed_path.h"

namespace cudald {

/// Writes to a file descriptor, paths as they are typed, and remembers why it could not. After a failure everything is
/// dropped, quietly.
class FdBuffer : public std::streambuf {
 public:
  explicit FdBuffer(int fd) : fd_(fd) {}

  ~FdBuffer() override { sync(); }

  /// errno of the first write that failed, or 0.
  int system_error() const { return system_error_; }

 protected:
  int_type overflow(int_type c) override;
  int sync() override;

 private:
  void write(std::string_view);

  int fd_;
  int system_error_ = 0;
  TypedPaths paths_;
  std::array<char, 65536> buffer_;
};

/// Where the answer goes: standard output, a pager in front of it, or a file that appears when it
/// is complete.
class Output {
 public:
  /// `path` empty: standard output. Error{usage} if the file cannot be created.
  static Result<std::unique_ptr<Output>> open(const std::string& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Starts this pager, which waits until something is written; empty: none.
  void page_through(const std::string& command);

  std::ostream& stream();
  /// The reader has gone: nothing more has to be computed.
  bool reader_is_gone() const;

  /// Flushes, waits for the pager, puts the file in its place. An error if not all could be
  /// written; a reader that has gone is none.
  std::optional<Error> finish();
  /// Instead of finish(): the file stays as it was.
  void discard();

 private:
  Output(int fd, std::string path, std::string temporary, bool nameless = false);

  std::string path_, temporary_;
  bool nameless_;  ///< the file gets its name at the end
  int fd_;
  pid_t pager_ = 0;
  bool begun_ = false;  ///< something was written, or is about to be
  FdBuffer buffer_;
  std::ostream stream_;
};

/// Where standard input, output or error is closed, something takes its descriptor that can neither be read nor
/// written, so that no file that is opened later becomes it.
void take_standard_descriptors();

/// Standard error, to which complaints are written at once.
std::ostream& standard_error();

/// Lets an interrupt end the run with 130 (SIGINT) or 143 (SIGTERM), without a half-written file; a
/// closed pipe is seen as an error of write.
void prepare_signals();

}  // namespace cudald
