#include "check/fixes/install_commands.h"

#include <doctest/doctest.h>

#include "package/package_tree.h"

namespace cudald {
namespace {

const std::string virtual_site = std::string(PackageTree::site_packages) + "/";

TEST_CASE("the site-packages folder of a path is a word for the shell, that of wheels a variable") {
  CHECK(site_folder("/venv/lib/python3.11/site-packages/torch/lib/libtorch.so") ==
        "/venv/lib/python3.11/site-packages/");
  CHECK(site_folder("/usr/lib/python3/dist-packages/x.so") == "/usr/lib/python3/dist-packages/");
  CHECK(site_folder("/my env/site-packages/x.so") == "'/my env/site-packages/'");
  CHECK(site_folder(virtual_site + "torch/x.so") == "$site/");
  CHECK(site_folder("/opt/lib/x.so") == "");
}

TEST_CASE("a folder is a word for the shell") {
  CHECK(shell_folder("/opt/lib") == "/opt/lib");
  CHECK(shell_folder("/my lib") == "'/my lib'");
  CHECK(shell_folder(virtual_site + "nvidia/cublas/lib") == "$site/nvidia/cublas/lib");
}

TEST_CASE("folders are put before what LD_LIBRARY_PATH has") {
  const std::string rest = "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}";
  CHECK(export_search_path({"/opt/lib"}) == "export LD_LIBRARY_PATH=/opt/lib" + rest);
  CHECK(export_search_path({"/opt/lib", "/else"}) == "export LD_LIBRARY_PATH=/opt/lib:/else" + rest);
}

TEST_CASE("folders of one site-packages are shortened by a variable, which the commands set") {
  const std::string rest = "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}", site = "/venv/lib/python3.11/site-packages";
  CHECK(export_search_path({site + "/a/lib"}) == "export LD_LIBRARY_PATH=" + site + "/a/lib" + rest);
  CHECK(export_search_path({site + "/a/lib", site + "/b/lib", "/opt"}) ==
        "site=" + site + "\nexport LD_LIBRARY_PATH=$site/a/lib:$site/b/lib:/opt" + rest);
  CHECK(export_search_path({site + "/a/lib", "/other/site-packages/b"}) ==
        "site=" + site + "\nexport LD_LIBRARY_PATH=$site/a/lib:/other/site-packages/b" + rest);
  CHECK(export_search_path({"$site/a/lib"}, "/venv/bin/python") ==
        "site=$(/venv/bin/python -c 'import sysconfig; print(sysconfig.get_path(\"purelib\"))')\n"
        "export LD_LIBRARY_PATH=$site/a/lib" +
            rest);
}

}  // namespace
}  // namespace cudald
