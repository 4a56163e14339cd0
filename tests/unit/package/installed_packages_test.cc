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

TEST_CASE("what two packages list belongs to the one that is called like its folder") {
  MemoryFileSystem files;
  const std::string site = "/lib/python3.11/site-packages";
  files.add_file(site + "/a-1.dist-info/RECORD", "torch/lib/libc10.so,,\nx/libc10.so,,\n");
  files.add_file(site + "/torch-2.dist-info/RECORD", "torch/lib/libc10.so.1,,\n./torch/lib/libc10.so,sha256=x,7\r\n");
  InstalledPackages installed(files);
  REQUIRE(installed.package_of(site + "/torch/lib/libc10.so"));
  CHECK(installed.package_of(site + "/torch/lib/libc10.so")->version == "2");
  CHECK(installed.package_of(site + "/x/libc10.so")->name == "a");
  CHECK(installed.package_of(site + "/y/libc10.so") == nullptr);
  CHECK(installed.package_of(site + "/torch/lib/libc10.py") == nullptr);
}

TEST_CASE("programs are found in a RECORD, and files behind quotes") {
  MemoryFileSystem files;
  const std::string site = "/lib/python3.11/site-packages";
  files.add_file(site + "/a-1.dist-info/RECORD", "a/x.py,,\n\"a/with, comma.so\",,\na/quoted,,\n");
  files.add_file(site + "/b-1.dist-info/RECORD", "b/libx.so.1,,\nb/x.py,,\nb/tool,,\nb/libx.so,sha256=y,3");
  InstalledPackages installed(files);
  for (const auto* path : {"/a/with, comma.so", "/a/quoted", "/b/tool", "/b/libx.so", "/b/libx.so.1"}) {
    CAPTURE(path);
    REQUIRE(installed.package_of(site + path));
    CHECK(installed.package_of(site + path)->name == std::string(path).substr(1, 1));
  }
  CHECK(installed.package_of(site + "/b/x") == nullptr);
  CHECK(installed.package_of(site + "/b/libx") == nullptr);
}

TEST_CASE("a library that RECORD lists and that is gone belongs to a damaged package") {
  MemoryFileSystem files;
  const std::string site = "/env/lib/python3.11/site-packages";
  files.add_file(site + "/a-1.dist-info/RECORD", "tiny/lib_core.so,,\na/libother.so,,\n");
  files.add_file(site + "/tiny/lib_core.so", "");
  files.add_file(site + "/tiny_one-1.0.dist-info/RECORD",
                 "tiny/_core.so,,\n../../libt.so.1,,\ntiny/tool,,\ntiny/x.py,,\n");
  files.add_file(site + "/tiny_one-1.0.dist-info/METADATA", "Name: Tiny.One\nVersion: 1.0\n");
  InstalledPackages installed(files);
  for (const auto& [library, path] : {std::pair{"_core.so", "/env/lib/python3.11/site-packages/tiny/_core.so"},
                                      std::pair{"libt.so.1", "/env/lib/libt.so.1"},
                                      std::pair{"tool", "/env/lib/python3.11/site-packages/tiny/tool"}}) {
    CAPTURE(library);
    const auto damaged = installed.package_that_lost(site, library);
    REQUIRE(damaged);
    CHECK(damaged->name == "Tiny.One");
    CHECK(damaged->version == "1.0");
    CHECK(damaged->gone == std::vector<std::string>{path});
  }
  for (const auto* other : {"core.so", "lib_core.so", "libt.so", "libnone.so", "x"})
    CHECK_FALSE(installed.package_that_lost(site, other));
  files.add_file(site + "/tiny/_core.so", "");
  CHECK_FALSE(installed.package_that_lost(site, "_core.so"));
  files.take_log();
  REQUIRE(installed.package_that_lost(site, "libother.so"));
  CHECK(installed.package_that_lost(site, "libother.so")->name == "a");
  for (const auto& line : files.take_log()) CHECK(line.find("RECORD") == std::string::npos);
}

TEST_CASE("what packages claim is read up to a limit, which is told") {
  MemoryFileSystem files;
  const std::string site = "/lib/python3.11/site-packages";
  std::string record;
  for (int i = 0; i < 100'000; ++i) record += "q/liba.so,,\n";
  files.add_file(site + "/p-1.dist-info/RECORD", record);
  for (const auto* other : {"/q-1", "/r-1", "/s-1"})
    files.add_hard_link(site + other + ".dist-info/RECORD", site + "/p-1.dist-info/RECORD");
  InstalledPackages installed(files);
  CHECK_FALSE(installed.package_of(site + "/r/liba.so"));
  REQUIRE(installed.limit());
  CHECK(installed.limit()->code == ErrorCode::limit);
  CHECK(installed.limit()->path.starts_with(site));
}

TEST_CASE("a package without a readable METADATA is called like its folder, in dist-packages too") {
  MemoryFileSystem files;
  for (const std::string site : {"/usr/lib/python3/dist-packages", "/env/lib/python3.11/site-packages"}) {
    files.add_file(site + "/my_pkg-1.0-2.dist-info/RECORD", "p/a.so,,\n");
    files.add_file(site + "/x-1.dist-info/RECORD", "p/b.so,,\n");
    files.add_file(site + "/x-1.dist-info/METADATA", "Version: 9\n");
    files.add_file(site + "/nodash.dist-info/RECORD", "p/c.so,,\n");
    InstalledPackages installed(files);
    for (int round = 0; round < 2; ++round) {
      const auto owner = [&](const std::string& file) {
        const auto* package = installed.package_of(site + file);
        return package == nullptr ? "none" : package->name + " " + package->version;
      };
      CHECK(owner("/p/a.so") == "my_pkg-1.0 2");
      CHECK(owner("/p/b.so") == "x 1");
      CHECK(owner("/p/c.so") == "none");
    }
  }
}

TEST_CASE("conda's packages claim what their metadata list, where that is what it should be") {
  const auto claimed = [](const std::string& json, const std::string& path = "/env/lib/liba.so") {
    MemoryFileSystem files;
    files.add_file("/env/conda-meta/a-1-0.json", json);
    files.add_file("/env/conda-meta/other.txt", R"({"name": "t", "version": "1", "files": ["lib/libt.so"]})");
    InstalledPackages installed(files);
    const auto* package = installed.package_of(path);
    return package == nullptr ? "none" : package->name + " " + package->version;
  };
  CHECK(claimed(R"({"name": "a", "version": "1", "files": ["lib/liba.so", 7, "lib/x.py"]})") == "a 1");
  CHECK(claimed(R"({"name": 1, "files": ["lib/liba.so"]})") == " ");
  CHECK(claimed(R"({"name": "a", "version": "1", "files": ["bin/tool"]})", "/env/bin/tool") == "a 1");
  CHECK(claimed(R"({"name": "a", "version": "1", "files": ["lib/x.py"]})", "/env/lib/x.py") == "none");
  CHECK(claimed(R"({"name": "a", "version": "1", "files": "lib/liba.so"})") == "none");
  CHECK(claimed(R"({"name": "a", "version": "1"})") == "none");
  CHECK(claimed("[]") == "none");
  CHECK(claimed("{") == "none");
  CHECK(claimed(R"({"name": "a", "version": "1", "files": ["lib/liba.so"]})", "/env/lib/libt.so") == "none");
}

}  // namespace
}  // namespace cudald
