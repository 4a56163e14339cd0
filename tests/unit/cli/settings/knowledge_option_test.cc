#include "cli/settings/knowledge_option.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "common/example_report.h"
#include "knowledge/knowledge.h"
#include "knowledge/tables.h"
#include "unit/cli/command_line.h"

namespace cudald {
namespace {

std::string newer_dlopens(const std::string& day) {
  return R"({"schema": "cudald/known-dlopens", "checked": ")" + day + R"(", "source": "s", "rows": []})";
}

struct Place {
  /// What is complained of at that time (in seconds) about tables that files lie over; what is wrong with a file.
  std::string complaints(const std::vector<std::string>& files, int verbosity, const std::string& time) const {
    std::istringstream input;
    std::ostringstream complaints;
    Environment environment;
    environment.cwd = folder.path();
    environment.variables["SOURCE_DATE_EPOCH"] = time;
    const Host host{environment, {}, input, complaints};
    Options options;
    options.world.knowledge = files;
    options.output.verbosity = verbosity;
    if (const auto fault = take_knowledge(options, host)) return fault->message;
    tell_old_tables(options, host);
    return complaints.str();
  }

  ScratchFolder folder;
};

TEST_CASE("tables that were checked more than 180 days ago are told of with -v, with their days") {
  const Place place;
  CHECK(place.complaints({}, 1, "0").empty());
  const auto late = place.complaints({}, 1, "4102444800");  // 2100-01-01
  CHECK(late.starts_with("cudald: built-in data older than 180 days: changed-names (20"));
  CHECK(late.find("), first-seen (20") != std::string::npos);
  CHECK(late.ends_with("); newer: --knowledge FILE, or a newer cudald\n"));
  CHECK(std::count(late.begin(), late.end(), '(') ==
        static_cast<std::ptrdiff_t>(table_days(*built_in_knowledge()).size()));
  CHECK(place.complaints({}, 0, "4102444800").empty());
  place.folder.add_file("a.json", newer_dlopens("2099-07-05"));  // 180 days before
  place.folder.add_file("b.json", newer_dlopens("2099-07-04"));
  CHECK(place.complaints({"a.json"}, 1, "4102444800").find("known-dlopens") == std::string::npos);
  CHECK(place.complaints({"b.json"}, 1, "4102444800").find(", known-dlopens (2099-07-04), ") != std::string::npos);
  // Of two files about the same the last one counts.
  CHECK(place.complaints({"a.json", "b.json"}, 1, "4102444800").find("(2099-07-04)") != std::string::npos);
  CHECK(place.complaints({"a.json", "none"}, 1, "0") == "--knowledge none: No such file or directory");
}

TEST_CASE("newer rows of more than 16 MiB are refused, and what is wrong is told with its kind") {
  const Place place;
  place.folder.add_file("large.json", "");
  std::filesystem::resize_file(place.folder / "large.json", (std::uint64_t{16} << 20) + 1);
  CHECK(place.complaints({"large.json"}, 0, "0") ==
        "--knowledge large.json: larger than the 16777216 bytes that are read of it");
  place.folder.add_file("b.json", newer_dlopens("2099-07-04"));
  CHECK(place.complaints({"b.json"}, -1, "4102444800").empty());
  CHECK(place.complaints({"b.json"}, 2, "4102444800").find("known-dlopens") != std::string::npos);
}

}  // namespace
}  // namespace cudald
