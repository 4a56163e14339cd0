#include "pyimport/run/libraries_beside.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "common/elf_builder.h"
#include "common/pe_builder.h"
#include "pyimport/tests/import_world.h"

using namespace cudald;

namespace {

constexpr const char* lacks_name = "ImportError: cannot import name 'removed_name' from 'p' (/s/p/__init__.py)";

std::string library_that_calls(const std::string& function, std::vector<ElfNeeded> needed = {}) {
  return elf(ElfSpec{.needed = std::move(needed), .uses = {{function}}});
}

/// What ends `from p import removed_name`, where p has all names of its compiled part, which needs `needed`.
std::string error_with(std::vector<ElfNeeded> needed,
                       const std::vector<std::pair<std::string, std::string>>& libraries) {
  ImportWorld world;
  world.add("p/__init__.py", "from .core.part import *\n");
  world.add("p/core/__init__.py");
  world.add("p/core/part.so",
            elf(ElfSpec{.runpath = "$ORIGIN/../../a-package-of-this-long-name.libs", .needed = std::move(needed)}));
  for (const auto& [name, bytes] : libraries) world.add("a-package-of-this-long-name.libs/" + name, bytes);
  world.add("m.py", "from p import removed_name\n");
  world.import("m");
  return world.result.error;
}

}  // namespace

TEST_CASE("libraries beside a compiled module are looked for where its DT_RUNPATH and DT_RPATH say") {
  const Image image{
      .elf = {.rpath = "/usr/lib:${ORIGIN}", .runpath = "$ORIGIN/../lib", .needed = {{.name = "liba.so"}}}};
  CHECK(python::places_beside("/s/p/part.so", image) == std::vector<std::string>{"/s/lib/liba.so", "/s/p/liba.so"});
}

TEST_CASE("libraries of the system and of the compiler are none of a package") {
  Image image{.elf = {.needed = {{.name = "libstdc++.so.6"}, {.name = "liba.so"}, {.name = "libc.so.6"}}}};
  CHECK(python::needed_of_packages(image) == std::vector<std::string>{"liba.so"});
  image = {.pe = PeFacts{.imports = {{.name = "KERNEL32.dll"}, {.name = "Python311.dll"}, {.name = "Own.dll"}}}};
  CHECK(python::needed_of_packages(image) == std::vector<std::string>{"Own.dll"});
}

TEST_CASE("a module binds what its own file has where no library that it needs knows Python") {
  CHECK(error_with({"libc.so.6"}, {}) == lacks_name);
  CHECK(error_with({"libfast.so"}, {{"libfast.so", library_that_calls("dgemm_")}}) == lacks_name);
  CHECK(error_with({"libfast.so"}, {{"libfast.so", library_that_calls("PyModule_AddObject")}}) == "");
  CHECK(error_with({"libfast.so"}, {{"libfast.so", library_that_calls("_PyObject_New")}}) == "");
  CHECK(error_with({"libfast.so"}, {}) == "");  // it lies elsewhere
  CHECK(error_with({"libfast.so"}, {{"libfast.so", "no ELF"}}) == "");
}

TEST_CASE("so do the libraries that those need") {
  const auto ends = [](const std::string& function) {
    return error_with({"libfast.so"}, {{"libfast.so", library_that_calls("dgemm_", {"libdeep.so", "libz.so.1"})},
                                       {"libdeep.so", library_that_calls(function, {"libfast.so"})}});
  };
  CHECK(ends("sqrt") == lacks_name);
  CHECK(ends("PyObject_SetAttrString") == "");
}

TEST_CASE("a DLL beside a module knows Python if it imports Python's DLL") {
  const auto error_of = [](const std::string& needed) {
    ImportWorld world;
    world.add("p/__init__.py", "from .part import *\n");
    world.add("p/part.so", pe(PeSpec{.imports = {{.dll = "fast.dll", .functions = {{"dgemm"}}}}}));
    world.add("p/fast.dll", pe(PeSpec{.imports = {{.dll = needed, .functions = {{"f"}}}}}));
    world.add("m.py", "from p import removed_name\n");
    world.import("m");
    return world.result.error;
  };
  CHECK(error_of("KERNEL32.dll") == lacks_name);
  CHECK(error_of("python311.dll") == "");
}
