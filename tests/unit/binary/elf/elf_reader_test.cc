#include <cerrno>
#include <limits>

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "binary/bytes/readers.h"
#include "binary/known_image.h"
#include "unit/binary/image_of.h"
#include "unit/tree/faulty_file.h"

namespace cudald {
namespace {

TEST_CASE("the header is read in both classes and byte orders") {
  struct Row {
    bool is_64;
    ByteOrder order;
    std::uint16_t machine;
    Format format;
  };
  const Row rows[] = {
      {true, ByteOrder::little, EM_X86_64, Format::elf64},
      {false, ByteOrder::little, EM_386, Format::elf32},
      {true, ByteOrder::big, EM_S390, Format::elf64},
      {false, ByteOrder::big, EM_S390, Format::elf32},
  };
  for (const Row& row : rows) {
    CAPTURE(row.machine);
    CAPTURE(row.is_64);
    const auto bytes = elf({.is_64 = row.is_64,
                            .byte_order = row.order,
                            .machine = row.machine,
                            .type = ET_EXEC,
                            .os_abi = ELFOSABI_GNU,
                            .header_flags = 0x12345678,
                            .interpreter = "/lib/ld.so.1",
                            .executable_stack = true,
                            .tls_size = 0x1234});
    const auto image = image_of_bytes(bytes);
    CHECK(image->format == row.format);
    CHECK(image->is_elf());
    CHECK(image->file_size == bytes.size());
    CHECK(image->elf.header.has_magic);
    CHECK(image->elf.header.file_class == (row.is_64 ? ELFCLASS64 : ELFCLASS32));
    CHECK(image->byte_order == row.order);
    CHECK(image->elf.header.data_encoding == (row.order == ByteOrder::little ? ELFDATA2LSB : ELFDATA2MSB));
    CHECK(image->elf.header.ident_version == EV_CURRENT);
    CHECK(image->elf.header.version == EV_CURRENT);
    CHECK(image->elf.header.os_abi == ELFOSABI_GNU);
    CHECK(image->machine == row.machine);
    CHECK(image->type == FileType::executable);
    CHECK(image->elf.header.flags == 0x12345678);
    CHECK(image->elf.header.zero_padding);
    CHECK(image->elf.header.program_header_size_ok);
    CHECK(image->elf.header.program_headers_readable);
    CHECK(image->elf.interpreter == "/lib/ld.so.1");
    CHECK(image->elf.executable_stack == true);
    CHECK(image->elf.tls_size == 0x1234);
    CHECK(image->elf.has_dynamic_segment);
    CHECK_FALSE(image->elf.empty_dynamic_segment);
    REQUIRE(image->elf.load_segments.size() == 1);
    CHECK(image->elf.load_segments[0].offset == 0);
    CHECK(image->elf.load_segments[0].address == 0x10000);
    CHECK(image->elf.load_segments[0].file_size == bytes.size());
    CHECK(image->elf.load_segments[0].memory_size == bytes.size());
    CHECK(image->elf.load_segments[0].alignment == 0x1000);
    CHECK(defects(*image) == "");
  }
}

TEST_CASE("the type of a file is told") {
  const std::pair<std::uint16_t, FileType> rows[] = {
      {ET_NONE, FileType::none},  {ET_REL, FileType::relocatable}, {ET_EXEC, FileType::executable},
      {ET_DYN, FileType::shared}, {ET_CORE, FileType::core},       {0xfe01, FileType::other},
  };
  for (const auto& [number, type] : rows) {
    const auto& shown_number = number;
    CAPTURE(shown_number);
    CHECK(image_of({.type = number})->type == type);
  }
}

TEST_CASE("a file without the magic bytes or with an unknown class or byte order is no ELF file") {
  const auto good = elf({});
  CHECK_FALSE(image_of_bytes("")->elf.header.has_magic);
  CHECK_FALSE(image_of_bytes("/* GNU ld script */ INPUT(libx.so.1)")->elf.header.has_magic);
  CHECK_FALSE(image_of_bytes("\x7f"
                             "ELF")
                  ->is_elf());
  CHECK(image_of_bytes(good.substr(0, 16))->elf.header.has_magic);
  CHECK_FALSE(image_of_bytes(good.substr(0, 16))->is_elf());
  CHECK_FALSE(image_of_bytes(good.substr(0, 63))->is_elf());
  for (const auto& [at, value] : {std::pair{EI_CLASS, '\0'}, {EI_CLASS, '\3'}, {EI_DATA, '\0'}, {EI_DATA, '\3'}}) {
    auto bytes = good;
    bytes[static_cast<std::size_t>(at)] = value;
    const auto image = image_of_bytes(bytes);
    const auto& shown_at = at;
    CAPTURE(shown_at);
    CHECK(image->elf.header.has_magic);
    CHECK_FALSE(image->is_elf());
    CHECK((at == EI_CLASS ? image->elf.header.file_class : image->elf.header.data_encoding) == value);
  }
}

TEST_CASE("what a loader objects to in a header is kept as it is") {
  const auto with = [](std::size_t at, char value) {
    auto bytes = elf({});
    bytes[at] = value;
    return image_of_bytes(bytes);
  };
  CHECK(with(EI_VERSION, 2)->elf.header.ident_version == 2);
  CHECK(with(EI_OSABI, 9)->elf.header.os_abi == 9);
  CHECK(with(EI_ABIVERSION, 7)->elf.header.abi_version == 7);
  CHECK(with(20, 5)->elf.header.version == 5);
  for (std::size_t at = EI_PAD; at < EI_NIDENT; ++at) CHECK_FALSE(with(at, 1)->elf.header.zero_padding);
  CHECK_FALSE(with(54, 55)->elf.header.program_header_size_ok);
}

TEST_CASE("program headers beyond the end of the file are a defect, and nothing is read from there") {
  auto bytes = elf({.soname = "liba.so"});
  poke(bytes, 32, std::uint64_t{bytes.size() - 10});
  const auto image = image_of_bytes(bytes);
  CHECK_FALSE(image->elf.header.program_headers_readable);
  CHECK(defects(*image) == "the program headers run past the end of the file\n");
  CHECK_FALSE(image->soname.has_value());
  poke(bytes, 32, std::numeric_limits<std::uint64_t>::max());
  CHECK_FALSE(image_of_bytes(bytes)->elf.header.program_headers_readable);
}

TEST_CASE("a file cut short keeps what is healthy") {
  const auto built = build_elf({.soname = "liba.so", .needed = {"libb.so"}});
  const auto image = image_of_bytes(built.bytes.substr(0, built.at.at("dynamic") + 16 * 3));
  CHECK(image->soname == "liba.so");
  CHECK(image->elf.needed.size() == 1);
  CHECK(defects(*image) ==
        "a load segment runs past the end of the file: it was cut short\n"
        "the dynamic table has no DT_NULL at its end\n");
}

TEST_CASE("a path of the interpreter without an end is none") {
  auto built = build_elf({.interpreter = "/lib/ld.so.1"});
  const auto header = built.at["segments"];
  // PT_INTERP comes after PT_LOAD; its size loses the NUL.
  REQUIRE(built.bytes[header + 56] == PT_INTERP);
  poke(built.bytes, header + 56 + 32, std::uint64_t{12});
  const auto image = image_of_bytes(built.bytes);
  CHECK_FALSE(image->elf.interpreter.has_value());
  CHECK(defects(*image) == "PT_INTERP holds no terminated path\n");
}

TEST_CASE("a dynamic segment without bytes is that of separate debug information") {
  const auto image = image_of({.segments = {{.type = PT_DYNAMIC, .memory_size = 0x100}}, .dynamic_segment = false});
  CHECK(image->elf.has_dynamic_segment);
  CHECK(image->elf.empty_dynamic_segment);
  CHECK_FALSE(image_of({.dynamic_segment = false})->elf.has_dynamic_segment);
}

TEST_CASE("without a PT_GNU_STACK nothing is said of the stack") {
  CHECK_FALSE(image_of(ElfSpec{})->elf.executable_stack.has_value());
  CHECK(image_of({.executable_stack = false})->elf.executable_stack == false);
}

TEST_CASE("an error of the disk is no image; a file that shrank is one with defects") {
  MemoryFileSystem files;
  files.add_file("/broken", elf({}), {.broken_disk = true});
  const auto image = read_image(**files.open("/broken"));
  REQUIRE_FALSE(image);
  CHECK(image.error().system_error == EIO);

  const auto built = build_elf({.soname = "liba.so", .needed = {"libb.so"}});
  const auto shrunk =
      image_of_bytes(built.bytes.substr(0, built.at.at("strings")), {.claimed_size = built.bytes.size()});
  CHECK(shrunk->is_elf());
  CHECK_FALSE(shrunk->soname.has_value());
  CHECK(shrunk->elf.needed.empty());
  CHECK_FALSE(shrunk->defects.empty());
}

/// A big file that counts the bytes read from it.
class CountingFile final : public File {
 public:
  explicit CountingFile(std::string bytes) : bytes_(std::move(bytes)) {
    status_.kind = FileKind::regular;
    status_.size = std::uint64_t{4} << 30;
  }

  const FileStatus& status() const override { return status_; }

  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    read_ += into.size();
    for (std::size_t i = 0; i < into.size(); ++i)
      into[i] = offset + i < bytes_.size() ? static_cast<std::byte>(bytes_[offset + i]) : std::byte{0};
    return into.size();
  }

  std::size_t bytes_read() const { return read_; }

 private:
  std::string bytes_;
  FileStatus status_;
  mutable std::size_t read_ = 0;
};

TEST_CASE("the cost does not grow with the size of the file") {
  auto built = build_elf({.soname = "liba.so", .needed = {"libb.so", "libc.so.6"}});
  // The load segment goes to the end of 4 GiB.
  poke(built.bytes, built.at["segments"] + 32, std::uint64_t{4} << 30);
  poke(built.bytes, built.at["segments"] + 40, std::uint64_t{4} << 30);
  const CountingFile file(built.bytes);
  const auto image = read_image(file);
  REQUIRE(image);
  CHECK((*image)->elf.needed.size() == 2);
  CHECK(file.bytes_read() < 100'000);
}

TEST_CASE("machines have names, and names numbers") {
  const std::vector<std::pair<std::uint16_t, std::string>> rows{
      {EM_X86_64, "x86_64"}, {EM_AARCH64, "aarch64"}, {EM_386, "i386"}, {EM_ARM, "arm"},    {EM_PPC64, "ppc64"},
      {EM_PPC, "ppc"},       {EM_S390, "s390"},       {243, "riscv"},   {EM_MIPS, "mips"},  {EM_SPARCV9, "sparcv9"},
      {EM_SPARC, "sparc"},   {EM_IA_64, "ia64"},      {190, "cuda"},    {258, "loongarch"},
  };
  for (const auto& [number, name] : rows) {
    CHECK(machine_name(number) == name);
    CHECK(machine_number(name) == number);
  }
  CHECK(machine_name(1234) == "machine 1234");
  CHECK_FALSE(machine_number("vax").has_value());
  CHECK_FALSE(machine_number("").has_value());
}

TEST_CASE("formats and priorities have names") {
  CHECK(to_string(Format::elf32) == "elf32");
  CHECK(to_string(Format::elf64) == "elf64");
  CHECK(to_string(Format::pe32) == "pe32");
  CHECK(to_string(Format::pe32_plus) == "pe32+");
  CHECK(to_string(Format::unknown) == "unknown");
  CHECK(to_string(DlopenPriority::required) == "required");
  CHECK(to_string(DlopenPriority::recommended) == "recommended");
  CHECK(to_string(DlopenPriority::suggested) == "suggested");
}

TEST_CASE("what a segment for thread-local data says") {
  for (const bool is_64 : {true, false})
    for (const std::uint64_t alignment : {0U, 1U, 2U, 64U}) {
      const ElfSegment tls{PT_TLS, PF_R, 1, 0x4321, 3, 0x1234, alignment};
      const auto image = image_of({.is_64 = is_64, .machine = EM_386, .segments = {tls}});
      CHECK(image->elf.tls_size == 0x1234);
      CHECK(image->elf.tls_alignment == std::max<std::uint64_t>(alignment, 1));
      CHECK(image->elf.tls_address == 0x4321);
    }
  // Nothing else says any of it.
  const auto none = image_of({.interpreter = "/lib/ld.so", .build_id = "x", .executable_stack = true});
  CHECK(none->elf.tls_size == 0);
  CHECK(none->elf.tls_alignment == 0);
  CHECK(none->elf.tls_address == 0);
}

TEST_CASE("each field of a load segment, and whether it may be written to") {
  for (const bool is_64 : {true, false})
    for (const std::uint32_t flags : {PF_R | PF_X, PF_R | PF_W}) {
      const auto image = image_of(
          {.is_64 = is_64, .machine = EM_386, .segments = {{PT_LOAD, flags, 0x10, 0x2010, 0x20, 0x30, 0x2000}}});
      REQUIRE(image->elf.load_segments.size() == 2);
      const auto& segment = image->elf.load_segments[1];
      CHECK(segment.offset == 0x10);
      CHECK(segment.address == 0x2010);
      CHECK(segment.file_size == 0x20);
      CHECK(segment.memory_size == 0x30);
      CHECK(segment.alignment == 0x2000);
      CHECK(segment.writable == ((flags & PF_W) != 0));
    }
}

TEST_CASE("a load segment may end where the file does, and of those that do not the first is told") {
  const auto size = elf({.segments = {{PT_LOAD}, {PT_LOAD}}}).size();
  struct Row {
    ElfSegment first, second;
    std::optional<std::uint64_t> told;
  };
  const auto at = [](std::uint64_t offset, std::uint64_t length) {
    return ElfSegment{PT_LOAD, PF_R, offset, 0x900000, length, length, 1};
  };
  for (const auto& row : std::vector<Row>{{at(size - 8, 8), at(size, 0), std::nullopt},
                                          {at(size - 8, 9), at(0, 1), size - 8},
                                          {at(0, 1), at(size + 1, 0), size + 1},
                                          {at(size - 3, 4), at(size - 2, 4), size - 3}}) {
    const auto image = image_of({.segments = {row.first, row.second}});
    REQUIRE(image->defects.size() == (row.told ? 1 : 0));
    if (!row.told) continue;
    CHECK(image->defects[0].message == "a load segment runs past the end of the file: it was cut short");
    CHECK(image->defects[0].offset == row.told);
    CHECK_FALSE(image->defects[0].limit);
  }
}

TEST_CASE("the path of an interpreter has 4095 bytes at most, and the place of one without an end is told") {
  for (const std::size_t length : {4095U, 4096U}) {
    const std::string path(length, 'p');
    const auto built = build_elf({.interpreter = path});
    const auto image = image_of_bytes(built.bytes);
    if (length == 4095) {
      CHECK(image->elf.interpreter == path);
      CHECK(image->defects.empty());
      continue;
    }
    CHECK_FALSE(image->elf.interpreter);
    REQUIRE(image->defects.size() == 1);
    CHECK(image->defects[0].message == "PT_INTERP holds no terminated path");
    CHECK(image->defects[0].offset == built.at.at("interpreter"));
    CHECK_FALSE(image->defects[0].limit);
  }
  auto bytes = elf({});
  poke(bytes, 32, std::uint64_t{bytes.size() - 10});
  const auto image = image_of_bytes(bytes);
  REQUIRE(image->defects.size() == 1);
  CHECK(image->defects[0].offset == bytes.size() - 10);
}

TEST_CASE("each kind of segment says its own and nothing else") {
  const auto interpreted =
      image_of({.interpreter = "/lib/ld.so", .segments = std::vector<ElfSegment>(64, ElfSegment{.type = PT_NOTE})});
  CHECK(defects(*interpreted) == "");
  CHECK_FALSE(interpreted->elf.executable_stack);
  CHECK(interpreted->elf.interpreter == "/lib/ld.so");
  const auto dynamic = image_of({.soname = "liba.so"});
  CHECK_FALSE(dynamic->elf.interpreter);
  CHECK_FALSE(dynamic->elf.executable_stack);
}

TEST_CASE("an image that nobody reads is a library of its kind with the name that it has") {
  const auto elf_image = known_image(ImageSource::requirement, EM_AARCH64, Format::elf64, ByteOrder::big, "liba.so.1");
  CHECK(elf_image->source == ImageSource::requirement);
  CHECK(elf_image->machine == EM_AARCH64);
  CHECK(elf_image->format == Format::elf64);
  CHECK(elf_image->byte_order == ByteOrder::big);
  CHECK(elf_image->type == FileType::shared);
  CHECK(elf_image->soname == "liba.so.1");
  CHECK_FALSE(elf_image->pe);
  CHECK(elf_image->file_size == sizeof(Elf64_Ehdr));
  CHECK(elf_image->elf.header.has_magic);
  CHECK(elf_image->elf.header.file_class == ELFCLASS64);
  CHECK(elf_image->elf.header.data_encoding == ELFDATA2MSB);
  CHECK(elf_image->elf.header.ident_version == EV_CURRENT);
  CHECK(elf_image->elf.header.version == EV_CURRENT);
  CHECK(elf_image->elf.runpath == "$ORIGIN");
  CHECK(elf_image->elf.load_segments.size() == 1);
  CHECK(elf_image->elf.has_dynamic_segment);
  const auto other = known_image(ImageSource::description, EM_386, Format::elf32, ByteOrder::little, "");
  CHECK(other->source == ImageSource::description);
  CHECK(other->elf.header.file_class == ELFCLASS32);
  CHECK(other->elf.header.data_encoding == ELFDATA2LSB);
  CHECK_FALSE(other->elf.runpath);
  CHECK(other->elf.load_segments.size() == 1);
  for (const auto format : {Format::pe32, Format::pe32_plus}) {
    const auto dll = known_image(ImageSource::requirement, EM_386, format, ByteOrder::little, "a.dll");
    CHECK(dll->pe);
    CHECK(dll->soname == "a.dll");
    CHECK(dll->file_size == 0);
    CHECK_FALSE(dll->elf.runpath);
    CHECK_FALSE(dll->elf.header.has_magic);
    CHECK(dll->elf.load_segments.empty());
    CHECK_FALSE(dll->elf.has_dynamic_segment);
  }
}

TEST_CASE("a file that the budget does not allow to read says so before all else") {
  const FaultyFile file(elf({.soname = "liba.so", .needed = {"libb.so"}, .build_id = "x"}));
  Budget all;
  CHECK((*read_image(file, all))->defects.empty());
  REQUIRE(all.cost().steps > 0);
  REQUIRE(all.cost().read > 0);
  const auto check = [&](const CostLimits& limits) {
    Budget small(limits);
    const auto image = read_image(file, small);
    REQUIRE(image);
    REQUIRE_FALSE((*image)->defects.empty());
    CHECK((*image)->defects[0].message == small.error().message);
    CHECK((*image)->defects[0].limit);
    CHECK_FALSE((*image)->defects[0].offset);
  };
  for (std::uint64_t steps = 0; steps < all.cost().steps; ++steps) check({.steps = steps});
  check({.read = all.cost().read - 1});
  for (std::uint64_t kept = 0; kept < all.cost().kept; ++kept) check({.kept = kept});
  Budget enough({.read = all.cost().read, .kept = all.cost().kept, .steps = all.cost().steps});
  CHECK((*read_image(file, enough))->defects.empty());
}

TEST_CASE("the hash functions are those of the System V ABI and of GNU") {
  struct Row {
    std::string name;
    std::uint32_t sysv, gnu;
  };
  // Values as they stand in the tables of real files.
  const Row rows[] = {
      {"", 0, 0x00001505},
      {"printf", 0x077905a6, 0x156b2bb8},
      {"exit", 0x0006cf04, 0x7c967e3f},
      {"syscall", 0x0b09985c, 0xbac212a0},
      {"flapenguin.me", 0x03987915, 0x8ae9f18e},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(sysv_hash(row.name) == row.sysv);
    CHECK(gnu_hash(row.name) == row.gnu);
  }
  CHECK(sysv_hash("GLIBC_2.2.5") == 0x09691a75);
  CHECK(sysv_hash("GLIBC_2.34") == 0x069691b4);
  // Bytes count as unsigned.
  CHECK(gnu_hash("\xff") == 5381u * 33 + 255);
  CHECK(sysv_hash("\xff") == 255);
}

}  // namespace
}  // namespace cudald
