#include "net/remote_tree.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"
#include "common/wheel_file.h"
#include "unit/net/fake_transport.h"

namespace cudald {
namespace {

TEST_CASE("archives on servers lie beside the files of the tree") {
  MemoryFileSystem files;
  files.add_file("/a/b", "text");
  const auto server = std::make_shared<FakeTransport>(
      wheel_file({{"pkg/__init__.py", ""}, {"pkg/libx.so", std::string(300'000, 'x')}}));
  RemoteTree tree(files, server);
  const auto path = tree.add("pkg-1.0-py3-none-any.whl", {"https://files.example/pkg-1.0-py3-none-any.whl", ""});
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
  const auto path = tree.add("x.whl", {"https://files.example/x.whl", ""});
  CHECK(tree.status(path).error().message == "the server answers with status 404");
  CHECK(tree.keep());
}

}  // namespace
}  // namespace cudald
