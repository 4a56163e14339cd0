// Which files are told of where a DLL is missing.

#include <doctest/doctest.h>

#include <cudald/windows_host_file.h>

#include "check/findings/near_dlls.h"
#include "common/pe_builder.h"
#include "machine/windows_host.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

TEST_CASE("near a DLL lie those of its name, then those of another version of it") {
  auto report = made_report({made_object("/app/a.dll")});
  report.resolution.windows = true;
  auto program = std::make_shared<Image>();
  program->machine = 62;
  program->format = Format::pe32_plus;
  report.resolution.objects[0].image = program;
  report.query.environment.dll_path = {"/x"};
  MemoryFileSystem files;
  for (const auto* path : {"/app/b_2.dll", "/x/b_1.dll", "/x/c.dll"}) files.add_file(path, pe({}));
  ThreadLimit threads;
  Store store(files, threads, built_in_knowledge());
  std::string found;
  for (const auto& dll : near_dlls({report, store}, "B_1.dll"))
    found += dll.path + " in " + dll.folder + (dll.exact ? " exact\n" : "\n");
  CHECK(found == "/x/b_1.dll in /x exact\n/app/b_2.dll in /app\n");
}

TEST_CASE("an add-on two directories below its package has DLLs there") {
  auto report = made_report({made_object("/m/bridge/build/Release/bridge.node")});
  report.resolution.windows = true;
  auto program = std::make_shared<Image>();
  program->machine = 62;
  program->format = Format::pe32_plus;
  report.resolution.objects[0].image = program;
  MemoryFileSystem files;
  for (const auto* path : {"/m/bridge/a.dll", "/m/b.dll", "/m/bridge/c_2.dll"}) files.add_file(path, pe({}));
  ThreadLimit threads;
  Store store(files, threads, built_in_knowledge());
  CHECK(near_dlls({report, store}, "a.dll").size() == 1);
  CHECK(near_dlls({report, store}, "b.dll").empty());
  CHECK(near_dlls({report, store}, "c_1.dll").empty());
}

TEST_CASE("directories of packages are near") {
  auto report = made_report({made_object("/py/Lib/site-packages/win32/win32api.pyd")});
  report.resolution.windows = true;
  auto program = std::make_shared<Image>();
  program->machine = 62;
  program->format = Format::pe32_plus;
  report.resolution.objects[0].image = program;
  MemoryFileSystem files;
  const std::string site = "/py/Lib/site-packages/";
  for (const std::string& path :
       {site + "system32/a.dll", site + "qt/bin/b.dll", site + "nvidia/cublas/bin/c.dll", site + "qt/bin/msvcp100.dll",
        std::string("/cuda/bin/d.dll"), std::string("/v13/bin/x64/e.dll")})
    files.add_file(path, pe({}));
  ThreadLimit threads;
  Store store(files, threads, built_in_knowledge());
  WindowsHost host;
  const auto folder = [&](const std::string& name) {
    const auto found = near_dlls({report, store, nullptr, &host}, name);
    return found.empty() ? "" : found.front().path;
  };
  CHECK(folder("a.dll") == site + "system32/a.dll");
  CHECK(folder("b.dll") == site + "qt/bin/b.dll");
  CHECK(folder("c.dll") == site + "nvidia/cublas/bin/c.dll");
  CHECK(folder("msvcp100.dll") == "");  // an installer puts it into Windows
}

TEST_CASE("a described machine has DLLs in directories that a load may not search") {
  auto report = made_report({made_object("/app/a.dll")});
  report.resolution.windows = true;
  MemoryFileSystem files;
  ThreadLimit threads;
  Store store(files, threads, built_in_knowledge());
  WindowsHostFile described;
  described.folders = {{"c:\\cuda\\v13.0\\bin\\x64", {"cublas64_13.dll"}}, {"c:\\other", {"x.dll"}}};
  WindowsHost host;
  host.described = std::make_shared<WindowsHostFile>(described);
  const auto found = near_dlls({report, store, nullptr, &host}, "cublas64_13.dll");
  REQUIRE(found.size() == 1);
  CHECK(found[0].exact);
  CHECK(found[0].folder == "c:\\cuda\\v13.0\\bin\\x64");
}

TEST_CASE("what an installer keeps outside of PATH is near") {
  auto report = made_report({made_object("/app/a.dll")});
  report.resolution.windows = true;
  auto program = std::make_shared<Image>();
  program->machine = 62;
  program->format = Format::pe32_plus;
  report.resolution.objects[0].image = program;
  MemoryFileSystem files;
  files.add_file("/Program Files/Java/jre1.8/bin/server/jvm.dll", pe({}));
  files.add_file("/Windows/System32/Npcap/wpcap.dll", pe({}));
  ThreadLimit threads;
  Store store(files, threads, built_in_knowledge());
  WindowsHost host;
  host.mounts = {{"C:", "/"}};
  const auto found = near_dlls({report, store, nullptr, &host}, "jvm.dll");
  REQUIRE(found.size() == 1);
  CHECK(found[0].folder == "C:\\Program Files\\Java\\jre1.8\\bin\\server");
  const auto in_one_place = near_dlls({report, store, nullptr, &host}, "wpcap.dll");
  REQUIRE(in_one_place.size() == 1);
  CHECK(in_one_place[0].folder == "C:\\Windows\\System32\\Npcap");
}

TEST_CASE("what is far below the program, or in a bin above it, is near where nothing nearer has it") {
  const auto found_from = [](const std::string& program, const std::vector<std::string>& dlls,
                             const std::string& name) {
    auto report = made_report({made_object(program)});
    report.resolution.windows = true;
    auto image = std::make_shared<Image>();
    image->machine = 62;
    image->format = Format::pe32_plus;
    report.resolution.objects[0].image = image;
    MemoryFileSystem files;
    for (const auto& dll : dlls) files.add_file(dll, pe({}));
    ThreadLimit threads;
    Store store(files, threads, built_in_knowledge());
    const auto found = near_dlls({report, store}, name);
    return found.empty() ? "" : found.front().path;
  };
  const std::string below = "/app/plugins/runtimes/win-x64/native/e.dll", above = "/g/bin/libgimp.dll";
  CHECK(found_from("/app/host.exe", {below}, "e.dll") == below);
  CHECK(found_from("/app/host.exe", {below, "/app/e.dll"}, "e.dll") == "/app/e.dll");
  CHECK(found_from("/app/host.exe", {"/app/a/b/c/e_2.dll"}, "e_1.dll") == "");  // far away the name alone counts
  CHECK(found_from("/app/host.exe", {"/app/a/b/c/vcruntime140.dll"}, "vcruntime140.dll") == "");
  CHECK(found_from("/g/lib/gimp/2.0/plug-ins/bimp.exe", {above}, "libgimp.dll") == above);
  CHECK(found_from("/Program Files/g/lib/x/bimp.exe", {"/Program Files/bin/libgimp.dll"}, "libgimp.dll") == "");
  const std::string of_tools = "/gcc/bin/libwinpthread-1.dll";
  CHECK(found_from("/gcc/x86_64-w64-mingw32/bin/as.exe", {of_tools}, "libwinpthread-1.dll") == of_tools);
  CHECK(found_from("/Windows/a/b/c.exe", {"/Windows/bin/libgimp.dll"}, "libgimp.dll") == "");
}

TEST_CASE("the directory of Windows itself is near") {
  TestWorld world;
  world.query.sysroot = "/copy";
  world.files.add_file("/Windows/System32/kernel32.dll", pe({.name = "kernel32.dll", .exports = {{"k", 1, ""}}}));
  world.files.add_file("/Windows/System32/b.dll", pe({.exports = {{"f", 1, ""}}}));
  world.files.add_file("/Windows/b.dll", pe({.exports = {{"f", 1, ""}, {"g", 2, ""}}}));
  world.files.add_file("/d/app.exe", pe({.characteristics = 0x22, .imports = {{"b.dll", {{"g"}}}}}));
  CHECK(all_words(world.explain({"/d/app.exe"}).findings.at(0)).find("C:\\Windows\\b.dll does") != std::string::npos);
}

}  // namespace
}  // namespace cudald
