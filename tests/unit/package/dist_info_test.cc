#include "package/dist_info.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

const std::string venv_site = "/venv/lib/python3.11/site-packages";

MemoryFileSystem installed() {
  MemoryFileSystem files;
  files.add_file(venv_site + "/Tiny_One-1.0.dist-info/RECORD",
                 "tiny/__init__.py,,\ntiny/_core.pyx,,\ntiny/_core.so,,\n../../lib/libt.so.1,,\n");
  files.add_file(venv_site + "/Tiny_One-1.0.dist-info/METADATA",
                 "Name: tiny-one\nVersion: 1.0\nRequires-Dist: other (==2.0)\n");
  files.add_file(venv_site + "/tiny/__init__.py", "");
  return files;
}

TEST_CASE("metadata is found by the distribution's name, however it is written") {
  const auto files = installed();
  const auto metadata = installed_metadata(files, venv_site, "Tiny.One");
  REQUIRE(metadata);
  CHECK(metadata->version == "1.0");
  CHECK(metadata->requires_dist.size() == 1);
  CHECK(metadata->name == "tiny-one");
  CHECK(metadata->requires_dist == std::vector<std::string>{"other (==2.0)"});
  CHECK_FALSE(installed_metadata(files, venv_site, "other"));
  CHECK_FALSE(installed_metadata(files, venv_site, "tiny"));
  CHECK_FALSE(installed_metadata(files, "/none", "tiny-one"));
}

TEST_CASE("a distribution is known by the modules that it brings") {
  auto files = installed();
  const auto add = [&](const std::string& name, const std::string& record) {
    files.add_file(venv_site + "/" + name + "-1.dist-info/RECORD", record);
  };
  add("scikit_learn", "scikit_learn.libs/libgomp.so.1,,\nsklearn/__init__.py,,\nsklearn/svm/_svm.abi3.so,,\n");
  add("protobuf", "google/_upb/_message.abi3.so,,\ngoogle/protobuf/__init__.py,,\ngoogle/protobuf/any.py,,\n");
  add("attrs", "attr/__init__.py,,\nattrs/__init__.py,,\n");
  add("PyYAML", "_yaml/__init__.py,,\nyaml/__init__.py,,\nyaml/_yaml.cpython-311-x86_64-linux-gnu.so,,\n");
  add("two", "one.py,,\nother.abi3.so,,\ntests/__init__.py,,\n../../bin/one.py,,\n");
  add("inner", "_inner.abi3.so,,\n");
  using Names = std::vector<std::string>;
  CHECK(modules_of_distribution(files, venv_site, "scikit-learn") == Names{"sklearn"});
  CHECK(modules_of_distribution(files, venv_site, "Protobuf") == Names{"google.protobuf"});
  CHECK(modules_of_distribution(files, venv_site, "attrs") == Names{"attrs"});
  CHECK(modules_of_distribution(files, venv_site, "pyyaml") == Names{"yaml"});
  CHECK(modules_of_distribution(files, venv_site, "two") == Names{"one", "other"});
  CHECK(modules_of_distribution(files, venv_site, "inner") == Names{"_inner"});
  CHECK(modules_of_distribution(files, venv_site, "sklearn").empty());
  files.add_file(venv_site + "/fast.abi3.so", "");
  CHECK(installed_names(files, venv_site) == std::set<std::string>{"attrs", "fast", "inner", "protobuf", "pyyaml",
                                                                   "scikit-learn", "tiny", "tiny-one", "two"});
}

TEST_CASE("what may be called like a distribution") {
  for (const auto* name : {"torch", "scikit-learn", "zope.interface", "7zip", "py_2", "_a", "a_", "x", "aso", "a.so2"})
    CHECK_MESSAGE(is_distribution_name(name), name);
  for (const auto* name : {"", "-q", "q-", ".q", "a b", "lib/torch", "libc10.so", "libz.so.1", "a.dll", "_C.pyd",
                           "a.exe", "name.", "torch*"})
    CHECK_MESSAGE(!is_distribution_name(name), name);
}

TEST_CASE("a file of another size than RECORD states was altered") {
  auto files = installed();
  files.add_file(venv_site + "/two-2.dist-info/RECORD", "two/liba.so,sha256=x,5\ntwo/libb.so,,\n");
  files.add_file(venv_site + "/two-2.dist-info/METADATA", "Name: two\nVersion: 2\n");
  files.add_file(venv_site + "/two/liba.so", "12345");
  files.add_file(venv_site + "/two/libb.so", "1");
  CHECK_FALSE(package_of_altered(files, venv_site, venv_site + "/two/liba.so"));
  CHECK_FALSE(package_of_altered(files, venv_site, venv_site + "/two/libb.so"));
  CHECK_FALSE(package_of_altered(files, venv_site, venv_site + "/other/liba.so"));
  files.add_file(venv_site + "/two/liba.so", "1234");
  REQUIRE(package_of_altered(files, venv_site, venv_site + "/two/liba.so"));
  CHECK(package_of_altered(files, venv_site, venv_site + "/two/liba.so")->name == "two");
  CHECK(package_of_altered(files, venv_site, venv_site + "/two/liba.so")->version == "2");
  CHECK(package_of_altered(files, venv_site, venv_site + "/two/liba.so")->gone ==
        std::vector<std::string>{venv_site + "/two/liba.so"});
  files.add_file(venv_site + "/two/liba.so", "123456");
  CHECK(package_of_altered(files, venv_site, venv_site + "/two/liba.so"));
  // Another file of that name, and one that is gone.
  files.add_file(venv_site + "/three-3.dist-info/RECORD", "three/liba.so,sha256=x,7\nthree/libgone.so,sha256=x,7\n");
  files.add_file(venv_site + "/three-3.dist-info/METADATA", "Name: three\nVersion: 3\n");
  files.add_file(venv_site + "/other/liba.so", "1");
  CHECK_FALSE(package_of_altered(files, venv_site, venv_site + "/other/liba.so"));
  CHECK_FALSE(package_of_altered(files, venv_site, venv_site + "/three/libgone.so"));
}

TEST_CASE("a requirement that is there in a release that is not allowed is unmet") {
  auto files = installed();
  CHECK(unmet_requirements(files, venv_site, "tiny-one").empty());
  files.add_file(venv_site + "/other-2.1.dist-info/METADATA", "Name: other\nVersion: 2.1\n");
  const auto unmet = unmet_requirements(files, venv_site, "tiny-one");
  REQUIRE(unmet.size() == 1);
  CHECK(unmet[0].name + " " + unmet[0].version + ", wanted " + unmet[0].wanted == "other 2.1, wanted other==2.0");
  CHECK(unmet_requirements(files, venv_site, "none").empty());
  files.add_file(venv_site + "/many-1.dist-info/METADATA",
                 "Name: many\nVersion: 1\nRequires-Dist: @ none\nRequires-Dist: other\n"
                 "Requires-Dist: other==1; os_name == 'posix'\nRequires-Dist: other>=2.1\n"
                 "Requires-Dist: absent==1\nRequires-Dist: Other<2\nRequires-Dist: tiny_one>1\n"
                 "Requires-Dist: other<=2,>=2\nRequires-Dist: other<=2,>=1\n");
  std::string text;
  for (const auto& [name, version, wanted] : unmet_requirements(files, venv_site, "many"))
    text += name + " " + version + ", wanted " + wanted + "\n";
  CHECK(text ==
        "other 2.1, wanted other<2\ntiny-one 1.0, wanted tiny-one>1\nother 2.1, wanted other==2\n"
        "other 2.1, wanted other<=2,>=1\n");
}

TEST_CASE("a requirement that is not there in any release is absent") {
  auto files = installed();
  files.add_file(
      venv_site + "/many-1.dist-info/METADATA",
      "Name: many\nVersion: 1\nRequires-Dist: @ none\nRequires-Dist: tiny.one\nRequires-Dist: Absent<=2,>=2\n"
      "Requires-Dist: on-windows; sys_platform == 'win32'\nRequires-Dist: here; sys_platform == 'linux'\n"
      "Requires-Dist: with-extra; extra == 'x'\n");
  std::string text;
  for (const auto& [name, version, wanted] :
       absent_requirements(files, venv_site, "many", linux_marker_values("3.11", "x86_64")))
    text += name + " " + version + ", wanted " + wanted + "\n";
  CHECK(text == "absent , wanted absent==2\nhere , wanted here\n");
  CHECK(absent_requirements(files, venv_site, "none", {}).empty());
}

TEST_CASE("a module that is gone, and a requirement that is not installed") {
  const auto files = installed();
  const auto damaged = package_that_lost_module(files, venv_site, "tiny._core");
  REQUIRE(damaged);
  CHECK(damaged->name == "tiny-one");
  CHECK(damaged->version == "1.0");
  CHECK(damaged->gone == std::vector<std::string>{venv_site + "/tiny/_core.so"});
  CHECK_FALSE(package_that_lost_module(files, venv_site, "tiny"));
  CHECK_FALSE(package_that_lost_module(files, venv_site, "tiny._cor"));
  CHECK(installed_requirement(files, venv_site, "Other") == "Other==2.0");
  CHECK(installed_requirement(files, venv_site, "third") == "");
  CHECK(installed_requirement(files, "/none", "other") == "");
}

TEST_CASE("the lowest upper bound that installed distributions state for another one") {
  MemoryFileSystem files;
  const auto require = [&](const std::string& name, const std::string& line) {
    files.add_file(venv_site + "/" + name + "-1.dist-info/METADATA",
                   "Name: " + name + "\nVersion: 1\nRequires-Dist: " + line + "\n");
  };
  require("a", "Some.Lib<2.7,>=1");
  require("b", "some_lib (>=1, <2.5)");
  require("c", "some-lib<1.5; extra == 'old'");
  require("d", "some-lib<=2.1,!=2.0");
  require("e", "other<1.9");
  CHECK(lowest_bound(files, venv_site, "some-lib", "1.2") == "<2.5");
  CHECK(lowest_bound(files, venv_site, "some-lib", "2.5") == "<2.7");
  CHECK(lowest_bound(files, venv_site, "some-lib", "2.7") == "");
  CHECK(lowest_bound(files, venv_site, "some-lib", "no release") == "");
  CHECK(lowest_bound(files, venv_site, "absent", "1") == "");
}

TEST_CASE("a requirement that no release meets which another one allows is found with who has it") {
  auto files = installed();
  const auto require = [&](const std::string& name, const std::string& line) {
    files.add_file(venv_site + "/" + name + "-1.0.dist-info/METADATA",
                   "Name: " + name + "\nVersion: 1.0\nRequires-Dist: " + line + "\n");
  };
  require("a", "some-lib<3");
  require("b", "some-lib>=1.25; python_version < '3.8'");
  const auto opposed = [&] {
    return opposed_requirement(files, venv_site, "some-lib", ">=1.20,<1.25", {{"python_version", "3.11"}});
  };
  CHECK_FALSE(opposed());
  require("c", "some-lib>=1.25");
  REQUIRE(opposed());
  CHECK(opposed()->by == "c 1.0");
  CHECK(opposed()->unmet.wanted == "some-lib>=1.25");
  const auto requirers = [&](std::vector<Requirement> wanted) {
    return requirers_that_exclude(files, venv_site, wanted, {{"python_version", "3.11"}});
  };
  CHECK(requirers({{.name = "some-lib", .specifiers = "<1.25"}}) == std::vector<std::string>{"c"});
  CHECK(requirers({{.name = "some-lib", .specifiers = "==3"}}) == std::vector<std::string>{"a"});
  CHECK(requirers({{.name = "some-lib", .specifiers = "<1.25"}, {.name = "c"}}).empty());
  CHECK(requirers({{.name = "some-lib", .specifiers = "<2"}}).empty());
  CHECK(requirers({{.name = "some-lib"}}).empty());
}

TEST_CASE("a folder of metadata that lacks its files is passed over") {
  auto files = installed();
  files.add_folder(venv_site + "/Tiny_One-0.9.dist-info");
  files.add_folder(venv_site + "/A-1.dist-info");
  files.add_file(venv_site + "/B-1.dist-info/RECORD", "tiny/_core.so,,\n");
  files.add_file(venv_site + "/C-1.dist-info/RECORD", "tiny/_core.so,,\n");
  files.add_file(venv_site + "/C-1.dist-info/METADATA", "Version: 1\n");
  REQUIRE(installed_metadata(files, venv_site, "tiny-one"));
  CHECK(installed_metadata(files, venv_site, "tiny-one")->version == "1.0");
  CHECK(modules_of_distribution(files, venv_site, "tiny-one") == std::vector<std::string>{"tiny"});
  CHECK(modules_of_distribution(files, venv_site, "A").empty());
  CHECK(modules_of_distribution(files, "/none", "tiny-one").empty());
  REQUIRE(package_that_lost_module(files, venv_site, "tiny._core"));
  CHECK(package_that_lost_module(files, venv_site, "tiny._core")->name == "tiny-one");
  CHECK(installed_requirement(files, venv_site, "other") == "other==2.0");
}

TEST_CASE("a package lost its own code, and libraries beside it are no modules") {
  MemoryFileSystem files;
  files.add_file(venv_site + "/p-1.dist-info/RECORD", "p/__init__.py,,\np/sub/__init__.abi3.so,,\npx/__init__.py,,\n");
  files.add_file(venv_site + "/p-1.dist-info/METADATA", "Name: p\nVersion: 1\n");
  files.add_file(venv_site + "/px/__init__.py", "");
  const auto gone = [&](const std::string& module) {
    const auto package = package_that_lost_module(files, venv_site, module);
    return package ? package->gone : std::vector<std::string>();
  };
  CHECK(gone("p") == std::vector<std::string>{venv_site + "/p/__init__.py"});
  CHECK(gone("p.sub") == std::vector<std::string>{venv_site + "/p/sub/__init__.abi3.so"});
  CHECK(gone("sub").empty());
  CHECK(gone("px").empty());
}

TEST_CASE("a requirement of an extra, or one that cannot be read, is none of everybody's") {
  MemoryFileSystem files;
  files.add_file(venv_site + "/a-1.dist-info/METADATA",
                 "Name: a\nVersion: 1\nRequires-Dist: @\nRequires-Dist: Other>1; extra == 'x'\n"
                 "Requires-Dist: others>2\n");
  CHECK(installed_requirement(files, venv_site, "other") == "");
  files.add_file(venv_site + "/b-1.dist-info/METADATA", "Requires-Dist: oTHER (>=3); os_name == 'posix'\n");
  files.add_file(venv_site + "/c-1.dist-info/METADATA", "Requires-Dist: other>=4\n");
  CHECK(installed_requirement(files, venv_site, "Other") == "Other>=3");
}

TEST_CASE("what nobody imports is no module of a distribution, unless it has no other") {
  MemoryFileSystem files;
  std::string record;
  for (const auto* name :
       {"_a", "tests", "test", "testing", "docs", "doc", "examples", "benchmarks", "scripts", "tools", "ns/_b"})
    record += std::string(name) + "/__init__.py,,\n";
  files.add_file(venv_site + "/only-1.dist-info/RECORD", record + "x/data.txt,,\n.hidden,,\nx.libs/liba.so.1,,\n");
  files.add_file(venv_site + "/more-1.dist-info/RECORD", record + "toolset.py,,\nmore2/a.py,,\nmore2/b.py,,\n");
  CHECK(modules_of_distribution(files, venv_site, "only") ==
        std::vector<std::string>{"_a", "tests", "test", "testing", "docs", "doc", "examples", "benchmarks", "scripts",
                                 "tools", "ns._b"});
  CHECK(modules_of_distribution(files, venv_site, "more") == std::vector<std::string>{"toolset", "more2"});
}

TEST_CASE("names that are installed are those of folders, modules and distributions") {
  MemoryFileSystem files;
  files.add_folder(venv_site + "/folder");
  files.add_folder(venv_site + "/folder.libs");
  for (const auto* file : {"/LICENSE", "/single.py", "/fast.cpython-311-x86_64-linux-gnu.so", "/x.txt", "/libx.so.1"})
    files.add_file(venv_site + file, "");
  files.add_folder(venv_site + "/Some_Dist-1.0.dist-info");
  CHECK(installed_names(files, venv_site) == std::set<std::string>{"fast", "folder", "single", "some-dist"});
  CHECK(installed_names(files, "/none").empty());
}

TEST_CASE("libraries in a folder whose name no package can have are no modules") {
  MemoryFileSystem files;
  files.add_file(venv_site + "/foo_bar-1.dist-info/RECORD", "inner.abi3.so,,\nfoo_bar.libs/libgomp-1234.so,,\n");
  files.add_file(venv_site + "/dashed-1.dist-info/RECORD", "inner.abi3.so,,\nfoo-bar/one.py,,\n");
  for (const auto* name : {"foo_bar", "dashed"})
    CHECK(modules_of_distribution(files, venv_site, name) == std::vector<std::string>{"inner"});
}

TEST_CASE("texts of an installed distribution are read up to 16 MiB") {
  constexpr std::uint64_t most = std::uint64_t{16} << 20;
  for (const auto size : {most, most + 1}) {
    CAPTURE(size);
    MemoryFileSystem files;
    const FileTraits traits{.claimed_size = size};
    files.add_file(venv_site + "/a-1.dist-info/METADATA", "Name: a\nVersion: 1\nRequires-Dist: other>=4\n", traits);
    files.add_file(venv_site + "/b-2.dist-info/METADATA", "Name: b\nVersion: 2\n");
    files.add_file(venv_site + "/b-2.dist-info/RECORD", "b/__init__.py,,\n", traits);
    const bool is_read = size == most;
    CHECK(installed_metadata(files, venv_site, "a").has_value() == is_read);
    CHECK(installed_requirement(files, venv_site, "other") == (is_read ? "other>=4" : ""));
    CHECK(modules_of_distribution(files, venv_site, "b").size() == (is_read ? 1 : 0));
    CHECK(package_that_lost_module(files, venv_site, "b").has_value() == is_read);
  }
}

TEST_CASE("all files of a module that are gone are told, of the first package that lists one") {
  MemoryFileSystem files;
  files.add_file(venv_site + "/a-1.dist-info/RECORD", "m.py,,\nm/__init__.py,,\nm.abi3.so,,\nm/other.py,,\n");
  files.add_file(venv_site + "/a-1.dist-info/METADATA", "Name: a\nVersion: 1\n");
  files.add_file(venv_site + "/b-2.dist-info/RECORD", "m.py,,\n");
  files.add_file(venv_site + "/b-2.dist-info/METADATA", "Name: b\nVersion: 2\n");
  const auto damaged = package_that_lost_module(files, venv_site, "m");
  REQUIRE(damaged);
  CHECK(damaged->name == "a");
  CHECK(damaged->version == "1");
  CHECK(damaged->gone ==
        std::vector<std::string>{venv_site + "/m.py", venv_site + "/m/__init__.py", venv_site + "/m.abi3.so"});
}

TEST_CASE("a module of a package within packages is the first of them that has code") {
  MemoryFileSystem files;
  files.add_file(venv_site + "/deep-1.dist-info/RECORD",
                 "ns/inner/more/a.py,,\nns/inner/__init__.py,,\nns/inner/more/__init__.py,,\nother/x/y/b.abi3.so,,\n");
  CHECK(modules_of_distribution(files, venv_site, "deep") == std::vector<std::string>{"ns.inner", "other.x.y"});
}

}  // namespace
}  // namespace cudald
