#include "fs/compressing_stream.h"

#include <archive.h>
#include <archive_entry.h>

#include <sstream>

namespace cudald {
namespace {

la_ssize_t hand_on(archive*, void* out, const void* bytes, std::size_t size) {
  auto& stream = *static_cast<std::ostream*>(out);
  stream.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  return static_cast<la_ssize_t>(size);
}

}  // namespace

struct CompressingBuffer::Writer {
  archive* handle = archive_write_new();

  Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { archive_write_free(handle); }

  bool open(Compression compression, std::ostream& out) {
    const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> entry(archive_entry_new(), archive_entry_free);
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    const bool gzip = compression == Compression::gzip;
    return archive_write_set_format_raw(handle) == ARCHIVE_OK &&
           (gzip ? archive_write_add_filter_gzip(handle) : archive_write_add_filter_zstd(handle)) == ARCHIVE_OK &&
           (!gzip || archive_write_set_filter_option(handle, "gzip", "timestamp", nullptr) == ARCHIVE_OK) &&
           archive_write_set_bytes_in_last_block(handle, 1) == ARCHIVE_OK &&
           archive_write_open(handle, &out, nullptr, hand_on, nullptr) == ARCHIVE_OK &&
           archive_write_header(handle, entry.get()) == ARCHIVE_OK;
  }

  Error fault() const {
    const auto* why = archive_error_string(handle);
    return {ErrorCode::unreadable, why == nullptr ? "it cannot be compressed" : why};
  }
};

CompressingBuffer::CompressingBuffer(Compression compression, std::ostream& out) : writer_(std::make_unique<Writer>()) {
  if (!writer_->open(compression, out)) fault_ = writer_->fault();
  setp(buffer_.data(), buffer_.data() + buffer_.size());
}

CompressingBuffer::~CompressingBuffer() = default;

CompressingBuffer::int_type CompressingBuffer::overflow(int_type c) {
  sync();
  if (!traits_type::eq_int_type(c, traits_type::eof())) {
    *pptr() = traits_type::to_char_type(c);
    pbump(1);
  }
  return traits_type::not_eof(c);
}

int CompressingBuffer::sync() {
  const auto size = static_cast<std::size_t>(pptr() - pbase());
  if (size != 0 && !fault_ && archive_write_data(writer_->handle, pbase(), size) != static_cast<la_ssize_t>(size))
    fault_ = writer_->fault();
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  return fault_ ? -1 : 0;
}

std::optional<Error> CompressingBuffer::finish() {
  sync();
  if (!fault_ && archive_write_close(writer_->handle) != ARCHIVE_OK) fault_ = writer_->fault();
  return fault_;
}

Result<std::string> zstd(std::string_view bytes) {
  std::ostringstream out;
  CompressingBuffer buffer(Compression::zstd, out);
  std::ostream(&buffer).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (auto fault = buffer.finish()) return std::move(*fault);
  return std::move(out).str();
}

}  // namespace cudald
