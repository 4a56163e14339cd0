// What conda has for a missing library.

#include <doctest/doctest.h>

#include "check/fixes/conda_library.h"
#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

TEST_CASE("in an environment of conda its own package comes first") {
  TestWorld world;
  world.files.add_folder("/conda/conda-meta");
  world.add("/conda/lib/liba.so", {.needed = {"libcudart.so.11.0"}});
  const auto offered = commands(world.explain({"/conda/lib/liba.so"}).findings[0]);
  CHECK(offered.starts_with("conda install -p /conda -c conda-forge "));
  CHECK(offered.find("pip install nvidia-cuda-runtime-cu11") != std::string::npos);
  // The environment that was named, of a name of one letter, for a program that lies outside of it.
  TestWorld beside;
  beside.files.add_folder("/c/conda-meta");
  beside.add("/opt/app", program({.needed = {"libnccl.so.2"}}));
  CHECK_FALSE(commands(beside.explain({"/opt/app"}).findings.at(0)).starts_with("conda"));
  beside.query.prefix = "/c";
  const auto report = beside.explain({"/opt/app"});
  CHECK(commands(report.findings.at(0)).starts_with("conda install -p /c -c conda-forge nccl\n"));
  CHECK(in_full(report).find("  - nccl of conda-forge likely provides libnccl.so.2 | table\n") != std::string::npos);
}

TEST_CASE("of what conda has for several CUDAs that of the requester is taken, and all where nothing tells") {
  const auto offered = [](const std::vector<std::string>& needed) {
    TestWorld world;
    world.files.add_folder("/conda/conda-meta");
    world.add("/conda/lib/liba.so", {.needed = {needed.begin(), needed.end()}});
    for (const auto& name : needed)
      if (name != "libcudnn.so.9") world.add("/lib/" + name, {.soname = name});
    std::string text;
    const auto report = world.explain({"/conda/lib/liba.so"});
    for (const auto& fix : report.findings.at(0).fixes)
      if (fix.command.starts_with("conda")) text += fix.command.substr(0, fix.command.find('\n')) + "\n";
    return text;
  };
  const std::string start = "conda install -p /conda -c conda-forge cudnn=9 cuda-version=";
  CHECK(offered({"libcudnn.so.9", "libcudart.so.12"}) == start + "12\n");
  CHECK(offered({"libcudnn.so.9", "libcudart.so.13"}) == start + "13\n");
  CHECK(offered({"libcudnn.so.9", "libcudart.so.11.0"}) == start + "12\n" + start + "13\n");
  CHECK(offered({"libcudnn.so.9"}) == start + "12\n" + start + "13\n");
}

}  // namespace
}  // namespace cudald
