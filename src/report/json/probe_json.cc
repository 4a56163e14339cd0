#include "report/json/probe_json.h"

namespace cudald {
namespace {

Json probed_json(const ProbedTarget& target) {
  return JsonObject(3)
      .add("name", json_text(target.name))
      .add("loaded", target.loaded)
      .add("error", json_text_or_null(target.error))
      .take();
}

Json check_json(const ProbeCheck& check) {
  return JsonObject(4)
      .add("library", json_text(check.library))
      .add("what", json_text(check.what))
      .add("result", to_string(check.result))
      .add("text", json_text(check.text))
      .take();
}

Json run_json(const ProbeRun& run) {
  return JsonObject(16)
      .add("way", to_string(run.way))
      .add("targets", json_array(run.targets, probed_json))
      .add("end", to_string(run.end))
      .add("status", run.status)
      .add("step", json_text(run.step))
      .add("mapped_all", run.mapped_all)
      .add("plain_works", run.plain_works)
      .add("mapped", json_texts(run.mapped))
      .add("mapped_later", json_texts(run.mapped_later))
      .add("predicted", run.predicted)
      .add("differences", json_texts(run.differences))
      .add("only_order", run.only_order)
      .add("checks", json_array(run.checks, check_json))
      .add("output", json_text(run.output))
      .add("output_bytes", run.output_bytes)
      .add("seconds", run.seconds)
      .take();
}

}  // namespace

Json probe_json(const ProbeReport& probe) {
  return JsonObject(2).add("runs", json_array(probe.runs, run_json)).add("not_run", json_texts(probe.not_run)).take();
}

}  // namespace cudald
