#include "session/target.h"

#include <elf.h>

#include <cerrno>

#include <doctest/doctest.h>

#include "base/path.h"
#include "base/refusals.h"
#include "common/elf_builder.h"
#include "common/memory_file_system.h"
#include "common/world.h"

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

/// The names of the targets, where a directory is replaced by what it stands for.
Words opened(const Words& targets, const FileSystem& tree, const std::string& cwd, std::size_t most = 100'000) {
  Words names;
  for (const auto& given : targets) {
    const auto target = classify(given, tree, cwd, most);
    const auto* directory = std::get_if<DirectoryTarget>(&target);
    if (directory == nullptr || directory->entries.empty()) {
      names.push_back(given);
      continue;
    }
    for (const auto& entry : directory->entries) names.push_back(entry.given + (entry.is_program ? " program" : ""));
  }
  return names;
}

Words opened(const Words& targets) { return opened(targets, files(), "/src"); }

TEST_CASE("a directory stands for the packages and libraries in it, by path") {
  CHECK(opened({"dist"}) == Words{"dist/a-1.0-py3-none-any.whl", "dist/b-1.0-py3-none-any.whl"});
  CHECK(opened({"./out/"}) == Words{"./out/Z.DLL", "./out/lib/x.so", "./out/lib/y.so.1.2"});
  CHECK(opened({"/src/dist", "x"}) ==
        Words{"/src/dist/a-1.0-py3-none-any.whl", "/src/dist/b-1.0-py3-none-any.whl", "x"});
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
  for (const auto* name : {"a.txt", "so", "a.so.txt", "a.zip", "dll", "a.sox"}) {
    CAPTURE(name);
    CHECK_FALSE(is_target_name(name));
  }
}

TEST_CASE("of a folder no more are taken than are allowed, of each one anew") {
  CHECK(opened({"./out"}, files(), "/src", 2) == Words{"./out/Z.DLL", "./out/lib/x.so"});
  CHECK(opened({"./out", "dist"}, files(), "/src", 1) == Words{"./out/Z.DLL", "dist/a-1.0-py3-none-any.whl"});
}

TEST_CASE("folders are looked into 64 deep, and links that lead nowhere are passed over") {
  MemoryFileSystem deep;
  std::string path = "/d";
  for (int level = 0; level < 64; ++level) {
    deep.add_file(path + "/x.so", "");
    path += "/d";
  }
  CHECK(opened({"/d/"}, deep, "/").size() == 64);
  deep.add_file(path + "/x.so", "");
  CHECK(opened({"/d/"}, deep, "/").size() == 64);
  deep.add_symlink("/d/gone.so", "/nowhere");
  deep.add_symlink("/d/other.so", "/d/x.so");
  CHECK(opened({"/d/"}, deep, "/").size() == 65);
}

TEST_CASE("the current folder and the one above are folders, a module of Python is not, wherever it is named") {
  const Words of_out = {"./Z.DLL", "./lib/x.so", "./lib/y.so.1.2"};
  CHECK(opened({"."}, files(), "/src/out") == of_out);
  CHECK(opened({".."}, files(), "/src/out/lib") == Words{"../Z.DLL", "../lib/x.so", "../lib/y.so.1.2"});
  CHECK(opened({"./torch"}) == Words{"./torch"});
  CHECK(opened({"./plain"}) == Words{"./plain/sub/x.so"});
  MemoryFileSystem root;
  root.add_file("/a.so", "");
  CHECK(opened({"/", "//"}, root, "/src") == Words{"/a.so", "/a.so"});
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
  const auto of = [&](const std::string& target) { return opened({target}, tree, "/src"); };
  tree.unlisted = "/src/out/lib";
  CHECK(of("./out") == Words{"./out/Z.DLL"});
  tree.unlisted = "/src/out";
  CHECK(of("./out") == Words{"./out"});
  CHECK(of("out") == Words{"out"});
  tree.unlisted.clear();
  tree.unreal = "/src/out/lib";
  CHECK(of("./out") == Words{"./out/Z.DLL"});
  tree.unreal = "/src/out";
  CHECK(of("./out") == Words{"./out/Z.DLL"});
}

TEST_CASE("only regular files are targets, whatever their names are") {
  MemoryFileSystem odd;
  odd.add_special("/d/pipe.so");
  odd.add_file("/d/x.so", "");
  CHECK(opened({"/d"}, odd, "/") == Words{"/d/x.so"});
}

std::string kind_of(const std::string& given, const FileSystem& tree, const std::string& cwd = "/src") {
  static constexpr const char* names[] = {"file",      "package", "image",   "lock", "environment",
                                          "directory", "module",  "library", "name"};
  return names[classify(given, tree, cwd).index()];
}

TEST_CASE("each kind of target is known by its name and the tree") {
  auto tree = files();
  tree.add_file("/src/venv/pyvenv.cfg", "");
  tree.add_file("/src/conda/conda-meta/history", "");
  tree.add_file("/src/image.tar", "x");
  tree.add_file("/src/libhere.so.1", "x");
  tree.add_special("/src/pipe.tar");
  CHECK(kind_of("pipe.tar", tree) == "file");
  CHECK(kind_of("py:torch", tree) == "module");
  CHECK(kind_of("torch", tree) == "module");
  CHECK(kind_of("dist/a-1.0-py3-none-any.whl", tree) == "package");
  CHECK(kind_of("none.whl!/x.so", tree) == "package");
  CHECK(kind_of("image.tar", tree) == "image");
  CHECK(kind_of("dist/notes.txt", tree) == "file");
  CHECK(kind_of("libhere.so.1", tree) == "file");
  CHECK(kind_of("./none", tree) == "file");
  CHECK(kind_of("libz.so.1", tree) == "library");
  CHECK(kind_of("vcruntime140.dll", tree) == "library");
  CHECK(kind_of("numpy", tree) == "name");
  CHECK(kind_of("plain", tree) == "name");
  CHECK(kind_of("dist", tree) == "directory");
  for (const auto* given : {"venv", "venv/", "./venv", "/src/venv", "conda"})
    CHECK(kind_of(given, tree) == "environment");
}

TEST_CASE("a lock is known by its text, whatever its name; bare names need a name that says so") {
  MemoryFileSystem tree;
  const auto kind = [&](const std::string& name, const std::string& text) {
    tree.add_file("/src/" + name, text);
    return kind_of(name, tree);
  };
  CHECK(kind("list", "torch==2.9.1\n") == "lock");
  CHECK(kind("wanted", "# mine\ntorch>=2.0\nnumpy\n") == "lock");
  CHECK(kind("req2.txt", "torch\n") == "lock");
  CHECK(kind("req2", "torch\n") == "file");
  CHECK(kind("words.txt", "two words\n") == "file");
  CHECK(kind("script", "#!/bin/sh\nset -e\n") == "file");
  CHECK(kind("settings", "key = 3\n") == "file");
  CHECK(kind("empty.txt", "") == "file");
  CHECK(kind("bytes.txt", std::string("torch\0==1\n", 10)) == "file");
  const auto lock = std::get<LockTarget>(classify(
      "sub/pins",
      [] {
        MemoryFileSystem files;
        files.add_file("/src/sub/pins", "six==1\n");
        return files;
      }(),
      "/src"));
  CHECK(lock.directory == "/src/sub");
  CHECK(lock.given == "sub/pins");
  CHECK(lock.text == "six==1\n");
  CHECK(lock.kind == LockKind::requirements);
}

TEST_CASE("a directory's programs are targets: what may be executed and is an ELF file, once") {
  MemoryFileSystem tree;
  tree.add_file("/src/bin/train", elf(program({})), {.executable = true});
  tree.add_file("/src/bin/data", elf(program({})));
  tree.add_file("/src/bin/run.sh", "#!/bin/sh\n", {.executable = true});
  tree.add_file("/src/bin/short",
                "\x7f"
                "ELF",
                {.executable = true});
  tree.add_file("/src/bin/part.o", elf({.type = ET_REL}), {.executable = true});
  tree.add_symlink("/src/bin/train2", "/src/bin/train");
  CHECK(opened({"bin"}, tree, "/src") == Words{"bin/train program"});
  tree.add_file("/src/bin/liba.so.1", "");
  tree.add_file("/src/bin/tool.exe", "");
  CHECK(opened({"./bin"}, tree, "/src") == Words{"./bin/liba.so.1", "./bin/tool.exe program", "./bin/train program"});
}

TEST_CASE("files for Windows are no targets in the library of a Python for Linux") {
  MemoryFileSystem tree;
  for (const std::string folder :
       {"/v/lib/python3.11/site-packages/pip/", "/v/lib64/python3.11/x/", "/w/Lib/site-packages/pip/"})
    for (const auto* name : {"t32.exe", "a.dll", "_c.pyd"}) tree.add_file(folder + name, "");
  CHECK(opened({"/v"}, tree, "/") == Words{"/v"});
  CHECK(opened({"/v/lib/python3.11/site-packages"}, tree, "/") == Words{"/v/lib/python3.11/site-packages"});
  CHECK(opened({"/w/Lib"}, tree, "/").size() == 3);
}

/// A tree of which the system does not say whether a file is there.
class UnaskableTree final : public FileSystem {
 public:
  UnaskableTree(const FileSystem& files, std::string refused) : files_(files), refused_(std::move(refused)) {}
  Result<FileStatus> status(const std::string& path) const override {
    if (path != refused_) return files_.status(path);
    Error error{ErrorCode::unreadable, "Input/output error", path, std::nullopt, EIO};
    note_refusal(error);
    return error;
  }
  Result<std::unique_ptr<File>> open(const std::string& path) const override { return files_.open(path); }
  Result<std::string> real_path(const std::string& path) const override { return files_.real_path(path); }
  Result<std::vector<std::string>> list(const std::string& path) const override { return files_.list(path); }

 private:
  const FileSystem& files_;
  std::string refused_;
};

TEST_CASE("what lies in a directory is not judged in its place where it may be an environment or a package") {
  MemoryFileSystem tree;
  for (const auto* path : {"/w/v/pyvenv.cfg", "/w/v/lib/x.so", "/w/p/__init__.py", "/w/p/x.so"})
    tree.add_file(path, "");
  const Refusals refused;
  CHECK(std::holds_alternative<FileTarget>(classify("v", UnaskableTree(tree, "/w/v/pyvenv.cfg"), "/w")));
  CHECK(std::holds_alternative<FileTarget>(classify("p", UnaskableTree(tree, "/w/p/__init__.py"), "/w")));
  CHECK(refused.take().size() == 2);
  CHECK(std::holds_alternative<EnvironmentTarget>(classify("v", tree, "/w")));
  CHECK(std::holds_alternative<ModuleTarget>(classify("p", tree, "/w")));
}

}  // namespace
}  // namespace cudald
