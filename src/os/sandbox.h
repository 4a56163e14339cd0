#pragma once

// What this process may no longer do, whoever speaks through it: files of strangers are read here, and a fault in a
// reader must not be worth more than a wrong answer. The system's side: Landlock (files, programs; Linux 5.13) and
// seccomp (calls; Linux 3.5). Source: Documentation/userspace-api/landlock.rst and seccomp_filter.rst of Linux.

#include <string>
#include <string_view>
#include <vector>

namespace cudald {

/// What stays allowed.
struct Sandbox {
  std::vector<std::string> writable;  ///< directories below which files are made, written, renamed and removed
  std::vector<std::string> nameable;  ///< directories in which files that are open already are given names
  std::vector<std::string> scratch;   ///< directories in which files without names are made
  bool network = false;               ///< sockets can be made
  bool programs = false;              ///< programs can be started
};

/// Which of the two the kernel has put into force.
struct SandboxState {
  bool files = false;  ///< Landlock
  bool calls = false;  ///< seccomp
};

/// For this process and those it starts, until they end; a second one takes away more. To be called before there is a
/// second thread. What the kernel does not know stays allowed, as the state says.
SandboxState enter_sandbox(const Sandbox&);

/// Hides the files below these directories, which are named without links; false where the kernel cannot.
bool hide_directories(const std::vector<std::string>&);

/// Whether a file lies in such a directory, by its own path or through links: the
/// system's "permission denied" says nothing about it then.
bool is_hidden_by_sandbox(std::string_view path);

}  // namespace cudald
