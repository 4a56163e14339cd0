#include "image/image_store.h"

#include <cerrno>

#include <doctest/doctest.h>

#include "common/elf_builder.h"
#include "common/memory_file_system.h"

namespace cudald {
namespace {

using Log = std::vector<std::string>;

TEST_CASE("a path is opened once, however often it is asked for") {
  MemoryFileSystem files;
  files.add_file("/lib/liba.so", elf({.soname = "liba.so"}));
  ImageStore store(files);
  const auto& first = store.open("/lib/liba.so");
  CHECK(files.take_log() == Log{"open /lib/liba.so"});
  CHECK(&store.open("/lib/liba.so") == &first);
  CHECK(store.open("/lib/none.so").error->system_error == ENOENT);
  CHECK(store.open("/lib/none.so").error->system_error == ENOENT);
  CHECK(files.take_log() == Log{"open /lib/none.so"});
  CHECK(store.folder_exists("/lib"));
  CHECK(store.folder_exists("/lib"));
  CHECK_FALSE(store.folder_exists("/lib/liba.so"));
  CHECK_FALSE(store.folder_exists("/none"));
  CHECK_FALSE(store.folder_exists("/none"));
  CHECK(files.take_log() == Log{"status /lib", "status /lib/liba.so", "status /none"});
}

TEST_CASE("two names of one file share what it says, and know where it really lies") {
  MemoryFileSystem files;
  files.add_file("/real/liba.so.1", elf({.soname = "liba.so"}));
  files.add_file("/real/copy.so", elf({.soname = "liba.so"}));
  files.add_symlink("/lib", "/real");
  files.add_hard_link("/other/hard.so", "/real/liba.so.1");
  ImageStore store(files);
  const auto& direct = store.open("/real/liba.so.1");
  const auto& linked = store.open("/lib/liba.so.1");
  const auto& hard = store.open("/other/hard.so");
  CHECK(linked.image == direct.image);
  CHECK(hard.image == direct.image);
  CHECK(linked.status.id == direct.status.id);
  CHECK(linked.real_path == "/real/liba.so.1");
  CHECK(hard.real_path == "/other/hard.so");
  CHECK(store.open("/real/copy.so").image != direct.image);
}

TEST_CASE("an error of the disk is the file's own error, and tried again under another name") {
  MemoryFileSystem files;
  files.add_file("/lib/liba.so", elf({}), {.broken_disk = true});
  files.add_hard_link("/lib/libb.so", "/lib/liba.so");
  ImageStore store(files);
  for (const std::string path : {"/lib/liba.so", "/lib/libb.so"}) {
    const auto& opened = store.open(path);
    REQUIRE(opened.error);
    CHECK(opened.error->system_error == EIO);
    CHECK(opened.error->path == path);
    CHECK_FALSE(opened.image);
  }
}

}  // namespace
}  // namespace cudald
