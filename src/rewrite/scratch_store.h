#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <streambuf>

#include <cudald/file_system.h>

namespace cudald {

/// Bytes that may be too many for memory, in a file without a name, which nothing is left of when the program ends.
/// They are written one after another, and can be read as soon as they are written.
class ScratchStore final : public File {
 public:
  /// An error if the directory for temporary files takes none.
  static Result<std::shared_ptr<ScratchStore>> make();
  ~ScratchStore() override;
  ScratchStore(const ScratchStore&) = delete;
  ScratchStore& operator=(const ScratchStore&) = delete;

  std::optional<Error> append(std::span<const std::byte>);
  /// Appends a whole file.
  std::optional<Error> append(const File&);

  const FileStatus& status() const override { return status_; }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override;

 private:
  explicit ScratchStore(int file) : file_(file) { status_.kind = FileKind::regular; }

  int file_;
  FileStatus status_;
};

/// Appends what is written to it. After an error everything is dropped.
class ScratchBuffer final : public std::streambuf {
 public:
  explicit ScratchBuffer(ScratchStore& store) : store_(store) {}
  const std::optional<Error>& fault() const { return fault_; }

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* bytes, std::streamsize count) override;

 private:
  ScratchStore& store_;
  std::optional<Error> fault_;
};

}  // namespace cudald
