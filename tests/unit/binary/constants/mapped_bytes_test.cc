#include "binary/constants/mapped_bytes.h"

#include <algorithm>

#include <cudald/image.h>
#include <doctest/doctest.h>

#include "binary/bytes/readers.h"
#include "common/elf_builder.h"
#include "common/fatbin_file.h"
#include "tree/text_file.h"
#include "unit/tree/faulty_file.h"

using namespace cudald;

namespace {

/// Of a file of 1000 bytes with one segment that is loaded.
std::uint64_t size_with_segment(std::uint64_t offset, std::uint64_t size) {
  Image image;
  image.file_size = 1000;
  image.elf.load_segments.push_back({.offset = offset, .file_size = size});
  return mapped_size(image);
}

std::unique_ptr<File> file_of(const std::string& bytes) {
  FileStatus status;
  status.kind = FileKind::regular;
  status.size = bytes.size();
  return make_text_file(status, bytes);
}

Image image_of(const std::string& bytes, std::vector<std::pair<std::uint64_t, std::uint64_t>> segments) {
  Image image;
  image.file_size = bytes.size();
  for (const auto& [offset, size] : segments) image.elf.load_segments.push_back({.offset = offset, .file_size = size});
  return image;
}

/// A fatbin whose entries have so many bytes.
std::string fatbin(std::size_t size) {
  std::string text("\x50\xed\x55\xba\x01\x00\x10\x00", 8);
  for (int i = 0; i < 8; ++i) text += static_cast<char>(size >> (8 * i));
  return text + std::string(size, 'g');
}

std::string zeros(std::size_t count) { return std::string(count, '\0'); }

/// Counts the bytes that are read of it.
class MeteredFile final : public File {
 public:
  explicit MeteredFile(const std::string& bytes) : file_(file_of(bytes)) {}

  const FileStatus& status() const override { return file_->status(); }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    count_ += into.size();
    return file_->read(offset, into);
  }
  std::size_t count() const { return count_; }

 private:
  std::unique_ptr<File> file_;
  mutable std::size_t count_ = 0;
};

}  // namespace

TEST_CASE("a file without bytes has no data, and can be asked for it") {
  const auto file = file_of("");
  const Image image;
  for (const auto* given : {static_cast<const Image*>(nullptr), &image}) {
    const MappedBytes bytes(*file, given);
    CHECK(bytes.size() == 0);
    CHECK(bytes.view().empty());
    CHECK(bytes.visit_data(100, [](std::string_view part) { CHECK(part.empty()); }));
    CHECK_FALSE(bytes.string(0).has_value());
  }
}

TEST_CASE("of a large file only what is asked for is read, and each part once") {
  constexpr std::size_t middle = 1'000'000;
  auto bytes = std::string(2 * middle, 'x');
  bytes.replace(middle, 4, std::string("\1\2\3\0", 4));
  const MeteredFile file(bytes);
  const auto image = image_of(bytes, {{0, bytes.size()}});
  const MappedBytes mapped(file, &image);
  CHECK(mapped.size() == bytes.size());
  CHECK(file.count() == 0);
  CHECK(mapped.number<std::uint16_t>(middle) == 0x0201);
  CHECK(mapped.string(middle - 100'000)->size() == 100'003);
  CHECK_FALSE(mapped.number<std::uint32_t>(bytes.size() - 3));
  CHECK_FALSE(mapped.string(bytes.size() - 10));
  CHECK_FALSE(mapped.string(bytes.size()));
  CHECK(mapped.bytes(middle - 5, 5).size() == 5);
  CHECK(mapped.bytes(0, bytes.size() + 1).empty());
  CHECK(file.count() < 200'000);
  std::size_t end = 0;
  mapped.for_each_block(10, middle, [&](std::string_view block, std::uint64_t offset) {
    CHECK(block == std::string_view(bytes).substr(offset, block.size()));
    end = offset + block.size();
  });
  CHECK(end == middle + 10);
  CHECK(mapped.view() == bytes);
}

TEST_CASE("data are what is mapped and no code") {
  const auto code = std::string(300'000, 'c'), unwinding = std::string(64, 'u'), text = std::string(64, 't');
  const auto bytes = with_sections(elf({}), {{".text", code}, {".eh_frame", unwinding}, {".rodata", text}});
  const auto file = file_of(bytes);
  Budget budget;
  auto image = **read_image(*file, budget);
  image.elf.load_segments = {{.offset = 0, .file_size = bytes.size()}};
  const MappedBytes mapped(*file, &image);
  std::string all;
  const auto parts = *mapped.data();
  for (const auto part : parts) all += part;
  CHECK(all.find(text) != std::string::npos);
  CHECK(std::count(all.begin(), all.end(), 'c') < 100);
  CHECK(all.find(unwinding) == std::string::npos);
}

TEST_CASE("data are what is no GPU code, from a place at which numbers may begin, as far as they are not too many") {
  const auto before = std::string(70'000, 'b'), after = std::string(800'000, 'a');
  const auto bytes = before + fatbin(300'000) + after;
  const auto file = file_of(bytes);
  const MappedBytes mapped(*file, nullptr);
  CHECK_FALSE(mapped.data(before.size() + after.size() / 2));
  const auto parts = *mapped.data(before.size() + after.size() + 100'000);
  REQUIRE(parts.size() == 2);
  CHECK(parts[0] == before);
  CHECK((parts[1].data() - parts[0].data()) % 16 == 0);
  CHECK(parts[1].find_first_not_of('\0') < 16);
  CHECK(parts[1].substr(parts[1].find('a')) == after);
}

TEST_CASE("data are handed over in blocks that overlap, and are not kept") {
  const auto before = std::string(150'000, 'b'), after = std::string(300'000, 'a');
  const auto bytes = before + fatbin(300'000) + after;
  for (const bool whole : {false, true}) {
    const MeteredFile file(bytes);
    const MappedBytes mapped(file, nullptr);
    if (whole) CHECK(mapped.view().size() == bytes.size());
    const auto read = file.count();
    std::string all;
    const auto take = [&](std::string_view block) {
      CHECK(block.find('g') == std::string_view::npos);
      all += block;
    };
    CHECK(mapped.visit_data(bytes.size(), take));
    const auto count = [&](char c) { return static_cast<std::size_t>(std::count(all.begin(), all.end(), c)); };
    CHECK(count('b') >= before.size() + (whole ? 0 : 64));
    CHECK(count('a') >= after.size() + (whole ? 0 : 64));
    CHECK(count('b') + count('a') < before.size() + after.size() + 1000);
    CHECK((file.count() == read) == whole);
    all.clear();
    CHECK(mapped.visit_data(before.size(), take) == whole);
  }
  const FaultyFile broken(bytes, bytes.size() - after.size() / 2, true);
  CHECK_FALSE(MappedBytes(broken, nullptr).visit_data(bytes.size(), [](std::string_view) {}));
  CHECK(MappedBytes(*file_of(""), nullptr).visit_data(0, [](std::string_view) { FAIL("of nothing"); }));
}

TEST_CASE("of a file what is mapped stands at its place, with zeros for the rest") {
  const std::string bytes = "headercodedebugdatanames";
  const auto file = file_of(bytes);
  const auto image = image_of(bytes, {{15, 4}, {0, 10}});
  CHECK(MappedBytes(*file, &image).view() == "headercode" + zeros(5) + "data");
  const auto shared = image_of(bytes, {{0, 10}, {6, 9}, {6, 2}});
  CHECK(MappedBytes(*file, &shared).view() == "headercodedebug");
  CHECK(MappedBytes(*file, nullptr).view() == bytes);
  const auto without = image_of(bytes, {});
  CHECK(MappedBytes(*file, &without).view() == bytes);
  const auto longer = image_of(bytes + "more", {{0, 28}});
  CHECK(MappedBytes(*file, &longer).view() == bytes);
  CHECK(MappedBytes(*file_of(""), nullptr).view().empty());
}

TEST_CASE("GPU code is not read, wherever it begins") {
  // Blocks of 256 KiB are read: headers before, across and behind their ends, and code across several.
  for (const std::size_t before : {std::size_t{0}, std::size_t{8}, std::size_t{262128}, std::size_t{262136},
                                   std::size_t{262144}, std::size_t{524280}})
    for (const std::size_t size : {std::size_t{0}, std::size_t{24}, std::size_t{600'000}}) {
      const auto bytes = std::string(before, 'a') + fatbin(size) + fatbin(8) + "behind it";
      const auto image = image_of(bytes, {{0, bytes.size()}});
      const auto wanted = std::string(before, 'a') + zeros(16 + size + 24) + "behind it";
      CHECK(MappedBytes(*file_of(bytes), &image).view() == wanted);
    }
  const auto unaligned = "abc" + fatbin(8) + "d";
  CHECK(MappedBytes(*file_of(unaligned), nullptr).view() == unaligned);
  const auto longer = fatbin(8).substr(0, 20);
  CHECK(MappedBytes(*file_of(longer), nullptr).view() == zeros(20));
}

TEST_CASE("blocks of ranges leave GPU code out, and what stands behind it is looked at") {
  for (const std::size_t before : {std::size_t{0}, std::size_t{131'056}, std::size_t{131'064}, std::size_t{131'072}}) {
    const auto bytes = std::string(before, 'a') + fatbin(400'000) + "behind";
    std::string seen;
    std::uint64_t end = 0;
    for_blocks(*file_of(bytes), {{0, bytes.size()}}, bytes.size(), bytes.size(), 16, [&](const FileBlock& block) {
      CHECK(block.first == (block.offset == 0));
      if (block.offset + block.bytes.size() > end)
        seen += block.bytes.substr(block.offset < end ? end - block.offset : 0);
      end = std::max<std::uint64_t>(end, block.offset + block.bytes.size());
      return false;
    });
    CHECK(seen.find('g') == std::string::npos);
    CHECK(seen.ends_with("behind"));
    CHECK(std::count(seen.begin(), seen.end(), 'a') == static_cast<std::ptrdiff_t>(before));
  }
}

TEST_CASE("what lies behind the last segment is no part of what is mapped") {
  CHECK(size_with_segment(0, 400) == 400);
  CHECK(size_with_segment(100, 900) == 1000);
}

TEST_CASE("files without segments, or whose segments lie outside, are taken whole") {
  CHECK(size_with_segment(900, 101) == 1000);
  CHECK(size_with_segment(~0ULL, 2) == 1000);
  Image image;
  image.file_size = 12;
  CHECK(mapped_size(image) == 12);
}
TEST_CASE("of a file that cannot be read, or ends early, there is nothing, or what came before") {
  const std::string small(1000, 'x'), large(1'000'000, 'x');
  for (const auto* bytes : {&small, &large}) {
    const FaultyFile broken(*bytes, bytes->size() / 2, true), cut(*bytes, bytes->size() / 2, false);
    const auto image = image_of(*bytes, {{0, bytes->size()}});
    CHECK(MappedBytes(broken, &image).view().empty());
    CHECK(MappedBytes(broken, &image).data().has_value() == (bytes == &small));
    CHECK(MappedBytes(cut, &image).view() == std::string(bytes->size() / 2, 'x'));
  }
  FaultyFile stream(large);
  stream.stream = true;
  const MappedBytes mapped(stream, nullptr);
  CHECK(mapped.view() == large);
  CHECK(mapped.bytes(5, 0).empty());
}

TEST_CASE("what loaders and unwinders read is no data") {
  for (const std::string name :
       {".eh_frame", ".eh_frame_hdr", ".gcc_except_table", ".rela.dyn", ".rel.plt", ".relr.dyn", ".dynsym", ".dynstr",
        ".gnu.version", ".gnu.version_r", ".gnu.hash", ".hash", ".nv_fatbin"}) {
    CAPTURE(name);
    const auto bytes = with_sections(elf({}), {{name, std::string(64, 'r')}, {".rodata", std::string(64, 't')}});
    const auto file = file_of(bytes);
    Budget budget;
    auto image = **read_image(*file, budget);
    image.elf.load_segments = {{.offset = 0, .file_size = bytes.size()}};
    std::string all;
    CHECK(MappedBytes(*file, &image).visit_data(bytes.size(), [&](std::string_view block) { all += block; }));
    CHECK(all.find(std::string(32, 'r')) == std::string::npos);
    CHECK(all.find(std::string(64, 't')) != std::string::npos);
  }
}

TEST_CASE("which parts are data, from and to multiples of 16") {
  const std::string sixteens(64, 'a');
  const auto bytes = with_sections(elf({}), {{".data1", sixteens},
                                             {".text", std::string(64, 'c')},
                                             {".data2", sixteens},
                                             {".gcc_except_table", std::string(64, 'e')},
                                             {".data3", sixteens},
                                             {".eh_frame", std::string(5, 'u')}});
  const auto file = file_of(bytes);
  Budget budget;
  auto image = **read_image(*file, budget);
  const auto code = bytes.find(std::string(64, 'c')), table = bytes.find(std::string(64, 'e'));
  const auto parts_of = [&](std::uint64_t from, std::uint64_t to) {
    image.elf.load_segments = {{.offset = from, .file_size = to - from}};
    const MappedBytes mapped(*file, &image);
    std::string text;
    const auto parts = *mapped.data();
    for (const auto part : parts) {
      const auto begin = static_cast<std::size_t>(part.data() - mapped.view().data());
      text += std::to_string(begin - from) + "+" + std::to_string(part.size()) + " ";
    }
    return text;
  };
  const auto round_up = [](std::uint64_t n) { return (n + 15) / 16 * 16; };
  const auto begin = round_up(code), end = (code + 64) / 16 * 16, next = round_up(table),
             after = (table + 64) / 16 * 16;
  const auto range = [](std::uint64_t from, std::uint64_t size) {
    return std::to_string(from) + "+" + std::to_string(size) + " ";
  };
  CHECK(parts_of(code - 32, code + 128) == range(0, begin - (code - 32)) + range(end - (code - 32), code + 128 - end));
  CHECK(parts_of(begin, end) == "");
  CHECK(parts_of(begin, end + 1) == range(end - begin, 1));
  CHECK(parts_of(begin - 1, end) == range(0, 1));
  CHECK(parts_of(code - 32, after) == range(0, begin - (code - 32)) + range(end - (code - 32), next - end));
}

TEST_CASE("small files are read at once, and of larger ones the blocks that are asked for") {
  constexpr std::size_t small = 1 << 18, block = 1 << 14;
  for (const std::size_t size : {small, small + 1}) {
    const MeteredFile file(std::string(size, 'x'));
    const MappedBytes mapped(file, nullptr);
    CHECK(file.count() == (size == small ? size : 0));
  }
  const MeteredFile file(std::string(small, 'x') + std::string(block - 1, 'y') + '\0' + std::string(10, 'z'));
  const MappedBytes mapped(file, nullptr);
  const auto reads = [&](const auto& ask) {
    const auto before = file.count();
    ask();
    return file.count() - before;
  };
  CHECK(reads([&] { CHECK(mapped.bytes(0, block).size() == block); }) == block);
  CHECK(reads([&] { CHECK(mapped.bytes(block - 1, 1).size() == 1); }) == 0);
  CHECK(reads([&] { CHECK(mapped.bytes(block, 0).empty()); }) == 0);
  CHECK(reads([&] { CHECK(mapped.number<std::uint8_t>(block) == std::uint8_t{'x'}); }) == block);
  CHECK(reads([&] { CHECK(mapped.bytes(2 * block + 5, block).size() == block); }) == 2 * block);
  CHECK(reads([&] { CHECK(mapped.string(small)->size() == block - 1); }) == block);
  CHECK(reads([&] { CHECK(mapped.string(small)->size() == block - 1); }) == 0);
  CHECK(reads([&] { CHECK(mapped.string(small + block - 1) == ""); }) == 0);
  CHECK(reads([&] { CHECK_FALSE(mapped.string(small + block)); }) == 10);
  CHECK(reads([&] { CHECK(mapped.number<std::uint16_t>(small + block + 8) == 0x7a7a); }) == 0);
  CHECK_FALSE(mapped.number<std::uint16_t>(small + block + 9));
}

TEST_CASE("of a library whose bytes cannot be read there are no parts") {
  const auto bytes = with_sections(elf({}), {{".data1", std::string(100, 'd')}});
  auto image = **read_image(FaultyFile(bytes));
  image.elf.load_segments = {{.offset = 0, .file_size = bytes.size()}};
  const auto place = bytes.find(std::string(100, 'd')) + 50;
  CHECK(MappedBytes(FaultyFile(bytes), &image).data()->size() == 1);
  CHECK_FALSE(MappedBytes(FaultyFile(bytes, place, true), &image).data());
  CHECK_FALSE(MappedBytes(FaultyFile(bytes, place, false), &image).data());
}
