#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scan/state.h"
#include "scan/tickets.h"

namespace cudald {

/// Where a worker gets its targets from.
class WorkSource {
 public:
  virtual ~WorkSource() = default;

  /// The next target; none if there is none for this worker now.
  virtual Result<std::optional<WorkItem>> next() = 0;
  /// The record of a target is kept.
  virtual std::optional<Error> done(const WorkItem&) { return std::nullopt; }
  /// To be called often.
  virtual void stay_alive() {}
  /// How many targets there may still be: at most so many are worth a process now.
  virtual std::size_t most_left() const = 0;
};

/// These targets, in this order.
class FixedWork final : public WorkSource {
 public:
  explicit FixedWork(std::vector<WorkItem> items) : items_(items.begin(), items.end()) {}

  Result<std::optional<WorkItem>> next() override;
  std::size_t most_left() const override { return items_.size(); }

 private:
  std::deque<WorkItem> items_;
};

/// The targets of tickets, but for those that are done.
class TicketWork final : public WorkSource {
 public:
  /// `retry`: what was not judged is not done.
  TicketWork(std::string state, TicketBox box, DoneTargets done, bool retry)
      : state_(std::move(state)), box_(std::move(box)), done_(std::move(done)), retry_(retry) {}

  Result<std::optional<WorkItem>> next() override;
  std::optional<Error> done(const WorkItem&) override;
  void stay_alive() override { box_.stay_alive(); }
  std::size_t most_left() const override { return box_.most_left() + waiting_.size(); }
  const TicketBox& box() const { return box_; }

 private:
  struct Open {
    Ticket ticket;
    std::size_t left{};
  };

  std::optional<Error> open(Ticket);

  std::string state_;
  TicketBox box_;
  DoneTargets done_;
  bool retry_;
  std::deque<WorkItem> waiting_;
  std::map<std::string, std::shared_ptr<Open>> tickets_;  ///< by target
};

}  // namespace cudald
