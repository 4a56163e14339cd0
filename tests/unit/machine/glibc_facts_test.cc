#include "machine/glibc_facts.h"

#include <elf.h>

#include <doctest/doctest.h>

#include "common/fatbin_file.h"
#include "common/world.h"
#include "unit/machine/cache_file.h"

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

TEST_CASE("what ld.so says is looked for among its constants, and elsewhere where they say less") {
  const auto with = [](const std::string& constants) {
    MemoryFileSystem files;
    files.add_file(interpreter,
                   with_sections(glibc_loader("2.36", {"/code/other", "/usr/lib"}), {{".rodata", constants}}));
    return facts_of(files);
  };
  const auto all = with("stable release version 2.31.\n\0/lib/\0/usr/lib/\0"s);
  CHECK(all.version == LibcVersion{LibcKind::glibc, 2, 31});
  CHECK(lines(all.system_folders) == "/lib\n/usr/lib\n");
  const auto none = with("other"s);
  CHECK(none.version == LibcVersion{LibcKind::glibc, 2, 36});
  CHECK(lines(none.system_folders) == "/usr/lib\n");
  CHECK(with("stable release version 2.31.\n\0/none/\0"s).system_folders == none.system_folders);
  CHECK(lines(with("\0/lib/\0/usr/lib/\0"s).system_folders) == "/lib\n/usr/lib\n");
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

TEST_CASE("a loader with its own prefix has its folders, its cache and its preloads there") {
  MemoryFileSystem files;
  const std::string prefix = "/nix/store/h-glibc-2.40";
  files.add_file(interpreter, glibc_loader("2.40", {prefix + "/lib"}) + prefix + "/etc/ld.so.cache\0"s + prefix +
                                  "/etc/ld-nix.so.preload\0"s);
  files.add_file(prefix + "/etc/ld.so.cache", new_cache({{"x.so", "/opt/x.so"}}));
  files.add_file(prefix + "/etc/ld-nix.so.preload", "/opt/preloaded.so\n");
  files.add_file("/etc/ld.so.cache", new_cache({{"x.so", "/usr/lib/x.so"}}));
  files.add_file("/etc/ld.so.preload", "/opt/of-the-system.so\n");
  const auto facts = facts_of(files);
  CHECK(lines(facts.system_folders) == prefix + "/lib\n");
  CHECK(facts.lib_token == "lib");
  REQUIRE(facts.cache);
  CHECK(facts.cache->find("x.so", {.flags = 0x0303}) == "/opt/x.so");
  CHECK(lines(facts.preload) == "/opt/preloaded.so\n");
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
  CHECK(limits_with(0, 300) ==
        "the dynamic loader " + interpreter + " has more system directories than are searched\n");
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

TEST_CASE("what is assumed of a root is said in full") {
  const MemoryFileSystem files;
  CHECK(lines(facts_of(files).notes) ==
        "the dynamic loader /lib64/ld-linux-x86-64.so.2 is not in this root: its system directories are assumed to be "
        "/lib64 and /usr/lib64\n"
        "no glibc in this root says its version: 2.36 is assumed (--libc glibc-X.Y)\n");
  CHECK_FALSE(facts_of(files).version_known);
  CHECK_FALSE(facts_of(files).folders_known);
  Environment stated;
  stated.libc = LibcVersion{LibcKind::glibc, 2, 20};
  CHECK(facts_of(files, stated).version_known);
  CHECK(facts_of(files, stated).notes.size() == 1);
  const auto arm =
      read_glibc_facts(files, "/lib/ld.so", *find_abi(EM_ARM, Format::elf32, ByteOrder::little), Environment());
  CHECK(lines(arm.system_folders) == "/lib\n/usr/lib\n");
  CHECK(arm.lib_token == "lib");
  CHECK(arm.notes.at(0).starts_with("the dynamic loader /lib/ld.so is not in this root"));
  MemoryFileSystem whole;
  whole.add_file(interpreter, glibc_loader());
  CHECK(facts_of(whole).version_known);
  CHECK(facts_of(whole).folders_known);
}

TEST_CASE("the first folder whose libc says its version tells it") {
  MemoryFileSystem files;
  files.add_file(interpreter, "\0/lib/a/\0/lib/b/\0/lib/c/\0/lib/d/\0"s);
  files.add_file("/lib/b/libc.so.6", "no version");
  files.add_file("/lib/c/libc.so.6", "stable release version 2.27.");
  files.add_file("/lib/d/libc.so.6", "stable release version 2.28.");
  CHECK(facts_of(files).version == LibcVersion{LibcKind::glibc, 2, 27});
  files.add_file(interpreter, "release version 3.1 \0/lib/a/\0/lib/b/\0/lib/c/\0"s);
  CHECK(facts_of(files).version == LibcVersion{LibcKind::glibc, 3, 1});
}

TEST_CASE("a system folder is as long as a path can be, and ends with a slash") {
  const auto folders = [](const std::string& text) {
    MemoryFileSystem files;
    files.add_file(interpreter, "\0/lib/a/\0"s + text);
    return facts_of(files).system_folders;
  };
  const auto long_folder = [](std::size_t size) { return "/lib" + std::string(size - 5, 'x') + "/"; };
  CHECK(folders(long_folder(4096) + "\0"s).size() == 2);
  CHECK(folders(long_folder(4097) + "\0"s).size() == 1);
  CHECK(lines(folders("/lib/b/\0/lib/c\0/lib/d/\0"s)) == "/lib/a\n/lib/b\n");
  CHECK(lines(folders("/lib/b/")) == "/lib/a\n");  // it does not end
  CHECK(lines(folders("lib/b/\0"s)) == "/lib/a\n");
  CHECK(lines(folders("x\0/usr/lib/\0/lib/q/\0"s)) == "/usr/lib\n/lib/q\n");
  CHECK(lines(folders("x\0/lib/q/\0"s)) == "/lib/a\n");  // of two runs of one length the first counts
}

TEST_CASE("$LIB is the first system folder below the root or below /usr") {
  const auto token = [](const std::string& folder) {
    MemoryFileSystem files;
    files.add_file(interpreter, "\0"s + folder + "/\0"s);
    return facts_of(files).lib_token;
  };
  CHECK(token("/usr/lib64") == "lib64");
  CHECK(token("/lib64") == "lib64");
  CHECK(token("/lib/usr/x") == "lib/usr/x");
}

TEST_CASE("what is wrong with the cache is a note, and a limit if it is only too large") {
  MemoryFileSystem files;
  files.add_file(interpreter, glibc_loader());
  files.add_file("/etc/ld.so.cache", "rubbish");
  auto facts = facts_of(files);
  CHECK(lines(facts.notes) ==
        "/etc/ld.so.cache is unusable (neither glibc-ld.so.cache1.1 nor ld.so-1.7.0): the loader acts as if there "
        "were none\n");
  CHECK(lines(facts.limits) == "");
  files.add_file("/etc/ld.so.cache", new_cache({{std::string(4097, 'a'), "/lib/a"}}));
  facts = facts_of(files);
  CHECK(lines(facts.notes) == "");
  CHECK(lines(facts.limits) == "/etc/ld.so.cache is not read: it has names longer than a path can be\n");
  CHECK_FALSE(facts.cache.has_value());
}

TEST_CASE("folders of ld.so.conf that stand in are noted, and what is not read of it is a limit") {
  MemoryFileSystem files;
  files.add_file(interpreter, glibc_loader());
  CHECK(lines(facts_of(files).notes) == "");
  files.add_file("/etc/ld.so.conf", "/opt/lib\ninclude x*y*z*a*b*c\n");
  const auto facts = facts_of(files);
  CHECK(lines(facts.conf_folders) == "/opt/lib\n");
  CHECK(lines(facts.limits) == "ld.so.conf includes more files than are read, or longer ones\n");
  CHECK(lines(facts.notes) ==
        "this root has no /etc/ld.so.cache: the directories of ld.so.conf are searched as if ldconfig had run; the "
        "loader "
        "itself would not look there before that\n");
}

TEST_CASE("a loader, a list of preloads or a cache that is larger than any is not read") {
  const auto facts = [](const std::string& path, std::string bytes, std::uint64_t size) {
    MemoryFileSystem files;
    if (path != interpreter) files.add_file(interpreter, glibc_loader());
    files.add_file(path, std::move(bytes), {.claimed_size = size});
    return facts_of(files);
  };
  CHECK(facts(interpreter, glibc_loader("2.30"), 16 << 20).version.minor == 30);
  CHECK(facts(interpreter, glibc_loader("2.30"), (16 << 20) + 1).version.minor == 36);
  CHECK(facts("/etc/ld.so.preload", "a.so", 1 << 16).preload.size() == 1);
  CHECK(facts("/etc/ld.so.preload", "a.so", (1 << 16) + 1).preload.empty());
  const auto cache = new_cache({{"liba.so", "/opt/liba.so"}});
  CHECK(facts("/etc/ld.so.cache", cache, 1 << 20).cache.has_value());
  CHECK_FALSE(facts("/etc/ld.so.cache", cache, (64 << 20) + 1).cache.has_value());
}

TEST_CASE("of many preloads the first count, in their order") {
  MemoryFileSystem files;
  files.add_file(interpreter, glibc_loader());
  std::string text, expected;
  for (int i = 0; i < 300; ++i) {
    const auto name = "lib" + std::to_string(i) + ".so";
    text += name + ":";
    if (i < 256) expected += name + "\n";
  }
  files.add_file("/etc/ld.so.preload", text);
  CHECK(lines(facts_of(files).preload) == expected);
  CHECK(lines(facts_of(files).limits) == "/etc/ld.so.preload names more libraries than are looked for\n");
}

TEST_CASE("each ABI has its own facts") {
  struct Row {
    std::uint16_t machine;
    Format format;
    ByteOrder order;
    std::string facts;
    std::uint32_t jump_slot, copy;
  };
  const Row rows[] = {
      {EM_X86_64, Format::elf64, ByteOrder::little, "/lib64/ld-linux-x86-64.so.2 x86_64 lib64 x86_64 771",
       R_X86_64_JUMP_SLOT, R_X86_64_COPY},
      {EM_X86_64, Format::elf32, ByteOrder::little, "/libx32/ld-linux-x32.so.2 x32 libx32 x86_64 2051",
       R_X86_64_JUMP_SLOT, R_X86_64_COPY},
      {EM_386, Format::elf32, ByteOrder::little, "/lib/ld-linux.so.2 i386 lib i686 3", R_386_JMP_SLOT, R_386_COPY},
      {EM_AARCH64, Format::elf64, ByteOrder::little, "/lib/ld-linux-aarch64.so.1 aarch64 lib64 aarch64 2563",
       R_AARCH64_JUMP_SLOT, R_AARCH64_COPY},
      {EM_ARM, Format::elf32, ByteOrder::little, "/lib/ld-linux-armhf.so.3 armhf lib v7l 2307", R_ARM_JUMP_SLOT,
       R_ARM_COPY},
      {EM_PPC64, Format::elf64, ByteOrder::little, "/lib64/ld64.so.2 powerpc64le lib64 power9 1283", R_PPC64_JMP_SLOT,
       R_PPC64_COPY},
      {EM_S390, Format::elf64, ByteOrder::big, "/lib/ld64.so.1 s390x lib64 z14 1027", R_390_JMP_SLOT, R_390_COPY},
      {EM_RISCV, Format::elf64, ByteOrder::little, "/lib/ld-linux-riscv64-lp64d.so.1 riscv64 lib64 riscv64 4099",
       R_RISCV_JUMP_SLOT, R_RISCV_COPY},
  };
  CHECK(all_abis().size() == std::size(rows));
  for (const Row& row : rows) {
    CAPTURE(row.facts);
    const auto* abi = find_abi(row.machine, row.format, row.order);
    REQUIRE(abi != nullptr);
    const auto words = {abi->interpreter, abi->musl_name, abi->library_folder, abi->platform};
    std::string text;
    for (const auto word : words) (text += word) += " ";
    CHECK(text + std::to_string(abi->cache_flags) == row.facts);
    CHECK(abi->jump_slot == row.jump_slot);
    CHECK(abi->copy == row.copy);
  }
}

TEST_CASE("a longer run of folders may begin right behind a shorter one") {
  MemoryFileSystem files;
  files.add_file(interpreter, "\0/lib/a/\0/lib/b/\0/lib/c/\0x\0/lib/1/\0/lib/2/\0/lib/3/\0/lib/4/\0"s);
  CHECK(lines(facts_of(files).system_folders) == "/lib/1\n/lib/2\n/lib/3\n/lib/4\n");
}

TEST_CASE("of the folders of a loader 256 are searched") {
  for (const std::size_t count : {255U, 257U}) {
    MemoryFileSystem files;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) names.push_back("/lib" + std::to_string(i));
    files.add_file(interpreter, glibc_loader("2.36", names));
    const auto facts = facts_of(files);
    CHECK(facts.system_folders.back() == "/lib" + std::to_string(std::min<std::size_t>(count, 256) - 1));
    CHECK(facts.limits.empty() == (count == 255));
  }
  // The largest cache that is read.
  MemoryFileSystem files;
  files.add_file(interpreter, glibc_loader());
  files.add_file("/etc/ld.so.cache", new_cache({{"liba.so", "/opt/liba.so"}}), {.claimed_size = 64 << 20});
  CHECK(facts_of(files).cache.has_value());
}

TEST_CASE("what follows the words of a version and is none is passed over") {
  const auto minor_in = [](const std::string& bytes) {
    MemoryFileSystem files;
    files.add_file(interpreter, bytes);
    const auto facts = facts_of(files);
    return facts.version_known ? facts.version.minor : -1;
  };
  for (const std::string wrong : {".5", "x.5", "99999999999.5", "2", "2-5", "2.", "2.x"}) {
    CAPTURE(wrong);
    CHECK(minor_in("release version " + wrong + " release version 2.31.") == 31);
    CHECK(minor_in("release version " + wrong) == -1);
  }
  CHECK(minor_in("release version ") == -1);
  CHECK(minor_in("release version 2.3") == 3);
}

}  // namespace
}  // namespace cudald
