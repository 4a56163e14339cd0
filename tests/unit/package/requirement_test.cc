#include <string>

#include <doctest/doctest.h>

#include "package/requirement.h"

namespace cudald {
namespace {

TEST_CASE("a requirement's parts") {
  const auto full = parse_requirement(
      "Nvidia_Cublas.cu12 [extra-one, two] (>= 12.8 , <13) ; platform_system == \"Linux\" and platform_machine == "
      "'x86_64'");
  REQUIRE(full);
  CHECK(full->name == "nvidia-cublas-cu12");
  CHECK(full->extras == std::set<std::string>{"extra-one", "two"});
  CHECK(full->specifiers == ">=12.8,<13");
  CHECK(full->marker.find("platform_system") != std::string::npos);

  const auto bare = parse_requirement("numpy");
  REQUIRE(bare);
  CHECK(bare->name == "numpy");
  CHECK(bare->specifiers == "");
  CHECK_FALSE(parse_requirement("x @ https://example.org/x.whl"));
  CHECK_FALSE(parse_requirement("  "));
  CHECK_FALSE(parse_requirement("x[unclosed"));
}

TEST_CASE("markers are judged for CPython on Linux") {
  const auto values = linux_marker_values("3.11", "x86_64");
  struct Row {
    std::string marker;
    bool holds;
  };
  const Row rows[] = {
      {"", true},
      {"platform_system == \"Linux\" and platform_machine == \"x86_64\"", true},
      {"sys_platform == 'win32'", false},
      {"sys_platform != 'win32' and os_name == 'posix'", true},
      {"python_version < '3.10'", false},
      {"python_version >= '3.9'", true},
      {"python_version == '3.11.*'", true},
      {"python_full_version < '3.11.1'", true},
      {"(python_version < '3' or platform_machine in 'x86_64 aarch64') and implementation_name == 'cpython'", true},
      {"(platform_machine == 'x86_64' or os_name == 'nt') and implementation_name == 'pypy'", false},
      {"platform_machine == 'x86_64' or os_name == 'nt' and implementation_name == 'pypy'", true},
      {"implementation_name == 'pypy' and (os_name == 'nt' or platform_machine == 'x86_64')", false},
      {"platform_machine not in 'x86_64'", false},
      {"'linux' in sys_platform", true},
      {"sys_platform in 'win32 darwin'", false},
      {"'win' in sys_platform", false},
      {"extra == 'cuda12'", false},
      {"extra == 'Cuda_13'", true},
      {"'3.8' <= python_version", true},
      {"(python_version < '3' or os_name == 'posix') and sys_platform == 'win32'", false},
      {"python_version < '3' or os_name == 'posix' and sys_platform == 'linux'", true},
      {"os.name == 'posix' and python_implementation == 'CPython'", true},
      {"sys.platform == 'win32'", false},
      // Texts have no order, whatever they look like.
      {"sys_platform < 'win32'", false},
      {"platform_machine > '2'", false},
      {"sys_platform <= 'linux' and sys_platform >= 'linux'", true},
      {"platform_version < '2'", false},
      {"python_version in '3.10 3.11'", true},
      {"extra != 'cuda12'", true},
      {"extra in 'cuda-12 cuda-13'", true},
      {"unknown_name == 'x'", true},
      {"'x' == 'y'", true},
      {"nonsense", true},
      {"python_version < ", true},
      {"(((((", true},
      {std::string(10000, '('), true},
  };
  for (const auto& row : rows) {
    CAPTURE(row.marker);
    CHECK(holds(row.marker, values, {"cuda-13"}) == row.holds);
  }
}

TEST_CASE("each extra is asked for by itself") {
  const auto values = linux_marker_values("3.11", "x86_64");
  CHECK_FALSE(holds("extra == 'a' and extra == 'b'", values, {"a", "b"}));
  CHECK(holds("extra == 'a' or extra == 'b'", values, {"b", "c"}));
  CHECK(holds("extra != 'a'", values, {"a", "b"}));
  CHECK_FALSE(holds("extra != 'a'", values, {"a"}));
  CHECK(holds("extra != 'a'", values, {}));
  CHECK_FALSE(holds("extra == 'a'", values, {}));
}

TEST_CASE("the sets of a lock file's markers") {
  auto values = linux_marker_values("3.11", "x86_64");
  values["extras"] = "\ncuda-12\ntest\n";
  values["dependency_groups"] = "\n";
  CHECK(holds("'CUDA_12' in extras", values, {}));
  CHECK_FALSE(holds("'cuda' in extras", values, {}));
  CHECK(holds("'cuda' not in extras and 'dev' not in dependency_groups", values, {}));
  CHECK_FALSE(holds("'dev' in dependency_groups", values, {}));
}

}  // namespace
}  // namespace cudald
