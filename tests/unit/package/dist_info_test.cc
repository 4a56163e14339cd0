#include "package/dist_info.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

const std::string site = "/venv/lib/python3.11/site-packages";

MemoryFileSystem installed() {
  MemoryFileSystem files;
  files.add_file(site + "/Tiny_One-1.0.dist-info/RECORD",
                 "tiny/__init__.py,,\ntiny/_core.so,,\n../../lib/libt.so.1,,\n");
  files.add_file(site + "/Tiny_One-1.0.dist-info/METADATA",
                 "Name: tiny-one\nVersion: 1.0\nRequires-Dist: other (==2.0)\n");
  files.add_file(site + "/tiny/__init__.py", "");
  return files;
}

TEST_CASE("metadata is found by the distribution's name, however it is written") {
  const auto files = installed();
  const auto metadata = installed_metadata(files, site, "Tiny.One");
  REQUIRE(metadata);
  CHECK(metadata->version == "1.0");
  CHECK(metadata->requires_dist.size() == 1);
  CHECK_FALSE(installed_metadata(files, site, "other"));
}

TEST_CASE("a file that RECORD lists and that is gone belongs to a damaged package") {
  auto files = installed();
  const auto damaged = package_that_lost(files, site, "/tiny/_core.so");
  REQUIRE(damaged);
  CHECK(damaged->name == "tiny-one");
  CHECK(damaged->version == "1.0");
  CHECK(damaged->gone == std::vector<std::string>{site + "/tiny/_core.so"});
  CHECK(package_that_lost(files, site, "/libt.so.1"));
  CHECK_FALSE(package_that_lost(files, site, "/__init__.py"));
  CHECK_FALSE(package_that_lost(files, site, "/core.so"));
  files.add_file(site + "/tiny/_core.so", "");
  CHECK_FALSE(package_that_lost(files, site, "/tiny/_core.so"));
}

TEST_CASE("a file of another size than RECORD states was altered") {
  auto files = installed();
  files.add_file(site + "/two-2.dist-info/RECORD", "two/liba.so,sha256=x,5\ntwo/libb.so,,\n");
  files.add_file(site + "/two-2.dist-info/METADATA", "Name: two\nVersion: 2\n");
  files.add_file(site + "/two/liba.so", "12345");
  files.add_file(site + "/two/libb.so", "1");
  CHECK_FALSE(package_of_altered(files, site, site + "/two/liba.so"));
  CHECK_FALSE(package_of_altered(files, site, site + "/two/libb.so"));
  files.add_file(site + "/two/liba.so", "1234");
  REQUIRE(package_of_altered(files, site, site + "/two/liba.so"));
  CHECK(package_of_altered(files, site, site + "/two/liba.so")->name == "two");
}

TEST_CASE("a requirement that is there in a release that is not allowed is unmet") {
  auto files = installed();
  CHECK(unmet_requirements(files, site, "tiny-one").empty());
  files.add_file(site + "/other-2.1.dist-info/METADATA", "Name: other\nVersion: 2.1\n");
  const auto unmet = unmet_requirements(files, site, "tiny-one");
  REQUIRE(unmet.size() == 1);
  CHECK(unmet[0].name + " " + unmet[0].version + ", wanted " + unmet[0].wanted == "other 2.1, wanted other==2.0");
}

TEST_CASE("a module that is gone, and a requirement that is not installed") {
  const auto files = installed();
  CHECK(package_that_lost_module(files, site, "tiny._core"));
  CHECK_FALSE(package_that_lost_module(files, site, "tiny"));
  CHECK_FALSE(package_that_lost_module(files, site, "tiny._cor"));
  CHECK(installed_requirement(files, site, "Other") == "Other==2.0");
  CHECK(installed_requirement(files, site, "third") == "");
}

}  // namespace
}  // namespace cudald
