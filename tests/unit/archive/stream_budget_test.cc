#include "archive/stream_budget.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

TEST_CASE("what streams hold counts towards --max-total, and what was read stays readable") {
  StreamBudget budget(1000 * mib, 100 * mib);
  CHECK_FALSE(budget.spend(60 * mib, 60 * mib, StreamSpeed::fast, "a"));
  CHECK_FALSE(budget.spend(40 * mib, 40 * mib, StreamSpeed::fast, "b"));
  CHECK_FALSE(budget.total_met());
  const auto error = budget.spend(1, 1, StreamSpeed::fast, "c");
  REQUIRE(error);
  CHECK(error->code == ErrorCode::limit);
  CHECK(error->message == "inflates to more than the 104857600 bytes of --max-total");
  CHECK(budget.total_met());
  CHECK_FALSE(budget.spend(60 * mib, 0, StreamSpeed::fast, "a"));
}

TEST_CASE("going back is limited in proportion to the archive, slow streams earlier") {
  struct Row {
    std::uint64_t archive;
    StreamSpeed speed;
    std::uint64_t most;  // MiB that may come out once more
  };
  for (const auto& row : {Row{0, StreamSpeed::fast, 1024}, Row{0, StreamSpeed::slow, 128},
                          Row{50 * mib, StreamSpeed::fast, 5000}, Row{50 * mib, StreamSpeed::slow, 5000}}) {
    StreamBudget budget(row.archive, UINT64_MAX);
    std::uint64_t again = 0;
    while (again < 10'000 && !budget.spend(mib, 0, row.speed, "x")) ++again;
    CHECK(again == row.most);
  }
}

TEST_CASE("all streams of an archive together stay in proportion to it") {
  StreamBudget budget(mib, UINT64_MAX);
  std::uint64_t fresh = 0;
  while (fresh < 10'000 && !budget.spend(mib, mib, StreamSpeed::fast, "x")) ++fresh;
  CHECK(fresh == 4096);
}

TEST_CASE("what is in proportion, at its edges, and what is said of the rest") {
  const auto of = [](std::uint64_t output, std::uint64_t input, StreamSpeed speed) {
    return check_proportion(output, input, speed, "x.tar");
  };
  CHECK_FALSE(of(4096 * mib, 0, StreamSpeed::fast));
  CHECK_FALSE(of(512 * mib, 0, StreamSpeed::slow));
  for (const auto& [speed, most] : {std::pair{StreamSpeed::fast, 4096 * mib}, {StreamSpeed::slow, 512 * mib}}) {
    const auto enough = (most + 1) / 100;
    CHECK_FALSE(of(most + 1, enough, speed));
    const auto error = of(most + 1, enough - 1, speed);
    REQUIRE(error);
    CHECK(error->code == ErrorCode::limit);
    CHECK(error->path == "x.tar");
    CHECK(error->message == "inflates beyond all proportion: from " + std::to_string(enough - 1) + " to " +
                                std::to_string(most + 1) + " bytes and more");
  }
  StreamBudget budget(0, 10);
  CHECK_FALSE(budget.spend(10, 10, StreamSpeed::fast, "x.tar"));
  CHECK_FALSE(budget.total_met());
  CHECK(budget.fresh() == 10);
  const auto again = budget.spend(1024 * mib + 1, 0, StreamSpeed::fast, "x.tar");
  REQUIRE(again);
  CHECK(again->code == ErrorCode::limit);
  CHECK(again->path == "x.tar");
  CHECK(again->message ==
        "would have to be inflated again and again: 1073741825 bytes more than once so far, of an archive of 0 bytes");
}

}  // namespace
}  // namespace cudald
