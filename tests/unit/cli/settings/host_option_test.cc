#include "cli/settings/host_option.h"

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <cudald/linux_host_file.h>
#include <cudald/windows_host_file.h>

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
  CHECK(taken->world.driver == "550.54.14");
  CHECK(taken->world.cpu_level == 2U);
  CHECK(taken->world.gpus.size() == 2);
  const auto stated = options_with(host, {"--driver", "560.28", "--cpu", "x86-64-v3", "--gpu", "sm_100"});
  REQUIRE(stated);
  CHECK(stated->world.driver == "560.28");
  CHECK(stated->world.cpu_level == 3U);
  CHECK(stated->world.gpus.size() == 1);
  const auto empty = options_with(described(R"(, "driver": null, "isa": 3, "gpus": {})"));
  REQUIRE(empty);
  CHECK(empty->world.driver.empty());
  CHECK_FALSE(empty->world.cpu_level);
  CHECK(empty->world.gpus.empty());
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
  CHECK(fault(described(R"(, "driver": "new")")) == "--host host.json: its driver is not a version");
  for (const auto* isa : {"", "v3", "x86-64-v", "x86-64-v0", "x86-64-v5", "x86-64-v33", "armv9"})
    CHECK(fault(described(R"(, "isa": ")" + std::string(isa) + "\"")) == "--host host.json: its isa is not known");
  for (const auto* gpus : {"[80]", R"(["gpu"])"})
    CHECK(fault(described(R"(, "gpus": )" + std::string(gpus))) == "--host host.json: one of its GPUs is not known");
  const auto host = described(R"(, "platform": "linux-x86_64", "libraries": [])");
  CHECK(fault(host, {"--prefix", "/p"}) ==
        "--host host.json: it describes no Python environment, so that --prefix names nothing there");
  // Nothing is judged as on the machine that asks in place of the described one.
  CHECK(fault(described(R"(, "platform": "solaris", "libraries": [])")) ==
        "--host host.json: it describes a machine with another system than Linux or Windows");
  CHECK(fault(described(R"(, "platform": null, "libraries": [])")) ==
        "--host host.json: the tree that it describes has no loader, so that nothing can be loaded there");
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
  REQUIRE(taken->resolved.linux_host);
  CHECK(taken->world.kind == WorldKind::described);
  CHECK(taken->resolved.linux_host->name == "host.json");
  CHECK_FALSE(taken->world.cpu_level);
  CHECK(options_with(host, {"--cpu", "x86-64-v3"})->world.cpu_level == 3U);
  const auto world_of = [](const std::string& name) {
    auto options = *parse_options({"check", "--host", name, "x"});
    std::istringstream input;
    std::ostringstream complaints;
    CHECK_FALSE(take_host(options, {{}, {}, input, complaints}));
    return options.world.kind;
  };
  CHECK(world_of("here") == WorldKind::here);
  CHECK(world_of("tag") == WorldKind::tag);
  CHECK_FALSE(options_with(described(R"(, "platform": "linux-x86_64")"))->resolved.linux_host);
}

std::string described_linux(const std::string& libraries) {
  return described(R"(, "schema_version": "1.0", "platform": "linux-x86_64", "libc": "glibc-2.36", "driver": "550.54",)"
                   R"("variables": {"A": "1"}, "libraries": [)" +
                   libraries + "]");
}

TEST_CASE("a description of Windows makes the process one of Windows, unless another system is stated") {
  const auto windows = described(R"(, "schema_version": "1.0", "platform": "windows-x86_64", "libraries": [],
    "windows": {"folder": "D:\\Windows", "build": "22631", "folders": {"D:\\Windows\\System32": ["a.dll"]}})");
  for (const auto& text : {windows, "\xEF\xBB\xBF" + windows}) {
    const auto taken = options_with(text);
    REQUIRE_MESSAGE(taken, taken.error().message);
    REQUIRE(taken->resolved.windows_host);
    CHECK(taken->resolved.windows_host->build == "22631");
    CHECK(taken->world.windows == true);
    CHECK_FALSE(taken->resolved.linux_host);
    CHECK_FALSE(taken->world.kind);
  }
  CHECK(options_with(windows, {"--platform", "linux-x86_64"})->world.windows == false);
  CHECK(options_with(described(R"(, "schema_version": "2.0", "platform": "windows-x86_64")")).error().message ==
        "--host host.json: a description of another version than 1");
}

TEST_CASE("the driver of a described Linux is its library, where that is there and no driver is stated") {
  const std::string driver = R"({"path": "/lib/libcuda.so.1", "soname": "libcuda.so.1"})",
                    stub = R"({"path": "/lib/libcuda.so.1", "soname": "libcuda.so.1",
                               "cuda": {"kind": "driver", "stub": true}})",
                    real = R"({"path": "/lib/libcuda.so.1", "soname": "libcuda.so.1",
                               "cuda": {"kind": "driver"}})",
                    other = R"({"path": "/lib/libx.so", "soname": "libx.so"})";
  const auto driver_with = [](const std::string& libraries, const std::vector<std::string>& words = {}) {
    const auto taken = options_with("\xEF\xBB\xBF" + described_linux(libraries), words);
    REQUIRE_MESSAGE(taken, taken.error().message);
    CHECK(taken->resolved.linux_host->libraries.empty() == libraries.empty());
    return taken->world.driver;
  };
  CHECK(driver_with(other) == "550.54");
  CHECK(driver_with("") == "550.54");
  CHECK(driver_with(other + "," + driver) == "");
  CHECK(driver_with(real) == "");
  CHECK(driver_with(stub) == "550.54");
  CHECK(driver_with(driver, {"--driver", "560.28"}) == "560.28");
}

TEST_CASE("a described Linux cannot be probed, and keeps its variables unless none are wanted") {
  const auto taken = options_with(described_linux(""));
  REQUIRE(taken);
  CHECK(taken->resolved.linux_host->variables == std::map<std::string, std::string>{{"A", "1"}});
  CHECK(options_with(described_linux(""), {"--clear-env"})->resolved.linux_host->variables.empty());
  const ScratchFolder folder;
  folder.add_file("host.json", described_linux(""));
  std::istringstream input;
  std::ostringstream complaints;
  Environment environment;
  environment.cwd = folder.path();
  const Host host{environment, {}, input, complaints};
  const std::string no_probe =
      "--host host.json: probe loads on this machine, and nothing can be loaded on a described one";
  Options options;
  options.world.host = "host.json";
  options.command = Command::probe;
  auto fault = take_host(options, host);
  REQUIRE(fault);
  CHECK(fault->message == no_probe);
  CHECK(fault->code == ErrorCode::usage);
  options.command = Command::explain;
  options.question.verify = true;
  fault = take_host(options, host);
  REQUIRE(fault);
  CHECK(fault->message == no_probe);
  options.question.verify = false;
  CHECK_FALSE(take_host(options, host));
}

TEST_CASE("a description that is faulty or too large is told as what it is") {
  CHECK(options_with(described_linux("7")).error().message.starts_with("--host host.json: "));
  CHECK(options_with(described_linux("") + "x").error().message.find("no description") != std::string::npos);
  std::string many = "[0";
  for (int i = 0; i < 2'200'000; ++i) many += ",0";
  const auto large = options_with(many + "]");
  REQUIRE_FALSE(large);
  CHECK(large.error().message.starts_with("--host host.json: more than 134217728 bytes"));
}

}  // namespace
}  // namespace cudald
