#include "tree/watched_tree.h"

#include <cerrno>
#include <chrono>
#include <functional>
#include <string>

#include <doctest/doctest.h>

#include "base/pack.h"
#include "common/memory_file_system.h"
#include "tree/disk.h"

namespace cudald {
namespace {

bool all_matter(const std::string&) { return false; }

void fill(MemoryFileSystem& files) {
  files.add_file("/a/file", "text");
  files.add_file("/a/other", "text");
  files.add_folder("/b");
  files.add_symlink("/link", "/a/file");
}

TEST_CASE("a tree answers through it as by itself") {
  MemoryFileSystem files;
  fill(files);
  const WatchedTree watched(files, all_matter);
  CHECK(watched.status("/a/file")->size == 4);
  CHECK(watched.status("/none").error().code == ErrorCode::absent);
  CHECK((*watched.open("/link"))->status().size == 4);
  CHECK_FALSE(watched.open("/b").has_value());
  CHECK(*watched.real_path("/link") == "/a/file");
  CHECK(*watched.list("/a") == std::vector<std::string>{"file", "other"});
  CHECK(watched.tells_changes());
  CHECK(watched.said().holds(files));
}

/// What is asked of a tree, what is changed then, and whether that is a change of what was said.
struct Change {
  const char* what;
  std::function<void(const FileSystem&)> ask;
  std::function<void(MemoryFileSystem&)> change;
  bool noticed;
};

TEST_CASE("what was said holds until something changes that was asked for") {
  const auto status = [](const char* path) {
    return [path](const FileSystem& files) { static_cast<void>(files.status(path)); };
  };
  const auto open = [](const char* path) {
    return [path](const FileSystem& files) { static_cast<void>(files.open(path)); };
  };
  const auto list = [](const char* path) {
    return [path](const FileSystem& files) { static_cast<void>(files.list(path)); };
  };
  const auto real_path = [](const char* path) {
    return [path](const FileSystem& files) { static_cast<void>(files.real_path(path)); };
  };
  const auto write = [](const char* path) { return [path](MemoryFileSystem& files) { files.add_file(path, "text"); }; };
  const auto turn = [](const char* target) {
    return [target](MemoryFileSystem& files) { files.add_symlink("/link", target); };
  };
  for (const auto& [what, ask, change, noticed] : {
           Change{"status, written anew", status("/a/file"), write("/a/file"), true},
           Change{"open, written anew", open("/a/file"), write("/a/file"), true},
           Change{"status, another file", status("/a/file"), write("/a/other"), false},
           Change{"open, another file", open("/a/file"), write("/a/new"), false},
           Change{"absent, made", status("/b/new"), write("/b/new"), true},
           Change{"absent when opened, made", open("/b/new"), write("/b/new"), true},
           Change{"absent, a sister is made", status("/b/new"), write("/b/other"), false},
           Change{"list, a name is added", list("/b"), write("/b/new"), true},
           Change{"list, the same file written anew", list("/a"), write("/a/file"), true},
           Change{"list, another directory", list("/b"), write("/a/new"), false},
           Change{"list of none, made", list("/c"), write("/c/new"), true},
           Change{"status of a directory, a name is added", status("/b"), write("/b/new"), false},
           Change{"open of a directory, a name is added", open("/b"), write("/b/new"), false},
           Change{"status through a link, it is turned", status("/link"), turn("/a/other"), true},
           Change{"open through a link, it is turned", open("/link"), turn("/a/other"), true},
           Change{"real path, it is turned", real_path("/link"), turn("/a/other"), true},
           Change{"real path, the file is written anew", real_path("/link"), write("/a/file"), false},
           Change{"no real path, made", real_path("/b/new"), write("/b/new"), true},
       }) {
    const auto& seen_what = what;
    CAPTURE(seen_what);
    MemoryFileSystem files;
    fill(files);
    const WatchedTree watched(files, all_matter);
    ask(watched);
    CHECK(watched.tells_changes());
    const auto said = watched.said();
    CHECK(said.holds(files));
    change(files);
    CHECK(said.holds(files) != noticed);
  }
}

TEST_CASE("nothing is noted of known paths") {
  MemoryFileSystem files;
  fill(files);
  const WatchedTree watched(files, [](const std::string& path) { return path.starts_with("/a"); });
  static_cast<void>(watched.status("/a/file"));
  static_cast<void>(watched.open("/a/file"));
  static_cast<void>(watched.open("/a/none"));
  static_cast<void>(watched.list("/a"));
  static_cast<void>(watched.real_path("/a/file"));
  const auto said = watched.said();
  CHECK(said.statuses.empty());
  CHECK(said.lists.empty());
  CHECK(said.real_paths.empty());
}

TEST_CASE("a change may go by unseen where a tree knows no times, and right after another change") {
  const auto tells = [](std::int64_t changed, const char* how) {
    MemoryFileSystem files;
    files.add_file("/a/file", "text", {.changed = changed});
    const WatchedTree watched(files, all_matter);
    if (how == std::string("open"))
      static_cast<void>(watched.open("/a/file"));
    else
      static_cast<void>(watched.status("/a/file"));
    return watched.tells_changes();
  };
  const std::int64_t now = std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  for (const auto* how : {"open", "status"}) {
    CAPTURE(how);
    CHECK(tells(1, how));
    CHECK_FALSE(tells(0, how));
    for (const std::int64_t ago : {-1'000'000'000, 0, 20'000'000}) CHECK_FALSE(tells((now - ago) | 1, how));
    CHECK(tells((now - 100'000'000) | 1, how));
    // Of a clock that counts seconds.
    const auto second = now / 1'000'000'000 * 1'000'000'000;
    CHECK_FALSE(tells(second - 1'000'000'000, how));
    CHECK(tells(second - 2'000'000'000, how));
  }
}

TEST_CASE("a file that is there and cannot be read may be read by another user") {
  MemoryFileSystem files;
  files.add_file("/a/secret", "text", {.readable = false});
  const WatchedTree watched(files, all_matter);
  static_cast<void>(watched.status("/a/secret"));
  CHECK(watched.tells_changes());
  CHECK_FALSE(watched.open("/a/secret").has_value());
  CHECK_FALSE(watched.tells_changes());
}

TEST_CASE("what changes while it is watched is not to be relied on") {
  MemoryFileSystem files;
  fill(files);
  const WatchedTree watched(files, all_matter);
  static_cast<void>(watched.open("/a/file"));
  static_cast<void>(watched.open("/a/file"));
  CHECK(watched.tells_changes());
  files.add_file("/a/file", "other");
  static_cast<void>(watched.open("/a/file"));
  CHECK_FALSE(watched.tells_changes());
}

/// A tree in which nothing is found, for a reason without a number.
class NamelessTree final : public FileSystem {
 public:
  Result<FileStatus> status(const std::string&) const override { return Error{ErrorCode::unreadable, "lost"}; }
  Result<std::unique_ptr<File>> open(const std::string&) const override { return Error{ErrorCode::unreadable, "lost"}; }
  Result<std::string> real_path(const std::string&) const override { return Error{ErrorCode::unreadable, "lost"}; }
  Result<std::vector<std::string>> list(const std::string&) const override {
    return Error{ErrorCode::unreadable, "lost"};
  }
};

TEST_CASE("a fault without a number may be another one next time") {
  const NamelessTree files;
  for (const int which : {0, 1, 2, 3}) {
    const WatchedTree watched(files, all_matter);
    CHECK(watched.tells_changes());
    if (which == 0) CHECK_FALSE(watched.status("/a"));
    if (which == 1) CHECK_FALSE(watched.open("/a"));
    if (which == 2) CHECK_FALSE(watched.real_path("/a"));
    if (which == 3) CHECK_FALSE(watched.list("/a"));
    CHECK_FALSE(watched.tells_changes());
  }
}

TEST_CASE("who may list a folder is not noted and so may change unseen") {
  class ListlessTree final : public FileSystem {
   public:
    ListlessTree() { fill(files); }
    Result<FileStatus> status(const std::string& path) const override { return files.status(path); }
    Result<std::unique_ptr<File>> open(const std::string& path) const override { return files.open(path); }
    Result<std::string> real_path(const std::string& path) const override { return files.real_path(path); }
    Result<std::vector<std::string>> list(const std::string& path) const override {
      return Error{ErrorCode::unreadable, "no right to list it", path, std::nullopt, EACCES};
    }
    MemoryFileSystem files;
  };
  const ListlessTree files;
  const WatchedTree file(files, all_matter), folder(files, all_matter);
  CHECK_FALSE(file.list("/a/file"));
  CHECK_FALSE(file.list("/none"));
  CHECK(file.tells_changes());
  CHECK_FALSE(folder.list("/a"));
  CHECK_FALSE(folder.tells_changes());
}

TEST_CASE("what was said can be kept and read again") {
  TreeSaid said;
  said.statuses = {{"/a", ENOENT}, {"/b", 0, {FileKind::regular, 7, {3, 5}, true, true, false, 1, 2, 11}}};
  said.lists = {{"/c", 0, {FileKind::folder, 2, {3, 9}, false, false, true, 3, 4, 12}}};
  said.real_paths = {{"/d", ENOTDIR}, {"/e", 0, "/f"}};
  PackWriter writer;
  writer(said);
  TreeSaid again;
  PackReader reader(writer.bytes());
  reader(again);
  CHECK(reader.at_end());
  CHECK(again.statuses == said.statuses);
  CHECK(again.lists == said.lists);
  CHECK(again.real_paths == said.real_paths);
}

TEST_CASE("what is said is noted by path, and of folders only what they are") {
  MemoryFileSystem files;
  fill(files);
  const WatchedTree watched(files, all_matter);
  static_cast<void>(watched.status("/none"));
  static_cast<void>(watched.status("/a/file"));
  static_cast<void>(watched.status("/a"));
  static_cast<void>(watched.list("/b"));
  static_cast<void>(watched.real_path("/link"));
  const auto said = watched.said();
  REQUIRE(said.statuses.size() == 3);
  CHECK(said.statuses[0].path == "/a");
  CHECK(said.statuses[0].error == 0);
  CHECK(said.statuses[1].path == "/a/file");
  CHECK(said.statuses[2].path == "/none");
  CHECK(said.statuses[2].error == ENOENT);
  REQUIRE(said.lists.size() == 1);
  CHECK(said.lists[0].path == "/b");
  REQUIRE(said.real_paths.size() == 1);
  CHECK(said.real_paths[0].path == "/link");
  CHECK(watched.tells_changes());
}

}  // namespace
}  // namespace cudald
