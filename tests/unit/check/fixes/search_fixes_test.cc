// What makes a directory part of the search.

#include <doctest/doctest.h>

#include "check/fixes/search_fixes.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/fixes/fix_text.h"
#include "unit/machine/cache_file.h"

namespace cudald {
namespace {

/// The commands that are offered, one after another, each ended by a line.
const std::string packages_folder = "/venv/lib/python3.11/site-packages/";

TEST_CASE("a folder is made known to one shell or to one file, by the tag that the file has") {
  TestWorld world;
  world.add("/usr/local/cuda/lib64/libx.so.1", {});
  const auto offered = [&](const std::string& path, ElfSpec spec) {
    spec.needed = {"libx.so.1"};
    world.add(path, program(std::move(spec)));
    const auto report = world.explain({path});
    REQUIRE(report.findings[0].code == "CUD101");
    return commands(report.findings[0]);
  };
  const auto shell = "export LD_LIBRARY_PATH=/usr/local/cuda/lib64" + rest_of_path;
  CHECK(offered("/opt/bin/app", {}) ==
        shell + "patchelf --add-rpath '$ORIGIN/../../usr/local/cuda/lib64' /opt/bin/app\n");
  CHECK(offered("/opt/bin/app", {.rpath = "/a"}) ==
        shell + "patchelf --force-rpath --add-rpath '$ORIGIN/../../usr/local/cuda/lib64' /opt/bin/app\n");
  CHECK(offered("/opt/bin/app", {.runpath = "/a"}) ==
        shell + "patchelf --add-rpath '$ORIGIN/../../usr/local/cuda/lib64' /opt/bin/app\n");
  CHECK(offered("/usr/bin/app", {}) == shell);     // what the system installed is not edited
  world.add("/usr/local/cuda/lib/libx.so.1", {});  // a second copy, which is not told of
  CHECK(offered("/usr/bin/app", {}) == shell);
}

TEST_CASE("where make install puts libraries is named to the loader, for all programs") {
  const auto offered = [&](const std::string& conf, const std::string& soname = "libx.so.1") {
    TestWorld world;
    world.files.add_file("/etc/ld.so.conf", conf);
    world.add("/usr/local/lib/libx.so.1", {.soname = soname});
    world.add("/usr/bin/app", program({.needed = {"libx.so.1"}}));
    return commands(world.explain({"/usr/bin/app"}).findings.at(0));
  };
  const auto shell = "export LD_LIBRARY_PATH=/usr/local/lib" + rest_of_path;
  CHECK(offered("") == "echo /usr/local/lib | sudo tee -a /etc/ld.so.conf && sudo ldconfig\n" + shell);
  CHECK(offered("include /etc/ld.so.conf.d/*.conf\n") ==
        "echo /usr/local/lib | sudo tee -a /etc/ld.so.conf.d/usr-local-lib.conf && sudo ldconfig\n" + shell);
  CHECK(offered("", "libx.so.1.2") == shell);  // the cache would have it by that name
}

TEST_CASE("a conda environment remembers a folder") {
  TestWorld world;
  world.files.add_folder("/conda/conda-meta");
  world.add("/conda/lib/libx.so.1", {});
  world.add("/conda/lib/python3.11/site-packages/app", program({.needed = {"libx.so.1"}}));
  CHECK(commands(world.explain({"/conda/lib/python3.11/site-packages/app"}).findings[0])
            .find("conda env config vars set -p /conda LD_LIBRARY_PATH=/conda/lib\n") != std::string::npos);
}

TEST_CASE("files of the system are not edited, and of both search paths that of the loaders is switched off") {
  TestWorld world;
  world.add("/usr/local/cuda/lib64/libx.so.1", {});
  const auto offered = [&](const std::string& path, ElfSpec spec = {}) {
    spec.needed = {"libx.so.1"};
    world.add(path, program(std::move(spec)));
    return commands(world.explain({path}).findings.at(0));
  };
  const auto shell = "export LD_LIBRARY_PATH=/usr/local/cuda/lib64" + rest_of_path;
  CHECK(offered("/lib/app/bin/app") == shell);
  CHECK(offered("/usr/lib/app") == shell);
  CHECK(offered("/usr/sbin/app") == shell + "patchelf --add-rpath '$ORIGIN/../local/cuda/lib64' /usr/sbin/app\n");
  CHECK(offered("/usr/local/cuda/app") == shell + "patchelf --add-rpath '$ORIGIN/lib64' /usr/local/cuda/app\n");
  CHECK(offered("/usr/local/cuda/lib64/x/app") ==
        shell + "patchelf --add-rpath '$ORIGIN/..' /usr/local/cuda/lib64/x/app\n");
  CHECK(offered("/opt/app", {.rpath = "/a", .runpath = "/b"}) ==
        shell + "patchelf --add-rpath '$ORIGIN/../usr/local/cuda/lib64' /opt/app\n");
}

TEST_CASE("a library in a directory of ld.so.conf that the cache lacks is a matter of ldconfig") {
  TestWorld world;
  world.files.add_file("/etc/ld.so.conf", "/usr/local/lib\n");
  world.files.add_file("/etc/ld.so.cache", new_cache({{"libz.so", "/lib/libz.so"}}));
  world.add("/srv/app", program({.needed = {"libduc.so.1"}}));
  world.add("/usr/local/lib/libduc.so.1", {.soname = "libduc.so.1"});
  const auto report = world.explain({"/srv/app"});
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].fixes.at(0).command.ends_with("ldconfig"));
}

}  // namespace
}  // namespace cudald
