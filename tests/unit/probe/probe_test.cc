// The program that loads for real is replaced by a shell: as its first word is the number of the records' descriptor,
// the shell runs the script of that name in the current folder.

#include <cudald/probe.h>

#include <errno.h>
#include <signal.h>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include <cudald/environment.h>
#include <cudald/image.h>
#include <cudald/report.h>
#include <cudald/session.h>

#include "common/elf_builder.h"
#include "unit/tree/scratch_folder.h"

namespace cudald {
namespace {

using ProbeTexts = std::vector<std::string>;

/// A library that this process has mapped, so that it can be loaded here.
std::string mapped_here(const std::string& name) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.ends_with("/" + name)) return line.substr(line.find('/'));
  FAIL("this program is not linked with " << name);
  return "";
}

struct RealWorld {
  RealWorld() {
    query.environment = host_environment();
    query.environment.variables = {{"PATH", "/usr/bin:/bin"}};
    query.environment.cwd = folder.path();
    query.fixes = false;
  }

  /// What comes of the question if that is the script.
  ProbeRun run(const std::string& script) {
    auto report = answered(script);
    CHECK(report.probe->not_run == ProbeTexts{});
    REQUIRE(report.probe->runs.size() == 1);
    return report.probe->runs[0];
  }
  Report answered(const std::string& script) {
    folder.add_file("3", script);
    auto report = session.explain(query);
    probe(report, session, settings);
    REQUIRE(report.probe);
    return report;
  }

  /// A file for this machine, which the shell's own loader would take.
  void add_elf(const std::string& name, ElfSpec spec) {
    const auto shell = session.image(settings.child);
    REQUIRE(shell);
    spec.machine = (*shell)->machine;
    folder.add_file(name, elf(spec));
  }

  ScratchFolder folder;
  std::unique_ptr<FileSystem> files = make_disk_file_system();
  Session session{*files};
  std::string library = mapped_here("libm.so.6");
  Query query{.targets = {library}};
  ProbeSettings settings{.child = std::filesystem::canonical("/bin/sh").string()};
};

TEST_CASE("ways, ends and results of a probe have words") {
  CHECK(to_string(ProbeWay::open) == "open");
  CHECK(to_string(ProbeWay::list) == "list");
  CHECK(to_string(ProbeWay::import) == "import");
  CHECK(to_string(ProbeEnd::finished) == "finished");
  CHECK(to_string(ProbeEnd::exited) == "exited");
  CHECK(to_string(ProbeEnd::crashed) == "crashed");
  CHECK(to_string(ProbeEnd::timed_out) == "timed-out");
  CHECK(to_string(ProbeEnd::not_started) == "not-started");
  CHECK(to_string(CheckResult::ok) == "ok");
  CHECK(to_string(CheckResult::failed) == "failed");
  CHECK(to_string(CheckResult::not_run) == "not-run");
}

TEST_CASE("what the child tells of a library that loads agrees with the simulation") {
  RealWorld world;
  const auto run = world.run(R"(printf '%s ' "$@"; printf 'step\tending\nopened\tx\ndone\n' >&3)");
  CHECK(run.way == ProbeWay::open);
  CHECK(run.end == ProbeEnd::finished);
  CHECK(run.status == 0);
  CHECK(run.step == "ending");
  CHECK(run.output == "open n " + world.library + " ");
  CHECK(run.output_bytes == run.output.size());
  CHECK(run.differences.empty());
  CHECK_FALSE(run.only_order);
  CHECK_FALSE(run.mapped_all);
  CHECK(run.predicted >= 3);  // the shell, its C library and loader, this library
  CHECK(run.seconds > 0);
  REQUIRE(run.targets.size() == 1);
  CHECK(run.targets[0].loaded);
}

TEST_CASE("the child is told of each dlopen how it binds") {
  RealWorld world;
  for (const auto& [traits, letters] : {std::pair(RequestTraits{}, "-"),
                                        {RequestTraits{.bind_now = true}, "n"},
                                        {RequestTraits{.global = true}, "-g"},
                                        {RequestTraits{.global = true, .bind_now = true, .deepbind = true}, "ngd"}}) {
    world.query.dlopens = {{.name = "libm.so.6", .traits = traits}};
    CHECK(world.run(R"(shift 3; printf '%s ' "$@")").output == "open " + std::string(letters) + " libm.so.6 ");
  }
}

TEST_CASE("a library that is refused, where the simulation loads it, is a difference") {
  RealWorld world;
  const auto run = world.run(R"(printf 'refused\tx\tno such thing\ndone\n' >&3)");
  CHECK(run.differences == ProbeTexts{"x was predicted to load, and does not: no such thing"});
  REQUIRE(run.targets.size() == 1);
  CHECK(run.targets[0].error == "no such thing");
}

TEST_CASE("a child has finished if it says so and ends well; its targets without an answer were not loaded") {
  RealWorld world;
  struct Row {
    const char* script;
    ProbeEnd end;
    int status;
  };
  for (const auto& [script, end, status] :
       {Row{R"(printf 'done\n' >&3)", ProbeEnd::finished, 0},
        Row{R"(printf 'done\n' >&3; exit 3)", ProbeEnd::exited, 3}, Row{"exit 0", ProbeEnd::exited, 0},
        Row{"kill -SEGV $$", ProbeEnd::crashed, SIGSEGV}}) {
    const auto run = world.run(script);
    CHECK(run.end == end);
    CHECK(run.status == status);
    CHECK(run.step == "the program is started");
    REQUIRE(run.targets.size() == 1);
    CHECK(run.targets[0].name == world.library);
    CHECK_FALSE(run.targets[0].loaded);
    CHECK(run.targets[0].error == "");
  }
  world.settings.timeout = std::chrono::milliseconds(200);
  CHECK(world.run("exec sleep 600").end == ProbeEnd::timed_out);
}

TEST_CASE("files that are mapped are compared, and what came later is told once") {
  RealWorld world;
  const auto run = world.run(R"(printf 'opened\tx\nobject\t1\t1\ta\t/a\nobject\t1\t2\tb\t/b\nmapped\n' >&3
                                printf 'late\t1\t2\tb\t/b\nlate\t1\t3\tc\t/c\ndone\n' >&3)");
  CHECK(run.mapped_all);
  CHECK(run.mapped == ProbeTexts{"/a", "/b"});
  CHECK(run.mapped_later == ProbeTexts{"/c"});
  REQUIRE(run.differences.size() == 2 + run.predicted);
  CHECK(run.differences[0] == "/a is mapped, but was not predicted");
  CHECK(run.differences[1] == "/b is mapped, but was not predicted");
  CHECK_FALSE(run.only_order);
}

/// Tells the files as mapped, in that order.
std::string telling(const std::vector<Object>& objects) {
  std::string script = "printf 'opened\\tx\\n' >&3\n";
  for (const auto& object : objects)
    script += "printf 'object\\t" + std::to_string(object.id.device) + "\\t" + std::to_string(object.id.inode) + "\\t" +
              object.path + "\\t" + object.path + "\\n' >&3\n";
  return script + "printf 'mapped\\ndone\\n' >&3\n";
}

TEST_CASE("the same files in another order differ in that alone") {
  RealWorld world;
  Query asked = world.query;
  asked.targets = {world.settings.child};
  asked.dlopens = {{.name = world.library, .traits = {.bind_now = true}}};
  auto objects = world.session.explain(asked).resolution.objects;
  REQUIRE(objects.size() >= 3);
  CHECK(world.run(telling(objects)).differences.empty());
  std::swap(objects[0], objects[1]);
  const auto run = world.run(telling(objects));
  CHECK(run.differences.size() == 1);
  CHECK(run.only_order);
}

TEST_CASE("what targets write is shown up to 2000 bytes, complaints behind output, and counted whole") {
  RealWorld world;
  const auto run = world.run("head -c 1999 /dev/zero | tr '\\0' o; printf complaint >&2");
  CHECK(run.output == std::string(1999, 'o') + "c");
  CHECK(run.output_bytes == 2008);
}

TEST_CASE("--preload goes before LD_PRELOAD's own, and without both there is no such variable") {
  RealWorld world;
  const std::string script = "printf %s \"${LD_PRELOAD-none}\"";
  const auto preload = [&](std::vector<std::string> given, const std::string& variable) {
    world.query.environment.preload = std::move(given);
    world.query.environment.variables["LD_PRELOAD"] = variable;
    return world.run(script).output;
  };
  const auto& m = world.library;
  const auto c = mapped_here("libc.so.6");
  CHECK(preload({}, "") == "none");
  CHECK(preload({m}, "") == m);
  CHECK(preload({}, c) == c);
  CHECK(preload({m, c}, m) == m + ":" + c + ":" + m);
}

TEST_CASE("what cannot be run here is told, and nothing is started") {
  RealWorld world;
  const auto reasons = [&] {
    const auto report = world.answered("printf started >&2");
    CHECK(report.probe->runs.empty());
    return report.probe->not_run;
  };
  world.query.environment.secure = true;
  CHECK(reasons() == ProbeTexts{"a set-user-ID process (--secure) cannot be started for another user's question"});
  world.query.environment.secure = false;
  const auto shell = world.settings.child;
  world.settings.child = "/nonexistent/child";
  CHECK(reasons() ==
        ProbeTexts{"the program /nonexistent/child, which belongs to cudald, cannot be read: No such file or "
                   "directory"});
  world.folder.add_file("other", elf({.machine = EM_RISCV}));
  world.settings.child = world.folder / "other";
  CHECK(reasons() == ProbeTexts{"it is made for another kind of machine than cudald itself"});
  world.settings.child = shell;
  world.query.environment.preload = {};
}

TEST_CASE("a program is listed by its real loader, as predicted") {
  RealWorld world;
  world.query.targets = {world.settings.child};
  const auto run = world.run("exit 9");
  CHECK(run.way == ProbeWay::list);
  CHECK(run.end == ProbeEnd::finished);
  CHECK(run.differences == ProbeTexts{});
  CHECK(run.mapped_all);
  REQUIRE(run.targets.size() == 1);
  CHECK(run.targets[0].name == world.settings.child);
  CHECK(run.targets[0].loaded);
  REQUIRE(run.mapped.size() >= 2);
  CHECK(run.mapped[0] == world.settings.child);
  CHECK(run.mapped.size() == run.predicted);
  CHECK(run.output == "");
  CHECK(run.output_bytes == 0);
  CHECK(run.step.ends_with(" lists what " + world.settings.child + " loads"));
}

/// A question about two modules of a Python that is a script.
ProbeRun import_run(const std::string& script, const std::string& error_of_second = "") {
  RealWorld world;
  auto report = world.session.explain(world.query);
  const auto python = world.folder / "python";
  world.folder.add_file("python", "#!/bin/sh\n" + script);
  std::filesystem::permissions(python, std::filesystem::perms(0755));
  report.resolution.targets.clear();
  for (const std::string module : {"one", "two"}) {
    auto& import = report.resolution.imports.emplace_back();
    import.target = report.resolution.targets.size();
    import.module = module;
    import.python = python;
    auto& target = report.resolution.targets.emplace_back();
    target.given = "py:" + module;
    target.kind = TargetKind::import;
  }
  report.resolution.targets.back().error = error_of_second;
  for (auto& object : report.resolution.objects) object.target = 0;
  probe(report, world.session, world.settings);
  REQUIRE(report.probe->runs.size() == 1);
  return report.probe->runs[0];
}

TEST_CASE("modules are imported by their Python, which writes no compiled files") {
  const auto run = import_run(R"(printf '%s|' "$1" "$2" "$4" "$5" "$6" "$#"
                                 printf 'opened\tone\nrefused\ttwo\tImportError: no\ndone\n' >&3)");
  CHECK(run.way == ProbeWay::import);
  CHECK(run.end == ProbeEnd::finished);
  CHECK(run.output == "-B|-c|3|one|two|6|");
  CHECK(run.differences.size() == 1);
  CHECK(run.differences.at(0).find("two") != std::string::npos);
  CHECK_FALSE(run.plain_works);
  // That it fails agrees; Python's words are not those of the loader.
  CHECK(import_run(R"(printf 'opened\tone\nrefused\ttwo\tImportError: no\ndone\n' >&3)", "ImportError: never")
            .differences == ProbeTexts{});
}

TEST_CASE("of an import that does not finish it is asked whether it works without cudald's script") {
  CHECK(import_run(R"([ $# = 3 ] && [ "$3" = "import one
import two
" ])")
            .plain_works);
  CHECK_FALSE(import_run("exit 4").plain_works);
  CHECK_FALSE(import_run("kill -SEGV $$").plain_works);
}

TEST_CASE("libraries of CUDA that are loaded are named to the child, with what each is") {
  RealWorld world;
  world.add_elf("libcudart.so.12", {.soname = "libcudart.so.12"});
  world.add_elf("libcudnn.so.9", {.soname = "libcudnn.so.9", .needed = {"libcudart.so.12"}});
  world.query.environment.variables["LD_LIBRARY_PATH"] = world.folder.path();
  world.query.targets = {world.folder / "libcudnn.so.9"};
  const auto run = world.run(R"(printf '%s ' "$@")");
  CHECK(run.output == "open n " + world.folder / "libcudnn.so.9" + " cudnn " + world.folder / "libcudnn.so.9" +
                          " runtime " + world.folder / "libcudart.so.12" + " ");
}

TEST_CASE("where not even the child would start, that is told and nothing is run") {
  RealWorld world;
  const auto shell = world.session.image(world.settings.child);
  REQUIRE(shell);
  world.add_elf("child", {.type = ET_EXEC, .interpreter = (*shell)->elf.interpreter, .needed = {"libgone.so"}});
  world.settings.child = world.folder / "child";
  const auto report = world.answered("printf started >&2");
  CHECK(report.probe->runs.empty());
  REQUIRE(report.probe->not_run.size() == 1);
  CHECK(report.probe->not_run[0] ==
        "with this environment not even the program that would load it starts: libgone.so: cannot open shared object "
        "file: No such file or directory");
}

TEST_CASE("a program that its loader refuses is told with the loader's words, as predicted") {
  RealWorld world;
  world.folder.add_file("libc.so.6", "this is no library, and is longer than the header of one would be ...........");
  world.query.environment.variables["LD_LIBRARY_PATH"] = world.folder.path();
  world.query.targets = {world.settings.child};
  const auto run = world.run("exit 9");
  CHECK(run.way == ProbeWay::list);
  CHECK(run.end == ProbeEnd::finished);
  CHECK_FALSE(run.mapped_all);
  CHECK(run.differences == ProbeTexts{});
  REQUIRE(run.targets.size() == 1);
  CHECK_FALSE(run.targets[0].loaded);
  CHECK(run.targets[0].error == world.folder / "libc.so.6" + ": invalid ELF header");
}

TEST_CASE("what a program would open later is not among what its start maps") {
  RealWorld world;
  world.query.targets = {world.settings.child};
  world.query.dlopens = {{.name = world.library}};
  const auto report = world.answered("exit 9");
  CHECK(report.probe->not_run ==
        ProbeTexts{world.library + " is not loaded: of a program only the start is probed, so that nothing "
                                   "of it runs"});
  REQUIRE(report.probe->runs.size() == 1);
  CHECK(report.probe->runs[0].differences == ProbeTexts{});
  CHECK(report.probe->runs[0].mapped.size() == report.probe->runs[0].predicted);
}

TEST_CASE("a child that says it is done and crashes then has crashed, and a difference of order is not alone") {
  RealWorld world;
  CHECK(world.run(R"(printf 'done\n' >&3; kill -SEGV $$)").end == ProbeEnd::crashed);
  Query asked = world.query;
  asked.targets = {world.settings.child};
  asked.dlopens = {{.name = world.library, .traits = {.bind_now = true}}};
  auto objects = world.session.explain(asked).resolution.objects;
  std::swap(objects[0], objects[1]);
  auto script = telling(objects);
  script.replace(script.find("opened\\tx"), 9, "refused\\tx\\tno");
  const auto run = world.run(script);
  CHECK(run.differences.size() == 2);
  CHECK_FALSE(run.only_order);
}

/// What listing a program comes to whose loader is this script.
ProbeRun listed_by(const std::string& script) {
  RealWorld world;
  world.query.targets = {world.settings.child};
  auto report = world.session.explain(world.query);
  world.folder.add_file("loader", "#!/bin/sh\n" + script);
  std::filesystem::permissions(world.folder / "loader", std::filesystem::perms(0755));
  auto image = std::make_shared<Image>(*report.resolution.objects[0].image);
  image->elf.interpreter = world.folder / "loader";
  report.resolution.objects[0].image = image;
  probe(report, world.session, world.settings);
  REQUIRE(report.probe->runs.size() == 1);
  CHECK(report.probe->runs[0].step == world.folder / "loader" + " lists what " + world.settings.child + " loads");
  return report.probe->runs[0];
}

TEST_CASE("a loader that lists nothing, or crashes, is told by what it says and how it ends") {
  const auto refused = listed_by("echo 'odd words' >&2; exit 1");
  CHECK(refused.end == ProbeEnd::finished);
  CHECK(refused.status == 1);
  CHECK_FALSE(refused.mapped_all);
  CHECK_FALSE(refused.targets.at(0).loaded);
  CHECK(refused.targets[0].error == "odd words");
  REQUIRE(refused.differences.size() == 1);
  CHECK(refused.differences[0].ends_with(" was predicted to load, and does not: odd words"));
  const auto crashed = listed_by("echo 'odd words' >&2; kill -SEGV $$");
  CHECK(crashed.end == ProbeEnd::crashed);
  CHECK(crashed.status == SIGSEGV);
  CHECK_FALSE(crashed.targets.at(0).loaded);
  CHECK(crashed.targets[0].error.empty());
  // What is not there is not mapped.
  const auto listed = listed_by("printf '\\tx => /nowhere/x (0x1)\\n\\t/ (0x2)\\n'");
  CHECK(listed.mapped_all);
  CHECK(listed.output.empty());
  REQUIRE(listed.mapped.size() == 2);
  CHECK(listed.mapped[1] == "/");
}

/// A question about a module, a library and another module, of a Python that is a script.
Report imported(RealWorld& world, const std::string& script) {
  auto report = world.session.explain(world.query);
  world.folder.add_file("python", "#!/bin/sh\n" + script);
  std::filesystem::permissions(world.folder / "python", std::filesystem::perms(0755));
  report.resolution.targets.clear();
  for (const std::string name : {"one", "library", "two"}) {
    auto& target = report.resolution.targets.emplace_back();
    target.given = name;
    if (name == "library") continue;
    target.kind = TargetKind::import;
    auto& import = report.resolution.imports.emplace_back();
    import.target = report.resolution.targets.size() - 1;
    import.module = name;
    import.python = world.folder / "python";
  }
  return report;
}

TEST_CASE("of what stands among modules nothing is compared, and each module with its own answer") {
  RealWorld world;
  auto report = imported(world, R"(printf 'opened\tone\nrefused\ttwo\tno\ndone\n' >&3)");
  report.resolution.targets[1].error = "not asked for";
  report.resolution.targets[2].error = "ImportError: no";
  probe(report, world.session, world.settings);
  CHECK(report.probe->not_run == ProbeTexts{"library is not loaded: after an import nothing else is loaded"});
  REQUIRE(report.probe->runs.size() == 1);
  CHECK(report.probe->runs[0].differences == ProbeTexts{});
}

TEST_CASE("a Python that cannot be started is told, and not tried again") {
  RealWorld world;
  auto report = imported(world, "");
  for (auto& import : report.resolution.imports) import.python = world.folder / "none";
  probe(report, world.session, world.settings);
  REQUIRE(report.probe->runs.size() == 1);
  CHECK(report.probe->runs[0].end == ProbeEnd::not_started);
  CHECK(report.probe->runs[0].status == ENOENT);
  CHECK_FALSE(report.probe->runs[0].plain_works);
}

TEST_CASE("where all is left out nothing is run") {
  RealWorld world;
  auto report = imported(world, "");
  report.resolution.targets.resize(1);
  report.resolution.imports.clear();
  probe(report, world.session, world.settings);
  CHECK(report.probe->not_run == ProbeTexts{"one is not loaded: no Python of this machine belongs to it"});
  CHECK(report.probe->runs.empty());
}

TEST_CASE("the CUDA that an import loads is asked in a process of its own") {
  RealWorld world;
  const auto library = world.folder / "libcudart.so.12";
  world.folder.add_file("libcudart.so.12", elf({.soname = "libcudart.so.12"}));
  world.folder.add_file("3", R"(printf '%s ' "$@")");
  auto report = imported(world, R"(printf 'done\n' >&3)");
  auto cudart = report.resolution.objects[0];
  cudart.path = library;
  auto image = std::make_shared<Image>(*cudart.image);
  image->soname = "libcudart.so.12";
  cudart.image = image;
  report.resolution.objects.push_back(cudart);
  probe(report, world.session, world.settings);
  REQUIRE(report.probe->runs.size() == 2);
  CHECK(report.probe->runs[0].way == ProbeWay::import);
  CHECK(report.probe->runs[1].way == ProbeWay::open);
  CHECK(report.probe->runs[1].output == "open n " + library + " runtime " + library + " ");
}

TEST_CASE("a loader that refuses a program in other words than were predicted differs") {
  RealWorld world;
  world.query.targets = {world.settings.child};
  auto report = world.session.explain(world.query);
  world.folder.add_file("loader",
                        "#!/bin/sh\necho 'sh: error while loading shared libraries: liba.so: gone' >&2\necho >&2\n"
                        "exit 127");
  std::filesystem::permissions(world.folder / "loader", std::filesystem::perms(0755));
  auto image = std::make_shared<Image>(*report.resolution.objects[0].image);
  image->elf.interpreter = world.folder / "loader";
  report.resolution.objects[0].image = image;
  report.resolution.targets[0].error = "libb.so: gone";
  probe(report, world.session, world.settings);
  REQUIRE(report.probe->runs.size() == 1);
  const auto& run = report.probe->runs[0];
  CHECK(run.end == ProbeEnd::finished);
  CHECK(run.status == 127);
  CHECK(run.targets.at(0).error == "liba.so: gone");
  CHECK(run.differences ==
        ProbeTexts{world.settings.child + " fails as predicted, but for another reason: liba.so: gone",
                   "the reason that was predicted: libb.so: gone"});
  CHECK(run.mapped == ProbeTexts{world.settings.child});
}

TEST_CASE("a library that is refused in other words than were predicted differs, and each has its own answer") {
  RealWorld world;
  world.add_elf("broken.so", {.needed = {"libgone.so"}});
  world.query.targets = {world.library, world.folder / "broken.so"};
  const auto run = world.run(R"(printf 'opened\tx\nrefused\ty\tother words\ndone\n' >&3)");
  REQUIRE(run.differences.size() == 2);
  CHECK(run.differences[0] == "y fails as predicted, but for another reason: other words");
  CHECK(run.differences[1].starts_with("the reason that was predicted: libgone.so: cannot open shared object file"));
  REQUIRE(run.targets.size() == 2);
  CHECK(run.targets[0].name == "x");
  // More answers than questions are kept, and compared with nothing.
  const auto more = world.run(R"(printf 'opened\ta\nopened\tb\nrefused\tc\tno\ndone\n' >&3)");
  CHECK(more.targets.size() == 3);
  REQUIRE(more.differences.size() == 1);
  CHECK(more.differences[0].starts_with("b loads, and this failure was predicted: libgone.so"));
}

TEST_CASE("what a child found of libraries is handed on") {
  RealWorld world;
  const auto run = world.run(R"(printf 'check\t/a\tkernel\tfailed\twrong\ncheck\t/b\tdevices\tok\ttwo\ndone\n' >&3)");
  REQUIRE(run.checks.size() == 2);
  CHECK(run.checks[0].library == "/a");
  CHECK(run.checks[0].what == "kernel");
  CHECK(run.checks[0].result == CheckResult::failed);
  CHECK(run.checks[0].text == "wrong");
  CHECK(run.checks[1].result == CheckResult::ok);
}

}  // namespace
}  // namespace cudald
