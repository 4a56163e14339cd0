#include "rewrite/edit_elf.h"

#include "common/elf_builder.h"
#include "unit/rewrite/edited.h"

namespace cudald {
namespace {

const std::string long_path = "$ORIGIN/../a/much/longer/path/than/the/file/had/before";

/// A library with versions; `room` entries are free in its dynamic table.
ElfSpec library(std::size_t room = 1) {
  ElfSpec spec;
  spec.soname = "libx.so.1";
  spec.runpath = "/build/x";
  spec.needed = {"liba.so.1", "libb.so.1"};
  spec.needs_versions = {{"liba.so.1", {{"A_1.0"}}}, {"libb.so.1", {{"B_1.0"}}}};
  spec.defines_versions = {"X_1.0"};
  spec.defines = {{"answer", "X_1.0"}};
  spec.executable_stack = true;
  spec.dynamic.assign(room, {DT_NULL, 0});
  return spec;
}

std::string needed(const Image& image) {
  std::string names;
  for (const auto& each : image.elf.needed) names += each.name + " ";
  for (const auto& need : image.elf.version_needs) names += need.file + ":" + need.versions.front().name + " ";
  return names;
}

TEST_CASE("all edits at once, in both classes and byte orders, in the last segment and in a new one") {
  for (const bool is_64 : {true, false})
    for (const auto order : {ByteOrder::little, ByteOrder::big})
      for (const bool in_new_segment : {false, true}) {
        CAPTURE(is_64);
        CAPTURE(in_new_segment);
        auto spec = library();
        spec.is_64 = is_64;
        spec.byte_order = order;
        spec.machine = is_64 ? EM_PPC64 : EM_PPC;
        // More memory behind the file's bytes than may become zeros.
        if (in_new_segment)
          spec.segments = {{.type = PT_LOAD, .address = 0x90000, .memory_size = 1 << 21, .alignment = 0x1000}};
        const auto bytes = elf(spec);
        const auto made = edited(bytes, {.search_path = long_path,
                                         .renamed = {{"liba.so.1", "libanother.so.1"}},
                                         .added = {"libc.so.6", "libd.so.1"},
                                         .soname = "libsomething-longer.so.1",
                                         .clear_executable_stack = true});
        CHECK(made.room == (in_new_segment ? EditRoom::new_segment : EditRoom::last_segment));
        CHECK(made.growth == made.bytes.size() - bytes.size());
        CHECK(needed(*made.image) ==
              "libanother.so.1 libb.so.1 libc.so.6 libd.so.1 libanother.so.1:A_1.0 libb.so.1:B_1.0 ");
        CHECK(made.image->soname == "libsomething-longer.so.1");
        CHECK(made.image->elf.runpath == long_path);
        CHECK_FALSE(made.image->elf.rpath);
        CHECK(made.image->elf.executable_stack == false);
        CHECK(made.image->defects.empty());
        const auto again = edited(made.bytes, {.search_path = long_path + long_path});
        CHECK(again.image->elf.runpath == long_path + long_path);
        CHECK(needed(*again.image) == needed(*made.image));
      }
}

TEST_CASE("a text that fits replaces the old one where it is") {
  const auto bytes = elf(library());
  const auto made = edited(bytes, {.search_path = "$ORIGIN"});
  CHECK(made.room == EditRoom::in_place);
  CHECK(made.bytes.size() == bytes.size());
  CHECK(made.image->elf.runpath == "$ORIGIN");
  CHECK(made.bytes.find("/build/x") == std::string::npos);
  CHECK(edited(bytes, {.renamed = {{"liba.so.1", "libc.so.1"}}}).room == EditRoom::in_place);
}

TEST_CASE("a text that the file has already is used") {
  const auto bytes = elf(library());
  const auto made = edited(bytes, {.renamed = {{"liba.so.1", "libb.so.1"}}});
  CHECK(made.growth == 0);
  CHECK(needed(*made.image) == "libb.so.1 libb.so.1 libb.so.1:A_1.0 libb.so.1:B_1.0 ");
  CHECK(made.bytes.find("liba.so.1") != std::string::npos);
}

TEST_CASE("a text is not replaced where something else uses its bytes") {
  auto spec = library();
  spec.runpath = "/build/answer-and-more";
  auto built = build_elf(spec);
  const ElfEdits edits{.search_path = "$ORIGIN"};
  CHECK(edited(built.bytes, edits).room == EditRoom::in_place);
  const auto at = built.bytes.find("/build/answer") - built.at["strings"];

  auto symbol = built;  // the name of a symbol begins in it
  poke(symbol.bytes, symbol.at["symbols"] + 24, static_cast<std::uint32_t>(at + 7));
  CHECK(edited(symbol.bytes, edits).room == EditRoom::last_segment);

  auto version = built;  // a needed version is called so
  poke(version.bytes, version.at["version needs"] + 16 + 8, static_cast<std::uint32_t>(at + 1));
  CHECK(edited(version.bytes, edits).room == EditRoom::last_segment);

  auto end = built;  // it is the end of another string
  end.bytes[end.at["strings"] + at - 1] = 'x';
  CHECK(edited(end.bytes, edits).room == EditRoom::last_segment);
}

TEST_CASE("DT_RPATH stays DT_RPATH, and DT_RUNPATH counts where there are both") {
  auto spec = library();
  spec.runpath.reset();
  spec.rpath = "/old";
  const auto rpath = edited(elf(spec), {.search_path = long_path});
  CHECK(rpath.image->elf.rpath == long_path);
  CHECK_FALSE(rpath.image->elf.runpath);
  spec.runpath = "/run";
  const auto both = edited(elf(spec), {.search_path = long_path});
  CHECK(both.image->elf.rpath == "/old");
  CHECK(both.image->elf.runpath == long_path);
  const auto neither = edited(elf(spec), {.search_path = ""});
  CHECK(neither.growth == 0);
  CHECK_FALSE(neither.image->elf.rpath);
  CHECK_FALSE(neither.image->elf.runpath);
}

TEST_CASE("a table of entries without room moves, and has room for later ones") {
  auto spec = library(0);
  spec.runpath.reset();
  const auto bytes = elf(spec);
  const auto made = edited(bytes, {.search_path = "libx.so.1"});  // the text is there, only an entry is needed
  CHECK(made.room == EditRoom::last_segment);
  CHECK(made.image->elf.runpath == "libx.so.1");
  CHECK(edited(made.bytes, {.added = {"libx.so.1"}}).growth == 0);
  CHECK(edited(elf(library(1)), {.added = {"libx.so.1"}}).growth == 0);
}

TEST_CASE("what cannot be edited safely is refused, with the reason") {
  const auto with = [](auto change) {
    auto spec = library();
    change(spec);
    return elf(spec);
  };
  const ElfEdits path{.search_path = long_path};
  CHECK(refusal("MZ and so on", path) == "not an ELF file");
  CHECK(refusal("", path) == "not an ELF file");
  CHECK(refusal(with([](auto& spec) { spec.machine = EM_MIPS; }), path) == "files for MIPS cannot be edited");
  CHECK(refusal(with([](auto& spec) { spec.type = ET_REL; }), path) == "neither a program nor a shared library");
  CHECK(refusal(with([](auto& spec) { spec.dynamic_segment = false; }), path) ==
        "it has no dynamic section: it is linked statically");
  CHECK(refusal(with([](auto& spec) { spec.load_segment = false; }), path) == "it has no load segment");
  CHECK(refusal(with([](auto& spec) {
                  spec.dynamic.clear();
                  spec.dynamic_end = false;
                }),
                path) == "the dynamic section has no DT_NULL at its end");
  CHECK(refusal(with([](auto& spec) { spec.dynamic = {{DT_STRSZ, 1 << 20}}; }), path) ==
        "its table of strings (DT_STRTAB) is in no load segment");
  CHECK(refusal(with([](auto& spec) { spec.dynamic = {{DT_VERNEED, 0x99999}}; }), path) ==
        "its table of needed versions is in no load segment");
  CHECK(refusal(with([](auto& spec) { spec.executable_stack.reset(); }), {.clear_executable_stack = true})
            .starts_with("it has no PT_GNU_STACK header"));
  CHECK(refusal(elf(library()), {.renamed = {{"libq.so", "libr.so"}}}) == "it does not need libq.so (DT_NEEDED)");
  CHECK(refusal(elf(library()), {.added = {""}}) == "the name of a library cannot be empty");
  CHECK(refusal(elf(library()), {.search_path = std::string("a\0b", 3)}) == "a new text is too long or holds a 0");
  // A program's headers cannot move: the kernel looks for them beside its first segment.
  auto program = library();
  program.type = ET_EXEC;
  program.segments = {{.type = PT_LOAD, .address = 0x90000, .memory_size = 1 << 30, .alignment = 0x1000}};
  CHECK(refusal(elf(program), path).starts_with("there is no room for longer tables"));
}

TEST_CASE("of any damaged file the edit is refused or right") {
  const auto good = elf(library());
  const ElfEdits edits{.search_path = long_path, .renamed = {{"liba.so.1", "libanother.so.1"}}, .added = {"libz.so"}};
  for (std::size_t size = 0; size < good.size(); ++size) (void)edit_elf(file_of(good.substr(0, size)), "/file", edits);
  for (std::size_t at = 0; at < good.size(); ++at)
    for (const char value : {'\0', '\1', '\x7f', '\xff'}) {
      auto bytes = good;
      bytes[at] = value;
      const auto made = edit_elf(file_of(bytes), "/file", edits);
      if (!made) CHECK_FALSE(made.error().message.empty());
    }
}

}  // namespace
}  // namespace cudald
