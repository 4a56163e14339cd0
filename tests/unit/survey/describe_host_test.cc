#include <doctest/doctest.h>

#include <cudald/image.h>
#include <cudald/linux_host_file.h>

#include "common/built_in.h"
#include "common/world.h"
#include "unit/env/cache_file.h"

namespace cudald {
namespace {

std::string libraries(const LinuxHostFile& host) {
  std::string text;
  for (const auto& library : host.libraries) {
    for (const auto& path : library.paths) text += path + " ";
    text += library.image->soname.value_or(library.start) + "\n";
  }
  return text;
}

TEST_CASE("a description names every library that loaders can find, once, and the links to it") {
  TestWorld world;
  world.add("/usr/lib/liba.so.1.2", {.soname = "liba.so.1"});
  world.files.add_symlink("/usr/lib/liba.so.1", "liba.so.1.2");
  world.files.add_hard_link("/usr/lib/same.so", "/usr/lib/liba.so.1.2");
  world.add("/usr/lib/deep/plugin.so", {});
  world.add("/etc/alternatives/libb.so.3", {.soname = "libb.so.3"});
  world.files.add_symlink("/usr/lib/libb.so.3", "/etc/alternatives/libb.so.3");
  world.files.add_symlink("/usr/lib/gone.so", "/nowhere.so");
  world.files.add_file("/usr/lib/script.so", "GROUP ( liba.so )");
  world.files.add_file("/usr/lib/notes.txt", "no library");
  world.add("/home/me/libc.so", {});
  const auto host = describe_linux_host(world.files, world.query.environment, false, built_in());
  CHECK(libraries(host) ==
        "/etc/alternatives/libb.so.3 libb.so.3\n"
        "/lib64/ld-linux-x86-64.so.2 ld-linux-x86-64.so.2\n"
        "/usr/lib/deep/plugin.so \n"
        "/usr/lib/liba.so.1.2 /usr/lib/same.so liba.so.1\n"
        "/usr/lib/script.so GROUP ( liba.so )\n");
  CHECK(host.links.at("/usr/lib/liba.so.1") == "liba.so.1.2");
  CHECK(host.links.at("/usr/lib/libb.so.3") == "/etc/alternatives/libb.so.3");
  CHECK(host.links.at("/usr/lib/gone.so").empty());
  CHECK(host.platform == "linux-x86_64");
  CHECK(host.libc == "glibc-2.37");
  REQUIRE(host.loaders.size() == 1);
  CHECK(host.loaders[0].folders == std::vector<std::string>{"/lib", "/usr/lib"});
}

TEST_CASE("links in the way to a library are told, and the folders that ld.so.conf names") {
  TestWorld world;
  world.files.add_file("/etc/ld.so.conf", "/opt/cuda/lib64\n");
  world.add("/opt/cuda-13/lib/libcudart.so.13", {.soname = "libcudart.so.13"});
  world.files.add_symlink("/opt/cuda", "cuda-13");
  world.files.add_symlink("/opt/cuda-13/lib64", "lib");
  const auto host = describe_linux_host(world.files, world.query.environment, false, built_in());
  CHECK(libraries(host).starts_with("/lib64/ld-linux-x86-64.so.2"));
  CHECK(libraries(host).find("/opt/cuda-13/lib/libcudart.so.13 libcudart.so.13\n") != std::string::npos);
  CHECK(host.links.at("/opt/cuda") == "cuda-13");
  CHECK(host.links.at("/opt/cuda-13/lib64") == "lib");
  CHECK(host.texts.at("/etc/ld.so.conf") == "/opt/cuda/lib64\n");
}

TEST_CASE("of musl its path file is told") {
  TestWorld world;
  world.files = {};
  world.add("/lib/ld-musl-x86_64.so.1", {.soname = "libc.musl-x86_64.so.1"});
  world.files.add_file("/etc/ld-musl-x86_64.path", "/opt/musl");
  world.add("/opt/musl/liba.so", {.soname = "liba.so"});
  const auto host = describe_linux_host(world.files, world.query.environment, false, built_in());
  CHECK(host.libc == "musl-1.2");
  CHECK(host.loaders.empty());
  CHECK(libraries(host).find("/opt/musl/liba.so") != std::string::npos);
}

TEST_CASE("what the loader's cache and the preloads name is described as well, and of libraries only those") {
  TestWorld world;
  world.add("/opt/cached/libx.so.1", {.soname = "libx.so.1"});
  world.add("/opt/cached/beside.so", {});
  world.add("/opt/real/libp.so", {.soname = "libp.so"});
  world.files.add_symlink("/opt/pre", "real");
  world.add("/opt/own/libo.so", {.soname = "libo.so"});
  world.files.add_file("/etc/ld.so.cache",
                       new_cache({{"libx.so.1", "/opt/cached/libx.so.1"}, {"lib.so", "rel/lib.so"}}));
  world.files.add_file("/etc/ld.so.preload", "/opt/pre/libp.so libbare.so:/opt/none.so\n");
  world.files.add_file("/etc/ld.so.conf", "/opt/conf\n");
  world.set("LD_LIBRARY_PATH", "/opt/own:rel");
  world.set("OTHER", "x");
  const auto host = describe_linux_host(world.files, world.query.environment, false, built_in());
  CHECK(libraries(host).find("/opt/cached/libx.so.1 libx.so.1\n") != std::string::npos);
  CHECK(libraries(host).find("/opt/real/libp.so libp.so\n") != std::string::npos);
  CHECK(libraries(host).find("/opt/own/libo.so libo.so\n") != std::string::npos);
  CHECK(host.links.at("/opt/pre") == "real");
  CHECK(host.texts.at("/etc/ld.so.preload") == "/opt/pre/libp.so libbare.so:/opt/none.so\n");
  CHECK(host.texts.contains("/etc/ld.so.cache"));
  CHECK_FALSE(host.texts.contains("/etc/ld.so.conf"));
  CHECK(host.variables == std::map<std::string, std::string>{{"LD_LIBRARY_PATH", "/opt/own:rel"}});
}

}  // namespace
}  // namespace cudald
