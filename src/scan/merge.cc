#include "scan/merge.h"

#include <sys/resource.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <queue>

#include "scan/parts.h"
#include "scan/record.h"

namespace cudald {
namespace {

/// Each part is an open file.
void allow_many_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// The records of one part, by target.
class Run {
 public:
  static Result<Run> open(const PartFile& part) {
    auto reader = PartReader::open(part);
    if (!reader) return reader.error();
    Run run(std::move(*reader));
    if (!part.sealed)
      if (auto fault = run.sort()) return std::move(*fault);
    if (auto fault = run.advance()) return std::move(*fault);
    return run;
  }

  bool at_end() const { return line_.empty(); }
  const std::string& line() const { return line_; }
  const RecordHead& head() const { return head_; }

  std::optional<Error> advance() {
    do {
      if (sorted_) {
        line_ = lines_.empty() ? "" : std::move(lines_.front());
        if (!lines_.empty()) lines_.pop_front();
      } else {
        auto line = reader_.next();
        if (!line) return line.error();
        line_ = std::move(*line);
      }
      if (line_.empty()) return std::nullopt;
      const auto head = head_of(line_);
      if (head) head_ = *head;
      if (head) return std::nullopt;
    } while (true);
  }

 private:
  explicit Run(PartReader reader) : reader_(std::move(reader)) {}

  /// An open part is as its worker went; it is small.
  std::optional<Error> sort() {
    std::vector<std::pair<std::string, std::string>> records;
    for (;;) {
      auto line = reader_.next();
      if (!line) return line.error();
      if (line->empty()) break;
      if (const auto head = head_of(*line)) records.emplace_back(head->item.target, std::move(*line));
    }
    std::stable_sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [target, line] : records) lines_.push_back(std::move(line));
    sorted_ = true;
    return std::nullopt;
  }

  PartReader reader_;
  std::deque<std::string> lines_;
  bool sorted_ = false;
  std::string line_;
  RecordHead head_;
};

/// All records of a state folder, by target.
class Records {
 public:
  explicit Records(std::vector<Run> runs) : runs_(std::move(runs)) {
    for (std::size_t i = 0; i < runs_.size(); ++i)
      if (!runs_[i].at_end()) queue_.push({runs_[i].head().item.target, i});
  }

  bool at_end() const { return queue_.empty(); }
  const std::string& target() const { return queue_.top().first; }
  const Run& first() const { return runs_[queue_.top().second]; }

  std::optional<Error> pop() {
    const auto index = queue_.top().second;
    queue_.pop();
    if (auto fault = runs_[index].advance()) return fault;
    if (!runs_[index].at_end()) queue_.push({runs_[index].head().item.target, index});
    return std::nullopt;
  }

 private:
  using Entry = std::pair<std::string, std::size_t>;
  std::vector<Run> runs_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

bool is_of(const RecordHead& head, const WorkItem& item) {
  return head.item.bytes == item.bytes && head.item.sha256 == item.sha256;
}

/// Of the records of one target, the one that counts: a report goes before anything that ended otherwise. Which of
/// several that did not come to a report is chosen by their bytes, so that it is always the same.
class Choice {
 public:
  void offer(const RecordHead& head, const std::string& line) {
    ++offered_;
    const bool judged = head.outcome == Outcome::judged;
    if (line_.empty() || (judged && !judged_)) {
      line_ = line;
      judged_ = judged;
    } else if (judged == judged_ && line != line_) {
      contradictory_ |= judged;
      line_ = std::min(line_, line);
    }
  }

  const std::string& line() const { return line_; }
  std::size_t offered() const { return offered_; }
  bool contradictory() const { return contradictory_; }

 private:
  std::string line_;
  std::size_t offered_ = 0;
  bool judged_ = false, contradictory_ = false;
};

Result<std::vector<Run>> open_runs(const std::string& state) {
  std::vector<Run> runs;
  for (const auto& folder : part_folders(state))
    for (const auto& part : parts_in(folder)) {
      auto run = Run::open(part);
      if (!run) return run.error();
      runs.push_back(std::move(*run));
    }
  return runs;
}

}  // namespace

Result<MergeResult> merge_records(const std::string& state, const WorkList& list,
                                  const std::function<void(const std::string& line)>& take) {
  allow_many_files();
  auto runs = open_runs(state);
  if (!runs) return runs.error();
  Records records(std::move(*runs));
  MergeResult result;
  for (const auto& item : list.items) {
    Choice choice;
    while (!records.at_end() && records.target() <= item.target) {
      if (records.target() == item.target && is_of(records.first().head(), item))
        choice.offer(records.first().head(), records.first().line());
      else
        ++result.foreign;
      if (auto fault = records.pop()) return std::move(*fault);
    }
    if (choice.offered() == 0) {
      result.missing.push_back(item.target);
      continue;
    }
    if (choice.contradictory()) result.contradictory.push_back(item.target);
    result.twice += choice.offered() - 1;
    ++result.taken;
    take(choice.line());
  }
  // To the ends of all parts: only there is it known that they are whole.
  for (; !records.at_end(); ++result.foreign)
    if (auto fault = records.pop()) return std::move(*fault);
  return result;
}

}  // namespace cudald
