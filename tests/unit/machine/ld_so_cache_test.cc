#include "machine/ld_so_cache.h"

#include <doctest/doctest.h>

#include "unit/machine/cache_file.h"

namespace cudald {
namespace {

LdSoCache::Wanted x86_64(int level = 1) {
  LdSoCache::Wanted wanted;
  wanted.flags = 0x0303;
  wanted.x86_64_level = level;
  wanted.legacy_hwcap = 2;
  for (; level >= 2; --level) wanted.hwcaps.push_back("x86-64-v" + std::to_string(level));
  return wanted;
}

/// The path found; "none" if there is none, "unusable" if the cache is.
std::string find(const std::string& bytes, const std::string& name, const LdSoCache::Wanted& wanted = x86_64()) {
  const auto cache = LdSoCache::parse(bytes);
  return cache ? cache->find(name, wanted).value_or("none") : "unusable: " + cache.error().message;
}

const std::vector<CacheLine> some_lines = {
    {"libz.so.1", "/lib/libz.so.1"},         {"libfoo.so.10", "/lib/libfoo.so.10"}, {"libfoo.so.9", "/lib/libfoo.so.9"},
    {"libfoo.so.1.2", "/lib/libfoo.so.1.2"}, {"libfoo.so.1", "/lib/libfoo.so.1"},   {"libc.so.6", "/lib/libc.so.6"},
};

TEST_CASE("a name is found in each format of the cache") {
  const std::pair<std::string, std::string> formats[] = {
      {"new", new_cache(some_lines)},
      {"new with hwcaps", new_cache(some_lines, {"x86-64-v2"})},
      {"old", old_cache(some_lines)},
      {"old and new", old_cache({{"libold.so", "/old/libold.so"}}, new_cache(some_lines))},
  };
  for (const auto& [format, bytes] : formats) {
    const auto& shown_format = format;
    CAPTURE(shown_format);
    CHECK(LdSoCache::parse(bytes)->size() == some_lines.size());
    for (const auto& line : some_lines) CHECK(find(bytes, line.key) == line.value);
    for (const std::string name :
         {"libfoo.so", "libfoo.so.2", "libfoo.so.11", "liba.so", "libzz.so", "", "libfoo.so.1."})
      CHECK(find(bytes, name) == "none");
  }
}

TEST_CASE("of a cache in both formats the new part counts") {
  const auto bytes =
      old_cache({{"liba.so", "/old/liba.so"}, {"libb.so", "/old/libb.so"}}, new_cache({{"liba.so", "/new/liba.so"}}));
  CHECK(find(bytes, "liba.so") == "/new/liba.so");
  CHECK(find(bytes, "libb.so") == "none");
}

TEST_CASE("runs of digits compare as numbers, and a digit comes after any other letter") {
  struct Row {
    std::string smaller, larger;
  };
  const Row rows[] = {
      {"libfoo.so.9", "libfoo.so.10"},
      {"libfoo.so.1", "libfoo.so.1.2"},
      {"liba.so", "libb.so"},
      {"liba.so", "lib1.so"},
      {"lib.so", "lib9.so"},
      {"libfoo2.so", "libfoo10.so"},
      {"", "a"},
      {"a", "ab"},
      {"libfoo.so", "libfoo.so.1"},
      {"libA.so", "liba.so"},
      {"lib1a10", "lib1b9"},
      {"lib-x.so", "libx.so"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.smaller);
    CAPTURE(row.larger);
    CHECK(compare_cache_names(row.smaller, row.larger) < 0);
    CHECK(compare_cache_names(row.larger, row.smaller) > 0);
  }
  for (const std::string name : {"", "libfoo.so.1", "42"}) CHECK(compare_cache_names(name, name) == 0);
  CHECK(compare_cache_names("lib01.so", "lib1.so") == 0);
}

TEST_CASE("a line of another ABI does not count") {
  const auto bytes = new_cache({{"liba.so", "/lib32/liba.so", 0x0003},
                                {"liba.so", "/libx32/liba.so", 0x0803},
                                {"liba.so", "/lib64/liba.so", 0x0303},
                                {"liba.so", "/later/liba.so", 0x0303}});
  CHECK(find(bytes, "liba.so") == "/lib64/liba.so");
  auto wanted = x86_64();
  wanted.flags = 0x0003;
  CHECK(find(bytes, "liba.so", wanted) == "/lib32/liba.so");
  wanted.flags = 0x0a03;
  CHECK(find(bytes, "liba.so", wanted) == "none");
}

TEST_CASE("the best glibc-hwcaps folder that the processor can use wins, whatever its place") {
  const std::vector<std::string> names = {"x86-64-v2", "x86-64-v3", "x86-64-v4", "power10"};
  const auto bytes = new_cache({{"liba.so", "/lib/v2/liba.so", 0x0303, hwcaps_folder(0)},
                                {"liba.so", "/lib/v4/liba.so", 0x0303, hwcaps_folder(2)},
                                {"liba.so", "/lib/v3/liba.so", 0x0303, hwcaps_folder(1)},
                                {"liba.so", "/lib/liba.so", 0x0303, 0}},
                               names);
  CHECK(find(bytes, "liba.so", x86_64(1)) == "/lib/liba.so");
  CHECK(find(bytes, "liba.so", x86_64(2)) == "/lib/v2/liba.so");
  CHECK(find(bytes, "liba.so", x86_64(3)) == "/lib/v3/liba.so");
  CHECK(find(bytes, "liba.so", x86_64(4)) == "/lib/v4/liba.so");
}

TEST_CASE("a glibc-hwcaps line of an unknown name or too high a level does not count") {
  struct Row {
    std::string name;
    std::uint64_t hwcap;
    int level;
    std::string found;
  };
  const Row rows[] = {
      {"a name of another processor", hwcaps_folder(1), 4, "/lib/liba.so"},
      {"an index beyond the names", hwcaps_folder(2), 4, "/lib/liba.so"},
      {"level v2 on v2", hwcaps_folder(0, 1), 2, "/hwcaps/liba.so"},
      {"level v3 on v2", hwcaps_folder(0, 2), 2, "/lib/liba.so"},
      {"level v3 on v3", hwcaps_folder(0, 2), 3, "/hwcaps/liba.so"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const auto bytes = new_cache({{"liba.so", "/hwcaps/liba.so", 0x0303, row.hwcap}, {"liba.so", "/lib/liba.so"}},
                                 {"x86-64-v2", "power10"});
    CHECK(find(bytes, "liba.so", x86_64(row.level)) == row.found);
  }
}

TEST_CASE("lines of legacy folders count up to glibc 2.36, if the processor has what they ask") {
  constexpr std::uint64_t tls = std::uint64_t{1} << 63, x86_64_bit = 2, avx512 = 4, xeon_phi = std::uint64_t{1} << 51;
  const std::pair<std::uint64_t, bool> rows[] = {
      {tls, true}, {x86_64_bit, true}, {tls | x86_64_bit, true}, {avx512, false}, {xeon_phi, false},
  };
  for (const auto& [hwcap, fits] : rows) {
    const auto& shown_hwcap = hwcap;
    CAPTURE(shown_hwcap);
    const auto bytes = new_cache({{"liba.so", "/legacy/liba.so", 0x0303, hwcap}, {"liba.so", "/lib/liba.so"}});
    CHECK(find(bytes, "liba.so") == (fits ? "/legacy/liba.so" : "/lib/liba.so"));
    auto newer = x86_64();
    newer.legacy_folders = false;
    CHECK(find(bytes, "liba.so", newer) == "/lib/liba.so");
  }
}

TEST_CASE("in a badly sorted cache the loader's search misses, and so does ours") {
  const auto bytes = new_cache({{"liba.so", "/lib/liba.so"}, {"libb.so", "/lib/libb.so"}, {"libc.so", "/lib/libc.so"}});
  CHECK(find(bytes, "libb.so") == "/lib/libb.so");
  CHECK(find(bytes, "liba.so") == "none");
  CHECK(find(bytes, "libc.so") == "none");
}

TEST_CASE("a file that is no cache, or is cut short, is unusable") {
  const auto good = new_cache(some_lines);
  auto big_endian = good, endless = good, old_endless = old_cache(some_lines);
  big_endian[28] = 3;
  poke(endless, 20, std::uint32_t{0xffffffff});
  poke(old_endless, 12, std::uint32_t{0x7fffffff});
  const std::string rows[] = {"",
                              "ld.so-1.7.0",
                              "glibc-ld.so.cache1.1",
                              "glibc-ld.so.cache2.0" + good.substr(20),
                              good.substr(0, 47),
                              good.substr(0, 48 + 24),
                              big_endian,
                              endless,
                              old_endless,
                              std::string(100, '\0')};
  for (const auto& bytes : rows) {
    CAPTURE(bytes.size());
    const auto cache = LdSoCache::parse(bytes);
    REQUIRE_FALSE(cache);
    CHECK(cache.error().code == ErrorCode::malformed);
    CHECK_FALSE(cache.error().message.empty());
  }
}

TEST_CASE("strings outside the file end the search as they end the loader's") {
  auto bytes = new_cache({{"libc.so", "/lib/libc.so"}, {"libb.so", "/lib/libb.so"}, {"liba.so", "/lib/liba.so"}});
  poke(bytes, 48 + 24 + 4, std::uint32_t{0xfffffff0});  // the key in the middle, which is looked at first
  for (const std::string name : {"liba.so", "libb.so", "libc.so"}) CHECK(find(bytes, name) == "none");

  auto unterminated = new_cache({{"liba.so", "/lib/liba.so"}});
  unterminated.pop_back();
  while (unterminated.back() == '\0') unterminated.pop_back();
  CHECK(find(unterminated, "liba.so") == "none");
}

TEST_CASE("a damaged extension costs its names only") {
  const std::vector<CacheLine> lines = {{"liba.so", "/hwcaps/liba.so", 0x0303, hwcaps_folder(0)},
                                        {"liba.so", "/lib/liba.so"}};
  const auto good = new_cache(lines, {"x86-64-v2"});
  REQUIRE(find(good, "liba.so", x86_64(2)) == "/hwcaps/liba.so");
  const auto extension = good.size() - 40 - 4;
  for (const auto& [at, value] : {std::pair<std::uint64_t, std::uint32_t>{32, 0xfffffff0},  // where it lies
                                  {extension, 0x12345678},                                  // its magic
                                  {extension + 4, 0},                                       // how many sections
                                  {extension + 24, 7},                                      // the section's kind
                                  {extension + 24 + 8, 0xfffffff0},                         // where its names are
                                  {extension + 24 + 12, 0},                                 // how many bytes
                                  {extension + 40, 0xfffffff0}}) {                          // the first name
    const auto& shown_at = at;
    CAPTURE(shown_at);
    auto bytes = good;
    poke(bytes, at, value);
    CHECK(find(bytes, "liba.so", x86_64(2)) == "/lib/liba.so");
  }
  for (const std::uint64_t at : {extension + 4, extension + 24 + 12}) {  // counts without end
    auto bytes = good;
    poke(bytes, at, std::uint32_t{0xffffffff});
    CHECK(find(bytes, "liba.so", x86_64(2)) == "/hwcaps/liba.so");
  }
}

TEST_CASE("a cache beyond what ldconfig writes is not read, and that is a limit") {
  const auto code = [](const std::vector<CacheLine>& lines) {
    const auto cache = LdSoCache::parse(new_cache(lines));
    return cache ? std::nullopt : std::optional(cache.error().code);
  };
  CHECK_FALSE(code({{std::string(4096, 'a'), "/lib/a"}}));
  CHECK(code({{std::string(4097, 'a'), "/lib/a"}}) == ErrorCode::limit);
  CHECK(code({{"a", std::string(5000, 'a')}}) == ErrorCode::limit);
  CHECK_FALSE(code(std::vector<CacheLine>(1000, {"liba.so.1", "/lib/liba.so.1"})));
  CHECK(code(std::vector<CacheLine>(2000, {"liba.so.1", "/lib/liba.so.1"})) == ErrorCode::limit);
  std::vector<CacheLine> equal_by_digits;
  for (std::size_t i = 0; i < 2000; ++i) equal_by_digits.push_back({"lib" + std::string(i, '0') + "1", "/lib/a"});
  CHECK(code(equal_by_digits) == ErrorCode::limit);
}

TEST_CASE("what is wrong with a cache is told") {
  const auto good = new_cache(some_lines);
  auto big_endian = good, endless = good, old_endless = old_cache(some_lines), none = good;
  big_endian[28] = 3;
  poke(endless, 20, static_cast<std::uint32_t>(some_lines.size() + 100));
  poke(old_endless, 12, std::uint32_t{0x7fffffff});
  none[19] = '2';
  const std::pair<std::string, std::string> rows[] = {
      {"", "neither glibc-ld.so.cache1.1 nor ld.so-1.7.0"},
      {none, "neither glibc-ld.so.cache1.1 nor ld.so-1.7.0"},
      {good.substr(0, 47), "shorter than its own header"},
      {big_endian, "written for big-endian machines"},
      {endless, "its table runs past its end"},
      {good.substr(0, 48 + 24 * some_lines.size() - 1), "its table runs past its end"},
      {old_endless, "its table runs past its end"},
      {old_cache(some_lines, good.substr(0, 40)), "shorter than its own header"},
  };
  for (const auto& [bytes, message] : rows) {
    const auto cache = LdSoCache::parse(bytes);
    REQUIRE_FALSE(cache.has_value());
    CHECK(cache.error().code == ErrorCode::malformed);
    CHECK(cache.error().message == message);
  }
  CHECK(LdSoCache::parse(new_cache({})).has_value());
  CHECK(LdSoCache::parse(std::string("ld.so-1.7.0\0\0\0\0\0", 16)).has_value());
  for (const char order : {'\0', '\1', '\2'}) {  // what is not said is taken to be little-endian
    auto other = good;
    other[28] = order;
    CHECK(LdSoCache::parse(other).has_value());
  }
}

/// A cache of `count` lines with two keys by turns and one value, of `size` letters each.
std::string shared_names(std::uint32_t count, std::size_t size) {
  std::string bytes = "glibc-ld.so.cache1.1";
  append(bytes, count);
  bytes.resize(28);
  bytes += '\2';
  bytes.resize(48);
  const auto strings_at = 48 + count * 24, step = static_cast<std::uint32_t>(size + 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    append(bytes, std::uint32_t{0x0303});
    append(bytes, strings_at + i % 2 * step);
    append(bytes, strings_at + 2 * step);
    bytes.resize(bytes.size() + 12);
  }
  for (const char letter : {'a', 'b', '/'}) (bytes += std::string(size, letter)) += '\0';
  return bytes;
}

TEST_CASE("each limit of a cache is met exactly, and told") {
  const auto told = [](const std::string& bytes) {
    const auto cache = LdSoCache::parse(bytes);
    if (cache) return std::string("read");
    CHECK(cache.error().code == ErrorCode::limit);
    return cache.error().message;
  };
  const auto again = [](std::size_t count) { return std::vector<CacheLine>(count, {"liba.so.1", "/lib/liba.so.1"}); };
  CHECK(told(new_cache(again(1025))) == "read");
  CHECK(told(new_cache(again(1026))) == "it has one name more often than ldconfig writes it");
  CHECK(told(new_cache({{std::string(4096, 'a'), std::string(4096, '/')}})) == "read");
  CHECK(told(new_cache({{std::string(4097, 'a'), "/lib"}})) == "it has names longer than a path can be");
  CHECK(told(new_cache({{"a", std::string(4097, '/')}})) == "it has names longer than a path can be");
  CHECK(told(shared_names(8192, 4096)) == "read");
  CHECK(told(shared_names(8193, 4096)) == "its names are longer together than is read");
  const std::string folders = "it names more directories of hwcaps than ldconfig writes";
  CHECK(told(new_cache(some_lines, std::vector<std::string>(1023, "v"))) == "read");
  CHECK(told(new_cache(some_lines, std::vector<std::string>(1024, "v"))) == folders);
  auto many = new_cache(some_lines, std::vector<std::string>(1030, "v"));
  const auto extension = many.size() - 40 - 1030 * 4;
  CHECK(told(many) == folders);
  poke(many, extension + 4, std::uint32_t{100});  // more sections, of which none is read any more
  CHECK(told(many) == folders);
}

TEST_CASE("one name among others may stand there often, as only those in a row count") {
  std::vector<CacheLine> lines(1000, {"libb.so", "/lib/libb.so"});
  lines.push_back({"liba.so", "/lib/liba.so"});
  lines.insert(lines.end(), 1000, {"libb.so", "/lib/libb.so"});
  CHECK(LdSoCache::parse(new_cache(lines)).has_value());
}

TEST_CASE("an entry has its four facts, and names of hwcaps folders come in their order") {
  const auto bytes = new_cache({{"libb.so", "/lib/libb.so", 0x0303, hwcaps_folder(1, 2)}, {"liba.so", "/x", 3}},
                               {"x86-64-v2", "x86-64-v3"});
  const auto cache = LdSoCache::parse(bytes);
  REQUIRE(cache.has_value());
  CHECK(cache->hwcap_names() == std::vector<std::string_view>{"x86-64-v2", "x86-64-v3"});
  const auto first = cache->entry(0), second = cache->entry(1);
  REQUIRE((first && second));
  CHECK(first->flags == 0x0303);
  CHECK(first->key == "libb.so");
  CHECK(first->value == "/lib/libb.so");
  CHECK(first->hwcap == hwcaps_folder(1, 2));
  CHECK(second->flags == 3);
  CHECK(second->hwcap == 0);
  const auto old = LdSoCache::parse(old_cache({{"liba.so", "/x", 3, 5}}));
  REQUIRE(old.has_value());
  CHECK(old->entry(0)->hwcap == 0);
  CHECK(old->entry(0)->value == "/x");
  CHECK(old->hwcap_names().empty());
}

TEST_CASE("a cache that is written is read again, with its folders of hwcaps") {
  const std::vector<LdSoCache::Entry> entries = {{0x0303, "libb.so", "/hw/libb.so", hwcaps_folder(0, 1)},
                                                 {0x0003, "libb.so", "/lib32/libb.so", 0},
                                                 {0x12345678, "liba.so", "/lib/liba.so", 0x0102030405060708}};
  for (const auto& names : {std::vector<std::string_view>{"x86-64-v2", "other"}, std::vector<std::string_view>{}}) {
    const auto cache = LdSoCache::parse(LdSoCache::bytes_of(entries, names));
    REQUIRE(cache.has_value());
    CHECK(cache->hwcap_names() == names);
    REQUIRE(cache->size() == entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto entry = cache->entry(i);
      REQUIRE(entry.has_value());
      CHECK(entry->flags == entries[i].flags);
      CHECK(entry->key == entries[i].key);
      CHECK(entry->value == entries[i].value);
      CHECK(entry->hwcap == entries[i].hwcap);
    }
  }
  const std::vector<LdSoCache::Entry> one = {{0x0303, "a", "/abcd", 0}};
  CHECK(LdSoCache::bytes_of(one, {}) == new_cache({{"a", "/abcd"}}));
}

TEST_CASE("lines of a name are gone through up to the next name, or to one outside the file") {
  const std::vector<CacheLine> lines = {
      {"libc.so", "/c"}, {"libb.so", "/3", 3}, {"libb.so", "/b"}, {"libb.so", "/4", 4}, {"liba.so", "/a"}};
  const auto bytes = new_cache(lines);
  CHECK(find(bytes, "libb.so") == "/b");
  auto wanted = x86_64();
  wanted.flags = 3;
  CHECK(find(bytes, "libb.so", wanted) == "/3");
  CHECK(find(bytes, "liba.so", wanted) == "none");
  wanted.flags = 5;
  CHECK(find(bytes, "libb.so", wanted) == "none");
  wanted.flags = 4;
  CHECK(find(bytes, "libb.so", wanted) == "/4");
  auto damaged = bytes;
  poke(damaged, 48 + 24 + 4, std::uint32_t{0xfffffff0});  // the key of the first line of the name
  CHECK(find(damaged, "libb.so") == "/b");
  damaged = bytes;
  poke(damaged, 48 + 3 * 24 + 4, std::uint32_t{0xfffffff0});  // of the last one
  CHECK(find(damaged, "libb.so") == "/b");
  CHECK(find(damaged, "libb.so", wanted) == "none");
}

TEST_CASE("a folder of hwcaps that is found is not given up for a plain line, nor the best for a worse one") {
  const std::vector<std::string> names = {"x86-64-v2", "x86-64-v3"};
  const CacheLine v2{"liba.so", "/v2", 0x0303, hwcaps_folder(0)}, v3{"liba.so", "/v3", 0x0303, hwcaps_folder(1)},
      other{"liba.so", "/v3-again", 0x0303, hwcaps_folder(1)}, plain{"liba.so", "/plain"};
  CHECK(find(new_cache({v3, v2, plain}, names), "liba.so", x86_64(3)) == "/v3");
  CHECK(find(new_cache({v2, v3, plain}, names), "liba.so", x86_64(3)) == "/v3");
  CHECK(find(new_cache({v2, plain, v3}, names), "liba.so", x86_64(3)) == "/v2");
  CHECK(find(new_cache({plain, v2, v3}, names), "liba.so", x86_64(3)) == "/plain");
  CHECK(find(new_cache({v3, other}, names), "liba.so", x86_64(3)) == "/v3");
  CHECK(find(new_cache({v3}, names), "liba.so", x86_64(2)) == "none");
  // Bits above those of the level say that it is no folder of hwcaps.
  const CacheLine odd{"liba.so", "/odd", 0x0303, std::uint64_t{3} << 61};
  CHECK(find(new_cache({odd, plain}, names), "liba.so", x86_64(3)) == "/plain");
  auto newer = x86_64(3);
  newer.legacy_hwcap = ~std::uint64_t{0};
  CHECK(find(new_cache({{"liba.so", "/platform", 0x0303, std::uint64_t{1} << 48}, plain}), "liba.so", newer) ==
        "/plain");
  CHECK(find(new_cache({{"liba.so", "/other", 0x0303, std::uint64_t{1} << 52}, plain}), "liba.so", newer) == "/other");
}

TEST_CASE("numbers in names wrap around as the loader's own do") {
  CHECK(compare_cache_names("lib2147483647.so", "lib1.so") > 0);
  CHECK(compare_cache_names("lib2147483648.so", "lib1.so") < 0);
  CHECK(compare_cache_names("lib4294967297.so", "lib1.so") == 0);
}

TEST_CASE("of names of hwcaps folders those count that lie in the section and the file") {
  const auto names = [](std::size_t at, std::uint32_t value) {
    auto bytes = new_cache({{"liba.so", "/lib/liba.so"}}, {"one", "two"});
    const auto extension = bytes.size() - 40 - 2 * 4;
    if (at != 0) poke(bytes, extension + at, value);
    const auto cache = LdSoCache::parse(bytes);
    REQUIRE(cache.has_value());
    std::string text;
    for (const auto name : cache->hwcap_names()) text += std::string(name) + " ";
    return text;
  };
  CHECK(names(0, 0) == "one two ");
  CHECK(names(24 + 12, 8) == "one two ");
  CHECK(names(24 + 12, 7) == "one ");
  CHECK(names(24 + 12, 4) == "one ");
  CHECK(names(24 + 12, 3) == "");
  CHECK(names(24 + 12, 12) == "one two ");  // what would follow lies outside
  CHECK(names(4, 1) == "");                 // the section of names is the second
  CHECK(names(4, 2) == "one two ");
  CHECK(names(40, 0xfffffff0) == " two ");
}

TEST_CASE("places in the new part of a cache in both formats count from where it begins") {
  for (const std::size_t old_lines : {1U, 2U}) {
    const auto bytes = old_cache(
        std::vector<CacheLine>(old_lines, {"libold.so", "/old/libold.so"}),
        new_cache({{"liba.so", "/v2/liba.so", 0x0303, hwcaps_folder(0)}, {"liba.so", "/lib/liba.so"}}, {"x86-64-v2"}));
    CHECK(find(bytes, "liba.so", x86_64(2)) == "/v2/liba.so");
    CHECK(find(bytes, "liba.so", x86_64(1)) == "/lib/liba.so");
    CHECK(LdSoCache::parse(bytes)->hwcap_names() == std::vector<std::string_view>{"x86-64-v2"});
  }
}

TEST_CASE("as stated by nobody, folders of old versions count, those for processors do not") {
  constexpr std::uint64_t tls = std::uint64_t{1} << 63;
  const auto cache = LdSoCache::parse(new_cache({{"liba.so", "/v2/liba.so", 3, hwcaps_folder(0)},
                                                 {"liba.so", "/avx/liba.so", 3, 4},
                                                 {"liba.so", "/tls/liba.so", 3, tls}},
                                                {"x86-64-v2"}));
  REQUIRE(cache.has_value());
  CHECK(cache->find("liba.so", {.flags = 3}) == "/tls/liba.so");
  CHECK(cache->find("liba.so", {}) == std::nullopt);
}

TEST_CASE("entries without names count a little of what is compared, and end a run of equal ones") {
  const auto told = [](std::uint32_t without) {
    auto bytes = shared_names(8191 + without, 4096);
    for (std::uint32_t i = 0; i < without; ++i) poke(bytes, 48 + 24 * (8191 + i) + 4, std::uint32_t{0xfffffff0});
    const auto cache = LdSoCache::parse(bytes);
    return cache ? std::string("read") : cache.error().message;
  };
  // 64 bytes each, of what one whole entry takes.
  CHECK(told(128) == "read");
  CHECK(told(129) == "its names are longer together than is read");
  std::vector<CacheLine> lines(2000, {"liba.so", "/lib/liba.so"});
  auto bytes = new_cache(lines);
  CHECK_FALSE(LdSoCache::parse(bytes).has_value());
  for (const std::size_t at : {900U, 1800U}) poke(bytes, 48 + 24 * at + 4, std::uint32_t{0xfffffff0});
  CHECK(LdSoCache::parse(bytes).has_value());
}

TEST_CASE("a name that does not end in the file is none, whatever its length") {
  for (const std::size_t size : {1U, 4095U, 4096U}) {
    auto bytes = new_cache({{"liba.so", std::string(size, '/')}});
    bytes.resize(48 + 24 + 8 + size);
    const auto cache = LdSoCache::parse(bytes);
    REQUIRE(cache.has_value());
    CHECK_FALSE(cache->entry(0).has_value());
    CHECK(cache->find("liba.so", x86_64()) == std::nullopt);
  }
}

TEST_CASE("a cache that is written has each number in its place") {
  const std::vector<LdSoCache::Entry> entries = {{0x11223344, "b", "/b", 0x8877665544332211}, {3, "a", "/a", 0}};
  std::string expected = "glibc-ld.so.cache1.1";
  // Two entries, 10 bytes of their names and 3 of hwcaps, little-endian; the extension lies behind all of them.
  for (const std::uint32_t number : {2U, 13U, 2U, 96U + 13U + 4U}) append(expected, number);
  expected.resize(48);
  for (const std::uint32_t number : {0x11223344U, 96U, 98U, 0U}) append(expected, number);
  append(expected, std::uint64_t{0x8877665544332211});
  for (const std::uint32_t number : {3U, 101U, 103U, 0U}) append(expected, number);
  append(expected, std::uint64_t{0});
  expected += std::string("b\0/b\0a\0/a\0v2\0", 13);
  append(expected, std::uint32_t{106});
  for (const std::uint32_t number : {0xeaa42174U, 1U, 1U, 0U, 96U + 13U, 4U}) append(expected, number);
  CHECK(LdSoCache::bytes_of(entries, {"v2"}) == expected);
}

}  // namespace
}  // namespace cudald
