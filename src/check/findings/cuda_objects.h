#pragma once

#include <string>
#include <vector>

#include <cudald/cuda_objects.h>
#include <cudald/report.h>

#include "knowledge/knowledge.h"

namespace cudald {

CudaPlatform platform_of(const Report&);

/// By what it is judged.
const Knowledge& knowledge_of(const Report&);

/// Whether a library is NVIDIA's own, by its package or name.
bool is_of_nvidia(const Object&);

/// The objects whose DT_NEEDED or dlopen leads to this one.
std::vector<ObjectId> users_of(const Report&, ObjectId);

/// "a, b, c and 4 more": file names, each once.
std::string listed_names(const Report&, const std::vector<ObjectId>&);

/// The majors of CUDA that the name of a library stands for, {11} for libcublas.so.11; empty if it is no such name.
std::vector<int> cuda_majors_of(std::string_view library, const Knowledge&);

}  // namespace cudald
