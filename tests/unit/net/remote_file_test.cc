#include "net/remote_file.h"

#include <doctest/doctest.h>

#include "base/sha256.h"
#include "unit/net/fake_transport.h"

namespace cudald {
namespace {

std::string large_file() {
  std::string text;
  for (int i = 0; text.size() < 1'000'000; ++i) text += std::to_string(i) + " ";
  return text;
}

FetchPolicy hasty() {
  FetchPolicy policy;
  policy.sleep = [](std::chrono::milliseconds) {};
  return policy;
}

Result<std::shared_ptr<RemoteFile>> open(const std::shared_ptr<FakeTransport>& server) {
  return RemoteFile::open(server, {"https://files.example/x"}, hasty());
}

std::string text_of(const RemoteFile& file, std::uint64_t offset, std::size_t size) {
  std::string text(size, '?');
  const auto got = file.read(offset, std::as_writable_bytes(std::span(text)));
  if (!got) return got.error().message;
  text.resize(*got);
  return text;
}

TEST_CASE("the end comes first, then what is asked for, and nothing twice") {
  const auto server = std::make_shared<FakeTransport>(large_file());
  const auto file = open(server);
  REQUIRE(file);
  CHECK((*file)->status().size == server->file.size());
  CHECK(server->requests.size() == 1);
  CHECK(server->requests[0].range->from_end);
  CHECK(text_of(**file, server->file.size() - 10, 100) == server->file.substr(server->file.size() - 10));
  CHECK(server->requests.size() == 1);
  CHECK(text_of(**file, 5000, 3000) == server->file.substr(5000, 3000));
  CHECK(text_of(**file, 6000, 100) == server->file.substr(6000, 100));
  CHECK(server->requests.size() == 2);
  CHECK(server->requests[1].if_range == "\"1\"");
  CHECK(text_of(**file, 0, server->file.size()) == server->file);
  CHECK((*file)->cost().bytes == server->file.size());
  CHECK(text_of(**file, server->file.size(), 1) == "");
}

TEST_CASE("reading ahead ends at borders") {
  const auto server = std::make_shared<FakeTransport>(large_file());
  const auto file = open(server);
  REQUIRE(file);
  (*file)->set_borders({1000, 2000, 500'000});
  text_of(**file, 1200, 10);
  CHECK(server->requests.back().range->offset == 1200);
  CHECK(server->requests.back().range->length == 800);
  text_of(**file, 1900, 300);
  CHECK(server->requests.back().range->offset == 2000);
}

TEST_CASE("servers without ranges, or without ranges from the end") {
  const auto server = std::make_shared<FakeTransport>(large_file());
  server->answer = [&](const HttpRequest&) {
    auto answer = status_answer(200);
    answer.body = server->file;
    return answer;
  };
  const auto whole = open(server);
  REQUIRE(whole);
  CHECK(text_of(**whole, 7000, 20) == server->file.substr(7000, 20));
  CHECK(server->requests.size() == 1);
  server->answer = [&](const HttpRequest& request) {
    return request.range->from_end ? status_answer(501) : server->usual(request);
  };
  const auto forward = open(server);
  REQUIRE(forward);
  CHECK(text_of(**forward, 900'000, 20) == server->file.substr(900'000, 20));
}

TEST_CASE("a file that changes, and a server that sends something else, are told") {
  const auto server = std::make_shared<FakeTransport>(large_file());
  const auto changed = open(server);
  REQUIRE(changed);
  CHECK_FALSE((*changed)->is_broken());
  server->etag = "\"2\"";
  CHECK(text_of(**changed, 0, 10) == "the file on the server has changed while it was read");
  server->etag = "\"1\"";
  CHECK((*changed)->is_broken());
  CHECK(text_of(**changed, 0, 10) == "the file on the server has changed while it was read");

  const auto shorter = open(server);
  REQUIRE(shorter);
  server->answer = [&](const HttpRequest& request) {
    auto answer = server->usual(request);
    answer.body.pop_back();
    return answer;
  };
  CHECK(text_of(**shorter, 0, 10).find("bytes where 32768 were asked for") != std::string::npos);
  server->answer = [&](const HttpRequest& request) {
    auto answer = server->usual(request);
    answer.total = 12;
    return answer;
  };
  CHECK(open(server).error().message == "the server does not say which part of the file it sends");
}

TEST_CASE("where nothing tells two small files apart, all of it is read at once") {
  const auto server = std::make_shared<FakeTransport>(large_file());
  server->etag.clear();
  const auto file = open(server);
  REQUIRE(file);
  CHECK(server->requests.size() == 2);
  CHECK_FALSE(server->requests[1].range);
  CHECK(text_of(**file, 7000, 20) == server->file.substr(7000, 20));
  CHECK(server->requests.size() == 2);
  server->file += server->file;
  const auto large = open(server);
  REQUIRE(large);
  CHECK(server->requests.size() == 3);
  CHECK(text_of(**large, 7000, 20) == server->file.substr(7000, 20));
}

TEST_CASE("a file that is not the one that is stated is refused") {
  const auto server = std::make_shared<FakeTransport>(large_file());
  const auto stated = [&](std::string hash, std::uint64_t size) {
    const auto file = RemoteFile::open(server, {"https://files.example/x", std::move(hash), size}, hasty());
    return file ? "" : file.error().message;
  };
  CHECK(stated("", server->file.size()).empty());
  CHECK(stated("", 7) == "the file on the server has 1000000 bytes, and 7 are stated");
  CHECK(stated(std::string(64, '0'), 0).empty());
  server->etag.clear();
  CHECK(stated(sha256(server->file), server->file.size()).empty());
  CHECK(stated("", 7).ends_with("and 7 are stated"));
  CHECK(stated(std::string(64, '0'), 0).starts_with("its SHA-256 on the server is "));
}

}  // namespace
}  // namespace cudald
