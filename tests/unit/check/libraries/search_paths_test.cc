#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

TEST_CASE("an empty or relative element of a path is the current folder") {
  struct Row {
    std::string path, subject;
  };
  const Row rows[] = {
      {"/opt:", "\"\""},    {":/opt", "\"\""}, {"/opt::/b", "\"\""}, {"lib", "lib"},
      {"../lib", "../lib"}, {"$ORIGIN", ""},   {"/opt", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.path);
    TestWorld world;
    world.add("/bin/app", program({.runpath = row.path}));
    const auto expected = row.subject.empty() ? "" : "CUD107 note app: " + row.subject + "\n";
    CHECK(findings(world.explain({"/bin/app"})) == expected);
    world.add("/bin/app", program({.rpath = row.path}));
    CHECK(findings(world.explain({"/bin/app"})) == expected);
  }
}

TEST_CASE("a folder of the machine that built the file is noted, unless it is there") {
  for (const std::string folder :
       {"/home/builder/lib", "/tmp/build/lib", "/root/x/lib", "/opt/src/build/lib", "/usr/local/cuda-11.8/lib"}) {
    CAPTURE(folder);
    TestWorld world;
    world.add("/bin/app", program({.runpath = "$ORIGIN:" + folder}));
    CHECK(findings(world.explain({"/bin/app"})) == "CUD108 note app: " + folder + "\n");
    world.files.add_folder(folder);
    CHECK(findings(world.explain({"/bin/app"})) == "");
  }
}

TEST_CASE("the fix keeps the other directories, and is none for files of the system") {
  TestWorld world;
  world.add("/opt/app", program({.runpath = "/home/builder/lib:$ORIGIN/lib::/opt"}));
  const auto command = [&](const std::string& path) -> std::string {
    const auto report = world.explain({path});
    for (const auto& finding : report.findings)
      for (const auto& fix : finding.fixes) return fix.command;
    return "no fix";
  };
  CHECK(command("/opt/app") == "patchelf --set-rpath '$ORIGIN/lib:/opt' /opt/app");
  world.add("/opt/rpath", program({.rpath = "/home/builder/lib"}));
  CHECK(command("/opt/rpath") == "patchelf --remove-rpath /opt/rpath");
  world.add("/usr/lib/app", program({.runpath = ":/opt"}));
  CHECK(command("/usr/lib/app") == "no fix");
}

}  // namespace
}  // namespace cudald
