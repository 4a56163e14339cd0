// Where else on the machine a library lies that is not found: evidence of CUD101 and 102.

#include <algorithm>
#include <optional>
#include <utility>

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

/// What is said of a program that needs libx.so.1, in a world with more files.
std::string told_of_files(const std::vector<std::string>& files, const std::string& program_path = "/bin/app",
                          std::optional<std::string> prefix = std::nullopt) {
  TestWorld world;
  world.query.prefix = std::move(prefix);
  world.files.add_symlink("/venv/lib64", "lib");
  world.add(program_path, program({.needed = {"libx.so.1"}}));
  for (const auto& file : files) world.add(file, {.soname = "libx.so.1"});
  const auto report = world.explain({program_path});
  REQUIRE(report.findings.size() == 1);
  std::string places;
  for (const auto& evidence : report.findings[0].evidence)
    if (evidence.text.starts_with("is in") || evidence.text.starts_with("found instead:"))
      places += evidence.path + "\n";
  return places;
}

TEST_CASE("a library is looked for beside what is loaded, in environments and in toolkits, and nowhere else") {
  const std::string site = "/venv/lib/python3.11/site-packages/", module = site + "pkg/app";
  CHECK(told_of_files({"/bin/libx.so.1"}) == "/bin/libx.so.1\n");
  for (const std::string place : {"/usr/local/cuda-12.4/lib64/", "/usr/local/cuda/lib/",
                                  "/usr/local/cuda/targets/x86_64-linux/lib/", "/usr/local/lib/", "/usr/local/lib64/"})
    CHECK(told_of_files({place + "libx.so.1"}) == place + "libx.so.1\n");
  for (const std::string& place :
       {std::string("/venv/lib/"), site, site + "other/", site + "other/lib/", site + "nvidia/x/lib/"}) {
    CAPTURE(place);
    CHECK(told_of_files({place + "libx.so.1"}, module) == place + "libx.so.1\n");
    CHECK(told_of_files({place + "libx.so.1"}) == "");
  }
  for (const std::string place : {"/srv/lib/", "/home/me/lib/"}) CHECK(told_of_files({place + "libx.so.1"}) == "");
}

TEST_CASE("where distributions name one library differently, a link helps, beside the program if /usr is sealed") {
  const auto missing = [](const std::string& there, const std::string& more = "/x") {
    TestWorld world;
    world.add("/opt/app/x", program({.runpath = "/opt/app", .needed = {"libbz2.so.1.0"}}));
    world.add("/usr/lib/" + there, {.soname = there});
    world.files.add_file("/etc/os-release", "ID=fedora\n");
    world.files.add_file(more, "");
    return world.explain({"/opt/app/x"}).findings.at(0);
  };
  CHECK(missing("libbz2.so.1").code == "CUD101");
  CHECK(missing("libbz2.so.1").message.ends_with("the library is installed under the name libbz2.so.1"));
  CHECK(missing("libbz2.so.1").fixes.at(0).command.starts_with("sudo ln -s libbz2.so.1 /usr/lib/libbz2.so.1.0"));
  CHECK(missing("libbz2.so.1", "/sysroot/ostree/repo/config").fixes.at(0).command ==
        "ln -s /usr/lib/libbz2.so.1 /opt/app/libbz2.so.1.0");
  CHECK(missing("libbz2.so.2").code == "CUD102");
}

TEST_CASE("what no package has is looked for below /opt and /usr/local, but not among headers and sources") {
  for (const std::string place : {"/opt/", "/opt/intel/oneapi/compiler/2023.1.0/linux/compiler/lib/intel64_lin/",
                                  "/usr/local/cuda/lib32/", "/usr/local/my-cuda/lib64/"})
    CHECK(told_of_files({place + "libx.so.1"}) == place + "libx.so.1\n");
  for (const std::string place : {"/opt/x/src/", "/opt/x/y.d/"}) CHECK(told_of_files({place + "libx.so.1"}) == "");
}

TEST_CASE("a library that Debian has renamed for a time_t of 64 bits is the same") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libx.so.1"}}));
  world.add("/usr/local/lib/libx.so.1t64", {.soname = "libx.so.1t64"});
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD101 error app: libx.so.1\n");
  CHECK(commands(report.findings[0]).find("ln -s libx.so.1t64 /usr/local/lib/libx.so.1") != std::string::npos);
}

TEST_CASE("a folder of packages without an environment around it is known by NVIDIA's packages") {
  CHECK(told_of_files({"/target/nvidia/x/lib/libx.so.1"}, "/target/pkg/app") == "/target/nvidia/x/lib/libx.so.1\n");
  CHECK(told_of_files({"/target/other/x/lib/libx.so.1"}, "/target/pkg/app") == "");
}

TEST_CASE("the exact name comes before the soname, that before another version; one file is told once") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libx.so.1"}}));
  world.add("/bin/libx.so.2", {.soname = "libx.so.2"});
  world.add("/bin/libx.so.1.5", {.soname = "libx.so.1"});
  world.add("/usr/local/cuda/lib64/libx.so.1", {});
  world.files.add_hard_link("/bin/libx.so.1.6", "/bin/libx.so.1.5");
  world.add("/bin/libxy.so.1", {});
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD101 error app: libx.so.1\n");
  CHECK(in_full(report) ==
        R"(CUD101 | error | /bin/app | libx.so.1
  libx.so.1 is on this machine (/usr/local/cuda/lib64), but not in a directory the loader searches
  - is in /usr/local/cuda/lib64/libx.so.1 (soname none) | /usr/local/cuda/lib64/libx.so.1 | proven
  - found instead: /bin/libx.so.1.5 (soname libx.so.1) | /bin/libx.so.1.5 | proven
  - found instead: /bin/libx.so.2 (soname libx.so.2) | /bin/libx.so.2 | proven
  = The program does not start: libx.so.1: cannot open shared object file: No such file or directory
  > for this shell only | export LD_LIBRARY_PATH=/usr/local/cuda/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} | every )"
        R"(program started from it then prefers the libraries in that directory
  > for this file only | patchelf --add-rpath '$ORIGIN/../usr/local/cuda/lib64' /bin/app
)");
  std::string places;
  for (const auto& evidence : report.findings[0].evidence) places += evidence.text + "\n";
  CHECK(places ==
        "is in /usr/local/cuda/lib64/libx.so.1 (soname none)\n"
        "found instead: /bin/libx.so.1.5 (soname libx.so.1)\n"
        "found instead: /bin/libx.so.2 (soname libx.so.2)\n");
}

TEST_CASE("of many places four are told") {
  std::vector<std::string> files;
  for (const std::string version : {"12.1", "12.2", "12.3", "12.4", "12.5"})
    files.push_back("/usr/local/cuda-" + version + "/lib64/libx.so.1");
  const auto told = told_of_files(files);
  CHECK(std::count(told.begin(), told.end(), '\n') == 4);
}

TEST_CASE("of a library that a package is known to have its directory is looked into, however deep it lies") {
  TestWorld world;
  world.query.prefix = "/venv";
  const std::string folder = "/venv/lib/python3.11/site-packages/nvidia/cuda_nvcc/nvvm/lib64";
  world.add("/bin/app", program({.needed = {"libnvvm.so"}}));
  world.add(folder + "/libnvvm.so", {.soname = "libnvvm.so.4"});
  const auto report = world.explain({"/bin/app"});
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].message.find(folder) != std::string::npos);
}

TEST_CASE("a file for another machine is shown and is no substitute") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libx.so.1"}}));
  world.add("/usr/local/cuda/lib64/libx.so.1", {.machine = EM_AARCH64});
  const auto report = world.explain({"/bin/app"});
  REQUIRE(report.findings.size() == 1);
  CHECK(says(report.findings[0], "is in /usr/local/cuda/lib64/libx.so.1 (for aarch64"));
  for (const auto& fix : report.findings[0].fixes) CHECK(fix.command.find("/usr/local/cuda") == std::string::npos);
}

TEST_CASE("the environment that was named is looked into for what lies in none, and no other for what lies in one") {
  const std::string in_other = "/other/lib/python3.11/site-packages/pkg/app",
                    site = "/venv/lib/python3.11/site-packages/";
  for (const std::string& place : {std::string("/venv/lib/"), site + "nvidia/x/lib/"}) {
    CAPTURE(place);
    CHECK(told_of_files({place + "libx.so.1"}, "/opt/app", "/venv") == place + "libx.so.1\n");
    CHECK(told_of_files({place + "libx.so.1"}, "/opt/app") == "");
    CHECK(told_of_files({place + "libx.so.1"}, in_other, "/venv") == "");
  }
  CHECK(told_of_files({"/other/lib/libx.so.1"}, in_other, "/venv") == "/other/lib/libx.so.1\n");
  for (const std::string place : {"pkg-1.dist-info/", "nvidia/x/lib64/", "nvidia/x/y/lib/", "a/b/"})
    CHECK_MESSAGE(told_of_files({site + place + "libx.so.1"}, site + "pkg/app") == "", place);
}

TEST_CASE("what counts as a library of that name, and what of it could be loaded") {
  CHECK(told_of_files({"/bin/libx.so"}) == "/bin/libx.so\n");  // its soname is libx.so.1
  CHECK(told_of_files({"/bin/libx.so.2"}) == "/bin/libx.so.2\n");
  CHECK(told_of_files({"/bin/libx.so.1.0"}) == "/bin/libx.so.1.0\n");
  CHECK(told_of_files({"/bin/libx.so1"}) == "");
  CHECK(told_of_files({"/bin/liby.so.1"}) == "");
}

TEST_CASE("a library under its name for linking alone is given the name of its soname") {
  TestWorld world;
  world.add("/app/server", program({.runpath = "$ORIGIN", .needed = {"libm.so.0"}}));
  world.add("/app/libm.so", {.soname = "libm.so.0"});
  CHECK(commands(world.explain({"/app/server"}).findings.at(0)) == "ln -s libm.so /app/libm.so.0\n");
  world.add("/app/libm.so", {.soname = "libm.so.1"});
  CHECK_FALSE(says(world.explain({"/app/server"}).findings.at(0), "ln -s"));
}

TEST_CASE("a tree with directories as those of the system is searched below the program") {
  for (const std::string folder :
       {"/snap/x/1/usr/lib/x86_64-linux-gnu", "/snap/x/1/lib/x86_64-linux-gnu", "/snap/x/1/usr/lib"}) {
    TestWorld world;
    world.add("/snap/x/1/app", program({.needed = {"libq.so.1"}}));
    world.add(folder + "/libq.so.1", {.soname = "libq.so.1"});
    CHECK(says(world.explain({"/snap/x/1/app"}).findings.at(0), "export LD_LIBRARY_PATH=" + folder));
  }
}

TEST_CASE("what is unpacked as a whole is searched beside and below the program's libraries") {
  for (const std::string folder : {"/srv/julia/lib", "/srv/julia/lib64", "/srv/julia/lib/julia"}) {
    TestWorld world;
    world.add("/srv/julia/bin/julia", program({}));
    world.add("/home/me/libh.so", {.needed = {"libblas64_.so.0"}});
    world.add(folder + "/libblas64_.so.0", {.soname = "libblas64_.so.0"});
    world.query.dlopens = {{"/home/me/libh.so"}};
    CHECK(says(world.explain({"/srv/julia/bin/julia"}).findings.at(0), "export LD_LIBRARY_PATH=" + folder));
  }
}

TEST_CASE("below /opt a library counts under the name for linking and under all of its number, if it is that one") {
  const auto told = [](const std::string& file, const std::string& soname) {
    TestWorld world;
    world.add("/usr/bin/tool", program({.needed = {"libx.so.3"}}));
    world.add("/opt/vendor/lib/" + file, {.soname = soname});
    return commands(world.explain({"/usr/bin/tool"}).findings.at(0));
  };
  const std::string path = "export LD_LIBRARY_PATH=/opt/vendor/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\n";
  CHECK(told("libx.so", "libx.so.3").starts_with("sudo ln -s libx.so /opt/vendor/lib/libx.so.3\n" + path));
  CHECK(told("libx.so.3.1", "libx.so.3").starts_with("sudo ln -s libx.so.3.1 /opt/vendor/lib/libx.so.3\n" + path));
  CHECK(told("libx.so", "libx.so.4").find("/opt/vendor") == std::string::npos);
}

TEST_CASE("a library elsewhere in the tree that the program lies in is found, not one in all that a user has") {
  const std::string sdk = "/home/u/src/sdk/";
  CHECK(told_of_files({sdk + "binaries/linux/libx.so.1"}, sdk + "samples/c/recognizer") ==
        sdk + "binaries/linux/libx.so.1\n");
  CHECK(told_of_files({sdk + "binaries/linux/libx.so.1"}, sdk + "samples/a/b/c/recognizer") == "");
  CHECK(told_of_files({"/home/u/other/far/libx.so.1"}, "/home/u/bin/app") == "");
}

TEST_CASE("a release in the name before the ending is another version of the library") {
  const auto told = [](const std::string& other, const std::string& os) {
    TestWorld world;
    world.add("/usr/bin/ctl", program({.runpath = "/usr/lib/own", .needed = {"libown-247.so"}}));
    world.add("/usr/lib/own/" + other, {.soname = other});
    world.files.add_file("/etc/os-release", os);
    const auto report = world.explain({"/usr/bin/ctl"});
    REQUIRE(report.findings.size() == 1);
    return std::string(report.findings[0].code) + " " + commands(report.findings[0]);
  };
  CHECK(told("libown-248.so", "ID=debian\n") ==
        "CUD102 sudo apt install --reinstall $(dpkg -S /usr/bin/ctl | cut -d: -f1)\n");
  CHECK(told("libown-248.so", "ID=fedora\n").starts_with("CUD102 sudo dnf reinstall $(rpm -qf /usr/bin/ctl)\n"));
  CHECK(told("libown-248.so", "ID=opensuse\n")
            .starts_with("CUD102 sudo zypper install --force $(rpm -qf /usr/bin/ctl)\n"));
  CHECK(told("libown-248.so", "ID=arch\n") == "CUD102 sudo pacman -S $(pacman -Qqo /usr/bin/ctl)\n");
  CHECK(told("libown-248.so", "ID=alpine\n").starts_with("CUD102 apk fix $(apk info -qW /usr/bin/ctl)\n"));
  for (const std::string other : {"libown.so", "libown-x.so", "libowner-248.so", "libown248.so"})
    CHECK(told(other, "ID=debian\n").starts_with("CUD101"));
}

TEST_CASE("what users install for themselves is found in the directory of who asks, or in a tree in each one's") {
  const auto told = [](const std::string& path, bool in_tree) {
    TestWorld world;
    if (in_tree)
      world.query.sysroot = "/tree";
    else
      world.set("HOME", "/home/u");
    world.add("/usr/lib64/R/sf.so", {.needed = {"libx.so.20"}});
    world.add(path, {.soname = "libx.so.20"});
    if (path.find("conda") != std::string::npos) world.files.add_file("/home/u/miniconda3/conda-meta/history", "");
    return commands(world.explain({"/usr/lib64/R/sf.so"}).findings.at(0));
  };
  const auto path = [](const std::string& folder) {
    return "export LD_LIBRARY_PATH=" + folder + "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\n";
  };
  CHECK(told("/home/u/x/lib/libx.so.20", false).starts_with(path("/home/u/x/lib")));
  CHECK(told("/home/u/.local/lib/libx.so.20", false).starts_with(path("/home/u/.local/lib")));
  CHECK(told("/home/other/x/lib64/libx.so.20", true).starts_with(path("/home/other/x/lib64")));
  CHECK(told("/home/other/x/lib64/libx.so.20", false).find("/home/other") == std::string::npos);
  CHECK(told("/home/u/miniconda3/lib/libx.so.20", false).find("/home/u") == std::string::npos);
}

TEST_CASE("a program of the system has libraries in a directory of its name") {
  CHECK(told_of_files({"/usr/lib64/dark/libx.so.1"}, "/usr/bin/dark") == "/usr/lib64/dark/libx.so.1\n");
  CHECK(told_of_files({"/usr/lib64/other/libx.so.1"}, "/usr/bin/dark") == "");
}

}  // namespace
}  // namespace cudald
