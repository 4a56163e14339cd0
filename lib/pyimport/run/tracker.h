#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pyimport/run/frame.h"
#include "pyimport/run/part.h"
#include "pyimport/run/python_error.h"

namespace cudald::python {

/// What an import has brought about, and what of it could not be followed.
class Tracker : Part {
 public:
  explicit Tracker(Interpreter& python) : Part(python) {}

  /// Adds the names that sources give to ctypes and its like, and that were not loaded from there.
  void collect_soft_libraries();
  /// Sources that were no longer what they had been when they were needed again.
  void tell_lost_sources();
  /// Adds the imports of functions that were left out, of modules that nothing else has imported.
  void collect_left_out();
  /// The result of the import so far.
  ImportResult& result() { return result_; }
  /// A module was not found; once for each line.
  void note_missing(const std::string& name, const Frame* from);
  /// A sentence for the reader.
  void note(std::string sentence);
  /// Code of a package looked for this file, which is not there.
  void note_absent(const Frame&, const std::string& path);
  /// A source that is not followed to its end, as it cannot be understood: what comes of it is not known.
  void note_unread(const std::string& sentence);
  /// Code is nested too deeply; once for each source.
  void note_depth(const Frame&);
  /// A part of a source was not read; once for each source.
  void note_left_out(const Source&);
  /// An import was left out, as a condition before it is not known.
  void leave_out(const Frame&, const std::string& module);
  /// The same of the submodules that `from module import ...` may mean.
  void leave_out_names(const Frame&, const Node& statement, const std::string& module);
  /// What an attempt to import would have bound, had the load not failed which its handler catches.
  void note_lost_names(const Frame&, const Node& attempt, const PythonError&);
  /// The failed requests for want of which a module lacks a name.
  std::vector<std::size_t> loads_that_lost(const Module&, std::string_view name) const;
  /// Notes that the frame's line asks for something that is not known; Unknown.
  Value unfollowed(const Frame&, Unfollowed::Kind);
  /// The line has made a request: the names of libraries in it are no mere possibility.
  void note_requested(const LoadStep& step);
  /// Groups of entry points that code asked for, and of which there are none; libraries that code looked for before it
  /// opened them, each once. Those that the package of a place in code ("a.py:7") asked for; if it has for none, the
  /// first of all.
  std::vector<std::string> absent_entry_points(std::string_view at, bool of_all) const {
    return sought_by(absent_entry_points_, at, of_all);
  }
  std::vector<std::string> absent_libraries(std::string_view at) const {
    return sought_by(absent_libraries_, at, true);
  }
  /// Code asked for a group of entry points, and no package has any.
  void note_absent_entry_points(const Frame& frame, const std::string& group) {
    note_sought(absent_entry_points_, frame, group);
  }

 private:
  bool note_soft_library(const Module&, bool by_short_name, std::string_view written, std::uint32_t line);

  /// What code has looked for in vain.
  struct Sought {
    std::string package;  ///< the first part of the name of the module that has looked for it
    std::string what;
  };
  static void note_sought(std::vector<Sought>&, const Frame&, const std::string& what);
  static std::vector<std::string> sought_by(const std::vector<Sought>&, std::string_view at, bool of_all);

  struct LostNames {
    std::set<std::string, std::less<>> names;  ///< "*": any
    std::vector<std::size_t> causes;           ///< the failed requests
  };
  ImportResult result_;
  std::set<std::pair<std::string, std::size_t>> requested_at_;
  /// Imports of functions behind conditions that are not known: the module, and the line that is told if nothing else
  /// imports it.
  std::vector<std::pair<std::string, Unfollowed>> left_out_;
  std::set<std::string> too_deep_, left_out_of_;  ///< sources of which that was told
  std::vector<Sought> absent_entry_points_, absent_libraries_;
  std::multimap<std::string, LostNames> lost_names_;  ///< what attempts that failed would have bound, by the module
};

}  // namespace cudald::python
