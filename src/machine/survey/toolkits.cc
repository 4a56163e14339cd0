#include <algorithm>
#include <cstdlib>
#include <utility>

#include "machine/survey/survey.h"

#include "base/json.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_version_file = 1 << 20;

/// Of version.json (since 11.1), version.txt (before), or the header that all have.
void read_version(const FileSystem& files, CudaToolkit& toolkit) {
  if (const auto text = read_file(files, toolkit.path + "/version.json", most_version_file)) {
    const auto json = parse_json(*text);
    const auto cuda = json.is_object() ? json.value("cuda", nlohmann::json()) : nlohmann::json();
    if (cuda.is_object() && cuda.contains("version") && cuda.at("version").is_string()) {
      toolkit.version = cuda.at("version").get<std::string>();
      toolkit.known_by = toolkit.path + "/version.json";
      return;
    }
  }
  if (const auto text = read_file(files, toolkit.path + "/version.txt", most_version_file)) {
    toolkit.version = first_version(*text);
    toolkit.known_by = toolkit.path + "/version.txt";
    if (!toolkit.version.empty()) return;
  }
  for (const auto& [file, define] : {std::pair{"/include/cuda.h", "#define CUDA_VERSION"},
                                     std::pair{"/include/cuda_runtime_api.h", "#define CUDART_VERSION"}}) {
    const auto text = read_file(files, toolkit.path + file, most_version_file);
    const auto at = text ? text->find(define) : std::string::npos;
    const int number = at == std::string::npos ? 0 : std::atoi(text->c_str() + at + std::string_view(define).size());
    if (number < 1000) continue;
    toolkit.version = std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
    toolkit.known_by = toolkit.path + file;
    return;
  }
}

}  // namespace

std::vector<CudaToolkit> find_toolkits(const FileSystem& files, const std::string& prefix,
                                       const std::vector<std::string>& further) {
  std::vector<std::string> candidates = {"/opt/cuda", "/usr/lib/cuda"};
  candidates.insert(candidates.end(), further.begin(), further.end());
  if (!prefix.empty()) candidates.push_back(prefix);
  if (const auto names = files.list("/usr/local"))
    for (const auto& name : *names)
      if (name == "cuda" || name.starts_with("cuda-")) candidates.push_back("/usr/local/" + name);
  std::vector<CudaToolkit> toolkits;
  for (const auto& path : candidates) {
    const auto real = files.real_path(path);
    const bool known = !real || std::any_of(toolkits.begin(), toolkits.end(),
                                            [&](const CudaToolkit& each) { return each.path == *real; });
    if (known || !is_folder(files, *real)) continue;
    CudaToolkit toolkit{*real, "", ""};
    read_version(files, toolkit);
    if (toolkit.version.empty() && path == prefix) continue;
    toolkits.push_back(std::move(toolkit));
  }
  return toolkits;
}

}  // namespace cudald
