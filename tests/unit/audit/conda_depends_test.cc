#include "audit/conda_depends.h"

#include <doctest/doctest.h>

#include "common/built_in.h"

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

}  // namespace
}  // namespace cudald
