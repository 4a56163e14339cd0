#include "report/text/trace.h"

#include <doctest/doctest.h>

#include "common/example_report.h"

namespace cudald {
namespace {

TEST_CASE("the trace has each object, each request, each path that was tried and each rule that was passed over") {
  const auto text = written([](std::ostream& out) { write_trace(failing_report(), plain_style(), out); });
  for (const auto* part :
       {"\ntrace\n#0 /opt/app/bin/app\n  libfoo.so.1 (needed) -> #1 /opt/app/lib/libfoo.so.1.2\n",
        "    [rpath] /opt/app/lib/libfoo.so.1: found\n", "  libcudart.so.12 (needed) -> missing\n",
        "    LD_LIBRARY_PATH: not set\n", "    [runpath] /opt/cuda/lib/libcudart.so.12: not there\n",
        "    /etc/ld.so.cache: no entry for this name\n", "\n#3 /lib/x86_64-linux-gnu/ld-linux-x86-64.so.2\n"}) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("in colours the word above it is a label, and what was passed over is faint") {
  auto style = plain_style();
  style.colour = true;
  const auto text = written([&](std::ostream& out) { write_trace(failing_report(), style, out); });
  const auto tone_before = [&](std::string_view words) {
    const auto at = text.find(words);
    REQUIRE(at != std::string::npos);
    const auto mark = text.rfind("\x1b[", at);
    return text.substr(mark, text.find('m', mark) + 1 - mark);
  };
  CHECK(tone_before("trace\x1b") == "\x1b[36m");
  CHECK(tone_before("    LD_LIBRARY_PATH: not set\x1b") == "\x1b[2m");
}

TEST_CASE("a soft request says so, an object that is gone as well, and what is passed over stands in its place") {
  auto report = failing_report();
  auto& edge = report.resolution.objects[1].edges[0];
  edge.hard = false;
  edge.kind = EdgeKind::dlopen;
  edge.search.probes.resize(2);
  edge.search.skipped[1].before = 1;
  edge.search.skipped[2].before = 2;
  report.resolution.objects[1].unmapped = true;
  const auto text = written([&](std::ostream& out) { write_trace(report, plain_style(), out); });
  CHECK(text.find("\n#1 /opt/app/lib/libfoo.so.1.2 (not mapped)\n"
                  "  libcudart.so.12 (dlopen, soft) -> missing\n"
                  "    DT_RPATH: not used: the requester has a DT_RUNPATH\n"
                  "    [runpath] /opt/cuda/lib/glibc-hwcaps/x86-64-v3/libcudart.so.12: not there\n"
                  "    LD_LIBRARY_PATH: not set\n"
                  "    [runpath] /opt/cuda/lib/tls/libcudart.so.12: not there\n"
                  "    /etc/ld.so.cache: no entry for this name\n"
                  "  libc.so.6 (needed) -> #2 /lib/x86_64-linux-gnu/libc.so.6\n"
                  "#2 /lib/x86_64-linux-gnu/libc.so.6\n") != std::string::npos);
}

}  // namespace
}  // namespace cudald
