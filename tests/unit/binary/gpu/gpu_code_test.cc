#include <cstring>

#include <cudald/gpu_architecture.h>
#include <cudald/gpu_code.h>
#include <cudald/image.h>

#include "base/byte_reader.h"
#include "binary/bytes/file_window.h"
#include "binary/bytes/readers.h"
#include "binary/gpu/fatbin.h"
#include "cache/cached_file.h"
#include "common/fatbin_file.h"
#include "unit/binary/image_of.h"
#include "unit/tree/faulty_file.h"
#include "unit/tree/scratch_folder.h"

namespace cudald {
namespace {

GpuCode gpu_code_of(const std::string& bytes) {
  MemoryFileSystem files;
  files.add_file("/file", bytes);
  const auto file = files.open("/file");
  const auto image = read_image(**file);
  REQUIRE(image);
  return read_gpu_code(**file, **image);
}

/// "sass sm_70 x2, ptx sm_90a x1", and the defects.
std::string words(const GpuCode& code) {
  std::string text;
  const auto add = [&text](const std::string& kind, const GpuEntries& entries) {
    for (const auto& [architecture, count] : entries)
      text += (text.empty() ? "" : ", ") + kind + " " + to_string(architecture) + " x" + std::to_string(count);
  };
  add("sass", code.sass);
  add("ptx", code.ptx);
  for (const auto& defect : code.defects) text += (defect.limit ? " limit: " : " defect: ") + defect.message;
  return text;
}

std::string words_of_section(const std::string& bytes) {
  return words(gpu_code_of(with_sections(elf({}), {{".nv_fatbin", bytes}})));
}

TEST_CASE("a segment that begins at the end of all numbers is not searched for ever") {
  const auto bytes = elf({});
  MemoryFileSystem files;
  files.add_file("/file", bytes);
  const auto file = files.open("/file");
  auto image = *read_image(**file);
  for (const std::uint64_t offset : {UINT64_MAX, UINT64_MAX - 3, std::uint64_t{bytes.size()}}) {
    Image odd = *image;
    odd.elf.load_segments = {{.offset = offset, .file_size = UINT64_MAX, .writable = true}};
    CHECK(read_gpu_code(**file, odd).empty());
  }
}

TEST_CASE("entries are counted by kind and architecture, of all containers") {
  const auto first = fatbin({{2, 70}, {2, 90, 'a'}, {2, 100, 'f', 96, 4096}, {1, 120, 0, 80}, {8, 80}});
  const auto second = fatbin({{2, 70, 0, 72}});
  const auto expected = "sass sm_70 x2, sass sm_90a x1, sass sm_100f x1, ptx sm_120 x1";
  CHECK(words_of_section(first + second) == expected);
  CHECK(words_of_section(std::string(8, '\0') + first + std::string(4096, '\0') + second + std::string(16, '\0')) ==
        expected);
  CHECK(words_of_section(fatbin({})) == "");
  CHECK(words_of_section("") == "");
}

TEST_CASE("relocatable code counts only if there is no executable code, as for cuobjdump") {
  const auto one = fatbin({{2, 80}}), other = fatbin({{2, 90}});
  const auto both =
      gpu_code_of(with_sections(elf({}), {{"__nv_relfatbin", one}, {".nv_fatbin", other}, {".nvFatBinSegment", "x"}}));
  CHECK(words(both) == "sass sm_90 x1");
  CHECK(both.registered);
  const auto relocatable = gpu_code_of(with_sections(elf({}), {{"__nv_relfatbin", one}}));
  CHECK(words(relocatable) == "sass sm_80 x1");
  CHECK_FALSE(relocatable.registered);
  CHECK(words(gpu_code_of(with_sections(elf({}), {{".rodata", one}}))) == "");
  CHECK(words(gpu_code_of("not an ELF file")) == "");
}

/// A stream that counts the reads that begin in a part of it.
class Stream final : public File {
 public:
  explicit Stream(std::string bytes) : bytes_(std::move(bytes)) { status_.size = bytes_.size(); }
  const FileStatus& status() const override { return status_; }
  bool is_stream() const override { return true; }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    watched_reads += offset >= watched_from && offset < watched_to;
    const auto length = offset < bytes_.size() ? std::min<std::size_t>(into.size(), bytes_.size() - offset) : 0;
    std::memcpy(into.data(), bytes_.data() + offset, length);
    return length;
  }
  std::uint64_t watched_from = 0, watched_to = 0;
  mutable std::size_t watched_reads = 0;

 private:
  std::string bytes_;
  FileStatus status_;
};

TEST_CASE("the fatbins of a stream are read while it goes by, and not again") {
  const std::string library = elf({}), big(3 << 20, '\1');
  const auto magic = fatbin({}).substr(0, 4);
  auto section = fatbin({{2, 70, 0, 64, 2 << 20}, {1, 90, 'a'}}) + std::string(72, '\0') + fatbin({{2, 80}, {2, 90}});
  section += fatbin({{2, 100, 'f'}});
  const auto file = with_sections(library, {{".rodata", big + magic + magic + big + fatbin({{2, 10}})},
                                            {".nv_fatbin", section},
                                            {".data", fatbin({{2, 20}}) + big}});
  Stream stream(file);
  const auto image = read_image(stream);
  REQUIRE(image);
  const auto met = meet_fatbins(stream);
  CHECK(met.size() == 5);
  stream.watched_from = file.find(section);
  stream.watched_to = stream.watched_from + section.size();
  const auto code = read_gpu_code(stream, **image, met);
  CHECK(words(code) == "sass sm_70 x1, sass sm_80 x1, sass sm_90 x1, sass sm_100f x1, ptx sm_90a x1");
  CHECK(stream.watched_reads == 0);
  CHECK(words(read_gpu_code(stream, **image)) == words(code));
  CHECK(stream.watched_reads > 0);
}

TEST_CASE("of a stream that has passed once, what was kept tells its GPU code") {
  const ScratchFolder folder;
  const std::string big(3 << 20, '\1');
  auto section = fatbin({{2, 70, 0, 64, 2 << 20}, {1, 90, 'a'}}) + std::string(9000, '\0') + fatbin({{2, 80}, {2, 90}});
  section += fatbin({{2, 100, 'f'}}) + std::string(6000, '\0');
  const auto stream = std::make_shared<Stream>(
      with_sections(elf({}), {{".rodata", big}, {".nv_fatbin", section}, {".data", fatbin({{2, 20}}) + big}}));
  const auto read = [&](bool& opened) {
    const auto archive = KeptArchive::open(folder / "entry", "key");
    archive->set_size(1);
    const KeptFile file(archive, 1, stream->status(), true, [&] {
      opened = true;
      return Result<std::shared_ptr<const File>>(stream);
    });
    const auto met = meet_fatbins(file);
    const auto image = read_image(file);
    REQUIRE(image);
    const auto text = words(read_gpu_code(file, **image, met));
    CHECK(archive->save());
    return text;
  };
  bool first = false, second = false;
  const auto text = read(first);
  CHECK(text == "sass sm_70 x1, sass sm_80 x1, sass sm_90 x1, sass sm_100f x1, ptx sm_90a x1");
  CHECK(first);
  CHECK(read(second) == text);
  CHECK_FALSE(second);
  CHECK(std::filesystem::file_size(folder / "entry") < 100'000);
}

TEST_CASE("of a stripped file the wrappers in its data are followed") {
  constexpr std::uint64_t address = 0x700000;
  const auto container = fatbin({{2, 86}, {1, 86}});
  const auto with_wrapper = [&](std::uint64_t leads_to) {
    std::string wrapper;
    append(wrapper, std::uint32_t{0x466243b1});
    append(wrapper, std::uint32_t{1});
    append(wrapper, leads_to);
    append(wrapper, std::uint64_t{0});
    const auto data = std::string(8, '\0') + wrapper + wrapper;
    ElfSpec spec;
    spec.segments.resize(2);
    const auto size = (elf(spec).size() + 7) / 8 * 8;
    spec.segments = {{PT_LOAD, PF_R, size, address, container.size(), container.size(), 1},
                     {PT_LOAD, PF_R | PF_W, size + container.size(), address + 0x1000, data.size(), data.size(), 1}};
    auto bytes = elf(spec);
    bytes.resize(size);
    return bytes + container + data;
  };
  const auto code = gpu_code_of(with_wrapper(address));
  CHECK(words(code) == "sass sm_86 x1, ptx sm_86 x1");
  CHECK(code.registered);
  CHECK(words(gpu_code_of(with_wrapper(0))).starts_with(" limit: there are no section headers"));
  CHECK(words(gpu_code_of(with_wrapper(address + 8))) == " defect: no fatbin found where one should begin");
}

TEST_CASE("a PE file keeps its fatbins in a section of a shorter name") {
  std::string bytes(0x200, '\0');
  poke(bytes, 0, std::uint16_t{0x5a4d});
  poke(bytes, 0x3c, std::uint32_t{0x80});
  poke(bytes, 0x80, std::uint32_t{0x4550});
  poke(bytes, 0x86, std::uint16_t{2});
  const auto container = fatbin({{2, 61}});
  bytes.replace(0x98, 8, ".nv_fatb");
  poke(bytes, 0x98 + 16, static_cast<std::uint32_t>(container.size()));
  poke(bytes, 0x98 + 20, std::uint32_t{0x200});
  bytes.replace(0xc0, 8, ".nvFatBi");
  const auto code = gpu_code_of(bytes + container);
  CHECK(words(code) == "sass sm_61 x1");
  CHECK(code.registered);
}

TEST_CASE("lying sizes are defects, and what came before them counts") {
  const auto healthy = fatbin({{2, 70}, {2, 80}});
  struct Row {
    std::uint64_t offset, value;
    const char* found;
  };
  constexpr std::uint64_t first = 16, second = 16 + 64 + 24;
  const Row rows[] = {
      {8, UINT64_MAX, " defect: a fatbin runs past its section or the file"},
      {8, 2 * (64 + 24) + 1, " defect: a fatbin runs past its section or the file"},
      {8, 64, " defect: an entry of a fatbin runs past its end"},
      {8, 64 + 24 + 8, "sass sm_70 x1 defect: an entry of a fatbin is cut short"},
      {first + 8, UINT64_MAX - 63, " defect: an entry of a fatbin runs past its end"},
      {second + 8, 25, "sass sm_70 x1 defect: an entry of a fatbin runs past its end"},
      {second + 24, std::uint64_t{7} << 32,
       "sass sm_70 x1 defect: an entry of a fatbin is for no known kind of architecture"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.offset);
    auto bytes = healthy;
    poke(bytes, row.offset, row.value);
    CHECK(words_of_section(bytes) == row.found);
  }
  auto no_header = healthy;
  poke(no_header, first + 4, std::uint32_t{0});  // an entry that leads to itself
  poke(no_header, first + 8, std::uint64_t{0});
  CHECK(words_of_section(no_header) == " defect: an entry of a fatbin runs past its end");
  auto other_magic = healthy;
  poke(other_magic, 0, std::uint32_t{0x12345678});
  CHECK(words_of_section(healthy + other_magic) ==
        "sass sm_70 x1, sass sm_80 x1 defect: no fatbin found where one should begin");
}

TEST_CASE("section headers that lie do no harm") {
  const auto healthy = with_sections(elf({}), {{".nv_fatbin", fatbin({{2, 70}})}});
  const auto table = ByteReader(std::as_bytes(std::span(healthy)), ByteOrder::little).unchecked<std::uint64_t>(40);
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, healthy.size() - 1, UINT64_MAX - 8, UINT64_MAX})
    for (const auto offset :
         {std::uint64_t{40}, table + 64 + 24, table + 64 + 32, table + 128 + 24, table + 128 + 32}) {
      CAPTURE(offset);
      auto bytes = healthy;
      poke(bytes, offset, value);
      CHECK(gpu_code_of(bytes).sass.size() <= 1);
    }
  auto outside = healthy;
  poke(outside, table + 64 + 32, std::uint64_t{1} << 40);
  CHECK(words(gpu_code_of(outside)) == " defect: a section of fatbins runs past the end of the file");
}

TEST_CASE("the number of entries is bounded") {
  std::string entry = fatbin({{2, 70, 0, 48, 0}}).substr(16), many;
  for (int i = 0; i < 250'001; ++i) many += entry;
  std::string container = fatbin({});
  poke(container, 8, std::uint64_t{many.size()});
  const auto code = words_of_section(container + many);
  CHECK(code == "sass sm_70 x250000 limit: more entries of fatbins than are read");
}

TEST_CASE("what code runs on which GPU") {
  struct Row {
    GpuArchitecture code;
    std::uint32_t gpu;
    bool runs, compiles;
  };
  const Row rows[] = {
      {{80, 0}, 80, true, true},       {{80, 0}, 86, true, true},       {{86, 0}, 80, false, false},
      {{80, 0}, 90, false, true},      {{90, 'a'}, 90, true, true},     {{90, 'a'}, 100, false, false},
      {{100, 'a'}, 103, false, false}, {{100, 'f'}, 103, true, true},   {{103, 'f'}, 100, false, false},
      {{100, 'f'}, 120, false, false}, {{100, 'f'}, 101, false, false}, {{120, 'f'}, 121, true, true},
  };
  for (const auto& row : rows) {
    CAPTURE(to_string(row.code) + " on " + std::to_string(row.gpu));
    CHECK(sass_runs_on(row.code, {row.gpu, 0}) == row.runs);
    CHECK(ptx_compiles_for(row.code, {row.gpu, 0}) == row.compiles);
  }
}

TEST_CASE("a GPU is named as nvcc or nvidia-smi does") {
  CHECK(parse_gpu("sm_120") == GpuArchitecture{120, 0});
  CHECK(parse_gpu("12.0") == GpuArchitecture{120, 0});
  CHECK(parse_gpu("8.6") == GpuArchitecture{86, 0});
  for (const auto* text :
       {"", "sm_", "sm_90a", "90", "compute_90", "sm_-1", "sm_4294967386", "8.", ".6", "8.66", "sm_9"})
    CHECK_MESSAGE(!parse_gpu(text), text);
}

TEST_CASE("headers of fatbins at the edge of what may be, and what is said beyond it") {
  CHECK(words_of_section(fatbin({{2, 999}})) == "sass sm_999 x1");
  CHECK(words_of_section(fatbin({{2, 10}})) == "sass sm_10 x1");
  const std::string architecture = " defect: an entry of a fatbin is for no known kind of architecture";
  CHECK(words_of_section(fatbin({{2, 1000}})) == architecture);
  CHECK(words_of_section(fatbin({{2, 9}})) == architecture);
  CHECK(words_of_section(fatbin({{1, 9}})) == architecture);
  CHECK(words_of_section(fatbin({{3, 9}})) == "");
  const auto poked = [](std::uint64_t at, auto value) {
    auto bytes = fatbin({{2, 70}});
    poke(bytes, at, value);
    return words_of_section(bytes);
  };
  const std::string beyond = " defect: a fatbin runs past its section or the file";
  CHECK(poked(0, std::uint32_t{0xba55ed51}) == " defect: no fatbin found where one should begin");
  CHECK(poked(6, std::uint16_t{15}) == beyond);
  CHECK(poked(6, std::uint16_t{105}) == beyond);
  CHECK(poked(8, std::uint64_t{89}) == beyond);
  CHECK(poked(8, std::uint64_t{87}) == " defect: an entry of a fatbin runs past its end");
  CHECK(poked(8, std::uint64_t{47}) == " defect: an entry of a fatbin is cut short");
  CHECK(poked(16 + 4, std::uint32_t{47}) == " defect: an entry of a fatbin runs past its end");
  CHECK(poked(16 + 4, std::uint32_t{89}) == " defect: an entry of a fatbin runs past its end");
  CHECK(poked(16 + 4, std::uint32_t{65}) == " defect: an entry of a fatbin runs past its end");
  CHECK(poked(16 + 8, std::uint64_t{25}) == " defect: an entry of a fatbin runs past its end");
  // A longer header of the container, with the entry behind it.
  auto longer = fatbin({{2, 70}});
  poke(longer, 6, std::uint16_t{24});
  longer.insert(16, 8, '\0');
  CHECK(words_of_section(longer) == "sass sm_70 x1");
}

TEST_CASE("where the header of a fatbin lies in a block") {
  const auto header = [](std::uint16_t own, std::uint64_t size) {
    std::string bytes;
    append(bytes, std::uint32_t{0xba55ed50});
    append(bytes, std::uint16_t{1});
    append(bytes, own);
    append(bytes, size);
    return bytes;
  };
  const auto found = [](const std::string& block, std::uint64_t offset = 0) {
    const auto place = find_fatbin(block, offset);
    return place ? std::to_string(place->at) + "+" + std::to_string(place->size) : "";
  };
  const std::string eight(8, 'x');
  CHECK(found(header(16, 100)) == "0+116");
  CHECK(found(eight + header(24, 100)) == "8+124");
  CHECK(found(std::string(4, 'x') + header(16, 100), 4) == "4+116");
  CHECK(found(std::string(4, 'x') + header(16, 100)) == "");
  CHECK(found(header(15, 100)) == "");
  CHECK(found(header(15, 100) + header(16, 100)) == "16+116");
  CHECK(found(header(16, UINT64_MAX - 16)) == "0+" + std::to_string(UINT64_MAX));
  CHECK(found(header(16, UINT64_MAX - 15)) == "");
  CHECK(found(header(16, 100).substr(0, 15)) == "");
  for (std::size_t before = 0; before < 200; before += 8)
    CHECK(found(std::string(before, 'x') + header(16, 1) + std::string(3, 'y')) == std::to_string(before) + "+17");
}

TEST_CASE("what is read of GPU code for a budget, and that this was not all") {
  const auto bytes = with_sections(elf({}), {{".nv_fatbin", fatbin({{2, 70}, {1, 90}})}});
  const FaultyFile file(bytes);
  const auto image = *read_image(file);
  Budget all;
  CHECK(words(read_gpu_code(file, *image, {}, all)) == "sass sm_70 x1, ptx sm_90 x1");
  REQUIRE(all.cost().steps > 3 * 64);
  for (std::uint64_t steps = 0; steps < all.cost().steps; ++steps) {
    Budget small({.steps = steps});
    const auto code = read_gpu_code(file, *image, {}, small);
    REQUIRE(code.defects.size() >= 1);
    CHECK(code.defects[0].limit);
    CHECK(code.defects[0].message == small.error().message);
  }
  Budget enough({.steps = all.cost().steps});
  CHECK(read_gpu_code(file, *image, {}, enough).defects.empty());
  CHECK(has_gpu_code(file, *image));
  CHECK_FALSE(has_gpu_code(FaultyFile(elf({})), **read_image(FaultyFile(elf({})))));
}

TEST_CASE("which files lack GPU code, so that it need not be looked for") {
  const auto lacks = [](const std::string& bytes) { return (*read_image(FaultyFile(bytes)))->lacks_gpu_code; };
  CHECK(lacks(with_sections(elf({}), {{".rodata", "text"}})));
  CHECK(lacks(with_sections(elf({}), {{".nvFatBinSegment", "x"}})));
  CHECK_FALSE(lacks(elf({})));
  CHECK_FALSE(lacks(with_sections(elf({}), {{".nv_fatbin", ""}})));
  CHECK_FALSE(lacks(with_sections(elf({}), {{"__nv_relfatbin", ""}})));
  CHECK_FALSE(lacks("text"));
  const FaultyFile file(with_sections(elf({}), {{".rodata", "text"}}));
  Image image = **read_image(file);
  image.lacks_gpu_code = false;
  Budget none({.steps = 0});
  note_gpu_code(file, none, image);
  CHECK_FALSE(image.lacks_gpu_code);
  Budget enough;
  note_gpu_code(file, enough, image);
  CHECK(image.lacks_gpu_code);
}

TEST_CASE("so many zeros may stand between two fatbins of a section") {
  const auto one = fatbin({{2, 70}}), other = fatbin({{2, 80}});
  const auto with = [&](std::size_t zeros) { return words_of_section(one + std::string(zeros, '\0') + other); };
  CHECK(with(0) == "sass sm_70 x1, sass sm_80 x1");
  CHECK(with(64 * 1024) == "sass sm_70 x1, sass sm_80 x1");
  CHECK(with(64 * 1024 + 8) == "sass sm_70 x1 defect: no fatbin found where one should begin");
  CHECK(words_of_section(one + std::string(64 * 1024, '\0')) == "sass sm_70 x1");
}

/// A stripped file: GPU code at an address, and data with wrappers, of which each leads somewhere.
struct Wrapped {
  static constexpr std::uint64_t code_address = 0x700000, data_address = 0x900000;
  std::string container = fatbin({{2, 86}}), data = {};
  bool writable = true;
  std::uint64_t shift = 0;  ///< of the data from a multiple of eight

  void add(std::uint64_t leads_to, std::uint32_t version = 1, std::uint32_t magic = 0x466243b1) {
    append(data, magic);
    append(data, version);
    append(data, leads_to);
    append(data, std::uint64_t{0});
  }
  std::string bytes() const {
    ElfSpec spec;
    spec.segments.resize(2);
    const auto size = (elf(spec).size() + 7) / 8 * 8, data_at = size + container.size() + shift;
    const auto flags = static_cast<std::uint32_t>(writable ? PF_R | PF_W : PF_R);
    spec.segments = {{PT_LOAD, PF_R, size, code_address, container.size(), container.size(), 1},
                     {PT_LOAD, flags, data_at, data_address + shift, data.size(), data.size(), 1}};
    auto file = elf(spec);
    file.resize(size);
    file += container;
    file.resize(data_at, '\1');
    return file + data;
  }
  std::string told() const { return words(gpu_code_of(bytes())); }
};

TEST_CASE("which wrappers are followed, and where they may stand") {
  const auto with = [](std::uint32_t version, std::uint32_t magic = 0x466243b1, bool writable = true) {
    Wrapped made;
    made.writable = writable;
    made.add(Wrapped::code_address, version, magic);
    return made.told();
  };
  CHECK(with(0) == "sass sm_86 x1");
  CHECK(with(2) == "sass sm_86 x1");
  CHECK(with(3) == "");
  CHECK(with(1, 0x466243b0) == "");
  CHECK(with(1, 0x466243b2) == "");
  CHECK(with(1, 0x466243b1, false) == "");
  for (const std::uint64_t shift : {1U, 4U, 7U}) {
    Wrapped shifted;
    shifted.shift = shift;
    shifted.data = std::string(8 - shift, '\1');
    shifted.add(Wrapped::code_address);
    CHECK(shifted.told() == "sass sm_86 x1");
  }
  Wrapped cut;
  cut.add(Wrapped::code_address);
  cut.data.pop_back();
  CHECK(cut.told() == "");
  Wrapped unaligned;
  unaligned.data = std::string(4, '\1');
  unaligned.add(Wrapped::code_address);
  CHECK(unaligned.told() == "");
}

TEST_CASE("wrappers stand at the ends of the blocks that are read, and the same one counts once") {
  constexpr std::size_t block = 1 << 20, wrapper = 24;
  for (const std::size_t before : {block - 2 * wrapper - 8, block - 2 * wrapper, block - wrapper - 8, block - wrapper,
                                   block - wrapper + 8, block - 8, block, 2 * (block - wrapper)}) {
    CAPTURE(before);
    Wrapped made;
    made.data = std::string(before, '\1');
    made.add(Wrapped::code_address);
    CHECK(made.told() == "sass sm_86 x1");
  }
}

TEST_CASE("a wrapper without an address, and one whose container is damaged, is told of") {
  const std::string unknown =
      " limit: there are no section headers, and the addresses of fatbins are only known when it is loaded: its GPU "
      "code is unknown";
  Wrapped made;
  made.add(0);
  made.add(Wrapped::code_address);
  CHECK(made.told() == "sass sm_86 x1" + unknown);
  CHECK_FALSE(gpu_code_of(made.bytes()).defects.at(0).offset);
  Wrapped nowhere;
  nowhere.add(0x1234567890);
  CHECK(nowhere.told() == unknown);
  CHECK(gpu_code_of(nowhere.bytes()).registered);
  // After the first damaged one no other is read.
  Wrapped damaged;
  damaged.add(Wrapped::code_address + 8);
  damaged.add(Wrapped::code_address);
  CHECK(damaged.told() == " defect: no fatbin found where one should begin");
  Wrapped none;
  none.data = std::string(64, '\1');
  CHECK(none.told() == "");
  CHECK_FALSE(gpu_code_of(none.bytes()).registered);
}

TEST_CASE("each wrapper that is followed costs a step for each segment") {
  const auto steps = [](std::uint64_t count) {
    Wrapped made;
    for (std::uint64_t i = 0; i < count; ++i) made.add(0x1234567890 + i);
    made.data.resize(1 << 12, '\1');
    const FaultyFile file(made.bytes());
    Budget budget;
    (void)read_gpu_code(file, **read_image(file), {}, budget);
    return budget.cost().steps;
  };
  // The usual segment, that of the code, and that of the data.
  CHECK(steps(1) - steps(0) == 3);
  CHECK(steps(100) - steps(0) == 300);
}

TEST_CASE("so many wrappers are followed") {
  for (const std::uint64_t before : {99'999U, 100'000U}) {
    Wrapped made;
    for (std::uint64_t i = 0; i < before; ++i) made.add(0x1234567890 + i);
    made.add(Wrapped::code_address);
    CHECK(made.told().starts_with("sass sm_86 x1") == (before == 99'999));
  }
}

TEST_CASE("each defect of GPU code has its place") {
  const auto place = [](const std::string& section) {
    const auto bytes = with_sections(elf({}), {{".nv_fatbin", section}});
    const auto code = gpu_code_of(bytes);
    REQUIRE(code.defects.size() == 1);
    CHECK_FALSE(code.defects[0].limit);
    REQUIRE(code.defects[0].offset);
    return *code.defects[0].offset - bytes.find(section);
  };
  const auto one = fatbin({{2, 70}}), two = fatbin({{2, 70}, {2, 80}});
  CHECK(place(one + std::string(16, 'x')) == one.size());
  auto bytes = two;
  poke(bytes, 16 + 64 + 24 + 4, std::uint32_t{47});
  CHECK(place(bytes) == 16 + 64 + 24);
  bytes = two;
  poke(bytes, 8, std::uint64_t{1} << 40);
  CHECK(place(bytes) == 0);
  bytes = two;
  poke(bytes, 16 + 64 + 24 + 28, std::uint32_t{5});
  CHECK(place(bytes) == 16 + 64 + 24);
  bytes = two;
  poke(bytes, 8, std::uint64_t{64 + 24 + 40});
  CHECK(place(bytes) == 16 + 64 + 24);
}

TEST_CASE("the letters of architectures, of which one may be set beside others") {
  const auto with = [](std::uint64_t flags) {
    auto bytes = fatbin({{2, 90}});
    poke(bytes, 16 + 40, flags);
    return words_of_section(bytes);
  };
  CHECK(with(std::uint64_t{1} << 19) == "sass sm_90 x1");
  CHECK(with(std::uint64_t{1} << 20) == "sass sm_90a x1");
  CHECK(with(std::uint64_t{1} << 21) == "sass sm_90f x1");
  CHECK(with(std::uint64_t{1} << 22) == "sass sm_90 x1");
  CHECK(with(std::uint64_t{3} << 20) == "sass sm_90a x1");
}

TEST_CASE("what a fatbin and each of its entries cost") {
  const auto cost = [](const std::string& bytes) {
    const FaultyFile file(bytes);
    Budget budget;
    FileWindow window(file, ByteOrder::little, &budget);
    GpuCode code;
    CHECK(read_fatbin(window, 0, bytes.size(), code) == bytes.size());
    return budget.cost();
  };
  // Each read has 32 steps, and each header 64.
  CHECK(cost(fatbin({})) == Cost{16, 0, 96});
  CHECK(cost(fatbin({{2, 70}})) == Cost{16 + 48, 0, 2 * 96});
  CHECK(cost(fatbin({{2, 70}, {2, 80}, {1, 90}})) == Cost{16 + 3 * 48, 0, 4 * 96});
}

TEST_CASE("fatbins are met in streams alone, and where they end at a multiple of eight") {
  const auto one = fatbin({{2, 70}}), odd = fatbin({{2, 70, 0, 64, 25}});
  CHECK(meet_fatbins(FaultyFile(one)).empty());
  CHECK(meet_fatbins(Stream(odd)).empty());
  CHECK(meet_fatbins(Stream("")).empty());
  CHECK(meet_fatbins(Stream(std::string(100, 'x'))).empty());
  const auto places = [](const std::string& bytes) {
    std::string text;
    for (const auto& [begin, met] : meet_fatbins(Stream(bytes)))
      text += std::to_string(begin) + "-" + std::to_string(met.end) + ":" + words(met.code) + " ";
    return text;
  };
  CHECK(one.size() == 104);
  CHECK(places(one) == "0-104:sass sm_70 x1 ");
  // Zeros in front belong to it, from the beginning or the end of the one before; other bytes do not.
  const std::string zeros(16, '\0'), other = std::string(8, '\0') + std::string(8, 'x');
  CHECK(places(zeros + one + zeros + one) == "0-120:sass sm_70 x1 120-240:sass sm_70 x1 ");
  CHECK(places(other + one + other + one) == "16-120:sass sm_70 x1 136-240:sass sm_70 x1 ");
  CHECK(places(std::string(4, '\0') + one) == "");
  // One that is damaged is passed over.
  auto damaged = one;
  poke(damaged, 8, std::uint64_t{1} << 40);
  CHECK(places(damaged + one) == "104-208:sass sm_70 x1 ");
}

}  // namespace
}  // namespace cudald
