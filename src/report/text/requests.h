#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/resolution.h>

namespace cudald {

/// One request in a resolution, by its place.
struct RequestPlace {
  ObjectId requester{};
  std::size_t edge{};
};

/// Whether people may call this object so: by its path, file name, soname, or a name it was loaded
/// by.
bool answers_to(const Object&, std::string_view name);

/// The first object that answers to a name.
std::optional<ObjectId> find_object(const Resolution&, std::string_view name);

/// Requests for a library, by the name asked for or by a name of the object that answered; load
/// order.
std::vector<RequestPlace> requests_for(const Resolution&, std::string_view name);

/// The same of what objects may open by names among their constants: indexes into Object::may_open.
std::vector<RequestPlace> constants_for(const Resolution&, std::string_view name);

/// "text at 0x1234, calls dlopen".
std::string constant_words(std::string_view function, std::uint64_t text_at);
std::string constant_words(const Edge&);

/// "; did you mean `libfoo.so.1`?" from the names in the resolution, or nothing.
std::string similar_library(const Resolution&, std::string_view name);

}  // namespace cudald
