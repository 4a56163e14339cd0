#include "os/own_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace cudald {

OwnFile open_own_file(const std::string& path) {
  OwnFile file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  struct stat status{};
  if (file.descriptor < 0) return file;
  if (::fstat(file.descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
    file.size = static_cast<std::uint64_t>(status.st_size);
    return file;
  }
  ::close(file.descriptor);
  return {};
}

void mark_as_used(int descriptor) { ::futimens(descriptor, nullptr); }

SiblingFile make_file_beside(const std::string& path) {
  SiblingFile made{-1, path + ".XXXXXX"};
  made.descriptor = ::mkostemp(made.path.data(), O_CLOEXEC);
  if (made.descriptor < 0) made.fault = errno;
  return made;
}

bool close_own_file(int descriptor) { return ::close(descriptor) == 0; }

bool rename_file(const std::string& from, const std::string& to) { return ::rename(from.c_str(), to.c_str()) == 0; }

bool remove_file(const std::string& path) { return ::unlink(path.c_str()) == 0; }

bool make_directory(const std::string& path) {
  struct stat status{};
  return ::mkdir(path.c_str(), 0777) == 0 || (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode));
}

void copy_permissions(const std::string& from, const std::string& to) {
  struct stat status{};
  if (::stat(from.c_str(), &status) == 0) ::chmod(to.c_str(), status.st_mode & 0777);
}

}  // namespace cudald
