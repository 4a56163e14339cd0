// Missing libraries of frameworks.

#include <doctest/doctest.h>

#include "check/fixes/framework_library.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/fixes/fix_text.h"

namespace cudald {
namespace {

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

}  // namespace
}  // namespace cudald
