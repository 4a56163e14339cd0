#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cudald/knowledge.h>
#include <cudald/query.h>
#include <cudald/resolution.h>

#include "binary/image_store.h"
#include "loader/loader.h"
#include "process/walk.h"

namespace cudald {

/// A simulated process of Linux: turns load requests into a Resolution.
class Process final : public Walk {
 public:
  Process(ImageStore& images, const ElfLoader& loader, const Environment& environment, const Knowledge&);

  /// Why the program is a secure process, which the environment says as well.
  void note_secure(std::string because) { resolution_.secure_because = std::move(because); }
  /// Maps the program (or a library, as `ld.so LIB` would), the preloads and all that is needed, breadth first.
  /// `given` is how the user named it, `path` where it lies; its image must be readable.
  void start(const std::string& given, const std::string& path, const std::string& interpreter);
  /// Starts a neutral program that needs nothing itself, for libraries that some program will load.
  void start_host(const std::string& given, std::uint16_t machine, Format, const std::string& interpreter);
  /// A call of dlopen by `caller`. `given` is how the user put it.
  /// Returns the number of its target; what it brings in may make requests of its own.
  std::size_t dlopen(const std::string& given, const DlopenRequest&, ObjectId caller);
  void end(std::string error) override;
  /// A dlopen that `caller` may make later: it is searched as it would be, nothing is mapped.
  void note_soft_dlopen(const std::string& name, ObjectId caller, const std::string& asked_at);

  /// Whether a dlopen of that name by `caller` would find it mapped already.
  bool has_loaded(const std::string& name, ObjectId caller);
  /// Whether a dlopen of that name by `caller` would find it; nothing is mapped.
  bool finds(const std::string& name, ObjectId caller);
  /// The object that such a dlopen would give a handle of; nullopt if it is not mapped.
  std::optional<ObjectId> object_of(const std::string& name, ObjectId caller);
  /// The object that a soname, file name or path means; nullopt if nothing of that name is loaded.
  std::optional<ObjectId> find(const std::string& name) const;
  /// The finished answer, objects numbered in load order.
  Resolution take() override;

 private:
  void add_dynamic_loader(const std::string& interpreter);
  /// Why the loader that a program names never runs, as whoever starts the program reads it; empty if it does.
  std::string refusal_of_interpreter(const OpenedFile& program, const std::string& path,
                                     const std::string& interpreter);
  /// The same of the program or library itself.
  std::string refusal_of_start(const OpenedFile&, const std::string& path, const std::string& interpreter);
  void preload(std::vector<Listed>&);
  void make_known_requests(std::size_t target, ObjectId first_new);
  void name_dangling_links(Edge&);
  bool take_stated_driver(const Request&, Edge&);
  std::string absolute(const std::string& path) const;
  void finish_target(const std::vector<Listed>&, std::size_t first_new);

  const Loader& rules() const override { return loader_; }
  std::optional<std::string> place_of(const std::string& path) override;
  ImageStore::FolderState folder_state(const std::string& path) const override;
  bool settle(const Request&, Edge&) override;
  bool is_there(const Object&) const override;
  void mapped(ObjectId) override;

  const ElfLoader& loader_;
  const Environment& environment_;
  const Knowledge& knowledge_;
};

}  // namespace cudald
