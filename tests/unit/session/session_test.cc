#include <cerrno>

#include <doctest/doctest.h>

#include <cudald/session.h>

#include "common/world.h"

namespace cudald {
namespace {

TEST_CASE("a session reads each file once, for many questions") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"liba.so"}, .uses = {{"f"}}}));
  world.add("/bin/other", program({.needed = {"liba.so"}}));
  world.add("/lib/liba.so", {.soname = "liba.so", .defines = {{"f"}}});
  Session session(world.files);
  world.query.targets = {"/bin/app"};
  const auto first = session.explain(world.query);
  world.files.take_log();
  const auto again = session.explain(world.query);
  CHECK(objects(again) == objects(first));
  CHECK(world.files.take_log().empty());
  world.query.targets = {"/bin/other"};
  session.explain(world.query);
  std::string opened;
  for (const auto& line : world.files.take_log())
    if (line.starts_with("open")) opened += line + "\n";
  CHECK(opened == "open /bin/other\n");
}

TEST_CASE("a session shows one file's own words, or why it cannot") {
  TestWorld world;
  world.add("/lib/liba.so", {.soname = "liba.so.1"});
  Session session(world.files);
  const auto image = session.image("/lib/liba.so");
  REQUIRE(image);
  CHECK(soname_of(**image) == "liba.so.1");
  const auto none = session.image("/lib/none.so");
  REQUIRE_FALSE(none);
  CHECK(none.error().system_error == ENOENT);
}

}  // namespace
}  // namespace cudald
