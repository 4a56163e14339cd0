#include "net/remote_file.h"

#include <stdlib.h>

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

/// What opening a file comes to, of which the server answers the first question with a part as `change` has it.
std::string opened(const std::shared_ptr<FakeTransport>& server, const std::function<void(HttpAnswer&)>& change) {
  server->answer = [server = server.get(), change](const HttpRequest& request) -> Result<HttpAnswer> {
    auto answer = server->usual(request);
    change(answer);
    return answer;
  };
  const auto file = open(server);
  server->answer = nullptr;
  return file ? std::to_string((*file)->status().size) : file.error().message;
}

TEST_CASE("a part must say which it is, and lie within the file") {
  const auto server = std::make_shared<FakeTransport>(large_file());
  const std::string unsaid = "the server does not say which part of the file it sends";
  CHECK(opened(server, [](HttpAnswer&) {}) == "1000000");
  CHECK(opened(server, [](HttpAnswer& answer) { answer.total.reset(); }) == unsaid);
  CHECK(opened(server, [](HttpAnswer& answer) { answer.first.reset(); }) == unsaid);
  CHECK(opened(server, [](HttpAnswer& answer) { answer.first = *answer.first + 1; }) == unsaid);
  CHECK(opened(server, [](HttpAnswer& answer) { answer.total = *answer.total - 1; }) == unsaid);
  CHECK(opened(server, [](HttpAnswer& answer) { answer.body.pop_back(); }) == "1000000");
}

TEST_CASE("a file that comes whole is held against what is stated of it") {
  const auto server = std::make_shared<FakeTransport>("content");
  server->answer = [&](const HttpRequest&) -> Result<HttpAnswer> {
    auto answer = status_answer(200);
    answer.body = server->file;
    answer.etag = "\"whole\"";
    return answer;
  };
  const auto stated = [&](std::string hash, std::uint64_t size) {
    const auto file = RemoteFile::open(server, {"https://files.example/x", std::move(hash), size}, hasty());
    if (file) return std::to_string((*file)->status().size) + text_of(**file, 0, 9);
    CHECK(file.error().code == ErrorCode::malformed);
    return file.error().message;
  };
  CHECK(stated("", 0) == "7content");
  CHECK(stated(sha256("content"), 7) == "7content");
  CHECK(stated("", 8) == "the file on the server has 7 bytes, and 8 are stated");
  CHECK(stated(sha256("other"), 0) ==
        "its SHA-256 on the server is " + sha256("content") + ", and " + sha256("other") + " is stated");
}

TEST_CASE("a small file that came at once is not asked for again, and one of a megabyte is read whole, not a larger") {
  const auto requests = [](std::size_t size) {
    const auto server = std::make_shared<FakeTransport>(std::string(size, 'x'));
    server->etag.clear();
    REQUIRE(open(server));
    return server->requests.size();
  };
  CHECK(requests(100) == 1);
  CHECK(requests(68 << 10) == 1);
  CHECK(requests((68 << 10) + 1) == 2);
  CHECK(requests(1 << 20) == 2);
  CHECK(requests((1 << 20) + 1) == 1);
}

TEST_CASE("what goes wrong as the whole is read is told") {
  const auto server = std::make_shared<FakeTransport>(large_file());
  server->etag.clear();
  const auto second = [&](const Result<HttpAnswer>& given) {
    server->answer = [&](const HttpRequest& request) -> Result<HttpAnswer> {
      if (request.range) return server->usual(request);
      return given;
    };
    const auto file = open(server);
    REQUIRE_FALSE(file);
    return file.error();
  };
  CHECK(second(status_answer(404)).message == "the server answers with status 404");
  const auto part = second(status_answer(206));
  CHECK(part.message == "the server sends a part of the file unasked");
  CHECK(part.code == ErrorCode::malformed);
}

TEST_CASE("each part that is read later is held against the first") {
  const auto later = [](const std::function<void(HttpAnswer&)>& change) {
    const auto server = std::make_shared<FakeTransport>(large_file());
    const auto file = open(server);
    REQUIRE(file);
    server->answer = [&](const HttpRequest& request) -> Result<HttpAnswer> {
      auto answer = server->usual(request);
      change(answer);
      return answer;
    };
    const auto text = text_of(**file, 500, 5);
    CHECK((*file)->is_broken() == (text != server->file.substr(500, 5)));
    return text == server->file.substr(500, 5) ? "good" : text;
  };
  const std::string changed = "the file on the server has changed while it was read";
  CHECK(later([](HttpAnswer&) {}) == "good");
  CHECK(later([](HttpAnswer& answer) { answer.total.reset(); }) == "good");
  CHECK(later([](HttpAnswer& answer) { answer.etag.clear(); }) == "good");
  CHECK(later([](HttpAnswer& answer) { answer.total = 7; }) == changed);
  CHECK(later([](HttpAnswer& answer) { answer.etag = "\"3\""; }) == changed);
  CHECK(later([](HttpAnswer& answer) { answer.status = 200; }) == changed);
  CHECK(later([](HttpAnswer& answer) { answer.first = 501; }) ==
        "the server sends 32768 bytes where 32768 were asked for");
  CHECK(later([](HttpAnswer& answer) { answer.first.reset(); }) ==
        "the server sends 32768 bytes where 32768 were asked for");
  CHECK(later([](HttpAnswer& answer) { answer.body += "x"; }) ==
        "the server sends 32769 bytes where 32768 were asked for");
}

TEST_CASE("a connection that breaks breaks no file") {
  const auto server = std::make_shared<FakeTransport>(large_file());
  const auto file = open(server);
  REQUIRE(file);
  server->answer = [](const HttpRequest&) { return status_answer(404); };
  CHECK(text_of(**file, 500, 5) == "the server answers with status 404");
  CHECK_FALSE((*file)->is_broken());
  server->answer = nullptr;
  CHECK(text_of(**file, 500, 5) == server->file.substr(500, 5));
}

TEST_CASE("reading onwards reads more and more ahead, up to four megabytes, and begins anew at a border") {
  const auto server = std::make_shared<FakeTransport>(std::string(12 << 20, 'x'));
  const auto file = open(server);
  REQUIRE(file);
  std::uint64_t at = 0;
  const auto ahead = [&] {
    CHECK(text_of(**file, at, 1) == "x");
    CHECK(server->requests.back().range->offset == at);
    const auto length = server->requests.back().range->length;
    at += length;
    return length;
  };
  for (std::uint64_t size = 32 << 10; size <= 4 << 20; size *= 2) CHECK(ahead() == size);
  at += 5;
  CHECK(ahead() == 32 << 10);
  CHECK(ahead() == 64 << 10);
  (*file)->set_borders({at});
  CHECK(ahead() == 32 << 10);
  // Whatever is asked for at once is read at once, also across a border.
  (*file)->set_borders({at + 10});
  CHECK(text_of(**file, at, 100'000) == std::string(100'000, 'x'));
  CHECK(server->requests.back().range->length == 100'000);
  CHECK((*file)->cost().requests == server->requests.size());
}

TEST_CASE("what a server is asked for: how much of the end, of which file, and how much it may send at most") {
  const auto server = std::make_shared<FakeTransport>(large_file());
  server->answer = [&](const HttpRequest& request) -> Result<HttpAnswer> {
    if (request.range && request.range->from_end)
      return Error{ErrorCode::unreadable, "no such range", "", std::nullopt, 0};
    return server->usual(request);
  };
  FetchPolicy policy = hasty();
  policy.attempts = 1;
  const auto file = RemoteFile::open(server, {"https://files.example/x", "", 0, {7, 9}}, policy);
  REQUIRE(file);
  REQUIRE(server->requests.size() == 2);
  for (const auto& request : server->requests) {
    CHECK(request.url == "https://files.example/x");
    CHECK(request.most_bytes == 64 << 20);
    CHECK(request.if_range == "");
    REQUIRE(request.range);
    CHECK(request.range->offset == 0);
    CHECK(request.range->length == 68 << 10);
    CHECK(request.range->from_end == (&request == server->requests.data()));
  }
  CHECK((*file)->status().kind == FileKind::regular);
  CHECK((*file)->status().id == FileId{7, 9});
  CHECK((*file)->cost().requests == 2);
  CHECK((*file)->cost().bytes == 68 << 10);
}

TEST_CASE("what is wrong with a file on a server is malformed, and what cannot be reached unreadable") {
  const auto server = std::make_shared<FakeTransport>(large_file());
  const auto code = [&](const std::function<void(HttpAnswer&)>& change, std::uint64_t size = 0) {
    server->answer = [&](const HttpRequest& request) -> Result<HttpAnswer> {
      auto answer = server->usual(request);
      change(answer);
      return answer;
    };
    const auto file = RemoteFile::open(server, {"https://files.example/x", "", size}, hasty());
    REQUIRE_FALSE(file);
    return file.error().code;
  };
  CHECK(code([](HttpAnswer& answer) { answer.total.reset(); }) == ErrorCode::malformed);
  CHECK(code([](HttpAnswer&) {}, 7) == ErrorCode::malformed);
  CHECK(code([](HttpAnswer& answer) { answer.status = 403; }) == ErrorCode::unreadable);
  CHECK(code([](HttpAnswer& answer) { answer.status = 404; }) == ErrorCode::absent);
  const auto none = RemoteFile::open(nullptr, {"https://files.example/x"}, hasty());
  REQUIRE_FALSE(none);
  CHECK(none.error().code == ErrorCode::unreadable);
  CHECK(none.error().message == "nothing is asked of servers without --online");

  const auto later = [](const std::function<void(HttpAnswer&)>& change) {
    const auto good = std::make_shared<FakeTransport>(large_file());
    const auto file = open(good);
    REQUIRE(file);
    good->answer = [&](const HttpRequest& request) -> Result<HttpAnswer> {
      auto answer = good->usual(request);
      change(answer);
      return answer;
    };
    std::byte byte{};
    const auto got = (*file)->read(500, {&byte, 1});
    REQUIRE_FALSE(got);
    return got.error().code;
  };
  CHECK(later([](HttpAnswer& answer) { answer.etag = "\"3\""; }) == ErrorCode::malformed);
  CHECK(later([](HttpAnswer& answer) { answer.body += "x"; }) == ErrorCode::malformed);
}

TEST_CASE("what a server sends needs room on the disk") {
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("TMPDIR", "/dev/null/none", 1);
  const auto server = std::make_shared<FakeTransport>(large_file());
  const auto part = open(server);
  server->answer = [&](const HttpRequest&) {
    auto answer = status_answer(200);
    answer.body = server->file;
    return answer;
  };
  const auto whole = open(server);
  before != nullptr ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
  for (const auto& file : {part, whole}) {
    REQUIRE_FALSE(file);
    CHECK(file.error().code == ErrorCode::unreadable);
    CHECK(file.error().message == "no room for what the server sends");
  }
}

TEST_CASE("nothing that is there is asked for again, whatever lies around it") {
  const auto server = std::make_shared<FakeTransport>(large_file());
  const auto file = open(server);
  REQUIRE(file);
  constexpr std::uint64_t kib = 1 << 10;
  CHECK(text_of(**file, 100 * kib, 1) == server->file.substr(100 * kib, 1));
  CHECK(text_of(**file, 90 * kib, 1) == server->file.substr(90 * kib, 1));
  CHECK(server->requests.back().range->offset == 90 * kib);
  CHECK(server->requests.back().range->length == 10 * kib);
  // Across what is there: in front of it and behind it, each by itself.
  CHECK(text_of(**file, 80 * kib, 60 * kib) == server->file.substr(80 * kib, 60 * kib));
  REQUIRE(server->requests.size() == 5);
  CHECK(server->requests[3].range->offset == 80 * kib);
  CHECK(server->requests[3].range->length == 10 * kib);
  CHECK(server->requests[4].range->offset == 132 * kib);
  CHECK(server->requests[4].range->length == 32 * kib);
  CHECK((*file)->cost().requests == 5);
  CHECK((*file)->cost().bytes == (68 + 32 + 10 + 10 + 32) * kib);
}

}  // namespace
}  // namespace cudald
