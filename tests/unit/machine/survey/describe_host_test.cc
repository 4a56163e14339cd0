#include <doctest/doctest.h>

#include <algorithm>

#include <cudald/cuda_library.h>
#include <cudald/image.h>
#include <cudald/linux_host_file.h>

#include "binary/elf/symbol_table.h"
#include "common/built_in.h"
#include "common/fatbin_file.h"
#include "common/world.h"
#include "unit/knowledge/library_file.h"
#include "unit/machine/cache_file.h"

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

std::string folders(const LinuxHostFile& host) {
  std::string text;
  for (const auto& folder : host.folders) text += (text.empty() ? "" : " ") + folder;
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

const HostLibrary* library_at(const LinuxHostFile& host, const std::string& path) {
  for (const auto& library : host.libraries)
    if (library.paths.front() == path) return &library;
  return nullptr;
}

TEST_CASE("a description has of each library what loaders and CUDA ask, and its symbols if they are wanted") {
  TestWorld world;
  world.add("/usr/lib/liba.so", {.defines = {{"of_a"}}});
  world.files.add_file("/usr/lib/libset.so", elf({}), {.set_user_id = true});
  world.files.add_file("/usr/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12040));
  world.files.add_file("/usr/lib/libkernels.so", with_linked_runtime(12040));
  for (const bool symbols : {false, true}) {
    const auto host = describe_linux_host(world.files, world.query.environment, symbols, built_in());
    CHECK(host.with_symbols == symbols);
    CHECK(host.limits.empty());
    const auto* plain = library_at(host, "/usr/lib/liba.so");
    const auto* set = library_at(host, "/usr/lib/libset.so");
    const auto* runtime = library_at(host, "/usr/lib/libcudart.so.12");
    const auto* kernels = library_at(host, "/usr/lib/libkernels.so");
    REQUIRE((plain && set && runtime && kernels));
    CHECK((plain->symbols != nullptr) == symbols);
    CHECK(plain->image->source == ImageSource::description);
    CHECK_FALSE(plain->set_user_id);
    CHECK(set->set_user_id);
    CHECK(plain->gpu == nullptr);
    CHECK(plain->cuda == nullptr);
    REQUIRE(runtime->cuda != nullptr);
    CHECK(runtime->cuda->version == "12.4");
    CHECK_FALSE(runtime->cuda->is_static);
    CHECK(runtime->gpu == nullptr);
    CHECK(kernels->gpu != nullptr);
    REQUIRE(kernels->cuda != nullptr);
    CHECK(kernels->cuda->is_static);
  }
}

TEST_CASE("of what is no library the beginning is kept, if it is a text") {
  TestWorld world;
  const std::string text = "/* GNU ld script */\n\tGROUP ( ~ )", longer(600, 'x');
  world.files.add_file("/usr/lib/text.so", text);
  world.files.add_file("/usr/lib/long.so", longer);
  world.files.add_file("/usr/lib/above.so", "text\x7f");
  world.files.add_file("/usr/lib/below.so", "text\x1f");
  world.files.add_file("/usr/lib/empty.so", "");
  const auto host = describe_linux_host(world.files, world.query.environment, false, built_in());
  const auto start = [&](const std::string& name) {
    const auto* library = library_at(host, "/usr/lib/" + name);
    return library == nullptr ? "none" : library->start;
  };
  CHECK(start("text.so") == text);
  CHECK(start("long.so") == std::string(512, 'x'));
  for (const auto* name : {"above.so", "below.so", "empty.so"}) CHECK_MESSAGE(start(name) == "", name);
}

TEST_CASE("below folders of the system all is described, of others what loaders look into") {
  const auto has = [](const std::string& path) {
    TestWorld one;
    one.files.add_file("/etc/ld.so.conf", "/opt/conf\n/usr/local/lib\n");
    one.set("LD_LIBRARY_PATH", "/opt/own");
    one.add(path, {});
    const auto host = describe_linux_host(one.files, one.query.environment, false, built_in());
    return library_at(host, path) != nullptr;
  };
  for (const std::string path :
       {"/usr/lib/a/b/c/x.so", "/lib/a/x.so", "/usr/local/x/y/x.so", "/usr/local/lib/deep/x.so", "/opt/conf/x.so",
        "/opt/own/x.so", "/opt/conf/glibc-hwcaps/x86-64-v3/x.so", "/opt/own/glibc-hwcaps/x86-64-v2/x.so",
        "/usr/lib/x.so.1", "/usr/lib/x.cpython-311.so", "/usr/lib/x.so.d/y.so.2", "/usr/lib/x.sorry.so"})
    CHECK_MESSAGE(has(path), path);
  std::string deep = "/usr/lib";
  for (int i = 0; i < 40; ++i) deep += "/d";
  CHECK(has(deep + "/x.so"));
  CHECK_FALSE(has(deep + "/d/x.so"));
  for (const std::string path : {"/opt/conf/a/x.so", "/opt/own/a/x.so", "/opt/x.so", "/usr/lib/x.sorry", "/usr/lib/xso",
                                 "/opt/conf/glibc-hwcaps/x86-64-v3/deeper/x.so"})
    CHECK_MESSAGE(!has(path), path);
}

TEST_CASE("of two C libraries the first names the machine, and what either reads is described") {
  TestWorld world;
  world.add("/lib/ld-musl-x86_64.so.1", {.soname = "libc.musl-x86_64.so.1"});
  world.files.add_file("/etc/ld-musl-x86_64.path", "/opt/musl\nrelative");
  world.add("/opt/musl/sub/liba.so", {.soname = "liba.so"});
  const auto host = describe_linux_host(world.files, world.query.environment, false, built_in());
  CHECK(host.platform == "linux-x86_64");
  CHECK(host.libc == "glibc-2.37");
  CHECK(host.texts.at("/etc/ld-musl-x86_64.path") == "/opt/musl\nrelative");
  CHECK(library_at(host, "/opt/musl/sub/liba.so") != nullptr);
  CHECK(host.folders.contains("/opt/musl/sub"));
  CHECK_FALSE(host.folders.contains("/opt"));
}

TEST_CASE("a loader that does not say its version or folders is described without them") {
  TestWorld world;
  world.files.add_file("/lib64/ld-linux-x86-64.so.2", elf({.soname = "ld-linux-x86-64.so.2"}));
  const auto host = describe_linux_host(world.files, world.query.environment, false, built_in());
  REQUIRE(host.loaders.size() == 1);
  CHECK(host.loaders[0].path == "/lib64/ld-linux-x86-64.so.2");
  CHECK(host.loaders[0].version.empty());
  CHECK(host.loaders[0].folders.empty());
}

TEST_CASE("what of a folder cannot be listed or read is left out, and links are noted that lead to nothing") {
  TestWorld world;
  world.add("/usr/lib/liba.so", {.soname = "liba.so"});
  world.add("/usr/lib/closed/libb.so", {.soname = "libb.so"});
  world.files.close_folder("/usr/lib/closed");
  world.files.add_file("/usr/lib/libc.so", elf({.soname = "libc.so"}), {.readable = false});
  world.files.add_special("/usr/lib/libpipe.so");
  world.files.add_file("/usr/lib/binary.so", std::string("GROUP\0x", 7));
  world.files.add_file("/usr/lib/broken.so", "GROUP ( x )", {.broken_disk = true});
  world.files.add_symlink("/usr/lib/libgone.so", "/nowhere");
  world.files.add_symlink("/usr/lib/gone.txt", "/nowhere");
  world.files.add_symlink("/usr/lib/loop", ".");
  world.add("/usr/lib/libd.so.1", {.machine = EM_SPARCV9, .soname = "libd.so.1"});
  const auto host = describe_linux_host(world.files, world.query.environment, true, built_in());
  CHECK(libraries(host) == R"(/lib64/ld-linux-x86-64.so.2 ld-linux-x86-64.so.2
/usr/lib/binary.so 
/usr/lib/liba.so liba.so
/usr/lib/libd.so.1 libd.so.1
)");
  CHECK(host.links.at("/usr/lib/libgone.so").empty());
  CHECK_FALSE(host.links.contains("/usr/lib/gone.txt"));
  CHECK_FALSE(host.links.contains("/usr/lib/libpipe.so"));
  CHECK(host.links.at("/usr/lib/loop") == "/usr/lib");
  CHECK(host.limits.empty());
}

TEST_CASE("folders below others are walked forty deep") {
  TestWorld world;
  std::string path = "/usr/lib";
  for (int i = 1; i <= 42; ++i) {
    path += "/d";
    world.add(path + "/lib" + std::to_string(i) + ".so", {});
  }
  const auto host = describe_linux_host(world.files, world.query.environment, false, built_in());
  std::size_t described = 0;
  for (const auto& library : host.libraries) described += library.paths.front().starts_with("/usr/lib/d") ? 1 : 0;
  CHECK(described == 40);
}

TEST_CASE("a folder of LD_LIBRARY_PATH is described itself, what is below it only where loaders search there") {
  TestWorld world;
  world.set("LD_LIBRARY_PATH", "/opt/lib:relative");
  world.add("/opt/lib/liba.so", {});
  world.add("/opt/lib/below/libb.so", {});
  world.add("/opt/lib/glibc-hwcaps/x86-64-v3/libc.so", {});
  world.add("/opt/lib/glibc-hwcaps/x86-64-v3/more/libd.so", {});
  world.add("/relative/libe.so", {});
  const auto opt = [&] {
    std::string text;
    for (const auto& library : describe_linux_host(world.files, world.query.environment, false, built_in()).libraries)
      if (!library.paths.front().starts_with("/lib")) text += library.paths.front() + "\n";
    return text;
  };
  const std::string all = "/opt/lib/glibc-hwcaps/x86-64-v3/libc.so\n/opt/lib/liba.so\n";
  CHECK(opt() == all);
  // The folder is below one that is walked as a whole.
  world.files.add_file("/lib64/ld-linux-x86-64.so.2", glibc_loader("2.37", {"/lib", "/opt/lib"}));
  CHECK(opt() ==
        "/opt/lib/below/libb.so\n/opt/lib/glibc-hwcaps/x86-64-v3/libc.so\n"
        "/opt/lib/glibc-hwcaps/x86-64-v3/more/libd.so\n/opt/lib/liba.so\n");
}

TEST_CASE("a cache that cannot be read is described as it is, and the file behind it not asked") {
  TestWorld world;
  world.files.add_file("/etc/ld.so.cache", "no cache");
  world.files.add_file("/etc/ld.so.conf", "/opt\n");
  world.add("/opt/liba.so", {.soname = "liba.so"});
  const auto host = describe_linux_host(world.files, world.query.environment, false, built_in());
  CHECK(host.texts == std::map<std::string, std::string>{{"/etc/ld.so.cache", "no cache"}});
  CHECK(libraries(host).find("/opt") == std::string::npos);
}

TEST_CASE("the processor is described, and of each library the names that its code may open") {
  TestWorld world;
  world.query.environment.cpu = x86_64_cpu(3);
  const std::string named("libnamed.so.1\0", 14);
  world.files.add_file("/usr/lib/liba.so",
                       with_sections(elf({.uses = {{"dlopen", ElfUse::call}}}), {{".rodata", named}}));
  const auto host = describe_linux_host(world.files, world.query.environment, true, built_in());
  REQUIRE(host.cpu.has_value());
  CHECK(host.cpu->x86_64_level == 3);
  const auto* library = library_at(host, "/usr/lib/liba.so");
  REQUIRE(library != nullptr);
  CHECK(library->texts.function == "dlopen");
  REQUIRE(library->texts.texts.size() == 1);
  CHECK(library->texts.texts[0].name == "libnamed.so.1");
  REQUIRE(library->symbols != nullptr);
  REQUIRE(library->symbols->references().size() == 1);
  CHECK(library->symbols->references()[0].use.lazy);
  CHECK_FALSE(library->symbols->references()[0].use.immediate);
}

TEST_CASE("of a machine the loader that is there tells the platform, and no other") {
  TestWorld world;
  world.files = {};
  world.files.add_file("/lib/ld-linux-aarch64.so.1", glibc_loader("2.31", {"/lib"}));
  auto host = describe_linux_host(world.files, world.query.environment, false, built_in());
  CHECK(host.platform == "linux-aarch64");
  CHECK(host.libc == "glibc-2.31");
  REQUIRE(host.loaders.size() == 1);
  CHECK(host.loaders[0].path == "/lib/ld-linux-aarch64.so.1");
  CHECK(host.loaders[0].version == "2.31");
  CHECK(host.loaders[0].folders == std::vector<std::string>{"/lib"});
  host = describe_linux_host(MemoryFileSystem(), world.query.environment, false, built_in());
  CHECK(host.platform.empty());
  CHECK(host.libc.empty());
  CHECK(host.folders.empty());
}

TEST_CASE("of the loader's cache the folders are described themselves, of preloads what is there") {
  TestWorld world;
  world.add("/opt/cached/libx.so.1", {});
  world.add("/opt/cached/deep/liby.so.1", {});
  world.add("/rel/libz.so.1", {});
  world.files.add_symlink("/pre", "opt");
  world.files.add_symlink("/opt/link", "cached");
  world.files.add_file("/etc/ld.so.cache",
                       new_cache({{"libx.so.1", "/opt/cached/libx.so.1"}, {"libz.so.1", "rel/libz.so.1"}}));
  world.files.add_file("/etc/ld.so.preload", "/opt/link/none.so rel/libz.so.1 /pre/cached/libx.so.1");
  world.set("LD_LIBRARY_PATH", "/none:/opt/cached/libx.so.1");
  const auto host = describe_linux_host(world.files, world.query.environment, false, built_in());
  CHECK(library_at(host, "/opt/cached/libx.so.1") != nullptr);
  CHECK(library_at(host, "/opt/cached/deep/liby.so.1") == nullptr);
  CHECK(library_at(host, "/rel/libz.so.1") == nullptr);
  CHECK(host.links == std::map<std::string, std::string>{{"/pre", "opt"}});
  CHECK(folders(host) == "/lib64 /opt/cached");
}

TEST_CASE("a link to a folder is noted, and what it leads to is no folder of its own") {
  TestWorld world;
  world.add("/usr/lib/real/liba.so", {});
  world.files.add_symlink("/usr/lib/link", "real");
  world.files.add_symlink("/usr/lib/away", "/opt");
  world.add("/opt/libb.so", {});
  const auto host = describe_linux_host(world.files, world.query.environment, false, built_in());
  CHECK(folders(host) == "/lib64 /usr/lib /usr/lib/real");
  CHECK(host.links == std::map<std::string, std::string>{{"/usr/lib/away", "/opt"}, {"/usr/lib/link", "real"}});
  CHECK(library_at(host, "/opt/libb.so") == nullptr);
}

TEST_CASE("settings are described up to 64 kilobytes, a cache up to 64 megabytes") {
  const auto texts = [](const std::string& path, std::uint64_t size) {
    TestWorld world;
    world.add("/lib/ld-musl-x86_64.so.1", {});
    world.files.add_file(path, "/x", {.claimed_size = size});
    return describe_linux_host(world.files, world.query.environment, false, built_in()).texts;
  };
  for (const auto& [path, most] : {std::pair("/etc/ld.so.preload", std::uint64_t{1} << 16),
                                   {"/etc/ld-musl-x86_64.path", std::uint64_t{1} << 16},
                                   {"/etc/ld.so.cache", std::uint64_t{64} << 20}}) {
    const auto& seen_path = path;
    CAPTURE(seen_path);
    CHECK(texts(path, most) == std::map<std::string, std::string>{{path, "/x"}});
    CHECK(texts(path, most + 1).empty());
  }
}

TEST_CASE("a folder is listed once for itself and once for all below it, however many lead there") {
  TestWorld world;
  world.files.add_file("/lib64/ld-linux-x86-64.so.2", glibc_loader("2.37", {"/system"}));
  world.files.add_file("/etc/ld.so.conf", "/usr/lib\n/usr/local/lib\n/usr/lib\n");
  world.add("/usr/lib/liba.so", {});
  world.add("/usr/local/lib/libb.so", {});
  world.files.add_symlink("/lib32", "usr/lib");
  world.files.add_symlink("/libx32", "usr/lib");
  world.set("LD_LIBRARY_PATH", "/usr/lib");
  (void)world.files.take_log();
  const auto host = describe_linux_host(world.files, world.query.environment, false, built_in());
  CHECK(library_at(host, "/usr/local/lib/libb.so") != nullptr);
  const auto log = world.files.take_log();
  CHECK(std::count(log.begin(), log.end(), "list /usr/lib") == 2);
  CHECK(std::count(log.begin(), log.end(), "list /usr/local/lib") == 2);
}

/// A tree of which one folder may be entered and not listed.
class UnlistedTree final : public FileSystem {
 public:
  Result<FileStatus> status(const std::string& path) const override { return files.status(path); }
  Result<std::unique_ptr<File>> open(const std::string& path) const override { return files.open(path); }
  Result<std::string> real_path(const std::string& path) const override { return files.real_path(path); }
  Result<std::vector<std::string>> list(const std::string& path) const override {
    return path == "/usr/lib" ? files.list("/nowhere") : files.list(path);
  }

  MemoryFileSystem files;
};

TEST_CASE("a folder that may not be listed is told, and what is in it is not") {
  UnlistedTree tree;
  tree.files.add_file("/usr/lib/liba.so", elf({}));
  const auto host = describe_linux_host(tree, Environment(), false, built_in());
  CHECK(folders(host) == "/usr/lib");
  CHECK(host.libraries.empty());
}

}  // namespace
}  // namespace cudald
