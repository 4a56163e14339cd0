#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/at_end.h"
#include "knowledge/python_rules.h"
#include "pyimport/compiled/compiled_imports.h"
#include "pyimport/environment/module_finder.h"
#include "pyimport/run/array_abi.h"
#include "pyimport/run_import.h"
#include "pyimport/syntax/scanner.h"
#include "pyimport/values/code_paths.h"
#include "pyimport/values/heap.h"
#include "pyimport/values/operators.h"
#include "pyimport/values/value.h"
#include "pyimport/visible.h"

namespace cudald::python {

/// A Python exception on its way up. It never leaves run_import.
struct PythonError {
  std::string kind;  ///< "ModuleNotFoundError"; of a class of a package its name alone
  std::string message;
  std::string module = {};               ///< that was not found
  std::vector<std::size_t> causes = {};  ///< as ImportResult::causes
  bool unexplained = false;              ///< as ImportResult::unexplained
  std::string place = {};                ///< "a.py:7" of a raise whose message is not known
  std::shared_ptr<const LackedName> lacked = {};
  bool shortened = false;   ///< the message is a line of a longer text
  std::string before = {};  ///< what was being handled there: "ImportError: ..."
  /// Of a class of a package its whole name: "pydantic.errors.PydanticImportError".
  std::string type = {};
  std::vector<std::string> bases = {};  ///< the names of all classes that its class is derived from
  bool doubtful = false;                ///< as Value::doubtful: it may as well not have been raised
  bool assumed = false;                 ///< the way to it is in doubt, and it counts since a handler catches it
  std::string at = {};                  ///< "a.py:7", as ImportResult::raised_at
  std::string advice = {};              ///< as ImportResult::advice
  std::string variable = {};            ///< of the environment, that is not set
  bool says_gone = false;               ///< its text tells that something was there once, and is not any more
};

/// A followed call, or a module, took too many steps: it is given up, and its value is unknown. See also Exhausted.
struct StepLimit {};

/// What a finder of sys.meta_path says of a module.
struct FinderAnswer {
  std::optional<ModulePlace> place = {};
  bool makes_it = false;  ///< it is of the module's package, and gives something that is not known
};

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
  std::vector<std::string> search;   ///< __path__, as Interpreter::search_of() has read it
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

/// The strings of a module that Cython has compiled, as its file has them.
struct CythonStringsOfFile {
  enum class Form { unknown, arrays, one_text, packed };
  Form form = Form::unknown;
  std::string unpacked;  ///< of `packed`
};

/// Names that stand in the body of a function, in order, and those of them that it declares `global` or `nonlocal`.
struct Mentions {
  std::vector<std::string> names, declared;
};

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

struct KnownCall;

/// What made the code of a compiled module, by texts that it brings along.
struct CodeOrigin {
  bool cython = false, mypyc = false, rust = false, cffi = false;
  ArrayBuild arrays;
  /// Whether they tell more than the code does.
  bool has_texts() const { return cython || mypyc || rust || cffi || arrays.newer; }
};

/// Follows Python code as far as needed to know what it imports and loads: module-level statements always, functions
/// when they are called from there. What cannot be known is Unknown; both branches behind it are looked at, and a
/// function imports nothing there. Its parts lie in several files of this folder, which is why all of it is public; the
/// rest of cudald sees run_import alone.
class Interpreter {
 public:
  Interpreter(const PythonEnvironment&, const FileSystem&, const PythonLoader&, const Rules&, Budget&, SourceStore*);

  /// Imports `name` with its parents. Throws PythonError, and Exhausted if the budget does not allow for more.
  Module& import_module(const std::string& name, const Frame* from);
  void collect_soft_libraries();
  /// Sources that were no longer what they had been when they were needed again.
  void tell_lost_sources();
  void collect_possible_imports();
  void collect_left_out();
  ImportResult& result() { return result_; }

  enum class Flow { next, returned, broken, continued };
  /// Whose exceptions a handler is there for: those of modules that are imported meanwhile as well, or not.
  enum class Reach { all, this_module };
  /// While it lives, exceptions of these kinds are caught somewhere; an empty list is all of them.
  class Handler {
   public:
    Handler(Interpreter& interpreter, std::vector<std::string> kinds, Reach reach = Reach::all)
        : interpreter_(interpreter) {
      interpreter_.handlers_.push_back(
          {std::move(kinds), interpreter.import_depth_, false, interpreter.opaque_calls_, reach});
    }
    /// Nobody catches any, but what raises one may as well not run.
    explicit Handler(Interpreter& interpreter) : interpreter_(interpreter) {
      interpreter_.handlers_.push_back(
          {{}, interpreter.import_depth_, true, interpreter.opaque_calls_, Reach::this_module});
    }
    ~Handler() { interpreter_.handlers_.pop_back(); }
    Handler(const Handler&) = delete;
    Handler& operator=(const Handler&) = delete;

   private:
    Interpreter& interpreter_;
  };
  bool caught(std::string_view kind) const;
  /// The same, but for what has imported the module whose code runs now and may as well not run, or only looks whether
  /// a name is there: others may import that module as well, for whom nobody catches it.
  bool caught_for_all(std::string_view kind) const;
  bool caught_for_all(const PythonError&) const;

  // interpreter.cc: modules
  Module& load_module(const std::string& name, const std::vector<std::string>& search, const Frame* from);
  Module& load_place(const std::string& name, const ModulePlace&, const Frame* from);
  void forget_module(const std::string& name, const Module& failed);
  void refuse_other_bytecode(const Module&);
  void run_place(Module&, const ModulePlace&, const Frame* from);
  Module* stand_in(const std::string& name, const Frame* from);
  bool is_gone_by_table(std::string_view name);
  bool names_module(const std::string& path, const std::string& wanted, const std::string& last);
  bool makes_module(std::string_view name);
  bool has_escaped(const Module&, std::string_view definition) const;
  bool has_lost_its_file(const std::string& name);
  bool has_followed_finder(const Module&);
  bool leaves_out_old_finders() const;
  std::optional<std::string> without_old_finders(const Module&, const std::string& text) const;
  bool is_made_over_folder(Module&);
  void import_if_there(const std::string& name, const Frame* from);
  /// What comes in when this is asked of a distribution of importlib.metadata; empty: when one is looked for.
  void import_for_distribution(Frame&, std::string_view attribute);
  bool has_other_metadata(const std::string& package);
  void import_codec(Frame&, const std::string& codec);
  Module& make_module(const std::string& name);
  std::string take_out_module(const std::string& name);
  void rename_module(const std::string& name, const std::string& other);
  void put_module(const std::string& name, const Value&);
  /// Of a module that code may have put into sys.modules: its name, or what that begins with.
  struct UnsurePut {
    std::string name;
    bool whole = false;
    std::set<std::string> packages = {};  ///< whose code does it, where nothing is known of the name; or empty
    bool operator==(const UnsurePut&) const = default;
  };
  void put_unsurely(UnsurePut);
  std::set<std::string> packages_that_run(const Frame&) const;
  Value no_str(Value);
  bool may_be_no_str(const Value&) const;
  std::string known_beginning(Frame&, const Node& text);
  void run_source(Module&);
  bool has_encoding(std::string name);
  void raise_if_broken(const Module&);
  bool run_counted(Frame&);
  void note_steps(const Frame&);
  void set_known_search_path();
  void add_entry_of_program();
  /// What .pth files run. What they raise is printed, and no more.
  void run_start_up();
  /// What finders that code has put before or behind Python's own ones say of a module.
  FinderAnswer ask_finders(const std::string& name, const std::vector<std::string>& search, bool before);
  std::optional<ModulePlace> place_of_file(const std::string& path);
  std::optional<ModulePlace> place_of_spec(const Value& spec);
  std::optional<ModulePlace> distutils_of_setuptools();
  FinderAnswer ask_finder(const ObjectRef& finder, const std::string& name, const std::vector<std::string>& search);
  Module* find_loaded(std::string_view name);
  /// Where the submodules of a package lie: what its code has made of its __path__ so far.
  const std::vector<std::string>& search_of(Module&);
  /// The folders of sys.path, with those that code added.
  std::vector<std::string> search_path();
  const std::vector<std::string>& known_search_path();
  bool has_path_as_before();
  std::optional<std::string> folder_of_path(const std::string& item);
  void note_missing(const std::string& name, const Frame* from);
  [[noreturn]] void module_not_found(const std::string& name, const Frame* from);
  /// Empty where the dots lead out of all packages.
  std::string absolute_name(const Module&, std::size_t dots, const std::string& name) const;
  [[noreturn]] void leads_out_of_packages(const Module&) const;
  bool follows(const Frame& frame) const { return !(frame.in_function && frame.maybe); }
  void count_steps(std::size_t steps);
  /// The text of a file, its bytes charged. Throws Exhausted.
  Result<std::string> read_text(const std::string& path, std::uint64_t limit);
  Result<SourceIdentity> read_source(const std::string& path);
  void note(std::string sentence);
  /// Code of a package looked for this file, which is not there.
  void note_absent(const Frame&, const std::string& path);
  /// A source that is not followed to its end, as it cannot be understood: what comes of it is not known.
  void note_unread(const std::string& sentence);
  std::shared_ptr<const Source> parse(std::string path, std::string text) {
    return Source::parse(std::move(path), std::move(text), cost_, source_store_);
  }
  /// Holds a source as long as values may refer to its functions.
  std::shared_ptr<const Source> keep_source(std::shared_ptr<const Source>);
  void note_depth(const Frame&);
  void note_left_out(const Source&);
  bool note_soft_library(const Module&, bool by_short_name, std::string_view written, std::uint32_t line);

  // extension_module.cc
  void load_extension(Module&, const Frame* from);
  void import_for_extension(Module&);
  static bool is_needed(const Module&, const std::string& name, const std::vector<std::string>& at_once);
  void import_needed(const Module&, const std::string& name, bool is_named_by_it);
  std::string mypyc_group(const std::string& path);
  void run_include(Frame&, const Node&);
  std::shared_ptr<const Source> source_beside(const Module&);
  std::vector<std::string> cimported_names(const Node&, const Module&);
  void run_source_beside(Frame&, const std::vector<CompiledImport>&);
  struct ImportsOfCode {
    std::vector<CompiledImport> imports;
    bool computes_names = false;       ///< and there are others, whose names its code computes
    std::vector<std::string> called;   ///< functions of other libraries
    std::vector<std::string> at_once;  ///< modules without which the initialisation fails
  };
  ImportsOfCode imports_of(const Module&, const MappedBytes&, const CodeOrigin&, const Image*, Budget& code_budget);
  bool has_module(std::string_view name);
  std::string resolved_name(const Module&, const CompiledImport&);
  std::string addition_of_cython(const Module&);
  bool is_newer_numpy();

  // array_abi.cc
  std::optional<PythonEnvironment::Release> release_of(const std::string& package);
  bool is_newer_side(const PythonEnvironment::Release&);
  void refuse_arrays(const Module&, const ArrayBuild&, bool asks);
  ArrayBuild arrays_of_library(const MappedBytes&) const;
  void refuse_arrays_of_library(const Module&, const Image&, const std::vector<std::string>& called);

  bool is_import_of(const Module&, const std::string& name);
  bool imports_surely(const CompiledImport&, bool cython, bool rust, const Source*);

  // doubt.cc
  bool is_doubtful(const Value&) const;
  bool holds_doubtful(const Value&) const;
  bool has_doubtful_parts(const Value&) const;
  /// Code that is not followed gets these, and may change what they hold, now or later.
  void escape(const Value&);
  bool is_of_standard_library(const Object& type);
  bool binds_only_when_run(const Value& module);
  void escape_arguments(const Arguments&);
  /// What a function changes that is called and not followed.
  void escape_mentioned(const Function&);
  const Mentions& mentions_of(const Function&);
  void escape_mentions(const Function&, std::vector<Value>& reached);
  /// What Python calls of its own accord where a value is used like this: methods of its class that are not followed.
  enum class Use { truth, items, text, operation, builtin };
  void use(const Value&, Use);
  bool use_methods(const Object& type, std::span<const std::string_view> names);
  void use_definition(const Object& type);
  bool is_worth_a_walk(const Function&);
  Value known_name(const Frame&, std::string_view name) const;
  /// A call of what is not followed: it may raise anything.
  Value opaque_call(const Arguments&);
  /// A block that was not run, and may be run: what it would bind or change is doubtful.
  void doubt_effects(Frame&, const Node& block);
  void doubt_targets(Frame&, const Node& target);
  void doubt_name(Frame&, std::string_view name);
  /// Whether what is raised here surely ends the import, if nobody catches it.
  bool is_certain(const Frame&) const;
  /// What Python raises of its own accord: thrown if what is evaluated surely leads to it.
  void raise_if_certain(const Frame&, PythonError);
  PythonError lacks_variable(const Frame&, const std::string& name) const;
  void raise_if_unbound(const Frame&, std::string_view name);
  void refuse_none(const Frame&, std::string_view sign, const Value& left, const Value& right, const Node& of_right);

  // statements.cc
  Flow run(Frame&, const Node& block);
  Flow run_statement(Frame&, const Node&);
  Flow run_if(Frame&, const Node&);
  Flow run_try(Frame&, const Node&);
  std::optional<PythonError> raised_by_block(Frame&, const Node& statement, std::vector<std::string> handled, Flow&);
  std::optional<Flow> try_once(Frame&, const Node&);
  void note_warning(const Node& handler, const PythonError&);
  Flow run_handler(Frame&, const Node& handler, const PythonError&);
  bool takes_for_there(const PythonError& missing, const PythonError& error);
  Flow run_maybe(Frame&, const Node& block);
  Flow run_for(Frame&, const Node&);
  Flow run_while(Frame&, const Node&);
  /// What may as well not happen; false if it raises something.
  template <typename Work>
  bool run_unsure(Frame& frame, const Work& work) {
    const bool before = std::exchange(frame.maybe, true);
    const AtEnd restore([&frame, before] { frame.maybe = before; });
    const Handler handler(*this);
    try {
      work();
    } catch (const PythonError&) {
      return false;
    }
    return true;
  }
  std::vector<std::string> kinds_of(const Frame&, const Node& exceptions) const;
  bool knows_handlers(Frame&, const Node& statement);
  bool is_known_class(Frame&, const std::string& name);
  bool is_known_exception(const Object& type) const;
  void run_assert(Frame&, const Node&);
  void run_augmented(Frame&, const Node&);
  void run_annotated(Frame&, const Node&);
  void run_delete(Frame&, const Node&);
  void delete_item(Frame&, const Node& target);
  void take_from_modules(const Frame&, const Value& key);

  // context_managers.cc
  Flow run_with(Frame&, const Node&);
  Value entered(Frame&, const Value& context);
  void leave(Frame&, const std::vector<Value>& contexts);
  bool may_suppress(const Value& context) const;
  bool may_end_import(const Value& context) const;
  bool ends(Frame&, const Value& context, const PythonError&);

  // match.cc
  Flow run_match(Frame&, const Node&);
  std::optional<bool> matches(Frame&, const Value& subject, const Node& pattern);
  std::optional<bool> matches_sequence(Frame&, const Value& subject, const Node& pattern);
  std::optional<bool> matches_mapping(Frame&, const Value& subject, const Node& pattern);

  // import_statements.cc
  void run_import(Frame&, const Node&);
  /// What imports something; what it brings in is told if an unknown condition stands before it.
  void make_imports(Frame&, const std::function<void()>& make);
  void leave_out(const Frame&, const std::string& module);
  void leave_out_names(const Frame&, const Node& statement, const std::string& module);
  void run_import_names(Frame&, const Node&);
  void run_from_import(Frame&, const Node&);
  bool is_of_known_names(const Module&) const;
  std::optional<Value> imported_attribute(Frame&, Module&, std::string_view name);
  bool may_be_taken_from_compiled_code(const Module&, std::string_view wanted);
  bool may_be_bound_by_compiled_code(const Module&, std::string_view wanted);
  bool is_found(const Module&, const std::optional<Value>&) const;
  bool lacks_name(const Frame&, const Module&, std::string_view name, const std::optional<Value>&);
  void refuse_name_of_python_2(const Frame&, const std::string& type, std::string_view name);
  bool lacks_in_file(const Module&, std::string_view name);
  bool holds_text(const Module&, std::string_view text);
  CythonStringsOfFile strings_of_cython(const Module&);
  bool may_hold(const Module&, const CythonStringsOfFile&, std::string_view name);
  bool may_bind_in_cython(const Module&, std::string_view name);
  static std::string beginning_in_code(std::string_view name);
  bool may_bind_in_c(const Module&, std::string_view name);
  bool may_bind_in_rust(const Module&, std::string_view name);
  bool may_bind_in_code(const Module&, std::string_view name);
  std::optional<Value> copied_names(const Object&, std::string_view attribute);

  // libraries_beside.cc
  bool knows_no_python(const std::string& path, int depth);
  bool need_no_python(const std::string& path, const Image&, int depth);
  CompiledBy maker_of(const Module&);

  // absent_names.cc
  struct PackageCost {
    std::size_t files = 0;
    std::uint64_t bytes = 0;
  };
  static bool is_distinctive(std::string_view name);
  static bool is_made_private(std::string_view name);
  std::optional<std::vector<Token>> tokens_of(std::string_view text);
  bool may_put_together(const Source&, std::string_view name);
  bool may_set(const Source&, std::string_view name);
  bool may_be_bound_by_frames(const Module&);
  bool may_name(const Module&, std::string_view name);
  bool stands_below(const std::string& folder, const std::string& name, PackageCost&, int depth);
  bool is_true_of_package(const std::string& root, const std::function<bool(std::string_view)>&);
  bool stands_in_source(const Source&, std::string_view part);
  bool stands_in_package(const std::string& root, std::string_view name);
  bool stands_in_others(const Frame&, const Module&, const std::string& name);
  bool is_module_nowhere(const std::string& name, const Frame* from);
  bool is_nowhere(const Frame&, const Module&, std::string_view name, const std::optional<Value>&);
  bool refuses_name(const ObjectRef& stand_in, Module&, const std::string& name);
  bool stands_somewhere(const Frame&, const Module&, const std::string& name);

  bool lacks_by_table(const Module&, std::string_view name);
  bool lacks_by_release(const Module&, std::string_view name) const;
  bool lacks_builtin(std::string_view name) const;
  bool says_gone(const Module&, const std::optional<Value>&) const;
  bool is_lack_beyond_doubt(const Module&, std::string_view name, const std::optional<Value>&);
  bool surely_lacks(const Frame&, const Module&, std::string_view name, const std::optional<Value>&);
  bool lacks_attribute(const Frame&, const Module&, std::string_view name, const std::optional<Value>&);
  PythonError attribute_error(const Frame&, const Module&, std::string_view name);
  std::shared_ptr<const LackedName> lacked(const Frame&, const Module&, std::string_view name);
  void note_lost_names(const Frame&, const Node& attempt, const PythonError&);
  std::vector<std::size_t> loads_that_lost(const Module&, std::string_view name) const;
  bool is_sure_to_lack(const Frame&, const Module&, std::string_view wanted);
  std::string described(const Module&) const;
  void import_name(Frame&, Module&, const Node& imported);
  void import_name(Frame&, Module&, const std::string& wanted, std::string_view bound);
  void import_star(Frame&, Module&);

  // lazy_imports.cc
  bool is_lazy(const Frame&, const std::string& module);
  void bind_lazily(Frame&, const Node& statement);
  void bind_lazily(Frame&, const Node& statement, std::size_t part);
  std::optional<Value> resolve_lazily(Frame& asking, Module&, std::string_view name);
  void resolve(Frame&, const Node& statement, std::size_t part, const std::string& bound);
  void resolve_all(Frame&, Module&);

  // definitions.cc
  void run_definition(Frame&, const Node&);
  std::optional<bool> makes_dataclass(Frame&, const Node& decorator, const Value&);
  void check_fields(Frame&, const Node& statement, const std::vector<Value>& decorators, Object& type);
  bool evaluates_annotations(const Frame&) const;
  Value define_class(Frame&, const Node&);
  bool is_sure_base(Frame&, const Node& written, const Value&);
  void refuse_bases(Frame&, const Node& statement, const std::vector<Value>& given);
  void choose_metaclass(Frame&, const Node& statement, const std::vector<Value>& given, Object& type);
  void tell_bases(Frame&, const ObjectRef& type, const Node& given);
  Value define_function(Frame&, const Node&);
  std::string_view keep_name(const std::string& name) { return *kept_names_.insert(name).first; }
  std::vector<Value> define_parameters(Frame&, const Node& parameters);

  // raise.cc
  /// What str() makes of the exception that is being handled; nullopt if the value is none, or its text is not known.
  std::optional<std::string> message_of(const Value&) const;
  std::optional<PythonError> raised_system_error(Frame&, const Node&);
  void take_text(Frame& frame, const Node& exception, PythonError&);
  static std::string first_line(const Value& text);
  void tell_classes(const Object& type, PythonError&);
  void run_raise(Frame&, const Node&);
  void raise_again(const Frame&, const PythonError&);
  bool raises_kept(Frame&, const Node& exception);
  PythonError without_doubt(const PythonError&);

  // names.cc
  /// A path of the tree as the code spells it, and the place in the tree that a full path of the code means: nullopt if
  /// it is not full, or (on Windows) if nothing is there.
  std::string spelled(const std::string& tree_path) const;
  std::optional<std::string> place_of(const std::string& path) const;
  /// A path from the root; nullopt if it is relative, and the current folder is not known.
  std::optional<std::string> full_path(const std::string& path);
  Value search_path(Module&);
  Value look_up(Frame&, std::string_view name);
  void assign(Frame&, std::string_view name, Value);
  Names& names_for(Frame&, const NameKey& name);
  void assign_target(Frame&, const Node& target, const Value&);
  void assign_each(Frame&, const Node& targets, const Value&);
  void assign_attribute(Frame&, const Node& target, const Value&);
  void lose_names(std::string_view module);
  void assign_item(Frame&, const Node& target, const Value&);
  void set_attribute(Frame&, const Value& owner, const std::string& name, const Value&);
  /// Whether an object certainly has no such attribute.
  bool surely_lacks(const Value& owner, std::string_view name);
  bool has_no_docstring(const Object& type);
  /// A name among the globals of a module.
  Value global(const std::string& module, const std::string& name);
  Value attribute(Frame&, const Value&, std::string_view name);
  std::optional<Value> attribute_of_super(Frame&, const Object& object, std::string_view name);
  std::optional<Value> made_by_object(Frame&, const Value& owner, std::string_view special, const Value& asked);
  Value open_by_attribute(Frame&, const std::string& name);
  Value attribute_of_named(Frame&, const std::string& owner, std::string_view name);
  bool is_silent_about(const Object& type, std::string_view name, bool of_instance);
  void refuse_attribute(const Frame&, const ObjectRef&, std::string_view name);
  Value attribute_of_frame(std::string_view module, std::string_view name);
  /// Code that is not followed may bind names in each module that has not run to its end.
  void doubt_running_modules();
  Value attribute_of_module(Frame&, const std::string& module, std::string_view name);
  Value bound(Frame&, const std::shared_ptr<const Function>&, const ObjectRef&, bool own);
  /// The value of a module's attribute; nullopt if it surely has none.
  bool is_left_alone(const Module&, std::string_view name);
  std::optional<Value> module_attribute(Frame&, Module&, std::string_view name);
  std::optional<Value> known_attribute(std::string_view qualified);
  std::optional<Value> member(const Object&, std::string_view name) const;

  // calls.cc
  Value call(Frame&, const Value& callee, const Arguments&);
  Value call_followed(Frame&, const Value& callee, const Arguments&);
  Value call_partial(Frame&, const Object& partial, const Arguments&);
  Value call_builtin(Frame&, const std::string& name, const Arguments&);
  static bool has_doubtful_class(const Object& type);
  bool is_plain_owner(const Value& self) const;
  std::optional<Value> made_by_super(const Frame&, const Arguments&);
  Value call_function(Frame&, const std::shared_ptr<const Function>&, const Arguments&, const Value* self);
  std::optional<Value> call_without_body(Frame& caller, const Function&, const Arguments&, const Value* self,
                                         bool decorates);
  Value call_once(Frame&, const std::shared_ptr<const Function>&, const Arguments&, const Value* self,
                  std::shared_ptr<Scope>);
  void bind(Scope&, const Function&, const Arguments&, const Value* self);
  std::string name_in_message(const Function&) const;
  void refuse_keyword(const Frame& caller, const Function&, const Arguments&);
  void refuse_missing(const Frame& caller, const Function&, const Arguments&, bool self);
  Value other_keywords(const Function&, const Arguments&);
  Value run_function(Frame& caller, const std::shared_ptr<const Function>&, std::shared_ptr<Scope>,
                     std::vector<Value>* yielded);
  bool may_load(const Module&, const Source&, const Node& function, int depth);
  bool names_a_load(const Module&, const Source&, const Node&, int depth);
  bool makes_generator(const Function&);
  Value call_class(Frame&, const ObjectRef&, const Arguments&);
  /// An instance of a class whose __init__ has not run.
  ObjectRef new_instance(const ObjectRef& type);
  /// What a loop over the value would see; nothing if that is not known.
  ListItems module_names();
  bool may_be_loaded_unseen(std::string_view name);
  std::optional<ListItems> items_of(Frame&, const Value&);

  // known_functions.cc
  std::optional<Value> call_known(Frame&, std::string_view name, const Arguments&);
  Value call_method(Frame&, const Value& self, std::string_view method, const Arguments&);
  /// As the `key` and `reverse` of a call say; what cannot be compared stays in its order.
  void sort(const KnownCall&, std::vector<Value>& items);
  Value update_globals(const KnownCall&, const std::string& module);
  void change_globals(const KnownCall&, const std::string& module, std::string_view method);
  void take_from_globals(const Frame&, const std::string& module, const Value& key);
  Value call_named(const KnownCall&, const std::string& name, std::string_view method);

  // known_paths.cc
  std::optional<Value> path_attribute(const std::string& path, std::string_view name);
  std::vector<Value> glob(const std::string& pattern, bool recursive = false);
  std::vector<std::string> all_below(const std::vector<std::string>& folders, bool files_too);
  std::vector<Value> glob_on_windows(const std::string& pattern);

  // windows_calls.cc
  /// What only Windows has: kernel32's functions for DLLs, os.add_dll_directory. Nullopt if `name` is none of it.
  std::optional<Value> call_on_windows(Frame&, std::string_view name, const Arguments&);
  std::optional<bool> has_on_windows(const Value& owner, std::string_view name) const;
  std::optional<Value> known_attribute_on_windows(std::string_view qualified) const;
  Value load_dll(Frame&, const Arguments&, std::optional<std::uint32_t> flags);
  Value add_dll_directory(Frame&, const std::string& folder, bool by_system);
  Value unknown_dll_directory(const Frame&);
  /// "[WinError 126] The specified module could not be found."
  Value system_error(long long code);
  const std::string* variable(const std::string& name);
  void set_variable(Frame&, const std::string& name, const Value&);
  void unset_variable(const Frame&, const std::string& name);
  bool is_unsure_variable(const std::string& name) const;
  /// 1: no assert runs; 2: nothing has a docstring.
  int optimisation();

  // requests.cc
  /// Notes that the frame's line asks for something that is not known; Unknown.
  Value unfollowed(const Frame&, Unfollowed::Kind);
  Value function_of_library(const Frame&, const std::string& path, std::string_view name);
  Value load_library(Frame&, const Value& name, bool global, std::optional<std::uint32_t> flags = std::nullopt);
  LoadAnswer request(LoadStep);
  LoadStep library_step(const Frame&, const std::string& path, const std::string& basis) const;
  /// Throws OSError with the loader's own words if it fails.
  void open_library(const Frame&, const std::string& path, bool global, const std::string& basis,
                    std::optional<std::uint32_t> flags = std::nullopt);
  Value run_rule(Frame&, const Rule&, const Arguments&);
  void run_steps(Frame&, const Rule&, const Arguments&, const std::vector<RuleStep>&);
  void run_step(Frame&, const Rule&, const Arguments&, const RuleStep&);
  void load_by_rule(Frame&, const Rule&, const Arguments&, const RuleStep&);
  bool load_from_table(Frame&, const std::string& key, int depth, std::vector<std::size_t>& failures);
  std::string expand(Frame&, const Rule&, const Arguments&, std::string text);
  std::vector<std::string> hits(const std::vector<std::string>& patterns, bool all);

  const PythonEnvironment& environment_;
  const FileSystem& files_;
  const PythonLoader& loader_;
  const Rules& rules_;
  const CodePaths paths_;
  Budget& cost_;  ///< of the question
  SourceStore* const source_store_;
  const VisibleFiles visible_;
  SourceTexts texts_;   ///< before all that holds sources
  Budget expressions_;  ///< how deep they are nested, comprehensions within comprehensions included
  std::vector<std::shared_ptr<const Source>> sources_;  ///< that no module holds
  std::set<std::string, ByLength> kept_names_;          ///< of modules and classes, for their functions
  mutable Heap heap_;                                   ///< before all that holds values
  ModuleFinder finder_;
  std::uint64_t text_effort_ = 0;                      ///< of absent_names.cc: bytes of texts that it has looked at
  std::set<std::string, std::less<>> names_in_texts_;  ///< "module.name" that stands_somewhere() has found
  List path_;                                          ///< sys.path
  std::vector<std::string> path_items_, search_path_;  ///< what stood in it last, and the folders that this means
  List meta_path_;                                     ///< sys.meta_path, Python's own finders as one
  bool asks_finder_ = false;
  ImportResult result_;
  NameTable<std::unique_ptr<Module>> modules_;
  std::set<std::string, std::less<>> placed_;   ///< the names of those that lie somewhere, and of some that are gone
  Names builtins_;                              ///< that code has named
  std::set<std::string, std::less<>> no_strs_;  ///< texts that stand for paths or bytes
  std::vector<UnsurePut> unsure_puts_;
  std::set<std::pair<std::string, std::uint32_t>> followed_puts_;  ///< sources and lines that assign to sys.modules
  /// Modules, and functions and classes at their top that code that is not followed may call.
  std::set<std::pair<std::string, std::string>> escaped_;
  /// Names of modules that were taken out, and of those in whose place code put others: what they are called now.
  std::map<std::string, std::string, ByLength> put_back_;
  std::vector<Module*> order_;
  std::map<std::string, PythonError, std::less<>> failed_;
  std::set<std::string, std::less<>> tried_again_;  ///< modules of them that were followed once more
  std::size_t taken_for_there_ = 0;                 ///< modules that a handler refused to do without
  std::set<std::pair<std::string, std::size_t>> requested_at_;
  std::size_t requests_ = 0;  ///< that were made of the loader
  /// Imports of functions behind conditions that are not known: the module, and the line that is told if nothing else
  /// imports it.
  std::vector<std::pair<std::string, Unfollowed>> left_out_;
  int asking_depth_ = -1;     ///< how deep an import statement asks a module for a name; -1: none does
  PythonError asked_error_;   ///< what the last __getattr__ of a module raised that lacks the name
  std::string refused_name_;  ///< "module.name", for which it was followed to that exception
  std::string absent_name_;   ///< in no text, while code is asked for it: nothing equals it, or contains it
  std::map<std::string, ObjectRef, std::less<>> stand_ins_;  ///< what code has put in the place of modules, by name
  std::optional<bool> all_lazy_;                             ///< what PYTHON_LAZY_IMPORTS says, once it was asked
  std::set<std::string, std::less<>> lazy_submodules_;  ///< their packages import them when they are asked for them
  /// What was raised with nobody to catch it, and taken not to be, and how deep imports were then.
  std::optional<std::pair<int, PythonError>> doubted_;
  int doubtful_imports_ = 0;  ///< modules that run, and are imported behind such a condition
  /// By path, of modules and libraries beside them: whether no library that they need knows Python, nor they do.
  std::map<std::string, bool> libraries_without_python_;
  std::map<std::string, ArrayBuild> arrays_of_libraries_;  ///< by path, of those beside compiled modules
  std::vector<std::pair<const Module*, std::vector<std::string>>> possible_imports_;  ///< of compiled modules
  std::set<std::string> too_deep_, left_out_of_;  ///< sources of which that was told
  std::vector<std::string> absent_entry_points_;  ///< groups that code asked for, and of which there are none
  std::vector<std::string> absent_libraries_;     ///< that code looked for before it opened them, each once
  struct LostNames {
    std::set<std::string, std::less<>> names;  ///< "*": any
    std::vector<std::size_t> causes;           ///< the failed requests
  };
  std::multimap<std::string, LostNames> lost_names_;  ///< what attempts that failed would have bound, by the module
  struct Handled {
    PythonError error;
    int call_depth, import_depth;  ///< of the function whose handler runs
  };
  std::vector<Handled> handled_;
  std::set<std::string> names_given_to_libraries_;  ///< attributes that code has set on a library of ctypes
  std::optional<PythonError> named_error_;          ///< the last that a handler gave a name: code may raise it later
  using FunctionKey = std::pair<const Source*, Node::Id>;
  std::map<FunctionKey, bool> may_load_, makes_generator_;
  std::set<FunctionKey> too_long_;  ///< functions that could not be followed to their end
  static FunctionKey key_of(const Source& source, const Node& function) { return {&source, function.id()}; }
  struct Catcher {
    std::vector<std::string> kinds;
    int import_depth;          ///< of its own code
    bool unsure;               ///< it is of what may as well not run
    std::size_t opaque_calls;  ///< when it began
    Reach reach;
  };
  std::vector<Catcher> handlers_;
  std::size_t nodes_ = 0;                        ///< that were evaluated
  std::size_t opaque_calls_ = 0;                 ///< calls of what is not followed
  std::size_t opaque_calls_before_ = 0;          ///< of them, those before the module that runs
  const Module* needing_ = nullptr;              ///< a compiled module that imports another one, and fails without it
  bool imports_unseen_ = false;                  ///< code ran that is not followed, and may have imported modules
  bool touched_ = false;                         ///< what is evaluated hangs on something doubtful
  int doubtful_ways_ = 0;                        ///< modules that run, and are imported where that is doubtful
  int unsure_catchers_ = 0;                      ///< handlers and contexts of which it is not known what they catch
  bool decorating_ = false, decorates_ = false;  ///< the next call is that of a decorator
  bool body_was_run_ = false;                    ///< of the function that was called last
  int hidden_names_ = 0;  ///< definitions with type parameters, which bind names that are in no table
  std::map<FunctionKey, Mentions> mentions_;
  std::map<FunctionKey, int> walks_;  ///< how often code that is not followed got a function
  int call_depth_ = 0, import_depth_ = 0, rule_depth_ = 0;
  std::size_t call_steps_ = 0, module_steps_ = 0;
  std::map<std::string, std::string> variables_;  ///< os.environ
  std::set<std::string> unsure_variables_;        ///< of which code may have made something else
  long long last_error_ = 0, handles_ = 0;        ///< GetLastError; DLLs that the code itself has loaded
  std::vector<std::size_t> last_failure_;         ///< the request whose failure GetLastError tells
};

/// What Python raises when the loader says no; `kind` unless the answer names another.
PythonError failed_load(const LoadAnswer&, std::string_view kind);
/// Whether a handler of these kinds, all if there are none, catches an exception.
bool catches(const std::vector<std::string>& kinds, std::string_view kind);
bool catches(const std::vector<std::string>& kinds, const PythonError&);
/// The name of a Named: the class of the exception that is being handled.
inline constexpr std::string_view type_of_exception = "builtins.type of exception";
/// Under what an instance of a class that is derived from str keeps its text.
inline constexpr std::string_view text_of_instance = "text of the instance";
/// What functools.partial makes: an object with `func`, `args` and `keywords`.
inline constexpr std::string_view partial_object = "functools.partial";
/// What super() gives, of which the base class has the names that are asked for; and under what it keeps the instance.
inline constexpr std::string_view super_object = "builtins.super", self_of_super = "the instance";
/// Whether a class is derived from str and from classes that are followed.
bool is_derived_from_str(const Object& type);
/// The text of such an instance, where no class of its own has a name of its own for what is asked of it; else null.
const std::string* text_behind(const Value&, std::initializer_list<std::string_view> asked);
/// Evaluates an expression; what it cannot follow is Unknown.
Value evaluate(Interpreter&, Frame&, const Node& expression);
/// The same behind a condition that cannot be known: what it raises may as well not happen. Its value is unknown.
void evaluate_maybe(Interpreter&, Frame&, const Node& expression);
/// "a.b.c" of a name with its attributes; empty of anything else.
std::string dotted_text(const Node& expression);
/// Whether a name with underscores is one that packages give themselves, by custom, and Python gives to none.
bool is_no_name_of_python(std::string_view name);
inline Node parameters_of(const Function& function) {
  return function.node[function.node.is(NodeKind::lambda) ? 0 : 2];
}
/// The exceptions that a clause names; an empty list catches all.
std::vector<std::string> handled_kinds(const Node& exceptions);
/// What a Named of an open text file begins with, before its path in the tree.
inline constexpr std::string_view text_file = "text file ";
/// The same of a library that ctypes has opened, before the name it was opened by.
inline constexpr std::string_view library_handle = "ctypes handle of ";
/// A Named of /proc/self/maps, open, and of its text.
inline constexpr std::string_view process_maps_file = "process maps file", process_maps = "process maps";
/// A Named of a contextlib.ExitStack.
inline constexpr std::string_view exit_stack = "contextlib.ExitStack()";
/// What a Named of globals() begins with, before the module's name, and one of a frame that runs there.
inline constexpr std::string_view globals_of = "globals of ", frame_in = "frame in ";
/// What globals() gives in a module.
inline Named globals_in(std::string_view module) { return Named{std::string(globals_of) + std::string(module)}; }
/// The module of what globals() gives, by the name of a Named; nullopt of any other.
inline std::optional<std::string> module_of_globals(std::string_view named) {
  return named.starts_with(globals_of) ? std::optional<std::string>(named.substr(globals_of.size())) : std::nullopt;
}
inline std::optional<std::string> module_if_globals(const Value& value) {
  const auto* named = value.get<Named>();
  return named == nullptr ? std::nullopt : module_of_globals(named->name);
}
inline constexpr std::string_view of_distribution = "importlib.metadata.Distribution";
/// Of a search for the files that a pattern fits; PATH_MAX; and the steps of asking the tree for a path.
inline constexpr std::size_t max_hits = 500, max_pattern = 4096;
inline constexpr std::uint64_t work_of_status = 100;
/// What a request of the loader, or a look at what is mapped, costs in steps, and in bytes of the report.
inline constexpr std::uint64_t work_of_request = 5000, size_of_request = 16384;

}  // namespace cudald::python
