#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "common/memory_file_system.h"
#include "pyimport/run_import.h"

using namespace cudald;

namespace {

using Paths = std::vector<std::string>;

/// A tree that is drive C:, whose names have a case of their own.
struct DriveWorld {
  MemoryFileSystem files;

  std::shared_ptr<WindowsPython> windows() const {
    auto made = std::make_shared<WindowsPython>();
    made->spelled = [](const std::string& path) {
      auto text = "C:" + path;
      std::replace(text.begin(), text.end(), '/', '\\');
      return text;
    };
    made->find = [this](const std::string& path) -> std::optional<std::string> {
      if (!path.starts_with("C:")) return std::nullopt;
      auto place = path.substr(2);
      std::replace(place.begin(), place.end(), '\\', '/');
      return files.status(place) ? std::optional(place) : std::nullopt;
    };
    return made;
  }
  void add(const std::vector<std::string>& paths) {
    for (const auto& path : paths) {
      if (path.ends_with('/'))
        files.add_folder(path.substr(0, path.size() - 1));
      else
        files.add_file(path, "");
    }
  }
  FoundWindowsPython find(const std::string& prefix, const std::map<std::string, std::string>& variables = {},
                          const std::string& machine = "AMD64") const {
    auto system = windows();
    system->machine = machine;
    auto found = find_windows_python(prefix, files, system, variables);
    REQUIRE(found);
    return *found;
  }
};

DriveWorld installation() {
  DriveWorld world;
  world.add(
      {"/p/python.exe", "/p/python3.dll", "/p/python311.dll", "/p/Lib/os.py", "/p/DLLs/", "/p/Lib/site-packages/"});
  return world;
}

}  // namespace

TEST_CASE("a prefix of Windows has a python.exe or its DLL, a virtual environment settings and scripts") {
  const auto is_one = [](const std::vector<std::string>& paths) {
    DriveWorld world;
    world.files.add_folder("/p");
    world.add(paths);
    return is_windows_python("/p", world.files);
  };
  CHECK(is_one({"/p/python.exe"}));
  CHECK(is_one({"/p/Python.EXE"}));
  CHECK(is_one({"/p/python39.dll"}));
  CHECK(is_one({"/p/PYTHON310.DLL"}));
  CHECK(is_one({"/p/pyvenv.cfg", "/p/Scripts/x"}));
  CHECK_FALSE(is_one({"/p/pyvenv.cfg"}));
  CHECK_FALSE(is_one({"/p/Scripts/x"}));
  CHECK_FALSE(is_one({"/p/python3.dll"}));
  CHECK_FALSE(is_one({"/p/python3x.dll"}));
  CHECK_FALSE(is_one({"/p/python3111.dll"}));
  CHECK_FALSE(is_one({"/p/python27.dll"}));
  CHECK_FALSE(is_one({"/p/python311.dll.txt"}));
  CHECK_FALSE(is_one({}));
  CHECK_FALSE(is_windows_python("/absent", MemoryFileSystem()));
}

TEST_CASE("an installation: DLLs, the library, the prefix, its packages") {
  const auto found = installation().find("/p/");
  const auto& python = found.environment;
  CHECK(python.path == Paths{"/p/DLLs", "/p/Lib", "/p", "/p/Lib/site-packages"});
  CHECK(python.version == "3.11");
  CHECK(python.prefix == "/p");
  CHECK(python.base_prefix == "/p");
  CHECK(python.interpreter == "/p/python.exe");
  CHECK(python.extension_suffixes == Paths{".cp311-win_amd64.pyd", ".pyd"});
  CHECK(python.complete);
  CHECK(python.notes.empty());
  CHECK(found.home == "C:\\p");
}

TEST_CASE("a Python of MSYS2 has the directories of a POSIX system") {
  DriveWorld world;
  const std::string library = "/m/ucrt64/lib/python3.12/";
  world.add({"/m/ucrt64/bin/python.exe", library + "os.py", library + "site-packages/",
             library + "lib-dynload/_ctypes.cp312-mingw_x86_64_ucrt_gnu.pyd"});
  CHECK(is_windows_python("/m/ucrt64", world.files));
  const auto found = world.find("/m/ucrt64");
  const auto& python = found.environment;
  CHECK(python.version == "3.12");
  CHECK(python.interpreter == "/m/ucrt64/bin/python.exe");
  CHECK(python.path == Paths{"/m/ucrt64/lib/python3.12", library + "lib-dynload", library + "site-packages"});
  CHECK(python.extension_suffixes ==
        Paths{".cp312-mingw_x86_64_ucrt_gnu.pyd", "-cpython-312.dll", "-abi3.dll", ".cp312.pyd", ".pyd"});
  CHECK(python.complete);
  CHECK(found.home == "C:\\m\\ucrt64\\bin");

  world.add({"/v/bin/python.exe", "/v/lib/python3.12/site-packages/"});
  world.files.add_file("/v/pyvenv.cfg",
                       "home = C:/m/ucrt64/bin\ninclude-system-site-packages = false\nversion = 3.12.7\n");
  const auto own = world.find("/v");
  CHECK(own.environment.base_prefix == "/m/ucrt64");
  CHECK(own.environment.path.back() == "/v/lib/python3.12/site-packages");
  CHECK(own.home == "C:\\m\\ucrt64\\bin");
  CHECK(own.environment.interpreter == "/m/ucrt64/bin/python.exe");
}

TEST_CASE("the version is that of the newest DLL, and suffixes are those of the machine") {
  DriveWorld world;
  world.add({"/p/python38.dll", "/p/python310.dll", "/p/python39.dll", "/p/Lib/os.py"});
  CHECK(world.find("/p").environment.version == "3.10");
  CHECK(world.find("/p", {}, "x86").environment.extension_suffixes == Paths{".cp310-win32.pyd", ".pyd"});
  CHECK(world.find("/p").environment.interpreter.empty());
  DriveWorld bare;
  bare.add({"/p/python.exe"});
  CHECK(bare.find("/p").environment.version.empty());
  CHECK(bare.find("/p").environment.extension_suffixes.empty());
}

TEST_CASE("a virtual environment takes its library from its home, and packages from there if it says so") {
  const auto with = [](const std::string& settings) {
    auto world = installation();
    world.add({"/v/Scripts/python.exe", "/v/Lib/site-packages/"});
    world.files.add_file("/v/pyvenv.cfg", settings);
    return world.find("/v");
  };
  const auto plain = with("home = C:\\p\nversion = 3.11.7\ninclude-system-site-packages = false\n");
  CHECK(plain.home == "C:\\p");
  CHECK(plain.environment.prefix == "/v");
  CHECK(plain.environment.base_prefix == "/p");
  CHECK(plain.environment.interpreter == "/p/python.exe");
  CHECK(plain.environment.path == Paths{"/p/DLLs", "/p/Lib", "/p", "/v", "/v/Lib/site-packages"});
  CHECK(plain.environment.version == "3.11");
  const auto shared = with("home = C:\\p\nversion_info = 3.12.1.final.0\ninclude-system-site-packages = true\n");
  CHECK(shared.environment.version == "3.12");
  CHECK(shared.environment.path.back() == "/p/Lib/site-packages");
  const auto without = with("home = C:\\p\n");
  CHECK(without.environment.version == "3.11");
}

TEST_CASE("a home that is not there leaves the standard library open, and that is told") {
  DriveWorld world;
  world.add({"/v/Scripts/python.exe", "/v/Lib/site-packages/"});
  world.files.add_file("/v/pyvenv.cfg", "home = D:\\Python\nversion = 3.11\n");
  const auto found = world.find("/v");
  CHECK(found.home == "D:\\Python");
  CHECK_FALSE(found.environment.complete);
  CHECK(found.environment.path == Paths{"/v", "/v/Lib/site-packages"});
  CHECK(found.environment.notes ==
        Paths{"the standard library of Python is not in D:\\Python; its modules are assumed present"});
}

TEST_CASE("PYTHONPATH comes first, and lines of .pth files are paths of Windows") {
  auto world = installation();
  world.add({"/x/", "/y/", "/p/Lib/site-packages/inner/"});
  world.files.add_file("/p/Lib/site-packages/a.pth", "C:\\y\r\ninner\r\nC:\\absent\r\nimport code\r\n");
  const auto found = world.find("/p", {{"PYTHONPATH", "C:\\x;C:\\none;relative"}});
  CHECK(found.environment.path ==
        Paths{"/x", "/p/DLLs", "/p/Lib", "/p", "/p/Lib/site-packages", "/y", "/p/Lib/site-packages/inner"});
  REQUIRE(found.environment.start_up.size() == 1);
  CHECK(found.environment.start_up[0].code == "import code");
}

TEST_CASE("settings and scripts make a virtual environment in either order of their names") {
  for (const std::string name : {"Scripts", "aScripts"}) {
    DriveWorld world;
    world.add({"/v/pyvenv.cfg", "/v/Python/x", "/v/" + name + "/x"});
    CHECK(is_windows_python("/v", world.files) == (name == "Scripts"));
  }
  DriveWorld lower;
  lower.add({"/v/PYVENV.CFG", "/v/scripts/x"});
  CHECK(is_windows_python("/v", lower.files));
  CHECK_FALSE(find_windows_python("/v/scripts", lower.files, lower.windows(), {}).has_value());
}

TEST_CASE("without a version in its settings an environment whose home is absent has that of its own DLL") {
  DriveWorld world;
  world.add({"/v/Scripts/python.exe", "/v/python310.dll", "/v/Lib/site-packages/"});
  world.files.add_file("/v/pyvenv.cfg", "home = D:\\Python\ninclude-system-site-packages = true\n");
  const auto found = world.find("/v");
  CHECK(found.environment.version == "3.10");
  CHECK(found.environment.base_prefix == "");
  CHECK(found.environment.interpreter == "");
  CHECK(found.environment.path == Paths{"/v", "/v/Lib/site-packages"});
}

TEST_CASE("an environment has the variables and the system that it is asked for with") {
  const auto found = installation().find("/p", {{"A", "b"}}, "ARM64");
  CHECK(found.environment.variables == std::map<std::string, std::string>{{"A", "b"}});
  REQUIRE(found.environment.windows);
  CHECK(found.environment.windows->machine == "ARM64");
}

TEST_CASE(
    "packages of the user come before those of an installation, and of a virtual environment only with its base") {
  auto world = installation();
  const std::string own = "/u/Roaming/Python/Python311/site-packages";
  world.add({own + "/", "/w/Python311/site-packages/", "/v/Scripts/python.exe", "/v/Lib/site-packages/"});
  const std::map<std::string, std::string> user{{"APPDATA", "C:\\u\\Roaming"}};
  const Paths standard{"/p/DLLs", "/p/Lib", "/p"};
  const auto path = [&](const std::string& prefix, std::map<std::string, std::string> variables) {
    variables.insert(user.begin(), user.end());
    auto found = world.find(prefix, variables).environment.path;
    found.erase(found.begin(), found.begin() + 3);
    return found;
  };
  CHECK(path("/p", {}) == Paths{own, "/p/Lib/site-packages"});
  CHECK(path("/p", {{"PYTHONUSERBASE", "C:\\w"}}) == Paths{"/w/Python311/site-packages", "/p/Lib/site-packages"});
  CHECK(path("/p", {{"PYTHONNOUSERSITE", "1"}}) == Paths{"/p/Lib/site-packages"});
  world.files.add_file("/v/pyvenv.cfg", "home = C:\\p\nversion = 3.11.7\ninclude-system-site-packages = false\n");
  CHECK(path("/v", {}) == Paths{"/v", "/v/Lib/site-packages"});
  world.files.add_file("/v/pyvenv.cfg", "home = C:\\p\nversion = 3.11.7\ninclude-system-site-packages = true\n");
  CHECK(path("/v", {}) == Paths{"/v", "/v/Lib/site-packages", own, "/p/Lib/site-packages"});
  // A file beside python.exe that names the directories is all that counts.
  world.add({"/p/python311._pth"});
  CHECK(path("/p", {{"PYTHONPATH", "C:\\w"}}) == Paths{"/p/Lib/site-packages"});
}

TEST_CASE("PYTHONHOME has the standard library of a Python of Windows; without it none starts") {
  auto world = installation();
  world.add({"/p/Lib/encodings/", "/o/Lib/encodings/", "/o/DLLs/", "/none/"});
  const auto python = [&](const std::string& home) { return world.find("/p", {{"PYTHONHOME", home}}).environment; };
  CHECK_FALSE(python("").lost_home);
  CHECK_FALSE(python("C:\\p").lost_home);
  CHECK(python("C:\\o").path == Paths{"/o/DLLs", "/o/Lib", "/p", "/p/Lib/site-packages"});
  CHECK_FALSE(python("C:\\o").lost_home);
  CHECK(python("C:\\none").lost_home);
  CHECK(python("C:\\absent").lost_home);
  CHECK(python("C:\\none").interpreter == "/p/python.exe");
  world.add({"/p/python311.zip"});
  CHECK_FALSE(python("C:\\none").lost_home);
}
