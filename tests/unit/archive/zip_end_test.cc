#include "archive/zip_end.h"

#include <doctest/doctest.h>

#include "unit/archive/zip_builder.h"
#include "unit/tree/faulty_file.h"

namespace cudald {
namespace {

TEST_CASE("an empty archive and a comment are no problem") {
  CHECK(words(problems_of(archive_of({}).bytes)).empty());
  CHECK(words(problems_of(archive_of({{.name = "a"}}, "made by hand").bytes)).empty());
  CHECK(words(problems_of(archive_of({{.name = "a"}}, std::string(65535, 'c')).bytes)).empty());
}

TEST_CASE("a zip64 end record counts") {
  const auto archive = zip64_archive();
  CHECK(words(problems_of(archive.bytes)).empty());
  CHECK(directory_of(BytesFile(archive.bytes)).members().size() == 2);
}

TEST_CASE("a prefix shifts all offsets, as Python has it") {
  const auto archive = archive_of({{.name = "a", .data = "wanted"}});
  const auto bytes = "0123456" + archive.bytes;
  const BytesFile file(bytes);
  const auto directory = directory_of(file);
  CHECK(directory.prefix() == 7);
  const auto data = find_member_data(file, directory, 0);
  REQUIRE(data.has_value());
  CHECK(data->usable);
  CHECK(bytes.substr(data->offset, 6) == "wanted");
}

TEST_CASE("nothing is allocated for what is only stated") {
  auto archive = zip64_archive();
  const auto zip64 = archive.end - zip64_locator_bytes - zip64_end_bytes;
  archive.put(zip64 + 24, n64(std::size_t{1} << 60) + n64(std::size_t{1} << 60));  // the count
  const BytesFile file(archive.bytes);
  const auto directory = directory_of(file);
  CHECK(directory.members().size() == 2);
  CHECK(directory.problems().count(ZipProblemKind::directory_count) == 1);
  CHECK(file.largest_read <= archive.bytes.size());
}

TEST_CASE("each value of the end record is that of the zip64 one, or says that it stands there") {
  const auto archive = zip64_archive();
  const auto plain = two_members();
  const std::uint32_t size = static_cast<std::uint32_t>(plain.end - plain.directory);
  const auto start = static_cast<std::uint32_t>(plain.directory);
  struct Row {
    std::size_t field;
    std::string value;
    bool agrees;
  };
  const Row rows[] = {
      {10, n16(0xffff), true},     {10, n16(2), true},     {10, n16(0), false}, {10, n16(1), false},
      {12, n32(0xffffffff), true}, {12, n32(size), true},  {12, n32(0), false}, {12, n32(size + 1), false},
      {16, n32(0xffffffff), true}, {16, n32(start), true}, {16, n32(0), false}, {16, n32(start + 1), false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.field);
    CAPTURE(row.value);
    const BytesFile file(patched(archive, archive.end + row.field, row.value));
    const auto directory = directory_of(file);
    CHECK(directory.problems().count(ZipProblemKind::zip64_end) == (row.agrees ? 0 : 1));
    CHECK(directory.members().size() == 2);
  }
}

std::vector<ZipFault> faults_of_end() {
  using K = ZipProblemKind;
  const auto two = two_members();
  const auto at_end = [two](std::size_t field, const std::string& text) {
    return [=] { return patched(two, two.end + field, text); };
  };
  using namespace std::string_literals;

  return {
      {"empty file", [] { return ""s; }, K::not_a_zip, "not a zip archive", true},
      {"text", [] { return "<!DOCTYPE html>"s; }, K::not_a_zip, "not a zip archive", true},
      {"cut short", [two] { return two.bytes.substr(0, two.end); }, K::truncated, "cut short", true},
      {"data behind", [two] { return two.bytes + "x"; }, K::trailing_data, "has 1 bytes behind"},
      {"data in front", [two] { return "#!/bin/sh\n" + two.bytes; }, K::prefix_data, "has 10 bytes in front"},
      {"two archives", [two] { return archive_of({{.name = "x"}}).bytes + two.bytes; }, K::prefix_data, "in front"},
      {"second directory",
       [two] {
         auto bytes = two.bytes;
         return bytes.insert(two.end, bytes.substr(two.directory, two.end - two.directory));
       },
       K::several_directories, "another one"},
      {"end record in the comment", [] { return archive_of({{.name = "a"}}, "PK\5\6" + std::string(18, '\0')).bytes; },
       K::several_end_records, "has end records at"},
      {"mark at the end of the comment", [] { return archive_of({{.name = "a"}}, "see PK\5\6").bytes; },
       K::several_end_records, "readers differ"},
      {"comment too long", at_end(20, n16(7)), K::comment_size, "7 bytes longer than the file"},
      {"another volume", at_end(4, n16(1)), K::several_volumes, "several volumes"},
      {"member counts of two volumes", at_end(8, n16(1)), K::several_volumes, "1 members in this volume and 2 in all"},
      {"directory too large", at_end(12, n32(0x7fffffff)), K::directory_size, "2147483647 bytes", true},
      {"directory too small", at_end(12, n32(10)), K::directory_size, "does not reach its end", true},
      {"directory elsewhere", at_end(12, n32(3) + n32(9)), K::directory_place, "it is not there", true},
      {"directory too late", at_end(16, n32(two.directory + 9)), K::directory_place, "and really at", true},
      {"directory outside", at_end(16, n32(0xfffffff0)), K::directory_place, "4294967280", true},
      {"zip64 of odd length", [] { return zip64_archive(45).bytes; }, K::zip64_end, "45 bytes long instead of 44"},
      {"zip64 locator astray", [] { return zip64_archive(44, 8).bytes; }, K::zip64_end, "locator that leads to"},
      {"zip64 locator alone", [two] { return std::string(two.bytes).insert(two.end, zip64_locator(0)); }, K::zip64_end,
       "and no zip64 end record", true},
      {"zip64 end against end",
       [] {
         auto archive = zip64_archive();
         archive.put(archive.end + 10, n16(1));
         return archive.bytes;
       },
       K::zip64_end, "that describe different directories"},
  };
}

TEST_CASE("each fault of the end of an archive has its own problem") { check_zip_faults(faults_of_end()); }

TEST_CASE("each sign of several volumes, alone") {
  const auto two = two_members();
  const auto zip64 = zip64_archive();
  const auto record = zip64.end - zip64_locator_bytes - zip64_end_bytes, locator = zip64.end - zip64_locator_bytes;
  const auto said = [](const BuiltZip& archive, std::size_t at, const std::string& text) {
    return words(problems_of(patched(archive, at, text)));
  };
  const std::string several = "several-volumes: claims to be one of several volumes\n";
  CHECK(said(two, two.end + 4, n16(1)) == several);
  CHECK(said(two, two.end + 6, n16(1)) == several);
  CHECK(said(two, two.end + 8, n16(1)) ==
        "several-volumes: has 1 members in this volume and 2 in all, by its end record\n");
  CHECK(said(zip64, record + 16, n32(1)) == several);
  CHECK(said(zip64, record + 20, n32(1)) == several);
  CHECK(said(zip64, locator + 4, n32(1)) == several);
  CHECK(said(zip64, locator + 16, n32(2)) == several);
  CHECK(said(zip64, locator + 16, n32(1)) == "");
  CHECK(said(zip64, locator + 16, n32(0)) == "");
  CHECK(said(zip64, record + 24, n64(3)) ==
        "several-volumes: has 3 members in this volume and 2 in all, by its end record\n");
  CHECK(said(zip64, locator + 8, n64(record + 1)) == "zip64-end: has a zip64 locator that leads to " +
                                                         std::to_string(record + 1) + ", and the zip64 end record at " +
                                                         std::to_string(record) + "\n");
  CHECK(said(zip64, record + 4, n64(43)) ==
        "zip64-end: has a zip64 end record that claims to be 43 bytes long instead of 44\n");
}

TEST_CASE("an end record is found in front of the longest comment, and not farther off") {
  const std::string longest(65'535, 'c');
  CHECK(words(problems_of(archive_of({{.name = "a"}}, longest).bytes)) == "");
  const auto with_data = [&](std::size_t count) {
    return words(problems_of(archive_of({{.name = "a"}}).bytes + std::string(count, 'c')));
  };
  CHECK(with_data(65'535) == "trailing-data: has 65535 bytes behind its end\n");
  const auto beyond = with_data(65'536);
  CHECK(beyond ==
        "truncated: begins like a zip archive, and has no end record in its last 65633 bytes: it is cut short\n");
  CHECK(words(problems_of("PK\3\4")) ==
        "truncated: begins like a zip archive, and has no end record in its last 4 bytes: it is cut short\n");
  CHECK(words(problems_of("PK\3")) == "not-a-zip: is not a zip archive\n");
  const auto archive = two_members();
  for (std::size_t size = 0; size < archive.bytes.size(); size += 7)
    CHECK(problems_of(archive.bytes.substr(0, size)).any_fatal());
}

TEST_CASE("what a directory of another size or place is told as") {
  const auto two = two_members();
  const auto size = two.end - two.directory;
  const auto said = [&](std::size_t stated_size, std::size_t stated_offset) {
    return words(problems_of(patched(two, two.end + 12, n32(stated_size) + n32(stated_offset))));
  };
  const auto end = std::to_string(two.end), place = std::to_string(two.directory);
  CHECK(said(size, two.directory) == "");
  CHECK(said(two.end + 1, two.directory) == "directory-size: has a directory of " + std::to_string(two.end + 1) +
                                                " bytes by its end record, and only " + end +
                                                " bytes in front of that\n");
  CHECK(said(size - 1, two.directory) == "directory-size: has a directory at " + place + " of " +
                                             std::to_string(size - 1) +
                                             " bytes by its end record, which does not reach its end at " + end + "\n");
  CHECK(said(size - 1, two.directory - 1) == "directory-place: has its directory at " +
                                                 std::to_string(two.directory - 1) +
                                                 " by its end record, and it is not there\n");
  CHECK(said(size, two.directory + 1) == "directory-place: has its directory at " + std::to_string(two.directory + 1) +
                                             " by its end record, and really at " + place + "\n");
}

TEST_CASE("an archive that cannot be read where its directory or its front is asked for") {
  const auto two = two_members();
  auto far = archive_of({{.name = "a", .data = std::string(100'000, 'x')}});
  far.put(far.end + 16, n32(5));
  for (const auto& [bytes, place] :
       {std::pair{two.bytes, two.end}, {far.bytes, std::size_t{5}}, {std::string(100'000, 'x'), std::size_t{0}}}) {
    const auto read = read_zip_directory(FaultyFile(bytes, place, true));
    REQUIRE_FALSE(read);
    CHECK(read.error().system_error == EIO);
  }
}

TEST_CASE("each problem of the end is told with its place, and whether the members are known for all that") {
  const auto two = two_members();
  const auto zip64 = zip64_archive();
  const auto of = [](const std::string& bytes) { return placed(directory_of(BytesFile(bytes)).problems()); };
  const auto at_end = [&](std::size_t field, const std::string& text) {
    return of(patched(two, two.end + field, text));
  };
  const auto end = std::to_string(two.end), size = std::to_string(two.bytes.size());
  const auto record = std::to_string(zip64.end - zip64_locator_bytes - zip64_end_bytes);
  const auto locator = std::to_string(zip64.end - zip64_locator_bytes), end64 = std::to_string(zip64.end);
  CHECK(of("text") == "not-a-zip! at 0\n");
  CHECK(of(two.bytes.substr(0, 60)) == "truncated! at 60\n");
  CHECK(of(two.bytes + "xy") == "trailing-data at " + size + "\n");
  CHECK(at_end(20, n16(1)) == "comment-size at " + end + "\n");
  CHECK(at_end(4, n16(1)) == "several-volumes at " + end + "\n");
  CHECK(at_end(8, n16(1)) == "several-volumes at " + end + "\n");
  CHECK(at_end(12, n32(two.end + 1)) == "directory-size! at " + end + "\n");
  CHECK(at_end(12, n32(10)) == "directory-size! at " + end + "\n");
  CHECK(at_end(12, n32(3) + n32(9)) == "directory-place! at " + end + "\n");
  CHECK(at_end(16, n32(two.directory + 1)) == "directory-place! at " + end + "\n");
  const auto at_zip64 = [&](std::size_t at, const std::string& text) { return of(patched(zip64, at, text)); };
  CHECK(at_zip64(zip64.end - zip64_locator_bytes - zip64_end_bytes + 4, n64(45)) == "zip64-end at " + record + "\n");
  CHECK(at_zip64(zip64.end - zip64_locator_bytes + 8, n64(1)) == "zip64-end at " + locator + "\n");
  CHECK(at_zip64(zip64.end - zip64_locator_bytes + 16, n32(2)) == "several-volumes at " + end64 + "\n");
  CHECK(at_zip64(zip64.end + 10, n16(1)) == "zip64-end at " + record + "\n");
  CHECK(of(std::string(two.bytes).insert(two.end, zip64_locator(0))) ==
        "zip64-end at " + end + "\ndirectory-size! at " + std::to_string(two.end + zip64_locator_bytes) + "\n");
  auto twice = two.bytes;
  twice.insert(two.end, twice.substr(two.directory, two.end - two.directory));
  CHECK(of(twice).starts_with("several-directories at " + std::to_string(two.directory) + "\n"));
}

TEST_CASE("a locator is asked for where there is room for it and what it leads to") {
  // Nothing but the end records of archives without members.
  const auto end = archive_of({}).bytes;
  const auto of = [](const std::string& bytes) { return words(problems_of(bytes)); };
  CHECK(of(end) == "");
  CHECK(of(zip64_locator(0) + end) ==
        "zip64-end: has a zip64 locator, and no zip64 end record in front of it\n"
        "prefix-data: has 20 bytes in front of its first member, where some readers begin\n");
  CHECK(of(zip64_end(0, 0, 0) + zip64_locator(0) + end) == "");
  CHECK(of("x" + zip64_end(0, 0, 1) + zip64_locator(1) + end).find("zip64-end") != std::string::npos);
  CHECK(of(zip64_end(0, 0, 0).substr(1) + zip64_locator(0) + end)
            .starts_with("zip64-end: has a zip64 locator, and no zip64 end record in front of it\n"));
}

TEST_CASE("end records in one another's comments are both told, the first one first") {
  const auto plain = archive_of({{.name = "a"}});
  const auto said = [](const std::string& bytes) { return words(directory_of(BytesFile(bytes)).problems()); };
  const auto in_comment = [&](std::size_t one, std::size_t other) {
    return "several-end-records: has end records at " + std::to_string(one) + " and " + std::to_string(other) +
           ", one in the comment of the other: readers differ in which they take\n";
  };
  // A mark in the comment that is no whole record is behind the one that is taken.
  const auto marked = archive_of({{.name = "a"}}, "see PK\5\6");
  CHECK(said(marked.bytes) == in_comment(marked.end, marked.bytes.size() - 4));
  CHECK(placed(directory_of(BytesFile(marked.bytes)).problems()) ==
        "several-end-records at " + std::to_string(marked.bytes.size() - 4) + "\n");
  // In front of the one that is taken, one whose comment ends where the file does.
  auto nested = archive_of({{.name = "a"}}, {}, "PK\5\6" + std::string(16, '\0') + n16(22));
  CHECK(said(nested.bytes).find(in_comment(nested.end - 22, nested.end)) != std::string::npos);
  nested.put(nested.end - 2, n16(21));
  CHECK(said(nested.bytes).find("several-end-records") == std::string::npos);
}

}  // namespace
}  // namespace cudald
