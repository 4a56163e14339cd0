#include <elf.h>

#include <algorithm>

#include <fmt/format.h>

#include <cudald/gpu_code.h>
#include <cudald/image.h>

#include "check/findings/checks.h"
#include "check/fixes/admission_fixes.h"
#include "check/fixes/patchelf_fix.h"
#include "check/libraries/static_tls.h"
#include "store/store.h"

namespace cudald {

namespace {

/// Of a file that needs versions of libraries that it does not need (DT_NEEDED).
void tell_lost_needed(const Object& object, Finding& finding) {
  const auto& needed = object.image->elf.needed;
  for (const auto& need : object.image->elf.version_needs) {
    const auto names_it = [&](const Needed& each) { return each.name == need.file; };
    if (std::any_of(needed.begin(), needed.end(), names_it)) continue;
    finding.message = fmt::format("{} is damaged: it needs versions of {}, and does not need that library (DT_NEEDED)",
                                  short_name(object), need.file);
    finding.evidence.push_back(
        {fmt::format("its table of needed versions names {}; patchelf --remove-needed leaves such files", need.file),
         object.path, Basis::proven, ""});
    FileEdit edit{object.path, FileEdit::Kind::add_needed, need.file};
    Fix fix{"name the library again", patchelf_command(edit), "the library is then loaded"};
    fix.edits.push_back(std::move(edit));
    finding.fixes.push_back(std::move(fix));
  }
}

/// "x86-64-v4": the highest level among the bits of GNU_PROPERTY_X86_ISA_1_NEEDED.
/// Source: x86-64 psABI, Program Property, GNU_PROPERTY_X86_ISA_1_V4.
std::string level_of_isa(std::uint32_t bits) {
  constexpr int levels = 4;
  for (int level = levels; level > 0; --level)
    if ((bits & (1U << (level - 1))) != 0 && bits < (1U << levels))
      return level == 1 ? "x86-64" : fmt::format("x86-64-v{}", level);
  return fmt::format("x86-64 ISA bits {:#x}", bits);
}

void tell_objections(Report& report) {
  if (report.resolution.windows) return;  // see check_windows
  for (const auto& objection : report.resolution.objections) {
    const auto& object = report.resolution.objects[objection.object];
    const bool inconsistent = objection.message.starts_with("Inconsistency detected");
    auto finding = make_finding(inconsistent ? "CUD120" : "CUD112");
    finding.object = objection.object;
    finding.subject = short_name(object);
    finding.consequence = "The loader stops with: " + objection.message;
    const auto named = objection.message.find(object.load_name + ": ");
    const auto cause =
        named == std::string::npos ? objection.message : objection.message.substr(named + object.load_name.size() + 2);
    finding.level = level_of_failure(report, report.resolution.targets[object.target]);
    finding.message = fmt::format("{} is found and refused: {}", short_name(object), cause);
    if (inconsistent) tell_lost_needed(object, finding);
    if (object.image->elf.x86_isa_needed && cause.find("ISA") != std::string::npos) {
      finding.evidence.push_back(
          {fmt::format("its note requires {}; this processor is x86-64-v{}",
                       level_of_isa(*object.image->elf.x86_isa_needed), report.query.environment.cpu.x86_64_level),
           object.path, Basis::proven, ""});
      finding.fixes.push_back({"take a build for an older processor, or run it on a newer one", "", ""});
      finding.fixes.push_back(
          {"maintainer fix: build it where no file of the compiler or of glibc (crt1.o) is marked so; "
           "readelf -n shows the mark",
           "", ""});
    } else if (add_admission_fixes(report, *object.image, object.path, cause, finding)) {
      // told with what shows it
    } else if (cause.find("TLS") != std::string::npos) {
      add_static_tls_fixes(report, object, finding);
    }
    report.findings.push_back(std::move(finding));
  }
}

/// Whether what the loader writes to lies behind the end of the file: the kernel then ends the process, by SIGBUS, as
/// soon as it is touched. Of data that goes on as zeros the loader writes the rest of the last page of the file's part.
/// Sources: mmap(2); glibc elf/dl-map-segments.h, _dl_map_segments; Linux fs/binfmt_elf.c, padzero. Pages have 4 KiB on
/// x86, and 64 KiB at most elsewhere.
bool is_cut_before_data(const Image& image) {
  const bool small_pages = image.machine == EM_X86_64 || image.machine == EM_386;
  const std::uint64_t page = small_pages ? 4096 : 65536, doubt = small_pages ? 0 : page;
  const auto& segments = image.elf.load_segments;
  const auto last_page = (image.file_size + page - 1) / page * page;
  return std::any_of(segments.begin(), segments.end(), [&](const LoadSegment& segment) {
    if (!segment.writable || segment.file_size == 0) return false;
    const bool zeros = segment.memory_size > segment.file_size && (segment.address + segment.file_size) % page != 0;
    return segment.offset >= image.file_size ||
           (zeros && (segment.offset + segment.file_size) / page * page >= last_page + doubt);
  });
}

/// Damaged by a tool that rewrote it, so that whoever loads it crashes.
void tell_damage(const Defect& defect, ObjectId id, Report& report) {
  const auto& object = report.resolution.objects[id];
  auto finding = make_finding("CUD120");
  finding.object = id;
  finding.subject = short_name(object);
  auto& target = report.resolution.targets[object.target];
  finding.level = level_of_failure(report, target);
  finding.message = fmt::format("{} is damaged: {}", short_name(object), defect.message);
  finding.consequence = "The loader crashes on it (SIGSEGV) before main; no message is printed.";
  finding.evidence.push_back({defect.message, object.path, Basis::proven, ""});
  finding.fixes.push_back(
      {"install or build the file again, without the tool that rewrote it (patchelf, strip, "
       "objcopy); run strip before patchelf, not after it",
       "", ""});
  if (target.error.empty()) target.error = object.load_name + ": Segmentation fault";
  report.findings.push_back(std::move(finding));
}

/// What of an object is fatal; nullptr if nothing is.
const Defect* fatal_defect(const Report& report, ObjectId id) {
  if (report.resolution.windows) return nullptr;
  const auto is_fatal = [](const Defect& defect) { return defect.fatal; };
  const auto& defects = report.resolution.objects[id].image->defects;
  const auto found = std::find_if(defects.begin(), defects.end(), is_fatal);
  if (found != defects.end()) return &*found;
  if (report.symbols)
    for (const auto& damaged : report.symbols->damaged)
      if (damaged.object == id) return &damaged.defect;
  return nullptr;
}

/// One defect is enough to know that the file is damaged.
void tell_first(const std::vector<Defect>& defects, ObjectId id, const char* else_consequence, Report& report) {
  if (defects.empty()) return;
  const auto& defect = defects.front();
  const auto& object = report.resolution.objects[id];
  auto finding = make_finding(defect.limit ? "CUD902" : "CUD901");
  finding.object = id;
  finding.subject = short_name(object);
  finding.message = fmt::format("{}: {}", short_name(object), defect.message);
  finding.consequence = defect.limit ? "Nothing is claimed beyond that." : else_consequence;
  if (!report.resolution.windows && !defect.limit && !object.unmapped && is_cut_before_data(*object.image)) {
    finding.level = level_of_failure(report, report.resolution.targets[object.target]);
    finding.consequence = "The loader is killed by SIGBUS while it sets the file up: no message is printed.";
    finding.fixes.push_back({"copy, download or install the file again, as a whole", "", ""});
  }
  finding.evidence.push_back(
      {defect.offset ? fmt::format("{} at offset {:#x}", defect.message, *defect.offset) : defect.message, object.path,
       Basis::proven, ""});
  report.findings.push_back(std::move(finding));
}

/// Limits that are about no single file of the process.
void tell_limits(const Budget& budget, Report& report) {
  auto limits = report.resolution.limits;
  if (budget.exhausted()) limits.push_back("the question costs too much: " + budget.error().message);
  for (auto& limit : limits) {
    auto finding = make_finding("CUD902");
    finding.message = std::move(limit);
    finding.consequence = "What was not read or searched is not judged.";
    report.findings.push_back(std::move(finding));
  }
}

}  // namespace

void check_files(const Case& given) {
  auto& report = given.report;
  tell_objections(report);
  tell_limits(given.store.budget, report);
  for (ObjectId id = 0; id < report.resolution.objects.size(); ++id) {
    const auto& object = report.resolution.objects[id];
    if (const auto* fatal = fatal_defect(report, id)) {
      tell_damage(*fatal, id, report);
      continue;
    }
    tell_first(object.image->defects, id,
               "The valid parts of the file were judged; the loader itself may crash on the rest.", report);
    if (object.gpu) tell_first(object.gpu->defects, id, "Which GPUs it has code for is not shown.", report);
  }
  if (report.symbols)
    for (const auto& [object, defect] : report.symbols->limits) tell_first({defect}, object, "", report);
  if (report.symbols && !report.symbols->complete) {
    auto finding = make_finding("CUD901");
    finding.message = "a symbol or hash table is damaged, so some symbols could not be looked up";
    finding.consequence = "Missing symbols may be more or fewer than reported.";
    report.findings.push_back(std::move(finding));
  }
}

}  // namespace cudald
