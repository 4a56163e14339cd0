#include "audit/conda_depends.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "common/built_in.h"
#include "common/memory_file_system.h"
#include "unit/archive/tar_builder.h"

namespace cudald {
namespace {

TEST_CASE("lines of depends") {
  const auto two = parse_conda_depend("cuda-version >=12.8,<13");
  REQUIRE(two);
  CHECK(two->name == "cuda-version");
  CHECK(two->version == ">=12.8,<13");
  const auto joined = parse_conda_depend("libcublas=12.9 h1234_0");
  REQUIRE(joined);
  CHECK(joined->name == "libcublas");
  const auto plain = parse_conda_depend("libgcc");
  REQUIRE(plain);
  CHECK(plain->version.empty());
  CHECK_FALSE(parse_conda_depend("  "));
}

TEST_CASE("what conda's packages bring is known for one major of CUDA") {
  const RequiredPackage cudart{"cuda-cudart", ">=12.9,<13.0a0", "x", false, {}, {}, false, ""};
  const auto twelve = brought_by_conda(cudart, {}, built_in());
  REQUIRE(twelve);
  CHECK(twelve->likely);
  CHECK(twelve->libraries == std::vector<std::string>{"libcudart.so.12"});
  const RequiredPackage any{"cuda-cudart", "", "x", false, {}, {}, false, ""};
  const RequiredPackage version{"cuda-version", ">=13.0,<14", "x", false, {}, {}, false, ""};
  const auto thirteen = brought_by_conda(any, {version}, built_in());
  REQUIRE(thirteen);
  CHECK(thirteen->libraries == std::vector<std::string>{"libcudart.so.13"});
  CHECK_FALSE(brought_by_conda({"no-such-package", "", "x", false, {}, {}, false, ""}, {}, built_in()));
}

TEST_CASE("the glibc that conda's packages ask for") {
  const PackageTree nothing(*make_disk_file_system());
  CHECK(conda_glibc(nothing).minor == 17);
  CHECK_FALSE(are_of_conda(nothing));
}

/// Names of packages, each with the lines of its depends as JSON.
using NamedDepends = std::vector<std::pair<std::string, std::string>>;

/// A tree with these packages of conda.
struct CondaWorld {
  explicit CondaWorld(const NamedDepends& packages) {
    for (const auto& [name, depends] : packages) {
      const auto path = "/" + name + "-1-0.tar.bz2";
      base.add_file(path,
                    tar_of({{.name = "info/index.json",
                             .data = R"({"name":")" + name + R"(","version":"1","depends":[)" + depends + "]}"}}));
      REQUIRE(tree.install(path).has_value());
    }
  }

  MemoryFileSystem base;
  PackageTree tree{base};
};

TEST_CASE("the words of a line of depends are its name and version, whatever stands between them") {
  struct Row {
    const char *line, *name, *version;
  };
  for (const auto& [line, name, version] : {Row{"\t a  >=1 b_0 ", "a", ">=1"}, Row{"a<2", "a", "<2"},
                                            Row{"a>2", "a", ">2"}, Row{"a!=2", "a", "!=2"}, Row{"a~=2", "a", "~=2"}}) {
    const auto depend = parse_conda_depend(line);
    REQUIRE(depend);
    CHECK(depend->name == name);
    CHECK(depend->version == version);
  }
  CHECK_FALSE(parse_conda_depend(""));
  CHECK_FALSE(parse_conda_depend("=1"));
}

TEST_CASE("what installed packages of conda require is told once, by whom, and whether it is at hand") {
  const CondaWorld world({{"a", R"("b >=1","c","__glibc >=2.28",""," d 1")"}, {"b", R"("c >=9","__cuda","a")"}});
  CHECK(are_of_conda(world.tree));
  std::string told;
  for (const auto& one : conda_requirements(world.tree)) {
    CHECK(one.name != "");
    CHECK_FALSE(one.known);  // that is for whoever knows what it brings
    told += one.name + "|" + one.specifiers + "|" + one.by + (one.at_hand ? "|at hand\n" : "|\n");
  }
  CHECK(told == "b|>=1|a|at hand\nc||a|\nd|1|a|\na||b|at hand\n");
}

TEST_CASE("packages are conda's if the first one is") {
  MemoryFileSystem base;
  PackageTree tree(base);
  tree.install_names("glibc", "2.17", {"lib/libc.so.6"});
  CHECK_FALSE(are_of_conda(tree));
}

TEST_CASE("the newest glibc that a package asks for counts, and none that is older than conda-forge's") {
  const auto minor = [](const std::string& first, const std::string& second = "") {
    const auto libc = conda_glibc(CondaWorld({{"a", first}, {"b", second}}).tree);
    CHECK(libc.kind == LibcKind::glibc);
    CHECK(libc.major == 2);
    return libc.minor;
  };
  CHECK(minor(R"("__glibc >=2.28,<3.0.a0")") == 28);
  CHECK(minor(R"("__glibc >=2.28")", R"("__glibc >=2.34")") == 34);
  CHECK(minor(R"("__glibc >=2.34")", R"("__glibc >=2.28")") == 34);
  CHECK(minor(R"("__glibc >=2.18")") == 18);
  CHECK(minor(R"("__glibc >=2.16")") == 17);
  CHECK(minor(R"("glibc >=2.28","__cuda >=12.99","__glibc","__glibc >=2.x","__glibc >=3")") == 17);
}

TEST_CASE("libraries of glibc are named as its own build names them") {
  const auto names = libraries_of_glibc();
  CHECK(names.size() == 11);
  for (const auto* name : {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libresolv.so.2"})
    CHECK_MESSAGE(std::find(names.begin(), names.end(), name) != names.end(), name);
}

TEST_CASE("a release of CUDA is the first number that is one, and that of cuda-version counts most") {
  const auto libraries = [](const std::string& specifiers, const std::vector<RequiredPackage>& all = {}) {
    const auto brought = brought_by_conda({"cuda-cudart", specifiers, "x", false, {}, {}, false, ""}, all, built_in());
    return brought ? brought->libraries : std::vector<std::string>{};
  };
  CHECK(libraries(">=12.9") == std::vector<std::string>{"libcudart.so.12"});
  CHECK(libraries("13.*") == std::vector<std::string>{"libcudart.so.13"});
  CHECK(libraries("99999999999999999999") == libraries(""));
  const RequiredPackage other{"cuda-nvcc", ">=12", "x", false, {}, {}, false, ""},
      version{"cuda-version", "13", "x", false, {}, {}, false, ""};
  CHECK(libraries(">=12", {other, version}) == std::vector<std::string>{"libcudart.so.13"});
  CHECK(libraries(">=13", {other}) == std::vector<std::string>{"libcudart.so.13"});
}

TEST_CASE("lines of depends that are none ask for no glibc, and its libraries are all named") {
  CHECK(conda_glibc(CondaWorld(NamedDepends{{"a", R"("","  ","=1","__glibc >=2.28")"}}).tree).minor == 28);
  CHECK(libraries_of_glibc() == std::vector<std::string>{"libanl.so.1", "libc.so.6", "libcrypt.so.1", "libdl.so.2",
                                                         "libm.so.6", "libmvec.so.1", "libnsl.so.1", "libpthread.so.0",
                                                         "libresolv.so.2", "librt.so.1", "libutil.so.1"});
  const CondaWorld world(NamedDepends{{"a", R"("b >=1")"}});
  const auto required = conda_requirements(world.tree);
  REQUIRE(required.size() == 1);
  CHECK(required[0].name == "b");
  CHECK(required[0].specifiers == ">=1");
  CHECK(required[0].by == "a");
  CHECK_FALSE(required[0].at_hand);
}

}  // namespace
}  // namespace cudald
