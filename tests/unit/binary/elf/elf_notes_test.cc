#include <doctest/doctest.h>

#include <cudald/image.h>

#include "unit/binary/image_of.h"

namespace cudald {
namespace {

constexpr std::uint32_t dlopen_type = 0x407c0c0a, isa_needed = 0xc0008002;

/// What the dlopen notes say, a line each.
std::string dlopens(const Image& image) {
  std::string text;
  for (const auto& note : image.elf.dlopen_notes) {
    for (const auto& soname : note.sonames) text += soname + " ";
    text += "(" + note.feature + ", " + note.description + ", " + std::string(to_string(note.priority)) + ")\n";
  }
  return text;
}

TEST_CASE("notes are read in both classes and byte orders") {
  for (const bool is_64 : {true, false})
    for (const auto order : {ByteOrder::little, ByteOrder::big}) {
      const auto image = image_of({.is_64 = is_64,
                                   .byte_order = order,
                                   .abi_note = AbiNote{0, 3, 2, 1},
                                   .x86_isa_needed = 0x5,
                                   .build_id = "\x01\xab\xff",
                                   .dlopen_notes = {R"([{"soname": ["libx.so.1"]}])"}});
      CAPTURE(is_64);
      REQUIRE(image->elf.abi_note);
      CHECK(image->elf.abi_note->os == 0);
      CHECK(image->elf.abi_note->major == 3);
      CHECK(image->elf.abi_note->minor == 2);
      CHECK(image->elf.abi_note->patch == 1);
      CHECK(image->elf.x86_isa_needed == 0x5U);
      CHECK(image->elf.build_id == "01abff");
      CHECK(dlopens(*image) == "libx.so.1 (, , recommended)\n");
      CHECK(defects(*image) == "");
    }
}

TEST_CASE("a note counts by its owner and its type") {
  const std::string number(16, '\1');
  CHECK_FALSE(image_of({.notes = {{"NetBSD", NT_GNU_ABI_TAG, number}}})->elf.abi_note);
  CHECK_FALSE(image_of({.notes = {{"GNU", 99, number}}})->elf.abi_note);
  CHECK(image_of({.notes = {{"GNU", NT_GNU_ABI_TAG, number}}})->elf.abi_note);
  CHECK_FALSE(image_of({.notes = {{"GNU", NT_GNU_ABI_TAG, number.substr(0, 12)}}})->elf.abi_note);
  CHECK(image_of({.notes = {{"GNU", dlopen_type, R"([{"soname":["x"]}])"}}})->elf.dlopen_notes.empty());
}

TEST_CASE("sixty-four note segments are read, and of more it is told") {
  const auto with = [](std::size_t count) {
    return image_of({.segments = std::vector<ElfSegment>(count, ElfSegment{.type = PT_NOTE})});
  };
  CHECK(defects(*with(64)) == "");
  CHECK(defects(*with(65)) == "limit: more note segments than are read\n");
}

TEST_CASE("several notes stand one after another in one segment") {
  std::string table;
  const auto add = [&table](const std::string& owner, std::uint32_t type, const std::string& text) {
    append(table, static_cast<std::uint32_t>(owner.size() + 1));
    append(table, static_cast<std::uint32_t>(text.size()));
    append(table, type);
    (table += owner) += '\0';
    table.resize((table.size() + 3) / 4 * 4);
    table += text;
    table.resize((table.size() + 3) / 4 * 4);
  };
  add("Go", 4, "abc");
  add("GNU", NT_GNU_BUILD_ID, "\x12");
  add("FDO", dlopen_type, R"([{"soname":["x"]}])");
  auto built = build_elf({.soname = std::string(table.size(), '.'), .segments = {{.type = PT_NOTE, .alignment = 4}}});
  // The table takes the place of the long name.
  const auto at = built.bytes.find("....");
  built.bytes.replace(at, table.size(), table);
  const auto header = built.at["segments"] + 56 * 2;
  REQUIRE(built.bytes[header] == PT_NOTE);
  poke(built.bytes, header + 8, std::uint64_t{at});
  poke(built.bytes, header + 32, std::uint64_t{table.size()});
  const auto image = image_of_bytes(built.bytes);
  CHECK(image->elf.build_id == "12");
  CHECK(dlopens(*image) == "x (, , recommended)\n");
  // A note that runs past the end of the segment ends the reading, without a word.
  poke(built.bytes, header + 32, std::uint64_t{table.size() - 8});
  const auto cut = image_of_bytes(built.bytes);
  CHECK(cut->elf.build_id == "12");
  CHECK(cut->elf.dlopen_notes.empty());
  CHECK(defects(*cut) == "");
}

TEST_CASE("a dlopen note is read as its specification says") {
  struct Row {
    std::string json, said;
  };
  const Row rows[] = {
      {R"([{"soname":["libz.so.1"],"feature":"zip","description":"reads archives","priority":"required"}])",
       "libz.so.1 (zip, reads archives, required)\n"},
      {R"([{"soname":["libz.so.2","libz.so.1"]},{"soname":["liba.so"],"priority":"suggested"}])",
       "libz.so.2 libz.so.1 (, , recommended)\nliba.so (, , suggested)\n"},
      {R"([])", ""},
      {R"([{"feature":"no library"}])", ""},
      {R"([{"soname":[]},{"soname":"libz.so"},{"soname":[1,"liba.so",null]},17])", "liba.so (, , recommended)\n"},
      {R"([{"soname":["a"],"priority":3,"feature":["x"]}])", "a (, , recommended)\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.json);
    const auto image = image_of({.dlopen_notes = {row.json}});
    CHECK(dlopens(*image) == row.said);
    CHECK(defects(*image) == "");
  }
}

TEST_CASE("a dlopen note that is no list of JSON is a defect") {
  for (const std::string json : {"", "{}", "[{", "soname=libz.so", "\"text\"", "[\"a\", \xff]"}) {
    CAPTURE(json);
    const auto image = image_of({.dlopen_notes = {json}});
    CHECK(image->elf.dlopen_notes.empty());
    CHECK(defects(*image) == "a .note.dlopen entry is not the JSON it should be\n");
  }
}

TEST_CASE("JSON nested without end does no harm") {
  const auto image = image_of({.dlopen_notes = {std::string(500'000, '[')}});
  CHECK(image->elf.dlopen_notes.empty());
  CHECK_FALSE(image->defects.empty());
}

/// GNU properties as they stand in a note: type, size, data.
std::string property(std::uint32_t type, const std::string& data, std::size_t padding) {
  std::string text;
  append(text, type);
  append(text, static_cast<std::uint32_t>(data.size()));
  return text + data + std::string(padding, '\0');
}

TEST_CASE("properties are taken as the loader takes them") {
  const std::string bits("\x03\0\0\0", 4), eight(8, '\1');
  const auto isa = property(isa_needed, bits, 4);
  const auto other = [](std::uint32_t type) { return property(type, std::string(4, '\1'), 4); };
  struct Row {
    std::string name;
    std::string text;
    std::optional<std::uint32_t> isa;
  };
  const Row rows[] = {
      {"alone", isa, 3},
      {"after a smaller type", other(0xc0000002) + isa, 3},
      {"before a larger type", isa + other(0xc0010001), 3},
      {"types that descend end the reading", other(0xc0010001) + isa, std::nullopt},
      {"of another size", property(isa_needed, eight, 0), std::nullopt},
      {"longer than the note", property(isa_needed, "", 0) + isa.substr(0, 8), std::nullopt},
      {"not padded to the word", property(isa_needed, bits, 0), std::nullopt},
      {"empty", "", std::nullopt},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const auto image = image_of({.notes = {{"GNU", NT_GNU_PROPERTY_TYPE_0, row.text}}});
    CHECK(image->elf.x86_isa_needed == row.isa);
  }
}

TEST_CASE("the first of several notes of a kind counts") {
  const auto number = [](char first) { return std::string(1, first) + std::string(15, '\0'); };
  const auto image = image_of({.notes = {{"GNU", NT_GNU_ABI_TAG, number('\1')},
                                         {"GNU", NT_GNU_ABI_TAG, number('\2')},
                                         {"GNU", NT_GNU_BUILD_ID, "\x12"},
                                         {"GNU", NT_GNU_BUILD_ID, "\x34"}}});
  REQUIRE(image->elf.abi_note);
  CHECK(image->elf.abi_note->os == 1);
  CHECK(image->elf.build_id == "12");
  CHECK(image_of({.notes = {{"GNU", NT_GNU_BUILD_ID, std::string(64, '\1')}}})->elf.build_id->size() == 128);
  CHECK_FALSE(image_of({.notes = {{"GNU", NT_GNU_BUILD_ID, std::string(65, '\1')}}})->elf.build_id);
}

TEST_CASE("a note counts by both its owner and its type, whatever the kind") {
  const std::string json = R"([{"soname":["x"]}])";
  CHECK(image_of({.notes = {{"FDO", dlopen_type, json}}})->elf.dlopen_notes.size() == 1);
  CHECK(image_of({.notes = {{"FDO", dlopen_type + 1, json}}})->elf.dlopen_notes.empty());
  CHECK_FALSE(image_of({.notes = {{"FDO", NT_GNU_BUILD_ID, "\x12"}}})->elf.build_id);
  CHECK_FALSE(image_of({.notes = {{"GNU", NT_GNU_BUILD_ID + 4, "\x12"}}})->elf.build_id);
  const auto isa = property(isa_needed, std::string("\x03\0\0\0", 4), 4);
  CHECK(image_of({.notes = {{"GNU", NT_GNU_PROPERTY_TYPE_0, isa}}})->elf.x86_isa_needed == 3U);
  CHECK_FALSE(image_of({.notes = {{"FDO", NT_GNU_PROPERTY_TYPE_0, isa}}})->elf.x86_isa_needed);
  CHECK_FALSE(image_of({.notes = {{"GNU", NT_GNU_PROPERTY_TYPE_0 + 1, isa}}})->elf.x86_isa_needed);
}

TEST_CASE("properties in a segment that is aligned to less than the word are passed over") {
  auto built = build_elf({.x86_isa_needed = 0x5});
  const auto header = built.at["segments"] + 56;
  REQUIRE(built.bytes[header] == PT_NOTE);
  CHECK(image_of_bytes(built.bytes)->elf.x86_isa_needed == 5U);
  poke(built.bytes, header + 48, std::uint64_t{4});
  CHECK_FALSE(image_of_bytes(built.bytes)->elf.x86_isa_needed);
}

TEST_CASE("a property that is not padded ends the reading, with what came before it") {
  const std::string bits("\x03\0\0\0", 4);
  const auto image = image_of({.notes = {{"GNU", NT_GNU_PROPERTY_TYPE_0,
                                          property(isa_needed, bits, 4) + property(0xc0010001, "123456789", 7)}}});
  CHECK(image->elf.x86_isa_needed == 3U);
  // Two properties of one type do not descend.
  const auto twice =
      image_of({.notes = {{"GNU", NT_GNU_PROPERTY_TYPE_0,
                           property(isa_needed, std::string("\x01\0\0\0", 4), 4) + property(isa_needed, bits, 4)}}});
  CHECK(twice->elf.x86_isa_needed == 3U);
}

TEST_CASE("dlopen notes are read up to so many names and bytes, and of more it is told once") {
  const auto with = [](std::size_t first, std::size_t second) {
    const auto json = [](std::size_t count) {
      std::string names;
      for (std::size_t i = 0; i < count; ++i) names += (i == 0 ? "\"" : ",\"") + std::string("l\"");
      return "[{\"soname\":[" + names + "]}]";
    };
    return image_of({.dlopen_notes = {json(first), json(second), json(1)}});
  };
  const auto most = with(1000, 23);
  CHECK(most->elf.dlopen_notes.size() == 3);
  CHECK(defects(*most) == "");
  const auto more = with(1000, 30);
  REQUIRE(more->elf.dlopen_notes.size() == 2);
  CHECK(more->elf.dlopen_notes[1].sonames.size() == 24);
  CHECK(defects(*more) == "limit: the .note.dlopen entries name more libraries than are looked for\n");

  // A description is a zero longer than its JSON.
  const auto sized = [](std::size_t size) {
    const std::string json = R"([{"soname":["x"]}])";
    return image_of({.dlopen_notes = {json + std::string(size - 1 - json.size(), ' ')}});
  };
  CHECK(sized(256 << 10)->elf.dlopen_notes.size() == 1);
  CHECK(defects(*sized(256 << 10)) == "");
  CHECK(sized((256 << 10) + 1)->elf.dlopen_notes.empty());
  CHECK(defects(*sized((256 << 10) + 1)) == "limit: the .note.dlopen entries are longer than is read\n");
}

TEST_CASE("of notes that are no JSON a hundred are told") {
  // Several stand in one segment, as only so many of these are read.
  const auto with = [](std::size_t count) {
    std::string table;
    for (std::size_t i = 0; i < count; ++i) {
      for (const std::uint32_t number : {4U, 4U, dlopen_type}) append(table, number);
      table += std::string("FDO\0{[[\0", 8);
    }
    auto bytes = elf({.segments = {{.type = PT_NOTE, .alignment = 4}}});
    const auto header = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr);
    REQUIRE(bytes[header] == PT_NOTE);
    poke(bytes, header + 8, std::uint64_t{bytes.size()});
    poke(bytes, header + 32, std::uint64_t{table.size()});
    return image_of_bytes(bytes + table)->defects.size();
  };
  CHECK(with(100) == 100);
  CHECK(with(101) == 100);
}

TEST_CASE("notes of all segments have 4 MiB at most, of which each has one") {
  const auto with = [](const std::vector<std::uint64_t>& sizes) {
    ElfSpec spec;
    for (const auto size : sizes) spec.segments.push_back({.type = PT_NOTE, .file_size = size, .alignment = 4});
    auto bytes = elf(spec);
    bytes.resize(2 << 20);
    return defects(*image_of_bytes(bytes));
  };
  constexpr std::uint64_t one = 1 << 20;
  CHECK(with({one, one, one, one}) == "");
  CHECK(with({one, one, one, 2 * one}) == "");
  CHECK(with({one, one, one, one, 1}) == "limit: the notes are longer than is read\n");
  CHECK(with({one, one, one, one, 1, 1}) == "limit: the notes are longer than is read\n");
}

TEST_CASE("notes of a size that is just too small or large, and properties that stand alone") {
  CHECK_FALSE(image_of({.notes = {{"GNU", NT_GNU_ABI_TAG, std::string(15, '\1')}}})->elf.abi_note);
  CHECK(image_of({.notes = {{"GNU", NT_GNU_ABI_TAG, std::string(17, '\1')}}})->elf.abi_note);
  CHECK(image_of({.notes = {{"GNU", NT_GNU_BUILD_ID, ""}}})->elf.build_id == "");
  CHECK(image_of({.notes = {{"GNU", NT_GNU_BUILD_ID, "\x09\xa0\x5e"}}})->elf.build_id == "09a05e");
  for (const bool is_64 : {true, false}) {
    const auto isa = property(isa_needed, std::string("\x07\0\0\0", 4), is_64 ? 4 : 0);
    const auto empty = property(0xc0000000, "", 0);
    const auto of = [&](const std::string& text) {
      return image_of({.is_64 = is_64, .machine = EM_386, .notes = {{"GNU", NT_GNU_PROPERTY_TYPE_0, text}}})
          ->elf.x86_isa_needed;
    };
    CHECK(of(isa) == 7U);
    CHECK(of(empty + isa) == 7U);
    CHECK(of(isa + std::string(is_64 ? 8 : 4, '\0')) == 7U);
    CHECK(of(isa + std::string(1, '\0')) == std::nullopt);
    CHECK(of(property(isa_needed, std::string(3, '\1'), is_64 ? 5 : 1)) == std::nullopt);
    CHECK(of(property(isa_needed + 1, std::string(4, '\1'), is_64 ? 4 : 0)) == std::nullopt);
  }
}

TEST_CASE("what is told of notes has no place, and is a limit or is none") {
  const auto json = image_of({.dlopen_notes = {"{"}});
  REQUIRE(json->defects.size() == 1);
  CHECK_FALSE(json->defects[0].limit);
  CHECK_FALSE(json->defects[0].offset);
  const auto many = image_of({.segments = std::vector<ElfSegment>(65, ElfSegment{.type = PT_NOTE})});
  REQUIRE(many->defects.size() == 1);
  CHECK(many->defects[0].limit);
  CHECK_FALSE(many->defects[0].offset);
  // Behind a zero anything may stand.
  const auto ended = image_of({.dlopen_notes = {std::string("[]\0}", 4)}});
  CHECK(ended->defects.empty());
}

}  // namespace
}  // namespace cudald
