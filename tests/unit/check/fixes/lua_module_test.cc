// A module of Lua that is made for another release than its program has.

#include "check/fixes/lua_module.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

/// The commands, one in a line.
std::string commands(const MemoryFileSystem& files, const std::string& module, const std::string& lua,
                     const std::string& program) {
  ImageStore images(files);
  std::string result;
  for (const auto& fix : other_lua(module, lua, program, images)) result += fix.command + "\n";
  return result;
}

MemoryFileSystem ubuntu() {
  MemoryFileSystem files;
  files.add_file("/etc/os-release", "ID=ubuntu\nID_LIKE=debian\n");
  return files;
}

TEST_CASE("the interpreter of the module's release is installed, and chosen where another one is") {
  auto files = ubuntu();
  const std::string module = "/usr/local/lib/lua/5.1/lfs.so", library = "/usr/lib/liblua5.2.so.0";
  const std::string chosen = "sudo update-alternatives --set lua-interpreter /usr/bin/lua5.1\n";
  CHECK(commands(files, module, library, "/usr/bin/lua") == "sudo apt install lua5.1 && " + chosen);
  CHECK(commands(files, module, library, "/usr/bin/lua5.2") == "sudo apt install lua5.1\n");
  files.add_file("/usr/bin/lua5.1", "");
  CHECK(commands(files, module, library, "/usr/bin/lua") == chosen);
  CHECK(commands(files, module, library, "/usr/bin/lua5.2") == "\n");
  CHECK(commands({}, module, library, "/usr/bin/lua") == "");
}

TEST_CASE("a rock is installed for the release of a program that has Lua in it") {
  auto files = ubuntu();
  files.add_file("/usr/local/lib/luarocks/rocks-5.4/regkex/1.0-1/rock_manifest",
                 "rock_manifest = {\n   lib = {\n      [\"regkex.so\"] = \"0a\"\n   }\n}\n");
  files.add_file("/home/u/.luarocks/lib/luarocks/rocks-5.4/x/1-1/rock_manifest", "lib = {[\"x.so\"] = \"0a\"}\n");
  const std::string module = "/usr/local/lib/lua/5.4/regkex.so";
  CHECK(commands(files, module, "/usr/bin/nvim", "/usr/bin/nvim") ==
        "sudo luarocks install --lua-version=5.1 regkex\n");
  CHECK(commands(files, "/home/u/.luarocks/lib/lua/5.4/x.so", "/usr/lib/libluajit-5.1.so.2", "/usr/bin/nginx") ==
        "luarocks install --local --lua-version=5.1 x\n");
  CHECK(commands(files, "/usr/local/lib/lua/5.4/y.so", "/usr/bin/nvim", "/usr/bin/nvim") == "");
}

TEST_CASE("no fix is offered where the releases are alike or not known") {
  const auto files = ubuntu();
  CHECK(commands(files, "/usr/lib/lua/5.4/x.so", "/usr/lib/liblua-5.4.so", "/usr/bin/lua") == "");
  CHECK(commands(files, "/usr/lib/lua/5.4/x.so", "/usr/lib/liblua.so", "/usr/bin/lua") == "");
  CHECK(commands(files, "/usr/lib/lua/x.so", "/usr/lib/liblua5.1.so.0", "/usr/bin/lua") == "");
  CHECK(commands(files, "/usr/lib/x.so", "/usr/bin/game", "/usr/bin/game") == "");
}

}  // namespace
}  // namespace cudald
