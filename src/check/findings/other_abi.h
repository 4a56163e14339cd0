#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cudald/finding.h>
#include <cudald/report.h>

#include "knowledge/knowledge.h"
#include "store/store.h"

namespace cudald {

/// Adds what a file of another ABI really is, and how many of the functions that a requester wants from `wanted` it
/// has, by name and by version: proof of why it does not serve. Of several requesters the first that names such
/// functions counts.
void compare_with_other_abi(const Report&, const std::vector<ObjectId>& requesters, const std::string& wanted,
                            const std::string& path, Store&, Finding&);

/// What a library of CUDA is. The front library of cuDNN tells its major alone; a part beside it has the release.
/// nullptr: no library of CUDA.
std::shared_ptr<const CudaLibrary> most_telling(const std::string& path, Store&);

/// Adds what a name of CUDA stands for: the releases that use it, and the driver that these need.
void add_what_name_serves(const std::string& library, const Report&, Finding&);

}  // namespace cudald
