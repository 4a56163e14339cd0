#include "scan/files.h"

#include <doctest/doctest.h>

#include <cerrno>

#include "unit/scan/temporary_folder.h"

namespace cudald {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("of several who write first, the first wins") {
  const TemporaryFolder folder;
  CHECK(*write_first(folder / "list", "one"));
  CHECK_FALSE(*write_first(folder / "list", "two"));
  CHECK(bytes_of_file(folder / "list") == "one");
  CHECK_FALSE(write_whole(folder / "list", "three"));
  CHECK(bytes_of_file(folder / "list") == "three");
  CHECK(names_in(folder.path()) == Names{"list"});
}

TEST_CASE("a file that somebody else has moved is not an error") {
  const TemporaryFolder folder;
  write_file(folder / "a", "");
  CHECK(*move_file(folder / "a", folder / "b"));
  CHECK_FALSE(*move_file(folder / "a", folder / "c"));
  CHECK_FALSE(move_file(folder / "b", folder / "none/c"));
  remove_file(folder / "b");
  CHECK(names_in(folder.path()).empty());
}

TEST_CASE("what is appended is there at once") {
  const TemporaryFolder folder;
  CHECK_FALSE(make_folders(folder / "x/y"));
  auto file = Appender::create(folder / "x/y/z");
  REQUIRE(file);
  CHECK_FALSE(file->append("one\n"));
  CHECK(bytes_of_file(folder / "x/y/z") == "one\n");
  CHECK_FALSE(file->append("two\n"));
  CHECK(bytes_of_file(folder / "x/y/z") == "one\ntwo\n");
  const auto again = Appender::create(folder / "x/y/z");
  CHECK((!again && again.error().system_error == EEXIST));
}

TEST_CASE("what cannot be written is told") {
  const TemporaryFolder folder;
  write_file(folder / "file", "");
  CHECK(make_folders(folder / "file/below"));
  CHECK(write_whole(folder / "file/below", ""));
  CHECK_FALSE(write_first(folder / "none/list", ""));
}

TEST_CASE("a file without a name can be written and read, and is in no folder") {
  const TemporaryFolder folder;
  auto file = NamelessFile::create(folder.path());
  REQUIRE(file);
  write_file(file->path(), "text");
  CHECK(bytes_of_file(file->path()) == "text");
  CHECK(names_in(folder.path()).empty());
  const auto other = NamelessFile::create(folder.path());
  CHECK((other && other->path() != file->path()));
  CHECK_FALSE(NamelessFile::create(folder / "none"));
}

TEST_CASE("a name of one's own is never used twice") { CHECK(own_name() != own_name()); }

}  // namespace
}  // namespace cudald
