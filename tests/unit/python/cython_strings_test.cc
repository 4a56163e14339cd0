#include "python/cython_strings.h"

#include <doctest/doctest.h>
#include <isa-l/igzip_lib.h>

#include "cython_module.h"

using namespace cudald;
using namespace cudald::python;
using cudald::test::Texts;

namespace {

const Texts all =
    test::table({"", "a text that is long enough to be known as one, and repeats: long enough to be known",
                 std::string(700, '-') + "a text that is long enough", "pkg.", "pkg.part"},
                {"_hidden", "f.<locals>.g", "hashlib", "os.path", "zebra"});

/// The views of the result may be of the bytes, which therefore stay.
std::optional<CythonStrings> read_strings(std::string given) {
  static std::string bytes;
  bytes = std::move(given);
  Budget budget;
  Heap heap(budget);
  const std::string_view part = bytes;
  return cython_strings({&part, 1}, heap);
}

Texts sorted(const std::vector<std::string_view>& views) {
  Texts texts(views.begin(), views.end());
  std::sort(texts.begin(), texts.end());
  return texts;
}

std::string zlib(const std::string& text) {
  isal_zstream stream;
  isal_deflate_stateless_init(&stream);
  std::string input = text, packed(text.size() + 1024, '\0');
  stream.gzip_flag = IGZIP_ZLIB;
  stream.end_of_stream = 1;
  stream.next_in = reinterpret_cast<std::uint8_t*>(input.data());
  stream.avail_in = static_cast<std::uint32_t>(input.size());
  stream.next_out = reinterpret_cast<std::uint8_t*>(packed.data());
  stream.avail_out = static_cast<std::uint32_t>(packed.size());
  REQUIRE(isal_deflate_stateless(&stream) == COMP_OK);
  packed.resize(packed.size() - stream.avail_out);
  return packed;
}

void check_all(const std::optional<CythonStrings>& strings) {
  REQUIRE(strings);
  CHECK(sorted(strings->names) == Texts{"__main__", "__module__", "__name__", "__test__", "_hidden", "f.<locals>.g",
                                        "hashlib", "os.path", "zebra"});
  CHECK(sorted(strings->texts).size() == 5);
  CHECK(sorted(strings->texts).back() == "pkg.part");
}

}  // namespace

TEST_CASE("LZSS: what was packed comes out, with references of all three kinds") {
  const auto text = test::joined(all);
  const auto packed = test::lzss(text);
  CHECK(packed.size() < text.size());
  CHECK(unpack_lzss(packed, text.size()) == text);
}

TEST_CASE("LZSS: a reference to before the beginning ends it, and nothing is read behind the end") {
  CHECK(unpack_lzss(std::string("\x07"
                                "abc\x40\x01...",
                                9),
                    100) == "abc");
  CHECK(unpack_lzss("\xff", 100).empty());
  CHECK(unpack_lzss("", 100).empty());
  const std::string bomb =
      "\x0f"
      "abcd" +
      std::string(3000, '\0');
  CHECK(unpack_lzss(bomb, 1000).size() < 1300);
}

TEST_CASE("strings that are not compressed are told apart by their lengths") {
  const std::string front =
      "\x7f"
      "ELF" +
      test::cython_mark + test::joined(all);
  const auto strings = read_strings(front + test::lengths(all, front.size()));
  check_all(strings);
  CHECK(strings->packing == CythonStrings::Packing::none);
}

TEST_CASE("strings in LZSS") {
  const auto front = test::cython_mark + test::lzss_mark + test::lzss(test::joined(all)) + std::string(8, '\0');
  const auto strings = read_strings(front + test::lengths(all, front.size()));
  check_all(strings);
  CHECK(strings->packing == CythonStrings::Packing::lzss);
}

TEST_CASE("strings that Python's zlib inflates") {
  const auto front = test::cython_mark + test::zlib_mark + "x\x9c no stream" + zlib(test::joined(all));
  const auto strings = read_strings(front + test::lengths(all, front.size()));
  check_all(strings);
  CHECK(strings->packing == CythonStrings::Packing::zlib);
}

TEST_CASE("Cython 3.2 sorts identifiers without the underscores in front of them") {
  Texts names = {"hashlib", "__main__", "__module__", "__name__", "os", "__test__", "zebra"};
  Texts texts = {"", "pkg.part", "text"};
  texts.insert(texts.end(), names.begin(), names.end());
  const std::string front =
      "\x7f"
      "ELF" +
      test::joined(texts);
  const auto strings = read_strings(front + test::lengths(texts, front.size()));
  REQUIRE(strings);
  std::sort(names.begin(), names.end());
  CHECK(sorted(strings->names) == names);
  CHECK(sorted(strings->texts) == Texts{"", "pkg.part", "text"});
}

TEST_CASE("without the array there are no names; lengths that do not fit the marks are not the array") {
  const auto front = test::joined(all);
  const auto without = read_strings(front);
  REQUIRE(without);
  CHECK(without->names.empty());
  auto others = all;
  for (auto& text : others)
    if (text == "__name__") text = "__names__";
  const auto wrong = read_strings(front + test::lengths(others, front.size()));
  REQUIRE(wrong);
  CHECK(wrong->names.empty());
  CHECK(!read_strings("cython_runtime"));
}

TEST_CASE("what costs more than the budget is given up") {
  Budget budget({.steps = 1000});
  Heap heap(budget);
  std::string bytes = test::joined(all);
  for (int i = 0; i < 100'000; ++i) bytes += test::number(8);
  const std::string_view part = bytes;
  CHECK_THROWS_AS(cython_strings({&part, 1}, heap), Exhausted);
}
