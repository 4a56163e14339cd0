#include "store/store.h"

#include <string>

#include <doctest/doctest.h>

#include <cudald/cuda_library.h>

#include "common/memory_file_system.h"
#include "unit/cuda/library_file.h"

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

}  // namespace
}  // namespace cudald
