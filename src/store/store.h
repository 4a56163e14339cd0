#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cudald/cuda_library.h>
#include <cudald/environment.h>

#include "env/abi.h"
#include "env/windows_host.h"
#include "image/image_store.h"
#include "image/rehearsal.h"
#include "loader/loader.h"
#include "package/installed_packages.h"
#include "package/package_tree.h"
#include "store/symbol_store.h"

namespace cudald {

/// What many questions about one tree share: files already read, loaders already set up, symbol tables.
class Store {
 public:
  explicit Store(const FileSystem& files)
      : packages(files, read_all_tables), images(packages), symbols(packages), installed(packages) {}

  const Loader& loader(const std::string& interpreter, const Abi&, bool musl, const Environment&);
  /// The one that was asked for last; nullptr if none was.
  const Loader* last_loader() const { return last_loader_; }

  /// What a file of CUDA is; nullptr if it is none. With `linked`, also a CUDA runtime linked into it.
  std::shared_ptr<const CudaLibrary> cuda_library(const std::string& absolute_path, bool linked);

  PackageTree packages;  ///< the tree itself, with packages installed over it
  ImageStore images;
  SymbolStore symbols;
  InstalledPackages installed;
  std::optional<WindowsHost> windows;  ///< the machine of the last process of Windows

 private:
  struct KnownLoader {
    std::string interpreter;
    const Abi* abi;
    Environment environment;
    std::unique_ptr<Loader> loader;
  };
  std::map<std::pair<std::string, bool>, std::shared_ptr<const CudaLibrary>> cuda_libraries_;  ///< by path
  std::vector<KnownLoader> loaders_;
  const Loader* last_loader_ = nullptr;
};

}  // namespace cudald
