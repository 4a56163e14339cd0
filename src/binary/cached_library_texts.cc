#include "binary/cached_library_texts.h"

#include "binary/constants/library_texts.h"

namespace cudald {

void fields(Is<LibraryText> auto& text, auto&& take) {
  auto& [name, offset, source] = text;
  take(name, offset, source);
}
void fields(Is<LibraryTexts> auto& texts, auto&& take) {
  auto& [function, all, complete] = texts;
  take(function, all, complete);
}

LibraryTexts KeptLibraryTexts::read(const File& file, const Image& image) {
  return readings_.read(file, [&image](const File& given) { return read_library_texts(given, image); });
}

}  // namespace cudald
