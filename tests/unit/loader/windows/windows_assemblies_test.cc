#include "loader/windows/windows_assemblies.h"

#include <doctest/doctest.h>

#include <cudald/image.h>

namespace cudald {
namespace {

/// A DLL, or a program, with one manifest.
Image image_with(std::uint32_t id, bool dll = true) {
  Image image;
  image.format = Format::pe32_plus;
  image.pe.emplace();
  image.pe->characteristics = dll ? pe_dll : 0;
  image.pe->manifests.push_back({id, {}});
  return image;
}

Assembly assembly(std::string name, std::string version) {
  Assembly made;
  made.name = std::move(name);
  made.version = std::move(version);
  return made;
}

WindowsHost machine_with(bool has_files = false) {
  WindowsHost host;
  host.application = "C:\\App";
  host.has_files = has_files;
  return host;
}

const Assembly runtime = assembly("Microsoft.VC90.CRT", "9.0.21022.8");
const Assembly controls = assembly("Microsoft.Windows.Common-Controls", "6.0.0.0");

std::string places(const WindowsHost& host) {
  std::string text;
  for (const auto& place : assembly_places(runtime, "C:\\D", host)) text += place.path() + "\n";
  return text;
}

TEST_CASE("an assembly lies beside the file or the program, or in a folder of its name there") {
  CHECK(places(machine_with()) ==
        "C:\\D\\Microsoft.VC90.CRT.dll\n"
        "C:\\D\\Microsoft.VC90.CRT.manifest\n"
        "C:\\D\\Microsoft.VC90.CRT\\Microsoft.VC90.CRT.dll\n"
        "C:\\D\\Microsoft.VC90.CRT\\Microsoft.VC90.CRT.manifest\n"
        "C:\\App\\Microsoft.VC90.CRT.dll\n"
        "C:\\App\\Microsoft.VC90.CRT.manifest\n"
        "C:\\App\\Microsoft.VC90.CRT\\Microsoft.VC90.CRT.dll\n"
        "C:\\App\\Microsoft.VC90.CRT\\Microsoft.VC90.CRT.manifest\n");
}

TEST_CASE("of a copy of Windows its store of manifests comes first, for the width of the process") {
  auto host = machine_with(true);
  CHECK(places(host).starts_with("C:\\Windows\\WinSxS\\Manifests\\amd64_microsoft.vc90.crt_*\n"));
  host.wide = false;
  CHECK(places(host).starts_with("C:\\Windows\\WinSxS\\Manifests\\x86_microsoft.vc90.crt_*\n"));
}

TEST_CASE("of a DLL manifest 2 counts, of a program manifest 1") {
  struct Row {
    std::uint32_t id;
    bool dll, counts;
  };
  const Row rows[] = {{2, true, true}, {1, true, false}, {3, true, false}, {1, false, true}, {2, false, false}};
  for (const Row& row : rows) {
    CAPTURE(row.id);
    CAPTURE(row.dll);
    CHECK((embedded_manifest(image_with(row.id, row.dll)) != nullptr) == row.counts);
  }
  CHECK(embedded_manifest(Image{}) == nullptr);
}

TEST_CASE("a manifest beside the file is called after it, of a DLL with the number") {
  CHECK(external_manifest(image_with(2), "C:\\D\\a.dll") == "C:\\D\\a.dll.2.manifest");
  CHECK(external_manifest(image_with(1, false), "C:\\D\\a.exe") == "C:\\D\\a.exe.manifest");
}

TEST_CASE("assemblies of Windows are there without files, unless a copy of it says what there is") {
  CHECK(is_of_windows(controls, machine_with()));
  CHECK_FALSE(is_of_windows(controls, machine_with(true)));
  CHECK_FALSE(is_of_windows(assembly(controls.name, "7.0.0.0"), machine_with()));
  CHECK_FALSE(is_of_windows(runtime, machine_with()));
}

TEST_CASE("of several manifests the one with the right number counts, and what is no PE file has none") {
  auto image = image_with(1);
  image.pe->manifests.push_back({2, {}});
  image.pe->manifests.push_back({2, {}});
  CHECK(embedded_manifest(image) == &image.pe->manifests[1]);
  image.pe->characteristics = 0;
  CHECK(embedded_manifest(image) == &image.pe->manifests[0]);
  CHECK(external_manifest(Image{}, "C:\\D\\a") == "C:\\D\\a.manifest");
}

TEST_CASE("only in the store of Windows is a place the beginning of a name") {
  const auto found = assembly_places(runtime, "C:\\D", machine_with(true));
  REQUIRE(found.size() == 9);
  CHECK(found[0].folder == "C:\\Windows\\WinSxS\\Manifests");
  CHECK(found[0].name == "amd64_microsoft.vc90.crt_");
  CHECK(found[0].beginning);
  CHECK(found[1].folder == "C:\\D");
  CHECK(found[1].name == "Microsoft.VC90.CRT.dll");
  for (std::size_t i = 1; i < found.size(); ++i) CHECK_FALSE(found[i].beginning);
}

}  // namespace
}  // namespace cudald
