#include "knowledge/conda_packages.h"

#include <doctest/doctest.h>

#include "base/json.h"
#include "common/built_in.h"
#include "embedded.h"
#include "knowledge/knowledge.h"

namespace cudald {
namespace {

TEST_CASE("each row of conda's packages says what it carries, for which CUDA, and where that is read") {
  const auto table = parse_table(embedded_conda_packages());
  CHECK(table.at("schema") == "cudald/conda-packages");
  CHECK(table.at("checked").get<std::string>().size() == 10);
  for (const auto& row : table.at("rows")) {
    CAPTURE(row.at("package").get<std::string>());
    CHECK_FALSE(row.at("libraries").empty());
    CHECK_FALSE(row.at("requirement").empty());
    CHECK(row.at("requirement").at(0).get<std::string>().starts_with(row.at("package").get<std::string>()));
    CHECK((row.at("cuda").is_null() || row.at("cuda").get<int>() >= 11));
    CHECK((row.at("read") == "recipe" || row.at("read") == "wheel"));
    CHECK(row.at("source").get<std::string>().starts_with(row.at("channel").get<std::string>() + "/"));
  }
}

TEST_CASE("a library's packages, and the command that installs them") {
  const auto cudart = conda_packages_of("libcudart.so.11.0", built_in());
  REQUIRE(cudart.size() == 1);
  CHECK(conda_install(cudart[0]) == "conda install -c conda-forge cudatoolkit=11.8");
  CHECK(conda_install(cudart[0], "/opt/my env") == "conda install -p '/opt/my env' -c conda-forge cudatoolkit=11.8");
  CHECK(conda_packages_of("libcudnn.so.8", built_in()).size() == 2);
  CHECK(conda_packages_of("libcurand.so.10", built_in()).size() == 3);
  CHECK(conda_packages_of("libcudart.so", built_in()).empty());
}

TEST_CASE("what a package of conda carries for one CUDA, each library once, and likely if any row is") {
  const auto known = lay_over(*built_in_knowledge(), R"({"schema": "cudald/conda-packages", "checked": "2030-01-02",
    "source": "notes", "proof": "a test", "rows": [
      {"package": "p", "channel": "c", "cuda": 11, "requirement": ["p=1", "q"], "libraries": ["a.so", "b.so"]},
      {"package": "p", "channel": "d", "cuda": 12, "requirement": ["p=2"], "libraries": ["c.so", "a.so"],
       "oldest": "2.0", "newest": "2.9", "source": "own", "checked": "2029-01-02"},
      {"package": "q", "channel": "c", "cuda": null, "requirement": ["q"], "libraries": ["d.so"]},
      {"package": "q", "channel": "c", "cuda": 13, "requirement": ["q=3"], "libraries": ["e.so"], "proof": null},
      {"package": "q", "channel": "c", "cuda": 14, "requirement": ["q=4"], "libraries": ["f.so"]}]})");
  REQUIRE(known.has_value());
  const auto carried = [&](std::string_view package, std::optional<int> cuda) {
    const auto contents = libraries_of_conda(package, cuda, **known);
    std::string text;
    for (const auto& name : contents.libraries) text += name + " ";
    return text + (contents.likely ? "likely" : "");
  };
  CHECK(carried("p", std::nullopt) == "a.so b.so c.so ");
  CHECK(carried("p", 11) == "a.so b.so ");
  CHECK(carried("p", 12) == "c.so a.so ");
  CHECK(carried("p", 13) == "");
  CHECK(carried("q", 12) == "d.so ");
  CHECK(carried("q", 13) == "d.so e.so likely");
  CHECK(carried("q", 14) == "d.so f.so ");
  CHECK(carried("q", std::nullopt) == "d.so e.so f.so likely");
  CHECK(carried("none", 12) == "");
  const auto packages = conda_packages_of("a.so", **known);
  REQUIRE(packages.size() == 2);
  CHECK(packages[0].package == "p");
  CHECK(packages[0].channel == "c");
  CHECK(packages[0].requirement == "p=1 q");
  CHECK(packages[0].cuda == 11);
  CHECK(packages[0].oldest == "");
  CHECK(packages[0].newest == "");
  CHECK_FALSE(packages[0].likely);
  CHECK(packages[0].source == "notes, 2030-01-02");
  CHECK(packages[1].oldest == "2.0");
  CHECK(packages[1].newest == "2.9");
  CHECK(packages[1].source == "own, 2029-01-02");
  CHECK_FALSE(conda_packages_of("d.so", **known).at(0).cuda.has_value());
  CHECK(conda_packages_of("e.so", **known).at(0).likely);
  CHECK(conda_install(packages[0]) == "conda install -c c p=1 q");
}

}  // namespace
}  // namespace cudald
