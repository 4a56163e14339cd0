#include "net/remote_tree.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"
#include "common/wheel_file.h"
#include "unit/fs/scratch_folder.h"
#include "unit/net/fake_transport.h"

namespace cudald {
namespace {

TEST_CASE("archives on servers lie beside the files of the tree") {
  MemoryFileSystem files;
  files.add_file("/a/b", "text");
  const auto server = std::make_shared<FakeTransport>(
      wheel_file({{"pkg/__init__.py", ""}, {"pkg/libx.so", std::string(300'000, 'x')}}));
  RemoteTree tree(files, server);
  const auto path = tree.add("pkg-1.0-py3-none-any.whl", {"https://files.example/pkg-1.0-py3-none-any.whl"});
  tree.open_all();
  const auto status = tree.status(path);
  REQUIRE(status);
  CHECK(status->size == server->file.size());
  CHECK(tree.real_path(path).has_value());
  const auto file = tree.open(path);
  REQUIRE(file);
  CHECK((*file)->status().id == status->id);
  std::string text(4, '?');
  CHECK(*(*file)->read(0, std::as_writable_bytes(std::span(text))) == 4);
  CHECK(text.starts_with("PK"));
  CHECK(tree.cost().requests == 2);
  CHECK(tree.cost().bytes < server->file.size() / 2);
  CHECK(tree.status("/a/b")->size == 4);
  CHECK_FALSE(tree.open("/.online/7/none"));
}

TEST_CASE("what a server refuses is the error of that file alone") {
  MemoryFileSystem files;
  const auto server = std::make_shared<FakeTransport>("x");
  server->answer = [](const HttpRequest&) { return status_answer(404); };
  RemoteTree tree(files, server);
  const auto path = tree.add("x.whl", {"https://files.example/x.whl"});
  CHECK(tree.status(path).error().message == "the server answers with status 404");
  CHECK(tree.keep());
}

std::string start_of(const RemoteTree& tree, const std::string& path) {
  const auto file = tree.open(path);
  if (!file) return file.error().message;
  std::string text(2, '?');
  const auto got = (*file)->read(0, std::as_writable_bytes(std::span(text)));
  return got ? text : got.error().message;
}

std::string middle_of(const RemoteTree& tree, const std::string& path) {
  std::string text(4, '?');
  const auto got = (*tree.open(path))->read(100'000, std::as_writable_bytes(std::span(text)));
  return got ? text : got.error().message;
}

TEST_CASE("what was kept of an archive is not asked for again, and belongs to that archive alone") {
  const ScratchFolder folder;
  const KeptPlace place{folder / "entry", "key"};
  const auto url = "https://files.example/pkg-1.0-py3-none-any.whl";
  MemoryFileSystem files;
  const auto server = std::make_shared<FakeTransport>(wheel_file({{"pkg/libx.so", std::string(300'000, 'x')}}));
  {
    RemoteTree tree(files, server);
    CHECK(start_of(tree, tree.add("pkg.whl", {url}, place)) == "PK");
    CHECK(tree.keep());
  }
  server->requests.clear();
  {
    RemoteTree tree(files, server);
    const auto path = tree.add("pkg.whl", {url}, place);
    CHECK(start_of(tree, path) == "PK");
    CHECK(tree.status(path)->size == server->file.size());
    CHECK(server->requests.empty());
    CHECK(tree.cost().requests == 0);
    CHECK(middle_of(tree, path) == "xxxx");
    CHECK(tree.cost().requests > 0);
  }
  {
    RemoteTree tree(files, nullptr);
    const auto path = tree.add("pkg.whl", {url}, place);
    CHECK(start_of(tree, path) == "PK");
    CHECK(middle_of(tree, path) == "nothing is asked of servers without --online");
  }
  {
    RemoteTree tree(files, server);
    const auto path = tree.add("pkg.whl", {url}, {folder / "entry", "another key"});
    server->requests.clear();
    CHECK(start_of(tree, path) == "PK");
    CHECK_FALSE(server->requests.empty());
  }
  server->file = wheel_file({{"pkg/libx.so", std::string(300'000, 'y')}});
  RemoteTree tree(files, server);
  const auto path = tree.add("pkg.whl", {url}, place);
  CHECK(middle_of(tree, path) == "the file on the server is not the one that was kept; ask again");
  RemoteTree anew(files, server);
  CHECK(middle_of(anew, anew.add("pkg.whl", {url}, place)) == "yyyy");
}

TEST_CASE("of what is no archive nothing is kept") {
  const ScratchFolder folder;
  MemoryFileSystem files;
  const auto server = std::make_shared<FakeTransport>("<html>Please log in</html>");
  RemoteTree tree(files, server);
  for (const auto* name : {"pkg.whl", "pkg.conda"}) {
    const auto path = tree.add(name, {"https://files.example/pkg"}, {folder / name, "key"});
    CHECK(start_of(tree, path) == "the server sends something else than an archive");
  }
  CHECK(tree.keep());
  CHECK_FALSE(std::filesystem::exists(folder / "pkg.whl"));
  CHECK_FALSE(std::filesystem::exists(folder / "pkg.conda"));
}

TEST_CASE("of an archive that changes while it is read nothing is kept") {
  const ScratchFolder folder;
  MemoryFileSystem files;
  const auto server = std::make_shared<FakeTransport>(wheel_file({{"pkg/libx.so", std::string(300'000, 'x')}}));
  RemoteTree tree(files, server);
  const auto path = tree.add("pkg.whl", {"https://files.example/pkg.whl"}, {folder / "entry", "key"});
  CHECK(start_of(tree, path) == "PK");
  server->etag = "\"2\"";
  CHECK(middle_of(tree, path) == "the file on the server has changed while it was read");
  CHECK(tree.keep());
  CHECK_FALSE(std::filesystem::exists(folder / "entry"));
}

}  // namespace
}  // namespace cudald
