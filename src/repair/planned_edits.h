#pragma once

#include <map>
#include <string>
#include <vector>

#include <cudald/report.h>

#include "rewrite/edit_elf.h"

namespace cudald {

/// What is changed in each file, by its path without links.
using EditPlan = std::map<std::string, ElfEdits>;

/// What is changed in a wheel: its files, by "x.whl!/pkg/a.so", and further lines of Requires-Dist.
struct WheelPlan {
  EditPlan files;
  std::vector<std::string> requirements;
  bool operator==(const WheelPlan&) const = default;
};

/// Adds what the fixes of a report change, in files that the plan names already; all of a fix or nothing of it.
/// False if there was nothing to add.
bool add_edits(const Report&, EditPlan&);
bool add_edits(const Report&, WheelPlan&);

/// A fix that changes a file which the plan does not name.
struct UnplannedEdit {
  std::string path;
  const Finding* finding = nullptr;
};
std::vector<UnplannedEdit> edits_of_other_files(const Report&, const EditPlan&);

}  // namespace cudald
