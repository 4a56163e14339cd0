#include "scan/work_source.h"

namespace cudald {

Result<std::optional<WorkItem>> FixedWork::next() {
  if (items_.empty()) return std::optional<WorkItem>();
  auto item = std::move(items_.front());
  items_.pop_front();
  return std::optional(std::move(item));
}

std::optional<Error> TicketWork::open(Ticket ticket) {
  // What its former owner had done of it is with that one's parts.
  if (!ticket.former_owner.empty()) done_.read(state_ + "/worker-" + ticket.former_owner);
  auto all = std::make_shared<Open>(Open{std::move(ticket), 0});
  for (const auto& item : all->ticket.items) {
    if (done_.has(item, retry_)) continue;
    ++all->left;
    tickets_[item.target] = all;
    waiting_.push_back(item);
  }
  return all->left == 0 ? box_.finish(all->ticket) : std::nullopt;
}

Result<std::optional<WorkItem>> TicketWork::next() {
  while (waiting_.empty()) {
    auto ticket = box_.take();
    if (!ticket) return ticket.error();
    if (!*ticket) return std::optional<WorkItem>();
    if (auto fault = open(std::move(**ticket))) return std::move(*fault);
  }
  auto item = std::move(waiting_.front());
  waiting_.pop_front();
  return std::optional(std::move(item));
}

std::optional<Error> TicketWork::done(const WorkItem& item) {
  const auto found = tickets_.find(item.target);
  if (found == tickets_.end()) return std::nullopt;
  const auto open = found->second;
  tickets_.erase(found);
  return --open->left == 0 ? box_.finish(open->ticket) : std::nullopt;
}

}  // namespace cudald
