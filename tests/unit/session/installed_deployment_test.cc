#include "session/installed_deployment.h"

#include <doctest/doctest.h>

#include "common/world.h"

namespace cudald {
namespace {

const std::string env_site = "/env/lib/python3.11/site-packages/";

void install(TestWorld& world, const std::string& name, const std::string& version, const std::string& metadata = "",
             const std::string& record = "") {
  const auto folder = env_site + name + "-" + version + ".dist-info/";
  world.files.add_file(folder + "METADATA", "Name: " + name + "\nVersion: " + version + "\n" + metadata);
  world.files.add_file(folder + "RECORD", record);
}

TestWorld environment_world() {
  TestWorld world;
  world.files.add_file("/env/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
  world.files.add_file("/env/bin/python3.11", elf({}));
  world.files.add_file("/usr/bin/python3.11", elf({}));
  world.files.add_file("/usr/lib/python3.11/os.py", "");
  return world;
}

TEST_CASE("an environment is known by what made it") {
  auto world = environment_world();
  world.files.add_file("/conda/conda-meta/history", "");
  CHECK(is_environment("/env", world.files));
  CHECK(is_environment("/conda", world.files));
  CHECK_FALSE(is_environment("/usr", world.files));
  CHECK_FALSE(plan_installed("/usr/lib", world.files, nullptr));
}

TEST_CASE("what is installed is a deployment: who requires whom, what is missing, what of CUDA it is") {
  auto world = environment_world();
  install(world, "app", "1.0",
          "Requires-Dist: nvidia-cuda-runtime-cu12\nRequires-Dist: gone>=2\nRequires-Dist: x; extra == 'y'\n",
          "app/__init__.py,,10\napp/libx.so.1,sha256=abc,90\n../../../bin/app,,5\n");
  install(world, "nvidia_cuda_runtime_cu12", "12.8.90", "",
          "nvidia/cuda_runtime/lib/libcudart.so.12,sha256=abc,700000\n");
  install(world, "other", "2.0");
  install(world, "pip", "23.0");
  const auto plan = plan_installed("/env", world.files, nullptr);
  REQUIRE(plan);
  CHECK(plan->kind == "environment");
  CHECK(plan->python == "3.11");
  REQUIRE(plan->packages.size() == 4);
  const auto& app = plan->packages[0];
  CHECK(app.state == LockedState::read);
  CHECK(app.top_level);
  CHECK(app.size == 105);
  CHECK(app.missing == std::vector<std::string>{"gone>=2"});
  REQUIRE(app.libraries.size() == 1);
  CHECK(app.libraries[0].name == "libx.so.1");
  CHECK(app.libraries[0].folder == "app");
  const auto& runtime = plan->packages[1];
  CHECK(runtime.required_by == std::vector<std::string>{"app"});
  CHECK(runtime.cuda.release == "12.8");
  CHECK(runtime.cuda.is_part);
  CHECK_FALSE(plan->packages[3].top_level);
  CHECK(plan->asked == std::vector<std::size_t>{0, 2});
  const auto queries = installed_queries(*plan, "/env", {});
  REQUIRE(queries.size() == 3);
  CHECK(queries[0].targets == std::vector<std::string>{"app"});
  CHECK(queries[2].targets == std::vector<std::string>{"app", "other"});
  CHECK(queries[2].prefix == "/env");
}

TEST_CASE("a copy of an environment of Windows is one as well") {
  TestWorld world;
  world.files.add_file("/copy/pyvenv.cfg", "home = C:\\Python311\nversion = 3.11.5\n");
  world.files.add_file("/copy/Scripts/python.exe", "");
  const std::string site = "/copy/Lib/site-packages/";
  world.files.add_file(site + "app-1.0.dist-info/METADATA",
                       "Name: app\nVersion: 1.0\nRequires-Dist: gone; sys_platform == 'win32'\n"
                       "Requires-Dist: uvloop; sys_platform != 'win32'\nRequires-Dist: nvidia-cuda-runtime-cu12\n");
  world.files.add_file(site + "app-1.0.dist-info/RECORD", "app/_C.pyd,,10\napp/lib/X.DLL,,20\napp/libx.so,,5\n");
  const auto runtime = site + "nvidia_cuda_runtime_cu12-12.8.90.dist-info/";
  world.files.add_file(runtime + "METADATA", "Name: nvidia-cuda-runtime-cu12\nVersion: 12.8.90\n");
  world.files.add_file(runtime + "RECORD", "nvidia/cuda_runtime/bin/cudart64_12.dll,,7\n");
  const auto plan = plan_installed("/copy", world.files, nullptr);
  REQUIRE(plan);
  CHECK(plan->windows);
  CHECK(plan->platform == "windows-x86_64");
  CHECK(plan->python == "3.11");
  REQUIRE(plan->packages.size() == 2);
  const auto& app = plan->packages[0];
  CHECK(app.missing == std::vector<std::string>{"gone"});
  REQUIRE(app.libraries.size() == 2);
  CHECK(app.libraries[1].name == "X.DLL");
  CHECK(plan->packages[1].cuda.release == "12.8");
  const auto queries = installed_queries(*plan, "/copy", {});
  REQUIRE(queries.size() == 1);
  CHECK(queries[0].windows == true);
  world.files.add_file("/empty/pyvenv.cfg", "home = C:\\Python311\n");
  CHECK_FALSE(plan_installed("/empty", world.files, nullptr));
}

TEST_CASE("of an environment each distribution counts once, by what it has put there, and installers are not asked") {
  auto world = environment_world();
  install(world, "app", "1.0",
          "Requires-Dist: app[extra]\nRequires-Dist: @\nRequires-Dist: lib<2\nRequires-Dist: pip\n"
          "Requires-Dist: x; sys_platform == 'win32'\n",
          "app/a.py,,1\napp/a.so,,20\napp/x.so.1.2,,300\n../../outside.so,,4000\napp/a.sox,,50000\napp/b,,\n"
          "top.so,,600000\n");
  install(world, "app", "2.0");
  for (const auto* name : {"lib", "pip", "setuptools", "wheel", "Wheels"}) install(world, name, "1");
  world.files.add_folder(env_site + "nothing-1.dist-info");
  world.files.add_file(env_site + "bare-1.dist-info/METADATA", "Name: bare\nVersion: 3\n");
  const auto plan = plan_installed("/env", world.files, nullptr);
  REQUIRE(plan);
  CHECK(plan->platform == "linux-x86_64");
  CHECK_FALSE(plan->windows);
  std::string told;
  for (const auto& package : plan->packages)
    told += package.name + " " + package.version + (package.top_level ? " top " : " ") + std::to_string(package.size) +
            "\n";
  CHECK(told == "wheels 1 top 0\napp 1.0 top 654321\nbare 3 top 0\nlib 1 0\npip 1 0\nsetuptools 1 0\nwheel 1 0\n");
  const auto& app = plan->packages.at(1);
  std::string libraries;
  for (const auto& library : app.libraries) libraries += library.folder + "/" + library.name + " ";
  CHECK(libraries == "app/a.so app/x.so.1.2 /top.so ");
  CHECK(app.required_by.empty());
  CHECK(app.missing.empty());
  CHECK(plan->packages.at(3).required_by == std::vector<std::string>{"app"});
  CHECK(plan->asked == std::vector<std::size_t>{0, 1, 2});
  Query like;
  like.windows = true;
  like.targets = {};
  const auto queries = installed_queries(*plan, "/env", like);
  REQUIRE(queries.size() == 4);
  CHECK(queries[1].targets == std::vector<std::string>{"app"});
  CHECK(queries[3].targets == std::vector<std::string>{"wheels", "app", "bare"});
  CHECK(queries[3].windows == true);
}

TEST_CASE("a package whose METADATA cannot be read is one by its folder and RECORD; a remnant is none") {
  auto world = environment_world();
  world.files.add_special(env_site + "my_pipe-1.0.dist-info/METADATA");
  world.files.add_file(env_site + "my_pipe-1.0.dist-info/RECORD", "my_pipe.py,,10\n");
  world.files.add_file(env_site + "closed-2.0.dist-info/METADATA", "Name: closed\n", {.readable = false});
  world.files.add_file(env_site + "closed-2.0.dist-info/RECORD", "");
  world.files.add_file(env_site + "remnant-3.0.dist-info/INSTALLER", "pip\n");
  world.files.add_file(env_site + "~alf-4.0.dist-info/RECORD", "");
  world.files.add_file(env_site + "unversioned.dist-info/RECORD", "");
  const auto plan = plan_installed("/env", world.files, nullptr);
  REQUIRE(plan);
  std::string found;
  for (const auto& package : plan->packages) found += package.name + " " + package.version + "\n";
  CHECK(found == "closed 2.0\nmy-pipe 1.0\n");
}

TEST_CASE("an environment with nothing but installers, or nothing at all, asks nothing") {
  auto world = environment_world();
  const auto empty = plan_installed("/env", world.files, nullptr);
  REQUIRE(empty);
  CHECK(empty->packages.empty());
  CHECK(installed_queries(*empty, "/env", {}).empty());
  install(world, "pip", "1");
  const auto plan = plan_installed("/env", world.files, nullptr);
  REQUIRE(plan);
  CHECK(plan->packages.size() == 1);
  CHECK(installed_queries(*plan, "/env", {}).empty());
  CHECK_FALSE(plan_installed("/none", world.files, nullptr));
}

}  // namespace
}  // namespace cudald
