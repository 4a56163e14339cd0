#include <doctest/doctest.h>

#include <cudald/finding.h>

#include <regex>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "common/built_in.h"
#include "embedded.h"
#include "knowledge/frameworks.h"
#include "knowledge/gpu_use.h"
#include "knowledge/knowledge.h"
#include "knowledge/tables.h"

using namespace cudald;
using nlohmann::json;

namespace {

/// Every row says where it is from and when that was checked.
void check_rows(const json& rows) {
  static const std::regex day("20[0-9]{2}-[01][0-9]-[0-3][0-9]");
  REQUIRE_FALSE(rows.empty());
  for (const auto& row : rows) {
    CAPTURE(row.dump());
    CHECK(row.at("source").get<std::string>().size() > 5);
    CHECK(std::regex_match(row.at("checked").get<std::string>(), day));
  }
}

}  // namespace

TEST_SUITE("tables of knowledge") {
  TEST_CASE("what libraries open by themselves") {
    const auto table = parse_table(embedded_known_dlopens());
    CHECK(table.at("schema") == "cudald/known-dlopens");
    check_rows(table.at("rows"));
    std::set<std::string> askers;
    for (const auto& row : table.at("rows")) {
      const bool on_windows = row.contains("file");
      CHECK(row.contains("libraries") != on_windows);
      for (const std::string asker : on_windows ? json::array({row.at("file")}) : row.at("libraries"))
        CHECK(askers.insert(asker).second);
      CHECK_FALSE(row.at("without").get<std::string>().empty());
      for (const auto& ask : row.at("asks")) {
        CAPTURE(ask.dump());
        CHECK((ask.at("at") == "load" || ask.at("at") == "use"));
        CHECK(ask.at("gpu").is_boolean());
        // What a name is made of is a value of the row.
        const auto name = ask.at("name").get<std::string>();
        if (const auto open = name.find('{');
            open != std::string::npos && !name.starts_with("{site}/") && !name.starts_with("{folder}/"))
          CHECK(row.at("values").contains(name.substr(open + 1, name.find_first_of(".}", open) - open - 1)));
      }
    }
  }

  TEST_CASE("each table tells its day") {
    const auto days = table_days(*built_in_knowledge());
    CHECK(days.size() > 15);
    for (const auto& [table, day] : days) {
      const auto& seen_table = table;
      CAPTURE(seen_table);
      CHECK(day.size() == 10);
      CHECK(day.starts_with("20"));
    }
  }

  TEST_CASE("packages that bring or use CUDA as a framework") {
    const auto table = parse_table(embedded_frameworks());
    CHECK(table.at("schema") == "cudald/frameworks");
    check_rows(table.at("rows"));
    for (const auto& framework : framework_packages()) {
      CAPTURE(framework.module);
      CHECK_FALSE(framework.distributions.empty());
      CHECK((framework.folder.empty() || !framework.folder.ends_with('/')));
      CHECK((!framework.maps || (!framework.libraries.empty() && !framework.folder.empty())));
      CHECK(framework.built_for.file.empty() == framework.built_for.cuda.empty());
    }
  }

  TEST_CASE("a distribution whose version is a release of CUDA or cuDNN is known by its installer's name for it") {
    CHECK(states_release(ReleaseOf::cuda, "nvidia-cuda-runtime-cu12", false));
    CHECK(states_release(ReleaseOf::toolkit, "cuda-toolkit", false));
    CHECK_FALSE(states_release(ReleaseOf::cuda, "cuda-toolkit", false));
    CHECK(states_release(ReleaseOf::cuda, "cudatoolkit", true));
    CHECK_FALSE(states_release(ReleaseOf::cuda, "cudatoolkit", false));
    CHECK_FALSE(states_release(ReleaseOf::cuda, "cuda-toolkit", true));
    CHECK(states_release(ReleaseOf::cudnn, "nvidia-cudnn-cu12", false));
    CHECK(states_release(ReleaseOf::cudnn, "cudnn", true));
    CHECK_FALSE(states_release(ReleaseOf::cudnn, "nvidia-cuda-runtime", false));
  }

  TEST_CASE("a distribution in any spelling, a path and a library each lead to their framework") {
    const auto module_of = [](const FrameworkPackage* framework) { return framework ? framework->module : ""; };
    const auto of = [&](std::string_view name) { return module_of(framework_of_distribution(name)); };
    CHECK(of("torch") == "torch");
    CHECK(of("Tensorflow_CPU") == "tensorflow");
    CHECK(of("cupy-cuda12x") == "cupy");
    CHECK(of("jax_cuda12_plugin") == "jax");
    CHECK(of("torch-scatter") == "");
    CHECK(of("onnxruntime-directml") == "");
    const auto maps = [&](std::string_view path) { return module_of(framework_that_maps(path)); };
    CHECK(maps("/v/lib/python3/site-packages/torch/lib/libc10_cuda.so") == "torch");
    CHECK(maps("/usr/lib/python3/dist-packages/tensorflow/libtensorflow_cc.so.2") == "tensorflow");
    CHECK(maps("/v/lib/python3/site-packages/torch/lib/libgomp.so.1") == "");
    CHECK(maps("/v/lib/python3/site-packages/torch/other/libtorch.so") == "");
    CHECK(maps("/v/site-packages/onnxruntime/capi/libonnxruntime_providers_cuda.so") == "");
    const auto has = [&](std::string_view name) { return module_of(framework_with_library(name)); };
    CHECK(has("libtorch_cpu.so") == "torch");
    CHECK(has("libc10.so") == "torch");
    CHECK(has("libtensorflow_framework.so.2") == "tensorflow");
    CHECK(has("libtorchtext.so") == "");
    CHECK(has("libonnxruntime.so.1") == "");  // its import maps none for others
    CHECK(is_framework_library("libpaddle.so"));
    CHECK_FALSE(is_framework_library("libcudart.so.12"));
  }

  TEST_CASE("through what packages use the GPU") {
    const auto table = parse_table(embedded_gpu_use());
    CHECK(table.at("schema") == "cudald/gpu-use");
    check_rows(table.at("rows"));
    for (const auto& row : table.at("rows"))
      for (const auto* key : {"module", "through", "extra", "require", "before", "lost"})
        CHECK_FALSE(row.at(key).get<std::string>().empty());
  }

  TEST_CASE("of several ways to the GPU the one that is imported counts") {
    const auto through = [](const std::string& imported) {
      return gpu_use_of("jax", [&](const std::string& module) { return module == imported; }, built_in())->through;
    };
    CHECK(through("jax_cuda12_plugin") == "jax_cuda12_plugin");
    CHECK(through("jax_cuda13_plugin") == "jax_cuda13_plugin");
    CHECK(through("") == "jax_cuda12_plugin");
    CHECK_FALSE(gpu_use_of("no_such_module", [](const std::string&) { return true; }, built_in()));
  }

  TEST_CASE("libraries of the driver are those that its installer lists") {
    for (const auto* name : {"libcuda.so.1", "libnvidia-encode.so.1", "libnvcuvid.so.1", "libnvoptix.so.1"})
      CHECK(is_driver_library(name));
    for (const auto* name : {"libcudart.so.12", "libnvidia-encode.so.2", "libnvinfer.so.10", ""})
      CHECK_FALSE(is_driver_library(name));
  }

  TEST_CASE("who prints which message") {
    const auto table = parse_table(embedded_messages());
    CHECK(table.at("schema") == "cudald/messages");
    check_rows(table.at("rows"));
    const std::set<std::string> kinds = {"soft", "hard", "gpu"},
                                names = {"library", "file",   "symbol", "version",    "module", "number",
                                         "first",   "second", "last",   "built_with", "text"};
    for (const auto& row : table.at("rows")) {
      CAPTURE(row.dump());
      CHECK(kinds.contains(row.at("kind").get<std::string>()));
      CHECK_FALSE(row.at("who").get<std::string>().empty());
      CHECK_FALSE(row.at("means").get<std::string>().empty());
      for (const auto& code : row.value("findings", std::vector<std::string>())) CHECK(find_rule(code) != nullptr);
      const auto text = row.at("text").get<std::string>();
      for (auto open = text.find('{'); open != std::string::npos; open = text.find('{', open + 1)) {
        const auto close = text.find('}', open);
        REQUIRE(close != std::string::npos);
        CHECK(names.contains(text.substr(open + 1, close - open - 1)));
      }
    }
  }
}

TEST_SUITE("tables of knowledge") {
  TEST_CASE("the day of a table is the latest that stands in it as a text, and tables come by their names") {
    const auto known = lay_over(*built_in_knowledge(), R"({"schema": "cudald/first-seen", "checked": "2030-01-02",
      "source": "s", "rows": [{"library": "l", "oldest": "1", "newest": "2", "releases": 2,
      "first": {"checked": ["9999-01-01"]}, "last": {}, "checked": "2031-01-02"}]})");
    REQUIRE(known.has_value());
    std::string names, day;
    for (const auto& each : table_days(**known)) {
      names += each.table + "\n";
      if (each.table == "first-seen") day = each.day;
    }
    CHECK(day == "2031-01-02");
    CHECK(names ==
          "changed-names\nconda-packages\ncuda, architectures\ncuda, builds\ncuda, driver\ncuda, driver_floor\ncuda, "
          "frameworks\n"
          "cuda, libraries\ncuda, "
          "shared_names\ndebian-libraries\nfirst-seen\nframeworks\ngpu-use\nknown-dlopens\nlinux-"
          "names\nmanylinux\nmessages\nmodule-names\nnewest-releases\nproviders\n"
          "python-rules\nrequirements\nsystem-packages\nsystem-releases\nwindows\n");
  }

  TEST_CASE("all of a way to the GPU is told") {
    const auto known = lay_over(*built_in_knowledge(), R"({"schema": "cudald/gpu-use", "checked": "2030-01-02",
      "source": "s", "proof": "a test", "rows": [
        {"module": "m", "through": "t", "extra": "e", "require": "r", "before": "b", "lost": "l"},
        {"module": "m", "through": "t2", "extra": "e2", "require": "r2", "before": "b2", "lost": "l2"}]})");
    REQUIRE(known.has_value());
    const auto use = [&](const std::string& imported) {
      const auto found = gpu_use_of("m", [&](const std::string& module) { return module == imported; }, **known);
      REQUIRE(found.has_value());
      return found->through + found->extra + found->require + found->before + found->lost + found->source;
    };
    CHECK(use("t") == "terbls");
    CHECK(use("t2") == "t2e2r2b2l2s");
    CHECK(use("other") == "terbls");
  }

  TEST_CASE("names of the driver's libraries and of CUDA's") {
    for (const auto* name :
         {"libcuda.so.1", "libcudadebugger.so.1", "libnvcuvid.so.1", "libnvidia-cfg.so.1", "libnvidia-encode.so.1",
          "libnvidia-fbc.so.1", "libnvidia-ml.so.1", "libnvidia-nvvm.so.4", "libnvidia-opencl.so.1",
          "libnvidia-opticalflow.so.1", "libnvidia-ptxjitcompiler.so.1", "libnvoptix.so.1"})
      CHECK_MESSAGE(is_driver_library(name), name);
    for (const auto* name :
         {"libcuda.so.1",     "libcudart.so.12", "cudart64_12.dll", "libcublasLt.so.12", "libcudnn_ops.so.9",
          "libcufft.so",      "libcurand.so",    "libcusolver.so",  "libcusparse.so",    "libcupti.so",
          "libcufile.so",     "libcutensor.so",  "libnvrtc.so",     "libnvJitLink.so",   "nvjitlink_120_0.dll",
          "libnvToolsExt.so", "libnvinfer.so",   "nvcuda.dll",      "libnvidia-ml.so.1", "libnccl.so.2",
          "libnvshmem.so"})
      CHECK_MESSAGE(is_cuda_library_name(name), name);
    for (const auto* name : {"libcudax.so", "cuda", "libnvidia-encode.so.1", "xlibcudart.so", "libc.so.6", "lib", ""})
      CHECK_MESSAGE(!is_cuda_library_name(name), name);
  }
}
