// What fails behind the first error of an import, as if that were mended.

#include "session/next_failures.h"

#include <doctest/doctest.h>

#include <cudald/session.h>

#include "unit/session/python_world.h"

namespace cudald {
namespace {

/// Of `import app`: the first command that is offered, and what is said of the next error.
std::string foreseen(const std::string& code, bool fixes = true) {
  auto world = world_with_python();
  world.files.add_file("/venv/bin/python", elf(program({})), {.executable = true});
  const auto add_package = [&](const std::string& name, const std::string& version, const std::string& text) {
    const auto info = name + "-" + version + ".dist-info/";
    world.files.add_file(python_packages + name + "/__init__.py", text);
    world.files.add_file(python_packages + info + "METADATA", "Name: " + name + "\nVersion: " + version + "\n");
    world.files.add_file(python_packages + info + "RECORD", name + "/__init__.py,,\n");
  };
  add_package("app", "1.0", code);
  add_package("two", "3.0", "x = 1\n");
  world.query.targets = {"py:app"};
  world.query.fixes = fixes;
  const auto report = Session(world.files).explain(world.query);
  REQUIRE(report.findings.size() == 1);
  const auto& finding = report.findings[0];
  std::string text = finding.fixes.empty() ? "none" : finding.fixes[0].command;
  for (const auto& evidence : finding.evidence)
    if (evidence.text.starts_with("once ")) text += " | " + evidence.text;
  return text;
}

TEST_CASE("modules that are missing one behind the other come into one command") {
  CHECK(foreseen("import absent\nimport yaml\n") ==
        "/venv/bin/python -m pip install absent pyyaml | once that is fixed, the next error is "
        "ModuleNotFoundError: No module named 'yaml'");
  CHECK(foreseen("import absent\n") == "/venv/bin/python -m pip install absent");
  CHECK(foreseen("import a1\nimport a2\nimport a3\n") ==
        "/venv/bin/python -m pip install a1 a2 a3 | once that is fixed, the next error is ModuleNotFoundError: No "
        "module named 'a2', then ModuleNotFoundError: No module named 'a3'");
  std::string many;
  for (char c = 'a'; c < 'k'; ++c) many += std::string("import absent_") + c + "\n";
  CHECK(foreseen(many).find("absent_g |") != std::string::npos);  // up to a number
}

TEST_CASE("what is known of a missing module is nothing, so that no error of it is foreseen") {
  CHECK(foreseen("import absent\nabsent.x.y()\nfrom absent import z\nif absent.z: import other\n") ==
        "/venv/bin/python -m pip install absent");
}

TEST_CASE("of a missing package the newest release comes, which may have lost a name") {
  const std::string bounded = "/venv/bin/python -m pip install 'jax<0.4.24' 'jaxlib<0.4.24' | once that is fixed, ";
  CHECK(foreseen("import jax\njax.linear_util\n") ==
        bounded + "the next error is AttributeError: module 'jax' has no attribute 'linear_util'");
  CHECK(foreseen("from jax import linear_util\n") ==
        bounded + "the next error is ImportError: cannot import name 'linear_util' from 'jax'");
  CHECK(foreseen("import jax\nimport jax.linear_util\n") ==
        bounded + "the next error is ModuleNotFoundError: No module named 'jax.linear_util'");
  CHECK(foreseen("import jax\ntry: jax.linear_util\nexcept AttributeError: pass\n") ==
        "/venv/bin/python -m pip install jax");
}

TEST_CASE("the next error is said though nothing is known that mends it") {
  CHECK(foreseen("import absent\nraise ValueError('so')\n") ==
        "/venv/bin/python -m pip install absent | once that is fixed, the next error is ValueError: so");
}

TEST_CASE("what an error of another kind hides is not foreseen") {
  CHECK(foreseen("raise ValueError('so')\nimport absent\n") == "none");
  CHECK(foreseen("try: import absent\nexcept ImportError: raise\n") == "/venv/bin/python -m pip install absent");
}

TEST_CASE("where nobody reads fixes nothing is asked again") {
  CHECK(foreseen("import a\nimport b\n", false) == "/venv/bin/python -m pip install a");
}

}  // namespace
}  // namespace cudald
