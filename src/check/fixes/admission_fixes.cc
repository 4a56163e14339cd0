#include "check/fixes/admission_fixes.h"

#include <fmt/format.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "check/fixes/patchelf_fix.h"
#include "loader/executable_stack.h"
#include "loader/segments.h"

namespace cudald {
namespace {

void add_stack_fixes(const Report& report, const Image& image, const std::string& path, Finding& finding) {
  finding.evidence.push_back({image.elf.executable_stack
                                  ? "its PT_GNU_STACK has the flag for execution (PF_X)"
                                  : "it has no PT_GNU_STACK, which counts as a need for an executable stack",
                              path, Basis::proven, ""});
  finding.evidence.push_back({"since glibc 2.41 a dlopen no longer makes the stack executable", "", Basis::rule,
                              "glibc 2.41, NEWS; elf/dl-load.c, _dl_map_object_from_fd"});
  FileEdit edit{path, FileEdit::Kind::clear_executable_stack};
  Fix clear{"clear the flag: few libraries need it", patchelf_command(edit),
            "code that runs on the stack (nested functions of GCC) then crashes"};
  if (image.elf.executable_stack) clear.edits.push_back(std::move(edit));
  finding.fixes.push_back(std::move(clear));
  const bool others = report.query.environment.variable("GLIBC_TUNABLES").has_value();
  finding.fixes.push_back(
      {"or give the process an executable stack",
       fmt::format("export GLIBC_TUNABLES={}glibc.rtld.execstack=2", others ? "$GLIBC_TUNABLES:" : ""),
       "weaker protection for every program that this shell starts"});
  finding.fixes.push_back({"maintainer fix: link it with -Wl,-z,noexecstack", "", ""});
}

void add_alignment_fixes(const Image& image, const std::string& path, Finding& finding) {
  for (const auto& segment : image.elf.load_segments)
    if (segment.alignment != 0 && ((segment.address - segment.offset) & (segment.alignment - 1)) != 0)
      finding.evidence.push_back(
          {fmt::format(
               "a LOAD segment at offset {:#x} has the address {:#x} and p_align {:#x}: their difference is not "
               "a multiple of it",
               segment.offset, segment.address, segment.alignment),
           path, Basis::proven, ""});
  finding.evidence.push_back({"glibc up to 2.34 refuses such a file; 2.35 and newer only check pages", "", Basis::rule,
                              "glibc bug 28688; elf/dl-load.c, _dl_map_object_from_fd"});
  finding.fixes.push_back(
      {"reinstall or rebuild the original file; patchelf 0.18.0 writes such segments, "
       "patchelf 0.17.2 and 0.19 do not",
       "", ""});
  finding.fixes.push_back({"or run it on a system with glibc 2.35 or newer", "", ""});
}

void add_mount_fixes(const std::string& path, Finding& finding) {
  const std::string directory(parent_path(path));
  finding.message += fmt::format(": {} is on a file system that is mounted noexec", directory);
  finding.evidence.push_back(
      {"nothing on a file system that is mounted noexec can be mapped as code", path, Basis::rule, "mmap(2), EPERM"});
  finding.fixes.push_back(
      {"allow execution on that file system",
       fmt::format("sudo mount -o remount,exec \"$(findmnt -n -o TARGET -T {})\"", shell_word(directory)),
       "until the next mount; change /etc/fstab to keep it"});
  finding.fixes.push_back(
      {"or move the file to a directory on another file system (a program that unpacks it there: "
       "set TMPDIR)",
       "", ""});
}

}  // namespace

bool add_admission_fixes(const Report& report, const Image& image, const std::string& path, std::string_view cause,
                         Finding& finding) {
  if (cause == executable_stack_refused || cause.ends_with("executable stack is not allowed"))
    add_stack_fixes(report, image, path, finding);
  else if (cause == segment_misaligned)
    add_alignment_fixes(image, path, finding);
  else if (cause == segment_not_mapped || cause == "Operation not permitted" || cause == "Permission denied")
    add_mount_fixes(path, finding);
  else if (cause.starts_with("cannot dynamically load"))
    finding.fixes.push_back({"it is a program: start it, or link it as a library with -shared", "", ""});
  else
    return false;
  return true;
}

}  // namespace cudald
