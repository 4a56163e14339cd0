#include "env/glibc_facts.h"

#include <elf.h>

#include <doctest/doctest.h>

#include "common/world.h"
#include "unit/env/cache_file.h"

namespace cudald {
namespace {

using namespace std::string_literals;

const std::string interpreter = "/lib64/ld-linux-x86-64.so.2";

GlibcFacts facts_of(const FileSystem& files, const Environment& environment = {}) {
  return read_glibc_facts(files, interpreter, *find_abi(EM_X86_64, Format::elf64, ByteOrder::little), environment);
}

TEST_CASE("version and system folders stand in ld.so itself") {
  struct Row {
    std::string version;
    std::vector<std::string> folders;
    int minor;
    std::string lib;
  };
  const Row rows[] = {
      {"2.36", {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib", "/usr/lib"}, 36, "lib/x86_64-linux-gnu"},
      {"2.39", {"/lib64", "/usr/lib64"}, 39, "lib64"},
      {"2.41", {"/usr/lib"}, 41, "lib"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.version);
    MemoryFileSystem files;
    files.add_file(interpreter, glibc_loader(row.version, row.folders));
    const auto facts = facts_of(files);
    CHECK(facts.version == LibcVersion{LibcKind::glibc, 2, row.minor});
    CHECK(facts.system_folders == row.folders);
    CHECK(facts.lib_token == row.lib);
    CHECK(lines(facts.notes) == "");
  }
}

TEST_CASE("an older ld.so does not say its version, but its libc does") {
  MemoryFileSystem files;
  files.add_file(interpreter, elf({}) + "\0/lib/\0/usr/lib/\0"s);
  files.add_file("/usr/lib/libc.so.6", "GNU C Library stable release version 2.28.\n");
  const auto facts = facts_of(files);
  CHECK(facts.version == LibcVersion{LibcKind::glibc, 2, 28});
  CHECK(lines(facts.system_folders) == "/lib\n/usr/lib\n");
  CHECK(lines(facts.notes) == "");
}

TEST_CASE("what the user states counts more than what the root says") {
  MemoryFileSystem files;
  files.add_file(interpreter, glibc_loader("2.36"));
  Environment environment;
  environment.libc = LibcVersion{LibcKind::glibc, 2, 17};
  CHECK(facts_of(files, environment).version == LibcVersion{LibcKind::glibc, 2, 17});
}

TEST_CASE("what a root without a loader leaves open is assumed, and said") {
  const MemoryFileSystem files;
  const auto facts = facts_of(files);
  CHECK(facts.version == LibcVersion{LibcKind::glibc, 2, 36});
  CHECK(lines(facts.system_folders) == "/lib64\n/usr/lib64\n");
  CHECK(facts.lib_token == "lib64");
  REQUIRE(facts.notes.size() == 2);
  CHECK(facts.notes[0].find("/lib64 and /usr/lib64") != std::string::npos);
  CHECK(facts.notes[1].find("2.36 is assumed") != std::string::npos);
}

TEST_CASE("text that only looks like a version is passed over") {
  MemoryFileSystem files;
  for (const std::string text :
       {"release version ", "release version 2", "release version x.y", "release version 2."}) {
    CAPTURE(text);
    files.add_file(interpreter, text + " release version 2.31.");
    CHECK(facts_of(files).version == LibcVersion{LibcKind::glibc, 2, 31});
    files.add_file(interpreter, text);
    CHECK(facts_of(files).version == LibcVersion{LibcKind::glibc, 2, 36});
  }
}

TEST_CASE("the longest run of folders is taken, and other strings are none") {
  MemoryFileSystem files;
  files.add_file(interpreter, "\0/lib/only-a-name\0/lib/\0no\0/lib/a/\0/usr/lib/b/\0/lib/\0/usr/lib/\0end\0/lib/x"s);
  CHECK(lines(facts_of(files).system_folders) == "/lib/a\n/usr/lib/b\n/lib\n/usr/lib\n");
}

TEST_CASE("without a cache the folders of ld.so.conf stand in, and it is said") {
  MemoryFileSystem files;
  files.add_file(interpreter, glibc_loader());
  files.add_file("/etc/ld.so.conf", "/opt/cuda/lib64\n");
  const auto facts = facts_of(files);
  CHECK_FALSE(facts.cache.has_value());
  CHECK(lines(facts.conf_folders) == "/opt/cuda/lib64\n");
  REQUIRE(facts.notes.size() == 1);
  CHECK(facts.notes[0].find("no /etc/ld.so.cache") != std::string::npos);

  files.add_file("/etc/ld.so.cache", new_cache({{"liba.so", "/opt/liba.so"}}));
  const auto cached = facts_of(files);
  REQUIRE(cached.cache.has_value());
  CHECK(cached.cache->size() == 1);
  CHECK(cached.conf_folders.empty());
  CHECK(cached.notes.empty());
}

TEST_CASE("an unusable cache is as good as none, and nothing stands in for it") {
  MemoryFileSystem files;
  files.add_file(interpreter, glibc_loader());
  files.add_file("/etc/ld.so.conf", "/opt/cuda/lib64\n");
  files.add_file("/etc/ld.so.cache", "rubbish");
  const auto facts = facts_of(files);
  CHECK_FALSE(facts.cache.has_value());
  CHECK(facts.conf_folders.empty());
  REQUIRE(facts.notes.size() == 1);
  CHECK(facts.notes[0].find("unusable") != std::string::npos);
}

TEST_CASE("ld.so.preload holds names between blanks and colons, and comments") {
  MemoryFileSystem files;
  files.add_file(interpreter, glibc_loader());
  files.add_file("/etc/ld.so.preload", "# first\n/opt/a.so libb.so:libc.so\t # and more.so\n\nlibd.so");
  CHECK(lines(facts_of(files).preload) == "/opt/a.so\nlibb.so\nlibc.so\nlibd.so\n");
}

TEST_CASE("of very many preloads, folders and entries as many count as are read, and the rest is told") {
  const auto limits_with = [](std::size_t preloads, std::size_t folders) {
    MemoryFileSystem files;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < folders; ++i) names.push_back("/lib" + std::to_string(i));
    files.add_file(interpreter, glibc_loader("2.36", names));
    std::string text;
    for (std::size_t i = 0; i < preloads; ++i) text += "lib" + std::to_string(i) + ".so\n";
    files.add_file("/etc/ld.so.preload", text);
    const auto facts = facts_of(files);
    CHECK(facts.preload.size() == std::min<std::size_t>(preloads, 256));
    CHECK(facts.system_folders.size() == std::min<std::size_t>(folders, 256));
    return lines(facts.limits);
  };
  CHECK(limits_with(256, 255) == "");
  CHECK(limits_with(257, 255) == "/etc/ld.so.preload names more libraries than are looked for\n");
  CHECK(limits_with(0, 300) == "the dynamic loader " + interpreter + " has more system folders than are searched\n");
}

TEST_CASE("an ABI is known by machine, class and byte order together") {
  struct Row {
    std::uint16_t machine;
    Format format;
    ByteOrder order;
    std::string interpreter;
    std::uint32_t cache_flags;
  };
  const Row rows[] = {
      {EM_X86_64, Format::elf64, ByteOrder::little, "/lib64/ld-linux-x86-64.so.2", 0x0303},
      {EM_X86_64, Format::elf32, ByteOrder::little, "/libx32/ld-linux-x32.so.2", 0x0803},
      {EM_386, Format::elf32, ByteOrder::little, "/lib/ld-linux.so.2", 0x0003},
      {EM_AARCH64, Format::elf64, ByteOrder::little, "/lib/ld-linux-aarch64.so.1", 0x0a03},
      {EM_PPC64, Format::elf64, ByteOrder::little, "/lib64/ld64.so.2", 0x0503},
  };
  for (const Row& row : rows) {
    CAPTURE(row.interpreter);
    const auto* abi = find_abi(row.machine, row.format, row.order);
    REQUIRE(abi != nullptr);
    CHECK(abi->interpreter == row.interpreter);
    CHECK(abi->cache_flags == row.cache_flags);
  }
  CHECK(find_abi(EM_X86_64, Format::elf64, ByteOrder::big) == nullptr);
  CHECK(find_abi(EM_386, Format::elf64, ByteOrder::little) == nullptr);
  CHECK(find_abi(EM_PPC64, Format::elf64, ByteOrder::big) == nullptr);
  CHECK(find_abi(EM_CUDA, Format::elf64, ByteOrder::little) == nullptr);
}

}  // namespace
}  // namespace cudald
