#include <string>

#include <doctest/doctest.h>

#include "package/requirement.h"
#include "package/wheel_texts.h"

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
  CHECK(full->marker == " platform_system == \"Linux\" and platform_machine == 'x86_64'");

  const auto bare = parse_requirement("numpy");
  REQUIRE(bare);
  CHECK(bare->name == "numpy");
  CHECK(bare->specifiers == "");
  CHECK(bare->extras.empty());
  CHECK(bare->marker == "");
  CHECK(parse_requirement("\t Num.Py-2\t>=1")->name == "num-py-2");
  CHECK(parse_requirement("x[a,, b ]<2")->extras == std::set<std::string>{"a", "b"});
  CHECK(parse_requirement("x[a,, b ]<2")->specifiers == "<2");
  CHECK(parse_requirement("x (>=1")->specifiers == "(>=1");
  CHECK(parse_requirement("x >=1)")->specifiers == ">=1)");
  CHECK_FALSE(parse_requirement("x @ https://example.org/x.whl"));
  CHECK_FALSE(parse_requirement("  "));
  CHECK_FALSE(parse_requirement("x[a] @ file:///x.whl"));
  CHECK_FALSE(parse_requirement("[a]>=1"));
  CHECK_FALSE(parse_requirement("; os_name == 'nt'"));
  CHECK_FALSE(parse_requirement("x[unclosed"));
}

struct MarkerRow {
  std::string marker;
  bool holds;
};

TEST_CASE("markers are judged for CPython on Linux") {
  const auto values = linux_marker_values("3.11", "x86_64");
  const MarkerRow rows[] = {
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

TEST_CASE("a marker that cannot be read holds, whatever the rest of it says") {
  const auto values = linux_marker_values("3.11", "x86_64");
  for (const auto* marker : {"os_name == 'nt' 'x'", "os_name == 'nt' and", "os_name == 'nt')", "(os_name == 'nt'",
                             "os_name ==", "os_name not like 'posix'", "os_name not in", "os_name ~= 'nt'",
                             "os_name === 'nt'", "os_name == '", "os_name == 'posix", "os_name == \"nt",
                             "python_version <", "os_name == sys_platform", "os_name == 'nt' and os_name not in",
                             "unknown_name == 'x' and os_name == 'nt'", "os_name == 'nt' or unknown_name == 'x'"}) {
    CAPTURE(marker);
    CHECK(holds(marker, values, {}));
  }
}

TEST_CASE("some values of markers are versions, and all others texts") {
  const auto values = linux_marker_values("3.11", "x86_64");
  const MarkerRow rows[] = {
      {"python_full_version >= '3.9'", true},
      {"implementation_version >= '3.9'", true},
      {"implementation_version < '3.9'", false},
      {"platform_version >= '3.9'", false},
      {"python_version not in '3.10 3.12'", true},
      {"python_version not in '3.10 3.11'", false},
      {"sys_platform > 'darwin'", false},
      {"sys_platform >= 'darwin'", false},
      {"sys_platform <= 'win32'", false},
      {"sys_platform not in 'win32'", true},
      {"sys_platform\t==\"linux\"", true},
      {"sys.platform == 'linux' and platform.machine == 'x86_64'", true},
      {"platform.python_implementation == 'CPython'", true},
      {"python_implementation == 'PyPy'", false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.marker);
    CHECK(holds(row.marker, values, {}) == row.holds);
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
  CHECK(holds("extras in 'test'", values, {}));  // cannot be read
  CHECK(holds("'cuda' not in extras and 'dev' not in dependency_groups", values, {}));
  CHECK_FALSE(holds("'dev' in dependency_groups", values, {}));
  CHECK_FALSE(holds("'cuda-12' not in extras", values, {}));
  CHECK(holds("'test' in extras", values, {}));
}

TEST_CASE("the values of markers on Linux and on Windows") {
  CHECK(linux_marker_values("3.11", "x86_64") == MarkerValues{{"os_name", "posix"},
                                                              {"sys_platform", "linux"},
                                                              {"platform_system", "Linux"},
                                                              {"platform_machine", "x86_64"},
                                                              {"implementation_name", "cpython"},
                                                              {"platform_python_implementation", "CPython"},
                                                              {"python_version", "3.11"},
                                                              {"python_full_version", "3.11.0"},
                                                              {"implementation_version", "3.11.0"}});
  CHECK(windows_marker_values("", "AMD64") == MarkerValues{{"os_name", "nt"},
                                                           {"sys_platform", "win32"},
                                                           {"platform_system", "Windows"},
                                                           {"platform_machine", "AMD64"},
                                                           {"implementation_name", "cpython"},
                                                           {"platform_python_implementation", "CPython"}});
  auto values = linux_marker_values("3.11", "x86_64");
  values["platform_release"] = "5.10.0";
  CHECK(holds("platform_release >= '5.9'", values, {}));
  CHECK_FALSE(holds("platform_release < '5.9'", values, {}));
}

TEST_CASE("a requirement and a marker are read up to 16,384 bytes, and brackets 50 deep") {
  const std::string name(most_requirement_bytes, 'a');
  REQUIRE(parse_requirement(name));
  CHECK(parse_requirement(name)->name == name);
  CHECK_FALSE(parse_requirement(name + "a"));
  const auto values = linux_marker_values("3.11", "x86_64");
  std::string marker = "os_name == 'nt'";
  marker.resize(most_requirement_bytes, ' ');
  CHECK_FALSE(holds(marker, values, {}));
  CHECK(holds(marker + " ", values, {}));
  const auto in_brackets = [&](std::size_t depth) {
    return holds(std::string(depth, '(') + "os_name == 'nt'" + std::string(depth, ')'), values, {});
  };
  CHECK_FALSE(in_brackets(50));
  CHECK(in_brackets(51));
  // Brackets that were closed count no more.
  std::string row = "(os_name == 'nt')";
  for (int i = 0; i < 60; ++i) row += " or (os_name == 'nt')";
  CHECK_FALSE(holds(row, values, {}));
  CHECK(holds(" \t", values, {}));
}

}  // namespace
}  // namespace cudald
