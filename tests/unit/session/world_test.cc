#include "session/world.h"

#include <elf.h>

#include <array>
#include <cstring>

#include <doctest/doctest.h>

#include <cudald/linux_host_file.h>
#include <cudald/windows_host_file.h>

#include "common/code_file.h"
#include "common/fatbin_file.h"
#include "common/pe_builder.h"
#include "common/wheel_file.h"
#include "common/world.h"
#include "machine/own_machine.h"
#include "unit/archive/tar_builder.h"

namespace cudald {
namespace {

const std::string own_wheel = "/dist/pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl";

TEST_CASE("packages alone are asked about in the world of their tag, all else here") {
  Query query;
  query.targets = {own_wheel};
  CHECK(world_of(query) == WorldKind::tag);
  query.targets = {own_wheel, "/bin/ls"};
  CHECK(world_of(query) == WorldKind::here);
  const bool on_arm = own_machine == EM_AARCH64;
  for (const auto* machine : on_arm ? std::array{"aarch64", "armv7l"} : std::array{"x86_64", "i686"}) {
    query.targets = {std::string("/dist/pkg-1.0-cp311-cp311-linux_") + machine + ".whl"};
    CHECK(world_of(query) == WorldKind::here);
  }
  // Nobody installs it here.
  query.targets = {std::string("/dist/pkg-1.0-cp311-cp311-linux_") + (on_arm ? "x86_64" : "aarch64") + ".whl"};
  CHECK(world_of(query) == WorldKind::tag);
  for (const auto* package : {"/dist/x-1-h.conda", "/dist/x.zip", "/dist/x-1-py3-none-linux_x86_64.any.whl"}) {
    query.targets = {package};
    CHECK(world_of(query) == WorldKind::tag);
  }
  query.targets = {own_wheel};
  query.prefix = "/venv";
  CHECK(world_of(query) == WorldKind::here);
  query.world = WorldKind::tag;
  CHECK(world_of(query) == WorldKind::tag);
}

TEST_CASE("in the world of a tag nothing of this machine counts") {
  const MemoryFileSystem files;
  Query query;
  query.targets = {own_wheel};
  query.environment.variables = {{"LD_LIBRARY_PATH", "/opt/lib"}};
  query.environment.stated = {{"MINE", "{site}/x"}};
  query.environment.cwd = "/home/me";
  query.environment.cpu = x86_64_cpu(4);
  const auto own = in_its_world(query, files);
  CHECK(own.environment.variables ==
        std::map<std::string, std::string>{{"MINE", std::string(PackageTree::site_packages) + "/x"}});
  CHECK(own.environment.cwd == "/");
  CHECK(own.environment.cpu == x86_64_cpu(1));
  CHECK(own.folder == "/home/me");
  query.environment.cpu_stated = true;
  CHECK(in_its_world(query, files).environment.cpu == x86_64_cpu(4));
}

TEST_CASE("who says nothing of a machine asks about this one and the GPUs that it lets be seen") {
  const MemoryFileSystem files;
  Query plain;
  plain.targets = {"/bin/app"};
  std::vector<MachineGpu> gpus = {{"A", "", GpuArchitecture{90, 0}},
                                  {"A", "", GpuArchitecture{90, 0}},
                                  {"B", "", {}},
                                  {"C", "", GpuArchitecture{120, 0}}};
  const auto taken = [&](auto change) {
    auto query = plain;
    change(query);
    query = in_its_world(query, files, gpus);
    std::string text = query.machine_gpus ? "taken:" : "stated:";
    for (const auto gpu : query.gpus) text += " " + to_string(gpu);
    return text;
  };
  CHECK(taken([](Query&) {}) == "taken: sm_90 sm_120");
  CHECK(taken([](Query& query) { query.gpus = {{80, 0}}; }) == "stated: sm_80");
  CHECK(taken([](Query& query) { query.machine_gpus = false; }) == "stated:");
  CHECK(taken([](Query& query) { query.environment.driver = "550.54"; }) == "stated:");
  CHECK(taken([](Query& query) { query.sysroot = "/tree"; }) == "stated:");
  CHECK(taken([](Query& query) { query.targets = {own_wheel}; }) == "stated:");
  CHECK(taken([](Query& query) { query.windows_host = std::make_shared<WindowsHostFile>(); }) == "stated:");
  const auto visible = [](const char* devices) {
    return [devices](Query& query) { query.environment.variables["CUDA_VISIBLE_DEVICES"] = devices; };
  };
  CHECK(taken(visible("-1")) == "stated:");
  CHECK(taken(visible("4")) == "stated:");
  CHECK(taken(visible("3")) == "taken: sm_90 sm_120");
  gpus = {{"B", "", {}}};
  CHECK(taken([](Query&) {}) == "stated:");
}

TEST_CASE("code for the GPUs of this machine is looked for, but not of what is loaded by Windows") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libk.so"}}));
  world.files.add_file("/lib/libk.so", gpu_library({.soname = "libk.so"}, {{2, 80}}));
  world.files.add_file("/proc/driver/nvidia/gpus/0000:01:00.0/information", "Model: NVIDIA H200\n");
  world.files.add_file("/sys/bus/pci/devices/0000:01:00.0/device", "0x2335\n");
  const auto report = world.explain({"/bin/app"});
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].message == "libk.so has no code for sm_90: it contains sm_80 and no PTX");
  CHECK(report.verdict == Verdict::risk);
  world.files.add_file("/app/k.dll", pe({}));
  CHECK(world.explain({"/app/k.dll"}).query.gpus.empty());
  world.query.gpus = {{80, 0}};
  CHECK(world.explain({"/app/k.dll"}).query.gpus.size() == 1);
}

TEST_CASE("the tag's libraries are there, and those of the machine are not") {
  TestWorld world;
  const ElfSpec module{.needed = {"libc.so.6", "libz.so.1"}, .executable_stack = false};
  world.files.add_file(own_wheel,
                       wheel_file({{"pkg/__init__.py", "from . import a\n"}, {"pkg/a.abi3.so", elf(module)}}));
  const auto report = world.explain({own_wheel});
  CHECK(report.verdict == Verdict::loads);
  CHECK(report.resolution.world.name == "manylinux_2_28_x86_64");
  CHECK(report.resolution.libc == LibcVersion{LibcKind::glibc, 2, 28});
  CHECK(report.headline.ends_with(" loads on any manylinux_2_28_x86_64 system"));
  CHECK(objects(report).find("(manylinux_2_28_x86_64)/libz.so.1") != std::string::npos);
}

TEST_CASE("the tag is that of the packages that are asked about; of a lock all of them count") {
  TestWorld world;
  const std::string beside = "/dist/app-1.0-py3-none-manylinux_2_17_x86_64.whl";
  const auto module = elf({.needed = {"libc.so.6"}});
  world.files.add_file(own_wheel, wheel_file({{"pkg/__init__.py", "from . import a\n"}, {"pkg/a.abi3.so", module}}));
  world.files.add_file(beside, wheel_file({{"app/b.so", module}}, "", "app"));
  world.query.packages = {beside};
  CHECK(world.explain({own_wheel}).resolution.world.name == "manylinux_2_28_x86_64");
  CHECK(world.explain({beside}).resolution.world.name == "manylinux_2_17_x86_64");
  CHECK(world.explain({own_wheel, beside}).resolution.world.name == "manylinux_2_17_x86_64");
  CHECK(world.explain({beside, own_wheel}).resolution.world.name == "manylinux_2_17_x86_64");
  world.query.packages = {beside, own_wheel};
  world.query.lock = std::vector<LockedDistribution>();
  CHECK(world.explain({beside}).resolution.world.name == "manylinux_2_28_x86_64");
}

TEST_CASE("what a lock pins and is not at hand is there, by what is known of it, in any world") {
  TestWorld world;
  const auto module = elf({.runpath = "$ORIGIN/../nvidia/cuda_runtime/lib", .needed = {"libcudart.so.12"}});
  world.files.add_file(own_wheel, wheel_file({{"pkg/__init__.py", "from . import a\n"}, {"pkg/a.abi3.so", module}},
                                             "Requires-Dist: nvidia-cuda-runtime-cu12\n"));
  world.query.world = WorldKind::here;
  world.query.lock = std::vector{LockedDistribution{"nvidia-cuda-runtime-cu12", "12.8.90"}};
  const auto with = world.explain({own_wheel});
  CHECK(with.verdict == Verdict::loads);
  CHECK(objects(with).find("nvidia/cuda_runtime/lib/libcudart.so.12") != std::string::npos);
  world.query.lock = std::vector<LockedDistribution>();
  CHECK(world.explain({own_wheel}).verdict == Verdict::fails);
}

TEST_CASE("what a wheel for this machine requires lies beside it, as an installer puts it there") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-linux_x86_64.whl";
  const auto verdict = [&](const std::string& requires_dist) {
    const auto module = elf(
        {.runpath = "$ORIGIN/../nvidia/cuda_runtime/lib", .needed = {"libcudart.so.12"}, .executable_stack = false});
    world.files.add_file(
        path, wheel_file({{"pkg/__init__.py", "from . import a\n"}, {"pkg/a.abi3.so", module}}, requires_dist));
    return world.explain({path}).verdict;
  };
  const std::string runtime = "Requires-Dist: nvidia-cuda-runtime-cu12\n";
  CHECK(verdict("") == Verdict::fails);
  CHECK(verdict(runtime) == Verdict::loads);
  CHECK(verdict("Requires-Dist: nvidia-cuda-runtime-cu12; python_version < '3.9'\n") == Verdict::fails);
  // An environment that is named has what is installed in it.
  world.files.add_file("/venv/pyvenv.cfg", "");
  world.files.add_folder("/venv/lib/python3.11/site-packages");
  world.query.prefix = "/venv";
  CHECK(verdict(runtime) == Verdict::fails);
}

TEST_CASE("a Python that is not at hand has its standard library, down to its modules") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-py3-none-any.whl";
  const auto import = [&](const std::string& code) {
    world.files.add_file(path, wheel_file({{"pkg/__init__.py", code}}));
    return world.explain({path});
  };
  CHECK(import("import concurrent.futures._base\n").verdict == Verdict::loads);
  const auto wrong = import("import concurent.futures\n");
  CHECK(wrong.verdict == Verdict::fails);
  CHECK(wrong.findings.at(0).message == "pkg imports the module concurent, which no declared dependency provides");
}

TEST_CASE("what is compiled with numpy 1 is refused by numpy 2") {
  const auto module = [](const std::string& name) {
    CodeFile file({"PyImport_ImportModule"});
    const auto text = file.text(name);
    file.function();
    file.address(CodeFile::rdi, text).call("PyImport_ImportModule");
    auto bytes = file.bytes();
    // The loader writes to the slots of the functions: their segment must be writable.
    Elf64_Ehdr header;
    std::memcpy(&header, bytes.data(), sizeof header);
    for (std::size_t i = 0; i < header.e_phnum; ++i) {
      const auto at = header.e_phoff + i * sizeof(Elf64_Phdr);
      Elf64_Phdr segment;
      std::memcpy(&segment, bytes.data() + at, sizeof segment);
      if (segment.p_type == PT_LOAD && segment.p_vaddr == CodeFile::base) segment.p_flags |= PF_W;
      std::memcpy(bytes.data() + at, &segment, sizeof segment);
    }
    return bytes;
  };
  const auto outcome_of = [&](const std::string& asked, const std::vector<std::string>& parts_of_numpy) {
    TestWorld world;
    const std::string path = "/dist/pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl";
    std::vector<std::pair<std::string, std::string>> members{
        {"pkg/__init__.py", "from . import made\n"}, {"pkg/made.so", module(asked)}, {"numpy/__init__.py", ""}};
    for (const auto& part : parts_of_numpy) {
      members.emplace_back("numpy/" + part.substr(0, part.find('/')) + "/__init__.py", "");
      members.emplace_back("numpy/" + part, part.ends_with(".so") ? elf({}) : "");
    }
    world.files.add_file(path, wheel_file(members));
    const auto report = world.explain({path});
    return report.verdict == Verdict::fails
               ? report.findings.at(0).message.substr(report.findings.at(0).message.find(": ") + 2)
               : "no failure";
  };
  const std::string older = "numpy.core._multiarray_umath", newer = "numpy._core._multiarray_umath";
  const std::string refused = "ImportError: numpy.core.multiarray failed to import";
  const std::string python_2 = "core/_multiarray_umath.py", compiled_2 = "_core/_multiarray_umath.so";
  const std::string compiled_1 = "core/_multiarray_umath.so", python_1 = "_core/_multiarray_umath.py";
  CHECK(outcome_of(older, {compiled_2}) == refused);
  CHECK(outcome_of(older, {compiled_2, python_2}) == refused);
  CHECK(outcome_of(older, {compiled_1}) == "no failure");
  // 1.26
  CHECK(outcome_of(older, {compiled_1, python_1}) == "no failure");
  CHECK(outcome_of(newer, {compiled_2, python_2}) == "no failure");
}

TEST_CASE("a wheel of Python code alone loads") {
  TestWorld world;
  const std::string plain = "/dist/pkg-1.0-py3-none-any.whl";
  world.files.add_file(plain, wheel_file({{"pkg/__init__.py", "import json\n"}}));
  CHECK(world.explain({plain}).verdict == Verdict::loads);
}

TEST_CASE("what names a place of this machine makes the question one about this machine") {
  const auto world = [](auto change) {
    Query query;
    query.targets = {own_wheel};
    change(query);
    return world_of(query);
  };
  CHECK(world([](Query&) {}) == WorldKind::tag);
  CHECK(world([](Query& q) { q.targets.clear(); }) == WorldKind::here);
  CHECK(world([](Query& q) { q.sysroot = "/srv"; }) == WorldKind::here);
  CHECK(world([](Query& q) { q.windows_host = std::make_shared<const WindowsHostFile>(); }) == WorldKind::here);
  CHECK(world([](Query& q) { q.linux_host = std::make_shared<const LinuxHostFile>(); }) == WorldKind::described);
  CHECK(world([](Query& q) {
          q.linux_host = std::make_shared<const LinuxHostFile>();
          q.world = WorldKind::tag;
        }) == WorldKind::described);
  const auto with_folder = [&](const std::string& folder) {
    std::string kinds;
    for (auto member : {&Environment::dll_path, &Environment::dll_directories, &Environment::preload})
      kinds += std::string(to_string(world([&](Query& q) { (q.environment.*member) = {"", folder}; }))) + " ";
    return kinds + std::string(to_string(world([&](Query& q) { q.environment.stated["LD_LIBRARY_PATH"] = folder; })));
  };
  CHECK(with_folder("/opt/lib") == "here here here here");
  CHECK(with_folder("{site}/x") == "tag tag tag tag");
  CHECK(with_folder("C:\\CUDA\\bin") == "tag tag tag tag");
  CHECK(with_folder("") == "tag tag tag tag");
  CHECK(world([](Query& q) { q.environment.stated["PATH"] = "/opt/bin"; }) == WorldKind::tag);
  CHECK(world([](Query& q) { q.targets = {"/d/a-1-py3-none-linux_x86_64.manylinux_2_17_x86_64.whl"}; }) ==
        WorldKind::tag);
  CHECK(world([](Query& q) { q.targets = {own_wheel + "!/pkg/a.so"}; }) == WorldKind::tag);
}

TEST_CASE("{site} is the folder of packages wherever it stands, and stays where there is none") {
  TestWorld world;
  const auto told = [&](Query query) {
    query.environment.variables = {{"A", "{site}/a:{site}/b"}, {"B", "plain"}};
    query.environment.stated = {{"A", "{site}/a:{site}/b"}};
    query.environment.dll_path = {"{site}\\bin"};
    query.environment.dll_directories = {"x", "{site}"};
    const auto own = in_its_world(query, world.files).environment;
    return own.variables.at("A") + " " + own.dll_path[0] + " " + own.dll_directories[1];
  };
  const std::string site(PackageTree::site_packages);
  const auto everywhere = [](const std::string& folder) {
    return folder + "/a:" + folder + "/b " + folder + "\\bin " + folder;
  };
  Query query;
  query.targets = {"/bin/app"};
  CHECK(told(query) == everywhere("{site}"));
  query.packages = {"/x.whl"};
  CHECK(told(query) == everywhere(site));
  query.packages.clear();
  query.targets = {"/bin/app", own_wheel};
  CHECK(told(query) == everywhere(site));
  query.targets = {"/bin/app"};
  query.prefix = "venv";
  query.environment.cwd = "/home/me";
  CHECK(told(query) == everywhere("{site}"));
  world.files.add_file("/home/me/venv/bin/python3.11", elf(program({})), {.executable = true});
  world.files.add_file("/home/me/venv/lib/python3.11/os.py", "");
  world.files.add_folder("/home/me/venv/lib/python3.11/site-packages");
  CHECK(told(query) == everywhere("/home/me/venv/lib/python3.11/site-packages"));
}

/// The world of a wheel of that name with a module that was made so.
World world_with(const std::string& name, const ElfSpec& module, const std::string& metadata = "") {
  TestWorld world;
  world.files.add_file("/dist/" + name,
                       wheel_file({{"pkg/__init__.py", "from . import a\n"}, {"pkg/a.so", elf(module)}}, metadata));
  world.query.world = WorldKind::tag;
  return world.explain({"/dist/" + name}).resolution.world;
}

TEST_CASE("the world is called by the oldest tag, for the machine of the libraries and their C library") {
  const auto name = [](const std::string& tags, const ElfSpec& module) {
    return world_with("pkg-1.0-cp311-cp311-" + tags + ".whl", module).name;
  };
  const ElfSpec x86_64{.needed = {"libc.so.6"}};
  CHECK(name("manylinux_2_28_x86_64", x86_64) == "manylinux_2_28_x86_64");
  CHECK(name("manylinux_2_28_x86_64.manylinux_2_17_x86_64", x86_64) == "manylinux_2_17_x86_64");
  CHECK(name("manylinux_2_17_x86_64.manylinux_2_28_x86_64", x86_64) == "manylinux_2_17_x86_64");
  const ElfSpec aarch64{.machine = EM_AARCH64, .needed = {"libc.so.6"}};
  CHECK(name("manylinux_2_28_aarch64", aarch64) == "manylinux_2_28_aarch64");
  const ElfSpec musl{.needed = {"libc.musl-x86_64.so.1"}};
  CHECK(name("musllinux_1_2_x86_64", musl) == "musllinux_1_2_x86_64");
  const ElfSpec i686{.is_64 = false, .machine = EM_386, .needed = {"libc.so.6"}};
  CHECK(name("manylinux_2_17_i686", i686) == "manylinux_2_17_i686");
}

TEST_CASE("where no tag promises anything the newest known is taken, and that is noted") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-linux_x86_64.whl";
  world.files.add_file(path, wheel_file({{"pkg/__init__.py", "from . import a\n"}, {"pkg/a.so", elf({})}}));
  world.query.world = WorldKind::tag;
  const auto resolution = world.explain({path}).resolution;
  CHECK(resolution.world.name.starts_with("manylinux_2_"));
  REQUIRE(resolution.notes.size() >= 1);
  CHECK(lines(resolution.notes)
            .find("its tag guarantees nothing about a machine; assumed: " + resolution.world.name +
                  ", the newest that is known\n") != std::string::npos);
  CHECK(world_with("pkg-1.0-cp311-cp311-manylinux_2_5_x86_64.whl", {}).name == "manylinux_2_5_x86_64");
}

TEST_CASE("the Python is that which is asked for, else that of the tags, else a usual one that is allowed") {
  TestWorld world;
  const auto python = [&](const std::string& name, const std::string& metadata) {
    const auto path = "/dist/" + name;
    world.files.add_file(path, wheel_file({{"pkg/__init__.py", ""}}, metadata));
    return world.explain({path}).resolution.world.python;
  };
  CHECK(python("pkg-1.0-py3-none-any.whl", "") == "3.12");
  CHECK(python("pkg-1.0-py3-none-any.whl", "Requires-Python: >=3.9\n") == "3.12");
  CHECK(python("pkg-1.0-py3-none-any.whl", "Requires-Python: >3.12\n") == "3.13");
  CHECK(python("pkg-1.0-py3-none-any.whl", "Requires-Python: <3.8\n") == "3.7");
  CHECK(python("pkg-1.0-py3-none-any.whl", "Requires-Python: <3\n") == "3.12");
  world.query.python = "3.9";
  CHECK(python("pkg-1.0-cp310-cp310-manylinux_2_28_x86_64.whl", "") == "3.9");
}

TEST_CASE("a wheel for Windows is asked about in the world of its own tag") {
  const auto name = [](const std::string& tags, PeSpec module) {
    TestWorld world;
    const auto path = "/dist/pkg-1.0-" + tags + ".whl";
    world.files.add_file(path, wheel_file({{"pkg/__init__.py", "from . import a\n"}, {"pkg/a.pyd", pe(module)}}));
    world.query.world = WorldKind::tag;
    return world.explain({path}).resolution.world.name;
  };
  CHECK(name("cp311-cp311-win_amd64", {}) == "win_amd64");
  CHECK(name("cp311-cp311-win32", {.wide = false, .machine = EM_386}) == "win32");
  CHECK(name("cp311-cp311-linux_x86_64.win_amd64", {}) == "win_amd64");
}

TEST_CASE("requirements are known by what they bring, and of a lock by what it pins") {
  TestWorld world;
  const auto module = elf({.needed = {"libc.so.6"}});
  world.files.add_file(own_wheel, wheel_file({{"pkg/__init__.py", "from . import a\n"}, {"pkg/a.abi3.so", module}},
                                             "Requires-Dist: nvidia-cuda-runtime-cu12\nRequires-Dist: numpy>=1.20\n"
                                             "Requires-Dist: unheard-of\nRequires-Dist: dep; extra == 'x'\n"));
  const auto told = [&] {
    std::string text;
    for (const auto& each : world.explain({own_wheel}).resolution.world.requirements) {
      text += each.name + " " + each.specifiers + (each.known ? " known" : "") + (each.at_hand ? " at hand" : "");
      if (!each.version.empty()) text += " pinned " + each.version;
      for (const auto& library : each.libraries)
        if (library.starts_with("libcudart.so")) text += " " + library;
      for (const auto& name : each.modules)
        if (name == "numpy") text += " module " + name;
      text += "\n";
    }
    return text;
  };
  CHECK(told() == R"(nvidia-cuda-runtime-cu12  known libcudart.so.12
numpy >=1.20 known module numpy
unheard-of 
)");
  world.query.extras = {"x"};
  CHECK(told() == R"(nvidia-cuda-runtime-cu12  known libcudart.so.12
numpy >=1.20 known module numpy
unheard-of 
dep 
)");
  world.query.extras.clear();
  world.query.lock = std::vector{LockedDistribution{"nvidia-cuda-runtime-cu12", "12.8.90"},
                                 LockedDistribution{"numpy", "2.1.0"}, LockedDistribution{"beside", "1.0"}};
  CHECK(told() == R"(nvidia-cuda-runtime-cu12 ==12.8.90 known pinned 12.8.90 libcudart.so.12
numpy ==2.1.0 known pinned 2.1.0 module numpy
beside ==1.0 pinned 1.0
)");
  world.query.lock = std::vector<LockedDistribution>();
  CHECK(told() == "");
}

TEST_CASE("what requirements bring is imported, be it in a namespace, or known of another release alone") {
  const auto ends = [](const std::string& code, const std::string& requirement) {
    TestWorld world;
    world.files.add_file(own_wheel, wheel_file({{"pkg/__init__.py", code}}, "Requires-Dist: " + requirement + "\n"));
    const auto report = world.explain({own_wheel});
    return report.verdict == Verdict::loads ? "loads" : report.findings.at(0).message;
  };
  for (const std::string statement : {"import google.protobuf.message", "from google.protobuf import message",
                                      "from google import protobuf", "from google.protobuf.internal import x"}) {
    CAPTURE(statement);
    CHECK(ends(statement + "\n", "protobuf") == "loads");
    CHECK(ends(statement + "\n", "numpy") == "pkg imports the module google, which no declared dependency provides");
  }
  CHECK(ends("import google.cloud\n", "protobuf") ==
        "pkg imports the module google.cloud, which no declared dependency provides");
  CHECK(ends("import dateutil.parser\n", "python-dateutil<1") == "loads");
  const std::string asks = "try:\n  import far\nexcept ImportError:\n  raise ImportError('install far')\n";
  CHECK(ends(asks, "unheard-of") == "loads");
  CHECK(ends(asks, "numpy") == "ImportError: install far");
  const std::string looks =
      "import importlib.util\nif importlib.util.find_spec('far') is None:\n  raise ImportError('no')\n";
  CHECK(ends(looks, "unheard-of") == "loads");
  CHECK(ends(looks, "numpy") == "ImportError: no");
}

TEST_CASE("a neutral Python has the variables that every process has, and those that are stated") {
  const auto ends = [](const std::string& condition, const std::map<std::string, std::string>& stated) {
    TestWorld world;
    const auto code = "import os\nif not (" + condition + "): raise ImportError('no')\n";
    world.files.add_file(own_wheel, wheel_file({{"pkg/__init__.py", code}}));
    world.query.environment.stated = stated;
    world.query.environment.variables = {{"LEFT_OUT", "1"}};
    const auto report = world.explain({own_wheel});
    return report.verdict == Verdict::loads ? "loads" : report.findings.at(0).message;
  };
  CHECK(ends("os.environ['HOME'] and '/usr/bin' in os.environ['PATH'].split(':')", {}) == "loads");
  CHECK(ends("os.environ['PATH'] == '/opt'", {{"PATH", "/opt"}}) == "loads");
  CHECK(ends("os.environ['A'] == '1'", {{"A", "1"}}) == "loads");
  CHECK(ends("'A' not in os.environ and 'LEFT_OUT' not in os.environ", {}) == "loads");
  CHECK(ends("os.environ['A'] == '1'", {{"A", "2"}}) == "ImportError: no");
}

TEST_CASE("what conda packages depend on is known by what they bring, and of a lock by what it pins") {
  TestWorld world;
  const std::string path = "/dist/app-1-0.tar.bz2";
  const std::string index =
      R"({"name":"app","version":"1","depends":["cuda-cudart >=12,<13","unheard-of 1.*","__glibc >=2.28"]})";
  world.files.add_file(path,
                       tar_of({{.name = "info/index.json", .data = index},
                               {.name = "lib/liba.so", .data = elf({.needed = {"libcudart.so.12", "libc.so.6"}})}}));
  world.query.world = WorldKind::tag;
  const auto told = [&] {
    const auto resolution = world.explain({path}).resolution;
    std::string text = resolution.world.name + "\n";
    for (const auto& each : resolution.world.requirements) {
      text += each.name + " " + each.version + " " + each.specifiers + (each.known ? " known" : "");
      for (const auto& library : each.libraries)
        if (library.starts_with("libcudart.so")) text += " " + library;
      text += "\n";
    }
    return text;
  };
  CHECK(told() == "linux-64 with glibc 2.28\ncuda-cudart  >=12,<13 known libcudart.so.12\nunheard-of  1.*\n");
  CHECK(lines(world.explain({path}).resolution.notes)
            .find("the contents of cuda-cudart (conda) are likely, not proven: no package was opened\n") !=
        std::string::npos);
  world.query.lock = std::vector{LockedDistribution{"cuda-cudart", "12.4.127"}, LockedDistribution{"more", "2"}};
  CHECK(told() == "linux-64 with glibc 2.28\ncuda-cudart 12.4.127 ==12.4.127 known libcudart.so.12\nmore 2 ==2\n");
}

TEST_CASE("a lock decides of what is required which is there, and in which version; what is at hand keeps its own") {
  TestWorld world;
  world.files.add_file(own_wheel,
                       wheel_file({{"pkg/__init__.py", ""}, {"pkg/a.abi3.so", elf({.needed = {"libc.so.6"}})}},
                                  "Requires-Dist: dep\nRequires-Dist: six>1\nRequires-Dist: unlocked\n"));
  const std::string dep = "/dist/dep-1.0-py3-none-any.whl";
  world.files.add_file(dep, wheel_file({{"dep.py", ""}}, "", "dep"));
  world.query.packages = {dep};
  world.query.lock = std::vector<LockedDistribution>{{"dep", "9"}, {"six", "1.16.0"}, {"beside", "3"}};
  std::string told;
  const auto report = world.explain({own_wheel});
  for (const auto& required : report.resolution.world.requirements)
    told += required.name + " " + required.specifiers + (required.at_hand ? " at hand\n" : "\n");
  CHECK(told == "dep  at hand\nsix ==1.16.0\nbeside ==3\n");
}

}  // namespace
}  // namespace cudald
