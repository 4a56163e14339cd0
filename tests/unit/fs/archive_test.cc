#include "fs/archive.h"

#include <string>

#include <doctest/doctest.h>

#include "fs/kept_file.h"
#include "unit/fs/scratch_folder.h"
#include "unit/fs/zip_builder.h"

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
    CAPTURE(mode);
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

}  // namespace
}  // namespace cudald
