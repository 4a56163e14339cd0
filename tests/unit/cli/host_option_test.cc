#include "cli/host_option.h"

#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <cudald/linux_host_file.h>

#include "unit/cli/command_line.h"

namespace cudald {
namespace {

/// The options of a question about a machine that is described so; why it cannot be taken.
Result<Options> options_with(const std::string& description, std::vector<std::string> words = {}) {
  const ScratchFolder folder;
  folder.add_file("host.json", description);
  words.insert(words.begin(), {"check", "--host", "host.json"});
  words.emplace_back("x");
  auto options = parse_options(words);
  if (!options) return options;
  std::istringstream input;
  std::ostringstream complaints;
  Environment environment;
  environment.cwd = folder.path();
  if (auto fault = take_host(*options, {environment, {}, input, complaints})) return *fault;
  return options;
}

std::string described(const std::string& fields) { return R"({"schema": "cudald/host")" + fields + "}"; }

TEST_CASE("a description gives what no option states") {
  const auto host = described(R"(, "driver": "550.54.14", "isa": "x86-64-v2", "gpus": ["sm_80", "sm_90"])");
  const auto taken = options_with(host);
  REQUIRE(taken);
  CHECK(taken->driver == "550.54.14");
  CHECK(taken->cpu_level == 2U);
  CHECK(taken->gpus.size() == 2);
  const auto stated = options_with(host, {"--driver", "560.28", "--cpu", "x86-64-v3", "--gpu", "sm_100"});
  REQUIRE(stated);
  CHECK(stated->driver == "560.28");
  CHECK(stated->cpu_level == 3U);
  CHECK(stated->gpus.size() == 1);
  const auto empty = options_with(described(R"(, "driver": null, "isa": 3, "gpus": {})"));
  REQUIRE(empty);
  CHECK(empty->driver.empty());
  CHECK_FALSE(empty->cpu_level);
  CHECK(empty->gpus.empty());
}

TEST_CASE("what is wrong with a description is told with its name") {
  const auto fault = [](const std::string& text, const std::vector<std::string>& words = {}) {
    const auto options = options_with(text, words);
    return options ? "" : options.error().message;
  };
  const std::string none =
      "--host host.json: no description that `cudald env --save` or tools/capture-windows-host.ps1 has written";
  for (const auto* text : {"", "[]", "{}", R"({"schema": "cudald/env"})", R"({"schema": 3})"})
    CHECK(fault(text) == none);
  CHECK(fault(described(R"(, "driver": "new")")) == "--host host.json: its driver is no version");
  for (const auto* isa : {"", "v3", "x86-64-v", "x86-64-v0", "x86-64-v5", "x86-64-v33", "armv9"})
    CHECK(fault(described(R"(, "isa": ")" + std::string(isa) + "\"")) == "--host host.json: its isa is not known");
  for (const auto* gpus : {"[80]", R"(["gpu"])"})
    CHECK(fault(described(R"(, "gpus": )" + std::string(gpus))) == "--host host.json: one of its GPUs is not known");
  const auto host = described(R"(, "platform": "linux-x86_64", "libraries": [])");
  CHECK(fault(host, {"--prefix", "/p"}) ==
        "--host host.json: it describes no Python environment, so that --prefix names nothing there");
  const auto absent = parse_options({"check", "--host", "none.json", "x"});
  std::istringstream input;
  std::ostringstream complaints;
  auto options = *absent;
  CHECK(take_host(options, {{}, {}, input, complaints})->message == "--host none.json: No such file or directory");
}

TEST_CASE("a description with libraries is a world of its own; here and tag are those that there are") {
  // Its processor is what the whole of it says, unless an option says otherwise.
  const auto host =
      described(R"(, "schema_version": "1.0", "platform": "linux-x86_64", "isa": "x86-64-v2", "libraries": [], )"
                R"("libc": "glibc-2.36")");
  const auto taken = options_with(host);
  REQUIRE_MESSAGE(taken, taken.error().message);
  REQUIRE(taken->linux_host);
  CHECK(taken->world == WorldKind::described);
  CHECK(taken->linux_host->name == "host.json");
  CHECK_FALSE(taken->cpu_level);
  CHECK(options_with(host, {"--cpu", "x86-64-v3"})->cpu_level == 3U);
  const auto world_of = [](const std::string& name) {
    auto options = *parse_options({"check", "--host", name, "x"});
    std::istringstream input;
    std::ostringstream complaints;
    CHECK_FALSE(take_host(options, {{}, {}, input, complaints}));
    return options.world;
  };
  CHECK(world_of("here") == WorldKind::here);
  CHECK(world_of("tag") == WorldKind::tag);
  CHECK_FALSE(options_with(described(R"(, "platform": "linux-x86_64")"))->linux_host);
  CHECK_FALSE(options_with(described(R"(, "platform": "solaris", "libraries": [])"))->linux_host);
}

}  // namespace
}  // namespace cudald
