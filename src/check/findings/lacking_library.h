#pragma once

#include <optional>
#include <string>

#include "check/findings/checks.h"

namespace cudald {

/// Of a function of C that nothing defines, the library among those that the asker needs whose functions begin most
/// like it: SSL_library_init belongs to libssl.so.3, which has SSL_new.
struct LackingLibrary {
  ObjectId object{};
  std::string example;    ///< the function of it that is most like what is missing
  std::size_t alike = 0;  ///< how many letters they have in common
};
std::optional<LackingLibrary> lacking_library(const Case&, const Object& asker, const std::string& symbol);

/// Whether a file of the process has functions that another one may have been made for: not the asker itself, and not
/// the C library.
bool may_serve(const Object&, const Object& asker);

/// Whether a file is of the C library or of a compiler: their functions are called like anything.
bool is_of_c_library(const Object&);

}  // namespace cudald
