#include <doctest/doctest.h>

#include "unit/survey/surveyed.h"

namespace cudald {
namespace {

TEST_CASE("toolkits say their version in one of four files") {
  auto files = healthy();
  files.add_file("/usr/local/cuda-12.4/version.json", R"({"cuda": {"name": "CUDA SDK", "version": "12.4.1"}})");
  files.add_file("/usr/local/cuda-10.2/version.txt", "CUDA Version 10.2.89\n");
  files.add_file("/usr/local/cuda-11.0/include/cuda.h", "#define CUDA_VERSION 11000\n");
  files.add_file("/usr/local/cuda-13.0/include/cuda_runtime_api.h", "#define CUDART_VERSION  13000\n");
  files.add_file("/usr/local/cuda-9.0/version.json", "[]");
  files.add_file("/usr/local/cuda-11.8/include/cuda.h", "#define CUDA_VERSION 11080\n");
  files.add_symlink("/usr/local/cuda", "cuda-12.4");
  std::vector<std::string> versions;
  for (const auto& toolkit : look(files).toolkits) {
    versions.push_back(toolkit.path + " " + toolkit.version);
    CHECK(toolkit.known_by.empty() == toolkit.version.empty());
    if (!toolkit.known_by.empty()) CHECK(toolkit.known_by.starts_with(toolkit.path + "/"));
  }
  CHECK(versions == std::vector<std::string>{"/usr/local/cuda-12.4 12.4.1", "/usr/local/cuda-10.2 10.2.89",
                                             "/usr/local/cuda-11.0 11.0", "/usr/local/cuda-11.8 11.8",
                                             "/usr/local/cuda-13.0 13.0", "/usr/local/cuda-9.0 "});
}

}  // namespace
}  // namespace cudald
