#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include <cudald/knowledge.h>

#include "base/budget.h"
#include "binary/elf/rehearsal.h"
#include "binary/image_store.h"
#include "package/installed_packages.h"
#include "package/package_tree.h"
#include "store/symbol_store.h"

namespace cudald {

struct CudaLibrary;  // cudald/cuda_library.h

/// What was read of one tree, for many questions: files, symbol tables, packages.
class Store {
 public:
  Store(const FileSystem& files, ThreadLimit& threads, std::shared_ptr<const Knowledge> table)
      : knowledge(std::move(table)),
        packages(files, read_all_tables),
        images(packages, budget, threads),
        symbols(packages, budget),
        installed(packages) {}

  /// What was spent for the question before counts no more; files that are known cost this one the same again.
  void begin_question(const CostLimits&);

  /// What a file of CUDA is; nullptr if it is none. With `linked`, also a CUDA runtime linked into it.
  std::shared_ptr<const CudaLibrary> cuda_library(const std::string& absolute_path, bool linked);

  /// From now on the file is known to be this, or none if it is nullptr, and is not read.
  void know_cuda_library(const FileId&, std::shared_ptr<const CudaLibrary>);

  const std::shared_ptr<const Knowledge> knowledge;
  Budget budget;         ///< of the question
  PackageTree packages;  ///< the tree itself, with packages installed over it
  ImageStore images;
  SymbolStore symbols;
  InstalledPackages installed;

 private:
  std::map<std::pair<std::string, bool>, std::shared_ptr<const CudaLibrary>> cuda_libraries_;         ///< by path
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::shared_ptr<const CudaLibrary>> known_cuda_;  ///< by identity
};

}  // namespace cudald
