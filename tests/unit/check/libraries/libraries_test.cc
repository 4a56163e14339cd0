#include <doctest/doctest.h>

#include <cudald/cuda_library.h>
#include <cudald/image.h>
#include <cudald/thread_limit.h>

#include "check/findings/checks.h"
#include "common/fatbin_file.h"
#include "common/wheel_file.h"
#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

/// A program that needs one library; the world is made around it.
TestWorld needing(const std::string& library, ElfSpec app = {}) {
  TestWorld world;
  app.needed.emplace_back(library);
  world.add("/opt/app/bin/app", program(app));
  return world;
}

Report judged(TestWorld& world) { return world.explain({"/opt/app/bin/app"}); }

bool says(const Report& report, const std::string& phrase) {
  return !report.findings.empty() && all_words(report.findings.front()).find(phrase) != std::string::npos;
}

TEST_CASE("a library that this user may not read is told as that, with the mode that helps") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"liba.so"}}));
  world.files.add_file("/lib/liba.so", elf({.soname = "liba.so"}), {.readable = false});
  const auto report = world.explain({"/bin/app"});
  REQUIRE(report.findings.size() == 1);
  CHECK(report.verdict == Verdict::fails);
  CHECK(report.findings[0].message == "liba.so is at /lib/liba.so, and this user cannot read it: Permission denied");
  REQUIRE(report.findings[0].fixes.size() == 1);
  CHECK(report.findings[0].fixes[0].command == "chmod a+r /lib/liba.so");
}

TEST_CASE("a library that is nowhere is not found") {
  auto world = needing("libx.so.1");
  const auto report = judged(world);
  CHECK(findings(report) == "CUD101 error app: libx.so.1\n");
  CHECK(report.verdict == Verdict::fails);
  CHECK(says(report, "not found in any directory the loader searches"));
  CHECK(says(report, "libx.so.1: cannot open shared object file: No such file or directory"));
  CHECK(report.findings[0].edge == 0);
}

TEST_CASE("a library that lies where nobody looks is shown, with the ways to make it known") {
  auto world = needing("libx.so.1", {.runpath = "$ORIGIN/../lib"});
  world.add("/opt/app/bin/libx.so.1", {.soname = "libx.so.1"});
  const auto report = judged(world);
  CHECK(findings(report) == "CUD101 error app: libx.so.1\n");
  CHECK(in_full(report) ==
        R"(CUD101 | error | /opt/app/bin/app | libx.so.1
  libx.so.1 is on this machine (/opt/app/bin), but not in a directory the loader searches
  - is in /opt/app/bin/libx.so.1 (soname libx.so.1) | /opt/app/bin/libx.so.1 | proven
  = The program does not start: libx.so.1: cannot open shared object file: No such file or directory
  > for this shell only | export LD_LIBRARY_PATH=/opt/app/bin${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} | every program )"
        R"(started from it then prefers the libraries in that directory
  > for this file only | patchelf --add-rpath '$ORIGIN' /opt/app/bin/app
)");
  CHECK(says(report, "is in /opt/app/bin/libx.so.1"));
  CHECK(says(report, "export LD_LIBRARY_PATH=/opt/app/bin"));
  CHECK(says(report, "patchelf --add-rpath '$ORIGIN' /opt/app/bin/app"));
}

TEST_CASE("where a wheel is judged alone nothing is said of this machine") {
  const std::string wheel = "/w/pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl";
  TestWorld world;
  world.files.add_file(wheel, wheel_file({{"pkg/__init__.py", "from . import _C\n"},
                                          {"pkg/_C.abi3.so", elf({.needed = {"libinner.so"}})},
                                          {"pkg.libs/libinner.so", elf({.soname = "libinner.so"})}}));
  const auto report = world.explain({wheel});
  REQUIRE(findings(report).starts_with("CUD101"));
  CHECK(report.findings.front().message ==
        "libinner.so is installed (site-packages/pkg.libs), but not in a directory the loader searches");
}

TEST_CASE("a library that only another environment holds is found beside the packages") {
  TestWorld world;
  world.add("/venv/lib/python3.11/site-packages/ext/ext.so", {.needed = {"libcudart.so.12"}});
  world.add("/venv/lib/python3.11/site-packages/nvidia/cuda_runtime/lib/libcudart.so.12",
            {.soname = "libcudart.so.12"});
  const auto report = world.explain({"/venv/lib/python3.11/site-packages/ext/ext.so"});
  CHECK(findings(report) == "CUD101 error ext.so: libcudart.so.12\n");
  CHECK(in_full(report) ==
        R"(CUD101 | error | /venv/lib/python3.11/site-packages/ext/ext.so | libcudart.so.12
  libcudart.so.12 is on this machine (/venv/lib/python3.11/site-packages/nvidia/cuda_runtime/lib), but not in a )"
        R"(directory the loader searches)"
        R"(
  - is in /venv/lib/python3.11/site-packages/nvidia/cuda_runtime/lib/libcudart.so.12 (soname libcudart.so.12) | )"
        R"(/venv/lib/python3.11/site-packages/nvidia/cuda_runtime/lib/libcudart.so.12 | proven
  - libcudart.so.12 is the name in CUDA 12.0 to 12.9, which needs driver 525.60.13 or newer | table
  = Loading it fails: libcudart.so.12: cannot open shared object file: No such file or directory
  > for this shell only | export LD_LIBRARY_PATH=/venv/lib/python3.11/site-packages/nvidia/cuda_runtime/lib${LD_LIBRAR)"
        R"(Y_PATH:+:$LD_LIBRARY_PATH} | every program started from it then prefers the libraries in that directory
  > for this file only | patchelf --add-rpath '$ORIGIN/../nvidia/cuda_runtime/lib' )"
        R"(/venv/lib/python3.11/site-packages/ext/ext.so
)");
  CHECK(says(report, "/venv/lib/python3.11/site-packages/nvidia/cuda_runtime/lib"));
  CHECK(says(report, "'$ORIGIN/../nvidia/cuda_runtime/lib'"));
}

TEST_CASE("for a library of CUDA that is nowhere the package that carries it is named") {
  auto world = needing("libcudart.so.12");
  const auto report = judged(world);
  CHECK(findings(report) == "CUD101 error app: libcudart.so.12\n");
  CHECK(says(report, "pip install nvidia-cuda-runtime-cu12"));
  bool from_table = false;
  for (const auto& evidence : report.findings[0].evidence)
    if (evidence.basis == Basis::table) from_table = !evidence.source.empty();
  CHECK(from_table);

  auto driver = needing("libcuda.so.1");
  driver.query.environment.any_driver = false;
  CHECK(says(judged(driver), "nvidia-driver"));
  CHECK(says(judged(driver), "not: the toolkit's stubs/libcuda.so"));
}

TEST_CASE("another major version is no substitute") {
  auto world = needing("libcudnn.so.8",
                       {.runpath = "$ORIGIN/../lib", .needs_versions = {{"libcudnn.so.8", {{"libcudnn.so.8"}}}}});
  world.add("/opt/app/lib/libcudnn.so.9", {.soname = "libcudnn.so.9"});
  const auto report = judged(world);
  CHECK(findings(report) == "CUD102 error app: libcudnn.so.8\n");
  CHECK(says(report, "only libcudnn.so.9 is installed"));
  CHECK(says(report, "not: a symlink libcudnn.so.8 -> libcudnn.so.9"));
}

TEST_CASE("copies of a library whose lack is only noted are looked for where notes are read") {
  auto world = needing("libcudnn.so.8", {.runpath = "$ORIGIN/../lib"});
  world.add("/opt/app/lib/libcudnn.so.9", {.soname = "libcudnn.so.9"});
  world.query.notes = false;
  CHECK(findings(judged(world)) == "CUD102 error app: libcudnn.so.8\n");

  const std::string site = "/venv/lib/python3.11/site-packages/";
  TestWorld noted;
  noted.query.prefix = "/venv";
  noted.files.add_file(site + "pkg/__init__.py", "try:\n  from . import a\nexcept ImportError:\n  pass\n");
  noted.add(site + "pkg/a.so", {.needed = {"libnone.so.1"}});
  noted.add(site + "pkg/libnone.so.2", {.soname = "libnone.so.2"});
  CHECK(findings(noted.explain({"py:pkg"})) == "CUD102 note a.so: libnone.so.1\n");
  noted.query.notes = false;
  CHECK(findings(noted.explain({"py:pkg"})) == "CUD101 note a.so: libnone.so.1\n");
}

TEST_CASE("a library for another machine or word size is told, where the loader is silent") {
  auto machine = needing("libx.so.1", {.runpath = "$ORIGIN"});
  machine.add("/opt/app/bin/libx.so.1", {.machine = EM_AARCH64});
  CHECK(findings(judged(machine)) == "CUD103 error app: libx.so.1\n");
  CHECK(in_full(judged(machine)) ==
        R"(CUD103 | error | /opt/app/bin/app | libx.so.1
  libx.so.1 exists only for another machine (/opt/app/bin/libx.so.1 is for aarch64)
  - is in /opt/app/bin/libx.so.1 (for aarch64 (elf64)) | /opt/app/bin/libx.so.1 | proven
  = The program does not start: libx.so.1: cannot open shared object file: No such file or directory
  > install the system's package that provides it
)");
  CHECK(says(judged(machine), "aarch64"));
  auto word = needing("libx.so.1", {.runpath = "$ORIGIN"});
  word.add("/opt/app/bin/libx.so.1", {.is_64 = false, .machine = EM_386});
  CHECK(findings(judged(word)) == "CUD103 error app: libx.so.1\n");
  CHECK(in_full(judged(word)) ==
        R"(CUD103 | error | /opt/app/bin/app | libx.so.1
  libx.so.1 exists only for the other word size (/opt/app/bin/libx.so.1)
  - is in /opt/app/bin/libx.so.1 (for i386 (elf32)) | /opt/app/bin/libx.so.1 | proven
  = The program does not start: libx.so.1: wrong ELF class: ELFCLASS32
  > install the system's package that provides it
)");
  CHECK(says(judged(word), "wrong ELF class"));
}

TEST_CASE("a DT_RUNPATH that hides the DT_RPATH to the library is the cause") {
  TestWorld world;
  world.add("/env/bin/python", program({.rpath = "$ORIGIN/../lib", .needed = {"libprovider.so"}}));
  world.add("/env/lib/libprovider.so", {.runpath = "/usr/local/cuda-11.8/lib", .needed = {"libcudart.so.11.0"}});
  world.add("/env/lib/libcudart.so.11.0", {.soname = "libcudart.so.11.0"});
  const auto report = world.explain({"/env/bin/python"});
  CHECK(findings(report) ==
        "CUD106 error libprovider.so: libcudart.so.11.0\n"
        "CUD108 note libprovider.so: /usr/local/cuda-11.8/lib\n");
  CHECK(in_full(report) ==
        R"(CUD106 | error | /env/lib/libprovider.so | libcudart.so.11.0
  libcudart.so.11.0 is in /env/lib, but a DT_RUNPATH keeps the loader from searching it
  - is in /env/lib/libcudart.so.11.0 | /env/lib/libcudart.so.11.0 | proven
  - an object with a DT_RUNPATH gets no DT_RPATH, neither its own nor that of its loaders | rule | ld.so(8); glibc )"
        R"(elf/dl-load.c, _dl_map_object
  - libcudart.so.11.0 is the name in CUDA 11.0 to 11.8, which needs driver 450.80.02 or newer | table
  = The program does not start: libcudart.so.11.0: cannot open shared object file: No such file or directory
  > for this shell only | export LD_LIBRARY_PATH=/env/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} | every program )"
        R"(started from it then prefers the libraries in that directory
  > for this file only | patchelf --add-rpath '$ORIGIN' /env/lib/libprovider.so
CUD108 | note | /env/lib/libprovider.so | /usr/local/cuda-11.8/lib
  the DT_RUNPATH of libprovider.so names /usr/local/cuda-11.8/lib, a directory of the build machine
  - DT_RUNPATH is "/usr/local/cuda-11.8/lib" | /env/lib/libprovider.so | proven
  = Nothing is found there; anyone who can create that directory decides what is loaded.
  > search only the other directories | patchelf --remove-rpath /env/lib/libprovider.so
)");
  CHECK(says(report, "is in /env/lib/libcudart.so.11.0"));
  bool by_rule = false;
  for (const auto& evidence : report.findings[0].evidence) by_rule |= evidence.basis == Basis::rule;
  CHECK(by_rule);
}

TEST_CASE("a file that is there and unusable stops the search, whatever lies behind it") {
  struct Row {
    std::string name, bytes, phrase;
  };
  const Row rows[] = {
      {"an empty file", "", "file too short"},
      {"a pointer of Git LFS", "version https://git-lfs.github.com/spec/v1\n", "git lfs pull"},
      {"a pointer of Git LFS as it is written",
       "version https://git-lfs.github.com/spec/v1\noid sha256:" + std::string(64, 'a') + "\nsize 12345\n",
       "git lfs pull"},
      {"a linker script", "/* GNU ld script */\nGROUP ( libx.so.2 AS_NEEDED ( libz.so ) )       ",
       "it is a linker script: for the linker, not for the loader"},
      {"a script of inputs", "INPUT(libx.so.2)", "it is a linker script: for the linker, not for the loader"},
      {"another text", "This is no library, but a text of more than sixty-four bytes, to be read.",
       "invalid ELF header"},
      {"a program", elf(program({})), "cannot dynamically load position-independent executable"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    auto world = needing("libx.so.1", {.runpath = "/a:/b"});
    world.files.add_file("/a/libx.so.1", row.bytes);
    world.add("/b/libx.so.1", {});
    const auto report = judged(world);
    CHECK(findings(report) == "CUD112 error app: libx.so.1\n");
    CHECK(says(report, row.phrase));
    // The finding says what is wrong with a program; its copies are no better.
    CHECK(says(report, "not: another copy later in the search") == (row.name != "a program"));
  }
}

TEST_CASE("a preload that is missing is a warning, because the loader goes on") {
  auto world = needing("libx.so.1");
  world.add("/lib/libx.so.1", {});
  world.set("LD_PRELOAD", "libp.so");
  const auto report = judged(world);
  CHECK(findings(report) == "CUD101 warning app: libp.so\n");
  CHECK(report.verdict == Verdict::risk);
  CHECK(says(report, "cannot be preloaded"));
}

TEST_CASE("one name that several objects miss is one finding, which names them") {
  TestWorld world;
  world.add("/opt/app/bin/app", program({.needed = {"liba.so", "libb.so"}}));
  world.add("/lib/liba.so", {.needed = {"libx.so.1"}});
  world.add("/lib/libb.so", {.needed = {"libx.so.1"}});
  const auto report = judged(world);
  CHECK(findings(report) == "CUD101 error liba.so: libx.so.1\n");
  CHECK(says(report, "also needed by libb.so"));
}

TEST_CASE("what a file only may open is no fault, what the user opens is") {
  TestWorld world;
  world.add("/opt/app/bin/app", program({.dlopen_notes = {R"([{"soname":["libx.so.1"]}])"}}));
  CHECK(findings(judged(world)) == "");
  world.query.dlopens = {{.name = "libx.so.1"}};
  const auto report = judged(world);
  CHECK(findings(report) == "CUD101 error app: libx.so.1\n");
  CHECK(says(report, "dlerror() says: libx.so.1: cannot open"));
}

TEST_CASE("of several requests for one name the one that fails worst decides, whichever comes first") {
  const std::string site = "/venv/lib/python3.11/site-packages/",
                    caught = "try:\n  from . import a\nexcept ImportError:\n  pass\n", needed = "from . import b\n";
  for (const auto& code : {caught + needed, needed + caught}) {
    CAPTURE(code);
    TestWorld world;
    world.query.prefix = "/venv";
    world.files.add_file(site + "pkg/__init__.py", code);
    for (const std::string name : {"a.so", "b.so"}) world.add(site + "pkg/" + name, {.needed = {"libnone.so.1"}});
    const auto report = world.explain({"py:pkg"});
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].code == "CUD101");
    CHECK(report.findings[0].level == Level::error);
    CHECK(report.verdict == Verdict::fails);
  }
  TestWorld world;
  world.query.prefix = "/venv";
  world.files.add_file(site + "pkg/__init__.py", caught);
  world.add(site + "pkg/a.so", {.needed = {"libnone.so.1"}});
  CHECK(findings(world.explain({"py:pkg"})) == "CUD101 note a.so: libnone.so.1\n");
}

TEST_CASE("how it is known that a file asks for what its tables do not name: by the text in it, or by a table alone") {
  const auto told = [](const std::string& soname, const std::string& text, const std::string& missing) {
    TestWorld world;
    world.add("/opt/app/bin/app", program({.needed = {soname}}));
    world.files.add_file("/lib/" + soname,
                         with_sections(elf({.soname = soname}), {{".rodata", '\0' + text + '\0' + "libc.so" + '\0'}}));
    std::string lines;
    for (const auto& finding : judged(world).findings)
      for (const auto& each : finding.evidence)
        if (finding.subject == missing && each.basis != Basis::rule &&
            each.text.find(" is the name ") == each.text.npos)
          lines +=
              each.text.substr(0, each.text.find(" at offset 0x")) + " | " + std::string(to_string(each.basis)) + "\n";
    return lines;
  };
  const std::string part = "libcudnn_adv_infer.so.8", newer = "libcudnn_adv.so.9";
  CHECK(told("libcudnn.so.8", part, part)
            .starts_with("not in its DT_NEEDED: its code opens the name that it holds, \"" + part +
                         "\" | proven\nwhen it does, and what is lost without | table\n"));
  CHECK(told("libcudnn.so.8", "", part)
            .starts_with("not in its DT_NEEDED: the name is put together at run time | table\n"));
  CHECK(
      told("libcudnn.so.9", "libcudnn_adv.so", newer)
          .starts_with("not in its DT_NEEDED: the name is put together at run time from \"libcudnn_adv.so\" | proven\n"
                       "when it does, and what is lost without | table\n"));
}

TEST_CASE("where the right library lies elsewhere, the wrong one of the search and the right one are told") {
  auto world = needing("libx.so.1", {.runpath = "$ORIGIN"});
  world.add("/usr/local/cuda/lib64/libx.so.1", {});
  world.add("/opt/app/bin/libx.so.1", {.machine = EM_AARCH64});
  const std::string right = "; the right one is in /usr/local/cuda/lib64, which the loader does not search";
  CHECK(judged(world).findings.at(0).message == "libx.so.1 is found only for aarch64 (/opt/app/bin/libx.so.1)" + right);
  world.add("/opt/app/bin/libx.so.1", {.is_64 = false, .machine = EM_386});
  CHECK(judged(world).findings.at(0).message ==
        "libx.so.1 is found only for the other word size (/opt/app/bin/libx.so.1)" + right);
}

TEST_CASE("a link that leads nowhere, and a library under another name, are told instead of nothing") {
  auto world = needing("libx.so.1", {.runpath = "$ORIGIN"});
  world.files.add_symlink("/opt/app/bin/libx.so.1", "/gone/libx.so.1");
  CHECK(judged(world).findings.at(0).message ==
        "libx.so.1 is not found in any directory the loader searches: /opt/app/bin/libx.so.1 is a symbolic link that "
        "leads to "
        "no file");
  auto renamed = needing("libx.so.1");
  renamed.add("/opt/app/bin/libx.so.1.2", {.soname = "libx.so.1"});
  CHECK(judged(renamed).findings.at(0).message ==
        "libx.so.1 is not found in any directory the loader searches; the library is installed under the name "
        "libx.so.1.2");
}

TEST_CASE("what becomes of the whole hangs on who asks") {
  const std::string error = ": cannot open shared object file: No such file or directory";
  const auto consequence = [](TestWorld& world, const std::string& target, const std::string& subject) {
    for (const auto& finding : world.explain({target}).findings)
      if (finding.subject == subject) return finding.consequence;
    return std::string("no finding");
  };
  TestWorld world;
  for (const std::string module : {"/m/a.cpython-311-x86_64-linux-gnu.so", "/m/a.abi3.so"}) {
    world.add(module, {.needed = {"libx.so"}});
    CHECK(consequence(world, module, "libx.so") == "Its import raises ImportError: libx.so" + error);
  }
  world.add("/m/a.so", {.needed = {"libx.so"}});
  CHECK(consequence(world, "/m/a.so", "libx.so") == "Loading it fails: libx.so" + error);
  world.add("/bin/app", program({.needed = {"libx.so", "liby.so"}}));
  CHECK(consequence(world, "/bin/app", "libx.so") == "The program does not start: libx.so" + error);
  CHECK(consequence(world, "/bin/app", "liby.so") ==
        "The program does not start; after fixing the error above, the next one is liby.so" + error);

  world.add("/bin/app", program({}));
  world.add("/lib/libz.so", {.needed = {"libx.so"}});
  world.query.dlopens = {{.name = "libz.so"}};
  CHECK(consequence(world, "/bin/app", "libx.so") == "The dlopen fails as a whole: libx.so" + error);
  world.query.dlopens = {{.name = "liby.so"}};
  CHECK(consequence(world, "/bin/app", "liby.so") == "dlopen fails; dlerror() says: liby.so" + error);

  world.query.dlopens.clear();
  world.set("LD_PRELOAD", "libp.so");
  CHECK(consequence(world, "/bin/app", "libp.so") ==
        "The loader says \"object 'libp.so' from LD_PRELOAD cannot be preloaded (cannot open shared object file): "
        "ignored.\" and starts without it.");
}

TEST_CASE("of an import the exception is told, with the loader's words if they are others") {
  const std::string site = "/venv/lib/python3.11/site-packages/",
                    error = ": cannot open shared object file: No such file or directory";
  TestWorld world;
  world.query.prefix = "/venv";
  world.files.add_file(site + "pkg/__init__.py", "from . import a\n");
  world.add(site + "pkg/a.so", {.needed = {"libx.so", "liby.so"}});
  const auto plain = world.explain({"py:pkg"});
  REQUIRE(plain.findings.size() == 2);
  CHECK(plain.findings[0].consequence == "`import pkg` raises ImportError: libx.so" + error);
  CHECK(plain.findings[1].consequence ==
        "`import pkg` raises ImportError: libx.so" + error + "; after fixing that, the message is liby.so" + error);
  world.files.add_file(site + "pkg/__init__.py",
                       "try:\n  from . import a\nexcept ImportError:\n  raise RuntimeError('no a') from None\n");
  const auto reworded = world.explain({"py:pkg"});
  REQUIRE(reworded.findings.size() == 2);
  CHECK(reworded.findings[0].consequence ==
        "`import pkg` raises RuntimeError: no a; the loader's own words before it: libx.so" + error);
}

TEST_CASE("of many that ask for one name four are named, each once and not the first") {
  TestWorld world;
  std::vector<ElfNeeded> needed;
  for (const std::string name : {"a", "b", "c", "d", "e", "f"}) {
    needed.emplace_back("lib" + name + ".so");
    world.add("/lib/lib" + name + ".so", {.needed = {"libx.so.1"}});
  }
  world.add("/opt/app/bin/app", program({.needed = needed}));
  const auto report = judged(world);
  REQUIRE(findings(report) == "CUD101 error liba.so: libx.so.1\n");
  CHECK(says(report, "also needed by libb.so, libc.so, libd.so, libe.so and 1 more"));
}

TEST_CASE("of several copies of another ABI that is compared which lies nearest to who asks") {
  const auto compared = [](const std::vector<std::string>& paths) {
    TestWorld world;
    world.query.prefix = "/venv";
    ElfSpec needing{.needed = {"libx.so.1"}, .needs_versions = {{"libx.so.1", {{"X_1"}}}}};
    needing.uses = {{.name = "f", .version = "X_1"}};
    world.add("/venv/lib/python3.11/site-packages/ext/ext.so", needing);
    for (const auto& path : paths) world.add(path, {.soname = "libx.so.2", .defines = {{"f"}}});
    const auto report = world.explain({"/venv/lib/python3.11/site-packages/ext/ext.so"});
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].code == "CUD102");
    for (const auto& each : report.findings[0].evidence)
      if (each.text.starts_with("of the 1 functions")) return each.path;
    return std::string("none");
  };
  const std::string near = "/venv/lib/python3.11/site-packages/ext/libx.so.2", far = "/usr/local/cuda/lib64/libx.so.2",
                    middle = "/venv/lib/libx.so.2";
  CHECK(compared({far}) == far);
  CHECK(compared({far, near}) == near);
  CHECK(compared({near, far, middle}) == near);
  CHECK(compared({far, middle}) == middle);
}

TEST_CASE("what a DT_RUNPATH hides must be a library for this machine, and lie in a folder of the DT_RPATH") {
  const auto code = [](const std::string& path, const std::string& bytes, const std::string& rpath = "/none:/hidden") {
    TestWorld world;
    world.add("/opt/app", program({.rpath = rpath, .runpath = "/b", .needed = {"libx.so.1"}}));
    world.files.add_file(path, bytes);
    const auto report = world.explain({"/opt/app"});
    return std::string(report.findings.at(0).code) + ": " + report.findings.at(0).message;
  };
  CHECK(code("/hidden/libx.so.1", elf({})) ==
        "CUD106: libx.so.1 is in /hidden, but a DT_RUNPATH keeps the loader from searching it");
  const std::string nowhere = "CUD101: libx.so.1 is not found in any directory the loader searches";
  CHECK(code("/hidden/libx.so.1", "text") == nowhere);
  CHECK(code("/hidden/libx.so.1", elf({.machine = EM_AARCH64})) == nowhere);
  CHECK(code("/hidden/liby.so.1", elf({})) == nowhere);
  CHECK(code("/opt/sub/libx.so.1", elf({}), "$ORIGIN/sub").starts_with("CUD106: libx.so.1 is in /opt/sub, "));
}

TEST_CASE("names that a file puts together are shown by each piece of them that it holds") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"liba.so"}}));
  world.files.add_file("/lib/liba.so",
                       with_sections(elf({.soname = "liba.so"}), {{".rodata", std::string("\0lib\0cudart\0", 12)}}));
  auto report = world.explain({"/bin/app"});
  REQUIRE(report.findings.empty());
  for (const bool whole : {false, true}) {
    for (const bool of_cuda : {false, true}) {
      auto made = report;
      auto& object = made.resolution.objects.at(1);
      Edge edge;
      edge.name = whole ? "cudart" : "libcudart";
      edge.kind = EdgeKind::needed;
      edge.error = "not found";
      edge.known.source = "a table";
      edge.known.pieces =
          whole ? std::vector<std::string>{"cudart"} : std::vector<std::string>{"lib", "none", "cudart"};
      object.edges.push_back(edge);
      if (of_cuda) object.cuda = std::make_shared<CudaLibrary>();
      ThreadLimit threads(1);
      Store store(world.files, threads, world.knowledge);
      check_libraries({made, store});
      REQUIRE(made.findings.size() == 1);
      const auto& evidence = made.findings[0].evidence;
      REQUIRE(evidence.size() == 2);
      const std::string offsets = whole ? "\"cudart\" at offset " : "\"lib\" at offset ";
      CHECK(evidence[0].text.starts_with((whole ? "not in its DT_NEEDED: its code opens the name that it holds, "
                                                : "not in its DT_NEEDED: the name is put together at run time from ") +
                                         offsets));
      if (!whole) CHECK(evidence[0].text.find(", \"cudart\" at offset ") != std::string::npos);
      CHECK(evidence[0].text.find("none") == std::string::npos);
      CHECK(evidence[0].path == "/lib/liba.so");
      CHECK(evidence[1].text == (whole || of_cuda ? "when it does, and what is lost without"
                                                  : "the version in it is that of the CUDA that it was built for"));
      CHECK(evidence[1].source == "a table");
    }
  }
}

/// What is told of one request of a program, made by hand.
Finding told_of_edge(const Edge& edge, const std::vector<std::pair<std::string, std::string>>& files = {}) {
  Report report;
  Object object;
  object.path = object.load_name = "/bin/app";
  object.image = std::make_shared<Image>();
  object.edges = {edge};
  report.resolution.objects = {object};
  report.resolution.machine = EM_X86_64;
  Target target;
  target.object = 0;
  target.error = edge.error;
  report.resolution.targets = {target};
  MemoryFileSystem tree;
  for (const auto& [path, bytes] : files) tree.add_file(path, bytes);
  ThreadLimit threads(1);
  Store store(tree, threads, built_in_knowledge());
  check_libraries({report, store});
  return report.findings.at(0);
}

TEST_CASE("what is refused without a search says so in the loader's words, and what ends a search by its path") {
  Edge edge;
  edge.name = "libx.so";
  edge.status = EdgeStatus::rejected;
  edge.error = "refused for a reason";
  CHECK(told_of_edge(edge).message == "refused for a reason");
  edge.search.probes = {{"/a/libx.so", SearchRule::runpath, {}, ProbeResult::absent, ""}};
  CHECK(told_of_edge(edge).message == "libx.so is not found in any directory the loader searches");
  edge.search.probes[0].result = ProbeResult::wrong_machine;
  CHECK(told_of_edge(edge).code == "CUD103");
  CHECK(told_of_edge(edge).message == "libx.so exists only for another machine (/a/libx.so is for another machine)");
  CHECK(told_of_edge(edge, {{"/a/libx.so", elf({.machine = EM_AARCH64})}}).message ==
        "libx.so exists only for another machine (/a/libx.so is for aarch64)");
  edge.search.probes[0].result = ProbeResult::wrong_class;
  CHECK(told_of_edge(edge).code == "CUD103");
  CHECK(told_of_edge(edge).message == "libx.so exists only for the other word size (/a/libx.so)");
  edge.search.probes[0] = {"/a/libx.so", SearchRule::runpath, {}, ProbeResult::malformed, "odd"};
  edge.search.probes[0].ends_search = true;
  CHECK(told_of_edge(edge).code == "CUD112");
  CHECK(told_of_edge(edge).message == "libx.so is found at /a/libx.so, but that file cannot be loaded: odd");
}

TEST_CASE(
    "a file in a library's place that is a pointer or a script is told as that, and where it cannot be read not") {
  Edge edge;
  edge.name = "libx.so";
  edge.search.probes = {{"/a/libx.so", SearchRule::runpath, {}, ProbeResult::not_elf, "invalid ELF header"}};
  edge.search.probes[0].ends_search = true;
  const auto told = [&](const std::vector<std::pair<std::string, std::string>>& files) {
    const auto words = all_words(told_of_edge(edge, files));
    return words.find("git lfs pull") != std::string::npos            ? "pointer"
           : words.find("it is a linker script") != std::string::npos ? "script"
                                                                      : "";
  };
  CHECK(told({}) == std::string());
  CHECK(told({{"/a/libx.so", "version https://git-lfs.github.com/spec/v1\n"}}) == std::string("pointer"));
  CHECK(told({{"/a/libx.so", "see version https://git-lfs"}}) == std::string());
  CHECK(told({{"/a/libx.so", "/* */ GROUP ( x )"}}) == std::string("script"));
  CHECK(told({{"/a/libx.so", "INPUT(-lx)"}}) == std::string("script"));
  for (const auto& [result, said] : {std::pair(ProbeResult::malformed, "script"),
                                     std::pair(ProbeResult::unreadable, ""), std::pair(ProbeResult::refused, "")}) {
    edge.search.probes[0].result = result;
    CHECK(told({{"/a/libx.so", "INPUT(-lx)"}}) == std::string(said));
  }
}

TEST_CASE("of fifty findings before, copies of the libraries behind them are not looked for") {
  const auto told = [](int before) {
    TestWorld world;
    ElfSpec app;
    for (int i = 0; i < before; ++i) app.needed.emplace_back("lib" + std::to_string(i) + ".so");
    app.needed.emplace_back("libx.so.1");
    world.add("/opt/app", program(app));
    world.add("/opt/libx.so.1", {});
    const auto report = world.explain({"/opt/app"});
    return report.findings.back().subject + ": " + report.findings.back().message;
  };
  CHECK(told(49) == "libx.so.1: libx.so.1 is on this machine (/opt), but not in a directory the loader searches");
  CHECK(told(50) == "libx.so.1: libx.so.1 is not found in any directory the loader searches");
}

}  // namespace
}  // namespace cudald
