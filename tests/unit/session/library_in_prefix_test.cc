#include "session/library_in_prefix.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

std::string place_in_prefix(const std::string& name, const std::string& path) {
  MemoryFileSystem files;
  files.add_file("/venv/lib/python3.11/site-packages/a/__init__.py", "");
  files.add_file(path, "");
  return library_in_prefix(name, "/venv", files);
}

TEST_CASE("a library is looked for where packages of Linux and of Windows keep theirs") {
  for (const std::string path :
       {"/venv/lib/libx.so.1", "/venv/lib/python3.11/site-packages/nvidia/cudnn/lib/libx.so.1",
        "/venv/lib/python3.11/site-packages/a/lib/libx.so.1", "/venv/lib/python3.11/site-packages/a.libs/libx.so.1"})
    CHECK(place_in_prefix("libx.so.1", path) == path);
  for (const std::string path : {"/venv/Library/bin/X.dll", "/venv/Lib/site-packages/nvidia/cudnn/bin/x.dll"})
    CHECK(place_in_prefix("x.dll", path) == path);
  CHECK(place_in_prefix("libx.so.1", "/venv/share/libx.so.1") == "");
}

TEST_CASE("a plug-in is looked for in the prefix, around a program, and else in the system") {
  MemoryFileSystem files;
  const std::string plugin = "/plugins/platforms/libqxcb.so";
  const std::string site = "/venv/lib/python3.11/site-packages/PySide6/Qt" + plugin, beside = "/opt/app" + plugin,
                    of_system = "/usr/lib/x86_64-linux-gnu/qt5" + plugin;
  for (const auto& path : {site, beside, of_system}) files.add_file(path, "");
  CHECK(plugin_in_prefix("platforms/qxcb", "/venv", "", files) == site);
  CHECK(plugin_in_prefix("platforms/qxcb", "", "/opt/app/bin/app", files) == beside);
  CHECK(plugin_in_prefix("platforms/qxcb", "", "", files) == of_system);
  CHECK(plugin_in_prefix("platforms/qwayland", "/venv", "", files) == "");
}

TEST_CASE("a frozen program has plug-ins of Qt beside it, or below a package's directory") {
  MemoryFileSystem files;
  const std::string package = "/dist/a/_internal/PyQt5/Qt5/plugins/platforms/qwindows.dll";
  files.add_file(package, "");
  files.add_file("/dist/b/platforms/qwindows.dll", "");
  files.add_file("/dist/b/PyQt5/Qt5/plugins/platforms/qwindows.dll", "");
  CHECK(plugin_in_prefix("platforms/qwindows", "", "/dist/a/a.exe", files) == package);
  CHECK(plugin_in_prefix("platforms/qwindows", "", "/dist/b/b.exe", files) == "/dist/b/platforms/qwindows.dll");
}

TEST_CASE("the plug-ins of a Qt in PATH lie beside its bin, and two releases of the system's Qt tell nothing") {
  MemoryFileSystem files;
  files.add_file("/Qt/5/plugins/platforms/qwindows.dll", "");
  CHECK(plugin_in_prefix("platforms/qwindows", "", "/a/a.exe", files, {"C:\\Qt\\5\\bin"}) ==
        "/Qt/5/plugins/platforms/qwindows.dll");
  CHECK(plugin_in_prefix("platforms/qwindows", "", "/a/a.exe", files, {"C:\\Qt\\6\\bin"}) == "");
  files.add_file("/usr/lib/qt5/plugins/platforms/libqxcb.so", "");
  CHECK(plugin_in_prefix("platforms/qxcb", "", "/opt/a", files) == "/usr/lib/qt5/plugins/platforms/libqxcb.so");
  files.add_file("/usr/lib/qt6/plugins/platforms/libqxcb.so", "");
  CHECK(plugin_in_prefix("platforms/qxcb", "", "/opt/a", files) == "");
}

}  // namespace
}  // namespace cudald
