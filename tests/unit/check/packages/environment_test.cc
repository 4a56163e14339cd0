// What pip records of an environment, and what is there.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

const std::string env_site = "/venv/lib/python3.11/site-packages/";

TestWorld environment() {
  TestWorld world;
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file("/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
  world.files.add_file(env_site + "one/__init__.py", "");
  world.files.add_file(env_site + "one-1.0.dist-info/METADATA", "Name: one\nVersion: 1.0\nRequires-Dist: two<2\n");
  world.files.add_file(env_site + "two/__init__.py", "");
  world.files.add_file(env_site + "two-2.1.dist-info/METADATA", "Name: two\nVersion: 2.1\n");
  return world;
}

Report ask(TestWorld& world, const std::string& module) {
  world.query.prefix = "/venv";
  return world.explain({"py:" + module});
}

TEST_CASE("a library that RECORD lists and that is missing is a finding, with the package to install again") {
  auto world = environment();
  world.files.add_file(env_site + "one-1.0.dist-info/RECORD",
                       "one/__init__.py,,\none/libgone.so.1,sha256=x,1\none/a.so.debug,,\none/gone.py,,\n");
  const auto report = ask(world, "one");
  REQUIRE(findings(report) == "CUD516 warning one\n");
  CHECK(report.findings[0].message == "one 1.0 is not complete: one/libgone.so.1 is missing");
  CHECK(report.findings[0].fixes.at(0).command ==
        "/venv/bin/python -m pip install --force-reinstall --no-deps one==1.0");
  world.files.add_file(env_site + "one/libgone.so.1", "");
  CHECK(findings(ask(world, "one")) == "");
}

TEST_CASE("a plug-in that is released together with a package, and is of another release, is a risk") {
  auto world = environment();
  const auto asked = [&](const std::string& line) {
    world.files.add_file(env_site + "one-1.0.dist-info/METADATA",
                         "Name: one\nVersion: 1.0\nProvides-Extra: gpu\nRequires-Dist: " + line + "\n");
    return ask(world, "one");
  };
  const auto report = asked("two<=1.0,>=1.0; extra == \"gpu\"");
  REQUIRE(findings(report) == "CUD515 warning one\n");
  CHECK(report.findings[0].message == "one 1.0 requires two==1.0, and two 2.1 is installed");
  CHECK(report.findings[0].fixes.at(0).command == "/venv/bin/python -m pip install two==1.0");
  CHECK(findings(asked("two<2; extra == \"gpu\"")) == "");
  CHECK(findings(asked("two>=1.0; extra == \"gpu\"")) == "");
  CHECK(findings(asked("four==1.0; extra == \"gpu\"")) == "");
}

TEST_CASE("two packages that are released in step, in builds of two kinds, are a risk") {
  const auto found = [](const std::string& vision, const std::string& torch, const std::string& library = "") {
    TestWorld world;
    world.query.prefix = "/venv";
    world.files.add_file("/venv/bin/python", "");
    for (const auto& [name, version] : {std::pair<std::string, std::string>("torchvision", vision), {"torch", torch}}) {
      world.files.add_file(env_site + name + "/__init__.py", "");
      world.files.add_file(env_site + name + "-" + version + ".dist-info/METADATA",
                           "Name: " + name + "\nVersion: " + version + "\n");
    }
    if (!library.empty()) world.files.add_file(env_site + "torch/lib/" + library, "");
    return world.explain({"py:torchvision"});
  };
  const auto report = found("0.16.2+cpu", "2.1.2+cu121");
  REQUIRE(findings(report) == "CUD515 warning torchvision\n");
  CHECK(report.findings[0].message ==
        "torchvision 0.16.2+cpu is a build for the CPU, and torch 2.1.2+cu121 one for CUDA");
  CHECK(report.findings[0].fixes.at(0).command ==
        "/venv/bin/python -m pip install --force-reinstall --no-deps torchvision==0.16.2+cu121 --extra-index-url "
        "https://download.pytorch.org/whl/cu121");
  CHECK(findings(found("0.16.2+cu118", "2.1.2+cu121")) == "");
  // A version that does not say it: what is there does, or nothing is said.
  CHECK(findings(found("0.16.2", "2.1.2+cpu")) == "");
  CHECK(findings(found("0.16.2+cpu", "2.1.2")) == "");
  CHECK(findings(found("0.16.2+cpu", "2.1.2", "libtorch_cuda.so")) == "CUD515 warning torchvision\n");
}

TEST_CASE("an import that fails names the requirement that is not met") {
  auto world = environment();
  world.files.add_file(env_site + "one/__init__.py", "import two\nimport nothing\n");
  const auto report = ask(world, "one");
  REQUIRE(findings(report) == "CUD114 error nothing\n");
  CHECK(report.headline.ends_with("; one 1.0 requires two<2, and two 2.1 is installed"));
  CHECK(report.findings[0].fixes.at(0).command == "/venv/bin/python -m pip install 'two<2'");
  // One that works is noted.
  world.files.add_file(env_site + "one/__init__.py", "import two\n");
  CHECK(findings(ask(world, "one")) == "CUD515 note one\n");
  // What does not import the other says nothing of it.
  world.files.add_file(env_site + "one/__init__.py", "");
  CHECK(findings(ask(world, "one")) == "");
}

TEST_CASE("a package that requires one release of another is a risk with any other") {
  auto world = environment();
  world.files.add_file(env_site + "one/__init__.py", "import two\n");
  const auto found = [&](const std::string& requirement) {
    world.files.add_file(env_site + "one-1.0.dist-info/METADATA",
                         "Metadata-Version: 2.1\nName: one\nVersion: 1.0\nRequires-Dist: " + requirement + "\n");
    return findings(ask(world, "one"));
  };
  CHECK(found("two==2.0") == "CUD515 warning one\n");
  CHECK(found("two==1.*") == "CUD515 note one\n");
  CHECK(found("two==2.1") == "");
}

TEST_CASE("compiled code of a package whose requirement is not met is a risk, if the import uses both") {
  auto world = environment();
  world.files.add_file(env_site + "one/__init__.py", "import two\nfrom . import core\n");
  world.files.add_file(env_site + "two/__init__.py", "from . import part\n");
  world.add(env_site + "two/part.so", {.soname = "part.so", .executable_stack = false});
  world.files.add_file(env_site + "two-2.1.dist-info/RECORD", "two/__init__.py,,\ntwo/part.so,,\n");
  world.add(env_site + "one/core.so", {.soname = "core.so", .executable_stack = false});
  world.files.add_file(env_site + "one-1.0.dist-info/RECORD", "one/__init__.py,,\none/core.so,,\n");
  const auto report = ask(world, "one");
  REQUIRE(findings(report) == "CUD515 warning one\n");
  CHECK(report.verdict == Verdict::risk);
  CHECK(report.findings[0].message == "one 1.0 requires two<2, and two 2.1 is installed");
  CHECK(commands(report.findings[0]) == "/venv/bin/python -m pip install 'two<2'\n");
  // Between compiled code and sources there is mostly none.
  world.files.add_file(env_site + "two/__init__.py", "");
  CHECK(findings(ask(world, "one")) == "CUD515 note one\n");
  world.files.add_file(env_site + "one/__init__.py", "from . import core\n");
  CHECK(findings(ask(world, "one")) == "");
}

TEST_CASE("a finding about missing libraries names the package whose directory they were in, whatever its name") {
  auto world = environment();
  world.files.add_file(env_site + "other_name-3.dist-info/METADATA", "Name: other-name\nVersion: 3\n");
  world.files.add_file(env_site + "other_name-3.dist-info/RECORD", "two/core.so,,\n");
  const auto report = ask(world, "two");
  REQUIRE(findings(report) == "CUD516 warning other-name\n");
}

}  // namespace
}  // namespace cudald
