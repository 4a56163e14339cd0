#include "session/import_module.h"

#include <doctest/doctest.h>

#include "base/path.h"

#include "common/wheel_file.h"
#include "common/world.h"
#include "unit/session/python_world.h"

namespace cudald {
namespace {

/// The judgement of pkg, a wheel with these members.
Report judged(std::vector<std::pair<std::string, std::string>> members) {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-linux_x86_64.whl";
  world.files.add_file(path, wheel_file(std::move(members)));
  return world.explain({path});
}

std::string needs(const std::string& library) { return elf({.needed = {library}}); }

TEST_CASE("an extension module that the import does not come to is a risk, one that it needs a failure") {
  const auto unreached =
      judged({{"pkg/__init__.py", "from . import a\n"}, {"pkg/a.so", elf({})}, {"pkg/sub/b.so", needs("libgpu.so")}});
  CHECK(unreached.verdict == Verdict::risk);
  REQUIRE(unreached.findings.size() == 1);
  CHECK(unreached.findings[0].level == Level::warning);
  CHECK(unreached.findings[0].consequence.starts_with("`import pkg` works; importing pkg.sub.b raises ImportError."));

  const auto reached = judged({{"pkg/__init__.py", "from .sub import b\n"}, {"pkg/sub/b.so", needs("libgpu.so")}});
  CHECK(reached.verdict == Verdict::fails);

  const auto top_level = judged({{"b.abi3.so", needs("libgpu.so")}, {"pkg.libs/libgpu.so.1", elf({})}});
  CHECK(top_level.verdict == Verdict::fails);
}

TEST_CASE("of an import that fails, only what led to it is an error") {
  const auto report =
      judged({{"pkg/__init__.py",
               "import ctypes\n"
               "try:\n  ctypes.CDLL('libfast.so')\nexcept OSError:\n  pass\n"
               "try:\n  from . import a\nexcept ImportError as e:\n  raise ImportError('pkg is broken') from e\n"},
              {"pkg/a.so", needs("libgpu.so")}});
  CHECK(report.verdict == Verdict::fails);
  REQUIRE(report.findings.size() == 2);
  CHECK(report.findings[0].subject == "libgpu.so");
  CHECK(report.findings[0].consequence ==
        "`import pkg` raises ImportError: pkg is broken; the loader's own words before it: "
        "libgpu.so: cannot open shared object file: No such file or directory");
  CHECK(report.findings[1].subject == "libfast.so");
  CHECK(report.findings[1].level == Level::note);

  // What code concludes from a failure is not followed, so any one may be the reason.
  const auto own =
      judged({{"pkg/__init__.py",
               "import ctypes\nfast = True\n"
               "try:\n  ctypes.CDLL('libfast.so')\nexcept OSError:\n  fast = False\n"
               "try:\n  if not fast:\n    raise RuntimeError('nothing works')\nexcept RuntimeError:\n  raise\n"},
              {"pkg/a.so", elf({})}});
  CHECK(own.verdict == Verdict::fails);
  REQUIRE(own.findings.size() == 1);
  CHECK(own.findings[0].subject == "libfast.so");
  CHECK(own.findings[0].consequence.starts_with("`import pkg` raises RuntimeError: nothing works; "));
}

TEST_CASE("a symbol that is missing is an OSError of ctypes, and an ImportError of the import of a module") {
  const auto error = [](const std::string& code) {
    auto world = world_with_ctypes();
    world.add(python_packages + "liba.so", {.uses = {{"no_function"}}});
    world.add(python_packages + "a.so", {.uses = {{"no_function"}}});
    world.files.add_file(python_packages + "pkg.py", "import ctypes\n" + code);
    return world.explain({"py:pkg"}).resolution.targets.at(1).error;
  };
  CHECK(error("ctypes.CDLL('/venv/lib/python3.11/site-packages/liba.so')\n") ==
        "OSError: /venv/lib/python3.11/site-packages/liba.so: undefined symbol: no_function");
  CHECK(error("import a\n") == "ImportError: /venv/lib/python3.11/site-packages/a.so: undefined symbol: no_function");
}

TEST_CASE("of an import the packages that it comes to are told by their top modules, and who imports them first") {
  auto world = world_with_python();
  const auto& packages = python_packages;
  world.files.add_file(python_library + "json/__init__.py", "");
  world.files.add_file(packages + "pkg/__init__.py",
                       "import json\nfrom . import sub\nimport single\n\nimport other.part\n");
  world.files.add_file(packages + "pkg/sub.py", "import other\n");
  world.files.add_file(packages + "single.py", "");
  world.files.add_file(packages + "other/__init__.py", "");
  world.files.add_file(packages + "other/part.py", "");
  const auto report = world.explain({"py:pkg"});
  const auto& import = report.resolution.imports.at(0);
  std::string told;
  for (const auto& package : import.packages)
    told += package.name + " " + package.folder + " " + package.asked_at + "\n";
  CHECK(told == "pkg " + packages + "pkg/ \nother " + packages + "other/ " + packages + "pkg/sub.py:1\nsingle  " +
                    packages + "pkg/__init__.py:3\n");
  CHECK(import.module == "pkg");
  CHECK(import.python == "/venv/bin/python3.11");
  CHECK(import.python_version == "3.11");
  CHECK_FALSE(import.failed);
  CHECK(import.followed);
  CHECK(import.near_name.empty());
  const auto wrong = world.explain({"py:pgk"}).resolution.imports.at(0);
  CHECK(wrong.failed);
  CHECK(wrong.near_name == "pkg");
}

TEST_CASE("what code will load on use is asked for then, by the interpreter, as the rule for its package says") {
  auto world = world_with_python();
  const auto capi = python_packages + "onnxruntime/capi/";
  world.files.add_file(python_packages + "onnxruntime/__init__.py", "from .capi import _pybind_state\n");
  for (const auto* source : {"__init__.py", "_pybind_state.py"}) world.files.add_file(capi + source, "");
  world.add(capi + "libonnxruntime_providers_shared.so", {});
  world.add(capi + "libonnxruntime_providers_cuda.so", {.needed = {"libgone.so.1"}, .uses = {{"no_function"}}});
  const auto report = world.explain({"py:onnxruntime"});
  std::string told;
  for (const auto& target : report.resolution.targets) {
    if (target.kind != TargetKind::dlopen) continue;
    const auto& traits = target.traits;
    told += target.given.substr(capi.size()) + (traits.bind_now ? " now" : " lazy") +
            (traits.optional ? " optional" : "") + (is_later(target) ? " later" : "") + (traits.gpu ? " gpu" : "") +
            (traits.global ? " global" : "") + ", " + traits.without.substr(0, 28) + ", " + traits.asked_at + "\n";
  }
  CHECK(told == "libonnxruntime_providers_shared.so now optional later global, Without it no provider but t, " + capi +
                    "_pybind_state.py\n"
                    "libonnxruntime_providers_cuda.so now optional later gpu, `import onnxruntime` works. , " +
                    capi + "_pybind_state.py\n");
  CHECK(report.verdict == Verdict::cpu_only);
  // Such a library is opened with RTLD_NOW: a function that nobody has refuses it.
  world.add(capi + "libonnxruntime_providers_cuda.so", {.uses = {{"no_function"}}});
  const auto bound = world.explain({"py:onnxruntime"});
  CHECK(bound.resolution.targets.back().error ==
        capi + "libonnxruntime_providers_cuda.so: undefined symbol: no_function");
}

TEST_CASE("the machine that Python sees is the kernel's name for the process's") {
  struct Row {
    std::uint16_t machine;
    bool is_64;
    ByteOrder order;
    const char* name;
  };
  for (const auto& row : {Row{EM_X86_64, true, ByteOrder::little, "x86_64"},
                          {EM_386, false, ByteOrder::little, "i686"},
                          {EM_AARCH64, true, ByteOrder::little, "aarch64"},
                          {EM_ARM, false, ByteOrder::little, "armv7l"},
                          {EM_PPC64, true, ByteOrder::little, "ppc64le"},
                          {EM_S390, true, ByteOrder::big, "s390x"},
                          {EM_RISCV, true, ByteOrder::little, "riscv64"}}) {
    CAPTURE(row.name);
    auto world = world_with_ctypes();
    const auto for_machine = [&](ElfSpec spec) {
      spec.machine = row.machine;
      spec.is_64 = row.is_64;
      spec.byte_order = row.order;
      return elf(spec);
    };
    world.files.add_file("/venv/bin/python3.11", for_machine(program({})), {.executable = true});
    world.files.add_file(python_packages + "yes.py", "");
    world.files.add_file(python_packages + "no.py", "");
    world.files.add_file(python_packages + "narrow.py", "");
    world.files.add_file(python_packages + "pkg.py",
                         "import platform, sys\nmachine = platform.machine()\nif machine == '" + std::string(row.name) +
                             "': import yes\nelse: import no\nif sys.maxsize < 2**32: import narrow\n");
    const auto report = world.explain({"py:pkg"});
    std::string told;
    for (const auto& package : report.resolution.imports.at(0).packages) told += package.name + " ";
    CHECK(told == std::string("pkg yes ") + (row.is_64 ? "" : "narrow "));
  }
}

/// Whether code of pkg.py comes to `import yes`, in a process that has libthere.so; a second library can be found.
bool holds(const std::string& condition) {
  auto world = world_with_ctypes();
  world.add("/lib/libthere.so", {.soname = "libthere.so"});
  world.add("/lib/libfound.so.1", {.soname = "libfound.so.1"});
  for (const auto* name : {"yes.py", "no.py"}) world.files.add_file(python_packages + name, "");
  world.files.add_file(python_library + "ctypes/util.py", "");
  world.files.add_file(python_packages + "pkg.py", "import ctypes, ctypes.util\nctypes.CDLL('libthere.so')\nif " +
                                                       condition + ": import yes\nelse: import no\n");
  const auto report = world.explain({"py:pkg"});
  REQUIRE(report.resolution.imports.at(0).packages.size() == 2);
  return report.resolution.imports[0].packages[1].name == "yes";
}

TEST_CASE("code that reads what is mapped, or asks what can be found, is answered by the process") {
  CHECK(holds("'/lib/libthere.so' in open('/proc/self/maps').read()"));
  CHECK_FALSE(holds("'/lib/libfound.so' in open('/proc/self/maps').read()"));
  CHECK(holds("'_ctypes.cpython' in open('/proc/self/maps').read()"));
}

TEST_CASE("where code stands, with its line if that is known") {
  CHECK(place_of("/a/b.py", 7) == "/a/b.py:7");
  CHECK(place_of("/a/b.py", 0) == "/a/b.py");
}

TEST_CASE("what was not followed is told by its kind, and only what code says outright is certain") {
  const auto told = [](const std::string& code) {
    auto world = world_with_ctypes();
    world.files.add_file(python_packages + "beside.so", elf({}));
    world.files.add_file(python_packages + "pkg.py", "import ctypes, sys, importlib\n" + code);
    std::string text;
    const auto report = world.explain({"py:pkg"});
    for (const auto& one : report.resolution.imports.at(0).unfollowed)
      text += one.what + (one.certain ? " (certain) " : " ") + one.file + ":" + std::to_string(one.line) + "\n";
    return text;
  };
  CHECK(told("ctypes.CDLL(sys.argv[1])\n") ==
        "a library whose name is computed (certain) " + python_packages + "pkg.py:2\n");
  CHECK(told("importlib.import_module(sys.argv[1])\n") ==
        "a module whose name is computed (certain) " + python_packages + "pkg.py:2\n");
  CHECK(told("if what():\n  import json\n").empty());  // of the standard library nothing is told
  CHECK(told("def f():\n  if what():\n    import beside\nf()\n") ==
        "an import or a load behind a condition that is not known " + python_packages + "pkg.py:4\n");
}

TEST_CASE("extension modules are opened by the interpreter's library, others by ctypes, as the code asks") {
  auto world = world_with_ctypes();
  world.files.add_file("/venv/bin/python3.11", elf(program({.needed = {"libpython3.11.so.1.0"}})),
                       {.executable = true});
  world.add("/lib/libpython3.11.so.1.0", {.soname = "libpython3.11.so.1.0"});
  for (const auto* name : {"liba.so", "libb.so"}) world.add(std::string("/lib/") + name, {});
  world.files.add_file(python_packages + "pkg.py",
                       "import m\nimport ctypes\nctypes.CDLL('liba.so')\n"
                       "try:\n  ctypes.CDLL('libb.so')\nexcept OSError:\n  pass\n");
  world.add(python_packages + "m.abi3.so", {});
  const auto report = world.explain({"py:pkg"});
  std::string told;
  for (const auto& target : report.resolution.targets) {
    if (target.kind != TargetKind::dlopen) continue;
    const auto& traits = target.traits;
    told += std::string(file_name(target.given)) + " by " +
            std::string(file_name(report.resolution.objects.at(target.caller.value()).path)) +
            (traits.optional ? " optional" : "") + (traits.bind_now ? " now" : "") + (traits.global ? " global" : "") +
            " at " + std::string(file_name(traits.asked_at)) + "\n";
  }
  CHECK(told ==
        "m.abi3.so by libpython3.11.so.1.0 now at pkg.py:1\n"
        "_ctypes.cpython-311-x86_64-linux-gnu.so by libpython3.11.so.1.0 now at __init__.py:1\n"
        "liba.so by _ctypes.cpython-311-x86_64-linux-gnu.so now at pkg.py:3\n"
        "libb.so by _ctypes.cpython-311-x86_64-linux-gnu.so optional now at pkg.py:5\n");
  CHECK(report.resolution.imports.at(0).target == 1);
  CHECK(report.resolution.imports[0].modules >= 4);
}

TEST_CASE("what an import lacks is told with the place, and whether it does without") {
  auto world = world_with_python();
  world.files.add_file(python_packages + "pkg.py", "try:\n  import gone\nexcept ImportError:\n  pass\nimport lost\n");
  const auto report = world.explain({"py:pkg"});
  const auto& import = report.resolution.imports.at(0);
  std::string told;
  for (const auto& missing : import.missing)
    told += missing.name + " " + missing.asked_at + (missing.required ? " required\n" : "\n");
  CHECK(told == "gone " + python_packages + "pkg.py:2\nlost " + python_packages + "pkg.py:5 required\n");
  CHECK(import.failed);
  CHECK(import.near_name == "");
  CHECK(report.resolution.targets.at(1).error.starts_with("ModuleNotFoundError: No module named 'lost'"));
}

TEST_CASE("of names in code that does not run those without a folder are searched for, by ctypes") {
  auto world = world_with_ctypes();
  world.add("/lib/libthere.so", {});
  world.files.add_file(python_packages + "pkg.py",
                       "import ctypes\ndef f():\n  ctypes.CDLL('libthere.so')\n"
                       "def g():\n  ctypes.CDLL('/lib/libthere.so')\n");
  const auto report = world.explain({"py:pkg"});
  std::string told;
  for (const auto& object : report.resolution.objects)
    for (const auto& edge : object.edges)
      if (edge.status == EdgeStatus::not_loaded)
        told += std::string(file_name(object.path)) + " " + edge.name + " " + edge.asked_at + "\n";
  CHECK(told == "_ctypes.cpython-311-x86_64-linux-gnu.so libthere.so " + python_packages + "pkg.py:3\n");
}

}  // namespace
}  // namespace cudald
