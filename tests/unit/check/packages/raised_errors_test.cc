// What an exception of a package says of releases and files, and what CUD114 makes of it.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"
#include "unit/machine/cache_file.h"

namespace cudald {
namespace {

const std::string raising_site = "/venv/lib/python3.11/site-packages/";

TestWorld with_raising(const std::string& code) {
  TestWorld world;
  world.query.prefix = "/venv";
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file(raising_site + "pkg/__init__.py", code);
  world.files.add_file(raising_site + "pkg-1.dist-info/RECORD", "pkg/__init__.py,,\n");
  world.files.add_file(raising_site + "pkg-1.dist-info/METADATA", "Name: pkg\nVersion: 1\n");
  return world;
}

void install(TestWorld& world, const std::string& name, const std::string& version) {
  const auto folder = raising_site + name + "-" + version + ".dist-info/";
  world.files.add_file(raising_site + name + "/__init__.py", "");
  world.files.add_file(folder + "RECORD", name + "/__init__.py,,\n");
  world.files.add_file(folder + "METADATA", "Name: " + name + "\nVersion: " + version + "\n");
}

TEST_CASE("the first release that an exception asks for, and that is not installed, is the fix") {
  const auto fix = [](const std::string& message) {
    auto world = with_raising("raise ImportError('" + message + "')\n");
    install(world, "near", "2.2.0");
    const auto report = world.explain({"py:pkg"});
    REQUIRE(findings(report) == "CUD114 error pkg\n");
    CHECK(says(report.findings[0], "raised at " + raising_site + "pkg/__init__.py:1"));
    return commands(report.findings[0]);
  };
  CHECK(fix("NEAR==2.2.0 is used but incompatible. Please install near>=2.0.0rc4, <2.2.0.") ==
        "/venv/bin/python -m pip install 'near>=2.0.0rc4,<2.2.0'\n");
  CHECK(fix("needs near >= 3") == "/venv/bin/python -m pip install 'near>=3'\n");
  CHECK(fix("needs near>=1") == "");   // it has that
  CHECK(fix("needs other>=1") == "");  // it is not there
  CHECK(fix("a <= b, == near>=") == "");
}

TEST_CASE("a command in the words of an exception is the fix, as far as it is one of pip") {
  const auto fix = [](const std::string& message) {
    return commands(with_raising("raise ValueError('''" + message + "''')\n").explain({"py:pkg"}).findings.at(0));
  };
  const std::string pip = "/venv/bin/python -m pip install ";
  CHECK(fix("Not supported.\nInstall it with `pip install tf-keras`.") == pip + "tf-keras\n");
  CHECK(fix("Run: pip install -U \"x[y]>=1.2\" or conda install x") == pip + "-U 'x[y]>=1.2'\n");
  CHECK(fix("pip install a, then b") == pip + "a\n");
  CHECK(fix("pip install --index-url https://x y") == "");
  CHECK(fix("pip install $(rm -rf /)") == "");
  CHECK(fix("pip install -U") == "");
}

TEST_CASE("of modules that were tried in vain and that the exception names, one is to be installed") {
  const std::string tries =
      "for name in ('QtA', 'yaml', 'QtC'):\n  try: __import__(name)\n  except ImportError: pass\n";
  const auto fix = [&](const std::string& message) {
    return commands(with_raising(tries + "raise ValueError('" + message + "')\n").explain({"py:pkg"}).findings.at(0));
  };
  const std::string pip = "/venv/bin/python -m pip install ";
  CHECK(fix("needs QtC or QtA") == pip + "QtA\n");
  CHECK(fix("no yaml here") == pip + "pyyaml\n");
  CHECK(fix("needs QtAB") == "");
}

TEST_CASE("bytecode without its source is for one Python") {
  const auto report_with = [](const std::string& bytes) {
    auto world = with_raising("from . import part\n");
    world.files.add_file(raising_site + "pkg/part.pyc", bytes + std::string(12, '\0'));
    world.files.add_file("/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
    return world.explain({"py:pkg"});
  };
  const auto other = report_with("U\r\r\n");
  REQUIRE(findings(other) == "CUD114 error pkg\n");
  CHECK(other.findings[0].message == "ImportError: bad magic number in 'pkg.part': b'U\\r\\r\\n'");
  CHECK(says(other.findings[0], "it is bytecode of Python 3.8, without its source; this is Python 3.11"));
  CHECK(other.findings[0].fixes.at(0).title == "use Python 3.8, or a copy that has its sources");
  CHECK(findings(report_with("\xa7\r\r\n")) == "");
  CHECK(findings(report_with("\x01\x02\r\n")) == "");  // of a release that is not known
}

TEST_CASE("entry points that are declared nowhere, as the .dist-info was deleted") {
  auto world = with_raising(
      "from importlib.metadata import entry_points\nfirst = next(iter(entry_points(group='pkg_context')))\n");
  const auto declared = world.explain({"py:pkg"});
  REQUIRE(findings(declared) == "CUD114 error pkg\n");
  CHECK(declared.findings[0].message == "StopIteration");
  CHECK(says(declared.findings[0], "its code looked for entry points of pkg_context"));
  CHECK(declared.findings[0].fixes.at(0).title == "install a package that declares them");
  world.files.add_file(raising_site + "pkg-1.dist-info/RECORD", "");
  const auto pruned = world.explain({"py:pkg"});
  REQUIRE(findings(pruned) == "CUD114 error pkg\n");
  CHECK(pruned.findings[0].fixes.at(0).title ==
        "install the package of pkg again, with its .dist-info: that declares them");
}

TEST_CASE("a library that a linker's name stands for is in a package of the system") {
  auto world = with_raising(
      "import ctypes.util\nname = ctypes.util.find_library('portaudio')\n"
      "if name is None: raise OSError('PortAudio library not found')\n");
  world.files.add_file("/etc/ld.so.cache", new_cache({}));
  world.files.add_file("/etc/os-release", "ID=debian\n");
  const auto report = world.explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error pkg\n");
  CHECK(commands(report.findings[0]) == "sudo apt install libportaudio2\n");
}

TEST_CASE("files beside one that is missing tell which release there is one for") {
  auto world = with_raising(
      "import os, near\npath = os.path.join(os.path.dirname(__file__), 'libx_2.4.1.so')\n"
      "if not os.path.exists(path): raise FileNotFoundError('no ' + path)\n");
  install(world, "near", "2.4.1");
  world.files.add_file(raising_site + "pkg-1.dist-info/RECORD", "pkg/__init__.py,,\npkg/libx_2.4.0.so,,\n");
  world.files.add_file(raising_site + "pkg/libx_2.3.1.so", "");
  world.files.add_file(raising_site + "pkg/libx_2.4.0.so", "");
  const auto report = world.explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error pkg\n");
  CHECK(says(report.findings[0], "beside it are libx_2.4.0.so, libx_2.3.1.so"));
  CHECK(commands(report.findings[0]) ==
        "/venv/bin/python -m pip install near==2.4.0\n/venv/bin/python -m pip install --upgrade pkg\n");
}

TEST_CASE("the release that plain words ask for is that of the distribution which they name") {
  auto world = with_raising("raise ImportError('pkg supports near up to 2.0.3, found 2.2.0')\n");
  install(world, "near", "2.2.0");
  const auto report = world.explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error pkg\n");
  CHECK(says(report.findings[0], "near 2.2.0 is installed"));
  CHECK(commands(report.findings[0]) == "/venv/bin/python -m pip install 'near<=2.0.3'\n");
}

TEST_CASE("a variable that code reads is to be set") {
  const auto variable = with_raising("import os\nkey = os.environ['API_KEY']\n").explain({"py:pkg"});
  REQUIRE(findings(variable) == "CUD114 error pkg\n");
  CHECK(variable.findings[0].message == "KeyError: 'API_KEY'");
  CHECK(says(variable.findings[0], "its code needs the environment variable API_KEY, which is not set"));
  CHECK(commands(variable.findings[0]) == "export API_KEY=VALUE\n");
  const auto no_name = with_raising("import os\nkey = os.environ['A;x']\n").explain({"py:pkg"});
  CHECK(commands(no_name.findings[0]) == "");
}

TEST_CASE("code that asks for its own metadata is of a project that is to be installed") {
  TestWorld world;
  world.query.prefix = "/venv";
  world.query.environment.variables = world.query.environment.stated = {{"PYTHONPATH", "/src"}};
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file(raising_site + "other/__init__.py", "");
  world.files.add_file("/src/pyproject.toml", "[project]\nname = \"pkg\"\n");
  world.files.add_file("/src/pkg/__init__.py", "from importlib.metadata import version\nv = version('pkg')\n");
  const auto report = world.explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error pkg\n");
  CHECK(commands(report.findings[0]) == "/venv/bin/python -m pip install -e /src\n");
}

TEST_CASE("beside the build for the CPU, what misses CUDA needs the build for it") {
  auto world = with_raising("raise RuntimeError('CUDA is required')\n");
  install(world, "frame", "2.4.1+cpu");
  const auto report = world.explain({"py:pkg"});
  CHECK(says(report.findings[0], "frame 2.4.1+cpu is installed, the build without CUDA"));
  CHECK(commands(report.findings[0]) == "/venv/bin/python -m pip install --force-reinstall frame==2.4.1\n");
}

TEST_CASE("a part for CUDA that is missing beside that for the CPU: the package was compiled without CUDA") {
  auto world = with_raising(
      "import importlib.machinery, os\n"
      "importlib.machinery.PathFinder().find_spec('_part_cuda', [os.path.dirname(__file__)]).origin\n");
  CHECK_FALSE(says(world.explain({"py:pkg"}).findings[0], "the build is for the CPU alone"));
  world.files.add_file(raising_site + "pkg/_part_cpu.so", "");
  const auto report = world.explain({"py:pkg"});
  CHECK(says(report.findings[0], "_part_cuda.so, which is not there"));
  CHECK(says(report.findings[0], "beside it is _part_cpu.so: the build is for the CPU alone"));
}

TEST_CASE("a table by release of Python that has no row for this one is of an older release") {
  const auto report =
      with_raising("import sys\nname = {(3, 9): 'a', (3, 10): 'b'}[sys.version_info[:2]]\n").explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error pkg\n");
  CHECK(report.findings[0].message == "KeyError: (3, 11)");
  CHECK(says(report.findings[0], "its table has no row for Python 3.11"));
  CHECK(commands(report.findings[0]) == "/venv/bin/python -m pip install --upgrade pkg\n\n");
}

}  // namespace
}  // namespace cudald
