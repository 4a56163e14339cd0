#include "check/fixes/installer.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

const std::string site_folder = "/venv/lib/python3.11/site-packages";

Object object_of(const std::string& package) {
  Object object;
  object.path = site_folder + "/pkg/_C.so";
  object.package = PackageName{package, "1.2"};
  return object;
}

MemoryFileSystem environment(const std::string& settings) {
  MemoryFileSystem files;
  files.add_file("/venv/bin/python", "");
  files.add_file("/venv/pyvenv.cfg", settings);
  files.add_file(site_folder + "/pkg-1.2.dist-info/METADATA",
                 "Name: pkg\nVersion: 1.2\n"
                 "Requires-Dist: nvidia-cublas-cu12==12.8.4.1; platform_system == \"Linux\"\n"
                 "Requires-Dist: nvidia-cufft-cu12>=11.0; extra == 'with-cuda'\n");
  return files;
}

TEST_CASE("the commands are those of the environment that the requester lies in") {
  const Report report;
  const auto object = object_of("pkg");
  const auto venv = environment("version = 3.11.7\n");
  const Installer pip(report, object, venv);
  CHECK(pip.install() == "/venv/bin/python -m pip install ");
  CHECK(pip.reinstall("pkg", "1.2").command == "/venv/bin/python -m pip install --force-reinstall --no-deps pkg==1.2");
  const auto made_by_uv = environment("uv = 0.5.1\nversion_info = 3.11.7\n");
  const Installer uv(report, object, made_by_uv);
  CHECK(uv.install() == "uv pip install --python /venv/bin/python ");
  CHECK(uv.reinstall("pkg", "1.2").command ==
        "uv pip install --python /venv/bin/python --force-reinstall --no-deps pkg==1.2");
  const MemoryFileSystem nothing;
  CHECK(Installer(report, object, nothing).install() == "pip install ");
}

TEST_CASE("what is no more under its name is taken by the name under which it goes on") {
  const Report report;
  const auto object = object_of("pkg");
  const auto files = environment("");
  const Installer installer(report, object, files);
  const std::string pip = "/venv/bin/python -m pip ";
  CHECK(installer.upgrade({"pkg", "numpy<2"}) == pip + "install --upgrade pkg 'numpy<2'");
  CHECK(installer.upgrade({"Keras", "tensorflow-gpu<3"}) ==
        pip + "uninstall -y tensorflow-gpu\n" + pip + "install --upgrade Keras tensorflow");
}

TEST_CASE("a release that another package excludes is offered with that") {
  const Report report;
  const auto object = object_of("pkg");
  auto files = environment("");
  const UnmetRequirement unmet{"numpy", "2.1.0", "numpy<1.25"};
  const auto side_effect = [&] { return Installer(report, object, files).required_by("pkg 1.2", unmet).side_effect; };
  CHECK(side_effect().empty());
  files.add_file(site_folder + "/other-3.0.dist-info/METADATA",
                 "Name: other\nVersion: 3.0\nRequires-Dist: numpy>=1.25\n");
  CHECK(side_effect() ==
        "no release fits other 3.0 as well, which requires numpy>=1.25: one of the two has to be in another release");
}

TEST_CASE("a version is the one that the requester's package requires, an extra of it comes before a list") {
  const Report report;
  const auto object = object_of("pkg");
  const auto files = environment("");
  const Installer installer(report, object, files);
  CHECK(installer.word_for("nvidia-cublas-cu12", "nvidia-cublas-cu12") == "nvidia-cublas-cu12==12.8.4.1");
  CHECK(installer.word_for("nvidia-cufft-cu12", "nvidia-cufft-cu12") == "pkg[with-cuda]==1.2");
  CHECK(installer.word_for("nvidia-curand-cu12", "nvidia-curand-cu12") == "nvidia-curand-cu12");
  const auto other = object_of("other");
  CHECK(Installer(report, other, files).word_for("nvidia-cublas-cu12", "as the table says") == "as the table says");
}

TEST_CASE("of the lines that require a distribution the first extra counts, and what cannot be read does not") {
  const Report report;
  const auto object = object_of("pkg");
  const auto word = [&](const std::string& lines) {
    MemoryFileSystem files;
    files.add_file("/venv/bin/python", "");
    files.add_file(site_folder + "/pkg-1.2.dist-info/METADATA", "Name: pkg\nVersion: 1.2\n" + lines);
    return Installer(report, object, files).word_for("one", "otherwise");
  };
  const std::string dist = "Requires-Dist: ";
  CHECK(word(dist + ";;\n" + dist + "one==2.0\n") == "one==2.0");
  CHECK(word(dist + "other==1\n") == "otherwise");
  CHECK(word(dist + "one==2.0; extra == \"a\"\n" + dist + "one==3.0; extra == \"b\"\n") == "pkg[a]==1.2");
  CHECK(word(dist + "one==2.0; extra == \"a\"\n" + dist + "one==3.0\n") == "one==3.0");
  CHECK(word("") == "otherwise");
  // Where more is missing, the package itself brings all of it.
  CHECK(word(dist + "one==2.0\n" + dist + "two\n") == "pkg==1.2");
  CHECK(word(dist + "one==2.0\n" + dist + "two; sys_platform == 'win32'\n") == "one==2.0");
  CHECK(word(dist + "one==2.0\n" + dist + "two; python_version < '3.11'\n") == "one==2.0");
  CHECK(word(dist + "one==2.0\n" + dist + "two; extra == 'a'\n") == "one==2.0");
}

TEST_CASE("a Python of Windows is called by its own path, that of a virtual environment in Scripts") {
  Report report;
  report.resolution.windows = true;
  Object program;
  program.path = "/py/python.exe";
  program.load_name = "C:\\py\\python.exe";
  report.resolution.objects = {program};
  MemoryFileSystem files;
  files.add_file("/py/python.exe", "");
  files.add_file("/my venv/pyvenv.cfg", "home = C:\\py\n");
  files.add_file("/my venv/Scripts/python.exe", "");
  Object module;
  const auto install = [&](const std::string& path) {
    module.path = path;
    return Installer(report, module, files).install();
  };
  CHECK(install("/py/Lib/site-packages/a/_C.pyd") == "C:\\py\\python.exe -m pip install ");
  CHECK(install("/my venv/Lib/site-packages/a/_C.pyd") == "\"C:\\my venv\\Scripts\\python.exe\" -m pip install ");
  CHECK(install("/elsewhere/a/_C.pyd") == "pip install ");
  report.query.prefix = "/my venv";
  CHECK(install("/elsewhere/a/_C.pyd") == "\"C:\\my venv\\Scripts\\python.exe\" -m pip install ");
}

}  // namespace
}  // namespace cudald
