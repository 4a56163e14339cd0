#include "repair/repaired_target.h"

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/path.h"

namespace cudald {

std::vector<RepairChange> described(const std::string& file, const Image& old, const ElfEdits& edits) {
  std::vector<RepairChange> changes;
  if (edits.search_path) {
    const bool is_rpath = old.elf.heeds_rpath();
    changes.push_back({file, is_rpath ? "RPATH" : "RUNPATH", (is_rpath ? old.elf.rpath : old.elf.runpath).value_or(""),
                       *edits.search_path});
  }
  for (const auto& [from, to] : edits.renamed) changes.push_back({file, "NEEDED", from, to});
  for (const auto& name : edits.added) changes.push_back({file, "NEEDED", "", name});
  if (edits.soname) changes.push_back({file, "SONAME", old.soname.value_or(""), *edits.soname});
  if (edits.clear_executable_stack) changes.push_back({file, "stack", "executable", "not executable"});
  return changes;
}

RepairedTarget described(const RepairedFile& file) {
  RepairedTarget target;
  target.given = file.given;
  target.error = file.error;
  target.refusal = file.refusal;
  target.elsewhere = file.elsewhere;
  target.growth = file.edited.growth;
  target.before = file.before.verdict;
  target.after = file.after.verdict;
  target.before_headline = file.before.headline;
  target.after_headline = file.after.headline;
  if (!file.edits.empty() && file.old_image) target.changes = described("", *file.old_image, file.edits);
  if (file.edited.room == EditRoom::new_segment)
    target.warnings.push_back("it has one more load segment now: do not run strip on it");
  return target;
}

}  // namespace cudald
