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
  CHECK(installed.package_of("/env/lib/libmid.so")->name == "mid");
  CHECK(installed.package_of("/env/lib/libmid.so")->version == "2");
  CHECK(installed.package_of(site + "/tiny/liba.so")->version == "1.0");
  CHECK(installed.package_of("/env/lib/libother.so") == nullptr);
  CHECK_FALSE(installed.limit());
}

TEST_CASE("a package of conda says which release of another one it requires") {
  MemoryFileSystem files;
  files.add_file("/env/conda-meta/r-3.5.1-h1.json",
                 R"({"name": "r", "version": "3.5.1", "files": ["bin/R"],
                     "depends": ["icu >=58.2,<59.0a0", "zlib 1.2.* h1", "make ", "gcc  5.*"]})");
  files.add_file("/env/conda-meta/odd-1-0.json",
                 R"({"name": "odd", "version": "1", "depends": [7, "icu"], "files": ["bin/odd"]})");
  InstalledPackages installed(files);
  CHECK(installed.conda_requirement("/env/bin/R", "icu") == "icu>=58.2,<59.0a0");
  CHECK(installed.conda_requirement("/env/bin/R", "zlib") == "zlib=1.2.*");
  CHECK(installed.conda_requirement("/env/bin/R", "make").empty());  // any release
  CHECK(installed.conda_requirement("/env/bin/R", "gcc") == "gcc=5.*");
  CHECK(installed.conda_requirement("/env/bin/odd", "icu").empty());
  CHECK(installed.conda_requirement("/env/bin/none", "icu").empty());
  CHECK(installed.conda_requirement("/usr/bin/R", "icu").empty());
}

TEST_CASE("a package of conda says from which channel it came") {
  MemoryFileSystem files;
  const auto add = [&](const std::string& name, const std::string& channel) {
    files.add_file("/env/conda-meta/" + name + "-1-0.json", R"({"name": ")" + name +
                                                                R"(", "version": "1", "channel": ")" + channel +
                                                                R"(", "files": ["bin/)" + name + "\"]}");
  };
  add("a", "https://conda.anaconda.org/bioconda/linux-64");
  add("b", "conda-forge");
  add("c", "https://repo.anaconda.com/pkgs/main/linux-64");
  InstalledPackages installed(files);
  CHECK(installed.conda_channel("/env/bin/a") == "bioconda");
  CHECK(installed.conda_channel("/env/bin/b") == "conda-forge");
  CHECK(installed.conda_channel("/env/bin/c").empty());
  CHECK(installed.conda_channel("/env/bin/none").empty());
  CHECK(installed.conda_channel("/usr/bin/a").empty());
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
    const auto& seen_library = library;
    CAPTURE(seen_library);
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
  CHECK(installed.limit()->message == "more than 300000 steps would be needed for it");
  CHECK(installed.limit()->path == site + "/q-1.dist-info/RECORD");
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

TEST_CASE("a RECORD with a line that is longer than what is read at once") {
  MemoryFileSystem files;
  const std::string site = "/lib/python3.11/site-packages";
  std::string deep;
  for (int i = 0; i < 600; ++i) deep += std::string(200, 'd') + "/";
  files.add_file(site + "/a-1.dist-info/RECORD", "a/libfirst.so,,\n" + deep + "liblong.so,,\na/liblast.so,,\n" +
                                                     std::string(40'000, 'x') + "\nb/libz.so,,");
  InstalledPackages installed(files);
  for (const auto& path :
       {std::string("a/libfirst.so"), deep + "liblong.so", std::string("a/liblast.so"), std::string("b/libz.so")})
    CHECK(installed.package_of(site + "/" + path) != nullptr);
  CHECK(installed.package_of(site + "/liblong.so") == nullptr);
  CHECK_FALSE(installed.limit());
}

TEST_CASE("a library whose name has a line feed is looked for in all of a RECORD") {
  MemoryFileSystem files;
  const std::string site = "/lib/python3.11/site-packages";
  files.add_file(site + "/a-1.dist-info/RECORD", "\"a/lib\nx.so\",,\n");
  InstalledPackages installed(files);
  const auto damaged = installed.package_that_lost(site, "lib\nx.so");
  REQUIRE(damaged);
  CHECK(damaged->gone == std::vector<std::string>{site + "/a/lib\nx.so"});
}

constexpr std::uint64_t most_record = std::uint64_t{64} << 20;

TEST_CASE("a RECORD of 64 MiB is read, a larger one is not, nor one on a bad disk") {
  const std::string site = "/lib/python3.11/site-packages", record = "a/liba.so,,\na/tool,,\n";
  const auto owned = [&](const FileTraits& traits, const std::string& path) {
    MemoryFileSystem files;
    files.add_file(site + "/a-1.dist-info/RECORD", record, traits);
    InstalledPackages installed(files);
    const bool found = installed.package_of(site + path) != nullptr;
    CHECK_FALSE(installed.limit());
    return found;
  };
  CHECK(owned({.claimed_size = most_record}, "/a/liba.so"));
  CHECK_FALSE(owned({.claimed_size = most_record + 1}, "/a/liba.so"));
  CHECK_FALSE(owned({.claimed_size = most_record + 1}, "/a/tool"));
  for (const auto* path : {"/a/liba.so", "/a/tool"}) {
    CHECK(owned({}, path));
    CHECK_FALSE(owned({.broken_disk = true}, path));
    CHECK_FALSE(owned({.readable = false}, path));
  }
}

TEST_CASE("of all RECORDs together 128 MiB are read, and where that ended is told") {
  MemoryFileSystem files;
  const std::string site = "/lib/python3.11/site-packages";
  for (const auto* name : {"/a-1", "/b-1"})
    files.add_file(site + name + ".dist-info/RECORD", "a/liba.so,,\n", {.claimed_size = most_record});
  files.add_file(site + "/c-1.dist-info/RECORD", "c/libc.so,,\nc/tool,,\n");
  InstalledPackages installed(files);
  CHECK(installed.package_of(site + "/x/liba.so") == nullptr);
  REQUIRE(installed.limit());
  CHECK(installed.limit()->code == ErrorCode::limit);
  CHECK(installed.limit()->message == "more than 134217728 bytes would be read for it");
  CHECK(installed.limit()->path == site + "/c-1.dist-info/RECORD");
  // Once it was met nothing more is read, and which one was first stays.
  CHECK(installed.package_of(site + "/c/libc.so") == nullptr);
  CHECK(installed.package_of(site + "/c/tool") == nullptr);
  CHECK(installed.limit()->path == site + "/c-1.dist-info/RECORD");
}

TEST_CASE("conda's metadata that cannot be read claim nothing, and what they may come to is limited") {
  const auto limit_of = [](const std::string& json, const FileTraits& traits) {
    MemoryFileSystem files;
    files.add_file("/env/conda-meta/a-1-0.json", json, traits);
    files.add_file("/env/conda-meta/b-1-0.json", json, traits);
    InstalledPackages installed(files);
    CHECK(installed.package_of("/env/lib/liba.so") == nullptr);
    return installed.limit() ? installed.limit()->path + ": " + installed.limit()->message : "";
  };
  const std::string json = R"({"name": "a", "version": "1", "files": ["lib/liba.so"]})";
  CHECK(limit_of(json, {.readable = false}) == "");
  CHECK(limit_of(json, {.broken_disk = true}) == "");
  CHECK(limit_of(json, {.claimed_size = most_record + 1}) == "");
  CHECK(limit_of("[" + std::string(1'600'000, ',') + "]", {}) ==
        "/env/conda-meta/a-1-0.json: more than 100663296 bytes of names and entries would be kept for it");
}

TEST_CASE("files that conda's packages claim are counted") {
  const auto limit_of = [](std::size_t count, const std::string& asked) {
    MemoryFileSystem files;
    std::string json = R"({"name": "a", "version": "1", "files": ["first")";
    for (std::size_t i = 1; i < count; ++i) json += ",\"" + std::to_string(i) + "\"";
    files.add_file("/env/conda-meta/a-1-0.json", json + "]}");
    InstalledPackages installed(files);
    const auto* package = installed.package_of(asked);
    CHECK((package == nullptr) == (asked != "/env/first"));
    return installed.limit() ? installed.limit()->path + ": " + installed.limit()->message : "";
  };
  CHECK(limit_of(1000, "/env/first") == "");
  // A path counts as it was asked for.
  std::string longer = "/env/";
  while (longer.size() < 4000) longer += "./";
  const auto told = limit_of(16'500, longer + "none/x");
  CHECK(told.ends_with(": more than 67108864 bytes of names and entries would be kept for it"));
}

TEST_CASE("metadata of conda count twice for what is read, and end with 128 MiB") {
  const auto limit_with = [](bool second) {
    MemoryFileSystem files;
    files.add_file("/env/conda-meta/a-1-0.json", R"({"name": "a", "version": "1", "files": ["lib/liba.so"]})",
                   {.claimed_size = most_record});
    if (second) files.add_file("/env/conda-meta/b-1-0.json", "{}");
    InstalledPackages installed(files);
    CHECK(installed.package_of("/env/lib/liba.so") != nullptr);
    return installed.limit() ? installed.limit()->path + ": " + installed.limit()->message : "";
  };
  CHECK(limit_with(false) == "");
  CHECK(limit_with(true) == "/env/conda-meta/b-1-0.json: more than 134217728 bytes would be read for it");
}

TEST_CASE("each file that conda's packages claim is charged for with its path and 160 bytes") {
  std::string prefix = "/env";
  while (prefix.size() < 3930) prefix += "/.";
  REQUIRE(prefix.size() == 3930);
  constexpr int most = (64 << 20) / 4096;
  const auto limit_of = [&](int count) {
    MemoryFileSystem files;
    std::string json = R"({"name": "a", "version": "1", "files": ["10000")";
    for (int i = 1; i < count; ++i) json += ",\"" + std::to_string(10'000 + i) + "\"";
    files.add_file("/env/conda-meta/a-1-0.json", json + "]}");
    InstalledPackages installed(files);
    CHECK(installed.package_of(prefix + "/none/x") == nullptr);
    return installed.limit() ? installed.limit()->path + ": " + installed.limit()->message : "";
  };
  CHECK(limit_of(most) == "");
  CHECK(limit_of(most + 1) == prefix + "/" + std::to_string(10'000 + most) +
                                  ": more than 67108864 bytes of names and entries would be kept for it");
}

TEST_CASE("only what can be loaded is looked for, and of packages with one name each folder's own") {
  MemoryFileSystem files;
  const std::string site = "/env/lib/python3.11/site-packages";
  files.add_file(site + "/a-1.dist-info/RECORD", "a/x.txt,,\na/run,,\na/lib.so.txt,,\n");
  files.add_file("/opt/lib/python3.12/site-packages/b-2.dist-info/RECORD", "a/run,,\n");
  InstalledPackages installed(files);
  CHECK(installed.package_of(site + "/a/x.txt") == nullptr);
  REQUIRE(installed.package_of(site + "/a/run"));
  CHECK(installed.package_of(site + "/a/run")->name == "a");
  REQUIRE(installed.package_of(site + "/a/lib.so.txt"));
  REQUIRE(installed.package_of("/opt/lib/python3.12/site-packages/a/run"));
  CHECK(installed.package_of("/opt/lib/python3.12/site-packages/a/run")->name == "b");
  CHECK(installed.package_of("/opt/lib/python3.12/site-packages/a/run")->version == "2");
}

}  // namespace
}  // namespace cudald
