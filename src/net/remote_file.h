#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <cudald/file_system.h>

#include "net/http.h"

namespace cudald {

/// A file on a server.
struct RemotePlace {
  std::string url;
  std::string sha256 = {};  ///< in hexadecimal digits, where it is stated; a file that comes whole is held against it
  std::uint64_t size = 0;   ///< 0: not stated
  FileId id = {};
};

/// What reading from servers came to.
struct RemoteCost {
  std::uint64_t requests = 0, bytes = 0;
};

/// A file that is read where it lies, by ranges. Each range is held against the size and the ETag of the first one: of
/// a file that changes meanwhile no more is read. A server without ranges, or that gives neither an ETag nor a date,
/// is asked for the whole file, if that is small.
class RemoteFile final : public File {
 public:
  /// Asks for the end of the file, where an archive has its directory. Errors: those of fetch(); malformed where the
  /// server contradicts itself or what is stated of the file.
  static Result<std::shared_ptr<RemoteFile>> open(std::shared_ptr<HttpTransport>, RemotePlace, const FetchPolicy& = {});
  ~RemoteFile() override;

  const FileStatus& status() const override;
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override;

  /// Reading ahead stops at these places: where what is worth reading begins and ends. In ascending order.
  void set_borders(std::vector<std::uint64_t>);
  RemoteCost cost() const;
  /// Whether the server has sent what cannot be of one file.
  bool is_broken() const;

 private:
  struct State;
  explicit RemoteFile(std::unique_ptr<State>);
  std::unique_ptr<State> state_;
};

}  // namespace cudald
