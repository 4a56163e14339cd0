#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cudald/cuda_library.h>
#include <cudald/gpu_code.h>
#include <cudald/image.h>
#include <cudald/thread_limit.h>

#include "check/findings/checks.h"
#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

TEST_CASE("a healthy world has no findings") {
  TestWorld world;
  world.add("/bin/app", program({.runpath = "$ORIGIN/../opt", .needed = {"liba.so", "libc.so.6"}}));
  world.add("/opt/liba.so", {.soname = "liba.so", .needed = {"libc.so.6"}, .uses = {{"f"}}});
  world.add("/lib/libc.so.6", {.soname = "libc.so.6", .defines = {{"f"}}});
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) == "");
  CHECK(report.verdict == Verdict::loads);
  CHECK(report.headline == "app loads, with 2 other files");
}

TEST_CASE("findings come worst first, and the headline is that of the worst") {
  TestWorld world;
  world.add("/bin/app", program({.runpath = "/opt:", .needed = {"liba.so"}, .uses = {{"f", ElfUse::call}, {"g"}}}));
  world.add("/env/liba.so", {});
  world.set("LD_LIBRARY_PATH", "/env");
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) ==
        "CUD201 error app: g\n"
        "CUD201 warning app: f\n"
        "CUD107 note app: \"\"\n"
        "CUD104 note app: liba.so\n");
  CHECK(in_full(report) ==
        R"(CUD201 | error | /bin/app | g
  app needs the symbol g, which nothing in the process defines
  - g | /bin/app | proven
  = The loader stops with: symbol lookup error: /bin/app: undefined symbol: g
CUD201 | warning | /bin/app | f
  app calls f, which nothing in the process defines
  - f | /bin/app | proven
  = It loads; the first such call ends the process with "symbol lookup error: /bin/app: undefined symbol: )"
        R"(f". With LD_BIND_NOW=1 it fails at the start.
CUD107 | note | /bin/app | ""
  the DT_RUNPATH of app searches the current directory (an empty element)
  - DT_RUNPATH is "/opt:" | /bin/app | proven
  = A file planted in the directory from which a program is started would be loaded.
  > search only the other directories | patchelf --set-rpath /opt /bin/app
CUD104 | note | /bin/app | liba.so
  liba.so is found through LD_LIBRARY_PATH
  = In a shell, service or container without that variable the search continues with the next rules.
)");
  CHECK(report.verdict == Verdict::fails);
  CHECK(report.headline == "app does not load: app needs the symbol g, which nothing in the process defines");
}

TEST_CASE("each finding is a rule of the catalogue and says what is wrong and what follows") {
  TestWorld world;
  world.add("/bin/app", program({.runpath = ":/home/x",
                                 .needed = {"liba.so", "libb.so", "libc.so", "libd.so", "libe.so"},
                                 .needs_versions = {{"libe.so", {{"V9"}}}}}));
  world.add("/env/liba.so", {});
  world.files.add_file("/env/libb.so", "");
  world.add("/env/libc.so", {.machine = EM_AARCH64});
  world.add("/env/libe.so", {.defines_versions = {"V1"}});
  world.set("LD_LIBRARY_PATH", "/env");
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) ==
        "CUD112 error app: libb.so\n"
        "CUD103 error app: libc.so\n"
        "CUD101 error app: libd.so\n"
        "CUD202 error app: V9\n"
        "CUD107 note app: \"\"\n"
        "CUD104 note app: liba.so\n");
  CHECK(in_full(report) ==
        R"(CUD112 | error | /bin/app | libb.so
  libb.so is found at /env/libb.so, but that file cannot be loaded: file too short; it is empty
  - is in /env/libb.so (not an ELF file) | /env/libb.so | proven
  - it is empty | /env/libb.so | proven
  = The program does not start: /env/libb.so: file too short
  > replace /env/libb.so with a usable libb.so
  ! another copy later in the search: the loader stops at the first bad file
CUD103 | error | /bin/app | libc.so
  libc.so exists only for another machine (/env/libc.so is for aarch64)
  - is in /env/libc.so (for aarch64 (elf64)) | /env/libc.so | proven
  = The program does not start; after fixing the error above, the next one is libc.so: cannot open shared )"
        R"(object file: No such file or directory
  > install the system's package that provides it
CUD101 | error | /bin/app | libd.so
  libd.so is not found in any directory the loader searches
  = The program does not start; after fixing the error above, the next one is libd.so: cannot open shared )"
        R"(object file: No such file or directory
  > install the system's package that provides it
CUD202 | error | /bin/app | V9
  app wants version V9 of libe.so, and the one that loads, /env/libe.so, does not define it
  - needed by /bin/app | /bin/app | proven
  - /env/libe.so defines V1 | /env/libe.so | proven
  = The loader stops: /env/libe.so: version `V9' not found (required by /bin/app)
  > take a build of app that was made with libe.so of this system, or build it here
  > or run it on the release of the system that it was built for, as in a container
  ! a symlink named libe.so to another release: the version is looked up inside the file
CUD107 | note | /bin/app | ""
  the DT_RUNPATH of app searches the current directory (an empty element)
  - DT_RUNPATH is ":/home/x" | /bin/app | proven
  = A file planted in the directory from which a program is started would be loaded.
  > search only the other directories | patchelf --remove-rpath /bin/app
CUD104 | note | /bin/app | liba.so
  liba.so, libe.so are found through LD_LIBRARY_PATH
  = In a shell, service or container without that variable the search continues with the next rules.
)");
  for (const auto& finding : report.findings) {
    CAPTURE(finding.code);
    const auto* rule = find_rule(finding.code);
    REQUIRE(rule != nullptr);
    CHECK(finding.name == rule->name);
    CHECK_FALSE(finding.subject.empty());
    for (const auto& text : {finding.message, finding.consequence}) {
      CHECK_FALSE(text.empty());
      CHECK(text.find('\n') == std::string::npos);
    }
    for (const auto& evidence : finding.evidence) CHECK_FALSE(evidence.text.empty());
    for (const auto& fix : finding.fixes) CHECK_FALSE(fix.title.empty());
  }
}

// The same on answers that are written by hand, so that each question about verdict and headline is asked alone.

/// The name of a finding, its level, and whom it concerns.
Finding made(std::string_view code, Level level, std::optional<ObjectId> object = {}) {
  auto finding = make_finding(code);
  finding.level = level;
  finding.object = object;
  finding.subject = finding.message = fmt::format("{} as {}", code, to_string(level));
  return finding;
}

/// Judges it on an empty machine.
Report judged_alone(Report report) {
  const MemoryFileSystem nothing;
  ThreadLimit threads(1);
  Store store(nothing, threads, built_in_knowledge());
  judge({report, store});
  return report;
}

Object mapped(const std::string& path) {
  auto image = std::make_shared<Image>();
  image->format = Format::elf64;
  image->elf.has_dynamic_segment = true;
  Object object;
  object.path = object.load_name = path;
  object.image = std::move(image);
  return object;
}

/// A program and what it has loaded.
Report of_program(const std::vector<Finding>& findings = {}, std::size_t others = 2) {
  Report report;
  report.resolution.objects = {mapped("/bin/app")};
  report.resolution.objects[0].main_program = true;
  for (std::size_t i = 0; i < others; ++i) report.resolution.objects.push_back(mapped(fmt::format("/lib/lib{}.so", i)));
  Target target;
  target.given = "bin/app";
  target.object = 0;
  report.resolution.targets = {target};
  report.findings = findings;
  return report;
}

Verdict verdict_for(const std::vector<Finding>& findings) { return judged_alone(of_program(findings)).verdict; }

/// A request for the use of the GPU that is a part of the first target, and what it brought in.
void use_gpu(Report& report, const std::string& error = "") {
  Target request;
  request.given = "libgpu.so";
  request.kind = TargetKind::dlopen;
  request.part_of = 0;
  request.traits.gpu = true;
  request.error = error;
  request.object = report.resolution.objects.size();
  report.resolution.objects.push_back(mapped("/lib/libgpu.so"));
  report.resolution.objects.back().target = report.resolution.targets.size();
  report.resolution.targets.push_back(request);
}

TEST_CASE("a verdict follows from the worst level, and notes change none") {
  CHECK(verdict_for({}) == Verdict::loads);
  CHECK(verdict_for({made("CUD104", Level::note)}) == Verdict::loads);
  CHECK(verdict_for({made("CUD104", Level::warning)}) == Verdict::risk);
  CHECK(verdict_for({made("CUD104", Level::error)}) == Verdict::fails);
  CHECK(verdict_for({made("CUD104", Level::note), made("CUD104", Level::warning)}) == Verdict::risk);
  CHECK(verdict_for({made("CUD104", Level::warning), made("CUD101", Level::error)}) == Verdict::fails);
}

TEST_CASE("an import that fails is told to, though what the loader refused is no error to anyone") {
  auto report = of_program({made("CUD102", Level::warning)});
  auto& whole = report.resolution.targets[0];
  whole.given = "py:pkg";
  whole.kind = TargetKind::import;
  whole.error = "AssertionError: no module was found";
  use_gpu(report, "libgpu.so: cannot open shared object file");
  report.resolution.targets[1].traits.gpu = false;
  Import import;
  import.module = "pkg";
  import.failed = true;
  report.resolution.imports = {import};
  const auto judged = judged_alone(report);
  CHECK(judged.verdict == Verdict::fails);
  REQUIRE(judged.findings.front().code == "CUD114");
  CHECK(judged.findings.front().message == "AssertionError: no module was found");
  // An error that stands already says why.
  report.findings = {made("CUD101", Level::error)};
  for (const auto& finding : judged_alone(report).findings) CHECK(finding.code != "CUD114");
}

TEST_CASE("what keeps the GPU from being used is cpu-only as a warning, a failure as an error, and nothing as a note") {
  for (const auto* code : {"CUD301", "CUD309", "CUD310", "CUD311", "CUD314", "CUD403"}) {
    CAPTURE(code);
    CHECK(verdict_for({made(code, Level::note)}) == Verdict::loads);
    CHECK(verdict_for({made(code, Level::warning)}) == Verdict::cpu_only);
    CHECK(verdict_for({made(code, Level::error)}) == Verdict::fails);
  }
}

TEST_CASE("verdicts rank: what is not known before failures, these before a lost GPU, and that before risks") {
  const auto open = made("CUD902", Level::note), error = made("CUD101", Level::error),
             lost = made("CUD310", Level::warning), risk = made("CUD104", Level::warning);
  CHECK(verdict_for({open}) == Verdict::unknown);
  CHECK(verdict_for({error, open}) == Verdict::unknown);
  CHECK(verdict_for({lost, open}) == Verdict::unknown);
  CHECK(verdict_for({risk, open}) == Verdict::unknown);
  CHECK(verdict_for({error, lost, risk}) == Verdict::fails);
  CHECK(verdict_for({risk, lost}) == Verdict::cpu_only);
}

TEST_CASE("a platform tag that promises too much is a risk in the world of a tag alone") {
  auto report = of_program({made("CUD503", Level::warning)});
  CHECK(judged_alone(report).verdict == Verdict::loads);
  report.resolution.world.kind = WorldKind::described;
  CHECK(judged_alone(report).verdict == Verdict::loads);
  report.resolution.world.kind = WorldKind::tag;
  CHECK(judged_alone(report).verdict == Verdict::risk);
  report.findings = {made("CUD503", Level::note)};
  CHECK(judged_alone(report).verdict == Verdict::loads);
  report.findings = {made("CUD503", Level::error)};
  CHECK(judged_alone(report).verdict == Verdict::fails);
}

TEST_CASE("a request of the GPU that fails without a finding of its own is cpu-only, any other request is none") {
  auto report = of_program();
  use_gpu(report);
  CHECK(judged_alone(report).verdict == Verdict::loads);
  report.resolution.targets[1].error = "libgpu.so: refused";
  report.findings = {made("CUD104", Level::note, 0)};
  CHECK(judged_alone(report).verdict == Verdict::cpu_only);
  report.resolution.targets[1].traits = {.optional = true};
  CHECK(judged_alone(report).verdict == Verdict::loads);
}

TEST_CASE("findings of one level keep their order, but for those that come last of their level") {
  const auto report = judged_alone(
      of_program({made("CUD503", Level::warning), made("CUD104", Level::note), made("CUD304", Level::warning),
                  made("CUD503", Level::error), made("CUD201", Level::error), made("CUD101", Level::error),
                  made("CUD104", Level::warning)}));
  CHECK(findings(report) ==
        "CUD201 error CUD201 as error\n"
        "CUD101 error CUD101 as error\n"
        "CUD503 error CUD503 as error\n"
        "CUD304 warning CUD304 as warning\n"
        "CUD104 warning CUD104 as warning\n"
        "CUD503 warning CUD503 as warning\n"
        "CUD104 note CUD104 as note\n");
  CHECK(report.headline == "app does not load: CUD201 as error");
}

TEST_CASE("the headline counts what is mapped beside the first file, in singular and plural") {
  CHECK(judged_alone(of_program({}, 0)).headline == "app loads and needs no other file");
  CHECK(judged_alone(of_program({}, 1)).headline == "app loads, with 1 other file");
  auto report = of_program({}, 3);
  CHECK(judged_alone(report).headline == "app loads, with 3 other files");
  report.resolution.objects[2].unmapped = true;
  CHECK(judged_alone(report).headline == "app loads, with 2 other files");
  report.resolution.objects[0].image = std::make_shared<Image>();
  CHECK(judged_alone(report).headline == "app is statically linked: it needs no other file");
  CHECK(judged_alone({}).headline == "nothing to judge");
}

TEST_CASE("a risk is told with what is wrong, and does not repeat the name") {
  auto report = of_program({made("CUD104", Level::warning)});
  report.findings[0].message = "app claims too much";
  CHECK(judged_alone(report).headline == "app loads, but claims too much");
  report.findings[0].message = "apple claims too much";
  CHECK(judged_alone(report).headline == "app loads, but apple claims too much");
}

TEST_CASE("up to three targets are named, of more two and how many more there are") {
  Report report = of_program({made("CUD104", Level::warning)});
  const auto headline = [&](std::size_t targets) {
    report.resolution.targets.resize(1);
    for (std::size_t i = 1; i < targets; ++i) {
      Target target;
      target.given = fmt::format("lib/lib{}.so", i);
      target.kind = TargetKind::dlopen;
      report.resolution.targets.push_back(target);
    }
    return judged_alone(report).headline;
  };
  const std::string but = ", but CUD104 as warning";
  CHECK(headline(1) == "app loads" + but);
  CHECK(headline(2) == "app and lib1.so load" + but);
  CHECK(headline(3) == "app, lib1.so and lib2.so load" + but);
  CHECK(headline(4) == "app, lib1.so and 2 more load" + but);
  CHECK(headline(5) == "app, lib1.so and 3 more load" + but);
  report.findings.clear();
  CHECK(headline(2) == "app and lib1.so load, with 2 other files");
}

TEST_CASE("a part of a target is not named beside it") {
  auto report = of_program({}, 1);
  use_gpu(report);
  CHECK(judged_alone(report).headline == "app loads, with 2 other files");
}

TEST_CASE("of several targets the first that fails is the one that is told, with who opened it") {
  auto report = of_program({made("CUD101", Level::error)});
  for (const auto* name : {"lib/liba.so", "lib/libb.so", "lib/libc.so"}) {
    Target target;
    target.given = name;
    target.kind = TargetKind::dlopen;
    target.error = name == std::string("lib/liba.so") ? "" : "no";
    report.resolution.targets.push_back(target);
  }
  CHECK(judged_alone(report).headline == "libb.so, opened by the program, does not load: CUD101 as error");
  report.resolution.targets[2].caller = 1;
  CHECK(judged_alone(report).headline == "libb.so, opened by lib0.so, does not load: CUD101 as error");
  report.resolution.targets[0].error = "app: no";
  CHECK(judged_alone(report).headline == "app does not load: CUD101 as error");
}

TEST_CASE("what cannot be judged says what was not read") {
  CHECK(judged_alone(of_program({made("CUD101", Level::error), made("CUD902", Level::note)})).headline ==
        "app could not be judged: CUD902 as note");
  auto report = of_program();
  report.resolution.targets[0].unreadable = Error{ErrorCode::absent, "No such file or directory", "bin/app", {}, 2};
  const auto unread = judged_alone(report);
  CHECK(unread.verdict == Verdict::unknown);
  CHECK(unread.headline == "bin/app: No such file or directory");
}

TEST_CASE("a GPU that is lost is told by the driver, or by the first finding about what its use would load") {
  const auto told = [](std::vector<Finding> findings) {
    auto report = of_program(std::move(findings));
    use_gpu(report, "libgpu.so: refused");
    const auto id = report.resolution.objects.size() - 1;
    for (auto& finding : report.findings)
      if (finding.object) finding.object = id;
    const auto done = judged_alone(report);
    CHECK(done.verdict == Verdict::cpu_only);
    return done.headline;
  };
  const auto other = made("CUD104", Level::warning), own = made("CUD101", Level::warning, 0),
             note = made("CUD104", Level::note, 0), old = made("CUD301", Level::warning),
             none = made("CUD310", Level::warning);
  CHECK(told({other}) == "app cannot use the GPU here: CUD104 as warning");
  CHECK(told({other, own}) == "app cannot use the GPU here: CUD101 as warning");
  CHECK(told({other, note}) == "app cannot use the GPU here: CUD104 as warning");
  CHECK(told({own, old}) == "app cannot use the GPU here: CUD101 as warning");
  CHECK(told({other, old, own}) == "app cannot use the GPU here: CUD301 as warning");
  CHECK(told({other, none}) == "app cannot use the GPU: CUD310 as warning");
  CHECK(told({own, none}) == "app cannot use the GPU here: CUD101 as warning; nor is there an NVIDIA driver");
  const auto for_all = made("CUD403", Level::warning);
  CHECK(told({for_all, own}) == "CUD403 as warning");
  CHECK(told({for_all, none}) == "CUD403 as warning; nor is there an NVIDIA driver");
  CHECK(told({own, for_all}) == "app cannot use the GPU here: CUD101 as warning");
}

TEST_CASE("a dlopen that fails as the use of the GPU does is about the GPU, whoever makes it") {
  auto report = of_program({made("CUD104", Level::warning), made("CUD101", Level::warning, 0)});
  use_gpu(report, "libx.so: no");
  Edge edge;
  edge.name = "libx.so";
  edge.error = "libx.so: no";
  edge.status = EdgeStatus::not_loaded;  // so that no check makes a finding of its own
  report.resolution.objects[0].edges = {edge};
  report.findings[1].edge = 0;
  const std::string about_it = "app cannot use the GPU here: CUD101 as warning",
                    about_another = "app cannot use the GPU here: CUD104 as warning";
  CHECK(judged_alone(report).headline == about_it);
  report.resolution.objects[0].edges[0].error = "libx.so: another";
  CHECK(judged_alone(report).headline == about_another);
  report.resolution.objects[0].edges[0].kind = EdgeKind::dlopen;
  CHECK(judged_alone(report).headline == about_it);
}

TEST_CASE("where only the GPU is required and lost, the headline says that, and not that nothing loads") {
  auto report = of_program({made("CUD310", Level::error)});
  const std::string gpu = "app cannot use the GPU: CUD310 as error", load = "app does not load: CUD310 as error";
  CHECK(judged_alone(report).headline == load);
  report.query.require_gpu = true;
  CHECK(judged_alone(report).headline == gpu);
  CHECK(judged_alone(report).verdict == Verdict::fails);

  auto broken = report;
  broken.resolution.targets[0].error = "app: no";
  CHECK(judged_alone(broken).headline == load);

  auto with_more = report;
  with_more.findings.push_back(made("CUD201", Level::error, 0));
  CHECK(judged_alone(with_more).headline == load);
  use_gpu(with_more);
  with_more.findings.back().object = with_more.resolution.objects.size() - 1;
  CHECK(judged_alone(with_more).headline == gpu);
}

/// An import of Python that maps these objects.
Report of_import(const std::string& given, const std::string& module) {
  auto report = of_program();
  report.resolution.targets[0].given = given;
  report.resolution.targets[0].kind = TargetKind::import;
  Import import;
  import.module = module;
  report.resolution.imports = {import};
  return report;
}

TEST_CASE("an import that works is told with its package, Python, and how many files it maps") {
  auto report = of_import("py:torch.cuda", "torch.cuda");
  auto& resolution = report.resolution;
  CHECK(judged_alone(report).headline == "`import torch.cuda` works and maps 3 files");
  resolution.imports[0].python_version = "3.11";
  CHECK(judged_alone(report).headline == "`import torch.cuda` works and maps 3 files (Python 3.11)");
  resolution.imports[0].python = "/venv/bin/python";
  CHECK(judged_alone(report).headline == "`import torch.cuda` works and maps 3 files (Python 3.11, /venv/bin/python)");
  resolution.objects.resize(1);
  resolution.imports[0].python_version.clear();
  CHECK(judged_alone(report).headline == "`import torch.cuda` works and maps 1 file");
  resolution.objects[0].path = "/venv/lib/python3.11/site-packages/torch/_C.so";
  resolution.objects[0].package = PackageName{"torch", "2.9.1"};
  CHECK(judged_alone(report).headline == "`import torch.cuda` (2.9.1) works and maps 1 file");
  resolution.objects[0].package = PackageName{"torch-nightly", "2.9.1"};
  CHECK(judged_alone(report).headline == "`import torch.cuda` (torch-nightly 2.9.1) works and maps 1 file");
  resolution.objects[0].path = "/venv/lib/python3.11/site-packages/torchvision/_C.so";
  CHECK(judged_alone(report).headline == "`import torch.cuda` works and maps 1 file");
}

TEST_CASE("all modules of a distribution are named where it is asked for") {
  auto report = of_import("yaml-all", "yaml");
  Import second;
  second.module = "_yaml";
  report.resolution.imports.push_back(second);
  CHECK(judged_alone(report).headline == "`import yaml, _yaml` works and maps 3 files");
}

TEST_CASE("an import that fails is told by the module that fails, whatever was asked for") {
  auto report = of_import("py:torch", "torch");
  report.findings = {made("CUD101", Level::error)};
  report.resolution.targets[0].error = "ImportError: no";
  CHECK(judged_alone(report).headline == "`import torch` fails: CUD101 as error");
  Import second;
  second.module = "torch._C";
  second.failed = true;
  report.resolution.imports.push_back(second);
  CHECK(judged_alone(report).headline == "`import torch._C` fails: CUD101 as error");
  report.resolution.targets[0].error.clear();
  CHECK(judged_alone(report).headline == "torch does not load: CUD101 as error");
}

TEST_CASE("what was not followed is counted where the answer hangs on it, in singular and plural") {
  auto report = of_import("py:torch", "torch");
  report.resolution.imports[0].unfollowed = {{.what = "a name", .file = "a.py", .line = 7}};
  const std::string works = "`import torch` works and maps 3 files";
  CHECK(judged_alone(report).headline ==
        works + "; as far as it can be followed: 1 load is decided at run time (a.py:7)");
  report.resolution.imports[0].unfollowed.push_back({.what = "a name", .file = "b.py", .line = 9});
  CHECK(judged_alone(report).headline ==
        works + "; as far as it can be followed: 2 loads are decided at run time (a.py:7, -v shows all)");
  report.findings = {made("CUD104", Level::warning)};
  CHECK(
      judged_alone(report).headline.starts_with("torch loads, but CUD104 as warning; as far as it can be followed: "));
  report.findings = {made("CUD101", Level::error)};
  CHECK(judged_alone(report).headline == "torch does not load: CUD101 as error");
  report.findings = {made("CUD902", Level::note)};
  CHECK(judged_alone(report).headline == "torch could not be judged: CUD902 as note");
}

/// The same file, with code for these.
std::shared_ptr<const GpuCode> code_for(std::map<GpuArchitecture, std::size_t> sass,
                                        std::map<GpuArchitecture, std::size_t> ptx = {}) {
  GpuCode code;
  for (const auto& [architecture, count] : sass) code.sass[architecture] = count;
  for (const auto& [architecture, count] : ptx) code.ptx[architecture] = count;
  return std::make_shared<GpuCode>(std::move(code));
}

TEST_CASE("the GPUs of an import are those of the file with most code, eight by name and more by their ends") {
  auto report = of_import("py:torch", "torch");
  auto& objects = report.resolution.objects;
  const auto headline = [&] { return judged_alone(report).headline; };
  const std::string works = "`import torch` works and maps 3 files";
  const auto carry = [&](ObjectId id, std::shared_ptr<const GpuCode> code) {
    auto image = std::make_shared<Image>(*objects[id].image);
    image->has_gpu_code = true;
    objects[id].image = image;
    objects[id].gpu = std::move(code);
  };
  carry(1, code_for({{{80, 0}, 2}, {{90, 0}, 1}}));
  carry(2, code_for({{{70, 0}, 3}}, {{{70, 0}, 1}}));
  CHECK(headline() == works + "; GPU code for sm_80, sm_90");
  objects[2].gpu = code_for({{{70, 0}, 4}}, {{{60, 0}, 1}, {{70, 0}, 1}});
  CHECK(headline() == works + "; GPU code for sm_70, newer by PTX of sm_70");
  objects[2].unmapped = true;
  CHECK(headline() == "`import torch` works and maps 2 files; GPU code for sm_80, sm_90");
  objects[2].unmapped = false;
  objects[2].gpu = code_for({{{90, 0}, 4}, {{90, 'a'}, 4}, {{100, 'f'}, 1}});
  CHECK(headline() == works + "; GPU code for sm_90, sm_100f");
  std::map<GpuArchitecture, std::size_t> many;
  for (const std::uint32_t number : {50u, 60u, 61u, 70u, 75u, 80u, 86u, 90u}) many[{number, 0}] = 1;
  objects[2].gpu = code_for(many);
  CHECK(headline() == works + "; GPU code for sm_50, sm_60, sm_61, sm_70, sm_75, sm_80, sm_86, sm_90");
  many[{100, 0}] = 1;
  objects[2].gpu = code_for(many);
  CHECK(headline() == works + "; GPU code for 9 architectures from sm_50 to sm_100");
}

void make_cuda(Object& object, CudaKind kind, const std::string& version) {
  CudaLibrary library;
  library.kind = kind;
  library.version = version;
  object.cuda = std::make_shared<CudaLibrary>(library);
}

TEST_CASE("the stack is told where it is certain: one release of the runtime, the longest cuDNN, the driver it needs") {
  auto report = of_program();
  auto& objects = report.resolution.objects;
  report.query.environment.any_driver = true;
  objects.resize(2);
  make_cuda(objects[1], CudaKind::cudnn, "9.10.2");
  CHECK(judged_alone(report).headline == "app loads, with 1 other file");
  objects.push_back(mapped("/lib/libcudart.so.11.0"));
  make_cuda(objects[2], CudaKind::cudart, "11.8");
  const std::string loads = "app loads, with 2 other files; CUDA 11.8", driver = "; driver 450.80.02 or newer";
  CHECK(judged_alone(report).headline == loads + ", cuDNN 9.10.2" + driver);
  // What is loaded only on use is no part of those that are mapped, and is told all the same.
  objects[1].unmapped = true;
  CHECK(judged_alone(report).headline.find("cuDNN") == std::string::npos);
  report.resolution.targets.push_back(report.resolution.targets[0]);
  report.resolution.targets[1].traits.when = RequestTime::later;
  objects[1].target = 1;
  CHECK(judged_alone(report).headline.find(", cuDNN 9.10.2") != std::string::npos);
  report.resolution.targets.pop_back();
  objects[1].target = 0;
  objects[1].unmapped = false;
  make_cuda(objects[1], CudaKind::cublas, "11.8");
  CHECK(judged_alone(report).headline == loads + driver);
  make_cuda(objects[1], CudaKind::cudnn, "");
  CHECK(judged_alone(report).headline == loads + driver);
  make_cuda(objects[1], CudaKind::cudart, "11.7");
  CHECK(judged_alone(report).headline.find("CUDA 11.") == std::string::npos);
  objects[1].cuda = nullptr;
  make_cuda(objects[2], CudaKind::cudart, "");
  CHECK(judged_alone(report).headline == "app loads, with 2 other files");
}

/// A requirement that is known to bring a library.
RequiredPackage requirement_of(const std::string& name, const std::string& version = "",
                               const std::string& by = "app") {
  RequiredPackage required;
  required.name = name;
  required.by = by;
  required.version = version;
  required.libraries = {"libx.so"};
  return required;
}

TEST_CASE("an answer about packages says where it holds") {
  auto report = of_program();
  auto& world = report.resolution.world;
  const auto headline = [&](const std::string& name) {
    world.name = name;
    return judged_alone(report).headline;
  };
  CHECK(headline("manylinux_2_28_x86_64") == "app loads, with 2 other files");
  world.kind = WorldKind::tag;
  CHECK(headline("") == "app loads on any machine");
  CHECK(headline("win_amd64") == "app loads on a fresh Windows (win_amd64)");
  CHECK(headline("linux-64") == "app loads on any linux-64");
  CHECK(headline("manylinux_2_28_x86_64") == "app loads on any manylinux_2_28_x86_64 system");
  report.resolution.objects[0].image = std::make_shared<Image>();
  CHECK(headline("") == "app loads on any machine");
  report.resolution.targets.push_back(report.resolution.targets[0]);
  CHECK(headline("") == "app and app load on any machine");
}

TEST_CASE("an answer about packages counts their own requirements, and says of which CUDA they are") {
  auto report = of_program();
  auto& world = report.resolution.world;
  world.kind = WorldKind::tag;
  const std::string alone = "app loads on any machine, with its ";
  world.requirements = {requirement_of("click")};
  CHECK(judged_alone(report).headline == alone + "dependency");
  world.requirements = {requirement_of("click"), requirement_of("yaml", "", "Click")};
  CHECK(judged_alone(report).headline == alone + "dependency");
  world.requirements = {requirement_of("click"), requirement_of("yaml")};
  CHECK(judged_alone(report).headline == alone + "2 dependencies");
  world.requirements[1].at_hand = true;
  CHECK(judged_alone(report).headline == alone + "dependency");
  const std::string driver = "; driver 450.80.02 or newer";
  world.requirements = {requirement_of("nvidia-cuda-runtime-cu11", "11.8.89")};
  CHECK(judged_alone(report).headline == alone + "dependency (CUDA 11.8)" + driver);
  world.requirements.push_back(requirement_of("nvidia-cublas-cu11"));
  world.requirements.push_back(requirement_of("click"));
  CHECK(judged_alone(report).headline == alone + "3 dependencies (2 provide CUDA 11.8)" + driver);
  world.requirements[1].libraries.clear();
  CHECK(judged_alone(report).headline == alone + "3 dependencies (1 provide CUDA 11.8)" + driver);
}

TEST_CASE("the CUDA of a world is that of its runtime, if a version says it") {
  World world;
  CHECK(cuda_of(world) == "");
  world.requirements = {requirement_of("nvidia-cublas-cu12", "12.8.4.1")};
  CHECK(cuda_of(world) == "");
  world.requirements.push_back(requirement_of("nvidia-cuda-runtime-cu12", "12"));
  CHECK(cuda_of(world) == "");
  world.requirements.push_back(requirement_of("cuda-toolkit", "13.0.2"));
  CHECK(cuda_of(world) == "13.0");
  world.requirements[1].version = "12.8";
  CHECK(cuda_of(world) == "12.8");
}

TEST_CASE("how bad a failed request is follows from when it is made and for what") {
  Report report;
  Target request;
  CHECK(level_of_failure(report, request) == Level::error);
  request.traits.when = RequestTime::unreached;
  CHECK(level_of_failure(report, request) == Level::warning);
  request.traits.when = RequestTime::later;
  CHECK(level_of_failure(report, request) == Level::note);
  request.traits = {.optional = true};
  CHECK(level_of_failure(report, request) == Level::note);
  request.traits.when = RequestTime::unreached;
  CHECK(level_of_failure(report, request) == Level::note);
  request.traits.gpu = true;
  CHECK(level_of_failure(report, request) == Level::warning);
  report.query.require_gpu = true;
  CHECK(level_of_failure(report, request) == Level::error);
}

TEST_CASE("the whole target of an object is the one that its request is a part of") {
  auto report = of_program();
  use_gpu(report);
  const auto id = report.resolution.objects.size() - 1;
  CHECK(&whole_target(report, id) == &report.resolution.targets[0]);
  report.resolution.targets[1].part_of.reset();
  CHECK(&whole_target(report, id) == &report.resolution.targets[1]);
  CHECK(own_targets(report).size() == 2);
}

TEST_CASE("what Python prints is told of an import that fails, and of nothing else") {
  auto report = of_import("py:torch", "torch");
  auto& target = report.resolution.targets[0];
  CHECK(raised(report, target) == "");
  target.error = "ImportError: no";
  CHECK(raised(report, target) == "`import torch` raises ImportError: no");
  Target other;
  other.error = "no";
  CHECK(raised(report, other) == "");
}

TEST_CASE("an object is called by its file's name, a DLL of a stated Windows as well") {
  Object object = mapped("/opt/lib/libx.so");
  CHECK(short_name(object) == "libx.so");
  object.path = R"(C:\Windows\nvcuda.dll)";
  CHECK(short_name(object) == R"(C:\Windows\nvcuda.dll)");
  object.known_by_name = true;
  CHECK(short_name(object) == "nvcuda.dll");
  object.path = "/opt/lib/libx.so";
  CHECK(short_name(object) == "libx.so");
}

}  // namespace
}  // namespace cudald
