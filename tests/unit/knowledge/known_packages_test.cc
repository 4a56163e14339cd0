#include "knowledge/known_packages.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("of a distribution that release is known which pip would take") {
  const auto* newest = known_release("cuda-toolkit", "");
  const auto* older = known_release("cuda-toolkit", "<13");
  REQUIRE(newest != nullptr);
  REQUIRE(older != nullptr);
  CHECK(newest->version > older->version);
  CHECK(older->version.starts_with("12."));
  CHECK(known_release("cuda-toolkit", "<11") == nullptr);
  CHECK(known_release("no-such-distribution", "") == nullptr);
  // 2.9 is older than 2.10, though not by its letters.
  CHECK(known_release("torch", "") == known_release("torch", ">=2.10"));
  // What Python imports is hardly another in releases that are not known.
  CHECK(known_release("python-dateutil", "<1") == nullptr);
  CHECK(known_modules("python-dateutil", "<1") == std::vector<std::string>{"dateutil"});
  CHECK(known_modules("python-dateutil", "") == std::vector<std::string>{"dateutil"});
  CHECK(known_modules("no-such-distribution", "").empty());
  CHECK(known_release("torch", "<2.10") != known_release("torch", ""));
}

TEST_CASE("an installer chooses the newest release that the specifiers and the Python allow") {
  CHECK(chosen_version("numpy", "", "3.9") == "2.0.2");
  CHECK(chosen_version("numpy", ">=1.17,<1.25", "3.11") == "1.24.4");
  CHECK(chosen_version("numpy", "<2", "3.8") == "1.24.4");
  CHECK(chosen_version("numpy", ">=1.20", "3.11") == chosen_version("numpy", "", ""));
  // A pin tells by itself.
  CHECK(chosen_version("numpy", "==1.23.2", "3.11") == "1.23.2");
  CHECK(chosen_version("no-such-distribution", "==1.0", "3.11") == "1.0");
  CHECK(chosen_version("no-such-distribution", ">=1.0", "3.11") == "");
}

TEST_CASE("a specifier among several names the version") {
  CHECK(pinned_version("==12.8.90") == "12.8.90");
  CHECK(pinned_version(">=12, ==12.8.*") == "12.8");
  CHECK(pinned_version("===1.0") == "1.0");
  CHECK(pinned_version(">=1,<2") == "");
  CHECK(pinned_version("") == "");
}

TEST_CASE("who may install a library of NVIDIA or of a framework is a closed list") {
  CHECK_FALSE(may_bring("fastrlock", "libcublas.so.11", true));
  CHECK(may_bring("nvidia-cublas-cu11", "libcublas.so.11", true));
  CHECK(may_bring("fastrlock", "libsomething.so.1", false));
  CHECK_FALSE(may_bring("fastrlock", "libtorch_cpu.so", false));
  CHECK(may_bring("torch", "libtorch_cpu.so", false));
}

TEST_CASE("the source of what distributions require is told with its day") {
  const auto source = requirements_source();
  const std::string_view of = "METADATA and directories of the wheels on the Python package index, 20";
  CHECK(source.starts_with(of));
  CHECK(source.size() == of.size() + 8);
}

TEST_CASE("what brings and requires nothing is known of every release") {
  const auto* click = known_release("click", "==7.0");
  REQUIRE(click != nullptr);
  CHECK(click->modules == std::vector<std::string>{"click"});
  CHECK(click->libraries.empty());
}

TEST_CASE("a module of a namespace is known by its dotted name") {
  CHECK(distribution_of_module("yaml") == "pyyaml");
  CHECK(distribution_of_module("yaml.reader") == "pyyaml");
  CHECK(distribution_of_module("cuda.core") == "cuda-core");
  CHECK(distribution_of_module("cuda.core.experimental") == "cuda-core");
  CHECK(is_part_of_namespace("cuda.core.experimental"));
  CHECK(is_part_of_namespace("google.protobuf"));
  CHECK(!is_part_of_namespace("yaml.reader"));
  CHECK(!is_part_of_namespace("yaml"));
  CHECK(distribution_of_module("cuda.bindings") == "cuda-bindings");
  CHECK(distribution_of_module("google") == "protobuf");  // by itself: one that has a part of it
  CHECK(distribution_of_module("google.cloud") == "");
  CHECK(distribution_of_module("no_such_module").empty());
  CHECK(is_known_namespace("cuda"));
  CHECK_FALSE(is_known_namespace("yaml"));
  CHECK_FALSE(is_known_namespace("no_such_module"));
}

TEST_CASE("a row of removed names may say what code writes in the place of one, or of all") {
  const auto today = [](std::string_view module, std::string_view name) {
    const auto known = changed_name(module, name);
    return known ? known->today : "no row";
  };
  CHECK(today("tensorflow", "placeholder") == "tensorflow.compat.v1.placeholder");
  CHECK(today("tensorflow", "contrib") == "");
  CHECK(today("numpy", "float_") == "numpy.float64");
  CHECK(today("numpy", "who") == "");
  CHECK(today("numpy", "float64") == "no row");
}

}  // namespace
}  // namespace cudald
