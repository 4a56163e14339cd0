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
#include "pyimport/values/name_table.h"

namespace cudald::python {

/// Of a module that code may have put into sys.modules: its name, or what that begins with.
struct UnsurePut {
  std::string name;
  bool whole = false;
  std::set<std::string> packages = {};  ///< whose code does it, where nothing is known of the name; or empty
  bool operator==(const UnsurePut&) const = default;
};

/// sys.modules: what has been imported, and what code has put there or may have put there.
class SysModules : Part {
 public:
  explicit SysModules(Interpreter& python) : Part(python) {}

  /// Null if none is loaded by this name.
  Module* find_loaded(std::string_view name);
  const NameTable<std::unique_ptr<Module>>& modules() const { return modules_; }
  /// The entry of a name, made if there is none; `placed` if the module lies somewhere.
  Module& entry(const std::string& name, bool placed);
  /// A module that exists at run time alone: what it holds is not known, but importing it succeeds.
  Module& make_module(const std::string& name);
  /// Gives a module that code takes out of sys.modules a name of its own, which it returns.
  std::string take_out_module(const std::string& name);
  /// A module that failed is there no more.
  void erase(const std::string& name);
  /// `sys.modules[name] = value`.
  void put_module(const std::string& name, const Value&);
  /// Code may have put a module there.
  void put_unsurely(UnsurePut);
  /// A line that assigns to sys.modules was followed.
  void note_followed_put(const std::string& source, std::uint32_t line);
  /// What code has put in the place of a module; null if it is none, or a module.
  ObjectRef object_in_place_of(std::string_view name) const;
  /// The packages at the top whose code has led to this place by calls.
  std::set<std::string> packages_that_run(const Frame&) const;
  /// Whether code of its package makes a module at run time, or may do so.
  bool makes_module(std::string_view name);
  /// What a loop over sys.modules sees.
  ListItems module_names();
  /// Whether a module that is not known to be loaded may be: Python itself and code that is not followed load some.
  bool may_be_loaded_unseen(std::string_view name);

  /// Whether a compiled file names a module: as a text of its own the last part, or the whole name anywhere.
  bool names_module(const std::string& path, const std::string& wanted, const std::string& last);

 private:
  void rename_module(const std::string& name, const std::string& other);

  NameTable<std::unique_ptr<Module>> modules_;
  std::set<std::string, std::less<>> placed_;  ///< the names of those that lie somewhere, and of some that are gone
  std::vector<UnsurePut> unsure_puts_;
  std::set<std::pair<std::string, std::uint32_t>> followed_puts_;  ///< sources and lines
  /// Names of modules that were taken out, and of those in whose place code put others: what they are called now.
  std::map<std::string, std::string, ByLength> put_back_;
  std::map<std::string, ObjectRef, std::less<>> objects_in_place_;
};

}  // namespace cudald::python
