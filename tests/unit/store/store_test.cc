#include "store/store.h"

#include <string>

#include <doctest/doctest.h>

#include <cudald/cuda_library.h>

#include "binary/cached_facts.h"
#include "common/elf_builder.h"
#include "common/memory_file_system.h"
#include "unit/knowledge/library_file.h"
#include "unit/tree/scratch_folder.h"

namespace cudald {
namespace {

TEST_CASE("what a file of CUDA is is found out once; a runtime linked in only where it is asked for") {
  MemoryFileSystem files;
  files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12040));
  files.add_file("/lib/libframe.so", with_linked_runtime(12060));
  ThreadLimit threads(1);
  Store store(files, threads, built_in_knowledge());
  const auto runtime = store.cuda_library("/lib/libcudart.so.12", false);
  REQUIRE(runtime != nullptr);
  CHECK(runtime->version == "12.4");
  files.take_log();
  CHECK(store.cuda_library("/lib/libcudart.so.12", false) == runtime);
  CHECK(files.take_log().empty());
  CHECK(store.cuda_library("/lib/libframe.so", false) == nullptr);
  const auto linked = store.cuda_library("/lib/libframe.so", true);
  REQUIRE(linked != nullptr);
  CHECK(linked->is_static);
  CHECK(linked->version == "12.6");
  CHECK(store.cuda_library("/lib/none.so", true) == nullptr);
}

TEST_CASE("the runtime that is linked into a large file is found once, from run to run") {
  const ScratchFolder folder;
  auto bytes = with_linked_runtime(12060);
  bytes.resize(std::size_t{4} << 20);
  folder.add_file("libframe.so", bytes);
  wait_for_clock();
  const auto files = make_disk_file_system();
  KeptFacts kept(folder / "kept");
  ThreadLimit threads(1);
  Store store(*files, threads, built_in_knowledge());
  store.images.take_facts_from(kept);
  const auto linked = store.cuda_library(folder / "libframe.so", true);
  REQUIRE(linked != nullptr);
  CHECK(kept.has_kept());
  KeptFacts later(folder / "kept");
  Store again(*files, threads, built_in_knowledge());
  again.images.take_facts_from(later);
  const auto known = again.cuda_library(folder / "libframe.so", true);
  REQUIRE(known != nullptr);
  CHECK_FALSE(later.has_kept());
  CHECK(known->is_static);
  CHECK(known->version == "12.6");
  CHECK(known->major == linked->major);
  CHECK(known->evidence == linked->evidence);
}

TEST_CASE("what a file is known to be is not read of it, by whatever path") {
  MemoryFileSystem files;
  files.add_file("/lib/liba.so", elf({.soname = "liba.so"}));
  files.add_hard_link("/lib/libb.so", "/lib/liba.so");
  files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12040));
  files.add_file("/lib/libstatic.so", elf({.soname = "libstatic.so"}));
  ThreadLimit threads(1);
  Store store(files, threads, built_in_knowledge());
  const auto id = [&](const char* path) { return files.status(path)->id; };
  const auto shared = std::make_shared<CudaLibrary>(), linked = std::make_shared<CudaLibrary>();
  linked->is_static = true;
  store.know_cuda_library(id("/lib/liba.so"), shared);
  store.know_cuda_library(id("/lib/libcudart.so.12"), nullptr);
  store.know_cuda_library(id("/lib/libstatic.so"), linked);
  for (const bool with_linked : {false, true}) {
    CHECK(store.cuda_library("/lib/liba.so", with_linked) == shared);
    CHECK(store.cuda_library("/lib/libb.so", with_linked) == shared);
    CHECK(store.cuda_library("/lib/libcudart.so.12", with_linked) == nullptr);
    CHECK(store.cuda_library("/lib/libstatic.so", with_linked) == (with_linked ? linked : nullptr));
  }
  store.know_cuda_library({id("/lib/liba.so").device + 1, id("/lib/liba.so").inode}, nullptr);
  CHECK(store.cuda_library("/lib/./liba.so", false) == shared);
}

TEST_CASE("a question begins with nothing spent, within its own limits") {
  MemoryFileSystem files;
  files.add_file("/lib/liba.so", elf({.soname = "liba.so"}));
  ThreadLimit threads(1);
  Store store(files, threads, built_in_knowledge());
  CHECK(store.images.open("/lib/liba.so").image != nullptr);
  const auto cost = store.budget.cost();
  CHECK(cost.steps > 0);
  store.begin_question({});
  CHECK(store.budget.cost() == Cost{});
  CHECK(store.images.open("/lib/liba.so").image != nullptr);
  CHECK(store.budget.cost() == cost);
  store.begin_question({.steps = cost.steps - 1});
  CHECK(store.images.open("/lib/liba.so").image == nullptr);
  CHECK(store.budget.exhausted());
}

/// A tree from which each file is gone once it was opened.
class VanishingTree final : public FileSystem {
 public:
  Result<FileStatus> status(const std::string& path) const override { return files.status(path); }
  Result<std::unique_ptr<File>> open(const std::string& path) const override {
    if (opened_++ > 0) return Error{ErrorCode::absent, "gone", path, {}};
    return files.open(path);
  }
  Result<std::string> real_path(const std::string& path) const override { return files.real_path(path); }
  Result<std::vector<std::string>> list(const std::string& path) const override { return files.list(path); }

  MemoryFileSystem files;

 private:
  mutable int opened_ = 0;
};

TEST_CASE("a file that has gone meanwhile is none of CUDA, and what was linked in is asked for by itself") {
  VanishingTree tree;
  tree.files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12040));
  ThreadLimit threads(1);
  Store gone(tree, threads, built_in_knowledge());
  CHECK(gone.cuda_library("/lib/libcudart.so.12", true) == nullptr);
  MemoryFileSystem files;
  files.add_file("/lib/libframe.so", with_linked_runtime(12060));
  Store store(files, threads, built_in_knowledge());
  const auto linked = store.cuda_library("/lib/libframe.so", true);
  REQUIRE(linked != nullptr);
  CHECK(linked->kind == CudaKind::cudart);
  CHECK(store.cuda_library("/lib/libframe.so", false) == nullptr);
  files.take_log();
  CHECK(store.cuda_library("/lib/libframe.so", true) == linked);
  CHECK(store.cuda_library("/lib/libframe.so", false) == nullptr);
  CHECK(files.take_log().empty());
}

}  // namespace
}  // namespace cudald
