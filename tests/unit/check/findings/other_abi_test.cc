// What of another ABI is there, held against what is wanted: evidence of CUD102.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/knowledge/library_file.h"

namespace cudald {
namespace {

TEST_CASE("another release is named by its bytes, cuDNN's front by the parts beside it") {
  TestWorld world;
  world.add("/bin/app", program({.runpath = "/opt", .needed = {"libcudnn.so.8"}}));
  world.files.add_file("/opt/libcudnn.so.9",
                       library({"libcudnn.so.9", "libcudnn.so.9", {{"cudnnGetVersion", "\xc3"}}}));
  const auto alone = world.explain({"/bin/app"});
  REQUIRE(findings(alone) == "CUD102 error app: libcudnn.so.8\n");
  CHECK(says(alone.findings[0], "libcudnn.so.9 is cuDNN 9\n"));
  world.files.add_file("/opt/libcudnn_graph.so.9", cudnn_part("libcudnn_graph.so.9", 91002, 12090));
  CHECK(says(world.explain({"/bin/app"}).findings[0], "libcudnn.so.9 is cuDNN 9.10.2, built for CUDA 12.9\n"));
}

TEST_CASE("how many of the wanted functions the other one has is counted, by name and by version") {
  const std::string wanted = "libcudart.so.11.0";
  TestWorld world;
  world.add("/bin/app", program({.runpath = "/opt",
                                 .needed = {wanted},
                                 .needs_versions = {{wanted, {{wanted}, {"older"}}}},
                                 .uses = {{.name = "cudaGetDeviceCount", .version = "older"},
                                          {.name = "cudaGetDeviceCount", .version = wanted},
                                          {.name = "cudaGetDeviceCount", .use = ElfUse::call, .version = wanted},
                                          {.name = "cudaOld", .version = wanted},
                                          {.name = "other"}}}));
  world.files.add_file("/opt/libcudart.so.12", cuda_runtime("libcudart.so.12", 12040));
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD102 error app: libcudart.so.11.0\n");
  CHECK(says(report.findings[0],
             "of the 2 functions needed from libcudart.so.11.0, libcudart.so.12 has 1 by name, and 0 in version "
             "libcudart.so.11.0"));
}

TEST_CASE("if the requester names no version, another one that asks is compared") {
  const std::string wanted = "libcudart.so.11.0";
  TestWorld world;
  world.add("/bin/app", program({.runpath = "/opt", .needed = {wanted, "liba.so"}}));
  world.add(
      "/opt/liba.so",
      {.needed = {wanted}, .needs_versions = {{wanted, {{wanted}}}}, .uses = {{.name = "cudaOld", .version = wanted}}});
  world.files.add_file("/opt/libcudart.so.12", cuda_runtime("libcudart.so.12", 12040));
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report).starts_with("CUD102 error app: libcudart.so.11.0\n"));
  CHECK(says(report.findings[0], "of the 1 functions needed from libcudart.so.11.0 by liba.so, libcudart.so.12 has 0"));
}

TEST_CASE("which releases a name serves is told, and the driver that they need") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libcudart.so.11.0"}}));
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD101 error app: libcudart.so.11.0\n");
  CHECK(says(report.findings[0],
             "libcudart.so.11.0 is the name in CUDA 11.0 to 11.8, which needs driver 450.80.02 or newer"));
}

TEST_CASE("of cuDNN's parts beside its front those of its own release tell which that is") {
  TestWorld world;
  world.add("/bin/app", program({.runpath = "/opt", .needed = {"libcudnn.so.7"}}));
  const auto told = [&] {
    const auto report = world.explain({"/bin/app"});
    REQUIRE(findings(report) == "CUD102 error app: libcudnn.so.7\n");
    return all_words(report.findings[0]);
  };
  world.files.add_file("/opt/libcudnn.so.9",
                       library({"libcudnn.so.9", "libcudnn.so.9", {{"cudnnGetVersion", "\xc3"}}}));
  world.files.add_file("/opt/libcudnn_ops_infer.so.8", cudnn_part("libcudnn_ops_infer.so.8", 8907, 12010));
  CHECK(told().find("libcudnn.so.9 is cuDNN 9\n") != std::string::npos);
  world.files.add_file("/opt/libcudnn_graph.so.9", "text");
  CHECK(told().find("libcudnn.so.9 is cuDNN 9\n") != std::string::npos);
  world.files.add_file("/opt/libcudnn_graph.so.9", cudnn_part("libcudnn_graph.so.9", 91002));
  CHECK(told().find("libcudnn.so.9 is cuDNN 9.10.2\n") != std::string::npos);
  // One that says which it is needs no part.
  world.files.add_file("/opt/libcudnn.so.9", cudnn_part("libcudnn.so.9", 90100, 12040));
  CHECK(told().find("libcudnn.so.9 is cuDNN 9.1.0, built for CUDA 12.4\n") != std::string::npos);
}

TEST_CASE("functions count by the version that is wanted of that very library, if they are defined") {
  const std::string wanted = "libx.so.1";
  TestWorld world;
  world.add("/bin/app", program({.runpath = "/opt",
                                 .needed = {wanted, "liby.so.1"},
                                 .needs_versions = {{wanted, {{"X_1"}}}, {"liby.so.1", {{"Y_1"}}}},
                                 .uses = {{.name = "one", .version = "X_1"},
                                          {.name = "two", .version = "X_1"},
                                          {.name = "three", .version = "X_1"},
                                          {.name = "four", .version = "X_1"},
                                          {.name = "five", .version = "Y_1"}}}));
  world.add("/opt/liby.so.1", {.soname = "liby.so.1", .defines_versions = {"Y_1"}, .defines = {{"five", "Y_1"}}});
  world.add("/opt/libx.so.2", {.soname = "libx.so.2",
                               .defines_versions = {"X_1", "X_2"},
                               .defines = {{"one", "X_1"}, {"two", "X_2"}, {"three", "X_2"}, {"five", "X_1"}},
                               .uses = {{.name = "four"}}});
  const auto count = [&] {
    const auto report = world.explain({"/bin/app"});
    for (const auto& each : report.findings.at(0).evidence)
      if (each.text.starts_with("of the ")) return each.text + " | " + each.path;
    return std::string();
  };
  CHECK(count() ==
        "of the 4 functions needed from libx.so.1, libx.so.2 has 3 by name, and 1 in version X_1 | /opt/libx.so.2");
  world.add("/opt/libx.so.2", {.soname = "libx.so.2", .defines = {{"one"}}});
  CHECK(count() ==
        "of the 4 functions needed from libx.so.1, libx.so.2 has 1 by name, and 0 in version X_1 | /opt/libx.so.2");
}

TEST_CASE("a name of one release, of several and of all from one on says so") {
  const auto told = [](const std::string& name) {
    TestWorld world;
    world.add("/bin/app", program({.needed = {name}}));
    const auto report = world.explain({"/bin/app"});
    std::string text;
    for (const auto& each : report.findings.at(0).evidence)
      if (each.text.find(" is the name in ") != std::string::npos) text += each.text + "\n";
    return text;
  };
  CHECK(told("libcudart.so.10.2") ==
        "libcudart.so.10.2 is the name in CUDA 10.2, which needs driver 440.33 or newer\n");
  CHECK(told("libcudart.so.12") ==
        "libcudart.so.12 is the name in CUDA 12.0 to 12.9, which needs driver 525.60.13 or newer\n");
  CHECK(told("libcudart.so.13") == "libcudart.so.13 is the name in CUDA 13.0 on, which needs driver 580 or newer\n");
  CHECK(told("libcublas.so.12") == "libcublas.so.12 is the name in CUDA 12.0 to 12.9\n");
}

}  // namespace
}  // namespace cudald
