#include "net/remote_file.h"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "base/sha256.h"
#include "net/range_store.h"

namespace cudald {
namespace {

// The end record of an archive lies within its last 65,557 bytes, and before it what tells of a large one.
constexpr std::uint64_t end_bytes = 68 << 10, least_bytes = 32 << 10, most_ahead = 4 << 20;
constexpr std::uint64_t most_at_once = 1 << 20;  // of a file that has neither an ETag nor a date

}  // namespace

struct RemoteFile::State {
  std::shared_ptr<HttpTransport> transport;
  RemotePlace place;
  FetchPolicy policy;
  FileStatus status;
  std::string etag;
  RangeStore store;
  std::vector<std::uint64_t> borders;
  RemoteCost cost;
  std::uint64_t last_end = UINT64_MAX, ahead = least_bytes;  ///< of reading onwards
  std::optional<Error> broken;                               ///< nothing more is read
  std::mutex mutex;

  Result<HttpAnswer> ask(std::optional<ByteRange> range) {
    if (!transport) return Error{ErrorCode::unreadable, "nothing is asked of servers without --online"};
    auto answer = fetch(*transport, HttpRequest{place.url, range, etag}, policy);
    ++cost.requests;
    if (answer) cost.bytes += answer->body.size();
    return answer;
  }

  std::optional<Error> take_whole(HttpAnswer answer) {
    if (auto other = other_size(answer.body.size())) return other;
    if (const auto found = place.sha256.empty() ? "" : cudald::sha256(answer.body); found != place.sha256)
      return Error{ErrorCode::malformed,
                   fmt::format("its SHA-256 on the server is {}, and {} is stated", found, place.sha256)};
    status.size = answer.body.size();
    etag = answer.etag;
    if (!store.add(0, answer.body)) return Error{ErrorCode::unreadable, "no room for what the server sends"};
    return std::nullopt;
  }

  std::optional<Error> other_size(std::uint64_t found) const {
    if (place.size == 0 || found == place.size) return std::nullopt;
    return Error{ErrorCode::malformed,
                 fmt::format("the file on the server has {} bytes, and {} are stated", found, place.size)};
  }

  /// All of it at once.
  std::optional<Error> begin_whole() {
    auto answer = ask(std::nullopt);
    if (!answer) return answer.error();
    if (answer->status != 200) return Error{ErrorCode::malformed, "the server sends a part of the file unasked"};
    return take_whole(std::move(*answer));
  }

  /// The end of the file, and with it its size.
  std::optional<Error> begin() {
    auto answer = ask(ByteRange{0, end_bytes, true});
    const bool refused = !answer && answer.error().code == ErrorCode::unreadable;
    // Not every server knows ranges that are counted from the end.
    if (refused) answer = ask(ByteRange{0, end_bytes});
    if (!answer) return answer.error();
    if (answer->status == 200) return take_whole(std::move(*answer));
    if (!answer->total || !answer->first || *answer->first + answer->body.size() > *answer->total)
      return Error{ErrorCode::malformed, "the server does not say which part of the file it sends"};
    if (auto other = other_size(*answer->total)) return other;
    // Of larger ones the checksums of members show it.
    if (answer->etag.empty() && answer->body.size() < *answer->total && *answer->total <= most_at_once)
      return begin_whole();
    status.size = *answer->total;
    etag = answer->etag;
    if (!store.add(*answer->first, answer->body))
      return Error{ErrorCode::unreadable, "no room for what the server sends"};
    return std::nullopt;
  }

  /// How much is read at once from `offset` on, where `needed` bytes are wanted.
  std::uint64_t length_at(std::uint64_t offset, std::uint64_t needed) {
    // Whoever comes to the beginning of a member may only want its header.
    const bool begins = std::binary_search(borders.begin(), borders.end(), offset);
    ahead = offset == last_end && !begins ? std::min(ahead * 2, most_ahead) : least_bytes;
    auto end = std::min(offset + std::max(needed, ahead), status.size);
    const auto border = std::upper_bound(borders.begin(), borders.end(), offset);
    if (border != borders.end() && *border < end) end = std::max(*border, std::min(offset + needed, status.size));
    if (const auto known = store.next(offset)) end = std::min(end, std::max(*known, offset + 1));
    return end - offset;
  }

  std::optional<Error> load(std::uint64_t offset, std::uint64_t needed) {
    if (broken) return broken;
    const auto length = length_at(offset, needed);
    auto answer = ask(ByteRange{offset, length});
    if (!answer) return answer.error();
    const bool other_file = answer->status == 200 || (answer->total && *answer->total != status.size) ||
                            (!etag.empty() && !answer->etag.empty() && answer->etag != etag);
    if (other_file)
      broken = Error{ErrorCode::malformed, "the file on the server has changed while it was read"};
    else if (answer->first != offset || answer->body.size() != length)
      broken = Error{ErrorCode::malformed,
                     fmt::format("the server sends {} bytes where {} were asked for", answer->body.size(), length)};
    if (broken) return broken;
    if (!store.add(offset, answer->body)) return Error{ErrorCode::unreadable, "no room for what the server sends"};
    last_end = offset + length;
    return std::nullopt;
  }
};

RemoteFile::RemoteFile(std::unique_ptr<State> state) : state_(std::move(state)) {}

RemoteFile::~RemoteFile() = default;

Result<std::shared_ptr<RemoteFile>> RemoteFile::open(std::shared_ptr<HttpTransport> transport, RemotePlace place,
                                                     const FetchPolicy& policy) {
  auto state = std::make_unique<State>();
  state->transport = std::move(transport);
  state->place = std::move(place);
  state->policy = policy;
  state->status.kind = FileKind::regular;
  state->status.id = state->place.id;
  if (auto error = state->begin()) return std::move(*error);
  return std::shared_ptr<RemoteFile>(new RemoteFile(std::move(state)));
}

const FileStatus& RemoteFile::status() const { return state_->status; }

Result<std::size_t> RemoteFile::read(std::uint64_t offset, std::span<std::byte> into) const {
  auto& state = *state_;
  const std::lock_guard lock(state.mutex);
  if (offset >= state.status.size) return std::size_t{0};
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), state.status.size - offset));
  std::size_t done = 0;
  while (done < wanted) {
    const auto at = offset + done;
    const auto there = static_cast<std::size_t>(std::min<std::uint64_t>(state.store.there(at), wanted - done));
    if (there == 0) {
      if (auto error = state.load(at, wanted - done)) return std::move(*error);
      continue;
    }
    if (!state.store.copy(at, into.subspan(done, there)))
      return Error{ErrorCode::unreadable, "what the server has sent cannot be read again"};
    done += there;
  }
  return done;
}

void RemoteFile::set_borders(std::vector<std::uint64_t> borders) {
  const std::lock_guard lock(state_->mutex);
  state_->borders = std::move(borders);
}

RemoteCost RemoteFile::cost() const {
  const std::lock_guard lock(state_->mutex);
  return state_->cost;
}

bool RemoteFile::is_broken() const {
  const std::lock_guard lock(state_->mutex);
  return state_->broken.has_value();
}

}  // namespace cudald
