#include "machine/windows_host.h"

#include <memory>

#include <doctest/doctest.h>

#include <cudald/windows_host_file.h>

namespace cudald {
namespace {

TEST_CASE("the build is the third number of what a Windows calls itself") {
  WindowsHost host;
  CHECK(build_number(host) == 0);
  host.build = "10.0";
  CHECK(build_number(host) == 0);
  for (const auto* text : {"10.0.22631", "10.0.22631.4460"}) {
    host.build = text;
    CHECK(build_number(host) == 22631);
  }
}

TEST_CASE("the build of a described Windows counts where the machine has none") {
  WindowsHost host;
  auto described = std::make_shared<WindowsHostFile>();
  described->build = "6.1.7601";
  host.described = described;
  CHECK(build_number(host) == 7601);
  host.build = "10.0.19045";
  CHECK(build_number(host) == 19045);
}

}  // namespace
}  // namespace cudald
