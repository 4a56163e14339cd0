#include "cli/commands/scan_progress.h"

#include <doctest/doctest.h>

#include <chrono>
#include <sstream>
#include <string>
#include <thread>

namespace cudald {
namespace {

TEST_CASE("sizes and times are told as people would") {
  CHECK(spoken_size(1'234) == "1 kB");
  CHECK(spoken_size(12'340'000) == "12.3 MB");
  CHECK(spoken_size(5'678'000'000) == "5.68 GB");
  CHECK(spoken_size(48'000'000'000'000) == "48.00 TB");
  CHECK(spoken_time(12.4) == "12 s");
  CHECK(spoken_time(200) == "3 min");
  CHECK(spoken_time(7 * 3600 + 600) == "7 h 10 min");
}

TEST_CASE("progress tells rate, bytes, time left and gaps") {
  CHECK(progress_words({50, 100, 500'000'000, 1'000'000'000, 1}, 10) ==
        "50 of 100 targets, 500.0 MB of 1.00 GB, 50.0 MB/s, 10 s left, 1 not judged");
  CHECK(progress_words({100, 100, 500'000'000, 500'000'000, 0}, 10) ==
        "100 of 100 targets, 500.0 MB of 500.0 MB, 50.0 MB/s");
  CHECK(progress_words({7, 0, 1'000'000, 0, 0}, 1) == "7 targets, 1.0 MB, 1.0 MB/s");
  CHECK(progress_words({0, 10, 0, 5'000'000, 0}, 0) == "0 of 10 targets, 0 kB of 5.0 MB");
}

TEST_CASE("where nobody looks nothing is told") {
  std::ostringstream out;
  {
    ScanProgress progress(out, Progress::Style::none, "scan");
    progress.tell({});
  }
  CHECK(out.str().empty());
}

TEST_CASE("units change at their borders") {
  CHECK(spoken_time(99.4) == "99 s");
  CHECK(spoken_time(100) == "1 min");
  CHECK(spoken_time(5999) == "99 min");
  CHECK(spoken_time(6000) == "1 h 40 min");
  CHECK(progress_words({1, 1, 2000, 2000, 1}, 1) == "1 of 1 targets, 2 kB of 2 kB, 2 kB/s, 1 not judged");
  CHECK(progress_words({1, 2, 3000, 2000, 0}, 0) == "1 of 2 targets, 3 kB of 2 kB, 0 s left");
}

TEST_CASE("a size has the larger unit from its border on") {
  CHECK(spoken_size(0) == "0 kB");
  CHECK(spoken_size(999'499) == "999 kB");
  CHECK(spoken_size(1'000'000) == "1.0 MB");
  CHECK(spoken_size(1'000'000'000) == "1.00 GB");
  CHECK(spoken_size(1'000'000'000'000) == "1.00 TB");
}

TEST_CASE("what is left is reckoned by bytes, and by a mebibyte more for each target") {
  const std::uint64_t mebibyte = std::uint64_t{1} << 20;
  // One target of one mebibyte took a second; a hundred without bytes take half of that each.
  CHECK(progress_words({1, 101, mebibyte, mebibyte, 0}, 1) ==
        "1 of 101 targets, 1.0 MB of 1.0 MB, 1.0 MB/s, 50 s left");
  CHECK(progress_words({1, 2, mebibyte, 2 * mebibyte, 0}, 30).ends_with(", 30 s left"));
  CHECK(progress_words({1, 2, mebibyte, 4 * mebibyte, 0}, 30).ends_with(", 60 s left"));
  CHECK(progress_words({2, 2, 10, 20, 0}, 1) == "2 of 2 targets, 0 kB of 0 kB, 0 kB/s");
}

TEST_CASE("after half a second the line is told, as far as it fits, and not again at once; in the end it is gone") {
  std::ostringstream out;
  ScanProgress progress(out, Progress::Style::line, std::string(130, 'n'));
  std::this_thread::sleep_for(std::chrono::milliseconds(520));
  progress.tell({1, 2, 3, 4, 0});
  progress.tell({2, 2, 4, 4, 0});
  const std::string told = "\r\x1b[K" + std::string(118, 'n');
  CHECK(out.str() == told);
  progress.end();
  progress.end();
  CHECK(out.str() == told + "\r\x1b[K");
}

TEST_CASE("nothing is told before there was time to tell it") {
  for (const auto style : {Progress::Style::line, Progress::Style::plain}) {
    std::ostringstream out;
    ScanProgress progress(out, style, "scan");
    progress.tell({1, 2, 3, 4, 0});
    progress.end();
    CHECK(out.str().empty());
  }
}

}  // namespace
}  // namespace cudald
