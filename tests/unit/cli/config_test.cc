#include "cli/config.h"

#include <doctest/doctest.h>

#include "base/toml.h"
#include "cli/policy_table.h"
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
  options.format = OutputFormat::json;
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

}  // namespace
}  // namespace cudald
