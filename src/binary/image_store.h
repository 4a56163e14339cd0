#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <cudald/file_system.h>
#include <cudald/gpu_code.h>
#include <cudald/library_texts.h>
#include <cudald/result.h>
#include <cudald/thread_limit.h>

#include "base/budget.h"
#include "binary/bytes/readers.h"

namespace cudald {

struct Image;      // cudald/image.h
struct KeptFacts;  // binary/cached_facts.h

/// What opening one path gave: an error with errno, or the file's identity and what it says.
struct OpenedFile {
  std::optional<Error> error;
  FileStatus status;
  std::string real_path;
  std::shared_ptr<const Image> image;
  bool no_exec = false;        ///< its file system does not allow execution
  bool no_set_id = false;      ///< its file system gives no rights to who starts it
  std::string capabilities;    ///< of a program: the bytes of its attribute security.capability
  std::optional<GpuCode> gpu;  ///< where it was read on the way
};

/// How the bytes of a path can be read.
enum class FileAccess {
  none,  ///< it cannot be opened
  any_order,
  stream,  ///< going back is costly
};

/// Opens and reads each file once, however many names and processes ask for it. The tree is taken to
/// stand still for the time of one run.
class ImageStore {
 public:
  /// With a budget and threads of its own.
  explicit ImageStore(const FileSystem& files);
  /// Each file costs a question once, when it is asked for; both must outlive the store.
  ImageStore(const FileSystem& files, Budget& budget, ThreadLimit& threads)
      : files_(files), budget_(budget), threads_(threads) {}
  /// A store for another view of the same files, which need not be read once more.
  ImageStore(const FileSystem& files, const ImageStore& known)
      : files_(files), budget_(known.budget_), threads_(known.threads_), kept_(known.kept_), by_id_(known.by_id_) {}
  ImageStore(const ImageStore&) = delete;
  ImageStore& operator=(const ImageStore&) = delete;

  const FileSystem& files() const { return files_; }
  Budget& budget() { return budget_; }
  /// Those that follow belong to another question.
  void begin_question() { ++question_; }
  /// From now on the file of this identity is known to be this, and is not read.
  void know(const FileId& id, std::shared_ptr<const Image> image) { by_id_[id] = {std::move(image), {}}; }
  /// The same of its GPU code, which may be none, and of the names of libraries among its constants.
  void know(const FileId& id, std::shared_ptr<const GpuCode> gpu, LibraryTexts texts) {
    gpu_code_[id] = std::move(gpu);
    library_texts_[id] = std::move(texts);
  }
  /// With ErrorCode::limit if the question has no budget left for it.
  const OpenedFile& open(const std::string& absolute_path);
  /// The GPU code of a file that can be opened; nullptr if it has none, and nothing to say of it.
  std::shared_ptr<const GpuCode> gpu_code(const std::string& absolute_path);
  /// Reads it ahead of files that were opened, on several threads. It is paid when it is asked for.
  void prefetch_gpu_code(const std::vector<std::string>& absolute_paths);
  /// The names of libraries among the constants of a file that can be opened.
  const LibraryTexts& library_texts(const std::string& absolute_path);
  /// Reads them ahead, on several threads.
  void prefetch_library_texts(const std::vector<std::string>& absolute_paths);
  /// Where a text stands alone among the constants of the file that is this image; nullopt if it does not.
  std::optional<std::uint64_t> constant_text(const std::string& absolute_path, const Image&,
                                             const std::string& text) const;
  /// From now on what is found in large files is taken from there, and kept there; it must outlive the store.
  void take_facts_from(KeptFacts& kept) { kept_ = &kept; }
  /// Those, or where nothing is kept.
  KeptFacts& kept_facts() const;
  /// From now on GPU code is read while a stream goes by to be verified, and need not be gone through again.
  void expect_gpu_code() { gpu_code_expected_ = true; }
  /// Asked of the tree once for each path.
  FileAccess access(const std::string& absolute_path);
  /// nullptr if nobody has opened it yet.
  const OpenedFile* known(const std::string& absolute_path) const;
  /// Opens and reads files ahead, the largest first, on several threads. What is thrown there is thrown here.
  void prefetch(std::vector<std::string> absolute_paths);
  enum class FolderState { folder, not_a_folder, absent };
  FolderState folder_state(const std::string& absolute_path);
  bool folder_exists(const std::string& path) { return folder_state(path) == FolderState::folder; }
  /// The names in a folder, sorted; none if it cannot be read.
  const std::vector<std::string>& list(const std::string& absolute_path);
  /// Whether the folder of a path has its last name, be it that of a link that leads nowhere.
  bool has_name(const std::string& absolute_path);

 private:
  struct Known {
    OpenedFile file;
    FileAccess access = FileAccess::none;
    Cost cost;                   ///< of reading it
    std::uint64_t question = 0;  ///< that has paid for it
  };
  struct Own {
    Budget budget;
    ThreadLimit threads;
  };
  ImageStore(const FileSystem& files, std::unique_ptr<Own> own)
      : own_(std::move(own)), files_(files), budget_(own_->budget), threads_(own_->threads) {}

  /// A file that is open.
  struct Recent {
    std::string path;
    std::unique_ptr<File> file;
  };

  void add(const std::string& path, Known known);
  Known read(const std::string& path, Recent* recent = nullptr) const;
  GpuCodeReading read_gpu_code_of(const File&, const Image&) const;
  const OpenedFile& beyond(const std::string& path);

  struct IdHash {
    std::size_t operator()(const FileId& id) const { return id.inode * 31 + id.device; }
  };

  /// An image, and what it cost.
  struct KnownImage {
    std::shared_ptr<const Image> image;
    Cost cost;
  };

  std::unique_ptr<Own> own_;
  const FileSystem& files_;
  Budget& budget_;
  ThreadLimit& threads_;
  std::uint64_t question_ = 1;
  bool gpu_code_expected_ = false;
  KeptFacts* kept_ = nullptr;
  std::unordered_map<std::string, Known> by_path_;
  Recent recent_;  ///< the last one that was read, if it is at hand: its constants are mostly asked for next
  std::unordered_map<std::string, FileAccess> access_;  ///< of paths that by_path_ has not
  std::unordered_map<std::string, OpenedFile> beyond_;  ///< what no budget was left for
  std::unordered_map<FileId, KnownImage, IdHash> by_id_;
  std::unordered_map<FileId, std::shared_ptr<const GpuCode>, IdHash> gpu_code_;
  std::unordered_map<FileId, std::optional<GpuCodeReading>, IdHash> gpu_code_ahead_;  ///< that nobody has asked for yet
  std::unordered_map<FileId, LibraryTexts, IdHash> library_texts_;
  std::unordered_map<std::string, FolderState> folders_;
  std::unordered_map<std::string, bool> has_name_;  ///< of paths that were asked about
  std::unordered_map<std::string, std::vector<std::string>> lists_;
};

}  // namespace cudald
