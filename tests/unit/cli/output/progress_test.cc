#include "cli/output/progress.h"

#include <doctest/doctest.h>

#include <chrono>
#include <sstream>

namespace cudald {
namespace {

using namespace std::chrono_literals;

/// What a line looks like when `answered` of `total` are, without what takes the former line away.
std::string line(std::size_t answered, std::size_t total, const std::string& what = "reading") {
  std::ostringstream out;
  {
    Progress progress(out, Progress::Style::line, what, total);
    for (std::size_t i = 0; i < answered; ++i) progress.answered();
    std::this_thread::sleep_for(700ms);
  }
  auto text = out.str();
  const std::string begin = "\r\x1b[K";
  CHECK(text.starts_with(begin));
  CHECK(text.ends_with(begin));
  text.erase(0, begin.size());
  return text.substr(0, text.find(begin));
}

TEST_CASE("a line tells how far it has come, and is taken away") {
  CHECK(line(3, 4).ends_with(" reading  [##################......] 3/4 75%"));
  CHECK(line(4, 4).ends_with(" reading  [########################] 4/4 100%"));
  CHECK(line(0, 1).ends_with(" reading"));
  CHECK(line(0, 1, "a\x1b[31mb").find('\x1b') == std::string::npos);
  CHECK(line(0, 1, std::string(200, 'x')).size() == 78);
}

TEST_CASE("in plain style each answer is a line, and without one nothing is told") {
  std::ostringstream out, nothing;
  {
    Progress plain(out, Progress::Style::plain, "reading", 2), none(nothing, Progress::Style::none, "reading", 2);
    for (auto* progress : {&plain, &none}) {
      progress->answered();
      progress->answered();
    }
  }
  CHECK(out.str() == "cudald: 1 of 2 done\ncudald: 2 of 2 done\n");
  CHECK(nothing.str().empty());
}

TEST_CASE("what ends at once never showed a line") {
  std::ostringstream out;
  {
    Progress progress(out, Progress::Style::line, "reading", 2);
    progress.answered();
    progress.end();
  }
  CHECK(out.str().empty());
}

}  // namespace
}  // namespace cudald
