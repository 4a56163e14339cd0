// The linker of mingw-w64 writes what --build-id asks for into the section .buildid, which begins with a debug
// directory. Source: Microsoft, "PE Format", .debug; the record of CodeView, "RSDS", a GUID and an age.
#include "os/build_id.h"

#include <windows.h>

#include <cstring>

#include <fmt/format.h>

namespace cudald {

std::string own_build_id() {
  const auto* const base = reinterpret_cast<const std::byte*>(GetModuleHandleW(nullptr));
  const auto* const dos = reinterpret_cast<const IMAGE_DOS_HEADER*>(base);
  const auto* const head = reinterpret_cast<const IMAGE_NT_HEADERS*>(base + dos->e_lfanew);
  const auto& place = head->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_DEBUG];
  const auto* const entries = reinterpret_cast<const IMAGE_DEBUG_DIRECTORY*>(base + place.VirtualAddress);
  constexpr std::size_t magic = 4, guid = 16;
  for (DWORD i = 0; i < place.Size / sizeof *entries; ++i) {
    const auto* const record = base + entries[i].AddressOfRawData;
    if (entries[i].Type != IMAGE_DEBUG_TYPE_CODEVIEW || entries[i].SizeOfData < magic + guid ||
        std::memcmp(record, "RSDS", magic) != 0)
      continue;
    std::string id;
    for (std::size_t at = magic; at < magic + guid; ++at)
      id += fmt::format("{:02x}", std::to_integer<unsigned>(record[at]));
    return id;
  }
  return "";
}

}  // namespace cudald
