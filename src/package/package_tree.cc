#include "package/package_tree.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/member_file.h"
#include "archive/names_only.h"
#include "archive/zip_bytes.h"
#include "archive/zip_names.h"
#include "base/library_name.h"
#include "base/path.h"
#include "package/conda_package.h"
#include "package/site_packages.h"
#include "tree/system_error.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_text_bytes = std::uint64_t{16} << 20;
constexpr std::size_t most_recent_files = 8;
constexpr std::size_t most_libraries = 10'000;            // of one package; none is known with a tenth of that
constexpr std::uint64_t package_device = 0x637564616c64;  // no device number of a real disk

/// Some wheels mark every file as executable.
bool is_source_name(std::string_view path) {
  const std::string_view suffixes[] = {".py", ".pyi", ".h", ".hpp", ".cuh", ".json", ".txt"};
  return std::any_of(std::begin(suffixes), std::end(suffixes), [&](auto suffix) { return path.ends_with(suffix); });
}

}  // namespace

bool is_package_name(std::string_view path) {
  return path.ends_with(".whl") || path.ends_with(".zip") || is_conda_package_name(path);
}

PackageTarget package_target(std::string_view given) {
  constexpr std::string_view mark = "!/";
  if (const auto end = given.find(mark); end != std::string_view::npos && is_package_name(given.substr(0, end)))
    return {std::string(given.substr(0, end)), std::string(given.substr(end + mark.size()))};
  return {is_package_name(given) ? std::string(given) : "", ""};
}

std::optional<std::string> PackageTree::path_of(std::size_t package, std::string_view member) const {
  for (const auto* paths : {&packages_[package].libraries, &packages_[package].programs})
    for (const auto& path : *paths) {
      const auto name = shown(path);
      const auto end = name.find("!/");
      if (end != std::string::npos && std::string_view(name).substr(end + 2) == member) return path;
    }
  return std::nullopt;
}

Result<std::size_t> PackageTree::install(const std::string& archive, const InflateLimits& limits) {
  auto file = archives_from_.open(archive);
  const auto identity = file ? (*file)->identity() : "";
  history_.push_back(fmt::format("{} {} {} {} {}", limits.member, limits.total, limits.ratio, archive, identity));
  lasting_ = lasting_ && !identity.empty();
  if (!file) return file.error();
  std::shared_ptr<const File> shared = std::move(*file);
  auto left = limits;
  left.total -= std::min(left.total, readable_bytes_);
  return is_conda_package_name(archive) ? install_conda(archive, std::move(shared), left)
                                        : install_wheel(archive, std::move(shared), left);
}

void PackageTree::install_all_of(const PackageTree& other) {
  history_ = other.history_;
  lasting_ = other.lasting_;
  archives_ = other.archives_;
  packages_ = other.packages_;
  readable_bytes_ = other.readable_bytes_;
  placeholders_ = other.placeholders_;
  tree_ = other.tree_;
  installed_ = other.installed_;
}

TreeDescription PackageTree::description() const {
  const bool over_nothing = base_ == &nothing_;
  TreeDescription description{history_, over_nothing || base_ == &archives_from_, lasting_};
  description.parts.push_back(over_nothing ? "nothing" : base_name_);
  return description;
}

void PackageTree::tell_what_is_left_out(Package& package) const {
  if (!tree_.budget().exhausted()) return;
  package.problems.add({ZipProblemKind::too_many_members, std::nullopt, 0,
                        "has more directories and files than are kept: " + tree_.budget().error().message, false});
}

bool PackageTree::add_file(const std::string& path, const Installed& installed) {
  if (!tree_.add_file(path, static_cast<std::uint32_t>(installed_.size()))) return false;
  installed_.push_back(installed);
  return true;
}

Result<std::size_t> PackageTree::install_conda(const std::string& archive, std::shared_ptr<const File> file,
                                               const InflateLimits& limits) {
  auto conda = open_conda_package(std::move(file), archive, rehearse_, limits);
  if (!conda) return conda.error();
  readable_bytes_ += conda->inflated;
  Package package;
  package.archive = archive;
  package.name = conda->index.name;
  package.version = conda->index.version;
  package.depends = std::move(conda->index.depends);
  package.problems = std::move(conda->problems);
  // Binaries are read as they lie in the package: a search path with the placeholder in it must lead to the prefix.
  if (!conda->placeholder.empty()) placeholders_.push_back(std::move(conda->placeholder));
  const auto number = static_cast<std::uint32_t>(archives_.size());
  archives_.push_back(std::move(conda->archive));
  for (auto& entry : conda->files) {
    if (tree_.budget().exhausted()) break;
    const bool is_link = !entry.link.empty();
    const bool added = is_link ? tree_.add_link(entry.path, std::move(entry.link))
                               : add_file(entry.path, {number, entry.member, entry.entry});
    if (!added && !tree_.budget().exhausted()) {
      package.problems.add({ZipProblemKind::file_and_folder, std::nullopt, 0,
                            cudald::quoted(entry.path) + " is below something that is not a directory", false});
    } else if (added && !is_link && is_library_name(file_name(entry.path))) {
      package.libraries.push_back(std::string(prefix) + "/" + entry.path);
    }
  }
  tell_what_is_left_out(package);
  packages_.push_back(std::move(package));
  return number;
}

namespace {

/// The texts of a wheel's .dist-info; nullopt if one is there that cannot be read.
struct DistInfo {
  std::string name;  ///< without ".dist-info"
  std::optional<std::string> metadata, settings, record;
};

/// What is fatal about an archive that has no members; the package is told all else.
Error error_of_empty_zip(const ZipDirectory& directory, Package& package) {
  Error error{ErrorCode::malformed, "is an empty archive, so no wheel", package.archive};
  package.problems = {};
  for (const auto& problem : directory.problems().kept())
    if (problem.fatal)
      error = {ErrorCode::malformed, problem.message, package.archive, problem.offset, 0};
    else
      package.problems.add(problem);
  return error;
}

void add_problems(std::vector<WheelProblem> problems, Package& package) {
  std::move(problems.begin(), problems.end(), std::back_inserter(package.wheel_problems));
}

void take_dist_info(const DistInfo& texts, const WheelFileName* named, const ZipDirectory& directory,
                    Package& package) {
  const auto metadata = parse_wheel_metadata(texts.metadata.value_or(""));
  const auto settings = parse_wheel_settings(texts.settings.value_or(""));
  package.name = metadata.name;
  package.version = metadata.version;
  package.requires_python = metadata.requires_python;
  package.requires_dist = metadata.requires_dist;
  package.tags = settings.tags;
  const auto add_limit = [&](std::string message) {
    package.problems.add(
        {ZipProblemKind::too_many_members, std::nullopt, directory.start(), std::move(message), false});
  };
  if (!metadata.complete)
    add_limit(fmt::format("has a METADATA with more than {} requirements, or one of over {} bytes; the others are read",
                          most_requirements, most_requirement_bytes));
  if (!settings.complete)
    add_limit(fmt::format("has a WHEEL with more than {} tags; the first are read", most_wheel_tags));
  add_problems(check_wheel_identity(named, texts.name, texts.metadata ? &metadata : nullptr,
                                    texts.settings ? &settings : nullptr),
               package);
  if (texts.record) add_problems(check_record(parse_record(*texts.record), directory.members(), texts.name), package);
}

/// Notes a member, by its path in the tree, where it may be judged.
void note_binary(std::string path, const ZipMember& member, Package& package) {
  const auto in_prefix = std::string_view(path).substr(PackageTree::prefix.size() + 1);
  package.for_macos = package.for_macos || path.ends_with(".dylib");
  if (is_library_name(file_name(path))) {
    (member.usable ? package.libraries : package.unusable).push_back(std::move(path));
  } else if (member.usable && (in_prefix.starts_with("bin/") || (member.mode & 0111) != 0) && !is_source_name(path)) {
    package.programs.push_back(std::move(path));
  }
}

void limit_libraries(const ZipDirectory& directory, Package& package) {
  if (package.libraries.size() <= most_libraries) return;
  package.problems.add({ZipProblemKind::too_many_members, std::nullopt, directory.start(),
                        fmt::format("has {} shared libraries; {} are judged", package.libraries.size(), most_libraries),
                        false});
  package.libraries.resize(most_libraries);
}

}  // namespace

Result<std::size_t> PackageTree::install_wheel(const std::string& archive, std::shared_ptr<const File> shared,
                                               const InflateLimits& limits) {
  auto directory = read_zip_directory(*shared, limits);
  if (!directory) return directory.error();
  const auto number = static_cast<std::uint32_t>(archives_.size());
  Package package;
  package.archive = archive;
  package.problems = directory->problems();
  if (directory->members().empty()) {
    auto error = error_of_empty_zip(*directory, package);
    archives_.push_back(std::make_unique<ZipArchive>(std::move(shared), std::move(*directory), restart_points_));
    packages_.push_back(std::move(package));
    return error;
  }
  const auto local = check_local_headers(*shared, *directory);
  if (!local) return local.error();
  package.problems.add(*local);
  for (const auto& member : directory->members())
    if (member.usable) readable_bytes_ += member.size;
  auto opened = std::make_unique<ZipArchive>(std::move(shared), std::move(*directory), restart_points_);
  const auto& zip = *opened;
  archives_.push_back(std::move(opened));
  const auto& members = zip.directory().members();

  const auto from_name = parse_wheel_file_name(file_name(archive));
  const auto* named = from_name ? &*from_name : nullptr;
  const auto dist_info = find_dist_info(members, named, package.wheel_problems);
  if (dist_info) {
    const auto text = [&](const char* name) {
      return text_of(zip, *dist_info + ".dist-info/" + name, package.problems);
    };
    take_dist_info({*dist_info, text("METADATA"), text("WHEEL"), text("RECORD")}, named, zip.directory(), package);
  }
  if (package.name.empty() && from_name) {
    package.name = from_name->distribution;
    package.version = from_name->version;
  }
  InstallFolders folders;
  folders.site_packages = std::string(site_packages.substr(prefix.size() + 1));
  // Source: sysconfig of CPython on Windows, where purelib is {base}\Lib\site-packages and the case does not matter.
  const auto is_of_windows = [](const std::string& tag) { return tag.starts_with("win"); };
  if (from_name && std::any_of(from_name->platform_tags.begin(), from_name->platform_tags.end(), is_of_windows))
    folders.site_packages_in_data = "lib/site-packages";
  // A zip that is no wheel is taken as if its members lay in site-packages.
  auto layout = lay_out_wheel(members, dist_info.value_or("no-dist-info"), folders);
  add_problems(std::move(layout.problems), package);
  for (const auto& entry : layout.files) {
    const auto member = static_cast<std::uint32_t>(entry.member);
    if (add_file(entry.path, {number, member, member}))
      note_binary(std::string(prefix) + "/" + entry.path, members[member], package);
  }
  limit_libraries(zip.directory(), package);
  tell_what_is_left_out(package);
  packages_.push_back(std::move(package));
  return number;
}

std::size_t PackageTree::install_names(const std::string& name, const std::string& version,
                                       const std::vector<std::string>& paths) {
  const auto number = static_cast<std::uint32_t>(archives_.size());
  Package package;
  package.name = name;
  package.version = version;
  std::vector<std::string> names;
  history_.push_back(fmt::format("{} {} {}", name, version, fmt::join(paths, "\n")));
  for (const auto& path : paths) {
    const auto whole = std::string(prefix) + "/" + path;
    const auto member = static_cast<std::uint32_t>(names.size());
    if (tree_.find("/" + path) || !add_file(path, {number, member, member})) continue;
    const auto below_site = std::string(site_packages.substr(prefix.size() + 1)) + "/";
    names.push_back(path.starts_with(below_site) ? path.substr(below_site.size()) : std::string(file_name(path)));
    package.libraries.push_back(whole);
  }
  archives_.push_back(std::make_unique<NamesOnly>(std::move(names)));
  packages_.push_back(std::move(package));
  return number;
}

std::optional<std::string> PackageTree::text_of(const ZipArchive& zip, const std::string& name,
                                                ZipProblems& problems) const {
  const auto index = zip.directory().find(name);
  if (!index) return "";
  const auto& member = zip.directory().members()[*index];
  if (!member.usable) return std::nullopt;  // as was said
  if (member.size > most_text_bytes) {
    problems.add({ZipProblemKind::too_large, index, member.header_offset,
                  fmt::format("has {} bytes; such texts are read up to {}", member.size, most_text_bytes), false});
    return std::nullopt;
  }
  const auto file = zip.open(*index, zip.status(*index), name);
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
  const auto inside = archives_[package]->name(*member);
  return name + "!/" + std::string(inside.substr(0, most)) + (inside.size() > most ? "..." : "");
}

FileStatus PackageTree::status_of(const Installed& installed) const {
  auto status = archives_[installed.archive]->status(installed.member);
  status.id = {package_device + installed.archive, installed.member + std::uint64_t{1}};
  return status;
}

Result<std::shared_ptr<const File>> PackageTree::open_member(const Installed& installed,
                                                             const std::string& path) const {
  const std::lock_guard lock(mutex_);
  auto& known = open_[{installed.archive, installed.member}];
  if (auto file = known.lock()) return file;
  auto file = archives_[installed.archive]->open(installed.member, status_of(installed), path);
  if (!file) return file.error();
  known = *file;
  recent_.push_front(*file);
  if (recent_.size() > most_recent_files) recent_.pop_back();
  return *file;
}

std::string PackageTree::relocated(const std::string& path) const {
  for (const auto& placeholder : placeholders_)
    if (path.starts_with(placeholder) && (path.size() == placeholder.size() || path[placeholder.size()] == '/'))
      return std::string(prefix) + path.substr(placeholder.size());
  return path;
}

std::optional<Result<PathTree::Place>> PackageTree::find(const std::string& given) const {
  // Most paths of a question lie elsewhere, which is seen at a glance: few have a dot, and all have slashes.
  if (placeholders_.empty() && given.find(prefix.substr(1)) == std::string::npos) return std::nullopt;
  const auto path = relocated(given);
  const auto normal = normal_path(path);
  if (normal != prefix && !normal.starts_with(std::string(prefix) + "/")) return std::nullopt;
  // Links change what `..` means, so that the path is followed as it stands, if it goes through the folder at all.
  const bool as_it_stands = path.starts_with(std::string(prefix) + "/");
  auto place = tree_.find((as_it_stands ? path : normal).substr(prefix.size()));
  if (!place) {
    auto error = place.error();
    error.path = given;
    return Result<PathTree::Place>(std::move(error));
  }
  place->path = place->path == "/" ? std::string(prefix) : std::string(prefix) + place->path;
  return place;
}

const PackageTree::Installed* PackageTree::installed_at(const std::string& path) const {
  const auto place = find(path);
  const bool is_file = place && *place && (*place)->node->kind == PathTree::Kind::file;
  return is_file ? &installed_[(*place)->node->number] : nullptr;
}

const Package* PackageTree::package_of(const std::string& path) const {
  const auto* installed = installed_at(path);
  return installed == nullptr ? nullptr : &packages_[installed->archive];
}

std::string PackageTree::shown(const std::string& given) const {
  const auto path = relocated(given);
  const auto place = find(path);
  if (!place || !*place || (*place)->node->kind != PathTree::Kind::file) {
    if (path.starts_with(promised)) return "(promised)" + path.substr(promised.size());
    return path.starts_with(site_packages) ? "site-packages" + path.substr(site_packages.size()) : path;
  }
  const auto& installed = installed_[(*place)->node->number];
  const auto& package = packages_[installed.archive];
  const auto archive =
      package.archive.empty() ? "(" + package.name + ")/" : std::string(file_name(package.archive)) + "!/";
  // A link is named as it stands in the package, which may have been another one.
  const auto normal = normal_path(path);
  const auto same = normal == (*place)->path ? std::nullopt : find(normal);
  if (same && *same && (*same)->node == (*place)->node) return archive + normal.substr(prefix.size() + 1);
  return archive + plain_zip_name(archives_[installed.archive]->name(installed.entry));
}

Result<FileStatus> PackageTree::status(const std::string& path) const {
  const auto place = find(path);
  if (!place) return base_->status(path);
  if (!*place) return place->error();
  const auto& node = *(*place)->node;
  if (node.kind == PathTree::Kind::file) return status_of(installed_[node.number]);
  FileStatus status;
  status.kind = FileKind::folder;
  return status;
}

/// A member that tells the tree when its bytes are found to be damaged, whoever reads it.
class PackageTree::WatchedFile final : public SharedFile {
 public:
  WatchedFile(std::shared_ptr<const File> file, std::string path, std::shared_ptr<Damage> damage)
      : SharedFile(std::move(file)), path_(std::move(path)), damage_(std::move(damage)) {}

  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    auto got = SharedFile::read(offset, into);
    if (!got) note(got.error());
    return got;
  }
  std::optional<Error> verify() const override {
    auto error = SharedFile::verify();
    if (error) note(*error);
    return error;
  }

 private:
  void note(const Error& error) const {
    if (error.code != ErrorCode::malformed) return;
    const std::lock_guard lock(damage_->mutex);
    damage_->members.emplace(path_, error);
  }

  std::string path_;
  std::shared_ptr<Damage> damage_;
};

std::map<std::string, Error> PackageTree::damaged_members() const {
  const std::lock_guard lock(damage_->mutex);
  return damage_->members;
}

Result<std::unique_ptr<File>> PackageTree::open(const std::string& path) const {
  const auto place = find(path);
  if (!place) return base_->open(path);
  if (!*place) return place->error();
  const auto& node = *(*place)->node;
  if (node.kind != PathTree::Kind::file) return error_of_errno(EISDIR, path);
  auto file = open_member(installed_[node.number], shown((*place)->path));
  if (!file) return file.error();
  return std::unique_ptr<File>(std::make_unique<WatchedFile>(std::move(*file), (*place)->path, damage_));
}

Result<std::string> PackageTree::real_path(const std::string& path) const {
  auto place = find(path);
  if (!place) return base_->real_path(path);
  if (!*place) return place->error();
  return std::move((*place)->path);
}

Result<std::vector<std::string>> PackageTree::list(const std::string& path) const {
  const auto place = find(path);
  if (!place) return base_->list(path);
  if (!*place) return place->error();
  if ((*place)->node->kind != PathTree::Kind::folder) return error_of_errno(ENOTDIR, path);
  return PathTree::names_in(*(*place)->node);
}

bool PackageTree::has_name(const std::string& path) const {
  return find(std::string(parent_path(path))) ? FileSystem::has_name(path) : base_->has_name(path);
}

}  // namespace cudald
