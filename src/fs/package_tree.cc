#include "fs/package_tree.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/path.h"
#include "fs/inflated_file.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_text_bytes = std::uint64_t{16} << 20;
constexpr std::size_t most_recent_files = 8;
constexpr std::size_t most_libraries = 10'000;  // of one package; none is known with a tenth of that
constexpr std::uint64_t package_device = 0x637564616c64;  // no device number of a real disk

Error no_such(const std::string& path, int number) {
  return {number == EISDIR ? ErrorCode::unreadable : ErrorCode::absent, std::strerror(number), path, std::nullopt, number};
}

/// A member that lies in the archive as it is.
class StoredFile final : public File {
 public:
  StoredFile(std::shared_ptr<const File> archive, std::uint64_t offset, std::uint32_t crc32, FileStatus status,
             std::string name)
      : archive_(std::move(archive)), offset_(offset), crc32_(crc32), status_(status), name_(std::move(name)) {}

  const FileStatus& status() const override { return status_; }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    if (offset >= status_.size) return std::size_t{0};
    return archive_->read(offset_ + offset, into.first(std::min<std::uint64_t>(into.size(), status_.size - offset)));
  }
  std::optional<Error> verify() const override { return check_crc32(*this, crc32_, name_); }

 private:
  std::shared_ptr<const File> archive_;
  std::uint64_t offset_;
  std::uint32_t crc32_;
  FileStatus status_;
  std::string name_;
};

/// One reader's hold on a member that several may read.
class SharedFile final : public File {
 public:
  explicit SharedFile(std::shared_ptr<const File> file) : file_(std::move(file)) {}
  const FileStatus& status() const override { return file_->status(); }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    return file_->read(offset, into);
  }
  std::optional<Error> verify() const override { return file_->verify(); }

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

Result<std::size_t> PackageTree::install(const std::string& archive, const InflateLimits& limits) {
  auto file = base_.open(archive);
  if (!file) return file.error();
  std::shared_ptr<const File> shared = std::move(*file);
  auto left = limits;
  left.total -= std::min(left.total, readable_bytes_);
  auto directory = read_zip_directory(*shared, left);
  if (!directory) return directory.error();
  const auto number = archives_.size();
  Package package;
  package.archive = archive;
  package.problems = directory->problems();
  if (directory->members().empty()) {
    // The error tells what is fatal, the package all else.
    Error error{ErrorCode::malformed, "is an empty archive, so no wheel", archive, std::nullopt, 0};
    package.problems = {};
    for (const auto& problem : directory->problems().kept())
      if (problem.fatal)
        error = {ErrorCode::malformed, problem.message, archive, problem.offset, 0};
      else
        package.problems.add(problem);
    archives_.push_back({std::move(shared), std::move(*directory)});
    packages_.push_back(std::move(package));
    return error;
  }
  const auto local = check_local_headers(*shared, *directory);
  if (!local) return local.error();
  package.problems.add(*local);
  for (const auto& member : directory->members())
    if (member.usable) readable_bytes_ += member.size;
  archives_.push_back({std::move(shared), std::move(*directory)});
  const auto& members = archives_.back().directory.members();

  const auto from_name = parse_wheel_file_name(file_name(archive));
  const auto dist_info = find_dist_info(members, from_name ? &*from_name : nullptr, package.wheel_problems);
  InstallFolders folders;
  folders.site_packages = std::string(site_packages.substr(prefix.size() + 1));
  if (dist_info) {
    const auto folder = *dist_info + ".dist-info/";
    const auto metadata_text = text_of(number, folder + "METADATA", package.problems);
    const auto settings_text = text_of(number, folder + "WHEEL", package.problems);
    const auto record_text = text_of(number, folder + "RECORD", package.problems);
    const auto metadata = parse_wheel_metadata(metadata_text.value_or(""));
    const auto settings = parse_wheel_settings(settings_text.value_or(""));
    package.name = metadata.name;
    package.version = metadata.version;
    package.requires_python = metadata.requires_python;
    package.requires_dist = metadata.requires_dist;
    package.tags = settings.tags;
    auto wrong = check_wheel_identity(from_name ? &*from_name : nullptr, *dist_info, metadata_text ? &metadata : nullptr,
                                      settings_text ? &settings : nullptr);
    package.wheel_problems.insert(package.wheel_problems.end(), wrong.begin(), wrong.end());
    if (record_text) {
      wrong = check_record(parse_record(*record_text), members, *dist_info);
      package.wheel_problems.insert(package.wheel_problems.end(), wrong.begin(), wrong.end());
    }
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
  if (package.libraries.size() > most_libraries) {
    package.problems.add({ZipProblemKind::too_many_members, std::nullopt, archives_.back().directory.start(),
                          fmt::format("has {} shared libraries; {} are judged", package.libraries.size(), most_libraries),
                          false});
    package.libraries.resize(most_libraries);
  }
  packages_.push_back(std::move(package));
  return number;
}

std::optional<std::string> PackageTree::text_of(std::size_t archive, const std::string& name,
                                                ZipProblems& problems) const {
  const auto& directory = archives_[archive].directory;
  const auto index = directory.find(name);
  if (!index) return "";
  if (!directory.members()[*index].usable) return std::nullopt;  // as was said
  const auto& member = directory.members()[*index];
  if (member.size > most_text_bytes) {
    problems.add({ZipProblemKind::too_large, index, member.header_offset,
                  fmt::format("has {} bytes; such texts are read up to {}", member.size, most_text_bytes), false});
    return std::nullopt;
  }
  const auto file = open_member({archive, *index}, name);
  if (!file) return std::nullopt;  // its local header is wrong, as was said
  std::string text(member.size, '\0');
  const auto got = (*file)->read(0, std::as_writable_bytes(std::span(text)));
  const auto error = got ? (*file)->verify() : got.error();
  if (!error) return text;
  problems.add({ZipProblemKind::damaged, index, error->offset.value_or(member.header_offset),
                "cannot be unpacked: " + error->message, false});
  return std::nullopt;
}

std::string PackageTree::name_in_archive(std::size_t package, std::optional<std::size_t> member) const {
  constexpr std::size_t most = 200;
  std::string name(file_name(packages_[package].archive));
  if (!member) return name;
  const auto inside = archives_[package].directory.members()[*member].name;
  return name + "!/" + std::string(inside.substr(0, most)) + (inside.size() > most ? "..." : "");
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
    file = std::make_shared<StoredFile>(archive.file, data->offset, member.crc32, status, path);
  } else {
    file = make_inflated_file(archive.file, {data->offset, member.compressed_size, member.size, member.crc32},
                              status, path);
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
