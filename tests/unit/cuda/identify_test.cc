#include <cudald/cuda_library.h>
#include <cudald/image.h>

#include "common/built_in.h"
#include "common/pe_builder.h"
#include "unit/cuda/library_file.h"
#include "unit/image/image_of.h"

namespace cudald {
namespace {

/// "cudart 11.8", "cudnn 9.10.2 graph for 12.9", "driver stub"; "-" for no library of CUDA.
std::string words(const std::optional<CudaLibrary>& library) {
  if (!library) return "-";
  std::string text(to_string(library->kind));
  if (!library->version.empty()) text += " " + library->version;
  if (!library->part.empty()) text += " " + library->part;
  if (!library->built_for_cuda.empty()) text += " for " + library->built_for_cuda;
  if (library->stub) text += " stub";
  if (library->is_static) text += " static";
  return text;
}

std::optional<CudaLibrary> identified(const std::string& bytes) {
  MemoryFileSystem files;
  files.add_file("/file", bytes);
  const auto file = files.open("/file");
  const auto image = read_image(**file);
  REQUIRE(image);
  return identify(**file, **image, built_in());
}

std::string words_of(const LibrarySpec& spec) { return words(identified(library(spec))); }

TEST_CASE("a runtime is known by its version node and functions, and dated by what it answers") {
  const LibrarySpec spec{
      "libcudart.so.11.0", "libcudart.so.11.0", {{"cudaRuntimeGetVersion", store(11080)}, {"cudaGetDeviceCount", ""}}};
  CHECK(words_of(spec) == "cudart 11.8");
  const auto found = identified(library(spec));
  REQUIRE(found);
  CHECK(found->major == 11);
  CHECK(found->evidence == std::vector<std::string>{"defines the version libcudart.so.11.0",
                                                    "exports cudaRuntimeGetVersion", "exports cudaGetDeviceCount",
                                                    "its function cudaRuntimeGetVersion answers 11080"});

  auto renamed = spec;
  renamed.soname = "libcudart-e409450e.so.11.0";
  CHECK(words_of(renamed) == "cudart 11.8");
  renamed.version_node = "";
  CHECK(words_of(renamed) == "cudart 11.8");
  renamed.soname = "libfoo.so";
  CHECK(words_of(renamed) == "cudart 11.8");
  renamed.hash = ElfHash::sysv;
  CHECK(words_of(renamed) == "cudart 11.8");
}

TEST_CASE("a file that only bears the name is no runtime") {
  CHECK(words_of({"libcudart.so.11.0", "libcudart.so.11.0", {{"foo", answer(11080)}}}) == "-");
  CHECK(words_of({"libfoo.so", "", {{"cudaRuntimeGetVersion", store(11080)}}}) == "-");
  CHECK(words(identified("no library")) == "-");
  CHECK(is_named_like_cuda(*image_of({.soname = "libcudart.so.12"})));
  CHECK_FALSE(is_named_like_cuda(*image_of({.soname = "libcudadevrt.so"})));
  CHECK_FALSE(is_named_like_cuda(*image_of({.soname = "libcudart.so.old"})));
  CHECK_FALSE(is_named_like_cuda(*image_of({.soname = "libtorch_cuda.so"})));
}

TEST_CASE("the number may stand in a function that is called; two numbers are no answer") {
  // push rax; call +1024 - 6; ret
  std::string call = "\x50\xe8";
  append(call, std::uint32_t{1024 - 6});
  const auto answering = [](const std::string& code, const std::string& callee) {
    return words_of(
        {"libcudart.so.12", "libcudart.so.12", {{"cudaRuntimeGetVersion", code}, {"cudaGetDeviceCount", callee}}});
  };
  CHECK(answering(call + "\xc3", store(12040)) == "cudart 12.4");
  CHECK(answering(store(12040) + store(12030), "") == "cudart 12");
  CHECK(answering(store(11080), "") == "cudart 12");
  CHECK(answering("", "") == "cudart 12");
  CHECK(answering("\xc7\x87", "") == "cudart 12");
}

TEST_CASE("the code of AArch64 is read as well") {
  std::string code;
  append(code, std::uint32_t{0x528c7b00});  // mov w0, #0x63d8 (25560)
  append(code, std::uint32_t{0x72a00020});  // movk w0, #1, lsl 16: 91096
  append(code, std::uint32_t{0xd65f03c0});  // ret
  CHECK(words_of({"libcudnn_graph.so.9", "libcudnn_graph.so.9", {{"cudnnGetVersion", code}}, EM_AARCH64}) ==
        "cudnn 9.10.96 graph");
}

TEST_CASE("cuDNN's parts say their release in different ways, its front library says none") {
  CHECK(words_of({"libcudnn_graph.so.9",
                  "libcudnn_graph.so.9",
                  {{"cudnnGetVersion", answer(91002)}, {"cudnnGetCudartVersion", answer(12090)}}}) ==
        "cudnn 9.10.2 graph for 12.9");
  CHECK(words_of({"libcudnn_ops_infer.so.8", "libcudnn_ops_infer.so.8", {{"cudnnGetVersion", answer(8906)}}}) ==
        "cudnn 8.9.6 ops_infer");
  CHECK(
      words_of({"libcudnn_cnn_train.so.8", "libcudnn_cnn_train.so.8", {{"cudnnCnnTrainVersionCheck", store(8500)}}}) ==
      "cudnn 8.5.0 cnn_train");
  CHECK(words_of({"libcudnn_adv.so.9",
                  "libcudnn_adv.so.9",
                  {{"cudnn_adv_infer_version", std::string("\x02\x0a\x09\0", 4)}}}) == "cudnn 9.10.2 adv");
  CHECK(words_of({"libcudnn.so.8", "libcudnn.so.8", {{"cudnnGetVersion", "\xc3"}}}) == "cudnn 8");
  CHECK(words_of({"libcudnn.so.7", "libcudnn.so.7", {{"cudnnGetVersion", answer(7605)}}}) == "cudnn 7.6.5");
  CHECK(words_of({"", "", {{"cudnnGetVersion", answer(8204)}}}) == "cudnn 8.2.4");
}

TEST_CASE("the other libraries") {
  CHECK(words_of({"libcublasLt.so.12",
                  "libcublasLt.so.12",
                  {{"cublasLtCreate", ""}, {"cublasLtMatmul", ""}, {"cublasLtGetVersion", answer(120804)}}}) ==
        "cublasLt 12.8.4");
  CHECK(words_of({"libcublas.so.12", "libcublas.so.12", {{"cublasCreate_v2", ""}, {"cublasDgemm_v2", ""}}}) ==
        "cublas 12");
  CHECK(words_of({"libcufft.so.10", "libcufft.so.10", {{"cufftGetVersion", store(10900)}, {"cufftExecC2C", ""}}}) ==
        "cufft 10.9.0");
  CHECK(words_of({"libnccl.so.2", "", {{"ncclGetVersion", store(22705)}, {"ncclAllReduce", ""}}}) == "nccl 2.27.5");
  CHECK(words_of({"libnccl.so.2",
                  "",
                  {{"ncclGetVersion", store(22705)}, {"ncclAllReduce", "NCCL version 2.27.5+cuda12.9"}}}) ==
        "nccl 2.27.5 for 12.9");
  CHECK(words_of({"libnccl.so.2", "", {{"ncclGetVersion", store(2804)}, {"ncclAllReduce", ""}}}) == "nccl 2.8.4");
  CHECK(words_of({"libnvrtc.so.12",
                  "libnvrtc.so.12",
                  {{"nvrtcVersion", store(12) + store(8, '\x06')}, {"nvrtcCompileProgram", ""}}}) == "nvrtc 12.8");
  CHECK(words_of({"libnvrtc-builtins.so.12.8", "libnvrtc-builtins.so.12.8", {}}) == "nvrtc-builtins 12.8");
  CHECK(words_of({"libcuda.so.1", "", {{"cuInit", answer(34)}, {"cuDriverGetVersion", answer(34)}}}) == "driver stub");
  CHECK(words_of({"libcuda.so.1", "", {{"cuInit", answer(34) + answer(3)}, {"cuDriverGetVersion", ""}}}) == "driver");
  CHECK(words_of({"libcuda.so.1",
                  "",
                  {{"cuInit", ""},
                   {"cuDriverGetVersion",
                    "/x/nvidia-application-profiles-rc\n"
                    "/x/nvidia-application-profiles-535.261.03-rc"}}}) == "driver 535.261.03");
}

TEST_CASE("a DLL is known by its own name, its sorted exports and its version resource") {
  const auto dll = [](const std::string& name, std::vector<ExportedFunction> exports, std::uint64_t version) {
    PeSpec spec;
    spec.name = name;
    spec.exports = std::move(exports);
    spec.resources = {{16, 1, version_resource(version, version)}};
    return words(identified(pe(spec)));
  };
  constexpr std::uint64_t of_11_8 = 0x0006'000e'000b'2b48, of_8_9_4 = 0x0008'0009'0004'0019;
  CHECK(dll("cudart64_110.dll", {{"cudaGetDeviceCount", 1}, {"cudaRuntimeGetVersion", 2}}, of_11_8) == "cudart 11.8");
  CHECK(dll("CUDART32_110.DLL", {{"cudaGetDeviceCount", 1}, {"cudaRuntimeGetVersion", 2}}, of_11_8) == "cudart 11.8");
  CHECK(dll("cudart64_12.dll", {{"cudaGetDeviceCount", 1}, {"cudaRuntimeGetVersion", 2}}, of_11_8) == "cudart 12");
  CHECK(dll("cudart64_110.dll", {{"cudaGetDeviceCount", 1}}, of_11_8) == "-");
  CHECK(dll("cudnn64_8.dll", {}, of_8_9_4) == "cudnn 8.9.4");
  CHECK(dll("cudnn_ops_infer64_8.dll", {}, of_8_9_4) == "cudnn 8.9.4 ops_infer");
  CHECK(dll("nvrtc-builtins64_118.dll", {}, 0) == "nvrtc-builtins 11.8");
  CHECK(dll("cudnnfoo.dll", {}, of_8_9_4) == "-");
}

TEST_CASE("a runtime linked into another library is found by a text of its error table") {
  const auto found_in = [](const std::string& bytes) {
    MemoryFileSystem files;
    files.add_file("/file", bytes);
    const auto file = files.open("/file");
    const auto image = read_image(**file);
    REQUIRE(image);
    return words(find_static_cudart(**file, **image));
  };
  const std::string text = "CUDA driver version is insufficient for CUDA runtime version";
  CHECK(found_in(library({"libfoo.so", "", {{"foo", text}}})) == "cudart static");
  CHECK(found_in(library({"libfoo.so", "", {{"foo", text.substr(1)}}})) == "-");
  const std::string code = "\x48\x85\xff\x74\x0b" + store(12050);
  CHECK(found_in(library({"libfoo.so", "", {{"foo", text}, {"bar", code}}})) == "cudart 12.5 static");
  CHECK(found_in(library({"libfoo.so", "", {{"foo", text}, {"bar", code + "\x48\x85\xff\x74\x0b" + store(12060)}}})) ==
        "cudart static");
  CHECK(found_in(library({"libfoo.so", "", {{"bar", code}}})) == "-");
  CHECK(found_in(library({"libcudart.so.12", "", {{"cudaRuntimeGetVersion", text}}})) == "-");
}

}  // namespace
}  // namespace cudald
