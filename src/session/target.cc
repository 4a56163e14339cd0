#include "session/target.h"

#include <elf.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "archive/image_tar.h"
#include "base/library_name.h"
#include "base/path.h"
#include "base/refusals.h"
#include "package/conda_package.h"
#include "session/installed_deployment.h"

namespace cudald {
namespace {

constexpr std::size_t most_levels = 64;
constexpr std::size_t most_lock = std::size_t{64} << 20;

bool is_package(std::string_view name) { return is_package_name(name) && !name.ends_with(".zip"); }

/// Whether a path lies in the library of a Python for Linux, lib/python3.11: packages bring files for Windows along
/// there, which nothing loads.
bool is_in_linux_python(std::string_view path) {
  std::string_view before;
  for (const auto part : split(path, "/")) {
    constexpr std::string_view python = "python";
    const bool numbered = part.starts_with(python) && part.size() > python.size() &&
                          std::isdigit(static_cast<unsigned char>(part[python.size()])) != 0;
    if (numbered && (before == "lib" || before == "lib64")) return true;
    before = part;
  }
  return false;
}

/// The first bytes of a file; fewer if it is shorter or cannot be read.
template <std::size_t size>
std::string_view beginning(const FileSystem& files, const std::string& path, std::array<char, size>& bytes) {
  const auto file = files.open(path);
  if (!file) return "";
  const auto got = (*file)->read(0, std::as_writable_bytes(std::span(bytes)));
  return {bytes.data(), got ? *got : 0};
}

/// Whether a file that may be executed is an ELF file that a kernel could start; scripts and sources are none.
bool is_program(const FileSystem& files, const std::string& path, const FileStatus& status) {
  if (!status.executable || status.kind != FileKind::regular) return false;
  std::array<char, EI_NIDENT + 2> bytes{};
  const auto head = beginning(files, path, bytes);
  if (head.size() < bytes.size() || !head.starts_with(ELFMAG)) return false;
  const auto type = head[EI_NIDENT + (head[EI_DATA] == ELFDATA2MSB ? 1 : 0)];
  return type == ET_EXEC || type == ET_DYN;
}

/// Finds what a directory stands for.
class TargetFinder {
 public:
  TargetFinder(const FileSystem& files, std::size_t most) : files_(files), most_(most) {}

  void add(const std::string& shown, const std::string& path, std::size_t level) {
    const auto names = files_.list(path);
    note_if_refused(names);  // what it contains is not judged, even where that is a matter of permission
    if (!names || level == most_levels) return;
    for (const auto& name : *names) {
      if (found_.size() == most_) return;
      const auto below = path + "/" + name, as_given = shown + "/" + name;
      const auto status = files_.status(below);
      if (!status) continue;
      if (status->kind == FileKind::folder)
        add_directory(as_given, below, path, name, level);
      else if (const auto entry = entry_of(name, below, *status))
        found_.push_back({as_given, *entry});
    }
  }

  std::vector<DirectoryTarget::Entry> found() && { return std::move(found_); }

 private:
  /// A link to a directory may lead back.
  void add_directory(const std::string& shown, const std::string& path, const std::string& above,
                     const std::string& name, std::size_t level) {
    const auto real = files_.real_path(path), real_above = files_.real_path(above);
    if (real && real_above && *real == *real_above + "/" + name) add(shown, path, level + 1);
  }

  /// Whether a file is a program; nullopt if it is no target at all.
  std::optional<bool> entry_of(const std::string& name, const std::string& path, const FileStatus& status) {
    if (status.kind != FileKind::regular) return std::nullopt;
    if (is_target_name(name)) {
      if ((is_dll_name(name) || is_exe_name(name)) && is_in_linux_python(path)) return std::nullopt;
      return is_exe_name(name);
    }
    if (!is_program(files_, path, status)) return std::nullopt;
    // bin/python, bin/python3 and bin/python3.11 are one.
    const auto real = files_.real_path(path);
    return real && programs_.insert(*real).second ? std::optional(true) : std::nullopt;
  }

  const FileSystem& files_;
  std::size_t most_;
  std::vector<DirectoryTarget::Entry> found_;
  std::set<std::string> programs_;  ///< by their real paths
};

/// Whether the directory itself holds a package, library or program, as dist/ does.
bool holds_targets(const FileSystem& files, const std::string& path) {
  const auto names = files.list(path);
  return names && std::any_of(names->begin(), names->end(), [&](const std::string& name) {
           if (is_target_name(name)) return true;
           const auto status = files.status(path + "/" + name);
           return status && is_program(files, path + "/" + name, *status);
         });
}

}  // namespace

bool is_target_name(std::string_view name) { return is_package(name) || is_library_name(name); }

DirectoryTarget open_directory(const std::string& given, const std::string& path, const FileSystem& files,
                               std::size_t most) {
  TargetFinder finder(files, most);
  auto shown = given;
  while (shown.ends_with('/')) shown.pop_back();
  finder.add(shown, path, 0);
  return {std::move(finder).found()};
}

std::optional<LockTarget> lock_target(const std::string& given, const FileSystem& files, const std::string& cwd) {
  const auto path = normal_path(absolute_path(given, cwd));
  const auto status = files.status(path);
  // What is no text, or large, is none.
  if (!status || status->kind != FileKind::regular || status->size > most_lock) return std::nullopt;
  std::array<char, 4096> bytes{};
  if (beginning(files, path, bytes).find('\0') != std::string_view::npos) return std::nullopt;
  auto text = read_file(files, path, most_lock);
  if (!text) return std::nullopt;
  const auto name = file_name(path);
  LockTarget lock{given, std::string(parent_path(path)), std::move(*text)};
  if (recognise_lock(name, lock.text, lock.kind)) return lock;
  // Names alone are requirements where the name of the file says that it is a list.
  const bool is_list = name.ends_with(".txt") || name.ends_with(".in");
  if (is_list && requirement_lines(lock.text) == RequirementLines::names) return lock;
  return std::nullopt;
}

namespace {

TypedTarget classify_directory(const std::string& given, const std::string& path, const FileSystem& files,
                               std::size_t most) {
  const Refusals refusals;
  if (is_environment(path, files)) return EnvironmentTarget{path};
  const bool is_package = is_file(files, path + "/__init__.py");
  // It may be an environment or a package all the same: what lies in it is not judged in its place.
  if (refusals.any()) return FileTarget{};
  if (is_package) return ModuleTarget{};
  const bool named_as_path = given.find('/') != std::string::npos || given == "." || given == "..";
  if (!named_as_path && !holds_targets(files, path)) return NameTarget{};
  return open_directory(given, path, files, most);
}

}  // namespace

TypedTarget classify(const std::string& given, const FileSystem& files, const std::string& cwd, std::size_t most) {
  if (given.starts_with("py:")) return ModuleTarget{};
  if (auto package = package_target(given); !package.archive.empty()) return package;
  const auto path = normal_path(absolute_path(given, cwd));
  const auto status = files.status(path);
  if (!status) {
    if (given.find('/') != std::string::npos) return FileTarget{};
    return is_library_name(given) ? TypedTarget(LibraryTarget{}) : NameTarget{};
  }
  if (status->kind == FileKind::folder) return classify_directory(given, path, files, most);
  if (status->kind != FileKind::regular) return FileTarget{};
  if (is_tar_name(given) && !is_conda_package_name(given)) return ImageTarget{};
  if (auto lock = lock_target(given, files, cwd)) return std::move(*lock);
  return FileTarget{};
}

}  // namespace cudald
