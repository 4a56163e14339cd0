#include "cli/judge_target.h"

#include <doctest/doctest.h>

#include <cerrno>
#include <chrono>
#include <csignal>

namespace cudald {
namespace {

const WorkItem item{"a.whl", 5, ""};
const std::string document = R"({"schema":"cudald/report","verdict":"loads"})";

ScanRecord kept(ChildEnd end, int status, const std::string& output = "", const std::string& complaints = "") {
  return record_of(item, {0, end, status, output, complaints, 0, 0}, {});
}

TEST_CASE("one document is a report, with whatever status check has for it") {
  for (const int status : {0, 1, 3}) {
    const auto record = kept(ChildEnd::exited, status, document + "\n");
    CHECK(record.outcome == Outcome::judged);
    CHECK(record.status == status);
    CHECK(record.report == document);
    CHECK(record.item == item);
  }
}

TEST_CASE("behind the document stands which suppressions were of use") {
  const auto record = kept(ChildEnd::exited, 0, document + "\n{\"ignored_by\":[\"ignored CUD1\"]}\n");
  CHECK(record.report == document);
  CHECK(record.ignored_by == std::vector<std::string>{"ignored CUD1"});
}

TEST_CASE("anything else is told as what it was") {
  CHECK(kept(ChildEnd::exited, 4, "", "a bug\nand more").message == "a bug");
  CHECK(kept(ChildEnd::exited, 4, document + "\n").outcome == Outcome::failed);
  CHECK(kept(ChildEnd::exited, 0, document + "\n" + document + "\n").outcome == Outcome::failed);
  CHECK(kept(ChildEnd::exited, 0, "{\"cut").outcome == Outcome::failed);
  // A lock within a list, which check judges as a whole.
  CHECK(kept(ChildEnd::exited, 0, "{\"schema\":\"cudald/deployment\"}\n").outcome == Outcome::failed);
  CHECK(kept(ChildEnd::exited, 77).message == "exit status 77");
  CHECK(kept(ChildEnd::crashed, SIGSEGV).message == "signal 11: Segmentation fault");
  CHECK(kept(ChildEnd::crashed, SIGSEGV).outcome == Outcome::crashed);
  CHECK(kept(ChildEnd::timed_out, SIGKILL).message == "longer than 600 s");
  CHECK(kept(ChildEnd::out_of_memory, 125).message == "more than 4096 MiB");
  CHECK(kept(ChildEnd::too_much_output, SIGKILL).outcome == Outcome::failed);
  const auto limited = [](ChildEnd end, int status) {
    ChildLimits limits;
    limits.time = std::chrono::milliseconds(1500);
    limits.memory = std::uint64_t{3} << 20;
    limits.output = 17;
    const auto record = record_of(item, {0, end, status, "", "", 0, 0}, limits);
    CHECK_FALSE(record.status);
    return record.message;
  };
  CHECK(limited(ChildEnd::timed_out, 0) == "longer than 1.5 s");
  CHECK(limited(ChildEnd::out_of_memory, 0) == "more than 3 MiB");
  CHECK(limited(ChildEnd::too_much_output, 0) == "its answer has more than 17 bytes");
  CHECK(limited(ChildEnd::not_started, EAGAIN) == "not started: Resource temporarily unavailable");
  CHECK(kept(ChildEnd::timed_out, 0).outcome == Outcome::timed_out);
  CHECK(kept(ChildEnd::out_of_memory, 0).outcome == Outcome::out_of_memory);
  CHECK(kept(ChildEnd::not_started, EAGAIN).outcome == Outcome::failed);
}

}  // namespace
}  // namespace cudald
