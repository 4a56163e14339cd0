#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pyimport/run/module.h"
#include "pyimport/values/dict_items.h"
#include "pyimport/values/heap.h"
#include "pyimport/values/value.h"

namespace cudald::python {

/// Where a statement runs.
struct Frame {
  Module* module = nullptr;
  std::shared_ptr<const Source> source;
  std::shared_ptr<Scope> scope;  ///< none at module level
  Names* class_names = nullptr;  ///< inside a class body
  std::string_view qualifier;    ///< "Class." for what is defined in a class body
  bool in_function = false;
  bool in_try = false;
  bool maybe = false;            ///< an unknown condition stands before this statement
  bool own_maybe = false;        ///< one in this function; else what it binds for itself is sure as far as it is called
  bool doubtful = false;         ///< so does one of which what is known proves nothing
  bool keeps_doubt = false;      ///< what is doubtful here is so in what follows: in functions, loops and `try`
  bool may_be_left_out = false;  ///< a `continue` or `break` whose condition is not known may have left it out
  bool may_have_returned = false, may_have_yielded = false;                  ///< behind such a condition
  std::vector<std::size_t> caught_loads;                                     ///< failed requests that it has caught
  bool lacks_library = false;                                                ///< it has looked for one in vain
  std::shared_ptr<std::set<std::string, std::less<>>> globals, outer_names;  ///< of `global` and `nonlocal`, or null
  Value result = None{};
  std::vector<Value>* yielded = nullptr;  ///< of a generator that runs
  const Function* function = nullptr;     ///< whose body it is
  const Frame* caller = nullptr;          ///< of that function
  std::uint32_t line = 0;

  bool is_global(std::string_view name) const { return globals != nullptr && globals->contains(name); }
  bool is_outer(std::string_view name) const { return outer_names != nullptr && outer_names->contains(name); }
};

struct Argument {
  std::string keyword;  ///< empty if positional
  Value value;
};
using Arguments = std::vector<Argument>;
/// Puts an argument that has a keyword into a dictionary; of one that stands for more, nobody knows what it puts there.
void put_keyword(Heap&, DictItems&, const Argument&, bool maybe);

/// Which function of which source.
using FunctionKey = std::pair<const Source*, Node::Id>;
inline FunctionKey key_of(const Source& source, const Node& function) { return {&source, function.id()}; }

/// How the statements of a block ended.
enum class Flow { next, returned, broken, continued };

/// Whether what the frame's line asks for is followed: a function imports nothing behind what is not known.
inline bool follows(const Frame& frame) { return !(frame.in_function && frame.maybe); }

}  // namespace cudald::python
