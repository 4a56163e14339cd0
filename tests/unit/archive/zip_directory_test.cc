#include "archive/zip_directory.h"

#include <doctest/doctest.h>

#include <random>

#include "unit/archive/zip_builder.h"
#include "unit/tree/faulty_file.h"

namespace cudald {
namespace {

TEST_CASE("a healthy archive has members and no problem") {
  const auto archive = archive_of({{.name = "pkg/", .data = "", .mode = 0040755},
                                   {.name = "pkg/a.so", .data = "0123456789", .mode = 0100755},
                                   {.name = "pkg/\xc3\xa9", .flags = 0x800}});
  const BytesFile file(archive.bytes);
  const auto directory = directory_of(file);
  CHECK(words(problems_of(archive.bytes)).empty());
  REQUIRE(directory.members().size() == 3);
  const auto& member = directory.members()[1];
  CHECK(member.name == "pkg/a.so");
  CHECK(member.size == 10);
  CHECK(member.mode == 0100755);
  CHECK(member.crc32 == any_crc);
  CHECK(member.usable);
  CHECK(directory.members()[0].folder);
  CHECK_FALSE(member.folder);

  const auto data = find_member_data(file, directory, 1);
  REQUIRE(data.has_value());
  CHECK(data->usable);
  CHECK(archive.bytes.substr(data->offset, 10) == "0123456789");
  CHECK(data->end == data->offset + 10);
}

TEST_CASE("members are found by their exact name, of several the last") {
  const auto archive = archive_of({{.name = "b"}, {.name = "a/x"}, {.name = "B"}, {.name = "b"}, {.name = "./b"}});
  const auto directory = directory_of(BytesFile(archive.bytes));
  CHECK(directory.find("b") == 3);
  CHECK(directory.find("B") == 2);
  CHECK(directory.find("./b") == 4);
  CHECK(directory.find("a/x") == 1);
  for (const auto* absent : {"", "a", "a/", "a/x/", "c", "a/X", "b/", "/b"}) {
    CAPTURE(absent);
    CHECK_FALSE(directory.find(absent).has_value());
  }
}

TEST_CASE("every member of many is found") {
  std::vector<ZipEntry> entries;
  for (int i = 0; i < 3000; ++i) entries.push_back({.name = "Pkg/sub" + std::to_string(i * 7919 % 3000) + "/lib.so"});
  const auto archive = archive_of(entries);
  const auto directory = directory_of(BytesFile(archive.bytes));
  for (std::size_t i = 0; i < entries.size(); ++i) REQUIRE(directory.find(entries[i].name) == i);
}

TEST_CASE("zip64 values are taken from the extra field, exactly those that are asked for") {
  const auto sentinel = std::size_t{zip64_instead_32};
  auto archive = archive_of({{.name = "a",
                              .extra = extra_field(1, n64(4) + n64(4) + n64(0)),
                              .local_extra = extra_field(1, n64(4) + n64(4)),
                              .size = sentinel,
                              .compressed_size = sentinel,
                              .offset = sentinel}});
  const auto directory = directory_of(BytesFile(archive.bytes));
  CHECK(words(problems_of(archive.bytes)).empty());
  CHECK(directory.members()[0].size == 4);
  CHECK(directory.members()[0].header_offset == 0);
}

std::vector<ZipFault> faults_of_directory() {
  using K = ZipProblemKind;
  const auto two = two_members();
  const auto at_end = [two](std::size_t field, const std::string& text) {
    return [=] { return patched(two, two.end + field, text); };
  };
  const auto at_central = [two](std::size_t field, const std::string& text) {
    return [=] { return patched(two, two.central[1] + field, text); };
  };
  const auto with = [](const ZipEntry& entry) {
    return [=] { return archive_of({{.name = "pkg/a.so"}, entry, {.name = "pkg/z.so"}}).bytes; };
  };
  using namespace std::string_literals;

  return {
      {"member of another volume", at_central(34, n16(3)), K::several_volumes, "volume 4"},
      {"count too high", at_end(8, n16(3) + n16(3)), K::directory_count, "2 members in its directory, and 3 by"},
      {"count too low", at_end(8, n16(1) + n16(1)), K::directory_count, "2 members in its directory, and 1 by"},
      {"broken record", at_central(0, "QK"), K::directory_record, "broken behind member 1", true},
      {"record beyond the directory", at_central(28, n16(5000)), K::directory_record, "within record 2", true},
      {"extra field too long", with({.name = "b", .extra = n16(9) + n16(100)}), K::extra_field, "runs over the end"},
      {"bytes behind the extra fields", with({.name = "b", .extra = "xyz"}), K::extra_field, "3 bytes behind"},
      {"zip64 extra twice", with({.name = "b", .extra = extra_field(1, "") + extra_field(1, "")}), K::extra_field,
       "two zip64"},
      {"zip64 extra of odd length",
       with({.name = "b", .extra = extra_field(1, n64(4) + "odd"), .size = zip64_instead_32}), K::zip64_extra,
       "of 11 bytes, where 8 belong"},
      {"zip64 extra too short", with({.name = "b", .extra = extra_field(1, "1234"), .size = zip64_instead_32}),
       K::zip64_extra, "of 4 bytes, where 8 belong"},
      {"zip64 extra unasked", with({.name = "b", .extra = extra_field(1, n64(9))}), K::zip64_extra,
       "of 8 bytes, where 0 belong"},
      {"zip64 extra absent", with({.name = "b", .size = zip64_instead_32}), K::zip64_extra, "and has none"},
      {"zip64 extra leads outside",
       with({.name = "b", .extra = extra_field(1, n64(~std::size_t{0} - 5)), .offset = zip64_instead_32}), K::outside,
       "not in front of the directory"},
      {"another name in an extra field", with({.name = "b", .extra = extra_field(0x7075, "\1" + n32(0) + "c")}),
       K::unicode_path, "named `c`"},
      {"offset outside", at_central(42, n32(0x7fffffff)), K::outside, "begin at 2147483647"},
      {"offset in the directory", at_central(42, n32(two.directory - 8)), K::outside, "not in front"},
      {"into the next", at_central(20, n32(100)), K::overlap, "runs into the directory"},
      {"two members in one place", at_central(42, n32(0)), K::overlap, "runs into `pkg/b.so`"},
      {"into the next, which is smaller than its header",
       [two] { return patched(two, two.central[0] + 20, n32(40) + n32(40)); }, K::overlap, "runs into `pkg/b.so`"},
      {"local extra fields into the next", [two] { return patched(two, two.local[0] + 28, n16(20)); }, K::overlap,
       "overlaps the data at"},
      {"stored in two sizes", [two] { return patched(two, two.central[0] + 24, n32(5)); }, K::stored_size,
       "5 bytes outside and 4 in the archive"},
      {"ratio beyond deflate", at_central(24, n32(4132)), K::impossible_ratio, "1032:1"},
      {"something out of nothing", at_central(20, n32(0) + n32(1)), K::impossible_ratio, "from 0 to 1"},
      {"symbolic link", with({.name = "b", .mode = 0120777}), K::symlink, "symbolic link"},
      {"FIFO", with({.name = "b", .mode = 0010644}), K::special_file, "FIFO"},
      {"device", with({.name = "b", .mode = 0020644}), K::special_file, "device"},
      {"directory by its mode", with({.name = "b", .mode = 0040755}), K::file_and_folder, "a directory by its mode"},
      {"directory with data", with({.name = "b/", .mode = 0040755}), K::folder_with_data, "4 bytes of data"},
      {"encrypted", with({.name = "b", .flags = 1}), K::encrypted, "is encrypted"},
      {"strongly encrypted", with({.name = "b", .flags = 0x41}), K::encrypted, "is encrypted"},
      {"later version", at_central(6, "\xff"), K::version_needed, "version 25.5"},
      {"compressed patch", with({.name = "b", .flags = 0x20}), K::unsupported_method, "compressed patch"},
      {"LZMA", with({.name = "b", .method = 14}), K::unsupported_method, "method 14"},
  };
}

TEST_CASE("each fault of a record has its own problem") { check_zip_faults(faults_of_directory()); }

TEST_CASE("bombs are told by what they say of themselves") {
  const auto sentinel = std::size_t{zip64_instead_32};
  const auto of_size = [&](std::size_t compressed, std::size_t size, std::size_t count) {
    std::vector<ZipEntry> entries;
    for (std::size_t i = 0; i < count; ++i)
      entries.push_back({.name = "b" + std::to_string(i),
                         .data = std::string(compressed, 'x'),
                         .method = 8,
                         .extra = extra_field(1, n64(size)),
                         .local_extra = extra_field(1, n64(size) + n64(compressed)),
                         .size = sentinel});
    return archive_of(entries).bytes;
  };
  const std::size_t gib = std::size_t{1} << 30;
  CHECK(words(problems_of(of_size(2 << 20, 2 * gib, 1))).find("bomb: inflates from 2097152 to 2147483648") == 0);
  CHECK(words(problems_of(of_size(1 << 20, gib, 1))).empty());
  CHECK(problems_of(of_size(1 << 20, gib, 6)).count(ZipProblemKind::bomb) == 1);  // none by itself, all together
  CHECK_FALSE(directory_of(BytesFile(of_size(1 << 20, gib, 6))).members()[0].usable);
  CHECK(problems_of(of_size(100, 5 * gib, 1)).count(ZipProblemKind::impossible_ratio) == 1);
}

TEST_CASE("what goes beyond a limit is not read, and the option is named") {
  const auto bytes = archive_of({{.name = "a", .data = std::string(300, 'x')},
                                 {.name = "b", .data = std::string(200, 'x')},
                                 {.name = "c", .data = std::string(10, 'x'), .method = 8, .size = 1000},
                                 {.name = "d", .data = std::string(100, 'x')}})
                         .bytes;
  struct Row {
    InflateLimits limits;
    std::string usable;  // the members that are
    std::string said;
  };
  const std::vector<Row> rows = {
      {{1000, 1600, 100}, "abcd", ""},
      {{999, 10000, 100}, "abd", "too-large: has 1000 bytes, and --max-member is 999: it is not read\n"},
      {{299, 10000, 1000}, "bd", "too-large: has 300 bytes"},
      {{1000, 10000, 99}, "abd", "over-ratio: inflates from 10 to 1000 bytes, and --max-ratio is 99: it is not read\n"},
      {{1000, 600, 100},
       "abd",
       "over-total: has 1 members that are not read: with them more than the 600 bytes of --max-total would be "
       "inflated\n"},
      {{1000, 0, 100}, "", "over-total: has 4 members"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.said);
    const auto directory = directory_of(BytesFile(bytes), row.limits);
    std::string usable;
    for (const auto& member : directory.members())
      if (member.usable) usable += member.name;
    CHECK(usable == row.usable);
    CHECK(words(directory.problems()).starts_with(row.said));
    CHECK(directory.problems().empty() == row.said.empty());
    for (const auto& problem : directory.problems().kept()) CHECK(risk_of(problem.kind) == ZipRisk::beyond_limits);
  }
}

TEST_CASE("more members than the limit are not looked at, and that is said") {
  BuiltZip archive = archive_of({{.name = "a", .data = ""}});
  const auto record = archive.bytes.substr(archive.directory, archive.end - archive.directory);
  std::string directory;
  for (std::size_t i = 0; i <= most_zip_members; ++i) directory += record;
  auto bytes = archive.bytes.substr(0, archive.directory) + directory + archive.bytes.substr(archive.end);
  const auto end = archive.directory + directory.size();
  bytes.replace(end + 12, 4, n32(directory.size()));
  const auto read = directory_of(BytesFile(bytes));
  CHECK(read.members().size() == most_zip_members);
  CHECK(read.problems().count(ZipProblemKind::too_many_members) == 1);
  CHECK(read.problems().any_fatal());
}

TEST_CASE("folders of too great depth are not looked at, and that is said") {
  std::string deep;
  for (int i = 0; i < 2000; ++i) deep += "/x";
  std::vector<ZipEntry> apart(100), together(100);
  for (std::size_t i = 0; i < 100; ++i) {
    apart[i].name = std::to_string(i) + deep;
    together[i].name = "0" + deep + "/" + std::to_string(i);
  }
  const auto read = directory_of(BytesFile(archive_of(apart).bytes));
  CHECK(read.members().size() < 20);
  CHECK(read.problems().count(ZipProblemKind::too_many_members) == 1);
  CHECK(read.problems().any_fatal());
  CHECK(directory_of(BytesFile(archive_of(together).bytes)).members().size() == 100);
}

TEST_CASE("a file that shrinks while it is read is an error, not a crash") {
  const auto archive = two_members();
  BytesFile file(archive.bytes);
  const auto directory = directory_of(file);
  file.shrink(20);
  CHECK_FALSE(read_zip_directory(file).has_value());
  const auto data = find_member_data(file, directory, 1);
  REQUIRE_FALSE(data.has_value());
  CHECK(data.error().code == ErrorCode::unreadable);
  CHECK_FALSE(check_local_headers(file, directory).has_value());
}

TEST_CASE("archives cut anywhere and with any byte changed are read without harm") {
  auto archive = zip64_archive();
  const auto use = [](const std::string& bytes) {
    const BytesFile file(bytes);
    const auto directory = directory_of(file);
    for (std::size_t i = 0; i < directory.members().size(); ++i) {
      const auto data = find_member_data(file, directory, i);
      if (data && data->usable) REQUIRE(data->offset + directory.members()[i].compressed_size <= bytes.size());
      CHECK(directory.find(directory.members()[i].name).has_value());
    }
    const auto local = check_local_headers(file, directory);
    return directory.problems().empty() && local.has_value() && local->empty();
  };
  for (std::size_t size = 0; size < archive.bytes.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(use(archive.bytes.substr(0, size)));
  }
  for (std::size_t at = 0; at < archive.bytes.size(); ++at)
    for (const int value : {0, 1, 0x7f, 0x80, 0xff}) {
      auto bytes = archive.bytes;
      bytes[at] = static_cast<char>(value);
      use(bytes);
    }
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    auto bytes = archive.bytes;
    for (auto edits = random() % 4 + 1; edits > 0; --edits)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    use(bytes);
  }
}

TEST_CASE("what is no fault of a record, though it is near to one") {
  const auto two = two_members();
  const auto all = [](const std::string& bytes) { return words(problems_of(bytes)); };
  const auto with = [&](const ZipEntry& entry) { return all(archive_of({entry}).bytes); };
  CHECK(all(patched(two, two.central[1] + 6, "\x3f")) == "");
  CHECK(all(patched(two, two.central[1] + 6, "\x40")) ==
        "version-needed: needs version 6.4 of the zip format; Python's zipfile refuses the archive\n");
  CHECK(all(patched(two, two.central[1] + 34, n16(0xffff))) == "");
  const auto path = [](const std::string& content) { return extra_field(0x7075, content); };
  CHECK(with({.name = "b", .extra = path("\1" + n32(0) + "b")}) == "");
  CHECK(with({.name = "b", .extra = path("\1" + n32(0))}).find("is named `` by an extra field") != std::string::npos);
  CHECK(with({.name = "b", .extra = path("\1" + n32(0) + "b") + path("\1" + n32(0) + "b")})
            .find("has two Unicode Path extra fields") != std::string::npos);
  CHECK(with({.name = "b", .extra = extra_field(0x9999, "what others know")}) == "");
  CHECK(with({.name = "b", .local_extra = path("\1" + n32(0) + "b")}) == "");
  const std::string name(121, 'n');
  CHECK(with({.name = "b", .extra = path("\1" + n32(0) + name)}).find("named `" + name.substr(1) + "...` by") !=
        std::string::npos);
  CHECK(with({.name = "b", .extra = path("\1" + n32(0) + name.substr(1))}).find("named `" + name.substr(1) + "` by") !=
        std::string::npos);
}

TEST_CASE("the number of the volume takes a place in a zip64 extra field") {
  const auto archive = archive_of({{.name = "b",
                                    .extra = extra_field(1, n64(4) + n32(0)),
                                    .local_extra = extra_field(1, n64(4) + n64(4)),
                                    .size = zip64_instead_32}});
  CHECK(words(problems_of(patched(archive, archive.central[0] + 34, n16(0xffff)))) == "");
  CHECK(words(problems_of(archive.bytes)) == "zip64-extra: has a zip64 extra field of 12 bytes, where 8 belong\n");
}

TEST_CASE("a large archive may inflate to much, and one large member may be deflated well") {
  const std::size_t gib = std::size_t{1} << 30;
  const auto of_size = [](std::size_t compressed, std::size_t size) {
    return archive_of({{.name = "b",
                        .data = std::string(compressed, 'x'),
                        .method = 8,
                        .extra = extra_field(1, n64(size)),
                        .local_extra = extra_field(1, n64(size) + n64(compressed)),
                        .size = zip64_instead_32}})
        .bytes;
  };
  // A hundredth of it, rounded down, is what it may at most be.
  const auto part = (gib + 100) / 100;
  CHECK(words(problems_of(of_size(part, gib + 100))) == "");
  CHECK(words(problems_of(of_size(part - 1, gib + 100))) ==
        "bomb: inflates from " + std::to_string(part - 1) + " to " + std::to_string(gib + 100) + " bytes\n");
  CHECK(words(problems_of(of_size(part - 1, gib))) == "");
}

TEST_CASE("a directory that cannot be read is an error") {
  const auto archive = two_members();
  for (const auto place : {archive.directory, archive.central[1] + 10, archive.end + 4, std::size_t{0}}) {
    const auto read = read_zip_directory(FaultyFile(archive.bytes, place, true));
    REQUIRE_FALSE(read);
    CHECK(read.error().code == ErrorCode::unreadable);
    CHECK(read.error().system_error == EIO);
  }
  const FaultyFile good(archive.bytes);
  const auto directory = directory_of(good);
  const auto local = find_member_data(FaultyFile(archive.bytes, archive.local[1] + 3, true), directory, 1);
  REQUIRE_FALSE(local);
  CHECK(local.error().system_error == EIO);
}

TEST_CASE("a directory longer than what is read to find it may fail by itself") {
  std::vector<ZipEntry> entries;
  for (int i = 0; i < 600; ++i) entries.push_back({.name = std::to_string(i) + std::string(200, 'n')});
  const auto archive = archive_of(entries);
  CHECK(directory_of(FaultyFile(archive.bytes)).members().size() == 600);
  const auto read = read_zip_directory(FaultyFile(archive.bytes, archive.directory, true));
  REQUIRE_FALSE(read);
  CHECK(read.error().system_error == EIO);
  CHECK_FALSE(read_zip_directory(FaultyFile(archive.bytes, archive.directory, false)));
}

TEST_CASE("each problem of a record is told of its member, and where its record or its bytes lie") {
  const auto two = two_members();
  const auto record = std::to_string(two.central[1]), start = std::to_string(two.directory);
  const auto at = [&](std::size_t field, const std::string& text) {
    return placed(directory_of(BytesFile(patched(two, two.central[1] + field, text))).problems());
  };
  CHECK(at(6, "\x40") == "version-needed of 1 at " + record + "\n");
  CHECK(at(8, n16(1)) == "encrypted of 1 at " + record + "\n");
  CHECK(at(8, n16(1 << 6)) == "encrypted of 1 at " + record + "\n");
  CHECK(at(8, n16(1 << 13)) == "encrypted of 1 at " + record + "\n");
  CHECK(at(8, n16(1 << 5)) == "unsupported-method of 1 at " + record + "\n");
  CHECK(at(10, n16(9)) == "unsupported-method of 1 at " + record + "\n");
  CHECK(at(34, n16(1)) == "several-volumes of 1 at " + record + "\n");
  for (const std::size_t type : {0060000U, 0140000U, 0020000U, 0010000U})
    CHECK(at(38, n32(type << 16)) == "special-file of 1 at " + record + "\n");
  CHECK(at(38, n32(0040000U << 16)) == "file-and-folder of 1 at " + record + "\n");
  CHECK(at(38, n32(0120000U << 16)) == "symlink of 1 at " + record + "\n");
  CHECK(at(38, n32(0100000U << 16)) == "");
  CHECK(at(42, n32(two.directory - 29)) == "outside of 1 at " + start + "\n");
  CHECK(at(42, n32(two.directory + 1)) == "outside of 1 at " + start + "\n");
  CHECK(at(20, n32(5)) == "overlap of 1 at " + std::to_string(two.local[1]) + "\n");
  CHECK(at(0, "QK") == "directory-record! at " + record + "\n");
  CHECK(at(28, n16(5000)) == "directory-record! at " + record + "\n");
  CHECK(at(46, "pkg/a.so") == "duplicate-name of 1 at " + start + "\n");
  CHECK(at(46, "pkg/A.so") == "duplicate-ignoring-case of 0 at " + start + "\n");
  const auto of = [](const std::vector<ZipEntry>& entries) {
    return placed(directory_of(BytesFile(archive_of(entries).bytes)).problems());
  };
  CHECK(of({{.name = "a", .data = ""}, {.name = "a/b", .data = ""}}) == "file-and-folder of 0 at 64\n");
  CHECK(of({{.name = "a/b", .data = ""}, {.name = "A", .data = ""}}) == "duplicate-ignoring-case of 1 at 64\n");
  CHECK(of({{.name = "a/", .data = ""}, {.name = "a", .data = ""}}) == "file-and-folder of 0 at 63\n");
  CHECK(of({{.name = "a/", .data = "x"}}) == "folder-with-data of 0 at 33\n");
  CHECK(placed(directory_of(BytesFile(patched(two, two.end + 8, n16(3) + n16(3)))).problems()) ==
        "directory-count at " + start + "\n");
}

TEST_CASE("what a directory that ends within a record, or is broken, is told as") {
  const auto two = two_members();
  const auto at = [&](std::size_t field, const std::string& text) {
    return words(directory_of(BytesFile(patched(two, two.central[1] + field, text))).problems());
  };
  const auto record = std::to_string(two.central[1]);
  CHECK(at(0, "QK") ==
        "directory-record: has a directory that is broken behind member 1: no record begins at " + record + "\n");
  // The end of the name is there, and what follows it is not.
  const std::string cut = "directory-record: has a directory that ends within record 2\n";
  CHECK(at(28, n16(9)) == cut);
  CHECK(at(30, n16(1)) == cut);
  CHECK(at(32, n16(1)) == cut);
  CHECK(at(32, n16(256)) == cut);
}

TEST_CASE("the comment of a member is gone over") {
  auto archive = archive_of({{.name = "a"}, {.name = "b"}});
  archive.put(archive.central[0] + 32, n16(5));
  archive.put(archive.end + 12, n32(archive.end - archive.directory + 5));
  archive.bytes.insert(archive.central[1], "words");
  CHECK(words(problems_of(archive.bytes)) == "");
  const auto directory = directory_of(BytesFile(archive.bytes));
  REQUIRE(directory.members().size() == 2);
  CHECK(directory.members()[1].name == "b");
}

TEST_CASE("all that a record says of its member is told of it") {
  const auto archive = archive_of(
      {{.name = "first", .data = "0123456789"},
       {.name = "d/x", .data = "123456", .method = 8, .flags = 0x802, .mode = 0100640, .size = 17, .behind = "between"},
       {.name = "last", .mode = 0120777}});
  const BytesFile file(archive.bytes);
  const auto directory = directory_of(file);
  REQUIRE(directory.members().size() == 3);
  const auto& member = directory.members()[1];
  CHECK(member.name == "d/x");
  CHECK(member.compressed_size == 6);
  CHECK(member.size == 17);
  CHECK(member.header_offset == archive.local[1]);
  CHECK(member.end_limit == archive.local[2]);
  CHECK(member.crc32 == any_crc);
  CHECK(member.mode == 0100640);
  CHECK(member.method == zip_deflated);
  CHECK(member.flags == 0x802);
  CHECK_FALSE(member.folder);
  CHECK_FALSE(member.symlink);
  CHECK_FALSE(member.encrypted);
  CHECK(member.usable);
  CHECK(directory.members()[2].symlink);
  CHECK(directory.members()[2].end_limit == archive.directory);
  CHECK(directory.start() == archive.directory);
  CHECK(directory.prefix() == 0);
  const auto data = find_member_data(file, directory, 1);
  REQUIRE(data);
  CHECK(data->offset == archive.local[1] + 33);
  CHECK(data->end == archive.local[1] + 39);
  CHECK(data->problems.empty());
}

TEST_CASE("members as they follow one another in the file, however the directory orders them") {
  auto archive = archive_of({{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d"}});
  archive.put(archive.central[0] + 42, n32(archive.local[2]));
  archive.put(archive.central[2] + 42, n32(archive.local[0]));
  archive.put(archive.local[0] + 30, "c");
  archive.put(archive.local[2] + 30, "a");
  archive.put(archive.central[3] + 42, n32(archive.local[1]));
  const auto directory = directory_of(BytesFile(archive.bytes));
  CHECK(directory.in_file_order() == std::vector<std::uint32_t>{2, 1, 3, 0});
  CHECK(words(directory.problems()) == "overlap: runs into `d` at " + std::to_string(archive.local[1]) + "\n");
  CHECK(directory.members()[2].end_limit == archive.local[1]);
  CHECK(directory.members()[1].end_limit == archive.local[1]);
  CHECK(directory.members()[3].end_limit == archive.local[2]);
  CHECK(directory.members()[0].end_limit == archive.directory);
}

TEST_CASE("where a member may begin and end at most") {
  const auto with = [](const BuiltZip& archive, std::size_t at, const std::string& text) {
    return words(directory_of(BytesFile(patched(archive, at, text))).problems());
  };
  const auto empty = archive_of({{.name = "", .data = ""}});
  CHECK(with(empty, 0, "") == "name-empty: has no name\n");
  CHECK(with(empty, empty.central[0] + 42, n32(1)) ==
        "name-empty: has no name\noutside: claims to begin at 1, which is not in front of the directory at 30\n");
  const auto two = two_members();
  const auto end = std::to_string(two.directory);
  CHECK(with(two, two.central[1] + 20, n32(5)) == "overlap: runs into the directory at " + end + "\n");
  CHECK(with(two, two.central[0] + 20, n32(5) + n32(5)) ==
        "overlap: runs into `pkg/b.so` at " + std::to_string(two.local[1]) + "\n");
  // Behind its header there is room for less than its name.
  CHECK(with(two, two.central[1] + 42, n32(two.directory - 37)).find("runs into the directory") != std::string::npos);
}

TEST_CASE("what lies in front of the first member is told, unless members are unknown") {
  const auto said = [](const std::string& bytes) {
    return placed(directory_of(BytesFile(bytes)).problems()) + words(directory_of(BytesFile(bytes)).problems());
  };
  const std::string told = "has 7 bytes in front of its first member, where some readers begin\n";
  CHECK(said("0123456" + archive_of({{.name = "a"}}).bytes) == "prefix-data at 0\nprefix-data: " + told);
  CHECK(said("0123456" + archive_of({}).bytes) == "prefix-data at 0\nprefix-data: " + told);
  auto broken = archive_of({{.name = "a"}, {.name = "b"}});
  broken.put(broken.central[1], "QK");
  CHECK(said("0123456" + broken.bytes).find("prefix-data") == std::string::npos);
  const auto one = archive_of({{.name = "a"}});
  CHECK(said(patched(one, one.central[0] + 42, n32(5000))).find("prefix-data") == std::string::npos);
}

TEST_CASE("deflate makes of a byte 1032 at most, and of all members together 4 GiB need not be in proportion") {
  const auto two = two_members();
  const auto with_size = [&](std::size_t size) {
    return words(directory_of(BytesFile(patched(two, two.central[1] + 24, n32(size)))).problems());
  };
  CHECK(with_size(4 * 1032) == "");
  CHECK(with_size(4 * 1032 + 1) ==
        "impossible-ratio: claims to inflate from 4 to 4129 bytes; deflate cannot exceed 1032:1\n");
  static constexpr std::size_t gib = std::size_t{1} << 30;
  const auto of = [](std::size_t last) {
    std::vector<ZipEntry> entries(4, {.name = "b", .data = std::string(1 << 20, 'x'), .method = 8, .size = gib});
    for (std::size_t i = 0; i < 4; ++i) entries[i].name += std::to_string(i);
    entries.push_back({.name = "c", .data = std::string(last, 'x')});
    return archive_of(entries).bytes;
  };
  CHECK(words(directory_of(BytesFile(of(0))).problems()) == "");
  const auto bytes = of(1);
  const auto bomb = directory_of(BytesFile(bytes));
  CHECK(words(bomb.problems()) == "bomb: inflates from " + std::to_string(bytes.size()) + " to 4294967297 bytes\n");
  CHECK(placed(bomb.problems()) == "bomb at " + std::to_string(bomb.start()) + "\n");
  for (std::size_t i = 0; i < 5; ++i) CHECK(bomb.members()[i].usable == (i == 4));
}

TEST_CASE("paths of members and folders count each with 64 bytes, folders that were there before once") {
  // 16 members with 2,000 folders each, three folders that are shared, and what fills up the rest.
  constexpr std::size_t large = 4001 + 64 + 2000 * 64 + (1 + 3999) * 1000;
  std::string deep;
  for (int i = 0; i < 2000; ++i) deep += "/x";
  const auto of = [&](std::size_t more) {
    std::vector<ZipEntry> entries;
    for (char c = 'a'; c < 'q'; ++c) entries.push_back({.name = c + deep, .data = ""});
    std::size_t left = most_zip_path_bytes - 16 * large;
    for (const std::string name : {"q", "q/r", "q/r/s", "q/r/t"}) entries.push_back({.name = name, .data = ""});
    left -= (1 + 64) + (3 + 64 + 1 + 64) + (5 + 64 + 3 + 64) + (5 + 64);
    for (int i = 0; i < 15; ++i, left -= 65'000)
      entries.push_back({.name = std::to_string(i) + std::string(65'000 - 64 - (i < 10 ? 1 : 2), '.'), .data = ""});
    entries.push_back({.name = std::string(left - 64 + more, 'z'), .data = ""});
    const auto directory = directory_of(BytesFile(archive_of(entries).bytes));
    CHECK(directory.members().size() == entries.size());
    return directory.problems().count(ZipProblemKind::too_many_members);
  };
  CHECK(of(0) == 0);
  CHECK(of(1) == 1);
}

TEST_CASE("what is too much of a directory is told in full") {
  std::string deep;
  for (int i = 0; i < 2000; ++i) deep += "/x";
  std::vector<ZipEntry> apart(20, {.name = "", .data = ""});
  for (std::size_t i = 0; i < apart.size(); ++i) apart[i].name = static_cast<char>('a' + i) + deep;
  const auto archive = archive_of(apart);
  const auto read = directory_of(BytesFile(archive.bytes));
  CHECK(read.members().size() == 17);
  CHECK(
      words(read.problems())
          .starts_with("too-many-members: has paths of more than 67108864 bytes, members and directories together\n"));
  CHECK(placed(read.problems()).starts_with("too-many-members! at " + std::to_string(archive.central[16]) + "\n"));
}

TEST_CASE("a directory of 16 MiB is read, and of a longer one its first records") {
  for (const std::size_t more : {std::size_t{0}, std::size_t{1}}) {
    CAPTURE(more);
    std::vector<ZipEntry> entries;
    for (int i = 0; i < 256; ++i)
      entries.push_back(
          {.name = std::to_string(100 + i), .data = "", .extra = extra_field(9, std::string(65'483, 'e'))});
    entries.back().extra = extra_field(9, std::string(65'483 + more, 'e'));
    const auto archive = archive_of(entries);
    const auto directory = directory_of(BytesFile(archive.bytes));
    CHECK(directory.members().size() == 256 - more);
    CHECK(words(directory.problems()) ==
          (more == 0 ? "" : "too-many-members: has a directory of 16777217 bytes; 16777216 are read\n"));
    CHECK(placed(directory.problems()) ==
          (more == 0 ? "" : "too-many-members! at " + std::to_string(archive.central[255]) + "\n"));
  }
}

}  // namespace
}  // namespace cudald
