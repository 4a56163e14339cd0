// For which CUDA a requester is.

#include <doctest/doctest.h>

#include "check/fixes/missing_library.h"
#include "unit/check/findings/finding_text.h"
#include "unit/knowledge/library_file.h"

namespace cudald {
namespace {

TEST_CASE("of several packages that carry a name, that for the CUDA of the requester is taken") {
  TestWorld world;
  world.add("/opt/liba.so", {.needed = {"libcudnn.so.9", "libcudart.so.12"}});
  world.add("/lib/libcudart.so.12", {});
  CHECK(commands(world.explain({"/opt/liba.so"}).findings[0]).find("pip install nvidia-cudnn-cu12") !=
        std::string::npos);
  world.add("/opt/liba.so", {.needed = {"libcudnn.so.9", "libcudart.so.13"}});
  world.add("/lib/libcudart.so.13", {});
  CHECK(commands(world.explain({"/opt/liba.so"}).findings[0]).find("pip install nvidia-cudnn-cu13") !=
        std::string::npos);
}

TEST_CASE("the CUDA of a requester is that of the runtime or cuBLAS that it asks for, else of the process") {
  struct Row {
    std::vector<std::string> needed, beside;
    std::string package;
    bool is_known = true;
  };
  for (const auto& row :
       {Row{{"libcudart.so.11.0"}, {}, "nvidia-cudnn-cu11"}, Row{{"libcublas.so.11"}, {}, "nvidia-cudnn-cu11"},
        Row{{"libcublas.so.12"}, {"libcudart.so.11.0"}, "nvidia-cudnn-cu12"},
        Row{{}, {"libcudart.so.11.0"}, "nvidia-cudnn-cu11"}, Row{{}, {"libcudart.so.12"}, "nvidia-cudnn-cu12"},
        Row{{}, {"libcudart.so.11.0", "libcudart.so.12"}, "nvidia-cudnn-cu1", false},
        Row{{}, {}, "nvidia-cudnn-cu1", false}}) {
    TestWorld world;
    ElfSpec app{.runpath = "/opt"}, library;
    app.needed.assign(row.beside.begin(), row.beside.end());
    app.needed.emplace_back("liba.so");
    library.needed.assign(row.needed.begin(), row.needed.end());
    library.needed.emplace_back("libcudnn.so.8");
    world.add("/bin/app", program(app));
    world.add("/opt/liba.so", library);
    for (const auto& name : row.needed) world.add("/lib/" + name, {.soname = name});
    for (const auto& name : row.beside)
      world.files.add_file("/lib/" + name, cuda_runtime(name, name.ends_with(".12") ? 12040 : 11080));
    const auto report = world.explain({"/bin/app"});
    REQUIRE_FALSE(report.findings.empty());
    CAPTURE(row.package);
    CHECK(report.findings[0].subject == "libcudnn.so.8");
    CHECK(commands(report.findings[0]).starts_with("pip install " + row.package));
    CHECK((commands(report.findings[0]).find("nvidia-cudnn-cu", 20) == std::string::npos) == row.is_known);
  }
}

}  // namespace
}  // namespace cudald
