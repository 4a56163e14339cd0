#pragma once

#include <string>
#include <string_view>

namespace cudald {

/// The path of the tree that a typed path means. On Linux itself. On Windows, where the tree has drives as directories:
/// "C:\a" is "/C:/a", "\\server\share\a" is "/UNC/server/share/a", and "a\b" is "a/b".
std::string tree_path_of_typed(const std::string& typed);

/// Takes that back in text that is written out, where paths of the tree are: "/C:/a" becomes "C:/a", and
/// "/UNC/server/share" becomes "//server/share". On Linux text stays as it is.
class TypedPaths {
 public:
  /// Text that follows what was given before. What may be the beginning of such a path is kept back.
  std::string next(std::string_view text);
  /// What was kept back.
  std::string rest();

 private:
  std::string kept_;
  [[maybe_unused]] char before_ = '\n';  ///< the last byte that was given; nothing asks for it on Linux
};

}  // namespace cudald
