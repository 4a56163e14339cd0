#include "knowledge/providers.h"

#include <doctest/doctest.h>

#include <set>

#include <cudald/knowledge.h>

#include "base/json.h"
#include "base/version_order.h"
#include "common/built_in.h"
#include "embedded.h"
#include "knowledge/conda_packages.h"
#include "knowledge/knowledge.h"

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
  CHECK(similar_library("cudart", built_in()) == "libcudart.so.13");
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

/// Packages of the test's own, in one of the two tables.
std::shared_ptr<const Knowledge> with_packages(const std::string& table, const std::string& rows) {
  const auto read =
      lay_over(*built_in_knowledge(),
               R"({"schema": "cudald/)" + table + R"(", "checked": "2030-01-02", "source": "notes", )" + rows + "}");
  CAPTURE(read ? "" : read.error().message);
  REQUIRE(read.has_value());
  return *read;
}

TEST_CASE("of several runs of one distribution the newest counts, whichever stands first") {
  const auto entry = [](const std::string& name, const std::string& version, const std::string& folder,
                        const std::string& more = "") {
    return R"({"distribution": ")" + name + R"(", "oldest": "0.)" + version + R"(", "version": ")" + version +
           R"(", "folder": ")" + folder + R"(", "platform": "linux")" + more + "}";
  };
  const auto known = with_packages(
      "providers", R"("providers": [{"name": "libmade.so.1", "proof": "a test", "source": "own", "pip": [)" +
                       entry("one", "2", "a") + "," + entry("two", "1", "b") + "," + entry("one", "1", "c") + "," +
                       entry("two", "3", "d", R"(, "requirement": "two==3")") + "," + entry("two", "3", "e") + "]}]");
  std::string text;
  for (const auto& each : providers_of("libmade.so.1", *known))
    text += each.distribution + " " + each.oldest + " " + each.version + " " + each.folder + " " + each.requirement +
            " " + each.source + (each.likely ? " likely" : "") + "\n";
  CHECK(text == "one 0.2 2 a one own, 2030-01-02\ntwo 0.3 3 e two own, 2030-01-02\n");
  std::string all;
  for (const auto& [library, each] : libraries_of("two", false, *known))
    all += library + " " + each.folder + " " + each.requirement + "\n";
  CHECK(all == "libmade.so.1 b two\nlibmade.so.1 d two==3\nlibmade.so.1 e two\n");
  CHECK(libraries_of("two", true, *known).empty());
  CHECK(libraries_of("three", false, *known).empty());
}

TEST_CASE("a DLL is carried on Windows, and asked for in any case") {
  const auto known = with_packages("providers", R"("providers": [{"name": "Made64_1.dll", "pip": [{"distribution": "m",
    "oldest": "1", "version": "2", "folder": "f", "platform": "windows"}]}])");
  CHECK(providers_of("MADE64_1.DLL", *known).size() == 1);
  CHECK(providers_of("made64_1.so", *known).empty());
  CHECK(libraries_of("m", true, *known).at(0).first == "Made64_1.dll");
  CHECK(libraries_of("m", false, *known).empty());
  CHECK(libraries_of("nvidia-cuda-runtime-cu12", true, built_in()).size() >= 1);
  CHECK(libraries_of("no-such-thing", true, built_in()).empty());
}

TEST_CASE("packages of a system have their fields; what NVIDIA's own repository has is likely") {
  const auto known = with_packages("system-packages", R"("proof": "a test", "debian": [
      {"library": "libmade.so.1", "command": "apt install made", "version": "1.2", "system": "Debian 99",
       "folder": "/usr/lib"},
      {"library": "libmade.so.1", "command": "apt install made2", "system": "Debian 98", "folder": "/lib",
       "source": "own", "checked": "2029-01-02", "proof": null}],
    "by_hand": [{"library": "libmade.so.1", "command": "dnf", "version": null, "system": "N", "folder": "/x"}])");
  std::string text;
  for (const auto& each : system_packages_of("libmade.so.1", *known))
    text += each.command + "|" + each.version + "|" + each.system + "|" + each.folder + "|" + each.source +
            (each.likely ? "|likely" : "") + "\n";
  CHECK(text ==
        "apt install made|1.2|Debian 99|/usr/lib|notes, 2030-01-02\n"
        "apt install made2||Debian 98|/lib|likely, by own, 2029-01-02|likely\n"
        "dnf||N|/x|notes, 2030-01-02\n");
  const auto debian = system_packages_of("libaccinj64.so.11.8", built_in());
  REQUIRE(debian.size() == 1);
  CHECK(debian[0].folder == "/usr/lib/x86_64-linux-gnu");
  CHECK(debian[0].version.starts_with("11.8."));
  CHECK_FALSE(debian[0].likely);
  CHECK(carries(debian[0]) == "provides");
}

TEST_CASE("another version is of the same system and stem, and in any case of letters for DLLs") {
  const std::string pip = R"("pip": [{"distribution": "m", "oldest": "1", "version": "2", "folder": "f",
    "platform": "linux"}])";
  const auto known = with_packages("providers", R"("providers": [{"name": "libmade.so.1", )" + pip +
                                                    R"(}, {"name": "libmade.so.2", )" + pip +
                                                    R"(}, {"name": "Libmade64_3.dll", )" + pip + "}]");
  CHECK(other_versions_of("libmade.so.9", *known) == std::vector<std::string>{"libmade.so.1", "libmade.so.2"});
  CHECK(other_versions_of("libmade.so.1", *known) == std::vector<std::string>{"libmade.so.2"});
  CHECK(other_versions_of("LIBMADE64_4.dll", *known) == std::vector<std::string>{"Libmade64_3.dll"});
  CHECK(other_versions_of("libmade64_3.dll", *known).empty());
  CHECK(other_versions_of("libmade", *known) == std::vector<std::string>{"libmade.so.1", "libmade.so.2"});
  CHECK(similar_library("libmade.so.2.1", *known) == "libmade.so.2");
  CHECK(similar_library("libmade.so.21", *known) == "");
  CHECK(similar_library("libmadd.so.2", *known) == "libmade.so.2");
  CHECK(providers_source(*known) == "directories of the wheels on the Python package index, 2030-01-02");
}

TEST_CASE("of packages that put a library in the usual place the one for the newest CUDA is advised") {
  const auto entry = [](const std::string& name, const std::string& folder) {
    return R"({"distribution": ")" + name + R"(", "oldest": "1", "version": "2", "platform": "linux", "folder": ")" +
           folder + "\"}";
  };
  const auto known = with_packages(
      "providers", R"("providers": [{"name": "libmade.so.1", "pip": [)" + entry("made-cu1", "made/lib") + "," +
                       entry("made-cu2", "made/lib") + "," + entry("made-jit-cu2", "made_jit/lib") + "]}]");
  CHECK(newest_usual(providers_of("libmade.so.1", *known)).distribution == "made-cu2");
  CHECK(newest_usual(providers_of("libmade.so.1", "1", *known)).distribution == "made-cu1");
  CHECK(newest_usual(providers_of("libcudnn.so.9", built_in())).distribution == "nvidia-cudnn-cu13");
}

TEST_CASE("a package is likely to carry a file unless that is known to be proven again and again") {
  CHECK(carries(Provider{}) == "likely provides");
  CHECK(carries(SystemPackage{}) == "likely provides");
  CHECK(carries(CondaProvider{}) == "likely provides");
  CHECK(carries(Provider{.likely = false}) == "provides");
  CHECK(carries(SystemPackage{.likely = false}) == "provides");
}

}  // namespace
}  // namespace cudald
