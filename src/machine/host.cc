#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <tuple>

#include <cudald/environment.h>

#include "base/ascii.h"
#include "machine/cpu_leaves.h"
#include "os/own_process.h"

namespace cudald {
namespace {

#if defined(__x86_64__) || defined(__i386__)
CpuLeaves read_leaves() {
  CpuLeaves leaves;
  unsigned a = 0, b = 0, c = 0, d = 0;
  unsigned most = 0, most_extended = 0;
  // Each question stops a virtual machine, and __get_cpuid asks two.
  if (__get_cpuid(0, &most, &leaves.vendor_b, &c, &d) == 0) return leaves;
  if (most >= 1) __cpuid(1, a, b, leaves.leaf1_c, d);
  if (most >= 7) __cpuid_count(7, 0, a, leaves.leaf7_b, c, d);
  __cpuid(0x80000000, most_extended, b, c, d);
  if (most_extended >= 0x80000001) __cpuid(0x80000001, a, b, leaves.extended_c, d);
  if (leaves.c1(27)) {  // OSXSAVE
    unsigned low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    leaves.enabled_state = std::uint64_t{high} << 32 | low;
  }
  return leaves;
}
#endif

}  // namespace

Cpu cpu_of(const CpuLeaves& cpu) {
  const bool avx_state = (cpu.enabled_state & 0x6) == 0x6;
  const bool avx512_state = (cpu.enabled_state & 0xe6) == 0xe6;
  const bool v2 = cpu.c1(0) && cpu.c1(9) && cpu.c1(13) && cpu.c1(19) && cpu.c1(20) && cpu.c1(23) && cpu.cx(0);
  const bool haswell = avx_state && cpu.b7(5) && cpu.b7(3) && cpu.b7(8) && cpu.c1(12) && cpu.c1(22) && cpu.cx(5);
  const bool v3 = v2 && haswell && cpu.c1(28) && cpu.c1(29);
  const bool avx512_common = avx512_state && cpu.b7(16) && cpu.b7(28) && cpu.b7(30) && cpu.b7(17) && cpu.b7(31);
  Cpu result;
  result.x86_64_level = v3 && avx512_common ? 4 : v3 ? 3 : v2 ? 2 : 1;
  constexpr unsigned intel = 0x756e6547;  // "Genu"
  if (cpu.vendor_b == intel) {
    if (haswell) result.platform = "haswell";
    if (avx512_common) result.hwcap_names.push_back("avx512_1");
  }
  result.hwcap_names.insert(result.hwcap_names.begin(), "x86_64");
  return result;
}

#if defined(__x86_64__) || defined(__i386__)
Cpu host_cpu() { return cpu_of(read_leaves()); }
#else
// Elsewhere the processor is asked nothing: x86 libraries are judged for the newest level.
Cpu host_cpu() { return x86_64_cpu(4); }
#endif

Cpu x86_64_cpu(int level) {
  Cpu cpu;
  cpu.x86_64_level = level;
  cpu.hwcap_names = {"x86_64"};
  return cpu;
}

std::optional<std::string> Environment::variable(const std::string& name) const {
  const auto found = variables.find(name);
  return found == variables.end() ? std::nullopt : std::optional(found->second);
}

std::optional<KernelRelease> kernel_release(std::string_view text) {
  KernelRelease release{};
  for (std::size_t i = 0; i < release.size(); ++i) {
    const auto* end = text.data() + text.size();
    const auto number = std::from_chars(text.data(), end, release[i]);
    if (number.ec != std::errc()) return i < 2 ? std::nullopt : std::optional(release);
    text = std::string_view(number.ptr, static_cast<std::size_t>(end - number.ptr));
    if (!text.starts_with('.')) return i == 0 ? std::nullopt : std::optional(release);
    text.remove_prefix(1);
  }
  return release;
}

Environment host_environment() {
  Environment environment;
  environment.variables = own_variables();
  if (auto directory = own_directory(); !directory.empty()) environment.cwd = std::move(directory);
  environment.cpu = host_cpu();
  std::tie(environment.user.uid, environment.user.gid) = own_user();
  environment.kernel = kernel_release(own_kernel());
  return environment;
}

Result<LibcVersion> parse_libc(std::string_view text) {
  LibcVersion version;
  const Error wrong{ErrorCode::usage, "a C library is written glibc-2.36 or musl-1.2"};
  if (text.starts_with("musl")) {
    version = {LibcKind::musl, 1, 2};
    text.remove_prefix(4);
  } else if (text.starts_with("glibc")) {
    text.remove_prefix(5);
  } else {
    return wrong;
  }
  if (text.empty()) return version;
  if (text.front() != '-') return wrong;
  const auto* end = text.data() + text.size();
  const auto major = std::from_chars(text.data() + 1, end, version.major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return wrong;
  const auto minor = std::from_chars(major.ptr + 1, end, version.minor);
  if (minor.ec != std::errc() || version.major < 0 || version.minor < 0) return wrong;
  // A third number, as of musl-1.2.5, changes nothing.
  const std::string_view rest(minor.ptr, end);
  if (!rest.empty() && (rest.size() == 1 || rest[0] != '.' || !std::all_of(rest.begin() + 1, rest.end(), is_digit)))
    return wrong;
  return version;
}

}  // namespace cudald
