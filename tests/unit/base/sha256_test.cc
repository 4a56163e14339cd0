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

TEST_CASE("texts of every length around a block, whole and in two pieces") {
  // Made with Python's hashlib.
  const std::pair<std::size_t, std::string_view> rows[] = {
      {1, "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"},
      {55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
      {56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
      {57, "f13b2d724659eb3bf47f2dd6af1accc87b81f09f59f2b75e5c0bed6589dfe8c6"},
      {63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
      {64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
      {65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
      {119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
      {120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"},
      {128, "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e"},
  };
  for (const auto& [size, sum] : rows) {
    const std::string text(size, 'a');
    CHECK(sha256(text) == sum);
    for (std::size_t at = 0; at <= size; ++at) {
      Sha256 pieces;
      pieces.add(std::string_view(text).substr(0, at));
      pieces.add(std::string_view(text).substr(at));
      CHECK(pieces.finish() == sum);
    }
  }
}

}  // namespace
}  // namespace cudald
