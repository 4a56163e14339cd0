#include "scan/merge.h"

#include <algorithm>
#include <optional>

#include "scan/parts.h"
#include "scan/record.h"
#include "scan/sorted_records.h"

namespace cudald {
namespace {

/// Each takes some MiB to decompress.
constexpr std::size_t most_open_parts = 40;

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

/// All parts of a state folder.
std::vector<PartFile> all_parts(const std::string& state) {
  std::vector<PartFile> parts;
  for (const auto& folder : part_folders(state))
    for (auto& part : parts_in(folder)) parts.push_back(std::move(part));
  return parts;
}

}  // namespace

Result<MergeResult> merge_records(const std::string& state, const WorkList& list,
                                  const std::function<void(const std::string& line)>& take) {
  const auto fewer = fewer_parts(all_parts(state), state, most_open_parts);
  if (!fewer) return fewer.error();
  auto opened = SortedRecords::open(fewer->parts);
  if (!opened) return opened.error();
  auto& records = *opened;
  MergeResult result;
  for (const auto& item : list.items) {
    Choice choice;
    while (!records.at_end() && records.target() <= item.target) {
      if (records.target() == item.target && is_of(records.head(), item))
        choice.offer(records.head(), records.line());
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
