#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace cudald {

struct Command {
  std::vector<std::string> words;  ///< the first is the path; `{}` stands for the number of the records' descriptor
  std::map<std::string, std::string> environment;
  std::string folder;
  bool is_alone = false;  ///< without a descriptor for records, and without a terminal that it could ask
};

/// How a process came to its end.
enum class ProcessEnd { exited, crashed, timed_out, not_started };

/// What a process left behind.
struct Ended {
  ProcessEnd end = ProcessEnd::not_started;
  int status = 0;                  ///< the exit status, the signal, or errno of a process that did not start
  std::string records;             ///< what it wrote on the descriptor for records
  std::string output, complaints;  ///< the beginnings of standard output and error
  std::size_t output_bytes = 0;    ///< of both, all
  double seconds = 0;
};

/// "SIGSEGV"
std::string signal_name(int);

/// Starts a process in a group of its own, without core file and input, and waits for its end. At the time limit, and
/// when the process has ended, whatever is left of the group is killed.
Ended run_child(const Command&, std::chrono::milliseconds timeout);

}  // namespace cudald
