#include "cuda/providers.h"

#include <doctest/doctest.h>

#include <set>

#include "base/json.h"
#include "base/version_order.h"
#include "embedded.h"

namespace cudald {
namespace {

TEST_CASE("each row of the table names packages that carry the file, and where") {
  const auto table = parse_json(embedded_providers());
  CHECK(table.at("schema") == "cudald/providers");
  CHECK(table.at("checked").get<std::string>().size() == 10);
  std::set<std::string> names;
  for (const auto& row : table.at("providers")) {
    const auto name = row.at("name").get<std::string>();
    CAPTURE(name);
    CHECK(names.insert(name).second);
    CHECK((!row.at("pip").empty() || row.contains("apt")));
    std::set<std::string> distributions;
    for (const auto& entry : row.at("pip")) {
      const auto oldest = entry.at("oldest").get<std::string>(), newest = entry.at("version").get<std::string>();
      CHECK_FALSE(version_less(newest, oldest));
      CHECK(distributions.insert(entry.at("distribution").get<std::string>()).second);
      CHECK((entry.at("platform") == "linux" || entry.at("platform") == "windows"));
      CHECK((entry.at("platform") == "windows") == name.ends_with(".dll"));
      CHECK_FALSE(entry.at("folder").get<std::string>().starts_with("/"));
      if (entry.contains("requirement"))
        CHECK(entry.at("requirement") == entry.at("distribution").get<std::string>() + "==" + newest);
    }
    if (row.contains("apt"))
      for (const auto& entry : row.at("apt")) CHECK(entry.at("folder").get<std::string>().starts_with("/"));
  }
}

TEST_CASE("a name is looked up exactly, that of a DLL in any case") {
  REQUIRE(providers_of("libcudart.so.11.0").size() == 1);
  CHECK(providers_of("libcudart.so.11.0")[0].distribution == "nvidia-cuda-runtime-cu11");
  CHECK(providers_of("libcudart.so.11.0")[0].oldest == "11.7.99");
  CHECK(providers_of("LIBCUDART.SO.11.0").empty());
  CHECK(providers_of("CUDART64_110.dll").size() == 1);
  CHECK(providers_of("libcudart.so").empty());
  CHECK(system_packages_of("libcuda.so.1").size() == 1);
  CHECK(system_packages_of("libcudart.so.13").empty());
}

TEST_CASE("other versions, and names that may be meant") {
  CHECK(other_versions_of("libcudart.so.11.0") == std::vector<std::string>{"libcudart.so.12", "libcudart.so.13"});
  CHECK(other_versions_of("cudart64_12.dll") == std::vector<std::string>{"cudart64_110.dll", "cudart64_13.dll"});
  CHECK(other_versions_of("libfoo.so.1").empty());
  CHECK(similar_library("libcudart.so.12.8.90") == "libcudart.so.12");
  CHECK(similar_library("libcudrt.so.12") == "libcudart.so.12");
  CHECK(similar_library("libqt.so.5") == "");
}

}  // namespace
}  // namespace cudald
