#include "os/own_file.h"

#include <windows.h>

#include <fcntl.h>
#include <io.h>

#include <cerrno>
#include <random>

#include "os/typed_path.h"
#include "os/wide_text_windows.h"

namespace cudald {
namespace {

std::wstring name_of(const std::string& path) {
  const auto tree_path = tree_path_of_typed(path);
  return tree_path.starts_with('/') ? windows_path_of(tree_path) : wide(tree_path);
}

std::string six_letters() {
  static std::random_device random;
  std::string letters;
  for (int i = 0; i < 6; ++i) letters += static_cast<char>('a' + random() % 26);
  return letters;
}

}  // namespace

OwnFile open_own_file(const std::string& path) {
  auto* const handle = CreateFileW(name_of(path).c_str(), GENERIC_READ | FILE_WRITE_ATTRIBUTES,
                                   FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr, OPEN_EXISTING,
                                   FILE_FLAG_OPEN_REPARSE_POINT, nullptr);
  BY_HANDLE_FILE_INFORMATION info;
  if (handle == INVALID_HANDLE_VALUE) return {};
  constexpr DWORD others = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT | FILE_ATTRIBUTE_DEVICE;
  if (GetFileInformationByHandle(handle, &info) != 0 && (info.dwFileAttributes & others) == 0)
    return {_open_osfhandle(reinterpret_cast<intptr_t>(handle), _O_RDONLY | _O_BINARY),
            static_cast<std::uint64_t>(info.nFileSizeHigh) << 32 | info.nFileSizeLow};
  CloseHandle(handle);
  return {};
}

void mark_as_used(int descriptor) {
  FILETIME now;
  GetSystemTimeAsFileTime(&now);
  SetFileTime(reinterpret_cast<HANDLE>(_get_osfhandle(descriptor)), nullptr, nullptr, &now);
}

SiblingFile make_file_beside(const std::string& path) {
  constexpr int most_tries = 100;
  for (int tries = 0; tries < most_tries; ++tries) {
    SiblingFile made{-1, path + "." + six_letters()};
    auto* const handle = CreateFileW(name_of(made.path).c_str(), GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ, nullptr,
                                     CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr);
    if (handle != INVALID_HANDLE_VALUE) {
      made.descriptor = _open_osfhandle(reinterpret_cast<intptr_t>(handle), _O_RDWR | _O_BINARY);
      return made;
    }
    if (GetLastError() != ERROR_FILE_EXISTS) break;
  }
  return {-1, "", GetLastError() == ERROR_ACCESS_DENIED ? EACCES : ENOENT};
}

bool close_own_file(int descriptor) { return _close(descriptor) == 0; }

bool rename_file(const std::string& from, const std::string& to) {
  return MoveFileExW(name_of(from).c_str(), name_of(to).c_str(), MOVEFILE_REPLACE_EXISTING) != 0;
}

bool remove_file(const std::string& path) { return DeleteFileW(name_of(path).c_str()) != 0; }

bool make_directory(const std::string& path) {
  const auto name = name_of(path);
  if (CreateDirectoryW(name.c_str(), nullptr) != 0) return true;
  const auto attributes = GetFileAttributesW(name.c_str());
  return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

void copy_permissions(const std::string& /*from*/, const std::string& /*to*/) {}

}  // namespace cudald
