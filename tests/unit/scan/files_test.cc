#include "scan/files.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "os/own_file.h"
#include "unit/scan/temporary_folder.h"

// In place of the C library's, so that a file system can be played that has no hard links, and one whose answers get
// lost.
static int link_says = 0;  ///< 0: what is true
static bool link_links = true;
static int next_write_says = 0, next_sync_says = 0, next_close_says = 0;  ///< 0: what is true
static const char* host_says = nullptr;  ///< the name of the machine, "-" for none; nullptr: what is true

extern "C" int link(const char* from, const char* to) noexcept {
  const int result = link_links ? ::linkat(AT_FDCWD, from, AT_FDCWD, to, 0) : 0;
  if (link_says == 0) return result;
  errno = link_says;
  return -1;
}

/// -1 with the fault that is to be said, once; else the result.
static ssize_t said(int& fault, ssize_t result) {
  if (fault == 0) return result;
  errno = std::exchange(fault, 0);
  return -1;
}

extern "C" ssize_t write(int fd, const void* bytes, size_t size) {
  return said(next_write_says, next_write_says == 0 ? ::syscall(SYS_write, fd, bytes, size) : 0);
}

extern "C" int fsync(int fd) { return static_cast<int>(said(next_sync_says, ::syscall(SYS_fsync, fd))); }

extern "C" int close(int fd) { return static_cast<int>(said(next_close_says, ::syscall(SYS_close, fd))); }

extern "C" int gethostname(char* name, size_t size) noexcept {
  struct utsname system{};
  ::uname(&system);
  const std::string_view told = host_says == nullptr ? system.nodename : host_says;
  if (told == "-") return -1;
  told.copy(name, size);
  return 0;
}

namespace cudald {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("of several who write first, the first wins") {
  const TemporaryFolder folder;
  CHECK(*write_first(folder / "list", "one"));
  CHECK_FALSE(*write_first(folder / "list", "two"));
  CHECK(bytes_of_file(folder / "list") == "one");
  CHECK_FALSE(write_whole(folder / "list", "three"));
  CHECK(bytes_of_file(folder / "list") == "three");
  CHECK(names_in(folder.path()) == Names{"list"});
}

TEST_CASE("a file that somebody else has moved is not an error") {
  const TemporaryFolder folder;
  write_file(folder / "a", "");
  CHECK(*move_file(folder / "a", folder / "b"));
  CHECK_FALSE(*move_file(folder / "a", folder / "c"));
  CHECK_FALSE(move_file(folder / "b", folder / "none/c"));
  remove_file(folder / "b");
  CHECK(names_in(folder.path()).empty());
}

TEST_CASE("what is appended is there at once") {
  const TemporaryFolder folder;
  CHECK_FALSE(make_folders(folder / "x/y"));
  auto file = Appender::create(folder / "x/y/z");
  REQUIRE(file);
  CHECK_FALSE(file->append("one\n"));
  CHECK(bytes_of_file(folder / "x/y/z") == "one\n");
  CHECK_FALSE(file->append("two\n"));
  CHECK(bytes_of_file(folder / "x/y/z") == "one\ntwo\n");
  const auto again = Appender::create(folder / "x/y/z");
  CHECK((!again && again.error().system_error == EEXIST));
}

TEST_CASE("what cannot be written is told") {
  const TemporaryFolder folder;
  write_file(folder / "file", "");
  CHECK(make_folders(folder / "file/below"));
  CHECK(write_whole(folder / "file/below", ""));
  CHECK_FALSE(write_first(folder / "none/list", ""));
}

TEST_CASE("a file without a name can be written and read, and is in no folder") {
  const TemporaryFolder folder;
  auto file = NamelessFile::create(folder.path());
  REQUIRE(file);
  write_file(file->path(), "text");
  CHECK(bytes_of_file(file->path()) == "text");
  CHECK(names_in(folder.path()).empty());
  const auto other = NamelessFile::create(folder.path());
  CHECK((other && other->path() != file->path()));
  CHECK_FALSE(NamelessFile::create(folder / "none"));
}

TEST_CASE("a write that a signal interrupts is made again; of faults at the end of a file the first is told") {
  const TemporaryFolder folder;
  const auto told = [&](int write, int sync, int close) {
    next_write_says = write, next_sync_says = sync, next_close_says = close;
    const auto fault = write_whole(folder / "file", "text");
    CHECK((next_write_says == 0 && next_sync_says == 0 && next_close_says == 0));
    if (!fault) return bytes_of_file(folder / "file");
    CHECK(fault->path.starts_with(folder / "file."));
    CHECK(names_in(folder.path()).empty());
    return std::to_string(fault->system_error);
  };
  CHECK(told(EFBIG, 0, 0) == std::to_string(EFBIG));
  CHECK(told(0, ENOSPC, 0) == std::to_string(ENOSPC));
  CHECK(told(0, 0, EDQUOT) == std::to_string(EDQUOT));
  CHECK(told(EFBIG, ENOSPC, 0) == std::to_string(EFBIG));
  CHECK(told(0, ENOSPC, EDQUOT) == std::to_string(ENOSPC));
  CHECK(told(EINTR, 0, 0) == "text");
}

TEST_CASE("a name of one's own is never used twice") { CHECK(own_name() != own_name()); }

TEST_CASE("a fault says what the system said, and of which file, and nothing is left beside it") {
  const TemporaryFolder folder;
  write_file(folder / "file", "");
  const auto below = make_folders(folder / "file/below");
  REQUIRE(below);
  CHECK(below->code == ErrorCode::usage);
  CHECK(below->system_error == ENOTDIR);
  CHECK(below->path == folder / "file/below");
  CHECK(below->message == "Not a directory");
  CHECK_FALSE(make_folders(folder / "new/one"));
  CHECK_FALSE(make_folders(folder / "new/one"));
  const auto onto_folder = write_whole(folder / "new", "text");
  REQUIRE(onto_folder);
  CHECK(onto_folder->path == folder / "new");
  CHECK(onto_folder->system_error == EISDIR);
  CHECK(names_in(folder.path()) == Names{"file", "new"});
  const auto into_none = write_first(folder / "none/list", "");
  REQUIRE_FALSE(into_none);
  CHECK(into_none.error().system_error == ENOENT);
  CHECK(into_none.error().code == ErrorCode::usage);
  const auto moved = move_file(folder / "file", folder / "none/file");
  REQUIRE_FALSE(moved);
  CHECK(moved.error().path == folder / "file");
  CHECK(names_in(folder / "none").empty());
}

TEST_CASE("where there are no hard links a list is put in place by its name; an answer that got lost is made good") {
  const TemporaryFolder folder;
  const auto written = [&](int says, bool links) {
    link_says = says, link_links = links;
    const auto made = write_first(folder / "list", "text");
    link_says = 0, link_links = true;
    const auto told = made ? (*made ? "written" : "there") : std::to_string(made.error().system_error);
    const auto bytes = bytes_of_file(folder / "list");
    remove_file(folder / "list");
    CHECK(names_in(folder.path()).empty());
    return told + ": " + bytes;
  };
  for (const int fault : {EPERM, EOPNOTSUPP, ENOSYS, EMLINK}) {
    CAPTURE(fault);
    CHECK(written(fault, false) == "written: text");
    CHECK(written(fault, true) == "written: text");
  }
  CHECK(written(EEXIST, true) == "written: text");
  CHECK(written(EEXIST, false) == "there: ");
  CHECK(written(EIO, true) == "written: text");
  CHECK(written(EIO, false) == std::to_string(EIO) + ": ");
}

TEST_CASE("an appender and a file without a name are handed on, and closed once") {
  const TemporaryFolder folder;
  auto first = Appender::create(folder / "a"), second = Appender::create(folder / "b");
  REQUIRE((first && second));
  *first = std::move(*second);
  CHECK_FALSE(first->append("text"));
  CHECK(bytes_of_file(folder / "b") == "text");
  CHECK(bytes_of_file(folder / "a").empty());
  auto file = NamelessFile::create(folder.path()), other = NamelessFile::create(folder.path());
  REQUIRE((file && other));
  const auto path = other->path();
  *file = std::move(*other);
  CHECK(file->path() == path);
  CHECK(path.starts_with("/proc/self/fd/"));
}

TEST_CASE("a machine is known by its name, without the signs that part names here") {
  const auto named = [](const char* name) {
    host_says = name;
    auto told = host_name();
    host_says = nullptr;
    return told;
  };
  CHECK(named("a/b@c.d") == "a_b_c.d");
  CHECK(named("plain") == "plain");
  CHECK(named("") == "host");
  CHECK(named("-") == "host");  // the system cannot say
  host_says = "h@1";
  const auto own = own_name();
  host_says = nullptr;
  CHECK(own.starts_with("h_1@" + std::to_string(::getpid()) + "@"));
}

TEST_CASE("where a list can be put in place in no way the system says why") {
  const TemporaryFolder folder;
  REQUIRE_FALSE(make_folders(folder / "list"));
  link_says = EPERM, link_links = false;
  const auto made = write_first(folder / "list", "text");
  link_says = 0, link_links = true;
  REQUIRE_FALSE(made);
  CHECK(made.error().path == folder / "list");
  CHECK(made.error().system_error == EISDIR);
  CHECK(names_in(folder.path()) == Names{"list"});
  const auto moved = move_file(folder / "list", folder / "list/below");
  REQUIRE_FALSE(moved);
  CHECK(moved.error().system_error == EINVAL);
  CHECK(moved.error().path == folder / "list");
}

mode_t mode_of(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

TEST_CASE("files that workers share are as open as the mask allows, one without a name is for its owner") {
  const TemporaryFolder folder;
  const auto before = ::umask(0);
  REQUIRE_FALSE(write_whole(folder / "whole", ""));
  REQUIRE(write_first(folder / "first", ""));
  const auto appender = Appender::create(folder / "appended");
  const auto nameless = NamelessFile::create(folder.path());
  ::umask(before);
  REQUIRE((appender && nameless));
  for (const auto* name : {"whole", "first", "appended"}) CHECK(mode_of(folder / name) == 0666);
  CHECK(mode_of(nameless->path()) == 0600);
}

TEST_CASE("of the name of a machine 255 bytes count") {
  const auto named = [](const std::string& name) {
    host_says = name.c_str();
    auto told = host_name();
    host_says = nullptr;
    return told;
  };
  CHECK(named(std::string(254, 'x')).size() == 254);
  CHECK(named(std::string(255, 'x')) == std::string(255, 'x'));
  CHECK(named(std::string(300, 'x')) == std::string(255, 'x'));
}

TEST_CASE("what could not be written has its kind, its file and its reason, whoever writes") {
  const TemporaryFolder folder;
  const auto whole = write_whole(folder / "none/whole", "");
  REQUIRE(whole);
  CHECK(whole->code == ErrorCode::usage);
  CHECK(whole->system_error == ENOENT);
  CHECK(whole->message == "No such file or directory");
  CHECK(whole->path.starts_with(folder / "none/whole."));
  CHECK(whole->path.ends_with(".tmp"));
  const auto appender = Appender::create(folder / "none/x");
  REQUIRE_FALSE(appender);
  CHECK(appender.error().code == ErrorCode::usage);
  CHECK(appender.error().path == folder / "none/x");
  CHECK(appender.error().system_error == ENOENT);
  const auto nameless = NamelessFile::create(folder / "none");
  REQUIRE_FALSE(nameless);
  CHECK(nameless.error().code == ErrorCode::usage);
  CHECK(nameless.error().path.starts_with(folder / "none/."));
  CHECK(nameless.error().system_error == ENOENT);
}

TEST_CASE("names are those of files of each kind, in order") {
  const TemporaryFolder folder;
  for (const auto* name : {"c", "a", "B", ".d"}) write_file(folder / name, "");
  REQUIRE_FALSE(make_folders(folder / "b/below"));
  CHECK(names_in(folder.path()) == Names{".d", "B", "a", "b", "c"});
  CHECK(names_in(folder / "a").empty());
}

}  // namespace
}  // namespace cudald
