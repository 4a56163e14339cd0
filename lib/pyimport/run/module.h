#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pyimport/sources/source.h"
#include "pyimport/values/value.h"

namespace cudald::python {

/// Whether a dotted name is that of something in a package, at any depth.
inline bool is_below(std::string_view name, std::string_view package) {
  return name.size() > package.size() && name[package.size()] == '.' && name.starts_with(package);
}
/// The same, or of the package itself.
inline bool is_within(std::string_view name, std::string_view package) {
  return name == package || is_below(name, package);
}

/// A name that an import is made for when somebody asks for it.
struct LazyImport {
  Node statement;        ///< import or from_import
  std::size_t part = 0;  ///< of which this one
  bool maybe = false;
};

/// What made the code of a compiled module, where its file says how its names stand in it.
enum class CompiledBy : std::uint8_t {
  unknown,
  c,
  c_and_libraries,  ///< of C, and needs libraries that were not looked at yet: see maker_of()
  cython,
  rust,
};

struct Module {
  std::string name, path;
  std::string_view kept_name;  ///< the same, as its functions have it, which may outlive the module
  bool package = false;
  bool opaque = false;            ///< its names are not known: an extension module, bytecode, a part of the interpreter
  bool complete = false;          ///< its last statement was reached
  bool lazy_annotations = false;  ///< from __future__ import annotations
  bool names_lost = false;        ///< it binds names that are not in `names`
  bool takes_unseen = false;      ///< so does an `import *` of a module that is not known, or not yet whole
  CompiledBy compiled_by = CompiledBy::unknown;
  bool may_copy_names = false;  ///< code of C that imports modules, whose names it may take over
  bool names_in_table = false;  ///< a compiled one, in whose file stand all the names that it binds, each by itself
  bool doubtful = false;        ///< code that is not followed may have changed what its names hold
  std::uint32_t line = 0;       ///< how far its statements were run
  /// What functions declare `global` that code which is not followed may call: it may be bound at any time.
  std::set<std::string, std::less<>> bound_unseen;
  std::set<std::string> taken_from;  ///< compiled modules, all names of which `import *` has bound
  std::vector<std::string> search;   ///< __path__, as Finders::search_of() has read it
  bool search_complete = true;       ///< it holds nothing that is not known
  std::string group;                 ///< compiled by mypyc: the module that holds the code of this and of others
  std::shared_ptr<const Source> source;
  Names names;
  std::map<std::string, LazyImport, std::less<>> lazy_names;  ///< not in `names` yet

  /// Whether every name that it has bound so far is in `names`.
  bool names_known() const { return taken_from.empty() && names_known_but_for_compiled(); }
  /// The same, but for what it has of `taken_from`.
  bool names_known_but_for_compiled() const {
    const auto trick = names_lost || source == nullptr ? std::nullopt : source->first_trick();
    return !names_lost && (!trick || (!complete && line < *trick));
  }
  /// Whether all statements were followed that bind a name of it, those with setattr or globals() as well.
  bool names_followed() const { return taken_from.empty() && names_followed_but_for_compiled(); }
  bool names_followed_but_for_compiled() const {
    return complete && !names_lost && source != nullptr && !source->may_bind_unseen();
  }
};

}  // namespace cudald::python
