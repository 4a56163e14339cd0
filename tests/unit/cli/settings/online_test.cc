#include "cli/settings/online.h"

#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "base/sha256.h"
#include "common/memory_file_system.h"
#include "common/wheel_file.h"
#include "index/index_page.h"
#include "unit/cli/command_line.h"
#include "unit/cli/index_server.h"

namespace cudald {
namespace {

using IndexVariables = std::map<std::string, std::string>;
using Lines = std::vector<std::string>;

/// What a run with these variables takes from servers.
struct OnlineRun {
  OnlineRun(const ScratchFolder& folder, IndexVariables variables,
            const std::vector<std::string>& words = {"--online"}) {
    std::vector<std::string> all{"check", "requirements.txt"};
    all.insert(all.end(), words.begin(), words.end());
    options = *parse_options(all);
    host.environment.cwd = folder.path();
    variables.try_emplace("NETRC", "/dev/null");
    host.environment.variables = std::move(variables);
    auto opened = Online::open(options, host, *disk);
    if (opened)
      online = std::move(*opened);
    else
      fault = opened.error().message;
  }

  /// Names or addresses of the wheels of a project; else what is wrong.
  Lines wheels(const std::string& project) {
    if (!online) return {fault};
    const auto found = online->wheels_of(project);
    if (!found) return {(found.error().code == ErrorCode::absent ? "absent: " : "") + found.error().message};
    Lines names;
    for (const auto& wheel : *found) names.push_back(wheel.name);
    return names;
  }

  std::unique_ptr<FileSystem> disk = make_disk_file_system();
  Options options;
  std::istringstream input;
  std::ostringstream complaints;
  Host host{{}, {}, input, complaints};
  std::unique_ptr<Online> online;
  std::string fault;
};

LockedPackage pinned(const std::string& name, const std::string& version, const Lines& hashes = {}) {
  LockedPackage package;
  package.name = name;
  package.version = version;
  package.hashes = hashes;
  return package;
}

const std::string good_wheel = "good-1.0-py3-none-any.whl", newer_wheel = "good-2.0-py3-none-any.whl";

TEST_CASE("an index is asked for the page of a project, and tells which wheels there are of it") {
  IndexServer server;
  server.add_project("good", {good_wheel + "#sha256=" + std::string(64, 'a'), newer_wheel, "good-2.0.tar.gz"});
  server.add_project("old", {"old-1.0.tar.gz"});
  server.add("/simple/closed/", {"", "", 403});
  server.add("/simple/broken/", {R"({"files":1})", ""});
  const ScratchFolder folder;
  OnlineRun run(folder, {{"PIP_INDEX_URL", server.url("/simple/")}});
  REQUIRE(run.online);
  CHECK(run.online->is_on());
  const auto wheels = run.online->wheels_of("good");
  REQUIRE(wheels);
  REQUIRE(wheels->size() == 2);
  CHECK((*wheels)[0].name == good_wheel);
  CHECK((*wheels)[0].url == server.url("/files/" + good_wheel));
  CHECK((*wheels)[0].sha256 == std::string(64, 'a'));
  CHECK((*wheels)[1].name == newer_wheel);
  CHECK(server.first_request().find("\r\nAccept: " + std::string(index_page_type) + "\r\n") != std::string::npos);
  CHECK(server.asked() == Lines{"GET /simple/good/"});
  CHECK(run.wheels("old") == Lines{"absent: the index has no wheel of it"});
  CHECK(run.wheels("none") == Lines{"absent: it does not know it"});
  CHECK(run.wheels("closed") == Lines{"the server answers with status 403"});
  CHECK(run.wheels("broken") == Lines{"the index does not answer in the form of PEP 691"});
  CHECK(OnlineRun(folder, {}).wheels("good") ==
        Lines{"--online: no index is named; state one in PIP_INDEX_URL or UV_DEFAULT_INDEX"});
}

TEST_CASE("pip puts together what all indexes have, uv takes the first that knows the project") {
  IndexServer first, second;
  first.add_project("good", {good_wheel});
  second.add_project("good", {newer_wheel});
  second.add_project("other", {"other-1.0-py3-none-any.whl"});
  first.add_project("half", {"half-1.0-py3-none-any.whl"});
  second.add("/simple/half/", {"", "", 403});
  const ScratchFolder folder;
  const auto one = first.url("/simple"), two = second.url("/simple");
  OnlineRun pip(folder, {{"PIP_INDEX_URL", one}, {"PIP_EXTRA_INDEX_URL", two}});
  CHECK(pip.wheels("good") == Lines{good_wheel, newer_wheel});
  CHECK(pip.wheels("other") == Lines{"other-1.0-py3-none-any.whl"});
  CHECK(pip.wheels("none") == Lines{"absent: it does not know it"});
  // What that index would have may be what is installed.
  CHECK(pip.wheels("half") == Lines{"the server answers with status 403"});
  OnlineRun uv(folder, {{"UV_INDEX", one}, {"UV_DEFAULT_INDEX", two}});
  CHECK(uv.wheels("good") == Lines{good_wheel});
  CHECK(uv.wheels("other") == Lines{"other-1.0-py3-none-any.whl"});
  CHECK(uv.wheels("half") == Lines{"half-1.0-py3-none-any.whl"});
}

TEST_CASE("without --online no server is asked, and a lock stays as it is") {
  IndexServer server;
  const ScratchFolder folder;
  OnlineRun run(folder, {{"PIP_INDEX_URL", server.url("/simple")}}, {});
  REQUIRE(run.online);
  CHECK_FALSE(run.online->is_on());
  LockFile lock;
  lock.packages = {pinned("good", "1.0")};
  CHECK_FALSE(run.online->name_wheels(lock));
  CHECK(lock.packages[0].wheels.empty());
  CHECK(server.asked().empty());
  CHECK(run.complaints.str().empty());
}

/// The addresses of the wheels that the packages of a lock have, in one line; and what is complained of, or wrong.
std::string named(OnlineRun& run, LockFile lock) {
  REQUIRE(run.online);
  if (const auto error = run.online->name_wheels(lock)) return error->message;
  std::string told;
  for (const auto& package : lock.packages)
    for (const auto& wheel : package.wheels) told += (told.empty() ? "" : " ") + wheel.url;
  return told + (run.complaints.str().empty() ? "" : "\n") + run.complaints.str();
}

TEST_CASE("of packages of which a lock names no wheel the index is asked") {
  IndexServer server;
  const std::string hash(64, 'a'), other(64, 'b');
  server.add_project("good", {good_wheel + "#sha256=" + hash, newer_wheel});
  const ScratchFolder folder;
  const auto told = [&](const LockFile& lock) {
    OnlineRun run(folder, {{"PIP_INDEX_URL", server.url("/simple")}, {"HOST", server.host()}});
    return named(run, lock);
  };
  LockFile lock;
  lock.packages = {pinned("good", "1.0"), pinned("source", "1.0"), pinned("root", "1.0"), pinned("here", "1.0")};
  lock.packages[1].from_source = true;
  lock.packages[2].is_root = true;
  lock.packages[3].wheels.push_back({"here-1.0-py3-none-any.whl", "http://${HOST}/here", "", ""});
  CHECK(told(lock) == server.url("/files/" + good_wheel) + " " + server.url("/here"));
  CHECK(server.asked() == Lines{"GET /simple/good/"});
  // Only requirements have variables.
  lock.kind = LockKind::pip_report;
  CHECK(told(lock) == server.url("/files/" + good_wheel) + " http://${HOST}/here");
  const auto alone = [&](const LockedPackage& package) {
    LockFile one;
    one.packages = {package};
    return told(one);
  };
  CHECK(alone(pinned("good", "1.0", {hash})) == server.url("/files/" + good_wheel));
  CHECK(alone(pinned("good", "1.0", {other})) ==
        "\ncudald: --online: good 1.0: the index: it has no wheel of version 1.0 with one of the hashes\n");
  CHECK(alone(pinned("good", "3.0")) == "\ncudald: --online: good 3.0: the index: it has no wheel of version 3.0\n");
  CHECK(alone(pinned("none", "1.0")) == "\ncudald: --online: none 1.0: the index: it does not know it\n");
}

TEST_CASE("where no index is named that is wrong only if one has to be asked") {
  const ScratchFolder folder;
  LockFile lock;
  lock.packages = {pinned("source", "1.0"), pinned("good", "1.0")};
  lock.packages[0].from_source = true;
  OnlineRun run(folder, {});
  CHECK(named(run, lock) ==
        "--online: the lock does not say where the wheel of good is, and no index is named; state one in "
        "PIP_INDEX_URL or UV_DEFAULT_INDEX");
  lock.packages.pop_back();
  CHECK(named(run, lock).empty());
}

TEST_CASE("a lock's own indexes are asked, with the logins that it states") {
  IndexServer server;
  server.add_project("good", {good_wheel});
  server.wants_login();
  const ScratchFolder folder;
  LockFile lock;
  lock.packages = {pinned("good", "1.0")};
  OnlineRun without(folder, {{"PIP_INDEX_URL", server.url("/simple")}});
  CHECK(named(without, lock) == "\ncudald: --online: good 1.0: the index: the server answers with status 401\n");
  lock.indexes.urls = {server.url("/simple", "me:${SECRET}")};
  server.asked();
  OnlineRun with(folder, {{"SECRET", "secret"}});
  CHECK(named(with, lock) == server.url("/files/" + good_wheel));
  CHECK(server.first_request().find("\r\nAuthorization: Basic bWU6c2VjcmV0\r\n") != std::string::npos);
}

TEST_CASE("an index is asked with the login of its address or of netrc, by way of the proxy that is stated") {
  IndexServer server;
  server.add_project("good", {good_wheel});
  const ScratchFolder folder;
  folder.add_file("netrc", "machine 127.0.0.1 login me password secret\n");
  const std::string basic = "\r\nAuthorization: Basic bWU6c2VjcmV0\r\n";
  const auto request = [&](const IndexVariables& variables) {
    server.asked();
    OnlineRun(folder, variables).wheels("good");
    return server.first_request();
  };
  const auto plain = request({{"PIP_INDEX_URL", server.url("/simple")}});
  CHECK(plain.starts_with("GET /simple/good/ HTTP/1.1\r\n"));
  CHECK(plain.find("Authorization") == std::string::npos);
  CHECK(request({{"PIP_INDEX_URL", server.url("/simple", "me:secret")}}).find(basic) != std::string::npos);
  CHECK(request({{"PIP_INDEX_URL", server.url("/simple")}, {"NETRC", folder / "netrc"}}).find(basic) !=
        std::string::npos);
  for (const auto* variable : {"PIP_PROXY", "HTTP_PROXY"})
    CHECK(request({{"PIP_INDEX_URL", "http://index.invalid/simple"}, {variable, server.url("")}})
              .starts_with("GET http://index.invalid/simple/good/ HTTP/1.1\r\n"));
}

TEST_CASE("a keyring is asked for the login of an index that wants one, of the settings or of the lock") {
  IndexServer server;
  server.add_project("good", {good_wheel});
  server.wants_login();
  const ScratchFolder folder;
  const auto index = server.url("/simple/");
  folder.add_file("bin/keyring", "#!/bin/sh\n[ \"$4\" = " + index +
                                     " ] || exit 1\necho '{\"username\": \"me\", \"password\": \"secret\"}'\n");
  std::filesystem::permissions(folder / "bin/keyring", std::filesystem::perms(0755));
  const IndexVariables keyring{{"PIP_KEYRING_PROVIDER", "subprocess"}, {"PATH", folder / "bin" + ":/usr/bin:/bin"}};
  auto variables = keyring;
  variables["PIP_INDEX_URL"] = index;
  CHECK(OnlineRun(folder, variables).wheels("good") == Lines{good_wheel});
  LockFile lock;
  lock.packages = {pinned("good", "1.0")};
  lock.indexes.urls = {index};
  OnlineRun run(folder, keyring);
  CHECK(named(run, lock) == server.url("/files/" + good_wheel));
  variables["PIP_KEYRING_PROVIDER"] = "x";
  CHECK(OnlineRun(folder, variables).fault ==
        "--online: PIP_KEYRING_PROVIDER is x: pip knows auto, disabled, import and subprocess");
}

TEST_CASE("settings of uv are those of the folder in which the target lies") {
  IndexServer server;
  server.add_project("good", {good_wheel});
  const ScratchFolder folder;
  folder.add_file("sub/uv.toml", "[[index]]\nurl = \"" + server.url("/simple") + "\"\n");
  folder.add_file("broken/uv.toml", "x");
  const auto wheels = [&](const std::string& target) {
    OnlineRun run(folder, {}, {"--online"});
    run.options.arguments = {target};
    auto opened = Online::open(run.options, run.host, *run.disk);
    if (!opened) return Lines{opened.error().message};
    run.online = std::move(*opened);
    return run.wheels("good");
  };
  CHECK(wheels("sub/requirements.txt") == Lines{good_wheel});
  CHECK(wheels(folder / "sub/requirements.txt") == Lines{good_wheel});
  CHECK(wheels("requirements.txt")[0].starts_with("--online: no index is named; "));
  CHECK(wheels("broken/requirements.txt")[0].starts_with("--online: " + (folder / "broken/uv.toml") + ": line 1: "));
}

TEST_CASE("what an index answers is kept for as long as all that were asked say") {
  IndexServer first, second;
  const ScratchFolder folder;
  const auto one = first.url("/simple"), two = second.url("/simple");
  const auto requests = [&](const IndexVariables& indexes, const Lines& hashes = {},
                            const Lines& words = {"--online"}) {
    auto variables = indexes;
    variables["XDG_CACHE_HOME"] = folder / "cache";
    OnlineRun run(folder, variables, words);
    LockFile lock;
    lock.packages = {pinned("good", "1.0", hashes)};
    CHECK(named(run, lock) == first.url("/files/" + good_wheel));
    return first.asked().size() + second.asked().size();
  };
  const IndexVariables pip{{"PIP_INDEX_URL", one}, {"PIP_EXTRA_INDEX_URL", two}}, alone{{"PIP_INDEX_URL", one}};
  const std::string hash(64, 'a');
  first.add_project("good", {good_wheel + "#sha256=" + hash}, "Cache-Control: max-age=600\r\nAge: 600\r\n");
  CHECK(requests(alone) == 1);
  CHECK(requests(alone) == 1);
  CHECK(requests(alone, {hash}) == 1);
  CHECK(requests(alone, {hash}) == 0);
  first.add_project("good", {good_wheel + "#sha256=" + hash}, "Cache-Control: max-age=600\r\n");
  CHECK(requests(alone, {}, {"--online", "--no-cache"}) == 1);
  CHECK(requests(alone) == 1);
  CHECK(requests(alone) == 0);
  second.add_project("good", {newer_wheel});
  CHECK(requests(pip) == 2);
  CHECK(requests(pip) == 2);
  first.add_project("good", {good_wheel});
  second.add_project("good", {newer_wheel}, "Cache-Control: max-age=600\r\n");
  CHECK(requests(pip) == 2);
  CHECK(requests(pip) == 2);
  first.add_project("good", {good_wheel}, "Cache-Control: max-age=600\r\n");
  // What uv takes of the same indexes is another answer.
  const IndexVariables uv{{"UV_INDEX", one}, {"UV_DEFAULT_INDEX", two}};
  CHECK(requests(uv) == 1);
  CHECK(requests(pip) == 2);
  CHECK(requests(pip) == 0);
  CHECK(requests(uv) == 0);
}

TEST_CASE("what was read of a file on a server is kept by its hash and its address") {
  IndexServer server;
  const std::string path = "/files/" + good_wheel;
  const auto bytes = wheel_file({{"good.py", ""}}, "", "good");
  server.add(path, {bytes, "ETag: \"1\"\r\n"});
  server.add("/other/" + good_wheel, {bytes, "ETag: \"1\"\r\n"});
  const ScratchFolder folder;
  const IndexVariables variables{{"XDG_CACHE_HOME", folder / "cache"}};
  const auto requests = [&](const std::string& url, const std::string& hash, const Lines& words = {"--online"}) {
    OnlineRun run(folder, variables, words);
    REQUIRE(run.online);
    const auto place = run.online->reach({good_wheel, url, "", hash});
    CHECK(place == "/.online/0/" + good_wheel);
    const auto text = read_file(run.online->tree(), place, 1 << 20);
    REQUIRE(text);
    CHECK(*text == bytes);
    run.online->keep();
    CHECK(run.complaints.str().empty());
    return server.asked().size();
  };
  const auto hash = sha256(bytes);
  CHECK(requests(server.url(path), hash, {"--online", "--no-cache"}) == 1);
  CHECK_FALSE(std::filesystem::exists(folder / "cache"));
  CHECK(requests(server.url(path), "") == 1);
  CHECK(requests(server.url(path), hash) == 1);
  CHECK(requests(server.url(path), hash) == 0);
  CHECK(requests(server.url(path, "me:secret"), hash) == 0);
  CHECK(requests(server.url(path), "") == 1);
  CHECK(requests(server.url("/other/" + good_wheel), hash) == 1);
  CHECK(std::filesystem::exists(folder / "cache/cudald/facts-1/.trimmed"));
}

TEST_CASE("a cache that cannot be made keeps nothing, and one that goes away meanwhile is complained of") {
  IndexServer server;
  const auto bytes = wheel_file({{"good.py", ""}}, "", "good");
  server.add("/" + good_wheel, {bytes, "ETag: \"1\"\r\n"});
  const ScratchFolder folder;
  folder.add_file("file", "");
  const auto complaint = [&](const std::string& cache, bool goes_away) {
    OnlineRun run(folder, {{"XDG_CACHE_HOME", cache}});
    REQUIRE(run.online);
    const auto place = run.online->reach({good_wheel, server.url("/" + good_wheel), "", sha256(bytes)});
    CHECK(run.online->tree().open(place));
    if (goes_away) {
      std::filesystem::remove_all(cache);
      folder.add_file("cache", "");
    }
    run.online->keep();
    return run.complaints.str();
  };
  CHECK(complaint(folder / "file", false).empty());
  CHECK(complaint(folder / "cache", true) ==
        "cudald: cannot keep what was read in " + (folder / "cache/cudald/facts-1") + "\n");
}

TEST_CASE("the METADATA beside a file is that which the index states by its hash") {
  IndexServer server;
  server.add("/a.whl.metadata", {"Name: a\n", ""});
  server.add("/large.whl.metadata", {std::string((8 << 20) + 1, ' '), ""});
  server.add("/most.whl.metadata", {std::string(8 << 20, ' '), ""});
  const ScratchFolder folder;
  OnlineRun run(folder, {});
  REQUIRE(run.online);
  const auto told = [&](const std::string& name, const std::string& hash) {
    const auto text = run.online->metadata({name, server.url("/" + name), "", "", 0, true, hash});
    if (text) return *text;
    return (text.error().code == ErrorCode::malformed ? "malformed: " : "error: ") + text.error().message;
  };
  CHECK(told("a.whl", "") == "Name: a\n");
  CHECK(told("a.whl", sha256("Name: a\n")) == "Name: a\n");
  CHECK(told("a.whl", std::string(64, '0')) == "malformed: its SHA-256 is not the one that the index states");
  CHECK(told("none.whl", "") == "error: the server answers with status 404");
  CHECK(told("most.whl", "").size() == 8 << 20);
  CHECK(told("large.whl", "").starts_with("error: "));
}

TEST_CASE("a file is held against one of the hashes of the lock, all of it") {
  MemoryFileSystem files;
  FileTraits broken;
  broken.broken_disk = true;
  const auto large = std::string(1 << 20, 'x') + "end";
  files.add_file("/a", "abc");
  files.add_file("/large", large);
  files.add_file("/broken", "abc", broken);
  const auto told = [&](const std::string& path, const std::vector<std::string>& hashes) {
    const auto error = verify_hash(files, path, hashes);
    return error ? error->path + ": " + error->message : "right";
  };
  const std::string zeros(64, '0'), ones(64, '1');
  CHECK(told("/a", {sha256("abc")}) == "right");
  CHECK(told("/a", {zeros, sha256("abc")}) == "right");
  CHECK(told("/large", {sha256(large)}) == "right");
  CHECK(told("/a", {zeros, ones}) ==
        "/a: its SHA-256 is " + sha256("abc") + ", and the lock pins " + zeros + " or " + ones);
  CHECK(verify_hash(files, "/a", {zeros})->code == ErrorCode::malformed);
  CHECK(verify_hash(files, "/none", {zeros})->code == ErrorCode::absent);
  CHECK(verify_hash(files, "/broken", {sha256("abc")})->code == ErrorCode::unreadable);
}

}  // namespace
}  // namespace cudald
