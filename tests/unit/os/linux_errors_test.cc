#include <cerrno>

#include <doctest/doctest.h>

#include "os/linux_errors.h"

namespace cudald {
namespace {

TEST_CASE("errors have the numbers and texts of Linux, whatever the system is") {
  struct Row {
    int number, of_linux;
    const char* text;
  };
  for (const auto& row :
       {Row{EPERM, 1, "Operation not permitted"}, Row{ENOENT, 2, "No such file or directory"},
        Row{EIO, 5, "Input/output error"}, Row{EBADF, 9, "Bad file descriptor"},
        Row{ENOMEM, 12, "Cannot allocate memory"}, Row{EACCES, 13, "Permission denied"}, Row{EEXIST, 17, "File exists"},
        Row{ENODEV, 19, "No such device"}, Row{ENOTDIR, 20, "Not a directory"}, Row{EISDIR, 21, "Is a directory"},
        Row{EINVAL, 22, "Invalid argument"}, Row{ENFILE, 23, "Too many open files in system"},
        Row{EMFILE, 24, "Too many open files"}, Row{EFBIG, 27, "File too large"},
        Row{ENOSPC, 28, "No space left on device"}, Row{EROFS, 30, "Read-only file system"},
        Row{ENAMETOOLONG, 36, "File name too long"}, Row{ENOSYS, 38, "Function not implemented"},
        Row{ELOOP, 40, "Too many levels of symbolic links"}}) {
    CAPTURE(row.text);
    CHECK(linux_error_number(row.number) == row.of_linux);
    CHECK(linux_error_text(row.number) == row.text);
  }
}

}  // namespace
}  // namespace cudald
