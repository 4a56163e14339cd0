#include "tree/path_tree.h"

#include <doctest/doctest.h>

#include <cerrno>
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

TEST_CASE("names and links at the edge of what the kernel takes, with the errno of what goes beyond") {
  PathTree tree;
  const std::string longest(255, 'n');
  CHECK(tree.add_file("a/" + longest, 1));
  CHECK_FALSE(tree.add_file("a/" + longest + "n", 1));
  CHECK_FALSE(tree.add_file(longest + "n/f", 1));
  CHECK(tree.find("/a/" + longest)->node->number == 1);
  const auto number_of = [&](const std::string& path, bool follow_last = true) {
    const auto place = tree.find(path, follow_last);
    return place ? 0 : place.error().system_error;
  };
  CHECK(number_of("/a/" + longest + "n") == ENAMETOOLONG);
  CHECK(number_of("/a/" + longest.substr(1)) == ENOENT);
  CHECK(number_of("/a/" + longest + "/x") == ENOTDIR);
  CHECK(number_of("/a/" + longest + "/..") == ENOTDIR);
  CHECK(tree.add_link("l1", "a/" + longest));
  for (int i = 2; i <= 41; ++i) CHECK(tree.add_link("l" + std::to_string(i), "/l" + std::to_string(i - 1)));
  CHECK(number_of("/l40") == 0);
  CHECK(number_of("/l41") == ELOOP);
  CHECK(number_of("/l41", false) == 0);
  CHECK(tree.find("/l41", false)->node->kind == PathTree::Kind::link);
  CHECK(tree.find("/l41", false)->path == "/l41");
  CHECK(tree.find("/l40")->path == "/a/" + longest);
}

TEST_CASE("links within a path are followed, the last one if that is wanted") {
  PathTree tree;
  CHECK(tree.add_file("a/b/f", 1));
  CHECK(tree.add_link("to_a", "a"));
  CHECK(tree.add_link("a/up", ".."));
  CHECK(tree.add_link("a/b/root", "/"));
  CHECK(tree.find("/to_a/b/f", false)->path == "/a/b/f");
  CHECK(tree.find("/to_a", false)->path == "/to_a");
  CHECK(tree.find("/to_a")->path == "/a");
  CHECK(tree.find("/to_a/up/to_a/b")->path == "/a/b");
  CHECK(tree.find("/a/b/root/a")->path == "/a");
  CHECK(tree.find("/../../a/./b//f")->path == "/a/b/f");
  CHECK(tree.find("/a/b/..")->path == "/a");
  CHECK(tree.find("/a/..")->path == "/");
  CHECK(tree.find("/")->path == "/");
  CHECK(tree.find("/a/none").error().system_error == ENOENT);
  CHECK(tree.find("/none/..").error().system_error == ENOENT);
}

TEST_CASE("the root is a folder, and nothing else can be put in its place") {
  PathTree tree;
  for (const auto* root : {"", "/", ".", "a/.."}) {
    CAPTURE(root);
    CHECK(tree.add_folder(root));
    CHECK_FALSE(tree.add_file(root, 1));
    CHECK_FALSE(tree.add_link(root, "a"));
    CHECK_FALSE(tree.add_other(root));
  }
  CHECK(tree.add_other("pipe"));
  CHECK(tree.find("/pipe")->node->kind == PathTree::Kind::other);
  for (const auto* gone : {"none/a", "pipe/a", "none"}) tree.remove(gone);
  CHECK(tree.find("/pipe"));
  auto& same = tree;
  tree = same;
  CHECK(PathTree::names_in(*tree.find("/")->node) == std::vector<std::string>{"pipe"});
  tree.remove("pipe");
  CHECK_FALSE(tree.find("/pipe"));
}

}  // namespace
}  // namespace cudald
