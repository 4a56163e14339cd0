#pragma once

#include <cstdint>
#include <string>

namespace cudald {

/// The names of C++ behind mangled ones, as many and as long as one answer may take. A name of 200 characters can stand
/// for one of gigabytes, as parts of it may be named again by a few characters.
class Demangler {
 public:
  /// Empty if a name is not mangled, if it may be longer than anybody reads, or if too much was spent on others.
  std::string operator()(const std::string& mangled);

 private:
  std::uint64_t left_ = std::uint64_t{32} << 20;  ///< characters, of both
};

}  // namespace cudald
