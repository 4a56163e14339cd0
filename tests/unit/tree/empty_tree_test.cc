#include "tree/empty_tree.h"

#include <cerrno>

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("an empty tree has its root and nothing else") {
  const EmptyTree tree;
  for (const auto* root : {"/", "//", "/.", "/.."}) {
    CAPTURE(root);
    CHECK(tree.status(root)->kind == FileKind::folder);
    CHECK(tree.status(root)->changed == 1);  // long ago: nothing will ever be in it
    CHECK(*tree.real_path(root) == "/");
    CHECK(tree.list(root)->empty());
    CHECK(tree.open(root).error().system_error == EISDIR);
  }
  for (const auto* path : {"/a", "/a/b", "/a/.."}) {
    CAPTURE(path);
    CHECK(tree.status(path).error().system_error == ENOENT);
    CHECK(tree.open(path).error().system_error == ENOENT);
    CHECK(tree.real_path(path).error().system_error == ENOENT);
    CHECK(tree.list(path).error().system_error == ENOENT);
  }
  CHECK(tree.open("/" + std::string(256, 'a')).error().system_error == ENAMETOOLONG);
}

}  // namespace
}  // namespace cudald
