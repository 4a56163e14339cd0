#include "index/keyring.h"

#include <sys/stat.h>

#include <fstream>

#include <doctest/doctest.h>

#include "unit/tree/scratch_folder.h"

namespace cudald {
namespace {

using Names = std::vector<std::string>;

/// A program `keyring` that does what a script says, and notes its words.
struct Staged {
  ScratchFolder folder;
  KeyringSettings settings;

  explicit Staged(const std::string& script, bool as_uv = false) {
    settings.program = folder.path() + "/keyring";
    settings.as_uv = as_uv;
    settings.environment = {{"PATH", "/usr/bin:/bin"}, {"MINE", "x"}};
    std::ofstream(settings.program) << "#!/bin/sh\nprintf '%s,' \"$@\" >> " << folder.path() << "/asked\n" << script;
    ::chmod(settings.program.c_str(), 0700);
  }

  std::string ask(const std::string& service, const std::string& user = "") const {
    const auto answer = ask_keyring(settings, service, user);
    CHECK(answer.login.has_value() == answer.fault.empty());
    return answer.login ? answer.login->user + ":" + answer.login->password
                        : (answer.gives_none ? "none: " : "") + answer.fault;
  }

  std::string asked() const {
    std::ifstream file(folder.path() + "/asked");
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST_CASE("pip asks for a login in JSON") {
  const Staged keyring("echo \"{\\\"username\\\": \\\"me\\\", \\\"password\\\": \\\"$MINE$PYTHONIOENCODING\\\"}\"");
  CHECK(keyring.ask("h.example") == "me:xutf-8");
  CHECK(keyring.ask("https://h.example/simple/", "you") == "me:xutf-8");
  CHECK(keyring.asked() ==
        "--mode=creds,--output=json,get,h.example,--mode=creds,--output=json,get,https://h.example/simple/,you,");
}

TEST_CASE("uv asks for a password, or for two lines") {
  const Staged password("printf 'pass word \\r\\n\\n'", true);
  CHECK(password.ask("h.example", "me") == "me:pass word");
  CHECK(password.asked() == "get,h.example,me,");
  const Staged both("printf 'me\\r\\npass\\r\\n'", true);
  CHECK(both.ask("h.example") == "me:pass");
  CHECK(both.asked() == "get,h.example,--mode,creds,");
  CHECK(Staged("printf 'me\\npass'", true).ask("h") == "me:pass");
  CHECK(Staged("echo me", true).ask("h") == "what `keyring` answers is not a login");
}

TEST_CASE("a keyring that cannot tell a user is asked for the password alone, if the user is known") {
  const std::string old =
      "case $* in *--mode*) echo 'keyring: error: unrecognized arguments: --mode=creds' >&2; "
      "exit 2;; esac; echo ' word '";
  const Staged keyring(old);
  CHECK(keyring.ask("h", "me") == "me: word ");
  CHECK(keyring.asked() == "--mode=creds,--output=json,get,h,me,get,h,me,");
  CHECK(keyring.ask("h") == "`keyring` is too old to tell the name of a user: it must be at least 25.2.1");
  CHECK(Staged(old, true).ask("h") == keyring.ask("h"));
}

TEST_CASE("what goes wrong is told, by the last line of what the program complains of, and never its answer") {
  const std::string none = "none: `keyring` has no login: exit status 1";
  CHECK(Staged("exit 1").ask("h") == none);
  CHECK(Staged("printf 'Traceback:\\n  No such backend \\n\\n' >&2; exit 1").ask("h") == none + ": No such backend");
  CHECK(Staged("echo s3cret; echo 'cannot use s3cret' >&2; exit 1").ask("h") == none);
  CHECK(Staged("head -c 999 /dev/zero | tr '\\0' x >&2; exit 1").ask("h") == none + ": " + std::string(200, 'x'));
  CHECK(Staged("kill -TERM $$").ask("h") == "`keyring` was ended by signal 15");
  for (const auto* odd : {"", "x", "[]", "{}", R"({"username": "me"})", R"({"username": "me", "password": "a\u0000"})"})
    CHECK(Staged(std::string("cat <<'END'\n") + odd + "\nEND\n").ask("h") == "what `keyring` answers is not a login");
  CHECK(Staged("printf '\\377'", true).ask("h", "me") == "what `keyring` answers is not a login");
  Staged slow("sleep 600");
  slow.settings.patience = std::chrono::milliseconds(1000);
  CHECK(slow.ask("h") == "`keyring` did not end within 1 s");
  Staged gone("");
  gone.settings.program += "/none";
  CHECK(gone.ask("h") == "`keyring` cannot be started: Not a directory");
  gone.settings.program.clear();
  gone.settings.refusal = "it is not there";
  CHECK(gone.ask("h") == "it is not there");
}

TEST_CASE("a name from a file is no option of the program, nor a word of the runner's") {
  const Staged keyring("echo word", true);
  CHECK(keyring.ask("-x", "me") == "none: `keyring` is not asked for a name that begins with a hyphen");
  CHECK(keyring.ask("h", "--keyring-backend=x") == "none: `keyring` is not asked for a name that begins with a hyphen");
  CHECK(keyring.ask("h", "m\xff") == "none: `keyring` is not asked for a name that is not text");
  CHECK(keyring.asked().empty());
  CHECK(keyring.ask("h", "{}") == "{}:word");
  CHECK(keyring.asked() == "get,h,{},");
}

TEST_CASE("a keyring has no terminal to ask, and no input") {
  const Staged keyring("cat; { true < /dev/tty; } 2> /dev/null && echo terminal; echo word", true);
  CHECK(keyring.ask("h", "me") == "me:word");
}

TEST_CASE("a keyring runs in the folder that is told and else in the root") {
  Staged keyring("pwd", true);
  CHECK(keyring.ask("h", "me") == "me:/");
  keyring.settings.folder = keyring.folder.path();
  CHECK(keyring.ask("h", "me") == "me:" + keyring.folder.path());
  // And for a minute, as somebody may have to unlock it.
  CHECK(keyring.settings.patience == std::chrono::minutes(1));
}

TEST_CASE("pip looks up the index that an address is nearest to, then the server") {
  KeyringSettings settings;
  settings.indexes = {"https://a.example/one/simple", "https://a.example/two/simple/", "http://b.example:80/x"};
  const auto names = [&](const std::string& url) { return keyring_services(settings, url).names; };
  CHECK(names("https://a.example/two/simple/alpha/") == Names{"https://a.example/two/simple/", "a.example"});
  CHECK(names("https://a.example/files/alpha.whl") == Names{"https://a.example/one/simple/", "a.example"});
  CHECK(names("http://b.example:80/x/alpha/") == Names{"http://b.example:80/x/", "b.example:80"});
  CHECK(names("https://b.example/x/alpha/") == Names{"b.example"});
  CHECK(keyring_services(settings, "https://a.example/two/simple/y/").once_for == "https://a.example/two/simple/");
}

TEST_CASE("uv looks up the index that an address is below or the address, then the server") {
  KeyringSettings settings;
  settings.as_uv = true;
  settings.indexes = {"https://a.example/one/simple", "https://a.example/two/", "http://b.example:80"};
  const auto names = [&](const std::string& url) { return keyring_services(settings, url).names; };
  CHECK(names("https://a.example/one/files/x.whl") == Names{"https://a.example/one/simple", "a.example"});
  CHECK(names("https://a.example/two/alpha/") == Names{"https://a.example/two/", "a.example"});
  CHECK(names("https://a.example/twofold") == Names{"https://a.example/twofold", "a.example"});
  CHECK(names("https://a.example:8443/one/") == Names{"https://a.example:8443/one/", "a.example:8443"});
  CHECK(names("http://b.example/alpha") == Names{"http://b.example:80/", "b.example", "http://b.example"});
  CHECK(keyring_services(settings, "https://a.example/x/y.whl").once_for == "https://a.example:443");
  settings.always = {"https://a.example/two/"};
  CHECK(is_always_asked(settings, "https://a.example/two/alpha/"));
  CHECK_FALSE(is_always_asked(settings, "https://a.example/one/alpha/"));
}

TEST_CASE("what fails later in a talk with a keyring is told as what fails at once") {
  const std::string old =
      "case $* in *--mode*) echo 'keyring: error: unrecognized arguments: --mode=creds' >&2; exit 2;; esac; exit 3";
  CHECK(Staged(old).ask("h", "me") == "none: `keyring` has no login: exit status 3");
  CHECK(Staged("exit 4", true).ask("h", "me") == "none: `keyring` has no login: exit status 4");
  CHECK(Staged("exit 5", true).ask("h") == "none: `keyring` has no login: exit status 5");
  CHECK(Staged("printf me", true).ask("h") == "what `keyring` answers is not a login");
  CHECK(Staged("printf 'm\\377\\nword\\n'", true).ask("h") == "what `keyring` answers is not a login");
  CHECK(Staged("printf 'me\\n\\n'", true).ask("h") == "what `keyring` answers is not a login");
  CHECK(Staged("printf '\\nword\\n'", true).ask("h") == ":word");
}

TEST_CASE("a keyring is old only if it does not know that very option") {
  const auto told = [](const std::string& complaint, const std::string& status = "2") {
    return Staged("echo '" + complaint + "' >&2; exit " + status).ask("h");
  };
  const std::string old = "`keyring` is too old to tell the name of a user: it must be at least 25.2.1";
  CHECK(told("unrecognized arguments: --mode=creds") == old);
  CHECK(told("unrecognized arguments: --output=json") ==
        "none: `keyring` has no login: exit status 2: unrecognized arguments: --output=json");
  CHECK(told("bad --mode=creds") == "none: `keyring` has no login: exit status 2: bad --mode=creds");
  CHECK(told("unrecognized arguments: --mode", "0") == "what `keyring` answers is not a login");
}

TEST_CASE("an answer of more than 64 kilobytes is none, and other lines of it do not hide the fault") {
  const auto with = [](int length) {
    return Staged("printf '{\"username\": \"me\", \"password\": \"word\"}%" + std::to_string(length) + "s' ''")
        .ask("h");
  };
  constexpr int used = 38;
  CHECK(with(65536 - used) == "me:word");
  CHECK(with(65537 - used) == "what `keyring` answers is not a login");
  CHECK(Staged("echo other; echo 'it is locked' >&2; exit 1").ask("h") ==
        "none: `keyring` has no login: exit status 1: it is locked");
}

TEST_CASE("names that are no text or begin with a hyphen are not asked for, be they services or users") {
  const Staged keyring("echo word", true);
  for (const auto& [service, user] : {std::pair("-h", "me"), std::pair("h", "-me")})
    CHECK(keyring.ask(service, user) == "none: `keyring` is not asked for a name that begins with a hyphen");
  CHECK(keyring.ask("h\xff", "me") == "none: `keyring` is not asked for a name that is not text");
  CHECK(keyring.ask(std::string("h\0x", 3), "me") == "none: `keyring` is not asked for a name that is not text");
  CHECK(keyring.ask("h", std::string("m\0", 2)) == "none: `keyring` is not asked for a name that is not text");
  CHECK(keyring.asked().empty());
}

TEST_CASE("the port that a scheme has anyway belongs to no name of a host") {
  KeyringSettings settings;
  settings.as_uv = true;
  const auto names = [&](const std::string& url) { return keyring_services(settings, url).names; };
  CHECK(names("https://a.example:443/x") == Names{"https://a.example:443/x", "a.example"});
  CHECK(names("https://a.example:80/x") == Names{"https://a.example:80/x", "a.example:80"});
  CHECK(names("http://a.example:80/x") == Names{"http://a.example:80/x", "a.example", "http://a.example"});
  CHECK(names("http://a.example:443/x") == Names{"http://a.example:443/x", "a.example:443", "http://a.example:443"});
  CHECK(names("https://a.example?q=1") == Names{"https://a.example/?q=1", "a.example"});
  CHECK(names("https://a.example#f") == Names{"https://a.example/#f", "a.example"});
  settings.as_uv = false;
  CHECK(names("https://a.example:443/x") == Names{"a.example:443"});
}

TEST_CASE("what is below an index of uv, whatever its last folder is called") {
  KeyringSettings settings;
  const auto below = [&](const std::string& url, const std::string& index) {
    settings.always = {index};
    return is_always_asked(settings, url);
  };
  CHECK(below("https://a.example/one", "https://a.example/one/"));
  CHECK(below("https://a.example/one", "https://a.example/one/simple/"));
  CHECK(below("https://a.example/one/x?q", "https://a.example/one/+simple//"));
  CHECK(below("https://a.example/one/y", "https://a.example/one/simple"));
  CHECK_FALSE(below("https://a.example/ones", "https://a.example/one"));
  CHECK_FALSE(below("https://a.example/on", "https://a.example/one"));
  CHECK_FALSE(below("https://b.example/one", "https://a.example/one"));
  CHECK_FALSE(below("http://a.example/one", "https://a.example/one"));
  CHECK_FALSE(below("https://a.example/x", "https://a.example/simple/simple"));
  CHECK_FALSE(below("https://a.example/x", "https://a.example/+simple/simple"));
  CHECK(below("https://a.example/+simple/x", "https://a.example/+simple/simple"));
  CHECK(below("https://a.example/simple/x", "https://a.example/simple/simple"));
}

TEST_CASE("of indexes of one server pip takes the nearest, and of equal ones the first") {
  KeyringSettings settings;
  settings.indexes = {"https://a.example/x", "https://a.example/y/z", "https://a.example/w"};
  const auto first = [&](const std::string& url) { return keyring_services(settings, url).names.front(); };
  CHECK(first("https://a.example/y/z/p") == "https://a.example/y/z/");
  CHECK(first("https://a.example/y/p") == "https://a.example/y/z/");
  CHECK(first("https://a.example/w/p") == "https://a.example/w/");
  CHECK(first("https://a.example/other") == "https://a.example/x/");
}

}  // namespace
}  // namespace cudald
