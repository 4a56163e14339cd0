#include "archive/compressing_stream.h"

#include <sstream>

#include "archive/archive_library.h"

namespace cudald {
namespace {

la_ssize_t hand_on(archive*, void* out, const void* bytes, std::size_t size) {
  auto& stream = *static_cast<std::ostream*>(out);
  stream.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  return static_cast<la_ssize_t>(size);
}

}  // namespace

struct CompressingBuffer::Writer {
  explicit Writer(const ArchiveLibrary& libarchive) : library(libarchive), handle(library.write_new()) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { library.write_free(handle); }

  bool open(Compression compression, std::ostream& out, const char* level) {
    const std::unique_ptr<archive_entry, decltype(library.entry_free)> entry(library.entry_new(), library.entry_free);
    library.entry_set_filetype(entry.get(), AE_IFREG);
    const bool gzip = compression == Compression::gzip;
    const auto* filter = gzip ? "gzip" : "zstd";
    const auto set = [&](const char* option, const char* value) {
      return library.write_set_filter_option(handle, filter, option, value) == ARCHIVE_OK;
    };
    return library.write_set_format_raw(handle) == ARCHIVE_OK &&
           (gzip ? library.write_add_filter_gzip(handle) : library.write_add_filter_zstd(handle)) == ARCHIVE_OK &&
           (!gzip || set("timestamp", nullptr)) && (level == nullptr || set("compression-level", level)) &&
           library.write_set_bytes_in_last_block(handle, 1) == ARCHIVE_OK &&
           library.write_open(handle, &out, nullptr, hand_on, nullptr) == ARCHIVE_OK &&
           library.write_header(handle, entry.get()) == ARCHIVE_OK;
  }

  Error fault() const {
    const auto* why = library.error_string(handle);
    return {ErrorCode::unreadable, why == nullptr ? "it cannot be compressed" : why};
  }

  const ArchiveLibrary& library;
  archive* handle;
};

CompressingBuffer::CompressingBuffer(Compression compression, std::ostream& out, const char* level) {
  const auto& library = ArchiveLibrary::get();
  if (!library) {
    fault_ = library.error();
    return;
  }
  writer_ = std::make_unique<Writer>(*library);
  if (!writer_->open(compression, out, level)) fault_ = writer_->fault();
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
  if (size != 0 && !fault_ &&
      writer_->library.write_data(writer_->handle, pbase(), size) != static_cast<la_ssize_t>(size))
    fault_ = writer_->fault();
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  return fault_ ? -1 : 0;
}

std::optional<Error> CompressingBuffer::finish() {
  sync();
  if (!fault_ && writer_->library.write_close(writer_->handle) != ARCHIVE_OK) fault_ = writer_->fault();
  return fault_;
}

Result<std::string> compressed(std::string_view bytes, Compression compression, const char* level) {
  std::ostringstream out;
  CompressingBuffer buffer(compression, out, level);
  std::ostream(&buffer).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (auto fault = buffer.finish()) return std::move(*fault);
  return std::move(out).str();
}

}  // namespace cudald
