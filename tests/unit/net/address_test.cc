#include "net/address.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("a login is taken out of an address") {
  const auto both = without_login("https://me:w%40rd%3A@host.example:8443/simple/");
  CHECK(both.url == "https://host.example:8443/simple/");
  CHECK(both.login == Login{"me", "w@rd:"});
  CHECK(without_login("http://token@host.example").login == Login{"token", ""});
  const auto none = without_login("https://host.example/a@b?c=d@e");
  CHECK(none.url == "https://host.example/a@b?c=d@e");
  CHECK_FALSE(none.login);
  CHECK(without_login("https://me@you:word@host.example/").login == Login{"me@you", "word"});
  CHECK(without_login("file").url == "file");
}

TEST_CASE("to whom a login is told is a matter of scheme, host and port") {
  CHECK(origin_of("https://Host.Example/x") == "https://host.example:443");
  CHECK(origin_of("https://me:word@host.example:443/y") == "https://host.example:443");
  CHECK(origin_of("http://host.example") == "http://host.example:80");
  CHECK(origin_of("http://[::1]:8080/") == "http://[::1]:8080");
  CHECK(origin_of("http://[::1]/") == "http://[::1]:80");
  CHECK(origin_of("x.whl") == "");
}

TEST_CASE("addresses are relative to that of the page") {
  const auto* page = "https://host.example/simple/x/";
  CHECK(whole_address("x.whl", page) == "https://host.example/simple/x/x.whl");
  CHECK(whole_address("./x.whl", page) == "https://host.example/simple/x/x.whl");
  CHECK(whole_address("../../files/x.whl#a=b", page) == "https://host.example/files/x.whl#a=b");
  CHECK(whole_address("../../../../x.whl", page) == "https://host.example/x.whl");
  CHECK(whole_address("/x.whl", page) == "https://host.example/x.whl");
  CHECK(whole_address("//other.example/x.whl", page) == "https://other.example/x.whl");
  CHECK(whole_address("http://other.example/x.whl", page) == "http://other.example/x.whl");
  CHECK(whole_address("y/?to=http://z", "https://host.example/x?y/z") == "https://host.example/y/?to=http://z");
  CHECK(whole_address("?again", "https://host.example/x?y") == "https://host.example/x?again");
  CHECK(whole_address("x.whl", "https://host.example") == "https://host.example/x.whl");
  CHECK(whole_address("/x.whl", "https://host.example") == "https://host.example/x.whl");
  CHECK(whole_address("../x.whl", "") == "../x.whl");
}

TEST_CASE("escapes of addresses") { CHECK(without_escapes("a%2Bb%20%zz%4") == "a+b %zz%4"); }

}  // namespace
}  // namespace cudald
