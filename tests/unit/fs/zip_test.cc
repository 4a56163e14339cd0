#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <random>

#include "common/memory_file_system.h"
#include "fs/inflated_file.h"
#include "fs/zip_bytes.h"
#include "fs/zip_directory.h"
#include "package/package_tree.h"

namespace cudald {
namespace {

class MemoryFile final : public File {
 public:
  explicit MemoryFile(std::string bytes) : bytes_(std::move(bytes)) {
    status_.kind = FileKind::regular;
    status_.size = bytes_.size();
  }
  const FileStatus& status() const override { return status_; }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    largest_read = std::max(largest_read, into.size());
    if (offset >= bytes_.size()) return std::size_t{0};
    const auto length = std::min<std::size_t>(into.size(), bytes_.size() - offset);
    std::memcpy(into.data(), bytes_.data() + offset, length);
    return length;
  }
  void shrink(std::size_t size) { bytes_.resize(size); }

  mutable std::size_t largest_read = 0;

 private:
  std::string bytes_;
  FileStatus status_;
};

template <std::unsigned_integral T>
std::string number(T value) {
  std::string text;
  for (std::size_t i = 0; i < sizeof(T); ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}
std::string n16(std::size_t value) { return number(static_cast<std::uint16_t>(value)); }
std::string n32(std::size_t value) { return number(static_cast<std::uint32_t>(value)); }
std::string n64(std::size_t value) { return number(static_cast<std::uint64_t>(value)); }

std::string extra_field(std::size_t id, const std::string& content) { return n16(id) + n16(content.size()) + content; }

/// What the two headers of a member say; the same in both unless told otherwise.
struct Entry {
  std::string name, data = "data";
  std::uint16_t method = 0, flags = 0;
  std::uint32_t mode = 0100644;
  std::string extra = {}, local_extra = {};  // NOLINT(readability-redundant-member-init)
  std::optional<std::size_t> size = std::nullopt, compressed_size = std::nullopt, offset = std::nullopt;
  std::string behind = {};  // NOLINT(readability-redundant-member-init): bytes behind the data
};

constexpr std::uint32_t any_crc = 0x12345678;

struct Archive {
  std::string bytes;
  std::vector<std::size_t> local, central;
  std::size_t directory = 0, end = 0;

  void put(std::size_t at, const std::string& text) { bytes.replace(at, text.size(), text); }
};

Archive archive_of(const std::vector<Entry>& entries, const std::string& comment = {},
                   const std::string& before_end = {}) {
  Archive archive;
  auto& out = archive.bytes;
  for (const auto& entry : entries) {
    archive.local.push_back(out.size());
    out += "PK\3\4" + n16(20) + n16(entry.flags) + n16(entry.method) + n32(0) + n32(any_crc);
    out += n32(entry.compressed_size.value_or(entry.data.size())) + n32(entry.size.value_or(entry.data.size()));
    out += n16(entry.name.size()) + n16(entry.local_extra.size()) + entry.name + entry.local_extra;
    out += entry.data + entry.behind;
  }
  archive.directory = out.size();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& entry = entries[i];
    archive.central.push_back(out.size());
    out += "PK\1\2" + n16(0x314) + n16(20) + n16(entry.flags) + n16(entry.method) + n32(0) + n32(any_crc);
    out += n32(entry.compressed_size.value_or(entry.data.size())) + n32(entry.size.value_or(entry.data.size()));
    out += n16(entry.name.size()) + n16(entry.extra.size()) + n16(0) + n16(0) + n16(0);
    out += n32(entry.mode << 16) + n32(entry.offset.value_or(archive.local[i])) + entry.name + entry.extra;
  }
  const auto size = out.size() - archive.directory;
  out += before_end;
  archive.end = out.size();
  out += "PK\5\6" + n16(0) + n16(0) + n16(entries.size()) + n16(entries.size()) + n32(size);
  out += n32(archive.directory) + n16(comment.size()) + comment;
  return archive;
}

Archive two_members() { return archive_of({{.name = "pkg/a.so"}, {.name = "pkg/b.so", .method = 8}}); }

ZipDirectory directory_of(const File& file, const InflateLimits& limits = {}) {
  auto directory = read_zip_directory(file, limits);
  REQUIRE(directory.has_value());
  return std::move(*directory);
}

ZipProblems problems_of(const std::string& bytes) {
  const MemoryFile file(bytes);
  const auto directory = directory_of(file);
  auto problems = directory.problems();
  const auto local = check_local_headers(file, directory);
  REQUIRE(local.has_value());
  problems.add(*local);
  return problems;
}

std::string words(const ZipProblems& problems) {
  std::string text;
  for (const auto& problem : problems.kept())
    text += std::string(to_string(problem.kind)) + ": " + problem.message + "\n";
  return text;
}

TEST_CASE("a healthy archive has members and no problem") {
  const auto archive = archive_of({{.name = "pkg/", .data = "", .mode = 0040755},
                                   {.name = "pkg/a.so", .data = "0123456789", .mode = 0100755},
                                   {.name = "pkg/\xc3\xa9", .flags = 0x800}});
  const MemoryFile file(archive.bytes);
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

TEST_CASE("an empty archive and a comment are no problem") {
  CHECK(words(problems_of(archive_of({}).bytes)).empty());
  CHECK(words(problems_of(archive_of({{.name = "a"}}, "made by hand").bytes)).empty());
  CHECK(words(problems_of(archive_of({{.name = "a"}}, std::string(65535, 'c')).bytes)).empty());
}

TEST_CASE("members are found by their exact name, of several the last") {
  const auto archive = archive_of({{.name = "b"}, {.name = "a/x"}, {.name = "B"}, {.name = "b"}, {.name = "./b"}});
  const auto directory = directory_of(MemoryFile(archive.bytes));
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
  std::vector<Entry> entries;
  for (int i = 0; i < 3000; ++i) entries.push_back({.name = "Pkg/sub" + std::to_string(i * 7919 % 3000) + "/lib.so"});
  const auto archive = archive_of(entries);
  const auto directory = directory_of(MemoryFile(archive.bytes));
  for (std::size_t i = 0; i < entries.size(); ++i) REQUIRE(directory.find(entries[i].name) == i);
}

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

TEST_CASE("zip64 values are taken from the extra field, exactly those that are asked for") {
  const auto sentinel = std::size_t{zip64_instead_32};
  auto archive = archive_of({{.name = "a",
                              .extra = extra_field(1, n64(4) + n64(4) + n64(0)),
                              .local_extra = extra_field(1, n64(4) + n64(4)),
                              .size = sentinel,
                              .compressed_size = sentinel,
                              .offset = sentinel}});
  const auto directory = directory_of(MemoryFile(archive.bytes));
  CHECK(words(problems_of(archive.bytes)).empty());
  CHECK(directory.members()[0].size == 4);
  CHECK(directory.members()[0].header_offset == 0);
}

std::string zip64_end(std::size_t count, std::size_t size, std::size_t offset, std::size_t length = 44) {
  return "PK\6\6" + n64(length) + n16(45) + n16(45) + n32(0) + n32(0) + n64(count) + n64(count) + n64(size) +
         n64(offset);
}

std::string zip64_locator(std::size_t offset) { return "PK\6\7" + n32(0) + n64(offset) + n32(1); }

/// Two members, and an end in zip64.
Archive zip64_archive(std::size_t length = 44, std::size_t locator_shift = 0) {
  const auto plain = two_members();
  const auto size = plain.end - plain.directory;
  auto archive = archive_of({{.name = "pkg/a.so"}, {.name = "pkg/b.so", .method = 8}}, {},
                            zip64_end(2, size, plain.directory, length) + zip64_locator(plain.end + locator_shift));
  archive.put(archive.end + 8, n16(0xffff) + n16(0xffff) + n32(0xffffffff) + n32(0xffffffff));
  return archive;
}

TEST_CASE("a zip64 end record counts") {
  const auto archive = zip64_archive();
  CHECK(words(problems_of(archive.bytes)).empty());
  CHECK(directory_of(MemoryFile(archive.bytes)).members().size() == 2);
}

// --- one fault each -----------------------------------------------------------------------------

struct Fault {
  std::string name;
  std::function<std::string()> bytes;
  ZipProblemKind kind;
  std::string said;  // part of the message
  bool fatal = false;
};

std::string patched(Archive archive, std::size_t at, const std::string& text) {
  archive.put(at, text);
  return archive.bytes;
}

std::string named(const std::string& name, std::uint16_t flags = 0) {
  return archive_of({{.name = "pkg/a.so"}, {.name = name, .flags = flags}}).bytes;
}

std::vector<Fault> faults() {
  using K = ZipProblemKind;
  const auto two = two_members();
  const auto at_end = [two](std::size_t field, const std::string& text) {
    return [=] { return patched(two, two.end + field, text); };
  };
  const auto at_central = [two](std::size_t field, const std::string& text) {
    return [=] { return patched(two, two.central[1] + field, text); };
  };
  const auto at_local = [two](std::size_t field, const std::string& text) {
    return [=] { return patched(two, two.local[1] + field, text); };
  };
  const auto name_of = [](const std::string& name, std::uint16_t flags = 0) {
    return [=] { return named(name, flags); };
  };
  const auto with = [](const Entry& entry) {
    return [=] { return archive_of({{.name = "pkg/a.so"}, entry, {.name = "pkg/z.so"}}).bytes; };
  };
  const auto two_names = [](const std::string& one, const std::string& other) {
    return [=] { return archive_of({{.name = one}, {.name = other}}).bytes; };
  };
  using namespace std::string_literals;

  return {
      {"empty file", [] { return ""s; }, K::not_a_zip, "no zip archive", true},
      {"text", [] { return "<!DOCTYPE html>"s; }, K::not_a_zip, "no zip archive", true},
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
      {"member of another volume", at_central(34, n16(3)), K::several_volumes, "volume 4"},
      {"count too high", at_end(8, n16(3) + n16(3)), K::directory_count, "2 members in its directory, and 3 by"},
      {"count too low", at_end(8, n16(1) + n16(1)), K::directory_count, "2 members in its directory, and 1 by"},
      {"directory too large", at_end(12, n32(0x7fffffff)), K::directory_size, "2147483647 bytes", true},
      {"directory too small", at_end(12, n32(10)), K::directory_size, "does not reach its end", true},
      {"directory elsewhere", at_end(12, n32(3) + n32(9)), K::directory_place, "it is not there", true},
      {"directory too late", at_end(16, n32(two.directory + 9)), K::directory_place, "and really at", true},
      {"directory outside", at_end(16, n32(0xfffffff0)), K::directory_place, "4294967280", true},
      {"broken record", at_central(0, "QK"), K::directory_record, "broken behind member 1", true},
      {"record beyond the directory", at_central(28, n16(5000)), K::directory_record, "within record 2", true},

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
       "runs into what lies at"},
      {"stored in two sizes", [two] { return patched(two, two.central[0] + 24, n32(5)); }, K::stored_size,
       "5 bytes outside and 4 in the archive"},
      {"ratio beyond deflate", at_central(24, n32(4132)), K::impossible_ratio, "1032:1"},
      {"something out of nothing", at_central(20, n32(0) + n32(1)), K::impossible_ratio, "from 0 to 1"},
      {"symbolic link", with({.name = "b", .mode = 0120777}), K::symlink, "symbolic link"},
      {"FIFO", with({.name = "b", .mode = 0010644}), K::special_file, "FIFO"},
      {"device", with({.name = "b", .mode = 0020644}), K::special_file, "device"},
      {"folder by its mode", with({.name = "b", .mode = 0040755}), K::file_and_folder, "a folder by its mode"},
      {"folder with data", with({.name = "b/", .mode = 0040755}), K::folder_with_data, "4 bytes of data"},
      {"encrypted", with({.name = "b", .flags = 1}), K::encrypted, "is encrypted"},
      {"strongly encrypted", with({.name = "b", .flags = 0x41}), K::encrypted, "is encrypted"},
      {"later version", at_central(6, "\xff"), K::version_needed, "version 25.5"},
      {"compressed patch", with({.name = "b", .flags = 0x20}), K::unsupported_method, "compressed patch"},
      {"LZMA", with({.name = "b", .method = 14}), K::unsupported_method, "method 14"},

      {"no name", name_of(""), K::name_empty, "has no name"},
      {"NUL in the name", name_of("a.txt\0.so"s), K::name_control, "NUL"},
      {"newline in the name", name_of("a\nb"), K::name_control, "control character"},
      {"DEL in the name", name_of("a\x7f"), K::name_control, "control character"},
      {"absolute", name_of("/etc/passwd"), K::name_absolute, "absolute"},
      {"absolute with backslashes", name_of("\\\\server\\x"), K::name_absolute, "absolute"},
      {"drive", name_of("C:/x"), K::name_drive, "drive letter"},
      {"upwards", name_of("pkg/../../x"), K::name_parent, "`..`"},
      {"upwards at the end", name_of("pkg/.."), K::name_parent, "`..`"},
      {"upwards with backslashes", name_of("pkg\\..\\x"), K::name_parent, "`..`"},
      {"backslash", name_of("pkg\\x"), K::name_backslash, "backslash"},
      {"broken UTF-8", name_of("a\xff", 0x800), K::name_encoding, "which it is not"},
      {"Latin-1", name_of("a\xe9"), K::name_encoding, "code page 437"},
      {"long part", name_of("pkg/" + std::string(256, 'n')), K::name_too_long, "over 255 bytes"},
      {"long name", name_of(std::string(5000, 'n')), K::name_too_long, "5000 bytes"},
      {"twice", two_names("a", "a"), K::duplicate_name, "earlier member"},
      {"twice, one with an empty part", two_names("a/b", "a//b"), K::duplicate_name, "same file as"},
      {"twice, one with a dot", two_names("./a", "a"), K::duplicate_name, "same file as"},
      {"twice but for case", two_names("a/B.so", "A/b.so"), K::duplicate_ignoring_case, "upper and lower case"},
      {"file and folder", two_names("a", "a/b"), K::file_and_folder, "is a file, and the folder of `a/b`"},
      {"file and folder entry", [] { return archive_of({{.name = "a"}, {.name = "a/", .data = ""}}).bytes; },
       K::file_and_folder, "only one of them is a folder"},
      {"file and folder but for case", two_names("A", "a/b"), K::duplicate_ignoring_case, "the folder of `a/b`"},

      {"no local header", at_local(0, "PX"), K::local_header, "no local header"},
      {"local name", at_local(30 + 4, "c"), K::local_name, "named `pkg/c.so` by its local header"},
      {"local method", at_local(8, n16(0)), K::local_method, "method 0 for its local header"},
      {"local size", at_local(22, n32(9)), K::local_sizes, "has 9 bytes, 4 compressed, for its local header"},
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

TEST_CASE("each fault has its own problem") {
  for (const auto& fault : faults()) {
    CAPTURE(fault.name);
    const auto problems = problems_of(fault.bytes());
    CAPTURE(words(problems));
    CHECK(problems.count(fault.kind) > 0);
    CHECK(problems.any_fatal() == fault.fatal);
    CHECK(std::any_of(problems.kept().begin(), problems.kept().end(), [&](const ZipProblem& problem) {
      return problem.kind == fault.kind && problem.message.find(fault.said) != std::string::npos;
    }));
    // What is only said of one thing must not bring others with it; a lie about sizes or places may.
    if (!fault.fatal) CHECK(problems.kept().size() <= 4);
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
    const MemoryFile file(rows[row].first);
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

TEST_CASE("a prefix shifts all offsets, as Python has it") {
  const auto archive = archive_of({{.name = "a", .data = "wanted"}});
  const auto bytes = "0123456" + archive.bytes;
  const MemoryFile file(bytes);
  const auto directory = directory_of(file);
  CHECK(directory.prefix() == 7);
  const auto data = find_member_data(file, directory, 0);
  REQUIRE(data.has_value());
  CHECK(data->usable);
  CHECK(bytes.substr(data->offset, 6) == "wanted");
}

TEST_CASE("bombs are told by what they say of themselves") {
  const auto sentinel = std::size_t{zip64_instead_32};
  const auto of_size = [&](std::size_t compressed, std::size_t size, std::size_t count) {
    std::vector<Entry> entries;
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
  CHECK_FALSE(directory_of(MemoryFile(of_size(1 << 20, gib, 6))).members()[0].usable);
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
    const auto directory = directory_of(MemoryFile(bytes), row.limits);
    std::string usable;
    for (const auto& member : directory.members())
      if (member.usable) usable += member.name;
    CHECK(usable == row.usable);
    CHECK(words(directory.problems()).starts_with(row.said));
    CHECK(directory.problems().empty() == row.said.empty());
    for (const auto& problem : directory.problems().kept()) CHECK(risk_of(problem.kind) == ZipRisk::beyond_limits);
  }
}

// --- members as files ---------------------------------------------------------------------------

/// Deflated without being compressed: RFC 1951, 3.2.4.
std::string deflated(std::string_view data) {
  constexpr std::size_t longest = 0xffff;
  std::string out;
  do {
    const auto part = data.substr(0, longest);
    data.remove_prefix(part.size());
    out += static_cast<char>(data.empty());
    out += n16(part.size()) + n16(~part.size() & 0xffff);
    out += part;
  } while (!data.empty());
  return out;
}

constexpr std::uint32_t crc32_of_digits = 0xcbf43926;  // the check value of CRC-32, of "123456789"

std::unique_ptr<File> inflated(const std::string& compressed, std::size_t size, std::uint32_t crc32) {
  auto archive = std::make_shared<MemoryFile>("in front" + compressed + "behind");
  return make_inflated_file(archive, {8, compressed.size(), size, crc32}, {}, "x.so");
}

TEST_CASE("a member is what its directory entry says, or damaged") {
  const auto good = deflated("123456789");
  auto broken = good;
  broken[1] = 'x';
  struct Row {
    std::string compressed;
    std::size_t size;
    std::uint32_t crc32;
    std::string said;
  };
  const std::vector<Row> rows = {
      {good, 9, crc32_of_digits, ""},
      {deflated(""), 0, 0, ""},
      {good, 9, 1, "its bytes do not match their checksum (CRC-32)"},
      {good.substr(0, 8), 9, crc32_of_digits, "its compressed bytes end too early"},
      {"", 9, crc32_of_digits, "its compressed bytes end too early"},
      {good, 10, crc32_of_digits, "it inflates to fewer bytes than its directory entry says"},
      {deflated("123456789x"), 9, crc32_of_digits, "it inflates to more bytes than its directory entry says"},
      {broken, 9, crc32_of_digits, "its compressed bytes are damaged"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.said);
    const auto file = inflated(row.compressed, row.size, row.crc32);
    for (int again = 0; again < 2; ++again) {
      const auto error = file->verify();
      REQUIRE(error.has_value() == !row.said.empty());
      if (!error) continue;
      CHECK(error->message == row.said);
      CHECK(error->code == ErrorCode::malformed);
      CHECK(error->path == "x.so");
    }
  }
}

TEST_CASE("a member is read at any place") {
  std::string data(std::size_t{20} << 20, '\0');
  for (std::size_t i = 0; i < data.size(); i += 1000) data[i] = static_cast<char>(i / 1000);
  const auto file = inflated(deflated(data), data.size(), 0);
  const auto piece = [&](std::size_t at) {
    std::string text(3000, '\0');
    const auto got = file->read(at, std::as_writable_bytes(std::span(text)));
    REQUIRE(got.has_value());
    return text.substr(0, *got);
  };
  for (const std::size_t at : {0, 19 << 20, 5 << 20, 262143, 12 << 20, (20 << 20) - 10, 20 << 20}) {
    CAPTURE(at);
    CHECK(piece(at) == data.substr(at, 3000));
  }
}

TEST_CASE("to and fro in a member has an end") {
  const std::size_t size = std::size_t{20} << 20;
  const auto file = inflated(deflated(std::string(size, '\0')), size, 0);
  std::byte byte{};
  std::optional<Error> error;
  for (int round = 0; round < 20 && !error; ++round)
    for (std::size_t at = size; at > std::size_t{4} << 20 && !error; at -= std::size_t{1} << 18)
      if (const auto got = file->read(at - 1, {&byte, 1}); !got) error = got.error();
  REQUIRE(error.has_value());
  CHECK(error->code == ErrorCode::limit);
  CHECK(file->verify().has_value());
}

TEST_CASE("a stored file is held against its checksum") {
  CHECK_FALSE(check_crc32(MemoryFile("123456789"), crc32_of_digits, "x").has_value());
  const auto error = check_crc32(MemoryFile("123456780"), crc32_of_digits, "x");
  REQUIRE(error.has_value());
  CHECK(error->message == "its bytes do not match their checksum (CRC-32)");
}

TEST_CASE("an archive that cannot be installed does not shift the numbers of the others") {
  MemoryFileSystem base;
  base.add_file("/good.whl", archive_of({{.name = "pkg/liba.so", .data = std::string(60, 'x')}}).bytes);
  base.add_file("/late.whl", archive_of({{.name = "pkg/libb.so", .data = std::string(60, 'x')}}).bytes);
  base.add_file("/empty.whl", archive_of({}).bytes);
  base.add_file("/page.whl", "<!DOCTYPE html>");
  auto broken = two_members();
  broken.put(broken.central[0], "QK");
  base.add_file("/broken.whl", "in front" + broken.bytes + "behind");

  PackageTree tree(base);
  const InflateLimits limits{100, 100, 10};
  const auto failure = [&](const std::string& path) {
    const auto number = tree.install(path, limits);
    return number ? "" : number.error().message;
  };
  CHECK(failure("/absent.whl") == "No such file or directory");
  CHECK(failure("/page.whl") == "is no zip archive");
  CHECK(failure("/broken.whl") != "");
  CHECK(failure("/empty.whl") == "is an empty archive, so no wheel");
  const auto good = tree.install("/good.whl", limits);
  REQUIRE(good.has_value());
  REQUIRE(tree.packages().size() > *good);
  CHECK(tree.packages()[*good].archive == "/good.whl");
  const auto path = std::string(PackageTree::site_packages) + "/pkg/liba.so";
  REQUIRE(tree.package_of(path) != nullptr);
  CHECK(tree.package_of(path)->archive == "/good.whl");
  CHECK(tree.shown(path) == "good.whl!/pkg/liba.so");
  CHECK(tree.name_in_archive(*good, 0) == "good.whl!/pkg/liba.so");
  CHECK(tree.name_in_archive(*good, std::nullopt) == "good.whl");
  CHECK(tree.status(path)->size == 60);

  // What else is wrong with an archive that cannot be installed is known; the error tells what is fatal.
  const auto& packages = tree.packages();
  const auto told =
      std::find_if(packages.begin(), packages.end(), [](const Package& p) { return p.archive == "/broken.whl"; });
  REQUIRE(told != packages.end());
  CHECK(told->problems.count(ZipProblemKind::trailing_data) == 1);
  CHECK_FALSE(told->problems.any_fatal());

  // The limit is on all archives together.
  const auto late = tree.install("/late.whl", limits);
  REQUIRE(late.has_value());
  CHECK(tree.packages()[*late].problems.count(ZipProblemKind::over_total) == 1);
  CHECK(tree.packages()[*late].libraries.empty());
}

TEST_CASE("a million problems of a kind are counted, and a few are told") {
  std::vector<Entry> entries(5000, Entry{.name = "same", .data = ""});
  const auto problems = problems_of(archive_of(entries).bytes);
  CHECK(problems.count(ZipProblemKind::duplicate_name) == 4999);
  CHECK(problems.kept().size() == ZipProblems::most_kept_of_a_kind);
  ZipProblems sum;
  sum.add(problems);
  sum.add(problems);
  CHECK(sum.count(ZipProblemKind::duplicate_name) == 2 * 4999);
  CHECK(sum.kept().size() == ZipProblems::most_kept_of_a_kind);
}

TEST_CASE("nothing is allocated for what is only stated") {
  auto archive = zip64_archive();
  const auto zip64 = archive.end - zip64_locator_bytes - zip64_end_bytes;
  archive.put(zip64 + 24, n64(std::size_t{1} << 60) + n64(std::size_t{1} << 60));  // the count
  const MemoryFile file(archive.bytes);
  const auto directory = directory_of(file);
  CHECK(directory.members().size() == 2);
  CHECK(directory.problems().count(ZipProblemKind::directory_count) == 1);
  CHECK(file.largest_read <= archive.bytes.size());
}

TEST_CASE("more members than the limit are not looked at, and that is said") {
  Archive archive = archive_of({{.name = "a", .data = ""}});
  const auto record = archive.bytes.substr(archive.directory, archive.end - archive.directory);
  std::string directory;
  for (std::size_t i = 0; i <= most_zip_members; ++i) directory += record;
  auto bytes = archive.bytes.substr(0, archive.directory) + directory + archive.bytes.substr(archive.end);
  const auto end = archive.directory + directory.size();
  bytes.replace(end + 12, 4, n32(directory.size()));
  const auto read = directory_of(MemoryFile(bytes));
  CHECK(read.members().size() == most_zip_members);
  CHECK(read.problems().count(ZipProblemKind::too_many_members) == 1);
  CHECK(read.problems().any_fatal());
}

TEST_CASE("folders of too great depth are not looked at, and that is said") {
  std::string deep;
  for (int i = 0; i < 2000; ++i) deep += "/x";
  std::vector<Entry> apart(100), together(100);
  for (std::size_t i = 0; i < 100; ++i) {
    apart[i].name = std::to_string(i) + deep;
    together[i].name = "0" + deep + "/" + std::to_string(i);
  }
  const auto read = directory_of(MemoryFile(archive_of(apart).bytes));
  CHECK(read.members().size() < 20);
  CHECK(read.problems().count(ZipProblemKind::too_many_members) == 1);
  CHECK(read.problems().any_fatal());
  CHECK(directory_of(MemoryFile(archive_of(together).bytes)).members().size() == 100);
}

TEST_CASE("a file that shrinks while it is read is an error, not a crash") {
  const auto archive = two_members();
  MemoryFile file(archive.bytes);
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
    const MemoryFile file(bytes);
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

TEST_CASE("every kind has a name of its own and a risk") {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < zip_problem_kinds; ++i) {
    const auto kind = static_cast<ZipProblemKind>(i);
    names.push_back(to_string(kind));
    CHECK_FALSE(names.back().empty());
    CHECK(risk_of(kind) <= ZipRisk::beyond_limits);
  }
  std::sort(names.begin(), names.end());
  CHECK(std::unique(names.begin(), names.end()) == names.end());
  CHECK(to_string(ZipProblemKind::data_descriptor) == "data-descriptor");
  CHECK(to_string(ZipProblemKind::damaged) == "damaged");
  CHECK(to_string(ZipProblemKind::over_ratio) == "over-ratio");
  CHECK(to_string(ZipProblemKind::over_total) == "over-total");
  CHECK(to_string(ZipProblemKind::symlink) == "symlink");
  CHECK(to_string(ZipProblemKind::name_parent) == "name-parent");
  CHECK(risk_of(ZipProblemKind::name_parent) == ZipRisk::unsafe);
  CHECK(risk_of(ZipProblemKind::duplicate_name) == ZipRisk::disagreement);
  CHECK(risk_of(ZipProblemKind::unsupported_method) == ZipRisk::beyond_limits);
}

}  // namespace
}  // namespace cudald
