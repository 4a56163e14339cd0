#include "rewrite/edit_zip.h"

#include "archive/archive.h"
#include "base/crc32.h"
#include "unit/archive/zip_builder.h"
#include "unit/rewrite/edited.h"

namespace cudald {
namespace {

/// New content that is stored, with its compressed bytes as they are.
NewMember content(const std::string& bytes) {
  return {{bytes.size(), {}, bytes}, bytes.size(), crc32_after(0, bytes), ""};
}

std::string member_text(const std::shared_ptr<const File>& file, const std::string& name) {
  const ZipArchive archive(file, directory_of(*file));
  const auto index = archive.directory().find(name);
  REQUIRE(index);
  const auto member = archive.open(*index, archive.status(*index), name);
  REQUIRE(member);
  CHECK_FALSE((*member)->verify());
  return bytes_of(**member);
}

std::shared_ptr<const File> edited_archive(const std::shared_ptr<const File>& old, const ZipEdits& edits) {
  auto pieces = edit_zip(*old, directory_of(*old), edits);
  if (!pieces) FAIL(pieces.error().message);
  return std::make_shared<NewFile>(old, std::move(*pieces));
}

TEST_CASE("a member gets other content, and all else stays as it is, byte by byte") {
  const auto zipped = archive_of({{.name = "a", .data = "first", .mode = 0100755},
                                  {.name = "b", .data = "second", .flags = 0x800, .extra = extra_field(0x5455, "time")},
                                  {.name = "c", .data = "third"}});
  const auto old = file_of(zipped.bytes);
  const auto made = edited_archive(old, {{1, content("longer content")}});
  const auto bytes = bytes_of(*made);
  CHECK(words(problems_of(bytes)) == "");
  CHECK(bytes.substr(0, zipped.local[1]) == zipped.bytes.substr(0, zipped.local[1]));
  CHECK(bytes.find(zipped.bytes.substr(zipped.local[2], zipped.directory - zipped.local[2])) != std::string::npos);
  CHECK(member_text(made, "b") == "longer content");
  const auto directory = directory_of(*made);
  REQUIRE(directory.members().size() == 3);
  CHECK(directory.members()[0].mode == 0100755);
  CHECK(directory.members()[1].flags == 0x800);
  CHECK(directory.members()[1].crc32 == crc32_after(0, std::string_view("longer content")));
  CHECK(bytes.find(extra_field(0x5455, "time")) != std::string::npos);
}

TEST_CASE("without a change the archive is the same; a member can be left out") {
  const auto old = file_of(two_members().bytes);
  CHECK(bytes_of(*edited_archive(old, {})) == bytes_of(*old));
  const auto made = edited_archive(old, {{0, std::nullopt}});
  const auto directory = directory_of(*made);
  REQUIRE(directory.members().size() == 1);
  CHECK(directory.members()[0].name == "pkg/b.so");
  CHECK(words(problems_of(bytes_of(*made))) == "");
}

TEST_CASE("a data descriptor stays with its member, and goes where the content is new") {
  const auto descriptor = "PK\7\10" + n32(any_crc) + n32(4) + n32(4);
  const auto old = file_of(archive_of({{.name = "a", .flags = zip_flag_descriptor, .behind = descriptor},
                                       {.name = "b", .flags = zip_flag_descriptor, .behind = descriptor}})
                               .bytes);
  const auto made = edited_archive(old, {{1, content("new")}});
  const auto bytes = bytes_of(*made);
  CHECK(words(problems_of(bytes)) == "");
  CHECK(directory_of(*made).members()[0].flags == zip_flag_descriptor);
  CHECK(directory_of(*made).members()[1].flags == 0);
  CHECK(bytes.find(descriptor) == bytes.rfind(descriptor));
}

TEST_CASE("sizes and places beyond 4 GB are in zip64 records") {
  constexpr auto large = std::uint64_t{5} << 30;
  const auto old = file_of(archive_of({{.name = "a"}, {.name = "b"}, {.name = "c"}}).bytes);
  // 5 GB of zeros, which are nowhere.
  const auto made = edited_archive(old, {{0, NewMember{{large, {}, ""}, large, 1, ""}}, {1, content("b")}});
  const auto directory = directory_of(*made);
  CHECK(words(directory.problems()) == "");
  REQUIRE(directory.members().size() == 3);
  CHECK(directory.members()[0].size == large);
  CHECK(directory.members()[0].compressed_size == large);
  CHECK(directory.members()[1].header_offset > large);
  CHECK(member_text(made, "b") == "b");
  const auto local = check_local_headers(*made, directory);
  REQUIRE(local);
  CHECK(words(*local) == "");
  // And back: what is small again has no zip64 records.
  CHECK(bytes_of(*edited_archive(made, {{0, content("data")}, {1, content("data")}})).size() < 1000);
}

TEST_CASE("more members than 16 bits count are in a zip64 record") {
  std::vector<ZipEntry> entries;
  for (int i = 0; i < 65'535; ++i) entries.push_back({.name = std::to_string(i), .data = ""});
  const auto built = archive_of(entries);
  // The same number in a zip64 end, as 0xffff asks for one.
  const auto end = "PK\6\6" + n64(44) + n16(45) + n16(45) + n64(0) + n64(65'535) + n64(65'535) +
                   n64(built.end - built.directory) + n64(built.directory) + "PK\6\7" + n32(0) + n64(built.end) +
                   n32(1);
  auto bytes = built.bytes;
  bytes.insert(built.end, end);
  const auto old = file_of(bytes);
  const auto made = edited_archive(old, {});
  CHECK(directory_of(*made).members().size() == 65'535);
  CHECK(words(problems_of(bytes_of(*made))) == "");
}

TEST_CASE("an archive in which readers may see different files is refused") {
  auto twice = archive_of({{.name = "a"}, {.name = "a"}});
  const auto refused = [](const std::string& bytes) {
    const auto file = file_of(bytes);
    const auto made = edit_zip(*file, directory_of(*file), {});
    return made ? "" : made.error().message;
  };
  CHECK(refused(twice.bytes) ==
        "the archive is not edited: `a` has the name of an earlier member, which pip does not see");
  auto other_name = two_members();
  other_name.put(other_name.local[1] + 30, "pkg/x.so");
  CHECK(refused(other_name.bytes).starts_with("the archive is not edited: `pkg/b.so`"));
}

}  // namespace
}  // namespace cudald
