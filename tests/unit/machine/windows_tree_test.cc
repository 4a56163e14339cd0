#include "machine/windows_tree.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

/// A tree with folders of Windows.
class Tree {
 public:
  Tree() {
    files.add_file("/data/Lib/Site/One.dll", "");
    files.add_file("/data/Lib/Site/one.DLL", "");
    files.add_file("/data/Lib/file", "");
    files.add_file("/other/x.dll", "");
    host.mounts = {{"C:\\Python\\Lib", "/data/Lib"}, {"Z:", "/"}};
  }

  std::string find(const std::string& path) {
    ImageStore images(files);
    WindowsTree tree(images, host);
    const auto first = tree.find(path), again = tree.find(path);
    CHECK(first == again);
    return first.value_or("none");
  }
  std::string spelled(const std::string& path) {
    ImageStore images(files);
    return WindowsTree(images, host).spelled(path);
  }

  MemoryFileSystem files;
  WindowsHost host;
};

TEST_CASE("a path of Windows is found by names without case, and one that is spelled like it first") {
  Tree tree;
  CHECK(tree.find("C:\\Python\\Lib\\Site\\One.dll") == "/data/Lib/Site/One.dll");
  CHECK(tree.find("c:\\python\\LIB\\site\\one.DLL") == "/data/Lib/Site/one.DLL");
  CHECK(tree.find("C:/Python/Lib/SITE/ONE.dll") == "/data/Lib/Site/One.dll");
  CHECK(tree.find("Z:\\other\\X.DLL") == "/other/x.dll");
  CHECK(tree.find("z:\\OTHER") == "/other");
  CHECK(tree.find("C:\\Python\\Lib\\") == "/data/Lib");
  CHECK(tree.find("C:\\Python\\Lib\\Site\\") == "/data/Lib/Site");
  CHECK(tree.find("Z:\\") == "/");
}

TEST_CASE("what is not there, or lies below a file, is not found") {
  Tree tree;
  CHECK(tree.find("C:\\Python\\Lib\\Site\\two.dll") == "none");
  CHECK(tree.find("C:\\Python\\x.dll") == "none");
  CHECK(tree.find("D:\\x.dll") == "none");
  CHECK(tree.find("C:\\Python\\Lib\\file\\x.dll") == "none");
  CHECK(tree.find("C:\\Python\\Lib\\file\\") == "none");
  CHECK(tree.find("C:\\Python\\Lib\\file") == "/data/Lib/file");
  CHECK(tree.find("x.dll") == "none");
  tree.host.mounts = {{"C:", "/none"}};
  CHECK(tree.find("C:\\x.dll") == "none");
}

TEST_CASE("of several places for one path the first counts, in both directions") {
  Tree tree;
  tree.host.mounts = {{"Y:", "/data"}, {"y:", "/other"}, {"X:", "/data/Lib"}};
  CHECK(tree.find("Y:\\lib\\FILE") == "/data/Lib/file");
  CHECK(tree.spelled("/data/Lib/file") == "Y:\\Lib\\file");
  CHECK(tree.spelled("/data") == "Y:");
  CHECK(tree.spelled("/other/x.dll") == "y:\\x.dll");
}

TEST_CASE("a path of the tree that no folder of Windows holds is spelled as it is") {
  Tree tree;
  CHECK(tree.spelled("/data/Lib/Site/One.dll") == "C:\\Python\\Lib\\Site\\One.dll");
  CHECK(tree.spelled("/data/Library") == "Z:\\data\\Library");
  CHECK(tree.spelled("/") == "Z:\\");
  tree.host.mounts.pop_back();
  CHECK(tree.spelled("/data/Library") == "/data/Library");
  CHECK(tree.spelled("/data") == "/data");
}

}  // namespace
}  // namespace cudald
