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
  CHECK(error_with({"libfast.so", "libGL.so.1"}, {{"libfast.so", library_that_calls("dgemm_")}}) == lacks_name);
  CHECK(error_with({"libfast.so"}, {}) == "");  // it lies elsewhere
  CHECK(error_with({"libfast.so"}, {{"libfast.so", "no ELF"}}) == "");
}

TEST_CASE("so do the libraries that those need") {
  const auto ends = [](const std::string& function) {
    return error_with({"libfast.so"}, {{"libfast.so", library_that_calls("dgemm_", {"libdeep.so", "libz.so.1"})},
                                       {"libdeep.so", library_that_calls(function, {"libfast.so"})}});
  };
  CHECK(ends("sqrt") == lacks_name);
  CHECK(ends("PyObject_SetAttrString") == lacks_name);
  CHECK(ends("PyDict_Next") == "");
}

TEST_CASE("a library that knows Python may bind what is in it, and what it copies") {
  const auto ends = [](const std::string& library) { return error_with({"libfast.so"}, {{"libfast.so", library}}); };
  CHECK(ends(library_that_calls("PyModule_AddObject")) == lacks_name);
  CHECK(ends(library_that_calls("_PyObject_New") + "removed_name") == "");
  CHECK(ends(library_that_calls("PyModule_AddObject") + "\x48\xb8removed_\x48\x89\x44\x24\x10") == "");
  CHECK(ends(library_that_calls("PyDict_Update")) == "");
}

TEST_CASE("what a stub lacks is not copied by a library that knows Python") {
  const auto error_of = [](const std::string& stub) {
    ImportWorld world;
    world.add("p/__init__.py");
    world.add("p/part.so", elf(ElfSpec{.runpath = "$ORIGIN", .needed = {"libfast.so"}}));
    world.add("p/part.pyi", stub);
    world.add("p/libfast.so", library_that_calls("PyDict_Update"));
    world.add("m.py", "from p.part import removed_name\n");
    world.import("m");
    return world.result.error;
  };
  CHECK(error_of("class other: ...\n") ==
        "ImportError: cannot import name 'removed_name' from 'p.part' (/s/p/part.so)");
  CHECK(error_of("class removed_name: ...\n") == "");
}

TEST_CASE("a DLL beside a module knows Python if it imports Python's DLL") {
  const auto error_of = [](const std::string& needed, const std::string& more = "") {
    ImportWorld world;
    world.add("p/__init__.py", "from .part import *\n");
    world.add("p/part.so", pe(PeSpec{.imports = {{.dll = "fast.dll", .functions = {{"dgemm"}}}}}));
    world.add("p/fast.dll", pe(PeSpec{.imports = {{.dll = needed, .functions = {{"f"}}}}}) + more);
    world.add("m.py", "from p import removed_name\n");
    world.import("m");
    return world.result.error;
  };
  CHECK(error_of("KERNEL32.dll") == lacks_name);
  CHECK(error_of("python311.dll") == lacks_name);
  CHECK(error_of("KERNEL32.dll", "PyRun_String") == lacks_name);
  CHECK(error_of("python311.dll", "PyRun_String") == "");
}
