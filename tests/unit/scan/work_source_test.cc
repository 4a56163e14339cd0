#include "scan/work_source.h"

#include <doctest/doctest.h>

#include <cerrno>
#include <filesystem>

#include "unit/scan/temporary_folder.h"

namespace cudald {
namespace {

using Texts = std::vector<std::string>;

const std::vector<WorkItem> three{{"a", 30, ""}, {"b", 20, ""}, {"c", 10, ""}};

Texts all_of(WorkSource& work) {
  Texts targets;
  for (auto next = work.next(); next && *next; next = work.next()) targets.push_back((*next)->target);
  return targets;
}

void keep(const std::string& folder, const WorkItem& item, Outcome outcome) {
  PartWriter writer(folder);
  REQUIRE_FALSE(writer.add({item, outcome, 0, "", ""}));
  REQUIRE_FALSE(writer.finish());
}

TEST_CASE("fixed work comes in its order") {
  FixedWork work(three);
  CHECK(work.most_left() == 3);
  CHECK(all_of(work) == Texts{"a", "b", "c"});
  CHECK(work.most_left() == 0);
}

TEST_CASE("a ticket is finished when all its targets are") {
  const TemporaryFolder folder;
  TicketWork work(folder.path(), std::move(*TicketBox::open(folder.path(), three, false)), {}, false);
  CHECK(all_of(work) == Texts{"a", "b", "c"});
  for (const auto& item : three) {
    CHECK(names_in(folder / "tickets/finished").empty());
    CHECK_FALSE(work.done(item));
  }
  CHECK(names_in(folder / "tickets/finished").size() == 1);
}

TEST_CASE("what was done before is left out, but for what is to be tried once more") {
  const TemporaryFolder folder;
  keep(folder / "shard-1-of-1", three[0], Outcome::judged);
  keep(folder / "shard-1-of-1", three[1], Outcome::crashed);
  for (const bool retry : {false, true}) {
    DoneTargets done;
    CHECK(done.read(folder / "shard-1-of-1").empty());
    TicketWork work(folder.path(), std::move(*TicketBox::open(folder.path(), three, true)), std::move(done), retry);
    CHECK(all_of(work) == (retry ? Texts{"b", "c"} : Texts{"c"}));
  }
}

TEST_CASE("of what is taken over, what its former owner has done is left out") {
  const TemporaryFolder folder;
  auto box = TicketBox::open(folder.path(), three, false, std::chrono::seconds(-1));
  keep(folder / "worker-elsewhere@1", three[1], Outcome::judged);
  REQUIRE(*move_file(folder / "tickets/free/0000000", folder / "tickets/taken/0000000@elsewhere@1"));
  TicketWork work(folder.path(), std::move(*box), {}, false);
  CHECK(all_of(work) == Texts{"a", "c"});
}

TEST_CASE("of tickets no more is left than is free or waits") {
  const TemporaryFolder folder;
  TicketWork work(folder.path(), std::move(*TicketBox::open(folder.path(), three, false)), {}, false);
  CHECK(work.most_left() == 1);
  REQUIRE(*work.next());
  CHECK(work.most_left() == 2);
}

TEST_CASE("work of tickets says that it is alive by touching them") {
  const TemporaryFolder folder;
  TicketWork work(folder.path(), std::move(*TicketBox::open(folder.path(), three, false, std::chrono::seconds(0))), {},
                  false);
  REQUIRE(*work.next());
  const auto mine = folder / ("tickets/taken/0000000@" + work.box().owner());
  let_be_old(mine, 1000);
  const auto before = touched(mine);
  work.stay_alive();
  CHECK(touched(mine) > before + 900);
}

TEST_CASE("a ticket of which all is done is finished when it is taken; a target that is unknown finishes none") {
  const TemporaryFolder folder;
  for (const auto& item : three) keep(folder / ("shard-" + item.target), item, Outcome::judged);
  DoneTargets done;
  for (const auto& item : three) CHECK(done.read(folder / ("shard-" + item.target)).empty());
  TicketWork work(folder.path(), std::move(*TicketBox::open(folder.path(), three, false)), std::move(done), false);
  CHECK(all_of(work).empty());
  CHECK(names_in(folder / "tickets/finished").size() == 1);
  CHECK_FALSE(work.done({"d", 1, ""}));
  CHECK_FALSE(work.done(three[0]));
}

TEST_CASE("a ticket that is damaged or cannot be finished ends the work with its fault") {
  const TemporaryFolder folder;
  TicketWork damaged(folder.path(), std::move(*TicketBox::open(folder.path(), three, false)), {}, false);
  write_file(folder / "tickets/free/0000000", "no list");
  const auto none = damaged.next();
  REQUIRE_FALSE(none);
  CHECK(none.error().message == "the ticket is damaged");
  const TemporaryFolder other;
  DoneTargets done;
  for (const auto& item : three) {
    keep(other / "shard-1-of-1", item, Outcome::judged);
  }
  CHECK(done.read(other / "shard-1-of-1").empty());
  TicketWork unfinished(other.path(), std::move(*TicketBox::open(other.path(), three, false)), std::move(done), false);
  std::filesystem::remove(other / "tickets/finished");
  const auto fault = unfinished.next();
  REQUIRE_FALSE(fault);
  CHECK(fault.error().system_error == ENOENT);
}

}  // namespace
}  // namespace cudald
