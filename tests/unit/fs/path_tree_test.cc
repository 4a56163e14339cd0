#include "fs/path_tree.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("a tree of names takes what extractors take, and refuses what they refuse") {
  PathTree tree;
  CHECK(tree.add_file("usr/lib/liba.so", 1));
  CHECK(tree.add_link("lib", "usr/lib"));
  CHECK(tree.add_file("lib/libb.so", 2));  // through the link
  CHECK(tree.find("/usr/lib/libb.so")->node->number == 2);
  CHECK_FALSE(tree.add_file("usr/lib/liba.so/below", 3));
  CHECK(tree.add_link("dangling", "nowhere"));
  CHECK_FALSE(tree.add_file("dangling/libc.so", 4));
  CHECK_FALSE(tree.add_file("", 5));
  CHECK(tree.add_file("usr/lib/liba.so", 6));  // the later one stays
  CHECK(tree.find("/lib/liba.so")->node->number == 6);
  CHECK(tree.add_folder("lib"));  // a folder in place of the link
  CHECK_FALSE(tree.find("/lib/liba.so"));
  tree.remove("usr/lib/liba.so");
  CHECK_FALSE(tree.find("/usr/lib/liba.so"));
  tree.clear("usr");
  CHECK(PathTree::names_in(*tree.find("/usr")->node).empty());
}

}  // namespace
}  // namespace cudald
