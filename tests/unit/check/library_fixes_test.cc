// What helps against a missing library: the fixes of CUD101, 102, 103, 106 and 112.

#include <algorithm>

#include <doctest/doctest.h>

#include "common/wheel_file.h"
#include "unit/check/finding_text.h"
#include "unit/cuda/library_file.h"

namespace cudald {
namespace {

/// The commands that are offered, one after another, each ended by a line.
const std::string packages_folder = "/venv/lib/python3.11/site-packages/";

const std::string rest = "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\n";

TEST_CASE("a folder is made known to one shell or to one file, by the tag that the file has") {
  TestWorld world;
  world.add("/usr/local/cuda/lib64/libx.so.1", {});
  const auto offered = [&](const std::string& path, ElfSpec spec) {
    spec.needed = {"libx.so.1"};
    world.add(path, program(std::move(spec)));
    const auto report = world.explain({path});
    REQUIRE(report.findings[0].code == "CUD101");
    return commands(report.findings[0]);
  };
  const auto shell = "export LD_LIBRARY_PATH=/usr/local/cuda/lib64" + rest;
  CHECK(offered("/opt/bin/app", {}) ==
        shell + "patchelf --add-rpath '$ORIGIN/../../usr/local/cuda/lib64' /opt/bin/app\n");
  CHECK(offered("/opt/bin/app", {.rpath = "/a"}) ==
        shell + "patchelf --force-rpath --add-rpath '$ORIGIN/../../usr/local/cuda/lib64' /opt/bin/app\n");
  CHECK(offered("/opt/bin/app", {.runpath = "/a"}) ==
        shell + "patchelf --add-rpath '$ORIGIN/../../usr/local/cuda/lib64' /opt/bin/app\n");
  CHECK(offered("/usr/bin/app", {}) == shell);  // what the system installed is not edited
}

TEST_CASE("the libraries of a framework come with its import, which an extension leaves to the program") {
  const auto report_of = [](const std::string& library, const std::string& extension) {
    TestWorld world;
    world.query.prefix = "/venv";
    world.files.add_file("/venv/bin/python", "");
    world.add(packages_folder + library, {});
    world.add(packages_folder + extension, {.needed = {std::string(file_name(library))}});
    auto module = extension.substr(0, extension.find('.'));
    std::replace(module.begin(), module.end(), '/', '.');
    return world.explain({"py:" + module});
  };
  const auto first_fix = [](const Report& report) {
    REQUIRE_FALSE(report.findings.empty());
    return report.findings[0].fixes.at(0);
  };
  const auto by_import = first_fix(report_of("torch/lib/libc10.so", "ext/_C.so"));
  CHECK(by_import.title == "import torch first: its libraries are then in the process");
  CHECK(by_import.command == "/venv/bin/python -c 'import torch, ext._C'");
  CHECK(first_fix(report_of("torch/lib/libtorch_cpu.so", "ext/_C.so")).command == by_import.command);
  CHECK(first_fix(report_of("tensorflow/libtensorflow_framework.so.2", "ops.so")).command ==
        "/venv/bin/python -c 'import tensorflow, ops'");
  for (const auto& [library, extension] :
       {std::pair("torch/lib/libshm.so", "ext/_C.so"), std::pair("nvidia/lib/libc10.so", "ext/_C.so"),
        std::pair("torch/lib/libc10.so", "torch/lib/libtorch_more.so")})
    CHECK(first_fix(report_of(library, extension)).command.find(" -c ") == std::string::npos);
}

TEST_CASE("a conda environment remembers a folder") {
  TestWorld world;
  world.files.add_folder("/conda/conda-meta");
  world.add("/conda/lib/libx.so.1", {});
  world.add("/conda/lib/python3.11/site-packages/app", program({.needed = {"libx.so.1"}}));
  CHECK(commands(world.explain({"/conda/lib/python3.11/site-packages/app"}).findings[0])
            .find("conda env config vars set -p /conda LD_LIBRARY_PATH=/conda/lib\n") != std::string::npos);
}

TEST_CASE("a library under another name of its own gets a link, one of another ABI does not") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libx.so.1"}}));
  world.add("/bin/libx.so.1.2", {.soname = "libx.so.1"});
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD101 error app: libx.so.1\n");
  CHECK(commands(report.findings[0]) == "ln -s libx.so.1.2 /bin/libx.so.1\n");
  world.add("/bin/libx.so.1.2", {.soname = "libx.so.1.2"});
  const auto other = world.explain({"/bin/app"});
  REQUIRE(findings(other) == "CUD102 error app: libx.so.1\n");
  CHECK(in_full(other) ==
        R"(CUD102 | error | /bin/app | libx.so.1
  libx.so.1 is in no folder that the loader searches; only libx.so.1.2 is installed, which has a different ABI
  - beside it /bin/libx.so.1.2 (soname libx.so.1.2) | /bin/libx.so.1.2 | proven
  = The program does not start: libx.so.1: cannot open shared object file: No such file or directory
  > find the package that carries it | apt-file search --regexp '/libx.so.1$' | needs: sudo apt install apt-file && )"
        R"(sudo apt-file update
  ! a symlink libx.so.1 -> libx.so.1.2: it has a different ABI: its versions and symbols differ
)");
  CHECK(commands(other.findings[0]).find("ln -s") == std::string::npos);
  CHECK(says(other.findings[0], "not: a symlink libx.so.1 -> libx.so.1.2: it has a different ABI"));
}

TEST_CASE("a file that stops the search is moved away, and a good one takes its place") {
  TestWorld world;
  world.add("/bin/app", program({.runpath = "/a", .needed = {"libx.so.1"}}));
  world.files.add_file("/a/libx.so.1", "");
  const auto alone = world.explain({"/bin/app"});
  REQUIRE(findings(alone) == "CUD112 error app: libx.so.1\n");
  CHECK(in_full(alone) ==
        R"(CUD112 | error | /bin/app | libx.so.1
  libx.so.1 is found at /a/libx.so.1, but that file cannot be loaded: file too short
  - lies in /a/libx.so.1 (not an ELF file) | /a/libx.so.1 | proven
  = The program does not start: /a/libx.so.1: file too short
  > move the unusable file away, or replace it by the right one | mv /a/libx.so.1 /a/libx.so.1.unusable | the search )"
        R"(then goes on to the next folder
  ! another copy later in the search: the loader stops at the first bad file
)");
  CHECK(commands(alone.findings[0]) == "mv /a/libx.so.1 /a/libx.so.1.unusable\n");
  world.add("/usr/local/cuda/lib64/libx.so.1", {});
  CHECK(commands(world.explain({"/bin/app"}).findings[0]) ==
        "mv /a/libx.so.1 /a/libx.so.1.unusable\nexport LD_LIBRARY_PATH=/usr/local/cuda/lib64" + rest);
  // The search comes to a system folder by itself.
  world.add("/bin/app", program({.runpath = "/a", .needed = {"libc.so.6", "libx.so.1"}}));
  for (const std::string name : {"libc.so.6", "libx.so.1"}) world.add("/usr/lib/" + name, {});
  CHECK(commands(world.explain({"/bin/app"}).findings[0]) == "mv /a/libx.so.1 /a/libx.so.1.unusable\n");
}

TEST_CASE("pip of the environment installs the package that carries the file, and where it lands is told") {
  TestWorld world;
  world.query.prefix = "/venv";
  world.files.add_file("/venv/bin/python", "");
  world.add(packages_folder + "pkg/_C.so", {.needed = {"libcudart.so.12"}});
  const auto carried = world.explain({packages_folder + "pkg/_C.so"});
  REQUIRE(findings(carried) == "CUD101 error _C.so: libcudart.so.12\n");
  CHECK(commands(carried.findings[0]) ==
        "/venv/bin/python -m pip install nvidia-cuda-runtime-cu12\n"
        "export LD_LIBRARY_PATH=" +
            packages_folder + "nvidia/cuda_runtime/lib" + rest);
  // Where the file's own RUNPATH leads there, nothing else is needed.
  world.add(packages_folder + "pkg/_C.so",
            {.runpath = "$ORIGIN/../nvidia/cuda_runtime/lib", .needed = {"libcudart.so.12"}});
  CHECK(commands(world.explain({packages_folder + "pkg/_C.so"}).findings[0]) ==
        "/venv/bin/python -m pip install nvidia-cuda-runtime-cu12\n");
}

TEST_CASE("of several packages that carry a name, that for the CUDA of the requester is taken") {
  TestWorld world;
  world.add("/opt/liba.so", {.needed = {"libcudnn.so.9", "libcudart.so.12"}});
  world.add("/lib/libcudart.so.12", {});
  CHECK(commands(world.explain({"/opt/liba.so"}).findings[0]).find("pip install nvidia-cudnn-cu12") !=
        std::string::npos);
  world.add("/opt/liba.so", {.needed = {"libcudnn.so.9", "libcudart.so.13"}});
  world.add("/lib/libcudart.so.13", {});
  CHECK(commands(world.explain({"/opt/liba.so"}).findings[0]).find("pip install nvidia-cudnn-cu13") !=
        std::string::npos);
}

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

TEST_CASE("a file that RECORD lists and that is gone is installed again, in the release that is there") {
  TestWorld world;
  world.query.prefix = "/venv";
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file(packages_folder + "two-2.0.dist-info/METADATA", "Name: two\nVersion: 2.0\n");
  world.files.add_file(packages_folder + "two-2.0.dist-info/RECORD", "two/libcudart.so.12,,\n");
  world.add(packages_folder + "pkg/_C.so", {.runpath = "$ORIGIN/../two", .needed = {"libcudart.so.12"}});
  const auto again = "/venv/bin/python -m pip install --force-reinstall --no-deps two==2.0\n";
  CHECK(commands(world.explain({packages_folder + "pkg/_C.so"}).findings[0]) == again);
  // So is one that is there and of no use.
  world.files.add_file(packages_folder + "two/libcudart.so.12", "");
  CHECK(commands(world.explain({packages_folder + "pkg/_C.so"}).findings[0]).starts_with(again));
}

TEST_CASE("where another CUDA is installed, the build for that comes first") {
  TestWorld world;
  world.files.add_file(packages_folder + "onnxruntime_gpu-1.18.1.dist-info/METADATA",
                       "Name: onnxruntime-gpu\nVersion: 1.18.1\n");
  world.files.add_file(packages_folder + "onnxruntime_gpu-1.18.1.dist-info/RECORD", "onnxruntime/capi/libp.so,,\n");
  world.add(packages_folder + "onnxruntime/capi/libp.so", {.needed = {"libcublas.so.11"}});
  world.add(packages_folder + "nvidia/cublas/lib/libcublas.so.12", {.soname = "libcublas.so.12"});
  const auto report = world.explain({packages_folder + "onnxruntime/capi/libp.so"});
  REQUIRE(findings(report) == "CUD102 error libp.so: libcublas.so.11\n");
  CHECK(
      commands(report.findings[0]).starts_with("pip install 'onnxruntime-gpu>=1.24.1,<=1.26.0'\npip install nvidia-"));
}

TEST_CASE("in an environment of conda its own package comes first") {
  TestWorld world;
  world.files.add_folder("/conda/conda-meta");
  world.add("/conda/lib/liba.so", {.needed = {"libcudart.so.11.0"}});
  const auto offered = commands(world.explain({"/conda/lib/liba.so"}).findings[0]);
  CHECK(offered.starts_with("conda install -p /conda -c conda-forge "));
  CHECK(offered.find("pip install nvidia-cuda-runtime-cu11") != std::string::npos);
}

TEST_CASE("a wheel that was given without what it requires wants these wheels") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-linux_x86_64.whl";
  world.files.add_file(
      path, wheel_file({{"pkg/__init__.py", "from . import _C\n"}, {"pkg/_C.so", elf({.needed = {"libcudart.so.12"}})}},
                       "Requires-Dist: numpy\nRequires-Dist: nvidia-cuda-runtime-cu12 (==12.8.90)\n"));
  const auto report = world.explain({path});
  REQUIRE(report.findings.size() == 1);
  CHECK(
      says(report.findings[0], "requires nvidia-cuda-runtime-cu12==12.8.90, which carries it, and which is not given"));
  CHECK(commands(report.findings[0]) == "pip download -d wheels " + path + "\ncudald " + path + " --with wheels\n");
}

TEST_CASE("where only the verdict is wanted no fix is looked for, and the finding stays") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libcudart.so.12"}}));
  const auto usual = world.explain({"/bin/app"});
  CHECK_FALSE(commands(usual.findings[0]).empty());
  world.query.fixes = false;
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) == findings(usual));
  CHECK(report.headline == usual.headline);
  CHECK(commands(report.findings[0]).empty());
}

TEST_CASE("the driver comes from its own package, what nobody knows is to be looked up") {
  TestWorld world;
  world.query.environment.any_driver = false;
  world.add("/bin/app", program({.needed = {"libcuda.so.1"}}));
  CHECK(commands(world.explain({"/bin/app"}).findings[0]) == "sudo apt install libcuda1\n");
  world.add("/bin/app", program({.needed = {"libnobody-knows.so.7"}}));
  CHECK(commands(world.explain({"/bin/app"}).findings[0]) == "apt-file search --regexp '/libnobody-knows.so.7$'\n");
}

TEST_CASE("the CUDA of a requester is that of the runtime or cuBLAS that it asks for, else of the process") {
  struct Row {
    std::vector<std::string> needed, beside;
    std::string package;
    bool is_known = true;
  };
  for (const auto& row :
       {Row{{"libcudart.so.11.0"}, {}, "nvidia-cudnn-cu11"}, Row{{"libcublas.so.11"}, {}, "nvidia-cudnn-cu11"},
        Row{{"libcublas.so.12"}, {"libcudart.so.11.0"}, "nvidia-cudnn-cu12"},
        Row{{}, {"libcudart.so.11.0"}, "nvidia-cudnn-cu11"}, Row{{}, {"libcudart.so.12"}, "nvidia-cudnn-cu12"},
        Row{{}, {"libcudart.so.11.0", "libcudart.so.12"}, "nvidia-cudnn-cu1", false},
        Row{{}, {}, "nvidia-cudnn-cu1", false}}) {
    TestWorld world;
    ElfSpec app{.runpath = "/opt"}, library;
    app.needed.assign(row.beside.begin(), row.beside.end());
    app.needed.emplace_back("liba.so");
    library.needed.assign(row.needed.begin(), row.needed.end());
    library.needed.emplace_back("libcudnn.so.8");
    world.add("/bin/app", program(app));
    world.add("/opt/liba.so", library);
    for (const auto& name : row.needed) world.add("/lib/" + name, {.soname = name});
    for (const auto& name : row.beside)
      world.files.add_file("/lib/" + name, cuda_runtime(name, name.ends_with(".12") ? 12040 : 11080));
    const auto report = world.explain({"/bin/app"});
    REQUIRE_FALSE(report.findings.empty());
    CAPTURE(row.package);
    CHECK(report.findings[0].subject == "libcudnn.so.8");
    CHECK(commands(report.findings[0]).starts_with("pip install " + row.package));
    CHECK((commands(report.findings[0]).find("nvidia-cudnn-cu", 20) == std::string::npos) == row.is_known);
  }
}

}  // namespace
}  // namespace cudald
