// Which compiled modules a release of NumPy refuses, and in which words.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "common/code_file.h"
#include "pyimport/tests/import_world.h"

using namespace cudald;

namespace {

const std::string older = "numpy.core._multiarray_umath", newer = "numpy._core._multiarray_umath";
const std::string rules_of_numpy = R"({"standard_library": {"names": ["sys"]},
  "array_abi": {"package": "numpy", "spoken": "NumPy", "border": "2",
    "older": {"capsule": "numpy.core._multiarray_umath", "raises": "numpy.core.multiarray failed to import"},
    "earlier": {"capsule": "numpy.core.multiarray", "checks": "compiled against ABI version 0x%x"},
    "newer": {"capsule": "numpy._core._multiarray_umath", "raises": "numpy._core.multiarray failed to import"},
    "unheeded": ["p.goes_on"],
    "types": ["flatiter", "broadcast"], "type": {"name": "numpy.dtype", "older": "96", "newer": "88"},
    "words": [["incompatibility. Expected %zd from", "size changed, may indicate binary incompatibility. )"
                                   R"(Expected {older}, got {newer}"],
              ["has the wrong size", "has the wrong size. Expected {older}"]],
    "least": "C-API version 0x%x (NumPy ", "printed": "cannot be run in NumPy {version}"},
  "rules": [], "libraries": {"rows": {}}})";

const std::vector<std::string> numpy_2{"__init__.py", "_core/__init__.py", "_core/_multiarray_umath.so",
                                       "core/__init__.py", "core/_multiarray_umath.py"};
const std::vector<std::string> numpy_1{"__init__.py", "_core/__init__.py", "_core/_multiarray_umath.py",
                                       "core/__init__.py", "core/_multiarray_umath.so"};

/// Each text between two nul bytes.
std::string lone_nul_texts(const std::vector<std::string>& texts) {
  std::string bytes(1, '\0');
  for (const auto& text : texts) bytes += text + '\0';
  return bytes;
}

/// A module whose code imports the one of that name, with these texts besides.
std::string asking(const std::string& name, const std::vector<std::string>& texts = {}) {
  CodeFile file({"PyImport_ImportModule"});
  for (const auto& text : texts) file.text(text);
  const auto place = file.text(name);
  file.function();
  file.address(CodeFile::rdi, place).call("PyImport_ImportModule");
  return file.bytes();
}

ImportWorld world_of_numpy(const std::string& bytes, const std::vector<std::string>& numpy = {}) {
  ImportWorld world;
  world.rules = rules_of_numpy;
  for (const auto& name : numpy) world.add("numpy/" + name);
  world.add("c.so", bytes);
  return world;
}

std::string numpy_error_of(ImportWorld world) {
  world.import("c");
  return world.result.error;
}

/// Where NumPy is not among the files, in the release that an installer chooses.
std::string error_beside(const std::string& release, bool certain, const std::string& bytes) {
  auto world = world_of_numpy(bytes);
  world.python.elsewhere.insert("numpy");
  world.python.releases["numpy"] = {release, certain};
  return numpy_error_of(std::move(world));
}

const std::string failed = "ImportError: numpy.core.multiarray failed to import";
const std::vector<std::string> texts_of_cython{
    "flatiter", "broadcast", "%s size changed, may indicate binary incompatibility. Expected %zd from"};

}  // namespace

TEST_CASE("a module that is known to go on where NumPy refuses it fails by nothing") {
  const auto error_of = [](const std::string& module) {
    auto world = world_of_numpy("", numpy_2);
    world.add("p/__init__.py");
    world.add("p/" + module + ".so", asking(older, {"numpy.core.multiarray failed to import"}));
    world.import("p." + module);
    return world.result.error;
  };
  CHECK(error_of("fails") == failed);
  CHECK(error_of("goes_on").empty());
}

TEST_CASE("NumPy 2 refuses a module that asks for the interface of NumPy 1 alone") {
  CHECK(numpy_error_of(world_of_numpy(asking(older), numpy_2)) == failed);
  CHECK(numpy_error_of(world_of_numpy(asking(older),
                                      {"__init__.py", "_core/__init__.py", "_core/_multiarray_umath.so"})) == failed);
  CHECK(numpy_error_of(world_of_numpy(asking(older), numpy_1)) == "");
  CHECK(numpy_error_of(
            world_of_numpy(asking(older), {"__init__.py", "core/__init__.py", "core/_multiarray_umath.so"})) == "");
  CHECK(numpy_error_of(world_of_numpy(asking(older, {newer}), numpy_2)) == "");
  CHECK(numpy_error_of(world_of_numpy(asking("numpy"), numpy_2)) == "");
  CHECK(numpy_error_of(world_of_numpy(lone_nul_texts({older}), numpy_2)) == "");
}

TEST_CASE("a module that asks for NumPy and gives up without it fails where NumPy is not installed") {
  CHECK(numpy_error_of(world_of_numpy(asking(older))) == failed);
  CHECK(numpy_error_of(world_of_numpy(asking(newer))) == "");  // its code tries the older one as well
  CHECK(numpy_error_of(world_of_numpy(lone_nul_texts({older}))) == "");
  auto some = world_of_numpy(asking(older));
  some.python.complete = false;
  CHECK(numpy_error_of(std::move(some)) == "");
  CHECK(error_beside("", true, asking(older)) == "");
  CodeFile goes_on({"PyImport_ImportModule", "PyErr_Clear"});
  const auto place = goes_on.text(older);
  goes_on.function();
  goes_on.address(CodeFile::rdi, place).call("PyImport_ImportModule").call("PyErr_Clear");
  CHECK(numpy_error_of(world_of_numpy(goes_on.bytes())) == "");
}

TEST_CASE("headers before NumPy 1.16 ask another module, as others do, and check the version") {
  const std::string before = "numpy.core.multiarray";
  auto numpy = numpy_2;
  numpy.push_back("core/multiarray.py");
  const auto checking = asking(before, {"module compiled against ABI version 0x%x but this is 0x%x"});
  CHECK(numpy_error_of(world_of_numpy(checking, numpy)) == failed);
  CHECK(numpy_error_of(world_of_numpy(asking(before), numpy)) == "");
  CHECK(numpy_error_of(world_of_numpy(checking, numpy_1)) == "");
}

TEST_CASE("code of Cython that was built for NumPy 1 finds a type of another size in NumPy 2") {
  auto texts = texts_of_cython;
  texts.push_back(older);
  const auto bytes = lone_nul_texts(texts);
  CHECK(numpy_error_of(world_of_numpy(bytes, numpy_2)) ==
        "ValueError: numpy.dtype size changed, may indicate binary incompatibility. Expected 96, got 88");
  CHECK(numpy_error_of(world_of_numpy(bytes, numpy_1)) == "");
  CHECK(numpy_error_of(world_of_numpy(lone_nul_texts({older, "flatiter", "broadcast", "%s has the wrong size, try"}),
                                      numpy_2)) == "ValueError: numpy.dtype has the wrong size. Expected 96");
  // It does not say for which NumPy it was built.
  CHECK(numpy_error_of(world_of_numpy(lone_nul_texts(texts_of_cython), numpy_2)) == "");
  CHECK(numpy_error_of(world_of_numpy(lone_nul_texts({older, "flatiter", texts_of_cython[2]}), numpy_2)) == "");
  // The declarations of NumPy say it.
  auto declared = texts_of_cython;
  declared.push_back("numpy.core.multiarray failed to import");
  CHECK(numpy_error_of(world_of_numpy(lone_nul_texts(declared), numpy_2)).find("dtype size changed") !=
        std::string::npos);
  CHECK(numpy_error_of(world_of_numpy(lone_nul_texts(declared), numpy_1)) == "");
  declared.push_back("numpy._core.multiarray failed to import");
  CHECK(numpy_error_of(world_of_numpy(lone_nul_texts(declared), numpy_2)) == "");
  auto narrow = world_of_numpy(bytes, numpy_2);
  narrow.python.narrow = true;
  CHECK(numpy_error_of(std::move(narrow)) ==
        "ValueError: numpy.dtype size changed, may indicate binary incompatibility");
}

TEST_CASE("the release of NumPy is that of its metadata, or the one that an installer chooses") {
  auto installed = world_of_numpy(asking(older), {"__init__.py"});
  installed.add("numpy-2.1.0.dist-info/METADATA");
  installed.import("c");
  REQUIRE(installed.result.refused);
  CHECK(installed.result.refused->version == "2.1.0");
  CHECK(installed.result.refused->module == "c");
  CHECK(installed.result.refused->bounds == "<2");
  CHECK(installed.result.refused->printed == "cannot be run in NumPy 2.1.0");
  CHECK(error_beside("2.4.6", true, asking(older)) == failed);
  CHECK(error_beside("1.26.4", true, asking(older)) == "");
  // What is required and not known may want an older one.
  CHECK(error_beside("2.4.6", false, asking(older)) == "");
}

TEST_CASE("a module that needs functions of a newer NumPy is refused by an older one") {
  const auto bytes = asking(newer, {"compiled against NumPy C-API version 0x%x (NumPy 1.25) but"});
  CHECK(error_beside("1.24.4", true, bytes) == "ImportError: numpy._core.multiarray failed to import");
  CHECK(error_beside("1.24.4", false, bytes) == "ImportError: numpy._core.multiarray failed to import");
  CHECK(error_beside("1.25.0", true, bytes) == "");
  CHECK(error_beside("2.0.2", true, bytes) == "");
}

TEST_CASE("a refusal that code catches is not the cause of anything") {
  auto world = world_of_numpy(asking(older), numpy_2);
  world.add("m.py", "try:\n    import c\nexcept ImportError:\n    pass\n");
  world.import("m");
  CHECK(world.result.imported);
  CHECK_FALSE(world.result.refused);
}

TEST_CASE("a library beside the module asks for the interface in its place") {
  const auto error_of = [](const std::string& called, const std::string& raises, const std::vector<std::string>& numpy,
                           bool alone = true) {
    CodeFile module({called});
    module.needs("libhelp.so").function();
    module.call(called);
    CodeFile library({"PyImport_ImportModule"});
    const auto capsule = library.text(older), text = library.text(raises);
    library.exports("init_arrays").function();
    if (!alone) {
      library.call(CodeFile::base + 0x40);
      while (library.here() <= CodeFile::base + 0x30) library.copy(0, 0);
      library.function();
    }
    library.address(CodeFile::rdi, capsule).call("PyImport_ImportModule").address(CodeFile::rsi, text);
    auto world = world_of_numpy(module.bytes(), numpy);
    world.add("libhelp.so", library.bytes());
    return numpy_error_of(std::move(world));
  };
  const std::string text = "numpy.core.multiarray failed to import";
  CHECK(error_of("init_arrays", text, numpy_2) == failed);
  CHECK(error_of("init_arrays", text, numpy_1) == "");
  CHECK(error_of("init_arrays", text, {}) == "");
  CHECK(error_of("init_other", text, numpy_2) == "");
  // It goes on without NumPy, or the function that asks may not be called.
  CHECK(error_of("init_arrays", "no NumPy", numpy_2) == "");
  CHECK(error_of("init_arrays", text, numpy_2, false) == "");
}
