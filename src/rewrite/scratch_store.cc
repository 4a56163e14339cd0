#include "rewrite/scratch_store.h"

#include <unistd.h>

#include <algorithm>

#include "os/scratch_file.h"
#include "rewrite/file_blocks.h"

namespace cudald {

Result<std::shared_ptr<ScratchStore>> ScratchStore::make() {
  const int file = open_scratch_file();
  if (file < 0)
    return Error{ErrorCode::unreadable, "the directory for temporary files cannot be written to; set TMPDIR", ""};
  return std::shared_ptr<ScratchStore>(new ScratchStore(file));
}

ScratchStore::~ScratchStore() { ::close(file_); }

std::optional<Error> ScratchStore::append(std::span<const std::byte> bytes) {
  if (!write_at(file_, status_.size, bytes))
    return Error{ErrorCode::unreadable, "the directory for temporary files is full; set TMPDIR to a larger one", ""};
  status_.size += bytes.size();
  return std::nullopt;
}

std::optional<Error> ScratchStore::append(const File& file) {
  return each_block(file, [this](std::span<const std::byte> bytes) { return append(bytes); });
}

Result<std::size_t> ScratchStore::read(std::uint64_t offset, std::span<std::byte> into) const {
  if (offset >= status_.size) return std::size_t{0};
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), status_.size - offset));
  if (!read_at(file_, offset, into.first(size)))
    return Error{ErrorCode::unreadable, "a temporary file cannot be read", ""};
  return size;
}

ScratchBuffer::int_type ScratchBuffer::overflow(int_type c) {
  const auto byte = traits_type::to_char_type(c);
  return traits_type::eq_int_type(c, traits_type::eof()) || xsputn(&byte, 1) == 1 ? traits_type::not_eof(c)
                                                                                  : traits_type::eof();
}

std::streamsize ScratchBuffer::xsputn(const char* bytes, std::streamsize count) {
  if (!fault_) fault_ = store_.append(std::as_bytes(std::span(bytes, static_cast<std::size_t>(count))));
  return fault_ ? 0 : count;
}

}  // namespace cudald
