#include "scan/launchers.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

namespace cudald {
namespace {

using Stated = std::optional<std::size_t>;

std::optional<Shard> told(const Variables& variables, Stated stated = std::nullopt) {
  const auto shard = shard_of_launcher(variables, stated);
  return shard ? *shard : std::optional(Shard{999, 999});
}

TEST_CASE("each launcher's variables tell the shard") {
  const Shard third{2, 5};
  CHECK(told({{"SLURM_ARRAY_TASK_ID", "12"}, {"SLURM_ARRAY_TASK_COUNT", "5"}, {"SLURM_ARRAY_TASK_MIN", "10"}}) ==
        third);
  CHECK(told({{"SLURM_ARRAY_TASK_ID", "14"},
              {"SLURM_ARRAY_TASK_COUNT", "5"},
              {"SLURM_ARRAY_TASK_MIN", "10"},
              {"SLURM_ARRAY_TASK_STEP", "2"}}) == third);
  CHECK(told({{"AWS_BATCH_JOB_ARRAY_INDEX", "2"}, {"AWS_BATCH_JOB_ARRAY_SIZE", "5"}}) == third);
  CHECK(told({{"BATCH_TASK_INDEX", "2"}, {"BATCH_TASK_COUNT", "5"}}) == third);
  CHECK(told({{"LSB_JOBINDEX", "3"}, {"LSB_JOBINDEX_END", "5"}}) == third);
  CHECK(told({{"SGE_TASK_ID", "5"}, {"SGE_TASK_FIRST", "1"}, {"SGE_TASK_LAST", "9"}, {"SGE_TASK_STEPSIZE", "2"}}) ==
        third);
  CHECK(told({{"CI_NODE_INDEX", "3"}, {"CI_NODE_TOTAL", "5"}}) == third);
  CHECK(told({{"JOB_COMPLETION_INDEX", "2"}}, 5) == third);
  CHECK(told({{"PBS_ARRAY_INDEX", "2"}}, 5) == third);
  CHECK(told({{"NOMAD_ALLOC_INDEX", "2"}}, 5) == third);
  CHECK(told({{"PARALLEL_SEQ", "3"}}, 5) == third);
}

TEST_CASE("a stated number of shards is about all of an array, also where a part of it runs again") {
  CHECK(told({{"SLURM_ARRAY_TASK_ID", "2"}, {"SLURM_ARRAY_TASK_COUNT", "1"}, {"SLURM_ARRAY_TASK_MIN", "2"}}, 5) ==
        Shard{2, 5});
}

TEST_CASE("without a launcher there is no shard") {
  CHECK(told({{"HOME", "/root"}}) == std::nullopt);
  CHECK(told({{"LSB_JOBINDEX", "0"}}) == std::nullopt);
  CHECK(told({{"SGE_TASK_ID", "undefined"}}) == std::nullopt);
}

TEST_CASE("what remains open is wrong usage, and what helps is told") {
  const auto message = [](const Variables& variables, Stated stated = std::nullopt) {
    const auto shard = shard_of_launcher(variables, stated);
    return shard ? std::string("no error") : shard.error().message;
  };
  CHECK(message({{"JOB_COMPLETION_INDEX", "2"}}) ==
        "Kubernetes says which one this is (JOB_COMPLETION_INDEX=2), but not of how many; add --shards N");
  CHECK(message({{"LSB_JOBINDEX", "3"}, {"LSB_JOBINDEX_END", "0"}}).find("but not of how many") != std::string::npos);
  CHECK(message({{"JOB_COMPLETION_INDEX", "5"}}, 5) ==
        "JOB_COMPLETION_INDEX=5 does not fit 5 shards that count from 0; state --shard I/N");
  CHECK(message({{"PARALLEL_SEQ", "0"}}, 5).find("does not fit") != std::string::npos);
  // --array=3,5 has two tasks, whose numbers are not two in a row.
  CHECK(message({{"SLURM_ARRAY_TASK_ID", "5"}, {"SLURM_ARRAY_TASK_COUNT", "2"}, {"SLURM_ARRAY_TASK_MIN", "3"}})
            .find("does not fit") != std::string::npos);
  CHECK(message({{"PARALLEL_SEQ", "1"}, {"CI_NODE_INDEX", "1"}, {"CI_NODE_TOTAL", "2"}}) ==
        "both GNU parallel (PARALLEL_SEQ) and GitLab (CI_NODE_INDEX) say which shard this is; state --shard I/N");
  CHECK(message({}, 5) == "--shards says how many shards there are, but nothing says which one this is");
}

TEST_CASE("numbers of an array that are apart by a step have each their shard, others none") {
  const auto of = [](const std::string& number, const std::string& step) {
    return told({{"LSB_JOBINDEX", number}, {"LSB_JOBINDEX_END", "9"}, {"LSB_JOBINDEX_STEP", step}});
  };
  CHECK(of("1", "4") == Shard{0, 3});
  CHECK(of("9", "4") == Shard{2, 3});
  CHECK(of("4", "4") == Shard{999, 999});
  CHECK(of("9", "0") == Shard{8, 9});  // no step is one of 1
  CHECK(of("9", "4x") == Shard{8, 9});
  CHECK(told({{"LSB_JOBINDEX", "1"}, {"LSB_JOBINDEX_END", "1"}}) == Shard{0, 1});
}

TEST_CASE("each launcher that says too little is named with its variable and number") {
  const std::vector<std::tuple<std::string, std::string, std::size_t>> rows = {
      {"Slurm", "SLURM_ARRAY_TASK_ID", 0},
      {"GNU parallel", "PARALLEL_SEQ", 1},
      {"Kubernetes", "JOB_COMPLETION_INDEX", 0},
      {"AWS Batch", "AWS_BATCH_JOB_ARRAY_INDEX", 0},
      {"Google Cloud Batch", "BATCH_TASK_INDEX", 0},
      {"LSF", "LSB_JOBINDEX", 1},
      {"PBS", "PBS_ARRAY_INDEX", 0},
      {"Grid Engine", "SGE_TASK_ID", 1},
      {"Nomad", "NOMAD_ALLOC_INDEX", 0},
      {"GitLab", "CI_NODE_INDEX", 1}};
  for (const auto& row : rows) {
    const auto& variable = std::get<1>(row);
    const auto first = std::get<2>(row);
    CAPTURE(variable);
    const auto shard = shard_of_launcher({{variable, "7"}}, std::nullopt);
    REQUIRE_FALSE(shard);
    CHECK(shard.error().code == ErrorCode::usage);
    CHECK(shard.error().message ==
          std::get<0>(row) + " says which one this is (" + variable + "=7), but not of how many; add --shards N");
    // Numbers count from 0 or 1, as the launcher has them.
    CHECK(told({{variable, std::to_string(first)}}, 3) == Shard{0, 3});
    CHECK(told({{variable, std::to_string(first + 2)}}, 3) == Shard{2, 3});
    CHECK(told({{variable, std::to_string(first + 3)}}, 3) == Shard{999, 999});
  }
}

}  // namespace
}  // namespace cudald
