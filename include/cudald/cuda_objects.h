#pragma once

#include <string>
#include <vector>

#include <cudald/cuda_library.h>
#include <cudald/resolution.h>

namespace cudald {

// What a process has of CUDA. Object::cuda also stands at a file that is something else and has a CUDA runtime linked
// into it (CudaLibrary::is_static): who wants the libraries alone asks here and does not compare kinds.

/// The mapped objects that are themselves a library of CUDA of one kind, each file once, in load order. With `later`,
/// also those that are loaded on use.
std::vector<ObjectId> cuda_objects(const Resolution&, CudaKind, bool later = false);

/// The mapped objects into which a CUDA runtime was linked, in load order.
std::vector<ObjectId> objects_with_linked_runtime(const Resolution&);

/// Every CUDA runtime of the process: first the libraries, then the objects into which one was linked. More than one
/// means that each has its own contexts, streams and memory.
std::vector<ObjectId> all_runtimes(const Resolution&);

/// "libcudart.so.12, CUDA runtime 12.8" of an object that is a library of CUDA, "CUDA runtime 11.8 inside libx.so" of
/// one that has it linked in. Only for objects with Object::cuda.
std::string described(const Object&);

}  // namespace cudald
