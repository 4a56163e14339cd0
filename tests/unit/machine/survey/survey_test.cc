#include <doctest/doctest.h>

#include "common/pe_builder.h"
#include "common/world.h"
#include "unit/machine/cache_file.h"
#include "unit/machine/survey/surveyed.h"

namespace cudald {
namespace {

TEST_CASE("a file counts once, and what only bears a name does not") {
  auto files = healthy();
  files.add_file(site + "/nvidia/cublas/lib/libcublas.so.12", "no library");
  files.add_file(site + "/nvidia/cublas/lib/libcudart_notes.txt", "");
  files.add_symlink("/venv/lib/libcudart.so.12", site + "/nvidia/cuda_runtime/lib/libcudart.so.12");
  CHECK(look(files).copies.size() == 1);
}

TEST_CASE("an environment of Windows has its libraries elsewhere") {
  MemoryFileSystem files;
  PeSpec dll;
  dll.name = "cudnn64_9.dll";
  files.add_file("/venv/Lib/site-packages/nvidia/cudnn/bin/cudnn64_9.dll", pe(dll));
  CHECK(copies(look(files)) ==
        std::vector<std::string>{"cudnn 9 prefix /venv/Lib/site-packages/nvidia/cudnn/bin/cudnn64_9.dll"});
}

TEST_CASE("what is odd is remarked upon") {
  auto files = healthy();
  Environment environment;
  environment.variables["LD_LIBRARY_PATH"] = "/old:/none::/stubs";
  files.add_file("/old/libcudart.so.12", runtime(12040, "libcudart.so.12"));
  files.add_file("/old/libcudnn_ops.so.9",
                 library({"libcudnn_ops.so.9", "libcudnn_ops.so.9", {{"cudnnGetVersion", answer(90100)}}}));
  files.add_file("/old/libcudnn_cnn.so.9",
                 library({"libcudnn_cnn.so.9", "libcudnn_cnn.so.9", {{"cudnnGetVersion", answer(91002)}}}));
  files.add_file("/stubs/libcuda.so.1",
                 library({"libcuda.so.1", "", {{"cuInit", answer(34)}, {"cuDriverGetVersion", answer(34)}}}));
  const auto stack = look(files, environment);
  CHECK(stack.driver.version == "");
  CHECK(has_remark(
      stack, "libcudart.so.12 is here in 2 versions, and the first that a process loads serves all of it: 12.8 in " +
                 site + "/nvidia/cuda_runtime/lib, 12.4 in /old"));
  CHECK(has_remark(stack,
                   "/old mixes parts of cuDNN from 2 releases, which refuse each other: libcudnn_ops.so.9 9.1.0, "
                   "libcudnn_cnn.so.9 9.10.2"));
  CHECK(has_remark(stack, "/stubs/libcuda.so.1 is the toolkit's stub, and LD_LIBRARY_PATH leads to it"));
  CHECK(has_remark(stack, "LD_LIBRARY_PATH names /none, which is not a directory"));
  CHECK(has_remark(stack, "LD_LIBRARY_PATH has an empty element"));
}

TEST_CASE("of this system the libraries of the loader's cache count, with the folders that they are in") {
  auto files = healthy();
  files.add_file("/lib64/ld-linux-x86-64.so.2", glibc_loader("2.31", {"/lib64", "/usr/lib64"}));
  files.add_file("/opt/cuda/libcudart.so.12", runtime(12040, "libcudart.so.12"));
  files.add_file("/usr/lib64/libcudart.so.11.0", runtime(11080, "libcudart.so.11.0"));
  files.add_file("/etc/ld.so.cache", new_cache({{"libcudart.so.12", "/opt/cuda/libcudart.so.12"},
                                                {"libother.so.1", "/opt/other/libother.so.1"}}));
  Environment environment;
  environment.cpu = x86_64_cpu(3);
  const auto stack = look(files, environment);
  CHECK(stack.platform == "linux-x86_64");
  CHECK(stack.libc == "glibc-2.31");
  CHECK(stack.x86_64_level == 3);
  const auto all = copies(stack);
  CHECK(std::find(all.begin(), all.end(), "cudart 12.4 cache /opt/cuda/libcudart.so.12") != all.end());
  CHECK(std::find(all.begin(), all.end(), "cudart 11.8 system-folder /usr/lib64/libcudart.so.11.0") != all.end());
}

TEST_CASE("the models of GPUs are those that the driver tells of this machine") {
  auto files = healthy();
  files.add_file("/proc/driver/nvidia/gpus/0000:01:00.0/information", "Model: \t NVIDIA H100 PCIe\nIRQ:   100\n");
  files.add_file("/proc/driver/nvidia/gpus/0000:02:00.0/information", "Model:\n");
  for (const auto* place : {"0000:01:00.0", "0000:02:00.0"})
    files.add_file("/sys/bus/pci/devices/" + std::string(place) + "/device", "0x2331\n");
  const auto stack = look(files, {}, true);
  CHECK(stack.gpu_models == std::vector<std::string>{"NVIDIA H100 PCIe"});
  CHECK(stack.gpus == std::vector<GpuArchitecture>{{90, 0}});
  CHECK(look(files, {}).gpu_models.empty());
  CHECK(look(files, {}).gpus.empty());
}

TEST_CASE("where copies of CUDA's libraries are looked for, and how each place is called") {
  const auto place_of = [](const std::string& folder) {
    auto files = healthy();
    files.add_file("/lib64/ld-linux-x86-64.so.2", glibc_loader("2.31", {"/lib64", "/usr/lib64"}));
    files.add_folder("/usr/local/cuda-12.4");
    files.add_file("/usr/local/cuda-12.4/version.json", R"({"cuda": {"version": "12.4.1"}})");
    files.add_file(folder + "/libcudart.so.13", runtime(13000, "libcudart.so.13"));
    for (const auto& copy : look(files).copies)
      if (copy.name == "libcudart.so.13") return std::string(to_string(copy.place));
    return std::string("none");
  };
  for (const std::string below : {"/nvidia/cu13/lib", "/nvidia/cu13/bin", "/nvidia/x/bin/x86_64", "/torch/lib",
                                  "/cupy/.data/lib", "/onnxruntime/capi", "/tensorflow", "/pkg.libs"})
    CHECK_MESSAGE(place_of(site + below) == "prefix", below);
  CHECK(place_of("/venv/lib") == "prefix");
  for (const std::string below : {"/lib64", "/lib", "/targets/x86_64-linux/lib", "/bin"})
    CHECK_MESSAGE(place_of("/usr/local/cuda-12.4" + below) == "toolkit", below);
  CHECK(place_of("/usr/lib64") == "system-folder");
  for (const std::string& folder : {site + "/pkg", site + "/nvidia/cu13/lib64", site + "/pkg.lib", std::string("/opt"),
                                    std::string("/usr/local/cuda-12.4/lib32")})
    CHECK_MESSAGE(place_of(folder) == "none", folder);
}

TEST_CASE("of the loader's cache its own entries count, not what lies beside them, and no other variable's folders") {
  auto files = healthy();
  files.add_file("/lib64/ld-linux-x86-64.so.2", glibc_loader("2.31", {"/lib64", "/usr/lib64"}));
  files.add_file("/opt/cuda/libcudart.so.12", runtime(12040, "libcudart.so.12"));
  files.add_file("/opt/cuda/libcudart.so.11.0", runtime(11080, "libcudart.so.11.0"));
  files.add_file("/opt/cuda/libcuda.so.1", driver_library("470.82.01"));
  files.add_file("/etc/ld.so.cache", new_cache({{"libcudart.so.12", "/opt/cuda/libcudart.so.12"}}));
  Environment environment;
  environment.variables["CUDA_HOME"] = "/none::";
  const auto stack = look(files, environment);
  std::string cached;
  for (const auto& copy : stack.copies)
    if (copy.place == StackPlace::cache) cached += copy.path + " ";
  CHECK(cached == "/opt/cuda/libcudart.so.12 ");
  CHECK(stack.driver.version == "470.82.01");  // its folder is searched for the driver
  CHECK(stack.variables == std::vector<std::pair<std::string, std::string>>{{"CUDA_HOME", "/none::"}});
  CHECK_FALSE(has_remark(stack, "LD_LIBRARY_PATH"));
}

TEST_CASE("a stub outside the toolkit is remarked upon by who finds it, and one in it is not") {
  auto files = healthy();
  files.add_file("/lib64/ld-linux-x86-64.so.2", glibc_loader("2.31", {"/lib64", "/usr/lib64"}));
  files.add_file("/usr/lib64/libcuda.so.1", driver_stub());
  CHECK(has_remark(look(files),
                   "/usr/lib64/libcuda.so.1 is the toolkit's stub, and loaders look there: a program that finds it "
                   "before the driver gets an error from every call"));
  auto toolkit = healthy();
  toolkit.add_file("/usr/local/cuda-12.4/version.json", R"({"cuda": {"version": "12.4.1"}})");
  toolkit.add_file("/usr/local/cuda-12.4/lib64/libcuda.so.1", driver_stub());
  CHECK(look(toolkit).remarks.empty());
}

TEST_CASE("the folders of CUDA are those of the environment, or else of the toolkits, and no stub's") {
  auto files = healthy();
  files.add_file("/usr/local/cuda-12.4/version.json", R"({"cuda": {"version": "12.4.1"}})");
  files.add_file("/usr/local/cuda-12.4/lib64/libcudart.so.13", runtime(13000, "libcudart.so.13"));
  files.add_file("/usr/local/cuda-12.4/lib/libcuda.so.1", driver_stub());
  CHECK(cuda_folders(look(files)) == std::vector<std::string>{site + "/nvidia/cuda_runtime/lib"});
  const auto alone = survey(files, {}, "", false, built_in_knowledge());
  CHECK(alone.prefix.empty());
  CHECK(cuda_folders(alone) == std::vector<std::string>{"/usr/local/cuda-12.4/lib64"});
}

TEST_CASE("places have names of their own") {
  CHECK(to_string(StackPlace::ld_library_path) == "ld-library-path");
  CHECK(to_string(StackPlace::path) == "path");
  CHECK(to_string(StackPlace::cache) == "cache");
  CHECK(to_string(StackPlace::system_folder) == "system-folder");
  CHECK(to_string(StackPlace::toolkit) == "toolkit");
  CHECK(to_string(StackPlace::prefix) == "prefix");
}

TEST_CASE("the folders of LD_LIBRARY_PATH are searched from the current folder, which is also the empty one") {
  MemoryFileSystem files;
  files.add_file("/now/libcudart.so.12", runtime(12040, "libcudart.so.12"));
  files.add_file("/now/sub/libcudart.so.11.0", runtime(11080, "libcudart.so.11.0"));
  Environment environment;
  environment.cwd = "/now";
  environment.variables["LD_LIBRARY_PATH"] = "sub;";
  CHECK(copies(look(files, environment)) ==
        std::vector<std::string>{"cudart 11.8 ld-library-path /now/sub/libcudart.so.11.0",
                                 "cudart 12.4 ld-library-path /now/libcudart.so.12"});
}

TEST_CASE("what cannot be read, lies in no folder of a Python or is named like no library of CUDA is no copy") {
  MemoryFileSystem files;
  files.add_file("/venv/lib/libcudart.so.12", runtime(12040, "libcudart.so.12"), {.readable = false});
  files.add_file("/venv/lib/libcudart.so.11.0", runtime(11080, "libcudart.so.11.0"), {.broken_disk = true});
  files.add_file("/venv/lib/libcublas.so.12", "text");
  files.add_file("/venv/lib/xlibcudart.so.12", runtime(12040, "libcudart.so.12"));
  files.add_file("/venv/lib/libcudart.txt", runtime(12040, "libcudart.so.12"));
  files.add_file("/venv/lib/libother.so.1", runtime(12040, "libcudart.so.12"));
  CHECK(copies(look(files)).empty());
  files.add_file("/venv/lib/libcudart_static.so", runtime(12040, "libcudart.so.12"));
  CHECK(copies(look(files)) == std::vector<std::string>{"cudart 12.4 prefix /venv/lib/libcudart_static.so"});
}

TEST_CASE("remarks: a runtime is held against the driver, or else the kernel's module, down to its last number") {
  const auto told = [](const std::string& release, const std::string& driver, const std::string& module,
                       CudaKind kind = CudaKind::cudart) {
    CudaStack stack;
    stack.driver.version = driver;
    stack.driver.module_version = module;
    CudaCopy copy;
    copy.path = "/x/libcudart.so.12";
    copy.name = "libcudart.so.12";
    copy.library.kind = kind;
    copy.library.version = release;
    stack.copies = {copy};
    add_remarks(stack, MemoryFileSystem());
    return stack.remarks;
  };
  const auto needs = [](const std::string& driver) {
    return std::vector<std::string>{"/x/libcudart.so.12 needs driver 525.60.13 or newer; this one is " + driver};
  };
  CHECK(told("12.4", "525.60.13", "").empty());
  CHECK(told("12.4", "525.60.12", "") == needs("525.60.12"));
  CHECK(told("12.4", "", "525.60.12") == needs("525.60.12"));
  CHECK(told("12.4", "", "").empty());
  CHECK(told("99.0", "525.60.12", "").empty());
  CHECK(told("12.4", "525.60.12", "", CudaKind::cublas).empty());
}

TEST_CASE("remarks: releases of one name, and of cuDNN's parts in one folder") {
  const auto copy_of = [](CudaKind kind, const std::string& path, const std::string& version) {
    CudaCopy copy;
    copy.path = path;
    copy.name = std::string(path.substr(path.rfind('/') + 1));
    copy.library.kind = kind;
    copy.library.version = version;
    return copy;
  };
  const auto told = [](std::vector<CudaCopy> all) {
    CudaStack stack;
    stack.copies = std::move(all);
    add_remarks(stack, MemoryFileSystem());
    return stack.remarks;
  };
  const auto part = [&](const std::string& path, const std::string& version) {
    return copy_of(CudaKind::cudnn, path, version);
  };
  CHECK(told({part("/a/libcudnn_ops.so.9", "9.1"), part("/a/libcudnn_cnn.so.9", "9.1")}).empty());
  CHECK(told({part("/a/libcudnn_ops.so.9", "9.1"), part("/b/libcudnn_cnn.so.9", "9.2")}).empty());
  CHECK(told({part("/a/libcudnn_ops.so.9", "9.1"), part("/a/libcudnn.so.9", "9")}).empty());
  CHECK(told({copy_of(CudaKind::cublas, "/a/x.so", "9.1"), copy_of(CudaKind::cublas, "/a/y.so", "9.2")}).empty());
  CHECK(told({part("/a/libcudnn_ops.so.9", "9.1"), part("/a/libcudnn_adv.so.9", "9.1"),
              part("/a/libcudnn_cnn.so.9", "9.2")}) ==
        std::vector<std::string>{"/a mixes parts of cuDNN from 2 releases, which refuse each other: "
                                 "libcudnn_ops.so.9 9.1, libcudnn_cnn.so.9 9.2"});
  CHECK(told({part("/a/one.so", "9.1"), part("/b/one.so", "9.1")}).empty());
  CHECK(told({part("/a/one.so", "9.1"), part("/b/one.so", "9.1"), part("/c/one.so", "9.2")}) ==
        std::vector<std::string>{"one.so is here in 2 versions, and the first that a process loads serves all of it: "
                                 "9.1 in /a, 9.1 in /b, 9.2 in /c"});
}

TEST_CASE("the folders of CUDA: each once, those of the environment first, and none of the driver") {
  CudaStack stack;
  const auto add = [&](const std::string& path, StackPlace place, CudaKind kind = CudaKind::cudart, bool stub = false) {
    CudaCopy copy;
    copy.path = path;
    copy.place = place;
    copy.library.kind = kind;
    copy.library.stub = stub;
    stack.copies.push_back(copy);
  };
  add("/sys/libcudart.so", StackPlace::system_folder);
  add("/kit/libcudart.so", StackPlace::toolkit);
  add("/kit/libcublas.so", StackPlace::toolkit, CudaKind::cublas);
  add("/kit2/libcublas.so", StackPlace::toolkit, CudaKind::cublas);
  add("/stubs/libcublas.so", StackPlace::toolkit, CudaKind::cublas, true);
  add("/env/libcuda.so.1", StackPlace::prefix, CudaKind::driver);
  CHECK(cuda_folders(stack) == std::vector<std::string>{"/kit", "/kit2"});
  add("/env/libcudart.so", StackPlace::prefix);
  CHECK(cuda_folders(stack) == std::vector<std::string>{"/env"});
}

TEST_CASE(
    "what is surveyed is judged by the tables at hand, and the driver lies also where the loader looks by itself") {
  auto files = healthy();
  files.add_file("/lib64/ld-linux-x86-64.so.2", glibc_loader("2.31", {"/lib64", "/usr/lib64"}));
  files.add_file("/usr/lib64/libcuda.so.1", driver_library("535.104.05"));
  const auto known = read_knowledge(R"({"schema": "cudald/providers", "checked": "2030-01-02", "source": "notes",
    "providers": []})");
  REQUIRE(known);
  const auto stack = survey(files, {}, "/venv", false, *known);
  CHECK(stack.knowledge == *known);
  CHECK(stack.prefix == "/venv");
  CHECK(stack.driver.version == "535.104.05");
  CHECK(stack.driver.known_by == "/usr/lib64/libcuda.so.1");
}

TEST_CASE("the machine that is surveyed is the one whose loader is there, the first of two, or none") {
  auto files = healthy();
  Environment environment;
  environment.cpu = x86_64_cpu(2);
  auto stack = look(files, environment);
  CHECK(stack.platform.empty());
  CHECK(stack.libc.empty());
  CHECK(stack.x86_64_level == 0);
  files.add_file("/lib/ld-linux-aarch64.so.1", glibc_loader("2.35", {"/lib"}));
  environment.cpu = Cpu();
  stack = look(files, environment);
  CHECK(stack.platform == "linux-aarch64");
  CHECK(stack.libc == "glibc-2.35");
  files.add_file("/lib64/ld-linux-x86-64.so.2", glibc_loader("2.31", {"/lib64"}));
  stack = look(files, environment);
  CHECK(stack.platform == "linux-x86_64");
  CHECK(stack.libc == "glibc-2.31");
}

TEST_CASE("an entry of the loader's cache counts by its key, not by where it leads") {
  auto files = healthy();
  files.add_file("/lib64/ld-linux-x86-64.so.2", glibc_loader("2.31", {"/lib64"}));
  files.add_file("/opt/cuda/libcudart.so.12", runtime(12040, "libcudart.so.12"));
  files.add_file("/opt/odd/libcudart.so.11.0", runtime(11080, "libcudart.so.11.0"));
  files.add_file("/etc/ld.so.cache", new_cache({{"libodd.so.1", "/opt/odd/libcudart.so.11.0"},
                                                {"libcudart.so.12", "/opt/cuda/libcudart.so.12"},
                                                {"libcudart.so.13", "/opt/odd/libcudart.so.13"}}));
  std::string cached;
  for (const auto& copy : look(files).copies)
    if (copy.place == StackPlace::cache) cached += copy.path + " ";
  CHECK(cached == "/opt/cuda/libcudart.so.12 ");
}

TEST_CASE("frameworks and copies are looked for in folders of packages, not in all that a Python searches") {
  auto files = healthy();
  for (const std::string folder : {"/usr/lib/python3.11", "/venv/lib/python3.11", "/usr/lib/python3.11/lib-dynload"})
    files.add_file(folder + "/torch/lib/libcudart.so.13", runtime(13000, "libcudart.so.13"));
  CHECK(copies(look(files)).size() == 1);
}

}  // namespace
}  // namespace cudald
