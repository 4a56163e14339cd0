// What pip would leave in an environment, with wheels of an index that is made here.

#include "session/tried_installation.h"

#include <doctest/doctest.h>

#include "base/path.h"
#include "common/memory_file_system.h"
#include "package/dist_info.h"
#include "unit/session/made_index.h"

namespace cudald {
namespace {

const std::string site = "/venv/lib/python3.11/site-packages";

/// An environment with two 3.0, which requires helper, and a module of its own.
void add_environment(MemoryFileSystem& files, const std::string& requires_dist) {
  files.add_file(site + "/two-3.0.dist-info/METADATA", "Name: two\nVersion: 3.0\n" + requires_dist);
  files.add_file(site + "/two-3.0.dist-info/RECORD",
                 "two/__init__.py,,\ntwo/late.py,,\ntwo-3.0.dist-info/METADATA,,\n"
                 "two-3.0.dist-info/RECORD,,\n");
  files.add_file(site + "/two/__init__.py", "");
  files.add_file(site + "/two/late.py", "");
  files.add_file(site + "/two/__pycache__/late.cpython-311.pyc", "");
  files.add_file(site + "/own.py", "");
}

/// "two 2.5, helper 1.0" after an installation; "unknown".
std::string installed_by(const std::string& words, ChangedTree& tree, TriedInstallation& installation) {
  std::vector<std::string> list;
  for (const auto word : split(words, " ")) list.emplace_back(word);
  const auto request = install_request(list);
  if (!request || !installation.install(*request, tree)) return "unknown";
  std::string text;
  for (const auto& [name, version] : installation.installed())
    text += (text.empty() ? "" : ", ") + name + " " + version;
  return text;
}

struct Trial {
  explicit Trial(std::vector<MadeWheel> wheels, const std::string& requires_dist = "Requires-Dist: helper\n")
      : index(files, std::move(wheels)) {
    add_environment(files, requires_dist);
  }

  std::string install(const std::string& words) { return installed_by(words, tree, installation); }

  MemoryFileSystem files;
  MadeIndex index;
  TriedInstallation installation{
      files, index, {site, {.python_version = "3.11", .machine = "x86_64"}, linux_marker_values("3.11", "x86_64")}};
  ChangedTree tree{installation.wheels()};
};

TEST_CASE("an earlier release takes the place of the one that is there, with all its files") {
  Trial trial({{"two", "2.5", {{"two/__init__.py", "x = 1\n"}, {"two/early.py", ""}}, ""},
               {"two", "3.0", {{"two/__init__.py", ""}}, ""}});
  CHECK(trial.install("two<3") == "two 2.5");
  CHECK(*read_file(trial.tree, site + "/two/__init__.py", 99) == "x = 1\n");
  CHECK(*trial.tree.list(site + "/two") == std::vector<std::string>{"__init__.py", "__pycache__", "early.py"});
  CHECK(installed_metadata(trial.tree, site, "two")->version == "2.5");
  CHECK(is_file(trial.tree, site + "/own.py"));
}

TEST_CASE("what a release requires comes along where the environment has none that it allows") {
  Trial trial(
      {{"two",
        "4.0",
        {{"two/__init__.py", ""}},
        "Requires-Dist: helper>=2\nRequires-Dist: extra; extra == 'x'\nRequires-Dist: old; python_version<'3'\n"},
       {"helper", "1.0", {{"helper.py", ""}}, ""},
       {"helper", "2.0", {{"helper.py", ""}}, "Requires-Dist: two\n"}});
  CHECK(trial.install("--upgrade two") == "helper 2.0, two 4.0");
  CHECK(is_file(trial.tree, site + "/helper.py"));
}

TEST_CASE("what is there and allowed stays, unless an upgrade is asked for") {
  Trial trial({{"two", "3.1", {{"two/__init__.py", ""}}, ""}});
  CHECK(trial.install("two>=3") == "");
  CHECK(trial.install("--upgrade two") == "two 3.1");
  Trial again({{"two", "3.0", {{"two/__init__.py", "new"}}, ""}, {"two", "3.1", {}, ""}});
  CHECK(again.install("--force-reinstall --no-deps two") == "two 3.0");
  CHECK(*read_file(again.tree, site + "/two/__init__.py", 9) == "new");
}

TEST_CASE("what is asked for beside a release comes in one that allows it, though another is there") {
  std::vector<MadeWheel> wheels{{"helper", "1.9", {{"helper.py", ""}}, ""}};
  for (const auto* version : {"2.8", "2.9", "3.0"})
    wheels.push_back({"two",
                      version,
                      {{"two/__init__.py", ""}},
                      std::string("Requires-Dist: helper") + (version == std::string("2.8") ? "" : ">=2") + "\n"});
  Trial trial(wheels);
  CHECK(trial.install("helper<2") == "helper 1.9");
  CHECK(trial.install("helper<2 two") == "helper 1.9");  // the two that is there allows it
  Trial newer(wheels, "Requires-Dist: helper>=2\n");
  CHECK(newer.install("helper<2") == "helper 1.9");
  Trial both(wheels, "Requires-Dist: helper>=2\n");
  CHECK(both.install("helper<2 two") == "helper 1.9, two 2.8");
  wheels.erase(wheels.begin() + 1);
  Trial none(wheels, "Requires-Dist: helper>=2\n");
  CHECK(none.install("helper<2 two") == "unknown");
}

TEST_CASE("of a release that a later command replaces nothing is left") {
  Trial trial({{"two", "3.1", {{"two/__init__.py", ""}, {"two/new.py", ""}}, ""},
               {"two", "2.5", {{"two/__init__.py", "x = 1\n"}}, ""}});
  CHECK(trial.install("--upgrade two") == "two 3.1");
  CHECK(trial.install("two<3") == "two 2.5");
  CHECK(*read_file(trial.tree, site + "/two/__init__.py", 99) == "x = 1\n");
  CHECK_FALSE(is_file(trial.tree, site + "/two/new.py"));
  CHECK(installed_metadata(trial.tree, site, "two")->version == "2.5");
}

TEST_CASE("what is not known is not tried") {
  CHECK(Trial({}).install("two<3") == "unknown");                                             // no such project
  CHECK(Trial({{"two", "2.0", {}, "Requires-Dist: none\n"}}).install("two<3") == "unknown");  // nor what it requires
  CHECK(Trial({{"two", "2.0", {}, ""}}).install("two<2") == "unknown");                       // no release fits
  CHECK(Trial({{"two", "2.0", {}, "Requires-Dist: h<1\n"}, {"h", "0.5", {}, "Requires-Dist: two>2\n"}})
            .install("two<3") == "unknown");  // two requirements exclude each other
  using Words = std::vector<std::string>;
  for (const auto& words : {Words{"--index-url", "http://x", "two"}, Words{"two", "--pre"}, Words{"./two"},
                            Words{"git+https://x/two"}, Words{"-r", "x.txt"}, Words{}})
    CHECK_FALSE(install_request(words));
}

TEST_CASE("an uninstalled package leaves no directory") {
  Trial trial({});
  CHECK(trial.installation.uninstall("two", trial.tree));
  CHECK_FALSE(trial.tree.status(site + "/two"));
  CHECK(*trial.tree.list(site) == std::vector<std::string>{"own.py"});
  CHECK_FALSE(trial.installation.uninstall("two", trial.tree));
}

}  // namespace
}  // namespace cudald
