#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "binary/image_store.h"
#include "loader/loader.h"
#include "process/object_index.h"
#include "process/process_record.h"

namespace cudald {

enum class ImageSource;  // cudald/image.h

/// The one walk from what is asked for to what is mapped. A loader's rules decide; the walk opens files, keeps the
/// order and records every search. The processes that derive from it know how they begin and end.
class Walk : public ProcessRecord {
 public:
  /// Ends the target that is open.
  virtual void end(std::string error);
  /// Notes what the mapped objects may open by names among their constants.
  void note_constants(ConstantScope);
  /// The finished answer.
  virtual Resolution take() = 0;

 protected:
  /// An object of a start or dlopen in its place.
  struct Listed {
    ObjectId object;
    bool done = false;
  };

  explicit Walk(ImageStore& images) : images_(images) {}
  ~Walk() = default;

  /// A call of dlopen or LoadLibrary, as the loader searches for it.
  Request call_of(const std::string& name, ObjectId caller) const;
  /// Answers a request; what it finds is mapped.
  Edge resolve(Request, bool hard);
  /// As it would be answered; nothing is mapped.
  Edge resolve_softly(Request);
  /// Maps what the objects of the list need, and what that needs, breadth first. Objects before `first_new` were mapped
  /// by an earlier request.
  void map_needs(std::vector<Listed>&, ObjectId first_new, const WindowsLoad& = {});
  /// The image of a file without bytes: taken to have every function asked for.
  std::shared_ptr<Image> image_known_by_name(ImageSource, const std::string& name) const;

  // What a process has of its own.

  virtual const Loader& rules() const = 0;
  /// The file of the tree that the loader means by a path; nullopt: none is there.
  virtual std::optional<std::string> place_of(const std::string& path) = 0;
  /// What stands where the folder of a path should be; in what is no folder nothing is opened.
  virtual ImageStore::FolderState folder_state(const std::string&) const { return ImageStore::FolderState::folder; }
  /// Called if the search gave nothing: whether the process has it nevertheless.
  virtual bool settle(const Request&, Edge&) { return false; }
  /// Whether a file that an object was made of is mapped, as far as the request under way sees.
  virtual bool is_there(const Object& object) const { return !object.unmapped; }
  /// Called before the needs of a new object are looked for.
  virtual void entered(ObjectId) {}
  /// Called when the needs of a new object are mapped.
  virtual void mapped(ObjectId) {}

  /// Who counts as having caused an object to be mapped that answers this request.
  std::optional<ObjectId> brought_in_by(const Request&) const;

  ImageStore& images_;

 private:
  class Searcher;

  void search(const Request&, Edge&);
  /// A folder in which files are looked for.
  struct Folder {
    ImageStore::FolderState state;
    std::optional<std::vector<const std::string*>> subfolders = {};  ///< those of the loader's that it has, once asked
  };

  /// The folder of a candidate: asked about once.
  Folder& folder_of(const Candidate&, const std::string& path);
  const std::vector<const std::string*>& subfolders_in(const std::string& folder, Folder&);
  void enlist(std::vector<Listed>&, std::size_t& self, ObjectId object, bool filter);
  void take_file(const Request&, const Candidate&, const std::string& path, const OpenedFile&, Edge&, Probe&);
  void take_known(const Request&, const Candidate&, const std::string& path, Edge&);

  ObjectIndex index_;
  /// With a slash at the end. The names are kept beside, as they are asked for by a piece of a path, which an
  /// unordered_map of strings takes only since GCC 11.
  std::unordered_map<std::string_view, Folder> folders_;
  std::deque<std::string> folder_names_;
  std::size_t absent_folders_ = 0;  ///< probes in folders that do not exist
};

}  // namespace cudald
