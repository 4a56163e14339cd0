// How what is loaded of CUDA is gathered and named; the checks of CUDA stand on it.

#include <doctest/doctest.h>

#include "check/findings/cuda_objects.h"
#include "common/fatbin_file.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"
#include "unit/knowledge/library_file.h"

namespace cudald {
namespace {

TEST_CASE("of many users three are named and the rest is counted") {
  TestWorld world;
  world.query.symbols = SymbolCheck::none;
  std::vector<ElfNeeded> users;
  for (const std::string name : {"liba.so", "libb.so", "libc.so", "libd.so", "libe.so"}) {
    users.emplace_back(name);
    world.add("/opt/" + name, {.needed = {"libcudart.so.12"}});
  }
  users.emplace_back("libz.so");
  world.add("/opt/libz.so", {.needed = {"libcudart.so.11.0"}});
  world.add("/bin/app", program({.runpath = "/opt", .needed = users}));
  world.files.add_file("/lib/libcudart.so.11.0", cuda_runtime("libcudart.so.11.0", 11080));
  world.files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12040));
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD303 note libcudart.so.11.0: libcudart.so.11.0\n");
  CHECK(in_full(report) ==
        R"(CUD303 | note | /lib/libcudart.so.11.0 | libcudart.so.11.0
  two CUDA runtimes in one process, libcudart.so.12, CUDA runtime 12.4 and libcudart.so.11.0, CUDA runtime 11.8, kept )"
        R"(apart
  - libcudart.so.12, CUDA runtime 12.4: used by liba.so, libb.so, libc.so and 2 more | /lib/libcudart.so.12 | proven
  - libcudart.so.11.0, CUDA runtime 11.8: used by libz.so | /lib/libcudart.so.11.0 | proven
)" + two_runtimes_kept_apart);
  CHECK(says(report.findings[0], "libcudart.so.11.0, CUDA runtime 11.8: used by libz.so\n"));
  CHECK(says(report.findings[0], "libcudart.so.12, CUDA runtime 12.4: used by liba.so, libb.so, libc.so and 2 more\n"));
}

TEST_CASE("a runtime that came and went with a failed dlopen is none of the process's") {
  TestWorld world;
  world.query.symbols = SymbolCheck::none;
  world.add("/bin/app", program({.needed = {"libcudart.so.12"}}));
  world.files.add_file("/lib/libcudart.so.11.0", cuda_runtime("libcudart.so.11.0", 11080));
  world.files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12040));
  world.add("/lib/libplugin.so", {.needed = {"libcudart.so.11.0"}});
  world.query.dlopens = {{.name = "libplugin.so"}};
  CHECK(findings(world.explain({"/bin/app"})) == "CUD303 note libcudart.so.11.0: libcudart.so.11.0\n");
  world.add("/lib/libplugin.so", {.needed = {"libcudart.so.11.0", "libnone.so"}});
  CHECK(findings(world.explain({"/bin/app"})) == "CUD101 error libplugin.so: libnone.so\n");
  CHECK(in_full(world.explain({"/bin/app"})) ==
        R"(CUD101 | error | /lib/libplugin.so | libnone.so
  libnone.so is not found in any directory the loader searches
  = The dlopen fails as a whole: libnone.so: cannot open shared object file: No such file or directory
  > install the system's package that provides it
)");
}

TEST_CASE("NVIDIA's own libraries do not speak for the GPUs of a framework") {
  TestWorld world;
  world.query.prefix = "/venv";
  const std::string site = "/venv/lib/python3.11/site-packages/";
  world.files.add_file(site + "frame/__init__.py", "from . import _C\n");
  world.files.add_file(site + "frame/_C.so",
                       gpu_library({.runpath = "$ORIGIN", .needed = {"libcufft.so.11", "libown.so"}}, {{2, 80}}));
  world.files.add_file(site + "frame/libcufft.so.11", gpu_library({}, {{2, 50}, {2, 60}, {2, 70}}));
  world.files.add_file(site + "frame/libown.so", gpu_library({}, {{2, 90}, {2, 100}, {1, 100}}));
  CHECK(world.explain({"py:frame"}).headline ==
        "`import frame` works and maps 4 files (Python 3.11); GPU code for sm_90, sm_100, newer by PTX of sm_100");
}

TEST_CASE("libraries of a kind: each file once, mapped or made later, and not what is linked in") {
  auto report =
      made_report({made_object("/bin/app"), made_cuda("/a", CudaKind::cudart, "12.4", 12),
                   made_cuda("/a", CudaKind::cudart, "12.4", 12), made_cuda("/b", CudaKind::cudart, "", 12),
                   made_cuda("/c", CudaKind::cublas, "12.4", 12), made_cuda("/d", CudaKind::cudart, "12.4", 12)});
  auto& objects = report.resolution.objects;
  CudaLibrary linked = *objects[5].cuda;
  linked.is_static = true;
  objects[5].cuda = std::make_shared<CudaLibrary>(linked);
  const auto& resolution = report.resolution;
  CHECK(cuda_objects(resolution, CudaKind::cudart) == std::vector<ObjectId>{1, 3});
  CHECK(cuda_objects(resolution, CudaKind::cublas) == std::vector<ObjectId>{4});
  CHECK(objects_with_linked_runtime(resolution) == std::vector<ObjectId>{5});
  CHECK(all_runtimes(resolution) == std::vector<ObjectId>{1, 3, 5});
  objects[3].unmapped = objects[5].unmapped = true;
  CHECK(cuda_objects(resolution, CudaKind::cudart) == std::vector<ObjectId>{1});
  CHECK(cuda_objects(resolution, CudaKind::cudart, true) == std::vector<ObjectId>{1});
  CHECK(objects_with_linked_runtime(resolution).empty());
  report.resolution.targets.push_back(report.resolution.targets[0]);
  report.resolution.targets[1].traits.when = RequestTime::later;
  objects[3].target = 1;
  CHECK(cuda_objects(resolution, CudaKind::cudart) == std::vector<ObjectId>{1});
  CHECK(cuda_objects(resolution, CudaKind::cudart, true) == std::vector<ObjectId>{1, 3});
}

TEST_CASE("a library of CUDA is described by its file, its product and its release, if that is known") {
  auto object = made_cuda("/x/libcudart.so.12", CudaKind::cudart, "12.4", 12);
  CHECK(described(object) == "libcudart.so.12, CUDA runtime 12.4");
  CudaLibrary linked = *object.cuda;
  linked.is_static = true;
  object.cuda = std::make_shared<CudaLibrary>(linked);
  CHECK(described(object) == "CUDA runtime 12.4 inside libcudart.so.12");
  linked.version.clear();
  object.cuda = std::make_shared<CudaLibrary>(linked);
  CHECK(described(object) == "CUDA runtime inside libcudart.so.12");
}

TEST_CASE("what is NVIDIA's own goes by the package, or else by the name") {
  for (const std::string name :
       {"libcublas.so", "libnvrtc.so", "libnppc.so", "libnccl.so", "cudart64_12.dll", "nvcuda.dll", "nppc64_12.dll"})
    CHECK_MESSAGE(is_of_nvidia(made_object("/x/" + name)), name);
  for (const std::string name : {"libtorch.so", "libc10.so", "xlibcublas.so", "torch.dll"})
    CHECK_FALSE_MESSAGE(is_of_nvidia(made_object("/x/" + name)), name);
  auto object = made_object("/x/libcublas.so");
  object.package = PackageName{"torch", "2.9"};
  CHECK_FALSE(is_of_nvidia(object));
  object.path = "/x/libany.so";
  object.package = PackageName{"nvidia-cublas", "12"};
  CHECK(is_of_nvidia(object));
}

TEST_CASE("users of a library ask for it and are mapped, and are listed by their names once") {
  auto report = made_report({made_object("/bin/app"), made_object("/a/one.so"), made_object("/b/one.so"),
                             made_object("/b/two.so"), made_object("/b/three.so"), made_object("/b/four.so")});
  auto& objects = report.resolution.objects;
  for (ObjectId id = 1; id < 4; ++id) objects[id].edges = {made_edge("x", EdgeStatus::loaded, 0)};
  objects[4].edges = {made_edge("x", EdgeStatus::loaded, 1)};
  CHECK(users_of(report, 0) == std::vector<ObjectId>{1, 2, 3});
  objects[2].unmapped = true;
  CHECK(users_of(report, 0) == std::vector<ObjectId>{1, 3});
  CHECK(listed_names(report, {1, 2, 3}) == "one.so, two.so");
  CHECK(listed_names(report, {1, 2, 3, 4}) == "one.so, two.so, three.so");
  CHECK(listed_names(report, {1, 2, 3, 4, 5}) == "one.so, two.so, three.so and 1 more");
}

}  // namespace
}  // namespace cudald
