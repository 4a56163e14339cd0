#include "image/image_store.h"

#include <cerrno>
#include <stdexcept>

#include <doctest/doctest.h>

#include "base/parallel.h"
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

/// A tree in which one file cannot even be looked at.
class BrokenTree final : public FileSystem {
 public:
  Result<FileStatus> status(const std::string& path) const override { return files.status(path); }
  Result<std::unique_ptr<File>> open(const std::string& path) const override {
    if (path == "/lib/odd.so") throw std::runtime_error("no such thing");
    return files.open(path);
  }
  Result<std::string> real_path(const std::string& path) const override { return files.real_path(path); }
  Result<std::vector<std::string>> list(const std::string& path) const override { return files.list(path); }

  MemoryFileSystem files;
};

TEST_CASE("what is thrown while files are read ahead reaches who asked") {
  BrokenTree tree;
  tree.files.add_file("/lib/odd.so", elf({}));
  tree.files.add_file("/lib/liba.so", elf({}));
  for (const std::size_t threads : {1U, 4U}) {
    Budget budget;
    ThreadLimit limit(threads);
    ImageStore store(tree, budget, limit);
    CHECK_THROWS_WITH(store.prefetch({"/lib/odd.so", "/lib/liba.so"}), "no such thing");
  }
}

TEST_CASE("a tree in memory may be asked on several threads, as reading ahead does, and notes each look-up") {
  MemoryFileSystem files;
  files.add_file("/lib/liba.so", elf({}));
  ThreadLimit limit(4);
  for_each_index(limit, 50000, [&](std::size_t) { static_cast<void>(files.status("/lib/liba.so")); });
  CHECK(files.take_log() == Log(50000, "status /lib/liba.so"));
}

TEST_CASE("each question pays for each file, whether it was read before or ahead") {
  MemoryFileSystem files;
  for (const std::string name : {"a", "b"}) files.add_file("/lib/" + name, elf({.soname = name}));
  Budget measured;
  ThreadLimit limit(1);
  ImageStore first(files, measured, limit);
  REQUIRE(first.open("/lib/a").image);
  const auto cost = measured.cost();
  REQUIRE(cost.steps > 0);

  // Enough for one of them.
  const CostLimits limits{cost.read * 3 / 2, std::uint64_t{1} << 30, cost.steps * 3 / 2, 200};
  Budget budget(limits);
  ImageStore store(files, budget, limit);
  store.prefetch({"/lib/a", "/lib/b"});
  for (const std::string order : {"ab", "ba"}) {
    budget.restart(limits);
    store.begin_question();
    CHECK(store.open(std::string("/lib/") + order[0]).image);
    CHECK(store.open(std::string("/lib/") + order[0]).image);
    const auto& refused = store.open(std::string("/lib/") + order[1]);
    REQUIRE(refused.error);
    CHECK(refused.error->code == ErrorCode::limit);
    CHECK(store.open(std::string("/lib/") + order[0]).image);
  }
}

}  // namespace
}  // namespace cudald
