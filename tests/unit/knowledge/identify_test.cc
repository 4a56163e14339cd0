#include <cudald/cuda_library.h>
#include <cudald/image.h>

#include "common/built_in.h"
#include "common/pe_builder.h"
#include "knowledge/runtime_function.h"
#include "unit/binary/image_of.h"
#include "unit/knowledge/library_file.h"

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

using Functions = std::vector<std::pair<std::string, std::string>>;

/// Its words, its major number, and how each of it is known.
std::string told(const std::optional<CudaLibrary>& library) {
  if (!library) return "-";
  std::string text = words(library) + ", major " + std::to_string(library->major);
  if (!library->release.empty()) text += ", release " + library->release;
  for (const auto& sentence : library->evidence) text += "\n" + sentence;
  return text;
}

struct ProductRow {
  CudaKind kind;
  std::string word, title, soname;
  Functions functions;
  std::string version;
};
const ProductRow product_rows[] = {
    {CudaKind::cudart,
     "cudart",
     "CUDA runtime",
     "libcudart.so.12",
     {{"cudaRuntimeGetVersion", store(12040)}, {"cudaGetDeviceCount", ""}},
     "12.4"},
    {CudaKind::cudnn, "cudnn", "cuDNN", "libcudnn.so.9", {{"cudnnGetVersion", answer(91002)}}, "9.10.2"},
    {CudaKind::cublas_lt,
     "cublasLt",
     "cuBLASLt",
     "libcublasLt.so.12",
     {{"cublasLtGetVersion", answer(120804)}, {"cublasLtCreate", ""}, {"cublasLtMatmul", ""}},
     "12.8.4"},
    {CudaKind::cublas,
     "cublas",
     "cuBLAS",
     "libcublas.so.11",
     {{"cublasGetVersion_v2", store(111103)}, {"cublasCreate_v2", ""}, {"cublasDgemm_v2", ""}},
     "11.11.3"},
    {CudaKind::cufft,
     "cufft",
     "cuFFT",
     "libcufft.so.11",
     {{"cufftGetVersion", store(11303)}, {"cufftExecC2C", ""}},
     "11.3.3"},
    {CudaKind::curand,
     "curand",
     "cuRAND",
     "libcurand.so.10",
     {{"curandGetVersion", store(10309)}, {"curandCreateGenerator", ""}},
     "10.3.9"},
    {CudaKind::cusolver,
     "cusolver",
     "cuSOLVER",
     "libcusolver.so.11",
     {{"cusolverGetVersion", store(11703)}, {"cusolverDnCreate", ""}},
     "11.7.3"},
    {CudaKind::cusparse,
     "cusparse",
     "cuSPARSE",
     "libcusparse.so.12",
     {{"cusparseGetVersion", store(12508)}, {"cusparseCreate", ""}},
     "12.5.8"},
    {CudaKind::nvrtc_builtins, "nvrtc-builtins", "NVRTC's builtins", "libnvrtc-builtins.so.12.8", {{"f", ""}}, "12.8"},
    {CudaKind::nvrtc,
     "nvrtc",
     "NVRTC",
     "libnvrtc.so.12",
     {{"nvrtcVersion", store(12) + store(9)}, {"nvrtcCompileProgram", ""}},
     "12.9"},
    {CudaKind::nvjitlink,
     "nvJitLink",
     "nvJitLink",
     "libnvJitLink.so.13",
     {{"nvJitLinkVersion", store(13) + store(0)}},
     "13.0"},
    {CudaKind::nccl,
     "nccl",
     "NCCL",
     "libnccl.so.2",
     {{"ncclGetVersion", store(22705)}, {"ncclAllReduce", ""}},
     "2.27.5"},
    {CudaKind::tensorrt,
     "tensorrt",
     "TensorRT",
     "libnvinfer.so.10",
     {{"getInferLibVersion", answer(100300)}},
     "10.3.0"},
    {CudaKind::driver, "driver", "NVIDIA driver", "libcuda.so.1", {{"cuInit", ""}, {"cuDriverGetVersion", ""}}, ""},
};

TEST_CASE("each product has its words, its functions, and a function that answers its version") {
  for (const ProductRow& row : product_rows) {
    CAPTURE(row.word);
    CHECK(to_string(row.kind) == row.word);
    CHECK(product_name(row.kind) == row.title);
    const auto found = identified(library({row.soname, "", row.functions}));
    REQUIRE(found.has_value());
    CHECK(found->kind == row.kind);
    CHECK(found->version == row.version);
    CHECK(found->part == "");
    CHECK_FALSE(found->is_static);
    CHECK_FALSE(found->stub);
    // By the name alone it is none, if it has functions that only it has.
    const bool has_marks = row.functions.size() > 1;
    CHECK(identified(library({row.soname, "", {{"f", ""}}})).has_value() == !has_marks);
    for (std::size_t i = has_marks ? row.functions.size() - 2 : 1; i < row.functions.size(); ++i) {
      auto fewer = row.functions;
      fewer[i].first = "f";
      CHECK_FALSE(identified(library({row.soname, "", fewer})).has_value());
      CHECK_FALSE(identified(library({"libfoo.so", "", fewer})).has_value());
    }
    const auto hidden = identified(library({"libfoo.so", "", row.functions}));
    CHECK(hidden.has_value() == (has_marks || row.kind == CudaKind::cudnn));
    if (hidden) CHECK(hidden->kind == row.kind);
  }
}

TEST_CASE("how a library is known is told, and its major number") {
  CHECK(told(identified(
            library({"libfoo.so", "", {{"cudaRuntimeGetVersion", store(11080)}, {"cudaGetDeviceCount", ""}}}))) ==
        "cudart 11.8, major 11\nexports cudaRuntimeGetVersion and cudaGetDeviceCount\n"
        "its function cudaRuntimeGetVersion answers 11080");
  CHECK(told(identified(library({"", "", {{"cudnnGetVersion", answer(8204)}}}))) ==
        "cudnn 8.2.4, major 8\nexports cudnnGetVersion\nits function cudnnGetVersion answers 8204");
  CHECK(told(identified(library({"libcufft.so.10", "", {{"cufftGetVersion", ""}, {"cufftExecC2C", ""}}}))) ==
        "cufft 10, major 10\nDT_SONAME is libcufft.so.10\nexports cufftGetVersion\nexports cufftExecC2C");
  CHECK(told(identified(library({"libfoo.so", "", {{"cufftGetVersion", store(10900)}, {"cufftExecC2C", ""}}}))) ==
        "cufft, major 0\nexports cufftGetVersion and cufftExecC2C");
  CHECK(
      told(identified(library({"libcudart.so.12", "", {{"cudaRuntimeGetVersion", ""}, {"cudaGetDeviceCount", ""}}}))) ==
      "cudart 12, major 12\nDT_SONAME is libcudart.so.12\nexports cudaRuntimeGetVersion\nexports cudaGetDeviceCount");
  // A table of trampolines has no number.
  CHECK(words_of({"libfoo.so", "", {{"cudaRuntimeGetVersion", ""}, {"cudaGetDeviceCount", ""}}}) == "-");
  CHECK(told(identified(
            library({"libnvrtc.so.12", "", {{"nvrtcVersion", store(12) + store(8)}, {"nvrtcCompileProgram", ""}}}))) ==
        "nvrtc 12.8, major 12\nDT_SONAME is libnvrtc.so.12\nexports nvrtcVersion\nexports nvrtcCompileProgram\n"
        "its function nvrtcVersion answers 12 and 8");
  CHECK(told(identified(library(
            {"libnccl.so.2", "", {{"ncclGetVersion", ""}, {"ncclAllReduce", "NCCL version 2.27.5+cuda12.9"}}}))) ==
        "nccl 2 for 12.9, major 2\nDT_SONAME is libnccl.so.2\nexports ncclGetVersion\nexports ncclAllReduce\n"
        "it says \"NCCL version 2.27.5+cuda12.9\"");
  CHECK(words_of({"libnccl.so.2", "", {{"ncclGetVersion", ""}, {"ncclAllReduce", "NCCL version 2.27.5"}}}) == "nccl 2");
}

TEST_CASE("what a driver's library is, and whether it is only the one for linking") {
  const auto driver = [](const std::string& init, const std::string& version) {
    return told(identified(library({"libcuda.so.1", "", {{"cuInit", init}, {"cuDriverGetVersion", version}}})));
  };
  const std::string known = ", major 0\nDT_SONAME is libcuda.so.1\nexports cuInit\nexports cuDriverGetVersion";
  CHECK(driver(answer(34), answer(34)) ==
        "driver stub" + known + "\ncuInit does nothing but answer 34, CUDA_ERROR_STUB_LIBRARY");
  CHECK(driver(answer(34), answer(35)) == "driver" + known);
  CHECK(driver(answer(33), answer(34)) == "driver" + known);
  CHECK(driver(store(34), answer(34)) == "driver" + known);
  CHECK(driver(answer(34), store(34)) == "driver" + known);
  CHECK(driver(answer(34) + answer(34), answer(34)) == "driver" + known);
  CHECK(driver("", "/x/nvidia-application-profiles-535.261.03-rc") ==
        "driver 535.261.03" + known + "\nit reads nvidia-application-profiles-535.261.03");
  CHECK(driver("", store(12080)) == "driver" + known);  // what it answers is no version of its own
  CHECK(driver("", "nvidia-application-profiles-550.1") ==
        "driver 550.1" + known + "\nit reads nvidia-application-profiles-550.1");
}

TEST_CASE("a number of CUDA's own form means a release, any other none") {
  const std::pair<std::uint32_t, std::string> rows[] = {
      {4990, "-"},  {5000, "cudart 5.0"},    {5010, "cudart 5.1"}, {11190, "cudart 11.19"}, {11200, "-"},
      {11085, "-"}, {49190, "cudart 49.19"}, {50000, "-"},         {12080, "cudart 12.8"},  {13000, "cudart 13.0"},
  };
  for (const auto& [number, library_words] : rows)
    CHECK(words_of({"", "", {{"cudaRuntimeGetVersion", store(number)}, {"cudaGetDeviceCount", ""}}}) == library_words);
  const auto twice = [](std::uint32_t one, std::uint32_t other) {
    return words_of({"", "", {{"cudaRuntimeGetVersion", store(one) + store(other)}, {"cudaGetDeviceCount", ""}}});
  };
  CHECK(twice(12040, 12040) == "cudart 12.4");
  CHECK(twice(12040, 7) == "cudart 12.4");
  CHECK(twice(7, 12040) == "cudart 12.4");
  CHECK(twice(12040, 12030) == "-");
}

TEST_CASE("a number of another product means a version of the major in its name") {
  const auto cufft = [](const std::string& major, std::uint32_t number) {
    return words_of({"libcufft.so" + major, "", {{"cufftGetVersion", store(number)}, {"cufftExecC2C", ""}}});
  };
  CHECK(cufft(".10", 9999) == "cufft 10");
  CHECK(cufft(".10", 10000) == "cufft 10.0.0");
  CHECK(cufft(".10", 14999) == "cufft 10.49.99");
  CHECK(cufft(".10", 15000) == "cufft 10");
  CHECK(cufft(".10", 100000) == "cufft 10.0.0");
  CHECK(cufft(".10", 109999) == "cufft 10.99.99");
  CHECK(cufft(".10", 110000) == "cufft 10");
  CHECK(cufft(".50", 50123) == "cufft 50.1.23");
  CHECK(cufft(".51", 51123) == "cufft 51");
  CHECK(cufft("", 10900) == "cufft");
  CHECK(cufft(".0", 10900) == "cufft 0");
  const auto cudnn = [](std::uint32_t number) { return words_of({"", "", {{"cudnnGetVersion", answer(number)}}}); };
  CHECK(cudnn(4999) == "cudnn");
  CHECK(cudnn(5000) == "cudnn 5.0.0");
  CHECK(cudnn(9999) == "cudnn 9.9.99");
  CHECK(cudnn(10000) == "cudnn 1.0.0");
  CHECK(cudnn(91002) == "cudnn 9.10.2");
  CHECK(cudnn(500000) == "cudnn 50.0.0");
  CHECK(cudnn(510000) == "cudnn");
}

TEST_CASE("two small numbers that a function writes are a version, the major in whichever place") {
  const auto nvrtc = [](const std::string& soname, const std::string& code) {
    return words_of({soname, "", {{"nvrtcVersion", code}, {"nvrtcCompileProgram", ""}}});
  };
  CHECK(nvrtc("libnvrtc.so.12", store(12) + store(8)) == "nvrtc 12.8");
  CHECK(nvrtc("libnvrtc.so.12", store(8) + store(12)) == "nvrtc 12.8");
  CHECK(nvrtc("libnvrtc.so.12", store(11) + store(8)) == "nvrtc 12");
  CHECK(nvrtc("libnvrtc.so.12", store(12)) == "nvrtc 12");
  CHECK(nvrtc("libnvrtc.so", store(11) + store(2)) == "nvrtc 11.2");
  CHECK(nvrtc("libnvrtc.so.12", store(100) + store(12) + store(8)) == "nvrtc 12.8");
  CHECK(nvrtc("libnvrtc.so.12", store(99) + store(12)) == "nvrtc 12.99");
  std::string in_register = "\xb8";  // mov eax, 5
  append(in_register, std::uint32_t{5});
  CHECK(nvrtc("libnvrtc.so.12", in_register + store(12) + store(8)) == "nvrtc 12.8");
}

TEST_CASE("a part of cuDNN has its release in a variable of its major, under one of two names") {
  const auto number = [](const char* bytes) { return std::string(bytes, 4); };
  CHECK(told(identified(library({"libcudnn_adv.so.9", "", {{"cudnn_adv_version", number("\x02\x0a\x09\0")}}}))) ==
        "cudnn 9.10.2 adv, major 9\nDT_SONAME is libcudnn_adv.so.9\nits variable cudnn_adv_version is 0x90a02");
  CHECK(words_of({"libcudnn_adv.so.9",
                  "",
                  {{"cudnn_adv_version", number("\x02\x0a\x08\0")},
                   {"cudnn_adv_infer_version", number("\x03\x0b\x09\0")}}}) == "cudnn 9.11.3 adv");
  CHECK(words_of({"libcudnn_adv.so.9", "", {{"cudnn_adv_version", number("\x02\x0a\x08\0")}}}) == "cudnn 9 adv");
  CHECK(told(identified(library({"libcudnn_ops_infer.so.8", "", {{"cudnnOpsInferVersionCheck", store(8906)}}}))) ==
        "cudnn 8.9.6 ops_infer, major 8\nDT_SONAME is libcudnn_ops_infer.so.8\n"
        "its function cudnnOpsInferVersionCheck answers 8906");
  // What answers itself is not asked further.
  CHECK(words_of({"libcudnn_adv.so.9",
                  "",
                  {{"cudnnGetVersion", answer(90100)}, {"cudnn_adv_version", number("\x02\x0a\x09\0")}}}) ==
        "cudnn 9.1.0 adv");
}

/// Whether a file that gives itself this name is asked further.
bool is_cuda_name(const std::string& name, Format format) {
  Image image;
  image.format = format;
  image.soname = name;
  return is_named_like_cuda(image);
}

TEST_CASE("which names are those of CUDA's libraries on Linux") {
  for (const std::string name : {"libcudart.so", "libcudart.so.12", "libcudart-80664282.so.11.0",
                                 "libcudart-abcdef01.so.11.0", "libcudnn_ops.so.9", "libnvinfer_plugin.so.10",
                                 "libcublasLt.so.12", "libnvrtc-builtins.so.12.8", "libcudnn_graph-0123abcd.so.9"})
    CHECK_MESSAGE(is_cuda_name(name, Format::elf64), name);
  for (const std::string name :
       {"libcudart", "libcudart.so.", "libcudart.so12", "libcudart.so.x", "libcudart.so-1", "libcudart-8066428g.so.11",
        "libcudart-8066428A.so.11", "libcudart-8066428.so.11", "libcudart-806642820.so.11", "libcudnnx.so.9",
        "libcublas_x.so.12", "xlibcudart.so.12", "cudart64_12.dll", ""})
    CHECK_MESSAGE(!is_cuda_name(name, Format::elf64), name);
  Image image;
  image.format = Format::elf64;
  CHECK_FALSE(is_named_like_cuda(image));
  image.elf.version_definitions = {{"libcudart.so.12", 0, 1, true}};  // it names the file, and patchelf leaves it
  CHECK_FALSE(is_named_like_cuda(image));
  image.elf.version_definitions.push_back({"libcudart.so.12", 0, 2, false});
  CHECK(is_named_like_cuda(image));
}

TEST_CASE("which names are those of CUDA's libraries on Windows") {
  for (const std::string name : {"cudart.dll", "CUDART64_110.DLL", "cudart32_75.dll", "cudnn_ops64_9.dll", "nvcuda.dll",
                                 "nvinfer_10.dll", "nvinfer_plugin_10.dll", "nvJitLink_120_0.dll", "nvrtc64_112_0.dll"})
    CHECK_MESSAGE(is_cuda_name(name, Format::pe32_plus), name);
  for (const std::string name : {"cudart64_12", "cudart64_12.so", "cudart64_.dll", "cudart64_x.dll", "cudartxy.dll",
                                 "cudart_x.dll", "cudart1.dll", "cudart_x64_12.dll", "cudnnx64_9.dll", "nvinferx.dll",
                                 "nvinfer10.dll", "nvinferx_10.dll", "libcudart.so.12", "foo.dll", ""})
    CHECK_MESSAGE(!is_cuda_name(name, Format::pe32_plus), name);
  CHECK_FALSE(is_cuda_name("cudart64_12.dll", Format::unknown));
}

/// A DLL with these exports, which are sorted, and without a version resource.
std::string dll_words(const std::string& name, const std::vector<std::string>& functions) {
  PeSpec spec;
  spec.name = name;
  for (const auto& function : functions)
    spec.exports.push_back({function, static_cast<std::uint32_t>(spec.exports.size() + 1)});
  const auto found = identified(pe(spec));
  return words(found) + (found ? ", major " + std::to_string(found->major) : "");
}

TEST_CASE("the digits in the name of a DLL are its version") {
  const std::vector<std::string> runtime = {"cudaGetDeviceCount", "cudaRuntimeGetVersion"};
  const std::pair<std::string, std::string> runtimes[] = {
      {"cudart.dll", "cudart, major 0"},
      {"cudart64_12.dll", "cudart 12, major 12"},
      {"cudart64_8.dll", "cudart 8, major 8"},
      {"cudart64_110.dll", "cudart 11.0, major 11"},
      {"cudart64_101.dll", "cudart 10.1, major 10"},
      {"cudart64_49.dll", "cudart 49, major 49"},
      {"cudart64_50.dll", "cudart 5.0, major 5"},
      {"cudart64_92.dll", "cudart 9.2, major 9"},
      {"cudart64_8x.dll", "cudart, major 0"},
      {"cudart64_112_0.dll", "cudart 11.2, major 11"},
      {"cudart64_1234.dll", "cudart 1234, major 1234"},
  };
  for (const auto& [name, library_words] : runtimes) CHECK(dll_words(name, runtime) == library_words);
  CHECK(dll_words("nvinfer_10.dll", {"f"}) == "tensorrt 10, major 10");
  CHECK(dll_words("nvinfer_plugin_10.dll", {"f"}) == "tensorrt 10 plugin, major 10");
  for (const std::string name : {"nvinferx.dll", "nvinfer10.dll", "nvinferx_10.dll"})
    CHECK(dll_words(name, {"f"}) == dll_words("other.dll", {"f"}));
  CHECK(dll_words("nvinfer_builder_resource_8.dll", {"f"}) == "tensorrt 8 builder_resource, major 8");
  CHECK(dll_words("cudnn_cnn_train64_8.dll", {"f"}) == "cudnn 8 cnn_train, major 8");
}

TEST_CASE("each product is known by the name of its DLL") {
  const std::pair<std::string, std::vector<std::string>> rows[] = {
      {"cublas64_12.dll", {"cublasCreate_v2", "cublasDgemm_v2"}},
      {"cublasLt64_12.dll", {"cublasLtCreate", "cublasLtMatmul"}},
      {"cufft64_12.dll", {"cufftExecC2C", "cufftGetVersion"}},
      {"curand64_12.dll", {"curandCreateGenerator", "curandGetVersion"}},
      {"cusolver64_12.dll", {"cusolverDnCreate", "cusolverGetVersion"}},
      {"cusparse64_12.dll", {"cusparseCreate", "cusparseGetVersion"}},
      {"nvrtc64_120_0.dll", {"nvrtcCompileProgram", "nvrtcVersion"}},
      {"nvrtc-builtins64_120.dll", {"f"}},
      {"nvJitLink_120_0.dll", {"f"}},
      {"nccl64_12.dll", {"ncclAllReduce", "ncclGetVersion"}},
      {"nvcuda.dll", {"cuDriverGetVersion", "cuInit"}},
  };
  std::string text;
  for (const auto& [name, functions] : rows) text += dll_words(name, functions) + "\n";
  CHECK(text ==
        "cublas 12, major 12\ncublasLt 12, major 12\ncufft 12, major 12\ncurand 12, major 12\n"
        "cusolver 12, major 12\ncusparse 12, major 12\nnvrtc 12.0, major 12\nnvrtc-builtins 12.0, major 12\n"
        "nvJitLink 12.0, major 12\nnccl 12, major 12\ndriver, major 0\n");
}

TEST_CASE("a version resource counts for the runtime and cuDNN, if it is of the major in the name") {
  const auto with_resource = [](const std::string& name, const std::string& version) {
    PeSpec spec;
    spec.name = name;
    spec.exports = {{"cudaGetDeviceCount", 1}, {"cudaRuntimeGetVersion", 2}};
    MemoryFileSystem files;
    files.add_file("/file", pe(spec));
    const auto file = files.open("/file");
    auto image = **read_image(**file);
    image.pe->file_version = version;
    return told(identify(**file, image, built_in()));
  };
  const std::string own = "\nits own name in the export directory is ";
  const std::string exports = "\nexports cudaRuntimeGetVersion\nexports cudaGetDeviceCount";
  CHECK(with_resource("cudart64_12.dll", "6.14.11.12080") ==
        "cudart 12.8, major 12" + own + "cudart64_12.dll" + exports + "\nits version resource says 6.14.11.12080");
  CHECK(with_resource("cudart64_12.dll", "6.14.11.12080.11080").starts_with("cudart 12.8,"));
  CHECK(with_resource("cudart64_12.dll", "6.14.11.120801") ==
        "cudart 12.8, major 12" + own + "cudart64_12.dll" + exports + "\nits version resource says 6.14.11.120801");
  CHECK(with_resource("cudart64_12.dll", "6.14.11.11080") == "cudart 12, major 12" + own + "cudart64_12.dll" + exports);
  CHECK(with_resource("cudart64_12.dll", "12080") == "cudart 12, major 12" + own + "cudart64_12.dll" + exports);
  CHECK(with_resource("cudnn64_8.dll", "8.9.4.25") ==
        "cudnn 8.9.4, major 8" + own + "cudnn64_8.dll\nits version resource says 8.9.4.25");
  CHECK(with_resource("cudnn64_8.dll", "9.1") == "cudnn 8, major 8" + own + "cudnn64_8.dll");
  CHECK(with_resource("nvinfer_8.dll", "8.6.1.6") == "tensorrt 8, major 8" + own + "nvinfer_8.dll");
}

TEST_CASE("a build that the table knows has its release") {
  MemoryFileSystem files;
  files.add_file("/file", library({"libcudnn.so.8", "", {{"f", ""}}}));
  const auto file = files.open("/file");
  auto image = **read_image(**file);
  image.elf.build_id = "114b774d335490c21aa955d7e18032c61d0a73ff";
  CHECK(told(identify(**file, image, built_in())) ==
        "cudnn 8, major 8, release 8.8.0.121 to 8.9.2.26\nDT_SONAME is libcudnn.so.8\n"
        "its build-id is that of release 8.8.0.121 to 8.9.2.26, by our table");
  image.elf.build_id = "00";
  CHECK(told(identify(**file, image, built_in())) == "cudnn 8, major 8\nDT_SONAME is libcudnn.so.8");
}

TEST_CASE("a runtime that is linked in has the version of which all that answer one are") {
  const std::string text = "CUDA driver version is insufficient for CUDA runtime version";
  const auto of_numbers = [&](const std::vector<std::uint32_t>& numbers) {
    Functions functions{{"text", text}};
    std::string code;
    for (const auto number : numbers) code += "\x48\x85\xff\x74\x0b" + store(number);
    functions.push_back({"code", code});
    MemoryFileSystem files;
    files.add_file("/file", library({"libfoo.so", "", functions}));
    const auto file = files.open("/file");
    const auto image = read_image(**file);
    REQUIRE(image.has_value());
    return told(find_static_cudart(**file, **image));
  };
  const std::string holds = "\nits read-only data holds \"" + text + "\"";
  const std::string dated = "\nits code has the function that answers this version";
  CHECK(of_numbers({}) == "cudart static, major 0" + holds);
  CHECK(of_numbers({12050}) == "cudart 12.5 static, major 12" + holds + dated);
  CHECK(of_numbers({12050, 12050}) == "cudart 12.5 static, major 12" + holds + dated);
  CHECK(of_numbers({7, 11080, 9}) == "cudart 11.8 static, major 11" + holds + dated);
  CHECK(of_numbers({12050, 12060}) == "cudart static, major 0" + holds);
  CHECK(of_numbers({12050, 12060, 12060}) == "cudart static, major 0" + holds);
}

TEST_CASE("a text is looked for in so much of what may not be written to") {
  const auto nccl = [](std::size_t before) {
    constexpr std::string_view text = "NCCL version 2.27.5+cuda12.9";
    // The functions stand in front, in what is no section.
    const auto bytes = with_sections(library({"libnccl.so.2", "", {{"ncclGetVersion", ""}, {"ncclAllReduce", ""}}}),
                                     {{".rodata", std::string(before, 'x') + std::string(text) + '\0'}});
    return words(identified(bytes));
  };
  constexpr std::size_t most = std::size_t{8} << 20;
  CHECK(nccl(most - 28) == "nccl 2 for 12.9");
  CHECK(nccl(most - 27) == "nccl 2 for 12.");
  CHECK(nccl(most) == "nccl 2");
  const auto linked = [](std::size_t before) {
    const std::string text = "CUDA driver version is insufficient for CUDA runtime version";
    const auto bytes = with_sections(elf({}), {{".rodata", std::string(before - text.size(), 'x') + text}});
    MemoryFileSystem files;
    files.add_file("/file", bytes);
    const auto file = files.open("/file");
    return words(find_static_cudart(**file, **read_image(**file)));
  };
  CHECK(linked(std::size_t{32} << 20) == "cudart static");
  CHECK(linked((std::size_t{32} << 20) + 1) == "-");
}

TEST_CASE("of a number at the beginning of a text five digits count") {
  const std::vector<std::string> runtime = {"cudaGetDeviceCount", "cudaRuntimeGetVersion"};
  CHECK(dll_words("cudart64_12345.dll", runtime) == "cudart 12345, major 12345");
  CHECK(dll_words("cudart64_123456.dll", runtime) == "cudart 123456, major 12345");
  CHECK(words_of({"libcudart.so.12x", "", {{"cudaRuntimeGetVersion", store(12040)}, {"cudaGetDeviceCount", ""}}}) ==
        "cudart 12.4");
}

TEST_CASE("functions of the runtime are known by how they begin, and so are the signs of one") {
  for (const auto* name : {"cudaMalloc", "__cudaRegisterFunction", "cuda", "__cuda"})
    CHECK_MESSAGE(is_runtime_function(name), name);
  for (const auto* name : {"cuMemAlloc", "_cudaMalloc", "my_cudaMalloc", "CUDAMalloc", "cud", ""})
    CHECK_MESSAGE(!is_runtime_function(name), name);
  for (const auto sign : runtime_signs) CHECK_MESSAGE(is_runtime_function(sign), sign);
}

}  // namespace
}  // namespace cudald
