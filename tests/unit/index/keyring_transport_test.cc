#include "index/keyring_transport.h"

#include <doctest/doctest.h>

#include "unit/net/fake_transport.h"

namespace cudald {
namespace {

const std::string page_address = "https://a.example/simple/alpha/", server_place = "https://a.example:443";

/// A server that lets me:word in, and a keyring of which each question is noted.
struct Setting {
  std::shared_ptr<KeyringSettings> settings = std::make_shared<KeyringSettings>();
  FakeTransport* server = nullptr;
  std::unique_ptr<HttpTransport> transport;
  KeyringAnswer answer{Login{"me", "word"}, ""};
  std::vector<std::string> asked;

  explicit Setting(bool as_uv) {
    settings->as_uv = as_uv;
    settings->indexes = {"https://a.example/simple"};
    auto fake = std::make_unique<FakeTransport>("content");
    server = fake.get();
    server->answer = [this](const HttpRequest& request) {
      const auto known = server->logins.find(server_place);
      const auto login = request.login || known == server->logins.end() ? request.login : known->second;
      return login == Login{"me", "word"} ? server->usual(request) : status_answer(401);
    };
    transport =
        make_keyring_transport(std::move(fake), settings, [this](const std::string& service, const std::string& user) {
          asked.push_back(service + " " + user);
          return answer;
        });
  }

  std::string get(const std::string& url = page_address, std::optional<Login> login = {}) {
    HttpRequest request{url};
    request.login = std::move(login);
    const auto got = transport->transfer(request);
    return got ? std::to_string(got->status) + " " + got->remark : got.error().message;
  }
};

using Questions = std::vector<std::string>;

TEST_CASE("pip asks the keyring once a server wants a login, and remembers it") {
  Setting pip(false);
  CHECK(pip.get() == "200 ");
  CHECK(pip.get() == "200 ");
  CHECK(pip.get("https://a.example/files/x") == "200 ");
  CHECK(pip.asked == Questions{"https://a.example/simple/ "});
  CHECK(pip.server->requests.size() == 4);
  CHECK(pip.get(page_address, Login{"me", "other"}) == "401 ");
  CHECK(pip.asked.size() == 1);
}

TEST_CASE("uv asks the keyring before the server, where a user is known") {
  Setting uv(true);
  CHECK(uv.get().starts_with("401 uv asks a keyring for a user"));
  CHECK(uv.asked.empty());
  uv.transport->add_login(server_place, {"me", ""});
  CHECK(uv.get() == "200 ");
  CHECK(uv.get() == "200 ");
  CHECK(uv.asked == Questions{"https://a.example/simple me"});
  CHECK(uv.server->requests.size() == 3);
  Setting always(true);
  always.settings->always = always.settings->indexes;
  CHECK(always.get() == "200 ");
  CHECK(always.asked == Questions{"https://a.example/simple "});
  CHECK(always.server->requests.size() == 1);
}

TEST_CASE("netrc counts more than the keyring") {
  for (const bool as_uv : {false, true}) {
    Setting netrc(as_uv);
    netrc.settings->netrc = "machine a.example login me password word";
    netrc.transport->add_login(server_place, {"me", ""});
    CHECK(netrc.get() == "200 ");
    CHECK(netrc.asked.empty());
  }
}

TEST_CASE("a login that is not accepted is told, and the keyring is not asked again for it") {
  for (const bool as_uv : {false, true}) {
    Setting wrong(as_uv);
    wrong.answer.login = Login{"me", "other"};
    wrong.transport->add_login(server_place, {"me", ""});
    for (int i = 0; i < 2; ++i) CHECK(wrong.get() == "401 it does not accept the login that `keyring` has");
    CHECK(wrong.asked.size() == 1);
  }
}

TEST_CASE("where it knows none, the next name is looked up; where it fails, it is asked no more") {
  Setting none(false);
  none.answer = {{}, "none", true};
  for (int i = 0; i < 2; ++i) CHECK(none.get() == "401 none");
  CHECK(none.asked == Questions{"https://a.example/simple/ ", "a.example "});
  CHECK(none.get("https://b.example/x") == "401 none");
  CHECK(none.asked.size() == 3);
  Setting failing(false);
  failing.answer = {{}, "broken"};
  CHECK(failing.get() == "401 broken");
  CHECK(failing.get("https://b.example/x") == "401 broken");
  CHECK(failing.asked == Questions{"https://a.example/simple/ "});
}

TEST_CASE("where an address has no host, no keyring is asked") {
  for (const bool as_uv : {false, true}) {
    Setting setting(as_uv);
    for (const auto* odd : {"https:///x", "file:///x", "x", ""}) CHECK(setting.get(odd, Login{"me", ""}) == "401 ");
    CHECK(setting.asked.empty());
  }
}

TEST_CASE("a login of the keyring is told to no other server") {
  Setting pip(false);
  CHECK(pip.get() == "200 ");
  pip.server->answer = [&](const HttpRequest& request) { return pip.server->usual(request); };
  CHECK(pip.get("https://b.example/x") == "200 ");
  CHECK_FALSE(pip.server->requests.back().login);
}

TEST_CASE("the remark stands behind the status") {
  Setting failing(false);
  failing.answer = {{}, "broken"};
  const auto answer = fetch(*failing.transport, {page_address});
  REQUIRE_FALSE(answer);
  CHECK(answer.error().message == "the server answers with status 401; broken");
}

TEST_CASE("an error of the server stays as it is, and a refusal has the fault for a remark") {
  for (const bool as_uv : {false, true}) {
    Setting broken(as_uv);
    broken.server->answer = [](const HttpRequest&) -> Result<HttpAnswer> {
      return Error{ErrorCode::unreadable, "broken off", "", std::nullopt, 0};
    };
    CHECK(broken.get() == "broken off");
    CHECK(broken.asked.empty());
  }
  Setting refused(true);
  refused.server->answer = [](const HttpRequest&) { return status_answer(403); };
  CHECK(refused.get().starts_with("403 uv asks a keyring for a user"));
  refused.server->answer = [](const HttpRequest&) { return status_answer(404); };
  CHECK(refused.get() == "404 ");
  Setting pip(false);
  pip.server->answer = [](const HttpRequest&) { return status_answer(403); };
  CHECK(pip.get() == "403 ");
  CHECK(pip.asked.empty());
}

TEST_CASE("the second name is looked up where the first has none, and what it knows is taken") {
  auto settings = std::make_shared<KeyringSettings>();
  settings->indexes = {"https://a.example/simple"};
  std::vector<std::string> asked;
  auto server = std::make_unique<FakeTransport>("content");
  auto* fake = server.get();
  fake->answer = [fake](const HttpRequest& request) -> Result<HttpAnswer> {
    return request.login == Login{"me", "word"} ? fake->usual(request) : status_answer(401);
  };
  const auto transport = make_keyring_transport(std::move(server), settings,
                                                [&](const std::string& service, const std::string&) -> KeyringAnswer {
                                                  asked.push_back(service);
                                                  if (service == "a.example") return {Login{"me", "word"}, ""};
                                                  return {{}, "not told", true};
                                                });
  CHECK(transport->transfer({page_address})->status == 200);
  CHECK(asked == std::vector<std::string>{"https://a.example/simple/", "a.example"});
}

TEST_CASE("a login with a password is used as it is, one without is completed") {
  Setting pip(false);
  CHECK(pip.get(page_address, Login{"me", "word"}) == "200 ");
  CHECK(pip.asked.empty());
  CHECK(pip.get(page_address, Login{"me", ""}) == "200 ");
  CHECK(pip.asked == Questions{"https://a.example/simple/ me"});
  pip.transport->add_login(server_place, {"me", "other"});
  CHECK(pip.get() == "401 ");
}

TEST_CASE("logins are handed on to the transport below, the first of a server") {
  Setting pip(false);
  pip.transport->add_login(server_place, {"me", "word"});
  pip.transport->add_login(server_place, {"you", "other"});
  pip.transport->add_login("https://b.example:443", {"b", "c"});
  CHECK(pip.server->logins ==
        std::map<std::string, Login>{{server_place, {"me", "word"}}, {"https://b.example:443", {"b", "c"}}});
  CHECK(pip.get() == "200 ");
  CHECK(pip.asked.empty());
}

TEST_CASE("why uv asks no keyring is told in full") {
  Setting uv(true);
  CHECK(uv.get() ==
        "401 uv asks a keyring for a user whom the address names (https://USER@host), or for an index with "
        "authenticate = \"always\"");
}

TEST_CASE("netrc is asked for the host without its port, by uv for the user, by pip for anyone") {
  for (const bool as_uv : {false, true}) {
    CAPTURE(as_uv);
    Setting other(as_uv);
    other.settings->netrc = "machine a.example login you password word";
    other.answer = {{}, "none", true};
    CHECK(other.get(page_address, Login{"me", ""}) == (as_uv ? "401 none" : "401 none"));
    REQUIRE(other.server->requests.size() > 0);
    // pip sends what stands there, and asks the keyring when it is refused.
    CHECK(other.server->requests[0].login == (as_uv ? Login{"me", ""} : Login{"you", "word"}));
    CHECK(other.server->requests.size() == 1);
  }
}

}  // namespace
}  // namespace cudald
