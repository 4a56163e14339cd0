#include "session/deployment.h"

#include <doctest/doctest.h>

#include "common/wheel_file.h"
#include "common/world.h"

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

}  // namespace
}  // namespace cudald
