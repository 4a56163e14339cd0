#include "cuda/conda_packages.h"

#include <doctest/doctest.h>

#include "base/json.h"
#include "common/built_in.h"
#include "embedded.h"

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
    CHECK(row.at("read") == "recipe");
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

}  // namespace
}  // namespace cudald
