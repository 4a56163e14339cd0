#include "check/fixes/build_again.h"

#include <doctest/doctest.h>

#include "common/built_in.h"
#include "common/memory_file_system.h"

namespace cudald {
namespace {

std::string command_for(const std::string& path, const MemoryFileSystem& files) {
  ThreadLimit threads;
  Store store(files, threads, built_in_knowledge());
  const auto fix = build_again(path, store);
  return fix ? fix->command : "";
}

TEST_CASE("an R package is installed again where it comes from") {
  MemoryFileSystem files;
  const std::string library = "/usr/lib/R/library/";
  files.add_file(library + "igraph/DESCRIPTION", "Package: igraph\nVersion: 1.2.1\n");
  files.add_file(library + "limma/DESCRIPTION", "Package: limma\nbiocViews: Microarray\n");
  CHECK(command_for(library + "igraph/libs/igraph.so", files) == "Rscript -e 'install.packages(\"igraph\")'");
  CHECK(command_for(library + "limma/libs/limma.so", files) ==
        "Rscript -e 'BiocManager::install(\"limma\", force = TRUE)'");
  CHECK(command_for(library + "none/libs/none.so", files) == "");
  CHECK(command_for(library + "igraph/libs/other.so", files) == "");
}

TEST_CASE("an add-on is compiled again only where node-gyp has compiled it") {
  const MemoryFileSystem files;
  CHECK(command_for("/app/node_modules/better-sqlite3/build/Release/better_sqlite3.node", files) ==
        "npm rebuild --prefix /app --build-from-source better-sqlite3");
  CHECK(command_for("/opt/E/resources/app.asar.unpacked/node_modules/@a/b/build/Release/b.node", files) ==
        "npx @electron/rebuild --force --module-dir /opt/E/resources/app.asar.unpacked --only @a/b");
  CHECK(add_on_again("C:\\my app\\node_modules\\@a\\canvas\\build\\Release\\canvas.node")->command ==
        "npm rebuild --prefix \"C:\\my app\" --build-from-source \"@a/canvas\"");
  CHECK(add_on_again("C:\\E\\resources\\app\\node_modules\\a\\build\\Release\\a.node", "i386")->command ==
        "npx @electron/rebuild --force --arch ia32 --module-dir \"C:\\E\\resources\\app\" --only \"a\"");
  CHECK_FALSE(add_on_again("C:\\app\\node_modules\\canvas\\prebuilds\\canvas.node"));
  CHECK(command_for("/app/node_modules/prisma/libquery_engine-linux-musl.so.node", files) == "");
}

TEST_CASE("a ready-made add-on of Node is compiled here where its package has the source") {
  MemoryFileSystem files;
  files.add_file("/app/node_modules/sqlite3/binding.gyp", "");
  files.add_file("/app/node_modules/@a/b/binding.gyp", "");
  CHECK(command_for("/app/node_modules/sqlite3/lib/binding/napi-v6-linux-glibc-x64/node_sqlite3.node", files) ==
        "npm rebuild --prefix /app --build-from-source sqlite3");
  CHECK(command_for("/app/node_modules/@a/b/prebuilds/linux-x64/b.node", files) ==
        "npm rebuild --prefix /app --build-from-source @a/b");
  CHECK(command_for("/app/node_modules/@a/c/prebuilds/linux-x64/c.node", files) == "");
  CHECK(command_for("/app/node_modules/@a", files) == "");
  CHECK(command_for("/app/node_modules/sqlite3/lib/libsqlite3.so", files) == "");
}

TEST_CASE("a gem says its release in the name of its directory") {
  MemoryFileSystem files;
  const std::string gems = "/home/u/.gem/ruby/2.7.0/";
  CHECK(command_for(gems + "gems/mysql2-0.5.3/lib/mysql2/mysql2.so", files) == "gem pristine mysql2 --version 0.5.3");
  CHECK(command_for(gems + "extensions/x86_64-linux/2.7.0/mysql2-0.5.3/mysql2/mysql2.so", files) ==
        "gem pristine mysql2 --version 0.5.3");
  CHECK(command_for("/usr/local/lib64/gems/ruby/clocale-0.0.4/clocale/clocale.so", files) ==
        "gem pristine clocale --version 0.0.4");
  CHECK(command_for("/usr/lib64/gems/ruby/psych-5.1/psych.so", files) == "");
  CHECK(command_for("/opt/app/vendor/bundle/ruby/2.3.0/gems/pg-1.5.6/lib/pg_ext.so", files) == "");
  CHECK(command_for("/usr/lib/libx.so", files) == "");
}

TEST_CASE("a gem of a Ruby that is gone is installed for the one that is there") {
  MemoryFileSystem files;
  const std::string path = "/var/lib/gems/3.0.0/gems/ffi-1.15.5/lib/ffi_c.so";
  files.add_file("/usr/lib/ruby/3.0.0/set.rb", "");
  CHECK(command_for(path, files) == "gem pristine ffi --version 1.15.5");
  MemoryFileSystem upgraded;
  upgraded.add_file("/usr/lib/ruby/3.1.0/set.rb", "");
  upgraded.add_file("/usr/lib/ruby/vendor_ruby/x.rb", "");
  CHECK(command_for(path, upgraded) == "gem install ffi --version 1.15.5");
  CHECK(command_for("/home/u/.gem/ruby/3.0.0/gems/ffi-1.15.5/lib/ffi_c.so", upgraded) ==
        "gem pristine ffi --version 1.15.5");
}

TEST_CASE("a gem is compiled by the Ruby to which its directory belongs, and as root where root has installed it") {
  MemoryFileSystem files;
  const std::string bundle = "/app/vendor/bundle/ruby/2.7.0", below = "/gems/pg-1.5.6/lib/pg_ext.so";
  CHECK(command_for(bundle + below, files) == "env GEM_HOME=" + bundle + " gem pristine pg --version 1.5.6");
  CHECK(command_for("/home/u/.rvm/gems/ruby-3.1.0@x" + below, files) ==
        "rvm ruby-3.1.0@x do gem pristine pg --version 1.5.6");
  const std::string ruby = "/home/u/.rbenv/versions/2.7.3", own = ruby + "/lib/ruby/gems/2.7.0" + below;
  CHECK(command_for(own, files) == "gem pristine pg --version 1.5.6");
  files.add_file(ruby + "/bin/gem", "");
  CHECK(command_for(own, files) == ruby + "/bin/gem pristine pg --version 1.5.6");
  files.add_file("/var/lib/gems/3.1.0" + below, "");
  CHECK(command_for("/var/lib/gems/3.1.0" + below, files) == "sudo gem pristine pg --version 1.5.6");
  files.add_file("/.dockerenv", "");
  CHECK(command_for("/var/lib/gems/3.1.0" + below, files) == "gem pristine pg --version 1.5.6");
}

TEST_CASE("a module of Perl has its name below auto, and packages of the system are left to these") {
  const MemoryFileSystem files;
  const std::string below = "/usr/local/lib/x86_64-linux-gnu/perl/5.36.0/auto/";
  CHECK(command_for(below + "DBD/mysql/mysql.so", files) == "cpan -f -i DBD::mysql");
  CHECK(command_for(below + "DBD/mysql/other.so", files) == "");
  CHECK(command_for("/usr/lib/x86_64-linux-gnu/perl5/5.36/auto/DBD/mysql/mysql.so", files) == "");
  CHECK(command_for("/opt/auto/x/x.so", files) == "");
}

TEST_CASE("a language is compiled again by the tool that compiled it, and its packages are not") {
  const MemoryFileSystem files;
  CHECK(command_for("/home/me/.rbenv/versions/2.7.3/lib/ruby/2.7.0/x86_64-linux/fiddle.so", files) ==
        "rbenv install --force 2.7.3");
  CHECK(command_for("/home/me/.rvm/rubies/ruby-2.7.0/lib/ruby/2.7.0/x86_64-linux/fiddle.so", files) ==
        "rvm reinstall ruby-2.7.0");
  CHECK(command_for("/home/me/.pyenv/versions/3.9.1/lib/python3.9/lib-dynload/_ctypes.so", files) ==
        "pyenv install --force 3.9.1");
  CHECK(command_for("/home/me/.pyenv/versions/3.9.1/lib/python3.9/site-packages/m/x.so", files) == "");
}

TEST_CASE("of Python only what was compiled here is compiled again") {
  const auto world = [](const std::string& tag) {
    MemoryFileSystem files;
    const std::string site = "/v/lib/python3.11/site-packages/";
    files.add_file("/v/bin/python", "");
    files.add_file("/v/pyvenv.cfg", "");
    files.add_file("/v/bin/uwsgi", "");
    files.add_file(site + "m/_x.so", "");
    files.add_file(site + "uWSGI-2.0.20.dist-info/METADATA", "Name: uWSGI\nVersion: 2.0.20\n");
    files.add_file(site + "uWSGI-2.0.20.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: cp311-cp311-" + tag + "\n");
    files.add_file(site + "uWSGI-2.0.20.dist-info/RECORD", "m/_x.so,,\n../../../bin/uwsgi,,\n");
    return files;
  };
  const std::string command =
      "/v/bin/python -m pip install --force-reinstall --no-deps --no-cache-dir --no-binary uWSGI uWSGI==2.0.20";
  const auto local = world("linux_x86_64"), ready = world("manylinux_2_17_x86_64");
  for (const std::string path : {"/v/bin/uwsgi", "/v/lib/python3.11/site-packages/m/_x.so"}) {
    CHECK(command_for(path, local) == command);
    CHECK(command_for(path, ready) == "");
  }
}

TEST_CASE("a wheel of a project's own index, which is tagged alike, is not") {
  const std::string site = "/v/lib/python3.11/site-packages/";
  for (const std::string version : {"2.5.1", "0.15.2+cu118"})
    for (const std::string name : {"_C.so", "libpaddle.so"}) {
      MemoryFileSystem files;
      const auto info = site + "m-" + version + ".dist-info/";
      files.add_file("/v/bin/python", "");
      files.add_file(site + "m/" + name, "");
      files.add_file(info + "METADATA", "Name: m\nVersion: " + version + "\n");
      files.add_file(info + "WHEEL", "Wheel-Version: 1.0\nTag: cp311-cp311-linux_x86_64\n");
      files.add_file(info + "RECORD", "m/" + name + ",,\n");
      CHECK(command_for(site + "m/" + name, files).empty() == (name != "_C.so" || version != "2.5.1"));
    }
}

TEST_CASE("a source that downloads its wheel, or imports what it is compiled against, is given what it needs") {
  const auto command = [](const std::string& name, const std::string& requirement) {
    const std::string site = "/v/lib/python3.11/site-packages/", info = site + name + "-2.8.2+cu12.dist-info/";
    MemoryFileSystem files;
    files.add_file("/v/bin/python", "");
    files.add_file(site + "m.so", "");
    files.add_file(info + "METADATA", "Name: " + name + "\nVersion: 2.8.2+cu12\n" + requirement);
    files.add_file(info + "WHEEL", "Wheel-Version: 1.0\nTag: cp311-cp311-linux_x86_64\n");
    files.add_file(info + "RECORD", "m.so,,\n");
    return command_for(site + "m.so", files);
  };
  CHECK(command("flash_attn", "Requires-Dist: torch\n") ==
        "FLASH_ATTENTION_FORCE_BUILD=TRUE /v/bin/python -m pip install --force-reinstall --no-deps --no-cache-dir "
        "--no-build-isolation --no-binary flash_attn flash_attn==2.8.2");
  CHECK(command("flash_attn", "Requires-Dist: einops\n") ==
        "FLASH_ATTENTION_FORCE_BUILD=TRUE /v/bin/python -m pip install --force-reinstall --no-deps --no-cache-dir "
        "--no-binary flash_attn flash_attn==2.8.2");
  CHECK(command("other", "Requires-Dist: torch\n").empty());
}

}  // namespace
}  // namespace cudald
