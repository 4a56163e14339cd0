#include "scan/tickets.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>

#include <cudald/file_system.h>

#include "os/own_file.h"
#include "scan/files.h"
#include "scan/shards.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;  ///< of several targets in one ticket
constexpr std::size_t most_items = 32;
constexpr int touches_in_patience = 20;

std::string own_owner() { return fmt::format("{}@{}", host_name(), ::getpid()); }

/// "00012@host@4711" -> "00012", "host@4711"
std::pair<std::string, std::string> parts_of(const std::string& taken) {
  const auto at = taken.find('@');
  return {taken.substr(0, at), at == std::string::npos ? "" : taken.substr(at + 1)};
}

/// The time as the file system tells it: clocks of machines differ.
std::optional<::time_t> time_there(const std::string& folder) {
  const auto path = fmt::format("{}/clock@{}", folder, own_owner());
  if (write_whole(path, "")) return std::nullopt;
  struct stat status{};
  const bool known = ::stat(path.c_str(), &status) == 0;
  remove_file(path);
  return known ? std::optional(status.st_mtime) : std::nullopt;
}

std::optional<Error> make_tickets(const std::string& folder, const std::vector<WorkItem>& items, bool again) {
  const auto beside = folder + "." + own_name();
  for (const auto* name : {"/free", "/taken", "/finished"})
    if (auto fault = make_folders(beside + name)) return fault;
  const auto batches = batches_of(items);
  for (std::size_t i = 0; i < batches.size(); ++i) {
    WorkList list;
    list.items = batches[i];
    if (auto fault = write_whole(fmt::format("{}/free/{:07}", beside, i), to_ndjson(list))) return fault;
  }
  std::error_code ignored;
  if (again) {
    const auto old = beside + ".old";
    (void)move_file(folder, old);
    std::filesystem::remove_all(old, ignored);
  }
  // Of several workers that come first together one has its folder in place; the others take that.
  if (::rename(beside.c_str(), folder.c_str()) == 0) return std::nullopt;
  const int fault = errno;
  std::filesystem::remove_all(beside, ignored);
  if (fault == EEXIST || fault == ENOTEMPTY) return std::nullopt;
  return Error{ErrorCode::usage, "the tickets cannot be put in place", folder, std::nullopt, fault};
}

}  // namespace

std::vector<std::vector<WorkItem>> batches_of(const std::vector<WorkItem>& items) {
  std::vector<std::vector<WorkItem>> batches;
  std::uint64_t bytes = 0;
  for (const auto index : largest_first(items)) {
    const auto& item = items[index];
    const auto cost = item.bytes + fixed_cost;
    if (batches.empty() || bytes + cost > most_bytes || batches.back().size() == most_items) {
      batches.emplace_back();
      bytes = 0;
    }
    bytes += cost;
    batches.back().push_back(item);
  }
  return batches;
}

TicketBox::TicketBox(std::string folder, std::chrono::seconds patience)
    : folder_(std::move(folder)),
      owner_(own_owner()),
      patience_(patience),
      touched_(std::chrono::steady_clock::now()) {}

Result<TicketBox> TicketBox::open(const std::string& state, const std::vector<WorkItem>& items, bool again,
                                  std::chrono::seconds patience) {
  const auto folder = state + "/tickets";
  std::error_code fault;
  const auto kind = std::filesystem::status(folder, fault).type();
  if (kind == std::filesystem::file_type::none)
    return Error{ErrorCode::usage, fault.message(), folder, std::nullopt, fault.value()};
  const bool there = kind != std::filesystem::file_type::not_found;
  if (there && kind != std::filesystem::file_type::directory)
    return Error{ErrorCode::usage, "is not a directory: name another one for --state", folder};
  if (!there || again)
    if (auto unmade = make_tickets(folder, items, there)) return std::move(*unmade);
  return TicketBox(folder, patience);
}

Result<std::optional<Ticket>> TicketBox::take(const std::string& name, const std::string& from,
                                              std::string former_owner) {
  const auto mine = fmt::format("{}/taken/{}@{}", folder_, name, owner_);
  const auto moved = move_file(from, mine);
  if (!moved) return moved.error();
  if (!*moved) return std::optional<Ticket>();
  mine_.push_back(mine);
  ::utimensat(AT_FDCWD, mine.c_str(), nullptr, 0);
  const auto text = read_file(*make_disk_file_system(), mine, most_bytes);
  if (!text) return text.error();
  auto list = work_list_of(*text);
  if (!list) return Error{ErrorCode::malformed, "the ticket is damaged", mine};
  return std::optional(Ticket{name, std::move(former_owner), std::move(list->items)});
}

bool TicketBox::is_gone(const std::string& taken) const {
  const auto owner = parts_of(taken).second;
  const auto at = owner.rfind('@');
  if (at == std::string::npos) return true;
  int process = 0;
  std::from_chars(owner.data() + at + 1, owner.data() + owner.size(), process);
  if (owner.substr(0, at) == host_name()) return ::kill(process, 0) != 0 && errno == ESRCH;
  struct stat status{};
  if (::stat((folder_ + "/taken/" + taken).c_str(), &status) != 0) return false;
  const auto now = time_there(folder_);
  return now && *now - status.st_mtime > patience_.count();
}

Result<std::optional<Ticket>> TicketBox::take() {
  if (!listed_) {
    free_ = names_in(folder_ + "/free");
    std::reverse(free_.begin(), free_.end());
    listed_ = true;
  }
  while (!free_.empty()) {
    const auto name = std::move(free_.back());
    free_.pop_back();
    auto ticket = take(name, folder_ + "/free/" + name, "");
    if (!ticket || *ticket) return ticket;
  }
  for (const auto& taken : names_in(folder_ + "/taken")) {
    const auto [name, owner] = parts_of(taken);
    if (owner == owner_ || !is_gone(taken)) continue;
    auto ticket = take(name, folder_ + "/taken/" + taken, owner);
    if (!ticket || *ticket) return ticket;
  }
  return std::optional<Ticket>();
}

std::optional<Error> TicketBox::finish(const Ticket& ticket) {
  const auto mine = fmt::format("{}/taken/{}@{}", folder_, ticket.name, owner_);
  std::erase(mine_, mine);
  // Who took it over meanwhile will finish it.
  const auto moved = move_file(mine, folder_ + "/finished/" + ticket.name);
  return moved ? std::nullopt : std::optional(moved.error());
}

void TicketBox::stay_alive() {
  const auto now = std::chrono::steady_clock::now();
  if (now - touched_ < patience_ / touches_in_patience) return;
  touched_ = now;
  for (const auto& path : mine_) ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
}

std::size_t TicketBox::with_others() const {
  const auto names = names_in(folder_ + "/taken");
  return static_cast<std::size_t>(std::count_if(
      names.begin(), names.end(), [this](const std::string& name) { return parts_of(name).second != owner_; }));
}

}  // namespace cudald
