#include "package/npm_package.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("The name of a package of npm ends where its directory or the word of a message does") {
  CHECK(npm_name_at("sharp/lib/sharp.js") == "sharp");
  CHECK(npm_name_at("@swc/core/binding.js:333:11)") == "@swc/core");
  CHECK(npm_name_at("@swc/core') is missing") == "@swc/core");
  CHECK(npm_name_at("@swc").empty() == false);
  CHECK(npm_name_at("").empty());
}

TEST_CASE("A file belongs to the innermost package of npm") {
  const auto found = npm_package_of("/app/node_modules/a/node_modules/@b/c/build/Release/c.node");
  REQUIRE(found);
  CHECK(found->name == "@b/c");
  CHECK(found->folder == "/app/node_modules/a/node_modules/@b/c");
  CHECK(found->root == "/app/node_modules/a");
  CHECK_FALSE(npm_package_of("/app/node_modules/loose.node"));
  CHECK_FALSE(npm_package_of("/app/node_modules//a.node"));
  CHECK_FALSE(npm_package_of("/app/build/Release/a.node"));
}

}  // namespace
}  // namespace cudald
