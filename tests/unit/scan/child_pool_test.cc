#include "scan/child_pool.h"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <map>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

// In place of the C library's.
static int next_read_says = 0;  ///< 0: what is true

extern "C" ssize_t read(int fd, void* bytes, size_t size) {
  if (const int fault = std::exchange(next_read_says, 0); fault != 0) {
    errno = fault;
    return -1;
  }
  return ::syscall(SYS_read, fd, bytes, size);
}

namespace cudald {
namespace {

using namespace std::chrono_literals;

void say(int fd, const std::string& text) { [[maybe_unused]] const auto told = ::write(fd, text.data(), text.size()); }

/// Takes memory until there is none.
int take_all() {
  std::vector<std::vector<char>> all;
  for (;;) all.emplace_back(1 << 20, 'x');
}

EndedChild only(const std::function<int()>& work, const ChildLimits& limits = {}) {
  ChildPool pool(limits);
  pool.start(7, work);
  auto ended = pool.wait(60s);
  REQUIRE(ended);
  CHECK(ended->id == 7);
  CHECK(pool.running() == 0);
  return std::move(*ended);
}

TEST_CASE("what a child writes and returns is taken") {
  const auto ended = only([] {
    say(STDOUT_FILENO, std::string(3'000'000, 'x'));
    say(STDERR_FILENO, "y");
    return 3;
  });
  CHECK(ended.end == ChildEnd::exited);
  CHECK(ended.status == 3);
  CHECK(ended.output == std::string(3'000'000, 'x'));
  CHECK(ended.complaints == "y");
  CHECK(ended.most_memory > 0);
}

TEST_CASE("a child that crashes, hangs, or takes too much is stopped, and told of") {
  ChildLimits limits;
  limits.time = 300ms;
  limits.memory = std::uint64_t{96} << 20;
  limits.output = 1000;
  auto ended = only([] { return ::raise(SIGSEGV); });
  CHECK(ended.end == ChildEnd::crashed);
  CHECK(ended.status == SIGSEGV);
  CHECK(only([] { return ::pause(); }, limits).end == ChildEnd::timed_out);
  CHECK(only(
            [] {
              ::close(STDOUT_FILENO);
              ::close(STDERR_FILENO);
              return ::pause();
            },
            limits)
            .end == ChildEnd::timed_out);
  limits.time = 60s;  // on a busy machine the other limits may be long in coming
  CHECK(only(take_all, limits).end == ChildEnd::out_of_memory);
  ended = only(
      []() -> int {
        for (;;) say(STDOUT_FILENO, std::string(100, 'x'));
      },
      limits);
  CHECK(ended.end == ChildEnd::too_much_output);
  ended = only([]() -> int { throw std::runtime_error("a fault"); });
  CHECK(ended.end == ChildEnd::exited);
  CHECK(ended.status == 4);
  CHECK(ended.complaints == "a fault");
}

TEST_CASE("a read that a signal interrupts is made again, a stream that cannot be read is given up") {
  for (const int fault : {EINTR, EIO}) {
    next_read_says = fault;
    const auto ended = only([] {
      say(STDOUT_FILENO, "text");
      return 0;
    });
    CHECK(ended.end == ChildEnd::exited);
    CHECK(ended.output == (fault == EINTR ? "text" : ""));
    CHECK(next_read_says == 0);
  }
}

TEST_CASE("several run at a time, and one that hangs holds up none") {
  ChildLimits limits;
  limits.time = 2s;
  ChildPool pool(limits);
  pool.start(0, [] { return ::pause(); });
  for (std::size_t id = 1; id < 5; ++id) pool.start(id, [id] { return static_cast<int>(id); });
  CHECK(pool.running() == 5);
  std::vector<std::size_t> order;
  while (pool.running() > 0)
    if (const auto ended = pool.wait(10s)) {
      order.push_back(ended->id);
      CHECK((ended->id == 0 ? ended->end == ChildEnd::timed_out : ended->status == static_cast<int>(ended->id)));
    }
  CHECK(order.size() == 5);
  CHECK(order.back() == 0);
  CHECK_FALSE(pool.wait(1ms));
}

TEST_CASE("whoever waits is told when its patience ends") {
  ChildPool pool({});
  pool.start(1, [] { return ::pause(); });
  CHECK_FALSE(pool.wait(30ms));
  CHECK(pool.running() == 1);
}

TEST_CASE("where the system has no pipes left a child is told of as not started, and nothing stays open") {
  const auto open_files = [] {
    std::size_t count = 0;
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) count += each.is_symlink() ? 1 : 0;
    return count;
  };
  const auto before = open_files();
  rlimit usual{};
  ::getrlimit(RLIMIT_NOFILE, &usual);
  const int next = ::dup(STDERR_FILENO);
  ::close(next);
  for (const int more : {0, 2}) {  // room for none, and for one of two pipes
    ChildPool pool({});
    auto few = usual;
    few.rlim_cur = static_cast<rlim_t>(next + more);
    ::setrlimit(RLIMIT_NOFILE, &few);
    pool.start(9, [] { return 0; });
    ::setrlimit(RLIMIT_NOFILE, &usual);
    CHECK(pool.running() == 1);
    const auto ended = pool.wait(0ms);
    REQUIRE(ended);
    CHECK(ended->id == 9);
    CHECK(ended->end == ChildEnd::not_started);
    CHECK(ended->status == EMFILE);
    CHECK(ended->output.empty());
    CHECK(pool.running() == 0);
    CHECK_FALSE(pool.wait(0ms));
    CHECK(open_files() == before);
  }
}

TEST_CASE("a child has nothing to read, its fault of no known type is told, and its answer may fill the limit") {
  CHECK(only([] {
          char byte = 0;
          return static_cast<int>(::read(STDIN_FILENO, &byte, 1));
        }).status == 0);
  const auto thrown = only([]() -> int { throw 1; });
  CHECK(thrown.end == ChildEnd::exited);
  CHECK(thrown.status == 4);
  CHECK(thrown.complaints == "an exception of no known type");
  CHECK(only([]() -> int { throw std::bad_alloc(); }).end == ChildEnd::out_of_memory);
  ChildLimits limits;
  limits.output = 1000;
  for (const std::size_t size : {std::size_t{1000}, std::size_t{1001}}) {
    const auto ended = only(
        [size] {
          say(STDOUT_FILENO, std::string(size, 'x'));
          return size > 1000 ? ::pause() : 0;
        },
        limits);
    CHECK(ended.end == (size > 1000 ? ChildEnd::too_much_output : ChildEnd::exited));
    CHECK(ended.output.size() == 1000);
  }
}

TEST_CASE("a child has a group of its own, no core file, the limit of its memory, and signals as they are usual") {
  const auto interrupt = std::signal(SIGINT, SIG_IGN), end = std::signal(SIGTERM, SIG_IGN);
  ChildLimits limits;
  limits.memory = std::uint64_t{512} << 20;
  const auto ended = only(
      [] {
        rlimit core{1, 1}, memory{};
        ::getrlimit(RLIMIT_CORE, &core);
        ::getrlimit(RLIMIT_DATA, &memory);
        const bool is_limited = memory.rlim_cur == 512 << 20 && memory.rlim_max == 512 << 20;
        return (::getpgrp() == ::getpid() ? 1 : 0) + (core.rlim_cur == 0 && core.rlim_max == 0 ? 2 : 0) +
               (is_limited ? 4 : 0) + (std::signal(SIGINT, SIG_DFL) == SIG_DFL ? 8 : 0) +
               (std::signal(SIGTERM, SIG_DFL) == SIG_DFL ? 16 : 0);
      },
      limits);
  std::signal(SIGINT, interrupt);
  std::signal(SIGTERM, end);
  CHECK(ended.status == 31);
}

TEST_CASE("of what a child complains the first 4096 bytes are taken, and it is not stopped for that") {
  for (const std::size_t size : {std::size_t{4096}, std::size_t{200'000}}) {
    const auto ended = only([size] {
      say(STDERR_FILENO, std::string(size, 'y'));
      return 5;
    });
    CHECK(ended.end == ChildEnd::exited);
    CHECK(ended.status == 5);
    CHECK(ended.complaints == std::string(4096, 'y'));
    CHECK(ended.output.empty());
  }
}

/// Leaves a process behind that holds all that its parent holds, and does not end by itself for long.
int leave_one_behind() {
  if (::fork() == 0) {
    ::alarm(120);
    for (;;) ::pause();
  }
  return 6;
}

TEST_CASE("what a child leaves behind ends with it, or with those who wait for it") {
  const auto ended = only(leave_one_behind);
  CHECK(ended.end == ChildEnd::exited);
  CHECK(ended.status == 6);
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  {
    ChildPool pool({});
    pool.start(1, [] {
      leave_one_behind();
      return ::pause();
    });
    CHECK_FALSE(pool.wait(30ms));
  }
  ::close(ends[1]);
  pollfd all_gone{ends[0], POLLIN, 0};
  CHECK(::poll(&all_gone, 1, 60'000) == 1);  // nobody has the other end any more
  CHECK((all_gone.revents & POLLHUP) != 0);
  ::close(ends[0]);
}

TEST_CASE("how long a child took and the most memory it had are told, and nothing of it stays open") {
  const auto open_files = [] {
    std::size_t count = 0;
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) count += each.is_symlink() ? 1 : 0;
    return count;
  };
  const auto before = open_files();
  ChildLimits limits;
  limits.time = 200ms;
  const auto late = only([] { return ::pause(); }, limits);
  CHECK(late.end == ChildEnd::timed_out);
  CHECK(late.status == SIGKILL);
  CHECK(late.seconds >= 0.2);
  CHECK(late.seconds < 60);
  const auto large = only([] {
    const std::vector<char> all(std::size_t{40} << 20, 'x');
    const volatile char* last = &all.back();
    return *last == 'x' ? 0 : 1;
  });
  CHECK(large.status == 0);
  CHECK(large.most_memory >= std::uint64_t{40} << 20);
  CHECK(large.most_memory < std::uint64_t{64} << 30);
  {
    ChildPool pool({});
    pool.start(1, [] { return ::pause(); });
  }
  CHECK(open_files() == before);
}

}  // namespace
}  // namespace cudald
