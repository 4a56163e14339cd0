#include "scan/state.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/path.h"
#include "base/refusals.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_list_bytes = std::uint64_t{16} << 30;

bool is_same_file(const WorkItem& a, const WorkItem& b) {
  return a.bytes == b.bytes && (a.sha256.empty() || b.sha256.empty() || a.sha256 == b.sha256);
}

}  // namespace

std::string list_path(const std::string& state) { return state + "/list.ndjson"; }

Result<WorkList> read_list(const std::string& state) {
  const auto path = list_path(state);
  const auto text = read_file(*make_disk_file_system(), path, most_list_bytes);
  if (!text) return text.error();
  auto list = work_list_of(*text);
  if (list) return list;
  auto fault = list.error();
  fault.path = path;
  return fault;
}

Result<WorkList> settle_list(const std::string& state, const WorkList& list, bool again) {
  if (auto fault = make_folders(state)) return std::move(*fault);
  if (again) {
    if (auto fault = write_whole(list_path(state), to_ndjson(list))) return std::move(*fault);
    return list;
  }
  const auto written = write_first(list_path(state), to_ndjson(list));
  if (!written) return written.error();
  return *written ? Result<WorkList>(list) : read_list(state);
}

std::vector<std::string> DoneTargets::read(const std::string& folder) {
  std::vector<std::string> damaged;
  for (const auto& part : parts_in(folder)) {
    const Refusals refusals;
    auto reader = PartReader::open(part);
    std::vector<RecordHead> heads;
    bool whole = reader.has_value();
    while (whole) {
      const auto line = reader->next();
      whole = line.has_value();
      if (!whole || line->empty()) break;
      if (auto head = head_of(*line)) heads.push_back(std::move(*head));
    }
    // Whoever writes it may have sealed it in the meantime.
    if (!whole && (!part.sealed || refusals.any())) continue;
    if (!whole) {
      (void)move_file(part.path, part.path + ".damaged");
      damaged.push_back(part.path);
      continue;
    }
    for (auto& head : heads) done_[head.item.target].push_back(std::move(head));
  }
  return damaged;
}

bool DoneTargets::has(const WorkItem& item, bool judged) const {
  const auto found = done_.find(item.target);
  return found != done_.end() && std::any_of(found->second.begin(), found->second.end(), [&](const RecordHead& head) {
           return is_same_file(head.item, item) && (!judged || head.outcome == Outcome::judged);
         });
}

std::vector<std::string> folders_for(const std::string& state, const Shard& shard) {
  const auto others = fmt::format("-of-{}", shard.count);
  auto folders = part_folders(state);
  std::erase_if(folders, [&](const std::string& folder) {
    return folder.ends_with(others) && file_name(folder) != name_of(shard);
  });
  return folders;
}

}  // namespace cudald
