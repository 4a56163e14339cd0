#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <doctest/doctest.h>

#include <cudald/file_system.h>

#include "unit/tree/scratch_folder.h"

namespace cudald {
namespace {

/// Gives up root's rights for a while: root may read what nobody may.
class OrdinaryUser {
 public:
  OrdinaryUser() { REQUIRE((::geteuid() != 0 || ::seteuid(65534) == 0)); }
  ~OrdinaryUser() {
    if (::getuid() == 0 && ::seteuid(0) != 0) ::abort();
  }
};

/// Counts how often something in a folder is opened.
class OpenWatch {
 public:
  explicit OpenWatch(const std::string& folder) : descriptor_(::inotify_init1(IN_NONBLOCK)) {
    REQUIRE(descriptor_ >= 0);
    REQUIRE(::inotify_add_watch(descriptor_, folder.c_str(), IN_OPEN) >= 0);
  }
  ~OpenWatch() { ::close(descriptor_); }
  OpenWatch(const OpenWatch&) = delete;
  OpenWatch& operator=(const OpenWatch&) = delete;

  bool saw_one() const {
    alignas(inotify_event) char events[4096];
    return ::read(descriptor_, events, sizeof events) > 0;
  }

 private:
  int descriptor_;
};

int open_error(const FileSystem& files, const std::string& path) {
  const auto file = files.open(path);
  return file ? 0 : file.error().system_error;
}

TEST_CASE("a file's status is told: kind, size, permissions, identity") {
  const ScratchFolder folder;
  folder.add_file("lib/a.so", "12345");
  folder.add_file("lib/copy.so", "12345");
  folder.add_symlink("lib/link.so", "a.so");
  std::filesystem::create_hard_link(folder / "lib/a.so", folder / "lib/hard.so");
  REQUIRE(::chmod((folder / "lib/copy.so").c_str(), 04711) == 0);
  const auto files = make_disk_file_system(folder.path());

  const auto a = files->status("/lib/a.so");
  REQUIRE(a);
  CHECK(a->kind == FileKind::regular);
  CHECK(a->size == 5);
  CHECK_FALSE(a->executable);
  CHECK_FALSE(a->set_user_id);
  CHECK(files->status("/lib/link.so")->id == a->id);
  CHECK(files->status("/lib/hard.so")->id == a->id);
  const auto copy = files->status("/lib/copy.so");
  CHECK_FALSE(copy->id == a->id);
  CHECK(copy->executable);
  CHECK(copy->set_user_id);
  CHECK(files->status("/lib")->kind == FileKind::folder);
  CHECK((*files->open("/lib/link.so"))->status().id == a->id);
}

TEST_CASE("a file has an identity, which a change ends, and none while the clock stands") {
  const ScratchFolder folder;
  folder.add_file("file", "first");
  folder.add_file("other", "first");
  const auto files = make_disk_file_system();
  const auto identity = [&](const std::string& name) { return (*files->open(folder / name))->identity(); };
  bool unknown_at_first = false;  // on a busy machine it may be late
  for (int i = 0; i < 50 && !unknown_at_first; ++i) {
    folder.add_file("file", "first");
    unknown_at_first = identity("file").empty();
  }
  CHECK(unknown_at_first);
  const auto pass = [] { std::this_thread::sleep_for(std::chrono::milliseconds(120)); };
  pass();
  const auto first = identity("file");
  CHECK_FALSE(first.empty());
  CHECK(identity("file") == first);
  CHECK(identity("other") != first);
  std::filesystem::rename(folder / "file", folder / "moved");
  pass();
  CHECK(identity("moved") != "");
  const auto time = std::filesystem::last_write_time(folder / "moved");
  const auto moved = identity("moved");
  folder.add_file("moved", "later");
  std::filesystem::last_write_time(folder / "moved", time);
  pass();
  CHECK(identity("moved") != moved);
}

TEST_CASE("what cannot be opened says why in errno") {
  const ScratchFolder folder;
  folder.add_file("lib/a.so", "12345");
  folder.add_file("closed/a.so", "12345");
  folder.add_file("secret.so", "12345");
  REQUIRE(::chmod((folder / "closed").c_str(), 0) == 0);
  REQUIRE(::chmod((folder / "secret.so").c_str(), 0) == 0);
  for (const bool sysroot : {true, false}) {
    const auto files = make_disk_file_system(sysroot ? folder.path() : "/");
    const std::string root = sysroot ? "" : folder.path();
    CAPTURE(sysroot);
    CHECK(open_error(*files, root + "/lib/none.so") == ENOENT);
    CHECK(open_error(*files, root + "/none/a.so") == ENOENT);
    CHECK(open_error(*files, root + "/lib/a.so/b.so") == ENOTDIR);
    CHECK(open_error(*files, root + "/lib") == EISDIR);
    CHECK(open_error(*files, root + "/lib/" + std::string(256, 'x')) == ENAMETOOLONG);
    CHECK(files->open(root + "/none/a.so").error().code == ErrorCode::absent);
    CHECK(files->open(root + "/lib/a.so/b.so").error().code == ErrorCode::absent);
    CHECK(files->open(root + "/lib").error().code == ErrorCode::unreadable);
    CHECK(files->open(root + "/none/a.so").error().path == root + "/none/a.so");
    const OrdinaryUser user;
    CHECK(open_error(*files, root + "/closed/a.so") == EACCES);
    CHECK(open_error(*files, root + "/secret.so") == EACCES);
    CHECK(files->open(root + "/secret.so").error().code == ErrorCode::unreadable);
  }
  REQUIRE(::chmod((folder / "closed").c_str(), 0700) == 0);
}

TEST_CASE("a pipe is refused without being opened") {
  const ScratchFolder folder;
  REQUIRE(::mkfifo((folder / "pipe.so").c_str(), 0600) == 0);
  folder.add_file("a.so", "12345");
  for (const bool sysroot : {true, false}) {
    const auto files = make_disk_file_system(sysroot ? folder.path() : "/");
    const std::string root = sysroot ? "" : folder.path();
    const OpenWatch watch(folder.path());
    CHECK(open_error(*files, root + "/pipe.so") == EINVAL);
    CHECK(files->status(root + "/pipe.so")->kind == FileKind::other);
    CHECK_FALSE(watch.saw_one());
    CHECK(open_error(*files, root + "/a.so") == 0);
    CHECK(watch.saw_one());
  }
}

TEST_CASE("reads stop at the end of the file, even if it shrank in the meantime") {
  const ScratchFolder folder;
  folder.add_file("a.so", "0123456789");
  const auto files = make_disk_file_system(folder.path());
  const auto file = files->open("/a.so");
  REQUIRE(file);
  std::byte into[8];
  CHECK(*(*file)->read(0, into) == 8);
  CHECK(std::memcmp(into, "01234567", 8) == 0);
  CHECK(*(*file)->read(6, into) == 4);
  CHECK(std::memcmp(into, "6789", 4) == 0);
  CHECK(*(*file)->read(10, into) == 0);
  CHECK(*(*file)->read(UINT64_MAX, into) == 0);
  CHECK(*(*file)->read(INT64_MAX, into) == 0);
  REQUIRE(::truncate((folder / "a.so").c_str(), 3) == 0);
  CHECK(*(*file)->read(0, into) == 3);
  CHECK((*file)->status().size == 10);
}

TEST_CASE("a folder's names come sorted, without the two dots") {
  const ScratchFolder folder;
  for (const std::string name : {"b.so", ".hidden", "a.so", "c"}) folder.add_file(name, "");
  const auto files = make_disk_file_system(folder.path());
  const auto names = files->list("/");
  REQUIRE(names);
  CHECK(*names == std::vector<std::string>{".hidden", "a.so", "b.so", "c"});
  CHECK(files->list("/a.so").error().system_error == ENOTDIR);
  CHECK(files->list("/none").error().system_error == ENOENT);
}

TEST_CASE("a folder is listed once, until it changes") {
  const ScratchFolder folder;
  folder.add_file("sub/a.so", "");
  const auto below = make_disk_file_system(folder.path()), whole = make_disk_file_system();
  // What changed just now may change again and look the same.
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  using Names = std::vector<std::string>;
  const auto listed = [&] { return std::pair(*below->list("/sub"), *whole->list(folder / "sub")); };
  CHECK(listed() == std::pair(Names{"a.so"}, Names{"a.so"}));
  {
    const OpenWatch watch(folder / "sub");
    CHECK(*whole->list(folder / "sub") == Names{"a.so"});
    CHECK_FALSE(watch.saw_one());
  }
  folder.add_file("sub/b.so", "");
  CHECK(listed() == std::pair(Names{"a.so", "b.so"}, Names{"a.so", "b.so"}));
  std::filesystem::remove(folder / "sub/a.so");
  CHECK(listed() == std::pair(Names{"b.so"}, Names{"b.so"}));
  std::filesystem::remove_all(folder / "sub");
  CHECK(whole->list(folder / "sub").error().system_error == ENOENT);
}

TEST_CASE("a folder has the name of a link that leads nowhere, on the machine itself and below a root") {
  const ScratchFolder folder;
  folder.add_file("real/a.so", "");
  folder.add_symlink("real/gone.so", "nowhere");
  folder.add_symlink("other", "real");
  const auto below = make_disk_file_system(folder.path()), whole = make_disk_file_system();
  for (const std::string part : {"/real/", "/other/", "/other/../real/"})
    for (const auto& [name, there] : {std::pair("a.so", true), {"gone.so", true}, {"nowhere", false}, {"a", false}}) {
      const auto& seen_name = name;
      CAPTURE(part + seen_name);
      CHECK(below->has_name(part + name) == there);
      CHECK(whole->has_name(folder / (part.substr(1) + name)) == there);
    }
  CHECK(!below->has_name("/none/a.so"));
  CHECK(!whole->has_name(folder / "none/a.so"));
}

TEST_CASE("a whole file is read up to a limit") {
  const ScratchFolder folder;
  folder.add_file("conf", "0123456789");
  const auto files = make_disk_file_system(folder.path());
  CHECK(*read_file(*files, "/conf", 10) == "0123456789");
  CHECK(read_file(*files, "/conf", 9).error().code == ErrorCode::limit);
  CHECK(read_file(*files, "/none", 9).error().code == ErrorCode::absent);
  const auto open = files->open("/conf");
  CHECK(*read_file(**open, "/conf", 10) == "0123456789");
  CHECK(read_file(**open, "its name", 9).error().path == "its name");
}

TEST_CASE("real paths are those of realpath, whatever was asked before") {
  const ScratchFolder folder;
  folder.add_file("real/deep/file", "x");
  folder.add_symlink("link", "real");
  folder.add_symlink("real/deep/alias", "file");
  folder.add_symlink("real/up", "..");
  folder.add_symlink("real/loop", "loop");
  const auto files = make_disk_file_system();
  for (const auto* name : {"real/deep/file", "link/deep/file", "link/deep/alias", "real/up/link/deep/alias", "link",
                           "real", "real/deep/../deep/file", "real//deep/./file", "real/deep/", "none", "none/file",
                           "real/deep/file/below", "real/loop", "real/loop/file", "link/deep/file"}) {
    CAPTURE(name);
    const auto path = folder / name;
    char* right = ::realpath(path.c_str(), nullptr);
    const int why = errno;
    const auto found = files->real_path(path);
    REQUIRE(found.has_value() == (right != nullptr));
    if (found) CHECK(*found == right);
    if (!found) CHECK(found.error().system_error == why);
    ::free(right);
  }
  CHECK(*files->real_path("/") == "/");
}

TEST_CASE("real paths of what realpath itself is asked for") {
  const ScratchFolder folder;
  folder.add_file("a", "text");
  const auto disk = make_disk_file_system();
  for (const auto& path : {folder / "a/../a", folder / ".", folder / "..", folder / "a/", folder / "none",
                           folder / "none/a", std::string("relative-and-not-there"), std::string(),
                           "/" + std::string(5000, 'x'), folder.path() + std::string(5000, '/') + "a"}) {
    CAPTURE(path.substr(0, 100));
    char* const real = ::realpath(path.c_str(), nullptr);
    const int number = real == nullptr ? errno : 0;
    const auto said = disk->real_path(path);
    CHECK(said.has_value() == (real != nullptr));
    if (said && real != nullptr) CHECK(*said == real);
    if (!said) CHECK(said.error().system_error == number);
    std::free(real);
  }
}

TEST_CASE("a root that is no folder has no files") {
  const ScratchFolder folder;
  folder.add_file("file", "text");
  for (const auto* root : {"file", "none"}) {
    const auto files = make_disk_file_system(folder / root);
    CHECK_FALSE(files->status("/a"));
    CHECK_FALSE(files->open("/a"));
    CHECK_FALSE(files->list("/"));
    CHECK_FALSE(files->has_name("/a"));
  }
}

TEST_CASE("a file of this machine's disk is at hand and can be read anywhere") {
  const ScratchFolder folder;
  folder.add_file("file", "text");
  const auto file = make_disk_file_system()->open(folder / "file");
  REQUIRE(file);
  CHECK((*file)->is_at_hand());
  CHECK_FALSE((*file)->is_stream());
  CHECK((*file)->reads_anywhere(0, 4));
  CHECK((*file)->kept() == nullptr);
}

}  // namespace
}  // namespace cudald
