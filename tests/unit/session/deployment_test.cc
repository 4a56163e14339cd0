#include "session/deployment.h"

#include <doctest/doctest.h>

#include "common/wheel_file.h"
#include "common/world.h"
#include "unit/archive/tar_builder.h"

namespace cudald {
namespace {

/// The plan for a requirements file beside a folder of wheels.
Deployment plan(const std::string& requirements, const TestWorld& world, const std::string& python = "3.11") {
  const auto lock = read_lock(LockKind::requirements, requirements, nullptr);
  REQUIRE(lock);
  DeploymentWish wish;
  wish.wheels.python_version = python;
  wish.wheels.machine = "x86_64";
  wish.folders = {"/wheels"};
  wish.lock_folder = "/src";
  auto deployment = plan_deployment(*lock, wish, world.files, nullptr);
  REQUIRE(deployment);
  return std::move(*deployment);
}

/// "app read top, dep declared".
std::string told(const Deployment& deployment) {
  std::string text;
  for (const auto& package : deployment.packages) {
    text += (text.empty() ? "" : ", ") + package.name + " " + std::string(to_string(package.state));
    if (package.top_level) text += " top";
  }
  return text;
}

void add_wheel(TestWorld& world, const std::string& path, const std::string& metadata = "") {
  world.files.add_file(path, wheel_file({{"pkg/__init__.py", ""}, {"pkg/libx.so.1", elf({})}}, metadata));
}

TEST_CASE("a local version tells the CUDA of a build, and that the file has to name an index") {
  TestWorld world;
  const auto labels = plan("torch==2.7.1+cu126\nflash-attn==2.7.4+cu12torch2.6\njaxlib==0.4.1+cpu\nplain==1\n", world);
  REQUIRE(labels.packages.size() == 4);
  const auto of = [&](const std::string& name) {
    for (const auto& package : labels.packages)
      if (package.name == name) return package.cuda.release + (package.without_index ? " without" : "");
    return std::string("none");
  };
  CHECK(of("torch") == "12.6 without");
  CHECK(of("flash-attn") == "12 without");
  CHECK(of("jaxlib") == " without");
  CHECK(of("plain") == "");
  const auto indexed = plan("--extra-index-url https://example.org/cu126\ntorch==2.7.1+cu126\n", world);
  CHECK_FALSE(indexed.packages.at(0).without_index);
}

TEST_CASE("a wheel at hand is taken by name, version and tags; of others the tables tell") {
  TestWorld world;
  add_wheel(world, "/wheels/app-1.0-cp311-cp311-manylinux_2_28_x86_64.whl",
            "Requires-Dist: nvidia-cuda-runtime-cu12\nRequires-Dist: gone>=2\nRequires-Dist: other; extra == 'x'\n");
  add_wheel(world, "/wheels/app-1.1-cp311-cp311-manylinux_2_28_x86_64.whl");
  const auto deployment = plan("app==1.0\nnvidia-cuda-runtime-cu12==12.8.90\nunheard-of==1\n", world);
  CHECK(told(deployment) == "app read top, nvidia-cuda-runtime-cu12 declared, unheard-of unknown top");
  const auto& app = deployment.packages[0];
  CHECK(app.archive == "/wheels/app-1.0-cp311-cp311-manylinux_2_28_x86_64.whl");
  CHECK(app.missing == std::vector<std::string>{"gone>=2"});
  REQUIRE(app.libraries.size() == 1);
  CHECK(app.libraries[0].name == "libx.so.1");
  CHECK(app.libraries[0].folder == "pkg");
  const auto& runtime = deployment.packages[1];
  CHECK(runtime.required_by == std::vector<std::string>{"app"});
  CHECK(runtime.cuda.release == "12.8");
  CHECK(runtime.cuda.is_part);
  CHECK(told(plan("app==1.0\n", world, "3.12")) == "app unknown top");
}

TEST_CASE("of wheels at hand whose local versions a pin leaves open the newest is taken, as pip does") {
  TestWorld world;
  for (const auto* local : {"", "+cpu", "+cu118", "+cu121"})
    add_wheel(world, std::string("/wheels/app-1.0") + local + "-py3-none-any.whl");
  add_wheel(world, "/wheels/app-1.0.1+cu128-py3-none-any.whl");
  CHECK(plan("app==1.0\n", world).packages[0].archive == "/wheels/app-1.0+cu121-py3-none-any.whl");
  CHECK(plan("app==1.0+cpu\n", world).packages[0].archive == "/wheels/app-1.0+cpu-py3-none-any.whl");
}

TEST_CASE("what a wheel requires that cannot be read is told by the index, unless that contradicts itself") {
  LockFile lock;
  for (const auto* name : {"app", "dep"}) {
    LockedPackage package;
    package.name = name;
    package.version = "1.0";
    const auto file = std::string(name) + "-1.0-py3-none-any.whl";
    package.wheels.push_back({file, "https://files.example/" + file, "", "", 0, package.name == "app"});
    lock.packages.push_back(package);
  }
  const TestWorld world;
  DeploymentWish wish;
  wish.wheels.python_version = "3.11";
  wish.wheels.machine = "x86_64";
  std::vector<std::string> asked;
  wish.jobs = 1;
  wish.metadata = [&](const LockedFile& file) -> Result<std::string> {
    asked.push_back(file.url);
    return std::string("Name: app\nRequires-Dist: dep\nRequires-Dist: gone>=2\n");
  };
  const auto known = plan_deployment(lock, wish, world.files, nullptr);
  REQUIRE(known);
  CHECK(asked == std::vector<std::string>{"https://files.example/app-1.0-py3-none-any.whl"});
  CHECK(known->packages[1].required_by == std::vector<std::string>{"app"});
  CHECK(known->packages[0].missing == std::vector<std::string>{"gone>=2"});
  wish.metadata = [&](const LockedFile&) -> Result<std::string> { return Error{ErrorCode::malformed, "another hash"}; };
  const auto refused = plan_deployment(lock, wish, world.files, nullptr);
  REQUIRE(refused);
  CHECK(refused->packages[1].required_by.empty());
  CHECK(refused->notes == std::vector<std::string>{"app-1.0-py3-none-any.whl.metadata: another hash"});
}

TEST_CASE("what frameworks are built for is known by their releases") {
  TestWorld world;
  const auto deployment = plan("torch==2.9.1\nnvidia-cudnn-cu12==9.10.2.21\nnvidia-cudnn-frontend==1.0\n", world);
  CHECK(deployment.packages[0].cuda.release == "12.8");
  CHECK(deployment.packages[0].cuda.needs_gpu);
  CHECK(deployment.packages[1].cuda.cudnn == "9.10.2.21");
  CHECK(deployment.packages[2].cuda.cudnn == "");
  CHECK(deployment.packages[1].cuda.release == "12");
  CHECK(deployment.packages[1].cuda.source == "the package's name and version");
  CHECK(deployment.packages[2].cuda.release == "");
  CHECK(deployment.packages[2].cuda.source == "");
  // What torch requires is known without its wheel.
  CHECK(deployment.packages[1].required_by == std::vector<std::string>{"torch"});
  CHECK(deployment.packages[0].missing.empty());
}

TEST_CASE("without a Python that is stated, the one is taken for which wheels are at hand") {
  TestWorld world;
  add_wheel(world, "/wheels/app-1.0-cp310-cp310-manylinux_2_28_x86_64.whl");
  CHECK(plan("app==1.0\n", world, "").python == "3.10");
  CHECK(plan("six==1.16\n", world, "").python == "3.12");
}

TEST_CASE("each top-level package that was read is asked alone, and all in one process") {
  TestWorld world;
  for (const auto* name : {"a", "b"}) add_wheel(world, std::string("/wheels/") + name + "-1-py3-none-any.whl");
  add_wheel(world, "/wheels/c-1-py3-none-any.whl", "Requires-Dist: d\n");
  add_wheel(world, "/wheels/d-1-py3-none-any.whl");
  const auto queries = deployment_queries(plan("a==1\nb==1\nc==1\nd==1\ne==1\n", world), {});
  REQUIRE(queries.size() == 4);
  CHECK(queries[0].targets == std::vector<std::string>{"/wheels/a-1-py3-none-any.whl"});
  CHECK(queries[3].targets.size() == 3);
  // One environment: the files of what is asked about count for more, whichever of it is asked.
  REQUIRE(queries[0].packages.size() == 4);
  CHECK(queries[0].packages[0] == "/wheels/d-1-py3-none-any.whl");
  CHECK(queries[0].packages[1] == "/wheels/a-1-py3-none-any.whl");
  CHECK(queries[0].packages == queries[1].packages);
  CHECK(queries[0].packages == queries[3].packages);
  REQUIRE(queries[3].lock);
  REQUIRE(queries[3].lock->size() == 1);
  CHECK(queries[3].lock->front().name == "e");
  CHECK(queries[3].world == WorldKind::tag);
  CHECK(queries[3].windows == false);
  CHECK(queries[3].python == "3.11");
  Query like;
  like.world = WorldKind::here;
  like.windows = true;
  like.extras = {"x"};
  const auto stated = deployment_queries(plan("a==1\n", world), like);
  REQUIRE(stated.size() == 1);
  CHECK(stated[0].world == WorldKind::here);
  CHECK(stated[0].windows == true);
  CHECK(stated[0].extras.empty());
  CHECK(deployment_queries(plan("a==1\n", world), {}).size() == 1);
  CHECK(deployment_queries(plan("e==1\n", world), {}).empty());
}

TEST_CASE("a package whose wheels are all for others is a misfit, unless it lies beside them") {
  const std::string lock = R"(lock-version = "1.0"
[[packages]]
name = "app"
version = "1.0"
wheels = [{ name = "app-1.0-cp311-cp311-win_amd64.whl" }]
[[packages]]
name = "dep"
version = "2"
wheels = [{ name = "dep-2-py3-none-any.whl" }]
)";
  TestWorld world;
  add_wheel(world, "/wheels/dep-2-py3-none-any.whl");
  const auto planned = [&] {
    DeploymentWish wish;
    wish.wheels.python_version = "3.11";
    wish.wheels.machine = "x86_64";
    wish.folders = {"/wheels"};
    wish.lock_folder = "/src";
    return told(*plan_deployment(*read_lock(LockKind::pylock, lock, nullptr), wish, world.files, nullptr));
  };
  CHECK(planned() == "app misfit top, dep read top");
}

LockedPackage locked(const std::string& name, const std::vector<LockedFile>& wheels, bool from_source = false) {
  LockedPackage package;
  package.name = name;
  package.version = "1.0";
  package.wheels = wheels;
  package.from_source = from_source;
  return package;
}

DeploymentWish wish_for(const std::string& python) {
  DeploymentWish wish;
  wish.wheels.python_version = python;
  wish.wheels.machine = "x86_64";
  wish.folders = {"/wheels", "/none"};
  wish.lock_folder = "/src";
  wish.jobs = 1;
  return wish;
}

Deployment planned(const LockFile& lock, const TestWorld& world, const DeploymentWish& wish = wish_for("3.11")) {
  auto deployment = plan_deployment(lock, wish, world.files, nullptr);
  REQUIRE(deployment);
  return std::move(*deployment);
}

TEST_CASE("the Python is that of the wish, of the lock, or the first that it allows and most of it is for") {
  const TestWorld world;
  LockFile lock;
  lock.packages = {locked("a", {{"a-1.0-py3-none-any.whl", "", "", "", 0}})};
  const auto python = [&](const std::string& wished = "") { return planned(lock, world, wish_for(wished)).python; };
  CHECK(python() == "3.12");
  lock.requires_python = ">=3.13";
  CHECK(python() == "3.13");
  lock.requires_python = "<3.12";
  CHECK(python() == "3.11");
  lock.requires_python = "<3.6";
  CHECK(python() == "3.12");
  lock.python = "3.9";
  CHECK(python() == "3.9");
  CHECK(python("3.10") == "3.10");
  lock.python = lock.requires_python = "";
  lock.packages.push_back(locked("b", {{"b-1.0-cp310-cp310-linux_x86_64.whl", "", "", "", 0}}));
  CHECK(python() == "3.10");
  TestWorld with_wheel;
  add_wheel(with_wheel, "/wheels/a-1.0-cp311-cp311-linux_x86_64.whl");
  CHECK(planned(lock, with_wheel, wish_for("")).python == "3.10");  // what does not fit counts for more
}

TEST_CASE("a lock that pins a package twice is an error, whatever is at hand") {
  LockFile lock;
  lock.packages = {locked("a", {}), locked("a", {})};
  lock.packages[1].version = "2.0";
  const TestWorld world;
  const auto plan = plan_deployment(lock, wish_for("3.11"), world.files, nullptr);
  REQUIRE_FALSE(plan);
  CHECK(plan.error().code == ErrorCode::usage);
  CHECK(plan.error().message == "a is pinned to 1.0 and to 2.0; an installer refuses that");
}

TEST_CASE("a wheel lies in a folder, where the lock says, or where its address leads") {
  TestWorld world;
  add_wheel(world, "/src/links/a-1.0-py3-none-any.whl");
  add_wheel(world, "/src/sub/b-1.0-py3-none-any.whl");
  add_wheel(world, "/files/c-1.0-py3-none-any.whl");
  add_wheel(world, "/remote/d-1.0-py3-none-any.whl");
  world.files.add_file("/wheels/bad.whl", "");
  world.files.add_file("/src/broken-1.0-py3-none-any.whl", "<!DOCTYPE html>");
  LockFile lock;
  lock.find_links = {"links"};
  const auto file = [](const std::string& name, const std::string& url, const std::string& path) {
    return LockedFile{name + "-1.0-py3-none-any.whl", url, path, name + "-hash", 7};
  };
  lock.packages = {locked("a", {}),
                   locked("b", {file("b", "https://h/b", "sub/b-1.0-py3-none-any.whl")}),
                   locked("c", {file("c", "file:///files/c-1.0-py3-none-any.whl", "")}),
                   locked("d", {file("d", "https://h/d", "")}),
                   locked("e", {file("e", "ftp://h/e", "")}),
                   locked("f", {file("f", "", "f.tar.gz")}),
                   locked("broken", {file("broken", "", "broken-1.0-py3-none-any.whl")})};
  std::string log;
  auto wish = wish_for("3.11");
  wish.reach = [&](const LockedFile& given) {
    log += given.url + " ";
    return "/remote/" + given.name;
  };
  wish.reached = [&log] { log += "reached"; };
  const auto plan = planned(lock, world, wish);
  CHECK(log == "https://h/d reached");
  CHECK(told(plan) ==
        "a read top, b read top, c read top, d read top, e unknown top, f unknown top, broken unknown top");
  std::string archives;
  for (const auto& package : plan.packages) archives += package.archive + " ";
  CHECK(archives ==
        "/src/links/a-1.0-py3-none-any.whl /src/sub/b-1.0-py3-none-any.whl /files/c-1.0-py3-none-any.whl "
        "/remote/d-1.0-py3-none-any.whl    ");
  CHECK(plan.notes == std::vector<std::string>{"broken-1.0-py3-none-any.whl: is not a zip archive"});
  CHECK(plan.packages[4].url == "ftp://h/e");
  CHECK(plan.packages[4].sha256 == "e-hash");
  CHECK(plan.packages[4].size == 7);
  CHECK(plan.packages[4].file == "e-1.0-py3-none-any.whl");
  CHECK(plan.packages[3].size == world.files.status("/remote/d-1.0-py3-none-any.whl")->size);
  CHECK(plan.platform == "linux-x86_64");
  CHECK(plan.kind == name_of(LockKind::requirements));
  wish.reach = nullptr;
  CHECK(planned(lock, world, wish).packages[3].state == LockedState::unknown);
}

TEST_CASE("what an installer would build is source, and what lies beside a lock's misfits is read") {
  TestWorld world;
  add_wheel(world, "/wheels/beside-1.0-py3-none-any.whl");
  const LockedFile other{"x-1.0-cp39-cp39-win_amd64.whl", "", "", "", 0};
  LockFile lock;
  lock.packages = {locked("nvidia-cuda-runtime-cu12", {}, true), locked("beside", {other}), locked("gone", {other})};
  const auto plan = planned(lock, world);
  CHECK(told(plan) == "nvidia-cuda-runtime-cu12 source, beside read top, gone misfit top");
  CHECK(plan.packages[0].libraries.empty());
  CHECK(plan.packages[0].cuda.is_part);
}

TEST_CASE("an index is asked for what a wheel requires only where it has that beside a wheel that is not at hand") {
  TestWorld world;
  add_wheel(world, "/wheels/read-1.0-py3-none-any.whl");
  LockFile lock;
  const auto file = [](const std::string& name, const std::string& url, bool has_metadata) {
    return std::vector<LockedFile>{{name + "-1.0-py3-none-any.whl", url, "", "", 0, has_metadata}};
  };
  lock.packages = {locked("read", file("read", "https://h/read", true)), locked("a", file("a", "", true)),
                   locked("b", file("b", "https://h/b", false)), locked("c", file("c", "https://h/c", true))};
  std::string asked;
  auto wish = wish_for("3.11");
  wish.metadata = [&](const LockedFile& given) -> Result<std::string> {
    asked += given.url;
    return std::string(
        "Requires-Dist: a\nRequires-Dist: @\nRequires-Dist: c\nRequires-Dist: a>0\n"
        "Requires-Dist: b; sys_platform == 'win32'\n");
  };
  const auto plan = planned(lock, world, wish);
  CHECK(asked == "https://h/c");
  CHECK(told(plan) == "read read top, a unknown, b unknown top, c unknown top");
  CHECK(plan.packages[1].required_by == std::vector<std::string>{"c"});
  CHECK(plan.packages[3].required_by.empty());
}

TEST_CASE("what a lock says of a package's needs is all of it") {
  const TestWorld world;
  LockFile lock;
  lock.packages = {locked("torch", {}), locked("nvidia-cudnn-cu12", {})};
  lock.packages[0].version = "2.9.1";
  CHECK(planned(lock, world).packages[1].required_by == std::vector<std::string>{"torch"});
  lock.packages[0].needs_known = true;
  CHECK(planned(lock, world).packages[1].required_by.empty());
}

TEST_CASE("a package that somebody asked for by its name is asked about, though another requires it") {
  const TestWorld world;
  LockFile lock;
  lock.packages = {locked("a", {}), locked("b", {}), locked("c", {}), locked("nvidia-cuda-runtime-cu12", {})};
  lock.packages[0].needs = {{"b", "", "", {}, "", ""}, {"c", "", "", {}, "", ""}};
  lock.packages[1].requested = lock.packages[3].requested = true;
  CHECK(told(planned(lock, world)) == "a unknown top, b unknown top, c unknown, nvidia-cuda-runtime-cu12 declared");
  lock.packages = {locked("nvidia-cuda-runtime-cu12", {})};  // none is left, so that all count
  CHECK(told(planned(lock, world)) == "nvidia-cuda-runtime-cu12 declared top");
}

TEST_CASE("what NVIDIA's packages are is in their names and versions, and in their files") {
  struct Row {
    std::string name, version;
    bool has_library;
    std::string release, cudnn;
    bool is_part;
  };
  for (const auto& row :
       {Row{"nvidia-cuda-runtime-cu12", "12.8.90", false, "12.8", "", true},
        Row{"nvidia-cuda-runtime", "13", false, "13", "", true},
        Row{"nvidia-cublas-cu11", "11.1", false, "11", "", true}, Row{"nvidia-cudnn", "9.1", false, "", "9.1", false},
        Row{"nvidia-cudnn", "9.1", true, "", "9.1", true}, Row{"nvidia-other", "1", true, "", "", true},
        Row{"nvidia-other", "1", false, "", "", false}, Row{"nvidia-custom", "1", false, "", "", false},
        Row{"other-cu12", "1", true, "", "", false}}) {
    CAPTURE(row.name);
    Deployment plan;
    DeployedPackage package;
    package.name = row.name;
    package.version = row.version;
    if (row.has_library) package.libraries = {{"libx.so", "x"}};
    know_cuda(package, plan);
    CHECK(package.cuda.release == row.release);
    CHECK(package.cuda.cudnn == row.cudnn);
    CHECK(package.cuda.is_part == row.is_part);
    CHECK(package.cuda.source == (row.release.empty() && row.cudnn.empty() ? "" : "the package's name and version"));
    CHECK_FALSE(package.cuda.needs_gpu);
  }
}

TEST_CASE("a plan for Windows says so, and asks about Windows") {
  TestWorld world;
  add_wheel(world, "/wheels/a-1.0-cp311-cp311-win_amd64.whl");
  LockFile lock;
  lock.packages = {locked("a", {})};
  auto wish = wish_for("3.11");
  wish.wheels.windows_tag = "win_amd64";
  const auto plan = planned(lock, world, wish);
  CHECK(plan.windows);
  CHECK(plan.platform == "windows-x86_64");
  const auto queries = deployment_queries(plan, {});
  REQUIRE(queries.size() == 1);
  CHECK(queries[0].windows == true);
}

TEST_CASE("a lock of conda is read by its packages, and knows its parts of CUDA by their names") {
  TestWorld world;
  const auto conda = [](const std::string& name, const std::string& depends) {
    return tar_of(
        {{.name = "info/index.json", .data = R"({"name":")" + name + R"(","version":"1","depends":)" + depends + "}"},
         {.name = "lib/libx.so", .data = "x"}});
  };
  world.files.add_file("/wheels/app-1.0-h_0.tar.bz2",
                       conda("app", R"(["__glibc >=2.17","cuda-cudart","gone >=2 build","My_Lib 1",""])"));
  LockFile lock;
  lock.kind = LockKind::conda_explicit;
  lock.packages = {locked("app", {{"app-1.0-h_0.tar.bz2", "", "", "", 0}})};
  for (const auto& [name, version] : {std::pair{"cuda-cudart", "12.4.127"},
                                      {"cudatoolkit", "11.8.0"},
                                      {"cudnn", "8.9.7"},
                                      {"libcublas", "12.4"},
                                      {"my-lib", "1"}}) {
    lock.packages.push_back(locked(name, {}));
    lock.packages.back().version = version;
  }
  for (const auto kind : {LockKind::conda_explicit, LockKind::conda_lock}) {
    lock.kind = kind;
    const auto plan = planned(lock, world);
    std::string text;
    for (const auto& package : plan.packages)
      text += package.name + " " + std::string(to_string(package.state)) + " " + package.cuda.release + " " +
              package.cuda.cudnn + " " + (package.cuda.is_part ? "part " : "") + package.cuda.source + "\n";
    CHECK(text ==
          "app read   \ncuda-cudart unknown 12.4  part the package's name and version\n"
          "cudatoolkit unknown 11.8  part the package's name and version\n"
          "cudnn unknown  8.9.7 part the package's name and version\nlibcublas unknown   part \nmy-lib unknown   \n");
    CHECK(plan.packages[0].missing == std::vector<std::string>{"gone >=2"});
    CHECK(plan.packages[1].required_by == std::vector<std::string>{"app"});
    CHECK(plan.packages[5].required_by == std::vector<std::string>{"app"});
    CHECK(plan.packages[0].libraries.at(0).name == "libx.so");
  }
}

}  // namespace
}  // namespace cudald
