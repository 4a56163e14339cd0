#include "os/linux_errors.h"

#include <cerrno>
#include <cstring>

namespace cudald {
namespace {

struct LinuxError {
  int here, number;
  const char* text;
};

// Numbers up to 34 are the same in Windows' C library. Source: Linux, asm-generic/errno-base.h and errno.h; glibc,
// sysdeps/gnu/errlist.h.
constexpr LinuxError errors[] = {
    {EPERM, 1, "Operation not permitted"},
    {ENOENT, 2, "No such file or directory"},
    {EIO, 5, "Input/output error"},
    {EBADF, 9, "Bad file descriptor"},
    {ENOMEM, 12, "Cannot allocate memory"},
    {EACCES, 13, "Permission denied"},
    {EEXIST, 17, "File exists"},
    {ENODEV, 19, "No such device"},
    {ENOTDIR, 20, "Not a directory"},
    {EISDIR, 21, "Is a directory"},
    {EINVAL, 22, "Invalid argument"},
    {ENFILE, 23, "Too many open files in system"},
    {EMFILE, 24, "Too many open files"},
    {EFBIG, 27, "File too large"},
    {ENOSPC, 28, "No space left on device"},
    {EROFS, 30, "Read-only file system"},
    {ENAMETOOLONG, 36, "File name too long"},
    {ENOSYS, 38, "Function not implemented"},
    {ELOOP, 40, "Too many levels of symbolic links"},
};

const LinuxError* find(int number) {
  for (const auto& error : errors)
    if (error.here == number) return &error;
  return nullptr;
}

}  // namespace

int linux_error_number(int number) {
  const auto* error = find(number);
  return error != nullptr ? error->number : number;
}

std::string linux_error_text(int number) {
  const auto* error = find(number);
  return error != nullptr ? error->text : std::strerror(number);
}

}  // namespace cudald
