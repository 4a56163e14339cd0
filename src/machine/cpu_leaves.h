#pragma once

#include <cstdint>

#include <cudald/environment.h>

namespace cudald {

/// What an x86 processor says of itself by CPUID.
struct CpuLeaves {
  unsigned vendor_b = 0, leaf1_c = 0, leaf7_b = 0, extended_c = 0;
  std::uint64_t enabled_state = 0;  ///< XCR0: what the kernel saves, so what may be used

  bool c1(unsigned bit) const { return (leaf1_c >> bit & 1) != 0; }
  bool b7(unsigned bit) const { return (leaf7_b >> bit & 1) != 0; }
  bool cx(unsigned bit) const { return (extended_c >> bit & 1) != 0; }
};

/// What glibc makes of it. Levels: x86-64 psABI, "Micro-Architecture Levels". Platform and legacy names: glibc 2.36
/// sysdeps/x86/cpu-features.c (set for Intel's processors only) and sysdeps/x86/dl-procinfo.c.
Cpu cpu_of(const CpuLeaves&);

}  // namespace cudald
