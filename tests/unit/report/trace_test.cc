#include "report/trace.h"

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

}  // namespace
}  // namespace cudald
