#include "repair/repair_wheel.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/image.h>
#include <cudald/session.h>
#include <cudald/wheel.h>

#include "archive/archive.h"
#include "base/path.h"
#include "base/sha256.h"
#include "package/requirement.h"
#include "package/wheel_layout.h"
#include "repair/edited_tree.h"
#include "repair/gate.h"
#include "repair/planned_edits.h"
#include "repair/wheel_files.h"
#include "repair/wheel_platform.h"
#include "rewrite/edit_zip.h"
#include "rewrite/file_blocks.h"

namespace cudald {
namespace {

/// With a library that is found at last others may be missed: a round for each level of the dependency graph.
constexpr int most_wheel_rounds = 30;
constexpr std::uint64_t most_text_bytes = 64 << 20;
constexpr std::string_view signatures[] = {"RECORD.jws", "RECORD.p7s"};

class WheelRepair {
 public:
  WheelRepair(const std::string& given, const Query& query, const FileSystem& files,
              const std::shared_ptr<const Knowledge>& knowledge)
      : query_(query), files_(files), knowledge_(knowledge) {
    made_.target.given = given;
  }

  RepairedWheel run() {
    auto& target = made_.target;
    target.error = prepare();
    if (target.error || !target.refusal.empty()) return std::move(made_);
    auto before = ask();
    auto after = before;
    target.error = unread(before);
    if (target.error) return std::move(made_);
    for (int round = 0; round < most_wheel_rounds && add_edits(after, plan_); ++round) {
      target.refusal = conflict();
      if (target.refusal.empty()) target.error = build();
      if (target.error || !target.refusal.empty()) return std::move(made_);
      after = ask();
      target.error = unread(after);
      if (target.error) return std::move(made_);
    }
    finish(before, after);
    if (target.refusal.empty()) target.error = damage();
    return std::move(made_);
  }

 private:
  /// Opens the wheel and gives it the tag that it is judged by.
  std::optional<Error> prepare() {
    auto& target = made_.target;
    const auto path = files_.real_path(absolute_path(target.given, query_.environment.cwd));
    if (!path) return path.error();
    path_ = *path;
    made_.name = file_name(path_);
    auto file = files_.open(path_);
    if (!file) return file.error();
    archive_ = std::move(*file);
    auto directory = read_zip_directory(*archive_, query_.limits);
    if (!directory) return directory.error();
    auto report = Session(files_, knowledge_).wheel(path_);
    if (!report) return report.error();
    wheel_ = std::move(*report);
    zip_ = std::make_unique<ZipArchive>(archive_, std::move(*directory));
    const auto named = parse_wheel_file_name(made_.name);
    std::vector<WheelProblem> problems;
    const auto dist_info = find_dist_info(zip_->directory().members(), named ? &*named : nullptr, problems);
    if (!named || !dist_info) return Error{ErrorCode::malformed, "not a wheel, by its name or its .dist-info", ""};
    info_ = *dist_info + ".dist-info/";
    for (std::size_t i = 0; i < zip_->directory().members().size(); ++i)
      if (const auto name = zip_->name(i); name.starts_with(info_ + "sboms/") && !zip_->directory().members()[i].folder)
        sboms_.emplace_back(name);
    auto platform = platform_of_repaired(wheel_);
    if (!platform) {
      target.refusal = platform.error().message;
      return std::nullopt;
    }
    platform_ = std::move(*platform);
    if (auto doubt = doubt_of_platform(wheel_); !doubt.empty()) target.warnings.push_back(std::move(doubt));
    if (!platform_.empty()) made_.name = renamed_for_platform(made_.name, platform_);
    for (const auto& each : wheel_.files) plan_.files[plan_name(each.member)];
    auto scratch = ScratchStore::make();
    if (!scratch) return scratch.error();
    scratch_ = std::move(*scratch);
    return build();
  }

  std::string plan_name(std::string_view member) const { return fmt::format("{}!/{}", made_.name, member); }

  Report ask() const {
    EditedTree tree(files_);
    auto query = query_;
    query.targets = {fmt::format("{}/{}", parent_path(path_), made_.name)};
    query.fixes = true;
    tree.add(query.targets.front(), made_.file);
    return Session(tree, knowledge_).explain(query);
  }

  /// A requirement that is there already and does not bring what is needed: only its author knows what it is for.
  std::string conflict() const {
    for (const auto& line : plan_.requirements) {
      const auto wanted = parse_requirement(line);
      for (const auto& old : wheel_.requires_dist)
        if (const auto known = parse_requirement(old);
            wanted && known && known->name == wanted->name && known->marker.find("extra") == std::string::npos)
          return fmt::format("METADATA requires {} already, and {} is needed; combine both by hand", old, line);
    }
    return "";
  }

  /// The wheel with all changes that are planned.
  std::optional<Error> build() {
    ZipEdits edits;
    records_.clear();
    for (const auto& [path, elf] : plan_.files) {
      if (elf.empty()) continue;
      if (auto error = edit_library(path.substr(made_.name.size() + 2), elf, edits)) return error;
    }
    if (!plan_.requirements.empty())
      if (auto error = edit_text(info_ + "METADATA", edits,
                                 [&](auto& text) { return with_requirements(text, plan_.requirements); }))
        return error;
    if (!platform_.empty())
      if (auto error = edit_text(info_ + "WHEEL", edits, [&](auto& text) { return with_platform(text, platform_); }))
        return error;
    for (const auto& member : sboms_)
      if (auto error = edit_text(member, edits, [&](auto& text) { return with_digests(text, digests_); })) return error;
    if (edits.empty()) {
      made_.file = archive_;
      return std::nullopt;
    }
    drop_signatures(edits);
    if (auto error = edit_text(info_ + "RECORD", edits, [&](auto& text) { return with_members(text, records_); }))
      return error;
    auto pieces = edit_zip(*archive_, zip_->directory(), edits);
    if (!pieces) return pieces.error();
    made_.file = std::make_shared<NewFile>(archive_, std::move(*pieces));
    return std::nullopt;
  }

  Result<std::size_t> find(const std::string& member) const {
    const auto index = zip_->directory().find(member);
    if (!index) return Error{ErrorCode::malformed, fmt::format("the wheel has no {}", member), ""};
    if (const auto& found = zip_->directory().members()[*index]; !found.usable)
      return Error{ErrorCode::malformed, fmt::format("{} in the wheel is not readable", member), ""};
    return *index;
  }

  std::optional<Error> edit_library(const std::string& member, const ElfEdits& elf, ZipEdits& edits) {
    const auto index = find(member);
    if (!index) return index.error();
    auto& [done, content] = libraries_[*index];
    if (!content || done != elf) {
      done = elf;
      const auto& found = zip_->directory().members()[*index];
      auto packed = zip_->open(*index, zip_->status(*index), member);
      if (!packed) return packed.error();
      // It is read here and there, and a stream is costly to go back in.
      auto unpacked = ScratchStore::make();
      if (!unpacked) return unpacked.error();
      if (auto error = (*unpacked)->append(**packed)) return error;
      if (auto error = (*packed)->verify()) return error;
      const auto edited = edit_elf(*unpacked, member, elf);
      if (!edited) return edited.error();
      auto made = make_new_member(std::make_shared<NewFile>(*unpacked, edited->pieces), found.method, scratch_);
      if (!made) return made.error();
      content = std::move(*made);
      if (auto error = note_digest(**unpacked, content->sha256)) return error;
      if (edited->room == EditRoom::new_segment)
        made_.target.warnings.push_back(member + " has one more load segment now: do not run strip on it");
    }
    put(member, *index, *content, edits);
    return std::nullopt;
  }

  /// SBOMs name files by their hash.
  std::optional<Error> note_digest(const File& old, const std::string& now) {
    if (sboms_.empty()) return std::nullopt;
    Sha256 sha256;
    auto error = each_block(old, [&](std::span<const std::byte> bytes) {
      sha256.add(bytes);
      return std::optional<Error>();
    });
    if (!error) digests_[sha256.finish()] = now;
    return error;
  }

  /// A text that the change leaves as it is stays untouched.
  template <class Change>
  std::optional<Error> edit_text(const std::string& member, ZipEdits& edits, const Change& change) {
    const auto index = find(member);
    if (!index) return index.error();
    const auto file = zip_->open(*index, zip_->status(*index), member);
    if (!file) return file.error();
    const auto text = read_file(**file, member, most_text_bytes);
    if (!text) return text.error();
    const auto changed = change(*text);
    if (changed == *text) return std::nullopt;
    auto made = make_new_member(changed, zip_->directory().members()[*index].method, scratch_);
    if (!made) return made.error();
    put(member, *index, *made, edits);
    return std::nullopt;
  }

  void put(const std::string& member, std::size_t index, const NewMember& content, ZipEdits& edits) {
    edits[index] = content;
    records_[member] = {content.sha256, content.size};
  }

  /// What is signed is no longer there.
  void drop_signatures(ZipEdits& edits) {
    for (const auto name : signatures)
      if (const auto member = info_ + std::string(name); const auto index = zip_->directory().find(member)) {
        edits[*index] = std::nullopt;
        records_[member].is_gone = true;
        const auto warning = fmt::format("{} is left out: its signature no longer holds", name);
        auto& warnings = made_.target.warnings;
        if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(warning);
      }
  }

  /// What of the members that are copied as they are cannot be unpacked: installers stop there.
  std::optional<Error> damage() const {
    for (std::size_t i = 0; i < zip_->directory().members().size(); ++i) {
      if (zip_->directory().members()[i].folder) continue;
      const std::string name(zip_->name(i));
      const auto file = zip_->open(i, zip_->status(i), name);
      auto error = file ? (*file)->verify() : std::optional(file.error());
      if (!error) continue;
      error->message = fmt::format("{} cannot be unpacked: {}", name, error->message);
      return error;
    }
    return std::nullopt;
  }

  void finish(const Report& before, const Report& after) {
    auto& target = made_.target;
    target.before = before.verdict;
    target.before_headline = before.headline;
    target.after = after.verdict;
    target.after_headline = after.headline;
    if (made_.file->status().size > archive_->status().size)
      target.growth = made_.file->status().size - archive_->status().size;
    tell_changes();
    warn_of_optional(after);
    target.refusal = worse_than_before(before, after);
    if (!target.refusal.empty() || after.verdict != Verdict::fails) return;
    target.refusal = plan_ == WheelPlan{} || target.changes.empty()
                         ? "no fix of cudald explain changes this wheel"
                         : fmt::format("it would still fail: {}", after.headline);
    const auto is_missing = [](const Finding& finding) { return traits_of(finding).lacks_library; };
    if (std::any_of(after.findings.begin(), after.findings.end(), is_missing))
      target.refusal +=
          ". A library that no package provides has to be copied into the wheel, as auditwheel repair does";
  }

  /// What only files need that are opened on use, as far as is known: most of them are there for one of several
  /// releases of CUDA, or for a use of few. Their requirements are the author's choice.
  void warn_of_optional(const Report& after) {
    for (const auto& finding : after.findings)
      for (const auto& fix : finding.fixes)
        if (finding.level == Level::note && !fix.requirements.empty())
          made_.target.warnings.push_back(
              fmt::format("not required, as it is only needed on use: {}. To require it, add Requires-Dist: {}",
                          finding.message, fmt::join(fix.requirements, ", ")));
  }

  void tell_changes() {
    auto& changes = made_.target.changes;
    if (!platform_.empty())
      changes.push_back({"", "tag", fmt::format("{}", fmt::join(wheel_.platform_tags, ".")), platform_});
    for (const auto& file : wheel_.files) {
      const auto& edits = plan_.files[plan_name(file.member)];
      for (auto& change : described(file.member, *file.image, edits)) changes.push_back(std::move(change));
    }
    for (const auto& line : plan_.requirements) changes.push_back({info_ + "METADATA", "Requires-Dist", "", line});
  }

  const Query& query_;
  const FileSystem& files_;
  const std::shared_ptr<const Knowledge>& knowledge_;
  RepairedWheel made_;
  std::string path_, info_;  ///< without links; "pkg-1.0.dist-info/"
  std::shared_ptr<const File> archive_;
  std::unique_ptr<ZipArchive> zip_;
  WheelReport wheel_;
  std::string platform_;  ///< the new tag; empty: it stays
  WheelPlan plan_;
  std::shared_ptr<ScratchStore> scratch_;
  std::map<std::size_t, std::pair<ElfEdits, std::optional<NewMember>>> libraries_;  ///< that were edited, by member
  std::map<std::string, RecordedMember, std::less<>> records_;
  std::vector<std::string> sboms_;              ///< members
  std::map<std::string, std::string> digests_;  ///< SHA-256 of each changed library, before and after
};

}  // namespace

RepairedWheel repair_wheel(const std::string& given, const Query& query, const FileSystem& files,
                           const std::shared_ptr<const Knowledge>& knowledge) {
  return WheelRepair(given, query, files, knowledge).run();
}

}  // namespace cudald
