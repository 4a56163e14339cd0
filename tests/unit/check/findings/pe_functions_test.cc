// What DLLs export and import, read for a look at one of them.

#include "check/findings/pe_functions.h"

#include <doctest/doctest.h>

#include "common/pe_builder.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

TEST_CASE("functions are exported by name or by ordinal; a file that is not of Windows has none") {
  MemoryFileSystem files;
  files.add_file("/a.dll", pe({.exports = {{"load", 1, ""}, {"other", 3, ""}}}));
  files.add_file("/text.dll", "text");
  ImageStore images(files);
  const auto functions = functions_in("/a.dll", images);
  REQUIRE(functions);
  CHECK(offers(*functions, {"load", 0}));
  CHECK(offers(*functions, {"", 3}));
  CHECK_FALSE(offers(*functions, {"unload", 0}));
  CHECK_FALSE(offers(*functions, {"", 2}));
  CHECK_FALSE(functions_in("/text.dll", images));
  CHECK_FALSE(functions_in("/absent.dll", images));
}

TEST_CASE("a DLL serves a file if it has all that this imports by its name") {
  MemoryFileSystem files;
  files.add_file("/user.dll", pe({.imports = {{"A.dll", {{"load", 0}, {"other", 0}}}}}));
  files.add_file("/a.dll", pe({.exports = {{"load", 1, ""}, {"other", 3, ""}}}));
  files.add_file("/old.dll", pe({.exports = {{"load", 1, ""}}}));
  files.add_file("/text.dll", "text");
  ImageStore images(files);
  CHECK(serves("/a.dll", "/user.dll", "a.dll", images) == true);
  CHECK(serves("/old.dll", "/user.dll", "a.dll", images) == false);
  CHECK_FALSE(serves("/text.dll", "/user.dll", "a.dll", images));
  CHECK_FALSE(serves("/a.dll", "/user.dll", "b.dll", images));
}

}  // namespace
}  // namespace cudald
