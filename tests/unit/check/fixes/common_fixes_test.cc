// One command for several missing libraries.

#include <optional>

#include <doctest/doctest.h>

#include <cudald/thread_limit.h>

#include "check/fixes/common_fixes.h"
#include "check/fixes/library_fixes.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"
#include "unit/check/fixes/fix_text.h"
#include "unit/knowledge/library_file.h"

namespace cudald {
namespace {

TEST_CASE("against several missing libraries of one file there is one command") {
  TestWorld world;
  world.add(packages_folder + "pkg/_C.so", {.needed = {"libcudart.so.12", "libcublas.so.12", "libother.so.1"}});
  const auto report = world.explain({packages_folder + "pkg/_C.so"});
  REQUIRE(report.findings.size() == 3);
  CHECK(report.findings[0].fixes[0].title ==
        "provides 2 of the 3 missing libraries; nothing is known to provide libother.so.1");
  CHECK(report.findings[0].fixes[0].command ==
        "pip install nvidia-cublas-cu12 nvidia-cuda-runtime-cu12\nsite=/venv/lib/python3.11/site-packages\n"
        "export LD_LIBRARY_PATH=$site/nvidia/cublas/lib:$site/nvidia/cuda_runtime/lib"
        "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}");
  for (const auto& finding : report.findings)
    if (finding.subject != report.findings[0].subject) CHECK_FALSE(finding.fixes[0].title.starts_with("provides"));
}

TEST_CASE("what several files miss together is one command as well, with the versions that the package requires") {
  TestWorld world;
  world.query.prefix = "/venv";
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file(packages_folder + "pkg-1.dist-info/METADATA",
                       "Name: pkg\nVersion: 1\nRequires-Dist: nvidia-cublas-cu12==12.8.4.1\n"
                       "Requires-Dist: nvidia-cuda-runtime-cu12==12.8.90; extra == 'cuda'\n");
  world.files.add_file(packages_folder + "pkg-1.dist-info/RECORD", "pkg/_C.so,,\npkg/liba.so,,\n");
  world.add(packages_folder + "pkg/_C.so", {.runpath = "$ORIGIN", .needed = {"liba.so", "libcublas.so.12"}});
  world.add(packages_folder + "pkg/liba.so", {.needed = {"libcudart.so.12"}});
  const auto report = world.explain({packages_folder + "pkg/_C.so"});
  REQUIRE(report.findings.size() == 2);
  CHECK(report.findings[0].fixes[0].title == "provides all 2 missing libraries");
  CHECK(report.findings[0].fixes[0].command.starts_with(
      "/venv/bin/python -m pip install 'pkg[cuda]==1' nvidia-cublas-cu12==12.8.4.1\n"));
}

TEST_CASE("of a package that is required with extras each is named once, and of several in one word") {
  const auto offered = [](const std::string& requires_dist, const std::vector<std::string>& needed) {
    TestWorld world;
    world.query.prefix = "/venv";
    world.files.add_file("/venv/bin/python", "");
    world.files.add_file(packages_folder + "pkg-1.dist-info/METADATA", "Name: pkg\nVersion: 1\n" + requires_dist);
    world.files.add_file(packages_folder + "pkg-1.dist-info/RECORD", "pkg/_C.so,,\n");
    world.add(packages_folder + "pkg/_C.so", {.needed = {needed.begin(), needed.end()}});
    const auto text = commands(world.explain({packages_folder + "pkg/_C.so"}).findings.at(0));
    return text.substr(0, text.find('\n'));
  };
  const std::string install = "/venv/bin/python -m pip install ",
                    cublas = "Requires-Dist: nvidia-cublas-cu12; extra == ",
                    cudart = "Requires-Dist: nvidia-cuda-runtime-cu12; extra == ",
                    nvrtc = "Requires-Dist: nvidia-cuda-nvrtc-cu12; extra == ";
  const std::vector<std::string> two{"libcublas.so.12", "libcudart.so.12"},
      three{"libcublas.so.12", "libcudart.so.12", "libnvrtc.so.12"};
  CHECK(offered(cublas + "'one'\n" + cudart + "'one'\n", two) == install + "'pkg[one]==1'");
  CHECK(offered(cublas + "'one'\n" + cudart + "'two'\n", two) == install + "'pkg[one,two]==1'");
  CHECK(offered(cublas + "'one'\n" + cudart + "'two'\n" + nvrtc + "'two'\n", three) == install + "'pkg[one,two]==1'");
  CHECK(offered(cublas + "'one'\n" + cudart + "'two'\n" + nvrtc + "'three'\n", three) ==
        install + "'pkg[one,two,three]==1'");
  CHECK(offered(cublas + "'one'\n", two) == install + "'pkg[one]==1' nvidia-cuda-runtime-cu12");
}

TEST_CASE("in conda one release of a package is installed for all, the oldest that something asks for") {
  const auto offered = [](const std::vector<std::string>& needed, const ElfSpec& rest_of_it = {}) {
    TestWorld world;
    world.files.add_folder("/conda/conda-meta");
    auto spec = rest_of_it;
    spec.needed = {needed.begin(), needed.end()};
    world.add("/conda/lib/python3.11/site-packages/liba.so", spec);
    return fixes_of(world.explain({"/conda/lib/python3.11/site-packages/liba.so"}));
  };
  const auto first_line = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  const std::string start = "provides all 2 missing libraries | conda install -p /conda -c conda-forge ";
  CHECK(first_line(offered({"libcudart.so.11.0", "libnvrtc.so.11.1"})) == start + "cudatoolkit=11.1");
  CHECK(first_line(offered({"libnvrtc.so.11.1", "libcudart.so.11.0"})) == start + "cudatoolkit=11.1");
  CHECK(first_line(offered({"libcudart.so.12", "libnccl.so.2"})) == start + "cuda-cudart cuda-version=12 nccl");
  // The folder of the environment is searched or not.
  CHECK(offered({"libnccl.so.2"}) ==
        R"(nccl of conda-forge likely provides exactly this file | conda install -p /conda -c conda-forge nccl
export LD_LIBRARY_PATH=/conda/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} | it lands in /conda/lib, which is not )"
        R"(on the search path
nvidia-nccl-cu11 provides exactly this file | pip install nvidia-nccl-cu11
export LD_LIBRARY_PATH=/conda/lib/python3.11/site-packages/nvidia/nccl/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} )"
        R"(| it lands in site-packages/nvidia/nccl/lib, which is not on the search path
nvidia-nccl-cu12 provides exactly this file | pip install nvidia-nccl-cu12
export LD_LIBRARY_PATH=/conda/lib/python3.11/site-packages/nvidia/nccl/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} )"
        R"(| it lands in site-packages/nvidia/nccl/lib, which is not on the search path
nvidia-nccl-cu13 provides exactly this file | pip install nvidia-nccl-cu13
export LD_LIBRARY_PATH=/conda/lib/python3.11/site-packages/nvidia/nccl/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} )"
        R"(| it lands in site-packages/nvidia/nccl/lib, which is not on the search path
)");
  CHECK(offered({"libnccl.so.2"}, {.runpath = "$ORIGIN/../.."}) ==
        R"(nccl of conda-forge likely provides exactly this file | conda install -p /conda -c conda-forge nccl | it )"
        R"(lands )"
        R"(in /conda/lib, which the loader searches
nvidia-nccl-cu11 provides exactly this file | pip install nvidia-nccl-cu11
export LD_LIBRARY_PATH=/conda/lib/python3.11/site-packages/nvidia/nccl/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} )"
        R"(| it lands in site-packages/nvidia/nccl/lib, which is not on the search path
nvidia-nccl-cu12 provides exactly this file | pip install nvidia-nccl-cu12
export LD_LIBRARY_PATH=/conda/lib/python3.11/site-packages/nvidia/nccl/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} )"
        R"(| it lands in site-packages/nvidia/nccl/lib, which is not on the search path
nvidia-nccl-cu13 provides exactly this file | pip install nvidia-nccl-cu13
export LD_LIBRARY_PATH=/conda/lib/python3.11/site-packages/nvidia/nccl/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} )"
        R"(| it lands in site-packages/nvidia/nccl/lib, which is not on the search path
)");
}

TEST_CASE("the common command stands behind another build, and is none where the folders are searched") {
  TestWorld world;
  const auto info = packages_folder + "onnxruntime_gpu-1.18.1.dist-info/";
  world.files.add_file(info + "METADATA", "Name: onnxruntime-gpu\nVersion: 1.18.1\n");
  world.files.add_file(info + "RECORD", "onnxruntime/capi/libp.so,,\n");
  world.add(packages_folder + "onnxruntime/capi/libp.so",
            {.runpath = "$ORIGIN/../../nvidia/cublas/lib", .needed = {"libcublas.so.11", "libcublasLt.so.11"}});
  world.add(packages_folder + "nvidia/cublas/lib/libcublas.so.12", {.soname = "libcublas.so.12"});
  CHECK(fixes_of(world.explain({packages_folder + "onnxruntime/capi/libp.so"})) ==
        R"(the onnxruntime-gpu for CUDA 12, which is what is installed here )"
        R"((/venv/lib/python3.11/site-packages/nvidia/cublas/lib/libcublas.so.12) | pip install )"
        R"('onnxruntime-gpu>=1.21.0,<=1.26.0' | another build of onnxruntime-gpu; 1.18.1 is for CUDA 11
provides all 2 missing libraries | pip install nvidia-cublas-cu11 | 
)");
}

TEST_CASE("one folder for several libraries that are there is named once") {
  TestWorld world;
  world.add("/opt/app", program({.needed = {"libx.so.1", "liby.so.1", "libzq.so.1"}}));
  for (const std::string name : {"libx.so.1", "liby.so.1"}) world.add("/usr/local/cuda/lib64/" + name, {});
  CHECK(fixes_of(world.explain({"/opt/app"})) ==
        R"(provides 2 of the 3 missing libraries; nothing is known to provide libzq.so.1 | export )"
        R"(LD_LIBRARY_PATH=/usr/local/cuda/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} | for this shell; every )"
        R"(program started from it then prefers these libraries
for this file only | patchelf --add-rpath '$ORIGIN/../usr/local/cuda/lib64' /opt/app | 
)");
  world.add("/opt/app", program({.needed = {"libx.so.1", "liby.so.1"}}));
  CHECK(fixes_of(world.explain({"/opt/app"})) ==
        R"(provides all 2 missing libraries | export )"
        R"(LD_LIBRARY_PATH=/usr/local/cuda/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} | for this shell; every )"
        R"(program started from it then prefers these libraries
for this file only | patchelf --add-rpath '$ORIGIN/../usr/local/cuda/lib64' /opt/app | 
)");
}

/// What helps against libraries that a program misses, each told as a finding of a level, or none.
std::string common_fixes(const std::vector<std::pair<std::string, std::optional<Level>>>& missing) {
  auto report = made_report({made_object("/opt/app")});
  MemoryFileSystem files;
  ThreadLimit threads(1);
  Store store(files, threads, built_in_knowledge());
  LibraryFixes fixes(report, store);
  for (const auto& [name, level] : missing) {
    report.resolution.objects[0].edges.push_back(made_edge(name, EdgeStatus::missing));
    auto finding = make_finding("CUD101");
    finding.object = 0;
    finding.edge = report.resolution.objects[0].edges.size() - 1;
    finding.subject = name;
    fixes.add_fixes({}, nullptr, finding);
    if (level) finding.level = *level;
    if (level) report.findings.push_back(finding);
  }
  for (const bool has_object : {true, false}) {
    auto about_else = make_finding("CUD108");
    if (has_object) about_else.object = 0;
    about_else.subject = missing.front().first;
    report.findings.insert(report.findings.begin(), about_else);
  }
  fixes.add_common_fixes();
  std::string text;
  for (const auto& finding : report.findings) text += finding.fixes.empty() ? "-\n" : finding.fixes[0].title + "\n";
  return text;
}

TEST_CASE("what is missing is mended together with what fails as badly") {
  const std::string cudart = "libcudart.so.12", cublas = "libcublas.so.12", nothing = "-\n-\n",
                    all = "provides all 2 missing libraries\n";
  const auto one = [](const std::string& package) { return package + " provides exactly this file\n"; };
  const auto runtime = one("nvidia-cuda-runtime-cu12"), blas = one("nvidia-cublas-cu12");
  for (const auto level : {Level::error, Level::warning, Level::note})
    CHECK(common_fixes({{cudart, level}, {cublas, level}}) == nothing + all + blas);
  CHECK(common_fixes({{cudart, Level::error}, {cublas, Level::warning}}) == nothing + runtime + blas);
  CHECK(common_fixes({{cudart, Level::warning}, {cublas, Level::note}}) == nothing + runtime + blas);
  CHECK(common_fixes({{cudart, Level::error}}) == nothing + runtime);
}

}  // namespace
}  // namespace cudald
