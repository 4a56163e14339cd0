#include <doctest/doctest.h>

#include "unit/check/finding_text.h"
#include "unit/cuda/library_file.h"

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
  > if the other copy is the wanted one | unset LD_LIBRARY_PATH | for all libraries and programs of this shell
CUD104 | note | /bin/app | liba.so
  liba.so, libb.so are found through LD_LIBRARY_PATH
  = In a shell, service or container without that variable the search goes on to the next rules.
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
      "  = There is one library of a soname in a process: the first serves all. What the other one alone has is "
      "missing, and importing in another order makes the other one win.\n"
      "  > one release for all of them, in one folder\n";
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

}  // namespace
}  // namespace cudald
