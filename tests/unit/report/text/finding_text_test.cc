// One finding, told in full.

#include "report/text/finding_text.h"

#include <string>

#include <doctest/doctest.h>

#include <cudald/report.h>
#include <cudald/writers.h>

#include "common/example_report.h"

namespace cudald {
namespace {

/// The first finding of a report, told.
std::string told(const Report& report, const TextStyle& style = plain_style()) {
  return written([&](std::ostream& out) {
    TextWriter text(style, out);
    FindingText(report, text).tell(report.findings[0]);
  });
}

/// Who asks, of the request that failing_report()'s finding is about.
std::string asked_by(const Report& report) {
  return written([&](std::ostream& out) {
    const TextStyle style = plain_style();
    TextWriter text(style, out);
    FindingText(report, text).tell_request(1, report.resolution.objects[1].edges[0]);
  });
}

/// A report whose finding says what it is about and nothing more.
Report with_bare_finding() {
  auto report = failing_report();
  auto& finding = report.findings[0];
  finding.consequence.clear();
  finding.evidence.clear();
  finding.fixes.clear();
  finding.does_not_help.clear();
  finding.object.reset();
  finding.edge.reset();
  return report;
}

constexpr const char* bare = "error[CUD101] library-not-found\n";

TEST_CASE("how a library is asked for is told in the words of the system") {
  struct Row {
    EdgeKind kind;
    const char *linux_word, *windows_word;
  };
  for (const auto& row :
       {Row{EdgeKind::needed, "DT_NEEDED", "DT_NEEDED"}, Row{EdgeKind::filter, "DT_FILTER", "DT_FILTER"},
        Row{EdgeKind::auxiliary, "DT_AUXILIARY", "DT_AUXILIARY"}, Row{EdgeKind::preload, "preload", "preload"},
        Row{EdgeKind::dlopen, "dlopen", "LoadLibrary"}, Row{EdgeKind::import, "import table", "import table"},
        Row{EdgeKind::delay_import, "delay import", "delay import"},
        Row{EdgeKind::forwarder, "forwarder", "forwarder"}}) {
    CAPTURE(row.linux_word);
    auto report = failing_report();
    report.resolution.objects[1].edges[0].kind = row.kind;
    const auto line = [](const std::string& word) {
      const std::string head = "  needed by   /opt/app/lib/libfoo.so.1.2";
      return head + std::string(100 - head.size() - word.size(), ' ') + word + "\n  through     app → libfoo.so.1\n";
    };
    CHECK(asked_by(report) == line(row.linux_word));
    report.resolution.windows = true;
    CHECK(asked_by(report) == line(row.windows_word));
  }
}

TEST_CASE("a request that a line of code makes is told with that line, and the file that makes it for it") {
  auto report = failing_report();
  auto& edge = report.resolution.objects[1].edges[0];
  edge.asked_at = "/site/a.py:3";
  const auto first_line = [&] {
    const auto text = asked_by(report);
    return text.substr(0, text.find('\n'));
  };
  const auto expected = [](const std::string& note) {
    const std::string head = "  needed by   /site/a.py:3";
    return head + std::string(100 - head.size() - note.size(), ' ') + note;
  };
  CHECK(first_line() == expected("dlopen by libfoo.so.1.2"));
  report.resolution.windows = true;
  CHECK(first_line() == expected("LoadLibrary by libfoo.so.1.2"));
  report.resolution.objects[1].path = R"(C:\Windows\System32\foo.dll)";
  report.resolution.objects[1].known_by_name = true;
  CHECK(first_line() == expected("LoadLibrary by foo.dll"));
  edge.known.function = "dlopen";
  edge.known.text_at = 0x20;
  const std::string words = "text at 0x20, calls dlopen", head = R"(  may open it C:\Windows\System32\foo.dll)";
  CHECK(first_line() == head + std::string(100 - head.size() - words.size(), ' ') + words);
}

TEST_CASE("evidence is told with how it is known, and with its path unless that has been told") {
  auto report = with_bare_finding();
  report.findings[0].evidence = {{"by a rule", "", Basis::rule, ""},
                                 {"by a rule of", "", Basis::rule, "dlopen(3)"},
                                 {"by a table", "", Basis::table, ""},
                                 {"by a table of", "", Basis::table, "rows"},
                                 {"proven", "", Basis::proven, "not told"},
                                 {"elsewhere", "/opt/x.so", Basis::proven, ""},
                                 {"in /opt/x.so too", "/opt/x.so", Basis::proven, ""}};
  const auto line = [](std::string left, const std::string& right) {
    return left + std::string(100 - left.size() - right.size(), ' ') + right + "\n";
  };
  const std::string indent(14, ' ');
  const auto text = line("  because     by a rule", "rule") + line(indent + "by a rule of", "rule: dlopen(3)") +
                    line(indent + "by a table", "table") + line(indent + "by a table of", "table: rows") +
                    line(indent + "proven", "proven") + line(indent + "elsewhere", "proven") + indent + "/opt/x.so\n" +
                    line(indent + "in /opt/x.so too", "proven");
  CHECK(told(report) == bare + text);
  // The path of the object that the finding is about stands above.
  report.findings[0].evidence.resize(6);
  report.findings[0].evidence.erase(report.findings[0].evidence.begin(), report.findings[0].evidence.begin() + 5);
  report.findings[0].evidence[0].path = "/opt/app/bin/app";
  report.findings[0].object = 0;
  CHECK(told(report) ==
        std::string(bare) + "  in          /opt/app/bin/app\n" + line("  because     elsewhere", "proven"));
}

TEST_CASE("a finding about a file and no request of it is told with the file, and how that comes into the process") {
  auto report = with_bare_finding();
  report.findings[0].object = 1;
  CHECK(told(report) == std::string(bare) +
                            "  in          /opt/app/lib/libfoo.so.1.2\n"
                            "  through     app → libfoo.so.1\n");
  report.resolution.objects[0].edges[0].asked_at = "/opt/app/load.py:3";
  CHECK(told(report).ends_with("  through     /opt/app/load.py:3 → libfoo.so.1\n"));
  report.findings[0].object = 0;
  CHECK(told(report) == std::string(bare) + "  in          /opt/app/bin/app\n");
  report.findings[0].object.reset();
  report.findings[0].edge = 0;
  CHECK(told(report) == bare);
}

TEST_CASE("what happens, what helps and what does not stand below an empty line, whichever is there") {
  const auto with = [](auto change) {
    auto report = with_bare_finding();
    change(report.findings[0]);
    return told(report);
  };
  CHECK(with([](Finding&) {}) == bare);
  CHECK(with([](Finding& finding) { finding.consequence = "It fails."; }) ==
        std::string(bare) + "\nresult        It fails.\n");
  CHECK(with([](Finding& finding) { finding.fixes = {{"do it", "do", "much"}}; }) ==
        std::string(bare) + "\nfix           do it; much\n                   do\n");
  CHECK(with([](Finding& finding) { finding.does_not_help = {"one", "two"}; }) ==
        std::string(bare) + "\nwon't help    one\n              two\n");
}

TEST_CASE("several fixes have letters, and their titles go on below the first word") {
  auto report = with_bare_finding();
  const std::string words(40, 'a');
  report.findings[0].fixes = {{words + " " + words + " " + words, "", ""}, {"short", "", ""}, {"third", "", ""}};
  CHECK(told(report) == std::string(bare) + "\nfix           A  " + words + " " + words + "\n                 " +
                            words + "\n              B  short\n              C  third\n");
}

TEST_CASE("the titles of fixes with letters end where the line ends") {
  const auto titles = [](std::size_t width, const std::string& title) {
    auto report = with_bare_finding();
    report.findings[0].fixes = {{title, "", ""}, {"short", "", ""}};
    auto style = plain_style();
    style.width = width;
    return told(report, style);
  };
  const std::string head = std::string(bare) + "\nfix           A  ", tail = "\n              B  short\n";
  const std::string half(20, 'a'), rest(36, 'b');
  CHECK(titles(74, half + " " + rest) == head + half + " " + rest + tail);
  CHECK(titles(73, half + " " + rest) == head + half + "\n                 " + rest + tail);
}

TEST_CASE("the search of a request is told if there was one, or rules that were passed over") {
  auto report = failing_report();
  auto& finding = report.findings[0];
  const auto bare_finding = with_bare_finding().findings[0];
  finding = bare_finding;
  finding.object = 1;
  finding.edge = 0;
  const auto search = report.resolution.objects[1].edges[0].search;
  auto& told_search = report.resolution.objects[1].edges[0].search;
  const auto has_search = [&] { return told(report).find("\n\nsearched, in this order") != std::string::npos; };
  CHECK(has_search());
  told_search.probes.clear();
  CHECK(has_search());
  told_search.skipped.clear();
  CHECK(told(report).ends_with("  through     app → libfoo.so.1\n"));
  told_search.probes = search.probes;
  CHECK(has_search());
}

TEST_CASE("the message is told unless the headline has it; asked about one library, unless it is that one's") {
  auto report = with_bare_finding();
  auto style = plain_style();
  CHECK(told(report) == bare);
  report.findings[0].message = "something else";
  CHECK(told(report) == std::string(bare) + "  something else\n");
  style.library = "libcudart.so.12";
  CHECK(told(report, style) == bare);
  style.library = "libother.so";
  report.findings[0].message = "libcudart.so.12 is not found in any directory the loader searches";
  CHECK(told(report, style) ==
        std::string(bare) + "  libcudart.so.12 is not found in any directory the loader searches\n");
}

std::string findings_of(const Report& report, int verbosity = 0) {
  auto style = plain_style();
  style.verbosity = verbosity;
  return written([&](std::ostream& out) { write_findings(report, style, out); });
}

TEST_CASE("in a list of findings each has a line, with its file unless the message names that or there is none") {
  auto report = failing_report();
  const std::string verdict =
      "FAILS  app does not load: libcudart.so.12 is not found in any directory the loader searches\n";
  const std::string head = "error[CUD101] library-not-found: ";
  CHECK(findings_of(report) == head +
                                   "libcudart.so.12 is not found in any directory the loader searches"
                                   "  (/opt/app/lib/libfoo.so.1.2)\n" +
                                   verdict + "1 error (4 files).\n");
  report.findings[0].message = "/opt/app/lib/libfoo.so.1.2 is faulty";
  CHECK(findings_of(report) == head + "/opt/app/lib/libfoo.so.1.2 is faulty\n" + verdict + "1 error (4 files).\n");
  report.findings[0].message = "something";
  report.findings[0].object.reset();
  CHECK(findings_of(report) == head + "something\n" + verdict + "1 error (4 files).\n");
  CHECK(findings_of(report, -1) == verdict);
  CHECK(findings_of(with_bare_finding(), 1) == std::string(bare) + "\n" + verdict + "1 error (4 files).\n");
}

}  // namespace
}  // namespace cudald
