#include "cli/commands/answers.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <mutex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <cudald/report.h>

#include "common/world.h"

namespace cudald {
namespace {

using namespace std::chrono_literals;

/// A tree that knows which programs were asked for.
class NotedTree final : public FileSystem {
 public:
  explicit NotedTree(const FileSystem& files) : files_(files) {}

  Result<FileStatus> status(const std::string& path) const override { return files_.status(noted(path)); }
  Result<std::unique_ptr<File>> open(const std::string& path) const override { return files_.open(noted(path)); }
  Result<std::string> real_path(const std::string& path) const override { return files_.real_path(noted(path)); }
  Result<std::vector<std::string>> list(const std::string& path) const override { return files_.list(path); }

  std::size_t programs() const {
    const std::lock_guard lock(mutex_);
    return programs_.size();
  }

 private:
  const std::string& noted(const std::string& path) const {
    const std::lock_guard lock(mutex_);
    if (path.starts_with("/bin/app")) programs_.insert(path);
    return path;
  }

  const FileSystem& files_;
  mutable std::mutex mutex_;
  mutable std::set<std::string> programs_;
};

struct Questions {
  Questions() {
    for (int i = 0; i < 30; ++i) {
      const auto path = "/bin/app" + std::to_string(100 + i);
      world.add(path, program({}));
      world.query.targets = {path};
      queries.push_back(world.query);
    }
  }

  /// Asks all on so many threads.
  void ask(std::size_t threads, const std::function<bool(Answer)>& take) const {
    std::ostringstream out;
    Progress progress(out, {}, "", queries.size());
    ThreadLimit limit(threads);
    answer_queries(files, built_in_knowledge(), queries, limit, "", nullptr, progress, take);
    CHECK(limit.take(threads) == threads - 1);  // all are given back
  }

  TestWorld world;
  NotedTree files{world.files};
  std::vector<Query> queries;
};

TEST_CASE("answers come in the order of the questions, until no more are wanted") {
  for (const std::size_t threads : {std::size_t{1}, std::size_t{2}, std::size_t{3}}) {
    CAPTURE(threads);
    const Questions questions;
    std::vector<std::string> taken;
    questions.ask(threads, [&](Answer answer) {
      taken.push_back(answer.report.query.targets.front());
      CHECK(answer.time.count() > 0);
      return true;
    });
    REQUIRE(taken.size() == 30);
    CHECK(std::is_sorted(taken.begin(), taken.end()));
    CHECK(taken.front() == "/bin/app100");
    CHECK(taken.back() == "/bin/app129");
    std::size_t count = 0;
    questions.ask(threads, [&](const Answer&) { return ++count < 4; });
    CHECK(count == 4);
  }
}

TEST_CASE("nobody works further ahead than two answers for each thread") {
  for (const std::size_t threads : {std::size_t{2}, std::size_t{3}}) {
    const Questions questions;
    std::size_t ahead = 0;
    questions.ask(threads, [&](const Answer&) {
      const auto most = 1 + 2 * threads;
      for (int i = 0; i < 5000 && questions.files.programs() < most; ++i) std::this_thread::sleep_for(1ms);
      std::this_thread::sleep_for(10ms);
      ahead = questions.files.programs();
      return false;
    });
    CHECK(ahead == 1 + 2 * threads);
  }
  const Questions alone;
  alone.ask(1, [&](const Answer&) {
    CHECK(alone.files.programs() == 1);
    return false;
  });
}

/// A tree in which a look-up ends with an exception.
class ThrowingTree final : public FileSystem {
 public:
  explicit ThrowingTree(const FileSystem& files) : files_(files) {}

  Result<FileStatus> status(const std::string& path) const override { return files_.status(path); }
  Result<std::unique_ptr<File>> open(const std::string& path) const override {
    if (path == "/bin/app105") throw std::runtime_error("a broken tree");
    return files_.open(path);
  }
  Result<std::string> real_path(const std::string& path) const override { return files_.real_path(path); }
  Result<std::vector<std::string>> list(const std::string& path) const override { return files_.list(path); }

 private:
  const FileSystem& files_;
};

TEST_CASE("a fault of a thread is one of the thread that asks, and ends it all") {
  const Questions questions;
  const ThrowingTree broken(questions.world.files);
  for (const std::size_t threads : {std::size_t{1}, std::size_t{3}}) {
    CAPTURE(threads);
    std::ostringstream out;
    Progress progress(out, {}, "", questions.queries.size());
    ThreadLimit limit(threads);
    std::vector<std::string> taken;
    const auto ask = [&] {
      answer_queries(broken, built_in_knowledge(), questions.queries, limit, "", nullptr, progress, [&](Answer answer) {
        taken.push_back(answer.report.query.targets.front());
        return true;
      });
    };
    CHECK_THROWS_WITH_AS(ask(), "a broken tree", std::runtime_error);
    CHECK(taken.size() <= 5);
    CHECK(std::is_sorted(taken.begin(), taken.end()));
    CHECK(limit.take(threads) == threads - 1);
  }
}

TEST_CASE("two questions are answered by two threads at a time, where there are as many") {
  for (const std::size_t threads : {std::size_t{1}, std::size_t{2}, std::size_t{3}}) {
    CAPTURE(threads);
    Questions questions;
    questions.queries.resize(2);
    std::size_t ahead = 0, taken = 0;
    questions.ask(threads, [&](const Answer&) {
      if (++taken > 1) return true;
      for (int i = 0; threads > 1 && i < 5000 && questions.files.programs() < 2; ++i) std::this_thread::sleep_for(1ms);
      ahead = questions.files.programs();
      return true;
    });
    CHECK(ahead == (threads == 1 ? 1 : 2));
    CHECK(taken == 2);
  }
}

}  // namespace
}  // namespace cudald
