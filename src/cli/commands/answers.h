#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <cudald/file_system.h>
#include <cudald/report.h>
#include <cudald/thread_limit.h>

#include "cli/output/progress.h"
#include "session/wheel_index.h"

namespace cudald {

/// An answer, and how long it took.
struct Answer {
  Report report;
  std::chrono::duration<double> time{};
};

/// Answers queries about one tree on as many threads as the limit allows and hands each report over in the calling
/// thread, which else waits, in the order of the queries and as soon as it is there. `take` returns false to end it
/// all. What is answered and not yet taken is bounded. Imports are kept for the next run in `cache`, unless that is
/// empty. `index`: with whose wheels commands that install something are tried, of one query alone; may be nullptr.
void answer_queries(const FileSystem&, std::shared_ptr<const Knowledge>, const std::vector<Query>&, ThreadLimit&,
                    const std::string& cache, WheelIndex* index, Progress&, const std::function<bool(Answer)>& take);

}  // namespace cudald
