#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pyimport/run/frame.h"
#include "pyimport/run/part.h"
#include "pyimport/run/python_error.h"

namespace cudald::python {

/// What code asks of the loader: libraries that it opens, by ctypes, by rules and by the functions of Windows.
class LoaderRequests : Part {
 public:
  explicit LoaderRequests(Interpreter& python) : Part(python) {}

  /// What only Windows has: kernel32's functions for DLLs, os.add_dll_directory. Nullopt if `name` is none of it.
  std::optional<Value> call_on_windows(Frame&, std::string_view name, const Arguments&);
  /// Whether Windows has a function of this name; nullopt if it is not known.
  std::optional<bool> has_on_windows(const Value& owner, std::string_view name) const;
  /// A name of ctypes or nt that only Windows has, or that it has another value for.
  std::optional<Value> known_attribute_on_windows(std::string_view qualified) const;
  /// What a library that ctypes has opened has by a name. Throws AttributeError if it surely has none.
  Value function_of_library(const Frame&, const std::string& path, std::string_view name);
  /// ctypes.CDLL(name). Throws OSError with the words of the loader if it fails.
  Value load_library(Frame&, const Value& name, bool global, std::optional<std::uint32_t> flags = std::nullopt);
  /// Asks the process to load something, and counts it.
  LoadAnswer request(LoadStep);
  /// The request for a library that a line asks for.
  LoadStep library_step(const Frame&, const std::string& path, const std::string& basis) const;
  /// Does what a rule of the table says of a function or module.
  Value run_rule(Frame&, const Rule&, const Arguments&);
  /// How many requests were made.
  std::size_t count() const { return count_; }
  /// The request whose failure GetLastError tells.
  const std::vector<std::size_t>& last_failure() const { return last_failure_; }
  /// Code has set this attribute on a library of ctypes.
  void note_name_of_library(const std::string& name) { names_given_to_libraries_.insert(name); }

 private:
  Value load_dll(Frame&, const Arguments&, std::optional<std::uint32_t> flags);
  Value add_dll_directory(Frame&, const std::string& folder, bool by_system);
  Value unknown_dll_directory(const Frame&);
  /// "[WinError 126] The specified module could not be found."
  Value system_error(long long code);
  /// Throws OSError with the loader's own words if it fails.
  void open_library(const Frame&, const std::string& path, bool global, const std::string& basis,
                    std::optional<std::uint32_t> flags = std::nullopt);
  void run_steps(Frame&, const Rule&, const Arguments&, const std::vector<RuleStep>&);
  void run_step(Frame&, const Rule&, const Arguments&, const RuleStep&);
  void load_by_rule(Frame&, const Rule&, const Arguments&, const RuleStep&);
  bool load_from_table(Frame&, const std::string& key, int depth, std::vector<std::size_t>& failures);
  std::string expand(Frame&, const Rule&, const Arguments&, std::string text);
  std::vector<std::string> hits(const std::vector<std::string>& patterns, bool all, bool as_module);

  std::size_t count_ = 0;
  int rule_depth_ = 0;
  std::set<std::string> names_given_to_libraries_;
  long long last_error_ = 0, handles_ = 0;  ///< GetLastError; DLLs that the code itself has loaded
  std::vector<std::size_t> last_failure_;
};

}  // namespace cudald::python
