#include "check/fixes/npm_release.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

TEST_CASE("an earlier release is that of the package which installs the one of the platform") {
  MemoryFileSystem files;
  const auto command_for = [&](const std::string& folder, const std::string& version) {
    files.add_file(folder + "/package.json", "{\"version\": \"" + version + "\"}");
    const auto fix = earlier_release_of_npm(folder + "/k.linux-x64-gnu.node", files);
    return fix ? fix->command : "";
  };
  CHECK(command_for("/app/node_modules/@napi-rs/keyring-linux-x64-gnu", "1.1.9") ==
        "npm install --prefix /app '@napi-rs/keyring@<1.1.9'");
  CHECK(command_for("/opt/a/app.asar.unpacked/node_modules/k-linux-arm64-gnu", "2.0.0") == "npm install 'k@<2.0.0'");
  CHECK(command_for("/app/node_modules/whole", "3.0.0") == "npm install --prefix /app 'whole@<3.0.0'");
  CHECK(command_for("/app/node_modules/@rolldown/binding-linux-x64-gnu", "1.0.0").empty());
  CHECK(command_for("/app/lib", "1.0.0").empty());
  CHECK(!earlier_release_of_npm("/app/node_modules/none/k.node", files));
}

}  // namespace
}  // namespace cudald
