#include "store/symbol_store.h"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "binary/elf/symbol_table.h"
#include "binary/image_store.h"
#include "common/elf_builder.h"
#include "common/memory_file_system.h"
#include "common/stream_tree.h"

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

TEST_CASE("a table that the question cannot afford is told as a limit, and is there for the next") {
  MemoryFileSystem files;
  files.add_file("/lib/liba.so", elf({.defines = {{"f"}}, .uses = {{"g"}}}));
  ImageStore images(files);
  Budget budget({.steps = 0});
  SymbolStore symbols(files, budget);
  const auto object = object_at(images, "/lib/liba.so");
  const auto refused = symbols.get(object);
  REQUIRE(refused->limit());
  CHECK(refused->limit()->message == "its symbol tables are not read: more than 0 steps would be needed for it");
  CHECK(refused->empty());
  budget.restart();
  files.take_log();
  const auto table = symbols.get(object);
  CHECK_FALSE(table->limit());
  CHECK(table->references().size() == 1);
  CHECK(files.take_log().empty());
  CHECK(budget.cost().kept == 0);
  CHECK(budget.cost().steps > 0);
}

TEST_CASE("a file of a machine whose relocations are not known has its symbols all the same") {
  MemoryFileSystem files;
  auto bytes = elf({.defines = {{"f"}}, .uses = {{"g", ElfUse::call}}});
  poke(bytes, 18, std::uint16_t{EM_TI_C6000});
  files.add_file("/lib/liba.so", bytes);
  ImageStore images(files);
  Budget budget;
  SymbolStore symbols(files, budget);
  const auto table = symbols.get(object_at(images, "/lib/liba.so"));
  REQUIRE(table->references().size() == 1);
  CHECK(table->references()[0].name == "g");
  CHECK_FALSE(table->references()[0].use.lazy);
  CHECK(table->references()[0].use.data_class);
  CHECK_FALSE(table->references()[0].use.copy);
}

TEST_CASE("tables of files that are known are not read, and those kept are read anew with the file's own") {
  MemoryFileSystem files;
  const std::string large(40'000, 'f');
  for (const auto* path : {"/lib/liba.so", "/lib/libb.so", "/lib/libc.so"})
    files.add_file(path, elf({.defines = {{large}}, .uses = {{path}}}));
  ImageStore images(files);
  Budget budget;
  SymbolStore symbols(files, budget);
  ThreadLimit threads(2);
  const auto a = object_at(images, "/lib/liba.so"), b = object_at(images, "/lib/libb.so"),
             c = object_at(images, "/lib/libc.so");
  const auto known = SymbolTable::of({}, c.image);
  symbols.know(c.image, known);
  files.take_log();
  CHECK(symbols.get(c) == known);
  CHECK(symbols.get(c, true) == known);
  symbols.read_ahead({a, c}, false, threads);
  CHECK(files.take_log().empty());
  CHECK(symbols.get(a)->references().size() == 1);
  files.take_log();
  symbols.read_ahead({a, b}, false, threads);
  CHECK(files.take_log().empty());
  symbols.read_ahead({a, b, c}, true, threads);
  auto log = files.take_log();
  std::sort(log.begin(), log.end());
  CHECK(log == std::vector<std::string>{"open /lib/liba.so", "open /lib/libb.so"});
}

TEST_CASE("so large a table is not kept, and of many the first are forgotten") {
  // A quarter of 32 MiB is the most that one may have; their names are read when they are asked for.
  const auto library = [](std::size_t size, const char* name) {
    return elf({.defines = {{std::string(size, 'f')}}, .uses = {{name}}});
  };
  constexpr std::size_t quarter = std::size_t{8} << 20;
  MemoryFileSystem files;
  files.add_file("/lib/large.so", library(quarter + 1, "g"));
  for (int i = 0; i < 5; ++i) files.add_file("/lib/" + std::to_string(i) + ".so", library(quarter - 10'000, "g"));
  ImageStore images(files);
  Budget budget;
  SymbolStore symbols(files, budget);
  const auto opened = [&](const std::string& path) {
    const auto object = object_at(images, path);
    files.take_log();
    CHECK(symbols.get(object)->references().size() == 1);
    return files.take_log().size();
  };
  CHECK(opened("/lib/large.so") == 1);
  CHECK(opened("/lib/large.so") == 1);
  for (int i = 0; i < 4; ++i) CHECK(opened("/lib/" + std::to_string(i) + ".so") == 1);
  for (int i = 0; i < 4; ++i) CHECK(opened("/lib/" + std::to_string(i) + ".so") == 0);
  CHECK(opened("/lib/4.so") == 1);
  CHECK(opened("/lib/4.so") == 0);
  CHECK(opened("/lib/0.so") == 1);
}

TEST_CASE("streams are not read ahead, but when they are asked for") {
  MemoryFileSystem files;
  const StreamTree tree(files);
  for (const auto* path : {"/a", "/b"})
    files.add_file(path, elf({.defines = {{std::string(40'000, 'f')}}, .uses = {{path}}}));
  ImageStore images(tree);
  Budget budget;
  SymbolStore symbols(tree, budget);
  ThreadLimit threads(1);
  const auto a = object_at(images, "/a"), b = object_at(images, "/b");
  files.take_log();
  symbols.read_ahead({a, b}, false, threads);
  CHECK(files.take_log() == std::vector<std::string>{"open /a", "open /b"});
  CHECK(symbols.get(a)->references().size() == 1);
  CHECK(files.take_log() == std::vector<std::string>{"open /a"});
}

TEST_CASE("of tables with 32 KiB of names and more the largest are read ahead first") {
  const auto with_names = [](std::size_t size) {
    const auto whole = [](std::size_t letters) {
      return elf({.defines = {{std::string(letters, 'f')}}, .uses = {{"u"}}});
    };
    MemoryFileSystem files;
    files.add_file("/probe", whole(1000));
    const auto other = (*read_image(**files.open("/probe")))->elf.tables.declared_strings_size - 1000;
    return whole(size - other);
  };
  constexpr std::size_t least = std::size_t{32} << 10;
  MemoryFileSystem files;
  files.add_file("/below", with_names(least - 1));
  files.add_file("/least", with_names(least));
  files.add_file("/large", with_names(2 * least));
  files.add_file("/more", with_names(least + 1));
  ImageStore images(files);
  Budget budget;
  SymbolStore symbols(files, budget);
  ThreadLimit threads(1);
  std::vector<Object> objects;
  for (const auto* path : {"/below", "/least", "/large", "/more"}) objects.push_back(object_at(images, path));
  CHECK(objects[1].image->elf.tables.declared_strings_size == least);
  files.take_log();
  symbols.read_ahead(objects, false, threads);
  CHECK(files.take_log() == std::vector<std::string>{"open /large", "open /more", "open /least"});
  // What was read ahead and not asked for is not there the next time.
  symbols.read_ahead({objects[2], objects[3]}, false, threads);
  CHECK(files.take_log() == std::vector<std::string>{"open /large", "open /more"});
  CHECK(symbols.get(objects[1])->references().size() == 1);
  CHECK(files.take_log() == std::vector<std::string>{"open /least"});
}

TEST_CASE("four tables of a quarter each are kept, and one byte more is too much for any") {
  constexpr std::size_t quarter = std::size_t{8} << 20;
  const auto library = [](std::size_t letters) {
    return elf({.defines = {{std::string(letters, 'f')}}, .uses = {{"g"}}});
  };
  MemoryFileSystem files;
  files.add_file("/probe", library(1000));
  ImageStore images(files);
  Budget budget;
  SymbolStore symbols(files, budget);
  const auto other = symbols.get(object_at(images, "/probe"))->memory() - 1000;
  SymbolStore fresh(files, budget);
  for (const auto* path : {"/a", "/b", "/c", "/d"}) files.add_file(path, library(quarter - other));
  files.add_file("/more", library(quarter - other + 1));
  const auto opened = [&](const std::string& path) {
    const auto object = object_at(images, path);
    files.take_log();
    CHECK(fresh.get(object)->memory() == quarter + (path == "/more" ? 1 : 0));
    return files.take_log().size();
  };
  CHECK(opened("/more") == 1);
  for (const auto* path : {"/a", "/b", "/c", "/d"}) CHECK(opened(path) == 1);
  CHECK(opened("/more") == 1);
  for (const auto* path : {"/a", "/b", "/c", "/d"}) CHECK(opened(path) == 0);
  // As files of another tree: the first of them takes the place of all four.
  ImageStore others(files);
  const auto again = [&](const std::string& path) {
    const auto object = object_at(others, path);
    files.take_log();
    (void)fresh.get(object);
    return files.take_log().size();
  };
  for (const auto* path : {"/a", "/b", "/c", "/d"}) CHECK(again(path) == 1);
  for (const auto* path : {"/a", "/b", "/c", "/d"}) CHECK(again(path) == 0);
  CHECK(again("/probe") == 1);
  CHECK(again("/a") == 1);
}

}  // namespace
}  // namespace cudald
