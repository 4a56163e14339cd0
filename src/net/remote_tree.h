#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <cudald/file_system.h>

#include "cache/cached_archive.h"
#include "net/remote_file.h"

namespace cudald {

/// Where what is read of an archive is kept, and the key that names its content. Nothing is kept without one.
struct KeptPlace {
  std::string path, key;
};

/// A tree in which, beside all that another one has, archives lie that are on servers. Each is opened when it is first
/// asked for. What is added before others ask may be asked for by several threads.
class RemoteTree final : public FileSystem {
 public:
  /// Without a transport there are only the files of the other tree.
  RemoteTree(const FileSystem& base, std::shared_ptr<HttpTransport> transport, FetchPolicy policy = {})
      : base_(base), transport_(std::move(transport)), policy_(std::move(policy)) {}

  /// The path at which an archive of that name lies in this tree. What is read of it is kept at `kept.path`, and what
  /// was kept there is not asked for again.
  std::string add(const std::string& name, RemotePlace place, KeptPlace kept = {});

  Result<FileStatus> status(const std::string& path) const override;
  Result<std::unique_ptr<File>> open(const std::string& path) const override;
  Result<std::string> real_path(const std::string& path) const override;
  Result<std::vector<std::string>> list(const std::string& path) const override;

  /// Opens all archives, several at once.
  void open_all() const;

  RemoteCost cost() const;
  /// Keeps of each archive what was read of it. False if something cannot be written.
  bool keep() const;

 private:
  struct Entry {
    std::string path;
    RemotePlace place;
    KeptPlace kept_place;
    std::shared_ptr<KeptArchive> kept = {};
    std::optional<Result<std::shared_ptr<const File>>> file = {};
    std::shared_ptr<RemoteFile> remote = {};  ///< once a server was asked
    std::mutex remote_mutex = {};
  };

  Result<std::shared_ptr<const File>> open_entry(Entry&) const;
  /// Asks the server.
  Result<std::shared_ptr<const File>> reach(Entry&) const;
  Result<std::shared_ptr<const File>> file_of(std::size_t number) const;

  const FileSystem& base_;
  std::shared_ptr<HttpTransport> transport_;
  FetchPolicy policy_;
  std::map<std::string, std::size_t> numbers_;  ///< by path
  std::vector<std::unique_ptr<Entry>> entries_;
  mutable std::mutex mutex_;
};

}  // namespace cudald
