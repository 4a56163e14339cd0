#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/knowledge.h>

namespace cudald {

class File;    // file_system.h
struct Image;  // image.h

enum class CudaKind {
  cudart,
  cudnn,
  cublas,
  cublas_lt,
  cufft,
  curand,
  cusolver,
  cusparse,
  nvrtc,
  nvrtc_builtins,
  nvjitlink,
  nccl,
  tensorrt,
  driver,
};

/// "cudart", "cudnn", "cublasLt", "driver", as JSON spells them.
std::string_view to_string(CudaKind);
/// "CUDA runtime", "cuDNN", "NVIDIA driver", for sentences.
std::string_view product_name(CudaKind);

/// What a file of CUDA is by its bytes, whatever it is called.
struct CudaLibrary {
  CudaKind kind = CudaKind::cudart;
  std::string part;     ///< of cuDNN: "ops_infer", "graph"; of TensorRT: "plugin"; empty: the library as a whole
  std::string version;  ///< as far as the bytes tell: "12.8", "9.10.2", or only "12"; empty: not even that
  std::string release;  ///< of the package that has this build, by its build-id: "12.8.90", "8.8.0.121 to 8.9.2.26";
                        ///< mostly empty
  int major = 0;        ///< the number in its SONAME's ABI: 11 for libcudart.so.11.0; 0 if it is not told
  std::string built_for_cuda;         ///< "12.9", for libraries that are not of the toolkit itself; empty: not told
  bool stub = false;                  ///< the toolkit's libcuda.so, which only fails
  bool is_static = false;             ///< linked into a file that is something else
  std::vector<std::string> evidence;  ///< how each of it is known, one sentence each
};

/// Whether the names that a file gives itself (DT_SONAME, version nodes, a DLL's own name) are those of a CUDA library.
/// Reads nothing; an identification of other files finds only what hides its names.
bool is_named_like_cuda(const Image&);

/// What the file is; nullopt if it is no library of CUDA. Looks up a few exported functions and reads their code,
/// some kilobytes, however large the file. `image` must be that of this file.
std::optional<CudaLibrary> identify(const File&, const Image& image, const Knowledge&);

/// A CUDA runtime that was linked into this library or program; nullopt if there is none. Reads the file's read-only
/// strings, up to 32 MB.
std::optional<CudaLibrary> find_static_cudart(const File&, const Image& image);

}  // namespace cudald
