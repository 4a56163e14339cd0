#include "package/installed_packages.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

TEST_CASE("a file belongs to the package whose RECORD or conda-meta lists it") {
  MemoryFileSystem files;
  const std::string site = "/env/lib/python3.11/site-packages";
  files.add_file(site + "/tiny_one-1.0.dist-info/RECORD", "tiny/liba.so,,\n../../liboutside.so,,\n");
  files.add_file(site + "/tiny_one-1.0.dist-info/METADATA", "Name: Tiny.One\nVersion: 1.0\n");
  files.add_file("/env/conda-meta/mid-2-0.json", R"({"name": "mid", "version": "2", "files": ["lib/libmid.so"]})");
  InstalledPackages installed(files);
  REQUIRE(installed.package_of(site + "/tiny/liba.so"));
  CHECK(installed.package_of(site + "/tiny/liba.so")->name == "Tiny.One");
  REQUIRE(installed.package_of("/env/lib/libmid.so"));
  CHECK(installed.package_of("/env/lib/libmid.so")->version == "2");
  CHECK(installed.package_of("/env/lib/libother.so") == nullptr);
  CHECK_FALSE(installed.limit());
}

TEST_CASE("what packages claim is read up to a limit, which is told") {
  MemoryFileSystem files;
  const std::string site = "/lib/python3.11/site-packages";
  std::string record;
  for (int i = 0; i < 90'000; ++i) record += "lib" + std::to_string(i) + ".so,,\n";
  files.add_file(site + "/p0-1.dist-info/RECORD", record);
  for (int i = 1; i < 15; ++i)
    files.add_hard_link(site + "/p" + std::to_string(i) + "-1.dist-info/RECORD", site + "/p0-1.dist-info/RECORD");
  InstalledPackages installed(files);
  CHECK(installed.package_of(site + "/lib7.so"));
  REQUIRE(installed.limit());
  CHECK(installed.limit()->code == ErrorCode::limit);
  CHECK(installed.limit()->path.starts_with(site));
}

}  // namespace
}  // namespace cudald
