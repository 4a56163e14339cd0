#include "cli/commands/answers.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

#include <cudald/session.h>

#include "cli/settings/cache.h"
#include "session/shared_readings.h"

namespace cudald {
namespace {

Answer answer_of(Session& session, const Query& query) {
  const auto start = std::chrono::steady_clock::now();
  auto report = session.explain(query);
  return {std::move(report), std::chrono::steady_clock::now() - start};
}

class Workers {
 public:
  /// One worker takes the place of the thread that asks; `others` come beside it.
  Workers(const FileSystem& files, std::shared_ptr<const Knowledge> knowledge, std::shared_ptr<SharedReadings> shared,
          const std::vector<Query>& queries, ThreadLimit& limit, std::size_t others, Progress& progress)
      : files_(files),
        knowledge_(std::move(knowledge)),
        shared_(std::move(shared)),
        queries_(queries),
        limit_(limit),
        most_waiting_(2 * (others + 1)),
        progress_(progress) {
    for (std::size_t i = 0; i <= others; ++i) {
      try {
        threads_.emplace_back([this, first = i == 0] {
          work();
          // What is left to do may read ahead in its place.
          if (!first) limit_.give_back(1);
        });
      } catch (const std::system_error&) {
        // The system gives no more of them; it goes on with fewer.
        limit_.give_back(i == 0 ? others : others + 1 - i);
        if (i == 0) throw;
        return;
      }
    }
  }

  ~Workers() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

  /// The next answer; false when all were given.
  bool next(Answer& taken) {
    if (given_ == queries_.size()) return false;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return fault_ || answers_.contains(given_); });
    if (fault_) std::rethrow_exception(fault_);
    const auto answer = answers_.find(given_);
    taken = std::move(answer->second);
    answers_.erase(answer);
    ++given_;
    changed_.notify_all();
    return true;
  }

 private:
  void work() {
    try {
      Session session(files_, knowledge_, &limit_, shared_);
      for (;;) {
        std::size_t index = 0;
        {
          std::unique_lock lock(mutex_);
          // Not too far ahead of who takes the answers.
          changed_.wait(lock,
                        [this] { return stopped_ || asked_ == queries_.size() || asked_ < given_ + most_waiting_; });
          if (stopped_ || asked_ == queries_.size()) return;
          index = asked_++;
        }
        auto answer = answer_of(session, queries_[index]);
        progress_.answered();
        {
          const std::lock_guard lock(mutex_);
          answers_.emplace(index, std::move(answer));
        }
        changed_.notify_all();
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      fault_ = std::current_exception();
      changed_.notify_all();
    }
  }

  const FileSystem& files_;
  std::shared_ptr<const Knowledge> knowledge_;
  const std::shared_ptr<SharedReadings> shared_;
  const std::vector<Query>& queries_;
  ThreadLimit& limit_;
  std::size_t most_waiting_;
  Progress& progress_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t asked_ = 0, given_ = 0;
  bool stopped_ = false;
  std::exception_ptr fault_;
  std::map<std::size_t, Answer> answers_;
  std::vector<std::thread> threads_;
};

void answer_all(const FileSystem& files, std::shared_ptr<const Knowledge> knowledge,
                std::shared_ptr<SharedReadings> shared, const std::vector<Query>& queries, ThreadLimit& limit,
                WheelIndex* index, Progress& progress, const std::function<bool(Answer)>& take) {
  const auto others = queries.size() < 2 ? 0 : limit.take(queries.size() - 1);
  if (others == 0) {
    // One session keeps what it has read for the next question.
    Session session(files, std::move(knowledge), &limit, std::move(shared));
    if (index != nullptr && queries.size() == 1) session.try_installs_from(*index);
    for (const auto& query : queries) {
      auto answer = answer_of(session, query);
      progress.answered();
      if (!take(std::move(answer))) return;
    }
    return;
  }
  Workers workers(files, std::move(knowledge), std::move(shared), queries, limit, others, progress);
  Answer answer;
  while (workers.next(answer))
    if (!take(std::move(answer))) return;
}

}  // namespace

void answer_queries(const FileSystem& files, std::shared_ptr<const Knowledge> knowledge,
                    const std::vector<Query>& queries, ThreadLimit& limit, const std::string& cache, WheelIndex* index,
                    Progress& progress, const std::function<bool(Answer)>& take) {
  const auto shared = make_shared_readings(queries.size() > 1, cache);
  answer_all(files, std::move(knowledge), shared, queries, limit, index, progress, take);
  if (shared->has_kept()) trim_cache_now_and_then(cache, most_cache_bytes);
}

}  // namespace cudald
