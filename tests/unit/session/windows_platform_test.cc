#include <elf.h>

#include <algorithm>

#include <doctest/doctest.h>

#include "base/path.h"
#include "common/pe_builder.h"
#include "common/wheel_file.h"
#include "common/world.h"

namespace cudald {
namespace {

PeSpec needing(const std::string& dll, const std::string& function) { return {.imports = {{dll, {{function}}}}}; }

PeSpec having(const std::string& name, const std::string& function, const std::string& forwarder = "") {
  return {.name = name, .exports = {{function, 1, forwarder}}};
}

std::string codes(const Report& report) {
  std::string text;
  for (const auto& finding : report.findings) text += std::string(finding.code) + " ";
  return text;
}

TEST_CASE("a program of Windows is started, its DLLs found beside it and in PATH") {
  TestWorld world;
  world.query.environment.dll_path = {"/p"};
  PeSpec app = needing("A.dll", "f");
  app.characteristics = 0x22;
  app.imports.push_back({"KERNEL32.dll", {{"ExitProcess"}}});
  world.files.add_file("/app/app.exe", pe(app));
  world.files.add_file("/p/a.DLL", pe(having("a.dll", "f")));
  const auto report = world.explain({"/app/app.exe"});
  CHECK(outcome(report) == "loads\n");
  CHECK(objects(report) == "/app/app.exe\n/p/a.DLL\nC:\\Windows\\System32\\KERNEL32.dll\n");
  CHECK(probes(report, "/app/app.exe", "A.dll").ends_with("Z:\\p\\A.dll · path · found\n"));
  CHECK(report.resolution.objects.back().known_by_name);
}

TEST_CASE("missing DLLs and functions: what is said, and which finding") {
  struct Row {
    std::string name;
    std::vector<std::pair<std::string, PeSpec>> files;
    std::string error, codes;
  };
  const Row rows[] = {
      {"DLL", {}, "126", "CUD101 "},
      {"function", {{"/d/b.dll", having("b.dll", "g")}}, "127", "CUD201 "},
      {"ordinal of a forwarder",
       {{"/d/b.dll", having("b.dll", "f", "c.#2")}, {"/d/c.dll", having("c.dll", "h")}},
       "127",
       "CUD201 "},
      {"forwarder", {{"/d/b.dll", having("b.dll", "f", "c.f")}}, "127", "CUD203 "},
      {"circle of forwarders",
       {{"/d/b.dll", having("b.dll", "f", "c.f")}, {"/d/c.dll", having("c.dll", "f", "b.f")}},
       "127",
       "CUD203 "},
      {"machine", {{"/d/b.dll", {.wide = false, .machine = 0x14c}}}, "193", "CUD103 "},
      {"nothing", {{"/d/b.dll", having("b.dll", "f")}}, "", ""},
      {"nothing behind a forwarder",
       {{"/d/b.dll", having("b.dll", "f", "c.#1")}, {"/d/c.dll", having("c.dll", "h")}},
       "",
       ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    TestWorld world;
    world.files.add_file("/d/a.dll", pe(needing("b.dll", "f")));
    for (const auto& [path, spec] : row.files) world.files.add_file(path, pe(spec));
    const auto report = world.explain({"/d/a.dll"});
    const auto& error = report.resolution.targets.back().error;
    CHECK((row.error.empty() ? error.empty() : error.find("error " + row.error) != std::string::npos));
    CHECK(codes(report) == row.codes);
    CHECK(report.verdict == (row.error.empty() ? Verdict::loads : Verdict::fails));
  }
}

TEST_CASE("a DLL to which several functions are forwarded is loaded for the first one") {
  TestWorld world;
  world.files.add_file("/d/a.dll", pe({.imports = {{"b.dll", {{"f"}, {"g"}}}}}));
  world.files.add_file("/d/b.dll", pe({.name = "b.dll", .exports = {{"f", 1, "c.f"}, {"g", 2, "c.g"}}}));
  world.files.add_file("/d/c.dll", pe({.name = "c.dll", .exports = {{"f", 1, ""}, {"g", 2, ""}}}));
  const auto report = world.explain({"/d/a.dll"});
  CHECK(report.verdict == Verdict::loads);
  const auto asked = requests(report, "/d/b.dll");
  CHECK(std::count(asked.begin(), asked.end(), '\n') == 1);
  CHECK(asked.starts_with("c.dll: "));
}

TEST_CASE("a delay import may be missing") {
  TestWorld world;
  world.files.add_file("/d/a.dll", pe({.imports = {{"b.dll", {{"f"}}, true}}}));
  const auto report = world.explain({"/d/a.dll"});
  CHECK(report.verdict == Verdict::loads);
  CHECK(report.resolution.objects.back().edges.front().status == EdgeStatus::missing);
}

TEST_CASE("functions of delay imports are looked up when they are called, not when the file is loaded") {
  TestWorld world;
  world.files.add_file("/d/a.dll", pe({.imports = {{"b.dll", {{"f"}}}, {"b.dll", {{"absent"}}, true}}}));
  world.files.add_file("/d/b.dll", pe(having("b.dll", "f")));
  const auto report = world.explain({"/d/a.dll"});
  CHECK(outcome(report) == "loads\nloads\n");
  CHECK(codes(report) == "");
  CHECK(report.symbols->checked == 1);
  // The same function, imported: now it counts.
  world.files.add_file("/d/a.dll", pe({.imports = {{"b.dll", {{"f"}, {"absent"}}}}}));
  CHECK(codes(world.explain({"/d/a.dll"})) == "CUD201 ");
}

TEST_CASE("an export table that cannot be read proves nothing, and the answer is not complete") {
  TestWorld world;
  world.files.add_file("/d/a.dll", pe(needing("b.dll", "f")));
  world.files.add_file("/d/b.dll", pe(having("b.dll", "f")));
  CHECK(world.explain({"/d/a.dll"}).symbols->complete);
  auto built = build_pe(having("b.dll", "f"));
  poke(built.bytes, built.at.at("export names"), std::uint32_t{0x7fff0000});
  world.files.add_file("/d/b.dll", built.bytes);
  const auto report = world.explain({"/d/a.dll"});
  CHECK_FALSE(report.symbols->complete);
  CHECK(report.symbols->missing.empty());
  CHECK(outcome(report) == "loads\nloads\n");
}

TEST_CASE("a wheel: modules as Python imports them, beside wheels whose folders nobody searches") {
  TestWorld world;
  world.files.add_file("/w/pkg-1.0-cp311-cp311-win_amd64.whl",
                       wheel_file({{"pkg/_C.pyd", pe(needing("cudart64_12.dll", "f"))}, {"pkg/__init__.py", ""}}));
  const auto alone = world.explain({"/w/pkg-1.0-cp311-cp311-win_amd64.whl"});
  CHECK(codes(alone) == "CUD501 ");
  CHECK(alone.resolution.targets.back().error ==
        "ImportError: DLL load failed while importing _C: The specified module could not be found.");

  world.files.add_file("/r/pkg-1.0-py3-none-win_amd64.whl",
                       wheel_file({{"nvidia/cuda_runtime/bin/cudart64_12.dll", pe(having("cudart64_12.dll", "f"))}}));
  world.query.packages = {"/r/pkg-1.0-py3-none-win_amd64.whl"};
  CHECK(codes(world.explain({"/w/pkg-1.0-cp311-cp311-win_amd64.whl"})) == "CUD111 ");
  world.query.environment.dll_directories = {"C:\\Python311\\Lib\\site-packages\\nvidia\\cuda_runtime\\bin"};
  CHECK(world.explain({"/w/pkg-1.0-cp311-cp311-win_amd64.whl"}).verdict == Verdict::loads);
}

TEST_CASE("a wheel that cannot be installed is told of once, as it is on Linux") {
  const std::string wheel = "/w/bad-1.0-cp311-cp311-win_amd64.whl";
  for (const std::string first : {"/d/a.dll", "/d/liba.so"}) {
    CAPTURE(first);
    TestWorld world;
    world.files.add_file("/d/a.dll", pe({}));
    world.files.add_file("/d/liba.so", elf({}));
    world.files.add_file(wheel, "no archive");
    const auto report = world.explain({first, wheel});
    std::size_t told = 0;
    for (const auto& target : report.resolution.targets)
      if (target.given == wheel) {
        ++told;
        REQUIRE(target.unreadable);
        CHECK(target.unreadable->message.find("PE file") == std::string::npos);
      }
    CHECK(told == 1);
  }
}

TEST_CASE("what a package loads on use costs the GPU only, and is searched as the package asks for it") {
  TestWorld world;
  const std::string wheel = "/w/pkg-1.0-cp311-cp311-win_amd64.whl";
  const std::string folder = "onnxruntime/capi/";
  world.files.add_file(wheel,
                       wheel_file({{folder + "_pybind.pyd", pe({})},
                                   {folder + "onnxruntime_providers_cuda.dll", pe(needing("cublas64_11.dll", "f"))}}));
  const auto report = world.explain({wheel});
  CHECK(report.verdict == Verdict::cpu_only);
  CHECK(codes(report) == "CUD501 ");
  CHECK(report.findings.front().level == Level::warning);
  // Of two findings the one about the GPU is the headline, even if it is less sure.
  const std::string doubtful = "/w/2/pkg-1.0-cp311-cp311-win_amd64.whl";
  world.files.add_file(
      doubtful, wheel_file({{"tensorflow/python/platform/build_info.py", "x = ('cuda_version', '64_112')\n"},
                            {"tensorflow/python/_pywrap_tensorflow_internal.pyd", pe(needing("MSVCP140.dll", "f"))}},
                           "Requires-Dist: nobody-knows-this\n"));
  const auto headline = world.explain({doubtful}).headline;
  CAPTURE(headline);
  CHECK(headline.find("cannot use the GPU here: cud") != std::string::npos);
  world.files.add_file("/p/cublas64_11.dll", pe(having("cublas64_11.dll", "f")));
  world.query.environment.dll_path = {"/p"};
  CHECK(world.explain({wheel}).verdict == Verdict::loads);
}

TEST_CASE("on Windows, too, each program of a wheel has a process of its own, and those that do not start are told") {
  TestWorld world;
  const auto program_with = [](PeSpec spec) {
    spec.characteristics = 0x22;
    return pe(spec);
  };
  const std::string wheel = "/w/pkg-1.0-py3-none-win_amd64.whl", scripts = "pkg-1.0.data/scripts/";
  world.files.add_file(wheel, wheel_file({{scripts + "a.exe", program_with({})},
                                          {scripts + "b.exe", program_with(needing("none.dll", "f"))},
                                          {scripts + "c.exe", program_with({})}}));
  const auto report = world.explain({wheel});
  REQUIRE(report.resolution.failed_programs.size() == 1);
  const auto& failed = report.resolution.failed_programs.front();
  CHECK(file_name(failed.path) == "b.exe");
  CHECK(failed.library == "none.dll");
  CHECK(failed.error == "The code execution cannot proceed because none.dll was not found. (0xc0000135)");
}

TEST_CASE("a side-by-side assembly that is missing is error 14001") {
  const auto with = [](const std::string& name, const std::string& version, std::uint32_t id = 2) {
    return pe({.resources = {{24, id,
                              "<assembly><dependency><dependentAssembly><assemblyIdentity name='" + name +
                                  "' version='" + version + "'/></dependentAssembly></dependency></assembly>"}}});
  };
  TestWorld world;
  world.files.add_file("/d/a.dll", with("Microsoft.VC90.CRT", "9.0.21022.8"));
  const auto report = world.explain({"/d/a.dll"});
  CHECK(codes(report) == "CUD116 ");
  CHECK(report.verdict == Verdict::fails);
  CHECK(report.findings.front().fixes.front().command == "winget install Microsoft.VCRedist.2008.x64");
  CHECK(report.resolution.targets.back().error.find("error 14001") != std::string::npos);
  // A private assembly, one of Windows, one for a program's process only, and an importer of such a DLL.
  world.files.add_file("/d/Microsoft.VC90.CRT/Microsoft.VC90.CRT.manifest", "<assembly/>");
  CHECK(world.explain({"/d/a.dll"}).verdict == Verdict::loads);
  world.files.add_file("/d/b.dll", with("Microsoft.Windows.Common-Controls", "6.0.0.0"));
  CHECK(world.explain({"/d/b.dll"}).verdict == Verdict::loads);
  world.files.add_file("/d/b.dll", with("Microsoft.Windows.Common-Controls", "7.0.0.0"));
  CHECK(codes(world.explain({"/d/b.dll"})) == "CUD116 ");
  world.files.add_file("/d/c.dll", pe(needing("b.dll", "f")));
  CHECK(world.explain({"/d/c.dll"}).resolution.targets.back().error.find("error 14001") != std::string::npos);
  world.files.add_file("/d/b.dll", with("None", "1.0", 1));
  CHECK(world.explain({"/d/b.dll"}).verdict == Verdict::loads);
}

TEST_CASE("the machine that is asked for counts: a file for another one is refused") {
  TestWorld world;
  const std::string wheel = "/w/pkg-1.0-cp311-cp311-win_amd64.whl";
  const PeSpec narrow{.wide = false, .machine = 0x14c};
  world.files.add_file("/d/a.dll", pe({}));
  world.files.add_file("/d/m.pyd", pe({}));
  world.files.add_file("/d/a.exe", pe({.characteristics = 0x22}));
  world.files.add_file(wheel, wheel_file({{"pkg/m.pyd", pe({})}, {"pkg/n.dll", pe(narrow)}}));
  world.query.windows = true;
  for (const std::string target : {"/d/a.dll", "/d/m.pyd", "/d/a.exe", wheel.c_str()}) {
    CAPTURE(target);
    world.query.environment.machine = EM_X86_64;
    CHECK(world.explain({target}).verdict == Verdict::loads);
    world.query.environment.machine = EM_AARCH64;
    const auto report = world.explain({target});
    CHECK(report.verdict == Verdict::unknown);
    CHECK(report.headline.find("not for the aarch64 that was asked for") != std::string::npos);
  }
}

TEST_CASE("a wheel is judged by the DLLs for the machine of its tag, where it has some for another one too") {
  TestWorld world;
  const PeSpec narrow{.wide = false, .machine = 0x14c};
  for (const std::string tag : {"win_amd64", "win32", "win_arm64"}) {
    CAPTURE(tag);
    const auto wheel = "/w/pkg-1.0-py3-none-" + tag + ".whl";
    world.files.add_file(wheel, wheel_file({{"pkg/bin/a32.dll", pe(narrow)},
                                            {"pkg/bin/a64.dll", pe({})},
                                            {"pkg/bin/b64.dll", pe({.machine = 0xaa64})}}));
    const auto report = world.explain({wheel});
    CHECK(codes(report) == "");
    CHECK(report.resolution.machine == (tag == "win32" ? EM_386 : tag == "win_arm64" ? EM_AARCH64 : EM_X86_64));
  }
}

TEST_CASE("modules for another Python in a wheel are nobody's loss") {
  TestWorld world;
  const std::string wheel = "/w/pkg-1.0-cp311-cp311-win_amd64.whl";
  const auto other = pe(needing("python310.dll", "f"));
  world.files.add_file(wheel, wheel_file({{"pkg/__init__.py", ""},
                                          {"pkg/m.cp311-win_amd64.pyd", pe(needing("python311.dll", "f"))},
                                          {"pkg/m.cp310-win_amd64.pyd", other}}));
  const auto report = world.explain({wheel});
  CHECK(report.verdict == Verdict::loads);
  CHECK(codes(report) == "");
  world.query.python = "3.12";
  CHECK(world.explain({wheel}).headline.find("for other Pythons than 3.12") != std::string::npos);
}

TEST_CASE("DLLs that a wheel for Windows puts into site-packages as data lie beside its modules") {
  TestWorld world;
  const std::string wheel = "/w/pkg-1.0-cp311-cp311-win_amd64.whl";
  world.files.add_file(wheel, wheel_file({{"m.cp311-win_amd64.pyd", pe(needing("b.dll", "f"))},
                                          {"pkg-1.0.data/data/lib/site-packages/b.dll", pe(having("b.dll", "f"))}}));
  CHECK(codes(world.explain({wheel})) == "");
}

TEST_CASE("a folder of wheels gives what a wheel for Windows requires") {
  TestWorld world;
  const std::string wheel = "/w/pkg-1.0-cp311-cp311-win_amd64.whl";
  world.files.add_file(wheel, wheel_file({{"pkg/__init__.py",
                                           "import os\nos.add_dll_directory(os.path.join(os.path."
                                           "dirname(os.path.dirname(__file__)), 'dep'))\n"
                                           "from . import m\n"},
                                          {"pkg/m.pyd", pe(needing("b.dll", "f"))}},
                                         "Requires-Dist: dep; sys_platform == 'win32'\n"));
  world.query.python = "3.11";
  const auto with = [&](const std::string& name) {
    world.files.add_file("/pool" + name + "/" + name, wheel_file({{"dep/b.dll", pe(having("b.dll", "f"))}}));
    world.query.packages = {"/pool" + name};
    const auto report = world.explain({wheel});
    return report.resolution.objects.back().path;
  };
  for (const std::string fit : {"dep-1.0-py3-none-win_amd64.whl", "dep-1.0-cp311-cp311-win_amd64.whl"})
    CHECK(with(fit) == fit + "!/dep/b.dll");
  for (const auto* unfit : {"dep-1.0-cp310-cp310-win_amd64.whl", "dep-1.0-py3-none-win32.whl",
                            "dep-1.0-py3-none-manylinux_2_28_x86_64.whl", "other-1.0-py3-none-win_amd64.whl"}) {
    CAPTURE(unfit);
    CHECK(with(unfit) == "pkg-1.0-cp311-cp311-win_amd64.whl!/pkg/m.pyd");
  }
}

TEST_CASE("another ABI of a DLL is no substitute") {
  TestWorld world;
  world.files.add_file("/d/a.dll", pe(needing("cudart64_110.dll", "f")));
  world.files.add_file("/d/cudart64_12.dll", pe(having("cudart64_12.dll", "f")));
  CHECK(codes(world.explain({"/d/a.dll"})) == "CUD102 ");
}

TEST_CASE("a copy of drive C: is the machine: what it lacks is missing") {
  TestWorld world;
  world.query.sysroot = "/copy";
  world.files.add_file("/Windows/System32/kernel32.dll", pe(having("kernel32.dll", "f")));
  world.files.add_file("/app/a.dll", pe(needing("KERNEL32.dll", "f")));
  world.files.add_file("/app/b.dll", pe(needing("USER32.dll", "f")));
  const auto report = world.explain({"/app/a.dll"});
  CHECK(report.verdict == Verdict::loads);
  CHECK(report.resolution.objects.back().path == "/Windows/System32/kernel32.dll");
  CHECK(codes(world.explain({"/app/b.dll"})) == "CUD101 ");
}

TEST_CASE("of a package what is no PE file for its machine is passed over") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-win_amd64.whl";
  const auto judge = [&](std::vector<std::pair<std::string, std::string>> members) {
    members.emplace_back("pkg/__init__.py", "");
    world.files.add_file(path, wheel_file(members));
    const auto report = world.explain({path});
    return std::string(to_string(report.verdict)) + ": " + report.headline;
  };
  const auto loads = "loads: pkg-1.0-cp311-cp311-win_amd64.whl loads on a fresh Windows (win_amd64)";
  CHECK(judge({{"pkg/a.dll", pe({})}, {"pkg/liba.so", elf({})}}) == loads);
  CHECK(judge({{"pkg/a.dll", pe({})}, {"pkg/cut.dll", "MZ"}}) == loads);
  CHECK(judge({{"pkg/a.dll", pe({})}, {"pkg/arm.dll", pe({.machine = 0xaa64})}}) == loads);
}

TEST_CASE("what is no start of a process of Windows, and what is taken for granted, is told") {
  TestWorld world;
  world.query.windows = true;
  const auto told = [&](const std::string& target) {
    const auto report = world.explain({target});
    std::string text = outcome(report);
    for (const auto& note : report.resolution.notes) text += "note: " + note + "\n";
    return text;
  };
  world.files.add_file("/d/a.dll", pe({}));
  CHECK(told("/d/a.dll") ==
        "loads\nloads\nnote: assumed: the program that loads it is in the same directory and calls LoadLibrary\n");
  world.files.add_file("/d/b.dll", "text");
  CHECK(told("/d/b.dll") == "unreadable: not a PE file, as the others are\n");
  CHECK(told("/d/none.dll") == "unreadable: No such file or directory\n");
  CHECK(told("py:none") == "unreadable: no Python of Windows is given: --prefix DIR, or --with WHEEL\n");
  const std::string wheel = "/w/pkg-1.0-py3-none-win_amd64.whl";
  world.files.add_file(wheel, wheel_file({{"pkg/a.dll", "text"}}));
  CHECK(told(wheel) == "unreadable: holds no DLL that could be judged\n");
  world.query.prefix = "/nothing";
  world.files.add_file("/d/m.pyd", pe({}));
  CHECK(told("/d/m.pyd")
            .find("note: --prefix names no Python of Windows: no python.exe and no python3N.dll is in /nothing\n") !=
        std::string::npos);
}

TEST_CASE("further targets and requests join the process that is there") {
  TestWorld world;
  world.files.add_file("/d/a.dll", pe({}));
  world.files.add_file("/d/b.dll", pe(having("b.dll", "f")));
  world.files.add_file("/d/m.pyd", pe({}));
  world.files.add_file("/d/a.exe", pe({.characteristics = 0x22}));
  const auto joined = [&](const std::string& target) { return objects(world.explain({"/d/a.dll", target})); };
  const std::string first = objects(world.explain({"/d/a.dll"}));
  for (const std::string target : {"/d/m.pyd", "/d/a.exe", "/d/b.dll"}) CHECK(joined(target) == first + target + "\n");
  CHECK(joined("b.dll") == first + "/d/b.dll\n");
  CHECK(joined("none.dll") == first);
  world.query.dlopens = {{.name = "b.dll"}, {.name = "none.dll"}};
  const auto report = world.explain({"/d/a.dll"});
  CHECK(objects(report) == first + "/d/b.dll\n");
  CHECK(report.resolution.targets.back().given == "none.dll");
  CHECK(report.resolution.targets.back().error.find("error 126") != std::string::npos);
}

TEST_CASE("where nothing says which Python it is, the wheels of a folder do") {
  TestWorld world;
  const std::string wheel = "/w/pkg-1.0-py3-none-win_amd64.whl";
  world.files.add_file(wheel, wheel_file({{"pkg/m.pyd", pe({})}}, "Requires-Dist: dep\n"));
  world.files.add_file("/pool/dep-1.0-cp310-cp310-win_amd64.whl", wheel_file({{"dep/b.dll", pe({})}}, "", "dep"));
  world.query.packages = {"/pool"};
  // Another note counts the DLLs of which only the names are known.
  const auto is_fit = [&] {
    const auto notes = lines(world.explain({wheel}).resolution.notes);
    return notes.find("which no wheel in the directory fits") == std::string::npos;
  };
  CHECK(is_fit());
  world.query.python = "3.11";
  CHECK_FALSE(is_fit());
  world.query.python = "3.10";
  CHECK(is_fit());
}

TEST_CASE("a module that no wheel for Windows has is told, with what is called nearly so") {
  TestWorld world;
  world.files.add_file("/w/pkg-1.0-cp311-cp311-win_amd64.whl",
                       wheel_file({{"numbers2/__init__.py", ""}, {"numbers2/m.pyd", pe({})}}));
  world.query.packages = {"/w/pkg-1.0-cp311-cp311-win_amd64.whl"};
  CHECK(outcome(world.explain({"py:numbers3"})) == "unreadable: no such module is there; did you mean `numbers2`?\n");
}

TEST_CASE("neutral programs lie where they are taken to lie, and are called so") {
  TestWorld world;
  world.files.add_file("/d/a.dll", pe({}));
  const auto file = world.explain({"/d/a.dll"});
  CHECK(file.resolution.targets.at(0).given == "(a neutral program)");
  CHECK(file.resolution.objects.at(0).load_name == "Z:\\d\\(the program that loads it)");
  CHECK(file.resolution.objects.at(0).main_program);
  CHECK(file.resolution.targets.at(1).given == "/d/a.dll");
  CHECK(file.resolution.objects.at(1).load_name == "Z:\\d\\a.dll");
  const std::string wheel = "/w/pkg-1.0-cp311-cp311-win_amd64.whl";
  world.files.add_file(wheel, wheel_file({{"pkg/m.pyd", pe({})}}));
  const auto package = world.explain({wheel});
  CHECK(package.resolution.targets.at(0).given == neutral_python);
  CHECK(package.resolution.targets.at(0).part_of == 1);
  CHECK(package.resolution.objects.at(0).load_name == "C:\\Python311\\python.exe");
  CHECK(package.resolution.objects.back().load_name == "C:\\Python311\\Lib\\site-packages\\pkg\\m.pyd");
}

TEST_CASE("a bare name is searched for by a program for the machine that is asked for") {
  const auto searched = [](std::optional<std::uint16_t> machine) {
    TestWorld world;
    world.query.windows = true;
    world.query.environment.machine = machine;
    const auto report = world.explain({"none.dll"});
    std::string paths = machine_name(report.resolution.machine) + "\n";
    for (const auto& probe : report.resolution.objects.at(0).edges.at(0).search.probes)
      if (probe.rule == SearchRule::system_folder) paths += probe.path + "\n";
    return paths;
  };
  CHECK(searched(std::nullopt) == "x86_64\nC:\\Windows\\System32\\none.dll\n");
  CHECK(searched(EM_386) == "i386\nC:\\Windows\\SysWOW64\\none.dll\n");
  CHECK(searched(EM_AARCH64) == "aarch64\nC:\\Windows\\System32\\none.dll\n");
}

TEST_CASE("a program of a wheel is tried with the Windows of its own width, and may lack a function") {
  TestWorld world;
  const auto program_with = [](PeSpec spec) {
    spec.characteristics = 0x22;
    return pe(spec);
  };
  const std::string wheel = "/w/pkg-1.0-py3-none-win_amd64.whl", scripts = "pkg-1.0.data/scripts/";
  auto narrow = needing("KERNEL32.dll", "f");
  narrow.wide = false;
  narrow.machine = 0x14c;
  world.files.add_file(wheel, wheel_file({{scripts + "a.exe", program_with({})},
                                          {scripts + "b.exe", program_with(narrow)},
                                          {scripts + "c.exe", program_with(needing("b.dll", "gone"))}}));
  world.files.add_file("/p/b.dll", pe(having("b.dll", "f")));
  world.query.environment.dll_path = {"/p"};
  auto report = world.explain({wheel});
  REQUIRE(report.resolution.failed_programs.size() == 1);
  CHECK(file_name(report.resolution.failed_programs[0].path) == "c.exe");
  CHECK(report.resolution.failed_programs[0].library == "");
  CHECK(report.resolution.failed_programs[0].error ==
        "The procedure entry point gone could not be located. (0xc0000139)");
  world.query.symbols = SymbolCheck::none;
  report = world.explain({wheel});
  CHECK(report.resolution.failed_programs.empty());
  CHECK_FALSE(report.symbols);
}

TEST_CASE("files are loaded by LoadLibrary without Python, by ctypes or an import with it") {
  TestWorld world;
  world.files.add_file("/d/a.dll", pe(needing("none.dll", "f")));
  world.files.add_file("/d/m.pyd", pe(needing("none.dll", "f")));
  world.query.windows = true;
  const auto error = [&](const std::vector<std::string>& targets) {
    return world.explain(targets).resolution.targets.back().error;
  };
  const std::string no_module = "The specified module could not be found.";
  CHECK(error({"/d/a.dll"}) == "LoadLibrary of Z:\\d\\a.dll fails with error 126: " + no_module);
  CHECK(error({"/d/m.pyd"}) == "ImportError: DLL load failed while importing m: " + no_module);
  CHECK(error({"/d/m.pyd", "/d/a.dll"}) ==
        "FileNotFoundError: Could not find module 'Z:\\d\\a.dll' (or one of its dependencies). Try using the full path "
        "with constructor syntax.");
  CHECK(error({"/d/a.dll", "/d/m.pyd"}) == "LoadLibrary of Z:\\d\\m.pyd fails with error 126: " + no_module);
  world.query.message.emplace().who = "ctypes, Python 3.8 and later on Windows";
  CHECK(error({"/d/a.dll"}).starts_with("FileNotFoundError: "));
  world.query.message.reset();
  world.query.dlopens = {{.name = "none2.dll"}};
  CHECK(error({"/d/m.pyd"}) == "LoadLibrary of none2.dll fails with error 126: " + no_module);
}

TEST_CASE("what cannot be loaded on Windows is refused by the name that it was given") {
  TestWorld world;
  world.query.windows = true;
  const auto refused = [&](const std::string& target) {
    const auto report = world.explain({target});
    for (const auto& one : report.resolution.targets)
      if (one.unreadable) {
        CHECK(one.given == target);
        CHECK(one.unreadable->path == target);
        CHECK(one.unreadable->code == ErrorCode::malformed);
        return one.unreadable->message;
      }
    return std::string("nothing is refused");
  };
  world.files.add_file("/d/b.dll", elf({}));
  CHECK(refused("/d/b.dll") == "not a PE file, as the others are");
  CHECK(refused("py:none") == "no Python of Windows is given: --prefix DIR, or --with WHEEL");
  const std::string wheel = "/w/pkg-1.0-cp311-cp311-win_amd64.whl";
  world.files.add_file(wheel, wheel_file({{"pkg/m.cp310-win_amd64.pyd", pe({})}}));
  world.query.world = WorldKind::here;
  CHECK(refused(wheel) == "its extension modules are for other Pythons than 3.11");
  world.files.add_file(wheel, wheel_file({{"pkg/m.pyd", pe({})}}));
  world.query.environment.machine = EM_AARCH64;
  CHECK(refused(wheel) == "made for x86_64, not for the aarch64 that was asked for");
}

}  // namespace
}  // namespace cudald
