#include <cerrno>

#include <doctest/doctest.h>

#include "base/path.h"
#include "common/pe_builder.h"
#include "common/wheel_file.h"
#include "common/world.h"

namespace cudald {
namespace {

TEST_CASE("a file that cannot be the start of a process is refused with a reason") {
  struct Row {
    std::string name, bytes, reason;
  };
  const auto cut = elf({}).substr(0, 60);
  auto cut_headers = elf({});
  poke(cut_headers, 32, std::uint64_t{1} << 40);
  const std::string headers = "its program headers are missing or run past the end of the file";
  const Row rows[] = {
      {"empty", "", "the file is empty"},
      {"text", "exit 0\n", "not an ELF file (it does not start with \\x7fELF)"},
      {"a library for macOS", "\xcf\xfa\xed\xfe",
       "not an ELF file: it is a Mach-O file, for macOS; install the build for Linux: the file was made on another "
       "system and copied"},
      {"a script without its program", "#!/bin/sh -e\nexit 0\n",
       "a script whose first line names /bin/sh, which is missing"},
      {"a script of an environment that was moved", "#!/old/bin/y\n",
       "a script whose first line names /old/bin/y, which is missing: its environment was moved or copied. Run /bin/y "
       "/bin/x, or make the environment anew"},
      {"a script", "#! /bin/y -e\n", "a script, which /bin/y runs: name that program, or a module by py:NAME"},
      {"a program for DOS", "MZ", "a program for DOS, or a PE file that was cut short"},
      {"cut short", cut, "the ELF header is cut short or names an unknown class or byte order"},
      {"an object file", elf({.type = ET_REL}), "an object file (.o): it is linked, not loaded"},
      {"a core file", elf({.type = ET_CORE}), "an ELF file, but neither a program nor a shared library"},
      {"program headers outside", cut_headers, headers},
      {"no segments", elf({.dynamic_segment = false, .load_segment = false}), headers},
      {"debug information", elf({.segments = {{.type = PT_DYNAMIC}}, .dynamic_segment = false}),
       "object file has no dynamic section"},
      {"a GPU's program", elf({.machine = EM_CUDA}), "made for cuda (elf64), a machine whose loader is not simulated"},
      {"a program for Windows", pe({}), "a PE file (pe32+): only a process of Windows loads it"},
      {"big-endian x86", elf({.byte_order = ByteOrder::big}),
       "made for x86_64 (elf64), a machine whose loader is not simulated"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    TestWorld world;
    world.query.windows = false;
    world.files.add_file("/bin/x", row.bytes);
    world.files.add_file("/bin/y", "");
    const auto report = world.explain({"/bin/x"});
    CHECK(report.resolution.objects.empty());
    REQUIRE(report.resolution.targets.size() == 1);
    REQUIRE(report.resolution.targets[0].unreadable);
    CHECK(report.resolution.targets[0].unreadable->message == row.reason);
    CHECK(report.resolution.targets[0].unreadable->code == ErrorCode::malformed);
    CHECK(report.resolution.targets[0].unreadable->path == "/bin/x");
    CHECK(report.verdict == Verdict::unknown);
  }
}

TEST_CASE("a Python source is refused with the command that judges its imports") {
  TestWorld world;
  world.query.windows = false;
  world.files.add_file("/my files/app.py", "import a\n");
  const auto report = world.explain({"/my files/app.py"});
  REQUIRE(report.resolution.targets.size() == 1);
  REQUIRE(report.resolution.targets[0].unreadable);
  CHECK(report.resolution.targets[0].unreadable->message ==
        "Python source, which the loader does not load. What it imports: PYTHONPATH='/my files' cudald py:app");
}

TEST_CASE("a script is judged by what it imports, with its directory first in sys.path") {
  TestWorld world;
  world.query.windows = false;
  world.query.prefix = "/venv";
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file("/venv/lib/python3.11/site-packages/near.py", "raise ValueError('the other')\n");
  world.files.add_file("/my/near.py", "raise ValueError('mine')\n");
  world.files.add_file("/my/app.py", "import near\n");
  const auto report = world.explain({"/my/app.py"});
  REQUIRE(report.resolution.imports.size() == 1);
  CHECK(report.resolution.imports[0].module == "app");
  CHECK(report.resolution.targets[report.resolution.imports[0].target].error == "ValueError: mine");
}

TEST_CASE("a machine that was asked for must be the target's") {
  TestWorld world;
  world.add("/bin/app", program({}));
  world.query.environment.machine = EM_AARCH64;
  CHECK(outcome(world.explain({"/bin/app"})) ==
        "unreadable: made for x86_64, not for the aarch64 that was asked for\n");
  world.query.environment.machine = EM_X86_64;
  CHECK(outcome(world.explain({"/bin/app"})) == "loads\n");
}

TEST_CASE("a package is judged for the machine that was asked for, unless its tag is for another one") {
  TestWorld world;
  const auto members = std::vector<std::pair<std::string, std::string>>{
      {"pkg/__init__.py", "from . import a\n"},
      {"pkg/a.so", elf({.defines = {{"PyInit_a"}}, .executable_stack = false})}};
  const std::string any = "/w/pkg-1.0-py3-none-any.whl", tag = "py3-none-manylinux_2_17_x86_64";
  world.files.add_file(any, wheel_file(members));
  world.files.add_file("/w/pkg-1.0-" + tag + ".whl", wheel_file(members, "", "pkg", tag));
  world.query.environment.machine = EM_X86_64;
  CHECK(world.explain({any}).verdict == Verdict::risk);
  CHECK(world.explain({"/w/pkg-1.0-" + tag + ".whl"}).verdict == Verdict::loads);
  world.query.environment.machine = EM_AARCH64;
  CHECK(world.explain({any}).verdict == Verdict::fails);
  CHECK(outcome(world.explain({"/w/pkg-1.0-" + tag + ".whl"})) ==
        "unreadable: by its platform tag for x86_64, not for the aarch64 that was asked for\n");
}

TEST_CASE("the C library is told by the program's interpreter, or by what a library needs") {
  struct Row {
    std::string name;
    ElfSpec spec;
    LibcKind kind;
  };
  auto for_musl = program({});
  for_musl.interpreter = "/lib/ld-musl-x86_64.so.1";
  const Row rows[] = {
      {"a program for glibc", program({}), LibcKind::glibc},
      {"a program for musl", for_musl, LibcKind::musl},
      {"a library for glibc", {.needed = {"libc.so.6"}}, LibcKind::glibc},
      {"a library for musl", {.needed = {"libc.so"}}, LibcKind::musl},
      {"a library for Alpine", {.needed = {"libc.musl-x86_64.so.1"}}, LibcKind::musl},
      {"a library that does not say", {}, LibcKind::glibc},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    TestWorld world;
    world.add("/x", row.spec);
    CHECK(world.explain({"/x"}).resolution.libc.kind == row.kind);
    world.query.environment.libc = LibcVersion{LibcKind::musl, 1, 2};
    CHECK(world.explain({"/x"}).resolution.libc.kind == LibcKind::musl);
  }
}

TEST_CASE("of a wheel of programs each has a process of its own, and those that do not start are told") {
  TestWorld world;
  world.add("/lib/libc.so.6", {.soname = "libc.so.6"});
  const std::string scripts = "pkg-1.0.data/scripts/", wheel = "/w/pkg-1.0-py3-none-linux_x86_64.whl";
  auto other = program({});
  other.machine = EM_AARCH64;
  other.interpreter = "/lib/ld-linux-aarch64.so.1";
  world.files.add_file(wheel, wheel_file({{scripts + "a", elf(program({}))},
                                          {scripts + "b", elf(program({.needed = {"libc.so.6", "libnone.so"}}))},
                                          {scripts + "c", elf(program({.needed = {"libc.so.6"}}))},
                                          {scripts + "d", elf(other)},
                                          {scripts + "e", "#!/bin/sh\n"}}));
  const auto report = world.explain({wheel});
  std::string failed;
  for (const auto& one : report.resolution.failed_programs)
    failed += std::string(file_name(one.path)) + ", " + one.library + ": " + one.error + "\n";
  CHECK(failed == "b, libnone.so: libnone.so: cannot open shared object file: No such file or directory\n");
}

TEST_CASE("libraries of a package that nobody imports are opened by the program") {
  TestWorld world;
  world.files.add_file("/w/pkg-1.0-py3-none-linux_x86_64.whl",
                       wheel_file({{"pkg/libb.so", elf({.runpath = "$ORIGIN", .needed = {"liba.so"}})},
                                   {"pkg/liba.so", elf({})},
                                   {"pkg/libc.so", elf({.needed = {"libnone.so"}})}}));
  const auto report = world.explain({"/w/pkg-1.0-py3-none-linux_x86_64.whl"});
  std::string edges;
  for (std::size_t id = 0; id < report.resolution.objects.size(); ++id)
    for (const auto& edge : report.resolution.objects[id].edges)
      edges += std::to_string(id) + " asks for " + std::string(file_name(edge.name)) + "\n";
  CHECK(edges ==
        "0 asks for liba.so\n0 asks for libb.so\n0 asks for libc.so\n2 asks for liba.so\n3 asks for libnone.so\n");
}

TEST_CASE("a file of a package is a module by its name, or by the function through which Python enters it") {
  const auto consequence = [](const std::string& name, const std::vector<ElfDefinition>& defines) {
    TestWorld world;
    const std::string path = "/dist/pkg-1.0-cp311-cp311-linux_x86_64.whl";
    world.files.add_file(path, wheel_file({{"pkg/__init__.py", ""},
                                           {"pkg/" + name, elf({.needed = {"libnone.so"}, .defines = defines})}}));
    const auto report = world.explain({path});
    REQUIRE(report.findings.size() == 1);
    const auto& text = report.findings[0].consequence;
    return text.substr(0, text.find(" says: ") + 5);
  };
  const std::string module = "`import pkg` works; importing pkg.a raises ImportError. dlerror() says";
  const std::string library = "Optional: the caller handles its absence, or no caller is known. dlerror() says";
  CHECK(consequence("a.cpython-311-x86_64-linux-gnu.so", {{"f"}}) == module);
  CHECK(consequence("a.abi3.so", {{"f"}}) == module);
  CHECK(consequence("a.so", {{"PyInit_a"}, {"f"}}) == module);
  CHECK(consequence("a.so", {}) == module);
  CHECK(consequence("a.so", {{"f"}}) == library);
  CHECK(consequence("a.so", {{"PyInit_b"}}) == library);
}

TEST_CASE("a package without a library for this process is refused with the reason") {
  TestWorld world;
  world.add("/bin/app", program({}));
  const auto refused = [&](const std::string& library) {
    const std::string wheel = "/w/pkg-1.0-py3-none-any.whl";
    world.files.add_file(wheel, library);
    const auto report = world.explain({"/bin/app", wheel});
    std::string reason = "is judged";
    for (const auto& target : report.resolution.targets)
      if (target.unreadable) reason = target.unreadable->message;
    return reason;
  };
  CHECK(refused(wheel_file({{"pkg/a.so", elf({})}})) == "is judged");
  CHECK(refused(wheel_file({{"pkg/a.dll", pe({})}})) ==
        "made for Windows (its libraries are PE files): it cannot be loaded together with the others");
  CHECK(refused(wheel_file({{"pkg/a.so", "text"}})) == "holds no shared library that could be judged");
  auto damaged = wheel_file({{"pkg/a.so", elf({})}});
  damaged[damaged.find("\x7f"
                       "ELF") +
          9] = '\x55';
  CHECK(refused(damaged) == "holds no shared library that can be unpacked");
}

TEST_CASE("a dlopen by what is not loaded is refused") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"liba.so"}}));
  for (const auto* library : {"/lib/liba.so", "/lib/libb.so"}) world.add(library, {});
  world.query.dlopens = {{.name = "libb.so", .caller = "liba.so"}};
  CHECK(outcome(world.explain({"/bin/app"})) == "loads\nloads\n");
  world.query.dlopens = {{.name = "libb.so", .caller = "libnone.so"}};
  CHECK(outcome(world.explain({"/bin/app"})) ==
        "loads\nunreadable: nothing of the name libnone.so is loaded that could call dlopen\n");
}

TEST_CASE("of a name that nothing answers to it is told where it was looked for") {
  TestWorld world;
  const std::string nowhere = "unreadable: not found: no file, library or module of that name";
  CHECK(outcome(world.explain({"libnone.so.1"})) == nowhere + "\n");
  world.query.prefix = "/venv";
  world.files.add_file("/venv/lib/python3.11/site-packages/pandas/__init__.py", "");
  CHECK(outcome(world.explain({"libnone.so.1"})) == nowhere + "; nor is it in /venv\n");
  CHECK(outcome(world.explain({"panda"})) ==
        nowhere + "; /venv has no module or package of that name; did you mean `pandas`?\n");
}

TEST_CASE("of a wheel's files those are programs that the kernel starts") {
  const auto starts = [](const ElfSpec& spec) {
    TestWorld world;
    const std::string wheel = "/w/pkg-1.0-py3-none-linux_x86_64.whl";
    world.files.add_file(wheel, wheel_file({{"pkg-1.0.data/scripts/a", elf(spec)}}));
    const auto report = world.explain({wheel});
    return !report.resolution.objects.empty() && report.resolution.objects.front().path.ends_with("/a");
  };
  CHECK(starts(program({})));
  auto fixed = program({});
  fixed.type = ET_EXEC;
  CHECK(starts(fixed));
  CHECK(starts({.type = ET_EXEC}));
  CHECK(starts({.flags_1 = DF_1_PIE}));
  CHECK_FALSE(starts({}));
  CHECK_FALSE(starts({.flags_1 = DF_1_NOW}));
  CHECK_FALSE(starts({.type = ET_REL, .flags_1 = DF_1_PIE}));
}

TEST_CASE("a file that is no shared library is none of a package's, whatever its name") {
  TestWorld world;
  world.files.add_file("/w/pkg-1.0-py3-none-linux_x86_64.whl",
                       wheel_file({{"pkg/liba.so", elf({.type = ET_REL})}, {"pkg/libb.so", elf({})}}));
  const auto report = world.explain({"/w/pkg-1.0-py3-none-linux_x86_64.whl"});
  CHECK(objects(report).find("libb.so") != std::string::npos);
  CHECK(objects(report).find("liba.so") == std::string::npos);
  CHECK(outcome(report).find("liba.so") == std::string::npos);
}

TEST_CASE("on a machine whose loader is not simulated nothing is started") {
  TestWorld world;
  world.query.environment.machine = EM_SPARCV9;
  world.query.prefix = "/venv";
  world.files.add_file("/venv/lib/python3.11/os.py", "");
  world.files.add_file("/venv/lib/python3.11/site-packages/pkg.py", "");
  CHECK(outcome(world.explain({"py:pkg"})).find(", a machine whose loader is not simulated\n") != std::string::npos);
  CHECK(outcome(world.explain({"libnone.so.1"})) ==
        "unreadable: not found: no file, library or module of that name; nor is it in /venv\n");
  world.query.environment.machine = EM_X86_64;
  CHECK(outcome(world.explain({"py:pkg"})) == "loads\nloads\n");
}

TEST_CASE("a program of a wheel that cannot be started at all is told, with the file's fault") {
  TestWorld world;
  const std::string scripts = "pkg-1.0.data/scripts/", wheel = "/w/pkg-1.0-py3-none-linux_x86_64.whl";
  auto other = program({});
  other.machine = EM_SPARCV9;
  other.byte_order = ByteOrder::big;
  world.files.add_file(wheel, wheel_file({{scripts + "a", elf(program({}))}, {scripts + "b", elf(other)}}));
  const auto report = world.explain({wheel});
  REQUIRE(report.resolution.failed_programs.size() == 1);
  CHECK(report.resolution.failed_programs[0].path.ends_with("/b"));
  CHECK(report.resolution.failed_programs[0].library == "");
  CHECK(report.resolution.failed_programs[0].error.find("a machine whose loader is not simulated") !=
        std::string::npos);
}

TEST_CASE("a module that no package has is told where the rest of the environment is not known") {
  TestWorld world;
  world.files.add_file("/w/pkg-1.0-py3-none-any.whl", wheel_file({{"numbers2/__init__.py", ""}}));
  world.query.packages = {"/w/pkg-1.0-py3-none-any.whl"};
  CHECK(outcome(world.explain({"py:numbers3"})) == "unreadable: no such module is there; did you mean `numbers2`?\n");
  CHECK(outcome(world.explain({"py:qqqqqqqq"})) == "unreadable: no such module is there\n");
}

/// Why the last target could not be tried; a code that nothing has if it could.
Error refusal_of(const Report& report) {
  for (auto target = report.resolution.targets.rbegin(); target != report.resolution.targets.rend(); ++target)
    if (target->unreadable) return *target->unreadable;
  return {ErrorCode::limit, "it can be tried", ""};
}

TEST_CASE("a file that cannot be opened is refused by the name that it was given") {
  TestWorld world;
  world.query.environment.cwd = "/here";
  world.files.add_folder("/here/folder");
  world.files.add_file("/here/closed.so", elf({}), {.readable = false});
  const auto folder = refusal_of(world.explain({"./folder"}));
  CHECK(folder.message == "no packages or libraries found in this directory");
  CHECK(folder.path == "./folder");
  CHECK(folder.system_error == EISDIR);
  const auto closed = refusal_of(world.explain({"./closed.so"}));
  CHECK(closed.code == ErrorCode::unreadable);
  CHECK(closed.path == "./closed.so");
  CHECK(closed.system_error == EACCES);
  const auto absent = refusal_of(world.explain({"./none.so"}));
  CHECK(absent.code == ErrorCode::absent);
  CHECK(absent.path == "./none.so");
  world.query.environment.machine = EM_AARCH64;
  world.add("/here/x.so", {});
  CHECK(refusal_of(world.explain({"./x.so"})).code == ErrorCode::malformed);
  CHECK(refusal_of(world.explain({"./x.so"})).path == "./x.so");
  const auto by_name = refusal_of(world.explain({"libnone.so"}));
  CHECK(by_name.code == ErrorCode::absent);
  CHECK(by_name.path == "libnone.so");
}

TEST_CASE("a package, a module and a caller that are refused are named as they were given") {
  TestWorld world;
  world.add("/bin/app", program({}));
  const std::string wheel = "/w/pkg-1.0-py3-none-any.whl";
  const auto refused = [&](const std::vector<std::pair<std::string, std::string>>& members) {
    world.files.add_file(wheel, wheel_file(members));
    const auto error = refusal_of(world.explain({"/bin/app", wheel}));
    CHECK(error.path == wheel);
    return error.code;
  };
  CHECK(refused({{"pkg/a.so", "text"}}) == ErrorCode::absent);
  CHECK(refused({{"pkg/a.dll", pe({})}}) == ErrorCode::malformed);
  world.query.dlopens = {{.name = "libb.so", .caller = "libnone.so"}};
  const auto call = world.explain({"/bin/app"});
  CHECK(refusal_of(call).code == ErrorCode::usage);
  CHECK(refusal_of(call).path == "libnone.so");
  CHECK(call.resolution.targets.back().given == "libb.so");
  world.query.dlopens.clear();
  world.files.add_file(wheel, wheel_file({{"pkg/__init__.py", ""}}));
  world.query.packages = {wheel};
  const auto module = refusal_of(world.explain({"py:none"}));
  CHECK(module.code == ErrorCode::absent);
  CHECK(module.path == "py:none");
}

TEST_CASE("where an environment's interpreter is no program, a neutral one imports") {
  TestWorld world;
  world.query.prefix = "/venv";
  world.files.add_file("/venv/bin/python3.11", "#!/bin/sh\n", {.executable = true});
  world.files.add_file("/venv/lib/python3.11/os.py", "");
  world.files.add_file("/venv/lib/python3.11/site-packages/pkg.py", "");
  const auto report = world.explain({"py:pkg"});
  CHECK(outcome(report) == "loads\nloads\n");
  CHECK(report.resolution.targets.front().given == neutral_python);
  CHECK(report.resolution.targets.front().part_of == 1);
  CHECK(report.resolution.objects.front().main_program);
  CHECK(report.resolution.libc.kind == LibcKind::glibc);
  world.query.environment.libc = LibcVersion{LibcKind::musl, 1, 2};
  CHECK(world.explain({"py:pkg"}).resolution.libc.kind == LibcKind::musl);
  world.query.environment.libc.reset();
  world.files.add_file("/venv/bin/python3.11", elf(program({})), {.executable = true});
  CHECK(world.explain({"py:pkg"}).resolution.targets.front().given == "/venv/bin/python3.11");
}

TEST_CASE("a package for musl, and one for 32 bits, has a neutral program of its own kind") {
  TestWorld world;
  const std::string wheel = "/w/pkg-1.0-cp311-cp311-linux_x86_64.whl";
  world.files.add_file(wheel, wheel_file({{"pkg/a.abi3.so", elf({.needed = {"libc.musl-x86_64.so.1"}})}}));
  CHECK(world.explain({wheel}).resolution.libc.kind == LibcKind::musl);
  const std::string smaller = "/w/pkg-1.0-cp311-cp311-linux_i686.whl";
  world.files.add_file(smaller, wheel_file({{"pkg/a.abi3.so", elf({.is_64 = false, .machine = EM_386})}}));
  const auto report = world.explain({smaller});
  CHECK(report.resolution.machine == EM_386);
  CHECK(report.resolution.libc.kind == LibcKind::glibc);
  CHECK(objects(report).ends_with("/pkg/a.abi3.so\n"));
  CHECK(report.verdict == Verdict::loads);
  world.files.add_file(wheel, wheel_file({{"pkg/a.abi3.so", elf({.machine = EM_CUDA})}}));
  const auto refused = refusal_of(world.explain({wheel}));
  CHECK(refused.message == "made for cuda, a machine whose loader is not simulated");
  CHECK(refused.path == wheel);
}

TEST_CASE("a name is a module's where an environment was asked for, unless a file here is called so") {
  TestWorld world;
  world.query.environment.cwd = "/here";
  world.set("PATH", "/usr/bin");
  world.files.add_file("/usr/bin/pkg", elf(program({})), {.executable = true});
  CHECK(objects(world.explain({"pkg"})) == "/usr/bin/pkg\n");
  world.query.prefix = "/venv";
  world.files.add_file("/venv/lib/python3.11/os.py", "");
  world.files.add_file("/venv/lib/python3.11/site-packages/pkg.py", "");
  world.files.add_file("/venv/lib/python3.11/site-packages/other.py", "");
  CHECK(world.explain({"pkg"}).resolution.imports.size() == 1);
  world.add("/here/pkg", program({}));
  CHECK(objects(world.explain({"pkg"})) == "/here/pkg\n");
  CHECK(world.explain({"py:pkg"}).resolution.imports.size() == 1);
  CHECK(world.explain({"other"}).resolution.imports.size() == 1);
  CHECK(world.explain({"./other"}).resolution.imports.empty());
}

TEST_CASE("a program of a wheel may fail over something else than a library that is missing") {
  TestWorld world;
  world.add("/lib/libnew.so", {.soname = "libnew.so", .x86_isa_needed = 4});
  world.add("/lib/libneedy.so", {.soname = "libneedy.so", .needed = {"libgone.so"}});
  const std::string scripts = "pkg-1.0.data/scripts/", wheel = "/w/pkg-1.0-py3-none-linux_x86_64.whl";
  world.files.add_file(wheel, wheel_file({{scripts + "a", elf(program({}))},
                                          {scripts + "b", elf(program({.needed = {"libnew.so"}}))},
                                          {scripts + "c", elf(program({.needed = {"libnew.so", "libneedy.so"}}))}}));
  const auto report = world.explain({wheel});
  REQUIRE(report.resolution.failed_programs.size() == 2);
  const auto& failed = report.resolution.failed_programs;
  CHECK(failed[0].path.ends_with("/b"));
  CHECK(failed[0].library == "");
  CHECK(failed[0].error == "/lib/libnew.so: CPU ISA level is lower than required");
  CHECK(failed[1].library == "libgone.so");
  CHECK(failed[1].error == "libgone.so: cannot open shared object file: No such file or directory");
}

TEST_CASE("a bare name starts the first library of that name that the loader takes") {
  TestWorld world;
  world.add("/lib/libx.so", {.machine = EM_AARCH64});
  world.add("/usr/lib/libx.so", {.soname = "libx.so"});
  const auto report = world.explain({"libx.so"});
  CHECK(objects(report) == "/usr/lib/libx.so\n");
  CHECK(report.resolution.targets.at(0).given == "libx.so");
  CHECK(report.resolution.targets[0].kind == TargetKind::start);
  // The folders are those of the C library that is stated.
  TestWorld musl;
  musl.add("/usr/local/lib/liby.so", {});
  CHECK(objects(musl.explain({"liby.so"})) == "");
  musl.query.environment.libc = LibcVersion{LibcKind::musl, 1, 2};
  CHECK(objects(musl.explain({"liby.so"})) == "/usr/local/lib/liby.so\n");
}

TEST_CASE("a program whose interpreter is a link to the loader of musl runs with musl") {
  MemoryFileSystem files;
  Query query;
  query.environment.cpu = x86_64_cpu(1);
  query.targets = {"/bin/app"};
  files.add_file("/bin/app", elf(program({})));
  files.add_file("/lib/ld-musl-x86_64.so.1", elf({.soname = "libc.musl-x86_64.so.1"}));
  files.add_symlink("/lib64/ld-linux-x86-64.so.2", "/lib/ld-musl-x86_64.so.1");
  CHECK(Session(files, built_in_knowledge()).explain(query).resolution.libc.kind == LibcKind::musl);
}

}  // namespace
}  // namespace cudald
