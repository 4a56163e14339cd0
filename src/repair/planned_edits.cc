// From the fixes of a report to one edit of each file. Of the fixes of a finding the first one counts that changes
// nothing but files which may be changed.
#include "repair/planned_edits.h"

#include <algorithm>

#include <cudald/image.h>

namespace cudald {
namespace {

const Image* image_of(const Report& report, const std::string& path) {
  for (const auto& object : report.resolution.objects)
    if (object.path == path) return object.image.get();
  return nullptr;
}

/// The search path as it will be, by what is planned and by what the file says.
std::string search_path_of(const Report& report, const std::string& path, const ElfEdits& edits) {
  if (edits.search_path) return *edits.search_path;
  const auto* image = image_of(report, path);
  if (image == nullptr) return "";
  return image->elf.runpath.value_or(image->elf.rpath.value_or(""));
}

void add_directory(const std::string& directory, std::string path, ElfEdits& edits) {
  if ((":" + path + ":").find(":" + directory + ":") != std::string::npos) return;
  edits.search_path = path.empty() ? directory : path + ":" + directory;
}

void rename(const std::string& from, const std::string& to, ElfEdits& edits) {
  for (auto& [old, name] : edits.renamed)
    if (name == from || old == from) {
      name = to;
      return;
    }
  edits.renamed.push_back({from, to});
}

void take(const FileEdit& edit, const Report& report, ElfEdits& edits) {
  switch (edit.kind) {
    case FileEdit::Kind::add_directory:
      return add_directory(edit.value, search_path_of(report, edit.path, edits), edits);
    case FileEdit::Kind::set_directories: edits.search_path = edit.value; return;
    case FileEdit::Kind::rename_needed: return rename(edit.old, edit.value, edits);
    case FileEdit::Kind::add_needed:
      if (std::find(edits.added.begin(), edits.added.end(), edit.value) == edits.added.end())
        edits.added.push_back(edit.value);
      return;
    case FileEdit::Kind::clear_executable_stack: edits.clear_executable_stack = true; return;
  }
}

bool is_within(const Fix& fix, const EditPlan& plan) {
  return std::all_of(fix.edits.begin(), fix.edits.end(), [&](const auto& edit) { return plan.contains(edit.path); });
}

/// Whether a fix replaces a whole search path.
bool is_whole(const Fix& fix) {
  return !fix.edits.empty() && fix.edits.front().kind == FileEdit::Kind::set_directories;
}

/// Whether a finding is about what fails or may fail, or about the file's own search path. What is only noted of others
/// is often meant to be so.
bool is_repaired(const Finding& finding, const Fix& fix) { return finding.level <= Level::warning || is_whole(fix); }

/// `packed`: the requirements of a package can be changed.
bool add_fixes(const Report& report, bool packed, WheelPlan& plan) {
  const auto before = plan;
  const auto is_possible = [&](const Fix& fix) {
    return (fix.requirements.empty() ? !fix.edits.empty() : packed) && is_within(fix, plan.files);
  };
  // What replaces a whole search path comes first: the others add to it.
  for (const bool whole : {true, false})
    for (const auto& finding : report.findings)
      for (const auto& fix : finding.fixes) {
        if (!is_possible(fix) || !is_repaired(finding, fix)) continue;
        if (is_whole(fix) == whole) {
          for (const auto& edit : fix.edits) take(edit, report, plan.files[edit.path]);
          for (const auto& each : fix.requirements)
            if (std::find(plan.requirements.begin(), plan.requirements.end(), each) == plan.requirements.end())
              plan.requirements.push_back(each);
        }
        break;
      }
  return plan != before;
}

}  // namespace

bool add_edits(const Report& report, EditPlan& plan) {
  WheelPlan files{plan, {}};
  const auto is_more = add_fixes(report, false, files);
  plan = std::move(files.files);
  return is_more;
}

bool add_edits(const Report& report, WheelPlan& plan) { return add_fixes(report, true, plan); }

std::vector<UnplannedEdit> edits_of_other_files(const Report& report, const EditPlan& plan) {
  std::vector<UnplannedEdit> others;
  for (const auto& finding : report.findings) {
    const auto within = [&](const Fix& fix) { return !fix.edits.empty() && is_within(fix, plan); };
    if (std::any_of(finding.fixes.begin(), finding.fixes.end(), within)) continue;
    for (const auto& fix : finding.fixes)
      for (const auto& edit : fix.edits)
        if (!plan.contains(edit.path) && finding.level <= Level::warning) others.push_back({edit.path, &finding});
  }
  return others;
}

}  // namespace cudald
