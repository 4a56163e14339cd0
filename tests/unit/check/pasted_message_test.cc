// What a pasted message proves: CUD117, CUD311.

#include <doctest/doctest.h>

#include "common/built_in.h"
#include "common/fatbin_file.h"
#include "common/pe_builder.h"
#include "unit/check/finding_text.h"

namespace cudald {
namespace {

TestWorld with_message(const std::string& text) {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"liba.so"}}));
  world.add("/lib/liba.so", {.soname = "liba.so"});
  world.query.message = read_message(text, built_in());
  REQUIRE(world.query.message);
  return world;
}

TEST_CASE("a library that nothing asks for, and that the message names, is never passed over") {
  auto world = with_message("Could not load library libcudnn_ops_infer.so.8. Error: libcudnn_ops_infer.so.8: cannot");
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD117 warning libcudnn_ops_infer.so.8\n");
  CHECK(report.verdict == Verdict::risk);
  CHECK(report.headline ==
        "app loads, but the message proves that something opens libcudnn_ops_infer.so.8 and does not find it; no file "
        "here names it");
  const auto& fix = report.findings[0].fixes.front();
  CHECK(fix.command.find("pip install nvidia-cudnn-cu1") == 0);
  CHECK(fix.side_effect ==
        "it lands in site-packages/nvidia/cudnn/lib: if the message stays, that folder has to be named in "
        "LD_LIBRARY_PATH");
}

TEST_CASE("one that is found here was printed elsewhere") {
  const auto report = with_message("liba.so: cannot open shared object file").explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD117 warning liba.so\n");
  CHECK(in_full(report) ==
        R"(CUD117 | warning | liba.so
  the message proves that liba.so was not usable; here it is found at /lib/liba.so, so that the message comes from )"
        R"(another environment, or a library that it needs was missing
  - printed: liba.so: cannot open shared object file | proven
  - the dynamic loader, to whoever asked for the library | table
  = no folder of the search has it; if it was asked for by dlopen, the caller decides what follows.
)");
  CHECK(report.findings[0].message.find("here it is found at /lib/liba.so") != std::string::npos);
}

TEST_CASE("who holds the text of the message is told, with its place") {
  auto world = with_message("RuntimeError: Library libcublas.so.12 is not found or cannot be loaded");
  world.files.add_file("/lib/liba.so",
                       with_sections(elf({.soname = "liba.so"}),
                                     {{".rodata", std::string("\0%s is not found or cannot be loaded\0", 39)}}));
  const auto report = world.explain({"/bin/app"});
  REQUIRE(report.findings.size() == 1);
  const auto text = all_words(report.findings[0]);
  CHECK(text.find("its text \" is not found or cannot be loaded\" stands at offset 0x") != std::string::npos);
  CHECK(text.find("of liba.so") != std::string::npos);
}

TEST_CASE("what the files show needs no message") {
  auto world = with_message("libb.so: cannot open shared object file");
  world.add("/lib/liba.so", {.soname = "liba.so", .needed = {"libb.so"}});
  CHECK(findings(world.explain({"/bin/app"})) == "CUD101 error liba.so: libb.so\n");
}

TEST_CASE("a message about the driver takes the GPU away, one that means nothing does not") {
  auto world = with_message("Failed to initialize NVML: Driver/library version mismatch");
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD311 warning \n");
  CHECK(in_full(report) ==
        R"(CUD311 | warning
  the message proves what the files cannot show: the driver was updated while its old kernel module is still loaded: )"
        R"(files and kernel are of two releases, and CUDA cannot start until they agree
  - printed: Failed to initialize NVML: Driver/library version mismatch | proven
  - NVML (libnvidia-ml.so.1), for nvidia-smi and whoever else asks it | table
  = the driver was updated while its old kernel module is still loaded: files and kernel are of two releases, and )"
        R"(CUDA cannot start until they agree.
  > restart the machine; or, with nothing using the GPU, load the new module | sudo rmmod nvidia_uvm nvidia_drm )"
        R"(nvidia_modeset nvidia && sudo modprobe nvidia
)");
  CHECK(report.verdict == Verdict::cpu_only);
  CHECK(report.findings[0].fixes.front().command.find("modprobe nvidia") != std::string::npos);
  world.query.require_gpu = true;
  CHECK(world.explain({"/bin/app"}).verdict == Verdict::fails);
  CHECK(findings(with_message("TF-TRT Warning: Could not find TensorRT").explain({"/bin/app"})) == "");
}

TEST_CASE("a DLL that a program for Windows opens is told with the package that has it, and the folder for PATH") {
  TestWorld world;
  world.query.constants = ConstantScope::files;
  PeSpec app;
  app.characteristics = 0x22;
  app.imports = {{"KERNEL32.dll", {{"LoadLibraryA", 0}}}};
  app.constants = std::string("\0cublas64_12.dll\0", 17);
  world.files.add_file("/app/app.exe", pe(app));
  world.query.message =
      read_message("RuntimeError: Library cublas64_12.dll is not found or cannot be loaded", built_in());
  const auto report = world.explain({"/app/app.exe"});
  REQUIRE(report.findings.front().code == "CUD311");
  const auto& command = report.findings.front().fixes.front().command;
  CHECK(command.starts_with("pip install nvidia-cublas-cu12\nset \"PATH="));
}

TEST_CASE("the name for linking is given to the library that is there") {
  auto world = with_message(
      "Could not load library libcudnn_cnn_infer.so.8. Error: libnvrtc.so: cannot open shared object "
      "file");
  world.query.constants = ConstantScope::files;
  world.query.symbols = SymbolCheck::none;
  ElfSpec caller{.soname = "liba.so"};
  caller.uses.push_back({"dlopen", ElfUse::call});
  world.files.add_file("/lib/liba.so", with_sections(elf(caller), {{".rodata", std::string("\0libnvrtc.so\0", 13)}}));
  const auto without = world.explain({"/bin/app"});
  REQUIRE(findings(without) == "CUD117 warning liba.so: libnvrtc.so\n");
  CHECK(in_full(without) ==
        R"(CUD117 | warning | /lib/liba.so | libnvrtc.so
  libnvrtc.so is missing, as the message says: no folder that is searched for it has it
  - printed: Could not load library libcudnn_cnn_infer.so.8. Error: libnvrtc.so: cannot open shared object file | )"
        R"(proven
  - cuDNN 8, of a part that it opens when it is needed | table
  = the file that cannot be opened is the one that is missing: the part of cuDNN itself, or a library that the part )"
        R"(needs.
)");
  CHECK(without.findings[0].fixes.empty());
  world.add("/lib/libnvrtc.so.12", {.soname = "libnvrtc.so.12"});
  const auto beside = world.explain({"/bin/app"});
  REQUIRE(beside.findings[0].fixes.size() == 1);
  CHECK(beside.findings[0].fixes[0].command == "sudo ln -s libnvrtc.so.12 /lib/libnvrtc.so");
  CHECK(beside.findings[0].fixes[0].title ==
        "give the library that is there the name for linking, by which it is asked for");
  CHECK(says(beside.findings[0], "/lib has libnvrtc.so.12"));
}

TEST_CASE("a message that names a file is explained by what that file lacks") {
  auto world = with_message("Could not load library liba.so. Error code 126");
  world.add("/lib/liba.so", {.soname = "liba.so", .needed = {"libb.so"}});
  CHECK(findings(world.explain({"/bin/app"})) == "CUD101 error liba.so: libb.so\n");
}

TEST_CASE("a message without a name is explained by whatever takes the GPU away, and by what does not load") {
  const std::string mismatch = "Failed to initialize NVML: Driver/library version mismatch";
  auto world = with_message(mismatch);
  world.add("/lib/liba.so", {.soname = "liba.so", .needed = {"libb.so"}});
  CHECK(findings(world.explain({"/bin/app"})) == "CUD101 error liba.so: libb.so\n");
}

}  // namespace
}  // namespace cudald
