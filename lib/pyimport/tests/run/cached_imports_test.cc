#include "pyimport/run/cached_imports.h"

#include <string>

#include <doctest/doctest.h>

#include "common/memory_file_system.h"
#include "unit/tree/scratch_folder.h"

namespace cudald::python {
namespace {

FollowedImport record_of(const std::string& error, const MemoryFileSystem& files) {
  FollowedImport followed;
  followed.files.statuses = {{"/s/m.py", 0, *files.status("/s/m.py")}};
  followed.variables = {{"A", std::nullopt}};
  followed.result.error = error;
  return followed;
}

}  // namespace

TEST_CASE("what was kept is found by its key and number while all is as it was") {
  const ScratchFolder folder;
  MemoryFileSystem files;
  files.add_file("/s/m.py", "");
  PythonEnvironment python;
  KeptImports kept(folder / "below/it");
  CHECK(kept);
  CHECK_FALSE(kept.has_kept());
  CHECK_FALSE(kept.find("m", 0, python, files).has_value());
  kept.keep("m", 0, record_of("first", files));
  kept.keep("m", 1, record_of("second", files));
  CHECK(kept.has_kept());

  const KeptImports later(folder / "below/it");
  REQUIRE(later.find("m", 0, python, files).has_value());
  CHECK(later.find("m", 0, python, files)->result.error == "first");
  CHECK(later.find("m", 1, python, files)->result.error == "second");
  CHECK_FALSE(later.find("m", 2, python, files).has_value());
  CHECK_FALSE(later.find("n", 0, python, files).has_value());
  python.variables["A"] = "1";
  CHECK_FALSE(later.find("m", 0, python, files).has_value());
  python.variables.clear();
  files.add_file("/s/m.py", "");
  CHECK_FALSE(later.find("m", 0, python, files).has_value());
  kept.keep("m", 0, record_of("third", files));
  CHECK(later.find("m", 0, python, files)->result.error == "third");
}

TEST_CASE("without a folder nothing is kept") {
  MemoryFileSystem files;
  files.add_file("/s/m.py", "");
  KeptImports none("");
  CHECK_FALSE(none);
  none.keep("m", 0, record_of("first", files));
  CHECK_FALSE(none.has_kept());
  CHECK_FALSE(none.find("m", 0, {}, files).has_value());
}

}  // namespace cudald::python
