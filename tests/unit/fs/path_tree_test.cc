#include "fs/path_tree.h"

#include <doctest/doctest.h>

#include <string>

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
  CHECK(tree.add_file("file", 7));
  for (const auto* no_folder : {"file", "nowhere"}) tree.clear(no_folder);
  CHECK(tree.find("/file"));
}

TEST_CASE("a folder that is named again keeps what is in it") {
  // Each layer of an image has an entry for `usr/`.
  PathTree tree;
  CHECK(tree.add_folder("usr"));
  CHECK(tree.add_file("usr/lib/liba.so", 1));
  CHECK(tree.add_folder("usr"));
  CHECK(tree.add_folder("usr/lib"));
  REQUIRE(tree.find("/usr/lib/liba.so"));
  CHECK(tree.find("/usr/lib/liba.so")->node->number == 1);
  CHECK(tree.add_file("usr", 2));  // a file replaces it, and a folder that
  CHECK(tree.add_folder("usr"));
  CHECK(PathTree::names_in(*tree.find("/usr")->node).empty());
}

std::string deep(std::size_t depth) {
  std::string path;
  for (std::size_t i = 0; i < depth; ++i) path += "/a";
  return path;
}

TEST_CASE("no path is longer than one that a program can open, through links either") {
  PathTree tree;
  CHECK(tree.add_file(deep(2046) + "/f", 1));
  CHECK_FALSE(tree.add_file(deep(2047) + "/f", 2));
  CHECK(tree.add_link("down", deep(2000)));
  CHECK(tree.add_file("down/f", 3));
  CHECK_FALSE(tree.add_file("down" + deep(100) + "/f", 4));
  CHECK_FALSE(tree.add_folder("down" + deep(100)));
  CHECK(tree.add_link("long", std::string(4095, 'x')));
  CHECK_FALSE(tree.add_link("longer", std::string(4096, 'x')));
  CHECK_FALSE(tree.budget().exhausted());
}

TEST_CASE("folders are charged with their paths, and what is there when the budget is spent stays") {
  PathTree tree;
  std::uint32_t count = 0;
  while (count < 3000 && tree.add_file(std::to_string(count) + deep(2000) + "/f", count)) ++count;
  CHECK(tree.budget().exhausted());
  CHECK(tree.budget().error().code == ErrorCode::limit);
  CHECK(count > 50);
  CHECK(count < 100);
  CHECK(tree.find("/0" + deep(2000) + "/f"));
  CHECK_FALSE(tree.add_file("more", count));
}

TEST_CASE("a copy has the same names, and goes its own way") {
  PathTree tree;
  CHECK(tree.add_file("/a/f", 1));
  CHECK(tree.add_link("/link", "a"));
  PathTree copy(tree);
  CHECK(copy.find("/link/f")->node->number == 1);
  CHECK(copy.find("/link/f")->path == "/a/f");
  CHECK(copy.budget().cost() == tree.budget().cost());
  CHECK(copy.add_file("/a/g", 2));
  CHECK_FALSE(tree.find("/a/g").has_value());
  tree = copy;
  CHECK(tree.find("/a/g")->node->number == 2);
  CHECK(tree.add_file("/a/h", 3));
  CHECK_FALSE(copy.find("/a/h").has_value());
}

}  // namespace
}  // namespace cudald
