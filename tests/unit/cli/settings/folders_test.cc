#include "cli/settings/folders.h"

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

TEST_CASE("programs of a folder count where they are asked for: by their bytes and the right to execute them") {
  auto tree = files();
  const std::string elf_program = "\x7f" + std::string("ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0", 17);
  tree.add_file("/src/app/train", elf_program, {.executable = true});
  tree.add_file("/src/app/data", elf_program);
  tree.add_file("/src/app/run.sh", "#!/bin/sh\n", {.executable = true});
  CHECK(with_folders_opened({"app", "./app"}, tree, "/src", 10, true) == Words{"app/train", "./app/train"});
  CHECK(with_folders_opened({"app", "./app"}, tree, "/src") == Words{"app", "./app"});
}

TEST_CASE("modules of Python and files stay what they are") {
  CHECK(opened({"torch", "plain", "dist/notes.txt"}) == Words{"torch", "plain", "dist/notes.txt"});
}

TEST_CASE("a folder without any stays, to be told of") { CHECK(opened({"./empty"}) == Words{"./empty"}); }

TEST_CASE("a target is a package or a library by its name") {
  for (const auto* name :
       {"a.so", "a.SO", "A.dll", "a.pyd", "a.exe", "liba.so.1", "liba.so.1.2.3", "a-1-py3-none-any.whl", "a.conda"}) {
    CAPTURE(name);
    CHECK(is_target_name(name));
  }
  for (const auto* name : {"a.txt", "so", "a.so.txt", "a.so.1a", "a.zip", "dll", "a.sox"}) {
    CAPTURE(name);
    CHECK_FALSE(is_target_name(name));
  }
}

TEST_CASE("of a folder no more are taken than are allowed, of each one anew") {
  CHECK(with_folders_opened({"./out"}, files(), "/src", 2) == Words{"./out/Z.DLL", "./out/lib/x.so"});
  CHECK(with_folders_opened({"./out", "dist"}, files(), "/src", 1) ==
        Words{"./out/Z.DLL", "dist/a-1.0-py3-none-any.whl"});
}

TEST_CASE("folders are looked into 64 deep, and links that lead nowhere are passed over") {
  MemoryFileSystem deep;
  std::string path = "/d";
  for (int level = 0; level < 64; ++level) {
    deep.add_file(path + "/x.so", "");
    path += "/d";
  }
  CHECK(with_folders_opened({"/d/"}, deep, "/").size() == 64);
  deep.add_file(path + "/x.so", "");
  CHECK(with_folders_opened({"/d/"}, deep, "/").size() == 64);
  deep.add_symlink("/d/gone.so", "/nowhere");
  deep.add_symlink("/d/other.so", "/d/x.so");
  CHECK(with_folders_opened({"/d/"}, deep, "/").size() == 65);
}

TEST_CASE("the current folder and the one above are folders, a module of Python is not, wherever it is named") {
  const Words of_out = {"./Z.DLL", "./lib/x.so", "./lib/y.so.1.2"};
  CHECK(with_folders_opened({"."}, files(), "/src/out") == of_out);
  CHECK(with_folders_opened({".."}, files(), "/src/out/lib") == Words{"../Z.DLL", "../lib/x.so", "../lib/y.so.1.2"});
  CHECK(opened({"./torch"}) == Words{"./torch"});
  CHECK(opened({"./plain"}) == Words{"./plain/sub/x.so"});
  MemoryFileSystem root;
  root.add_file("/a.so", "");
  CHECK(with_folders_opened({"/", "//"}, root, "/src") == Words{"/a.so", "/a.so"});
}

/// A tree in which some folders cannot be listed, and some have no real path.
class BrokenTree final : public FileSystem {
 public:
  explicit BrokenTree(const FileSystem& files) : files_(files) {}

  Result<FileStatus> status(const std::string& path) const override { return files_.status(path); }
  Result<std::unique_ptr<File>> open(const std::string& path) const override { return files_.open(path); }
  Result<std::string> real_path(const std::string& path) const override {
    return path == unreal ? Error{ErrorCode::unreadable, "unreal"} : files_.real_path(path);
  }
  Result<std::vector<std::string>> list(const std::string& path) const override {
    return path == unlisted ? Error{ErrorCode::unreadable, "unlisted"} : files_.list(path);
  }

  std::string unreal, unlisted;

 private:
  const FileSystem& files_;
};

TEST_CASE("what cannot be listed or has no real path is passed over") {
  const auto plain = files();
  BrokenTree tree(plain);
  const auto opened = [&](const std::string& target) { return with_folders_opened({target}, tree, "/src"); };
  tree.unlisted = "/src/out/lib";
  CHECK(opened("./out") == Words{"./out/Z.DLL"});
  tree.unlisted = "/src/out";
  CHECK(opened("./out") == Words{"./out"});
  CHECK(opened("out") == Words{"out"});
  tree.unlisted.clear();
  tree.unreal = "/src/out/lib";
  CHECK(opened("./out") == Words{"./out/Z.DLL"});
  tree.unreal = "/src/out";
  CHECK(opened("./out") == Words{"./out/Z.DLL"});
}

TEST_CASE("only regular files are targets, whatever their names are") {
  MemoryFileSystem odd;
  odd.add_special("/d/pipe.so");
  odd.add_file("/d/x.so", "");
  CHECK(with_folders_opened({"/d"}, odd, "/") == Words{"/d/x.so"});
}

}  // namespace
}  // namespace cudald
