#include "cuda/knowledge.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/version_order.h"
#include "embedded.h"

namespace cudald {

/// The rows as they stand in the file, in plain types.
struct Knowledge::Table {
  struct Driver {
    std::string cuda;
    int major = 0;
    std::string linux, windows;
    KnowledgeSource source;
    const std::string& of(CudaPlatform platform) const { return platform == CudaPlatform::linux ? linux : windows; }
  };
  struct Library {
    NamedRelease linux, windows;
  };
  struct Cudnn {
    std::string version, built_for;
    int cuda_major = 0;
  };
  struct SharedName {
    CudaKind kind = CudaKind::cudart;
    std::string since;
    int cuda_major = 0;
  };
  struct Build {
    CudaKind kind = CudaKind::cudart;
    std::string id, first, last;
  };
  struct Framework {
    CudaPlatform platform = CudaPlatform::linux;
    FrameworkBuild build;
  };
  std::vector<Driver> drivers, floors;
  std::vector<Library> libraries;
  std::vector<std::pair<std::string, ArchitectureSpan>> architectures;
  std::vector<SharedName> shared_names;
  std::vector<Cudnn> cudnn;
  std::vector<Build> builds;
  std::vector<Framework> frameworks;
};

namespace {

using Json = nlohmann::json;

std::string text_or_empty(const Json& row, const char* key) {
  const auto& value = row.at(key);
  return value.is_null() ? "" : value.get<std::string>();
}

KnowledgeSource source_of(const Json& section, const Json& row) {
  const auto& where = row.contains("source") ? row.at("source") : section.at("source");
  return {
      fmt::format("{}, {}", where.get_ref<const std::string&>(), section.at("checked").get_ref<const std::string&>()),
      row.value("verified", true)};
}

std::optional<CudaKind> kind_named(std::string_view word) {
  constexpr std::array kinds = {CudaKind::cudart,   CudaKind::cudnn,          CudaKind::cublas,    CudaKind::cublas_lt,
                                CudaKind::cufft,    CudaKind::curand,         CudaKind::cusolver,  CudaKind::cusparse,
                                CudaKind::nvrtc,    CudaKind::nvrtc_builtins, CudaKind::nvjitlink, CudaKind::nccl,
                                CudaKind::tensorrt, CudaKind::driver};
  for (const auto kind : kinds)
    if (to_string(kind) == word) return kind;
  return std::nullopt;
}

/// Throws nlohmann's exceptions where the text is no such table.
std::unique_ptr<const Knowledge::Table> read(std::string_view text) {
  const auto json = Json::parse(text);
  if (json.at("schema") != "cudald/cuda")
    throw Json::other_error::create(501, "its schema is not cudald/cuda", nullptr);
  auto table = std::make_unique<Knowledge::Table>();
  for (const auto& row : json.at("driver").at("rows"))
    table->drivers.push_back({row.at("cuda"), 0, text_or_empty(row, "linux"), text_or_empty(row, "windows"),
                              source_of(json.at("driver"), row)});
  for (const auto& row : json.at("driver_floor").at("rows"))
    table->floors.push_back({"", row.at("cuda_major"), text_or_empty(row, "linux"), text_or_empty(row, "windows"),
                             source_of(json.at("driver_floor"), row)});
  const auto kind_of = [](const Json& row) {
    const auto kind = kind_named(row.at("kind").get_ref<const std::string&>());
    if (!kind) throw Json::other_error::create(501, "a library is of a kind that is not known", nullptr);
    return *kind;
  };
  for (const auto& row : json.at("shared_names").at("rows"))
    table->shared_names.push_back({kind_of(row), row.at("since"), row.at("cuda_major")});
  for (const auto& row : json.at("libraries").at("rows")) {
    NamedRelease release{kind_of(row), row.at("linux"), row.at("first"), text_or_empty(row, "last"),
                         source_of(json.at("libraries"), row)};
    auto on_windows = release;
    on_windows.name = row.at("windows");
    table->libraries.push_back({std::move(release), std::move(on_windows)});
  }
  for (const auto& row : json.at("architectures").at("rows"))
    table->architectures.emplace_back(row.at("sm"), ArchitectureSpan{row.at("since"), text_or_empty(row, "until"),
                                                                     source_of(json.at("architectures"), row)});
  for (const auto& row : json.at("cudnn").at("rows"))
    table->cudnn.push_back({row.at("cudnn"), text_or_empty(row, "built_for"), row.at("cuda_major")});
  for (const auto& row : json.at("builds").at("rows")) {
    const auto kind = kind_named(row.at("kind").get_ref<const std::string&>());
    if (kind) table->builds.push_back({*kind, row.at("build_id"), row.at("first"), row.at("last")});
  }
  for (const auto& row : json.at("frameworks").at("rows"))
    table->frameworks.push_back(
        {row.at("platform") == "windows" ? CudaPlatform::windows : CudaPlatform::linux,
         {row.at("project"), row.at("first"), text_or_empty(row, "last"), text_or_empty(row, "cuda"),
          text_or_empty(row, "cudnn"), source_of(json.at("frameworks"), row)}});
  return table;
}

bool is_between(std::string_view version, std::string_view first, std::string_view last) {
  return !version_less(version, first) && (last.empty() || !version_less(last, version));
}

/// "12.8.1" -> "12.8": updates of a release share its rows.
std::string_view release(std::string_view cuda) {
  const auto dot = cuda.find('.');
  const auto second = dot == std::string_view::npos ? dot : cuda.find('.', dot + 1);
  return cuda.substr(0, std::min(second, cuda.size()));
}

bool is_same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

Knowledge::Knowledge(std::unique_ptr<const Table> table) : table_(std::move(table)) {}

Knowledge::~Knowledge() = default;

std::shared_ptr<const Knowledge> built_in_knowledge() {
  static const auto built_in = std::make_shared<const Knowledge>(read(embedded_cuda()));
  return built_in;
}

Result<std::shared_ptr<const Knowledge>> read_knowledge(std::string_view json) {
  try {
    return std::make_shared<const Knowledge>(read(json));
  } catch (const Json::exception& fault) {
    return Error{ErrorCode::usage, fmt::format("no table of knowledge about CUDA: {}", fault.what()), "", std::nullopt,
                 0};
  }
}

std::optional<DriverNeed> Knowledge::driver_of(std::string_view cuda, CudaPlatform platform) const {
  for (const auto& row : table_->drivers)
    if (row.cuda == release(cuda) && !row.of(platform).empty()) return DriverNeed{row.of(platform), row.source};
  return std::nullopt;
}

std::optional<DriverNeed> Knowledge::driver_floor(int cuda_major, CudaPlatform platform) const {
  for (const auto& row : table_->floors)
    if (row.major == cuda_major && !row.of(platform).empty()) return DriverNeed{row.of(platform), row.source};
  return std::nullopt;
}

std::optional<DriverNeed> Knowledge::least_driver(std::string_view cuda, CudaPlatform platform) const {
  const auto floor = driver_floor(std::atoi(std::string(cuda.substr(0, cuda.find('.'))).c_str()), platform);
  return floor ? floor : driver_of(cuda, platform);
}

std::string Knowledge::newest_cuda_of(std::string_view driver, CudaPlatform platform) const {
  std::string newest;
  for (const auto& row : table_->drivers)
    if (!row.of(platform).empty() && !version_less(driver, row.of(platform)) &&
        (newest.empty() || version_less(newest, row.cuda)))
      newest = row.cuda;
  return newest;
}

std::vector<NamedRelease> Knowledge::releases_of(std::string_view library) const {
  std::vector<NamedRelease> found;
  for (const auto& row : table_->libraries) {
    if (row.linux.name == library) found.push_back(row.linux);
    if (is_same_name(row.windows.name, library)) found.push_back(row.windows);
  }
  return found;
}

std::optional<NamedRelease> Knowledge::name_of(CudaKind kind, std::string_view cuda, CudaPlatform platform) const {
  for (const auto& row : table_->libraries) {
    const auto& named = platform == CudaPlatform::linux ? row.linux : row.windows;
    if (named.kind == kind && is_between(release(cuda), named.first, named.last)) return named;
  }
  return std::nullopt;
}

std::optional<ArchitectureSpan> Knowledge::toolkits_for(std::string_view architecture) const {
  for (const auto& [name, span] : table_->architectures)
    if (name == architecture) return span;
  return std::nullopt;
}

std::string Knowledge::cuda_of_cudnn(std::string_view cudnn, int cuda_major) const {
  for (const auto& row : table_->cudnn)
    if (row.version == cudnn && row.cuda_major == cuda_major) return row.built_for;
  return "";
}

std::optional<int> Knowledge::major_of(CudaKind kind, std::string_view version) const {
  std::optional<int> major;
  for (const auto& row : table_->shared_names)
    if (row.kind == kind && !version_less(version, row.since)) major = row.cuda_major;
  return major;
}

std::string Knowledge::release_of_build(CudaKind kind, std::string_view build_id) const {
  for (const auto& row : table_->builds)
    if (row.kind == kind && row.id == build_id)
      return row.first == row.last ? row.first : fmt::format("{} to {}", row.first, row.last);
  return "";
}

std::optional<FrameworkBuild> Knowledge::framework(std::string_view project, std::string_view version,
                                                   CudaPlatform platform) const {
  for (const auto& build : framework(project, platform))
    if (is_between(version, build.first, build.last)) return build;
  return std::nullopt;
}

std::vector<FrameworkBuild> Knowledge::framework(std::string_view project, CudaPlatform platform) const {
  std::vector<FrameworkBuild> builds;
  for (const auto& row : table_->frameworks)
    if (row.platform == platform && row.build.project == project) builds.push_back(row.build);
  return builds;
}

}  // namespace cudald
