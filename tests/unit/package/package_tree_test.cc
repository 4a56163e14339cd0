#include "package/package_tree.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"
#include "unit/fs/zip_builder.h"

namespace cudald {
namespace {

TEST_CASE("an archive that cannot be installed does not shift the numbers of the others") {
  MemoryFileSystem base;
  base.add_file("/good.whl", archive_of({{.name = "pkg/liba.so", .data = std::string(60, 'x')}}).bytes);
  base.add_file("/late.whl", archive_of({{.name = "pkg/libb.so", .data = std::string(60, 'x')}}).bytes);
  base.add_file("/empty.whl", archive_of({}).bytes);
  base.add_file("/page.whl", "<!DOCTYPE html>");
  auto broken = two_members();
  broken.put(broken.central[0], "QK");
  base.add_file("/broken.whl", "in front" + broken.bytes + "behind");

  PackageTree tree(base);
  const InflateLimits limits{100, 100, 10};
  const auto failure = [&](const std::string& path) {
    const auto number = tree.install(path, limits);
    return number ? "" : number.error().message;
  };
  CHECK(failure("/absent.whl") == "No such file or directory");
  CHECK(failure("/page.whl") == "is no zip archive");
  CHECK(failure("/broken.whl") != "");
  CHECK(failure("/empty.whl") == "is an empty archive, so no wheel");
  const auto good = tree.install("/good.whl", limits);
  REQUIRE(good.has_value());
  REQUIRE(tree.packages().size() > *good);
  CHECK(tree.packages()[*good].archive == "/good.whl");
  const auto path = std::string(PackageTree::site_packages) + "/pkg/liba.so";
  REQUIRE(tree.package_of(path) != nullptr);
  CHECK(tree.package_of(path)->archive == "/good.whl");
  CHECK(tree.shown(path) == "good.whl!/pkg/liba.so");
  CHECK(tree.name_in_archive(*good, 0) == "good.whl!/pkg/liba.so");
  CHECK(tree.name_in_archive(*good, std::nullopt) == "good.whl");
  CHECK(tree.status(path)->size == 60);

  // What else is wrong with an archive that cannot be installed is known; the error tells what is fatal.
  const auto& packages = tree.packages();
  const auto told =
      std::find_if(packages.begin(), packages.end(), [](const Package& p) { return p.archive == "/broken.whl"; });
  REQUIRE(told != packages.end());
  CHECK(told->problems.count(ZipProblemKind::trailing_data) == 1);
  CHECK_FALSE(told->problems.any_fatal());

  // The limit is on all archives together.
  const auto late = tree.install("/late.whl", limits);
  REQUIRE(late.has_value());
  CHECK(tree.packages()[*late].problems.count(ZipProblemKind::over_total) == 1);
  CHECK(tree.packages()[*late].libraries.empty());
}

}  // namespace
}  // namespace cudald
