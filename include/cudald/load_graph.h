#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include <cudald/resolution.h>

namespace cudald {

/// One request that was answered: `edge` is an index into the edges of object `from`.
struct Hop {
  ObjectId from = 0, to = 0;
  std::size_t edge = 0;

  bool operator==(const Hop&) const = default;
};

using Chain = std::vector<Hop>;

struct Chains {
  std::vector<Chain> chains;
  bool complete = true;  ///< false if a bound was reached before all were found
};

/// Who needs whom: objects are the vertices, answered requests the edges. Made from a Resolution,
/// and a snapshot of it: later changes there are not seen.
class LoadGraph {
 public:
  enum class Requests { all, needs };  ///< needs: no dlopen and no preload
  explicit LoadGraph(const Resolution&, Requests = Requests::all);
  ~LoadGraph();
  LoadGraph(LoadGraph&&) noexcept;

  /// The objects reached from `from`, nearest first, each object's requests in the file's order.
  std::vector<ObjectId> breadth_first(ObjectId from) const;
  /// Sets of objects that need one another, directly or around; an object that needs itself is one
  /// of its own. Each set, and the list of sets, in load order.
  std::vector<std::vector<ObjectId>> cycles() const;
  /// The shortest chain of requests that leads to an object from what the user asked for: empty for
  /// a target itself, nullopt if nothing leads there. Of equally short ones the first in load
  /// order.
  std::optional<Chain> shortest_chain(ObjectId to) const;
  /// Every chain from a target that passes no object twice, at most `limit`, in the order of the
  /// files' tables.
  Chains all_chains(ObjectId to, std::size_t limit) const;
  /// The requests that an object answers, in load order of those who ask.
  std::vector<Hop> requests_for(ObjectId) const;

 private:
  struct Graph;
  std::unique_ptr<Graph> graph_;
};

}  // namespace cudald
