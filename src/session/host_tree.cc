#include "session/host_tree.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <cudald/image.h>

#include "base/path.h"
#include "tree/system_error.h"
#include "tree/text_file.h"

namespace cudald {
namespace {

constexpr std::uint64_t device_of_libraries = 0x686f7374206c;  // no device numbers of a real disk
constexpr std::uint64_t device_of_texts = 0x686f73742074;
constexpr const char* nowhere = "/.nowhere";  // where links lead that lead to nothing

/// What machine/glibc_facts.cc looks for in the file of a loader.
std::string loader_text(const HostLoader& loader) {
  std::string text(1, '\0');
  for (const auto& folder : loader.folders) ((text += folder) += '/') += '\0';
  if (!loader.version.empty()) text += "release version " + loader.version + ".";
  return text;
}

/// A file of the given tree on a mount of the described machine.
class MountedFile final : public File {
 public:
  MountedFile(std::unique_ptr<File> file, const MountFlags& mount) : file_(std::move(file)), mount_(mount) {}
  const FileStatus& status() const override { return file_->status(); }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    return file_->read(offset, into);
  }
  std::optional<Error> verify() const override { return file_->verify(); }
  bool is_stream() const override { return file_->is_stream(); }
  bool reads_anywhere(std::uint64_t offset, std::uint64_t size) const override {
    return file_->reads_anywhere(offset, size);
  }
  bool is_at_hand() const override { return file_->is_at_hand(); }
  MountFlags mount() const override { return mount_; }
  std::string capabilities() const override { return file_->capabilities(); }
  std::string identity() const override { return file_->identity(); }
  const KeptFile* kept() const override { return file_->kept(); }

 private:
  std::unique_ptr<File> file_;
  MountFlags mount_;
};

Result<std::unique_ptr<File>> mounted(Result<std::unique_ptr<File>> file, const MountFlags& mount) {
  if (!file) return file;
  return std::unique_ptr<File>(std::make_unique<MountedFile>(std::move(*file), mount));
}

}  // namespace

HostTree::HostTree(const LinuxHostFile& host, const FileSystem& given)
    : host_(host), given_(given), changed_(host.sha256.empty() ? 0 : 1) {
  // Real paths first: a link in the way would lead them elsewhere.
  for (const auto& folder : host.folders) tree_.add_folder(folder);
  for (std::size_t number = 0; number < host.libraries.size(); ++number) add_library(number);
  for (const auto& [path, target] : host.links) tree_.add_link(path, target.empty() ? nowhere : target);
  for (const auto& [path, text] : host.texts) add_text(path, text);
  for (const auto& loader : host.loaders) add_text(loader.path, loader_text(loader));
}

FileId HostTree::id_of(std::size_t library) { return {device_of_libraries, library + std::uint64_t{1}}; }

void HostTree::add_library(std::size_t number) {
  const auto& library = host_.libraries[number];
  Entry entry{Entry::Kind::library, {}, library.start};
  entry.status.kind = FileKind::regular;
  entry.status.size = library.start.empty() ? library.image->file_size : library.start.size();
  entry.status.id = id_of(number);
  entry.status.changed = changed_;
  entry.status.set_user_id = library.set_user_id;
  const auto place = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back(std::move(entry));
  for (const auto& path : library.paths) tree_.add_file(path, place);
}

/// Into a library that has the path, else as a file of its own.
void HostTree::add_text(const std::string& path, std::string text) {
  if (const auto place = tree_.find(path); place && place->node->kind == PathTree::Kind::file) {
    auto& entry = entries_[place->node->number];
    entry.status.size = text.size();
    entry.text = std::move(text);
    return;
  }
  Entry entry{Entry::Kind::text, {}, std::move(text)};
  entry.status.kind = FileKind::regular;
  entry.status.size = entry.text.size();
  entry.status.id = {device_of_texts, entries_.size() + std::uint64_t{1}};
  entry.status.changed = changed_;
  if (tree_.add_file(path, static_cast<std::uint32_t>(entries_.size()))) entries_.push_back(std::move(entry));
}

void HostTree::add_given_file(const std::string& path) {
  const auto real = given_.real_path(path);
  const auto place = real ? *real : normal_path(path);
  const auto number = static_cast<std::uint32_t>(entries_.size());
  if (!tree_.add_file(place, number)) return;
  entries_.push_back({Entry::Kind::given, {}, place});
  // A link to it counts here as it does there.
  const auto found = tree_.find(path);
  const bool leads = found && found->node->kind == PathTree::Kind::file && found->node->number == number;
  if (!leads && normal_path(path) != place) tree_.add_link(path, place);
}

bool HostTree::describes(const std::string& path) const {
  const auto place = tree_.find(path);
  return place && place->node->kind == PathTree::Kind::file && entries_[place->node->number].kind != Entry::Kind::given;
}

bool HostTree::is_given(const std::string& path) const {
  if (given_folders_.empty()) return false;
  const auto normal = normal_path(path);
  return std::any_of(given_folders_.begin(), given_folders_.end(),
                     [&](const std::string& folder) { return normal == folder || normal.starts_with(folder + "/"); });
}

Result<FileStatus> HostTree::status_of(const PathTree::Node& node) const {
  FileStatus status{.changed = changed_};
  if (node.kind == PathTree::Kind::folder) status.kind = FileKind::folder;
  if (node.kind != PathTree::Kind::file) return status;
  const auto& entry = entries_[node.number];
  return entry.kind == Entry::Kind::given ? given_.status(entry.text) : entry.status;
}

Result<FileStatus> HostTree::status(const std::string& path) const {
  if (is_given(path)) return given_.status(path);
  const auto place = tree_.find(path);
  if (!place) return place.error();
  return status_of(*place->node);
}

/// What lies below a directory that does not allow execution does not, either.
MountFlags HostTree::mount_of(const std::string& real_path) const {
  const auto holds = [&](const std::string& folder) {
    return real_path == folder || folder == "/" || real_path.starts_with(folder + "/");
  };
  return {.no_exec = std::any_of(host_.noexec.begin(), host_.noexec.end(), holds)};
}

Result<std::unique_ptr<File>> HostTree::open(const std::string& path) const {
  if (is_given(path)) {
    const auto real = given_.real_path(path);
    return mounted(given_.open(path), mount_of(real ? *real : normal_path(path)));
  }
  const auto place = tree_.find(path);
  if (!place) return place.error();
  if (place->node->kind != PathTree::Kind::file)
    return error_of_errno(place->node->kind == PathTree::Kind::folder ? EISDIR : EINVAL, path);
  const auto& entry = entries_[place->node->number];
  const auto mount = mount_of(place->path);
  if (entry.kind == Entry::Kind::given) return mounted(given_.open(entry.text), mount);
  return make_text_file(entry.status, entry.text, mount);
}

Result<std::string> HostTree::real_path(const std::string& path) const {
  if (is_given(path)) return given_.real_path(path);
  auto place = tree_.find(path);
  if (!place) return place.error();
  return std::move(place->path);
}

Result<std::vector<std::string>> HostTree::list(const std::string& path) const {
  if (is_given(path)) return given_.list(path);
  const auto place = tree_.find(path);
  if (!place) return place.error();
  if (place->node->kind != PathTree::Kind::folder) return error_of_errno(ENOTDIR, path);
  return PathTree::names_in(*place->node);
}

}  // namespace cudald
