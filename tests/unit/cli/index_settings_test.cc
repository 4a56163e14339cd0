#include "cli/index_settings.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

using Addresses = std::vector<std::string>;

IndexSettings settings(const std::map<std::string, std::string>& variables, const std::string& conf = "") {
  MemoryFileSystem files;
  files.add_file("/home/me/.config/pip/pip.conf", conf);
  Environment environment;
  environment.variables = variables;
  environment.variables["HOME"] = "/home/me";
  return read_index_settings(environment, files);
}

TEST_CASE("variables count before the files of pip, those of uv first") {
  CHECK(settings({}).indexes.empty());
  const std::string conf =
      "[global]\nindex-url = https://conf.example/simple/\nextra-index-url =\n    https://a.example\n"
      "    https://b.example\ntimeout = 60\n[install]\ncert = /etc/my.pem\n[list]\nindex-url = x\n";
  CHECK(settings({}, conf).indexes ==
        Addresses{"https://conf.example/simple", "https://a.example", "https://b.example"});
  CHECK(settings({}, conf).ca_file == "/etc/my.pem");
  CHECK(settings({}, conf).timeout == std::chrono::seconds(60));
  CHECK(settings({{"PIP_INDEX_URL", "https://pip.example/simple"}, {"PIP_EXTRA_INDEX_URL", "https://c.example"}}, conf)
            .indexes == Addresses{"https://pip.example/simple", "https://c.example"});
  CHECK(settings({{"PIP_INDEX_URL", "https://pip.example/simple"}, {"UV_DEFAULT_INDEX", "https://uv.example/simple"}})
            .indexes == Addresses{"https://uv.example/simple"});
  CHECK(settings({{"UV_INDEX", "torch=https://t.example/whl https://u.example"}}).indexes ==
        Addresses{"https://t.example/whl", "https://u.example"});
}

TEST_CASE("a login is no part of the address of an index") {
  const auto found = settings({{"PIP_INDEX_URL", "https://me:w%40rd@pip.example/simple/"},
                               {"PIP_EXTRA_INDEX_URL", "https://other.example/simple"}});
  CHECK(found.indexes == Addresses{"https://pip.example/simple", "https://other.example/simple"});
  REQUIRE(found.logins.size() == 1);
  CHECK(found.logins.begin()->first == "https://pip.example:443");
  CHECK(found.logins.begin()->second == Login{"me", "w@rd"});
}

TEST_CASE("proxies and netrc are those that pip takes") {
  CHECK(settings({{"PIP_PROXY", "http://p.example:1"}}).proxy == "http://p.example:1");
  CHECK(settings({}, "[global]\nproxy = p.example:2\n").proxy == "p.example:2");
  CHECK(settings({{"HTTP_PROXY", "http://p.example:3"}}).plain_proxy == "http://p.example:3");
  CHECK(settings({{"HTTP_PROXY", "http://p.example:3"}, {"http_proxy", "http://q.example"}}).plain_proxy.empty());
  CHECK(settings({{"HTTP_PROXY", "http://p.example:3"}, {"REQUEST_METHOD", "GET"}}).plain_proxy.empty());
  CHECK(settings({{"NETRC", "/etc/my.netrc"}}).netrc_file == "/etc/my.netrc");
}

}  // namespace
}  // namespace cudald
