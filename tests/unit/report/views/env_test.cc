// The CUDA stack of a machine, on one page.

#include <string>
#include <utility>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cudald/cuda_stack.h>

#include "common/example_report.h"

namespace cudald {
namespace {

std::string env_words(const CudaStack& stack, int verbosity = 0) {
  auto style = plain_style();
  style.verbosity = verbosity;
  return written([&](std::ostream& out) { write_env(stack, style, out); });
}

std::string env_headline(const CudaStack& stack) {
  const auto text = env_words(stack, -1);
  return text.substr(0, text.size() - 1);
}

nlohmann::json env_document(const CudaStack& stack) {
  return nlohmann::json::parse(written([&](std::ostream& out) { write_env_json(stack, true, out); }));
}

CudaCopy copy_of(CudaKind kind, const std::string& path, const std::string& version, const std::string& part = "") {
  CudaCopy copy;
  copy.path = path;
  copy.name = path.substr(path.rfind('/') + 1);
  copy.library.kind = kind;
  copy.library.version = version;
  copy.library.part = part;
  return copy;
}

GpuFramework framework_of(const std::string& name, const std::string& cuda, const std::string& cudnn) {
  GpuFramework framework;
  framework.package = {name, "2.9.1"};
  framework.cuda = cuda;
  framework.cudnn = cudnn;
  return framework;
}

/// A machine that has some of everything.
CudaStack full_stack() {
  CudaStack stack;
  stack.prefix = "/venv";
  stack.platform = "linux-x86_64";
  stack.libc = "glibc 2.36";
  stack.x86_64_level = 3;
  stack.driver = {"470.256.02", "/lib/libcuda.so.1", "470.256.02", "/proc/driver/nvidia/version"};
  stack.gpu_models = {"NVIDIA A100"};
  stack.gpus = {{80, 0}, {90, 0}};
  stack.toolkits = {{"/usr/local/cuda-11.8", "11.8.0", "version.json"}, {"/usr/local/cuda", "", ""}};
  stack.frameworks = {framework_of("torch", "11.8", "8.7.0")};
  auto runtime = copy_of(CudaKind::cudart, "/venv/lib/cuda/libcudart.so.11.0", "11.8");
  runtime.place = StackPlace::prefix;
  runtime.package = PackageName{"nvidia-cuda-runtime-cu11", "11.8.89"};
  auto ops = copy_of(CudaKind::cudnn, "/venv/lib/cudnn/libcudnn_ops.so.9", "9.10.2", "ops");
  auto graph = copy_of(CudaKind::cudnn, "/venv/lib/cudnn/libcudnn_graph.so.9", "9.10.2", "graph");
  graph.library.built_for_cuda = "11.8";
  stack.copies = {runtime, ops, graph, copy_of(CudaKind::cublas, "/lib/libcublas.so.11", "11.11.3")};
  stack.variables = {{"CUDA_HOME", "/usr/local/cuda"}, {"LD_LIBRARY_PATH", "/opt/lib"}};
  stack.remarks = {"something is odd", "and something else"};
  return stack;
}

TEST_CASE("a machine is told on one page, its libraries by their folders") {
  CHECK(env_words(full_stack()) ==
        "driver 470.256.02 (CUDA 11.4 and older; by minor-version compatibility up to 11.8); CUDA runtime\n"
        "11.8; cuDNN 9.10.2; torch 2.9.1 for CUDA 11.8\n"
        "\n"
        "  system      linux-x86_64, glibc 2.36\n"
        "  driver      470.256.02                                                           /lib/libcuda.so.1\n"
        "  kernel      470.256.02                                                 /proc/driver/nvidia/version\n"
        "  GPU         NVIDIA A100\n"
        "  GPU         sm_80\n"
        "  GPU         sm_90\n"
        "  toolkit     /usr/local/cuda-11.8                                                       CUDA 11.8.0\n"
        "  toolkit     /usr/local/cuda                                                        version unknown\n"
        "  prefix      /venv\n"
        "  framework   torch 2.9.1                                                 for CUDA 11.8, cuDNN 8.7.0\n"
        "  libraries   lib/cuda                                              nvidia-cuda-runtime-cu11 11.8.89\n"
        "              CUDA runtime 11.8\n"
        "  libraries   lib/cudnn                                                             system directory\n"
        "              cuDNN 9.10.2, built for CUDA 11.8 (ops, graph)\n"
        "  libraries   /lib                                                                  system directory\n"
        "              cuBLAS 11.11.3\n"
        "  variable    CUDA_HOME=/usr/local/cuda\n"
        "  variable    LD_LIBRARY_PATH=/opt/lib\n"
        "  remark      something is odd\n"
        "  remark      and something else\n");
}

TEST_CASE("quiet, only the first line is told") {
  const auto all = env_words(full_stack());
  CHECK(env_words(full_stack(), -1) == all.substr(0, all.find("\n\n") + 1));
  CHECK(env_words(full_stack(), 1) == all);
}

TEST_CASE("a machine that has nothing says so") {
  CHECK(env_words({}) == "no NVIDIA driver; no CUDA library\n\n  system      no loader of glibc is here\n");
  CudaStack stack;
  stack.platform = "linux-x86_64";
  CHECK(env_words(stack) == "no NVIDIA driver; no CUDA library\n\n  system      linux-x86_64\n");
  stack.frameworks = {framework_of("torch", "", "")};
  CHECK(env_headline(stack) == "no NVIDIA driver");
  stack.frameworks.clear();
  stack.copies = {copy_of(CudaKind::cublas, "/lib/libcublas.so.11", "11.11.3")};
  CHECK(env_headline(stack) == "no NVIDIA driver");
}

TEST_CASE("a driver is told with the CUDA that it came with, and how far minor versions reach") {
  CudaStack stack;
  stack.driver.version = "470.256.02";
  CHECK(env_headline(stack) ==
        "driver 470.256.02 (CUDA 11.4 and older; by minor-version compatibility up to 11.8); no CUDA library");
  stack.driver.version = "520.61.05";
  CHECK(env_headline(stack) == "driver 520.61.05 (CUDA 11.8 and older); no CUDA library");
  stack.driver.version = "1.2";
  CHECK(env_headline(stack) == "driver 1.2; no CUDA library");
  stack.driver.version.clear();
  stack.driver.module_version = "520.61.05";
  CHECK(env_headline(stack) == "driver 520.61.05 (CUDA 11.8 and older), without its libcuda.so.1; no CUDA library");
  stack.driver.version = "470.256.02";
  CHECK(env_headline(stack).starts_with("driver 470.256.02 (CUDA 11.4"));
}

TEST_CASE("the headline has each version once, by age, and only those that bytes tell in full") {
  CudaStack stack;
  const auto add = [&](CudaKind kind, const std::string& version) {
    stack.copies.push_back(copy_of(kind, "/lib/libx.so", version));
    return env_headline(stack);
  };
  const std::string begin = "no NVIDIA driver";
  CHECK(add(CudaKind::cudart, "12") == begin);
  CHECK(add(CudaKind::cudart, "12.10") == begin + "; CUDA runtime 12.10");
  CHECK(add(CudaKind::cudart, "12.10") == begin + "; CUDA runtime 12.10");
  CHECK(add(CudaKind::cudart, "12.8") == begin + "; CUDA runtime 12.8 and 12.10");
  CHECK(add(CudaKind::cudart, "11.8") == begin + "; CUDA runtime 11.8, 12.8 and 12.10");
  CHECK(add(CudaKind::cudnn, "9.10.2") == begin + "; CUDA runtime 11.8, 12.8 and 12.10; cuDNN 9.10.2");
  stack.copies.clear();
  stack.frameworks = {framework_of("torch", "12.8", ""), framework_of("jax", "", "9.8.0")};
  CHECK(env_headline(stack) == begin + "; torch 2.9.1 for CUDA 12.8");
}

TEST_CASE("a framework is told with what it is built for, as far as that is known") {
  CudaStack stack;
  const auto line = [&](const std::string& cuda, const std::string& cudnn) {
    stack.frameworks = {framework_of("torch", cuda, cudnn)};
    const auto text = env_words(stack);
    const auto at = text.find("  framework");
    return text.substr(at, text.find('\n', at) - at);
  };
  const std::string begin = "  framework   torch 2.9.1";
  CHECK(line("", "") == begin);
  const auto ends = [&](const std::string& found, const std::string& end) {
    return found.starts_with(begin + "   ") && found.ends_with("   " + end) && found.size() == 100;
  };
  CHECK(ends(line("12.8", ""), "for CUDA 12.8"));
  CHECK(ends(line("", "9.8.0"), "for cuDNN 9.8.0"));
  CHECK(ends(line("12.8", "9.8.0"), "for CUDA 12.8, cuDNN 9.8.0"));
}

TEST_CASE("copies are grouped by folder and by whom they are from, and folders of the prefix are told without it") {
  CudaStack stack;
  stack.prefix = "/venv";
  auto first = copy_of(CudaKind::cudart, "/venv/lib/libcudart.so.11.0", "11.8");
  first.place = StackPlace::prefix;
  auto second = first, third = first, fourth = first;
  second.library.kind = CudaKind::cublas;
  second.package = PackageName{"nvidia-cublas-cu11", "11.11.3.6"};
  third.path = "/venv2/lib/libcudart.so.11.0";
  third.place = StackPlace::ld_library_path;
  fourth.path = "/venv2/lib/libcudart.so.11";
  fourth.place = StackPlace::ld_library_path;
  stack.copies = {first, second, third, first, fourth};
  CHECK(env_words(stack) ==
        "no NVIDIA driver; CUDA runtime 11.8\n"
        "\n"
        "  system      no loader of glibc is here\n"
        "  prefix      /venv\n"
        "  libraries   lib                                                                             prefix\n"
        "              CUDA runtime 11.8\n"
        "  libraries   lib                                                       nvidia-cublas-cu11 11.11.3.6\n"
        "              cuBLAS 11.8\n"
        "  libraries   /venv2/lib                                                             LD_LIBRARY_PATH\n"
        "              CUDA runtime 11.8\n");
}

TEST_CASE("where a copy lies has a word for each place") {
  const std::pair<StackPlace, std::string> rows[] = {{StackPlace::ld_library_path, "LD_LIBRARY_PATH"},
                                                     {StackPlace::cache, "ld.so.cache"},
                                                     {StackPlace::system_folder, "system directory"},
                                                     {StackPlace::toolkit, "toolkit"},
                                                     {StackPlace::prefix, "prefix"}};
  for (const auto& [place, words] : rows) {
    CudaStack stack;
    stack.copies = {copy_of(CudaKind::cudart, "/opt/libcudart.so.12", "12.8")};
    stack.copies[0].place = place;
    const auto& seen_words = words;
    CAPTURE(seen_words);
    CHECK(env_words(stack).find("  " + words + "\n              CUDA runtime 12.8\n") != std::string::npos);
  }
}

TEST_CASE("parts of cuDNN go together, by the longest version and what one of them was built for") {
  CudaStack stack;
  const auto words = [&] {
    const auto text = env_words(stack);
    const auto at = text.find("libraries");
    const auto begin = text.find('\n', at) + 1;
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  stack.copies = {copy_of(CudaKind::cudnn, "/lib/a", "9")};
  CHECK(words() == "              cuDNN 9");
  stack.copies.push_back(copy_of(CudaKind::cudnn, "/lib/b", "9.10.2", "ops"));
  CHECK(words() == "              cuDNN 9.10.2 (ops)");
  stack.copies.push_back(copy_of(CudaKind::cudnn, "/lib/c", "9.10", "graph"));
  stack.copies.back().library.built_for_cuda = "12.9";
  stack.copies.push_back(copy_of(CudaKind::cudart, "/lib/d", "12.9"));
  CHECK(words() == "              CUDA runtime 12.9; cuDNN 9.10.2, built for CUDA 12.9 (ops, graph)");
}

TEST_CASE("the document has all of it") {
  CHECK(env_document(full_stack()).dump() ==
        R"({"driver":{"known_by":"/lib/libcuda.so.1","module_known_by":"/proc/driver/nvidia/version",)"
        R"("module_version":"470.256.02","version":"470.256.02"},"frameworks":[{"cuda":"11.8",)"
        R"("cudnn":"8.7.0","known_by":null,"name":"torch","version":"2.9.1"}],"gpu_models":["NVIDIA A100"],)"
        R"("gpus":["sm_80","sm_90"],)"
        R"("headline":"driver 470.256.02 (CUDA 11.4 and older; by minor-version compatibility up to 11.8); CU)"
        R"(DA runtime 11.8; cuDNN 9.10.2; torch 2.9.1 for CUDA 11.8","isa":"x86-64-v3","libc":"glibc 2.36",)"
        R"("libraries":[{"cuda":{"built_for_cuda":null,"evidence":[],"kind":"cudart","part":null,)"
        R"("release":null,"static":false,"stub":false,"version":"11.8"},"name":"libcudart.so.11.0",)"
        R"("package":{"name":"nvidia-cuda-runtime-cu11","version":"11.8.89"},)"
        R"("path":"/venv/lib/cuda/libcudart.so.11.0","place":"prefix"},{"cuda":{"built_for_cuda":null,)"
        R"("evidence":[],"kind":"cudnn","part":"ops","release":null,"static":false,"stub":false,)"
        R"("version":"9.10.2"},"name":"libcudnn_ops.so.9","package":null,)"
        R"("path":"/venv/lib/cudnn/libcudnn_ops.so.9","place":"system-folder"},)"
        R"({"cuda":{"built_for_cuda":"11.8","evidence":[],"kind":"cudnn","part":"graph","release":null,)"
        R"("static":false,"stub":false,"version":"9.10.2"},"name":"libcudnn_graph.so.9","package":null,)"
        R"("path":"/venv/lib/cudnn/libcudnn_graph.so.9","place":"system-folder"},)"
        R"({"cuda":{"built_for_cuda":null,"evidence":[],"kind":"cublas","part":null,"release":null,)"
        R"("static":false,"stub":false,"version":"11.11.3"},"name":"libcublas.so.11","package":null,)"
        R"("path":"/lib/libcublas.so.11","place":"system-folder"}],"platform":"linux-x86_64",)"
        R"("prefix":"/venv","remarks":["something is odd","and something else"],"schema":"cudald/env",)"
        R"("schema_version":"1.0","sysroot":"/","toolkits":[{"known_by":"version.json",)"
        R"("path":"/usr/local/cuda-11.8","version":"11.8.0"},{"known_by":null,"path":"/usr/local/cuda",)"
        R"("version":null}],"variables":{"CUDA_HOME":"/usr/local/cuda","LD_LIBRARY_PATH":"/opt/lib"}})");
}

TEST_CASE("what is not there is null or empty in the document") {
  CHECK(env_document({}).dump() ==
        R"({"driver":{"known_by":null,"module_known_by":null,"module_version":null,"version":null},)"
        R"("frameworks":[],"gpu_models":[],"gpus":[],"headline":"no NVIDIA driver; no CUDA library",)"
        R"("isa":null,"libc":null,"libraries":[],"platform":null,"prefix":null,"remarks":[],)"
        R"("schema":"cudald/env","schema_version":"1.0","sysroot":"/","toolkits":[],"variables":{}})");
}

TEST_CASE("names of files are harmless on a terminal") {
  auto stack = full_stack();
  const std::string bad = "\x1b[31m";
  stack.toolkits[0].path += bad;
  stack.copies[0].path = "/venv/" + bad + "/x";
  stack.variables[0].second = stack.remarks[0] = stack.prefix = stack.gpu_models[0] = bad;
  stack.frameworks[0].package.name = stack.driver.known_by = stack.driver.module_known_by = bad;
  CHECK(env_words(stack).find('\x1b') == std::string::npos);
}

}  // namespace
}  // namespace cudald
