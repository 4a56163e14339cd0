#include <doctest/doctest.h>

#include <cudald/image.h>
#include <cudald/message.h>
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

/// Its finding is about no missing library, so that it is shown in full.
Report failing_otherwise() {
  Report report = failing_report();
  report.findings[0].code = "CUD201";
  report.findings[0].name = "symbol-missing";
  return report;
}

TEST_CASE("a missing library takes one screen: who needs it, the fix, where it was searched") {
  CHECK(explained(failing_report()) ==
        R"(FAILS  app does not load: libcudart.so.12 is not found in any directory the loader searches
  libcudart.so.12  needed by libfoo.so.1.2
      fix: pip install nvidia-cuda-runtime-cu12
Searched: DT_RPATH of app (not used: the requester has a DT_RUNPATH), LD_LIBRARY_PATH (not set),
DT_RUNPATH (3 directories), /etc/ld.so.cache (no entry for this name), 2 system directories
1 error (4 files).  Next: cudald explain -v ./app
)");
}

TEST_CASE("several missing libraries have a line each, with cause and fix; a common fix says for which it is") {
  Report report = failing_report();
  auto& findings = report.findings;
  findings.push_back(findings[0]);
  findings[1].subject = "libfoo.so.1";
  findings[1].message = "libfoo.so.1 is on this machine (/opt), but not in a directory the loader searches";
  findings[1].fixes = {{"for this shell", "export LD_LIBRARY_PATH=/opt", ""}};
  const auto first = explained(report);
  CHECK(first.starts_with(R"(FAILS  app does not load: 2 libraries not found
  libcudart.so.12  needed by libfoo.so.1.2: not found
      fix: pip install nvidia-cuda-runtime-cu12
  libfoo.so.1      needed by libfoo.so.1.2: on this machine (/opt), but not in a directory the
      loader searches
      fix: export LD_LIBRARY_PATH=/opt
Searched for libcudart.so.12: DT_RPATH of app)"));
  Fix common{"provides all", "one\ntwo", ""};
  common.serves = {"libcudart.so.12", "libfoo.so.1"};
  findings[0].fixes.insert(findings[0].fixes.begin(), common);
  CHECK(has(explained(report), "\n  fix for all 2:\n    one\n    two\nSearched"));
  CHECK_FALSE(has(explained(report), "fix: "));
  findings[0].fixes[0].serves.pop_back();
  const auto part = explained(report);
  CHECK(has(part, "      fix: export LD_LIBRARY_PATH=/opt\n  fix for libcudart.so.12 only:\n    one\n"));
  findings.resize(9, findings[1]);
  CHECK(has(explained(report), "  and 3 more: -v shows all\n"));
}

TEST_CASE("beside missing libraries other errors and warnings have a line, and notes are counted") {
  Report report = failing_report();
  auto other = report.findings[0];
  other.code = "CUD301";
  other.name = "driver-too-old";
  other.level = Level::warning;
  other.message = "an old driver";
  auto note = other;
  note.level = Level::note;
  note.message = "a note";
  report.findings.insert(report.findings.end(), {other, note});
  const auto text = explained(report);
  CHECK(has(text, "\nwarning[CUD301] driver-too-old: an old driver\n1 error, 1 warning, 1 note (4 files)."));
  CHECK_FALSE(has(text, "a note\n"));
  report.verdict = Verdict::cpu_only;
  CHECK(has(explained(report), "\nResult: The program does not start.\n"));
}

TEST_CASE("what is not about a missing library is shown in full") {
  CHECK(explained(failing_otherwise()) ==
        R"(FAILS  app does not load: libcudart.so.12 is not found in any directory the loader searches
fix           pip install nvidia-cuda-runtime-cu12

error[CUD201] symbol-missing
  needed by   /opt/app/lib/libfoo.so.1.2                                                   DT_NEEDED
  through     app → libfoo.so.1
  because     a DT_RUNPATH switches DT_RPATH off                                      rule: ld.so(8)
              lies beside it                                                                  proven
              /opt/other/libcudart.so.13

searched, in this order                                     result
  1 DT_RPATH of app  $ORIGIN/../lib                         not used: the requester has a DT_RUNPATH
  2 LD_LIBRARY_PATH                                         not set
  3 DT_RUNPATH  /opt/cuda/lib  and 2 directories below it   not there
                /opt/arm/lib                                for another machine: aarch64
                current directory                           not there
  4 /etc/ld.so.cache                                        no entry for this name
  5 system directories  /lib/x86_64-linux-gnu ... /lib      2 directories, not there

result        The program does not start.
fix           A  install the runtime
                   pip install nvidia-cuda-runtime-cu12
              B  for one shell; all programs see it
                   export LD_LIBRARY_PATH=/opt/cuda
                   ./app
won't help    a symlink from libcudart.so.13

1 error (4 files).  Next: cudald rule CUD201
)");
}

TEST_CASE("a healthy process takes two lines") {
  CHECK(explained(healthy_report()) ==
        R"(LOADS  app loads, with 4 other files
5 files: app itself, 1 by DT_RPATH in /opt/app/lib, 1 by DT_RUNPATH in /opt/cuda/lib, 1 by
/etc/ld.so.cache in /lib/x86_64-linux-gnu, and the dynamic loader.  cudald tree ./app shows them.
)");
}

TEST_CASE("of an unreadable target only the verdict is told") {
  CHECK(explained(unreadable_report()) == "UNKNOWN  nothing.so: No such file or directory\n");
}

TEST_CASE("quiet is the verdict alone") {
  TextStyle style = plain_style();
  style.verbosity = -1;
  CHECK(explained(failing_otherwise(), style) ==
        "FAILS  app does not load: libcudart.so.12 is not found in any directory the loader searches\n");
}

TEST_CASE("verbose shows every probe") {
  TextStyle style = plain_style();
  style.verbosity = 1;
  const Report report = failing_otherwise();
  const std::string text = explained(report, style);
  for (const Probe& probe : report.resolution.objects[1].edges[0].search.probes) {
    CAPTURE(probe.path);
    const bool told = has(text, "  " + probe.path + " ") || has(text, "  " + probe.path + "\n");
    CHECK(told);
  }
}

TEST_CASE("findings of one cause are folded, and counted") {
  Report report = failing_otherwise();
  for (int i = 0; i < 20; ++i) {
    Finding other = report.findings.front();
    other.subject = "lib" + std::to_string(i) + ".so";
    other.message = other.subject + " is nowhere either";
    report.findings.push_back(other);
  }
  const std::string text = explained(report);
  CHECK(has(text, "\nerror[CUD201] symbol-missing: lib0.so is nowhere either\n"));
  CHECK(has(text, "\n... and 8 more of them\n"));
  CHECK(has(text, "21 errors (4 files).  Next: cudald explain -v ./app\n"));
  const auto first_search = text.find("searched, in this order");
  CHECK(text.find("searched, in this order", first_search + 1) == std::string::npos);
}

TEST_CASE("lower levels take one line each") {
  Report report = failing_otherwise();
  Finding note;
  note.code = "CUD108";
  note.name = "build-path-in-runpath";
  note.level = Level::note;
  note.message = "a directory of the builder";
  note.consequence = "consequence of the note";
  report.findings.insert(report.findings.end(), {note, note});
  const std::string text = explained(report);
  CHECK(has(text, "\nnote[CUD108] build-path-in-runpath: a directory of the builder  (and 1 more of them)\n"));
  CHECK_FALSE(has(text, "consequence of the note"));
  CHECK(has(text, "1 error, 2 notes (4 files)."));
}

TEST_CASE("one library's story is told also if it was found") {
  TextStyle style = plain_style();
  style.library = "libfoo.so.1";
  CHECK(explained(healthy_report(), style) ==
        R"(LOADS  app loads, with 4 other files

libfoo.so.1
  needed by   /opt/app/bin/app                                                             DT_NEEDED
  found       /opt/app/lib/libfoo.so.1.2  [rpath]

searched, in this order      result
  1 DT_RPATH  /opt/app/lib   found

1 request for libfoo.so.1.  Next: cudald why ./app libfoo.so.1
)");

  style.library = "libc.so.6";
  const std::string text = explained(healthy_report(), style);
  CHECK(has(text, "also needed by\n              /opt/app/lib/libfoo.so.1.2"));
  CHECK(has(text, "3 requests for libc.so.6."));

  style.library = "libcudart.so.12";
  CHECK(has(explained(failing_otherwise(), style), "error[CUD201] symbol-missing\n"));

  style.library = "libcudart.so.11";
  CHECK(has(explained(failing_otherwise(), style),
            "Nothing in this process needs libcudart.so.11; did you mean `libcudart.so.12`?\n"));
}

TEST_CASE("among several targets the failing ones are named") {
  Report report = failing_otherwise();
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
  Report report = failing_otherwise();
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
  const std::string story = explained(failing_otherwise(), style);
  CHECK(has(story, "app -> libfoo.so.1"));
  const std::string tree = written([&](std::ostream& out) { write_tree(failing_otherwise(), style, "", out); });
  for (const char c : story + tree) CHECK(static_cast<unsigned char>(c) < 0x80);
}

TEST_CASE("colour paints and changes no text") {
  TextStyle style = plain_style();
  style.colour = true;
  std::string text = explained(failing_otherwise(), style);
  CHECK(has(text, "\x1b[1;31mFAILS\x1b[0m  app does not load"));
  for (auto at = text.find('\x1b'); at != std::string::npos; at = text.find('\x1b'))
    text.erase(at, text.find('m', at) - at + 1);
  CHECK(text == explained(failing_otherwise()));
}

TEST_CASE("no line is wider than asked for, but for paths and the verdict") {
  TextStyle style = plain_style();
  style.width = 60;
  const std::string text = explained(failing_otherwise(), style);
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
  CHECK(line_of(text, "from system") == "libc.so.6");
  CHECK(line_of(text, "driver") == "libcuda.so.1");
  CHECK(line_of(text, "from package") == "nvidia-cuda-runtime-cu12: libcudart.so.12");
}

MessageReading made_message() {
  MessageReading message;
  message.text = "cannot open \x1b libmade.so";
  message.who = "the loader";
  message.means = "a file is missing";
  message.source = "its source";
  message.effect = MessageEffect::nothing;
  message.fix = "install it";
  message.command = "pip install made";
  message.library = "libmade.so";
  return message;
}

TEST_CASE("a message is told with who says it, what it means, whether it is harmless, and what helps") {
  const auto told = [](const MessageReading& message) {
    return written([&](std::ostream& out) { write_message(message, plain_style(), out); });
  };
  auto message = made_message();
  message.command = "pip install made\nexport MADE=1";
  CHECK(told(message) == R"(the message   cannot open \x1b libmade.so
who says it   the loader
it means      a file is missing
harmless      nothing has to be done about it
fix           install it
                   pip install made
                   export MADE=1
Next: cudald explain --error TEXT PROGRAM, or cudald provides libmade.so
)");
  CHECK(written([&](std::ostream& out) {
          auto style = plain_style();
          style.verbosity = 1;
          write_message(message, style, out);
        })
            .find("who says it   the loader                                                           table: its "
                  "source\n") != std::string::npos);
  message.effect = MessageEffect::risk;
  message.command.clear();
  message.library.clear();
  CHECK(told(message) == R"(the message   cannot open \x1b libmade.so
who says it   the loader
it means      a file is missing
fix           install it
Next: cudald explain --error TEXT PROGRAM
)");
  message.fix.clear();
  message.command = "pip install made";
  message.speakers = {"torch", "jax"};
  CHECK(told(message) == R"(the message   cannot open \x1b libmade.so
who says it   the loader
it means      a file is missing
Next: cudald explain --error TEXT torch
)");
}

TEST_CASE("a message about a library that is there does not hide the finding that tells the cause") {
  auto report = failing_otherwise();
  report.message = made_message();
  report.findings[0].edge.reset();
  report.findings[0].fixes = {{"one of them", "unset LD_LIBRARY_PATH", ""}};
  auto style = plain_style();
  style.library = "libmade.so";
  CHECK(has(explained(report, style), "unset LD_LIBRARY_PATH"));
  report.message.reset();  // the library of --lib is what was asked about
  CHECK_FALSE(has(explained(report, style), "unset LD_LIBRARY_PATH"));
}

TEST_CASE("in an explanation a message stands before what is loaded, unless the verdict is all that was asked for") {
  auto report = healthy_report();
  report.message = made_message();
  CHECK(explained(report) == R"(LOADS  app loads, with 4 other files

the message   cannot open \x1b libmade.so
who says it   the loader
it means      a file is missing
harmless      nothing has to be done about it
5 files: app itself, 1 by DT_RPATH in /opt/app/lib, 1 by DT_RUNPATH in /opt/cuda/lib, 1 by
/etc/ld.so.cache in /lib/x86_64-linux-gnu, and the dynamic loader.  cudald tree ./app shows them.
)");
  auto style = plain_style();
  style.verbosity = -1;
  CHECK(explained(report, style) == "LOADS  app loads, with 4 other files\n");
}

TEST_CASE("findings: the first in full, the others in a block with the fix of what is as grave; each cause once") {
  auto report = failing_otherwise();
  auto& findings = report.findings;
  auto second = findings[0];
  second.code = "CUD103";
  second.name = "wrong-machine";
  second.message = "the second of that object";
  auto third = findings[0];
  third.code = "CUD106";
  third.name = "of-another";
  third.message = "of another object";
  third.object = 0;
  auto warning = findings[0];
  warning.code = "CUD104";
  warning.name = "warned";
  warning.level = Level::warning;
  warning.message = "warned of";
  auto same_code = warning;
  same_code.level = Level::note;
  same_code.message = "noted";
  findings.insert(findings.end(), {second, second, third, warning, same_code});
  const auto text = explained(report);
  CHECK(text.substr(text.find("\nerror[CUD103]")) == R"(
error[CUD103] wrong-machine: the second of that object  (and 1 more of them)
  fix: pip install nvidia-cuda-runtime-cu12
error[CUD106] of-another: of another object
  fix: pip install nvidia-cuda-runtime-cu12
warning[CUD104] warned: warned of
note[CUD104] warned: noted

4 errors, 1 warning, 1 note (4 files).  Next: cudald explain -v ./app
)");
  auto style = plain_style();
  style.verbosity = 1;
  const auto all = explained(report, style);
  std::size_t searches = 0;
  for (auto at = all.find("searched, in"); at != std::string::npos; at = all.find("searched, in", at + 1)) ++searches;
  CHECK(searches == 6);
  CHECK(has(all, "Next: cudald rule CUD201\n"));
}

TEST_CASE("what loads with warnings is told where it comes from, and its warnings in a line each") {
  auto report = healthy_report();
  report.findings = failing_otherwise().findings;
  report.findings[0].level = Level::warning;
  CHECK(explained(report) == R"(LOADS  app loads, with 4 other files
5 files: app itself, 1 by DT_RPATH in /opt/app/lib, 1 by DT_RUNPATH in /opt/cuda/lib, 1 by
/etc/ld.so.cache in /lib/x86_64-linux-gnu, and the dynamic loader.  cudald tree ./app shows them.

warning[CUD201] symbol-missing: libcudart.so.12 is not found in any directory the loader searches

1 warning (5 files).  Next: cudald explain -v ./app
)");
}

TEST_CASE("of twelve others of one cause each has its line, of thirteen the rest is counted") {
  auto report = failing_otherwise();
  report.findings.resize(13, report.findings[0]);
  CHECK_FALSE(has(explained(report), "more of them"));
  report.findings.resize(14, report.findings[0]);
  CHECK(has(explained(report), "\n... and 1 more of them\n"));
}

TEST_CASE("among several targets each that fails has a line, parts of them have none") {
  auto report = failing_otherwise();
  CHECK_FALSE(has(explained(report), "start fails"));
  Target import, part;
  import.given = "py:a";
  import.kind = TargetKind::import;
  import.error = "ImportError";
  part = import;
  part.part_of = 1;
  part.given = "py:part";
  report.resolution.targets.push_back(part);
  CHECK_FALSE(has(explained(report), " fails  "));
  report.resolution.targets.push_back(import);
  const auto text = explained(report);
  CHECK(has(text, "\nstart fails   ./app: "));
  CHECK(has(text, "\nimport fails  py:a: ImportError\n"));
  CHECK_FALSE(has(text, "py:part"));
}

TEST_CASE("of a package is told which libraries it takes from the machine") {
  auto report = healthy_report();
  CHECK_FALSE(has(explained(report), "needs here"));
  report.resolution.targets[0].kind = TargetKind::package;
  CHECK(has(explained(report), "\nfrom system   libc.so.6\n"));
  report.resolution.objects[0].edges[0].rule = SearchRule::default_folder;
  CHECK(has(explained(report), "\nfrom system   libc.so.6 libfoo.so.1\n"));
  report.resolution.objects[0].edges[0].status = EdgeStatus::already_loaded;
  CHECK(has(explained(report), "\nfrom system   libc.so.6\n"));
  report.resolution.objects[0].edges[1].rule = SearchRule::rpath;
  CHECK_FALSE(has(explained(report), "needs here"));
}

TEST_CASE("of what packages count on, the main program and the loader are not told, and who brings nothing is named") {
  auto report = healthy_report();
  report.resolution.world.kind = WorldKind::tag;
  auto& objects = report.resolution.objects;
  for (auto& object : objects) {
    object.known_by_name = true;
    auto image = *object.image;
    image.source = ImageSource::requirement;
    object.image = std::make_shared<const Image>(image);
  }
  objects[1].package = PackageName{"foo", "1"};
  const auto text = explained(report);
  CHECK(has(text, "\nfrom package  a requirement: libc.so.6 libcudart.so.12\nfrom package  foo: libfoo.so.1\n"));
  CHECK_FALSE(has(text, " app\n"));
  CHECK_FALSE(has(text, "ld-linux-x86-64.so.2\n"));
}

TEST_CASE("notes on an import are told when something is wrong, three of them, and all with -v") {
  auto report = failing_otherwise();
  Import import;
  import.notes = {"one", "two", "three"};
  report.resolution.imports = {import};
  CHECK(has(explained(report), "\n\nnote: one\nnote: two\nnote: three\n\n1 error"));
  report.resolution.imports[0].notes.push_back("four");
  CHECK(has(explained(report), "\nnote: three\nnote: 1 more note on what was not followed: -v\n\n"));
  auto style = plain_style();
  style.verbosity = 1;
  CHECK(has(explained(report, style), "\nnote: three\nnote: four\n\n"));
  auto healthy = healthy_report();
  healthy.resolution.imports = report.resolution.imports;
  CHECK_FALSE(has(explained(healthy), "note: "));
  CHECK(has(explained(healthy, style), "\nnote: four\n"));
}

TEST_CASE("with -v stands what was not looked into, and which lines ask for what no file tells") {
  auto report = healthy_report();
  auto style = plain_style();
  style.verbosity = 1;
  Import import;
  import.unfollowed = {{"a computed name", true, "/a.py", 3, "a", "load(x)"},
                       {"a name", false, "/b.so", 0, "b", "libx"}};
  report.resolution.imports = {import};
  report.resolution.constants_left_out = 1;
  const std::string notes = R"(
note: 1 file in archives: constants that name libraries were not looked for there (--constants all
does)
note: /a.py:3 asks for a computed name: load(x)
note: /b.so: a name: libx
)";
  CHECK(explained(report, style).ends_with(notes));
  CHECK_FALSE(has(explained(report), "note: "));
  report.resolution.constants_left_out = 2;
  CHECK(has(explained(report, style), "note: 2 files in archives: "));
}

TEST_CASE("a fix in words alone has no line for a command") {
  auto report = failing_otherwise();
  report.findings[0].fixes = {{"in words alone", "", ""}, {"second", "one\ntwo", "and more"}};
  CHECK(has(explained(report),
            "fix           A  in words alone\n              B  second; and more\n                   one\n"
            "                   two\nwon't help    "));
  report.findings[0].fixes.pop_back();
  CHECK(has(explained(report), "fix           in words alone\nwon't help    "));
}

TEST_CASE("among several targets one that loads has no line") {
  auto report = failing_otherwise();
  Target good;
  good.given = "libgood.so";
  good.kind = TargetKind::dlopen;
  report.resolution.targets.push_back(good);
  const auto text = explained(report);
  CHECK(has(text, "\nstart fails   ./app: "));
  CHECK_FALSE(has(text, "libgood.so"));
}

TEST_CASE("a finding whose evidence is the answer is shown in full, unless something else is wrong") {
  auto report = failing_otherwise();
  auto warning = report.findings[0];
  warning.code = "CUD303";
  warning.name = "two-runtimes";
  warning.level = Level::warning;
  warning.message = "two of them";
  warning.edge.reset();
  warning.fixes.clear();
  warning.does_not_help.clear();
  warning.consequence.clear();
  report.findings.push_back(warning);
  CHECK(has(explained(report), "\n\nwarning[CUD303] two-runtimes: two of them\n\n"));
  report.findings[0].code = "CUD308";
  const auto text = explained(report);
  CHECK(text.substr(text.find("\n\nwarning[CUD303]")) == R"(

warning[CUD303] two-runtimes
  two of them
  in          /opt/app/lib/libfoo.so.1.2
  through     app → libfoo.so.1
  because     a DT_RUNPATH switches DT_RPATH off                                      rule: ld.so(8)
              lies beside it                                                                  proven
              /opt/other/libcudart.so.13

1 error, 1 warning (4 files).  Next: cudald rule CUD308
)");
}

TEST_CASE("of several causes of one level the first is shown in full, and of each other one the fix") {
  auto report = failing_otherwise();
  auto second = report.findings[0];
  second.code = "CUD103";
  second.name = "of-the-file";
  second.message = "the file is wrong";
  second.edge.reset();
  auto third = report.findings[0];
  third.code = "CUD104";
  third.name = "of-a-search";
  third.message = "the search is wrong";
  third.fixes = {{"in words alone", "", ""}};
  report.findings = {second, third};
  const auto text = explained(report);
  CHECK(has(text, "\nerror[CUD103] of-the-file\n  the file is wrong\n  in          /opt/app/lib/libfoo.so.1.2\n"));
  CHECK(has(text, "\nerror[CUD104] of-a-search: the search is wrong\n  fix: in words alone\n"));
  report.findings[1].fixes.clear();
  CHECK(has(explained(report), "\nerror[CUD104] of-a-search: the search is wrong\n\n2 errors"));
}

TEST_CASE("of what loads no finding is grave") {
  auto report = healthy_report();
  report.findings = failing_otherwise().findings;
  CHECK(has(explained(report),
            "\n\nerror[CUD201] symbol-missing: libcudart.so.12 is not found in any directory the loader searches\n\n"));
}

TEST_CASE("where nothing was loaded and nothing found the verdict and the message are all") {
  Report report;
  report.headline = "nothing is known";
  report.resolution.notes = {"a note"};
  CHECK(explained(report) == "UNKNOWN  nothing is known\n");
  auto style = plain_style();
  style.library = "libx.so";
  CHECK(explained(report, style) == "UNKNOWN  nothing is known\n");
  report.message = made_message();
  report.message->effect = MessageEffect::risk;
  CHECK(explained(report).ends_with("\nit means      a file is missing\n"));
  // A finding is told though nothing was loaded, also to who asks about one library.
  report.message.reset();
  Finding finding;
  finding.code = "CUD904";
  finding.name = "unreadable";
  finding.message = "no file";
  finding.subject = "x";
  report.findings = {finding};
  const std::string found =
      "error[CUD904] unreadable\n  no file\n\nnote: a note\n\n1 error (0 files).  Next: cudald rule CUD904\n";
  CHECK(explained(report) == "UNKNOWN  nothing is known\n\n" + found);
  CHECK(explained(report, style) == "UNKNOWN  nothing is known\n\n" + found);
}

TEST_CASE("what a real load came to stands between what is needed and the targets that fail") {
  auto report = failing_otherwise();
  report.probe.emplace();
  report.probe->not_run = {"there is no such program"};
  CHECK(has(explained(report), "\nnot probed    there is no such program\n\nerror[CUD201]"));
}

}  // namespace
}  // namespace cudald
