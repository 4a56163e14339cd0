#include "check/fixes/wheel_recipe.h"

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "common/elf_builder.h"
#include "unit/binary/image_of.h"

namespace cudald {
namespace {

Provider provider(const std::string& oldest, const std::string& newest, bool is_last = true) {
  return {.distribution = "nvidia-x",
          .version = newest,
          .folder = "nvidia/x/lib",
          .requirement = is_last ? "nvidia-x" : "nvidia-x==" + newest,
          .oldest = oldest,
          .source = ""};
}

TEST_CASE("a requirement begins with the oldest release that has the library, and ends before the next major version") {
  CHECK(RequirementRange(provider("13.0.0.19", "13.1.2")).text() == "nvidia-x>=13.0.0.19,<14");
  CHECK(RequirementRange(provider("8.5", "8.9.7.29", false)).text() == "nvidia-x>=8.5,<=8.9.7.29");
  CHECK(RequirementRange(provider("8.5", "8.5", false)).text() == "nvidia-x==8.5");
}

TEST_CASE("functions and several libraries narrow it") {
  RequirementRange range(provider("9.1", "9.20"));
  range.at_least("");
  range.at_least("9.0");
  CHECK(range.text() == "nvidia-x>=9.1,<10");
  range.at_least("9.10.2");
  CHECK(range.text() == "nvidia-x>=9.10.2,<10");
  range.narrow(RequirementRange(provider("9.2", "9.11", false)));
  CHECK(range.text() == "nvidia-x>=9.10.2,<=9.11");
  range.narrow(RequirementRange(provider("9.10.5", "9.10.9", false)));
  CHECK(range.text() == "nvidia-x>=9.10.5,<=9.10.9");
}

TEST_CASE("each file searches from where it is") {
  Object file;
  file.path = "pkg.whl!/pkg/sub/a.so";
  file.origin = std::string(PackageTree::site_packages) + "/pkg/sub";
  const auto edit = searched_directory(file, "nvidia/cu13/lib");
  REQUIRE(edit);
  CHECK(edit->path == file.path);
  CHECK(edit->kind == FileEdit::Kind::add_directory);
  CHECK(edit->value == "$ORIGIN/../../nvidia/cu13/lib");
  file.origin = std::string(PackageTree::site_packages);
  REQUIRE(searched_directory(file, "nvidia/cu13/lib"));
  CHECK(searched_directory(file, "nvidia/cu13/lib")->value == "$ORIGIN/nvidia/cu13/lib");
  file.origin = std::string(PackageTree::prefix) + "/bin";
  CHECK_FALSE(searched_directory(file, "nvidia/cu13/lib"));
}

TEST_CASE("on Windows the package names the directories itself") {
  CHECK(dll_directory_lines("pkg.whl!/pkg/sub/a.pyd", {"nvidia/x/bin", "nvidia/y/bin"}) ==
        "# in pkg/__init__.py, before the first import of a compiled module\n"
        "import os\n"
        "_site = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))\n"
        "os.add_dll_directory(os.path.join(_site, \"nvidia/x/bin\"))\n"
        "os.add_dll_directory(os.path.join(_site, \"nvidia/y/bin\"))");
  CHECK(dll_directory_lines("/.wheels/lib/python3/site-packages/pkg/a.pyd", {"nvidia/x/bin"})
            .starts_with("# in pkg/__init__.py,"));
  CHECK(dll_directory_lines("/pkg/a.pyd", {"nvidia/x/bin"}).empty());
  CHECK(dll_directory_lines("pkg.whl!/a.pyd", {"nvidia/x/bin"}).empty());
  CHECK(dll_directory_lines("pkg.whl!/pkg/a.pyd", {}).empty());
}

}  // namespace
}  // namespace cudald
