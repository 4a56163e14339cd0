#pragma once

#include <elf.h>

#include <cstdint>

namespace cudald {

/// The machine that this program is built for, as ELF files name it: what is not stated is asked about it.
#if defined(__aarch64__)
constexpr std::uint16_t own_machine = EM_AARCH64, own_machine_of_32_bits = EM_ARM;
#else
constexpr std::uint16_t own_machine = EM_X86_64, own_machine_of_32_bits = EM_386;
#endif

/// Whether programs for it run here, as far as the processor decides.
constexpr bool runs_here(std::uint16_t machine) { return machine == own_machine || machine == own_machine_of_32_bits; }

}  // namespace cudald
