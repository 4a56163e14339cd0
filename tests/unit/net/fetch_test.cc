#include <doctest/doctest.h>

#include "unit/net/fake_transport.h"

namespace cudald {
namespace {

using Answers = std::vector<Result<HttpAnswer>>;

/// What comes of these answers, one after another: the body or the error; and how long was waited, in milliseconds.
struct Outcome {
  std::string text;
  std::size_t requests = 0;
  std::vector<long> pauses;
};

Outcome outcome(Answers answers, const std::string& url = "https://files.example/x") {
  FakeTransport server("");
  std::size_t next = 0;
  server.answer = [&](const HttpRequest&) { return answers.at(std::min(next++, answers.size() - 1)); };
  Outcome result;
  FetchPolicy policy;
  policy.sleep = [&](std::chrono::milliseconds pause) { result.pauses.push_back(pause.count()); };
  const auto answer = fetch(server, {url}, policy);
  result.text = answer ? answer->body : answer.error().message;
  result.requests = server.requests.size();
  return result;
}

HttpAnswer body(std::string text) {
  auto answer = status_answer(200);
  answer.body = std::move(text);
  return answer;
}

Error broken() { return {ErrorCode::unreadable, "the connection broke", "", std::nullopt, 0}; }

TEST_CASE("a server that is busy and a connection that breaks are tried again") {
  CHECK(outcome({body("x")}).text == "x");
  const auto later = outcome({status_answer(503), broken(), status_answer(429), body("x")});
  CHECK(later.text == "x");
  CHECK(later.pauses == std::vector<long>{500, 1000, 2000});
  CHECK(outcome({status_answer(503)}).text == "the server answers with status 503, 4 times");
  CHECK(outcome({broken()}).text == "the connection broke");
  CHECK(outcome({broken()}).requests == 4);
}

TEST_CASE("the pause that a server asks for is made, unless it is long") {
  auto busy = status_answer(429);
  busy.retry_after = std::chrono::seconds(2);
  CHECK(outcome({busy, body("x")}).pauses == std::vector<long>{2000});
  busy.retry_after = std::chrono::seconds(3600);
  const auto refused = outcome({busy, body("x")});
  CHECK(refused.text == "the server answers with status 429 and asks to retry in 3600 s");
  CHECK(refused.requests == 1);
}

TEST_CASE("what does not pass is not tried again") {
  CHECK(outcome({status_answer(404)}).text == "the server answers with status 404");
  CHECK(outcome({status_answer(401)}).requests == 1);
  CHECK(outcome({Error{ErrorCode::limit, "too large", "", std::nullopt, 0}}).requests == 1);
}

TEST_CASE("what a transport remarks on an answer is told behind the number of attempts") {
  auto refused = status_answer(503);
  refused.remark = "nobody is known here";
  CHECK(outcome({refused}).text == "the server answers with status 503, 4 times; nobody is known here");
}

TEST_CASE("redirects are followed, but for those that give something away") {
  CHECK(outcome({status_answer(302, "https://other.example/y"), body("x")}).text == "x");
  CHECK(outcome({status_answer(302, "https://me:word@other.example/y"), body("x")}).text ==
        "the server redirects to an address with a login in it");
  CHECK(outcome({status_answer(301, "http://other.example/y"), body("x")}).text ==
        "the server redirects from https to http");
  CHECK(outcome({status_answer(301, "http://other.example/y"), body("x")}, "http://files.example/x").text == "x");
  CHECK(outcome({status_answer(307, "file:///etc/passwd")}).text ==
        "the server redirects to something other than HTTP");
  CHECK(outcome({status_answer(302)}).text == "the server redirects without an address");
  CHECK(outcome({status_answer(302, "https://files.example/x")}).text == "the server redirects again and again");
}

TEST_CASE("redirects may be relative to the address that was asked for") {
  FakeTransport server("");
  server.answer = [](const HttpRequest& request) {
    return request.url.ends_with("/x/") ? body("x") : status_answer(301, "x/");
  };
  CHECK(fetch(server, {"https://files.example/simple/X"})->body == "x");
  CHECK(server.requests.back().url == "https://files.example/simple/x/");
}

TEST_CASE("a login is told to the server that it is for, and to no other") {
  FakeTransport server("");
  std::size_t next = 0;
  const Answers answers = {status_answer(302, "/y"), status_answer(302, "https://other.example/z"),
                           status_answer(302, "https://files.example/x"), body("x")};
  server.answer = [&](const HttpRequest&) { return answers.at(next++); };
  CHECK(fetch(server, {"https://me:word@files.example/x"})->body == "x");
  REQUIRE(server.requests.size() == 4);
  for (const auto& request : server.requests) CHECK(request.url.find("word") == std::string::npos);
  CHECK(server.requests[0].login == Login{"me", "word"});
  CHECK(server.requests[1].login == Login{"me", "word"});
  CHECK_FALSE(server.requests[2].login);
  CHECK_FALSE(server.requests[3].login);
}

TEST_CASE("each status that sends elsewhere is followed, each that may pass is tried again, and no other is") {
  for (const int status : {301, 302, 303, 307, 308}) {
    CAPTURE(status);
    const auto result = outcome({status_answer(status, "/y"), body("x")});
    CHECK(result.text == "x");
    CHECK(result.pauses.empty());
  }
  for (const int status : {408, 429, 500, 502, 503, 504}) {
    CAPTURE(status);
    CHECK(outcome({status_answer(status), body("x")}).pauses == std::vector<long>{500});
  }
  for (const int status : {100, 201, 204, 207, 300, 304, 305, 306, 400, 403, 407, 409, 428, 501, 505}) {
    CAPTURE(status);
    const auto result = outcome({status_answer(status, "/y"), body("x")});
    CHECK(result.text == "the server answers with status " + std::to_string(status));
    CHECK(result.requests == 1);
  }
  auto part = body("x");
  part.status = 206;
  CHECK(outcome({part}).text == "x");
}

TEST_CASE("what a server refuses has its kind: absent where it is not there, unreadable else") {
  const auto code = [](Result<HttpAnswer> given) {
    FakeTransport server("");
    server.answer = [&](const HttpRequest&) { return given; };
    FetchPolicy policy;
    policy.sleep = [](std::chrono::milliseconds) {};
    return fetch(server, {"https://files.example/x"}, policy).error().code;
  };
  CHECK(code(status_answer(404)) == ErrorCode::absent);
  CHECK(code(status_answer(403)) == ErrorCode::unreadable);
  CHECK(code(status_answer(503)) == ErrorCode::unreadable);
  CHECK(code(status_answer(302)) == ErrorCode::unreadable);
  CHECK(code(status_answer(302, "https://me:word@other.example/y")) == ErrorCode::unreadable);
  CHECK(code(status_answer(302, "http://files.example/x")) == ErrorCode::unreadable);
  CHECK(code(status_answer(302, "file:///x")) == ErrorCode::unreadable);
  CHECK(code(Error{ErrorCode::limit, "too large", "", std::nullopt, 0}) == ErrorCode::limit);
  CHECK(code(Error{ErrorCode::usage, "wrong", "", std::nullopt, 0}) == ErrorCode::usage);
  auto busy = status_answer(503);
  busy.retry_after = std::chrono::seconds(21);
  CHECK(code(busy) == ErrorCode::unreadable);
}

TEST_CASE("five redirects are followed, and a pause of twenty seconds is made") {
  Answers answers(5, status_answer(302, "/y"));
  answers.push_back(body("x"));
  CHECK(outcome(answers).text == "x");
  answers.insert(answers.begin(), status_answer(302, "/y"));
  CHECK(outcome(answers).text == "the server redirects again and again");
  // They are no attempts.
  answers.erase(answers.begin(), answers.begin() + 2);
  answers.insert(answers.end() - 1, 3, status_answer(503));
  CHECK(outcome(answers).text == "x");
  auto busy = status_answer(429);
  busy.retry_after = std::chrono::seconds(20);
  CHECK(outcome({busy, body("x")}).pauses == std::vector<long>{20'000});
  busy.retry_after = std::chrono::seconds(21);
  CHECK(outcome({busy, body("x")}).text == "the server answers with status 429 and asks to retry in 21 s");
}

TEST_CASE("without another way to wait the thread itself does, and three attempts are three") {
  FakeTransport server("content");
  std::size_t next = 0;
  server.answer = [&](const HttpRequest& request) -> Result<HttpAnswer> {
    return next++ < 2 ? status_answer(500) : server.usual(request);
  };
  FetchPolicy policy;
  policy.first_pause = std::chrono::milliseconds(0);
  policy.attempts = 3;
  CHECK(fetch(server, {"https://files.example/x"}, policy)->body == "content");
  next = 0;
  policy.attempts = 2;
  CHECK(fetch(server, {"https://files.example/x"}, policy).error().message ==
        "the server answers with status 500, 2 times");
}

TEST_CASE("a login of the request counts where its address has none, and the address' own before it") {
  FakeTransport server("content");
  HttpRequest request{"https://files.example/x"};
  request.login = Login{"a", "b"};
  CHECK(fetch(server, request)->body == "content");
  CHECK(server.requests.back().login == Login{"a", "b"});
  request.url = "https://me:word@files.example/x";
  CHECK(fetch(server, request)->body == "content");
  CHECK(server.requests.back().login == Login{"me", "word"});
  CHECK(server.requests.back().url == "https://files.example/x");
}

TEST_CASE("no pause is longer than twenty seconds unless that is allowed") {
  for (const bool short_enough : {true, false}) {
    FakeTransport server("");
    server.answer = [](const HttpRequest&) -> Result<HttpAnswer> { return broken(); };
    FetchPolicy policy;
    policy.first_pause = std::chrono::milliseconds(short_enough ? 20'000 : 20'001);
    std::size_t pauses = 0;
    policy.sleep = [&](std::chrono::milliseconds) { ++pauses; };
    CHECK_FALSE(fetch(server, {"https://files.example/x"}, policy));
    CHECK(pauses == (short_enough ? 1 : 0));
  }
}

TEST_CASE("a connection that breaks is told as that where the next pause would be too long") {
  FakeTransport server("");
  server.answer = [](const HttpRequest&) -> Result<HttpAnswer> { return broken(); };
  FetchPolicy policy;
  policy.attempts = 7;
  policy.longest_pause = std::chrono::milliseconds(1000);
  std::vector<long> pauses;
  policy.sleep = [&](std::chrono::milliseconds pause) { pauses.push_back(pause.count()); };
  const auto answer = fetch(server, {"https://files.example/x"}, policy);
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == ErrorCode::unreadable);
  CHECK(answer.error().message == "the connection broke");
  CHECK(pauses == std::vector<long>{500, 1000});
  CHECK(server.requests.size() == 3);
}

}  // namespace
}  // namespace cudald
