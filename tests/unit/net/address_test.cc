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

TEST_CASE("an escape is a mark and two hexadecimal digits, also at the end") {
  CHECK(without_escapes("%41") == "A");
  CHECK(without_escapes("%4") == "%4");
  CHECK(without_escapes("%4g") == "%4g");
  CHECK(without_escapes("%6a%6A%") == "jj%");
  CHECK(without_escapes("%2541") == "%41");
  CHECK(without_escapes("x41y0a.") == "x41y0a.");
  CHECK(without_escapes("a%4") == "a%4");
  CHECK(without_escapes("a%") == "a%");
}

TEST_CASE("the parts of an address end where the next begins") {
  CHECK(without_login("https://me@host.example?x=a@b").url == "https://host.example?x=a@b");
  CHECK(without_login("https://host.example#a@b").url == "https://host.example#a@b");
  CHECK_FALSE(without_login("https://host.example#a@b").login);
  CHECK(without_login("https://me:@host.example").login == Login{"me", ""});
  CHECK(without_login("https://:word@host.example").login == Login{"", "word"});
  CHECK(without_login("https://me:a:b@host.example").login == Login{"me", "a:b"});
  CHECK(origin_of("HTTPS://h?x") == "https://h:443");
  CHECK(origin_of("http://h#x") == "http://h:80");
  CHECK(origin_of("http://a@b@h:1/") == "http://h:1");
  CHECK(origin_of("https://[::1]:443") == "https://[::1]:443");
  CHECK(origin_of("https:///x") == "");
  CHECK(origin_of("https://me@/x") == "");
}

TEST_CASE("an address is whole if its scheme stands before any other part of it") {
  const auto* page = "https://host.example/a/b?c/d#e/f";
  CHECK(whole_address("x", page) == "https://host.example/a/x");
  CHECK(whole_address("x?y://z", page) == "https://host.example/a/x?y://z");
  CHECK(whole_address("x#y://z", page) == "https://host.example/a/x#y://z");
  CHECK(whole_address("?y", page) == "https://host.example/a/b?y");
  CHECK(whole_address("../x", page) == "https://host.example/x");
  CHECK(whole_address(".././../x", page) == "https://host.example/x");
  CHECK(whole_address(".x", page) == "https://host.example/a/.x");
  CHECK(whole_address("..x", page) == "https://host.example/a/..x");
  CHECK(whole_address("x", "https://host.example?y/z") == "https://host.example/x");
  CHECK(whole_address("x", "page") == "x");
}

}  // namespace
}  // namespace cudald
