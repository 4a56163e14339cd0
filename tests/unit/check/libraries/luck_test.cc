#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

TEST_CASE("what only LD_LIBRARY_PATH finds is noted once, with all names") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"liba.so", "libb.so", "libc.so"}}));
  for (const std::string name : {"liba.so", "libb.so"}) world.add("/env/" + name, {});
  world.add("/lib/libc.so", {});
  world.set("LD_LIBRARY_PATH", "/env");
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) == "CUD104 note app: liba.so\n");
  CHECK(report.findings[0].message == "liba.so, libb.so are found through LD_LIBRARY_PATH");
  CHECK(report.verdict == Verdict::loads);
}

TEST_CASE("what is found only because another file was loaded before is luck") {
  TestWorld world;
  world.add("/bin/app", program({.runpath = "/opt", .needed = {"libcudart-e409450e.so.11.0", "liba.so"}}));
  world.add("/opt/libcudart-e409450e.so.11.0", {.soname = "libcudart.so.11.0"});
  world.add("/opt/liba.so", {.needed = {"libcudart.so.11.0"}});
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) == "CUD110 note liba.so: libcudart.so.11.0\n");
  CHECK(in_full(report) ==
        R"(CUD110 | note | /opt/liba.so | libcudart.so.11.0
  liba.so gets libcudart.so.11.0 only because libcudart-e409450e.so.11.0 was loaded before and has that soname
  - /opt/libcudart-e409450e.so.11.0 has the soname libcudart.so.11.0 | /opt/libcudart-e409450e.so.11.0 | proven
  = Loaded first, or by itself, it would search for the file and may find another or none.
)");
  CHECK(all_words(report.findings[0]).find("/opt/libcudart-e409450e.so.11.0") != std::string::npos);
}

TEST_CASE("a preload that LD_LIBRARY_PATH finds is no luck: who sets one sets the other") {
  TestWorld world;
  world.add("/bin/app", program({}));
  world.add("/env/libp.so", {});
  world.set("LD_LIBRARY_PATH", "/env");
  world.set("LD_PRELOAD", "libp.so");
  const auto report = world.explain({"/bin/app"});
  CHECK(objects(report).find("/env/libp.so") != std::string::npos);
  CHECK(findings(report) == "");
}

TEST_CASE("a soname that every loader finds by itself, or that the file's own name is, is no luck") {
  TestWorld world;
  world.add("/bin/app", program({.runpath = "/opt", .needed = {"libx.so.1", "liba.so"}}));
  world.add("/opt/libx.so.1", {.soname = "libx.so.1"});
  world.add("/opt/liba.so", {.needed = {"libx.so.1"}});
  CHECK(findings(world.explain({"/bin/app"})) == "");
  world.add("/bin/app", program({.runpath = "/opt", .needed = {"libx.so", "liba.so"}}));
  world.add("/lib/libx.so", {.soname = "libx.so.1"});
  CHECK(findings(world.explain({"/bin/app"})) == "");
}

TEST_CASE("of what is found through LD_LIBRARY_PATH four are named") {
  const auto message = [](int count) {
    TestWorld world;
    ElfSpec app;
    for (int i = 1; i <= count; ++i) {
      const auto name = "lib" + std::to_string(i) + ".so";
      app.needed.emplace_back(name);
      world.add("/env/" + name, {});
    }
    world.add("/bin/app", program(app));
    world.set("LD_LIBRARY_PATH", "/env");
    const auto report = world.explain({"/bin/app"});
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].code == "CUD104");
    return report.findings[0].message;
  };
  CHECK(message(1) == "lib1.so is found through LD_LIBRARY_PATH");
  CHECK(message(4) == "lib1.so, lib2.so, lib3.so, lib4.so are found through LD_LIBRARY_PATH");
  CHECK(message(5) == "lib1.so, lib2.so, lib3.so, lib4.so and 1 more are found through LD_LIBRARY_PATH");
}

TEST_CASE("what a program of Flatpak finds in the system is none in its sandbox, where the runtime lacks it") {
  const std::string app = "/var/lib/flatpak/app/org.x.Y/x86_64/stable/active", name = "org.f.Platform/x86_64/24.08";
  const auto runtime = "/var/lib/flatpak/runtime/" + name + "/active/files/lib/";
  TestWorld world;
  world.files.add_file(app + "/metadata", "[Application]\nruntime=" + name + "\n");
  world.add(app + "/files/bin/y", program({.needed = {"libb.so.1", "libc.so.6"}}));
  world.add("/usr/lib/libb.so.1", {});
  world.add("/usr/lib/libc.so.6", {});
  CHECK(findings(world.explain({app + "/files/bin/y"})).empty());  // the runtime is not there
  world.files.add_file(runtime + "libc.so.6", "");
  const auto report = world.explain({app + "/files/bin/y"});
  CHECK(report.verdict == Verdict::fails);
  REQUIRE(findings(report) == "CUD101 error y: libb.so.1\n");
  CHECK(report.findings[0].message.find("y needs libb.so.1, and /usr/lib/libb.so.1 is not in its sandbox") == 0);
  CHECK(report.findings[0].fixes.at(0).command == "flatpak update");
  // An extension, as for a driver, may have it.
  const auto codecs = "/var/lib/flatpak/runtime/org.f.codecs-extra/x86_64/24.08/active/files/lib/";
  world.files.add_file(codecs + std::string("libb.so.1"), "");
  CHECK(world.explain({app + "/files/bin/y"}).verdict == Verdict::fails);
  world.files.add_file("/var/lib/flatpak/runtime/" + name + "/active/metadata", "[Extension org.f.codecs]\n");
  CHECK(findings(world.explain({app + "/files/bin/y"})).empty());
  world.files.add_file("/var/lib/flatpak/runtime/" + name + "/active/metadata", "");
  world.files.add_file(runtime + "libb.so.1", "");
  CHECK(findings(world.explain({app + "/files/bin/y"})).empty());
}

TEST_CASE("only what answers by its soname, and that not every loader finds by itself, is luck") {
  struct Row {
    SearchRule rule;
    EdgeStatus status;
    MatchedBy matched;
    bool answered, luck;
  };
  for (const auto& row : {Row{SearchRule::rpath, EdgeStatus::already_loaded, MatchedBy::soname, true, true},
                          Row{SearchRule::cache, EdgeStatus::already_loaded, MatchedBy::soname, true, false},
                          Row{SearchRule::default_folder, EdgeStatus::already_loaded, MatchedBy::soname, true, false},
                          Row{SearchRule::rpath, EdgeStatus::loaded, MatchedBy::soname, true, false},
                          Row{SearchRule::rpath, EdgeStatus::already_loaded, MatchedBy::name, true, false},
                          Row{SearchRule::rpath, EdgeStatus::already_loaded, MatchedBy::file, true, false},
                          Row{SearchRule::rpath, EdgeStatus::already_loaded, MatchedBy::soname, false, false}}) {
    CAPTURE(to_string(row.rule));
    auto report = made_report({made_object("/bin/app"), made_object("/x/libother.so"), made_object("/x/liba.so")});
    auto brought = made_edge("libother.so", EdgeStatus::loaded, 1);
    brought.rule = row.rule;
    auto missing = made_edge("libnone.so", EdgeStatus::loaded);
    report.resolution.objects[0].edges = {missing, brought};
    auto asks = made_edge("libx.so", row.status);
    if (row.answered) asks.object = 1;
    asks.matched = row.matched;
    asks.rule = SearchRule::rpath;
    report.resolution.objects[2].edges = {asks};
    CHECK((made_findings(check_luck, report) != "") == row.luck);
  }
}

TEST_CASE("a library that LD_LIBRARY_PATH answers is named once, and of five the fifth is counted") {
  const auto told = [](int count, EdgeKind kind = EdgeKind::needed, EdgeStatus status = EdgeStatus::loaded,
                       SearchRule rule = SearchRule::ld_library_path) {
    auto report = made_report({made_object("/bin/app"), made_object("/lib/liba.so")});
    for (int i = 1; i <= count; ++i) {
      auto edge = made_edge("lib" + std::to_string(i) + ".so", status);
      edge.kind = kind;
      edge.rule = rule;
      report.resolution.objects[1].edges.push_back(edge);
      report.resolution.objects[1].edges.push_back(edge);
    }
    made_findings(check_luck, report);
    if (report.findings.empty()) return std::string();
    CHECK(report.findings[0].object == 1);
    CHECK(report.findings[0].subject == "lib1.so");
    return report.findings[0].message;
  };
  CHECK(told(1) == "lib1.so is found through LD_LIBRARY_PATH");
  CHECK(told(2) == "lib1.so, lib2.so are found through LD_LIBRARY_PATH");
  CHECK(told(4) == "lib1.so, lib2.so, lib3.so, lib4.so are found through LD_LIBRARY_PATH");
  CHECK(told(5) == "lib1.so, lib2.so, lib3.so, lib4.so and 1 more are found through LD_LIBRARY_PATH");
  CHECK(told(0).empty());
  CHECK(told(1, EdgeKind::preload).empty());
  CHECK(told(1, EdgeKind::needed, EdgeStatus::already_loaded).empty());
  CHECK(told(1, EdgeKind::needed, EdgeStatus::loaded, SearchRule::runpath).empty());
}

}  // namespace
}  // namespace cudald
