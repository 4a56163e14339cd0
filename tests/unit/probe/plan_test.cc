#include "probe/plan.h"

#include <doctest/doctest.h>
#include <elf.h>

#include <cudald/environment.h>
#include <cudald/image.h>
#include <cudald/report.h>

namespace cudald {
namespace {

using PlanTexts = std::vector<std::string>;

std::shared_ptr<Image> planned_image(FileType type = FileType::shared) {
  auto image = std::make_shared<Image>();
  image->type = type;
  return image;
}

Object object_at(const std::string& path, std::shared_ptr<const Image> image = planned_image()) {
  Object object;
  object.path = path;
  object.load_name = path;
  object.image = std::move(image);
  return object;
}

Target target_of(const std::string& given, std::optional<ObjectId> object, TargetKind kind = TargetKind::start) {
  Target target;
  target.given = given;
  target.kind = kind;
  target.object = object;
  return target;
}

/// A library that is asked about on this machine, as it is.
Report asked_report() {
  Report report;
  report.query.environment = {};
  report.query.environment.cpu = host_cpu();
  report.query.environment.cwd = "/project";
  report.resolution.libc.kind = LibcKind::glibc;
  report.resolution.objects = {object_at("/lib/a.so")};
  report.resolution.targets = {target_of("a.so", 0)};
  return report;
}

/// A program of that kind in front of the library.
Report program_report(std::optional<std::string> interpreter, bool pie = false) {
  auto report = asked_report();
  auto image = planned_image(pie ? FileType::shared : FileType::executable);
  if (pie) image->elf.flags_1 = df_1_pie;
  image->elf.interpreter = std::move(interpreter);
  report.resolution.objects = {object_at("/bin/app", image), object_at("/lib/a.so")};
  report.resolution.targets = {target_of("./app", 0)};
  return report;
}

TEST_CASE("a question about this machine as it is can be asked for real") {
  CHECK_FALSE(reason_not_to_run(asked_report()));
}

TEST_CASE("each reason not to run is told") {
  struct Row {
    void (*change)(Report&);
    const char* reason;
  };
  const Row rows[] = {
      {[](Report& r) { r.resolution.windows = true; }, "it is made for Windows, and this machine runs Linux"},
      {[](Report& r) { r.query.sysroot = "/srv"; }, "its tree /srv is not the root of this machine"},
      {[](Report& r) { r.query.packages = {"a.whl"}; },
       "packages are installed for the simulation only (--with): there is nothing on the disk to load"},
      {[](Report& r) { r.query.environment.secure = true; },
       "a set-user-ID process (--secure) cannot be started for another user's question"},
      {[](Report& r) { r.query.environment.cpu.platform += "x"; },
       "another processor than that of this machine is simulated (--cpu)"},
      {[](Report& r) { r.query.environment.libc = LibcVersion{}; },
       "the C library is stated (--libc), not the one of this machine"},
      {[](Report& r) { r.resolution.targets[0].kind = TargetKind::package; },
       "a.so is an archive: there is nothing on the disk to load"},
      {[](Report& r) { r.resolution.targets[0].unreadable = Error{ErrorCode::absent, "No such file"}; },
       "a.so is not available for loading: No such file"},
      {[](Report& r) { r.resolution.objects.clear(); }, "nothing to do"},
      {[](Report& r) { r.resolution.libc.kind = LibcKind::musl; },
       "it is made for musl, and the probe's own program for glibc"},
      {[](Report& r) { r.resolution.objects.push_back(object_at("/a.whl!/b.so")); }, "/a.whl!/b.so is in an archive"},
  };
  for (const auto& [change, reason] : rows) {
    auto report = asked_report();
    change(report);
    CHECK(reason_not_to_run(report).value_or("none") == reason);
  }
}

TEST_CASE("libraries are opened by their paths, bound whole, with the flags of the question") {
  auto report = asked_report();
  report.resolution.objects[0].load_name = "lib/./a.so";
  report.resolution.objects.push_back(object_at("/lib/b.so"));
  report.resolution.objects[1].load_name = "";
  report.resolution.targets.push_back(target_of("b.so", 1));
  report.resolution.targets.push_back(target_of("/none.so", std::nullopt));
  report.resolution.targets[1].traits.global = true;
  report.resolution.targets[2].traits.deepbind = true;
  const auto plan = make_plan(report);
  CHECK(plan.way == ProbeWay::open);
  CHECK(plan.left_out.empty());
  REQUIRE(plan.opened.size() == 3);
  CHECK(plan.opened[0].name == "/project/lib/a.so");
  CHECK(plan.opened[0].traits.bind_now);
  CHECK_FALSE(plan.opened[0].traits.global);
  CHECK_FALSE(plan.opened[0].traits.deepbind);
  CHECK(plan.opened[1].name == "/lib/b.so");
  CHECK(plan.opened[1].traits.global);
  CHECK_FALSE(plan.opened[1].traits.deepbind);
  CHECK(plan.opened[2].name == "/none.so");
  CHECK(plan.opened[2].traits.deepbind);
}

TEST_CASE("two dots in a path stay, as they may stand behind a link") {
  auto report = asked_report();
  report.resolution.objects[0].load_name = "/lib/./link/../a.so";
  CHECK(make_plan(report).opened.at(0).name == "/lib/./link/../a.so");
}

TEST_CASE("a dlopen by name is asked by name, one with a slash by its path, each bound as it is stated") {
  auto report = asked_report();
  report.resolution.targets = {target_of("a.so", 0, TargetKind::dlopen), target_of("./a.so", 0, TargetKind::dlopen),
                               target_of("none.so", std::nullopt, TargetKind::dlopen)};
  auto plan = make_plan(report);
  REQUIRE(plan.opened.size() == 3);
  CHECK(plan.opened[0].name == "a.so");
  CHECK(plan.opened[1].name == "/lib/a.so");
  CHECK(plan.opened[2].name == "none.so");
  CHECK(plan.opened[0].traits.bind_now);
  report.query.dlopens = {{.name = "a.so"}, {.name = "none.so"}};
  report.resolution.targets[2].traits.bind_now = true;
  plan = make_plan(report);
  CHECK_FALSE(plan.opened[0].traits.bind_now);
  CHECK(plan.opened[1].traits.bind_now);
  CHECK(plan.opened[2].traits.bind_now);
}

TEST_CASE("a dlopen that a library calls is left out, one that the program calls is not") {
  auto report = asked_report();
  report.resolution.targets.push_back(target_of("b.so", std::nullopt, TargetKind::dlopen));
  report.resolution.targets[1].caller = 0;
  CHECK(make_plan(report).opened.size() == 2);
  report.resolution.targets[1].caller = 1;
  const auto plan = make_plan(report);
  CHECK(plan.opened.size() == 1);
  CHECK(plan.left_out == PlanTexts{"b.so is not loaded: its dlopen is called by a library, and the probe's is not"});
}

TEST_CASE("requests that a target makes itself are not made once more") {
  auto report = asked_report();
  report.resolution.targets.push_back(target_of("b.so", std::nullopt, TargetKind::dlopen));
  report.resolution.targets[1].part_of = 0;
  const auto plan = make_plan(report);
  CHECK(plan.opened.size() == 1);
  CHECK(plan.left_out.empty());
}

TEST_CASE("a program is listed by its loader, whether it is linked for one place or not") {
  for (const bool pie : {false, true}) {
    auto report = program_report("lib/ld.so", pie);
    report.resolution.objects[0].load_name = "/link/to/app";
    report.resolution.targets.push_back(target_of("b.so", 1, TargetKind::dlopen));
    const auto plan = make_plan(report);
    CHECK(plan.way == ProbeWay::list);
    CHECK(plan.program == "/bin/app");
    CHECK(plan.interpreter == "/project/lib/ld.so");
    CHECK(plan.opened.empty());
    CHECK(plan.left_out ==
          PlanTexts{"b.so is not loaded: of a program only the start is probed, so that nothing of it runs"});
  }
}

TEST_CASE("a program without a loader is left out, and what follows it is opened") {
  auto report = program_report(std::nullopt);
  report.resolution.targets.push_back(target_of("/lib/a.so", 1));
  const auto plan = make_plan(report);
  CHECK(plan.way == ProbeWay::open);
  CHECK(plan.left_out ==
        PlanTexts{"./app is not loaded: it is statically linked, so no loader takes part in its start"});
  REQUIRE(plan.opened.size() == 1);
  CHECK(plan.opened[0].name == "/lib/a.so");
}

TEST_CASE("a program behind the first target is a file to open") {
  auto report = program_report("/ld.so");
  report.resolution.targets.insert(report.resolution.targets.begin(), target_of("/lib/a.so", 1));
  const auto plan = make_plan(report);
  CHECK(plan.way == ProbeWay::open);
  REQUIRE(plan.opened.size() == 2);
  CHECK(plan.opened[1].name == "/bin/app");
}

Report import_report(const std::string& python) {
  auto report = asked_report();
  report.resolution.targets = {target_of("py:one", std::nullopt, TargetKind::import),
                               target_of("py:two", std::nullopt, TargetKind::import)};
  for (const auto target : {std::size_t{1}, std::size_t{0}}) {
    auto& import = report.resolution.imports.emplace_back();
    import.target = target;
    import.module = target == 0 ? "one" : "two";
    import.python = python;
  }
  return report;
}

TEST_CASE("modules are imported in order by their Python, and nothing is loaded behind them") {
  auto report = import_report("/bin/python3");
  report.resolution.targets.push_back(target_of("/lib/a.so", 0));
  const auto plan = make_plan(report);
  CHECK(plan.way == ProbeWay::import);
  CHECK(plan.program == "/bin/python3");
  CHECK(plan.modules == PlanTexts{"one", "two"});
  CHECK(plan.left_out == PlanTexts{"/lib/a.so is not loaded: after an import nothing else is loaded"});
}

TEST_CASE("an import without a Python, or behind another process, is left out") {
  CHECK(make_plan(import_report("")).left_out ==
        PlanTexts{"py:one is not loaded: no Python of this machine belongs to it",
                  "py:two is not loaded: no Python of this machine belongs to it"});
  auto unknown = import_report("/bin/python3");
  unknown.resolution.imports.clear();
  CHECK(make_plan(unknown).left_out.size() == 2);
  auto report = import_report("/bin/python3");
  report.resolution.targets[0] = target_of("/lib/a.so", 0);
  const auto plan = make_plan(report);
  CHECK(plan.way == ProbeWay::open);
  CHECK(plan.modules.empty());
  CHECK(plan.opened.size() == 1);
  CHECK(plan.left_out == PlanTexts{"py:two is not loaded: the process before it is not a Python"});
}

TEST_CASE("libraries of CUDA are known by their names, with the hash of a wheel's copy") {
  const std::pair<const char*, const char*> rows[] = {
      {"libcudart.so.12", "runtime"},
      {"libcudart.so", "runtime"},
      {"libcublas.so.12", "cublas"},
      {"libcudnn.so.9", "cudnn"},
      {"libcudart-e409450e.so.11.0", "runtime"},
      {"libcudart.d9bbffd7.so.10.2", "runtime"},
      {"libcudart-e409450.so.11.0", ""},
      {"libcudart-e409450g.so.11.0", ""},
      {"libcudart_e409450e.so.11.0", ""},
      {"libcublasLt.so.12", ""},
      {"libcudnn_ops.so.9", ""},
      {"libcudart", ""},
      {"xlibcudart.so", ""},
      {".so", ""},
      {"libcuda.so.1", ""},
  };
  for (const auto& [soname, role] : rows) {
    const auto& seen_soname = soname;
    CAPTURE(seen_soname);
    Resolution resolution;
    resolution.objects = {object_at("/by/soname.so"), object_at("/by/" + std::string(soname))};
    auto image = planned_image();
    image->soname = soname;
    resolution.objects[0].image = image;
    const auto libraries = cuda_libraries(resolution);
    REQUIRE(libraries.size() == (*role == '\0' ? 0 : 2));
    if (libraries.empty()) continue;
    CHECK(libraries[0].role == role);
    CHECK(libraries[0].path == "/by/soname.so");
    CHECK(libraries[1].role == role);
    CHECK(libraries[1].path == "/by/" + std::string(soname));
    resolution.objects[0].unmapped = true;
    CHECK(cuda_libraries(resolution).size() == 1);
  }
  Resolution other;
  auto image = planned_image();
  image->soname = "libother.so";
  other.objects = {object_at("/lib/libcudart.so.12", image)};
  CHECK(cuda_libraries(other).empty());
}

TEST_CASE("a first target that the simulation does not find is opened by the name that was given") {
  auto report = asked_report();
  report.resolution.targets = {target_of("libnone.so", std::nullopt)};
  const auto plan = make_plan(report);
  CHECK(plan.way == ProbeWay::open);
  CHECK(plan.left_out.empty());
  REQUIRE(plan.opened.size() == 1);
  CHECK(plan.opened[0].name == "libnone.so");
  CHECK(plan.opened[0].traits.bind_now);
}

TEST_CASE("the first program alone decides, whatever is part of it or left out before it") {
  auto report = program_report("/ld.so");
  // What a target asks itself comes first, and does not count as the start.
  report.resolution.targets.insert(report.resolution.targets.begin(), target_of("part", std::nullopt));
  report.resolution.targets[0].part_of = 1;
  auto plan = make_plan(report);
  CHECK(plan.way == ProbeWay::list);
  CHECK(plan.program == "/bin/app");
  CHECK(plan.left_out.empty());
  auto two = program_report("/ld.so");
  two.resolution.targets.push_back(target_of("py:one", std::nullopt, TargetKind::import));
  auto& import = two.resolution.imports.emplace_back();
  import.target = 1;
  import.module = "one";
  import.python = "/bin/python3";
  plan = make_plan(two);
  CHECK(plan.way == ProbeWay::list);
  CHECK(plan.modules.empty());
  CHECK(plan.left_out == PlanTexts{"py:one is not loaded: the process before it is not a Python"});
}

}  // namespace
}  // namespace cudald
