#pragma once

#include <array>
#include <memory>
#include <optional>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

#include <cudald/result.h>

#include "archive/decompressed_file.h"

namespace cudald {

/// Compresses what is written and hands it on; the same for the same bytes. Memory does not depend on their number.
class CompressingBuffer final : public std::streambuf {
 public:
  /// `compression` is gzip or zstd; `level` as its library counts, or the usual one.
  CompressingBuffer(Compression, std::ostream& out, const char* level = nullptr);
  ~CompressingBuffer() override;

  /// Ends the compressed stream. The first error, if not all could be compressed.
  std::optional<Error> finish();

 protected:
  int_type overflow(int_type c) override;
  int sync() override;

 private:
  struct Writer;

  std::unique_ptr<Writer> writer_;
  std::optional<Error> fault_;
  std::array<char, 65536> buffer_;
};

/// The bytes as one stream; `compression` and `level` as above.
Result<std::string> compressed(std::string_view bytes, Compression, const char* level = nullptr);

}  // namespace cudald
