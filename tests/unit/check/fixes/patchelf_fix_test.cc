#include "check/fixes/patchelf_fix.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"
#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

const std::string library_path = "/opt/venv/lib/python3.11/site-packages/x/libx.so";
const std::string dist_info = "/opt/venv/lib/python3.11/site-packages/x-1.0.dist-info/";

/// What patching the library that asks breaks, where the library that it needs lies beside the search.
std::string side_effect(TestWorld& world) {
  world.add(library_path, {.soname = "libx.so", .needed = {"liby.so"}});
  world.add("/opt/venv/lib/liby.so", {.soname = "liby.so"});
  const auto report = world.explain({library_path});
  for (const auto& finding : report.findings)
    for (const auto& fix : finding.fixes)
      if (fix.command.starts_with("patchelf ")) return fix.side_effect.empty() ? "nothing" : fix.side_effect;
  return "no fix by patchelf";
}

TEST_CASE("patching a file breaks the RECORD of its package") {
  TestWorld world;
  world.files.add_file(dist_info + "RECORD", "x/libx.so,sha256=abc,1\n");
  CHECK(side_effect(world) == "its hash in the package's RECORD no longer matches");
}

TEST_CASE("patching a file of no package breaks no RECORD, though it lies in site-packages") {
  TestWorld world;
  CHECK(side_effect(world) == "nothing");
  TestWorld other;
  other.files.add_file(dist_info + "RECORD", "x/other.so,sha256=abc,1\n");
  CHECK(side_effect(other) == "nothing");
}

TEST_CASE("what installers list in a RECORD no longer fits it, in either folder of packages") {
  const MemoryFileSystem files;
  const PackageTree packages(files);
  const auto effect = [&](const std::string& path, bool in_package) {
    Object object;
    object.path = path;
    if (in_package) object.package = PackageName{"pkg", "1.0"};
    return patchelf_fix("title", {}, object, packages).side_effect;
  };
  const std::string broken = "its hash in the package's RECORD no longer matches";
  CHECK(effect("/venv/lib/python3.11/site-packages/a.so", true) == broken);
  CHECK(effect("/usr/lib/python3/dist-packages/a.so", true) == broken);
  CHECK(effect("/conda/lib/a.so", true).empty());
  CHECK(effect("/venv/lib/python3.11/site-packages/a.so", false).empty());
}

TEST_CASE("in an image without patchelf, what installs it stands before the commands that use it") {
  const auto command = [](const std::string& os_release, const std::string& file, const std::string& title = "") {
    MemoryFileSystem files;
    files.add_file("/etc/os-release", os_release);
    files.add_file("/usr/bin/x", "");
    files.add_file(file, "");
    ImageStore images(files);
    Report report;
    report.findings.emplace_back().fixes.push_back({title, "patchelf --add-needed a b", ""});
    add_patchelf_itself(report, images);
    return report.findings[0].fixes[0].command;
  };
  const std::string plain = "patchelf --add-needed a b";
  CHECK(command("ID=debian\n", "/.dockerenv") == "apt update && apt install patchelf\n" + plain);
  CHECK(command("ID=alpine\n", "/.dockerenv") == "apk add --no-cache patchelf\n" + plain);
  CHECK(command("ID=debian\n", "/.dockerenv", "maintainer fix: x") == plain);
  CHECK(command("ID=rocky\nID_LIKE=\"rhel centos fedora\"\n", "/.dockerenv") ==
        "dnf install epel-release && dnf install patchelf\n" + plain);
  CHECK(command("ID=rhel\nID_LIKE=\"fedora\"\n", "/.dockerenv") == plain);
  CHECK(command("ID=debian\n", "/x") == plain);
}

}  // namespace
}  // namespace cudald
