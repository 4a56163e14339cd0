#include "base/sha256.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("the sums that FIPS 180 and its examples give") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("in pieces it is the same") {
  const std::string text(1000, 'x');
  for (const std::size_t size : {1, 55, 63, 64, 65, 200}) {
    Sha256 sum;
    for (std::size_t at = 0; at < text.size(); at += size) sum.add(std::string_view(text).substr(at, size));
    CHECK(sum.finish() == sha256(text));
  }
}

}  // namespace
}  // namespace cudald
