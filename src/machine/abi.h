#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <cudald/byte_order.h>
#include <cudald/format.h>

namespace cudald {

/// Where distributions keep their libraries of 64 bits, each in one of these.
inline constexpr std::array<std::string_view, 4> usual_library_folders{
    "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"};

/// Fixed facts of one processor ABI, as glibc and musl were built for it.
struct Abi {
  std::uint16_t machine;
  Format format;
  ByteOrder byte_order;
  std::string_view interpreter;     ///< glibc's own path
  std::string_view musl_name;       ///< ld-musl-NAME.so.1
  std::string_view library_folder;  ///< lib or lib64 where the distribution does not say otherwise
  std::string_view platform;        ///< AT_PLATFORM
  std::uint32_t cache_flags;        ///< ld.so.cache entries of this ABI (glibc sysdeps/generic/ldconfig.h)
  std::uint32_t jump_slot, copy;    ///< relocation types that are looked up by rules of their own
};

/// Those that are simulated.
std::span<const Abi> all_abis();
/// nullptr for an ABI that is not simulated.
const Abi* find_abi(std::uint16_t machine, Format, ByteOrder);
/// That of most systems for a machine, as ppc64le; nullptr if it is not simulated.
const Abi* usual_abi(std::uint16_t machine);

}  // namespace cudald
