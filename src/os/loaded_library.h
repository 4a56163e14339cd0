#pragma once

#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <cudald/result.h>

namespace cudald {

/// A library that belongs to the installation is not there. Its text says which, why, and how to install it.
struct MissingLibrary : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A shared library that is loaded when what it offers is first needed, and not with the program: what needs nothing of
/// it starts without it and all that it brings along, also where it is not installed. It stays loaded.
class LoadedLibrary {
 public:
  /// The first of `names` that can be loaded. Error: unreadable, with what the loader says of the first one.
  static Result<LoadedLibrary> load(const std::vector<std::string>& names);

  /// Sets a pointer to a function by the name of that function; to null, if the library has none.
  template <typename Function>
  void take(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(address_of(name));
  }

  /// Of the first function that was asked for in vain.
  const std::string& fault() const { return fault_; }

 private:
  explicit LoadedLibrary(void* handle) : handle_(handle) {}

  void* address_of(const char* name);

  void* handle_;
  std::string fault_;
};

}  // namespace cudald
