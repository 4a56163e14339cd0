#include <doctest/doctest.h>

#include "machine/survey/survey.h"
#include "unit/machine/survey/surveyed.h"

namespace cudald {
namespace {

TEST_CASE("the libraries and frameworks of an environment, by their files") {
  const auto stack = look(healthy());
  CHECK(copies(stack) ==
        std::vector<std::string>{"cudart 12.8 prefix " + site +
                                 "/nvidia/cuda_runtime/lib/libcudart.so.12 of nvidia-cuda-runtime-cu12"});
  REQUIRE(stack.frameworks.size() == 3);
  CHECK(stack.frameworks[0].package.name == "onnxruntime-gpu");
  CHECK(stack.frameworks[0].cuda == "");  // the table's row is not verified
  CHECK(stack.frameworks[1].package.name == "tensorflow");
  CHECK(stack.frameworks[1].cuda == "11.2");
  CHECK(stack.frameworks[1].cudnn == "8");
  CHECK(stack.frameworks[2].cuda == "12.8");
  CHECK(stack.frameworks[2].cudnn == "9.10.2");
  CHECK(stack.frameworks[2].known_by == site + "/torch/version.py");
  CHECK(stack.driver.version == "");
  CHECK(stack.remarks.empty());
  CHECK(cuda_folders(stack) == std::vector<std::string>{site + "/nvidia/cuda_runtime/lib"});
}

/// "NAME VERSION: CUDA/CUDNN by FILE" of each framework of a folder with these files.
std::string found(const std::vector<std::pair<std::string, std::string>>& members) {
  MemoryFileSystem files;
  files.add_folder("/s");
  for (const auto& [name, text] : members) files.add_file("/s/" + name, text);
  std::string all;
  for (const auto& one : find_frameworks(files, "/s", *built_in_knowledge()))
    all += one.package.name + " " + one.package.version + ": " + one.cuda + "/" + one.cudnn +
           (one.known_by.starts_with("/s/") ? " by " + one.known_by.substr(3) : "") + "\n";
  return all;
}

TEST_CASE("a framework is known by its folder of metadata, and no other name of it") {
  CHECK(found({{"mxnet-0.1.dist-info/METADATA", ""}}) == "mxnet 0.1: /\n");
  for (const auto* other : {"mxnet-0.1.egg-info/x", "mxnet-0.1.dist-info.old/x", "mxnet-0.1/long-enough", "mxnet/x",
                            "mxnet.dist-info/x", "unmxnet-0.1.dist-info/x", "mxnets-0.1.dist-info/x"}) {
    CAPTURE(other);
    CHECK(found({{other, ""}}).empty());
  }
  CHECK(found({{"cupy_cuda12x-0.1.dist-info/x", ""},
               {"jax_cuda12_plugin-0.1.dist-info/x", ""},
               {"cudf_cu12-0.1.dist-info/x", ""},
               {"cuml_cu12-0.1.dist-info/x", ""}}) ==
        "cudf-cu12 0.1: /\ncuml-cu12 0.1: /\ncupy-cuda12x 0.1: 12/\njax-cuda12-plugin 0.1: /\n");
}

TEST_CASE("a framework says itself for which CUDA it was built, in a file of its own") {
  const auto torch = [](const std::string& text) {
    return found({{"torch-0.1.dist-info/x", ""}, {"torch/version.py", text}});
  };
  const std::string by = " by torch/version.py\n";
  CHECK(torch("cuda = '12.8'\n") == "torch 0.1: 12.8/" + by);
  CHECK(torch("hip = None\ncuda: Optional[str] = \"12.8\"\n") == "torch 0.1: 12.8/" + by);
  CHECK(torch("cuda='12.8'") == "torch 0.1: 12.8/" + by);
  CHECK(torch("cuda = None\n") == "torch 0.1: /\n");
  CHECK(torch("cuda = None\nx = '1'\n") == "torch 0.1: /\n");
  CHECK(torch("not_cuda = '1'\ncudas = '2'\n") == "torch 0.1: /\n");
  CHECK(torch("") == "torch 0.1: /\n");
  const auto tensorflow = [](const std::string& text) {
    return found({{"tensorflow-0.1.dist-info/x", ""}, {"tensorflow/python/platform/build_info.py", text}});
  };
  const std::string by_info = " by tensorflow/python/platform/build_info.py\n";
  CHECK(tensorflow("build_info = collections.OrderedDict([('cuda_version', '11.2'), ('cudnn_version', '8')])\n") ==
        "tensorflow 0.1: 11.2/8" + by_info);
  CHECK(tensorflow("x = {\"cuda_version\": \"64_112\", \"cudnn_version\": \"64_8\"}\n") ==
        "tensorflow 0.1: 11.2/8" + by_info);
  CHECK(tensorflow("('cuda_version',\n '11.2')") == "tensorflow 0.1: /\n");
  CHECK(found({{"onnxruntime_gpu-0.1.dist-info/x", ""},
               {"onnxruntime/capi/build_and_package_info.py", "cuda_version = \"12.4\"\n"}}) ==
        "onnxruntime-gpu 0.1: 12.4/ by onnxruntime/capi/build_and_package_info.py\n");
  // The file of one framework is nothing to another.
  CHECK(found({{"torchvision-0.1.dist-info/x", ""}, {"torch/version.py", "cuda = '12.8'\n"}}) ==
        "torchvision 0.1: /\n");
}

TEST_CASE("the first version in a text has a dot, and none at its end") {
  struct Row {
    std::string_view text, version;
  };
  for (const auto& [text, version] : {
           Row{"NVRM version: NVIDIA UNIX x86_64 Kernel Module  470.82.01  Wed Oct 27", "470.82.01"},
           Row{"535.104.05", "535.104.05"},
           Row{"12 and 13.0.", "13.0"},
           Row{"so.1. then 2.5", "2.5"},
           Row{"1...", ""},
           Row{"12", ""},
           Row{"", ""},
           Row{"x1.2y3.4", "1.2"},
       }) {
    const auto& seen_text = text;
    CAPTURE(seen_text);
    CHECK(first_version(text) == version);
  }
}

TEST_CASE("what a framework does not say the table does, for the build of its release and no other") {
  const auto torch = [](const std::string& version, const std::string& text = "") {
    return found({{"torch-" + version + ".dist-info/x", ""}, {"torch/version.py", text}});
  };
  const std::string by = " by torch/version.py\n";
  CHECK(torch("2.9.1") == "torch 2.9.1: 12.8/9.10.2\n");
  CHECK(torch("2.9.1+cpu") == "torch 2.9.1+cpu: /\n");
  CHECK(torch("2.9.1+cu128", "cuda = '12.8'\n") == "torch 2.9.1+cu128: 12.8/9.10.2" + by);
  CHECK(torch("2.9.1+cu126", "cuda = '12.6'\n") == "torch 2.9.1+cu126: 12.6/" + by);
  MemoryFileSystem files;
  files.add_file("/s/torch-2.9.1.dist-info/x", "");
  const auto frameworks = find_frameworks(files, "/s", *built_in_knowledge());
  REQUIRE(frameworks.size() == 1);
  CHECK(frameworks[0].known_by.starts_with("table: "));
}

TEST_CASE("a version of Windows has its point before its last digit; of two lines the first that assigns counts") {
  const auto tensorflow = [](const std::string& cuda) {
    return found({{"tensorflow-0.1.dist-info/x", ""},
                  {"tensorflow/python/platform/build_info.py", "('cuda_version', '" + cuda + "')\n"}});
  };
  const std::string by = " by tensorflow/python/platform/build_info.py\n";
  CHECK(tensorflow("64_110") == "tensorflow 0.1: 11.0/" + by);
  CHECK(tensorflow("64_12") == "tensorflow 0.1: 12/" + by);
  CHECK(tensorflow("12.5.1") == "tensorflow 0.1: 12.5.1/" + by);
  CHECK(found({{"torch-0.1.dist-info/x", ""}, {"torch/version.py", "cuda\ncuda = '1.5'\ncuda = '2.5'\n"}}) ==
        "torch 0.1: 1.5/ by torch/version.py\n");
}

TEST_CASE("a folder that cannot be listed has no frameworks, and texts are read while all are 16 megabytes at most") {
  CHECK(find_frameworks(MemoryFileSystem(), "/none", *built_in_knowledge()).empty());
  const auto text = [](std::size_t size) {
    std::string all = "cuda = '12.8'\n";
    all.resize(size, '#');
    return all;
  };
  constexpr std::size_t most = 4 << 20;
  const auto told = [&](bool with_another) {
    std::vector<std::pair<std::string, std::string>> members{{"torch/version.py", text(most)}};
    for (const auto* version : {"0.1", "0.2", "0.3", "0.4"})
      members.emplace_back("torch-" + std::string(version) + ".dist-info/x", "");
    if (!with_another) return found(members);
    members.emplace_back("tensorflow-0.1.dist-info/x", "");
    members.emplace_back("tensorflow/python/platform/build_info.py", "cuda_version = '11.2'\n");
    return found(members);
  };
  const std::string by = " by torch/version.py\n";
  const std::string three = "torch 0.1: 12.8/" + by + "torch 0.2: 12.8/" + by + "torch 0.3: 12.8/" + by;
  CHECK(told(false) == three + "torch 0.4: 12.8/" + by);
  CHECK(told(true) == "tensorflow 0.1: 11.2/ by tensorflow/python/platform/build_info.py\n" + three + "torch 0.4: /\n");
  CHECK(found({{"torch-0.1.dist-info/x", ""}, {"torch/version.py", text(most)}}) == "torch 0.1: 12.8/" + by);
  CHECK(found({{"torch-0.1.dist-info/x", ""}, {"torch/version.py", text(most + 1)}}) == "torch 0.1: /\n");
}

TEST_CASE("a name that is not assigned to is looked for in quotes, and one without quotes behind it says nothing") {
  const auto torch = [](const std::string& text) {
    return found({{"torch-0.1.dist-info/x", ""}, {"torch/version.py", text}});
  };
  const std::string none = "torch 0.1: /\n", by = " by torch/version.py\n";
  CHECK(torch("cuda: Optional[str]\n") == none);
  CHECK(torch("cuda\n") == none);
  CHECK(torch("x = 'cuda'") == none);
  CHECK(torch("cudaX = '12.8'\n") == none);
  CHECK(torch("xcuda = '12.8'\n") == none);
  CHECK(torch("cuda: Optional[str]\ncuda = '12.8'\n") == "torch 0.1: 12.8/" + by);
  CHECK(torch("cuda = None\n'cuda': '12.8'\n") == none);
  CHECK(torch("x = {\"cuda\": \"12.8\"}\n") == "torch 0.1: 12.8/" + by);
}

}  // namespace
}  // namespace cudald
