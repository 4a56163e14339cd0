#include "cuda/providers.h"

#include <doctest/doctest.h>

#include <set>

#include <cudald/knowledge.h>

#include "base/json.h"
#include "base/version_order.h"
#include "common/built_in.h"
#include "cuda/knowledge.h"
#include "embedded.h"

namespace cudald {
namespace {

TEST_CASE("each row of the table names packages that carry the file, and where") {
  const auto table = parse_table(embedded_providers());
  CHECK(table.at("schema") == "cudald/providers");
  CHECK(table.at("checked").get<std::string>().size() == 10);
  std::set<std::string> names;
  for (const auto& row : table.at("providers")) {
    const auto name = row.at("name").get<std::string>();
    CAPTURE(name);
    CHECK(names.insert(name).second);
    CHECK_FALSE(row.at("pip").empty());
    std::set<std::string> runs;
    for (const auto& entry : row.at("pip")) {
      const auto oldest = entry.at("oldest").get<std::string>(), newest = entry.at("version").get<std::string>();
      CHECK_FALSE(version_less(newest, oldest));
      CHECK(runs.insert(entry.at("distribution").get<std::string>() + entry.at("folder").get<std::string>() + oldest)
                .second);
      CHECK((entry.at("platform") == "linux" || entry.at("platform") == "windows"));
      CHECK((entry.at("platform") == "windows") == name.ends_with(".dll"));
      CHECK_FALSE(entry.at("folder").get<std::string>().starts_with("/"));
      if (entry.contains("requirement"))
        CHECK(entry.at("requirement") == entry.at("distribution").get<std::string>() + "==" + newest);
    }
  }
}

TEST_CASE("a name is looked up exactly, that of a DLL in any case") {
  REQUIRE(providers_of("libcudart.so.11.0", built_in()).size() == 1);
  CHECK(providers_of("libcudart.so.11.0", built_in())[0].distribution == "nvidia-cuda-runtime-cu11");
  CHECK(providers_of("libcudart.so.11.0", built_in())[0].oldest == "11.7.99");
  CHECK(providers_of("LIBCUDART.SO.11.0", built_in()).empty());
  CHECK(providers_of("CUDART64_110.dll", built_in()).size() == 1);
  CHECK(providers_of("libcudart.so", built_in()).empty());
  REQUIRE(system_packages_of("libcuda.so.1", built_in()).size() == 2);
  CHECK(system_packages_of("libcuda.so.1", built_in())[0].command == "apt install libcuda1");
  CHECK_FALSE(system_packages_of("libcuda.so.1", built_in())[0].likely);
  REQUIRE(system_packages_of("libcudart.so.13", built_in()).size() == 1);
  CHECK(system_packages_of("libcudart.so.13", built_in())[0].likely);
  CHECK(system_packages_of("libcudart.so.9", built_in()).empty());
}

TEST_CASE("of a folder that changed, each run of releases is known, and the newest is what pip brings") {
  const auto newest = providers_of("libcusparseLt.so.0", built_in());
  REQUIRE_FALSE(newest.empty());
  CHECK(newest[0].folder == "nvidia/cusparselt/lib");
  std::set<std::string> folders;
  for (const auto& [library, provider] : libraries_of("nvidia-cusparselt-cu12", false, built_in()))
    folders.insert(provider.folder);
  CHECK(folders == std::set<std::string>{"cusparselt/lib", "nvidia/cusparselt/lib"});
  REQUIRE(providers_of("libnvrtc-builtins.so.12.8", built_in()).size() == 1);
  CHECK(providers_of("libnvrtc-builtins.so.12.8", built_in())[0].requirement.starts_with(
      "nvidia-cuda-nvrtc-cu12==12.8."));
}

TEST_CASE("other versions, and names that may be meant") {
  CHECK(other_versions_of("libcudart.so.11.0", built_in()) ==
        std::vector<std::string>{"libcudart.so.12", "libcudart.so.13"});
  CHECK(other_versions_of("cudart64_12.dll", built_in()) ==
        std::vector<std::string>{"cudart64_110.dll", "cudart64_13.dll"});
  CHECK(other_versions_of("libfoo.so.1", built_in()).empty());
  CHECK(similar_library("libcudart.so.12.8.90", built_in()) == "libcudart.so.12");
  CHECK(similar_library("libcudrt.so.12", built_in()) == "libcudart.so.12");
  CHECK(similar_library("libqt.so.5", built_in()) == "");
  CHECK(similar_library("libcublas.so.10", built_in()) == "");  // another ABI is not what was meant
  CHECK(similar_library("cudart64_101.dll", built_in()) == "");
}

TEST_CASE("of several majors of CUDA the package for the one that is asked for is named, all if none is") {
  const auto known = lay_over(*built_in_knowledge(), R"({"schema": "cudald/providers", "checked": "2030-01-02",
      "source": "notes", "providers": [{"name": "libmade.so.1", "proof": "a test", "pip": [
        {"distribution": "made-cu60", "oldest": "1.0", "version": "1.9", "folder": "a", "platform": "linux"},
        {"distribution": "made-cu61", "oldest": "1.0", "version": "60.9", "folder": "a", "platform": "linux"},
        {"distribution": "made", "oldest": "60.0", "version": "60.9", "folder": "a", "platform": "linux"},
        {"distribution": "made-cux", "oldest": "6.0", "version": "61.2", "folder": "a", "platform": "linux"}]}]})");
  REQUIRE(known);
  const auto names = [&](std::string_view major) {
    std::string text;
    for (const auto& provider : providers_of("libmade.so.1", major, **known))
      text += (text.empty() ? "" : " ") + provider.distribution;
    return text;
  };
  CHECK(names("60") == "made-cu60 made");
  CHECK(names("61") == "made-cu61 made-cux");
  CHECK(names("6") == "made-cu60 made-cu61 made made-cux");
  CHECK(names("") == "made-cu60 made-cu61 made made-cux");
}

}  // namespace
}  // namespace cudald
