#include "package/conda_package.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "archive/decompressed_file.h"
#include "archive/tar_list.h"
#include "archive/zip_bytes.h"
#include "archive/zip_names.h"
#include "base/bounded_json.h"
#include "base/path.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_index_bytes = std::uint64_t{4} << 20;
constexpr std::size_t most_members = most_zip_members;

class TarArchive final : public Archive {
 public:
  TarArchive(std::shared_ptr<const File> tar, std::vector<TarMember> members)
      : tar_(std::move(tar)), members_(std::move(members)) {}

  std::string_view name(std::size_t member) const override { return members_[member].name; }
  FileStatus status(std::size_t member) const override {
    FileStatus status;
    status.kind = FileKind::regular;
    status.size = members_[member].size;
    status.executable = (members_[member].mode & 0111) != 0;
    return status;
  }
  Result<std::shared_ptr<const File>> open(std::size_t member, const FileStatus& status,
                                           const std::string&) const override {
    return open_tar_member(tar_, members_[member], status);
  }

 private:
  std::shared_ptr<const File> tar_;
  std::vector<TarMember> members_;
};

struct Listed {
  std::shared_ptr<const File> tar;
  std::vector<TarMember> members;
};

/// What reading a package costs and keeps.
struct Reading {
  const Rehearsal& rehearse;
  const InflateLimits& limits;
  std::shared_ptr<StreamBudget> streams;
  std::shared_ptr<SieveBudget> sieves = std::make_shared<SieveBudget>();
};

/// What ended the list, as a problem. Of the limits, those on what comes out have no place in the tar.
ZipProblemKind kind_of(const Error& error, const StreamBudget& streams) {
  if (error.code != ErrorCode::limit) return ZipProblemKind::truncated;
  if (error.offset) return ZipProblemKind::too_many_members;
  return streams.total_met() ? ZipProblemKind::over_total : ZipProblemKind::bomb;
}

/// Lists a compressed tar; what is wrong with it becomes problems, and the members in front of it count.
Listed list_members(std::shared_ptr<const File> file, const std::string& name, const Reading& reading,
                    ZipProblems& problems) {
  Listed listed;
  const auto compression = compression_of(*file);
  listed.tar = make_decompressed_file(std::move(file), compression, name, reading.streams);
  std::shared_ptr<SievedFile> sieve;
  if (is_sequential(compression))
    listed.tar = sieve = std::make_shared<SievedFile>(listed.tar, reading.rehearse, reading.sieves);
  std::size_t count = 0;
  const auto error = list_tar(*listed.tar, name, [&](TarMember& member) {
    if (++count > most_members) return;
    if (sieve && member.kind == TarMember::Kind::file && member.extents.empty())
      sieve->sift(plain_zip_name(member.name), member.offset, member.size);
    listed.members.push_back(std::move(member));
  });
  if (count > most_members)
    problems.add({ZipProblemKind::too_many_members, std::nullopt, 0,
                  fmt::format("{} has over {} members; the first are read", name, most_members), false});
  if (error)
    problems.add({kind_of(*error, *reading.streams), std::nullopt, error->offset.value_or(0),
                  fmt::format("{} {}", name, error->message), false});
  return listed;
}

std::string text_of(const Listed& listed, std::string_view name) {
  for (const auto& member : listed.members) {
    if (member.kind != TarMember::Kind::file || plain_zip_name(member.name) != name) continue;
    std::string text(std::min(member.size, most_index_bytes), '\0');
    const auto got = open_tar_member(listed.tar, member, FileStatus{FileKind::regular, member.size, {}, false, false})
                         ->read(0, std::as_writable_bytes(std::span(text)));
    text.resize(got ? *got : 0);
    return text;
  }
  return "";
}

/// NAME-VERSION-BUILD of the file's name, for packages whose index cannot be read.
CondaIndex index_of_name(std::string_view path) {
  auto name = file_name(path);
  name = name.substr(0, name.size() - std::string_view(".conda").size());
  CondaIndex index;
  const auto build = name.rfind('-');
  const auto version =
      build == std::string_view::npos || build == 0 ? std::string_view::npos : name.rfind('-', build - 1);
  if (version == std::string_view::npos) return {std::string(name), "", "", {}, false};
  return {std::string(name.substr(0, version)),
          std::string(name.substr(version + 1, build - version - 1)),
          std::string(name.substr(build + 1)),
          {},
          false};
}

std::optional<CondaIndex> parse_index(const std::string& text) {
  Budget budget(json_limits);
  const auto parsed = parse_json(text, budget);
  if (!parsed || !parsed->is_object()) return std::nullopt;
  const auto& json = *parsed;
  const auto string = [](const nlohmann::json& object, const char* key) {
    const auto value = object.find(key);
    return value != object.end() && value->is_string() ? value->get<std::string>() : std::string();
  };
  CondaIndex index{
      string(json, "name"), string(json, "version"), string(json, "build"), {}, string(json, "noarch") == "python"};
  if (index.name.empty()) return std::nullopt;
  const auto depends = json.find("depends");
  if (depends != json.end() && depends->is_array())
    for (const auto& entry : *depends)
      if (entry.is_string()) index.depends.push_back(entry.get<std::string>());
  return index;
}

/// The prefix that conda replaces in the package's files. That it is one of conda-build's own making is asked for: any
/// other path may be meant. Sources: conda-build, "Package metadata" (paths.json, has_prefix); conda
/// core/portability.py.
std::string placeholder_of(const Listed& info) {
  constexpr std::string_view oldest = "/opt/anaconda1anaconda2anaconda3";
  const auto accepted = [&](std::string_view text) {
    const bool is_made_up = text == oldest || text.find("_placehold") != std::string_view::npos;
    return text.starts_with('/') && is_made_up ? std::string(text) : std::string();
  };
  // One for all files; the list of them can be long.
  const auto paths = text_of(info, "info/paths.json");
  constexpr std::string_view key = "\"prefix_placeholder\"";
  if (const auto found = paths.find(key); found != std::string::npos) {
    const auto begin = paths.find('"', found + key.size());
    const auto end = begin == std::string::npos ? begin : paths.find('"', begin + 1);
    if (end != std::string::npos) return accepted(std::string_view(paths).substr(begin + 1, end - begin - 1));
  }
  const auto list = text_of(info, "info/has_prefix");
  const auto start = list.find_first_not_of('"');
  if (start == std::string::npos) return "";
  return accepted(std::string_view(list).substr(start, list.find_first_of("\" \n", start) - start));
}

/// Whether a link's target leads out of the folder that holds the tree, by its text.
bool leads_out(std::string_view name, std::string_view target) {
  if (target.starts_with('/')) return true;
  std::ptrdiff_t depth = std::count(name.begin(), name.end(), '/');
  for (const auto part : split(target, "/")) {
    if (part == ".." && --depth < 0) return true;
    if (part != ".." && part != "." && !part.empty()) ++depth;
  }
  return false;
}

/// Decides for each member where it is installed, and tells what is wrong with it.
class Layout {
 public:
  Layout(CondaPackage& package, const std::vector<TarMember>& members, const InflateLimits& limits)
      : package_(package), members_(members), limits_(limits) {}

  void make() {
    for (std::uint32_t index = 0; index < members_.size(); ++index) place(index);
  }

 private:
  void tell(ZipProblemKind kind, const TarMember& member, const std::string& what) {
    package_.problems.add(
        {kind, std::nullopt, member.header_offset, fmt::format("{} {}", cudald::quoted(member.name), what), false});
  }

  void place(std::uint32_t index) {
    const auto& member = members_[index];
    if (member.kind == TarMember::Kind::folder && plain_zip_name(member.name).empty()) return;
    check_zip_name(member.name, true, [&](ZipProblemKind kind, const std::string& what) { tell(kind, member, what); });
    const auto name = plain_zip_name(member.name);
    if (!is_safe_zip_name(member.name) || name.empty() || member.kind == TarMember::Kind::folder) return;
    if (const auto [known, is_new] = by_name_.try_emplace(name, index); !is_new) {
      tell(ZipProblemKind::duplicate_name, member, "is there twice");
      known->second = index;
    }
    std::string link;
    auto bytes = index;
    switch (member.kind) {
      case TarMember::Kind::other: return tell(ZipProblemKind::special_file, member, "is a device, FIFO or socket");
      case TarMember::Kind::symlink:
        if (member.link.empty()) return tell(ZipProblemKind::outside, member, "is a link to nothing");
        if (member.link.size() > longest_path)
          return tell(ZipProblemKind::name_too_long, member,
                      fmt::format("is a link to a path of {} bytes", member.link.size()));
        if (leads_out(name, member.link))
          tell(ZipProblemKind::symlink, member,
               fmt::format("is a link out of the package, to {}", cudald::quoted(member.link)));
        link = member.link;
        break;
      case TarMember::Kind::hard_link: {
        const auto original = by_name_.find(plain_zip_name(member.link));
        if (original == by_name_.end() || same_file_.find(original->second) == same_file_.end())
          return tell(
              ZipProblemKind::outside, member,
              fmt::format("is a hard link to {}, which the package does not hold", cudald::quoted(member.link)));
        bytes = same_file_[original->second];
        break;
      }
      default:
        if (member.size > limits_.member)
          return tell(ZipProblemKind::too_large, member,
                      fmt::format("has {} bytes, and --max-member is {}: it is not read", member.size, limits_.member));
    }
    if (member.kind != TarMember::Kind::symlink) same_file_[index] = bytes;
    if (name.starts_with("info/")) return;
    add({conda_installed_path(name, package_.index.noarch_python), std::move(link), index, bytes});
    if (const auto path = conda_installed_path(name, false); path != name)
      add({name.substr(0, name.find('/', 4)), "python3", index, 0});
  }

  /// Unpacked one after another, a name's last member is what stays.
  void add(CondaFile file) {
    const auto [known, is_new] = places_.try_emplace(file.path, package_.files.size());
    if (is_new) {
      package_.files.push_back(std::move(file));
    } else {
      package_.files[known->second] = std::move(file);
    }
  }

  CondaPackage& package_;
  const std::vector<TarMember>& members_;
  const InflateLimits& limits_;
  std::map<std::string, std::uint32_t, std::less<>> by_name_;
  std::map<std::string, std::size_t, std::less<>> places_;  ///< of paths, in the package's files
  std::map<std::uint32_t, std::uint32_t> same_file_;  ///< the member that holds the bytes, for files and hard links
};

/// The member of a .conda whose name begins so; the archive lists few.
std::optional<std::size_t> inner_tar(const ZipDirectory& directory, std::string_view beginning) {
  const auto& members = directory.members();
  for (std::size_t index = 0; index < members.size(); ++index)
    if (members[index].name.starts_with(beginning) && members[index].name.ends_with(".tar.zst") &&
        members[index].usable)
      return index;
  return std::nullopt;
}

Result<CondaPackage> open_zip_of_tars(std::shared_ptr<const File> file, const std::string& path,
                                      const Reading& reading) {
  auto directory = read_zip_directory(*file, reading.limits);
  if (!directory) return directory.error();
  CondaPackage package;
  // The package's members are those of the inner tar: one of the zip around it is named in the text.
  for (auto problem : directory->problems().kept()) {
    if (problem.member)
      problem.message = cudald::quoted(std::string(directory->members()[*problem.member].name)) + " " + problem.message;
    problem.member.reset();
    package.problems.add(std::move(problem));
  }
  const ZipArchive zip(file, std::move(*directory));
  const auto open = [&](std::string_view beginning) -> std::optional<Listed> {
    const auto member = inner_tar(zip.directory(), beginning);
    if (!member) return std::nullopt;
    const std::string name(zip.name(*member));
    auto opened = zip.open(*member, zip.status(*member), name);
    if (!opened) {
      package.problems.add({ZipProblemKind::local_header, std::nullopt, opened.error().offset.value_or(0),
                            fmt::format("{}: {}", name, opened.error().message), false});
      return std::nullopt;
    }
    return list_members(std::move(*opened), name, reading, package.problems);
  };
  const auto info = open("info-");
  auto content = open("pkg-");
  if (!content) {
    const auto why = package.problems.empty() ? "" : ": " + package.problems.kept().front().message;
    return Error{ErrorCode::malformed, "no conda package (no pkg-*.tar.zst in it that can be read)" + why, path};
  }
  const auto index = info ? parse_index(text_of(*info, "info/index.json")) : std::nullopt;
  if (!index)
    package.problems.add({ZipProblemKind::truncated, std::nullopt, 0, "has no readable info/index.json", false});
  package.index = index.value_or(index_of_name(path));
  if (info) package.placeholder = placeholder_of(*info);
  Layout(package, content->members, reading.limits).make();
  package.archive = std::make_unique<TarArchive>(std::move(content->tar), std::move(content->members));
  return package;
}

Result<CondaPackage> open_tar_package(std::shared_ptr<const File> file, const std::string& path,
                                      const Reading& reading) {
  CondaPackage package;
  auto listed = list_members(std::move(file), std::string(file_name(path)), reading, package.problems);
  const auto index = parse_index(text_of(listed, "info/index.json"));
  if (!index) {
    const auto why = package.problems.empty() ? "" : ": " + package.problems.kept().front().message;
    return Error{ErrorCode::malformed,
                 "no conda package (no info/index.json that can be read; a root file system is for --sysroot)" + why,
                 path};
  }
  package.index = *index;
  package.placeholder = placeholder_of(listed);
  Layout(package, listed.members, reading.limits).make();
  package.archive = std::make_unique<TarArchive>(std::move(listed.tar), std::move(listed.members));
  return package;
}

}  // namespace

bool is_conda_package_name(std::string_view path) { return path.ends_with(".conda") || path.ends_with(".tar.bz2"); }

Result<CondaPackage> open_conda_package(std::shared_ptr<const File> file, const std::string& path,
                                        const Rehearsal& rehearse, const InflateLimits& limits) {
  if (const auto missing = missing_archive_library()) return Error{missing->code, missing->message, path};
  Reading reading{rehearse, limits, std::make_shared<StreamBudget>(file->status().size, limits.total)};
  auto package = path.ends_with(".conda") ? open_zip_of_tars(std::move(file), path, reading)
                                          : open_tar_package(std::move(file), path, reading);
  if (package) package->inflated = reading.streams->fresh();
  return package;
}

std::string conda_installed_path(std::string_view name, bool noarch_python) {
  constexpr std::string_view site_packages = "site-packages/", scripts = "python-scripts/", python = "lib/python3.";
  if (noarch_python && name.starts_with(site_packages)) return "lib/python3/" + std::string(name);
  if (noarch_python && name.starts_with(scripts)) return "bin/" + std::string(name.substr(scripts.size()));
  if (!name.starts_with(python)) return std::string(name);
  const auto end = name.find_first_not_of("0123456789", python.size());
  if (end == std::string_view::npos || end == python.size() || name[end] != '/') return std::string(name);
  return "lib/python3" + std::string(name.substr(end));
}

}  // namespace cudald
