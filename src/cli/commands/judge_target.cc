#include "cli/commands/judge_target.h"

#include <algorithm>
#include <cstring>
#include <iostream>

#include <fmt/format.h>

#include "base/refusals.h"
#include "base/utf8.h"
#include "cli/commands/simulate.h"
#include "cli/options/exit_status.h"
#include "cli/options/ignored_by.h"
#include "cli/output/output.h"
#include "cli/settings/online.h"
#include "cli/settings/sandbox.h"
#include "lock/readers.h"

namespace cudald {
namespace {

Options options_for(const Options& scan, const std::string& target, std::size_t threads) {
  auto options = scan;
  options.command = Command::check;
  options.arguments = {target};
  options.question.separately = true;
  options.output.format = OutputFormat::ndjson;
  options.run.jobs = threads;
  options.output.progress = ProgressWish::never;
  options.scan.one_of_many = true;
  return options;
}

std::string first_line(const std::string& text) { return valid_utf8(text.substr(0, text.find('\n'))); }

/// Whether it is what `check -f ndjson` writes of one target.
bool is_one_document(const std::string& output) {
  return output.starts_with(R"({"schema":"cudald/report")") && output.ends_with("}\n") &&
         output.find('\n') + 1 == output.size();
}

/// Judges a package that lies on a server. What cannot be reached is no answer about the package.
Result<int> judge_remote(Options options, const TextStyle& style, const Host& host, const WorkItem& item,
                         Output& output) {
  const auto disk = make_disk_file_system();
  const auto online = Online::open(options, host, *disk);
  if (!online) return online.error();
  const auto path = (*online)->reach({file_of_url(item.target), item.target, "", item.sha256, item.bytes});
  const auto file = (*online)->tree().open(path);
  if (!file && file.error().code != ErrorCode::malformed) return file.error();
  options.arguments = {path};
  const auto status = simulate(options, style, host, output, &(*online)->tree());
  (*online)->keep();
  return status;
}

}  // namespace

int judge_target(const Options& scan, const TextStyle& style, const Host& host, const WorkItem& item,
                 const std::string& folder, std::size_t threads) {
  auto environment = host.environment;
  environment.cwd = folder;
  auto terminal = host.terminal;
  terminal.output_is_terminal = terminal.errors_are_terminal = false;
  const Host own{environment, terminal, host.input, std::cerr, host.whole_process};
  const auto output = Output::open("");
  const auto options = options_for(scan, item.target, threads);
  enter_child_sandbox(options, own);
  const auto status =
      is_remote(item) ? judge_remote(options, style, own, item, **output) : simulate(options, style, own, **output);
  if (!status) {
    std::cerr << status.error().message << std::endl;
    return exit_usage;
  }
  const auto fault = (*output)->finish();
  for (const auto& refused : untold_refusals()) {
    std::cerr << text_of_refusal(refused) << std::endl;
    return exit_incomplete;
  }
  return fault ? exit_incomplete : *status;
}

ScanRecord record_of(const WorkItem& item, EndedChild child, const ChildLimits& limits) {
  ScanRecord record{item, Outcome::failed, std::nullopt, "", "", {}};
  switch (child.end) {
    case ChildEnd::exited:
      record.status = child.status;
      record.ignored_by = take_used_line(child.output);
      if (child.status <= exit_incomplete && is_one_document(child.output)) {
        child.output.pop_back();
        record.outcome = Outcome::judged;
        record.report = std::move(child.output);
      } else {
        record.message = first_line(child.complaints);
        if (record.message.empty()) record.message = fmt::format("exit status {}", child.status);
      }
      break;
    case ChildEnd::crashed:
      record.outcome = Outcome::crashed;
      record.message = fmt::format("signal {}: {}", child.status, ::strsignal(child.status));
      break;
    case ChildEnd::timed_out:
      record.outcome = Outcome::timed_out;
      record.message = fmt::format("longer than {} s", static_cast<double>(limits.time.count()) / 1000);
      break;
    case ChildEnd::out_of_memory:
      record.outcome = Outcome::out_of_memory;
      record.message = fmt::format("more than {} MiB", limits.memory >> 20);
      break;
    case ChildEnd::too_much_output:
      record.message = fmt::format("its answer has more than {} bytes", limits.output);
      break;
    case ChildEnd::not_started: record.message = fmt::format("not started: {}", std::strerror(child.status)); break;
  }
  return record;
}

}  // namespace cudald
