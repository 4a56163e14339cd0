// Parts of the standard library that not every Python has.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

TEST_CASE("a module for which a library was missing as Python was built is nothing for pip to install") {
  const auto report_of = [](const std::string& prefix, const std::string& module, const std::string& release = "") {
    const auto site = prefix + "/lib/python3.11/site-packages/";
    TestWorld world;
    world.query.prefix = prefix;
    world.files.add_file(prefix + "/bin/python3.11", "");
    world.files.add_file("/etc/os-release", release);
    world.files.add_file(prefix + "/lib/python3.11/os.py", "");
    world.files.add_file(prefix + "/lib/python3.11/lib-dynload/_json.cpython-311-x86_64-linux-gnu.so", "");
    world.files.add_file(site + "pkg/__init__.py", "import " + module + "\n");
    return world.explain({"py:pkg"});
  };
  const auto built = report_of("/root/.pyenv/versions/3.11.7", "_ctypes", "ID=debian\n");
  REQUIRE(findings(built) == "CUD114 error _ctypes\n");
  CHECK(built.findings[0].message == "this Python has no module _ctypes: it was built without libffi");
  CHECK(commands(built.findings[0]) == "sudo apt install libffi-dev\npyenv install --force 3.11.7\n");
  CHECK(commands(report_of("/opt/py", "_lzma", "ID=fedora\n").findings.at(0)) == "sudo dnf install xz-devel\n");
  CHECK(commands(report_of("/opt/py", "_lzma", "ID=arch\n").findings.at(0)) == "\n");

  const auto of_system = report_of("/usr", "tkinter", "ID=debian\n");
  CHECK(of_system.findings.at(0).message == "the module tkinter is not installed: it is in a package of its own");
  CHECK(commands(of_system.findings[0]) == "sudo apt install python3-tk\n");
  // Of a Python that somebody has built, distutils hangs on no library.
  CHECK(report_of("/opt/py", "distutils", "ID=debian\n").findings.at(0).message ==
        "the module distutils is not installed");
}

}  // namespace
}  // namespace cudald
