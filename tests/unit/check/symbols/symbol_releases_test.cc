// Which release of a CUDA library has the function that is missing: CUD201.

#include <doctest/doctest.h>

#include <functional>

#include <cudald/thread_limit.h>

#include "check/findings/checks.h"
#include "knowledge/knowledge.h"
#include "unit/check/findings/finding_text.h"
#include "unit/knowledge/library_file.h"

namespace cudald {
namespace {

/// A file that calls a function of libcudart.so.12 in that version.
ElfSpec calling(const std::string& function) {
  const std::string cudart = "libcudart.so.12";
  return program(
      {.needed = {cudart}, .needs_versions = {{cudart, {{cudart}}}}, .uses = {{.name = function, .version = cudart}}});
}

TEST_CASE("a function that came with a later release is dated, and the package that has it is named") {
  TestWorld world;
  world.add("/bin/app", calling("cudaGetKernel"));
  world.files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12000));
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD201 error app: cudaGetKernel\n");
  const auto& finding = report.findings[0];
  CHECK(
      finding.message ==
      "app needs the symbol cudaGetKernel, and libcudart.so.12 here is CUDA runtime 12.0: cudaGetKernel is first seen "
      "in 12.1");
  CHECK(says(finding, "cudaGetKernel is first seen in 12.1 of the releases of libcudart.so.12"));
  CHECK(says(finding, "\nlibcudart.so.12 is CUDA runtime 12.0\n"));
  CHECK(says(finding, "pip install 'nvidia-cuda-runtime-cu12>=12.1'"));
  CHECK(says(finding, "for this shell; it then comes before /lib"));
  CHECK(says(finding, "not: a symlink or another copy of the same release: cudaGetKernel is not in it"));
}

TEST_CASE("where pip put the library, its newer release takes the same place") {
  TestWorld world;
  const std::string folder = "/venv/lib/python3.11/site-packages/nvidia/cuda_runtime/lib";
  auto app = calling("cudaGetKernel");
  app.runpath = folder;
  world.add("/bin/app", app);
  world.files.add_file(folder + "/libcudart.so.12", cuda_runtime("libcudart.so.12", 12000));
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD201 error app: cudaGetKernel\n");
  CHECK(says(report.findings[0], "\npip install 'nvidia-cuda-runtime-cu12>=12.1'\n\n"));
}

TEST_CASE("of several functions the newest tells the release, in whichever order they are missed") {
  for (const bool newest_first : {false, true}) {
    TestWorld world;
    auto app = calling(newest_first ? "cudaGraphAddNode" : "cudaGetKernel");
    app.uses.push_back({.name = newest_first ? "cudaGetKernel" : "cudaGraphAddNode", .version = "libcudart.so.12"});
    world.add("/bin/app", app);
    world.files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12000));
    const auto report = world.explain({"/bin/app"});
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].message ==
          "app needs 2 symbols, and libcudart.so.12 here is CUDA runtime 12.0: cudaGraphAddNode is first seen in 12.2");
  }
}

TEST_CASE("of two libraries that lack functions the first that is met is told, however new what the other lacks is") {
  TestWorld world;
  const std::string cudnn = "libcudnn.so.9", cudart = "libcudart.so.12";
  world.add("/bin/app", program({.needed = {cudart, cudnn},
                                 .needs_versions = {{cudart, {{cudart}}}, {cudnn, {{cudnn}}}},
                                 .uses = {{.name = "cudnnBackendPopulateCudaGraph", .version = cudnn},
                                          {.name = "cudaGraphAddNode", .version = cudart}}}));
  world.files.add_file("/lib/" + cudart, cuda_runtime(cudart, 12000));
  world.files.add_file("/lib/" + cudnn, cudnn_part(cudnn, 90100));
  const auto report = world.explain({"/bin/app"});
  REQUIRE(report.findings[0].code == "CUD201");
  CHECK(report.findings[0].message ==
        "app needs 2 symbols, and libcudnn.so.9 here is cuDNN 9.1.0: cudnnBackendPopulateCudaGraph is first seen in "
        "9.5.0");
}

/// The built-in tables with rows of two of them laid over.
std::shared_ptr<const Knowledge> with_rows(const std::string& first_seen, const std::string& providers) {
  const std::string rest = R"(", "checked": "2030-01-02", "source": "notes", )";
  const auto one =
      lay_over(*built_in_knowledge(), R"({"schema": "cudald/first-seen)" + rest + R"("rows": [)" + first_seen + "]}");
  REQUIRE(one);
  const auto both = lay_over(**one, R"({"schema": "cudald/providers)" + rest + R"("providers": [)" + providers + "]}");
  REQUIRE(both);
  return *both;
}

TEST_CASE("a package is named if the newest of its releases has the function") {
  TestWorld world;
  world.knowledge = with_rows(
      R"({"library": "libcudart.so.12", "oldest": "12.0", "newest": "13.0", "releases": 4,
          "first": {"12.3": ["early"], "12.5.1": ["now"], "12.6": ["later"], "12.2": ["short"]},
          "last": {"12.4": ["gone"], "12.5.1": ["still", "short"]}})",
      R"({"name": "libcudart.so.12", "pip": [{"distribution": "brings-it", "oldest": "12.0", "version": "12.5.1",
          "folder": "brought/lib", "platform": "linux"}]})");
  world.files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12010));
  struct Row {
    std::string function, since, command;
  };
  const std::string there =
      "\nsite=$(python3 -c 'import sysconfig; print(sysconfig.get_path(\"purelib\"))')\n"
      "export LD_LIBRARY_PATH=$site/brought/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\n";
  for (const Row& row : {Row{"early", "early is first seen in 12.3", "pip install 'brings-it>=12.3'" + there},
                         Row{"now", "now is first seen in 12.5.1", "pip install 'brings-it>=12.5.1'" + there},
                         Row{"later", "later is first seen in 12.6", ""}, Row{"gone", "gone was last seen in 12.4", ""},
                         Row{"still", "still was last seen in 12.5.1", "pip install brings-it==12.5.1" + there},
                         Row{"short", "short is first seen in 12.2", "pip install brings-it==12.5.1" + there}}) {
    CAPTURE(row.function);
    world.add("/bin/app", calling(row.function));
    const auto report = world.explain({"/bin/app"});
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].message ==
          "app needs the symbol " + row.function + ", and libcudart.so.12 here is CUDA runtime 12.1: " + row.since);
    CHECK(commands(report.findings[0]) == row.command);
    CHECK(says(report.findings[0], row.since + " of the releases of libcudart.so.12\nlikely, by notes, 2030-01-02\n"));
  }
}

TEST_CASE("of cuDNN the package for the CUDA that the file was built for is named, or for the runtime beside it") {
  const std::string cudnn = "libcudnn.so.9", cudart = "libcudart.so.12";
  const auto named = [&](std::uint32_t built_for, bool runtime) {
    TestWorld world;
    world.knowledge = with_rows(
        R"({"library": "libcudnn.so.9", "oldest": "9.0.0", "newest": "9.9.0", "releases": 4,
            "first": {"9.9.0": ["cudnnNew"]}, "last": {}})",
        R"({"name": "libcudnn.so.9", "pip": [
            {"distribution": "dnn-cu12", "oldest": "9.0.0", "version": "9.9.0.1", "folder": "d", "platform": "linux"},
            {"distribution": "dnn-cu13", "oldest": "9.0.0", "version": "9.9.0.1", "folder": "d", "platform": "linux"},
            {"distribution": "dnn-cu11", "oldest": "9.0.0", "version": "9.8.0.1", "folder": "d", "platform": "linux"}
        ]})");
    ElfSpec app{
        .needed = {cudnn}, .needs_versions = {{cudnn, {{cudnn}}}}, .uses = {{.name = "cudnnNew", .version = cudnn}}};
    if (runtime) app.needed.emplace_back(cudart);
    world.add("/bin/app", program(app));
    world.files.add_file("/lib/" + cudnn, cudnn_part(cudnn, 90100, built_for));
    world.files.add_file("/lib/" + cudart, cuda_runtime(cudart, 12040));
    const auto report = world.explain({"/bin/app"});
    REQUIRE(findings(report).starts_with("CUD201 error app: cudnnNew\n"));
    std::string titles;
    for (const auto& fix : report.findings[0].fixes) titles += fix.title + "\n";
    for (const auto& each : report.findings[0].evidence)
      if (each.text.starts_with("libcudnn.so.9 is")) titles += each.text + "\n";
    return titles;
  };
  const std::string twelve = "dnn-cu12 9.9.0.1 has it, under the same name\n",
                    thirteen = "dnn-cu13 9.9.0.1 has it, under the same name\n", is = "libcudnn.so.9 is cuDNN 9.1.0";
  CHECK(named(0, false) == twelve + thirteen + is + "\n");
  CHECK(named(0, true) == twelve + is + "\n");
  CHECK(named(13000, false) == thirteen + is + ", built for CUDA 13.0\n");
  CHECK(named(12090, true) == twelve + is + ", built for CUDA 12.9\n");
}

TEST_CASE("a function that no release is known for is told as any other") {
  TestWorld world;
  world.add("/bin/app", calling("cudaNoSuchThing"));
  world.files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12000));
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD201 error app: cudaNoSuchThing\n");
  CHECK(report.findings[0].message ==
        "app needs the symbol cudaNoSuchThing, which nothing in the process defines: libcudart.so.12 has "
        "cudaRuntimeGetVersion, and not this one");
}

TEST_CASE("a library of LD_LIBRARY_PATH that comes before one with the function is taken out of the way") {
  TestWorld world;
  const std::string name = "libnvJitLink.so.12", function = "__nvJitLinkAddData_12_1";
  auto app = program({.needed = {name}, .needs_versions = {{name, {{name}}}}, .uses = {{function, ElfUse::call}}});
  app.runpath = "/new";
  app.uses.front().version = name;
  world.add("/bin/app", app);
  world.add("/old/" + name, {.soname = name, .defines_versions = {{name}}});
  world.add("/new/" + name, {.soname = name, .defines_versions = {{name}}});
  world.set("LD_LIBRARY_PATH", "/old");
  const auto nowhere = world.explain({"/bin/app"});
  REQUIRE(nowhere.findings[0].code == "CUD201");
  CHECK_FALSE(says(nowhere.findings[0], "unset LD_LIBRARY_PATH"));
  world.add("/new/" + name,
            {.soname = name, .defines_versions = {{name}}, .defines = {{.name = function, .version = name}}});
  const auto later = world.explain({"/bin/app"});
  REQUIRE(later.findings[0].code == "CUD201");
  CHECK(later.findings[0].fixes.front().command == "unset LD_LIBRARY_PATH");
  CHECK(says(later.findings[0], "/new/libnvJitLink.so.12 has it, and comes later in the search"));
}

TEST_CASE("without versions any library of LD_LIBRARY_PATH may be the one that comes too early") {
  TestWorld world;
  world.add("/bin/app", program({.runpath = "/new", .needed = {"liba.so", "libnccl.so.2"}, .uses = {{"ncclCommNew"}}}));
  for (const auto* folder : {"/old/", "/new/"})
    for (const auto* name : {"liba.so", "libnccl.so.2"}) world.add(std::string(folder) + name, {.soname = name});
  world.set("LD_LIBRARY_PATH", "/old");
  CHECK_FALSE(says(world.explain({"/bin/app"}).findings[0], "unset LD_LIBRARY_PATH"));
  world.add("/new/libnccl.so.2", {.soname = "libnccl.so.2", .defines = {{"ncclCommNew"}}});
  const auto report = world.explain({"/bin/app"});
  REQUIRE(report.findings[0].code == "CUD201");
  CHECK(report.findings[0].fixes.front().command == "unset LD_LIBRARY_PATH");
  CHECK(says(report.findings[0], "libnccl.so.2 comes from LD_LIBRARY_PATH and lacks it"));
  CHECK(says(report.findings[0], "/new/libnccl.so.2 has it, and comes later in the search"));
}

/// The finding on a program that lacks a function of the CUDA runtime, after its report was changed.
Finding told_of_changed(const std::function<void(Report&)>& change, const std::string& library_bytes) {
  TestWorld world;
  world.add("/bin/app", calling("cudaGetKernel"));
  world.files.add_file("/lib/libcudart.so.12", library_bytes);
  auto report = world.explain({"/bin/app"});
  REQUIRE(report.findings.size() == 1);
  Finding plain = report.findings[0];
  plain.message = "app needs the symbol cudaGetKernel, which nothing in the process defines";
  plain.evidence.clear();
  plain.fixes.clear();
  plain.does_not_help.clear();
  report.findings = {plain};
  change(report);
  ThreadLimit threads(1);
  Store store(world.files, threads, world.knowledge);
  check_symbol_releases({report, store});
  return report.findings.at(0);
}

TEST_CASE("without an answer to the request, the symbols or who lacks them nothing is told of releases") {
  const auto bytes = cuda_runtime("libcudart.so.12", 12000);
  CHECK(told_of_changed([](Report&) {}, bytes).message ==
        "app needs the symbol cudaGetKernel, and libcudart.so.12 here is CUDA runtime 12.0: cudaGetKernel is first "
        "seen in 12.1");
  const std::string plain = "app needs the symbol cudaGetKernel, which nothing in the process defines";
  const std::vector<std::function<void(Report&)>> changes{
      [](Report& report) { report.resolution.objects[0].edges.clear(); },
      [](Report& report) { report.resolution.objects[0].edges[0].object.reset(); },
      [](Report& report) { report.resolution.objects[0].edges[0].name = "libother.so"; },
      [](Report& report) { report.symbols.reset(); },
      [](Report& report) { report.symbols->missing[0].version_file.clear(); },
      [](Report& report) { report.symbols->missing[0].object = 1; },
      [](Report& report) { report.symbols->missing[0].name = "cudaNobodyKnows"; },
      [](Report& report) { report.findings[0].code = "CUD202"; },
      [](Report& report) { report.findings[0].object.reset(); }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    CAPTURE(i);
    const auto finding = told_of_changed(changes[i], bytes);
    CHECK(finding.message == plain);
    CHECK(finding.evidence.empty());
    CHECK(finding.fixes.empty());
  }
}

TEST_CASE("a library of which not even the bytes say what it is, is another release") {
  const auto finding =
      told_of_changed([](Report&) {}, elf({.soname = "libcudart.so.12", .defines_versions = {"libcudart.so.12"}}));
  CHECK(finding.message ==
        "app needs the symbol cudaGetKernel, and libcudart.so.12 here is another release: cudaGetKernel is first seen "
        "in 12.1");
  CHECK(finding.evidence.at(0).text == "libcudart.so.12 is another release");
  CHECK(finding.evidence.at(0).path == "/lib/libcudart.so.12");
  REQUIRE(finding.fixes.size() == 1);
  CHECK(finding.fixes[0].title.starts_with("nvidia-cuda-runtime-cu12 "));
  CHECK(finding.fixes[0].command.starts_with("pip install 'nvidia-cuda-runtime-cu12>=12.1'\n"));
}

TEST_CASE("behind LD_LIBRARY_PATH a library is told only where it defines what is missing, in that version") {
  const auto told = [](const ElfSpec& behind, const std::string& version = "") {
    TestWorld world;
    ElfSpec app = program({.runpath = "/good", .needed = {"libx.so"}, .uses = {{.name = "f", .version = version}}});
    if (!version.empty()) app.needs_versions = {{"libx.so", {{version}}}};
    world.add("/bin/app", app);
    world.add("/env/libx.so", version.empty() ? ElfSpec{.soname = "libx.so"}
                                              : ElfSpec{.soname = "libx.so", .defines_versions = {version}});
    world.add("/good/libx.so", behind);
    world.set("LD_LIBRARY_PATH", "/env");
    const auto report = world.explain({"/bin/app"});
    for (const auto& finding : report.findings)
      if (finding.code == "CUD201")
        for (const auto& each : finding.evidence)
          if (each.text.ends_with(" has it, and comes later in the search")) return each.path;
    return std::string("none");
  };
  CHECK(told({.soname = "libx.so", .defines = {{"f"}}}) == "/good/libx.so");
  CHECK(told({.soname = "libx.so", .defines = {{"g"}}}) == "none");
  CHECK(told({.soname = "libx.so", .uses = {{.name = "f"}}}) == "none");
  CHECK(told({.soname = "libx.so", .defines_versions = {"X_1"}, .defines = {{"f", "X_1"}}}, "X_1") == "/good/libx.so");
  CHECK(told({.soname = "libx.so", .defines_versions = {"X_1", "X_2"}, .defines = {{"f", "X_2"}}}, "X_1") == "none");
  CHECK(told({.soname = "libx.so", .defines = {{"f"}}}, "X_1") == "/good/libx.so");
}

TEST_CASE("a library of an AppImage, which sets LD_LIBRARY_PATH anew, is preloaded over or left out") {
  TestWorld world;
  world.add("/tmp/.mount_x/bin/app", program({.needed = {"libp.so.0"}}));
  world.add("/usr/lib/libp.so.0", {.soname = "libp.so.0", .needed = {"libh.so.0"}, .uses = {{"h_new"}}});
  world.add("/usr/lib/libh.so.0", {.soname = "libh.so.0", .defines = {{"h"}, {"h_new"}}});
  world.add("/tmp/.mount_x/bin/libh.so.0", {.soname = "libh.so.0", .defines = {{"h"}}});
  world.set("LD_LIBRARY_PATH", "/tmp/.mount_x/bin");
  const auto finding = world.explain({"/tmp/.mount_x/bin/app"}).findings.at(0);
  REQUIRE(finding.code == "CUD201");
  CHECK(finding.fixes.at(0).command == "export LD_PRELOAD=/usr/lib/libh.so.0${LD_PRELOAD:+:$LD_PRELOAD}");
  CHECK(says(finding, "remove libh.so.0 from it"));
  CHECK_FALSE(says(finding, "unset LD_LIBRARY_PATH"));
}

}  // namespace
}  // namespace cudald
