#include "report/text/probe_text.h"

#include <doctest/doctest.h>

#include "common/example_report.h"

namespace cudald {
namespace {

std::string probe_words(const ProbeReport& probe, int verbosity = 0) {
  auto style = plain_style();
  style.verbosity = verbosity;
  style.width = 120;
  return written([&](std::ostream& out) {
    TextWriter text(style, out);
    write_probe(probe, text);
  });
}

/// A load that went as it was foretold.
ProbeRun good_run() {
  ProbeRun run;
  run.targets = {{"/opt/liba.so", true, ""}, {"/opt/libb.so", true, ""}};
  run.end = ProbeEnd::finished;
  run.mapped_all = true;
  run.mapped = {"/opt/liba.so", "/opt/libb.so"};
  run.seconds = 1.256;
  return run;
}

TEST_CASE("a load that went as foretold is one sentence") {
  CHECK(probe_words({{good_run()}, {}}) ==
        "probed        liba.so, libb.so, by dlopen: 2 files mapped, set and order match, in 1.26 s\n");
  auto run = good_run();
  run.mapped.resize(1);
  run.targets.resize(1);
  CHECK(probe_words({{run}, {}}) ==
        "probed        liba.so, by dlopen: 1 file mapped, set and order match, in 1.26 s\n");
}

TEST_CASE("each way of loading has its words") {
  auto run = good_run();
  run.way = ProbeWay::list;
  CHECK(probe_words({{run}, {}}).find("libb.so, by ld.so --list, without running it: 2") != std::string::npos);
  run.way = ProbeWay::import;
  CHECK(probe_words({{run}, {}}).find("libb.so, by import in its Python: 2") != std::string::npos);
}

TEST_CASE("another order and other files are told apart") {
  auto run = good_run();
  run.differences = {"liba.so comes later"};
  CHECK(probe_words({{run}, {}}).find(" mapped, not as predicted, in ") != std::string::npos);
  run.only_order = true;
  CHECK(probe_words({{run}, {}}).find(" mapped, set matches, order differs, in ") != std::string::npos);
}

TEST_CASE("a process that did not start, or told nothing, is no comparison") {
  auto run = good_run();
  run.mapped_all = false;
  CHECK(probe_words({{run}, {}}) == "probed        liba.so, libb.so: it failed before listing its mapped files\n");
  run.end = ProbeEnd::not_started;
  CHECK(probe_words({{run}, {}}) == "probed        no process could be started\n");
}

TEST_CASE("the loader's own words stand below, and what was not run at the end") {
  auto run = good_run();
  run.targets[1].error = "libb.so: cannot open";
  CHECK(probe_words({{run, good_run()}, {"c is a script", "d is remote"}}) ==
        "probed        liba.so, libb.so, by dlopen: 2 files mapped, set and order match, in 1.26 s\n"
        "              libb.so: cannot open\n"
        "probed        liba.so, libb.so, by dlopen: 2 files mapped, set and order match, in 1.26 s\n"
        "not probed    c is a script\n"
        "not probed    d is remote\n");
}

TEST_CASE("what it wrote and mapped later is told where more is asked for") {
  auto run = good_run();
  run.output = "hello\x1b";
  run.output_bytes = 6;
  run.mapped_later = {"/opt/libc.so", "/opt/libd.so"};
  CHECK(probe_words({{run}, {}}) == probe_words({{good_run()}, {}}));
  CHECK(probe_words({{run}, {}}, 1) == probe_words({{good_run()}, {}}) +
                                           "it wrote      6 bytes: hello\\x1b\n"
                                           "then mapped   /opt/libc.so\n"
                                           "then mapped   /opt/libd.so\n");
  CHECK(probe_words({{good_run()}, {}}, 1) == probe_words({{good_run()}, {}}));
}

TEST_CASE("questions to a library stand below its name, each with its answer") {
  auto run = good_run();
  run.checks = {{"/opt/liba.so", "runtime version", CheckResult::ok, "12.8"},
                {"/opt/liba.so", "kernel on device 0", CheckResult::not_run, "no driver"},
                {"/opt/libb.so", "version", CheckResult::failed, "error 35"}};
  CHECK(probe_words({{run}, {}}) == probe_words({{good_run()}, {}}) +
                                        "queried       /opt/liba.so\n"
                                        "              runtime version: 12.8\n"
                                        "              kernel on device 0: not run: no driver\n"
                                        "queried       /opt/libb.so\n"
                                        "              version: FAILS: error 35\n");
}

}  // namespace
}  // namespace cudald
