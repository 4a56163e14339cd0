#include "cli/commands/scan.h"

#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/thread_limit.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "base/usage_error.h"
#include "cli/commands/judge_target.h"
#include "cli/commands/scan_list.h"
#include "cli/commands/scan_progress.h"
#include "cli/options/exit_status.h"
#include "cli/output/terminal.h"
#include "report/text/text.h"
#include "scan/child_pool.h"
#include "scan/launchers.h"
#include "scan/state.h"
#include "scan/work_source.h"

namespace cudald {
namespace {

/// What a fault of the state folder is told as.
Error state_fault(const Error& error) {
  return usage_error(fmt::format("{}: {}", escaped(error.path), escaped(error.message)));
}

std::string of_what(const std::vector<std::string>& question) {
  return question.empty() ? "no options" : fmt::format("{}", escaped(fmt::format("{}", fmt::join(question, " "))));
}

/// Why a list cannot go on with what is asked now.
std::optional<Error> disagreement(const WorkList& list, const WorkList& asked, const std::string& state) {
  const auto begun = [&state](const std::string& how) {
    return usage_error(fmt::format("{} holds a scan {}; name another directory with --state", escaped(state), how));
  };
  if (list.version != asked.version) return begun("of cudald " + escaped(list.version));
  if (list.question != asked.question)
    return begun(fmt::format("with {}, and this is one with {}", of_what(list.question), of_what(asked.question)));
  if (!asked.sources.empty() && list.sources != asked.sources)
    return usage_error(fmt::format("{} holds a scan of {}; name another directory with --state, or add --relist",
                                   escaped(state), escaped(fmt::format("{}", fmt::join(list.sources, " ")))));
  return std::nullopt;
}

/// Nothing is contacted unless that is asked for.
std::optional<Error> remote_targets(const Options& options, const WorkList& list) {
  if (options.packages.online) return std::nullopt;
  const auto count = std::count_if(list.items.begin(), list.items.end(), is_remote);
  if (count == 0) return std::nullopt;
  const auto first = std::find_if(list.items.begin(), list.items.end(), is_remote);
  return usage_error(fmt::format("{} of {} targets are addresses, such as {}; add --online", count, list.items.size(),
                                 escaped(first->target)));
}

Result<WorkList> take_list(const Options& options, const std::string& state, const std::string& cwd) {
  const auto asked = announced_list(options, cwd);
  if (!options.scan.relist) {
    auto known = read_list(state);
    if (known) {
      if (auto fault = disagreement(*known, asked, options.scan.state)) return std::move(*fault);
      return known;
    }
    if (known.error().code != ErrorCode::absent) return state_fault(known.error());
  }
  if (options.arguments.empty()) return usage_error("a list, directory or file is missing: nothing was begun here yet");
  const auto made = make_work_list(options, *make_disk_file_system(), cwd);
  if (!made) return made;
  if (auto fault = remote_targets(options, *made)) return std::move(*fault);
  auto settled = settle_list(state, *made, options.scan.relist);
  if (!settled) return state_fault(settled.error());
  if (auto fault = disagreement(*settled, asked, options.scan.state)) return std::move(*fault);
  return settled;
}

/// One worker's run.
class Worker {
 public:
  Worker(const Options& options, const TextStyle& style, const Host& host, WorkList list, std::string state)
      : options_(options),
        style_(style),
        host_(host),
        list_(std::move(list)),
        state_(std::move(state)),
        limits_{options.run.timeout.value_or(std::chrono::minutes(10)), options.scan.max_memory, ChildLimits().output},
        jobs_(ThreadLimit(options.run.jobs.value_or(0)).most()) {}

  /// Prepares for one part of the list.
  std::optional<Error> take_shard(const Shard& shard) {
    name_ = shard.count == 1 ? "scan" : fmt::format("shard {} of {}", shard.index + 1, shard.count);
    folder_ = state_ + "/" + name_of(shard);
    const auto done = read_done(folders_for(state_, shard));
    std::vector<WorkItem> items;
    for (const auto index : items_of(list_.items, shard)) {
      const auto& item = list_.items[index];
      ++count_.all_targets;
      count_.all_bytes += item.bytes;
      if (!done.has(item, options_.scan.retry)) items.push_back(item);
    }
    before_ = count_.all_targets - items.size();
    count_.all_targets = items.size();
    count_.all_bytes = bytes_of(items);
    work_ = std::make_unique<FixedWork>(std::move(items));
    return std::nullopt;
  }

  /// Prepares for whatever is left whenever there is time.
  std::optional<Error> take_tickets() {
    name_ = "scan";
    auto done = read_done(part_folders(state_));
    auto box = TicketBox::open(state_, list_.items, options_.scan.relist || options_.scan.retry);
    if (!box) return state_fault(box.error());
    folder_ = state_ + "/worker-" + box->owner();
    auto work = std::make_unique<TicketWork>(state_, std::move(*box), std::move(done), options_.scan.retry);
    tickets_ = work.get();
    work_ = std::move(work);
    return std::nullopt;
  }

  /// The exit status.
  Result<int> run(std::ostream& out) {
    PartWriter parts(folder_);
    ChildPool pool(limits_);
    ScanProgress progress(host_.complaints, progress_style(options_, host_.terminal), name_);
    auto fault = work_off(pool, parts, progress);
    if (auto unfinished = parts.finish(); unfinished && !fault) fault = std::move(unfinished);
    progress.end();
    if (fault) {
      host_.complaints << fmt::format("cudald: {}: {}\n", escaped(fault->path), escaped(fault->message));
      return exit_incomplete;
    }
    write_summary(progress.seconds(), out);
    return not_judged_.empty() ? exit_fine : exit_incomplete;
  }

 private:
  DoneTargets read_done(const std::vector<std::string>& folders) {
    DoneTargets done;
    for (const auto& folder : folders)
      for (const auto& damaged : done.read(folder))
        host_.complaints << fmt::format("cudald: {} is damaged; its targets are judged once more\n", escaped(damaged));
    return done;
  }

  std::optional<Error> work_off(ChildPool& pool, PartWriter& parts, ScanProgress& progress) {
    std::map<std::size_t, WorkItem> at_work;
    std::size_t started = 0;
    bool more = true;
    while (more || pool.running() > 0) {
      while (more && pool.running() < jobs_) {
        const auto next = work_->next();
        if (!next) return next.error();
        more = next->has_value();
        if (!more) break;
        // Where there are fewer targets than processors, each may use several.
        const auto threads = std::max<std::size_t>(1, jobs_ / (pool.running() + 1 + work_->most_left()));
        at_work[++started] = **next;
        pool.start(started, [this, item = **next, threads] {
          return judge_target(options_, style_, host_, item, list_.folder, threads);
        });
      }
      if (auto ended = pool.wait(std::chrono::milliseconds(250))) {
        const auto item = at_work.extract(ended->id).mapped();
        if (auto fault = keep(item, std::move(*ended), parts)) return fault;
      }
      work_->stay_alive();
      progress.tell(count_);
    }
    return std::nullopt;
  }

  std::optional<Error> keep(const WorkItem& item, EndedChild ended, PartWriter& parts) {
    if (ended.end == ChildEnd::not_started)
      return Error{ErrorCode::usage, "no process could be started for it", item.target, std::nullopt, ended.status};
    const auto record = record_of(item, std::move(ended), limits_);
    if (auto fault = parts.add(record)) return fault;
    if (auto fault = work_->done(item)) return fault;
    ++count_.targets;
    count_.bytes += item.bytes;
    if (record.outcome == Outcome::judged) return std::nullopt;
    not_judged_.push_back(fmt::format("{}: {}{}", escaped(item.target), to_string(record.outcome),
                                      record.message.empty() ? "" : ": " + escaped(record.message)));
    ++count_.not_judged;
    return std::nullopt;
  }

  void write_summary(double seconds, std::ostream& out) const {
    const auto rate = seconds > 0 ? static_cast<std::uint64_t>(static_cast<double>(count_.bytes) / seconds) : 0;
    out << fmt::format("{}: {}, {} in {} ({}/s)", name_, counted(count_.targets, "target"), spoken_size(count_.bytes),
                       spoken_time(seconds), spoken_size(rate));
    if (before_ > 0) out << fmt::format("; {} done before", before_);
    if (tickets_ != nullptr)
      if (const auto others = tickets_->box().with_others(); others > 0)
        out << fmt::format("; others are at work on {}", counted(others, "ticket"));
    out << ".\n";
    if (options_.output.verbosity < 0) return;
    constexpr std::size_t most_named = 20;
    if (!not_judged_.empty()) out << fmt::format("{} not judged:\n", not_judged_.size());
    for (std::size_t i = 0; i < std::min(most_named, not_judged_.size()); ++i) out << "  " << not_judged_[i] << '\n';
    if (not_judged_.size() > most_named) out << fmt::format("  and {} more\n", not_judged_.size() - most_named);
    out << fmt::format("Next: cudald merge {}\n", escaped(shell_word(state_)));
  }

  const Options& options_;
  const TextStyle& style_;
  const Host& host_;
  WorkList list_;
  std::string state_, folder_, name_;
  ChildLimits limits_;
  std::size_t jobs_, before_ = 0;
  std::unique_ptr<WorkSource> work_;
  const TicketWork* tickets_ = nullptr;
  ScanCount count_;
  std::vector<std::string> not_judged_;
};

Result<Shard> shard_for(const Options& options, const Variables& variables) {
  if (options.scan.shard) return *options.scan.shard;
  const auto told = shard_of_launcher(variables, options.scan.shards);
  if (!told) return told.error();
  return told->value_or(Shard{0, 1});
}

}  // namespace

Result<int> scan(const Options& options, const TextStyle& style, const Host& host, Output& output) {
  const auto& cwd = host.environment.cwd;
  const auto state = normal_path(absolute_path(options.scan.state, cwd));
  // A launcher that tells too little is found before a list of many files is made.
  const auto shard = options.scan.dynamic ? Result<Shard>(Shard{}) : shard_for(options, host.environment.variables);
  if (!shard) return shard.error();
  auto list = take_list(options, state, cwd);
  if (!list) return list.error();
  Worker worker(options, style, host, std::move(*list), state);
  if (auto fault = options.scan.dynamic ? worker.take_tickets() : worker.take_shard(*shard)) return std::move(*fault);
  return worker.run(output.stream());
}

}  // namespace cudald
