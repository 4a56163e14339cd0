#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

/// What is said of a preload that cannot be used.
std::string of_preload(TestWorld& world) {
  world.add("/bin/app", program({}));
  std::string text;
  for (const auto& finding : world.explain({"/bin/app"}).findings) text += all_words(finding);
  return text;
}

TEST_CASE("a name in LD_PRELOAD that is nowhere is left out, the others stay") {
  TestWorld world;
  world.add("/lib/liba.so", {});
  world.set("LD_PRELOAD", "/lib/liba.so /none/libx.so");
  const auto text = of_preload(world);
  CHECK(text.find("LD_PRELOAD names /none/libx.so, which does not exist: it is ignored") != std::string::npos);
  CHECK(text.find("export LD_PRELOAD=/lib/liba.so\n") != std::string::npos);
}

TEST_CASE("a preload that is there and lacks what it needs is left out") {
  TestWorld world;
  world.add("/lib/liba.so", {});
  world.add("/lib/libb.so", {.needed = {"libnone.so"}});
  world.set("LD_PRELOAD", "/lib/liba.so /lib/libb.so");
  const auto text = of_preload(world);
  CHECK(text.find("libb.so is a preload") != std::string::npos);
  CHECK(text.find("export LD_PRELOAD=/lib/liba.so\n") != std::string::npos);
}

TEST_CASE("a directory in LD_PRELOAD is replaced by its one library") {
  TestWorld world;
  world.add("/opt/x/liba.so", {});
  world.set("LD_PRELOAD", "/opt/x");
  const auto text = of_preload(world);
  CHECK(text.find("LD_PRELOAD names /opt/x, which is a directory: it is ignored") != std::string::npos);
  CHECK(text.find("export LD_PRELOAD=/opt/x/liba.so\n") != std::string::npos);
  CHECK(text.find("unset LD_PRELOAD\n") != std::string::npos);
}

TEST_CASE("what a shell would have replaced, and separators that are none, are set right") {
  const std::pair<const char*, const char*> rows[] = {{"~/liba.so", "/home/u/liba.so"},
                                                      {"$HOME/liba.so", "/home/u/liba.so"},
                                                      {"\"/home/u/liba.so\"", "/home/u/liba.so"},
                                                      {"/home/u/liba.so,/lib/libb.so", "/home/u/liba.so:/lib/libb.so"},
                                                      {"/home/u/liba.so;/lib/libb.so", "/home/u/liba.so:/lib/libb.so"}};
  for (const auto& row : rows) {
    const std::string stated = row.first, meant = row.second;
    CAPTURE(stated);
    TestWorld world;
    world.add("/home/u/liba.so", {});
    world.add("/lib/libb.so", {});
    world.set("HOME", "/home/u");
    world.set("LD_PRELOAD", stated);
    CHECK(of_preload(world).find("export LD_PRELOAD=" + meant + "\n") != std::string::npos);
  }
  TestWorld world;
  world.set("LD_PRELOAD", "/none/liba.so,/none/libb.so");
  CHECK(of_preload(world).find("which does not exist") != std::string::npos);
}

}  // namespace
}  // namespace cudald
