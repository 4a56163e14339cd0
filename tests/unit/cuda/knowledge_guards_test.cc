// What must be entered when a release of CUDA or cuDNN is: each case fails if a row that others count on is forgotten.

#include <doctest/doctest.h>

#include <set>

#include "base/json.h"
#include "base/version_order.h"
#include "cuda/knowledge.h"
#include "cuda/providers.h"
#include "embedded.h"

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
    CAPTURE(release);
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
        if (!version_less(release, "11.7")) CHECK_FALSE(providers_of(name->name).empty());
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

TEST_CASE("all that is told as a fact of the frameworks, drivers and names says which test repeats it") {
  for (const auto* section : {"driver", "driver_floor", "libraries", "builds", "frameworks", "shared_names"}) {
    CAPTURE(section);
    static const auto table = parse_table(embedded_cuda());
    CHECK(table.at(section).at("proof").get<std::string>().starts_with("tests/"));
  }
}

}  // namespace
}  // namespace cudald
