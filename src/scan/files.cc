#include "scan/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "base/refusals.h"

namespace cudald {
namespace {

Error fault_at(const std::string& path, int error) {
  return {ErrorCode::usage, std::strerror(error), path, std::nullopt, error};
}

std::optional<Error> write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const auto written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fault_at(path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return std::nullopt;
}

/// A whole file beside `path`; its name.
Result<std::string> write_beside(const std::string& path, std::string_view bytes) {
  auto beside = path + "." + own_name() + ".tmp";
  const int fd = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return fault_at(beside, errno);
  auto fault = write_all(fd, bytes, beside);
  // Network file systems tell of a full disk only here.
  if (::fsync(fd) != 0 && !fault) fault = fault_at(beside, errno);
  if (::close(fd) != 0 && !fault) fault = fault_at(beside, errno);
  if (!fault) return beside;
  ::unlink(beside.c_str());
  return std::move(*fault);
}

}  // namespace

std::string host_name() {
  std::array<char, 256> buffer{};
  if (::gethostname(buffer.data(), buffer.size() - 1) != 0 || buffer.front() == '\0') return "host";
  std::string name(buffer.data());
  std::replace_if(name.begin(), name.end(), [](char c) { return c == '/' || c == '@'; }, '_');
  return name;
}

std::string own_name() {
  static std::atomic<unsigned> count = 0;
  return fmt::format("{}@{}@{}", host_name(), ::getpid(), ++count);
}

std::optional<Error> make_folders(const std::string& path) {
  std::error_code fault;
  std::filesystem::create_directories(path, fault);
  std::error_code unknown;
  if (!std::filesystem::is_directory(path, unknown)) {
    if (!fault) fault = unknown;
    return fault_at(path, fault ? fault.value() : ENOTDIR);
  }
  return std::nullopt;
}

std::optional<Error> write_whole(const std::string& path, std::string_view bytes) {
  const auto beside = write_beside(path, bytes);
  if (!beside) return beside.error();
  if (::rename(beside->c_str(), path.c_str()) == 0) return std::nullopt;
  const auto fault = fault_at(path, errno);
  ::unlink(beside->c_str());
  return fault;
}

Result<bool> write_first(const std::string& path, std::string_view bytes) {
  const auto beside = write_beside(path, bytes);
  if (!beside) return beside.error();
  const int fault = ::link(beside->c_str(), path.c_str()) == 0 ? 0 : errno;
  struct stat status{};
  // An answer of a server that was lost: a second name of the file says that the link was made all the same.
  const bool made = fault == 0 || (::stat(beside->c_str(), &status) == 0 && status.st_nlink == 2);
  if (!made && (fault == EPERM || fault == EOPNOTSUPP || fault == ENOSYS || fault == EMLINK)) {
    // A file system without hard links: all writers of a list write the same.
    if (::rename(beside->c_str(), path.c_str()) == 0) return true;
    const auto refused = fault_at(path, errno);
    ::unlink(beside->c_str());
    return refused;
  }
  ::unlink(beside->c_str());
  if (made) return true;
  if (fault == EEXIST) return false;
  return fault_at(path, fault);
}

Result<bool> move_file(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return true;
  const int fault = errno;
  // The same is said of a folder to move into that is not there.
  if (fault == ENOENT && ::access(from.c_str(), F_OK) != 0) return false;
  return fault_at(from, fault);
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code fault;
  for (std::filesystem::directory_iterator each(folder, fault), end; !fault && each != end; each.increment(fault))
    names.push_back(each->path().filename().string());
  if (fault && !is_answer(fault.value()))
    note_refusal({ErrorCode::unreadable, fault.message(), folder, std::nullopt, fault.value()});
  std::sort(names.begin(), names.end());
  return names;
}

Result<NamelessFile> NamelessFile::create(const std::string& folder) {
  int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) {
    // Network file systems have no such files, but keep one that has lost its name until it is closed.
    const auto path = fmt::format("{}/.{}", folder, own_name());
    fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return fault_at(path, errno);
    ::unlink(path.c_str());
  }
  return NamelessFile(fd);
}

NamelessFile::NamelessFile(NamelessFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

NamelessFile& NamelessFile::operator=(NamelessFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

NamelessFile::~NamelessFile() {
  if (fd_ >= 0) ::close(fd_);
}

std::string NamelessFile::path() const { return fmt::format("/proc/self/fd/{}", fd_); }

Result<Appender> Appender::create(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) return fault_at(path, errno);
  return Appender(fd, path);
}

Appender::Appender(Appender&& other) noexcept : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}

Appender& Appender::operator=(Appender&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  return *this;
}

Appender::~Appender() {
  if (fd_ >= 0) ::close(fd_);
}

std::optional<Error> Appender::append(std::string_view bytes) { return write_all(fd_, bytes, path_); }

}  // namespace cudald
