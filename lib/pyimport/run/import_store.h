#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "package/package_tree.h"
#include "pyimport/run/cached_imports.h"
#include "pyimport/run_import.h"
#include "pyimport/sources/source_store.h"

namespace cudald {

/// Follows imports for questions about one tree of files, of which many follow the same: trees of sources are made
/// once, and an import is not followed again while the process answers each request as it did the first time. Each
/// question pays what it would alone. What is kept is bounded, and begins anew then. May be asked by several threads;
/// who wants an import that another one follows waits.
class ImportStore {
 public:
  /// `for_later`: others may follow the same imports. Without it only trees of sources are shared. What was followed is
  /// kept for the next run in `folder`, unless that is empty.
  explicit ImportStore(bool for_later = true, std::string folder = "");
  ~ImportStore();
  ImportStore(const ImportStore&) = delete;
  ImportStore& operator=(const ImportStore&) = delete;

  /// As run_import(), over a tree of packages.
  ImportResult run(const std::string& module, const PythonEnvironment&, const PackageTree&, const PythonLoader&,
                   std::string_view rules, Budget&);
  /// All that is kept in memory. Not while an import is followed.
  void forget();
  /// Whether anything was kept for the next run.
  bool has_kept() const { return kept_.has_kept(); }

 private:
  struct World;
  struct SharedWorld;
  struct Place;
  using Followed = std::shared_ptr<const python::FollowedImport>;

  std::shared_ptr<const SharedWorld> shared(World);
  std::shared_ptr<Place> place_of(const std::string& module, World, bool is_shared);
  Followed known(Place&, std::size_t number, const PackageTree&, bool lasts);
  void begin_anew();

  const bool for_later_;
  python::KeptImports kept_;
  python::SourceStore sources_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<const SharedWorld>> worlds_;
  std::vector<std::shared_ptr<Place>> places_;
  std::atomic<std::uint64_t> bytes_ = 0;  ///< of imports that were followed
};

}  // namespace cudald
