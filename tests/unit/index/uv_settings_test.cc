#include "index/uv_settings.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

struct Machine {
  MemoryFileSystem files;
  Environment environment;

  Machine() { environment.variables["HOME"] = "/home/me"; }

  /// "mine=https://a.example https://b.example default; strategy", or what is wrong.
  std::string read(const std::string& folder = "/home/me/work/app/deploy") const {
    const auto settings = read_uv_settings(folder, environment, files);
    if (!settings) return settings.error().message;
    std::string text;
    for (const auto& index : settings->indexes) {
      text += (text.empty() ? "" : " ") + (index.name.empty() ? "" : index.name + "=") + index.url;
      if (index.is_default) text += " default";
      if (index.is_explicit) text += " explicit";
    }
    return settings->strategy.empty() ? text : text + "; " + settings->strategy;
  }
};

TEST_CASE("indexes of the project come before those of the user and of the system") {
  Machine machine;
  CHECK(machine.read().empty());
  machine.files.add_file("/etc/uv/uv.toml",
                         "index-url = \"https://system.example\"\nindex-strategy = \"first-index\"\n");
  machine.files.add_file("/home/me/.config/uv/uv.toml", "extra-index-url = [\"https://user.example\"]\n");
  machine.files.add_file("/home/me/work/pyproject.toml",
                         "[project]\nname = \"x\"\n[[tool.uv.index]]\nname = \"mine\"\nurl = \"https://a.example\"\n"
                         "explicit = true\n[[tool.uv.index]]\nurl = \"https://b.example\"\ndefault = true\n");
  CHECK(machine.read() ==
        "mine=https://a.example explicit https://b.example default https://user.example https://system.example "
        "default; first-index");
  machine.files.add_file("/home/me/work/app/uv.toml", "index-strategy = \"unsafe-best-match\"\n");
  machine.files.add_file("/home/me/work/app/pyproject.toml", "[tool.uv]\nindex-url = \"https://never.example\"\n");
  CHECK(machine.read() == "https://user.example https://system.example default; unsafe-best-match");
  machine.environment.variables["XDG_CONFIG_HOME"] = "/config";
  CHECK(machine.read() == "https://system.example default; unsafe-best-match");
}

TEST_CASE("a keyring is that of the first file that names one, and an index may always want a login") {
  Machine machine;
  machine.files.add_file("/etc/uv/uv.toml", "keyring-provider = \"disabled\"\n");
  machine.files.add_file(
      "/home/me/work/pyproject.toml",
      "[tool.uv]\nkeyring-provider = \"subprocess\"\n[[tool.uv.index]]\nurl = \"https://a.example\"\n"
      "authenticate = \"always\"\n[[tool.uv.index]]\nurl = \"https://b.example\"\n"
      "authenticate = \"never\"\n");
  const auto settings = read_uv_settings("/home/me/work", machine.environment, machine.files);
  REQUIRE(settings);
  CHECK(settings->keyring == "subprocess");
  REQUIRE(settings->indexes.size() == 2);
  CHECK(settings->indexes[0].always);
  CHECK_FALSE(settings->indexes[1].always);
  CHECK(read_uv_settings("/elsewhere", machine.environment, machine.files)->keyring == "disabled");
}

TEST_CASE("a project that says nothing to uv does not end the search, one that is no TOML does") {
  Machine machine;
  machine.files.add_file("/home/me/work/app/pyproject.toml", "[project]\nname = \"x\"\n");
  machine.files.add_file("/home/me/work/uv.toml", "[[index]]\nurl = \"https://a.example\"\n");
  CHECK(machine.read() == "https://a.example");
  CHECK(machine.read("/home/me/work") == "https://a.example");
  CHECK(machine.read("/").empty());
  machine.files.add_file("/home/me/work/app/uv.toml", "[[index]\n");
  CHECK(machine.read().starts_with("--online: /home/me/work/app/uv.toml: line 1: "));
}

TEST_CASE("of several files that are no TOML the first is told, and nobody has no file of his own") {
  Machine machine;
  machine.files.add_file("/home/me/.config/uv/uv.toml", "[[index]\n");
  machine.files.add_file("/etc/uv/uv.toml", "x = \n");
  CHECK(machine.read().starts_with("--online: /home/me/.config/uv/uv.toml: line 1: "));
  machine.environment.variables.clear();
  CHECK(machine.read().starts_with("--online: /etc/uv/uv.toml: line 1: "));
  machine.files.add_file("/etc/uv/uv.toml", "index-url = \"https://system.example\"\n");
  machine.files.add_file("/.config/uv/uv.toml", "index-url = \"https://root.example\"\n");
  CHECK(machine.read() == "https://system.example default");
  machine.environment.variables["XDG_CONFIG_HOME"] = "/.config";
  CHECK(machine.read() == "https://root.example default https://system.example default");
}

TEST_CASE("the search ends with the file that says something, in the folder itself, that above, or the root") {
  Machine machine;
  machine.files.add_file("/uv.toml", "index-url = \"https://root.example\"\n");
  CHECK(machine.read("/home") == "https://root.example default");
  CHECK(machine.read("/") == "https://root.example default");
  machine.files.add_file("/home/pyproject.toml", "[tool.uv]\nextra-index-url = [\"https://a.example\"]\n");
  CHECK(machine.read("/home/me") == "https://a.example");
  machine.files.add_file("/home/uv.toml", "");
  CHECK(machine.read("/home/me") == "https://a.example");
}

TEST_CASE("a file of uv of more than a mebibyte is passed over") {
  for (const bool fits : {true, false}) {
    Machine machine;
    FileTraits large;
    large.claimed_size = (std::uint64_t{1} << 20) + (fits ? 0 : 1);
    machine.files.add_file("/home/me/uv.toml", "index-url = \"https://a.example\"\n", large);
    CHECK(machine.read() == (fits ? "https://a.example default" : ""));
  }
}

TEST_CASE("indexes of the older keys are no default ones but for the one, and none of them wants a login always") {
  Machine machine;
  machine.files.add_file("/uv.toml",
                         "extra-index-url = [\"https://a.example\", \"https://b.example\"]\n"
                         "index-url = \"https://c.example\"\n[[index]]\nurl = \"https://d.example\"\n");
  const auto settings = read_uv_settings("/", machine.environment, machine.files);
  REQUIRE(settings);
  REQUIRE(settings->indexes.size() == 4);
  CHECK(machine.read("/") == "https://d.example https://a.example https://b.example https://c.example default");
  for (const auto& index : settings->indexes) {
    CHECK_FALSE(index.always);
    CHECK_FALSE(index.is_explicit);
  }
}

}  // namespace
}  // namespace cudald
