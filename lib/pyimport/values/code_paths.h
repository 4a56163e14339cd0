#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace cudald::python {

/// os.path by text alone, as the code's system has it. Source: CPython 3.11 Lib/posixpath.py and Lib/ntpath.py.
class CodePaths {
 public:
  explicit CodePaths(bool windows) : windows_(windows) {}

  bool is_full(std::string_view path) const;
  /// os.path.join of two.
  std::string join(const std::string& folder, const std::string& path) const;
  /// os.path.split.
  std::pair<std::string, std::string> split(const std::string& path) const;
  /// os.path.splitext.
  std::pair<std::string, std::string> split_suffix(const std::string& path) const;
  /// os.path.normpath of a full path.
  std::string normal(const std::string& path) const;

 private:
  std::string_view slashes() const { return windows_ ? "\\/" : "/"; }
  bool windows_;
};

}  // namespace cudald::python
