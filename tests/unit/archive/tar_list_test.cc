#include "archive/tar_list.h"

#include <doctest/doctest.h>

#include <array>
#include <cerrno>
#include <tuple>

#include "unit/archive/tar_builder.h"
#include "unit/archive/zip_builder.h"
#include "unit/tree/faulty_file.h"

namespace cudald {
namespace {

using Kind = TarMember::Kind;

struct Listing {
  std::vector<TarMember> members;
  std::optional<Error> error;
};

Listing listing_of(const File& file) {
  Listing listing;
  listing.error = list_tar(file, "x.tar", [&](TarMember& member) { listing.members.push_back(member); });
  return listing;
}

Listing listing_of(const std::string& tar) { return listing_of(BytesFile(tar)); }

TEST_CASE("each kind of member is told with its mode, size and place") {
  const auto [members, error] = listing_of(tar_of({
      {.name = "bin/a", .data = std::string(513, 'a'), .mode = 04751},
      {.name = "lib/", .type = '5', .mode = 0755},
      {.name = "lib/b", .type = '2', .link = "../bin/a"},
      {.name = "lib/c", .type = '1', .link = "bin/a"},
      {.name = "pipe", .type = '6'},
      {.name = "device", .type = '3'},
      {.name = "empty"},
  }));
  CHECK_FALSE(error);
  using Row = std::tuple<std::string, std::string, Kind, std::uint64_t, std::uint64_t, std::uint64_t>;
  const std::vector<Row> rows{
      {"bin/a", "", Kind::file, 0, 512, 513},
      {"lib/", "", Kind::folder, 1536, 2048, 0},
      {"lib/b", "../bin/a", Kind::symlink, 2048, 2560, 0},
      {"lib/c", "bin/a", Kind::hard_link, 2560, 3072, 0},
      {"pipe", "", Kind::other, 3072, 3584, 0},
      {"device", "", Kind::other, 3584, 4096, 0},
      {"empty", "", Kind::file, 4096, 4608, 0},
  };
  REQUIRE(members.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(i);
    const auto& member = members[i];
    CHECK(Row(member.name, member.link, member.kind, member.header_offset, member.offset, member.size) == rows[i]);
    CHECK(member.extents.empty());
    CHECK(member.stored_size() == member.size);
  }
  CHECK(members[0].mode == 04751);
  CHECK(members[1].mode == 0755);
}

TEST_CASE("names longer than a header are whole, at the border and behind it") {
  for (const std::size_t length : {99, 100, 101, 300}) {
    CAPTURE(length);
    const std::string name = "d/" + std::string(length - 2, 'n'), link(length, 'l');
    const auto [members, error] = listing_of(tar_of({{.name = name, .type = '2', .link = link}, {.name = "next"}}));
    CHECK_FALSE(error);
    REQUIRE(members.size() == 2);
    CHECK(members[0].name == name);
    CHECK(members[0].link == link);
    CHECK(members[1].name == "next");
  }
}

TEST_CASE("names are bytes, whatever the locale") {
  const std::string name = "\xff\xfe/b\xc3\xb6se\x01";
  const auto [members, error] = listing_of(tar_of({{.name = name, .data = "x"}, {.name = "next"}}));
  CHECK_FALSE(error);
  REQUIRE(members.size() == 2);
  CHECK(members[0].name == name);
}

TEST_CASE("a sparse member has the size of the file, and extents for what is stored of it") {
  const auto [members, error] =
      listing_of(sparse_member("sparse", {{1024, 512}, {4096, 3}}, 10'000, std::string(512, 'x') + "end") +
                 tar_of({{.name = "b"}}));
  CHECK_FALSE(error);
  REQUIRE(members.size() == 2);
  const auto& member = members[0];
  CHECK(member.size == 10'000);
  CHECK(member.stored_size() == 515);
  CHECK(member.offset == 512);
  REQUIRE(member.extents.size() == 2);
  CHECK(member.extents[0].offset == 1024);
  CHECK(member.extents[0].length == 512);
  CHECK(member.extents[1].offset == 4096);
  CHECK(member.extents[1].length == 3);
  CHECK(members[1].name == "b");
  CHECK(members[1].header_offset == 2 * 512 + 512 + 0 + 0);
}

TEST_CASE("a sparse member that is nothing but a hole stays sparse") {
  const auto [members, error] = listing_of(sparse_member("hole", {{5000, 0}}, 5000, "") + tar_of({{.name = "b"}}));
  CHECK_FALSE(error);
  REQUIRE(members.size() == 2);
  CHECK(members[0].size == 5000);
  CHECK(members[0].stored_size() == 0);
  CHECK(members[0].extents.size() == 1);
}

TEST_CASE("a sparse member is read with zeros where nothing is stored") {
  const auto tar = std::make_shared<BytesFile>(sparse_member("sparse", {{2, 3}, {8, 2}}, 12, "abcde") + tar_of({}));
  const auto [members, error] = listing_of(*tar);
  REQUIRE(members.size() == 1);
  const auto file = open_tar_member(tar, members[0], {FileKind::regular, members[0].size, {}, false, false});
  std::string text(20, '?');
  const auto got = file->read(0, std::as_writable_bytes(std::span(text)));
  REQUIRE(got.has_value());
  CHECK(text.substr(0, *got) == std::string("\0\0abc\0\0\0de\0\0", 12));
}

TEST_CASE("a stored member is read from its place") {
  const auto tar =
      std::make_shared<BytesFile>(tar_of({{.name = "a", .data = "first"}, {.name = "b", .data = "second"}}));
  const auto [members, error] = listing_of(*tar);
  REQUIRE(members.size() == 2);
  const auto file = open_tar_member(tar, members[1], {FileKind::regular, members[1].size, {}, false, false});
  std::string text(20, '?');
  const auto got = file->read(1, std::as_writable_bytes(std::span(text)));
  REQUIRE(got.has_value());
  CHECK(text.substr(0, *got) == "econd");
}

TEST_CASE("a tar that ends within a member's bytes is cut short, one that ends behind them is whole") {
  const auto tar = open_tar_of({{.name = "a", .data = "x"}, {.name = "b", .data = std::string(1000, 'y')}});
  constexpr std::size_t end = 512 + 512 + 512 + 1000;
  for (const auto size : {end, end + 1, end + 24}) {
    CAPTURE(size);
    const auto [members, error] = listing_of(tar.substr(0, size));
    CHECK_FALSE(error);
    CHECK(members.size() == 2);
  }
  for (const auto size : {end - 1, end - 999, end - 1000}) {
    CAPTURE(size);
    const auto [members, error] = listing_of(tar.substr(0, size));
    CHECK(members.size() == 2);
    REQUIRE(error);
    CHECK(error->code == ErrorCode::malformed);
    CHECK(error->message == "cut short within member 2, which should end at 2536");
    CHECK(error->path == "x.tar");
    CHECK(error->offset == end);
  }
}

TEST_CASE("a tar that ends within a header is damaged behind the members in front of it") {
  const auto tar = open_tar_of({{.name = "a", .data = "x"}, {.name = "b"}});
  CHECK_FALSE(listing_of(tar.substr(0, 1024)).error);
  const auto [members, error] = listing_of(tar.substr(0, 1024 + 511));
  CHECK(members.size() == 1);
  REQUIRE(error);
  CHECK(error->code == ErrorCode::malformed);
  CHECK(error->message == "damaged or cut short behind 1 members (Truncated tar archive)");
  CHECK(error->path == "x.tar");
}

TEST_CASE("a header whose sum is wrong ends the list") {
  auto tar = tar_of({{.name = "a"}, {.name = "b"}, {.name = "c"}});
  tar[1024] = 'd';
  const auto [members, error] = listing_of(tar);
  CHECK(members.size() == 2);
  REQUIRE(error);
  CHECK(error->code == ErrorCode::malformed);
  CHECK(error->message == "damaged or cut short behind 2 members (Damaged tar archive)");
  CHECK(error->offset == 1536);
}

TEST_CASE("what is no tar is none, and an empty tar is one") {
  const auto [members, error] = listing_of(std::string(2000, 'x'));
  CHECK(members.empty());
  REQUIRE(error);
  CHECK(error->code == ErrorCode::malformed);
  CHECK(error->message == "not a directory, nor a tar that can be read");
  const auto empty = listing_of(tar_of({}));
  CHECK_FALSE(empty.error);
  CHECK(empty.members.empty());
}

/// Every read at or behind `from` fails.
class FailingFile final : public File {
 public:
  FailingFile(std::string bytes, std::uint64_t from) : bytes_(std::move(bytes)), from_(from) {}
  const FileStatus& status() const override { return bytes_.status(); }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    if (offset + into.size() > from_)
      return Error{ErrorCode::unreadable, "Input/output error", "/disk/x.tar", std::nullopt, EIO};
    return bytes_.read(offset, into);
  }

 private:
  BytesFile bytes_;
  std::uint64_t from_;
};

TEST_CASE("a disk that fails is told as that, not as damage") {
  const auto tar = tar_of({{.name = "a", .data = "x"}, {.name = "b", .data = std::string(600, 'y')}});
  for (const auto& [from, count] : {std::pair<std::size_t, std::size_t>{0, 0}, {512, 1}, {1024, 1}, {1536, 2}}) {
    const auto& seen_from = from;
    CAPTURE(seen_from);
    const auto [members, error] = listing_of(FailingFile(tar, from));
    CHECK(members.size() == count);
    REQUIRE(error);
    CHECK(error->code == ErrorCode::unreadable);
    CHECK(error->message == "Input/output error");
    CHECK(error->path == "/disk/x.tar");
    CHECK(error->system_error == EIO);
  }
}

/// Notes what is read.
class NotingFile final : public File {
 public:
  explicit NotingFile(std::string bytes) : bytes_(std::move(bytes)) {}
  const FileStatus& status() const override { return bytes_.status(); }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    read_bytes += into.size();
    return bytes_.read(offset, into);
  }

  mutable std::uint64_t read_bytes = 0;

 private:
  BytesFile bytes_;
};

TEST_CASE("of members only the headers are read, and their last byte") {
  const NotingFile file(tar_of({{.name = "a", .data = std::string(1 << 20, 'x')}, {.name = "b"}}));
  CHECK_FALSE(list_tar(file, "x.tar", [](TarMember&) {}));
  CHECK(file.read_bytes <= 5 * 512);
}

TEST_CASE("names of more than 64 MiB in all are a limit") {
  constexpr std::size_t name_bytes = (std::size_t{1} << 20) - 1;  // libarchive takes no longer ones
  constexpr std::size_t most = most_tar_name_bytes / name_bytes;
  const auto one = open_tar_of({{.name = std::string(name_bytes, 'n')}});
  /// The same member again and again, and a last one that fills up what is left.
  class Repeated final : public File {
   public:
    Repeated(const std::string& bytes, std::size_t times, std::string last)
        : bytes_(bytes), times_(times), last_(std::move(last)) {
      status_.size = bytes.size() * times + last_.size();
    }
    const FileStatus& status() const override { return status_; }
    Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
      const auto behind = bytes_.size() * times_;
      const std::string_view part =
          offset < behind ? std::string_view(bytes_).substr(offset % bytes_.size())
                          : std::string_view(last_).substr(std::min<std::uint64_t>(offset - behind, last_.size()));
      const auto length = std::min(part.size(), into.size());
      std::memcpy(into.data(), part.data(), length);
      return length;
    }

   private:
    const std::string& bytes_;
    std::size_t times_;
    std::string last_;
    FileStatus status_;
  };
  constexpr std::size_t left = most_tar_name_bytes - most * name_bytes;
  static_assert(left == 64);
  for (const std::size_t length : {left, left + 1}) {
    CAPTURE(length);
    std::size_t count = 0;
    const Repeated file(one, most, tar_of({{.name = std::string(length, 'n')}}));
    const auto error = list_tar(file, "x.tar", [&](TarMember&) { ++count; });
    CHECK(count == most + (length == left ? 1 : 0));
    CHECK(error.has_value() == (length > left));
    if (!error) continue;
    CHECK(error->code == ErrorCode::limit);
    CHECK(error->message == "more than 700000 members, or 67108864 bytes of names and sparse extents");
    CHECK(error->offset == one.size() * most);
    CHECK(error->path == "x.tar");
  }
}

TEST_CASE("what is wrong with a tar is told with its name and place") {
  const auto list = [](const std::string& bytes) { return list_tar(FaultyFile(bytes), "x.tar", [](TarMember&) {}); };
  const auto tar = tar_of({{.name = "a", .data = "x"}, {.name = "b", .data = std::string(600, 'y')}});
  CHECK_FALSE(list(tar));
  const auto cut = list(tar.substr(0, 1024 + 512 + 599));
  REQUIRE(cut);
  CHECK(cut->code == ErrorCode::malformed);
  CHECK(cut->path == "x.tar");
  CHECK(cut->message == "cut short within member 2, which should end at 2136");
  CHECK(cut->offset == 2136);
  const auto broken = list_tar(FaultyFile(tar, 2135, true), "x.tar", [](TarMember&) {});
  REQUIRE(broken);
  CHECK(broken->system_error == EIO);
  const auto text = list("no tar at all, and neither a directory" + std::string(1000, 'z'));
  REQUIRE(text);
  CHECK(text->code == ErrorCode::malformed);
  CHECK(text->path == "x.tar");
}

}  // namespace
}  // namespace cudald
