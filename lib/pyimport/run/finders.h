#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pyimport/run/frame.h"
#include "pyimport/run/part.h"

namespace cudald::python {

/// What a finder of sys.meta_path says of a module.
struct FinderAnswer {
  std::optional<ModulePlace> place = {};
  bool makes_it = false;  ///< it is of the module's package, and gives something that is not known
};

/// Where modules are looked for: sys.path, the __path__ of packages and sys.meta_path, as code has made them so far.
class Finders : Part {
 public:
  explicit Finders(Interpreter&);

  /// sys.path and sys.meta_path; of the latter Python's own finders are one.
  const List& path() const { return path_; }
  const List& meta_path() const { return meta_path_; }
  /// Makes sys.path what the files of the environment make it.
  void set_known_search_path();
  /// The entry of `python -c` in front.
  void add_entry_of_program();
  /// The folders of sys.path, with those that code added.
  const std::vector<std::string>& search_path();
  /// Where the submodules of a package lie: what its code has made of its __path__ so far.
  const std::vector<std::string>& search_of(Module&);
  /// __path__ as the code has it.
  Value path_of_package(Module&);
  /// What finders that code has put before or behind Python's own ones say of a module.
  FinderAnswer ask_finders(const std::string& name, const std::vector<std::string>& search, bool before);
  /// Whether a finder that the module puts into sys.meta_path is one of its own, which is asked.
  bool has_followed_finder(const Module&);
  /// The text of a module without its classes that are finders by find_module() alone, where this Python asks none.
  std::optional<std::string> without_old_finders(const Module&, const std::string& text) const;
  /// A module of a file that is named outright.
  std::optional<ModulePlace> place_of_file(const std::string& path);
  /// Where a spec leads that code has made; nullopt if that is not known.
  std::optional<ModulePlace> place_of_spec(const Value& spec);

 private:
  bool has_path_as_before();
  std::optional<std::string> folder_of_path(const std::string& item);
  std::optional<ModulePlace> distutils_of_setuptools();
  FinderAnswer ask_finder(const ObjectRef& finder, const std::string& name, const std::vector<std::string>& search);
  bool leaves_out_old_finders() const;
  bool is_old_finder(const Object& finder) const;

  List path_, meta_path_;
  std::vector<std::string> path_items_, search_path_;  ///< what was in sys.path last, and the folders that this means
  bool asks_finder_ = false;
};

}  // namespace cudald::python
