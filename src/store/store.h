#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include <cudald/knowledge.h>

#include "image/image_store.h"
#include "image/rehearsal.h"
#include "package/installed_packages.h"
#include "package/package_tree.h"
#include "store/symbol_store.h"

namespace cudald {

struct CudaLibrary;  // cudald/cuda_library.h

/// What was read of one tree, for many questions: files, symbol tables, packages.
class Store {
 public:
  explicit Store(const FileSystem& files, std::shared_ptr<const Knowledge> table = built_in_knowledge())
      : knowledge(std::move(table)),
        packages(files, read_all_tables),
        images(packages),
        symbols(packages),
        installed(packages) {}

  /// What a file of CUDA is; nullptr if it is none. With `linked`, also a CUDA runtime linked into it.
  std::shared_ptr<const CudaLibrary> cuda_library(const std::string& absolute_path, bool linked);

  const std::shared_ptr<const Knowledge> knowledge;
  PackageTree packages;  ///< the tree itself, with packages installed over it
  ImageStore images;
  SymbolStore symbols;
  InstalledPackages installed;

 private:
  std::map<std::pair<std::string, bool>, std::shared_ptr<const CudaLibrary>> cuda_libraries_;  ///< by path
};

}  // namespace cudald
