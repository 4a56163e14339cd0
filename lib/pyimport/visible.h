#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pyimport/run_import.h"

namespace cudald::python {

// What code of a judged package may see of this machine. A report is published, and a stranger's package decides what
// its code reads and what its errors say: so its code is followed with the files of packages, of Python and of the
// search path, and with variables that concern loading. All else is unknown to it.

/// Whether the value of a variable of that name is nobody's secret: LD_*, CUDA*, NVIDIA*, PYTHON*, CONDA*, PATH, HOME
/// and VIRTUAL_ENV, but none that is called a key, a token or a password.
bool is_open_variable(std::string_view name);

/// The files that code may see.
class VisibleFiles {
 public:
  VisibleFiles(const PythonEnvironment&, const FileSystem&);

  /// Whether it lies in one of their directories.
  bool holds(const std::string& path) const;
  /// Whether the code of a module there may be followed. In an environment that the user has installed, editable
  /// packages lie anywhere.
  bool may_follow(const std::string& path) const;
  /// Whether code may read it: it and where its links lead.
  bool may_read(const std::string& path) const;
  /// Whether code may see the names in a folder: of systems and devices too, which are no secret.
  bool may_list(const std::string& folder) const;

 private:
  void add(std::string root);

  const FileSystem& files_;
  bool judges_packages_;  ///< of which nobody has installed any
  std::vector<std::string> roots_;
  mutable std::optional<std::vector<std::string>> real_roots_;
};

}  // namespace cudald::python
