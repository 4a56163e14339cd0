#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pyimport/run/frame.h"
#include "pyimport/run/part.h"
#include "pyimport/sources/source.h"
#include "pyimport/sources/source_texts.h"

namespace cudald::python {

/// What the process of Python has of its machine: files, paths as code spells them, and the variables of its
/// environment.
class Host : Part {
 public:
  Host(Interpreter&, SourceStore*);

  /// The text of a file, its bytes charged. Throws Exhausted.
  Result<std::string> read_text(const std::string& path, std::uint64_t limit);
  /// The same of a source of Python, of which only what it takes to read it again is kept.
  Result<SourceIdentity> read_source(const std::string& path);
  /// Parses a text that is in no file, or in no module.
  std::shared_ptr<const Source> parse(std::string path, std::string text) {
    return Source::parse(std::move(path), std::move(text), cost_, source_store_);
  }
  /// Holds a source as long as values may refer to its functions.
  std::shared_ptr<const Source> keep_source(std::shared_ptr<const Source>);
  /// A path of the tree as the code spells it, and the place in the tree that a full path of the code means: nullopt if
  /// it is not full, or (on Windows) if nothing is there.
  std::string spelled(const std::string& tree_path) const;
  std::optional<std::string> place_of(const std::string& path) const;
  /// A path from the root; nullopt if it is relative, and the current folder is not known.
  std::optional<std::string> full_path(const std::string& path);
  /// What a path of pathlib has by this name; nullopt if nothing is known by it.
  std::optional<Value> path_attribute(const std::string& path, std::string_view name);
  /// The files that a pattern fits, as glob.glob() gives them.
  std::vector<Value> glob(const std::string& pattern, bool recursive = false);
  /// A variable of the environment; null if it is not set, or not known.
  const std::string* variable(const std::string& name);
  /// `os.environ[name] = value`.
  void set_variable(Frame&, const std::string& name, const Value&);
  /// `del os.environ[name]`.
  void unset_variable(const Frame&, const std::string& name);
  /// Whether code may have set it, or the value is not for it to see.
  bool is_unsure_variable(const std::string& name) const;
  /// 1: no assert runs; 2: nothing has a docstring.
  int optimisation();
  /// The same of a source that read_source() has found.
  std::shared_ptr<const Source> parse(SourceIdentity);

 private:
  std::vector<std::string> all_below(const std::vector<std::string>& folders, bool files_too);
  std::vector<Value> glob_on_windows(const std::string& pattern);

  SourceStore* const source_store_;
  std::vector<std::shared_ptr<const Source>> sources_;  ///< that no module holds
  std::map<std::string, std::string> variables_;        ///< os.environ
  std::set<std::string> unsure_variables_;              ///< of which code may have made something else
};

}  // namespace cudald::python
