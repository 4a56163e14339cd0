// What must be entered when a release of CUDA or cuDNN is: each case fails if a row that others count on is forgotten.

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "base/json.h"
#include "base/sha256.h"
#include "base/version_order.h"
#include "common/built_in.h"
#include "embedded.h"
#include "knowledge/knowledge.h"
#include "knowledge/providers.h"
#include "unit/knowledge/pinned.h"

namespace cudald {
namespace {

constexpr CudaPlatform platforms[] = {CudaPlatform::linux, CudaPlatform::windows};

const nlohmann::json& rows_of(const char* section) {
  static const auto table = parse_table(embedded_cuda());
  return table.at(section).at("rows");
}

/// "12.8" of "12.8.90".
std::string release_of(const std::string& version) {
  return version.substr(0, version.find('.', version.find('.') + 1));
}

int major_of(const std::string& version) { return std::stoi(version); }

std::set<std::string> releases_with_driver() {
  std::set<std::string> known;
  for (const auto& row : rows_of("driver")) known.insert(row.at("cuda").get<std::string>());
  return known;
}

TEST_CASE("each CUDA that a build, a framework or a function is known of has a driver row") {
  const auto known = releases_with_driver();
  const auto functions_seen = parse_table(embedded_first_seen());
  std::set<std::string> seen;
  for (const auto& row : rows_of("builds"))
    if (row.at("kind") == "cudart") seen.insert(release_of(row.at("last")));
  for (const auto& row : rows_of("frameworks"))
    if (row.at("cuda").is_string() && row.at("cuda").get<std::string>().find('.') != std::string::npos)
      seen.insert(release_of(row.at("cuda")));
  for (const auto& row : functions_seen.at("rows"))
    if (row.at("library").get<std::string>().starts_with("libcudart"))
      for (const auto& [release, functions] : row.at("first").items()) seen.insert(release);
  for (const auto& row : rows_of("architectures"))
    if (!version_less(row.at("since").get<std::string>(), "7.0")) seen.insert(row.at("since").get<std::string>());
  CHECK(seen.size() > 20);
  for (const auto& release : seen) {
    const auto& seen_release = release;
    CAPTURE(seen_release);
    CHECK(known.contains(release));
  }
}

TEST_CASE("releases of a name follow one another without a gap, and have drivers") {
  const auto known = releases_with_driver();
  const std::string never_made = "12.7";
  for (const auto& row : rows_of("libraries")) {
    if (row.at("kind") != "cudart" || row.at("last").is_null()) continue;
    const auto first = row.at("first").get<std::string>(), last = row.at("last").get<std::string>();
    for (int minor = std::stoi(first.substr(first.find('.') + 1)); minor <= std::stoi(last.substr(last.find('.') + 1));
         ++minor) {
      const auto release = std::to_string(major_of(first)) + "." + std::to_string(minor);
      CAPTURE(release);
      CHECK((known.contains(release) || release == never_made));
    }
  }
}

TEST_CASE("drivers only grow, and none is needed that is newer than the release's own") {
  const auto& knowledge = *built_in_knowledge();
  for (const auto platform : platforms) {
    std::string before;
    for (const auto& row : rows_of("driver")) {
      const auto release = row.at("cuda").get<std::string>();
      CAPTURE(release);
      const auto own = knowledge.driver_of(release, platform);
      const auto least = knowledge.least_driver(release, platform);
      if (own) {
        CHECK(version_less(before, own->version));
        before = own->version;
        REQUIRE(least);
        CHECK_FALSE(version_less(own->version, least->version));
      }
      // From CUDA 11 on each major has a floor, and so each release a driver on either system.
      if (!version_less(release, "10.0")) CHECK(least);
    }
  }
}

TEST_CASE("each release has a name for each library, on either system, and wheels carry what they name") {
  const auto& knowledge = *built_in_knowledge();
  const CudaKind kinds[] = {CudaKind::cudart,   CudaKind::cublas, CudaKind::cublas_lt,
                            CudaKind::cufft,    CudaKind::curand, CudaKind::cusolver,
                            CudaKind::cusparse, CudaKind::nvrtc,  CudaKind::nvjitlink};
  for (const auto& row : rows_of("driver")) {
    const auto release = row.at("cuda").get<std::string>();
    if (version_less(release, "10.0")) continue;
    for (const auto kind : kinds)
      for (const auto platform : platforms) {
        if (kind == CudaKind::nvjitlink && version_less(release, "12.0")) continue;
        // What no wheel shows: cudart and cublasLt of CUDA 10.
        const bool unproven =
            version_less(release, "11.0") &&
            (kind == CudaKind::cublas_lt || (kind == CudaKind::cudart && platform == CudaPlatform::windows));
        if (unproven) continue;
        CAPTURE(release);
        CAPTURE(to_string(kind));
        const auto name = knowledge.name_of(kind, release, platform);
        REQUIRE(name);
        if (!version_less(release, "11.7")) CHECK_FALSE(providers_of(name->name, built_in()).empty());
      }
  }
}

TEST_CASE("each part of cuDNN that a wheel carries is known to be opened") {
  const auto dlopens = parse_table(embedded_known_dlopens()), providers = parse_table(embedded_providers());
  std::set<std::string> asked;
  for (const auto& row : dlopens.at("rows"))
    for (const auto& ask : row.at("asks")) asked.insert(ask.at("name").get<std::string>());
  std::size_t parts = 0;
  for (const auto& row : providers.at("providers")) {
    const auto name = row.at("name").get<std::string>();
    if (!name.starts_with("libcudnn_")) continue;
    ++parts;
    CAPTURE(name);
    CHECK(asked.contains(name));
  }
  CHECK(parts > 10);
}

/// The words of each line that is no comment.
std::vector<std::vector<std::string>> lines_of(std::string_view text) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream all{std::string(text)};
  for (std::string line; std::getline(all, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::vector<std::string> found{std::istream_iterator<std::string>(words), {}};
    if (!found.empty()) lines.push_back(std::move(found));
  }
  return lines;
}

/// Releases of a project on the index that carry the same libraries, one after the other.
struct CarriedRun {
  std::string digest;
  std::size_t first = 0, end = 0;  ///< places among the releases
};

struct PinnedProject {
  std::vector<std::string> releases;
  std::vector<CarriedRun> runs;
};

/// (project, on Windows) -> what was read of it.
const std::map<std::pair<std::string, bool>, PinnedProject>& pinned_projects() {
  static const auto projects = [] {
    std::map<std::pair<std::string, bool>, PinnedProject> found;
    for (const auto& words : lines_of(embedded_pinned_directories())) {
      auto& project = found[{words.at(0), words.at(1) == "windows"}];
      const auto first = project.releases.size();
      project.releases.insert(project.releases.end(), words.begin() + 3, words.end());
      project.runs.push_back({words.at(2), first, project.releases.size()});
    }
    return found;
  }();
  return projects;
}

/// The digest of what a release carries by the table.
std::string digest_of(const std::vector<std::pair<std::string, Provider>>& rows,
                      const std::vector<std::string>& releases, std::size_t release) {
  const auto place = [&](const std::string& version) {
    return static_cast<std::size_t>(std::find(releases.begin(), releases.end(), version) - releases.begin());
  };
  std::set<std::string> paths;
  for (const auto& [library, provider] : rows)
    if (place(provider.oldest) <= release && release <= place(provider.version))
      paths.insert(provider.folder + (provider.folder.empty() ? "" : "/") + library + "\n");
  std::string all;
  for (const auto& path : paths) all += path;
  return sha256(all).substr(0, 12);
}

TEST_CASE("of each release of each project on the index the table has each library, and no other") {
  CHECK(pinned_projects().size() > 100);
  for (const auto& [key, project] : pinned_projects()) {
    const auto& seen_key = key;
    CAPTURE(seen_key.first);
    CAPTURE(seen_key.second);
    const auto rows = libraries_of(key.first, key.second, built_in());
    for (const auto& run : project.runs)
      for (auto release = run.first; release < run.end; ++release) {
        const auto& seen_project = project;
        CAPTURE(seen_project.releases[release]);
        CHECK(digest_of(rows, project.releases, release) == run.digest);
      }
    for (const auto& [library, provider] : rows) {
      const auto& seen_library = library;
      CAPTURE(seen_library);
      CHECK_FALSE(providers_of(library, built_in()).empty());
    }
  }
}

TEST_CASE("drivers are those of NVIDIA's documents") {
  std::size_t rows = 0, floors = 0;
  for (const auto& words : lines_of(embedded_pinned_drivers())) {
    const bool floor = words.at(0) == "floor";
    const auto release = words.at(floor ? 1 : 0);
    CAPTURE(release);
    for (std::size_t i = 0; i < std::size(platforms); ++i) {
      const auto told = floor ? built_in().driver_floor(std::stoi(release), platforms[i])
                              : built_in().driver_of(release, platforms[i]);
      CHECK((told ? told->version : "-") == words.at(words.size() - std::size(platforms) + i));
    }
    ++(floor ? floors : rows);
  }
  CHECK(rows == rows_of("driver").size());
  CHECK(floors == rows_of("driver_floor").size());
}

TEST_CASE("where majors share a name, the versions of their wheels tell which they are of") {
  const std::pair<const char*, CudaKind> kinds[] = {
      {"curand", CudaKind::curand}, {"cusolver", CudaKind::cusolver}, {"cusparse", CudaKind::cusparse}};
  std::set<int> seen;
  for (const auto& [key, project] : pinned_projects())
    for (const auto& [name, kind] : kinds) {
      const auto stem = std::string("nvidia-") + name;
      if (key.second || !key.first.starts_with(stem)) continue;
      const auto suffix = key.first.substr(stem.size());
      if (!suffix.empty() && !suffix.starts_with("-cu")) continue;
      const int major = suffix.empty() ? built_in().newest_major() : std::stoi(suffix.substr(3));
      for (const auto& version : project.releases) {
        const auto& seen_key = key;
        CAPTURE(seen_key.first);
        CAPTURE(version);
        const auto told = built_in().major_of(kind, version);
        // cuSPARSE of CUDA 11 and cuSOLVER of CUDA 13 have names of their own.
        const bool own_name =
            (kind == CudaKind::cusparse && major == 11) || (kind == CudaKind::cusolver && major == 13);
        if (!own_name) CHECK(told == major);
        if (told) seen.insert(*told);
      }
    }
  CHECK(seen.size() == 3);
}

TEST_CASE("all that is told as a fact of the frameworks, drivers and names says which test repeats it") {
  for (const auto* section : {"driver", "driver_floor", "libraries", "builds", "frameworks", "shared_names"}) {
    CAPTURE(section);
    static const auto table = parse_table(embedded_cuda());
    CHECK(table.at(section).at("proof").get<std::string>().starts_with("tests/"));
  }
}

}  // namespace
}  // namespace cudald
