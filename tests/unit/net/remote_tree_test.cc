#include "net/remote_tree.h"

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include <doctest/doctest.h>

#include "common/memory_file_system.h"
#include "common/wheel_file.h"
#include "unit/archive/zip_builder.h"
#include "unit/net/fake_transport.h"
#include "unit/tree/scratch_folder.h"

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

/// How much is read at once at the beginning of an archive whose second member has this name and size, behind one of a
/// thousand bytes and before many that are small.
std::uint64_t read_at_start(const std::string& name, std::size_t size, const std::string& archive = "pkg.whl") {
  std::vector<std::pair<std::string, std::string>> members = {{"pkg/a.py", std::string(1000, 'a')},
                                                              {name, std::string(size, 'b')}};
  for (int i = 0; i < 40; ++i) members.emplace_back("pkg/d" + std::to_string(i) + ".py", std::string(20'000, 'd'));
  MemoryFileSystem files;
  const auto server = std::make_shared<FakeTransport>(wheel_file(members));
  RemoteTree tree(files, server);
  CHECK(start_of(tree, tree.add(archive, {"https://files.example/pkg"})) == "PK");
  REQUIRE(server->requests.size() == 2);
  CHECK(server->requests[1].range->offset == 0);
  return server->requests[1].range->length;
}

TEST_CASE("reading ahead stops before libraries and what else is large") {
  constexpr std::uint64_t whole = 32 << 10;
  for (const auto* name : {"pkg/libb.so", "pkg/libb.so.1", "pkg/b.dll", "pkg/b.pyd", "pkg/b.exe"}) {
    CAPTURE(name);
    CHECK(read_at_start(name, 10) < 1100);
  }
  for (const auto* name : {"pkg/b.py", "pkg/b.dl", "pkg.so/b", "pkg/exe", "pkg/pyd"}) {
    CAPTURE(name);
    CHECK(read_at_start(name, 10) == whole);
  }
  CHECK(read_at_start("pkg/b.bin", (32 << 10) - 1) == whole);
  CHECK(read_at_start("pkg/b.bin", 32 << 10) < 1100);
  CHECK(read_at_start("pkg/libb.so", 10, "pkg.conda") < 1100);
  CHECK(read_at_start("pkg/libb.so", 10, "pkg.zip") == whole);
}

TEST_CASE("what has another name than an archive may be anything") {
  MemoryFileSystem files;
  const auto server = std::make_shared<FakeTransport>("words");
  RemoteTree tree(files, server);
  CHECK(start_of(tree, tree.add("notes.txt", {"https://files.example/notes.txt"})) == "wo");
  CHECK(start_of(tree, tree.add("notes.whl", {"https://files.example/notes.whl"})) ==
        "the server sends something else than an archive");
  CHECK(tree.open(tree.add("x.conda", {"https://files.example/x"})).error().code == ErrorCode::malformed);
}

TEST_CASE("all archives are opened once, those of the other tree are its own") {
  class CountingTransport final : public HttpTransport {
   public:
    Result<HttpAnswer> transfer(const HttpRequest& request) override {
      const std::lock_guard lock(mutex);
      ++asked[request.url];
      HttpAnswer answer;
      answer.status = 200;
      answer.body = "words of " + request.url;
      return answer;
    }
    void add_login(const std::string&, const Login&) override {}
    std::mutex mutex;
    std::map<std::string, int> asked;
  };
  MemoryFileSystem files;
  files.add_file("/a/b", "text");
  files.add_symlink("/a/l", "b");
  const auto server = std::make_shared<CountingTransport>();
  RemoteTree tree(files, server);
  std::vector<std::string> paths;
  for (int i = 0; i < 9; ++i)
    paths.push_back(tree.add("n" + std::to_string(i), {"https://files.example/" + std::to_string(i)}));
  CHECK(paths[0] == "/.online/0/n0");
  CHECK(paths[8] == "/.online/8/n8");
  REQUIRE(tree.status(paths[3]));
  tree.open_all();
  tree.open_all();
  CHECK(server->asked.size() == 9);
  for (const auto& [url, count] : server->asked) CHECK(count == 1);
  CHECK(tree.cost().requests == 9);
  CHECK(tree.cost().bytes == 9 * std::string("words of https://files.example/0").size());
  CHECK(*tree.real_path(paths[8]) == paths[8]);
  CHECK(*tree.real_path("/a/l") == "/a/b");
  CHECK_FALSE(tree.real_path("/.online/9/n9"));
  CHECK(*tree.list("/a") == *files.list("/a"));
  CHECK(tree.status(paths[0])->id != tree.status(paths[1])->id);
}

TEST_CASE("what cannot be kept is told, whichever of several it is") {
  const ScratchFolder folder;
  for (const bool first : {false, true}) {
    MemoryFileSystem files;
    const auto server = std::make_shared<FakeTransport>(wheel_file({{"pkg/libx.so", std::string(300'000, 'x')}}));
    RemoteTree tree(files, server);
    const KeptPlace good{folder / "good", "key"}, bad{"/dev/null/bad", "key"};
    for (const auto& place : {first ? bad : good, first ? good : bad})
      CHECK(start_of(tree, tree.add("pkg.whl", {"https://files.example/pkg.whl"}, place)) == "PK");
    CHECK_FALSE(tree.keep());
  }
}

TEST_CASE("a connection that breaks while the directory of an archive is read is told as that") {
  // A directory that is larger than the end of the file that is asked for first.
  std::vector<std::pair<std::string, std::string>> members;
  for (int i = 0; i < 1000; ++i) members.emplace_back("pkg/" + std::string(60, 'm') + std::to_string(i) + ".py", "");
  MemoryFileSystem files;
  const auto server = std::make_shared<FakeTransport>(wheel_file(members));
  server->answer = [&](const HttpRequest& request) -> Result<HttpAnswer> {
    if (!request.range || request.range->from_end) return server->usual(request);
    return Error{ErrorCode::unreadable, "the connection broke", "", std::nullopt, 0};
  };
  FetchPolicy policy;
  policy.sleep = [](std::chrono::milliseconds) {};
  RemoteTree tree(files, server, policy);
  const auto opened = tree.open(tree.add("pkg.whl", {"https://files.example/pkg.whl"}));
  REQUIRE_FALSE(opened);
  CHECK(opened.error().code == ErrorCode::unreadable);
  CHECK(opened.error().message == "the connection broke");
  CHECK(server->requests.size() > 1);
}

TEST_CASE("an archive on a server is a file like others, whether it is kept or not") {
  const ScratchFolder folder;
  MemoryFileSystem files;
  const auto server = std::make_shared<FakeTransport>(wheel_file({{"pkg/libx.so", std::string(300'000, 'x')}}));
  for (const bool kept : {false, true, true}) {
    CAPTURE(kept);
    RemoteTree tree(files, server);
    tree.add("other.txt", {"https://files.example/other"});
    const auto path =
        tree.add("pkg.whl", {"https://files.example/pkg.whl"}, kept ? KeptPlace{folder / "entry", "key"} : KeptPlace{});
    CHECK(path == "/.online/1/pkg.whl");
    const auto status = tree.status(path);
    REQUIRE(status);
    CHECK(status->kind == FileKind::regular);
    CHECK(status->size == server->file.size());
    CHECK(status->id == FileId{0xc0dA1d0000000001, 1});
    const auto file = tree.open(path);
    REQUIRE(file);
    CHECK_FALSE((*file)->is_stream());
    CHECK(((*file)->kept() != nullptr) == kept);
    CHECK((*file)->status().size == server->file.size());
    CHECK(tree.keep());
  }
}

TEST_CASE("what is wrong with an archive on a server has its code, path and place") {
  const ScratchFolder folder;
  const KeptPlace place{folder / "entry", "key"};
  MemoryFileSystem files;
  const auto server = std::make_shared<FakeTransport>("<html>Please log in</html>");
  {
    const RemoteTree empty(files, server);
    RemoteTree tree(files, server);
    const auto path = tree.add("pkg.whl", {"https://files.example/pkg.whl"});
    for (const auto& error : {tree.open(path).error(), tree.status(path).error()}) {
      CHECK(error.code == ErrorCode::malformed);
      CHECK(error.message == "the server sends something else than an archive");
      CHECK(error.path == path);
      CHECK_FALSE(error.offset);
    }
    CHECK(empty.cost().requests == 0);
  }
  server->file = wheel_file({{"pkg/libx.so", std::string(300'000, 'x')}});
  {
    RemoteTree tree(files, server);
    CHECK(start_of(tree, tree.add("pkg.whl", {"https://files.example/pkg.whl"}, place)) == "PK");
    CHECK(tree.keep());
    CHECK(std::filesystem::exists(folder / "entry"));
  }
  // Of another size, and so another one.
  server->file = wheel_file({{"pkg/libx.so", std::string(300'001, 'x')}});
  RemoteTree tree(files, server);
  const auto path = tree.add("pkg.whl", {"https://files.example/pkg.whl"}, place);
  std::byte byte{};
  const auto got = (*tree.open(path))->read(100'000, {&byte, 1});
  REQUIRE_FALSE(got);
  CHECK(got.error().code == ErrorCode::malformed);
  CHECK(got.error().message == "the file on the server is not the one that was kept; ask again");
  CHECK(got.error().path == path);
  CHECK_FALSE(std::filesystem::exists(folder / "entry"));
}

TEST_CASE("reading ahead ends where a library ends, however the directory orders the members") {
  const auto built = archive_of({{.name = "pkg/a.py", .data = std::string(1000, 'a')},
                                 {.name = "pkg/libb.so", .data = std::string(5000, 'b')},
                                 {.name = "pkg/c.py", .data = std::string(200'000, 'c')},
                                 {.name = "pkg/d.py", .data = std::string(20'000, 'd')},
                                 {.name = "pkg/e.py", .data = std::string(100'000, 'e')}});
  for (const bool swapped : {false, true}) {
    CAPTURE(swapped);
    auto bytes = built.bytes;
    if (swapped) {
      // The record of the library behind that of the member that follows it.
      const auto first = bytes.substr(built.central[1], built.central[2] - built.central[1]);
      const auto second = bytes.substr(built.central[2], built.central[3] - built.central[2]);
      bytes.replace(built.central[1], first.size() + second.size(), second + first);
    }
    MemoryFileSystem files;
    const auto server = std::make_shared<FakeTransport>(bytes);
    RemoteTree tree(files, server);
    const auto file = tree.open(tree.add("pkg.whl", {"https://files.example/pkg"}));
    REQUIRE(file);
    const auto length_at = [&](std::uint64_t offset) {
      std::byte byte{};
      REQUIRE((*file)->read(offset, {&byte, 1}));
      CHECK(server->requests.back().range->offset == offset);
      return server->requests.back().range->length;
    };
    CHECK(length_at(built.local[1] + 100) == built.local[2] - built.local[1] - 100);
    CHECK(length_at(10) == built.local[1] - 10);
    CHECK(length_at(built.local[3] - 10) == 10);
    CHECK(length_at(built.local[3] + 10) == built.local[4] - built.local[3] - 10);
  }
}

TEST_CASE("six archives are asked for at once") {
  /// Answers once six threads are asking.
  class MeetingTransport final : public HttpTransport {
   public:
    Result<HttpAnswer> transfer(const HttpRequest&) override {
      std::unique_lock lock(mutex);
      threads.insert(std::this_thread::get_id());
      met.notify_all();
      // Whoever is missing does not come: the test fails, and need not hang.
      met.wait_for(lock, std::chrono::seconds(20), [this] { return threads.size() >= 6; });
      HttpAnswer answer;
      answer.status = 200;
      answer.body = "words";
      return answer;
    }
    void add_login(const std::string&, const Login&) override {}
    std::mutex mutex;
    std::condition_variable met;
    std::set<std::thread::id> threads;
  };
  MemoryFileSystem files;
  const auto server = std::make_shared<MeetingTransport>();
  RemoteTree tree(files, server);
  for (int i = 0; i < 40; ++i) tree.add("n" + std::to_string(i), {"https://files.example/n"});
  tree.open_all();
  CHECK(server->threads.size() == 6);
  CHECK(tree.cost().requests == 40);
}

}  // namespace
}  // namespace cudald
