#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "common/loopback_server.h"
#include "net/http.h"

namespace cudald {
namespace {

/// A server on this machine that answers each connection with the next of these texts, and keeps what it was asked.
class CannedServer {
 public:
  explicit CannedServer(std::vector<std::string> answers)
      : answers_(std::move(answers)),
        server_([this](const std::string& request) { return next(request); }, answers_.size()) {
    url = "http://" + server_.host;
  }

  std::string url;
  std::vector<std::string> asked;  ///< whole requests; each is there once its answer is

 private:
  const std::string& next(const std::string& request) {
    asked.push_back(request);
    return answers_[asked.size() - 1];
  }

  std::vector<std::string> answers_;
  LoopbackServer server_;
};

std::string answer_of(const std::string& headers, const std::string& body, const std::string& status = "200 OK") {
  return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n" +
         headers + "\r\n" + body;
}

std::unique_ptr<HttpTransport> transport_of(HttpSettings settings = {}) {
  forget_proxies();
  if (settings.netrc_file.empty()) settings.netrc_file = "/dev/null";
  auto made = make_http_transport(settings);
  REQUIRE(made);
  return std::move(*made);
}

/// What is read of an answer with these headers.
HttpAnswer read(const std::string& headers, const std::string& body = "abc", const std::string& status = "200 OK") {
  CannedServer server({answer_of(headers, body, status)});
  const auto answer = transport_of()->transfer({.url = server.url + "/x"});
  REQUIRE(answer);
  return *answer;
}

/// The value of a header that was sent; "none" without it.
std::string header(const std::string& request, const std::string& name) {
  const auto at = request.find("\r\n" + name + ": ");
  if (at == std::string::npos) return "none";
  const auto begin = at + name.size() + 4;
  return request.substr(begin, request.find("\r\n", begin) - begin);
}

/// What the server is asked.
std::string asked(HttpRequest request, HttpSettings settings = {}, const std::optional<Login>& login = {}) {
  CannedServer server({answer_of("", "abc")});
  request.url = server.url + "/x";
  const auto transport = transport_of(std::move(settings));
  if (login) transport->add_login(server.url, *login);
  REQUIRE(transport->transfer(request));
  REQUIRE(server.asked.size() == 1);
  return server.asked[0];
}

TEST_CASE("status and body of an answer; a redirect is not followed") {
  const auto answer = read("");
  CHECK(answer.status == 200);
  CHECK(answer.body == "abc");
  CHECK(answer.etag.empty());
  CHECK(answer.location.empty());
  CHECK_FALSE(answer.total);
  CHECK_FALSE(answer.retry_after);
  CHECK(answer.max_age.count() == 0);
  const auto redirect = read("Location: /other\r\n", "", "302 Found");
  CHECK(redirect.status == 302);
  CHECK(redirect.location == "/other");
}

TEST_CASE("a file is known by its strong ETag, else by the date of its last change") {
  CHECK(read("ETag: \"1\"\r\n").etag == "\"1\"");
  CHECK(read("etag:  \"1\" \r\n").etag == "\"1\"");
  CHECK(read("ETag: W/\"1\"\r\n").etag.empty());
  CHECK(read("Last-Modified: Mon, 1 Jan\r\n").etag == "Mon, 1 Jan");
  CHECK(read("Last-Modified: Mon, 1 Jan\r\nETag: \"1\"\r\n").etag == "\"1\"");
  CHECK(read("ETag: W/\"1\"\r\nLast-Modified: Mon, 1 Jan\r\n").etag == "Mon, 1 Jan");
}

TEST_CASE("which part of a file an answer has, and how large that is") {
  struct Row {
    std::string text;
    std::optional<std::uint64_t> first, total;
  };
  for (const auto& [text, first, total] : {
           Row{"bytes 5-7/1234", 5, 1234},
           Row{"bytes 0-2/3", 0, 3},
           Row{"bytes 5-7/*", 5, {}},
           Row{"bytes */1234", {}, 1234},
           Row{"bytes 5-7", {}, {}},
           Row{"bytes x-7/8", {}, 8},
           Row{"items 5-7/8", {}, {}},
           Row{"bytes 5-7/8x", 5, {}},
       }) {
    const auto& seen_text = text;
    CAPTURE(seen_text);
    const auto answer = read("Content-Range: " + text + "\r\n", "abc", "206 Partial Content");
    CHECK(answer.first == first);
    CHECK(answer.total == total);
  }
}

TEST_CASE("for how long an answer stays good, and when a busy server wants to be asked again") {
  struct Row {
    std::string headers;
    long max_age, age;
  };
  for (const auto& [headers, max_age, age] : {
           Row{"Cache-Control: max-age=600\r\n", 600, 0},
           Row{"Cache-Control: public, max-age=600\r\nAge: 20\r\n", 600, 20},
           Row{"Cache-Control: max-age=600, no-store\r\n", 0, 0},
           Row{"Cache-Control: no-cache,max-age=600\r\n", 0, 0},
           Row{"Cache-Control: max-age=x\r\nAge: y\r\n", 0, 0},
           Row{"Cache-Control: max-age=99999999\r\n", 1'000'000, 0},
           Row{"Cache-Control: s-max-age=5\r\n", 0, 0},
       }) {
    const auto& seen_headers = headers;
    CAPTURE(seen_headers);
    const auto answer = read(headers);
    CHECK(answer.max_age.count() == max_age);
    CHECK(answer.age.count() == age);
  }
  CHECK(read("Retry-After: 7\r\n", "", "503 Busy").retry_after == std::chrono::seconds(7));
  CHECK_FALSE(read("Retry-After: soon\r\n", "", "503 Busy").retry_after);
}

TEST_CASE("a server may name the day on which it wants to be asked again") {
  const auto later = read("Retry-After: Fri, 31 Dec 2100 23:59:59 GMT\r\n", "", "503 Busy").retry_after;
  REQUIRE(later);
  CHECK(*later >= std::chrono::hours(1));
  CHECK_FALSE(read("Retry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\n", "", "503 Busy").retry_after);
}

TEST_CASE("of an answer before the last, as that to a proxy, nothing counts") {
  CannedServer server({"HTTP/1.1 100 Continue\r\nETag: \"0\"\r\nLast-Modified: then\r\n\r\n" + answer_of("", "abc")});
  const auto answer = transport_of()->transfer({.url = server.url});
  REQUIRE(answer);
  CHECK(answer->status == 200);
  CHECK(answer->etag.empty());
}

TEST_CASE("what a server is asked: the range, of which file, what is welcome, and by whom") {
  CHECK(asked({}).starts_with("GET /x HTTP/1.1\r\n"));
  CHECK(header(asked({}), "Range") == "none");
  CHECK(header(asked({}), "If-Range") == "none");
  CHECK(header(asked({}), "Accept") == "*/*");
  CHECK(header(asked({}), "User-Agent").starts_with("cudald/"));
  CHECK(header(asked({.range = ByteRange{10, 5}}), "Range") == "bytes=10-14");
  CHECK(header(asked({.range = ByteRange{0, 5, true}}), "Range") == "bytes=-5");
  CHECK(header(asked({.if_range = "\"1\""}), "If-Range") == "\"1\"");
  CHECK(header(asked({.accept = "text/html"}), "Accept") == "text/html");
}

TEST_CASE("a login is that of the request, else that of the server, else that of netrc") {
  const std::string basic_a = "Basic YTpw", basic_b = "Basic YjpxOnI=";  // a:p and b:q:r
  CHECK(header(asked({}), "Authorization") == "none");
  CHECK(header(asked({.login = Login{"a", "p"}}), "Authorization") == basic_a);
  CHECK(header(asked({}, {}, Login{"b", "q:r"}), "Authorization") == basic_b);
  CHECK(header(asked({.login = Login{"a", "p"}}, {}, Login{"b", "q:r"}), "Authorization") == basic_a);
  char name[] = "/tmp/cudald-netrc-XXXXXX";
  const int file = ::mkstemp(name);
  REQUIRE(file >= 0);
  ::close(file);
  std::ofstream(name) << "machine 127.0.0.1 login a password p\n";
  CHECK(header(asked({}, {.netrc_file = name}), "Authorization") == basic_a);
  CHECK(header(asked({}, {.netrc_file = name}, Login{"b", "q:r"}), "Authorization") == basic_b);
  ::unlink(name);
}

TEST_CASE("a proxy is asked in place of the server, for http the plain one if there is no other") {
  for (const bool plain : {false, true}) {
    CAPTURE(plain);
    CannedServer proxy({answer_of("", "abc")});
    HttpSettings settings;
    (plain ? settings.plain_proxy : settings.proxy) = proxy.url;
    const auto answer = transport_of(settings)->transfer({.url = "http://nowhere.invalid/y"});
    REQUIRE(answer);
    REQUIRE(proxy.asked.size() == 1);
    CHECK(proxy.asked[0].starts_with("GET http://nowhere.invalid/y HTTP/1.1\r\n"));
  }
}

TEST_CASE("a body of more bytes than are wanted is an error, one of as many is not") {
  const auto with = [](std::uint64_t most) {
    CannedServer server({answer_of("", "12345")});
    return transport_of()->transfer({.url = server.url, .most_bytes = most});
  };
  CHECK(with(5)->body == "12345");
  REQUIRE_FALSE(with(4));
  CHECK(with(4).error().code == ErrorCode::limit);
  CHECK(with(4).error().message == "the server sends more than 4 bytes");
}

TEST_CASE("what may pass is told from what will not") {
  const auto transport = transport_of();
  CannedServer server({"HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\nabc"});
  const auto cut_short = transport->transfer({.url = server.url});
  REQUIRE_FALSE(cut_short);
  CHECK(cut_short.error().code == ErrorCode::unreadable);
  const auto file = transport->transfer({.url = "file:///etc/hostname"});
  REQUIRE_FALSE(file);
  CHECK(file.error().code == ErrorCode::usage);
}

TEST_CASE("one transport makes many transfers, each as if it were the first") {
  CannedServer server({answer_of("ETag: \"1\"\r\n", "one"), answer_of("", "two")});
  const auto transport = transport_of();
  const auto first = transport->transfer({.url = server.url, .range = ByteRange{0, 3}, .accept = "text/html"});
  const auto second = transport->transfer({.url = server.url});
  REQUIRE(first);
  REQUIRE(second);
  CHECK(second->body == "two");
  CHECK(second->etag.empty());
  CHECK(header(server.asked[1], "Range") == "none");
  CHECK(header(server.asked[1], "Accept") == "*/*");
}

TEST_CASE("an address that is none and a file of certificates that is not there are faults of what was asked") {
  const auto malformed = transport_of()->transfer({.url = "http://"});
  REQUIRE_FALSE(malformed);
  CHECK(malformed.error().code == ErrorCode::usage);
  CannedServer server({answer_of("", "abc")});
  HttpSettings settings;
  settings.ca_file = "/nowhere/certificates.pem";
  settings.connect_timeout = std::chrono::seconds(2);
  const auto answer = transport_of(settings)->transfer({.url = "https" + server.url.substr(4)});
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == ErrorCode::usage);
}

TEST_CASE("the plain proxy is not asked for https, and not where there is another one") {
  CannedServer plain({answer_of("", "plain")}), other({answer_of("", "other")});
  HttpSettings settings;
  settings.plain_proxy = plain.url;
  CHECK_FALSE(transport_of(settings)->transfer({.url = "https://127.0.0.1:1/x"}));
  settings.proxy = other.url;
  CHECK(transport_of(settings)->transfer({.url = "http://nowhere.invalid/y"})->body == "other");
  CHECK(plain.asked.empty());
}

}  // namespace
}  // namespace cudald
