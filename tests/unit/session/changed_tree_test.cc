#include "session/changed_tree.h"

#include <cerrno>

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

TEST_CASE("what is put is there under its new name, what is taken away is not") {
  MemoryFileSystem files;
  files.add_file("/a/x.dll", "x");
  files.add_file("/b/y.dll", "y");
  ChangedTree tree(files);
  CHECK_FALSE(tree.is_changed());
  tree.put("/b/./x.dll", "/a/x.dll");
  tree.take_away("/b/y.dll");
  CHECK(tree.is_changed());
  CHECK(*read_file(tree, "/b/x.dll", 9) == "x");
  CHECK(*read_file(tree, "/a/x.dll", 9) == "x");
  CHECK(*tree.real_path("/b/x.dll") == "/b/x.dll");
  CHECK(tree.status("/b/x.dll")->size == 1);
  CHECK(tree.status("/b/y.dll").error().system_error == ENOENT);
  CHECK(tree.open("/b/y.dll").error().code == ErrorCode::absent);
  CHECK_FALSE(tree.real_path("/b/y.dll"));
  CHECK(*tree.list("/b") == std::vector<std::string>{"x.dll"});
  CHECK(tree.has_name("/b/x.dll"));
  CHECK_FALSE(tree.has_name("/b/y.dll"));
  CHECK_FALSE(tree.list("/none"));
  tree.put("/b/y.dll", "/a/x.dll");
  CHECK(*read_file(tree, "/b/y.dll", 9) == "x");
}

TEST_CASE("a directory by another name, through a link, has the same files") {
  MemoryFileSystem files;
  files.add_file("/usr/lib/liba.so.1", "older");
  files.add_file("/usr/lib/liba.so.1.0", "newer");
  files.add_symlink("/lib", "usr/lib");
  ChangedTree tree(files);
  tree.put("/usr/lib/liba.so.1", "/usr/lib/liba.so.1.0");
  CHECK(*read_file(tree, "/lib/liba.so.1", 9) == "newer");
  CHECK(*tree.real_path("/lib/liba.so.1") == "/usr/lib/liba.so.1");
  tree.put("/lib/liba.so", "/usr/lib/liba.so.1.0");
  CHECK(*read_file(tree, "/usr/lib/liba.so", 9) == "newer");
  CHECK(*tree.list("/lib") == std::vector<std::string>{"liba.so", "liba.so.1", "liba.so.1.0"});
  tree.take_away("/lib/liba.so.1.0");
  CHECK_FALSE(tree.has_name("/usr/lib/liba.so.1.0"));
}

TEST_CASE("directories come with the files that are put, and go with those that are taken away") {
  MemoryFileSystem files;
  files.add_file("/s/old/m.py", "1");
  files.add_file("/w/new/sub/m.py", "2");
  ChangedTree tree(files);
  tree.put("/s/new/sub/m.py", "/w/new/sub/m.py");
  CHECK(*tree.list("/s") == std::vector<std::string>{"new", "old"});
  CHECK(*tree.list("/s/new") == std::vector<std::string>{"sub"});
  CHECK(*tree.list("/s/new/sub") == std::vector<std::string>{"m.py"});
  CHECK(tree.status("/s/new")->kind == FileKind::folder);
  CHECK(*tree.real_path("/s/new/../new/sub") == "/s/new/sub");
  CHECK(tree.has_name("/s/new"));
  CHECK(*read_file(tree, "/s/new/sub/m.py", 9) == "2");
  CHECK_FALSE(tree.status("/s/sub"));
  tree.take_away("/s/old/m.py");
  tree.take_away("/s/old");
  CHECK_FALSE(tree.status("/s/old"));
  CHECK_FALSE(tree.list("/s/old"));
  CHECK(*tree.list("/s") == std::vector<std::string>{"new"});
  tree.put("/s/old/x.py", "/w/new/sub/m.py");
  CHECK(*tree.list("/s/old") == std::vector<std::string>{"x.py"});
  CHECK(*tree.list("/s") == std::vector<std::string>{"new", "old"});
  tree.take_away("/s/old/x.py");
  CHECK(tree.list("/s/old")->empty());
}

}  // namespace
}  // namespace cudald
