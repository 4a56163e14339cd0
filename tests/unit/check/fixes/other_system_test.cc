// CUD101 of a library whose name says where it comes from.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

/// What is found of a file that needs a library, on a system.
Finding missing(const std::string& file, const std::string& library, const std::string& os_release,
                const std::string& beside = "") {
  TestWorld world;
  world.set("HOME", "/home/me");
  world.add("/bin/app", program({}));
  world.add(file, {.needed = {library}});
  world.files.add_file("/etc/os-release", os_release);
  if (!beside.empty()) world.add(beside, {.soname = library});
  world.query.dlopens = {{.name = file}};
  return world.explain({"/bin/app"}).findings.at(0);
}

TEST_CASE("a name that only another distribution gives a library is in no package here") {
  const auto finding = missing("/opt/x.so", "libcurl-gnutls.so.4", "ID=centos\n");
  CHECK(says(finding, "that is the name on Debian and Ubuntu: x.so was built there"));
  CHECK(finding.fixes.at(0).title == "take the build of x.so for this system, or build it here");
  CHECK(missing("/opt/x.node", "libcurl-gnutls.so.4", "ID=centos\n").fixes.at(0).command == "npm rebuild");
  CHECK(missing("/opt/x.so", "libcurl-gnutls.so.4", "ID=debian\nVERSION_ID=12\n").fixes.at(0).command ==
        "sudo apt install libcurl3-gnutls");
  CHECK(missing("/opt/x.so", "libcurl.so.4", "ID=centos\n").fixes.at(0).command ==
        "sudo dnf install 'libcurl.so.4()(64bit)'");
}

TEST_CASE("a library of a toolchain is found where its installer keeps it") {
  const std::string name = "librustc_driver-8102e29f00c0ffee.so", lib = "/home/me/.rustup/toolchains/nightly/lib";
  CHECK(missing("/opt/x.so", name, "")
            .fixes.at(0)
            .command.starts_with("export LD_LIBRARY_PATH=$(rustc --print sysroot)/lib"));
  CHECK(missing("/opt/x.so", name, "", lib + "/" + name)
            .fixes.at(0)
            .command.starts_with("export LD_LIBRARY_PATH=" + lib));
  const std::string jvm = "/usr/lib/jvm/java-17/lib/server";
  CHECK(missing("/opt/x.so", "libjvm.so", "", jvm + "/libjvm.so")
            .fixes.at(0)
            .command.starts_with("export LD_LIBRARY_PATH=" + jvm));
}

TEST_CASE("a hash in a name belongs to a package of Python only where there is one") {
  const std::string name = "libX-4c97ab12.so.1";
  CHECK(says(missing("/opt/x.so", name, "ID=debian\n"), "it comes with the build of what needs it"));
  CHECK(says(missing("/v/lib/python3.11/site-packages/p/x.so", name, "ID=debian\n"), "belongs to a Python package"));
}

}  // namespace
}  // namespace cudald
