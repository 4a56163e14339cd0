#include "cache/cached_tree.h"

#include <chrono>
#include <thread>

#include <doctest/doctest.h>

#include "cache/cached_file.h"
#include "common/memory_file_system.h"
#include "unit/tree/scratch_folder.h"

namespace cudald {
namespace {

std::string text_of(const FileSystem& files, const std::string& path, std::size_t size) {
  const auto file = files.open(path);
  if (!file) return file.error().message;
  std::string text(size, '?');
  const auto got = (*file)->read(0, std::as_writable_bytes(std::span(text)));
  return got ? text.substr(0, *got) : got.error().message;
}

std::size_t count(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

/// A file that was changed just now has no identity yet.
void let_time_pass() { std::this_thread::sleep_for(std::chrono::milliseconds(120)); }

TEST_CASE("what is read of wheels is kept until they change") {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "cache");
  const auto cache = folder / "cache";
  folder.add_file("a.whl", "first");
  folder.add_file("a.txt", "text");
  const auto disk = make_disk_file_system();
  {
    const KeptTree hasty(*disk, cache);
    CHECK(text_of(hasty, folder / "a.whl", 5) == "first");
  }
  let_time_pass();
  {
    const KeptTree tree(*disk, cache);
    CHECK_FALSE(tree.used());
    CHECK(text_of(tree, folder / "a.txt", 4) == "text");
    CHECK_FALSE(tree.used());
    CHECK(text_of(tree, folder / "a.whl", 5) == "first");
    CHECK((*tree.open(folder / "a.whl"))->kept() != nullptr);
    CHECK(tree.used());
    CHECK(tree.keep());
    CHECK(count(cache) == 1);
  }
  // Of the same size, and again as old: it is known by what it is, not by its name.
  const auto old = std::filesystem::last_write_time(folder / "a.whl");
  folder.add_file("a.whl", "later");
  std::filesystem::last_write_time(folder / "a.whl", old);
  let_time_pass();
  const KeptTree tree(*disk, cache);
  CHECK(text_of(tree, folder / "a.whl", 5) == "later");
  CHECK(tree.keep());
  CHECK(count(cache) == 2);
  CHECK(tree.status(folder / "a.whl")->size == 5);
  CHECK(tree.list(cache)->size() == 2);
  CHECK(*tree.real_path(folder / "a.txt") == folder / "a.txt");
  CHECK(tree.has_name(folder / "a.txt"));
  CHECK_FALSE(tree.has_name(folder / "b.txt"));
  // What is not new is not written again.
  std::filesystem::remove_all(cache);
  CHECK(tree.keep());
  CHECK_FALSE(std::filesystem::exists(cache));
}

TEST_CASE("a wheel that changes while it is read is not kept") {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "cache");
  folder.add_file("a.whl", "first");
  let_time_pass();
  const auto disk = make_disk_file_system();
  const KeptTree tree(*disk, folder / "cache");
  CHECK(text_of(tree, folder / "a.whl", 5) == "first");
  folder.add_file("a.whl", "later");
  let_time_pass();
  CHECK(tree.keep());
  CHECK(count(folder / "cache") == 0);
}

TEST_CASE("without a folder, and of files whose identity is unknown, nothing is kept") {
  const ScratchFolder folder;
  MemoryFileSystem files;
  files.add_file("/a.whl", "text");
  const KeptTree tree(files, folder.path());
  CHECK(text_of(tree, "/a.whl", 4) == "text");
  CHECK_FALSE(tree.used());
  folder.add_file("a.whl", "first");
  folder.add_file("b.whl", "second");
  folder.add_file("empty.whl", "");
  let_time_pass();
  const auto disk = make_disk_file_system();
  const KeptTree with(*disk, folder / "cache"), refused(*disk, "/proc/cudald");
  CHECK(text_of(with, folder / "empty.whl", 1) == "");
  CHECK_FALSE(with.used());
  for (const auto* name : {"a.whl", "b.whl"}) CHECK(text_of(refused, folder / name, 1) != "");
  CHECK_FALSE(refused.keep());
  const KeptTree without(*disk, "");
  CHECK(text_of(without, folder / "a.whl", 5) == "first");
  CHECK_FALSE(without.used());
}

}  // namespace
}  // namespace cudald
