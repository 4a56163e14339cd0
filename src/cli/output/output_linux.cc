#include "cli/output/output.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

namespace cudald {
namespace {

// The unfinished files, for the signal handler: it may neither lock nor allocate.
constexpr std::size_t most_files = 16;
std::array<std::array<char, 4096>, most_files> unfinished_files{};
std::array<volatile std::sig_atomic_t, most_files> is_unfinished{};

extern "C" void end_on_signal(int signal) {
  for (std::size_t i = 0; i < most_files; ++i)
    if (is_unfinished[i] != 0) ::unlink(unfinished_files[i].data());
  ::_exit(128 + signal);
}

void remember_unfinished(const std::string& path) {
  const auto free = std::find_if(is_unfinished.begin(), is_unfinished.end(), [](int taken) { return taken == 0; });
  if (free == is_unfinished.end() || path.size() >= unfinished_files.front().size()) return;
  const auto i = static_cast<std::size_t>(free - is_unfinished.begin());
  std::memcpy(unfinished_files[i].data(), path.c_str(), path.size() + 1);
  is_unfinished[i] = 1;
}

void forget_unfinished(const std::string& path) {
  for (std::size_t i = 0; i < most_files; ++i)
    if (is_unfinished[i] != 0 && path == unfinished_files[i].data()) is_unfinished[i] = 0;
}

Error system_error_at(const std::string& path, int error) {
  return {ErrorCode::usage, std::strerror(error), path, std::nullopt, error};
}

std::string name_of_descriptor(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

/// An unfinished file without a name, of which nothing stays if the process is killed; -1 where the file system has no
/// such files, or there is no way to name it later.
int make_nameless_beside(const std::string& path) {
  const auto slash = path.rfind('/');
  const auto folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int fd = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (fd < 0 || ::access(name_of_descriptor(fd).c_str(), F_OK) == 0) return fd;
  ::close(fd);
  return -1;
}

/// Gives an unfinished file its name, in one step; 0 or errno.
int name_file(int fd, const std::string& path) {
  const auto from = name_of_descriptor(fd);
  const auto link_to = [&from](const std::string& name) {
    return ::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
  };
  int error = link_to(path);
  // Only a rename takes the place of a file that is there.
  for (unsigned number = 0; number < 1000 && error == EEXIST; ++number) {
    const auto beside = path + "." + std::to_string(::getpid()) + "." + std::to_string(number);
    error = link_to(beside);
    if (error != 0) continue;
    if (::rename(beside.c_str(), path.c_str()) == 0) return 0;
    error = errno;
    ::unlink(beside.c_str());
    return error;
  }
  return error;
}

bool is_special_file(int fd) {
  // A device or a pipe (-o /dev/stdout) cannot be replaced by renaming.
  struct stat status{};
  return ::fstat(fd, &status) == 0 && !S_ISREG(status.st_mode);
}

}  // namespace

Output::Output(int fd, std::string path, std::string temporary, bool nameless)
    : path_(std::move(path)),
      temporary_(std::move(temporary)),
      nameless_(nameless),
      fd_(fd),
      buffer_(fd),
      stream_(&buffer_) {}

Result<std::unique_ptr<Output>> Output::open(const std::string& path) {
  if (path.empty()) return std::unique_ptr<Output>(new Output(STDOUT_FILENO, "", ""));
  const int existing = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
  if (existing >= 0 && is_special_file(existing)) {
    ::fcntl(existing, F_SETFL, ::fcntl(existing, F_GETFL) & ~O_NONBLOCK);
    return std::unique_ptr<Output>(new Output(existing, path, ""));
  }
  const int reason = errno;
  if (existing >= 0) ::close(existing);
  if (existing < 0 && reason != ENOENT) return system_error_at(path, reason);

  // Beside the file itself, not beside a symbolic link to it, so that rename puts it in its place
  // in one step.
  std::error_code no_such_file;
  const auto real_path = std::filesystem::canonical(path, no_such_file);
  std::string goal = no_such_file ? path : real_path.string();
  if (const int fd = make_nameless_beside(goal); fd >= 0)
    return std::unique_ptr<Output>(new Output(fd, std::move(goal), "", true));
  std::string temporary = goal + ".XXXXXX";
  // An interrupt between making the file and remembering its name would leave it behind.
  sigset_t interrupts, before;
  sigemptyset(&interrupts);
  sigaddset(&interrupts, SIGINT);
  sigaddset(&interrupts, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &interrupts, &before);
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  const int fault = errno;
  if (fd >= 0) remember_unfinished(temporary);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (fd < 0) return system_error_at(path, fault);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(fd, 0666 & ~mask);
  return std::unique_ptr<Output>(new Output(fd, std::move(goal), std::move(temporary)));
}

Output::~Output() { finish(); }

std::ostream& Output::stream() {
  // From then on an interrupt is for the pager: it is who talks to the user.
  if (!std::exchange(begun_, true) && pager_ > 0) std::signal(SIGINT, SIG_IGN);
  return stream_;
}

void Output::page_through(const std::string& command) {
  if (command.empty()) return;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
  pager_ = ::fork();
  if (pager_ == 0) {
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    // Without an answer there is nothing to show: the other end is closed then.
    pollfd input{STDIN_FILENO, POLLIN, 0};
    while (::poll(&input, 1, -1) < 0 && errno == EINTR) {
    }
    if ((input.revents & POLLIN) == 0) ::_exit(0);
    std::signal(SIGPIPE, SIG_DFL);
    ::setenv("LESS", "FRX",
             0);  // quit if it fits on one screen, keep colours, leave the text on the screen
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(ends[0]);
  if (pager_ > 0) {
    ::dup3(ends[1], STDOUT_FILENO, O_CLOEXEC);
  } else {
    pager_ = 0;
  }
  ::close(ends[1]);
}

void Output::discard() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  forget_unfinished(temporary_);
  temporary_.clear();
  nameless_ = false;
  finish();
}

bool Output::reader_is_gone() const { return buffer_.system_error() == EPIPE; }

std::optional<Error> Output::finish() {
  if (fd_ < 0) return std::nullopt;
  stream_.flush();
  int error = buffer_.system_error();
  if (nameless_ && error == 0) error = name_file(fd_, path_);
  const bool closes = fd_ != STDOUT_FILENO || pager_ > 0;
  if (closes && ::close(fd_) != 0 && error == 0) error = errno;
  fd_ = -1;
  while (pager_ > 0 && ::waitpid(pager_, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (!temporary_.empty()) {
    if (error == 0 && ::rename(temporary_.c_str(), path_.c_str()) != 0) error = errno;
    if (error != 0) ::unlink(temporary_.c_str());
    forget_unfinished(temporary_);
  }
  if (error == 0 || error == EPIPE) return std::nullopt;
  return system_error_at(path_.empty() ? "standard output" : path_, error);
}

void take_standard_descriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (::fcntl(fd, F_GETFD) < 0) ::open("/", O_PATH);  // the lowest that is free
}

std::ostream& standard_error() { return std::cerr; }

void prepare_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action{};
    action.sa_handler = end_on_signal;
    // A shell starts background jobs with SIGINT ignored: that stays so.
    struct sigaction before{};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace cudald
