#include "os/scratch_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

namespace cudald {

int open_scratch_file() {
  const char* folder = std::getenv("TMPDIR");
  std::string path = fmt::format("{}/cudald-XXXXXX", folder != nullptr && *folder != 0 ? folder : "/tmp");
  int file = ::mkostemp(path.data(), O_CLOEXEC);
  if (file >= 0) ::unlink(path.c_str());
  // Whoever writes to standard output or error must not write into it, where these were closed.
  if (file >= 0 && file <= STDERR_FILENO) {
    const int higher = ::fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    ::close(file);
    file = higher;
  }
  return file;
}

bool read_at(int file, std::uint64_t offset, std::span<std::byte> into) {
  while (!into.empty()) {
    const auto got = ::pread(file, into.data(), into.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    into = into.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return true;
}

bool write_at(int file, std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto written = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return true;
}

}  // namespace cudald
