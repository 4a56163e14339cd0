#include "tree/own_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "base/path.h"

namespace cudald {
namespace {

constexpr mode_t others_may_write = S_IWGRP | S_IWOTH;

/// Of a folder that is there, without a look at those above it.
std::string distrust_of_one(const std::string& folder, bool of_user_alone) {
  struct stat st;
  if (::lstat(folder.c_str(), &st) != 0) return fmt::format("{}: {}", folder, std::strerror(errno));
  if (S_ISLNK(st.st_mode)) return fmt::format("{} is a link", folder);
  if (!S_ISDIR(st.st_mode)) return fmt::format("{} is not a directory", folder);
  if (st.st_uid != ::geteuid() && (of_user_alone || st.st_uid != 0))
    return fmt::format("{} belongs to another user", folder);
  const bool sticky = !of_user_alone && (st.st_mode & S_ISVTX) != 0;
  if ((st.st_mode & others_may_write) != 0 && !sticky) return fmt::format("others may write to {}", folder);
  return "";
}

bool is_there(const std::string& path) {
  struct stat st;
  return ::lstat(path.c_str(), &st) == 0;
}

bool is_link(const std::string& path) {
  struct stat st;
  return ::lstat(path.c_str(), &st) == 0 && S_ISLNK(st.st_mode);
}

/// Of a folder above, and all above that. A link counts as what it leads to, once nobody else can change where.
std::string distrust_of_place(const std::string& folder) {
  struct stat link;
  if (::lstat(folder.c_str(), &link) == 0 && S_ISLNK(link.st_mode) && link.st_uid != ::geteuid() && link.st_uid != 0)
    return fmt::format("{} is a link of another user", folder);
  auto* const resolved = ::realpath(folder.c_str(), nullptr);
  if (resolved == nullptr) return fmt::format("{}: {}", folder, std::strerror(errno));
  const std::string real(resolved);
  std::free(resolved);
  for (std::string at = real;; at = std::string(parent_path(at))) {
    if (auto why = distrust_of_one(at, false); !why.empty()) return why;
    if (at == "/") break;
  }
  if (real == folder || folder == "/") return "";
  // The folder in which a link lies decides where it leads.
  return distrust_of_place(std::string(parent_path(folder)));
}

}  // namespace

std::string distrust_of(const std::string& folder) {
  auto at = normal_path(folder);
  if (is_there(at))
    if (auto why = distrust_of_one(at, true); !why.empty()) return why;
  at = parent_path(at);
  if (is_link(at)) return fmt::format("{} is a link", at);
  while (at != "/" && !is_there(at)) at = parent_path(at);
  return distrust_of_place(at);
}

bool make_own_folders(const std::string& path) {
  struct stat st;
  if (::stat(path.c_str(), &st) == 0) return S_ISDIR(st.st_mode);
  const std::string above(parent_path(path));
  if (above == path || !make_own_folders(above)) return false;
  return ::mkdir(path.c_str(), S_IRWXU) == 0 ||
         (errno == EEXIST && ::stat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode));
}

}  // namespace cudald
