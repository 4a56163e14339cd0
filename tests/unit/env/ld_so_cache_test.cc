#include "env/ld_so_cache.h"

#include <doctest/doctest.h>

#include "unit/env/cache_file.h"

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

}  // namespace
}  // namespace cudald
