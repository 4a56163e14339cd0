#include <elf.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <unordered_map>

#include <cudald/image.h>
#include <cudald/wheel.h>

#include "audit/policy.h"
#include "base/library_name.h"
#include "base/path.h"
#include "base/windows_path.h"
#include "loader/loader.h"
#include "machine/abi.h"
#include "process/library_kind.h"
#include "process/process.h"

namespace cudald {
namespace {

/// A wheel's own files and nothing else.
class OnlyPackage final : public FileSystem {
 public:
  OnlyPackage(const Package& package, const PackageTree& tree) : package_(package), tree_(tree) {}

  Result<FileStatus> status(const std::string& path) const override {
    auto status = tree_.status(checked(path));
    return status && (status->kind == FileKind::folder || is_own(path)) ? std::move(status) : absent(path);
  }
  Result<std::unique_ptr<File>> open(const std::string& path) const override {
    return is_own(path) ? tree_.open(path) : Result<std::unique_ptr<File>>(absent(path).error());
  }
  Result<std::string> real_path(const std::string& path) const override { return tree_.real_path(checked(path)); }
  Result<std::vector<std::string>> list(const std::string& path) const override { return tree_.list(checked(path)); }

 private:
  bool is_own(const std::string& path) const { return tree_.package_of(normal_path(path)) == &package_; }
  /// A path outside the environment's folder becomes one that is nowhere.
  std::string checked(const std::string& path) const {
    const auto normal = normal_path(path);
    return normal.starts_with(PackageTree::prefix) ? normal : std::string(PackageTree::prefix) + "/absent";
  }
  static Result<FileStatus> absent(const std::string& path) {
    return Error{ErrorCode::absent, std::strerror(ENOENT), path, std::nullopt, ENOENT};
  }

  const Package& package_;
  const PackageTree& tree_;
};

/// Loads one file after another, each into a process of its own, and writes down what answers their needs.
class NeedFinder {
 public:
  NeedFinder(const FileSystem& files, const ImageStore& images, const Abi& abi, bool musl, const Knowledge& knowledge,
             WheelReport& report)
      : images_(files, images), knowledge_(knowledge), report_(report), interpreter_(interpreter_of({}, abi, musl)) {
    environment_.cpu = x86_64_cpu(4);  // what the processor must be able to do is told apart from this
    environment_.libc = LibcVersion{musl ? LibcKind::musl : LibcKind::glibc, musl ? 1 : 2, musl ? 2 : 36};
    loader_ = musl ? make_musl_loader(files, interpreter_, abi, environment_)
                   : make_glibc_loader(files, interpreter_, abi, environment_);
    for (auto& file : report.files)
      if (file.set_aside.empty()) by_path_[file.path] = &file;
  }

  void find_all() {
    for (const auto& [path, file] : by_path_)
      if (file->extension_module || file->image->elf.interpreter) load(*file);
    // A library that another one needs is seen together with that one, unless they only need each other.
    const auto needed = needed_names();
    for (const bool top : {true, false})
      for (const auto& [path, file] : by_path_)
        if (!seen_.contains(path) && (!top || !needed.contains(std::string(file_name(path))))) load(*file);
    for (const auto& [path, file] : by_path_)
      if (!seen_.contains(path))
        for (const auto& needed_by_file : file->image->elf.needed) add_need(*file, needed_by_file.name);
  }

 private:
  std::set<std::string> needed_names() const {
    std::set<std::string> names;
    for (const auto& [path, file] : by_path_)
      for (const auto& needed : file->image->elf.needed) names.insert(needed.name);
    return names;
  }

  void load(const WheelFile& file) {
    // Thousands of files that all need each other would be thousands of large processes.
    constexpr std::size_t most_steps = 50'000'000;
    if (steps_ > most_steps) {
      report_.complete = false;
      return;
    }
    Process process(images_, *loader_, environment_, knowledge_);
    if (file.image->elf.interpreter) {
      process.start(file.path, file.path, interpreter_);
    } else {
      process.start_host(file.path, file.image->machine, file.image->format, interpreter_);
      process.dlopen(file.path, {.name = file.path}, 0);
    }
    const auto resolution = process.take();
    for (const auto& object : resolution.objects) {
      const auto known = by_path_.find(object.path);
      steps_ += resolution.objects.size() * (1 + object.edges.size());
      if (known == by_path_.end()) continue;
      seen_.insert(object.path);
      for (const auto& edge : object.edges) record(*known->second, edge, resolution);
    }
  }

  /// A need that is met in one process and not in another is not met.
  void record(WheelFile& file, const Edge& edge, const Resolution& resolution) {
    if (edge.kind != EdgeKind::needed && edge.kind != EdgeKind::filter) return;
    const auto [index, first] = add_need(file, edge.name);
    auto& need = file.needs[index];
    if (!edge.object) {
      need.inside.clear();
      return;
    }
    const auto& object = resolution.objects[*edge.object];
    need.is_loader = object.dynamic_loader;
    const auto member = by_path_.find(object.path);
    if (first && member != by_path_.end()) need.inside = member->second->member;
  }

  /// The place of a need, and whether it is new.
  std::pair<std::size_t, bool> add_need(WheelFile& file, const std::string& name) {
    const auto [known, is_new] = known_needs_[&file].emplace(name, file.needs.size());
    if (is_new) file.needs.push_back({name, "", false});
    return {known->second, is_new};
  }

  ImageStore images_;
  const Knowledge& knowledge_;
  WheelReport& report_;
  std::string interpreter_;
  Environment environment_;
  std::unique_ptr<ElfLoader> loader_;
  std::map<std::string, WheelFile*> by_path_;
  std::map<const WheelFile*, std::unordered_map<std::string, std::size_t>> known_needs_;
  std::set<std::string> seen_;
  std::size_t steps_ = 0;
};

/// Source: PEP 425; sysconfig.get_platform() of CPython on Windows.
std::string windows_tag(std::uint16_t machine) {
  switch (machine) {
    case EM_X86_64: return "win_amd64";
    case EM_386: return "win32";
    case EM_AARCH64: return "win_arm64";
    default: return "win_" + machine_name(machine);
  }
}

}  // namespace

void add_elf_files(const Package& package, const PackageTree& tree, ImageStore& images, WheelReport& report) {
  report.other_systems = package.for_macos;
  auto paths = package.libraries;
  paths.insert(paths.end(), package.programs.begin(), package.programs.end());
  images.prefetch(paths);
  paths.insert(paths.end(), package.unusable.begin(), package.unusable.end());
  const auto archive = std::string(file_name(package.archive)) + "!/";
  for (const auto& path : paths) {
    auto member = tree.shown(path);
    if (member.starts_with(archive)) member.erase(0, archive.size());
    const auto& opened = images.open(path);
    if (opened.error) {
      report.unread.push_back(std::move(member));
      report.complete = false;
      continue;
    }
    const auto type = opened.image->type;
    if (opened.image->is_pe()) {
      // The first file tells, but for one that is as the wheel claims.
      const auto tag = windows_tag(opened.image->machine);
      const auto& claimed = report.platform_tags;
      if (report.windows_files.empty() || std::find(claimed.begin(), claimed.end(), tag) != claimed.end())
        report.windows_tag = tag;
      auto& of_modules = report.windows_module_tags;
      if (folded(path).ends_with(".pyd") && std::find(of_modules.begin(), of_modules.end(), tag) == of_modules.end())
        of_modules.push_back(tag);
      report.windows_files.push_back(std::move(member));
      continue;
    }
    report.other_systems = report.other_systems || (!opened.image->is_elf() && is_library_name(file_name(path)));
    if (!opened.image->is_elf() || (type != FileType::shared && type != FileType::executable)) continue;
    WheelFile file;
    file.path = path;
    file.member = std::move(member);
    file.image = opened.image;
    file.extension_module = type == FileType::shared && is_extension_module(path);
    report.files.push_back(std::move(file));
  }
  std::sort(report.files.begin(), report.files.end(),
            [](const WheelFile& a, const WheelFile& b) { return a.member < b.member; });
}

void resolve_needs(const Package& package, const PackageTree& tree, const ImageStore& images, LibcKind libc,
                   const Knowledge& knowledge, WheelReport& report) {
  const auto judged = std::find_if(report.files.begin(), report.files.end(),
                                   [](const WheelFile& file) { return file.set_aside.empty(); });
  if (judged == report.files.end()) return;
  const auto* abi = find_abi(judged->image->machine, judged->image->format, judged->image->byte_order);
  if (abi == nullptr) {
    if (!report.machine.empty()) report.complete = false;
    return;
  }
  const OnlyPackage files(package, tree);
  NeedFinder(files, images, *abi, libc == LibcKind::musl, knowledge, report).find_all();
}

}  // namespace cudald
