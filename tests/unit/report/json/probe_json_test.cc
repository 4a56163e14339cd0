#include "report/json/probe_json.h"

#include <doctest/doctest.h>

#include <cudald/probe.h>

namespace cudald {
namespace {

TEST_CASE("a run of the real loader is a document, field by field") {
  ProbeRun run;
  run.way = ProbeWay::import;
  run.targets = {{"torch", true, ""}, {"jax", false, "ImportError: no"}};
  run.end = ProbeEnd::crashed;
  run.status = 11;
  run.step = "kernel";
  run.mapped_all = true;
  run.mapped = {"/lib/a.so", "/lib/b.so"};
  run.mapped_later = {"/lib/c.so"};
  run.predicted = 3;
  run.differences = {"b.so is not foretold"};
  run.checks = {{"/lib/a.so", "runtime version", CheckResult::failed, "error 35"}};
  run.output = "hello";
  run.output_bytes = 500;
  run.seconds = 1.5;
  CHECK(probe_json({{run}, {"c is a script"}}).dump() ==
        R"({"runs":[{"way":"import","targets":[{"name":"torch","loaded":true,"error":null},)"
        R"({"name":"jax","loaded":false,"error":"ImportError: no"}],"end":"crashed","status":11,"step":"kernel",)"
        R"("mapped_all":true,"plain_works":false,"mapped":["/lib/a.so","/lib/b.so"],"mapped_later":["/lib/c.so"],)"
        R"("predicted":3,"differences":["b.so is not foretold"],"only_order":false,)"
        R"("checks":[{"library":"/lib/a.so","what":"runtime version","result":"failed","text":"error 35"}],)"
        R"("output":"hello","output_bytes":500,"seconds":1.5}],"not_run":["c is a script"]})");
  run.mapped_all = false;
  run.plain_works = run.only_order = true;
  const auto document = probe_json({{run}, {}});
  CHECK(document["runs"][0]["mapped_all"] == false);
  CHECK(document["runs"][0]["plain_works"] == true);
  CHECK(document["runs"][0]["only_order"] == true);
}

}  // namespace
}  // namespace cudald
