#include "cli/cache.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

namespace cudald {
namespace {

namespace disk = std::filesystem;

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
  for (const auto* name : {"one", "two", "three", "four.XyZ123"}) {
    std::ofstream(folder + "/" + name) << std::string(100, 'x');
    disk::last_write_time(folder + "/" + name, now - std::chrono::hours(20 * age++));
  }
  // One that a run may still be writing: it stays, and does not count.
  std::ofstream(folder + "/five.AbC456") << std::string(100, 'x');
  disk::last_write_time(folder + "/five.AbC456", now - std::chrono::hours(10));
  disk::create_directory(folder + "/folder");
  CHECK(cache_size(folder).files == 5);
  CHECK(cache_size(folder).bytes == 500);
  trim_cache(folder, 200);
  CHECK(disk::exists(folder + "/five.AbC456"));
  CHECK(disk::exists(folder + "/two"));
  CHECK_FALSE(disk::exists(folder + "/three"));
  CHECK_FALSE(disk::exists(folder + "/four.XyZ123"));
  CHECK(clear_cache(folder));
  CHECK(cache_size(folder).files == 0);
  CHECK(disk::exists(folder + "/folder"));
  for (const bool trims : {true, false, true}) {
    std::ofstream(folder + "/five") << "x";
    trim_cache_now_and_then(folder, 0);
    CHECK(disk::exists(folder + "/five") != trims);
    CHECK(cache_size(folder).files == (trims ? 0 : 1));
    if (!trims) disk::last_write_time(folder + "/.trimmed", now - std::chrono::minutes(2));
  }
  CHECK(clear_cache(folder));
  CHECK(std::distance(disk::directory_iterator(folder), {}) == 1);
  CHECK(cache_size(base + "/none").files == 0);
  disk::remove_all(base);
}

}  // namespace
}  // namespace cudald
