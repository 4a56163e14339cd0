#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "python/run_import.h"
#include "python/source_store.h"

namespace cudald {

/// Follows imports for questions about one tree of files, of which many follow the same: trees of sources are made
/// once, and an import is not followed again while the process answers each request as it did the first time. Each
/// question pays what it would alone. What is kept is bounded, and begins anew then. May be asked by several threads;
/// who wants an import that another one follows waits.
class ImportStore {
 public:
  /// `for_later`: others may follow the same imports. Without it only trees of sources are shared.
  explicit ImportStore(bool for_later = true);
  ~ImportStore();
  ImportStore(const ImportStore&) = delete;
  ImportStore& operator=(const ImportStore&) = delete;

  /// As run_import(). `tree`: where two questions say the same, all files are the same; none: it is followed again.
  ImportResult run(const std::string& module, const PythonEnvironment&, const FileSystem&,
                   const std::optional<std::vector<std::string>>& tree, const PythonLoader&, std::string_view rules,
                   Budget&);
  /// All that is kept. Not while an import is followed.
  void forget();

 private:
  struct World;
  struct Place;

  std::shared_ptr<const World> shared(World);
  std::shared_ptr<Place> place_of(const std::string& module, World);
  void begin_anew();

  const bool for_later_;
  python::SourceStore sources_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<const World>> worlds_;
  std::vector<std::shared_ptr<Place>> places_;
  std::atomic<std::uint64_t> kept_ = 0;  ///< bytes of imports that were followed
};

}  // namespace cudald
