#include "binary/cached_library_texts.h"

#include <string>

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "common/fatbin_file.h"
#include "unit/binary/counted_file.h"
#include "unit/binary/image_of.h"
#include "unit/tree/scratch_folder.h"

namespace cudald {
namespace {

constexpr std::size_t smallest = std::size_t{4} << 20;

std::string large(const std::string& constant, std::size_t size = smallest) {
  auto bytes = with_sections(elf({.uses = {{"dlopen", ElfUse::call}}}), {{".rodata", '\0' + constant + '\0'}});
  bytes.resize(size);
  return bytes;
}

/// "dlopen libx.so@offset", and how often the file was read for it.
std::pair<std::string, unsigned> asked(KeptLibraryTexts& kept, const std::string& path) {
  const CountedFile file(path);
  const auto image = read_image(file);
  REQUIRE(image);
  file.reads = 0;
  const auto texts = kept.read(file, **image);
  CHECK(texts.complete);
  auto words = texts.function;
  for (const auto& text : texts.texts) words += " " + text.name + "@" + std::to_string(text.offset);
  return {words, file.reads};
}

}  // namespace

TEST_CASE("names of libraries in a large file are found once, while it is not changed") {
  const ScratchFolder folder;
  folder.add_file("liba.so", large("libx.so.1"));
  folder.add_file("small.so", large("libx.so.1", smallest - 1));
  wait_for_clock();
  KeptLibraryTexts first(folder / "kept");
  const auto [found, reads] = asked(first, folder / "liba.so");
  CHECK(found.starts_with("dlopen libx.so.1@"));
  CHECK(reads > 0);
  CHECK(first.has_kept());

  KeptLibraryTexts later(folder / "kept");
  CHECK(asked(later, folder / "liba.so") == std::pair{found, 0U});
  CHECK(asked(later, folder / "small.so").second > 0);
  CHECK_FALSE(later.has_kept());
  KeptLibraryTexts small_again(folder / "kept");
  CHECK(asked(small_again, folder / "small.so").second > 0);

  folder.add_file("liba.so", large("liby.so.1"));
  wait_for_clock();
  CHECK(asked(later, folder / "liba.so").first.starts_with("dlopen liby.so.1@"));
  CHECK(later.has_kept());
}

TEST_CASE("of a file that cannot be read no names are kept, nor without a folder") {
  const ScratchFolder folder;
  folder.add_file("liba.so", large("libx.so.1"));
  KeptLibraryTexts kept(folder / "kept");
  wait_for_clock();
  const CountedFile file(folder / "liba.so");
  const auto image = read_image(file);
  REQUIRE(image);
  const CountedFile broken(folder / "liba.so", true);
  CHECK(kept.read(broken, **image).texts.empty());
  CHECK_FALSE(kept.has_kept());
  KeptLibraryTexts nowhere("");
  CHECK(asked(nowhere, folder / "liba.so").second > 0);
  CHECK_FALSE(nowhere.has_kept());
}

TEST_CASE("of large files that nothing tells from others no names are kept") {
  const ScratchFolder folder;
  MemoryFileSystem files;
  KeptLibraryTexts kept(folder / "kept");
  for (const std::string name : {"libx.so.1", "liby.so.1"}) {
    files.add_file("/lib/" + name, large(name));
    const auto file = files.open("/lib/" + name);
    const auto texts = kept.read(**file, **read_image(**file));
    REQUIRE(texts.texts.size() == 1);
    CHECK(texts.texts[0].name == name);
  }
  CHECK_FALSE(kept.has_kept());
}

}  // namespace cudald
