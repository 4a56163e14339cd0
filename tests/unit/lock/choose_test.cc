#include "lock/choose.h"

#include <algorithm>

#include <doctest/doctest.h>

namespace cudald {
namespace {

LockFile lock_of(LockKind kind, std::string_view text) { return *read_lock(kind, text, nullptr); }

LockEnvironment environment(std::string python, std::string machine = "x86_64", std::set<std::string> extras = {},
                            std::set<std::string> groups = {}) {
  WheelEnvironment wheels;
  wheels.python_version = std::move(python);
  wheels.machine = std::move(machine);
  return make_lock_environment(wheels, std::move(extras), std::move(groups));
}

/// "a 1 (a-1-py3-none-any.whl), b 2".
std::string chosen(const LockFile& lock, const LockEnvironment& environment) {
  const auto packages = choose_packages(lock, environment);
  if (!packages) return packages.error().message;
  std::string text;
  for (const auto& package : packages->packages) {
    text += (text.empty() ? "" : ", ") + package.name + " " + package.version;
    if (!package.file.name.empty()) text += " (" + package.file.name + ")";
    if (package.from_source) text += " from source";
  }
  for (const auto& name : packages->misfits) text += "; no " + name;
  return text;
}

TEST_CASE("of local versions the newest is installed that fits, as pip and uv do, before better tags") {
  LockFile lock;
  LockedPackage package;
  package.name = "a";
  package.version = "1.0";
  for (const auto* name : {"a-1.0-cp311-cp311-manylinux_2_28_x86_64.whl", "a-1.0+cpu-py3-none-any.whl",
                           "a-1.0+cu121-py3-none-any.whl", "a-1.0+cu124-cp312-cp312-manylinux_2_28_x86_64.whl"}) {
    LockedFile file;
    file.name = name;
    package.wheels.push_back(file);
  }
  lock.packages.push_back(package);
  CHECK(chosen(lock, environment("3.11")) == "a 1.0+cu121 (a-1.0+cu121-py3-none-any.whl)");
  CHECK(chosen(lock, environment("3.12")) == "a 1.0+cu124 (a-1.0+cu124-cp312-cp312-manylinux_2_28_x86_64.whl)");
  lock.packages[0].wheels.resize(1);
  CHECK(chosen(lock, environment("3.11")) == "a 1.0 (a-1.0-cp311-cp311-manylinux_2_28_x86_64.whl)");
}

TEST_CASE("markers decide, and of wheels the best that fits") {
  const auto lock = lock_of(LockKind::pylock, R"(lock-version = "1.0"
[[packages]]
name = "a"
version = "1"
wheels = [{ name = "a-1-cp311-cp311-manylinux_2_17_x86_64.whl" },
  { name = "a-1-cp311-cp311-manylinux_2_28_x86_64.whl" },
  { name = "a-1-cp311-cp311-win_amd64.whl" }, { name = "a-1-cp312-cp312-manylinux_2_28_x86_64.whl" }]
[[packages]]
name = "b"
version = "2"
marker = "sys_platform == 'win32'"
[[packages]]
name = "c"
version = "3"
marker = "'gpu' in extras or 'test' in dependency_groups"
)");
  CHECK(chosen(lock, environment("3.11")) == "a 1 (a-1-cp311-cp311-manylinux_2_28_x86_64.whl)");
  auto old = environment("3.11");
  old.wheels.glibc = LibcVersion{LibcKind::glibc, 2, 26};
  CHECK(chosen(lock, old) == "a 1 (a-1-cp311-cp311-manylinux_2_17_x86_64.whl)");
  CHECK(chosen(lock, environment("3.12", "x86_64", {"GPU"})) == "a 1 (a-1-cp312-cp312-manylinux_2_28_x86_64.whl), c 3");
  CHECK(chosen(lock, environment("3.11", "aarch64", {}, {"test"})) == "a 1, c 3; no a");
  WheelEnvironment windows;
  windows.python_version = "3.11";
  windows.machine = "x86_64";
  windows.windows_tag = "win_amd64";
  CHECK(chosen(lock, make_lock_environment(windows, {}, {})) == "a 1 (a-1-cp311-cp311-win_amd64.whl), b 2");
}

constexpr std::string_view graph = R"(version = 1
[[package]]
name = "app"
version = "0"
source = { editable = "." }
dependencies = [{ name = "a" }, { name = "b", extra = ["x"] }]
[package.optional-dependencies]
gpu = [{ name = "g" }]
[package.dev-dependencies]
dev = [{ name = "d" }]
[[package]]
name = "a"
version = "1"
dependencies = [{ name = "two", version = "1", marker = "python_version < '3.12'" },
  { name = "two", version = "2", marker = "python_version >= '3.12'" }]
[[package]]
name = "b"
version = "1"
[package.optional-dependencies]
x = [{ name = "a" }]
y = [{ name = "unasked" }]
[[package]]
name = "d"
version = "1"
[[package]]
name = "g"
version = "1"
[[package]]
name = "two"
version = "1"
[[package]]
name = "two"
version = "2"
[[package]]
name = "unasked"
version = "1"
)";

TEST_CASE("of a graph what the project needs is taken, with extras and groups that are asked for") {
  const auto lock = lock_of(LockKind::uv_lock, graph);
  CHECK(chosen(lock, environment("3.11")) == "a 1, b 1, two 1");
  CHECK(chosen(lock, environment("3.12")) == "a 1, b 1, two 2");
  CHECK(chosen(lock, environment("3.11", "x86_64", {"gpu"}, {"dev"})) == "a 1, b 1, d 1, g 1, two 1");
  const auto packages = choose_packages(lock, environment("3.11"));
  REQUIRE(packages);
  CHECK(packages->packages[0].requested);
  CHECK(packages->packages[0].required_by == std::vector<std::string>{"b"});
  CHECK(packages->packages[2].required_by == std::vector<std::string>{"a"});
  CHECK(packages->left_out == 4);
}

TEST_CASE("needs that lead everywhere are followed within a limit") {
  std::string text = "version = 1\n[[package]]\nname = 'app'\nsource = { virtual = '.' }\ndependencies = [";
  constexpr int count = 3000;
  for (int i = 0; i < count; ++i) text += "{ name = 'a' },";
  text += "]\n";
  for (int i = 0; i < count; ++i) text += "[[package]]\nname = 'a'\nversion = '" + std::to_string(i) + "'\n";
  const auto packages = choose_packages(lock_of(LockKind::uv_lock, text), environment("3.11"));
  REQUIRE_FALSE(packages);
  CHECK(packages.error().code == ErrorCode::limit);
}

TEST_CASE("one package in two versions is refused, as an installer would") {
  const auto lock = lock_of(LockKind::requirements, "a==1\na==2\n");
  CHECK(chosen(lock, environment("3.11")) == "line 2: a is pinned to 1 and to 2; an installer refuses that");
  const auto apart = lock_of(LockKind::requirements, "a==1; python_version<'3.12'\na==2; python_version>='3.12'\n");
  CHECK(chosen(apart, environment("3.11")) == "a 1");
}

TEST_CASE("of conda the packages of the platform are taken") {
  const auto lock = lock_of(LockKind::conda_lock,
                            "version: 1\npackage:\n- name: a\n  version: 1\n  platform: linux-64\n"
                            "  url: https://conda.example/linux-64/a-1-h0.conda\n- name: a\n  version: 2\n"
                            "  platform: linux-aarch64\n  url: https://conda.example/linux-aarch64/a-2-h0.conda\n");
  CHECK(chosen(lock, environment("3.11")) == "a 1 (a-1-h0.conda)");
  CHECK(chosen(lock, environment("3.11", "aarch64")) == "a 2 (a-2-h0.conda)");
}

TEST_CASE("what no wheel fits is built where there is a source, else it is a misfit; two pins of one are refused") {
  const auto lock = [](const std::string& rest) {
    return lock_of(LockKind::pylock, R"(lock-version = "1.0"
[[packages]]
name = "a"
version = "1"
wheels = [{ name = "a-1-cp311-cp311-win_amd64.whl" }]
)" + rest);
  };
  CHECK(chosen(lock(""), environment("3.11")) == "a 1; no a");
  CHECK(chosen(lock("sdist = { name = \"a-1.tar.gz\" }\n"), environment("3.11")) == "a 1 from source");
  const auto twice = choose_packages(lock("[[packages]]\nname = \"a\"\nversion = \"2\"\n"), environment("3.11"));
  REQUIRE_FALSE(twice);
  CHECK(twice.error().code == ErrorCode::usage);
  CHECK(twice.error().message == "line 6: a is pinned to 1 and to 2; an installer refuses that");
  CHECK(chosen(lock("[[packages]]\nname = \"a\"\nversion = \"1\"\n"), environment("3.11")).starts_with("a 1"));
}

TEST_CASE("what is chosen keeps what the lock says of it, and default groups are asked for") {
  auto lock = lock_of(LockKind::pylock, R"(lock-version = "1.0"
default-groups = ["gpu"]
[[packages]]
name = "a"
version = "1"
marker = "'gpu' in dependency_groups"
dependencies = []
)");
  lock.packages.at(0).requested = true;
  lock.packages[0].hashes = {"12", "34"};
  const auto packages = choose_packages(lock, environment("3.11"));
  REQUIRE(packages);
  REQUIRE(packages->packages.size() == 1);
  const auto& package = packages->packages[0];
  CHECK(package.requested);
  CHECK(package.needs_known);
  CHECK(package.hashes == std::vector<std::string>{"12", "34"});
  CHECK_FALSE(package.wheels_named);
  CHECK_FALSE(package.from_source);
  CHECK(packages->left_out == 0);
  lock.packages[0].requested = false;
  CHECK_FALSE(choose_packages(lock, environment("3.11"))->packages[0].requested);
}

TEST_CASE("of an explicit list the packages of the machine are taken, whatever its system") {
  struct Row {
    std::string machine, windows_tag, taken, python_machine;
  };
  for (const Row& row : {Row{"x86_64", "", "linux-64", "x86_64"}, Row{"aarch64", "", "linux-aarch64", "aarch64"},
                         Row{"ppc64le", "", "ppc64le", "ppc64le"}, Row{"x86_64", "win_amd64", "win-64", "AMD64"},
                         Row{"aarch64", "win_arm64", "win-arm64", "ARM64"}, Row{"i686", "win32", "win-32", "x86"}}) {
    CAPTURE(row.taken);
    WheelEnvironment wheels;
    wheels.python_version = "3.11";
    wheels.machine = row.machine;
    wheels.windows_tag = row.windows_tag;
    const auto environment = make_lock_environment(wheels, {}, {});
    CHECK(environment.conda_platform == row.taken);
    CHECK(environment.markers.at("platform_machine") == row.python_machine);
    std::string text = "@EXPLICIT\n";
    for (const std::string platform : {"linux-64", "linux-aarch64", "win-64", "win-arm64", "win-32", "noarch"})
      text += "https://c.example/" + platform + "/" + platform + "-1-0.conda\n";
    const auto own = row.taken == "ppc64le" ? "" : row.taken + " 1 (" + row.taken + "-1-0.conda), ";
    CHECK(chosen(lock_of(LockKind::conda_explicit, text), environment) == own + "noarch 1 (noarch-1-0.conda)");
  }
}

TEST_CASE("of a graph without a root all is taken, extras and versions as they are asked for, and no ring is endless") {
  const auto lock = lock_of(LockKind::uv_lock, R"(version = 1
[[package]]
name = "a"
version = "1"
dependencies = [{ name = "b" }, { name = "a" }]
[package.optional-dependencies]
my-x = [{ name = "c" }]
[package.dev-dependencies]
dev = [{ name = "d", marker = "sys_platform == 'linux'" }]
[[package]]
name = "b"
version = "1"
dependencies = [{ name = "a", marker = "sys_platform == 'win32'" }]
)");
  const auto packages = choose_packages(lock, environment("3.11", "x86_64", {"My_X"}, {"dev"}));
  REQUIRE(packages);
  REQUIRE(packages->packages.size() == 2);
  CHECK(packages->packages[0].required_by.empty());  // its own wish and one of another system do not count
  CHECK(packages->packages[1].required_by == std::vector<std::string>{"a"});
  CHECK_FALSE(packages->packages[1].requested);
}

TEST_CASE("the better wheel is taken wherever it stands, and names that are none of wheels are passed over") {
  LockFile lock;
  LockedPackage package;
  package.name = "a";
  package.version = "1.0+cu121";
  for (const auto* name :
       {"no-wheel", "a-1.0+cu121-cp311-cp311-manylinux_2_28_x86_64.whl", "a-1.0+cu121-py3-none-any.whl"}) {
    LockedFile file;
    file.name = name;
    package.wheels.push_back(file);
  }
  lock.packages.push_back(package);
  const std::string best = "a 1.0+cu121 (a-1.0+cu121-cp311-cp311-manylinux_2_28_x86_64.whl)";
  CHECK(chosen(lock, environment("3.11")) == best);
  std::reverse(lock.packages[0].wheels.begin(), lock.packages[0].wheels.end());
  CHECK(chosen(lock, environment("3.11")) == best);
  lock.packages[0].wheels.resize(1);
  lock.packages[0].wheels[0].name = "no-wheel";
  CHECK(chosen(lock, environment("3.11")) == "a 1.0+cu121; no a");
  const auto packages = choose_packages(lock, environment("3.11"));
  REQUIRE(packages);
  CHECK(packages->packages[0].wheels_named);
  CHECK(packages->misfits == std::vector<std::string>{"a"});
}

TEST_CASE("a local version that was pinned stays, though the file has another one") {
  LockFile lock;
  LockedPackage package;
  package.name = "a";
  package.version = "1.0+cpu";
  LockedFile file;
  file.name = "a-1.0+cu121-py3-none-any.whl";
  package.wheels.push_back(file);
  lock.packages.push_back(package);
  CHECK(chosen(lock, environment("3.11")) == "a 1.0+cpu (a-1.0+cu121-py3-none-any.whl)");
  lock.packages[0].version = "1.0";
  CHECK(chosen(lock, environment("3.11")) == "a 1.0+cu121 (a-1.0+cu121-py3-none-any.whl)");
}

TEST_CASE("a package of conda without a file is taken without one, and one of another platform not") {
  LockFile lock;
  lock.kind = LockKind::conda_lock;
  LockedPackage package;
  package.name = "a";
  package.version = "1";
  lock.packages.push_back(package);
  package.name = "b";
  package.platform = "win-64";
  lock.packages.push_back(package);
  CHECK(chosen(lock, environment("3.11")) == "a 1");
  const auto packages = choose_packages(lock, environment("3.11"));
  REQUIRE(packages);
  CHECK(packages->left_out == 1);
  CHECK(packages->misfits.empty());
  CHECK_FALSE(packages->packages[0].wheels_named);
}

TEST_CASE("who needs a package twice requires it once, and a group counts for the project alone") {
  const auto lock = lock_of(LockKind::uv_lock, R"(version = 1
[[package]]
name = "app"
version = "0"
source = { virtual = "." }
dependencies = [{ name = "a" }]
[package.dev-dependencies]
dev = [{ name = "only-dev" }]
[[package]]
name = "a"
version = "1"
dependencies = [{ name = "b" }, { name = "b", marker = "sys_platform == 'linux'" }]
[package.dev-dependencies]
dev = [{ name = "c" }]
[[package]]
name = "b"
version = "1"
[[package]]
name = "c"
version = "1"
[[package]]
name = "only-dev"
version = "1"
)");
  CHECK(chosen(lock, environment("3.11", "x86_64", {}, {"dev"})) == "a 1, b 1, only-dev 1");
  CHECK(chosen(lock, environment("3.11", "x86_64", {}, {"other"})) == "a 1, b 1");
  const auto packages = choose_packages(lock, environment("3.11"));
  REQUIRE(packages);
  CHECK(packages->packages[1].required_by == std::vector<std::string>{"a"});
  CHECK_FALSE(packages->packages[1].requested);
  CHECK(packages->packages[0].required_by.empty());
}

TEST_CASE("names of extras count in their normal form, wherever they stand") {
  const auto lock = lock_of(LockKind::uv_lock, R"(version = 1
[[package]]
name = "app"
version = "0"
source = { virtual = "." }
dependencies = [{ name = "a", extra = ["Of_A"] }]
[package.optional-dependencies]
My_X = [{ name = "b" }]
[[package]]
name = "a"
version = "1"
[package.optional-dependencies]
of-a = [{ name = "c" }]
[[package]]
name = "b"
version = "1"
[[package]]
name = "c"
version = "1"
)");
  CHECK(chosen(lock, environment("3.11")) == "a 1, c 1");
  CHECK(chosen(lock, environment("3.11", "x86_64", {"my-X"})) == "a 1, b 1, c 1");
  CHECK(chosen(lock, environment("3.11", "x86_64", {"my"})) == "a 1, c 1");
}

TEST_CASE("two million needs are followed, and not one more") {
  LockFile lock;
  lock.is_graph = true;
  LockedPackage root;
  root.name = "app";
  root.is_root = true;
  LockedNeed need;
  need.name = "a";
  root.needs.assign(2000, need);
  lock.packages.push_back(root);
  LockedPackage package;
  package.name = "a";
  package.version = "1";
  for (int i = 0; i < 1000; ++i) lock.packages.push_back(package);
  CHECK(chosen(lock, environment("3.11")) == "a 1");
  package.name = "b";
  lock.packages.push_back(package);
  need.name = "b";
  lock.packages[0].needs.push_back(need);
  const auto packages = choose_packages(lock, environment("3.11"));
  REQUIRE_FALSE(packages);
  CHECK(packages.error().code == ErrorCode::limit);
}

TEST_CASE("each field of a package that is chosen is that of the lock") {
  LockFile lock;
  LockedPackage package;
  package.name = "a";
  package.version = "1";
  LockedFile file;
  file.name = "a-1-py3-none-any.whl";
  file.url = "https://x/a-1-py3-none-any.whl";
  file.path = "w/a";
  file.sha256 = "12";
  file.size = 7;
  file.has_metadata = true;
  file.metadata_sha256 = "34";
  package.wheels = {file};
  package.from_source = true;
  lock.packages.push_back(package);
  const auto packages = choose_packages(lock, environment("3.11"));
  REQUIRE(packages);
  REQUIRE(packages->packages.size() == 1);
  const auto& taken = packages->packages[0];
  CHECK(taken.file.url == file.url);
  CHECK(taken.file.path == file.path);
  CHECK(taken.file.sha256 == "12");
  CHECK(taken.file.size == 7);
  CHECK(taken.file.has_metadata);
  CHECK(taken.file.metadata_sha256 == "34");
  CHECK(taken.wheels_named);
  CHECK_FALSE(taken.from_source);  // the wheel goes before the source
  CHECK_FALSE(taken.needs_known);
  CHECK_FALSE(taken.requested);
  CHECK(packages->misfits.empty());
}

}  // namespace
}  // namespace cudald
