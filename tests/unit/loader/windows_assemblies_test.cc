#include "loader/windows_assemblies.h"

#include <doctest/doctest.h>

#include <cudald/image.h>

namespace cudald {
namespace {

/// A DLL, or a program, with one manifest.
Image image_with(std::uint32_t id, std::vector<Assembly> assemblies, bool dll = true) {
  Image image;
  image.format = Format::pe32_plus;
  image.pe.emplace();
  image.pe->characteristics = dll ? pe_dll : 0;
  image.pe->manifests.push_back({id, std::move(assemblies)});
  return image;
}

Assembly assembly(std::string name, std::string version, bool optional = false) {
  Assembly made;
  made.name = std::move(name);
  made.version = std::move(version);
  made.optional = optional;
  return made;
}

WindowsHost machine(bool has_files = false) {
  WindowsHost host;
  host.application = "C:\\App";
  host.has_files = has_files;
  return host;
}

const Assembly runtime = assembly("Microsoft.VC90.CRT", "9.0.21022.8");
const Assembly controls = assembly("Microsoft.Windows.Common-Controls", "6.0.0.0");

std::string places(const Image& image, const WindowsHost& host) {
  std::string text;
  for (const auto& place : assembly_places(image, "C:\\D", host)) text += place.path() + "\n";
  return text;
}

TEST_CASE("an assembly lies beside the file or the program, or in a folder of its name there") {
  CHECK(places(image_with(2, {runtime}), machine()) ==
        "C:\\D\\Microsoft.VC90.CRT.dll\n"
        "C:\\D\\Microsoft.VC90.CRT.manifest\n"
        "C:\\D\\Microsoft.VC90.CRT\\Microsoft.VC90.CRT.dll\n"
        "C:\\D\\Microsoft.VC90.CRT\\Microsoft.VC90.CRT.manifest\n"
        "C:\\App\\Microsoft.VC90.CRT.dll\n"
        "C:\\App\\Microsoft.VC90.CRT.manifest\n"
        "C:\\App\\Microsoft.VC90.CRT\\Microsoft.VC90.CRT.dll\n"
        "C:\\App\\Microsoft.VC90.CRT\\Microsoft.VC90.CRT.manifest\n");
}

TEST_CASE("of a copy of Windows its store of manifests counts, for the width of the process") {
  auto host = machine(true);
  CHECK(places(image_with(2, {runtime}), host)
            .ends_with("\nC:\\Windows\\WinSxS\\Manifests\\amd64_microsoft.vc90.crt_*\n"));
  host.wide = false;
  CHECK(
      places(image_with(2, {runtime}), host).ends_with("\nC:\\Windows\\WinSxS\\Manifests\\x86_microsoft.vc90.crt_*\n"));
}

TEST_CASE("of a DLL manifest 2 counts, of a program manifest 1") {
  struct Row {
    std::uint32_t id;
    bool dll;
    std::string missing;
  };
  const Row rows[] = {{2, true, "Microsoft.VC90.CRT 9.0.21022.8"},
                      {1, true, ""},
                      {3, true, ""},
                      {1, false, "Microsoft.VC90.CRT 9.0.21022.8"},
                      {2, false, ""}};
  for (const Row& row : rows) {
    CAPTURE(row.id);
    CAPTURE(row.dll);
    const auto image = image_with(row.id, {runtime}, row.dll);
    CHECK(missing_assembly(image, "C:\\D", machine(), {}) == row.missing);
    CHECK(assembly_places(image, "C:\\D", machine()).empty() == row.missing.empty());
  }
}

TEST_CASE("which assembly is missing") {
  struct Row {
    std::string name;
    std::vector<Assembly> wanted;
    bool copy_of_windows;
    std::set<std::string> there;
    std::string missing;
  };
  const std::string at = "C:\\D\\Microsoft.VC90.CRT\\Microsoft.VC90.CRT.manifest";
  const std::string beside_program = "C:\\App\\Microsoft.VC90.CRT.dll";
  const std::string in_store = "C:\\Windows\\WinSxS\\Manifests\\amd64_microsoft.vc90.crt_*";
  const Row rows[] = {
      {"none wanted", {}, false, {}, ""},
      {"nowhere", {runtime}, false, {}, "Microsoft.VC90.CRT 9.0.21022.8"},
      {"in a folder of its name", {runtime}, false, {at}, ""},
      {"beside the program", {runtime}, false, {beside_program}, ""},
      {"in the store of another machine", {runtime}, false, {in_store}, "Microsoft.VC90.CRT 9.0.21022.8"},
      {"in the store of the copy", {runtime}, true, {in_store}, ""},
      {"optional", {assembly("None", "1.0", true)}, false, {}, ""},
      {"of Windows itself", {controls}, false, {}, ""},
      {"of Windows, in another version", {assembly(controls.name, "7.0.0.0")}, false, {}, controls.name + " 7.0.0.0"},
      {"of Windows, not in the copy", {controls}, true, {}, controls.name + " 6.0.0.0"},
      {"the first of two", {controls, runtime, assembly("None", "1.0")}, false, {}, "Microsoft.VC90.CRT 9.0.21022.8"},
      {"the second of two", {runtime, assembly("None", "1.0")}, false, {at}, "None 1.0"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(missing_assembly(image_with(2, row.wanted), "C:\\D", machine(row.copy_of_windows), row.there) == row.missing);
  }
}

TEST_CASE("a file that is no PE file asks for no assembly") {
  CHECK(missing_assembly(Image{}, "C:\\D", machine(), {}) == "");
  CHECK(assembly_places(Image{}, "C:\\D", machine()).empty());
}

}  // namespace
}  // namespace cudald
