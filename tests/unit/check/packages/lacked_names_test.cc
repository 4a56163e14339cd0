// A submodule that a package lacks.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

const std::string lacking_site = "/venv/lib/python3.11/site-packages/";

TestWorld with_lacking(const std::string& code) {
  TestWorld world;
  world.query.prefix = "/venv";
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file(lacking_site + "pkg/__init__.py", code);
  world.files.add_file(lacking_site + "pkg-1.dist-info/RECORD", "pkg/__init__.py,,\n");
  world.files.add_file(lacking_site + "pkg-1.dist-info/METADATA", "Name: pkg\nVersion: 1\n");
  world.files.add_file(lacking_site + "near/__init__.py", "");
  world.files.add_file(lacking_site + "near-2.5.dist-info/RECORD", "near/__init__.py,,\n");
  world.files.add_file(lacking_site + "near-2.5.dist-info/METADATA", "Name: near\nVersion: 2.5\n");
  return world;
}

/// Of pkg, whose code this is, beside a distribution with one module.
Report report_of(const std::string& module, const std::string& name, const std::string& version,
                 const std::string& code) {
  auto world = with_lacking(code);
  const auto info = lacking_site + name + "-" + version + ".dist-info/";
  world.files.add_file(lacking_site + module + "/__init__.py", "");
  world.files.add_file(info + "RECORD", module + "/__init__.py,,\n");
  world.files.add_file(info + "METADATA", "Name: " + name + "\nVersion: " + version + "\n");
  return world.explain({"py:pkg"});
}

TEST_CASE("a submodule that an installed package lacks is one of another release") {
  const auto report = with_lacking("import near.removed\n").explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error near.removed\n");
  CHECK(report.findings[0].message == "near 2.5 has no module near.removed");
  CHECK(says(report.findings[0], "pkg 1 asks for it"));
  CHECK(commands(report.findings[0]) ==
        "/venv/bin/python -m pip install --upgrade pkg near\n/venv/bin/python -m pip install 'near<2.5'\n");
}

/// What helps pkg, which requires that, and takes a name that near lacks.
std::string help_for(const std::string& requirement, const std::string& version, const std::string& rest = "") {
  auto world = with_lacking("from near import gone\n");
  world.files.add_file(lacking_site + "pkg-1.dist-info/METADATA",
                       "Name: pkg\nVersion: 1\nRequires-Dist: " + requirement + "\n");
  world.files.add_file(lacking_site + "near-2.5.dist-info/METADATA", "Name: near\nVersion: " + version + "\n");
  if (!rest.empty()) world.files.add_file(lacking_site + "whole-" + version + ".dist-info/METADATA", rest);
  return world.explain({"py:pkg"}).findings.at(0).fixes.at(0).command;
}

TEST_CASE("a package whose major release came later than what was asked for, also where another one brings it") {
  const std::string install = "/venv/bin/python -m pip install ", both = install + "--upgrade pkg near",
                    whole = "Name: whole\nVersion: 2.5\nRequires-Dist: near[all]==2.5\n";
  CHECK(help_for("near>=1.4", "2.5") == install + "'near<2'");
  CHECK(help_for("whole>=1.4", "2.5", whole) == install + "'whole<2'");
  CHECK(help_for("whole>=1.4", "2.5", "Name: whole\nVersion: 2.5\nRequires-Dist: near>=2\n") == both);
  CHECK(help_for("near", "5.0.1") == install + "'near<5.0'");
  CHECK(help_for("near", "5.1") == both);
  CHECK(help_for("near>=3", "5.0") == both);
}

TEST_CASE("a part that a package lacks of itself was not compiled with it") {
  const auto report_with = [](const std::string& tag) {
    auto world = with_lacking("from . import _part\n");
    world.files.add_file(lacking_site + "pkg-1.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: " + tag + "\n");
    return world.explain({"py:pkg"});
  };
  const auto here = report_with("cp311-cp311-linux_x86_64");
  REQUIRE(findings(here) == "CUD114 error pkg\n");
  CHECK(says(here.findings[0], "pkg 1 was compiled for this system alone (cp311-cp311-linux_x86_64), without _part"));
  CHECK(commands(here.findings[0]) ==
        "/venv/bin/python -m pip install --force-reinstall --no-deps --no-cache-dir --no-build-isolation pkg==1\n");
  const auto elsewhere = report_with("cp311-cp311-manylinux_2_17_x86_64");
  CHECK(commands(elsewhere.findings[0]) == "/venv/bin/python -m pip install --upgrade pkg\n");
}

TEST_CASE("a part that a package lacks where its files are of another release, and where another build has it") {
  auto world = with_lacking("from . import _part\n");
  world.files.add_file(lacking_site + "pkg-1.dist-info/RECORD", "pkg/__init__.py,sha256=x,1\n");
  CHECK(commands(world.explain({"py:pkg"}).findings.at(0)) ==
        "/venv/bin/python -m pip install --force-reinstall --no-deps pkg==1\n");
  auto lite = with_lacking("import mmcv\n");
  lite.files.add_file(lacking_site + "mmcv/__init__.py", "import mmcv._ext\n");
  lite.files.add_file(lacking_site + "mmcv_lite-2.0.dist-info/RECORD", "mmcv/__init__.py,,\n");
  lite.files.add_file(lacking_site + "mmcv_lite-2.0.dist-info/METADATA", "Name: mmcv-lite\nVersion: 2.0\n");
  const auto report = lite.explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error mmcv._ext\n");
  CHECK(says(report.findings[0], "mmcv-lite and mmcv are builds of one project"));
  CHECK(report.findings[0].fixes.at(0).command ==
        "/venv/bin/python -m pip uninstall -y mmcv-lite\n/venv/bin/python -m pip install mmcv==2.0");
}

TEST_CASE("the newest release of who asks may no longer have the module that asks") {
  auto world = with_lacking("import pkg_resources\n");
  world.files.add_file("/usr/bin/python3.11", "");
  world.files.add_file("/usr/lib/python3.11/os.py", "");
  world.files.add_file("/usr/lib/python3.11/pkgutil.py", "def known(): pass\n");
  world.files.add_file("/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
  world.files.add_file(lacking_site + "pkg_resources/__init__.py", "import pkgutil\npkgutil.ImpImporter\n");
  world.files.add_file(lacking_site + "setuptools-65.5.0.dist-info/RECORD", "pkg_resources/__init__.py,,\n");
  world.files.add_file(lacking_site + "setuptools-65.5.0.dist-info/METADATA", "Name: setuptools\nVersion: 65.5.0\n");
  const auto report = world.explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error pkg\n");
  CHECK(commands(report.findings[0]) == "/venv/bin/python -m pip install --upgrade 'setuptools<=81.0.0'\n");
}

TEST_CASE("a module that only older releases of its distribution have") {
  auto world = with_lacking("import pkg_resources\n");
  world.files.add_file(lacking_site + "setuptools-82.0.0.dist-info/METADATA", "Name: setuptools\nVersion: 82.0.0\n");
  const auto report = world.explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error pkg_resources\n");
  CHECK(says(report.findings[0], "setuptools 82.0.0 is installed, which no longer has it"));
  CHECK(commands(report.findings[0]) == "/venv/bin/python -m pip install 'setuptools<=81.0.0'\n");
}

TEST_CASE("a name that a release is known to have removed or added is in the releases before or after it") {
  const std::string pip = "/venv/bin/python -m pip install ";
  const auto removed = report_of("numpy", "numpy", "2.1.0", "import numpy\nx = numpy.float_\n");
  REQUIRE(findings(removed) == "CUD114 error pkg\n");
  CHECK(says(removed.findings[0], "numpy removed numpy.float_ in 2.0"));
  CHECK(commands(removed.findings[0]) == pip + "'numpy<2.0'\n" + pip + "--upgrade pkg numpy\n");
  const auto added =
      report_of("typing_extensions", "typing_extensions", "4.0.1", "from typing_extensions import TypeAliasType\n");
  CHECK(commands(added.findings[0]).starts_with(pip + "'typing_extensions>=4.6'\n"));
  const auto module = report_of("moviepy", "moviepy", "2.1.1", "import moviepy.editor\n");
  CHECK(commands(module.findings[0]).starts_with(pip + "'moviepy<2.0'\n"));
  // It is in this release, and another project's of that name is not meant.
  const auto older = report_of("numpy", "numpy", "1.26.0", "import numpy\nx = numpy.float_\n");
  CHECK(commands(older.findings[0]).starts_with(pip + "--upgrade pkg numpy\n"));
}

TEST_CASE("a part of a package that another distribution brings leads to that one, if it is not installed") {
  for (const auto* code : {"import PyQt6.QtCharts\n", "from PyQt6 import QtCharts\n"}) {
    CAPTURE(code);
    const auto report = report_of("PyQt6", "PyQt6", "6.11.0", code);
    CHECK(commands(report.findings.at(0)) == "/venv/bin/python -m pip install pyqt6-charts\n");
  }
  const auto own = report_of("PyQt6", "PyQt6", "6.11.0", "import PyQt6.QtOfNobody\n");
  CHECK(commands(own.findings.at(0)).find("--upgrade pkg PyQt6") != std::string::npos);
}

TEST_CASE("of a name of Python 2 the answer says what Python 3 has instead") {
  auto world = with_lacking("for i in xrange(3): pass\n");
  world.files.add_file("/venv/lib/python3.11/os.py", "");
  const auto report = world.explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error pkg\n");
  const auto& finding = report.findings[0];
  REQUIRE(finding.fixes.size() == 2);
  CHECK(finding.fixes[0].title == "use a release of pkg for Python 3.11");
  CHECK(finding.fixes[1].title ==
        "or write range instead of xrange in " + lacking_site + "pkg/__init__.py:1: the code is for Python 2");
}

TEST_CASE("the newest release is taken as far as what else is installed allows it") {
  auto world = with_lacking("from near import y\n");
  world.files.add_file(lacking_site + "far-3.dist-info/METADATA",
                       "Name: far\nVersion: 3\nRequires-Dist: near<2.7,>=2.0\n");
  const auto report = world.explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error pkg\n");
  CHECK(commands(report.findings[0]).starts_with("/venv/bin/python -m pip install --upgrade pkg 'near<2.7,>=2.0'\n"));
}

TEST_CASE("a release that has a name is taken below what else is installed allows") {
  auto world = with_lacking("from typing_extensions import TypeAliasType\n");
  const auto info = lacking_site + "typing_extensions-4.0.1.dist-info/";
  world.files.add_file(lacking_site + "typing_extensions/__init__.py", "");
  world.files.add_file(info + "RECORD", "typing_extensions/__init__.py,,\n");
  world.files.add_file(info + "METADATA", "Name: typing_extensions\nVersion: 4.0.1\n");
  const auto command_with = [&](const std::string& required) {
    world.files.add_file(lacking_site + "far-3.dist-info/METADATA",
                         "Name: far\nVersion: 3\nRequires-Dist: typing-extensions" + required + "\n");
    return world.explain({"py:pkg"}).findings.at(0).fixes.at(0).command;
  };
  const std::string pip = "/venv/bin/python -m pip install ";
  CHECK(command_with("<4.9,>=3") == pip + "'typing_extensions>=4.6,<4.9'");
  CHECK(command_with("<4.2") == pip + "'typing_extensions>=4.6' far");  // which no release fits
}

TEST_CASE("what the user's own code asks for is a slip, or a name of another release") {
  auto world = with_lacking("");
  world.files.add_file(lacking_site + "near/__init__.py", "def safe_value(): pass\ndef other(): pass\n");
  world.files.add_file("/my/prog.py", "import near\nnear.safe_values()\n");
  world.files.add_file(lacking_site + "near-2.5.dist-info/METADATA", "Name: near\nVersion: 2.5.3\n");
  const auto report = world.explain({"/my/prog.py"});
  REQUIRE(findings(report) == "CUD114 error prog\n");
  const auto& finding = report.findings[0];
  REQUIRE(finding.fixes.size() == 3);
  CHECK(finding.fixes[0].title == "write safe_value instead of safe_values in /my/prog.py:2");
  CHECK(finding.fixes[0].side_effect == "if near.safe_value is meant");
  const std::string pip = "/venv/bin/python -m pip install ";
  CHECK(commands(finding) == "\n" + pip + "'near<2.5'\n" + pip + "--upgrade near\n");
  world.files.add_file("/my/prog.py", "import near\nnear.frobnicate()\n");
  CHECK(world.explain({"/my/prog.py"}).findings.at(0).fixes.size() == 2);
}

TEST_CASE("an argument that a function does not take is of another release of its package") {
  auto world = with_lacking("import near\nnear.f(eq=False)\n");
  world.files.add_file(lacking_site + "near/__init__.py", "def f(cmp=True): return cmp\n");
  const auto report = world.explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error pkg\n");
  CHECK(report.findings[0].message ==
        "TypeError: f() got an unexpected keyword argument 'eq'; pkg 1 asks for it, and near 2.5 does not have it");
  CHECK(says(report.findings[0], "near is of near 2.5"));
  CHECK(commands(report.findings[0]).starts_with("/venv/bin/python -m pip install --upgrade pkg near\n"));
}

TEST_CASE("an argument without which another package calls a function is of another release of that one") {
  auto world = with_lacking("import near\nnear.f()\n");
  world.files.add_file(lacking_site + "near/__init__.py", "def f(loader): return loader\n");
  const auto report = world.explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error pkg\n");
  CHECK(report.findings[0].message ==
        "TypeError: f() missing 1 required positional argument: 'loader'; pkg 1 calls it "
        "without, and near 2.5 needs it");
  CHECK(report.findings[0].fixes.back().title == "if near 2.5 has come to need it, use an earlier near");
}

TEST_CASE("a file of the user's that is called like the package it means is renamed") {
  auto world = with_lacking("");
  world.query.environment.variables = world.query.environment.stated = {{"PYTHONPATH", "/src"}};
  world.files.add_file("/src/near.py", "from near import Client\n");
  const auto report = world.explain({"py:near"});
  REQUIRE(findings(report) == "CUD114 error near\n");
  CHECK(says(report.findings[0], "/src/near.py is found first, and hides the module near"));
  CHECK(commands(report.findings[0]) == "mv /src/near.py /src/my_near.py\n");
}

}  // namespace
}  // namespace cudald
