#include "cli/commands/provides.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "common/wheel_file.h"
#include "unit/cli/command_line.h"
#include "unit/cli/index_server.h"

namespace cudald {
namespace {

/// What `provides --online` says of projects of an index.
struct AskedIndex {
  CommandAnswer ask(std::vector<std::string> words) const {
    words.insert(words.begin(), {"provides", "--online", "--no-pager"});
    return said_to(words, folder, {{"PIP_INDEX_URL", server.url("/simple")}, {"NETRC", "/dev/null"}});
  }
  /// Adds a wheel with a library, which is called like the wheel.
  void add_wheel(const std::string& name) {
    server.add("/files/" + name, {wheel_file({{"app/lib" + name.substr(0, name.find("-cp")) + ".so", elf({})}},
                                             "Requires-Dist: torch\n", "app"),
                                  ""});
  }
  /// The library of the wheel that is taken of these.
  std::string taken(const std::vector<std::string>& wheels, const std::string& wanted,
                    const std::vector<std::string>& words = {}) {
    for (const auto& wheel : wheels) add_wheel(wheel);
    server.add_project("app", wheels);
    auto all = words;
    all.push_back(wanted);
    return ask(all).answer;
  }

  mutable IndexServer server;
  ScratchFolder folder;
};

TEST_CASE("of a package that no table has, the wheel on the index tells what it carries and requires") {
  AskedIndex index;
  const std::string wheel = "app-1.0-cp311-cp311-manylinux_2_17_x86_64.whl";
  const auto bytes = wheel_file({{"app/lib/libone.so", elf({})}, {"top.so", elf({})}, {"app/__init__.py", ""}},
                                "Requires-Dist: torch\n", "app");
  index.server.add("/files/" + wheel, {bytes, ""});
  index.server.add_project("app", {wheel});
  const auto answer = index.ask({"App"});
  CHECK(answer.status == 0);
  CHECK(answer.complaints.empty());
  CHECK(answer.answer ==
        "app  app-1.0-cp311-cp311-manylinux_2_17_x86_64.whl\n  carries     top.so  in site-packages/\n"
        "  carries     libone.so  in site-packages/app/lib\n  requires    torch\n"
        "  known by    its wheel on the index\n");
  CHECK(index.server.asked() == std::vector<std::string>{"GET /files/" + wheel, "GET /simple/app/"});
}

TEST_CASE("of a package of the tables each library is told once, that of the platform") {
  const auto told = [](const std::vector<std::string>& words) {
    std::vector<std::string> all{"provides", "cutensor-cu13"};
    all.insert(all.end(), words.begin(), words.end());
    return answer_to(all).answer;
  };
  // The tables have two rows of it, of other releases.
  const auto of_linux = told({});
  const auto at = of_linux.find("libcutensorMg.so.2");
  REQUIRE(at != std::string::npos);
  CHECK(of_linux.find("libcutensorMg.so.2", at + 1) == std::string::npos);
  CHECK(of_linux.find(".dll") == std::string::npos);
  const auto of_windows = told({"--platform", "windows-x86_64"});
  CHECK(of_windows.find("cutensorMg.dll") != std::string::npos);
  CHECK(of_windows.find(".so") == std::string::npos);
}

TEST_CASE("of a package without a wheel that can be read it is told why, and what the METADATA beside it says") {
  AskedIndex index;
  const auto none = index.ask({"app"});
  CHECK(none.status == 1);
  CHECK(none.answer == "app  package\n  unknown     the index has no wheels of a package of that name\n");
  index.server.add_project("app", {"app-1.0-cp311-cp311-win_amd64.whl"});
  const auto other = index.ask({"app"});
  CHECK(other.status == 1);
  CHECK(other.answer ==
        "app  package\n  unknown     the index has no wheel of it that fits this platform and Python\n");
  CHECK(index.ask({"app==2.0"}).answer ==
        "app  package\n  unknown     the index has no wheel of version 2.0 that fits this platform and Python\n");
  index.server.add("/simple/app/", {"", "", 403});
  const auto closed = index.ask({"app"});
  CHECK(closed.status == 3);
  CHECK(closed.answer == "app  package\n  unknown     the index: the server answers with status 403\n");
  const std::string wheel = "app-1.0-cp311-cp311-manylinux_2_17_x86_64.whl";
  const std::string name = "{\"filename\": \"" + wheel + "\", \"url\": \"/files/" + wheel + "\"";
  index.server.add("/files/" + wheel, {"<html>Please log in</html>", ""});
  index.server.add("/files/" + wheel + ".metadata",
                   {"Metadata-Version: 2.1\nName: app\nVersion: 1.0\nRequires-Dist: numpy\n", ""});
  index.server.add("/simple/app/", {"{\"files\": [" + name + "}]}", ""});
  const auto broken = index.ask({"app"});
  CHECK(broken.status == 3);
  CHECK(broken.answer == "app  " + wheel + "\n  unknown     " + wheel +
                             ": the server sends something else than an\n              archive\n");
  index.server.add("/simple/app/", {"{\"files\": [" + name + ", \"core-metadata\": true}]}", ""});
  CHECK(index.ask({"app"}).answer == broken.answer + "  requires    numpy\n");
  const auto unnamed = said_to({"provides", "--online", "app"}, index.folder, {{"NETRC", "/dev/null"}});
  CHECK(unnamed.status == 2);
  CHECK(unnamed.complaints.starts_with(
      "cudald: --online: no index is named; state one in PIP_INDEX_URL or UV_DEFAULT_INDEX\n"));
}

TEST_CASE("the wheel is that of the newest release that fits, no candidate, with the tag that fits best") {
  AskedIndex index;
  const std::string end = "-cp311-cp311-manylinux_2_17_x86_64.whl";
  const auto has = [&](const std::string& answer, const std::string& wheel) {
    return answer.find("lib" + wheel + ".so") != std::string::npos;
  };
  const std::vector<std::string> releases{"app-1.0" + end, "app-10.0" + end, "app-9.0" + end, "app-11.0rc1" + end};
  for (const auto& order : {releases, {releases.rbegin(), releases.rend()}}) {
    CHECK(has(index.taken(order, "app"), "app-10.0"));
    CHECK(has(index.taken(order, "app==9"), "app-9.0"));
    CHECK(has(index.taken(order, "app==11.0rc1"), "app-11.0rc1"));
    CHECK_FALSE(has(index.taken(order, "app==9.1"), "app-"));
  }
  CHECK(has(index.taken({"app-2.0rc1" + end, "app-1.0rc2" + end}, "app"), "app-2.0rc1"));
  CHECK(
      has(index.taken({"app-2.0-cp310-cp310-manylinux_2_17_x86_64.whl", "app-1.0" + end}, "app", {"--python", "3.11"}),
          "app-1.0"));
  CHECK(
      has(index.taken({"app-2.0-cp310-cp310-manylinux_2_17_x86_64.whl", "app-1.0" + end}, "app", {"--python", "3.10"}),
          "app-2.0"));
  for (const auto& order : {std::vector<std::string>{"app-1.0-py3-none-any.whl", "app-1.0" + end},
                            {"app-1.0" + end, "app-1.0-py3-none-any.whl"},
                            {"app-1.0" + end, "app-1.0-cp39-abi3-manylinux_2_17_x86_64.whl"},
                            {"app-1.0-cp39-abi3-manylinux_2_17_x86_64.whl", "app-1.0" + end}})
    CHECK(index.taken(order, "app").starts_with("app  app-1.0" + end + "\n"));
  // Of the same name the first is taken.
  const std::string twice = "app-1.0" + end;
  index.server.add("/simple/app/",
                   {"<a href=/one/" + twice + ">" + twice + "</a><a href=/two/" + twice + ">" + twice + "</a>", ""});
  index.server.asked();
  index.ask({"app"});
  CHECK(index.server.asked() == std::vector<std::string>{"GET /one/" + twice, "GET /simple/app/"});
}

}  // namespace
}  // namespace cudald
