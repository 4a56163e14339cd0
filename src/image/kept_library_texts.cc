#include "image/kept_library_texts.h"

#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/pack.h"
#include "image/library_texts.h"

namespace cudald {

void fields(Is<LibraryText> auto& text, auto&& take) {
  auto& [name, offset, source] = text;
  take(name, offset, source);
}
void fields(Is<LibraryTexts> auto& texts, auto&& take) {
  auto& [function, all, complete] = texts;
  take(function, all, complete);
}

namespace {

/// Of smaller files the texts are read as fast as a record.
constexpr std::uint64_t smallest_kept = std::uint64_t{4} << 20;

/// A file that notes whether a read of it fails.
class NotedFile final : public File {
 public:
  explicit NotedFile(const File& file) : file_(file) {}

  const FileStatus& status() const override { return file_.status(); }
  bool is_stream() const override { return file_.is_stream(); }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    auto got = file_.read(offset, into);
    if (!got) has_failed_ = true;
    return got;
  }
  bool has_failed() const { return has_failed_; }

 private:
  const File& file_;
  mutable bool has_failed_ = false;
};

std::string packed(const LibraryTexts& texts) {
  PackWriter writer;
  writer(texts);
  return writer.bytes();
}

std::optional<LibraryTexts> unpacked(std::string_view bytes) {
  LibraryTexts texts;
  PackReader reader(bytes);
  reader(texts);
  return reader.at_end() ? std::optional(std::move(texts)) : std::nullopt;
}

}  // namespace

LibraryTexts KeptLibraryTexts::read(const File& file, const Image& image) {
  const auto identity = records_ && file.status().size >= smallest_kept ? file.identity() : "";
  if (identity.empty()) return read_library_texts(file, image);
  if (const auto record = records_.find(identity))
    if (auto known = unpacked(*record)) return std::move(*known);
  const NotedFile noted(file);
  auto texts = read_library_texts(noted, image);
  // Of a file that was changed meanwhile the next run may see more.
  if (!noted.has_failed() && file.identity() == identity) records_.keep(identity, packed(texts));
  return texts;
}

}  // namespace cudald
