#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "pyimport/run_import.h"
#include "pyimport/values/heap.h"

namespace cudald::python {

/// Where a module lies, as importlib's PathFinder finds it.
struct ModulePlace {
  enum class Kind { absent, source, bytecode, extension, built_in, namespace_package };
  Kind kind = Kind::absent;
  std::string path;                 ///< of the file
  std::vector<std::string> search;  ///< __path__ of a package
  bool package = false;
};

/// Looks modules up in folders. Each folder is listed once, as Python's own FileFinder does.
class ModuleFinder {
 public:
  ModuleFinder(const PythonEnvironment&, const FileSystem&, const std::set<std::string_view>& standard_library, Heap&);

  /// `name` without its parents; `search` is sys.path or the parent's __path__.
  ModulePlace find(std::string_view name, const std::vector<std::string>& search, bool top_level);
  /// Whether a module at the top may have this name: where not, find() finds none. For names of which few are modules.
  bool may_find(std::string_view top, const std::vector<std::string>& search);
  /// Whether one of the folders holds a module, or a folder that is a package.
  bool hold_modules(const std::vector<std::string>& folders);
  bool has_file(const std::string& path);
  bool has_folder(const std::string& path);
  std::optional<bool> holds(const std::string& path, const std::string& text);
  /// The same of one of a few texts, none of which is empty: its bytes are read once.
  std::optional<bool> holds_any(const std::string& path, std::span<const std::string_view> texts);
  /// Whether compiled code may copy a name out of its instructions: they hold its first bytes, or its data hold the
  /// first 16 of a long one. A text that only begins like it is none. nullopt as above.
  std::optional<bool> may_copy(const std::string& path, std::string_view name);
  /// Whether code of the file may put a name together: two of its texts, one behind the other, make it. nullopt as
  /// above, or of a very long name.
  std::optional<bool> may_compose(const std::string& path, std::string_view name);
  /// The names in a folder; none if it cannot be read.
  const std::set<std::string, std::less<>>& list(const std::string& folder);
  /// Whether a module at the top belongs to the standard library, of which there are no files.
  bool is_library_not_at_hand(std::string_view top) const {
    return library_folder_.empty() && standard_library_.contains(top);
  }
  bool in_standard_library(std::string_view path) const;
  /// The interpreter and its own library, where the built-in modules are; none where these are not known.
  const std::vector<std::string>& interpreter_files() const { return interpreter_files_; }
  const std::string& library_folder() const { return library_folder_; }
  bool is_standard(std::string_view name) const { return standard_library_.contains(name); }

 private:
  void add_interpreter_libraries();
  const std::string* inflated(const std::string& path, const File&);
  template <typename Found>
  std::optional<bool> any_block(const std::string& path, std::size_t overlap, std::size_t looks, const Found&);
  std::string extension_file(const std::string& folder, std::string_view stem);
  int rank_of_suffix(std::string_view suffix) const;
  bool accepts_platform_suffix();
  bool built_in(std::string_view name);

  const PythonEnvironment& environment_;
  const FileSystem& files_;
  const std::set<std::string_view>& standard_library_;
  Heap& heap_;
  std::map<std::string, std::set<std::string, std::less<>>> listings_;
  std::string platform_suffix_;  ///< of the stable ABI, which the interpreter may know though its release does not
  std::optional<bool> accepts_;  ///< it, once a file has had it
  std::set<std::string, std::less<>> built_in_;
  std::vector<std::string> interpreter_files_;
  std::string inflated_path_, inflated_bytes_;
  std::vector<std::string> searched_;           ///< the folders of which these are
  std::unordered_set<std::string_view> stems_;  ///< names of files up to their first dot, and those of built-in modules
  std::string library_folder_;                  ///< of the standard library; empty if the files lack it
};

}  // namespace cudald::python
