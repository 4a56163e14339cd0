#include <cudald/cuda_library.h>
#include <cudald/image.h>

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/path.h"
#include "binary/constants/read_only_data.h"
#include "binary/machine_code/exported_code.h"
#include "knowledge/knowledge.h"

namespace cudald {
namespace {

// How much of a file's read-only data is searched for a text.
constexpr std::uint64_t most_read_of_nccl = 8 << 20;        // it lies right behind the code
constexpr std::uint64_t most_read_for_static = 32 << 20;    // of any file that is shown
constexpr std::uint64_t most_code_for_version = 128 << 20;  // of a file that holds a runtime
constexpr std::uint64_t most_read_of_driver = std::uint64_t{128} << 20;

/// One product: its names on Linux and Windows, functions that only it has, and the one that answers its version.
/// All of it was read off the libraries in NVIDIA's wheels on the Python package index (tests/cuda/identify_wheels.py).
struct Product {
  CudaKind kind;
  std::string_view word, title;
  std::string_view linux_stem, windows_stem;
  std::array<std::string_view, 2> marks;  ///< exported functions; empty: the name must do
  std::string_view version_function;
};

constexpr std::array products = {
    Product{CudaKind::cudart,
            "cudart",
            "CUDA runtime",
            "libcudart",
            "cudart",
            {"cudaRuntimeGetVersion", "cudaGetDeviceCount"},
            "cudaRuntimeGetVersion"},
    Product{CudaKind::cudnn, "cudnn", "cuDNN", "libcudnn", "cudnn", {}, "cudnnGetVersion"},
    Product{CudaKind::cublas_lt,
            "cublasLt",
            "cuBLASLt",
            "libcublasLt",
            "cublaslt",
            {"cublasLtCreate", "cublasLtMatmul"},
            "cublasLtGetVersion"},
    Product{CudaKind::cublas,
            "cublas",
            "cuBLAS",
            "libcublas",
            "cublas",
            {"cublasCreate_v2", "cublasDgemm_v2"},
            "cublasGetVersion_v2"},
    Product{
        CudaKind::cufft, "cufft", "cuFFT", "libcufft", "cufft", {"cufftGetVersion", "cufftExecC2C"}, "cufftGetVersion"},
    Product{CudaKind::curand,
            "curand",
            "cuRAND",
            "libcurand",
            "curand",
            {"curandGetVersion", "curandCreateGenerator"},
            "curandGetVersion"},
    Product{CudaKind::cusolver,
            "cusolver",
            "cuSOLVER",
            "libcusolver",
            "cusolver",
            {"cusolverGetVersion", "cusolverDnCreate"},
            "cusolverGetVersion"},
    Product{CudaKind::cusparse,
            "cusparse",
            "cuSPARSE",
            "libcusparse",
            "cusparse",
            {"cusparseGetVersion", "cusparseCreate"},
            "cusparseGetVersion"},
    Product{
        CudaKind::nvrtc_builtins, "nvrtc-builtins", "NVRTC's builtins", "libnvrtc-builtins", "nvrtc-builtins", {}, ""},
    Product{CudaKind::nvrtc,
            "nvrtc",
            "NVRTC",
            "libnvrtc",
            "nvrtc",
            {"nvrtcVersion", "nvrtcCompileProgram"},
            "nvrtcVersion"},
    Product{CudaKind::nvjitlink, "nvJitLink", "nvJitLink", "libnvJitLink", "nvjitlink", {}, "nvJitLinkVersion"},
    Product{CudaKind::nccl, "nccl", "NCCL", "libnccl", "nccl", {"ncclGetVersion", "ncclAllReduce"}, "ncclGetVersion"},
    Product{CudaKind::tensorrt, "tensorrt", "TensorRT", "libnvinfer", "nvinfer", {}, "getInferLibVersion"},
    Product{CudaKind::driver,
            "driver",
            "NVIDIA driver",
            "libcuda",
            "nvcuda",
            {"cuInit", "cuDriverGetVersion"},
            "cuDriverGetVersion"},
};

constexpr std::string_view linux_beginning = "lib";
static_assert(std::all_of(products.begin(), products.end(), [](const Product& each) {
  return std::string_view(each.linux_stem).starts_with(linux_beginning);
}));

const Product& product(CudaKind kind) {
  return *std::find_if(products.begin(), products.end(), [kind](const Product& each) { return each.kind == kind; });
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// A name that a file gives itself, taken apart: libcudnn_ops_infer.so.8, cudnn_ops_infer64_8.dll.
struct OwnName {
  const Product* product = nullptr;
  std::string part;     ///< "ops_infer"
  std::string version;  ///< "8", "11.0"; of a DLL its digits read as such
  std::string evidence;
};

/// The digits in a DLL's name: "110" is 11.0, "92" 9.2, "12" 12, "112_0" 11.2, "8" 8.
std::string dll_version(std::string_view digits) {
  const auto first = digits.substr(0, std::min(digits.find('_'), digits.size()));
  if (first.empty() || !std::all_of(first.begin(), first.end(), is_digit)) return "";
  if (first.size() == 3) return fmt::format("{}.{}", first.substr(0, 2), first.substr(2));
  // Up to CUDA 9.2 two digits were major and minor; no library has reached major 50.
  if (first.size() == 2 && first.front() >= '5') return fmt::format("{}.{}", first.substr(0, 1), first.substr(1));
  return std::string(first);
}

/// "libcudart-80664282" -> "libcudart": auditwheel puts a hash behind the name.
std::string_view without_hash(std::string_view stem) {
  const auto dash = stem.rfind('-');
  if (dash == std::string_view::npos || stem.size() - dash != 9) return stem;
  const auto hash = stem.substr(dash + 1);
  return std::all_of(hash.begin(), hash.end(), [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); })
             ? stem.substr(0, dash)
             : stem;
}

std::optional<OwnName> split_linux_name(std::string_view name) {
  if (!name.starts_with(linux_beginning)) return std::nullopt;  // the names of most versions
  const auto so = name.find(".so");
  if (so == std::string_view::npos) return std::nullopt;
  const auto stem = without_hash(name.substr(0, so));
  const auto rest = name.substr(so + 3);
  if (!rest.empty() && (rest.size() < 2 || rest[0] != '.' || !is_digit(rest[1]))) return std::nullopt;
  for (const auto& each : products) {
    if (!stem.starts_with(each.linux_stem)) continue;
    const auto more = stem.substr(each.linux_stem.size());
    const bool has_parts = each.kind == CudaKind::cudnn || each.kind == CudaKind::tensorrt;
    if (more.empty() || (has_parts && more.starts_with('_')))
      return OwnName{&each, std::string(more.empty() ? more : more.substr(1)),
                     std::string(rest.empty() ? rest : rest.substr(1)), ""};
  }
  return std::nullopt;
}

std::optional<OwnName> split_windows_name(std::string_view given) {
  const auto name = lower(given);
  if (!name.ends_with(".dll")) return std::nullopt;
  const auto base = std::string_view(name).substr(0, name.size() - 4);
  for (const auto& each : products) {
    if (!base.starts_with(each.windows_stem)) continue;
    auto more = base.substr(each.windows_stem.size());
    OwnName own{&each, "", "", ""};
    if (more.empty()) return own;
    // A part comes before "64_8", a version behind it.
    const auto bits = std::min(more.find("64_"), more.find("32_"));
    const auto last = more.find_last_of('_');
    if (bits != std::string_view::npos) {
      if (bits != 0 && (more[0] != '_' || each.kind != CudaKind::cudnn)) continue;
      if (bits != 0) own.part = more.substr(1, bits - 1);
      more = more.substr(bits + 2);
    } else if (each.kind == CudaKind::tensorrt && more.starts_with('_') && last > 0) {
      own.part = more.substr(1, last - 1);
      more = more.substr(last);
    }
    if (more.size() < 2 || more[0] != '_' || !is_digit(more[1])) continue;
    own.version = dll_version(more.substr(1));
    return own;
  }
  return std::nullopt;
}

/// The version node first: patchelf and auditwheel change a SONAME, but not that.
std::optional<OwnName> own_name(const Image& image) {
  if (image.is_pe()) {
    auto own = image.soname ? split_windows_name(*image.soname) : std::nullopt;
    if (own) own->evidence = fmt::format("its own name in the export directory is {}", *image.soname);
    return own;
  }
  for (const auto& node : image.elf.version_definitions)
    if (auto own = split_linux_name(node.name); own && !node.base) {
      own->evidence = fmt::format("defines the version {}", node.name);
      return own;
    }
  auto own = image.soname ? split_linux_name(*image.soname) : std::nullopt;
  if (own) own->evidence = fmt::format("DT_SONAME is {}", *image.soname);
  return own;
}

int leading_number(std::string_view text) {
  int number = 0;
  for (const char c : text.substr(0, 5)) {
    if (!is_digit(c)) break;
    number = number * 10 + (c - '0');
  }
  return number;
}

/// CUDA's own form: 11080 is 11.8.
std::string cuda_version(std::uint32_t number) {
  const bool plausible = number >= 5000 && number < 50'000 && number % 10 == 0 && number / 10 % 100 < 20;
  return plausible ? fmt::format("{}.{}", number / 1000, number % 1000 / 10) : "";
}

/// Of the other products: 8906 is 8.9.6, and since two digits did not do, 91002 is 9.10.2. The major number decides.
std::string product_version(std::uint32_t number, int major) {
  const auto wanted = static_cast<std::uint32_t>(major);
  if (major == 0 || major > 50) return "";
  if (number / 10'000 == wanted) return fmt::format("{}.{}.{}", wanted, number / 100 % 100, number % 100);
  if (number < wanted * 1000 || number - wanted * 1000 >= 5000) return "";
  const auto rest = number - wanted * 1000;
  return fmt::format("{}.{}.{}", wanted, rest / 100, rest % 100);
}

class Identifier {
 public:
  Identifier(const File& file, const Image& image, const Knowledge& knowledge)
      : file_(file), image_(image), knowledge_(knowledge), code_(file, image) {}

  std::optional<CudaLibrary> identify() {
    auto own = own_name(image_);
    const Product* product = own ? own->product : product_by_functions();
    if (product == nullptr) return std::nullopt;
    library_.kind = product->kind;
    if (own) {
      library_.part = own->part;
      library_.version = product->kind == CudaKind::driver ? "" : own->version;
      library_.major = leading_number(own->version);
      note(own->evidence);
      // A file that only bears the name is not what it says.
      if (!is_proven(*product)) return std::nullopt;
    }
    read_version(*product);
    // A table of trampolines exports the runtime's functions, and hands each call on to a runtime that it opens:
    // libtensorflow_framework.so.2 has one.
    if (!own && product->kind == CudaKind::cudart && library_.version.empty()) return std::nullopt;
    if (product->kind == CudaKind::cudnn) {
      if (library_.version.find('.') == std::string::npos) read_version_of_part();
      library_.built_for_cuda = version_in("cudnnGetCudartVersion", cuda_version);
    }
    if (product->kind == CudaKind::driver) read_driver();
    if (product->kind == CudaKind::nccl) read_cuda_of_nccl();
    if (image_.elf.build_id) library_.release = knowledge_.release_of_build(product->kind, *image_.elf.build_id);
    if (!library_.release.empty())
      note(fmt::format("its build-id is that of release {}, by our table", library_.release));
    if (library_.major == 0) library_.major = leading_number(library_.version);
    if (library_.kind == CudaKind::driver) library_.major = 0;
    return std::move(library_);
  }

 private:
  void note(std::string sentence) { library_.evidence.push_back(std::move(sentence)); }

  const Product* product_by_functions() {
    for (const auto& each : products) {
      if (each.marks[0].empty() || !code_.has(each.marks[0]) || !code_.has(each.marks[1])) continue;
      note(fmt::format("exports {} and {}", each.marks[0], each.marks[1]));
      return &each;
    }
    if (!code_.has("cudnnGetVersion")) return nullptr;
    note("exports cudnnGetVersion");
    return &product(CudaKind::cudnn);
  }

  bool is_proven(const Product& product) {
    for (const auto mark : product.marks) {
      if (mark.empty()) continue;
      if (!code_.has(mark)) return false;
      note(fmt::format("exports {}", mark));
    }
    return true;
  }

  /// The one version that the numbers in a function's code can mean; empty if there is none, or more than one.
  template <typename Decode>
  std::string version_in(std::string_view function, Decode decode) {
    for (const bool callees : {false, true}) {
      std::string version;
      std::uint32_t number = 0;
      for (const auto& constant : callees ? code_.constants_of_callees(function) : code_.constants(function)) {
        const auto meant = decode(constant.value);
        if (meant.empty() || meant == version) continue;
        if (!version.empty()) return "";
        version = meant;
        number = constant.value;
      }
      if (version.empty()) continue;
      note(fmt::format("its function {} answers {}", function, number));
      return version;
    }
    return "";
  }

  bool is_of_major(const std::string& version) const {
    return library_.major == 0 || leading_number(version) == library_.major;
  }

  void read_version(const Product& product) {
    std::string found;
    switch (product.kind) {
      case CudaKind::cudart:
        found = version_in(product.version_function, [this](std::uint32_t number) {
          const auto version = cuda_version(number);
          return is_of_major(version) ? version : "";
        });
        break;
      case CudaKind::nvrtc:
      case CudaKind::nvjitlink: found = pair_in(product.version_function); break;
      case CudaKind::nvrtc_builtins:
      case CudaKind::driver: break;
      default:
        found = version_in(product.version_function, [this](std::uint32_t number) { return any_major(number); });
        break;
    }
    if (found.empty()) found = version_of_resource(product);
    if (!found.empty()) library_.version = found;
  }

  /// A DLL's version resource: 6.14.11.12080 of CUDA 12.8's runtime, 8.9.4.25 of cuDNN 8.9.4.
  std::string version_of_resource(const Product& product) {
    if (!image_.pe || !image_.pe->file_version) return "";
    std::array<int, 4> numbers{};
    std::size_t count = 0;
    for (const auto part : split(*image_.pe->file_version, "."))
      if (count < numbers.size()) numbers[count++] = leading_number(part);
    std::string version;
    if (product.kind == CudaKind::cudart) version = cuda_version(static_cast<std::uint32_t>(numbers[3]));
    if (product.kind == CudaKind::cudnn) version = fmt::format("{}.{}.{}", numbers[0], numbers[1], numbers[2]);
    if (version.empty() || !is_of_major(version)) return "";
    note(fmt::format("its version resource says {}", *image_.pe->file_version));
    return version;
  }

  /// A file without a name of its own has no major number to go by.
  std::string any_major(std::uint32_t number) const {
    if (library_.major != 0) return product_version(number, library_.major);
    if (library_.kind != CudaKind::cudnn || number < 5000) return "";
    return product_version(number, static_cast<int>(number < 10'000 ? number / 1000 : number / 10'000));
  }

  /// nvrtcVersion(int* major, int* minor) writes two numbers.
  std::string pair_in(std::string_view function) {
    std::vector<std::uint32_t> stored;
    for (const auto& constant : code_.constants(function))
      if (constant.stored && constant.value < 100) stored.push_back(constant.value);
    if (stored.size() < 2) return "";
    if (library_.major != 0 && stored[0] != static_cast<std::uint32_t>(library_.major)) std::swap(stored[0], stored[1]);
    if (library_.major != 0 && stored[0] != static_cast<std::uint32_t>(library_.major)) return "";
    note(fmt::format("its function {} answers {} and {}", function, stored[0], stored[1]));
    return fmt::format("{}.{}", stored[0], stored[1]);
  }

  // cuDNN's front library asks its parts. They hold their release in a variable, 0x090a02 being 9.10.2, or hand it to
  // each other: cudnnOpsInferVersionCheck(8906).
  void read_version_of_part() {
    for (const auto* form : {"cudnn_{}_version", "cudnn_{}_infer_version"}) {
      const auto name = fmt::format(fmt::runtime(form), library_.part);
      const auto number = code_.variable(name);
      if (!number || static_cast<int>(*number >> 16) != library_.major) continue;
      library_.version = fmt::format("{}.{}.{}", *number >> 16, *number >> 8 & 0xff, *number & 0xff);
      note(fmt::format("its variable {} is {:#x}", name, *number));
      return;
    }
    const auto found = version_in(fmt::format("cudnn{}VersionCheck", in_camel_case(library_.part)),
                                  [this](std::uint32_t number) { return any_major(number); });
    if (!found.empty()) library_.version = found;
  }

  /// "ops_infer" -> "OpsInfer"
  static std::string in_camel_case(std::string_view part) {
    std::string result;
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (part[i] == '_') continue;
      const bool first = i == 0 || part[i - 1] == '_';
      result += first ? static_cast<char>(std::toupper(static_cast<unsigned char>(part[i]))) : part[i];
    }
    return result;
  }

  // "NCCL version 2.27.5+cuda12.9"
  void read_cuda_of_nccl() {
    const auto text = read_only_text(file_, image_, "NCCL version ", most_read_of_nccl);
    const auto at = text ? text->find("+cuda") : std::string::npos;
    if (at == std::string::npos) return;
    library_.built_for_cuda = text->substr(at + 5);
    note(fmt::format("it says \"NCCL version {}\"", *text));
  }

  // The toolkit's stub: each function is nothing but `return CUDA_ERROR_STUB_LIBRARY` (cuda.h: 34), and before CUDA
  // 11.1 another error.
  void read_driver() {
    const auto answers = code_.constants("cuInit");
    const auto others = code_.constants("cuDriverGetVersion");
    const auto only = [](const std::vector<CodeConstant>& constants) {
      return constants.size() == 1 && !constants[0].stored && constants[0].value == 34;
    };
    if (only(answers) && only(others)) {
      library_.stub = true;
      note("cuInit does nothing but answer 34, CUDA_ERROR_STUB_LIBRARY");
      return;
    }
    // The name of a file of settings that it reads, which holds its release.
    const auto text = read_only_text(file_, image_, "nvidia-application-profiles-", most_read_of_driver);
    const auto end = text ? text->find_first_not_of("0123456789.") : 0;
    if (!text || end == 0) return;
    library_.version = text->substr(0, end);
    note(fmt::format("it reads nvidia-application-profiles-{}", library_.version));
  }

  const File& file_;
  const Image& image_;
  const Knowledge& knowledge_;
  ExportedCode code_;
  CudaLibrary library_;
};

}  // namespace

std::string_view to_string(CudaKind kind) { return product(kind).word; }

std::string_view product_name(CudaKind kind) { return product(kind).title; }

bool is_named_like_cuda(const Image& image) { return own_name(image).has_value(); }

std::optional<CudaLibrary> identify(const File& file, const Image& image, const Knowledge& knowledge) {
  if (!image.is_elf() && !image.is_pe()) return std::nullopt;
  return Identifier(file, image, knowledge).identify();
}

std::optional<CudaLibrary> find_static_cudart(const File& file, const Image& image) {
  // A text of cudaGetErrorString, which is in all releases.
  constexpr std::string_view text = "CUDA driver version is insufficient for CUDA runtime version";
  if (ExportedCode(file, image).has("cudaRuntimeGetVersion")) return std::nullopt;
  if (!read_only_text(file, image, text, most_read_for_static, true)) return std::nullopt;
  CudaLibrary library;
  library.is_static = true;
  std::string version;
  bool one = true;
  for (const auto number : numbers_answered(file, image, most_code_for_version)) {
    const auto meant = cuda_version(number);
    if (meant.empty()) continue;
    one = one && (version.empty() || version == meant);
    version = meant;
  }
  if (one && !version.empty()) {
    library.version = version;
    library.major = leading_number(version);
  }
  library.evidence.push_back(fmt::format("its read-only data holds \"{}\"", text));
  if (!library.version.empty()) library.evidence.push_back("its code has the function that answers this version");
  return library;
}

}  // namespace cudald
