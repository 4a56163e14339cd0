#include "session/native_binding.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

constexpr const char* of_core =
    R"({"version": "1.2.0", "optionalDependencies": {"@swc/core-linux-x64-gnu": "1.2.0",
        "@swc/core-win32-x64-msvc": "1.2.0"}})";

/// A tree of Linux with @swc/core in /app.
MemoryFileSystem tree_of(const std::string& loader) {
  MemoryFileSystem files;
  files.add_file(loader, "");
  files.add_file("/app/package.json", "{}");
  files.add_file("/app/node_modules/@swc/core/package.json", of_core);
  return files;
}

TEST_CASE("the compiled file is in the optional dependency for the platform, in a node_modules that Node looks in") {
  auto files = tree_of("/lib64/ld-linux-x86-64.so.2");
  const std::string text = "    at Object.<anonymous> (/app/node_modules/@swc/core/binding.js:333:11)";
  auto found = native_binding(text, files, "/");
  CHECK(found.package == "@swc/core");
  CHECK(found.version == "1.2.0");
  CHECK(found.wanted == "@swc/core-linux-x64-gnu");
  CHECK(found.file.empty());
  CHECK(found.installed.empty());
  CHECK(found.command == "cd /app && rm -rf node_modules package-lock.json && npm install");

  files.add_file("/app/node_modules/@swc/core-win32-x64-msvc/swc.win32-x64-msvc.node", "MZ");
  files.add_file("/app/yarn.lock", "");
  found = native_binding(text, files, "/");
  CHECK(found.installed == "@swc/core-win32-x64-msvc");
  CHECK(found.command == "cd /app && rm -rf node_modules yarn.lock && yarn install");

  files.add_file("/app/node_modules/@swc/core-linux-x64-gnu/swc.linux-x64-gnu.node", "");
  CHECK(native_binding(text, files, "/").file == "/app/node_modules/@swc/core-linux-x64-gnu/swc.linux-x64-gnu.node");
  files.add_file("/app/node_modules/@swc/core/swc.linux-x64-gnu.node", "");
  CHECK(native_binding(text, files, "/").file == "/app/node_modules/@swc/core/swc.linux-x64-gnu.node");
}

TEST_CASE("a package may have no compiled file for the platform") {
  const auto found = native_binding("node_modules/@swc/core/binding.js", tree_of("/lib/ld-musl-x86_64.so.1"), "/app");
  CHECK(found.platform == "linux-x64-musl");
  CHECK(found.package == "@swc/core");
  CHECK(found.wanted.empty());
  CHECK(native_binding("/app/node_modules/@swc/core/x.js", tree_of("/lib/ld-of-another.so"), "/").package.empty());
  CHECK(native_binding("/b/node_modules/x/y.js", tree_of("/lib/ld-musl-x86_64.so.1"), "/").package.empty());
  CHECK(native_binding("no path", tree_of("/lib/ld-musl-x86_64.so.1"), "/").package.empty());
}

TEST_CASE("the platform is the one that the message asks for") {
  const auto files = tree_of("/lib64/ld-linux-x86-64.so.2");
  const auto platform_of = [&](const std::string& module) {
    const auto text = "Error: Cannot find module '" + module + "'\nRequire stack:\n- /app/node_modules/@swc/core/b.js";
    const auto found = native_binding(text, files, "/");
    CHECK(found.package == "@swc/core");
    return found.platform;
  };
  CHECK(platform_of("@swc/core-linux-arm64-musl") == "linux-arm64-musl");
  CHECK(platform_of("../swc.linux-x64-musl.node") == "linux-x64-musl");
  CHECK(platform_of("@swc/core-win32-x64-msvc") == "win32-x64-msvc");
  CHECK(platform_of("./other") == "linux-x64-gnu");
}

TEST_CASE("of a program of Electron the compiled file lies outside of the archive, which is not read") {
  MemoryFileSystem files;
  files.add_file("/lib64/ld-linux-x86-64.so.2", "");
  const std::string file = "/opt/a/app.asar.unpacked/node_modules/@napi-rs/keyring-linux-x64-gnu/k.linux-x64-gnu.node";
  files.add_file(file, "");
  const auto found = native_binding("(/opt/a/app.asar/node_modules/@napi-rs/keyring/index.js:1:2)", files, "/");
  CHECK(found.wanted == "@napi-rs/keyring-linux-x64-gnu");
  CHECK(found.file == file);
}

TEST_CASE("what installs again is the tool whose lock file is there, or that of a global package or of npx") {
  MemoryFileSystem files;
  files.add_file("/lib64/ld-linux-x86-64.so.2", "");
  const auto command_for = [&](const std::string& folder, const std::string& package) {
    files.add_file(folder + "/node_modules/" + package + "/package.json", "{}");
    return native_binding("file://" + folder + "/node_modules/" + package + "/a.mjs", files, "/").command;
  };
  CHECK(command_for("/usr/lib", "vite") == "npm install -g vite");
  CHECK(command_for("/home/u/.npm/_npx/0f", "x") == "rm -rf /home/u/.npm/_npx/0f");
  files.add_file("/p/package.json", "{}");
  files.add_file("/p/pnpm-lock.yaml", "");
  CHECK(command_for("/p", ".pnpm/r@1/node_modules/r") == "cd /p && rm -rf node_modules pnpm-lock.yaml && pnpm install");
}

TEST_CASE("on Windows it is that for MSVC") {
  MemoryFileSystem files;
  files.add_file("/w/package.json", "{}");
  files.add_file("/w/node_modules/r/package.json", R"({"optionalDependencies": {"r-win32-x64-msvc": "1"}})");
  const auto found = native_binding("at (C:\\w\\node_modules\\r\\index.js:5:1)", files, "/");
  CHECK(found.wanted == "r-win32-x64-msvc");
  CHECK(found.command == "cd /d \"C:\\w\" && rmdir /s /q node_modules & del package-lock.json & npm install");
}

}  // namespace
}  // namespace cudald
