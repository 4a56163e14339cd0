// A deflated member is the body of a gzip stream: between its header of 10 bytes and its end of 8. Source: RFC 1952.
#include "rewrite/new_member.h"

#include <array>
#include <optional>
#include <ostream>
#include <vector>

#include "archive/compressing_stream.h"
#include "archive/zip_directory.h"
#include "base/crc32.h"
#include "base/sha256.h"
#include "rewrite/file_blocks.h"

namespace cudald {
namespace {

constexpr std::uint64_t gzip_header_bytes = 10, gzip_end_bytes = 8;

/// Where the compressed bytes lie in the scratch file.
Result<Piece> body_of(const std::shared_ptr<ScratchStore>& scratch, std::uint64_t start) {
  const auto size = scratch->status().size - start;
  std::array<std::byte, gzip_header_bytes> header{};
  const auto got = scratch->read(start, header);
  if (!got) return got.error();
  // No flag is set, so nothing else follows the header.
  if (size < gzip_header_bytes + gzip_end_bytes || header[2] != std::byte{8} || header[3] != std::byte{0})
    return Error{ErrorCode::unreadable, "libarchive made a gzip stream of an unknown form", ""};
  return Piece{size - gzip_header_bytes - gzip_end_bytes, start + gzip_header_bytes, "", scratch};
}

}  // namespace

Result<NewMember> make_new_member(std::shared_ptr<const File> file, std::uint16_t method,
                                  const std::shared_ptr<ScratchStore>& scratch) {
  NewMember made;
  made.size = file->status().size;
  Sha256 sha256;
  const auto start = scratch->status().size;
  ScratchBuffer into(*scratch);
  std::ostream out(&into);
  std::optional<CompressingBuffer> compressing;
  if (method == zip_deflated) compressing.emplace(Compression::gzip, out);
  auto fault = each_block(*file, [&](std::span<const std::byte> bytes) -> std::optional<Error> {
    made.crc32 = crc32_after(made.crc32, bytes);
    sha256.add(bytes);
    if (compressing)
      compressing->sputn(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return std::nullopt;
  });
  if (!fault && compressing) fault = compressing->finish();
  if (!fault) fault = into.fault();
  if (fault) return std::move(*fault);
  made.sha256 = sha256.finish();
  if (compressing) {
    auto body = body_of(scratch, start);
    if (!body) return body.error();
    made.data = std::move(*body);
  } else {
    made.data = {made.size, 0, "", std::move(file)};
  }
  return made;
}

Result<NewMember> make_new_member(const std::string& text, std::uint16_t method,
                                  const std::shared_ptr<ScratchStore>& scratch) {
  std::vector<Piece> pieces;
  if (!text.empty()) pieces.push_back({text.size(), {}, text});
  return make_new_member(std::make_shared<NewFile>(scratch, std::move(pieces)), method, scratch);
}

}  // namespace cudald
