#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <cudald/query.h>
#include <cudald/resolution.h>

#include "binary/image_store.h"

namespace cudald {

/// What a simulated process writes down of its requests, whichever loader answers them.
class ProcessRecord {
 public:
  /// A target that cannot even be tried.
  void refuse(const std::string& given, Error);
  /// Opens a target that is made up of the requests up to its end; with `owns_start`, the start is one of them.
  void begin(const std::string& given, TargetKind, bool owns_start);
  bool has_mapped(const std::string& path) const;
  void add_import(Import import) { resolution_.imports.push_back(std::move(import)); }
  /// These requests ended an import by their failure: they were not optional.
  void blame(const std::vector<std::size_t>& targets);
  /// Of these requests the code itself tells that they failed.
  void warn(const std::vector<std::size_t>& targets);
  /// These requests are of what the whole does not come to: their failure is a risk.
  void doubt(const std::vector<std::size_t>& targets);
  /// Any failure among the requests from this one on may have ended it.
  void blame_all_since(std::size_t first_target);
  /// The target that is open.
  std::size_t whole() const { return *whole_; }
  const Resolution& resolution() const { return resolution_; }

 protected:
  Target& add_target(const std::string& given, TargetKind);
  /// A dlopen or LoadLibrary, with what the request says of itself.
  Target& add_request(const std::string& given, const DlopenRequest&, ObjectId caller);
  /// Notes what the mapped objects may open by names among their constants, and do not ask for otherwise. `search` is a
  /// request that maps nothing.
  void note_constants(ImageStore&, ConstantScope, const std::function<Edge(const std::string& name, ObjectId)>& search);
  /// The object is brought in by the last target.
  ObjectId add_object(Object);

  Resolution resolution_;
  std::optional<std::size_t> whole_;  ///< the target between begin() and its end

 private:
  /// A name among the constants, as it is compared.
  std::string constant_key(std::string_view name) const;
  /// The files that are asked for by a path: a text without a folder that is put behind one means the same.
  std::set<std::string> names_asked_by_path() const;
  /// These, and what a note or a table says that the object opens: it is known better than by its constants.
  std::set<std::string> names_known_better(ObjectId, std::set<std::string> asked_by_path) const;
};

}  // namespace cudald
