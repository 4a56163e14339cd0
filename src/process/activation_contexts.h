#pragma once

#include <optional>
#include <set>
#include <string>

#include "loader/windows/windows_assemblies.h"
#include "machine/windows_tree.h"

namespace cudald {

/// Reads the manifests of programs, DLLs and assemblies, and finds what they lead to.
class ActivationContexts {
 public:
  /// What it is given must outlive it.
  ActivationContexts(ImageStore& images, WindowsTree& tree, const WindowsHost& host)
      : images_(images), tree_(tree), host_(host) {}

  /// Of a file that is loaded as `load_name`; nullopt if it has no manifest.
  std::optional<ActivationContext> context_of(const Image&, const std::string& load_name);

 private:
  struct FoundAssembly {
    Manifest manifest;
    std::string folder;  ///< of its files
    std::string path;    ///< of the manifest
    std::string fault;   ///< why Windows does not take it; empty if it does
  };

  void add(const Manifest&, const std::string& folder, int depth, std::set<std::string>& done, ActivationContext&);
  std::optional<FoundAssembly> find(const Assembly&, const std::string& folder);
  std::optional<FoundAssembly> look_at(const AssemblyPlace&);
  static bool is_other_version(const Assembly&, const AssemblyPlace&, const FoundAssembly&);
  std::optional<Manifest> read(const std::string& tree_path);

  ImageStore& images_;
  WindowsTree& tree_;
  const WindowsHost& host_;
};

}  // namespace cudald
