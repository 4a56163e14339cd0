// CUDA_VISIBLE_DEVICES lets no GPU be seen: CUD315.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"
#include "unit/knowledge/library_file.h"

namespace cudald {
namespace {

TestWorld seeing(const std::string& devices) {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libcudart.so.12"}}));
  world.files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12040));
  world.set("CUDA_VISIBLE_DEVICES", devices);
  return world;
}

constexpr auto hidden = "CUD315 warning libcudart.so.12: CUDA_VISIBLE_DEVICES\n";

TEST_CASE("software for GPUs that sees none is on the CPU only, and fails where the GPU is required") {
  auto world = seeing("");
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == hidden);
  CHECK(in_full(report) ==
        R"(CUD315 | warning | /lib/libcudart.so.12 | CUDA_VISIBLE_DEVICES
  CUDA_VISIBLE_DEVICES is empty: no GPU is seen
  - libcudart.so.12, CUDA runtime 12.4 | /lib/libcudart.so.12 | proven
  - the GPUs of a process are those before the first entry that names none | rule | CUDA Programming Guide, "CUDA )"
        R"(Environment Variables"
  = It starts. The first call of CUDA fails with "no CUDA-capable device is detected" (cudaErrorNoDevice, 100); )"
        R"(frameworks then see no GPU and use the CPU.
  > let all GPUs be seen | unset CUDA_VISIBLE_DEVICES | for this shell only
)");
  CHECK(report.verdict == Verdict::cpu_only);
  CHECK(report.headline == "app cannot use the GPU here: CUDA_VISIBLE_DEVICES is empty: no GPU is seen");
  world.query.require_gpu = true;
  const auto required = world.explain({"/bin/app"});
  CHECK(findings(required) == "CUD315 error libcudart.so.12: CUDA_VISIBLE_DEVICES\n");
  CHECK(required.verdict == Verdict::fails);
}

TEST_CASE("a GPU that is named is seen, as far as it is known which are there") {
  auto world = seeing("1,0");
  CHECK(findings(world.explain({"/bin/app"})) == "");
  const std::string folder = "/proc/driver/nvidia/gpus/";
  world.files.add_file(folder + "0000:00:06.0/information", "Model: NVIDIA A100\n");
  auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == hidden);
  CHECK(report.findings[0].message ==
        "CUDA_VISIBLE_DEVICES is \"1,0\", which begins with no GPU of the 1 here: none is seen");
  world.query.environment.driver = "550.54.14";  // another machine is asked about
  CHECK(findings(world.explain({"/bin/app"})) == "");
  world.query.environment.driver.clear();
  world.query.sysroot = "/tree";
  CHECK(findings(world.explain({"/bin/app"})) == "");
  world.query.sysroot = "/";
  world.files.add_file(folder + "0000:00:07.0/information", "Model: NVIDIA A100\n");
  CHECK(findings(world.explain({"/bin/app"})) == "");
  world.set("CUDA_VISIBLE_DEVICES", "-1");
  report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == hidden);
  CHECK(report.findings[0].message ==
        "CUDA_VISIBLE_DEVICES is \"-1\", which begins with no GPU of the 2 here: none is seen");
}

TEST_CASE("what has nothing to do with a GPU, or has no driver anyway, loses nothing by it") {
  auto world = seeing("-1");
  world.add("/bin/other", program({}));
  CHECK(findings(world.explain({"/bin/other"})) == "");
  world.query.environment.any_driver = false;
  CHECK(findings(world.explain({"/bin/app"})) == "CUD310 warning libcudart.so.12: libcuda.so.1\n");
  world.query.environment.driver = "520.61.05";
  CHECK(findings(world.explain({"/bin/app"})) == "CUD301 warning libcudart.so.12: 520.61.05\n");
  world.query.environment.driver = "525.60.13";  // which is only noted
  CHECK(findings(world.explain({"/bin/app"})) ==
        "CUD315 warning libcudart.so.12: CUDA_VISIBLE_DEVICES\nCUD301 note libcudart.so.12: 525.60.13\n");
}

TEST_CASE("the driver alone is enough to see a GPU by, and a process of Windows is told so in its own way") {
  auto report = made_report({made_object("/bin/app"), made_cuda("/lib/libcuda.so.1", CudaKind::driver, "550.54", 1)});
  report.query.environment.variables["CUDA_VISIBLE_DEVICES"] = "none";
  CHECK(made_findings(check_hidden_gpus, report).find("> let all GPUs be seen | unset CUDA_VISIBLE_DEVICES | ") !=
        std::string::npos);
  CHECK(report.findings.at(0).object == 1);
  report.findings.clear();
  report.resolution.windows = true;
  CHECK(made_findings(check_hidden_gpus, report).find("> let all GPUs be seen | set CUDA_VISIBLE_DEVICES= | ") !=
        std::string::npos);
}

}  // namespace
}  // namespace cudald
