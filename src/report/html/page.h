#pragma once

#include <iosfwd>
#include <string_view>

namespace cudald {

// The frame of every page: one that needs no other file and no network, with a box that searches rows `data-row`.

/// `title`: HTML, said after the program's name.
void write_page_start(std::string_view title, std::ostream&);
void write_page_end(std::ostream&);

}  // namespace cudald
