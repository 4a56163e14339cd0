#pragma once

#include <memory>
#include <optional>
#include <string>

#include <cudald/result.h>

#include "cli/options/options.h"
#include "cli/output/host.h"
#include "index/cached_wheels.h"
#include "index/index_settings.h"
#include "index/keyring.h"
#include "lock/lock_file.h"
#include "net/remote_tree.h"
#include "session/wheel_index.h"

namespace cudald {

/// What --online reads from servers, and what it keeps of that. Without --online it is the other tree and no more.
class Online final : public WheelIndex {
 public:
  /// Error{usage} if --online is asked for and there is no libcurl, or a setting of pip or uv is wrong.
  static Result<std::unique_ptr<Online>> open(const Options&, const Host&, const FileSystem& files);

  /// Asks the index for the wheels of packages of which the lock names none. Error{usage} if no index is named, or it
  /// does not know a package.
  std::optional<Error> name_wheels(LockFile&);
  /// The wheels that the indexes have of a project. Error{usage} if none is named;
  /// absent if no index knows it; else what fetch() says.
  Result<std::vector<LockedFile>> wheels_of(const std::string& project) override;
  /// Where a file can be read in tree(). It counts as that file as far as its hash is stated: without one, nothing is
  /// kept of it.
  std::string reach(const LockedFile&) override;
  /// The METADATA that an index has beside a file. Error: what fetch() says; malformed if its hash is not that of the
  /// index.
  Result<std::string> metadata(const LockedFile&) const;
  bool is_on() const { return transport_ != nullptr; }
  /// Error{usage} if no setting names an index that could be asked.
  std::optional<Error> lacks_index() const;
  RemoteTree& tree() { return tree_; }
  /// Keeps what was read, within the limits of the cache.
  void keep();

 private:
  Online(const Host& host, const FileSystem& files, std::shared_ptr<HttpTransport> transport)
      : host_(host), transport_(transport), tree_(files, transport) {}

  struct Page {
    std::vector<LockedFile> wheels;
    std::chrono::seconds fresh_for{0};
  };
  Result<Page> page_of(const std::string& index, const std::string& project) const;
  /// What the indexes have of a project, as an installer puts it together. Errors: absent; what fetch() says.
  Result<Page> pages_of(const std::string& project) const;
  std::optional<Error> find_wheels(LockedPackage&, const KeptWheels&) const;

  const Host& host_;
  std::shared_ptr<HttpTransport> transport_;
  RemoteTree tree_;
  IndexSettings indexes_;
  std::shared_ptr<KeyringSettings> keyring_;  ///< that the transport asks; may be none
  std::string folder_;                        ///< of the cache; empty: nothing is kept
};

/// The SHA-256 of a file is held against one of those that the lock states. The error says what differs.
std::optional<Error> verify_hash(const FileSystem&, const std::string& path, const std::vector<std::string>& hashes);

}  // namespace cudald
