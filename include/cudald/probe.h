#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cudald {

/// How targets are really loaded.
enum class ProbeWay {
  open,    ///< by dlopen, in a small program that needs the C library alone
  list,    ///< `ld.so --list PROGRAM`: all is mapped, and nothing of it runs
  import,  ///< `import NAME` in its own Python
};

/// How the process came to its end.
enum class ProbeEnd {
  finished,
  exited,     ///< before its time: something in it called exit
  crashed,    ///< by a signal
  timed_out,  ///< it was killed
  not_started,
};

enum class CheckResult { ok, failed, not_run };

std::string_view to_string(ProbeWay);
std::string_view to_string(ProbeEnd);
std::string_view to_string(CheckResult);

/// One question to a CUDA library that was loaded, and its answer in words.
struct ProbeCheck {
  std::string library;  ///< path
  std::string what;     ///< "runtime version", "kernel on device 0"
  CheckResult result = CheckResult::not_run;
  std::string text;
};

/// A target as the real loader answered it.
struct ProbedTarget {
  std::string name;  ///< the path or module that was loaded
  bool loaded = false;
  std::string error;  ///< the loader's, or Python's, own words
};

/// One process, started, watched and gone.
struct ProbeRun {
  ProbeWay way = ProbeWay::open;
  std::vector<ProbedTarget> targets;
  ProbeEnd end = ProbeEnd::not_started;
  int status = 0;                         ///< the exit status, the signal, or errno of a process that did not start
  std::string step;                       ///< what it was doing at its end
  bool mapped_all = false;                ///< it came as far as telling what is mapped
  bool plain_works = false;               ///< it did not, and the same without anything of cudald in it ends well
  std::vector<std::string> mapped;        ///< real paths, in the loader's order; without the vDSO
  std::vector<std::string> mapped_later;  ///< what the calls of CUDA functions brought in
  std::size_t predicted = 0;              ///< how many objects the simulation expects
  std::vector<std::string> differences;   ///< from the simulation, one sentence each
  bool only_order = false;                ///< the same files, in another order
  std::vector<ProbeCheck> checks;
  std::string output;  ///< the beginning of what the targets wrote
  std::size_t output_bytes = 0;
  double seconds = 0;
};

struct ProbeReport {
  std::vector<ProbeRun> runs;
  std::vector<std::string> not_run;  ///< what was left out, and why; one sentence each
};

struct ProbeSettings {
  std::string child;                         ///< path of cudald-probe-child
  std::chrono::milliseconds timeout{60000};  ///< for each process
};

class Session;
struct Report;

/// Loads what `report` is about in processes of their own, in its environment, and enters into it what came of it:
/// Report::probe, findings, verdict. The only function of cudald that executes anything.
void probe(Report& report, Session&, const ProbeSettings&);

}  // namespace cudald
