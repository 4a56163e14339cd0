// What helps against a missing library: the fixes of CUD101, 102, 103, 106 and 112.

#include <algorithm>
#include <optional>

#include <doctest/doctest.h>

#include <cudald/thread_limit.h>

#include "check/fixes/library_fixes.h"
#include "common/wheel_file.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"
#include "unit/knowledge/library_file.h"
#include "unit/machine/cache_file.h"

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
  CHECK(offered("/usr/bin/app", {}) == shell);     // what the system installed is not edited
  world.add("/usr/local/cuda/lib/libx.so.1", {});  // a second copy, which is not told of
  CHECK(offered("/usr/bin/app", {}) == shell);
}

TEST_CASE("where make install puts libraries is named to the loader, for all programs") {
  const auto offered = [&](const std::string& conf, const std::string& soname = "libx.so.1") {
    TestWorld world;
    world.files.add_file("/etc/ld.so.conf", conf);
    world.add("/usr/local/lib/libx.so.1", {.soname = soname});
    world.add("/usr/bin/app", program({.needed = {"libx.so.1"}}));
    return commands(world.explain({"/usr/bin/app"}).findings.at(0));
  };
  const auto shell = "export LD_LIBRARY_PATH=/usr/local/lib" + rest;
  CHECK(offered("") == "echo /usr/local/lib | sudo tee -a /etc/ld.so.conf && sudo ldconfig\n" + shell);
  CHECK(offered("include /etc/ld.so.conf.d/*.conf\n") ==
        "echo /usr/local/lib | sudo tee -a /etc/ld.so.conf.d/usr-local-lib.conf && sudo ldconfig\n" + shell);
  CHECK(offered("", "libx.so.1.2") == shell);  // the cache would have it by that name
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
  // Two of them come with one import, and no folder has to be named for both.
  TestWorld two;
  for (const std::string name : {"libc10.so", "libtorch_cpu.so"}) two.add(packages_folder + "torch/lib/" + name, {});
  two.add(packages_folder + "ext/_C.so", {.needed = {"libc10.so", "libtorch_cpu.so"}});
  CHECK(first_fix(two.explain({packages_folder + "ext/_C.so"})).title == by_import.title);
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
  CHECK(commands(report.findings[0]) == "ln -s libx.so.1.2 /bin/libx.so.1\nexport LD_LIBRARY_PATH=/bin" + rest);
  world.add("/bin/libx.so.1.2", {.soname = "libx.so.1.2"});
  const auto other = world.explain({"/bin/app"});
  REQUIRE(findings(other) == "CUD102 error app: libx.so.1\n");
  CHECK(in_full(other) ==
        R"(CUD102 | error | /bin/app | libx.so.1
  libx.so.1 is not found in any directory the loader searches; only libx.so.1.2 is installed, which has a different ABI
  - found instead: /bin/libx.so.1.2 (soname libx.so.1.2) | /bin/libx.so.1.2 | proven
  = The program does not start: libx.so.1: cannot open shared object file: No such file or directory
  > build or install app again: it was made with another release of the library
  > install the system's package that provides it
)");
  CHECK(commands(other.findings[0]).find("ln -s") == std::string::npos);
  // That a link does not help is said where a version proves it.
  world.add("/bin/app", program({.needed = {"libx.so.1"}, .needs_versions = {{"libx.so.1", {{"V1"}}}}}));
  CHECK(says(world.explain({"/bin/app"}).findings[0],
             "not: a symlink libx.so.1 -> libx.so.1.2: libx.so.1.2 does not define the version V1"));
}

TEST_CASE("a file that stops the search is not touched: a good one comes before it, or replaces it") {
  TestWorld world;
  world.add("/bin/app", program({.runpath = "/a", .needed = {"libx.so.1"}}));
  world.files.add_file("/a/libx.so.1", "");
  const auto alone = world.explain({"/bin/app"});
  REQUIRE(findings(alone) == "CUD112 error app: libx.so.1\n");
  CHECK(in_full(alone) ==
        R"(CUD112 | error | /bin/app | libx.so.1
  libx.so.1 is found at /a/libx.so.1, but that file cannot be loaded: file too short; it is empty
  - is in /a/libx.so.1 (not an ELF file) | /a/libx.so.1 | proven
  - it is empty | /a/libx.so.1 | proven
  = The program does not start: /a/libx.so.1: file too short
  > replace /a/libx.so.1 with a usable libx.so.1
  ! another copy later in the search: the loader stops at the first bad file
)");
  CHECK(commands(alone.findings[0]) == "\n");  // nothing to type
  world.add("/usr/local/cuda/lib64/libx.so.1", {});
  CHECK(commands(world.explain({"/bin/app"}).findings[0]) == "export LD_LIBRARY_PATH=/usr/local/cuda/lib64" + rest);
  // What a DT_RPATH leads to comes before LD_LIBRARY_PATH.
  world.add("/bin/app", program({.rpath = "/a", .needed = {"libx.so.1"}}));
  CHECK(commands(world.explain({"/bin/app"}).findings[0]) == "cp /usr/local/cuda/lib64/libx.so.1 /a/libx.so.1\n");
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
      commands(report.findings[0]).starts_with("pip install 'onnxruntime-gpu>=1.21.0,<=1.26.0'\npip install nvidia-"));
  CHECK(in_full(report).find("  - onnxruntime-gpu 1.21.0 to 1.26.0 is built for CUDA 12") != std::string::npos);
  CHECK(in_full(report).find(" | table\n", in_full(report).find("is built for CUDA 12")) != std::string::npos);
}

TEST_CASE("in an environment of conda its own package comes first") {
  TestWorld world;
  world.files.add_folder("/conda/conda-meta");
  world.add("/conda/lib/liba.so", {.needed = {"libcudart.so.11.0"}});
  const auto offered = commands(world.explain({"/conda/lib/liba.so"}).findings[0]);
  CHECK(offered.starts_with("conda install -p /conda -c conda-forge "));
  CHECK(offered.find("pip install nvidia-cuda-runtime-cu11") != std::string::npos);
  // The environment that was named, of a name of one letter, for a program that lies outside of it.
  TestWorld beside;
  beside.files.add_folder("/c/conda-meta");
  beside.add("/opt/app", program({.needed = {"libnccl.so.2"}}));
  CHECK_FALSE(commands(beside.explain({"/opt/app"}).findings.at(0)).starts_with("conda"));
  beside.query.prefix = "/c";
  const auto report = beside.explain({"/opt/app"});
  CHECK(commands(report.findings.at(0)).starts_with("conda install -p /c -c conda-forge nccl\n"));
  CHECK(in_full(report).find("  - nccl of conda-forge likely provides libnccl.so.2 | table\n") != std::string::npos);
}

TEST_CASE("a wheel that was given without what it requires wants these wheels") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-linux_x86_64.whl";
  // Otherwise what it requires is assumed to be installed beside it.
  world.files.add_file("/venv/pyvenv.cfg", "");
  world.files.add_folder("/venv/lib/python3.11/site-packages");
  world.query.prefix = "/venv";
  world.files.add_file(
      path, wheel_file({{"pkg/__init__.py", "from . import _C\n"}, {"pkg/_C.so", elf({.needed = {"libcudart.so.12"}})}},
                       "Requires-Dist: numpy\nRequires-Dist: nvidia-cuda-runtime-cu12 (==12.8.90)\n"));
  const auto report = world.explain({path});
  REQUIRE(report.findings.size() == 1);
  const auto& shown = report.findings[0].evidence.back();
  CHECK(shown.text == "pkg requires nvidia-cuda-runtime-cu12==12.8.90, which provides it, and which is not given here");
  CHECK(shown.basis == Basis::proven);
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
  CHECK(commands(world.explain({"/bin/app"}).findings[0]) ==
        "docker run --gpus all IMAGE\nsudo apt install nvidia-driver\n");
  world.add("/bin/app", program({.needed = {"libnobody-knows.so.7"}}));
  const auto offered = [&](const std::string& system) {
    world.files.add_file("/etc/os-release", system);
    return commands(world.explain({"/bin/app"}).findings[0]);
  };
  CHECK(offered("NAME=x\n") == "\n");
  CHECK(offered("ID=debian\n") == "apt-file search --regexp '/libnobody-knows.so.7$'\n");
  CHECK(offered("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n") ==
        "sudo dnf install 'libnobody-knows.so.7()(64bit)'\n");
  CHECK(offered("ID=opensuse-leap\nID_LIKE=\"suse opensuse\"\n") ==
        "sudo zypper install 'libnobody-knows.so.7()(64bit)'\n");
  CHECK(offered("ID=arch\n") == "pacman -F libnobody-knows.so.7\n");
  CHECK(offered("ID=nixos\n") == "nix-locate --top-level lib/libnobody-knows.so.7\n");
  world.files.add_file("/.dockerenv", "");
  CHECK(offered("ID=alpine\n") == "apk add --no-cache so:libnobody-knows.so.7\n");
  // No package provides a path, nor a copy that a wheel's repair tool has renamed.
  world.add("/bin/app", program({.needed = {"/opt/x/libx.so.1"}}));
  CHECK(offered("ID=debian\n") == "\n");
  world.add("/bin/app", program({.needed = {"libx-4c97ab12.so.1"}}));
  CHECK(offered("ID=debian\n") == "\n");
  CHECK(says(world.explain({"/bin/app"}).findings[0], "install that again, as a whole"));
}

TEST_CASE(
    "the advice on the driver is that of the place: a container, Windows below, a machine with or without a GPU") {
  const auto offered = [](const std::vector<std::pair<std::string, std::string>>& files) {
    TestWorld world;
    world.query.environment.any_driver = false;
    world.add("/bin/app", program({.needed = {"libcuda.so.1"}}));
    for (const auto& [path, text] : files) world.files.add_file(path, text);
    return commands(world.explain({"/bin/app"}).findings[0]);
  };
  CHECK(offered({{"/.dockerenv", ""}}) == "docker run --gpus all IMAGE\n");
  CHECK(offered({{"/proc/version", "Linux version 5.15.90.1-microsoft-standard-WSL2"}}) == "\n");
  CHECK(offered({{"/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n"}}) ==
        "sudo apt install nvidia-driver\ndocker run --gpus all IMAGE\n");
  CHECK(offered({{"/sys/bus/pci/devices/0000:01:00.0/vendor", "0x8086\n"}}) ==
        "\ndocker run --gpus all IMAGE\nsudo apt install nvidia-driver\n");
  CHECK(offered({{"/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n"}, {"/etc/os-release", "ID=fedora\n"}}) ==
        "sudo dnf install akmod-nvidia\ndocker run --gpus all IMAGE\n");
}

TEST_CASE("a library beside the target, in lib, ../lib or ../lib64, is found, and the fix leads there") {
  for (const std::string folder : {"lib", "lib64", "../lib", "../lib64"}) {
    CAPTURE(folder);
    TestWorld world;
    world.add("/opt/tool/bin/app", program({.needed = {"libx.so.1"}}));
    const auto place = normal_path("/opt/tool/bin/" + folder);
    world.add(place + "/libx.so.1", {.soname = "libx.so.1"});
    const auto report = world.explain({"/opt/tool/bin/app"});
    CHECK(says(report.findings.at(0), "is in " + place + "/libx.so.1"));
    CHECK(commands(report.findings[0]) == "export LD_LIBRARY_PATH=" + place + rest + "patchelf --add-rpath '$ORIGIN/" +
                                              folder + "' /opt/tool/bin/app\n");
  }
}

TEST_CASE("a search path that names the library itself, not its directory, is shown as the cause") {
  TestWorld world;
  world.add("/opt/x/app", program({.runpath = "/srv/l/libx.so.1", .needed = {"libx.so.1"}}));
  world.add("/srv/l/libx.so.1", {.soname = "libx.so.1"});
  const auto report = world.explain({"/opt/x/app"});
  CHECK(says(report.findings.at(0), "the runpath names /srv/l/libx.so.1, a file"));
  CHECK(commands(report.findings[0]).find("patchelf --add-rpath '$ORIGIN/../../srv/l' /opt/x/app\n") !=
        std::string::npos);
}

TEST_CASE("a name without a number is the one for linking: a link to what is there helps") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libv.so"}}));
  world.add("/usr/lib/libv.so.1.0.8", {.soname = "libv.so.1"});
  world.add("/usr/lib/libv.so.1", {.soname = "libv.so.1"});
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD101 error app: libv.so\n");
  CHECK(report.findings[0].message ==
        "libv.so is a link that only the development package has; libv.so.1 is installed");
  CHECK(commands(report.findings[0]) == "sudo ln -s libv.so.1 /usr/lib/libv.so\n\n\n");
  CHECK(report.findings[0].does_not_help.empty());
}

TEST_CASE("a library that a wheel's repair tool has renamed is asked for by its new name") {
  TestWorld world;
  world.add("/opt/x/pk/_m.so", {.runpath = "$ORIGIN/../pk.libs", .needed = {"libz.so.9"}});
  world.add("/opt/x/pk.libs/libz-4c97ab12.so.9.1", {.soname = "libz-4c97ab12.so.9.1"});
  const auto report = world.explain({"/opt/x/pk/_m.so"});
  CHECK(commands(report.findings.at(0)) ==
        "patchelf --replace-needed libz.so.9 libz-4c97ab12.so.9.1 /opt/x/pk/_m.so\n");
}

TEST_CASE("a preload that is ignored: the variable is corrected, and nothing that it names is moved") {
  const auto offered = [](const std::string& value, const std::string& report_says = "") {
    TestWorld world;
    world.add("/bin/app", program({}));
    world.add("/opt/libj.so.2", {.soname = "libj.so.2"});
    world.add("/opt/only/libj.so.2", {.soname = "libj.so.2"});
    world.add("/opt/i386/libj.so.2", {.is_64 = false, .machine = EM_386});
    world.query.environment.variables = {{"LD_PRELOAD", value}};
    const auto report = world.explain({"/bin/app"});
    REQUIRE(report.findings.size() == 1);
    CHECK(report.verdict == Verdict::risk);
    CHECK(report.findings[0].message.find(report_says) != std::string::npos);
    return commands(report.findings[0]);
  };
  CHECK(offered("=/opt/libj.so.2", "LD_PRELOAD names =/opt/libj.so.2, which does not exist: it is ignored") ==
        "export LD_PRELOAD=/opt/libj.so.2\nunset LD_PRELOAD\n");
  CHECK(offered("/opt/only", "which is a directory") == "export LD_PRELOAD=/opt/only/libj.so.2\nunset LD_PRELOAD\n");
  CHECK(offered("/bin", "which is a directory") == "unset LD_PRELOAD\n");
  CHECK(offered("/opt/libj.so.2:/opt/libk.so", "/opt/libk.so, which does not exist") ==
        "export LD_PRELOAD=/opt/libj.so.2\n");
  CHECK(offered("/opt/i386/libj.so.2", "for the other word size") == "unset LD_PRELOAD\n");
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

/// All that helps against the first finding, with what it does.
std::string fixes_of(const Report& report) {
  std::string text;
  for (const auto& fix : report.findings.at(0).fixes)
    text += fix.title + " | " + fix.command + " | " + fix.side_effect + "\n";
  return text;
}

TEST_CASE("files of the system are not edited, and of both search paths that of the loaders is switched off") {
  TestWorld world;
  world.add("/usr/local/cuda/lib64/libx.so.1", {});
  const auto offered = [&](const std::string& path, ElfSpec spec = {}) {
    spec.needed = {"libx.so.1"};
    world.add(path, program(std::move(spec)));
    return commands(world.explain({path}).findings.at(0));
  };
  const auto shell = "export LD_LIBRARY_PATH=/usr/local/cuda/lib64" + rest;
  CHECK(offered("/lib/app/bin/app") == shell);
  CHECK(offered("/usr/lib/app") == shell);
  CHECK(offered("/usr/sbin/app") == shell + "patchelf --add-rpath '$ORIGIN/../local/cuda/lib64' /usr/sbin/app\n");
  CHECK(offered("/usr/local/cuda/app") == shell + "patchelf --add-rpath '$ORIGIN/lib64' /usr/local/cuda/app\n");
  CHECK(offered("/usr/local/cuda/lib64/x/app") ==
        shell + "patchelf --add-rpath '$ORIGIN/..' /usr/local/cuda/lib64/x/app\n");
  CHECK(offered("/opt/app", {.rpath = "/a", .runpath = "/b"}) ==
        shell + "patchelf --add-rpath '$ORIGIN/../usr/local/cuda/lib64' /opt/app\n");
}

TEST_CASE("neither a link nor a warning of one is about libraries for another machine") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libx.so.1"}}));
  world.add("/bin/libx.so.1.2", {.machine = EM_AARCH64, .soname = "libx.so.1"});
  world.add("/bin/libx.so.2", {.machine = EM_AARCH64, .soname = "libx.so.2"});
  const auto report = world.explain({"/bin/app"});
  REQUIRE(report.findings.size() == 1);
  CHECK(fixes_of(report) == "install the system's package that provides it |  | \n");
  CHECK(report.findings[0].does_not_help.empty());
}

TEST_CASE("a file that stops the search of a relative folder is itself no other one that would do") {
  // Relative, as the search path is: what lies there is the file itself, and no other one.
  TestWorld relative;
  relative.query.environment.cwd = "/a";
  relative.add("/bin/app", program({.runpath = "../a/.", .needed = {"libcudart.so.12"}}));
  relative.files.add_file("/a/libcudart.so.12", "");
  CHECK(fixes_of(relative.explain({"/bin/app"})) ==
        R"(nvidia-cuda-runtime-cu12 provides exactly this file | pip install nvidia-cuda-runtime-cu12
site=$(python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
export LD_LIBRARY_PATH=$site/nvidia/cuda_runtime/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} | it lands in )"
        R"(site-packages/nvidia/cuda_runtime/lib, which is not on the search path
)");
}

TEST_CASE("the import of a framework is told without a command where no module is imported") {
  TestWorld world;
  world.add(packages_folder + "torch/lib/libc10.so", {});
  world.add(packages_folder + "ext/_C.so", {.needed = {"libc10.so"}});
  const auto report = world.explain({packages_folder + "ext/_C.so"});
  REQUIRE_FALSE(report.findings.empty());
  CHECK(fixes_of(report) ==
        R"(import torch first: its libraries are then in the process |  | in the program, above the first import of )"
        R"(what )"
        R"(needs them
for this shell only | export )"
        R"(LD_LIBRARY_PATH=/venv/lib/python3.11/site-packages/torch/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} | )"
        R"(every program started from it then prefers the libraries in that directory
for this file only | patchelf --add-rpath '$ORIGIN/../torch/lib' /venv/lib/python3.11/site-packages/ext/_C.so | 
)");
}

TEST_CASE("packages of the system are told where neither pip nor conda carries a library") {
  const auto offered = [](const std::string& library) {
    TestWorld world;
    world.add("/bin/app", program({.needed = {library}}));
    return fixes_of(world.explain({"/bin/app"}));
  };
  CHECK(offered("libaccinj64.so.12.4") ==
        "a package of Debian 13 (non-free) provides it | sudo apt install libaccinj64-12.4 | it lands in "
        "/usr/lib/x86_64-linux-gnu\n");
  CHECK(offered("libnobody.so.4") == "install the system's package that provides it |  | \n");
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

TEST_CASE("of what conda has for several CUDAs that of the requester is taken, and all where nothing tells") {
  const auto offered = [](const std::vector<std::string>& needed) {
    TestWorld world;
    world.files.add_folder("/conda/conda-meta");
    world.add("/conda/lib/liba.so", {.needed = {needed.begin(), needed.end()}});
    for (const auto& name : needed)
      if (name != "libcudnn.so.9") world.add("/lib/" + name, {.soname = name});
    std::string text;
    const auto report = world.explain({"/conda/lib/liba.so"});
    for (const auto& fix : report.findings.at(0).fixes)
      if (fix.command.starts_with("conda")) text += fix.command.substr(0, fix.command.find('\n')) + "\n";
    return text;
  };
  const std::string start = "conda install -p /conda -c conda-forge cudnn=9 cuda-version=";
  CHECK(offered({"libcudnn.so.9", "libcudart.so.12"}) == start + "12\n");
  CHECK(offered({"libcudnn.so.9", "libcudart.so.13"}) == start + "13\n");
  CHECK(offered({"libcudnn.so.9", "libcudart.so.11.0"}) == start + "12\n" + start + "13\n");
  CHECK(offered({"libcudnn.so.9"}) == start + "12\n" + start + "13\n");
}

TEST_CASE("what a wheel requires of others than those that carry the library is no help") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-linux_x86_64.whl";
  world.files.add_file(
      path, wheel_file({{"pkg/__init__.py", "from . import _C\n"}, {"pkg/_C.so", elf({.needed = {"libcudart.so.12"}})}},
                       "Requires-Dist: numpy\nRequires-Dist: ;;\n"));
  const auto report = world.explain({path});
  REQUIRE(report.findings.size() == 1);
  CHECK(fixes_of(report) ==
        R"(nvidia-cuda-runtime-cu12 provides exactly this file | pip install nvidia-cuda-runtime-cu12
site=$(python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
export LD_LIBRARY_PATH=$site/nvidia/cuda_runtime/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} | it lands in )"
        R"(site-packages/nvidia/cuda_runtime/lib, which is not on the search path
)");
}

/// An environment with a package that has lost this file.
TestWorld with_lost_file(const std::string& file) {
  TestWorld world;
  world.query.prefix = "/venv";
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file(packages_folder + "two-2.0.dist-info/METADATA", "Name: two\nVersion: 2.0\n");
  world.files.add_file(packages_folder + "two-2.0.dist-info/RECORD", file + ",,\n");
  return world;
}

TEST_CASE("a file that is gone from where nobody looks comes back, and its folder is made known") {
  auto world = with_lost_file("two/libx.so.1");
  world.add(packages_folder + "pkg/_C.so", {.needed = {"libx.so.1"}});
  CHECK(in_full(world.explain({packages_folder + "pkg/_C.so"})) ==
        R"(CUD101 | error | /venv/lib/python3.11/site-packages/pkg/_C.so | libx.so.1
  libx.so.1 is not found in any directory the loader searches
  - two 2.0 lists /venv/lib/python3.11/site-packages/two/libx.so.1 in its RECORD, and the file is missing | )"
        R"(/venv/lib/python3.11/site-packages/two/libx.so.1 | proven
  = Loading it fails: libx.so.1: cannot open shared object file: No such file or directory
  > install the files of two 2.0 again | /venv/bin/python -m pip install --force-reinstall --no-deps two==2.0
export LD_LIBRARY_PATH=/venv/lib/python3.11/site-packages/two${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
)");
  // A copy that lies elsewhere is not what the package is to get.
  const auto alone = fixes_of(world.explain({packages_folder + "pkg/_C.so"}));
  world.add("/usr/local/cuda/lib64/libx.so.1", {});
  CHECK(fixes_of(world.explain({packages_folder + "pkg/_C.so"})) == alone);
  // By a path it is no matter of packages, and outside of site-packages nobody's.
  world.add(packages_folder + "pkg/_C.so", {.needed = {"/opt/libx.so.1"}});
  CHECK(fixes_of(world.explain({packages_folder + "pkg/_C.so"})).find("two==2.0") == std::string::npos);
  world.add("/opt/app", program({.needed = {"libx.so.1"}}));
  CHECK(fixes_of(world.explain({"/opt/app"})).find("two==2.0") == std::string::npos);
}

TEST_CASE("an unusable file of conda is not one for pip to install again") {
  TestWorld world;
  world.files.add_file("/conda/conda-meta/two-2.0-0.json",
                       R"({"name": "two", "version": "2.0", "files": ["lib/libx.so.1"]})");
  world.files.add_file("/conda/lib/libx.so.1", "");
  world.add("/conda/bin/app", program({.runpath = "/conda/lib", .needed = {"libx.so.1"}}));
  const auto text = fixes_of(world.explain({"/conda/bin/app"}));
  CHECK(text.find("two==2.0") == std::string::npos);
  CHECK(text.find("replace /conda/lib/libx.so.1 with a usable libx.so.1") != std::string::npos);
}

/// What is told of a library of onnxruntime-gpu that misses cuBLAS, beside these libraries.
std::string onnxruntime_told(const std::string& version, const std::string& needed,
                             const std::vector<std::string>& beside, const std::string& requires_dist = "",
                             std::uint16_t machine = EM_X86_64) {
  TestWorld world;
  const auto info = packages_folder + "onnxruntime_gpu-" + version + ".dist-info/";
  world.files.add_file(info + "METADATA", "Name: onnxruntime-gpu\nVersion: " + version + "\n" + requires_dist);
  world.files.add_file(info + "RECORD", "onnxruntime/capi/libp.so,,\n");
  world.add(packages_folder + "onnxruntime/capi/libp.so", {.needed = {needed}});
  for (const auto& name : beside)
    world.add(packages_folder + "nvidia/cublas/lib/" + name, {.machine = machine, .soname = name});
  const auto text = commands(world.explain({packages_folder + "onnxruntime/capi/libp.so"}).findings.at(0));
  return text.substr(0, text.find('\n'));
}

TEST_CASE(
    "a build for the CUDA that is installed comes first only where there is one and the requester is for another") {
  const std::string eleven = "libcublas.so.11", twelve = "libcublas.so.12";
  CHECK(onnxruntime_told("1.18.1", eleven, {twelve}) == "pip install 'onnxruntime-gpu>=1.21.0,<=1.26.0'");
  CHECK(onnxruntime_told("1.18.1", eleven, {twelve}, "", EM_AARCH64) == "pip install nvidia-cublas-cu11");
  CHECK(onnxruntime_told("1.18.1", eleven, {"libcublas.so.10"}) == "pip install nvidia-cublas-cu11");
  CHECK(onnxruntime_told("1.18.1", "libcublas.so.11.5", {"libcublas.so.11"}).find("onnxruntime-gpu") ==
        std::string::npos);
  // What the package itself requires comes before another release of it.
  CHECK(onnxruntime_told("1.18.1", eleven, {twelve}, "Requires-Dist: nvidia-cublas-cu11==11.11.3.6\n") ==
        "pip install nvidia-cublas-cu11==11.11.3.6");
}

TEST_CASE("a project that names its builds after CUDA is taken in the one for the CUDA that is installed") {
  TestWorld world;
  const auto info = packages_folder + "cupy_cuda11x-13.0.0.dist-info/";
  world.files.add_file(info + "METADATA", "Name: cupy-cuda11x\nVersion: 13.0.0\n");
  world.files.add_file(info + "RECORD", "cupy/cublas.so,,\n");
  world.add(packages_folder + "cupy/cublas.so", {.needed = {"libcublas.so.11"}});
  world.add(packages_folder + "nvidia/cublas/lib/libcublas.so.12", {.soname = "libcublas.so.12"});
  const auto report = world.explain({packages_folder + "cupy/cublas.so"});
  REQUIRE(findings(report) == "CUD102 error cublas.so: libcublas.so.11\n");
  CHECK(commands(report.findings[0]).starts_with("pip uninstall -y cupy-cuda11x\npip install cupy-cuda12x\n"));
  CHECK(report.findings[0].message.ends_with("; cupy-cuda11x 13.0.0 is built for CUDA 11, and CUDA 12 is installed"));
}

/// The finding about an extension of torch that misses this library, beside a torch of this version.
Finding extension_told(const std::string& library, const std::string& torch, const std::string& package) {
  TestWorld world;
  const auto dash = package.find(' ');
  const auto name = package.substr(0, dash), version = package.substr(dash + 1);
  world.files.add_file(packages_folder + "torch-" + torch + ".dist-info/METADATA",
                       "Name: torch\nVersion: " + torch + "\n");
  world.files.add_file(packages_folder + name + "-" + version + ".dist-info/METADATA",
                       "Name: " + name + "\nVersion: " + version + "\n");
  world.files.add_file(packages_folder + name + "-" + version + ".dist-info/RECORD", "ext/_C.so,,\n");
  world.add(packages_folder + "ext/_C.so", {.needed = {library}});
  return world.explain({packages_folder + "ext/_C.so"}).findings.at(0);
}

TEST_CASE("a framework that is installed without the library is not installed once more") {
  const auto on_cpu = extension_told("libc10_cuda.so", "2.2.0+cpu", "xext 1.0");
  CHECK(on_cpu.message.ends_with("; only torch for CUDA has such a library, and torch 2.2.0+cpu is installed"));
  CHECK(commands(on_cpu) ==
        "pip install torch==2.2.0+cu121 --extra-index-url https://download.pytorch.org/whl/cu121\n");
  const auto of_rocm = extension_told("libtorch_hip.so", "1.12.0+cu116", "torchaudio 0.12.0+rocm5.1.1");
  CHECK(commands(of_rocm) ==
        "pip install --force-reinstall --no-deps torchaudio==0.12.0+cu116 --extra-index-url "
        "https://download.pytorch.org/whl/cu116\n");
  const auto older = extension_told("libtorch_cuda_cu.so", "1.13.1+cu117", "torch_scatter 2.0.9");
  CHECK(older.message.ends_with("was compiled against another release: torch 1.13.1+cu117 has no such library"));
  CHECK(commands(older).find("--find-links https://data.pyg.org/whl/torch-1.13.1+cu117.html") != std::string::npos);
  const auto source = extension_told("libtorch_cuda_cu.so", "2.1.0", "xext 1.0");
  CHECK(commands(source) ==
        "pip install --force-reinstall --no-deps --no-build-isolation --no-binary xext xext==1.0\n");
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

TEST_CASE("of several files of another name or ABI one is linked, and one is warned of") {
  TestWorld world;
  world.add("/opt/app", program({.needed = {"libx.so.1"}}));
  for (const std::string name : {"libx.so.1.2", "libx.so.1.3"}) world.add("/opt/" + name, {.soname = "libx.so.1"});
  CHECK(commands(world.explain({"/opt/app"}).findings.at(0)) ==
        "ln -s libx.so.1.2 /opt/libx.so.1\nexport LD_LIBRARY_PATH=/opt" + rest);
  TestWorld other;
  other.add("/opt/app", program({.needed = {"libx.so.1"}}));
  for (const std::string name : {"libx.so.2", "libx.so.3"}) other.add("/opt/" + name, {.soname = name});
  // Only a version that is not defined proves that a link does not help.
  CHECK(other.explain({"/opt/app"}).findings.at(0).does_not_help.empty());
  other.add("/opt/app", program({.needed = {"libx.so.1"}, .needs_versions = {{"libx.so.1", {{"V1"}}}}}));
  CHECK(other.explain({"/opt/app"}).findings.at(0).does_not_help ==
        std::vector<std::string>{"a symlink libx.so.1 -> libx.so.2: libx.so.2 does not define the version V1"});
}

TEST_CASE("a file for another machine that the search passes over is installed again by the package that has it") {
  auto world = with_lost_file("two/libx.so.1");
  world.add(packages_folder + "two/libx.so.1", {.is_64 = false, .machine = EM_386});
  world.add(packages_folder + "pkg/_C.so", {.runpath = "$ORIGIN/../two", .needed = {"libx.so.1"}});
  const auto report = world.explain({packages_folder + "pkg/_C.so"});
  CHECK(commands(report.findings.at(0)).starts_with("/venv/bin/python -m pip install --force-reinstall --no-deps two"));
  world.add(packages_folder + "pkg/_C.so", {.needed = {"libx.so.1"}});
  CHECK(commands(world.explain({packages_folder + "pkg/_C.so"}).findings.at(0)).find("two==2.0") == std::string::npos);
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

TEST_CASE("a path in DT_NEEDED becomes the name of the library, which lies elsewhere") {
  TestWorld world;
  world.add("/inst/bin/app", program({.runpath = "$ORIGIN/../lib", .needed = {"build/libm.so"}}));
  world.add("/inst/lib/libm.so", {});
  const auto report = world.explain({"/inst/bin/app"});
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].message ==
        "build/libm.so is a path, which is opened as it is, and nothing is there; the library is /inst/lib/libm.so");
  CHECK(commands(report.findings[0]) == "patchelf --replace-needed build/libm.so libm.so /inst/bin/app\n\n");
}

TEST_CASE("a library in a directory of ld.so.conf that the cache lacks is a matter of ldconfig") {
  TestWorld world;
  world.files.add_file("/etc/ld.so.conf", "/usr/local/lib\n");
  world.files.add_file("/etc/ld.so.cache", new_cache({{"libz.so", "/lib/libz.so"}}));
  world.add("/srv/app", program({.needed = {"libduc.so.1"}}));
  world.add("/usr/local/lib/libduc.so.1", {.soname = "libduc.so.1"});
  const auto report = world.explain({"/srv/app"});
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].fixes.at(0).command.ends_with("ldconfig"));
}

TEST_CASE("a library built for musl is named as such in a process of glibc") {
  TestWorld world;
  world.add("/srv/app", program({.runpath = "/srv", .needed = {"liba.so"}}));
  world.add("/srv/liba.so", {.soname = "liba.so", .needed = {"libc.musl-x86_64.so.1"}});
  const auto report = world.explain({"/srv/app"});
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].message.find("liba.so is built for musl (Alpine), and this process uses glibc") !=
        std::string::npos);
  CHECK(report.findings[0].fixes.at(0).title == "take the build of liba.so for glibc, or compile it on this system");
}

TEST_CASE("an empty file in the place of the driver is what an image keeps of a container") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libcuda.so.1"}}));
  world.files.add_file("/usr/lib/libcuda.so.1", "");
  world.files.add_file("/.dockerenv", "");
  const auto finding = world.explain({"/bin/app"}).findings.at(0);
  CHECK(says(finding, "it is empty, as in an image of a container that used the driver of its host"));
  CHECK(finding.fixes.at(0).command == "docker run --gpus all IMAGE");
}

TEST_CASE("where only another release of a library is installed, the program is built again") {
  TestWorld world;
  world.add("/usr/local/bin/app", program({.needed = {"libg.so.25"}}));
  world.add("/usr/lib/libg.so.27", {.soname = "libg.so.27"});
  world.files.add_file("/etc/os-release", "ID=debian\nVERSION_ID=12\n");
  const auto finding = world.explain({"/usr/local/bin/app"}).findings.at(0);
  REQUIRE(finding.code == "CUD102");
  REQUIRE(finding.fixes.size() == 1);
  CHECK(finding.fixes[0].title == "build or install app again: it was made with another release of the library");
  // A package for compatibility may have it where packages are installed by the names of libraries.
  world.files.add_file("/etc/os-release", "ID=fedora\n");
  CHECK(says(world.explain({"/usr/local/bin/app"}).findings.at(0), "sudo dnf install 'libg.so.25()(64bit)'"));
}

TEST_CASE("on Arch Linux a program of the system that wants another release waits for an upgrade") {
  TestWorld world;
  for (const std::string program_path : {"/usr/bin/app", "/opt/app"}) {
    world.add(program_path, program({.needed = {"libg.so.25"}}));
    world.add("/usr/lib/libg.so.27", {.soname = "libg.so.27"});
    world.files.add_file("/etc/os-release", "ID=arch\n");
    const auto finding = world.explain({program_path}).findings.at(0);
    REQUIRE(finding.code == "CUD102");
    CHECK((finding.fixes.at(0).command == "sudo pacman -Syu") == (program_path == "/usr/bin/app"));
  }
}

TEST_CASE("a link of the system whose file is gone belongs to a package that is installed") {
  const auto told = [](const std::string& folder) {
    TestWorld world;
    world.files.add_file("/etc/os-release", "ID=debian\nVERSION_ID=12\n");
    world.add("/usr/bin/app", program({.runpath = folder, .needed = {"libx.so.1"}}));
    world.files.add_symlink(folder + "/libx.so.1", "libx.so.1.0");
    return commands(world.explain({"/usr/bin/app"}).findings.at(0));
  };
  CHECK(told("/usr/lib").starts_with("sudo apt install --reinstall $(dpkg -S /usr/lib/libx.so.1 | cut -d: -f1)\n"));
  CHECK(told("/usr/local/lib").find("--reinstall") == std::string::npos);
}

}  // namespace
}  // namespace cudald
