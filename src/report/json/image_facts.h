#pragma once

#include <string>
#include <vector>

#include <cudald/gpu_code.h>

#include "report/json/json_text.h"

namespace cudald {

struct CudaLibrary;  // cudald/cuda_library.h
struct Image;        // cudald/image.h

/// "shared", "executable" and so on; JSON spells them like this.
std::string_view file_type_name(FileType);

/// "x86_64", as for ELF; "machine 0x1c2" if there is no such name.
std::string pe_machine_name(const Image&);

/// The flags that change what a loader does: "BIND_NOW", "NODEFLIB"; as readelf names them, for PE as winnt.h does.
std::vector<std::string> flag_names(const Image&);

/// "x86-64-v3" for each level that the ISA note asks for.
std::vector<std::string> isa_names(const Image&);

/// What a file of CUDA is: {"kind": "cudart", "version": "11.8", ...}; null for any other file.
Json cuda_json(const CudaLibrary*);

/// "cuDNN 9.10.2 (graph), built for CUDA 12.9".
std::string cuda_words(const CudaLibrary&);

/// {"sass": {"sm_90": 3}, "ptx": {}}; null for a file without GPU code.
Json gpu_json(const GpuCode*);

}  // namespace cudald
