#include "repair/edited_tree.h"

#include <memory>

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

TEST_CASE("an edited file is read and measured as it would be, under each of its names") {
  MemoryFileSystem files;
  files.add_file("/lib/libx.so.1", "0123456789");
  files.add_file("/lib/other.so", "abc");
  files.add_symlink("/lib/libx.so", "libx.so.1");
  EditedTree tree(files);
  const auto text = [&](const std::string& path) { return *read_file(tree, path, 100); };
  CHECK(text("/lib/libx.so") == "0123456789");
  tree.replace("/lib/libx.so.1", {{4, 0}, {2, std::nullopt, "XY"}});
  for (const auto* path : {"/lib/libx.so", "/lib/libx.so.1", "/lib/../lib/libx.so"}) {
    CHECK(text(path) == "0123XY");
    CHECK(tree.status(path)->size == 6);
  }
  CHECK(text("/lib/other.so") == "abc");
  CHECK(tree.status("/lib")->kind == FileKind::folder);
  CHECK(tree.status("/none").error().code == ErrorCode::absent);
  CHECK_FALSE(tree.open("/none"));
  CHECK(tree.list("/lib")->size() == 3);
  CHECK(*tree.real_path("/lib/libx.so") == "/lib/libx.so.1");
  CHECK(tree.has_name("/lib/libx.so"));
}

TEST_CASE("a file that is added hides what is there") {
  MemoryFileSystem files;
  files.add_file("/dir/old", "old");
  files.add_file("/dir/other", "other");
  EditedTree tree(files);
  const std::shared_ptr<const File> other = std::move(*files.open("/dir/other"));
  tree.add("/dir/new", other);
  tree.add("/dir/old", other);
  for (const auto* path : {"/dir/new", "/dir/./old"}) {
    CHECK(*read_file(tree, path, 100) == "other");
    CHECK(tree.status(path)->size == 5);
    CHECK(tree.has_name(path));
  }
  CHECK(*tree.real_path("/dir/../dir/new") == "/dir/new");
}

}  // namespace
}  // namespace cudald
