#include "repair/repair_files.h"

#include <algorithm>

#include <fmt/format.h>

#include <cudald/image.h>
#include <cudald/session.h>

#include "base/path.h"
#include "repair/edited_tree.h"
#include "repair/gate.h"
#include "repair/planned_edits.h"

namespace cudald {
namespace {

/// A library that is found at last may miss others: after so many rounds an answer no longer changes.
constexpr int most_rounds = 30;

class FileRepair {
 public:
  FileRepair(const Query& query, const FileSystem& files, const std::shared_ptr<const Knowledge>& knowledge)
      : query_(query), files_(files), knowledge_(knowledge), tree_(files) {}

  std::vector<RepairedFile> run(const std::vector<std::string>& given) {
    for (const auto& name : given) open(name);
    if (std::any_of(repaired_.begin(), repaired_.end(), [](const auto& each) { return each.error.has_value(); }))
      return std::move(repaired_);
    const bool all_read = ask();
    for (auto& each : repaired_) each.before = each.after;
    if (!all_read) return std::move(repaired_);
    for (int round = 0; round < most_rounds && plan(); ++round)
      if (!edit() || !ask()) return std::move(repaired_);
    for (auto& each : repaired_) finish(each);
    return std::move(repaired_);
  }

 private:
  void open(const std::string& given) {
    RepairedFile one;
    one.given = given;
    const auto path = files_.real_path(absolute_path(given, query_.environment.cwd));
    one.path = path ? *path : "";
    const auto file = path ? files_.open(*path) : Result<std::unique_ptr<File>>(path.error());
    if (!file) {
      one.error = file.error();
    } else if (const auto image = read_image(**file); !image) {
      one.error = image.error();
    } else if (!(*image)->is_elf()) {
      one.error = Error{ErrorCode::malformed, "not an ELF file", given};
    } else {
      one.old_image = *image;
      plan_[one.path];
    }
    repaired_.push_back(std::move(one));
  }

  /// False if a file cannot be read that the answers depend on.
  bool ask() {
    Session session(tree_, knowledge_);
    bool all_read = true;
    for (auto& each : repaired_) {
      auto query = query_;
      query.targets = {each.path};
      query.fixes = true;
      each.after = session.explain(query);
      each.error = unread(each.after);
      all_read = all_read && !each.error;
    }
    return all_read;
  }

  bool plan() {
    bool more = false;
    for (const auto& each : repaired_) more |= add_edits(each.after, plan_);
    return more;
  }

  bool edit() {
    for (auto& each : repaired_) {
      each.edits = plan_[each.path];
      if (each.edits.empty()) continue;
      auto file = files_.open(each.path);
      auto edited = file ? edit_elf(std::shared_ptr<const File>(std::move(*file)), each.path, each.edits)
                         : Result<EditedElf>(file.error());
      if (!edited) {
        each.error = edited.error();
        return false;
      }
      each.edited = std::move(*edited);
      tree_.replace(each.path, each.edited.pieces);
    }
    return true;
  }

  void finish(RepairedFile& each) const {
    each.refusal = worse_than_before(each.before, each.after);
    for (const auto& other : edits_of_other_files(each.after, plan_)) {
      auto text = fmt::format("{}: {}", other.path, other.finding->message);
      if (std::find(each.elsewhere.begin(), each.elsewhere.end(), text) == each.elsewhere.end())
        each.elsewhere.push_back(std::move(text));
    }
    // A file that fails as before is no result.
    if (each.refusal.empty() && each.edits.empty() && each.after.verdict == Verdict::fails)
      each.refusal = "no fix of cudald explain changes this file";
  }

  const Query& query_;
  const FileSystem& files_;
  const std::shared_ptr<const Knowledge>& knowledge_;
  EditedTree tree_;
  EditPlan plan_;
  std::vector<RepairedFile> repaired_;
};

}  // namespace

std::vector<RepairedFile> repair_files(const std::vector<std::string>& given, const Query& query,
                                       const FileSystem& files, const std::shared_ptr<const Knowledge>& knowledge) {
  return FileRepair(query, files, knowledge).run(given);
}

}  // namespace cudald
