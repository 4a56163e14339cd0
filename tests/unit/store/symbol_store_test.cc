#include "store/symbol_store.h"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <cudald/image.h>

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

TEST_CASE("tables of large files are read ahead, in any number of threads, and paid for when they are asked for") {
  for (const std::size_t most : {1, 4}) {
    CAPTURE(most);
    MemoryFileSystem files;
    const std::string large(40'000, 'f');
    files.add_file("/lib/liba.so", elf({.defines = {{large}}, .uses = {{"a"}}}));
    files.add_file("/lib/libb.so", elf({.defines = {{large}}, .uses = {{"b"}}}));
    files.add_file("/lib/libsmall.so", elf({.defines = {{"f"}}, .uses = {{"s"}}}));
    ImageStore images(files);
    Budget budget;
    SymbolStore symbols(files, budget);
    ThreadLimit threads(most);
    const std::vector<Object> objects{object_at(images, "/lib/liba.so"), object_at(images, "/lib/libsmall.so"),
                                      object_at(images, "/lib/libb.so"), object_at(images, "/lib/liba.so")};
    files.take_log();
    symbols.read_ahead(objects, false, threads);
    auto log = files.take_log();
    std::sort(log.begin(), log.end());
    CHECK(log == std::vector<std::string>{"open /lib/liba.so", "open /lib/libb.so"});
    CHECK(budget.cost() == Cost{});
    const auto table = symbols.get(objects[2]);
    REQUIRE(table->references().size() == 1);
    CHECK(budget.cost().steps > 0);
    CHECK(files.take_log().empty());
    CHECK(table->references()[0].name == "b");
    files.take_log();
    CHECK(symbols.get(objects[0])->references().size() == 1);
    CHECK(files.take_log().empty());
    CHECK(symbols.get(objects[1])->references().size() == 1);
    CHECK(files.take_log() == std::vector<std::string>{"open /lib/libsmall.so"});
    symbols.read_ahead(objects, false, threads);  // all are kept
    CHECK(files.take_log().empty());
  }
}

TEST_CASE("nothing is read ahead of one file alone, nor of one that has gone") {
  MemoryFileSystem files;
  files.add_file("/lib/liba.so", elf({.defines = {{std::string(40'000, 'f')}}, .uses = {{"a"}}}));
  ImageStore images(files);
  Budget budget;
  SymbolStore symbols(files, budget);
  ThreadLimit threads(2);
  auto one = object_at(images, "/lib/liba.so");
  files.take_log();
  symbols.read_ahead({one}, false, threads);
  CHECK(files.take_log().empty());
  auto gone = one;
  gone.image = std::make_shared<const Image>(*one.image);
  gone.path = "/lib/none.so";
  symbols.read_ahead({gone, one}, false, threads);
  CHECK(symbols.get(gone)->references().empty());
  CHECK(symbols.get(one)->references().size() == 1);
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
