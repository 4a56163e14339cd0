#include <sstream>

#include <doctest/doctest.h>

#include <cudald/writers.h>

#include "common/wheel_file.h"
#include "common/world.h"
#include "package/package_tree.h"
#include "session/package_paths.h"

namespace cudald {
namespace {

TEST_CASE("what lies in a wheel is shown as its member, in every text of a report") {
  TestWorld world;
  const std::string wheel = "/dist/pkg-1.0-cp311-cp311-linux_x86_64.whl",
                    shown = "pkg-1.0-cp311-cp311-linux_x86_64.whl!/";
  world.files.add_file(
      wheel,
      wheel_file({{"pkg/__init__.py", "try:\n  import absent\nexcept ImportError:\n  pass\nfrom . import _C\n"},
                  {"pkg/_C.so", elf({.runpath = "$ORIGIN/lib",
                                     .needed = {"liba.so", "libnone.so.1"},
                                     .needs_versions = {{"liba.so", {{"V1"}}}}})},
                  {"pkg/lib/liba.so", elf({.soname = "liba.so", .defines_versions = {"V2"}, .uses = {{"no_f"}}})},
                  {"other/libnone.so.1", elf({})}}));
  const auto report = world.explain({wheel});
  CHECK(objects(report).find("(a neutral Python)") == std::string::npos);
  CHECK(requests(report, shown + "pkg/_C.so").starts_with("liba.so: loaded by runpath\n"));
  CHECK(report.verdict == Verdict::fails);
  std::ostringstream text;
  write_json(report, false, text);
  CHECK(text.str().find(shown + "pkg/lib/liba.so") != std::string::npos);
  CHECK(text.str().find(shown + "pkg/__init__.py:2") != std::string::npos);
  CHECK(text.str().find(PackageTree::prefix) == std::string::npos);
}

TEST_CASE("a command that would have to reach into a wheel is not offered") {
  TestWorld world;
  const std::string wheel = "/dist/pkg-1.0-cp311-cp311-linux_x86_64.whl";
  world.files.add_file(wheel, wheel_file({{"pkg/__init__.py", "from . import _C\n"},
                                          {"pkg/_C.so", elf({.needed = {"libx.so.1"}})},
                                          {"pkg/lib/libx.so.1", elf({})}}));
  const auto report = world.explain({wheel});
  REQUIRE(report.findings.size() == 1);
  // Who makes the wheel can change a file of it before: its name is that of the member.
  for (const auto& fix : report.findings[0].fixes) {
    CHECK(fix.command.find(".whl") == std::string::npos);
    CHECK((fix.command.find("patchelf") == std::string::npos || fix.title.find("maintainer fix") != std::string::npos));
  }

  world.add("/opt/_C.so", {.needed = {"libx.so.1"}});
  world.add("/usr/local/cuda/lib64/libx.so.1", {});
  bool offered = false;
  const auto outside = world.explain({"/opt/_C.so"});
  REQUIRE(outside.findings.size() == 1);
  for (const auto& fix : outside.findings[0].fixes) offered |= fix.command.find("patchelf") != std::string::npos;
  CHECK(offered);
}

/// A wheel that is installed, and how a library in it is named before and afterwards.
struct InstalledWheel {
  InstalledWheel() {
    files.add_file("/d/pkg-1.0-py3-none-any.whl", wheel_file({{"pkg/a.so", elf({})}}));
    REQUIRE(tree.install("/d/pkg-1.0-py3-none-any.whl"));
  }

  MemoryFileSystem files;
  PackageTree tree{files};
  const std::string inside = std::string(PackageTree::site_packages) + "/pkg/a.so";
  const std::string shown = "pkg-1.0-py3-none-any.whl!/pkg/a.so";
};

/// A report with one of each of its parts.
Report one_of_each() {
  Report report;
  auto& made = report.resolution;
  made.objects.resize(1);
  made.objects[0].edges.resize(1);
  made.objects[0].may_open.resize(1);
  made.objects[0].edges[0].search.probes.resize(1);
  made.objects[0].may_open[0].search.probes.resize(1);
  made.targets.resize(1);
  made.imports.resize(1);
  made.imports[0].packages.resize(1);
  made.imports[0].missing.resize(1);
  made.imports[0].notes.resize(1);
  made.imports[0].unfollowed.resize(1);
  made.failed_programs.resize(1);
  made.version_problems.resize(1);
  report.symbols.emplace().missing.resize(1);
  report.findings.resize(1);
  report.findings[0].evidence.resize(1);
  report.findings[0].fixes.resize(1);
  report.findings[0].does_not_help.resize(1);
  return report;
}

using Texts = std::vector<std::pair<std::string, std::string*>>;

/// The texts of a report that are a path.
Texts whole_paths(Report& report) {
  auto& made = report.resolution;
  auto& object = made.objects[0];
  auto &edge = object.edges[0], &soft = object.may_open[0];
  return {{"path", &object.path},
          {"load name", &object.load_name},
          {"name", &edge.name},
          {"probe", &edge.search.probes[0].path},
          {"name of what may be opened", &soft.name},
          {"probe of that", &soft.search.probes[0].path},
          {"target", &made.targets[0].given},
          {"unfollowed", &made.imports[0].unfollowed[0].file},
          {"program", &made.failed_programs[0].path},
          {"evidence", &report.findings[0].evidence[0].path}};
}

/// Those in which paths stand.
Texts sentences(Report& report) {
  auto& made = report.resolution;
  auto &edge = made.objects[0].edges[0], &soft = made.objects[0].may_open[0];
  auto& import = made.imports[0];
  auto& finding = report.findings[0];
  return {{"error", &edge.error},
          {"asked at", &edge.asked_at},
          {"error of what may be opened", &soft.error},
          {"asked at of that", &soft.asked_at},
          {"error of a target", &made.targets[0].error},
          {"place of a request", &made.targets[0].traits.asked_at},
          {"package", &import.packages[0].asked_at},
          {"missing module", &import.missing[0].asked_at},
          {"note", &import.notes[0]},
          {"error of a program", &made.failed_programs[0].error},
          {"version problem", &made.version_problems[0].message},
          {"missing symbol", &report.symbols->missing[0].message},
          {"subject", &finding.subject},
          {"message", &finding.message},
          {"consequence", &finding.consequence},
          {"evidence", &finding.evidence[0].text},
          {"title", &finding.fixes[0].title},
          {"side effect", &finding.fixes[0].side_effect},
          {"does not help", &finding.does_not_help[0]},
          {"headline", &report.headline}};
}

TEST_CASE("each text of a report that may name a file of a wheel names it as a member") {
  const InstalledWheel made;
  auto report = one_of_each();
  for (const auto& row : whole_paths(report)) *row.second = made.inside;
  for (const auto& row : sentences(report))
    *row.second = "'" + made.inside + "', or " + made.inside + ":7 " + row.first;
  auto untouched = report;
  show_package_paths(report, made.tree);
  for (const auto& row : whole_paths(report)) CHECK_MESSAGE(*row.second == made.shown, row.first);
  for (const auto& row : sentences(report))
    CHECK_MESSAGE(*row.second == "'" + made.shown + "', or " + made.shown + ":7 " + row.first, row.first);
  // Where no package is installed, such a path is some file of the tree.
  show_package_paths(untouched, PackageTree(made.files));
  for (const auto& row : whole_paths(untouched)) CHECK_MESSAGE(*row.second == made.inside, row.first);
  CHECK(untouched.headline.find(made.shown) == std::string::npos);
}

TEST_CASE("a path in a sentence ends where no path of an installed file goes on") {
  const InstalledWheel made;
  const auto rewritten = [&](const std::string& text) {
    auto report = one_of_each();
    report.headline = text;
    show_package_paths(report, made.tree);
    return report.headline;
  };
  for (const char end : std::string(" '\"`:,)]\n"))
    CHECK(rewritten("(" + made.inside + end + "x") == "(" + made.shown + end + "x");
  CHECK(rewritten(made.inside) == made.shown);
  CHECK(rewritten(made.inside + ";x y") == "site-packages/pkg/a.so;x y");
  CHECK(rewritten("no path") == "no path");
  CHECK(rewritten("") == "");
}

TEST_CASE("of fixes those are left out whose command names a file of a wheel") {
  const InstalledWheel made;
  auto report = one_of_each();
  Fix inside, outside;
  inside.title = "inside";
  inside.command = "patchelf " + made.inside;
  outside.title = "outside";
  outside.command = "patchelf /opt/a.so";
  report.findings[0].fixes = {inside, outside};
  show_package_paths(report, made.tree);
  REQUIRE(report.findings[0].fixes.size() == 1);
  CHECK(report.findings[0].fixes[0].title == "outside");
  CHECK(report.findings[0].fixes[0].command == "patchelf /opt/a.so");
  report.symbols.reset();
  report.headline = made.inside;
  show_package_paths(report, made.tree);
  CHECK(report.headline == made.shown);
}

}  // namespace
}  // namespace cudald
