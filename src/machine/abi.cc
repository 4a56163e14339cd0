#include "machine/abi.h"

#include <elf.h>

#include <array>

namespace cudald {
namespace {

// Sources: glibc 2.36 sysdeps/*/ldconfig.h, sysdeps/unix/sysv/linux/*/shlib-versions, elf/elf.h; musl configure.
constexpr std::array abis = {
    Abi{EM_X86_64, Format::elf64, ByteOrder::little, "/lib64/ld-linux-x86-64.so.2", "x86_64", "lib64", "x86_64", 0x0303,
        R_X86_64_JUMP_SLOT, R_X86_64_COPY},
    Abi{EM_X86_64, Format::elf32, ByteOrder::little, "/libx32/ld-linux-x32.so.2", "x32", "libx32", "x86_64", 0x0803,
        R_X86_64_JUMP_SLOT, R_X86_64_COPY},
    Abi{EM_386, Format::elf32, ByteOrder::little, "/lib/ld-linux.so.2", "i386", "lib", "i686", 0x0003, R_386_JMP_SLOT,
        R_386_COPY},
    Abi{EM_AARCH64, Format::elf64, ByteOrder::little, "/lib/ld-linux-aarch64.so.1", "aarch64", "lib64", "aarch64",
        0x0a03, R_AARCH64_JUMP_SLOT, R_AARCH64_COPY},
    Abi{EM_ARM, Format::elf32, ByteOrder::little, "/lib/ld-linux-armhf.so.3", "armhf", "lib", "v7l", 0x0903,
        R_ARM_JUMP_SLOT, R_ARM_COPY},
    Abi{EM_PPC64, Format::elf64, ByteOrder::little, "/lib64/ld64.so.2", "powerpc64le", "lib64", "power9", 0x0503,
        R_PPC64_JMP_SLOT, R_PPC64_COPY},
    Abi{EM_S390, Format::elf64, ByteOrder::big, "/lib/ld64.so.1", "s390x", "lib64", "z14", 0x0403, R_390_JMP_SLOT,
        R_390_COPY},
    Abi{EM_RISCV, Format::elf64, ByteOrder::little, "/lib/ld-linux-riscv64-lp64d.so.1", "riscv64", "lib64", "riscv64",
        0x1003, R_RISCV_JUMP_SLOT, R_RISCV_COPY},
};

}  // namespace

std::span<const Abi> all_abis() { return abis; }

const Abi* find_abi(std::uint16_t machine, Format format, ByteOrder order) {
  for (const auto& abi : abis)
    if (abi.machine == machine && abi.format == format && abi.byte_order == order) return &abi;
  return nullptr;
}

const Abi* usual_abi(std::uint16_t machine) {
  for (const auto& abi : abis)
    if (abi.machine == machine) return &abi;
  return nullptr;
}

}  // namespace cudald
