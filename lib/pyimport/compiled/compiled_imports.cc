#include "pyimport/compiled/compiled_imports.h"

#include <algorithm>
#include <unordered_set>

#include "base/find_bytes.h"
#include "base/lone_names.h"
#include "pyimport/compiled/cython_strings.h"

namespace cudald::python {
namespace {

constexpr std::size_t longest_module_name = 200;
constexpr std::int64_t size_of_variable = 8;

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }
std::string_view first_part(std::string_view name) { return name.substr(0, name.find('.')); }

bool names_capsule(std::string_view name) {
  const auto last = last_part(name);
  return last.size() < name.size() && (last.ends_with("CAPI") || last.ends_with("C_API"));
}

/// Of mypyc: the module that holds the code of several, which are no more than a few lines themselves.
bool names_group(std::string_view name) {
  constexpr std::string_view end = "__mypyc";
  return name.ends_with(end) && name.size() > end.size() && name.find('.') == std::string_view::npos;
}

/// What code that Cython adds to some modules imports at once, and only those have the text.
bool is_used_at_once(std::string_view name) {
  return name == "inspect" || name == "types" || name == "weakref" || name == "datetime";
}

using CalledNames = std::vector<std::string_view>;

/// What Cython's code hands to imports.
struct CythonCalls {
  CalledNames names;     ///< each first argument of a call
  CalledNames required;  ///< those that are imported in any case, in the order of the code
  bool placed = false;   ///< it is known where the variables are
};

/// What stands in the variables that the code loads, if `main` is that of "__main__".
CythonCalls strings_around(std::uint64_t main, const ModuleInitialisation& code, const StringTable& table) {
  CythonCalls calls;
  const auto read = [&](const std::vector<std::uint64_t>& places, CalledNames& names) {
    for (const auto place : places) {
      const auto distance = static_cast<std::int64_t>(place - main);
      const auto found = table.find(distance / size_of_variable);
      if (distance % size_of_variable == 0 && found != table.end()) names.push_back(found->second);
    }
  };
  calls.placed = true;
  read(code.arguments, calls.names);
  read(code.required, calls.required);
  return calls;
}

/// Where the variables are is told by the call that every module has for when it is run as a program: `__name__ =
/// "__main__"`. Other calls with two names may look the same: it is the first where most imports are of something that
/// reads like a module.
CythonCalls strings_of_calls(const ModuleInitialisation& code, const StringTable& table, Heap& heap) {
  constexpr std::size_t most_places = 16;
  const auto name = std::find_if(table.begin(), table.end(), [](const auto& row) { return row.second == "__name__"; });
  if (name == table.end()) return {};
  std::vector<std::uint64_t> places;
  for (const auto& [attribute, value] : code.attributes)
    if (static_cast<std::int64_t>(attribute - value) == name->first * size_of_variable && places.size() < most_places &&
        std::find(places.begin(), places.end(), value) == places.end())
      places.push_back(value);
  CythonCalls best;
  std::ptrdiff_t most = -1;
  for (const auto place : places) {
    heap.work(64 * (code.arguments.size() + code.required.size()));
    auto calls = strings_around(place, code, table);
    const auto modules = std::count_if(calls.required.begin(), calls.required.end(), reads_as_module);
    if (modules <= most) continue;
    best = std::move(calls);
    most = modules;
  }
  return best;
}

class Imports {
 public:
  Imports(std::span<const std::string_view> parts, const ModuleInitialisation* code, const ArrayRules& arrays,
          Heap& heap)
      : parts_(parts), code_(code), arrays_(arrays), heap_(heap) {}

  std::vector<CompiledImport> find() {
    const auto called = code_ == nullptr ? CythonCalls() : strings_of_calls(*code_, code_->strings, heap_);
    if (!called.names.empty())
      for (const auto& [index, string] : code_->strings) {
        heap_.keep(sizeof(std::string_view) * 4);
        of_cython_.insert(string.data());
      }
    find_texts();
    // Of the functions of C that Cython adds, those that are for pickles import it when they are called.
    cython_ = has_text("cython_runtime");
    old_ = !called.names.empty() || has_text("__main__");
    const auto strings = cython_ && !old_
                             ? cython_strings(parts_, heap_, code_ != nullptr ? code_->lengths : std::string_view())
                             : std::nullopt;
    bool placed = false, known = false;
    const bool rust = holds("RUST_BACKTRACE");
    if (code_ != nullptr) {
      const auto calls = strings ? strings_of_calls(*code_, strings->table, heap_) : called;
      placed = add_calls(calls);
      known = calls.placed && code_->all_followed;
      for (const auto name : code_->imported)
        if (is_candidate(name) && !is_older_capsule(name) && !rust && !(cython_ && name == "pickle"))
          add(name, ImportProof::called);
      for (const auto name : code_->of_sip) add(name, ImportProof::called, true);
      for (const auto name : code_->capsules) add(first_part(name), ImportProof::called);
    }
    if (strings && strings->packing == CythonStrings::Packing::zlib) add("zlib", ImportProof::certain);
    for (const auto text : texts_)
      if (last_part(text) == "_cffi_backend" ? !holds("PyInit__cffi_backend") : names_group(text))
        add(text, ImportProof::certain);
    // What Rust's code hands on is not told apart, and texts of Cython are more than what the code is seen to give.
    if (known)
      for (const auto text : code_->texts) {
        heap_.keep(sizeof(std::string_view) * 4);
        taken_.insert(text.data());
      }
    if (code_ == nullptr || cython_ || rust) add_texts(known);
    if (strings && !placed) add_strings(*strings);
    return std::move(imports_);
  }

 private:
  /// Texts that stand alone between two zero bytes and read like a module's name.
  void find_texts() {
    std::unordered_set<std::string_view> known;
    const auto take = [&](std::string_view text) {
      if (of_cython_.contains(text.data()) || (!reads_as_module(text) && !names_group(text))) return;
      if (!known.insert(text).second) return;
      heap_.keep(sizeof(std::string_view) * 4);
      texts_.push_back(text);
    };
    for (const auto part : parts_) {
      heap_.look_at(8 * part.size());
      for_each_lone_name(part, longest_module_name, take);
    }
  }

  bool holds(std::string_view text) const {
    return std::any_of(parts_.begin(), parts_.end(), [&](std::string_view part) { return holds_bytes(part, text); });
  }

  bool has_text(std::string_view text) const { return std::find(texts_.begin(), texts_.end(), text) != texts_.end(); }

  bool add_calls(const CythonCalls& calls) {
    for (const auto name : calls.required)
      if (is_candidate(name)) add(name, ImportProof::called, true);
    for (const auto name : calls.names)
      if (is_candidate(name)) add(name, ImportProof::called);
    return !calls.names.empty();
  }

  /// Where the code is `known`, texts of which it takes no address are for functions that are called later.
  void add_texts(bool known) {
    for (const auto text : texts_)
      if (names_capsule(text)) add_capsule(text);
    // Rust's texts have no zero behind them.
    if (holds("datetime.datetime_CAPI")) add_capsule("datetime.datetime_CAPI");
    for (const auto text : texts_) add_text(text, known && !taken_.contains(text.data()));
  }

  /// What code that Cython and pybind11 add to modules looks up when it is asked for, not while they are initialised.
  bool is_used_later(std::string_view name) const {
    return name == "asyncio.coroutines" || name == "collections.abc" ||
           std::find(arrays_.later.begin(), arrays_.later.end(), name) != arrays_.later.end();
  }

  /// Where the package of arrays is new, this is not asked for.
  bool is_older_capsule(std::string_view text) const {
    return text == arrays_.older.capsule && has_text(arrays_.newer.capsule);
  }

  /// PyCapsule_Import imports the first part of the name it is given. Rust and C may ask for it later.
  void add_capsule(std::string_view text) {
    add(first_part(text), cython_ ? ImportProof::certain : ImportProof::likely);
  }

  void add_text(std::string_view text, bool used_later) {
    const bool dotted = text.find('.') != std::string_view::npos;
    if (text == arrays_.newer.capsule)
      add(text, cython_ ? ImportProof::certain : ImportProof::likely);
    else if (is_older_capsule(text))
      return;
    else if (cython_ && !old_ && is_used_at_once(text))
      add(text, ImportProof::likely);
    else if (dotted && !is_used_later(text))
      add(text, cython_ ? ImportProof::certain : ImportProof::probable);
    else if (cython_ && !dotted)
      add(text, used_later ? ImportProof::possible : ImportProof::package);
  }

  void add_strings(const CythonStrings& strings) {
    for (const auto name : strings.names)
      if (is_candidate(name) && name != "asyncio.coroutines") add(name, ImportProof::possible);
    for (const auto text : strings.texts)
      if (is_candidate(text) && text.find('.') != std::string_view::npos && !is_used_later(text))
        add(text, ImportProof::probable);
  }

  bool is_candidate(std::string_view name) {
    heap_.look_at(64 + name.size());
    return name.size() > 1 && name.size() <= longest_module_name && reads_as_module(name) && name != "__main__";
  }

  void add(std::string_view name, ImportProof proof, bool required = false) {
    if (!names_.insert(name).second) return;
    heap_.keep(2 * (sizeof(CompiledImport) + name.size()));
    imports_.push_back({std::string(name), proof, required});
  }

  std::span<const std::string_view> parts_;
  const ModuleInitialisation* code_;
  const ArrayRules& arrays_;
  Heap& heap_;
  bool cython_ = false;
  bool old_ = false;                           ///< its strings are texts like those of C code: before Cython 3.2
  std::unordered_set<const char*> of_cython_;  ///< where those texts are, as far as they are known
  std::unordered_set<const char*> taken_;      ///< texts of which the code takes the address
  std::vector<std::string_view> texts_;
  std::vector<CompiledImport> imports_;
  std::unordered_set<std::string_view> names_;  ///< in the file, or in what find() has of it
};

}  // namespace

std::vector<CompiledImport> compiled_imports(std::span<const std::string_view> parts, const ModuleInitialisation* code,
                                             const ArrayRules& arrays, Heap& heap) {
  return Imports(parts, code, arrays, heap).find();
}

}  // namespace cudald::python
