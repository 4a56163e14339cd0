#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "python/by_length.h"

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
  std::vector<std::string> mentions;     ///< on_failure counts only if the loader's message has one of these words
  std::vector<RuleStep> then, on_failure;
  bool again = false;  ///< load it once more after on_failure
  std::string raises;  ///< "KIND: text" of the exception where it fails, {error} for the loader's words
};

/// What is loaded later, if the file is there.
struct RuleSoftLibrary {
  std::string name;     ///< a path, or a bare name
  std::string note;     ///< what happens without it, in sentences
  bool gpu = false;     ///< without it the GPU is not used
  bool global = false;  ///< RTLD_GLOBAL: later libraries find its symbols
};

struct Rule {
  std::string call;    ///< steps take the place of this function: "torch._load_global_deps"
  std::string module;  ///< steps run after this module was loaded
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

struct Rules {
  std::set<std::string_view> standard_library;  ///< in the bytes that they were read from
  std::map<std::string, Rule, ByLength> calls, modules;
  std::map<std::string, LibraryRow, std::less<>> libraries;
};

/// Reads data/python-rules.json in the form of TableValue (base/json.h), which has to outlive them, without the rules
/// of other systems. A fault of it is a fault of this program: it throws std::invalid_argument.
Rules read_rules(std::string_view table, bool windows);

}  // namespace cudald::python
