#include "index/keyring_choice.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

FileTraits runnable() {
  FileTraits traits;
  traits.executable = true;
  return traits;
}

/// "pip /bin/keyring", "uv /bin/keyring", why it is not asked, or "none".
std::string chosen(const std::map<std::string, std::string>& variables, const UvSettings& uv = {},
                   const std::string& conf = "") {
  MemoryFileSystem files;
  files.add_file("/a/keyring", "no program");
  for (const auto* path : {"/keyring", "/./keyring", "/elsewhere/keyring"}) files.add_file(path, "", runnable());
  files.add_file("/b/bin/keyring", "", runnable());
  files.add_file("/c/keyring", "", runnable());
  files.add_file("/project/keyring", "", runnable());
  files.add_file("/home/me/.config/pip/pip.conf", conf);
  Environment environment;
  environment.cwd = "/project";
  environment.variables = {{"HOME", "/home/me"}, {"PATH", ":.:/none:/a:/b/bin/:/c"}};
  for (const auto& [name, value] : variables) environment.variables[name] = value;
  const auto keyring = choose_keyring(read_index_settings(uv, environment, files), environment, files);
  if (!keyring) return keyring.error().message;
  if (!*keyring) return "none";
  return (*keyring)->program.empty() ? (*keyring)->refusal : ((*keyring)->as_uv ? "uv " : "pip ") + (*keyring)->program;
}

TEST_CASE("a keyring is asked where the setting says so of the program whose indexes are asked") {
  const std::string pip = "PIP_KEYRING_PROVIDER", uv = "UV_KEYRING_PROVIDER", program = "subprocess";
  CHECK(chosen({}) == "none");
  CHECK(chosen({{pip, program}}) == "pip /b/bin/keyring");
  CHECK(chosen({{uv, program}}) == "uv /b/bin/keyring");
  CHECK(chosen({{pip, program}, {uv, program}}) == "pip /b/bin/keyring");
  CHECK(chosen({{uv, program}, {"PIP_INDEX_URL", "https://a.example"}}) == "none");
  CHECK(chosen({{pip, program}, {"UV_DEFAULT_INDEX", "https://a.example"}}) == "none");
  CHECK(chosen({{pip, "auto"}}) == "none");
  CHECK(chosen({{pip, "disabled"}}) == "none");
  CHECK(chosen({}, {}, "[global]\nkeyring-provider = subprocess\n") == "pip /b/bin/keyring");
  CHECK(chosen({{pip, "disabled"}}, {}, "[global]\nkeyring-provider = subprocess\n") == "none");
  CHECK(chosen({}, {{}, "", program}) == "uv /b/bin/keyring");
  CHECK(chosen({{uv, "disabled"}}, {{}, "", program}) == "none");
}

TEST_CASE("pip passes over the keyring of its own environment, and nobody takes that of the current folder") {
  CHECK(chosen({{"PIP_KEYRING_PROVIDER", "subprocess"}, {"VIRTUAL_ENV", "/b"}}) == "pip /c/keyring");
  CHECK(chosen({{"UV_KEYRING_PROVIDER", "subprocess"}, {"VIRTUAL_ENV", "/b"}}) == "uv /b/bin/keyring");
  CHECK(chosen({{"PIP_KEYRING_PROVIDER", "subprocess"}, {"PATH", ":.:work"}}) ==
        "PIP_KEYRING_PROVIDER is subprocess, and there is no program `keyring` in PATH");
}

TEST_CASE("what cannot be done and what is no value is told, with the setting") {
  CHECK(chosen({{"PIP_KEYRING_PROVIDER", "import"}}) ==
        "PIP_KEYRING_PROVIDER is import: cudald runs no Python and cannot ask that keyring; set it to subprocess, or "
        "put the login into netrc");
  CHECK(chosen({}, {}, "[global]\nkeyring-provider = import\n").starts_with("keyring-provider is import: "));
  CHECK(chosen({{"PIP_KEYRING_PROVIDER", "x"}}) ==
        "--online: PIP_KEYRING_PROVIDER is x: pip knows auto, disabled, import and subprocess");
  CHECK(chosen({{"UV_KEYRING_PROVIDER", "auto"}}) ==
        "--online: UV_KEYRING_PROVIDER is auto: uv knows disabled and subprocess");
}

TEST_CASE("indexes are known as they are stated, those of a file of requirements as well") {
  MemoryFileSystem files;
  Environment environment;
  environment.variables = {{"UV_DEFAULT_INDEX", "https://me@a.example/simple/"}, {"UV_INDEX", "https://b.example/x"}};
  const UvSettings uv{{{"mine", "https://c.example/", false, true, true}}, ""};
  auto settings = read_index_settings(uv, environment, files);
  CHECK(settings.keyring.indexes ==
        std::vector<std::string>{"https://b.example/x", "https://c.example/", "https://a.example/simple/"});
  CHECK(settings.keyring.always == std::vector<std::string>{"https://c.example/"});
  CHECK(settings.logins.at("https://a.example:443") == Login{"me", ""});
  add_locked_indexes({{"https://d.example/y/"}, true}, environment, settings);
  CHECK(settings.keyring.indexes == std::vector<std::string>{"https://d.example/y/"});
}

TEST_CASE("a keyring knows the logins of netrc, which NETRC names, or which lies at home") {
  MemoryFileSystem files;
  files.add_file("/home/me/.netrc", "home");
  files.add_file("/project/my.netrc", "mine");
  files.add_file("/bin/keyring", "", runnable());
  Environment environment;
  environment.cwd = "/project";
  const auto netrc = [&](const std::map<std::string, std::string>& variables) {
    environment.variables = variables;
    environment.variables["PIP_KEYRING_PROVIDER"] = "subprocess";
    environment.variables["PATH"] = "/bin";
    const auto keyring = choose_keyring(read_index_settings({}, environment, files), environment, files);
    REQUIRE(keyring);
    REQUIRE(*keyring);
    CHECK((*keyring)->environment == environment.variables);
    CHECK((*keyring)->folder == "/project");
    CHECK((*keyring)->program == "/bin/keyring");
    CHECK_FALSE((*keyring)->as_uv);
    CHECK((*keyring)->indexes.empty());
    CHECK((*keyring)->always.empty());
    return (*keyring)->netrc;
  };
  CHECK(netrc({{"HOME", "/home/me"}}) == "home");
  CHECK(netrc({{"HOME", "/home/me"}, {"NETRC", "my.netrc"}}) == "mine");
  CHECK(netrc({{"HOME", "/home/me"}, {"NETRC", "/none"}}) == "");
  CHECK(netrc({{"HOME", "/nobody"}}) == "");
  CHECK(netrc({{"NETRC", "/home/me/.netrc"}}) == "home");
  files.add_file("/.netrc", "of nobody");
  CHECK(netrc({}) == "");
}

TEST_CASE("a folder that is called keyring is no program, and its indexes are handed on") {
  MemoryFileSystem files;
  files.add_folder("/a/keyring");
  files.add_file("/b/keyring", "", runnable());
  Environment environment;
  environment.variables = {
      {"UV_DEFAULT_INDEX", "https://a.example/simple/"}, {"UV_KEYRING_PROVIDER", "subprocess"}, {"PATH", "/a:/b"}};
  const UvSettings uv{{{"mine", "https://c.example/", false, true, true}}, ""};
  const auto keyring = choose_keyring(read_index_settings(uv, environment, files), environment, files);
  REQUIRE(keyring);
  REQUIRE(*keyring);
  CHECK((*keyring)->as_uv);
  CHECK((*keyring)->program == "/b/keyring");
  CHECK((*keyring)->indexes == std::vector<std::string>{"https://c.example/", "https://a.example/simple/"});
  CHECK((*keyring)->always == std::vector<std::string>{"https://c.example/"});
  environment.variables["PATH"] = "/a";
  CHECK((*choose_keyring(read_index_settings(uv, environment, files), environment, files))->refusal ==
        "UV_KEYRING_PROVIDER is subprocess, and there is no program `keyring` in PATH");
}

TEST_CASE("a netrc of more than a mebibyte is passed over") {
  for (const bool fits : {true, false}) {
    MemoryFileSystem files;
    FileTraits large;
    large.claimed_size = (std::uint64_t{1} << 20) + (fits ? 0 : 1);
    files.add_file("/home/me/.netrc", "home", large);
    Environment environment;
    environment.variables = {{"HOME", "/home/me"}, {"PIP_KEYRING_PROVIDER", "subprocess"}};
    const auto keyring = choose_keyring(read_index_settings({}, environment, files), environment, files);
    REQUIRE(keyring);
    REQUIRE(*keyring);
    CHECK((*keyring)->netrc == (fits ? "home" : ""));
  }
}

}  // namespace
}  // namespace cudald
