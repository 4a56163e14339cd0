#include <doctest/doctest.h>

#include <cudald/writers.h>

#include "common/example_report.h"
#include "common/wheel_file.h"
#include "common/world.h"

namespace cudald {
namespace {

std::string explained(const Report& report, const TextStyle& style = plain_style()) {
  return written([&](std::ostream& out) { write_explanation(report, style, out); });
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_CASE("a missing library is told in full") {
  CHECK(explained(failing_report()) ==
        R"(FAILS  app does not load: libcudart.so.12 is in no folder that the loader searches
missing       libcudart.so.12
fix           pip install nvidia-cuda-runtime-cu12

error[CUD101] library-not-found
  asked by    /opt/app/lib/libfoo.so.1.2                                                   DT_NEEDED
  through     app → libfoo.so.1
  because     a DT_RUNPATH switches DT_RPATH off                                      rule: ld.so(8)
              lies beside it                                                                  proven
              /opt/other/libcudart.so.13

searched, in this order                                 result
  1 DT_RPATH of app  $ORIGIN/../lib                     not used: the requester has a DT_RUNPATH
  2 LD_LIBRARY_PATH                                     not set
  3 DT_RUNPATH  /opt/cuda/lib  and 2 folders below it   not there
                /opt/arm/lib                            for another machine: aarch64
                current directory                       not there
  4 /etc/ld.so.cache                                    no entry for this name
  5 system folders  /lib/x86_64-linux-gnu ... /lib      2 folders, not there

what happens  The program does not start.
fix           A  install the runtime
                   pip install nvidia-cuda-runtime-cu12
              B  for one shell; all programs see it
                   export LD_LIBRARY_PATH=/opt/cuda
                   ./app
does not help a symlink from libcudart.so.13

1 error in 4 objects.  Next: cudald rule CUD101
)");
}

TEST_CASE("a healthy process takes two lines") {
  CHECK(explained(healthy_report()) ==
        R"(LOADS  app loads, with 4 other objects
5 objects: app itself, 1 by DT_RPATH in /opt/app/lib, 1 by DT_RUNPATH in /opt/cuda/lib, 1 by
/etc/ld.so.cache in /lib/x86_64-linux-gnu, and the dynamic loader.  cudald tree ./app shows them.
)");
}

TEST_CASE("of an unreadable target only the verdict is told") {
  CHECK(explained(unreadable_report()) == "UNKNOWN  nothing.so: No such file or directory\n");
}

TEST_CASE("quiet is the verdict alone") {
  TextStyle style = plain_style();
  style.verbosity = -1;
  CHECK(explained(failing_report(), style) ==
        "FAILS  app does not load: libcudart.so.12 is in no folder that the loader searches\n");
}

TEST_CASE("verbose shows every probe") {
  TextStyle style = plain_style();
  style.verbosity = 1;
  const Report report = failing_report();
  const std::string text = explained(report, style);
  for (const Probe& probe : report.resolution.objects[1].edges[0].search.probes) {
    CAPTURE(probe.path);
    const bool told = has(text, "  " + probe.path + " ") || has(text, "  " + probe.path + "\n");
    CHECK(told);
  }
}

TEST_CASE("findings of one cause are folded, and counted") {
  Report report = failing_report();
  for (int i = 0; i < 20; ++i) {
    Finding other = report.findings.front();
    other.subject = "lib" + std::to_string(i) + ".so";
    other.message = other.subject + " is nowhere either";
    report.findings.push_back(other);
  }
  const std::string text = explained(report);
  CHECK(has(text, "\nerror[CUD101] library-not-found: lib0.so is nowhere either\n"));
  CHECK(has(text, "\n... and 8 more of them\n"));
  CHECK(has(text, "21 errors in 4 objects.  Next: cudald explain -v ./app\n"));
  const auto first_search = text.find("searched, in this order");
  CHECK(text.find("searched, in this order", first_search + 1) == std::string::npos);
}

TEST_CASE("lower levels take one line each") {
  Report report = failing_report();
  Finding note;
  note.code = "CUD108";
  note.name = "build-path-in-runpath";
  note.level = Level::note;
  note.message = "a folder of the builder";
  note.consequence = "consequence of the note";
  report.findings.insert(report.findings.end(), {note, note});
  const std::string text = explained(report);
  CHECK(has(text, "\nnote[CUD108] build-path-in-runpath: a folder of the builder  (and 1 more of them)\n"));
  CHECK_FALSE(has(text, "consequence of the note"));
  CHECK(has(text, "1 error, 2 notes in 4 objects."));
}

TEST_CASE("one library's story is told also if it was found") {
  TextStyle style = plain_style();
  style.library = "libfoo.so.1";
  CHECK(explained(healthy_report(), style) ==
        R"(LOADS  app loads, with 4 other objects

libfoo.so.1
  asked by    /opt/app/bin/app                                                             DT_NEEDED
  found       /opt/app/lib/libfoo.so.1.2  [rpath]

searched, in this order      result
  1 DT_RPATH  /opt/app/lib   found

1 request for libfoo.so.1.  Next: cudald why ./app libfoo.so.1
)");

  style.library = "libc.so.6";
  const std::string text = explained(healthy_report(), style);
  CHECK(has(text, "also asked by /opt/app/lib/libfoo.so.1.2"));
  CHECK(has(text, "3 requests for libc.so.6."));

  style.library = "libcudart.so.12";
  CHECK(has(explained(failing_report(), style), "error[CUD101] library-not-found\n"));

  style.library = "libcudart.so.11";
  CHECK(has(explained(failing_report(), style),
            "Nothing in this process asks for libcudart.so.11; did you mean `libcudart.so.12`?\n"));
}

TEST_CASE("among several targets the failing ones are named") {
  Report report = failing_report();
  Target plugin;
  plugin.given = "libplugin.so";
  plugin.kind = TargetKind::dlopen;
  plugin.error = "libplugin.so: cannot open shared object file: No such file or directory";
  report.resolution.targets.push_back(plugin);
  const std::string text = explained(report);
  CHECK(has(text, "\nstart fails   ./app: libcudart.so.12: cannot open"));
  CHECK(has(text, "\ndlopen fails  libplugin.so: libplugin.so: cannot open"));
}

TEST_CASE("notes of the world are told") {
  Report report = healthy_report();
  report.resolution.notes = {"the tree has no ld.so.cache"};
  CHECK(has(explained(report), "\nnote: the tree has no ld.so.cache\n"));
}

TEST_CASE("names from files cannot command a terminal") {
  Report report = failing_report();
  const std::string evil = "lib\x1b]0;x\x07\n\xe2\x80\xae\xff.so";
  report.headline = evil;
  report.resolution.notes = {evil};
  for (Object& object : report.resolution.objects) {
    object.path = "/" + evil;
    for (Edge& edge : object.edges) {
      edge.name = evil;
      edge.error = evil;
      for (Probe& probe : edge.search.probes) {
        probe.path = "/" + evil + "/" + evil;
        probe.detail = evil;
      }
      for (SkippedRule& skipped : edge.search.skipped) skipped.value = skipped.reason = evil;
    }
  }
  for (Finding& finding : report.findings) {
    finding.message = finding.subject = finding.consequence = evil;
    for (Evidence& evidence : finding.evidence) evidence.text = evidence.path = evidence.source = evil;
    for (Fix& fix : finding.fixes) fix.title = fix.side_effect = evil;
    finding.does_not_help = {evil};
  }
  report.resolution.targets.front().error = evil;
  report.query.targets = {evil};

  const auto writers = {+[](const Report& r, std::ostream& out) { write_explanation(r, plain_style(), out); },
                        +[](const Report& r, std::ostream& out) { write_findings(r, plain_style(), out); },
                        +[](const Report& r, std::ostream& out) { write_tree(r, plain_style(), "", out); },
                        +[](const Report& r, std::ostream& out) {
                          write_tree(r, plain_style(), r.resolution.objects[2].edges[0].name, out);
                        },
                        +[](const Report& r, std::ostream& out) {
                          write_why(r, plain_style(), r.resolution.objects[1].edges[0].name, true, out);
                        },
                        +[](const Report& r, std::ostream& out) {
                          TextStyle style = plain_style();
                          style.library = r.resolution.objects[1].edges[0].name;
                          write_explanation(r, style, out);
                        }};
  for (const auto write : writers) {
    const std::string text = written([&](std::ostream& out) { write(report, out); });
    CHECK(has(text, "\\x1b]0;x\\x07\\x0a\\xe2\\x80\\xae\\xff"));
    for (const char* part : {"\x1b", "\x07", "\xe2\x80\xae", "\xff", "\nlib"}) {
      CAPTURE(part);
      const bool starts_own_line = std::string_view(part) == "\nlib" && has(text, "\nlib\\x1b");
      CHECK((starts_own_line || !has(text, part)));
    }
  }
}

TEST_CASE("ASCII text has no other mark") {
  TextStyle style = plain_style();
  style.ascii = true;
  const std::string story = explained(failing_report(), style);
  CHECK(has(story, "app -> libfoo.so.1"));
  const std::string tree = written([&](std::ostream& out) { write_tree(failing_report(), style, "", out); });
  for (const char c : story + tree) CHECK(static_cast<unsigned char>(c) < 0x80);
}

TEST_CASE("colour paints and changes no text") {
  TextStyle style = plain_style();
  style.colour = true;
  std::string text = explained(failing_report(), style);
  CHECK(has(text, "\x1b[1;31mFAILS\x1b[0m  app does not load"));
  for (auto at = text.find('\x1b'); at != std::string::npos; at = text.find('\x1b'))
    text.erase(at, text.find('m', at) - at + 1);
  CHECK(text == explained(failing_report()));
}

TEST_CASE("no line is wider than asked for, but for paths and the verdict") {
  TextStyle style = plain_style();
  style.width = 60;
  const std::string text = explained(failing_report(), style);
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    CAPTURE(line);
    const bool has_long_word = line.find('/') != std::string::npos;
    CHECK((line.size() <= 62 || has_long_word));
  }
}

/// The line that begins with a label, without blanks around what it says.
std::string line_of(const std::string& text, const std::string& label) {
  const auto at = text.find("\n" + label + " ");
  if (at == std::string::npos) return "";
  const auto begin = text.find_first_not_of(' ', at + 1 + label.size());
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST_CASE("of a wheel is told what it counts on, by who brings it") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl";
  const auto module = elf(
      {.runpath = "$ORIGIN/../nvidia/cuda_runtime/lib", .needed = {"libc.so.6", "libcuda.so.1", "libcudart.so.12"}});
  world.files.add_file(path, wheel_file({{"pkg/__init__.py", "from . import a\n"}, {"pkg/a.abi3.so", module}},
                                        "Requires-Dist: nvidia-cuda-runtime-cu12\n"));
  auto style = plain_style();
  style.verbosity = 1;
  const auto text = explained(world.explain({path}), style);
  CHECK(line_of(text, "promised") == "libc.so.6");
  CHECK(line_of(text, "driver") == "libcuda.so.1");
  CHECK(line_of(text, "required") == "nvidia-cuda-runtime-cu12: libcudart.so.12");
}

}  // namespace
}  // namespace cudald
