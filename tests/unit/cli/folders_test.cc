#include "cli/folders.h"

#include <doctest/doctest.h>

#include "base/path.h"
#include "common/memory_file_system.h"

namespace cudald {
namespace {

using Words = std::vector<std::string>;

MemoryFileSystem files() {
  MemoryFileSystem result;
  for (const auto* path :
       {"/src/dist/b-1.0-py3-none-any.whl", "/src/dist/a-1.0-py3-none-any.whl", "/src/dist/notes.txt",
        "/src/out/lib/x.so", "/src/out/lib/y.so.1.2", "/src/out/Z.DLL", "/src/out/so.txt", "/src/torch/__init__.py",
        "/src/torch/_C.so", "/src/empty/a.txt", "/src/plain/sub/x.so"})
    result.add_file(path, "");
  result.add_symlink("/src/out/loop", "/src/out");
  return result;
}

Words opened(const Words& targets) { return with_folders_opened(targets, files(), "/src"); }

TEST_CASE("a folder stands for the packages and libraries in it, by path") {
  CHECK(opened({"dist"}) == Words{"dist/a-1.0-py3-none-any.whl", "dist/b-1.0-py3-none-any.whl"});
  CHECK(opened({"./out/"}) == Words{"./out/Z.DLL", "./out/lib/x.so", "./out/lib/y.so.1.2"});
  CHECK(opened({"/src/dist", "x"}) ==
        Words{"/src/dist/a-1.0-py3-none-any.whl", "/src/dist/b-1.0-py3-none-any.whl", "x"});
}

TEST_CASE("modules of Python and files stay what they are") {
  CHECK(opened({"torch", "plain", "dist/notes.txt"}) == Words{"torch", "plain", "dist/notes.txt"});
}

TEST_CASE("a folder without any stays, to be told of") { CHECK(opened({"./empty"}) == Words{"./empty"}); }

}  // namespace
}  // namespace cudald
