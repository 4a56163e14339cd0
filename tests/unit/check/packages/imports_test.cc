// An import that fails in Python itself: CUD114.

#include <doctest/doctest.h>

#include <cudald/thread_limit.h>

#include "check/findings/checks.h"
#include "common/code_file.h"
#include "common/wheel_file.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

const std::string site = "/venv/lib/python3.11/site-packages/";

TestWorld with_module(const std::string& code) {
  TestWorld world;
  world.query.prefix = "/venv";
  world.files.add_file(site + "pkg/__init__.py", code);
  return world;
}

TEST_CASE("a module that is not installed is named, with who imports it and how to install it") {
  auto world = with_module("import os\nimport absent.part\n");
  const auto report = world.explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error absent\n");
  CHECK(in_full(report) ==
        R"(CUD114 | error | absent
  the module absent is not installed
  - imported at /venv/lib/python3.11/site-packages/pkg/__init__.py:2 | proven
  = `import pkg` raises ModuleNotFoundError: No module named 'absent'
  > install it | pip install absent | if the package is called like the module, which is not always so
)");
  CHECK(report.verdict == Verdict::fails);
  CHECK(report.findings[0].message == "the module absent is not installed");
  CHECK(report.findings[0].consequence == "`import pkg` raises ModuleNotFoundError: No module named 'absent'");
  CHECK(says(report.findings[0], "imported at " + site + "pkg/__init__.py:2"));
  CHECK(report.findings[0].fixes[0].command.ends_with("pip install absent"));
}

TEST_CASE("a directory that is not there, and that a variable names, is told with the variable") {
  TestWorld world;
  const std::string wheel = "/w/pkg-1.0-cp311-cp311-win_amd64.whl";
  world.files.add_file(
      wheel, wheel_file({{"pkg/__init__.py",
                          "import os\nos.add_dll_directory(os.path.join(os.environ['CUDA_PATH'], 'bin'))\n"}}));
  world.query.packages = {wheel};
  world.query.windows = true;
  world.query.environment.stated = {{"CUDA_PATH", "C:\\CUDA\\11.2"}};
  const auto report = world.explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error pkg\n");
  CHECK(report.findings[0].message ==
        "FileNotFoundError: [WinError 3] The system cannot find the path specified: 'C:\\CUDA\\11.2\\bin'");
  CHECK(says(report.findings[0], "the path begins with the value of CUDA_PATH, C:\\CUDA\\11.2"));
  CHECK(commands(report.findings[0]) == "set \"CUDA_PATH=\"\n");
}

TEST_CASE("what a namespace lacks comes with the distribution that is known to have that part") {
  const auto fix_of = [](const std::string& code, const std::string& more = "") {
    auto world = with_module(code);
    if (!more.empty()) world.files.add_file(site + more, "");
    const auto report = world.explain({"py:pkg"});
    REQUIRE(report.findings.size() == 1);
    REQUIRE(report.findings[0].fixes.size() == 1);
    const auto& fix = report.findings[0].fixes[0];
    return fix.command + (fix.side_effect.empty() ? "" : " ?");
  };
  CHECK(fix_of("import cuda.core\n") == "pip install cuda-core");  // nothing of `cuda` is there
  CHECK(fix_of("import cuda.core\n", "cuda/pathfinder/__init__.py") == "pip install cuda-core");
  CHECK(fix_of("from cuda import core\n", "cuda/pathfinder/__init__.py") == "pip install cuda-core");
  CHECK(fix_of("import cuda.unheard_of\n", "cuda/pathfinder/__init__.py") == "pip install cuda-unheard-of ?");
}

TEST_CASE("a module that was built for NumPy 1 and finds NumPy 2 gets both names and NumPy 1 as the fix") {
  CodeFile file({"PyImport_ImportModule"});
  const auto name = file.text("numpy.core._multiarray_umath");
  file.function();
  file.address(CodeFile::rdi, name).call("PyImport_ImportModule");
  auto world = with_module("from . import made\n");
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file(site + "pkg/made.so", file.bytes());
  for (const auto* part : {"numpy/__init__.py", "numpy/_core/__init__.py", "numpy/_core/_multiarray_umath.py",
                           "numpy-2.1.0.dist-info/METADATA"})
    world.files.add_file(site + part, "");
  const auto report = world.explain({"py:pkg"});
  // The made file has no layout that a loader takes.
  REQUIRE(findings(report) == "CUD514 error pkg.made\nCUD120 error made.so: made.so\n");
  CHECK(in_full(report, "CUD514") ==
        R"(CUD514 | error | pkg.made
  pkg.made was built for NumPy older than 2 and is refused by NumPy 2.1.0: ImportError: numpy.core.multiarray )"
        R"(failed to import
  - pkg.made asks for the C interface of NumPy before 2 | /venv/lib/python3.11/site-packages/pkg/made.so | proven
  - NumPy prints: A module that was compiled using NumPy 1.x cannot be run in NumPy 2.1.0 as it may crash. | table
  = `import pkg` raises ImportError: numpy.core.multiarray failed to import
  > use the NumPy that it was built for | /venv/bin/python -m pip install 'numpy<2'
)");
}

TEST_CASE("a distribution whose metadata code asks for, and that is not there, is one to install") {
  auto world = with_module("import importlib.metadata\nimportlib.metadata.version('absent-part')\n");
  world.files.add_file("/venv/bin/python", "");
  const auto report = world.explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error pkg\n");
  CHECK(report.findings[0].message ==
        "importlib.metadata.PackageNotFoundError: No package metadata was found for absent-part");
  CHECK(says(report.findings[0], "absent-part is not installed in this Python"));
  CHECK(commands(report.findings[0]) == "/venv/bin/python -m pip install absent-part\n");
}

TEST_CASE("an error that code raises itself names the library that it looked for before") {
  auto world =
      with_module("import os\nif not os.path.exists('/venv/lib/libgone_cuda128.so'):\n  raise RuntimeError('no')\n");
  const auto report = world.explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error pkg\n");
  const auto& notes = report.resolution.imports[0].notes;
  REQUIRE_FALSE(notes.empty());
  CHECK(notes.back() == "before that, its code looked for /venv/lib/libgone_cuda128.so, which is not there");
}

TEST_CASE("an error that code makes of a missing module is told in its own words") {
  auto world = with_module(
      "try:\n  import absent\nexcept ImportError as e:\n  raise RuntimeError('needs a wider world') from e\n");
  const auto report = world.explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error pkg\n");
  CHECK(report.findings[0].message == "RuntimeError: needs a wider world");
  CHECK(report.findings[0].consequence == "`import pkg` raises RuntimeError: needs a wider world");
  CHECK(report.findings[0].fixes.empty());
}

TEST_CASE("where code raises an error with words of its own, the one that it was handling is told, and mended") {
  auto world = with_module("try:\n  import pkg.part\nexcept ImportError as e:\n  raise ImportError(words(e)) from e\n");
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file(site + "pkg-1.dist-info/RECORD", "pkg/__init__.py,,\npkg/part.py,,\n");
  world.files.add_file(site + "pkg-1.dist-info/METADATA", "Name: pkg\nVersion: 1\n");
  const auto report = world.explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error pkg.part\n");
  CHECK(in_full(report) ==
        R"(CUD114 | error | pkg.part
  the module pkg.part is not installed
  - imported at /venv/lib/python3.11/site-packages/pkg/__init__.py:2 | proven
  - pkg 1 lists /venv/lib/python3.11/site-packages/pkg/part.py in its RECORD, and the file is missing | )"
        R"(/venv/lib/python3.11/site-packages/pkg/part.py | proven
  = `import pkg` raises ImportError at /venv/lib/python3.11/site-packages/pkg/__init__.py:4, raised because of )"
        R"(ModuleNotFoundError: No module named 'pkg.part'
  > install the files of pkg 1 again | /venv/bin/python -m pip install --force-reinstall --no-deps pkg==1
)");
  CHECK(report.findings[0].consequence ==
        "`import pkg` raises ImportError at " + site +
            "pkg/__init__.py:4, raised because of ModuleNotFoundError: No module named 'pkg.part'");
  CHECK(report.findings[0].fixes[0].command.ends_with("--force-reinstall --no-deps pkg==1"));
}

TEST_CASE("a submodule that is gone, and is imported as a name of its package, is brought back") {
  auto world = with_module("from . import part\n");
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file(site + "pkg-1.dist-info/RECORD", "pkg/__init__.py,,\npkg/part.py,,\n");
  world.files.add_file(site + "pkg-1.dist-info/METADATA", "Name: pkg\nVersion: 1\n");
  const auto report = world.explain({"py:pkg"});
  CHECK(report.findings[0].message ==
        "ImportError: cannot import name 'part' from partially initialized module 'pkg' (most likely due to a circular "
        "import) (" +
            site + "pkg/__init__.py)");
  REQUIRE_FALSE(report.findings[0].fixes.empty());
  CHECK(report.findings[0].fixes[0].command.ends_with("--force-reinstall --no-deps pkg==1"));
}

TEST_CASE("a package that has lost its __init__.py has no names, and is brought back") {
  auto world = with_module("from pkg.part import name\n");
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file(site + "pkg/part/code.py", "name = 1\n");
  world.files.add_file(site + "pkg-1.dist-info/RECORD",
                       "pkg/__init__.py,,\npkg/part/__init__.py,,\npkg/part/code.py,,\n");
  world.files.add_file(site + "pkg-1.dist-info/METADATA", "Name: pkg\nVersion: 1\n");
  const auto report = world.explain({"py:pkg"});
  CHECK(report.findings[0].message.ends_with("cannot import name 'name' from 'pkg.part' (unknown location)"));
  REQUIRE_FALSE(report.findings[0].fixes.empty());
  CHECK(report.findings[0].fixes[0].command.ends_with("--force-reinstall --no-deps pkg==1"));
}

TEST_CASE("a name that a module lacks is told with who asks for it, and whose the module is") {
  const auto told = [](const std::string& code) {
    auto world = with_module(code);
    world.files.add_file("/venv/bin/python", "");
    world.files.add_file(site + "pkg-1.dist-info/RECORD", "pkg/__init__.py,,\n");
    world.files.add_file(site + "pkg-1.dist-info/METADATA", "Name: pkg\nVersion: 1\n");
    world.files.add_file(site + "near.py", "x = 1\n");
    world.files.add_file(site + "Near-2.5.dist-info/RECORD", "near.py,,\n");
    world.files.add_file(site + "Near-2.5.dist-info/METADATA", "Name: Near\nVersion: 2.5\n");
    world.files.add_file(site + "alone.py", "x = 1\n");
    const auto report = world.explain({"py:pkg"});
    REQUIRE(report.resolution.imports[0].lacked);
    return report.resolution.imports[0].lacked->name + "\n" + in_full(report);
  };
  CHECK(told("from near import y\n") == R"(y
CUD114 | error | pkg
  ImportError: cannot import name 'y' from 'near' (/venv/lib/python3.11/site-packages/near.py); )"
                                        R"(pkg 1 asks for it, and Near 2.5 does not have it
  - needed by pkg 1 at /venv/lib/python3.11/site-packages/pkg/__init__.py:1 | proven
  - near is of Near 2.5 | /venv/lib/python3.11/site-packages/near.py | proven
  = `import pkg` raises ImportError: cannot import name 'y' from 'near' (/venv/lib/python3.11/site-packages/near.py)
  > use newer releases of pkg and Near, which go together | /venv/bin/python -m pip install --upgrade pkg Near | )"
                                        R"(if pkg 1 or Near 2.5 has a newer one
  > if Near 2.5 has removed it, use an earlier Near | /venv/bin/python -m pip install 'Near<2.5'
)");
  CHECK(told("import near\nnear.y\n").find("- needed by pkg 1 at " + site + "pkg/__init__.py:2 | proven\n") !=
        std::string::npos);
  CHECK(told("from alone import y\n").ends_with("| if there is one after 1\n"));
}

TEST_CASE("a load that failed before, and was caught, does not hide what the import fails by") {
  auto world =
      with_module("import ctypes\ntry:\n  ctypes.CDLL('libx.so')\nexcept OSError:\n  pass\nfrom . import part\n");
  const auto report = world.explain({"py:pkg"});
  CHECK(findings(report) == "CUD114 error pkg\nCUD101 note (the program that imports it): libx.so\n");
  CHECK(in_full(report) ==
        R"(CUD114 | error | pkg
  ImportError: cannot import name 'part' from partially initialized module 'pkg' (most likely due to a circular )"
        R"(import) (/venv/lib/python3.11/site-packages/pkg/__init__.py)
  - needed at /venv/lib/python3.11/site-packages/pkg/__init__.py:6 | proven
  = `import pkg` raises ImportError: cannot import name 'part' from partially initialized module 'pkg' (most likely )"
        R"(due to a circular import) (/venv/lib/python3.11/site-packages/pkg/__init__.py)
CUD101 | note | (the program that imports it) | libx.so
  libx.so is not found in any directory the loader searches
  = Optional: the caller handles its absence, or no caller is known. dlerror() says: libx.so: cannot open )"
        R"(shared object )"
        R"(file: No such file or directory
  > install the system's package that provides it
)");
  CHECK(report.verdict == Verdict::fails);
}

TEST_CASE("an import that fails because the loader refuses a library is told by that library alone") {
  auto world = with_module("from . import _ext\n");
  world.add(site + "pkg/_ext.so", {.needed = {"libnone.so.1"}});
  REQUIRE(findings(world.explain({"py:pkg"})) == "CUD101 error _ext.so: libnone.so.1\n");
  world.add("/lib/libnone.so.1", {});
  REQUIRE(findings(world.explain({"py:pkg"})) == "");
}

TEST_CASE("modules that are nowhere may come with requirements of which too little is known") {
  const auto told = [](const std::string& code, const std::string& metadata = "Requires-Dist: unheard-of\n") {
    TestWorld world;
    const std::string path = "/dist/pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl";
    world.files.add_file(path, wheel_file({{"pkg/__init__.py", code}, {"pkg/a.so", elf({})}}, metadata));
    std::string text;
    for (const auto& finding : world.explain({path}).findings)
      if (finding.code == "CUD501" && finding.level == Level::note)
        text += finding.subject + ": " + finding.message + "; " + finding.evidence.front().text + "\n";
    return text;
  };
  const std::string may =
      ", which no known package provides; unheard-of, which is required and not available locally, may ";
  CHECK(told("import gone.part\n") == "gone: pkg imports gone" + may +
                                          "provide it; imported at "
                                          "pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl!/pkg/__init__.py:1\n");
  const auto several =
      told("import gone\nimport gone.part\nimport lost\ntry:\n  import soft\nexcept ImportError:\n  pass\n",
           "Requires-Dist: unheard-of\nRequires-Dist: unheard-too\nRequires-Dist: numpy\n");
  CHECK(
      several.starts_with("gone: pkg imports gone, lost, which no known package provides; unheard-of or "
                          "unheard-too, which are required and not available locally, may provide them; imported at "));
  CHECK(told("import json\n").empty());
  CHECK(told("import gone\nfrom . import b\n") == "");
}

TEST_CASE("a module that is called nearly so is named, and asked about by itself where it is another one") {
  TestWorld world;
  world.query.prefix = "/venv";
  world.files.add_file("/venv/lib/python3.11/site-packages/torchvision/__init__.py", "");
  const auto report = world.explain({"py:torchvison"});
  REQUIRE(report.findings.size() == 1);
  CHECK(in_full(report) ==
        R"(CUD114 | error | torchvison
  the module torchvison is not installed
  - torchvision is installed, and called nearly so | proven
  = `import torchvison` raises ModuleNotFoundError: No module named 'torchvison'
  > ask about torchvision, if that is what you mean | cudald --prefix /venv torchvision
)");
}

TEST_CASE("an import that takes too many steps is told, and its verdict is open") {
  auto report = with_module("").explain({"py:pkg"});
  REQUIRE(report.findings.empty());
  report.resolution.imports.at(0).followed = false;
  report.resolution.imports.at(0).notes.clear();  // no other reason is known
  const MemoryFileSystem nothing;
  ThreadLimit threads(1);
  Store store(nothing, threads, built_in_knowledge());
  judge({report, store});
  CHECK(in_full(report) ==
        R"(CUD902 | warning | pkg
  `import pkg` takes too many steps, or too much memory, to be followed to its end
  = What it would load later is not known, and not judged.
)");
  CHECK(report.verdict == Verdict::unknown);
}

/// An import that fails, made by hand, and what is told of it.
struct MadeFailure {
  MadeFailure(const std::string& module, const std::string& error) : report(made_report({})) {
    report.resolution.targets[0].kind = TargetKind::import;
    report.resolution.targets[0].object.reset();
    report.resolution.targets[0].error = error;
    Import import;
    import.module = module;
    import.failed = true;
    report.resolution.imports = {import};
  }
  /// One for want of this module.
  explicit MadeFailure(const std::string& missing, const std::string& module, const std::string& asked_at)
      : MadeFailure(module, "No module named '" + missing + "'") {
    import().missing = {{missing, asked_at, true}};
  }

  Import& import() { return report.resolution.imports[0]; }
  Target& target() { return report.resolution.targets[0]; }

  /// What helps, with its doubts.
  std::string told() {
    report.findings.clear();
    made_findings(check_imports, report, files);
    std::string text;
    for (const auto& finding : report.findings)
      for (const auto& fix : finding.fixes) text += fix.title + " | " + fix.command + " | " + fix.side_effect + "\n";
    return text;
  }

  Report report;
  MemoryFileSystem files;
};

TEST_CASE("a module is installed where the code lies that asks for it, by the Python that runs it") {
  const std::string doubt = " | if the package is called like the module, which is not always so\n";
  MadeFailure made("something", "app", "");
  CHECK(made.told() == "install it | pip install something" + doubt);
  made.import().python = "/usr/bin/python3.11";
  CHECK(made.told() == "install it | /usr/bin/python3.11 -m pip install something" + doubt);
  made.files.add_file("/venv/bin/python", "");
  made.import().missing[0].asked_at = "/venv/lib/python3.11/site-packages/app/__init__.py:1";
  CHECK(made.told() == "install it | /venv/bin/python -m pip install something" + doubt);
  // Of one that was asked for by name, where its package lies, if it has a folder.
  made.import().missing[0] = {"app.something", "", true};
  made.target().error = "No module named 'app.something'";
  made.import().packages = {{"other", "/elsewhere/", ""},
                            {"app", "/venv/lib/python3.11/site-packages/app/", ""},
                            {"another", "/elsewhere/too/", ""}};
  CHECK(made.told().find("/venv/bin/python -m pip install") != std::string::npos);
  made.import().packages[1].folder.clear();
  CHECK(made.told().find("/usr/bin/python3.11 -m pip install") != std::string::npos);
}

TEST_CASE("what the loader refused is the cause only where nothing shows that it is not") {
  const auto is_told = [](const std::string& error, const std::string& refused, bool optional, std::size_t of = 0,
                          RequestTime when = RequestTime::now) {
    MadeFailure made("app", error);
    Target part;
    part.kind = TargetKind::dlopen;
    part.part_of = of;
    part.error = refused;
    part.traits.optional = optional;
    part.traits.when = when;
    made.report.resolution.targets.push_back(part);
    made.told();
    return !made.report.findings.empty();
  };
  CHECK_FALSE(is_told("OSError: x.so: cannot open", "x.so: cannot open", false));
  CHECK_FALSE(is_told("RuntimeError: no x", "x.so: cannot open", false));
  CHECK(is_told("OSError: x.so: cannot open", "x.so: cannot open", false, 1));  // a part of another target
  CHECK(is_told("RuntimeError: no x", "", false));
  CHECK(is_told("RuntimeError: no x", "x.so: cannot open", false, 0, RequestTime::unreached));
  // What may fail is the cause if the error quotes it, and a module that is not there has nothing to do with libraries.
  CHECK_FALSE(is_told("OSError: x.so: cannot open", "x.so: cannot open", true));
  CHECK(is_told("RuntimeError: no x", "x.so: cannot open", true));
  CHECK(is_told("ModuleNotFoundError: No module named 'x'", "x.so: cannot open", false));
}

TEST_CASE("in the world of a tag a module that is missing is told as one that no requirement brings") {
  const auto told = [](WorldKind kind, std::vector<RequiredPackage> requirements) {
    MadeFailure made("lost.part", "app", "/app/x.py:3");
    made.report.resolution.world.kind = kind;
    made.report.resolution.world.requirements = std::move(requirements);
    made.told();
    return in_full(made.report);
  };
  const std::string rest =
      R"(  = `import app` raises No module named 'lost.part'
  > install it | pip install lost | if the package is called like the module, which is not always so
)";
  const std::string at = "  - imported at /app/x.py:3 | proven\n";
  const std::string lacks =
      "CUD501 | error | lost.part\n  app imports the module lost.part, which no declared dependency provides\n";
  CHECK(told(WorldKind::tag, {}) == lacks + at + rest);
  RequiredPackage away, here;
  away.name = "away", away.known = true;
  here.name = "here", here.at_hand = true;
  CHECK(told(WorldKind::tag, {away, here}) ==
        lacks + at +
            "  - 1 required package is not available locally: what it provides is known as of that day | table\n" +
            rest);
  const std::string missing = "CUD114 | error | lost.part\n  the module lost.part is not installed\n";
  CHECK(told(WorldKind::described, {away}) == missing + at + rest);
  CHECK(told(WorldKind::here, {away}) == missing + at + rest);
}

TEST_CASE("of a namespace what was asked for tells which part is wanted") {
  MadeFailure whole("google", "google.protobuf", "");
  CHECK(whole.told() == "install it | pip install protobuf | \n");
  MadeFailure alone("google", "google", "");
  CHECK(alone.told() == "install it | pip install protobuf | if the part it provides is the one needed\n");
  MadeFailure other("google", "googlemaps", "");
  CHECK(other.told() == alone.told());
  MadeFailure unknown("google.nothing_known", "google.nothing_known", "");
  CHECK(unknown.told() ==
        "install it | pip install google-nothing-known | if the package is called like the module, which is not always "
        "so\n");
  MadeFailure yaml("yaml", "app", "");
  CHECK(yaml.told() == "install it | pip install pyyaml | \n");
}

TEST_CASE("a name that was mistyped is asked about, in the environment that was named, and not installed") {
  MadeFailure made("trch", "trch", "");
  made.import().near_name = "torch";
  CHECK(made.told() == "ask about torch, if that is what you mean | cudald torch | \n");
  made.report.query.prefix = "/my venv";
  CHECK(made.told() == "ask about torch, if that is what you mean | cudald --prefix '/my venv' torch | \n");
  made.import().near_name = "trch-nightly";
  CHECK(made.told() ==
        "install it | pip install trch | if the package is called like the module, which is not always so\n");
}

TEST_CASE("an error about a name says which module was to be there") {
  const auto told = [](const std::string& error) {
    MadeFailure made("google", error);
    return made.told();
  };
  CHECK(told("cannot import name 'protobuf' from 'google' (unknown location)") ==
        "install it | pip install protobuf | \n");
  CHECK(told("cannot import name 'protobuf' from 'google' (/x/google/__init__.py)") == "");
  CHECK(told("cannot import name 'protobuf' from partially initialized module 'google' (unknown location)") ==
        told("cannot import name 'protobuf' from 'google' (unknown location)"));
  CHECK(told("cannot import name 'protobuf' (unknown location)") == "");
  CHECK(told("cannot import 'protobuf' from 'google' (unknown location)") == "");
}

TEST_CASE("modules that nothing known brings are told once each, where a requirement is not known") {
  const auto told = [](std::vector<RequiredPackage> requirements, std::vector<Import::MissingModule> missing,
                       const std::string& error = "") {
    MadeFailure made("app", error);
    made.report.resolution.world.kind = WorldKind::tag;
    made.report.resolution.world.requirements = std::move(requirements);
    made.import().failed = !error.empty();
    made.import().missing = std::move(missing);
    made.told();
    return in_full(made.report, "CUD501");
  };
  RequiredPackage unknown, known, beside;
  unknown.name = "odd";
  known.name = "known";
  known.known = true;
  beside.name = "beside";
  beside.at_hand = true;
  auto another = unknown;
  another.name = "strange";
  const Import::MissingModule first{"a.x", "/app.py:1", true}, again{"a.y", "/app.py:2", true},
      second{"b", "/app.py:3", true}, caught{"c", "/app.py:4", false};
  CHECK(told({known, beside}, {first}) == "");
  CHECK(told({unknown}, {caught}) == "");
  CHECK(told({unknown}, {}) == "");
  CHECK(told({known, unknown, beside}, {caught, first, again}) == R"(CUD501 | note | a
  app imports a, which no known package provides; odd, which is required and not available locally, may provide it
  - imported at /app.py:1 | proven
  = Provide its dependencies: --with WHEEL, --with DIR.
)");
  CHECK(told({unknown, another}, {first, second}) == R"(CUD501 | note | a
  app imports a, b, which no known package provides; odd or strange, which are required and not available )"
                                                     R"(locally, may )"
                                                     R"(provide them
  - imported at /app.py:1 | proven
  = Provide its dependencies: --with WHEEL, --with DIR.
)");
  CHECK(told({unknown}, {first}, "it failed") == "");
}

TEST_CASE("a name that is not defined is blamed on the import that was caught") {
  auto world = with_module("try:\n  from absent import Kind\nexcept ImportError:\n  pass\nx = Kind\n");
  world.files.add_file("/venv/lib/python3.11/os.py", "");
  const auto report = world.explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error pkg\n");
  CHECK(report.findings[0].message == "NameError: name 'Kind' is not defined");
  CHECK(says(report.findings[0], "the module absent is not installed; its import at " + site + "pkg/__init__.py:2"));
  CHECK(report.findings[0].fixes[0].command.ends_with("pip install absent"));
}

TEST_CASE("a module beside the one that asks for it is one that Python 2 found") {
  auto world = with_module("import part\n");
  world.files.add_file(site + "pkg/part.py", "");
  const auto report = world.explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error part\n");
  CHECK(report.findings[0].message ==
        "the module part is not found: it is pkg.part, which Python 3 finds by that name alone");
  CHECK(report.findings[0].fixes[0].title == "write `from . import part` there");
}

TEST_CASE("a PYTHONHOME without a standard library keeps Python from starting") {
  TestWorld world;
  world.query.prefix = "/venv";
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file("/venv/lib/python3.11/site-packages/pkg/__init__.py", "");
  world.files.add_folder("/other");
  world.query.environment.variables = {{"PYTHONHOME", "/other"}};
  const auto report = world.explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error encodings\n");
  CHECK(report.findings[0].message ==
        "Python does not start: PYTHONHOME names /other, which has no standard library of Python 3.11");
  CHECK(commands(report.findings[0]) == "unset PYTHONHOME\n");
}

}  // namespace
}  // namespace cudald
