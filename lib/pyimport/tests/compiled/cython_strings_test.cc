#include "pyimport/compiled/cython_strings.h"

#include <doctest/doctest.h>
#include <isa-l/igzip_lib.h>

#include "pyimport/tests/cython_module.h"

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

namespace {

/// The strings of a file that holds these, uncompressed, and behind them these lengths.
std::optional<CythonStrings> read_plain(const Texts& texts, const Texts& measured) {
  const std::string front = "\x7f" + test::joined(texts);
  return read_strings(front + test::lengths(measured, front.size()));
}
std::optional<CythonStrings> read_plain(const Texts& texts) { return read_plain(texts, texts); }

Texts names_of(const std::optional<CythonStrings>& strings) {
  return strings ? Texts(strings->names.begin(), strings->names.end()) : Texts{"no strings"};
}

Texts texts_of(const std::optional<CythonStrings>& strings) {
  return strings ? Texts(strings->texts.begin(), strings->texts.end()) : Texts{"no strings"};
}

/// Letters without order.
std::string letters(std::size_t count) {
  std::string text;
  for (unsigned long long i = 0, seed = 1; i < count; ++i) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    text += static_cast<char>('a' + (seed >> 33) % 26);
  }
  return text;
}

/// In LZSS without references.
std::string literals(const std::string& text) {
  std::string packed;
  for (std::size_t at = 0; at < text.size(); at += 8) packed += "\xff" + text.substr(at, 8);
  return packed;
}

const Texts last_names{"__main__", "__module__", "__name__", "__test__"};

Texts before_last(Texts texts) {
  texts.insert(texts.end(), last_names.begin(), last_names.end());
  return texts;
}

}  // namespace

TEST_CASE("lengths that stand in code are handed in, and count before those of the file") {
  const auto front = test::zlib_mark + test::stored(test::joined(all));
  const auto with = [&](const std::string& bytes, const std::string& given) {
    Budget budget;
    Heap heap(budget);
    const std::string_view part = bytes;
    const auto strings = cython_strings({&part, 1}, heap, given);
    REQUIRE(strings);
    return Texts(strings->names.begin(), strings->names.end());
  };
  CHECK(with(front, "").empty());
  const auto found = with(front, test::lengths(all, 0));
  CHECK(found.size() == 9);
  CHECK(std::find(found.begin(), found.end(), "os.path") != found.end());
  CHECK(with(front + test::lengths(all, front.size()), test::number(5)) == found);
}

TEST_CASE("LZSS: how far back a reference leads, and how long it is") {
  struct Row {
    std::string reference;
    std::size_t distance, length;
  };
  const auto text = letters(1200);
  for (const auto& [reference, distance, length] : {
           Row{{'\x05', '\x02'}, 5, 5},
           Row{{'\x00', '\x00'}, 0, 3},
           Row{{'\x7f', '\xff'}, 127, 258},
           Row{{'\x80', '\x00'}, 128, 3},
           Row{{'\x81', '\x21'}, 257, 4},
           Row{{'\x85', '\x7f'}, 517, 34},
           Row{{'\x83', '\x80', '\x04'}, 131, 7},
           Row{{'\x83', '\x82', '\x0a'}, 387, 13},
           Row{{'\xff', '\x84', '\xff'}, 767, 258},
       }) {
    const auto packed = literals(text) + std::string(1, '\0') + reference + "....";
    CHECK(unpack_lzss(packed, 1200 + length) == text + text.substr(1200 - distance - length, length));
  }
}

TEST_CASE("LZSS: a reference leads to the first byte and not before it, and is not cut") {
  const std::string ten =
      "\xff"
      "abcdefgh"
      "\x03"
      "ij";
  CHECK(unpack_lzss(ten + "\x07" + std::string(1, '\0') + "..", 13) == "abcdefghijabc");
  CHECK(unpack_lzss(ten + "\x08" + std::string(1, '\0') + "..", 13) == "abcdefghij");
  CHECK(unpack_lzss(ten + "\x07" + std::string(1, '\0'), 13) == "abcdefghij");
  CHECK(unpack_lzss(ten, 4) == "abcd");
}

TEST_CASE("strings and their table are in the order of the file") {
  const auto strings = read_plain(all);
  CHECK(names_of(strings) == Texts{"__main__", "__module__", "__name__", "__test__", "_hidden", "f.<locals>.g",
                                   "hashlib", "os.path", "zebra"});
  CHECK(texts_of(strings) == Texts{all[4], all[3], all[2], all[1], ""});
  StringTable wanted;
  for (std::int64_t i = 0; i < 14; ++i) wanted.emplace(i - 5, all[static_cast<std::size_t>(i)]);
  REQUIRE(all[5] == "__main__");
  CHECK(strings->table == wanted);
  CHECK(strings->text.empty());
}

TEST_CASE("identifiers in front of the first mark are those that are sorted with it") {
  const auto capitals =
      read_plain({"", " spaced", "zz", "9z", "ABC", "Decimal", "__main__", "__name__", "__test__", "os"});
  CHECK(names_of(capitals) == Texts{"__main__", "__name__", "__test__", "os", "Decimal", "ABC"});
  CHECK(texts_of(capitals) == Texts{"9z", "zz", " spaced", ""});
  const auto spaced = read_plain({"", "zz", " spaced", "ABC", "__main__", "__name__", "__test__", "os"});
  CHECK(names_of(spaced) == Texts{"__main__", "__name__", "__test__", "os", "ABC"});
  CHECK(texts_of(spaced) == Texts{" spaced", "zz", ""});
  // Underscores in front do not count, though nothing else be there.
  const auto lines = read_plain({"", "zz", "text", "___", "_", "__main__", "__name__", "__test__", "os"});
  CHECK(names_of(lines) == Texts{"__main__", "__name__", "__test__", "os", "_", "___"});
  CHECK(texts_of(lines) == Texts{"text", "zz", ""});
}

TEST_CASE("identifiers end before what begins with a digit, has a space or is empty; other alphabets are letters") {
  for (const std::string last : {"9x", "two words", "", "\x01", "tab\t"}) {
    CAPTURE(last);
    const auto strings =
        read_plain({"", "z1", "z2", "z3", "__main__", "__name__", "__test__", "caf\xc3\xa9", last, "os"});
    CHECK(names_of(strings) == Texts{"__main__", "__name__", "__test__", "caf\xc3\xa9"});
  }
  const auto digits = read_plain({"", "z1", "z2", "z3", "__main__", "__name__", "__test__", "x9", "~"});
  CHECK(names_of(digits) == Texts{"__main__", "__name__", "__test__", "x9", "~"});
}

TEST_CASE("between the marks stand names, and lengths of zero do not matter there") {
  for (const std::string between : {"_x", "caf\xc3\xa9", ""}) {
    CAPTURE(between);
    const auto strings = read_plain({"", "z1", "z2", "z3", "__main__", between, "__name__", between, "__test__"});
    REQUIRE(!names_of(strings).empty());
    CHECK(names_of(strings).front() == "__main__");
  }
  for (const std::string between : {"two words", "9x"}) {
    CAPTURE(between);
    CHECK(names_of(read_plain({"", "z1", "z2", "z3", "__main__", between, "__name__", "_x", "__test__"})).empty());
    CHECK(names_of(read_plain({"", "z1", "z2", "z3", "__main__", "_x", "__name__", between, "__test__"})).empty());
  }
}

TEST_CASE("arrays in which a mark has another length, or that end before it, are not the one") {
  const auto texts = before_last({"", "z1", "z2", "z3", "z4"});
  const std::string front = "\x7f" + test::joined(texts);
  const auto with = [&](const Texts& decoy) {
    const auto first = front + test::lengths(decoy, front.size());
    return names_of(read_strings(first + test::lengths(texts, first.size())));
  };
  const std::string eight(8, 'x'), nine(9, 'x'), ten(10, 'x');
  CHECK(with({"1", "1", "1", "1", "1", eight, eight, eight}) == last_names);        // it ends before the second
  CHECK(with({"1", "1", "1", eight, ten, eight, "7777777", eight}) == last_names);  // the third is elsewhere
  CHECK(with({"1", "1", "1", eight, ten, eight, nine, eight, eight}) == last_names);
  CHECK(with({"1", "1", "1", eight, eight, eight, ten, nine}) == last_names);
}

TEST_CASE("of words that look like marks the first 24, 2 and 2 are tried") {
  const auto found = [](std::size_t main, std::size_t name, std::size_t test) {
    Texts texts{"", "x1", "x2", "x3", "x4"};
    for (std::size_t i = 0; i < main; ++i) texts.emplace_back("a __main__ in a text");
    texts.emplace_back("__main__");
    for (std::size_t i = 0; i < name; ++i) texts.emplace_back("__mm__name__");
    texts.emplace_back("__name__");
    for (std::size_t i = 0; i < test; ++i) texts.emplace_back("__pp__test__");
    texts.emplace_back("__test__");
    return !names_of(read_plain(texts)).empty();
  };
  CHECK(found(0, 0, 0));
  CHECK(found(23, 0, 0));
  CHECK_FALSE(found(24, 0, 0));
  CHECK(found(0, 1, 0));
  CHECK_FALSE(found(0, 2, 0));
  CHECK(found(0, 0, 1));
  CHECK_FALSE(found(0, 0, 2));
}

TEST_CASE("an array has eight lengths at least, of which none is larger than a string can be") {
  CHECK(names_of(read_plain(before_last({"", "z1", "z2", "z3"}))) == last_names);
  CHECK(names_of(read_plain(before_last({"", "z1", "z2"}))).empty());
  const std::string most(0xffff, 'y'), more(0x10000, 'y');
  CHECK(texts_of(read_plain(before_last({"", most, "z1", "z2", "z3", "z4"}))) ==
        Texts{"z4", "z3", "z2", "z1", most, ""});
  CHECK(texts_of(read_plain(before_last({"", more, "z1", "z2", "z3", "z4"}))) == Texts{"z4", "z3", "z2", "z1"});
}

TEST_CASE("of very many arrays the first twenty thousand are looked at") {
  const auto found = [](std::size_t others) {
    const auto texts = before_last({"", "z1", "z2", "z3", "z4"});
    std::string bytes = "\x7f\x7f\x7f" + test::joined(texts);
    bytes.resize((bytes.size() + 3) / 4 * 4, '\xff');
    for (std::size_t i = 0; i < others; ++i) {
      bytes += test::number(~0U);
      for (const auto number : {8U, 8U, 8U, 1U, 1U, 1U, 1U, 1U}) bytes += test::number(number);
    }
    return !names_of(read_strings(bytes + test::lengths(texts, bytes.size()))).empty();
  };
  CHECK(found(19'999));
  CHECK_FALSE(found(20'000));
}

TEST_CASE("an array may begin with the file, and end with it") {
  const auto texts = before_last({"z1", "z2", "z3", "z4"});
  std::string numbers;
  for (const auto& text : texts) numbers += test::number(static_cast<std::uint32_t>(text.size()));
  const auto at_beginning = read_strings(numbers + test::number(~0U) + "..." + test::joined(texts));
  CHECK(names_of(at_beginning) == last_names);
  CHECK(texts_of(at_beginning) == Texts{"z4", "z3", "z2", "z1"});
  std::string front = test::joined(texts);
  front.resize((front.size() + 3) / 4 * 4, '\xff');
  const auto at_end = read_strings(front + test::number(~0U) + numbers);
  CHECK(names_of(at_end) == last_names);
  CHECK(texts_of(at_end) == Texts{"z4", "z3", "z2", "z1"});
  // What stands in front of the array is longer than the text there.
  const auto larger = read_strings(front + test::number(~0U) + test::number(60) + numbers);
  CHECK(texts_of(larger) == Texts{"z4", "z3", "z2", "z1"});
}

TEST_CASE("of a compressed text the lengths that reach its beginning are better than others") {
  const auto packed = test::cython_mark + test::lzss_mark + test::lzss(test::joined(all)) + std::string(8, '\0');
  const Texts tail(all.begin() + 2, all.end());
  const auto fifth = std::string(5000, 'x');
  for (const bool long_before : {false, true}) {
    CAPTURE(long_before);
    auto decoy = tail;
    if (long_before) decoy.insert(decoy.begin(), fifth);
    const auto first = packed + test::lengths(decoy, packed.size());
    const auto alone = read_strings(first);
    CHECK(texts_of(alone) == Texts{all[4], all[3], all[2]});
    CHECK(names_of(alone).size() == 9);
    // Of two that do not reach it the first is taken.
    const auto two = read_strings(first + test::lengths({all.begin() + 3, all.end()}, first.size()));
    CHECK(texts_of(two) == Texts{all[4], all[3], all[2]});
    const auto both = read_strings(first + test::lengths(all, first.size()));
    CHECK(texts_of(both) == Texts{all[4], all[3], all[2], all[1], ""});
  }
}

TEST_CASE("a text in LZSS begins with 96 characters of text among 128") {
  std::string plain, odd = "\x7f\r";
  for (char c = ' '; c <= '~' && plain.size() < 94; ++c) plain += c;
  for (int c = 0x80; odd.size() < 32; ++c) odd += static_cast<char>(c);
  const auto text_of = [&](const std::string& last) {
    const std::string text = odd + plain + last + letters(300) + test::joined(last_names) + "....";
    const auto strings = read_strings(test::lzss_mark + literals(text) + std::string(8, '\0'));
    return strings && strings->text.starts_with(text);
  };
  CHECK(text_of("\n\t"));
  CHECK(text_of("~ "));
  CHECK_FALSE(text_of("\n\x0b"));
  CHECK_FALSE(text_of("\x7f\n"));
}

TEST_CASE("what is like a text in LZSS and has no marks is passed over") {
  const auto text = letters(200) + test::joined(last_names) + "....";
  const auto strings = read_strings(test::lzss_mark + literals(letters(160)) + std::string(16, '\0') + literals(text) +
                                    std::string(8, '\0'));
  REQUIRE(strings);
  CHECK(strings->packing == CythonStrings::Packing::lzss);
  CHECK(strings->text.starts_with(text));
  for (const std::string end : {"", "\x07",
                                "\x07"
                                "a"})
    CHECK_FALSE(read_strings(test::lzss_mark + end));
}

TEST_CASE("what is compressed lies within two megabytes of the message of its own") {
  const auto text = letters(200) + test::joined(last_names) + "....";
  constexpr std::size_t most = std::size_t{2} << 20;
  const auto is_found = [&](std::size_t before, std::size_t behind) {
    const auto packed = literals(text) + std::string(8, '\0');
    const auto strings = read_strings(std::string(1000, '\0') + (before > 0 ? packed + std::string(before, '\0') : "") +
                                      test::lzss_mark + (behind > 0 ? std::string(behind, '\0') + packed : ""));
    return strings && strings->packing == CythonStrings::Packing::lzss;
  };
  CHECK(is_found(most - 1000, 0));
  CHECK_FALSE(is_found(most, 0));
  CHECK(is_found(0, most - 1000));
  CHECK_FALSE(is_found(0, most));
}

TEST_CASE("a stream of zlib has one of four levels, and is not cut or spoilt") {
  const auto text = letters(200) + test::joined(last_names);
  const auto packing = [](const std::string& packed) {
    const auto strings = read_strings(test::zlib_mark + "xylophones" + packed);
    return strings ? strings->packing : CythonStrings::Packing::none;
  };
  for (const char level : {'\x01', '\x5e', '\x9c', '\xda'}) {
    CAPTURE(int{level});
    CHECK(packing(test::stored(text, level)) == CythonStrings::Packing::zlib);
  }
  CHECK(packing("x\x9c" + test::stored(text)) == CythonStrings::Packing::zlib);
  CHECK(packing(test::stored(letters(300)) + test::stored(text)) == CythonStrings::Packing::zlib);
  const auto cut = test::stored(text);
  CHECK(packing(cut.substr(0, cut.size() - 1)) == CythonStrings::Packing::none);
  CHECK(packing(cut.substr(0, 3)) == CythonStrings::Packing::none);
  CHECK(packing(cut.substr(0, cut.size() - 1) + '\x01') == CythonStrings::Packing::none);
  CHECK_FALSE(read_strings(test::zlib_mark + "x"));
}

TEST_CASE("what inflates to four megabytes or more is not looked at") {
  const auto is_found = [](std::size_t size) {
    const auto marks = test::joined(last_names);
    const auto strings = read_strings(test::zlib_mark + zlib(marks + std::string(size - marks.size(), 'a')));
    return strings && strings->packing == CythonStrings::Packing::zlib;
  };
  constexpr std::size_t most = std::size_t{4} << 20;
  CHECK(is_found(most - 1));
  CHECK_FALSE(is_found(most + (1 << 15)));
}

TEST_CASE("text, constants and lengths may lie in different parts of the file") {
  const std::string packed = test::lzss_mark + test::lzss(test::joined(all)) + std::string(8, '\0');
  const auto lengths = test::lengths(all, 0);
  const std::string other(100, 'o');
  Budget budget;
  Heap heap(budget);
  const std::vector<std::string_view> parts{other, packed, lengths};
  check_all(cython_strings(parts, heap));
}

TEST_CASE("what is looked at to find the strings, and kept of them, is charged") {
  struct Row {
    std::string bytes;
    std::uint64_t steps, kept;
  };
  const auto text = test::joined(all);
  const auto with_lengths = [](std::string front) { return front + test::lengths(all, front.size()); };
  const std::string behind(20'000, '\0');
  for (const auto& [bytes, steps, kept] : {
           Row{"no strings", 0, 0},
           Row{with_lengths("\x7f" + text), 6, 1136},
           Row{with_lengths("\x7f" + text) + behind, 84, 1136},
           Row{with_lengths(test::lzss_mark + test::lzss(text) + std::string(8, '\0')) + behind, 2650, 2173},
           Row{with_lengths(test::zlib_mark + zlib(text)) + behind, 656, 2029},
           Row{test::zlib_mark + test::stored(letters(300)) + test::stored(letters(200) + test::joined(last_names)) +
                   behind,
               913, 234},
       }) {
    Budget budget;
    Heap heap(budget);
    const std::string_view part = bytes;
    (void)cython_strings({&part, 1}, heap);
    const auto& seen_bytes = bytes;
    CAPTURE(seen_bytes.size());
    CHECK(budget.cost().steps == steps);
    CHECK(budget.cost().kept == kept);
  }
}

TEST_CASE("what costs more than the budget is given up") {
  Budget budget({.steps = 1000});
  Heap heap(budget);
  std::string bytes = test::joined(all);
  for (int i = 0; i < 100'000; ++i) bytes += test::number(8);
  const std::string_view part = bytes;
  CHECK_THROWS_AS(cython_strings({&part, 1}, heap), Exhausted);
}
