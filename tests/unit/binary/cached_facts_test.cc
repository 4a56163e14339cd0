#include "binary/cached_facts.h"

#include <string>

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "binary/image_store.h"
#include "common/fatbin_file.h"
#include "unit/binary/counted_file.h"
#include "unit/binary/image_of.h"
#include "unit/tree/scratch_folder.h"

namespace cudald {
namespace {

std::string padded(std::string bytes, std::size_t size = std::size_t{4} << 20) {
  bytes.resize(size);
  return bytes;
}

/// What is kept of a file for a question; "read" where nothing is.
std::string kept_of(KeptReadings& readings, const std::string& path, const std::string& question) {
  const CountedFile file(path);
  return readings.read(file, [](const File&) { return std::string("read"); }, question);
}

TEST_CASE("what is found in one file for several questions is kept for each") {
  const ScratchFolder folder;
  folder.add_file("large", padded("x"));
  folder.add_file("small", padded("x", 99));
  wait_for_clock();
  const auto answer = [&](KeptReadings& readings, const std::string& name, const std::string& question) {
    const CountedFile file(folder / name);
    return readings.read(file, [&](const File&) { return "found " + question; }, question);
  };
  KeptReadings first(folder / "kept", "answers", 100);
  CHECK(answer(first, "large", "a") == "found a");
  CHECK(answer(first, "large", "b") == "found b");
  CHECK(answer(first, "small", "a") == "found a");
  KeptReadings again(folder / "kept", "answers", 100), others(folder / "kept", "others", 100);
  CHECK(kept_of(again, folder / "large", "a") == "found a");
  CHECK(kept_of(again, folder / "large", "b") == "found b");
  CHECK(kept_of(again, folder / "large", "") == "read");
  CHECK(kept_of(again, folder / "small", "a") == "read");
  CHECK(kept_of(others, folder / "large", "a") == "read");
}

TEST_CASE("a store takes what is kept of large files, and keeps what it finds, and so does a store for another view") {
  const ScratchFolder folder;
  for (const std::string name : {"a", "b"}) {
    folder.add_file("gpu_" + name, padded(gpu_library({}, {{2, name == "a" ? 70U : 80U}})));
    folder.add_file("lib_" + name, padded(with_sections(elf({.uses = {{"dlopen", ElfUse::call}}}),
                                                        {{".rodata", '\0' + ("libx" + name + ".so") + '\0'}})));
  }
  wait_for_clock();
  const auto files = make_disk_file_system();
  KeptFacts kept(folder / "kept");
  ImageStore store(*files);
  store.take_facts_from(kept);
  CHECK(&store.kept_facts() == &kept);
  const ImageStore& known = store;
  ImageStore view(*files, known);
  for (const auto& [name, asker] : {std::pair("a", &store), {"b", &view}}) {
    const auto gpu = folder / (std::string("gpu_") + name), library = folder / (std::string("lib_") + name);
    const auto text = "libx" + std::string(name) + ".so";
    CHECK(asker->gpu_code(gpu)->sass.size() == 1);
    REQUIRE(asker->library_texts(library).texts.size() == 1);
    CHECK(asker->library_texts(library).texts[0].name == text);
    const auto place = asker->constant_text(library, *asker->open(library).image, text);
    CHECK(place == asker->library_texts(library).texts[0].offset);
    CHECK_FALSE(asker->constant_text(library, *asker->open(library).image, "none"));
    CHECK_FALSE(asker->constant_text(folder / "absent", *asker->open(library).image, text));

    KeptFacts later(folder / "kept");
    const CountedFile code(gpu), constants(library);
    const auto image = *read_image(code), other = *read_image(constants);
    code.reads = constants.reads = 0;
    CHECK(later.gpu_code.read(code, *image).code.sass.size() == 1);
    CHECK(later.texts.read(constants, *other).texts.size() == 1);
    const auto nothing = [](const File&) { return std::optional<std::uint64_t>(); };
    CHECK(later.constants.read(constants, nothing, text) == place);
    CHECK(code.reads + constants.reads == 0);
    CHECK_FALSE(later.has_kept());
  }
  CHECK(kept.has_kept());
}

TEST_CASE("a store without a place for it keeps nothing") {
  MemoryFileSystem files;
  const ImageStore store(files);
  CHECK_FALSE(store.kept_facts().has_kept());
}

}  // namespace
}  // namespace cudald
