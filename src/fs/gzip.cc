#include "fs/gzip.h"

#include <archive.h>
#include <archive_entry.h>

#include <memory>
#include <span>

#include "fs/decompressed_file.h"

namespace cudald {
namespace {

struct WriterFree {
  void operator()(archive* writer) const { archive_write_free(writer); }
};

la_ssize_t append(archive*, void* into, const void* bytes, std::size_t size) {
  static_cast<std::string*>(into)->append(static_cast<const char*>(bytes), size);
  return static_cast<la_ssize_t>(size);
}

}  // namespace

Result<std::string> gzip(std::string_view bytes) {
  std::string result;
  const std::unique_ptr<archive, WriterFree> writer(archive_write_new());
  const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> entry(archive_entry_new(), archive_entry_free);
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  auto* out = writer.get();
  const bool written = archive_write_set_format_raw(out) == ARCHIVE_OK &&
                       archive_write_add_filter_gzip(out) == ARCHIVE_OK &&
                       archive_write_set_filter_option(out, "gzip", "timestamp", nullptr) == ARCHIVE_OK &&
                       archive_write_set_filter_option(out, "gzip", "compression-level", "9") == ARCHIVE_OK &&
                       archive_write_set_bytes_in_last_block(out, 1) == ARCHIVE_OK &&
                       archive_write_open(out, &result, nullptr, append, nullptr) == ARCHIVE_OK &&
                       archive_write_header(out, entry.get()) == ARCHIVE_OK &&
                       archive_write_data(out, bytes.data(), bytes.size()) == static_cast<la_ssize_t>(bytes.size()) &&
                       archive_write_close(out) == ARCHIVE_OK;
  if (written) return result;
  const auto* why = archive_error_string(out);
  return Error{ErrorCode::unreadable, why == nullptr ? "it cannot be compressed" : why};
}

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
