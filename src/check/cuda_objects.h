#pragma once

#include <string>
#include <vector>

#include <cudald/report.h>

#include "cuda/knowledge.h"

namespace cudald {

CudaPlatform platform_of(const Report&);

/// The mapped objects that are a library of CUDA of one kind, each file once, in load order. With `later`, also those
/// that are loaded on use.
std::vector<ObjectId> cuda_objects(const Report&, CudaKind, bool later = false);

/// The mapped objects into which a CUDA runtime was linked.
std::vector<ObjectId> objects_with_linked_runtime(const Report&);

/// Every CUDA runtime that is mapped: first the libraries, then the objects into which one was linked.
std::vector<ObjectId> all_runtimes(const Report&);

/// Whether a library is NVIDIA's own, by its package or name.
bool is_of_nvidia(const Object&);

/// "libcudart.so.12, CUDA runtime 12.8" of an object that is a library of CUDA, "CUDA runtime 11.8 inside libx.so" of
/// one that has it linked in.
std::string described(const Object&);

/// The objects whose DT_NEEDED or dlopen leads to this one.
std::vector<ObjectId> users_of(const Report&, ObjectId);

/// "a, b, c and 4 more": file names, each once.
std::string listed_names(const Report&, const std::vector<ObjectId>&);

/// The majors of CUDA that the name of a library stands for, {11} for libcublas.so.11; empty if it is no such name.
std::vector<int> cuda_majors_of(std::string_view library);

}  // namespace cudald
