#include <doctest/doctest.h>

#include "unit/report/documents.h"

namespace cudald {
namespace {

TEST_CASE("a table of targets, and what is wrong below") {
  const auto text = document(make_markdown_writer(), {failing_report(), healthy_report()});
  CHECK(text.starts_with("### cudald: 2 targets: 1 FAILS, 1 LOADS\n"));
  CHECK(text.find("| ❌ FAILS | <code>./app</code> | ") != std::string::npos);
  CHECK(text.find("<details open><summary><code>./app</code>: 1 finding</summary>") != std::string::npos);
  CHECK(text.find("`CUD101` library-not-found: libcudart.so.12 is not found in any directory") != std::string::npos);
  CHECK(text.find("<pre>pip install nvidia-cuda-runtime-cu12</pre>") != std::string::npos);
}

TEST_CASE("a comment stays below what GitHub takes, and says what is left out") {
  auto many = failing_report();
  many.findings.assign(1000, many.findings[0]);
  const auto text = document(make_markdown_writer(), {many});
  CHECK(text.size() < 65536);
  std::size_t shown = 0;
  for (auto at = text.find("`CUD101`"); at != std::string::npos; at = text.find("`CUD101`", at + 1)) ++shown;
  CHECK(shown > 100);
  CHECK(text.ends_with("</details>\n\n" + std::to_string(1000 - shown) + " more findings left out.\n"));
  const std::vector<Report> targets(1000, healthy_report());
  const auto rows = document(make_markdown_writer(), targets);
  CHECK(rows.size() < 65536);
  std::size_t told = 0;
  for (auto at = rows.find("LOADS | "); at != std::string::npos; at = rows.find("LOADS | ", at + 1)) ++told;
  CHECK(rows.starts_with("### cudald: 1000 targets: 1000 LOADS\n"));
  CHECK(rows.ends_with(std::to_string(1000 - told) + " more targets left out.\n"));
}

TEST_CASE("names that mean harm are text") {
  const auto text = document(make_markdown_writer(), {hostile_report()});
  CHECK(is_harmless(text));
  for (const std::string harm : {"<script", "**b**", "@all", " #1", "|**", "`|"}) {
    CAPTURE(harm);
    CHECK(text.find(harm) == std::string::npos);
  }
}

TEST_CASE("a comment has a row for each target, and below what was found of each") {
  CHECK(document(make_markdown_writer(), {varied_report(), healthy_report()}) ==
        R"(### cudald: 2 targets: 1 FAILS, 1 LOADS

| verdict | target | | errors | warnings |
| --- | --- | --- | ---: | ---: |
| ❌ FAILS | <code>./app</code> | app does not load:<!-- --> libcudart.so.12 is not found in any directory the )"
        R"(loader searches )"
        R"(| 1 | 1 |
| ✅ LOADS | <code>./app</code> | app loads, with 4 other files | 0 | 0 |

<details open><summary><code>./app</code>: 3 findings</summary>

**error** `CUD101` library-not-found: libcudart.so.12 is not found in any directory the loader searches
<br>File: <code>libfoo.so.1.2</code>
<br>Result: The program does not start.
<br>Fix: install the runtime

<pre>pip install nvidia-cuda-runtime-cu12</pre>

**warning** `CUD109` shadowed: one hides the other
<br>File: <code>libc.so.6</code>

**note** `CUD904` unreadable: nothing of it is known
<br>File: <code>a.whl!/b.so</code>


</details>

)");
}

TEST_CASE("each verdict has its mark, and findings that are no errors are folded") {
  for (const auto& [verdict, row] :
       {std::pair(Verdict::loads, "| ✅ LOADS |"), std::pair(Verdict::fails, "| ❌ FAILS |"),
        std::pair(Verdict::risk, "| ⚠️ RISK |"), std::pair(Verdict::cpu_only, "| ⚠️ CPU ONLY |"),
        std::pair(Verdict::unknown, "| ❔ UNKNOWN |")}) {
    auto report = healthy_report();
    report.verdict = verdict;
    CHECK(document(make_markdown_writer(), {report}).find(row) != std::string::npos);
  }
  auto report = unreadable_report();
  auto& finding = report.findings[0];
  finding.level = Level::warning;
  finding.fixes = {{"in words", "", ""}, {"not told", "x", ""}};
  CHECK(document(make_markdown_writer(), {report}) ==
        R"(### cudald: 1 target: 1 UNKNOWN

| verdict | target | | errors | warnings |
| --- | --- | --- | ---: | ---: |
| ❔ UNKNOWN | <code>nothing.so</code> | nothing.so:<!-- --> No such file or directory | 0 | 1 |

<details><summary><code>nothing.so</code>: 1 finding</summary>

**warning** `CUD904` unreadable: nothing.so:<!-- --> No such file or directory
<br>Fix: in words


</details>

)");
  finding.fixes[0].command = "one\ntwo";
  CHECK(document(make_markdown_writer(), {report}).find("<br>Fix: in words\n\n<pre>one\ntwo</pre>\n") !=
        std::string::npos);
}

TEST_CASE("sixty thousand characters are written, and what would go beyond is counted") {
  const auto with_row_of = [](std::size_t size) {
    auto report = healthy_report();
    const std::string empty = "| ✅ LOADS | <code></code> | app loads, with 4 other files | 0 | 0 |\n";
    report.resolution.targets[0].given = std::string(size - empty.size(), 'a');
    return document(make_markdown_writer(), {report});
  };
  CHECK(with_row_of(60'000).find("left out") == std::string::npos);
  CHECK(with_row_of(60'001).ends_with("| ---: | ---: |\n\n1 more target left out.\n"));
  const auto with_finding_of = [](std::size_t size) {
    auto report = unreadable_report();
    report.headline = "h";
    const std::string row = "| ❔ UNKNOWN | <code>nothing.so</code> | h | 1 | 0 |\n";
    const std::string empty = "**error** `CUD904` unreadable: \n\n";
    report.findings[0].message = std::string(size - row.size() - empty.size(), 'a');
    return document(make_markdown_writer(), {report});
  };
  CHECK(with_finding_of(60'000).ends_with("</details>\n\n"));
  CHECK(with_finding_of(60'001).ends_with("| h | 1 | 0 |\n\n1 more finding left out.\n"));
}

}  // namespace
}  // namespace cudald
