#pragma once

#include <string>

namespace cudald {

struct LoadPicture;  // report/html/load_picture.h

/// A picture as SVG that stands in a page: who asks stands left of what it asks for, what fails stands first in its
/// column and above all lines.
std::string html_graph(const LoadPicture&);

}  // namespace cudald
