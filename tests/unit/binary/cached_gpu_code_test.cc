#include "binary/cached_gpu_code.h"

#include <string>

#include <doctest/doctest.h>

#include <cudald/gpu_architecture.h>
#include <cudald/image.h>

#include "common/fatbin_file.h"
#include "unit/binary/counted_file.h"
#include "unit/binary/image_of.h"
#include "unit/tree/scratch_folder.h"

namespace cudald {
namespace {

constexpr std::size_t smallest_of_gpu_code = std::size_t{4} << 20;

std::string large_gpu_library(const std::vector<FatbinEntry>& entries, std::size_t size = smallest_of_gpu_code) {
  auto bytes = gpu_library({}, entries);
  bytes.resize(size);
  return bytes;
}

/// All that is told, in words.
std::string words_of(const GpuCodeReading& reading) {
  const auto& [code, cost] = reading;
  std::string text = std::to_string(code.entries) + (code.registered ? " registered" : "");
  for (const auto& [architecture, count] : code.sass)
    text += ", " + to_string(architecture) + " x" + std::to_string(count);
  for (const auto& [architecture, count] : code.ptx)
    text += ", PTX " + to_string(architecture) + " x" + std::to_string(count);
  for (const auto& defect : code.defects)
    text += ", " + defect.message + (defect.offset ? " with a place" : "") + (defect.limit ? ", a limit" : "");
  return text;
}

struct AskedGpuCode {
  GpuCodeReading reading;
  unsigned reads = 0;  ///< of the file for it
};

AskedGpuCode ask(KeptGpuCode& kept, const std::string& path) {
  const CountedFile file(path);
  const auto image = read_image(file);
  REQUIRE(image);
  file.reads = 0;
  auto reading = kept.read(file, **image);
  return {std::move(reading), file.reads};
}

TEST_CASE("GPU code of a large file is read once, while it is not changed, and costs the same again") {
  const ScratchFolder folder;
  folder.add_file("liba.so", large_gpu_library({{2, 70}, {2, 70}, {2, 90, 'a'}, {1, 120}, {8, 80}}));
  folder.add_file("small.so", large_gpu_library({{2, 70}}, smallest_of_gpu_code - 1));
  wait_for_clock();
  KeptGpuCode first(folder / "kept");
  const auto read = ask(first, folder / "liba.so");
  CHECK(words_of(read.reading) == "5 registered, sm_70 x2, sm_90a x1, PTX sm_120 x1");
  CHECK(read.reads > 0);
  CHECK(read.reading.cost.read > 5 * 48);
  CHECK(read.reading.cost.steps > 5 * 64);
  CHECK(first.has_kept());

  KeptGpuCode later(folder / "kept");
  const auto again = ask(later, folder / "liba.so");
  CHECK(words_of(again.reading) == words_of(read.reading));
  CHECK(again.reading.cost == read.reading.cost);
  CHECK(again.reads == 0);
  for (int i = 0; i < 2; ++i) CHECK(ask(later, folder / "small.so").reads > 0);
  CHECK_FALSE(later.has_kept());

  folder.add_file("liba.so", large_gpu_library({{2, 86}}));
  wait_for_clock();
  CHECK(words_of(ask(later, folder / "liba.so").reading) == "1 registered, sm_86 x1");
  CHECK(later.has_kept());
}

TEST_CASE("defects of GPU code are kept, and what could not be read is not") {
  const ScratchFolder folder;
  auto damaged = with_sections(elf({}), {{".nv_fatbin", fatbin({{2, 70}}) + "no fatbin, but sixteen bytes"}});
  damaged.resize(smallest_of_gpu_code);
  folder.add_file("damaged.so", damaged);
  wait_for_clock();
  KeptGpuCode kept(folder / "kept");
  const CountedFile file(folder / "damaged.so");
  const auto image = read_image(file);
  REQUIRE(image);
  const CountedFile broken(folder / "damaged.so", true);
  CHECK(words_of(kept.read(broken, **image)) == "0");
  CHECK_FALSE(kept.has_kept());
  const auto expected = "1, sm_70 x1, no fatbin found where one should begin with a place";
  CHECK(words_of(ask(kept, folder / "damaged.so").reading) == expected);
  CHECK(kept.has_kept());
  const auto again = ask(kept, folder / "damaged.so");
  CHECK(words_of(again.reading) == expected);
  CHECK(again.reads == 0);
  KeptGpuCode nowhere("");
  CHECK(ask(nowhere, folder / "damaged.so").reads > 0);
  CHECK_FALSE(nowhere.has_kept());
}

}  // namespace
}  // namespace cudald
