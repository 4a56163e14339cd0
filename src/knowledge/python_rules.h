#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/by_length.h"
#include "base/json.h"

namespace cudald::python {

/// In texts, {package} is the folder of the module, {file} the source that calls, {here} its folder, {0} the first
/// argument.

/// One request or question of a rule. `load` names alternatives, of which the first that exists is loaded: a path,
/// a glob relative to the folders of sys.path, or a bare name for the loader's own search.
struct RuleStep {
  std::vector<std::string> load;
  bool all = false;  ///< every file that the globs find, not the first
  bool global = false;
  bool required = true;
  std::string import;                    ///< a module instead of a library
  std::string library;                   ///< a key of the table of libraries instead
  std::string if_value;                  ///< only if this text is not empty once its names are filled in
  std::vector<std::string> if_at_least;  ///< two versions, the second a number: only if the first is not lower
  std::string if_source;                 ///< only if the source of the module that calls has this text
  std::string if_mapped;                 ///< only if an object is mapped whose path contains this
  std::vector<RuleStep> then, on_failure;
  bool as_module = false;  ///< what is loaded is a compiled module, which imports others when it is initialised
  std::string raises;      ///< "KIND: text" of the exception where it fails, {error} for the loader's words; of a step
                           ///< that asks for nothing, the exception itself
};

/// What is loaded later, if the file is there.
struct RuleSoftLibrary {
  std::vector<std::string> names;  ///< a path, or a bare name; of several the first that is found
  std::string note;                ///< what happens without it, in sentences
  bool gpu = false;                ///< without it the GPU is not used
  bool global = false;             ///< RTLD_GLOBAL: later libraries find its symbols
};

struct Rule {
  /// What {cuda} stands for: the literal bound to a name, "torch.version.cuda", or a place in a JSON file,
  /// "json:{package}/.data/_wheel.json#/cuda".
  std::map<std::string, std::string> values;
  std::vector<RuleStep> steps;
  std::string returns;  ///< the text that the call gives back; empty: it is not known
  std::vector<RuleSoftLibrary> soft;
  std::string source;
};

/// How a library is looked for by its short name, as nvidia's cuda-pathfinder does.
struct LibraryRow {
  std::vector<std::string> names;    ///< bare, in the order in which they are tried
  std::vector<std::string> folders;  ///< relative to sys.path
  std::vector<std::string> needs;    ///< other keys, loaded first
};

/// How compiled modules tell for which C interface of the package of arrays they were built; see the table.
struct ArrayRules {
  struct Side {
    std::string capsule, raises;
  };
  std::string package, spoken, border;
  Side older, newer;
  /// Of the headers before NumPy 1.16: what they ask, and a text with which their code checks the version.
  std::string earlier_capsule, earlier_check;
  std::vector<std::string> types, later;
  std::vector<std::string> unheeded;  ///< modules that go on where the package refuses them
  std::string type, older_size, newer_size;
  std::vector<std::pair<std::string, std::string>> words;
  std::string least, printed;
};

/// What a row of the table says, read when it is first asked for: most imports need none of them. For one thread.
template <typename T>
class LateRow {
 public:
  using Read = T (*)(TableValue row);
  LateRow(TableValue row, Read read) : row_(row), read_(read) {}

  const T& operator*() const {
    if (!known_) known_ = read_(row_);
    return *known_;
  }
  const T* operator->() const { return &**this; }

 private:
  TableValue row_;
  Read read_;
  mutable std::optional<T> known_;
};

/// A module that Python had, up to a release that has it no more.
struct LeftModule {
  std::string_view release;       ///< "3.13"
  std::string_view distribution;  ///< that has it since; empty: none is known
};

/// Names of a module of the standard library that are there since a release, or gone since; one blank between them.
struct NamesOfRelease {
  std::string_view release;  ///< "3.11"
  std::string_view added, gone;
};

/// A part of the standard library that a Python lacks where it was built without a library.
struct OptionalModule {
  std::string_view library;                 ///< "libffi"; empty: it hangs on none
  std::string_view debian, fedora;          ///< packages with the header files
  std::string_view own_debian, own_fedora;  ///< packages of the system's own Python with the module; empty: none
};

/// A function of a package that is called for what it asks or does, whatever its source.
struct StandIn {
  std::string_view as;         ///< the row of pyimport/known: "whether a GPU is available"
  std::string_view built_for;  ///< "torch.version.cuda", None where the package was built without CUDA; may be empty
};

/// A module that code makes of the names of a compiled one.
struct CopiedNames {
  std::string_view module;           ///< what Python calls it
  std::vector<std::string_view> of;  ///< the compiled one, or what it is called in other releases
};

/// Names are in the bytes that they were read from.
struct Rules {
  std::set<std::string_view> standard_library;
  std::map<std::string_view, LeftModule> left;  ///< modules that the standard library no longer has
  std::map<std::string_view, OptionalModule> optional;
  std::map<std::string_view, std::vector<NamesOfRelease>> names;  ///< by module
  std::string_view newest_of_names;                               ///< the last release of which they are known
  std::map<std::string_view, LateRow<Rule>, ByLength> calls, modules;
  std::map<std::string_view, LateRow<Rule>, ByLength> elsewhere;  ///< of modules of which there is no file
  std::map<std::string_view, LateRow<LibraryRow>> libraries;
  std::map<std::string_view, StandIn, ByLength> functions;
  /// By an attribute of a compiled module, one of a source that is not None where the first is true: both tell of one
  /// setting of the build.
  std::map<std::string_view, std::string_view, ByLength> settings;
  /// By the class, with its module, and the attribute that holds it.
  std::map<std::pair<std::string_view, std::string_view>, CopiedNames> copied_names;
  ArrayRules arrays;
};

/// Reads data/python-rules.json in the form of TableValue, which has to outlive them, without the rules of other
/// systems. A fault of it is a fault of this program: std::invalid_argument is thrown, of a row when it is asked for.
Rules read_rules(std::string_view table, bool windows);

/// What the built-in table says of a module that Python had before a release, "3.13"; nullopt if this one has it.
std::optional<LeftModule> left_module(std::string_view name, std::string_view python);
/// Since which release a module of the standard library has a name, and since which it has not; empty where it always
/// had it, and still has.
struct TimeOfName {
  std::string_view added, gone;
  /// Whether a release, "3.10", has it not.
  bool lacks(std::string_view python) const;
};
TimeOfName time_of_name(const Rules&, std::string_view module, std::string_view name, std::string_view python);
/// The same of the built-in rules.
TimeOfName time_of_name(std::string_view module, std::string_view name, std::string_view python);
/// What Python 3 has instead of a name of Python 2, "urllib.parse.quote" of urllib's quote; empty: not known.
std::string name_of_today(std::string_view module, std::string_view name);
/// Where they come from.
std::string names_source();
/// The same of a module that not every Python is built with; nullopt if each one is.
std::optional<OptionalModule> optional_module(std::string_view name);
/// Where that table comes from.
std::string optional_modules_source();

}  // namespace cudald::python
