#pragma once

#include <memory>
#include <string_view>

#include <cudald/result.h>

namespace cudald {

/// What is known of CUDA beyond the files: which driver a release needs, which release a library's name or build
/// belongs to, what frameworks were built for. Never changed once it is read: sessions, also of different threads, may
/// share one.
class Knowledge;

/// The table of data/cuda.json as it was when this library was built.
std::shared_ptr<const Knowledge> built_in_knowledge();

/// A table in the form of data/cuda.json. Error{usage}, with what is wrong, for a text that is none.
Result<std::shared_ptr<const Knowledge>> read_knowledge(std::string_view json);

}  // namespace cudald
