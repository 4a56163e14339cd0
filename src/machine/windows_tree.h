#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "binary/image_store.h"
#include "machine/windows_host.h"

namespace cudald {

/// The tree as Windows sees it: drives, backslashes, and names without case.
class WindowsTree {
 public:
  WindowsTree(ImageStore& images, const WindowsHost& host) : images_(images), host_(host) {}

  /// The file or folder in the tree that a full path means; nullopt if there is none.
  std::optional<std::string> find(const std::string& windows_path);
  /// How Windows spells a path of the tree.
  std::string spelled(const std::string& tree_path) const;

 private:
  std::optional<std::string> folder(const std::string& windows_path);

  ImageStore& images_;
  const WindowsHost& host_;
  std::unordered_map<std::string, std::optional<std::string>> folders_;
};

}  // namespace cudald
