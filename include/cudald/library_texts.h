#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cudald {

/// A text in the read-only data of a file that is the name of a library, and where it begins in the file.
struct LibraryText {
  std::string name;
  std::uint64_t offset = 0;
  std::string source =
      {};  ///< of the table of knowledge that says that the file opens it, where no text does; else empty
};

/// Names that the code of a file may hand to a function that loads libraries. That it does is likely, not sure.
struct LibraryTexts {
  std::string function;            ///< that the file calls: "dlopen"; empty: it calls none, and no text was looked for
  std::vector<LibraryText> texts;  ///< each name once, in the file's order; none that its own headers hold
  bool complete = true;            ///< false: the file has more of them, or more data, than are read
};

}  // namespace cudald
