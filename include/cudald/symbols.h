#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cudald/resolution.h>

namespace cudald {

/// A definition in the process that does not answer a reference of that name.
struct OtherDefinition {
  enum class Obstacle { none, no_hash_table, no_names };  ///< damage that keeps the loader from finding it
  ObjectId object = 0;
  bool in_scope = false;  ///< the search reaches the file: its definition has another version
  std::string version;    ///< of the definition; empty if it has none
  Obstacle obstacle = Obstacle::none;
};

/// A reference that finds no definition in the scope that the loader would search.
struct MissingSymbol {
  ObjectId object = 0;       ///< who refers to it
  std::string name;          ///< as in the file
  std::string version;       ///< empty if the reference carries none
  std::string version_file;  ///< the library that the version is expected from; may be empty
  bool lazy = false;         ///< only called through the PLT and bound lazily: fails at the first call, not at load
  bool of_files = false;     ///< a file of the process should define it, not a program that is not at hand
  std::string message;       ///< the loader's own line
  std::optional<OtherDefinition> other = std::nullopt;  ///< the first that the process has of that name
  std::optional<ObjectId> provider = {};                ///< of Windows: the DLL from which it is imported
  bool by_variable = false;                             ///< it would be lazy without LD_BIND_NOW
};

/// One reference and the object whose definition answers it.
struct Binding {
  ObjectId object = 0;
  std::string name, version;
  ObjectId definer = 0;
};

/// References of one file that another library answers although a library that the file depends on defines them: the
/// other one comes first in the search, because it was loaded for all.
struct Interposition {
  ObjectId object = 0, definer = 0;
  ObjectId own = 0;          ///< the first dependency that defines the name as well
  std::string name;          ///< of the first such reference
  std::size_t count = 0;     ///< of such references
  std::size_t from_own = 0;  ///< references of the same file that `own` answers
};

/// An object of which not all symbols were looked up, or in which not all were found, because a limit was reached; or
/// one whose relocations are damaged.
struct SymbolLimit {
  ObjectId object = 0;
  Defect defect;
};

struct SymbolReport {
  bool complete = true;                 ///< false if some table was malformed
  std::vector<SymbolLimit> limits;      ///< each object once
  std::vector<SymbolLimit> damaged;     ///< objects whose relocations make the loader crash, each once
  std::size_t checked = 0;              ///< references looked up
  std::vector<MissingSymbol> aborting;  ///< references at which the loader gives up with an assertion of its own
  std::vector<MissingSymbol> missing;   ///< strong ones only: an undefined weak symbol is 0 and no fault
  std::vector<Binding> bindings;        ///< of functions of the CUDA runtime; of all symbols if asked for
  /// References with a version that an object without versions answers, not the library that the version names: the
  /// first of each pair of objects.
  std::vector<Binding> foreign;
  std::vector<std::size_t> foreign_counts;  ///< how many there are of each
  std::vector<Interposition> interposed;    ///< one for each three objects
};

/// The C++ name behind a mangled one; empty if it is not mangled, or may be longer than a megabyte.
std::string demangled(const std::string& name);

}  // namespace cudald
