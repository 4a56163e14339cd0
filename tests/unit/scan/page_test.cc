#include "scan/page.h"

#include <doctest/doctest.h>

#include "common/example_report.h"

namespace cudald {
namespace {

TEST_CASE("the page tells of findings, packages and gaps, and names are text") {
  Totals totals;
  totals.add({{"a-1-py3-none-any.whl", 10, ""}, Outcome::judged}, failing_report(), "");
  totals.add({{"<b>.whl", 10, ""}, Outcome::timed_out}, std::nullopt, "longer than <1> s");
  const auto page = written([&](auto& out) { write_totals_page(totals, {"<missing>"}, out); });
  CHECK(page.find("CUD101 library-not-found: 1 in 1 target of 1 package<") != std::string::npos);
  CHECK(page.find("<td>a</td>") != std::string::npos);
  CHECK(page.find("timed-out: longer than &lt;1&gt; s") != std::string::npos);
  CHECK(page.find("<code>&lt;missing&gt;</code>") != std::string::npos);
  CHECK(page.find("<b>") == std::string::npos);
  CHECK(page.find("1 not judged, 1 without a record") != std::string::npos);
}

TEST_CASE("where all is well nothing is said of gaps") {
  const auto page = written([&](auto& out) { write_totals_page({}, {}, out); });
  CHECK(page.find("<h2>Not judged") == std::string::npos);
}

}  // namespace
}  // namespace cudald
