#include "scan/child_pool.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <new>
#include <string_view>

namespace cudald {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int memory_status = 125;  ///< how a child says that it was given no more memory
constexpr std::size_t most_complaints = 4096;
constexpr std::chrono::milliseconds tick(10);

void complain(std::string_view text) {
  [[maybe_unused]] const auto told = ::write(STDERR_FILENO, text.data(), text.size());
}

[[noreturn]] void work_as_child(const std::function<int()>& work, int output, int complaints, const ChildLimits& limits,
                                pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  // What asked for a clean-up of the parent's files means nothing here.
  for (const int signal : {SIGINT, SIGTERM}) ::signal(signal, SIG_DFL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  rlimit memory{};
  ::getrlimit(RLIMIT_DATA, &memory);
  memory.rlim_cur = memory.rlim_max = std::min<rlim_t>(memory.rlim_max, limits.memory);
  ::setrlimit(RLIMIT_DATA, &memory);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(complaints, STDERR_FILENO);
  int status = 4;
  try {
    status = work();
  } catch (const std::bad_alloc&) {
    status = memory_status;
  } catch (const std::exception& error) {
    complain(error.what());
  } catch (...) {
    complain("an exception of no known type");
  }
  // Without the ends of static objects: they belong to the parent.
  ::_exit(status);
}

struct Stream {
  int fd = -1;
  std::string text;
  std::size_t most{};
  bool too_much{};

  void take() {
    std::array<char, 65536> buffer;
    const auto count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (count <= 0) return close();
    const auto size = static_cast<std::size_t>(count);
    too_much |= size > most - text.size();
    text.append(buffer.data(), std::min(size, most - text.size()));
  }

  void close() {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
};

}  // namespace

struct ChildPool::Child {
  std::size_t id{};
  pid_t process{};
  Stream output, complaints;
  Clock::time_point started;
  int end = -1;  ///< becomes readable when the process ends: it closes its streams a moment before
};

ChildPool::ChildPool(ChildLimits limits) : limits_(limits) {}

ChildPool::~ChildPool() {
  for (auto& child : children_) {
    ::kill(-child.process, SIGKILL);
    ::kill(child.process, SIGKILL);
    while (::waitpid(child.process, nullptr, 0) < 0 && errno == EINTR) {
    }
    child.output.close();
    child.complaints.close();
    if (child.end >= 0) ::close(child.end);
  }
}

std::size_t ChildPool::running() const { return children_.size() + not_started_.size(); }

void ChildPool::start(std::size_t id, const std::function<int()>& work) {
  std::array<int, 2> output{-1, -1}, complaints{-1, -1};
  const bool piped = ::pipe2(output.data(), O_CLOEXEC) == 0 && ::pipe2(complaints.data(), O_CLOEXEC) == 0;
  const auto parent = ::getpid();
  const auto process = piped ? ::fork() : -1;
  if (process == 0) work_as_child(work, output[1], complaints[1], limits_, parent);
  const int fault = errno;
  for (const int fd : {output[1], complaints[1]})
    if (fd >= 0) ::close(fd);
  if (process < 0) {
    for (const int fd : {output[0], complaints[0]})
      if (fd >= 0) ::close(fd);
    not_started_.push_back({id, ChildEnd::not_started, fault, "", "", 0, 0});
    return;
  }
  ::setpgid(process, process);
  children_.push_back({id,
                       process,
                       {output[0], "", limits_.output, false},
                       {complaints[0], "", most_complaints, false},
                       Clock::now(),
                       static_cast<int>(::syscall(SYS_pidfd_open, process, 0))});
}

std::optional<ChildEnd> ChildPool::beyond_limits(const Child& child) const {
  if (child.output.too_much) return ChildEnd::too_much_output;
  if (Clock::now() - child.started >= limits_.time) return ChildEnd::timed_out;
  return std::nullopt;
}

EndedChild ChildPool::reap(std::size_t at, std::optional<ChildEnd> because) {
  auto child = std::move(children_[at]);
  children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(at));
  // The process is still there as a zombie, so that its number means no other group.
  ::kill(-child.process, SIGKILL);
  if (because) ::kill(child.process, SIGKILL);
  int status = 0;
  rusage usage{};
  while (::wait4(child.process, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  // Nobody holds the other ends any more: what is left in the pipes ends.
  while (child.output.fd >= 0 && !child.output.too_much) child.output.take();
  while (child.complaints.fd >= 0) child.complaints.take();
  child.output.close();
  if (child.end >= 0) ::close(child.end);
  EndedChild ended{child.id, ChildEnd::exited, 0, std::move(child.output.text), std::move(child.complaints.text), 0, 0};
  ended.seconds = std::chrono::duration<double>(Clock::now() - child.started).count();
  ended.most_memory = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  ended.status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  if (because)
    ended.end = *because;
  else if (WIFSIGNALED(status))
    ended.end = ChildEnd::crashed;
  else if (ended.status == memory_status)
    ended.end = ChildEnd::out_of_memory;
  return ended;
}

std::optional<EndedChild> ChildPool::ended() {
  if (!not_started_.empty()) {
    auto child = std::move(not_started_.back());
    not_started_.pop_back();
    return child;
  }
  for (std::size_t i = 0; i < children_.size(); ++i) {
    siginfo_t info{};
    const auto& child = children_[i];
    // Without reaping it: its number must not go to another group before the group is killed.
    const bool is_over = ::waitid(P_PID, static_cast<id_t>(child.process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                         info.si_pid == child.process;
    const auto because = is_over ? std::nullopt : beyond_limits(child);
    if (is_over || because) return reap(i, because);
  }
  return std::nullopt;
}

std::optional<EndedChild> ChildPool::wait(std::chrono::milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  for (;;) {
    if (auto child = ended()) return child;
    if (children_.empty() || Clock::now() >= deadline) return std::nullopt;
    std::vector<pollfd> waiting;
    std::vector<Stream*> streams;
    for (auto& child : children_)
      for (auto* stream : {&child.output, &child.complaints})
        if (stream->fd >= 0) {
          waiting.push_back({stream->fd, POLLIN, 0});
          streams.push_back(stream);
        }
    for (const auto& child : children_)
      if (child.end >= 0) waiting.push_back({child.end, POLLIN, 0});
    // Limits of time, and ends on kernels before 5.3, are looked after by the tick.
    ::poll(waiting.data(), waiting.size(), static_cast<int>(tick.count()));
    for (std::size_t i = 0; i < streams.size(); ++i)
      if (waiting[i].revents != 0) streams[i]->take();
  }
}

}  // namespace cudald
