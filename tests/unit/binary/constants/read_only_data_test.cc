#include "binary/constants/read_only_data.h"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "common/fatbin_file.h"
#include "common/memory_file_system.h"
#include "unit/tree/faulty_file.h"

namespace cudald {
namespace {

/// What is handed over of these ranges, each block behind the place that it lies at.
std::string blocks_of(const std::string& bytes, const std::vector<FileRange>& ranges, std::uint64_t most) {
  MemoryFileSystem files;
  files.add_file("/file", bytes);
  std::string text;
  for_blocks(**files.open("/file"), ranges, bytes.size(), most, 16, [&](const FileBlock& block) {
    text += std::to_string(block.offset) + (block.first ? "! " : " ") + std::string(block.bytes) + "\n";
    return false;
  });
  return text;
}

TEST_CASE("ranges are read in their order, so many bytes in all, and none behind the file's end") {
  const std::string bytes = "0123456789abcdef";
  CHECK(blocks_of(bytes, {{2, 3}, {10, 2}}, 100) == "2! 234\n10! ab\n");
  CHECK(blocks_of(bytes, {{10, 2}, {2, 3}}, 100) == "10! ab\n2! 234\n");
  CHECK(blocks_of(bytes, {{2, 3}, {10, 4}}, 5) == "2! 234\n10! ab\n");
  CHECK(blocks_of(bytes, {{2, 3}, {10, 4}}, 3) == "2! 234\n");
  CHECK(blocks_of(bytes, {{14, 9}, {40, 2}}, 100) == "14! ef\n");
}

TEST_CASE("blocks overlap, so that a text over their border stands whole in one") {
  const std::string bytes(300'000, 'x');
  MemoryFileSystem files;
  files.add_file("/file", bytes);
  std::uint64_t end = 0;
  for_blocks(**files.open("/file"), {{0, bytes.size()}}, bytes.size(), bytes.size(), 16, [&](const FileBlock& block) {
    CHECK(block.first == (block.offset == 0));
    CHECK(block.offset + 16 == std::max<std::uint64_t>(end, 16));
    end = block.offset + block.bytes.size();
    return false;
  });
  CHECK(end == bytes.size());
  std::size_t count = 0;
  for_blocks(**files.open("/file"), {{0, 10}, {20, 10}}, bytes.size(), bytes.size(), 16,
             [&](const FileBlock&) { return ++count == 1; });
  CHECK_MESSAGE(count == 1, "it ends where that is wanted");
}

std::string ranges_text(const std::vector<FileRange>& ranges) {
  std::string text;
  for (const auto& [offset, size] : ranges) text += std::to_string(offset) + "+" + std::to_string(size) + " ";
  return text;
}

TEST_CASE("ranges that share bytes are put together, in the order of the file") {
  CHECK(ranges_text(disjoint({})) == "");
  CHECK(ranges_text(disjoint({{20, 5}, {10, 5}})) == "20+5 10+5 ");
  CHECK(ranges_text(disjoint({{15, 5}, {10, 5}})) == "15+5 10+5 ");
  CHECK(ranges_text(disjoint({{14, 5}, {10, 5}})) == "10+9 ");
  CHECK(ranges_text(disjoint({{10, 20}, {12, 5}, {40, 1}})) == "10+20 40+1 ");
  CHECK(ranges_text(disjoint({{30, 5}, {10, 5}, {10, 5}})) == "10+5 30+5 ");
  CHECK(ranges_text(disjoint({{10, UINT64_MAX}, {12, UINT64_MAX}})) == "10+" + std::to_string(UINT64_MAX - 10) + " ");
}

/// A function that answers 7; bytes from a place on may be others.
std::string answering(std::size_t at = 0, const std::string& other = "") {
  std::string code("\x48\x85\xff\x74\x06\xc7\x07\x07\x00\x00\x00\x31\xc0\xc3", 14);
  return code.replace(at, other.size(), other);
}

/// An image of which all that is told is what a file of this size maps.
Image mapped_image(std::uint64_t size, std::vector<LoadSegment> segments) {
  Image image;
  image.format = Format::elf64;
  image.file_size = size;
  image.elf.load_segments = std::move(segments);
  return image;
}

std::vector<std::uint32_t> answered(const std::string& code, std::uint64_t most = 1000) {
  return numbers_answered(FaultyFile(code), mapped_image(code.size(), {{.file_size = code.size()}}), most);
}

using Numbers = std::vector<std::uint32_t>;

TEST_CASE("numbers that functions answer, which test their argument before they write through it") {
  CHECK(answered(answering()) == Numbers{7});
  CHECK(answered("xx" + answering() + "y" + answering(7, "\x09")) == Numbers{7, 9});
  CHECK(answered(answering(7, "\x44\x33\x22\x11")) == Numbers{0x11223344});
  CHECK(answered(answering(4, "\x99")) == Numbers{7});  // how far it jumps
  CHECK(answered(answering(11, "\x33")) == Numbers{7});
  const auto windows = answering(2, "\xc9").replace(6, 1, "\x01");
  CHECK(answered(windows) == Numbers{7});
  for (const std::size_t at : {0U, 1U, 2U, 3U, 5U, 6U, 11U, 12U, 13U}) {
    CAPTURE(at);
    CHECK(answered(answering(at, "\x5a")).empty());
    CHECK(answered(std::string(windows).replace(at, 1, "\x5a")).empty());
  }
  CHECK(answered(answering(2, "\xc9")).empty());
  CHECK(answered(answering(6, "\x01")).empty());
  CHECK(answered(answering().substr(1)).empty());
  CHECK(answered(answering(), 14) == Numbers{7});
  CHECK(answered(answering(), 13).empty());
}

TEST_CASE("code is looked for where a file maps what may not be written, or in all if there is no such part") {
  const auto bytes = answering() + answering(7, "\x09");
  const auto of = [&](std::vector<LoadSegment> segments) {
    return numbers_answered(FaultyFile(bytes), mapped_image(bytes.size(), std::move(segments)), 1000);
  };
  const LoadSegment first{.offset = 0, .file_size = 14, .writable = true}, second{.offset = 14, .file_size = 14};
  CHECK(of({first, second}) == Numbers{9});
  CHECK(of({first}) == Numbers{7});
  CHECK(of({second}) == Numbers{9});
  auto image = mapped_image(bytes.size(), {});
  image.format = Format::pe32_plus;
  image.pe.emplace();
  image.pe->sections = {{.name = ".data", .offset = 0, .file_size = 14},
                        {.name = ".text", .offset = 14, .file_size = 14}};
  CHECK(numbers_answered(FaultyFile(bytes), image, 1000) == Numbers{9});
}

TEST_CASE("so many numbers are told, and no more blocks are read") {
  std::string code;
  for (int i = 0; i < 4096; ++i) code += answering();
  code.resize(1 << 18);
  CHECK(answered(code + answering(), 1 << 20).size() == 4097);
  CHECK(answered(answering() + code + answering(), 1 << 20).size() == 4097);
}

std::optional<std::string> version_in(const std::string& bytes, bool any = false, std::uint64_t most = 10'000) {
  return read_only_text(FaultyFile(bytes), mapped_image(bytes.size(), {{.file_size = bytes.size()}}), "version ", most,
                        any);
}

TEST_CASE("what stands behind a text, if a digit follows it or anything may") {
  const auto text = [](const std::string& rest) { return "version " + rest; };
  const std::string zero(1, '\0');
  CHECK(version_in("xx" + text("1.2") + zero + "no") == "1.2");
  CHECK(version_in(text("0") + zero) == "0");
  CHECK(version_in(text("9") + zero) == "9");
  CHECK(version_in(text("/") + zero) == std::nullopt);
  CHECK(version_in(text(":") + zero) == std::nullopt);
  CHECK(version_in(text("of ") + zero + text("12") + zero) == "12");
  CHECK(version_in(text("of ") + zero + text("12") + zero, true) == "of ");
  CHECK(version_in(text("")) == std::nullopt);
  CHECK(version_in(text(""), true) == "");
  CHECK(version_in("nothing", true) == std::nullopt);
  CHECK(version_in(text(std::string(300, '1'))) == std::string(128, '1'));
  CHECK(version_in(text("12"), false, 10) == "12");
  CHECK(version_in(text("12"), false, 9) == "1");
  CHECK(version_in(text("12"), false, 8) == std::nullopt);
}

const std::string zero_byte(1, '\0');

TEST_CASE("texts are looked for among the constants, and then in what is mapped") {
  const ElfSpec spec{.soname = "version 1"};
  const auto of = [](const std::string& bytes) {
    const FaultyFile file(bytes);
    return read_only_text(file, **read_image(file), "version ", 10'000);
  };
  CHECK(of(elf({.soname = "version of"})) == std::nullopt);
  CHECK(of(elf(spec)) == "1");
  CHECK(of(with_sections(elf(spec), {{".rodata", "version 2" + zero_byte}})) == "2");
  CHECK(of(with_sections(elf(spec), {{".rodata", "other" + zero_byte}})) == "1");
}

TEST_CASE("which sections hold constants") {
  for (const auto& row : std::vector<std::pair<std::string, bool>>{{".rodata", true},
                                                                   {".rodata.str1.1", true},
                                                                   {".lrodata", true},
                                                                   {".rdata", true},
                                                                   {".rodata1", false},
                                                                   {".data", false},
                                                                   {".text", false}}) {
    const auto& name = row.first;
    const bool counts = row.second;
    CAPTURE(name);
    const auto bytes = with_sections(elf({}), {{name, zero_byte + "wanted" + zero_byte}});
    const FaultyFile file(bytes);
    const auto image = *read_image(file);
    const auto place = bytes.find("wanted");
    const auto expected = counts ? std::optional<std::uint64_t>(place) : std::nullopt;
    CHECK(find_constant_text(file, *image, "wanted") == expected);
    CHECK(find_constant_text(file, *image, "want") == std::nullopt);
    CHECK(find_constant_text(file, *image, "anted") == std::nullopt);
    CHECK(find_constant_part(file, *image, "want", 1000) == expected);
    CHECK(find_constant_part(file, *image, "anted", 7) ==
          (counts ? std::optional<std::uint64_t>(place + 1) : std::nullopt));
    CHECK(find_constant_part(file, *image, "wanted", 6) == std::nullopt);
  }
}

/// The texts with ".so" among these constants, with their places in the section; "..." if that is not all.
std::string constant_texts(const std::string& constants, std::uint64_t most = 1 << 20, std::size_t wanted = 100) {
  const auto bytes = with_sections(elf({}), {{".rodata", constants}});
  const FaultyFile file(bytes);
  const auto image = *read_image(file);
  const auto begin = bytes.find(constants);
  std::string found;
  std::size_t taken = 0;
  const bool all = visit_constant_texts(file, *image, ".so", most, [&](std::string_view text, std::uint64_t place) {
    found += (text.size() > 100 ? std::to_string(text.size()) : std::string(text)) + "@" +
             std::to_string(place - begin) + " ";
    return ++taken < wanted;
  });
  return found + (all ? "" : "...");
}

std::string widened(const std::string& text) {
  std::string bytes;
  for (const char c : text) bytes += {c, '\0'};
  return bytes;
}

TEST_CASE("texts that hold a part, each once, narrow and wide, in capital letters too") {
  CHECK(constant_texts("a.so" + zero_byte) == "a.so@0 ");
  CHECK(constant_texts("x" + zero_byte + "a.b.so.1.so" + zero_byte) == "a.b.so.1.so@2 ");
  CHECK(constant_texts("A.SO" + zero_byte + "b.sO.2" + zero_byte) == "A.SO@0 b.sO.2@5 ");
  CHECK(constant_texts("a.s" + zero_byte + "b.xo" + zero_byte + "c.s\xef" + zero_byte) == "");
  CHECK(constant_texts("a.so") == "");
  CHECK(constant_texts("a.so" + zero_byte, 5) == "a.so@0 ");
  CHECK(constant_texts("a.so" + zero_byte, 4).ends_with("..."));
  CHECK(constant_texts("a.so" + zero_byte + "b.so" + zero_byte, 100, 1) == "a.so@0 ...");
  CHECK(constant_texts(widened("a.so") + zero_byte + zero_byte) == "a.so@0 ");
  CHECK(constant_texts(zero_byte + zero_byte + widened("ab.SO.1") + zero_byte + zero_byte + "c.so" + zero_byte) ==
        "ab.SO.1@2 c.so@18 ");
  // A character that takes more than a byte, one whose low byte is zero, and one in the part itself.
  CHECK(constant_texts("\xe9\x01" + widened("a.so") + zero_byte + zero_byte) == "");
  CHECK(constant_texts(widened("a.so") + zero_byte + "\x01" + zero_byte + zero_byte) == "");
  CHECK(constant_texts(widened("a.") + "s\x01" + widened("o") + zero_byte + zero_byte) == "");
  CHECK(constant_texts(widened("a.so")) == "");
}

TEST_CASE("texts have 255 characters at most") {
  for (const std::size_t length : {255U, 256U}) {
    const auto longest = std::string(length - 3, 'n') + ".so", ended = ".so" + std::string(length - 3, 'n');
    const auto at = [&](std::size_t place) {
      return length == 255 ? "255@" + std::to_string(place) + " " : std::string();
    };
    CHECK(constant_texts(longest + zero_byte) == at(0));
    CHECK(constant_texts(zero_byte + longest + zero_byte) == at(1));
    CHECK(constant_texts(zero_byte + ended + zero_byte) == at(1));
    CHECK(constant_texts(zero_byte + zero_byte + widened(longest) + zero_byte + zero_byte) == at(2));
    CHECK(constant_texts(zero_byte + zero_byte + widened(ended) + zero_byte + zero_byte) == at(2));
  }
}

}  // namespace
}  // namespace cudald
