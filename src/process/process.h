#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cudald/query.h>
#include <cudald/resolution.h>

#include "image/image_store.h"
#include "loader/loader.h"
#include "process/process_record.h"

namespace cudald {

/// A simulated process: the one walk that turns load requests into a Resolution. The loader's rules decide; the walk
/// opens files, keeps the order and records every search.
class Process : public ProcessRecord {
 public:
  Process(ImageStore& images, const Loader& loader, const Environment& environment);

  /// Maps the program (or a library, as `ld.so LIB` would), the preloads and all that is needed, breadth first.
  /// `given` is how the user named it, `path` where it lies; its image must be readable.
  void start(const std::string& given, const std::string& path, const std::string& interpreter);
  /// Starts a neutral program that needs nothing itself, for libraries that some program will load.
  void start_host(const std::string& given, std::uint16_t machine, Format, const std::string& interpreter);
  /// A call of dlopen by `caller`. `given` is how the user put it.
  /// Returns the number of its target; what it brings in may make requests of its own.
  std::size_t dlopen(const std::string& given, const DlopenRequest&, ObjectId caller);
  /// Ends the target that is open.
  void end(std::string error);
  /// A dlopen that `caller` may make later: it is searched as it would be, nothing is mapped.
  void note_soft_dlopen(const std::string& name, ObjectId caller, const std::string& asked_at);

  /// Notes what the mapped objects may open by names among their constants.
  void note_constants(ConstantScope);

  /// Whether a dlopen of that name by `caller` would find it mapped already.
  bool has_loaded(const std::string& name, ObjectId caller);
  /// The object that a soname, file name or path means; nullopt if nothing of that name is loaded.
  std::optional<ObjectId> find(const std::string& name) const;
  /// The finished answer, objects numbered in load order.
  Resolution take();

 private:
  class Searcher;

  struct Listed {
    ObjectId object;
    bool done = false;
  };

  void add_dynamic_loader(const std::string& interpreter);
  void preload(std::vector<Listed>&);
  void map_dependencies(std::vector<Listed>&, ObjectId first_new);
  void enlist(std::vector<Listed>&, std::size_t& self, ObjectId object, bool filter);
  void add_soft_edges(ObjectId);
  void make_known_requests(std::size_t target, ObjectId first_new);
  Edge resolve_softly(const std::string& name, ObjectId caller);
  Edge resolve(Request, bool hard);
  void search(const Request&, Edge&);
  void name_dangling_links(Edge&);
  bool take_stated_driver(const Request&, Edge&);
  void take_candidate(const Request&, const Candidate&, const std::string& path, const OpenedFile&, Edge&, Probe&);
  std::string absolute(const std::string& path) const;
  void finish_target(const std::vector<Listed>&, std::size_t first_new);

  ImageStore& images_;
  const Loader& loader_;
  const Environment& environment_;
  std::size_t absent_folders_ = 0;  ///< probes in folders that do not exist
};

/// Checks what the objects from `first` on want of others' versions and adds what fails to the resolution, in the words
/// of the loader. Source: glibc elf/dl-version.c, _dl_check_map_versions and match_symbol.
void find_version_problems(Resolution&, ObjectId first);

}  // namespace cudald
