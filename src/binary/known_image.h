#pragma once

#include <memory>
#include <string>

#include <cudald/image.h>

namespace cudald {

/// What is taken to stand in a file that is known by its name alone: a healthy library that a loader of these programs
/// accepts, with every function that is asked for.
std::shared_ptr<Image> known_image(ImageSource, std::uint16_t machine, Format, ByteOrder, const std::string& soname);

}  // namespace cudald
