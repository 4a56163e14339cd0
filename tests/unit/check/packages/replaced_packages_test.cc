// A build for CUDA whose files another package has replaced.

#include <doctest/doctest.h>

#include "base/sha256.h"
#include "package/wheel_texts.h"
#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

const std::string ort_site = "/venv/lib/python3.11/site-packages/";

/// The module is that of the package with this name, and both list it.
Report ask(const std::string& name_of_owner) {
  TestWorld world;
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file("/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
  const auto module = elf({.needed = {"libc.so.6"}});
  world.add("/lib/libc.so.6", {.soname = "libc.so.6"});
  world.files.add_file(ort_site + "onnxruntime/__init__.py", "from . import core\n");
  world.files.add_file(ort_site + "onnxruntime/core.so", module);
  for (const std::string name : {"onnxruntime", "onnxruntime_gpu"}) {
    const auto size = module.size() + (name == name_of_owner ? 0 : 1);
    const auto info = ort_site + name + "-1.23.2.dist-info/";
    world.files.add_file(info + "METADATA", "Name: " + name + "\nVersion: 1.23.2\n");
    world.files.add_file(info + "RECORD", "onnxruntime/core.so,sha256=x," + std::to_string(size) + "\n");
  }
  world.query.prefix = "/venv";
  return world.explain({"py:onnxruntime"});
}

TEST_CASE("a build for CUDA whose files the build for the CPU has replaced uses no GPU") {
  const auto report = ask("onnxruntime");
  REQUIRE(findings(report) == "CUD316 warning core.so: onnxruntime_gpu\n");
  CHECK(report.verdict == Verdict::cpu_only);
  CHECK(report.findings[0].message ==
        "files of onnxruntime_gpu 1.23.2 were replaced by those of onnxruntime 1.23.2, which has no GPU code");
  CHECK(report.findings[0].fixes.at(0).command ==
        "/venv/bin/python -m pip uninstall -y onnxruntime onnxruntime_gpu\n"
        "/venv/bin/python -m pip install onnxruntime_gpu==1.23.2");
}

TEST_CASE("the build for CUDA that was installed last is what is used") {
  const auto report = ask("onnxruntime_gpu");
  CHECK(findings(report).find("CUD316") == std::string::npos);
}

/// one 1 and two 2 list pair/core.so with these hashes, and its bytes have the hash of two; one has a source more.
Report ask_of_two(const std::string& hash_of_one, bool source_left) {
  TestWorld world;
  const auto module = elf({.needed = {"libc.so.6"}, .executable_stack = false});
  world.add("/lib/libc.so.6", {.soname = "libc.so.6"});
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file("/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
  world.files.add_file(ort_site + "pair/__init__.py", "from . import core\n");
  world.files.add_file(ort_site + "pair/core.so", module);
  const auto size = std::to_string(module.size());
  const auto hash = record_digest(sha256(module));
  for (const std::string name : {"one", "two"}) {
    const auto info = ort_site + name + "-1.dist-info/";
    world.files.add_file(info + "METADATA", "Name: " + name + "\nVersion: " + (name == "one" ? "1" : "2") + "\n");
    world.files.add_file(info + "RECORD", "pair/__init__.py,,\npair/core.so,sha256=" +
                                              (name == "one" && !hash_of_one.empty() ? hash_of_one : hash) + "," +
                                              size + "\n" + (name == "one" ? "pair/more.py,,\n" : ""));
  }
  if (source_left) world.files.add_file(ort_site + "pair/more.py", "");
  world.query.prefix = "/venv";
  return world.explain({"py:pair"});
}

TEST_CASE("sources of a package beside compiled modules of another one, which has replaced its own, are a risk") {
  const auto report = ask_of_two("other", true);
  REQUIRE(findings(report) == "CUD511 warning core.so: one\n");
  CHECK(report.verdict == Verdict::risk);
  CHECK(report.findings[0].message == "files of one 1 were replaced by those of two 2");
  CHECK(says(report.findings[0], "both list core.so; its hash is that of two"));
  CHECK(report.findings[0].fixes.at(0).command ==
        "/venv/bin/python -m pip uninstall -y two one\n/venv/bin/python -m pip install two==2");
  CHECK(report.findings[0].fixes.at(1).title == "or keep one alone");
}

TEST_CASE("a package whose files were replaced one and all is a note, and the same file in both is nothing") {
  const auto whole = ask_of_two("other", false);
  CHECK(findings(whole) == "CUD511 note core.so: one\n");
  CHECK(whole.verdict == Verdict::loads);
  CHECK(findings(ask_of_two("", true)) == "");
}

/// one 1 has pair/core for this Python, and two 2 for any, with `source` beside it.
Report ask_of_suffixes(const std::string& source, bool same_package) {
  TestWorld world;
  const auto module = elf({.needed = {"libc.so.6"}, .executable_stack = false});
  world.add("/lib/libc.so.6", {.soname = "libc.so.6"});
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file("/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
  world.files.add_file(ort_site + "pair/__init__.py", "from . import core\n");
  world.files.add_file(ort_site + "pair/more.py", "");
  const std::string own = "pair/core.cpython-311-x86_64-linux-gnu.so", any = "pair/core.abi3.so";
  for (const auto& file : {own, any}) world.files.add_file(ort_site + file, module);
  world.files.add_file(ort_site + "one-1.dist-info/METADATA", "Name: one\nVersion: 1\n");
  world.files.add_file(ort_site + "one-1.dist-info/RECORD", own + ",,\n" + (same_package ? any + ",,\n" : ""));
  world.files.add_file(ort_site + "two-2.dist-info/METADATA", "Name: two\nVersion: 2\n");
  world.files.add_file(ort_site + "two-2.dist-info/RECORD", "pair/__init__.py,,\n" + any + ",,\n" + source);
  world.query.prefix = "/venv";
  return world.explain({"py:pair"});
}

TEST_CASE("a module of another package under a suffix that Python takes first is a risk") {
  const auto report = ask_of_suffixes("pair/more.py,,\n", false);
  REQUIRE(findings(report) == "CUD511 warning core.cpython-311-x86_64-linux-gnu.so: two\n");
  CHECK(report.verdict == Verdict::risk);
  CHECK(report.findings[0].message ==
        "core.cpython-311-x86_64-linux-gnu.so of one 1 comes before the same module of two 2");
  CHECK(report.findings[0].consequence == "Code of two 2 runs with compiled modules of one 1.");
  CHECK(report.findings[0].fixes.at(0).title == "keep two alone");
  CHECK(findings(ask_of_suffixes("pair/more.py,,\n", true)).empty());
}

/// pkg 2 with the source pkg/core.py, beside a compiled module of that name which its RECORD lists or not.
Report ask_of_left_module(const std::string& listed) {
  TestWorld world;
  world.add("/lib/libc.so.6", {.soname = "libc.so.6"});
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file("/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
  const std::string module = "pkg/core.cpython-311-x86_64-linux-gnu.so";
  world.files.add_file(ort_site + module, elf({.needed = {"libc.so.6"}, .executable_stack = false}));
  world.files.add_file(ort_site + "pkg/__init__.py", "from . import core\n");
  world.files.add_file(ort_site + "pkg/core.py", "");
  world.files.add_file(ort_site + "pkg-2.dist-info/METADATA", "Name: pkg\nVersion: 2\n");
  world.files.add_file(ort_site + "pkg-2.dist-info/RECORD", "pkg/__init__.py,,\npkg/core.py,,\n" + listed);
  world.query.prefix = "/venv";
  return world.explain({"py:pkg"});
}

TEST_CASE("a compiled module that an earlier release has left, and that hides a source, is a risk") {
  const auto report = ask_of_left_module("");
  REQUIRE(findings(report) == "CUD511 warning core.cpython-311-x86_64-linux-gnu.so: pkg\n");
  CHECK(report.verdict == Verdict::risk);
  CHECK(report.findings[0].message ==
        "core.cpython-311-x86_64-linux-gnu.so is of no installed package, and comes before core.py of pkg 2");
  CHECK(report.findings[0].fixes.at(0).command == "rm " + ort_site + "pkg/core.cpython-311-x86_64-linux-gnu.so");
  // What cudald did not put there may hold more than code: the user looks at it first.
  CHECK(report.findings[0].fixes.at(1).command.empty());
  CHECK(report.findings[0].fixes.at(1).title ==
        "or uninstall pkg, look at what is left in " + ort_site + "pkg, and install it again");
  CHECK(findings(ask_of_left_module("pkg/core.cpython-311-x86_64-linux-gnu.so,,\n")).empty());
}

}  // namespace
}  // namespace cudald
