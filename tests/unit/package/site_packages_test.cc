#include "package/site_packages.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

TEST_CASE("an extension module's file is known by its ending") {
  for (const auto* file :
       {"_C.so", "_C.abi3.so", "_C.abi3t.so", "_C.abi3-x86_64-linux-gnu.so", "_C.abi3t-x86_64-linux-gnu.so",
        "_C.cpython-311-x86_64-linux-gnu.so", "_C.pyd", "_C.cp311-win_amd64.pyd"}) {
    CAPTURE(file);
    CHECK(is_module_file(file, "_C"));
  }
  for (const auto* file : {"_C", "_C.py", "_Cx.so", "x_C.so", "_C.so.1", "_C.pypy39-pp73-x86_64.so", "_C.libs.so",
                           "_C.x.pyd", "_C.x.abi3.so", "_C.abi4.so"}) {
    CAPTURE(file);
    CHECK_FALSE(is_module_file(file, "_C"));
  }
}

TEST_CASE("an environment may have several site-packages; only folders count") {
  MemoryFileSystem files;
  files.add_folder("/venv/lib/python3.11/site-packages");
  files.add_folder("/venv/lib64/python3.12/site-packages");
  files.add_folder("/venv/lib/python2.7/site-packages");
  files.add_folder("/venv/lib/python3.9");
  files.add_file("/venv/lib/python3.10/site-packages", "");
  CHECK(site_packages("/venv", files) ==
        std::vector<std::string>{"/venv/lib/python3.11/site-packages", "/venv/lib64/python3.12/site-packages"});
  CHECK(site_packages("/none", files).empty());
}

}  // namespace
}  // namespace cudald
