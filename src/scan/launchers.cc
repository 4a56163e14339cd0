#include "scan/launchers.h"

#include <array>
#include <charconv>

#include <fmt/format.h>

namespace cudald {
namespace {

constexpr std::array launchers = {
    // Source: sbatch(1), "OUTPUT ENVIRONMENT VARIABLES"
    Launcher{.name = "Slurm",
             .index = "SLURM_ARRAY_TASK_ID",
             .count = "SLURM_ARRAY_TASK_COUNT",
             .first_in = "SLURM_ARRAY_TASK_MIN",
             .step = "SLURM_ARRAY_TASK_STEP"},
    // Source: parallel(1), "ENVIRONMENT VARIABLES"
    Launcher{.name = "GNU parallel", .index = "PARALLEL_SEQ", .count = {}, .first = 1},
    // Source: Kubernetes, Jobs, "Completion mode"
    Launcher{.name = "Kubernetes", .index = "JOB_COMPLETION_INDEX", .count = {}},
    // Source: AWS Batch user guide, "AWS Batch job environment variables"
    Launcher{.name = "AWS Batch", .index = "AWS_BATCH_JOB_ARRAY_INDEX", .count = "AWS_BATCH_JOB_ARRAY_SIZE"},
    // Source: Google Cloud Batch, "Reserved environment variables"
    Launcher{.name = "Google Cloud Batch", .index = "BATCH_TASK_INDEX", .count = "BATCH_TASK_COUNT"},
    // Source: IBM Spectrum LSF, "Environment variables"; 0 outside of arrays
    Launcher{.name = "LSF",
             .index = "LSB_JOBINDEX",
             .count = {},
             .first = 1,
             .step = "LSB_JOBINDEX_STEP",
             .last = "LSB_JOBINDEX_END"},
    // Source: PBS Professional user's guide, "Job Arrays"
    Launcher{.name = "PBS", .index = "PBS_ARRAY_INDEX", .count = {}},
    // Source: qsub(1) of Grid Engine; "undefined" outside of arrays
    Launcher{.name = "Grid Engine",
             .index = "SGE_TASK_ID",
             .count = {},
             .first = 1,
             .first_in = "SGE_TASK_FIRST",
             .step = "SGE_TASK_STEPSIZE",
             .last = "SGE_TASK_LAST"},
    // Source: Nomad, "Runtime environment settings"
    Launcher{.name = "Nomad", .index = "NOMAD_ALLOC_INDEX", .count = {}},
    // Source: GitLab CI/CD, "Predefined CI/CD variables"
    Launcher{.name = "GitLab", .index = "CI_NODE_INDEX", .count = "CI_NODE_TOTAL", .first = 1},
};

Error usage(std::string message) { return {ErrorCode::usage, std::move(message)}; }

std::optional<std::size_t> number_in(const Variables& variables, std::string_view name) {
  const auto found = name.empty() ? variables.end() : variables.find(std::string(name));
  if (found == variables.end()) return std::nullopt;
  const auto& text = found->second;
  std::size_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Whether this process is one of an array. LSF and Grid Engine set their variables for single jobs as well.
bool is_at_work(const Launcher& launcher, const Variables& variables) {
  const auto index = number_in(variables, launcher.index);
  return index && !(launcher.name == "LSF" && *index == 0);
}

std::optional<std::size_t> count_of(const Launcher& launcher, const Variables& variables, std::size_t first,
                                    std::size_t step) {
  if (const auto count = number_in(variables, launcher.count)) return count;
  const auto last = number_in(variables, launcher.last);
  if (!last || *last < first) return std::nullopt;
  return (*last - first) / step + 1;
}

Result<Shard> shard_by(const Launcher& launcher, const Variables& variables, std::optional<std::size_t> stated) {
  const auto number = *number_in(variables, launcher.index);
  // A stated count is about all numbers, also where only some of the array were started again.
  const auto first = stated ? launcher.first : number_in(variables, launcher.first_in).value_or(launcher.first);
  const auto step = stated ? 1 : std::max<std::size_t>(number_in(variables, launcher.step).value_or(1), 1);
  const auto count = stated ? stated : count_of(launcher, variables, first, step);
  if (!count)
    return usage(fmt::format("{} says which one this is ({}={}), but not of how many; add --shards N", launcher.name,
                             launcher.index, number));
  const auto index = number < first ? *count : (number - first) / step;
  if (index >= *count || (number - first) % step != 0)
    return usage(fmt::format("{}={} does not fit {} shards that count from {}; state --shard I/N", launcher.index,
                             number, *count, first));
  return Shard{index, *count};
}

}  // namespace

Result<std::optional<Shard>> shard_of_launcher(const Variables& variables, std::optional<std::size_t> stated_count) {
  const Launcher* at_work = nullptr;
  for (const auto& launcher : launchers) {
    if (!is_at_work(launcher, variables)) continue;
    if (at_work != nullptr)
      return usage(fmt::format("both {} ({}) and {} ({}) say which shard this is; state --shard I/N", at_work->name,
                               at_work->index, launcher.name, launcher.index));
    at_work = &launcher;
  }
  if (at_work == nullptr) {
    if (stated_count) return usage("--shards says how many shards there are, but nothing says which one this is");
    return std::optional<Shard>();
  }
  const auto shard = shard_by(*at_work, variables, stated_count);
  if (!shard) return shard.error();
  return std::optional<Shard>(*shard);
}

}  // namespace cudald
