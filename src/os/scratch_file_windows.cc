#include "os/scratch_file.h"

#include <windows.h>

#include <fcntl.h>
#include <io.h>

#include <algorithm>
#include <string>

namespace cudald {
namespace {

constexpr std::size_t most_at_once = 1U << 30;

HANDLE scratch_handle(int file) { return reinterpret_cast<HANDLE>(_get_osfhandle(file)); }

OVERLAPPED place_at(std::uint64_t offset) {
  OVERLAPPED place{};
  place.Offset = static_cast<DWORD>(offset);
  place.OffsetHigh = static_cast<DWORD>(offset >> 32);
  return place;
}

}  // namespace

std::string scratch_directory() { return ""; }

int open_scratch_file() {
  std::wstring folder(MAX_PATH + 1, L'\0'), name(MAX_PATH + 1, L'\0');
  if (GetTempPathW(static_cast<DWORD>(folder.size()), folder.data()) == 0) return -1;
  if (GetTempFileNameW(folder.c_str(), L"cud", 0, name.data()) == 0) return -1;
  auto* const handle =
      CreateFileW(name.c_str(), GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                  nullptr, OPEN_EXISTING, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr);
  if (handle == INVALID_HANDLE_VALUE) return -1;
  return _open_osfhandle(reinterpret_cast<intptr_t>(handle), _O_RDWR | _O_BINARY);
}

bool read_at(int file, std::uint64_t offset, std::span<std::byte> into) {
  while (!into.empty()) {
    auto place = place_at(offset);
    DWORD count = 0;
    const auto wanted = static_cast<DWORD>(std::min(into.size(), most_at_once));
    if (ReadFile(scratch_handle(file), into.data(), wanted, &count, &place) == 0 || count == 0) return false;
    into = into.subspan(count);
    offset += count;
  }
  return true;
}

bool write_at(int file, std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    auto place = place_at(offset);
    DWORD count = 0;
    const auto wanted = static_cast<DWORD>(std::min(bytes.size(), most_at_once));
    if (WriteFile(scratch_handle(file), bytes.data(), wanted, &count, &place) == 0 || count == 0) return false;
    bytes = bytes.subspan(count);
    offset += count;
  }
  return true;
}

}  // namespace cudald
