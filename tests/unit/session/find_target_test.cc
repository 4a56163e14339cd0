#include <cerrno>

#include <doctest/doctest.h>

#include "common/world.h"

namespace cudald {
namespace {

/// The path of the first object that a target leads to, or the reason why there is none.
std::string found(TestWorld& world, const std::string& target) {
  const auto report = world.explain({target});
  if (report.resolution.objects.empty()) return outcome(report);
  return report.resolution.objects.front().path + "\n";
}

TEST_CASE("a target with a slash is a path; one without is looked for") {
  TestWorld world;
  world.query.environment.cwd = "/here";
  world.set("PATH", "/usr/bin::/bin");
  for (const std::string path : {"/here/app", "/here/sub/app", "/bin/app", "/bin/tool", "/here/libx.so"})
    world.files.add_file(path, elf(program({})), {.executable = true});
  world.files.add_file("/usr/bin/tool", "no program", {.executable = false});
  world.add("/lib/liby.so", {});
  world.add("/usr/bin/libz.so", {});
  struct Row {
    std::string target, path;
  };
  const Row rows[] = {
      {"/bin/app", "/bin/app\n"},    {"./app", "/here/app\n"}, {"sub/app", "/here/sub/app\n"},
      {"app", "/here/app\n"},        {"tool", "/bin/tool\n"},  {"libx.so", "/here/libx.so\n"},
      {"liby.so", "/lib/liby.so\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.target);
    CHECK(found(world, row.target) == row.path);
  }
  // Libraries are no programs: PATH is not asked for them.
  CHECK(found(world, "libz.so").starts_with("unreadable: not found: no file, library or module of that name"));
  CHECK(found(world, "none").starts_with("unreadable: not found: no file, library or module of that name"));
  CHECK(found(world, "./none") == "unreadable: No such file or directory\n");
}

TEST_CASE("a bare library name is found as a loader would find it, the word size included") {
  TestWorld world;
  world.set("LD_LIBRARY_PATH", "/env32:/env");
  world.add("/env32/libx.so", {.is_64 = false, .machine = EM_386});
  world.add("/env/libx.so", {});
  CHECK(found(world, "libx.so") == "/env/libx.so\n");
}

TEST_CASE("names are looked for in an environment where wheels put libraries and modules") {
  TestWorld world;
  world.query.prefix = "/venv";
  const std::string packages = "/venv/lib/python3.11/site-packages/";
  const std::string places[] = {
      "_fast.cpython-311-x86_64-linux-gnu.so",
      "_abi.abi3.so",
      "_plain.so",
      "libtop.so",
      "torch/libtorch.so",
      "torch/lib/libc10.so",
      "numpy.libs/libopenblas.so.0",
      "nvidia/cudnn/lib/libcudnn.so.9",
  };
  for (const auto& place : places) world.add(packages + place, {});
  world.add(packages + "_fastest.so", {});
  struct Row {
    std::string target, place;
  };
  const Row libraries[] = {
      {"libtop.so", places[3]},        {"libtorch.so", places[4]},   {"libc10.so", places[5]},
      {"libopenblas.so.0", places[6]}, {"libcudnn.so.9", places[7]},
  };
  for (const Row& row : libraries) {
    CAPTURE(row.target);
    CHECK(found(world, row.target) == packages + row.place + "\n");
  }
  // Modules are imported: into a neutral process, as no interpreter is there.
  const Row modules[] = {{"_fast", places[0]}, {"_abi", places[1]}, {"_plain", places[2]}, {"py:_fast", places[0]}};
  for (const Row& row : modules) {
    CAPTURE(row.target);
    const auto report = world.explain({row.target});
    const auto& resolution = report.resolution;
    CHECK(resolution.objects.back().path == packages + row.place);
    REQUIRE(resolution.imports.size() == 1);
    const auto& target = resolution.targets[resolution.imports.front().target];
    CHECK(target.given == row.target);
    CHECK(target.kind == TargetKind::import);
    CHECK(target.error == "");
    CHECK(resolution.targets.back().part_of == resolution.imports.front().target);
  }
  world.files.add_file("/venv/bin/tool", elf(program({})), {.executable = true});
  CHECK(found(world, "tool") == "/venv/bin/tool\n");
  CHECK(found(world, "_fas").ends_with("/venv has no module or package of that name; did you mean `_fast`?\n"));
}

TEST_CASE("what looks like a place of wheels and is none, or is no file, is passed over") {
  TestWorld world;
  world.query.prefix = "/venv";
  const std::string first = "/venv/lib/python3.11/site-packages/", second = "/venv/lib64/python3.11/site-packages/";
  world.files.add_file(first + "nvidia", "no directory");
  world.files.add_folder(first + "libfolder.so");
  world.add(second + "libfolder.so", {});
  world.add(second + "nvidia/cudnn/lib/libcudnn.so.9", {});
  world.add(second + "pkg/lib64/libdeep.so", {});
  world.add(second + "pkg/inner/lib/libdeeper.so", {});
  CHECK(found(world, "libcudnn.so.9") == second + "nvidia/cudnn/lib/libcudnn.so.9\n");
  CHECK(found(world, "libfolder.so") == second + "libfolder.so\n");
  CHECK(found(world, "libdeep.so") == second + "pkg/lib64/libdeep.so\n");
  CHECK(found(world, "libdeeper.so").starts_with("unreadable: not found: no file, library or module of that name"));
  world.files.close_folder(first.substr(0, first.size() - 1));
  CHECK(found(world, "libcudnn.so.9") == second + "nvidia/cudnn/lib/libcudnn.so.9\n");
}

TEST_CASE("on PATH only files are programs that may be executed") {
  TestWorld world;
  world.files.add_folder("/first/tool");
  world.files.add_file("/second/tool", elf(program({})));
  world.files.add_file("/here/third/tool", elf(program({})), {.executable = true});
  world.query.environment.cwd = "/here";
  world.set("PATH", "/none:/first:/second:third");
  CHECK(found(world, "tool") == "/here/third/tool\n");
}

}  // namespace
}  // namespace cudald
