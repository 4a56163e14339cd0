#include "loader/static_tls.h"

#include <vector>

#include <doctest/doctest.h>

#include "unit/loader/loaded.h"

namespace cudald {
namespace {

const LibcVersion libc_2_36{LibcKind::glibc, 2, 36};

struct Wanted {
  std::uint64_t size = 0, alignment = 16, address = 0;
  bool initial_exec = true;
};

Image image_of(const Wanted& wanted) {
  auto image = good_image();
  image.elf.static_tls = wanted.initial_exec;
  image.elf.tls_size = wanted.size;
  image.elf.tls_alignment = wanted.alignment;
  image.elf.tls_address = wanted.address;
  return image;
}

const std::vector<Wanted> nothing;

/// A program with these thread-local data, and what a dlopen of each of the others comes to.
class Dlopens {
 public:
  explicit Dlopens(const std::vector<Wanted>& at_start) {
    for (const auto& wanted : at_start) add(resolution, "/bin/app", image_of(wanted));
  }

  bool fits(const Wanted& wanted) {
    resolution.targets.emplace_back();
    resolution.targets.back().kind = TargetKind::dlopen;
    const auto id = add(resolution, "/opt/a.so", image_of(wanted));
    resolution.targets.back().search_list = {id};
    const bool does = fits_static_tls(id, resolution, *abi, libc, tunables);
    resolution.objects[id].unmapped = !does;
    return does;
  }

  /// The largest that fits by itself.
  std::uint64_t room(std::uint64_t alignment, std::uint64_t address = 0) {
    std::uint64_t size = 1;
    for (; size < 1'000'000; ++size) {
      const bool does = fits({size, alignment, address});
      resolution.objects.pop_back();
      resolution.targets.pop_back();
      if (!does) break;
    }
    return size - 1;
  }

  Resolution resolution;
  const Abi* abi = find_abi(EM_X86_64, Format::elf64, ByteOrder::little);
  LibcVersion libc = libc_2_36;
  TlsTunables tunables;
};

TEST_CASE("the reserve is 1664 bytes, and what rounding the block up to 64 bytes adds") {
  // As glibc 2.36 itself has it: tests/differential/static_tls.py.
  CHECK(static_tls_reserve({}) == 1664);
  CHECK(Dlopens(nothing).room(1) == 1664);
  CHECK(Dlopens({{144, 8}}).room(1) == 1712);
  CHECK(Dlopens({{144, 8}}).room(16) == 1712);
  CHECK(Dlopens({{144, 8}}).room(64) == 1712);
  CHECK(Dlopens({{144, 8}}).room(64, 8) == 1704);
  CHECK(Dlopens({{100, 16}, {1, 64}}).room(1) == 1664);
  CHECK(Dlopens({{1, 128}}).room(128) == 1664);
  CHECK(Dlopens({{1, 256}}).room(1) == 1792);
}

TEST_CASE("what a larger alignment leaves free at the start is used for what comes next") {
  CHECK(Dlopens({{8, 8}, {8, 64}, {44, 4}}).room(1) == 1664);
  CHECK(Dlopens({{8, 8}, {8, 64}, {60, 4}}).room(1) == 1668);
}

TEST_CASE("data that must be aligned further than the block is finds no room") {
  CHECK(Dlopens(nothing).fits({1, 64}));
  CHECK_FALSE(Dlopens(nothing).fits({1, 128}));
  CHECK(Dlopens({{1, 128}}).fits({1, 128}));
}

TEST_CASE("each dlopen takes what it needs; what failed, or has other data, takes nothing") {
  Dlopens process(nothing);
  CHECK(process.fits({1000}));
  CHECK_FALSE(process.fits({1000}));
  CHECK(process.fits({5000, 16, 0, false}));
  CHECK(process.fits({656}));
  CHECK_FALSE(process.fits({16}));
}

TEST_CASE("within a dlopen what is needed comes first, and by what finds no room it ends") {
  Dlopens process(nothing);
  process.resolution.targets.emplace_back();
  process.resolution.targets.back().kind = TargetKind::dlopen;
  const auto asked = add(process.resolution, "/opt/a.so", image_of({1000}));
  const auto needed = add(process.resolution, "/opt/b.so", image_of({1000}));
  process.resolution.targets.back().search_list = {asked, needed};
  const auto fits = [&](ObjectId id) {
    return fits_static_tls(id, process.resolution, *process.abi, process.libc, process.tunables);
  };
  CHECK(fits(needed));
  CHECK_FALSE(fits(asked));
  const auto large = add(process.resolution, "/opt/c.so", image_of({3000}));
  process.resolution.targets.back().search_list.push_back(large);
  CHECK_FALSE(fits(large));
  CHECK(fits(asked));
}

TEST_CASE("data by descriptors take room on AArch64: before 2.32 as long as there is any, since then a part of it") {
  for (const auto& [version, room] : {std::pair{31, 0}, {36, 1152}}) {
    const auto& shown_version = version;
    CAPTURE(shown_version);
    Dlopens process(nothing);
    process.abi = find_abi(EM_AARCH64, Format::elf64, ByteOrder::little);
    process.libc.minor = version;
    for (int i = 0; i < 110; ++i) CHECK(process.fits({16, 16, 0, false}));
    const auto left = process.room(16);
    CHECK(left >= static_cast<std::uint64_t>(room));
    CHECK(left < static_cast<std::uint64_t>(room) + 64);
  }
}

TEST_CASE("since 2.41 the area for rseq lies in the block as well") {
  Dlopens process({{33, 1}});
  CHECK(process.room(1) == 1664 + 31);
  process.libc.minor = 41;
  CHECK(process.room(1) == 1664 + 32);
}

TEST_CASE("sizes and alignments that no linker writes") {
  Dlopens process({{~std::uint64_t{0}, 3, 5}, {1, 0}, {0, ~std::uint64_t{0}}});
  CHECK_FALSE(process.fits({~std::uint64_t{0}, 7, ~std::uint64_t{0}}));
  CHECK_FALSE(process.fits({1, ~std::uint64_t{0}, 7}));
  CHECK(process.fits({10, 3, 1}));
}

TEST_CASE("the reserve is what GLIBC_TUNABLES says, since 2.32") {
  struct Row {
    std::string text;
    std::uint64_t reserve;
  };
  const Row rows[] = {
      {"", 1664},
      {"glibc.rtld.optional_static_tls=1000", 2152},
      {"glibc.rtld.optional_static_tls=0x10:x", 1168},
      {"glibc.malloc.check=1:glibc.rtld.nns=1", 800},
      {"glibc.rtld.nns=16", 1664 + 12 * 288},
      {"glibc.rtld.nns=17:glibc.rtld.nns=0", 1664},
      {"glibc.rtld.optional_static_tls=many", 1152},
      {"glibc.rtld.optional_static_tls", 1664},
      {"glibc.rtld.optional_static_tls=010", 1160},
      {"glibc.rtld.optional_static_tls=7:glibc.rtld.optional_static_tls=8", 1160},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(static_tls_reserve(tls_tunables(row.text, libc_2_36)) == row.reserve);
    CHECK(static_tls_reserve(tls_tunables(row.text, {LibcKind::glibc, 2, 31})) == 1664);
  }
}

TEST_CASE("what is there at the start is put into the largest hole before it, where it fits") {
  const std::vector<Wanted> hole{{8, 8}, {8, 64}};  // 48 bytes from 8 on
  const auto room = [&](std::vector<Wanted> more) {
    auto all = hole;
    all.insert(all.end(), more.begin(), more.end());
    return Dlopens(all).room(1);
  };
  CHECK(room({}) == 1664);
  CHECK(room({{48, 4}}) == 1664);
  CHECK(room({{49, 1}}) == 1679);
  CHECK(room({{20, 64, 40}}) == 1704);      // it is small enough, and not where its alignment leaves it
  CHECK(room({{24, 8}, {24, 8}}) == 1664);  // the hole is what is left of it
  CHECK(room({{24, 8}, {25, 1}}) == 1703);
  CHECK(room({{24, 8}, {20, 16}}) == 1696);
  CHECK(room({{60, 4}, {48, 1}}) == 1668);     // a smaller hole does not take its place
  CHECK(room({{100, 128}, {90, 1}}) == 1664);  // a larger one does
  CHECK(Dlopens({{200, 8}, {8, 128, 64}, {8, 256}}).fits({1, 256}));
  CHECK_FALSE(Dlopens({{200, 8}, {8, 128, 64}, {8, 128}}).fits({1, 256}));
}

TEST_CASE("each processor has its own way: where the block begins, and how it is rounded up") {
  struct Row {
    std::uint16_t machine;
    Format format;
    ByteOrder order;
    std::uint64_t room_alone, room_behind;
  };
  const Row rows[] = {
      {EM_X86_64, Format::elf64, ByteOrder::little, 1664, 1712},
      {EM_386, Format::elf32, ByteOrder::little, 1664, 1712},
      {EM_S390, Format::elf64, ByteOrder::big, 1664, 1680},
      {EM_AARCH64, Format::elf64, ByteOrder::little, 1680, 1664},
      {EM_ARM, Format::elf32, ByteOrder::little, 1688, 1672},
  };
  for (const Row& row : rows) {
    CAPTURE(row.machine);
    Dlopens alone(nothing), behind({{144, 8}});
    alone.abi = behind.abi = find_abi(row.machine, row.format, row.order);
    CHECK(alone.room(1) == row.room_alone);
    CHECK(behind.room(1) == row.room_behind);
  }
}

TEST_CASE("data by descriptors take room up to the byte that is reserved for them, and only on AArch64") {
  Dlopens process(nothing);
  process.abi = find_abi(EM_AARCH64, Format::elf64, ByteOrder::little);
  CHECK(process.fits({500, 1, 0, false}));
  CHECK(process.room(1) == 1180);
  CHECK(process.fits({13, 1, 0, false}));
  CHECK(process.room(1) == 1180);
  CHECK(process.fits({12, 1, 0, false}));
  CHECK(process.room(1) == 1168);
  CHECK(process.fits({1, 1, 0, false}));
  CHECK(process.room(1) == 1168);
  Dlopens older(nothing);
  older.abi = process.abi;
  older.libc.minor = 31;
  CHECK(older.fits({600, 1, 0, false}));
  CHECK(older.room(1) == 1080);
  Dlopens arm(nothing);
  arm.abi = find_abi(EM_ARM, Format::elf32, ByteOrder::little);
  CHECK(arm.fits({500, 1, 0, false}));
  CHECK(arm.room(1) == 1688);
}

TEST_CASE("an address within its alignment shifts the data, on processors of both kinds") {
  CHECK(Dlopens(nothing).room(64, 8) == 1656);
  CHECK(Dlopens(nothing).room(64, 72) == 1656);
  CHECK(Dlopens({{8, 64, 8}}).room(1) == 1664 + 8);
  Dlopens arm(nothing);
  arm.abi = find_abi(EM_AARCH64, Format::elf64, ByteOrder::little);
  CHECK(arm.room(32) == 1664);
  CHECK(arm.room(32, 16) == 1680);
  CHECK(arm.room(32, 8) == 1656);
}

TEST_CASE("what a later dlopen brings in counts for no earlier one") {
  Dlopens process(nothing);
  CHECK_FALSE(process.fits({3000}));
  process.resolution.objects[0].unmapped = false;
  CHECK_FALSE(process.fits({3000}));
  process.resolution.objects[1].unmapped = false;
  const auto first_fits = [&] {
    return fits_static_tls(0, process.resolution, *process.abi, process.libc, process.tunables);
  };
  CHECK_FALSE(first_fits());
  process.resolution.objects[0].image = std::make_shared<Image>(image_of({1000}));
  CHECK(first_fits());
  process.resolution.objects[1].image = std::make_shared<Image>(image_of({1000}));
  CHECK(first_fits());
}

// What `ld.so --list-tunables` of glibc 2.36 says of each.
TEST_CASE("a number of a tunable ends where its digits end, and since 2.39 it is none then") {
  struct Row {
    std::string text;
    std::uint64_t number;
    bool whole = false;
  };
  const Row rows[] = {{"08", 0},
                      {"10x", 10},
                      {"many", 0},
                      {"0x1g", 1},
                      {"", 0},
                      {"0x", 0, true},
                      {" 5", 5, true},
                      {"\t+7", 7, true},
                      {"5 ", 5},
                      {"- 5", 0},
                      {"-1", UINT64_MAX, true},
                      {"18446744073709551615", UINT64_MAX, true},
                      {"18446744073709551616", UINT64_MAX},
                      {"017", 15, true}};
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const auto text = "glibc.rtld.optional_static_tls=" + row.text;
    CHECK(tls_tunables(text, libc_2_36).optional == row.number);
    CHECK(tls_tunables(text, {LibcKind::glibc, 2, 38}).optional == row.number);
    const bool counts = row.whole || row.text.empty();
    CHECK(tls_tunables(text, {LibcKind::glibc, 2, 39}).optional == (counts ? row.number : 512));
  }
}

TEST_CASE("those of an earlier dlopen have taken their room in the order of relocation") {
  const auto room_behind = [](const SearchList& order) {
    Dlopens process({{128, 128}});
    process.resolution.targets.emplace_back();
    process.resolution.targets.back().kind = TargetKind::dlopen;
    add(process.resolution, "/opt/a.so", image_of({47, 1}));
    add(process.resolution, "/opt/b.so", image_of({151, 128}));
    process.resolution.targets.back().search_list = order;
    return process.room(1);
  };
  // The last of the list comes first, where neither needs the other.
  CHECK(room_behind({1, 2}) == 1664 - 256 - 47);
  CHECK(room_behind({2, 1}) == 1664 - 256);
}

TEST_CASE("numbers of tunables are decimal, octal or hexadecimal") {
  const auto optional = [](const std::string& number) {
    return tls_tunables("glibc.rtld.optional_static_tls=" + number, libc_2_36).optional;
  };
  CHECK(optional("0X1f") == 31);
  CHECK(optional("0x1F") == 31);
  CHECK(optional("017") == 15);
  CHECK(optional("0") == 0);
  CHECK(optional("0x10000000001") == (std::uint64_t{1} << 40) + 1);
  CHECK(optional("0xffffffffff") == (std::uint64_t{1} << 40) - 1);
  CHECK(tls_tunables("glibc.rtld.nns=2", libc_2_36).namespaces == 2);
  CHECK(tls_tunables("glibc.rtld.nns=2", libc_2_36).optional == 512);
  CHECK(tls_tunables("x.nns=2:glibc.rtld.nns2=3:=5", libc_2_36).namespaces == 4);
  CHECK(tls_tunables("glibc.rtld.nns=3", {LibcKind::glibc, 2, 32}).namespaces == 3);
  CHECK(tls_tunables("glibc.rtld.nns=3", {LibcKind::glibc, 2, 31}).namespaces == 4);
}

}  // namespace
}  // namespace cudald
