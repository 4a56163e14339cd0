// CUD206: a program has a copy of a library's variable (a copy relocation), made when it was linked, and the library
// has become another one since: what it writes behind the end of the copy is the next variable of the program. Source:
// glibc sysdeps/x86_64/dl-machine.h, R_X86_64_COPY, which warns where the library's variable is the larger one.

#include <algorithm>
#include <optional>

#include <elf.h>

#include <fmt/format.h>

#include <cudald/image.h>

#include "binary/elf/symbol_table.h"
#include "check/findings/checks.h"

namespace cudald {
namespace {

/// The size of the variable of that name that a file defines.
std::optional<std::uint64_t> size_in(const SymbolTable& table, std::string_view name) {
  std::optional<std::uint64_t> size;
  if (table.empty()) return size;
  table.visit(HashedName(name), [&](const SymbolTable::Candidate& candidate) {
    if (candidate.symbol.section != SHN_UNDEF) size = candidate.symbol.size;
    return size.has_value();
  });
  return size;
}

void tell(Report& report, std::string_view name, std::uint64_t own, std::uint64_t theirs, const Object& library) {
  const auto program = short_name(report.resolution.objects.front());
  auto finding = make_finding("CUD206");
  finding.object = 0;
  finding.subject = name;
  finding.message =
      fmt::format("{} has a copy of {} of {} bytes, and in {} it has {}: the library writes behind the end of the copy",
                  program, name, own, short_name(library), theirs);
  finding.consequence = fmt::format(
      "The loader warns \"Symbol `{}' has different size in shared object, consider re-linking\" and continues.", name);
  finding.evidence.push_back(
      {fmt::format("{} defines {} with {} bytes", library.path, name, theirs), library.path, Basis::proven, ""});
  finding.fixes.push_back(
      {fmt::format("link {} again with the {} that is installed, or install the release that it was linked with",
                   program, short_name(library)),
       "", ""});
  report.findings.push_back(std::move(finding));
}

}  // namespace

void check_copied_data(const Case& given) {
  auto& report = given.report;
  const auto& objects = report.resolution.objects;
  if (!report.symbols || objects.empty() || !objects.front().main_program || !objects.front().image ||
      !objects.front().image->is_elf())
    return;
  const auto program = given.store.symbols.get(objects.front());
  for (const auto& reference : program->references()) {
    if (!reference.use.copy) continue;
    const auto own = size_in(*program, reference.name);
    for (std::size_t id = 1; own && id < objects.size(); ++id) {
      if (objects[id].unmapped || objects[id].target != objects.front().target) continue;
      const auto theirs = size_in(*given.store.symbols.get(objects[id]), reference.name);
      if (!theirs) continue;
      if (*theirs > *own) tell(report, reference.name, *own, *theirs, objects[id]);
      break;
    }
  }
}

}  // namespace cudald
