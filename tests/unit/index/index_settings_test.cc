#include "index/index_settings.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

using Addresses = std::vector<std::string>;

IndexSettings settings(const std::map<std::string, std::string>& variables, const std::string& conf = "",
                       const UvSettings& uv = {}) {
  MemoryFileSystem files;
  files.add_file("/home/me/.config/pip/pip.conf", conf);
  Environment environment;
  environment.variables = variables;
  environment.variables["HOME"] = "/home/me";
  return read_index_settings(uv, environment, files);
}

TEST_CASE("variables count before the files of pip, those of uv first") {
  CHECK(settings({}).indexes.empty());
  const std::string conf =
      "[global]\nindex-url = https://conf.example/simple/\nextra-index-url =\n    https://a.example\n"
      "    https://b.example\ntimeout = 60\n[install]\ncert = /etc/my.pem\n[list]\nindex-url = x\n";
  CHECK(settings({}, conf).indexes ==
        Addresses{"https://conf.example/simple", "https://a.example", "https://b.example"});
  const std::string commented =
      "[global]\n# index-url = https://x.example\nextra-index-url =\n    https://a.example\n    # https://c.example\n"
      "    ; https://d.example\n\n    https://b.example\n";
  CHECK(settings({}, commented).indexes == Addresses{"https://a.example", "https://b.example"});
  CHECK(settings({}, conf).ca_file == "/etc/my.pem");
  CHECK(settings({}, conf).timeout == std::chrono::seconds(60));
  CHECK(settings({{"PIP_INDEX_URL", "https://pip.example/simple"}, {"PIP_EXTRA_INDEX_URL", "https://c.example"}}, conf)
            .indexes == Addresses{"https://pip.example/simple", "https://c.example"});
  CHECK(settings({{"PIP_INDEX_URL", "https://pip.example/simple"}, {"UV_DEFAULT_INDEX", "https://uv.example/simple"}})
            .indexes == Addresses{"https://uv.example/simple"});
  CHECK(settings({{"UV_INDEX", "torch=https://t.example/whl https://u.example"}}).indexes ==
        Addresses{"https://t.example/whl", "https://u.example"});
}

TEST_CASE("uv asks its default index last, and the first that knows a project counts") {
  const auto found = settings({{"UV_DEFAULT_INDEX", "https://d.example"}, {"UV_INDEX", "https://t.example/whl"}});
  CHECK(found.indexes == Addresses{"https://t.example/whl", "https://d.example"});
  CHECK(found.first_alone);
  CHECK_FALSE(settings({{"UV_INDEX", "https://t.example"}, {"UV_INDEX_STRATEGY", "unsafe-best-match"}}).first_alone);
  const auto pip = settings({{"PIP_INDEX_URL", "https://d.example"}, {"PIP_EXTRA_INDEX_URL", "https://t.example"}});
  CHECK(pip.indexes == Addresses{"https://d.example", "https://t.example"});
  CHECK_FALSE(pip.first_alone);
  UvSettings files{{{"", "https://last.example", true, false},
                    {"mine", "https://first.example", false, false},
                    {"theirs", "https://never.example", false, true}},
                   ""};
  CHECK(settings({}, "", files).indexes == Addresses{"https://first.example", "https://last.example"});
  CHECK(settings({}, "", files).first_alone);
  CHECK(settings({{"UV_DEFAULT_INDEX", "https://d.example"}, {"UV_INDEX", "https://t.example"}}, "", files).indexes ==
        Addresses{"https://t.example", "https://first.example", "https://d.example"});
  files.strategy = "unsafe-best-match";
  CHECK_FALSE(settings({}, "", files).first_alone);
  CHECK(settings({{"UV_INDEX_STRATEGY", "first-index"}}, "", files).first_alone);
}

TEST_CASE("the login of an index of uv stands in variables of its name") {
  const std::map<std::string, std::string> variables = {
      {"UV_INDEX", "my-index.2=https://t.example/whl plain=https://u.example"},
      {"UV_INDEX_MY_INDEX_2_USERNAME", "me"},
      {"UV_INDEX_MY_INDEX_2_PASSWORD", "word"},
      {"UV_INDEX_THEIRS_PASSWORD", "token"}};
  const UvSettings files{{{"theirs", "https://v.example:8080/simple", false, true}}, ""};
  const auto found = settings(variables, "", files);
  CHECK(found.indexes == Addresses{"https://t.example/whl", "https://u.example"});
  REQUIRE(found.logins.size() == 2);
  CHECK(found.logins.at("https://t.example:443") == Login{"me", "word"});
  CHECK(found.logins.at("https://v.example:8080") == Login{"", "token"});
  auto stated = variables;
  stated["UV_INDEX"] = "my-index.2=https://you:other@t.example/whl";
  CHECK(settings(stated).logins.at("https://t.example:443") == Login{"you", "other"});
}

TEST_CASE("a file of requirements adds indexes or names its own, with variables for what is secret") {
  Environment environment;
  environment.variables = {{"TOKEN", "s3cret"}, {"lower", "x"}, {"EMPTY", ""}};
  auto found = settings({{"PIP_INDEX_URL", "https://pip.example/simple"}});
  add_locked_indexes({{"https://me:${TOKEN}@b.example/whl/", "no address"}, false}, environment, found);
  CHECK(found.indexes == Addresses{"https://pip.example/simple", "https://b.example/whl"});
  CHECK(found.logins.at("https://b.example:443") == Login{"me", "s3cret"});
  add_locked_indexes({{"https://c.example"}, true}, environment, found);
  CHECK(found.indexes == Addresses{"https://c.example"});
  for (const auto* same : {"${lower}", "${EMPTY}", "${NONE}", "${TOKEN", "${}", "$TOKEN", "${", "$"})
    CHECK(with_variables(same, environment) == same);
  CHECK(with_variables("a${TOKEN}b${TOKEN}", environment) == "as3cretbs3cret");
  CHECK(with_variables("${${TOKEN}}", environment) == "${s3cret}");
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

TEST_CASE("any word of uv makes it uv, whose installer does not know pip's further indexes") {
  const std::string extra = "PIP_EXTRA_INDEX_URL";
  for (const auto* variable : {"UV_INDEX", "UV_EXTRA_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"}) {
    CAPTURE(variable);
    const auto found = settings({{variable, "https://uv.example"}, {extra, "https://pip.example"}});
    CHECK(found.indexes == Addresses{"https://uv.example"});
    CHECK(found.first_alone);
  }
  const UvSettings files{{{"mine", "https://file.example", false, false}}, ""};
  CHECK(settings({{extra, "https://pip.example"}}, "", files).indexes == Addresses{"https://file.example"});
  CHECK(settings({{"UV_INDEX", ""}, {extra, "https://pip.example"}}).indexes == Addresses{"https://pip.example"});
}

TEST_CASE("addresses are taken once, and what is none is passed over") {
  CHECK(settings({{"UV_INDEX", "https://a.example https://a.example/ plain //b.example x=https://c.example?a=b"}})
            .indexes == Addresses{"https://a.example", "https://c.example?a=b"});
}

TEST_CASE("files of pip count in the order in which pip reads them, the last one most") {
  MemoryFileSystem files;
  const std::map<std::string, std::string> rows = {{"/etc/pip.conf", "1"},
                                                   {"/home/me/.pip/pip.conf", "2"},
                                                   {"/home/me/.config/pip/pip.conf", "3"},
                                                   {"/venv/pip.conf", "4"},
                                                   {"/own.conf", "5"}};
  for (const auto& [path, number] : rows)
    files.add_file(path, "# one\n; two\n[global]\nindex-url: https://" + number + ".example\nk" + number + " = x\n");
  Environment environment;
  const auto first = [&](const char* variable, const char* value) {
    if (*variable != '\0') environment.variables[variable] = value;
    return read_index_settings({}, environment, files).indexes.at(0);
  };
  CHECK(first("", "") == "https://1.example");
  CHECK(first("HOME", "/home/me") == "https://3.example");
  CHECK(first("XDG_CONFIG_HOME", "/elsewhere") == "https://2.example");
  CHECK(first("VIRTUAL_ENV", "/venv") == "https://4.example");
  CHECK(first("PIP_CONFIG_FILE", "/own.conf") == "https://5.example");
}

TEST_CASE("a timeout is a number of seconds of up to four digits, uv's before pip's") {
  CHECK(settings({{"UV_HTTP_TIMEOUT", "9999"}, {"PIP_DEFAULT_TIMEOUT", "5"}}).timeout == std::chrono::seconds(9999));
  CHECK(settings({{"PIP_DEFAULT_TIMEOUT", "5"}}).timeout == std::chrono::seconds(5));
  for (const auto* odd : {"", "10000", "1.5", "-1", "x"}) CHECK_FALSE(settings({{"UV_HTTP_TIMEOUT", odd}}).timeout);
  for (const auto* name : {"PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"})
    CHECK(settings({{name, "/a.pem"}}).ca_file == "/a.pem");
}

TEST_CASE("lines of pip's files that are neither sections nor keys are passed over") {
  const auto indexes = [](const std::string& conf) { return settings({}, conf).indexes; };
  CHECK(indexes("[global]\nindex-url = https://a.example\nindex-url\n[install\n") == Addresses{"https://a.example"});
  CHECK(indexes("[install\nindex-url = https://a.example\n").empty());
  CHECK(indexes("index-url = https://a.example\n").empty());
  CHECK(indexes("[global]\nextra-index-url =\n\thttps://a.example\n\t https://b.example\n") ==
        Addresses{"https://a.example", "https://b.example"});
  // An indented line goes on with nothing where a section has just begun.
  CHECK(indexes("[global]\n index-url = https://a.example\n") == Addresses{"https://a.example"});
  CHECK(indexes("[global]\nindex-url = https://a.example\n[install]\n index-url = https://b.example\n") ==
        Addresses{"https://b.example"});
  CHECK(indexes("[install]\nindex-url = https://a.example\n[global]\nindex-url = https://b.example\n") ==
        Addresses{"https://a.example"});
}

TEST_CASE("variables that are empty name no file of pip") {
  MemoryFileSystem files;
  files.add_file("/pip.conf", "[global]\nindex-url = https://a.example\n");
  files.add_file("/.pip/pip.conf", "[global]\nindex-url = https://b.example\n");
  files.add_file("/", "");
  Environment environment;
  environment.variables = {{"VIRTUAL_ENV", ""}, {"PIP_CONFIG_FILE", ""}, {"HOME", ""}};
  CHECK(read_index_settings({}, environment, files).indexes.empty());
}

TEST_CASE("an index that wants a login always is one that can be asked, as it is stated") {
  const UvSettings files{{{"a", "https://me:pw@a.example/x/", false, false, true},
                          {"b", "no address", false, false, true},
                          {"c", "https://c.example", false, false, false}},
                         ""};
  const auto found = settings({}, "", files);
  CHECK(found.keyring.always == Addresses{"https://a.example/x/"});
  CHECK(found.keyring.indexes == Addresses{"https://a.example/x/", "https://c.example"});
  CHECK(found.indexes == Addresses{"https://a.example/x", "https://c.example"});
  CHECK(found.logins.at("https://a.example:443") == Login{"me", "pw"});
  CHECK(found.keyring.is_of_uv);
  CHECK(found.keyring.setting == "keyring-provider");
}

TEST_CASE("only what stands between braces is a variable") {
  Environment environment;
  environment.variables = {{"A", "1"}, {"A_2", "2"}};
  CHECK(with_variables("${A-}${A}", environment) == "${A-}1");
  CHECK(with_variables("${A_2}/${A}", environment) == "2/1");
  CHECK(with_variables("", environment) == "");
  CHECK(with_variables("x${A", environment) == "x${A");
}

TEST_CASE("a file of pip of more than a mebibyte is passed over") {
  for (const bool fits : {true, false}) {
    MemoryFileSystem files;
    FileTraits large;
    large.claimed_size = (std::uint64_t{1} << 20) + (fits ? 0 : 1);
    files.add_file("/etc/pip.conf", "[global]\nindex-url = https://a.example\n", large);
    CHECK(read_index_settings({}, {}, files).indexes.size() == (fits ? 1 : 0));
  }
}

}  // namespace
}  // namespace cudald
