#include "archive/gzip.h"

#include <memory>
#include <span>

#include "archive/compressing_stream.h"
#include "archive/decompressed_file.h"

namespace cudald {

Result<std::string> gzip(std::string_view bytes) { return compressed(bytes, Compression::gzip, "9"); }

Result<std::string> read_plain_or_compressed(const FileSystem& files, const std::string& path, std::uint64_t limit) {
  auto opened = files.open(path);
  if (!opened) return opened.error();
  std::shared_ptr<const File> file = std::move(*opened);
  const auto compression = compression_of(*file);
  if (compression == Compression::none) return read_file(files, path, limit);
  const auto plain = make_decompressed_file(std::move(file), compression, path);
  std::string text;
  constexpr std::size_t at_once = std::size_t{1} << 20;
  while (text.size() <= limit) {
    const auto before = text.size();
    text.resize(before + at_once);
    const auto got = plain->read(before, std::as_writable_bytes(std::span(text).subspan(before)));
    if (!got) return got.error();
    text.resize(before + *got);
    if (*got == 0) break;
  }
  if (text.size() > limit)
    return Error{ErrorCode::limit,
                 "larger, decompressed, than the " + std::to_string(limit) + " bytes that are read of it", path};
  // A stream that was cut short or damaged says so at its end.
  if (const auto error = plain->verify()) return *error;
  return text;
}

}  // namespace cudald
