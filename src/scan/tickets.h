#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "scan/work_list.h"

namespace cudald {

/// Some targets that one worker takes at a time.
struct Ticket {
  std::string name;
  std::string former_owner;  ///< who had it before and is gone; empty: nobody
  std::vector<WorkItem> items;
};

// --dynamic: workers of uneven speed take work as they are ready for it, instead of having shards. A ticket is a file
// in tickets/free; who renames it into tickets/taken, with its own name behind, has it; when its targets are done it is
// renamed into tickets/finished. Who has tickets touches them now and then. One whose owner is gone is taken over:
// at once if it was a process of this machine, else when it has not been touched for long.

class TicketBox {
 public:
  /// Opens the tickets of a state folder; makes them of the list if there are none. `again`: it makes them anew.
  static Result<TicketBox> open(const std::string& state, const std::vector<WorkItem>&, bool again,
                                std::chrono::seconds patience = std::chrono::minutes(10));

  /// The next one; none if all are finished or with others.
  Result<std::optional<Ticket>> take();
  std::optional<Error> finish(const Ticket&);
  /// Says that this worker is alive; to be called often.
  void stay_alive();
  /// How many may be free still.
  std::size_t most_left() const { return listed_ ? free_.size() : 1; }
  /// How many others have.
  std::size_t with_others() const;
  /// By which tickets and the folder of parts know this worker: "HOST@PID".
  const std::string& owner() const { return owner_; }

 private:
  explicit TicketBox(std::string folder, std::chrono::seconds patience);

  Result<std::optional<Ticket>> take(const std::string& name, const std::string& from, std::string former_owner);
  bool is_gone(const std::string& taken) const;

  std::string folder_, owner_;
  std::chrono::seconds patience_;
  std::vector<std::string> free_;  ///< names that were free, the last one next
  bool listed_ = false;
  std::vector<std::string> mine_;
  std::chrono::steady_clock::time_point touched_;
};

/// Items put into tickets, the largest first: a large one alone, small ones together.
std::vector<std::vector<WorkItem>> batches_of(const std::vector<WorkItem>&);

}  // namespace cudald
