#include "os/own_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "unit/tree/scratch_folder.h"

namespace cudald {
namespace {

TEST_CASE("only a regular file is opened, and a link is not followed") {
  const ScratchFolder folder;
  folder.add_file("a", "four");
  const auto file = open_own_file(folder / "a");
  CHECK(file.descriptor >= 0);
  CHECK(file.size == 4);
  CHECK(close_own_file(file.descriptor));
  REQUIRE(::symlink("a", (folder / "link").c_str()) == 0);
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  for (const auto* name : {"link", "pipe", "none", "."}) CHECK(open_own_file(folder / name).descriptor == -1);
}

TEST_CASE("a file beside another takes its place in one step") {
  const ScratchFolder folder;
  folder.add_file("a", "before");
  const auto made = make_file_beside(folder / "a");
  REQUIRE(made.descriptor >= 0);
  CHECK(made.path.starts_with(folder / "a."));
  REQUIRE(::write(made.descriptor, "after", 5) == 5);
  CHECK(close_own_file(made.descriptor));
  CHECK(rename_file(made.path, folder / "a"));
  CHECK(open_own_file(folder / "a").size == 5);
  CHECK(remove_file(folder / "a"));
  CHECK_FALSE(remove_file(folder / "a"));
}

TEST_CASE("where no file can be made, errno says why") {
  const ScratchFolder folder;
  const auto made = make_file_beside(folder / "none/a");
  CHECK(made.descriptor == -1);
  CHECK(made.fault == ENOENT);
}

}  // namespace
}  // namespace cudald
