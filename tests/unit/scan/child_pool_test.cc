#include "scan/child_pool.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <stdexcept>
#include <vector>

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

}  // namespace
}  // namespace cudald
