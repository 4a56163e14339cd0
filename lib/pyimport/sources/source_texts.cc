#include "pyimport/sources/source_texts.h"

#include <functional>
#include <string_view>
#include <utility>

namespace cudald::python {

bool SourceIdentity::operator==(const SourceIdentity& other) const {
  if (path != other.path || (text == nullptr) != (other.text == nullptr)) return false;
  return text == nullptr ? file == other.file : *text == *other.text;
}

Result<SourceIdentity> SourceTexts::read(const File& file, const std::string& path, std::uint64_t limit) {
  auto text = read_file(file, path, limit);
  if (!text) return text.error();
  SourceIdentity read{path, nullptr, file.status()};
  const bool tells_changes = read.file.changed != 0 && text->size() == read.file.size;
  if (tells_changes && file.is_at_hand()) {
    hashes_[path] = std::hash<std::string_view>()(*text);
    keep(read, std::move(*text));
  } else {
    read.text = std::make_shared<const std::string>(std::move(*text));
  }
  return read;
}

SourceText SourceTexts::text(const SourceIdentity& wanted) {
  if (wanted.text != nullptr) return wanted.text;
  for (auto one = recent_.begin(); one != recent_.end(); ++one)
    if (one->of == wanted) {
      recent_.splice(recent_.begin(), recent_, one);
      return one->text;
    }
  const auto file = files_.open(wanted.path);
  if (!file) return nullptr;
  auto text = read_file(**file, wanted.path, wanted.file.size);
  if (!text || text->size() != wanted.file.size) return nullptr;
  // A new link to the file, or another name, changes its status and none of its bytes.
  const auto known = hashes_.find(wanted.path);
  if (known == hashes_.end() || known->second != std::hash<std::string_view>()(*text)) return nullptr;
  return keep(wanted, std::move(*text));
}

SourceText SourceTexts::keep(const SourceIdentity& of, std::string text) {
  if (recent_.size() == most_recent) recent_.pop_back();
  recent_.push_front({of, std::make_shared<const std::string>(std::move(text))});
  return recent_.front().text;
}

}  // namespace cudald::python
