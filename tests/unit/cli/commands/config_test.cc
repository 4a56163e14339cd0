#include "cli/commands/config.h"

#include <doctest/doctest.h>

#include "base/toml.h"
#include "cli/options/policy_table.h"
#include "common/example_report.h"
#include "common/memory_file_system.h"

namespace cudald {
namespace {

std::string shown(const Options& options, const Settings& settings) {
  return written([&](std::ostream& out) { write_config(options, settings, out); });
}

TEST_CASE("each value is shown with the place that it comes from") {
  Options options;
  options.command = Command::config;
  options.arguments = {"show"};
  Settings settings;
  CHECK(shown(options, settings).starts_with("# no cudald.toml"));
  settings.files = {"/src/cudald.toml"};
  settings.keys = {{"fail-on", {{"note"}, "/src/cudald.toml:1"}},
                   {"gpu", {{"sm_80"}, "CUDALD_GPU"}},
                   {"strict", {{"true"}, "--config"}}};
  settings.suppressions = {{"CUD302", "lib\"x", "", "why", "2027-01-01", "/src/cudald.toml:4"}};
  const auto text = shown(options, settings);
  CHECK(text ==
        "# read: /src/cudald.toml\nfail-on = \"note\"  # /src/cudald.toml:1\ngpu = [\"sm_80\"]  # CUDALD_GPU\nstrict = "
        "true  # --config\n\n[[ignore]]  # /src/cudald.toml:4\ncode = \"CUD302\"\nobject = \"lib\\\"x\"\nreason = "
        "\"why\"\nuntil = 2027-01-01\n");
  CHECK(read_toml(text, "").has_value());
  options.output.format = OutputFormat::json;
  CHECK(shown(options, settings).find("\"from\": \"CUDALD_GPU\"") != std::string::npos);
}

TEST_CASE("the file to begin with can be read, and so can it without its marks") {
  Options options;
  options.arguments = {"init"};
  const auto text = shown(options, {});
  CHECK(read_toml(text, "").has_value());
  for (const auto& row : policy_table()) CHECK(text.find("# " + std::string(row.name) + " = ") != std::string::npos);
  CHECK(text.find("# fail-on = \"error\"") != std::string::npos);
}

TEST_CASE("as JSON it has the files, each value as a list, and what is ignored") {
  Options options;
  options.arguments = {"show"};
  options.output.format = OutputFormat::ndjson;
  Settings settings;
  settings.files = {"/a.toml"};
  settings.keys = {{"gpu", {{"sm_80", "sm_90"}, "CUDALD_GPU"}}};
  settings.suppressions = {{"CUD302", "", "sub", "why", "", "/a.toml:4"}};
  CHECK(shown(options, settings) ==
        R"({"schema":"cudald/config","schema_version":"1.0","files":["/a.toml"],"settings":[{"key":"gpu","values":)"
        R"(["sm_80","sm_90"],"from":"CUDALD_GPU"}],"ignore":[{"code":"CUD302","object":null,"subject":"sub","reason":)"
        R"("why","until":null,"from":"/a.toml:4"}]})"
        "\n");
  options.output.format = OutputFormat::text;
  settings.files.clear();
  CHECK(shown(options, settings) ==
        "# no cudald.toml and no pyproject.toml with [tool.cudald] was found\n"
        "gpu = [\"sm_80\", \"sm_90\"]  # CUDALD_GPU\n\n"
        "[[ignore]]  # /a.toml:4\ncode = \"CUD302\"\nsubject = \"sub\"\nreason = \"why\"\n");
}

TEST_CASE("the file to begin with shows a value of each kind as it is written") {
  Options options;
  options.arguments = {"init"};
  const auto text = shown(options, {});
  CHECK(
      text.starts_with("# cudald.toml, or the table [tool.cudald] of pyproject.toml. `cudald config show` says what "
                       "counts.\n"));
  for (const std::string line : {"# strict = true\n", "# gpu = [\"GPU\"]\n", "# python = \"VERSION\"\n"}) {
    CAPTURE(line);
    CHECK(text.find("\n" + line) != std::string::npos);
  }
  CHECK(
      text.ends_with("# [[ignore]]\n# code = \"CUD302\"\n# object = \"libcurand*\"\n# reason = \"shared by both\"\n"
                     "# until = 2027-01-01\n"));
  // What only a command line can say has no place in it.
  CHECK(text.find("# output = ") == std::string::npos);
}

TEST_CASE("a value is written as TOML reads it, a list of one as a list, a rule of the policy as it is") {
  Options options;
  options.arguments = {"show"};
  Settings settings;
  settings.keys = {{"bindings", {{"false"}, "a"}},
                   {"driver", {{"5\\3\"5"}, "b\n"}},
                   {"policy.allowed-libraries", {{"libx.so"}, "c"}},
                   {"policy.forbidden-rpath", {{}, "d"}},
                   {"select", {{"true"}, "e"}}};
  CHECK(shown(options, settings) ==
        "# no cudald.toml and no pyproject.toml with [tool.cudald] was found\n"
        "bindings = false  # a\n"
        "driver = \"5\\\\3\\\"5\"  # b\\x0a\n"
        "policy.allowed-libraries = \"libx.so\"  # c\n"
        "policy.forbidden-rpath = []  # d\n"
        "select = [\"true\"]  # e\n");
}

}  // namespace
}  // namespace cudald
