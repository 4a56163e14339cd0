// What is told of one library: `cudald explain --library`.

#include "report/text/library_story.h"

#include <string>

#include <doctest/doctest.h>

#include <cudald/report.h>

#include "common/example_report.h"

namespace cudald {
namespace {

std::string story(const Report& report, const std::string& library, int verbosity = 0) {
  auto style = plain_style();
  style.library = library;
  style.verbosity = verbosity;
  return written([&](std::ostream& out) {
    TextWriter text(style, out);
    write_library_story(report, text);
  });
}

Edge request_for(const std::string& name) {
  Edge edge;
  edge.name = name;
  return edge;
}

/// healthy_report() with so many plugins of which each has this request.
Report with_plugins(std::size_t count, const Edge& request) {
  auto report = healthy_report();
  for (std::size_t i = 1; i <= count; ++i) {
    Object plugin = report.resolution.objects[4];
    plugin.path = "/opt/plugins/" + std::to_string(i) + ".so";
    plugin.edges = {request};
    report.resolution.objects.push_back(plugin);
  }
  return report;
}

TEST_CASE("the search is that of who brought the library in; others are told by what they got") {
  auto same = request_for("libcudart.so.12");
  same.status = EdgeStatus::already_loaded;
  same.object = 4;
  same.matched = MatchedBy::name;
  auto report = with_plugins(4, same);
  auto& objects = report.resolution.objects;
  objects[6].edges[0].object = 2;
  objects[7].edges[0] = request_for("libcudart.so.12");
  objects[7].edges[0].error = "libcudart.so.12: no";
  objects[8].edges[0] = request_for("libcudart.so.12");
  objects[8].edges[0].status = EdgeStatus::rejected;
  CHECK(story(report, "libcudart.so.12") == R"(
libcudart.so.12
  needed by   /opt/app/lib/libfoo.so.1.2                                                   DT_NEEDED
  through     app → libfoo.so.1
  found       /opt/cuda/lib/libcudart.so.12  [runpath]

searched, in this order         result
  1 DT_RUNPATH  /opt/cuda/lib   found

also needed by
              /opt/plugins/1.so                                                            same file
              /opt/plugins/2.so       /lib/x86_64-linux-gnu/libc.so.6  already loaded: the same name
              /opt/plugins/3.so                                                  libcudart.so.12: no
              /opt/plugins/4.so                                                             rejected
5 requests for libcudart.so.12.  Next: cudald why ./app libcudart.so.12
)");
  objects[5].edges[0].status = EdgeStatus::loaded;
  objects[5].edges[0].rule = SearchRule::cache;
  objects[6].edges[0].object = std::nullopt;
  objects[6].edges[0].status = EdgeStatus::not_loaded;
  objects[6].edges[0].rule = SearchRule::runpath;
  objects[6].edges[0].search.probes = {
      {"/a/libcudart.so.12", SearchRule::runpath, 6, ProbeResult::absent, "", false, false},
      {"/b/libcudart.so.12", SearchRule::runpath, 6, ProbeResult::found, "", false, false}};
  CHECK(story(report, "libcudart.so.12") == R"(
libcudart.so.12
  needed by   /opt/app/lib/libfoo.so.1.2                                                   DT_NEEDED
  through     app → libfoo.so.1
  found       /opt/cuda/lib/libcudart.so.12  [runpath]

searched, in this order         result
  1 DT_RUNPATH  /opt/cuda/lib   found

also needed by
              /opt/plugins/1.so                         /opt/cuda/lib/libcudart.so.12  [ld.so.cache]
              /opt/plugins/2.so                    /b/libcudart.so.12  [runpath]  loaded only on use
              /opt/plugins/3.so                                                  libcudart.so.12: no
              /opt/plugins/4.so                                                             rejected
5 requests for libcudart.so.12.  Next: cudald why ./app libcudart.so.12
)");
}

TEST_CASE("of those who ask besides six are listed, all of them with -v") {
  auto same = request_for("libcudart.so.12");
  same.status = EdgeStatus::already_loaded;
  same.object = 4;
  const auto listed = [&](std::size_t count, int verbosity) {
    const auto text = story(with_plugins(count, same), "libcudart.so.12", verbosity);
    return text.substr(text.find("also needed by"));
  };
  CHECK(listed(6, 0) ==
        R"(also needed by
              /opt/plugins/1.so                                                            same file
              /opt/plugins/2.so                                                            same file
              /opt/plugins/3.so                                                            same file
              /opt/plugins/4.so                                                            same file
              /opt/plugins/5.so                                                            same file
              /opt/plugins/6.so                                                            same file
7 requests for libcudart.so.12.  Next: cudald why ./app libcudart.so.12
)");
  CHECK(listed(7, 0) ==
        R"(also needed by
              /opt/plugins/1.so                                                            same file
              /opt/plugins/2.so                                                            same file
              /opt/plugins/3.so                                                            same file
              /opt/plugins/4.so                                                            same file
              /opt/plugins/5.so                                                            same file
              /opt/plugins/6.so                                                            same file
              and 1 other object; -v shows all
8 requests for libcudart.so.12.  Next: cudald why ./app libcudart.so.12
)");
  CHECK(listed(8, 0).find("and 2 other objects; -v shows all\n") != std::string::npos);
  const auto all = listed(8, 1);
  CHECK(all.find("/opt/plugins/8.so") != std::string::npos);
  CHECK(all.find("shows all") == std::string::npos);
  CHECK(all.find("also needed by", 1) == std::string::npos);
}

TEST_CASE("where nobody searched the first who asked is told") {
  auto report = healthy_report();
  CHECK(story(report, "ld-linux-x86-64.so.2") == R"(
ld-linux-x86-64.so.2
  needed by   /lib/x86_64-linux-gnu/libc.so.6                                              DT_NEEDED
  through     app → libc.so.6
  found       /lib/x86_64-linux-gnu/ld-linux-x86-64.so.2  already loaded: the same soname

1 request for ld-linux-x86-64.so.2.  Next: cudald why ./app ld-linux-x86-64.so.2
)");
}

TEST_CASE("of a library that only constants name the first is told in full, six more by their names") {
  auto likely = request_for("libuse.so");
  likely.status = EdgeStatus::not_loaded;
  likely.rule = SearchRule::cache;
  likely.known.function = "dlopen";
  likely.known.text_at = 0x10;
  likely.search.probes = {{"/b/libuse.so", SearchRule::cache, std::nullopt, ProbeResult::found, "", false, false}};
  const auto told = [&](std::size_t count, int verbosity = 0) {
    auto report = with_plugins(count, likely);
    for (std::size_t id = 5; id < report.resolution.objects.size(); ++id)
      report.resolution.objects[id].may_open.swap(report.resolution.objects[id].edges);
    Finding finding;
    finding.code = "CUD999";
    finding.name = "made-up";
    finding.subject = "libuse.so";
    finding.message = "something about it";
    report.findings = {finding, finding};
    report.findings[1].subject = "libother.so";
    return story(report, "libuse.so", verbosity);
  };
  CHECK(told(1) == R"(
error[CUD999] made-up

libuse.so
  may open it /opt/plugins/1.so                                           text at 0x10, calls dlopen
  result      /b/libuse.so  [ld.so.cache]  loaded only on use

searched, in this order              result
  1 /etc/ld.so.cache  /b/libuse.so   found

No file requires libuse.so; 1 file may open it by a name among its constants.
)");
  CHECK(told(7) == R"(
error[CUD999] made-up

libuse.so
  may open it /opt/plugins/1.so                                           text at 0x10, calls dlopen
  result      /b/libuse.so  [ld.so.cache]  loaded only on use

searched, in this order              result
  1 /etc/ld.so.cache  /b/libuse.so   found

may open it   /opt/plugins/2.so                                           text at 0x10, calls dlopen
              /opt/plugins/3.so                                           text at 0x10, calls dlopen
              /opt/plugins/4.so                                           text at 0x10, calls dlopen
              /opt/plugins/5.so                                           text at 0x10, calls dlopen
              /opt/plugins/6.so                                           text at 0x10, calls dlopen
              /opt/plugins/7.so                                           text at 0x10, calls dlopen
No file requires libuse.so; 7 files may open it by a name among their constants.
)");
  CHECK(told(8).find("/opt/plugins/8.so") == std::string::npos);
  CHECK(told(8).find("and 1 other object; -v shows all\n") != std::string::npos);
  CHECK(told(8, 1).find("/opt/plugins/8.so") != std::string::npos);
  CHECK(told(8, 1).find("shows all") == std::string::npos);
}

TEST_CASE("who requires a library is told before who may open it") {
  auto report = healthy_report();
  auto likely = request_for("libfoo.so.1");
  likely.known.function = "dlopen";
  report.resolution.objects[4].may_open = {likely};
  CHECK(story(report, "libfoo.so.1") == R"(
libfoo.so.1
  needed by   /opt/app/bin/app                                                             DT_NEEDED
  found       /opt/app/lib/libfoo.so.1.2  [rpath]

searched, in this order      result
  1 DT_RPATH  /opt/app/lib   found

may open it   /opt/cuda/lib/libcudart.so.12                                text at 0x0, calls dlopen
1 request for libfoo.so.1.  Next: cudald why ./app libfoo.so.1
)");
}

TEST_CASE("a library that nothing needs is there because it was asked for, or not at all") {
  const auto report = healthy_report();
  CHECK(story(report, "app") == "\napp is loaded because you asked for it; nothing in the process needs it.\n");
  CHECK(story(report, "nosuch.so.77") == "\nNothing in this process needs nosuch.so.77\n");
  CHECK(story(report, "libz.so.1") == "\nNothing in this process needs libz.so.1\n");
  CHECK(story(report, "libfo.so.1").find("did you mean `libfoo.so.1`?") != std::string::npos);
  CHECK(story(report, "cudart").find("did you mean `libcudart.so.12`?") != std::string::npos);
}

TEST_CASE("findings about the library, its requests or all are told, others are not, and the search is told once") {
  auto report = failing_report();
  auto& findings = report.findings;
  findings[0].message = "about the request";
  auto other = findings[0];
  other.message = "about another request";
  other.subject = "libc.so.6";
  other.edge = 1;
  auto subject = findings[0];
  subject.message = "about the subject";
  subject.object.reset();
  subject.edge.reset();
  findings[0].subject = "libcudart";
  findings.insert(findings.end(), {other, subject});
  const auto text = story(report, "libcudart.so.12");
  CHECK(text.find("about the request") != std::string::npos);
  CHECK(text.find("about another request") == std::string::npos);
  const auto search = text.find("searched, in this order");
  CHECK(search != std::string::npos);
  CHECK(text.find("searched, in this order", search + 1) == std::string::npos);
  findings.erase(findings.begin());
  CHECK(
      story(report, "libcudart.so.12").find("  result      libcudart.so.12: cannot open shared object file: No such") !=
      std::string::npos);
}

TEST_CASE("a finding that speaks for all belongs to the story of each library") {
  auto report = failing_report();
  auto& finding = report.findings[0];
  finding.code = "CUD403";
  finding.name = "for-all";
  finding.message = "for all of them";
  finding.subject = "spacy";
  finding.object.reset();
  finding.edge.reset();
  CHECK(story(report, "libfoo.so.1").starts_with("\nerror[CUD403] for-all\n  for all of them\n"));
}

TEST_CASE("a finding is about a request only if it names both the file and the request") {
  auto report = failing_report();
  auto& finding = report.findings[0];
  finding.subject = "something else";
  finding.message = "told of it";
  const auto told = [&](const std::string& library) { return story(report, library).find("told of it") < 10000; };
  CHECK(told("libcudart.so.12"));
  CHECK_FALSE(told("libfoo.so.1"));
  finding.object = 0;
  CHECK(told("libfoo.so.1"));
  CHECK_FALSE(told("libcudart.so.12"));
  finding.edge = 1;
  CHECK(told("libc.so.6"));
  CHECK_FALSE(told("libfoo.so.1"));
  finding.edge.reset();
  CHECK_FALSE(told("libc.so.6"));
  finding.object.reset();
  finding.edge = 1;
  CHECK_FALSE(told("libc.so.6"));
}

TEST_CASE("the search is told beside a finding about the library that is not about that request") {
  auto report = failing_report();
  auto& finding = report.findings[0];
  finding.consequence.clear();
  finding.evidence.clear();
  finding.fixes.clear();
  finding.does_not_help.clear();
  const auto search_follows = [&] {
    return story(report, "libcudart.so.12").find("\n\nlibcudart.so.12\n  needed by   /opt/app/lib/libfoo.so.1.2") <
           10000;
  };
  CHECK_FALSE(search_follows());
  finding.edge = 1;
  CHECK(search_follows());
  finding.edge = 0;
  finding.object = 0;
  CHECK(search_follows());
  // Neither is about a request at all.
  finding.edge.reset();
  CHECK(search_follows());
  finding.object = 1;
  CHECK(search_follows());
}

TEST_CASE("what is loaded on use and was never searched for has its status for an answer") {
  auto report = failing_report();
  report.findings.clear();
  auto& edge = report.resolution.objects[1].edges[0];
  edge.error.clear();
  edge.status = EdgeStatus::not_loaded;
  const auto skipped = edge.search.skipped;
  edge.search = {};
  const auto head = std::string("\nlibcudart.so.12\n  needed by   /opt/app/lib/libfoo.so.1.2") + std::string(51, ' ') +
                    "DT_NEEDED\n  through     app → libfoo.so.1\n  result      not-loaded\n\n";
  const std::string tail = "1 request for libcudart.so.12.  Next: cudald why ./app libcudart.so.12\n";
  CHECK(story(report, "libcudart.so.12") == head + tail);
  edge.search.skipped = {skipped[1]};
  CHECK(story(report, "libcudart.so.12") == head +
                                                "searched, in this order   result\n"
                                                "  1 LD_LIBRARY_PATH       not set\n\n" +
                                                tail);
}

TEST_CASE("a library that is asked for by a name in double is told with all its requests") {
  // One file that asks twice, the first time where nothing was searched.
  auto report = healthy_report();
  auto again = report.resolution.objects[4].edges[0];
  report.resolution.objects[0].edges.push_back(again);
  const auto text = story(report, "libc.so.6");
  CHECK(text.find("also needed by\n              /opt/app/bin/app  ") != std::string::npos);
  CHECK(text.find("\n4 requests for libc.so.6.  Next: ") != std::string::npos);
}

}  // namespace
}  // namespace cudald
