#include "package/package_sets.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"
#include "unit/archive/zip_builder.h"
#include "unit/tree/scratch_folder.h"

namespace cudald {
namespace {

/// Counts how often a file is opened.
class CountingFiles final : public FileSystem {
 public:
  MemoryFileSystem base;
  mutable int opened = 0;

  Result<FileStatus> status(const std::string& path) const override { return base.status(path); }
  Result<std::unique_ptr<File>> open(const std::string& path) const override {
    ++opened;
    return base.open(path);
  }
  Result<std::string> real_path(const std::string& path) const override { return base.real_path(path); }
  Result<std::vector<std::string>> list(const std::string& path) const override { return base.list(path); }
};

TEST_CASE("packages that the next question installs as well are not read again") {
  CountingFiles files;
  files.base.add_file("/a.whl", archive_of({{.name = "pkg/liba.so", .data = "first"}}).bytes);
  files.base.add_file("/b.whl", archive_of({{.name = "pkg/liba.so", .data = "second, longer"}}).bytes);
  files.base.add_file("/page.whl", "<!DOCTYPE html>");
  const auto path = std::string(PackageTree::site_packages) + "/pkg/liba.so";
  PackageSets sets;
  PackageTree one(files), two(files), other(files);

  const auto first = sets.install(one, {"/a.whl", "/page.whl", "/b.whl"}, {});
  const auto opened = files.opened;
  const auto second = sets.install(two, {"/a.whl", "/page.whl", "/b.whl"}, {});
  CHECK(files.opened == opened);
  REQUIRE(first.size() == 3);
  REQUIRE(second.size() == 3);
  CHECK(second[0].has_value());
  CHECK(*second[2] == *first[2]);
  CHECK(second[1].error().message == "is not a zip archive");
  CHECK(two.status(path)->size == one.status(path)->size);
  CHECK(two.status(path)->id == one.status(path)->id);
  CHECK(two.package_of(path)->archive == "/b.whl");
  CHECK(two.description().parts == one.description().parts);

  // What a question adds is its own.
  two.install_names("promised", "1", {"promised/libz.so.1"});
  CHECK_FALSE(one.status("/.wheels/promised/libz.so.1").has_value());
  CHECK(two.description().parts != one.description().parts);

  // Another order is another tree, in which another file wins.
  sets.install(other, {"/b.whl", "/a.whl"}, {});
  CHECK(files.opened > opened);
  CHECK(other.package_of(path)->archive == "/a.whl");
  CHECK(other.description().parts != one.description().parts);
  PackageTree limited(files);
  sets.install(limited, {"/b.whl", "/a.whl"}, {.member = 5});
  CHECK(limited.description().parts != other.description().parts);
}

TEST_CASE("a tree over one that may change is not the same as another of the same packages") {
  MemoryFileSystem files, machine;
  PackageTree tree(files);
  CHECK(tree.description().whole);
  const auto over_files = tree.description().parts;
  tree.stand_on_nothing();
  CHECK(tree.description().whole);
  CHECK(tree.description().parts != over_files);
  tree.stand_on(machine, "machine");
  CHECK_FALSE(tree.description().whole);
  CHECK(tree.description().parts == std::vector<std::string>{"machine"});
  tree.stand_on(machine, "another");
  CHECK(tree.description().parts == std::vector<std::string>{"another"});
}

TEST_CASE("what is said of packages lasts where the content of each archive has a name") {
  MemoryFileSystem nameless;
  nameless.add_file("/a.whl", archive_of({{.name = "pkg/liba.so", .data = "first"}}).bytes);
  PackageTree tree(nameless);
  CHECK(tree.description().lasting);
  tree.install_names("promised", "1", {"promised/libz.so.1"});
  CHECK(tree.description().lasting);
  REQUIRE(tree.install("/a.whl").has_value());
  CHECK_FALSE(tree.description().lasting);
  PackageTree copy(nameless);
  copy.install_all_of(tree);
  CHECK_FALSE(copy.description().lasting);

  PackageTree absent(nameless);
  CHECK_FALSE(absent.install("/b.whl").has_value());
  CHECK_FALSE(absent.description().lasting);
}

TEST_CASE("an archive is another one after it was changed") {
  const ScratchFolder folder;
  const auto wheel = folder / "a.whl";
  folder.add_file("a.whl", archive_of({{.name = "pkg/liba.so", .data = "first"}}).bytes);
  wait_for_clock();
  const auto disk = make_disk_file_system();
  PackageTree one(*disk), same(*disk), changed(*disk);
  REQUIRE(one.install(wheel).has_value());
  REQUIRE(same.install(wheel).has_value());
  CHECK(one.description().lasting);
  CHECK(one.description().parts == same.description().parts);
  folder.add_file("a.whl", archive_of({{.name = "pkg/liba.so", .data = "other"}}).bytes);
  wait_for_clock();
  REQUIRE(changed.install(wheel).has_value());
  CHECK(changed.description().lasting);
  CHECK(one.description().parts != changed.description().parts);
}

}  // namespace
}  // namespace cudald
