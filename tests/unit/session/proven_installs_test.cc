// Commands that install packages are tried with the wheels of an index, which is made here.

#include "session/proven_installs.h"

#include <doctest/doctest.h>

#include <cudald/session.h>

#include "unit/session/made_index.h"
#include "unit/session/python_world.h"

namespace cudald {
namespace {

/// What is offered where app asks two 3.0 for a name that it lacks: "title | command\n" for each.
std::string offered(std::vector<MadeWheel> wheels, const std::string& third = "") {
  auto world = world_with_python();
  const auto add_package = [&](const std::string& name, const std::string& version, const std::string& code) {
    const auto info = name + "-" + version + ".dist-info/";
    world.files.add_file(python_packages + name + "/__init__.py", code);
    world.files.add_file(python_packages + info + "METADATA", "Name: " + name + "\nVersion: " + version + "\n");
    world.files.add_file(python_packages + info + "RECORD",
                         name + "/__init__.py,,\n" + info + "METADATA,,\n" + info + "RECORD,,\n");
  };
  add_package("app", "1.0", "from two import gone\n");
  add_package("two", "3.0", "");
  if (!third.empty()) add_package("third", "1.0", "");
  if (!third.empty())
    world.files.add_file(python_packages + "third-1.0.dist-info/METADATA", "Name: third\nVersion: 1.0\n" + third);
  MadeIndex index(world.files, std::move(wheels));
  world.query.targets = {"py:app"};
  Session session(world.files);
  session.try_installs_from(index);
  const auto report = session.explain(world.query);
  REQUIRE(report.verdict == Verdict::fails);
  CHECK(report.releases == TriedReleases::tried);
  CHECK(Session(world.files).explain(world.query).releases == TriedReleases::not_yet);
  std::string text;
  for (const auto& fix : report.findings.at(0).fixes)
    text += fix.title + " | " + fix.command +
            (fix.side_effect.find("met") < fix.side_effect.size() ? " | " + fix.side_effect : "") + "\n";
  return text;
}

TEST_CASE("what makes the import work comes first, and says with which release") {
  const auto text = offered({{"app", "1.0", {{"app/__init__.py", "from two import gone\n"}}, ""},
                             {"two", "2.5", {{"two/__init__.py", "gone = 1\n"}}, ""},
                             {"two", "3.0", {{"two/__init__.py", ""}}, ""}});
  CHECK(text == "use an earlier two: with two 2.5 the import works | pip install 'two<3.0'\n");
}

TEST_CASE("what another package then lacks is said") {
  const std::vector<MadeWheel> wheels{{"app", "1.0", {{"app/__init__.py", "from two import gone\n"}}, ""},
                                      {"two", "2.5", {{"two/__init__.py", "gone = 1\n"}}, ""}};
  const std::string fix = "use an earlier two: with two 2.5 the import works | pip install 'two<3.0'";
  CHECK(offered(wheels, "Requires-Dist: two>=2\n") == fix + "\n");
  CHECK(offered(wheels, "Requires-Dist: two>=3\n")
            .starts_with(fix + " | third 1.0 requires two>=3, which is not met then\n"));
}

TEST_CASE("of a package whose series before lacks it as well, an earlier one is taken") {
  const auto text = offered({{"app", "1.0", {{"app/__init__.py", "from two import gone\n"}}, ""},
                             {"two", "2.1", {{"two/__init__.py", "gone = 1\n"}}, ""},
                             {"two", "2.5", {{"two/__init__.py", ""}}, ""},
                             {"two", "3.0", {{"two/__init__.py", ""}}, ""}});
  CHECK(text == "use an earlier two: with two 2.1 the import works | pip install 'two<2.5'\n");
}

TEST_CASE("what fails next is helped by the commands behind") {
  const auto text = offered({{"app", "1.0", {{"app/__init__.py", "from two import gone\n"}}, ""},
                             {"two", "2.5", {{"two/__init__.py", "import third\ngone = 1\n"}}, ""},
                             {"two", "3.0", {{"two/__init__.py", ""}}, ""},
                             {"third", "1.0", {{"third/__init__.py", ""}}, ""}});
  CHECK(text ==
        "use an earlier two: with third 1.0, two 2.5 the import works | pip install 'two<3.0'\n"
        "/venv/bin/python3.11 -m pip install third\n");
}

TEST_CASE("where no one command helps, the releases of the time of the package that asks are tried") {
  const std::string app = "from two import gone\n", requires_two = "Requires-Dist: two\n";
  std::vector<MadeWheel> wheels{{"app", "1.0", {{"app/__init__.py", app}}, requires_two, "2021-03-01T10:00:00Z"},
                                {"two", "1.0", {{"two/__init__.py", "gone = 1\n"}}, "", "2021-01-01T10:00:00Z"}};
  for (const auto* version : {"2.0", "2.1", "2.2", "2.3", "2.4", "2.5", "3.0"})
    wheels.push_back({"two", version, {{"two/__init__.py", ""}}, "", "2022-01-01T10:00:00Z"});
  const auto text = offered(wheels);
  CHECK(
      text.starts_with("use the releases of the time of app 1.0, 2021-03-01: with two 1.0 the import works | "
                       "pip install two==1.0\n"));
  wheels[0].uploaded.clear();
  CHECK(offered(wheels).find("of the time") == std::string::npos);
}

TEST_CASE("what is not on the index is offered as before, and what leaves the error is not") {
  const std::string earlier = "if two 3.0 has removed it, use an earlier two | pip install 'two<3.0'\n";
  CHECK(offered({}) ==
        "use newer releases of app and two, which go together | pip install --upgrade app two\n" + earlier);
  CHECK(offered({{"app", "1.0", {{"app/__init__.py", "from two import gone\n"}}, ""},
                 {"two", "3.0", {{"two/__init__.py", ""}}, ""}}) == earlier);
}

}  // namespace
}  // namespace cudald
