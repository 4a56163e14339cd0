#pragma once

#include <utility>

namespace cudald {

/// Does something when it goes, whether by the end of its block or by an exception: to catch that and throw it again
/// would take the program through its search for a handler once more for each caller.
template <typename Work>
class AtEnd {
 public:
  explicit AtEnd(Work work) : work_(std::move(work)) {}
  ~AtEnd() { work_(); }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;

 private:
  Work work_;
};

}  // namespace cudald
