#include "scan/tickets.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "os/own_file.h"
#include "scan/files.h"
#include "unit/scan/temporary_folder.h"

namespace cudald {
namespace {

using namespace std::chrono_literals;

std::vector<WorkItem> items(std::size_t count, std::uint64_t bytes) {
  std::vector<WorkItem> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back({fmt::format("t{:04}", i), bytes, ""});
  return all;
}

TEST_CASE("large targets have tickets of their own, small ones share") {
  auto all = items(3, std::uint64_t{900} << 20);
  for (const auto& item : items(70, 1000)) all.push_back({"small" + item.target, item.bytes, ""});
  const auto batches = batches_of(all);
  REQUIRE(batches.size() == 6);
  for (std::size_t i = 0; i < 3; ++i) CHECK(batches[i].size() == 1);
  CHECK(batches[3].size() == 32);
  CHECK(batches[5].size() == 6);
}

TEST_CASE("each ticket is taken once, however many workers there are") {
  const TemporaryFolder folder;
  const auto all = items(200, 1000);
  auto a = TicketBox::open(folder.path(), all, false), b = TicketBox::open(folder.path(), all, false);
  REQUIRE(a);
  REQUIRE(b);
  std::set<std::string> seen;
  for (bool more = true; more;) {
    more = false;
    for (auto* box : {&*a, &*b}) {
      const auto ticket = box->take();
      REQUIRE(ticket);
      if (!*ticket) continue;
      more = true;
      for (const auto& item : (*ticket)->items) CHECK(seen.insert(item.target).second);
      CHECK_FALSE(box->finish(**ticket));
    }
  }
  CHECK(seen.size() == all.size());
  CHECK(names_in(folder / "tickets/taken").empty());
  CHECK(names_in(folder / "tickets/finished").size() == batches_of(all).size());
}

/// The number of a process that is gone.
pid_t gone() {
  const auto child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST_CASE("what a process had that is gone is taken over") {
  const TemporaryFolder folder;
  auto box = TicketBox::open(folder.path(), items(1, 10), false);
  const auto owner = fmt::format("{}@{}", host_name(), gone());
  REQUIRE(*move_file(folder / "tickets/free/0000000", folder / ("tickets/taken/0000000@" + owner)));
  CHECK(box->with_others() == 1);
  const auto ticket = box->take();
  REQUIRE(ticket);
  REQUIRE(*ticket);
  CHECK((*ticket)->former_owner == owner);
  CHECK(box->with_others() == 0);
}

TEST_CASE("of another machine, what was not touched for long") {
  const TemporaryFolder folder;
  auto patient = TicketBox::open(folder.path(), items(1, 10), false);
  REQUIRE(*move_file(folder / "tickets/free/0000000", folder / "tickets/taken/0000000@elsewhere@1"));
  CHECK_FALSE(*patient->take());
  auto impatient = TicketBox::open(folder.path(), items(1, 10), false, -1s);
  const auto ticket = impatient->take();
  REQUIRE(*ticket);
  CHECK((*ticket)->former_owner == "elsewhere@1");
}

TEST_CASE("of a living process nothing is taken over") {
  const TemporaryFolder folder;
  auto box = TicketBox::open(folder.path(), items(1, 10), false, -1s);
  REQUIRE(*move_file(folder / "tickets/free/0000000",
                     folder / fmt::format("tickets/taken/0000000@{}@{}", host_name(), ::getppid())));
  CHECK_FALSE(*box->take());
}

TEST_CASE("tickets are made anew when that is asked for") {
  const TemporaryFolder folder;
  auto box = TicketBox::open(folder.path(), items(1, 10), false);
  CHECK_FALSE(box->finish(**box->take()));
  auto same = TicketBox::open(folder.path(), items(1, 10), false);
  CHECK_FALSE(*same->take());
  auto anew = TicketBox::open(folder.path(), items(1, 10), true);
  CHECK(*anew->take());
  CHECK(names_in(folder.path()) == std::vector<std::string>{"tickets"});  // nothing of the old ones is left
}

TEST_CASE("a ticket of another machine that cannot be looked at is left to it") {
  const TemporaryFolder folder;
  auto box = TicketBox::open(folder.path(), {}, false, -1s);
  std::filesystem::create_symlink("nowhere", folder / "tickets/taken/0000000@elsewhere@1");
  const auto ticket = box->take();
  REQUIRE(ticket);
  CHECK_FALSE(*ticket);
  CHECK(box->with_others() == 1);
}

TEST_CASE("what is free is listed once, and counted down as it is taken") {
  const TemporaryFolder folder;
  auto box = TicketBox::open(folder.path(), items(3, std::uint64_t{900} << 20), false);
  REQUIRE(box);
  CHECK(box->most_left() == 1);  // that is not known yet
  REQUIRE(box->take());
  CHECK(box->most_left() == 2);
  write_file(folder / "tickets/free/0000009", "");
  REQUIRE(*box->take());
  REQUIRE(*box->take());
  CHECK(box->most_left() == 0);
  const auto none = box->take();
  REQUIRE(none);
  CHECK_FALSE(*none);
}

TEST_CASE("of another machine, what was not touched for longer than the patience, by the file system's clock") {
  for (const auto& [seconds, is_taken] : std::vector<std::pair<time_t, bool>>{{540, false}, {660, true}}) {
    const TemporaryFolder folder;
    auto box = TicketBox::open(folder.path(), items(1, 10), false);
    const auto taken = folder / "tickets/taken/0000000@elsewhere@1";
    REQUIRE(*move_file(folder / "tickets/free/0000000", taken));
    let_be_old(taken, seconds);
    const auto ticket = box->take();
    REQUIRE(ticket);
    CHECK(ticket->has_value() == is_taken);
    CHECK(names_in(folder / "tickets") == std::vector<std::string>{"finished", "free", "taken"});
    // Who takes it over touches it, so that nobody else does.
    if (is_taken) CHECK(touched(folder / ("tickets/taken/0000000@" + box->owner())) > touched(folder / "tickets") - 60);
  }
}

TEST_CASE("who has a ticket touches it now and then, twenty times within the patience of others") {
  for (const auto patience : {0s, 600s}) {
    const TemporaryFolder folder;
    auto box = TicketBox::open(folder.path(), items(2, std::uint64_t{900} << 20), false, patience);
    const auto first = **box->take(), second = **box->take();
    CHECK_FALSE(box->finish(first));
    const auto mine = folder / ("tickets/taken/" + second.name + "@" + box->owner());
    let_be_old(mine, 1000);
    const auto before = touched(mine);
    box->stay_alive();
    CHECK((touched(mine) > before + 900) == (patience == 0s));
  }
}

TEST_CASE("a ticket holds 64 MB at most, each target counted with one more; one that is damaged is told") {
  const auto sizes = [](std::uint64_t megabytes) {
    std::string told;
    for (const auto& batch : batches_of(items(5, megabytes << 20))) told += std::to_string(batch.size()) + " ";
    return told;
  };
  CHECK(sizes(31) == "2 2 1 ");
  CHECK(sizes(32) == "1 1 1 1 1 ");
  CHECK(sizes(15) == "4 1 ");
  const TemporaryFolder folder;
  auto box = TicketBox::open(folder.path(), items(1, 10), false);
  write_file(folder / "tickets/free/0000000", "no list");
  const auto ticket = box->take();
  REQUIRE_FALSE(ticket);
  CHECK(ticket.error().code == ErrorCode::malformed);
  CHECK(ticket.error().message == "the ticket is damaged");
  CHECK(ticket.error().path == folder / ("tickets/taken/0000000@" + box->owner()));
}

TEST_CASE("what is taken and says no process is anybody's") {
  const TemporaryFolder folder;
  auto box = TicketBox::open(folder.path(), items(1, 10), false);
  REQUIRE(*move_file(folder / "tickets/free/0000000", folder / "tickets/taken/0000000"));
  const auto ticket = box->take();
  REQUIRE(ticket);
  REQUIRE(*ticket);
  CHECK((*ticket)->name == "0000000");
  CHECK((*ticket)->items.size() == 1);
}

TEST_CASE("what is in the way of tickets is told") {
  const TemporaryFolder folder;
  write_file(folder / "file", "");
  const auto below = TicketBox::open(folder / "file", items(1, 10), false);
  REQUIRE_FALSE(below);
  CHECK(below.error().system_error == ENOTDIR);
  write_file(folder / "tickets", "");
  const auto no_folder = TicketBox::open(folder.path(), items(1, 10), false);
  REQUIRE_FALSE(no_folder);
  CHECK(no_folder.error().code == ErrorCode::usage);
  CHECK(no_folder.error().message == "is not a directory: name another one for --state");
  CHECK(no_folder.error().path == folder / "tickets");
  remove_file(folder / "tickets");
  std::filesystem::create_symlink("nowhere", folder / "tickets");
  const auto taken = TicketBox::open(folder.path(), items(1, 10), false);
  REQUIRE_FALSE(taken);
  CHECK(taken.error().code == ErrorCode::usage);
  CHECK(taken.error().message == "the tickets cannot be put in place");
  CHECK(taken.error().path == folder / "tickets");
  CHECK(taken.error().system_error == ENOTDIR);
  CHECK(names_in(folder.path()) == std::vector<std::string>{"file", "tickets"});
}

TEST_CASE("a ticket that cannot be moved is told, when it is taken and when it is finished") {
  const TemporaryFolder folder;
  auto box = TicketBox::open(folder.path(), items(2, std::uint64_t{900} << 20), false);
  const auto first = box->take();
  REQUIRE(*first);
  std::filesystem::remove(folder / "tickets/finished");
  const auto unfinished = box->finish(**first);
  REQUIRE(unfinished);
  CHECK(unfinished->path == folder / ("tickets/taken/0000000@" + box->owner()));
  CHECK(unfinished->system_error == ENOENT);
  std::filesystem::remove_all(folder / "tickets/taken");
  const auto second = box->take();
  REQUIRE_FALSE(second);
  CHECK(second.error().path == folder / "tickets/free/0000001");
}

TEST_CASE("a ticket that somebody else has taken meanwhile is passed over, and counted with the others") {
  const TemporaryFolder folder;
  const auto all = items(3, std::uint64_t{900} << 20);
  auto a = TicketBox::open(folder.path(), all, false);
  REQUIRE(*a->take());
  REQUIRE(*move_file(folder / "tickets/free/0000001", folder / "tickets/taken/0000001@elsewhere@1"));
  const auto next = a->take();
  REQUIRE(*next);
  CHECK((*next)->name == "0000002");
  CHECK((*next)->former_owner.empty());
  CHECK((*next)->items.size() == 1);
  CHECK(a->with_others() == 1);
}

}  // namespace
}  // namespace cudald
