#include "knowledge/debian_libraries.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

std::string package_in(const std::string& library, const std::string& system, const std::string& release) {
  const auto known = debian_library(library);
  return known ? debian_package(*known, system, release) : "unknown";
}

TEST_CASE("a package is called after its library, or as the table says") {
  CHECK(package_in("libpcap.so.0.8", "debian", "12") == "libpcap0.8");
  CHECK(package_in("libXpm.so.4", "debian", "12") == "libxpm4");
  CHECK(package_in("libavcodec.so.59", "debian", "12") == "libavcodec59");
  CHECK(package_in("libz.so.1", "debian", "12") == "zlib1g");
  CHECK(package_in("libQt5Core.so.5", "debian", "12") == "libqt5core5a");
}

TEST_CASE("from Debian 13 and Ubuntu 24.04 on some have another name") {
  CHECK(package_in("libpcap.so.0.8", "debian", "13") == "libpcap0.8t64");
  CHECK(package_in("libpcap.so.0.8", "ubuntu", "22.04") == "libpcap0.8");
  CHECK(package_in("libpcap.so.0.8", "ubuntu", "24.04") == "libpcap0.8t64");
  CHECK(package_in("libxdo.so.3", "debian", "13") == "libxdo3");
}

TEST_CASE("a release is not said to have what only one before or after it has") {
  CHECK(package_in("libavcodec.so.59", "debian", "13").empty());
  CHECK(package_in("libavcodec.so.59", "ubuntu", "22.04").empty());  // 58
  CHECK(package_in("libavcodec.so.58", "debian", "12").empty());
  CHECK(package_in("libpcap.so.0.8", "debian", "10").empty());
  CHECK(package_in("libpcap.so.0.8", "ubuntu", "18.04").empty());
  CHECK(package_in("libpcap.so.0.8", "ubuntu", "25.04") == "libpcap0.8t64");
  CHECK(package_in("libxml2.so.2", "ubuntu", "25.10").empty());
  CHECK(package_in("libpcap.so.0.8", "fedora", "40").empty());
}

TEST_CASE("names of which nothing is known") {
  for (const auto* name : {"libnone.so.1", "libpcap.so", "libpcap.so.0", "x", "libx.so.1 libpcap.so.0.8", ""})
    CHECK_FALSE(debian_library(name));
}

TEST_CASE("what Debian dropped") {
  const auto known = debian_library("libavcodec.so.58");
  REQUIRE(known);
  CHECK(is_dropped_by_debian(*known, "12"));
  CHECK(is_dropped_by_debian(*known, "13"));
  CHECK_FALSE(is_dropped_by_debian(*known, "11"));
  CHECK_FALSE(is_dropped_by_debian(*known, "14"));
  CHECK_FALSE(is_dropped_by_debian(*debian_library("libpcap.so.0.8"), "13"));
}

TEST_CASE("what came after a release") {
  const auto known = debian_library("libwebkit2gtk-4.1.so.0");  // from Debian 12 on
  REQUIRE(known);
  CHECK(came_after(*known, "debian", "11"));
  CHECK_FALSE(came_after(*known, "debian", "12"));
  CHECK(came_after(*known, "ubuntu", "20.04"));
  CHECK_FALSE(came_after(*known, "ubuntu", "22.04"));
  CHECK_FALSE(came_after(*known, "fedora", "11"));
  CHECK_FALSE(came_after(*known, "debian", ""));
  CHECK_FALSE(came_after(*debian_library("libpcap.so.0.8"), "debian", "10"));
}

TEST_CASE("what the first known release has, an older one may have had") {
  const auto known = debian_library("libavcodec.so.58");
  REQUIRE(known);
  CHECK(may_be_older(*known, "debian", "10"));
  CHECK(may_be_older(*known, "ubuntu", "18.04"));
  CHECK_FALSE(may_be_older(*known, "debian", "11"));
  CHECK_FALSE(may_be_older(*known, "ubuntu", "22.04"));
  CHECK_FALSE(may_be_older(*known, "fedora", "10"));
  CHECK_FALSE(may_be_older(*known, "debian", ""));
  CHECK_FALSE(may_be_older(*debian_library("libwebkit2gtk-4.1.so.0"), "debian", "10"));
}

}  // namespace
}  // namespace cudald
