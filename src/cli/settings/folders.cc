#include "cli/settings/folders.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/path.h"
#include "base/refusals.h"
#include "package/package_tree.h"

namespace cudald {
namespace {

constexpr std::size_t most_levels = 64;

bool is_library_name(std::string_view name) {
  std::string folded(name);
  std::transform(folded.begin(), folded.end(), folded.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const std::string_view ending : {".so", ".dll", ".pyd", ".exe"})
    if (folded.ends_with(ending)) return true;
  const auto versioned = name.rfind(".so.");
  return versioned != std::string_view::npos &&
         name.find_first_not_of("0123456789.", versioned + 4) == std::string_view::npos;
}

bool is_package(std::string_view name) { return is_package_name(name) && !name.ends_with(".zip"); }

/// Whether the kernel of Linux would start a file: it may be executed, and is an ELF file of a kind that programs have.
bool is_program(const FileSystem& files, const std::string& path, const FileStatus& status) {
  constexpr std::size_t size = 18;  // up to the end of e_type
  if (!status.executable || status.kind != FileKind::regular) return false;
  const auto file = files.open(path);
  std::array<std::byte, size> bytes{};
  if (!file) return false;
  const auto got = (*file)->read(0, bytes);
  if (!got || *got < size) return false;
  const auto at = [&](std::size_t index) { return std::to_integer<int>(bytes[index]); };
  // Little or big endian: one of the two bytes of e_type is 0. 2 is ET_EXEC, 3 is ET_DYN.
  const auto type = at(16) + at(17);
  return at(0) == 0x7f && at(1) == 'E' && at(2) == 'L' && at(3) == 'F' && (type == 2 || type == 3);
}

class Folder {
 public:
  Folder(const FileSystem& files, std::size_t most, bool programs) : files_(files), most_(most), programs_(programs) {}

  void add(const std::string& shown, const std::string& path, std::size_t level) {
    const auto names = files_.list(path);
    note_if_refused(names);  // what lies in it is not judged, also where that is a matter of permission
    if (!names || level == most_levels) return;
    for (const auto& name : *names) {
      if (found_.size() == most_) return;
      const auto below = path + "/" + name, as_given = shown + "/" + name;
      // A link to a folder may lead back.
      const auto status = files_.status(below);
      if (!status) continue;
      if (status->kind == FileKind::folder) {
        const auto real = files_.real_path(below), above = files_.real_path(path);
        if (real && above && *real == *above + "/" + name) add(as_given, below, level + 1);
      } else if (status->kind == FileKind::regular &&
                 (is_target_name(name) || (programs_ && is_program(files_, below, *status)))) {
        found_.push_back(as_given);
      }
    }
  }

  const std::vector<std::string>& found() const { return found_; }

 private:
  const FileSystem& files_;
  std::size_t most_;
  bool programs_;
  std::vector<std::string> found_;
};

/// Whether the folder itself holds a package or library, as dist/ does.
bool holds_targets(const FileSystem& files, const std::string& path, bool programs) {
  const auto names = files.list(path);
  return names && std::any_of(names->begin(), names->end(), [&](const std::string& name) {
           if (is_target_name(name)) return true;
           const auto status = programs ? files.status(path + "/" + name) : Result<FileStatus>(FileStatus{});
           return status && is_program(files, path + "/" + name, *status);
         });
}

}  // namespace

bool is_target_name(const std::string& name) { return is_package(name) || is_library_name(name); }

std::vector<std::string> with_folders_opened(const std::vector<std::string>& targets, const FileSystem& files,
                                             const std::string& cwd, std::size_t most, bool programs) {
  std::vector<std::string> result;
  for (const auto& target : targets) {
    const auto path = normal_path(absolute_path(target, cwd));
    const bool named_as_path = target.find('/') != std::string::npos || target == "." || target == "..";
    const bool opened = is_folder(files, path) && !is_file(files, path + "/__init__.py") &&
                        (named_as_path || holds_targets(files, path, programs));
    if (!opened) {
      result.push_back(target);
      continue;
    }
    Folder folder(files, most, programs);
    auto shown = target;
    while (shown.ends_with('/')) shown.pop_back();
    folder.add(shown, path, 0);
    // It stays, so that it is told of as what cannot be judged.
    if (folder.found().empty()) result.push_back(target);
    result.insert(result.end(), folder.found().begin(), folder.found().end());
  }
  return result;
}

}  // namespace cudald
