#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/knowledge/library_file.h"

namespace cudald {
namespace {

TEST_CASE("a copy behind the one of LD_LIBRARY_PATH is noted, if it is another file") {
  TestWorld world;
  world.add("/bin/app", program({.runpath = "/opt", .needed = {"liba.so", "libb.so"}}));
  for (const std::string folder : {"/env/", "/opt/"}) world.add(folder + "liba.so", {});
  world.add("/env/libb.so", {});
  world.files.add_hard_link("/opt/libb.so", "/env/libb.so");
  CHECK(findings(world.explain({"/bin/app"})) == "");
  world.set("LD_LIBRARY_PATH", "/env");
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) == "CUD109 note app: liba.so\nCUD104 note app: liba.so\n");
  CHECK(in_full(report) ==
        R"(CUD109 | note | /bin/app | liba.so
  liba.so comes from LD_LIBRARY_PATH; without it /opt/liba.so would load
  - loads: /env/liba.so | /env/liba.so | proven
  - next in the search: /opt/liba.so | /opt/liba.so | proven
  = /env/liba.so is used, here only; the two may be of different releases.
  > if the other copy is the right one | unset LD_LIBRARY_PATH | for all libraries and programs of this shell
CUD104 | note | /bin/app | liba.so
  liba.so, libb.so are found through LD_LIBRARY_PATH
  = In a shell, service or container without that variable the search continues with the next rules.
)");
  CHECK(report.findings[0].message == "liba.so comes from LD_LIBRARY_PATH; without it /opt/liba.so would load");
}

TEST_CASE("who asks for a library of CUDA and gets the copy that was loaded first, by the copy that each has itself") {
  TestWorld world;
  const std::string runtime = "libcudart.so.12";
  world.add("/bin/app", program({.runpath = "/a", .needed = {runtime, "libb.so", "libc.so", "libd.so", "libe.so"}}));
  for (const std::string name : {"libb.so", "libc.so"}) world.add("/a/" + name, {.runpath = "/b", .needed = {runtime}});
  world.add("/a/libd.so", {.runpath = "/d", .needed = {runtime}});
  world.add("/a/libe.so", {.needed = {runtime}});  // whose own search has none
  world.files.add_file("/a/" + runtime, cuda_runtime(runtime, 12040));
  world.files.add_file("/b/" + runtime, cuda_runtime(runtime, 12080));
  world.add("/d/" + runtime, {.soname = runtime});
  const std::string fails_elsewhere =
      "  = A process has one library of each soname: the first one loaded is used for all. What only the other one has "
      "is missing; importing in another order loads the other one.\n"
      "  > one release for all of them, in one directory\n";
  CHECK(in_full(world.explain({"/bin/app"}), "CUD109") ==
        "CUD109 | note | /a/libb.so | libcudart.so.12\n"
        "  libb.so, libc.so get the libcudart.so.12 that was loaded first, not the one of their own search\n"
        "  - loaded first: /a/libcudart.so.12, CUDA runtime 12.4 | /a/libcudart.so.12 | proven\n"
        "  - alone it would be: /b/libcudart.so.12, CUDA runtime 12.8 | /b/libcudart.so.12 | proven\n" +
            fails_elsewhere +
            "CUD109 | note | /a/libd.so | libcudart.so.12\n"
            "  libd.so gets the libcudart.so.12 that was loaded first, not the one of its own search\n"
            "  - loaded first: /a/libcudart.so.12, CUDA runtime 12.4 | /a/libcudart.so.12 | proven\n"
            "  - alone it would be: /d/libcudart.so.12 | /d/libcudart.so.12 | proven\n" +
            fails_elsewhere);
}

TEST_CASE("a search that leads to another file of the same library is told, whichever way it finds it") {
  const std::string runtime = "libcudart.so.12";
  const auto told = [&](const std::string& folder, const ElfSpec& second, const std::string& hwcaps = "") {
    TestWorld world;
    world.add("/bin/app", program({.runpath = "/a", .needed = {runtime, "libb.so"}}));
    auto spec = second;
    if (spec.needed.empty()) spec.needed = {runtime};
    world.add("/a/libb.so", spec);
    world.files.add_file("/a/" + runtime, cuda_runtime(runtime, 12040));
    world.files.add_file(folder + hwcaps + "/" + runtime, cuda_runtime(runtime, 12080));
    std::string text;
    for (const auto& finding : world.explain({"/bin/app"}).findings)
      if (finding.code == "CUD109") text += finding.evidence.at(1).text + "\n";
    return text;
  };
  const std::string is = "alone it would be: ", what = ", CUDA runtime 12.8\n";
  CHECK(told("/b", {.runpath = "/b"}) == is + "/b/libcudart.so.12" + what);
  CHECK(told("/lib", {}) == is + "/lib/libcudart.so.12" + what);
  CHECK(told("/b", {}) == "");
  CHECK(told("/b", {.runpath = "/none:/b"}) == is + "/b/libcudart.so.12" + what);
  CHECK(told("/b", {.runpath = "/b"}, "/glibc-hwcaps/x86-64-v4") == "");
  // A file in the way that is no library ends the search, and one for another machine does not.
  TestWorld world;
  world.add("/bin/app", program({.runpath = "/a", .needed = {runtime, "libb.so"}}));
  world.add("/a/libb.so", {.runpath = "/bad:/b", .needed = {runtime}});
  world.files.add_file("/a/" + runtime, cuda_runtime(runtime, 12040));
  world.files.add_file("/b/" + runtime, cuda_runtime(runtime, 12080));
  world.files.add_file("/bad/" + runtime, "text");
  CHECK(in_full(world.explain({"/bin/app"}), "CUD109") == "");
  world.add("/bad/" + runtime, {.machine = EM_AARCH64, .soname = runtime});
  CHECK(in_full(world.explain({"/bin/app"}), "CUD109") != "");
}

TEST_CASE("in folders for newer processors the own search looks first") {
  const std::string runtime = "libcudart.so.12";
  TestWorld world;
  world.query.environment.cpu = x86_64_cpu(3);
  world.add("/bin/app", program({.runpath = "/a", .needed = {runtime, "libb.so"}}));
  world.add("/a/libb.so", {.runpath = "/b", .needed = {runtime}});
  world.files.add_file("/a/" + runtime, cuda_runtime(runtime, 12040));
  world.files.add_file("/b/" + runtime, cuda_runtime(runtime, 12060));
  world.files.add_file("/b/glibc-hwcaps/x86-64-v2/" + runtime, cuda_runtime(runtime, 12080));
  const auto report = world.explain({"/bin/app"});
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].evidence[1].path == "/b/glibc-hwcaps/x86-64-v2/" + runtime);
}

TEST_CASE("behind LD_LIBRARY_PATH only what the loader would take is told, of other libraries than those of CUDA too") {
  const auto told = [](const std::string& behind, bool needed = true) {
    TestWorld world;
    world.set("LD_LIBRARY_PATH", "/env:/env2");
    world.add("/bin/app", program({.runpath = "/opt:/last", .needed = {"liba.so"}}));
    for (const std::string folder : {"/env/", "/env2/", "/last/"}) world.add(folder + "liba.so", {});
    world.files.add_file("/opt/liba.so", behind);
    if (!needed) world.add("/bin/app", program({.rpath = "/opt", .needed = {"liba.so"}}));
    std::string text;
    for (const auto& finding : world.explain({"/bin/app"}).findings)
      if (finding.code == "CUD109") text += finding.message + "\n";
    return text;
  };
  CHECK(told(elf({})) == "liba.so comes from LD_LIBRARY_PATH; without it /opt/liba.so would load\n");
  CHECK(told(elf({.machine = EM_AARCH64})) ==
        "liba.so comes from LD_LIBRARY_PATH; without it /last/liba.so would load\n");
  CHECK(told(elf({}), false) == "");  // found by the DT_RPATH, before the variable is asked
}

}  // namespace
}  // namespace cudald
