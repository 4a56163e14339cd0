#include "store/symbol_store.h"

#include <string>

#include <doctest/doctest.h>

#include "common/elf_builder.h"
#include "common/memory_file_system.h"
#include "image/image_store.h"
#include "image/symbol_table.h"

namespace cudald {
namespace {

/// A file in its place, as it would stand in a process.
Object object_at(ImageStore& images, const std::string& path) {
  Object object;
  object.path = path;
  object.image = images.open(path).image;
  return object;
}

TEST_CASE("a table is read once, one with the file's own references each time") {
  MemoryFileSystem files;
  files.add_file("/lib/liba.so", elf({.soname = "liba.so", .defines = {{"f"}}, .uses = {{"g"}}}));
  ImageStore images(files);
  Budget budget;
  SymbolStore symbols(files, budget);
  const auto object = object_at(images, "/lib/liba.so");
  files.take_log();
  const auto first = symbols.get(object);
  REQUIRE(first != nullptr);
  CHECK(first->references().size() == 1);
  CHECK(files.take_log() == std::vector<std::string>{"open /lib/liba.so"});
  CHECK(symbols.get(object) == first);
  CHECK(files.take_log().empty());
  CHECK(symbols.get(object, true) != first);
  CHECK_FALSE(files.take_log().empty());
}

TEST_CASE("functions of the CUDA runtime that a file defines itself may be answered by another runtime") {
  MemoryFileSystem files;
  files.add_file("/lib/liba.so", elf({.soname = "liba.so",
                                      .defines = {{"cudaMalloc"}, {"__cudaRegisterFunction"}, {"cuInit"}, {"f"}},
                                      .uses = {{"cudaMalloc"}, {"__cudaRegisterFunction"}, {"cuInit"}, {"f"}, {"g"}}}));
  ImageStore images(files);
  Budget budget;
  SymbolStore symbols(files, budget);
  const auto names = [&](bool with_defined) {
    std::vector<std::string> all;
    const auto table = symbols.get(object_at(images, "/lib/liba.so"), with_defined);
    for (const auto& reference : table->references()) all.emplace_back(reference.name);
    return all;
  };
  CHECK(names(false) == std::vector<std::string>{"cudaMalloc", "__cudaRegisterFunction", "g"});
  CHECK(names(true) == std::vector<std::string>{"cudaMalloc", "__cudaRegisterFunction", "cuInit", "f", "g"});
}

TEST_CASE("what begins like a function of the CUDA runtime is none where not one is that each runtime has") {
  for (const std::string one : {"cudaNeverHeardOf", "cudaFree"}) {
    MemoryFileSystem files;
    files.add_file("/lib/liba.so", elf({.defines = {{one}, {"cudaMine"}}, .uses = {{"cudaMine"}, {"g"}}}));
    ImageStore images(files);
    Budget budget;
    SymbolStore symbols(files, budget);
    const auto table = symbols.get(object_at(images, "/lib/liba.so"));
    CHECK(table->references().size() == (one == "cudaFree" ? 2 : 1));
  }
}

TEST_CASE("names are read from the file when they are asked for") {
  MemoryFileSystem files;
  files.add_file("/lib/liba.so", elf({.defines = {{std::string(40'000, 'f')}, {"last"}}, .uses = {{"g"}}}));
  ImageStore images(files);
  Budget budget;
  SymbolStore symbols(files, budget);
  const auto table = symbols.get(object_at(images, "/lib/liba.so"));
  files.take_log();
  std::size_t found = 0;
  table->visit(HashedName("last"), [&](const auto&) { return ++found != 0; });
  CHECK(found == 1);
  CHECK(files.take_log() == std::vector<std::string>{"open /lib/liba.so"});
  CHECK(table->complete());
}

TEST_CASE("a file without symbols, or that has gone, has an empty table") {
  MemoryFileSystem files;
  files.add_file("/lib/liba.so", elf({.soname = "liba.so", .defines = {{"f"}}}));
  files.add_file("/lib/static", elf({.dynamic_segment = false}));
  ImageStore images(files);
  Budget budget;
  SymbolStore symbols(files, budget);
  CHECK(symbols.get(object_at(images, "/lib/static"))->references().empty());
  auto gone = object_at(images, "/lib/liba.so");
  gone.path = "/lib/none.so";
  CHECK(symbols.get(gone)->references().empty());
}

}  // namespace
}  // namespace cudald
