#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands/scan.h"
#include "cli/output/output.h"
#include "cli/run.h"
#include "common/world.h"
#include "unit/tree/scratch_folder.h"

namespace cudald {

struct CommandAnswer {
  int status = 0;
  std::string answer, complaints;
};

/// What the program says to a command line, its answer by way of a file.
inline CommandAnswer answer_to(std::vector<std::string> words, const std::string& typed = "",
                               const std::string& cwd = "/") {
  const ScratchFolder folder;
  words.insert(words.end(), {"-o", folder / "answer"});
  std::istringstream input(typed);
  std::ostringstream complaints;
  Environment environment;
  environment.cwd = cwd;
  environment.cpu = x86_64_cpu(1);
  environment.variables = {{"CUDALD_CACHE", "off"}};
  CommandAnswer result;
  result.status = run(words, {environment, {}, input, complaints});
  std::ifstream file(folder / "answer", std::ios::binary);
  result.answer = {std::istreambuf_iterator<char>(file), {}};
  result.complaints = complaints.str();
  return result;
}

/// A tree with a program that loads and one that lacks a library.
struct Tree {
  Tree() {
    root.add_file("lib64/ld-linux-x86-64.so.2", glibc_loader());
    root.add_file("bin/app", elf(program({})));
    root.add_file("bin/bad", elf(program({.needed = {"libx.so.1"}})));
  }

  CommandAnswer ask(const std::string& command, const std::vector<std::string>& words,
                    const std::string& typed = "") const {
    std::vector<std::string> all{command, "--sysroot", root.path()};
    all.insert(all.end(), words.begin(), words.end());
    return answer_to(all, typed);
  }

  ScratchFolder root;
};

/// What `act` writes to standard output, by way of a file in the folder, with the status that it returns.
inline CommandAnswer said_by(const std::function<int()>& act, const ScratchFolder& folder) {
  std::cout << std::flush;
  std::fflush(stdout);
  const auto path = folder / "said";
  const int before = ::dup(STDOUT_FILENO), file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  ::dup2(file, STDOUT_FILENO);
  ::close(file);
  CommandAnswer result;
  result.status = act();
  ::dup2(before, STDOUT_FILENO);
  ::close(before);
  std::ifstream said(path, std::ios::binary);
  result.answer = {std::istreambuf_iterator<char>(said), {}};
  return result;
}

/// What the program writes to standard output for a command line that takes no -o; with what it complains of.
inline CommandAnswer said_to(const std::vector<std::string>& words, const ScratchFolder& folder,
                             std::map<std::string, std::string> variables = {}) {
  std::istringstream input;
  std::ostringstream complaints;
  Environment environment;
  environment.cwd = folder.path();
  environment.cpu = x86_64_cpu(1);
  environment.variables = std::move(variables);
  const Host host{environment, {}, input, complaints};
  auto result = said_by([&] { return run(words, host); }, folder);
  result.complaints = complaints.str();
  return result;
}

/// All that a file has; empty if it is not there.
inline std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What a worker says, and how it ends: of a fault in the command line its message, without a status.
struct ScanAnswer {
  int status = -1;
  std::string answer, complaints;
};

inline ScanAnswer scan_of(const ScratchFolder& root, std::vector<std::string> words,
                          std::map<std::string, std::string> variables = {}) {
  words.insert(words.begin(), {"scan", "--jobs", "2"});
  const auto options = parse_options(words);
  if (!options) return {-1, "", options.error().message};
  std::istringstream input;
  std::ostringstream complaints;
  Environment environment;
  environment.cwd = root.path();
  environment.cpu = x86_64_cpu(1);
  environment.variables = std::move(variables);
  environment.variables["CUDALD_CACHE"] = "off";
  ScanAnswer result;
  const auto output = std::move(*Output::open(root / "told"));
  const auto status = scan(*options, {}, {environment, {}, input, complaints}, *output);
  output->finish();
  result.answer = text_of(root / "told");
  result.complaints = status ? complaints.str() : status.error().message;
  if (status) result.status = *status;
  return result;
}

}  // namespace cudald
