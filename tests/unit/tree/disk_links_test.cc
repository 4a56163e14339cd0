// Paths with symbolic links in a root of its own: on the disk, in memory, in an archive, and as the kernel walks them.

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <cudald/file_system.h>

#include "common/memory_file_system.h"
#include "tree/disk.h"
#include "tree/path_tree.h"
#include "unit/tree/scratch_folder.h"

namespace cudald {
namespace {

/// One tree, on the disk, in memory, and as the names of an archive.
class Trees {
 public:
  Trees() {
    folder("usr/lib");
    file("usr/lib/liba.so");
    file("srv/tree/libb.so");
    link("lib", "usr/lib");
    link("absolute.so", "/usr/lib/liba.so");
    link("usr/lib/up.so", "../../srv/tree/libb.so");
    link("usr/lib/far-up.so", "../../../../../../srv/tree/libb.so");
    link("usr/lib/tree", "/srv/tree");
    link("chain", "lib/tree");
    link("dangling.so", "/nowhere/liba.so");
    link("self.so", "self.so");
    link("loop-a", "loop-b");
    link("loop-b", "/loop-a");
    link("dot", ".");
    link("file-as-folder", "/usr/lib/liba.so/");
    std::string target = "usr/lib/liba.so";
    for (int i = 1; i <= 41; ++i) {
      const auto name = "step" + std::to_string(i);
      link(name, target);
      target = name;
    }
  }

  const ScratchFolder& disk() const { return disk_; }
  const MemoryFileSystem& memory() const { return memory_; }
  const PathTree& archive() const { return archive_; }

 private:
  void folder(const std::string& name) {
    std::filesystem::create_directories(disk_ / name);
    memory_.add_folder("/" + name);
    archive_.add_folder(name);
  }
  void file(const std::string& name) {
    disk_.add_file(name, name);
    memory_.add_file("/" + name, name);
    archive_.add_file(name, 0);
  }
  void link(const std::string& name, const std::string& target) {
    disk_.add_symlink(name, target);
    memory_.add_symlink("/" + name, target);
    archive_.add_link(name, target);
  }

  ScratchFolder disk_;
  MemoryFileSystem memory_;
  PathTree archive_;
};

/// Where the kernel gets to in that root: the path inside it, or errno as text.
std::string kernel_path(const std::string& root, const std::string& path) {
  const int folder = ::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  REQUIRE(folder >= 0);
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT;
  const auto found = static_cast<int>(::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how));
  const int error = errno;
  ::close(folder);
  if (found < 0) return std::to_string(error);
  char text[4096];
  const auto length = ::readlink(("/proc/self/fd/" + std::to_string(found)).c_str(), text, sizeof text);
  ::close(found);
  REQUIRE(length > 0);
  const auto inside = std::string(text, static_cast<std::size_t>(length)).substr(root.size());
  return inside.empty() ? "/" : inside;
}

/// The same question to a tree of ours; `status` and `real_path` must tell one story.
std::string our_path(const FileSystem& files, const std::string& path) {
  const auto status = files.status(path);
  if (!status) return std::to_string(status.error().system_error);
  const auto real = files.real_path(path);
  return real ? *real : "real_path: " + std::to_string(real.error().system_error);
}

const std::string paths[] = {
    "/usr/lib/liba.so",
    "/lib/liba.so",
    "/absolute.so",
    "/usr/lib/up.so",
    "/lib/up.so",
    "/lib/far-up.so",
    "/chain/libb.so",
    "/chain/../liba.so",
    "/lib/tree/../../usr/lib/liba.so",
    "/../../../usr/lib/liba.so",
    "/..",
    "/",
    "//usr///lib//liba.so",
    "/usr/./lib/./liba.so",
    "/dot/dot/dot/lib/liba.so",
    "/dangling.so",
    "/none",
    "/none/liba.so",
    "/none/../usr/lib/liba.so",
    "/self.so",
    "/loop-a",
    "/loop-b/liba.so",
    "/step40",
    "/step41",
    "/usr/lib/liba.so/b",
    "/usr/lib/liba.so/../liba.so",
    "/absolute.so/../usr/lib/liba.so",
    "/lib/up.so/../..",
    "/" + std::string(255, 'n'),
    "/" + std::string(256, 'n'),
    "/usr/" + std::string(256, 'n') + "/liba.so",
};

TEST_CASE("links in a root of its own lead where the kernel says") {
  const Trees trees;
  const auto disk = make_disk_file_system(trees.disk().path());
  const auto walked = make_disk_file_system(trees.disk().path(), RootKeeper::walk);
  const auto probe = kernel_path(trees.disk().path(), "/");
  const bool kernel_can = probe != std::to_string(ENOSYS) && probe != std::to_string(EPERM);
  if (!kernel_can) MESSAGE("this kernel has no openat2: it is not asked");
  for (const auto& path : paths) {
    CAPTURE(path);
    const auto expected = our_path(trees.memory(), path);
    if (kernel_can) CHECK(expected == kernel_path(trees.disk().path(), path));
    CHECK(our_path(*disk, path) == expected);
    CHECK(our_path(*walked, path) == expected);
    const auto place = trees.archive().find(path);
    CHECK((place ? place->path : std::to_string(place.error().system_error)) == expected);
  }
}

/// Both ways to stay inside a root; the kernel's, where there is one.
std::vector<RootKeeper> keepers() {
  if (kernel_keeps_roots()) return {RootKeeper::kernel, RootKeeper::walk};
  MESSAGE("this kernel has no openat2, or a sandbox forbids it: only the walk is tested");
  return {RootKeeper::walk};
}

TEST_CASE("a path of the disk that goes on behind a file leads nowhere, whatever goes on") {
  const Trees trees;
  for (const auto keeper : keepers()) {
    CAPTURE(static_cast<int>(keeper));
    const auto disk = make_disk_file_system(trees.disk().path(), keeper);
    for (const std::string behind : {"/", "/.", "/..", "/../liba.so", "/./../../lib/liba.so"}) {
      CAPTURE(behind);
      CHECK(disk->status("/usr/lib/liba.so" + behind).error().system_error == ENOTDIR);
      CHECK(disk->open("/lib/liba.so" + behind).error().system_error == ENOTDIR);
      CHECK(disk->real_path("/usr/lib/liba.so" + behind).error().system_error == ENOTDIR);
    }
    CHECK(disk->status("/file-as-folder").error().system_error == ENOTDIR);
    CHECK(disk->status("/usr/lib/").has_value());
    CHECK(disk->status("/usr/lib/.").has_value());
  }
}

TEST_CASE("what is opened is what was found, in a tree that somebody changes") {
  if (!kernel_keeps_roots()) {
    MESSAGE("this kernel has no openat2, or a sandbox forbids it: nobody can promise that");
    return;
  }
  const ScratchFolder folder;
  folder.add_file("outside/secret", "outside");
  folder.add_file("root/inside/secret", "inside");
  folder.add_symlink("root/link", "../outside");
  const auto files = make_disk_file_system(folder / "root", RootKeeper::kernel);
  std::atomic<bool> done = false;
  // The folder and a link that leads out take each other's name again and again.
  std::thread swapper([&] {
    while (!done)
      ::syscall(SYS_renameat2, AT_FDCWD, (folder / "root/inside").c_str(), AT_FDCWD, (folder / "root/link").c_str(),
                1 << 1);  // RENAME_EXCHANGE
  });
  int found = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto text = read_file(*files, "/inside/secret", 100);
    if (text) CHECK(*text == "inside");
    found += text.has_value();
  }
  done = true;
  swapper.join();
  CHECK(found > 0);
}

TEST_CASE("links lead where their text says, and not out of the tree") {
  const Trees trees;
  for (const auto keeper : keepers()) {
    const auto disk = make_disk_file_system(trees.disk().path(), keeper);
    const std::pair<std::string, std::string> rows[] = {
        {"/absolute.so", "/usr/lib/liba.so"},
        {"/lib/far-up.so", "/srv/tree/libb.so"},
        {"/../../../usr/lib/liba.so", "/usr/lib/liba.so"},
        {"/chain/../liba.so", std::to_string(ENOENT)},  // the parent of where the link leads
        {"/chain/../tree/libb.so", "/srv/tree/libb.so"},
        {"/self.so", std::to_string(ELOOP)},
        {"/step40", "/usr/lib/liba.so"},
        {"/step41", std::to_string(ELOOP)},
    };
    for (const auto& [path, expected] : rows) {
      const auto& shown_path = path;
      CAPTURE(shown_path);
      CHECK(our_path(*disk, path) == expected);
    }
    const auto file = read_file(*disk, "/lib/far-up.so", 100);
    REQUIRE(file);
    CHECK(*file == "srv/tree/libb.so");
    CHECK(disk->list("/lib")->size() == 4);
  }
}

TEST_CASE("a tree may itself lie behind a link or an untidy path") {
  const ScratchFolder folder;
  folder.add_file("real/lib/liba.so", "");
  folder.add_symlink("root", "real");
  for (const std::string root : {"/root", "/real/", "/./real", "/lib/../real"}) {
    CAPTURE(root);
    const auto files = make_disk_file_system(folder.path() + root);
    CHECK(our_path(*files, "/lib/liba.so") == "/lib/liba.so");
  }
}

}  // namespace
}  // namespace cudald
