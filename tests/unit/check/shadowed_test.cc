#include <doctest/doctest.h>

#include "unit/check/finding_text.h"

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

}  // namespace
}  // namespace cudald
