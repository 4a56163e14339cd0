#include <doctest/doctest.h>

#include "common/wheel_file.h"
#include "unit/check/finding_text.h"

namespace cudald {
namespace {

/// The judgement of a wheel whose only module needs a library.
Report judged_wheel(const std::string& library, const std::string& metadata = "", const std::string& runpath = "") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl";
  ElfSpec spec{.needed = {library}};
  if (!runpath.empty()) spec.runpath = runpath;
  world.files.add_file(path,
                       wheel_file({{"pkg/__init__.py", "from . import a\n"}, {"pkg/a.abi3.so", elf(spec)}}, metadata));
  world.add("/usr/lib/" + library, {.soname = library});  // of this machine, which does not count
  return world.explain({path});
}

const std::string cudart = "libcudart.so.12", folder = "$ORIGIN/../nvidia/cuda_runtime/lib";

const Finding* of_code(const Report& report, std::string_view code) {
  for (const auto& finding : report.findings)
    if (finding.code == code) return &finding;
  return nullptr;
}

TEST_CASE("CUD501 tells a library that nothing brings, with what would") {
  const auto report = judged_wheel(cudart, "", folder);
  CHECK(report.verdict == Verdict::fails);
  const auto* finding = of_code(report, "CUD501");
  REQUIRE(finding != nullptr);
  CHECK(finding->level == Level::error);
  CHECK(finding->subject == cudart);
  CHECK(finding->message == "libcudart.so.12 is not promised by manylinux_2_28_x86_64, and no requirement brings it");
  CHECK(all_words(*finding).find("pip install nvidia-cuda-runtime-cu12") != std::string::npos);
}

TEST_CASE("what a requirement brings is found where it lands, and nowhere else") {
  const std::string declared = "Requires-Dist: nvidia-cuda-runtime-cu12\n";
  CHECK(judged_wheel(cudart, declared, folder).verdict == Verdict::loads);
  const auto elsewhere = judged_wheel(cudart, declared);
  CHECK(elsewhere.verdict == Verdict::fails);
  CHECK(of_code(elsewhere, "CUD501") == nullptr);
  CHECK(of_code(elsewhere, "CUD101") != nullptr);
}

TEST_CASE("the headline says which requirements an answer rests on, and the CUDA that they bring") {
  const auto headline = [](const std::string& metadata) { return judged_wheel(cudart, metadata, folder).headline; };
  const std::string alone =
                        "pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl loads on any machine that manylinux_2_28_x86_64 "
                        "promises, with its ",
                    runtime = "Requires-Dist: nvidia-cuda-runtime-cu12==12.4.127\n",
                    driver = "; driver 525.60.13 or newer";
  CHECK(headline(runtime) == alone + "requirement (CUDA 12.4)" + driver);
  CHECK(headline(runtime + "Requires-Dist: nvidia-cublas-cu12\nRequires-Dist: click\n") ==
        alone + "3 requirements (2 bring CUDA 12.4)" + driver);
}

TEST_CASE("what a requirement may bring of which nothing is known is a note") {
  const auto report = judged_wheel("libodd.so.1", "Requires-Dist: cudald-unknown-package\n");
  CHECK(report.verdict == Verdict::loads);
  const auto* finding = of_code(report, "CUD501");
  REQUIRE(finding != nullptr);
  CHECK(finding->level == Level::note);
}

TEST_CASE("an extra that would bring it is named") {
  const auto report = judged_wheel(cudart, "Requires-Dist: nvidia-cuda-runtime-cu12; extra == \"gpu\"\n", folder);
  const auto* finding = of_code(report, "CUD501");
  REQUIRE(finding != nullptr);
  CHECK(all_words(*finding).find("pip install 'pkg[gpu]'") != std::string::npos);
}

TEST_CASE("an extra is named with the package that has it") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl",
                    beside = "/dist/app-1.0-py3-none-any.whl";
  const auto module = elf({.runpath = folder, .needed = {cudart}});
  world.files.add_file(path, wheel_file({{"pkg/__init__.py", "from . import a\n"}, {"pkg/a.abi3.so", module}},
                                        "Requires-Dist: nvidia-cuda-runtime-cu12; extra == \"gpu\"\n"));
  world.files.add_file(beside, wheel_file({{"app.py", ""}}, "Requires-Dist: pkg\n", "app"));
  world.query.packages = {beside};
  const auto report = world.explain({path});
  const auto* finding = of_code(report, "CUD501");
  REQUIRE(finding != nullptr);
  CHECK(all_words(*finding).find("pip install 'pkg[gpu]'") != std::string::npos);
}

}  // namespace
}  // namespace cudald
