#include "cache/cached_file.h"

#include <cstring>

#include <doctest/doctest.h>

#include "base/crc32.h"
#include "unit/tree/scratch_folder.h"

namespace cudald {
namespace {

/// A stream in memory that counts its reads.
class CountedFile final : public File {
 public:
  explicit CountedFile(std::string bytes) : text(std::move(bytes)) {
    status_.kind = FileKind::regular;
    status_.size = text.size();
  }
  const FileStatus& status() const override { return status_; }
  bool is_stream() const override { return true; }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    ++reads;
    if (fault) return *fault;
    const auto length = std::min<std::size_t>(into.size(), text.size() - offset);
    std::memcpy(into.data(), text.data() + offset, length);
    return length;
  }
  std::optional<Error> verify() const override {
    ++reads;
    return fault;
  }

  std::string text;
  std::optional<Error> fault;
  mutable int reads = 0;

 private:
  FileStatus status_;
};

struct Kept {
  std::shared_ptr<CountedFile> itself = std::make_shared<CountedFile>("0123456789");
  std::shared_ptr<KeptArchive> archive;
  std::unique_ptr<KeptFile> file;
  int opened = 0;

  explicit Kept(const std::string& path) : archive(KeptArchive::open(path, "key")) {
    archive->set_size(10);
    file = std::make_unique<KeptFile>(archive, 4, itself->status(), true, [this] {
      ++opened;
      return Result<std::shared_ptr<const File>>(itself);
    });
  }
};

std::string text_of(const File& file, std::uint64_t offset, std::size_t size) {
  std::string text(size, '?');
  const auto got = file.read(offset, std::as_writable_bytes(std::span(text)));
  return got ? text.substr(0, *got) : got.error().message;
}

TEST_CASE("what was read once is read from what is kept, and the file is not opened for it") {
  const ScratchFolder folder;
  {
    Kept kept(folder / "entry");
    CHECK(text_of(*kept.file, 2, 3) == "234");
    CHECK(text_of(*kept.file, 8, 9) == "89");
    CHECK(text_of(*kept.file, 10, 1) == "");
    CHECK_FALSE(kept.file->verify());
    CHECK_FALSE(kept.file->has_passed());
    kept.file->note_passed();
    CHECK(kept.file->kept() == kept.file.get());
    CHECK(kept.archive->save());
  }
  Kept kept(folder / "entry");
  CHECK(text_of(*kept.file, 3, 2) == "34");
  CHECK(text_of(*kept.file, 8, 9) == "89");
  CHECK_FALSE(kept.file->verify());
  CHECK(kept.file->has_passed());
  CHECK(kept.file->is_stream());
  CHECK(kept.opened == 0);
  CHECK(text_of(*kept.file, 3, 3) == "345");
  CHECK(kept.opened == 1);
}

TEST_CASE("what goes by without being kept is asked of the file itself") {
  const ScratchFolder folder;
  Kept kept(folder / "entry");
  CHECK(text_of(kept.file->passing(), 0, 10) == "0123456789");
  CHECK(kept.file->passing().is_stream());
  const auto reads = kept.itself->reads;
  CHECK(text_of(*kept.file, 0, 2) == "01");
  CHECK(kept.itself->reads == reads + 1);
}

TEST_CASE("of a file that cannot be read, nothing is kept: the next run is told the same") {
  const ScratchFolder folder;
  for (const bool at_end : {false, true}) {
    {
      Kept kept(folder / "entry");
      text_of(*kept.file, 0, 3);
      kept.itself->fault = Error{ErrorCode::malformed, "damaged", "", std::nullopt, 0};
      if (at_end)
        CHECK(kept.file->verify()->message == "damaged");
      else
        CHECK(text_of(*kept.file, 5, 2) == "damaged");
      CHECK(kept.archive->save());
    }
    Kept kept(folder / "entry");
    kept.itself->fault = Error{ErrorCode::malformed, "damaged", "", std::nullopt, 0};
    CHECK(text_of(*kept.file, 0, 3) == "damaged");
    CHECK(kept.file->verify()->message == "damaged");
  }
}

TEST_CASE("members are kept beside their archive") {
  const ScratchFolder folder;
  Kept kept(folder / "entry");
  const auto member = std::make_shared<CountedFile>("member");
  const auto file =
      kept.file->member(0, member->status(), true, [&] { return Result<std::shared_ptr<const File>>(member); });
  CHECK(text_of(*file, 0, 6) == "member");
  CHECK(kept.archive->save());
  std::string text(6, '?');
  CHECK(KeptArchive::open(folder / "entry", "key")->copy(1, 0, std::as_writable_bytes(std::span(text))));
  CHECK(text == "member");
}

TEST_CASE("an archive is known by its key, its size and its end; a member is not") {
  const ScratchFolder folder;
  const auto itself = std::make_shared<CountedFile>(std::string(70'000, 'a') + "end");
  const auto make = [&](std::size_t part) {
    const auto archive = KeptArchive::open(folder / "entry", "key");
    return KeptFile(archive, part, itself->status(), false,
                    [&] { return Result<std::shared_ptr<const File>>(itself); });
  };
  const auto identity = make(0).identity();
  const auto end = itself->text.substr(70'003 - (64 << 10));
  CHECK(identity == "key 70003 " + std::to_string(crc32_after(0, std::as_bytes(std::span(end)))));
  CHECK(make(1).identity() == "");
  itself->text[4466] = 'b';
  CHECK(make(0).identity() == identity);
  itself->text[4467] = 'b';
  CHECK(make(0).identity() != identity);
  itself->fault = Error{ErrorCode::unreadable, "damaged", "", std::nullopt, 0};
  CHECK(make(0).identity() == "");
  CHECK_FALSE(make(0).is_stream());
}

TEST_CASE("a file that cannot be opened, or that became shorter, is not kept") {
  const ScratchFolder folder;
  const auto archive = KeptArchive::open(folder / "entry", "key");
  FileStatus status;
  status.size = 10;
  const KeptFile gone(archive, 1, status, true,
                      [] { return Result<std::shared_ptr<const File>>(Error{ErrorCode::absent, "gone"}); });
  std::string text(4, '?');
  const auto read = gone.read(0, std::as_writable_bytes(std::span(text)));
  REQUIRE_FALSE(read);
  CHECK(read.error().code == ErrorCode::absent);
  CHECK(gone.verify()->code == ErrorCode::absent);
  CHECK(text_of(gone.passing(), 0, 4) == "gone");
  CHECK(text_of(gone, 10, 4) == "");
  CHECK(text_of(gone, 0, 0) == "");

  const auto itself = std::make_shared<CountedFile>("01234");
  const KeptFile cut(archive, 2, status, true, [&] { return Result<std::shared_ptr<const File>>(itself); });
  CHECK(text_of(cut, 0, 2) == "01");
  CHECK(text_of(cut, 0, 9) == "01234");
  archive->set_size(10);
  CHECK(archive->save());
  CHECK_FALSE(KeptArchive::open(folder / "entry", "key")->holds(2, 0, 1));
}

TEST_CASE("bytes of a stream that are kept can be read anywhere") {
  const ScratchFolder folder;
  {
    Kept kept(folder / "entry");
    CHECK(text_of(*kept.file, 2, 3) == "234");
    CHECK_FALSE(kept.file->reads_anywhere(2, 3));
    CHECK(kept.archive->save());
  }
  const Kept kept(folder / "entry");
  CHECK(kept.file->reads_anywhere(2, 3));
  CHECK_FALSE(kept.file->reads_anywhere(2, 4));
  // Where the file need not be a stream, what is not kept is to be had from it alone.
  const KeptFile file(kept.archive, 4, kept.itself->status(), false, {});
  CHECK(file.reads_anywhere(2, 3));
  CHECK_FALSE(file.reads_anywhere(2, 4));
}

}  // namespace
}  // namespace cudald
