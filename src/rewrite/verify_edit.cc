// The reader of binary/elf/ knows nothing of how an edit was made, so it is a second opinion before anything is
// written.
#include "rewrite/verify_edit.h"

#include <algorithm>

#include <cudald/image.h>

namespace cudald {
namespace {

std::vector<std::string> names_needed(const Image& image) {
  std::vector<std::string> names;
  for (const auto& each : image.elf.needed) names.push_back(each.name);
  return names;
}

std::vector<std::string> expected_needed(const Image& old, const ElfEdits& edits) {
  auto names = names_needed(old);
  std::size_t behind = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (old.elf.needed[i].tag != NeededTag::needed) continue;
    behind = i + 1;
    for (const auto& [from, to] : edits.renamed)
      if (names[i] == from) names[i] = to;
  }
  for (const auto& added : edits.added)
    if (std::find(names.begin(), names.end(), added) == names.end())
      names.insert(names.begin() + static_cast<std::ptrdiff_t>(behind++), added);
  return names;
}

std::vector<std::string> version_files(const Image& image, const ElfEdits& edits, bool renamed) {
  std::vector<std::string> files;
  for (const auto& need : image.elf.version_needs) {
    auto file = need.file;
    for (const auto& [from, to] : edits.renamed)
      if (renamed && file == from) file = to;
    for (const auto& version : need.versions) files.push_back(file + " " + version.name);
  }
  return files;
}

/// DT_RUNPATH or DT_RPATH as they should be.
std::optional<std::string> expected_path(const std::optional<std::string>& old, const ElfEdits& edits, bool is_meant) {
  if (!edits.search_path || (!is_meant && !edits.search_path->empty())) return old;
  return edits.search_path->empty() ? std::nullopt : edits.search_path;
}

bool same_segments(const Image& old, const Image& now) {
  const auto &before = old.elf.load_segments, &after = now.elf.load_segments;
  if (after.size() < before.size()) return false;
  return std::equal(before.begin(), before.end(), after.begin(), [](const LoadSegment& a, const LoadSegment& b) {
    return a.offset == b.offset && a.address == b.address && a.writable == b.writable && a.executable == b.executable &&
           a.alignment == b.alignment && b.memory_size >= a.memory_size && b.file_size >= a.file_size;
  });
}

}  // namespace

std::optional<std::string> fault_of_edit(const std::shared_ptr<const File>& file, const ElfEdits& edits,
                                         const EditedElf& edited) {
  const NewFile new_file(file, edited.pieces);
  const auto read = read_image(new_file), before = read_image(*file);
  if (!read || !before) return "it cannot be read";
  const Image &now = **read, &old = **before;
  const bool uses_rpath = old.elf.heeds_rpath();
  const std::pair<bool, const char*> facts[] = {
      {now.format == old.format && now.defects.size() <= old.defects.size(), "the new file is damaged"},
      {same_segments(old, now), "a load segment moved"},
      {names_needed(now) == expected_needed(old, edits), "its needed libraries are not as intended"},
      {version_files(now, edits, false) == version_files(old, edits, true), "its versions are not as intended"},
      {now.soname == (edits.soname ? edits.soname : old.soname), "its soname is not as intended"},
      {now.elf.runpath == expected_path(old.elf.runpath, edits, !uses_rpath), "its RUNPATH is not as intended"},
      {now.elf.rpath == expected_path(old.elf.rpath, edits, uses_rpath), "its RPATH is not as intended"},
      {now.elf.interpreter == old.elf.interpreter, "its interpreter changed"},
      {now.elf.executable_stack == (edits.clear_executable_stack ? std::optional(false) : old.elf.executable_stack),
       "its PT_GNU_STACK is not as intended"},
  };
  for (const auto& [is_right, fault] : facts)
    if (!is_right) return std::string(fault) + " when it is read again, so nothing is written";
  return std::nullopt;
}

}  // namespace cudald
