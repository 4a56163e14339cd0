#include "check/libraries/static_tls.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/image.h>

#include "base/shell_word.h"
#include "check/findings/checks.h"
#include "loader/static_tls.h"

namespace cudald {
namespace {

bool is_of_c_library(const Image& image) { return image.soname == "libc.so.6" || image.soname == "libc.so"; }

}  // namespace

void add_static_tls_fixes(const Report& report, const Object& refused, Finding& finding) {
  constexpr std::uint64_t least = 16384, most = std::uint64_t{1} << 30, aligned_to = 64;
  std::vector<std::string> at_start;
  std::uint64_t wanted = 0;
  bool larger_helps = report.resolution.libc.kind == LibcKind::glibc && report.resolution.libc.at_least(2, 32);
  for (const auto& object : report.resolution.objects) {
    const auto& elf = object.image->elf;
    if (!elf.static_tls || elf.tls_size == 0 || is_of_c_library(*object.image)) continue;
    wanted += std::min(elf.tls_size, most);
    if (object.target != refused.target) continue;
    at_start.push_back(object.path);
    larger_helps &= elf.tls_alignment <= aligned_to;
  }
  finding.fixes.push_back({"load it at the start, when the block is made as large as needed",
                           "export LD_PRELOAD=" + shell_word(fmt::format("{}", fmt::join(at_start, ":"))),
                           "every program of this shell then loads it"});
  if (!larger_helps) return;
  const bool others = report.query.environment.variable("GLIBC_TUNABLES").has_value();
  finding.fixes.push_back(
      {"or make the reserve larger",
       fmt::format("export GLIBC_TUNABLES={}glibc.rtld.optional_static_tls={}", others ? "$GLIBC_TUNABLES:" : "",
                   std::max(least, std::bit_ceil(2 * std::min(wanted, most)))),
       ""});
}

/// A library that is judged alone is started, as by `ld.so LIBRARY`: what most programs do is open it.
void check_static_tls(const Case& given) {
  auto& report = given.report;
  const auto& objects = report.resolution.objects;
  if (report.resolution.windows || objects.empty() || report.resolution.targets.size() != 1 ||
      program_interpreter(*objects.front().image) || !report.resolution.targets.front().error.empty())
    return;
  const bool musl = report.resolution.libc.kind == LibcKind::musl;
  const auto room = musl ? 0 : static_tls_reserve({});
  std::uint64_t wanted = 0;
  const Object* largest = nullptr;
  for (const auto& object : objects) {
    const auto& elf = object.image->elf;
    if (!elf.static_tls || elf.tls_size == 0 || object.unmapped || is_of_c_library(*object.image)) continue;
    wanted += std::min(elf.tls_size, std::uint64_t{1} << 40);
    if (largest == nullptr || elf.tls_size > largest->image->elf.tls_size) largest = &object;
  }
  if (wanted <= room) return;
  auto finding = make_finding("CUD118");
  finding.object = static_cast<ObjectId>(largest - objects.data());
  finding.subject = short_name(*largest);
  finding.message =
      fmt::format("{} can be linked with a program, but a dlopen of it fails", short_name(objects.front()));
  finding.consequence = musl ? "The loader would stop with: initial-exec TLS resolves to dynamic definition"
                             : "The loader would stop with: cannot allocate memory in static TLS block";
  finding.evidence.push_back(
      {musl ? fmt::format("{} bytes of thread-local data of the initial-exec model; musl has room for none", wanted)
            : fmt::format("{} bytes of thread-local data of the initial-exec model; glibc keeps {} bytes for it",
                          wanted, room),
       largest->path, Basis::proven, ""});
  add_static_tls_fixes(report, *largest, finding);
  report.findings.push_back(std::move(finding));
}

}  // namespace cudald
