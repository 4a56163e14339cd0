#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "pyimport/run_import.h"
#include "tree/watched_tree.h"

namespace cudald::python {

/// One thing that an import asked of the process, and what was answered.
struct Exchange {
  enum class Kind { load, mapped, finds, symbol };
  Kind kind = Kind::load;
  LoadStep step = {};
  std::string text = {};  ///< of a symbol the library
  std::string symbol = {};
  LoadAnswer answer = {};
  bool yes = false;

  void ask(const PythonLoader&);
  bool asks_the_same(const Exchange& other) const;
  /// But for the number that the process gave the request.
  bool says_the_same(const Exchange& other) const;
};

/// An import that was followed to its end, of which all that it hung on is known: the same files and the same answers
/// lead to the same result.
struct FollowedImport {
  TreeSaid files;
  std::map<std::string, std::optional<std::string>> variables;  ///< that the code looked at
  std::optional<std::string> cwd;                               ///< if it looked at that
  std::vector<Exchange> exchanges;
  ImportResult result;
  Cost cost;

  /// Whether files and surroundings of a Python are as they were.
  bool holds(const PythonEnvironment&, const FileSystem&) const;
  /// How many bytes it takes in memory, about.
  std::uint64_t size() const;
  std::string packed() const;
  /// Nullopt if these are no bytes that packed() gave.
  static std::optional<FollowedImport> unpacked(std::string_view bytes);
};

/// What was asked of a process, which is asked each thing once, however many records are held against it.
class ProcessAnswers {
 public:
  explicit ProcessAnswers(const PythonLoader& loader) : loader_(loader) {}

  /// Makes the requests of an import again; its result if each is answered as it was, the causes then being these.
  std::optional<ImportResult> repeat(const FollowedImport&);
  /// Asks what the code asks that is followed. For one import.
  PythonLoader recording();
  std::vector<Exchange> take() { return std::move(all_); }

 private:
  const Exchange& next(Exchange question);

  const PythonLoader& loader_;
  std::vector<Exchange> all_;
  std::size_t at_ = 0;
};

/// An import that has just been followed.
FollowedImport note_followed(const PythonEnvironment&, TreeSaid, std::vector<Exchange>, const ImportResult&,
                             const Cost&);

/// What names a Python, but for the surroundings of its process: with the same bytes, and where code looks at the same
/// of the rest, all is the same.
std::string packed(const PythonEnvironment&);

}  // namespace cudald::python
