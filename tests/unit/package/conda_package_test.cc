#include "package/conda_package.h"

#include <string>

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("conda installs a noarch package's modules for the environment's Python") {
  const std::pair<std::string, std::string> rows[] = {
      {"lib/libcudart.so.12", "lib/libcudart.so.12"},
      {"lib/python3.11/site-packages/torch/_C.so", "lib/python3/site-packages/torch/_C.so"},
      {"lib/python3.11", "lib/python3.11"},
      {"lib/python3.x/a", "lib/python3.x/a"},
      {"site-packages/x.py", "site-packages/x.py"},
  };
  for (const auto& [name, path] : rows) CHECK(conda_installed_path(name, false) == path);
  CHECK(conda_installed_path("site-packages/x.py", true) == "lib/python3/site-packages/x.py");
  CHECK(conda_installed_path("python-scripts/run", true) == "bin/run");
  CHECK(conda_installed_path("share/x", true) == "share/x");
}

}  // namespace
}  // namespace cudald
