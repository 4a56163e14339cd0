// Source: Microsoft, "File Management Functions"; errors: "System Error Codes".
#include "os/windows_files.h"

#include <windows.h>

#include <winioctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "os/wide_text_windows.h"

namespace cudald {
namespace {

int errno_of(DWORD error) {
  switch (error) {
    case ERROR_SUCCESS: return 0;
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_INVALID_DRIVE:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
    case ERROR_BAD_PATHNAME:
    case ERROR_NOT_READY:  // a drive without a disk
    case ERROR_NO_MORE_FILES: return ENOENT;
    case ERROR_DIRECTORY: return ENOTDIR;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_CANT_ACCESS_FILE: return EACCES;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY: return ENOMEM;
    case ERROR_TOO_MANY_OPEN_FILES: return EMFILE;
    default: return EIO;
  }
}

int last_errno() { return errno_of(GetLastError()); }

/// Of 100 nanoseconds since 1601.
std::int64_t since_1970(std::int64_t ticks) {
  constexpr std::int64_t years = 116444736000000000;
  return (ticks - years) * 100;
}

/// A handle that is closed with it.
class Handle {
 public:
  Handle(const std::string& path, DWORD access, DWORD flags) {
    const auto name = windows_path_of(path);
    if (name.empty()) {
      SetLastError(ERROR_FILE_NOT_FOUND);
      return;
    }
    constexpr DWORD all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    handle_ = CreateFileW(name.c_str(), access, all, nullptr, OPEN_EXISTING, flags, nullptr);
  }
  ~Handle() {
    if (*this) CloseHandle(handle_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  explicit operator bool() const { return handle_ != INVALID_HANDLE_VALUE; }
  HANDLE get() const { return handle_; }
  HANDLE release() { return std::exchange(handle_, INVALID_HANDLE_VALUE); }

 private:
  HANDLE handle_ = INVALID_HANDLE_VALUE;
};

int status_of(HANDLE handle, WindowsFileStatus& status) {
  BY_HANDLE_FILE_INFORMATION info;
  if (GetFileInformationByHandle(handle, &info) == 0) return last_errno();
  status.directory = (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  status.regular = !status.directory && (info.dwFileAttributes & FILE_ATTRIBUTE_DEVICE) == 0;
  status.size = static_cast<std::uint64_t>(info.nFileSizeHigh) << 32 | info.nFileSizeLow;
  status.volume = info.dwVolumeSerialNumber;
  status.number = static_cast<std::uint64_t>(info.nFileIndexHigh) << 32 | info.nFileIndexLow;
  FILE_BASIC_INFO times;
  if (GetFileInformationByHandleEx(handle, FileBasicInfo, &times, sizeof times) != 0)
    status.changed = since_1970(std::max(times.ChangeTime.QuadPart, times.LastWriteTime.QuadPart));
  return 0;
}

/// One entry, or those of a directory where the last name is "*". `take` says whether the next one is wanted.
template <typename Take>
int find_entries(const std::wstring& pattern, const Take& take) {
  WIN32_FIND_DATAW data;
  auto* const search = FindFirstFileExW(pattern.c_str(), FindExInfoBasic, &data, FindExSearchNameMatch, nullptr,
                                        FIND_FIRST_EX_LARGE_FETCH);
  if (search == INVALID_HANDLE_VALUE) return last_errno();
  bool more = true;
  while (more && take(data)) more = FindNextFileW(search, &data) != 0;
  const auto error = more ? ERROR_SUCCESS : GetLastError();
  FindClose(search);
  return error == ERROR_NO_MORE_FILES ? 0 : errno_of(error);
}

// What FSCTL_GET_REPARSE_POINT tells of a symbolic link; winnt.h of the driver kit has the structure.
struct LinkHead {
  std::uint32_t tag;
  std::uint16_t length, reserved, target_offset, target_length, shown_offset, shown_length;
};

bool is_link(const WIN32_FIND_DATAW& data) {
  return (data.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 &&
         (data.dwReserved0 == IO_REPARSE_TAG_SYMLINK || data.dwReserved0 == IO_REPARSE_TAG_MOUNT_POINT);
}

}  // namespace

WindowsFile::~WindowsFile() {
  if (handle_ != nullptr) CloseHandle(handle_);
}

int WindowsFile::open(const std::string& path) {
  Handle handle(path, GENERIC_READ, FILE_ATTRIBUTE_NORMAL);
  if (!handle) return last_errno();
  handle_ = handle.release();
  return GetFileType(handle_) == FILE_TYPE_DISK ? 0 : EINVAL;
}

int WindowsFile::status(WindowsFileStatus& status) const { return status_of(handle_, status); }

std::ptrdiff_t WindowsFile::read(std::uint64_t offset, std::span<std::byte> into) const {
  OVERLAPPED place{};
  place.Offset = static_cast<DWORD>(offset);
  place.OffsetHigh = static_cast<DWORD>(offset >> 32);
  DWORD count = 0;
  const auto wanted = static_cast<DWORD>(std::min<std::size_t>(into.size(), 1U << 30));
  if (ReadFile(handle_, into.data(), wanted, &count, &place) != 0) return static_cast<std::ptrdiff_t>(count);
  if (GetLastError() == ERROR_HANDLE_EOF) return 0;
  errno = last_errno();
  return -1;
}

int windows_status(const std::string& path, WindowsFileStatus& status) {
  const Handle handle(path, FILE_READ_ATTRIBUTES, FILE_FLAG_BACKUP_SEMANTICS);
  return handle ? status_of(handle.get(), status) : last_errno();
}

int windows_entry(const std::string& path, WindowsEntry& entry) {
  const auto name = windows_path_of(path);
  if (name.empty()) return ENOENT;
  return find_entries(name, [&](const WIN32_FIND_DATAW& data) {
    entry = {narrow(data.cFileName), (data.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0, is_link(data)};
    return false;
  });
}

int windows_names(const std::string& directory, std::vector<std::string>& names) {
  auto name = windows_path_of(directory);
  if (name.empty()) return ENOENT;
  if (!name.ends_with(L'\\')) name += L'\\';
  return find_entries(name + L'*', [&](const WIN32_FIND_DATAW& data) {
    const std::wstring_view entry = data.cFileName;
    if (entry != L"." && entry != L"..") names.push_back(narrow(entry));
    return true;
  });
}

int windows_real_path(const std::string& path, std::string& real) {
  const Handle handle(path, FILE_READ_ATTRIBUTES, FILE_FLAG_BACKUP_SEMANTICS);
  if (!handle) return last_errno();
  std::wstring name(GetFinalPathNameByHandleW(handle.get(), nullptr, 0, FILE_NAME_NORMALIZED), L'\0');
  name.resize(GetFinalPathNameByHandleW(handle.get(), name.data(), static_cast<DWORD>(name.size()), 0));
  // wine 8 does not tell those of more than 520 characters: then it is the name that was asked for.
  real = name.empty() ? path : tree_path_of(name);
  return 0;
}

int windows_link_target(const std::string& path, std::string& target) {
  const Handle handle(path, FILE_READ_ATTRIBUTES, FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT);
  if (!handle) return last_errno();
  std::array<std::byte, MAXIMUM_REPARSE_DATA_BUFFER_SIZE> bytes;
  DWORD size = 0;
  if (DeviceIoControl(handle.get(), FSCTL_GET_REPARSE_POINT, nullptr, 0, bytes.data(), static_cast<DWORD>(bytes.size()),
                      &size, nullptr) == 0)
    return last_errno();
  LinkHead head;
  if (size < sizeof head) return EIO;
  std::memcpy(&head, bytes.data(), sizeof head);
  const std::size_t flags = head.tag == IO_REPARSE_TAG_SYMLINK ? 4 : 0;
  const std::size_t begin = sizeof head + flags + head.target_offset;
  if (begin + head.target_length > size) return EIO;
  std::wstring text(head.target_length / sizeof(wchar_t), L'\0');
  std::memcpy(text.data(), bytes.data() + begin, text.size() * sizeof(wchar_t));
  // \??\C:\a in the kernel's own words.
  const bool full = text.starts_with(L"\\??\\");
  target = full ? tree_path_of(L"\\\\?\\" + text.substr(4)) : narrow(text);
  std::replace(target.begin(), target.end(), '\\', '/');
  return 0;
}

std::vector<std::string> windows_drives() {
  std::vector<std::string> drives;
  const auto there = GetLogicalDrives();
  for (char letter = 'A'; letter <= 'Z'; ++letter)
    if ((there >> (letter - 'A') & 1) != 0) drives.push_back({letter, ':'});
  return drives;
}

}  // namespace cudald
