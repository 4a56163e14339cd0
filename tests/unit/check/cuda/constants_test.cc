#include <doctest/doctest.h>

#include <functional>
#include "common/fatbin_file.h"
#include "common/pe_builder.h"

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

/// A world in which names among constants are looked for.
TestWorld searching() {
  TestWorld world;
  world.query.constants = ConstantScope::files;
  world.query.symbols = SymbolCheck::none;  // there is no libc that has dlopen
  return world;
}

/// A file that calls dlopen and holds these texts.
void add_caller(TestWorld& world, const std::string& path, ElfSpec spec, const std::vector<std::string>& texts) {
  spec.uses.push_back({"dlopen", ElfUse::call});
  std::string constants;
  for (const auto& text : texts) constants += text + '\0';
  world.files.add_file(path, with_sections(elf(spec), {{".rodata", constants}}));
}

/// "libx.so: /opt/lib/libx.so by runpath", "libx.so: missing": what the object at `path` may open.
std::string may_open(const Report& report, const std::string& path) {
  std::string text;
  for (const auto& object : report.resolution.objects)
    if (object.path == path)
      for (const auto& edge : object.may_open) {
        CHECK_FALSE(edge.hard);
        CHECK_FALSE(edge.known.function.empty());
        CHECK(edge.known.text_at != 0);
        text += edge.name + ": ";
        text += edge.status == EdgeStatus::not_loaded
                    ? edge.search.probes.back().path + " by " + std::string(to_string(edge.rule))
                    : std::string(to_string(edge.status));
        text += "\n";
      }
  return text;
}

TEST_CASE("a name among constants is searched for as its file would, by that file's own RUNPATH") {
  auto world = searching();
  world.add("/opt/bin/app", program({.runpath = "$ORIGIN/../lib", .needed = {"liba.so"}}));
  add_caller(world, "/opt/lib/liba.so", {.soname = "liba.so", .runpath = "$ORIGIN/parts"},
             {"libcudart.so.11.0", "libx.so", "/lib/liby.so"});
  world.add("/opt/lib/parts/libcudart.so.11.0", {.soname = "libcudart.so.11.0", .needed = {"libmissing.so"}});
  world.add("/opt/lib/libx.so", {});
  world.add("/lib/liby.so", {});
  const auto report = world.explain({"/opt/bin/app"});
  CHECK(may_open(report, "/opt/lib/liba.so") ==
        "libcudart.so.11.0: /opt/bin/../lib/parts/libcudart.so.11.0 by runpath\nlibx.so: missing\n/lib/liby.so: "
        "/lib/liby.so by path\n");
  // Nothing of it is mapped or followed, and nothing judged as needed.
  CHECK(objects(report) == "/opt/bin/app\n/opt/lib/liba.so\n");
  CHECK(requests(report, "/opt/lib/liba.so") == "");
  CHECK(findings(report) == "");
  CHECK(report.verdict == Verdict::loads);
}

TEST_CASE("what is loaded when all is loaded answers") {
  auto world = searching();
  world.add("/opt/app", program({.runpath = "$ORIGIN", .needed = {"liba.so", "libb.so.1"}}));
  add_caller(world, "/opt/liba.so", {.soname = "liba.so"}, {"libb.so.1"});
  world.add("/opt/libb.so.1", {.soname = "libb.so.1"});
  CHECK(may_open(world.explain({"/opt/app"}), "/opt/liba.so") == "libb.so.1: already-loaded\n");
}

TEST_CASE("a missing library of CUDA is one note for each file, and the driver one for all") {
  auto world = searching();
  world.query.environment.any_driver = false;
  ElfSpec app = program({.runpath = "$ORIGIN", .needed = {"liba.so", "libb.so", "libc2.so"}});
  world.add("/opt/app", app);
  add_caller(world, "/opt/liba.so", {}, {"libcudart.so.12", "libcublas.so.12", "libcuda.so.1", "libnone.so.1"});
  add_caller(world, "/opt/libb.so", {}, {"libcuda.so.1", "libnvidia-ml.so.1"});
  add_caller(world, "/opt/libc2.so", {}, {"libnvrtc.so.12", "libcuda.so"});
  auto report = world.explain({"/opt/app"});
  CHECK(findings(report) ==
        "CUD401 note liba.so: libcuda.so.1\nCUD401 note liba.so: libcudart.so.12\nCUD401 note libc2.so: "
        "libnvrtc.so.12\n");
  CHECK(report.verdict == Verdict::loads);
  CHECK(report.findings[0].message ==
        "liba.so, libb.so may open libcuda.so.1, libnvidia-ml.so.1 later, and would not find them");
  CHECK(all_words(report.findings[1]).find("the text \"libcudart.so.12\" is at offset 0x") != std::string::npos);
  CHECK(all_words(report.findings[1]).find("nvidia-cublas-cu12") != std::string::npos);
  CHECK(report.findings[0].evidence.front().basis == Basis::proven);
  CHECK(report.findings[0].evidence.back().basis == Basis::rule);
  CHECK(report.findings[1].evidence.back().basis == Basis::table);
  CHECK(report.findings[0].consequence == "Everything loads; without the driver no GPU is used.");
  CHECK(says(report.findings[0], "\nthe NVIDIA driver provides it; --driver VERSION states that there is one\n"));
  CHECK(says(report.findings[0], ", which calls dlopen: it likely opens that library, which is not proven\n"));
  CHECK(report.findings[1].message ==
        "liba.so may open libcudart.so.12, libcublas.so.12 later, and would not find them");
  CHECK(report.findings[2].message == "libc2.so may open libnvrtc.so.12 later, and would not find it");
  CHECK(report.findings[2].consequence == "Everything loads. If the code uses this library, that use fails.");
  CHECK_FALSE(says(report.findings[2], "driver"));

  world.query.require_gpu = true;  // likely is not sure: no failure is made of it
  CHECK(world.explain({"/opt/app"}).verdict == Verdict::loads);
  world.query.environment.driver = "550.54";
  CHECK(findings(world.explain({"/opt/app"})) ==
        "CUD401 note liba.so: libcudart.so.12\nCUD401 note libc2.so: libnvrtc.so.12\n");
}

TEST_CASE("another name of the same library will do") {
  auto world = searching();
  add_caller(world, "/opt/app", program({.runpath = "$ORIGIN"}), {"libnvrtc.so.13", "libnvrtc.so.12", "libcudnn.so.9"});
  world.add("/opt/libnvrtc.so.12", {.soname = "libnvrtc.so.12"});
  CHECK(findings(world.explain({"/opt/app"})) == "CUD401 note app: libcudnn.so.9\n");
}

TEST_CASE("a name that a table knows is told by that, and so is what it is made of") {
  auto world = searching();
  world.add("/opt/app", program({.runpath = "$ORIGIN", .needed = {"libcudnn.so.9"}}));
  add_caller(world, "/opt/libcudnn.so.9", {.soname = "libcudnn.so.9"},
             {"libcudnn_graph.so", "libcudnn_ops.so.9", "libzlib.so.1"});
  CHECK(may_open(world.explain({"/opt/app"}), "/opt/libcudnn.so.9") == "libzlib.so.1: missing\n");
}

TEST_CASE("a name that something in the process opens by its path is no name to be searched for") {
  auto world = searching();
  add_caller(world, "/opt/app", program({}), {"libplugin.so", "libother.so"});
  world.add("/opt/parts/libplugin.so", {});
  world.query.dlopens = {{.name = "/opt/parts/libplugin.so"}};
  CHECK(may_open(world.explain({"/opt/app"}), "/opt/app") == "libother.so: missing\n");
}

TEST_CASE("unless it is asked for, no constants are read") {
  auto world = searching();
  world.query.constants = ConstantScope::none;
  add_caller(world, "/opt/app", program({}), {"libcuda.so.1"});
  const auto report = world.explain({"/opt/app"});
  CHECK(may_open(report, "/opt/app") == "");
  CHECK(findings(report) == "");
}

TEST_CASE("on Windows a bare name is searched for as LoadLibrary does") {
  auto world = searching();
  PeSpec app;
  app.characteristics = 0x22;
  app.imports = {{"KERNEL32.dll", {{"LoadLibraryA", 0}}}};
  app.constants = std::string("\0cudart64_12.dll\0beside.dll\0nvcuda.dll\0kernel32.dll\0", 53);
  world.files.add_file("/app/app.exe", pe(app));
  world.files.add_file("/app/beside.dll", pe({.name = "beside.dll"}));
  const auto report = world.explain({"/app/app.exe"});
  CHECK(may_open(report, "/app/app.exe") ==
        "cudart64_12.dll: missing\nbeside.dll: Z:\\app\\beside.dll by application-dir\n"
        "nvcuda.dll: C:\\Windows\\System32\\nvcuda.dll by system\n");
  CHECK(findings(report) == "CUD401 note app.exe: cudart64_12.dll\n");
  CHECK(report.verdict == Verdict::loads);
}

TEST_CASE("a library that the file has under another name, by its own or by what it asks for, is not missing") {
  const auto told = [](const std::function<void(Object&)>& change) {
    auto report = made_report({made_object("/bin/app")});
    auto edge = made_edge("libcuda.so.1", EdgeStatus::missing);
    edge.known.function = "dlopen";
    report.resolution.objects[0].may_open = {edge};
    change(report.resolution.objects[0]);
    made_findings(check_constants, report);
    return !report.findings.empty();
  };
  const auto with_soname = [](const std::string& soname) {
    return [soname](Object& object) {
      Image image;
      image.format = Format::elf64;
      image.soname = soname;
      object.image = std::make_shared<Image>(image);
    };
  };
  CHECK(told([](Object&) {}));
  CHECK_FALSE(told(with_soname("libcuda.so.550")));
  CHECK(told(with_soname("libcudart.so.12")));
  CHECK_FALSE(told([](Object& object) { object.edges = {made_edge("libcuda.so", EdgeStatus::loaded, 0)}; }));
  CHECK_FALSE(told([](Object& object) { object.may_open.push_back(made_edge("libcuda.so", EdgeStatus::not_loaded)); }));
  CHECK(told([](Object& object) { object.edges = {made_edge("libcuda.so", EdgeStatus::missing)}; }));
  CHECK(told([](Object& object) { object.edges = {made_edge("libcudart.so", EdgeStatus::loaded, 0)}; }));
  CHECK_FALSE(told([](Object& object) { object.may_open[0].status = EdgeStatus::not_loaded; }));
}

TEST_CASE("that there is no driver is told once") {
  auto report = made_report({made_object("/bin/app")});
  report.resolution.objects[0].may_open = {made_edge("libcuda.so.1", EdgeStatus::missing)};
  report.findings = {make_finding("CUD310")};
  made_findings(check_constants, report);
  CHECK(report.findings.size() == 1);
  report.findings = {make_finding("CUD301")};
  made_findings(check_constants, report);
  CHECK(report.findings.size() == 2);
}

}  // namespace
}  // namespace cudald
