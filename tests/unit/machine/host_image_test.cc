#include <doctest/doctest.h>
#include <elf.h>

#include <functional>

#include "binary/known_image.h"
#include "machine/host_library.h"

namespace cudald {
namespace {

using Json = nlohmann::ordered_json;

const HostMachine usual_of_images{EM_X86_64, Format::elf64, ByteOrder::little};

std::shared_ptr<Image> plain_image(const HostMachine& machine = usual_of_images) {
  auto image = known_image(ImageSource::description, machine.machine, machine.format, machine.order, "");
  image->soname.reset();
  image->elf.executable_stack = false;
  return image;
}

std::string row_of(const Image& image) {
  Json row = Json::object();
  add_image(row, image, usual_of_images);
  return row.dump();
}

std::shared_ptr<const Image> image_of(const std::string& row) {
  return read_image_row(nlohmann::json::parse(row), usual_of_images);
}

TEST_CASE("an image as most are needs no row, and each fact that differs stands in it and comes back") {
  using Change = std::function<void(Image&)>;
  struct Row {
    Change change;
    std::string row;
  };
  const auto segments = [](LoadSegment segment) {
    return [segment](Image& image) { image.elf.load_segments = {segment}; };
  };
  constexpr std::uint64_t end = std::uint64_t{1} << 36, alignment = std::uint64_t{1} << 30;
  const Row rows[] = {
      {[](Image&) {}, "{}"},
      {[](Image& i) { i.soname = "a.so"; }, R"({"soname":"a.so"})"},
      {[](Image& i) { i.soname = ""; }, R"({"soname":""})"},
      {[](Image& i) { i.type = FileType::none; }, R"({"type":"none"})"},
      {[](Image& i) { i.type = FileType::relocatable; }, R"({"type":"relocatable"})"},
      {[](Image& i) { i.type = FileType::executable; }, R"({"type":"executable"})"},
      {[](Image& i) { i.type = FileType::core; }, R"({"type":"core"})"},
      {[](Image& i) { i.type = FileType::other; }, R"({"type":"other"})"},
      {[](Image& i) { i.file_size = sizeof(Elf64_Ehdr) - 1; }, R"({"size":63})"},
      {[](Image& i) { i.file_size = sizeof(Elf64_Ehdr); }, "{}"},
      {[](Image& i) { i.elf.header.zero_padding = false; }, R"({"header":[true,2,1,1,false,1,true,true]})"},
      {[](Image& i) { i.elf.header.has_magic = false; }, R"({"header":[false,2,1,1,true,1,true,true]})"},
      {[](Image& i) { i.elf.header.file_class = 3; }, R"({"header":[true,3,1,1,true,1,true,true]})"},
      {[](Image& i) { i.elf.header.data_encoding = 3; }, R"({"header":[true,2,3,1,true,1,true,true]})"},
      {[](Image& i) { i.elf.header.ident_version = 3; }, R"({"header":[true,2,1,3,true,1,true,true]})"},
      {[](Image& i) { i.elf.header.version = 3; }, R"({"header":[true,2,1,1,true,3,true,true]})"},
      {[](Image& i) { i.elf.header.program_header_size_ok = false; }, R"({"header":[true,2,1,1,true,1,false,true]})"},
      {[](Image& i) { i.elf.header.program_headers_readable = false; }, R"({"header":[true,2,1,1,true,1,true,false]})"},
      {[](Image& i) { i.elf.header.os_abi = 3; }, R"({"os_abi":[3,0]})"},
      {[](Image& i) { i.elf.header.abi_version = 3; }, R"({"os_abi":[0,3]})"},
      {[](Image& i) { i.elf.header.flags = 3; }, R"({"flags":3})"},
      {[](Image& i) {
         i.elf.needed = {{NeededTag::needed, "a"}, {NeededTag::filter, "b"}, {NeededTag::auxiliary, "c"}};
       },
       R"({"needed":["a",["filter","b"],["auxiliary","c"]]})"},
      {[](Image& i) { i.elf.rpath = "/r"; }, R"({"rpath":"/r"})"},
      {[](Image& i) { i.elf.runpath = "/r"; }, R"({"runpath":"/r"})"},
      {[](Image& i) { i.elf.interpreter = "/ld.so"; }, R"({"interpreter":"/ld.so"})"},
      {[](Image& i) { i.elf.audit = {"a", "b"}; }, R"({"audit":["a","b"]})"},
      {[](Image& i) { i.elf.depaudit = {"a", "b"}; }, R"({"depaudit":["a","b"]})"},
      {[](Image& i) { i.elf.executable_stack = true; }, R"({"stack":"executable"})"},
      {[](Image& i) { i.elf.executable_stack.reset(); }, R"({"stack":"not told"})"},
      {[](Image& i) { i.elf.tls_size = 1, i.elf.tls_alignment = 16; }, R"({"tls":1})"},
      {[](Image& i) { i.elf.tls_size = 1, i.elf.tls_alignment = 64; }, R"({"tls":1,"tls_alignment":64})"},
      {[](Image& i) { i.elf.static_tls = true; }, R"({"static_tls":true})"},
      {[](Image& i) { i.elf.symbolic = true; }, R"({"symbolic":true})"},
      {[](Image& i) { i.elf.bind_now = true; }, R"({"bind_now":true})"},
      {[](Image& i) { i.elf.flags_1 = 8; }, R"({"flags_1":8})"},
      {[](Image& i) { i.elf.abi_note = {0, 3, 2, 1}; }, R"({"abi_note":[0,3,2,1]})"},
      {[](Image& i) { i.elf.x86_isa_needed = 0; }, R"({"isa_needed":0})"},
      {[](Image& i) { i.elf.has_dynamic_segment = false; }, R"({"dynamic":"none"})"},
      {[](Image& i) { i.elf.empty_dynamic_segment = true; }, R"({"dynamic":"empty"})"},
      {[](Image& i) { i.has_gpu_code = true; }, R"({"gpu_code":true})"},
      {[](Image& i) { i.defects = {{"odd", 5, true}}; }, R"({"defects":[["odd",true,5]]})"},
      {[](Image& i) { i.elf.load_segments.clear(); }, R"({"segments":[]})"},
      {segments({4096, alignment + 4096, 5, 6, alignment}), "{}"},
      {segments({4096, 8192, 5, 6, alignment}), R"({"segments":[[4096,8192,5,6,1073741824]]})"},
      {segments({0, 2 * alignment, 5, 6, 2 * alignment}), R"({"segments":[[0,2147483648,5,6,2147483648]]})"},
      {segments({4096, 8193, 5, 6, 4096}), R"({"segments":[[4096,8193,5,6,4096]]})"},
      {segments({4096, 8192, 5, 6, alignment + 1}), R"({"segments":[[4096,8192,5,6,1073741825]]})"},
      {segments({0, end - 4096, 5, end - 1, 4096}), "{}"},
      {segments({0, end, 5, 6, 4096}), R"({"segments":[[0,68719476736,5,6,4096]]})"},
      {segments({0, 0, 5, end, 4096}), R"({"segments":[[0,0,5,68719476736,4096]]})"},
      {[](Image& i) { i.elf.load_segments = {{0, 8192, 1, 2, 4096}, {4096, 4096, 3, 4, 4096}}; },
       R"({"segments":[[0,8192,1,2,4096],[4096,4096,3,4,4096]]})"},
  };
  for (const auto& [change, row] : rows) {
    const auto& seen_row = row;
    CAPTURE(seen_row);
    const auto image = plain_image();
    change(*image);
    CHECK(row_of(*image) == row);
    CHECK(row_of(*image_of(row)) == row);
  }
}

TEST_CASE("what a row does not say is as in most files") {
  const auto image = image_of("{}");
  CHECK(image->is_elf());
  CHECK(image->source == ImageSource::description);
  CHECK(image->machine == EM_X86_64);
  CHECK(image->type == FileType::shared);
  CHECK_FALSE(image->soname);
  CHECK(image->elf.needed.empty());
  CHECK_FALSE(image->elf.rpath);
  CHECK_FALSE(image->elf.runpath);
  CHECK_FALSE(image->elf.interpreter);
  CHECK(image->elf.executable_stack == false);
  CHECK(image->elf.tls_size == 0);
  CHECK(image->elf.has_dynamic_segment);
  CHECK_FALSE(image->elf.empty_dynamic_segment);
  CHECK_FALSE(image->elf.version_needs_format);
  CHECK_FALSE(image->elf.abi_note);
  CHECK_FALSE(image->elf.x86_isa_needed);
  CHECK_FALSE(image->has_gpu_code);
  CHECK(image->defects.empty());
}

TEST_CASE("another machine, class and byte order is told by a row of three") {
  for (const auto& [machine, row] :
       {std::pair(HostMachine{EM_AARCH64, Format::elf64, ByteOrder::little}, R"({"machine":[183,64,"little"]})"),
        std::pair(HostMachine{EM_386, Format::elf32, ByteOrder::little}, R"({"machine":[3,32,"little"]})"),
        std::pair(HostMachine{EM_S390, Format::elf64, ByteOrder::big}, R"({"machine":[22,64,"big"]})")}) {
    CHECK(row_of(*plain_image(machine)) == row);
    const auto image = image_of(row);
    CHECK(HostMachine{image->machine, image->format, image->byte_order} == machine);
  }
  CHECK(image_of(R"({"machine":[183,64]})")->machine == EM_X86_64);
  CHECK(image_of(R"({"machine":183})")->machine == EM_X86_64);
}

TEST_CASE("definitions of versions need their numbers only where these are not in order") {
  const auto image = plain_image();
  const auto add = [&](const std::string& name, std::uint16_t index, bool base) {
    image->elf.version_definitions.push_back({name, 0, index, base});
  };
  add("a.so", 1, true);
  add("A_1", 2, false);
  CHECK(row_of(*image) == R"({"defines":["a.so","A_1"]})");
  add("A_9", 9, false);
  add("A_4", 4, true);
  add("A_5", 5, false);
  image->elf.version_definitions.back().format = 16;
  const std::string row = R"({"defines":["a.so","A_1",["A_9",9,false],["A_4",4,true],["A_5",5,false,16]]})";
  CHECK(row_of(*image) == row);
  const auto read = image_of(row);
  CHECK(row_of(*read) == row);
  const auto& definitions = read->elf.version_definitions;
  REQUIRE(definitions.size() == 5);
  CHECK(definitions[0].base);
  CHECK(definitions[0].index == 1);
  CHECK_FALSE(definitions[1].base);
  CHECK(definitions[2].index == 9);
  CHECK(definitions[3].base);
  CHECK(definitions[4].index == 5);
  CHECK(definitions[4].format == 16);
  CHECK(definitions[3].format == 1);
  CHECK(definitions[1].hash == sysv_hash("A_1"));
}

TEST_CASE("wanted versions come back with their numbers and bits") {
  const auto image = plain_image();
  image->elf.version_needs = {
      {"libc.so", {{"A", 0, 2, false, false}, {"B", 0, 3, true, false}, {"C", 0, 4, false, true}}}, {"libm.so", {}}};
  image->elf.version_needs_format = 1;
  const std::string row = R"({"wants":[["libc.so","A",2,"B",65539,"C",131076],["libm.so"]]})";
  CHECK(row_of(*image) == row);
  const auto read = image_of(row);
  CHECK(row_of(*read) == row);
  REQUIRE(read->elf.version_needs.size() == 2);
  const auto& versions = read->elf.version_needs[0].versions;
  REQUIRE(versions.size() == 3);
  CHECK(versions[0].index == 2);
  CHECK(versions[0].hash == sysv_hash("A"));
  CHECK(versions[1].weak);
  CHECK_FALSE(versions[1].hidden);
  CHECK(versions[1].index == 3);
  CHECK(versions[2].hidden);
  CHECK_FALSE(versions[2].weak);
  CHECK(read->elf.version_needs_format == 1);
  image->elf.version_needs_format = 2;
  CHECK(row_of(*image) == R"({"wants":[["libc.so","A",2,"B",65539,"C",131076],["libm.so"]],"wants_format":2})");
  CHECK(image_of(row_of(*image))->elf.version_needs_format == 2);
  CHECK(image_of(R"({"wants":[[],"a",["x","A"]]})")->elf.version_needs.size() == 1);
}

TEST_CASE("notes of what is opened by dlopen are passed on, those without a name are none") {
  const auto image = plain_image();
  image->elf.dlopen_notes.resize(3);
  image->elf.dlopen_notes[0].sonames = {"a.so", "b.so"};
  image->elf.dlopen_notes[0].feature = "feature";
  image->elf.dlopen_notes[0].description = "description";
  image->elf.dlopen_notes[0].priority = DlopenPriority::required;
  image->elf.dlopen_notes[1].sonames = {"c.so"};
  image->elf.dlopen_notes[1].priority = DlopenPriority::suggested;
  image->elf.dlopen_notes[2].sonames = {"d.so"};
  image->elf.dlopen_notes[2].priority = DlopenPriority::recommended;
  const std::string row = R"({"dlopen_notes":[[["a.so","b.so"],"feature","description","required"],)"
                          R"([["c.so"],"","","suggested"],[["d.so"],"","","recommended"]]})";
  CHECK(row_of(*image) == row);
  const auto read = image_of(row);
  CHECK(row_of(*read) == row);
  CHECK(read->elf.dlopen_notes[0].priority == DlopenPriority::required);
  CHECK(read->elf.dlopen_notes[2].priority == DlopenPriority::recommended);
  CHECK(image_of(R"({"dlopen_notes":[[[],"","",""],[["a"],"",""],["a","","",""],[[5],"","",""],7]})")
            ->elf.dlopen_notes.empty());
}

TEST_CASE("a file that is no ELF file has its size, and its header if it begins like one") {
  Image image;
  image.file_size = 500;
  CHECK(row_of(image) == R"({"no_elf":500})");
  auto read = image_of(R"({"no_elf":500})");
  CHECK_FALSE(read->is_elf());
  CHECK(read->file_size == 500);
  CHECK(read->source == ImageSource::description);
  CHECK_FALSE(read->elf.header.has_magic);
  image.elf.header.has_magic = true;
  image.elf.header.file_class = 7;
  const auto row = row_of(image);
  read = image_of(row);
  CHECK(row_of(*read) == row);
  CHECK(read->elf.header.has_magic);
  CHECK(read->elf.header.file_class == 7);
}

TEST_CASE("a header of another length says nothing") {
  CHECK(row_of(*image_of(R"({"header":[true,2,1,1,false,1,true]})")) == "{}");
  CHECK(row_of(*image_of(R"({"header":5,"segments":5,"defines":5,"wants":5,"dlopen_notes":5,"needed":5})")) == "{}");
  CHECK(row_of(*image_of(R"({"abi_note":[1,2,3],"os_abi":[1]})")) == "{}");
}

TEST_CASE("a flag of a header that is none is not set, and each field has its own place") {
  const auto header = image_of(R"({"header":[1,3,4,5,1,6,"true",1]})")->elf.header;
  CHECK_FALSE(header.has_magic);
  CHECK_FALSE(header.zero_padding);
  CHECK_FALSE(header.program_header_size_ok);
  CHECK_FALSE(header.program_headers_readable);
  CHECK(header.file_class == 3);
  CHECK(header.data_encoding == 4);
  CHECK(header.ident_version == 5);
  CHECK(header.version == 6);
  const auto big = image_of(R"({"header":[true,256,256,256,true,4294967296,true,true]})")->elf.header;
  CHECK(big.file_class == 0);
  CHECK(big.data_encoding == 0);
  CHECK(big.ident_version == 0);
  CHECK(big.version == 0);
}

TEST_CASE("segments come back whole, and rows of another length are none") {
  const auto image = image_of(R"({"segments":[[1,2,3,4,5],[1,2,3,4],7,[6,7,8,9,10,11]]})");
  REQUIRE(image->elf.load_segments.size() == 1);
  const auto& segment = image->elf.load_segments[0];
  CHECK(segment.offset == 1);
  CHECK(segment.address == 2);
  CHECK(segment.file_size == 3);
  CHECK(segment.memory_size == 4);
  CHECK(segment.alignment == 5);
  CHECK_FALSE(segment.writable);
}

TEST_CASE("what is of another kind in a row of an image is as if it were not there") {
  const auto image = image_of(R"({"soname":5,"rpath":5,"runpath":[],"interpreter":{},"audit":"x","type":"odd","size":-1,
    "needed":[5,["auxiliary","b"],["x","c"],["a","b","c"]],"tls":0,"tls_alignment":64,"stack":5,"dynamic":5,
    "defines":[["A",2],["B",3,1],["C",4,true,"x"]]})");
  CHECK_FALSE(image->soname);
  CHECK_FALSE(image->elf.rpath);
  CHECK_FALSE(image->elf.runpath);
  CHECK_FALSE(image->elf.interpreter);
  CHECK(image->elf.audit.empty());
  CHECK(image->type == FileType::shared);
  CHECK(image->file_size == plain_image()->file_size);
  CHECK_FALSE(image->elf.executable_stack);
  CHECK(image->elf.has_dynamic_segment);
  std::string needed;
  for (const auto& one : image->elf.needed) needed += std::to_string(static_cast<int>(one.tag)) + one.name + " ";
  CHECK(needed == "0 2b 2c 0 ");
  CHECK(image_of(R"({"tls":8,"tls_alignment":"x"})")->elf.tls_alignment == 16);
  CHECK(image_of(R"({"tls_alignment":64})")->elf.tls_alignment == plain_image()->elf.tls_alignment);
  std::string defined;
  for (const auto& one : image->elf.version_definitions)
    defined += one.name + std::to_string(one.index) + (one.base ? "base " : " ") + std::to_string(one.format) + " ";
  CHECK(defined == "1base 1 B3 1 C4base 0 ");
}

TEST_CASE("the number of a wanted version has fifteen bits, and what else stands in a row of them is passed over") {
  const auto needs = image_of(R"({"wants":[["libc.so","A",32769,"B",262143,"C"],[5,"D","x"]]})")->elf.version_needs;
  REQUIRE(needs.size() == 2);
  REQUIRE(needs[0].versions.size() == 2);
  CHECK(needs[0].file == "libc.so");
  CHECK(needs[0].versions[0].index == 1);
  CHECK_FALSE(needs[0].versions[0].weak);
  CHECK_FALSE(needs[0].versions[0].hidden);
  CHECK(needs[0].versions[1].index == 0x7fff);
  CHECK(needs[0].versions[1].weak);
  CHECK(needs[0].versions[1].hidden);
  CHECK(needs[1].file == "");
  REQUIRE(needs[1].versions.size() == 1);
  CHECK(needs[1].versions[0].name == "D");
  CHECK(needs[1].versions[0].index == 0);
  CHECK(image_of(R"({"wants":[["a","A",65536]]})")->elf.version_needs[0].versions[0].weak);
  CHECK(image_of(R"({"wants":[["a","A",131072]]})")->elf.version_needs[0].versions[0].hidden);
  CHECK(image_of(R"({"tls":8})")->elf.tls_alignment == 16);
}

}  // namespace
}  // namespace cudald
