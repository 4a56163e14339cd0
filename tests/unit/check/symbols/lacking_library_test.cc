// Which library should have a function of C that nothing defines.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

std::string told_of_lacking(const std::string& wanted, const std::string& defined) {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libx.so.1"}, .uses = {{.name = wanted}}}));
  world.add("/lib/libx.so.1", {.soname = "libx.so.1", .defines = {{.name = defined}}});
  const auto report = world.explain({"/bin/app"});
  REQUIRE(report.findings.size() == 1);
  const auto& message = report.findings[0].message;
  const std::string mark = "nothing in the process defines";
  return message.substr(message.find(mark) + mark.size());
}

TEST_CASE("the library whose functions begin like it should have a function that is missing") {
  CHECK(told_of_lacking("image_error", "image_open") == ": libx.so.1 has image_open, and not this one");
  CHECK(told_of_lacking("H5Pset", "H5open") == ": libx.so.1 has H5open, and not this one");
  CHECK(told_of_lacking("image_error", "other_open") == "");
  CHECK(told_of_lacking("cyan", "cyX") == "");  // two letters may be chance, but not where the second is a digit
}

TEST_CASE("what std::__1 has is of the C++ library of Clang, and what std has of that of GCC") {
  const auto report_of = [](const std::string& wanted) {
    TestWorld world;
    world.add("/opt/libjni.so", {.uses = {{.name = wanted}}});
    return world.explain({"/opt/libjni.so"});
  };
  const auto clang = report_of("_ZNKSt3__119__shared_weak_count13__get_deleterERKSt9type_info");
  CHECK(clang.findings.at(0).message.find("libc++, the C++ library of Clang") != std::string::npos);
  CHECK(commands(clang.findings[0]).find("patchelf --add-needed libc++.so.1 /opt/libjni.so") != std::string::npos);
  const auto gcc = report_of("_ZNSt6vector4pushEv");
  CHECK(gcc.findings.at(0).message.find("libstdc++, the C++ library of GCC") != std::string::npos);
  CHECK(commands(gcc.findings[0]).find("patchelf --add-needed libstdc++.so.6 /opt/libjni.so") != std::string::npos);
  CHECK(report_of("_ZN6vector4pushEv").findings.at(0).fixes.empty());
}

TEST_CASE("a library of C++ that is there and lacks a name is older than the one that the file was built with") {
  TestWorld world;
  world.add("/usr/bin/app", program({.needed = {"libstdc++.so.6"}, .uses = {{.name = "_ZNSt9exception6_M_addEv"}}}));
  world.add("/lib/libstdc++.so.6", {.soname = "libstdc++.so.6", .defines = {{.name = "_ZSt9terminatev"}}});
  world.files.add_file("/etc/os-release", "ID=alpine\n");
  const auto report = world.explain({"/usr/bin/app"});
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].message.find(": libstdc++.so.6 does not have it, so app was built with a newer one") !=
        std::string::npos);
  CHECK(commands(report.findings[0]).find("apk ") != std::string::npos);
}

TEST_CASE("a function of a library of C that nothing is linked with is known by its name") {
  TestWorld world;
  world.add("/usr/sbin/nginx", program({.defines = {{.name = "ngx_palloc"}}}));
  world.add("/opt/module.so", {.uses = {{.name = "pcre_malloc"}, {.name = "ngx_palloc"}}});
  world.query.dlopens = {{"/opt/module.so"}};
  world.files.add_file("/etc/os-release", "ID=ubuntu\nVERSION_ID=\"22.04\"\n");
  auto report = world.explain({"/usr/sbin/nginx"});
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].message.find("with which neither module.so nor what loads it was linked") !=
        std::string::npos);
  CHECK(commands(report.findings[0]).find("patchelf --add-needed libpcre.so.3 /opt/module.so") != std::string::npos);
  world.files.add_file("/etc/os-release", "ID=fedora\n");
  report = world.explain({"/usr/sbin/nginx"});
  CHECK(commands(report.findings.at(0)).find("--add-needed libpcre.so.1") != std::string::npos);
  // One that is there and lacks the function is another matter.
  world.add("/usr/sbin/nginx", program({.needed = {"libpcre.so.1"}, .defines = {{.name = "ngx_palloc"}}}));
  world.add("/lib/libpcre.so.1", {.soname = "libpcre.so.1"});
  report = world.explain({"/usr/sbin/nginx"});
  CHECK(commands(report.findings.at(0)).find("--add-needed") == std::string::npos);
}

}  // namespace
}  // namespace cudald
