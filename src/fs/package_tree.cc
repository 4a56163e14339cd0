#include "fs/package_tree.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/path.h"
#include "fs/inflated_file.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_text_bytes = std::uint64_t{64} << 20;
constexpr std::size_t most_recent_files = 8;
constexpr std::uint64_t package_device = 0x637564616c64;  // no device number of a real disk

Error no_such(const std::string& path, int number) {
  return {number == EISDIR ? ErrorCode::unreadable : ErrorCode::absent, std::strerror(number), path, std::nullopt, number};
}

/// A member that lies in the archive as it is.
class StoredFile final : public File {
 public:
  StoredFile(std::shared_ptr<const File> archive, std::uint64_t offset, FileStatus status)
      : archive_(std::move(archive)), offset_(offset), status_(status) {}

  const FileStatus& status() const override { return status_; }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    if (offset >= status_.size) return std::size_t{0};
    return archive_->read(offset_ + offset, into.first(std::min<std::uint64_t>(into.size(), status_.size - offset)));
  }

 private:
  std::shared_ptr<const File> archive_;
  std::uint64_t offset_;
  FileStatus status_;
};

/// One reader's hold on a member that several may read.
class SharedFile final : public File {
 public:
  explicit SharedFile(std::shared_ptr<const File> file) : file_(std::move(file)) {}
  const FileStatus& status() const override { return file_->status(); }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    return file_->read(offset, into);
  }

 private:
  std::shared_ptr<const File> file_;
};

/// "libfoo.so", "libfoo.so.1.2", "_C.cpython-311-x86_64-linux-gnu.so".
bool is_library_name(std::string_view name) {
  const auto at = name.find(".so");
  if (at == std::string_view::npos) return false;
  const auto rest = name.substr(at + 3);
  return rest.empty() || rest.front() == '.' || name.ends_with(".so");
}

/// Some wheels mark every file as executable.
bool is_source_name(std::string_view path) {
  const std::string_view suffixes[] = {".py", ".pyi", ".h", ".hpp", ".cuh", ".json", ".txt"};
  return std::any_of(std::begin(suffixes), std::end(suffixes), [&](auto suffix) { return path.ends_with(suffix); });
}

}  // namespace

Result<std::size_t> PackageTree::install(const std::string& archive) {
  auto file = base_.open(archive);
  if (!file) return file.error();
  std::shared_ptr<const File> shared = std::move(*file);
  auto directory = read_zip_directory(*shared);
  if (!directory) return directory.error();
  const auto number = archives_.size();
  Package package;
  package.archive = archive;
  package.problems = directory->problems();
  if (directory->members().empty() && package.problems.empty())
    return Error{ErrorCode::malformed, "an empty archive, so no wheel", archive, std::nullopt, 0};
  if (directory->members().empty()) {
    const auto& problem = package.problems.kept().front();
    return Error{ErrorCode::malformed, "not a wheel that can be read: " + problem.message, archive, problem.offset, 0};
  }
  if (const auto local = check_local_headers(*shared, *directory)) package.problems.add(*local);
  archives_.push_back({std::move(shared), std::move(*directory)});
  const auto& members = archives_.back().directory.members();

  const auto from_name = parse_wheel_file_name(file_name(archive));
  const auto dist_info = find_dist_info(members, from_name ? &*from_name : nullptr, package.wheel_problems);
  InstallFolders folders;
  folders.site_packages = std::string(site_packages.substr(prefix.size() + 1));
  if (dist_info) {
    const auto metadata = parse_wheel_metadata(text_of(number, *dist_info + ".dist-info/METADATA"));
    const auto settings = parse_wheel_settings(text_of(number, *dist_info + ".dist-info/WHEEL"));
    package.name = metadata.name;
    package.version = metadata.version;
    package.requires_python = metadata.requires_python;
    package.requires_dist = metadata.requires_dist;
    package.tags = settings.tags;
    auto wrong = check_wheel_identity(from_name ? &*from_name : nullptr, *dist_info, &metadata, &settings);
    package.wheel_problems.insert(package.wheel_problems.end(), wrong.begin(), wrong.end());
    const auto record_text = text_of(number, *dist_info + ".dist-info/RECORD");
    wrong = check_record(parse_record(record_text), members, *dist_info);
    package.wheel_problems.insert(package.wheel_problems.end(), wrong.begin(), wrong.end());
  }
  if (package.name.empty() && from_name) {
    package.name = from_name->distribution;
    package.version = from_name->version;
  }
  // A zip that is no wheel is taken as if its members lay in site-packages.
  auto layout = lay_out_wheel(members, dist_info.value_or("no-dist-info"), folders);
  package.wheel_problems.insert(package.wheel_problems.end(), layout.problems.begin(), layout.problems.end());
  for (const auto& installed : layout.files) {
    const auto path = std::string(prefix) + "/" + installed.path;
    files_[path] = {number, installed.member};
    const auto& member = members[installed.member];
    if (is_library_name(file_name(path))) {
      (member.usable ? package.libraries : package.unusable).push_back(path);
    } else if (member.usable && (installed.path.starts_with("bin/") || (member.mode & 0111) != 0) && !is_source_name(path)) {
      package.programs.push_back(path);
    }
    for (auto below = path; below.size() > prefix.size();) {
      const std::string folder(parent_path(below));
      auto& names = folders_[folder];
      const std::string name(file_name(below));
      const auto place = std::lower_bound(names.begin(), names.end(), name);
      if (place != names.end() && *place == name) break;
      names.insert(place, name);
      below = folder;
    }
  }
  packages_.push_back(std::move(package));
  return number;
}

std::string PackageTree::text_of(std::size_t archive, const std::string& member) const {
  const auto& directory = archives_[archive].directory;
  const auto index = directory.find(member);
  if (!index || directory.members()[*index].size > most_text_bytes) return "";
  const auto file = open_member({archive, *index}, member);
  if (!file) return "";
  std::string text(directory.members()[*index].size, '\0');
  const auto got = (*file)->read(0, std::as_writable_bytes(std::span(text)));
  text.resize(got ? *got : 0);
  return text;
}

FileStatus PackageTree::status_of(const Installed& installed) const {
  const auto& member = archives_[installed.archive].directory.members()[installed.member];
  FileStatus status;
  status.kind = member.symlink ? FileKind::other : FileKind::regular;
  status.size = member.size;
  status.id = {package_device + installed.archive, installed.member + 1};
  status.executable = (member.mode & 0111) != 0;
  return status;
}

Result<std::shared_ptr<const File>> PackageTree::open_member(const Installed& installed, const std::string& path) const {
  const auto& archive = archives_[installed.archive];
  const auto& member = archive.directory.members()[installed.member];
  const std::lock_guard lock(mutex_);
  auto& known = open_[{installed.archive, installed.member}];
  if (auto file = known.lock()) return file;
  const auto data = find_member_data(*archive.file, archive.directory, installed.member);
  if (!data) return data.error();
  if (!data->usable)
    return Error{ErrorCode::malformed, "its place in the archive cannot be trusted", path, member.header_offset, 0};
  const auto status = status_of(installed);
  std::shared_ptr<const File> file;
  if (member.method == zip_stored) {
    file = std::make_shared<StoredFile>(archive.file, data->offset, status);
  } else {
    file = make_inflated_file(archive.file, {data->offset, member.compressed_size, member.size}, status, path);
  }
  known = file;
  recent_.push_front(file);
  if (recent_.size() > most_recent_files) recent_.pop_back();
  return file;
}

const Package* PackageTree::package_of(const std::string& path) const {
  const auto found = files_.find(path);
  return found == files_.end() ? nullptr : &packages_[found->second.archive];
}

std::string PackageTree::shown(const std::string& path) const {
  if (!is_inside(path)) return path;
  const auto found = files_.find(path);
  if (found == files_.end())
    return path.starts_with(site_packages) ? "site-packages" + path.substr(site_packages.size()) : path;
  const auto& archive = archives_[found->second.archive];
  return std::string(file_name(packages_[found->second.archive].archive)) + "!/" +
         std::string(archive.directory.members()[found->second.member].name);
}

Result<FileStatus> PackageTree::status(const std::string& path) const {
  const auto normal = normal_path(path);
  if (!is_inside(normal)) return base_.status(path);
  if (const auto file = files_.find(normal); file != files_.end()) return status_of(file->second);
  if (!folders_.contains(normal)) return no_such(path, ENOENT);
  FileStatus status;
  status.kind = FileKind::folder;
  return status;
}

Result<std::unique_ptr<File>> PackageTree::open(const std::string& path) const {
  const auto normal = normal_path(path);
  if (!is_inside(normal)) return base_.open(path);
  const auto found = files_.find(normal);
  if (found == files_.end()) return no_such(path, folders_.contains(normal) ? EISDIR : ENOENT);
  auto file = open_member(found->second, shown(normal));
  if (!file) return file.error();
  return std::unique_ptr<File>(std::make_unique<SharedFile>(std::move(*file)));
}

Result<std::string> PackageTree::real_path(const std::string& path) const {
  const auto normal = normal_path(path);
  if (!is_inside(normal)) return base_.real_path(path);
  if (!files_.contains(normal) && !folders_.contains(normal)) return no_such(path, ENOENT);
  return normal;
}

Result<std::vector<std::string>> PackageTree::list(const std::string& path) const {
  const auto normal = normal_path(path);
  if (!is_inside(normal)) return base_.list(path);
  const auto found = folders_.find(normal);
  if (found == folders_.end()) return no_such(path, ENOENT);
  return found->second;
}

}  // namespace cudald
