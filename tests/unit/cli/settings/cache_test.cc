#include "cli/settings/cache.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "unit/cli/command_line.h"

namespace cudald {
namespace {

namespace disk = std::filesystem;

/// The name of an entry: a checksum.
std::string entry(char digit) { return std::string(64, digit); }

TEST_CASE("where it lies") {
  Environment environment;
  CHECK(cache_folder(environment) == "");
  environment.variables["HOME"] = "/home/me";
  CHECK(cache_folder(environment) == "/home/me/.cache/cudald/facts-1");
  environment.variables["XDG_CACHE_HOME"] = "/cache";
  CHECK(cache_folder(environment) == "/cache/cudald/facts-1");
  environment.variables["XDG_CACHE_HOME"] = "relative";
  CHECK(cache_folder(environment) == "/home/me/.cache/cudald/facts-1");
}

TEST_CASE("the oldest goes first, and so does what was not finished; nothing else is touched") {
  std::string base = "/tmp/cudald-cache-XXXXXX";
  REQUIRE(::mkdtemp(base.data()) != nullptr);
  const auto folder = base + "/a/b";
  REQUIRE(make_cache(folder));
  const auto now = disk::file_time_type::clock::now();
  int age = 0;
  for (const auto& name : {entry('1'), entry('2'), entry('3'), entry('4') + ".XyZ123"}) {
    std::ofstream(folder + "/" + name) << std::string(100, 'x');
    disk::last_write_time(folder + "/" + name, now - std::chrono::hours(20 * age++));
  }
  // One that a run may still be writing: it stays, and does not count.
  std::ofstream(folder + "/" + entry('5') + ".AbC456") << std::string(100, 'x');
  disk::last_write_time(folder + "/" + entry('5') + ".AbC456", now - std::chrono::hours(10));
  disk::create_directory(folder + "/folder");
  CHECK(cache_size(folder).files == 5);
  CHECK(cache_size(folder).bytes == 500);
  trim_cache(folder, 200);
  CHECK(disk::exists(folder + "/" + entry('5') + ".AbC456"));
  CHECK(disk::exists(folder + "/" + entry('2')));
  CHECK_FALSE(disk::exists(folder + "/" + entry('3')));
  CHECK_FALSE(disk::exists(folder + "/" + entry('4') + ".XyZ123"));
  CHECK(clear_cache(folder));
  CHECK(cache_size(folder).files == 0);
  CHECK(disk::exists(folder + "/folder"));
  for (const bool trims : {true, false, true}) {
    std::ofstream(folder + "/" + entry('5')) << "x";
    trim_cache_now_and_then(folder, 0);
    CHECK(disk::exists(folder + "/" + entry('5')) != trims);
    CHECK(cache_size(folder).files == (trims ? 0 : 1));
    if (!trims) disk::last_write_time(folder + "/.trimmed", now - std::chrono::minutes(2));
  }
  CHECK(clear_cache(folder));
  CHECK(std::distance(disk::directory_iterator(folder), {}) == 1);
  CHECK(cache_size(base + "/none").files == 0);
  disk::remove_all(base);
}

TEST_CASE("with --no-cache nothing is kept anywhere") {
  std::istringstream input;
  std::ostringstream complaints;
  Environment environment;
  environment.variables["XDG_CACHE_HOME"] = "/cache";
  const Host host{environment, {}, input, complaints};
  Options options;
  CHECK(cache_folder(options, host) == "/cache/cudald/facts-1");
  options.packages.no_cache = true;
  CHECK(cache_folder(options, host) == "");
}

TEST_CASE("links are no files of the cache, and stay") {
  const ScratchFolder folder;
  folder.add_file("other", "12345");
  folder.add_file("cache/" + entry('1'), "123");
  folder.add_symlink("cache/link", "../other");
  const auto cache = folder / "cache";
  CHECK(cache_size(cache).files == 1);
  CHECK(cache_size(cache).bytes == 3);
  CHECK(clear_cache(cache));
  CHECK(disk::is_symlink(cache + "/link"));
  CHECK(disk::exists(folder / "other"));
  folder.add_file("file", "");
  CHECK_FALSE(make_cache(folder / "file/below"));
}

TEST_CASE("of what is exactly the limit nothing goes, nor what is a day old and unfinished") {
  const ScratchFolder folder;
  const auto now = disk::file_time_type::clock::now();
  const auto add = [&](const std::string& name, std::size_t size, std::chrono::minutes age) {
    folder.add_file(name, std::string(size, 'x'));
    disk::last_write_time(folder / name, now - age);
  };
  add(entry('a'), 10, std::chrono::minutes(1));
  add(entry('b'), 5, std::chrono::hours(50));
  add(entry('c') + ".abcdef", 100, std::chrono::minutes(24 * 60 - 5));
  add(entry('d') + ".abcdef", 100, std::chrono::minutes(24 * 60 + 5));
  trim_cache(folder.path(), 15);
  CHECK(disk::exists(folder / entry('a')));
  CHECK(disk::exists(folder / entry('b')));
  CHECK(disk::exists(folder / (entry('c') + ".abcdef")));
  CHECK_FALSE(disk::exists(folder / (entry('d') + ".abcdef")));
  trim_cache(folder.path(), 14);
  CHECK(disk::exists(folder / entry('a')));
  CHECK_FALSE(disk::exists(folder / entry('b')));
}

TEST_CASE("the cache is trimmed once more when a minute has gone by, or the last time lies ahead") {
  const ScratchFolder folder;
  const auto trims = [&](std::chrono::seconds ago) {
    folder.add_file(".trimmed", "");
    disk::last_write_time(folder / ".trimmed", disk::file_time_type::clock::now() - ago);
    folder.add_file(entry('1'), "x");
    trim_cache_now_and_then(folder.path(), 0);
    CHECK(disk::file_size(folder / ".trimmed") == 0);
    return !disk::exists(folder / entry('1'));
  };
  CHECK_FALSE(trims(std::chrono::seconds(30)));
  CHECK(trims(std::chrono::seconds(60)));
  CHECK(trims(std::chrono::seconds(-600)));
}

TEST_CASE("nothing but entries of the cache is deleted, and a stamp that is a link stays as it is") {
  const ScratchFolder folder;
  const auto old = disk::file_time_type::clock::now() - std::chrono::hours(50);
  for (const auto& name : {std::string("cache/thesis.tex"), "cache/" + std::string(64, 'z'),
                           "cache/" + entry('1') + "x", "cache/" + entry('1') + ".toolong"}) {
    folder.add_file(name, "12345");
    disk::last_write_time(folder / name, old);
  }
  folder.add_file("other", "12345");
  folder.add_symlink("cache/.trimmed", "../other");
  trim_cache_now_and_then(folder / "cache", 0);
  trim_cache(folder / "cache", 0);
  CHECK(clear_cache(folder / "cache"));
  CHECK(std::distance(disk::directory_iterator(folder / "cache"), {}) == 5);
  CHECK(disk::file_size(folder / "other") == 5);
}

TEST_CASE("a cache to which others may write, or that is a link, is not used") {
  const ScratchFolder folder;
  folder.add_file("home/cudald/facts-1/" + entry('1'), "123");
  std::istringstream input;
  std::ostringstream complaints;
  const auto used = [&](const std::string& base) {
    Environment environment;
    environment.variables["XDG_CACHE_HOME"] = folder / base;
    return cache_folder(Options(), Host{environment, {}, input, complaints});
  };
  const auto cache = folder / "home/cudald/facts-1";
  CHECK(used("home") == cache);
  CHECK(used("none") == folder / "none/cudald/facts-1");
  for (const auto* part : {"home", "home/cudald", "home/cudald/facts-1"}) {
    CAPTURE(part);
    disk::permissions(folder / part, disk::perms::others_write, disk::perm_options::add);
    CHECK(used("home") == "");
    CHECK_FALSE(make_cache(cache));
    trim_cache(cache, 0);
    CHECK(disk::exists(cache + "/" + entry('1')));
    disk::permissions(folder / part, disk::perms::others_write, disk::perm_options::remove);
  }
  folder.add_symlink("linked/cudald", "../home/cudald");
  CHECK(used("linked") == "");
  // A home that is a link is the user's own choice.
  folder.add_symlink("link", "home");
  CHECK(used("link") == folder / "link/cudald/facts-1");
}

}  // namespace
}  // namespace cudald
