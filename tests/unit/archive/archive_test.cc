#include "archive/archive.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "archive/names_only.h"
#include "cache/cached_file.h"
#include "unit/archive/zip_builder.h"
#include "unit/tree/scratch_folder.h"

namespace cudald {
namespace {

/// "data" as deflate stores it.
const std::string stored_by_deflate = std::string("\x01\x04\x00\xfb\xff", 5) + "data";

ZipArchive archive_with(const std::vector<ZipEntry>& entries) {
  const auto file = std::make_shared<BytesFile>(archive_of(entries).bytes);
  return {file, directory_of(*file)};
}

std::string content_of(const File& file) {
  std::string text(100, '?');
  const auto got = file.read(0, std::as_writable_bytes(std::span(text)));
  return got ? text.substr(0, *got) : got.error().message;
}

TEST_CASE("what a member is, by its mode: who may run it, and what is no file") {
  struct Row {
    std::uint32_t mode;
    FileKind kind;
    bool executable;
  };
  for (const auto& [mode, kind, executable] : {
           Row{0100644, FileKind::regular, false},
           Row{0100755, FileKind::regular, true},
           Row{0100100, FileKind::regular, true},
           Row{0100010, FileKind::regular, true},
           Row{0100001, FileKind::regular, true},
           Row{0, FileKind::regular, false},
           Row{0120777, FileKind::other, true},
       }) {
    const auto& seen_mode = mode;
    CAPTURE(seen_mode);
    const auto archive = archive_with({{.name = "a", .mode = mode}});
    const auto status = archive.status(0);
    CHECK(status.kind == kind);
    CHECK(status.size == 4);
    CHECK(status.executable == executable);
    CHECK(archive.name(0) == "a");
  }
}

TEST_CASE("members that are stored and deflated are read, of the latter as a stream") {
  const auto archive = archive_with(
      {{.name = "a"},
       {.name = "b", .data = stored_by_deflate, .method = 8, .size = 4, .compressed_size = stored_by_deflate.size()}});
  for (const std::size_t member : {0, 1}) {
    CAPTURE(member);
    const auto file = archive.open(member, archive.status(member), "x.whl!/a");
    REQUIRE(file);
    CHECK(content_of(**file) == "data");
    CHECK((*file)->status().size == 4);
    CHECK((*file)->is_stream() == (member == 1));
  }
}

TEST_CASE("a member whose place cannot be trusted is not read, and that is told with the place") {
  const auto archive = archive_with({{.name = "a"}, {.name = "b", .method = 99}});
  const auto file = archive.open(1, archive.status(1), "x.whl!/b");
  REQUIRE_FALSE(file);
  CHECK(file.error().code == ErrorCode::malformed);
  CHECK(file.error().message == "its place in the archive cannot be trusted");
  CHECK(file.error().path == "x.whl!/b");
  CHECK(file.error().offset == archive.directory().members()[1].header_offset);
}

TEST_CASE("of an archive that is kept members are kept as they come out, and the next run opens nothing") {
  const ScratchFolder folder;
  const auto built = archive_of(
      {{.name = "a"},
       {.name = "b", .data = stored_by_deflate, .method = 8, .size = 4, .compressed_size = stored_by_deflate.size()}});
  for (const bool second : {false, true}) {
    CAPTURE(second);
    int opened = 0;
    const auto kept = KeptArchive::open(folder / "entry", "key");
    const auto itself = std::make_shared<BytesFile>(built.bytes);
    const auto file = std::make_shared<KeptFile>(kept, 0, itself->status(), false, [&] {
      ++opened;
      return Result<std::shared_ptr<const File>>(itself);
    });
    const ZipArchive archive(file, directory_of(*file));
    for (const std::size_t member : {0, 1}) {
      const auto read = archive.open(member, archive.status(member), "b");
      REQUIRE(read);
      CHECK((*read)->is_stream() == (member == 1));
      CHECK(content_of(**read) == "data");
    }
    CHECK(opened == (second ? 0 : 1));
    kept->set_size(built.bytes.size());
    CHECK(kept->save());
  }
}

/// A member in blocks that deflate stores, each with its number at its front.
ZipEntry numbered_blocks(const std::string& name, std::size_t blocks) {
  constexpr std::size_t size = 0x8000;
  ZipEntry entry{.name = name, .data = {}, .method = 8, .size = blocks * size};
  for (std::size_t i = 0; i < blocks; ++i) {
    entry.data += static_cast<char>(i + 1 == blocks);
    entry.data += n16(size) + n16(~size & 0xffff) + n64(i) + std::string(size - 8, '.');
  }
  entry.compressed_size = entry.data.size();
  return entry;
}

TEST_CASE("whoever opens a large member again goes on where others came by") {
  constexpr std::size_t blocks = 640, block = 0x8000;
  const auto file =
      std::make_shared<BytesFile>(archive_of({numbered_blocks("a.so", blocks), numbered_blocks("b.so", blocks)}).bytes);
  const ZipArchive archive(file, directory_of(*file));
  const auto number_at = [&](std::size_t member, std::size_t number) {
    const auto opened = archive.open(member, archive.status(member), "x");
    REQUIRE(opened);
    std::string text(8, '?');
    const auto got = (*opened)->read(number * block, std::as_writable_bytes(std::span(text)));
    REQUIRE(got);
    return text;
  };
  for (const std::size_t member : {0, 1}) CHECK(number_at(member, blocks - 1) == n64(blocks - 1));
  for (const std::size_t at : {blocks - 1, std::size_t{600}, std::size_t{300}, std::size_t{0}})
    for (const std::size_t member : {0, 1}) {
      CAPTURE(at);
      const auto before = file->bytes_read;
      CHECK(number_at(member, at) == n64(at));
      CHECK(file->bytes_read - before < std::size_t{9} << 20);
    }
}

/// As compressors deflate it, with codes of its own in each block.
std::string compressed(std::string& data) {
  std::string out(data.size() + 1024, '\0');
  std::string buffer(ISAL_DEF_LVL1_DEFAULT, '\0');
  const auto stream = std::make_unique<isal_zstream>();
  isal_deflate_init(stream.get());
  stream->level = 1;
  stream->level_buf = reinterpret_cast<std::uint8_t*>(buffer.data());
  stream->level_buf_size = static_cast<std::uint32_t>(buffer.size());
  stream->end_of_stream = 1;
  stream->next_in = reinterpret_cast<std::uint8_t*>(data.data());
  stream->avail_in = static_cast<std::uint32_t>(data.size());
  stream->next_out = reinterpret_cast<std::uint8_t*>(out.data());
  stream->avail_out = static_cast<std::uint32_t>(out.size());
  REQUIRE(isal_deflate(stream.get()) == COMP_OK);
  REQUIRE(stream->internal_state.state == ZSTATE_END);
  return out.substr(0, stream->total_out);
}

TEST_CASE("what is inflated on from a point is what lies there, in members of any size") {
  for (const std::size_t size : {std::size_t{9} << 20, (std::size_t{66} << 20) + 12345}) {
    CAPTURE(size);
    std::string data;
    data.reserve(size + 64);
    for (std::uint32_t i = 0; data.size() < size; ++i) {
      data += std::to_string(i * 2654435761U);
      if (i % 7 == 0) data.append(data, data.size() - std::min<std::size_t>(data.size(), 1 + i % 30000), 40);
    }
    data.resize(size);
    ZipEntry entry{.name = "a.so", .data = compressed(data), .method = 8, .size = size};
    entry.compressed_size = entry.data.size();
    const auto archive = archive_with({entry});
    std::string text(3000, '?');
    for (const std::size_t at : {size - 1000, size / 2, size - (size >> 4), size / 5, std::size_t{3} << 20, size / 2}) {
      CAPTURE(at);
      const auto file = archive.open(0, archive.status(0), "x");
      REQUIRE(file);
      const auto got = (*file)->read(at, std::as_writable_bytes(std::span(text)));
      REQUIRE(got);
      CHECK((text.substr(0, *got) == data.substr(at, 3000)));
    }
  }
}

TEST_CASE("files of which only the names are known are regular and hold nothing") {
  const NamesOnly names({"a/b.py", "c.so"});
  CHECK(names.name(0) == "a/b.py");
  CHECK(names.name(1) == "c.so");
  const auto status = names.status(1);
  CHECK(status.kind == FileKind::regular);
  CHECK(status.size == 0);
  const auto file = names.open(1, status, "/c.so");
  REQUIRE(file);
  CHECK((*file)->status() == status);
  CHECK(content_of(**file).empty());
}

}  // namespace
}  // namespace cudald
