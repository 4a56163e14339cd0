#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "common/code_file.h"
#include "pyimport/tests/cython_module.h"
#include "pyimport/tests/import_world.h"

using namespace cudald;

namespace {

const std::string nul(1, '\0'), of_cython = nul + "cython_runtime" + nul;

/// Each text between two nul bytes.
std::string lone_texts(const std::vector<std::string>& texts) {
  auto bytes = nul;
  for (const auto& text : texts) bytes += text + nul;
  return bytes;
}

/// What compiled modules are said to import perhaps: "m: a, b".
std::string possibly_imported(const ImportWorld& world) {
  std::string all;
  for (const auto& one : world.result.unfollowed) {
    CHECK(one.kind == Unfollowed::Kind::compiled);
    CHECK(one.source == "/s/" + one.module + ".so");
    CHECK(one.line == 0);
    CHECK(one.certain);
    all += one.module + ": " + one.code + "; ";
  }
  return all;
}

/// What is loaded by an import of c, which has these bytes, and what it may import.
std::string import_compiled(const std::string& bytes, const std::vector<std::string>& files = {},
                            const std::vector<std::string>& standard = {}) {
  ImportWorld world;
  world.rules = R"({"standard_library": {"names": ["sys", "datetime", "json", "os"]}, "rules": [],
                    "libraries": {"rows": {}}})";
  world.python.path = {"/s", "/lib"};
  world.files.add_file("/lib/os.py", "");
  for (const auto& name : files) world.add(name);
  for (const auto& name : standard) world.files.add_file("/lib/" + name, "");
  world.add("c.so", bytes);
  const auto loads = world.import("c");
  return loads + " | " + possibly_imported(world) + world.result.error;
}

/// A module whose code imports these.
std::string importing(const std::vector<std::string>& names, const std::string& text = "") {
  CodeFile file({"PyImport_ImportModule"});
  if (!text.empty()) file.text(text);
  std::vector<std::uint64_t> places;
  for (const auto& name : names) places.push_back(file.text(name));
  file.function();
  for (const auto place : places) file.address(CodeFile::rdi, place).call("PyImport_ImportModule");
  return file.bytes();
}

/// A module of Cython 3.0 that imports this outside of any condition.
std::string requiring(const std::string& name, const std::string& besides = "") {
  CodeFile file(
      {"PyModule_GetDict", "PyObject_SetAttr", "PyImport_ImportModuleLevelObject", "PyUnicode_InternFromString"});
  const auto importer = CodeFile::base + 0x80, strings = CodeFile::base + 0xc0;
  const auto variable = [](std::uint64_t i) { return CodeFile::unwritten + 8 * i; };
  file.text("");  // each text stands between two zero bytes
  const auto mark = file.text("cython_runtime");
  file.text(besides);
  file.function();
  file.call("PyModule_GetDict").address(CodeFile::rsi, mark).call(strings);
  file.load(2, variable(0)).load(CodeFile::rsi, variable(1)).call("PyObject_SetAttr");
  file.load(CodeFile::rdi, variable(3)).call(importer);
  while (file.here() <= importer - 16) file.copy(0, 0);
  file.function();
  file.call("PyImport_ImportModuleLevelObject");
  while (file.here() <= strings - 16) file.copy(0, 0);
  file.function();
  std::uint32_t place = 8;
  for (const auto& text : {std::string("__main__"), std::string("__name__"), std::string("decimal"), name}) {
    file.address(CodeFile::rax, file.text(text)).store(place, CodeFile::rax);
    place += 40;
  }
  file.call("PyUnicode_InternFromString");
  return file.bytes();
}

}  // namespace

TEST_CASE("Cython: the value of a declaration is computed") {
  ImportWorld world;
  world.add("c.so", importing({}, "cython_runtime"));
  world.add("a.so");
  world.add("f.py", "def __getattr__(name):\n  if name == 'T':\n    import a\n    return a\n");
  world.add("c.pyx", "import f\ncdef object t = f.T\n");
  CHECK(world.import("c") == "c.so, a.so optional");
}

TEST_CASE("Cython: a parameter has a type before its name") {
  ImportWorld world;  // pyarrow's types.pxi
  world.add("c.so", importing({}, "cython_runtime"));
  world.add("c.pyx", "def binary(int length=-1):\n  return length\nb = binary()\n");
  CHECK(world.import("c") == "c.so");
  CHECK(world.result.imported);
}

TEST_CASE("what the code of a module imports is imported, where there is a file of it") {
  CHECK(import_compiled(importing({"aa", "bb"}), {"aa.so", "bb.so"}) == "c.so, aa.so optional, bb.so optional | ");
  CHECK(import_compiled(importing({"aa", "absent"}), {"aa.so"}) == "c.so, aa.so optional | ");
  CHECK(import_compiled(importing({"aa", "far.absent", "far.other"}), {"aa.so"}) ==
        "c.so, aa.so optional | c: far.absent, far.other; ");
  CHECK(import_compiled(importing({"p.absent"}), {"p/__init__.py"}) == "c.so | c: p.absent; ");
  CHECK(import_compiled(importing({"p.q"}), {"p/__init__.py", "p/q.so"}) == "c.so, p/q.so optional | ");
  CHECK(import_compiled(importing({"p.q.r"}), {"p/__init__.py", "p/q.so"}) == "c.so | c: p.q.r; ");
}

TEST_CASE("a name in the code of a module may be one of its package, not of a package around that") {
  const auto loads = [](const std::string& name, const std::string& file) {
    ImportWorld world;
    for (const auto* package : {"p/__init__.py", "p/q/__init__.py"}) world.add(package);
    world.add(file);
    world.add("p/q/c.so", importing({name}));
    return world.import("p.q.c");
  };
  CHECK(loads("part", "p/q/part.so") == "p/q/c.so, p/q/part.so optional");
  CHECK(loads("part", "part.so") == "p/q/c.so, part.so optional");
  CHECK(loads("part", "p/part.so") == "p/q/c.so");
  CHECK(loads("q.part", "p/q/part.so") == "p/q/c.so");
  CHECK(loads("p.q.part", "p/q/part.so") == "p/q/c.so, p/q/part.so optional");
  // Neither the module itself, nor what is in it, nor what it is in.
  CHECK(loads("p.q.c", "part.so") == "p/q/c.so");
  CHECK(loads("p.q", "part.so") == "p/q/c.so");
}

TEST_CASE("a module that lies inside the compiled one is not imported by it") {
  ImportWorld world;
  world.add("c/__init__.so", importing({"c.part", "cpart", "c"}));
  for (const auto* name : {"c/part.so", "cpart.so"}) world.add(name);
  CHECK(world.import("c") == "c/__init__.so, cpart.so optional");
}

TEST_CASE("a module that is too large to be looked through is told") {
  const std::string large(std::size_t{97} << 20, 'x');
  CHECK(import_compiled(large) == "c.so | c: (its file is too large to be looked through); ");
}

TEST_CASE("that code computes a name is told, but of Cython's and Rust's") {
  const auto told = [](const std::string& text) {
    CodeFile file({"PyObject_Str", "PyImport_ImportModuleLevelObject"});
    file.text(text);
    file.function();
    file.call("PyObject_Str").copy(CodeFile::rdi, CodeFile::rax).call("PyImport_ImportModuleLevelObject");
    return import_compiled(file.bytes());
  };
  CHECK(told("x") == "c.so | c: (its code computes a name); ");
  CHECK(told("cython_runtime") == "c.so | ");
  CHECK(told("g1__mypyc") == "c.so | ");
  CHECK(told("RUST_BACKTRACE") == "c.so | c: (it is written in Rust: its file does not tell); ");
}

TEST_CASE("what a module's body surely imports ends its import if it is not there, after what it cimports") {
  const auto import = [](const std::vector<std::string>& files, const std::string& source) {
    ImportWorld world;
    for (const auto& name : files) world.add(name);
    if (!source.empty()) world.add("p/q/c.pyx", source);
    for (const auto* package : {"p/__init__.py", "p/q/__init__.py"}) world.add(package);
    world.add("p/q/c.so", requiring("needed.part", "dd"));
    const auto loads = world.import("p.q.c");
    return loads + " | " + world.result.error;
  };
  const std::string missing = "ModuleNotFoundError: No module named 'needed'";
  CHECK(import({}, "") == "p/q/c.so | " + missing);
  CHECK(import({"needed/part.so"}, "") == "p/q/c.so, needed/part.so optional | ");
  // It may lie in any package around the module.
  CHECK(import({"p/q/needed/part.so"}, "") == "p/q/c.so, p/q/needed/part.so optional | ");
  CHECK(import({"p/needed/part.so"}, "") == "p/q/c.so, p/needed/part.so optional | ");
  CHECK(import({"dd.so"}, "cimport dd\n") == "p/q/c.so, dd.so optional | " + missing);
}

TEST_CASE("what a module's body surely imports may be there already, though no file bears it") {
  const auto error = [](const std::string& made) {
    ImportWorld world;
    for (const auto* package : {"p/__init__.py", "p/q/__init__.py"}) world.add(package);
    world.add("p/q/c.so", requiring("needed.part"));
    world.add("m.py", "import sys\nsys.modules['" + made + "'] = sys\nimport p.q.c\n");
    world.import("m");
    return world.result.error;
  };
  CHECK(error("needed.part") == "");
  CHECK(error("p.q.needed.part") == "");
  CHECK(error("p.needed.part") == "");
  CHECK(error("q.needed.part") == "ModuleNotFoundError: No module named 'needed'");
}

TEST_CASE("of a module whose source is at hand it is not told what it may import") {
  const auto told = [](const std::string& source) {
    ImportWorld world;
    world.add("c.so", importing({"far.absent"}, "cython_runtime"));
    if (!source.empty()) world.add("c.pyx", source);
    world.import("c");
    return possibly_imported(world);
  };
  CHECK(told("") == "c: far.absent; ");
  CHECK(told("x = 1\n") == "");
}

TEST_CASE("of compiled modules that may import something 200 are told") {
  ImportWorld world;
  std::string code;
  for (int i = 0; i < 201; ++i) {
    world.add("c" + std::to_string(i) + ".so", "RUST_BACKTRACE" + nul);
    code += "import c" + std::to_string(i) + "\n";
  }
  world.add("m.py", code);
  world.import("m");
  REQUIRE(world.result.unfollowed.size() == 200);
  CHECK(world.result.unfollowed.back().module == "c199");
}

TEST_CASE("texts of a file are imported by what made the file, and told where that is not sure") {
  // cffi's, in any file.
  CHECK(import_compiled(lone_texts({"_cffi_backend"}), {"_cffi_backend.so"}) == "c.so, _cffi_backend.so optional | ");
  // A capsule of the standard library: sure in C and in Cython, not in Rust.
  CHECK(import_compiled("x" + lone_texts({"datetime.datetime_CAPI"}), {}, {"datetime.so"})
            .starts_with("c.so, /lib/datetime.so"));
  CHECK(import_compiled(of_cython + lone_texts({"datetime.datetime_CAPI"}), {}, {"datetime.so"})
            .starts_with("c.so, /lib/datetime.so"));
  CHECK(import_compiled("RUST_BACKTRACE" + lone_texts({"datetime.datetime_CAPI"}), {}, {"datetime.so"}) ==
        "c.so | c: (it is written in Rust: its file does not tell); ");
  // A capsule of a package is sure in Rust too.
  CHECK(import_compiled("RUST_BACKTRACE" + lone_texts({"a.C_API"}), {"a.so"}) ==
        "c.so, a.so optional | c: (it is written in Rust: its file does not tell); ");
  // What newer Cython imports at once.
  CHECK(import_compiled(of_cython + lone_texts({"datetime"}), {}, {"datetime.so"}) ==
        "c.so, /lib/datetime.so optional | ");
  // A plain name in Cython: of a package, not of the standard library.
  CHECK(import_compiled(of_cython + lone_texts({"a"}) + lone_texts({"ab"}), {"a.so", "ab.so"}) ==
        "c.so, ab.so optional | ");
  CHECK(import_compiled(of_cython + lone_texts({"json"}), {}, {"json.so"}) == "c.so | c: json; ");
  // A full name in C code is not sure, and not told where it has a file.
  CHECK(import_compiled(lone_texts({"p.q"}), {"p/__init__.py", "p/q.so"}) == "c.so | ");
  CHECK(import_compiled(of_cython + lone_texts({"p.q"}), {"p/__init__.py", "p/q.so"}) == "c.so, p/q.so optional | ");
}

TEST_CASE("strings of Cython's newer modules: full names of relative imports are sure, and of the standard library") {
  const auto import = [](const std::vector<std::string>& files, const std::vector<std::string>& standard) {
    const auto strings = test::table({"", "a text", "b text", "pkg.part"}, {"json.tool", "other", "x.y"});
    const auto front = test::cython_mark + test::joined(strings);
    return import_compiled(front + test::lengths(strings, front.size()), files, standard);
  };
  CHECK(import({"pkg/part.so"}, {}) == "c.so, pkg/part.so optional | ");
  CHECK(import({"other.so"}, {}) == "c.so | c: other; ");
  CHECK(import({"x/y.so"}, {}) == "c.so | ");
  CHECK(import({}, {"json/__init__.py", "json/tool.so"}) == "c.so, /lib/json/tool.so optional | ");
}

TEST_CASE("plain names of the standard library among Cython's newer strings are not sure") {
  const auto strings = test::table({"", "a text", "b text", "c text"}, {"json", "sys"});
  const auto front = test::cython_mark + test::joined(strings);
  CHECK(import_compiled(front + test::lengths(strings, front.size()), {}, {"json.so"}) == "c.so | c: json, sys; ");
}

TEST_CASE("of the names that a module may import twenty are told, and none that is imported after all") {
  std::vector<std::string> names, files;
  std::string all;
  for (int i = 10; i < 31; ++i) {
    names.push_back("far.n" + std::to_string(i));
    if (i < 30) all += (i == 10 ? "" : ", ") + names.back();
  }
  CHECK(import_compiled(importing(names)) == "c.so | c: " + all + "; ");
  ImportWorld world;
  world.rules = R"({"standard_library": {"names": ["json"]}, "rules": [], "libraries": {"rows": {}}})";
  world.python.path = {"/s", "/lib"};
  world.files.add_file("/lib/os.py", "");
  world.files.add_file("/lib/json.so", "");
  world.add("c.so", of_cython + lone_texts({"json"}));
  world.add("m.py", "import c, json\n");
  CHECK(world.import("m") == "c.so, /lib/json.so");
  CHECK(possibly_imported(world) == "");
}

TEST_CASE("with the source at hand what is certain is imported, unless it stands there in quotes") {
  const auto loads = [](const std::string& source) {
    ImportWorld world;
    world.add("c.so", of_cython + lone_texts({"p.d", "ab"}));
    for (const auto* name : {"p/__init__.py", "p/d.so", "ab.so"}) world.add(name);
    world.add("c.pyx", source);
    const auto loaded = world.import("c");
    CHECK(world.result.unfollowed.empty());
    return loaded;
  };
  CHECK(loads("x = 1\n") == "c.so, p/d.so optional");
  CHECK(loads("x = 'p.d'\n") == "c.so");
  CHECK(loads("x = \"p.d\"\n") == "c.so");
  CHECK(loads("x = 'p.d\"\n") == "c.so, p/d.so optional");
}

TEST_CASE("the source beside a module is Cython's, else Python's, and what cannot be read is none") {
  const auto loads = [](const std::string& pyx, FileTraits traits, const std::string& python,
                        const std::string& bytes = of_cython) {
    ImportWorld world;
    world.add("c.cpython-311-x86_64-linux-gnu.so", bytes);
    if (!pyx.empty()) world.files.add_file("/s/c.pyx", pyx, traits);
    if (!python.empty()) world.add("c.py", python);
    for (const auto* name : {"a.so", "b.so"}) world.add(name);
    return world.import("c").substr(std::string("c.cpython-311-x86_64-linux-gnu.so").size());
  };
  CHECK(loads("import a\n", {}, "import b\n") == ", a.so optional");
  CHECK(loads("", {}, "import b\n") == ", b.so optional");
  CHECK(loads("import a\n", {.broken_disk = true}, "import b\n") == ", b.so optional");
  CHECK(loads("import a\n", {.broken_disk = true}, "") == "");
  CHECK(loads("", {}, "import b\n", "no mark") == "");
  CHECK(loads("", {}, "import b\n", lone_texts({"g__mypyc"})) == ", b.so optional");
  CHECK(loads("import a\n", {}, "", "other") == "");
  CHECK(loads("import a\n#" + std::string((std::size_t{8} << 20) - 10, 'x'), {}, "") == ", a.so optional");
  CHECK(loads("import a\n#" + std::string((std::size_t{8} << 20) - 9, 'x'), {}, "import b\n") == ", b.so optional");
}

TEST_CASE("an exception in the source of a compiled module ends what is followed of it, and is told") {
  ImportWorld world;
  world.add("c.so", of_cython);
  world.add("c.pyx", "import a\nraise ImportError('no')\nimport b\n");
  for (const auto* name : {"a.so", "b.so"}) world.add(name);
  CHECK(world.import("c") == "c.so, a.so optional");
  CHECK(world.result.imported);
  REQUIRE(world.result.unfollowed.size() == 1);
  CHECK(world.result.unfollowed[0].kind == Unfollowed::Kind::code);
  CHECK(world.result.unfollowed[0].source == "/s/c.pyx");
  CHECK(world.result.unfollowed[0].line == 2);
}

TEST_CASE("a module that is nowhere ends the import, where the source asks for it and the compiled file has its name") {
  const auto error = [](const std::string& source, const std::vector<std::string>& names,
                        const std::string& other = "") {
    ImportWorld world;
    world.add("p/__init__.py");
    world.add("p/c.so", of_cython + lone_texts(names));
    world.add("p/c.pyx", source);
    world.add("f.py", other);
    world.add("p/own.py");
    world.import("p.c");
    return world.result.error;
  };
  const std::string absent = "ModuleNotFoundError: No module named 'absent'";
  CHECK(error("import absent as a\n", {"absent"}) == absent);
  CHECK(error("import os, absent\n", {"absent"}) == absent);
  CHECK(error("from absent import x\n", {"absent"}) == absent);
  CHECK(error("import absent\n", {"other"}).empty());
  CHECK(error("import absent\n", {}).empty());
  CHECK(error("try:\n  import absent\nexcept ImportError:\n  pass\n", {"absent"}).empty());
  CHECK(error("def f():\n  import absent\n", {"absent"}).empty());
  CHECK(error("if unknown():\n  import absent\n", {"absent"}).empty());
  CHECK(error("cimport absent\n", {"absent"}).empty());
  CHECK(error("import own\n", {"own"}).empty());  // Cython may look into the package, as Python 2 did
  CHECK(error("import f\n", {"absent", "f"}, "import absent\n") == absent);
  CHECK(error("raise ImportError('absent')\n", {"absent"}).empty());
}

TEST_CASE("parts that a source includes stand for the statement; what is no part of it does nothing") {
  const auto loads = [](const std::string& include, const std::string& part) {
    ImportWorld world;
    world.add("c.so", of_cython);
    world.add("c.pyx", include + "import b\n");
    world.add("below/part.pxi", part);
    for (const auto* name : {"a.so", "b.so"}) world.add(name);
    return world.import("c");
  };
  CHECK(loads("include 'below/part.pxi'\n", "import a\n") == "c.so, a.so optional, b.so optional");
  CHECK(loads("include '/s/below/part.pxi'\n", "import a\n") == "c.so, a.so optional, b.so optional");
  CHECK(loads("include 'part.pxi'\n", "import a\n") == "c.so, b.so optional");
  CHECK(loads("include 'below'\n", "import a\n") == "c.so, b.so optional");
  CHECK(loads("include what()\n", "import a\n") == "c.so, b.so optional");
  CHECK(loads("include 'below/part.pxi'\n", "import a\nraise ImportError('no')\n") == "c.so, a.so optional");
  CHECK(loads("include 'c.pyx'\n", "") == "c.so, b.so optional");  // without end
}

TEST_CASE("the modules of cimports are imported where the file has their names") {
  const auto loads = [](const std::string& statement, const std::vector<std::string>& names) {
    ImportWorld world;
    world.add("p/c.so", of_cython + lone_texts(names));
    world.add("p/c.pyx", statement + "x = 'p.d', 'p.e', 'p.e.f'\n");  // else they were imported in any case
    for (const auto* name : {"p/__init__.py", "p/d.so", "p/e/__init__.so", "p/e/f.so"}) world.add(name);
    return world.import("p.c");
  };
  const std::vector<std::string> all{"p.d", "p.e", "p.e.f"};
  CHECK(loads("", all) == "p/c.so");
  CHECK(loads("cimport p.d\n", all) == "p/c.so, p/d.so optional");
  CHECK(loads("cimport p.e, p.d\n", all) == "p/c.so, p/e/__init__.so optional, p/d.so optional");
  CHECK(loads("cimport p.d\n", {"p.e"}) == "p/c.so");
  CHECK(loads("from . cimport d, e\n", all) == "p/c.so, p/d.so optional, p/e/__init__.so optional");
  CHECK(loads("from .e cimport f\n", all) == "p/c.so, p/e/__init__.so optional, p/e/f.so optional");
  CHECK(loads("from p.e cimport f\n", {"p.e.f"}) == "p/c.so, p/e/__init__.so optional, p/e/f.so optional");
  CHECK(loads("from .. cimport x\n", all) == "p/c.so");
}

TEST_CASE("a group of mypyc is told by a file of 128 KiB at most, up to the mark in it") {
  const auto loads = [](const std::string& bytes) {
    ImportWorld world;
    world.add("p/__init__.py");
    const auto mark = std::string("g1__mypyc.ensure_deps") + nul;
    world.add("p/a.so", lone_texts({"g1__mypyc"}) + mark);
    world.add("p/a.py", "import p.b\n");
    world.add("p/b.so", bytes);
    world.add("g1__mypyc.so");
    return world.import("p.a").find("p/b.so") == std::string::npos;
  };
  const std::string mark = "g1__mypyc.ensure_deps";
  CHECK(loads(mark));
  CHECK(loads("-" + mark));
  CHECK_FALSE(loads("x" + mark));
  CHECK_FALSE(loads("g1__mypyc.ensure"));
  CHECK(loads(mark + std::string((128 << 10) - mark.size(), 'x')));
  CHECK_FALSE(loads(mark + std::string((128 << 10) - mark.size() + 1, 'x')));
}

TEST_CASE("of a compiled file that is very long, or that may not be read, it is not known what it imports") {
  const auto loads = [](FileTraits traits) {
    ImportWorld world;
    world.files.add_file("/s/c.so", lone_texts({"_cffi_backend"}), traits);
    world.add("_cffi_backend.so");
    const auto loaded = world.import("c");
    CHECK(world.result.imported);
    return loaded;
  };
  CHECK(loads({}) == "c.so, _cffi_backend.so optional");
  CHECK(loads({.readable = false}) == "c.so");
  CHECK(loads({.claimed_size = (std::uint64_t{96} << 20) + 1}) == "c.so");
  ImportWorld world;
  world.add("c.so");
  CHECK(world.import("c") == "c.so");
}

TEST_CASE("compiled modules of the standard library are not asked what they import") {
  ImportWorld world;
  world.python.path = {"/lib", "/s"};
  world.files.add_file("/lib/os.py", "");
  world.files.add_file("/lib/c.so", lone_texts({"_cffi_backend"}));
  world.add("_cffi_backend.so");
  CHECK(world.import("c") == "/lib/c.so");
}

TEST_CASE("the request for a compiled module says who asks, and whether its failure is caught") {
  ImportWorld world;
  world.add("p/__init__.py", "\nimport p.c\ntry:\n  import p.d\nexcept ImportError: pass\n");
  for (const auto* name : {"p/c.so", "p/d.so"}) world.add(name);
  world.refused = {"/s/p/d.so"};
  world.import("p");
  REQUIRE(world.steps.size() == 2);
  CHECK(world.steps[0].kind == LoadStep::Kind::extension_module);
  CHECK(world.steps[0].path == "/s/p/c.so");
  CHECK(world.steps[0].module == "p.c");
  CHECK(world.steps[0].source == "/s/p/__init__.py");
  CHECK(world.steps[0].line == 2);
  CHECK(world.steps[0].basis == "source");
  CHECK(world.steps[0].required);
  CHECK(world.steps[1].line == 4);
  CHECK_FALSE(world.steps[1].required);
  ImportWorld refused;
  refused.add("c.so");
  refused.refused = {"/s/c.so"};
  refused.import("c");
  CHECK(refused.result.error == "ImportError: /s/c.so: cannot open shared object file");
  CHECK(refused.steps[0].source == "");
  CHECK(refused.steps[0].line == 0);
}

TEST_CASE("parts of sources that include one another are followed to a depth of 199") {
  const auto loads = [](int parts) {
    ImportWorld world;
    world.limits.depth = 5000;
    world.add("c.so", of_cython);
    world.add("c.pyx", "include '1.pxi'\n");
    for (int i = 1; i < parts; ++i)
      world.add(std::to_string(i) + ".pxi", "include '" + std::to_string(i + 1) + ".pxi'\n");
    world.add(std::to_string(parts) + ".pxi", "import a\n");
    world.add("a.so");
    return world.import("c");
  };
  CHECK(loads(199) == "c.so, a.so optional");
  CHECK(loads(200) == "c.so");
}
