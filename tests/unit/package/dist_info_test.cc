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

TEST_CASE("a distribution is known by the modules that it brings") {
  auto files = installed();
  const auto add = [&](const std::string& name, const std::string& record) {
    files.add_file(site + "/" + name + "-1.dist-info/RECORD", record);
  };
  add("scikit_learn", "scikit_learn.libs/libgomp.so.1,,\nsklearn/__init__.py,,\nsklearn/svm/_svm.abi3.so,,\n");
  add("protobuf", "google/_upb/_message.abi3.so,,\ngoogle/protobuf/__init__.py,,\ngoogle/protobuf/any.py,,\n");
  add("attrs", "attr/__init__.py,,\nattrs/__init__.py,,\n");
  add("PyYAML", "_yaml/__init__.py,,\nyaml/__init__.py,,\nyaml/_yaml.cpython-311-x86_64-linux-gnu.so,,\n");
  add("two", "one.py,,\nother.abi3.so,,\ntests/__init__.py,,\n../../bin/one.py,,\n");
  add("inner", "_inner.abi3.so,,\n");
  using Names = std::vector<std::string>;
  CHECK(modules_of_distribution(files, site, "scikit-learn") == Names{"sklearn"});
  CHECK(modules_of_distribution(files, site, "Protobuf") == Names{"google.protobuf"});
  CHECK(modules_of_distribution(files, site, "attrs") == Names{"attrs"});
  CHECK(modules_of_distribution(files, site, "pyyaml") == Names{"yaml"});
  CHECK(modules_of_distribution(files, site, "two") == Names{"one", "other"});
  CHECK(modules_of_distribution(files, site, "inner") == Names{"_inner"});
  CHECK(modules_of_distribution(files, site, "sklearn").empty());
  files.add_file(site + "/fast.abi3.so", "");
  CHECK(installed_names(files, site) == std::set<std::string>{"attrs", "fast", "inner", "protobuf", "pyyaml",
                                                              "scikit-learn", "tiny", "tiny-one", "two"});
}

TEST_CASE("what may be called like a distribution") {
  for (const auto* name : {"torch", "scikit-learn", "zope.interface", "7zip", "py_2"})
    CHECK(is_distribution_name(name));
  for (const auto* name : {"", "-q", "a b", "lib/torch", "libc10.so", "libz.so.1", "a.dll", "_C.pyd", "name."})
    CHECK_FALSE(is_distribution_name(name));
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
