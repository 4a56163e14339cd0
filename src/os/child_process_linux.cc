#include "os/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "os/abilities.h"

namespace cudald {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_records = 16U << 20, most_output = 4U << 20;
constexpr int records_descriptor = 3;

/// Both ends of a pipe, closed when they go out of scope.
class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  bool is_open() const { return ends_[0] >= 0; }
  void close_writing() { close_end(1); }
  void close_reading() { close_end(0); }

 private:
  void close_end(std::size_t end) {
    if (ends_[end] >= 0) close(ends_[end]);
    ends_[end] = -1;
  }

  std::array<int, 2> ends_{-1, -1};
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (auto& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

/// Between fork and exec: only calls that are safe there.
[[noreturn]] void become(char* const* words, char* const* environment, const char* folder, int records, int output,
                         int complaints, int fault) {
  // A session leads a group as well.
  if (records < 0)
    setsid();
  else
    setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // Away from the low numbers first, where one of them could be overwritten by another.
  const int kept_records = fcntl(records, F_DUPFD_CLOEXEC, 10), kept_output = fcntl(output, F_DUPFD_CLOEXEC, 10),
            kept_complaints = fcntl(complaints, F_DUPFD_CLOEXEC, 10), kept_fault = fcntl(fault, F_DUPFD_CLOEXEC, 10);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0 && dup2(nothing, 0) == 0 && dup2(kept_output, 1) == 1 && dup2(kept_complaints, 2) == 2 &&
      (records < 0 || dup2(kept_records, records_descriptor) == records_descriptor) && chdir(folder) == 0)
    execve(words[0], words, environment);
  const int error = errno;
  [[maybe_unused]] const auto told = write(kept_fault, &error, sizeof error);
  _exit(127);
}

struct Stream {
  Pipe& pipe;
  std::string& text;
  std::size_t most;
  std::size_t bytes = 0;
};

/// Takes what is there; closes the stream at its end.
void take_some(Stream& stream) {
  std::array<char, 65536> buffer;
  const auto count = read(stream.pipe.reading(), buffer.data(), buffer.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count <= 0) {
    stream.pipe.close_reading();
    return;
  }
  const auto size = static_cast<std::size_t>(count);
  stream.bytes += size;
  stream.text.append(buffer.data(), std::min(size, stream.most - stream.text.size()));
}

/// Reads until `deadline` or until nothing comes for a moment; true if anything came.
bool take_what_comes(std::array<Stream, 3>& streams, std::chrono::milliseconds patience) {
  std::array<pollfd, 3> waiting{};
  for (std::size_t i = 0; i < streams.size(); ++i) waiting[i] = {streams[i].pipe.reading(), POLLIN, 0};
  if (poll(waiting.data(), waiting.size(), static_cast<int>(patience.count())) <= 0) return false;
  for (std::size_t i = 0; i < streams.size(); ++i)
    if (waiting[i].fd >= 0 && waiting[i].revents != 0) take_some(streams[i]);
  return true;
}

bool all_closed(const std::array<Stream, 3>& streams) {
  return std::none_of(streams.begin(), streams.end(), [](const Stream& stream) { return stream.pipe.is_open(); });
}

/// Watches the process until its end or the time limit; then nothing of its group is left.
void watch(pid_t child, std::array<Stream, 3>& streams, std::chrono::milliseconds timeout, Ended& ended) {
  constexpr std::chrono::milliseconds tick(10);
  const auto deadline = Clock::now() + timeout;
  int status = 0;
  for (;;) {
    // Without reaping it: its number must not go to another group before the group is killed.
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child) break;
    if (Clock::now() >= deadline) {
      ended.end = ProcessEnd::timed_out;
      break;
    }
    if (all_closed(streams))
      usleep(static_cast<useconds_t>(std::chrono::microseconds(tick).count()));
    else
      take_what_comes(streams, tick);
  }
  kill(-child, SIGKILL);
  kill(child, SIGKILL);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  // What is in the pipes still; a process that left the group may hold them open, and is not waited for.
  for (int rounds = 0; rounds < 4096 && !all_closed(streams) && take_what_comes(streams, std::chrono::milliseconds(0));
       ++rounds) {
  }
  if (ended.end == ProcessEnd::timed_out) return;
  ended.end = WIFSIGNALED(status) ? ProcessEnd::crashed : ProcessEnd::exited;
  ended.status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

std::string signal_name(int number) {
  constexpr std::array<std::pair<int, std::string_view>, 9> names = {{{SIGSEGV, "SIGSEGV"},
                                                                      {SIGABRT, "SIGABRT"},
                                                                      {SIGBUS, "SIGBUS"},
                                                                      {SIGFPE, "SIGFPE"},
                                                                      {SIGILL, "SIGILL"},
                                                                      {SIGTRAP, "SIGTRAP"},
                                                                      {SIGSYS, "SIGSYS"},
                                                                      {SIGTERM, "SIGTERM"},
                                                                      {SIGKILL, "SIGKILL"}}};
  for (const auto& [known, name] : names)
    if (known == number) return std::string(name);
  return fmt::format("signal {}", number);
}

bool starts_children() { return true; }

Ended run_child(const Command& command, std::chrono::milliseconds timeout) {
  Ended ended;
  Pipe records, output, complaints, fault;
  if (!records.is_open() || !output.is_open() || !complaints.is_open() || !fault.is_open()) {
    ended.status = errno;
    return ended;
  }
  auto words = command.words;
  for (auto& word : words)
    if (word == "{}" && !command.is_alone) word = std::to_string(records_descriptor);
  std::vector<std::string> variables;
  for (const auto& [name, value] : command.environment) variables.push_back(name + "=" + value);
  const auto word_list = pointers(words), variable_list = pointers(variables);
  const auto start = Clock::now();
  const auto child = fork();
  if (child == 0)
    become(word_list.data(), variable_list.data(), command.folder.c_str(), command.is_alone ? -1 : records.writing(),
           output.writing(), complaints.writing(), fault.writing());
  if (child < 0) {
    ended.status = errno;
    return ended;
  }
  // Of one that leads a group already no session can be made.
  if (!command.is_alone) setpgid(child, child);
  for (auto* pipe : {&records, &output, &complaints, &fault}) pipe->close_writing();
  int error = 0;
  if (read(fault.reading(), &error, sizeof error) == static_cast<ssize_t>(sizeof error)) {
    waitpid(child, nullptr, 0);
    ended.status = error;
    return ended;
  }
  std::array<Stream, 3> streams{Stream{records, ended.records, most_records}, Stream{output, ended.output, most_output},
                                Stream{complaints, ended.complaints, most_output}};
  watch(child, streams, timeout, ended);
  ended.output_bytes = streams[1].bytes + streams[2].bytes;
  ended.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return ended;
}

}  // namespace cudald
