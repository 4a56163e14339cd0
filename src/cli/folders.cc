#include "cli/folders.h"

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

class Folder {
 public:
  Folder(const FileSystem& files, std::size_t most) : files_(files), most_(most) {}

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
      } else if (status->kind == FileKind::regular && is_target_name(name)) {
        found_.push_back(as_given);
      }
    }
  }

  const std::vector<std::string>& found() const { return found_; }

 private:
  const FileSystem& files_;
  std::size_t most_;
  std::vector<std::string> found_;
};

/// Whether the folder itself holds a package or library, as dist/ does.
bool holds_targets(const FileSystem& files, const std::string& path) {
  const auto names = files.list(path);
  return names && std::any_of(names->begin(), names->end(), is_target_name);
}

}  // namespace

bool is_target_name(const std::string& name) { return is_package(name) || is_library_name(name); }

std::vector<std::string> with_folders_opened(const std::vector<std::string>& targets, const FileSystem& files,
                                             const std::string& cwd, std::size_t most) {
  std::vector<std::string> result;
  for (const auto& target : targets) {
    const auto path = normal_path(absolute_path(target, cwd));
    const bool named_as_path = target.find('/') != std::string::npos || target == "." || target == "..";
    const bool opened = is_folder(files, path) && !is_file(files, path + "/__init__.py") &&
                        (named_as_path || holds_targets(files, path));
    if (!opened) {
      result.push_back(target);
      continue;
    }
    Folder folder(files, most);
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
