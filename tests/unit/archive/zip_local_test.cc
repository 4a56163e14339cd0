#include <doctest/doctest.h>

#include <map>

#include "unit/archive/zip_builder.h"
#include "unit/tree/faulty_file.h"

namespace cudald {
namespace {

TEST_CASE("data descriptors of all four forms are taken") {
  const std::string crc = n32(any_crc);
  const std::map<std::string, std::string> forms = {
      {"marked", "PK\7\10" + crc + n32(4) + n32(4)},
      {"bare", crc + n32(4) + n32(4)},
      {"marked, zip64", "PK\7\10" + crc + n64(4) + n64(4)},
      {"bare, zip64", crc + n64(4) + n64(4)},
  };
  for (const auto& form : forms) {
    CAPTURE(form.first);
    auto archive = archive_of({{.name = "a", .flags = 8, .behind = form.second}, {.name = "b"}});
    archive.put(archive.local[0] + 14, n32(0) + n32(0) + n32(0));  // not known yet when it was written
    CHECK(words(problems_of(archive.bytes)).empty());
  }
}

TEST_CASE("what must not be read is not usable, and its neighbours are") {
  const std::vector<std::pair<std::string, std::vector<bool>>> rows = {
      {named("x", 1), {true, false}},
      {patched(two_members(), two_members().central[1] + 20, n32(100)), {true, false}},
      {patched(two_members(), two_members().central[0] + 20, n32(40) + n32(40)), {false, true}},
      {patched(two_members(), two_members().central[1] + 42, n32(0)), {false, true}},
      {patched(two_members(), two_members().central[1] + 42, n32(1 << 20)), {true, false}},
      {patched(two_members(), two_members().central[0] + 24, n32(5)), {false, true}},
      {patched(two_members(), two_members().central[1] + 24, n32(1 << 20)), {true, false}},
      {patched(two_members(), two_members().local[0], "PX"), {false, true}},
      {named("../x"), {true, true}},
  };
  for (std::size_t row = 0; row < rows.size(); ++row) {
    CAPTURE(row);
    const BytesFile file(rows[row].first);
    const auto directory = directory_of(file);
    REQUIRE(directory.members().size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
      CAPTURE(i);
      const auto data = find_member_data(file, directory, i);
      REQUIRE(data.has_value());
      if (row != 3) CHECK(data->usable == rows[row].second[i]);
    }
    if (row == 3) CHECK_FALSE(directory.members()[0].usable);
  }
}

std::vector<ZipFault> faults_of_local() {
  using K = ZipProblemKind;
  const auto two = two_members();
  const auto at_local = [two](std::size_t field, const std::string& text) {
    return [=] { return patched(two, two.local[1] + field, text); };
  };
  const auto with = [](const ZipEntry& entry) {
    return [=] { return archive_of({{.name = "pkg/a.so"}, entry, {.name = "pkg/z.so"}}).bytes; };
  };

  return {
      {"no local header", at_local(0, "PX"), K::local_header, "no local header"},
      {"local name", at_local(30 + 4, "c"), K::local_name, "named `pkg/c.so` by its local header"},
      {"local method", at_local(8, n16(0)), K::local_method, "method 0 for its local header"},
      {"local size", at_local(22, n32(9)), K::local_sizes, "has 9 bytes, 4 compressed, for its local header"},
      {"local size 0", at_local(22, n32(0)), K::local_sizes, "has 0 bytes, 4 compressed, for its local header"},
      {"local compressed size 0", at_local(18, n32(0)), K::local_sizes, "has 4 bytes, 0 compressed"},
      {"local checksum 0", at_local(14, n32(0)), K::local_sizes, "another checksum"},
      {"local size elsewhere, and nowhere", at_local(22, n32(0xffffffff)), K::local_sizes, "has 4294967295 bytes"},
      {"local compressed size", at_local(18, n32(9)), K::local_sizes, "9 compressed, for its local header"},
      {"local checksum", at_local(14, n32(9)), K::local_sizes, "another checksum"},
      {"local flags", at_local(6, n16(0x800)), K::local_flags, "0x0800 in its local header"},
      {"local extra fields", with({.name = "b", .local_extra = "abcdef"}), K::local_extra, "runs over the end"},
      {"local zip64 of odd length", with({.name = "b", .local_extra = extra_field(1, n64(4))}), K::local_extra,
       "of 8 bytes in its local header"},
      {"local name in an extra field", with({.name = "b", .local_extra = extra_field(0x7075, "\1" + n32(0) + "c")}),
       K::unicode_path, "extra field of its local header"},
      {"no data descriptor", with({.name = "b", .flags = 8}), K::data_descriptor, "agrees with the directory"},
      {"data descriptor lies", with({.name = "b", .flags = 8, .behind = "PK\7\10" + n32(any_crc) + n32(4) + n32(5)}),
       K::data_descriptor, "agrees with the directory"},
      {"a member that the directory does not list",
       with({.name = "b", .behind = archive_of({{.name = "hidden"}}).bytes.substr(0, 40)}), K::unclaimed_bytes,
       "40 bytes that belong to no member"},
  };
}

TEST_CASE("each fault of a local header has its own problem") { check_zip_faults(faults_of_local()); }

TEST_CASE("a data descriptor must agree in each of its values") {
  const auto all = [](const std::string& behind, std::uint16_t flags = 8) {
    return words(problems_of(archive_of({{.name = "a", .flags = flags, .behind = behind}, {.name = "b"}}).bytes));
  };
  const std::string crc = n32(any_crc), mark = "PK\7\10";
  const std::string told = "data-descriptor: has no data descriptor that agrees with the directory\n";
  CHECK(all(mark + crc + n32(4) + n32(4)) == "");
  for (const auto& behind :
       {mark + crc + n32(5) + n32(4), mark + crc + n32(4) + n32(5), mark + n32(any_crc + 1) + n32(4) + n32(4),
        "PK\7\11" + crc + n32(4) + n32(4), crc + n32(5) + n32(4), crc + n32(4) + n32(5), crc + n64(5) + n64(4),
        crc + n64(4) + n64(5), mark + crc + n32(4) + std::string("\4\0\0", 3)})
    CHECK(all(behind) == told);
  CHECK(all(mark + crc + n32(4) + n32(4) + "xy") ==
        "unclaimed-bytes: is followed by 2 bytes that belong to no member\n");
  CHECK(all(mark + crc + n32(4) + n32(4), 0) == "unclaimed-bytes: is followed by 16 bytes that belong to no member\n");
}

TEST_CASE("what is told later may be missing or all ones, and nothing else") {
  const auto with = [](std::uint16_t flags, std::size_t crc, std::size_t compressed, std::size_t size) {
    const auto behind = flags == 0 ? std::string() : "PK\7\10" + n32(any_crc) + n32(4) + n32(4);
    auto archive = archive_of({{.name = "a", .flags = flags, .behind = behind}, {.name = "b"}});
    archive.put(archive.local[0] + 14, n32(crc) + n32(compressed) + n32(size));
    return words(problems_of(archive.bytes));
  };
  constexpr std::size_t ones = 0xffffffff;
  CHECK(with(8, 0, 0, 0) == "");
  CHECK(with(8, ones, ones, ones) == "");
  CHECK(with(8, any_crc, 4, 4) == "");
  CHECK(with(0, any_crc, 4, 4) == "");
  const std::string sizes = "local-sizes: has 4 bytes, 0 compressed, for its local header; 4 and 4 for the directory\n";
  CHECK(with(0, any_crc, 0, 4) == sizes);
  CHECK(with(0, any_crc, 4, 0) ==
        "local-sizes: has 0 bytes, 4 compressed, for its local header; 4 and 4 for the directory\n");
  CHECK(with(8, 0, 5, 0) ==
        "local-sizes: has 0 bytes, 5 compressed, for its local header; 4 and 4 for the directory\n");
  const std::string checksum = "local-sizes: has another checksum in its local header than in the directory\n";
  CHECK(with(0, 0, 4, 4) == checksum);
  CHECK(with(8, 1, 0, 0) == checksum);
}

TEST_CASE("of both sizes of a zip64 extra field those count that the header leaves to it") {
  const auto with = [](std::size_t compressed, std::size_t size, const std::string& extra) {
    auto archive = archive_of({{.name = "a", .local_extra = extra_field(1, extra)}, {.name = "b"}});
    archive.put(archive.local[0] + 18, n32(compressed) + n32(size));
    return words(problems_of(archive.bytes));
  };
  constexpr std::size_t ones = 0xffffffff;
  CHECK(with(ones, ones, n64(4) + n64(4)) == "");
  CHECK(with(4, ones, n64(4) + n64(9)) == "");
  CHECK(with(ones, 4, n64(9) + n64(4)) == "");
  CHECK(with(ones, ones, n64(5) + n64(6)) ==
        "local-sizes: has 5 bytes, 6 compressed, for its local header; 4 and 4 for the directory\n");
  CHECK(with(4, 4, n64(4)) == "local-extra: has a zip64 extra field of 8 bytes in its local header, where 16 belong\n");
}

TEST_CASE("a data descriptor that cannot be read is an error") {
  const auto behind = "PK\7\10" + n32(any_crc) + n32(4) + n32(4);
  // Behind more than what is read of a header at once.
  const auto archive = archive_of({{.name = "a", .data = std::string(200, 'x'), .flags = 8, .behind = behind}});
  const auto place = archive.directory - behind.size() + 2;
  const auto directory = directory_of(FaultyFile(archive.bytes));
  const auto data = find_member_data(FaultyFile(archive.bytes, place, true), directory, 0);
  REQUIRE_FALSE(data);
  CHECK(data.error().system_error == EIO);
  CHECK_FALSE(check_local_headers(FaultyFile(archive.bytes, place, true), directory));
}

TEST_CASE("each problem of a local header is told of its member, and where that or its bytes lie") {
  const auto two = two_members();
  const auto header = std::to_string(two.local[1]);
  const auto at = [&](std::size_t field, const std::string& text) {
    return placed(problems_of(patched(two, two.local[1] + field, text)));
  };
  CHECK(at(0, "PX") == "local-header of 1 at " + header + "\n");
  CHECK(at(8, n16(0)) == "local-method of 1 at " + header + "\n");
  CHECK(at(22, n32(9)) == "local-sizes of 1 at " + header + "\n");
  CHECK(at(14, n32(9)) == "local-sizes of 1 at " + header + "\n");
  CHECK(at(34, "c") == "local-name of 1 at " + header + "\n");
  CHECK(at(28, n16(1)) == "overlap of 1 at " + header + "\n");
  const auto behind = [](const std::string& bytes, std::uint16_t flags) {
    return placed(problems_of(archive_of({{.name = "a"}, {.name = "b", .flags = flags, .behind = bytes}}).bytes));
  };
  CHECK(behind("xyz", 0) == "unclaimed-bytes of 1 at 70\n");
  CHECK(behind("xyz", 8) == "data-descriptor of 1 at 35\n");
}

TEST_CASE("each flag that matters is compared, and the others are not") {
  const auto two = two_members();
  for (const auto bit : {0, 1, 2, 3, 4, 5, 6, 7, 11, 13, 15}) {
    CAPTURE(bit);
    const bool matters = bit == 0 || bit == 3 || bit == 6 || bit == 11 || bit == 13;
    const auto problems = problems_of(patched(two, two.local[1] + 6, n16(std::size_t{1} << bit)));
    CHECK(problems.count(ZipProblemKind::local_flags) == (matters ? 1 : 0));
  }
  CHECK(words(problems_of(patched(two, two.local[1] + 6, n16(1)))) ==
        "local-flags: has the flags 0x0001 in its local header, 0x0000 in the directory\n");
  auto both = two;
  both.put(both.central[1] + 8, n16(0x800));
  CHECK(words(problems_of(both.bytes)) ==
        "local-flags: has the flags 0x0000 in its local header, 0x0800 in the directory\n");
  CHECK(words(problems_of(patched(both, both.local[1] + 6, n16(0x800)))) == "");
}

TEST_CASE("what a local header says that differs is told in full") {
  const auto two = two_members();
  const auto at = [&](std::size_t field, const std::string& text) {
    return words(problems_of(patched(two, two.local[1] + field, text)));
  };
  CHECK(at(0, "PX") == "local-header: has no local header where the directory says\n");
  CHECK(at(8, n16(3)) ==
        "local-method: is compressed by method 3 for its local header, by method 8 for the directory\n");
  CHECK(at(30, "pkg/c.so") == "local-name: is named `pkg/c.so` by its local header\n");
  CHECK(at(28, n16(1)) == "overlap: overlaps the data at " + std::to_string(two.directory) + "\n");
  // A name that is longer in the directory: the header itself ends where it must.
  CHECK(at(26, n16(7)).find("overlap") == std::string::npos);
}

TEST_CASE("of a member mostly one small read finds the bytes, and a long extra field costs a second one") {
  const auto read = [](std::size_t extra) {
    const auto archive = archive_of(
        {{.name = "a", .data = std::string(500, 'x'), .local_extra = extra_field(9, std::string(extra - 4, 'e'))}});
    const BytesFile file(archive.bytes);
    const auto directory = directory_of(file);
    file.bytes_read = 0;
    const auto data = find_member_data(file, directory, 0);
    REQUIRE(data);
    CHECK(data->offset == 31 + extra);
    CHECK(data->problems.empty());
    CHECK(data->usable);
    return file.bytes_read;
  };
  CHECK(read(64) == 31 + 64);
  CHECK(read(65) == 31 + 64 + 31 + 65);
}

TEST_CASE("of two forms of a data descriptor that fit the one counts that reaches the next member") {
  // The marked one of 16 bytes is the beginning of nothing else; 24 bytes are wide and marked.
  const std::string crc = n32(any_crc), mark = "PK\7\10";
  const auto with = [](const std::string& behind, std::size_t size) {
    const auto archive = archive_of({{.name = "a", .data = std::string(size, 'x'), .flags = 8, .behind = behind}});
    const BytesFile file(archive.bytes);
    const auto data = find_member_data(file, directory_of(file), 0);
    REQUIRE(data);
    return data->end - data->offset - size;
  };
  CHECK(with(crc + n32(4) + n32(4), 4) == 12);
  CHECK(with(mark + crc + n32(4) + n32(4), 4) == 16);
  CHECK(with(crc + n64(4) + n64(4), 4) == 20);
  CHECK(with(mark + crc + n64(4) + n64(4), 4) == 24);
  CHECK(with(mark + crc + n64(4) + n64(4) + "more", 4) == 24);
  CHECK(with("nothing that fits", 4) == 17);
  // Without bytes, a narrow one is the beginning of a wide one.
  CHECK(with(crc + n32(0) + n32(0), 0) == 12);
  CHECK(with(crc + n64(0) + n64(0), 0) == 20);
  CHECK(with(crc + n64(0) + n64(0) + "x", 0) == 12);
  CHECK(with(mark + crc + n64(0) + n64(0), 0) == 24);
  CHECK(with(mark + crc + n32(0) + n32(0) + "x", 0) == 16);
}

}  // namespace
}  // namespace cudald
